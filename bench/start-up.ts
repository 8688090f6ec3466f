import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { readAnswer } from './load.js';
import { startServer } from './server-process.js';

/** How long it takes until the first answer, in milliseconds. */
export interface StartUp {
  readonly name: string;
  /** Median over the runs, by the clock on the wall. */
  readonly ms: number;
  /** CPU time of the process until then, all threads, the same median: what a busy machine does not change. */
  readonly cpuMs?: number;
  readonly runs: readonly number[];
}

/** From the spawn of `node <args>` to the whole first answer, several times over; the median counts. */
export async function measureSpawn(
  name: string,
  args: readonly string[],
  request: Buffer,
  times: number,
): Promise<StartUp> {
  const runs: number[] = [];
  const cpu: number[] = [];
  for (let i = 0; i < times; i++) {
    const startedAt = performance.now();
    const server = await startServer(args);
    await readAnswer(server.port, request);
    runs.push(performance.now() - startedAt);
    cpu.push((await server.cpu()) / 1000);
    await server.stop();
  }
  return { name, ms: readMedian(runs), cpuMs: readMedian(cpu), runs };
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
