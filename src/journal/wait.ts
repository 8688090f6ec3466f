import { MockError } from '../errors.js';
import { describeInteraction, type Interaction } from './interaction.js';

/** How `waitFor` waits. */
export interface WaitOptions {
  /** Milliseconds of real time until it fails; default 5,000. */
  readonly timeout?: number;
  /** How many matching interactions to wait for; the last one is returned. Default 1. */
  readonly count?: number;
  /** Only interactions with a higher number match; default 0. */
  readonly after?: number;
}

/** What is waited for. */
interface Wanted {
  /** An operation id or a predicate; for the message only. */
  readonly what: string | ((interaction: Interaction) => boolean);
  matches(interaction: Interaction): boolean;
  /** The interactions that are already there. */
  readonly before: readonly Interaction[];
}

/** What waits for an interaction of one journal. */
interface Waiting {
  /** Passes a new interaction on; costs nothing while nothing waits. */
  notify(interaction: Interaction): void;
  wait(wanted: Wanted, options: WaitOptions): Promise<Interaction>;
}

const DEFAULT_TIMEOUT_MS = 5000;

/** Creates an empty waiting list; nothing is polled. */
export function createWaiting(): Waiting {
  const waiters = new Set<(interaction: Interaction) => void>();
  return {
    notify: (interaction) => {
      if (waiters.size === 0) return;
      for (const waiter of waiters) waiter(interaction);
    },
    wait: (wanted, options) =>
      new Promise((resolve, reject) => {
        const { timeout = DEFAULT_TIMEOUT_MS, count = 1, after = 0 } = options;
        const others: Interaction[] = [];
        let met = 0;
        const see = (interaction: Interaction): boolean => {
          if (interaction.number <= after) return false;
          if (!wanted.matches(interaction)) {
            others.push(interaction);
            return false;
          }
          met += 1;
          if (met < count) return false;
          resolve(interaction);
          return true;
        };
        for (const interaction of wanted.before) if (see(interaction)) return;
        const timer = setTimeout(() => {
          waiters.delete(waiter);
          reject(toTimeout(wanted, { timeout, count, met, others }));
        }, timeout);
        const waiter = (interaction: Interaction): void => {
          try {
            if (!see(interaction)) return;
          } catch (error) {
            // The predicate belongs to the caller: its error rejects the wait, and does not reach the request.
            reject(error);
          }
          clearTimeout(timer);
          waiters.delete(waiter);
        };
        waiters.add(waiter);
      }),
  };
}

const MAX_OTHERS = 10;

function toTimeout(
  { what }: Wanted,
  {
    timeout,
    count,
    met,
    others,
  }: Required<Omit<WaitOptions, 'after'>> & { met: number; others: readonly Interaction[] },
): MockError {
  const wanted = typeof what === 'string' ? `call of ${what}` : 'interaction that the predicate selects';
  const missing = count === 1 ? `no ${wanted}` : `${met} of ${count} matching interactions (${wanted})`;
  const shown = others.slice(-MAX_OTHERS).map((interaction) => `\n    ${describeInteraction(interaction)}`);
  const more = others.length > MAX_OTHERS ? ` (the last ${MAX_OTHERS} of ${others.length})` : '';
  const list =
    others.length === 0 ? 'there was no other interaction either' : `other interactions${more}:${shown.join('')}`;
  const hint = 'check that the client uses this mock and this session; { timeout } sets a longer time in milliseconds';
  return new MockError('WAIT_TIMEOUT', `${missing} within ${timeout} ms; ${list}`, { hint });
}
