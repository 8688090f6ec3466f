import type { StoredExchange } from '../cassette/cassette.js';
import type { MatchedSequence } from './match.js';

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
  /** Counts a newly recorded exchange as replayed. */
  pass(cassette: string, key: string): void;
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
}

/** A call without a recording. */
export interface Miss {
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

/** Creates the state of a session that has not replayed anything. */
export function createReplayState(): ReplayState {
  let cursors = new Map<string, number>();
  let misses: readonly Miss[] = [];
  let current: string | undefined;
  return {
    get cassette() {
      return current;
    },
    get misses() {
      return misses;
    },
    next: (cassette, { key, exchanges }) => {
      const cursor = cursors.get(`${cassette}\n${key}`) ?? 0;
      const isRepeated = cursor >= exchanges.length;
      const position = isRepeated ? exchanges.length : cursor + 1;
      cursors.set(`${cassette}\n${key}`, position);
      // A sequence is never empty.
      return { exchange: exchanges[position - 1] as StoredExchange, position, isRepeated };
    },
    isSpent: (cassette, { key, exchanges }) => (cursors.get(`${cassette}\n${key}`) ?? 0) >= exchanges.length,
    pass: (cassette, key) => {
      const cursor = `${cassette}\n${key}`;
      cursors.set(cursor, (cursors.get(cursor) ?? 0) + 1);
    },
    miss: (miss) => {
      if (misses.length < MAX_MISSES) misses = [...misses, miss];
    },
    use: (cassette) => {
      current = cassette;
    },
    reset: () => {
      cursors.clear();
      misses = [];
    },
    snapshot: () => ({ cassette: current, cursors: Object.fromEntries(cursors) }),
    restore: (snapshot) => {
      current = snapshot.cassette;
      cursors = new Map(Object.entries(snapshot.cursors));
    },
  };
}
