// @module-tag slow
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Mock } from '../../src/index.js';
import { json, query, sends } from '../operation-parts.js';
import { send } from '../send.js';
import { arrayOf, BOOLEAN, INTEGER, object, ref, TEXT } from '../schema-parts.js';
import {
  openWidgets,
  readPage,
  toNextPath,
  walkPages,
  type Widget,
  type WidgetDocument,
  type WidgetPage,
} from './widgets.js';

/** How one way of paging looks in a document, each the way some real service writes it, and how a client follows it. */
interface Look extends WidgetDocument {
  /** The parameter for the size of a page, if it is not `limit`. */
  readonly size?: string;
  /** The parameter that takes what `toNext` finds; without one that is a URL. */
  readonly position?: string;
  /** What an answer has for the next page; nothing on the last one. */
  toNext(page: WidgetPage): unknown;
}

const LIMIT = query('limit', { type: 'integer', minimum: 1, default: 5 });
const ORDER = query('order', { type: 'string', enum: ['asc', 'desc'], default: 'asc' });
const NUMBERS = [query('page', { type: 'integer', minimum: 1 }), query('per_page', LIMIT['schema'] as object)];
const NULLABLE_TEXT = { type: ['string', 'null'] };
const NULLABLE_URL = { type: ['string', 'null'], format: 'uri' };

/** The ways of paging that the store knows. */
const LOOKS = {
  cursor: {
    parameters: [LIMIT, ORDER, query('after'), query('before')],
    envelope: { object: { const: 'list' }, has_more: BOOLEAN, first_id: NULLABLE_TEXT, last_id: NULLABLE_TEXT },
    position: 'after',
    toNext: ({ body }) => (body['has_more'] === true ? body['last_id'] : undefined),
  },
  'starting-after': {
    parameters: [LIMIT, query('starting_after'), query('ending_before')],
    envelope: { object: { enum: ['list'] }, has_more: BOOLEAN, url: { type: 'string', pattern: '^/widgets' } },
    position: 'starting_after',
    toNext: ({ body, widgets }) => (body['has_more'] === true ? widgets.at(-1)?.id : undefined),
  },
  token: {
    parameters: [LIMIT, query('cursor')],
    envelope: { next_cursor: NULLABLE_TEXT },
    position: 'cursor',
    toNext: ({ body }) => body['next_cursor'],
  },
  page: {
    parameters: NUMBERS,
    envelope: { page: INTEGER, per_page: INTEGER, total: INTEGER, total_pages: INTEGER },
    headers: ['Link'],
    size: 'per_page',
    position: 'page',
    toNext: ({ body }) => (Number(body['page']) < Number(body['total_pages']) ? Number(body['page']) + 1 : undefined),
  },
  offset: {
    parameters: [LIMIT, query('offset', { type: 'integer', minimum: 0, default: 0 })],
    envelope: { limit: INTEGER, offset: INTEGER, total_count: INTEGER },
    position: 'offset',
    toNext: ({ body, widgets }) => {
      const end = Number(body['offset']) + widgets.length;
      return end < Number(body['total_count']) && widgets.length > 0 ? end : undefined;
    },
  },
  'next URL': {
    parameters: [LIMIT, query('offset', { type: 'integer', minimum: 0 })],
    envelope: { count: INTEGER, next: NULLABLE_URL, previous: NULLABLE_URL },
    toNext: ({ body }) => body['next'],
  },
  'bare array': {
    parameters: NUMBERS,
    isBare: true,
    size: 'per_page',
    // RFC 8288.
    toNext: ({ headers }) => /<([^>]+)>;\s*rel="next"/.exec(headers.get('link') ?? '')?.[1],
  },
} as const satisfies Readonly<Record<string, Look>>;

type LookName = keyof typeof LOOKS;

const NAMES = Object.keys(LOOKS) as readonly LookName[]; // its keys are the names
/** Styles whose cursor names an item, so that a walk survives what comes and goes meanwhile. */
const STEADY: readonly LookName[] = ['cursor', 'starting-after', 'token'];

/** What the service should hold, in the order of creation. */
interface Model {
  things: { readonly id: string; name: string }[];
}

interface Service {
  readonly mock: Mock;
  readonly look: LookName;
}

function toListPath(name: LookName, limit: number): string {
  const look: Look = LOOKS[name];
  return `/widgets?${look.size ?? 'limit'}=${limit}`;
}

/** Newest first where the style is known for it, else oldest first. */
function inOrder(look: LookName, things: readonly Widget[]): readonly Widget[] {
  return look === 'starting-after' ? things.toReversed() : things;
}

/** A service with nothing, or with some widgets, and their ids. */
async function start(name: LookName, count = 0): Promise<Service & { readonly ids: readonly string[] }> {
  const look: Look = LOOKS[name];
  const document = { ...look, isWhole: true, parameters: [...(look.parameters ?? []), query('name')] };
  const mock = await openWidgets({ ...document, statuses: { 400: json(object({ message: TEXT })) } }, { widgets: [] });
  const ids: string[] = [];
  for (let i = 0; i < count; i++) ids.push((await create(mock, `n${i}`)).id);
  return { mock, look: name, ids };
}

/** One service for all runs of a property; each run starts with an empty list. */
function startOnce(look: LookName): () => Promise<Service> {
  let started: Promise<Service> | undefined;
  return async () => {
    const service = await (started ??= start(look));
    service.mock.reset();
    return service;
  };
}

async function create(mock: Mock, name: string): Promise<Widget> {
  // The document says that it is a widget.
  return (await send(mock, '/widgets', { name })).body as unknown as Widget;
}

/** Every widget, page by page; `between` runs after each page. */
async function walk(
  { mock, look: name }: Service,
  path: string,
  between = async (): Promise<void> => undefined,
): Promise<readonly Widget[]> {
  const look: Look = LOOKS[name];
  const pages = await walkPages(mock, path, async (page) => {
    await between();
    const next = look.toNext(page);
    return look.position === undefined && typeof next === 'string'
      ? next
      : toNextPath(`${path}&${look.position ?? ''}=`, next);
  });
  return pages.flatMap(({ widgets }) => widgets);
}

type Command = fc.AsyncCommand<Model, Service>;

const creating = fc.string({ minLength: 1, maxLength: 8 }).map((name): Command => ({
  check: () => true,
  run: async (model, { mock }) => {
    const thing = await create(mock, name);
    expect(thing.name).toBe(name);
    expect(model.things.map(({ id }) => id)).not.toContain(thing.id);
    model.things.push({ ...thing });
  },
  toString: () => `create(${JSON.stringify(name)})`,
}));

const renaming = fc.tuple(fc.nat(), fc.string({ maxLength: 8 })).map(([pick, name]): Command => ({
  check: (model) => model.things.length > 0,
  run: async (model, { mock }) => {
    const thing = model.things[pick % model.things.length];
    if (thing === undefined) return;
    expect((await send(mock, `PATCH /widgets/${thing.id}`, { name })).status).toBe(200);
    thing.name = name;
  },
  toString: () => `rename(${pick}, ${JSON.stringify(name)})`,
}));

const removing = fc.nat().map((pick): Command => ({
  check: (model) => model.things.length > 0,
  run: async (model, { mock }) => {
    const [gone] = model.things.splice(pick % model.things.length, 1);
    expect((await send(mock, `DELETE /widgets/${gone?.id}`)).status).toBe(204);
    expect((await send(mock, `/widgets/${gone?.id}`)).status).toBe(404);
  },
  toString: () => `remove(${pick})`,
}));

const walking = fc.integer({ min: 1, max: 9 }).map((limit): Command => ({
  check: () => true,
  run: async (model, service) => {
    const seen = await walk(service, toListPath(service.look, limit));
    expect(seen).toEqual(inOrder(service.look, model.things));
  },
  toString: () => `walk(${limit})`,
}));

const finding = fc.nat().map((pick): Command => ({
  check: (model) => model.things.some(({ name }) => name !== ''),
  run: async (model, service) => {
    const named = model.things.filter(({ name }) => name !== '');
    const { name = '' } = named[pick % named.length] ?? {};
    const seen = await walk(service, `${toListPath(service.look, 3)}&name=${encodeURIComponent(name)}`);
    const found = model.things.filter((thing) => thing.name === name);
    expect(seen).toEqual(inOrder(service.look, found));
  },
  toString: () => `find(${pick})`,
}));

describe.each(NAMES)('a list paged by %s', (look) => {
  it('agrees with a plain list, whatever is created, renamed, removed, walked and looked for', async () => {
    const commands = fc.commands([creating, creating, renaming, removing, walking, finding], { maxCommands: 30 });
    const startEmpty = startOnce(look);
    await fc.assert(
      fc.asyncProperty(commands, async (list) => {
        const real = await startEmpty();
        await fc.asyncModelRun(() => ({ model: { things: [] }, real }), list);
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
          const service = await startEmpty();
          const { mock } = service;
          const made: string[] = [];
          for (let i = 0; i < count; i++) made.push((await create(mock, `n${i}`)).id);
          const gone = new Set<string>();
          const pending = [...changes];
          const seen = await walk(service, toListPath(look, limit), async () => {
            const change = pending.shift();
            const id = change === undefined ? undefined : made[change.remove % made.length];
            if (id !== undefined && !gone.has(id)) {
              gone.add(id);
              expect((await send(mock, `DELETE /widgets/${id}`)).status).toBe(204);
            }
            if (change?.add === true) await create(mock, 'late');
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
    ['cursor', '/widgets?limit=2', { object: 'list', has_more: true }],
    ['starting-after', '/widgets?limit=2', { object: 'list', has_more: true, url: '/widgets' }],
    ['page', '/widgets?per_page=2&page=2', { page: 2, per_page: 2, total: 5, total_pages: 3 }],
    ['offset', '/widgets?limit=2&offset=3', { limit: 2, offset: 3, total_count: 5 }],
    ['next URL', '/widgets?limit=2&offset=2', { count: 5, next: 'http://localhost/widgets?limit=2&offset=4' }],
  ] as const)('%s: %s', async (look, path, want) => {
    const { mock } = await start(look, 5);
    expect((await send(mock, path)).body).toMatchObject(want);
  });

  it.each([
    ['cursor', { object: 'list', widgets: [], has_more: false, first_id: null, last_id: null }],
    ['next URL', { widgets: [], count: 0, next: null, previous: null }],
  ] as const)('%s: an empty list has nulls where an id or a link would be', async (look, want) => {
    expect((await send((await start(look)).mock, '/widgets')).body).toEqual(want);
  });

  it.each([
    ['cursor', 'before', 4, { shown: [2, 3], more: true }],
    ['starting-after', 'ending_before', 1, { shown: [3, 2], more: true }],
    ['starting-after', 'ending_before', 3, { shown: [5, 4], more: false }],
  ] as const)('%s: a page %s item %i ends where that item begins, and tells of more', async (look, name, at, want) => {
    const { mock, ids } = await start(look, 6);
    const { widgets, body } = await readPage(mock, `/widgets?limit=2&${name}=${ids[at]}`);
    expect({ shown: widgets.map(({ id }) => ids.indexOf(id)), more: body['has_more'] }).toEqual(want);
  });

  it.each([
    ['cursor', 'after=nobody', 'after'],
    ['cursor', 'before=nobody', 'before'],
    ['starting-after', 'starting_after=nobody', 'starting_after'],
    ['token', 'cursor=nonsense', 'cursor'],
  ] as const)('%s: an unknown cursor is the mistake of the client', async (look, query, parameter) => {
    const { mock } = await start(look);
    const response = await mock.fetch(`/widgets?${query}`);
    expect(response.status).toBe(400);
    expect(await response.text()).toContain(parameter === 'cursor' ? 'is not a cursor of this list' : 'nobody');
  });
});

it('a negative limit that the contract lets pass asks for a page of the usual size', async () => {
  const parameters = [query('limit', INTEGER), query('after')];
  const mock = await openWidgets({ parameters, envelope: { has_more: BOOLEAN } });
  const { names, body } = await readPage(mock, '/widgets?limit=-1');
  expect([names, body['has_more']]).toEqual(['abcde', false]);
});

it('an unknown cursor in a body is named as a property of the body', async () => {
  const list = object({ items: arrayOf(ref('Widget')), cursor: TEXT }, 'items');
  const search = sends(object({ cursor: TEXT, limit: INTEGER }));
  const responses = { 200: json(list), 400: { description: 'wrong' } };
  const mock = await openWidgets({ paths: { '/widgets/search': { post: { ...search, responses } } } });
  expect((await send(mock, '/widgets/search', { cursor: 'nonsense' })).status).toBe(400);
  expect(mock.journal.last()?.trace.at(-1)).toContain(
    'body property "cursor": "nonsense" is not a cursor of this list',
  );
});
