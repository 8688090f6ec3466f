// @module-tag slow
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createMock, type Mock } from '../../src/index.js';
import { createPagedClient, type PagedClient, type Thing } from './paged-client.js';
import { createPagedDocument, LOOKS, type LookName } from './paged-document.js';
import { inPath, json, query, sends, shows, toDocument } from '../operation-parts.js';
import { send } from '../send.js';
import { arrayOf, BOOLEAN, INTEGER, object, ref, TEXT } from '../schema-parts.js';

const NAMES = Object.keys(LOOKS) as readonly LookName[]; // its keys are the names
/** Styles whose cursor names an item, so that a walk survives what comes and goes meanwhile. */
const STEADY: readonly LookName[] = ['cursor', 'starting-after', 'token'];

/** What the service should hold, in the order of creation. */
interface Model {
  things: { readonly id: string; name: string }[];
}

type Client = PagedClient;

const sizes: Readonly<Partial<Record<LookName, string>>> = { page: 'per_page', 'bare array': 'per_page' };

function toListPath(look: LookName, limit: number): string {
  return `/things?${sizes[look] ?? 'limit'}=${limit}`;
}

/** Newest first where the style is known for it, else oldest first. */
function inOrder(look: LookName, things: readonly Thing[]): readonly Thing[] {
  return look === 'starting-after' ? things.toReversed() : things;
}

type Service = { readonly mock: Mock; readonly client: Client };

async function start(look: LookName): Promise<Service> {
  const mock = await createMock({ spec: createPagedDocument(look), state: { initialItems: 0 } });
  return { mock, client: createPagedClient(mock, look) };
}

/** One service for all runs of a property, each of which starts with an empty list. */
function startOnce(look: LookName): () => Promise<Service> {
  let started: Promise<Service> | undefined;
  return async () => {
    const service = await (started ??= start(look));
    service.mock.reset();
    return service;
  };
}

type Command = fc.AsyncCommand<Model, { readonly client: Client; readonly look: LookName }>;

const create = fc.string({ minLength: 1, maxLength: 8 }).map((name): Command => ({
  check: () => true,
  run: async (model, { client }) => {
    const thing = await client.create(name);
    expect(thing.name).toBe(name);
    expect(model.things.map(({ id }) => id)).not.toContain(thing.id);
    model.things.push({ ...thing });
  },
  toString: () => `create(${JSON.stringify(name)})`,
}));

const rename = fc.tuple(fc.nat(), fc.string({ maxLength: 8 })).map(([pick, name]): Command => ({
  check: (model) => model.things.length > 0,
  run: async (model, { client }) => {
    const thing = model.things[pick % model.things.length];
    if (thing === undefined) return;
    expect(await client.rename(thing.id, name)).toBe(200);
    thing.name = name;
  },
  toString: () => `rename(${pick}, ${JSON.stringify(name)})`,
}));

const remove = fc.nat().map((pick): Command => ({
  check: (model) => model.things.length > 0,
  run: async (model, { client }) => {
    const [gone] = model.things.splice(pick % model.things.length, 1);
    expect(await client.remove(gone?.id ?? '')).toBe(204);
    expect((await client.read(gone?.id ?? '')).status).toBe(404);
  },
  toString: () => `remove(${pick})`,
}));

const walk = fc.integer({ min: 1, max: 9 }).map((limit): Command => ({
  check: () => true,
  run: async (model, { client, look }) => {
    const seen = await client.walk(toListPath(look, limit));
    expect(seen).toEqual(inOrder(look, model.things));
  },
  toString: () => `walk(${limit})`,
}));

const find = fc.nat().map((pick): Command => ({
  check: (model) => model.things.some(({ name }) => name !== ''),
  run: async (model, { client, look }) => {
    const named = model.things.filter(({ name }) => name !== '');
    const { name = '' } = named[pick % named.length] ?? {};
    const seen = await client.walk(`${toListPath(look, 3)}&name=${encodeURIComponent(name)}`);
    expect(seen).toEqual(
      inOrder(
        look,
        model.things.filter((thing) => thing.name === name),
      ),
    );
  },
  toString: () => `find(${pick})`,
}));

describe.each(NAMES)('a list paged by %s', (look) => {
  it('agrees with a plain list, whatever is created, renamed, removed, walked and looked for', async () => {
    const commands = fc.commands([create, create, rename, remove, walk, find], { maxCommands: 30 });
    const startEmpty = startOnce(look);
    await fc.assert(
      fc.asyncProperty(commands, async (list) => {
        const { client } = await startEmpty();
        const setup = (): { model: Model; real: { client: Client; look: LookName } } => ({
          model: { things: [] },
          real: { client, look },
        });
        await fc.asyncModelRun(setup, list);
      }),
      { numRuns: 25 },
    );
  });
});

describe.each(STEADY)('a walk by %s', (look) => {
  it('visits each remaining item exactly once, also when items are removed and added between its pages', async () => {
    const startEmpty = startOnce(look);
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 12 }),
        fc.integer({ min: 1, max: 4 }),
        fc.array(fc.record({ remove: fc.nat(), add: fc.boolean() }), { maxLength: 12 }),
        async (count, limit, changes) => {
          const { client } = await startEmpty();
          const made: string[] = [];
          for (let i = 0; i < count; i++) made.push((await client.create(`n${i}`)).id);
          const gone = new Set<string>();
          const pending = [...changes];
          const seen = await client.walk(toListPath(look, limit), async () => {
            const change = pending.shift();
            const id = change === undefined ? undefined : made[change.remove % made.length];
            if (id !== undefined && !gone.has(id)) {
              gone.add(id);
              expect(await client.remove(id)).toBe(204);
            }
            if (change?.add === true) await client.create('late');
          });
          const ids = seen.map(({ id }) => id);
          expect(new Set(ids).size).toBe(ids.length);
          expect(ids).toEqual(expect.arrayContaining(made.filter((id) => !gone.has(id))));
        },
      ),
      { numRuns: 40 },
    );
  });
});

describe('what pages say', () => {
  it.each([
    ['cursor', '/things?limit=2', { object: 'list', has_more: true }],
    ['starting-after', '/things?limit=2', { object: 'list', has_more: true, url: '/things' }],
    ['page', '/things?per_page=2&page=2', { page: 2, per_page: 2, total: 5, total_pages: 3 }],
    ['offset', '/things?limit=2&offset=3', { limit: 2, offset: 3, total_count: 5 }],
    ['next URL', '/things?limit=2&offset=2', { count: 5, next: 'http://localhost/things?limit=2&offset=4' }],
  ] as const)('%s: %s', async (look, path, want) => {
    const { client } = await start(look);
    for (let i = 0; i < 5; i++) await client.create(`n${i}`);
    const { body } = await client.page(path);
    expect(body).toMatchObject(want);
  });

  it('an empty list has nulls where an id or a link would be', async () => {
    expect((await (await start('cursor')).client.page('/things')).body).toEqual({
      object: 'list',
      data: [],
      has_more: false,
      first_id: null,
      last_id: null,
    });
    expect((await (await start('next URL')).client.page('/things')).body).toEqual({
      data: [],
      count: 0,
      next: null,
      previous: null,
    });
  });

  it('a page before an item ends where that item begins', async () => {
    const { client } = await start('cursor');
    const ids: string[] = [];
    for (let i = 0; i < 6; i++) ids.push((await client.create(`n${i}`)).id);
    const { items } = await client.page(`/things?limit=2&before=${ids[4]}`);
    expect(items.map(({ id }) => id)).toEqual(ids.slice(2, 4));
  });

  it('backward pages report whether there are more, and end at the first item', async () => {
    const { client } = await start('starting-after');
    const ids: string[] = [];
    for (let i = 0; i < 5; i++) ids.unshift((await client.create(`n${i}`)).id);
    const last = await client.page(`/things?limit=2&ending_before=${ids[4]}`);
    expect([last.items.map(({ id }) => id), last.body['has_more']]).toEqual([ids.slice(2, 4), true]);
    const first = await client.page(`/things?limit=2&ending_before=${ids[2]}`);
    expect([first.items.map(({ id }) => id), first.body['has_more']]).toEqual([ids.slice(0, 2), false]);
  });

  it.each([
    ['cursor', 'after=nobody', 'after'],
    ['starting-after', 'starting_after=nobody', 'starting_after'],
    ['token', 'cursor=nonsense', 'cursor'],
  ] as const)('%s: an unknown cursor is the mistake of the client', async (look, query, parameter) => {
    const { mock } = await start(look);
    const response = await mock.fetch(`/things?${query}`);
    expect(response.status).toBe(400);
    expect(await response.text()).toContain(parameter === 'cursor' ? 'is not a cursor of this list' : 'nobody');
  });
});

it('a negative limit that the contract lets pass asks for a page of the usual size', async () => {
  const item = object({ id: TEXT }, 'id');
  const page = shows(object({ data: arrayOf(item), has_more: BOOLEAN }));
  const spec = toDocument({ '/things': { get: { parameters: [query('limit', INTEGER), query('after')], ...page } } });
  await using mock = await createMock({ spec, fixtures: { things: [{ id: 'a' }, { id: 'b' }] } });
  expect((await send(mock, '/things?limit=-1')).body).toEqual({ data: [{ id: 'a' }, { id: 'b' }], has_more: false });
});

it('an unknown cursor in a body is named as a property of the body', async () => {
  const item = ref('Thing');
  const list = object({ items: arrayOf(item), cursor: TEXT }, 'items');
  const search = sends(object({ cursor: TEXT, limit: INTEGER }));
  await using mock = await createMock({
    spec: toDocument(
      {
        '/things': { get: shows(list) },
        '/things/{id}': { get: { ...inPath('id'), ...shows(item) } },
        '/things/search': {
          post: { ...search, responses: { 200: json(list), 400: { description: 'wrong' } } },
        },
      },
      { Thing: object({ id: TEXT, name: TEXT }, 'id', 'name') },
    ),
  });
  expect((await send(mock, '/things/search', { cursor: 'nonsense' })).status).toBe(400);
  expect(mock.journal.last()?.trace.at(-1)).toContain(
    'body property "cursor": "nonsense" is not a cursor of this list',
  );
});
