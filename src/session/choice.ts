import { MockError } from '../errors.js';

/** The token characters of RFC 9110 that are valid in a header, a cookie and a path. */
const SESSION_ID = /^[\w.-]{1,128}$/;

const TILDE = 126;
const PERCENT = 37;

/** The reserved segment that stands for all segments. */
const ANY = '~{}';

/** Whether a string is a valid session id. */
export function isSessionId(id: string): boolean {
  return SESSION_ID.test(id);
}

/** Checks a session id. @throws MockError `SESSION_INVALID`. */
export function checkSessionId(id: string): void {
  if (isSessionId(id)) return;
  const shown = id.length <= 40 ? id : `${id.slice(0, 40)}…`;
  throw new MockError('SESSION_INVALID', `${JSON.stringify(shown)} is not a valid session id`, {
    hint: 'use 1 to 128 letters, digits, "_", "-" and "."',
  });
}

/** A path split at its session prefix. */
export interface SessionPrefix {
  readonly id: string;
  /** The path without the prefix. */
  readonly path: string;
}

/**
 * The session id at the start of a path, and the path without it: `/~id/v1/books` is `/v1/books` of session `id`.
 *
 * @param reserved - First segments of the contract, which are not sessions: `~user`.
 */
export function readPrefix(path: string, reserved: ReadonlySet<string>): SessionPrefix | undefined {
  // Some clients encode the tilde as %7E, which RFC 3986 2.3 does not require.
  const first = path.charCodeAt(1);
  if (first !== TILDE && first !== PERCENT) return undefined;
  const length = first === TILDE ? 2 : path.slice(1, 4).toLowerCase() === '%7e' ? 4 : 0;
  if (length === 0 || reserved.has(ANY)) return undefined;
  const slash = path.indexOf('/', length);
  const end = slash === -1 ? path.length : slash;
  const id = path.slice(length, end);
  if (reserved.has(`~${id}`)) return undefined;
  return { id, path: slash === -1 ? '/' : path.slice(end) };
}

/** First segments of a contract's paths, base paths included, that look like a session prefix. */
export function readReserved(paths: Iterable<string>): ReadonlySet<string> {
  const found = new Set<string>();
  for (const path of paths) {
    const first = path.split('/')[1] ?? '';
    // `/~{user}` matches every such segment.
    if (first.startsWith('~')) found.add(first.includes('{') ? ANY : first);
  }
  return found;
}

/** The value of the cookie `mock-session`. */
export function readCookie(headers: Headers): string | undefined {
  const cookies = headers.get('cookie');
  if (cookies === null || !cookies.includes('mock-session=')) return undefined;
  return /(?:^|;\s*)mock-session="?([^";]*)/.exec(cookies)?.[1];
}

/** Tokens that name a session, for clients in which a test can set only the API key. */
interface Tokens {
  /** The id of the session that the credential of a request names. */
  read(headers: Headers): string | undefined;
  owner(token: string): string | undefined;
  /** @throws MockError `SESSION_TOKEN_TAKEN`, `SESSION_INVALID`. */
  check(tokens: readonly string[], id: string): void;
  register(tokens: readonly string[], id: string): void;
  of(id: string): readonly string[];
  /** Removes every token of a session. */
  forget(id: string): void;
}

/** An empty registry. @param credentialHeaders - Headers besides Authorization that carry credentials, in lower case. */
export function createTokens(credentialHeaders: readonly string[]): Tokens {
  const owners = new Map<string, string>();
  const bySession = new Map<string, Set<string>>();
  return {
    read: (headers) => {
      if (owners.size === 0) return undefined;
      const authorization = headers.get('authorization');
      const owner = authorization === null ? undefined : findOwner(owners, authorization);
      if (owner !== undefined) return owner;
      for (const name of credentialHeaders) {
        const found = owners.get(headers.get(name) ?? '');
        if (found !== undefined) return found;
      }
      return undefined;
    },
    owner: (token) => owners.get(token),
    check: (tokens, id) => {
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
    register: (tokens, id) => {
      const own = bySession.get(id) ?? new Set<string>();
      for (const token of tokens) {
        owners.set(token, id);
        own.add(token);
      }
      if (own.size > 0) bySession.set(id, own);
    },
    of: (id) => [...(bySession.get(id) ?? [])],
    forget: (id) => {
      for (const token of bySession.get(id) ?? []) owners.delete(token);
      bySession.delete(id);
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
