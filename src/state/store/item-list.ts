/** One JSON object of a collection. */
export type Item = Readonly<Record<string, unknown>>;

/** The bytes behind an item, such as a file's. */
export interface ItemContent {
  readonly bytes: Uint8Array;
  /** Undefined where nobody said. */
  readonly mediaType: string | undefined;
}

/** One item with what the store knows of it. */
export interface Entry {
  readonly id: string;
  /** Where it stands in the order of the list; never given twice. */
  readonly sequence: number;
  readonly item: Item;
  /** Counts the changes of the item, from 1. */
  readonly revision: number;
  readonly content?: ItemContent | undefined;
  /** What is shown once and then only known: property -> value. */
  readonly secrets?: Item | undefined;
  /** Whether nobody made it: it came into being in an open world. */
  readonly invented?: boolean | undefined;
}

/** What a new entry is made from. */
export interface NewEntry {
  readonly id: string;
  readonly item: Item;
  readonly content?: ItemContent | undefined;
  readonly secrets?: Item | undefined;
  readonly invented?: boolean | undefined;
}

/** An ordered list of items by id; copying one costs nothing until either side is written to. */
export interface ItemList {
  readonly size: number;
  /** Oldest first. A view of the moment: the next write may replace it. */
  readonly entries: readonly Entry[];
  get(id: string): Entry | undefined;
  /** The entry of that id as it last was, also after its removal: a cursor stays usable. */
  recall(id: string): Entry | undefined;
  add(entry: NewEntry): Entry;
  /** The entry with another item; undefined where no entry has that id. */
  update(id: string, change: Partial<Omit<NewEntry, 'id'>>): Entry | undefined;
  remove(id: string): Entry | undefined;
  copy(): ItemList;
}

interface Rows {
  readonly entries: Entry[];
  readonly byId: Map<string, Entry>;
  /** Removed entries, so that a cursor on one of them still has a place in the order. */
  readonly gone: Map<string, Entry>;
}

/** How many removed entries a list remembers; the first removed is forgotten first. */
const GONE_LIMIT = 100_000;

/** An empty list. */
export function createItemList(): ItemList {
  return createListOver({ rows: { entries: [], byId: new Map(), gone: new Map() }, sequence: 1, shared: false });
}

function createListOver(start: { readonly rows: Rows; readonly sequence: number; readonly shared: boolean }): ItemList {
  let { rows, sequence, shared } = start;

  const own = (): Rows => {
    if (shared) {
      rows = { entries: [...rows.entries], byId: new Map(rows.byId), gone: new Map(rows.gone) };
      shared = false;
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
    get: (id) => rows.byId.get(id),
    recall: (id) => rows.byId.get(id) ?? rows.gone.get(id),
    add: (given) => {
      const mine = own();
      const entry = toEntry(given, sequence);
      sequence += 1;
      const index = indexOf(mine.entries, mine.byId.get(given.id));
      if (index >= 0) mine.entries.splice(index, 1);
      mine.entries.push(entry);
      mine.byId.set(entry.id, entry);
      mine.gone.delete(entry.id);
      return entry;
    },
    update: (id, change) => {
      const before = rows.byId.get(id);
      if (before === undefined) return undefined;
      const mine = own();
      const entry = { ...before, ...change, revision: before.revision + 1 };
      mine.entries[indexOf(mine.entries, before)] = entry;
      mine.byId.set(id, entry);
      return entry;
    },
    remove: (id) => {
      const before = rows.byId.get(id);
      if (before === undefined) return undefined;
      const mine = own();
      mine.entries.splice(indexOf(mine.entries, before), 1);
      mine.byId.delete(id);
      mine.gone.set(id, before);
      if (mine.gone.size > GONE_LIMIT) forgetFirst(mine.gone);
      return before;
    },
    copy: () => {
      shared = true;
      return createListOver({ rows, sequence, shared });
    },
  };
}

/** Written out, so that all entries have one shape. */
function toEntry({ id, item, content, secrets, invented }: NewEntry, sequence: number): Entry {
  return { id, sequence, item, revision: 1, content, secrets, invented };
}

/** Where an entry stands: entries are in the order of their sequence, so a binary search finds it. */
function indexOf(entries: readonly Entry[], entry: Entry | undefined): number {
  if (entry === undefined) return -1;
  let low = 0;
  let high = entries.length - 1;
  while (low <= high) {
    const middle = (low + high) >>> 1;
    const at = (entries[middle] as Entry).sequence; // low <= middle <= high, so it is there
    if (at === entry.sequence) return middle;
    if (at < entry.sequence) low = middle + 1;
    else high = middle - 1;
  }
  return -1;
}

function forgetFirst(gone: Map<string, Entry>): void {
  for (const id of gone.keys()) {
    gone.delete(id);
    return;
  }
}
