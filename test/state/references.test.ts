import { describe, expect, it } from 'vitest';
import { inPath, json, pathParameter, query, sends, shows, takes, toDocument } from '../operation-parts.js';
import { arrayOf, CLOSED, INTEGER, NUMBER, object, ref, TEXT } from '../schema-parts.js';
import { openShop, type Shop } from './shop.js';
const role = object({ id: TEXT, name: TEXT, rank: INTEGER }, 'id');
const error = object({ code: TEXT, detail: TEXT }, 'code', 'detail');

const open = (status: number, unknownIds: 'create' | 'not-found'): Promise<Shop> => {
  const plain = { id: TEXT, title: TEXT };
  const shown = {
    customer: { anyOf: [TEXT, object({ id: TEXT }, 'id')] },
    project: object({ id: TEXT, name: TEXT }, 'id'),
  };
  const order = object({ ...plain, ...shown, role, color: TEXT }, 'id');
  const sent = {
    title: TEXT,
    customer: { type: 'string', description: 'The customer.' },
    role_id: TEXT,
    tag_ids: arrayOf(TEXT),
    project: object({ id: TEXT }, 'id'),
    color: { type: 'string', description: 'The color in words.' },
  };
  const refused = { [status]: json(error) };
  const collection = (noun: string, item: object, body: object): readonly (readonly [string, object])[] => [
    [
      `/${noun}s`,
      { get: shows(arrayOf(item)), post: { ...sends(object(body)), responses: { 201: json(item), ...refused } } },
    ],
    [
      `/${noun}s/{${noun}_id}`,
      {
        parameters: [pathParameter(`${noun}_id`)],
        get: shows(item),
        patch: { ...sends(object(body)), responses: { 200: json(item), ...refused } },
      },
    ],
  ];
  const named = object({ id: TEXT, name: TEXT }, 'id');
  const paths = Object.fromEntries([
    ...collection('order', order, sent),
    ...collection('customer', named, { name: TEXT }),
    ...collection('role', role, { name: TEXT, rank: INTEGER }),
    ...collection('tag', named, { name: TEXT }),
    ...collection('project', named, { name: TEXT }),
    ...collection('color', named, { name: TEXT }),
  ]);
  const spec = toDocument(paths);
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

const price = ref('Price');

const components = { schemas: { Price: object({ id: TEXT, amount: INTEGER }, 'id') } };

const list = (item: object): object => shows(arrayOf(item));

const create = (item: object, body: object): object => ({
  ...sends(object(body)),
  responses: { 201: json(item), 404: json(error) },
});

const one = (name: string, item: object): object => ({
  parameters: [pathParameter(name)],
  get: shows(item),
  patch: create(item, {}),
});

/** A document of a catalog with one more collection, whose creates send the given properties. */
const openCatalog = (sent: object, shown: object, more: object = {}): Promise<Shop> => {
  const bundle = object({ id: TEXT, note: TEXT, ...shown }, 'id');
  const paths = {
    '/prices': { get: list(price), post: create(price, { amount: INTEGER }) },
    '/prices/{price_id}': one('price_id', price),
    '/bundles': { get: list(bundle), post: create(bundle, { note: TEXT, ...sent }) },
    '/bundles/{bundle_id}': one('bundle_id', bundle),
    ...more,
  };
  const spec = toDocument(paths, undefined, { components });
  return openShop({ spec, state: { unknownIds: 'not-found' } });
};

const strings = arrayOf(TEXT);

describe('a reference inside of a body', () => {
  const NESTED: readonly (readonly [string, object, object, object])[] = [
    [
      'in objects of an array that show the item',
      { lines: arrayOf(object({ price: TEXT, count: INTEGER })) },
      { lines: arrayOf(object({ price, count: INTEGER })) },
      { lines: [{ price: 'PRICE' }, { price: 'none' }] },
    ],
    [
      'in the list of an envelope that shows the item',
      { lines: arrayOf(object({ price: TEXT })) },
      { lines: object({ data: arrayOf(object({ price }, 'id')), total: INTEGER }) },
      { lines: [{ price: 'none' }] },
    ],
    ['in an object', { plan: object({ price_id: TEXT }) }, {}, { plan: { price_id: 'none' } }],
    ['in an array of ids', { plan: object({ priceIds: strings }) }, {}, { plan: { priceIds: ['PRICE', 'none'] } }],
    [
      'of another name that is shown as the item',
      { setup: TEXT },
      { setup: { anyOf: [TEXT, price] } },
      { setup: 'none' },
    ],
  ];

  it.each(NESTED)('is checked %s', async (_, sent, shown, wrong) => {
    const { send } = await openCatalog(sent, shown);
    const { body } = await send('POST', '/prices', { amount: 4 });
    const existing = JSON.parse(JSON.stringify(wrong).replaceAll('PRICE', String(body['id']))) as object;
    expect(await send('POST', '/bundles', existing)).toMatchObject({
      status: 404,
      body: { detail: 'no price has the id "none"' },
    });
    const right = JSON.parse(JSON.stringify(wrong).replaceAll(/PRICE|none/g, String(body['id']))) as object;
    expect((await send('POST', '/bundles', right)).status).toBe(201);
  });

  it.each(NESTED)('is accepted before there are such items: %s', async (_, sent, shown, body) => {
    const { send } = await openCatalog(sent, shown);
    expect((await send('POST', '/bundles', body)).status).toBe(201);
  });

  it('is checked in every element of a batch', async () => {
    const item = object({ id: TEXT, price_id: TEXT }, 'id');
    const batch = {
      ...sends(arrayOf(object({ price_id: TEXT }))),
      responses: { 201: json(arrayOf(item)), 404: json(error) },
    };
    const { send } = await openCatalog(
      {},
      {},
      { '/offers': { get: list(item), post: batch }, '/offers/{id}': one('id', item) },
    );
    const { body } = await send('POST', '/prices', {});
    expect((await send('POST', '/offers', [{ price_id: body['id'] }, { price_id: 'none' }])).status).toBe(404);
    expect((await send('GET', '/offers')).list).toEqual([]);
    expect((await send('POST', '/offers', [{ price_id: body['id'] }])).status).toBe(201);
  });
});

describe('what is not plainly a reference', () => {
  const other = object({ id: TEXT, name: TEXT }, 'id');
  const ACCEPTED: readonly (readonly [string, object, object, object])[] = [
    ['a plain string with the noun of a collection', { price: TEXT }, { price: TEXT }, { price: 'ten' }],
    [
      'a string that is shown as one of several kinds',
      { price: TEXT },
      { price: { anyOf: [price, other] } },
      { price: 'ten' },
    ],
    ['an id of what has no collection', { owner_id: TEXT }, {}, { owner_id: 'none' }],
    ['a reference to an item of the own collection', { bundle_id: TEXT }, {}, { bundle_id: 'none' }],
    [
      'an object with other properties',
      { price: object({ id: TEXT, amount: INTEGER }, 'id') },
      {},
      { price: { id: 'x', amount: 1 } },
    ],
    ['the example of the contract', { price_id: { type: 'string', example: '0' } }, {}, { price_id: '0' }],
    ['the default of the contract', { price_id: { type: 'string', default: 'free' } }, {}, { price_id: 'free' }],
    ['one of fixed values', { price_id: { type: 'string', enum: ['low', 'high'] } }, {}, { price_id: 'low' }],
    ['a number', { prices: arrayOf(NUMBER) }, {}, { prices: [1.5] }],
  ];

  it.each(ACCEPTED)('is accepted: %s', async (_, sent, shown, body) => {
    const { send } = await openCatalog(sent, shown);
    expect((await send('POST', '/bundles', body)).status).toBe(201);
  });

  it('is accepted: an id of what no request can create', async () => {
    const region = object({ id: TEXT }, 'id');
    const { send } = await openCatalog(
      { region_id: TEXT },
      {},
      { '/regions': { get: list(region) }, '/regions/{region_id}': { ...one('region_id', region), patch: undefined } },
    );
    expect((await send('POST', '/bundles', { region_id: 'eu-1' })).status).toBe(201);
  });

  it('is accepted: an id of another collection with the same noun', async () => {
    const { send } = await openCatalog(
      { price_id: TEXT },
      {},
      {
        '/shops': { get: list(other), post: create(other, { name: TEXT }) },
        '/shops/{shop_id}': one('shop_id', other),
        '/shops/{shop_id}/prices': {
          parameters: [pathParameter('shop_id')],
          get: list(price),
          post: create(price, { amount: INTEGER }),
        },
        '/shops/{shop_id}/prices/{price_id}': {
          ...one('price_id', price),
          parameters: ['shop_id', 'price_id'].map((name) => pathParameter(name)),
        },
      },
    );
    const { body: shop } = await send('POST', '/shops', { name: 'a' });
    const { body: own } = await send('POST', `/shops/${String(shop['id'])}/prices`, { amount: 1 });
    expect((await send('POST', '/bundles', { price_id: own['id'] })).status).toBe(201);
    expect((await send('POST', '/bundles', { price_id: 'none' })).status).toBe(404);
  });
});

describe('an object that shows another item', () => {
  const openOrders = async () => {
    const user = object({ id: TEXT, name: TEXT, email: TEXT }, 'id');
    const order = object({ id: TEXT, note: TEXT, user: object({ id: TEXT, name: TEXT }, 'id') }, 'id');
    const paths = {
      '/users': { get: list(user), post: create(user, { name: TEXT, email: TEXT }) },
      '/users/{user_id}': { ...one('user_id', user), patch: create(user, { name: TEXT }) },
      '/orders': { get: list(order), post: create(order, { user_id: TEXT, note: TEXT }) },
      '/orders/{order_id}': { ...one('order_id', order), patch: create(order, { user_id: TEXT, note: TEXT }) },
    };
    const spec = toDocument(paths);
    const shop = await openShop({ spec, state: { unknownIds: 'not-found' } });
    const { body: ada } = await shop.send('POST', '/users', { name: 'Ada', email: 'ada@example.com' });
    const { body: order1 } = await shop.send('POST', '/orders', { user_id: ada['id'] });
    return { ...shop, ada, order1, path: `/orders/${String(order1['id'])}` };
  };

  it('shows its part of that item', async () => {
    const { ada, order1 } = await openOrders();
    expect(order1['user']).toEqual({ id: ada['id'], name: 'Ada' });
  });

  it('follows the changes of that item', async () => {
    const { send, ada, path } = await openOrders();
    await send('PATCH', `/users/${String(ada['id'])}`, { name: 'Ada Lovelace' });
    expect((await send('GET', path)).body['user']).toEqual({ id: ada['id'], name: 'Ada Lovelace' });
    expect((await send('GET', '/orders')).list[0]?.['user']).toEqual({ id: ada['id'], name: 'Ada Lovelace' });
  });

  it('shows another item after a change of the id', async () => {
    const { send, path } = await openOrders();
    const { body: grace } = await send('POST', '/users', { name: 'Grace' });
    const { body } = await send('PATCH', path, { user_id: grace['id'] });
    expect(body['user']).toEqual({ id: grace['id'], name: 'Grace' });
  });

  it('stays after the removal of that item, and after other changes', async () => {
    const { send, ada, path } = await openOrders();
    const { body } = await send('PATCH', path, { note: 'a' });
    expect(body).toMatchObject({ note: 'a', user: { id: ada['id'], name: 'Ada' } });
  });
});

describe('items that a request names by their ids in an array', () => {
  const list = (schema: object): object => json(arrayOf(schema));
  const projects = arrayOf(ref('Project'));
  const spec = toDocument(
    {
      '/projects': { post: takes(object({ name: TEXT }), ref('Project'), 201) },
      '/projects/{project_id}': { ...inPath('project_id'), get: shows(ref('Project')) },
      '/tasks': {
        post: takes(object({ name: TEXT, projects: arrayOf(TEXT) }), ref('Task'), 201),
        get: { parameters: [query('projects')], responses: { 200: list(ref('Task')) } },
      },
      '/tasks/{task_id}': { ...inPath('task_id'), get: shows(ref('Task')) },
      '/tasks/{task_id}/projects': { ...inPath('task_id'), get: { responses: { 200: list(ref('Project')) } } },
    },
    {
      Project: object({ gid: { ...TEXT, readOnly: true }, name: TEXT }),
      Task: object({ gid: { ...TEXT, readOnly: true }, name: TEXT, projects: { ...projects, readOnly: true } }),
    },
  );

  it('keep their ids, also where a path below the item only lists them, and filter lists', async () => {
    const { send } = await openShop({ ...CLOSED, spec });
    const project = (await send('POST', '/projects', { name: 'P' })).body;
    const task = (await send('POST', '/tasks', { name: 'T', projects: [project['gid']] })).body;
    await send('POST', '/tasks', { name: 'U' });
    expect(task['projects']).toEqual([project]);
    expect((await send('GET', `/tasks/${String(task['gid'])}/projects`)).list).toEqual([project]);
    expect((await send('GET', `/tasks?projects=${String(project['gid'])}`)).list).toEqual([task]);
  });
});

it('a string in place of an item whose id is a number is its name', async () => {
  const label = { id: INTEGER, name: TEXT, color: TEXT };
  const labels = arrayOf({ oneOf: [TEXT, object(label)] });
  const issue = object({ number: INTEGER, title: TEXT, labels }, 'number', 'labels');
  const spec = toDocument(
    {
      '/labels': { get: shows(arrayOf(ref('Label'))) },
      '/labels/{id}': { ...inPath('id'), get: shows(ref('Label')) },
      '/issues': { post: takes(object({ title: TEXT, labels }), issue, 201) },
      '/issues/{number}': { ...inPath('number'), get: shows(issue) },
    },
    { Label: object(label, 'id', 'name', 'color') },
  );
  const { send } = await openShop({ spec });
  const { body } = await send('POST', '/issues', { title: 'a', labels: ['bug', { name: 'docs' }] });
  expect(body['labels']).toEqual([{ name: 'bug' }, { name: 'docs' }]);
  expect((await send('GET', `/issues/${String(body['number'])}`)).body).toEqual(body);
});
