// @module-tag thorough
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { Mock, MockOptions } from '../../src/index.js';
import { openBuiltIn } from '../describe-both.js';
import { HAS_CHROMIUM, openPagePool, type PagePool } from '../open-chromium.js';

// Issue 13, part 8: pages of other origins in a real browser.

const KEYS = '/v1/organization/admin_api_keys';

describe.skipIf(!HAS_CHROMIUM)('a page of another origin in Chromium', () => {
  let pages: PagePool;
  beforeAll(async () => {
    pages = await openPagePool();
    return () => pages.close();
  });

  const site = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><title>page</title>');
  });
  let port = 0;
  beforeAll(async () => {
    site.listen(0, '127.0.0.1');
    await once(site, 'listening');
    // A TCP server's address is an AddressInfo.
    ({ port } = site.address() as AddressInfo);
  });
  afterAll(() => {
    site.closeAllConnections();
    site.close();
  });
  const named = (): string => `http://127.0.0.1:${port}`;

  interface Open {
    readonly mock: Mock;
    readonly page: Page;
    /** Sends a request from the page: status and content, or the name of the error that `fetch` rejects with. */
    request(path: string, init?: object): Promise<string>;
  }

  async function open(origin: string, options: Partial<MockOptions> = {}): Promise<Open> {
    const mock = await openBuiltIn({ cors: { origins: [named()] }, ...options });
    const { url } = await mock.listen();
    const page = await pages.take();
    onTestFinished(async () => {
      await pages.leave(page);
      await mock.close();
    });
    await page.goto(`${origin}/`);
    return {
      mock,
      page,
      request: (path, init = {}) =>
        page.evaluate(`fetch(${JSON.stringify(url + path)}, ${JSON.stringify(init)}).then(
          async (response) => response.status + ' ' + response.headers.get('x-mock-source') + ' ' + (await response.text()),
          (error) => error.name,
        )`),
    };
  }

  const AUTHORIZATION = { authorization: 'Bearer x' };
  const JSON_HEADERS = { ...AUTHORIZATION, 'content-type': 'application/json' };

  it.each([
    ['a named origin', () => named()],
    ['another origin', () => `http://localhost:${port}`],
  ])('of %s reads responses to simple and preflighted requests, and errors', async (_, origin) => {
    const { request } = await open(origin(), { handlers: { downloadFile: () => Promise.reject(new Error('no')) } });
    // Simple requests have no preflight.
    expect(await request(KEYS)).toMatch(/^401 refuse /);
    expect(await request('/nowhere')).toMatch(/^404 refuse /);
    // Preflighted ones.
    expect(await request(KEYS, { headers: AUTHORIZATION })).toMatch(/^200 state /);
    const create = { method: 'POST', headers: JSON_HEADERS };
    expect(await request(KEYS, { ...create, body: '{"name":"page"}' })).toMatch(/^20[01] .*page/);
    expect(await request(KEYS, { ...create, body: '{"name":7}' })).toMatch(/^400 refuse .*must be a string/);
    expect(await request('/nowhere', { ...create, body: '{}' })).toMatch(/^404 refuse /);
    expect(await request(KEYS, { ...create, method: 'PATCH', body: '{}' })).toMatch(/^405 refuse /);
    expect(await request('/v1/files/file-1/content', { headers: AUTHORIZATION })).toMatch(/^500 handler /);
  });

  it('sends credentials only from a named origin', async () => {
    const first = await open(named());
    await first.page.evaluate(`document.cookie = 'login=1'`);
    const include = { credentials: 'include', headers: AUTHORIZATION };
    expect(await first.request(KEYS, include)).toMatch(/^200 /);
    expect(first.mock.journal.last()?.request.headers).toHaveProperty('cookie');
    const second = await open(`http://localhost:${port}`);
    expect(await second.request(KEYS, include)).toBe('TypeError');
    expect(await second.request(KEYS, { credentials: 'include' })).toBe('TypeError');
    expect(await second.request(KEYS, { headers: AUTHORIZATION })).toMatch(/^200 /);
  });

  it('sends one preflight request for several requests', async () => {
    const { request, mock } = await open(named());
    for (let i = 0; i < 3; i++) expect(await request(KEYS, { headers: AUTHORIZATION })).toMatch(/^200 /);
    expect(mock.journal.filter(() => true).map((each) => each.request.method)).toEqual([
      'OPTIONS',
      'GET',
      'GET',
      'GET',
    ]);
  });

  it('reads nothing where CORS is switched off', async () => {
    const { request } = await open(named(), { cors: false });
    expect(await request(KEYS)).toBe('TypeError');
    expect(await request(KEYS, { headers: AUTHORIZATION })).toBe('TypeError');
  });

  it('gets the answers of a mock that page.route asks in the same process', async () => {
    const mock = await openBuiltIn();
    const page = await pages.take();
    onTestFinished(async () => {
      await pages.leave(page);
      await mock.close();
    });
    await page.goto(`${named()}/`);
    await page.route('https://api.example.com/**', async (route) => {
      const sent = route.request();
      const response = await mock.fetch(sent.url(), {
        method: sent.method(),
        headers: await sent.allHeaders(),
        body: sent.postDataBuffer(),
      });
      const body = Buffer.from(await response.arrayBuffer());
      await route.fulfill({ status: response.status, headers: Object.fromEntries(response.headers), body });
    });
    const init = JSON.stringify({ method: 'POST', headers: JSON_HEADERS, body: '{"name":"ci"}' });
    const text = await page.evaluate(
      `fetch('https://api.example.com${KEYS}', ${init}).then((response) => response.text(), String)`,
    );
    expect(text).toContain('"name":"ci"');
    const read = JSON.stringify({ headers: AUTHORIZATION });
    expect(await page.evaluate(`fetch('https://api.example.com${KEYS}', ${read}).then(({ status }) => status)`)).toBe(
      200,
    );
    mock.received('createAdminApiKey', { with: { body: { name: 'ci' } } });
  });
});
