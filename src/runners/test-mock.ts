import type { VerifyOptionsOf } from '../answer/handlers.js';
import type { VirtualClock } from '../base/clock.js';
import { MockError } from '../base/errors.js';
import { delay, host, isRequest } from '../base/platform.js';
import type { VerifyError } from '../journal/verify.js';
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
   * Verifies and closes the session, at once unless requests are open that the test did not await.
   *
   * @param hasFailed - Whether the test has failed: rules and calls that it did not reach are then no findings.
   * @throws MockError `VERIFY_FAILED`.
   */
  end(hasFailed: boolean): void | Promise<void>;
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
      const { fetch, findCall, open } = traceCalls(session);
      return {
        mock: { ...session, fetch, baseUrl, shared, verifyAtEnd },
        end: (hasFailed) => {
          const finish = (): void => {
            try {
              if (checked !== false) verifySession(session, checked === true ? {} : checked, hasFailed);
            } catch (error) {
              throw error instanceof MockError ? toEndError(error, findCall(error)) : error;
            } finally {
              session.close();
            }
          };
          return open.size === 0 ? finish() : waitUntilEmpty(open).then(finish);
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
  session.verify(hasFailed ? { ...options, calls: {}, unusedRules: false } : options);
}

/** Where a test called `fetch`: an error that nothing throws, for its stack. */
type CallPlace = Pick<Error, 'stack'>;

/** Remembers the last call of `fetch` for each URL, so that the error at the end of a test shows the request in the test. */
function traceCalls({ fetch: send }: Pick<SessionHandle, 'fetch'>): {
  readonly fetch: typeof send;
  findCall(error: MockError): CallPlace | undefined;
  /** The requests that have no answer yet. */
  readonly open: ReadonlySet<unknown>;
} {
  const calls = new Map<string, CallPlace>();
  const open = new Set<unknown>();
  const fetch: typeof send = (input, init) => {
    const call: CallPlace = {};
    Error.captureStackTrace(call, fetch);
    if (calls.size < MAX_CALLS) calls.set(toPath(isRequest(input) ? input.url : String(input)), call);
    const answer = send(input, init);
    const settle = (): void => void open.delete(answer);
    open.add(answer);
    answer.then(settle, settle);
    return answer;
  };
  const findCall = (error: MockError): CallPlace | undefined => {
    const { interaction } = error as Partial<VerifyError>;
    return interaction && calls.get(toPath(interaction.request.url));
  };
  return { fetch, findCall, open };
}

/** A mistake in a request that the test did not await is reported too. One that hangs, or waits for a clock, is left. */
async function waitUntilEmpty(open: ReadonlySet<unknown>): Promise<void> {
  for (let turn = 0; open.size > 0 && turn < MAX_TURNS; turn++) await delay(0);
}

const MAX_TURNS = 50;

/** How many calls of a test are remembered. */
const MAX_CALLS = 1000;

/** The path and the query of a URL, in the form of the `URL` class. */
function toPath(url: string): string {
  if (!host.URL.canParse(url, 'http://mock')) return url;
  const { pathname, search } = new host.URL(url, 'http://mock');
  return pathname + search;
}

/** The error of `verify` with a hint for a check that the test did not call itself, and the place of the request if it is known. */
function toEndError(error: MockError, call: CallPlace | undefined): MockError {
  const hint = error.hint?.replaceAll('verify({', 'mock.verifyAtEnd({');
  // Without a cause: runners would print the same findings twice.
  const own = hint === undefined ? error : new MockError(error.code, error.reason, { hint });
  const { stack = '' } = call ?? {};
  const frames = stack.slice(stack.indexOf('\n'));
  return frames === '' ? own : Object.defineProperty(own, 'stack', { value: `${own.name}: ${own.message}${frames}` });
}
