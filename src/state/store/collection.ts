import {
  addRow,
  createScopeIndex,
  createSeeding,
  deleteRow,
  discardRows,
  dropScope,
  NO_ROWS,
  recallRows,
  renameRow,
  replaceRow,
  restoreRow,
  type Rows,
  toOwnRows,
  toRemembered,
  withoutRows,
} from './rows.js';
import { createUsage, measureEntry, type Swept, type UndoLog, type Usage, type Writes } from './usage.js';

/** What a request for an id without an item does: it creates the item, or is answered with 404. */
export type UnknownIds = 'create' | 'not-found';

/** One JSON object of a collection. */
export type Item = Readonly<Record<string, unknown>>;

/** The bytes behind an item, such as those of a file. */
export interface ItemContent {
  readonly bytes: Uint8Array;
  /** Undefined where it is not known. */
  readonly mediaType: string | undefined;
}

/** What a new entry is made from. */
export interface NewEntry {
  readonly id: string;
  readonly item: Item;
  readonly content?: ItemContent | undefined;
  /** Properties that only the answer to the create shows, with their values. */
  readonly secrets?: Item | undefined;
  /** The parents below which it was created, where the collection is not below them and no property holds their ids. */
  readonly part?: string | undefined;
  /** What a request asked for where the mock created the item itself: its id or its list. */
  readonly onDemand?: 'id' | 'list' | undefined;
  /** When it got its status, in milliseconds since 1970, where a request created it and its status advances by itself. */
  readonly statusSince?: number | undefined;
}

/** One item with what the store knows about it. */
export interface Entry extends NewEntry {
  /** The position in the order of creation; never used twice. */
  readonly sequence: number;
  /** Counts the changes of the item, from 1. */
  readonly revision: number;
  /** Its estimated size in bytes. */
  readonly size: number;
  /** Whether its own schema declares all that is inside of the item: found when it is first shown, since that takes long. */
  isDeclared?: boolean | undefined;
  /** How a list showed the item last; other lists may show other properties of it. */
  listed?: ListedForm | undefined;
}

/** An item as a list shows it. */
export interface ListedForm {
  /** What made the form, of which item: a copy of an entry can have another one. */
  readonly by: unknown;
  readonly of: Item;
  readonly item: unknown;
  /** The JSON of the form, once it was written. */
  text?: string | undefined;
}

/** What a change of an entry replaces. */
type EntryChange = Partial<Omit<NewEntry, 'id'>>;

/** An ordered list of items by id, read-only. */
export interface ItemList {
  readonly size: number;
  /** Oldest first. Valid until the next write. */
  readonly entries: readonly Entry[];
  get(id: string): Entry | undefined;
  /** The last version of an entry, also after its removal, so that a cursor on it stays valid. */
  recall(id: string): Entry | undefined;
  /** The last versions of removed entries, oldest first. */
  readonly removed: readonly Entry[];
}

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
  /** The same without items: they are removed from it, but not what depends on them. */
  copyEmpty(): WritableCollection;
  /** Takes over all items of a copy; those that were added here since then are removed. */
  adopt(copy: WritableCollection): void;
  /** Copies of all lists in constant time, where their rows are not changed, and what else there is to copy. */
  copyData(usage: Usage, change?: (rows: EntryRows, scope: string) => EntryRows): CollectionData;
  /** Removes the older half of the items that the mock creates again when they are requested, or forgets that of the removed ones. */
  sweep(what: Swept): void;
}

/** Every item of a collection with its scope. */
export function listEntries({ scopes, list }: Collection): readonly (readonly [scope: string, entry: Entry])[] {
  return scopes.flatMap((scope) => list(scope).entries.map((entry) => [scope, entry] as const));
}

/** The scope of items whose parents have these ids, outermost first; `''` without parents. */
export function toScope(...ids: readonly string[]): string {
  if (ids.length === 1) return escapeId(ids[0] ?? '');
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
  return id.includes('/') || id.includes('%') ? id.replaceAll('%', '%25').replaceAll('/', '%2F') : id;
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
  const writable = (scope: string): WritableList => {
    const { lists } = data;
    const known = lists.get(scope);
    if (known !== undefined) return known;
    const list = createList({ rows: NO_ROWS, sequence: 1, number: (data.opened += 1) }, usage);
    lists.set(scope, list);
    index.add(scope);
    log?.push(() => {
      lists.delete(scope);
      index.remove(scope);
    });
    return list;
  };
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
  return {
    ...facts,
    list: (scope = '') => data.lists.get(scope) ?? empty,
    get scopes() {
      return [...data.lists.keys()];
    },
    get: (id, scope = '') => data.lists.get(scope)?.get(id),
    add: (entry, scope = '') => {
      const list = writable(scope);
      log?.push(list.mark(entry.id));
      return list.add(entry);
    },
    ...createChanges(listWith, log),
    ...createSeeding(data, { ...writes, index }),
    dropScope: (scope) => {
      if (data.lists.size > 0 || data.seeded.size > 0) dropScope(data, scope, { ...writes, index });
    },
    nextNumber: () => {
      data.created += 1;
      log?.push(() => void (data.created -= 1));
      return data.created;
    },
    copyData,
    copy: (other = { usage: createUsage() }) => createCollectionFrom(facts, copyData(other.usage), other),
    copyEmpty: () => createCollectionFrom(facts, copyData(createUsage(), withoutRows), { usage: createUsage() }),
    adopt: (copy) => {
      log?.push(index.clear);
      index.clear();
      adoptData(data, copy, writes);
    },
  };
}

function adoptData(data: CollectionData, copy: WritableCollection, { log, usage }: Writes): void {
  const before = { ...data };
  const next = copy.copyData(usage, (rows, scope) => recallRows(rows, before.lists.get(scope)?.rows));
  for (const [scope, { rows, number }] of before.lists) {
    if (next.lists.has(scope)) continue;
    next.lists.set(scope, createList({ rows: recallRows(NO_ROWS, rows), sequence: 1, number }, usage));
  }
  const change = (from: CollectionData, to: CollectionData): void => {
    for (const list of from.lists.values()) list.count(-1);
    for (const list of to.lists.values()) list.count(1);
    usage.changeMarks(to.seeded.size - from.seeded.size);
    Object.assign(data, to);
  };
  change(before, { ...next, created: Math.max(before.created, next.created) });
  log?.push(() => change({ ...data }, before));
  usage.check();
}

/** The changes of existing items. */
function createChanges(
  listWith: (id: string, scope: string) => WritableList | undefined,
  log: UndoLog | undefined,
): Pick<WritableCollection, 'remove' | 'rename' | 'update'> {
  return {
    update: (id, change, scope = '') => listWith(id, scope)?.update(id, change),
    remove: (id, scope = '') => listWith(id, scope)?.remove(id),
    rename: (id, to, scope = '') => {
      const list = listWith(id, scope);
      if (list !== undefined) log?.push(list.mark(to));
      return list?.rename(id, to);
    },
  };
}

interface WritableList extends ItemList {
  add(entry: NewEntry): Entry;
  update(id: string, change: EntryChange): Entry | undefined;
  remove(id: string): Entry | undefined;
  rename(id: string, to: string): Entry | undefined;
  /** A function that restores what the list knows about an id now, and the order. */
  mark(id: string): () => void;
  /** Adds all of the list to what the store holds, or subtracts it. */
  count(sign: 1 | -1): void;
  /** Removes entries as if they had never been there, and forgets removed ones. */
  discard(evicted: readonly Entry[], forgotten: readonly Entry[]): void;
  copy(usage: Usage, change: (rows: EntryRows) => EntryRows): WritableList;
  readonly rows: EntryRows;
  /** When its collection opened it, among its other lists. */
  readonly number: number;
}

type EntryRows = Rows<Entry>;

type ListStart = Pick<WritableList, 'number' | 'rows'> & { readonly sequence: number };

/** A list that copies the given rows at its first write. @param usage - Counts what it holds. */
function createList({ number, ...start }: ListStart, usage: Usage): WritableList {
  let { rows, sequence } = start;
  let isShared = true;
  const own = (): EntryRows => {
    if (isShared) {
      rows = toOwnRows(rows);
      isShared = false;
    }
    return rows;
  };
  return {
    get size() {
      return rows.entries.length;
    },
    get entries() {
      return rows.entries;
    },
    get removed() {
      return [...rows.removed.values()].toSorted((a, b) => a.sequence - b.sequence);
    },
    get: (id) => rows.byId.get(id),
    recall: (id) => rows.byId.get(id) ?? rows.removed.get(id),
    add: (given) => {
      const entry = toEntry(given, sequence);
      sequence += 1;
      return addRow(own(), entry, usage);
    },
    update: (id, change) => {
      const before = rows.byId.get(id);
      if (before === undefined) return undefined;
      return replaceRow(own(), [before, changeEntry(before, change)], usage);
    },
    remove: (id) => (rows.byId.has(id) ? removeEntry(own(), id, usage) : undefined),
    rename: (id, to) => renameRow(own(), [id, to], usage),
    mark: (id) => {
      const before = { entry: rows.byId.get(id), removed: rows.removed.get(id), sequence };
      return () => {
        usage.change(rows.byId.get(id), before.entry);
        usage.changeRemoved(rows.removed.get(id), before.removed);
        restoreRow(own(), id, before);
        ({ sequence } = before);
      };
    },
    count: (sign) => usage.countAll(rows, sign),
    discard: (evicted, forgotten) => {
      if (evicted.length + forgotten.length > 0) rows = discardRows(own(), { evicted, forgotten }, usage);
    },
    copy: (other, change) => {
      isShared = true;
      return createList({ rows: change(rows), sequence, number }, other);
    },
    get rows() {
      return rows;
    },
    number,
  };
}

function changeEntry(before: Entry, change: EntryChange): Entry {
  const changed = { ...before, ...change };
  const { revision } = before;
  return { ...changed, revision: revision + 1, size: measureEntry(changed), isDeclared: undefined, listed: undefined };
}

function removeEntry({ entries, byId, removed }: EntryRows, id: string, usage: Usage): Entry | undefined {
  const entry = byId.get(id);
  if (entry === undefined) return undefined;
  deleteRow(entries, entry);
  byId.delete(id);
  const remembered = toRemembered(entry);
  removed.set(id, remembered);
  usage.change(entry, undefined);
  usage.changeRemoved(undefined, remembered);
  return entry;
}

/** Written out, so that all entries have one hidden class. */
function toEntry({ id, item, content, secrets, part, onDemand, statusSince }: NewEntry, sequence: number): Entry {
  const size = onDemand === undefined ? measureEntry({ item, content, secrets }) : 0;
  return {
    id,
    sequence,
    item,
    revision: 1,
    size,
    content,
    secrets,
    part,
    onDemand,
    statusSince,
    isDeclared: undefined,
    listed: undefined,
  };
}
