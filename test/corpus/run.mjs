// `npm run corpus -- store <folder> [<document or folder of documents> ...]` writes what vouch makes of each document: `vouch resources --json`,
// `vouch check --json`, the report of the sweep, the answer to each of its requests, and one life of an item of each resource with seed 1.
// `npm run corpus -- diff <before> <after>` shows what changed between two of them. Build first.
// Without documents: the built-in ones, those of the tests, and those in `../shared/specs`.
import { execFile, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { promisify } from 'node:util';

const OWN = [
  'spec',
  'test/documents/lifecycle',
  'test/recording/contracts',
  'test/types',
  'test/import/shop.yaml',
  'examples',
];
const SHARED = '../shared/specs';
/** A document whose sweep takes longer is noted as such. */
const LIMIT_MS = 900_000;
const LARGE_BYTES = 400_000;
const SMALL_IN_BATCH = 8;

const run = promisify(execFile);
const [action, ...rest] = process.argv.slice(2);
if (action === 'store' && rest.length > 0) await store(rest[0], rest.slice(1));
else if (action === 'diff' && rest.length === 2) showDiff(rest);
else if (action === 'observe' && rest.length > 0) await observeHere(rest);
else {
  console.error('usage: npm run corpus -- store <folder> [<document> ...] | diff <before> <after>');
  process.exitCode = 2;
}

async function store(target, given) {
  if (given.length === 0 && !existsSync(SHARED))
    console.log(`${SHARED} is absent: the corpus has the documents of this repository only`);
  const places = given.length > 0 ? given : [...OWN, ...(existsSync(SHARED) ? [SHARED] : [])];
  const documents = places.flatMap(listDocuments).toSorted((one, other) => statSync(other).size - statSync(one).size);
  rmSync(target, { recursive: true, force: true });
  // What other sources computed from the documents: the cache knows only the folder that loads them.
  rmSync(join('node_modules', '.cache', 'vouch'), { recursive: true, force: true });
  const names = new Set();
  const waiting = documents.map((spec) => {
    let name = basename(spec).replace(/\.(?:json|ya?ml)$/u, '');
    while (names.has(name)) name += '-';
    names.add(name);
    return { spec, folder: join(target, name) };
  });
  const work = async () => {
    while (waiting.length > 0) {
      const batch = takeBatch(waiting);
      const since = performance.now();
      await storeBatch(batch);
      const seconds = ((performance.now() - since) / 1000).toFixed(1);
      console.log(
        `${batch.map(({ spec }) => spec).join(' ')}  ${seconds} s, ${waiting.length} of ${names.size} waiting`,
      );
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, work));
}

function listDocuments(place) {
  if (statSync(place).isFile()) return [place];
  return readdirSync(place, { recursive: true })
    .map((name) => join(place, String(name)))
    .filter(
      (path) =>
        /\.(?:json|ya?ml)$/u.test(path) &&
        !/\/(?:node_modules|fixtures|scenarios)\/|\.resources\.json$|\.schema\.json$|package\.json$|tsconfig\.json$|compose\.yaml$|cassette/u.test(
          path,
        ),
    );
}

/** A large document alone, or several small ones: most of their time is the start of a process. */
function takeBatch(waiting) {
  return waiting.splice(0, statSync(waiting[0].spec).size > LARGE_BYTES ? 1 : SMALL_IN_BATCH);
}

async function storeBatch(batch) {
  for (const { spec, folder } of batch) {
    mkdirSync(folder, { recursive: true });
    for (const command of ['resources', 'check']) {
      writeFileSync(join(folder, `${command}.json`), await output(['dist/cli/main.js', command, spec, '--json']));
    }
  }
  const paths = batch.flatMap(({ spec, folder }) => [resolve(spec), resolve(folder)]);
  const outcome = await output(['test/corpus/run.mjs', 'observe', ...paths]);
  if (outcome !== '') writeFileSync(join(batch[0].folder, 'failed.txt'), outcome);
}

/** What a command prints, whatever its exit code. */
async function output(args) {
  const options = { maxBuffer: 2 ** 30, timeout: LIMIT_MS, env: { ...process.env, NODE_EXTRA_CA_CERTS: '' } };
  try {
    return (await run(process.execPath, args, options)).stdout;
  } catch (error) {
    return error.killed === true ? `took longer than ${LIMIT_MS / 1000} s\n` : `${error.stdout}${error.stderr}`;
  }
}

async function observeHere(paths) {
  const { createViteServer } = await import('vitest/node');
  // Node 20 reads no TypeScript.
  const vite = await createViteServer({
    configFile: false,
    logLevel: 'error',
    server: { middlewareMode: true, ws: false, watch: null },
  });
  try {
    const { observe } = await vite.ssrLoadModule('/test/corpus/observe.ts');
    for (let i = 0; i < paths.length; i += 2) await observe(paths[i], paths[i + 1]);
  } finally {
    await vite.close();
  }
}

function showDiff([before, after]) {
  const { status } = spawnSync(
    'git',
    ['--no-pager', 'diff', '--no-index', '--stat=160', '--patch', '--unified=1', before, after],
    { stdio: 'inherit' },
  );
  process.exitCode = status;
  if (status === 0) console.log('no difference');
}
