import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { createFixtureFolder } from './fixtures.js';
import { readAnswer, runLoad } from './load.js';
import { BEFORE, formatReport, type Cell, type Report } from './report.js';
import { type BenchRequest, REQUESTS, toBytes } from './requests.js';
import { measureRecording } from './record.js';
import { startServer, type ServerProcess } from './server-process.js';
import { measureFirstCalls } from './first-calls.js';
import { measureDocuments } from './documents.js';
import { measureInProcess, measureSpawn, readMedian, type StartUp } from './start-up.js';
import { measureStore } from './store.js';

const CLI = 'dist/cli/main.js';
const SPEC = 'spec/openapi.yaml';
const IN_PROCESS = 'in-process, warm: create, one request, close';

interface Subject {
  readonly name: string;
  readonly server: ServerProcess;
}

interface Measured {
  /** Microseconds for each request. */
  readonly cpu: number;
  readonly perSecond: number;
}

interface Plan {
  readonly rounds: number;
  readonly requests: number;
  readonly connections: number;
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: 'string', default: '7' },
    requests: { type: 'string', default: '3000' },
    connections: { type: 'string', default: '8' },
    json: { type: 'boolean', default: false },
    'start-up': { type: 'boolean', default: false },
    record: { type: 'boolean', default: false },
    against: { type: 'string' },
  },
});
const plan: Plan = {
  rounds: Number(values.rounds),
  requests: Number(values.requests),
  connections: Number(values.connections),
};

// `--start-up`, `--record` and `first-calls` measure only that.
const isFirstCalls = positionals.includes('first-calls');
const isPart = values['start-up'] || values.record || isFirstCalls;
const report: Report = {
  plan,
  cells: isPart ? [] : await measureThroughput(plan),
  recording: values['start-up'] || isFirstCalls ? [] : await measureRecording(CLI, toServerFile('proxy'), plan),
  startUp: values.record || isFirstCalls ? [] : await measureStartUp(),
  store: values.record || isFirstCalls ? [] : await measureStore(),
  firstCalls: isPart && !isFirstCalls ? [] : await measureFirstCalls(3),
};
console.log(values.json ? JSON.stringify(report, undefined, 2) : formatReport(report));

/**
 * Measures all servers, with `--against <folder>` also the built checkout of vouch in that folder, each in its own process; each round resets the state and sends each kind of request to each server in turn.
 */
async function measureThroughput(given: Plan): Promise<readonly Cell[]> {
  const folder = createFixtureFolder(given.requests);
  const scratch = mkdtempSync(join(tmpdir(), 'vouch-bench-'));
  const subjects: Subject[] = [];
  try {
    const vouch = await startServer([CLI, 'serve', SPEC, '--port', '0', '--fixtures', folder.path, '--quiet']);
    subjects.push({ name: 'vouch', server: vouch });
    const answers = join(scratch, 'answers.json');
    writeFileSync(answers, JSON.stringify(await collectAnswers(vouch)));
    if (values.against !== undefined) {
      const [cli, spec] = [join(values.against, CLI), join(values.against, SPEC)];
      const before = await startServer([cli, 'serve', spec, '--port', '0', '--fixtures', folder.path, '--quiet']);
      subjects.push({ name: BEFORE, server: before });
    }
    for (const [name, file] of [
      ['node:http', 'node-http'],
      ['hono', 'hono'],
    ] as const) {
      subjects.push({ name, server: await startServer([toServerFile(file), answers]) });
    }
    return await runRounds(subjects.toReversed(), given);
  } finally {
    await Promise.all(subjects.map(({ server }) => server.stop()));
    folder.remove();
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** The response of vouch to one request of each kind, which the reference servers repeat. */
async function collectAnswers(vouch: ServerProcess): Promise<Readonly<Record<string, unknown>>> {
  const answers: Record<string, unknown> = {};
  for (const request of REQUESTS) {
    const { status, body } = await readAnswer(vouch.port, toBytes(request, 0));
    if (status !== request.status) throw new Error(`${request.name}: want ${request.status}, got ${status}\n${body}`);
    answers[request.name] = JSON.parse(body) as unknown;
  }
  return answers;
}

async function runRounds(subjects: readonly Subject[], given: Plan): Promise<readonly Cell[]> {
  const cells = new Map<string, { cpu: number[]; perSecond: number[] }>();
  const pairs = REQUESTS.flatMap((request) => subjects.map((subject) => ({ request, ...subject })));
  for (let round = 0; round <= given.rounds; round++) {
    await Promise.all(
      subjects.filter(({ name }) => name === 'vouch' || name === BEFORE).map(({ server }) => reset(server)),
    );
    for (const { request, name, server } of pairs) {
      const measured = await measureCell(server, request, given);
      // The first round is the warm-up.
      if (round === 0) continue;
      const key = `${request.name}\n${name}`;
      const cell = cells.get(key) ?? { cpu: [], perSecond: [] };
      cell.cpu.push(measured.cpu);
      cell.perSecond.push(measured.perSecond);
      cells.set(key, cell);
    }
  }
  return [...cells].map(([key, { cpu, perSecond }]) => {
    const [request = '', server = ''] = key.split('\n');
    return { request, server, cpuMicros: readMedian(cpu), perSecond: readMedian(perSecond), rounds: cpu };
  });
}

async function reset({ port }: ServerProcess): Promise<void> {
  const answer = await fetch(`http://127.0.0.1:${port}/__mock/reset`, { method: 'POST' });
  if (!answer.ok) throw new Error(`reset: ${answer.status} ${await answer.text()}`);
}

async function measureCell(server: ServerProcess, request: BenchRequest, given: Plan): Promise<Measured> {
  const cpuBefore = await server.cpu();
  const { requests, elapsedMs } = await runLoad({
    port: server.port,
    connections: given.connections,
    requests: given.requests,
    request: (n) => toBytes(request, n),
    status: request.status,
  });
  const cpuAfter = await server.cpu();
  return { cpu: (cpuAfter - cpuBefore) / requests, perSecond: (requests * 1000) / elapsedMs };
}

async function measureStartUp(): Promise<readonly StartUp[]> {
  const request = toBytes(REQUESTS[0] as BenchRequest, 0);
  const scratch = mkdtempSync(join(tmpdir(), 'vouch-bench-'));
  const answers = join(scratch, 'answers.json');
  writeFileSync(answers, JSON.stringify({ list: { object: 'list', data: [] } }));
  const serve = [CLI, 'serve', SPEC, '--port', '0', '--quiet'];
  const start = (name: string, args: readonly string[]): Promise<StartUp> =>
    measureSpawn(name, { args, request, times: 7 });
  try {
    return [
      await start('hono: spawn to first answer', [toServerFile('hono'), answers]),
      await start('vouch: spawn to first answer', serve),
      await start('vouch, without fixtures and scenarios', [...serve, '--no-fixtures', '--no-scenarios']),
      ...(await measureDocuments(CLI)),
      await measureInProcess(`${IN_PROCESS}, with fixtures`, { spec: SPEC, from: 'document', fixtures: 'fixtures' }),
      await measureInProcess(IN_PROCESS, { spec: SPEC, from: 'document' }),
      await measureInProcess(`${IN_PROCESS}, loaded contract`, { spec: SPEC, from: 'contract' }),
    ];
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

function toServerFile(name: string): string {
  return fileURLToPath(new URL(`servers/${name}.js`, import.meta.url));
}
