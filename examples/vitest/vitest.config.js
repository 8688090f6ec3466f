import { defineConfig } from 'vitest/config';

// The same tests in three environments, and tests against a mock that all workers share.
export default defineConfig({
  test: {
    globalSetup: './global-setup.js',
    projects: ['node', 'jsdom', 'happy-dom'].map((environment) => ({
      extends: true,
      test: { name: environment, environment },
    })),
  },
});
