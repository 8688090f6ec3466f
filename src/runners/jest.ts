import { MockError } from '../base/errors.js';
import { matchers, type MockMatchers } from '../mock/matchers.js';
import { type Hooks, registerMock } from './hooks.js';
import type { TestMock, TestMockOptions } from './test-mock.js';

declare global {
  // The types of `@types/jest` are a namespace; the types of `@jest/globals` are extended as docs/runners.md shows.
  // oxlint-disable-next-line no-namespace
  namespace jest {
    // The type parameters are the same as in `@types/jest`.
    interface Matchers<R, T> extends MockMatchers<R, T> {}
  }
}

/** The globals of Jest. */
interface JestGlobals extends Record<
  'beforeAll' | 'beforeEach' | 'afterEach' | 'afterAll',
  (run: () => unknown) => void
> {
  readonly expect: { extend(added: object): void };
}

/**
 * The mock of a test file of Jest: a session per test, with `verify()` at its end; the matchers are registered.
 *
 * @param options - Those of `createMock`, `listen` and `verify`.
 * @returns a handle of the session of the test that runs.
 * @throws MockError `OPTION_INVALID` where the functions of Jest are not global.
 *
 * @example
 * ```ts no-run
 * import { useMock } from 'vouch/jest';
 *
 * const mock = useMock({ spec: 'openapi.yaml' });
 *
 * test('lists stations', async () => {
 *   const response = await mock.fetch('/stations');
 *   expect(response.status).toBe(200);
 *   expect(mock).toHaveReceived('listStations');
 * });
 * ```
 */
export function useMock<Types = unknown, Collections = unknown>(
  options: TestMockOptions<Types, Collections>,
): TestMock<Types, Collections> {
  const { expect, beforeAll, beforeEach, afterEach, afterAll } = readGlobals();
  expect.extend(matchers);
  // Jest does not pass to a hook whether the test failed.
  const hooks: Hooks = { beforeAll, beforeEach, afterEach: (run) => afterEach(() => run(false)), afterAll };
  return registerMock(options, hooks);
}

function readGlobals(): JestGlobals {
  // Jest defines them for each test file.
  const globals = globalThis as unknown as Partial<JestGlobals>;
  if (globals.expect !== undefined && globals.beforeAll !== undefined) return globals as JestGlobals;
  throw new MockError(
    'OPTION_INVALID',
    'useMock was called outside of a test file of Jest, or with "injectGlobals": false',
    {
      hint: 'pass the hooks of @jest/globals to registerMock of vouch/hooks',
    },
  );
}
