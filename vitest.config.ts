import { availableParallelism } from 'node:os';
import { configDefaults, defineConfig, type ViteUserConfigFnObject } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const report = process.env['VOUCH_TEST_REPORT'];

/**
 * Test files that `npm run test:fast` leaves out: large documents, child processes, browsers, packing, long tables; each takes a second or more.
 * Single tests of other files are left out by the tag `slow`.
 * The longest come first.
 */
const SLOW = [
  'test/state/real-lifecycles.test.ts',
  'test/sweep.test.ts',
  'test/documentation/guides.test.ts',
  'test/inspector/inspector.test.ts',
  'test/fuzz.test.ts',
  'test/generate/absurd-documents.test.ts',
  'test/state/drawn-documents.test.ts',
  'test/docker.test.ts',
  'test/control/hostile.test.ts',
  'test/flows/openai-streams.test.ts',
  'test/recording/hostile-upstream.test.ts',
  'test/cli/serve.test.ts',
  'test/session/isolation.test.ts',
  'test/package.test.ts',
  'test/http/bounded-work.test.ts',
  'test/types/write-types.test.ts',
  'test/recording/commands.test.ts',
  'test/cli/migration.test.ts',
  'test/state/lifecycle-documents.test.ts',
  'test/store/processes.test.ts',
  'test/server/browser.test.ts',
  'test/contract/lazy-document.test.ts',
  'test/documents/documents.test.ts',
  'test/documentation.test.ts',
  'test/cli/compile-cache.test.ts',
  'test/documents/mutated.test.ts',
  'test/store/failures.test.ts',
  'test/contract/presets.test.ts',
  'test/recording/har-browser.test.ts',
  'test/metrics/metrics.test.ts',
  'test/control/control.test.ts',
  'test/store/failover.test.ts',
  'test/scenario/shipped.test.ts',
  'test/schema/large-schemas.test.ts',
  'test/cli/exit-codes.test.ts',
  'test/recording/clients.test.ts',
  'test/store/replicas.test.ts',
  'test/generate/documents.test.ts',
  'test/server/connections.test.ts',
  'test/contract/broken-input.test.ts',
  'test/flows/openai-errors.test.ts',
  'test/flows/stripe-errors.test.ts',
  'test/coverage/process.test.ts',
  'test/cli/config.test.ts',
  'test/cli/terminal.test.ts',
  'test/contract/routing-documents.test.ts',
  'test/generate/absurd.test.ts',
  'test/reload/large.test.ts',
  'test/metrics/prometheus.test.ts',
  'test/recording/concurrency.test.ts',
  'test/recording/forward.test.ts',
  'test/recording/real-servers.test.ts',
  'test/recording/secrets.test.ts',
  'test/scenario/schema-documents.test.ts',
  'test/scenario/watch.test.ts',
  'test/scenario/hostile.test.ts',
  'test/schema/interpret.test.ts',
  'test/session/loaded-contract.test.ts',
  'test/http/hostile.test.ts',
  'test/server/odd-answers.test.ts',
  'test/state/limits.test.ts',
  'test/server/hono-github.test.ts',
  'test/server/methods.test.ts',
  'test/state/any-document.test.ts',
  'test/state/documents-page.test.ts',
  'test/state/inference.test.ts',
  'test/state/lifecycle.test.ts',
  'test/state/openai-document.test.ts',
  'test/store/cluster.test.ts',
  'test/store/deployment.test.ts',
  'test/state/stripe-document.test.ts',
  'test/store/lost-writes.test.ts',
  'test/reload/serve.test.ts',
  'test/state/generated-items.test.ts',
  'test/store/metrics.test.ts',
  'test/recording/lock.test.ts',
  'test/cli/completion.test.ts',
  'test/reload/edits.test.ts',
  'test/http/property.test.ts',
  'test/state/pages.test.ts',
  'test/generate/keywords.test.ts',
  'test/language.test.ts',
  'test/pact/pact.test.ts',
  'test/recording/promote.test.ts',
  'test/recording/promote-rules.test.ts',
  'test/scenario/matchers.test.ts',
  'test/state/lists-in-items.test.ts',
  'test/state/entry-points.test.ts',
  'test/pact/command.test.ts',
  'test/server/turns.test.ts',
  'test/state/cli.test.ts',
  'test/recording/drift.test.ts',
  'test/import/import.test.ts',
  'test/server/markup.test.ts',
];

/** Starts the slow files before all others, so that none of them runs alone at the end. */
class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const rank = ({ moduleId }: TestSpecification): number => {
      const place = SLOW.findIndex((file) => moduleId.endsWith(file));
      return place < 0 ? SLOW.length : place;
    };
    return sorted.toSorted((one, other) => rank(one) - rank(other));
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

const config: ViteUserConfigFnObject = defineConfig(({ mode }) => ({
  // Examples import the package by its name; the suite runs them against the source.
  resolve: { alias: [{ find: /^vouch$/, replacement: new URL('src/index.ts', import.meta.url).pathname }] },
  test: {
    include: ['test/**/*.test.ts', 'examples/*.test.ts'],
    exclude: [...configDefaults.exclude, ...(mode === 'fast' ? SLOW : [])],
    // `.ci/run` reads the numbers from a report of its own choice, so that it can run `npm test` as it stands.
    reporters: report === undefined ? ['default'] : ['default', ['json', { outputFile: report }]],
    globalSetup: ['test/empty-cache.ts'],
    tags: [{ name: 'slow', description: 'Takes half a second or more. `npm run test:fast` leaves these tests out.' }],
    // One more than there are cores, since many tests wait: for processes, browsers, timers.
    maxWorkers: availableParallelism() + 1,
    sequence: { sequencer: SlowFirst },
    execArgv: WORKER_FLAGS,
    // No module of `src/` keeps state (`test/architecture.test.ts`), so test files share the modules loaded by a worker: half the CPU time.
    isolate: false,
    // Modules are transformed again only if they, the configuration or the lock file changed.
    experimental: { fsModuleCache: true },
    // Only a limit for tests that hang: a busy machine, such as that of a CI service, can be many times slower.
    testTimeout: process.env['CI'] === undefined ? 60_000 : 120_000,
    hookTimeout: 60_000,
    // Node.js parses these certificates at every start, which can take as long as all the rest of it. Only `npm install` talks to other machines.
    env: { NODE_EXTRA_CA_CERTS: '', VOUCH_TEST_CA_CERTS: process.env['NODE_EXTRA_CA_CERTS'] ?? '' },
  },
}));

export default config;
