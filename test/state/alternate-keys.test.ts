import { describe, expect, it } from 'vitest';
import { finds, inPath, json, pathParameter, REMOVED, sends, shows, takes, toDocument } from '../operation-parts.js';
import { arrayOf, CLOSED, INTEGER, object, ref, TEXT } from '../schema-parts.js';
import { openShop } from './shop.js';

const team = object({ id: INTEGER, slug: TEXT, name: TEXT }, 'id', 'slug', 'name');
const newTeam = object({ slug: TEXT, name: TEXT }, 'slug', 'name');

const createDocument = (
  parameter: Readonly<Record<string, unknown>> & { readonly name: string },
  more: object = {},
): Readonly<Record<string, unknown>> => {
  const parameters = [{ in: 'path', required: true, schema: TEXT, ...parameter }];
  const path = `/teams/{${parameter.name}}`;
  return toDocument({
    '/teams': { post: { ...sends(newTeam), responses: { 201: json(team), 404: { description: 'none' } } } },
    [path]: { parameters, get: finds(team), patch: takes(object(newTeam.properties), team), delete: REMOVED },
    [`${path}/notes`]: { parameters, get: shows(arrayOf(team)), post: takes(newTeam, team, 201) },
    ...more,
  });
};

describe('an item with two keys', () => {
  const cases: readonly (readonly [
    told: string,
    parameter: Readonly<Record<string, unknown>> & { readonly name: string },
  ])[] = [
    ['by the name of the parameter', { name: 'id_or_slug' }],
    ['by the description of the parameter', { name: 'team', description: 'The ID or the slug of the team.' }],
    ['by the description with code', { name: 'team', description: 'The id. The `slug` is accepted as well.' }],
    [
      'by the description of the schema of the parameter',
      { name: 'team', schema: { type: 'string', description: "The team's ID or slug." } },
    ],
    ['by a branch of the schema of the parameter', { name: 'team', schema: { anyOf: [INTEGER, ref('team_slug')] } }],
  ];

  it.each(cases)('is read, changed and removed by either: %s', async (_, parameter) => {
    const spec = { ...createDocument(parameter), components: { schemas: { team_slug: TEXT } } };
    const { send } = await openShop({ ...CLOSED, spec });
    const { body } = await send('POST', '/teams', { slug: 'red', name: 'Red' });
    expect((await send('GET', `/teams/${String(body['id'])}`)).body).toEqual(body);
    expect((await send('GET', '/teams/red')).body).toEqual(body);
    expect((await send('GET', '/teams/blue')).status).toBe(404);
    expect((await send('PATCH', '/teams/red', { name: 'Rot' })).body).toEqual({ ...body, name: 'Rot' });
    expect((await send('DELETE', '/teams/red')).status).toBe(204);
    expect((await send('GET', `/teams/${String(body['id'])}`)).status).toBe(404);
  });

  it('has one list of items below it, whichever key names it', async () => {
    const { send } = await openShop({ ...CLOSED, spec: createDocument({ name: 'id_or_slug' }) });
    const { body } = await send('POST', '/teams', { slug: 'red', name: 'Red' });
    const note = await send('POST', '/teams/red/notes', { slug: 'n', name: 'Note' });
    expect((await send('GET', `/teams/${String(body['id'])}/notes`)).body).toEqual([note.body]);
  });

  it('is read at a path of its own for the other key', async () => {
    const more = { '/teams/by-slug/{slug}': { ...inPath('slug'), get: finds(team) } };
    const { send } = await openShop({ ...CLOSED, spec: createDocument({ name: 'team_id' }, more) });
    const { body } = await send('POST', '/teams', { slug: 'red', name: 'Red' });
    expect((await send('GET', '/teams/by-slug/red')).body).toEqual(body);
    expect((await send('GET', '/teams/by-slug/blue')).status).toBe(404);
  });
});

describe('an id with a format', () => {
  it.each(['ipv4', 'ipv6', 'email', 'hostname', 'uri'])('is valid: %s', async (format) => {
    const address = object({ ip: { type: 'string', format }, note: TEXT });
    const spec = toDocument({
      '/ips': { post: takes(object({ note: TEXT }), address, 201) },
      '/ips/{ip}': { parameters: [pathParameter('ip', { type: 'string', format })], get: finds(address) },
    });
    const { send } = await openShop({ ...CLOSED, spec });
    const [one, two] = [await send('POST', '/ips', { note: 'a' }), await send('POST', '/ips', { note: 'a' })];
    expect(one.body['ip']).not.toBe(two.body['ip']);
    expect((await send('GET', `/ips/${encodeURIComponent(String(one.body['ip']))}`)).body).toEqual(one.body);
  });
});

it('a list at a path of its own shows the items of the collection beside it', async () => {
  const refs = ref('Team');
  const spec = toDocument(
    {
      '/staff/team': { post: takes(newTeam, refs) },
      '/staff/team/{id}': { parameters: [pathParameter('id', INTEGER)], get: shows(refs) },
      '/staff/list': { get: shows(object({ teams: arrayOf(refs) })) },
    },
    { Team: team },
  );
  const { send } = await openShop({ ...CLOSED, spec });
  const { body } = await send('POST', '/staff/team', { slug: 'red', name: 'Red' });
  expect((await send('GET', '/staff/list')).body['teams']).toEqual([body]);
});

it('a second key that the server makes is different for every item', async () => {
  const fingerprint = {
    type: 'string',
    pattern: '^([0-9a-f]{2}:){3}[0-9a-f]{2}$',
    example: 'a0:5c:11:d7',
    readOnly: true,
  };
  const key = object({ id: INTEGER, fingerprint, name: TEXT }, 'id', 'fingerprint');
  const description = 'The ID or the fingerprint of a key.';
  const spec = toDocument({
    '/keys': { post: takes(object({ name: TEXT }), key, 201) },
    '/keys/{key}': {
      parameters: [{ name: 'key', in: 'path', required: true, description, schema: {} }],
      get: shows(key),
    },
  });
  const { send } = await openShop({ ...CLOSED, spec });
  for (const name of ['a', 'b', 'c']) {
    const { body } = await send('POST', '/keys', { name });
    expect((await send('GET', `/keys/${String(body['fingerprint'])}`)).body).toEqual(body);
  }
});

it('a list of what the user of a request has shows the items of the collection without a list', async () => {
  const refs = ref('Team');
  const summary = object({ id: INTEGER, name: TEXT });
  const spec = toDocument(
    {
      '/teams': { post: takes(newTeam, refs, 201) },
      '/teams/{id}': { parameters: [pathParameter('id', INTEGER)], get: shows(refs) },
      '/users/@me/teams': { get: shows(arrayOf(summary)) },
    },
    { Team: team },
  );
  const { send } = await openShop({ ...CLOSED, spec });
  const { body } = await send('POST', '/teams', { slug: 'red', name: 'Red' });
  expect((await send('GET', '/users/@me/teams')).body).toEqual([{ id: body['id'], name: 'Red' }]);
});

it('is found in a list of what a parameter can be', async () => {
  const description = 'The id of the team, their slug, or `own`.';
  const { send } = await openShop({ ...CLOSED, spec: createDocument({ name: 'team_id', description }) });
  const { body } = await send('POST', '/teams', { slug: 'red', name: 'Red' });
  expect((await send('GET', '/teams/red')).body).toEqual(body);
});

describe('a parameter whose last word is a property', () => {
  const toSpec = (name: string): Readonly<Record<string, unknown>> => ({
    ...createDocument({ name }),
    paths: Object.fromEntries(
      Object.entries(createDocument({ name })['paths'] as object).map(([path, item]) => [
        path.replace('/teams', '/crews'),
        item,
      ]),
    ),
  });

  it('names the key of an item that the path calls something else', async () => {
    const { send } = await openShop({ ...CLOSED, spec: toSpec('teamSlug') });
    const { body } = await send('POST', '/crews', { slug: 'red', name: 'Red' });
    expect((await send('GET', '/crews/red')).body).toEqual(body);
    expect((await send('DELETE', '/crews/red')).status).toBe(204);
    expect((await send('GET', '/crews/red')).status).toBe(404);
  });

  it('is not the key where the word belongs to the name of the item', async () => {
    const spec = toSpec('crew');
    const code = JSON.parse(
      JSON.stringify(spec)
        .replaceAll('/crews', '/gift_codes')
        .replaceAll('crew', 'gift_code')
        .replaceAll('"slug"', '"code"'),
    ) as typeof spec;
    const { send } = await openShop({ ...CLOSED, spec: code });
    const { body } = await send('POST', '/gift_codes', { code: 'summer', name: 'Summer' });
    expect((await send('GET', `/gift_codes/${String(body['id'])}`)).body).toEqual(body);
  });
});

it('the primary key of Django identifies an item, whatever the parameter is called', async () => {
  const role = object({ pk: { type: 'string', format: 'uuid', readOnly: true }, name: TEXT }, 'pk', 'name');
  const spec = {
    openapi: '3.0.3',
    info: { title: 'Roles', version: '1' },
    paths: {
      '/roles/': { get: shows(object({ results: arrayOf(role) })), post: takes(role, role, 201) },
      '/roles/{uuid}/': {
        parameters: [pathParameter('uuid', { type: 'string', format: 'uuid' })],
        get: finds(role),
        delete: REMOVED,
      },
    },
  };
  const { send } = await openShop({ ...CLOSED, spec });
  const { body } = await send('POST', '/roles/', { name: 'Admin' });
  const path = `/roles/${String(body['pk'])}/`;
  expect((await send('GET', path)).body).toEqual(body);
  expect((await send('DELETE', path)).status).toBe(204);
  expect((await send('GET', '/roles/')).body).toEqual({ results: [] });
});

describe('where unknown ids are created', () => {
  it('a key that is not a number creates an item with a number of its own', async () => {
    const { send } = await openShop({ spec: createDocument({ name: 'id_or_slug' }) });
    const { body: made } = await send('GET', '/teams/red');
    expect(made).toMatchObject({ id: expect.any(Number), slug: 'red' });
    expect((await send('GET', `/teams/${String(made['id'])}`)).body).toEqual(made);
    expect((await send('GET', '/teams/77')).body).toMatchObject({ id: 77 });
  });

  it('a value that no key can have is the same item each time', async () => {
    const user = object({ id: INTEGER, email: { type: 'string', format: 'email' } }, 'id', 'email');
    const { send } = await openShop({
      spec: toDocument({ '/users/{id_or_email}': { ...inPath('id_or_email'), get: shows(user) } }),
    });
    const { body: made } = await send('GET', '/users/ada%40example.com');
    expect(made['email']).toBe('ada@example.com');
    const { body: other } = await send('GET', '/users/ada');
    expect((await send('GET', '/users/ada')).body).toEqual(other);
  });

  it('a user is read by number at one path and by login at another', async () => {
    const user = object({ id: INTEGER, login: TEXT }, 'id', 'login');
    const read = (name: string, type: string): object => ({
      parameters: [pathParameter(name, { type })],
      get: shows(ref('User')),
    });
    const { send } = await openShop({
      spec: toDocument(
        {
          '/user/{account_id}': read('account_id', 'integer'),
          '/users': { get: shows(arrayOf(ref('User'))) },
          '/users/{username}': read('username', 'string'),
        },
        { User: user },
      ),
    });
    const { body: made } = await send('GET', '/users/ada');
    expect(made).toMatchObject({ id: expect.any(Number), login: 'ada' });
    expect((await send('GET', `/user/${String(made['id'])}`)).body).toEqual(made);
  });
});
