import { createHistogram, type Metric } from '../../base/metrics.js';
import { readMonotonic } from '../../base/platform.js';

/** Counts the commands that one process sends to a store. */
export interface StoreMetrics {
  /** Counts a command, and returns what it results in. @param isExpected - Whether an error is a reply that the caller can use. */
  count<Result>(command: Promise<Result>, isExpected: (error: unknown) => boolean): Promise<Result>;
  read(): readonly Metric[];
}

/** The metrics of a store that was sent nothing. */
export function createStoreMetrics(): StoreMetrics {
  const counts = { ok: 0, error: 0 };
  const duration = createHistogram();
  return {
    count: async (command, isExpected) => {
      const startedAt = readMonotonic();
      const end = (result: keyof typeof counts): void => {
        counts[result] += 1;
        duration.observe(readMonotonic() - startedAt);
      };
      try {
        const reply = await command;
        end('ok');
        return reply;
      } catch (error) {
        end(isExpected(error) ? 'ok' : 'error');
        throw error;
      }
    },
    read: () => [
      {
        name: 'vouch_store_commands_total',
        type: 'counter',
        help: 'Commands sent to Redis, each with a reply of its own.',
        samples: Object.entries(counts).map(([result, value]) => ({ labels: { result }, value })),
      },
      {
        name: 'vouch_store_command_duration_seconds',
        type: 'histogram',
        help: 'Seconds until a command to Redis was answered or failed.',
        samples: duration.read({}),
      },
    ],
  };
}
