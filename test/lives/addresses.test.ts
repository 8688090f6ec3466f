import { describe, expect, it } from 'vitest';
import { finds, inPath, pathParameter, query, REMOVED, sends, shows, takes, toDocument } from '../operation-parts.js';
import { arrayOf, BOOLEAN, CLOSED, INTEGER, NUMBER, object, type Part, ref, TEXT } from '../schema-parts.js';
import { openShop, type Shop } from '../state/shop.js';

/** A mock of some paths and the schemas of their items. */
const open = (paths: Part, schemas: Part): Promise<Shop> => openShop({ spec: toDocument(paths, schemas) });

const asked = (name: string): Part => ({ ...query(name), required: true });
const shelves = {
  '/shelves': { get: shows(arrayOf(ref('Shelf'))), post: takes(object({ room: TEXT }), ref('Shelf'), 201) },
  '/shelves/{shelf_id}': { ...inPath('shelf_id'), get: finds(ref('Shelf')) },
};
const Shelf = object({ id: TEXT, room: TEXT }, 'id');
const Jar = object({ id: TEXT, label: TEXT, size: INTEGER, lid: BOOLEAN, shelf_id: TEXT }, 'id', 'label');
const NewJar = object({ label: TEXT, size: INTEGER, lid: BOOLEAN }, 'label');
const sent = { label: 'plums', size: 3, lid: true };

describe('a DELETE whose query has to name one item', () => {
  const Chore = object({ choreId: INTEGER, status: { ...TEXT, enum: ['queued', 'running', 'succeeded'] } }, 'choreId');
  const remove = (parameter: Part, answer: Part): Part => ({
    '/jars': {
      get: shows(arrayOf(ref('Jar'))),
      post: takes(NewJar, ref('Jar'), 201),
      delete: { parameters: [parameter], ...answer },
    },
    '/jars/{id}': { ...inPath('id'), get: finds(ref('Jar')) },
    '/chores': { get: shows(arrayOf(ref('Chore'))) },
    '/chores/{choreId}': { parameters: [pathParameter('choreId', INTEGER)], get: finds(ref('Chore')) },
  });
  const make = async ({ send }: Shop): Promise<string> => String((await send('POST', '/jars', sent)).body['id']);

  it('stores the task that it starts, and removes the item', async () => {
    const spec = toDocument(remove(asked('id'), shows(ref('Chore'), 202)), { Jar, Chore });
    const shop = await openShop({ spec, ...CLOSED });
    const id = await make(shop);
    const { body } = await shop.send('DELETE', `/jars?id=${id}`);
    const read = await shop.send('GET', `/chores/${(body as { choreId: number }).choreId}`);
    expect(read).toMatchObject({ status: 200, body: { choreId: (body as { choreId: number }).choreId } });
    expect((await shop.send('GET', `/jars/${id}`)).status).toBe(404);
  });

  it('does not find an item that is not there', async () => {
    const gone = { responses: { ...REMOVED.responses, 404: { description: 'none' } } };
    const spec = toDocument(remove(asked('id'), gone), { Jar, Chore });
    const { send } = await openShop({ spec, ...CLOSED });
    expect((await send('DELETE', '/jars?id=other')).status).toBe(404);
  });

  it.each([
    ['a list of ids', { ...query('ids', arrayOf(TEXT)), required: true, explode: false }, 'ids'],
    ['ids that it need not have', query('id'), 'id'],
  ])('removes several for %s', async (_, parameter, name) => {
    const shop = await open(remove(parameter, REMOVED), { Jar, Chore });
    const ids = [await make(shop), await make(shop), await make(shop)];
    await shop.send('DELETE', `/jars?${name}=${ids.slice(0, 2).join(',')}`);
    expect((await shop.send('GET', '/jars')).body).toMatchObject([{ id: ids[2] }]);
  });
});

describe('a list with an array of another name and an unknown member', () => {
  const list = object({ dobbins: arrayOf(ref('Jar')), warmth: NUMBER });

  it('is one where its items have paths, also where the path removes them', async () => {
    const { send } = await open(
      {
        '/jars': {
          get: shows(list),
          post: takes(NewJar, ref('Jar'), 201),
          delete: { parameters: [asked('id')], ...REMOVED },
        },
        '/jars/{id}': { ...inPath('id'), get: finds(ref('Jar')) },
      },
      { Jar },
    );
    const { body } = await send('POST', '/jars', sent);
    expect((await send('GET', '/jars')).body).toMatchObject({ dobbins: [body] });
  });

  it('is one of members where its items have paths at the top', async () => {
    const { send } = await open(
      {
        ...shelves,
        '/jars': { get: shows(list), post: takes(NewJar, ref('Jar'), 201) },
        '/jars/{id}': { ...inPath('id'), get: finds(ref('Jar')) },
        '/shelves/{shelf_id}/jars': { ...inPath('shelf_id'), get: shows(list) },
        '/shelves/{shelf_id}/jars/{jar_id}': { ...inPath('shelf_id', 'jar_id'), put: REMOVED, delete: REMOVED },
      },
      { Jar: object({ id: TEXT, label: TEXT, size: INTEGER, lid: BOOLEAN }, 'id', 'label'), Shelf },
    );
    const { id } = (await send('POST', '/jars', sent)).body as { id: string };
    const shelf = (await send('POST', '/shelves', { room: 'attic' })).body as { id: string };
    await send('PUT', `/shelves/${shelf.id}/jars/${id}`);
    expect((await send('GET', `/shelves/${shelf.id}/jars`)).body).toMatchObject({ dobbins: [{ id, label: 'plums' }] });
  });

  it('is not one where other methods write the whole of it', async () => {
    const Rules = object({ dobbins: arrayOf(object({ host: TEXT, port: INTEGER })), warmth: NUMBER });
    const { send } = await open({ '/rules': { get: shows(Rules), put: takes(Rules, Rules) } }, {});
    const rules = { dobbins: [{ host: 'a', port: 1 }], warmth: 2 };
    await send('PUT', '/rules', rules);
    expect((await send('GET', '/rules')).body).toEqual(rules);
  });
});

describe('a create below a parent of what is read at the top', () => {
  const below = (answer: unknown): Part => ({
    '/shelves/{shelf_id}/jars': { ...inPath('shelf_id'), post: takes(NewJar, answer, 201) },
  });
  const byPath = {
    '/jars': { get: shows(arrayOf(ref('Jar'))) },
    '/jars/{id}': { ...inPath('id'), get: finds(ref('Jar')) },
  };
  const byQuery = {
    '/jars': { get: shows(arrayOf(ref('Jar'))) },
    '/jars/info': { get: { parameters: [asked('id')], ...finds(ref('Jar')) } },
    '/jars/{id}': { ...inPath('id'), delete: REMOVED },
  };

  it.each([
    ['its id', byPath, object({ id: TEXT }, 'id'), (id: string) => `/jars/${id}`],
    ['the item, which the query names', byQuery, ref('Jar'), (id: string) => `/jars/info?id=${id}`],
    ['its id, which the query names', byQuery, object({ id: TEXT }, 'id'), (id: string) => `/jars/info?id=${id}`],
  ])('stores the item and answers with %s', async (_, reads, answer, toPath) => {
    const { send } = await open({ ...shelves, ...reads, ...below(answer) }, { Jar, Shelf });
    const shelf = (await send('POST', '/shelves', { room: 'attic' })).body as { id: string };
    const { id } = (await send('POST', `/shelves/${shelf.id}/jars`, sent)).body as { id: string };
    const stored = { ...sent, id, shelf_id: shelf.id };
    expect((await send('GET', toPath(id))).body).toEqual(stored);
    expect((await send('GET', '/jars')).body).toEqual([stored]);
  });

  it('does not store what the request does not describe', async () => {
    const move = {
      '/shelves/{shelf_id}/jars': {
        ...inPath('shelf_id'),
        post: takes(object({ plan: TEXT, day: TEXT }), object({ id: TEXT }, 'id')),
      },
    };
    const { send } = await open({ ...shelves, ...byPath, ...move }, { Jar, Shelf });
    await send('POST', '/shelves/s1/jars', { plan: 'p1', day: 'Monday' });
    expect((await send('GET', '/jars')).body).toEqual([]);
  });
});

describe('a POST that has the id of another item behind a word', () => {
  const openFor = (summary: string): Promise<Shop> =>
    open(
      {
        '/jars': { get: shows(arrayOf(ref('Jar'))), post: takes(NewJar, ref('Jar'), 201) },
        '/jars/{id}': { ...inPath('id'), get: finds(ref('Jar')) },
        '/jars/guest/{guest_id}': { ...inPath('guest_id'), post: { summary, ...takes(NewJar, ref('Jar'), 201) } },
      },
      { Jar },
    );

  it('creates an item for it where it says that it creates', async () => {
    const { send } = await openFor('Create a jar for a guest');
    const { body } = await send('POST', '/jars/guest/7', sent);
    expect(body).toMatchObject(sent);
    expect(body['id']).not.toBe('7');
    expect((await send('GET', `/jars/${String(body['id'])}`)).body).toEqual(body);
    expect((await send('GET', '/jars')).list).toEqual([body]);
  });

  it('creates none where it says something else', async () => {
    const { send } = await openFor('Lend a jar to a guest');
    await send('POST', '/jars/guest/7', sent);
    expect((await send('GET', '/jars')).list).toEqual([]);
  });
});

describe('what is read by the query and listed by a summary', () => {
  const Line = object({ id: TEXT, label: TEXT });
  const open1 = (create: Part): Promise<Shop> =>
    open(
      {
        '/jars': { get: shows(arrayOf(Line)), ...create },
        '/jars/info': { get: { parameters: [asked('id')], ...finds(ref('Jar')) } },
        '/jars/{id}': { ...inPath('id'), delete: REMOVED },
      },
      { Jar },
    );

  it.each([
    ['only its id', { post: takes(NewJar, object({ id: TEXT }, 'id'), 201) }, sent],
    ['several', { post: takes(arrayOf(NewJar), arrayOf(ref('Jar')), 201) }, [sent]],
    ['an envelope', { put: { summary: 'Create a jar', ...takes(NewJar, object({ jar: ref('Jar') }), 201) } }, sent],
  ])('is stored as a whole by a create that answers with %s', async (_, create, body) => {
    const { send } = await open1(create);
    await send(Object.keys(create)[0]?.toUpperCase() ?? '', '/jars', body);
    const [{ id } = { id: '' }] = (await send('GET', '/jars')).body as unknown as { id: string }[];
    expect((await send('GET', `/jars/info?id=${id}`)).body).toMatchObject(sent);
  });

  it('is not an item where the query need not name it', async () => {
    const { send } = await open(
      {
        '/jars': { get: shows(arrayOf(Line)), post: takes(object({ label: TEXT }), Line, 201) },
        '/jars/{id}': { ...inPath('id'), get: finds(Line) },
        '/jars/totals': {
          get: { parameters: [query('id')], ...shows(object({ id: TEXT, full: INTEGER, empty: INTEGER })) },
        },
      },
      {},
    );
    const { body } = await send('POST', '/jars', { label: 'figs' });
    expect(Object.keys(body as object)).toEqual(['id', 'label']);
  });
});

describe('a change of a collection whose body calls the id differently', () => {
  const withId = (name: string): Part => object({ [name]: TEXT, label: TEXT, size: INTEGER }, name);
  it.each([
    ['as the path does', 'id', 'jarId', 'jarId'],
    ['as the path does, for a uuid', 'uuid', 'jarId', 'jarId'],
    ['plainly', 'jarId', 'id', 'id'],
    ['as the item does, without the noun of the path', 'external_id', 'external_jar_id', 'external_id'],
  ])('changes the item that it names %s', async (_, own, parameter, name) => {
    const item = object({ [own]: TEXT, label: TEXT, size: INTEGER }, own, 'label');
    const created = own === 'external_id' ? item : object({ label: TEXT, size: INTEGER }, 'label');
    const { send } = await open(
      {
        '/jars': {
          get: shows(arrayOf(ref('Jar'))),
          post: takes(created, ref('Jar'), 201),
          put: takes(withId(name), ref('Jar')),
        },
        [`/jars/{${parameter}}`]: { ...inPath(parameter), get: finds(ref('Jar')) },
      },
      { Jar: item },
    );
    const { body } = await send('POST', '/jars', {
      label: 'figs',
      size: 1,
      ...(own === 'external_id' ? { [own]: 'e1' } : {}),
    });
    const id = (body as Record<string, string>)[own] ?? '';
    expect((await send('PUT', '/jars', { [name]: id, label: 'dates', size: 2 })).body).toEqual({
      [own]: id,
      label: 'dates',
      size: 2,
    });
    expect((await send('GET', `/jars/${id}`)).body).toEqual({ [own]: id, label: 'dates', size: 2 });
  });
});

describe('ids that clients choose', () => {
  const url = { ...TEXT, format: 'uri', readOnly: true };
  const item = object({ url, external_id: TEXT, label: TEXT, size: INTEGER }, 'external_id', 'label');
  const jars = {
    '/jars': { get: shows(arrayOf(ref('Jar'))), post: takes(ref('Jar'), ref('Jar'), 201) },
    '/jars/{external_jar_id}': { ...inPath('external_jar_id'), get: finds(ref('Jar')) },
  };

  it.each([
    ['the item', ref('Jar')],
    ['a summary', object({ external_id: TEXT, label: TEXT })],
  ])('name the items of memberships whose list shows %s', async (_, listed) => {
    const { send } = await open(
      {
        ...shelves,
        ...jars,
        '/shelves/{shelf_id}/jars': { ...inPath('shelf_id'), get: shows(arrayOf(listed)) },
        '/shelves/{shelf_id}/jars/{jar_id}': { ...inPath('shelf_id', 'jar_id'), put: REMOVED, delete: REMOVED },
      },
      { Jar: item, Shelf },
    );
    const shelf = (await send('POST', '/shelves', { room: 'attic' })).body as { id: string };
    await send('POST', '/jars', { external_id: 'e1', label: 'figs' });
    await send('POST', '/jars', { external_id: 'e2', label: 'dates' });
    await send('PUT', `/shelves/${shelf.id}/jars/e1`);
    const members = await send('GET', `/shelves/${shelf.id}/jars`);
    expect(members.body).toMatchObject([{ external_id: 'e1' }]);
    await send('DELETE', `/shelves/${shelf.id}/jars/e1`);
    expect((await send('GET', `/shelves/${shelf.id}/jars`)).body).toEqual([]);
    expect((await send('GET', '/jars/e1')).status).toBe(200);
  });

  it('are those of new items in a create at another path, which sends the item', async () => {
    const create = { summary: 'Create a jar from a recipe', ...sends(ref('Jar')), ...shows(ref('Jar'), 201) };
    const { '/jars': list, ...one } = jars;
    const { send } = await open(
      { '/jars': { get: list.get }, ...one, '/jars/from-recipe': { post: create } },
      { Jar: item },
    );
    await send('POST', '/jars/from-recipe', { external_id: 'e1', label: 'figs' });
    expect((await send('GET', '/jars/e1')).body).toMatchObject({ external_id: 'e1', label: 'figs' });
  });
});

describe('methods that call a uuid plainly id', () => {
  it('read and remove the item', async () => {
    const byId = sends(object({ id: TEXT }, 'id'));
    const { send } = await open(
      {
        '/jars.create': { post: takes(NewJar, ref('Jar')) },
        '/jars.get': { post: { ...byId, ...finds(ref('Jar')) } },
        '/jars.list': { post: shows(arrayOf(ref('Jar'))) },
        '/jars.delete': { post: { ...byId, ...REMOVED } },
      },
      { Jar: object({ uuid: TEXT, label: TEXT, size: INTEGER, lid: BOOLEAN }, 'uuid', 'label') },
    );
    const { body } = await send('POST', '/jars.create', sent);
    expect(body).toMatchObject(sent);
    const { uuid } = body as { uuid: string };
    expect((await send('POST', '/jars.get', { id: uuid })).body).toEqual(body);
    expect((await send('POST', '/jars.list')).body).toEqual([body]);
    await send('POST', '/jars.delete', { id: uuid });
    expect((await send('POST', '/jars.list')).body).toEqual([]);
  });
});

describe('paths of a verb and a noun with the id behind them', () => {
  const paths = (name: (verb: string, noun: string) => string, isRead = true): Part => ({
    [`/v1/${name('create', 'jar')}`]: { post: takes(NewJar, ref('Jar'), 201) },
    ...(isRead && { [`/v1/${name('get', 'jar')}/{jar_id}`]: { ...inPath('jar_id'), get: finds(ref('Jar')) } }),
    [`/v1/${name('list', 'jars')}`]: { get: shows(arrayOf(ref('Jar'))) },
    [`/v1/${name('update', 'jar')}/{jar_id}`]: { ...inPath('jar_id'), patch: takes(NewJar, ref('Jar')) },
    [`/v1/${name('delete', 'jar')}/{jar_id}`]: { ...inPath('jar_id'), delete: REMOVED },
  });
  const camel = (verb: string, noun: string): string => verb + noun.charAt(0).toUpperCase() + noun.slice(1);

  it.each([
    ['with a dash', (verb: string, noun: string) => `${verb}-${noun}`],
    ['in one word', camel],
  ])('are those of one collection: %s', async (_, name) => {
    const { send } = await open(paths(name), { Jar });
    const to = (verb: string, noun: string, id = '') => `/v1/${name(verb, noun)}${id}` as '/v1';
    const { body } = await send('POST', to('create', 'jar'), sent);
    const id = `/${String(body['id'])}`;
    expect((await send('GET', to('get', 'jar', id))).body).toEqual(body);
    await send('PATCH', to('update', 'jar', id), { label: 'figs' });
    expect((await send('GET', to('list', 'jars'))).list).toEqual([{ ...body, label: 'figs' }]);
    await send('DELETE', to('delete', 'jar', id));
    expect((await send('GET', to('list', 'jars'))).list).toEqual([]);
  });

  it('stay as they are where nothing reads by the id, or where the noun has a path of its own', async () => {
    const dashed = (verb: string, noun: string): string => `${verb}-${noun}`;
    const other = { '/v1/jars': { get: shows(arrayOf(ref('Jar'))), post: takes(NewJar, ref('Jar'), 201) } };
    for (const spec of [paths(dashed, false), { ...paths(dashed), ...other }]) {
      const { mock, send } = await open(spec, { Jar });
      await send('POST', '/v1/create-jar', sent);
      expect(mock.journal.last()?.answer.from).not.toBe('state');
    }
  });
});
