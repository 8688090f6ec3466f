import { describe, expect, it } from 'vitest';
import {
  CLOSED,
  inPath,
  json,
  sends,
  toDocument,
  TEXT,
  object,
  INTEGER,
  arrayOf,
  ref,
  query,
} from '../document-parts.js';
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
    '/items': {
      get: { responses: { 200: json(arrayOf(item)) } },
      post: { ...sends(object({ name: TEXT, part: {} })), responses: { 201: json(item) } },
    },
    '/items/{id}': {
      ...inPath('id'),
      get: { responses: { 200: json(item) } },
      patch: { ...sends(object({ part: {} })), responses: { 200: json(item) } },
    },
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
      '/items': {
        get: { responses: { 200: json(arrayOf(short)) } },
        post: { ...sends(object({ name: TEXT, part: {} })), responses: { 201: json(short) } },
      },
      '/items/{id}': { ...inPath('id'), get: { responses: { 200: json(long) } } },
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
      '/owners': { post: { ...sends(object({ part: {} })), responses: { 201: json(Owner) } } },
      '/owners/{id}': { ...inPath('id'), get: { responses: { 200: json(Owner) } } },
      '/items': { post: { ...sends(object({ owner: TEXT })), responses: { 201: json(item) } } },
      '/items/{id}': { ...inPath('id'), get: { parameters: [expand], responses: { 200: json(item) } } },
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
      '/items': { post: { ...sends(object({ part: {} })), responses: { 201: json(wrapped) } } },
      '/items/{id}': { ...inPath('id'), get: { responses: { 200: json(wrapped) } } },
    };
    const { send } = await openShop({ ...CLOSED, spec: toDocument(paths) });
    const { body } = await send('POST', '/items', { part: { x: 1, z: 3 } });
    expect(body).toEqual({ data: { id: expect.any(String), part: { x: 1 } } });
  });
});
