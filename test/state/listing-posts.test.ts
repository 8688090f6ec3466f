import { expect, it } from 'vitest';
import { createMock } from '../../src/index.js';
import { content, inPath, toDocument } from '../operation-parts.js';
import { arrayOf, INTEGER, object, TEXT } from '../schema-parts.js';
import { send } from '../send.js';

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

it('a POST that lists by its name lists what a PUT on the same path creates', async () => {
  await using mock = await createMock({ spec: SPEC, state: { initialItems: 0 } });
  for (const name of ['red', 'green', 'blue']) await send(mock, 'PUT /rooms', { name, size: 3 });
  expect((await send(mock, '/rooms/green')).body).toEqual({ name: 'green', size: 3 });
  const { items, nextToken } = (await send(mock, '/rooms', { maxResults: 2 })).body;
  expect(items).toEqual([
    { name: 'red', size: 3 },
    { name: 'green', size: 3 },
  ]);
  expect((await send(mock, '/rooms', { maxResults: 2, nextToken })).body).toEqual({
    items: [{ name: 'blue', size: 3 }],
  });
});
