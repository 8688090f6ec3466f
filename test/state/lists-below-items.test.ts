import { describe, expect, it } from 'vitest';
import { inPath, REMOVED, shows, takes, toDocument } from '../operation-parts.js';
import { arrayOf, BOOLEAN, CLOSED, INTEGER, object, ref, TEXT } from '../schema-parts.js';
import { openShop } from './shop.js';

const toList = (name: string, items: object): object =>
  object({ [name]: arrayOf(items), has_more: BOOLEAN, next_cursor: { type: ['string', 'null'] } });

describe('items below other items, in a document without references', () => {
  const deploy = object({ id: TEXT, site_id: TEXT, title: TEXT, created_at: { ...TEXT, format: 'dateTime' } }, 'id');
  const spec = toDocument({
    '/sites': { post: takes(object({ name: TEXT }), object({ id: TEXT, name: TEXT }), 201) },
    '/sites/{site_id}': { ...inPath('site_id'), get: shows(object({ id: TEXT, name: TEXT })) },
    '/sites/{site_id}/deploys': {
      ...inPath('site_id'),
      get: shows(arrayOf(deploy)),
      post: takes(object({ title: TEXT }), deploy, 201),
    },
    '/sites/{site_id}/deploys/{deploy_id}': { ...inPath('site_id', 'deploy_id'), get: shows(deploy) },
    '/deploys/{deploy_id}': { ...inPath('deploy_id'), get: shows(deploy), delete: REMOVED },
  });

  it('are those of the path at the top that shows the same item by the same parameter', async () => {
    const { send } = await openShop({ ...CLOSED, spec });
    const [one, other] = [await send('POST', '/sites', {}), await send('POST', '/sites', {})].map(
      ({ body }) => body['id'],
    );
    const made = await send('POST', `/sites/${String(one)}/deploys`, { title: 'A' });
    const id = String(made.body['id']);
    expect(made.body).toEqual({ id, site_id: one, title: 'A', created_at: '2026-01-01T00:00:00.000Z' });
    for (const path of [`/deploys/${id}`, `/sites/${String(one)}/deploys/${id}`])
      expect([path, (await send('GET', path)).body]).toEqual([path, made.body]);
    expect((await send('GET', `/sites/${String(other)}/deploys/${id}`)).status).toBe(404);
    expect((await send('DELETE', `/deploys/${id}`)).status).toBe(204);
    expect((await send('GET', `/sites/${String(one)}/deploys`)).list).toEqual([]);
  });
});

describe('items that are only created and listed below other items', () => {
  const part = { kind: TEXT, label: TEXT };
  const spec = toDocument(
    {
      '/nodes/{node_id}': { ...inPath('node_id'), get: shows(ref('Node')), delete: REMOVED },
      '/nodes/{node_id}/children': {
        ...inPath('node_id'),
        get: shows(toList('results', ref('Node'))),
        patch: takes(
          object({ children: arrayOf(object(part)), after: TEXT }, 'children'),
          toList('results', ref('Node')),
        ),
      },
    },
    { Node: object({ id: TEXT, ...part }, 'id') },
  );

  it('are created from an array, read at the top and listed below their parent', async () => {
    const { send } = await openShop({ ...CLOSED, spec });
    const sent = [{ kind: 'a', label: 'first' }, { kind: 'b' }];
    const { body } = await send('PATCH', '/nodes/document/children', { children: sent });
    const results = body['results'] as readonly { readonly id: string }[];
    expect(results).toMatchObject(sent);
    for (const node of results) expect((await send('GET', `/nodes/${node.id}`)).body).toEqual(node);
    const below = (await send('PATCH', `/nodes/${String(results[0]?.id)}/children`, { children: [{ kind: 'c' }] }))
      .body;
    expect((await send('GET', `/nodes/${String(results[0]?.id)}/children`)).body).toMatchObject({
      results: below['results'],
    });
    await send('DELETE', `/nodes/${String(results[1]?.id)}`);
    expect((await send('GET', '/nodes/document/children')).body).toMatchObject({ results: [results[0]] });
  });
});

describe('a query by POST below an item', () => {
  const spec = toDocument(
    {
      '/boards': { post: takes(object({ title: TEXT }), ref('Board'), 201) },
      '/boards/{board_id}': { ...inPath('board_id'), get: shows(ref('Board')) },
      '/boards/{board_id}/query': {
        ...inPath('board_id'),
        post: takes(object({ start_cursor: TEXT, page_size: INTEGER }), toList('results', ref('Card'))),
      },
      '/cards': { post: takes(object({ parent: ref('Parent'), title: TEXT }, 'parent'), ref('Card'), 201) },
      '/cards/{card_id}': { ...inPath('card_id'), get: shows(ref('Card')) },
    },
    {
      Board: object({ id: TEXT, title: TEXT }, 'id'),
      Parent: object({ kind: TEXT, board_id: TEXT }),
      Card: object({ id: TEXT, parent: ref('Parent'), title: TEXT }, 'id'),
    },
  );

  it('lists the items of another collection whose parent names that item, page by page', async () => {
    const { send } = await openShop({ ...CLOSED, spec });
    const create = async (path: string, body: object): Promise<Readonly<Record<string, unknown>>> =>
      (await send('POST', path, body)).body;
    const [one, two] = [await create('/boards', { title: 'a' }), await create('/boards', { title: 'b' })];
    const parent = { kind: 'board', board_id: one['id'] };
    const cards = [await create('/cards', { parent, title: 'x' }), await create('/cards', { parent, title: 'y' })];
    const path = `/boards/${String(one['id'])}/query`;
    const first = (await send('POST', path, { page_size: 1 })).body;
    expect(first).toMatchObject({ results: cards.slice(0, 1), has_more: true });
    const second = (await send('POST', path, { page_size: 1, start_cursor: first['next_cursor'] })).body;
    expect(second).toMatchObject({ results: cards.slice(1), has_more: false });
    expect((await send('POST', `/boards/${String(two['id'])}/query`, {})).body).toMatchObject({ results: [] });
  });
});

describe('a create of several items', () => {
  it('answers with the list of them', async () => {
    const tag = object({ id: TEXT, name: TEXT, color: TEXT }, 'id', 'name');
    const tags = arrayOf(object({ name: TEXT, color: TEXT }, 'name'));
    const { send } = await openShop({
      ...CLOSED,
      spec: toDocument(
        {
          '/tags': {
            get: shows(toList('tags', ref('Tag'))),
            post: takes(object({ tags }, 'tags'), toList('tags', ref('Tag'))),
          },
          '/tags/{id}': { ...inPath('id'), get: shows(ref('Tag')) },
        },
        { Tag: tag },
      ),
    });
    const { body } = await send('POST', '/tags', { tags: [{ name: 'a', color: 'red' }, { name: 'b' }] });
    const created = body['tags'] as readonly { readonly id: string }[];
    expect(created).toMatchObject([{ name: 'a', color: 'red' }, { name: 'b' }]);
    expect((await send('GET', '/tags')).body).toMatchObject({ tags: created });
    expect((await send('GET', `/tags/${String(created[1]?.id)}`)).body).toEqual(created[1]);
  });
});

describe('a list at another path than the create', () => {
  const ticket = { id: INTEGER, title: TEXT, state: TEXT };
  const all = (name: string): object => shows(object({ items: arrayOf(ref(name)) }));

  it('shows summaries of the items of every parent', async () => {
    const spec = toDocument(
      {
        '/tickets': { get: all('Summary') },
        '/boards/{id}/tickets': {
          ...inPath('id'),
          get: all('Ticket'),
          post: takes(object({ title: TEXT }), ref('Ticket'), 201),
        },
        '/boards/{id}/tickets/{ticket_id}': { ...inPath('id', 'ticket_id'), get: shows(ref('Ticket')) },
      },
      { Ticket: object({ ...ticket, board_id: TEXT, votes: INTEGER }, 'id'), Summary: object(ticket, 'id') },
    );
    const { send } = await openShop({ ...CLOSED, spec });
    const one = (await send('POST', '/boards/a/tickets', { title: 'one' })).body;
    const two = (await send('POST', '/boards/b/tickets', { title: 'two' })).body;
    const listed = (await send('GET', '/tickets')).body['items'];
    expect(listed).toMatchObject([
      { id: one['id'], title: 'one' },
      { id: two['id'], title: 'two' },
    ]);
  });

  it.each([
    ['/users/me/calendarList', '/users/me/calendarList/{calendar_id}'],
    ['/me/calendars', undefined],
    ['/users/@me/calendars', undefined],
  ])('%s shows the items of the user of the request', async (path, itemPath) => {
    const entry = { id: TEXT, title: TEXT };
    const spec = toDocument(
      {
        '/calendars': { post: takes(object({ title: TEXT }), ref('Calendar'), 201) },
        '/calendars/{calendar_id}': { ...inPath('calendar_id'), get: shows(ref('Calendar')) },
        [path]: { get: all('Entry') },
        ...(itemPath && { [itemPath]: { ...inPath('calendar_id'), get: shows(ref('Entry')) } }),
      },
      { Calendar: object({ ...entry, zone: TEXT }, 'id'), Entry: object({ ...entry, hidden: TEXT, zone: TEXT }, 'id') },
    );
    const { send } = await openShop({ ...CLOSED, spec });
    const { body } = await send('POST', '/calendars', { title: 'home' });
    expect((await send('GET', path)).body).toMatchObject({ items: [{ id: body['id'], title: 'home' }] });
    if (itemPath !== undefined)
      expect((await send('GET', `${path}/${String(body['id'])}`)).body).toMatchObject({ title: 'home' });
  });
});

it('a list shows the branch of a `oneOf` that can be valid where another one is a special case of it', async () => {
  const notes = arrayOf(ref('Note'));
  const pages = object({ notes, page: object({ count: INTEGER }) }, 'notes', 'page');
  const spec = toDocument(
    {
      '/notes': {
        get: shows({ oneOf: [pages, object({ notes }, 'notes')] }),
        post: takes(object({ text: TEXT }), ref('Note'), 201),
      },
      '/notes/{id}': { ...inPath('id'), get: shows(ref('Note')) },
    },
    { Note: object({ id: TEXT, text: TEXT }, 'id') },
  );
  const { send } = await openShop({ ...CLOSED, spec });
  const { body } = await send('POST', '/notes', { text: 'a' });
  expect((await send('GET', '/notes')).body).toEqual({ notes: [body] });
});

it('a list below an item shows what was created there where another path calls the id of that item otherwise', async () => {
  const place = object({ id: TEXT, map_id: TEXT, title: TEXT });
  const spec = toDocument(
    {
      '/maps/{map_id}/places/{id}': { ...inPath('map_id', 'id'), get: shows(ref('Place')) },
      '/maps/{id}/places': {
        ...inPath('id'),
        get: shows(arrayOf(ref('Place'))),
        post: takes(object({ title: TEXT }), ref('Place'), 201),
      },
      '/places/{id}': { ...inPath('id'), get: shows(ref('Place')) },
    },
    { Place: place },
  );
  const { send } = await openShop({ spec });
  const { body } = await send('POST', '/maps/4/places', { title: 'a' });
  expect(body).toMatchObject({ map_id: '4', title: 'a' });
  expect((await send('GET', '/maps/4/places')).list).toEqual([body]);
  expect((await send('GET', '/maps/5/places')).list).toEqual([]);
});

it('the id that only the answer to a create requires is shown in lists', async () => {
  const spec = toDocument(
    {
      '/schemes': {
        get: shows(object({ schemes: arrayOf(ref('Scheme')) })),
        post: takes(object({ name: TEXT }), object({ id: TEXT }, 'id'), 201),
      },
      '/schemes/{id}': { ...inPath('id'), get: shows(ref('Scheme')) },
    },
    { Scheme: object({ id: INTEGER, name: TEXT }) },
  );
  const { send } = await openShop({ spec });
  const { body } = await send('POST', '/schemes', { name: 'a' });
  const item = { id: Number(body['id']), name: 'a' };
  expect((await send('GET', `/schemes/${item.id}`)).body).toEqual(item);
  expect((await send('GET', '/schemes')).body).toEqual({ schemes: [item] });
});
