import { fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readMedian } from './start-up.js';
import type { Table } from './table.js';

/** The first request of each operation of a document, in a fresh process. */
interface FirstCalls {
  readonly name: string;
  readonly operations: number;
  /** CPU time in milliseconds, all threads: of the first 50 GET operations, of all GET operations, of all operations. */
  readonly first50: number;
  /** The elapsed time of the first 50 GET operations. */
  readonly elapsed50: number;
  readonly reads: number;
  readonly all: number;
  /** CPU time of one first request, in milliseconds. */
  readonly median: number;
  readonly worst: number;
  /** The costliest operations, with their CPU time in milliseconds. */
  readonly worstOperations: readonly string[];
  /** Peak memory of the process, in megabytes: after loading, after 50 requests, after all. */
  readonly loadPeakMb: number;
  readonly earlyPeakMb: number;
  readonly peakMb: number;
}

/** The upper limits in milliseconds and megabytes; the first two are those of OpenAI's document. */
const BOUNDS = { first50: 250, cached50: 100, median: 30, worst: 200, peakMb: 200 } as const;

const DOCUMENTS = ['openai.yaml', 'stripe.yaml', 'github.json', 'box.json'] as const;
const FOLDER = '../shared/specs';

/** One first request. */
interface Figure {
  readonly operation: string;
  readonly method: string;
  readonly ms: number;
  readonly elapsedMs: number;
}

/** What the measuring process sends. */
interface Message {
  readonly figures: readonly Figure[];
  readonly loadPeakMb: number;
  readonly earlyPeakMb: number;
  readonly peakMb: number;
}

/** Measures the first request of each operation in a fresh process, document by document. */
export async function measureFirstCalls(): Promise<Table> {
  const all = await measureAll(3);
  const { first50, cached50, median, worst, peakMb } = BOUNDS;
  const bounds = [first50, first50, '', '', median, worst, peakMb, peakMb, ''].map(String);
  const head = ['document', 'operations', '50 GET', 'elapsed', 'all GET', 'all', 'median', 'worst'];
  return {
    title: 'first request of each operation, CPU ms',
    head: [...head, 'peak MB: loaded', 'after 50', 'after all'],
    rows: [[`at most (50 GET from the cache: ${cached50})`, '', ...bounds], ...all.map(toRow)],
    notes: all.map(({ name, worstOperations }) => `worst of ${name}: ${worstOperations.join(', ')}`),
  };
}

function toRow(figures: FirstCalls): readonly string[] {
  const { name, operations, first50, elapsed50, reads, all, median, worst, loadPeakMb, earlyPeakMb, peakMb } = figures;
  return [
    name,
    operations.toString(),
    ...[first50, elapsed50, reads, all, median, worst].map((ms) => ms.toFixed(1)),
    ...[loadPeakMb, earlyPeakMb, peakMb].map((megabytes) => megabytes.toFixed(0)),
  ];
}

/** Measures the documents that exist in the folder beside the repository: without a cache, and with the cache on disk. */
async function measureAll(rounds: number): Promise<readonly FirstCalls[]> {
  const scratch = mkdtempSync(join(tmpdir(), 'vouch-bench-'));
  const figures: FirstCalls[] = [];
  try {
    for (const document of DOCUMENTS) {
      const spec = fileURLToPath(new URL(`../../${FOLDER}/${document}`, import.meta.url));
      if (existsSync(spec)) figures.push(...(await measureDocument({ document, spec, scratch }, rounds)));
    }
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
  return figures;
}

async function measureDocument(
  { document, spec, scratch }: { readonly document: string; readonly spec: string; readonly scratch: string },
  rounds: number,
): Promise<readonly FirstCalls[]> {
  const requests = join(scratch, 'requests.json');
  const folders = { cache: join(scratch, 'cache'), cwd: scratch };
  await once(run(['requests', spec, requests], folders), 'exit');
  const measure = async (prepare: () => void): Promise<readonly Message[]> => {
    const runs: Message[] = [];
    for (let i = 0; i < rounds; i++) {
      prepare();
      runs.push(await readMessage(run(['measure', spec, requests], folders)));
    }
    return runs;
  };
  const first = await measure(() => rmSync(folders.cache, { recursive: true, force: true }));
  const cached = await measure(() => undefined);
  return [summarize(`${document}, first start`, first), summarize(`${document}, from the cache`, cached)];
}

/** A folder without node_modules as the working folder, so that the cache folder is the one set in the environment. */
function run(
  args: readonly string[],
  { cache, cwd }: { readonly cache: string; readonly cwd: string },
): ReturnType<typeof fork> {
  const file = fileURLToPath(new URL('first-calls-process.js', import.meta.url));
  return fork(file, args, { cwd, env: { ...process.env, XDG_CACHE_HOME: cache } });
}

async function readMessage(child: ReturnType<typeof fork>): Promise<Message> {
  const exit = once(child, 'exit');
  const [message] = (await Promise.race([once(child, 'message'), exit])) as [Message | number];
  await exit;
  if (typeof message !== 'object') throw new Error(`the measuring process ended with ${message}`);
  return message;
}

/** The median of the runs for each request, so that other load on the machine counts little. */
function summarize(name: string, runs: readonly Message[]): FirstCalls {
  const middle = (i: number, of: 'elapsedMs' | 'ms'): number =>
    readMedian(runs.map(({ figures }) => figures[i]?.[of] ?? Number.NaN));
  const calls = (runs[0]?.figures ?? []).map(({ operation, method }, i) => ({
    operation,
    isRead: method === 'GET',
    ms: middle(i, 'ms'),
    elapsedMs: middle(i, 'elapsedMs'),
  }));
  const reads = calls.filter(({ isRead }) => isRead);
  const sorted = calls.toSorted((one, other) => other.ms - one.ms);
  const worst = runs.map(({ figures }) => Math.max(...figures.map(({ ms }) => ms)));
  return {
    name,
    operations: calls.length,
    first50: sum(reads.slice(0, 50)),
    elapsed50: reads.slice(0, 50).reduce((total, { elapsedMs }) => total + elapsedMs, 0),
    reads: sum(reads),
    all: sum(calls),
    median: readMedian(calls.map(({ ms }) => ms)),
    worst: readMedian(worst),
    worstOperations: sorted.slice(0, 10).map(({ operation, ms }) => `${operation} ${ms.toFixed(0)}`),
    loadPeakMb: readMedian(runs.map(({ loadPeakMb }) => loadPeakMb)),
    earlyPeakMb: readMedian(runs.map(({ earlyPeakMb }) => earlyPeakMb)),
    peakMb: readMedian(runs.map(({ peakMb }) => peakMb)),
  };
}

function sum(calls: readonly { readonly ms: number }[]): number {
  return calls.reduce((total, { ms }) => total + ms, 0);
}
