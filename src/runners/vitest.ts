import { expect, test, type TestAPI } from 'vitest';
import { matchers, type MockMatchers } from '../mock/matchers.js';
import { startWorkerMock, type TestMock, type TestMockOptions, type WorkerMock } from './test-mock.js';

declare module 'vitest' {
  // The matchers that `createTest` registers.
  interface Matchers<T> extends MockMatchers<void, T> {}
}

/** The fixtures that `createTest` adds to a test. */
export interface MockFixtures<Types = unknown, Collections = unknown> {
  /** A session of the mock for this test alone; it is verified and closed when the test ends. */
  readonly mock: TestMock<Types, Collections>;
  /** The mock of the worker. */
  readonly workerMock: WorkerMock<Types, Collections>;
}

/**
 * The `test` of vitest with the fixture `mock`: one mock per worker, a session per test, `verify()` at its end, and the matchers.
 *
 * @param options - Those of `createMock`, `listen` and `verify`.
 *
 * @example
 * ```ts no-run
 * import { createTest } from 'vouch/vitest';
 *
 * const test = createTest({ spec: 'openapi.yaml' });
 *
 * test('lists stations', async ({ mock, expect }) => {
 *   const response = await mock.fetch('/stations');
 *   expect(response.status).toBe(200);
 *   expect(mock).toHaveReceived('listStations');
 * });
 * ```
 */
export function createTest<Types = unknown, Collections = unknown>(
  options: TestMockOptions<Types, Collections>,
): TestAPI<MockFixtures<Types, Collections>> {
  expect.extend(matchers);
  return test.extend<MockFixtures<Types, Collections>>({
    workerMock: [
      // oxlint-disable-next-line no-empty-pattern -- vitest reads from the pattern which fixtures it needs
      async ({}, use) => {
        const worker = await startWorkerMock(options);
        await use(worker);
        await worker.close();
      },
      { scope: 'worker' },
    ],
    mock: async ({ workerMock, task }, use) => {
      const { mock, end } = workerMock.begin();
      await use(mock);
      await end(task.result?.state === 'fail');
    },
  });
}
