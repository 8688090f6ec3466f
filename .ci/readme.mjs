// Follows README.md and getting started from the packed package, in an empty folder, with the Node.js that runs this file and with others, and each section of the first ten minutes with the one that runs this file.
//
//     node .ci/readme.mjs [--package FILE] [FOLDER_WITH_NODE ...]
//
// The pages are the source of every command and file. Two names are replaced: `vouch` or `github:OWNER/vouch` in `npm i -D` by the packed package, and the URL of
// the document by one on this machine, so that no registry has to have this version and no host of others has to be up.
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { followPage, readBlocks, readParts, readStartDocument } from './follow.mjs';

const run = promisify(execFile);
const PAGES = ['README.md', 'docs/getting-started.md'];
/** Its sections are followed with the Node.js that runs this file: each installs the package. */
const ROLES = 'docs/first-ten-minutes.md';
const INSTALL = /^npm (?:i|install) -D (?:github:OWNER\/)?vouch(?= |$)/u;

const { values, positionals } = parseArgs({ options: { package: { type: 'string' } }, allowPositionals: true });
const root = mkdtempSync(join(tmpdir(), 'vouch-readme-'));
let failed = 0;
try {
  const packed = values.package === undefined ? await pack() : resolve(values.package);
  for (const node of [undefined, ...positionals]) {
    for (const path of node === undefined ? [...PAGES, ROLES] : PAGES) await followParts(path, { packed, node });
  }
} finally {
  rmSync(root, { recursive: true, force: true });
}
process.exitCode = failed === 0 ? 0 : 1;

async function pack() {
  const { stdout } = await run('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', root]);
  return join(root, JSON.parse(stdout)[0].filename);
}

async function followParts(path, options) {
  const page = readFileSync(path, 'utf8');
  const document = readStartDocument(page, readFileSync('docs/getting-started.md', 'utf8'));
  for (const part of readParts(page)) await follow(path, { ...part, document, ...options });
}

async function follow(path, { name, text: page, document, packed, node }) {
  const env = { ...process.env };
  // Node's runner reports to a parent that is one.
  for (const name of ['NODE_TEST_CONTEXT', 'NODE_ENV', 'NODE_OPTIONS', 'VITEST']) delete env[name];
  if (node !== undefined) env.PATH = [resolve(node), env.PATH].join(delimiter);
  const { stdout } = await run('node', ['--version'], { env });
  const own = readBlocks(page).find(({ file }) => file === 'openapi.yaml')?.text ?? '';
  const folder = mkdtempSync(join(root, 'reader-'));
  // npm installs into the nearest folder above that has one of these, if this one has none.
  mkdirSync(join(folder, 'node_modules'));
  if (document !== undefined) writeFileSync(join(folder, 'openapi.yaml'), document);
  let installs = 0;
  const { run: steps, mistakes } = await followPage({
    page,
    folder,
    env,
    documents: Object.fromEntries((page.match(/(?<=vouch serve )https:\S+/gu) ?? []).map((url) => [url, own])),
    replace: (line) => {
      if (!INSTALL.test(line)) return undefined;
      installs += 1;
      return line.replace(INSTALL, `npm i -D --prefer-offline --no-audit --no-fund ${packed}`);
    },
  });
  if (installs === 0) mistakes.push('no line installs the package');
  failed += mistakes.length;
  console.log(
    `${[path, name].filter(Boolean).join(', ')} with Node.js ${stdout.trim()}: ${steps} steps, ${mistakes.length} mistakes`,
  );
  for (const mistake of mistakes) console.log(mistake);
}
