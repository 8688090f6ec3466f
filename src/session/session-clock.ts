import { type Clock, createRealClock, createVirtualClock, readInstant } from '../clock.js';

/** What a mock may be told about time: `'real'` for the machine's, an instant to stand still at, or a clock of the caller's own. */
export type ClockOption = number | string | Date | Clock | undefined;

/** The clock of one session, and the way back to where it began. */
export interface SessionClock {
  readonly clock: Clock;
  /** Where the clock stands; undefined where it is not the session's to move. */
  read(): number | undefined;
  /** Moves it to what `read` gave; nothing happens where it is not the session's to move. */
  write(instant: number | undefined): void;
}

/**
 * What makes the clocks of sessions: each one gets its own, but for one that the caller made, which all of them share.
 *
 * @throws MockError `CLOCK_INVALID`.
 */
export function createSessionClocks(option: ClockOption): () => SessionClock {
  if (option === 'real') return () => toShared(createRealClock());
  if (typeof option === 'object' && !(option instanceof Date)) return () => toShared(option);
  const start = option === undefined ? undefined : readInstant(option);
  return () => {
    // Nobody is there to move a clock that a request sleeps by: a delay moves it, and costs no time.
    const clock = createVirtualClock(start, { autoAdvance: true });
    return {
      clock,
      read: () => clock.now(),
      write: (instant) => {
        if (instant !== undefined && instant !== clock.now()) clock.set(instant);
      },
    };
  };
}

/** A clock that no session may move back: it is the machine's, or everybody's. */
function toShared(clock: Clock): SessionClock {
  return { clock, read: () => undefined, write: () => undefined };
}
