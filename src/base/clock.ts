import { MockError } from './errors.js';
import { clearTimeout, delay, MAX_TIMER_MS, readMonotonic, setImmediate, setTimeout } from './platform.js';

/** The source of time of a mock: dates in answers, rate-limit windows and delays all use it. */
export interface Clock {
  /** Milliseconds since 1970-01-01T00:00:00Z. */
  now(): number;
  /** Resolves when the clock has advanced by `ms` milliseconds; rejects with the reason of the signal if it is aborted before. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** A clock that moves only when it is set or advanced. */
export interface VirtualClock extends Clock {
  /**
   * Sets the time: milliseconds since 1970, a Date or an ISO 8601 string. Resolves each `sleep` that is due.
   *
   * @throws MockError `CLOCK_INVALID` where it is not an instant of the years 0 to 9999.
   */
  set(instant: number | string | Date): void;
  /**
   * Advances the time by `ms` milliseconds. Resolves each `sleep` that is due.
   *
   * @throws MockError `CLOCK_INVALID` where the result is not an instant of the years 0 to 9999.
   */
  advance(ms: number): void;
  /** Whether `sleep` advances the clock instead of waiting. */
  readonly autoAdvance: boolean;
}

/** The default start of a virtual clock: 2026-01-01T00:00:00Z. */
export const DEFAULT_INSTANT: number = Date.UTC(2026, 0, 1);

interface RealClock extends Clock {
  /** The same time; its timers do not keep the process alive. */
  readonly unref: Clock;
}

/** Creates a clock that shows the time of the machine. */
export function createRealClock(): Clock {
  const now = (): number => Date.now();
  const clock: RealClock = { now, sleep: (ms, signal) => wait(ms, { signal }), unref: { now, sleep: sleepUnref } };
  return clock;
}

function sleepUnref(ms: number, signal?: AbortSignal): Promise<void> {
  return wait(ms, { signal, ref: false });
}

async function wait(
  ms: number,
  options: { readonly signal?: AbortSignal | undefined; readonly ref?: boolean },
): Promise<void> {
  const { signal, ref = true } = options;
  try {
    await delay(Math.min(ms, MAX_TIMER_MS), undefined, signal === undefined ? { ref } : { ref, signal });
  } catch (error) {
    // Node.js wraps the reason in an AbortError.
    throw signal?.aborted === true ? signal.reason : error;
  }
}

/**
 * Converts a clock for requests on a socket: delays and rate-limit windows use real time there, while dates in answers keep the
 * time of the virtual clock. Its timers do not keep the process alive, since the socket does.
 *
 * A virtual clock without `autoAdvance` is returned unchanged: the test moves it.
 *
 * @param readElapsed - Milliseconds of real time, from any start.
 */
export function toSocketClock(clock: Clock, readElapsed: () => number = readMonotonic): Clock {
  if (isRealClock(clock)) return clock.unref;
  if (!isVirtualClock(clock) || !clock.autoAdvance) return clock;
  return { now: () => clock.now() + readElapsed(), sleep: sleepUnref };
}

/** Options of a virtual clock. */
export interface VirtualClockOptions {
  /** Whether `sleep` advances the clock instead of waiting until it is moved; default false. */
  readonly autoAdvance?: boolean;
}

/**
 * Creates a clock that a test moves.
 *
 * @param start - Milliseconds since 1970, a Date or an ISO 8601 string; default 2026-01-01T00:00:00Z.
 * @throws MockError `CLOCK_INVALID` where `start` is not an instant of the years 0 to 9999.
 */
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
        // In a later turn of the event loop, so that delays started in the same turn run in parallel.
        if (options.autoAdvance === true) setImmediate(() => moveTo(Math.max(current, sleeper.at)));
      });
    },
    set: (instant) => moveTo(readInstant(instant)),
    advance: (ms) => moveTo(readInstant(current + ms)),
  };
}

function isRealClock(clock: Clock): clock is RealClock {
  return 'unref' in clock;
}

/**
 * The result of a promise that has a limited time, by the clock of the machine; the timer does not keep the process running.
 *
 * @throws Error with the message when the time is over.
 */
export function withTimeout<Result>(result: Promise<Result>, ms: number, message: string): Promise<Result> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(message)), Math.min(ms, MAX_TIMER_MS));
    timer.unref();
    result.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

/** Whether a clock can be moved. */
export function isVirtualClock(clock: Clock): clock is VirtualClock {
  return 'set' in clock && 'advance' in clock;
}

/** The dates that an answer can show: RFC 3339 5.6 has years of four digits. */
const FIRST_INSTANT = Date.parse('0000-01-01T00:00:00Z');
const LAST_INSTANT = Date.parse('9999-12-31T23:59:59.999Z');

/** Reads an instant as milliseconds since 1970. @throws MockError `CLOCK_INVALID`. */
export function readInstant(instant: number | string | Date): number {
  const ms = typeof instant === 'number' ? instant : new Date(instant).getTime();
  if (ms >= FIRST_INSTANT && ms <= LAST_INSTANT) return ms;
  throw new MockError('CLOCK_INVALID', `${JSON.stringify(instant)} is not a point in time`, {
    hint: 'give milliseconds since 1970, a Date, or an ISO 8601 string such as "2026-01-01T00:00:00Z"',
  });
}

/** An instant as a date of RFC 3339: the nearest one that it can show, and that of 1970 for a clock without a time. */
export function toDateTime(ms: number): string {
  return new Date(Math.min(Math.max(ms, FIRST_INSTANT), LAST_INSTANT) || 0).toISOString();
}

/** A day in milliseconds. */
export const DAY_MS = 86_400_000;

/** The beginning of a day (UTC), in milliseconds since 1970 as the instant in it. */
export function toDay(instant: number): number {
  return Math.floor(instant / DAY_MS) * DAY_MS;
}
