import { describe, expect, it } from 'vitest';
import { NOW, openSchema } from './one-schema.js';
import { arrayOf, BOOLEAN, INTEGER, object, TEXT } from '../schema-parts.js';

const SEEDS = Array.from({ length: 25 }, (_, seed) => seed);

type Row = Readonly<Record<string, never>>;

async function valuesOf(properties: object): Promise<readonly Row[]> {
  const one = await openSchema({ type: 'object', required: Object.keys(properties), properties });
  return SEEDS.map((seed) => one.value({ seed }) as Row);
}

describe('the properties of one object are consistent', () => {
  it('created before updated before expires, as strings', async () => {
    const time = { type: 'string', format: 'date-time' };
    for (const value of await valuesOf({ expires_at: time, updatedAt: time, created_at: time })) {
      expect(Date.parse(value['created_at'] ?? '')).toBeLessThanOrEqual(Date.parse(value['updatedAt'] ?? ''));
      expect(Date.parse(value['updatedAt'] ?? '')).toBeLessThanOrEqual(NOW);
      expect(Date.parse(value['expires_at'] ?? '')).toBeGreaterThan(NOW);
    }
  });

  it('created before updated, as seconds and as milliseconds', async () => {
    for (const value of await valuesOf({
      created: INTEGER,
      updated_at: INTEGER,
      created_at_ms: INTEGER,
      expires_at: INTEGER,
    })) {
      expect(value['created']).toBeLessThanOrEqual(value['updated_at'] ?? 0);
      expect(value['expires_at']).toBeGreaterThan(NOW / 1000);
      expect(Math.abs((value['created_at_ms'] ?? 0) - NOW)).toBeLessThan(500 * 86_400_000);
    }
  });

  it('also if an example has them in the wrong order', async () => {
    const values = await valuesOf({
      created_at: { type: 'string', format: 'date-time', example: '2025-06-01T00:00:00Z' },
      updated_at: { type: 'string', format: 'date-time', example: '2024-06-01T00:00:00Z' },
    });
    for (const { created_at, updated_at } of values)
      expect(Date.parse(created_at ?? '')).toBeLessThanOrEqual(Date.parse(updated_at ?? ''));
  });

  it('the full name is made of the first and the last', async () => {
    for (const value of await valuesOf({ first_name: TEXT, lastName: TEXT, full_name: TEXT })) {
      expect(value['full_name']).toBe(`${value['first_name']} ${value['lastName']}`);
    }
  });

  it('city, country and currency belong together', async () => {
    for (const value of await valuesOf({ city: TEXT, country: TEXT, country_code: TEXT, currency: TEXT })) {
      if (value['city'] === 'London') {
        expect(value).toEqual({ city: 'London', country: 'United Kingdom', country_code: 'GB', currency: 'GBP' });
      }
      expect(value['currency']).toMatch(/^[A-Z]{3}$/);
    }
  });

  it('a list has its length and no further page', async () => {
    const items = arrayOf(object({ id: TEXT }, 'id'));
    const values = await valuesOf({ data: items, total: INTEGER, has_more: BOOLEAN, first_id: TEXT, last_id: TEXT });
    for (const value of values) {
      const data = value['data'] as unknown as readonly { readonly id: string }[];
      expect(value['total']).toBe(data.length);
      expect(value['has_more']).toBe(false);
      expect([value['first_id'], value['last_id']]).toEqual([data[0]?.id, data.at(-1)?.id]);
    }
  });

  it('ids are unique and look like their example', async () => {
    const one = await openSchema({
      type: 'array',
      minItems: 30,
      items: object({ id: { type: 'string', example: 'cus_NffrFeUfNV2Hib' } }, 'id'),
    });
    const ids = (one.value() as readonly { readonly id: string }[]).map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    for (const id of ids) expect(id).toMatch(/^cus_[A-Za-z]{7,}[A-Za-z0-9]+$/);
  });
});

describe('a value of the request', () => {
  const pet = object({ id: TEXT, name: TEXT, owner_id: TEXT, age: { type: 'integer', maximum: 30 } }, 'id', 'name');

  it.each([
    ['the id', { id: 'p7' }, { id: 'p7' }],
    ['a name in another spelling', { ownerId: 'o9' }, { owner_id: 'o9' }],
    ['a value of the body', { name: 'Rex', age: 3 }, { name: 'Rex', age: 3 }],
  ])('is repeated: %s', async (_, known, want) => {
    expect((await openSchema(pet)).value({ known })).toMatchObject(want);
  });

  it('is not repeated if it does not fit', async () => {
    const one = await openSchema(pet);
    const value = one.value({ known: { age: 500, name: 7 } }) as { readonly age: number };
    expect(one.check(value)).toEqual([]);
    expect(value.age).toBeLessThanOrEqual(30);
  });

  it('is repeated inside an envelope, and not in the items of a list', async () => {
    const wrapped = await openSchema(object({ data: pet }, 'data'));
    expect(wrapped.value({ known: { id: 'p7' } })).toMatchObject({ data: { id: 'p7' } });
    const listed = await openSchema({ type: 'array', minItems: 2, items: pet });
    expect(JSON.stringify(listed.value({ known: { id: 'p7' } }))).not.toContain('p7');
  });
});

describe('a value of the document', () => {
  it.each([
    ['an example', { type: 'string', example: 'Rex' }, 'Rex'],
    ['examples', { type: 'integer', examples: [4] }, 4],
    ['a default', { type: 'boolean', default: true }, true],
    ['x-faker with arguments', { type: 'integer', 'x-faker': { 'number.int': { min: 41, max: 41 } } }, 41],
    ['x-faker as a call', { type: 'string', 'x-faker': 'helpers.arrayElement(["only"])' }, 'only'],
  ])('is used: %s', async (_, schema, want) => {
    const one = await openSchema(object({ thing: schema }, 'thing'));
    expect(one.value()).toEqual({ thing: want });
  });

  it.each([
    ['an example of another type', { type: 'string', example: 7 }],
    ['a default that is too long', { type: 'string', maxLength: 3, default: 'much too long' }],
    ['an example in the wrong format', { type: 'string', format: 'date', example: 'today' }],
    ['a faker that does not exist', { type: 'string', 'x-faker': 'nothing.here' }],
    ['a faker that does not fit', { type: 'integer', 'x-faker': 'person.firstName' }],
    ['a faker that would climb out', { type: 'string', 'x-faker': 'constructor.constructor("return 1")' }],
  ])('is not used: %s', async (_, schema) => {
    const one = await openSchema(object({ thing: schema }, 'thing'));
    expect(one.check(one.value())).toEqual([]);
  });

  it('a first name by x-faker depends on the seed', async () => {
    const one = await openSchema(object({ x: { type: 'string', 'x-faker': 'person.firstName' } }, 'x'));
    expect(one.value({ seed: 3 })).toEqual(one.value({ seed: 3 }));
    expect(new Set(SEEDS.map((seed) => JSON.stringify(one.value({ seed })))).size).toBeGreaterThan(10);
  });
});
