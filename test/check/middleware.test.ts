import { Hono } from 'hono';
import { compress } from 'hono/compress';
import express from 'express';
import { once } from 'node:events';
import { createServer, get, type IncomingMessage, type RequestListener } from 'node:http';
import { gzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  checkHandler,
  checkMiddleware,
  type CheckMiddlewareOptions,
  type CheckResult,
  loadContract,
} from '../../src/check/index.js';
import { serveInTest } from '../serve-in-test.js';
import { shows, takes, toDocument } from '../operation-parts.js';
import { arrayOf, INTEGER, object, TEXT } from '../schema-parts.js';

const ROOM = object({ id: INTEGER, name: TEXT }, 'id', 'name');
const contract = await loadContract(
  toDocument({
    '/rooms': {
      get: { operationId: 'listRooms', ...shows(arrayOf(ROOM)) },
      post: { operationId: 'createRoom', ...takes(object({ name: TEXT }, 'name'), ROOM, 201) },
    },
    '/events': {
      get: {
        operationId: 'listenToRooms',
        responses: { 200: { description: 'Events.', content: { 'text/event-stream': { schema: TEXT } } } },
      },
    },
  }),
);

const NORTH = { id: 1, name: 'North' };
const POST = (body: string): RequestInit => ({ method: 'POST', headers: { 'content-type': 'application/json' }, body });

/** Collects results; the next one can be waited for. */
function createResults(): { readonly onResult: (result: CheckResult) => void; next(): Promise<CheckResult> } {
  const results: CheckResult[] = [];
  let wake: () => void = () => undefined;
  return {
    onResult: (result) => {
      results.push(result);
      wake();
    },
    next: async () => {
      while (results.length === 0) await new Promise<void>((resolve) => (wake = resolve));
      return results.shift() as CheckResult;
    },
  };
}

const codes = ({ violations }: CheckResult): readonly string[] => violations.map(({ code }) => code);

/** Starts the same service with each framework; it answers `answer`, and a create with what was sent. */
const STARTS: Readonly<Record<string, (answer: object, options: CheckMiddlewareOptions) => Promise<string>>> = {
  Hono: async (answer, options) => {
    const app = new Hono();
    app.use(checkMiddleware(contract, options));
    app.get('/rooms', (context) => context.json(answer));
    app.post('/rooms', async (context) => context.json({ id: 2, ...(await context.req.json<object>()) }, 201));
    const serve: RequestListener = (request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const { method = 'GET', url = '/', headers } = request;
        const body = method === 'GET' ? undefined : Buffer.concat(chunks);
        const own = new Request(`http://service${url}`, {
          method,
          headers: headers as Record<string, string>,
          ...(body && { body }),
        });
        void Promise.resolve(app.fetch(own)).then(async (answered) => {
          response.writeHead(answered.status, Object.fromEntries(answered.headers)).end(await answered.text());
        });
      });
    };
    return serveInTest(createServer(serve));
  },
  'node:http': (answer, options) => {
    const serve: RequestListener = (request, response) => {
      let text = '';
      request.on('data', (chunk: Buffer) => (text += chunk.toString()));
      request.on('end', () => {
        const isPost = request.method === 'POST';
        response.writeHead(isPost ? 201 : 200, { 'content-type': 'application/json' });
        response.write(JSON.stringify(isPost ? { id: 2, ...(JSON.parse(text) as object) } : answer).slice(0, 1));
        response.end(JSON.stringify(isPost ? { id: 2, ...(JSON.parse(text) as object) } : answer).slice(1));
      });
    };
    return serveInTest(createServer(checkHandler(contract, serve, options)));
  },
  Express: (answer, options) => {
    const app = express();
    app.use(express.json({ limit: '1mb' }));
    app.get('/rooms', (_request, response) => void response.json(answer));
    app.post('/rooms', (request, response) => void response.status(201).json({ id: 2, ...(request.body as object) }));
    return serveInTest(createServer(checkHandler(contract, app as unknown as RequestListener, options)));
  },
};

describe.each(Object.entries(STARTS))('the middleware of %s', (_, start) => {
  it('reports each exchange and leaves it as it is', async () => {
    const { onResult, next } = createResults();
    const url = await start([NORTH], { onResult });
    expect(await (await fetch(`${url}/rooms`)).json()).toEqual([NORTH]);
    expect(await next()).toMatchObject({ operation: 'listRooms', violations: [] });
    const created = await fetch(`${url}/rooms`, POST('{"name":"South"}'));
    expect([created.status, await created.json()]).toEqual([201, { id: 2, name: 'South' }]);
    expect(await next()).toMatchObject({ operation: 'createRoom', violations: [] });
    const wrong = await start([{ id: 'x' }], { onResult });
    expect(await (await fetch(`${wrong}/rooms`)).json()).toEqual([{ id: 'x' }]);
    expect(codes(await next()).toSorted()).toEqual(['REQUIRED', 'TYPE']);
  });

  it('refuses an invalid request before the service gets it, and replaces an invalid response', async () => {
    const { onResult, next } = createResults();
    const url = await start([{ id: 'x' }], { mode: 'refuse', onResult });
    const refused = await fetch(`${url}/rooms`, POST('{"name":7}'));
    expect(refused.status).toBe(400);
    expect(refused.headers.get('content-type')).toBe('application/problem+json');
    expect(await refused.json()).toMatchObject({
      status: 400,
      errors: [{ code: 'TYPE', in: 'body', pointer: '/name' }],
    });
    expect(codes(await next())).toEqual(['TYPE']);
    const replaced = await fetch(`${url}/rooms`);
    expect([replaced.status, await replaced.json()]).toMatchObject([
      500,
      { title: 'The response does not match the API description' },
    ]);
    await next();
    const created = await fetch(`${url}/rooms`, POST('{"name":"South"}'));
    expect([created.status, await created.json()]).toEqual([201, { id: 2, name: 'South' }]);
  });

  it('emits a warning of the process', async () => {
    const warnings: Error[] = [];
    const collect = (warning: Error): void => void warnings.push(warning);
    process.on('warning', collect);
    onTestFinished(() => void process.off('warning', collect));
    const { onResult, next } = createResults();
    const url = await start([{ id: 1 }], { mode: 'warn', onResult });
    await (await fetch(`${url}/rooms`)).json();
    await next();
    await expect
      .poll(() => warnings.map(({ name, message }) => `${name}: ${message}`))
      .toContainEqual(expect.stringMatching(/^ContractWarning: GET \/rooms 200: REQUIRED .*name is required/));
  });

  it('does not check a body that is larger than the limit', async () => {
    const { onResult, next } = createResults();
    const url = await start([NORTH], { mode: 'refuse', limitBytes: 100, onResult });
    const name = 'n'.repeat(200_000);
    const created = await fetch(`${url}/rooms`, POST(JSON.stringify({ name })));
    expect([created.status, await created.json()]).toEqual([201, { id: 2, name }]);
    await next();
  });
});

const JSON_TYPE = { 'content-type': 'application/json' };
const GZIP = { ...JSON_TYPE, 'content-encoding': 'gzip' };

/** Serves a handler of `node:http` that is checked. */
const serve = (handler: RequestListener, options: CheckMiddlewareOptions): Promise<string> =>
  serveInTest(createServer(checkHandler(contract, handler, options)));

describe.each(['report', 'refuse'] as const)('in the mode %s', (mode) => {
  it('a compressed body is checked as its content', async () => {
    const { onResult, next } = createResults();
    const send = (rooms: object): Promise<string> =>
      serve((_, response) => response.writeHead(200, GZIP).end(gzipSync(JSON.stringify(rooms))), { mode, onResult });
    const whole = await fetch(`${await send([NORTH])}/rooms`);
    expect([whole.status, await whole.json()]).toEqual([200, [NORTH]]);
    expect(codes(await next())).toEqual([]);
    const wrong = await fetch(`${await send([{ id: 'x', name: 'North' }])}/rooms`);
    expect(wrong.status).toBe(mode === 'refuse' ? 500 : 200);
    expect(codes(await next())).toEqual(['TYPE']);
  });

  it('a body that Hono compresses is checked as its content', async () => {
    const { onResult, next } = createResults();
    const app = new Hono();
    app.use(checkMiddleware(contract, { mode, onResult }), compress({ threshold: 1 }));
    app.get('/rooms', (context) => context.json(Array.from({ length: 50 }, () => NORTH)));
    const request = new Request('http://service/rooms', { headers: { 'accept-encoding': 'gzip' } });
    const response = await app.fetch(request);
    expect([response.status, response.headers.get('content-encoding')]).toEqual([200, 'gzip']);
    expect(codes(await next())).toEqual([]);
  });

  it('a stream passes while it is open', async () => {
    const handler: RequestListener = (_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
      response.write('data: 1\n\n');
    };
    const sent = get(`${await serve(handler, { mode })}/events`);
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    const [chunk] = (await once(response, 'data')) as [Buffer];
    expect(chunk.toString()).toBe('data: 1\n\n');
    sent.destroy();
  });

  it('a body above the limit passes unchecked, and the callback of its end is called', async () => {
    const { onResult, next } = createResults();
    const large = JSON.stringify([{ id: 'x'.repeat(5000) }]);
    let call: () => void = () => undefined;
    const sent = new Promise<void>((resolve) => (call = resolve));
    const handler: RequestListener = (_, response) => {
      response.writeHead(200, JSON_TYPE);
      response.write(large.slice(0, 10));
      response.end(large.slice(10), call);
    };
    const response = await fetch(`${await serve(handler, { mode, limitBytes: 1000, onResult })}/rooms`);
    expect([response.status, await response.text()]).toEqual([200, large]);
    await sent;
    expect(codes(await next())).toEqual([]);
  });
});

it('a stream of a media type that is not declared is refused before it begins, and what follows is dropped', async () => {
  const { onResult, next } = createResults();
  const url = await serve(
    (_, response) => {
      response.writeHead(200, { 'content-type': 'text/plain' });
      response.write('one');
      setImmediate(() => response.end('two'));
    },
    { mode: 'refuse', onResult },
  );
  const response = await fetch(`${url}/events`);
  expect([response.status, await response.json()]).toMatchObject([
    500,
    { errors: [{ code: 'MEDIA_TYPE_UNDECLARED' }] },
  ]);
  expect(codes(await next())).toEqual(['MEDIA_TYPE_UNDECLARED']);
});
