import { describe, expect, it } from 'vitest';
import { CLOSED, inPath, json, sends, TEXT } from '../document-parts.js';
import { openShop, type Reply } from './shop.js';

const toObject = (properties: object, required: readonly string[] = []): object => ({
  type: 'object',
  required,
  properties,
});

const toDocument = (item: object, body: object, made = item): Readonly<Record<string, unknown>> => ({
  openapi: '3.1.0',
  info: { title: 'New values', version: '1' },
  paths: {
    '/orders': {
      get: { responses: { 200: json({ type: 'array', items: item }) } },
      post: { ...sends(body), responses: { 201: json(made) } },
    },
    '/orders/{order_id}': {
      ...inPath('order_id'),
      get: { responses: { 200: json(item) } },
      patch: { ...sends(body), responses: { 200: json(item) } },
      put: { ...sends(body), description: 'Replaces the order.', responses: { 200: json(item) } },
    },
  },
});

/** Some properties. */
const toNames = (count: number, stem = 'result'): Readonly<Record<string, object>> =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`${stem}${i}`, TEXT]));

/** Where the clock of a mock starts. */
const NOW = '2026-01-01T00:00:00.000Z';

const create = async (item: object, body: object, sent: object = {}): Promise<Reply['body']> => {
  const { send } = await openShop({ ...CLOSED, spec: toDocument(item, body) });
  const { body: created, status } = await send('POST', '/orders', sent);
  expect(status).toBe(201);
  expect((await send('GET', `/orders/${String(created['id'])}`)).body).toEqual(created);
  return created;
};

describe('a created item', () => {
  it('shows the optional properties that only the server can set', async () => {
    const item = toObject(
      {
        id: TEXT,
        note: TEXT,
        client_secret: TEXT,
        url: { type: 'string', format: 'uri' },
        download_token: { type: ['string', 'null'] },
        account_id: { type: ['string', 'null'], pattern: '^acc_[0-9a-f]{8}$' },
        owner: toObject({ name: TEXT }, ['name']),
      },
      ['id'],
    );
    const created = await create(item, toObject({ note: TEXT }), { note: 'a' });
    expect(created).toEqual({
      id: expect.any(String),
      note: 'a',
      client_secret: expect.any(String),
      url: expect.stringMatching(/^https?:/),
      download_token: expect.any(String),
      account_id: expect.stringMatching(/^acc_[0-9a-f]{8}$/),
      owner: { name: expect.any(String) },
    });
  });

  it('shows what only the server can set, although a request sends the name inside of another property', async () => {
    const settings = toObject({ url: TEXT, stream_key: TEXT });
    const item = toObject({ id: TEXT, note: TEXT, url: TEXT, stream_key: TEXT, settings });
    const sent = { note: 'a', settings: { url: 'https://a.example' } };
    const created = await create(item, toObject({ note: TEXT, settings }), sent);
    expect(created).toEqual({
      id: expect.any(String),
      note: 'a',
      url: expect.any(String),
      stream_key: expect.any(String),
      settings: { url: 'https://a.example' },
    });
  });

  it('has results that the server computes, and no items that are added later', async () => {
    const choice = toObject({ index: { type: 'integer' }, text: TEXT }, ['index', 'text']);
    const comment = toObject({ id: TEXT, text: TEXT }, ['id']);
    const list = (items: object): object => ({ type: 'array', items });
    const item = toObject({ id: TEXT, note: TEXT, choices: list(choice), comments: list(comment) }, [
      'id',
      'choices',
      'comments',
    ]);
    const created = await create(item, toObject({ note: TEXT }), { note: 'a' });
    expect(created['choices']).toContainEqual({ index: expect.any(Number), text: expect.any(String) });
    expect(created['comments']).toEqual([]);
  });

  it('has what was sent, beside a reference to another item in the same body', async () => {
    const item = toObject({ id: TEXT, model: TEXT, owner: TEXT, ...toNames(6) }, ['id', 'model']);
    const voice = toObject({ id: TEXT }, ['id']);
    const body = toObject({ model: TEXT, audio: toObject({ voice }), ...toNames(6, 'option') });
    expect(await create(item, body, { model: 'm-1', audio: { voice: { id: 'v' } } })).toMatchObject({ model: 'm-1' });
  });

  it('shows a secret that only an action takes', async () => {
    const item = toObject({ id: TEXT, client_secret: { type: ['string', 'null'] } }, ['id']);
    const { paths, ...document } = toDocument(item, toObject({ note: TEXT }));
    const confirm = { ...inPath('order_id'), post: { ...sends(item), responses: { 200: json(item) } } };
    const spec = { ...document, paths: { ...(paths as object), '/orders/{order_id}/confirm': confirm } };
    const { send } = await openShop({ ...CLOSED, spec });
    expect((await send('POST', '/orders', {})).body['client_secret']).toEqual(expect.any(String));
  });

  it('has nothing that only an event gives it', async () => {
    const empty = { type: ['string', 'null'], format: 'date-time' };
    const item = toObject(
      {
        id: TEXT,
        canceled_at: empty,
        ended_at: { type: 'string', format: 'date-time' },
        deleted: { type: 'boolean' },
        last_error: { oneOf: [toObject({ code: TEXT }, ['code']), { type: 'null' }] },
        error: TEXT,
        next_step: { type: ['string', 'null'] },
      },
      ['id', 'canceled_at'],
    );
    expect(await create(item, toObject({ note: TEXT }))).toEqual({
      id: expect.any(String),
      canceled_at: null,
      deleted: false,
      last_error: null,
      next_step: null,
    });
  });

  it('never shows a value for what requests can set and this one did not', async () => {
    const settable = {
      note: TEXT,
      color: { type: 'string', default: 'red' },
      role_id: TEXT,
      labels: { type: 'array', items: TEXT },
      metadata: { type: 'object', additionalProperties: TEXT },
      parent: { type: ['string', 'null'] },
    };
    const role = toObject({ id: TEXT, name: TEXT }, ['id']);
    const item = toObject({ id: TEXT, ...settable, role }, ['id', 'labels', 'metadata', 'parent']);
    expect(await create(item, toObject(settable))).toEqual({
      id: expect.any(String),
      color: 'red',
      labels: [],
      metadata: {},
      parent: null,
    });
  });

  it('shows a secret that only the answer to its create declares, once', async () => {
    const key = toObject({ id: TEXT, name: TEXT }, ['id', 'name']);
    const made = toObject({ id: TEXT, name: TEXT, secret: { type: ['string', 'null'] }, next_token: TEXT }, ['id']);
    const spec = toDocument(key, toObject({ name: TEXT }), made);
    const { send } = await openShop({ ...CLOSED, spec });
    const { body: first } = await send('POST', '/orders', { name: 'a' });
    const { body: second } = await send('POST', '/orders', { name: 'a' });
    expect(first).toMatchObject({ name: 'a', secret: expect.stringMatching(/^\w{16,}$/) });
    expect(second['secret']).not.toBe(first['secret']);
    expect((await send('GET', `/orders/${String(first['id'])}`)).body).toEqual({ id: first['id'], name: 'a' });
  });

  it('counts nothing, and its dates follow its creation', async () => {
    const date = { type: 'string', format: 'date-time' };
    const item = toObject(
      {
        id: TEXT,
        created_at: { type: 'integer' },
        updated_at: date,
        expires_at: date,
        current_period_start: { type: 'integer' },
        current_period_end: { type: 'integer' },
        comment_count: { type: 'integer' },
        usage_bytes: { type: 'integer' },
        file_counts: toObject({ done: { type: 'integer' }, failed: { type: 'integer' } }, ['done', 'failed']),
        files: { type: 'array', items: toObject({ id: TEXT }, ['id']) },
        status: { type: 'string', enum: ['STATUS_UNSPECIFIED', 'CLOSED', 'OPEN', 'CANCELLED'] },
        payment_status: { type: 'string', enum: ['canceled', 'paid', 'unpaid', 'open'] },
      },
      ['id', 'created_at', 'file_counts', 'payment_status'],
    );
    const now = Date.parse(NOW);
    const later: unknown = expect.toSatisfy((value: unknown) => Date.parse(String(value)) > now);
    expect(await create(item, toObject({ note: TEXT }))).toEqual({
      id: expect.any(String),
      created_at: now / 1000,
      updated_at: NOW,
      expires_at: later,
      current_period_start: now / 1000,
      current_period_end: expect.toSatisfy((value: number) => value > now / 1000),
      comment_count: 0,
      usage_bytes: 0,
      file_counts: { done: 0, failed: 0 },
      files: [],
      status: 'OPEN',
      payment_status: 'open',
    });
  });

  it('has a new id and new values, also where an example shows them', async () => {
    const item = { ...toObject({ id: TEXT, token: TEXT, note: TEXT }, ['id']), example: { id: 'ord_1', token: 'tok' } };
    const { send } = await openShop({ ...CLOSED, spec: toDocument(item, toObject({ note: TEXT })) });
    const ids = new Set<unknown>();
    for (let i = 0; i < 5; i++) ids.add((await send('POST', '/orders', {})).body['id']);
    expect(ids.size).toBe(5);
  });

  it('has an id of its own beside the number that its path takes, also where an example shows one', async () => {
    const order = toObject({ id: { type: 'integer', example: 4 }, iid: { type: 'integer' }, note: TEXT });
    const sent = toObject({ note: TEXT });
    const spec = {
      openapi: '3.1.0',
      info: { title: 'New values', version: '1' },
      paths: {
        '/orders': {
          get: { responses: { 200: json({ type: 'array', items: order }) } },
          post: { ...sends(sent), responses: { 201: json(order) } },
        },
        '/orders/{order_iid}': { ...inPath('order_iid'), get: { responses: { 200: json(order) } } },
      },
    };
    const { send } = await openShop({ ...CLOSED, spec });
    const made = [await send('POST', '/orders', { note: 'a' }), await send('POST', '/orders', { note: 'b' })];
    expect(new Set(made.map(({ body }) => body['id'])).size).toBe(2);
    for (const { body } of made) expect((await send('GET', `/orders/${String(body['iid'])}`)).body).toEqual(body);
  });

  it('keeps what the server made when it is changed or replaced', async () => {
    const item = toObject({ id: TEXT, note: TEXT, secret: TEXT, count: { type: 'integer' } }, ['id']);
    const { send } = await openShop({ ...CLOSED, spec: toDocument(item, toObject({ note: TEXT })) });
    const { body } = await send('POST', '/orders', { note: 'a' });
    const path = `/orders/${String(body['id'])}`;
    expect((await send('PATCH', path, { note: 'b' })).body).toEqual({ ...body, note: 'b' });
    expect((await send('PUT', path, { note: 'c' })).body).toEqual({ ...body, note: 'c' });
  });

  it('has the properties of a request that spells them differently', async () => {
    const item = toObject({ id: TEXT, body: TEXT, sent_to: TEXT, user: toObject({ id: TEXT }, ['id']) }, ['id']);
    const body = toObject({ Body: TEXT, SentTo: TEXT, user_id: TEXT });
    const sent = { Body: 'hello', SentTo: '+1', user_id: 'u1' };
    expect(await create(item, body, sent)).toMatchObject({ body: 'hello', sent_to: '+1', user: { id: 'u1' } });
  });
});

describe('a member that a path identifies', () => {
  const member = toObject({ user: toObject({ id: TEXT, name: TEXT }, ['id']), role: TEXT }, ['user']);
  const spec = {
    openapi: '3.1.0',
    info: { title: 'Members', version: '1' },
    paths: {
      '/teams/{team_id}/members': {
        ...inPath('team_id'),
        get: { responses: { 200: json({ type: 'array', items: member }) } },
      },
      '/teams/{team_id}/members/{user_id}': {
        ...inPath('team_id', 'user_id'),
        get: { responses: { 200: json(member), 404: { description: 'none' } } },
        put: { ...sends(toObject({ role: TEXT })), responses: { 200: json(member), 201: json(member) } },
        delete: { responses: { 204: { description: 'gone' } } },
      },
    },
  };

  it('shows the id of the path inside of the object that it names', async () => {
    const { send } = await openShop({ spec, state: { unknownIds: 'not-found' } });
    const { body } = await send('PUT', '/teams/t1/members/u7', { role: 'admin' });
    expect(body).toMatchObject({ user: { id: 'u7' }, role: 'admin' });
    expect((await send('GET', '/teams/t1/members/u7')).body).toEqual(body);
    expect((await send('GET', '/teams/t1/members')).body).toEqual([body]);
  });
});

describe('a created item beside what a request sends', () => {
  const STATUSES = ['canceled', 'paid', 'processing', 'requires_source'];

  it('begins with the first status in the order in which the description lists all of them', async () => {
    const description = 'One of `requires_source`, `processing`, `paid` or `canceled`.';
    const created = await create(toObject({ id: TEXT, status: { enum: STATUSES, type: 'string', description } }), {});
    expect(created['status']).toBe('requires_source');
  });

  it('begins with the first status of the enum that is not a later one where the description lists only some', async () => {
    const description = 'For example `requires_source`.';
    const created = await create(toObject({ id: TEXT, status: { enum: STATUSES, type: 'string', description } }), {});
    expect(created['status']).toBe('paid');
  });

  it('has required dates that are not before its creation', async () => {
    const anchor = { type: 'integer', format: 'unix-time' };
    const item = toObject({ id: TEXT, anchor }, ['id', 'anchor']);
    expect((await create(item, toObject({ anchor })))['anchor']).toBe(Date.parse(NOW) / 1000);
    expect((await create(item, toObject({ anchor }), { anchor: 5 }))['anchor']).toBe(5);
  });

  it('does not refer to an item of another collection that no request named', async () => {
    const shop = { $ref: '#/components/schemas/Shop' };
    const order = toObject({ id: TEXT, title: TEXT, shop, size: toObject({ width: { type: 'integer' } }) });
    const document = toDocument(order, toObject({ title: TEXT }));
    const spec = {
      ...document,
      components: { schemas: { Shop: toObject({ id: TEXT, name: TEXT }, ['id']) } },
      paths: {
        ...(document['paths'] as object),
        '/shops': { post: { ...sends(toObject({ name: TEXT })), responses: { 201: json(shop) } } },
        '/shops/{shop_id}': { ...inPath('shop_id'), get: { responses: { 200: json(shop) } } },
      },
    };
    const { send } = await openShop({ ...CLOSED, spec });
    const { body } = await send('POST', '/orders', { title: 'a' });
    expect(body).toEqual({ id: expect.any(String), title: 'a', size: { width: expect.any(Number) } });
  });
});
