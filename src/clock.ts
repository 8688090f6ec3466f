import { setTimeout as setTimer } from 'node:timers/promises';
import { MockError } from './errors.js';

/** The one source of time of a mock: dates in answers, rate-limit windows and delays all read it. */
export interface Clock {
  /** Milliseconds since 1970-01-01T00:00:00Z. */
  now(): number;
  /** Resolves once the clock has moved that many milliseconds on; rejects with the signal's reason when that aborts first. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** A clock that stands still until it is told to move. */
export interface VirtualClock extends Clock {
  /** Moves to an instant: milliseconds since 1970, a Date or an ISO 8601 text. Wakes the sleepers it passes. */
  set(instant: number | string | Date): void;
  /** Moves on by that many milliseconds. */
  advance(ms: number): void;
  /** Whether sleeping moves it on, so that nobody ever waits. */
  readonly autoAdvance: boolean;
}

/** Where a virtual clock stands when nobody says otherwise: 2026-01-01T00:00:00Z. */
export const DEFAULT_INSTANT: number = Date.UTC(2026, 0, 1);

/** The machine's own clock. */
interface RealClock extends Clock {
  /** The same time for somebody on a socket: who sleeps by it keeps no process alive. */
  readonly unheld: Clock;
}

/** The machine's own clock. */
export function createRealClock(): RealClock {
  const now = (): number => Date.now();
  return { now, sleep: (ms, signal) => wait(ms, { signal }), unheld: { now, sleep: sleepUnheld } };
}

function sleepUnheld(ms: number, signal?: AbortSignal): Promise<void> {
  return wait(ms, { signal, ref: false });
}

/** The longest a timer can be set to: a longer one would go off at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

async function wait(
  ms: number,
  options: { readonly signal?: AbortSignal | undefined; readonly ref?: boolean },
): Promise<void> {
  const { signal, ref = true } = options;
  try {
    await setTimer(Math.min(ms, LONGEST_TIMER_MS), undefined, signal === undefined ? { ref } : { ref, signal });
  } catch (error) {
    // The platform wraps the reason in an error of its own.
    throw signal?.aborted === true ? signal.reason : error;
  }
}

/**
 * The clock as somebody on a socket meets it, where real time passes: they wait for real, and windows of time pass for them, even
 * where the clock stands still for the dates in answers. Somebody who waits keeps no process alive: the socket does.
 *
 * A clock that a test moves by hand stays what it is.
 */
export function toSocketClock(clock: Clock): Clock {
  if (isRealClock(clock)) return clock.unheld;
  if (!isVirtualClock(clock) || !clock.autoAdvance) return clock;
  return { now: () => clock.now() + performance.now(), sleep: sleepUnheld };
}

/** How a virtual clock treats those who sleep by it. */
interface VirtualClockOptions {
  /** Whether sleeping moves the clock on instead of waiting for somebody to do so; default false. */
  readonly autoAdvance?: boolean;
}

/** A clock that a test moves; it stands at `start` (default `DEFAULT_INSTANT`) until then. */
export function createVirtualClock(
  start: number | string | Date = DEFAULT_INSTANT,
  options: VirtualClockOptions = {},
): VirtualClock {
  let current = readInstant(start);
  let sleepers: { readonly at: number; readonly wake: () => void }[] = [];
  const moveTo = (instant: number): void => {
    current = instant;
    const due = sleepers.filter((sleeper) => sleeper.at <= current).toSorted((x, y) => x.at - y.at);
    sleepers = sleepers.filter((sleeper) => sleeper.at > current);
    for (const sleeper of due) sleeper.wake();
  };
  return {
    autoAdvance: options.autoAdvance ?? false,
    now: () => current,
    sleep: (ms, signal) => {
      if (signal?.aborted === true) return Promise.reject(signal.reason as Error);
      if (ms <= 0) return Promise.resolve();
      return new Promise((resolve, reject) => {
        const abort = (): void => {
          sleepers = sleepers.filter((other) => other !== sleeper);
          reject(signal?.reason);
        };
        const wake = (): void => {
          signal?.removeEventListener('abort', abort);
          resolve();
        };
        const sleeper = { at: current + ms, wake };
        sleepers.push(sleeper);
        signal?.addEventListener('abort', abort, { once: true });
        // In a later turn, so that those who go to sleep in the same one sleep side by side, not one after the other.
        if (options.autoAdvance === true) setImmediate(() => moveTo(Math.max(current, sleeper.at)));
      });
    },
    set: (instant) => moveTo(readInstant(instant)),
    advance: (ms) => moveTo(current + ms),
  };
}

function isRealClock(clock: Clock): clock is RealClock {
  return 'unheld' in clock;
}

/** Whether a clock can be moved. */
export function isVirtualClock(clock: Clock): clock is VirtualClock {
  return 'set' in clock && 'advance' in clock;
}

/** Milliseconds since 1970 of an instant in any of its three forms. @throws MockError `CLOCK_INVALID`. */
export function readInstant(instant: number | string | Date): number {
  const ms = typeof instant === 'number' ? instant : new Date(instant).getTime();
  if (Number.isFinite(ms)) return ms;
  throw new MockError('CLOCK_INVALID', `${JSON.stringify(instant)} is not a point in time`, {
    hint: 'give milliseconds since 1970, a Date, or an ISO 8601 text such as "2026-01-01T00:00:00Z"',
  });
}
