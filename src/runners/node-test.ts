import { after, afterEach, before, beforeEach } from 'node:test';
import { registerMock } from './hooks.js';
import type { TestMock, TestMockOptions } from './test-mock.js';

/**
 * The mock of a test file of `node:test`: a session per test, with `verify()` at its end.
 *
 * @param options - Those of `createMock`, `listen` and `verify`.
 * @returns a handle of the session of the test that runs.
 *
 * @example
 * ```ts no-run
 * import assert from 'node:assert/strict';
 * import { test } from 'node:test';
 * import { useMock } from 'vouch/node-test';
 *
 * const mock = useMock({ spec: 'openapi.yaml' });
 *
 * test('lists stations', async () => {
 *   const response = await mock.fetch('/stations');
 *   assert.equal(response.status, 200);
 *   mock.received('listStations', { times: 1 });
 * });
 * ```
 */
export function useMock<Types = unknown, Collections = unknown>(
  options: TestMockOptions<Types, Collections>,
): TestMock<Types, Collections> {
  return registerMock(options, {
    beforeAll: before,
    beforeEach,
    // The context of a test, which the types lack here: `passed` is of Node.js 20.12.
    afterEach: (run) => afterEach((context) => run((context as { readonly passed?: boolean }).passed === false)),
    afterAll: after,
  });
}
