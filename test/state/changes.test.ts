import { describe, expect, it } from 'vitest';
import { createVirtualClock } from '../../src/index.js';
import { finds, inPath, json, REMOVED, sends, shows, takes, toDocument } from '../operation-parts.js';
import { arrayOf, object, TEXT } from '../schema-parts.js';
import { createShopDocument } from './shop-document.js';
import { openShop } from './shop.js';

describe('a created item', () => {
  it('has what the request says, what the server sets, and a Location where it is read', async () => {
    const { send } = await openShop();
    const made = await send('POST', '/orders', { name: 'Tea', status: 'paid', unknown: 1 });
    expect(made.status).toBe(201);
    expect(made.body).toEqual({
      id: expect.stringMatching(/^ord_[0-9A-Za-z]{24}$/),
      status: 'paid',
      name: 'Tea',
      created_at: '2026-01-01T00:00:00.000Z',
      updated_at: '2026-01-01T00:00:00.000Z',
    });
    const location = made.headers.get('location') ?? '';
    expect(location).toBe(`/orders/${String(made.body['id'])}`);
    expect((await send('GET', location)).body).toEqual(made.body);
  });

  it('has an initial status where the request gives none', async () => {
    const { send } = await openShop();
    expect((await send('POST', '/orders', {})).body['status']).toBe('open');
  });

  it('is the same for the same seed and the same requests, and another for another seed', async () => {
    const make = async (seed: number): Promise<unknown> => {
      const { send } = await openShop({ seed });
      await send('POST', '/orders', {});
      return (await send('POST', '/orders', {})).body['id'];
    };
    expect(await make(7)).toBe(await make(7));
    expect(await make(7)).not.toBe(await make(8));
  });

  it('comes with others in one request', async () => {
    const { send } = await openShop();
    const made = await send('POST', '/orders/batch', [
      { id: 'a', status: 'open', created_at: '2026-01-01T00:00:00Z', name: 'A' },
      { id: 'b', status: 'open', created_at: '2026-01-01T00:00:00Z', name: 'B' },
    ]);
    expect(made.list.map(({ name }) => name)).toEqual(['A', 'B']);
    expect((await send('GET', '/orders')).list).toEqual(made.list);
  });
});

describe('a changed item', () => {
  it('PATCH merges objects, takes lists whole, and clears with null (RFC 7386)', async () => {
    const clock = createVirtualClock();
    const { send } = await openShop({ clock });
    const { id } = (await send('POST', '/orders', { name: 'Tea', tags: ['a'], address: { city: 'Bern', street: 'A' } }))
      .body;
    clock.advance(5000);
    const changed = await send('PATCH', `/orders/${String(id)}`, {
      address: { street: 'B' },
      tags: ['c'],
      name: null,
      note: null,
    });
    expect(changed.body).toMatchObject({
      address: { city: 'Bern', street: 'B' },
      tags: ['c'],
      note: null,
      created_at: '2026-01-01T00:00:00.000Z',
      updated_at: '2026-01-01T00:00:05.000Z',
    });
    expect(changed.body).not.toHaveProperty('name');
    expect((await send('GET', `/orders/${String(id)}`)).body).toEqual(changed.body);
  });

  it('keeps its id and what else only the server sets, whatever a request says', async () => {
    const { send } = await openShop();
    const { id } = (await send('POST', '/orders', {})).body;
    const changed = await send('PATCH', `/orders/${String(id)}`, {
      id: 'mine',
      created_at: '1999-01-01T00:00:00Z',
      name: 'x',
    });
    expect(changed.body).toMatchObject({ id, created_at: '2026-01-01T00:00:00.000Z', name: 'x' });
  });

  it('takes a JSON Patch (RFC 6902), and none of it where one operation fails', async () => {
    const { send } = await openShop();
    const { id } = (await send('POST', '/orders', { tags: ['a', 'b'], name: 'Tea' })).body;
    const type = { 'content-type': 'application/json-patch+json' };
    const patch = [
      { op: 'test', path: '/name', value: 'Tea' },
      { op: 'add', path: '/tags/1', value: 'x' },
      { op: 'replace', path: '/name', value: 'Coffee' },
    ];
    const changed = await send('PATCH', `/orders/${String(id)}`, patch, type);
    expect(changed.body).toMatchObject({ tags: ['a', 'x', 'b'], name: 'Coffee' });
    const refused = await send('PATCH', `/orders/${String(id)}`, [{ op: 'remove', path: '/tags/0' }, ...patch], type);
    expect(refused.status).toBe(409);
    expect(refused.body['message']).toContain('found another value at "/name"');
    expect((await send('GET', `/orders/${String(id)}`)).body).toEqual(changed.body);
  });

  it('takes a JSON Patch that the contract declares as an array in plain JSON', async () => {
    const order = object({ id: TEXT, name: TEXT, note: TEXT });
    const operation = object({ op: TEXT, path: TEXT, value: {} }, 'op', 'path');
    const spec = toDocument({
      '/orders': { post: takes(order, order, 201) },
      '/orders/{id}': { ...inPath('id'), get: shows(order), patch: { ...sends(arrayOf(operation)), ...REMOVED } },
    });
    const { send } = await openShop({ spec });
    const { id } = (await send('POST', '/orders', { name: 'Tea' })).body;
    const patch = [
      { op: 'replace', path: '/name', value: 'Coffee' },
      { op: 'replace', path: '/note', value: 'hot' },
    ];
    expect((await send('PATCH', `/orders/${String(id)}`, patch)).status).toBe(204);
    expect((await send('GET', `/orders/${String(id)}`)).body).toEqual({ id, name: 'Coffee', note: 'hot' });
    expect((await send('PATCH', `/orders/${String(id)}`, [{ op: 'test', path: '/name', value: 'Tea' }])).status).toBe(
      400,
    );
  });

  it('PUT replaces: what the request leaves out is gone, what the server sets stays', async () => {
    const { send } = await openShop();
    const made = (await send('POST', '/orders', { name: 'Tea', reference: 'r1' })).body;
    const put = await send('PUT', `/orders/${String(made['id'])}`, { reference: 'r2' });
    expect(put.status).toBe(200);
    expect(put.body).toMatchObject({ id: made['id'], reference: 'r2', created_at: made['created_at'] });
    expect(put.body).not.toHaveProperty('name');
  });

  it('PUT creates under the id of the path where the contract declares 201', async () => {
    const { send } = await openShop();
    const put = await send('PUT', '/orders/mine', { name: 'Tea' });
    expect(put.status).toBe(201);
    expect(put.body).toMatchObject({ id: 'mine', name: 'Tea' });
    expect((await send('PUT', '/orders/mine', { name: 'Coffee' })).status).toBe(200);
    expect((await send('GET', '/orders')).list).toHaveLength(1);
  });

  it('an action moves the status its name suggests, and notes when', async () => {
    const { send } = await openShop();
    const { id } = (await send('POST', '/orders', {})).body;
    const cancelled = await send('POST', `/orders/${String(id)}/cancel`);
    expect(cancelled.body).toMatchObject({ id, status: 'cancelled', cancelled_at: '2026-01-01T00:00:00.000Z' });
    expect((await send('GET', `/orders/${String(id)}`)).body).toEqual(cancelled.body);
  });

  it('a copy is another item with what the first one has', async () => {
    const { send } = await openShop();
    const made = (await send('POST', '/orders', { name: 'Tea', tags: ['a'] })).body;
    const copy = await send('POST', `/orders/${String(made['id'])}/copy`);
    expect(copy.status).toBe(201);
    expect(copy.body).toMatchObject({ name: 'Tea', tags: ['a'] });
    expect(copy.body['id']).not.toBe(made['id']);
    expect(copy.headers.get('location')).toBe(`/orders/${String(copy.body['id'])}`);
  });
});

describe('a create that declares several successes', () => {
  const note = object({ id: TEXT, title: TEXT }, 'id', 'title');

  // Issue 9: it answered an empty 200.
  it('answers with the one that has a body', async () => {
    const { send } = await openShop({
      spec: toDocument({
        '/notes': {
          get: shows(arrayOf(note)),
          post: { ...sends(note), responses: { 200: { description: 'queued' }, 201: json(note) } },
        },
        '/notes/{id}': { ...inPath('id'), get: finds(note) },
      }),
    });
    const sent = { id: 'n1', title: 'Tea' };
    expect(await send('POST', '/notes', sent)).toMatchObject({ status: 201, body: sent });
    expect((await send('GET', '/notes/n1')).body).toEqual(sent);
  });
});

describe('a condition', () => {
  it('If-Match lets a change through while the tag is the current one, and is a 412 afterwards', async () => {
    const { send } = await openShop();
    const made = await send('POST', '/orders', {});
    const path = `/orders/${String(made.body['id'])}`;
    const tag = made.headers.get('etag') ?? '';
    expect((await send('GET', path)).headers.get('etag')).toBe(tag);
    expect((await send('PATCH', path, { name: 'a' }, { 'if-match': tag })).status).toBe(200);
    const stale = await send('PATCH', path, { name: 'b' }, { 'if-match': tag });
    expect(stale.status).toBe(412);
    expect((await send('GET', path)).body['name']).toBe('a');
    expect((await send('PATCH', path, { name: 'c' }, { 'if-match': '*' })).status).toBe(200);
  });

  it('If-Match lets the first change of an item through that is created on demand, since no tag of it was shown', async () => {
    const { send } = await openShop({ state: { unknownIds: 'create' } });
    const tag = { 'if-match': '"known-elsewhere"' };
    const first = await send('PATCH', '/orders/o1', { name: 'a' }, tag);
    expect([first.status, first.body['name']]).toEqual([200, 'a']);
    expect((await send('PATCH', '/orders/o1', { name: 'b' }, tag)).status).toBe(412);
    expect(
      (await send('GET', '/orders/o1', undefined, { 'if-none-match': first.headers.get('etag') ?? '' })).status,
    ).toBe(304);
  });

  it('If-None-Match answers a read of what is known with 304 and no body', async () => {
    const { send } = await openShop();
    const made = await send('POST', '/orders', {});
    const path = `/orders/${String(made.body['id'])}`;
    const known = await send('GET', path, undefined, { 'if-none-match': made.headers.get('etag') ?? '' });
    expect(known.status).toBe(304);
    expect(known.body).toEqual({});
  });
});

describe('a request with an Idempotency-Key', () => {
  it('happens once, is answered the same again, and conflicts with another body', async () => {
    const { send } = await openShop();
    const key = { 'idempotency-key': 'k1' };
    const one = await send('POST', '/orders', { name: 'Tea' }, key);
    const two = await send('POST', '/orders', { name: 'Tea' }, key);
    expect(two.body).toEqual(one.body);
    expect((await send('GET', '/orders')).list).toHaveLength(1);
    const other = await send('POST', '/orders', { name: 'Coffee' }, key);
    expect(other.status).toBe(409);
    expect((await send('POST', '/orders', { name: 'Coffee' }, { 'idempotency-key': 'k2' })).status).toBe(201);
  });

  it('can have the key in its body, or in a header with another name', async () => {
    const { send } = await openShop();
    const sent = { name: 'Tea', idempotency_key: 'k1' };
    const one = await send('POST', '/orders', sent);
    expect((await send('POST', '/orders', sent)).body).toEqual(one.body);
    expect((await send('POST', '/orders', { ...sent, name: 'Coffee' })).status).toBe(409);
    const named = await send('POST', '/orders', { name: 'Milk' }, { 'x-idempotency-key': 'k3' });
    expect((await send('POST', '/orders', { name: 'Milk' }, { 'x-idempotency-key': 'k3' })).body).toEqual(named.body);
    expect((await send('GET', '/orders')).list).toHaveLength(2);
  });
});

describe('a removed item', () => {
  it('is gone from reads and lists, is a 404 the second time, and takes what lives under it along', async () => {
    const { send } = await openShop();
    const { id } = (await send('POST', '/orders', {})).body;
    const line = await send('POST', `/orders/${String(id)}/lines`, { text: 'one' });
    expect(line.body).toMatchObject({ order_id: id, text: 'one' });
    expect((await send('GET', `/orders/${String(id)}/lines`)).list).toEqual([line.body]);
    expect((await send('DELETE', `/orders/${String(id)}`)).status).toBe(204);
    expect((await send('DELETE', `/orders/${String(id)}`)).status).toBe(404);
    expect((await send('GET', `/orders/${String(id)}`)).status).toBe(404);
    expect((await send('GET', '/orders')).list).toEqual([]);
    expect((await send('GET', `/orders/${String(id)}/lines/${String(line.body['id'])}`)).status).toBe(404);
  });
});

describe('a singleton', () => {
  it('is written, read and removed without an id', async () => {
    const { send } = await openShop({ state: { unknownIds: 'not-found' } });
    const { id } = (await send('POST', '/orders', {})).body;
    const path = `/orders/${String(id)}/invoice`;
    expect((await send('GET', path)).status).toBe(404);
    expect((await send('PUT', path, { number: 'A1' })).body).toEqual({ number: 'A1' });
    expect((await send('GET', path)).body).toEqual({ number: 'A1' });
    expect((await send('PUT', path, { number: 'A2', paid: true })).body).toEqual({ number: 'A2', paid: true });
    expect((await send('DELETE', path)).status).toBe(204);
    expect((await send('GET', path)).status).toBe(404);
  });

  it('is what its fixture says, where nothing writes it', async () => {
    const { send } = await openShop({ fixtures: { me: { name: 'Ada' } } });
    const me = await send('GET', '/me');
    expect(me.body).toEqual({ name: 'Ada' });
    expect(me.headers.get('x-mock-source')).toBe('state');
  });
});

describe('a unique property', () => {
  it('a second item with its value is a conflict, also by a change', async () => {
    const hint = { 'x-mock': { collections: { orders: { unique: ['reference'] } } } };
    const shop = await openShop({ spec: { ...createShopDocument(), ...hint } });
    const one = await shop.send('POST', '/orders', { reference: 'r1' });
    const two = await shop.send('POST', '/orders', { reference: 'r2' });
    const again = await shop.send('POST', '/orders', { reference: 'r1' });
    expect(again.status).toBe(409);
    expect(again.body['message']).toBe('reference "r1" is already used');
    const path = `/orders/${String(two.body['id'])}`;
    expect((await shop.send('PATCH', path, { reference: 'r1' })).status).toBe(409);
    expect((await shop.send('PATCH', path, { reference: 'r2' })).status).toBe(200);
    expect(one.status).toBe(201);
  });
});
