import { expect, it } from 'vitest';
import type { Mock, MockOptions } from '../../src/index.js';
import { json, openMock } from './open-mock.js';

const user = {
  type: 'object',
  required: ['id', 'team'],
  properties: { id: { const: 'u 1' }, team: { const: 7 }, tags: { const: ['a', 'b/c'] }, empty: { const: '' } },
};

const text = { schema: { type: 'string' } };

const PATHS = {
  '/users/{userId}': {
    parameters: [{ name: 'userId', in: 'path', required: true, ...text }],
    get: { operationId: 'readUser', responses: { 200: json(user) } },
  },
  '/teams/{id}.{format}/users': {
    get: {
      operationId: 'listTeam',
      parameters: [
        { name: 'id', in: 'path', required: true, ...text },
        { name: 'format', in: 'path', required: true, ...text },
        { name: 'id', in: 'query', ...text },
        { name: 'tags', in: 'query', schema: { type: 'array', items: { type: 'string' } } },
      ],
      responses: { 200: json(user) },
    },
  },
};

type Links = Readonly<Record<string, unknown>>;

/** A mock whose `POST /things/{thingId}` declares these links for its success and its refusal. */
function openLinked(links: Links, options: Partial<MockOptions> = {}): Promise<Mock> {
  const refusal = json({ type: 'object', properties: { id: { const: 'u 1' } }, required: ['id'] });
  const post = {
    operationId: 'addThing',
    parameters: [
      { name: 'thingId', in: 'path', required: true, ...text },
      { name: 'page', in: 'query', ...text },
    ],
    requestBody: { content: { 'application/json': { schema: { type: 'object' } } } },
    responses: {
      201: { ...json(user), headers: { 'X-Next': { schema: { const: 'n1' } } }, links },
      400: { ...refusal, links },
    },
  };
  const servers = [{ url: 'https://api.test/v1' }];
  return openMock({ ...PATHS, '/things/{thingId}': { post } }, { servers }, options);
}

async function ask(mock: Mock, path = '/things/t1?page=2', body = '{"owner":{"id":"o1"}}'): Promise<string | null> {
  const headers = { 'content-type': 'application/json', 'x-kind': 'k' };
  return (await mock.fetch(path, { method: 'POST', headers, body })).headers.get('link');
}

const toUser = (userId: unknown): Links => ({ operationId: 'readUser', parameters: { userId } });

it.each<readonly [string, Links, string | null]>([
  ['a literal', toUser('me'), '</users/me>; rel="one"'],
  ['a number', toUser(5), '</users/5>; rel="one"'],
  ['a member of the answer', toUser('$response.body#/id'), '</users/u%201>; rel="one"'],
  ['a list of the answer', toUser('$response.body#/tags'), '</users/a,b%2Fc>; rel="one"'],
  ['a header of the answer', toUser('$response.header.x-next'), '</users/n1>; rel="one"'],
  ['a path parameter', toUser('$request.path.thingId'), '</users/t1>; rel="one"'],
  ['a query parameter', toUser('$request.query.page'), '</users/2>; rel="one"'],
  ['a header of the request', toUser('$request.header.X-Kind'), '</users/k>; rel="one"'],
  ['a member of the request', toUser('$request.body#/owner/id'), '</users/o1>; rel="one"'],
  ['the method and the status, in braces', toUser('{$method}-{$statusCode}'), '</users/POST-201>; rel="one"'],
  ['the address', toUser('$url'), '</users/%2Fthings%2Ft1%3Fpage%3D2>; rel="one"'],
  [
    'names in two places, a mixed segment and a query',
    {
      operationRef: '#/paths/~1teams~1{id}.{format}~1users/get',
      parameters: { 'path.id': '$response.body#/team', format: 'json', 'query.id': 'q&', tags: ['a', 'b'] },
    },
    '</teams/7.json/users?id=q%26&tags=a&tags=b>; rel="one"',
  ],
  ['a member that is not there', toUser('$response.body#/gone'), null],
  ['a member that is empty', toUser('$response.body#/empty'), null],
  ['the whole body, which is an object', toUser('$response.body'), null],
  ['something inherited', toUser('$request.query.constructor'), null],
  ['an expression that is none', toUser('$response.id'), null],
  ['one missing in braces', toUser('a{$request.query.gone}'), null],
  ['no parameter at all', { operationId: 'readUser' }, null],
  ['a parameter the operation does not have', { operationId: 'readUser', parameters: { id: 'x' } }, null],
  ['an operation that is not there', { operationId: 'readUsers' }, null],
  ['a reference that leads nowhere', { operationRef: '#/paths/~1nowhere/get' }, null],
])('links that a response declares: %s', async (_name, link, want) => {
  const mock = await openLinked({ one: link });
  expect(await ask(mock)).toBe(want);
  const left = mock.journal.last()?.trace.filter((line) => line.startsWith('link "one" is left out: '));
  expect(left).toHaveLength(want === null ? 1 : 0);
});

it('links that a response declares are in one header, with the base path and the session of the call', async () => {
  const mock = await openLinked({ me: toUser('me'), 'a "b"': toUser('you'), gone: toUser('$request.query.gone') });
  expect(await ask(mock, '/~s1/v1/things/t1')).toBe(
    String.raw`</~s1/v1/users/me>; rel="me", </~s1/v1/users/you>; rel="a \"b\""`,
  );
});

it('links that a response declares are added to those that a handler sets, and can be followed', async () => {
  const handlers: MockOptions['handlers'] = {
    addThing: ({ complete }) => complete({}, { status: 201, headers: { Link: '</x>; rel="self"' } }),
  };
  const mock = await openLinked({ me: toUser('$response.body#/id') }, { handlers });
  expect(await ask(mock)).toBe('</x>; rel="self", </users/u%201>; rel="me"');
  expect((await mock.fetch('/users/u%201')).status).toBe(200);
});

it('links that a response declares are sent with a success only', async () => {
  const mock = await openLinked({ me: toUser('me') });
  expect(await ask(mock, '/things/t1', '{')).toBeNull();
  expect((await mock.fetch('/users/me')).headers.get('link')).toBeNull();
});
