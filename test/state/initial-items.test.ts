import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runFixturesInit } from '../../src/cli/commands/fixtures.js';
import { createMock, type Mock } from '../../src/index.js';
import { createFolder } from '../folders.js';
import { inPath, REMOVED, shows, takes, toDocument } from '../operation-parts.js';
import { arrayOf, INTEGER, object, ref, TEXT } from '../schema-parts.js';

function collection(list: string, item: string, schema: object): object {
  const parents = (path: string): object => inPath(...[...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name));
  return {
    [list]: { ...parents(list), get: shows(arrayOf(schema)), post: takes(schema, schema, 201) },
    [item]: { ...parents(item), get: shows(schema), delete: REMOVED },
  };
}

const SHOP = object(
  {
    id: { type: 'string', example: 'shop_1a2b3c4d5e6f7g8h' },
    name: { type: 'string', examples: ['Corner Books', 'Harbour Tea'] },
    city: { type: 'string', example: 'Lyon' },
    owner_name: { type: 'string', example: 'Ada Turing' },
    revenue: { type: 'integer', example: 125_000 },
    tier: { type: 'string', enum: ['free', 'plus', 'pro'] },
    plan_code: { type: 'string', example: 'PLAN_A' },
    opened_at: { type: 'string', format: 'date-time', example: '2024-05-01T10:00:00Z' },
  },
  'id',
);

const DOCUMENT = toDocument(
  {
    ...collection('/shops', '/shops/{shop_id}', ref('Shop')),
    ...collection('/shops/{shop_id}/visits', '/shops/{shop_id}/visits/{id}', ref('Visit')),
  },
  { Shop: SHOP, Visit: object({ id: INTEGER, shop_id: TEXT, guest_name: TEXT }) },
);

type Item = Readonly<Record<string, unknown>>;

async function list(mock: Pick<Mock, 'fetch'>, path: string): Promise<readonly Item[]> {
  return (await (await mock.fetch(path)).json()) as readonly Item[];
}

const count = (items: readonly Item[], property: string): number => new Set(items.map((item) => item[property])).size;

describe('the initial items of a list', () => {
  it('use every example of a property before they repeat one', async () => {
    const mock = await createMock({ spec: DOCUMENT });
    const shops = await list(mock, '/shops');
    expect(shops.slice(0, 2).map(({ name }) => name)).toEqual(['Corner Books', 'Harbour Tea']);
    expect(count(shops, 'name')).toBe(3);
  });

  it('differ in names, cities, amounts, times and enumerated values', async () => {
    const mock = await createMock({ spec: DOCUMENT });
    const shops = await list(mock, '/shops');
    expect(shops[0]).toMatchObject({ city: 'Lyon', owner_name: 'Ada Turing', revenue: 125_000 });
    for (const property of ['city', 'owner_name', 'revenue', 'tier', 'opened_at']) {
      expect([property, count(shops, property)]).toEqual([property, 3]);
    }
  });

  it('repeat an example that is a code', async () => {
    const mock = await createMock({ spec: DOCUMENT });
    expect((await list(mock, '/shops')).map((shop) => shop['plan_code'])).toEqual(['PLAN_A', 'PLAN_A', 'PLAN_A']);
  });

  it('are the same before and after the first request, below parents too', async () => {
    const mock = await createMock({ spec: DOCUMENT });
    const shops = mock.state.collection('shops');
    const before = shops.items;
    expect(before).toHaveLength(3);
    expect(await list(mock, '/shops')).toEqual(before);
    expect(shops.items).toEqual(before);
    const visits = mock.state.collection('shops.visits').items;
    expect(visits).toHaveLength(9);
    const [shop] = before;
    const shown = await list(mock, `/shops/${String(shop?.['id'])}/visits`);
    expect(visits.filter((visit) => visit['$parent'] === shop?.['id'])).toMatchObject(shown);
    expect(mock.state.collection('shops.visits').items).toEqual(visits);
  });

  it('are the same where a test adds an item before the first request', async () => {
    const [plain, added] = [await createMock({ spec: DOCUMENT }), await createMock({ spec: DOCUMENT })];
    added.state.collection('shops').add({ name: 'New' });
    const shops = await list(added, '/shops');
    expect(shops).toHaveLength(4);
    expect(shops.slice(0, 3)).toEqual(await list(plain, '/shops'));
    const parent = String(shops[0]?.['id']);
    added.state.collection('shops.visits').add({ $parent: parent });
    const path = `/shops/${parent}/visits`;
    expect((await list(added, path)).slice(0, 3)).toEqual(await list(plain, path));
  });

  it('can be changed and removed by a test before the first request', async () => {
    const mock = await createMock({ spec: DOCUMENT });
    const { state } = await createMock({ spec: DOCUMENT });
    const [first = '', second = ''] = state.collection('shops').items.map(({ id }) => String(id));
    const shops = mock.state.collection('shops');
    expect(shops.get(first)).toMatchObject({ name: 'Corner Books' });
    expect(shops.update(first, { name: 'Renamed' })).toMatchObject({ id: first, name: 'Renamed' });
    expect(shops.remove(second)).toBe(true);
    expect((await list(mock, '/shops')).map(({ name }) => name)).toContain('Renamed');
    expect(await list(mock, '/shops')).toHaveLength(2);
  });

  it('are missing where unknown ids are not found', async () => {
    const mock = await createMock({ spec: DOCUMENT, state: { unknownIds: 'not-found' } });
    expect(mock.state.collection('shops').items).toEqual([]);
  });
});

describe('generated items', () => {
  const full = Object.keys(SHOP.properties);

  it('of a scenario are as complete as the initial ones, and differ', async () => {
    const scenarios = { many: { state: { shops: { generate: 5 } } } };
    const mock = await createMock({ spec: DOCUMENT, scenarios: { from: scenarios, active: ['many'] } });
    const shops = await list(mock, '/shops');
    expect(shops).toHaveLength(8);
    for (const shop of shops) expect(Object.keys(shop)).toEqual(full);
    for (const property of ['id', 'name', 'owner_name'])
      expect([property, count(shops, property)]).toEqual([property, 8]);
  });

  it('of vouch fixtures init are as complete as the initial ones, and differ', async () => {
    const folder = createFolder({ 'shops.json': JSON.stringify(DOCUMENT) });
    const spec = join(folder, 'shops.json');
    const into = join(folder, 'fixtures');
    await runFixturesInit({ spec, into, write: () => undefined });
    expect(await readFile(join(into, 'shops.yaml'), 'utf8')).toContain('Harbour Tea');
    const mock = await createMock({ spec, fixtures: into });
    const shops = await list(mock, '/shops');
    for (const shop of shops) expect(Object.keys(shop)).toEqual(full);
    for (const property of ['name', 'city', 'tier']) expect([property, count(shops, property)]).toEqual([property, 3]);
  });
});

describe('the built-in contract', () => {
  it('shows no secret in the initial items', async () => {
    const mock = await createMock({ spec: 'spec/openapi.yaml' });
    const keys = mock.state.collection('admin_api_keys').items;
    expect(keys).toHaveLength(3);
    for (const key of keys) expect(key).not.toHaveProperty('value');
    expect(count(keys, 'name')).toBe(3);
  });
});
