import { describe, expect, it } from 'vitest';
import { inPath, query, shows, takes, toDocument } from '../operation-parts.js';
import { arrayOf, CLOSED, INTEGER, object, ref, TEXT } from '../schema-parts.js';
import { openShop, type Shop } from './shop.js';
import { loadCases } from '../load-cases.js';

const point = object({ x: INTEGER, y: INTEGER });

interface Case {
  readonly name: string;
  readonly schema: object;
  readonly sent: unknown;
  readonly want: unknown;
}

const schemas = {
  Point: point,
  Left: object({ kind: TEXT, left: TEXT }),
  Right: object({ kind: TEXT, right: TEXT }),
  Tree: object({ name: TEXT, children: arrayOf(ref('Tree')) }),
};

const open = async (part: object, more: object = {}): Promise<Shop> => {
  const item = object({ id: TEXT, name: TEXT, part, ...more }, 'id');
  const paths = {
    '/items': { get: shows(arrayOf(item)), post: takes(object({ name: TEXT, part: {} }), item, 201) },
    '/items/{id}': { ...inPath('id'), get: shows(item), patch: takes(object({ part: {} }), item) },
  };
  return openShop({ ...CLOSED, spec: { ...toDocument(paths), components: { schemas } } });
};

describe('an item shows what its schema declares', () => {
  it.each(loadCases<readonly Case[]>('state/declared-members.yaml'))('$name', async ({ schema, sent, want }) => {
    const { send } = await open(schema);
    const created = await send('POST', '/items', { name: 'n', part: sent });
    expect(created.body).toEqual({ id: expect.any(String), name: 'n', part: want });
    const path = `/items/${String(created.body['id'])}`;
    expect((await send('GET', path)).body).toEqual(created.body);
    expect((await send('GET', '/items')).list).toEqual([created.body]);
    await send('PATCH', path, { part: null });
    expect((await send('PATCH', path, { part: sent })).body['part']).toEqual(want);
  });

  it('and the store keeps what was sent', async () => {
    const { mock, send } = await open(point);
    const { body } = await send('POST', '/items', { name: 'n', part: { x: 1, z: 3 } });
    expect(mock.state.collection('items').get(String(body['id']))).toMatchObject({ part: { x: 1, z: 3 } });
  });

  it('so that an operation whose answer declares more shows it', async () => {
    const short = object({ id: TEXT, name: TEXT, part: point }, 'id', 'name');
    const long = {
      ...short,
      properties: { ...short.properties, part: { ...point, properties: { ...point.properties, z: INTEGER } } },
    };
    const paths = {
      '/items': { get: shows(arrayOf(short)), post: takes(object({ name: TEXT, part: {} }), short, 201) },
      '/items/{id}': { ...inPath('id'), get: shows(long) },
    };
    const { send } = await openShop({ ...CLOSED, spec: toDocument(paths) });
    const { body } = await send('POST', '/items', { name: 'n', part: { x: 1, z: 3 } });
    expect(body['part']).toEqual({ x: 1 });
    expect((await send('GET', `/items/${String(body['id'])}`)).body['part']).toEqual({ x: 1, z: 3 });
    expect((await send('GET', '/items')).list).toMatchObject([{ part: { x: 1 } }]);
    expect((await send('GET', '/items')).list[0]?.['part']).toEqual({ x: 1 });
  });

  it('also where another item is expanded', async () => {
    const owner = object({ id: TEXT, object: { const: 'owner' }, part: point }, 'id', 'object');
    const item = object({ id: TEXT, owner: { anyOf: [TEXT, ref('Owner')] } }, 'id');
    const expand = query('expand', arrayOf(TEXT));
    const Owner = ref('Owner');
    const paths = {
      '/owners': { post: takes(object({ part: {} }), Owner, 201) },
      '/owners/{id}': { ...inPath('id'), get: shows(Owner) },
      '/items': { post: takes(object({ owner: TEXT }), item, 201) },
      '/items/{id}': { ...inPath('id'), get: { parameters: [expand], ...shows(item) } },
    };
    const spec = { ...toDocument(paths), components: { schemas: { Owner: owner } } };
    const { send } = await openShop({ ...CLOSED, spec });
    const { body: made } = await send('POST', '/owners', { part: { x: 1, z: 3 } });
    expect(made).toEqual({ id: expect.any(String), object: 'owner', part: { x: 1 } });
    const { body } = await send('POST', '/items', { owner: made['id'] });
    const read = await send('GET', `/items/${String(body['id'])}?expand=owner`);
    expect(read.body).toEqual({ id: body['id'], owner: made });
  });

  it('with the envelope that its answers have', async () => {
    const item = object({ id: TEXT, part: point }, 'id');
    const wrapped = object({ data: item }, 'data');
    const paths = {
      '/items': { post: takes(object({ part: {} }), wrapped, 201) },
      '/items/{id}': { ...inPath('id'), get: shows(wrapped) },
    };
    const { send } = await openShop({ ...CLOSED, spec: toDocument(paths) });
    const { body } = await send('POST', '/items', { part: { x: 1, z: 3 } });
    expect(body).toEqual({ data: { id: expect.any(String), part: { x: 1 } } });
  });
});
