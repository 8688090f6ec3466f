import type { StoredExchange } from '../cassette/cassette.js';
import type { MatchedSequence } from './exchange-index.js';
import type { ReplacedValue } from './volatile.js';

/** The replay position of one session. */
export interface ReplayState {
  /** The selected cassette; undefined for that of the mock. */
  readonly cassette: string | undefined;
  /** Calls without a recording, oldest first; at most 1,000. */
  readonly misses: readonly Miss[];
  /** Advances a sequence; after its end, the last exchange is repeated. */
  next(cassette: string, sequence: MatchedSequence): ReplayTurn;
  /** Whether a sequence has ended, so that `next` would repeat its last exchange. */
  isSpent(cassette: string, sequence: MatchedSequence): boolean;
  /** Counts a newly recorded exchange as replayed; its key is read when a position is first needed. */
  pass(cassette: string, readKey: () => string | undefined): void;
  /** Recorded values by those that the client sent in their place; undefined without any. */
  readonly values: ReadonlyMap<string, string> | undefined;
  /** Remembers values that the client sent in place of recorded ones. */
  learn(replaced: readonly ReplacedValue[]): void;
  miss(miss: Miss): void;
  /** Selects a cassette; its sequences keep their positions. */
  use(cassette: string): void;
  /** Restarts every sequence and clears the misses. */
  reset(): void;
  /** The positions of all sequences. */
  snapshot(): ReplaySnapshot;
  /** Restores the positions of all sequences; misses stay. */
  restore(snapshot: ReplaySnapshot): void;
}

/** The positions of a session's sequences; plain data. */
export interface ReplaySnapshot {
  readonly cassette: string | undefined;
  readonly cursors: Readonly<Record<string, number>>;
  /** Recorded values by those that the client sent in their place. */
  readonly values?: Readonly<Record<string, string>>;
}

/** A call without a recording. */
interface Miss {
  readonly operation: string;
  readonly method: string;
  readonly url: string;
  /** The most similar exchanges with their differences. */
  readonly message: string;
}

/** An exchange of a sequence with its position. */
interface ReplayTurn {
  readonly exchange: StoredExchange;
  /** Counts from 1. */
  readonly position: number;
  /** Whether the sequence had already ended. */
  readonly isRepeated: boolean;
}

const MAX_MISSES = 1000;
const MAX_VALUES = 1000;

/** Creates the state of a session that has not replayed anything. */
export function createReplayState(): ReplayState {
  let positions = new Map<string, number>();
  // The newly recorded exchanges that are not counted yet.
  let passed: (readonly [cassette: string, readKey: () => string | undefined])[] = [];
  let misses: readonly Miss[] = [];
  let current: string | undefined;
  let values: ReadonlyMap<string, string> | undefined;
  const read = (cassette: string, key: string): number => positions.get(`${cassette}\n${key}`) ?? 0;
  const set = (cassette: string, key: string, position: number): void =>
    void positions.set(`${cassette}\n${key}`, position);
  const countPassed = (): void => {
    const keys = passed.splice(0).map(([cassette, readKey]) => [cassette, readKey()] as const);
    for (const [cassette, key] of keys) if (key !== undefined) set(cassette, key, read(cassette, key) + 1);
  };
  const isSpent: ReplayState['isSpent'] = (cassette, { key, exchanges }) => {
    countPassed();
    return read(cassette, key) >= exchanges.length;
  };
  return {
    get cassette() {
      return current;
    },
    get misses() {
      return misses;
    },
    next: (cassette, sequence) => {
      const isRepeated = isSpent(cassette, sequence);
      const position = isRepeated ? sequence.exchanges.length : read(cassette, sequence.key) + 1;
      set(cassette, sequence.key, position);
      // A sequence is never empty.
      return { exchange: sequence.exchanges[position - 1] as StoredExchange, position, isRepeated };
    },
    isSpent,
    pass: (cassette, readKey) => void passed.push([cassette, readKey]),
    get values() {
      return values;
    },
    learn: (replaced) => {
      const learned = replaced.map(([recorded, received]) => [received, recorded] as const);
      // The latest ones: a client makes more of them in each run.
      if (learned.length > 0) values = new Map([...(values ?? []), ...learned].slice(-MAX_VALUES));
    },
    miss: (miss) => {
      if (misses.length < MAX_MISSES) misses = [...misses, miss];
    },
    use: (cassette) => void (current = cassette),
    reset: () => {
      [positions, passed, misses] = [new Map(), [], []];
      values = undefined;
    },
    snapshot: () => {
      countPassed();
      const cursors = Object.fromEntries(positions);
      return { cassette: current, cursors, ...(values && { values: Object.fromEntries(values) }) };
    },
    restore: (snapshot) => {
      current = snapshot.cassette;
      [positions, passed] = [new Map(Object.entries(snapshot.cursors)), []];
      values = snapshot.values && new Map(Object.entries(snapshot.values));
    },
  };
}
