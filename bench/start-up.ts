import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DOCUMENT_BOUNDS, measureDocuments } from './documents.js';
import { readAnswer } from './load.js';
import { CLI, SPEC, toServerFile } from './paths.js';
import { REQUESTS, toBytes } from './requests.js';
import { startServer, type Surroundings } from './server-process.js';
import type { Table } from './table.js';

/** Measures the start of the process: bare Hono, the built-in contract, and large documents without and with the cache. */
export async function measureStartUp(): Promise<Table> {
  const [list] = REQUESTS;
  if (list === undefined) throw new Error('there is no request to measure');
  const scratch = mkdtempSync(join(tmpdir(), 'vouch-bench-'));
  const answers = join(scratch, 'answers.json');
  writeFileSync(answers, JSON.stringify({ list: { object: 'list', data: [] } }));
  const serve = [CLI, 'serve', SPEC, '--port', '0', '--quiet'];
  const start = (name: string, args: readonly string[]): Promise<StartUp> =>
    measureSpawn(name, { args, request: toBytes(list, 0), times: 9 });
  try {
    const hono = await start('hono', [toServerFile('hono'), answers]);
    const figures = [
      hono,
      await start('vouch, built-in contract', serve),
      await start('vouch, without fixtures and scenarios', [...serve, '--no-fixtures', '--no-scenarios']),
      ...(await measureDocuments(CLI)),
    ];
    const rows = figures.map(({ name, ms, cpuMs, peakMb }) => [
      name,
      ms.toFixed(0),
      cpuMs.toFixed(0),
      (ms / hono.ms).toFixed(2),
      name === hono.name ? '' : (DOCUMENT_BOUNDS.find(([end]) => name.endsWith(end))?.[1] ?? 2).toFixed(1),
      peakMb.toFixed(0),
    ]);
    const head = ['process', 'ms', 'CPU ms', 'to hono', 'at most', 'peak MB'];
    return { title: 'spawn to the first answer', head, rows };
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** The time until the first response, in milliseconds. */
export interface StartUp {
  readonly name: string;
  /** Median wall-clock time of the runs. */
  readonly ms: number;
  /** Median CPU time of the process, all threads; other load on the machine changes it little. */
  readonly cpuMs: number;
  /** Median peak memory, in megabytes. */
  readonly peakMb: number;
  readonly runs: readonly number[];
}

/** A server that is started repeatedly. */
export interface Start extends Surroundings {
  readonly args: readonly string[];
  readonly request: Buffer;
  readonly times: number;
  /** Called before each start. */
  prepare?(): void;
}

/** Measures the time from the spawn of `node <args>` to the complete first response; the median of several runs. */
export async function measureSpawn(name: string, start: Start): Promise<StartUp> {
  const runs: number[] = [];
  const cpu: number[] = [];
  const peak: number[] = [];
  for (let i = 0; i < start.times; i++) {
    start.prepare?.();
    const startedAt = performance.now();
    const server = await startServer(start.args, start);
    await readAnswer(server.port, start.request);
    runs.push(performance.now() - startedAt);
    const { cpuMicros, peakKilobytes } = await server.usage();
    cpu.push(cpuMicros / 1000);
    peak.push(peakKilobytes / 1024);
    await server.stop();
  }
  return { name, ms: readMedian(runs), cpuMs: readMedian(cpu), peakMb: readMedian(peak), runs };
}

/** The median; the lower of the two middle values for an even count. */
export function readMedian(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) / 2)] ?? Number.NaN;
}
