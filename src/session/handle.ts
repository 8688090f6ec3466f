import { type Clock, isVirtualClock, type VirtualClock } from '../clock.js';
import { MockError } from '../errors.js';
import type { Journal } from '../journal/journal.js';
import type { Cassette } from '../recording/cassette/cassette.js';
import { assertNoMisses } from '../recording/matching/replay-state.js';
import type { Recordings } from '../recording/recordings.js';
import type { ScenarioDefinition } from '../scenario/definition/definition.js';
import { listScenarios, type Scenarios, type ScenarioSummary } from '../scenario/scenarios.js';
import type { Item } from '../state/store/collection.js';
import { type CollectionEditors, toInvalid } from '../state/store/editors.js';
import type { ResetKind, Session, SessionSnapshot } from './session.js';
import type { Sessions } from './sessions.js';
import { type SessionVerifyOptions, verifySession } from './verify-session.js';

/** A session as a test holds it. */
export interface SessionHandle {
  readonly id: string;
  /** What a client on a socket sends to mean this session. */
  readonly headers: Readonly<Record<string, string>>;
  /** What stands before every path of a client that can set nothing but its base URL: `/~id`. */
  readonly prefix: string;
  readonly journal: Journal;
  readonly clock: Clock;
  /** Its collections, to be read and written. */
  readonly state: State;
  /** Answers a request of this session without a socket. @throws MockError `SESSION_UNKNOWN` where it was closed. */
  fetch(input: string | URL | Request, init?: RequestInit): Promise<Response>;
  /** Activates scenarios, in this order. @throws MockError `SCENARIO_UNKNOWN`. */
  use(...scenarios: readonly string[]): void;
  /** Deactivates scenarios; all of the session's own where none is named. */
  drop(...scenarios: readonly string[]): void;
  /** Back to an earlier point; never loses a definition. Default `all`. */
  reset(what?: ResetKind): void;
  snapshot(): SessionSnapshot;
  restore(snapshot: SessionSnapshot): void;
  /** A new session that starts as a copy of this one. */
  fork(id?: string): SessionHandle;
  /** Moves the clock on, and wakes what waits. @throws MockError `CLOCK_INVALID` where it is the machine's. */
  advance(ms: number): void;
  /** @throws MockError `VERIFY_FAILED` with every departure of the client and every rule of an active scenario that never applied. */
  verify(options?: SessionVerifyOptions): void;
  /** Puts another cassette of recordings in. @throws MockError `RECORDING_NOT_FOUND`, `RECORDING_INVALID`, `OPTION_INVALID`. */
  cassette(name: string): Cassette;
  /** @throws MockError `RECORDING_MISS` where calls came that no recording fitted, with what is nearest. */
  assertNoMisses(): void;
  /** Ends the session. @returns whether it was open; the default one cannot be closed. */
  close(): boolean;
  [Symbol.dispose](): void;
}

/** The collections of one session. */
export interface State {
  readonly names: readonly string[];
  /** @throws MockError `COLLECTION_UNKNOWN` that names the nearest. */
  collection(name: string): CollectionHandle;
  /** Every item by collection. */
  export(): { readonly collections: Readonly<Record<string, readonly Item[]>> };
}

/** One collection as a test holds it; items that live under another carry `$parent`. */
export interface CollectionHandle {
  readonly name: string;
  /** Oldest first. */
  readonly items: readonly Item[];
  get(id: string): Item | undefined;
  /** Adds an item; what it leaves out is made from the schema. @throws MockError `STATE_INVALID`. */
  add(item?: Item): Item;
  /** Merges a patch (RFC 7386) into an item. @throws MockError `STATE_INVALID`. */
  update(id: string, patch: Item): Item | undefined;
  remove(id: string): boolean;
  /** Puts other items in the place of all of them. @throws MockError `STATE_INVALID`, and then nothing is changed. */
  replace(items: readonly Item[]): void;
}

/** What handles are made with. */
export interface HandleParts {
  readonly sessions: Sessions;
  readonly scenarios: Scenarios;
  /** Ids of the operations there are. */
  readonly operations: readonly string[];
  readonly editors: CollectionEditors;
  /** Undefined where the mock was made without. */
  readonly recordings: Recordings | undefined;
  fetch(request: Request): Response | Promise<Response>;
}

/** A session in a test's hands. */
export function createHandle(session: Session, parts: HandleParts): SessionHandle {
  const { id, journal, clock } = session;
  const { sessions } = parts;
  const close = (): boolean => sessions.get(id) === session && sessions.close(id);
  return {
    id,
    headers: { 'x-mock-session': id },
    prefix: `/~${id}`,
    journal,
    clock,
    state: createState(session, parts.editors),
    fetch: async (input, init) => {
      if (sessions.get(id) !== session) throw toClosed(id);
      const request = new Request(toRequest(input), init);
      request.headers.set('x-mock-session', id);
      return heedAbort(request, parts.fetch);
    },
    use: (...names) => session.use(names),
    drop: (...names) => session.drop(names.length === 0 ? session.scenario.active : names),
    reset: session.reset,
    snapshot: session.snapshot,
    restore: session.restore,
    fork: (copy) => createHandle(sessions.open({ id: copy, from: id }), parts),
    advance: (ms) => movable(clock).advance(ms),
    verify: (options) => verifySession(session, parts, options),
    cassette: (name) => {
      if (parts.recordings !== undefined) return parts.recordings.use(session.replay, name);
      throw new MockError('OPTION_INVALID', `there is no cassette "${name}": the mock was made without recordings`, {
        hint: 'name their folder: createMock({ spec, recordings: "fixtures/recordings" })',
      });
    },
    assertNoMisses: () => assertNoMisses(session.replay.misses),
    close,
    [Symbol.dispose]: () => void close(),
  };
}

/** A request; a path alone stands on an origin that nothing looks at. */
export function toRequest(input: string | URL | Request, init?: RequestInit): Request {
  if (input instanceof Request) return init === undefined ? input : new Request(input, init);
  return new Request(typeof input === 'string' && input.startsWith('/') ? `http://mock${input}` : input, init);
}

/** A clock that can be moved. @throws MockError `CLOCK_INVALID`. */
export function movable(clock: Clock): VirtualClock {
  if (isVirtualClock(clock)) return clock;
  throw new MockError('CLOCK_INVALID', 'this clock is the machine’s own and cannot be moved', {
    hint: 'make the mock with an instant to stand still at: clock: "2026-01-01T00:00:00Z" (--clock)',
  });
}

function toClosed(id: string): MockError {
  return new MockError('SESSION_UNKNOWN', `session "${id}" was closed, or dropped because nobody used it`, {
    hint: `open it anew: mock.session("${id}")`,
  });
}

/** The collections of a session in a test's hands. */
export function createState(session: Session, editors: CollectionEditors): State {
  return {
    names: editors.names,
    export: session.store.export,
    collection: (name) => {
      // Asked once, so that an unknown name fails here and not at the first use.
      editors.list(session, name);
      return {
        name,
        get items() {
          return editors.list(session, name);
        },
        get: (id) => editors.get(session, name, id),
        add: (item = {}) => editors.add(session, name, item),
        update: (id, patch) => editors.update(session, name, { id, patch }),
        remove: (id) => editors.remove(session, name, id),
        replace: (items) => {
          const mistakes = editors.replace(session, name, items);
          if (mistakes.length > 0) throw toInvalid(name, mistakes);
        },
      };
    },
  };
}

/**
 * Asks as the platform's `fetch` does: where the signal of the request is aborted, before or meanwhile, it rejects with the reason.
 *
 * @throws The reason of the signal.
 */
export function heedAbort(
  request: Request,
  fetch: (request: Request) => Response | Promise<Response>,
): Response | Promise<Response> {
  const { signal } = request;
  signal.throwIfAborted();
  const answer = fetch(request);
  return answer instanceof Promise ? raceAbort(signal, answer) : answer;
}

async function raceAbort(signal: AbortSignal, answer: Promise<Response>): Promise<Response> {
  const left = new AbortController();
  const aborted = new Promise<never>((_, reject) => {
    // Whatever the reason is: the platform hands it over as it was given.
    // oxlint-disable-next-line prefer-promise-reject-errors
    signal.addEventListener('abort', () => reject(signal.reason), { once: true, signal: left.signal });
  });
  try {
    return await Promise.race([answer, aborted]);
  } finally {
    left.abort();
  }
}

/** The scenarios of a mock, as a test holds them. What is activated here holds in every session. */
export interface ScenarioHandle {
  readonly ids: readonly string[];
  /** Active in every session, the strongest last. */
  readonly active: readonly string[];
  /** Every scenario with its rules, and how often each of them applied in a session; the default one unless another is named. */
  list(session?: string): readonly ScenarioSummary[];
  /** Activates scenarios in every session, open or yet to be opened. @throws MockError `SCENARIO_UNKNOWN`. */
  activate(...ids: readonly string[]): void;
  /** Deactivates scenarios, all of them where none is named; what they changed stays until a reset. */
  deactivate(...ids: readonly string[]): void;
  /** Adds a scenario, or puts it in the place of one of the same id. @throws MockError `SCENARIO_INVALID`. */
  add(id: string, definition: ScenarioDefinition): void;
  /** Takes away a scenario that was added. @returns whether there was one; those of files stay. */
  remove(id: string): boolean;
}

/** The scenarios of a mock in a test's hands. */
export function createScenarioHandle(parts: {
  readonly scenarios: Scenarios;
  readonly sessions: Sessions;
}): ScenarioHandle {
  const { scenarios, sessions } = parts;
  const find = (id: string | undefined): Session => (id === undefined ? sessions.default : sessions.find(id));
  return {
    get ids() {
      return scenarios.ids;
    },
    get active() {
      return scenarios.active;
    },
    list: (id) => listScenarios(scenarios, find(id).scenario),
    activate: (...ids) => {
      scenarios.activate(ids);
      for (const session of sessions.list()) session.begin(ids);
    },
    deactivate: (...ids) => scenarios.deactivate(ids.length === 0 ? scenarios.active : ids),
    add: (id, definition) => void scenarios.add(id, definition),
    remove: scenarios.remove,
  };
}
