import type { Entry, ItemList } from './item-list.js';

/** Compares two entries: below 0 where the first comes first. */
export type EntryOrder = (a: Entry, b: Entry) => number;

/** The items of a list in the order a client asked for, without those it filtered out. */
export interface View {
  readonly size: number;
  at(index: number): Entry | undefined;
  /** Items from one index up to and without another, in the order of the view. */
  slice(from: number, to: number): readonly Entry[];
  /** The index of the first item that comes behind an entry, whether that is still there or not. */
  after(entry: Entry): number;
  /** How many items come before an entry, whether that is still there or not. */
  before(entry: Entry): number;
}

/** How a view differs from its list: oldest first and whole where nothing is said. */
interface ViewOptions {
  readonly descending: boolean;
  readonly keep?: ((entry: Entry) => boolean) | undefined;
  /** Ties are broken by the order of the list. */
  readonly order?: EntryOrder | undefined;
}

/** How many entries of an ordered list come before one, without it or with it. */
interface Counter {
  before(entry: Entry): number;
  through(entry: Entry): number;
}

/** A view of a list. Where nothing is filtered or sorted it copies nothing, however long the list is. */
export function createView(list: ItemList, { descending, keep, order }: ViewOptions): View {
  const kept = keep === undefined ? list.entries : list.entries.filter(keep);
  const entries = order === undefined ? kept : kept.toSorted(order);
  const count = order === undefined ? createSequenceCounter(entries) : createOrderCounter(entries, order);
  const size = entries.length;
  if (!descending) {
    return {
      size,
      at: (index) => entries[index],
      slice: (from, to) => entries.slice(from, to),
      after: count.through,
      before: count.before,
    };
  }
  return {
    size,
    at: (index) => entries[size - 1 - index],
    slice: (from, to) => entries.slice(Math.max(0, size - to), Math.max(0, size - from)).toReversed(),
    after: (entry) => size - count.before(entry),
    before: (entry) => size - count.through(entry),
  };
}

/** Counts by the order of creation. */
function createSequenceCounter(entries: readonly Entry[]): Counter {
  const through = ({ sequence }: Entry): number => {
    const first = entries[0];
    if (first === undefined || sequence < first.sequence) return 0;
    // Sequences only grow, by one where nothing was removed: then the place is the distance to the first, and no search is needed.
    const most = Math.min(entries.length, sequence - first.sequence + 1);
    if (entries[most - 1]?.sequence === sequence) return most;
    let low = 0;
    let high = most;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((entries[middle]?.sequence ?? Infinity) <= sequence) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  return {
    through,
    before: (entry) => {
      const count = through(entry);
      return entries[count - 1]?.sequence === entry.sequence ? count - 1 : count;
    },
  };
}

/** Counts in any other order; the order of creation tells equal entries apart. */
function createOrderCounter(entries: readonly Entry[], order: EntryOrder): Counter {
  const compare: EntryOrder = (a, b) => order(a, b) || a.sequence - b.sequence;
  const count = (holds: (entry: Entry) => boolean): number => {
    let low = 0;
    let high = entries.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const entry = entries[middle];
      if (entry !== undefined && holds(entry)) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  return {
    through: (entry) => count((each) => compare(each, entry) <= 0),
    before: (entry) => count((each) => compare(each, entry) < 0),
  };
}
