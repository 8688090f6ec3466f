import { expect, it } from 'vitest';
import { createMock } from '../../src/index.js';
import { inPath, json, sends, shows, toDocument } from '../operation-parts.js';
import { object, type Part, TEXT } from '../schema-parts.js';
import { send } from '../send.js';

const THING = object({ id: TEXT, name: TEXT }, 'id', 'name');

function toSpec(statuses: readonly number[]): Readonly<Record<string, unknown>> {
  const toResponse = (status: number): Part => (status === 204 ? { description: 'ok' } : json(THING));
  const responses = Object.fromEntries(statuses.map((status) => [status, toResponse(status)]));
  return toDocument({ '/things/{id}': { ...inPath('id'), get: shows(THING), put: { ...sends(THING), responses } } });
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
  const put = async (id: string): Promise<number> =>
    (await send(mock, `PUT /things/${id}`, { id, name: 'New' })).status;
  expect([await put('a'), await put('b'), await put('b')]).toEqual([replaces, creates, replaces]);
  expect((await send(mock, '/things/a')).body).toEqual({ id: 'a', name: 'New' });
});
