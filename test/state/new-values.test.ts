import { describe, expect, it } from 'vitest';
import { finds, inPath, json, REMOVED, sends, shows, takes, toDocument } from '../operation-parts.js';
import { arrayOf, BOOLEAN, CLOSED, INTEGER, object, ref, TEXT } from '../schema-parts.js';
import { openShop, type Reply } from './shop.js';

const createDocument = (item: object, body: object, made = item): Readonly<Record<string, unknown>> =>
  toDocument({
    '/orders': { get: shows(arrayOf(item)), post: takes(body, made, 201) },
    '/orders/{order_id}': {
      ...inPath('order_id'),
      get: shows(item),
      patch: takes(body, item),
      put: { ...takes(body, item), description: 'Replaces the order.' },
    },
  });

/** Some properties. */
const toNames = (count: number, stem = 'result'): Readonly<Record<string, object>> =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`${stem}${i}`, TEXT]));

/** Where the clock of a mock starts. */
const NOW = '2026-01-01T00:00:00.000Z';

const create = async (item: object, body: object, sent: object = {}): Promise<Reply['body']> => {
  const { send } = await openShop({ ...CLOSED, spec: createDocument(item, body) });
  const { body: created, status } = await send('POST', '/orders', sent);
  expect(status).toBe(201);
  expect((await send('GET', `/orders/${String(created['id'])}`)).body).toEqual(created);
  return created;
};

describe('a created item', () => {
  it('shows the optional properties that only the server can set', async () => {
    const item = object(
      {
        id: TEXT,
        note: TEXT,
        client_secret: TEXT,
        url: { type: 'string', format: 'uri' },
        download_token: { type: ['string', 'null'] },
        account_id: { type: ['string', 'null'], pattern: '^acc_[0-9a-f]{8}$' },
        owner: object({ name: TEXT }, 'name'),
      },
      'id',
    );
    const created = await create(item, object({ note: TEXT }), { note: 'a' });
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
    const settings = object({ url: TEXT, stream_key: TEXT });
    const item = object({ id: TEXT, note: TEXT, url: TEXT, stream_key: TEXT, settings });
    const sent = { note: 'a', settings: { url: 'https://a.example' } };
    const created = await create(item, object({ note: TEXT, settings }), sent);
    expect(created).toEqual({
      id: expect.any(String),
      note: 'a',
      url: expect.any(String),
      stream_key: expect.any(String),
      settings: { url: 'https://a.example' },
    });
  });

  it('has results that the server computes, and no items that are added later', async () => {
    const choice = object({ index: INTEGER, text: TEXT }, 'index', 'text');
    const comment = object({ id: TEXT, text: TEXT }, 'id');
    const list = (items: object): object => arrayOf(items);
    const item = object(
      { id: TEXT, note: TEXT, choices: list(choice), comments: list(comment) },
      'id',
      'choices',
      'comments',
    );
    const created = await create(item, object({ note: TEXT }), { note: 'a' });
    expect(created['choices']).toContainEqual({ index: expect.any(Number), text: expect.any(String) });
    expect(created['comments']).toEqual([]);
  });

  it('has what was sent, beside a reference to another item in the same body', async () => {
    const item = object({ id: TEXT, model: TEXT, owner: TEXT, ...toNames(6) }, 'id', 'model');
    const voice = object({ id: TEXT }, 'id');
    const body = object({ model: TEXT, audio: object({ voice }), ...toNames(6, 'option') });
    expect(await create(item, body, { model: 'm-1', audio: { voice: { id: 'v' } } })).toMatchObject({ model: 'm-1' });
  });

  it('shows a secret that only an action takes', async () => {
    const item = object({ id: TEXT, client_secret: { type: ['string', 'null'] } }, 'id');
    const { paths, ...document } = createDocument(item, object({ note: TEXT }));
    const confirm = { ...inPath('order_id'), post: takes(item, item) };
    const spec = { ...document, paths: { ...(paths as object), '/orders/{order_id}/confirm': confirm } };
    const { send } = await openShop({ ...CLOSED, spec });
    expect((await send('POST', '/orders', {})).body['client_secret']).toEqual(expect.any(String));
  });

  it('has nothing that only an event gives it', async () => {
    const empty = { type: ['string', 'null'], format: 'date-time' };
    const item = object(
      {
        id: TEXT,
        canceled_at: empty,
        ended_at: { type: 'string', format: 'date-time' },
        deleted: BOOLEAN,
        last_error: { oneOf: [object({ code: TEXT }, 'code'), { type: 'null' }] },
        error: TEXT,
        next_step: { type: ['string', 'null'] },
      },
      'id',
      'canceled_at',
    );
    expect(await create(item, object({ note: TEXT }))).toEqual({
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
      labels: arrayOf(TEXT),
      metadata: { type: 'object', additionalProperties: TEXT },
      parent: { type: ['string', 'null'] },
    };
    const role = object({ id: TEXT, name: TEXT }, 'id');
    const item = object({ id: TEXT, ...settable, role }, 'id', 'labels', 'metadata', 'parent');
    expect(await create(item, object(settable))).toEqual({
      id: expect.any(String),
      color: 'red',
      labels: [],
      metadata: {},
      parent: null,
    });
  });

  it('shows a secret that only the answer to its create declares, once', async () => {
    const key = object({ id: TEXT, name: TEXT }, 'id', 'name');
    const made = object({ id: TEXT, name: TEXT, secret: { type: ['string', 'null'] }, next_token: TEXT }, 'id');
    const spec = createDocument(key, object({ name: TEXT }), made);
    const { send } = await openShop({ ...CLOSED, spec });
    const { body: first } = await send('POST', '/orders', { name: 'a' });
    const { body: second } = await send('POST', '/orders', { name: 'a' });
    expect(first).toMatchObject({ name: 'a', secret: expect.stringMatching(/^\w{16,}$/) });
    expect(second['secret']).not.toBe(first['secret']);
    expect((await send('GET', `/orders/${String(first['id'])}`)).body).toEqual({ id: first['id'], name: 'a' });
  });

  it('counts nothing, and its dates follow its creation', async () => {
    const date = { type: 'string', format: 'date-time' };
    const item = object(
      {
        id: TEXT,
        created_at: INTEGER,
        updated_at: date,
        expires_at: date,
        current_period_start: INTEGER,
        current_period_end: INTEGER,
        comment_count: INTEGER,
        usage_bytes: INTEGER,
        file_counts: object({ done: INTEGER, failed: INTEGER }, 'done', 'failed'),
        files: arrayOf(object({ id: TEXT }, 'id')),
        status: { type: 'string', enum: ['STATUS_UNSPECIFIED', 'CLOSED', 'OPEN', 'CANCELLED'] },
        payment_status: { type: 'string', enum: ['canceled', 'paid', 'unpaid', 'open'] },
      },
      'id',
      'created_at',
      'file_counts',
      'payment_status',
    );
    const now = Date.parse(NOW);
    const later: unknown = expect.toSatisfy((value: unknown) => Date.parse(String(value)) > now);
    expect(await create(item, object({ note: TEXT }))).toEqual({
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
    const item = { ...object({ id: TEXT, token: TEXT, note: TEXT }, 'id'), example: { id: 'ord_1', token: 'tok' } };
    const { send } = await openShop({ ...CLOSED, spec: createDocument(item, object({ note: TEXT })) });
    const ids = new Set<unknown>();
    for (let i = 0; i < 5; i++) ids.add((await send('POST', '/orders', {})).body['id']);
    expect(ids.size).toBe(5);
  });

  it('has an id of its own beside the number that its path takes, also where an example shows one', async () => {
    const order = object({ id: { type: 'integer', example: 4 }, iid: INTEGER, note: TEXT });
    const sent = object({ note: TEXT });
    const spec = toDocument({
      '/orders': { get: shows(arrayOf(order)), post: takes(sent, order, 201) },
      '/orders/{order_iid}': { ...inPath('order_iid'), get: shows(order) },
    });
    const { send } = await openShop({ ...CLOSED, spec });
    const made = [await send('POST', '/orders', { note: 'a' }), await send('POST', '/orders', { note: 'b' })];
    expect(new Set(made.map(({ body }) => body['id'])).size).toBe(2);
    for (const { body } of made) expect((await send('GET', `/orders/${String(body['iid'])}`)).body).toEqual(body);
  });

  it('keeps what the server made when it is changed or replaced', async () => {
    const item = object({ id: TEXT, note: TEXT, secret: TEXT, count: INTEGER }, 'id');
    const { send } = await openShop({ ...CLOSED, spec: createDocument(item, object({ note: TEXT })) });
    const { body } = await send('POST', '/orders', { note: 'a' });
    const path = `/orders/${String(body['id'])}`;
    expect((await send('PATCH', path, { note: 'b' })).body).toEqual({ ...body, note: 'b' });
    expect((await send('PUT', path, { note: 'c' })).body).toEqual({ ...body, note: 'c' });
  });

  it('has the properties of a request that spells them differently', async () => {
    const item = object({ id: TEXT, body: TEXT, sent_to: TEXT, user: object({ id: TEXT }, 'id') }, 'id');
    const body = object({ Body: TEXT, SentTo: TEXT, user_id: TEXT });
    const sent = { Body: 'hello', SentTo: '+1', user_id: 'u1' };
    expect(await create(item, body, sent)).toMatchObject({ body: 'hello', sent_to: '+1', user: { id: 'u1' } });
  });
});

describe('a member that a path identifies', () => {
  const member = object({ user: object({ id: TEXT, name: TEXT }, 'id'), role: TEXT }, 'user');
  const spec = toDocument({
    '/teams/{team_id}/members': { ...inPath('team_id'), get: shows(arrayOf(member)) },
    '/teams/{team_id}/members/{user_id}': {
      ...inPath('team_id', 'user_id'),
      get: finds(member),
      put: { ...sends(object({ role: TEXT })), responses: { 200: json(member), 201: json(member) } },
      delete: REMOVED,
    },
  });

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
    const created = await create(object({ id: TEXT, status: { enum: STATUSES, type: 'string', description } }), {});
    expect(created['status']).toBe('requires_source');
  });

  it('begins with the first status of the enum that is not a later one where the description lists only some', async () => {
    const description = 'For example `requires_source`.';
    const created = await create(object({ id: TEXT, status: { enum: STATUSES, type: 'string', description } }), {});
    expect(created['status']).toBe('paid');
  });

  it('has required dates that are not before its creation', async () => {
    const anchor = { type: 'integer', format: 'unix-time' };
    const item = object({ id: TEXT, anchor }, 'id', 'anchor');
    expect((await create(item, object({ anchor })))['anchor']).toBe(Date.parse(NOW) / 1000);
    expect((await create(item, object({ anchor }), { anchor: 5 }))['anchor']).toBe(5);
  });

  it('does not refer to an item of another collection that no request named', async () => {
    const shop = ref('Shop');
    const order = object({ id: TEXT, title: TEXT, shop, size: object({ width: INTEGER }) });
    const document = createDocument(order, object({ title: TEXT }));
    const spec = {
      ...document,
      components: { schemas: { Shop: object({ id: TEXT, name: TEXT }, 'id') } },
      paths: {
        ...(document['paths'] as object),
        '/shops': { post: takes(object({ name: TEXT }), shop, 201) },
        '/shops/{shop_id}': { ...inPath('shop_id'), get: shows(shop) },
      },
    };
    const { send } = await openShop({ ...CLOSED, spec });
    const { body } = await send('POST', '/orders', { title: 'a' });
    expect(body).toEqual({ id: expect.any(String), title: 'a', size: { width: expect.any(Number) } });
  });
});
