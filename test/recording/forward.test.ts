// @module-tag slow
import { readFileSync } from 'node:fs';
import type { OutgoingHttpHeaders } from 'node:http';
import { createServer } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { createServer as createTcpServer } from 'node:net';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { Mock } from '../../src/index.js';
import type { MockOptions } from '../../src/mock/options.js';
import { type Cassette, loadCassette } from '../../src/features/recording/cassette/cassette.js';
import type { RecordingOptions } from '../../src/features/recording/recordings.js';
import { createFolder } from '../folders.js';
import { KEYS, replay, SPEC } from './recorded.js';
import { openMock } from '../open-mock.js';
import { serveInTest } from '../serve-in-test.js';
import { type Intercept, startUpstream, type TestUpstream, reply } from './upstream.js';
import { type Received, sendRequest } from '../send-request.js';
import { createCertificate } from '../../src/server/certificate.js';

const TOKEN = { authorization: 'Bearer forward-token-1' };

interface Proxy {
  readonly mock: Mock;
  /** Of the mock, without the base path. */
  readonly origin: string;
  readonly upstream: TestUpstream;
  cassette(): Cassette;
}

async function startProxy(
  intercept?: Intercept,
  more: Partial<RecordingOptions> = {},
  options: Partial<MockOptions> = {},
): Promise<Proxy> {
  const upstream = await startUpstream(intercept === undefined ? {} : { intercept });
  const folder = createFolder();
  const recordings = {
    folder,
    cassette: 'keys',
    mode: 'record-all',
    upstream: upstream.url,
    live: true,
    ...more,
  } as const;
  const mock = await openMock({ spec: SPEC, recordings, ...options });
  const { url } = await mock.listen();
  return { mock, origin: url, upstream, cassette: () => loadCassette(join(folder, 'keys')) };
}

const ask = (url: string, { headers, ...more }: Parameters<typeof sendRequest>[1] = {}): Promise<Received> =>
  sendRequest(url, { ...more, headers: { ...TOKEN, ...(headers as OutgoingHttpHeaders) } });

const FILE = '/v1/files/file-notes/content';

describe('the proxy', () => {
  it('handles header names such as constructor like any other', async () => {
    const { origin, upstream, cassette } = await startProxy(
      reply(200, { 'content-type': 'application/json', constructor: 'of the upstream' }, '"text"'),
    );
    const answer = await ask(`${origin}${FILE}?constructor=1`, { headers: { constructor: 'of the client' } });
    expect(answer.status).toBe(200);
    expect(answer.headers).toHaveProperty('constructor', 'of the upstream');
    expect(upstream.seen[0]?.headers).toHaveProperty('constructor', 'of the client');
    const [recorded] = cassette().exchanges;
    expect(recorded?.request).toMatchObject({ query: { constructor: '1' }, headers: { constructor: 'of the client' } });
  });

  it('passes on end-to-end fields only', async () => {
    const { origin, upstream } = await startProxy(
      reply(
        200,
        {
          'content-type': 'application/json',
          connection: 'x-hop, keep-alive',
          'x-hop': 'of this connection',
          'x-end': 'of the message',
          'set-cookie': ['a=1; Path=/', 'b=2'],
        },
        '"text"',
      ),
    );
    const answer = await ask(origin + FILE, {
      headers: {
        connection: 'x-mine',
        'x-mine': '1',
        'keep-alive': 'timeout=5',
        te: 'trailers',
        'x-through': '1',
        'x-mock-session': 's',
      },
    });
    const sent = upstream.seen[0]?.headers ?? {};
    expect(Object.keys(sent)).toEqual(expect.arrayContaining(['host', 'authorization', 'x-through']));
    for (const name of ['x-mine', 'keep-alive', 'te', 'x-mock-session']) expect(sent, name).not.toHaveProperty(name);
    expect(sent.host).toBe(new URL(upstream.url).host);
    expect(answer.headers['x-end']).toBe('of the message');
    expect(answer.headers).not.toHaveProperty('x-hop');
    expect(answer.headers['set-cookie']).toEqual(['a=1; Path=/', 'b=2']);
    expect(answer.headers['x-mock-source']).toBe('forward');
  });

  it.each([
    ['gzip', gzipSync],
    ['br', brotliCompressSync],
  ] as const)('passes %s on byte for byte and records what is in it', async (coding, compress) => {
    const body = compress(Buffer.from('"the text"'));
    const { origin, cassette, upstream } = await startProxy(
      reply(
        200,
        {
          'content-type': 'application/json',
          'content-encoding': coding,
          'content-length': body.byteLength,
        },
        body,
      ),
    );
    const answer = await ask(origin + FILE, { headers: { 'accept-encoding': 'gzip, br, zstd' } });
    expect(answer.headers['content-encoding']).toBe(coding);
    expect(answer.body).toEqual(body);
    expect(upstream.seen[0]?.headers['accept-encoding']).toBe('gzip, br');
    expect(cassette().exchanges[0]?.response).toMatchObject({ body: 'the text' });
    expect(cassette().exchanges[0]?.response?.headers).not.toHaveProperty('content-encoding');
  });

  it('passes on JSON unchanged, with its spaces and long numbers', async () => {
    const text =
      '{ "error": {"message": "no", "type": "t", "param": null, "code": null, "n": 12345678901234567890} }\n';
    const { origin, cassette } = await startProxy(reply(404, { 'content-type': 'application/json' }, text));
    expect((await ask(origin + FILE)).body.toString()).toBe(text);
    const file = readFileSync(join(cassette().folder, cassette().exchanges[0]?.file ?? ''), 'utf8');
    expect(file).toContain('"n": 12345678901234567890');
  });

  it('does not keep a stream in memory that is not recorded', async () => {
    const size = 192 * 1024 * 1024;
    const { origin } = await startProxy(
      (_request, response) => {
        response.writeHead(200, { 'content-type': 'application/octet-stream' });
        const piece = Buffer.alloc(1024 * 1024);
        Readable.from(Array.from({ length: size / piece.byteLength }, () => piece)).pipe(response);
        return true;
      },
      { mode: 'replay', cassette: undefined, owners: { '*': 'forward' } },
    );
    const response = await fetch(origin + FILE, { headers: TOKEN });
    let received = 0;
    let peak = 0;
    for await (const chunk of response.body ?? []) {
      received += (chunk as Uint8Array).byteLength;
      peak = Math.max(peak, process.memoryUsage().arrayBuffers);
    }
    expect(received).toBe(size);
    expect(peak).toBeLessThan(size);
  });

  it('sends a multipart body byte for byte, and records its parts', async () => {
    const file = Buffer.from([0, 255, 13, 10, 45, 45, 200]);
    const body = Buffer.concat([
      Buffer.from('--b0undary\r\nContent-Disposition: form-data; name="note"\r\n\r\nGrüße\r\n'),
      Buffer.from(
        '--b0undary\r\nContent-Disposition: form-data; name="file"; filename="a \\"b\\".bin"\r\nContent-Type: image/png\r\n\r\n',
      ),
      file,
      Buffer.from('\r\n--b0undary--\r\n'),
    ]);
    const { origin, upstream, cassette } = await startProxy(
      reply(
        415,
        { 'content-type': 'application/json' },
        '{"error":{"message":"JSON only","type":"t","param":null,"code":null}}',
      ),
    );
    const answer = await ask(origin + KEYS, {
      method: 'POST',
      headers: { 'content-type': 'multipart/form-data; boundary=b0undary' },
      body,
    });
    expect(answer.status).toBe(415);
    expect(upstream.seen[0]?.body).toEqual(body);
    expect(cassette().exchanges[0]?.request.parts).toEqual([
      { name: 'note', bodyText: 'Grüße' },
      { name: 'file', filename: 'a "b".bin', mediaType: 'image/png', bodyFile: 'bodies/0001.request.part-2.bin' },
    ]);
    expect(readFileSync(join(cassette().folder, 'bodies/0001.request.part-2.bin'))).toEqual(file);
  });

  it('passes on uploads of any size, although the mock has a limit', async () => {
    const echo: Intercept = (request, response) => {
      response.writeHead(429, { 'content-type': 'application/json' });
      response.end(`{"error":{"message":"${request.body.byteLength} bytes","type":"t","param":null,"code":null}}`);
      return true;
    };
    const body = Buffer.from(`{"name":"${'x'.repeat(9 * 1024 * 1024)}"}`);
    const headers = { 'content-type': 'application/json' };
    const open = await startProxy(echo);
    expect((await ask(open.origin + KEYS, { method: 'POST', headers, body })).body.toString()).toContain(
      `${body.byteLength} bytes`,
    );
    const narrow = await startProxy(echo, {}, { requests: { bodyLimitBytes: 1000 } });
    expect((await ask(narrow.origin + KEYS, { method: 'POST', headers, body })).body.toString()).toContain(
      `${body.byteLength} bytes`,
    );
  });

  it('answers HEAD with the length and no body', async () => {
    const { origin, cassette, upstream } = await startProxy(
      reply(200, { 'content-type': 'application/json', 'content-length': '4711' }),
    );
    const answer = await ask(origin + FILE, { method: 'HEAD' });
    expect(upstream.seen[0]?.method).toBe('HEAD');
    expect(answer).toMatchObject({
      status: 200,
      headers: { 'content-length': '4711', 'content-type': 'application/json' },
    });
    expect(answer.body).toHaveLength(0);
    expect(cassette().exchanges[0]?.response?.headers['content-length']).toBe('4711');
  });

  it.each([
    ['204', { method: 'GET' }, 204],
    ['304', { method: 'GET' }, 304],
    ['HEAD without a length', { method: 'HEAD' }, 200],
  ])('records %s, although the body is not read', async (_name, request, status) => {
    const { origin, cassette } = await startProxy(reply(status, { 'x-kept': 'yes' }));
    expect(await ask(origin + FILE, request)).toMatchObject({ status, headers: { 'x-kept': 'yes' } });
    expect(cassette().exchanges).toMatchObject([{ response: { status, headers: { 'x-kept': 'yes' } } }]);
  });

  it('drops interim responses and trailers with a note in the trace', async () => {
    const { mock, origin, cassette } = await startProxy((_request, response) => {
      response.writeEarlyHints({ link: '</a.css>; rel=preload' });
      response.writeHead(200, { 'content-type': 'application/json', trailer: 'x-sum' });
      response.addTrailers({ 'x-sum': 'abc' });
      response.end('"text"');
      return true;
    });
    const answer = await ask(origin + FILE);
    expect(answer.body.toString()).toBe('"text"');
    expect(answer.trailers).toEqual({});
    expect(cassette().exchanges[0]?.response).toMatchObject({ interim: [103], trailers: ['x-sum'] });
    expect(mock.journal.last()?.trace).toEqual(
      expect.arrayContaining(['forward: dropped interim responses 103', 'forward: dropped trailers x-sum']),
    );
  });

  it('makes a redirect to the upstream relative, and keeps others', async () => {
    const locations: string[] = [];
    const { origin, upstream } = await startProxy((...sent) =>
      reply(302, { location: locations.shift() ?? '' })(...sent),
    );
    locations.push(`${upstream.url}/files/b?x=1`, 'https://elsewhere.example/v1/files/b');
    expect((await ask(origin + FILE)).headers.location).toBe('/v1/files/b?x=1');
    expect((await ask(origin + FILE)).headers.location).toBe('https://elsewhere.example/v1/files/b');
  });

  it('replaces the base path by the path of the upstream, and never calls another host', async () => {
    const { origin, upstream } = await startProxy();
    await ask(`${origin}/files/file-notes/content?x=http://evil.example/`);
    await ask(`${origin}/v1/files/http:%2F%2Fevil.example/content`);
    expect(upstream.seen.map(({ url }) => url)).toEqual([
      '/v1/files/file-notes/content?x=http://evil.example/',
      '/v1/files/http:%2F%2Fevil.example/content',
    ]);
  });

  it('does not forward session headers and prefixes', async () => {
    const { origin, upstream, cassette } = await startProxy();
    await ask(`${origin}/~checkout${FILE}`, {
      headers: { 'x-mock-session': 'checkout', cookie: 'mock-session=checkout; theme=dark' },
    });
    expect(upstream.seen[0]?.url).toBe(FILE);
    expect(upstream.seen[0]?.headers.cookie).toBe('theme=dark');
    expect(upstream.seen[0]?.headers).not.toHaveProperty('x-mock-session');
    expect(cassette().exchanges[0]?.request.path).toBe(FILE);
  });

  it('adds the recorder’s own credentials and does not record them', async () => {
    const { origin, upstream, cassette } = await startProxy(undefined, {
      upstreamHeaders: { Authorization: 'Bearer own-credential-99' },
    });
    await ask(origin + FILE);
    expect(upstream.seen[0]?.headers.authorization).toBe('Bearer own-credential-99');
    const { folder, exchanges } = cassette();
    expect(readFileSync(join(folder, exchanges[0]?.file ?? ''), 'utf8')).not.toMatch(/own-credential|forward-token/);
  });

  it('reports the violations of both sides in headers and journal, and does not refuse them', async () => {
    const { mock, origin } = await startProxy(
      reply(
        200,
        { 'content-type': 'application/json' },
        '{"object":"list","data":[],"first_id":null,"last_id":null,"has_more":"no"}',
      ),
    );
    const answer = await ask(`${origin}${KEYS}?limit=0`);
    expect(answer.status).toBe(200);
    expect(answer.headers['x-mock-request-violations']).toBe('RANGE query parameter "limit" must be at least 1, got 0');
    expect(answer.headers['x-mock-violations']).toMatch(/TYPE .*has_more/);
    const violations = mock.journal.last()?.violations ?? [];
    expect(violations.some(({ by, pointer }) => by === 'client' && pointer === '/limit')).toBe(true);
    expect(violations.some(({ by, pointer }) => by === 'upstream' && pointer === '/has_more')).toBe(true);
  });

  it('reports an undeclared status and media type', async () => {
    const { mock, origin } = await startProxy((request, response) => {
      if (request.url === FILE) response.writeHead(418).end();
      else response.writeHead(200, { 'content-type': 'text/csv', 'content-length': 1 }).end('a');
      return true;
    });
    await ask(origin + FILE);
    expect(mock.journal.last()?.violations).toMatchObject([{ code: 'STATUS_UNDECLARED', by: 'upstream' }]);
    await ask(origin + KEYS);
    expect(mock.journal.last()?.violations).toMatchObject([{ code: 'MEDIA_TYPE_UNDECLARED', by: 'upstream' }]);
  });
});

describe('an upstream that fails', () => {
  it('is 502 in the contract’s own error shape if it refuses the connection, also on replay', async () => {
    const { mock, origin, upstream, cassette } = await startProxy();
    await upstream.close();
    const answer = await ask(origin + FILE);
    expect(answer.status).toBe(502);
    expect(JSON.parse(answer.body.toString())).toMatchObject({
      error: { code: 'upstream_refused', message: expect.stringContaining('ECONNREFUSED') as string },
    });
    expect(cassette().exchanges[0]).toMatchObject({
      file: '0001-downloadFile.failed.json',
      failure: { kind: 'refused' },
    });
    await mock.close();
    const again = await replay(cassette().folder);
    expect((await again.fetch(FILE, { headers: TOKEN })).status).toBe(502);
    again.verify();
  });

  it('is 504 if it times out', async () => {
    const { origin, cassette } = await startProxy(() => true, { timeoutMs: 50 });
    const answer = await ask(origin + FILE);
    expect(answer.status).toBe(504);
    expect(JSON.parse(answer.body.toString())).toMatchObject({ error: { code: 'upstream_timeout' } });
    expect(cassette().exchanges[0]?.failure?.kind).toBe('timeout');
  });

  it('is 502 if it closes the connection in the middle of its JSON', async () => {
    const { origin, cassette } = await startProxy((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': 100 }).write('{"data":');
      response.destroy();
      return true;
    });
    expect((await ask(origin + FILE)).status).toBe(502);
    expect(cassette().exchanges[0]?.failure?.kind).toBe('reset');
  });

  it('is 502 if its answer is not HTTP', async () => {
    const server = createTcpServer((socket) => socket.end('SSH-2.0-nothing\r\n'));
    const { origin, cassette } = await startProxy(undefined, { upstream: `${await serveInTest(server)}/v1` });
    expect((await ask(origin + FILE)).status).toBe(502);
    expect(cassette().exchanges[0]?.failure?.kind).toBe('protocol');
  });

  it('breaks the stream of the client if it breaks in a stream, and is recorded with the part that came', async () => {
    const { mock, origin, cassette } = await startProxy((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: 1\n\n', () => response.destroy());
      return true;
    });
    expect((await ask(origin + FILE)).isWhole).toBe(false);
    await mock.recordings?.settle();
    expect(cassette().exchanges[0]?.response).toMatchObject({ cut: 'upstream', events: [{ data: '1' }] });
  });

  it('is called again if it has closed a persistent connection', async () => {
    const { origin, upstream } = await startProxy();
    expect((await ask(origin + FILE)).status).toBe(200);
    upstream.server.closeIdleConnections();
    expect((await ask(origin + FILE)).status).toBe(200);
  });
});

it('an upstream without TLS is named as such, and not one with a wrong certificate', async () => {
  const server = createServer((_request, response) => response.end('"plain"'));
  const upstream = `${(await serveInTest(server)).replace('http:', 'https:')}/v1`;
  const { origin, cassette } = await startProxy(undefined, { upstream });
  expect((await ask(origin + FILE)).status).toBe(502);
  const message = 'could not be reached: the server does not use TLS there; its URL starts with http:';
  const failure = { kind: 'tls', message: expect.stringMatching(new RegExp(`${message}$`)) as string };
  expect(cassette().exchanges[0]?.failure).toMatchObject(failure);
});

it('the certificate of an upstream is verified, unless insecure is set or its authority is configured', async () => {
  const { cert: ca, key } = createCertificate();
  const server = createSecureServer({ key, cert: ca }, (_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end('"over tls"');
  });
  const upstream = `${(await serveInTest(server)).replace('http:', 'https:')}/v1`;
  const strict = await startProxy(undefined, { upstream });
  expect((await ask(strict.origin + FILE)).status).toBe(502);
  const { failure } = strict.cassette().exchanges[0] ?? {};
  expect(failure).toMatchObject({ kind: 'tls', message: expect.stringContaining('--insecure') as string });
  const lenient = await startProxy(undefined, { upstream, insecure: true });
  expect((await ask(lenient.origin + FILE)).body.toString()).toBe('"over tls"');
  const trusting = await startProxy(undefined, { upstream, ca });
  expect((await ask(trusting.origin + FILE)).body.toString()).toBe('"over tls"');
});
