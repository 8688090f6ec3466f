import { describe, expect, it } from 'vitest';
import { inPath, json, REMOVED, sends, toDocument } from '../operation-parts.js';
import { arrayOf, INTEGER, object, type Part, ref, TEXT, WORLDS } from '../schema-parts.js';
import { openShop, type Shop } from './shop.js';

const GONE: Part = REMOVED;

const list = (name: string): Part => ({ responses: { 200: json(object({ items: arrayOf(ref(name)) })) } });

const shows = (name: string, status = 200): Part => ({ responses: { [status]: json(ref(name)) } });

/** Creates, lists, changes and removes an item at the path of one item. */
async function live(send: Shop['send'], at: { list: string; item: string; sent: Part }): Promise<void> {
  expect((await send('POST', at.list, at.sent)).body).toMatchObject(at.sent);
  expect((await send('GET', at.item)).body).toMatchObject(at.sent);
  expect((await send('GET', at.list)).body['items']).toContainEqual(expect.objectContaining(at.sent));
  expect((await send('PATCH', at.item, { name: 'changed' })).body).toMatchObject({ ...at.sent, name: 'changed' });
  expect((await send('DELETE', at.item)).status).toBe(204);
  expect((await send('GET', at.item)).status).toBe(404);
  expect((await send('GET', at.list)).body['items']).not.toContainEqual(expect.objectContaining(at.sent));
}

describe.each(WORLDS)('in a %s world', (_, options) => {
  const key = object({ key: TEXT, name: TEXT }, 'key', 'name');
  const project = {
    '/api/v2/projects': { get: list('Project'), post: { ...sends(ref('Project')), ...shows('Project', 201) } },
    '/api/v2/projects/{projectKey}': { ...inPath('projectKey'), get: shows('Project'), delete: GONE },
  };
  const flags = {
    '/api/v2/flags/{projectKey}': {
      ...inPath('projectKey'),
      get: list('Flag'),
      post: { ...sends(ref('Flag')), ...shows('Flag', 201) },
    },
    '/api/v2/flags/{projectKey}/{flagKey}': {
      ...inPath('projectKey', 'flagKey'),
      get: shows('Flag'),
      patch: { ...sends(object({ name: TEXT })), ...shows('Flag') },
      delete: GONE,
    },
  };

  it.each([
    ['with', { ...project, ...flags }],
    ['without', flags],
  ])(
    'items below the id of a parent that no noun names live a whole life, %s paths of the parent',
    async (name, paths) => {
      const { send } = await openShop({ ...options, spec: toDocument(paths, { Project: key, Flag: key }) });
      if (name === 'with') await send('POST', '/api/v2/projects', { key: 'app', name: 'App' });
      await live(send, {
        list: '/api/v2/flags/app',
        item: '/api/v2/flags/app/dark',
        sent: { key: 'dark', name: 'Dark' },
      });
      await send('POST', '/api/v2/flags/app', { key: 'beta', name: 'Beta' });
      const other = (await send('GET', '/api/v2/flags/other')).body;
      expect(other['items'] ?? []).not.toContainEqual({ key: 'beta', name: 'Beta' });
    },
  );

  it('items live a whole life at a path without any noun', async () => {
    const row = object({ id: TEXT, name: TEXT, size: INTEGER }, 'id', 'name');
    const spec = toDocument(
      {
        '/v0/{baseId}/{tableName}': {
          ...inPath('baseId', 'tableName'),
          get: list('Row'),
          post: { ...sends(object({ name: TEXT, size: INTEGER })), ...shows('Row') },
        },
        '/v0/{baseId}/{tableName}/{rowId}': {
          ...inPath('baseId', 'tableName', 'rowId'),
          get: shows('Row'),
          patch: { ...sends(object({ name: TEXT })), ...shows('Row') },
          delete: GONE,
        },
        '/v0/{baseId}/{tableName}/{rowId}/notes': {
          ...inPath('baseId', 'tableName', 'rowId'),
          get: list('Note'),
          post: { ...sends(object({ text: TEXT })), ...shows('Note') },
        },
      },
      { Row: row, Note: object({ id: TEXT, text: TEXT }, 'id', 'text') },
    );
    const { send } = await openShop({ ...options, spec });
    const { body } = await send('POST', '/v0/b1/ships', { name: 'first', size: 3 });
    const item = `/v0/b1/ships/${String(body['id'])}`;
    const note = (await send('POST', `${item}/notes`, { text: 'hello' })).body;
    expect((await send('GET', `${item}/notes`)).body).toEqual({ items: [note] });
    expect((await send('GET', '/v0/b1/ships')).body).toEqual({ items: [body] });
    expect((await send('PATCH', item, { name: 'second' })).body).toEqual({ ...body, name: 'second' });
    expect((await send('DELETE', item)).status).toBe(204);
    expect((await send('GET', item)).status).toBe(404);
  });

  it('an item is read by its slug below a parent, wherever it is created', async () => {
    const team = object({ id: TEXT, slug: TEXT, name: TEXT }, 'id', 'slug');
    const details = object({ id: TEXT, slug: TEXT, name: TEXT, options: { type: 'object' } }, 'id', 'slug');
    const create = (name: string): Part => ({
      ...sends(object({ slug: TEXT, name: TEXT }, 'name')),
      ...shows(name, 201),
    });
    const all = (name: string): Part => ({ responses: { 200: json(arrayOf(ref(name))) } });
    const spec = toDocument(
      {
        '/organizations/{organization_id_or_slug}/teams': {
          ...inPath('organization_id_or_slug'),
          get: all('Team'),
          post: create('Team'),
        },
        '/teams/{organization_id_or_slug}/{team_id_or_slug}': {
          ...inPath('organization_id_or_slug', 'team_id_or_slug'),
          get: shows('Team'),
          delete: GONE,
        },
        '/teams/{organization_id_or_slug}/{team_id_or_slug}/projects': {
          ...inPath('organization_id_or_slug', 'team_id_or_slug'),
          get: all('Project'),
          post: create('Project'),
        },
        '/organizations/{organization_id_or_slug}/projects': {
          ...inPath('organization_id_or_slug'),
          get: all('Project'),
        },
        '/projects/{organization_id_or_slug}/{project_id_or_slug}': {
          ...inPath('organization_id_or_slug', 'project_id_or_slug'),
          get: shows('Details'),
          delete: GONE,
        },
      },
      { Team: team, Project: team, Details: details },
    );
    const { send } = await openShop({ ...options, spec });
    const night = (await send('POST', '/organizations/acme/teams', { slug: 'night', name: 'Night' })).body;
    await send('POST', '/organizations/acme/teams', { slug: 'day', name: 'Day' });
    for (const id of ['night', String(night['id'])])
      expect((await send('GET', `/teams/acme/${id}`)).body).toEqual(night);
    const sent = { slug: 'site', name: 'Site' };
    const site = (await send('POST', '/teams/acme/night/projects', sent)).body;
    for (const id of ['site', String(site['id'])])
      expect((await send('GET', `/projects/acme/${id}`)).body).toMatchObject(sent);
    expect((await send('GET', '/organizations/acme/projects')).list).toEqual([site]);
    expect((await send('GET', '/teams/acme/night/projects')).list).toEqual([site]);
    expect((await send('GET', '/teams/acme/day/projects')).list).toEqual([]);
    expect((await send('DELETE', '/projects/acme/site')).status).toBe(204);
    for (const id of ['site', String(site['id'])]) expect((await send('GET', `/projects/acme/${id}`)).status).toBe(404);
  });

  it('an item is created below a parent that answers with a summary, and read at the top by both keys', async () => {
    const alias = { uid: TEXT, host: { ...TEXT, example: 'my-site.example' }, created: TEXT };
    const spec = toDocument(
      {
        '/sites': { post: { ...sends(object({ name: TEXT })), ...shows('Site', 201) } },
        '/sites/{id}': { ...inPath('id'), get: shows('Site') },
        '/sites/{id}/aliases': {
          ...inPath('id'),
          post: { ...sends(object({ host: TEXT, note: TEXT })), ...shows('NewAlias') },
        },
        '/aliases': { get: list('Alias') },
        '/aliases/{idOrHost}': { ...inPath('idOrHost'), get: shows('Alias') },
      },
      {
        Site: object({ id: TEXT, name: TEXT }, 'id'),
        NewAlias: object({ ...alias, former: TEXT }, 'uid'),
        Alias: object({ ...alias, siteId: TEXT, note: TEXT }, 'uid', 'siteId'),
      },
    );
    const { send } = await openShop({ ...options, spec });
    const siteId = String((await send('POST', '/sites', { name: 'a' })).body['id']);
    const sent = { host: 'one.example', note: 'first' };
    const { body } = await send('POST', `/sites/${siteId}/aliases`, sent);
    for (const key of ['uid', 'host'])
      expect((await send('GET', `/aliases/${String(body[key])}`)).body).toMatchObject({ ...sent, siteId });
    expect((await send('GET', '/aliases')).body).toMatchObject({ items: [{ uid: body['uid'], host: 'one.example' }] });
  });
});
