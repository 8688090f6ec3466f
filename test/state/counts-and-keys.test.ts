import { expect, it } from 'vitest';
import { createMock, type Mock } from '../../src/index.js';
import { json, pathParameter, query, REMOVED, takes, toDocument } from '../operation-parts.js';
import { arrayOf, INTEGER, object, type Part, ref, TEXT } from '../schema-parts.js';
import { send } from '../send.js';

const WIDGET = ref('Widget');
const WIDGETS = arrayOf(WIDGET);

const answers = (schema: Part, type = 'application/json'): Part => ({
  200: { description: 'ok', content: { [type]: { schema } } },
  404: json({ type: 'object' }),
});

const inPath = (...names: readonly string[]): readonly Part[] => names.map((name) => pathParameter(name));

const inQuery = (name: string): Part => query(name);

/** A document with widgets, at the top and below shops, and further paths. */
function createDocument(paths: Part): Record<string, unknown> {
  const collection = (parameters: readonly Part[], id: string): Part => ({
    get: { operationId: `list${id}`, parameters: [...parameters, inQuery('color')], responses: answers(WIDGETS) },
    post: { operationId: `create${id}`, parameters, ...takes(WIDGET, WIDGET, 201) },
  });
  const item = (parameters: readonly Part[], id: string): Part => ({
    get: { operationId: `read${id}`, parameters, responses: answers(WIDGET) },
    delete: { operationId: `delete${id}`, parameters, ...REMOVED },
  });
  const shop = object({ id: TEXT, title: TEXT }, 'id');
  return toDocument(
    {
      '/widgets': collection([], 'Widget'),
      '/widgets/{id}': item(inPath('id'), 'Widget'),
      '/shops': { post: { operationId: 'createShop', ...takes(shop, shop, 201) } },
      '/shops/{shop}': { get: { operationId: 'readShop', parameters: inPath('shop'), responses: answers(shop) } },
      '/shops/{shop}/widgets': collection(inPath('shop'), 'ShopWidget'),
      '/shops/{shop}/widgets/{id}': item(inPath('shop', 'id'), 'ShopWidget'),
      ...paths,
    },
    {
      Widget: object(
        {
          id: { type: 'string', readOnly: true },
          name: TEXT,
          color: TEXT,
          slug: TEXT,
          tag_name: TEXT,
          topics: arrayOf(TEXT),
        },
        'id',
        'name',
      ),
    },
  );
}

const start = async (paths: Part, initialItems = 0): Promise<Mock> =>
  createMock({ spec: createDocument(paths), state: { initialItems } });

const startClosed = async (paths: Part): Promise<Mock> =>
  createMock({ spec: createDocument(paths), state: { unknownIds: 'not-found' } });

it.each<[name: string, path: string, schema: Part, want: unknown, type?: string]>([
  ['a member "count"', '/widgets/count', object({ count: INTEGER }), { count: 3 }],
  ['a number', '/widgets/count', INTEGER, 3],
  ['a number as text', '/widgets/$count', INTEGER, '3', 'text/plain'],
  [
    'an envelope with a code',
    '/widgets/total',
    object({ code: { type: 'integer', const: 0 }, data: object({ count: INTEGER }, 'count') }, 'code', 'data'),
    { code: 0, data: { count: 3 } },
  ],
])('a count is the number of items that exist: %s', async (...given) => {
  const [, path, schema, want, type] = given;
  const mock = await start({
    [path]: { get: { operationId: 'countWidgets', parameters: [inQuery('color')], responses: answers(schema, type) } },
  });
  for (const color of ['red', 'red', 'blue', 'red']) await send(mock, '/widgets', { name: 'a', color });
  expect((await send(mock, `${path}?color=red`)).body).toEqual(want);
});

it('a count below an item counts the items of that parent', async () => {
  const mock = await start({
    '/shops/{shop}/widgets/count': {
      get: {
        operationId: 'countShopWidgets',
        parameters: inPath('shop'),
        responses: answers(object({ count: INTEGER }, 'count')),
      },
    },
  });
  const { body: one } = await send(mock, '/shops', { id: 's1', title: 'One' });
  const { body: two } = await send(mock, '/shops', { id: 's2', title: 'Two' });
  await send(mock, `/shops/${String(one['id'])}/widgets`, { name: 'a' });
  await send(mock, `/shops/${String(one['id'])}/widgets`, { name: 'b' });
  expect((await send(mock, `/shops/${String(one['id'])}/widgets/count`)).body).toEqual({ count: 2 });
  expect((await send(mock, `/shops/${String(two['id'])}/widgets/count`)).body).toEqual({ count: 0 });
});

it('a count contains the initial items', async () => {
  const mock = await start(
    { '/widgets/count': { get: { operationId: 'countWidgets', responses: answers(INTEGER) } } },
    3,
  );
  expect((await send(mock, '/widgets/count')).body).toBe(3);
  await send(mock, '/widgets', { name: 'a' });
  expect((await send(mock, '/widgets/count')).body).toBe(4);
});

it.each(['latest', 'newest', 'last'])('"%s" reads the item that was created last', async (word) => {
  const mock = await start({
    [`/widgets/${word}`]: {
      get: { operationId: 'readLatest', parameters: [inQuery('color')], responses: answers(WIDGET) },
    },
  });
  expect((await send(mock, `/widgets/${word}`)).status).toBe(404);
  await send(mock, '/widgets', { name: 'a', color: 'red' });
  await send(mock, '/widgets', { name: 'b', color: 'blue' });
  expect((await send(mock, `/widgets/${word}`)).body).toMatchObject({ name: 'b' });
  expect((await send(mock, `/widgets/${word}?color=red`)).body).toMatchObject({ name: 'a' });
});

it.each([
  ['/widgets/tags/{tag}', 'v1'],
  ['/widgets/by-slug/{slug}', 'one'],
  ['/widgets/by/slug/{slug}', 'one'],
  ['/widgets/name/{name}', 'a'],
])('%s reads the item whose property has the value', async (path, value) => {
  const [, name = ''] = /\{(.*)\}/.exec(path) ?? [];
  const mock = await startClosed({
    [path]: { get: { operationId: 'readByKey', parameters: inPath(name), responses: answers(WIDGET) } },
  });
  await send(mock, '/widgets', { name: 'b', slug: 'two', tag_name: 'v2' });
  const { body: made } = await send(mock, '/widgets', { name: 'a', slug: 'one', tag_name: 'v1' });
  expect((await send(mock, path.replace(/\{.*/, value))).body).toEqual(made);
  expect((await send(mock, path.replace(/\{.*/, 'nope'))).status).toBe(404);
});

it('where unknown ids are created, a value of a property that no item has creates an item with an id of its own', async () => {
  const mock = await start({
    '/widgets/tags/{tag}': { get: { operationId: 'readByTag', parameters: inPath('tag'), responses: answers(WIDGET) } },
  });
  const { body: found } = await send(mock, '/widgets/tags/v9');
  expect(found['tag_name']).toBe('v9');
  expect(found['id']).not.toBe('v9');
  expect((await send(mock, `/widgets/${String(found['id'])}`)).body).toEqual(found);
});

const BY_TOPIC = {
  '/widgets/topic/{topic}': {
    get: { operationId: 'listByTopic', parameters: inPath('topic'), responses: answers(WIDGETS) },
  },
  '/widgets/by-color/{color}': {
    get: { operationId: 'listByColor', parameters: inPath('color'), responses: answers(WIDGETS) },
  },
};

it('a path with the value of a property lists the items that have it', async () => {
  const mock = await start(BY_TOPIC);
  const { body: one } = await send(mock, '/widgets', { name: 'a', color: 'red', topics: ['x', 'y'] });
  const { body: two } = await send(mock, '/widgets', { name: 'b', color: 'blue', topics: ['y'] });
  expect((await send(mock, '/widgets/topic/y')).body).toEqual([one, two]);
  expect((await send(mock, '/widgets/topic/x')).body).toEqual([one]);
  expect((await send(mock, '/widgets/by-color/blue')).body).toEqual([two]);
  expect((await send(mock, '/widgets/by-color/green')).body).toEqual([]);
});

it('a path with the value of a property shows initial items with that value', async () => {
  const mock = await start(BY_TOPIC, 3);
  const { body: red } = await send(mock, '/widgets/by-color/red');
  expect(red).toHaveLength(3);
  expect(red).toEqual([1, 2, 3].map(() => expect.objectContaining({ color: 'red' }) as unknown));
  const { body: topics } = await send(mock, '/widgets/topic/y');
  expect(topics).toEqual([1, 2, 3].map(() => expect.objectContaining({ topics: ['y'] }) as unknown));
});
