import { expect, it } from 'vitest';
import { json, openMock } from './open-mock.js';
import { TEXT, INTEGER, arrayOf, object, BOOLEAN, content } from '../document-parts.js';

const query = (name: string, schema: object) => ({ name, in: 'query', schema });
const CURSOR = query('cursor', TEXT);
const LIMIT = query('limit', INTEGER);
const members = arrayOf(TEXT);

/** A list whose example has three members and names a next page. */
function toList(parameters: readonly object[], schema: object, example: object) {
  return { get: { parameters, responses: { 200: json(schema, { example }) } } };
}

const PATHS = {
  '/users.list': toList(
    [CURSOR, LIMIT],
    object({ members, response_metadata: object({ next_cursor: TEXT }) }, 'members'),
    { members: ['a', 'b', 'c'], response_metadata: { next_cursor: 'x' } },
  ),
  '/filled.list': toList(
    [query('page', INTEGER)],
    object({ members: { ...members, minItems: 1 }, next: TEXT, has_more: BOOLEAN }, 'members', 'next'),
    { members: ['a'], next: '2', has_more: true },
  ),
  '/words': toList([query('offset', INTEGER), LIMIT], members, ['a', 'b', 'c']),
  '/ids': { get: { parameters: [query('count', INTEGER)], responses: { 200: json(object({ ids: members }, 'ids')) } } },
  '/tables': {
    post: {
      requestBody: { content: content({ properties: { ExclusiveStartTableName: TEXT } }) },
      responses: {
        200: json(object({ TableNames: members, LastEvaluatedTableName: TEXT }), {
          example: { TableNames: ['a'], LastEvaluatedTableName: 'a' },
        }),
      },
    },
  },
};

it.each<[string, string, object | undefined, unknown]>([
  ['the first page', '/users.list', undefined, { members: ['a', 'b', 'c'], response_metadata: { next_cursor: 'x' } }],
  ['fewer items', '/users.list?limit=2', undefined, { members: ['a', 'b'], response_metadata: { next_cursor: 'x' } }],
  ['the page of a cursor', '/users.list?cursor=x', undefined, { members: [], response_metadata: {} }],
  ['a list that must not be empty', '/filled.list?page=2', undefined, { members: ['a'], next: '', has_more: false }],
  ['its first page', '/filled.list?page=1', undefined, { members: ['a'], next: '2', has_more: true }],
  ['an array after an offset', '/words?offset=2', undefined, []],
  ['an array from its start', '/words?offset=0&limit=1', undefined, ['a']],
  ['a cursor in the body', '/tables', { ExclusiveStartTableName: 'a' }, { TableNames: [] }],
])('lists without state have one page: %s', async (_name, path, body, want) => {
  const mock = await openMock(PATHS);
  const init = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
  const response = await mock.fetch(path, { ...init, headers: { 'content-type': 'application/json' } });
  expect(await response.json()).toEqual(want);
});

it('an array of generated values has at most as many as the request asks for', async () => {
  const mock = await openMock(PATHS);
  const response = await mock.fetch('/ids?count=1');
  expect(await response.json()).toEqual({ ids: [expect.any(String)] });
});

it('verbatim examples stay as they are', async () => {
  const mock = await openMock(PATHS, {}, { responses: { examples: 'verbatim' } });
  const response = await mock.fetch('/users.list?cursor=x');
  expect(await response.json()).toMatchObject({ members: ['a', 'b', 'c'] });
});
