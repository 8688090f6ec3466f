import { describe, expect, it } from 'vitest';
import { inPath, pathParameter, query, shows, takes, toDocument } from '../operation-parts.js';
import { arrayOf, object, type Part, ref, TEXT } from '../schema-parts.js';
import { openShop, type Shop } from './shop.js';

const open = (): Promise<Shop> => {
  const object = (properties: object): object => ({ type: 'object', required: ['id', 'kind'], properties });
  const own = { id: TEXT, kind: { type: 'string', enum: ['thing'] }, title: TEXT, note: TEXT };
  const schemas = {
    customer: object({ ...own, agent: { oneOf: [TEXT, ref('agent')] } }),
    agent: object(own),
    order: object({ ...own, customer: { anyOf: [TEXT, ref('customer')] }, plain: TEXT }),
  };
  const expand = query('expand', arrayOf(TEXT));
  const select = query('fields', TEXT);
  const collection = (name: keyof typeof schemas): readonly (readonly [string, object])[] => {
    const sent = { title: TEXT, note: TEXT, customer: TEXT, agent: TEXT, plain: TEXT };
    const body = { type: 'object', properties: { ...sent, expand: arrayOf(TEXT) } };
    const list = { type: 'object', required: ['data'], properties: { data: arrayOf(ref(name)) } };
    return [
      [`/${name}s`, { get: { parameters: [expand, select], ...shows(list) }, post: takes(body, ref(name), 201) }],
      [
        `/${name}s/{id}`,
        { parameters: [pathParameter('id')], get: { parameters: [expand, select], ...shows(ref(name)) } },
      ],
    ];
  };
  const paths = Object.fromEntries([...collection('order'), ...collection('customer'), ...collection('agent')]);
  const spec = toDocument(paths, schemas);
  return openShop({ spec, state: { unknownIds: 'not-found' } });
};

const fill = async ({ send }: Shop) => {
  const { body: agent } = await send('POST', '/agents', { title: 'agent' });
  const { body: customer } = await send('POST', '/customers', { title: 'customer', agent: agent['id'] });
  const sent = { title: 'order', note: 'n', customer: customer['id'], plain: customer['id'] };
  const { body: order } = await send('POST', '/orders', sent);
  return { agent, customer, order, sent };
};

describe('a parameter that expands ids', () => {
  it('replaces an id by the item that it identifies', async () => {
    const shop = await open();
    const { customer, order, agent } = await fill(shop);
    const path = `/orders/${String(order['id'])}`;
    expect((await shop.send('GET', path)).body).toEqual(order);
    expect(order['customer']).toBe(customer['id']);
    expect((await shop.send('GET', `${path}?expand=customer&expand=plain`)).body).toEqual({ ...order, customer });
    const whole = { ...order, customer: { ...customer, agent } };
    expect((await shop.send('GET', `${path}?expand=customer.agent`)).body).toEqual(whole);
  });

  it.each(['customer', 'data.customer'])('expands each item of a list: %s', async (name) => {
    const shop = await open();
    const { customer, order } = await fill(shop);
    expect((await shop.send('GET', `/orders?expand=${name}`)).body).toEqual({ data: [{ ...order, customer }] });
  });

  it('is read from a request body, and leaves the stored item as it is', async () => {
    const shop = await open();
    const { customer, sent } = await fill(shop);
    const { body } = await shop.send('POST', '/orders', { ...sent, expand: ['customer'] });
    expect(body).toMatchObject({ title: 'order', customer });
    expect((await shop.send('GET', `/orders/${String(body['id'])}`)).body['customer']).toBe(customer['id']);
  });
});

describe('a parameter that selects properties', () => {
  it('shows those that it names, the id and what the schema requires', async () => {
    const shop = await open();
    const { order } = await fill(shop);
    const shown = { id: order['id'], kind: 'thing', title: 'order' };
    expect((await shop.send('GET', `/orders/${String(order['id'])}?fields=title`)).body).toEqual(shown);
    expect((await shop.send('GET', '/orders?fields=title')).body).toEqual({ data: [shown] });
    expect((await shop.send('GET', '/orders?fields=other')).body).toEqual({ data: [order] });
  });
});

it('a filter of every request shows items whose property is null', async () => {
  const spec = toDocument(
    {
      '/refunds': {
        get: { parameters: [{ ...query('account'), required: true }], ...shows(arrayOf(ref('Refund'))) },
        post: takes(ref('Refund'), ref('Refund'), 201),
      },
      '/refunds/{id}': { ...inPath('id'), get: shows(ref('Refund')) },
    },
    { Refund: object({ id: { ...TEXT, readOnly: true }, account: { type: ['string', 'null'] } }) },
  );
  const { send } = await openShop({ spec });
  const accounts = [null, 'a', 'b'];
  for (const account of accounts) await send('POST', '/refunds', { account });
  const { list } = await send('GET', '/refunds?account=a');
  expect(list.map(({ account }) => account)).toEqual([null, 'a']);
});

it('the default of a filter leaves out no items with a value that the filter cannot name', async () => {
  const spec = toDocument(
    {
      '/projects': {
        get: {
          parameters: [query('kind', { type: 'string', enum: ['active', 'paused'], default: 'active' })],
          ...shows(arrayOf(ref('Project'))),
        },
        post: takes(ref('Project'), ref('Project'), 201),
      },
      '/projects/{id}': { ...inPath('id'), get: shows(ref('Project')) },
    },
    { Project: object({ id: { ...TEXT, readOnly: true }, kind: TEXT }) },
  );
  const { send } = await openShop({ spec });
  for (const kind of ['active', 'paused', 'other']) await send('POST', '/projects', { kind });
  const list = async (text = ''): Promise<readonly unknown[]> =>
    (await send('GET', `/projects${text}`)).list.map(({ kind }) => kind);
  expect(await list()).toEqual(['active', 'other']);
  expect(await list('?kind=active')).toEqual(['active']);
});

it.each([
  ['_source=note', { id: 'a', note: 'n' }],
  ['_source_includes=title', { id: 'a', title: 't' }],
  ['_source_excludes=title', { id: 'a', note: 'n' }],
  ['_source=true', { id: 'a', title: 't', note: 'n' }],
  // Without the underscore it is a name like any other.
  ['source=note', { id: 'a', title: 't', note: 'n' }],
])('%s', async (search, wanted) => {
  const names = ['_source', '_source_includes', '_source_excludes', 'source'];
  const Note = object({ id: TEXT, title: TEXT, note: TEXT }, 'id');
  const spec = toDocument(
    {
      '/notes': { post: takes(ref('Note'), ref('Note'), 201) },
      '/notes/{id}': { ...inPath('id'), get: { parameters: names.map((name) => query(name)), ...shows(ref('Note')) } },
    },
    { Note },
  );
  const { send } = await openShop({ spec });
  await send('POST', '/notes', { id: 'a', title: 't', note: 'n' });
  expect((await send('GET', `/notes/a?${search}`)).body).toEqual(wanted);
});

describe('a parameter with ids', () => {
  const pets = (...parameters: readonly object[]): Part =>
    toDocument(
      {
        '/pets': { get: { parameters, ...shows(arrayOf(ref('Pet'))) }, post: takes(ref('Pet'), ref('Pet'), 201) },
        '/pets/{id}': { ...inPath('id'), get: shows(ref('Pet')) },
      },
      { Pet: object({ id: { ...TEXT, readOnly: true }, name: TEXT }, 'id') },
    );

  it.each([
    ['ids', TEXT],
    ['ids', arrayOf(TEXT)],
    ['pet_ids', arrayOf(TEXT)],
    ['pets', arrayOf(TEXT)],
    ['pet_id', TEXT],
  ])('lists the items that it names: %s %j', async (name, schema) => {
    const parameter = { ...query(name, schema), explode: false };
    const { send } = await openShop({ spec: pets(parameter), state: { unknownIds: 'not-found' } });
    const ids: unknown[] = [];
    for (const each of ['a', 'b', 'c']) ids.push((await send('POST', '/pets', { name: each })).body['id']);
    const { list } = await send('GET', `/pets?${name}=${ids.slice(1, name === 'pet_id' ? 2 : 3).join(',')}`);
    expect(list.map((pet) => pet['name'])).toEqual(name === 'pet_id' ? ['b'] : ['b', 'c']);
    expect((await send('GET', `/pets?${name}=other`)).list).toEqual([]);
    expect((await send('GET', '/pets')).list).toHaveLength(3);
  });

  it('lists items that are created because it names them, as a read shows them', async () => {
    const { send } = await openShop({ spec: pets({ ...query('ids'), explode: false }) });
    const { list } = await send('GET', '/pets?ids=x1,x2');
    expect(list.map(({ id }) => id)).toEqual(['x1', 'x2']);
    expect((await send('GET', '/pets/x2')).body).toEqual(list[1]);
  });
});
