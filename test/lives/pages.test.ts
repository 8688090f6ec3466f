import { describe, expect, it } from 'vitest';
import { inPath, query, shows, takes, toDocument } from '../operation-parts.js';
import { arrayOf, BOOLEAN, INTEGER, NUMBER, object, type Part, ref, TEXT } from '../schema-parts.js';
import { openShop, type Reply, type Shop } from '../state/shop.js';

const Boat = object({ id: { ...INTEGER, readOnly: true }, name: TEXT }, 'id', 'name');
const BOATS = arrayOf(ref('Boat'));

/** A shop with some boats whose list has these parameters and this envelope. */
async function openBoats(count: number, parameters: readonly object[], envelope: object): Promise<Shop> {
  const spec = toDocument(
    {
      '/boats': {
        get: { parameters, ...shows(envelope) },
        post: takes(object({ name: TEXT }, 'name'), ref('Boat'), 201),
      },
      '/boats/search': { get: { parameters: [...parameters, query('q')], ...shows(envelope) } },
      '/boats/{id}': { ...inPath('id'), get: shows(ref('Boat')) },
    },
    { Boat },
  );
  const shop = await openShop({ spec });
  for (let i = 1; i <= count; i++) await shop.send('POST', '/boats', { name: `Boat ${i}` });
  return shop;
}

const readIds = ({ body }: Reply, name = 'items'): readonly unknown[] =>
  (body[name] as readonly Part[]).map(({ id }) => id);
const PAGES = [query('page', INTEGER), query('pageSize', INTEGER)];
const example = (schema: object, value: unknown): object => ({ ...schema, example: value });

describe('a page whose size is 0 by default', () => {
  const envelope = object({
    items: BOATS,
    page: INTEGER,
    size: INTEGER,
    total: INTEGER,
    totalPages: INTEGER,
    last: BOOLEAN,
  });
  const told = (text: string): object => ({ ...query('size', INTEGER), description: text });
  const page = { ...query('page', INTEGER), description: 'The page. Default is 0.' };

  it.each([
    ['by its description', told('The size. Default is 0.')],
    ['by its schema', query('size', { ...INTEGER, default: 0 })],
  ])('has all items, %s', async (_, size) => {
    const { send } = await openBoats(23, [page, size], envelope);
    for (const path of ['/boats', '/boats?size=0', '/boats?page=1'] as const) {
      const answer = await send('GET', path);
      expect(readIds(answer)).toHaveLength(23);
      expect(answer.body).toMatchObject({ page: 0, total: 23, totalPages: 1, last: true });
    }
    const second = await send('GET', '/boats?page=1&size=20');
    expect(readIds(second)).toEqual([21, 22, 23]);
    expect(second.body).toMatchObject({ page: 1, size: 20, totalPages: 2, last: true });
  });

  it('has another size where that is the default', async () => {
    const { send } = await openBoats(6, [page, told('The size. Default is 5.')], envelope);
    expect(readIds(await send('GET', '/boats'))).toHaveLength(5);
    expect(readIds(await send('GET', '/boats?size=0'))).toEqual([]);
  });
});

describe('flags of a page', () => {
  const flags =
    'first last isFirstPage isLastPage hasNext hasPrevious has_next_page has_prev_page empty next prev'.split(' ');
  const envelope = object(
    { items: BOATS, ...Object.fromEntries(flags.map((name) => [name, example(BOOLEAN, true)])) },
    'items',
    ...flags,
  );

  it.each([
    ['the first', '?page=1&pageSize=2', 'first isFirstPage hasNext has_next_page next'],
    ['the second', '?page=2&pageSize=2', 'hasNext hasPrevious has_next_page has_prev_page next prev'],
    ['the last', '?page=3&pageSize=2', 'last isLastPage hasPrevious has_prev_page prev'],
    ['the one behind it', '?page=4&pageSize=2', 'last isLastPage hasPrevious has_prev_page prev empty'],
  ])('are true of %s page', async (_, search, wanted) => {
    const { send } = await openBoats(5, PAGES, envelope);
    const { body } = await send('GET', `/boats${search}`);
    expect(flags.filter((name) => body[name] === true)).toEqual(
      flags.filter((name) => wanted.split(' ').includes(name)),
    );
  });

  it('are true of an empty list', async () => {
    const { send } = await openBoats(0, PAGES, envelope);
    const { body } = await send('GET', '/boats');
    expect(flags.filter((name) => body[name] === true)).toEqual([
      'first',
      'last',
      'isFirstPage',
      'isLastPage',
      'empty',
    ]);
  });
});

describe('numbers of a page', () => {
  it.each([
    ['itemsTotal pagesTotal', [5, 3]],
    ['total totalPages', [5, 3]],
    ['totalBoats numberOfPages', [5, 3]],
    ['boatCount', [5]],
    ['totalBoats boatCount', [5, 2]],
    ['found', [5]],
    ['num_found nbPages', [5, 3]],
    ['pages results', [3, 5]],
  ])('%s count the items of the list and its pages', async (names, numbers) => {
    const all = names.split(' ');
    const envelope = object(
      { items: BOATS, ...Object.fromEntries(all.map((name) => [name, INTEGER])) },
      'items',
      ...all,
    );
    const { send } = await openBoats(5, PAGES, envelope);
    for (const path of ['/boats?page=1&pageSize=2', '/boats/search?page=1&pageSize=2&q=Boat'] as const) {
      const { body } = await send('GET', path);
      expect(all.map((name) => body[name])).toEqual(numbers);
    }
    const { body } = await send('GET', '/boats/search?page=1&pageSize=2&q=none');
    expect(all.map((name) => body[name])).toEqual(numbers.map(() => 0));
  });

  it('begin with 1 beside the members of SCIM', async () => {
    const members = { Resources: BOATS, totalResults: INTEGER, startIndex: INTEGER };
    const parameters = [query('startIndex', INTEGER), query('count', INTEGER)];
    const { send } = await openBoats(5, parameters, object({ ...members, itemsPerPage: INTEGER }));
    expect((await send('GET', '/boats?count=2')).body).toMatchObject({ startIndex: 1, itemsPerPage: 2 });
    expect((await send('GET', '/boats?startIndex=5&count=2')).body['Resources']).toHaveLength(1);
    const plain = await openBoats(5, parameters, object(members));
    expect((await plain.send('GET', '/boats?count=2')).body).toMatchObject({ startIndex: 0 });
  });

  it('are those of the request: its number and its size', async () => {
    const envelope = object({ content: BOATS, number: INTEGER, size: INTEGER, numberOfElements: INTEGER });
    const { send } = await openBoats(3, [query('page', { ...INTEGER, default: 0 }), query('size', INTEGER)], envelope);
    expect((await send('GET', '/boats?page=1&size=2')).body).toMatchObject({ number: 1, size: 2, numberOfElements: 1 });
    expect((await send('GET', '/boats?page=9&size=2')).body).toMatchObject({ number: 9, size: 2, numberOfElements: 0 });
  });

  it('are not those of other objects, nor flags', async () => {
    const envelope = object(
      {
        items: BOATS,
        found: { ...BOOLEAN, enum: [true] },
        cart: object({ total: example(NUMBER, 12.5) }, 'total'),
        quota: object({ limit: example(INTEGER, 900), remaining: example(INTEGER, 899) }, 'limit', 'remaining'),
        period: object({ from: example(TEXT, 'May'), to: example(TEXT, 'June') }, 'from', 'to'),
      },
      'items',
      'found',
      'cart',
      'quota',
      'period',
    );
    const { send } = await openBoats(2, PAGES, envelope);
    expect((await send('GET', '/boats')).body).toMatchObject({
      found: true,
      cart: { total: 12.5 },
      quota: { limit: 900, remaining: 899 },
      period: { from: 'May', to: 'June' },
    });
  });
});

describe('where the next page is', () => {
  const cursor = (value: string): object => ({ type: ['string', 'null'], example: value });
  const position = object({ before: cursor('boat_1'), after: cursor('boat_9') }, 'before', 'after');
  const parameters = [query('limit', INTEGER), query('after'), query('before')];

  it.each(['list_metadata', 'window', 'cursors'])('is in "%s", whatever its examples are', async (name) => {
    const { send } = await openBoats(3, parameters, object({ data: BOATS, [name]: position }, 'data', name));
    const first = (await send('GET', '/boats?limit=2')).body;
    expect(first[name]).toEqual({ before: null, after: '2' });
    const last = await send('GET', '/boats?limit=2&after=2');
    expect(readIds(last, 'data')).toEqual([3]);
    expect(last.body[name]).toEqual({ before: '3', after: null });
    const { body } = await (
      await openBoats(0, parameters, object({ data: BOATS, [name]: position }))
    ).send('GET', '/boats');
    expect(body[name]).toEqual({ before: null, after: null });
  });
});

it.each([
  ['page', ['page', 'pageSize', 'limit', 'offset']],
  ['offset', ['limit', 'offset', 'page', 'pageSize']],
])('a list with two ways to its pages, %s first, follows the one that the request takes', async (_, names) => {
  const parameters = names.map((name) => query(name, INTEGER));
  const { send } = await openBoats(
    5,
    parameters,
    object({ items: BOATS, page: INTEGER, limit: INTEGER, offset: INTEGER }),
  );
  const read = async (search: string): Promise<readonly unknown[]> => readIds(await send('GET', `/boats?${search}`));
  expect(await read('page=2&pageSize=2')).toEqual([3, 4]);
  expect(await read('offset=1&limit=3')).toEqual([2, 3, 4]);
  expect(await read('pageSize=1')).toEqual([1]);
  expect(await read('limit=2')).toEqual([1, 2]);
});

it('the parameters of a page may be in brackets', async () => {
  const names = ['paging[page]', 'paging[pageSize]'].map((name) => query(name, INTEGER));
  const { send } = await openBoats(
    3,
    names,
    object({ items: BOATS, paging: object({ page: INTEGER, total: INTEGER }) }),
  );
  const last = await send('GET', '/boats?paging[page]=2&paging[pageSize]=2');
  expect(readIds(last)).toEqual([3]);
  expect(last.body['paging']).toEqual({ page: 2, total: 3 });
});

it('positions beside the number of a page are counted from 1, as in documents of Laravel', async () => {
  const meta = object({
    current_page: INTEGER,
    from: { type: ['integer', 'null'] },
    to: { type: ['integer', 'null'] },
  });
  const parameters = [query('page', INTEGER), query('per_page', INTEGER)];
  const { send } = await openBoats(3, parameters, object({ items: BOATS, meta }));
  const read = async (search: string): Promise<unknown> => (await send('GET', `/boats?${search}`)).body['meta'];
  expect(await read('per_page=2')).toEqual({ current_page: 1, from: 1, to: 2 });
  expect(await read('per_page=2&page=2')).toEqual({ current_page: 2, from: 3, to: 3 });
  expect(await read('per_page=2&page=3')).toEqual({ current_page: 3, from: null, to: null });
});

it('a link that is required and can be null is null where there is no such page', async () => {
  const link = { ...object({ href: TEXT, type: TEXT }), type: ['object', 'null'] };
  const _links = object({ self: object({ href: TEXT }), previous: link, next: link }, 'self', 'previous', 'next');
  const { send } = await openBoats(3, [query('limit', INTEGER), query('from')], object({ items: BOATS, _links }));
  const first = (await send('GET', '/boats?limit=2')).body['_links'] as Record<string, Part>;
  expect(first).toMatchObject({ previous: null, next: { href: expect.any(String) } });
  const { pathname, search } = new URL(String(first['next']?.['href']));
  expect((await send('GET', (pathname + search) as '/boats')).body['_links']).toMatchObject({ next: null });
});

it.each([
  ['Use -1 for all.', 23],
  ['How many boats, not -1.5.', 20],
  ['How many boats.', 20],
])('a limit of -1 where the description is "%s" shows %d items', async (description, wanted) => {
  const { send } = await openBoats(23, [{ ...query('limit', INTEGER), description }], BOATS);
  expect((await send('GET', '/boats?limit=-1')).list).toHaveLength(wanted);
  expect((await send('GET', '/boats?limit=2')).list).toHaveLength(2);
});

it('the members of an object in the query are the parameters of a page', async () => {
  const group = { ...query('pagination', object({ page: INTEGER, pageSize: INTEGER })), style: 'deepObject' };
  const pagination = object({ page: INTEGER, pageSize: INTEGER, pageCount: INTEGER, total: INTEGER });
  const { send } = await openBoats(4, [group], object({ items: BOATS, meta: object({ pagination }) }));
  const answer = await send('GET', '/boats?pagination[page]=2&pagination[pageSize]=3');
  expect(readIds(answer)).toEqual([4]);
  expect(answer.body['meta']).toEqual({ pagination: { page: 2, pageSize: 3, pageCount: 2, total: 4 } });
});

describe('pages of Spring', () => {
  const page = object({ number: INTEGER, size: INTEGER, totalElements: INTEGER, totalPages: INTEGER });
  const parameters = (first: object): readonly object[] => [
    query('page', { ...INTEGER, ...first }),
    query('size', INTEGER),
  ];

  it('begin with 0, flat and in an object', async () => {
    const flat = object({ content: BOATS, number: INTEGER, totalElements: INTEGER, last: { type: 'boolean' } });
    const { send } = await openBoats(3, parameters({}), flat);
    expect(readIds(await send('GET', '/boats?page=0&size=2'), 'content')).toEqual([1, 2]);
    const last = await send('GET', '/boats?page=1&size=2');
    expect([readIds(last, 'content'), last.body['number'], last.body['last']]).toEqual([[3], 1, true]);
    const inner = await openBoats(3, parameters({}), object({ items: BOATS, page }));
    expect(readIds(await inner.send('GET', '/boats?page=1&size=2'))).toEqual([3]);
  });

  it('begin with 1 where the parameter says so', async () => {
    const { send } = await openBoats(3, parameters({ default: 1 }), object({ items: BOATS, page }));
    expect(readIds(await send('GET', '/boats?page=1&size=2'))).toEqual([1, 2]);
  });
});
