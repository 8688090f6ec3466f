import { expect, test } from 'vitest';
import { loadContract } from '../../src/contract/load/load.js';
import { documentOf } from './loading.js';

const at = (name: string): string => `#/components/schemas/${name}`;
const refer = (name: string): object => ({ $ref: at(name) });
const withKind = (kind: object): object => ({ type: 'object', properties: { kind } });

/** A union of two schemas by their kind. */
const union = (mapping: Readonly<Record<string, string>> | undefined, keyword = 'oneOf'): object => ({
  [keyword]: [refer('Cat'), refer('Dog')],
  discriminator: { propertyName: 'kind', ...(mapping && { mapping }) },
});

const MAPPING = { feline: at('Cat'), canine: at('Dog') };
const TEXT = { type: 'string' };
const TEXT_OR_NULL = { type: ['string', 'null'] };
const DOG = withKind(TEXT);

/** The kind of a cat after loading, for what the union and the other schemas are. */
async function readKind(subject: object, schemas: object): Promise<unknown> {
  const document = documentOf('3.1.0', subject, { Dog: DOG, ...schemas });
  const contract = await loadContract(document, { cacheFolder: false });
  return contract.at('/components/schemas/Cat/properties/kind');
}

test.each([
  ['any string', 'oneOf', TEXT, { type: 'string', enum: ['feline'] }],
  ['any string, in anyOf', 'anyOf', TEXT, { type: 'string', enum: ['feline'] }],
  ['any string, or null', 'oneOf', TEXT_OR_NULL, { ...TEXT_OR_NULL, enum: ['feline', null] }],
  ['a string with an example of the mapping', 'oneOf', { ...TEXT, examples: ['canine'] }, undefined],
])('a discriminator fixes a property that is %s', async (_, keyword, kind, wanted) => {
  expect(await readKind(union(MAPPING, keyword), { Cat: withKind(kind) })).toEqual(
    wanted ?? { ...kind, enum: ['feline'] },
  );
});

test.each([
  ['has values of its own', { ...TEXT, enum: ['cat'] }],
  ['is a constant', { const: 'cat' }],
  ['has an example that is not in the mapping', { ...TEXT, examples: ['cat'] }],
  ['has a default that is not in the mapping', { ...TEXT, default: 'cat' }],
  ['is a number', { type: 'integer' }],
  ['has a pattern', { ...TEXT, pattern: '^c' }],
])('a discriminator leaves a property that %s', async (_, kind) => {
  expect(await readKind(union(MAPPING), { Cat: withKind(kind) })).toEqual(kind);
});

test('a discriminator without a mapping fixes the property to the name of each alternative', async () => {
  expect(await readKind(union(undefined), { Cat: withKind(TEXT) })).toEqual({ ...TEXT, enum: ['Cat'] });
});

test.each([
  ['has values', { ...TEXT, enum: ['canine'] }],
  ['has an example that is no name', { ...TEXT, examples: ['canine'] }],
])('a discriminator without a mapping leaves the property where that of another alternative %s', async (_, kind) => {
  expect(await readKind(union(undefined), { Cat: withKind(TEXT), Dog: withKind(kind) })).toEqual(TEXT);
});

test('a discriminator leaves the property of an alternative that another one extends', async () => {
  const Dog = { allOf: [refer('Cat'), { type: 'object' }] };
  expect(await readKind(union(MAPPING), { Cat: withKind(TEXT), Dog })).toEqual(TEXT);
});

test('a discriminator adds the property that an alternative inherits, and leaves the inherited one', async () => {
  const Cat = { allOf: [refer('Animal')] };
  expect(await readKind(union(MAPPING), { Cat, Animal: withKind(TEXT) })).toMatchObject({ enum: ['feline'] });
});

test('a discriminator adds a property that an open alternative does not declare, and none to a closed one', async () => {
  const open = { type: 'object', properties: { name: TEXT } };
  expect(await readKind(union(MAPPING), { Cat: open })).toEqual({ type: 'string', enum: ['feline'] });
  expect(await readKind(union(MAPPING), { Cat: { ...open, additionalProperties: false } })).toBeUndefined();
});

test('an alternative of several unions has the values of all of them', async () => {
  const Other = union({ 'a cat': at('Cat') });
  const Named = union(undefined);
  const kind = await readKind(union(MAPPING), { Cat: withKind(TEXT), Other, Named });
  expect(kind).toEqual({ type: 'string', enum: ['feline', 'a cat', 'Cat'] });
});

async function readLevels(outer: string): Promise<unknown> {
  const cat = { type: 'object', properties: { form: TEXT, kind: TEXT, claws: { type: 'integer' } } };
  const inner = { tiger: at('Tiger'), lynx: at('Lynx') };
  const Cat = { oneOf: [refer('Tiger'), refer('Lynx')], discriminator: { propertyName: 'kind', mapping: inner } };
  const subject = { oneOf: [refer('Cat'), refer('Dog')], discriminator: { propertyName: outer, mapping: MAPPING } };
  const document = documentOf('3.1.0', subject, { Dog: DOG, Cat, Tiger: cat, Lynx: cat });
  return (await loadContract(document, { cacheFolder: false })).at('/components/schemas/Cat/properties');
}

test('a discriminator fixes the property of an alternative that is a union itself', async () => {
  expect(await readLevels('form')).toEqual({ form: { type: 'string', enum: ['feline'] } });
});

test('a discriminator leaves the property by which an alternative distinguishes its own', async () => {
  expect(await readLevels('kind')).toBeUndefined();
});

/** The mapping of a schema that others extend. */
async function readMapping(base: object, schemas: object): Promise<unknown> {
  const document = documentOf('3.1.0', refer('Tool'), { Tool: base, ...schemas });
  const contract = await loadContract(document, { cacheFolder: false });
  return contract.at('/components/schemas/Tool/discriminator/mapping');
}

const tool = (kind: object, mapping?: object): object => ({
  ...withKind(kind),
  discriminator: { propertyName: 'kind', ...(mapping && { mapping }) },
});
const extend = (name: string, more: object = {}): object => ({ allOf: [refer(name), { type: 'object', ...more }] });
const cutter = extend('Tool', { properties: { kind: { const: 'cutter' } } });

test.each<readonly [string, object, object, unknown]>([
  ['its name', tool(TEXT), { Saw: extend('Tool') }, { Saw: at('Saw') }],
  [
    'its name, through another schema',
    tool(TEXT),
    { Saw: extend('Tool'), BandSaw: extend('Saw') },
    { Saw: at('Saw'), BandSaw: at('BandSaw') },
  ],
  ['the value that it fixes', tool(TEXT), { Saw: cutter }, { cutter: at('Saw') }],
  [
    'the value that is like its name',
    tool({ enum: ['hand_saw', 'file'] }),
    { HandSaw: extend('Tool'), File: extend('Tool') },
    { hand_saw: at('HandSaw'), file: at('File') },
  ],
  ['nothing where no value is like its name', tool({ enum: ['a', 'b'] }), { Saw: extend('Tool') }, undefined],
  [
    'the mapping',
    tool(TEXT, { s: at('Saw') }),
    { Saw: extend('Tool'), File: extend('Tool') },
    { s: at('Saw'), File: at('File') },
  ],
])('a schema that extends one with a discriminator is named by %s', async (_, base, schemas, mapping) => {
  expect(await readMapping(base, schemas)).toEqual(mapping);
});
