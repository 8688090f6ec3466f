import type { Entry, ItemList } from './item-list.js';

/** Compares two entries: below 0 where the first comes first. */
export type EntryOrder = (a: Entry, b: Entry) => number;

/** The items of a list in the order a client asked for, without those it filtered out. */
export interface View {
  readonly size: number;
  /** Items from one index up to and without another, in the order of the view. */
  slice(from: number, to: number): readonly Entry[];
  /** The index of the first item that comes behind an entry, whether that is still there or not. */
  after(entry: Entry): number;
  /** How many items come before an entry, whether that is still there or not. */
  before(entry: Entry): number;
}

/** How a view differs from its list: oldest first and whole where nothing is said. */
export interface ViewOptions {
  readonly descending: boolean;
  readonly keep?: ((entry: Entry) => boolean) | undefined;
  /** Ties are broken by the order of the list. */
  readonly order?: EntryOrder | undefined;
}

const BY_SEQUENCE: EntryOrder = (a, b) => a.sequence - b.sequence;

/** A view of a list. Where nothing is filtered or sorted it copies nothing, however long the list is. */
export function createView(list: ItemList, options: ViewOptions): View {
  const { descending, keep, order } = options;
  const kept = keep === undefined ? list.entries : list.entries.filter(keep);
  const compare: EntryOrder = order === undefined ? BY_SEQUENCE : (a, b) => order(a, b) || BY_SEQUENCE(a, b);
  const entries = order === undefined ? kept : kept.toSorted(compare);
  const size = entries.length;
  if (!descending) {
    return {
      size,
      slice: (from, to) => entries.slice(from, to),
      after: (entry) => countUntil(entries, (each) => compare(each, entry) <= 0),
      before: (entry) => countUntil(entries, (each) => compare(each, entry) < 0),
    };
  }
  return {
    size,
    slice: (from, to) => entries.slice(Math.max(0, size - to), Math.max(0, size - from)).toReversed(),
    after: (entry) => size - countUntil(entries, (each) => compare(each, entry) < 0),
    before: (entry) => size - countUntil(entries, (each) => compare(each, entry) <= 0),
  };
}

/** How many entries at the beginning hold to a condition that the rest does not: a binary search. */
function countUntil(entries: readonly Entry[], holds: (entry: Entry) => boolean): number {
  let low = 0;
  let high = entries.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const entry = entries[middle];
    if (entry !== undefined && holds(entry)) low = middle + 1;
    else high = middle;
  }
  return low;
}
