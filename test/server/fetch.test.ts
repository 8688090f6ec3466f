import { Hono, type MiddlewareHandler } from 'hono';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createMock, createMocks, type Mock } from '../../src/index.js';
import { shows, TEXT, toDocument } from '../document-parts.js';

const ORIGIN = 'https://api.example';

const redirects = (status: number, location: string): object => ({
  responses: { [status]: { description: 'moved', headers: { Location: { schema: { const: location } } } } },
});
const echoed = { get: shows(TEXT), post: shows(TEXT), put: shows(TEXT) };
const every = (status: number, location: string): object => {
  const one = redirects(status, location);
  return { get: one, post: one, put: one };
};

const document = toDocument({
  '/end': echoed,
  '/other/end': echoed,
  '/moved': every(301, '/end'),
  '/found': every(302, 'end?a=b'),
  '/see': every(303, `${ORIGIN}/end`),
  '/temporary': every(307, '/end'),
  '/permanent': every(308, '/end'),
  '/twice': every(302, '/moved'),
  '/again': every(308, '/temporary'),
  '/elsewhere': every(307, 'https://other.example/end'),
  '/circle': every(302, '/circle'),
  '/mail': every(302, 'mailto:ann@example.com'),
  '/wrong': every(302, 'https://'),
  '/none': { get: { responses: { 302: { description: 'without a Location' } } } },
});

interface Sent {
  readonly method: string;
  readonly authorization: string | undefined;
  readonly type: string | undefined;
  readonly body: string;
}

/** A mock, and the requests that it got. */
async function open(): Promise<Mock & { readonly sent: readonly Sent[] }> {
  const sent: Sent[] = [];
  const middleware: MiddlewareHandler = async (c, next) => {
    const body = await c.req.raw.clone().text();
    const { method } = c.req;
    sent.push({ method, authorization: c.req.header('authorization'), type: c.req.header('content-type'), body });
    await next();
  };
  const mock = await createMock({ spec: document, state: false, middleware: [middleware] });
  onTestFinished(() => mock.close());
  return Object.assign(mock, { sent });
}

describe('the response of fetch', () => {
  it.each([
    [`${ORIGIN}/end?x=1#part`, `${ORIGIN}/end?x=1`],
    ['/end', 'http://mock/end'],
    [new URL('/end', ORIGIN), `${ORIGIN}/end`],
    [new Request(`${ORIGIN}/end`), `${ORIGIN}/end`],
  ])('to %s has its URL, and so has its clone', async (input, url) => {
    const response = await (await open()).fetch(input);
    expect([response.url, response.redirected, response.clone().url]).toEqual([url, false, url]);
    expect(await response.clone().json()).toEqual(await response.json());
  });

  it.each([
    ['moved', 'GET', 'GET'],
    ['found', 'POST', 'GET'],
    ['see', 'PUT', 'GET'],
    ['temporary', 'POST', 'POST'],
    ['permanent', 'PUT', 'PUT'],
    ['moved', 'PUT', 'PUT'],
    ['twice', 'POST', 'GET'],
    ['again', 'PUT', 'PUT'],
  ])('to /%s by %s is that of the target by %s', async (path, method, next) => {
    const mock = await open();
    const authorization = 'Bearer k';
    const sent = { headers: { authorization, 'content-type': 'text/plain' }, body: 'hello' };
    const init = { method, ...(method === 'GET' ? { headers: { authorization } } : sent) };
    for (const [input, more] of [
      [`${ORIGIN}/${path}`, init],
      [new Request(`${ORIGIN}/${path}`, init), undefined],
    ] as const) {
      const response = await mock.fetch(input, more);
      expect([response.status, response.redirected]).toEqual([200, true]);
      expect(response.url).toBe(path === 'found' ? `${ORIGIN}/end?a=b` : `${ORIGIN}/end`);
      const type = next === 'GET' ? undefined : 'text/plain';
      expect(mock.sent.at(-1)).toEqual({
        method: next,
        authorization: 'Bearer k',
        type,
        body: next === 'GET' ? '' : 'hello',
      });
    }
  });

  it('is the redirect itself with redirect: manual, without a Location, and to another origin', async () => {
    const mock = await open();
    for (const path of ['/elsewhere', '/mail'])
      expect(await mock.fetch(path)).toMatchObject({ redirected: false, ok: false });
    const manual = await mock.fetch('/moved', { redirect: 'manual' });
    expect([manual.status, manual.headers.get('location'), manual.redirected]).toEqual([301, '/end', false]);
    expect((await mock.fetch('/none')).status).toBe(302);
  });

  it.each([
    ['/moved', { redirect: 'error' }, 'unexpected redirect'],
    ['/circle', {}, 'redirect count exceeded'],
    ['/wrong', {}, 'invalid Location "https://"'],
  ] as const)('is an error for %s with %j', async (path, init, reason) => {
    const failed = (await open()).fetch(path, init);
    await expect(failed).rejects.toThrow(TypeError);
    await expect(failed).rejects.toMatchObject({ message: 'fetch failed', cause: { message: reason } });
  });
});

it('a URL that cannot be read is refused with what to write instead', async () => {
  const mock = await open();
  for (const url of ['end', '', 'http://', undefined as unknown as string]) {
    await expect(mock.fetch(url)).rejects.toThrow(
      new TypeError(`Failed to parse URL from ${url}: give a path that starts with "/", or a whole URL`),
    );
  }
  await expect(mock.fetch('/end', { method: 'GET', body: 'a' })).rejects.toThrow(/body/);
});

it('a session stays the same in a redirect', async () => {
  const mock = await open();
  const session = mock.session('one');
  expect((await session.fetch('/twice')).url).toBe('http://mock/end');
  expect(session.journal.interactions).toHaveLength(3);
});

it('a redirect leads to another document of the process', async () => {
  const first = toDocument({ '/start': { get: redirects(302, '/shop/end') } });
  const second = { ...toDocument({ '/end': { get: shows(TEXT) } }), servers: [{ url: '/shop' }] };
  const mocks = await createMocks([
    { name: 'first', spec: first },
    { name: 'second', spec: second },
  ]);
  onTestFinished(() => mocks.close());
  const response = await mocks.fetch('/start');
  expect([response.status, response.url]).toEqual([200, 'http://mock/shop/end']);
});

it('an app that mounts a mock answers with redirects', async () => {
  const app = new Hono();
  app.mount('/api', (await open()).fetch);
  const response = await app.request('/api/moved');
  expect([response.status, response.headers.get('location')]).toEqual([301, '/end']);
});

describe('a URL of another API', () => {
  const toMock = async (servers: readonly object[], paths: object = {}): Promise<Mock> => {
    const mock = await createMock({ spec: { ...toDocument({ '/end': echoed, ...paths }), servers } });
    onTestFinished(mock.close);
    return mock;
  };
  const SERVERS = [{ url: 'https://api.shop.com' }, { url: 'https://{region}.shop.net', variables: {} }];

  it('is refused, with the hosts of the document and the path', async () => {
    const mock = await toMock(SERVERS);
    const refused = mock.fetch('https://api.bank.com/end?a=1');
    await expect(refused).rejects.toThrow(
      'ORIGIN_UNKNOWN  https://api.bank.com is not the API of the document, which names api.shop.com, *.shop.net\n' +
        '  hint: fetch "/end", or create a mock with the document of api.bank.com',
    );
    await expect(mock.session().fetch(new URL('https://api.bank.com/end'))).rejects.toThrow('ORIGIN_UNKNOWN');
  });

  it.each([
    '/end',
    'https://api.shop.com/end',
    'https://eu.shop.net/end',
    'http://localhost:3000/end',
    'http://mock/end',
    'http://10.0.0.7/end',
    'https://api.test/end',
    'https://upload.shop.org/end',
  ])('is none: %s', async (url) => {
    const mock = await toMock(SERVERS, {
      '/upload': { servers: [{ url: 'https://upload.shop.org' }], get: shows(TEXT) },
    });
    expect((await mock.fetch(url)).status).toBe(200);
  });

  it('cannot be known without servers on public hosts, nor in a request that a framework passes on', async () => {
    const local = await toMock([{ url: 'http://127.0.0.1:4010' }]);
    expect((await local.fetch('https://api.bank.com/end')).status).toBe(200);
    const mock = await toMock(SERVERS);
    expect((await mock.fetch(new Request('https://api.bank.com/end'))).status).toBe(200);
  });
});

it('the headers of a refusal are ASCII without percent-encoding', async () => {
  const mock = await createMock({ spec: 'spec/openapi.yaml' });
  onTestFinished(mock.close);
  const { headers } = await mock.fetch('/v1/organization/admin_api_keys');
  expect(headers.get('x-mock-violations')).toBe(
    'CREDENTIAL_MISSING the Authorization header is missing; it must be "Bearer ..."',
  );
});
