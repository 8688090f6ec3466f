import { MockError } from '../errors.js';
import { describeInteraction, type Interaction } from './interaction.js';

/** How long and for how many to wait. */
export interface WaitOptions {
  /** Real milliseconds until it fails; default 5,000. */
  readonly timeout?: number;
  /** How many must be meant before it is over: the last of them is what comes back; default 1. */
  readonly count?: number;
  /** Only interactions with a higher number count; default 0. */
  readonly after?: number;
}

/** What is waited for. */
interface Wanted {
  /** An operation id, or the predicate itself: for the message only. */
  readonly what: string | ((interaction: Interaction) => boolean);
  isMeant(interaction: Interaction): boolean;
  /** What was there when the waiting began. */
  readonly before: readonly Interaction[];
}

/** Everybody who waits for an interaction of one journal. */
interface Waiting {
  /** Tells of an interaction that came; costs nothing while nobody waits. */
  tell(interaction: Interaction): void;
  wait(wanted: Wanted, options: WaitOptions): Promise<Interaction>;
}

const DEFAULT_TIMEOUT_MS = 5000;

/** Nobody waits yet. Nothing is polled: an interaction that is added wakes those it is for. */
export function createWaiting(): Waiting {
  const waiters = new Set<(interaction: Interaction) => void>();
  return {
    tell: (interaction) => {
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
          if (!wanted.isMeant(interaction)) {
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
            // The predicate is the caller's: its error is theirs, never that of the request that was being answered.
            reject(error);
          }
          clearTimeout(timer);
          waiters.delete(waiter);
        };
        waiters.add(waiter);
      }),
  };
}

interface Timeout {
  readonly timeout: number;
  readonly count: number;
  readonly met: number;
  readonly others: readonly Interaction[];
}

const SHOWN_OTHERS = 10;

function toTimeout({ what }: Wanted, { timeout, count, met, others }: Timeout): MockError {
  const wanted = typeof what === 'string' ? `call of ${what}` : 'interaction that meets the predicate';
  const missing = count === 1 ? `no ${wanted} came` : `${met} of ${count} came of what was waited for (${wanted})`;
  const shown = others.slice(-SHOWN_OTHERS).map((interaction) => `\n    ${describeInteraction(interaction)}`);
  const more = others.length > SHOWN_OTHERS ? ` (the last ${SHOWN_OTHERS} of ${others.length})` : '';
  const instead = others.length === 0 ? 'nothing else came either' : `what came instead${more}:${shown.join('')}`;
  return new MockError('WAIT_TIMEOUT', `${missing} within ${timeout} ms; ${instead}`, {
    hint: 'is the client pointed at this mock and at this session? A longer time is given with { timeout }',
  });
}
