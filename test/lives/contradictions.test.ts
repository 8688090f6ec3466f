import { expect, it } from 'vitest';
import { inPath, pathParameter, sends, shows, takes, toDocument } from '../operation-parts.js';
import { arrayOf, BOOLEAN, INTEGER, object, type Part, ref, TEXT } from '../schema-parts.js';
import { openShop } from '../state/shop.js';

const Boat = object({ id: { ...TEXT, readOnly: true }, name: TEXT }, 'id', 'name');
const flag = (value: boolean): Part => ({ ...BOOLEAN, enum: [value] });
const life = (answer: object, list: object = arrayOf(Boat)): ReturnType<typeof toDocument> =>
  toDocument(
    {
      '/boats': { get: shows(list), post: takes(object({ name: TEXT }, 'name'), answer) },
      '/boats/{boat_id}': {
        parameters: [pathParameter('boat_id')],
        get: shows(answer),
        put: takes(object({ name: TEXT }, 'name'), answer),
      },
    },
    { Boat },
  );

/** An answer that succeeds and fails. */
const BOTH = {
  allOf: [
    object({ success: flag(true), boat: ref('Boat') }, 'success', 'boat'),
    object({ success: flag(false), boat: { type: 'null' } }, 'success', 'boat'),
  ],
};

it.each([
  ['creates on demand', {}],
  ['knows its items', { state: { unknownIds: 'not-found' } } as const],
])('a success that contradicts itself is answered as without state, where a collection %s', async (_, options) => {
  const spec = life(BOTH);
  const { send } = await openShop({ spec, ...options });
  const stateless = await openShop({ spec, state: false });
  const wanted = await stateless.send('POST', '/boats', { name: 'Petrel' });
  const created = await send('POST', '/boats', { name: 'Petrel' });
  expect([created.status, created.body]).toEqual([200, wanted.body]);
  expect(created.headers.get('x-mock-violations')).toContain('success');
  const [boat] = (await send('GET', '/boats')).list;
  expect(boat).toMatchObject({ name: 'Petrel' });
  const path = `/boats/${String(boat?.['id'])}`;
  expect((await send('GET', path)).status).toBe(200);
  expect((await send('PUT', path, { name: 'Plover' })).status).toBe(200);
  expect((await send('GET', '/boats')).list).toMatchObject([{ name: 'Plover' }]);
});

it('an item is shown as it is where only one of its members contradicts itself', async () => {
  const answer = {
    allOf: [object({ id: TEXT, name: TEXT, berth: INTEGER }, 'id', 'berth'), object({ berth: TEXT }, 'berth')],
  };
  const { send } = await openShop({ spec: life(answer, arrayOf(object({ id: TEXT, name: TEXT }))) });
  const created = await send('POST', '/boats', { name: 'Petrel' });
  expect([created.status, created.body['name']]).toEqual([200, 'Petrel']);
});

it('a list that declares no content has no body until something was created', async () => {
  const nothing = (status: number): Part => ({ responses: { [status]: { description: 'ok' } } });
  const spec = toDocument({
    '/notes': { get: nothing(200), post: { ...sends(object({ text: TEXT })), ...nothing(201) } },
    '/notes/{id}': { ...inPath('id'), get: nothing(200), delete: nothing(200) },
  });
  const { mock, send } = await openShop({ spec });
  const read = async (): Promise<readonly (string | null)[]> => {
    const response = await mock.fetch('/notes');
    expect(response.status).toBe(200);
    return [response.headers.get('content-type'), await response.text()];
  };
  expect(await read()).toEqual([null, '']);
  const { body } = await send('POST', '/notes', { text: 'Low tide' });
  expect((await send('GET', '/notes')).list).toEqual([body]);
});
