// @module-tag slow
import { describe, expect, it } from 'vitest';
import { inPath, json, sends, shows, toDocument } from '../operation-parts.js';
import { arrayOf, BOOLEAN, INTEGER, object, type Part as Json, ref, TEXT } from '../schema-parts.js';
import { openShop, type Shop } from './shop.js';

const WORLDS = ['create', 'not-found'] as const;
type World = (typeof WORLDS)[number];
const NOT_FOUND = { description: 'not found' };

/** The paths of a collection whose items are created, listed, read and changed. */
const collection = (path: string, item: Json, sent: Json): Json => {
  const id = `${path.split('/').at(-1) ?? ''}_id`;
  return {
    [path]: {
      get: shows(arrayOf(item)),
      post: { ...sends(object(sent)), responses: { 201: json(item), 404: NOT_FOUND } },
    },
    [`${path}/{${id}}`]: {
      ...inPath(id),
      get: { responses: { 200: json(item), 404: NOT_FOUND } },
      patch: { ...sends(object(sent)), responses: { 200: json(item), 404: NOT_FOUND } },
    },
  };
};

const price = object({ id: TEXT, amount: INTEGER, created_at: { type: 'string', format: 'date-time' } }, 'id');
const line = (shown: Json): Json =>
  object(
    { id: TEXT, price: shown, quantity: INTEGER, order: TEXT, created: INTEGER },
    'id',
    'price',
    'order',
    'created',
  );
const sentLines = arrayOf(object({ price: TEXT, quantity: INTEGER }, 'price'));

const open = (world: World, shown: Json, sent: Json = { items: sentLines }): Promise<Shop> =>
  openShop({
    spec: toDocument({
      ...collection('/prices', price, { amount: INTEGER }),
      ...collection('/orders', object({ id: TEXT, created: INTEGER, ...shown }, 'id', 'created'), sent),
    }),
    state: { unknownIds: world },
  });

const SHAPES: readonly (readonly [
  name: string,
  list: (element: Json) => Json,
  read: (list: Json) => unknown,
  rest: Json,
])[] = [
  [
    'data, object and has_more',
    (element) =>
      object(
        { object: { ...TEXT, enum: ['list'] }, data: arrayOf(element), has_more: BOOLEAN, url: TEXT },
        'object',
        'data',
        'has_more',
        'url',
      ),
    (list) => list['data'],
    { object: 'list', has_more: false },
  ],
  [
    'items and total',
    (element) => object({ items: arrayOf(element), total: INTEGER }),
    (list) => list['items'],
    { total: 2 },
  ],
  [
    'results, count and next',
    (element) =>
      object({ count: INTEGER, next: { type: ['string', 'null'] }, results: arrayOf(element) }, 'count', 'next'),
    (list) => list['results'],
    { count: 2, next: null },
  ],
  [
    'nodes and totalCount',
    (element) => object({ nodes: arrayOf(element), totalCount: INTEGER }, 'nodes'),
    (list) => list['nodes'],
    { totalCount: 2 },
  ],
];

describe.each(WORLDS)('an array that is shown as the object of a list, unknown ids: %s', (world) => {
  it.each(SHAPES)('has the elements that were sent: %s', async (_, toList, read, rest) => {
    const { send } = await open(world, { items: toList(line(price)) });
    const prices = [
      (await send('POST', '/prices', { amount: 5 })).body,
      (await send('POST', '/prices', { amount: 7 })).body,
    ];
    const items = prices.map(({ id }, i) => ({ price: id, quantity: i + 2 }));
    const { status, body } = await send('POST', '/orders', { items });
    expect(status).toBe(201);
    const list = body['items'] as Json;
    expect(list).toMatchObject(rest);
    const elements = read(list) as readonly Json[];
    expect(elements).toMatchObject(
      prices.map((each, i) => ({ price: each, quantity: i + 2, order: body['id'], created: body['created'] })),
    );
    expect(new Set(elements.map(({ id }) => id)).size).toBe(2);
    expect((await send('GET', `/orders/${String(body['id'])}`)).body).toEqual(body);
    expect((await send('GET', '/orders')).list).toContainEqual(body);
    // A changed price is shown where it is embedded.
    const [first] = prices;
    await send('PATCH', `/prices/${String(first?.['id'])}`, { amount: 6 });
    const changed = (await send('GET', `/orders/${String(body['id'])}`)).body['items'] as Json;
    expect((read(changed) as readonly Json[])[0]).toMatchObject({ price: { id: first?.['id'], amount: 6 } });
  });

  it.each(SHAPES)('has the elements that a change sends: %s', async (_, toList, read, rest) => {
    const { send } = await open(world, { items: toList(line(price)) });
    const { body: cheap } = await send('POST', '/prices', { amount: 5 });
    const { body } = await send('POST', '/orders', { items: [{ price: cheap['id'] }] });
    const one = { price: cheap['id'], quantity: 1 };
    const changed = (await send('PATCH', `/orders/${String(body['id'])}`, { items: [one, { ...one, quantity: 4 }] }))
      .body;
    expect(changed['items']).toMatchObject(rest);
    expect(read(changed['items'] as Json)).toMatchObject([
      { price: { id: cheap['id'] }, quantity: 1 },
      { price: { id: cheap['id'] }, quantity: 4 },
    ]);
  });

  it.each(SHAPES)('has the ids that were sent where its elements show ids: %s', async (_, toList, read) => {
    const { send } = await open(world, { items: toList(line(TEXT)) });
    const { body: cheap } = await send('POST', '/prices', { amount: 5 });
    const { body } = await send('POST', '/orders', { items: [{ price: cheap['id'], quantity: 3 }] });
    expect(read(body['items'] as Json)).toMatchObject([{ price: cheap['id'], quantity: 3, order: body['id'] }]);
  });

  it.each(SHAPES)('shows the objects of the ids that were sent: %s', async (_, toList, read) => {
    const { send } = await open(world, { prices: toList(price) }, { prices: arrayOf(TEXT) });
    const { body: cheap } = await send('POST', '/prices', { amount: 5 });
    const { body } = await send('POST', '/orders', { prices: [cheap['id']] });
    expect(read(body['prices'] as Json)).toEqual([cheap]);
  });

  it('has elements that are read where a collection has their schema', async () => {
    const element = ref('Line');
    const list = object({ data: arrayOf(element), has_more: BOOLEAN }, 'data', 'has_more');
    const { send } = await openShop({
      spec: toDocument(
        {
          ...collection('/lines', element, { price: TEXT, quantity: INTEGER }),
          ...collection('/prices', price, { amount: INTEGER }),
          ...collection('/orders', object({ id: TEXT, items: list }, 'id'), { items: sentLines }),
        },
        { Line: line(price) },
      ),
      state: { unknownIds: world },
    });
    const { body: cheap } = await send('POST', '/prices', { amount: 5 });
    const { body } = await send('POST', '/orders', { items: [{ price: cheap['id'], quantity: 3 }] });
    expect(body['items']).toMatchObject({ data: [{ price: cheap, quantity: 3 }], has_more: false });
    const [first] = (body['items'] as Json)['data'] as readonly Json[];
    expect((await send('GET', `/lines/${String(first?.['id'])}`)).body).toEqual(first);
    await send('PATCH', `/lines/${String(first?.['id'])}`, { quantity: 8 });
    const { body: changed } = await send('GET', `/orders/${String(body['id'])}`);
    expect(changed['items']).toMatchObject({ data: [{ ...first, quantity: 8 }] });
  });

  it('shows them in a plain array as well', async () => {
    const { send } = await open(world, { items: arrayOf(line(price)) });
    const { body: cheap } = await send('POST', '/prices', { amount: 5 });
    const { body } = await send('POST', '/orders', { items: [{ price: cheap['id'], quantity: 3 }] });
    expect(body['items']).toMatchObject([{ price: cheap, quantity: 3, order: body['id'], created: body['created'] }]);
  });
});

describe.each(WORLDS)('a key that is sent where an item shows objects, unknown ids: %s', (world) => {
  const user = (...names: readonly string[]): Json =>
    object({ id: INTEGER, ...Object.fromEntries(names.map((name) => [name, TEXT])), url: TEXT }, 'id', ...names);
  const openIssues = (shown: Json, sent: Json, more: Json = {}): Promise<Shop> =>
    openShop({
      spec: toDocument({
        ...collection('/issues', object({ id: TEXT, title: TEXT, ...shown }, 'id'), { title: TEXT, ...sent }),
        ...more,
      }),
      state: { unknownIds: world },
    });

  it.each([
    ['login', ['name', 'login']],
    ['slug', ['name', 'slug']],
    ['username', ['name', 'username']],
    ['name', ['color', 'name']],
  ])('fills `%s`', async (key, names) => {
    const shown = { assignees: arrayOf(user(...names)), owner: user(...names) };
    const { send } = await openIssues(shown, { assignees: arrayOf(TEXT), owner: TEXT });
    const { body } = await send('POST', '/issues', { assignees: ['ada', 'bo'], owner: 'ada' });
    expect(body).toMatchObject({ assignees: [{ [key]: 'ada' }, { [key]: 'bo' }], owner: { [key]: 'ada' } });
    expect((await send('GET', `/issues/${String(body['id'])}`)).body).toEqual(body);
  });

  it('fills the id of the collection with that schema', async () => {
    const member = object({ name: TEXT, handle: TEXT, team: TEXT }, 'name', 'handle');
    const one = {
      ...inPath('handle'),
      get: { responses: { 200: json(member), 404: NOT_FOUND } },
      put: { ...sends(object({ name: TEXT })), responses: { 201: json(member), 404: NOT_FOUND } },
    };
    const { send } = await openIssues(
      { members: arrayOf(member), reviewers: arrayOf(object({ label: TEXT, name: TEXT, handle: TEXT })) },
      { members: arrayOf(TEXT), reviewers: arrayOf(TEXT) },
      { '/members': { get: shows(arrayOf(member)) }, '/members/{handle}': one },
    );
    const { body: ada } = await send('PUT', '/members/ada', { name: 'Ada' });
    expect(ada).toMatchObject({ handle: 'ada' });
    const { body } = await send('POST', '/issues', { members: ['ada'], reviewers: ['bo'] });
    expect(body).toMatchObject({ members: [ada], reviewers: [{ name: 'bo' }] });
  });

  it.each([
    ['an integer', INTEGER],
    ['an integer or a string', { oneOf: [TEXT, INTEGER] }],
  ])('fills the number of an item below the same parent: %s', async (_, milestone) => {
    const shown = object({ id: INTEGER, number: INTEGER, title: TEXT }, 'id', 'number', 'title');
    const issue = object({ number: INTEGER, title: TEXT, milestone: shown }, 'number');
    const one = (name: string, item: Json): Json => ({
      ...inPath('repo_id', name),
      get: { responses: { 200: json(item), 404: NOT_FOUND } },
    });
    const many = (item: Json, sent: Json): Json => ({
      ...inPath('repo_id'),
      get: shows(arrayOf(item)),
      post: { ...sends(object(sent)), responses: { 201: json(item), 404: NOT_FOUND } },
    });
    const { send } = await openShop({
      spec: toDocument({
        ...collection('/repos', object({ id: TEXT, name: TEXT }, 'id'), { name: TEXT }),
        '/repos/{repo_id}/milestones': many(shown, { title: TEXT }),
        '/repos/{repo_id}/milestones/{milestone_number}': one('milestone_number', shown),
        '/repos/{repo_id}/issues': many(issue, { title: TEXT, milestone }),
        '/repos/{repo_id}/issues/{issue_number}': one('issue_number', issue),
      }),
      state: { unknownIds: world },
    });
    const at = `/repos/${String((await send('POST', '/repos', { name: 'a' })).body['id'])}`;
    await send('POST', `${at}/milestones`, { title: 'first' });
    const { body: second } = await send('POST', `${at}/milestones`, { title: 'second' });
    const { body } = await send('POST', `${at}/issues`, { title: 'b', milestone: second['number'] });
    expect(body).toMatchObject({ title: 'b', milestone: second });
    expect((await send('GET', `${at}/issues/${String(body['number'])}`)).body).toEqual(body);
  });
});
