import { Hono } from 'hono';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createMocks, type Mocks, type MocksOptions, type MocksServer } from '../../src/index.js';
import { object, TEXT, json, arrayOf, content, toDocument, inPath } from '../document-parts.js';
import { messageOf } from '../message-of.js';
import { sendRequest } from '../send-request.js';

// Issue 16, part 4.
function createDocument(title: string, paths: readonly string[], base = ''): Readonly<Record<string, unknown>> {
  const item = object({ id: TEXT, name: TEXT }, 'id', 'name');
  const list = json(arrayOf(item));
  const one = json(item);
  const body = { required: true, content: content(item) };
  const operations = paths.map((path): [string, object] => [
    path,
    path.endsWith('}')
      ? { get: { ...inPath('id'), responses: { 200: one } } }
      : { get: { responses: { 200: list } }, post: { requestBody: body, responses: { 201: one } } },
  ]);
  const servers = base === '' ? [] : [{ url: `https://api.example.com${base}` }];
  return toDocument(Object.fromEntries(operations), {}, { info: { title, version: '1' }, servers });
}

const USERS = createDocument('Users', ['/users', '/users/{id}'], '/v1');
const ORDERS = createDocument('Orders', ['/orders'], '/v2');

async function send(
  server: { readonly port: number },
  path: string,
  more: { readonly method?: string; readonly headers?: Readonly<Record<string, string>>; readonly body?: unknown } = {},
): Promise<{ readonly status: number | undefined; readonly body: string }> {
  const { method = 'GET', headers, body } = more;
  const json = body === undefined ? {} : { 'content-type': 'application/json' };
  const { status, body: bytes } = await sendRequest(`http://127.0.0.1:${server.port}${path}`, {
    method,
    headers: { ...headers, ...json },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status, body: bytes.toString() };
}

describe('several documents', () => {
  let all: Mocks;
  let server: MocksServer;

  beforeAll(async () => {
    all = await createMocks([
      { name: 'users', spec: USERS, fixtures: { users: [{ id: 'ada', name: 'Ada' }] } },
      { name: 'orders', spec: ORDERS },
      { name: 'shop', spec: createDocument('Shop', ['/orders'], '/v1'), prefix: '/shop' },
      { name: 'left', spec: createDocument('Left', ['/left', '/both/{id}/a']) },
      { name: 'right', spec: createDocument('Right', ['/right', '/both/{id}/b']) },
      { name: 'hosted', spec: createDocument('Hosted', ['/users'], '/v1'), host: 'api.hosted.test' },
    ]);
    server = await all.listen();
  });

  afterAll(() => all.close());

  it.each([
    ['the base path of its servers', '/v1/users', 'users'],
    ['another base path', '/v2/orders', 'orders'],
    ['a prefix', '/shop/v1/orders', 'shop'],
    ['a prefix without the base path', '/shop/orders', 'shop'],
    ['its paths, where documents share the root', '/left', 'left'],
    ['its paths, of another document', '/right', 'right'],
    ['its paths after a parameter', '/both/x/b', 'right'],
    ['the session in front of its path', '/~one/right', 'right'],
    ['a similar path, for the message', '/rigth', 'right'],
    ['a wrong method', '/v1/users/ada', 'users', 'DELETE'],
  ])('are distinguished by %s', async (_, path, name, method = 'GET') => {
    const before = new Map(
      Object.entries(all.mocks).map(([each, mock]) => [
        each,
        mock.journal.interactions.length + mock.session('one').journal.interactions.length,
      ]),
    );
    await send(server, path, { method });
    const asked = Object.entries(all.mocks).filter(
      ([each, mock]) =>
        mock.journal.interactions.length + mock.session('one').journal.interactions.length > (before.get(each) ?? 0),
    );
    expect(asked.map(([each]) => each)).toEqual([name]);
  });

  it('are distinguished by host, with any port', async () => {
    const headers = { host: `API.hosted.test:${server.port}` };
    await send(server, '/v1/users', { method: 'POST', headers, body: { id: 'bob', name: 'Bob' } });
    expect((await send(server, '/v1/users', { headers })).body).toContain('Bob');
    expect((await send(server, '/v1/users')).body).toBe('[{"id":"ada","name":"Ada"}]');
    expect((await send(server, '/v2/orders', { headers })).status).toBe(404);
  });

  it('have control APIs of their own, on every host', async () => {
    await send(server, '/v1/users', { method: 'POST', body: { id: 'eve', name: 'Eve' } });
    const state = await send(server, '/__mock/users/state');
    expect(state.body).toContain('Eve');
    expect((await send(server, '/__mock/orders/state')).body).not.toContain('Eve');
    await send(server, '/__mock/orders/reset', { method: 'POST' });
    expect((await send(server, '/v1/users')).body).toContain('Eve');
    await send(server, '/__mock/users/reset', { method: 'POST' });
    expect((await send(server, '/v1/users')).body).not.toContain('Eve');
    await send(server, '/~two/v1/users', { method: 'POST', body: { id: 'mia', name: 'Mia' } });
    expect((await send(server, '/~two/__mock/users/state')).body).toContain('Mia');
    expect((await send(server, '/__mock/users/state')).body).not.toContain('Mia');
  });

  it('are listed at the root of the control API', async () => {
    const { body } = await send(server, '/__mock');
    const { documents } = JSON.parse(body) as { readonly documents: readonly object[] };
    expect(documents).toHaveLength(6);
    expect(documents[2]).toEqual({
      name: 'shop',
      title: 'Shop',
      version: '1',
      host: null,
      basePaths: ['/shop/v1', '/shop'],
      control: '/__mock/shop',
    });
    const page = await send(server, '/', { headers: { accept: 'text/html,*/*;q=0.8' } });
    expect(page.body).toContain('<a href="/__mock/users/">Users</a>');
    expect(JSON.parse((await send(server, '/__mock/health')).body)).toMatchObject({ status: 'ok' });
    expect(server.controlUrls['users']).toBe(`${server.url}/__mock/users`);
    expect(server.baseUrls).toMatchObject({
      users: `${server.url}/v1`,
      shop: `${server.url}/shop/v1`,
      left: server.url,
    });
  });

  it('that do not have the path are listed in the 404', async () => {
    await using two = await createMocks([
      { name: 'users', spec: USERS },
      { name: 'orders', spec: ORDERS, host: 'orders.test' },
    ]);
    const response = await two.fetch('/v9/users');
    expect([response.status, await response.json()]).toEqual([
      404,
      {
        type: 'about:blank',
        title: 'Not Found',
        status: 404,
        detail: 'no document is served at /v9/users',
        hint: 'the documents are "users" below /v1, "orders" below orders.test/v2',
      },
    ]);
    expect((await two.fetch('http://orders.test/v2/orders')).status).toBe(200);
  });

  it('can be mounted in another app', async () => {
    const app = new Hono();
    app.mount('/api', all.fetch);
    expect(await (await app.request('/api/v1/users')).json()).toEqual([{ id: 'ada', name: 'Ada' }]);
  });
});

describe('several documents are refused', () => {
  it.each<readonly [name: string, documents: readonly MocksOptions[], want: string]>([
    [
      'with the same paths',
      [
        { name: 'a', spec: createDocument('A', ['/one', '/two', '/three', '/users/{id}', '/four']) },
        { name: 'b', spec: createDocument('B', ['/four', '/three', '/two', '/users/me', '/one']) },
      ],
      'DOCUMENTS_CONFLICT  the documents "a" and "b" both have the path /one, /two, /three and 1 more\n' +
        '  hint: give one of them a path or a host of its own in vouch.config.yaml: documents: [{ spec: …, prefix: /a }]',
    ],
    [
      'with a path that a parameter of the other one takes',
      [
        { name: 'a', spec: createDocument('A', ['/users/{id}']) },
        { name: 'b', spec: createDocument('B', ['/users/me']) },
      ],
      'the documents "b" and "a" both have the path /users/me',
    ],
    [
      'with a path below the base path of the other one',
      [
        { name: 'a', spec: createDocument('A', ['/v1/users']) },
        { name: 'b', spec: USERS },
      ],
      'the documents "a" and "b" both have the path /v1/users',
    ],
    [
      'with the same name',
      [
        { name: 'a', spec: USERS },
        { name: 'a', spec: ORDERS },
      ],
      'OPTION_INVALID  two documents have the name "a"\n  hint: give each document a name of its own',
    ],
    [
      'with a name that is no segment of a path',
      [{ name: 'a/b', spec: USERS }],
      '"a/b" is not a valid name of a document',
    ],
    ['without documents', [], 'OPTION_INVALID  there are no documents to serve'],
  ])('%s', async (_, documents, want) => {
    expect(await messageOf(() => createMocks(documents))).toContain(want);
  });

  it('unless one has a prefix, a base path or a host', async () => {
    for (const more of [{ prefix: '/b' }, { basePath: '/b' }, { host: 'b.test' }]) {
      const documents = [
        { name: 'a', spec: USERS },
        { name: 'b', spec: USERS, ...more },
      ];
      await using all = await createMocks(documents);
      expect(Object.keys(all.mocks)).toEqual(['a', 'b']);
    }
  });
});
