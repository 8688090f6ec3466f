import { expect, it } from 'vitest';
import { createMock } from '../../src/index.js';
import { content, inPath, toDocument } from '../operation-parts.js';
import { object, TEXT } from '../schema-parts.js';

const THING = object({ id: TEXT, name: TEXT }, 'id', 'name');
const JSON_BODY = { content: content(THING) };

function toSpec(statuses: readonly number[]): Readonly<Record<string, unknown>> {
  const toResponse = (status: number): object => ({ description: 'ok', ...(status === 204 ? {} : JSON_BODY) });
  const item = {
    ...inPath('id'),
    get: { operationId: 'readThing', responses: { 200: toResponse(200) } },
    put: {
      operationId: 'replaceThing',
      requestBody: JSON_BODY,
      responses: Object.fromEntries(statuses.map((status) => [status, toResponse(status)])),
    },
  };
  return toDocument({ '/things/{id}': item });
}

// RFC 9110 9.3.4: 201 for a new item, 200 or 204 for one that existed.
it.each([
  [[200, 201], 201, 200],
  [[201, 204], 201, 204],
  [[200, 201, 204], 201, 200],
  [[201], 201, 201],
  [[201, 202], 201, 201],
])('a PUT that declares %j creates with %d and replaces with %d', async (statuses, creates, replaces) => {
  await using mock = await createMock({ spec: toSpec(statuses), fixtures: { things: [{ id: 'a', name: 'Old' }] } });
  const put = async (id: string): Promise<number> => {
    const headers = { 'content-type': 'application/json' };
    const response = await mock.fetch(`/things/${id}`, {
      method: 'PUT',
      headers,
      body: JSON.stringify({ id, name: 'New' }),
    });
    return response.status;
  };
  expect([await put('a'), await put('b'), await put('b')]).toEqual([replaces, creates, replaces]);
  expect(await (await mock.fetch('/things/a')).json()).toEqual({ id: 'a', name: 'New' });
});
