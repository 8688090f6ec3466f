import axios from 'axios';
import { createServer, get, type RequestListener } from 'node:http';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { request as playwright } from 'playwright-core';
import supertest from 'supertest';
import { request as undici } from 'undici';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createMock, loadContract as loadMockContract } from '../../src/index.js';
import { assertSatisfies, type CheckResult, contractMatchers, loadContract } from '../../src/check/index.js';
import { serveInTest } from '../serve-in-test.js';
import { inPath, query, shows, takes, toDocument } from '../operation-parts.js';
import { arrayOf, INTEGER, object, TEXT } from '../schema-parts.js';

expect.extend(contractMatchers);

const ROOM = object({ id: INTEGER, name: TEXT }, 'id', 'name');
const DOCUMENT = toDocument(
  {
    '/rooms': {
      get: {
        operationId: 'listRooms',
        parameters: [query('limit', { type: 'integer', minimum: 1 })],
        ...shows(arrayOf(ROOM)),
      },
      post: { operationId: 'createRoom', ...takes(object({ name: TEXT }, 'name'), ROOM, 201) },
    },
    '/rooms/{id}': {
      ...inPath('id'),
      get: {
        operationId: 'getRoom',
        responses: {
          200: {
            description: 'A room.',
            headers: { 'X-Left': { required: true, schema: { type: 'integer' } } },
            content: { 'application/json': { schema: ROOM } },
          },
        },
      },
    },
  },
  undefined,
  { servers: [{ url: 'https://rooms.example/v1' }] },
);
const contract = await loadContract(DOCUMENT);

const URL_OF_ROOM = 'https://rooms.example/v1/rooms/1';
const answer = (body: unknown, init: ResponseInit = {}): Response =>
  Response.json(body, { headers: { 'x-left': '3' }, ...init });
const codes = ({ violations }: CheckResult): readonly string[] => violations.map(({ code }) => code);

describe('contract.check', () => {
  it('finds nothing in an exchange that conforms to the document, and leaves the bodies to their owner', async () => {
    const request = new Request('https://rooms.example/v1/rooms', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"name":"North"}',
    });
    const response = answer({ id: 1, name: 'North' }, { status: 201 });
    expect(await contract.check(request, response)).toEqual({
      operation: 'createRoom',
      violations: [],
      undeclared: [],
    });
    expect(await request.json()).toEqual({ name: 'North' });
    expect(await response.json()).toEqual({ id: 1, name: 'North' });
  });

  it.each<readonly [what: string, response: Response, code: string, message: RegExp]>([
    ['a wrong type', answer({ id: 'x', name: 'n' }), 'TYPE', /"id" must be an integer, got "x"/],
    ['a missing member', answer({ id: 1 }), 'REQUIRED', /"name" is required/],
    ['an undeclared status', answer({}, { status: 418 }), 'STATUS_UNDECLARED', /418 is not declared by getRoom/],
    [
      'another media type',
      new Response('x', { headers: { 'content-type': 'text/plain', 'x-left': '1' } }),
      'MEDIA_TYPE_UNDECLARED',
      /text\/plain/,
    ],
    ['a missing header', Response.json({ id: 1, name: 'n' }), 'HEADER_REQUIRED', /"X-Left" is required/],
    [
      'a wrong header',
      answer({ id: 1, name: 'n' }, { headers: { 'x-left': 'many' } }),
      'HEADER_INVALID',
      /"X-Left" must be an integer, got "many"/,
    ],
    [
      'a body that is not JSON',
      new Response('{"id":', { headers: { 'content-type': 'application/json', 'x-left': '1' } }),
      'BODY_MALFORMED',
      /not application\/json/,
    ],
    [
      'an empty body in place of JSON',
      new Response('', { headers: { 'content-type': 'application/json', 'x-left': '1' } }),
      'BODY_MALFORMED',
      /not application\/json/,
    ],
  ])('finds %s in a response', async (_, response, code, message) => {
    const { operation, violations } = await contract.check({ url: URL_OF_ROOM }, response);
    expect(operation).toBe('getRoom');
    expect(violations).toMatchObject([{ code, by: 'upstream', message: expect.stringMatching(message) as string }]);
  });

  it.each<readonly [what: string, request: object, code: string]>([
    ['a wrong parameter', { url: '/v1/rooms?limit=0' }, 'RANGE'],
    ['a wrong body', { method: 'POST', url: '/v1/rooms', body: { name: 7 } }, 'TYPE'],
    ['another path', { url: '/v1/room' }, 'PATH_UNKNOWN'],
    ['another method', { method: 'DELETE', url: '/v1/rooms' }, 'METHOD_UNKNOWN'],
  ])('finds %s in a request', async (_, request, code) => {
    expect(codes(await contract.checkRequest(request))).toEqual([code]);
  });

  it('lists what is not declared apart from what is wrong', async () => {
    const { violations, undeclared } = await contract.checkRequest({ url: '/v1/rooms?limti=3' });
    expect(violations).toEqual([]);
    expect(undeclared).toMatchObject([
      { code: 'PARAMETER_UNDECLARED', message: expect.stringContaining('did you mean "limit"') as string },
    ]);
  });

  it('names the nearest path, and finds an operation at any host and below the base path', async () => {
    const { violations } = await contract.check({ url: '/v1/roomz' }, { status: 200 });
    expect(violations[0]?.message).toContain('the nearest is /v1/rooms');
    for (const url of ['http://localhost:3000/v1/rooms/1', URL_OF_ROOM, '/rooms/1'])
      expect((await contract.check({ url }, answer({ id: 1, name: 'n' }))).operation).toBe('getRoom');
  });

  it.each<readonly [what: string, request: object, codes: readonly string[]]>([
    ['text without a media type', { body: '{"name":"North"}' }, []],
    [
      'bytes',
      { body: new TextEncoder().encode('{"name":7}'), headers: { 'content-type': 'application/json' } },
      ['TYPE'],
    ],
    ['fields of a form', { body: new URLSearchParams({ name: 'North' }) }, ['CONTENT_TYPE_UNDECLARED']],
    [
      'a form with files',
      { body: new FormData(), headers: { 'Content-Type': 'multipart/form-data' } },
      ['CONTENT_TYPE_UNDECLARED'],
    ],
    ['no body', {}, []],
    ['no body, although one was sent', { headers: { 'Content-Length': ['16'] } }, ['BODY_INCOMPLETE']],
  ])('checks a request with %s', async (_, request, want) => {
    expect(codes(await contract.checkRequest({ method: 'post', url: '/v1/rooms', ...request }))).toEqual(want);
  });

  it.each<readonly [what: string, headers: object]>([
    ['an object', { 'content-type': 'application/json', 'x-left': 'many' }],
    ['an object with other cases, numbers and lists', { 'Content-Type': ['application/json'], 'X-Left': -0.5 }],
    [
      'pairs',
      [
        ['Content-Type', 'application/json'],
        ['X-Left', 'many'],
      ],
    ],
    [
      'names and values',
      [
        { name: 'Content-Type', value: 'application/json' },
        { name: 'X-Left', value: 'many' },
      ],
    ],
    ['Headers', new Headers({ 'Content-Type': 'application/json', 'X-Left': 'many' })],
    [
      'another map',
      new Map([
        ['Content-Type', 'application/json'],
        ['X-Left', 'many'],
      ]),
    ],
  ])('reads headers that are %s', async (_, headers) => {
    const response = { status: 200, headers, body: { id: 'x', name: 'North' } };
    expect(codes(await contract.checkResponse({ url: URL_OF_ROOM }, response))).toEqual(['TYPE', 'HEADER_INVALID']);
  });

  it('checks a response alone with a request that only names the operation', async () => {
    const request = { method: 'POST', url: '/v1/rooms' };
    expect(codes(await contract.checkResponse(request, answer({ id: 1 }, { status: 201 })))).toEqual(['REQUIRED']);
  });

  it.each<readonly [what: string, call: () => Promise<unknown>, message: RegExp]>([
    ['an object without a URL', () => contract.check({ method: 'GET' }, { status: 200 }), /the request has no url/],
    [
      'an object without a status',
      () => contract.check({ url: '/v1/rooms' }, { body: [] }),
      /the response has no status/,
    ],
    [
      'a body that was read',
      async () => {
        const response = answer({});
        await response.text();
        return contract.check({ url: URL_OF_ROOM }, response);
      },
      /the body of the response was read already[\s\S]*response\.clone\(\)/,
    ],
  ])('refuses %s with a hint', async (_, call, message) => {
    await expect(call()).rejects.toThrow(message);
  });

  it('is a method of the contract of mocks too, whose answers keep it', async () => {
    const shared = await loadMockContract(DOCUMENT);
    const mock = await createMock({ spec: shared });
    onTestFinished(mock.close);
    for (const path of ['/v1/rooms', '/v1/rooms?limit=2', '/v1/rooms/1']) {
      const request = new Request(`http://mock${path}`);
      expect(await shared.check(request, await mock.fetch(request.clone()))).toMatchObject({
        violations: [],
        undeclared: [],
      });
    }
  });
});

describe('clients', () => {
  const start = (body: string): Promise<string> => {
    const serve: RequestListener = (request, response) => {
      request.resume();
      response
        .writeHead(request.method === 'POST' ? 201 : 200, { 'content-type': 'application/json', 'x-left': '2' })
        .end(body);
    };
    return serveInTest(createServer(serve));
  };
  const RIGHT = '{"id":1,"name":"North"}';
  const WRONG = '{"id":1}';

  it('supertest: a response knows its request', async () => {
    const send = async (body: string): Promise<object> =>
      supertest(await start(body))
        .post('/v1/rooms')
        .send({ name: 'North' });
    expect(await contract.check(await send(RIGHT))).toEqual({
      operation: 'createRoom',
      violations: [],
      undeclared: [],
    });
    expect(codes(await contract.check(await send(WRONG)))).toEqual(['REQUIRED']);
    const invalid = await supertest(await start(RIGHT))
      .post('/v1/rooms')
      .send({ name: 7 });
    expect(codes(await contract.check(invalid))).toEqual(['TYPE']);
  });

  it('axios: a response knows its request', async () => {
    const send = async (body: string): Promise<object> =>
      axios.create({ baseURL: `${await start(body)}/v1` }).post('/rooms', { name: 'North' });
    expect(await contract.check(await send(RIGHT))).toEqual({
      operation: 'createRoom',
      violations: [],
      undeclared: [],
    });
    expect(codes(await contract.check(await send(WRONG)))).toEqual(['REQUIRED']);
    const listed = await axios.get('/v1/rooms', { baseURL: await start('[]'), params: { limit: 0 } });
    expect(codes(await contract.check(listed))).toEqual(['RANGE']);
  });

  it('Playwright: a response knows its URL', async () => {
    const context = await playwright.newContext({ baseURL: await start(WRONG) });
    onTestFinished(() => context.dispose());
    const response = await context.get('/v1/rooms/1');
    expect(codes(await contract.check(response))).toEqual(['REQUIRED']);
    expect(await response.json()).toEqual({ id: 1 });
    const created = await context.post('/v1/rooms', { data: { name: 'n' } });
    expect(codes(await contract.checkResponse({ method: 'POST' }, created))).toEqual(['REQUIRED']);
  });

  it('undici: a body that was read is given in place of the stream', async () => {
    const asked = { method: 'POST', url: `${await start(WRONG)}/v1/rooms`, body: '{"name":"North"}' } as const;
    const headers = { 'content-type': 'application/json' };
    const response = await undici(asked.url, { ...asked, headers });
    const body = await response.body.json();
    expect(codes(await contract.check({ ...asked, headers }, { ...response, body }))).toEqual(['REQUIRED']);
  });

  it.each<readonly [what: string, send: (url: string) => Promise<{ response: object; body: Readable }>]>([
    ['undici', async (url) => undici(url).then((response) => ({ response, body: response.body }))],
    [
      'axios',
      async (url) =>
        axios.get<Readable>(url, { responseType: 'stream' }).then((response) => ({ response, body: response.data })),
    ],
    [
      'node:http',
      async (url) =>
        new Promise((resolve) => get(url, (response) => resolve({ response, body: response })).on('error', () => {})),
    ],
  ])('%s: a body that is still a stream is refused, and left to its owner', async (_, send) => {
    const url = `${await start(WRONG)}/v1/rooms/1`;
    const { response, body } = await send(url);
    await expect(contract.check({ url }, response)).rejects.toThrow(
      /^OPTION_INVALID .*is a stream.*\n.*body: await response\.body\.json\(\)/,
    );
    expect(await text(body)).toBe(WRONG);
  });

  it('a stream that is not checked is not refused', async () => {
    const file = { statusCode: 200, headers: { 'content-type': 'text/csv' }, body: Readable.from(['a']) };
    expect(codes(await contract.checkResponse({ url: '/v1/rooms' }, file))).toEqual(['MEDIA_TYPE_UNDECLARED']);
    const head = { ...file, headers: { 'content-type': 'application/json' } };
    expect(codes(await contract.check({ method: 'HEAD', url: '/v1/rooms' }, head))).toEqual([]);
  });
});

describe('matchers and assertions', () => {
  const wrong = [new Request(URL_OF_ROOM), answer({ id: 1 })] as const;

  it('fail with every violation', async () => {
    const { pass, message } = await contractMatchers.toSatisfyContract(wrong, contract);
    expect(pass).toBe(false);
    expect(message()).toBe(
      'the exchange breaks the contract of getRoom:\n  REQUIRED  answer property "name" is required',
    );
    await expect(assertSatisfies(wrong, contract)).rejects.toThrow('CONTRACT_BROKEN');
  });

  it('pass for an exchange that conforms to the contract', async () => {
    const right = [{ url: URL_OF_ROOM }, answer({ id: 1, name: 'n' })] as const;
    await assertSatisfies(right, contract);
    const { pass, message } = await contractMatchers.toSatisfyContract(right, contract);
    expect(pass).toBe(true);
    expect(message()).toContain('the exchange conforms to the contract of getRoom, but was not expected to');
  });
});
