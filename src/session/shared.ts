import type { Clock } from '../base/clock.js';

/** State that several processes share. */
export interface SharedState {
  /** Reads what other processes have written, for a request. @param readId - The session that the request names. */
  arrive(readId: () => string | undefined): Promise<void>;
  /** Resolves when what requests have changed until now is written. */
  settle(): Promise<void>;
  /** Reads what other processes have written to all sessions. */
  refresh(): Promise<void>;
  /** Resolves when everything is written. */
  flush(): Promise<void>;
  /** The clock by which delays of an answer pass. */
  toSocketClock(clock: Clock): Clock;
}

/** The same object with other methods in place of some; members that are computed stay so. */
export function withMethods<Target extends object>(target: Target, methods: Partial<Target>): Target {
  return Object.defineProperties(
    {},
    { ...Object.getOwnPropertyDescriptors(target), ...Object.getOwnPropertyDescriptors(methods) },
  ) as Target;
}
