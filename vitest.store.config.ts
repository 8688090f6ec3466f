import { defineConfig, mergeConfig, type ViteUserConfig } from 'vitest/config';
import base from './vitest.config.js';

const shared = new URL('test/store/shared-index.ts', import.meta.url).pathname;

/** Tests of what is different on Redis, with the reason. */
const DIFFERENT: Readonly<Record<string, string>> = {
  'a delay by a clock of the test ends when the test advances it':
    'it counts turns of the event loop until a delay begins',
  'it repeats a request at once': 'it knows how many milliseconds two requests take',
  'counts snapshots until they are replaced or their session is closed': 'snapshots take no memory of the process',
};

/** The suites of flows, scenarios, sessions and state once more, with the state of every mock on Redis: `npm run test:store`. */
const config: ReturnType<typeof defineConfig> = defineConfig((environment) =>
  mergeConfig<ViteUserConfig, ViteUserConfig>(base(environment), {
    plugins: [
      {
        name: 'state-on-redis',
        enforce: 'pre',
        async resolveId(source, importer) {
          if (importer === undefined || !/\/test\/(flows|scenario|session|state)\//.test(importer)) return undefined;
          return /^vouch$|\/src\/(index|mock)\.js$/.test(source) ? shared : undefined;
        },
      },
    ],
    test: {
      globalSetup: ['test/store/global-setup.ts'],
      testNamePattern: new RegExp(`^(?!.*(?:${Object.keys(DIFFERENT).join('|')})$)`),
    },
  }),
);

export default config;
