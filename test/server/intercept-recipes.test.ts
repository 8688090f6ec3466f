import { createServer } from 'node:http';
import http from 'node:http';
import { http as msw, HttpResponse } from 'msw';
import { setupServer } from 'msw/node';
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Contract, createMock, loadContract, type Mock } from '../../src/index.js';
import { createFolder } from '../folders.js';
import { serveInTest } from '../serve-in-test.js';

// The recipes of docs/interception.md, and interception beside other libraries.

const API = 'https://api.example.com';
const KEYS = `${API}/v1/organization/admin_api_keys`;
const headers = { authorization: 'Bearer sk-test' };

let contract: Contract;
let mock: Mock;
beforeAll(async () => {
  contract = await loadContract('spec/openapi.yaml');
});
beforeEach(async () => {
  mock = await createMock({ spec: contract, fixtures: 'fixtures' });
});
afterEach(() => mock.close());

describe('MSW', () => {
  it('answers from the mock where a handler passes requests on to it', async () => {
    const server = setupServer(
      msw.get(`${API}/own`, () => HttpResponse.json({ by: 'msw' })),
      msw.all(`${API}/*`, ({ request }) => mock.fetch(request)),
    );
    server.listen({ onUnhandledRequest: 'error' });
    try {
      expect(await (await fetch(`${API}/own`)).json()).toEqual({ by: 'msw' });
      const created = await fetch(KEYS, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify({ name: 'ci' }),
      });
      expect(created.status).toBe(200);
      mock.received('createAdminApiKey', { with: { body: { name: 'ci' } } });
    } finally {
      server.close();
    }
  });

  it('and an interception beside it are restored in any order', async () => {
    const before = [globalThis.fetch, http.request, http.ClientRequest];
    const read = (): readonly unknown[] => [globalThis.fetch, http.request, http.ClientRequest];
    const server = setupServer(msw.get('https://other.example.com/own', () => HttpResponse.json({ by: 'msw' })));

    server.listen({ onUnhandledRequest: 'bypass' });
    const inner = mock.intercept(API);
    expect((await fetch(KEYS, { headers })).status).toBe(200);
    inner.close();
    expect(await (await fetch('https://other.example.com/own')).json()).toEqual({ by: 'msw' });
    server.close();
    for (const [i, value] of read().entries()) expect(value).toBe(before[i]);

    mock.intercept(API);
    server.listen({ onUnhandledRequest: 'bypass' });
    expect(await (await fetch('https://other.example.com/own')).json()).toEqual({ by: 'msw' });
    server.close();
    expect((await fetch(KEYS, { headers })).status).toBe(200);
    await mock.close();
    for (const [i, value] of read().entries()) expect(value).toBe(before[i]);
  });
});

it('vi.stubGlobal makes the mock the global fetch of a test', async () => {
  vi.stubGlobal('fetch', mock.fetch);
  try {
    expect((await fetch(KEYS, { headers })).status).toBe(200);
    expect((await fetch(new Request(KEYS, { headers }))).status).toBe(200);
  } finally {
    vi.unstubAllGlobals();
  }
  mock.received('listAdminApiKeys', { times: 2 });
});

it('a mock that records the origin it intercepts reaches its upstream', async () => {
  const upstream = createServer((_, response) =>
    response.setHeader('content-type', 'application/json').end('{"object":"list","data":[],"has_more":false}'),
  );
  const origin = await serveInTest(upstream);
  const recordings = {
    folder: createFolder(),
    mode: 'record-all',
    cassette: 'a',
    upstream: `${origin}/v1`,
    live: true,
  } as const;
  const recording = await createMock({ spec: contract, recordings });
  recording.intercept(origin);
  const response = await fetch(`${origin}/v1/organization/admin_api_keys`, { headers });
  expect([response.status, response.headers.get('x-mock-source')]).toEqual([200, 'forward']);
  await recording.close();
});
