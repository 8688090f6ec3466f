import type { TestProject } from 'vitest/node';
import { createMock, readBasePath } from '../mock/mock.js';
import type { ControlOptions, MockOptions } from '../mock/options.js';
import type { ListenOptions } from '../server/listen.js';

/** Where the shared mock listens: `inject('vouch')` in a test. */
export interface SharedServer {
  /** `http://host:port`. */
  readonly url: string;
  /** The base URL for a client whose requests need no session. */
  readonly baseUrl: string;
  /** The base path of the contract, such as `/v1`; empty where it has none. */
  readonly basePath: string;
  /** The path of the control API. */
  readonly controlPrefix: string;
}

declare module 'vitest' {
  interface ProvidedContext {
    /** The mock that `createGlobalSetup` started. */
    vouch: SharedServer;
  }
}

/** The options of the shared mock, as of `createMock`; it always listens, and tests open their sessions with the control API. */
export interface SharedMockOptions<Types = unknown, Collections = unknown> extends MockOptions<Types, Collections> {
  /** The pages of `origins` may use it; default: pages of jsdom, of happy-dom and of vitest's browser mode. */
  readonly control?: ControlOptions;
  /** Where to listen; default: a free port of this machine. */
  readonly listen?: ListenOptions;
}

/** The default origins of pages in jsdom and happy-dom, and in the browser mode of vitest. */
const ORIGINS: readonly string[] = ['http://localhost:3000', 'http://localhost:63315'];

/**
 * A global setup of vitest: one mock on a socket for all workers, and for tests in a browser.
 *
 * @param options - Those of `createMock`, and `listen`.
 * @returns the setup, which fails as `createMock` and `listen` do.
 *
 * @example
 * ```ts no-run
 * // vitest.global-setup.ts, named in `test.globalSetup` of vitest.config.ts
 * import { createGlobalSetup } from 'vouch/vitest/global-setup';
 *
 * export default createGlobalSetup({ spec: 'openapi.yaml' });
 * ```
 */
export function createGlobalSetup<Types = unknown, Collections = unknown>(
  options: SharedMockOptions<Types, Collections>,
): (project: TestProject) => Promise<() => Promise<void>> {
  return async (project) => {
    const { listen, ...rest } = options;
    const control = { prefix: '/__mock', origins: ORIGINS, ...rest.control };
    const mock = await createMock<Types, Collections>({ ...rest, control });
    const { url, baseUrl } = await mock.listen(listen);
    project.provide('vouch', { url, baseUrl, basePath: readBasePath(mock.contract), controlPrefix: control.prefix });
    return mock.close;
  };
}
