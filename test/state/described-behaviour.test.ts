import { describe, expect, it } from 'vitest';
import { finds, inPath, shows, takes, toDocument } from '../operation-parts.js';
import { arrayOf, BOOLEAN, CLOSED, object, TEXT } from '../schema-parts.js';
import { openShop, type Reply, type Shop } from './shop.js';

interface Parts {
  /** More properties of the item. */
  readonly item?: object;
  readonly list?: object;
  readonly create?: object;
  readonly remove?: object;
  /** The properties of the list response beside the items. */
  readonly envelope?: object;
  readonly parameter?: object;
}

/** Notes with a key that clients choose, or with an id. */
const openNotes = async (parts: Parts, id = 'id'): Promise<Shop> => {
  const properties = { [id]: TEXT, title: TEXT, ...parts.item };
  const note = object(properties, id);
  const items = arrayOf(note);
  const sent = object({ ...(id === 'id' ? {} : { [id]: TEXT }), title: TEXT, profile: {} });
  return openShop({
    state: { unknownIds: 'not-found' },
    spec: toDocument({
      '/notes': {
        get: { ...parts.list, ...shows(object({ notes: items, ...parts.envelope })) },
        post: { ...takes(sent, note, 201), ...parts.create },
      },
      '/notes/{note_id}': {
        parameters: [{ name: 'note_id', in: 'path', required: true, schema: TEXT, ...parts.parameter }],
        get: finds(note),
        patch: takes(note, note),
        delete: { ...shows(note), ...parts.remove },
      },
    }),
  });
};

const createAll = async ({ send }: Shop, ...titles: readonly string[]): Promise<readonly Reply['body'][]> => {
  const bodies: Reply['body'][] = [];
  for (const title of titles) bodies.push((await send('POST', '/notes', { title })).body);
  return bodies;
};

describe('an item whose removal the description says the effect of', () => {
  it.each([
    ['Sets the note to `archived: true`; it can still be restored.', { archived: BOOLEAN }, { archived: true }],
    ['Removed notes can still be shown: their `active` is false.', { active: BOOLEAN }, { active: false }],
    [
      'Marks a note as deleted: its `active_flag` becomes false. After 30 days it is permanently deleted.',
      { active_flag: BOOLEAN },
      { active_flag: false },
    ],
    ['Retires a note: the status becomes `RETIRED`.', { status: { enum: ['LIVE', 'RETIRED'] } }, { status: 'RETIRED' }],
  ])('%s', async (description, item, mark) => {
    const shop = await openNotes({ item, remove: { description } });
    const [note] = await createAll(shop, 'a');
    const path = `/notes/${String(note?.['id'])}`;
    expect((await shop.send('DELETE', path)).body).toMatchObject(mark);
    expect((await shop.send('GET', path)).body).toEqual({ ...note, ...mark });
    expect((await shop.send('GET', '/notes')).body).toEqual({ notes: [] });
  });

  it('is gone where the text only says which items can be removed', async () => {
    const description = 'Removes a note. Its status must be `LIVE`; notes that are `RETIRED` stay.';
    const item = { status: { enum: ['LIVE', 'RETIRED'] }, active: BOOLEAN };
    const shop = await openNotes({ item, remove: { description } });
    const [note] = await createAll(shop, 'a');
    await shop.send('DELETE', `/notes/${String(note?.['id'])}`);
    expect((await shop.send('GET', `/notes/${String(note?.['id'])}`)).status).toBe(404);
  });
});

describe('a removed item that a list shows on request', () => {
  const flag = { name: 'include_deleted', in: 'query', schema: BOOLEAN };
  const status = {
    name: 'showDeleted',
    in: 'query',
    description: 'Whether to include deleted notes (with status equals "cancelled").',
    schema: BOOLEAN,
  };

  it.each([
    ['has a flag', { is_deleted: BOOLEAN }, flag, { is_deleted: true }],
    ['has a status', { status: { enum: ['open', 'deleted'] } }, flag, { status: 'deleted' }],
    ['has the status that the parameter describes', { status: TEXT }, status, { status: 'cancelled' }],
  ])('%s', async (_, item, parameter, mark) => {
    const shop = await openNotes({ item, list: { parameters: [parameter] } });
    const [first, second] = await createAll(shop, 'a', 'b');
    const path = `/notes/${String(first?.['id'])}`;
    await shop.send('DELETE', path);
    expect((await shop.send('GET', path)).body).toEqual({ ...first, ...mark });
    expect((await shop.send('GET', '/notes')).body).toEqual({ notes: [second] });
    const all = (await shop.send('GET', `/notes?${parameter.name}=true`)).body;
    expect(all).toEqual({ notes: [{ ...first, ...mark }, second] });
  });
});

describe('a PUT beside a PATCH', () => {
  it('replaces the item, whatever it says about partial updates', async () => {
    const note = object({ id: TEXT, title: TEXT, text: TEXT });
    const spec = toDocument({
      '/notes': { post: takes(note, note, 201) },
      '/notes/{id}': {
        ...inPath('id'),
        put: { description: 'Updates a note. To do a partial update, get the note first.', ...takes(note, note) },
        patch: takes(note, note),
      },
    });
    const { send } = await openShop({ ...CLOSED, spec });
    const { body } = await send('POST', '/notes', { title: 'a', text: 'b' });
    const path = `/notes/${String(body['id'])}`;
    expect((await send('PATCH', path, { title: 'c' })).body).toEqual({ ...body, title: 'c' });
    expect((await send('PUT', path, { title: 'd' })).body).toEqual({ id: body['id'], title: 'd' });
  });
});

describe('the name of an item', () => {
  it('stays where the description of the create says that it never changes', async () => {
    const description = 'Creates a note. The `key` cannot be changed later.';
    const { send } = await openNotes({ create: { description } }, 'key');
    await send('POST', '/notes', { key: 'first', title: 'a' });
    const { body } = await send('PATCH', '/notes/first', { key: 'other', title: 'b' });
    expect(body).toMatchObject({ key: 'first', title: 'b' });
    expect((await send('GET', '/notes/first')).body).toEqual(body);
  });

  it('finds it where it is in its profile and the parameter takes it', async () => {
    const profile = object({ login: TEXT });
    const parameter = { description: 'The id or the login of the author' };
    const { send } = await openNotes({ item: { profile }, parameter });
    const { body } = await send('POST', '/notes', { title: 'a', profile: { login: 'mira' } });
    expect((await send('GET', '/notes/mira')).body).toEqual(body);
  });
});

describe('a page of a list', () => {
  const query = (...names: readonly string[]): object => ({
    parameters: names.map((name) => ({ name, in: 'query', schema: TEXT })),
  });
  const envelope = {
    count: { type: 'integer', description: 'The number of results of the current request' },
    meta: object({ after_cursor: { type: ['string', 'null'] }, has_more: BOOLEAN }),
  };

  it('has the cursor of the next one in `meta.after_cursor`, a limit in a string, and a count of its own', async () => {
    const shop = await openNotes({ envelope, list: query('page[size]', 'page[after]') });
    const all = await createAll(shop, 'a', 'b', 'c');
    const first = (await shop.send('GET', '/notes?page[size]=2')).body;
    expect(first).toMatchObject({ count: 2, notes: all.slice(0, 2), meta: { has_more: true } });
    const { after_cursor: cursor } = first['meta'] as { readonly after_cursor: string };
    const second = await shop.send('GET', `/notes?page[size]=2&page[after]=${encodeURIComponent(cursor)}`);
    expect(second.body).toMatchObject({ count: 1, notes: all.slice(2), meta: { has_more: false, after_cursor: null } });
  });

  it('has all items where the default of the limit is -1', async () => {
    const limit = { name: 'limit', in: 'query', schema: { type: 'integer', default: -1 } };
    const shop = await openNotes({ list: { parameters: [limit, { name: 'after', in: 'query', schema: TEXT }] } });
    const all = await createAll(shop, 'a', 'b', 'c');
    expect((await shop.send('GET', '/notes')).body).toEqual({ notes: all });
    expect((await shop.send('GET', '/notes?limit=1')).body).toEqual({ notes: all.slice(0, 1) });
  });
});
