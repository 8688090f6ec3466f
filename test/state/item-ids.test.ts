import { describe, expect, it } from 'vitest';
import { inPath, pathParameter, sends, shows, takes, toDocument } from '../operation-parts.js';
import { CLOSED, INTEGER, object, type Part, ref, TEXT } from '../schema-parts.js';
import { openShop } from './shop.js';
const UUID = { type: 'string', format: 'uuid' };

/** A path parameter with a schema. */
const parameter = (name: string, schema: object): Part => pathParameter(name, schema);

const named = object({ id: TEXT, name: TEXT }, 'name');

/** A collection of named items, each of them at a path. */
const collection = (path: string, item: object, own: Part, created: object = item): Part => ({
  [path]: { post: takes(object({ name: TEXT }, 'name'), created, 201) },
  [`${path}/{id}`]: { parameters: [own], get: shows(item) },
});

describe('the id of an item', () => {
  it('has the name of the parameter in its own path, whatever paths below it call it', async () => {
    const list = object({ id: TEXT, email: TEXT, name: TEXT }, 'id', 'name');
    const spec = toDocument({
      '/lists/{email}/companies': { ...inPath('email'), get: shows(object({ total: INTEGER })) },
      ...collection('/lists', list, parameter('id', INTEGER)),
    });
    const { send } = await openShop({ ...CLOSED, spec });
    const { body } = await send('POST', '/lists', { name: 'a' });
    expect((await send('GET', `/lists/${String(body['id'])}`)).body).toEqual(body);
  });

  const created = object({ id: INTEGER, name: TEXT }, 'id', 'name');

  it.each([
    { name: 'a path below the item takes numbers only', below: INTEGER, created: named, form: /^\d+$/ },
    { name: 'a path below the item takes UUIDs only', below: UUID, created: named, form: /^[\da-f-]{36}$/ },
    { name: 'the create shows a number', below: TEXT, created, form: /^\d+$/ },
  ])('is right wherever a request names it: $name', async ({ below, created: shown, form }) => {
    const spec = toDocument({
      ...collection('/projects', named, parameter('id', TEXT), shown),
      '/projects/{id}/notes/{note_id}': {
        parameters: [parameter('id', below), parameter('note_id', TEXT)],
        put: takes(named, named, 201),
      },
    });
    const { send } = await openShop({ ...CLOSED, spec });
    const { body } = await send('POST', '/projects', { name: 'a' });
    expect(String(body['id'])).toMatch(form);
    expect((await send('GET', `/projects/${String(body['id'])}`)).body).toEqual({ id: String(body['id']), name: 'a' });
    expect((await send('PUT', `/projects/${String(body['id'])}/notes/n1`, { name: 'b' })).status).toBe(201);
  });

  it('is a UUID where its path takes nothing else, although the item shows another example', async () => {
    const ip = object({ id: { ...TEXT, example: '1293384261075731499' }, name: TEXT }, 'id', 'name');
    const { send } = await openShop({ ...CLOSED, spec: toDocument(collection('/ips', ip, parameter('id', UUID))) });
    const { body } = await send('POST', '/ips', { name: 'a' });
    expect((await send('GET', `/ips/${String(body['id'])}`)).body).toEqual(body);
  });

  it.each([
    { id: 'ID', path: '/senders/{signatureid}', schema: INTEGER, value: 7 },
    { id: 'username', path: '/user/{user}', schema: TEXT, value: 'mira' },
  ])('can be $id for $path', async ({ id, path, schema, value }) => {
    const item = object({ [id]: schema, name: TEXT }, id);
    const [base = '', name = ''] = path.slice(0, -1).split('/{');
    const spec = toDocument({
      [base]: { post: takes(item, item, 201) },
      [path]: { parameters: [parameter(name, schema)], get: shows(item) },
    });
    const { send } = await openShop({ ...CLOSED, spec });
    const { body } = await send('POST', base, { [id]: value, name: 'a' });
    expect((await send('GET', `${base}/${String(body[id])}`)).body).toEqual(body);
  });

  it('has the name of an object in it and of a property of that: `owner.name` for `{owner_name}`', async () => {
    const app = object({ name: TEXT, owner: object({ name: TEXT }, 'name') }, 'name', 'owner');
    const spec = toDocument({
      '/apps': { post: takes(object({ name: TEXT }, 'name'), app, 201) },
      '/apps/{owner_name}/{app_name}': { ...inPath('owner_name', 'app_name'), get: shows(app) },
    });
    const { send } = await openShop({ ...CLOSED, spec });
    const { body } = await send('POST', '/apps', { name: 'tools' });
    const { name } = body['owner'] as { readonly name: string };
    expect((await send('GET', `/apps/${encodeURIComponent(name)}/tools`)).body).toEqual(body);
  });

  it('is not changed by an update where no create can choose it', async () => {
    const item = object({ key: TEXT, title: TEXT }, 'key');
    const spec = toDocument({
      '/transactions': { post: takes(object({ title: TEXT }), item, 201) },
      '/transactions/{key}': { ...inPath('key'), get: shows(item), patch: takes(item, item) },
    });
    const { send } = await openShop({ ...CLOSED, spec });
    const { body } = await send('POST', '/transactions', { title: 'a' });
    const path = `/transactions/${String(body['key'])}`;
    expect((await send('PATCH', path, { key: 'other', title: 'b' })).body).toEqual({ ...body, title: 'b' });
    expect((await send('GET', path)).body).toEqual({ ...body, title: 'b' });
  });

  it('is what a create answers that shows nothing else, also where the item shows its own URL', async () => {
    const list = object({ self: { type: 'string', format: 'uri' }, name: TEXT }, 'self', 'name');
    const spec = toDocument({
      '/lists': { post: takes(object({ name: TEXT }, 'name'), UUID) },
      '/lists/{list_id}': { parameters: [parameter('list_id', UUID)], get: shows(list) },
    });
    const { send } = await openShop({ ...CLOSED, spec });
    const id: unknown = (await send('POST', '/lists', { name: 'a' })).body;
    expect((await send('GET', `/lists/${String(id)}`)).body).toMatchObject({ name: 'a' });
  });
});

it('the id that a create shows is not a secret where the item requires nothing', async () => {
  const project = object({ id: TEXT, key: TEXT, name: TEXT });
  const created = object({ id: TEXT, key: TEXT }, 'id', 'key');
  const spec = toDocument({
    '/projects': { post: takes(object({ key: TEXT, name: TEXT }, 'key'), created, 201) },
    '/projects/{id}': { ...inPath('id'), get: shows(project) },
  });
  const { send } = await openShop({ ...CLOSED, spec });
  const { body } = await send('POST', '/projects', { key: 'AB', name: 'a' });
  expect((await send('GET', `/projects/${String(body['id'])}`)).body).toEqual({ ...body, name: 'a' });
});

it('an item that its collection creates has the shorter path, where a longer one shows it in a format', async () => {
  const revision = object({ id: TEXT, text: TEXT }, 'id');
  const spec = toDocument(
    {
      '/revisions/{id}/{format}': { ...inPath('id', 'format'), get: shows(TEXT) },
      '/revisions/{id}': { ...inPath('id'), get: shows(ref('Revision')) },
      '/revisions': { post: takes(object({ text: TEXT }), ref('Revision'), 201) },
    },
    { Revision: revision },
  );
  const { send } = await openShop({ ...CLOSED, spec });
  const { body } = await send('POST', '/revisions', { text: 'a' });
  expect((await send('GET', `/revisions/${String(body['id'])}`)).body).toEqual(body);
});

it('what is created below an item is read where items of the same schema are, not at a path of similar ones', async () => {
  const comment = object({ id: INTEGER, body: TEXT, at: TEXT, by: TEXT }, 'id', 'body');
  const reads = { ...inPath('comment_id'), get: shows(ref('CommitComment')) };
  const spec = toDocument(
    {
      '/comments/{comment_id}': reads,
      '/issues/comments/{comment_id}': { ...reads, get: shows(ref('IssueComment')) },
      '/issues/{issue_id}/comments': {
        ...inPath('issue_id'),
        post: takes(object({ body: TEXT }, 'body'), ref('IssueComment'), 201),
      },
    },
    { CommitComment: comment, IssueComment: { ...comment, title: 'A comment of an issue' } },
  );
  const { send } = await openShop({ ...CLOSED, spec });
  const { body } = await send('POST', '/issues/1/comments', { body: 'a' });
  expect((await send('GET', `/issues/comments/${String(body['id'])}`)).body).toEqual(body);
  expect((await send('GET', `/comments/${String(body['id'])}`)).status).toBe(404);
});

it('Location ends in a slash where the paths of items do', async () => {
  const spec = toDocument({
    '/notes/': { post: takes(object({ name: TEXT }, 'name'), named, 201) },
    '/notes/{id}/': { ...inPath('id'), get: shows(named) },
  });
  const { send } = await openShop({ ...CLOSED, spec });
  const created = await send('POST', '/notes/', { name: 'a' });
  const location = created.headers.get('location') ?? '';
  expect(location).toMatch(/^\/notes\/[^/]+\/$/);
  expect((await send('GET', location)).status).toBe(200);
});

it.each([
  { name: 'a range of successes', key: '2XX', more: {}, status: 201 },
  { name: 'a success that declares it', key: '202', more: { headers: { Location: { schema: TEXT } } }, status: 202 },
])('Location names what was created without a body: $name', async ({ key, more, status }) => {
  const spec = toDocument({
    '/payouts': {
      post: { ...sends(object({ name: TEXT }, 'name')), responses: { [key]: { description: 'made', ...more } } },
    },
    '/payouts/{id}': { ...inPath('id'), get: shows(named) },
  });
  const { send } = await openShop({ ...CLOSED, spec });
  const created = await send('POST', '/payouts', { name: 'a' });
  expect(created.status).toBe(status);
  expect((await send('GET', created.headers.get('location') ?? '')).body).toMatchObject({ name: 'a' });
});

it('an id that clients choose is taken once where the hint unique names it, and can be replaced', async () => {
  const Flag = object({ code: TEXT, size: INTEGER }, 'code');
  const spec = {
    ...toDocument(
      {
        '/flags': { post: takes(ref('Flag'), ref('Flag'), 201) },
        '/flags/{code}': { ...inPath('code'), get: shows(ref('Flag')), put: takes(ref('Flag'), ref('Flag')) },
      },
      { Flag },
    ),
    'x-mock': { collections: { flags: { unique: ['code'] } } },
  };
  const { send } = await openShop({ spec });
  const statusOf = async (method: string, path: string, size: number): Promise<number> =>
    (await send(method, path, { code: 'red', size })).status;
  expect([await statusOf('POST', '/flags', 1), await statusOf('POST', '/flags', 2)]).toEqual([201, 409]);
  expect(await statusOf('PUT', '/flags/red', 3)).toBe(200);
  expect((await send('GET', '/flags/red')).body).toEqual({ code: 'red', size: 3 });
});
