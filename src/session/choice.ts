import type { RequestHeaders } from '../http/request-headers.js';
import { MockError, cutText } from '../base/errors.js';

/** The token characters of RFC 9110 that are valid in a header, a cookie and a path. */
const SESSION_ID = /^[\w.-]{1,128}$/;

// Some clients encode the tilde as %7E, which RFC 3986 2.3 does not require.
const PREFIX = /^\/(?:~|%7e)([^/]*)([^]*)$/i;

/** The reserved segment that means all segments. */
const ANY = '~{}';

/** Whether a string is a valid session id. */
export function isSessionId(id: string): boolean {
  return SESSION_ID.test(id);
}

/** Checks a session id. @throws MockError `SESSION_INVALID`. */
export function checkSessionId(id: string): void {
  if (isSessionId(id)) return;
  throw new MockError('SESSION_INVALID', `${JSON.stringify(cutText(id, 40))} is not a valid session id`, {
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
export function readPrefix(path: string, reserved?: ReadonlySet<string>): SessionPrefix | undefined {
  const [, id, rest = ''] = PREFIX.exec(path) ?? [];
  if (id === undefined || reserved?.has(ANY) === true || reserved?.has(`~${id}`) === true) return undefined;
  return { id, path: rest === '' ? '/' : rest };
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
export function readCookie(headers: Pick<RequestHeaders, 'get'>): string | undefined {
  const cookies = headers.get('cookie');
  if (cookies === null || !cookies.includes('mock-session=')) return undefined;
  return /(?:^|;\s*)mock-session="?([^";]*)/.exec(cookies)?.[1];
}
