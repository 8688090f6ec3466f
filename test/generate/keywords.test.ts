// @module-tag slow
// oxlint-disable unicorn/no-thenable -- `then` is a keyword of JSON Schema
import { registerSchema, unregisterSchema, validate } from '@hyperjump/json-schema/draft-2020-12';
import { describe, expect, it } from 'vitest';
import { openSchema } from './one-schema.js';
import { INTEGER, TEXT, BOOLEAN, object, arrayOf, NUMBER } from '../document-parts.js';

type Case = readonly [name: string, schema: unknown, others?: Readonly<Record<string, unknown>>];

const reference = (name: string): object => ({ $ref: `#/components/schemas/${name}` });

const SCALARS: readonly Case[] = [
  ['anything', true],
  ['an empty schema', {}],
  ['null', { type: 'null' }],
  ['a type list', { type: ['integer', 'null'] }],
  ['a constant', { const: { a: [1, null] } }],
  ['a constant of a type', { type: 'string', const: 'only' }],
  ['an enum with a type that rules some out', { type: 'string', enum: [1, null, 'a'] }],
  ['an enum that a bound rules most of', { enum: [1, 5, 9], minimum: 6 }],
  ['two enums that share one value', { allOf: [{ enum: ['a', 'b'] }, { enum: ['b', 'c'] }] }],
  ['an integer in bounds', { type: 'integer', minimum: 7, maximum: 9 }],
  ['an integer between exclusive bounds', { type: 'integer', exclusiveMinimum: 7, exclusiveMaximum: 9 }],
  ['a number between close exclusive bounds', { type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 0.001 }],
  ['a multiple of a hundredth', { type: 'number', multipleOf: 0.01, minimum: 19.99, maximum: 20.01 }],
  ['a multiple of 7 in a narrow range', { type: 'integer', multipleOf: 7, minimum: 50, maximum: 60 }],
  ['a multiple of two steps', { allOf: [{ multipleOf: 4 }, { multipleOf: 6 }], type: 'integer' }],
  ['a whole number that is a multiple of 1.5', { type: 'integer', multipleOf: 1.5 }],
  ['a negative number', { type: 'number', maximum: -3 }],
  ['a tiny step', { type: 'number', multipleOf: 0.0001, minimum: 0.00005, maximum: 0.00015 }],
  ['int32', { type: 'integer', format: 'int32', minimum: 2147483647 }],
  ['int64', { type: 'integer', format: 'int64', minimum: 9007199254740990 }],
  ['a number of a format of integers', { type: 'number', format: 'int64' }],
  ['a number of a small format', { type: 'number', format: 'uint8' }],
  ['a small integer with a bound', { type: 'integer', format: 'uint8', maximum: 10 }],
  ['a large number', { type: 'number', minimum: 1e20 }],
  ['a string of a length', { type: 'string', minLength: 12, maxLength: 12 }],
  ['a long string', { type: 'string', minLength: 2000 }],
  ['a string that must be empty', { type: 'string', maxLength: 0 }],
  ['two patterns', { type: 'string', allOf: [{ pattern: '^[a-z]+' }, { pattern: '[0-9]$' }] }],
  ['a pattern with lengths', { type: 'string', pattern: '^[A-Z]+$', minLength: 5, maxLength: 6 }],
  ['a pattern over a format', { type: 'string', format: 'date-time', pattern: '\\.\\d{3}Z$' }],
  ['a long uri', { type: 'string', format: 'uri', minLength: 200 }],
  ['a short email', { type: 'string', format: 'email', maxLength: 8 }],
  ['a number by its bounds alone', { minimum: 3, maximum: 4 }],
  ['a string by its length alone', { minLength: 3, not: { type: 'object' } }],
];

const FORMATS =
  'date-time date time duration email idn-email hostname ipv4 ipv6 uri uri-reference iri uri-template uuid json-pointer relative-json-pointer regex byte base64url decimal http-date media-range char password binary int64 nobody-knows-this'.split(
    ' ',
  );

const ARRAYS: readonly Case[] = [
  ['three thousand items', { type: 'array', items: INTEGER, minItems: 3000 }],
  ['three thousand unique items', { type: 'array', items: TEXT, minItems: 3000, uniqueItems: true }],
  [
    'unique items of a small range',
    { type: 'array', items: { type: 'integer', minimum: 1, maximum: 5 }, minItems: 5, uniqueItems: true },
  ],
  ['unique items of an enum', { type: 'array', items: { enum: ['a', 'b', 'c', 'd'] }, minItems: 4, uniqueItems: true }],
  ['unique booleans', { type: 'array', items: BOOLEAN, minItems: 2, uniqueItems: true }],
  [
    'unique objects',
    {
      type: 'array',
      items: object({ a: { type: 'integer', minimum: 0, maximum: 3 } }, 'a'),
      minItems: 4,
      uniqueItems: true,
    },
  ],
  ['a tuple', { type: 'array', prefixItems: [TEXT, INTEGER], items: false, minItems: 2 }],
  ['a tuple that goes on', { type: 'array', prefixItems: [TEXT], items: INTEGER, minItems: 4 }],
  ['no items at all', { type: 'array', items: TEXT, maxItems: 0 }],
  ['items that cannot be', arrayOf(false)],
  ['contains', { type: 'array', contains: { const: 7 }, items: INTEGER }],
  [
    'contains at least and at most',
    {
      type: 'array',
      contains: { const: 'x' },
      minContains: 2,
      maxContains: 2,
      items: { enum: ['x', 'y'] },
      minItems: 4,
    },
  ],
  ['contains nothing', { type: 'array', contains: { const: 'x' }, minContains: 0, items: TEXT }],
  ['contains in a tuple', { type: 'array', prefixItems: [TEXT], contains: { type: 'integer', minimum: 9 } }],
  ['unevaluated items', { type: 'array', prefixItems: [TEXT], unevaluatedItems: false, minItems: 1 }],
  ['an array by its keywords alone', { items: INTEGER, minItems: 1 }],
];

const OBJECTS: readonly Case[] = [
  ['required without properties', { type: 'object', required: ['a', 'b'] }],
  [
    'a required property that is called __proto__',
    JSON.parse('{"type":"object","required":["__proto__"],"properties":{"__proto__":{"type":"integer"}}}'),
  ],
  ['a map', { type: 'object', additionalProperties: INTEGER, minProperties: 5 }],
  ['a closed object', { ...object({ a: TEXT }, 'a'), additionalProperties: false }],
  [
    'names that follow a pattern',
    { type: 'object', propertyNames: { pattern: '^[A-Z]{3}$' }, minProperties: 3, additionalProperties: BOOLEAN },
  ],
  [
    'pattern properties',
    { type: 'object', patternProperties: { '^x-': INTEGER }, additionalProperties: false, minProperties: 2 },
  ],
  [
    'a property under a pattern too',
    { ...object({ ab: { minimum: 5 } }, 'ab'), patternProperties: { '^a': { type: 'integer', maximum: 6 } } },
  ],
  ['too many properties', { ...object({ a: {}, b: {}, c: {} }, 'c'), maxProperties: 1 }],
  ['at least so many', { ...object({ a: TEXT }), minProperties: 4 }],
  ['dependent required', { ...object({ a: TEXT, b: TEXT }, 'a'), dependentRequired: { a: ['b', 'c'] } }],
  [
    'dependent schemas',
    {
      ...object({ card: TEXT }, 'card'),
      dependentSchemas: { card: { required: ['address'], properties: { address: { const: 'x' } } } },
    },
  ],
  ['a dependent schema that rules its own trigger out', { ...object({ a: TEXT }), dependentSchemas: { a: false } }],
  [
    'unevaluated properties',
    { allOf: [{ properties: { a: TEXT }, required: ['a'] }], properties: { b: INTEGER }, unevaluatedProperties: false },
  ],
  [
    'unevaluated properties of a schema',
    { ...object({ b: INTEGER }), unevaluatedProperties: BOOLEAN, minProperties: 3 },
  ],
  [
    'allOf with a closed branch',
    {
      allOf: [
        { properties: { a: TEXT, b: TEXT }, required: ['a'] },
        { properties: { a: {} }, additionalProperties: false },
      ],
    },
  ],
  [
    'allOf that narrows a property',
    {
      allOf: [
        { properties: { a: { type: 'integer', minimum: 3 } } },
        { properties: { a: { maximum: 3 } }, required: ['a'] },
      ],
    },
  ],
  [
    'siblings of a reference',
    { ...reference('Other'), required: ['b'], properties: { b: { const: 2 } } },
    { Other: object({ a: { const: 1 } }, 'a') },
  ],
  ['an object by its keywords alone', { properties: { a: INTEGER }, required: ['a'] }],
];

const CHOICES: readonly Case[] = [
  ['anyOf', { anyOf: [{ type: 'string', minLength: 3 }, INTEGER] }],
  ['anyOf with a branch that cannot be', { anyOf: [false, INTEGER] }],
  ['anyOf beside a type', { type: 'string', anyOf: [INTEGER, { minLength: 4 }] }],
  ['oneOf integer or number', { oneOf: [INTEGER, NUMBER] }],
  ['oneOf of overlapping objects', { oneOf: [object({ a: TEXT }), object({ b: TEXT }, 'b')] }],
  [
    'oneOf where one branch holds the other',
    { oneOf: [object({ a: TEXT }, 'a'), object({ a: TEXT, b: TEXT }, 'a', 'b')] },
  ],
  [
    'oneOf of three texts',
    { oneOf: [TEXT, { type: 'string', enum: ['2020-01-01'] }, { type: 'string', pattern: '^x' }] },
  ],
  ['oneOf of optional properties only', { oneOf: [object({ a: INTEGER }), object({ b: INTEGER }), { type: 'array' }] }],
  [
    'oneOf required or required',
    { ...object({ a: TEXT, b: TEXT }), oneOf: [{ required: ['a'] }, { required: ['b'] }] },
  ],
  [
    'anyOf inside oneOf inside allOf',
    { allOf: [{ oneOf: [{ anyOf: [{ const: 1 }, { const: 2 }] }, { const: 3 }] }, { minimum: 2 }] },
  ],
  ['not a type', { not: { type: ['object', 'string'] } }],
  ['not a constant', { type: 'string', enum: ['a', 'b'], not: { const: 'a' } }],
  ['not required', { ...object({ a: TEXT }), not: { required: ['a'] } }],
  ['not both', { ...object({ a: TEXT, b: TEXT }, 'a'), not: { required: ['a', 'b'] } }],
  [
    'not of a property',
    { ...object({ kind: { enum: ['x', 'y'] } }, 'kind'), not: { properties: { kind: { const: 'x' } } } },
  ],
  ['not a pattern', { type: 'string', not: { pattern: '^[a-m]' } }],
  [
    'not anyOf',
    { type: 'integer', minimum: 0, maximum: 3, not: { anyOf: [{ const: 0 }, { const: 1 }, { const: 2 }] } },
  ],
  ['not not', { not: { not: INTEGER } }],
  [
    'if then',
    {
      ...object({ kind: { enum: ['a', 'b'] } }, 'kind'),
      if: { properties: { kind: { const: 'a' } } },
      then: { required: ['x'] },
      else: { required: ['y'] },
    },
  ],
  [
    'if then that cannot be',
    { ...object({ kind: { enum: ['a', 'b'] } }, 'kind'), if: { properties: { kind: { const: 'a' } } }, then: false },
  ],
  ['if else alone', { type: 'integer', minimum: 0, maximum: 20, if: { minimum: 10 }, else: { const: 4 } }],
  [
    'several ifs',
    {
      ...object({ k: { enum: ['a', 'b', 'c'] } }, 'k'),
      allOf: ['a', 'b', 'c'].map((k) => ({
        if: { properties: { k: { const: k } } },
        then: { required: [`need_${k}`], properties: { [`need_${k}`]: { const: k } } },
      })),
    },
  ],
  ['a discriminator', { oneOf: [reference('Cat'), reference('Dog')], discriminator: { propertyName: 'kind' } }, pets()],
  [
    'a discriminator with a mapping',
    {
      oneOf: [reference('Cat'), reference('Dog')],
      discriminator: { propertyName: 'kind', mapping: { cat: '#/components/schemas/Cat', dog: 'Dog' } },
    },
    pets(),
  ],
];

const CYCLES: readonly Case[] = [
  ['an optional property', object({ name: TEXT, parent: reference('Subject') })],
  ['a list of children', object({ children: arrayOf(reference('Subject')) }, 'children')],
  ['a nullable child', object({ next: { anyOf: [reference('Subject'), { type: 'null' }] } }, 'next')],
  [
    'the shortest branch',
    { oneOf: [object({ and: { type: 'array', items: reference('Subject'), minItems: 2 } }, 'and'), TEXT] },
  ],
  ['two schemas that hold each other', object({ b: reference('B') }, 'b'), { B: object({ a: reference('Subject') }) }],
  ['a map of itself', { type: 'object', additionalProperties: reference('Subject') }],
  [
    'a JSON value',
    {
      anyOf: [
        { type: ['string', 'number', 'boolean', 'null'] },
        arrayOf(reference('Subject')),
        { type: 'object', additionalProperties: reference('Subject') },
      ],
    },
  ],
  [
    'allOf of a base that refers back',
    { allOf: [reference('Base'), object({ child: reference('Subject') })] },
    { Base: object({ peers: arrayOf(reference('Subject')) }) },
  ],
];

function pets(): Readonly<Record<string, unknown>> {
  const pet = (name: string): object => ({
    type: 'object',
    required: ['kind', name],
    properties: { kind: TEXT, [name]: INTEGER },
  });
  return { Cat: pet('lives'), Dog: pet('bark') };
}

const SEEDS = [1, 2, 3, 4, 5];

describe.each([
  ['a scalar', SCALARS],
  ['a format', FORMATS.map((format): Case => [format, { type: 'string', format }])],
  ['an array', ARRAYS],
  ['an object', OBJECTS],
  ['a choice', CHOICES],
  ['a cycle is cut and stays valid', CYCLES],
] as readonly (readonly [string, readonly Case[]])[])('%s', (kind, cases) => {
  it.each(cases)('%s', async (...row) => {
    const [name, schema, others = {}] = row as unknown as Case;
    const one = await openSchema(schema, others);
    const uri = `https://vouch.test/${encodeURIComponent(`${kind} ${name}`)}`;
    // Objects share no parts, or the second validator would take them for one.
    const document = structuredClone({
      components: { schemas: { ...others, Subject: schema } },
      $ref: '#/components/schemas/Subject',
    });
    registerSchema(
      document as Parameters<typeof registerSchema>[0],
      uri,
      'https://json-schema.org/draft/2020-12/schema',
    );
    for (const seed of SEEDS) {
      const value = one.value({ seed });
      expect(one.check(value), JSON.stringify(value)?.slice(0, 300)).toEqual([]);
      const second = await validate(uri, value as never, 'BASIC');
      expect(second.valid, `${JSON.stringify(value)} ${JSON.stringify(second)}`.slice(0, 600)).toBe(true);
      expect(one.value({ seed })).toEqual(value);
    }
    expect(one.notes).toEqual([]);
    unregisterSchema(uri);
  });
});

describe('a schema that nothing fits', () => {
  it.each([
    ['false', false],
    ['two types', { allOf: [TEXT, INTEGER] }],
    ['bounds that cross', { type: 'integer', minimum: 5, maximum: 4 }],
    ['a property that must be and must not be', object({ a: false }, 'a')],
    ['a child without end', object({ a: reference('Subject') }, 'a')],
    ['a pattern that cannot be', { type: 'string', pattern: '.^' }],
  ])('%s is reported, and a value is returned', async (_, schema) => {
    const one = await openSchema(schema);
    expect(() => one.value()).not.toThrow();
    expect(one.notes.length).toBeGreaterThan(0);
    expect(one.notes[0]).toContain('/components/schemas/Subject');
  });
});
