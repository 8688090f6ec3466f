import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { readMedian } from './start-up.js';
import type { Table } from './table.js';

interface Measured {
  readonly name: string;
  readonly args: readonly string[];
  readonly bound: string;
}

const MEASURED: readonly Measured[] = [
  { name: 'MSW, four handlers by hand', args: ['msw'], bound: '' },
  { name: 'vouch, from the document', args: ['document'], bound: '8, and less than MSW' },
  { name: 'vouch, from the document with fixtures', args: ['document', 'fixtures'], bound: '' },
  { name: 'vouch, from a loaded contract', args: ['contract'], bound: '1.5' },
  { name: 'vouch, from a loaded contract with fixtures', args: ['contract', 'fixtures'], bound: '' },
  { name: 'vouch, a session of one mock', args: ['session', 'fixtures'], bound: '' },
];

const ROUNDS = 5;

/** Requests of one run of `fetch` in in-process-child.ts. */
const REQUESTS_PER_RUN = 200;

/** Measures what each test pays in a warm process: create, one request, dispose. The kinds are interleaved. */
export async function measureInProcess(): Promise<readonly Table[]> {
  const samples = MEASURED.map((): number[] => []);
  for (let round = 0; round < ROUNDS; round++) {
    for (const [i, { args }] of MEASURED.entries()) samples[i]?.push(...(await run(args)));
  }
  const rows = MEASURED.map(({ name, bound }, i) => [name, readMedian(samples[i] ?? []).toFixed(2), bound]);
  const ms = readMedian(await run(['fetch'])) / REQUESTS_PER_RUN;
  const rate = [['a list of the built-in contract', (1000 * ms).toFixed(1), (1000 / ms).toFixed(0)]];
  return [
    { title: 'in-process, warm: create, one request, dispose', head: ['mock', 'ms', 'at most'], rows },
    { title: 'one request after the other through mock.fetch', head: ['request', 'us', 'requests/s'], rows: rate },
  ];
}

async function run(args: readonly string[]): Promise<readonly number[]> {
  const child = fork(fileURLToPath(new URL('in-process-child.js', import.meta.url)), args);
  const exit = once(child, 'exit');
  const [message] = (await Promise.race([once(child, 'message'), exit])) as [readonly number[] | number];
  await exit;
  if (typeof message === 'number') throw new Error(`the measuring process ended with ${message}`);
  return message;
}
