// @module-tag slow
import { describe, expect, it } from 'vitest';
import { createMock, type Mock, MockError } from '../../src/index.js';
import { content, json, pathParameter, sends, shows, takes, toDocument } from '../operation-parts.js';
import { arrayOf, object, ref, TEXT } from '../schema-parts.js';
import { type Reply, send } from '../send.js';

type Item = Readonly<Record<string, unknown>>;

/** What a change ended with: the item, or that it was refused. */
type Outcome = Item | 'refused' | undefined;

/** One way to change collections. A change that it has no verb for is undefined. */
interface EntryPoint {
  readonly name: string;
  create(mock: Mock, collection: string, item: Item): Promise<Outcome>;
  update?(mock: Mock, collection: string, change: { readonly id: string; readonly patch: Item }): Promise<Outcome>;
  remove(mock: Mock, collection: string, id: string): Promise<void>;
}

const body = { content: content({ type: 'object' }) };

/** The operations of a collection at a path whose last segment is a parameter. */
function resource(path: string, schema: object, created: object = { type: 'object' }): Record<string, object> {
  const parameters = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => pathParameter(name ?? ''));
  const errors = { 404: { description: 'unknown' }, 409: { description: 'conflict' } };
  const list = path.slice(0, path.lastIndexOf('/'));
  return {
    [list]: {
      parameters: parameters.slice(0, -1),
      get: { responses: { 200: json(arrayOf(schema)), ...errors } },
      post: { ...sends(created), responses: { 201: json(schema), ...errors } },
    },
    [path]: {
      parameters,
      get: { responses: { 200: json(schema), ...errors } },
      patch: { requestBody: body, responses: { 200: json(schema), ...errors } },
      delete: { responses: { 204: { description: 'removed' }, ...errors } },
    },
  };
}

/** A membership names its target. */
const MEMBERSHIP = object({ file_id: TEXT }, 'file_id');

const DATE = { type: 'string', format: 'date-time' };

const spec = toDocument(
  {
    ...resource('/jobs/{job_id}', ref('Job')),
    ...resource('/jobs/{job_id}/steps/{step_id}', ref('Step')),
    ...resource('/files/{file_id}', ref('File')),
    ...resource('/stores/{store_id}', ref('Store')),
    ...resource('/stores/{store_id}/files/{file_id}', ref('StoreFile'), MEMBERSHIP),
    ...resource('/stores/{store_id}/files/{file_id}/tags/{tag_id}', ref('Tag')),
    '/commands': { post: { operationId: 'runCommand', requestBody: body, ...shows({ type: 'object' }) } },
  },
  {
    Job: {
      ...object(
        {
          id: { type: 'string', examples: ['job_8VnGx3RkT5cJq0WbY7mLz2Pd'] },
          name: TEXT,
          note: { type: ['string', 'null'] },
          remark: { type: ['string', 'null'] },
          status: { type: 'string', enum: ['cancelled', 'open'] },
          created_at: DATE,
          updated_at: DATE,
          cancelled_at: DATE,
          secret: { type: 'string', examples: ['sk-8VnGx3RkT5cJq0WbY7mLz2Pd'] },
          masked_secret: TEXT,
          etag: TEXT,
        },
        'id',
        'status',
        'created_at',
        'updated_at',
        'remark',
      ),
      additionalProperties: false,
    },
    Step: object({ id: TEXT, job_id: TEXT, text: TEXT }, 'id', 'job_id'),
    File: object({ id: TEXT }, 'id'),
    Store: object({ id: TEXT }, 'id'),
    StoreFile: object({ id: TEXT, store_id: TEXT }, 'id', 'store_id'),
    Tag: object({ id: TEXT }, 'id'),
  },
  { 'x-mock': { collections: { jobs: { unique: ['name'], once: ['secret'] } } } },
);

/** The path of a collection below its parents: `stores.files` with `$parent: 's1'` is `/stores/s1/files`. */
function toPath(collection: string, parents: string): string {
  const ids = parents === '' ? [] : parents.split('/');
  return collection
    .split('.')
    .map((name, i) => `/${name}${ids[i] === undefined ? '' : `/${ids[i]}`}`)
    .join('');
}

function parentOf(item: Item): string {
  return typeof item['$parent'] === 'string' ? item['$parent'] : '';
}

const toOutcome = ({ status, body }: Reply): Outcome => (status >= 400 ? 'refused' : body);

function attempt(change: () => Outcome): Outcome {
  try {
    return change();
  } catch (error) {
    if (error instanceof MockError && error.code === 'STATE_INVALID') return 'refused';
    throw error;
  }
}

function find(mock: Mock, collection: string, id: string): Item {
  const item = mock.state.collection(collection).get(id);
  if (item === undefined) throw new Error(`${collection} has no ${id}`);
  return item;
}

const request: EntryPoint = {
  name: 'a request',
  create: async (mock, collection, item) => {
    const path = toPath(collection, parentOf(item));
    return toOutcome(await send(mock, `POST ${path}`, collection === 'stores.files' ? { file_id: item['id'] } : item));
  },
  update: async (mock, collection, { id, patch }) => {
    const path = `${toPath(collection, parentOf(find(mock, collection, id)))}/${id}`;
    return toOutcome(await send(mock, `PATCH ${path}`, patch));
  },
  remove: async (mock, collection, id) => {
    const path = `${toPath(collection, parentOf(find(mock, collection, id)))}/${id}`;
    expect((await send(mock, `DELETE ${path}`)).status).toBe(204);
  },
};

const state: EntryPoint = {
  name: 'mock.state',
  create: async (mock, collection, item) => attempt(() => mock.state.collection(collection).add(item)),
  update: async (mock, collection, { id, patch }) => attempt(() => mock.state.collection(collection).update(id, patch)),
  remove: async (mock, collection, id) => void mock.state.collection(collection).remove(id),
};

const control: EntryPoint = {
  name: 'the control API',
  create: async (mock, collection, item) => toOutcome(await send(mock, `POST /__mock/state/${collection}`, item)),
  remove: async (mock, collection, id) => {
    const items = mock.state.collection(collection).items.filter((item) => item['id'] !== id);
    expect((await send(mock, `PUT /__mock/state/${collection}`, items)).status).toBe(200);
  },
};

function useChanges(mock: Mock, collection: string, changes: object): void {
  const id = `change-${mock.scenarios.ids.length}`;
  mock.scenarios.add(id, { state: { [collection]: changes } });
  mock.scenarios.activate(id);
  mock.scenarios.deactivate(id);
}

const scenario: EntryPoint = {
  name: 'a scenario',
  create: async (mock, collection, item) =>
    attempt(() => {
      const before = new Set(mock.state.collection(collection).items);
      useChanges(mock, collection, { add: [item] });
      return (
        mock.state.collection(collection).items.find((each) => !before.has(each) && !('$parent' in each)) ??
        mock.state.collection(collection).items.at(-1)
      );
    }),
  update: async (mock, collection, { id, patch }) =>
    attempt(() => {
      useChanges(mock, collection, { update: { [id]: patch } });
      return find(mock, collection, id);
    }),
  remove: async (mock, collection, id) => useChanges(mock, collection, { remove: [id] }),
};

const handler: EntryPoint = {
  name: 'a handler',
  create: async (mock, collection, item) =>
    toOutcome(await send(mock, 'POST /commands', { verb: 'add', collection, item })),
  update: async (mock, collection, change) =>
    toOutcome(await send(mock, 'POST /commands', { verb: 'update', collection, ...change })),
  remove: async (mock, collection, id) => {
    expect((await send(mock, 'POST /commands', { verb: 'remove', collection, id })).status).toBe(200);
  },
};

interface Command {
  readonly verb: 'add' | 'update' | 'remove';
  readonly collection: string;
  readonly item: Item;
  readonly id: string;
  readonly patch: Item;
}

const ENTRY_POINTS = [request, state, control, scenario, handler];

async function open(): Promise<Mock> {
  const mock = await createMock({
    spec,
    state: { unknownIds: 'not-found' },
    handlers: {
      runCommand: ({ call, state: { collection }, json: answer, error }) => {
        const { verb, item, id, patch, ...command } = call.body as Command; // what the entry point sends
        const outcome = attempt(() => {
          if (verb === 'add') return collection(command.collection).add(item);
          if (verb === 'update') return collection(command.collection).update(id, patch);
          return { removed: collection(command.collection).remove(id) };
        });
        return outcome === 'refused' ? error(400, 'refused') : answer(outcome);
      },
    },
  });
  mock.state.collection('files').add({ id: 'f1' });
  mock.state.collection('files').add({ id: 'f2' });
  mock.state.collection('stores').add({ id: 's1' });
  mock.state.collection('stores').add({ id: 's2' });
  return mock;
}

const items = (mock: Mock, name: string): readonly Item[] => mock.state.collection(name).items;
const ids = (mock: Mock, name: string): readonly unknown[] => items(mock, name).map(({ id }) => id);

/** What follows from a change, whoever makes it. */
const BEHAVIOURS: readonly (readonly [name: string, run: (mock: Mock, by: EntryPoint) => Promise<void>])[] = [
  [
    'a created item has an id in the form of its examples, its timestamps, an initial status and null',
    async (mock, by) => {
      expect(await by.create(mock, 'jobs', { name: 'a' })).toMatchObject({
        id: expect.stringMatching(/^job_[0-9A-Za-z]{24}$/),
        name: 'a',
        remark: null,
        status: 'open',
        created_at: '2026-01-01T00:00:00.000Z',
        updated_at: '2026-01-01T00:00:00.000Z',
        etag: '1',
      });
      expect(items(mock, 'jobs')).toHaveLength(1);
    },
  ],
  [
    'the id of the next item does not depend on the entry point',
    async (mock, by) => {
      await by.create(mock, 'jobs', { name: 'a' });
      const next = mock.state.collection('jobs').add({ name: 'b' });
      await using other = await open();
      other.state.collection('jobs').add({ name: 'a' });
      expect(next).toEqual(other.state.collection('jobs').add({ name: 'b' }));
      expect(items(mock, 'jobs')).toEqual(items(other, 'jobs'));
    },
  ],
  [
    'a secret is not part of the stored item, which has its masked form',
    async (mock, by) => {
      await by.create(mock, 'jobs', { name: 'a' });
      const [job] = items(mock, 'jobs');
      expect(job).not.toHaveProperty('secret');
      expect(job).toHaveProperty('masked_secret', expect.stringMatching(/^sk-\.\.\.\w{4}$/));
    },
  ],
  [
    'a second item with the value of a unique property is refused',
    async (mock, by) => {
      expect(await by.create(mock, 'jobs', { name: 'a' })).toHaveProperty('name', 'a');
      const before = items(mock, 'jobs');
      expect(await by.create(mock, 'jobs', { name: 'a' })).toBe('refused');
      expect(items(mock, 'jobs')).toEqual(before);
      expect(await by.create(mock, 'jobs', { name: 'b' })).toHaveProperty('name', 'b');
    },
  ],
  [
    'so is a change to it, but not a change that keeps it',
    async (mock, by) => {
      if (by.update === undefined) return;
      mock.state.collection('jobs').add({ id: 'one', name: 'a' });
      mock.state.collection('jobs').add({ id: 'two', name: 'b' });
      expect(await by.update(mock, 'jobs', { id: 'two', patch: { name: 'a' } })).toBe('refused');
      expect(await by.update(mock, 'jobs', { id: 'two', patch: { name: 'b', note: 'x' } })).toHaveProperty('note', 'x');
      expect(items(mock, 'jobs').map(({ name }) => name)).toEqual(['a', 'b']);
    },
  ],
  [
    'a changed item has the time of the change, of its status, and another etag; null clears a nullable property',
    async (mock, by) => {
      if (by.update === undefined) return;
      mock.state.collection('jobs').add({ id: 'one', name: 'a', note: 'x' });
      mock.clock.advance(5000);
      const changed = await by.update(mock, 'jobs', {
        id: 'one',
        patch: { status: 'cancelled', note: null, name: null },
      });
      expect(changed).toMatchObject({
        id: 'one',
        status: 'cancelled',
        note: null,
        created_at: '2026-01-01T00:00:00.000Z',
        updated_at: '2026-01-01T00:00:05.000Z',
        cancelled_at: '2026-01-01T00:00:05.000Z',
        etag: '2',
      });
      expect(changed).not.toHaveProperty('name');
      expect(items(mock, 'jobs')).toEqual([changed]);
    },
  ],
  [
    'a removed item takes what lives under it along',
    async (mock, by) => {
      mock.state.collection('jobs').add({ id: 'one' });
      mock.state.collection('jobs').add({ id: 'two' });
      mock.state.collection('jobs.steps').add({ $parent: 'one', id: 'a', job_id: 'one' });
      mock.state.collection('jobs.steps').add({ $parent: 'two', id: 'b', job_id: 'two' });
      await by.remove(mock, 'jobs', 'one');
      expect(ids(mock, 'jobs')).toEqual(['two']);
      expect(ids(mock, 'jobs.steps')).toEqual(['b']);
    },
  ],
  [
    'a removed file ends its memberships, and what lives under them, in every store',
    async (mock, by) => {
      for (const store of ['s1', 's2']) {
        mock.state.collection('stores.files').add({ $parent: store, id: 'f1', store_id: store });
        mock.state.collection('stores.files').add({ $parent: store, id: 'f2', store_id: store });
        mock.state.collection('stores.files.tags').add({ $parent: `${store}/f1`, id: 't' });
        mock.state.collection('stores.files.tags').add({ $parent: `${store}/f2`, id: 'u' });
      }
      await by.remove(mock, 'files', 'f1');
      expect(ids(mock, 'files')).toEqual(['f2']);
      expect(ids(mock, 'stores.files')).toEqual(['f2', 'f2']);
      expect(ids(mock, 'stores.files.tags')).toEqual(['u', 'u']);
    },
  ],
  [
    'a removed membership leaves its target',
    async (mock, by) => {
      mock.state.collection('stores.files').add({ $parent: 's1', id: 'f1', store_id: 's1' });
      await by.remove(mock, 'stores.files', 'f1');
      expect(ids(mock, 'stores.files')).toEqual([]);
      expect(ids(mock, 'files')).toEqual(['f1', 'f2']);
    },
  ],
  [
    'a membership of an existing item has the id of that item, and one of an unknown item is refused',
    async (mock, by) => {
      expect(await by.create(mock, 'stores.files', { $parent: 's1', id: 'f1', store_id: 's1' })).toMatchObject({
        id: 'f1',
        store_id: 's1',
      });
      expect(await by.create(mock, 'stores.files', { $parent: 's1', id: 'nobody', store_id: 's1' })).toBe('refused');
      expect(ids(mock, 'stores.files')).toEqual(['f1']);
    },
  ],
  [
    'an item below an unknown item is refused',
    async (mock, by) => {
      mock.state.collection('jobs').add({ id: 'one' });
      const step = { id: 'a', job_id: 'one', text: 'x' };
      expect(await by.create(mock, 'jobs.steps', { $parent: 'one', ...step })).toMatchObject(step);
      expect(await by.create(mock, 'jobs.steps', { $parent: 'nobody', ...step })).toBe('refused');
      expect(ids(mock, 'jobs.steps')).toEqual(['a']);
    },
  ],
];

describe.each(ENTRY_POINTS)('$name', (by) => {
  it.each(BEHAVIOURS)('%s', async (_, run) => {
    await using mock = await open();
    await run(mock, by);
  });
});

it('the changes of one scenario are made together or not at all', async () => {
  await using mock = await open();
  const before = items(mock, 'files');
  mock.scenarios.add('both', {
    state: { files: { add: [{ id: 'f3' }], remove: ['f1'] }, jobs: { add: [{ name: 'a' }, { name: 'a' }] } },
  });
  expect(() => mock.scenarios.activate('both')).toThrow('name "a" is already used');
  expect(items(mock, 'files')).toEqual(before);
  expect(items(mock, 'jobs')).toEqual([]);
});

it('a batch with a duplicate changes nothing', async () => {
  const items = arrayOf(ref('Job'));
  const batch = { post: takes(items, items, 201) };
  await using mock = await createMock({
    spec: { ...spec, paths: { ...spec.paths, '/jobs/batch': batch } },
    state: { unknownIds: 'not-found' },
  });
  const job = { status: 'open', created_at: '2026-01-01T00:00:00Z', updated_at: '2026-01-01T00:00:00Z', remark: null };
  const sendBatch = async (...names: readonly string[]): Promise<number> =>
    (
      await send(
        mock,
        'POST /jobs/batch',
        names.map((name) => Object.assign({ id: `job-${name}`, name }, job)),
      )
    ).status;
  expect(await sendBatch('a', 'b')).toBe(201);
  expect(await sendBatch('c', 'a')).toBe(201);
  expect(ids(mock, 'jobs')).toEqual(['job-b', 'job-c', 'job-a']);
  const taken = [
    { ...job, id: 'x', name: 'x' },
    { ...job, id: 'y', name: 'a' },
  ];
  expect((await send(mock, 'POST /jobs/batch', taken)).status).toBe(409);
  expect(ids(mock, 'jobs')).toEqual(['job-b', 'job-c', 'job-a']);
});
