// Installs the packed package into a copy of each folder of `examples/`, runs its tests, and prints how many passed and failed.
//
//     node .ci/examples.mjs [--package FILE] [--report FILE] [NAME ...]
//
// The report gets `PASSED FAILED`, then a line for each folder that failed. Without names all folders run; without a package it is built and packed.
import { execFile, spawn } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs, promisify, stripVTControlCharacters } from 'node:util';

const run = promisify(execFile);

const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium';

/** Each folder with the versions of its package.json, and some with others. */
const EXAMPLES = [
  { name: 'vitest' },
  { name: 'vitest 3', folder: 'vitest', versions: { vitest: '3.2.4' } },
  { name: 'vitest-browser', needs: CHROMIUM },
  { name: 'jest-esm' },
  {
    name: 'jest-esm with Jest 29',
    folder: 'jest-esm',
    versions: { jest: '29.7.0', 'jest-environment-jsdom': '29.7.0' },
  },
  { name: 'jest-commonjs' },
  {
    name: 'jest-commonjs with Jest 29',
    folder: 'jest-commonjs',
    versions: { jest: '29.7.0', 'jest-environment-jsdom': '29.7.0', '@types/jest': '29.5.14' },
  },
  { name: 'node-test' },
  { name: 'mocha' },
  { name: 'pact' },
  { name: 'supertest' },
  { name: 'playwright-api' },
  { name: 'playwright', needs: CHROMIUM },
];

/** How many folders are installed and tested at the same time. */
const AT_ONCE = 2;

/** The tests run beside others, on a machine that may be busy: the limits of test runners, from 2 s, are for a machine that is not. */
const TIME_LIMITS = {
  jest: ['--testTimeout=120000'],
  mocha: ['--timeout=120000'],
  '@playwright/test': ['--timeout=120000'],
  vitest: ['--testTimeout=120000', '--hookTimeout=120000'],
};

const INSTALL = ['install', '--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel', 'error'];

const { values, positionals } = parseArgs({
  options: { package: { type: 'string' }, report: { type: 'string' } },
  allowPositionals: true,
});
const unknown = positionals.filter((name) => !EXAMPLES.some((example) => example.name === name));
if (unknown.length > 0)
  throw new Error(`unknown: ${unknown.join(', ')}; known: ${EXAMPLES.map(({ name }) => name).join(', ')}`);

const root = mkdtempSync(join(tmpdir(), 'vouch-examples-'));
const totals = { passed: 0, failed: 0 };
const failures = [];
try {
  const packed = values.package === undefined ? await pack() : resolve(values.package);
  const wanted = EXAMPLES.filter(({ name }) => positionals.length === 0 || positionals.includes(name));
  // An installation waits for the network and the disk most of the time.
  const runAll = async () => {
    for (let example = wanted.shift(); example !== undefined; example = wanted.shift())
      await runUnlessMissing(example, packed);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, runAll));
} finally {
  rmSync(root, { recursive: true, force: true });
}
console.log(`${totals.passed} passed, ${totals.failed} failed`);
if (values.report !== undefined) {
  writeFileSync(values.report, [`${totals.passed} ${totals.failed}`, ...failures, ''].join('\n'));
}
process.exitCode = totals.failed === 0 ? 0 : 1;

async function pack() {
  await run('npm', ['run', '--silent', 'build']);
  const { stdout } = await run('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', root]);
  return join(root, JSON.parse(stdout)[0].filename);
}

async function runUnlessMissing(example, packed) {
  const { name, needs } = example;
  if (needs === undefined || existsSync(needs)) await runExample(example, packed);
  else console.log(`-- ${name}: skipped, because ${needs} is missing`);
}

async function runExample({ name, folder = name, versions = {} }, packed) {
  const copy = join(root, name.replaceAll(' ', '-'));
  // The client is beside each folder, as in the repository.
  cpSync('examples/client', join(copy, 'client'), { recursive: true });
  const own = join(copy, folder);
  cpSync(join('examples', folder), own, { recursive: true, filter: (path) => !path.includes('node_modules') });
  const manifest = JSON.parse(readFileSync(join(own, 'package.json'), 'utf8'));
  Object.assign(manifest.devDependencies, versions, { vouch: `file:${packed}` });
  writeFileSync(join(own, 'package.json'), JSON.stringify(manifest));
  const startedAt = performance.now();
  const installed = await execute('npm', INSTALL, own);
  const limits = Object.keys(manifest.devDependencies).flatMap((runner) => TIME_LIMITS[runner] ?? []);
  const test = ['test', '--silent', '--', ...limits];
  const tested = installed.code === 0 ? await execute('npm', test, own) : installed;
  const counted = countTests(tested.output);
  // A file that cannot be loaded fails without a failed test.
  if (tested.code !== 0 && counted.failed === 0) counted.failed = 1;
  if (counted.passed + counted.failed === 0) counted.failed = 1;
  totals.passed += counted.passed;
  totals.failed += counted.failed;
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(0);
  if (counted.failed > 0) {
    console.log(tested.output);
    failures.push(`example ${name}: ${counted.failed} failed`);
  }
  console.log(`-- ${name}: ${counted.passed} passed, ${counted.failed} failed (${seconds} s)`);
}

/** Runs a program to its end. @returns its exit code and everything it printed. */
function execute(program, parameters, cwd) {
  const env = { ...process.env, NO_COLOR: '1', CHROMIUM };
  // Node's runner reports to a parent that is one, and vitest's `NODE_ENV` is for the suite.
  for (const name of ['FORCE_COLOR', 'NODE_TEST_CONTEXT', 'NODE_ENV', 'NODE_OPTIONS', 'VITEST']) delete env[name];
  return new Promise((resolve, reject) => {
    const child = spawn(program, parameters, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    const add = (chunk) => (output += chunk);
    child.stdout.on('data', add);
    child.stderr.on('data', add);
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, output: stripVTControlCharacters(output) }));
  });
}

/** Reads the totals that vitest, Jest, node:test, Mocha and Playwright print. */
function countTests(output) {
  const count = (pattern) => [...output.matchAll(pattern)].reduce((sum, match) => sum + Number(match[1]), 0);
  return {
    passed: count(/^ *Tests:? .*?(\d+) passed/gmu) + count(/^(?:[#ℹ] pass | +)(\d+)(?: passing| passed|$)/gmu),
    failed: count(/^ *Tests:? .*?(\d+) failed/gmu) + count(/^(?:[#ℹ] fail | +)(\d+)(?: failing| failed|$)/gmu),
  };
}
