import { type CountedEntry, isGenerated, type Usage } from './usage.js';

/** What decides about the place of an entry. */
interface Row {
  readonly id: string;
  readonly sequence: number;
}

type CountedRow = Row & CountedEntry;

/** The entries of a list in the order of their sequences, by id, and those that were removed. */
export interface Rows<Entry extends Row> {
  readonly entries: Entry[];
  readonly byId: Map<string, Entry>;
  /** Removed entries, so that a cursor on one of them keeps its position. */
  readonly removed: Map<string, Entry>;
}

/** The rows of an empty list, which are never written to. */
export const NO_ROWS: Rows<never> = { entries: [], byId: new Map<string, never>(), removed: new Map<string, never>() };

/** A copy that can be written to. */
export function toOwnRows<Entry extends Row>({ entries, byId, removed }: Rows<Entry>): Rows<Entry> {
  return { entries: [...entries], byId: new Map(byId), removed: new Map(removed) };
}

/** Adds an entry as the newest one, also where another one has its id. */
export function addRow<Entry extends CountedRow>(
  { entries, byId, removed }: Rows<Entry>,
  entry: Entry,
  usage: Usage,
): Entry {
  const before = byId.get(entry.id);
  deleteRow(entries, before);
  entries.push(entry);
  byId.set(entry.id, entry);
  usage.changeRemoved(removed.get(entry.id), undefined);
  removed.delete(entry.id);
  usage.change(before, entry);
  usage.check();
  return entry;
}

/** Replaces an entry by its changed form. */
export function replaceRow<Entry extends CountedRow>(
  { entries, byId }: Rows<Entry>,
  [before, after]: readonly [Entry, Entry],
  usage: Usage,
): Entry {
  entries[findIndex(entries, before.sequence)] = after;
  byId.set(after.id, after);
  usage.change(before, after);
  if (after.size > before.size) usage.check();
  return after;
}

/** Gives an entry another id; an entry of that id is removed. */
export function renameRow<Entry extends CountedRow>(
  { entries, byId, removed }: Rows<Entry>,
  [id, to]: readonly [id: string, to: string],
  usage: Usage,
): Entry | undefined {
  const before = byId.get(id);
  if (before === undefined || id === to) return before;
  const replaced = byId.get(to);
  deleteRow(entries, replaced);
  usage.change(replaced, undefined);
  usage.changeRemoved(removed.get(to), before);
  const entry = { ...before, id: to };
  entries[findIndex(entries, before.sequence)] = entry;
  byId.delete(id);
  byId.set(to, entry);
  removed.delete(to);
  removed.set(id, before);
  return entry;
}

/** Restores what is known about an id. */
export function restoreRow<Entry extends Row>(
  { entries, byId, removed }: Rows<Entry>,
  id: string,
  before: { readonly entry: Entry | undefined; readonly removed: Entry | undefined },
): void {
  deleteRow(entries, byId.get(id));
  if (before.entry !== undefined) entries.splice(findIndex(entries, before.entry.sequence), 0, before.entry);
  putOrDelete(byId, id, before.entry);
  putOrDelete(removed, id, before.removed);
}

/** The index of the first entry with at least this sequence: entries are in the order of their sequences. */
export function findIndex(entries: readonly Row[], sequence: number): number {
  let low = 0;
  let high = entries.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    // `low <= middle < high`, so the entry exists.
    if ((entries[middle] as Row).sequence < sequence) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Removes an entry where there is one. */
export function deleteRow<Entry extends Row>(entries: Entry[], entry: Entry | undefined): void {
  if (entry !== undefined) entries.splice(findIndex(entries, entry.sequence), 1);
}

function putOrDelete<Entry>(map: Map<string, Entry>, id: string, entry: Entry | undefined): void {
  if (entry === undefined) map.delete(id);
  else map.set(id, entry);
}

/** Marks every scope of a collection; no scope has this name. */
export const EVERY_SCOPE = '\0';

/** The mark of the initial items of a part of the top-level list. */
export function toPartMark(part: string): string {
  return `?${part}`;
}

interface OnDemandRow extends Row {
  readonly onDemand?: unknown;
  readonly revision: number;
  readonly part?: string | undefined;
}

interface RowList {
  readonly entries: readonly OnDemandRow[];
  readonly removed: readonly OnDemandRow[];
}

/** The older half of the marks of lists and parts that have only their initial items, unchanged. */
export function findUntouched(lists: ReadonlyMap<string, RowList>, marks: ReadonlySet<string>): ReadonlySet<string> {
  const top = lists.get('');
  const others = [...(top?.removed ?? []), ...(top?.entries ?? []).filter((entry) => !isGenerated(entry))];
  const touched = new Set(others.map(({ part = '' }) => toPartMark(part)));
  const isUntouched = (mark: string): boolean => {
    if (mark.startsWith('?')) return !touched.has(mark);
    const list = lists.get(mark);
    return list === undefined || (list.removed.length === 0 && list.entries.every(isGenerated));
  };
  return new Set(olderHalf([...marks].filter((mark) => mark !== '' && mark !== EVERY_SCOPE && isUntouched(mark))));
}

/** The first half of an array. */
export function olderHalf<T>(oldestFirst: readonly T[]): readonly T[] {
  return oldestFirst.slice(0, Math.ceil(oldestFirst.length / 2));
}
