// Requests that few clients send, as WebDAV, registries and pages of servers need them: over sockets, recorded and replayed.
import { createServer, type IncomingMessage } from 'node:http';
import { describe, expect, it } from 'vitest';
import { checkCassette } from '../../src/features/recording/drift/check.js';
import { loadParts } from './contract.js';
import { openRecorder, record, replay } from './recorded.js';
import { serveInTest } from '../serve-in-test.js';
import { sendRequest } from '../send-request.js';
import { query, toDocument } from '../document-parts.js';

const ANYTHING = { default: { description: 'Anything.' } };
const SPEC = toDocument(
  {
    '/a': { get: { operationId: 'read', security: [{ basic: [] }, {}], responses: ANYTHING } },
    '/search': {
      get: { operationId: 'search', parameters: [{ ...query('q'), required: true }], responses: ANYTHING },
    },
  },
  undefined,
  { components: { securitySchemes: { basic: { type: 'http', scheme: 'basic' } } } },
);

interface Sent {
  readonly method?: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

type AnswerRequest = (request: IncomingMessage) => {
  readonly status?: number;
  readonly headers?: Record<string, string>;
};

/** A server that answers with the request line, and what `answer` adds to it. */
async function startServer(answer: AnswerRequest = () => ({})): Promise<string> {
  const server = createServer((request, response) => {
    const { status = 200, headers = {} } = answer(request);
    response.writeHead(status, { 'content-type': 'text/plain', ...headers });
    response.end(status === 304 ? undefined : `${request.method} ${request.url} ${status}`);
  });
  return serveInTest(server);
}

async function send(url: string, { path, ...request }: Sent): Promise<string> {
  const { status, body } = await sendRequest(url + path, request);
  return `${status} ${body.toString()}`;
}

/** Records requests and replays them, if given in another order. */
async function recordAndReplay(upstream: string, requests: readonly Sent[], replayed = requests) {
  const recorded = new Map<Sent, string>();
  const cassette = await record(
    upstream,
    async (recorder) => {
      const own = (await recorder.listen()).url;
      for (const each of requests) recorded.set(each, await send(own, each));
    },
    { spec: SPEC },
  );
  const mock = await replay(cassette.folder, SPEC);
  const { url } = await mock.listen();
  const answers: string[] = [];
  for (const each of replayed) answers.push(await send(url, each));
  return { recorded: replayed.map((each) => recorded.get(each)), answers, cassette };
}

describe('an unusual request', () => {
  it.each<readonly [string, Sent]>([
    ['OPTIONS', { method: 'OPTIONS', path: '/files' }],
    ['TRACE', { method: 'TRACE', path: '/files' }],
    ['a method of WebDAV', { method: 'PROPFIND', path: '/files' }],
    ['a path with two slashes at its beginning', { path: '//files' }],
    ['a percent sign without an escape', { path: '/files?q=%zz&r=100%' }],
    ['an equals sign in a value', { path: '/files?next=/a?b=c' }],
  ])('is forwarded and replayed as it was: %s', async (_name, request) => {
    const other = { path: '/other' };
    const { recorded, answers } = await recordAndReplay(await startServer(), [request, other]);
    expect(recorded).toEqual([`200 ${request.method ?? 'GET'} ${request.path} 200`, '200 GET /other 200']);
    expect(answers).toEqual(recorded);
  });

  it('reaches the upstream with its own URL in place of that of the mock', async () => {
    const seen: IncomingMessage['headers'][] = [];
    const upstream = await startServer(({ headers }) => {
      seen.push(headers);
      return {};
    });
    const mock = await openRecorder(upstream, {}, SPEC);
    const { url } = await mock.listen();
    const headers = {
      destination: `${url}/b`,
      origin: url,
      if: `<${url}/a> (["x"])`,
      'x-page': 'http://other.example/',
    };
    await send(url, { method: 'MOVE', path: '/a', headers });
    const want = { destination: `${upstream}/b`, origin: upstream, if: `<${upstream}/a> (["x"])` };
    expect(seen).toMatchObject([{ ...want, 'x-page': 'http://other.example/' }]);
    expect(mock.cassette('keys').exchanges[0]?.request.headers).toMatchObject(want);
  });
});

describe('requests that differ in a field that selects the answer', () => {
  const conditional = { path: '/a', headers: { 'if-none-match': '"1"' } };
  const plain = { path: '/a' };

  it.each<readonly [string, AnswerRequest, readonly Sent[]]>([
    [
      'a precondition',
      ({ headers }) => ({ status: headers['if-none-match'] === undefined ? 200 : 304 }),
      [plain, conditional],
    ],
    [
      'the depth of WebDAV',
      ({ headers }) => ({ status: headers['depth'] === '1' ? 207 : 200 }),
      ['0', '1'].map((depth) => ({ method: 'PROPFIND', path: '/a', headers: { depth } })),
    ],
    [
      'a field that responses name in Vary',
      ({ headers }) => ({ status: headers['x-version'] === '2' ? 202 : 200, headers: { vary: 'Accept, X-Version' } }),
      ['1', '2'].map((version) => ({ path: '/a', headers: { 'x-version': version } })),
    ],
    [
      'a slash at the end of the path',
      ({ url }) => ({ status: url === '/a' ? 301 : 200, headers: { location: '/a/' } }),
      [plain, { path: '/a/' }],
    ],
  ])('get their own answers in any order: %s', async (_name, answer, requests) => {
    const order = [...requests.toReversed(), ...requests.toReversed()];
    const { recorded, answers } = await recordAndReplay(await startServer(answer), requests, order);
    expect(new Set(recorded).size).toBe(2);
    expect(answers).toEqual(recorded);
  });

  it('are a sequence for a request with another value', async () => {
    let count = 0;
    const upstream = await startServer(() => ({ status: 200 + count++ }));
    const unknown = { path: '/a', headers: { 'if-none-match': '"9"' } };
    const { answers } = await recordAndReplay(upstream, [plain, conditional], [unknown, unknown]);
    expect(answers).toEqual(['200 GET /a 200', '201 GET /a 201']);
  });
});

const toForm = (q: string): Sent => ({
  method: 'POST',
  path: '/search',
  headers: { 'content-type': 'application/x-www-form-urlencoded' },
  body: `q=${q}`,
});

it('a form that is sent to an operation of GET is replayed by its fields, and valid', async () => {
  const requests = [toForm('a'), toForm('b')];
  const upstream = await startServer(({ headers }) => ({
    headers: { 'x-length': String(headers['content-length']) },
  }));
  const { recorded, answers, cassette } = await recordAndReplay(upstream, requests, requests.toReversed());
  expect(answers).toEqual(recorded);
  expect(await checkCassette(cassette, await loadParts(SPEC))).toEqual([]);
});

it('a recorded Basic credential is still the base64 of a user and a password, so that the exchange is valid', async () => {
  const upstream = await startServer();
  const authorization = `Basic ${Buffer.from('alice:Tr0ub4dor-9xQz').toString('base64')}`;
  const cassette = await record(upstream, (mock) => mock.fetch('/a', { headers: { authorization } }), { spec: SPEC });
  const [, credential = ''] = String(cassette.exchanges[0]?.request.headers['authorization']).split(' ');
  expect(Buffer.from(credential, 'base64').toString()).toMatch(/^REDACTED\d+:REDACTED\d+$/);
  expect(await checkCassette(cassette, await loadParts(SPEC))).toEqual([]);
});
