// No replay and no recording sends a client to the real server.
import { createServer, type ServerResponse } from 'node:http';
import { createBrotliCompress, createDeflate, createGzip, gzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createMock, type Mock } from '../../src/index.js';
import { createOwnUrls } from '../../src/features/recording/answer/own-urls.js';
import { createFolder } from '../folders.js';
import { openRecorder, record, replay } from './recorded.js';
import { serveInTest } from '../serve-in-test.js';
import { sendRequest } from '../send-request.js';
import { toDocument } from '../document-parts.js';

const OK = { responses: { 200: { description: 'ok' } } };
const DOCUMENT = toDocument(
  {
    '/things': { get: { operationId: 'listThings', ...OK }, post: { operationId: 'addThing', ...OK } },
    '/events': { get: { operationId: 'listEvents', ...OK } },
  },
  undefined,
  { servers: [{ url: 'https://things.example/v1' }] },
);

type Write = (response: ServerResponse, origin: string) => void;

async function startServer(write: Write): Promise<string> {
  const server = createServer((_request, response) => write(response, url));
  const url = await serveInTest(server);
  return url;
}

interface Seen {
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
}

async function ask(url: string): Promise<Seen> {
  const { headers, body } = await sendRequest(url);
  return { headers, body: body.toString('latin1') };
}

/** The same request while it is recorded, and when it is replayed. */
async function recordAndReplay(
  path: string,
  write: Write,
): Promise<readonly (Seen & { origin: string; upstream: string })[]> {
  const upstream = await startServer(write);
  const seen: (Seen & { origin: string; upstream: string })[] = [];
  const look = async (mock: Mock): Promise<void> => {
    const { url: origin } = await mock.listen();
    seen.push({ ...(await ask(origin + path)), origin, upstream });
  };
  const { folder } = await record(`${upstream}/api`, look, { spec: DOCUMENT });
  await look(await replay(folder, DOCUMENT));
  return seen;
}

describe('a URL of the upstream', () => {
  it('becomes one of the mock in JSON, and everything else keeps its bytes', async () => {
    const text = (origin: string): string =>
      `{ "self" :"${origin}/api/things/1?x=1#y",\n"other":"${origin}/elsewhere", "php":"${origin.replaceAll('/', '\\/')}\\/api\\/things",` +
      ` "text":"see ${origin}/api", "far":"http://127.0.0.1.example/api", "n":1.0, "list":["${origin}/api"] }\n`;
    for (const { body, origin, upstream } of await recordAndReplay('/v1/things', (response, own) => {
      response.writeHead(200, { 'content-type': 'application/json' }).end(text(own));
    })) {
      expect(body).toBe(
        `{ "self" :"${origin}/v1/things/1?x=1#y",\n"other":"${origin}/elsewhere", "php":"${origin}/v1\\/things",` +
          ` "text":"see ${upstream}/api", "far":"http://127.0.0.1.example/api", "n":1.0, "list":["${origin}/v1"] }\n`,
      );
    }
  });

  it('becomes one of the mock in Location, Content-Location, Link and other header fields', async () => {
    for (const { headers, origin } of await recordAndReplay('/v1/things', (response, own) => {
      response.writeHead(201, {
        location: `${own}/api/things/1`,
        'content-location': '/api/things/2',
        link: `<${own}/api/things?page=2>; rel="next", <https://elsewhere.example/>; rel="help"`,
        'operation-location': `${own}/api/operations/3`,
      });
      response.end();
    })) {
      expect(headers).toMatchObject({
        location: '/v1/things/1',
        'content-location': '/v1/things/2',
        link: `<${origin}/v1/things?page=2>; rel="next", <https://elsewhere.example/>; rel="help"`,
        'operation-location': `${origin}/v1/operations/3`,
      });
    }
  });

  it('becomes one of the mock in events, even if a chunk ends inside of it', async () => {
    const recorded = await recordAndReplay('/v1/events', (response, own) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(`data: {"url":"${own.slice(0, 12)}`);
      setImmediate(() => {
        response.write(`${own.slice(12)}/api/things/1"}\n\ndata: ${own}/a`);
        setImmediate(() => response.end('pi/things/2\n\n: end\n\n'));
      });
    });
    for (const { body, origin } of recorded) {
      expect(body).toBe(`data: {"url":"${origin}/v1/things/1"}\n\ndata: ${origin}/v1/things/2\n\n: end\n\n`);
    }
  });

  it('keeps the session of the client', async () => {
    for (const { body, headers, origin } of await recordAndReplay('/~one/v1/things', (response, own) => {
      response.writeHead(200, { 'content-type': 'application/json', location: `${own}/api/things/1` });
      response.end(`{"next":"${own}/api/things?page=2"}`);
    })) {
      expect(body).toBe(`{"next":"${origin}/~one/v1/things?page=2"}`);
      expect(headers['location']).toBe('/~one/v1/things/1');
    }
  });
});

describe('a compressed stream', () => {
  const CODINGS = { gzip: createGzip, br: createBrotliCompress, deflate: createDeflate } as const;

  it.each(['gzip', 'br', 'deflate'] as const)(
    'of events or JSON has URLs of the mock: %s',
    { tags: 'slow' },
    async (coding) => {
      for (const [type, begin] of [
        ['text/event-stream', 'data: '],
        ['application/json', ''],
      ] as const) {
        const recorded = await recordAndReplay('/v1/events', (response, own) => {
          response.writeHead(200, { 'content-type': type, 'content-encoding': coding });
          const compress = CODINGS[coding]();
          compress.pipe(response);
          compress.write(`${begin}{"url":"${own}/api/things/1"`);
          compress.flush(() => setTimeout(() => compress.end(`,"n":1.0}\n\n`), 150));
        });
        for (const { body, headers, origin } of recorded) {
          expect(body).toBe(`${begin}{"url":"${origin}/v1/things/1","n":1.0}\n\n`);
          expect(headers['content-encoding']).toBeUndefined();
        }
      }
    },
  );

  it('reaches the client while it arrives', async () => {
    const upstream = await startServer((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream', 'content-encoding': 'gzip' });
      const compress = createGzip();
      compress.pipe(response);
      compress.write('data: 1\n\n');
      // The stream has no end.
      compress.flush();
    });
    const mock = await openRecorder(upstream, {}, DOCUMENT);
    const { url } = await mock.listen();
    const reader = (await fetch(`${url}/v1/events`)).body?.getReader();
    const text = Buffer.from((await reader?.read())?.value ?? []).toString();
    await reader?.cancel();
    expect(text).toBe('data: 1\n\n');
  });
});

describe('a URL of the mock in a request', () => {
  const post = (body: string | Uint8Array, more: object = {}): RequestInit => ({
    method: 'POST',
    body: typeof body === 'string' ? body : Buffer.from(body),
    headers: { 'content-type': 'application/json', ...more },
  });

  it('is that of the upstream when it is forwarded, recorded and matched', async () => {
    const seen: { readonly body: Buffer; readonly encoding: string | undefined }[] = [];
    const server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        seen.push({ body: Buffer.concat(chunks), encoding: request.headers['content-encoding'] });
        response.writeHead(200, { 'content-type': 'application/json' }).end(`{"n":${seen.length}}`);
      });
    });
    const upstream = await serveInTest(server);
    const folder = createFolder();
    let mock: Mock | undefined;
    onTestFinished(() => mock?.close());
    const open = async (mode: 'record-missing' | 'replay'): Promise<string> => {
      await mock?.close();
      const recordings = { folder, cassette: 'a', mode, upstream: `${upstream}/api`, live: true } as const;
      mock = await createMock({ spec: DOCUMENT, recordings });
      return (await mock.listen()).url;
    };
    const write = (own: string): string =>
      `{ "thing" :"${own}/v1/things/1", "other":"${own}/x", "far":"http://elsewhere.example/v1", "text":"see ${own}" }`;
    const want = (own: string): string =>
      `{ "thing" :"${upstream}/api/things/1", "other":"${upstream}/x", "far":"http://elsewhere.example/v1", "text":"see ${own}" }`;

    const origin = await open('record-missing');
    await (await fetch(`${origin}/v1/things`, post(write(origin)))).text();
    const encoded = post(gzipSync(write(`${origin}/~s`)), { 'content-encoding': 'gzip' });
    await (await fetch(`${origin}/~s/v1/things`, encoded)).text();
    const thing = (own: string): RequestInit => post(JSON.stringify({ thing: `${own}/v1/things/2` }));
    expect(await (await fetch(`${origin}/v1/things`, thing(origin))).json()).toEqual({ n: 3 });
    expect(seen.slice(0, 2).map(({ body }) => body.toString())).toEqual([want(origin), want(`${origin}/~s`)]);
    expect(seen[1]?.encoding).toBeUndefined();
    expect(mock?.cassette('a').exchanges[2]?.request.body).toEqual({ thing: `${upstream}/api/things/2` });

    const replay = await open('replay');
    expect(replay).not.toBe(origin);
    expect(await (await fetch(`${replay}/v1/things`, thing(replay))).json()).toEqual({ n: 3 });
  });

  it('stays as it is in the process of the client, whose servers may have the same address', async () => {
    const upstream = await startServer((response) => response.writeHead(200, { 'content-type': 'text/plain' }).end());
    const mock = await openRecorder(upstream, {}, undefined);
    await mock.fetch('/hooks', post('{"callback":"http://localhost/own"}'));
    expect(mock.cassette('keys').exchanges[0]?.request.body).toEqual({ callback: 'http://localhost/own' });
  });
});

describe('the replacement of URLs', () => {
  it('does not repeat the base path of the mock if the URL of the upstream has no path', () => {
    const plain = createOwnUrls('https://api.example.com');
    const headers = { location: 'https://api.example.com/v1/a', link: '<https://api.example.com/v1/a>' };
    const mock = { origin: 'http://localhost:4010', prefix: '/~s', basePath: '/v1' };
    expect(plain?.fields(headers, mock)).toEqual({ location: '/~s/v1/a', link: '<http://localhost:4010/~s/v1/a>' });
  });

  const own = createOwnUrls('https://api.example.com/v2');
  const base = { origin: 'http://localhost:4010', prefix: '', basePath: '/v1' };

  it.each([
    ['https://api.example.com/v2/files/a?x=1#y', '/v1/files/a?x=1#y'],
    ['http://api.example.com:80/v2/files', '/v1/files'],
    ['//api.example.com/v2/files', '/v1/files'],
    ['https://api.example.com', '/'],
    ['https://api.example.com/elsewhere', '/elsewhere'],
    ['https://other.example.com/v2/files/a', 'https://other.example.com/v2/files/a'],
    ['/v2/files/a', '/v1/files/a'],
    ['/v20/files', '/v20/files'],
    ['files/a', 'files/a'],
  ])('sends the location %s as %s', (location, want) => {
    expect(own?.fields({ location }, base)).toEqual({ location: want });
  });

  it('finds the URL of a field Refresh', () => {
    const refresh = '5; url=https://api.example.com/v2/a';
    expect(own?.fields({ refresh }, base)).toEqual({ refresh: '5; url=http://localhost:4010/v1/a' });
  });
});
