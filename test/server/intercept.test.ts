import http, { createServer, type Server } from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { type Contract, createMock, loadContract, type Mock } from '../../src/index.js';
import { arrayOf, content, json, object, TEXT, toDocument } from '../document-parts.js';
import { messageOf } from '../message-of.js';
import { sendRequest } from '../send-request.js';

const pet = object({ id: TEXT, name: TEXT }, 'name');
const DOCUMENT = toDocument(
  {
    '/pets': {
      get: { operationId: 'listPets', responses: { 200: json(arrayOf(pet)) } },
      post: {
        operationId: 'createPet',
        requestBody: { required: true, content: content(pet) },
        responses: { 201: json(pet) },
      },
    },
  },
  undefined,
  { servers: [{ url: 'https://api.example.com/v1' }] },
);

const API = 'https://api.example.com';
const PETS = `${API}/v1/pets`;

let contract: Contract;
let mock: Mock;
let other: Server;
let otherUrl = '';

beforeAll(async () => {
  contract = await loadContract(DOCUMENT);
  other = createServer((_, response) => response.end('the network'));
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  // A server that listens on a port has an address.
  otherUrl = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
});
afterAll(() => new Promise((resolve) => other.close(resolve)));
beforeEach(async () => {
  mock = await createMock({ spec: contract, fixtures: { pets: [{ id: 'a', name: 'Rex' }] } });
});
afterEach(() => mock.close());

/** Sends a request with `node:http` or `node:https`. */
async function send(url: string, init: { readonly method?: string; readonly body?: string } = {}) {
  const headers = init.body === undefined ? {} : { 'content-type': 'application/json' };
  const { body, ...received } = await sendRequest(url, { ...init, headers });
  return { ...received, text: body.toString() };
}

/** What interception replaces. */
function readGlobals(): readonly unknown[] {
  const { fetch, Request, Response, Headers } = globalThis;
  const { set, append } = Headers.prototype;
  const own = [fetch, Request, Response, Headers, set, append, Object.getOwnPropertySymbols(globalThis).length];
  return [...own, http.request, http.get, http.ClientRequest, https.request, https.get];
}

it('intercept answers the global fetch, with state, a body and the base path of the document', async () => {
  mock.intercept(API);
  const headers = { 'content-type': 'application/json' };
  const created = await fetch(PETS, { method: 'POST', headers, body: JSON.stringify({ name: 'Tom' }) });
  expect([created.status, created.url]).toEqual([201, PETS]);
  expect(await created.json()).toMatchObject({ name: 'Tom' });
  expect(await (await fetch(new Request(PETS))).json()).toHaveLength(2);
  mock.received('createPet', { with: { body: { name: 'Tom' } } });
  mock.verify();
});

it('intercept answers node:http and node:https', async () => {
  mock.intercept(API);
  const created = await send(PETS, { method: 'POST', body: JSON.stringify({ name: 'Tom' }) });
  expect([created.status, created.headers['content-type']]).toEqual([201, 'application/json']);
  expect(JSON.parse((await send(PETS)).text)).toHaveLength(2);
  expect((await send(PETS, { method: 'POST', body: '{}' })).status).toBe(400);
  mock.intercept('http://plain.example.com');
  expect((await send('http://plain.example.com/v1/pets')).status).toBe(200);
});

it('intercept reports a fault of a scenario as the client would see it', async () => {
  const scenarios = { from: { down: { operations: { listPets: { fault: 'reset' as const } } } }, active: 'down' };
  await using broken = await createMock({ spec: contract, scenarios });
  broken.intercept(API);
  await expect(fetch(PETS)).rejects.toMatchObject({ message: 'fetch failed', cause: { code: 'ECONNRESET' } });
  await expect(send(PETS)).rejects.toMatchObject({ code: 'ECONNRESET' });
});

it('intercept of a session answers with the state of that session', async () => {
  const session = mock.session('s');
  session.state.collection('pets').replace([]);
  session.intercept(API);
  expect(await (await fetch(PETS)).json()).toEqual([]);
  session.received('listPets', { times: 1 });
  mock.received('listPets', { times: 0 });
  session.close();
  mock.intercept(API);
  expect(await (await fetch(PETS)).json()).toHaveLength(1);
});

it('intercept answers two origins from two mocks, until each one is closed', async () => {
  const second = await createMock({ spec: contract });
  const first = mock.intercept(API);
  second.intercept('https://other.example.com:8443');
  await fetch(PETS);
  await send('https://other.example.com:8443/v1/pets');
  first.close();
  expect((await fetch('https://other.example.com:8443/v1/pets')).status).toBe(200);
  expect([mock.journal.interactions.length, second.journal.interactions.length]).toEqual([1, 2]);
  await second.close();
  expect(Symbol.for('vouch.interception') in globalThis).toBe(false);
});

it('intercept leaves the globals as they are until it is called, and restores them in the end', async () => {
  const before = readGlobals();
  const server = await mock.listen();
  expect((await fetch(`${server.url}/v1/pets`)).status).toBe(200);
  expect(readGlobals()).toEqual(before);
  {
    using interception = mock.intercept(API);
    expect(interception.origin).toBe(API);
    expect(globalThis.fetch).not.toBe(before[0]);
    expect(http.request).not.toBe(before[7]);
    expect((await fetch(`${server.url}/v1/pets`)).status).toBe(200);
  }
  expect(readGlobals()).toEqual(before);
  for (const [i, value] of readGlobals().entries()) expect(value).toBe(before[i]);
  mock.intercept(API);
  await mock.close();
  for (const [i, value] of readGlobals().entries()) expect(value).toBe(before[i]);
});

it.each([
  ['bypass', undefined],
  ['warn', 'VouchWarning'],
] as const)('intercept sends requests to other origins: %s', async (onUnhandledRequest, warning) => {
  const warnings: Error[] = [];
  const listener = (each: Error): void => void (each.name === 'VouchWarning' && warnings.push(each));
  process.on('warning', listener);
  mock.intercept(API, { onUnhandledRequest });
  expect(await (await fetch(`${otherUrl}/a?token=secret`)).text()).toBe('the network');
  expect((await send(`${otherUrl}/b`)).text).toBe('the network');
  process.off('warning', listener);
  const paths = warnings.map(({ message }) => /GET \S+/.exec(message)?.[0]);
  expect(paths).toEqual(warning === undefined ? [] : [`GET ${otherUrl}/a`, `GET ${otherUrl}/b`]);
});

it('intercept fails requests to other origins where that is asked for', async () => {
  mock.intercept(API);
  mock.intercept('https://strict.example.com', { onUnhandledRequest: 'error' });
  const want =
    `REQUEST_UNHANDLED  no mock intercepts GET ${otherUrl}/a\n` +
    `  hint: intercept its origin: mock.intercept("${otherUrl}"), or send it: onUnhandledRequest: "bypass"`;
  await expect(fetch(`${otherUrl}/a`)).rejects.toThrow(want);
  await expect(send(`${otherUrl}/a`)).rejects.toThrow(want);
  expect((await fetch(PETS)).status).toBe(200);
});

it('intercept can be aborted', async () => {
  mock.intercept(API);
  const never = new Promise<never>(() => undefined);
  mock.use({ listPets: () => never });
  const controller = new AbortController();
  const pending = fetch(PETS, { signal: controller.signal });
  const arrived = expect(pending).rejects.toThrow('no longer needed');
  controller.abort(new Error('no longer needed'));
  await arrived;
});

it.each<readonly [string, () => unknown, string]>([
  [
    'the same origin twice',
    () => [mock.intercept(API), mock.intercept(`${API}:443/`)],
    'ORIGIN_INTERCEPTED  requests to https://api.example.com are already intercepted\n' +
      '  hint: close the other interception, or the mock that it belongs to, at the end of each test',
  ],
  [
    'an origin with a path',
    () => mock.intercept(PETS),
    'OPTION_INVALID  "https://api.example.com/v1/pets" has more than an origin\n' +
      '  hint: every path of an origin is intercepted: mock.intercept("https://api.example.com")',
  ],
  [
    'a host without a scheme',
    () => mock.intercept('api.example.com'),
    'OPTION_INVALID  "api.example.com" is not an origin that can be intercepted\n' +
      '  hint: give a scheme and a host: mock.intercept("https://api.example.com")',
  ],
  [
    'an unknown mode',
    () => mock.intercept(API, { onUnhandledRequest: 'eror' as 'error' }),
    'OPTION_INVALID  onUnhandledRequest must be one of bypass, warn, error, got "eror"\n  hint: did you mean "error"?',
  ],
])('intercept refuses %s', async (_, act, want) => {
  expect(await messageOf(act)).toBe(want);
});
