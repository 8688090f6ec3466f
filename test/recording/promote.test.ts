// @module-tag slow
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createMock } from '../../src/index.js';
import { toFixtures } from '../../src/features/recording/promote/promote-files.js';
import type { PromotedItem } from '../../src/features/recording/promote/promote.js';
import { loadParts } from './contract.js';
import { type Ask, askOf, describeDifferences, recordAndPromote } from './promoted.js';
import { KEYS, SPEC } from './recorded.js';
import { type SeenRequest, reply } from './upstream.js';
import {
  TEXT,
  object,
  INTEGER,
  BOOLEAN,
  pathParameter,
  arrayOf,
  ref,
  toDocument,
  json,
  inPath,
} from '../document-parts.js';

interface Page {
  readonly data: readonly { readonly id: string; readonly name: string }[];
  readonly has_more: boolean;
  readonly first_id: string | null;
  readonly last_id: string | null;
}

const create = (ask: Ask, name: string): Promise<Response> =>
  ask(KEYS, { method: 'POST', body: JSON.stringify({ name }) });
const remove = (ask: Ask, file: string): Promise<Response> =>
  ask(`/v1/vector_stores/vs_docs/files/${file}`, { method: 'DELETE' });

/** All keys, page by page. */
async function walk(ask: Ask, limit: number, order: string): Promise<readonly Page['data'][number][]> {
  const keys: Page['data'][number][] = [];
  let after = '';
  for (;;) {
    const page = (await (await ask(`${KEYS}?limit=${limit}&order=${order}${after}`)).json()) as Page;
    keys.push(...page.data);
    if (!page.has_more) return keys;
    after = `&after=${page.last_id}`;
  }
}

describe('a promoted recording', () => {
  it(
    'of pages with creates and deletes answers like the recording, and for any other page too',
    { tags: 'slow' },
    async () => {
      const seen: { before: readonly Page['data'][number][] } = { before: [] };
      const outcome = await recordAndPromote(
        async (ask) => {
          seen.before = await walk(ask, 2, 'asc');
          await create(ask, 'first new');
          await ask('/v1/files/file-notes/content');
          await ask('/v1/files/file-bytes/content', { headers: { accept: 'application/octet-stream' } });
          await remove(ask, 'file-notes');
          await remove(ask, 'file-notes');
          await create(ask, 'second new');
          await walk(ask, 3, 'desc');
          await ask('/v1/files/none/content');
        },
        { keys: 5 },
      );
      expect(outcome.skipped).toEqual([]);
      expect(describeDifferences(outcome)).toEqual([]);
      expect(readdirSync(outcome.into).sort()).toEqual([
        'admin_api_keys.json',
        'files.json',
        'vector_stores.files.json',
        'vector_stores.json',
      ]);

      const mock = await createMock({ spec: SPEC, fixtures: outcome.into });
      const ask = askOf(mock);
      const ids = seen.before.map(({ id }) => id);
      for (const limit of [1, 2, 3, 4, 5, 6]) {
        expect((await walk(ask, limit, 'asc')).map(({ id }) => id)).toEqual(ids);
        expect((await walk(ask, limit, 'desc')).map(({ id }) => id)).toEqual(ids.toReversed());
      }
      const page = (await (await ask(`${KEYS}?limit=2&after=${ids[1]}`)).json()) as Page;
      expect(page.data.map(({ id }) => id)).toEqual(ids.slice(2, 4));
      expect((await remove(ask, 'file-bytes')).status).toBe(404);
      expect((await remove(ask, 'file-notes')).status).toBe(200);
      const bytes = await ask('/v1/files/file-bytes/content', { headers: { accept: 'application/octet-stream' } });
      expect([...new Uint8Array(await bytes.arrayBuffer())]).toEqual(Array.from({ length: 256 }, (_, i) => i));
    },
  );

  it('is the state before the first exchange, or with --final after the last one', async () => {
    const act = async (ask: Ask): Promise<void> => {
      await walk(ask, 10, 'asc');
      await create(ask, 'new');
      await walk(ask, 10, 'asc');
      await remove(ask, 'file-notes');
    };
    const read = (into: string, name: string): readonly { readonly name?: string }[] =>
      (JSON.parse(readFileSync(join(into, `${name}.json`), 'utf8')) as { items: readonly { readonly name?: string }[] })
        .items;
    const initial = await recordAndPromote(act, { keys: 2 });
    expect(read(initial.into, 'admin_api_keys').map(({ name }) => name)).toEqual(['Key 1', 'Key 2']);
    expect(read(initial.into, 'vector_stores.files')).toEqual([{ id: 'file-notes', $parent: 'vs_docs' }]);
    const final = await recordAndPromote(act, { keys: 2 }, { final: true });
    expect(read(final.into, 'admin_api_keys').map(({ name }) => name)).toEqual(['Key 1', 'Key 2', 'new']);
    expect(read(final.into, 'vector_stores.files')).toEqual([]);
  });

  it('restores the order of a list that was recorded in reverse', async () => {
    const seen: { ids: readonly string[] } = { ids: [] };
    const outcome = await recordAndPromote(
      async (ask) => {
        seen.ids = (await walk(ask, 2, 'desc')).map(({ id }) => id);
      },
      { keys: 5 },
    );
    expect(describeDifferences(outcome)).toEqual([]);
    const mock = await createMock({ spec: SPEC, fixtures: outcome.into });
    expect((await walk(askOf(mock), 4, 'asc')).map(({ id }) => id)).toEqual(seen.ids.toReversed());
  });

  it('turns errors that the mock would not answer into a scenario', async () => {
    let calls = 0;
    const outcome = await recordAndPromote(
      async (ask) => {
        expect((await create(ask, 'limited')).status).toBe(429);
        expect((await create(ask, 'limited')).status).toBe(200);
        await ask(KEYS);
      },
      {
        intercept: (request, response) => {
          if (request.method !== 'POST' || (calls += 1) > 1) return false;
          response.writeHead(429, { 'content-type': 'application/json', 'retry-after': '2' });
          response.end('{"error":{"message":"Slow down.","type":"rate_limit_error","param":null,"code":"rate_limit"}}');
          return true;
        },
      },
    );
    expect(describeDifferences(outcome)).toEqual([]);
    const file = join(outcome.into, '../scenarios/keys-errors.json');
    expect(outcome.files).toContain(file);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({
      description: 'Errors recorded in the cassette "keys".',
      operations: {
        createAdminApiKey: [
          {
            when: { body: { name: 'limited' }, call: 1 },
            respond: {
              status: 429,
              headers: { 'retry-after': '2' },
              body: { error: { message: 'Slow down.', type: 'rate_limit_error', param: null, code: 'rate_limit' } },
            },
          },
        ],
      },
    });
  });

  it('keeps items that the document does not allow, and says what the document lacks', async () => {
    const spoil = (key: { readonly name: string }): object =>
      key.name === 'Key 2' ? { ...key, created_at: 'yesterday' } : key;
    const change = (body: unknown): unknown => {
      const page = body as { readonly data?: readonly { readonly name: string }[] };
      return page.data === undefined ? body : { ...page, data: page.data.map(spoil) };
    };
    const outcome = await recordAndPromote((ask) => ask(KEYS), { keys: 3, change });
    expect(outcome.skipped).toEqual([]);
    expect(outcome.drift).toEqual([expect.stringMatching(/openapi\.yaml:\d+:\d+.*: also allow the type "string"$/)]);
    expect(describeDifferences(outcome)).toEqual([]);
    expect(outcome.answers).toEqual([{ file: '0001-listAdminApiKeys.200.json', verdict: 'right', why: [] }]);
  });

  it('does not overwrite files without --force', async () => {
    const outcome = await recordAndPromote((ask) => ask(KEYS));
    const file = join(outcome.into, 'admin_api_keys.json');
    writeFileSync(file, 'mine');
    await expect(outcome.promoteAgain()).rejects.toMatchObject({ code: 'OPTION_INVALID' });
    expect(readFileSync(file, 'utf8')).toBe('mine');
  });
});

const TICKETS = toDocument(
  {
    '/boards/{board}/tickets': {
      ...inPath('board'),
      get: { operationId: 'listTickets', responses: { 200: json(arrayOf(ref('Ticket'))) } },
      post: {
        operationId: 'addTicket',
        requestBody: { content: { 'application/json': { schema: ref('Ticket') } } },
        responses: { 201: json(ref('Ticket')), default: json(ref('Error')) },
      },
    },
    '/boards/{board}': {
      ...inPath('board'),
      get: { operationId: 'readBoard', responses: { 200: json(ref('Board')) } },
    },
    '/boards/{board}/tickets/{ticket}': {
      parameters: ['board', 'ticket'].map((name) => pathParameter(name)),
      get: {
        operationId: 'readTicket',
        responses: {
          200: json(ref('Ticket')),
          404: { description: 'no', content: { 'text/plain': { schema: TEXT } } },
        },
      },
    },
    '/about': { get: { operationId: 'about', responses: { 200: json({ type: 'object' }) } } },
  },
  {
    Board: object({ id: TEXT, size: INTEGER }, 'id', 'size'),
    Ticket: object({ id: TEXT, title: TEXT, body: TEXT, open: BOOLEAN }),
    Error: object({ message: TEXT, code: TEXT }),
  },
);

/** A server of tickets: lists leave out `body`, the title is the id, and errors have a member that the contract does not declare. */
function serveTickets(tickets: Map<string, object>, request: SeenRequest, response: ServerResponse): boolean {
  const send = (status: number, body: unknown, type = 'application/json'): true => {
    response.writeHead(status, { 'content-type': type }).end(typeof body === 'string' ? body : JSON.stringify(body));
    return true;
  };
  const path = request.url.replace('/v1', '');
  if (path === '/about') return send(200, { version: '3.1', edition: 'blue' });
  if (path === '/boards/b1') return send(200, { id: 'b1', size: 'large' });
  if (path !== '/boards/b1/tickets') {
    const ticket = tickets.get(path.split('/').at(-1) ?? '');
    return ticket === undefined ? send(404, 'no such ticket', 'text/plain') : send(200, ticket);
  }
  if (request.method === 'GET') {
    return send(
      200,
      [...tickets.values()].map((ticket) => ({ ...ticket, body: undefined })),
    );
  }
  const sent = JSON.parse(request.body.toString()) as { readonly title?: string };
  if (sent.title === undefined) return send(400, { message: 'no title', cause: { name: 'Missing' } });
  if (tickets.has(sent.title)) return send(409, { message: 'taken', cause: null });
  const ticket = { id: sent.title, body: 'none', open: true, ...sent };
  tickets.set(sent.title, ticket);
  return send(201, ticket);
}

it('a recording of a server with rules that its contract does not state is promoted to files that a mock loads and that answer like the server', async () => {
  const tickets = new Map<string, object>();
  const add = (ask: Ask, body: object): Promise<Response> =>
    ask('/boards/b1/tickets', { method: 'POST', body: JSON.stringify(body) });
  const outcome = await recordAndPromote(
    async (ask) => {
      await ask('/about');
      await ask('/boards/b1');
      for (const body of [{}, { title: 'one' }, { title: 'two' }, { title: 'one' }]) await add(ask, body);
      for (const path of ['', '/one', '/none']) await ask(`/boards/b1/tickets${path}`);
    },
    { document: TICKETS, intercept: (...seen) => serveTickets(tickets, ...seen) },
  );
  const { into, spec } = outcome;
  expect(outcome.skipped).toEqual([]);
  expect(outcome.drift).toEqual([
    expect.stringContaining('require "title" of requests'),
    expect.stringContaining('also allow the type "string"'),
  ]);
  expect(describeDifferences(outcome)).toEqual([]);
  expect(JSON.parse(readFileSync(join(into, 'boards.tickets.json'), 'utf8'))).toEqual({
    defaults: { body: 'none', open: true },
    items: [],
  });

  const overlay = join(into, '../keys-hints.overlay.json');
  const { actions } = JSON.parse(readFileSync(overlay, 'utf8')) as { readonly actions: readonly object[] };
  // The templates of errors follow.
  expect({ actions: actions.filter((each) => JSON.stringify(each).includes('"collections"')) }).toMatchObject({
    actions: [
      {
        update: {
          'x-mock': { collections: { 'boards.tickets': { idFrom: 'title', unique: ['title'], detail: ['body'] } } },
        },
      },
    ],
  });
  const scenarios = { from: join(into, '../scenarios'), active: ['keys-answers'] };
  const mock = await createMock({ spec, overlays: [overlay], fixtures: into, scenarios });
  const ask = askOf(mock);
  expect(await (await ask('/about')).json()).toEqual({ version: '3.1', edition: 'blue' });
  expect(await (await add(ask, {})).json()).toEqual({ message: 'no title', cause: { name: 'Missing' } });
  expect((await add(ask, { title: 'third' })).status).toBe(201);
  expect((await add(ask, { title: 'third' })).status).toBe(409);
  const missing = await ask('/boards/b1/tickets/none');
  expect([missing.headers.get('content-type'), await missing.text()]).toEqual([
    expect.stringContaining('text/plain'),
    'no such ticket',
  ]);
});

/** A server of pages: it derives properties from the sent ones, and shows removed pages as archived, in lists too. */
function servePages(
  pages: Map<string, Readonly<Record<string, unknown>>>,
  request: SeenRequest,
  response: ServerResponse,
): boolean {
  const send = (status: number, body: unknown): true => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    return true;
  };
  const id = request.url.split('/')[3];
  const page = pages.get(id ?? '');
  if (request.method === 'POST') {
    const sent = JSON.parse(request.body.toString()) as { readonly title: string; readonly tags: readonly string[] };
    const slug = sent.title.toLowerCase().replaceAll(' ', '-');
    const made = {
      slug,
      url: `/p/${slug}.html`,
      code: sent.title.toUpperCase(),
      size: sent.tags.length,
      labels: sent.tags,
    };
    const created = { id: `page_000${pages.size}`, ...sent, ...made, state: { kind: 'live' }, version: 1 };
    pages.set(created.id, created);
    return send(201, created);
  }
  if (id === undefined) return send(200, [...pages.values()]);
  if (page === undefined) return send(404, { message: 'no such page' });
  if (request.method === 'DELETE') {
    pages.set(id, { ...page, state: { kind: 'archived' } });
    return send(200, { deleted: true });
  }
  return send(200, page);
}

const sent = { title: TEXT, tags: arrayOf(TEXT) };
const made = {
  id: TEXT,
  slug: TEXT,
  url: TEXT,
  code: TEXT,
  size: INTEGER,
  labels: sent.tags,
  state: object({ kind: TEXT }),
  version: INTEGER,
};
const page = object({ ...sent, ...made }, 'id', 'title');
const document = toDocument(
  {
    '/pages': {
      get: { operationId: 'listPages', responses: { 200: json(arrayOf(page)) } },
      post: {
        operationId: 'createPage',
        requestBody: { content: { 'application/json': { schema: object(sent) } } },
        responses: { 201: json(page) },
      },
    },
    '/pages/{page}': {
      ...inPath('page'),
      get: { operationId: 'readPage', responses: { 200: json(page), 404: json({ type: 'object' }) } },
      delete: {
        operationId: 'deletePage',
        responses: { 200: json(object({ deleted: { const: true } }, 'deleted')) },
      },
    },
  },
  {},
  { servers: [{ url: '/v1' }] },
);

it('a recording of a server that derives values and keeps removed items is promoted to hints, with which the mock answers other requests like the server', async () => {
  const pages = new Map<string, Readonly<Record<string, unknown>>>();
  const add = (ask: Ask, title: string, tags: readonly string[]): Promise<Response> =>
    ask('/pages', { method: 'POST', body: JSON.stringify({ title, tags }) });
  const outcome = await recordAndPromote(
    async (ask) => {
      await add(ask, 'First Page', ['a', 'b']);
      await add(ask, 'The Second', []);
      await ask('/pages/page_0000', { method: 'DELETE' });
      await ask('/pages/page_0000');
      await ask('/pages');
    },
    { document, intercept: (...seen) => servePages(pages, ...seen) },
  );
  const { into, spec } = outcome;
  const overlay = join(into, '../keys-hints.overlay.json');
  expect(JSON.parse(readFileSync(overlay, 'utf8'))).toMatchObject({
    actions: [
      {
        update: {
          'x-mock': {
            collections: {
              pages: {
                derived: {
                  slug: '{title:slug}',
                  url: '/p/{title:slug}.html',
                  code: '{title:upper}',
                  size: '{tags:count}',
                  labels: '{tags}',
                },
                removed: { show: { state: { kind: 'archived' } }, listed: true },
              },
            },
          },
        },
      },
    ],
  });
  expect(describeDifferences(outcome)).toEqual([]);
  expect(outcome.skipped).toEqual([]);

  const ask = askOf(await createMock({ spec, overlays: [overlay], fixtures: into }));
  const created = (await (await add(ask, 'Another One', ['x', 'y', 'z'])).json()) as { readonly id: string };
  const derived = {
    slug: 'another-one',
    url: '/p/another-one.html',
    code: 'ANOTHER ONE',
    size: 3,
    labels: ['x', 'y', 'z'],
  };
  expect(created).toMatchObject({ ...derived, version: 1, state: { kind: 'live' } });
  await ask(`/pages/${created.id}`, { method: 'DELETE' });
  const archived = { ...derived, state: { kind: 'archived' } };
  expect(await (await ask(`/pages/${created.id}`)).json()).toMatchObject(archived);
  expect(await (await ask('/pages')).json()).toMatchObject([archived]);
});

it('an item that only the loader of fixtures refuses is left out, and the others are promoted', async () => {
  const things = [{ id: true }, { id: 'a' }, { id: { of: 'b' } }];
  const document = toDocument(
    {
      '/things': { get: { responses: { 200: json(arrayOf(ref('Thing'))) } } },
      '/things/{id}': { ...inPath('id'), get: { responses: { 200: json(ref('Thing')) } } },
    },
    { Thing: object({ id: {} }) },
  );
  const outcome = await recordAndPromote((ask) => ask('/things'), {
    document,
    intercept: reply(200, { 'content-type': 'application/json' }, JSON.stringify(things)),
  });
  expect(outcome.skipped.map(({ id, why }) => [id, why.replace(/, got.*/, '')])).toEqual([
    ['true', 'an id must be a string or a number'],
    ['{"of":"b"}', 'an id must be a string or a number'],
  ]);
  expect(JSON.parse(readFileSync(join(outcome.into, 'things.json'), 'utf8'))).toEqual({ items: [{ id: 'a' }] });
  expect(describeDifferences(outcome)).toEqual([expect.stringMatching(/had 3 items and has 1$/)]);
});

describe('fixtures of promoted items', () => {
  const give = (id: string, more: Partial<PromotedItem> = {}): PromotedItem => ({
    id,
    parents: {},
    content: undefined,
    idOnly: false,
    ...more,
    item: { id, ...more.item },
  });
  const parts = {
    collections: new Map(),
    omitUnknown: (_collection: unknown, item: PromotedItem['item']) => item,
    complete: (_pointer: string, partial: unknown) => partial,
  };

  it('leave out items below a parent that is left out, unless no item of the parent is promoted', async () => {
    const { validators } = await loadParts(toDocument({}));
    const schema = { name: 'a', idProperty: 'id', members: undefined, schema: '#/invalid' };
    const isBad = (value: unknown): boolean => (value as { readonly bad?: boolean }).bad === true;
    const violation = { code: 'TYPE', severity: 'error', in: 'body', pointer: '', message: 'bad', by: 'mock' } as const;
    const promote = (good: readonly PromotedItem[]): ReturnType<typeof toFixtures> => {
      const collections = new Map([
        ['a.b', [give('1', { parents: { a: 'x' } }), give('2', { parents: { a: 'y' } })]],
        ['a', [give('x', { item: { bad: true } }), ...good]],
      ]);
      const check = () => (value: unknown) => (isBad(value) ? [violation] : []);
      const own = { ...parts, validators: { ...validators, check }, collections: new Map([['a', schema]]) };
      return toFixtures({ collections, created: new Map() }, own);
    };
    expect(promote([give('y')]).skipped).toEqual([
      { collection: 'a', id: 'x', why: 'bad' },
      { collection: 'a.b', id: '1', why: 'its parent x is not in a' },
    ]);
    const alone = promote([]);
    expect(alone.skipped).toEqual([{ collection: 'a', id: 'x', why: 'bad' }]);
    expect(alone.files.map(({ path }) => path)).toEqual(['a.b.json']);
  });

  it('have a file for each content, even if their ids have the same file name', async () => {
    const withContent = (id: string, byte: number): PromotedItem =>
      give(id, { content: { bytes: new Uint8Array(2000).fill(byte), mediaType: undefined } });
    const collections = new Map([
      ['a', [withContent('x/1', 128), withContent('x_1', 129)]],
      ['b', [withContent('x_1', 130)]],
    ]);
    const own = { ...(await loadParts(toDocument({}))), ...parts };
    const { files } = toFixtures({ collections, created: new Map() }, own);
    const bodies = files.filter(({ path }) => path.endsWith('.bin'));
    expect(new Map(bodies.map(({ path, content }) => [path, content[0]]))).toEqual(
      new Map([
        ['content/a/x_1.bin', 128],
        ['content/a/x_1-2.bin', 129],
        ['content/b/x_1.bin', 130],
      ]),
    );
  });
});
