import { MockError } from '../../../base/errors.js';
import { isBytes } from '../../../base/platform.js';

/** How much the stores of one mock may hold; items of the fixtures do not count. */
export interface StateLimits {
  /** Maximum number of items in one store that requests, tests and scenarios created. */
  readonly maxItems: number;
  /** Their maximum size in bytes, with their content. */
  readonly maxBytes: number;
  /** The same in all stores together. */
  readonly totalItems: number;
  readonly totalBytes: number;
  /** Maximum number of items in one store that the mock created itself; the oldest are removed, and created again when they are requested. */
  readonly generatedItems: number;
}

/** The size of the state of a store, without its fixtures. */
export interface UsedState {
  readonly items: number;
  readonly bytes: number;
  /** Items that the mock created itself and no request changed, and lists whose initial items were created. */
  readonly generated: number;
  /** Removed items that are remembered, and their bytes. */
  readonly removed: number;
  readonly removedBytes: number;
}

/** The members of an entry that are counted. */
export interface CountedEntry {
  readonly onDemand?: unknown;
  readonly revision: number;
  readonly size: number;
}

/** Counts what one store holds; each change costs the same, whatever the store holds. */
export interface Usage {
  /** Counts the change of one entry. */
  change(before: CountedEntry | undefined, after: CountedEntry | undefined): void;
  /** Counts an entry that is remembered after its removal, or forgotten. */
  changeRemoved(before: CountedEntry | undefined, after: CountedEntry | undefined): void;
  /** Adds all entries of a list, or subtracts them. */
  countAll(rows: CountedRows, sign: 1 | -1): void;
  /** Counts marks of lists whose initial items were created. */
  changeMarks(count: number): void;
  /** @throws MockError `STATE_LIMIT` where the store holds too much. */
  check(): void;
  /** Runs a function whose writes are not checked: they have taken effect in another process. */
  withoutLimits(work: () => void): void;
  /** Whether so many items can be created again, or forgotten, that a sweep of them is due. */
  isDue(what: Swept): boolean;
  /** Puts off the next sweep until there is half a limit more than this one left. */
  endSweep(): void;
  /** Counts what another store holds, instead. @throws MockError `STATE_LIMIT` where that is too much; then nothing changes. */
  replace(used: UsedState): void;
  read(): UsedState;
  /**
   * Counts what is kept besides the store, among that of all stores: a snapshot of it, or an uploaded scenario.
   *
   * @returns Ends that; a release of the store does, too.
   * @throws MockError `STATE_LIMIT`; then nothing is counted.
   */
  hold(kept: Pick<UsedState, 'bytes' | 'items'>): () => void;
  /** Counts for this store only from now on, since it belongs to no session any more. */
  release(): void;
}

interface CountedRows {
  readonly entries: readonly CountedEntry[];
  readonly removed: ReadonlyMap<string, CountedEntry>;
}

/** The kind of entries that a sweep removes. */
export type Swept = 'generated' | 'removed';

/** Undo steps of the writes of a transaction, in the order of the writes. */
export type UndoLog = (() => void)[];

/** Takes a write of a collection: its name, the method, and arguments as plain data. */
export type RecordWrite = (collection: string, method: string, args: readonly unknown[]) => void;

/** The records of the writes of a collection. */
export interface Writes {
  /** Takes the undo steps. */
  readonly log?: UndoLog;
  /** Called with each write before it is made; undefined where no other process has to repeat it. */
  readonly record?: RecordWrite | undefined;
  readonly usage: Usage;
}

/** The size of the state of all stores of a mock. */
export type TotalUsage = { items: number; bytes: number };

/** The usage of an empty store. */
export const NOTHING_USED: UsedState = { items: 0, bytes: 0, generated: 0, removed: 0, removedBytes: 0 };

/** How many removed items a store remembers, and their size: then the oldest half is forgotten. */
const MAX_REMOVED = 100_000;
const MAX_REMOVED_BYTES = 32 * 1024 * 1024;

/** The usage of an empty store. @param limits - Default: none. */
export function createUsage(limits?: StateLimits, shared: TotalUsage = { items: 0, bytes: 0 }): Usage {
  let total = shared;
  const used = { ...NOTHING_USED };
  const addTotal = ({ items, bytes }: Pick<UsedState, 'bytes' | 'items'>, sign: 1 | -1): void => {
    total.items += sign * items;
    total.bytes += sign * bytes;
  };
  const add = (entry: CountedEntry | undefined, sign: 1 | -1): void => {
    if (entry === undefined) return;
    used[isGenerated(entry) ? 'generated' : 'items'] += sign;
    if (isGenerated(entry)) return;
    used.bytes += sign * entry.size;
    addTotal({ items: 1, bytes: entry.size }, sign);
  };
  const addRemoved = (entry: CountedEntry | undefined, sign: 1 | -1): void => {
    used.removed += entry === undefined ? 0 : sign;
    used.removedBytes += sign * (entry?.size ?? 0);
  };
  const set = (next: UsedState): void => {
    addTotal(used, -1);
    addTotal(next, 1);
    Object.assign(used, next);
  };
  const { check, withoutLimits } = createCheck(() => {
    if (limits !== undefined) checkLimits(used, total, limits);
  });
  const holds = createHolds(addTotal, check);
  return {
    change: (before, after) => {
      add(before, -1);
      add(after, 1);
    },
    changeRemoved: (before, after) => {
      addRemoved(before, -1);
      addRemoved(after, 1);
    },
    countAll: ({ entries, removed }, sign) => {
      for (const entry of entries) add(entry, sign);
      for (const entry of removed.values()) addRemoved(entry, sign);
    },
    changeMarks: (marks) => void (used.generated += marks),
    check,
    withoutLimits,
    replace: (next) => {
      const before = { ...used };
      set(next);
      if (next.items > before.items || next.bytes > before.bytes) checkOrUndo(check, () => set(before));
    },
    read: () => ({ ...used }),
    hold: holds.hold,
    release: () => {
      holds.clear();
      addTotal(used, -1);
      total = { items: used.items, bytes: used.bytes };
    },
    ...createSchedule(used, limits?.generatedItems ?? Infinity),
  };
}

/** A check that can be left out for a while. */
function createCheck(checkNow: () => void): Pick<Usage, 'check' | 'withoutLimits'> {
  let isChecked = true;
  return {
    check: () => {
      if (isChecked) checkNow();
    },
    withoutLimits: (work) => {
      const before = isChecked;
      isChecked = false;
      try {
        work();
      } finally {
        isChecked = before;
      }
    },
  };
}

/** Creates the count of state that is kept besides a store. */
function createHolds(
  count: (kept: Pick<UsedState, 'bytes' | 'items'>, sign: 1 | -1) => void,
  check: () => void,
): Pick<Usage, 'hold'> & { clear(): void } {
  const all = new Set<() => void>();
  return {
    hold: (kept) => {
      const drop = (): void => {
        if (all.delete(drop)) count(kept, -1);
      };
      all.add(drop);
      count(kept, 1);
      checkOrUndo(check, drop);
      return drop;
    },
    clear: () => {
      for (const drop of all) drop();
    },
  };
}

function checkOrUndo(check: () => void, undo: () => void): void {
  try {
    check();
  } catch (error) {
    undo();
    throw error;
  }
}

const SCHEDULED = ['generated', 'removed', 'removedBytes'] as const;

/** When the items are swept that the mock can create again, or that were removed. */
function createSchedule(used: UsedState, generated: number): Pick<Usage, 'endSweep' | 'isDue'> {
  const most = { generated, removed: MAX_REMOVED, removedBytes: MAX_REMOVED_BYTES };
  const due = { ...most };
  return {
    isDue: (what) => used[what] > due[what] || (what === 'removed' && used.removedBytes > due.removedBytes),
    endSweep: () => {
      for (const name of SCHEDULED) due[name] = Math.max(most[name], used[name] + most[name] / 2);
    },
  };
}

function checkLimits(used: UsedState, total: TotalUsage, limits: StateLimits): void {
  if (used.items > limits.maxItems) throw toLimitError('maxItems', limits);
  if (used.bytes > limits.maxBytes) throw toLimitError('maxBytes', limits);
  if (total.items > limits.totalItems) throw toLimitError('totalItems', limits);
  if (total.bytes > limits.totalBytes) throw toLimitError('totalBytes', limits);
}

/** Whether the mock created an item itself and no request changed it: the same item is created again when it is requested. */
export function isGenerated({ onDemand, revision }: Pick<CountedEntry, 'onDemand' | 'revision'>): boolean {
  return onDemand !== undefined && revision === 1;
}

interface MeasuredEntry {
  readonly item: object;
  readonly content?: { readonly bytes: Uint8Array } | undefined;
  readonly secrets?: object | undefined;
}

/** The estimated size of an entry in bytes. */
export function measureEntry({ item, content, secrets }: MeasuredEntry): number {
  const hidden = secrets === undefined ? 0 : measureItem(secrets);
  return measureItem(item) + hidden + (content === undefined ? 0 : content.bytes.byteLength);
}

/** The memory that a value takes besides its characters. */
const VALUE_BYTES = 8;

function measureItem(item: object): number {
  let bytes = VALUE_BYTES;
  for (const name in item) bytes += VALUE_BYTES + measureValue(item[name as keyof typeof item]); // its own names
  return bytes;
}

/** The estimated size of a JSON value in bytes. */
export function measureValue(value: unknown): number {
  if (typeof value === 'string') return VALUE_BYTES + value.length;
  if (typeof value !== 'object' || value === null) return VALUE_BYTES;
  return isBytes(value) ? value.byteLength : measureItem(value);
}

type LimitName = Exclude<keyof StateLimits, 'generatedItems'>;

const LIMITS: Readonly<Record<LimitName, { readonly who: string; readonly noun: string; readonly flag: string }>> = {
  maxItems: { who: 'the session holds', noun: 'items', flag: '--max-items' },
  maxBytes: { who: 'the items of the session take', noun: 'bytes', flag: '--max-state' },
  totalItems: { who: 'all sessions and their snapshots together hold', noun: 'items', flag: '--total-items' },
  totalBytes: {
    who: 'the items of all sessions and snapshots, and uploaded scenarios, together take',
    noun: 'bytes',
    flag: '--total-state',
  },
};

function toLimitError(name: LimitName, limits: StateLimits): MockError {
  const { who, noun, flag } = LIMITS[name];
  const reset = name.startsWith('max') ? 'reset the session' : 'reset or close sessions';
  return new MockError('STATE_LIMIT', `${who} more than ${limits[name]} ${noun} with this change, the maximum`, {
    hint: `remove items, ${reset}, or raise state: { ${name} } (${flag})`,
  });
}
