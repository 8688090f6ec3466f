import { expect, it } from 'vitest';
import { pathParameter, shows, takes, toDocument } from '../operation-parts.js';
import { arrayOf, BOOLEAN, NUMBER, object, TEXT } from '../schema-parts.js';
import { openShop } from './shop.js';

const toReference = (name: string): object => ({ $ref: `#/components/schemas/${name}` });
const extend = (properties: object): object => ({ allOf: [toReference('Pet'), object(properties)] });
const PET = toReference('Pet');
const ID = pathParameter('id');

/** Pets of two kinds, which extend the schema that names them (OpenAPI 3.1 section 4.8.25.1). */
const describePets = (mapping: object): ReturnType<typeof toDocument> =>
  toDocument(
    {
      '/pets': { get: shows(arrayOf(PET)), post: takes(PET, PET, 201) },
      '/pets/{id}': { parameters: [ID], get: shows(PET), put: takes(PET, PET), patch: takes(PET, PET) },
    },
    {
      Pet: {
        ...object({ kind: TEXT, id: TEXT, name: TEXT }, 'kind'),
        discriminator: { propertyName: 'kind', ...mapping },
      },
      Cat: extend({ indoor: BOOLEAN }),
      Dog: extend({ breed: TEXT, chip: { ...TEXT, readOnly: true } }),
      Fish: object({ depth: NUMBER }),
    },
  );

const SPEC = describePets({
  mapping: { cat: '#/components/schemas/Cat', dog: '#/components/schemas/Dog', fish: '#/components/schemas/Fish' },
});

it('an item keeps the properties of the kinds that extend its schema', async () => {
  const { mock, send } = await openShop({ spec: SPEC });
  const { body } = await send('POST', '/pets', { kind: 'dog', name: 'Rex', breed: 'corgi' });
  const id = String(body['id']);
  expect(body).toEqual({ kind: 'dog', id, name: 'Rex', breed: 'corgi' });
  expect((await send('GET', `/pets/${id}`)).body).toEqual(body);
  const patched = await send('PATCH', `/pets/${id}`, { kind: 'dog', breed: 'pug' });
  expect(patched.body).toEqual({ ...body, breed: 'pug' });
  const replaced = await send('PUT', `/pets/${id}`, { kind: 'dog', name: 'Max' });
  expect(replaced.body).toEqual({ kind: 'dog', id, name: 'Max' });
  expect((await send('GET', '/pets')).list).toEqual([replaced.body]);
  expect(mock.journal.interactions.flatMap(({ violations }) => violations)).toEqual([]);
});

it('an item gets no property that no kind has, that only the server sets, or of a schema that does not extend its own', async () => {
  const { mock, send } = await openShop({ spec: SPEC });
  const { body } = await send('POST', '/pets', { kind: 'dog', name: 'Rex', colour: 'red', chip: 'c1', depth: 3 });
  expect(body).toEqual({ kind: 'dog', id: body['id'], name: 'Rex' });
  const found = mock.journal.last()?.violations.map(({ code, pointer, severity }) => `${code} ${pointer} ${severity}`);
  expect(found).toEqual(['PROPERTY_UNDECLARED /colour note', 'READ_ONLY /chip note']);
});

it('an item keeps the properties of a kind that no mapping has: its name is the value', async () => {
  const { mock, send } = await openShop({ spec: describePets({}) });
  const { body } = await send('POST', '/pets', { kind: 'Dog', name: 'Rex', breed: 'corgi', depth: 3 });
  expect(body).toEqual({ kind: 'Dog', id: body['id'], name: 'Rex', breed: 'corgi' });
  const others = await mock.fetch('/pets/other');
  expect(await others.json()).toMatchObject({ kind: expect.stringMatching(/^(Cat|Dog)$/) });
});
