import type { Clock } from '../clock.js';
import { createJournal, type Journal } from '../journal/journal.js';
import type { Store } from '../state/store.js';

/** One client's world. */
export interface Session {
  readonly id: string;
  readonly seed: number;
  readonly clock: Clock;
  readonly store: Store;
  readonly journal: Journal;
  /** Back to how the session began: fixtures and journal. */
  reset(): void;
}

/** What every session of one mock is made from. */
export interface SessionParts {
  readonly seed: number;
  /** How many interactions a journal keeps. */
  readonly journalLimit: number;
  createClock(): Clock;
  createStore(clock: Clock): Store;
}

/** A new session that starts from the fixtures. */
export function createSession(id: string, parts: SessionParts): Session {
  const clock = parts.createClock();
  const store = parts.createStore(clock);
  const journal = createJournal(parts.journalLimit);
  return {
    id,
    seed: parts.seed,
    clock,
    store,
    journal,
    reset: () => {
      store.reset();
      journal.clear();
    },
  };
}
