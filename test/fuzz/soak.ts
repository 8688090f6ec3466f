import { createRandom, type Random } from '../../src/base/random.js';
import { readDocument } from './cases.js';
import { createSampler, type RequestSampler } from './contract-requests.js';
import { createAnswerReader } from './connection.js';
import { isHealthy, LIMITS } from './replay.js';
import { spawnHost, type Usage } from './server-process.js';
import { connect, type Socket } from 'node:net';
import { PLAIN, toBytes, type Wire } from './wire.js';

/** How long to run, and how much memory may grow. */
export interface SoakOptions {
  readonly seed: number;
  readonly minutes: number;
  /** How often memory is measured; default: twenty times in all, at least every 30 s. */
  readonly everyMs?: number;
  /** The heap at the end may be at most this many times the heap after a quarter of the time; default 1.3. */
  readonly ratio?: number;
  readonly print?: (line: string) => void;
}

/** Memory after a garbage collection, and the longest time that the event loop was blocked since the last sample. */
export interface Sample extends Usage {
  readonly seconds: number;
  readonly requests: number;
}

/** What a run measured. */
export interface SoakReport {
  readonly requests: number;
  readonly samples: readonly Sample[];
  /** Why the run failed, or undefined. */
  readonly failure: string | undefined;
}

const CONNECTIONS = 16;
const RATIO = 1.3;
/** Growth below it is not a leak: compiled code, and the tables of the engine. */
const SLACK_BYTES = 16 * 1024 * 1024;
/** Names of sessions: they are opened, used, reset, closed and opened again. */
const SESSIONS = 40;

const SCENARIOS = {
  refuses: { operations: { '*': [{ probability: 0.5, respond: { status: 429 }, violates: 'soak' }] } },
  breaks: {
    operations: {
      '*': [
        { probability: 0.3, fault: 'reset' },
        { probability: 0.3, delay: 20 },
      ],
    },
  },
  cuts: { operations: { '*': [{ probability: 0.5, fault: 'truncate' }] } },
};

/** Sends mixed load to one mock: calls, creates, mistakes, sessions, scenarios, faults and the control API. */
export async function soak(options: SoakOptions): Promise<SoakReport> {
  const { seed, minutes, ratio = RATIO, print = () => {} } = options;
  const lengthMs = minutes * 60_000;
  const everyMs = options.everyMs ?? Math.min(30_000, lengthMs / 20);
  const document = readDocument('spec/openapi.yaml');
  const sampler = await createSampler(document as object);
  const server = spawnHost(['--expose-gc']);
  const samples: Sample[] = [];
  try {
    const settings = { scenarios: SCENARIOS, fixtures: 'fixtures', sessions: { idleMs: 10_000 } };
    const started = await server.start({ document, options: settings }, LIMITS.hangMs);
    if (started.kind !== 'started') throw new Error(`the mock did not start: ${JSON.stringify(started)}`);
    const { port } = started;
    const since = performance.now();
    let requests = 0;
    const isDone = (): boolean => performance.now() - since >= lengthMs || server.death() !== undefined;
    const work = async (_: unknown, i: number): Promise<void> => {
      const random = createRandom(seed, `connection ${i}`);
      while (!isDone()) await runConnection(port, { sampler, random, isDone, count: () => (requests += 1) });
    };
    const measure = async (): Promise<void> => {
      for (let at = everyMs; !isDone(); at += everyMs) {
        await new Promise((resolve) => setTimeout(resolve, Math.max(0, at - (performance.now() - since))));
        const usage = server.death() === undefined ? await server.usage() : undefined;
        if (usage === undefined) return;
        const sample = { ...usage, seconds: Math.round((performance.now() - since) / 1000), requests };
        samples.push(sample);
        print(describe(sample));
      }
    };
    await Promise.all([...Array.from({ length: CONNECTIONS }, work), measure()]);
    const death = server.death();
    const healthy = death === undefined && (await isHealthy(port, LIMITS));
    const failure = death ?? (healthy ? judgeGrowth(samples, ratio) : 'the mock is not healthy at the end');
    print(
      `${requests} requests in ${Math.round((performance.now() - since) / 1000)} s: ${failure ?? 'memory is flat'}`,
    );
    return { requests, samples, failure };
  } finally {
    await server.stop();
  }
}

const toMegabytes = (bytes: number): string => `${(bytes / 1024 / 1024).toFixed(1)} MiB`;

function describe({ seconds, requests, rss, heapUsed, worstMs }: Sample): string {
  return `${String(seconds).padStart(5)} s  ${String(requests).padStart(8)} requests  rss ${toMegabytes(rss)}  heap ${toMegabytes(heapUsed)}  worst delay ${Math.round(worstMs)} ms`;
}

/** Compares the last quarter with the sample after the first quarter, when journals and pools are full. */
function judgeGrowth(samples: readonly Sample[], ratio: number): string | undefined {
  const early = samples[Math.floor(samples.length / 4)];
  const late = samples.slice(Math.floor((3 * samples.length) / 4)).map(({ heapUsed }) => heapUsed);
  if (early === undefined || late.length === 0) return undefined;
  const least = Math.min(...late);
  const limit = Math.max(early.heapUsed * ratio, early.heapUsed + SLACK_BYTES);
  if (least <= limit) return undefined;
  return `the heap grew from ${toMegabytes(early.heapUsed)} to ${toMegabytes(least)}, more than ${ratio} times`;
}

interface Load {
  readonly sampler: RequestSampler;
  readonly random: Random;
  isDone(): boolean;
  /** Called with each answer. */
  count(): void;
}

/** Sends requests on one connection until it ends, by a fault or by chance. */
async function runConnection(port: number, { sampler, random, isDone, count }: Load): Promise<void> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  try {
    for (let left = random.integer(1, 400); left > 0 && !isDone(); left--) {
      const wire = await drawWire(sampler, random);
      const text = await exchange(socket, wire);
      count();
      // A fault of a scenario ended the connection.
      if (text === undefined) return;
      sampler.learn(text);
    }
  } finally {
    socket.destroy();
  }
}

/** The answer as text, or undefined if the connection ends first. */
function exchange(socket: Socket, wire: Wire): Promise<string | undefined> {
  return new Promise((resolve) => {
    const reader = createAnswerReader(wire.method === 'HEAD');
    const end = (text: string | undefined): void => {
      socket.removeAllListeners();
      socket.on('error', () => {});
      resolve(text);
    };
    socket.on('data', (chunk) => {
      reader.read(chunk.toString('latin1'));
      if (reader.complete() > 0) end(reader.answers()[0]?.text ?? '');
    });
    socket.on('error', () => end(undefined));
    socket.on('close', () => end(undefined));
    if (socket.destroyed) end(undefined);
    else socket.write(Buffer.from(toBytes(wire), 'latin1'));
  });
}

/** One request of the mix: four in five are calls of the contract, with and without mistakes, many of them in sessions. */
async function drawWire(sampler: RequestSampler, random: Random): Promise<Wire> {
  const chance = random.next();
  if (chance < 0.2) return drawControl(random);
  const { allows: _, ...wire } = await sampler.draw(random);
  const session = chance < 0.6 ? [['x-mock-session', `soak-${random.integer(1, SESSIONS)}`] as const] : [];
  const scenario = chance > 0.97 ? [['x-mock-scenario', random.pick(Object.keys(SCENARIOS))] as const] : [];
  return { ...wire, headers: [...wire.headers, ...session, ...scenario] };
}

const CONTROL: readonly (readonly [method: string, path: string, body?: unknown])[] = [
  ['GET', '/health'],
  ['GET', '/sessions'],
  ['GET', '/scenarios'],
  ['GET', '/journal?limit=20'],
  ['DELETE', '/journal'],
  ['GET', '/clock'],
  ['POST', '/clock/advance', { ms: 1000 }],
  ['GET', '/state'],
  ['POST', '/scenarios/refuses/activate'],
  ['POST', '/scenarios/refuses/deactivate'],
  ['POST', '/scenarios/breaks/activate'],
  ['POST', '/scenarios/breaks/deactivate'],
  ['POST', '/reset'],
  ['POST', '/reset'],
  ['POST', '/reset'],
];

function drawControl(random: Random): Wire {
  const id = `soak-${random.integer(1, SESSIONS)}`;
  const [method, path, body] = random.pick([
    ...CONTROL.map(
      ([method, path, body]) => [method, `${path}${path.includes('?') ? '&' : '?'}session=${id}`, body] as const,
    ),
    // The default session collects items, too.
    ['POST', '/reset', undefined] as const,
    ['POST', '/sessions', { id, tokens: [`token-${id}`] }] as const,
    ['DELETE', `/sessions/${id}`, undefined] as const,
    ['POST', `/sessions/${id}/snapshots`, { name: 'one' }] as const,
    ['POST', `/sessions/${id}/restore`, { name: 'one' }] as const,
  ]);
  const headers = [...PLAIN.headers, ['Content-Type', 'application/json'] as const];
  return { ...PLAIN, method, target: `/__mock${path}`, headers, body: body === undefined ? '' : JSON.stringify(body) };
}
