import { describe, expect, it } from 'vitest';
import { finds, inPath, json, sends, shows, toDocument } from '../operation-parts.js';
import { arrayOf, BOOLEAN, object, TEXT } from '../schema-parts.js';
import { openShop } from './shop.js';

const toReference = (name: string): object => ({ $ref: `#/components/schemas/${name}` });

/** Cats and dogs that extend one schema, which declares their kind as any string: the usual form of such documents. */
function toSpec(mapping?: Readonly<Record<string, string>>, example?: string): Readonly<Record<string, unknown>> {
  const extend = (properties: object): object => ({ allOf: [toReference('Animal'), object(properties)] });
  const pet = toReference('Pet');
  return toDocument(
    {
      '/pets': {
        get: shows(arrayOf(pet)),
        post: { ...sends(pet), responses: { 201: json(pet), 400: { description: 'invalid' } } },
      },
      '/pets/{id}': { ...inPath('id'), get: finds(pet) },
    },
    {
      Pet: {
        oneOf: [toReference('Cat'), toReference('Dog')],
        discriminator: { propertyName: 'kind', ...(mapping && { mapping }) },
      },
      Animal: object({ kind: example === undefined ? TEXT : { ...TEXT, example }, id: TEXT, name: TEXT }, 'kind'),
      Cat: extend({ indoor: BOOLEAN }),
      Dog: extend({ breed: TEXT }),
    },
    { openapi: '3.0.3' },
  );
}

const MAPPED = toSpec({ feline: '#/components/schemas/Cat', canine: '#/components/schemas/Dog' });

describe('a oneOf whose discriminator alone says which alternative is meant', () => {
  it('has the values of its mapping in generated items', async () => {
    const { mock, send } = await openShop({ spec: MAPPED, state: { initialItems: 3 } });
    const { status, list } = await send('GET', '/pets');
    expect([status, list.length, mock.journal.last()?.violations]).toEqual([200, 3, []]);
    for (const pet of list) {
      const isCat = 'indoor' in pet;
      expect(['breed' in pet, pet['kind']]).toEqual(isCat ? [false, 'feline'] : [true, 'canine']);
    }
  });

  it('takes and shows an item of the kind that its property names', async () => {
    const { mock, send } = await openShop({ spec: MAPPED });
    const created = await send('POST', '/pets', { kind: 'canine', name: 'Rex' });
    const id = String(created.body['id']);
    expect([created.status, created.body]).toEqual([201, { kind: 'canine', id, name: 'Rex' }]);
    expect((await send('GET', `/pets/${id}`)).body).toEqual(created.body);
    expect((await send('GET', '/pets')).list).toEqual([created.body]);
    expect(mock.journal.interactions.flatMap(({ violations }) => violations)).toEqual([]);
  });

  it('refuses a value that the mapping does not have', async () => {
    const { mock, send } = await openShop({ spec: MAPPED });
    const { status } = await send('POST', '/pets', { kind: 'bovine', name: 'Bella' });
    const [violation] = mock.journal.last()?.violations ?? [];
    expect([status, violation?.code, violation?.pointer]).toEqual([400, 'ENUM', '/kind']);
  });

  it('without a mapping takes the names of the alternatives, and refuses other values', async () => {
    const { send } = await openShop({ spec: toSpec() });
    const { body } = await send('POST', '/pets', { kind: 'Dog', name: 'Rex' });
    expect((await send('GET', '/pets')).list).toEqual([body]);
    expect((await send('POST', '/pets', { kind: 'canine', name: 'Rex' })).status).toBe(400);
  });

  it('without a mapping, and with an example of another value, lists every item, although each one fits several alternatives', async () => {
    const { mock, send } = await openShop({ spec: toSpec(undefined, 'canine') });
    const { body } = await send('POST', '/pets', { kind: 'canine', name: 'Rex' });
    const { status, list } = await send('GET', '/pets');
    const found = mock.journal.last()?.violations.map(({ code, severity }) => `${code} ${severity}`);
    expect([status, list, found]).toEqual([200, [body], ['UNION note']]);
  });
});
