import { describe, expect, it } from 'vitest';
import { readPointer } from '../../src/contract/pointer.js';
import { createMock } from '../../src/index.js';
import { query } from '../operation-parts.js';
import { BOOLEAN, INTEGER, object, type Part, TEXT } from '../schema-parts.js';
import {
  createWidgetDocument,
  openWidgets,
  readPage,
  toNextPath,
  toSize,
  walkPages,
  type WidgetPage,
} from './widgets.js';

const SIZE = toSize('limit');

/** The names on the pages of five widgets. */
const NAMES = ['ab', 'cd', 'e'];

const toNames = (pages: readonly WidgetPage[]): readonly string[] => pages.map(({ names }) => names);

/** The parameter of a cursor, and the pointer to the next one. */
const CURSORS: Readonly<Record<string, Part>> = {
  'an integer': INTEGER,
  'a number in a string': { type: 'string', pattern: '^[0-9]+$' },
  'a short string': { type: 'string', maxLength: 8 },
  'any string': TEXT,
};

describe('a cursor', () => {
  it.each(Object.entries(CURSORS))('that is %s leads through all pages', async (_, schema) => {
    const mock = await openWidgets({ parameters: [SIZE, query('cursor', schema)], envelope: { next_cursor: schema } });
    const pages = await walkPages(mock, '/widgets', ({ body }) => toNextPath('/widgets?cursor=', body['next_cursor']));
    expect(toNames(pages)).toEqual(NAMES);
    expect(pages.at(-1)?.body).not.toHaveProperty('next_cursor');
  });

  it.each([
    ['iterator', { iterator: TEXT, prevIterator: TEXT, done: BOOLEAN }],
    ['bookmark', { bookmark: TEXT }],
    ['scroll_id', { scroll_id: TEXT }],
    ['resumption_token', { resumption_token: TEXT, isLast: BOOLEAN }],
  ])('called %s leads through all pages by the same name', async (name, envelope) => {
    const mock = await openWidgets({ parameters: [SIZE, query(name)], envelope });
    const pages = await walkPages(mock, '/widgets', ({ body }) => toNextPath(`/widgets?${name}=`, body[name]));
    expect(toNames(pages)).toEqual(NAMES);
    expect(pages.at(-1)?.body).not.toHaveProperty(name);
    const ends = pages.map(({ body }) => body['done'] ?? body['isLast']);
    expect(ends).toEqual('done' in envelope || 'isLast' in envelope ? [false, false, true] : Array(3).fill(undefined));
  });

  it('that is a number is not made of an id with leading zeros', async () => {
    const spec = createWidgetDocument({
      parameters: [SIZE, query('marker', TEXT)],
      envelope: { next_marker: INTEGER },
    });
    const widgets = ['007', '008', '009'].map((id) => ({ id, name: id }));
    const mock = await createMock({ spec, fixtures: { widgets } });
    expect((await readPage(mock, '/widgets')).body).toMatchObject({ next_marker: 2 });
    expect((await readPage(mock, '/widgets?marker=2')).names).toBe('009');
  });

  it('and a limit are read in each spelling that the list declares', async () => {
    const parameters = ['max-results', 'next-token', 'MaxResults', 'NextToken'].map((name) =>
      query(name, name === 'max-results' ? INTEGER : TEXT),
    );
    const mock = await openWidgets({ parameters, envelope: { NextToken: TEXT } });
    const { body, names } = await readPage(mock, '/widgets?MaxResults=2');
    expect(names).toBe('ab');
    const token = String(readPointer(body, '/NextToken'));
    expect((await readPage(mock, `/widgets?max-results=2&NextToken=${token}`)).names).toBe('cd');
  });

  it.each([
    ['400', { 400: { description: 'bad request' } }, 400],
    ['422', { 422: { description: 'unprocessable' } }, 422],
    ['none', {}, 400],
  ])('that is invalid is answered with the declared status: %s', async (_, statuses, status) => {
    const mock = await openWidgets({ parameters: [SIZE, query('cursor')], statuses });
    expect((await readPage(mock, '/widgets?cursor=unknown')).status).toBe(status);
  });
});

describe('a numbered page', () => {
  const NUMBERS = [query('page', { ...INTEGER, minimum: 1 }), toSize('per_page')];

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
    const mock = await openWidgets({
      parameters: [query('page', schema), toSize('size')],
      envelope,
    });
    const last = await readPage(mock, '/widgets?page=2');
    expect(last.names).toBe('e');
    expect(last.body).toMatchObject({
      page: { number: 2, size: 2, totalElements: 5, totalPages: 3 },
      first: false,
      last: true,
    });
  });

  it('shows itself in declared headers', async () => {
    const headers = ['X-Total-Count', 'X-Total-Pages', 'X-Page', 'X-Per-Page', 'X-Next-Page', 'X-Prev-Page'];
    const mock = await openWidgets({ parameters: NUMBERS, headers });
    const page = await readPage(mock, '/widgets?page=2');
    expect(headers.map((name) => page.headers.get(name))).toEqual(['5', '3', '2', '2', '3', '1']);
  });

  it('links to the pages around it, with the other parameters', async () => {
    const mock = await openWidgets({ parameters: [...NUMBERS, query('name')], headers: ['Link', 'X-RateLimit-Limit'] });
    const link = (number: number, rel: string): string =>
      `<http://localhost/widgets?per_page=2&page=${number}>; rel="${rel}"`;
    const page = await readPage(mock, '/widgets?page=2&per_page=2');
    expect(page.headers.get('link')).toBe(
      ['<http://localhost/widgets?per_page=2>; rel="first"', link(1, 'prev'), link(3, 'next'), link(3, 'last')].join(
        ', ',
      ),
    );
  });

  it.each([
    ['names with brackets', [query('page[number]', INTEGER), query('page[size]', INTEGER)]],
    ['an object', [{ ...query('page', object({ number: INTEGER, size: INTEGER })), style: 'deepObject' }]],
  ])('is read from %s', async (_, parameters) => {
    const link = { type: 'string', format: 'uri' };
    const mock = await openWidgets({ parameters, envelope: { links: object({ next: link, prev: link }) } });
    const page = await readPage(mock, '/widgets?page[number]=2&page[size]=2');
    expect(page.names).toBe('cd');
    const next = new URL(String(readPointer(page.body, '/links/next')));
    expect(Object.fromEntries(next.searchParams)).toEqual({ 'page[number]': '3', 'page[size]': '2' });
    expect((await readPage(mock, next.href)).names).toBe('e');
  });
});

describe('an offset', () => {
  it('starts at 1 where its parameter does', async () => {
    const mock = await openWidgets({
      parameters: [query('startIndex', { ...INTEGER, minimum: 1 }), toSize('count')],
      envelope: { totalResults: INTEGER, startIndex: INTEGER, itemsPerPage: INTEGER },
    });
    const page = await readPage(mock, '/widgets?startIndex=3');
    expect(page.names).toBe('cd');
    expect(page.body).toMatchObject({ totalResults: 5, startIndex: 3, itemsPerPage: 2 });
  });

  it('is a number in a string where its description says so, as the limit', async () => {
    const start_position = query('start_position');
    const count = query('count');
    const mock = await openWidgets({
      parameters: [
        { ...count, description: 'The maximum number of results to return.' },
        { ...start_position, description: 'The zero-based index of the first result.' },
      ],
    });
    expect((await readPage(mock, '/widgets?count=2&start_position=2')).names).toBe('cd');
  });

  it.each([
    ['a default', { default: '0' }],
    ['an example', { examples: ['10'] }],
  ])('is a number in a string that has one as %s', async (_, shown) => {
    const mock = await openWidgets({ parameters: [SIZE, query('startAt', { ...TEXT, ...shown })] });
    expect((await readPage(mock, '/widgets?startAt=2')).names).toBe('cd');
    const pages = await openWidgets({ parameters: [SIZE, query('page', { ...TEXT, ...shown, default: '1' })] });
    expect((await readPage(pages, '/widgets?page=2')).names).toBe('cd');
  });

  it('shows its range in a declared header', async () => {
    const mock = await openWidgets({ parameters: [query('offset', INTEGER), SIZE], headers: ['Content-Range'] });
    expect((await readPage(mock, '/widgets?offset=2')).headers.get('content-range')).toBe('items 2-3/5');
    expect((await readPage(mock, '/widgets?offset=9')).headers.get('content-range')).toBe('items */5');
  });
});

describe('the URL of the next page', () => {
  const URL_TEXT = { type: 'string', format: 'uri' };

  it.each([
    ['/links/next', { links: object({ next: URL_TEXT }) }],
    ['/nextLink', { nextLink: TEXT }],
  ])('in %s leads through all pages where the list declares a limit alone', async (pointer, envelope) => {
    const mock = await openWidgets({ parameters: [SIZE], envelope });
    const pages = await walkPages(mock, '/widgets', ({ body }) => {
      const next = readPointer(body, pointer);
      return typeof next === 'string' ? next : undefined;
    });
    expect(toNames(pages)).toEqual(NAMES);
    expect(pages.map(({ headers }) => headers.get('x-mock-violations'))).toEqual([null, null, null]);
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
    const mock = await openWidgets({ parameters: [parameter, SIZE], envelope });
    const next = `/widgets?limit=2&${String(parameter['name'])}=`;
    const pages = await walkPages(mock, '/widgets?limit=2', ({ body }) => toNextPath(next, readPointer(body, pointer)));
    expect(toNames(pages)).toEqual(NAMES);
  });
});

describe('the link to the next page', () => {
  it.each([
    ['absolute', { type: 'string', examples: ['https://api.example/widgets?page=2'] }, /^http:\/\/localhost\//],
    ['relative', { type: 'string', examples: ['/widgets?page=2'] }, /^\/widgets\?/],
    ['absolute for a URI', { type: 'string', format: 'uri' }, /^http:\/\/localhost\//],
  ])('is %s as documented', async (_, next, pattern) => {
    const mock = await openWidgets({ parameters: [query('page', INTEGER), SIZE, query('name')], envelope: { next } });
    expect(readPointer((await readPage(mock, '/widgets?limit=2')).body, '/next')).toMatch(pattern);
  });
});

describe('a search', () => {
  it('shows matches only, also where the mock creates items', async () => {
    const mock = await openWidgets({ parameters: [query('q'), query('limit', INTEGER)] }, { initialItems: 3 });
    expect((await readPage(mock, '/widgets?q=nothing-has-this')).names).toBe('');
    const all = await readPage(mock, '/widgets');
    const [first] = readPointer(all.body, '/widgets') as readonly { readonly id: string; readonly name: string }[];
    expect((await readPage(mock, `/widgets?q=${first?.id ?? ''}`)).names).toBe(first?.name);
  });
});
