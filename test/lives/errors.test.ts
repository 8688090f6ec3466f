import { expect, it } from 'vitest';
import { inPath, json, shows, takes, toDocument } from '../operation-parts.js';
import { arrayOf, CLOSED, INTEGER, object, ref, TEXT } from '../schema-parts.js';
import { openShop } from '../state/shop.js';

const Hull = object({ id: { ...TEXT, readOnly: true }, name: TEXT }, 'id', 'name');
const Outcome = object({ phase: TEXT, code: INTEGER, reason: TEXT, message: TEXT });

const createSpec = (deleted: object, errors: object = {}): ReturnType<typeof toDocument> =>
  toDocument(
    {
      '/hulls': { get: shows(arrayOf(ref('Hull'))), post: { ...takes(ref('Hull'), ref('Hull'), 201) } },
      '/hulls/{id}': {
        ...inPath('id'),
        get: { responses: { 200: json(ref('Hull')), ...errors } },
        delete: shows(deleted),
      },
    },
    { Hull, Outcome },
  );

it('a document that declares no errors answers them with the object that says how its requests ended', async () => {
  const { send } = await openShop({ spec: createSpec(ref('Outcome')), ...CLOSED });
  const missing = await send('GET', '/hulls/h1');
  expect([missing.status, missing.body]).toMatchObject([
    404,
    { code: 404, message: expect.stringContaining('h1') as string },
  ]);
  expect((await send('POST', '/hulls', {})).body).toMatchObject({ code: 400 });
});

it('an item is not taken for such an object, and a declared error comes first', async () => {
  const plain = await openShop({ spec: createSpec(ref('Hull')), ...CLOSED });
  expect((await plain.send('GET', '/hulls/h1')).body).toMatchObject({ type: 'about:blank', status: 404 });
  const declared = object({ fault: object({ text: TEXT }, 'text') }, 'fault');
  const other = await openShop({ spec: createSpec(ref('Outcome'), { 400: json(declared) }), ...CLOSED });
  expect((await other.send('POST', '/hulls', {})).body).toMatchObject({ fault: {} });
});
