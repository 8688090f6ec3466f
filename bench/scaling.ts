import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type LoadRequest, measureCells, type Plan, type Subject, toRatio } from './cells.js';
import { CLI } from './paths.js';
import { readProcessMemory } from './process-cpu.js';
import { toBytes } from './requests.js';
import { type ServerProcess, startServer } from './server-process.js';
import type { Table } from './table.js';

/** How many times the cost at the smallest size a request may take. */
const BOUND = 1.2;

/** One size of something that should not change what a request costs. */
interface Size {
  readonly name: string;
  readonly operations: number;
  readonly items: number;
  readonly sessions: number;
}

const SMALL = { operations: 10, items: 10, sessions: 1 };

const SIZES: readonly Size[] = [
  { ...SMALL, name: '10 operations, 10 items, 1 session' },
  ...[100, 1000, 5000].map((operations) => ({ ...SMALL, name: `${operations} operations`, operations })),
  ...[1000, 100_000].map((items) => ({ ...SMALL, name: `${items} items`, items })),
  ...[100, 1000].map((sessions) => ({ ...SMALL, name: `${sessions} sessions`, sessions })),
];

/** Measures a list and a read while the number of operations, of items and of sessions grows; all servers are interleaved. */
export async function measureScaling(plan: Plan): Promise<Table> {
  const scratch = mkdtempSync(join(tmpdir(), 'vouch-bench-'));
  const servers: (ServerProcess & Subject & { readonly size: Size })[] = [];
  try {
    for (const size of SIZES) servers.push({ ...(await start(join(scratch, size.name), size)), name: size.name, size });
    const sizeOf = new Map(servers.map(({ name, size }) => [name, size]));
    const requests = ['list', 'read'].map((kind) => toRequest(kind, (name) => sizeOf.get(name) ?? SIZES[0]));
    const cells = await measureCells(servers, requests, plan);
    const rows = cells.map((cell) => {
      const small = cells.find(({ request, server }) => request === cell.request && server === SIZES[0]?.name);
      const memory = readProcessMemory(servers.find(({ name }) => name === cell.server)?.id ?? 0) / 1024;
      const bound = cell === small ? '' : BOUND.toFixed(1);
      return [
        cell.request,
        cell.server,
        cell.cpuMicros.toFixed(1),
        toRatio(cell, small).toFixed(2),
        bound,
        memory.toFixed(0),
      ];
    });
    const head = ['request', 'size', 'CPU us/request', 'to the smallest', 'at most', 'memory MB'];
    return { title: 'cost against the number of operations, items and sessions', head, rows };
  } finally {
    await Promise.all(servers.map((server) => server.stop()));
    rmSync(scratch, { recursive: true, force: true });
  }
}

function toRequest(kind: string, sizeOf: (server: string) => Size | undefined): LoadRequest {
  return {
    name: kind,
    bytes: (server) => {
      const { operations = 1, items = 1, sessions = 1 } = sizeOf(server) ?? {};
      // The last operation, and the item in the middle.
      const list = `/kind${operations / 2 - 1}`;
      const path = kind === 'list' ? `${list}?limit=5` : `${list}/item-${Math.floor(items / 2)}`;
      return (n) =>
        withSession(
          toBytes({ name: kind, method: 'GET', path: () => path, body: undefined, status: 200 }, n),
          n % sessions,
        );
    },
    status: () => 200,
  };
}

function withSession(request: Buffer, session: number): Buffer {
  if (session === 0) return request;
  const end = request.indexOf('\r\n\r\n');
  return Buffer.concat([
    request.subarray(0, end),
    Buffer.from(`\r\nX-Mock-Session: bench-${session}`),
    request.subarray(end),
  ]);
}

function start(folder: string, { operations, items, sessions }: Size): Promise<ServerProcess> {
  mkdirSync(join(folder, 'fixtures'), { recursive: true });
  const spec = join(folder, 'openapi.json');
  const kinds = operations / 2;
  writeFileSync(spec, JSON.stringify(toDocument(kinds)));
  const list = Array.from({ length: items }, (_, i) => ({ id: `item-${i}`, name: `Item ${i}` }));
  writeFileSync(join(folder, 'fixtures', `kind${kinds - 1}.json`), JSON.stringify({ items: list }));
  const limits = ['--max-sessions', String(Math.max(sessions + 1, 10))];
  return startServer([CLI, 'serve', spec, '--port', '0', '--quiet', '--fixtures', join(folder, 'fixtures'), ...limits]);
}

/** A document with a list and a read for each kind of item. */
function toDocument(kinds: number): object {
  const paths = Array.from({ length: kinds }, (_, i): [string, object][] => [
    [`/kind${i}`, { get: { operationId: `listKind${i}`, parameters: [LIMIT], responses: toResponse('List') } }],
    [`/kind${i}/{id}`, { get: { operationId: `readKind${i}`, parameters: [ID], responses: toResponse('Item') } }],
  ]);
  return {
    openapi: '3.1.0',
    info: { title: 'Kinds', version: '1' },
    paths: Object.fromEntries(paths.flat()),
    components: { schemas: SCHEMAS },
  };
}

const LIMIT = { name: 'limit', in: 'query', schema: { type: 'integer' } };
const ID = { name: 'id', in: 'path', required: true, schema: { type: 'string' } };

const SCHEMAS = {
  Item: {
    type: 'object',
    required: ['id', 'name'],
    properties: { id: { type: 'string' }, name: { type: 'string' } },
  },
  List: {
    type: 'object',
    required: ['data', 'has_more'],
    properties: {
      data: { type: 'array', items: { $ref: '#/components/schemas/Item' } },
      has_more: { type: 'boolean' },
    },
  },
};

function toResponse(schema: string): object {
  const content = { 'application/json': { schema: { $ref: `#/components/schemas/${schema}` } } };
  return { 200: { description: schema, content } };
}
