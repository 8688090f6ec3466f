import type { Clock } from '../base/clock.js';

/** State that several processes share. */
export interface SharedState {
  /** Brings the session of a request, and what all sessions have in common, to what other processes have written until now. */
  arrive(readId: () => string | undefined): Promise<void>;
  /** Resolves once what all sessions have in common is written. @throws MockError `STORE_UNREACHABLE`. */
  settle(): Promise<void>;
  /** Brings all sessions to what other processes have written until now. */
  refresh(): Promise<void>;
  /** Resolves once everything that was changed here is written. @throws MockError `STORE_UNREACHABLE`. */
  flush(): Promise<void>;
  /** The clock for delays and time windows on a socket, on which real time passes as in the other processes. */
  toSocketClock(clock: Clock): Clock;
}

/** The same object with other methods in place of some; members that are computed stay so. */
export function withMethods<Target extends object>(target: Target, methods: Partial<Target>): Target {
  return Object.defineProperties(
    {},
    { ...Object.getOwnPropertyDescriptors(target), ...Object.getOwnPropertyDescriptors(methods) },
  ) as Target;
}
