import { describe, expect, it } from 'vitest';
import { openSchema } from './one-schema.js';
import { arrayOf, BOOLEAN, INTEGER, object, ref, TEXT } from '../schema-parts.js';

const account = {
  ...object(
    {
      id: { type: 'string', readOnly: true },
      name: TEXT,
      nickname: TEXT,
      secret: { type: 'string', writeOnly: true },
      address: object({ city: TEXT, zip: TEXT }, 'city', 'zip'),
      tags: arrayOf(object({ label: TEXT, hot: BOOLEAN }, 'label')),
    },
    'id',
    'name',
    'address',
    'secret',
  ),
  additionalProperties: false,
};

describe('a partial value is completed', () => {
  it('given parts stay, required ones are added, optional ones are not', async () => {
    const one = await openSchema(account);
    const value = one.complete({ name: 'Ada', address: { city: 'Oslo' } }) as Record<string, Record<string, string>>;
    expect(one.check(value)).toEqual([]);
    expect(value).toMatchObject({ name: 'Ada', address: { city: 'Oslo' } });
    expect(Object.keys(value).toSorted()).toEqual(['address', 'id', 'name']);
    expect(value['address']?.['zip']).toEqual(expect.any(String));
  });

  it('each item of a list is completed', async () => {
    const one = await openSchema(account);
    const value = one.complete({ tags: [{ hot: true }, { label: 'x' }] }) as { readonly tags: readonly object[] };
    expect(value.tags).toEqual([{ hot: true, label: expect.any(String) }, { label: 'x' }]);
  });

  it('optional properties are added on request', async () => {
    const value = (await openSchema(account)).complete({ name: 'Ada' }, { full: true });
    expect(value).toMatchObject({ name: 'Ada', nickname: expect.any(String), tags: expect.any(Array) });
  });

  it('readOnly stays out of a request and writeOnly out of a response', async () => {
    const one = await openSchema(account);
    expect(one.complete({ name: 'Ada' }, { direction: 'request' })).not.toHaveProperty('id');
    expect(one.complete({ name: 'Ada' }, { direction: 'request' })).toHaveProperty('secret');
    expect(one.complete({ name: 'Ada' })).not.toHaveProperty('secret');
    expect(one.value()).not.toHaveProperty('secret');
  });

  it.each([
    ['by a constant', { kind: 'dog' }, { kind: 'dog', bark: expect.any(Number) }],
    ['by a property that only one has', { lives: 9 }, { kind: 'cat', lives: 9 }],
  ])('the branch of a union is chosen %s', async (_, given, want) => {
    const branch = (kind: string, own: string): object => ({
      type: 'object',
      required: ['kind', own],
      additionalProperties: false,
      properties: { kind: { const: kind }, [own]: INTEGER },
    });
    const one = await openSchema({ oneOf: [branch('cat', 'lives'), branch('dog', 'bark')] });
    expect(one.complete(given)).toEqual(want);
  });

  it('falsy values are values', async () => {
    const one = await openSchema(object({ a: {}, b: {}, c: {}, d: INTEGER }, 'a', 'b', 'c', 'd'));
    expect(one.complete({ a: 0, b: '', c: false })).toMatchObject({ a: 0, b: '', c: false, d: expect.any(Number) });
    expect(one.complete({ a: null, b: null, c: null, d: 1 })).toEqual({ a: null, b: null, c: null, d: 1 });
  });

  it('an object that was given is not changed', async () => {
    const given = Object.freeze({ name: 'Ada', address: Object.freeze({ city: 'Oslo' }) });
    (await openSchema(account)).complete(given);
    expect(given).toEqual({ name: 'Ada', address: { city: 'Oslo' } });
  });

  it('a given part that breaks the schema is kept and reported', async () => {
    const one = await openSchema(account);
    expect(one.complete({ name: 7 })).toMatchObject({ name: 7 });
    expect(one.notes.length).toBeGreaterThan(0);
  });
});

describe('an invalid value is repaired as a hint', () => {
  it('valid parts are kept, ids included, and the rest is generated', async () => {
    const one = await openSchema(account);
    const hint = {
      id: 'acc_1',
      name: 'Ada',
      address: { city: 'Oslo', zip: 7 },
      stray: true,
      tags: [{ label: 'x' }, { label: 9 }],
    };
    const value = one.value({ hint }) as Record<string, Record<string, unknown>>;
    expect(one.check(value)).toEqual([]);
    expect(value).toMatchObject({ id: 'acc_1', name: 'Ada', address: { city: 'Oslo', zip: expect.any(String) } });
    expect(value['tags']).toEqual([{ label: 'x' }, { label: expect.any(String) }]);
    expect(value).not.toHaveProperty('stray');
  });
});

describe('a part that does not fit stays if it was given, and not if it is from the request', () => {
  const schema = object({ id: TEXT, plan: { oneOf: [TEXT, object({ n: { const: 1 } }, 'n')] } }, 'plan', 'id');

  it('an object that fits no branch', async () => {
    const one = await openSchema(schema);
    const value = one.value({ known: { plan: { n: 2 }, id: 'x' } });
    expect(one.check(value)).toEqual([]);
    expect(value).toMatchObject({ id: 'x' });
    expect(one.complete({ plan: { n: 2 } })).toEqual({ plan: { n: 2 }, id: expect.any(String) });
  });
});

describe('a discriminator in a base schema', () => {
  const base = (discriminator: object): object => ({ ...object({ kind: TEXT }, 'kind'), discriminator });
  const heir = (own: string): object => ({ allOf: [ref('Pet'), object({ [own]: INTEGER }, own)] });
  const heirs = { Cat: heir('lives'), Dog: heir('bark') };

  it.each([
    ['by the mapping', { propertyName: 'kind', mapping: { cat: '#/components/schemas/Cat', dog: 'Dog' } }, 'cat'],
    ['by the name of the component', { propertyName: 'kind' }, 'Cat'],
  ])('a subtype has its own value: %s', async (_, discriminator, want) => {
    const one = await openSchema(ref('Cat'), { ...heirs, Pet: base(discriminator) });
    expect(one.value()).toEqual({ kind: want, lives: expect.any(Number) });
  });

  it('the base is one of its subtypes', async () => {
    const mapping = { cat: '#/components/schemas/Cat', dog: '#/components/schemas/Dog' };
    const one = await openSchema(ref('Pet'), { ...heirs, Pet: base({ propertyName: 'kind', mapping }) });
    const seen = new Set<string>();
    for (let seed = 0; seed < 20; seed++) {
      const value = one.value({ seed }) as { readonly kind: string };
      expect(value).toHaveProperty(value.kind === 'cat' ? 'lives' : 'bark');
      seen.add(value.kind);
    }
    expect([...seen].toSorted()).toEqual(['cat', 'dog']);
  });

  it('is the subtype that the request names, also where one extends another', async () => {
    const Tiger = { allOf: [ref('Cat'), object({ stripes: INTEGER })] };
    const one = await openSchema(ref('Pet'), { ...heirs, Tiger, Pet: base({ propertyName: 'kind' }) });
    const [cat, tiger] = [
      { kind: 'Cat', lives: 7 },
      { kind: 'Tiger', lives: 9, stripes: 3 },
    ];
    for (let seed = 0; seed < 8; seed++) {
      expect(one.value({ seed, known: cat })).toEqual(cat);
      expect(one.value({ seed, known: tiger })).toEqual(tiger);
      expect(one.value({ seed, known: { kind: 'Fish', lives: 1 } })).not.toMatchObject({ kind: 'Fish' });
    }
  });
});
