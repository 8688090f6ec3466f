import { once } from 'node:events';
import http2 from 'node:http2';
import { buffer } from 'node:stream/consumers';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createMock, type Mock } from '../../src/index.js';
import { TEXT, toDocument } from '../document-parts.js';
import { type Received, sendRequest } from '../send-request.js';

// Issue 16, part 4.

const LARGE = 'abcdefghij'.repeat(1000);
const content = (type: string, schema: object = TEXT): object => ({ [type]: { schema } });
const ok = (body: object): object => ({ get: { responses: { 200: { description: 'OK', content: body } } } });

const spec = toDocument({
  '/large': { ...ok(content('application/json')) },
  '/small': ok(content('application/json')),
  '/image': ok(content('image/png')),
  '/events': ok(content('text/event-stream', {})),
  '/encoded': ok(content('text/plain')),
  '/tagged': ok(content('text/plain')),
  '/varied': ok(content('text/plain')),
  '/umlauts': ok(content('text/plain')),
});

async function* listEvents(): AsyncGenerator<string> {
  yield* [LARGE, LARGE];
}

const handlers = {
  'GET /large': () => ({ status: 200, body: LARGE }),
  'GET /small': () => ({ status: 200, body: 'abc' }),
  'GET /image': () => ({ status: 200, mediaType: 'image/png', body: Buffer.alloc(5000) }),
  'GET /events': () => ({ status: 200, mediaType: 'text/event-stream', body: listEvents() }),
  'GET /encoded': () => ({
    status: 200,
    mediaType: 'text/plain',
    headers: { 'content-encoding': 'x-own' },
    body: LARGE,
  }),
  'GET /tagged': () => ({ status: 200, mediaType: 'text/plain', headers: { etag: '"1"' }, body: LARGE }),
  'GET /varied': () => ({ status: 200, mediaType: 'text/plain', headers: { vary: 'Origin' }, body: LARGE }),
  'GET /umlauts': () => ({
    status: 200,
    mediaType: 'text/plain',
    headers: { 'x-name': 'grün' },
    body: 'ü'.repeat(3000),
  }),
};

type Server = Awaited<ReturnType<Mock['listen']>>;

async function get({ port }: Server, path: string, accepted?: string, method = 'GET'): Promise<Received> {
  const headers = accepted === undefined ? {} : { 'accept-encoding': accepted };
  const received = await sendRequest(`http://127.0.0.1:${port}${path}`, { method, headers });
  expect(received.status).toBe(200);
  return received;
}

describe('a server that compresses', () => {
  let mock: Mock;
  let server: Server;
  beforeAll(async () => {
    mock = await createMock({ spec, handlers });
    server = await mock.listen({ compress: true });
  });
  afterAll(() => mock.close());

  it.each([
    ['gzip', 'gzip'],
    ['br', 'br'],
    ['gzip, deflate, br', 'br'],
    ['br;q=0.5, gzip', 'gzip'],
    ['br;q=0, gzip;q=0.1', 'gzip'],
    ['*', 'br'],
    ['x-gzip', 'gzip'],
  ])('answers Accept-Encoding: %s in the coding %s', async (accepted, coding) => {
    const { headers, body } = await get(server, '/large', accepted);
    expect(headers).toMatchObject({
      'content-encoding': coding,
      vary: 'Accept-Encoding',
      'content-length': `${body.length}`,
    });
    const text = (coding === 'br' ? brotliDecompressSync(body) : gunzipSync(body)).toString();
    expect(text).toBe(JSON.stringify(LARGE));
  });

  it.each([undefined, '', 'identity', 'br;q=0', 'gzip;q=0, *;q=0', 'deflate', 'identity, br;q=0.5'])(
    'answers Accept-Encoding: %s without a coding, and says that it varies',
    async (accepted) => {
      const { headers, body } = await get(server, '/large', accepted);
      expect(headers['content-encoding']).toBeUndefined();
      expect(headers.vary).toBe('Accept-Encoding');
      expect(body.toString()).toBe(JSON.stringify(LARGE));
    },
  );

  it.each(['/small', '/image', '/events', '/encoded', '/tagged'])('sends %s as it is', async (path) => {
    const { headers } = await get(server, path, 'br, gzip');
    expect(headers['content-encoding']).toBe(path === '/encoded' ? 'x-own' : undefined);
    expect(headers.vary).toBeUndefined();
  });

  it('keeps Vary, and characters that are not ASCII', async () => {
    expect((await get(server, '/varied', 'gzip')).headers.vary).toBe('Origin, Accept-Encoding');
    const { headers, body } = await get(server, '/umlauts', 'gzip');
    expect(headers['x-name']).toBe('grün');
    expect(gunzipSync(body).toString()).toBe('ü'.repeat(3000));
  });

  it('keeps the journal uncompressed', async () => {
    await get(server, '/large', 'gzip');
    expect(mock.journal.last()?.answer.body).toBe(LARGE);
  });

  it('answers HEAD like GET, without the length', async () => {
    const { headers } = await get(server, '/large', 'gzip', 'HEAD');
    expect(headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'Accept-Encoding' });
    expect(headers['content-length']).toBeUndefined();
  });

  it('compresses over HTTP/2', async () => {
    const { url, certificate } = await mock.listen({ compress: true, tls: true });
    const session = http2.connect(url, { ca: certificate });
    const stream = session.request({ ':path': '/large', 'accept-encoding': 'gzip' });
    const [headers] = (await once(stream, 'response')) as [http2.IncomingHttpHeaders];
    expect(headers).toMatchObject({ ':status': 200, 'content-encoding': 'gzip', vary: 'Accept-Encoding' });
    expect(gunzipSync(await buffer(stream)).toString()).toBe(JSON.stringify(LARGE));
    session.close();
  });

  it('is what the option says', async () => {
    const { headers } = await get(await mock.listen(), '/large', 'gzip');
    expect(headers['content-encoding']).toBeUndefined();
    expect(headers.vary).toBeUndefined();
  });
});
