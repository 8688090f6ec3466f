import { describe, expect, it } from 'vitest';
import { json, TEXT } from './document-parts.js';
import { openShop, type Shop } from './shop.js';

const toObject = (properties: object, required: readonly string[] = ['id']): object => ({
  type: 'object',
  required,
  properties,
});
const role = toObject({ id: TEXT, name: TEXT, rank: { type: 'integer' } });
const error = toObject({ code: TEXT, detail: TEXT }, ['code', 'detail']);

const open = (status: number, unknownIds: 'create' | 'not-found'): Promise<Shop> => {
  const plain = { id: TEXT, title: TEXT };
  const shown = { customer: { anyOf: [TEXT, toObject({ id: TEXT })] }, project: toObject({ id: TEXT, name: TEXT }) };
  const order = toObject({ ...plain, ...shown, role, color: TEXT });
  const sent = {
    title: TEXT,
    customer: { type: 'string', description: 'The customer.' },
    role_id: TEXT,
    tag_ids: { type: 'array', items: TEXT },
    project: toObject({ id: TEXT }),
    color: { type: 'string', description: 'The color in words.' },
  };
  const refused = { [status]: json(error) };
  const collection = (noun: string, item: object, body: object): readonly (readonly [string, object])[] => [
    [
      `/${noun}s`,
      {
        get: { responses: { 200: json({ type: 'array', items: item }) } },
        post: {
          requestBody: { content: { 'application/json': { schema: toObject(body, []) } } },
          responses: { 201: json(item), ...refused },
        },
      },
    ],
    [
      `/${noun}s/{${noun}_id}`,
      {
        parameters: [{ name: `${noun}_id`, in: 'path', required: true, schema: TEXT }],
        get: { responses: { 200: json(item) } },
        patch: {
          requestBody: { content: { 'application/json': { schema: toObject(body, []) } } },
          responses: { 200: json(item), ...refused },
        },
      },
    ],
  ];
  const named = toObject({ id: TEXT, name: TEXT });
  const paths = Object.fromEntries([
    ...collection('order', order, sent),
    ...collection('customer', named, { name: TEXT }),
    ...collection('role', role, { name: TEXT, rank: { type: 'integer' } }),
    ...collection('tag', named, { name: TEXT }),
    ...collection('project', named, { name: TEXT }),
    ...collection('color', named, { name: TEXT }),
  ]);
  const spec = { openapi: '3.1.0', info: { title: 'Orders', version: '1' }, paths };
  return openShop({ spec, state: { unknownIds } });
};

const WRONG: readonly (readonly [string, object])[] = [
  ['an expandable id', { customer: 'none' }],
  ['an id', { role_id: 'none' }],
  ['a list of ids', { tag_ids: ['none'] }],
  ['an object with an id', { project: { id: 'none' } }],
];

describe('a request that names an item which does not exist', () => {
  it.each(WRONG)('is refused where unknown ids are not found: %s', async (_, sent) => {
    const { send } = await open(422, 'not-found');
    expect(await send('POST', '/orders', sent)).toMatchObject({
      status: 422,
      body: { code: expect.any(String), detail: expect.stringContaining('"none"') },
    });
    expect((await send('GET', '/orders')).list).toEqual([]);
    const { body } = await send('POST', '/orders', { title: 'a' });
    expect((await send('PATCH', `/orders/${String(body['id'])}`, sent)).status).toBe(422);
  });

  it.each(WRONG)('is accepted where unknown ids are created: %s', async (_, sent) => {
    const { send } = await open(422, 'create');
    expect((await send('POST', '/orders', sent)).status).toBe(201);
  });

  it.each([404, 400])('is refused with the status that the contract declares: %d', async (status) => {
    const { send } = await open(status, 'not-found');
    expect((await send('POST', '/orders', { customer: 'none' })).status).toBe(status);
  });

  it('is accepted where the value is not an id', async () => {
    const { send } = await open(422, 'not-found');
    expect((await send('POST', '/orders', { color: 'green' })).status).toBe(201);
  });
});

describe('a request that names an existing item', () => {
  it('is accepted, and the created item shows what it names', async () => {
    const { send } = await open(422, 'not-found');
    const { body: admin } = await send('POST', '/roles', { name: 'admin', rank: 3 });
    const { body: customer } = await send('POST', '/customers', { name: 'Ada' });
    const sent = { customer: customer['id'], role_id: admin['id'] };
    const { status, body } = await send('POST', '/orders', sent);
    expect(status).toBe(201);
    expect(body).toMatchObject({ customer: customer['id'], role: admin });
    expect((await send('GET', `/orders/${String(body['id'])}`)).body).toEqual(body);
  });
});
