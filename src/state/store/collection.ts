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
  /** Whether the mock created the item itself, because its id or its list was requested. */
  readonly onDemand?: boolean | undefined;
  /** When it got its status, in milliseconds since 1970, where a request created it and its status advances by itself. */
  readonly statusSince?: number | undefined;
}

/** One item with what the store knows about it. */
export interface Entry extends NewEntry {
  /** The position in the order of creation; never used twice. */
  readonly sequence: number;
  /** Counts the changes of the item, from 1. */
  readonly revision: number;
  /** Whether its own schema declares all that is inside of the item: found when it is first shown, since that takes long. */
  isDeclared?: boolean | undefined;
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
  /** @param scope - `EVERY_SCOPE` for all scopes, including those that do not exist yet. */
  markSeeded(scope: string): void;
  /**
   * Copies in constant time; the first write on either side copies the list it changes.
   *
   * @param log - Takes the undo steps of the copy's writes.
   */
  copy(log?: UndoLog): WritableCollection;
}

/** Every item of a collection with its scope. */
export function listEntries({ scopes, list }: Collection): readonly (readonly [scope: string, entry: Entry])[] {
  return scopes.flatMap((scope) => list(scope).entries.map((entry) => [scope, entry] as const));
}

/** Undo steps of the writes of a transaction, in the order of the writes. */
export type UndoLog = (() => void)[];

/** Marks every scope of a collection; no scope has this name. */
export const EVERY_SCOPE = '\0';

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
  return createCollectionFrom(facts, { lists: new Map(), seeded: new Set(), created: 0 }, undefined);
}

type CollectionFacts = Pick<Collection, 'name' | 'defaults' | 'unknownIds' | 'started'>;

function createCollectionFrom(
  facts: CollectionFacts,
  data: { readonly lists: Map<string, WritableList>; readonly seeded: Set<string>; readonly created: number },
  log: UndoLog | undefined,
): WritableCollection {
  let { lists, seeded, created } = data;
  const empty = createList(NO_ROWS, 1);
  const writable = (scope: string): WritableList => {
    const known = lists.get(scope);
    if (known !== undefined) return known;
    const list = createList(NO_ROWS, 1);
    lists.set(scope, list);
    log?.push(() => void lists.delete(scope));
    return list;
  };
  /** The list of an existing item, which is about to change. */
  const listWith = (id: string, scope: string): WritableList | undefined => {
    const list = lists.get(scope);
    if (list?.get(id) === undefined) return undefined;
    log?.push(list.mark(id));
    return list;
  };
  return {
    ...facts,
    list: (scope = '') => lists.get(scope) ?? empty,
    get scopes() {
      return [...lists.keys()];
    },
    get: (id, scope = '') => lists.get(scope)?.get(id),
    add: (entry, scope = '') => {
      const list = writable(scope);
      log?.push(list.mark(entry.id));
      return list.add(entry);
    },
    ...createChanges(listWith, log),
    dropScope: (scope) => {
      if (lists.size === 0 && seeded.size === 0) return;
      const isKept = (key: string): boolean => key !== scope && !key.startsWith(`${scope}/`);
      const before = { lists, seeded };
      lists = new Map([...lists].filter(([key]) => isKept(key)));
      seeded = new Set([...seeded].filter(isKept));
      log?.push(() => ({ lists, seeded } = before));
    },
    nextNumber: () => {
      created += 1;
      log?.push(() => void (created -= 1));
      return created;
    },
    isSeeded: (scope) => seeded.has(scope) || seeded.has(EVERY_SCOPE),
    markSeeded: (scope) => {
      if (seeded.has(scope)) return;
      seeded.add(scope);
      log?.push(() => void seeded.delete(scope));
    },
    copy: (copyLog) => {
      const copies = new Map([...lists].map(([scope, list]) => [scope, list.copy()]));
      return createCollectionFrom(facts, { lists: copies, seeded: new Set(seeded), created }, copyLog);
    },
  };
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
  copy(): WritableList;
}

interface Rows {
  readonly entries: Entry[];
  readonly byId: Map<string, Entry>;
  /** Removed entries, so that a cursor on one of them keeps its position. */
  readonly removed: Map<string, Entry>;
}

/** How many removed entries a list remembers; the oldest is forgotten first. */
const MAX_REMOVED = 100_000;

const NO_ROWS: Rows = { entries: [], byId: new Map(), removed: new Map() };

/** A list that copies the given rows at its first write. */
function createList(startRows: Rows, startSequence: number): WritableList {
  let rows = startRows;
  let sequence = startSequence;
  let isShared = true;
  const own = (): Rows => {
    if (isShared) {
      rows = { entries: [...rows.entries], byId: new Map(rows.byId), removed: new Map(rows.removed) };
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
      const mine = own();
      const entry = toEntry(given, sequence);
      sequence += 1;
      deleteEntry(mine.entries, mine.byId.get(given.id));
      mine.entries.push(entry);
      mine.byId.set(entry.id, entry);
      mine.removed.delete(entry.id);
      return entry;
    },
    update: (id, change) => {
      const before = rows.byId.get(id);
      if (before === undefined) return undefined;
      const mine = own();
      const entry = { ...before, ...change, revision: before.revision + 1, isDeclared: undefined };
      mine.entries[findIndex(mine.entries, before.sequence)] = entry;
      mine.byId.set(id, entry);
      return entry;
    },
    remove: (id) => (rows.byId.has(id) ? removeEntry(own(), id) : undefined),
    rename: (id, to) => renameEntry(own(), id, to),
    mark: (id) => {
      const before = { entry: rows.byId.get(id), removed: rows.removed.get(id), sequence };
      return () => {
        restoreEntry(own(), id, before);
        ({ sequence } = before);
      };
    },
    copy: () => {
      isShared = true;
      return createList(rows, sequence);
    },
  };
}

function removeEntry({ entries, byId, removed }: Rows, id: string): Entry | undefined {
  const entry = byId.get(id);
  if (entry === undefined) return undefined;
  deleteEntry(entries, entry);
  byId.delete(id);
  removed.set(id, entry);
  const [oldest] = removed.size > MAX_REMOVED ? removed.keys() : [];
  if (oldest !== undefined) removed.delete(oldest);
  return entry;
}

function renameEntry({ entries, byId, removed }: Rows, id: string, to: string): Entry | undefined {
  const before = byId.get(id);
  if (before === undefined || id === to) return before;
  deleteEntry(entries, byId.get(to));
  const entry = { ...before, id: to };
  entries[findIndex(entries, before.sequence)] = entry;
  byId.delete(id);
  byId.set(to, entry);
  removed.delete(to);
  removed.set(id, before);
  return entry;
}

function restoreEntry(
  { entries, byId, removed }: Rows,
  id: string,
  before: { readonly entry: Entry | undefined; readonly removed: Entry | undefined },
): void {
  deleteEntry(entries, byId.get(id));
  if (before.entry !== undefined) entries.splice(findIndex(entries, before.entry.sequence), 0, before.entry);
  putOrDelete(byId, id, before.entry);
  putOrDelete(removed, id, before.removed);
}

/** Written out, so that all entries have one hidden class. */
function toEntry({ id, item, content, secrets, part, onDemand, statusSince }: NewEntry, sequence: number): Entry {
  return { id, sequence, item, revision: 1, content, secrets, part, onDemand, statusSince, isDeclared: undefined };
}

/** The index of the first entry with at least this sequence: entries are in the order of their sequences. */
export function findIndex(entries: readonly Entry[], sequence: number): number {
  let low = 0;
  let high = entries.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    // `low <= middle < high`, so the entry exists.
    if ((entries[middle] as Entry).sequence < sequence) low = middle + 1;
    else high = middle;
  }
  return low;
}

function deleteEntry(entries: Entry[], entry: Entry | undefined): void {
  if (entry !== undefined) entries.splice(findIndex(entries, entry.sequence), 1);
}

function putOrDelete(map: Map<string, Entry>, id: string, entry: Entry | undefined): void {
  if (entry === undefined) map.delete(id);
  else map.set(id, entry);
}
