import {
  createList,
  NO_ROWS,
  recallRows,
  withoutRows,
  type Entry,
  type EntryChange,
  type EntryRows,
  type Item,
  type ItemList,
  type ListDump,
  type NewEntry,
  type WritableList,
} from './lists/item-list.js';
import { createScopeIndex, createSeeding, dropScope, type IndexedWrites } from './lists/scopes.js';
import { createUsage, type RecordWrite, type Swept, type Usage, type Writes } from './lists/usage.js';

/** What a request for an id without an item does: it creates the item, or is answered with 404. */
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
  /** What its fixture says about unknown ids. */
  readonly unknownIds: UnknownIds | undefined;
  /** Whether it has fixtures: then unknown ids are not found unless something else is configured. */
  readonly started: boolean;
  /** The items of one scope; an empty list where there are none. */
  list(scope?: string): ItemList;
  /** Scopes that hold or held items. */
  readonly scopes: readonly string[];
  get(id: string, scope?: string): Entry | undefined;
  /** Whether the initial items of a scope were created, for a collection whose items are created on demand. */
  isSeeded(scope: string): boolean;
}

/** A collection inside a transaction of its store. */
export interface WritableCollection extends Collection {
  /** Adds an item as the newest one; an item of the same id is replaced. */
  add(entry: NewEntry, scope?: string): Entry;
  update(id: string, change: EntryChange, scope?: string): Entry | undefined;
  remove(id: string, scope?: string): Entry | undefined;
  /** Gives an item another id and keeps its place; an item of that id is replaced. */
  rename(id: string, to: string, scope?: string): Entry | undefined;
  /** Removes every list below a scope: `toScope('vs_1')` and `toScope('vs_1', 'file_2')` for `toScope('vs_1')`. */
  dropScope(scope: string): void;
  /** Counts the creates of this collection, from 1; new ids are generated from it. */
  nextNumber(): number;
  /** @param scope - `EVERY_SCOPE` for all scopes, including those that do not exist yet; `toPartMark` for a part of the top-level list. */
  markSeeded(scope: string): void;
  /**
   * Copies in constant time; the first write on either side copies the list it changes.
   *
   * @param writes - What the copy's writes are recorded in.
   */
  copy(writes?: Writes): WritableCollection;
  /** All that the collection holds, as plain data. */
  dump(): CollectionDump;
  /** Holds what was written of another collection, instead. */
  load(dump: CollectionDump): void;
  /** The same without items: they are removed from it, but not what depends on them. */
  copyEmpty(): WritableCollection;
  /** Takes over all items of a copy; those that were added here since then are removed. */
  adopt(copy: WritableCollection): void;
  /** Copies of all lists in constant time, where their rows are not changed, and what else there is to copy. */
  copyData(usage: Usage, change?: (rows: EntryRows, scope: string) => EntryRows): CollectionData;
  /** Removes the older half of the items that the mock creates again when they are requested, or forgets that of the removed ones. */
  sweep(what: Swept): void;
}

/** What a collection holds, as plain data; the content of items is bytes. */
export interface CollectionDump {
  readonly lists: readonly ListDump[];
  readonly seeded: readonly string[];
  readonly created: number;
  readonly opened: number;
}

/** Every item of a collection with its scope. */
export function listEntries({ scopes, list }: Collection): readonly (readonly [scope: string, entry: Entry])[] {
  return scopes.flatMap((scope) => list(scope).entries.map((entry) => [scope, entry] as const));
}

/** The scope of items whose parents have these ids, outermost first; `''` without parents. */
export function toScope(...ids: readonly string[]): string {
  return ids.map(escapeId).join('/');
}

/** The parent ids that a scope was made from. */
export function readScope(scope: string): readonly string[] {
  return scope === '' ? [] : scope.split('/').map((id) => id.replaceAll('%2F', '/').replaceAll('%25', '%'));
}

/** The scope of what lives under an item of another scope. */
export function toChildScope(scope: string, id: string): string {
  return scope === '' ? toScope(id) : `${scope}/${toScope(id)}`;
}

function escapeId(id: string): string {
  return id.replaceAll('%', '%25').replaceAll('/', '%2F');
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

function createCollectionFrom(facts: CollectionFacts, data: CollectionData, writes: Writes): WritableCollection {
  const { log, usage } = writes;
  const empty = createList({ rows: NO_ROWS, sequence: 1, number: 0 }, usage);
  const index = createScopeIndex(() => [...data.lists.keys(), ...data.seeded]);
  const indexed = { index, ...writes };
  const copyData: WritableCollection['copyData'] = (other, change = (rows) => rows) => ({
    ...data,
    lists: new Map([...data.lists].map(([scope, list]) => [scope, list.copy(other, (rows) => change(rows, scope))])),
    seeded: new Set(data.seeded),
  });
  /** The list of an existing item, which is about to change. */
  const listWith = (id: string, scope: string): WritableList | undefined => {
    const list = data.lists.get(scope);
    if (list?.get(id) === undefined) return undefined;
    log?.push(list.mark(id));
    return list;
  };
  const collection: WritableCollection = {
    list: (scope = '') => data.lists.get(scope) ?? empty,
    get scopes() {
      return [...data.lists.keys()];
    },
    get: (id, scope = '') => data.lists.get(scope)?.get(id),
    add: (entry, scope = '') => {
      const list = data.lists.get(scope) ?? openList(data, scope, indexed);
      log?.push(list.mark(entry.id));
      return list.add(entry);
    },
    update: (id, change, scope = '') => listWith(id, scope)?.update(id, change),
    remove: (id, scope = '') => listWith(id, scope)?.remove(id),
    rename: (id, to, scope = '') => {
      const list = listWith(id, scope);
      if (list !== undefined) log?.push(list.mark(to));
      return list?.rename(id, to);
    },
    dropScope: (scope) => dropScope(data, scope, indexed),
    nextNumber: () => {
      data.created += 1;
      log?.push(() => void (data.created -= 1));
      return data.created;
    },
    copyData,
    copy: (other = { usage: createUsage() }) => createCollectionFrom(facts, copyData(other.usage), other),
    copyEmpty: () => createCollectionFrom(facts, copyData(createUsage(), withoutRows), { usage: createUsage() }),
    adopt: (copy) => adoptData(data, copy, indexed),
    dump: () => dumpData(data),
    load: (dump) => loadData(data, dump, indexed),
    ...facts,
    ...createSeeding(data, indexed),
  };
  if (writes.record === undefined) return collection;
  return recordWrites(collection, writes.record, (what) => {
    const before = copyData(usage);
    log?.push(() => replaceData(data, before, indexed));
    collection.sweep(what);
  });
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

function adoptData(data: CollectionData, copy: WritableCollection, indexed: IndexedWrites): void {
  const { log, usage } = indexed;
  const before = { ...data };
  const next = copy.copyData(usage, (rows, scope) => recallRows(rows, before.lists.get(scope)?.rows));
  for (const [scope, { rows, number }] of before.lists) {
    if (next.lists.has(scope)) continue;
    next.lists.set(scope, createList({ rows: recallRows(NO_ROWS, rows), sequence: 1, number }, usage));
  }
  replaceData(data, { ...next, created: Math.max(before.created, next.created) }, indexed);
  log?.push(() => replaceData(data, before, indexed));
  usage.check();
}

/** A write of a collection as other processes repeat it. */
export function repeatWrite(collection: WritableCollection, method: string, args: readonly unknown[]): void {
  if (method === 'update') {
    // As `recordWrites` has recorded them.
    const [id, change, scope, removed] = args as [string, object, string, readonly string[]];
    const missing = Object.fromEntries(removed.map((key) => [key, undefined]));
    collection.update(id, { ...change, ...missing }, scope);
    return;
  }
  // Recorded by one of the methods.
  const write = (collection as unknown as Record<string, ((...args: readonly unknown[]) => void) | undefined>)[method];
  write?.(...args);
}

/** The methods of a collection that change it, of which the arguments are plain data. */
const METHODS = ['add', 'remove', 'rename', 'dropScope', 'nextNumber', 'markSeeded'] as const;

/**
 * Tells each write of a collection before it is made. Repeated in the same order on a collection that holds the same, the writes have the
 * same result: sequences, revisions and numbers are not part of them.
 */
function recordWrites(
  collection: WritableCollection,
  record: RecordWrite,
  undoableSweep: WritableCollection['sweep'],
): WritableCollection {
  const { name } = collection;
  const recorded = METHODS.map((method) => {
    // Each method has other arguments.
    const write = collection[method] as (...args: unknown[]) => unknown;
    const value = (...args: unknown[]): unknown => {
      record(name, method, args);
      return write(...args);
    };
    return [method, { value, enumerable: true }] as const;
  });
  const update: WritableCollection['update'] = (id, change, scope = '') => {
    // JSON has no undefined: such members are named.
    const removed = Object.entries(change).flatMap(([key, value]) => (value === undefined ? [key] : []));
    record(name, 'update', [id, change, scope, removed]);
    return collection.update(id, change, scope);
  };
  const sweep: WritableCollection['sweep'] = (what) => {
    record(name, 'sweep', [what]);
    undoableSweep(what);
  };
  const adopt: WritableCollection['adopt'] = (copy) => {
    collection.adopt(copy);
    // What has been adopted, since the result depends on both.
    record(name, 'load', [collection.dump()]);
  };
  const changed = Object.entries({ update, adopt, sweep }).map(([key, value]) => [key, { value, enumerable: true }]);
  // Members that are computed stay so.
  const descriptors = {
    ...Object.getOwnPropertyDescriptors(collection),
    ...Object.fromEntries([...recorded, ...changed]),
  };
  return Object.defineProperties({}, descriptors) as WritableCollection;
}

function dumpData({ lists, seeded, created, opened }: CollectionData): CollectionDump {
  const toPlain = (entry: Entry): Entry => ({ ...entry, isDeclared: undefined, listed: undefined });
  const dumped = [...lists].map(([scope, { rows, sequence, number }]) => ({
    scope,
    entries: rows.entries.map(toPlain),
    removed: [...rows.removed.values()].map(toPlain),
    sequence,
    number,
  }));
  return { lists: dumped, seeded: [...seeded], created, opened };
}

function loadData(data: CollectionData, dump: CollectionDump, indexed: IndexedWrites): void {
  const { log, usage } = indexed;
  const byId = (entries: readonly Entry[]): Map<string, Entry> => new Map(entries.map((entry) => [entry.id, entry]));
  const lists = dump.lists.map(({ scope, entries, removed, sequence, number }) => {
    const rows = { entries: [...entries], byId: byId(entries), removed: byId(removed) };
    return [scope, createList({ rows, sequence, number }, usage)] as const;
  });
  const before = { ...data };
  const next = { ...dump, lists: new Map(lists), seeded: new Set(dump.seeded) };
  replaceData(data, next, indexed);
  log?.push(() => replaceData(data, before, indexed));
}

function replaceData(data: CollectionData, next: CollectionData, { usage, index }: IndexedWrites): void {
  index.clear();
  for (const list of data.lists.values()) list.count(-1);
  for (const list of next.lists.values()) list.count(1);
  usage.changeMarks(next.seeded.size - data.seeded.size);
  const { lists, seeded, created, opened } = next;
  Object.assign(data, { lists, seeded, created, opened });
}
