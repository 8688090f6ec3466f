import { expect, it } from 'vitest';
import type { Contract } from '../../src/contract/contract.js';
import { readPointer } from '../../src/contract/pointer.js';
import { createValidators, type ValidatorsOptions } from '../../src/schema/validate.js';

/** A contract that holds schemas exactly as they are written here, without the repairs of loading. */
function toContract(schemas: object): Contract {
  const document = { components: { schemas } };
  return {
    title: 't',
    version: '1',
    files: [],
    hash: '',
    document,
    operations: [],
    securitySchemes: {},
    problems: [],
    operation: () => undefined,
    at: (pointer) => readPointer(document, pointer),
    resolve: (schema, pointer) => ({ schema, pointer }),
    locate: (pointer) => ({ pointer }),
  };
}

function createCheck(schemas: object, options?: ValidatorsOptions) {
  const validators = createValidators(toContract(schemas), options);
  const codes = (value: unknown): readonly string[] =>
    validators
      .check('/components/schemas/It', 'request')(value, 'body')
      .map(({ code }) => code);
  return { validators, codes };
}

const ref = (name: string): object => ({ $ref: `#/components/schemas/${name}` });

it('a check takes a schema that leads only to itself as broken, and does not hang', () => {
  const { codes, validators } = createCheck({ It: ref('Other'), Other: ref('It') });
  expect(codes(1)).toEqual(['TOO_DEEP']);
  const whole = createCheck({ It: { allOf: [ref('It')], type: 'integer' } });
  expect(whole.codes(1)).toEqual(['TOO_DEEP']);
  expect(validators.problems()).toEqual([]);
});

it('a check sees that a value is nested too deeply, and says so', () => {
  let deep: unknown = 1;
  for (let i = 0; i < 100_000; i++) deep = [deep];
  const { codes } = createCheck({ It: { items: ref('It') } });
  expect(codes(deep)).toEqual(['TOO_DEEP']);
});

it('a check knows properties through references for unevaluatedProperties', () => {
  const base = { type: 'object', properties: { a: { type: 'integer' } } };
  const { codes } = createCheck({
    It: { allOf: [ref('Base')], properties: { b: {} }, unevaluatedProperties: false },
    Base: base,
  });
  expect([codes({ a: 1, b: 2 }), codes({ a: 1, c: 2 }), codes({ a: 'x' })]).toEqual([[], ['UNEVALUATED'], ['TYPE']]);
});

it('a check lets a property be called like a keyword', () => {
  const names = [
    'example',
    'examples',
    '$ref',
    '$id',
    'nullable',
    'required',
    'discriminator',
    'default',
    'x-a',
    'title',
    'xml',
  ];
  const properties = Object.fromEntries(names.map((name) => [name, { type: 'integer' }]));
  const { codes, validators } = createCheck({ It: { properties, required: names } });
  expect(codes(Object.fromEntries(names.map((name) => [name, 1])))).toEqual([]);
  expect(codes(Object.fromEntries(names.map((name) => [name, 'x'])))).toEqual(names.map(() => 'TYPE'));
  expect(validators.problems()).toEqual([]);
});

it('a check is not misled by ids in examples, nor by two that are equal', () => {
  const example = { $id: 'same', $anchor: 'same', $ref: '#/nowhere' };
  const { codes, validators } = createCheck({
    It: { type: 'object', example, examples: [example], properties: { a: { example, type: 'integer' } } },
  });
  expect(codes({ a: 'x' })).toEqual(['TYPE']);
  expect(validators.problems()).toEqual([]);
});

it('a check does not write to the document', () => {
  const schemas = {
    It: { type: 'object', required: ['a'], properties: { a: { readOnly: true, minLength: 'one', type: 'string' } } },
  };
  const before = structuredClone(schemas);
  createCheck(schemas).codes({});
  expect(schemas).toEqual(before);
});

it('a check does not take an empty list for one that contains what the list before it did', () => {
  const { codes } = createCheck({ It: { items: { contains: { type: 'null' }, oneOf: [true] } } });
  expect([codes([[null]]), codes([[null], []])]).toEqual([[], ['CONTAINS']]);
});

it('a check looks on where there is nothing for prefixItems or propertyNames to look at', () => {
  const list = createCheck({
    It: { prefixItems: [{ type: 'null' }], items: { const: 1 }, minItems: 1, contains: {} },
  });
  expect(list.codes([]).toSorted()).toEqual(['CONTAINS', 'ITEM_COUNT']);
  const nested = createCheck({ It: { not: { propertyNames: { minLength: 1 }, properties: {}, minProperties: 1 } } });
  expect(nested.codes({})).toEqual([]);
  expect(nested.codes({ a: 1 })).toEqual(['EXCLUDED']);
});

it('a check takes formats as remarks where told so', () => {
  const schemas = { It: { type: 'string', format: 'date' } };
  expect(createCheck(schemas).codes('x')).toEqual(['FORMAT']);
  expect(createCheck(schemas, { formats: 'annotate' }).codes('x')).toEqual([]);
});

it('a check cannot be made to run what is written in a document', () => {
  const evil = '"];globalThis.broken=true;//`${globalThis.broken=true}`\n';
  const schemas = {
    It: { properties: { [evil]: { pattern: evil, format: evil, enum: [evil], const: evil } }, required: [evil] },
  };
  const { codes } = createCheck(schemas);
  expect(codes({})).toEqual(['REQUIRED']);
  codes({ [evil]: 'x' });
  expect((globalThis as Record<string, unknown>)['broken']).toBeUndefined();
});
