import { describe, expect, it } from 'vitest';
import {
  finds,
  inPath,
  json,
  pathParameter,
  query,
  REMOVED,
  sends,
  shows,
  takes,
  toDocument,
} from '../operation-parts.js';
import { arrayOf, BOOLEAN, CLOSED, INTEGER, object, TEXT, WORLDS } from '../schema-parts.js';
import { openShop } from './shop.js';

const team = object({ id: TEXT, name: TEXT, note: TEXT }, 'id', 'name');

const newTeam = object({ name: TEXT, note: TEXT }, 'name');

describe('a parent where unknown ids are not found', () => {
  const spec = toDocument({
    '/orgs/{org}/labels': { ...inPath('org'), get: shows(arrayOf(team)), post: takes(newTeam, team, 201) },
    '/teams': { post: takes(newTeam, team, 201) },
    '/teams/{team_id}': { ...inPath('team_id'), get: shows(team) },
    '/teams/{team_id}/members': {
      ...inPath('team_id'),
      get: shows(arrayOf(team)),
      post: { ...sends(newTeam), responses: { 201: json(team), 404: { description: 'none' } } },
    },
  });

  it('exists for every id where nothing can create it', async () => {
    const { send } = await openShop({ ...CLOSED, spec });
    const { body } = await send('POST', '/orgs/any/labels', { name: 'a' });
    expect((await send('GET', '/orgs/any/labels')).body).toEqual([body]);
    expect((await send('GET', '/orgs/other/labels')).body).toEqual([]);
  });

  it('is checked where a request can create it', async () => {
    const { send } = await openShop({ ...CLOSED, spec });
    expect((await send('POST', '/teams/any/members', { name: 'a' })).status).toBe(404);
    const { body } = await send('POST', '/teams', { name: 'a' });
    expect((await send('POST', `/teams/${String(body['id'])}/members`, { name: 'a' })).status).toBe(201);
  });
});

describe('the 404 of a missing item', () => {
  const read = async (error: object, type = 'application/json'): Promise<unknown> => {
    const spec = toDocument({
      '/teams': { post: takes(newTeam, team, 201) },
      '/teams/{team_id}': {
        ...inPath('team_id'),
        get: { responses: { 200: json(team), 404: { description: 'none', content: { [type]: error } } } },
      },
    });
    const { send } = await openShop({ ...CLOSED, spec });
    const { status, body } = await send('GET', '/teams/none');
    expect(status).toBe(404);
    return body;
  };
  const detail = object({ code: { type: 'integer', minimum: 1000 }, message: TEXT }, 'code', 'message');

  it('has codes that its schema allows, and the empty lists of its example', async () => {
    const schema = object({ errors: arrayOf(detail), messages: arrayOf(detail) }, 'errors', 'messages');
    const code: unknown = expect.toSatisfy((value: number) => value >= 1000);
    const message: unknown = expect.stringContaining('no team');
    expect(await read({ schema })).toMatchObject({ errors: [{ code, message }] });
    const example = { errors: [{ code: 4404, message: 'none' }], messages: [] };
    expect(await read({ schema, example })).toEqual({ errors: [{ code: 4404, message }], messages: [] });
  });

  it('has the member of an enum that means its status', async () => {
    const status = { type: 'string', enum: ['INVALID_ARGUMENT', 'NOT_FOUND'] };
    const schema = object({ status, message: TEXT }, 'status');
    expect(await read({ schema })).toEqual({ status: 'NOT_FOUND', message: expect.stringContaining('no team') });
  });

  it('has the schema of a wildcard media type', async () => {
    const schema = object({ category: TEXT }, 'category');
    expect(await read({ schema }, '*/*')).toEqual({ category: expect.any(String) });
  });
});

describe('a PUT of an item', () => {
  const change = async (put: object): Promise<object> => {
    const spec = toDocument({
      '/teams': { post: takes(newTeam, team, 201) },
      '/teams/{team_id}': { ...inPath('team_id'), get: shows(team), put: { ...shows(team), ...put } },
    });
    const { send } = await openShop({ ...CLOSED, spec });
    const { body } = await send('POST', '/teams', { name: 'a', note: 'b' });
    return (await send('PUT', `/teams/${String(body['id'])}`, { name: 'c' })).body;
  };
  const part = object({ name: TEXT, note: TEXT });

  it.each([
    'Fields that are not sent do not change.',
    'Properties that are not in the request are not changed.',
    'Changes the fields of a team that are sent.',
    'This PUT works like a PATCH elsewhere.',
    'What you leave out stays.',
    'Only the properties that are given are changed.',
  ])('merges: %s', async (description) => {
    expect(await change({ ...sends(newTeam), description })).toMatchObject({ name: 'c', note: 'b' });
  });

  it.each([
    'Replaces the team. Members that are not sent are removed.',
    'Send the full representation. Attributes that are left out are reset to their defaults.',
  ])('replaces: %s', async (description) => {
    const after = await change({ ...sends(part), description });
    expect(after).toMatchObject({ name: 'c' });
    expect(after).not.toHaveProperty('note');
  });

  it('without a description merges where its body requires less than that of the create', async () => {
    expect(await change(sends(part))).toMatchObject({ name: 'c', note: 'b' });
    expect(await change(sends(newTeam))).not.toHaveProperty('note');
  });
});

describe('a PUT that leaves out properties', () => {
  const sent = {
    name: TEXT,
    note: TEXT,
    size: INTEGER,
    tags: arrayOf(TEXT),
    level: INTEGER,
    color: TEXT,
    owner: object({ id: TEXT, nick: TEXT }),
    address: object({ city: TEXT, zip: TEXT }),
    status: { enum: ['open', 'closed'] },
  };
  const item = object(
    { id: TEXT, ...sent, color: { ...TEXT, default: 'red' }, url: { ...TEXT, readOnly: true } },
    'id',
    'name',
    'tags',
    'level',
    'owner',
  );
  const body = sends(object(sent, 'name'));
  const spec = toDocument({
    '/items': { post: { ...body, ...shows(item, 201) } },
    '/items/{id}': {
      ...inPath('id'),
      get: shows(item),
      put: { ...body, ...shows(item), description: 'Replaces the item.' },
    },
  });
  const whole = {
    name: 'a',
    note: 'n',
    size: 3,
    tags: ['x'],
    level: 5,
    color: 'blue',
    owner: { id: 'o' },
    address: { city: 'c', zip: 'z' },
    status: 'closed',
  };

  it.each(WORLDS)('generates none of them, in a %s world', async (_, options) => {
    const { send } = await openShop({ ...options, spec });
    const { body: made } = await send('POST', '/items', whole);
    const path = `/items/${String(made['id'])}`;
    const { url } = made;
    const want = {
      id: made['id'],
      name: 'b',
      tags: ['x'],
      level: 5,
      color: 'red',
      owner: { id: 'o' },
      status: 'closed',
    };
    const put = await send('PUT', path, { name: 'b' });
    expect(put.body).toEqual(url === undefined ? want : { ...want, url });
    expect((await send('GET', path)).body).toEqual(put.body);
    expect((await send('PUT', path, { name: 'c', owner: { id: 'p' }, size: 1 })).body).toEqual({
      ...put.body,
      name: 'c',
      owner: { id: 'p' },
      size: 1,
    });
  });

  it('keeps what the server made for a new item', async () => {
    const { send } = await openShop({ ...CLOSED, spec });
    const { body: made } = await send('POST', '/items', { name: 'a' });
    expect((await send('PUT', `/items/${String(made['id'])}`, { name: 'a' })).body).toEqual(made);
  });
});

describe('an update of a part', () => {
  it.each(['PATCH', 'POST', 'PUT'])('by %s keeps what it omits, also inside of objects', async (method) => {
    const price = object({ amount: INTEGER, currency: TEXT });
    const product = object({ id: TEXT, name: TEXT, price });
    const sent = object({ name: TEXT, price }, 'name');
    const part = object(sent.properties);
    const spec = toDocument({
      '/products': { post: takes(sent, product, 201) },
      '/products/{product_id}': {
        ...inPath('product_id'),
        get: shows(product),
        [method.toLowerCase()]: takes(part, product),
      },
    });
    const { send } = await openShop({ spec });
    const { body } = await send('POST', '/products', { name: 'tea', price: { amount: 5, currency: 'EUR' } });
    const { id } = body as { readonly id: string };
    const changed = { id, name: 'tea', price: { amount: 7, currency: 'EUR' } };
    expect((await send(method, `/products/${id}`, { price: { amount: 7 } })).body).toEqual(changed);
    expect((await send('GET', `/products/${id}`)).body).toEqual(changed);
  });
});

describe('an item that was removed', () => {
  const open = async (read: object, remove: object, list: object = {}): Promise<Awaited<ReturnType<typeof openShop>>> =>
    openShop({
      ...CLOSED,
      spec: toDocument({
        '/teams': { get: { ...shows(arrayOf(flagged)), ...list }, post: takes(newTeam, flagged, 201) },
        '/teams/{team_id}': {
          ...inPath('team_id'),
          get: { ...finds(flagged), ...read },
          delete: { ...REMOVED, ...remove },
        },
      }),
    });
  const flagged = { ...team, properties: { ...team.properties, archived: BOOLEAN } };
  const archived = { parameters: [query('archived', { type: 'boolean', default: false })] };

  it('is read as the branch of the response for removed items, and not listed', async () => {
    const gone = object({ id: TEXT, deleted: { type: 'boolean', const: true } }, 'id', 'deleted');
    const { send } = await open(shows({ anyOf: [team, gone] }), {});
    const { body } = await send('POST', '/teams', { name: 'a' });
    await send('DELETE', `/teams/${String(body['id'])}`);
    expect((await send('GET', `/teams/${String(body['id'])}`)).body).toEqual({ id: body['id'], deleted: true });
    expect((await send('GET', '/teams')).body).toEqual([]);
    expect((await send('DELETE', `/teams/${String(body['id'])}`)).status).toBe(404);
  });

  it.each([
    ['Cancel a team', 'canceled'],
    ['Terminates a team.', 'terminated'],
    ['Close a team', 'closed'],
    ['Delete a team', undefined],
  ])('has the status that "%s" gives it, if the answer shows it', async (summary, status) => {
    const properties = {
      ...team.properties,
      status: { enum: ['active', 'canceled', 'terminated', 'closed', 'deleted'] },
    };
    const shown = object({ team: { ...team, properties } });
    const spec = toDocument({
      '/teams': { post: takes(newTeam, shown, 201) },
      '/teams/{team_id}': { ...inPath('team_id'), get: finds(shown), delete: { summary, ...shows(shown) } },
    });
    const { send } = await openShop({ ...CLOSED, spec });
    const created = (await send('POST', '/teams', { name: 'a' })).body['team'] as { readonly id: string };
    const path = `/teams/${created.id}`;
    expect((await send('DELETE', path)).status).toBe(200);
    const read = await send('GET', path);
    if (status === undefined) expect(read.status).toBe(404);
    else expect(read.body).toMatchObject({ team: { id: created.id, name: 'a', status } });
  });

  it('is read and listed where a parameter asks for removed items', async () => {
    const { send } = await open(archived, {}, archived);
    const path = `/teams/${String((await send('POST', '/teams', { name: 'a' })).body['id'])}`;
    await send('DELETE', path);
    expect((await send('GET', path)).status).toBe(404);
    expect((await send('GET', '/teams')).body).toEqual([]);
    const { body } = await send('GET', `${path}?archived=true`);
    expect(body).toMatchObject({ name: 'a', archived: true });
    expect((await send('GET', '/teams?archived=true')).body).toEqual([body]);
  });

  it.each([
    ['alone', TEXT],
    ['among others', { type: 'array', items: { type: 'string', enum: ['current', 'trashed'] }, default: ['current'] }],
  ])('is read and listed where a parameter names its status %s', async (_, own) => {
    const schema = own.type === 'array' ? own : { ...own, enum: ['current', 'trashed'] };
    const page = { ...team, properties: { ...team.properties, status: { type: 'string', default: 'current' } } };
    const parameters = [query('status', schema)];
    const spec = toDocument({
      '/pages': { get: { parameters, ...shows(arrayOf(page)) }, post: takes(newTeam, page, 201) },
      '/pages/{page_id}': { ...inPath('page_id'), get: { parameters, ...finds(page) }, delete: REMOVED },
    });
    const { send } = await openShop({ ...CLOSED, spec });
    const path = `/pages/${String((await send('POST', '/pages', { name: 'a' })).body['id'])}`;
    expect((await send('GET', '/pages?status=current')).list).toHaveLength(1);
    await send('DELETE', path);
    expect((await send('GET', path)).status).toBe(404);
    expect((await send('GET', '/pages')).body).toEqual([]);
    const { body } = await send('GET', `${path}?status=trashed`);
    expect(body).toMatchObject({ name: 'a', status: 'trashed' });
    expect((await send('GET', '/pages?status=trashed')).body).toEqual([body]);
  });

  it('is read with its mark where the description of the DELETE says so', async () => {
    const { send } = await open({}, { summary: 'Archive a team', description: 'It can still be read afterwards.' });
    const path = `/teams/${String((await send('POST', '/teams', { name: 'a' })).body['id'])}`;
    await send('DELETE', path);
    expect((await send('GET', path)).body).toMatchObject({ name: 'a', archived: true });
    expect((await send('GET', '/teams')).body).toEqual([]);
  });

  it('is not found where nothing says that it is kept', async () => {
    const { send } = await open({}, {});
    const path = `/teams/${String((await send('POST', '/teams', { name: 'a' })).body['id'])}`;
    await send('DELETE', path);
    expect((await send('GET', path)).status).toBe(404);
  });
});

describe('an item whose id is its name', () => {
  const label = object({ name: TEXT, color: TEXT }, 'name');
  const open = async (changes: object): Promise<Awaited<ReturnType<typeof openShop>>['send']> => {
    const properties = { color: TEXT, ...changes };
    const spec = toDocument({
      '/labels': { get: shows(arrayOf(label)), post: takes(label, label, 201) },
      '/labels/{name}': { ...inPath('name'), get: finds(label), patch: takes(object(properties), label) },
      '/labels/{name}/uses': { ...inPath('name'), get: shows(arrayOf(team)), post: takes(newTeam, team, 201) },
    });
    const { send } = await openShop({ ...CLOSED, spec });
    await send('POST', '/labels', { name: 'old', color: 'red' });
    return send;
  };

  it.each(['name', 'new_name', 'newName'])('has another one after a change of %s', async (property) => {
    const send = await open({ [property]: TEXT });
    const { body: use } = await send('POST', '/labels/old/uses', { name: 'a' });
    expect((await send('PATCH', '/labels/old', { [property]: 'new' })).body).toEqual({ name: 'new', color: 'red' });
    expect((await send('GET', '/labels/old')).status).toBe(404);
    expect((await send('GET', '/labels/new')).body).toEqual({ name: 'new', color: 'red' });
    expect((await send('GET', '/labels')).body).toEqual([{ name: 'new', color: 'red' }]);
    expect((await send('GET', '/labels/new/uses')).body).toEqual([use]);
  });

  it('cannot get that of another item', async () => {
    const send = await open({ name: TEXT });
    await send('POST', '/labels', { name: 'other' });
    expect((await send('PATCH', '/labels/old', { name: 'other', color: 'blue' })).status).toBe(409);
    expect((await send('GET', '/labels/old')).body).toEqual({ name: 'old', color: 'red' });
  });
});

describe('a property whose name begins with the noun in the request', () => {
  const item = object({ id: TEXT, track: { type: ['string', 'null'] }, fileId: TEXT }, 'id');
  const sent = object({ RecordingTrack: TEXT, recording_file_id: TEXT, call_track: TEXT });
  const spec = toDocument({
    '/recordings': { post: takes(sent, item, 201) },
    '/recordings/{id}': { ...inPath('id'), get: shows(item) },
  });

  it('is stored without it', async () => {
    const { send } = await openShop({ ...CLOSED, spec });
    const { body } = await send('POST', '/recordings', {
      RecordingTrack: 'both',
      recording_file_id: 'f1',
      call_track: 'no',
    });
    expect(body).toMatchObject({ track: 'both', fileId: 'f1' });
    expect((await send('GET', `/recordings/${String(body['id'])}`)).body).toEqual(body);
  });
});

describe('a plural path beside the path of one item in the singular', () => {
  const spec = toDocument({
    '/teams': { get: shows(arrayOf(team)), post: takes(newTeam, object({ teamID: TEXT })) },
    '/team/{teamID}': {
      parameters: [pathParameter('teamID', { type: 'string', format: 'uuid' })],
      get: shows(team),
      delete: { responses: { 200: { description: 'removed' } } },
    },
  });

  it('creates the items of that path, with ids that it accepts', async () => {
    const { send } = await openShop({ ...CLOSED, spec });
    const { body } = await send('POST', '/teams', { name: 'a' });
    const { teamID } = body as { readonly teamID: string };
    expect(teamID).toMatch(/^[0-9a-f]{8}-/);
    expect((await send('GET', `/team/${teamID}`)).body).toEqual({ id: teamID, name: 'a' });
    expect((await send('GET', '/teams')).body).toEqual([{ id: teamID, name: 'a' }]);
    expect((await send('DELETE', `/team/${teamID}`)).status).toBe(200);
    expect((await send('GET', '/teams')).body).toEqual([]);
  });
});

it('the answer to a create shows what the request sent and only that answer declares', async () => {
  const sent = { name: 'a', note: 'b', secret: 'c', other: 'd' };
  const shown = { ...newTeam.properties, id: TEXT, size: TEXT, secret: { ...TEXT, writeOnly: true } };
  const item = object({ id: TEXT, name: TEXT }, 'id');
  const spec = toDocument({
    '/teams': { post: takes(object({ ...newTeam.properties, secret: TEXT, other: TEXT }), object(shown, 'id'), 201) },
    '/teams/{team_id}': { ...inPath('team_id'), get: shows(item) },
  });
  const { send } = await openShop({ ...CLOSED, spec });
  const { body } = await send('POST', '/teams', sent);
  expect(body).toEqual({ id: body['id'], name: 'a', note: 'b' });
  expect((await send('GET', `/teams/${String(body['id'])}`)).body).toEqual({ id: body['id'], name: 'a' });
});

describe('the id of a created item', () => {
  const create = async (id: object, parameter: object = TEXT): Promise<string> => {
    const item = object({ id: { type: 'string', readOnly: true, ...id }, name: TEXT });
    const spec = toDocument({
      '/subscriptions': { post: takes(newTeam, item, 201) },
      '/subscriptions/{id}': { parameters: [pathParameter('id', parameter)], get: shows(item) },
    });
    const { send } = await openShop({ spec });
    const { body } = await send('POST', '/subscriptions', { name: 'a' });
    expect((await send('GET', `/subscriptions/${String(body['id'])}`)).body).toEqual(body);
    return String(body['id']);
  };

  it.each([
    ['no longer than the item allows', { maxLength: 30 }, {}, /^subscription_\w{17}$/],
    ['no longer than the path allows', {}, { type: 'string', maxLength: 21 }, /^subscription_\w{8}$/],
    ['without a prefix where that leaves too little', { maxLength: 20 }, {}, /^[0-9A-Za-z]{20}$/],
    ['as long as it must be', { minLength: 50 }, {}, /^subscription_\w{37}$/],
    ['of one length', { minLength: 22, maxLength: 22 }, {}, /^subscription_\w{9}$/],
    ['like an example, but no longer', { maxLength: 12, examples: ['I-BW452GLLEP1G'] }, {}, /^I-\w{10}$/],
  ])('is %s', async (_, id, parameter, want) => {
    expect(await create(id, { type: 'string', ...parameter })).toMatch(want);
  });
});
