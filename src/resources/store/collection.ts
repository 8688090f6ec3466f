import {
  createList,
  NO_ROWS,
  type StoredItem,
  type EntryChange,
  type Item,
  type ItemList,
  type ListDump,
  type NewEntry,
  type WritableList,
} from './lists/item-list.js';
import { createUsage, isGenerated, type Swept, type Usage, type Writes } from './lists/usage.js';

/** The effect of a request for an id without an item: it creates the item, or is answered with 404. */
export type UnknownIds = 'create' | 'not-found';

/**
 * One named collection, read-only: a list of items, or, where its items have parents, one list for each parent.
 *
 * A `scope` names the parent: `''` at the top level, else the ids of the parents, outermost first, joined by `toScope`.
 */
export interface Collection {
  readonly name: string;
  /** Default values of a created item. */
  readonly defaults: Item;
  /** The setting of its fixture for unknown ids. */
  readonly unknownIds: UnknownIds | undefined;
  /** Whether it has fixtures: then unknown ids are not found unless something else is configured. */
  readonly started: boolean;
  /** The items of one scope; an empty list where there are none. */
  list(scope?: string): ItemList;
  /** Scopes that hold or held items. */
  readonly scopes: readonly string[];
  get(id: string, scope?: string): StoredItem | undefined;
  /** Whether the initial items of a scope were created, for a collection whose items are created on demand. */
  isSeeded(scope: string): boolean;
}

/** A collection inside a transaction of its store. */
export interface WritableCollection extends Collection {
  /** Adds an item as the newest one; an item of the same id is replaced. */
  add(entry: NewEntry, scope?: string): StoredItem;
  update(id: string, change: EntryChange, scope?: string): StoredItem | undefined;
  remove(id: string, scope?: string): StoredItem | undefined;
  /** Gives an item another id and keeps its place; an item of that id is replaced. */
  rename(id: string, to: string, scope?: string): StoredItem | undefined;
  /** Removes every list below a scope: `toScope('vs_1')` and `toScope('vs_1', 'file_2')` for `toScope('vs_1')`. */
  dropScope(scope: string): void;
  /** Counts the creates of this collection, from 1; new ids are generated from it. */
  nextNumber(): number;
  /** @param scope - `EVERY_SCOPE` for all scopes, including those that do not exist yet; `toPartMark` for a part of the top-level list. */
  markSeeded(scope: string): void;
  /** Copies in constant time; the first write on either side copies the list it changes. @param writes - The records of writes of the copy. */
  copy(writes?: Writes): WritableCollection;
  /** All that the collection holds, as plain data. */
  dump(): CollectionDump;
  /** Holds what was written of another collection, instead. */
  load(dump: CollectionDump): void;
  /** Removes the older half of the items that the mock creates again when they are requested, or forgets that of the removed ones. */
  sweep(what: Swept): void;
}

/** The state of a collection, as plain data; the content of items is bytes. */
export interface CollectionDump {
  readonly lists: readonly ListDump[];
  readonly seeded: readonly string[];
  readonly created: number;
  readonly opened: number;
}

/** Every item of a collection with its scope. */
export function listEntries({ scopes, list }: Collection): readonly (readonly [scope: string, entry: StoredItem])[] {
  return scopes.flatMap((scope) => list(scope).entries.map((entry) => [scope, entry] as const));
}

/** The scope of items whose parents have these ids, outermost first; `''` without parents. */
export function toScope(...ids: readonly string[]): string {
  return ids.map((id) => id.replaceAll('%', '%25').replaceAll('/', '%2F')).join('/');
}

/** The parent ids that a scope was made from. */
export function readScope(scope: string): readonly string[] {
  return scope === '' ? [] : scope.split('/').map((id) => id.replaceAll('%2F', '/').replaceAll('%25', '%'));
}

/** The scope of what lives under an item of another scope. */
export function toChildScope(scope: string, id: string): string {
  return scope === '' ? toScope(id) : `${scope}/${toScope(id)}`;
}

/** Marks every scope of a collection; no scope has this name. */
export const EVERY_SCOPE = '\0';

/** The mark of the initial items of a part of the top-level list. */
export function toPartMark(part: string): string {
  return `?${part}`;
}

/** An empty collection. */
export function createCollection(facts: CollectionFacts): WritableCollection {
  const data = { lists: new Map<string, WritableList>(), seeded: new Set<string>(), created: 0, opened: 0 };
  return createCollectionFrom(facts, data, { usage: createUsage() });
}

type CollectionFacts = Pick<Collection, 'name' | 'defaults' | 'unknownIds' | 'started'>;

interface CollectionData {
  lists: Map<string, WritableList>;
  seeded: Set<string>;
  /** The number of the last create. */
  created: number;
  /** The number of the list that was opened last. */
  opened: number;
}

function createCollectionFrom(facts: CollectionFacts, data: CollectionData, given: Writes): WritableCollection {
  const writes = { index: createScopeIndex(() => [...data.lists.keys(), ...data.seeded]), ...given };
  const empty = createList({ rows: NO_ROWS, sequence: 1, number: 0 }, given.usage);
  return {
    list: (scope = '') => data.lists.get(scope) ?? empty,
    get scopes() {
      return [...data.lists.keys()];
    },
    get: (id, scope = '') => data.lists.get(scope)?.get(id),
    isSeeded: (scope) => data.seeded.has(scope) || data.seeded.has(EVERY_SCOPE),
    copy: (other = { usage: createUsage() }) => createCollectionFrom(facts, copyData(data, other.usage), other),
    dump: () => dumpData(data),
    ...facts,
    ...createItemWrites(facts.name, data, writes),
    ...createListWrites(facts.name, data, writes),
  };
}

/** Finds the scopes below another one, whatever the number of all scopes. */
interface ScopeIndex {
  add(scope: string): void;
  remove(scope: string): void;
  /** A scope and those below it. */
  listFrom(scope: string): readonly string[];
  /** Forgets all scopes; those that there are then are added with the next use. */
  clear(): void;
}

type IndexedWrites = Writes & { readonly index: ScopeIndex };

/** Creates the index of the scopes of a collection; most collections never use it. */
function createScopeIndex(list: () => readonly string[]): ScopeIndex {
  let below: Map<string, Set<string>> | undefined;
  const add: ScopeIndex['add'] = (scope) => {
    for (const above of below === undefined ? [] : listAbove(scope))
      below?.set(above, (below.get(above) ?? new Set()).add(scope));
  };
  return {
    add,
    remove: (scope) => {
      for (const above of below === undefined ? [] : listAbove(scope)) below?.get(above)?.delete(scope);
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

/** Tells a write before it is made, with its arguments as plain data, where other processes repeat it. */
function createTell(name: string, { record }: Writes): (method: string, ...args: readonly unknown[]) => void {
  return (method, ...args) => record?.(name, method, args);
}

/** The writes of single items. Repeated in their order they have the same result: sequences, revisions and numbers are not part of them. */
function createItemWrites(
  name: string,
  data: CollectionData,
  writes: IndexedWrites,
): Pick<WritableCollection, 'add' | 'remove' | 'rename' | 'update'> {
  const { log } = writes;
  const tell = createTell(name, writes);
  /** The list of an existing item, which is about to change. */
  const listWith = (id: string, scope: string): WritableList | undefined => {
    const list = data.lists.get(scope);
    if (list?.get(id) === undefined) return undefined;
    log?.push(list.mark(id));
    return list;
  };
  return {
    add: (entry, scope = '') => {
      tell('add', entry, scope);
      const list = data.lists.get(scope) ?? openList(data, scope, writes);
      log?.push(list.mark(entry.id));
      return list.add(entry);
    },
    update: (id, change, scope = '') => {
      // JSON has no undefined: such members are named.
      const removed = Object.entries(change).flatMap(([key, value]) => (value === undefined ? [key] : []));
      tell('update', id, change, scope, removed);
      return listWith(id, scope)?.update(id, change);
    },
    remove: (id, scope = '') => {
      tell('remove', id, scope);
      return listWith(id, scope)?.remove(id);
    },
    rename: (id, to, scope = '') => {
      tell('rename', id, to, scope);
      const list = listWith(id, scope);
      if (list !== undefined) log?.push(list.mark(to));
      return list?.rename(id, to);
    },
  };
}

/** The writes of whole lists, and of what is known about them. */
function createListWrites(
  name: string,
  data: CollectionData,
  writes: IndexedWrites,
): Pick<WritableCollection, 'dropScope' | 'load' | 'markSeeded' | 'nextNumber' | 'sweep'> {
  const { log, usage, index } = writes;
  const tell = createTell(name, writes);
  return {
    dropScope: (scope) => {
      tell('dropScope', scope);
      dropScope(data, scope, writes);
    },
    nextNumber: () => {
      tell('nextNumber');
      data.created += 1;
      log?.push(() => void (data.created -= 1));
      return data.created;
    },
    markSeeded: (scope) => {
      tell('markSeeded', scope);
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
    load: (dump) => {
      tell('load', dump);
      loadData(data, dump, writes);
    },
    sweep: (what) => {
      tell('sweep', what);
      sweep(data, what, writes);
    },
  };
}

function openList(data: CollectionData, scope: string, { log, usage, index }: IndexedWrites): WritableList {
  const { lists } = data;
  const list = createList({ rows: NO_ROWS, sequence: 1, number: (data.opened += 1) }, usage);
  lists.set(scope, list);
  index.add(scope);
  log?.push(() => {
    lists.delete(scope);
    index.remove(scope);
  });
  return list;
}

/** Removes the lists and marks of a scope and those below it. */
function dropScope({ lists, seeded }: CollectionData, scope: string, { log, usage, index }: IndexedWrites): void {
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

/** Removes the oldest lists and items that no request changed, or forgets removed items. */
function sweep(data: CollectionData, what: Swept, { usage, index }: IndexedWrites): void {
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
}

/** The older half of the marks of lists and parts that have only their initial items, unchanged. */
function findUntouched({ lists, seeded }: CollectionData): ReadonlySet<string> {
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

/** Copies of all lists in constant time, and what else there is to copy. */
function copyData(data: CollectionData, usage: Usage): CollectionData {
  const lists = new Map([...data.lists].map(([scope, list]) => [scope, list.copy(usage)]));
  return { ...data, lists, seeded: new Set(data.seeded) };
}

/** A write of a collection as other processes repeat it. */
export function repeatWrite(collection: WritableCollection, method: string, args: readonly unknown[]): void {
  if (method === 'update') {
    // As `createItemWrites` has recorded them.
    const [id, change, scope, removed] = args as [string, object, string, readonly string[]];
    const missing = Object.fromEntries(removed.map((key) => [key, undefined]));
    collection.update(id, { ...change, ...missing }, scope);
    return;
  }
  // Recorded by one of the methods.
  const write = (collection as unknown as Record<string, ((...args: readonly unknown[]) => void) | undefined>)[method];
  write?.(...args);
}

function dumpData({ lists, seeded, created, opened }: CollectionData): CollectionDump {
  const toPlain = (entry: StoredItem): StoredItem => ({ ...entry, isDeclared: undefined, listed: undefined });
  const dumped = [...lists].map(([scope, { rows, sequence, number }]) => ({
    scope,
    entries: rows.entries.map(toPlain),
    removed: [...rows.removed.values()].map(toPlain),
    sequence,
    number,
  }));
  return { lists: dumped, seeded: [...seeded], created, opened };
}

function loadData(data: CollectionData, dump: CollectionDump, writes: IndexedWrites): void {
  const { log, usage } = writes;
  const byId = (entries: readonly StoredItem[]): Map<string, StoredItem> =>
    new Map(entries.map((entry) => [entry.id, entry]));
  const lists = dump.lists.map(({ scope, entries, removed, sequence, number }) => {
    const rows = { entries: [...entries], byId: byId(entries), removed: byId(removed) };
    return [scope, createList({ rows, sequence, number }, usage)] as const;
  });
  const before = { ...data };
  const created = Math.max(data.created, dump.created);
  const next = { ...dump, created, lists: new Map(lists), seeded: new Set(dump.seeded) };
  replaceData(data, next, writes);
  log?.push(() => replaceData(data, before, writes));
}

function replaceData(data: CollectionData, next: CollectionData, { usage, index }: IndexedWrites): void {
  index.clear();
  for (const list of data.lists.values()) list.count(-1);
  for (const list of next.lists.values()) list.count(1);
  usage.changeMarks(next.seeded.size - data.seeded.size);
  const { lists, seeded, created, opened } = next;
  Object.assign(data, { lists, seeded, created, opened });
}
