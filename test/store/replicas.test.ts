// @module-tag slow
import { Redis } from 'ioredis';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { Mock, MockOptions, Handlers, ScenarioDefinition } from '../../src/index.js';
import { openMock } from '../open-mock.js';
import { LIBRARY } from './library.js';
import { connectInTest } from './redis-in-test.js';
import { REDIS_MISSING, type RedisServer, startRedis, withSend } from './redis-server.js';

describe.skipIf(REDIS_MISSING !== undefined)('several mocks with one store', () => {
  let redis: RedisServer;
  let prefixes = 0;
  beforeAll(async () => {
    redis = await startRedis();
    return () => redis.close();
  });
  const replica = (prefix: string, options: Partial<MockOptions> = {}): Promise<Mock> =>
    openMock({ spec: LIBRARY, fixtures: { books: { items: [] } }, store: { redis: redis.url, prefix }, ...options });
  const replicas = async (count: number, options?: Partial<MockOptions>): Promise<readonly Mock[]> => {
    prefixes += 1;
    const prefix = `replicas-${prefixes}`;
    return Promise.all(Array.from({ length: count }, () => replica(prefix, options)));
  };
  const ask = async (mock: Mock, request: string, body?: unknown, headers: Record<string, string> = {}) => {
    const [method = '', path = ''] = request.split(' ');
    const response = await mock.fetch(path, {
      method,
      headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: text === '' ? undefined : JSON.parse(text) };
  };
  const create = async (mock: Mock, title: string): Promise<string> =>
    String((await ask(mock, 'POST /books', { title })).body.id);
  const each = <Result>(count: number, mocks: readonly Mock[], work: (mock: Mock, i: number) => Promise<Result>) =>
    Promise.all(Array.from({ length: count }, (_, i) => work(mocks[i % mocks.length] as Mock, i)));

  it('answers what another one has created, changed and removed', async () => {
    const [one, other] = (await replicas(2)) as [Mock, Mock];
    const id = await create(one, 'Emma');
    expect((await ask(other, `GET /books/${id}`)).body).toEqual({ id, title: 'Emma' });
    await ask(other, `PUT /books/${id}`, { title: 'Emma, 2nd' });
    expect((await ask(one, `GET /books/${id}`)).body.title).toBe('Emma, 2nd');
    expect((await ask(one, `DELETE /books/${id}`)).status).toBe(204);
    expect((await ask(other, `GET /books/${id}`)).status).toBe(404);
  });

  it('reads a session that another one has opened, from its first request', async () => {
    const [one, other] = (await replicas(2)) as [Mock, Mock];
    const headers = { 'x-mock-session': 'checkout' };
    await ask(one, 'POST /books', { title: 'Emma' }, headers);
    expect((await ask(other, 'GET /books', undefined, headers)).body.data).toHaveLength(1);
    await ask(other, 'POST /__mock/sessions', { id: 'named', tokens: ['key-1'] });
    await ask(other, 'POST /books', { title: 'Persuasion' }, { 'x-mock-session': 'named' });
    expect((await ask(one, 'GET /books', undefined, { authorization: 'Bearer key-1' })).body.data).toHaveLength(1);
  });

  it('gives each create an id of its own, and loses none', async () => {
    const mocks = await replicas(3);
    const ids = await each(90, mocks, (mock, i) => create(mock, `book ${i}`));
    expect(new Set(ids).size).toBe(90);
    for (const mock of mocks) {
      const { body } = await ask(mock, 'GET /books?limit=100');
      expect(body.data.map((book: { id: string }) => book.id).toSorted()).toEqual([...ids].toSorted());
    }
  });

  it('applies a rule with `times` that often in all of them together', async () => {
    const scenario: ScenarioDefinition = {
      operations: { listBooks: { times: 7, respond: { status: 503 }, violates: 'test' } },
    };
    const mocks = await replicas(3, { scenarios: { from: { flaky: scenario }, active: 'flaky' } });
    const statuses = await each(60, mocks, async (mock) => (await ask(mock, 'GET /books')).status);
    expect(statuses.filter((status) => status === 503)).toHaveLength(7);
  });

  it('counts a rate limit in all of them together', async () => {
    const scenario: ScenarioDefinition = {
      operations: { '*': { fault: { 'rate-limit': { limit: 10, window: '1h' } } } },
    };
    const mocks = await replicas(2, { scenarios: { from: { limited: scenario }, active: 'limited' } });
    const statuses = await each(30, mocks, async (mock) => (await ask(mock, 'GET /books')).status);
    expect(statuses.filter((status) => status === 429)).toHaveLength(20);
  });

  it('creates one item for one idempotency key', async () => {
    const mocks = await replicas(3);
    const answers = await each(30, mocks, (mock) =>
      ask(mock, 'POST /books', { title: 'x' }, { 'idempotency-key': 'k' }),
    );
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
    expect((await ask(mocks[0] as Mock, 'GET /books')).body.data).toHaveLength(1);
  });

  it('lets one of several changes with the same If-Match through', async () => {
    const mocks = await replicas(3);
    const id = await create(mocks[0] as Mock, 'Emma');
    const etag = (await ask(mocks[0] as Mock, `GET /books/${id}`)).headers.get('etag') ?? '';
    const answers = await each(12, mocks, (mock, i) =>
      ask(mock, `PUT /books/${id}`, { title: `${i}` }, { 'if-match': etag }),
    );
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
      200,
      ...Array.from({ length: 11 }, () => 412),
    ]);
  });

  it('walks pages over all of them while others create', async () => {
    const mocks = await replicas(2);
    const before = await each(25, mocks, (mock, i) => create(mock, `book ${i}`));
    const seen: string[] = [];
    let after: string | undefined;
    for (let page = 0; page < 30; page++) {
      const query = after === undefined ? '' : `&after=${after}`;
      const { body } = await ask(mocks[page % 2] as Mock, `GET /books?limit=3${query}`);
      await create(mocks[(page + 1) % 2] as Mock, 'later');
      seen.push(...body.data.map((book: { id: string }) => book.id));
      after = seen.at(-1);
      if (before.every((id) => seen.includes(id)) || body.has_more !== true) break;
    }
    expect(new Set(seen).size).toBe(seen.length);
    expect(before.filter((id) => !seen.includes(id))).toEqual([]);
  });

  it('sees each verb of the control API once it is answered', async () => {
    const [one, other] = (await replicas(2)) as [Mock, Mock];
    const gone = { operations: { listBooks: { respond: { status: 410 }, violates: 'test' } } };
    const steps: readonly (readonly [verb: string, body: unknown, check: () => Promise<unknown>, want: unknown])[] = [
      [
        'PUT /__mock/scenarios/gone',
        gone,
        () => ask(other, 'GET /__mock/scenarios').then(({ body }) => body.scenarios.length),
        1,
      ],
      [
        'POST /__mock/scenarios/gone/activate',
        undefined,
        () => ask(other, 'GET /books').then(({ status }) => status),
        410,
      ],
      [
        'POST /__mock/scenarios/gone/deactivate',
        undefined,
        () => ask(other, 'GET /books').then(({ status }) => status),
        200,
      ],
      [
        'POST /__mock/scenarios/gone/activate?scope=server',
        undefined,
        () => ask(other, 'GET /~s1/books').then(({ status }) => status),
        410,
      ],
      [
        'DELETE /__mock/scenarios/gone',
        undefined,
        () => ask(other, 'GET /~s1/books').then(({ status }) => status),
        200,
      ],
      [
        'POST /__mock/state/books',
        { id: 'b1', title: 'x' },
        () => ask(other, 'GET /books/b1').then(({ status }) => status),
        200,
      ],
      [
        'PUT /__mock/state/books',
        [{ id: 'b2', title: 'y' }],
        () => ask(other, 'GET /books').then(({ body }) => body.data.map((book: { id: string }) => book.id)),
        ['b2'],
      ],
      [
        'PUT /__mock/clock',
        { now: '2030-01-01T00:00:00Z' },
        async () => {
          await ask(other, 'GET /books');
          return new Date(other.clock.now()).getUTCFullYear();
        },
        2030,
      ],
      [
        'POST /__mock/sessions',
        { id: 's2', tokens: ['key-of-s2'] },
        () => ask(other, 'GET /__mock/sessions/s2').then(({ status }) => status),
        200,
      ],
      [
        'DELETE /__mock/sessions/s2',
        undefined,
        () => ask(other, 'GET /__mock/sessions/s2').then(({ status }) => status),
        404,
      ],
      [
        'POST /__mock/sessions/default/snapshots',
        { name: 'a' },
        () => ask(other, 'GET /__mock/sessions/default').then(({ body }) => body.snapshots),
        ['a'],
      ],
      ['POST /__mock/reset', undefined, () => ask(other, 'GET /books').then(({ body }) => body.data), []],
      [
        'POST /__mock/sessions/default/restore',
        { snapshot: 'a' },
        () => ask(other, 'GET /books').then(({ body }) => body.data.length),
        1,
      ],
      [
        'DELETE /__mock/journal',
        undefined,
        () => ask(other, 'GET /__mock/journal').then(({ body }) => body.interactions),
        [],
      ],
    ];
    for (const [verb, body, check, want] of steps) {
      const { status } = await ask(one, verb, body);
      expect([verb, status < 300, await check()]).toEqual([verb, true, want]);
    }
  });

  it('has one journal, in which a test can wait for the request of another process', async () => {
    const [one, other] = (await replicas(2)) as [Mock, Mock];
    const waiting = other.journal.waitFor('createBook');
    await create(one, 'Emma');
    expect((await waiting).request.body).toEqual({ title: 'Emma' });
    await ask(other, 'GET /books');
    const { body } = await ask(one, 'GET /__mock/journal');
    const shown = body.interactions.map(({ number, operation }: { number: number; operation: string }) => [
      number,
      operation,
    ]);
    expect(shown).toEqual([
      [1, 'createBook'],
      [2, 'listBooks'],
    ]);
    one.verify({ calls: { createBook: 1, listBooks: 1 } });
  });

  it('calls a handler once for each request, whatever others change meanwhile', async () => {
    let calls = 0;
    const handlers: Handlers = {
      createBook: async ({ next }) => {
        calls += 1;
        await new Promise((resolve) => setImmediate(resolve));
        return next();
      },
    };
    const mocks = await replicas(2, { handlers });
    const ids = await each(40, mocks, (mock, i) => create(mock, `book ${i}`));
    expect([calls, new Set(ids).size]).toEqual([40, 40]);
    expect((await ask(mocks[0] as Mock, 'GET /books?limit=100')).body.data).toHaveLength(40);
  });

  it('publishes what a test changes in-process before the next request is answered', async () => {
    const [one, other] = (await replicas(2)) as [Mock, Mock];
    one.state.collection('books').add({ id: 'b1', title: 'Emma' });
    one
      .session('s1', { tokens: ['key-of-s1'] })
      .state.collection('books')
      .add({ id: 'b2', title: 'Persuasion' });
    await ask(one, 'GET /books');
    await ask(one, 'GET /~s1/books');
    expect((await ask(other, 'GET /books/b1')).status).toBe(200);
    expect((await ask(other, 'GET /books/b2', undefined, { authorization: 'Bearer key-of-s1' })).status).toBe(200);
  });

  it('has the bytes of files and the secrets of items', async () => {
    prefixes += 1;
    const options = { spec: 'spec/openapi.yaml', fixtures: 'fixtures' };
    const prefix = `files-${prefixes}`;
    const one = await replica(prefix, options);
    const other = await replica(prefix, { ...options, auth: { tokens: ['start'], acceptIssued: true } });
    const bytes = Buffer.from([0, 255, 254, 10, 0]);
    one.state
      .collection('files')
      .add({ id: 'file-x', filename: 'x.bin', $content: { base64: bytes.toString('base64') } });
    const created = await ask(
      one,
      'POST /v1/organization/admin_api_keys',
      { name: 'x' },
      { authorization: 'Bearer start' },
    );
    // A secret that only the answer to the create of another process has shown.
    const response = await other.fetch('/v1/files/file-x/content', {
      headers: { authorization: `Bearer ${created.body.value}`, accept: 'application/octet-stream' },
    });
    expect([response.status, Buffer.from(await response.arrayBuffer())]).toEqual([200, bytes]);
  });

  it('keeps everything over a restart, also where the log was shortened', async () => {
    const prefix = 'restart';
    const before = await replica(prefix);
    const ids: string[] = [];
    // Each is a change of its own; so many are kept at most.
    for (let i = 0; i < 1010; i++) ids.push(await create(before, `book ${i}`));
    await ask(before, `DELETE /books/${ids[3]}`);
    await before.close();
    const after = await replica(prefix);
    expect(after.state.collection('books').items.map(({ id }) => id)).toEqual(ids.filter((_, i) => i !== 3));
    expect((await ask(after, `GET /books/${ids[3]}`)).status).toBe(404);
    expect(ids).not.toContain(await create(after, 'another'));
    expect(after.journal.last()?.number).toBe(1013);
    expect(after.journal.interactions).toHaveLength(1000);
  });

  it('takes three scripts for the requests that come together, as for a single one', async () => {
    const client = await connectInTest(redis);
    const scripts: string[] = [];
    const counting = withSend(client, (command) => {
      scripts.push(command[0] ?? '');
      return client.sendCommand([...command]);
    });
    const mock = await replica('scripts', { store: { redis: counting, prefix: 'scripts' } });
    await create(mock, 'Emma');
    for (const [count, path] of [
      [1, 'GET /books'],
      [20, 'GET /books'],
      [1, 'POST /books'],
      [20, 'POST /books'],
    ] as const) {
      scripts.length = 0;
      const body = path.startsWith('POST') ? { title: 'Persuasion' } : undefined;
      await each(count, [mock], () => ask(mock, path, body));
      expect(scripts).toEqual(['EVALSHA', 'EVALSHA', 'EVALSHA']);
    }
  });

  it('accepts clients of both packages', async () => {
    const own = await connectInTest(redis);
    const io = new Redis(redis.url);
    onTestFinished(() => io.disconnect());
    const one = await replica('clients', { store: { redis: own, prefix: 'clients' } });
    const other = await replica('clients', { store: { redis: io, prefix: 'clients' } });
    const waiting = other.journal.waitFor('createBook');
    const id = await create(one, 'Emma');
    expect((await waiting).answer.status).toBe(201);
    expect((await ask(other, `GET /books/${id}`)).status).toBe(200);
    await one.close();
    await other.close();
    expect(await own.ping()).toBe('PONG');
    expect(await io.ping()).toBe('PONG');
  });
});
