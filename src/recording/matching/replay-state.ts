import { MockError } from '../../errors.js';
import type { StoredExchange } from '../cassette/cassette.js';
import type { MatchedSequence } from './match.js';

/** Where one session stands in the recordings. */
export interface ReplayState {
  /** The cassette in use; undefined: the mock's own. */
  readonly cassette: string | undefined;
  /** Calls that no recording fitted, oldest first; the first thousand of them. */
  readonly misses: readonly Miss[];
  /** The exchange whose turn it is; a sequence that ran out holds its last one. */
  next(cassette: string, sequence: MatchedSequence): ReplayTurn;
  /** Whether a sequence has run out, so that `next` would hold its last exchange. */
  isSpent(cassette: string, sequence: MatchedSequence): boolean;
  /** Counts an exchange that was recorded just now as replayed. */
  pass(cassette: string, key: string): void;
  miss(miss: Miss): void;
  /** Puts another cassette in; its sequences go on where they were. */
  use(cassette: string): void;
  /** Every sequence from its beginning, no misses. */
  reset(): void;
  /** How far every sequence is. */
  snapshot(): ReplaySnapshot;
  /** Back to how far the sequences were; misses stay. */
  restore(snapshot: ReplaySnapshot): void;
}

/** How far the sequences of a session are; plain data. */
export interface ReplaySnapshot {
  readonly cassette: string | undefined;
  readonly cursors: Readonly<Record<string, number>>;
}

/** A call that no recording fitted. */
interface Miss {
  readonly operation: string;
  readonly method: string;
  readonly url: string;
  /** The nearest exchanges with their differences, as text. */
  readonly message: string;
}

/** One exchange of a sequence. */
interface ReplayTurn {
  readonly exchange: StoredExchange;
  /** Counts from 1. */
  readonly position: number;
  /** Whether the sequence had run out before. */
  readonly held: boolean;
}

const REMEMBERED_MISSES = 1000;

/** The state of a session that has replayed nothing yet. */
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
      const held = cursor >= exchanges.length;
      const position = held ? exchanges.length : cursor + 1;
      cursors.set(`${cassette}\n${key}`, position);
      // A sequence is never empty, so that there is one at every position up to its length.
      return { exchange: exchanges[position - 1] as StoredExchange, position, held };
    },
    isSpent: (cassette, { key, exchanges }) => (cursors.get(`${cassette}\n${key}`) ?? 0) >= exchanges.length,
    pass: (cassette, key) => {
      const cursor = `${cassette}\n${key}`;
      cursors.set(cursor, (cursors.get(cursor) ?? 0) + 1);
    },
    miss: (miss) => {
      if (misses.length < REMEMBERED_MISSES) misses = [...misses, miss];
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

/** Fails where calls came that no recording fitted. @throws MockError `RECORDING_MISS` that lists them with what is nearest. */
export function assertNoMisses(misses: readonly Miss[]): void {
  if (misses.length === 0) return;
  const count = misses.length === 1 ? 'one call' : `${misses.length} calls`;
  throw new MockError(
    'RECORDING_MISS',
    `${count} had no recording:\n${misses.map(({ message }) => message).join('\n')}`,
    {
      hint: 'record what is missing with mode "record-missing", or name what need not be the same in the manifest\'s `match`',
    },
  );
}
