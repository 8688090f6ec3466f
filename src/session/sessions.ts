import { MockError } from '../errors.js';
import type { Session } from './session.js';

/** The session a request means, and the path that is left once a session prefix is taken off. */
export interface SessionChoice {
  readonly session: Session;
  readonly path: string;
}

/** All sessions of one mock. */
export interface Sessions {
  /** The session of requests that name none. */
  readonly default: Session;
  /**
   * The session a request means: header `x-mock-session`, cookie `mock-session`, a registered bearer token, a path that begins
   * with `/~id/`, else the default one. An unknown id creates its session, or gives undefined where sessions must be opened.
   */
  choose(headers: Headers, path: string): SessionChoice | undefined;
  get(id: string): Session | undefined;
  /** @throws MockError `SESSION_EXISTS`, `SESSION_INVALID`. */
  open(id: string): Session;
  /** Makes a bearer token mean a session. */
  register(token: string, id: string): void;
  /** @returns whether there was one. The default session cannot be closed, only reset. */
  close(id: string): boolean;
  list(): readonly Session[];
}

/** How sessions come and go. */
export interface SessionsOptions {
  /** Whether an id nobody opened is refused instead of opened; default false. */
  readonly requireSession: boolean;
  /** Milliseconds of the machine's clock after which an unused session is dropped. */
  readonly idleMs: number;
  create(id: string): Session;
}

/** RFC 9110 token characters that are safe in a header, a cookie and a path alike. */
const SESSION_ID = /^[\w.-]{1,128}$/;

/** An empty set of sessions, but for the default one. */
export function createSessions(options: SessionsOptions): Sessions {
  const initial = options.create('default');
  const sessions = new Map<string, { readonly session: Session; usedAt: number }>();
  const tokens = new Map<string, string>();
  let sweptAt = Date.now();

  const sweep = (now: number): void => {
    sweptAt = now;
    for (const [id, entry] of sessions) if (now - entry.usedAt > options.idleMs) drop(id);
  };
  const drop = (id: string): boolean => {
    for (const [token, owner] of tokens) if (owner === id) tokens.delete(token);
    return sessions.delete(id);
  };
  const find = (id: string): Session | undefined => {
    if (id === initial.id) return initial;
    const now = Date.now();
    if (now - sweptAt > options.idleMs / 2) sweep(now);
    const entry = sessions.get(id);
    if (entry === undefined) return undefined;
    entry.usedAt = now;
    return entry.session;
  };
  const add = (id: string): Session => {
    if (!SESSION_ID.test(id)) {
      throw new MockError('SESSION_INVALID', `${JSON.stringify(id)} cannot be the id of a session`, {
        hint: 'use up to 128 letters, digits, "_", "-" and "."',
      });
    }
    const session = options.create(id);
    sessions.set(id, { session, usedAt: Date.now() });
    return session;
  };
  const findOrAdd = (id: string): Session | undefined => {
    const known = find(id);
    if (known !== undefined || options.requireSession || !SESSION_ID.test(id)) return known;
    return add(id);
  };

  return {
    default: initial,
    choose: (headers, path) => {
      const prefix = readPrefix(path);
      const id = headers.get('x-mock-session') ?? readCookie(headers) ?? readToken(headers, tokens) ?? prefix?.id;
      if (id === undefined) return { session: initial, path };
      const session = findOrAdd(id);
      return session && { session, path: prefix?.path ?? path };
    },
    get: find,
    open: (id) => {
      if (find(id) === undefined) return add(id);
      throw new MockError('SESSION_EXISTS', `session "${id}" is already open`, { hint: 'close it first, or pick another id' });
    },
    register: (token, id) => {
      tokens.set(token, id);
    },
    close: drop,
    list: () => [initial, ...[...sessions.values()].map((entry) => entry.session)],
  };
}

function readPrefix(path: string): { readonly id: string; readonly path: string } | undefined {
  if (path.charCodeAt(1) !== 126 /* ~ */) return undefined;
  const end = path.indexOf('/', 2);
  return end === -1 ? { id: path.slice(2), path: '/' } : { id: path.slice(2, end), path: path.slice(end) };
}

function readCookie(headers: Headers): string | undefined {
  const cookies = headers.get('cookie');
  if (cookies === null || !cookies.includes('mock-session=')) return undefined;
  return /(?:^|;\s*)mock-session="?([^";]*)/.exec(cookies)?.[1];
}

function readToken(headers: Headers, tokens: ReadonlyMap<string, string>): string | undefined {
  if (tokens.size === 0) return undefined;
  const credential = headers.get('authorization');
  return credential === null ? undefined : tokens.get(credential.replace(/^bearer +/i, ''));
}
