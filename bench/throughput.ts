import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Cell, type LoadRequest, measureCells, type Plan, type Subject, toRatio } from './cells.js';
import { createFixtureFolder } from './fixtures.js';
import { readAnswer } from './load.js';
import { CLI, SPEC, toServerFile } from './paths.js';
import { REQUESTS, toBytes } from './requests.js';
import { type ServerProcess, startServer } from './server-process.js';
import { readMedian } from './start-up.js';
import type { Table } from './table.js';

/** The name of the server of `--against`. */
const BEFORE = 'vouch before';

/** How many times the CPU time of bare Hono a request may take. */
const BOUND = 1.5;

/** The requests of the built-in contract as they are sent to every server. */
const BUILT_IN: readonly LoadRequest[] = REQUESTS.map((request) => ({
  name: request.name,
  bytes: () => (n) => toBytes(request, n),
  status: () => request.status,
}));

/** How often all servers are started for a comparison: two processes of the same build differ by up to 20 %. */
const STARTS = 5;

/**
 * Measures the five requests on the built-in contract with its fixtures, beside plain node:http and Hono with the same answers.
 *
 * @param against - A built checkout of vouch that is measured as well; then all servers are started several times.
 */
export async function measureBuiltIn(plan: Plan, against: string | undefined): Promise<Table> {
  const starts = against === undefined ? 1 : STARTS;
  const cells: Cell[] = [];
  for (let start = 0; start < starts; start++) cells.push(...(await measureStart(plan, against)));
  const title = `${starts} x ${plan.rounds} interleaved rounds of ${plan.requests} requests over ${plan.connections} connections; medians`;
  return tabulate(`built-in contract: ${title}`, joinCells(cells), () => BOUND);
}

/** Measures with servers that are started for it. */
async function measureStart(plan: Plan, against: string | undefined): Promise<readonly Cell[]> {
  const folder = createFixtureFolder(plan.requests);
  const serve = (root: string): Promise<ServerProcess> => {
    const [cli, spec] = [join(root, CLI), join(root, SPEC)];
    return startServer([cli, 'serve', spec, '--port', '0', '--fixtures', folder.path, '--quiet']);
  };
  const vouch = await serve('.');
  const stopped: ServerProcess[] = [vouch];
  try {
    const references = await startReferences(await collectAnswers(vouch));
    stopped.push(...references.map(({ server }) => server));
    const subjects: Subject[] = references.map(({ name, server }) => ({ name, ...server }));
    const floor = await startFloor(folder.path, plan);
    stopped.push(floor);
    subjects.push(floor);
    if (against !== undefined) {
      const before = await serve(against);
      stopped.push(before);
      subjects.push({ ...before, name: BEFORE, reset: () => reset(before) });
    }
    subjects.push({ ...vouch, name: 'vouch', reset: () => reset(vouch) });
    return await measureCells(subjects, BUILT_IN, plan);
  } finally {
    await Promise.all(stopped.map((server) => server.stop()));
    folder.remove();
  }
}

/** One cell for each request and server, with the rounds of all starts. */
function joinCells(cells: readonly Cell[]): readonly Cell[] {
  const groups = new Map<string, Cell[]>();
  for (const cell of cells) {
    const key = `${cell.request}\n${cell.server}`;
    groups.set(key, [...(groups.get(key) ?? []), cell]);
  }
  return [...groups.values()].map((group) => {
    const [{ request, server } = { request: '', server: '' }] = group;
    const median = (name: 'cpuMicros' | 'perSecond' | 'p50' | 'p99'): number =>
      readMedian(group.map((each) => each[name]));
    const rounds = group.flatMap((each) => each.rounds);
    const figures = { perSecond: median('perSecond'), p50: median('p50'), p99: median('p99') };
    return { request, server, cpuMicros: median('cpuMicros'), ...figures, rounds };
  });
}

/** A table of cells with the ratio to Hono, and to the commit before where it was measured. */
export function tabulate(
  title: string,
  cells: readonly Cell[],
  boundOf: (request: string) => number | undefined,
): Table {
  const hasBefore = cells.some(({ server }) => server === BEFORE);
  const rows = cells.map((cell) => {
    const other = (name: string): Cell | undefined =>
      cells.find(({ request, server }) => request === cell.request && server === name);
    return [
      cell.request,
      cell.server,
      cell.cpuMicros.toFixed(1),
      toText(toRatio(cell, other('hono'))),
      cell.server === 'vouch' ? (boundOf(cell.request)?.toFixed(1) ?? '') : '',
      ...(hasBefore ? [toText(toRatio(cell, other(BEFORE)))] : []),
      cell.p50.toFixed(2),
      cell.p99.toFixed(2),
      Math.round(cell.perSecond).toString(),
    ];
  });
  const before = hasBefore ? [`to ${BEFORE}`] : [];
  const head = [
    'request',
    'server',
    'CPU us/request',
    'to hono',
    'at most',
    ...before,
    'p50 ms',
    'p99 ms',
    'requests/s',
  ];
  return { title, head, rows };
}

function toText(ratio: number): string {
  return Number.isNaN(ratio) ? '' : ratio.toFixed(2);
}

/** The answer of vouch to one request of each kind, which the reference servers repeat. */
export async function collectAnswers(vouch: ServerProcess): Promise<Readonly<Record<string, unknown>>> {
  const answers: Record<string, unknown> = {};
  for (const request of REQUESTS) {
    const { status, body } = await readAnswer(vouch.port, toBytes(request, 0));
    if (status !== request.status) throw new Error(`${request.name}: want ${request.status}, got ${status}\n${body}`);
    answers[request.name] = toJson(body);
  }
  return answers;
}

/** The JSON of a body; the text itself where the answer is not JSON. */
function toJson(body: string): unknown {
  try {
    return JSON.parse(body) as unknown;
  } catch {
    return body;
  }
}

/** Starts the servers that vouch is compared with: plain node:http, Hono, and Hono with ajv by hand. */
export async function startReferences(
  answers: Readonly<Record<string, unknown>>,
): Promise<readonly { readonly name: string; readonly server: ServerProcess }[]> {
  const scratch = mkdtempSync(join(tmpdir(), 'vouch-bench-'));
  const file = join(scratch, 'answers.json');
  writeFileSync(file, JSON.stringify(answers));
  try {
    // They read the file before they listen.
    return await Promise.all(
      ['node-http', 'hono', 'hono-ajv'].map(async (name) => ({
        name: name === 'node-http' ? 'node:http' : name === 'hono-ajv' ? 'hono + ajv' : name,
        server: await startServer([toServerFile(name), file]),
      })),
    );
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** Starts the mock of the five requests that is written by hand. @param fixtures - A folder with the fixtures of the bench. */
export async function startFloor(fixtures: string, { requests }: Plan): Promise<Subject & ServerProcess> {
  const floor = await startServer([toServerFile('hono-mock'), fixtures, String(requests)]);
  return { ...floor, name: 'mock by hand', reset: () => reset(floor) };
}

/** Returns a mock to its fixtures. */
export async function reset({ port }: ServerProcess): Promise<void> {
  const answer = await fetch(`http://127.0.0.1:${port}/__mock/reset`, { method: 'POST' });
  if (!answer.ok) throw new Error(`reset: ${answer.status} ${await answer.text()}`);
}
