import { describe, expect, it } from 'vitest';
import { finds, inPath, json, pathParameter, query, REMOVED, shows, takes, toDocument } from '../operation-parts.js';
import { arrayOf, BOOLEAN, INTEGER, object, type Part, ref, TEXT } from '../schema-parts.js';
import { openShop, type Shop } from '../state/shop.js';

const open = (paths: Part, schemas: Part = {}, initialItems = 0): Promise<Shop> =>
  openShop({ spec: toDocument(paths, schemas), state: { initialItems } });

it('a parameter with the noun in the middle is the property that the client chose, not the URL beside it', async () => {
  const Owner = object(
    { own_id: { ...TEXT, readOnly: true }, external_id: TEXT, name: TEXT, url: { ...TEXT, format: 'uri' } },
    'own_id',
    'external_id',
  );
  const one = object({ owner: ref('Owner') });
  const { send } = await open(
    {
      '/owners': {
        get: shows(object({ owners: arrayOf(ref('Owner')) })),
        post: takes(object({ owner: object({ external_id: TEXT, name: TEXT }) }), one),
      },
      '/owners/{external_owner_id}': { ...inPath('external_owner_id'), get: finds(one), delete: shows(one) },
    },
    { Owner },
  );
  await send('POST', '/owners', { owner: { external_id: 'o-1', name: 'Ada' } });
  expect((await send('GET', '/owners/o-1')).body).toMatchObject({ owner: { external_id: 'o-1', name: 'Ada' } });
  await send('DELETE', '/owners/o-1');
  expect((await send('GET', '/owners')).body).toEqual({ owners: [] });
});

it('{username} is the login of a user who has a name as well, and the name of one who has no login', async () => {
  const paths = {
    '/users': { get: shows(arrayOf(ref('User'))), post: takes(object({ login: TEXT, name: TEXT }), ref('User'), 201) },
    '/users/{username}': { ...inPath('username'), get: finds(ref('User')) },
  };
  for (const key of ['login', 'name']) {
    const { send } = await open(paths, { User: object({ id: INTEGER, [key]: TEXT, name: TEXT }, 'id', key) });
    const { body } = await send('POST', '/users', { login: 'ada', name: 'Ada-L' });
    expect((await send('GET', `/users/${String(body[key])}`)).body).toEqual(body);
  }
});

describe('an example of an id is one of many', () => {
  it.each([
    ['a pattern and a length', { ...TEXT, minLength: 10, maxLength: 10, pattern: '^[a-z]+$', example: 'qwertyuiop' }],
    ['a word', { ...TEXT, example: 'main' }],
    ['a default', { ...TEXT, default: 'first' }],
    ['a number', { ...INTEGER, example: 12 }],
    ['digits', { ...TEXT, example: '23' }],
  ])('%s', async (_, id) => {
    const Lock = object({ code: id, name: TEXT }, 'code', 'name');
    const { send } = await open(
      {
        '/locks': { get: shows(arrayOf(ref('Lock'))), post: takes(object({ name: TEXT }), ref('Lock'), 201) },
        '/locks/{code}': { parameters: [pathParameter('code', id)], get: finds(ref('Lock')) },
      },
      { Lock },
      3,
    );
    const codes: unknown[] = [];
    for (const name of ['A', 'B']) codes.push((await send('POST', '/locks', { name })).body['code']);
    const read = await Promise.all(codes.map((code) => send('GET', `/locks/${String(code)}`)));
    expect(read.map(({ body }) => body['name'])).toEqual(['A', 'B']);
    const listed = (await send('GET', '/locks')).body as unknown as readonly Part[];
    expect(new Set(listed.map(({ code }) => code)).size).toBe(5);
  });
});

it('the id of the parent in the path is not that of its items, and is in the parts of them', async () => {
  const Item = (attributes: Part): Part =>
    object({ type: TEXT, id: TEXT, attributes: object(attributes) }, 'id', 'attributes');
  const data = (schema: unknown): Part => object({ data: schema }, 'data');
  const { send } = await open(
    {
      '/plans': { get: shows(data(arrayOf(ref('Plan')))) },
      '/plans/{id}': { ...inPath('id'), get: shows(data(ref('Plan'))) },
      '/plans/{id}/caps': {
        ...inPath('id'),
        get: shows(data(arrayOf(ref('Cap')))),
        post: takes(object({ amount: TEXT }), data(ref('Cap'))),
      },
      '/plans/{id}/caps/{capId}': { ...inPath('id', 'capId'), get: shows(data(ref('Cap'))) },
    },
    { Plan: Item({ name: TEXT }), Cap: Item({ plan_id: { ...TEXT, readOnly: true, example: '23' }, amount: TEXT }) },
    3,
  );
  const before = (await send('GET', '/plans/7/caps')).body['data'] as readonly Part[];
  expect(new Set(before.map(({ id }) => id)).size).toBe(3);
  await send('POST', '/plans/7/caps', { amount: '9' });
  const after = (await send('GET', '/plans/7/caps')).body['data'] as readonly { attributes: Part }[];
  expect(after.map(({ attributes }) => attributes['plan_id'])).toEqual(['7', '7', '7', '7']);
  expect(after.at(-1)).toMatchObject({ attributes: { amount: '9' } });
});

it.each([
  ['an object with its noun', { dock: object({ id: TEXT, town: TEXT }) }, { dock: { id: 'd7' } }],
  ['an object whose id is called after it', { dock: object({ dockId: TEXT }) }, { dock: { dockId: 'd7' } }],
  [
    'a relationship of JSON:API',
    { relationships: object({ dock: object({ data: object({ type: TEXT, id: TEXT }) }) }) },
    { relationships: { dock: { data: { id: 'd7' } } } },
  ],
])('the id of the parent in the path is in %s', async (_, member, shown) => {
  const Crane = object({ id: TEXT, label: TEXT, ...member, owner: object({ id: TEXT }) }, 'id');
  const { send } = await open(
    {
      '/docks/{dockId}/cranes': {
        ...inPath('dockId'),
        get: shows(arrayOf(ref('Crane'))),
        post: takes(object({ label: TEXT }), ref('Crane'), 201),
      },
      '/cranes/{id}': { ...inPath('id'), get: finds(ref('Crane')) },
    },
    { Crane },
  );
  const { body } = await send('POST', '/docks/d7/cranes', { label: 'A' });
  expect(body).toMatchObject({ label: 'A', ...shown });
  expect(body).not.toMatchObject({ owner: { id: 'd7' } });
  expect((await send('GET', `/cranes/${String(body['id'])}`)).body).toMatchObject(shown);
});

it('what belongs to any kind of parent repeats the id in its path', async () => {
  const Event = object({ id: { ...INTEGER, readOnly: true }, kind: TEXT, resource_id: { type: ['integer', 'null'] } });
  const id = { parameters: [pathParameter('ship_id', INTEGER)] };
  const { send } = await open(
    {
      '/ships': { get: shows(arrayOf(ref('Ship'))), post: takes(object({ name: TEXT }), ref('Ship'), 201) },
      '/ships/{ship_id}': { ...id, get: finds(ref('Ship')) },
      '/ships/{ship_id}/events': {
        ...id,
        get: shows(arrayOf(ref('Event'))),
        post: takes(object({ kind: TEXT }), ref('Event'), 201),
      },
    },
    { Ship: object({ id: INTEGER, name: TEXT }), Event },
  );
  const ship = (await send('POST', '/ships', { name: 'Gull' })).body['id'];
  const event = { kind: 'docked', resource_id: ship };
  expect((await send('POST', `/ships/${String(ship)}/events`, { kind: 'docked' })).body).toMatchObject(event);
  expect((await send('GET', `/ships/${String(ship)}/events`)).body).toMatchObject([event]);
});

it('an id in the path is a number where the item says so, whatever the path says', async () => {
  const Bug = object({ id: { ...INTEGER, readOnly: true }, app_id: { ...INTEGER, readOnly: true }, title: TEXT }, 'id');
  const { send } = await open(
    {
      '/apps/{app_id}/bugs': {
        ...inPath('app_id'),
        get: shows(arrayOf(ref('Bug'))),
        post: takes(object({ title: TEXT }), ref('Bug'), 201),
      },
      '/apps/{app_id}/bugs/{id}': { ...inPath('app_id', 'id'), get: finds(ref('Bug')) },
    },
    { Bug },
  );
  expect((await send('POST', '/apps/5/bugs', { title: 'Crash' })).body).toMatchObject({ app_id: 5, title: 'Crash' });
});

describe('a path for the user of the request', () => {
  const User = object({ id: { ...INTEGER, readOnly: true }, name: TEXT, admin: BOOLEAN }, 'id', 'name');
  const byId = { parameters: [pathParameter('id', INTEGER)], get: finds(ref('User')), delete: REMOVED };

  it('is a collection where it lists and creates', async () => {
    const { send } = await open(
      {
        '/user': { get: shows(arrayOf(ref('User'))), post: takes(object({ name: TEXT, secret: TEXT }), ref('User')) },
        '/user/{id}': byId,
      },
      { User },
    );
    const a = (await send('POST', '/user', { name: 'ada', secret: 's' })).body;
    const b = (await send('POST', '/user', { name: 'bo', secret: 's' })).body;
    expect((await send('GET', '/user')).body).toEqual([a, b]);
    expect((await send('GET', `/user/${String(a['id'])}`)).body).toEqual(a);
  });

  it('is one user where it shows one', async () => {
    const { send } = await open(
      { '/user': { get: shows(ref('User')), patch: takes(object({ name: TEXT }), ref('User')) }, '/users/{id}': byId },
      { User },
    );
    await send('PATCH', '/user', { name: 'ada' });
    const own = (await send('GET', '/user')).body;
    expect(own).toMatchObject({ name: 'ada' });
    expect((await send('GET', `/users/${String(own['id'])}`)).body).toEqual(own);
  });
});

describe('an item that the query names', () => {
  const spec = {
    '/tunnels': { get: shows(arrayOf(ref('Tunnel'))), post: takes(object({ ends: TEXT }), ref('Tunnel'), 201) },
    '/tunnels/info': {
      get: {
        parameters: [query('tunnelId'), query('verbose')],
        ...finds(ref('Tunnel')),
      },
    },
    '/tunnels/{tunnelId}': {
      ...inPath('tunnelId'),
      patch: takes(object({ ends: TEXT }), ref('Tunnel')),
      delete: REMOVED,
    },
  };
  const schemas = { Tunnel: object({ id: TEXT, ends: TEXT }, 'id', 'ends') };

  it('is read, and is gone after its removal', async () => {
    const { send } = await open(spec, schemas);
    const { id } = (await send('POST', '/tunnels', { ends: 'A-B' })).body;
    const at = `/tunnels/info?tunnelId=${String(id)}`;
    await send('PATCH', `/tunnels/${String(id)}`, { ends: 'A-C' });
    expect((await send('GET', at)).body).toEqual({ id, ends: 'A-C' });
    await send('DELETE', `/tunnels/${String(id)}`);
    expect((await send('GET', at)).status).toBe(404);
  });

  it('is not created where the request names none', async () => {
    const { send } = await open(spec, schemas);
    const { body } = await send('GET', '/tunnels/info?verbose=1');
    expect(body['id']).not.toBe('undefined');
    expect((await send('GET', '/tunnels')).body).toEqual([]);
  });
});

it('an id that a request sends is that of an object in the item', async () => {
  const Badge = object(
    {
      id: { ...TEXT, readOnly: true },
      level: TEXT,
      holder_details: object({ holder_id: TEXT, name: TEXT }, 'holder_id'),
    },
    'id',
    'holder_details',
  );
  const { send } = await open(
    {
      '/badges': {
        get: shows(object({ data: arrayOf(ref('Badge')) })),
        post: takes(object({ holder_id: TEXT, level: TEXT }, 'holder_id'), ref('Badge')),
      },
      '/badges/{badge_id}': { ...inPath('badge_id'), get: finds(ref('Badge')) },
    },
    { Badge },
  );
  const { body } = await send('POST', '/badges', { holder_id: 'h-7', level: 'gold' });
  expect(body).toMatchObject({ level: 'gold', holder_details: { holder_id: 'h-7' } });
  expect((await send('GET', `/badges/${String(body['id'])}`)).body).toEqual(body);
});

describe('a create with the id of an item that exists', () => {
  const create = (errors: Part): Part => ({
    ...takes(object({ login: TEXT, mail: TEXT }, 'login'), ref('Member'), 201),
    responses: { 201: json(ref('Member')), ...errors },
  });
  const paths = (errors: Part): Part => ({
    '/members': { get: shows(arrayOf(ref('Member'))), post: create(errors) },
    '/members/{login}': { ...inPath('login'), get: finds(ref('Member')) },
  });
  const schemas = { Member: object({ login: { ...TEXT, example: 'ada' }, mail: TEXT }, 'login') };

  it('is a conflict where the operation declares one, but not with an initial item', async () => {
    const { send } = await open(paths({ 409: { description: 'The login is taken.' } }), schemas, 3);
    expect((await send('POST', '/members', { login: 'ada', mail: 'a@x.test' })).status).toBe(201);
    expect((await send('POST', '/members', { login: 'ada', mail: 'b@x.test' })).status).toBe(409);
    expect((await send('GET', '/members/ada')).body).toEqual({ login: 'ada', mail: 'a@x.test' });
  });

  it('replaces the item where the operation declares none', async () => {
    const { send } = await open(paths({}), schemas);
    await send('POST', '/members', { login: 'ada', mail: 'a@x.test' });
    expect((await send('POST', '/members', { login: 'ada', mail: 'b@x.test' })).status).toBe(201);
    expect((await send('GET', '/members')).body).toEqual([{ login: 'ada', mail: 'b@x.test' }]);
  });
});
