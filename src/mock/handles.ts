// Projects without this library and without the types of Node.js lack `Symbol.dispose`, without which the types below have no members.
/// <reference lib="esnext.disposable" preserve="true" />
import type { Hono } from 'hono';
import type { CallChecks } from '../answer/call-checks.js';
import { type AnswerSetters, createAnswerSetters } from '../answer/set-answers.js';
import type { HandlersOf, JournalOf, VerifyOptionsOf } from '../answer/handlers.js';
import type { MockScenariosOf } from '../features/scenario/answer/typed-scenario.js';
import type { Clock, VirtualClock } from '../base/clock.js';
import type { Contract, Problem } from '../contract/contract.js';
import type { Coverage } from '../features/coverage/coverage.js';
import { MockError } from '../base/errors.js';
import type { Listening, ListenOptions } from '../server/listen.js';
import { createReceipts } from '../journal/received.js';
import type { Cassette } from '../features/recording/cassette/cassette.js';
import type { Owner, RecordingMode } from '../features/recording/mode.js';
import type { Recordings, RecordingReport, RecordingStart } from '../features/recording/recordings.js';
import type { Version } from './reload/version.js';
import { createSessionScenarios, type SessionScenarios } from '../features/scenario/scenario-handle.js';
import type { ResetKind, Session, SessionSnapshot as Held } from '../session/session.js';
import type { SessionOpening, Sessions } from '../session/sessions.js';
import { createState, type StateOf } from '../session/state.js';
import { checkConduct, verifySession } from './verify.js';
import type { Interceptable, Interceptions } from '../features/intercept/intercept.js';
import type { MockReload } from '../server/control/reloads.js';
import { withAbortSignal } from '../http/request/in-process.js';
import { fetchInProcess } from '../http/request/redirects.js';
import { requireOrigin } from '../http/request/own-origin.js';
import { host } from '../base/platform.js';
import { replayOf } from '../features/recording/matching/replay-slot.js';

/** A session: collections, scenarios, clock and journal of one client. */
export interface SessionHandle<SessionClock extends Clock = VirtualClock, Types = unknown, Collections = unknown>
  extends CallChecks<Types>, AnswerSetters<Types>, Interceptable {
  /** The id of the session. */
  readonly id: string;
  /** The header with which a client names this session: `{ 'x-mock-session': id }`. */
  readonly headers: Readonly<Record<string, string>>;
  /** The path prefix with which a client names this session: `/~id`. */
  readonly prefix: string;
  /** The interactions of this session. */
  readonly journal: JournalOf<Types>;
  /** The clock of this session; `set` and `advance` move it, unless the clock is `'real'`, or an object of the caller that lacks them. */
  readonly clock: SessionClock;
  /** The scenarios of this session. */
  readonly scenarios: SessionScenarios;
  /**
   * The collections of this session.
   *
   * @example
   * ```ts
   * import { createMock } from 'vouch';
   *
   * const mock = await createMock({ spec: 'spec/openapi.yaml', fixtures: 'fixtures' });
   * const files = mock.state.collection('files');
   * const added = files.add({ filename: 'notes.txt' });
   * if (files.get(String(added['id']))?.['filename'] !== 'notes.txt') throw new Error('the file is missing');
   * ```
   */
  readonly state: StateOf<Collections>;
  /**
   * Answers a request of this session without a socket.
   *
   * @throws MockError `SESSION_UNKNOWN` where the session was closed; `ORIGIN_UNKNOWN` for a URL of another API; the reason of the request's signal, when it is aborted.
   */
  fetch(input: string | URL | Request, init?: RequestInit): Promise<Response>;
  /**
   * Adds handlers that answer before earlier ones; a handler that returns undefined leaves the call to the next.
   *
   * @throws MockError `HANDLER_INVALID` where no operation matches, a handler is not a function, or two of them are for one operation.
   *
   * @example
   * ```ts
   * import { createMock } from 'vouch';
   *
   * const mock = await createMock({ spec: 'spec/openapi.yaml', fixtures: 'fixtures' });
   * mock.use({ downloadFile: () => ({ status: 500, body: { error: { message: 'down' } } }) });
   * const ask = () => mock.fetch('/v1/files/file-handbook/content', { headers: { authorization: 'Bearer k' } });
   * const before = await ask();
   * mock.resetHandlers();
   * const after = await ask();
   * if (before.status !== 500 || after.status !== 200) throw new Error(`${before.status}, ${after.status}`);
   * ```
   */
  use(handlers: HandlersOf<Types, Collections>): void;
  /** Removes the handlers that `use` added; handlers of `createMock` stay. */
  resetHandlers(): void;
  /**
   * Returns to an earlier state. Definitions and handlers stay.
   *
   * @param what - Default `all`.
   * @throws MockError `STATE_INVALID`, `STATE_LIMIT` where the active scenarios cannot change the collections.
   */
  reset(what?: ResetKind): void;
  /** Everything that the session holds now, except its journal. */
  snapshot(): SessionSnapshot;
  /** Returns to a snapshot of this session, or of another one of the same mock; the journal stays. @throws MockError `STATE_LIMIT`; then nothing is changed. */
  restore(snapshot: SessionSnapshot): void;
  /**
   * Opens a session that starts as a copy of this one.
   *
   * @param id - Default: a generated id.
   * @throws MockError `SESSION_EXISTS`, `SESSION_INVALID`, `SESSION_LIMIT`, `STATE_LIMIT`; `SESSION_UNKNOWN` where this session was closed.
   */
  fork(id?: string): SessionHandle<SessionClock, Types, Collections>;
  /**
   * Checks that the client kept to the contract, that call counts are right, that every rule of an active scenario applied,
   * and that no call lacked a recording.
   *
   * @throws MockError `VERIFY_FAILED` with every finding; `OPERATION_UNKNOWN` where `calls` names an unknown operation.
   *
   * @example
   * ```ts
   * import { createMock } from 'vouch';
   *
   * const mock = await createMock({ spec: 'spec/openapi.yaml', fixtures: 'fixtures' });
   * await mock.fetch('/v1/files/file-handbook/content', { headers: { authorization: 'Bearer k' } });
   * mock.verify({ calls: { downloadFile: 1 } });
   * ```
   */
  verify(options?: VerifyOptionsOf<Types>): void;
  /**
   * Selects the cassette that this session replays from.
   *
   * @throws MockError `RECORDING_NOT_FOUND`, `RECORDING_INVALID`, `RECORDING_EXPIRED`; where the mode records also `RECORDING_LOCKED`,
   * `RECORDING_UNWRITABLE`; `OPTION_INVALID` where the mock has no recordings or the name is not that of a folder.
   */
  cassette(name: string): Cassette;
  /** Closes the session. @returns whether it was open; the default session cannot be closed. */
  close(): boolean;
  /** Closes the session. */
  [Symbol.dispose](): void;
}

/** The state of a session at one moment; made by `snapshot` and accepted by `restore`. */
export interface SessionSnapshot {
  /** Milliseconds since 1970; undefined for a clock that the session does not own. */
  readonly now: number | undefined;
}

/** The recordings of a mock. */
export interface MockRecordings {
  /** The recording mode. */
  readonly mode: RecordingMode;
  /** Which part answers each operation; `*` means all others. */
  readonly owners: Readonly<Record<string, Owner>>;
  /** Warnings for the user, such as expired cassettes. */
  readonly warnings: readonly string[];
  /** Why exchanges were not recorded: a secret in them, a full disk, an unknown content coding. */
  readonly failures: readonly MockError[];
  /**
   * Sets the owner of an operation, or of all operations (`*`).
   *
   * @throws MockError `OPTION_INVALID` for an unknown operation, or an owner that needs an upstream.
   */
  setOwner(operation: string, owner: Owner): void;
  /**
   * Records calls from now on, to the cassette of the mock or another one.
   *
   * @throws MockError `OPTION_INVALID` if a recording is running, without a cassette or an upstream, and on CI without `live: true`;
   * `RECORDING_LOCKED`, `RECORDING_UNWRITABLE`, `RECORDING_INVALID`, `RECORDING_EXPIRED`.
   */
  start(request?: RecordingStart): void;
  /** Ends the recording; calls are answered as before. @throws MockError `OPTION_INVALID` if none is running. */
  stop(): Promise<RecordingReport>;
  /**
   * Writes what was forwarded without being recorded to a cassette, or copies the one that is being recorded.
   *
   * @throws MockError `OPTION_INVALID` without a cassette or an upstream, or if the copy exists already; `RECORDING_LOCKED`, `RECORDING_UNWRITABLE`,
   * `RECORDING_INVALID`, `RECORDING_EXPIRED`.
   */
  snapshot(request?: { readonly cassette?: string | undefined }): Promise<RecordingReport>;
  /** Resolves once everything that was recorded is on disk. */
  settle(): Promise<void>;
}

/** A mock server, in-process or on a socket. Members of a session mean the session `default` here. */
export interface Mock<MockClock extends Clock = VirtualClock, Types = unknown, Collections = unknown> extends Omit<
  SessionHandle<MockClock, Types, Collections>,
  'id' | 'headers' | 'prefix' | 'close' | 'fork' | 'scenarios' | typeof Symbol.dispose
> {
  /** The loaded contract. */
  readonly contract: Contract;
  /** Problems of the document; problems of schemas that no request used yet appear once `prepare` has finished. */
  readonly problems: readonly Problem[];
  /** The seed of generated values. */
  readonly seed: number;
  /** The recordings; undefined without the option `recordings`. */
  readonly recordings: MockRecordings | undefined;
  /** The scenarios; those activated here are active in every session. */
  readonly scenarios: MockScenariosOf<Types>;
  /**
   * The Hono app that answers every request: each operation is one of its routes (`showRoutes(mock.app)` of `hono/dev` lists them), and
   * `other.route('/api', mock.app)` serves them below a prefix in another app.
   */
  readonly app: Hono;
  /**
   * Answers a request without a socket; accepts what the platform's `fetch` accepts, and a path instead of a URL. Redirects are followed,
   * except to another origin, unless the request has `redirect: 'manual'`.
   * `other.mount('/api', mock.fetch)` serves the mock below a prefix of another Hono app.
   *
   * @throws MockError `ORIGIN_UNKNOWN` for a URL of another API; the reason of the signal of the request, when it is aborted.
   *
   * @example
   * ```ts
   * import { createMock } from 'vouch';
   *
   * const mock = await createMock({ spec: 'spec/openapi.yaml', fixtures: 'fixtures' });
   * const response = await mock.fetch('/v1/files/file-handbook/content', { headers: { authorization: 'Bearer k' } });
   * if (!response.ok) throw new Error(`answered ${response.status}`);
   * ```
   */
  fetch(input: string | URL | Request, init?: RequestInit): Promise<Response>;
  /**
   * Listens on a socket.
   *
   * @param options - `port` defaults to 0, any free port; `host` to `127.0.0.1`; `socket`, `tls` and `compress` to none.
   * @throws MockError `PORT_TAKEN`, `LISTEN_FAILED`, `OPTION_INVALID`.
   *
   * @example
   * ```ts
   * import { createMock } from 'vouch';
   *
   * const mock = await createMock({ spec: 'spec/openapi.yaml', fixtures: 'fixtures' });
   * const { baseUrl } = await mock.listen();
   * const response = await fetch(`${baseUrl}/files/file-handbook/content`, { headers: { authorization: 'Bearer k' } });
   * await mock.close();
   * if (!response.ok) throw new Error(`answered ${response.status}`);
   * ```
   */
  listen(options?: ListenOptions): Promise<MockServer>;
  /**
   * The session with an id, opened where it is not open yet.
   *
   * @param id - Default: a generated id.
   * @param opening - How a new session starts; ignored for one that is open.
   * @throws MockError `SESSION_INVALID`, `SESSION_LIMIT`, `SESSION_TOKEN_TAKEN`; `SESSION_UNKNOWN` where `opening.from` is not open;
   * `SCENARIO_UNKNOWN`; `STATE_INVALID`, `STATE_LIMIT` where the scenarios or the copy do not fit.
   *
   * @example
   * ```ts
   * import { createMock } from 'vouch';
   *
   * const mock = await createMock({ spec: 'spec/openapi.yaml', fixtures: 'fixtures' });
   * const session = mock.session('checkout');
   * session.state.collection('files').replace([]);
   * if (mock.state.collection('files').items.length === 0) throw new Error('sessions share state');
   * ```
   */
  session(id?: string, opening?: Omit<SessionOpening, 'id'>): SessionHandle<MockClock, Types, Collections>;
  /** Adds handlers in every session; see `SessionHandle.use`. @throws MockError `HANDLER_INVALID`. */
  use(handlers: HandlersOf<Types, Collections>): void;
  /** Removes the handlers that `use` added, also in sessions; handlers of `createMock` stay. */
  resetHandlers(): void;
  /**
   * Reads the document, fixtures and scenarios again, which answer the next requests; sessions, items, clocks and journals stay.
   *
   * @returns what was done; where a file has a mistake, the last valid version still answers.
   */
  reload(): Promise<MockReload>;
  /** Reads every schema, one per step, ahead of the first request that needs it, which finds the problems of all. */
  prepare(): Iterator<string, void>;
  /**
   * Which parts of the document the requests exercised until now, in all sessions; a reset does not change it.
   *
   * @throws MockError `OPTION_INVALID` without the option `coverage`.
   *
   * @example
   * ```ts
   * import { createMock } from 'vouch';
   *
   * const mock = await createMock({ spec: 'spec/openapi.yaml', fixtures: 'fixtures', coverage: { folder: false } });
   * await mock.fetch('/v1/files/file-handbook/content', { headers: { authorization: 'Bearer k' } });
   * const { operations } = mock.coverage();
   * if (operations.find(({ id }) => id === 'downloadFile')?.hits !== 1) throw new Error('the call was not counted');
   * ```
   */
  coverage(): Coverage;
  /**
   * Closes every server of this mock, and resolves once recordings are on disk.
   *
   * @throws MockError `OPTION_INVALID` where the coverage cannot be written to its folder.
   */
  close(): Promise<void>;
  /** Closes the mock. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** A mock that listens on a socket. */
export interface MockServer extends Listening {
  /** `url` with the first base path of the contract: the base URL for a client. */
  readonly baseUrl: string;
}

/** The parts that handles need. */
export interface HandleParts extends Pick<
  Version,
  'contract' | 'editors' | 'fieldsOf' | 'handlers' | 'operations' | 'scenarios'
> {
  readonly sessions: Sessions;
  /** Undefined where the mock has no recordings. */
  readonly recordings: Recordings | undefined;
  readonly interceptions: Interceptions;
  fetch(request: Request): Response | Promise<Response>;
}

/** The handle of a session. */
export function createHandle(session: Session, parts: HandleParts): SessionHandle<Clock> {
  const { id, journal, clock } = session;
  const { sessions, handlers } = parts;
  // The types of operations narrow what these accept and return.
  const receipts = createReceipts(journal) as Omit<CallChecks, 'checkConduct'>;
  const close = (): boolean => {
    parts.interceptions.close(session);
    return sessions.get(id) === session && sessions.close(id);
  };
  const answer = async (given: Request): Promise<Response> => {
    if (sessions.get(id) !== session) {
      throw new MockError('SESSION_UNKNOWN', `session "${id}" was closed, or dropped because it was not used`, {
        hint: `open it again: mock.session("${id}")`,
      });
    }
    const request = new host.Request(given);
    request.headers.set('x-mock-session', id);
    return withAbortSignal(request, parts.fetch);
  };
  const handle: SessionHandle<Clock> = {
    id,
    headers: { 'x-mock-session': id },
    prefix: `/~${id}`,
    journal,
    clock,
    scenarios: createSessionScenarios(session, parts),
    state: createState(session, parts.editors),
    fetch: async (input, init) => {
      requireOrigin(parts.contract, input);
      return fetchInProcess(input, init, answer);
    },
    use: (added) => handlers.add(added, session),
    ...createAnswerSetters((added) => handlers.add(added, session)),
    resetHandlers: () => handlers.reset(session),
    reset: session.reset,
    snapshot: session.snapshot,
    // Only `snapshot` makes one.
    restore: (snapshot) => session.restore(snapshot as Held),
    fork: (copy) => {
      const forked = sessions.open({ id: copy, from: id });
      handlers.copy(session, forked);
      return createHandle(forked, parts);
    },
    verify: (options) => verifySession(session, parts, options),
    ...receipts,
    checkConduct: (options) => checkConduct(session, parts, options),
    cassette: (name) => {
      if (parts.recordings !== undefined) return parts.recordings.use(replayOf(session), name);
      throw new MockError('OPTION_INVALID', `cassette "${name}" cannot be used: the mock has no recordings`, {
        hint: 'name their folder: createMock({ spec, recordings: "fixtures/recordings" })',
      });
    },
    intercept: (origin, options) =>
      // The interceptor follows redirects where its client does.
      parts.interceptions.open(session, { ...options, origin, fetch: answer }),
    close,
    [Symbol.dispose]: () => void close(),
  };
  return handle;
}

/** The handle of the recordings of a mock. */
export function createRecordingsHandle(recordings: Recordings): MockRecordings {
  return {
    get mode() {
      return recordings.mode;
    },
    get owners() {
      return recordings.owners.list();
    },
    get warnings() {
      return recordings.warnings;
    },
    get failures() {
      return recordings.failures();
    },
    setOwner: (operation, owner) => recordings.owners.assign(operation, owner),
    start: (request = {}) => recordings.start(request),
    stop: recordings.stop,
    snapshot: ({ cassette } = {}) => recordings.snapshot(cassette),
    settle: recordings.settle,
  };
}
