import { serve } from '@hono/node-server';
import { Hono, type Context, type MiddlewareHandler } from 'hono';
import { inspectRoutes, showRoutes } from 'hono/dev';
import { HTTPException } from 'hono/http-exception';
import { logger } from 'hono/logger';
import { secureHeaders } from 'hono/secure-headers';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Mock, MockOptions } from '../../src/index.js';
import { BUILT_IN } from '../describe-both.js';
import { openMock as openOne } from '../open-mock.js';
import { createOther } from './other-app.js';
import { toDocument } from '../document-parts.js';

const KEYS = '/v1/organization/admin_api_keys';
const AUTHORIZED = { authorization: 'Bearer any' };
const JSON_BODY = { ...AUTHORIZED, 'content-type': 'application/json' };

const openMock = (options: Partial<MockOptions> = {}): Promise<Mock> => openOne({ ...BUILT_IN, ...options });

afterEach(() => vi.restoreAllMocks());

describe('mock.app', () => {
  it('shows the operations of the built-in contract as routes', async () => {
    const mock = await openMock({ control: false });
    const shown: string[] = [];
    vi.spyOn(console, 'log').mockImplementation((line: string) => void shown.push(line));
    showRoutes(mock.app, { colorize: false });
    expect(shown).toEqual([
      'GET     /v1/organization/admin_api_keys',
      'POST    /v1/organization/admin_api_keys',
      'GET     /v1/files/:file_id/content',
      'DELETE  /v1/vector_stores/:vector_store_id/files/:file_id',
      'GET     /organization/admin_api_keys',
      'POST    /organization/admin_api_keys',
      'GET     /files/:file_id/content',
      'DELETE  /vector_stores/:vector_store_id/files/:file_id',
    ]);
    expect(inspectRoutes(mock.app)[2]).toEqual({
      path: '/v1/files/:file_id/content',
      method: 'GET',
      name: 'downloadFile',
      isMiddleware: false,
    });
  });

  it('serves routes of the user beside the operations', async () => {
    const mock = await openMock();
    mock.app.get('/custom/:name', (c) => c.text(`hello ${c.req.param('name')}`));
    expect(await (await mock.fetch('/custom/ann')).text()).toBe('hello ann');
    expect((await mock.fetch(KEYS, { headers: AUTHORIZED })).status).toBe(200);
  });
});

describe('middleware of createMock', () => {
  const add: MiddlewareHandler = async (c: Context, next) => {
    await next();
    c.res.headers.set('x-added', `${c.req.method} ${c.res.status}`);
  };

  it('runs around operations, unknown paths and the control API', async () => {
    const lines: string[] = [];
    const mock = await openMock({ middleware: [logger((line) => void lines.push(line)), secureHeaders(), add] });
    const list = await mock.fetch(KEYS, { headers: AUTHORIZED });
    expect([list.headers.get('x-added'), list.headers.get('x-frame-options')]).toEqual(['GET 200', 'SAMEORIGIN']);
    const unknown = await mock.fetch('/v1/organisation/admin_api_keys', { headers: AUTHORIZED });
    expect(unknown.headers.get('x-added')).toBe('GET 404');
    expect(await unknown.text()).toContain(KEYS);
    expect((await mock.fetch('/__mock/health')).headers.get('x-added')).toBe('GET 200');
    expect(lines.filter((line) => line.startsWith('-->')).map((line) => line.split(' ')[2])).toEqual([
      KEYS,
      '/v1/organisation/admin_api_keys',
      '/__mock/health',
    ]);
  });

  it('answers concurrent requests each with its own answer', async () => {
    const slow: MiddlewareHandler = async (_, next) => {
      await Promise.resolve();
      await next();
    };
    const mock = await openMock({ middleware: [slow] });
    const names = Array.from({ length: 20 }, (_, i) => `key ${i}`);
    const bodies = await Promise.all(
      names.map(async (name) => {
        const init = { method: 'POST', headers: JSON_BODY, body: JSON.stringify({ name }) };
        return (await (await mock.fetch(KEYS, init)).json()) as { readonly name: string };
      }),
    );
    expect(bodies.map(({ name }) => name)).toEqual(names);
  });

  it('may read the body first', async () => {
    const seen: unknown[] = [];
    const mock = await openMock({
      middleware: [
        async (c, next) => {
          if (c.req.method === 'POST') seen.push(await c.req.json());
          await next();
        },
      ],
    });
    const created = await mock.fetch(KEYS, { method: 'POST', headers: JSON_BODY, body: '{"name":"CI"}' });
    expect([created.status, seen]).toEqual([200, [{ name: 'CI' }]]);
    expect(await created.json()).toMatchObject({ name: 'CI' });
  });

  it.each([
    ['an error', () => new Error('no database'), 500, 'no database'],
    ['an HTTP exception', () => new HTTPException(418, { message: 'short and stout' }), 418, 'short and stout'],
  ])('that throws %s is answered', async (_, createError, status, text) => {
    const mock = await openMock({
      middleware: [
        () => {
          throw createError();
        },
      ],
    });
    const answer = await mock.fetch(KEYS, { headers: AUTHORIZED });
    expect([answer.status, await answer.text()]).toEqual([status, expect.stringContaining(text)]);
  });

  it('leaves a connection that breaks on purpose broken', async () => {
    const mock = await openMock({
      middleware: [add],
      scenarios: { broken: { operations: { '*': [{ fault: 'reset' }] } } },
    });
    mock.scenarios.activate('broken');
    await expect(mock.fetch(KEYS, { headers: AUTHORIZED })).rejects.toThrow('fetch failed');
  });
});

describe.each([
  ['routed', (app: Hono, mock: Mock): unknown => app.route('/api', mock.app)],
  ['mounted', (app: Hono, mock: Mock): unknown => app.mount('/api', mock.fetch)],
])('a mock that is %s in another Hono app', (way, place) => {
  async function open(
    options: Partial<MockOptions> = {},
  ): Promise<{ app: Hono; mock: Mock; lines: readonly string[] }> {
    const mock = await openMock(options);
    const { app, lines } = createOther();
    place(app, mock);
    return { app, mock, lines };
  }

  it('answers below the prefix, behind the middleware of that app', async () => {
    const { app, lines } = await open();
    const headers = { ...AUTHORIZED, origin: 'https://app.example' };
    const page = await app.request(`/api${KEYS}?limit=1`, { headers });
    expect(page.status).toBe(200);
    expect(await page.json()).toMatchObject({ object: 'list', data: [{}], has_more: true });
    expect(page.headers.get('x-content-type-options')).toBe('nosniff');
    expect(page.headers.get('access-control-allow-origin')).toBe('https://app.example');
    expect(lines[0]).toContain(`GET /api${KEYS}`);
  });

  it('creates, reads percent-encoded path parameters, and answers HEAD', async () => {
    const { app, mock } = await open();
    const created = await app.request(`/api${KEYS}`, { method: 'POST', headers: JSON_BODY, body: '{"name":"CI"}' });
    expect(await created.json()).toMatchObject({ name: 'CI' });
    await app.request('/api/v1/files/a%2Fb%20c/content', { headers: AUTHORIZED });
    expect(mock.journal.last()?.request.path).toEqual({ file_id: 'a/b c' });
    const head = await app.request(`/api${KEYS}`, { method: 'HEAD', headers: AUTHORIZED });
    expect([head.status, await head.text()]).toEqual([200, '']);
    expect(mock.journal.last()?.request.method).toBe('HEAD');
  });

  it('refuses a request that breaks the contract, in the shape of the contract', async () => {
    const { app } = await open();
    const refused = await app.request(`/api${KEYS}?limit=many`, { headers: AUTHORIZED });
    expect([refused.status, await refused.json()]).toEqual([
      400,
      { error: expect.objectContaining({ param: 'limit' }) },
    ]);
  });

  it('serves the control API below the prefix', async () => {
    const { app, mock } = await open();
    await app.request(`/api${KEYS}`, { headers: AUTHORIZED });
    const journal = (await (await app.request('/api/__mock/journal')).json()) as { readonly last: number };
    expect(journal.last).toBe(mock.journal.last()?.number);
    expect(journal.last).toBe(1);
    const unknown = await app.request('/api/__mock/journl');
    expect([unknown.status, await unknown.text()]).toEqual([404, expect.stringContaining('/__mock/journal')]);
  });

  it('serves requests on a socket, faults included', async () => {
    const { app, mock } = await open({ scenarios: { broken: { operations: { '*': [{ fault: 'reset' }] } } } });
    const server = serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1', overrideGlobalObjects: false });
    await new Promise((resolve) => server.once('listening', resolve));
    onTestFinished(() => void server.close());
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api${KEYS}`;
    const created = await fetch(url, { method: 'POST', headers: JSON_BODY, body: '{"name":"CI"}' });
    expect(await created.json()).toMatchObject({ name: 'CI' });
    mock.scenarios.activate('broken');
    await expect(fetch(url, { headers: AUTHORIZED })).rejects.toThrow('fetch failed');
  });

  it(`${way === 'mounted' ? 'names the nearest path' : 'leaves the 404 to that app'} for an unknown path`, async () => {
    const { app } = await open();
    const unknown = await app.request('/api/v1/organisation/admin_api_keys', { headers: AUTHORIZED });
    expect(unknown.status).toBe(404);
    expect(await unknown.text()).toContain(way === 'mounted' ? KEYS : '404 Not Found');
  });
});

const keys = {
  '/messages': 'plain',
  '/messages?beta=true': 'beta',
  '/jobs/{id}:cancel': 'cancel',
  '/jobs/{id}': 'job',
  '/jobs/latest': 'latest',
  '/reports/{name}.{ext}': 'report',
  '/ranges/{a}..{b}/x.y': 'range',
  '/odd/{a-b}/{c.d}/{e f}': 'odd',
  '/star/*/:colon': 'literal',
  '/same/{id}/{id}': 'same',
};
const responses = { 200: { description: 'ok', content: { 'text/plain': {} } } };
const paths = Object.entries(keys).map(([path, operationId]) => [path, { get: { operationId, responses } }]);
const spec = toDocument(Object.fromEntries(paths));

it.each([
  ['/messages', 'plain'],
  ['/messages?beta=true', 'beta'],
  ['/jobs/7:cancel', 'cancel'],
  ['/jobs/7', 'job'],
  ['/jobs/latest', 'latest'],
  ['/reports/a.b.csv', 'report'],
  ['/ranges/1..2/x.y', 'range'],
  ['/odd/1/2/3', 'odd'],
  ['/star/*/:colon', 'literal'],
  ['/same/1/2', 'same'],
])('path keys that Hono cannot tell apart %s is %s, in the app itself and routed', async (path, operation) => {
  const mock = await openMock({ spec, fixtures: undefined });
  const app = new Hono().route('/api', mock.app);
  expect((await mock.app.request(path)).status).toBe(200);
  expect((await app.request(`/api${path}`)).status).toBe(200);
  expect(mock.journal.interactions.map((interaction) => interaction.operation)).toEqual([operation, operation]);
});
