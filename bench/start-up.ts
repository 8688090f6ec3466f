import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { readAnswer } from './load.js';
import { startServer, type Surroundings } from './server-process.js';

/** The time until the first response, in milliseconds. */
export interface StartUp {
  readonly name: string;
  /** Median wall-clock time of the runs. */
  readonly ms: number;
  /** Median CPU time of the process, all threads; other load on the machine changes it little. */
  readonly cpuMs?: number;
  /** Median peak memory, in megabytes. */
  readonly peakMb?: number;
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

/** What mocks are created from in a warm process. */
export interface InProcess {
  readonly spec: string;
  /** Whether each mock loads the document, or all share one loaded contract. */
  readonly from: 'contract' | 'document';
  readonly fixtures?: string;
}

/** Measures createMock, one request and close in a warm process. */
export async function measureInProcess(name: string, { spec, from, fixtures = '' }: InProcess): Promise<StartUp> {
  const child = fork(fileURLToPath(new URL('in-process.js', import.meta.url)), [spec, from, fixtures]);
  const [runs] = (await once(child, 'message')) as [number[]];
  await once(child, 'exit');
  return { name, ms: readMedian(runs), runs };
}

/** The median; the lower of the two middle values for an even count. */
export function readMedian(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) / 2)] ?? Number.NaN;
}
