import { readVersion } from '../../base/package-folder.js';
import { EXPOSITION_TYPE, type Metric, writeExposition } from '../../base/metrics.js';
import type { RequestMetrics } from './request-metrics.js';
import { timeOrigin } from '../../base/platform.js';
import { answerJson } from '../../server/control/answer.js';
import type { ControlHandlers, ControlledParts } from '../../server/control/routes.js';

interface MeasuredParts extends Pick<ControlledParts, 'sessions'> {
  /** Counts the requests of the mock. */
  readonly metrics: Pick<RequestMetrics, 'read'>;
  /** The store of state that several processes share. */
  readonly store: { readonly metrics: { read(): readonly Metric[] } } | undefined;
}

/** The operation that monitoring reads. */
export function metricsHandlers({ metrics, sessions, store }: MeasuredParts): ControlHandlers {
  const version = readVersion();
  return {
    getMetrics: () => {
      const open = toMetric('vouch_sessions_open', 'Sessions in memory, the default one included.', sessions.size);
      const all = [...metrics.read(), open, ...(store?.metrics.read() ?? []), ...readProcessMetrics(version)];
      return { ...answerJson(200, writeExposition(all)), mediaType: EXPOSITION_TYPE };
    },
  };
}

/** The version, CPU time and memory of the process, under the names of Prometheus' client libraries. @param version - The version of vouch. */
function readProcessMetrics(version: string): readonly Metric[] {
  const { user, system } = process.cpuUsage();
  const info = toMetric('vouch_build_info', 'The versions of vouch and Node.js; its value is 1.', 1);
  const cpu = toMetric('process_cpu_seconds_total', 'Seconds of CPU time of the process.', (user + system) / 1e6);
  const startedAt = timeOrigin / 1000;
  return [
    { ...info, samples: [{ labels: { version, node_version: process.version }, value: 1 }] },
    toMetric('process_start_time_seconds', 'Seconds since 1970 at which the process started.', startedAt),
    { ...cpu, type: 'counter' },
    toMetric('process_resident_memory_bytes', 'Bytes of memory of the process.', process.memoryUsage.rss()),
  ];
}

function toMetric(name: string, help: string, value: number): Metric {
  return { name, type: 'gauge', help, samples: [{ labels: {}, value }] };
}
