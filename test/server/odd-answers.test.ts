// @module-tag slow
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import {
  createMock,
  type Handler,
  type Mock,
  type MockOptions,
  type ScenarioDefinitions,
  type ScenarioOptions,
} from '../../src/index.js';
import { describeBoth, type Reach, type Start } from '../describe-both.js';
import { content, json, object, query, REMOVED, TEXT, toDocument } from '../document-parts.js';
import { createFolder } from '../folders.js';

// Whatever an answer contains, writing it cannot fail; what cannot be written is a 500 in the contract's own form.

const ERROR = json(object({ message: TEXT }, 'message'));
const header = (example: unknown): object => ({ schema: {}, example });
const withHeaders = (shown: object): object => ({ 200: { ...json({}), headers: shown } });

const createSpec = (responses: object, operation: object = {}): Record<string, unknown> =>
  toDocument(
    {
      '/things': {
        get: { operationId: 'listThings', ...operation, responses: { ...responses, 500: ERROR, '4XX': ERROR } },
      },
      '/fine': { get: REMOVED },
    },
    undefined,
    { info: { title: 'Odd', version: '1' } },
  );

const EMPTY = { description: '' };
const SPEC = createSpec({
  200: { description: '', content: { ...content({}), ...content(TEXT, 'text/plain') } },
  204: EMPTY,
  205: EMPTY,
  304: EMPTY,
});

async function open(
  start: Start,
  options: Partial<MockOptions>,
): Promise<Reach & { ask(path: string, init?: RequestInit): Promise<Response> }> {
  const reach = await start({ spec: SPEC, fixtures: {}, ...options });
  return { ...reach, ask: (path, init) => reach.fetch(reach.rootUrl + path, init) };
}

/** The answer is a 500 of the contract that is in the journal with its reason, and the next request is answered. */
async function expectDeclaredFailure(response: Response, mock: Mock, reason: RegExp | string): Promise<void> {
  const body: unknown = await response.json();
  expect([response.status, body]).toEqual([500, { message: expect.stringMatching(reason) as string }]);
  const last = mock.journal.last();
  expect(last?.answer.status).toBe(500);
  expect(last?.violations).toMatchObject([{ severity: 'error', message: expect.stringMatching(reason) as string }]);
  expect(mock.journal.filter(() => true)).toHaveLength(1);
  expect((await mock.fetch('/fine')).status).toBe(204);
}

const circular: Record<string, unknown> = {};
circular['self'] = circular;
const answer = (more: object): object => ({
  status: 200,
  headers: {},
  body: {},
  mediaType: 'application/json',
  from: 'handler',
  violations: [],
  ...more,
});
const headers = (given: object): object => answer({ headers: given });
const throwing =
  (thrown: unknown): Handler =>
  () => {
    throw thrown;
  };

/** Results of handlers that cannot be sent, and what the 500 says. */
const FAILING: readonly (readonly [name: string, handler: Handler, reason: RegExp])[] = [
  ['a header name with a space', () => headers({ 'x a': '1' }), /^the mock failed while answering listThings: .*"x a"/],
  ['a header name with a colon', () => headers({ 'x-a:': '1' }), /"x-a:"/],
  ['an empty header name', () => headers({ '': '1' }), /name ""/],
  ['a header name that is not ASCII', () => headers({ 'x-ä': '1' }), /"x-ä"/],
  ['a header name with a line break', () => headers({ 'x-a\r\nx-b': '1' }), /x-a\\r\\nx-b/],
  ['a header name in an array', () => headers({ 'x a': ['1', '2'] }), /"x a"/],
  ['a header of a plain response', () => ({ status: 200, headers: { 'x a': '1' }, body: {} }), /"x a"/],
  ['a header that is an object', () => headers({ 'x-a': { b: 1 } }), /"x-a".*object/],
  ['a header that is a symbol', () => headers({ 'x-a': Symbol('b') }), /"x-a".*symbol/],
  ['a header of 100,000 characters', () => headers({ 'x-a': 'a'.repeat(100_000) }), /"x-a".*100000/],
  ['the status 0', () => answer({ status: 0 }), /status 0/],
  ['the status 99', () => answer({ status: 99 }), /status 99/],
  ['an interim status', () => answer({ status: 103 }), /status 103/],
  ['the status 1000', () => answer({ status: 1000 }), /status 1000/],
  ['a status that is not an integer', () => answer({ status: 200.5 }), /status 200.5/],
  ['a status that is not a number', () => answer({ status: Number.NaN }), /status NaN/],
  ['a response of an error', () => Response.error(), /status 0/],
  [
    'a response whose body was read',
    async () => {
      const response = new Response('{}');
      await response.text();
      return response;
    },
    /failed/,
  ],
  [
    'a response whose JSON is not valid',
    () => new Response('{', { headers: { 'content-type': 'application/json' } }),
    /^the handler of listThings failed/,
  ],
  ['a media type with a line break', () => answer({ mediaType: 'text/plain\r\nx-b: 1', body: 'a' }), /media type/],
  ['a circular body', () => answer({ body: circular }), /circular|too deep/i],
  ['a circular value', () => circular, /not JSON/],
  [
    'a function',
    () => () => 1,
    /^the handler of listThings returned a function that is not JSON: return a JSON value, a Response, or json\(…\)/,
  ],
  ['a function as body', () => answer({ body: () => 1 }), /JSON/],
  ['a symbol', () => Symbol('a') as unknown as string, /not JSON/],
  ['a big integer', () => 1n as unknown as string, /not JSON/],
  [
    'a value whose members throw',
    () => ({
      get status(): number {
        throw new Error('no status');
      },
    }),
    /no status/,
  ],
  [
    'a stream that cannot be iterated',
    () =>
      answer({
        mediaType: 'text/plain',
        body: {
          [Symbol.asyncIterator]: () => {
            throw new Error('no items');
          },
        },
      }),
    /no items/,
  ],
  ['an error', throwing(new Error('broken')), /broken/],
  ['a string that is thrown', throwing('thrown'), /thrown/],
  ['null that is thrown', throwing(null), /null/],
  ['undefined that is thrown', throwing(undefined), /undefined/],
  ['an object without a prototype that is thrown', throwing(Object.create(null)), /without text/],
  ['a promise that rejects', () => Promise.reject(new Error('rejected')), /rejected/],
  ['an error whose stack is not text', throwing(Object.assign(new Error('odd'), { stack: 7 })), /odd/],
];

/** Results of handlers that are sent, with what arrives. */
const SENT: readonly (readonly [
  name: string,
  handler: Handler,
  want: (response: Response) => Promise<unknown>,
  wanted: unknown,
])[] = [
  [
    'a header value with a line break',
    () => headers({ 'x-a': 'a\r\nx-b: 1' }),
    async (r) => [r.headers.get('x-a'), r.headers.get('x-b')],
    ['a%0D%0Ax-b: 1', null],
  ],
  [
    'a header value that is not Latin-1',
    () => headers({ 'x-a': 'Ω\ud800' }),
    async (r) => r.headers.get('x-a'),
    '%CE%A9%EF%BF%BD',
  ],
  ['a header value that is Latin-1', () => headers({ 'x-a': 'é' }), async (r) => r.headers.get('x-a'), 'é'],
  [
    'a header with several values',
    () => headers({ 'x-a': ['1', 'Ω'] }),
    async (r) => r.headers.get('x-a'),
    '1, %CE%A9',
  ],
  [
    'a header that is a number',
    () => headers({ 'x-a': 7, 'x-b': true, 'x-c': null, 'x-d': [1, false] }),
    async (r) => ['a', 'b', 'c', 'd'].map((n) => r.headers.get(`x-${n}`)),
    ['7', 'true', null, '1, false'],
  ],
  [
    'no value of a header',
    () => headers({ 'x-a': undefined, 'x-b': [] }),
    async (r) => [r.headers.get('x-a'), r.headers.get('x-b')],
    [null, null],
  ],
  ['a wrong length', () => headers({ 'content-length': '1000' }), async (r) => r.json(), {}],
  ['a wrong length in capitals', () => headers({ 'Content-Length': '1' }), async (r) => r.json(), {}],
  ['a transfer encoding', () => headers({ 'transfer-encoding': 'gzip, chunked' }), async (r) => r.json(), {}],
  ['trailers', () => headers({ trailer: 'x-a' }), async (r) => [r.headers.get('trailer'), await r.json()], [null, {}]],
  [
    'trailers of a stream',
    () =>
      answer({
        headers: { trailer: 'x\r\na' },
        mediaType: 'text/plain',
        body: (async function* () {
          yield 'a';
        })(),
      }),
    async (r) => r.text(),
    'a',
  ],
  ['a body with 204', () => answer({ status: 204 }), async (r) => [r.status, await r.text()], [204, '']],
  [
    'a body with 304',
    () => answer({ status: 304, headers: { 'content-length': '9' } }),
    async (r) => [r.status, await r.text()],
    [304, ''],
  ],
  ['a body with 205', () => answer({ status: 205 }), async (r) => [r.status, await r.text()], [205, '']],
  ['lone surrogates', () => answer({ mediaType: 'text/plain', body: '\ud800a' }), async (r) => r.text(), '\ufffda'],
  [
    'a source that is not ASCII',
    () => answer({ from: 'handler:Ω\r\n' }),
    async (r) => r.headers.get('x-mock-source'),
    'handler:%CE%A9%0D%0A',
  ],
  [
    'a reason with a line break',
    () => answer({ reason: 'a\r\nx-b: 1' }),
    async (r) => [r.status, r.headers.get('x-b')],
    [200, null],
  ],
];

describeBoth('a handler that returns', (start) => {
  it.each(FAILING)('%s gets a declared 500', async (_, handler, reason) => {
    const { ask, mock } = await open(start, { handlers: { listThings: handler } });
    await expectDeclaredFailure(await ask('/things'), mock, reason);
  });

  it.each(SENT)('%s is sent', async (_, handler, read, want) => {
    const { ask, mock } = await open(start, { handlers: { listThings: handler } });
    const response = await ask('/things');
    expect(await read(response)).toEqual(want);
    expect((await mock.fetch('/fine')).status).toBe(204);
  });

  it('nothing in time gets a declared 500', async () => {
    const never = new Promise<undefined>(() => undefined);
    const { ask, mock } = await open(start, {
      handlers: { listThings: () => never },
      responses: { handlerTimeoutMs: 20 },
    });
    await expectDeclaredFailure(await ask('/things'), mock, /within 20 ms.*responses\.handlerTimeoutMs/);
  });

  it('a stream that throws ends without its end, and the trace says why', async () => {
    const stream = async function* (): AsyncGenerator<string> {
      yield 'first';
      await Promise.resolve();
      throw new Error('no second');
    };
    const handlers = { listThings: () => ({ status: 200, body: stream(), mediaType: 'text/plain' }) };
    const spec = createSpec({ 200: { description: '', content: content(TEXT, 'text/plain') } });
    const { ask, mock } = await open(start, { spec, handlers });
    await expect(ask('/things').then((response) => response.text())).rejects.toThrow();
    expect(mock.journal.last()?.trace).toContain('handler: its stream failed: no second');
    expect((await mock.fetch('/fine')).status).toBe(204);
  });
});

describeBoth('what a document declares', (start) => {
  const names = {
    'X Rate Limit': header(1),
    'X-A:': header(1),
    '': header(1),
    'x-ä': header(1),
    'x-a\r\nx-b': header(1),
    'x-fine': header(1),
  };
  it.each([
    ['header names that are not valid', withHeaders(names)],
    [
      'header values that are not valid',
      withHeaders({
        'x-a': header('a\r\nb: c'),
        'x-b': header('Ω'),
        'x-c': header(['é', 'Ω']),
        'x-d': header({ 'k\n': '\0' }),
        'x-e': header(null),
      }),
    ],
    [
      'headers of the message',
      withHeaders({
        'Content-Length': header(1),
        'Transfer-Encoding': header('chunked'),
        Trailer: header('x'),
        Connection: header('close'),
        Upgrade: header('h2c'),
      }),
    ],
    ['content of 204', { 204: json(TEXT) }],
    ['content of 304', { 304: json(TEXT) }],
    ['a status below 200', { 103: json({}) }],
    ['a status above 599', { 700: json({}) }],
    ['a status that is not a number', { abc: json({}) }],
    ['a range of interim statuses', { '1XX': json({}) }],
    ['a media type that is not valid', { 200: { description: '', content: content(TEXT, 'a\r\nb: c') } }],
    ['a media type that is not ASCII', { 200: { description: '', content: content(TEXT, 'text/Ω') } }],
  ])('is answered: %s', async (_, responses) => {
    const { ask, mock } = await open(start, { spec: createSpec(responses) });
    const response = await ask('/things');
    expect(response.status).toBeGreaterThanOrEqual(200);
    await response.text();
    expect((await mock.fetch('/fine')).status).toBe(204);
  });

  it('is answered with a header value of 100,000 characters as a declared 500', async () => {
    const { ask, mock } = await open(start, {
      spec: createSpec(withHeaders({ 'x-a': header('a'.repeat(100_000)) })),
    });
    await expectDeclaredFailure(await ask('/things'), mock, /"x-a".*100000/);
  });
});

describeBoth('a request that prefers', (start) => {
  const responses = { 200: json({}), 404: ERROR };
  const PREFERENCES =
    'code= code=1 code=99 code=100 code=199 code=600 code=999 code=1000 code=-200 code=2e2 code=200.0 code=NaN code=0x1F4 code=٢٠٠ ' +
    'code="200 example=%0d%0a example=Ω example=__proto__ example=constructor seed=1e99 seed=NaN seed=-9007199254740993 dynamic=maybe code=204 code=304 code=205 ,,,;;;=== " code';
  it.each([...PREFERENCES.split(' '), 'code=\\', `example=${'a'.repeat(5000)}`, 'code=500, code=200'])(
    '%s is answered',
    async (preference) => {
      const { ask, mock } = await open(start, { spec: createSpec(responses) });
      const latin = encodeURIComponent(preference).slice(0, 6000);
      const [name = '', value = ''] = preference.split('=');
      for (const response of [
        // oxlint-disable-next-line no-control-regex -- fetch sends no other characters
        ...(/[^\x00-\xff]/.test(preference) ? [] : [await ask('/things', { headers: { prefer: preference } })]),
        await ask('/things', { headers: { prefer: latin } }),
        await ask(`/things?__${name}=${encodeURIComponent(value)}`),
        await ask(`/things?__${name}=%`),
      ]) {
        expect(response.status).toBeGreaterThanOrEqual(200);
        // A status that is applied has been read from the preference.
        if (response.status >= 500) expect(preference).toContain('500');
        await response.text();
      }
      expect((await mock.fetch('/fine')).status).toBe(204);
    },
  );
});

describeBoth('a scenario that answers', (start) => {
  it.each([
    ['a header with a value of the request', { headers: { 'x-a': '$request.query.q' } }, 200],
    ['a body with 204', { status: 204 }, 204],
    ['nothing of a header that the request lacks', { headers: { 'x-a': '$request.query.none' } }, 200],
    ['a text with a value of the request', { mediaType: 'text/plain', body: '{$request.query.q}' }, 200],
    [
      'a stream with a value of the request',
      { mediaType: 'text/event-stream', events: [{ id: '{$request.query.q}', data: '$request.query.q' }] },
      200,
    ],
  ])('%s is sent', async (_, respond, status) => {
    const any = { ...content({}), ...content(TEXT, 'text/plain'), ...content(TEXT, 'text/event-stream') };
    const responses = { 200: { description: '', content: any }, 204: EMPTY };
    const spec = createSpec(responses, { parameters: [query('q'), query('none')] });
    // The rows are JSON as a file has it.
    const scenarios = {
      from: { odd: { operations: { listThings: { respond } } } },
      active: ['odd'],
    } as ScenarioOptions;
    const { ask } = await open(start, { spec, scenarios });
    const response = await ask(`/things?q=${encodeURIComponent('Ω\r\nx-b: 1\0')}`);
    expect([response.status, response.headers.get('x-b')]).toEqual([status, null]);
    await response.text();
  });

  it.each([
    ['a status below 200', { status: 103 }],
    ['a status above 599', { status: 1000 }],
    ['a header name that is not valid', { headers: { 'x a': '1' } }],
    ['a header value with a line break', { headers: { 'x-a': 'a\r\nb' } }],
    ['a header of the message', { headers: { 'content-length': '1' } }],
  ])('%s is refused when it is loaded', async (_, respond) => {
    const scenarios = { odd: { operations: { listThings: { respond } } } } as ScenarioDefinitions;
    await expect(open(start, { scenarios })).rejects.toMatchObject({ code: 'SCENARIO_INVALID' });
  });
});

describeBoth('a recording with', (start) => {
  const record = (response: object): string => {
    const folder = createFolder();
    mkdirSync(join(folder, 'odd'));
    const manifest = {
      version: 1,
      contract: { title: 'Odd', version: '1', hash: '0' },
      upstream: 'http://a.test',
      recordedAt: '2026-01-01T00:00:00.000Z',
      match: { ignoreBody: [], ignoreQuery: [], headers: [], ignoreHeaders: [] },
      redacted: {},
    };
    writeFileSync(join(folder, 'odd', 'cassette.json'), JSON.stringify(manifest));
    const request = { method: 'GET', path: '/things', pathParams: {}, query: {}, headers: {} };
    const exchange = { operation: 'listThings', recordedAt: manifest.recordedAt, elapsedMs: 1, request, response };
    writeFileSync(join(folder, 'odd', '0001-listThings.200.json'), JSON.stringify(exchange));
    return folder;
  };
  it.each([
    [
      'header names that are not valid',
      { status: 200, headers: { 'x a': '1', 'content-type': 'application/json' }, body: {} },
    ],
    [
      'header values that are not valid',
      {
        status: 200,
        headers: { 'x-a': 'a\r\nb: c', 'x-b': ['Ω', '\0'], 'content-type': 'application/json' },
        body: {},
      },
    ],
    ['a header of 100,000 characters', { status: 200, headers: { 'x-a': 'a'.repeat(100_000) }, body: {} }],
    [
      'a wrong length',
      { status: 200, headers: { 'content-length': '1000', 'transfer-encoding': 'chunked', trailer: 'x-a' }, body: {} },
    ],
    ['the status 100', { status: 100, headers: {}, body: {} }],
    ['the status 1000', { status: 1000, headers: {}, body: {} }],
    ['a status that is not a number', { status: 'OK', headers: {}, body: {} }],
    ['a body of 204', { status: 204, headers: { 'content-type': 'application/json' }, body: { a: 1 } }],
    ['a reason with a line break', { status: 200, reason: 'a\r\nb: c', headers: {}, body: {} }],
    ['a media type with a line break', { status: 200, headers: { 'content-type': 'text/plain\r\nb: c' }, body: 'a' }],
    ['trailers that are not valid', { status: 200, headers: {}, trailers: ['x a'], body: {} }],
  ])('%s is answered or refused when it is loaded', async (_, response) => {
    const recordings = { folder: record(response), cassette: 'odd', mode: 'replay' } as const;
    const opened = await open(start, { recordings }).catch((error: unknown) => error);
    if (opened instanceof Error) {
      expect(opened).toMatchObject({ code: 'RECORDING_INVALID' });
      return;
    }
    // It was not refused, so that it is open.
    const { ask, mock } = opened as Awaited<ReturnType<typeof open>>;
    const answered = await ask('/things');
    expect(answered.status).toBeGreaterThanOrEqual(200);
    expect(answered.headers.get('b')).toBeNull();
    await answered.text();
    expect((await mock.fetch('/fine')).status).toBeGreaterThanOrEqual(200);
  });
});

it.each<readonly [string, Partial<MockOptions>, string]>([
  [
    'onInteraction',
    { onInteraction: throwing(new Error('log is full')) as () => void },
    '"onInteraction" threw: log is full',
  ],
  ['middleware', { middleware: [throwing(new Error('no')) as () => never] }, 'no'],
])('code around the answers that throws in %s gets a 500', async (_, options, message) => {
  await using mock = await createMock({ spec: SPEC, ...options });
  const { url } = await mock.listen();
  for (const response of [await mock.fetch('/things'), await fetch(`${url}/things`)]) {
    expect([response.status, await response.json()]).toEqual([
      500,
      { message: expect.stringContaining(message) as string },
    ]);
  }
  expect(mock.journal.filter(() => true)).toHaveLength(2);
});
