import { measureEntry, type Usage } from './usage.js';

/** One JSON object of a collection. */
export type Item = Readonly<Record<string, unknown>>;

/** The bytes behind an item, such as those of a file. */
export interface ItemContent {
  readonly bytes: Uint8Array;
  /** Undefined where it is not known. */
  readonly mediaType: string | undefined;
}

/** The inputs of a new entry. */
export interface NewEntry {
  readonly id: string;
  readonly item: Item;
  readonly content?: ItemContent | undefined;
  /** Properties that only the answer to the create shows, with their values. */
  readonly secrets?: Item | undefined;
  /** The parents below which it was created, where the collection is not below them and no property holds their ids. */
  readonly part?: string | undefined;
  /** The reason why the mock created the item itself: a request for its id or for its list. */
  readonly onDemand?: 'id' | 'list' | undefined;
  /** When it got its status, in milliseconds since 1970, where a request created it and its status advances by itself. */
  readonly statusSince?: number | undefined;
  /** Whether a read has shown the status that it was created with, where reads advance it. */
  readonly isStatusShown?: boolean | undefined;
}

/** One item with what the store knows about it. */
export interface StoredItem extends NewEntry {
  /** The position in the order of creation; never used twice. */
  readonly sequence: number;
  /** Counts the changes of the item, from 1. */
  readonly revision: number;
  readonly size: number;
  /** Whether its own schema declares all that is inside of the item: found when it is first shown, since that takes long. */
  isDeclared?: boolean | undefined;
  /** How a list showed the item last; other lists may show other properties of it. */
  listed?: ListedForm | undefined;
}

/** An item as a list shows it. */
export interface ListedForm {
  /** The function that wrote the form, and its item: a copy of an entry can have another one. */
  readonly by: unknown;
  readonly of: Item;
  readonly item: unknown;
  /** The JSON of the form, once it was written. */
  text?: string | undefined;
}

/** The members of an entry that a change replaces. */
export type EntryChange = Partial<Omit<NewEntry, 'id'>>;

/** An ordered list of items by id, read-only. */
export interface ItemList {
  readonly size: number;
  /** Oldest first. Valid until the next write. */
  readonly entries: readonly StoredItem[];
  get(id: string): StoredItem | undefined;
  /** The last version of an entry, also after its removal, so that a cursor on it stays valid. */
  recall(id: string): StoredItem | undefined;
  /** The last versions of removed entries, oldest first. */
  readonly removed: readonly StoredItem[];
}

/** A list as plain data. */
export interface ListDump {
  readonly scope: string;
  readonly entries: readonly StoredItem[];
  readonly removed: readonly StoredItem[];
  readonly sequence: number;
  readonly number: number;
}

/** A list that can be written to. */
export interface WritableList extends ItemList {
  add(entry: NewEntry): StoredItem;
  update(id: string, change: EntryChange): StoredItem | undefined;
  remove(id: string): StoredItem | undefined;
  rename(id: string, to: string): StoredItem | undefined;
  /** A function that restores what the list knows about an id now, and the order. */
  mark(id: string): () => void;
  /** Adds all of the list to what the store holds, or subtracts it. */
  count(sign: 1 | -1): void;
  /** Removes entries as if they had never been there, and forgets removed ones. */
  discard(evicted: readonly StoredItem[], forgotten: readonly StoredItem[]): void;
  copy(usage: Usage): WritableList;
  readonly rows: EntryRows;
  /** The sequence of the next entry. */
  readonly sequence: number;
  /** When its collection opened it, among its other lists. */
  readonly number: number;
}

type ListStart = Pick<WritableList, 'number' | 'rows' | 'sequence'>;

/** A list that copies the given rows at its first write. @param usage - Counts what it holds. */
export function createList({ number, ...start }: ListStart, usage: Usage): WritableList {
  const held: HeldRows = { ...start, isShared: true };
  return {
    get size() {
      return held.rows.entries.length;
    },
    get entries() {
      return held.rows.entries;
    },
    get removed() {
      return [...held.rows.removed.values()].toSorted((a, b) => a.sequence - b.sequence);
    },
    get: (id) => held.rows.byId.get(id),
    recall: (id) => held.rows.byId.get(id) ?? held.rows.removed.get(id),
    count: (sign) => usage.countAll(held.rows, sign),
    discard: (evicted, forgotten) => {
      if (evicted.length + forgotten.length === 0) return;
      const { entries, byId, removed } = own(held);
      for (const { id } of evicted) byId.delete(id);
      for (const { id } of forgotten) removed.delete(id);
      usage.countAll({ entries: evicted, removed: new Map(forgotten.map((entry) => [entry.id, entry])) }, -1);
      held.rows = { entries: entries.filter(({ id }) => byId.has(id)), byId, removed };
    },
    copy: (other) => {
      held.isShared = true;
      return createList({ rows: held.rows, sequence: held.sequence, number }, other);
    },
    get rows() {
      return held.rows;
    },
    get sequence() {
      return held.sequence;
    },
    number,
    ...createWrites(held, usage),
  };
}

/** The rows of a list, which are copied before they change where a copy of the list has them too. */
interface HeldRows {
  rows: EntryRows;
  sequence: number;
  isShared: boolean;
}

function own(held: HeldRows): EntryRows {
  const { entries, byId, removed } = held.rows;
  if (held.isShared) held.rows = { entries: [...entries], byId: new Map(byId), removed: new Map(removed) };
  held.isShared = false;
  return held.rows;
}

/** The entries of one id in a list: the present one, and the one that was removed last. */
type KnownEntry = Readonly<Record<'entry' | 'removed', StoredItem | undefined>>;

function createWrites(
  held: HeldRows,
  usage: Usage,
): Pick<WritableList, 'add' | 'mark' | 'remove' | 'rename' | 'update'> {
  const read = (id: string): KnownEntry => ({ entry: held.rows.byId.get(id), removed: held.rows.removed.get(id) });
  /** An entry is at the place of its sequence. */
  const set = (id: string, { entry, removed }: KnownEntry): void => {
    const before = read(id);
    const rows = own(held);
    usage.change(before.entry, entry);
    usage.changeRemoved(before.removed, removed);
    if (before.entry !== undefined) rows.entries.splice(findIndex(rows.entries, before.entry.sequence), 1);
    if (entry !== undefined) rows.entries.splice(findIndex(rows.entries, entry.sequence), 0, entry);
    putOrDelete(rows.byId, id, entry);
    putOrDelete(rows.removed, id, removed);
  };
  return {
    add: (given) => {
      const entry = toEntry(given, held.sequence);
      held.sequence += 1;
      set(entry.id, { entry, removed: undefined });
      usage.check();
      return entry;
    },
    update: (id, change) => {
      const { entry: before, removed } = read(id);
      if (before === undefined) return undefined;
      // What the store notes about an item does not change it.
      const isChange = change.item !== undefined || change.content !== undefined;
      const revision = before.revision + (isChange ? 1 : 0);
      const changed = { ...before, ...change, revision, isDeclared: undefined, listed: undefined };
      const entry = { ...changed, size: measureEntry(changed) };
      set(id, { entry, removed });
      if (entry.size > before.size) usage.check();
      return entry;
    },
    remove: (id) => {
      const { entry } = read(id);
      if (entry === undefined) return undefined;
      // Its content, which may be large, is not needed any more.
      const removed = entry.content === undefined ? entry : { ...entry, content: undefined, size: 0 };
      set(id, { entry: undefined, removed });
      return entry;
    },
    rename: (id, to) => {
      const { entry: before } = read(id);
      if (before === undefined || id === to) return before;
      const entry = { ...before, id: to };
      set(id, { entry: undefined, removed: before });
      set(to, { entry, removed: undefined });
      return entry;
    },
    mark: (id) => {
      const before = read(id);
      const { sequence } = held;
      return () => {
        set(id, before);
        held.sequence = sequence;
      };
    },
  };
}

function putOrDelete(map: Map<string, StoredItem>, id: string, entry: StoredItem | undefined): void {
  if (entry === undefined) map.delete(id);
  else map.set(id, entry);
}

/** Written out, so that all entries have one hidden class. */
function toEntry(given: NewEntry, sequence: number): StoredItem {
  const { id, item, content, secrets, part, onDemand, statusSince, isStatusShown } = given;
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
    isStatusShown,
    isDeclared: undefined,
    listed: undefined,
  };
}

/** The entries of a list in the order of their sequences, by id, and those that were removed. */
export interface EntryRows {
  readonly entries: StoredItem[];
  readonly byId: Map<string, StoredItem>;
  /** Removed entries, so that a cursor on one of them keeps its position. */
  readonly removed: Map<string, StoredItem>;
}

/** The rows of an empty list, which are never written to. */
export const NO_ROWS: EntryRows = { entries: [], byId: new Map(), removed: new Map() };

/** The index of the first entry with at least this sequence: entries are in the order of their sequences. */
export function findIndex(entries: readonly StoredItem[], sequence: number): number {
  return findFirst(entries, (entry) => entry.sequence < sequence);
}

/** The index of the first entry that is not before a place, in entries that are sorted. */
export function findFirst(entries: readonly StoredItem[], isBefore: (entry: StoredItem) => boolean): number {
  let low = 0;
  let high = entries.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    // `low <= middle < high`, so the entry exists.
    if (isBefore(entries[middle] as StoredItem)) low = middle + 1;
    else high = middle;
  }
  return low;
}
