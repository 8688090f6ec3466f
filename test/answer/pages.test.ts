import { expect, it } from 'vitest';
import { json, openMock } from './open-mock.js';

const query = (name: string, schema: object) => ({ name, in: 'query', schema });
const CURSOR = query('cursor', { type: 'string' });
const LIMIT = query('limit', { type: 'integer' });
const members = { type: 'array', items: { type: 'string' } };

/** A list whose example has three members and names a next page. */
function toList(parameters: readonly object[], schema: object, example: object) {
  return { get: { parameters, responses: { 200: json(schema, { example }) } } };
}

const PATHS = {
  '/users.list': toList(
    [CURSOR, LIMIT],
    {
      type: 'object',
      required: ['members'],
      properties: { members, response_metadata: { type: 'object', properties: { next_cursor: { type: 'string' } } } },
    },
    { members: ['a', 'b', 'c'], response_metadata: { next_cursor: 'x' } },
  ),
  '/filled.list': toList(
    [query('page', { type: 'integer' })],
    {
      type: 'object',
      required: ['members', 'next'],
      properties: { members: { ...members, minItems: 1 }, next: { type: 'string' }, has_more: { type: 'boolean' } },
    },
    { members: ['a'], next: '2', has_more: true },
  ),
  '/words': toList([query('offset', { type: 'integer' }), LIMIT], members, ['a', 'b', 'c']),
  '/ids': {
    get: {
      parameters: [query('count', { type: 'integer' })],
      responses: { 200: json({ type: 'object', required: ['ids'], properties: { ids: members } }) },
    },
  },
  '/tables': {
    post: {
      requestBody: {
        content: {
          'application/json': { schema: { properties: { ExclusiveStartTableName: { type: 'string' } } } },
        },
      },
      responses: {
        200: json(
          { type: 'object', properties: { TableNames: members, LastEvaluatedTableName: { type: 'string' } } },
          { example: { TableNames: ['a'], LastEvaluatedTableName: 'a' } },
        ),
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
