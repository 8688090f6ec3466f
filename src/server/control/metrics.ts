import { readVersion } from '../../package-folder.js';
import { EXPOSITION_TYPE, type Metric, writeExposition } from '../../metrics/exposition.js';
import { readProcessMetrics } from '../../metrics/process-metrics.js';
import { answerPieces } from './answer.js';
import type { ControlHandlers, ControlledParts } from './routes.js';
import { joinParts } from './slices.js';

/** The operation that monitoring reads. */
export function metricsHandlers({ metrics, sessions, shared, startSlices }: ControlledParts): ControlHandlers {
  const version = readVersion();
  const readSessions = (): Metric => ({
    name: 'vouch_sessions_open',
    type: 'gauge',
    help: 'Sessions in memory, the default one included.',
    samples: [{ labels: {}, value: sessions.size }],
  });
  return {
    getMetrics: () => {
      const own = [...metrics.read(), readSessions()];
      const all = [...own, ...(shared?.metrics.read() ?? []), ...readProcessMetrics(version)];
      // An operation takes about 20 lines, and a document can have thousands of operations.
      return { ...answerPieces(joinParts(writeExposition(all), startSlices())), mediaType: EXPOSITION_TYPE };
    },
  };
}
