import {
  addRow,
  deleteRow,
  discardRows,
  renameRow,
  replaceRow,
  restoreRow,
  type Rows,
  toOwnRows,
  toRemembered,
} from './rows.js';
import { measureEntry, type Usage } from './usage.js';

/** One JSON object of a collection. */
export type Item = Readonly<Record<string, unknown>>;

/** An item without properties. */
export const NO_PROPERTIES: Item = Object.freeze({});

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
}

/** What a change of an entry replaces. */
export type EntryChange = Partial<Omit<NewEntry, 'id'>>;

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

/** A list as plain data. */
export interface ListDump {
  readonly scope: string;
  readonly entries: readonly Entry[];
  readonly removed: readonly Entry[];
  readonly sequence: number;
  readonly number: number;
}

/** A list that can be written to. */
export interface WritableList extends ItemList {
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
  /** The sequence of the next entry. */
  readonly sequence: number;
  /** When its collection opened it, among its other lists. */
  readonly number: number;
}

/** The entries of a list. */
export type EntryRows = Rows<Entry>;

type ListStart = Pick<WritableList, 'number' | 'rows' | 'sequence'>;

/** A list that copies the given rows at its first write. @param usage - Counts what it holds. */
export function createList({ number, ...start }: ListStart, usage: Usage): WritableList {
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
    get sequence() {
      return sequence;
    },
    number,
  };
}

function changeEntry(before: Entry, change: EntryChange): Entry {
  const changed = { ...before, ...change };
  const { revision } = before;
  return { ...changed, revision: revision + 1, size: measureEntry(changed) };
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
  };
}
