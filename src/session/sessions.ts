import { MockError, suggest } from '../base/errors.js';
import type { RequestHeaders } from '../http/request-headers.js';
import { checkSessionId, isSessionId, readCookie, readPrefix, type SessionPrefix } from './choice.js';
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
  choose(headers: Pick<RequestHeaders, 'get'>, prefixId: string | undefined): ChosenSession;
  /** The id of the session of a request; undefined for the default one. */
  readId(headers: Pick<RequestHeaders, 'get'>, prefixId: string | undefined): string | undefined;
  get(id: string): Session | undefined;
  /** An open session. @throws MockError `SESSION_UNKNOWN` with the nearest id. */
  find(id: string): Session;
  /**
   * Opens a session; the default id is generated.
   *
   * @throws MockError `SESSION_EXISTS`, `SESSION_INVALID`, `SESSION_LIMIT`, `SESSION_TOKEN_TAKEN`, `SCENARIO_UNKNOWN`.
   */
  open(opening?: SessionOpening): Session;
  /** Registers tokens for a session. @throws MockError `SESSION_TOKEN_TAKEN` where one belongs to another session. */
  register(tokens: readonly string[], id: string): void;
  /** The tokens of a session. */
  tokensOf(id: string): readonly string[];
  /** Whether a token belongs to a session. */
  owns(session: Session, token: string): boolean;
  /** Closes a session; the default one stays open. @returns whether it was open. */
  close(id: string): boolean;
  /** The open sessions, the default one first. */
  list(): readonly Session[];
  /** How many sessions are in memory, unused ones that were not dropped yet included. */
  readonly size: number;
}

/** The session of a request, or why it has none. */
export type ChosenSession = Session | MockError;

/** How a new session starts. */
export interface SessionOpening {
  /** Default: a generated id. */
  readonly id?: string | undefined;
  /** Tokens with which requests name this session. */
  readonly tokens?: readonly string[] | undefined;
  /** Ids of the scenarios that are active from the start, and after a reset. */
  readonly scenarios?: readonly string[] | undefined;
  /** Id of the session to copy; default: the session starts with the fixtures. */
  readonly from?: string | undefined;
}

/** How sessions are opened and dropped. */
export interface SessionsOptions {
  /** Whether a request for a session that is not open is refused. */
  readonly requireSession: boolean;
  /** Milliseconds after which an unused session is dropped. */
  readonly idleMs: number;
  /** Maximum number of open sessions, besides the default one. */
  readonly limit: number;
  /** First path segments of the contract that start with `~`. */
  readonly reserved: ReadonlySet<string>;
  /** Names, in lower case, of the headers besides Authorization that carry credentials. */
  readonly credentialHeaders: readonly string[];
  /** Milliseconds of real time, from any start. */
  now(): number;
  /** Ids of the scenarios that are active in the default session from the start. */
  readonly opening: readonly string[];
  create(id: string, scenarios: readonly string[]): Session;
  /** Activates scenarios in a session. @throws MockError `SCENARIO_UNKNOWN`. */
  activate(session: Session, scenarios: readonly string[]): void;
  /** Reports changes to other processes; default: there are none. */
  readonly events?: SessionEvents | undefined;
}

/** The events of the sessions of a process. */
export interface SessionEvents {
  /** A session was opened, or has more tokens. */
  opened(id: string, opening: Required<Pick<SessionOpening, 'scenarios' | 'tokens'>>): void;
  closed(id: string): void;
}

/** The sessions of a mock; only the default one is open. */
export function createSessions(options: SessionsOptions): Sessions {
  const initial = options.create('default', options.opening);
  const tokens = createTokens(options);
  const pool = createPool({
    ...options,
    onDrop: (session) => {
      tokens.forget(session.id);
      session.release();
      options.events?.closed(session.id);
    },
  });

  const get = (id: string): Session | undefined => (id === initial.id ? initial : pool.get(id));
  const find = (id: string): Session => {
    const session = get(id);
    if (session !== undefined) return session;
    throw new MockError('SESSION_UNKNOWN', `no session "${id}" is open`, {
      hint: suggest(id, [initial.id, ...pool.ids()]) ?? 'open it first: POST /__mock/sessions, or mock.session(id)',
    });
  };
  /** The scenarios that each session was opened with, for other processes. */
  const openings = new WeakMap<Session, readonly string[]>();
  const tellOpened = (session: Session): void => {
    const scenarios = openings.get(session) ?? [];
    options.events?.opened(session.id, { scenarios, tokens: tokens.of(session.id) });
  };
  const open = createOpen(options, { get, find, pool, tokens, openings, tellOpened });
  const choose = (id: string): ChosenSession =>
    get(id) ?? catchMockError(() => (options.requireSession && isSessionId(id) ? find(id) : open({ id })));
  const readId: Sessions['readId'] = (headers, prefixId) =>
    headers.get('x-mock-session') ?? readCookie(headers) ?? tokens.read(headers) ?? prefixId;
  return {
    default: initial,
    readPrefix: (path) => readPrefix(path, options.reserved),
    choose: (headers, prefixId) => {
      const id = readId(headers, prefixId);
      return id === undefined ? initial : choose(id);
    },
    readId,
    get,
    find,
    open,
    register: (given, id) => {
      const session = find(id);
      tokens.check(given, session.id);
      tokens.register(given, id);
      tellOpened(session);
    },
    tokensOf: tokens.of,
    owns: (session, token) => tokens.owner(token) === session.id,
    close: pool.drop,
    list: () => [initial, ...pool.list()],
    get size() {
      return 1 + pool.count();
    },
  };
}

/** Creates the function that opens sessions. */
function createOpen(
  { create, activate }: Pick<SessionsOptions, 'activate' | 'create'>,
  {
    get,
    find,
    pool,
    tokens,
    openings,
    tellOpened,
  }: Pick<Sessions, 'find' | 'get'> & {
    readonly pool: ReturnType<typeof createPool>;
    readonly tokens: ReturnType<typeof createTokens>;
    readonly openings: WeakMap<Session, readonly string[]>;
    readonly tellOpened: (session: Session) => void;
  },
): Sessions['open'] {
  return (opening = {}) => {
    const { id = pool.generateId(), tokens: given = [], from } = opening;
    checkSessionId(id);
    if (get(id) !== undefined) {
      throw new MockError('SESSION_EXISTS', `session "${id}" is already open`, {
        hint: 'close it first, or pick another id',
      });
    }
    pool.checkRoom();
    tokens.check(given, id);
    const origin = from === undefined ? undefined : find(from);
    const session = create(id, opening.scenarios ?? []);
    try {
      if (origin !== undefined) session.restore(origin.snapshot());
      if (origin !== undefined && opening.scenarios !== undefined) activate(session, opening.scenarios);
    } catch (error) {
      session.release();
      throw error;
    }
    pool.add(session);
    tokens.register(given, id);
    openings.set(session, opening.scenarios ?? []);
    tellOpened(session);
    return session;
  };
}

/** The sessions besides the default one; unused ones are dropped. */
function createPool(
  options: Pick<SessionsOptions, 'idleMs' | 'limit' | 'now'> & { readonly onDrop: (session: Session) => void },
) {
  const { idleMs, limit, now, onDrop } = options;
  const sessions = new Map<string, { readonly session: Session; usedAt: number }>();
  let sweptAt = now();
  let generated = 0;
  const drop = (id: string): boolean => {
    const entry = sessions.get(id);
    if (entry === undefined) return false;
    sessions.delete(id);
    onDrop(entry.session);
    return true;
  };
  const sweep = (): void => {
    sweptAt = now();
    for (const [id, entry] of sessions) if (sweptAt - entry.usedAt > idleMs) drop(id);
  };
  return {
    get: (id: string): Session | undefined => {
      // Seldom enough that the cost of many sessions does not fall on every request.
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
    /** An unused id. */
    generateId: (): string => {
      do generated += 1;
      while (sessions.has(`session-${generated}`));
      return `session-${generated}`;
    },
    add: (session: Session): void => void sessions.set(session.id, { session, usedAt: now() }),
    drop,
    /** @throws MockError `SESSION_LIMIT` where no further session can be opened, after unused ones were dropped. */
    checkRoom: (): void => {
      if (sessions.size >= limit) sweep();
      if (sessions.size < limit) return;
      throw new MockError('SESSION_LIMIT', `the maximum of ${limit} open sessions is reached`, {
        hint: 'close sessions when a test ends, or raise sessions: { max } (--max-sessions)',
      });
    },
    ids: (): Iterable<string> => sessions.keys(),
    count: (): number => sessions.size,
    list: (): readonly Session[] => {
      sweep();
      return [...sessions.values()].map((entry) => entry.session);
    },
  };
}

/** The registry of tokens that name a session, for clients in which a test can set only the API key. */
function createTokens(options: Pick<SessionsOptions, 'credentialHeaders'>) {
  const owners = new Map<string, string>();
  const listOf = (id: string): readonly string[] => [...owners.keys()].filter((token) => owners.get(token) === id);
  return {
    /** The id of the session that the credential of a request names. */
    read: (headers: Pick<RequestHeaders, 'get'>): string | undefined => {
      if (owners.size === 0) return undefined;
      const authorization = headers.get('authorization');
      const owner = authorization === null ? undefined : findOwner(owners, authorization);
      if (owner !== undefined) return owner;
      for (const name of options.credentialHeaders) {
        const found = owners.get(headers.get(name) ?? '');
        if (found !== undefined) return found;
      }
      return undefined;
    },
    owner: (token: string): string | undefined => owners.get(token),
    /** @throws MockError `SESSION_TOKEN_TAKEN`, `SESSION_INVALID`. */
    check: (tokens: readonly string[], id: string): void => {
      for (const token of tokens) {
        if (token === '') throw new MockError('SESSION_INVALID', 'the token of a session is empty');
        const owner = owners.get(token);
        if (owner === undefined || owner === id) continue;
        // The token is a credential, so the message does not contain it.
        throw new MockError('SESSION_TOKEN_TAKEN', `a token of session "${id}" already belongs to session "${owner}"`, {
          hint: 'use another token, or close the other session first',
        });
      }
    },
    register: (tokens: readonly string[], id: string): void => {
      for (const token of tokens) owners.set(token, id);
    },
    of: listOf,
    /** Removes every token of a session. */
    forget: (id: string): void => {
      for (const token of listOf(id)) owners.delete(token);
    },
  };
}

/** RFC 9110 11.6.2: a scheme, then credentials; for Basic (RFC 7617) the user name is the key. */
function findOwner(owners: ReadonlyMap<string, string>, authorization: string): string | undefined {
  const space = authorization.indexOf(' ');
  if (space === -1) return owners.get(authorization);
  const credentials = authorization.slice(space + 1).trim();
  const owner = owners.get(credentials);
  if (owner !== undefined || authorization.slice(0, space).toLowerCase() !== 'basic') return owner;
  const [user = ''] = Buffer.from(credentials, 'base64').toString('utf8').split(':', 1);
  return owners.get(user);
}

function catchMockError<Opened>(open: () => Opened): Opened | MockError {
  try {
    return open();
  } catch (error) {
    if (error instanceof MockError) return error;
    throw error;
  }
}
