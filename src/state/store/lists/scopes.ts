import type { WritableList } from './item-list.js';
import { isGenerated, type Swept, type Writes } from './usage.js';

/** Marks every scope of a collection; no scope has this name. */
export const EVERY_SCOPE = '\0';

/** The mark of the initial items of a part of the top-level list. */
export function toPartMark(part: string): string {
  return `?${part}`;
}

/** The lists of a collection by their scopes, and which of them have their initial items. */
interface ScopedLists {
  readonly lists: Map<string, WritableList>;
  readonly seeded: Set<string>;
}

/** The older half of the marks of lists and parts that have only their initial items, unchanged. */
function findUntouched({ lists, seeded }: ScopedLists): ReadonlySet<string> {
  const top = lists.get('');
  const others = [...(top?.removed ?? []), ...(top?.entries ?? []).filter((entry) => !isGenerated(entry))];
  const touched = new Set(others.map(({ part = '' }) => toPartMark(part)));
  const isUntouched = (mark: string): boolean => {
    if (mark.startsWith('?')) return !touched.has(mark);
    const list = lists.get(mark);
    return list === undefined || (list.removed.length === 0 && list.entries.every(isGenerated));
  };
  return new Set(olderHalf([...seeded].filter((mark) => mark !== '' && mark !== EVERY_SCOPE && isUntouched(mark))));
}

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
    for (const above of below === undefined ? [] : listAbove(scope))
      below?.set(above, (below.get(above) ?? new Set()).add(scope));
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

/** What the writes of a collection are recorded in, with the index of its scopes. */
export type IndexedWrites = Writes & { readonly index: ScopeIndex };

/** Removes the lists and marks of a scope and those below it. */
export function dropScope({ lists, seeded }: ScopedLists, scope: string, { index, log, usage }: IndexedWrites): void {
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

/** Which lists have their initial items, and the removal of the oldest of those that no request changed. */
export function createSeeding(
  data: ScopedLists,
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
      const untouched = findUntouched(data);
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
