import { beforeAll, describe, expect, it } from 'vitest';
import { createControlGuard, isLoopback, type ControlPolicy } from '../../src/server/control/guard.js';
import { MockError } from '../../src/index.js';
import { describeAll, openBuiltIn } from '../describe-both.js';
import { createControlClient, loadControlDocument } from './control-client.js';
import { loadCases } from '../load-cases.js';

const OPEN: ControlPolicy = { token: undefined, origins: [] };

function judge(policy: ControlPolicy, headers: Record<string, string>, exposed = false): string {
  const refusal = createControlGuard(policy)({ headers: new Headers(headers), exposed, open: false });
  return refusal === undefined ? 'allowed' : `${refusal.status} ${refusal.message}`;
}

interface Case {
  readonly name: string;
  readonly policy: Partial<ControlPolicy>;
  readonly headers: Record<string, string>;
  readonly want: string;
}

describe('the guard of the control API', () => {
  it.each(loadCases<readonly Case[]>('control/guard.yaml'))('judges $name', ({ policy, headers, want }) =>
    expect(judge({ ...OPEN, ...policy }, headers)).toBe(want),
  );

  it.each([
    [
      'refuses a strange name also without a token',
      { token: false, origins: [] },
      { host: 'evil.example' },
      '403 the control API does not answer to the name "evil.example"',
    ],
  ] as const)('%s', (_, policy, headers: Record<string, string>, want) =>
    expect(judge(policy, headers, true)).toBe(want),
  );

  it.each([
    ['127.0.0.1', true],
    ['127.8.9.1', true],
    ['localhost', true],
    ['::1', true],
    ['0.0.0.0', false],
    ['::', false],
    ['192.168.1.4', false],
    ['127.evil.example', false],
    ['mock.example.com', false],
  ])('knows whether only this machine can reach %s', (host, want) => expect(isLoopback(host)).toBe(want));
});

describeAll('a guarded control API', (start) => {
  let document: Awaited<ReturnType<typeof loadControlDocument>>;
  beforeAll(async () => {
    document = await loadControlDocument();
  });

  it('answers 401 with a challenge, and only its health without the token', async () => {
    const control = createControlClient(await start({ control: { token: 'secret' } }), document);
    expect(await control('GET', '/state')).toMatchObject({ status: 401, code: 'CONTROL_TOKEN_WRONG' });
    expect((await control('GET', '/state')).headers.get('www-authenticate')).toBe('Bearer');
    expect((await control('GET', '/nowhere')).status).toBe(401);
    expect((await control('GET', '/health')).status).toBe(200);
    expect((await control('GET', '/state', undefined, { 'x-mock-control-token': 'secret' })).status).toBe(200);
    expect((await control('GET', '/state', undefined, { authorization: 'Bearer secret' })).status).toBe(200);
  });

  it('sends no CORS headers to a page of another origin', async () => {
    const control = createControlClient(await start(), document);
    const refused = await control('DELETE', '/journal', undefined, { origin: 'https://evil.example' });
    expect(refused).toMatchObject({ status: 403, code: 'CONTROL_FORBIDDEN' });
    const preflight = await control('OPTIONS', '/journal', undefined, {
      origin: 'https://evil.example',
      'access-control-request-method': 'DELETE',
    });
    expect(preflight.status).toBe(403);
    for (const { headers } of [refused, preflight]) {
      expect([...headers.keys()].filter((name) => name.startsWith('access-control-'))).toEqual([]);
    }
  });

  it('sends CORS headers to an allowed page, for errors and preflights too', async () => {
    const origin = 'http://localhost:5173';
    const control = createControlClient(await start({ control: { origins: [origin], token: 'secret' } }), document);
    const preflight = await control('OPTIONS', '/journal', undefined, {
      origin,
      'access-control-request-method': 'DELETE',
      'access-control-request-headers': 'x-mock-control-token',
    });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get('access-control-allow-methods')).toContain('DELETE');
    expect(preflight.headers.get('access-control-allow-headers')).toBe('x-mock-control-token');
    const cleared = await control('DELETE', '/journal', undefined, { origin, 'x-mock-control-token': 'secret' });
    const refused = await control('DELETE', '/journal', undefined, { origin });
    expect([cleared.status, refused.status]).toEqual([204, 401]);
    for (const { headers } of [preflight, cleared, refused]) {
      expect(headers.get('access-control-allow-origin')).toBe(origin);
    }
  });
});

describe('a control API that other machines can reach', () => {
  it('requires the token that its server made, and the mock is served anyway', async () => {
    await using mock = await openBuiltIn();
    const { port, controlToken = '' } = await mock.listen({ host: '0.0.0.0' });
    const other = await mock.listen({ host: '0.0.0.0' });
    const read = async (headers: Record<string, string>): Promise<object> => {
      const response = await fetch(`http://127.0.0.1:${port}/__mock/state`, { headers });
      return { status: response.status, ...(response.ok ? {} : ((await response.json()) as object)) };
    };
    expect(controlToken).toMatch(/^[\w-]{32}$/);
    const refused = { status: 403, code: 'CONTROL_TOKEN_WRONG', hint: expect.stringContaining('--control-token') };
    expect(await read({})).toMatchObject(refused);
    expect(await read({ authorization: `Bearer ${other.controlToken}` })).toMatchObject(refused);
    expect(await read({ authorization: `Bearer ${controlToken}` })).toEqual({ status: 200 });
    expect(await read({ 'x-mock-control-token': controlToken })).toEqual({ status: 200 });
    expect((await fetch(`http://127.0.0.1:${port}/__mock/health`)).status).toBe(200);
    const api = await fetch(`http://127.0.0.1:${port}/v1/files/file-handbook/content`, {
      headers: { authorization: 'Bearer x' },
    });
    expect(api.status).toBe(200);
  });

  it('refuses the token that its server made if another one is configured', async () => {
    await using mock = await openBuiltIn({ control: { token: 'own' } });
    const { port, controlToken = '' } = await mock.listen({ host: '0.0.0.0' });
    const headers = { authorization: `Bearer ${controlToken}` };
    expect((await fetch(`http://127.0.0.1:${port}/__mock/state`, { headers })).status).toBe(401);
  });

  it('has no token of its server on this machine only', async () => {
    await using mock = await openBuiltIn();
    expect(await mock.listen()).not.toHaveProperty('controlToken');
    expect(await mock.listen({ host: 'localhost' })).not.toHaveProperty('controlToken');
  });

  it('is served without a token if that is configured', async () => {
    await using mock = await openBuiltIn({ control: { token: false } });
    const { port } = await mock.listen({ host: '0.0.0.0' });
    expect((await fetch(`http://127.0.0.1:${port}/__mock/state`)).status).toBe(200);
  });
});

it.each([
  ['a prefix without a slash', { control: { prefix: 'mock' } }, 'the option "control.prefix" cannot be "mock"'],
  ['the root as prefix', { control: { prefix: '/' } }, 'the option "control.prefix" cannot be "/"'],
  [
    'a prefix with a slash at its end',
    { control: { prefix: '/mock/' } },
    'the option "control.prefix" cannot be "/mock/"',
  ],
  ['an empty token', { control: { token: '' } }, 'the option "control.token" is empty'],
  [
    'an origin with a path',
    { control: { origins: ['http://a/b'] } },
    'the option "control.origins" has "http://a/b", which is not an origin',
  ],
  ['any origin', { control: { origins: ['*'] } }, 'the option "control.origins" has "*", which is not an origin'],
])('options of the control API refuses %s', async (_, options, reason) => {
  const made = openBuiltIn(options);
  await expect(made).rejects.toBeInstanceOf(MockError);
  await expect(made).rejects.toMatchObject({ code: 'OPTION_INVALID', reason });
});
