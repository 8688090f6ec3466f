import { expect, it } from 'vitest';
import { createMock, type HandlerContext } from '../../src/index.js';
import { AUTHORIZED, BUILT_IN, describeAll } from '../describe-both.js';

// Issue 13, part 8. test/server/browser.test.ts has the same with a real browser.

const PAGE = 'http://localhost:5173';
const OTHER = 'https://other.example';
const KEYS = '/organization/admin_api_keys';

function readCors({ headers }: Response): Readonly<Record<string, string>> {
  const found = [...headers].filter(([name]) => name.startsWith('access-control-') || name === 'vary');
  return Object.fromEntries(found.map(([name, value]) => [name.replace('access-control-', ''), value]));
}

const preflight = (origin: string, more: Readonly<Record<string, string>> = {}): RequestInit => ({
  method: 'OPTIONS',
  headers: { origin, 'access-control-request-method': 'POST', ...more },
});

describeAll('CORS', (start) => {
  it('lets pages of all origins read responses, without credentials', async () => {
    const { send } = await start();
    const response = await send(KEYS, { headers: { ...AUTHORIZED, origin: PAGE } });
    expect(readCors(response)).toEqual({
      'allow-origin': '*',
      'expose-headers': 'x-mock-source, x-mock-violations, x-mock-ignored',
      vary: 'Origin',
    });
    expect(readCors(await send(KEYS, { headers: AUTHORIZED }))).toEqual({});
  });

  it('lets pages of named origins send credentials', async () => {
    const { send } = await start({ cors: { origins: [PAGE] } });
    const named = await send(KEYS, { headers: { ...AUTHORIZED, origin: PAGE } });
    expect(readCors(named)).toMatchObject({ 'allow-origin': PAGE, 'allow-credentials': 'true', vary: 'Origin' });
    const other = readCors(await send(KEYS, { headers: { ...AUTHORIZED, origin: OTHER } }));
    expect(other).toMatchObject({ 'allow-origin': '*' });
    expect(other).not.toHaveProperty('allow-credentials');
    // A sandboxed frame of any page has this origin.
    expect(readCors(await send(KEYS, { headers: { origin: 'null' } }))).toMatchObject({ 'allow-origin': '*' });
  });

  it('sends its headers with errors', async () => {
    const { send } = await start({ handlers: { listAdminApiKeys: () => Promise.reject(new Error('no')) } });
    const headers = { ...AUTHORIZED, origin: PAGE };
    const json = { ...headers, 'content-type': 'application/json' };
    const calls: readonly (readonly [status: number, path: string, init: RequestInit])[] = [
      [400, KEYS, { method: 'POST', headers: json, body: '{' }],
      [401, KEYS, { headers: { origin: PAGE } }],
      [404, '/nowhere', { headers }],
      [405, KEYS, { method: 'PATCH', headers: json, body: '{}' }],
      [413, KEYS, { method: 'POST', headers: json, body: `{"name":"${'x'.repeat(9_000_000)}"}` }],
      [500, KEYS, { headers }],
    ];
    for (const [status, path, init] of calls) {
      const response = await send(path, init);
      expect(response.status).toBe(status);
      expect(readCors(response), String(status)).toMatchObject({ 'allow-origin': '*' });
    }
  });

  it('answers a preflight request with the methods of the path and the requested headers, for ten minutes', async () => {
    const { send } = await start();
    const response = await send(KEYS, preflight(PAGE, { 'access-control-request-headers': 'authorization, x-own' }));
    expect(response.status).toBe(204);
    expect(readCors(response)).toMatchObject({
      'allow-origin': '*',
      'allow-methods': 'GET, HEAD, OPTIONS, POST',
      'allow-headers': 'authorization, x-own',
      'max-age': '600',
      vary: 'Origin, Access-Control-Request-Method, Access-Control-Request-Headers',
    });
    expect(readCors(await send(KEYS, preflight(PAGE)))).not.toHaveProperty('allow-headers');
  });

  it('allows the request that gets 404 or 405, so that the page can read why', async () => {
    const { send, mock } = await start();
    const missing = await send('/nowhere', preflight(PAGE));
    expect([missing.status, readCors(missing)['allow-methods']]).toEqual([204, 'POST']);
    const method = { 'access-control-request-method': 'PATCH' };
    const wrong = await send(KEYS, preflight(PAGE, method));
    expect(readCors(wrong)['allow-methods']).toBe('GET, HEAD, OPTIONS, POST, PATCH');
    expect(mock.journal.filter(() => true).flatMap(({ violations }) => violations)).toEqual([]);
    expect((await send('/nowhere', { method: 'OPTIONS' })).status).toBe(404);
  });

  it('writes only tokens of the request into the answer to a preflight request', async () => {
    const { send } = await start();
    const odd = {
      'access-control-request-method': 'POST, <b>',
      'access-control-request-headers': 'x-own, a b, <script>, "x"',
    };
    const found = readCors(await send(KEYS, preflight(PAGE, odd)));
    expect(found).toMatchObject({ 'allow-methods': 'GET, HEAD, OPTIONS, POST', 'allow-headers': 'x-own' });
  });

  it('opens a private network to pages of named origins only', async () => {
    const { send } = await start({ cors: { origins: [PAGE.toUpperCase()] } });
    const asks = { 'access-control-request-private-network': 'true' };
    const read = async (origin: string): Promise<unknown> =>
      readCors(await send(KEYS, preflight(origin, asks)))['allow-private-network'];
    expect([await read(PAGE), await read(OTHER)]).toEqual(['true', undefined]);
  });

  it('keeps what a handler varies by', async () => {
    const answer =
      (vary: string) =>
      async ({ next }: HandlerContext) => {
        const below = await next();
        return below && { ...below, headers: { vary } };
      };
    const { send, mock } = await start();
    for (const [given, want] of [
      ['Accept', 'Accept, Origin'],
      ['*', '*'],
      ['accept, origin', 'accept, origin'],
    ] as const) {
      mock.use({ listAdminApiKeys: answer(given) });
      const response = await send(KEYS, { headers: { ...AUTHORIZED, origin: PAGE } });
      expect(response.headers.get('vary')).toBe(want);
    }
  });

  it('is switched off with false', async () => {
    const { send } = await start({ cors: false });
    expect(readCors(await send(KEYS, { headers: { ...AUTHORIZED, origin: PAGE } }))).toEqual({});
    const options = await send(KEYS, preflight(PAGE));
    expect([options.status, readCors(options)]).toEqual([204, {}]);
    expect((await send('/nowhere', preflight(PAGE))).status).toBe(404);
  });
});

it.each(['*', 'localhost:5173', 'http://localhost:5173/', 'null'])(
  'the option cors.origins refuses %s',
  async (origin) => {
    await expect(createMock({ ...BUILT_IN, cors: { origins: [origin] } })).rejects.toMatchObject({
      code: 'OPTION_INVALID',
      reason: `the option "cors.origins" has ${JSON.stringify(origin)}, which is not an origin`,
    });
  },
);
