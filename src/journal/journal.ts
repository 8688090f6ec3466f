import type { Interaction } from './interaction.js';

/** The record of one session's interactions, bounded: the oldest are dropped first. */
export interface Journal {
  readonly interactions: readonly Interaction[];
  /** How many were dropped because the journal was full. */
  readonly dropped: number;
  add(interaction: Omit<Interaction, 'number'>): Interaction;
  /** Those of one operation, in order. */
  calls(operation: string): readonly Interaction[];
  filter(predicate: (interaction: Interaction) => boolean): readonly Interaction[];
  last(operation?: string): Interaction | undefined;
  clear(): void;
}

/** An empty journal that keeps the last `limit` interactions. */
export function createJournal(limit: number): Journal {
  // A ring: `start` is the oldest entry, so that dropping one costs no copy.
  let ring: Interaction[] = [];
  let start = 0;
  let count = 0;
  let dropped = 0;
  const list = (): readonly Interaction[] => [...ring.slice(start), ...ring.slice(0, start)];
  return {
    get interactions() {
      return list();
    },
    get dropped() {
      return dropped;
    },
    add: (interaction) => {
      count += 1;
      const entry: Interaction = { number: count, ...interaction };
      if (ring.length < limit) {
        ring.push(entry);
      } else if (limit > 0) {
        ring[start] = entry;
        start = (start + 1) % limit;
        dropped += 1;
      }
      return entry;
    },
    calls: (operation) => list().filter((interaction) => interaction.operation === operation),
    filter: (predicate) => list().filter(predicate),
    last: (operation) =>
      list().findLast((interaction) => operation === undefined || interaction.operation === operation),
    clear: () => {
      ring = [];
      start = 0;
      dropped = 0;
    },
  };
}
