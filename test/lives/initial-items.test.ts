import { describe, expect, it } from 'vitest';
import { inPath, query, REMOVED, shows, takes, toDocument } from '../operation-parts.js';
import { arrayOf, BOOLEAN, INTEGER, object, type Part, ref, TEXT } from '../schema-parts.js';
import { openShop, type Shop } from '../state/shop.js';

const TIME = { ...TEXT, format: 'date-time' };
const UUID = { ...TEXT, format: 'uuid' };
const state = { initialItems: 3 };

const collection = (path: string, name: string, ...parameters: readonly Part[]): Part => ({
  [path]: { get: { parameters, ...shows(arrayOf(ref(name))) }, post: takes(object({ title: TEXT }), ref(name), 201) },
  [`${path}/{id}`]: { ...inPath('id'), get: shows(ref(name)), delete: REMOVED },
});

const open = (paths: object, schemas: object): Promise<Shop> => openShop({ spec: toDocument(paths, schemas), state });

describe('the items that a list begins with', () => {
  it.each([
    [{ ...TIME, example: '2024-01-01T00:00:00Z' }, [], undefined],
    [{ type: ['string', 'null'], format: 'date-time', examples: ['2024-01-01T00:00:00Z'] }, ['removed_at'], null],
  ])('are not removed, whatever the example of the time is: %j', async (removed, required, wanted) => {
    const Basin = object({ id: TEXT, title: TEXT, removed_at: removed }, 'id', ...required);
    const { send } = await open(collection('/basins', 'Basin', query('include_removed', BOOLEAN)), { Basin });
    const { list } = await send('GET', '/basins');
    expect(list.map((each) => each['removed_at'])).toEqual([wanted, wanted, wanted]);
  });

  it('are not removed, whatever the example of the flag is', async () => {
    const Basin = object({ id: TEXT, is_archived: { ...BOOLEAN, example: true } }, 'id', 'is_archived');
    const { send } = await open(collection('/basins', 'Basin'), { Basin });
    expect((await send('GET', '/basins')).list.map((each) => each['is_archived'])).toEqual([false, false, false]);
  });

  it.each(['parent_id', 'parentCabinetId', 'previous_cabinet_id'])('have no %s among themselves', async (name) => {
    const Cabinet = object({ id: UUID, title: TEXT, [name]: { type: ['string', 'null'] } }, 'id', name);
    const { send } = await open(collection('/cabinets', 'Cabinet'), { Cabinet });
    expect((await send('GET', '/cabinets')).list.map((each) => each[name])).toEqual([null, null, null]);
    expect((await send('GET', '/cabinets/0b0e3a52-6a0c-4d5e-9f58-2f6c1a9b7d11')).body).toMatchObject({ [name]: null });
  });

  it('are their own parents where a parent is required', async () => {
    const Cabinet = object({ id: INTEGER, title: TEXT, parent_id: INTEGER }, 'id', 'parent_id');
    const { send } = await open(collection('/cabinets', 'Cabinet'), { Cabinet });
    const { list } = await send('GET', '/cabinets');
    expect(list.map((each) => each['parent_id'])).toEqual(list.map(({ id }) => id));
  });

  it('keep the id of an item of another collection that only ends in their noun', async () => {
    const schemas = {
      Cabinet: object({ id: INTEGER, wall_cabinet_id: INTEGER }, 'id', 'wall_cabinet_id'),
      WallCabinet: object({ id: INTEGER, title: TEXT }, 'id'),
    };
    const paths = { ...collection('/cabinets', 'Cabinet'), ...collection('/wall-cabinets', 'WallCabinet') };
    const { send } = await open(paths, schemas);
    const { list } = await send('GET', '/cabinets');
    expect(list.map((each) => each['wall_cabinet_id'])).not.toEqual(list.map(({ id }) => id));
  });
});

describe('an object in an item that no client created', () => {
  const schemas = {
    Author: object({ id: UUID, name: TEXT, town: TEXT }, 'id'),
    Poem: object({ id: UUID, title: TEXT, author: ref('Author'), readers: arrayOf(ref('Author')) }, 'id', 'author'),
  };
  const paths = { ...collection('/poems', 'Poem'), ...collection('/authors', 'Author') };

  it.each(['list', 'read'])('shows the item that its id reads, in a %s', async (how) => {
    const { send } = await open(paths, schemas);
    const id = '2f6c1a9b-6a0c-4d5e-9f58-0b0e3a527d11';
    const poems = how === 'list' ? (await send('GET', '/poems')).list : [(await send('GET', `/poems/${id}`)).body];
    const authors = (await send('GET', '/authors')).list;
    expect(poems.length).toBeGreaterThan(0);
    for (const { author } of poems) {
      expect((await send('GET', `/authors/${String((author as Part)['id'])}`)).body).toEqual(author);
      expect(authors).toContainEqual(author);
    }
  });

  it('shows the item that its id reads in a new item, too', async () => {
    const { send } = await open(paths, schemas);
    const { body } = await send('POST', '/poems', { title: 'Tide' });
    const author = body['author'] as Part;
    expect((await send('GET', `/authors/${String(author['id'])}`)).body).toEqual(author);
    expect((await send('GET', `/poems/${String(body['id'])}`)).body).toEqual(body);
  });

  it('is the same whatever was requested before', async () => {
    const [one, other] = [await open(paths, schemas), await open(paths, schemas)];
    await other.send('GET', '/authors');
    expect((await one.send('GET', '/poems')).list).toEqual((await other.send('GET', '/poems')).list);
  });

  it('shows the item that its id reads where two collections show each other', async () => {
    const mutual = {
      Author: object({ id: UUID, name: TEXT, best: ref('Poem') }, 'id'),
      Poem: object({ id: UUID, title: TEXT, author: ref('Author') }, 'id'),
    };
    const [one, other] = [await open(paths, mutual), await open(paths, mutual)];
    const { list } = await one.send('GET', '/poems');
    await other.send('GET', '/authors');
    expect((await other.send('GET', '/poems')).list).toEqual(list);
    for (const { author } of list) {
      const { id, name } = author as Part;
      expect((await one.send('GET', `/authors/${String(id)}`)).body).toMatchObject({ id, name });
    }
  });
});

it('a list below an item that a client created begins empty, also where its items have a path of their own', async () => {
  const Shelf = object({ id: INTEGER, title: TEXT }, 'id');
  const Note = object({ id: INTEGER, title: TEXT }, 'id');
  const { send } = await open(
    {
      ...collection('/shelves', 'Shelf'),
      '/shelves/{id}/notes': {
        ...inPath('id'),
        get: shows(arrayOf(ref('Note'))),
        post: takes(object({ title: TEXT }), ref('Note'), 201),
      },
      '/notes/{id}': { ...inPath('id'), get: shows(ref('Note')) },
    },
    { Shelf, Note },
  );
  const { id } = (await send('POST', '/shelves', { title: 'top' })).body;
  const note = (await send('POST', `/shelves/${String(id)}/notes`, { title: 'one' })).body;
  expect((await send('GET', `/shelves/${String(id)}/notes`)).list).toEqual([note]);
  expect((await send('GET', '/shelves/2/notes')).list).toHaveLength(3);
});

describe('a list whose required filter names an item', () => {
  const schemas = {
    Rower: object({ id: { ...INTEGER, readOnly: true }, title: TEXT }, 'id'),
    Race: object({ id: INTEGER, rower_id: INTEGER, title: TEXT }, 'id'),
  };
  const parameter = { ...query('rower_id', INTEGER), required: true };
  const paths = {
    ...collection('/rowers', 'Rower'),
    '/races': {
      get: { parameters: [parameter], ...shows(arrayOf(ref('Race'))) },
      post: takes(object({ rower_id: INTEGER, title: TEXT }, 'rower_id'), ref('Race'), 201),
    },
    '/races/{id}': { ...inPath('id'), get: shows(ref('Race')) },
  };

  it('is empty for one that a client created, and not for others', async () => {
    const { send } = await open(paths, schemas);
    const { body: rower } = await send('POST', '/rowers', { title: 'Ada' });
    const own = `/races?rower_id=${String(rower['id'])}`;
    expect((await send('GET', own)).list).toEqual([]);
    const { body: race } = await send('POST', '/races', { rower_id: rower['id'], title: 'Spring' });
    expect((await send('GET', own)).list).toEqual([race]);
    expect((await send('GET', '/races?rower_id=1')).list).toHaveLength(3);
  });
});
