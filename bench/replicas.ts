import { join } from 'node:path';
import type { Plan } from './cells.js';
import { runLoad } from './load.js';
import { CLI, SPEC } from './paths.js';
import { readProcessCpu } from './process-cpu.js';
import { type RedisProcess, startRedis } from './redis.js';
import { type BenchRequest, REQUESTS, toBytes } from './requests.js';
import { type ServerProcess, startServer } from './server-process.js';
import { readMedian } from './start-up.js';
import type { Table } from './table.js';

/** How many clients send requests at the same time. */
const CLIENTS = 32;

/** The requests, each with how many round trips to Redis it may take. */
const MEASURED: readonly (BenchRequest & { readonly maxTrips: number })[] = [
  { ...findRequest('list'), maxTrips: 2 },
  // One item: a file.
  { ...findRequest('content'), name: 'read', maxTrips: 2 },
  { ...findRequest('create'), maxTrips: 3 },
];

/** Processes that answer as one mock. */
interface Group {
  readonly name: string;
  readonly clients: number;
  readonly servers: readonly ServerProcess[];
}

/** The figures of one kind of request at one group. */
interface Figures {
  readonly perSecond: number;
  /** Milliseconds for half of the requests. */
  readonly p50: number;
  /** Microseconds for each request, of all processes together. */
  readonly cpu: number;
  readonly redisCpu: number;
  /** For each request. */
  readonly trips: number;
  readonly scripts: number;
}

/** Those of each round. */
type Samples = Readonly<Record<keyof Figures, number[]>>;

/**
 * Measures 1, 2 and 4 processes with their state on Redis beside one with its state in memory; all are interleaved.
 *
 * @param against - A built checkout of vouch that is measured as well.
 */
export async function measureReplicas(plan: Plan, against: string | undefined): Promise<Table> {
  const redis = await startRedis();
  if (redis === undefined) {
    const notes = ['skipped: redis-server is not installed (Debian: apt install redis-server)'];
    return { title: 'replicas', head: [], rows: [], notes };
  }
  const groups: Group[] = [];
  try {
    for (const [i, [root, suffix]] of [
      ['.', ''] as const,
      ...(against === undefined ? [] : [[against, ' before'] as const]),
    ].entries()) {
      groups.push(...(await startGroups(root, { redis, prefix: `bench${i}`, suffix })));
    }
    return tabulate(groups, await measureRounds(groups, redis, plan), plan);
  } finally {
    await Promise.all(groups.flatMap(({ servers }) => servers.map((server) => server.stop())));
    await redis.stop();
  }
}

async function startGroups(
  root: string,
  { redis, prefix, suffix }: { readonly redis: RedisProcess; readonly prefix: string; readonly suffix: string },
): Promise<readonly Group[]> {
  const serve = [join(root, CLI), 'serve', join(root, SPEC), '--port', '0', '--quiet'];
  const startAll = (count: number, words: readonly string[]): Promise<readonly ServerProcess[]> =>
    Promise.all(Array.from({ length: count }, () => startServer([...serve, ...words])));
  const groups: Group[] = [{ name: `in memory${suffix}`, clients: CLIENTS, servers: await startAll(1, []) }];
  for (const [count, clients] of [
    [1, 1],
    [1, CLIENTS],
    [2, CLIENTS],
    [4, CLIENTS],
  ] as const) {
    const name = `${count} ${count === 1 ? 'replica' : 'replicas'}${clients === 1 ? ', 1 client' : ''}${suffix}`;
    const words = ['--store', redis.url, '--store-prefix', `${prefix}-${count}-${clients}`];
    groups.push({ name, clients, servers: await startAll(count, words) });
  }
  return groups;
}

async function measureRounds(
  groups: readonly Group[],
  redis: RedisProcess,
  plan: Plan,
): Promise<ReadonlyMap<string, Samples>> {
  const samples = new Map<string, Samples>();
  const pairs = MEASURED.flatMap((request) => groups.map((group) => ({ request, group })));
  for (let round = -plan.warmUp; round < plan.rounds; round++) {
    for (const { servers } of groups) await reset(servers[0]);
    for (const { request, group } of pairs) {
      const measured = await measureOnce(request, group, { redis, requests: plan.requests });
      if (round >= 0) addSamples(samples, toKey(request, group), measured);
    }
  }
  return samples;
}

function addSamples(samples: Map<string, Samples>, key: string, measured: Figures): void {
  const own = samples.get(key) ?? { perSecond: [], p50: [], cpu: [], redisCpu: [], trips: [], scripts: [] };
  for (const [name, list] of Object.entries(own)) list.push(measured[name as keyof Figures]);
  samples.set(key, own);
}

async function measureOnce(
  request: BenchRequest,
  { servers, clients }: Group,
  { redis, requests }: { readonly redis: RedisProcess; readonly requests: number },
): Promise<Figures> {
  const readCpu = (): number => servers.reduce((sum, { id }) => sum + readProcessCpu(id), 0);
  const each = Math.ceil(requests / servers.length);
  const total = each * servers.length;
  const connections = clients / servers.length;
  const before = { counts: await redis.count(), cpu: readCpu(), redisCpu: readProcessCpu(redis.id) };
  const startedAt = performance.now();
  const results = await Promise.all(
    servers.map(({ port }) =>
      runLoad({ port, connections, requests: each, request: (n) => toBytes(request, n), status: request.status }),
    ),
  );
  const elapsedMs = performance.now() - startedAt;
  const cpu = readCpu() - before.cpu;
  const redisCpu = readProcessCpu(redis.id) - before.redisCpu;
  const counts = await redis.count();
  return {
    perSecond: (total * 1000) / elapsedMs,
    p50: readMedian(results.map(({ p50 }) => p50)),
    cpu: cpu / total,
    redisCpu: redisCpu / total,
    // One read is that of the count before.
    trips: (counts.reads - before.counts.reads - 1) / total,
    scripts: (counts.scripts - before.counts.scripts) / total,
  };
}

function tabulate(groups: readonly Group[], samples: ReadonlyMap<string, Samples>, plan: Plan): Table {
  const rows = MEASURED.flatMap((request) =>
    groups.map((group) => {
      const {
        perSecond = [],
        p50 = [],
        cpu = [],
        redisCpu = [],
        trips = [],
        scripts = [],
      } = samples.get(toKey(request, group)) ?? {};
      const isShared = !group.name.startsWith('in memory');
      const stored = isShared
        ? [
            readMedian(redisCpu).toFixed(0),
            readMedian(scripts).toFixed(2),
            readMedian(trips).toFixed(2),
            request.maxTrips.toFixed(1),
          ]
        : ['', '', '', ''];
      const figures = [readMedian(perSecond).toFixed(0), readMedian(p50).toFixed(2), readMedian(cpu).toFixed(0)];
      return [request.name, group.name, ...figures, ...stored];
    }),
  );
  const title = `replicas: ${plan.rounds} interleaved rounds of ${plan.requests} requests of ${CLIENTS} clients; medians`;
  const head = [
    'request',
    'processes',
    'requests/s',
    'p50 ms',
    'CPU us/request',
    'Redis us/request',
    'scripts',
    'round trips',
    'at most',
  ];
  const notes = [
    'CPU is that of all processes of vouch together. Scripts and round trips are for each request, as Redis counts them: calls of EVALSHA and',
    'EVAL, and how often it read from a connection (total_reads_processed), since commands that are sent together are read together.',
  ];
  return { title, head, rows, notes };
}

function toKey(request: BenchRequest, group: Group): string {
  return `${request.name}\n${group.name}`;
}

function findRequest(name: string): BenchRequest {
  const found = REQUESTS.find((request) => request.name === name);
  if (found === undefined) throw new Error(`no request "${name}"`);
  return found;
}

async function reset(server: ServerProcess | undefined): Promise<void> {
  const answer = await fetch(`http://127.0.0.1:${server?.port}/__mock/reset`, { method: 'POST' });
  if (!answer.ok) throw new Error(`reset: ${answer.status} ${await answer.text()}`);
}
