// What counts by default when a call is compared with a recording, beside the rules of match.test.ts.
import { describe, expect, it } from 'vitest';
import { loadContract, type Mock } from '../../src/index.js';
import type { RecordingOptions } from '../../src/features/recording/recordings.js';
import { loadCases } from '../load-cases.js';
import { type Asked, replayOf as replayOfDocument } from './recorded.js';
import type { Intercept } from './upstream.js';

const contract = await loadContract(loadCases<Record<string, unknown>>('recording/variables.yaml'));

const ONE = '2b1f0a6e-0d7c-4f0e-9a55-5d2f0c1e7a01';
const TWO = '7c9e6679-7425-40de-944b-e07fc1f90ae7';
const OTHER = 'f47ac10b-58cc-4372-a567-0e02b2c3d479';

const echo: Intercept = ({ method, url, headers, body }, response) => {
  const { accept = '' } = headers;
  const isCsv = accept.includes('text/csv');
  response.writeHead(200, { 'content-type': isCsv ? 'text/csv' : 'application/json', 'x-echo': url });
  response.end(isCsv ? 'a,b\n' : JSON.stringify({ method, url, sent: body.toString(), range: headers.range ?? null }));
  return true;
};

const replayOf = (calls: readonly Asked[], more: Partial<RecordingOptions> = {}): Promise<Mock> =>
  replayOfDocument(contract, calls, { intercept: echo, ...more });

const send = (method: string, value: unknown): RequestInit => ({
  method,
  body: JSON.stringify(value),
  headers: { 'content-type': 'application/json' },
});

async function sourceOf(mock: Mock, [path, init]: Asked): Promise<string> {
  const response = await mock.fetch(path, init);
  await response.text();
  return response.headers.get('x-mock-source') ?? '';
}

/** A call of `listEvents` with these header fields. */
const events = (headers: Readonly<Record<string, string>> = {}): Asked => ['/events', { headers }];

describe('what counts by default', () => {
  it.each<readonly [string, Asked, Asked, boolean]>([
    ['another credential', events({ authorization: 'Bearer one' }), events({ authorization: 'Bearer two' }), true],
    ['a missing credential', events({ authorization: 'Bearer one' }), events(), false],
    ['a credential that was not recorded', events(), events({ 'x-api-key': 'k' }), false],
    ['a missing cookie of the contract', events({ cookie: 'sid=1; a=2' }), events({ cookie: 'a=2' }), false],
    ['another cookie', events({ cookie: 'sid=1; a=2' }), events({ cookie: 'sid=9' }), true],
    ['another range', events({ range: 'bytes=0-9' }), events({ range: 'bytes=10-19' }), false],
    ['the same range', events({ range: 'bytes=0-9' }), events({ range: 'bytes=0-9' }), true],
    ['no range', events({ range: 'bytes=0-9' }), events(), false],
    ['any media type', events({ accept: 'application/json' }), events(), true],
    [
      'the same media type in other words',
      events({ accept: 'application/json' }),
      events({ accept: 'text/html;q=0.5, application/*' }),
      true,
    ],
    ['another media type', events({ accept: 'application/json' }), events({ accept: 'text/csv' }), false],
    ['a media type that the API ignores', events({ accept: 'image/png' }), events({ accept: 'image/png' }), true],
  ])('%s', async (_name, recorded, received, isMatch) => {
    const mock = await replayOf([recorded]);
    expect((await sourceOf(mock, received)).startsWith('replay:0001')).toBe(isMatch);
  });

  it('answers each client with the media type that it asks for', async () => {
    const mock = await replayOf([events({ accept: 'application/json' }), events({ accept: 'text/csv' })]);
    const ask = (accept: string): Promise<string> => sourceOf(mock, events({ accept }));
    expect(await ask('text/csv, */*;q=0.1')).toMatch(/^replay:0002/);
    expect(await ask('*/*')).toMatch(/^replay:0001/);
    expect(await ask('application/json')).toMatch(/^replay:0001/);
    const refused = await mock.fetch(...events({ accept: 'image/png' }));
    expect(await refused.text()).toContain('header /accept: recorded \\"application/json\\", received \\"image/png\\"');
  });

  it('does not count with ignoreHeaders', async () => {
    const mock = await replayOf([events({ authorization: 'Bearer one', range: 'bytes=0-9', accept: 'text/csv' })], {
      match: { ignoreHeaders: ['Authorization', 'Range', 'Accept'] },
    });
    expect(await sourceOf(mock, events({ accept: 'application/json' }))).toMatch(/^replay:0001/);
  });
});

describe('values that differ in each run', () => {
  it('match by the format of their schema, and the answer repeats those of the client', async () => {
    const mock = await replayOf([
      ['/events', send('POST', { at: '2026-01-01T00:00:00Z', name: 'a' })],
      ['/events?since=2026-01-01T00:00:00Z'],
    ]);
    const response = await mock.fetch('/events', send('POST', { at: '2026-11-22T10:11:12.345Z', name: 'a' }));
    expect(await response.json()).toMatchObject({ sent: '{"at":"2026-11-22T10:11:12.345Z","name":"a"}' });
    expect(await sourceOf(mock, ['/events', send('POST', { at: '2026-11-22T10:11:12.345Z', name: 'b' })])).toBe(
      'replay:miss',
    );
    expect(await sourceOf(mock, ['/events?since=2026-11-22T10:11:12Z'])).toMatch(/^replay:0002/);
    expect(await sourceOf(mock, ['/events?since=yesterday'])).toBe('replay:miss');
  });

  it('match by value first', async () => {
    const mock = await replayOf([['/events?since=2026-01-01T00:00:00Z'], ['/events?since=2026-02-01T00:00:00Z']]);
    expect(await sourceOf(mock, ['/events?since=2026-02-01T00:00:00Z'])).toMatch(/^replay:0002/);
    expect(await sourceOf(mock, ['/events?since=2026-01-01T00:00:00Z'])).toMatch(/^replay:0001/);
  });

  it('match without a format if they differ between recorded exchanges', async () => {
    const once = await replayOf([[`/events?trace=${ONE}`]]);
    expect(await sourceOf(once, [`/events?trace=${OTHER}`])).toBe('replay:miss');
    const twice = await replayOf([[`/events?trace=${ONE}`], [`/events?trace=${TWO}`]]);
    expect(await sourceOf(twice, [`/events?trace=${OTHER}`])).toMatch(/^replay:0001/);
    const ids = await replayOf([
      ['/events', send('POST', { ref: 'req_01HZX3J9K2M4' })],
      ['/events', send('POST', { ref: 'req_01HZX3J9K2M5' })],
    ]);
    expect(await sourceOf(ids, ['/events', send('POST', { ref: 'req_01J0AAAAAAAA' })])).toMatch(/^replay:0001/);
    expect(await sourceOf(ids, ['/events', send('POST', { ref: 'another' })])).toBe('replay:miss');
  });

  it('match in a request that reads, where a later one writes under the id', async () => {
    const mock = await replayOf([[`/items/${ONE}`], [`/items/${ONE}`, send('PUT', { id: ONE })], [`/items/${TWO}`]]);
    expect(await sourceOf(mock, [`/items/${OTHER}`])).toMatch(/^replay:0001/);
    expect(await sourceOf(mock, [`/items/${OTHER}`, send('PUT', { id: OTHER })])).toMatch(/^replay:0002/);
    const fresh = await replayOf([[`/items/${ONE}`], [`/items/${TWO}`]]);
    expect(await sourceOf(fresh, [`/items/${OTHER}`])).toBe('replay:miss');
  });

  it('replace the recorded ones in later requests and answers', async () => {
    const mock = await replayOf([[`/items/${ONE}`, send('PUT', { id: ONE })], [`/items/${ONE}`], [`/items/${TWO}`]]);
    // The client makes the id of an item that it puts.
    const put = await mock.fetch(`/items/${OTHER}`, send('PUT', { id: OTHER }));
    expect(put.headers.get('x-echo')).toBe(`/items/${OTHER}`);
    expect(await put.json()).toMatchObject({ url: `/items/${OTHER}`, sent: `{"id":"${OTHER}"}` });
    const read = await mock.fetch(`/items/${OTHER}`);
    expect(read.headers.get('x-mock-source')).toMatch(/^replay:0002/);
    expect(await read.json()).toMatchObject({ url: `/items/${OTHER}` });
    expect(await sourceOf(mock, [`/items/${TWO}`])).toMatch(/^replay:0003/);
    // A reading request does not make an id.
    const fresh = mock.session('another');
    expect((await fresh.fetch(`/items/${OTHER}`)).status).toBe(501);
    const copy = mock.snapshot();
    mock.reset();
    expect((await mock.fetch(`/items/${OTHER}`)).status).toBe(501);
    mock.restore(copy);
    expect((await mock.fetch(`/items/${OTHER}`)).status).toBe(200);
  });
});

it('a function of the user decides about requests that differ otherwise', async () => {
  const mock = await replayOf([['/events?trace=a-1'], ['/events?trace=b-1']], {
    matcher: ({ query }, { request }) => String(query['trace'])[0] === String(request.query['trace'])[0],
  });
  expect(await sourceOf(mock, ['/events?trace=b-2'])).toMatch(/^replay:0002/);
  expect(await sourceOf(mock, ['/events?trace=a-1'])).toMatch(/^replay:0001/);
  expect(await sourceOf(mock, ['/events?trace=c-1'])).toBe('replay:miss');
});
