import { timeOrigin } from '../platform.js';
import type { Metric } from './exposition.js';

/** What the process is and takes, under the names of Prometheus' client libraries. @param version - That of vouch. */
export function readProcessMetrics(version: string): readonly Metric[] {
  const { user, system } = process.cpuUsage();
  return [
    {
      name: 'vouch_build_info',
      type: 'gauge',
      help: 'The versions of vouch and Node.js; its value is 1.',
      samples: [{ labels: { version, node_version: process.version }, value: 1 }],
    },
    {
      name: 'process_start_time_seconds',
      type: 'gauge',
      help: 'Seconds since 1970 at which the process started.',
      samples: [{ labels: {}, value: timeOrigin / 1000 }],
    },
    {
      name: 'process_cpu_seconds_total',
      type: 'counter',
      help: 'Seconds of CPU time of the process.',
      samples: [{ labels: {}, value: (user + system) / 1e6 }],
    },
    {
      name: 'process_resident_memory_bytes',
      type: 'gauge',
      help: 'Bytes of memory of the process.',
      samples: [{ labels: {}, value: process.memoryUsage.rss() }],
    },
  ];
}
