import { startWorkerMock, type TestMock, type TestMockOptions, type WorkerMock } from './test-mock.js';

/** The options of the mock, and how a page names the session of its test. */
export interface PlaywrightMockOptions<Types = unknown, Collections = unknown> extends TestMockOptions<
  Types,
  Collections
> {
  /**
   * How requests of the page name the session: `base-url` (default) where the test gives the page `mock.baseUrl`, `header` where the page
   * has a fixed address of the mock (`listen: { port }`); every request of the page then has the header `x-mock-session`.
   */
  readonly session?: 'base-url' | 'header';
}

/** The fixtures of a test: `test.extend<MockFixtures, MockWorkerFixtures>(mockFixtures(…))`. */
export interface MockFixtures<Types = unknown, Collections = unknown> {
  /** A session of the mock for this test alone; it is verified and closed when the test ends. */
  mock: TestMock<Types, Collections>;
}

/** The fixtures of a worker. */
export interface MockWorkerFixtures<Types = unknown, Collections = unknown> {
  /** The mock of the worker, which listens on a socket. */
  workerMock: WorkerMock<Types, Collections>;
}

/** The part of `TestInfo` that the fixtures use. */
interface TestInfo {
  readonly status?: string | undefined;
  readonly expectedStatus: string;
  attach(name: string, options: { readonly body: string; readonly contentType: string }): Promise<void>;
}

type Use<Value> = (value: Value) => Promise<void>;
type HeaderFields = { readonly [name: string]: string };

/** The result of `mockFixtures`. */
interface Fixtures<Types, Collections> {
  workerMock: [(args: object, use: Use<WorkerMock<Types, Collections>>) => Promise<void>, { scope: 'worker' }];
  mock: (
    args: MockWorkerFixtures<Types, Collections>,
    use: Use<TestMock<Types, Collections>>,
    info: TestInfo,
  ) => Promise<void>;
  extraHTTPHeaders?: (
    args: MockFixtures<Types, Collections> & { extraHTTPHeaders?: HeaderFields | undefined },
    use: Use<HeaderFields>,
  ) => Promise<void>;
}

/**
 * The fixtures of Playwright for a mock: one per worker, on a free port, and a session per test with `verify()` at its end.
 *
 * @param options - Those of `createMock`, `listen` (default true), `verify` and `session`.
 *
 * @example
 * ```ts no-run
 * import { test as base } from '@playwright/test';
 * import { mockFixtures, type MockFixtures, type MockWorkerFixtures } from 'vouch/playwright';
 *
 * const test = base.extend<MockFixtures, MockWorkerFixtures>(mockFixtures({ spec: 'openapi.yaml' }));
 *
 * test('shows the stations', async ({ page, mock }) => {
 *   await page.goto(`http://localhost:3000/?api=${encodeURIComponent(mock.baseUrl)}`);
 *   await page.getByText('Berlin').waitFor();
 *   mock.received('listStations', { times: 1 });
 * });
 * ```
 */
export function mockFixtures<Types = unknown, Collections = unknown>(
  options: PlaywrightMockOptions<Types, Collections>,
): Fixtures<Types, Collections> {
  const { session = 'base-url', ...rest } = options;
  return {
    workerMock: [
      // oxlint-disable-next-line no-empty-pattern -- Playwright reads from the pattern which fixtures it needs
      async ({}, use) => {
        const worker = await startWorkerMock<Types, Collections>({ listen: true, ...rest });
        await use(worker);
        await worker.close();
      },
      { scope: 'worker' },
    ],
    mock: async ({ workerMock }, use, info) => {
      const { mock, end } = workerMock.begin();
      await use(mock);
      const hasFailed = info.status !== info.expectedStatus;
      if (hasFailed) await info.attach('requests to the mock', { body: listRequests(mock), contentType: 'text/plain' });
      await end(hasFailed);
    },
    ...(session === 'base-url'
      ? {}
      : { extraHTTPHeaders: async ({ extraHTTPHeaders, mock }, use) => use({ ...extraHTTPHeaders, ...mock.headers }) }),
  };
}

/** One line for each request of a test. */
function listRequests<Types, Collections>({ journal }: TestMock<Types, Collections>): string {
  const lines = journal.interactions.map((interaction) => journal.describe(interaction));
  return lines.length === 0 ? 'none' : lines.join('\n');
}
