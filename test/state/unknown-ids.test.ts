import { describe, expect, it } from 'vitest';
import { openShop } from './shop.js';
import { content, finds, inPath, pathParameter, sends, toDocument } from '../operation-parts.js';
import { INTEGER, object } from '../schema-parts.js';

const OPEN = { state: { initialItems: 3 } } as const;

describe('a collection that creates unknown ids', () => {
  it('starts with a few items, the same for the same seed', async () => {
    const [one, two, other] = await Promise.all([
      openShop({ ...OPEN, seed: 1 }),
      openShop({ ...OPEN, seed: 1 }),
      openShop({ ...OPEN, seed: 2 }),
    ]);
    const { list } = await one.send('GET', '/orders');
    expect(list).toHaveLength(3);
    expect((await two.send('GET', '/orders')).list).toEqual(list);
    expect((await other.send('GET', '/orders')).list).not.toEqual(list);
  });

  it('creates an item when its id is requested, and lists it afterwards', async () => {
    const { send } = await openShop(OPEN);
    const read = await send('GET', '/orders/mine');
    expect(read.status).toBe(200);
    expect(read.body['id']).toBe('mine');
    expect((await send('GET', '/orders/mine')).body).toEqual(read.body);
    expect((await send('GET', '/orders')).list).toContainEqual(read.body);
  });

  it('creates the same item whatever was requested before', async () => {
    const [first, later] = await Promise.all([openShop(OPEN), openShop(OPEN)]);
    await later.send('GET', '/orders');
    await later.send('POST', '/orders', { name: 'x' });
    await later.send('GET', '/orders/other');
    expect((await later.send('GET', '/orders/mine')).body).toEqual((await first.send('GET', '/orders/mine')).body);
  });

  it('changes and removes an item that was created on demand', async () => {
    const { send } = await openShop(OPEN);
    expect((await send('PATCH', '/orders/mine', { name: 'changed' })).body).toMatchObject({
      id: 'mine',
      name: 'changed',
    });
    expect((await send('GET', '/orders/mine')).body['name']).toBe('changed');
    expect((await send('DELETE', '/orders/mine')).status).toBe(204);
    expect((await send('GET', '/orders/mine')).status).toBe(404);
    expect((await send('GET', '/orders')).list.map(({ id }) => id)).not.toContain('mine');
  });

  it('gives initial items the id of their parent, and none to a parent that a client created', async () => {
    const { send } = await openShop(OPEN);
    const below = await send('GET', '/orders/mine/lines');
    expect(below.list.map((line) => line['order_id'])).toEqual(['mine', 'mine', 'mine']);
    const made = await send('POST', '/orders', {});
    expect((await send('GET', `/orders/${String(made.body['id'])}/lines`)).list).toEqual([]);
  });
});

describe('an id that is not valid in the item', () => {
  const thing = object({ id: { type: 'string', pattern: '^thing_[a-z]+$' }, size: INTEGER }, 'id');
  const json = { content: content(thing) };
  const spec = toDocument({
    '/things/{id}': {
      ...inPath('id'),
      get: { responses: { 200: { description: 'ok', ...json }, 404: { description: 'none' } } },
    },
    '/things': { post: { ...sends({ type: 'object' }), responses: { 200: { description: 'ok', ...json } } } },
  });

  it('creates an item with a valid id where the path parameter allows it', async () => {
    const { send } = await openShop({ ...OPEN, spec });
    expect((await send('GET', '/things/thing_abc')).body['id']).toBe('thing_abc');
    const other = await send('GET', '/things/other');
    expect(other.status).toBe(200);
    expect(other.body['id']).toMatch(/^thing_[a-z]+$/);
    expect((await send('GET', '/things/other')).body).toEqual(other.body);
  });

  it('is replaced in a create, and the item is read by its new id', async () => {
    const { send } = await openShop({ ...OPEN, spec });
    const made = await send('POST', '/things', { id: 'other', size: 4 });
    expect(made.body).toMatchObject({ id: expect.stringMatching(/^thing_[a-z]+$/), size: 4 });
    expect((await send('GET', `/things/${String(made.body['id'])}`)).body).toEqual(made.body);
  });
});

describe('a path parameter that is not the id of the item', () => {
  const read = (id: object): object => object({ id, number: INTEGER }, 'id');
  const pathOf = (names: readonly string[], id: object): object => ({
    parameters: names.map((name) => pathParameter(name)),
    get: finds(read(id)),
  });
  const spec = toDocument({
    '/apps/{slug}': pathOf(['slug'], { type: 'string', format: 'uuid' }),
    '/repos/{owner}/{repo}': pathOf(['owner', 'repo'], INTEGER),
    '/users/{username}': pathOf(['username'], INTEGER),
  });

  it.each(['/apps/editor', '/repos/ada/engine', '/users/ada'])('creates the item: %s', async (path) => {
    const { send } = await openShop({ ...OPEN, spec });
    const first = await send('GET', path);
    expect(first.status).toBe(200);
    expect((await send('GET', path)).body).toEqual(first.body);
  });
});

describe('a collection that does not create unknown ids', () => {
  it('answers an unknown id with 404', async () => {
    const { send } = await openShop({ state: { initialItems: 3, unknownIds: 'not-found' } });
    expect((await send('GET', '/orders')).list).toEqual([]);
    expect((await send('GET', '/orders/mine')).status).toBe(404);
    expect((await send('GET', '/orders/mine/lines')).status).toBe(404);
  });

  it('is one with fixtures, while the others create them', async () => {
    const { send } = await openShop({
      ...OPEN,
      fixtures: { orders: [{ id: 'a', status: 'open', created_at: '2026-01-01T00:00:00Z' }] },
    });
    expect((await send('GET', '/orders')).list.map(({ id }) => id)).toEqual(['a']);
    expect((await send('GET', '/orders/mine')).status).toBe(404);
    expect((await send('GET', '/orders/a/lines/one')).status).toBe(200);
  });

  it('is overridden by the fixture of one collection', async () => {
    const { send } = await openShop({
      state: { initialItems: 3, unknownIds: 'not-found' },
      fixtures: {
        orders: { items: [{ id: 'a', status: 'open', created_at: '2026-01-01T00:00:00Z' }], unknownIds: 'create' },
      },
    });
    expect((await send('GET', '/orders/mine')).status).toBe(200);
    expect((await send('GET', '/orders/a/lines')).list).toEqual([]);
  });
});

describe('a mock without state', () => {
  it('answers from examples and schemas, and keeps no created item', async () => {
    const { send } = await openShop({ state: false });
    const made = await send('POST', '/orders', { name: 'Tea' });
    expect(made.headers.get('x-mock-source')).not.toBe('state');
    expect((await send('DELETE', '/orders/mine')).status).toBe(204);
    expect((await send('GET', '/orders/mine')).status).toBe(200);
  });
});
