import { type CountedEntry, isGenerated, type Swept, type Usage, type Writes } from './usage.js';

/** What decides about the place of an entry. */
interface Row {
  readonly id: string;
  readonly sequence: number;
  readonly content?: unknown;
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

/** A removed entry, whose content, which may be large, is not needed any more. */
export function toRemembered<Entry extends { readonly content?: unknown }>(entry: Entry): Entry {
  return entry.content === undefined ? entry : { ...entry, content: undefined, size: 0 };
}

/** The same rows after the removal of all of them. */
export function withoutRows<Entry extends Row>({ entries, removed }: Rows<Entry>): Rows<Entry> {
  const remembered = new Map(removed);
  for (const entry of entries) remembered.set(entry.id, toRemembered(entry));
  return { entries: [], byId: new Map(), removed: remembered };
}

/** Rows that also remember as removed what others hold or remember. */
export function recallRows<Entry extends Row>(rows: Rows<Entry>, others: Rows<Entry> = NO_ROWS): Rows<Entry> {
  const { byId, removed } = rows;
  const isUnknown = ({ id }: Entry): boolean => !byId.has(id) && !removed.has(id);
  const lost = [...others.removed.values(), ...others.entries].filter(isUnknown);
  if (lost.length === 0) return rows;
  return { ...rows, removed: new Map([...removed, ...lost.map((entry) => [entry.id, toRemembered(entry)] as const)]) };
}

/** The same rows without some of them. */
export function discardRows<Entry extends CountedRow>(
  { entries, byId, removed }: Rows<Entry>,
  { evicted, forgotten }: { readonly evicted: readonly Entry[]; readonly forgotten: readonly Entry[] },
  usage: Usage,
): Rows<Entry> {
  for (const { id } of evicted) byId.delete(id);
  for (const { id } of forgotten) removed.delete(id);
  usage.countAll({ entries: evicted, removed: new Map(forgotten.map((entry) => [entry.id, entry])) }, -1);
  return { entries: entries.filter(({ id }) => byId.has(id)), byId, removed };
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
function findUntouched(lists: ReadonlyMap<string, RowList>, marks: ReadonlySet<string>): ReadonlySet<string> {
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
function olderHalf<T>(oldestFirst: readonly T[]): readonly T[] {
  return oldestFirst.slice(0, Math.ceil(oldestFirst.length / 2));
}

/** Finds the scopes below another one, whatever the number of all scopes. */
export interface ScopeIndex {
  add(scope: string): void;
  remove(scope: string): void;
  /** A scope and those below it. */
  listFrom(scope: string): readonly string[];
  /** Forgets all scopes; those that there are then are added with the next use. */
  clear(): void;
}

/** Creates the index of the scopes of a collection; most collections never use it. */
export function createScopeIndex(list: () => readonly string[]): ScopeIndex {
  let below: Map<string, Set<string>> | undefined;
  const add: ScopeIndex['add'] = (scope) => {
    if (below === undefined) return;
    for (const above of listAbove(scope)) {
      const scopes = below.get(above);
      if (scopes === undefined) below.set(above, new Set([scope]));
      else scopes.add(scope);
    }
  };
  return {
    add,
    remove: (scope) => {
      for (const above of below === undefined ? [] : listAbove(scope)) {
        const scopes = below?.get(above);
        if (scopes?.delete(scope) === true && scopes.size === 0) below?.delete(above);
      }
    },
    listFrom: (scope) => {
      if (below === undefined) {
        below = new Map();
        for (const each of list()) add(each);
      }
      return [scope, ...(below.get(scope) ?? [])];
    },
    clear: () => (below = undefined),
  };
}

/** The scopes above a scope: `a` and `a/b` for `a/b/c`. */
function listAbove(scope: string): readonly string[] {
  const above: string[] = [];
  for (let end = scope.indexOf('/'); end >= 0; end = scope.indexOf('/', end + 1)) above.push(scope.slice(0, end));
  return above;
}

interface CountedList {
  readonly number: number;
  count(sign: 1 | -1): void;
}

/** The lists of a collection by their scopes, and which of them have their initial items. */
interface ScopedLists<List> {
  readonly lists: Map<string, List>;
  readonly seeded: Set<string>;
}

type IndexedWrites = Writes & { readonly index: ScopeIndex };

/** Removes the lists and marks of a scope and those below it. */
export function dropScope<List extends CountedList>(
  { lists, seeded }: ScopedLists<List>,
  scope: string,
  { index, log, usage }: IndexedWrites,
): void {
  const scopes = index.listFrom(scope);
  const dropped = scopes.flatMap((each) => {
    const list = lists.get(each);
    return list === undefined ? [] : [[each, list] as const];
  });
  const marks = scopes.filter((each) => seeded.delete(each));
  if (dropped.length + marks.length === 0) return;
  for (const each of scopes) {
    lists.delete(each);
    index.remove(each);
  }
  for (const [, list] of dropped) list.count(-1);
  usage.changeMarks(-marks.length);
  log?.push(() => {
    for (const each of scopes) index.add(each);
    for (const mark of marks) seeded.add(mark);
    for (const [, list] of dropped) list.count(1);
    usage.changeMarks(marks.length);
    // In the order in which they were opened.
    const all = [...lists, ...dropped].toSorted(([, one], [, other]) => one.number - other.number);
    lists.clear();
    for (const [each, list] of all) lists.set(each, list);
  });
}

interface SweptList<Row extends OnDemandRow> extends CountedList {
  readonly entries: readonly Row[];
  readonly removed: readonly Row[];
  discard(evicted: readonly Row[], forgotten: readonly Row[]): void;
}

/** Which lists have their initial items, and the removal of the oldest of those that no request changed. */
export function createSeeding<Row extends OnDemandRow>(
  data: ScopedLists<SweptList<Row>>,
  { index, log, usage }: IndexedWrites,
): {
  isSeeded(scope: string): boolean;
  markSeeded(scope: string): void;
  sweep(what: Swept): void;
} {
  return {
    isSeeded: (scope) => data.seeded.has(scope) || data.seeded.has(EVERY_SCOPE),
    markSeeded: (scope) => {
      const { seeded } = data;
      if (seeded.has(scope)) return;
      seeded.add(scope);
      index.add(scope);
      usage.changeMarks(1);
      log?.push(() => {
        seeded.delete(scope);
        usage.changeMarks(-1);
      });
    },
    sweep: (what) => {
      const { lists, seeded } = data;
      if (what === 'removed') {
        for (const list of lists.values()) list.discard([], olderHalf(list.removed));
        return;
      }
      const untouched = findUntouched(lists, seeded);
      for (const mark of untouched) {
        lists.get(mark)?.count(-1);
        lists.delete(mark);
        seeded.delete(mark);
        index.remove(mark);
      }
      usage.changeMarks(-untouched.size);
      for (const list of lists.values()) {
        const generated = list.entries.filter(isGenerated);
        const ofParts = generated.filter(({ part = '' }) => part !== '' && untouched.has(toPartMark(part)));
        list.discard([...olderHalf(generated.filter(({ onDemand }) => onDemand === 'id')), ...ofParts], []);
      }
    },
  };
}
