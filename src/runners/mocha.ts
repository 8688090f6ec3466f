import { MockError } from '../base/errors.js';
import { registerMock } from './hooks.js';
import type { TestMock, TestMockOptions } from './test-mock.js';

/** The `this` of a hook of Mocha. */
interface MochaContext {
  readonly currentTest?: { readonly state?: string };
}

/** The globals of Mocha. */
interface MochaGlobals {
  before(run: () => Promise<void>): void;
  beforeEach(run: () => void): void;
  afterEach(run: (this: MochaContext) => unknown): void;
  after(run: () => Promise<void>): void;
}

/**
 * The mock of a test file of Mocha: a session per test, with `verify()` at its end.
 *
 * @param options - Those of `createMock`, `listen` and `verify`.
 * @returns a handle of the session of the test that runs.
 * @throws MockError `OPTION_INVALID` where the functions of Mocha are not global.
 *
 * @example
 * ```ts no-run
 * import assert from 'node:assert/strict';
 * import { useMock } from 'vouch/mocha';
 *
 * const mock = useMock({ spec: 'openapi.yaml' });
 *
 * it('lists stations', async () => {
 *   const response = await mock.fetch('/stations');
 *   assert.equal(response.status, 200);
 * });
 * ```
 */
export function useMock<Types = unknown, Collections = unknown>(
  options: TestMockOptions<Types, Collections>,
): TestMock<Types, Collections> {
  const { before, beforeEach, afterEach, after } = readGlobals();
  return registerMock(options, {
    beforeAll: before,
    beforeEach,
    afterEach: (run) =>
      afterEach(function end() {
        return run(this.currentTest?.state === 'failed');
      }),
    afterAll: after,
  });
}

function readGlobals(): MochaGlobals {
  // Mocha defines them before it loads test files.
  const globals = globalThis as unknown as Partial<MochaGlobals>;
  if (globals.before !== undefined && globals.afterEach !== undefined) return globals as MochaGlobals;
  throw new MockError('OPTION_INVALID', 'useMock was called outside of a test file of Mocha', {
    hint: 'call it in a file that mocha runs, or pass the hooks of your runner to registerMock of vouch/hooks',
  });
}
