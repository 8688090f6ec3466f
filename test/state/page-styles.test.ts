import { describe, expect, it } from 'vitest';
import { readPointer } from '../../src/contract/pointer.js';
import { createMock, type Mock } from '../../src/index.js';
import { content, pathParameter, query, shows, takes, toDocument } from '../operation-parts.js';
import { arrayOf, BOOLEAN, INTEGER, object, type Part, ref, TEXT } from '../schema-parts.js';

/** How a list declares its pages. */
interface Style {
  readonly parameters: readonly Part[];
  readonly envelope?: Part;
  readonly headers?: readonly string[];
  readonly statuses?: Part;
}

/** A service with one list. */
function createSpec({ parameters, envelope = {}, headers = [], statuses = {} }: Style): Part {
  const item = ref('Parcel');
  const list = object({ parcels: arrayOf(item), ...envelope });
  const declared = Object.fromEntries(headers.map((name) => [name, { schema: TEXT }]));
  return toDocument(
    {
      '/parcels': {
        get: {
          parameters,
          responses: { 200: { description: 'a page', headers: declared, content: content(list) }, ...statuses },
        },
        post: takes(object({ name: TEXT }), item, 201),
      },
      '/parcels/{id}': { get: { parameters: [pathParameter('id')], ...shows(item) } },
    },
    { Parcel: { ...object({ id: TEXT, name: TEXT }), required: ['id', 'name'] } },
  );
}

/** Starts a service with five items, `a` to `e`, and one list. */
async function start(style: Style, initialItems = 0): Promise<Mock> {
  const mock = await createMock({ state: { initialItems }, spec: createSpec(style) });
  for (const name of ['a', 'b', 'c', 'd', 'e']) {
    const headers = { 'content-type': 'application/json' };
    const init = { method: 'POST', headers, body: JSON.stringify({ name }) };
    expect((await mock.fetch(new Request('http://parcels.test/parcels', init))).status).toBe(201);
  }
  return mock;
}

interface Page {
  readonly status: number;
  readonly body: unknown;
  readonly headers: Headers;
  readonly names: string;
}

async function get(mock: Mock, path: string): Promise<Page> {
  const response = await mock.fetch(new Request(new URL(path, 'http://parcels.test')));
  const body: unknown = await response.json();
  const found = readPointer(body, '/parcels');
  // The document says that these are parcels.
  const items = Array.isArray(found) ? (found as readonly { readonly name: string }[]) : [];
  const names = items.map(({ name }) => name).join('');
  return { status: response.status, body, headers: response.headers, names };
}

const SIZE = query('limit', { ...INTEGER, default: 2 });

/** The parameter of a cursor, and the pointer to the next one. */
const CURSORS: Readonly<Record<string, Part>> = {
  'an integer': INTEGER,
  'a number in a string': { type: 'string', pattern: '^[0-9]+$' },
  'a short string': { type: 'string', maxLength: 8 },
  'any string': TEXT,
};

describe('a cursor', () => {
  it.each(Object.entries(CURSORS))('that is %s leads through all pages', async (_, schema) => {
    const mock = await start({ parameters: [SIZE, query('cursor', schema)], envelope: { next_cursor: schema } });
    const pages: string[] = [];
    let path = '/parcels';
    for (let page = 1; page <= 3; page++) {
      const { body, names, status } = await get(mock, path);
      expect(status).toBe(200);
      pages.push(names);
      path = `/parcels?cursor=${String(readPointer(body, '/next_cursor'))}`;
    }
    expect(pages).toEqual(['ab', 'cd', 'e']);
    expect(path).toBe('/parcels?cursor=undefined');
  });

  it.each([
    ['iterator', { iterator: TEXT, prevIterator: TEXT, done: BOOLEAN }],
    ['bookmark', { bookmark: TEXT }],
    ['scroll_id', { scroll_id: TEXT }],
    ['resumption_token', { resumption_token: TEXT, isLast: BOOLEAN }],
  ])('called %s leads through all pages by the same name', async (name, envelope) => {
    const mock = await start({ parameters: [SIZE, query(name)], envelope });
    const pages: string[] = [];
    const ends: unknown[] = [];
    let path = '/parcels';
    for (let page = 1; page <= 3; page++) {
      const { body, names } = await get(mock, path);
      pages.push(names);
      ends.push(readPointer(body, '/done') ?? readPointer(body, '/isLast'));
      path = `/parcels?${name}=${String(readPointer(body, `/${name}`))}`;
    }
    expect(pages).toEqual(['ab', 'cd', 'e']);
    expect(path).toBe(`/parcels?${name}=undefined`);
    expect(ends).toEqual('done' in envelope || 'isLast' in envelope ? [false, false, true] : Array(3).fill(undefined));
  });

  it('that is a number is not made of an id with leading zeros', async () => {
    const spec = createSpec({ parameters: [SIZE, query('marker', TEXT)], envelope: { next_marker: INTEGER } });
    const parcels = ['007', '008', '009'].map((id) => ({ id, name: id }));
    const mock = await createMock({ spec, fixtures: { parcels } });
    expect((await get(mock, '/parcels')).body).toMatchObject({ next_marker: 2 });
    expect((await get(mock, '/parcels?marker=2')).names).toBe('009');
  });

  it('and a limit are read in each spelling that the list declares', async () => {
    const parameters = ['max-results', 'next-token', 'MaxResults', 'NextToken'].map((name) =>
      query(name, name === 'max-results' ? INTEGER : TEXT),
    );
    const mock = await start({ parameters, envelope: { NextToken: TEXT } });
    const { body, names } = await get(mock, '/parcels?MaxResults=2');
    expect(names).toBe('ab');
    const token = String(readPointer(body, '/NextToken'));
    expect((await get(mock, `/parcels?max-results=2&NextToken=${token}`)).names).toBe('cd');
  });

  it.each([
    ['400', { 400: { description: 'bad request' } }, 400],
    ['422', { 422: { description: 'unprocessable' } }, 422],
    ['none', {}, 400],
  ])('that is invalid is answered with the declared status: %s', async (_, statuses, status) => {
    const mock = await start({ parameters: [SIZE, query('cursor')], statuses });
    expect((await get(mock, '/parcels?cursor=unknown')).status).toBe(status);
  });
});

describe('a numbered page', () => {
  const NUMBERS = [query('page', { ...INTEGER, minimum: 1 }), query('per_page', { ...INTEGER, default: 2 })];

  it.each([
    ['has a default of 0', { ...INTEGER, default: 0 }],
    ['has a minimum of 0', { ...INTEGER, minimum: 0 }],
    ['is described as zero-based', { ...INTEGER, description: 'The page, zero-based.' }],
  ])('starts at 0 where its parameter %s', async (_, schema) => {
    const envelope = {
      page: object({ number: INTEGER, size: INTEGER, totalElements: INTEGER, totalPages: INTEGER }),
      first: BOOLEAN,
      last: BOOLEAN,
    };
    const mock = await start({
      parameters: [query('page', schema), query('size', { ...INTEGER, default: 2 })],
      envelope,
    });
    const last = await get(mock, '/parcels?page=2');
    expect(last.names).toBe('e');
    expect(last.body).toMatchObject({
      page: { number: 2, size: 2, totalElements: 5, totalPages: 3 },
      first: false,
      last: true,
    });
  });

  it('shows itself in declared headers', async () => {
    const headers = ['X-Total-Count', 'X-Total-Pages', 'X-Page', 'X-Per-Page', 'X-Next-Page', 'X-Prev-Page'];
    const mock = await start({ parameters: NUMBERS, headers });
    const page = await get(mock, '/parcels?page=2');
    expect(headers.map((name) => page.headers.get(name))).toEqual(['5', '3', '2', '2', '3', '1']);
  });

  it('links to the pages around it, with the other parameters', async () => {
    const mock = await start({ parameters: [...NUMBERS, query('name')], headers: ['Link', 'X-RateLimit-Limit'] });
    const link = (number: number, rel: string): string =>
      `<http://localhost/parcels?per_page=2&page=${number}>; rel="${rel}"`;
    const page = await get(mock, '/parcels?page=2&per_page=2');
    expect(page.headers.get('link')).toBe(
      ['<http://localhost/parcels?per_page=2>; rel="first"', link(1, 'prev'), link(3, 'next'), link(3, 'last')].join(
        ', ',
      ),
    );
  });

  it.each([
    ['names with brackets', [query('page[number]', INTEGER), query('page[size]', INTEGER)]],
    ['an object', [{ ...query('page', object({ number: INTEGER, size: INTEGER })), style: 'deepObject' }]],
  ])('is read from %s', async (_, parameters) => {
    const link = { type: 'string', format: 'uri' };
    const mock = await start({ parameters, envelope: { links: object({ next: link, prev: link }) } });
    const page = await get(mock, '/parcels?page[number]=2&page[size]=2');
    expect(page.names).toBe('cd');
    const next = new URL(String(readPointer(page.body, '/links/next')));
    expect(Object.fromEntries(next.searchParams)).toEqual({ 'page[number]': '3', 'page[size]': '2' });
    expect((await get(mock, next.href)).names).toBe('e');
  });
});

describe('an offset', () => {
  it('starts at 1 where its parameter does', async () => {
    const mock = await start({
      parameters: [query('startIndex', { ...INTEGER, minimum: 1 }), query('count', { ...INTEGER, default: 2 })],
      envelope: { totalResults: INTEGER, startIndex: INTEGER, itemsPerPage: INTEGER },
    });
    const page = await get(mock, '/parcels?startIndex=3');
    expect(page.names).toBe('cd');
    expect(page.body).toMatchObject({ totalResults: 5, startIndex: 3, itemsPerPage: 2 });
  });

  it('is a number in a string where its description says so, as the limit', async () => {
    const start_position = query('start_position');
    const count = query('count');
    const mock = await start({
      parameters: [
        { ...count, description: 'The maximum number of results to return.' },
        { ...start_position, description: 'The zero-based index of the first result.' },
      ],
    });
    expect((await get(mock, '/parcels?count=2&start_position=2')).names).toBe('cd');
  });

  it.each([
    ['a default', { default: '0' }],
    ['an example', { examples: ['10'] }],
  ])('is a number in a string that has one as %s', async (_, shown) => {
    const mock = await start({ parameters: [SIZE, query('startAt', { ...TEXT, ...shown })] });
    expect((await get(mock, '/parcels?startAt=2')).names).toBe('cd');
    const pages = await start({ parameters: [SIZE, query('page', { ...TEXT, ...shown, default: '1' })] });
    expect((await get(pages, '/parcels?page=2')).names).toBe('cd');
  });

  it('shows its range in a declared header', async () => {
    const mock = await start({ parameters: [query('offset', INTEGER), SIZE], headers: ['Content-Range'] });
    expect((await get(mock, '/parcels?offset=2')).headers.get('content-range')).toBe('items 2-3/5');
    expect((await get(mock, '/parcels?offset=9')).headers.get('content-range')).toBe('items */5');
  });
});

describe('the URL of the next page', () => {
  const URL_TEXT = { type: 'string', format: 'uri' };

  it.each([
    ['/links/next', { links: object({ next: URL_TEXT }) }],
    ['/nextLink', { nextLink: TEXT }],
  ])('in %s leads through all pages where the list declares a limit alone', async (pointer, envelope) => {
    const mock = await start({ parameters: [SIZE], envelope });
    const pages: string[] = [];
    let path: unknown = '/parcels';
    while (typeof path === 'string') {
      const { body, headers, names, status } = await get(mock, path);
      expect([status, headers.get('x-mock-violations')]).toEqual([200, null]);
      pages.push(names);
      path = readPointer(body, pointer);
    }
    expect(pages).toEqual(['ab', 'cd', 'e']);
  });
});

describe('the parameter that takes what the answer has for the next page', () => {
  const described = (schema: Part): Part => ({ ...query('until', schema), description: '`next` goes here.' });
  const nullable = (type: string): Part => ({ type: [type, 'null'] });

  it.each([
    ['is the one that the description names', described(TEXT), { next: nullable('string') }, '/next'],
    [
      'has a number where the answer has one',
      described(TEXT),
      { page: object({ next: nullable('number') }) },
      '/page/next',
    ],
    ['is an offset that is not a number', query('offset'), { offset: TEXT }, '/offset'],
  ])('%s', async (_, parameter, envelope, pointer) => {
    const mock = await start({ parameters: [parameter, SIZE], envelope });
    const names: string[] = [];
    let turn = '';
    do {
      const page = await get(mock, `/parcels?limit=2${turn}`);
      const next = readPointer(page.body, pointer) as string | number | null | undefined; // as declared
      names.push(page.names);
      turn = next === undefined || next === null ? '' : `&${String(parameter['name'])}=${next}`;
    } while (turn !== '');
    expect(names).toEqual(['ab', 'cd', 'e']);
  });
});

describe('the link to the next page', () => {
  it.each([
    ['absolute', { type: 'string', examples: ['https://api.example/parcels?page=2'] }, /^http:\/\/localhost\//],
    ['relative', { type: 'string', examples: ['/parcels?page=2'] }, /^\/parcels\?/],
    ['absolute for a URI', { type: 'string', format: 'uri' }, /^http:\/\/localhost\//],
  ])('is %s as documented', async (_, next, pattern) => {
    const mock = await start({ parameters: [query('page', INTEGER), SIZE, query('name')], envelope: { next } });
    expect(readPointer((await get(mock, '/parcels?limit=2')).body, '/next')).toMatch(pattern);
  });
});

describe('a search', () => {
  it('shows matches only, also where the mock creates items', async () => {
    const mock = await start({ parameters: [query('q'), query('limit', INTEGER)] }, 3);
    expect((await get(mock, '/parcels?q=nothing-has-this')).names).toBe('');
    const all = await get(mock, '/parcels');
    const [first] = readPointer(all.body, '/parcels') as readonly { readonly id: string; readonly name: string }[];
    expect((await get(mock, `/parcels?q=${first?.id ?? ''}`)).names).toBe(first?.name);
  });
});
