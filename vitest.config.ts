import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { configDefaults, defineConfig, type ViteUserConfigFnObject } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const report = process.env['VOUCH_TEST_REPORT'];

/** The tags of test files and of single tests, slowest first. A file has its tag in a comment: `// @module-tag slow`. */
const TAGS = [
  {
    name: 'thorough',
    description:
      'Sweeps of large documents, browsers, packing, fuzz, other servers. Only `npm run test:all` runs these files.',
  },
  { name: 'slow', description: 'Half a second or more. `npm run test:fast` leaves these files and tests out.' },
];

/** The tags of the files that each mode leaves out. Without a mode, everything runs. */
const LEFT_OUT: Readonly<Record<string, readonly (string | undefined)[]>> = {
  fast: ['thorough', 'slow'],
  main: ['thorough'],
  // What `main` leaves out.
  rest: ['slow', undefined],
};

const readTag = (file: string): string | undefined => /^\/\/ @module-tag (\w+)$/m.exec(readFileSync(file, 'utf8'))?.[1];

/** Every test file with its tag. */
function readTags(): ReadonlyMap<string, string | undefined> {
  const files = ['test', 'examples'].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => `${folder}/${name}`),
  );
  const tests = files.filter((file) => file.endsWith('.test.ts') && !file.includes('node_modules'));
  return new Map(tests.map((file) => [file, readTag(file)]));
}

/** Starts the slow files before all others, so that none of them runs alone at the end. */
class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number => {
      const place = TAGS.findIndex(({ name }) => name === readTag(moduleId));
      return place < 0 ? TAGS.length : place;
    };
    return (await super.sort(files)).toSorted((one, other) => rank(one) - rank(other));
  }
}

/**
 * Tests run much code for a short time. By default V8 optimizes it soon, in a second thread, and copies the young generation in several: on Node.js 20
 * a fifth of the CPU time of the tests with large documents.
 */
const WORKER_FLAGS = [
  '--no-parallel-scavenge',
  // Later versions have a cheap optimizing compiler, and another meaning of this flag.
  ...(process.versions.v8.startsWith('11.') ? ['--interrupt-budget=300000'] : []),
];

/** Only a limit for tests that hang: a busy machine, such as that of a CI service, can be many times slower. A test has another one only if it is longer. */
const TIME_LIMIT_MS = process.env['CI'] === undefined ? 60_000 : 120_000;

const config: ViteUserConfigFnObject = defineConfig(({ mode }) => ({
  // Examples import the package by its name; the suite runs them against the source.
  resolve: { alias: [{ find: /^vouch$/, replacement: new URL('src/index.ts', import.meta.url).pathname }] },
  test: {
    include: ['test/**/*.test.ts', 'examples/*.test.ts'],
    exclude: [
      ...configDefaults.exclude,
      ...[...readTags()].flatMap(([file, tag]) => (LEFT_OUT[mode]?.includes(tag) ? [file] : [])),
    ],
    // `.ci/run` reads the numbers from a report of its own choice, so that it can run `npm test` as it stands.
    reporters: report === undefined ? ['default'] : ['default', ['json', { outputFile: report }]],
    globalSetup: ['test/empty-cache.ts'],
    tags: TAGS,
    // One more than there are cores, since many tests wait: for processes, browsers, timers.
    maxWorkers: availableParallelism() + 1,
    sequence: { sequencer: SlowFirst },
    execArgv: WORKER_FLAGS,
    // No module of `src/` keeps state (`test/architecture.test.ts`), so test files share the modules loaded by a worker: half the CPU time.
    isolate: false,
    // Modules are transformed again only if they, the configuration or the lock file changed.
    experimental: { fsModuleCache: true },
    testTimeout: TIME_LIMIT_MS,
    hookTimeout: TIME_LIMIT_MS,
    // Node.js parses these certificates at every start, which can take as long as all the rest of it. Only `npm install` talks to other machines.
    env: { NODE_EXTRA_CA_CERTS: '', VOUCH_TEST_CA_CERTS: process.env['NODE_EXTRA_CA_CERTS'] ?? '' },
  },
}));

export default config;
