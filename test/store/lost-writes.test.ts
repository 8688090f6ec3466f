// @module-tag slow
import { beforeEach, describe, expect, it } from 'vitest';
import { createMock, type Mock, type ScenarioDefinition } from '../../src/index.js';
import { openMock } from '../open-mock.js';
import { LIBRARY } from './library.js';
import { connectInTest, startRedisInTest, untilAnswered } from './redis-in-test.js';
import { REDIS_MISSING, type RedisServer, withSend } from './redis-server.js';

interface Book {
  readonly id: string;
  readonly title: string;
}

/** What a mock shows of one session. */
interface Shown {
  readonly books: readonly Book[];
  /** Numbers and operations of the journal. */
  readonly journal: readonly string[];
}

describe.skipIf(REDIS_MISSING !== undefined)('a store that has lost writes', () => {
  let redis: RedisServer;
  beforeEach(async () => {
    redis = await startRedisInTest();
  });
  const start = (store: string | object = redis.url): Promise<Mock> =>
    openMock({ spec: LIBRARY, fixtures: { books: { items: [] } }, store: { redis: store } });
  const ask = (mock: Mock, path: string, init?: RequestInit): Promise<Response> =>
    untilAnswered(() => mock.fetch(path, init));
  const create = async (mock: Mock, title: string, session = ''): Promise<Book> => {
    const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ title }) };
    const response = await ask(mock, `${session}/books`, init);
    expect(response.status).toBe(201);
    return (await response.json()) as Book;
  };
  const show = async (mock: Mock, session = ''): Promise<Shown> => {
    const { data } = (await (await ask(mock, `${session}/books?limit=1000`)).json()) as { data: readonly Book[] };
    const { interactions } = (await (await ask(mock, `${session}/__mock/journal`)).json()) as {
      interactions: readonly { number: number; operation: string }[];
    };
    return { books: data, journal: interactions.map(({ number, operation }) => `${number} ${operation}`) };
  };
  const showTitles = async (mock: Mock): Promise<readonly string[]> =>
    (await show(mock)).books.map(({ title }) => title);
  /** The same for all mocks, and for one that was never there. */
  const expectAgreement = async (mocks: readonly Mock[]): Promise<Shown> => {
    const fresh = await start();
    const first = await show(fresh);
    for (const mock of mocks) {
      const shown = await show(mock);
      expect(shown.books).toEqual(first.books);
      expect(shown.journal.slice(0, first.journal.length)).toEqual(first.journal);
    }
    return first;
  };

  it('is what its processes return to, also those that knew more', async () => {
    const [one, other] = [await start(), await start()];
    await create(one, 'kept');
    expect(await showTitles(other)).toEqual(['kept']);
    const goBack = redis.keep();
    for (const title of ['lost 1', 'lost 2', 'lost 3']) await create(one, title);
    // This process knows all revisions, the other one not the last.
    await create(other, 'lost 4');
    await goBack();
    expect(await showTitles(one)).toEqual(['kept']);
    await create(one, 'new');
    await create(other, 'newer');
    const { books, journal } = await expectAgreement([one, other]);
    expect(books.map(({ title }) => title)).toEqual(['kept', 'new', 'newer']);
    expect(journal.map((line) => Number(line.split(' ')[0]))).toEqual(journal.map((_, i) => i + 1));
  });

  it('is what its processes return to where others have written as much since', async () => {
    const one = await start();
    await create(one, 'kept');
    const goBack = redis.keep();
    for (const title of ['lost 1', 'lost 2']) await create(one, title);
    await goBack();
    const other = await start();
    // As many changes and interactions as were lost, and then more.
    for (const title of ['new 1', 'new 2']) await create(other, title);
    expect(await showTitles(one)).toEqual(['kept', 'new 1', 'new 2']);
    const goBackAgain = redis.keep();
    await create(one, 'lost 3');
    await goBackAgain();
    for (const title of ['new 3', 'new 4', 'new 5']) await create(other, title);
    await create(one, 'new 6');
    const { books } = await expectAgreement([one, other]);
    expect(books.map(({ title }) => title)).toEqual(['kept', ...[1, 2, 3, 4, 5, 6].map((i) => `new ${i}`)]);
    expect(new Set(books.map(({ id }) => id)).size).toBe(7);
  });

  it('answers a change on a lost state by the state that is left', async () => {
    const one = await start();
    const goBack = redis.keep();
    const { id } = await create(one, 'lost');
    await goBack();
    expect((await ask(one, `/books/${id}`, { method: 'DELETE' })).status).toBe(404);
    await create(one, 'new');
    const { books } = await expectAgreement([one]);
    expect(books.map(({ title }) => title)).toEqual(['new']);
  });

  it('can be empty: everything starts again, and refuses other documents as before', async () => {
    const one = await start();
    await create(one, 'lost');
    const client = await connectInTest(redis);
    await client.flushAll();
    const other = await start();
    await create(other, 'new');
    expect(await showTitles(one)).toEqual(['new']);
    await expectAgreement([one, other]);
    await expect(createMock({ spec: LIBRARY, seed: 99, store: { redis: redis.url } })).rejects.toThrow(
      'STORE_INCOMPATIBLE',
    );
  });

  it('loses sessions and scenarios in all processes', async () => {
    const [one, other] = [await start(), await start()];
    const gone: ScenarioDefinition = { operations: { listBooks: { respond: { status: 410 }, violates: 'test' } } };
    const put = (body: object): RequestInit => ({
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    await create(one, 'kept', '/~kept');
    const goBack = redis.keep();
    await create(one, 'lost', '/~lost');
    await ask(one, '/__mock/scenarios/gone', put(gone));
    await ask(one, '/__mock/scenarios/gone/activate?scope=server', { method: 'POST' });
    await goBack();
    for (const mock of [one, other]) {
      const { sessions } = (await (await ask(mock, '/__mock/sessions')).json()) as {
        sessions: readonly { id: string }[];
      };
      expect(sessions.map(({ id }) => id).toSorted()).toEqual(['default', 'kept']);
      const { scenarios } = (await (await ask(mock, '/__mock/scenarios')).json()) as { scenarios: readonly unknown[] };
      expect(scenarios).toEqual([]);
      // A list that the scenario would refuse.
      expect((await show(mock)).books).toEqual([]);
      expect((await show(mock, '/~kept')).books.map(({ title }) => title)).toEqual(['kept']);
    }
  });

  it('lets a test wait for a request that comes after it has lost others', async () => {
    const [one, other] = [await start(), await start()];
    const goBack = redis.keep();
    await create(one, 'lost');
    await show(other);
    const waiting = other.journal.waitFor('getCounted');
    await goBack();
    await ask(other, '/books');
    await ask(one, '/counted');
    await ask(other, '/books');
    expect((await waiting).operation).toBe('getCounted');
  });

  it('is written once where a client sends a command again', async () => {
    const client = await connectInTest(redis);
    // As one that has lost its connection before the answer came.
    const twice = withSend(client, async (command) => {
      await client.sendCommand([...command]);
      return client.sendCommand([...command]);
    });
    const [one, other] = [await start(twice), await start()];
    const titles = Array.from({ length: 12 }, (_, i) => `book ${i}`);
    const created = await Promise.all(titles.map((title, i) => create(i % 2 === 0 ? one : other, title)));
    expect(new Set(created.map(({ id }) => id)).size).toBe(12);
    const { books, journal } = await expectAgreement([one, other]);
    expect(books.map(({ title }) => title).toSorted()).toEqual(titles.toSorted());
    expect(journal.map((line) => Number(line.split(' ')[0]))).toEqual(journal.map((_, i) => i + 1));
  });
});
