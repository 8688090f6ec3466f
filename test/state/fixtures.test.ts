import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createMock, MockError } from '../../src/index.js';
import { createShopDocument } from './shop-document.js';
import { openShop } from './shop.js';
import { finds, inPath, shows, toDocument } from '../operation-parts.js';
import { arrayOf, INTEGER, object, ref, TEXT } from '../schema-parts.js';
import { createFolder } from '../folders.js';
import { loadCases } from '../load-cases.js';

const ORDER = { id: 'a', status: 'open', created_at: '2026-01-01T00:00:00Z' };

const MANY_MISTAKES = `FIXTURE_INVALID  14 mistakes in fixtures:
  FIXTURE_INVALID  a.yaml:2:1  the file is neither valid JSON nor valid YAML: deficient indentation
    hint: correct this line; an editor with YAML support marks the mistake
  FIXTURE_INVALID  orders.lines.json:3:4 (#/items/b)  "orders" has no item "b"
    hint: its ids are a
  FIXTURE_INVALID  orders.lines.json:8:4 (#/items/b/1/order_id)  property "order_id" is required
    hint: the item must match the schema #/components/schemas/Line
  FIXTURE_INVALID  orders.yaml:1:1 (#/default)  a fixture has no property "default"
    hint: did you mean "defaults"?
  FIXTURE_INVALID  orders.yaml:2:13 (#/defaults/nmae)  an item of "orders" has no field "nmae"
    hint: did you mean "name"?
  FIXTURE_INVALID  orders.yaml:3:1 (#/generate)  "generate" must be an integer from 0 to 1000000, got "many"
  FIXTURE_INVALID  orders.yaml:6:5 (#/items/0/status)  property "status" must be one of "cancelled", "open", "paid", got "opne"; did you mean "open"?
    hint: the item must match the schema #/components/schemas/Order
  FIXTURE_INVALID  orders.yaml:7:5 (#/items/0/created_at)  property "created_at" must be a date and time such as 2026-01-31T12:00:00Z, got "yesterday"
    hint: the item must match the schema #/components/schemas/Order
  FIXTURE_INVALID  orders.yaml:8:5 (#/items/0/nmae)  an item of "orders" has no field "nmae"
    hint: did you mean "name"?
  FIXTURE_INVALID  orders.yaml:9:7 (#/items/1/id)  two items have the id "a"
    hint: give one of them another id
  FIXTURE_INVALID  orders.yaml:9:64 (#/items/1/colour)  an item of "orders" has no field "colour"
    hint: fields of the schema: id, status, name, reference, note, address, tags, created_at, updated_at, cancelled_at
  FIXTURE_INVALID  orders.yaml:10:5 (#/items/2)  an item must be an object, got 7
  FIXTURE_INVALID  orders.yaml:11:7 (#/items/3/id)  an id must be a string or a number, got [1]
  FIXTURE_INVALID  ordres.yaml:1:1  the contract has no collection "ordres"
    hint: did you mean "orders"?`;

/** The mistake that starting with some fixtures ends in. */
async function failWith(fixtures: string): Promise<MockError> {
  try {
    await createMock({ spec: createShopDocument(), fixtures });
  } catch (error) {
    if (error instanceof MockError) return error;
    throw error;
  }
  throw new Error('the mock started all the same');
}

/** The mistake that starting with some fixture files ends in, its message without their folder. */
async function fail(files: Readonly<Record<string, string>>): Promise<{ error: MockError; message: string }> {
  const folder = createFolder(files);
  const error = await failWith(folder);
  return { error, message: error.message.replaceAll(`${folder}/`, '') };
}

describe('a fixture that is wrong stops the start', () => {
  interface Case extends Readonly<Record<'name' | 'place' | 'message', string>> {
    readonly files: Readonly<Record<string, string>>;
    readonly hint?: string;
  }

  it.each(loadCases<readonly Case[]>('state/fixtures-invalid.yaml'))(
    '$name',
    async ({ files, place, message, hint }) => {
      const { error } = await fail(files);
      expect(error.code).toBe('FIXTURE_INVALID');
      expect(error.toString()).toContain(place);
      expect(error.message).toContain(message);
      expect(error.hint ?? '').toContain(hint ?? '');
    },
  );

  it('the mistakes of all files are reported together, each with its position and a correction', async () => {
    const { message } = await fail({
      'a.yaml': 'items: [\n',
      'ordres.yaml': '[]',
      'orders.yaml': [
        'default: {}',
        'defaults: { nmae: x }',
        'generate: many',
        'items:',
        '  - id: a',
        '    status: opne',
        '    created_at: yesterday',
        '    nmae: Ada',
        '  - { id: a, status: open, created_at: "2026-01-01T00:00:00Z", colour: red }',
        '  - 7',
        '  - { id: [1], status: open, created_at: "2026-01-01T00:00:00Z" }',
        '',
      ].join('\n'),
      'orders.lines.json': JSON.stringify({ items: { b: [{ id: 'l1', order_id: 'b' }, { id: 'l2' }] } }, null, 1),
    });
    expect(message).toBe(MANY_MISTAKES);
  });

  it('an item with a mistake can be the parent of others, which have no mistake', async () => {
    const { message } = await fail({
      'orders.yaml': '- { id: a, status: opne, created_at: "2026-01-01T00:00:00Z" }\n',
      'orders.lines.yaml': 'items:\n  a: [{ id: l, order_id: a }]\ngenerate: 2\n',
    });
    expect(message).toMatch(/^FIXTURE_INVALID {2}orders\.yaml:1:12 \(#\/0\/status\)/);
    expect(message).not.toContain('mistakes');
  });

  it('so do fixtures that are passed as values, with pointers', async () => {
    const fixtures = { orders: [{ ...ORDER, colour: 'red' }], 'orders.lines': [{ id: 'l', $parent: 'aa' }] };
    await expect(createMock({ spec: createShopDocument(), fixtures })).rejects.toMatchObject({
      message: [
        'FIXTURE_INVALID  3 mistakes in fixtures:',
        '  FIXTURE_INVALID  #/fixtures/orders/0/colour  an item of "orders" has no field "colour"',
        '    hint: fields of the schema: id, status, name, reference, note, address, tags, created_at, updated_at, cancelled_at',
        '  FIXTURE_INVALID  #/fixtures/orders.lines/0/order_id  property "order_id" is required',
        '    hint: the item must match the schema #/components/schemas/Line',
        '  FIXTURE_INVALID  #/fixtures/orders.lines/0  "orders" has no item "aa"',
        '    hint: its ids are a',
      ].join('\n'),
    });
  });

  it('properties that are not declared are allowed where the schema allows others', async () => {
    const open = { ...object({ id: TEXT }), additionalProperties: true };
    const nested = object({ id: TEXT, labels: { type: 'object' } });
    const spec = toDocument({
      '/notes': { get: shows(arrayOf(open)) },
      '/tags': { get: shows(arrayOf(nested)) },
    });
    const fixtures = { notes: [{ id: 'n', colour: 'red' }], tags: [{ id: 't', labels: { any: 1 } }] };
    const mock = await createMock({ spec, fixtures });
    expect(await (await mock.fetch('/notes')).json()).toEqual(fixtures.notes);
    expect(await (await mock.fetch('/tags')).json()).toEqual(fixtures.tags);
  });

  it('properties are known if the schema requires them, its example has them, or another kind of item declares them', async () => {
    const mapping = { web: '#/components/schemas/WebApp' };
    const app = {
      ...object({ id: TEXT, kind: TEXT }, 'id', 'kind', 'owner'),
      example: { id: 'a', kind: 'web', region: 'eu' },
      discriminator: { propertyName: 'kind', mapping },
    };
    const web = { allOf: [ref('App'), object({ url: TEXT })] };
    const spec = toDocument({ '/apps': { get: shows(arrayOf(ref('App'))) } }, { App: app, WebApp: web });
    const item = { id: 'a', kind: 'web', owner: 'ada', region: 'us', url: 'https://a.example' };
    await expect(createMock({ spec, fixtures: { apps: [item] } })).resolves.toBeDefined();
    await expect(createMock({ spec, fixtures: { apps: [{ ...item, regoin: 'us' }] } })).rejects.toMatchObject({
      message:
        'FIXTURE_INVALID  #/fixtures/apps/0/regoin  an item of "apps" has no field "regoin"\n  hint: did you mean "region"?',
    });
  });

  it('so does a folder that is not there', async () => {
    expect((await failWith(join(createFolder(), 'absent'))).code).toBe('FIXTURE_UNREADABLE');
  });

  it('so do two files for one collection', async () => {
    const { message } = await fail({ 'orders.yaml': '[]', 'orders.json': '[]' });
    expect(message).toContain('two files have the name of the collection "orders"');
  });
});

describe('fixtures', () => {
  it('may be nested by parent, name their parent, or carry its id as a property', async () => {
    const orders = [ORDER, { ...ORDER, id: 'b' }];
    const lines = { a: [{ id: 'l1', order_id: 'a' }], b: [{ id: 'l2', order_id: 'b' }] };
    const want = async (given: unknown): Promise<void> => {
      const { send } = await openShop({ fixtures: { orders, 'orders.lines': given } });
      expect((await send('GET', '/orders/b/lines')).list).toEqual([{ id: 'l2', order_id: 'b' }]);
      expect((await send('GET', '/orders/a/lines/l2')).status).toBe(404);
    };
    await want({ items: lines });
    await want(
      Object.entries(lines).flatMap(([$parent, list]) => list.map((line) => Object.assign({ $parent }, line))),
    );
    await want(Object.values(lines).flat());
  });

  it.each(['a/b', '100%', '%2F', 'a%2Fb/ü'])('below the id %s are exported so that they load again', async (id) => {
    const fixtures = { orders: [{ ...ORDER, id }], 'orders.lines': [{ $parent: id, id: 'l1', order_id: id }] };
    const { mock } = await openShop({ fixtures });
    const kept = mock.state.export().collections;
    const again = await openShop({ fixtures: kept });
    expect(again.mock.state.export().collections).toEqual(kept);
    const { list } = await again.send('GET', `/orders/${encodeURIComponent(id)}/lines`);
    expect(list).toEqual([{ id: 'l1', order_id: id }]);
  });

  it('get an id from the seed where they have none', async () => {
    const { id: _, ...bare } = ORDER;
    const { send } = await openShop({ fixtures: { orders: [bare, bare] } });
    const ids = (await send('GET', '/orders')).list.map(({ id }) => id);
    expect(ids).toEqual([expect.stringMatching(/^ord_/), expect.stringMatching(/^ord_/)]);
    expect(new Set(ids).size).toBe(2);
  });

  it('give an item without an id property its id with $id, and are exported with it', async () => {
    const usage = object({ count: INTEGER }, 'count');
    const spec = toDocument({ '/usages/{user}': { ...inPath('user'), get: finds(usage) } });
    const usages = [
      { $id: 'ada', count: 1 },
      { $id: 7, count: 2 },
    ];
    const { mock, send } = await openShop({ spec, fixtures: { usages } });
    expect((await send('GET', '/usages/ada')).body).toEqual({ count: 1 });
    expect((await send('GET', '/usages/7')).body).toEqual({ count: 2 });
    expect((await send('GET', '/usages/bob')).status).toBe(404);
    const kept = mock.state.export().collections;
    expect(kept).toEqual({ usages: [usages[0], { ...usages[1], $id: '7' }] });
    const again = await openShop({ spec, fixtures: kept });
    expect((await again.send('GET', '/usages/7')).body).toEqual({ count: 2 });
    const twice = openShop({ spec, fixtures: { usages: [usages[0], usages[0]] } });
    await expect(twice).rejects.toThrow('two items have the id "ada"');
  });

  it('keep a property that is called $id, where that is how items are known', async () => {
    const user = object({ $id: { type: 'string', maxLength: 12 } }, '$id');
    const spec = toDocument({
      '/account': { get: finds(user), patch: finds(user) },
      '/users/{userId}': { ...inPath('userId'), get: finds(user) },
    });
    const { send } = await openShop({ spec, fixtures: { account: [{ $id: 'me' }], users: [{ $id: 'ada' }] } });
    expect((await send('GET', '/account')).body).toEqual({ $id: 'me' });
    expect((await send('GET', '/users/ada')).body).toEqual({ $id: 'ada' });
    const made = await openShop({ spec, fixtures: { users: { generate: 3 } } });
    const users = made.mock.state.export().collections['users'] ?? [];
    expect(users).toHaveLength(3);
    for (const { $id: id } of users) expect((await made.send('GET', `/users/${String(id)}`)).body).toEqual({ $id: id });
  });

  it('give created items their defaults, and the request wins', async () => {
    const { send } = await openShop({
      fixtures: { orders: { defaults: { name: 'default', tags: ['new'] }, items: [] } },
    });
    const made = await send('POST', '/orders', { name: 'own' });
    expect(made.body).toMatchObject({ name: 'own', tags: ['new'] });
  });

  it('can ask for a number of items, which are valid, linked to their parents and the same for the same seed', async () => {
    const fixtures = { orders: { generate: 25 }, 'orders.lines': { generate: 50 } };
    const [one, two] = await Promise.all([openShop({ fixtures, seed: 3 }), openShop({ fixtures, seed: 3 })]);
    const { list } = await one.send('GET', '/orders');
    expect(list).toHaveLength(25);
    expect(new Set(list.map(({ id }) => id)).size).toBe(25);
    expect((await two.send('GET', '/orders')).list).toEqual(list);
    for (const { id } of list) {
      const lines = (await one.send('GET', `/orders/${String(id)}/lines`)).list;
      expect(lines.map((line) => line['order_id'])).toEqual([id, id]);
    }
    expect((await one.send('GET', '/orders/other')).status).toBe(404);
  });

  it('generated items name items that are there, wherever a property is called after a collection', async () => {
    const { send } = await openShop({
      spec: toDocument(
        { '/customers': { get: shows(arrayOf(ref('Customer'))) }, '/visits': { get: shows(arrayOf(ref('Visit'))) } },
        {
          Customer: object({ id: TEXT }, 'id'),
          Visit: object({ id: TEXT, customer_id: TEXT, customer: TEXT }, 'id', 'customer_id', 'customer'),
        },
      ),
      fixtures: { visits: { generate: 10 }, customers: [{ id: 'ada' }, { id: 'bob' }] },
    });
    const visits = (await send('GET', '/visits')).list;
    expect(visits).toHaveLength(10);
    for (const visit of visits) {
      expect(['ada', 'bob']).toContain(visit['customer_id']);
      expect(['ada', 'bob']).toContain(visit['customer']);
    }
  });
});
