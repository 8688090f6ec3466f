import { writeJson } from '../base/exact-json.js';
import type { Operation } from '../contract/operations/operation.js';
import { MockError, requireOptions, suggest } from '../base/errors.js';
import {
  describeInteraction,
  type Interaction,
  type PlainInteraction,
  type ToPlain,
  type ToTexts,
} from './interaction.js';
import { clearTimeout, setTimeout } from '../base/platform.js';

/** How `waitFor` waits. */
export interface WaitOptions {
  /** Milliseconds of real time until it fails; default 5,000. */
  readonly timeout?: number;
  /** How many matching interactions to wait for; the last one is returned. Default 1. */
  readonly count?: number;
  /** Only interactions with a higher number match; default 0. */
  readonly after?: number;
}

/** Selects interactions. */
export type InteractionPredicate = (interaction: Interaction) => boolean;

/** The interactions of one session; the oldest are dropped when it is full. */
export interface Journal {
  /** All interactions, oldest first; a new array each time. */
  readonly interactions: readonly Interaction[];
  /** How many interactions were dropped because the journal was full. */
  readonly dropped: number;
  /**
   * The interactions of one operation, by its id or `"GET /path"`, oldest first.
   *
   * @throws MockError `OPERATION_UNKNOWN` where the contract has no such operation.
   */
  calls(operation: string): readonly Interaction[];
  /** The interactions that a predicate selects, oldest first. */
  filter(predicate: InteractionPredicate): readonly Interaction[];
  /** The last interaction, or the last one of an operation. @throws MockError `OPERATION_UNKNOWN`. */
  last(operation?: string): Interaction | undefined;
  /**
   * Resolves with the first matching interaction: one that is already there, or the next one.
   *
   * @param what - An operation id, `"GET /path"` or a predicate.
   * @throws MockError `WAIT_TIMEOUT` that lists the other interactions; `OPERATION_UNKNOWN`.
   */
  waitFor(what: string | InteractionPredicate, options?: WaitOptions): Promise<Interaction>;
  /** One interaction on one line, without its secrets: `#3 GET /v1/books -> 404 state (listBooks)`. */
  describe(interaction: Interaction): string;
  /** Every interaction as JSON, without its secrets. */
  toJson(): readonly PlainInteraction[];
  /** Every interaction as one JSON object per line, without its secrets. */
  toNdjson(): string;
  /** Removes all interactions; numbers continue. */
  clear(): void;
}

/** A journal with what the server writes to it. */
export interface SessionJournal extends Journal {
  /** How many interactions there are. */
  readonly size: number;
  /** The newest interactions with a higher number, oldest first, and how many were left out. @param limit - How many at most. */
  after(number: number, limit: number): { readonly newest: readonly Interaction[]; readonly skipped: number };
  /**
   * Adds an interaction, which gets its number here.
   *
   * @param size - Bytes that the interaction keeps in memory; default 0.
   */
  add(interaction: NewInteraction, size?: number): Interaction;
  /** Gives the next interaction a number: those before it are not kept. */
  skipTo(number: number): void;
  /** Whether something waits for the next interaction. */
  readonly isAwaited: boolean;
  /** Subtracts its bytes from the total of all journals. */
  release(): void;
  /** One interaction as JSON, without its secrets. */
  readonly toPlain: ToPlain;
  /** The parts of an interaction that messages show, without its secrets. */
  readonly toTexts: ToTexts;
}

/** An interaction before it is added; the same object becomes the interaction, because this runs for every request. */
export type NewInteraction = Omit<Interaction, 'number'> & { number: number };

interface JournalParts {
  /** Maximum number of interactions. */
  readonly limit: number;
  /** Maximum size of all interactions in bytes; default: none. */
  readonly limitBytes?: number;
  /** Counts what all journals of a mock hold together; default: this journal is the only one. */
  readonly pool?: JournalPool;
  readonly operations: OperationNames;
  readonly toPlain: ToPlain;
  readonly toTexts: ToTexts;
}

/** An empty journal. */
export function createJournal(parts: JournalParts): SessionJournal {
  const { limit, limitBytes = Infinity, pool = createJournalPool(Infinity), operations, toPlain, toTexts } = parts;
  const ring = createRing({ count: limit, bytes: limitBytes }, pool);
  const { list } = ring;
  let count = 0;
  const waiting = createWaiting(toTexts);
  const toPredicate = (what: string | InteractionPredicate): InteractionPredicate => {
    if (typeof what === 'function') return what;
    const id = readOperationId(what, operations);
    return (interaction) => interaction.operation === id;
  };
  return {
    get interactions() {
      return list();
    },
    get dropped() {
      return ring.dropped;
    },
    get size() {
      return ring.size;
    },
    after: (number, limit) => {
      // A higher number than the last one is that of another journal: of a session with the same id, or before a restart.
      const missing = number > count ? count : count - number;
      const newest = missing === 0 ? [] : list().slice(-Math.min(missing, limit));
      return { newest, skipped: missing - newest.length };
    },
    release: ring.release,
    skipTo: (number) => void (count = number - 1),
    get isAwaited() {
      return waiting.isAwaited() || pool.isWatched();
    },
    add: (interaction, size = 0) => {
      count += 1;
      interaction.number = count;
      ring.add(interaction, size);
      waiting.notify(interaction);
      return interaction;
    },
    calls: (operation) => list().filter(toPredicate(operation)),
    filter: (predicate) => list().filter(predicate),
    last: (operation) => (operation === undefined ? list().at(-1) : list().findLast(toPredicate(operation))),
    waitFor: async (what, options = {}) => {
      requireOptions('waitFor', options, ['timeout', 'count', 'after']);
      return waiting.wait({ what, matches: toPredicate(what), before: list() }, options);
    },
    toPlain,
    toTexts,
    describe: (interaction) => describeInteraction(interaction, toTexts(interaction).url),
    toJson: () => list().map(toPlain),
    toNdjson: () =>
      list()
        .map((interaction) => `${writeJson(toPlain(interaction))}\n`)
        .join(''),
    clear: ring.clear,
  };
}

interface Wanted {
  /** An operation id or a predicate; for the message only. */
  readonly what: string | InteractionPredicate;
  readonly matches: InteractionPredicate;
  /** The interactions that are already there. */
  readonly before: readonly Interaction[];
}

const DEFAULT_TIMEOUT_MS = 5000;

/** Creates the waiters for interactions of one journal; nothing is polled. */
function createWaiting(toTexts: ToTexts) {
  const waiters = new Set<(interaction: Interaction) => void>();
  return {
    isAwaited: (): boolean => waiters.size > 0,
    /** Passes a new interaction on; costs nothing while nothing waits. */
    notify: (interaction: Interaction): void => {
      for (const waiter of waiters) waiter(interaction);
    },
    wait: (wanted: Wanted, options: WaitOptions): Promise<Interaction> =>
      new Promise((resolve, reject) => {
        const { timeout = DEFAULT_TIMEOUT_MS, count = 1, after = 0 } = options;
        const others: Interaction[] = [];
        let met = 0;
        const see = (interaction: Interaction): boolean => {
          if (interaction.number <= after) return false;
          if (!wanted.matches(interaction)) {
            others.push(interaction);
            return false;
          }
          met += 1;
          if (met < count) return false;
          resolve(interaction);
          return true;
        };
        for (const interaction of wanted.before) if (see(interaction)) return;
        const start = new Error('the place where the wait was started');
        const timer = setTimeout(() => {
          waiters.delete(waiter);
          reject(withStack(toTimeout(wanted, { timeout, count, met, others, toTexts }), start));
        }, timeout);
        const waiter = (interaction: Interaction): void => {
          try {
            if (!see(interaction)) return;
          } catch (error) {
            // The predicate belongs to the caller: its error rejects the wait, and does not reach the request.
            reject(error);
          }
          clearTimeout(timer);
          waiters.delete(waiter);
        };
        waiters.add(waiter);
      }),
  };
}

/** An error that shows where a test called, instead of the timer that made it. */
function withStack(error: MockError, { stack = '' }: Error): MockError {
  const calls = stack.slice(stack.indexOf('\n'));
  return Object.defineProperty(error, 'stack', { value: `${error.name}: ${error.message}${calls}` });
}

const MAX_OTHERS = 10;

function toTimeout(
  { what }: Wanted,
  {
    timeout,
    count,
    met,
    others,
    toTexts,
  }: Required<Omit<WaitOptions, 'after'>> & { met: number; others: readonly Interaction[]; toTexts: ToTexts },
): MockError {
  const wanted = typeof what === 'string' ? `call of ${what}` : 'interaction that the predicate selects';
  const missing = count === 1 ? `no ${wanted}` : `${met} of ${count} matching interactions (${wanted})`;
  const shown = others
    .slice(-MAX_OTHERS)
    .map((interaction) => `\n    ${describeInteraction(interaction, toTexts(interaction).url)}`);
  const more = others.length > MAX_OTHERS ? ` (the last ${MAX_OTHERS} of ${others.length})` : '';
  const list =
    others.length === 0 ? 'there was no other interaction either' : `other interactions${more}:${shown.join('')}`;
  const hint = 'check that the client uses this mock and this session; { timeout } sets a longer time in milliseconds';
  return new MockError('WAIT_TIMEOUT', `${missing} within ${timeout} ms; ${list}`, { hint });
}

/** Counts and limits the bytes that the journals of a mock hold together. */
export interface JournalPool {
  /** Counts bytes of a journal, which is used; then drops the oldest interactions of the journals that were not used for the longest time. */
  grow(drop: DropOldest, bytes: number): void;
  /** Subtracts bytes that were dropped. */
  shrink(bytes: number): void;
  /** Forgets a journal whose bytes were subtracted. */
  release(drop: DropOldest): void;
  /** Calls a function after each interaction. @returns ends that. */
  watch(watcher: () => void): () => void;
  /** Whether a function is called. */
  isWatched(): boolean;
}

/** Drops the oldest interactions of a journal while there is too much, unless fewer than `kept` would be left. */
type DropOldest = (isTooMuch: () => boolean, kept: 0 | 1) => void;

/** The pool of the journals of one mock. @param limitBytes - The most bytes that they may hold together. */
export function createJournalPool(limitBytes: number): JournalPool {
  // The one that was not used for the longest time is the first.
  const journals = new Set<DropOldest>();
  const watchers = new Set<() => void>();
  let latest: DropOldest | undefined;
  let total = 0;
  const isTooMuch = (): boolean => total > limitBytes;
  return {
    grow: (drop, bytes) => {
      if (watchers.size > 0) for (const watcher of watchers) watcher();
      total += bytes;
      if (drop !== latest) {
        journals.delete(drop);
        journals.add(drop);
        latest = drop;
      }
      for (const each of journals) {
        if (!isTooMuch()) return;
        each(isTooMuch, each === drop ? 1 : 0);
      }
    },
    shrink: (bytes) => void (total -= bytes),
    release: (drop) => {
      journals.delete(drop);
      if (drop === latest) latest = undefined;
    },
    watch: (watcher) => {
      watchers.add(watcher);
      return () => void watchers.delete(watcher);
    },
    isWatched: () => watchers.size > 0,
  };
}

/**
 * The interactions that are kept; when it is full, the oldest ones are dropped.
 *
 * @param limits - `bytes` counts all interactions together; the newest one is kept whatever its size.
 */
function createRing(limits: { readonly count: number; readonly bytes: number }, shared: JournalPool) {
  let pool = shared;
  let entries: { readonly interaction: Interaction; readonly size: number }[] = [];
  let bytes = 0;
  let dropped = 0;
  const dropOldest = (): void => {
    const { size = 0 } = entries.shift() ?? {};
    bytes -= size;
    pool.shrink(size);
    dropped += 1;
  };
  const clear = (): void => {
    pool.shrink(bytes);
    entries = [];
    bytes = 0;
    dropped = 0;
  };
  const drop: DropOldest = (isTooMuch, kept) => {
    while (entries.length > kept && isTooMuch()) dropOldest();
  };
  return {
    get dropped(): number {
      return dropped;
    },
    get size(): number {
      return entries.length;
    },
    add: (interaction: Interaction, size: number): void => {
      if (limits.count === 0) {
        dropped += 1;
        return;
      }
      entries.push({ interaction, size });
      bytes += size;
      while (entries.length > limits.count) dropOldest();
      while (bytes > limits.bytes && entries.length > 1) dropOldest();
      pool.grow(drop, size);
    },
    list: (): readonly Interaction[] => entries.map(({ interaction }) => interaction),
    clear,
    release: (): void => {
      clear();
      pool.release(drop);
      // A test that still has the session can use it.
      pool = createJournalPool(Infinity);
    },
  };
}

/** The operations of a contract: their ids by id and by `"GET /path"`. */
export type OperationNames = ReadonlyMap<string, string>;

/** The names of operations; an id that looks like the method and path of another operation is an id. */
export function nameOperations(operations: readonly Pick<Operation, 'id' | 'method' | 'path'>[]): OperationNames {
  const names = new Map(operations.map(({ id }) => [id, id]));
  for (const { id, method, path } of operations) {
    const route = `${method} ${path}`;
    if (!names.has(route)) names.set(route, id);
  }
  return names;
}

/** The id of an operation that is named. @throws MockError `OPERATION_UNKNOWN` with the nearest name. */
export function readOperationId(name: string, operations: OperationNames): string {
  const known = operations.get(name);
  if (known !== undefined) return known;
  const isRoute = name.includes(' ');
  const names = [...operations].flatMap(([each, id]) => (isRoute || each === id ? [each] : []));
  const shown = names.slice(0, MAX_OPERATIONS).join(', ') || 'no operations';
  const more = names.length > MAX_OPERATIONS ? ', …' : '';
  throw new MockError('OPERATION_UNKNOWN', `operation "${name}" is not in the contract`, {
    hint: suggest(name, names) ?? `the operations are ${shown}${more}`,
  });
}

const MAX_OPERATIONS = 12;
