import type { Interaction } from './interaction.js';

/** The interactions that are kept. */
interface Ring {
  readonly dropped: number;
  /** @param size - Bytes of the bodies it holds on to, roughly. */
  add(interaction: Interaction, size: number): void;
  list(): readonly Interaction[];
  clear(): void;
}

/** How much a ring keeps. */
interface RingLimits {
  readonly count: number;
  /** Of all bodies together; the newest interaction stays whatever its size. */
  readonly bytes: number;
}

interface Entry {
  readonly interaction: Interaction;
  readonly size: number;
}

/** An empty ring: where it is full the oldest entries give way to the newest, and hardly any is moved. */
export function createRing(limits: RingLimits): Ring {
  let entries: (Entry | undefined)[] = [];
  // Where the oldest one stands; what is before it is gone.
  let start = 0;
  let bytes = 0;
  let dropped = 0;
  const dropOldest = (): void => {
    bytes -= entries[start]?.size ?? 0;
    entries[start] = undefined;
    start += 1;
    dropped += 1;
    // Moved once in as many steps as there are entries.
    if (start > limits.count) {
      entries = entries.slice(start);
      start = 0;
    }
  };
  return {
    get dropped() {
      return dropped;
    },
    add: (interaction, size) => {
      if (limits.count === 0) {
        dropped += 1;
        return;
      }
      entries.push({ interaction, size });
      bytes += size;
      while (entries.length - start > limits.count) dropOldest();
      while (bytes > limits.bytes && entries.length - start > 1) dropOldest();
    },
    list: () => entries.slice(start).flatMap((entry) => (entry === undefined ? [] : [entry.interaction])),
    clear: () => {
      entries = [];
      start = 0;
      bytes = 0;
      dropped = 0;
    },
  };
}
