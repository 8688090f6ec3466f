import { expect, it } from 'vitest';
import { createMock, type Mock } from '../../src/index.js';
import { arrayOf, content, inPath, INTEGER, object, TEXT, toDocument } from '../document-parts.js';

const ROOM = object({ name: TEXT, size: INTEGER }, 'name', 'size');
const PAGE = object({ nextToken: TEXT, maxResults: INTEGER });
const LIST = object({ items: arrayOf(ROOM), nextToken: TEXT }, 'items');

const toContent = (schema: object): object => ({ content: content(schema) });
const toOperation = (operationId: string, answer: object, body?: object): object => ({
  operationId,
  ...(body === undefined ? {} : { requestBody: toContent(body) }),
  responses: { 200: { description: 'ok', ...toContent(answer) } },
});

const SPEC = toDocument({
  '/rooms': { put: toOperation('CreateRoom', ROOM, ROOM), post: toOperation('ListRooms', LIST, PAGE) },
  '/rooms/{name}': { ...inPath('name'), get: toOperation('GetRoom', ROOM) },
});

async function send(mock: Mock, method: string, path: string, body?: object): Promise<unknown> {
  const headers = { 'content-type': 'application/json' };
  const init = body === undefined ? { method } : { method, headers, body: JSON.stringify(body) };
  return (await mock.fetch(path, init)).json();
}

it('a POST that lists by its name lists what a PUT on the same path creates', async () => {
  await using mock = await createMock({ spec: SPEC, state: { initialItems: 0 } });
  for (const name of ['red', 'green', 'blue']) await send(mock, 'PUT', '/rooms', { name, size: 3 });
  expect(await send(mock, 'GET', '/rooms/green')).toEqual({ name: 'green', size: 3 });
  const first = (await send(mock, 'POST', '/rooms', { maxResults: 2 })) as { items: unknown[]; nextToken: string };
  expect(first.items).toEqual([
    { name: 'red', size: 3 },
    { name: 'green', size: 3 },
  ]);
  expect(await send(mock, 'POST', '/rooms', { maxResults: 2, nextToken: first.nextToken })).toEqual({
    items: [{ name: 'blue', size: 3 }],
  });
});
