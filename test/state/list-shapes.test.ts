import { describe, expect, it } from 'vitest';
import { readPointer } from '../../src/contract/pointer.js';
import { createMock } from '../../src/index.js';
import { content, json, pathParameter, query, shows, takes, toDocument } from '../operation-parts.js';
import { arrayOf, BOOLEAN, INTEGER, NUMBER, object, type Part, ref, TEXT } from '../schema-parts.js';
import { send } from '../send.js';
import { addWidgets, openWidgets, readPage, toNextPath, toSize, walkPages } from './widgets.js';

const LINK = object({ href: { type: 'string', format: 'uri' } }, 'href');

const PAGE = [query('page', { type: 'integer', minimum: 1 }), toSize('per_page')];
const CURSOR = [query('after'), toSize('limit')];
const OFFSET = [query('offset', { ...INTEGER, default: 0 }), toSize('limit')];

/** Where each envelope shows the next page. */
const SHAPES: Readonly<
  Record<string, { readonly parameters: readonly Part[]; readonly envelope: Part; readonly next: string }>
> = {
  'links.pages.next in a union': {
    parameters: PAGE,
    envelope: {
      links: object({ pages: { anyOf: [object({ first: TEXT, prev: TEXT }), object({ last: TEXT, next: TEXT })] } }),
    },
    next: '/links/pages/next',
  },
  'links.next.href': {
    parameters: PAGE,
    envelope: { links: object({ next: LINK, prev: LINK }) },
    next: '/links/next/href',
  },
  'a map of links': {
    parameters: PAGE,
    envelope: { _links: { type: 'object', additionalProperties: LINK } },
    next: '/_links/next/href',
  },
  'next_page with offset, path and uri': {
    parameters: [query('offset'), toSize('limit')],
    envelope: {
      next_page: {
        ...object({ offset: TEXT, path: TEXT, uri: { type: 'string', format: 'uri' } }),
        type: ['object', 'null'],
      },
    },
    next: '/next_page/uri',
  },
  'cursors.after': {
    parameters: CURSOR,
    envelope: { cursors: object({ before: TEXT, after: TEXT }) },
    next: '/cursors/after',
  },
  'paging.next.after': {
    parameters: CURSOR,
    envelope: { paging: object({ next: object({ after: TEXT, link: TEXT }, 'after') }) },
    next: '/paging/next/after',
  },
  'metadata.continue': {
    parameters: [query('continue'), toSize('limit')],
    envelope: { metadata: object({ continue: TEXT, remainingItemCount: INTEGER }) },
    next: '/metadata/continue',
  },
  '@odata.nextLink': {
    parameters: [toSize('$top'), query('$skip', INTEGER), query('$count', BOOLEAN)],
    envelope: { '@odata.nextLink': TEXT, '@odata.count': INTEGER },
    next: '/@odata.nextLink',
  },
  nextPageToken: {
    parameters: [query('pageToken'), toSize('pageSize')],
    envelope: { nextPageToken: TEXT },
    next: '/nextPageToken',
  },
  'result_info.cursors': {
    parameters: [query('cursor'), toSize('per_page')],
    envelope: { result_info: object({ count: INTEGER, cursors: object({ after: TEXT }) }) },
    next: '/result_info/cursors/after',
  },
  'pagination.next_offset': {
    parameters: OFFSET,
    envelope: { pagination: object({ next_offset: INTEGER, total: INTEGER }) },
    next: '/pagination/next_offset',
  },
};

const POSITIONS: ReadonlySet<string> = new Set(['after', 'continue', 'pageToken', 'cursor', 'offset', 'page']);

function readNext(next: unknown, parameters: readonly Part[]): string | undefined {
  if (typeof next === 'string' && /^(http|\/)/.test(next)) return next;
  const position = parameters.map(({ name }) => String(name)).find((name) => POSITIONS.has(name));
  return toNextPath(`/widgets?${position ?? ''}=`, next);
}

it('the numbers of pages may be declared as any number', async () => {
  const number = NUMBER;
  const pagination = object(
    { next: number, previous: number, count: number, current: number },
    'next',
    'previous',
    'count',
    'current',
  );
  const parameters = [query('page', INTEGER), query('page_size', INTEGER)];
  const mock = await openWidgets({ envelope: { pagination }, parameters });
  const read = async (page: number): Promise<unknown> => {
    const { names, body } = await readPage(mock, `/widgets?page_size=2&page=${page}`);
    return { names, pagination: body['pagination'] };
  };
  expect(await read(1)).toEqual({ names: 'ab', pagination: { next: 2, previous: 0, count: 5, current: 1 } });
  expect(await read(3)).toEqual({ names: 'e', pagination: { next: 0, previous: 2, count: 5, current: 3 } });
});

it('a list that must have an item shows its own items', async () => {
  const items = { type: 'array', minItems: 1, items: object({ id: TEXT, name: TEXT }) };
  const mock = await openWidgets({ envelope: { widgets: items, total: INTEGER } }, { widgets: [] });
  const { body: answer } = await send(mock, '/widgets', { name: 'a' });
  expect((await send(mock, '/widgets')).body).toEqual({ widgets: [answer], total: 1 });
});

describe('an envelope with the next page', () => {
  it.each(Object.entries(SHAPES))('as %s leads through all pages', async (_, { parameters, envelope, next }) => {
    const mock = await openWidgets({ parameters, envelope });
    const pages = await walkPages(mock, '/widgets', ({ body }) => readNext(readPointer(body, next), parameters));
    expect(pages.map(({ names }) => names)).toEqual(['ab', 'cd', 'e']);
  });

  it('counts the items that remain', async () => {
    const mock = await openWidgets({
      parameters: [query('continue'), query('limit', INTEGER)],
      envelope: { metadata: object({ continue: TEXT, remainingItemCount: INTEGER }) },
    });
    const { body: answer } = await send(mock, '/widgets?limit=2');
    expect(readPointer(answer, '/metadata/remainingItemCount')).toBe(3);
  });
});

const NAMED = object({ name: TEXT }, 'name');

/** Lists and reads of widgets below namespaces, beside a list of the widgets of all namespaces. */
function createNamespaces(): Part {
  const gadget = ref('Widget');
  const items = arrayOf(gadget);
  const page = { 200: json(object({ widgets: items, next: TEXT }, 'widgets')) };
  const one = (status: number): Part => ({ [status]: json(gadget) });
  const inPath = (name: string): Part => pathParameter(name);
  const parameters = [query('cursor'), query('limit', INTEGER), query('labelSelector')];
  const requestBody = { required: true, content: content(ref('Widget')) };
  const space = [inPath('namespace')];
  return {
    '/v1/gadgets': { get: { operationId: 'listAll', parameters, responses: page } },
    '/v1/namespaces/{namespace}/gadgets': {
      get: { operationId: 'listOne', parameters: [...space, ...parameters], responses: page },
      post: { operationId: 'createGadget', parameters: space, requestBody, responses: one(201) },
    },
    '/v1/namespaces/{namespace}/gadgets/{id}': {
      get: { operationId: 'readGadget', parameters: [...space, inPath('id')], responses: one(200) },
    },
  };
}

describe('a list without a parent', () => {
  it('shows the items of every parent', async () => {
    const mock = await openWidgets({ paths: createNamespaces() }, { widgets: [] });
    await addWidgets(
      mock,
      [
        { id: 'x', name: 'a' },
        { id: 'y', name: 'b' },
      ],
      '/v1/namespaces/one/gadgets',
    );
    await addWidgets(mock, [{ id: 'x', name: 'c' }], '/v1/namespaces/two/gadgets');
    expect((await readPage(mock, '/v1/gadgets')).names).toBe('abc');
    const pages = await walkPages(mock, '/v1/gadgets?limit=1', ({ body }) =>
      toNextPath('/v1/gadgets?limit=1&cursor=', body['next']),
    );
    expect(pages.map(({ names }) => names)).toEqual(['a', 'b', 'c']);
    expect((await readPage(mock, '/v1/namespaces/two/gadgets')).names).toBe('c');
  });
});

/** A search by POST whose body has the filters and the page. */
function createSearch(group: Part, beside: Part = {}): Part {
  const items = arrayOf(ref('Widget'));
  return {
    '/widgets/search': {
      post: {
        operationId: 'searchWidgets',
        ...takes(
          object({ name: TEXT, ...group }),
          object({ ...beside, widgets: items, next_cursor: TEXT, total: INTEGER }, 'widgets'),
        ),
      },
    },
  };
}

describe('a request that names a page', () => {
  it.each([
    ['the body', { count: INTEGER, offset: INTEGER }, { count: 2, offset: 2 }],
    [
      'an object of the body',
      { pagination: object({ limit: INTEGER, offset: INTEGER }) },
      { pagination: { limit: 2, offset: 2 } },
    ],
    [
      'options of the body',
      { options: object({ count: INTEGER, offset: INTEGER }) },
      { options: { count: 2, offset: 2 } },
    ],
  ])('is read from %s', async (_, group, body) => {
    const mock = await openWidgets({ paths: createSearch(group) });
    const { body: answer, status } = await send(mock, '/widgets/search', body);
    expect(status).toBe(200);
    expect(answer).toMatchObject({ widgets: [{ name: 'c' }, { name: 'd' }], total: 5 });
    expect((await send(mock, '/widgets/search', { name: 'b' })).body).toMatchObject({
      widgets: [{ name: 'b' }],
      total: 1,
    });
  });

  it('is read by number beside a token, as the request names it', async () => {
    const parameters = [query('next_page_token'), query('page_number', INTEGER), query('page_size', INTEGER)];
    const mock = await openWidgets({ parameters, envelope: { next_page_token: TEXT, total_records: INTEGER } });
    const names = async (search: string): Promise<unknown> =>
      (await readPage(mock, `/widgets?page_size=2&${search}`)).names;
    expect(await names('page_number=2')).toBe('cd');
    const { body: answer } = await send(mock, '/widgets?page_size=2');
    expect(await names(`next_page_token=${String(readPointer(answer, '/next_page_token'))}`)).toBe('cd');
  });

  it.each([
    ['offset', 'The number of widgets to skip.', '2'],
    ['offset', 'Where the page begins.', '2'],
    ['page', 'Page number.', '2'],
    ['page', 'The page of results.', '2'],
  ])('is read from a number in the string %s, %j', async (name, description, value) => {
    const parameters = [{ ...query(name, TEXT), description }, query('limit', INTEGER)];
    const mock = await openWidgets({ parameters, envelope: { next: TEXT, total: INTEGER } });
    expect((await readPage(mock, `/widgets?limit=2&${name}=${value}`)).names).toBe('cd');
    const first = await send(mock, '/widgets?limit=2');
    const next = String(readPointer(first.body, '/next'));
    // The next page is a URL for a number, and the value for a cursor.
    const url = /^https?:/.test(next) ? next : `/widgets?limit=2&${name}=${encodeURIComponent(next)}`;
    expect((await readPage(mock, url)).names).toBe('cd');
  });

  it('begins with the first page for an empty cursor', async () => {
    const mock = await openWidgets({ parameters: [query('page_token', TEXT)], envelope: { next_page_token: TEXT } });
    expect((await readPage(mock, '/widgets?page_token=')).names).toBe('abcde');
  });

  it('begins with the first page for a cursor from elsewhere, where every request has a cursor', async () => {
    const parameters = [{ ...query('page_token', TEXT), required: true }, query('limit', INTEGER)];
    const mock = await openWidgets({ parameters, envelope: { next_page_token: TEXT } });
    const first = await readPage(mock, '/widgets?limit=3&page_token=start');
    const next = String(readPointer(first.body, '/next_page_token'));
    const second = await readPage(mock, `/widgets?limit=3&page_token=${next}`);
    expect([first.names, second.names]).toEqual(['abc', 'de']);
  });

  it('is announced below `additional_data`', async () => {
    const pagination = object({
      start: INTEGER,
      limit: INTEGER,
      more_items_in_collection: BOOLEAN,
      next_start: INTEGER,
    });
    const mock = await openWidgets({
      parameters: [query('start', INTEGER), query('results', INTEGER)],
      envelope: { additional_data: object({ pagination }) },
    });
    const { body: answer } = await send(mock, '/widgets?results=2');
    expect(readPointer(answer, '/additional_data/pagination')).toMatchObject({
      more_items_in_collection: true,
      next_start: 2,
    });
    const last = await readPage(mock, '/widgets?results=2&start=4');
    expect(last.names).toBe('e');
    expect(readPointer(last.body, '/additional_data/pagination/more_items_in_collection')).toBe(false);
  });

  it('is read although another list comes first in the answer', async () => {
    const error = object({ code: TEXT, detail: TEXT, field: TEXT });
    const mock = await openWidgets({ paths: createSearch({ count: INTEGER }, { errors: arrayOf(error) }) });
    const { body: answer } = await send(mock, '/widgets/search', { count: 2 });
    expect(answer).toMatchObject({ widgets: [{ name: 'a' }, { name: 'b' }], total: 5 });
    expect(answer).not.toMatchObject({ errors: [{}] });
  });

  it('is read from cursors of the body', async () => {
    const mock = await openWidgets({ paths: createSearch({ count: INTEGER, cursor: TEXT }) });
    const first = await readPage(mock, '/widgets/search', { count: 3 });
    const cursor = readPointer(first.body, '/next_cursor');
    const second = await readPage(mock, '/widgets/search', { count: 3, cursor });
    expect([first.names, second.names]).toEqual(['abc', 'de']);
  });

  it('is read from headers', async () => {
    const parameters = [
      { name: 'X-Page', in: 'header', schema: INTEGER },
      { name: 'X-Per-Page', in: 'header', schema: INTEGER },
    ];
    const mock = await openWidgets({ parameters, envelope: { total: INTEGER } });
    const { body: answer } = await send(mock, '/widgets', undefined, { 'x-page': '2', 'x-per-page': '2' });
    expect(answer).toMatchObject({ widgets: [{ name: 'c' }, { name: 'd' }], total: 5 });
  });

  it.each([
    ['page', '/widgets?page=9', PAGE],
    ['offset', '/widgets?offset=99', OFFSET],
  ])('shows no items for a %s beyond the end', async (_, path, parameters) => {
    const mock = await openWidgets({ parameters, envelope: { total: INTEGER } });
    expect((await send(mock, path)).body).toEqual({ widgets: [], total: 5 });
  });
});

describe('a filter', () => {
  const properties = {
    state: { type: 'string', enum: ['open', 'closed'] },
    kind: INTEGER,
    archived: BOOLEAN,
    user: { ...NAMED, properties: { id: TEXT, name: TEXT } },
    labels: { type: 'object', additionalProperties: TEXT },
  };
  const state = query('state', { type: 'string', enum: ['open', 'closed', 'all'], default: 'open' });
  // Items cannot have these values: their kind is a number.
  const kind = query('kind', { type: 'string', enum: ['scheduled', 'live'], default: 'scheduled' });
  const parameters = [state, kind, query('archived', BOOLEAN), query('user_id'), query('name'), query('labelSelector')];
  const summary = object({ id: TEXT, name: TEXT }, 'id', 'name');
  const widgets = [
    {
      name: 'a',
      state: 'open',
      kind: 2,
      archived: false,
      user: { id: 'u1', name: 'Ada' },
      labels: { app: 'shop', tier: 'web' },
    },
    { name: 'b', state: 'closed', archived: true, user: { id: 'u2', name: 'Bo' }, labels: { app: 'shop', tier: 'db' } },
    { name: 'c', state: 'open', archived: true, user: { id: 'u3', name: 'Cy' }, labels: { app: 'desk' } },
  ];
  it.each([
    ['applies its default', '', 'ac'],
    ['shows all items for a value that no item has', 'state=all', 'abc'],
    ['compares a boolean that summaries do not show', 'state=all&archived=true', 'bc'],
    ['compares the id of an object', 'state=all&user_id=u2', 'b'],
    ['compares nothing that items cannot have', 'kind=live', 'ac'],
    ['takes several values', 'state=all&user_id=u1,u3', 'ac'],
    ['takes several names', 'state=all&name=a,b', 'ab'],
    ['takes a selector of labels', 'state=all&labelSelector=app%3Dshop,tier!%3Dweb', 'b'],
  ])('%s', async (_, search, names) => {
    const mock = await openWidgets({ properties, parameters, summary }, { widgets });
    expect((await readPage(mock, `/widgets?${search}`)).names).toBe(names);
  });
});

it('a list of strings has the ids of the items', async () => {
  const mock = await openWidgets({ summary: TEXT }, { widgets: [] });
  const { body: one } = await send(mock, '/widgets', { name: 'a' });
  const { body: other } = await send(mock, '/widgets', { name: 'b' });
  const ids = [one, other].map((each) => readPointer(each, '/id'));
  expect((await send(mock, '/widgets')).body).toEqual({ widgets: ids });
});

it('a list of strings beside a cursor has the ids of the items, if it is called like the path in any spelling', async () => {
  const set = object({ SetName: TEXT, Rules: TEXT }, 'SetName');
  const list = object({ ConfigurationSets: arrayOf(TEXT), NextToken: TEXT });
  const spec = toDocument({
    '/configuration-sets': { get: shows(list), post: takes(set, set, 201) },
    '/configuration-sets/{SetName}': { parameters: [pathParameter('SetName')], get: shows(set) },
  });
  const mock = await createMock({ spec, state: { unknownIds: 'not-found' } });
  await send(mock, '/configuration-sets', { SetName: 'a' });
  expect((await send(mock, '/configuration-sets')).body).toEqual({ ConfigurationSets: ['a'] });
  await mock.close();
});
