import { defineConfig, type ViteUserConfig } from 'vitest/config';

const report = process.env['VOUCH_TEST_REPORT'];

const config: ViteUserConfig = defineConfig({
  // Examples import the package by its name; the suite runs them against the source.
  resolve: { alias: [{ find: /^vouch$/, replacement: new URL('src/index.ts', import.meta.url).pathname }] },
  test: {
    include: ['test/**/*.test.ts', 'examples/**/*.test.ts'],
    // `.ci/run` reads the numbers from a report of its own choice, so that it can run `npm test` as it stands.
    reporters: report === undefined ? ['default'] : ['default', ['json', { outputFile: report }]],
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
});

export default config;
