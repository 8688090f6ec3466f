import { defineConfig, type ViteUserConfig } from 'vitest/config';

const config: ViteUserConfig = defineConfig({
  // Examples import the package by its name; the suite runs them against the source.
  resolve: { alias: [{ find: /^vouch$/, replacement: new URL('src/index.ts', import.meta.url).pathname }] },
  test: {
    include: ['test/**/*.test.ts'],
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
});

export default config;
