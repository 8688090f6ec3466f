import { afterEach, describe, expect, it } from 'vitest';
import { createMock, type Mock } from '../../src/index.js';
import { openBuiltIn } from '../describe-both.js';
import { arrayOf, inPath, object, shows, TEXT, toDocument } from '../document-parts.js';

describe('what scenarios do to collections', () => {
  let mock: Mock | undefined;
  afterEach(() => mock?.close());

  async function change(collection: string, changes: object): Promise<Mock> {
    mock = await openBuiltIn({ scenarios: { it: { state: { [collection]: changes } } } });
    mock.scenarios.activate('it');
    return mock;
  }
  const ids = ({ state }: Mock, name: string): readonly unknown[] => state.collection(name).items.map(({ id }) => id);

  it('makes items up that fit their schema, each with an id of its own', async () => {
    const { state } = await change('admin_api_keys', { clear: true, generate: 45 });
    const { items } = state.collection('admin_api_keys');
    expect(items).toHaveLength(45);
    expect(new Set(items.map(({ id }) => id)).size).toBe(45);
    for (const item of items)
      expect(item).toMatchObject({ object: 'organization.admin_api_key', id: expect.any(String) });
    // What is shown once is shown to nobody who only reads a list.
    for (const item of items) expect(item).not.toHaveProperty('value');
  });

  it('makes the same items up every time, and others with another seed', async () => {
    const one = ids(await change('admin_api_keys', { clear: true, generate: 3 }), 'admin_api_keys');
    const two = ids(await change('admin_api_keys', { clear: true, generate: 3 }), 'admin_api_keys');
    expect(one).toEqual(two);
    await using other = await openBuiltIn({ seed: 2 });
    const added = other.state.collection('admin_api_keys').add();
    expect(one).not.toContain(added['id']);
  });

  it('completes what is added, and what is given stays as given', async () => {
    const { state } = await change('admin_api_keys', {
      add: [{ id: 'key_fixed', name: 'Fixed', value: 'sk-admin-shown' }],
    });
    expect(state.collection('admin_api_keys').get('key_fixed')).toMatchObject({
      name: 'Fixed',
      value: 'sk-admin-shown',
      object: 'organization.admin_api_key',
      created_at: Date.UTC(2026, 0, 1) / 1000,
    });
  });

  it('changes, removes and passes over what is not there', async () => {
    const key = ids(await openBuiltIn(), 'admin_api_keys')[0];
    const { state } = await change('admin_api_keys', {
      update: { [String(key)]: { name: 'Renamed' } },
      remove: ['key_nobody'],
    });
    expect(state.collection('admin_api_keys').get(String(key))).toMatchObject({ name: 'Renamed' });
    expect(state.collection('admin_api_keys').items).toHaveLength(7);
  });

  it('takes what lives under an item away with it', async () => {
    const { state } = await change('vector_stores', { clear: true });
    expect(state.collection('vector_stores').items).toEqual([]);
    expect(state.collection('vector_stores.files').items).toEqual([]);
    expect(state.collection('files').items.length).toBeGreaterThan(0);
  });

  it('generates members for existing items, then for generated ones, too', async () => {
    await using plain = await openBuiltIn();
    const files = ids(plain, 'files');
    const made = await change('vector_stores.files', { generate: files.length + 3 });
    const members = made.state.collection('vector_stores.files').items;
    const known = new Set(ids(made, 'files'));
    expect(known.size).toBeGreaterThan(files.length);
    for (const { id } of members) expect(known).toContain(id);
    expect(members.length).toBe(plain.state.collection('vector_stores.files').items.length + files.length + 3);
  });
});

const THING = object({ id: TEXT }, 'id');
const reader = (operationId: string, names: readonly string[], schema: object): object => ({
  ...inPath(...names),
  get: { operationId, ...shows(schema) },
});
const list = arrayOf(THING);
const spec = toDocument({
  '/boxes': reader('listBoxes', [], list),
  '/boxes/{box}': reader('getBox', ['box'], THING),
  '/boxes/{box}/things': reader('listThings', ['box'], list),
  '/boxes/{box}/things/{thing}': reader('getThing', ['box', 'thing'], THING),
});

it.each(['plain', 'with/slash', '50%', '%2F'])(
  'items under items whose ids need escaping come back as they were given: %s',
  async (id) => {
    await using mock = await createMock({ spec });
    mock.state.collection('boxes').replace([{ id }]);
    const things = mock.state.collection('boxes.things');
    // Without a `$parent` it goes under the first there is.
    const made = things.add({ id: 'inside' });
    expect(things.items).toEqual([made]);
    things.replace(things.items);
    expect(things.items).toEqual([made]);
    const again = await mock.fetch(`/boxes/${encodeURIComponent(id)}/things/inside`);
    expect([again.status, await again.json()]).toEqual([200, { id: 'inside' }]);
  },
);
