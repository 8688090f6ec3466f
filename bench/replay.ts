import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { measureCells, type Plan, toRatio } from './cells.js';
import { readAnswer } from './load.js';
import { CLI, SPEC } from './paths.js';
import { REQUESTS, toBytes } from './requests.js';
import { type ServerProcess, startServer } from './server-process.js';
import type { Table } from './table.js';

// Each delete is a different request, so replay cannot repeat one recording of it.
const MEASURED = REQUESTS.filter(({ name }) => name !== 'delete');

/** Compares the replay of recorded responses with the state engine they were recorded from, request by request. */
export async function measureReplay(plan: Plan): Promise<Table> {
  const folder = mkdtempSync(join(tmpdir(), 'vouch-bench-'));
  const state = await startServer([CLI, 'serve', SPEC, '--port', '0', '--quiet']);
  const stopped = [state];
  try {
    await record(state, folder);
    const where = ['--recordings', folder, '--cassette', 'bench'];
    const replay = await startServer([CLI, 'replay', SPEC, '--port', '0', '--quiet', '--json', ...where]);
    stopped.push(replay);
    const subjects = [
      { ...state, name: 'state' },
      { ...replay, name: 'replay' },
    ];
    const requests = MEASURED.map((request) => ({
      name: request.name,
      bytes: () => (n: number) => toBytes(request, n),
      status: () => request.status,
    }));
    const cells = await measureCells(subjects, requests, plan);
    const rows = cells.map((cell) => {
      const other = cells.find(({ request, server }) => request === cell.request && server === 'state');
      const perSecond = Math.round(cell.perSecond).toString();
      return [cell.request, cell.server, cell.cpuMicros.toFixed(1), toRatio(cell, other).toFixed(2), perSecond];
    });
    return { title: 'replay', head: ['request', 'server', 'CPU us/request', 'to state', 'requests/s'], rows };
  } finally {
    await Promise.all(stopped.map((server) => server.stop()));
    rmSync(folder, { recursive: true, force: true });
  }
}

async function record(state: ServerProcess, folder: string): Promise<void> {
  const upstream = `http://127.0.0.1:${state.port}/v1`;
  const where = ['--recordings', folder, '--cassette', 'bench', '--upstream', upstream];
  const recorder = await startServer([CLI, 'record', SPEC, '--port', '0', '--quiet', '--json', ...where]);
  for (const request of MEASURED) {
    const { status, body } = await readAnswer(recorder.port, toBytes(request, 0));
    if (status !== request.status) throw new Error(`${request.name}: want ${request.status}, got ${status}\n${body}`);
  }
  await recorder.stop();
}
