import { describe, expect, it } from 'vitest';
import { finds, inPath, query, REMOVED, sends, shows, takes, toDocument } from '../operation-parts.js';
import { arrayOf, BOOLEAN, INTEGER, NUMBER, object, type Part, ref, TEXT } from '../schema-parts.js';
import { openShop, type Shop } from '../state/shop.js';

/** A mock of some paths and the schemas of their items. */
const open = (paths: Part, schemas: Part): Promise<Shop> => openShop({ spec: toDocument(paths, schemas) });

const Kite = object({ id: TEXT, label: TEXT, length: INTEGER, tail: object({ hue: TEXT }) }, 'id', 'label');
const NewKite = object({ label: TEXT, length: INTEGER, tail: object({ hue: TEXT }) }, 'label');
const Line = object({ id: TEXT, label: TEXT });
const sent = { label: 'delta', length: 3, tail: { hue: 'red' } };
const around = (kite: unknown): Part => object({ kite, drag: NUMBER });
const asked = { ...query('id'), required: true };

describe('an object beside an unknown member', () => {
  it.each([
    [
      'read by the path',
      { '/kites/{id}': { ...inPath('id'), get: finds(around(ref('Kite'))) } },
      (id: string) => `/kites/${id}`,
    ],
    [
      'read by the query',
      {
        '/kites/info': { get: { parameters: [asked], ...finds(around(ref('Kite'))) } },
        '/kites/{id}': { ...inPath('id'), delete: REMOVED },
      },
      (id: string) => `/kites/info?id=${id}`,
    ],
  ])('is the item that a summary lists, %s', async (_, reads, toPath) => {
    const kites = { '/kites': { get: shows(arrayOf(Line)), post: takes(NewKite, around(ref('Kite')), 201) } };
    const { send } = await open({ ...kites, ...reads }, { Kite });
    const { kite } = (await send('POST', '/kites', sent)).body as { kite: { id: string } };
    expect(kite).toMatchObject(sent);
    expect((await send('GET', toPath(kite.id))).body).toMatchObject({ kite: { id: kite.id, ...sent } });
    expect((await send('GET', '/kites')).body).toEqual([{ id: kite.id, label: 'delta' }]);
  });

  it('is the item of methods whose list shows nothing of what is around it', async () => {
    const { send } = await open(
      {
        '/kites.create': { post: takes(NewKite, around(ref('Kite'))) },
        '/kites.get': { get: { parameters: [asked], ...finds(around(ref('Kite'))) } },
        '/kites.list': { get: shows(arrayOf(Line)) },
        '/kites.delete': { post: { ...sends(object({ id: TEXT }, 'id')), ...REMOVED } },
      },
      { Kite },
    );
    const { kite } = (await send('POST', '/kites.create', sent)).body as { kite: { id: string } };
    expect((await send('GET', `/kites.get?id=${kite.id}`)).body).toMatchObject({ kite: { id: kite.id, ...sent } });
    expect((await send('GET', '/kites.list')).body).toEqual([{ id: kite.id, label: 'delta' }]);
  });

  it('has the id of a new item where nothing else of the answer is of the item', async () => {
    const { send } = await open(
      {
        '/kites': { get: shows(arrayOf(ref('Kite'))), post: takes(NewKite, around(object({ id: TEXT }, 'id')), 201) },
        '/kites/{id}': { ...inPath('id'), get: finds(around(ref('Kite'))) },
      },
      { Kite },
    );
    const { kite } = (await send('POST', '/kites', sent)).body as { kite: { id: string } };
    expect((await send('GET', `/kites/${kite.id}`)).body).toMatchObject({ kite: { id: kite.id, ...sent } });
  });

  it('is the item also where its id is called after it, and the path calls it plainly', async () => {
    const Reel = object({ reelId: TEXT, label: TEXT, length: INTEGER }, 'reelId', 'label');
    const shown = object({ data: ref('Reel'), remark: TEXT });
    const { send } = await open(
      {
        '/reels': {
          get: shows(arrayOf(ref('Reel'))),
          post: takes(object({ label: TEXT, length: INTEGER }, 'label'), shown, 201),
          put: takes(object({ id: TEXT, label: TEXT, length: INTEGER }, 'id'), shown),
        },
        '/reels/{id}': { ...inPath('id'), get: finds(shown) },
      },
      { Reel },
    );
    const { data } = (await send('POST', '/reels', { label: 'oak', length: 1 })).body as { data: { reelId: string } };
    await send('PUT', '/reels', { id: data.reelId, label: 'ash', length: 2 });
    expect((await send('GET', '/reels')).body).toEqual([{ reelId: data.reelId, label: 'ash', length: 2 }]);
  });

  it('is a part of an item that lists show as a whole', async () => {
    const Flight = object({ number: TEXT, kite: ref('Kite'), drag: NUMBER }, 'number');
    const { send } = await open(
      {
        '/flights': { get: shows(arrayOf(ref('Flight'))), post: takes(ref('Flight'), ref('Flight'), 201) },
        '/flights/{number}': { ...inPath('number'), get: finds(ref('Flight')) },
      },
      { Kite, Flight },
    );
    const flight = { number: 'f1', kite: { id: 'k1', ...sent }, drag: 2 };
    expect((await send('POST', '/flights', flight)).body).toEqual(flight);
    expect((await send('GET', '/flights/f1')).body).toEqual(flight);
  });

  it('only names another item beside what is of the item', async () => {
    const Flight = object({ id: TEXT, label: TEXT, wind: INTEGER, kite: Line }, 'id', 'label');
    const { send } = await open(
      {
        '/flights': {
          get: shows(arrayOf(ref('Flight'))),
          post: takes(
            object({ label: TEXT, wind: INTEGER }),
            object({ kite: object({ id: TEXT }), label: TEXT, id: TEXT }),
            201,
          ),
        },
        '/flights/{id}': { ...inPath('id'), get: finds(ref('Flight')) },
      },
      { Flight },
    );
    const { id } = (await send('POST', '/flights', { label: 'dawn', wind: 4 })).body as { id: string };
    expect((await send('GET', `/flights/${id}`)).body).toMatchObject({ id, label: 'dawn', wind: 4 });
  });
});

describe('a member beside an item or a list', () => {
  const OUTCOME = { ...TEXT, enum: ['error', 'success'] };
  const Buoy = object({ id: TEXT, label: TEXT, status: { ...TEXT, enum: ['lit', 'dark'] } }, 'id', 'status');

  it('says that the request succeeded, and the status of the item is its own', async () => {
    const ok = { ...BOOLEAN, enum: [true, false] };
    const answer = object({ status: OUTCOME, ok, data: ref('Buoy') }, 'status', 'data');
    const listed = object({ status: OUTCOME, items: arrayOf(ref('Buoy')) });
    const paths = { '/buoys': { get: shows(listed), post: takes(object({ label: TEXT }), answer, 201) } };
    const { send } = await open(paths, { Buoy });
    const { body } = await send('POST', '/buoys', { label: 'N' });
    expect(body).toMatchObject({ status: 'success', ok: true, data: { label: 'N', status: 'lit' } });
    expect((await send('GET', '/buoys')).body).toMatchObject({ status: 'success' });
  });

  it('says what a create and a change did', async () => {
    const result = { ...TEXT, enum: ['updated', 'created', 'noop'] };
    const report = object({ id: TEXT, result }, 'id', 'result');
    const sent = object({ label: TEXT });
    const { send } = await open(
      {
        '/buoys': { get: shows(arrayOf(ref('Buoy'))), post: takes(sent, report, 201) },
        '/buoys/{id}': { ...inPath('id'), get: finds(ref('Buoy')), patch: takes(sent, report) },
      },
      { Buoy },
    );
    const { id, result: done } = (await send('POST', '/buoys', { label: 'N' })).body;
    expect(done).toBe('created');
    expect((await send('PATCH', `/buoys/${String(id)}`, { label: 'S' })).body).toMatchObject({ id, result: 'updated' });
  });

  it('repeats the words of a search', async () => {
    const found = object({ hits: arrayOf(ref('Buoy')), query: TEXT, note: TEXT });
    const get = { parameters: [query('query'), query('note')], ...shows(found) };
    const { send } = await open({ '/buoys/search': { get }, '/buoys': { get: shows(arrayOf(ref('Buoy'))) } }, { Buoy });
    const { body } = await send('GET', '/buoys/search?query=red&note=x');
    expect(body).toMatchObject({ query: 'red' });
    expect(body).not.toMatchObject({ note: 'x' });
  });
});

describe('an array of new items in an envelope', () => {
  it('creates each of them where the server sets their ids', async () => {
    const own = object({ id: { ...TEXT, readOnly: true }, label: TEXT, length: INTEGER }, 'id', 'label');
    const { send } = await open(
      {
        '/kites': {
          get: shows(arrayOf(ref('Kite'))),
          post: takes(object({ data: arrayOf(ref('Kite')) }, 'data'), arrayOf(ref('Kite')), 201),
        },
        '/kites/{id}': { ...inPath('id'), get: finds(object({ data: ref('Kite') })) },
      },
      { Kite: own },
    );
    const data = [
      { label: 'delta', length: 1 },
      { label: 'box', length: 2 },
    ];
    expect((await send('POST', '/kites', { data })).body).toMatchObject(data);
    expect((await send('GET', '/kites')).body).toMatchObject(data);
  });
});
