import { describe, expect, it, onTestFinished } from 'vitest';
import { createMock, type Mock } from '../../src/index.js';
import { deriveDocument, readItemData } from '../../src/tools/derive/derive-document.js';

const DATA = {
  recipes: [
    { id: 1, title: 'Soup', minutes: 30, tags: ['warm'] },
    { id: 2, title: 'Salad', minutes: 10.5, note: null },
  ],
  steps: [
    { id: 'a', recipeId: 1, text: 'Cut' },
    { id: 'b', recipeId: 1, text: 'Cook' },
    { id: 'c', recipeId: 2, text: 'Mix' },
  ],
  settings: { theme: 'dark' },
};

async function open(data: object = DATA): Promise<(method: string, path: string, body?: unknown) => Promise<unknown>> {
  const items = readItemData(data);
  if (items === undefined) throw new Error('not the data of items');
  const mock: Mock = await createMock({ spec: deriveDocument(items, 'recipes.json'), fixtures: items });
  onTestFinished(mock.close);
  expect(mock.problems).toEqual([]);
  return async (method, path, body) => {
    const init =
      body === undefined ? {} : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
    const response = await mock.fetch(path, { method, ...init });
    return [response.status, await response.json()];
  };
}

describe('a document that is derived from items', () => {
  it('has the operations of each collection, its items and its children', async () => {
    const send = await open();
    expect(await send('GET', '/recipes')).toEqual([200, DATA.recipes]);
    expect(await send('GET', '/recipes/2')).toEqual([200, DATA.recipes[1]]);
    expect(await send('GET', '/recipes/1/steps')).toEqual([200, DATA.steps.slice(0, 2)]);
    expect(await send('POST', '/recipes', { title: 'Tea' })).toEqual([201, { id: 3, title: 'Tea' }]);
    expect(await send('POST', '/recipes/3/steps', { id: 'd', text: 'Boil' })).toEqual([
      201,
      { id: 'd', recipeId: 3, text: 'Boil' },
    ]);
    expect(await send('PATCH', '/recipes/1', { minutes: 25 })).toEqual([200, { ...DATA.recipes[0], minutes: 25 }]);
    expect(await send('PUT', '/recipes/2', { title: 'Bread' })).toEqual([200, { id: 2, title: 'Bread' }]);
    expect(await send('DELETE', '/recipes/2')).toEqual([200, { id: 2, title: 'Bread' }]);
    expect(await send('GET', '/recipes/2')).toMatchObject([404, { status: 404 }]);
  });

  it('filters, sorts and pages', async () => {
    const send = await open();
    const [soup, salad] = DATA.recipes;
    expect(await send('GET', '/recipes?minutes=30')).toEqual([200, [soup]]);
    expect(await send('GET', '/steps?recipeId=2')).toEqual([200, [DATA.steps[2]]]);
    expect(await send('GET', '/recipes?_sort=minutes')).toEqual([200, [salad, soup]]);
    expect(await send('GET', '/recipes?_sort=-minutes')).toEqual([200, [soup, salad]]);
    expect(await send('GET', '/recipes?_page=1&_per_page=1')).toEqual([200, [soup]]);
    expect(await send('GET', '/recipes?_page=2&_per_page=1')).toEqual([200, [salad]]);
    expect(await send('GET', '/recipes?_limit=1')).toEqual([200, [soup]]);
  });

  it('has singletons', async () => {
    const send = await open();
    expect(await send('GET', '/settings')).toEqual([200, { theme: 'dark' }]);
    expect(await send('PATCH', '/settings', { size: 3 })).toEqual([200, { theme: 'dark', size: 3 }]);
  });

  it('keeps members that no item has yet, and refuses another type for those that some have', async () => {
    const send = await open();
    const added = { title: 'Tea', origin: { country: 'IN' } };
    expect(await send('POST', '/recipes', added)).toEqual([201, { id: 3, ...added }]);
    expect(await send('GET', '/recipes/3')).toEqual([200, { id: 3, ...added }]);
    expect(await send('POST', '/recipes', { title: 5 })).toMatchObject([400, { errors: [{ pointer: '/title' }] }]);
    expect(await send('PATCH', '/recipes/2', { note: null })).toMatchObject([200, { note: null }]);
  });

  it('has two schemas for collections with one noun', async () => {
    const send = await open({ child: [{ id: 1, a: 'x' }], children: [{ id: 'x', b: 1 }] });
    expect(await send('GET', '/child/1')).toEqual([200, { id: 1, a: 'x' }]);
    expect(await send('GET', '/children/x')).toEqual([200, { id: 'x', b: 1 }]);
  });
});

it.each([
  ['an OpenAPI document', { openapi: '3.1.0', paths: {}, tags: [{ name: 'a' }] }],
  ['only objects', { settings: {} }],
  ['an array of strings', { items: [{ id: 1 }], names: ['a'] }],
  ['a member that is a number', { items: [{ id: 1 }], version: 1 }],
  ['an array', [{ id: 1 }]],
  ['nothing', {}],
])('%s is not the data of items', (_, value) => {
  expect(readItemData(value)).toBeUndefined();
});
