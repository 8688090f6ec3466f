import { describe, expect, it, onTestFinished } from 'vitest';
import { createMock, type Interaction, type Mock, type MockOptions, type SessionHandle } from '../../src/index.js';
import { inPath, INTEGER, json, query, toDocument } from '../document-parts.js';
import { messageOf } from '../message-of.js';

const READ = { responses: { 200: json(INTEGER), 404: { description: 'none' } } };
const DOCUMENT = toDocument({
  '/things': {
    get: { operationId: 'listThings', parameters: [query('limit', INTEGER)], ...READ },
    post: {
      operationId: 'createThing',
      requestBody: { content: { 'application/octet-stream': {} } },
      responses: { 204: { description: 'made' } },
    },
  },
  '/things/{id}': { ...inPath('id'), get: { operationId: 'getThing', ...READ } },
});

async function open(journal: MockOptions['journal'] = {}): Promise<Mock> {
  const mock = await createMock({ spec: DOCUMENT, state: false, journal });
  onTestFinished(() => mock.close());
  return mock;
}

type Asked = Pick<Mock, 'fetch'>;
const list = (mock: Asked): Promise<Response> => mock.fetch('/things');
const get = (mock: Asked, id: number | string): Promise<Response> => mock.fetch(`/things/${id}`);

/** Sends so many bytes; the journal counts twice as many. */
const send = (mock: Asked, size: number): Promise<Response> =>
  mock.fetch('/things', {
    method: 'POST',
    headers: { 'content-type': 'application/octet-stream' },
    body: new Uint8Array(size),
  });

const numbers = ({ journal }: Pick<Mock, 'journal'>): readonly number[] =>
  journal.interactions.map(({ number }) => number);

describe('a journal', () => {
  it('keeps what came last, in order, and counts what it dropped', async () => {
    const mock = await open({ limit: 3 });
    for (let i = 0; i < 8; i++) await get(mock, i);
    const { interactions, dropped } = mock.journal;
    expect(interactions.map(({ request }) => request.url)).toEqual(['/things/5', '/things/6', '/things/7']);
    expect([numbers(mock), dropped, mock.journal.last()?.number]).toEqual([[6, 7, 8], 5, 8]);
  });

  it('keeps no more bytes of bodies than it may, but always the newest interaction', async () => {
    const mock = await open({ limitBytes: 200_000 });
    for (const size of [40_000, 40_000, 0, 30_000, 500_000, 1000]) await send(mock, size);
    expect(numbers(mock)).toEqual([6]);
    for (const size of [40_000, 40_000, 5000]) await send(mock, size);
    expect(numbers(mock)).toEqual([6, 7, 8, 9]);
    expect(mock.journal.dropped).toBe(5);
    await send(mock, 500_000);
    expect(numbers(mock)).toEqual([10]);
  });

  it('keeps nothing where its limit is 0, and still wakes who waits', async () => {
    const mock = await open({ limit: 0 });
    const waited = mock.journal.waitFor('listThings');
    await list(mock);
    expect([numbers(mock), (await waited).number, mock.journal.dropped]).toEqual([[], 1, 1]);
  });

  it('finds the calls of one operation by its method and path', async () => {
    const { journal, ...mock } = await open();
    await send(mock, 1);
    expect(journal.calls('POST /things')).toHaveLength(1);
    expect(journal.last('GET /things/{id}')).toBeUndefined();
    expect(() => journal.last('GET /thing')).toThrow('did you mean "GET /things"?');
  });

  it('refuses an operation that is not in the contract, with the nearest name', async () => {
    const { journal } = await open();
    const want = 'OPERATION_UNKNOWN  operation "listThing" is not in the contract\n  hint: did you mean "listThings"?';
    expect(await messageOf(() => journal.calls('listThing'))).toBe(want);
    expect(await messageOf(() => journal.last('listThing'))).toBe(want);
    expect(await messageOf(() => journal.waitFor('listThing'))).toBe(want);
    expect(await messageOf(() => journal.calls('zzz'))).toContain(
      'the operations are listThings, createThing, getThing',
    );
  });
});

describe('waiting', () => {
  it('is over when what is meant comes, after a number and as often as is asked for', async () => {
    const mock = await open();
    const byPredicate = mock.journal.waitFor(({ answer }: Interaction) => answer.status === 404);
    await list(mock);
    await mock.fetch('/thinks');
    expect((await byPredicate).number).toBe(2);
    const counted = mock.journal.waitFor('listThings', { count: 2, after: 1 });
    await list(mock);
    await get(mock, 1);
    await list(mock);
    expect((await counted).number).toBe(5);
  });

  it('fails with a list of what came instead', async () => {
    const mock = await open();
    await mock.fetch('/things?limit=2&api_key=hunter2');
    await mock.fetch('/thinks');
    expect(await messageOf(() => mock.journal.waitFor('createThing', { timeout: 1 }))).toBe(
      [
        'WAIT_TIMEOUT  no call of createThing within 1 ms; other interactions:',
        '    #1 GET /things?limit=2&api_key=[redacted] -> 200 generate (listThings)',
        '    #2 GET /thinks -> 404 refuse (no operation)',
        '  hint: check that the client uses this mock and this session; { timeout } sets a longer time in milliseconds',
      ].join('\n'),
    );
  });

  it('says how many of a count came, and that nothing else did', async () => {
    const mock = await open();
    await list(mock);
    expect(await messageOf(() => mock.journal.waitFor('listThings', { count: 3, timeout: 1 }))).toContain(
      '1 of 3 matching interactions (call of listThings) within 1 ms; there was no other interaction either',
    );
  });

  it('rejects with the error of a predicate, which does not affect the request', async () => {
    const mock = await open();
    const waited = mock.journal.waitFor(() => {
      throw new Error('my predicate');
    });
    const outcome = expect(waited).rejects.toThrow('my predicate');
    expect((await list(mock)).status).toBe(200);
    await outcome;
  });
});

describe('verification', () => {
  it('reports a request that matched no operation for another reason as refused', async () => {
    const mock = await open();
    await mock.fetch('/things', { headers: { 'x-mock-session': 'a b' } });
    expect(await messageOf(() => mock.verify())).toContain('(no operation)\n      refused with 400; session: ');
    mock.journal.clear();
    // A preflight and the like: answered, and nobody's mistake.
    expect((await mock.fetch('/things', { method: 'OPTIONS' })).status).toBe(204);
    mock.verify();
  });

  it.each([
    ['once too few', { createThing: 1 }, 'createThing was called 0 times, not once'],
    ['too many', { listThings: 1 }, 'listThings was called 2 times, not once'],
    ['below a bound', { listThings: { atLeast: 3 } }, 'listThings was called 2 times, not at least 3 times'],
    ['above a bound', { listThings: { atMost: 1 } }, 'listThings was called 2 times, not at most once'],
  ])('counts calls: %s', async (_, calls, want) => {
    const mock = await open();
    await list(mock);
    await list(mock);
    expect(await messageOf(() => mock.verify({ calls }))).toContain(want);
    mock.verify({ calls: { listThings: 2, createThing: 0, getThing: { atMost: 1 } } });
  });

  it('says that a count may be wrong because interactions were dropped', async () => {
    const mock = await open({ limit: 1 });
    await list(mock);
    await list(mock);
    expect(await messageOf(() => mock.verify({ calls: { listThings: 2 } }))).toContain(
      'listThings was called once, not 2 times (1 older interactions were dropped)',
    );
  });
});

it('the journals of all sessions keep no more bytes than they may: those of the sessions that were used least recently go first', async () => {
  const mock = await open({ totalBytes: 200_000 });
  const [one, two, three] = ['one', 'two', 'three'].map((id) => mock.session(id)) as [
    SessionHandle,
    SessionHandle,
    SessionHandle,
  ];
  const sizes = (): readonly number[] => [one, two, three].map(({ journal }) => journal.interactions.length);
  for (const session of [one, one, two, three, one]) await send(session, 18_000);
  expect(sizes()).toEqual([3, 1, 1]);
  await send(one, 30_000);
  expect(sizes()).toEqual([4, 0, 0]);
  expect([one, two, three].map(({ journal }) => journal.dropped)).toEqual([0, 1, 1]);
  await send(three, 500_000);
  expect(sizes()).toEqual([0, 0, 1]);
  three.close();
  await send(two, 88_000);
  await send(one, 8000);
  expect([one, two].map(({ journal }) => journal.interactions.length)).toEqual([1, 1]);
  one.journal.clear();
  await send(two, 8000);
  expect([one, two].map(({ journal }) => journal.interactions.length)).toEqual([0, 2]);
});
