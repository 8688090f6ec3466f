// Follows the pages of the documentation from the packed package, with the Node.js that runs this file and with others.
//
//     node .ci/pages.mjs [--package FILE] [--report FILE] [FOLDER_WITH_NODE ...]
//
// The report gets `PASSED FAILED`, then a line for each page that failed. The package has to be built; without one it is packed.
//
// The pages are the source of every command and file. Two names are replaced: `vouch` or `github:OWNER/vouch` in `npm i -D` by the packed package, and the URL of
// the document by one on this machine, so that no registry has to have this version and no host of others has to be up.
//
// README.md and getting started run npm and npx as they stand, with each Node.js. npm would install the same files for every other page, whatever the version of
// Node.js, since no package is compiled for one: these get links to one installation, and what they install besides vouch is there too.
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { readBlocks, readLines } from './follow.mjs';
import { followPart, linkPackages, readFollowedParts, readInstalled } from './reader.mjs';

const run = promisify(execFile);
const WITH_NPM = new Set(['README.md', 'docs/getting-started.md']);
/** How many are followed at the same time: many commands wait, for npm or for a server that starts. */
const AT_ONCE = 2;

const { values, positionals } = parseArgs({
  options: { package: { type: 'string' }, report: { type: 'string' } },
  allowPositionals: true,
});
const root = mkdtempSync(join(tmpdir(), 'vouch-pages-'));
const failures = [];
let passed = 0;
try {
  const packed = values.package === undefined ? await pack() : resolve(values.package);
  const parts = readFollowedParts().toSorted((one, other) => WITH_NPM.has(other.path) - WITH_NPM.has(one.path));
  const shared = await installShared(parts, packed);
  const nodes = await Promise.all([undefined, ...positionals].map(readNode));
  const waiting = nodes.flatMap((node) => parts.map((part) => ({ node, part })));
  const followAll = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await follow(next, { packed, shared });
  };
  await Promise.all(Array.from({ length: AT_ONCE }, followAll));
} finally {
  rmSync(root, { recursive: true, force: true });
}
console.log(`${passed} passed, ${failures.length} failed`);
if (values.report !== undefined) {
  writeFileSync(values.report, [`${passed} ${failures.length}`, ...failures, ''].join('\n'));
}
process.exitCode = failures.length === 0 ? 0 : 1;

async function pack() {
  const { stdout } = await run('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', root]);
  return join(root, JSON.parse(stdout)[0].filename);
}

/** The command that installs packages. Registries fail now and then. */
function toCommand(names, packed) {
  const wanted = names.map((name) => (name === 'vouch' ? packed : name)).join(' ');
  return `for attempt in 1 2 3; do npm i -D --prefer-offline --no-audit --no-fund ${wanted} && break; done`;
}

/** Installs the package and what the pages install besides it. @returns the folder of the packages. */
async function installShared(parts, packed) {
  const folder = join(root, 'shared');
  mkdirSync(join(folder, 'node_modules'), { recursive: true });
  const lines = parts.flatMap(({ text }) => readBlocks(text).flatMap((block) => readLines(block.text)));
  const names = new Set(lines.flatMap((line) => readInstalled(line) ?? []));
  await run('bash', ['-c', toCommand([...names], packed)], { cwd: folder });
  return join(folder, 'node_modules');
}

/** @returns the version, and the variables of a reader who has it. */
async function readNode(folder) {
  const PATH = [...(folder === undefined ? [] : [resolve(folder)]), process.env.PATH].join(delimiter);
  const { stdout } = await run('node', ['--version'], { env: { ...process.env, PATH } });
  return { version: stdout.trim(), env: { PATH } };
}

async function follow({ node, part }, { packed, shared }) {
  const byNpm = { env: node.env, install: (names) => toCommand(names, packed) };
  const byLinks = {
    // Node.js parses these certificates at every start, and only npm needs them.
    env: { ...node.env, NODE_EXTRA_CA_CERTS: '' },
    install: (names, folder) => {
      linkPackages(
        names.map((name) => join(shared, name)),
        folder,
      );
      return 'true';
    },
    // npx takes half a second, and runs the same file.
    replace: (line) => line.replace(/^npx vouch\b/u, 'vouch'),
  };
  const reader = WITH_NPM.has(part.path) ? byNpm : byLinks;
  const { run: steps, mistakes } = await followPart(part, { root, ...reader });
  const name = `${part.title} with Node.js ${node.version}`;
  if (mistakes.length === 0) passed += 1;
  else failures.push(`${name}: ${mistakes.length} mistakes`);
  console.log([`${name}: ${steps} steps, ${mistakes.length} mistakes`, ...mistakes].join('\n'));
}
