import type { Clock } from '../clock.js';
import type { Journal } from '../journal/journal.js';
import type { Store } from '../state/store.js';

/** One client's world. */
export interface Session {
  readonly id: string;
  readonly seed: number;
  readonly clock: Clock;
  readonly store: Store;
  readonly journal: Journal;
}
