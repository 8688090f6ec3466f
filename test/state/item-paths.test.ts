import { expect, it } from 'vitest';
import { finds, inPath, json, pathParameter, REMOVED, sends, shows, takes, toDocument } from '../operation-parts.js';
import { arrayOf, CLOSED, INTEGER, object, ref, TEXT } from '../schema-parts.js';
import { openShop } from './shop.js';

const repo = object({ id: TEXT, name: TEXT, owner: object({ login: TEXT }, 'login') }, 'id', 'name', 'owner');

it('Location names the path that reads the item, also where another path creates it', async () => {
  const spec = toDocument({
    '/user/repos': { get: shows(arrayOf(repo)), post: takes(object({ name: TEXT }, 'name'), repo, 201) },
    '/repos/{owner}/{repo}': { ...inPath('owner', 'repo'), get: shows(repo) },
  });
  const { send } = await openShop({ ...CLOSED, spec });
  const created = await send('POST', '/user/repos', { name: 'tools' });
  const location = created.headers.get('location') ?? '';
  expect(location).toMatch(/^\/repos\/[^/]+\/tools$/);
  expect((await send('GET', location)).body).toEqual(created.body);
});

it('a path that only creates adds to the collection that another path reads', async () => {
  const credit = object({ id: TEXT, amount: INTEGER }, 'id', 'amount');
  const credits = object({ data: arrayOf(credit) }, 'data');
  const spec = toDocument({
    '/treasury/credits': { get: shows(credits) },
    '/treasury/credits/{id}': { ...inPath('id'), get: shows(credit) },
    '/test_helpers/credits': { post: takes(object({ amount: INTEGER }, 'amount'), credit) },
  });
  // Both answers have the same inline schema only where it is shared.
  const shared = JSON.parse(
    JSON.stringify(spec).replaceAll(JSON.stringify(credit), '{"$ref":"#/components/schemas/Credit"}'),
  ) as Readonly<Record<string, unknown>>;
  const { send } = await openShop({ ...CLOSED, spec: { ...shared, components: { schemas: { Credit: credit } } } });
  const { body } = await send('POST', '/test_helpers/credits', { amount: 5 });
  expect((await send('GET', `/treasury/credits/${String(body['id'])}`)).body).toEqual(body);
  expect((await send('GET', '/treasury/credits')).body).toEqual({ data: [body] });
});

it('a PUT without a body that declares 201 adds the item that its path names, also by its login', async () => {
  const user = object({ id: INTEGER, login: TEXT }, 'id', 'login');
  const spec = toDocument({
    '/teams/{team}/memberships': { ...inPath('team'), get: shows(arrayOf(user)) },
    '/teams/{team}/memberships/{username}': {
      ...inPath('team', 'username'),
      get: finds(user),
      put: shows(user, 201),
      delete: REMOVED,
    },
  });
  const { send } = await openShop({ ...CLOSED, spec });
  const { status, body } = await send('PUT', '/teams/a/memberships/mona');
  expect([status, body['login']]).toEqual([201, 'mona']);
  expect((await send('GET', '/teams/a/memberships')).body).toEqual([body]);
  expect((await send('DELETE', '/teams/a/memberships/mona')).status).toBe(204);
  expect((await send('GET', '/teams/a/memberships/mona')).status).toBe(404);
});

it('an item whose id is a hash is not a list, although it has an array', async () => {
  const commit = object(
    { sha: TEXT, url: TEXT, message: TEXT, parents: arrayOf(object({ sha: TEXT })) },
    'sha',
    'message',
  );
  const spec = toDocument({
    '/git/commits': { post: takes(object({ message: TEXT }, 'message'), commit, 201) },
    '/git/commits/{commit_sha}': { ...inPath('commit_sha'), get: shows(commit) },
  });
  const { send } = await openShop({ ...CLOSED, spec });
  const { body } = await send('POST', '/git/commits', { message: 'first' });
  expect(body['message']).toBe('first');
  expect((await send('GET', `/git/commits/${String(body['sha'])}`)).body).toEqual(body);
});

it('an object that only names another item is not the item of a request', async () => {
  const target = object({ type: TEXT, id: TEXT }, 'type', 'id');
  const assignment = object({ id: TEXT, type: TEXT, start: TEXT, by: TEXT, at: TEXT, target }, 'id');
  const spec = toDocument({
    '/assignments': { post: takes(object({ policy: TEXT, assign_to: target, start: TEXT }), assignment, 201) },
    '/assignments/{id}': { ...inPath('id'), get: shows(assignment) },
  });
  const { send } = await openShop({ ...CLOSED, spec });
  const { body } = await send('POST', '/assignments', { assign_to: { type: 'folder', id: '5' }, start: 'now' });
  expect(body['start']).toBe('now');
  expect(body['id']).not.toBe('5');
});

it('a value that only a request can have is left out without the rest of its object', async () => {
  const company = (structures: readonly string[]): object => object({ name: TEXT, structure: { enum: structures } });
  const account = object({ id: TEXT, company: company(['llc']) }, 'id');
  const spec = toDocument({
    '/accounts': { post: takes(object({ company: company(['', 'llc']) }), account, 201) },
    '/accounts/{id}': { ...inPath('id'), get: shows(account) },
  });
  const { send } = await openShop({ ...CLOSED, spec });
  const { status, body } = await send('POST', '/accounts', { company: { name: 'Acme', structure: '' } });
  expect([status, body['company']]).toEqual([201, { name: 'Acme' }]);
});

it('an item that two properties identify is found under its new name, with what is below it, in its place', async () => {
  const named = object(
    { name: TEXT, full_name: TEXT, owner: object({ login: { type: 'string', example: 'mira' } }, 'login') },
    'name',
    'full_name',
    'owner',
  );
  const key = object({ id: TEXT, title: TEXT }, 'id', 'title');
  const spec = toDocument({
    '/user/repos': { get: shows(arrayOf(named)), post: takes(object({ name: TEXT }, 'name'), named, 201) },
    '/repos/{owner}/{repo}': {
      ...inPath('owner', 'repo'),
      get: shows(named),
      patch: { ...sends(object({ name: TEXT })), responses: { 200: json(named), 409: { description: 'taken' } } },
    },
    '/repos/{owner}/{repo}/keys': {
      ...inPath('owner', 'repo'),
      get: shows(arrayOf(key)),
      post: takes(object({ title: TEXT }), key, 201),
    },
  });
  const { send } = await openShop({ ...CLOSED, spec });
  for (const name of ['one', 'two']) await send('POST', '/user/repos', { name });
  const before = await send('GET', '/user/repos');
  expect(before.list).toMatchObject([{ full_name: 'mira/one' }, { full_name: 'mira/two' }]);
  const { body: added } = await send('POST', '/repos/mira/one/keys', { title: 'deploy' });
  expect((await send('PATCH', '/repos/mira/one', { name: 'two' })).status).toBe(409);
  expect((await send('PATCH', '/repos/mira/one', { name: 'new' })).body).toMatchObject({ full_name: 'mira/new' });
  expect((await send('GET', '/repos/mira/one')).status).toBe(404);
  expect((await send('GET', '/repos/mira/new')).body).toMatchObject({ name: 'new', full_name: 'mira/new' });
  expect((await send('GET', '/repos/mira/new/keys')).list).toEqual([added]);
  const after = await send('GET', '/user/repos');
  expect(after.list.map(({ name }) => name)).toEqual(['new', 'two']);
});

it('operations of different versions change the same items, unless one operation has two versions', async () => {
  const project = object({ id: TEXT, name: TEXT }, 'id', 'name');
  const creates = { post: takes(object({ name: TEXT }, 'name'), project, 201) };
  const lists = { get: shows(arrayOf(project)) };
  const reads = { ...inPath('project_id'), get: shows(project) };
  const removes = { ...inPath('id_or_name'), delete: REMOVED };
  const paths = {
    '/v10/projects': lists,
    '/v11/projects': creates,
    '/v9/projects/{project_id}': reads,
    '/v2/projects/{id_or_name}': removes,
  };
  const { send } = await openShop({ ...CLOSED, spec: toDocument(paths) });
  const { body } = await send('POST', '/v11/projects', { name: 'a' });
  const id = String(body['id']);
  expect((await send('GET', `/v9/projects/${id}`)).body).toEqual(body);
  expect((await send('GET', '/v10/projects')).body).toEqual([body]);
  expect((await send('DELETE', `/v2/projects/${id}`)).status).toBe(204);
  expect((await send('GET', `/v9/projects/${id}`)).status).toBe(404);

  const both = { '/v1/projects': { ...lists, ...creates }, '/v2/projects': { ...lists, ...creates } };
  const twice = await openShop({ ...CLOSED, spec: toDocument(both) });
  await twice.send('POST', '/v1/projects', { name: 'a' });
  expect((await twice.send('GET', '/v2/projects')).body).toEqual([]);
});

it('an item shows the id of the parent in its path, whose parameter is a plain `id`', async () => {
  const whole = INTEGER;
  const project = object({ id: whole, name: TEXT }, 'id', 'name');
  const issue = object({ id: whole, iid: whole, project_id: whole, title: TEXT }, 'id', 'iid', 'project_id', 'title');
  const parameters = [pathParameter('id', whole)];
  const spec = toDocument({
    '/projects': { post: takes(object({ name: TEXT }, 'name'), project, 201) },
    '/projects/{id}': { parameters, get: shows(project) },
    '/projects/{id}/issues': { parameters, post: takes(object({ title: TEXT }, 'title'), issue, 201) },
    '/projects/{id}/issues/{issue_iid}': {
      parameters: [...parameters, pathParameter('issue_iid', whole)],
      get: shows(issue),
    },
  });
  const { send } = await openShop({ ...CLOSED, spec });
  const { body: made } = await send('POST', '/projects', { name: 'a' });
  const { body: first } = await send('POST', `/projects/${String(made['id'])}/issues`, { title: 'one' });
  const { body: second } = await send('POST', `/projects/${String(made['id'])}/issues`, { title: 'two' });
  expect(first).toMatchObject({ project_id: made['id'], title: 'one' });
  expect(second).toMatchObject({ project_id: made['id'], title: 'two' });
  expect(second['id']).not.toBe(first['id']);
});

it('an id that is sent is shown in the object of what it names, in the property of its type', async () => {
  const company = object({ object_id: TEXT, name: TEXT });
  const owner = object({ name: TEXT, value: INTEGER });
  const parcel = object({ object_id: TEXT, company, owner }, 'object_id');
  const sent = object({ company: { oneOf: [TEXT, object({ name: TEXT })] }, owner: INTEGER });
  const spec = toDocument({
    '/parcels': { get: shows(object({ results: arrayOf(parcel) })), post: takes(sent, parcel, 201) },
    '/parcels/{ParcelId}': { ...inPath('ParcelId'), get: shows(parcel) },
  });
  const { send } = await openShop({ ...CLOSED, spec });
  const { body } = await send('POST', '/parcels', { company: 'c1', owner: 7 });
  expect(body).toMatchObject({ company: { object_id: 'c1' }, owner: { value: 7 } });
  expect((await send('GET', `/parcels/${String(body['object_id'])}`)).body).toEqual(body);
});

it('paths that each look like another spelling of one list have one collection', async () => {
  const file = object({ fileID: TEXT, title: TEXT }, 'fileID', 'title');
  const files = { get: shows(arrayOf(ref('File'))) };
  const spec = toDocument(
    {
      '/files': files,
      '/files/findByMention/{fileID}': { ...inPath('fileID'), ...files },
      '/files/findByDate': files,
      '/files/findByAuthor/{authorID}': { ...inPath('authorID'), ...files },
      '/files/{fileID}': { ...inPath('fileID'), ...files },
    },
    { File: file },
  );
  const { send } = await openShop({ spec });
  for (const path of [
    '/files',
    '/files/findByMention/A1',
    '/files/findByDate',
    '/files/findByAuthor/B2',
    '/files/A1',
  ]) {
    expect([path, (await send('GET', path)).status]).toEqual([path, 200]);
  }
});
