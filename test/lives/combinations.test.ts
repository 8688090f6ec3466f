import { describe, expect, it } from 'vitest';
import { finds, inPath, pathParameter, query, REMOVED, sends, shows, takes, toDocument } from '../operation-parts.js';
import { arrayOf, INTEGER, object, type Part, ref, TEXT } from '../schema-parts.js';
import { openShop, type Shop } from '../state/shop.js';

const open = (paths: Part, schemas: Part = {}): Promise<Shop> =>
  openShop({ spec: toDocument(paths, schemas), state: { unknownIds: 'not-found' } });

const NOTHING = { responses: { 201: { description: 'created' } } };
const KETTLE = { id: TEXT, label: TEXT, litres: INTEGER, maker: TEXT };
const Kettle = object(KETTLE, 'id', 'label');
const NewKettle = object({ label: TEXT, litres: INTEGER, maker: TEXT }, 'label');
const sent = { label: 'North', litres: 3, maker: 'Ann' };
const kettles: Part = {
  '/kettles': { get: shows(arrayOf(ref('Kettle'))), post: takes(NewKettle, ref('Kettle'), 201) },
  '/kettles/{id}': { ...inPath('id'), get: finds(ref('Kettle')), delete: REMOVED },
};

describe('a task that an answer names', () => {
  const Job = object({ uid: INTEGER, status: { ...TEXT, enum: ['failed', 'queued', 'running', 'succeeded'] } }, 'uid');
  const Receipt = object({ jobUid: INTEGER, status: TEXT }, 'jobUid');
  const jobs = { '/jobs/{uid}': { parameters: [pathParameter('uid', INTEGER)], get: finds(ref('Job')) } };

  it('is read by its own id, after a create and a removal', async () => {
    const paths = {
      ...jobs,
      '/kettles': { get: shows(arrayOf(ref('Kettle'))), post: takes(NewKettle, Receipt, 202) },
      '/kettles/{id}': { ...inPath('id'), get: finds(ref('Kettle')), delete: shows(Receipt, 202) },
      '/kettles/from-kit': { post: { summary: 'Create a kettle from a kit', ...takes(NewKettle, Receipt, 202) } },
    };
    const { send } = await open(paths, { Kettle, Job });
    const readJob = async (uid: unknown): Promise<unknown> => (await send('GET', `/jobs/${String(uid)}`)).body;
    for (const path of ['/kettles', '/kettles/from-kit']) {
      const { jobUid } = (await send('POST', path, sent)).body;
      expect(await readJob(jobUid)).toMatchObject({ uid: jobUid });
    }
    const listed = (await send('GET', '/kettles')).body as unknown as readonly { readonly id: string }[];
    expect(listed).toMatchObject([sent, sent]);
    const removed = (await send('DELETE', `/kettles/${listed[0]?.id ?? ''}`)).body;
    expect(await readJob(removed['jobUid'])).toMatchObject({ uid: removed['jobUid'] });
  });

  it('is not invented where requests create what the answer names', async () => {
    const Order = object({ id: INTEGER, city: TEXT }, 'id');
    const { send } = await open(
      {
        ...kettles,
        '/orders': { get: shows(arrayOf(ref('Order'))), post: takes(object({ city: TEXT }), ref('Order'), 201) },
        '/orders/{id}': { parameters: [pathParameter('id', INTEGER)], get: finds(ref('Order')) },
        '/payments': { get: shows(arrayOf(ref('Payment'))), post: takes(object({ cents: INTEGER }), ref('Paid'), 201) },
        '/payments/{id}': { ...inPath('id'), get: finds(ref('Payment')) },
      },
      { Kettle, Order, Paid: object({ orderId: INTEGER, note: TEXT }), Payment: object({ id: TEXT, cents: INTEGER }) },
    );
    await send('POST', '/payments', { cents: 5 });
    expect((await send('GET', '/orders')).body).toEqual([]);
  });
});

describe('a create of one or many', () => {
  const either = (schema: unknown): Part => ({ oneOf: [schema, arrayOf(schema)] });

  it.each([
    ['without an envelope', (schema: Part) => schema, (body: unknown) => body],
    ['in an envelope', (schema: Part) => object({ data: schema }, 'data'), (body: Part) => body['data']],
  ] as const)('answers as many as were sent, %s', async (_, wrap, unwrap) => {
    const paths = {
      ...kettles,
      '/kettles': {
        get: shows(arrayOf(ref('Kettle'))),
        post: takes(either(NewKettle), wrap(either(ref('Kettle'))), 201),
      },
      '/kettles/{id}': { ...inPath('id'), get: shows(wrap(ref('Kettle'))) },
    };
    const { send } = await open(paths, { Kettle });
    const two = [sent, { ...sent, label: 'South' }];
    const created = (await send('POST', '/kettles', two)).body;
    expect(unwrap(created)).toMatchObject(two);
    expect(unwrap((await send('POST', '/kettles', sent)).body)).toMatchObject(sent);
    expect((await send('GET', '/kettles')).body).toHaveLength(3);
  });
});

describe('an array with the ids of new members', () => {
  it('makes each of them one, and creates no items', async () => {
    const { send } = await open(
      {
        ...kettles,
        '/shelves': { get: shows(arrayOf(ref('Shelf'))), post: takes(object({ name: TEXT }), ref('Shelf'), 201) },
        '/shelves/{shelf_id}': { ...inPath('shelf_id'), get: finds(ref('Shelf')) },
        '/shelves/{shelf_id}/kettles': {
          ...inPath('shelf_id'),
          get: shows(arrayOf(ref('Kettle'))),
          post: {
            ...sends(object({ kettle_ids: arrayOf(TEXT) }, 'kettle_ids')),
            responses: { 204: { description: 'done' } },
          },
        },
        '/shelves/{shelf_id}/kettles/{kettle_id}': { ...inPath('shelf_id', 'kettle_id'), delete: REMOVED },
      },
      { Kettle, Shelf: object({ id: TEXT, name: TEXT }, 'id') },
    );
    const ids: string[] = [];
    for (let i = 0; i < 3; i++) ids.push(String((await send('POST', '/kettles', sent)).body['id']));
    const at = `/shelves/${String((await send('POST', '/shelves', { name: 'Top' })).body['id'])}/kettles`;
    await send('POST', at, { kettle_ids: ids.slice(0, 2) });
    expect((await send('GET', at)).body).toMatchObject(ids.slice(0, 2).map((id) => ({ id, ...sent })));
    await send('DELETE', `${at}/${ids[0] ?? ''}`);
    expect((await send('GET', at)).body).toMatchObject([{ id: ids[1] }]);
    expect((await send('GET', '/kettles')).body).toHaveLength(3);
  });
});

describe('methods in RPC style', () => {
  const Status = { ...TEXT, enum: ['open', 'locked'] };
  const Cellar = object({ ...KETTLE, status: Status }, 'id', 'label');
  const byId = object({ id: TEXT }, 'id');

  it('have any verb before the noun of their path', async () => {
    const { send } = await open(
      {
        '/cellars.createCellar': { post: takes(NewKettle, ref('Cellar')) },
        '/cellars.getCellar': { post: takes(byId, ref('Cellar')) },
        '/cellars.lockCellar': { post: takes(byId, ref('Cellar')) },
        '/cellars.listCellars': {
          post: takes(object({}), object({ data: arrayOf(ref('Cellar')), cellarCount: INTEGER })),
        },
      },
      { Cellar },
    );
    const { id } = (await send('POST', '/cellars.createCellar', sent)).body;
    expect((await send('POST', '/cellars.lockCellar', { id })).body).toMatchObject({ id, ...sent, status: 'locked' });
    expect((await send('POST', '/cellars.getCellar', { id })).body).toMatchObject({ id, status: 'locked' });
    // A count is of the items, although nothing requires it.
    expect((await send('POST', '/cellars.listCellars', {})).body).toMatchObject({ data: [{ id }], cellarCount: 1 });
  });

  it('show the whole item where their list has a summary, and find it by an id of another name', async () => {
    const { send } = await open(
      {
        '/cellars.create': { post: takes(NewKettle, ref('Whole')) },
        '/cellars.get': { post: takes(object({ cellarId: TEXT }, 'cellarId'), ref('Whole')) },
        '/cellars.list': { post: takes(object({}), arrayOf(object({ uuid: TEXT, label: TEXT }))) },
      },
      { Whole: object({ uuid: TEXT, label: TEXT, litres: INTEGER, maker: TEXT }) },
    );
    const { uuid } = (await send('POST', '/cellars.create', sent)).body;
    expect((await send('POST', '/cellars.get', { cellarId: uuid })).body).toEqual({ uuid, ...sent });
    expect((await send('POST', '/cellars.list', {})).body).toEqual([{ uuid, label: 'North' }]);
  });
});

describe('a document without references', () => {
  it('brings back removed items', async () => {
    const tagged = { tags: ['red', 'old'] };
    const Kettle = object({ ...KETTLE, tags: arrayOf(TEXT) }, 'id', 'label');
    const NewKettle = object({ label: TEXT, litres: INTEGER, maker: TEXT, tags: arrayOf(TEXT) }, 'label');
    const { send } = await open({
      '/kettles': { get: shows(arrayOf(Kettle)), post: takes(NewKettle, Kettle, 201) },
      '/kettles/{id}': { ...inPath('id'), get: finds(Kettle), delete: REMOVED },
      '/kettles/{id}/restore': { ...inPath('id'), post: shows(Kettle) },
    });
    const { id } = (await send('POST', '/kettles', { ...sent, ...tagged })).body;
    await send('DELETE', `/kettles/${String(id)}`);
    expect((await send('POST', `/kettles/${String(id)}/restore`)).body).toEqual({ id, ...sent, ...tagged });
    expect((await send('GET', `/kettles/${String(id)}`)).body).toEqual({ id, ...sent, ...tagged });
  });
});

describe('a create whose answer says little', () => {
  it('with the id alone creates what a query reads', async () => {
    const { send } = await open(
      {
        '/kettles': {
          get: shows(arrayOf(ref('Kettle'))),
          post: takes(NewKettle, object({ id: TEXT }, 'id'), 201),
          delete: { parameters: [{ ...query('kettle_id'), required: true }], ...REMOVED },
        },
        '/kettles/info': { get: { parameters: [{ ...query('kettle_id'), required: true }], ...finds(ref('Kettle')) } },
        '/kettles/{kettle_id}': { ...inPath('kettle_id'), patch: takes(NewKettle, ref('Kettle')) },
      },
      { Kettle },
    );
    const { id } = (await send('POST', '/kettles', sent)).body;
    expect((await send('GET', `/kettles/info?kettle_id=${String(id)}`)).body).toEqual({ id, ...sent });
    await send('POST', '/kettles', sent);
    await send('DELETE', `/kettles?kettle_id=${String(id)}`);
    expect((await send('GET', '/kettles')).body).toHaveLength(1);
  });

  it.each([
    ['nothing', { ...sends(NewKettle), ...NOTHING }],
    ['an item that a request with its schema describes', takes(ref('Kettle'), ref('Kettle'), 201)],
  ])('at a word of the collection, with %s', async (_, create) => {
    const own = { ...Kettle, properties: { ...KETTLE, id: { ...TEXT, readOnly: true } } };
    const word = { post: { summary: 'Create a kettle from a kit', ...create } };
    const { send } = await open({ ...kettles, '/kettles/from-kit': word }, { Kettle: own });
    await send('POST', '/kettles/from-kit', sent);
    expect((await send('GET', '/kettles')).body).toMatchObject([sent]);
  });

  it('at a word that does not say so creates nothing', async () => {
    const word = { post: { summary: 'Check a kettle', ...sends(NewKettle), ...NOTHING } };
    const { send } = await open({ ...kettles, '/kettles/check': word }, { Kettle });
    await send('POST', '/kettles/check', sent);
    expect((await send('GET', '/kettles')).body).toEqual([]);
  });
});

describe('a PUT that is all that writes items', () => {
  it('creates them, also where a query names those to remove', async () => {
    const { send } = await open(
      {
        '/kettles': {
          get: shows(arrayOf(ref('Kettle'))),
          delete: { parameters: [{ ...query('id'), required: true }], ...REMOVED },
        },
        '/kettles/{id}': { ...inPath('id'), get: finds(ref('Kettle')), put: takes(NewKettle, ref('Kettle')) },
      },
      { Kettle },
    );
    expect((await send('PUT', '/kettles/k1', sent)).body).toEqual({ id: 'k1', ...sent });
    expect((await send('GET', '/kettles')).body).toEqual([{ id: 'k1', ...sent }]);
  });
});
