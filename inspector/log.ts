import type { Row } from './api.ts';

/** How many interactions the page keeps. */
export const MAX_ROWS = 1000;

/** Which rows are shown. */
export interface Filter {
  readonly text: string;
  /** `2` to `5` for a hundred, `0` for no response, `violations`, or empty. */
  readonly status: string;
  readonly session: string;
  readonly operation: string;
}

/** A filter that shows all. */
export const NO_FILTER: Filter = { text: '', status: '', session: '', operation: '' };

/** What identifies a row. */
export function keyOf({ session, number }: Pick<Row, 'session' | 'number'>): string {
  return `${session}#${number}`;
}

/** The newest rows, newest first. A number that comes again is of a session that was opened again, or is sent again after a lost connection. */
export function addRows(rows: readonly Row[], added: readonly Row[]): readonly Row[] {
  const keys = new Set(added.map(keyOf));
  const kept = rows.filter((row) => !keys.has(keyOf(row)));
  return [...added.toReversed(), ...kept].slice(0, MAX_ROWS);
}

/** The rows that a filter selects. */
export function filterRows(rows: readonly Row[], filter: Filter): readonly Row[] {
  const words = filter.text.toLowerCase().split(/\s+/).filter(Boolean);
  const { status, session, operation } = filter;
  if (words.length === 0 && status === '' && session === '' && operation === '') return rows;
  return rows.filter((row) => {
    if (session !== '' && row.session !== session) return false;
    if (operation !== '' && row.operation !== operation) return false;
    if (!hasStatus(row, status)) return false;
    const text =
      `${row.method} ${row.url} ${row.operation ?? ''} ${row.status} ${row.from} ${row.session}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

function hasStatus(row: Row, wanted: string): boolean {
  if (wanted === '') return true;
  if (wanted === 'violations') return row.errors + row.notes > 0;
  return String(Math.floor(row.status / 100)) === wanted;
}

/** Operations and statuses that rows have used, with how often. */
export type Usage = ReadonlyMap<string, ReadonlyMap<number, number>>;

/** Adds rows to what was used. */
export function addUsage(usage: Usage, rows: readonly Row[]): Usage {
  const next = new Map(usage);
  for (const { operation, status } of rows) {
    if (operation === null) continue;
    const statuses = new Map(next.get(operation));
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    next.set(operation, statuses);
  }
  return next;
}
