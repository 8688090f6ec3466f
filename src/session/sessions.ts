import { MockError, nearest } from '../errors.js';
import { checkSessionId, createTokens, isSessionId, readCookie, readPrefix, type SessionPrefix } from './choice.js';
import type { Session } from './session.js';

/** All sessions of one mock. */
export interface Sessions {
  /** The session of requests that name none. */
  readonly default: Session;
  /** The session id at the start of a path, and the path without it; undefined where there is none. */
  readPrefix(path: string): SessionPrefix | undefined;
  /**
   * The session of a request: header `x-mock-session`, cookie `mock-session`, a registered token, the id in the path (`prefixId`),
   * else the default one. An unknown id opens its session, unless sessions must be opened first: then the error is returned.
   */
  choose(headers: Headers, prefixId: string | undefined): Session | MockError;
  get(id: string): Session | undefined;
  /** @throws MockError `SESSION_UNKNOWN` that names the nearest. */
  find(id: string): Session;
  /**
   * Opens a session; an id is made up where none is given.
   *
   * @throws MockError `SESSION_EXISTS`, `SESSION_INVALID`, `SESSION_LIMIT`, `SESSION_TOKEN_TAKEN`, `SCENARIO_UNKNOWN`.
   */
  open(opening?: SessionOpening): Session;
  /** Makes credentials mean a session. @throws MockError `SESSION_TOKEN_TAKEN` where one means another session already. */
  register(tokens: readonly string[], id: string): void;
  /** Credentials that mean a session. */
  tokensOf(id: string): readonly string[];
  /** Whether a credential was registered for a session. */
  owns(session: Session, token: string): boolean;
  /** @returns whether there was one. The default session cannot be closed, only reset. */
  close(id: string): boolean;
  /** Those that are open, the default one first. */
  list(): readonly Session[];
}

/** How a session begins. */
export interface SessionOpening {
  readonly id?: string | undefined;
  readonly tokens?: readonly string[] | undefined;
  /** Scenarios it begins with; a reset goes back to these. */
  readonly scenarios?: readonly string[] | undefined;
  /** Id of a session to start as a copy of, instead of from the fixtures. */
  readonly from?: string | undefined;
}

/** How sessions come and go. */
export interface SessionsOptions {
  /** Whether an id nobody opened is refused instead of opened. */
  readonly requireSession: boolean;
  /** Milliseconds after which an unused session is dropped. */
  readonly idleMs: number;
  /** How many there may be at once, without the default one. */
  readonly limit: number;
  /** First path segments that begin with `~` and belong to the contract. */
  readonly reserved: ReadonlySet<string>;
  /** Names, in lower case, of headers besides Authorization in which a credential travels. */
  readonly credentialHeaders: readonly string[];
  /** Milliseconds; the machine's clock unless a test says otherwise. */
  now(): number;
  /** Scenarios the default session begins with. */
  readonly opening: readonly string[];
  create(id: string, scenarios: readonly string[]): Session;
}

/** No sessions, but for the default one. */
export function createSessions(options: SessionsOptions): Sessions {
  const initial = options.create('default', options.opening);
  const tokens = createTokens(options.credentialHeaders);
  const pool = createPool({ ...options, onDrop: tokens.forget });

  const get = (id: string): Session | undefined => (id === initial.id ? initial : pool.get(id));
  const find = (id: string): Session => {
    const session = get(id);
    if (session !== undefined) return session;
    throw toUnknown(id, [initial.id, ...pool.ids()]);
  };
  const open = (opening: SessionOpening = {}): Session => {
    const { id = pool.makeUpId(), tokens: given = [], from } = opening;
    checkSessionId(id);
    if (get(id) !== undefined) throw toTaken(id);
    if (pool.isFull()) throw toLimit(options.limit);
    tokens.check(given, id);
    const origin = from === undefined ? undefined : find(from);
    const session = options.create(id, opening.scenarios ?? []);
    if (origin !== undefined) session.restore(origin.snapshot());
    if (origin !== undefined && opening.scenarios !== undefined) session.use(opening.scenarios);
    pool.add(session);
    tokens.register(given, id);
    return session;
  };
  const choose = (id: string): Session | MockError =>
    get(id) ?? catchMistake(() => (options.requireSession && isSessionId(id) ? find(id) : open({ id })));

  return {
    default: initial,
    readPrefix: (path) => readPrefix(path, options.reserved),
    choose: (headers, prefixId) => {
      const id = headers.get('x-mock-session') ?? readCookie(headers) ?? tokens.read(headers) ?? prefixId;
      return id === undefined ? initial : choose(id);
    },
    get,
    find,
    open,
    register: (given, id) => {
      tokens.check(given, find(id).id);
      tokens.register(given, id);
    },
    tokensOf: tokens.of,
    owns: (session, token) => tokens.owner(token) === session.id,
    close: pool.drop,
    list: () => [initial, ...pool.list()],
  };
}

/** The sessions that can come and go. */
interface Pool {
  get(id: string): Session | undefined;
  /** An id that nobody has. */
  makeUpId(): string;
  add(session: Session): void;
  /** @returns whether there was one. */
  drop(id: string): boolean;
  /** Whether there is no room for another one, those that nobody uses put aside. */
  isFull(): boolean;
  ids(): Iterable<string>;
  list(): readonly Session[];
}

/** An empty pool that forgets whoever is idle. */
function createPool(
  options: Pick<SessionsOptions, 'idleMs' | 'limit' | 'now'> & { readonly onDrop: (id: string) => void },
): Pool {
  const { idleMs, limit, now, onDrop } = options;
  const sessions = new Map<string, { readonly session: Session; usedAt: number }>();
  let sweptAt = now();
  let madeUp = 0;
  const drop = (id: string): boolean => {
    if (!sessions.delete(id)) return false;
    onDrop(id);
    return true;
  };
  const sweep = (): void => {
    sweptAt = now();
    for (const [id, entry] of sessions) if (sweptAt - entry.usedAt > idleMs) drop(id);
  };
  return {
    get: (id) => {
      // Often enough that what is idle goes soon, seldom enough that no request pays for many sessions.
      if (now() - sweptAt > idleMs / 2) sweep();
      const entry = sessions.get(id);
      if (entry === undefined) return undefined;
      if (now() - entry.usedAt > idleMs) {
        drop(id);
        return undefined;
      }
      entry.usedAt = now();
      return entry.session;
    },
    makeUpId: () => {
      do madeUp += 1;
      while (sessions.has(`session-${madeUp}`));
      return `session-${madeUp}`;
    },
    add: (session) => void sessions.set(session.id, { session, usedAt: now() }),
    drop,
    isFull: () => {
      if (sessions.size >= limit) sweep();
      return sessions.size >= limit;
    },
    ids: () => sessions.keys(),
    list: () => {
      sweep();
      return [...sessions.values()].map((entry) => entry.session);
    },
  };
}

function catchMistake(open: () => Session): Session | MockError {
  try {
    return open();
  } catch (error) {
    if (error instanceof MockError) return error;
    throw error;
  }
}

function toTaken(id: string): MockError {
  return new MockError('SESSION_EXISTS', `session "${id}" is already open`, {
    hint: 'close it first, or pick another id',
  });
}

function toUnknown(id: string, ids: readonly string[]): MockError {
  const meant = nearest(id, ids);
  return new MockError('SESSION_UNKNOWN', `no session "${id}" is open`, {
    hint:
      meant === undefined ? 'open it first: POST /__mock/sessions, or mock.session(id)' : `did you mean "${meant}"?`,
  });
}

function toLimit(limit: number): MockError {
  return new MockError('SESSION_LIMIT', `there are ${limit} sessions open, and more are not allowed`, {
    hint: 'close sessions when a test ends, or raise sessions: { max } (--max-sessions)',
  });
}
