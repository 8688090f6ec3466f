import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { readAnswer } from './load.js';
import { startServer, type Surroundings } from './server-process.js';

/** How long it takes until the first answer, in milliseconds. */
export interface StartUp {
  readonly name: string;
  /** Median over the runs, by the clock on the wall. */
  readonly ms: number;
  /** CPU time of the process until then, all threads, the same median: what a busy machine does not change. */
  readonly cpuMs?: number;
  /** The most memory it held until then, in megabytes, the same median. */
  readonly peakMb?: number;
  readonly runs: readonly number[];
}

/** A server that is started over and over. */
export interface Start extends Surroundings {
  readonly args: readonly string[];
  readonly request: Buffer;
  readonly times: number;
  /** Runs before each start. */
  prepare?(): void;
}

/** From the spawn of `node <args>` to the whole first answer, several times over; the median counts. */
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

/** One mock made in this process, asked once and closed, in a process that has done so before. */
export async function measureInProcess(name: string, spec: string, fixtures: string | undefined): Promise<StartUp> {
  const child = fork(fileURLToPath(new URL('in-process.js', import.meta.url)), [spec, fixtures ?? '']);
  const [runs] = (await once(child, 'message')) as [number[]];
  await once(child, 'exit');
  return { name, ms: readMedian(runs), runs };
}

/** The middle value; of an even number the lower of the two in the middle. */
export function readMedian(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) / 2)] ?? Number.NaN;
}
