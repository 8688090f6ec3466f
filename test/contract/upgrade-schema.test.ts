import { describe, expect, test } from 'vitest';
import { loadContract } from '../../src/contract/load/load.js';
import { documentOf, listProblems } from './loading.js';
import { TEXT, arrayOf, NUMBER, BOOLEAN } from '../document-parts.js';

const OTHER = { Other: { type: 'object' } };
const S = '/components/schemas/Subject';
const OTHER_REF = { $ref: '#/components/schemas/Other' };

/** [name, version, given schema, wanted schema, wanted problems]. */
const CASES: readonly (readonly [string, string, unknown, unknown, readonly string[]])[] = [
  ['3.0 nullable with a type', '3.0.3', { type: 'string', nullable: true }, { type: ['string', 'null'] }, []],
  ['3.0 nullable false', '3.0.3', { type: 'string', nullable: false }, TEXT, []],
  ['3.0 nullable without a type', '3.0.3', { nullable: true, minimum: 1 }, { minimum: 1 }, []],
  [
    '3.0 nullable with an enum',
    '3.0.3',
    { type: 'string', nullable: true, enum: ['a'] },
    { type: ['string', 'null'], enum: ['a', null] },
    [],
  ],
  ['3.0 nullable enum without a type', '3.0.3', { nullable: true, enum: ['a'] }, { enum: ['a', null] }, []],
  [
    '3.0 nullable around allOf keeps annotations outside',
    '3.0.3',
    { nullable: true, description: 'd', readOnly: true, allOf: [OTHER_REF] },
    { description: 'd', readOnly: true, anyOf: [{ allOf: [OTHER_REF] }, { type: 'null' }] },
    [],
  ],
  [
    '3.0 nullable around oneOf with a type',
    '3.0.3',
    { nullable: true, type: 'object', oneOf: [OTHER_REF] },
    { anyOf: [{ type: 'object', oneOf: [OTHER_REF] }, { type: 'null' }] },
    [],
  ],
  ['3.0 drops what stands beside a $ref', '3.0.3', { ...OTHER_REF, description: 'x', nullable: true }, OTHER_REF, []],
  [
    '3.1 keeps what stands beside a $ref',
    '3.1.0',
    { ...OTHER_REF, description: 'x' },
    { ...OTHER_REF, description: 'x' },
    [],
  ],
  [
    '3.1 nullable beside a $ref is a mistake and is understood',
    '3.1.0',
    { ...OTHER_REF, nullable: true },
    { anyOf: [OTHER_REF, { type: 'null' }] },
    [`SCHEMA_REPAIRED ${S}/nullable`],
  ],
  [
    '3.1 nullable with a type',
    '3.1.0',
    { type: 'string', nullable: true },
    { type: ['string', 'null'] },
    [`SCHEMA_REPAIRED ${S}/nullable`],
  ],
  ...['Output only. When.', '[Output Only] When.', 'Read-only', 'READ ONLY: when'].map(
    (description) =>
      [
        `a property that its description calls read-only: ${description}`,
        '3.0.3',
        { type: 'string', description },
        { type: 'string', description, readOnly: true },
        [],
      ] as const,
  ),
  ...['Read-only access to files.', 'Output only the names.'].map(
    (description) =>
      [
        `a description that is not about the property: ${description}`,
        '3.0.3',
        { description },
        { description },
        [],
      ] as const,
  ),
  ['2.0 x-nullable', '2.0', { type: 'string', 'x-nullable': true }, { type: ['string', 'null'] }, []],
  ['3.0 boolean exclusiveMinimum', '3.0.3', { minimum: 1, exclusiveMinimum: true }, { exclusiveMinimum: 1 }, []],
  ['3.0 exclusiveMaximum false', '3.0.3', { maximum: 1, exclusiveMaximum: false }, { maximum: 1 }, []],
  [
    '3.1 boolean exclusiveMaximum',
    '3.1.0',
    { maximum: 9, exclusiveMaximum: true },
    { exclusiveMaximum: 9 },
    [`SCHEMA_REPAIRED ${S}/exclusiveMaximum`],
  ],
  [
    'an example becomes the first of the examples',
    '3.0.3',
    { example: { $ref: 'x' } },
    { examples: [{ $ref: 'x' }] },
    [],
  ],
  ['an example of null stays one', '3.1.0', { example: null, examples: [1] }, { examples: [null, 1] }, []],
  ['a map of examples', '3.1.0', { examples: { a: { value: 1 }, b: 2 } }, { examples: [1, 2] }, []],
  [
    'format byte',
    '3.0.3',
    { type: 'string', format: 'byte' },
    { type: 'string', format: 'byte', contentEncoding: 'base64' },
    [],
  ],
  [
    'format base64',
    '3.0.3',
    { type: 'string', format: 'base64' },
    { type: 'string', format: 'byte', contentEncoding: 'base64' },
    [],
  ],
  ['format binary', '3.0.3', { type: 'string', format: 'binary' }, { type: 'string', format: 'binary' }, []],
  ['2.0 type file', '2.0', { type: 'file' }, { type: 'string', format: 'binary' }, []],
  ['3.x type file', '3.0.3', { type: 'file' }, { type: 'string', format: 'binary' }, [`SCHEMA_REPAIRED ${S}/type`]],
  ['a type nobody knows', '3.1.0', { type: 'foo', minimum: 1 }, { minimum: 1 }, [`SCHEMA_REPAIRED ${S}/type`]],
  ['a type in capitals', '3.1.0', { type: 'String' }, TEXT, [`SCHEMA_REPAIRED ${S}/type`]],
  ['a bare null in a list of types', '3.1.0', { type: ['string', null] }, { type: ['string', 'null'] }, []],
  ['an empty list of types', '3.1.0', { type: [] }, {}, [`SCHEMA_REPAIRED ${S}/type`]],
  ['a type as a number', '3.1.0', { type: 3 }, {}, [`SCHEMA_REPAIRED ${S}/type`]],
  ['a required name twice', '3.1.0', { required: ['a', 'a'] }, { required: ['a'] }, [`SCHEMA_REPAIRED ${S}/required`]],
  [
    'a property that says required: true',
    '3.0.3',
    { required: ['b'], properties: { a: { type: 'string', required: true }, b: {} } },
    { required: ['b', 'a'], properties: { a: TEXT, b: {} } },
    [`SCHEMA_REPAIRED ${S}/properties/a/required`],
  ],
  ['an empty enum', '3.1.0', { enum: [] }, {}, [`SCHEMA_REPAIRED ${S}/enum`]],
  [
    'an enum of numbers for a string',
    '3.1.0',
    { type: 'string', enum: [1, 2.5, true] },
    { type: 'string', enum: ['1', '2.5', 'true'] },
    [`SCHEMA_REPAIRED ${S}/enum`],
  ],
  [
    'an enum of an array that is meant for its items',
    '3.0.3',
    { type: 'array', items: TEXT, enum: ['a', 'b'] },
    arrayOf({ type: 'string', enum: ['a', 'b'] }),
    [`SCHEMA_REPAIRED ${S}/enum`],
  ],
  [
    'an enum of an array whose items have their own',
    '3.0.3',
    { type: 'array', items: { enum: ['a'] }, enum: ['a', 'b'] },
    arrayOf({ enum: ['a'] }),
    [`SCHEMA_REPAIRED ${S}/enum`],
  ],
  [
    'an enum whose values are all of another type',
    '3.0.3',
    { type: 'integer', format: 'int32', enum: ['0 (Standard)', '1 (Premium)'] },
    { format: 'int32', enum: ['0 (Standard)', '1 (Premium)'] },
    [`SCHEMA_REPAIRED ${S}/type`],
  ],
  [
    'an enum of booleans in quotes',
    '3.0.3',
    { type: 'boolean', enum: ['true', 'false'] },
    { type: 'boolean', enum: [true, false] },
    [`SCHEMA_REPAIRED ${S}/enum`],
  ],
  [
    'an enum of null alone',
    '3.1.0',
    { type: ['string', 'null'], enum: [null] },
    { type: ['string', 'null'], enum: [null] },
    [],
  ],
  [
    'null as the only type beside alternatives',
    '3.0.3',
    { type: 'null', oneOf: [TEXT, NUMBER] },
    { anyOf: [{ oneOf: [TEXT, NUMBER] }, { type: 'null' }] },
    [`SCHEMA_REPAIRED ${S}/type`],
  ],
  ['null as the only type', '3.1.0', { type: 'null', description: 'none' }, { type: 'null', description: 'none' }, []],
  [
    'alternatives that accept the same values',
    '3.1.0',
    {
      oneOf: [
        { title: 'SMS', properties: { id: { type: 'string', description: 'of the SMS' } } },
        { title: 'MMS', properties: { id: { type: 'string', example: 'm1' } } },
      ],
    },
    {
      anyOf: [
        { title: 'SMS', properties: { id: { type: 'string', description: 'of the SMS' } } },
        { title: 'MMS', properties: { id: { type: 'string', examples: ['m1'] } } },
      ],
    },
    [`SCHEMA_REPAIRED ${S}/oneOf`],
  ],
  [
    'alternatives that differ in members of a constant',
    '3.1.0',
    { oneOf: [{ const: { title: 'a' } }, { const: { title: 'b' } }] },
    { oneOf: [{ const: { title: 'a' } }, { const: { title: 'b' } }] },
    [],
  ],
  [
    'alternatives that differ for requests',
    '3.1.0',
    { oneOf: [{ properties: { id: { readOnly: true } } }, { properties: { id: {} } }] },
    { oneOf: [{ properties: { id: { readOnly: true } } }, { properties: { id: {} } }] },
    [],
  ],
  [
    'alternatives that differ in a property named description',
    '3.1.0',
    { oneOf: [{ properties: { description: TEXT } }, { properties: { description: { type: 'null' } } }] },
    { oneOf: [{ properties: { description: TEXT } }, { properties: { description: { type: 'null' } } }] },
    [],
  ],
  [
    'an enum of arrays',
    '3.0.3',
    { type: 'array', items: {}, enum: [['a'], ['b']] },
    { type: 'array', items: {}, enum: [['a'], ['b']] },
    [],
  ],
  [
    'an enum with one right member',
    '3.1.0',
    { type: 'string', enum: ['a', 1] },
    { type: 'string', enum: ['a', 1] },
    [],
  ],
  ['minLength as text', '3.1.0', { minLength: '1' }, { minLength: 1 }, [`SCHEMA_REPAIRED ${S}/minLength`]],
  ['a negative minLength', '3.1.0', { minLength: -1 }, {}, [`SCHEMA_REPAIRED ${S}/minLength`]],
  ['maximum that is no number', '3.1.0', { maximum: 'much' }, {}, [`SCHEMA_REPAIRED ${S}/maximum`]],
  ['multipleOf zero', '3.1.0', { multipleOf: 0 }, {}, [`SCHEMA_REPAIRED ${S}/multipleOf`]],
  [
    'uniqueItems as text',
    '3.1.0',
    { uniqueItems: 'true' },
    { uniqueItems: true },
    [`SCHEMA_REPAIRED ${S}/uniqueItems`],
  ],
  [
    'a list of items is prefixItems',
    '3.1.0',
    { items: [TEXT], additionalItems: false },
    { prefixItems: [TEXT], items: false },
    [`SCHEMA_REPAIRED ${S}/items`],
  ],
  ['items of null', '3.1.0', arrayOf(null), { type: 'array' }, []],
  [
    'a property that is no schema',
    '3.1.0',
    { properties: { a: 'string', b: 7, c: null, d: true } },
    { properties: { a: TEXT, b: {}, c: {}, d: true } },
    [`TYPE_MISMATCH ${S}/properties/a`, `TYPE_MISMATCH ${S}/properties/b`, `TYPE_MISMATCH ${S}/properties/c`],
  ],
  ['properties of null', '3.1.0', { properties: null }, {}, []],
  ['properties as a list', '3.1.0', { properties: [1] }, {}, [`SCHEMA_REPAIRED ${S}/properties`]],
  ['one schema in allOf', '3.1.0', { allOf: OTHER_REF }, { allOf: [OTHER_REF] }, [`SCHEMA_REPAIRED ${S}/allOf`]],
  ['an empty oneOf', '3.1.0', { oneOf: [] }, {}, [`SCHEMA_REPAIRED ${S}/oneOf`]],
  ['null in anyOf', '3.1.0', { anyOf: [null] }, { anyOf: [{}] }, [`TYPE_MISMATCH ${S}/anyOf/0`]],
  ['identity keywords', '3.1.0', { $id: 'https://e.x/a', $schema: 'x', $anchor: 'a', id: 'b' }, {}, []],
  [
    'a $ref to nothing',
    '3.1.0',
    { $ref: '#/components/schemas/Gone', title: 't' },
    { title: 't', 'x-vouch-unresolved': '#/components/schemas/Gone' },
    [`REFERENCE_UNRESOLVED ${S}/$ref`],
  ],
  ['a $ref that is no text', '3.1.0', { $ref: TEXT }, {}, [`TYPE_MISMATCH ${S}/$ref`]],
  ['a $ref to itself', '3.1.0', { $ref: `#${S}` }, { 'x-vouch-unresolved': `#${S}` }, [`SCHEMA_CIRCULAR ${S}/$ref`]],
  [
    'an allOf of itself',
    '3.0.3',
    { type: 'object', allOf: [{ $ref: `#${S}` }] },
    { type: 'object', allOf: [{ 'x-vouch-unresolved': `#${S}` }] },
    [`SCHEMA_CIRCULAR ${S}/allOf/0/$ref`],
  ],
  ['a list of itself is legal', '3.1.0', arrayOf({ $ref: `#${S}` }), arrayOf({ $ref: `#${S}` }), []],
  [
    'names of properties are no keywords',
    '3.0.3',
    {
      properties: {
        $ref: TEXT,
        example: { type: 'string', nullable: true },
        nullable: BOOLEAN,
        required: BOOLEAN,
        type: TEXT,
        properties: { type: 'object' },
        items: arrayOf({}),
        enum: TEXT,
        __proto__x: {},
      },
      patternProperties: { type: { nullable: true, type: 'string' } },
    },
    {
      properties: {
        $ref: TEXT,
        example: { type: ['string', 'null'] },
        nullable: BOOLEAN,
        required: BOOLEAN,
        type: TEXT,
        properties: { type: 'object' },
        items: arrayOf({}),
        enum: TEXT,
        __proto__x: {},
      },
      patternProperties: { type: { type: ['string', 'null'] } },
    },
    [],
  ],
  [
    'data is never looked into',
    '3.0.3',
    { default: { $ref: 'x', nullable: true }, enum: [{ $ref: '#/gone', type: 'foo' }], 'x-more': { $ref: '#/gone' } },
    { default: { $ref: 'x', nullable: true }, enum: [{ $ref: '#/gone', type: 'foo' }], 'x-more': { $ref: '#/gone' } },
    [],
  ],
  [
    '2.0 discriminator',
    '2.0',
    { discriminator: 'kind', properties: { kind: TEXT } },
    { discriminator: { propertyName: 'kind' }, properties: { kind: TEXT } },
    [],
  ],
  [
    'the names of a discriminator are filled in',
    '3.1.0',
    {
      oneOf: [OTHER_REF, { $ref: '#/components/schemas/More' }],
      discriminator: { propertyName: 'k', mapping: { m: 'More' } },
    },
    {
      oneOf: [OTHER_REF, { $ref: '#/components/schemas/More' }],
      discriminator: {
        propertyName: 'k',
        mapping: { Other: '#/components/schemas/Other', m: '#/components/schemas/More' },
      },
    },
    [],
  ],
  ['a discriminator without a name', '3.1.0', { discriminator: {} }, {}, [`SCHEMA_REPAIRED ${S}/discriminator`]],
];

describe('a schema of any version becomes one of the inner dialect', () => {
  test.each(CASES)('%s (%s)', async (_name, version, ...[given, want, problems]) => {
    const contract = await loadContract(documentOf(version, given, { ...OTHER, More: {} }));
    expect(contract.at(S)).toEqual(want);
    const wanted =
      version === '2.0' ? problems.map((text) => text.replace('components/schemas', 'definitions')) : problems;
    expect(listProblems(contract)).toEqual(wanted);
  });

  test('a property called __proto__ stays a property', async () => {
    const text = '{"properties": {"__proto__": {"type": "string", "nullable": true}}}';
    const contract = await loadContract(documentOf('3.0.0', JSON.parse(text)));
    const properties = contract.at(`${S}/properties`);
    expect(JSON.stringify(properties)).toBe('{"__proto__":{"type":["string","null"]}}');
  });

  test('a circle over three schemas is cut once', async () => {
    const ref = (name: string): object => ({ anyOf: [{ $ref: `#/components/schemas/${name}` }, { type: 'null' }] });
    const contract = await loadContract(documentOf('3.1.0', ref('A'), { A: ref('B'), B: ref('Subject') }));
    expect(contract.problems.map(({ code }) => code)).toEqual(['SCHEMA_CIRCULAR']);
  });
});
