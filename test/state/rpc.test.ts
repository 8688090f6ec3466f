import { describe, expect, it } from 'vitest';
import { loadContract } from '../../src/contract/load/load.js';
import { inferResources } from '../../src/resources/infer/infer.js';
import { openMock } from '../open-mock.js';
import { content, inPath, json, query, toDocument } from '../operation-parts.js';
import { arrayOf, BOOLEAN, INTEGER, object, type Part, ref, TEXT } from '../schema-parts.js';
import { send } from '../send.js';

/** A client of a document in RPC style: `call('POST /rooms.create', body)` and `call('GET /rooms.info?room=R1')`. */
async function start(spec: Readonly<Record<string, unknown>>, unknownIds: 'create' | 'not-found' = 'not-found') {
  const mock = await openMock({ spec, state: { unknownIds, initialItems: 0 } });
  return async (...request: readonly [place: string, body?: unknown, headers?: Readonly<Record<string, string>>]) => {
    const { status, body } = await send(mock, ...request);
    return { status, body };
  };
}

/** A method with a JSON or form body, or a query, and an answer. */
function method(answer: Part, input: Part | readonly string[] = [], more: object = {}): object {
  const shared = { responses: { 200: json(answer), ...more } };
  if (!('type' in input)) {
    const parameters = [...(input as readonly string[])].map((name) => ({ ...query(name), required: true }));
    return { get: { ...shared, parameters } };
  }
  const both = { ...content(input), ...content(input, 'application/x-www-form-urlencoded') };
  return { post: { ...shared, requestBody: { required: true, content: both } } };
}

/** An answer that is a success or a failure with the same status. */
function either(properties: Readonly<Record<string, Part>>): Part {
  const error = { type: 'string', enum: ['not_authed', 'room_not_found', 'note_not_found'] };
  return {
    oneOf: [
      object({ ok: { type: 'boolean', enum: [true] }, ...properties }, 'ok', ...Object.keys(properties)),
      object({ ok: { type: 'boolean', enum: [false] }, error }, 'ok', 'error'),
    ],
  };
}

const CHAT = toDocument(
  {
    '/rooms.create': method(either({ room: ref('Room') }), object({ name: TEXT, purpose: TEXT }, 'name')),
    '/rooms.info': method(either({ room: ref('Room') }), ['room']),
    '/rooms.list': method(either({ rooms: arrayOf(ref('Room')) })),
    '/rooms.rename': method(either({ room: ref('Room') }), object({ room: TEXT, name: TEXT }, 'room', 'name')),
    '/rooms.archive': method(either({}), object({ room: TEXT }, 'room')),
    '/rooms.unarchive': method(either({}), object({ room: TEXT }, 'room')),
    '/rooms.notes': method(either({ notes: arrayOf(ref('Note')) }), ['room']),
    '/notes.add': method(either({ room: TEXT, note: ref('Note') }), object({ room: TEXT, text: TEXT }, 'room', 'text')),
    '/notes.get': method(either({ room: TEXT, note: ref('Note') }), ['room', 'ts']),
    '/notes.delete': method(either({}), object({ room: TEXT, ts: TEXT }, 'room', 'ts')),
  },
  {
    Room: object(
      { id: TEXT, name: TEXT, is_archived: BOOLEAN, purpose: object({ value: TEXT, creator: TEXT }) },
      'id',
      'name',
    ),
    Note: object({ ts: { type: 'string', pattern: '^\\d{10}\\.\\d{6}$' }, text: TEXT }, 'ts', 'text'),
  },
  { openapi: '3.0.3' },
);

describe('methods with ids in the query and in forms', () => {
  it('create, read, list, change and archive one item', async () => {
    const call = await start(CHAT);
    const { body } = await call('POST /rooms.create', new URLSearchParams({ name: 'lobby', purpose: 'waiting' }));
    expect(body).toMatchObject({ ok: true, room: { name: 'lobby', purpose: { value: 'waiting' } } });
    const { id } = body['room'] as { id: string }; // asserted above
    expect((await call(`GET /rooms.info?room=${id}`)).body).toMatchObject({ ok: true, room: { id, name: 'lobby' } });
    expect((await call('GET /rooms.list')).body).toMatchObject({ ok: true, rooms: [{ id }] });
    await call('POST /rooms.rename', new URLSearchParams({ room: id, name: 'hall' }));
    expect((await call('POST /rooms.archive', { room: id })).body).toEqual({ ok: true });
    expect((await call(`GET /rooms.info?room=${id}`)).body).toMatchObject({
      room: { name: 'hall', is_archived: true },
    });
    await call('POST /rooms.unarchive', { room: id });
    expect((await call(`GET /rooms.info?room=${id}`)).body).toMatchObject({ room: { is_archived: false } });
  });

  it('report an unknown id with a success status where the contract does', async () => {
    const call = await start(CHAT);
    const unknown = { status: 200, body: { ok: false, error: 'room_not_found' } };
    expect(await call('GET /rooms.info?room=R0')).toEqual(unknown);
    expect(await call('POST /rooms.archive', { room: 'R0' })).toEqual(unknown);
    expect(await call('POST /notes.add', { room: 'R0', text: 'lost' })).toEqual(unknown);
  });

  it('find items by the id of their parent and their own', async () => {
    const call = await start(CHAT);
    const rooms = await Promise.all(['a', 'b'].map((name) => call('POST /rooms.create', { name })));
    const [first, second] = rooms.map(({ body }) => (body['room'] as { id: string }).id); // every create shows its room
    const { body } = await call('POST /notes.add', { room: first, text: 'hello' });
    const { ts } = body['note'] as { ts: string }; // a successful create shows it
    expect((await call(`GET /notes.get?room=${first}&ts=${ts}`)).body).toMatchObject({ note: { ts, text: 'hello' } });
    expect((await call(`GET /notes.get?room=${second}&ts=${ts}`)).body).toEqual({ ok: false, error: 'note_not_found' });
    expect((await call(`GET /rooms.notes?room=${first}`)).body).toMatchObject({ notes: [{ ts }] });
    expect((await call(`GET /rooms.notes?room=${second}`)).body).toMatchObject({ notes: [] });
    await call('POST /notes.delete', { room: first, ts });
    expect((await call(`GET /notes.get?room=${first}&ts=${ts}`)).body).toMatchObject({ ok: false });
  });
});

const PAGE = object({ count: INTEGER, offset: INTEGER });
const REQUEST = { request_id: TEXT };
const BAD = {
  400: json(object({ error_code: TEXT }, 'error_code')),
};

const BANK = toDocument(
  {
    '/v2/transfer/create': method(
      object({ transfer: ref('Transfer'), ...REQUEST }, 'transfer', 'request_id'),
      object({ amount: TEXT, user: object({ name: TEXT, email: TEXT }) }, 'amount'),
      BAD,
    ),
    '/v2/transfer/get': method(
      object({ transfer: ref('Transfer'), ...REQUEST }, 'transfer', 'request_id'),
      object({ transfer_id: TEXT }, 'transfer_id'),
      BAD,
    ),
    '/v2/transfer/list': method(object({ transfers: arrayOf(ref('Transfer')), has_more: BOOLEAN, ...REQUEST }), PAGE),
    '/v2/transfer/update': method(
      object({ transfer: ref('Transfer'), ...REQUEST }),
      object({ transfer_id: TEXT, user: object({ name: TEXT, email: TEXT }) }, 'transfer_id'),
    ),
    '/v2/transfer/cancel': method(object(REQUEST), object({ transfer_id: TEXT }, 'transfer_id')),
    '/v2/transfer/remove': method(object(REQUEST), object({ transfer_id: TEXT }, 'transfer_id')),
  },
  {
    Transfer: object(
      {
        id: TEXT,
        amount: TEXT,
        status: { type: 'string', enum: ['pending', 'settled', 'cancelled'] },
        user: object({ name: TEXT, email: TEXT }),
      },
      'id',
      'amount',
      'status',
    ),
  },
  { openapi: '3.0.3' },
);

describe('methods that are all called by POST', () => {
  it('take the id from a JSON body and change only what is sent', async () => {
    const call = await start(BANK);
    const created = await call('POST /v2/transfer/create', {
      amount: '1.00',
      user: { name: 'Ada', email: 'a@b.example' },
    });
    const transfer_id = (created.body['transfer'] as { id: string }).id; // required by the schema
    await call('POST /v2/transfer/update', { transfer_id, user: { name: 'Bell' } });
    await call('POST /v2/transfer/cancel', { transfer_id });
    expect((await call('POST /v2/transfer/get', { transfer_id })).body).toMatchObject({
      transfer: { id: transfer_id, amount: '1.00', status: 'cancelled', user: { name: 'Bell', email: 'a@b.example' } },
      request_id: expect.any(String) as string,
    });
    await call('POST /v2/transfer/remove', { transfer_id });
    expect((await call('POST /v2/transfer/get', { transfer_id })).status).toBe(400);
  });

  it('take the page of a list from the body', async () => {
    const call = await start(BANK);
    for (const amount of ['1.00', '2.00', '3.00']) await call('POST /v2/transfer/create', { amount });
    const first = await call('POST /v2/transfer/list', { count: 2 });
    const second = await call('POST /v2/transfer/list', { count: 2, offset: 2 });
    expect(first.body).toMatchObject({ transfers: [{ amount: '1.00' }, { amount: '2.00' }], has_more: true });
    expect(second.body).toMatchObject({ transfers: [{ amount: '3.00' }], has_more: false });
  });
});

const VAULT = toDocument(
  {
    '/feed/create': method(
      object(
        { feed_token: { type: 'string', example: 'tok_1a2b3c4d5e6f7a8b' }, feed_id: TEXT },
        'feed_token',
        'feed_id',
      ),
      object({ bank: TEXT, options: object({ webhook: TEXT }) }, 'bank'),
      BAD,
    ),
    '/feed/get': method(object({ feed: ref('Feed') }, 'feed'), object({ feed_token: TEXT }, 'feed_token'), BAD),
    '/feed/webhook/update': method(
      object({ feed: ref('Feed') }, 'feed'),
      object({ feed_token: TEXT, webhook: TEXT }, 'feed_token'),
      BAD,
    ),
    '/feed/remove': method(object({}), object({ feed_token: TEXT }, 'feed_token'), BAD),
  },
  { Feed: object({ feed_id: TEXT, bank: TEXT, webhook: TEXT }, 'feed_id', 'bank') },
  { openapi: '3.0.3' },
);

describe('a key that only the answer to a create shows', () => {
  const feed = (call: Awaited<ReturnType<typeof start>>, bank: string) =>
    call('POST /feed/create', { bank, options: { webhook: `https://${bank}.example` } });

  it('identifies the item in all other methods', async () => {
    const call = await start(VAULT);
    const [{ body: first }, { body: second }] = [await feed(call, 'alpha'), await feed(call, 'beta')];
    expect(first['feed_token']).toMatch(/^tok_[0-9a-f]{16}$/);
    expect(second['feed_token']).not.toBe(first['feed_token']);
    const { feed_token, feed_id } = first;
    const item = { feed_id, bank: 'alpha', webhook: 'https://alpha.example' };
    expect((await call('POST /feed/get', { feed_token })).body).toEqual({ feed: item });
    const webhook = 'https://new.example';
    const changed = { feed: { ...item, webhook } };
    expect((await call('POST /feed/webhook/update', { feed_token, webhook })).body).toEqual(changed);
    expect((await call('POST /feed/get', { feed_token: feed_id })).body).toEqual(changed);
    await call('POST /feed/remove', { feed_token });
    expect((await call('POST /feed/get', { feed_token })).status).toBe(400);
    const other = (await call('POST /feed/get', { feed_token: second['feed_token'] })).body;
    expect(other).toMatchObject({ feed: { feed_id: second['feed_id'], bank: 'beta' } });
  });

  it('reads one item again where unknown ids are created', async () => {
    const call = await start(VAULT, 'create');
    const found = await call('POST /feed/get', { feed_token: 'tok_unknown' });
    expect(found.status).toBe(200);
    expect(await call('POST /feed/get', { feed_token: 'tok_unknown' })).toEqual(found);
  });
});

describe('a method that ends the activity of an item', () => {
  const squad = object({ id: TEXT, name: TEXT, date_delete: INTEGER }, 'id', 'name');
  const one = object({ squad }, 'squad');
  const list = method(object({ squads: arrayOf(squad) }, 'squads'));
  const all = query('include_disabled', { type: 'boolean', default: false });
  const document = toDocument(
    {
      '/squads.create': method(one, object({ name: TEXT }, 'name')),
      '/squads.info': method(one, ['squad']),
      '/squads.list': { get: { ...(list as { get: object }).get, parameters: [all] } },
      '/squads.disable': method(one, object({ squad: TEXT }, 'squad')),
      '/squads.enable': method(one, object({ squad: TEXT }, 'squad')),
    },
    {},
    { openapi: '3.0.3' },
  );

  it('says when, and the list leaves the item out until it is active again', async () => {
    const call = await start(document);
    const { body } = await call('POST /squads.create', { name: 'red' });
    const { id } = body['squad'] as { id: string }; // required by the schema
    await call('POST /squads.disable', { squad: id });
    const disabled = (await call(`GET /squads.info?squad=${id}`)).body;
    expect(disabled).toMatchObject({ squad: { id, name: 'red', date_delete: expect.any(Number) as number } });
    expect(disabled).not.toMatchObject({ squad: { date_delete: 0 } });
    expect((await call('GET /squads.list')).body).toEqual({ squads: [] });
    expect((await call('GET /squads.list?include_disabled=true')).body).toEqual({ squads: [disabled['squad']] });
    await call('POST /squads.enable', { squad: id });
    expect((await call('GET /squads.list')).body).toEqual({ squads: [{ id, name: 'red', date_delete: 0 }] });
  });
});

/** Methods whose verb is before the noun, at one path that a header tells apart; all schemas are wrapped to describe them. */
const described = (name: string): Part => ({ allOf: [ref(name), { description: 'What it is.' }] });
const TARGET = '/#X-Target=Lab_1.';
const LAB = toDocument(
  Object.fromEntries(
    Object.entries({
      CreateRack: [object({ RackArn: described('Arn') }), object({ RackName: TEXT, Size: TEXT }, 'RackName', 'Size')],
      DescribeRack: [object({ Rack: described('Rack') }), object({ RackArn: described('Arn') }, 'RackArn')],
      DescribeRacks: [
        object({ Racks: arrayOf(ref('Rack')), NextToken: TEXT }),
        object({ RackNames: arrayOf(TEXT), MaxResults: INTEGER, NextToken: TEXT }),
      ],
      ListRacks: [object({ RackArns: arrayOf(ref('Arn')), NextToken: TEXT }), object({})],
      BatchGetRacks: [object({ Racks: arrayOf(ref('Rack')) }), object({ RackArns: arrayOf(ref('Arn')) })],
      UpdateRack: [object({}), object({ RackArn: described('Arn'), Size: TEXT }, 'RackArn')],
      DisableRack: [object({}), object({ RackArn: described('Arn') }, 'RackArn')],
      DeleteRack: [object({}), object({ RackArn: described('Arn') }, 'RackArn')],
      CreateKey: [object({ Key: described('Key') }), object({ Note: TEXT })],
      GetKey: [object({ Key: described('Key') }), object({ KeyId: TEXT }, 'KeyId')],
      ListKeys: [object({ Keys: arrayOf(object({ KeyId: TEXT, KeyArn: TEXT })) }), object({})],
    } as Readonly<Record<string, readonly [Part, Part]>>).map(([name, [answer, input]]) => {
      const header = {
        name: 'X-Target',
        in: 'header',
        required: true,
        schema: { type: 'string', enum: [`Lab_1.${name}`] },
      };
      return [TARGET + name, { ...method(answer, input), parameters: [header] }];
    }),
  ),
  {
    Arn: { type: 'string', pattern: '^arn:[a-z0-9]{6}$' },
    Rack: object({ Arn: described('Arn'), Name: TEXT, Size: TEXT, Enabled: BOOLEAN }, 'Arn', 'Enabled'),
    Key: object({ KeyId: TEXT, Arn: TEXT, Note: TEXT, Use: TEXT, State: TEXT }, 'KeyId'),
  },
  { openapi: '3.0.3' },
);

describe('methods with the verb before the noun', () => {
  /** Calls a method by its name, which is in a header. */
  async function startLab() {
    const call = await start(LAB);
    return (name: string, body: unknown = {}) => call('POST /', body, { 'x-target': `Lab_1.${name}` });
  }

  it('create, read, change and delete one item, which the create names with its noun', async () => {
    const call = await startLab();
    const { body } = await call('CreateRack', { RackName: 'north', Size: 'small' });
    const { RackArn } = body;
    expect(RackArn).toMatch(/^arn:[a-z0-9]{6}$/);
    const rack = { Arn: RackArn, Name: 'north', Size: 'small' };
    expect((await call('DescribeRack', { RackArn })).body).toMatchObject({ Rack: rack });
    await call('UpdateRack', { RackArn, Size: 'large' });
    await call('DisableRack', { RackArn });
    expect((await call('DescribeRack', { RackArn })).body).toEqual({
      Rack: { ...rack, Size: 'large', Enabled: false },
    });
    await call('DeleteRack', { RackArn });
    expect((await call('DescribeRack', { RackArn })).status).toBe(404);
  });

  it('list the items, their ids, and those that a request names', async () => {
    const call = await startLab();
    for (const RackName of ['north', 'south', 'west']) await call('CreateRack', { RackName, Size: 'small' });
    const { body } = await call('DescribeRacks', { RackNames: ['west', 'north'] });
    expect((body['Racks'] as { Name: string }[]).map(({ Name }) => Name)).toEqual(['north', 'west']); // its items are racks
    const page = await call('DescribeRacks', { MaxResults: 2 });
    const { NextToken } = page.body;
    expect(page.body['Racks']).toHaveLength(2);
    expect((await call('DescribeRacks', { MaxResults: 2, NextToken })).body).toMatchObject({
      Racks: [{ Name: 'west' }],
    });
    expect((await call('ListRacks')).body['RackArns']).toHaveLength(3);
  });

  it('list summaries in the array with the noun', async () => {
    const call = await startLab();
    const { Key } = (await call('CreateKey', { Note: 'mine' })).body;
    const { KeyId } = Key as { KeyId: string }; // required by the schema
    expect((await call('ListKeys')).body).toMatchObject({ Keys: [{ KeyId }] });
  });

  it('leave a method with an unknown verb to examples and schemas', async () => {
    const resources = inferResources(await loadContract(LAB));
    expect(resources.unbound.map(({ operation }) => operation.path)).toEqual([`${TARGET}BatchGetRacks`]);
  });

  it('have a collection of their own beside one with an id in its path', async () => {
    const one = object({ id: TEXT, name: TEXT }, 'id');
    const paths = {
      '/createBoat': method(one, object({ name: TEXT })),
      '/getBoat': method(one, ['boatId']),
      '/boats/{id}': { get: { ...inPath('id'), responses: {} } },
      '/rooms.setTopic': method(one, object({ name: TEXT, room: TEXT })),
    };
    const resources = inferResources(await loadContract(toDocument(paths, undefined, { openapi: '3.0.3' })));
    const collections = [...resources.bindings.values()].map(({ operation, collection }) => [
      operation.path,
      collection,
    ]);
    expect(collections).toEqual([
      ['/createBoat', 'Boat'],
      ['/getBoat', 'Boat'],
      ['/boats/{id}', 'boats'],
    ]);
  });
});

describe('a hint', () => {
  const JOB = { collection: 'jobs' };
  /** Methods without plain verbs, with hints. */
  const hinted = (id: unknown): Readonly<Record<string, unknown>> =>
    toDocument(
      {
        '/jobs.commission': withHint(method(ref('Job'), object({ title: TEXT })), { ...JOB, action: 'create' }),
        '/jobs.peek': withHint(method(ref('Job'), ['handle']), { ...JOB, action: 'read', id }),
        '/jobs.scrap': withHint(method(object({}), object({ target: object({ job: TEXT }) })), {
          ...JOB,
          action: 'delete',
          id: { body: '/target/job' },
        }),
      },
      { Job: object({ id: TEXT, title: TEXT }, 'id') },
      { openapi: '3.0.3', 'x-mock': { collections: { jobs: { schema: '#/components/schemas/Job' } } } },
    );
  const withHint = (item: object, hint: object): object =>
    Object.fromEntries(
      Object.entries(item).map(([name, operation]) => [name, { ...(operation as object), 'x-mock': hint }]),
    );

  it('takes the id from the query and from the body', async () => {
    const call = await start(hinted({ query: 'handle' }));
    const { body } = await call('POST /jobs.commission', { title: 'paint' });
    const id = String(body['id']);
    expect((await call(`GET /jobs.peek?handle=${id}`)).body).toEqual({ id, title: 'paint' });
    await call('POST /jobs.scrap', { target: { job: id } });
    expect((await call(`GET /jobs.peek?handle=${id}`)).status).toBe(404);
  });

  it.each([
    [{ query: 'handel' }, 'no query parameter "handel"'],
    [{ body: '/handle' }, 'no property in its body "handle"'],
    [[], 'no parameter that identifies an item'],
  ])('that cannot work is refused: %j', async (id, message) => {
    const contract = await loadContract(hinted(id));
    expect(() => inferResources(contract)).toThrow(message);
  });
});
