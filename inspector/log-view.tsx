import type { JSX } from 'preact';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Row } from './api.ts';
import { type Filter, filterRows, keyOf, NO_FILTER } from './log.ts';
import { Choice, countOf, Status } from './parts.tsx';

/** The height of a row in pixels, as in style.css. */
const ROW_HEIGHT = 28;
/** Rows above and below what is seen. */
const EXTRA_ROWS = 12;

const STATUSES = [
  ['', 'All'],
  ['2', '2xx'],
  ['3', '3xx'],
  ['4', '4xx'],
  ['5', '5xx'],
  ['0', 'No response'],
  ['violations', 'With violations'],
] as const;

interface LogViewProps {
  readonly rows: readonly Row[];
  readonly total: number;
  readonly isPaused: boolean;
  readonly waiting: number;
  readonly selected: string | undefined;
  readonly onSelect: (row: Row | undefined) => void;
  readonly onPause: () => void;
  readonly onClear: () => void;
}

/** The log: filters, and a table that has only the visible rows. */
export function LogView(props: LogViewProps): JSX.Element {
  const { rows, selected, onSelect } = props;
  const [filter, setFilter] = useState(NO_FILTER);
  const shown = useMemo(() => filterRows(rows, filter), [rows, filter]);
  const table = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const isTyping = event.target instanceof Element && event.target.matches('input, select, textarea');
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.key === 'Escape') onSelect(undefined);
      if (isTyping) return;
      const step = STEPS[event.key];
      if (step === undefined || (event.key.startsWith('Arrow') && document.activeElement !== table.current)) return;
      event.preventDefault();
      const at = shown.findIndex((row) => keyOf(row) === selected);
      const next = at === -1 ? 0 : Math.min(Math.max(at + step, 0), shown.length - 1);
      onSelect(shown[next]);
      // Not where a row is clicked: it is seen, and must not move.
      if (table.current !== null) reveal(table.current, next);
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, [shown, selected, onSelect]);
  return (
    <div class="log">
      <Filters {...props} filter={filter} onChange={setFilter} count={shown.length} />
      <Table rows={shown} total={rows.length} selected={selected} onSelect={onSelect} table={table} />
    </div>
  );
}

const STEPS: Readonly<Record<string, number>> = { j: 1, k: -1, ArrowDown: 1, ArrowUp: -1 };

function Filters(
  props: LogViewProps & {
    readonly filter: Filter;
    readonly count: number;
    readonly onChange: (filter: Filter) => void;
  },
): JSX.Element {
  const { filter, rows, count, isPaused, waiting, total, onChange, onPause, onClear } = props;
  const [sessions, operations] = useMemo(
    () => [
      [...new Set(rows.map(({ session }) => session))].toSorted(),
      [...new Set(rows.flatMap(({ operation }) => operation ?? []))].toSorted(),
    ],
    [rows],
  );
  const set = (change: Partial<Filter>): void => onChange({ ...filter, ...change });
  const toOptions = (names: readonly string[] = []): (readonly [string, string])[] => [
    ['', 'All'],
    ...names.map((name) => [name, name] as const),
  ];
  return (
    <div class="toolbar" role="search">
      <input
        type="search"
        id="filter"
        aria-label="Filter by text"
        placeholder="Filter  /"
        value={filter.text}
        onInput={({ currentTarget }) => set({ text: currentTarget.value })}
        onKeyDown={({ key, currentTarget }) => key === 'Escape' && currentTarget.blur()}
      />
      <Choice label="Status" value={filter.status} options={STATUSES} onChange={(status) => set({ status })} />
      <Choice
        label="Session"
        value={filter.session}
        options={toOptions(sessions)}
        onChange={(session) => set({ session })}
      />
      <Choice
        label="Operation"
        value={filter.operation}
        options={toOptions(operations)}
        onChange={(operation) => set({ operation })}
      />
      <span class="spacer" />
      <span class="note" aria-live="polite">
        {countOf(count, count < rows.length ? rows.length : total, 'requests')}
      </span>
      <button type="button" aria-pressed={isPaused} onClick={onPause}>
        {isPaused ? `Resume${waiting > 0 ? ` (${waiting} new)` : ''}` : 'Pause'}
      </button>
      <button type="button" onClick={onClear} title="Empties this list; the journal keeps the interactions">
        Clear
      </button>
    </div>
  );
}

const COLUMNS = ['Time', 'Session', 'Method', 'Path', 'Operation', 'Status', 'ms', 'Source'] as const;

function Table(props: {
  readonly rows: readonly Row[];
  readonly total: number;
  readonly selected: string | undefined;
  readonly onSelect: (row: Row) => void;
  readonly table: { current: HTMLDivElement | null };
}): JSX.Element {
  const { rows, total, selected, onSelect, table } = props;
  const { first, last } = useVisible(table, rows);
  const active = rows.findIndex((row) => keyOf(row) === selected);
  return (
    <div
      class="table"
      role="grid"
      aria-label="Requests, newest first"
      aria-rowcount={rows.length + 1}
      aria-activedescendant={active >= first && active < last ? `row-${active}` : undefined}
      tabIndex={0}
      ref={table}
    >
      <div class="row head" role="row" aria-rowindex={1}>
        {COLUMNS.map((name) => (
          <span role="columnheader">{name}</span>
        ))}
      </div>
      <div class="rows" role="rowgroup" style={{ height: `${rows.length * ROW_HEIGHT}px` }}>
        {rows.slice(first, last).map((row, i) => (
          <LogRow
            key={keyOf(row)}
            row={row}
            index={first + i}
            isSelected={keyOf(row) === selected}
            onSelect={() => onSelect(row)}
          />
        ))}
      </div>
      {rows.length === 0 && (
        <p class="empty" role="row">
          <span role="gridcell">
            {total === 0 ? 'No request yet. Requests appear here as they arrive.' : 'No request matches the filter.'}
          </span>
        </p>
      )}
    </div>
  );
}

/** The rows that are seen. When rows are added above them, they stay where they are. */
function useVisible(table: { current: HTMLDivElement | null }, rows: readonly Row[]): { first: number; last: number } {
  const [view, setView] = useState({ top: 0, height: 800 });
  const newest = useRef<string | undefined>(undefined);
  useEffect(() => {
    const { current } = table;
    if (current === null) return undefined;
    const update = (): void => setView({ top: current.scrollTop, height: current.clientHeight });
    const observer = new ResizeObserver(update);
    observer.observe(current);
    current.addEventListener('scroll', update, { passive: true });
    return () => {
      observer.disconnect();
      current.removeEventListener('scroll', update);
    };
  }, []);
  useLayoutEffect(() => {
    const { current } = table;
    const added = rows.findIndex((row) => keyOf(row) === newest.current);
    if (current !== null && current.scrollTop > 0 && added > 0) current.scrollTop += added * ROW_HEIGHT;
    newest.current = rows[0] && keyOf(rows[0]);
  }, [rows]);
  const first = Math.max(0, Math.floor(view.top / ROW_HEIGHT) - EXTRA_ROWS);
  return { first, last: Math.min(rows.length, first + Math.ceil(view.height / ROW_HEIGHT) + 2 * EXTRA_ROWS) };
}

function reveal(table: HTMLDivElement, index: number): void {
  const top = index * ROW_HEIGHT;
  const height = table.clientHeight - 2 * ROW_HEIGHT;
  if (top < table.scrollTop) table.scrollTop = top;
  else if (top > table.scrollTop + height) table.scrollTop = top - height;
}

function LogRow(props: {
  readonly row: Row;
  readonly index: number;
  readonly isSelected: boolean;
  readonly onSelect: () => void;
}): JSX.Element {
  const { row, index, isSelected, onSelect } = props;
  const marks = row.errors + row.notes;
  return (
    <div
      class={`row${isSelected ? ' selected' : ''}${row.errors > 0 ? ' wrong' : ''}`}
      role="row"
      id={`row-${index}`}
      aria-rowindex={index + 2}
      aria-selected={isSelected}
      style={{ top: `${index * ROW_HEIGHT}px` }}
      onClick={onSelect}
    >
      <span role="gridcell">{formatTime(row.receivedAt)}</span>
      <span role="gridcell" class="dim">
        {row.session}
      </span>
      <span role="gridcell" class="method">
        {row.method}
      </span>
      <span role="gridcell" class="path" title={row.url}>
        {row.url}
      </span>
      <span role="gridcell" class="dim" title={row.operation ?? undefined}>
        {row.operation ?? '—'}
      </span>
      <span role="gridcell">
        <Status code={row.status} />
        {marks > 0 && (
          <span class={row.errors > 0 ? 'mark error' : 'mark'} title={describeMarks(row)}>
            {marks}
          </span>
        )}
      </span>
      <span role="gridcell" class="number">
        {row.elapsedMs.toFixed(row.elapsedMs < 10 ? 1 : 0)}
      </span>
      <span role="gridcell" class="dim" title={row.from}>
        {row.fault === undefined ? row.from : `${row.from} (${row.fault})`}
      </span>
    </div>
  );
}

function describeMarks({ errors, notes }: Row): string {
  const parts = [
    errors > 0 ? `${errors} violation${errors === 1 ? '' : 's'}` : '',
    notes > 0 ? `${notes} note${notes === 1 ? '' : 's'}` : '',
  ];
  return parts.filter(Boolean).join(', ');
}

/** The local time with milliseconds. */
function formatTime(instant: string): string {
  const date = new Date(instant);
  return `${date.toLocaleTimeString(undefined, { hour12: false })}.${String(date.getMilliseconds()).padStart(3, '0')}`;
}
