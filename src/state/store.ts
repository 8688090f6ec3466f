import type { Clock } from '../clock.js';

/** In-memory state of one session: named collections that start from fixtures. */
export interface Store {
  /** Back to the fixtures. */
  reset(): void;
}

/** What a store is made with besides its fixtures. */
export interface StoreOptions {
  readonly seed: number;
  readonly clock: Clock;
}
