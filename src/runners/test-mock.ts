import type { VerifyOptionsOf } from '../answer/handlers.js';
import type { VirtualClock } from '../base/clock.js';
import { MockError } from '../base/errors.js';
import type { Mock, SessionHandle } from '../mock/handles.js';
import { createMock, readBasePath } from '../mock/mock.js';
import type { MockOptions } from '../mock/options.js';
import type { ListenOptions } from '../server/listen.js';

/** The options of `createMock`, and what the tests of a runner do with the mock. */
export interface TestMockOptions<Types = unknown, Collections = unknown> extends MockOptions<Types, Collections> {
  /** The checks when a test ends: `true` for everything, `false` for nothing, or the options of `verify()`; default `true`. */
  readonly verify?: boolean | VerifyOptionsOf<Types>;
  /** Whether the mock listens on a socket, for clients that do not take a `fetch` function; default false. */
  readonly listen?: boolean | ListenOptions;
}

/** The mock as one test sees it: a session of its own, which is verified and closed when the test ends. */
export interface TestMock<Types = unknown, Collections = unknown> extends SessionHandle<
  VirtualClock,
  Types,
  Collections
> {
  /** The base URL for the client. With `listen` it reaches this session on the socket, otherwise it is for clients that are given `mock.fetch`. */
  readonly baseUrl: string;
  /** The mock that the tests of this worker share. */
  readonly shared: Mock<VirtualClock, Types, Collections>;
  /** Replaces, for this test, what is verified at its end: `false` for nothing, or the options of `verify()`. */
  verifyAtEnd(options: boolean | VerifyOptionsOf<Types>): void;
}

/** A test that runs. */
export interface RunningTest<Types = unknown, Collections = unknown> {
  /** The mock as this test sees it. */
  readonly mock: TestMock<Types, Collections>;
  /**
   * Verifies and closes the session.
   *
   * @param hasFailed - Whether the test has failed: rules and calls that it did not reach are then no findings.
   * @throws MockError `VERIFY_FAILED`.
   */
  end(hasFailed: boolean): void;
}

/** The mock of one worker. */
export interface WorkerMock<Types = unknown, Collections = unknown> {
  /** The mock that the tests of this worker share. */
  readonly shared: Mock<VirtualClock, Types, Collections>;
  /** Opens a session for a test. @throws MockError `SESSION_LIMIT`, `STATE_LIMIT`. */
  begin(): RunningTest<Types, Collections>;
  /** Closes the mock. */
  close(): Promise<void>;
}

/** Creates the mock of a worker, whose tests each have a session. @throws MockError as `createMock` and `listen` do. */
export async function startWorkerMock<Types = unknown, Collections = unknown>(
  options: TestMockOptions<Types, Collections>,
): Promise<WorkerMock<Types, Collections>> {
  const { verify: verification = true, listen = false, ...rest } = options;
  const shared = await createMock<Types, Collections>(rest);
  const server = listen === false ? undefined : await shared.listen(listen === true ? {} : listen);
  const basePath = readBasePath(shared.contract);
  return {
    shared,
    begin: () => {
      const session = shared.session();
      let checked = verification;
      const baseUrl = server === undefined ? `http://mock${basePath}` : server.url + session.prefix + basePath;
      const verifyAtEnd = (wanted: boolean | VerifyOptionsOf<Types>): void => void (checked = wanted);
      return {
        mock: { ...session, baseUrl, shared, verifyAtEnd },
        end: (hasFailed) => {
          try {
            if (checked !== false) verifySession(session, checked === true ? {} : checked, hasFailed);
          } finally {
            session.close();
          }
        },
      };
    },
    close: () => shared.close(),
  };
}

function verifySession<Types, Collections>(
  session: SessionHandle<VirtualClock, Types, Collections>,
  options: VerifyOptionsOf<Types>,
  hasFailed: boolean,
): void {
  try {
    session.verify(hasFailed ? { ...options, calls: {}, unusedRules: false } : options);
  } catch (error) {
    throw error instanceof MockError ? toEndError(error) : error;
  }
}

/** The error of `verify` with a hint for a check that the test did not call itself. */
function toEndError(error: MockError): MockError {
  const hint = error.hint?.replaceAll('verify({ ignore })', 'mock.verifyAtEnd({ ignore })');
  // Without a cause: runners would print the same findings twice.
  return hint === undefined ? error : new MockError(error.code, error.reason, { hint });
}
