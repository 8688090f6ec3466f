import { MockError } from '../base/errors.js';
import {
  type RunningTest,
  startWorkerMock,
  type TestMock,
  type TestMockOptions,
  type WorkerMock,
} from './test-mock.js';

/** The hooks of a runner. */
export interface Hooks {
  /** Runs before the tests of a file. */
  beforeAll(run: () => Promise<void>): void;
  /** Runs before each test. */
  beforeEach(run: () => void): void;
  /** Runs after each test, and waits for a promise. @param run - Its parameter is whether the test failed; false where the runner does not say. */
  afterEach(run: (hasFailed: boolean) => void | Promise<void>): void;
  /** Runs after the tests of a file. */
  afterAll(run: () => Promise<void>): void;
}

/**
 * One mock for the tests of a file, by the hooks of any runner: each test has a session of its own, which is verified and closed at its end.
 *
 * @returns a handle of the session of the test that runs; tests of one file must not run at the same time. Its members throw MockError
 * `SESSION_UNKNOWN` while no test runs; the hooks fail as `createMock` and `verify` do.
 */
export function registerMock<Types = unknown, Collections = unknown>(
  options: TestMockOptions<Types, Collections>,
  hooks: Hooks,
): TestMock<Types, Collections> {
  let worker: WorkerMock<Types, Collections> | undefined;
  let test: RunningTest<Types, Collections> | undefined;
  hooks.beforeAll(async () => {
    worker = await startWorkerMock(options);
  });
  hooks.beforeEach(() => {
    test = worker?.begin();
  });
  hooks.afterEach((hasFailed) => {
    const ended = test;
    test = undefined;
    return ended?.end(hasFailed);
  });
  hooks.afterAll(async () => worker?.close());
  // Every member is read when it is used, from the session of the test that runs then.
  return new Proxy({} as TestMock<Types, Collections>, {
    get: (_, name) => (typeof name === 'symbol' ? undefined : Reflect.get(readMock(test, name), name)),
    has: (_, name) => typeof name === 'string' && test !== undefined && name in test.mock,
  });
}

/** @throws MockError `SESSION_UNKNOWN` */
function readMock<Types, Collections>(
  test: RunningTest<Types, Collections> | undefined,
  name: string,
): TestMock<Types, Collections> {
  if (test !== undefined) return test.mock;
  throw new MockError('SESSION_UNKNOWN', `mock.${name} was read while no test runs`, {
    hint: 'use the mock in a test or in beforeEach: each test has a session of its own',
  });
}
