import { readMonotonic, setImmediate } from './platform.js';

/** Limits how long requests are answered within one turn of the event loop, so that it serves connections and timers in between. */
export interface TurnLimit {
  /**
   * Lets a request begin.
   *
   * @param now - By `performance.now()`.
   * @returns Undefined while the turn has time left, else a promise that resolves in a later turn; in the order of the calls.
   */
  begin(now: number): Promise<void> | undefined;
}

/** How long requests are answered in one turn, in milliseconds; the last one may take longer. */
const TURN_MS = 20;

/** Creates the limit of one mock. A turn is watched only once requests have taken this long, so that others cost one comparison. */
export function createTurnLimit(): TurnLimit {
  const waiting: (() => void)[] = [];
  let endsAt = 0;
  let isWatched = false;
  const runWaiting = async (): Promise<void> => {
    endsAt = readMonotonic() + TURN_MS;
    while (waiting.length > 0 && readMonotonic() < endsAt) {
      waiting.shift()?.();
      // Until the request has done what it does at once.
      await Promise.resolve();
    }
    isWatched = waiting.length > 0;
    if (isWatched) setImmediate(() => void runWaiting());
  };
  return {
    begin: (now) => {
      if (now < endsAt && waiting.length === 0) return undefined;
      if (!isWatched) {
        isWatched = true;
        endsAt = now + TURN_MS;
        setImmediate(() => void runWaiting());
        return undefined;
      }
      return new Promise((resolve) => void waiting.push(resolve));
    },
  };
}
