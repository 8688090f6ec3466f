import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { MockError } from '../../src/base/errors.js';
import { readReserved } from '../../src/session/choice.js';
import type { Session } from '../../src/session/session.js';
import { createSessions, type Sessions, type SessionsOptions } from '../../src/session/sessions.js';

/** Sessions that are told apart by their id: all that these questions are about. */
function open(options: Partial<SessionsOptions> = {}): Sessions {
  return createSessions({
    requireSession: false,
    idleMs: 1000,
    limit: 100,
    reserved: new Set(),
    credentialHeaders: ['x-api-key'],
    opening: [],
    now: () => 0,
    // Nothing but the id of a session is looked at here.
    create: (id) =>
      ({ id, snapshot: () => id, restore: () => undefined, release: () => undefined }) as unknown as Session,
    activate: () => undefined,
    ...options,
  });
}

function choose(sessions: Sessions, headers: Record<string, string>, path = '/things'): string {
  const prefix = sessions.readPrefix(path);
  const session = sessions.choose(new Headers(headers), prefix?.id);
  return session instanceof MockError ? session.toString() : `${session.id} ${prefix?.path ?? path}`;
}

/** The collector of V8, which is reachable only in a context that is made after the flag is set. */
function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  // The name `gc` is a function there.
  (runInNewContext('gc') as () => void)();
}

function codeOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    if (error instanceof MockError) return error.code;
    throw error;
  }
  return 'nothing was thrown';
}

describe('the session a request means', () => {
  it.each([
    ['nothing', {}, '/v1/things', 'default /v1/things'],
    ['the header', { 'x-mock-session': 'a' }, '/v1/things', 'a /v1/things'],
    ['the cookie', { cookie: 'other=1; mock-session=a; more=2' }, '/things', 'a /things'],
    ['the cookie in quotes', { cookie: 'mock-session="a"' }, '/things', 'a /things'],
    ['a cookie with another name', { cookie: 'not-mock-session=a' }, '/things', 'default /things'],
    ['a registered token', { authorization: 'Bearer sk-known' }, '/things', 'tokens /things'],
    ['a registered token, scheme in lower case', { authorization: 'bearer sk-known' }, '/things', 'tokens /things'],
    ['another registered token', { authorization: 'Bearer sk-second' }, '/things', 'tokens /things'],
    ['a registered key without a scheme', { authorization: 'sk-known' }, '/things', 'tokens /things'],
    ['a registered key in a header of the contract', { 'x-api-key': 'sk-known' }, '/things', 'tokens /things'],
    ['a registered key as the user of Basic', { authorization: `Basic ${btoa('sk-known:')}` }, '/', 'tokens /'],
    ['a token nobody registered', { authorization: 'Bearer sk-other' }, '/things', 'default /things'],
    ['a path prefix', {}, '/~a/v1/things', 'a /v1/things'],
    ['a path prefix and nothing else', {}, '/~a', 'a /'],
    ['a path prefix and a slash', {}, '/~a/', 'a /'],
    ['a path prefix with an encoded tilde', {}, '/%7Ea/v1/things', 'a /v1/things'],
    ['the header before the cookie', { 'x-mock-session': 'a', cookie: 'mock-session=b' }, '/things', 'a /things'],
    ['the cookie before the token', { cookie: 'mock-session=b', authorization: 'Bearer sk-known' }, '/x', 'b /x'],
    ['the token before the prefix', { authorization: 'Bearer sk-known' }, '/~a/v1/things', 'tokens /v1/things'],
    ['the header before a prefix, which goes all the same', { 'x-mock-session': 'b' }, '/~a/things', 'b /things'],
    ['the default one by its name', { 'x-mock-session': 'default' }, '/things', 'default /things'],
    ['a tilde further down', {}, '/things/~a/b', 'default /things/~a/b'],
    ['a first segment that the contract owns', {}, '/~user/files', 'default /~user/files'],
  ])('is told by %s', (_, headers: Record<string, string>, path, want) => {
    const sessions = open({ reserved: readReserved(['/~user/files', '/v1/~x', '/things']) });
    sessions.open({ id: 'tokens', tokens: ['sk-known', 'sk-second'] });
    expect(choose(sessions, headers, path)).toBe(want);
  });

  it('is never a prefix if the contract itself has such paths', () => {
    const sessions = open({ reserved: readReserved(['/~{user}/files']) });
    expect(choose(sessions, {}, '/~ada/files')).toBe('default /~ada/files');
    expect(choose(sessions, { 'x-mock-session': 'a' }, '/~ada/files')).toBe('a /~ada/files');
  });

  it.each([
    ['an empty header', { 'x-mock-session': '' }, '/things', '""'],
    ['a space', { 'x-mock-session': 'a b' }, '/things', '"a b"'],
    ['an empty prefix', {}, '/~/things', '""'],
    ['200 characters', { 'x-mock-session': 'x'.repeat(200) }, '/things', `"${'x'.repeat(40)}…"`],
  ])('is refused for an id that cannot be one: %s', (_, headers: Record<string, string>, path, shown) => {
    expect(choose(open(), headers, path)).toBe(
      `SESSION_INVALID  ${shown} is not a valid session id\n  hint: use 1 to 128 letters, digits, "_", "-" and "."`,
    );
  });

  it('is opened by naming it, and is the same the next time', () => {
    const sessions = open();
    const one = sessions.choose(new Headers({ 'x-mock-session': 'a' }), undefined);
    const two = sessions.choose(new Headers(), 'a');
    expect(one).toBe(two);
    expect(sessions.list().map(({ id }) => id)).toEqual(['default', 'a']);
  });
});

describe('opening and closing', () => {
  it('generates unused ids', () => {
    const sessions = open();
    sessions.open({ id: 'session-1' });
    expect(sessions.open().id).toBe('session-2');
    expect(sessions.open().id).toBe('session-3');
  });

  it('refuses an id that is open, the default one included', () => {
    const sessions = open();
    sessions.open({ id: 'a' });
    expect(codeOf(() => sessions.open({ id: 'a' }))).toBe('SESSION_EXISTS');
    expect(codeOf(() => sessions.open({ id: 'default' }))).toBe('SESSION_EXISTS');
  });

  it('refuses a token that means another session, and then opens nothing', () => {
    const sessions = open();
    sessions.open({ id: 'a', tokens: ['sk-a'] });
    expect(codeOf(() => sessions.open({ id: 'b', tokens: ['sk-b', 'sk-a'] }))).toBe('SESSION_TOKEN_TAKEN');
    expect(sessions.get('b')).toBeUndefined();
    expect(choose(sessions, { authorization: 'Bearer sk-b' })).toBe('default /things');
    expect(codeOf(() => sessions.register([''], 'a'))).toBe('SESSION_INVALID');
    expect(codeOf(() => sessions.register(['sk-c'], 'nobody'))).toBe('SESSION_UNKNOWN');
  });

  it('never shows a token in its messages', () => {
    const sessions = open();
    sessions.open({ id: 'a', tokens: ['sk-very-secret'] });
    expect(() => sessions.open({ id: 'b', tokens: ['sk-very-secret'] })).toThrow(/^(?!.*sk-very-secret)/);
  });

  it('gives tokens back when a session ends', () => {
    const sessions = open();
    sessions.open({ id: 'a', tokens: ['sk-a'] });
    sessions.register(['sk-more'], 'a');
    expect(sessions.tokensOf('a')).toEqual(['sk-a', 'sk-more']);
    expect(sessions.close('a')).toBe(true);
    expect(sessions.close('a')).toBe(false);
    expect(choose(sessions, { authorization: 'Bearer sk-more' })).toBe('default /things');
    expect(sessions.open({ id: 'b', tokens: ['sk-a'] }).id).toBe('b');
  });

  it('never closes the default session, and leaves its tokens', () => {
    const sessions = open();
    sessions.register(['sk-a'], 'default');
    expect(sessions.close('default')).toBe(false);
    expect(sessions.tokensOf('default')).toEqual(['sk-a']);
  });

  it('refuses one more than the limit, and takes it once an idle one is gone', () => {
    let now = 0;
    const sessions = open({ limit: 2, now: () => now });
    sessions.open({ id: 'a' });
    now = 600;
    sessions.open({ id: 'b' });
    expect(choose(sessions, { 'x-mock-session': 'c' })).toBe(
      'SESSION_LIMIT  the maximum of 2 open sessions is reached\n  hint: close sessions when a test ends, or raise sessions: { max } (--max-sessions)',
    );
    now = 1001;
    expect(choose(sessions, { 'x-mock-session': 'c' })).toBe('c /things');
    expect(sessions.list().map(({ id }) => id)).toEqual(['default', 'b', 'c']);
  });
});

describe('an idle session', () => {
  it('is dropped with its tokens after being idle long enough', () => {
    let now = 0;
    const sessions = open({ now: () => now });
    const first = sessions.open({ id: 'a', tokens: ['sk-a'] });
    now = 1000;
    expect(sessions.get('a')).toBe(first);
    now = 2001;
    expect(sessions.get('a')).toBeUndefined();
    expect(sessions.tokensOf('a')).toEqual([]);
    expect(choose(sessions, { authorization: 'Bearer sk-a' })).toBe('default /things');
  });

  it('is kept by being used, whatever else is dropped meanwhile', () => {
    let now = 0;
    const sessions = open({ now: () => now });
    const used = sessions.open({ id: 'used' });
    sessions.open({ id: 'idle' });
    for (now = 0; now <= 5000; now += 400) expect(sessions.get('used')).toBe(used);
    expect(sessions.list().map(({ id }) => id)).toEqual(['default', 'used']);
  });

  it('does not come back as it was when it is named again', () => {
    let now = 0;
    const sessions = open({ now: () => now });
    const first = sessions.open({ id: 'a' });
    now = 5000;
    expect(choose(sessions, { 'x-mock-session': 'a' })).toBe('a /things');
    expect(sessions.get('a')).not.toBe(first);
  });

  it('is held by nothing any more', async () => {
    let now = 0;
    const sessions = open({ now: () => now });
    const idle = new WeakRef(sessions.open({ id: 'a', tokens: ['sk-a'] }));
    now = 5000;
    sessions.list();
    // A WeakRef keeps its target for the rest of the job that made it.
    await new Promise(setImmediate);
    collectGarbage();
    expect(idle.deref()).toBeUndefined();
  });

  it('never is the default one', () => {
    let now = 0;
    const sessions = open({ now: () => now });
    now = 1_000_000;
    expect(sessions.list()).toEqual([sessions.default]);
  });
});
