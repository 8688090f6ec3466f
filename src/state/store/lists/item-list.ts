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

/** The entries of a list in the order of their sequences, by id, and those that were removed. */
export interface EntryRows {
  readonly entries: Entry[];
  readonly byId: Map<string, Entry>;
  /** Removed entries, so that a cursor on one of them keeps its position. */
  readonly removed: Map<string, Entry>;
}

/** The rows of an empty list, which are never written to. */
export const NO_ROWS: EntryRows = { entries: [], byId: new Map(), removed: new Map() };

function toOwnRows({ entries, byId, removed }: EntryRows): EntryRows {
  return { entries: [...entries], byId: new Map(byId), removed: new Map(removed) };
}

/** A removed entry, whose content, which may be large, is not needed any more. */
function toRemembered(entry: Entry): Entry {
  return entry.content === undefined ? entry : { ...entry, content: undefined, size: 0 };
}

/** The same rows after the removal of all of them. */
export function withoutRows({ entries, removed }: EntryRows): EntryRows {
  const remembered = new Map(removed);
  for (const entry of entries) remembered.set(entry.id, toRemembered(entry));
  return { entries: [], byId: new Map(), removed: remembered };
}

/** Rows that also remember as removed what others hold or remember. */
export function recallRows(rows: EntryRows, others: EntryRows = NO_ROWS): EntryRows {
  const { byId, removed } = rows;
  const isUnknown = ({ id }: Entry): boolean => !byId.has(id) && !removed.has(id);
  const lost = [...others.removed.values(), ...others.entries].filter(isUnknown);
  if (lost.length === 0) return rows;
  return { ...rows, removed: new Map([...removed, ...lost.map((entry) => [entry.id, toRemembered(entry)] as const)]) };
}

function discardRows(
  { entries, byId, removed }: EntryRows,
  { evicted, forgotten }: { readonly evicted: readonly Entry[]; readonly forgotten: readonly Entry[] },
  usage: Usage,
): EntryRows {
  for (const { id } of evicted) byId.delete(id);
  for (const { id } of forgotten) removed.delete(id);
  usage.countAll({ entries: evicted, removed: new Map(forgotten.map((entry) => [entry.id, entry])) }, -1);
  return { entries: entries.filter(({ id }) => byId.has(id)), byId, removed };
}

/** Adds an entry as the newest one, also where another one has its id. */
function addRow({ entries, byId, removed }: EntryRows, entry: Entry, usage: Usage): Entry {
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

function replaceRow({ entries, byId }: EntryRows, [before, after]: readonly [Entry, Entry], usage: Usage): Entry {
  entries[findIndex(entries, before.sequence)] = after;
  byId.set(after.id, after);
  usage.change(before, after);
  if (after.size > before.size) usage.check();
  return after;
}

/** Gives an entry another id; an entry of that id is removed. */
function renameRow(
  { entries, byId, removed }: EntryRows,
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

function restoreRow(
  { entries, byId, removed }: EntryRows,
  id: string,
  before: { readonly entry: Entry | undefined; readonly removed: Entry | undefined },
): void {
  deleteRow(entries, byId.get(id));
  if (before.entry !== undefined) entries.splice(findIndex(entries, before.entry.sequence), 0, before.entry);
  putOrDelete(byId, id, before.entry);
  putOrDelete(removed, id, before.removed);
}

/** The index of the first entry with at least this sequence: entries are in the order of their sequences. */
export function findIndex(entries: readonly Entry[], sequence: number): number {
  return findFirst(entries, (entry) => entry.sequence < sequence);
}

/** The index of the first entry that is not before a place, in entries that are sorted. */
export function findFirst(entries: readonly Entry[], isBefore: (entry: Entry) => boolean): number {
  let low = 0;
  let high = entries.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    // `low <= middle < high`, so the entry exists.
    if (isBefore(entries[middle] as Entry)) low = middle + 1;
    else high = middle;
  }
  return low;
}

function deleteRow(entries: Entry[], entry: Entry | undefined): void {
  if (entry !== undefined) entries.splice(findIndex(entries, entry.sequence), 1);
}

function putOrDelete(map: Map<string, Entry>, id: string, entry: Entry | undefined): void {
  if (entry === undefined) map.delete(id);
  else map.set(id, entry);
}
