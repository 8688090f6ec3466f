import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { readAnswer, runLoad } from './load.js';
import { type BenchRequest, REQUESTS, toBytes } from './requests.js';
import { type ServerProcess, startServer } from './server-process.js';
import { readMedian } from './start-up.js';

const CLI = 'dist/cli/main.js';
const SPEC = 'spec/openapi.yaml';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    requests: { type: 'string', default: '3000' },
    connections: { type: 'string', default: '8' },
  },
});

// Each delete is a different request, so replay cannot repeat one recording of it.
const MEASURED = REQUESTS.filter(({ name }) => name !== 'delete');

await compareReplay();

/** Compares the replay of recorded responses with the state engine they were recorded from, request by request. */
async function compareReplay(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'vouch-bench-'));
  const state = await startServer([CLI, 'serve', SPEC, '--port', '0', '--quiet']);
  try {
    await record(state, folder);
    const where = ['--recordings', folder, '--cassette', 'bench'];
    const replay = await startServer([CLI, 'replay', SPEC, '--port', '0', '--quiet', '--json', ...where]);
    try {
      for (const request of MEASURED) console.log(await compare(request, { state, replay }));
    } finally {
      await replay.stop();
    }
  } finally {
    await state.stop();
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

async function compare(
  request: BenchRequest,
  servers: { readonly state: ServerProcess; readonly replay: ServerProcess },
): Promise<string> {
  const cells = {
    state: { cpu: [] as number[], perSecond: [] as number[] },
    replay: { cpu: [] as number[], perSecond: [] as number[] },
  };
  for (let round = 0; round <= Number(values.rounds); round++) {
    for (const name of ['state', 'replay'] as const) {
      const before = await servers[name].cpu();
      const { requests, elapsedMs } = await runLoad({
        port: servers[name].port,
        connections: Number(values.connections),
        requests: Number(values.requests),
        request: (n) => toBytes(request, n),
        status: request.status,
      });
      const cpu = (await servers[name].cpu()) - before;
      // The first round is the warm-up.
      if (round === 0) continue;
      cells[name].cpu.push(cpu / requests);
      cells[name].perSecond.push((requests * 1000) / elapsedMs);
    }
  }
  const show = (name: 'state' | 'replay'): string =>
    `${name} ${readMedian(cells[name].cpu).toFixed(1)} µs CPU, ${Math.round(readMedian(cells[name].perSecond))}/s`;
  const ratio = readMedian(cells.replay.cpu) / readMedian(cells.state.cpu);
  return `${request.name.padEnd(15)} ${show('state')}   ${show('replay')}   replay/state ${ratio.toFixed(2)}`;
}
