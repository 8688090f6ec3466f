import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { load } from 'js-yaml';
import { type Cell, type LoadRequest, measureCells, type Plan, type Subject, toRatio } from './cells.js';
import { createFixtureFolder } from './fixtures.js';
import { readAnswer } from './load.js';
import { CLI, SPEC } from './paths.js';
import { startPeers } from './peers.js';
import { type BenchRequest, REQUESTS, toBytes } from './requests.js';
import { startServer } from './server-process.js';
import type { Table } from './table.js';
import { collectAnswers, reset, startFloor, startReferences, tabulate } from './throughput.js';

/** How many times the CPU time of bare Hono a request may take; a create generates an item. */
const BOUNDS: Readonly<Record<string, number>> = {
  list: 1.6,
  content: 1.6,
  delete: 1.6,
  'invalid create': 2,
  create: 2.5,
};

/** Measures the five requests on a plain document of the same operations, without fixtures and hints, beside other mock servers. */
export async function measurePlain(plan: Plan): Promise<Table> {
  const scratch = mkdtempSync(join(tmpdir(), 'vouch-bench-'));
  const folder = createFixtureFolder(plan.requests);
  const spec = join(scratch, 'openapi.json');
  // The built-in contract is an object.
  writeFileSync(spec, JSON.stringify(withoutExtensions(load(readFileSync(SPEC, 'utf8')) as object)));
  try {
    const vouch = await startPlain(spec);
    const references = await startReferences(await collectAnswers(vouch));
    const servers = [
      ...references.map(({ name, server }) => ({ name, ...server })),
      // With the fixtures of the built-in contract: its answers have about the size of generated ones.
      await startFloor(folder.path, plan),
      // Else lists would grow with the creates, while the references send the bytes of the first list.
      { ...vouch, name: 'vouch', reset: () => reset(vouch) },
    ];
    return await measureWithPeers({ spec, prefix: '/v1', servers, requests: REQUESTS, plan, bounds: BOUNDS });
  } finally {
    rmSync(scratch, { recursive: true, force: true });
    folder.remove();
  }
}

/** Requests to documents of real APIs; a document that does not exist is left out. */
const DOCUMENTS = [
  {
    file: '../shared/specs/openai.yaml',
    prefix: '/v1',
    requests: [
      toGet('list', '/v1/models'),
      toGet('read', '/v1/models/gpt-4o'),
      toPost('create', '/v1/vector_stores', { name: 'Bench' }),
      toPost('event stream', '/v1/chat/completions', {
        model: 'gpt-4o',
        messages: [{ role: 'user', content: 'Hello' }],
        stream: true,
      }),
    ],
  },
  {
    file: '../shared/specs/stripe.yaml',
    prefix: '',
    requests: [
      toGet('list', '/v1/customers?limit=3'),
      toGet('read', '/v1/customers/cus_bench'),
      {
        ...toPost('create', '/v1/customers', undefined),
        body: 'name=Bench',
        mediaType: 'application/x-www-form-urlencoded',
      },
    ],
  },
] as const;

/** Measures a few requests on the documents of real APIs. */
export async function measureRealDocuments(plan: Plan): Promise<readonly Table[]> {
  const tables: Table[] = [];
  for (const { file, prefix, requests } of DOCUMENTS) {
    if (!existsSync(file)) continue;
    const spec = resolve(file);
    const vouch = await startPlain(spec);
    tables.push(
      await measureWithPeers({ spec, prefix, servers: [{ name: 'vouch', ...vouch }], requests, plan, bounds: {} }),
    );
  }
  return tables;
}

function startPlain(spec: string): ReturnType<typeof startServer> {
  return startServer([CLI, 'serve', spec, '--port', '0', '--quiet', '--no-fixtures', '--no-scenarios']);
}

interface Comparison {
  readonly spec: string;
  /** The path of the document's server, which some mock servers leave out. */
  readonly prefix: string;
  /** What runs already, vouch last; they are stopped at the end. */
  readonly servers: readonly (Subject & { stop(): Promise<void> })[];
  readonly requests: readonly BenchRequest[];
  readonly plan: Plan;
  readonly bounds: Readonly<Record<string, number>>;
}

async function measureWithPeers(comparison: Comparison): Promise<Table> {
  const { spec, prefix, servers, requests, plan, bounds } = comparison;
  const peers = await startPeers(spec);
  const subjects = [...servers, ...peers];
  try {
    const loads = await Promise.all(requests.map((request) => planRequest(subjects, request, prefix)));
    const cells = await measureCells(subjects, loads, plan);
    const name = spec.endsWith('openapi.json') ? 'plain document' : (spec.split('/').at(-1) ?? spec);
    const title = `${name}: ${plan.rounds} interleaved rounds of ${plan.requests} requests over ${plan.connections} connections; medians`;
    const table = tabulate(title, cells, (request) => bounds[request]);
    return { ...table, notes: requests.map((request) => comparePeers(request.name, cells, peers)) };
  } finally {
    await Promise.all(subjects.map((server) => server.stop()));
  }
}

/** Finds how each server answers a request: with the prefix or without it, and with which status. */
async function planRequest(subjects: readonly Subject[], request: BenchRequest, prefix: string): Promise<LoadRequest> {
  const found = new Map<string, { readonly path: (n: number) => string; readonly status: number }>();
  for (const { name, port } of subjects) {
    for (const cut of prefix === '' ? [0] : [0, prefix.length]) {
      const path = (n: number): string => request.path(n).slice(cut);
      const answer = await readAnswer(port, toBytes({ ...request, path }, 0)).catch(() => undefined);
      // Refusals have different statuses, and so have creates.
      if (answer === undefined || Math.floor(answer.status / 100) !== Math.floor(request.status / 100)) continue;
      if (answer.status === 404 || answer.status === 405) continue;
      found.set(name, { path, status: answer.status });
      break;
    }
  }
  return {
    name: request.name,
    bytes: (name) => {
      const path = found.get(name)?.path;
      return path && ((n) => toBytes({ ...request, path }, n));
    },
    status: (name) => found.get(name)?.status ?? request.status,
  };
}

/** Whether vouch takes less CPU time than every other mock server. */
function comparePeers(request: string, cells: readonly Cell[], peers: readonly { readonly name: string }[]): string {
  const cellOf = (name: string): Cell | undefined =>
    cells.find((cell) => cell.request === request && cell.server === name);
  const vouch = cellOf('vouch');
  const ratios = peers.flatMap(({ name }) => {
    const cell = cellOf(name);
    return cell === undefined ? [] : [{ name, ratio: toRatio(cell, vouch) }];
  });
  const best = ratios.toSorted((a, b) => a.ratio - b.ratio)[0];
  if (best === undefined) return `${request}: no other mock server answers it`;
  const absent = peers.length - ratios.length;
  const without = absent === 0 ? '' : `; ${absent} of ${peers.length} do not answer it`;
  return `${request}: ${best.ratio > 1 ? 'ahead of' : 'BEHIND'} ${best.name}, which takes ${best.ratio.toFixed(2)} times as much${without}`;
}

/** A document without its extensions. */
function withoutExtensions<Value>(value: Value): Value {
  // Each branch keeps the shape of what it copies.
  if (Array.isArray(value)) return value.map(withoutExtensions) as Value;
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([name]) => !name.startsWith('x-'));
  return Object.fromEntries(kept.map(([name, member]) => [name, withoutExtensions(member as unknown)])) as Value;
}

function toGet(name: string, path: string): BenchRequest {
  return { name, method: 'GET', path: () => path, body: undefined, status: 200 };
}

function toPost(name: string, path: string, body: unknown): BenchRequest {
  return { name, method: 'POST', path: () => path, body: JSON.stringify(body), status: 200 };
}
