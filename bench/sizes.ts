import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { measureCells, type Plan } from './cells.js';
import { CLI, SPEC } from './paths.js';
import { readProcessMemory } from './process-cpu.js';
import { REQUESTS, toBytes } from './requests.js';
import { startServer } from './server-process.js';
import type { Table } from './table.js';
import { readMedian } from './start-up.js';
import { runLoad } from './load.js';

/** Measures a list over 1 to 256 connections. */
export async function measureConnections(plan: Plan): Promise<Table> {
  const server = await startServer([CLI, 'serve', SPEC, '--port', '0', '--quiet']);
  try {
    const rows: string[][] = [];
    for (const connections of [1, 8, 64, 256]) {
      const list = { name: 'list', bytes: () => (n: number) => toBytes(LIST, n), status: () => 200 };
      const [cell] = await measureCells([{ ...server, name: 'vouch' }], [list], { ...plan, connections });
      if (cell === undefined) continue;
      const figures = [cell.cpuMicros.toFixed(1), cell.p50.toFixed(2), cell.p99.toFixed(2)];
      rows.push([String(connections), ...figures, Math.round(cell.perSecond).toString()]);
    }
    const head = ['connections', 'CPU us/request', 'p50 ms', 'p99 ms', 'requests/s'];
    return { title: 'a list of the built-in contract over more connections', head, rows };
  } finally {
    await server.stop();
  }
}

const [LIST, CREATE] = [toRequest('list'), toRequest('create')];

function toRequest(name: string): (typeof REQUESTS)[number] {
  const found = REQUESTS.find((request) => request.name === name);
  if (found === undefined) throw new Error(`no request "${name}"`);
  return found;
}

/** Measures refused creates with bodies of 1 kB to 1 MB: read, decoded, validated and described. */
export async function measureBodies(plan: Plan): Promise<Table> {
  const server = await startServer([CLI, 'serve', SPEC, '--port', '0', '--quiet']);
  try {
    const requests = [1, 10, 100, 1000].map((kilobytes) => {
      const body = JSON.stringify({ name: 7, note: 'x'.repeat(kilobytes * 1000) });
      const bytes = toBytes({ ...CREATE, body }, 0);
      return { name: `${kilobytes} kB`, bytes: () => () => bytes, status: () => 400 };
    });
    const requestsPerRound = Math.min(plan.requests, 300);
    const cells = await measureCells([{ ...server, name: 'vouch' }], requests, { ...plan, requests: requestsPerRound });
    const rows = cells.map((cell) => {
      const kilobytes = Number.parseInt(cell.request, 10);
      return [cell.request, cell.cpuMicros.toFixed(1), (cell.cpuMicros / kilobytes).toFixed(2), cell.p99.toFixed(2)];
    });
    return { title: 'bodies of requests', head: ['body', 'CPU us/request', 'us/kB', 'p99 ms'], rows };
  } finally {
    await server.stop();
  }
}

const MILLION = 1_000_000;

/** Measures the memory of one session and of one item, and that of a process over a million requests. */
export async function measureMemory(): Promise<readonly Table[]> {
  return [await measureKept(), await measureMillion()];
}

/** Counts what sessions and items keep, in a process of its own. */
async function measureKept(): Promise<Table> {
  const child = fork(fileURLToPath(new URL('memory-process.js', import.meta.url)), { execArgv: ['--expose-gc'] });
  const exit = once(child, 'exit');
  const [kept] = (await Promise.race([once(child, 'message'), exit])) as [Kept | number];
  await exit;
  if (typeof kept === 'number') throw new Error(`the measuring process ended with ${kept}`);
  const rows = [
    ['a session with one list', (kept.session / 1024).toFixed(1)],
    ['an item that a request created', (kept.item / 1024).toFixed(1)],
  ];
  return { title: 'memory, after a full collection', head: ['kept', 'KiB'], rows };
}

/** Bytes, as memory-process.ts sends them. */
interface Kept {
  readonly session: number;
  readonly item: number;
}

/** Sends a million lists and creates, with a reset after every 20,000, and reads the memory of the process. */
async function measureMillion(): Promise<Table> {
  const server = await startServer([CLI, 'serve', SPEC, '--port', '0', '--quiet']);
  const { port } = server;
  try {
    const memory: number[] = [];
    const step = 20_000;
    for (let sent = 0; sent < MILLION; sent += step) {
      await runLoad({ port, connections: 16, requests: step / 2, request: (n) => toBytes(LIST, n), status: 200 });
      await runLoad({ port, connections: 16, requests: step / 2, request: (n) => toBytes(CREATE, n), status: 200 });
      memory.push(readProcessMemory(server.id) / 1024);
      const answer = await fetch(`http://127.0.0.1:${port}/__mock/reset`, { method: 'POST' });
      if (!answer.ok) throw new Error(`reset: ${answer.status} ${await answer.text()}`);
    }
    // Memory rises and falls with each collection: the median of five steps says more than one.
    const early = readMedian(memory.slice(3, 8));
    const late = readMedian(memory.slice(-5));
    const row = [early.toFixed(0), late.toFixed(0), (late / early).toFixed(2), '1.1'];
    const head = ['after 100,000 MB', 'after 1,000,000 MB', 'ratio', 'at most'];
    return { title: 'memory over a million requests, half of them creates', head, rows: [row] };
  } finally {
    await server.stop();
  }
}
