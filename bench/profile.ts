import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Plan } from './cells.js';
import { createFixtureFolder } from './fixtures.js';
import { runLoad } from './load.js';
import { CLI, SPEC } from './paths.js';
import { REQUESTS, toBytes } from './requests.js';
import { startServer } from './server-process.js';
import type { Table } from './table.js';

/** The functions that are listed. */
const COUNT = 10;

/** A CPU profile of V8, as much of it as is read. */
interface Profile {
  readonly nodes: readonly {
    readonly id: number;
    readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number };
  }[];
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

/** Lists the functions of vouch that take most CPU time in the five requests of the built-in contract, by their own time. */
export async function measureProfile(plan: Plan): Promise<readonly Table[]> {
  const scratch = mkdtempSync(join(tmpdir(), 'vouch-bench-'));
  const file = join(scratch, 'profile.json');
  const folder = createFixtureFolder(plan.requests);
  const serve = [CLI, 'serve', SPEC, '--port', '0', '--fixtures', folder.path, '--quiet'];
  const server = await startServer(['--import', PROFILER, ...serve], { environment: { BENCH_PROFILE: file } });
  const { port } = server;
  const run = async (rounds: number): Promise<void> => {
    for (let round = 0; round < rounds; round++) {
      const answer = await fetch(`http://127.0.0.1:${port}/__mock/reset`, { method: 'POST' });
      if (!answer.ok) throw new Error(`reset: ${answer.status} ${await answer.text()}`);
      for (const request of REQUESTS)
        await runLoad({ ...plan, port, request: (n) => toBytes(request, n), status: request.status });
    }
  };
  try {
    await run(plan.warmUp);
    process.kill(server.id, 'SIGUSR2');
    await run(plan.rounds);
    process.kill(server.id, 'SIGUSR2');
    while (!existsSync(file)) await delay(50);
    // The inspector gives it in this form.
    const profile = JSON.parse(readFileSync(file, 'utf8')) as Profile;
    return tabulate(profile, plan.rounds * plan.requests * REQUESTS.length);
  } finally {
    await server.stop();
    folder.remove();
    rmSync(scratch, { recursive: true, force: true });
  }
}

const PROFILER = fileURLToPath(new URL('profile-process.js', import.meta.url));

function tabulate({ nodes, samples, timeDeltas }: Profile, requests: number): readonly Table[] {
  const readPlace = createPlaceReader();
  const named = new Map(nodes.map(({ id, callFrame }) => [id, readPlace(callFrame)]));
  const byFunction = new Map<string, number>();
  const byPart = new Map<string, number>();
  let total = 0;
  for (const [i, id] of samples.entries()) {
    const { name, part } = named.get(id) ?? { name: '', part: IDLE };
    if (part === IDLE) continue;
    const micros = timeDeltas[i] ?? 0;
    total += micros;
    byPart.set(part, (byPart.get(part) ?? 0) + micros);
    if (part === OWN) byFunction.set(name, (byFunction.get(name) ?? 0) + micros);
  }
  const toRows = (from: ReadonlyMap<string, number>): readonly (readonly string[])[] =>
    [...from]
      .toSorted(([, one], [, other]) => other - one)
      .slice(0, COUNT)
      .map(([name, micros]) => [name, ((100 * micros) / total).toFixed(1), (micros / requests).toFixed(2)]);
  const figures = ['% of the CPU time', 'us/request'];
  return [
    { title: 'where the five requests spend their time', head: ['part', ...figures], rows: toRows(byPart) },
    { title: `the ${COUNT} costliest functions of vouch`, head: ['function', ...figures], rows: toRows(byFunction) },
  ];
}

const IDLE = 'idle';
const OWN = 'vouch';

interface FunctionPlace {
  readonly name: string;
  /** Whose code it is. */
  readonly part: string;
}

/** Finds the source file that declares a function of the build, by its name. */
function createPlaceReader(): (frame: Profile['nodes'][number]['callFrame']) => FunctionPlace {
  const bundled = new Map<string, readonly string[]>();
  const sources = readdirSync('src', { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => ({ name, text: readFileSync(join('src', name), 'utf8') }));
  const readLine = (url: string, line: number): string => {
    const lines = bundled.get(url) ?? readFileSync(new URL(url), 'utf8').split('\n');
    bundled.set(url, lines);
    return (lines[line] ?? '').trim();
  };
  return ({ functionName, url, lineNumber }) => {
    if (functionName === '(idle)') return { name: functionName, part: IDLE };
    if (functionName === '(garbage collector)') return { name: functionName, part: 'garbage collection' };
    if (!url.startsWith('file:')) return { name: functionName, part: 'Node.js' };
    if (url.includes('/node_modules/')) return { name: functionName, part: 'packages' };
    const line = readLine(url, lineNumber);
    // The bundler numbers functions of one name.
    const name = functionName.replace(/\$\d+$/u, '');
    const declared = new RegExp(
      `\\bfunction ${name}\\b|\\b(?:const|class) ${name}\\b|^\\s+(?:async |get )?${name}(?:: (?:async )?\\(|\\([^;]*\\{$)`,
      'mu',
    );
    const isWord = /^[A-Za-z_]\w*$/u.test(name);
    const found = sources.filter(({ text }) => (isWord ? declared.test(text) : text.includes(line)));
    if (found.length === 0 || line === '') return { name, part: 'packages' };
    const isOne = found.length === 1;
    const where = isOne
      ? `src/${found[0]?.name ?? ''}`
      : `${basename(url)}:${lineNumber + 1}, \`${line.slice(0, 60)}\``;
    return { name: `${isWord ? name : 'a function'} (${where})`, part: OWN };
  };
}
