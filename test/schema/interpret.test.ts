// @module-tag slow
// oxlint-disable unicorn/no-thenable -- `then` is a keyword of JSON Schema
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isObject } from '../../src/contract/json.js';
import { loadContract } from '../../src/contract/load/load.js';
import { createGenerator } from '../../src/generate/generate.js';
import { createUnits } from '../../src/schema/compile.js';
import { interpretSchema } from '../../src/schema/interpret/interpret-schema.js';
import { createWork, readUnit } from '../../src/schema/schema-unit.js';
import type { Direction, IsValid } from '../../src/schema/violation.js';
import { createValidators, prepareSchemas } from '../../src/schema/validate.js';
import { growSchema } from '../generate/schema-grammar.js';
import { loadDocument } from '../state/real-document.js';

type Contract = Awaited<ReturnType<typeof loadContract>>;
type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

const load = (schemas: Readonly<Record<string, unknown>>): Promise<Contract> =>
  loadContract({ openapi: '3.1.0', info: { title: 'Units', version: '1' }, paths: {}, components: { schemas } }, {});

/** The interpreted and the compiled check of each schema. */
function createBoth(contract: Contract, direction: Direction) {
  const units = createUnits(contract, 'assert', 0);
  const known = new Map<string, IsValid | undefined>();
  const interpret = (pointer: string): IsValid | undefined => {
    if (known.has(pointer)) return known.get(pointer);
    const unit = readUnit(contract, pointer, { direction, link: 'call' });
    const call = (at: string): IsValid => interpret(at) ?? ((value) => compile(at, value));
    const check = unit && interpretSchema(unit.schema, { formats: 'assert', work: createWork(), call });
    known.set(pointer, check);
    return check;
  };
  // The compiler that finds all errors decides as the one that finds the first.
  const compile = (pointer: string, value: unknown): boolean => units[direction].full(pointer)(value);
  return { interpret, compile, problems: units.problems };
}

/** The errors that an interpreted and a compiled schema find. */
function createExplainers(contract: Contract, direction: Direction) {
  const explain = (interpreted: number): ((pointer: string, value: unknown) => unknown) => {
    const units = createUnits(contract, 'assert', interpreted)[direction];
    return (pointer, value) => {
      const validate = units.full(pointer);
      if (validate(value)) return [];
      // What the compiler adds for its own messages is left out.
      return validate.errors?.map(({ keyword, instancePath, params: all, parentSchema, data }) => {
        const { comparison: _, deps: _deps, depsCount: _count, ...params } = all;
        const owner = units.pointerOf(parentSchema) ?? parentSchema;
        return { keyword, instancePath, params, owner, data };
      });
    };
  };
  return { interpret: explain(Infinity), compile: explain(0) };
}

/** The value, and others that differ from it in one place. */
function listChanges(value: Json): readonly Json[] {
  const others: readonly Json[] = [
    null,
    true,
    0,
    -1,
    1.5,
    1e300,
    '',
    'a',
    '2026-01-31',
    'x'.repeat(300),
    [],
    {},
    [value],
  ];
  if (Array.isArray(value)) {
    const items = value as readonly Json[];
    const changed = items.flatMap((item, i) =>
      listChanges(item)
        .slice(0, 8)
        .map((other) => items.with(i, other)),
    );
    return [value, ...others, ...changed.slice(0, 40), items.slice(1), [...items, ...items], [...items, null]];
  }
  if (typeof value !== 'object' || value === null) return [value, ...others];
  const entries = Object.entries(value);
  const changed = entries.flatMap(([name, member]) =>
    listChanges(member)
      .slice(0, 8)
      .map((other) => Object.fromEntries([...entries, [name, other]])),
  );
  const less = entries.map(([name]) => Object.fromEntries(entries.filter(([other]) => other !== name)));
  return [
    value,
    ...others,
    ...changed.slice(0, 200),
    ...less,
    Object.fromEntries([...entries, ['x-more', 1]]),
    Object.fromEntries([...entries, ['yy1', 'no']]),
  ];
}

function listSchemas(contract: Contract): readonly string[] {
  const schemas = contract.at('/components/schemas');
  return isObject(schemas) ? Object.keys(schemas) : [];
}

function expectAgreement(contract: Contract, pointer: string, values: readonly Json[]): number {
  const { interpret, compile } = createBoth(contract, 'response');
  const explainers = createExplainers(contract, 'response');
  const check = interpret(pointer);
  if (check === undefined) return 0;
  for (const value of values) {
    const [interpreted, compiled] = [check(value), compile(pointer, value)];
    if (interpreted !== compiled)
      expect({ pointer, value, interpreted }).toEqual({ pointer, value, interpreted: compiled });
    const [found, wanted] = [explainers.interpret(pointer, value), explainers.compile(pointer, value)];
    if (!isDeepStrictEqual(found, wanted)) expect({ pointer, value, found }).toEqual({ pointer, value, found: wanted });
  }
  return values.length;
}

const witness = fc.letrec((tie) => ({
  json: fc.oneof(
    { maxDepth: 2, depthSize: 'small' },
    fc.constant(null),
    fc.boolean(),
    fc.integer({ min: -50, max: 500 }),
    fc.integer({ min: -500, max: 5000 }).map((cents) => cents / 100),
    fc.stringMatching(/^[a-z0-9 😀]{0,8}$/u),
    fc.array(tie('json'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom('id', 'name', 'a', 'b1', 'zzflag', 'created_at'), tie('json'), { maxKeys: 4 }),
  ),
}));

it('an interpreted schema decides as the compiled one, for every schema of the grammar', async () => {
  let compared = 0;
  await fc.assert(
    fc.asyncProperty(witness.json, fc.nat(), async (given, seed) => {
      const value = JSON.parse(JSON.stringify(given)) as Json;
      const { schema, definitions } = growSchema(value, seed);
      const contract = await load({ ...definitions, Root: schema });
      compared += expectAgreement(contract, '/components/schemas/Root', listChanges(value));
    }),
    {
      numRuns: Number(process.env['FC_RUNS'] ?? 150),
      seed: process.env['FC_SEED'] === undefined ? 20260101 : Number(process.env['FC_SEED']),
    },
  );
  expect(compared).toBeGreaterThan(1000);
});

const KEYWORDS: readonly unknown[] = [
  { type: [] },
  { type: ['integer', 'null'] },
  { type: ['array', 'object', 'null'] },
  { type: 'number', multipleOf: 0.01 },
  { multipleOf: 1e-320 },
  { multipleOf: 0 },
  { const: { a: [1, { b: null }] } },
  { enum: [1, '1', null, [1], { a: 1 }] },
  { enum: [] },
  { minLength: 2, maxLength: 3 },
  { minLength: '2' },
  { pattern: '(' },
  { pattern: '^\\p{L}+$' },
  { pattern: '^[[:alpha:]]+\\z' },
  { format: 'date-time' },
  { format: 'int32' },
  { format: 'no-such-format' },
  { uniqueItems: true },
  { contains: { type: 'integer' }, minContains: 2, maxContains: 3 },
  { contains: { type: 'integer' }, minContains: 0 },
  { contains: { type: 'integer' }, minContains: 3, maxContains: 2 },
  { prefixItems: [{ type: 'string' }, true], items: false },
  { prefixItems: [{ type: 'string' }], items: { type: 'integer' } },
  { properties: { a: { type: 'string' } }, additionalProperties: false },
  {
    properties: { a: false },
    patternProperties: { '^x-': { type: 'integer' } },
    additionalProperties: { type: 'null' },
  },
  { properties: { ['__proto__']: { type: 'string' } }, required: ['__proto__'] },
  { propertyNames: { maxLength: 2 } },
  { minProperties: 1, maxProperties: 2 },
  { dependentRequired: { a: ['b', 'c'] } },
  { dependentSchemas: { a: { required: ['b'] } } },
  { required: ['a', 'toString'] },
  { oneOf: [{ type: 'integer' }, { minimum: 2 }] },
  { anyOf: [] },
  { not: { anyOf: [{ type: 'string' }, { type: 'array' }] } },
  { if: { type: 'string' }, then: { minLength: 2 }, else: { type: 'array' } },
  { if: { required: ['a'] }, else: { maxProperties: 0 } },
  { unevaluatedProperties: false, allOf: [{ properties: { a: true } }] },
  { properties: Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`p${i}`, { type: 'integer' }])) },
];

const VALUES: readonly Json[] = [
  ...listChanges({ a: 'x', b: 1, 'x-one': 2, p3: 'no' }),
  ...listChanges([1, 2, 'a', 1]),
  ...listChanges({ a: [1, { b: null }] }),
  '😀',
  '😀😀😀',
  'Zoë',
  '12:00:00Z',
  '2026-01-01T00:00:00Z',
  2 ** 40,
  -0,
  19.99,
  3,
  '1',

  ['a'],
  ['a', 1],
  ['a', 'b'],
  [1, 2],
  [1, 2, 3, 4],
  [
    { a: 1, b: 2 },
    { b: 2, a: 1 },
  ],
  ['1', 1],
  [null, 'null'],
];

it.each(KEYWORDS.map((schema) => [JSON.stringify(schema).slice(0, 70), schema]))(
  'an interpreted schema decides as the compiled one: %s',
  async (_name, schema) => {
    expectAgreement(await load({ Root: schema }), '/components/schemas/Root', VALUES);
  },
);

it.each([
  ['a branch that is not taken', { if: { required: ['b'] }, then: { properties: { b: true } } }, [true, true, false]],
  ['a branch that fails', { anyOf: [{ required: ['b'], properties: { b: true } }, true] }, [true, true, false]],
  [
    'a branch that evaluates all',
    { anyOf: [{ required: ['none'] }, { additionalProperties: true }] },
    [true, true, true],
  ],
])('properties evaluated by a pattern are added to those of %s', async (_name, branches, valid) => {
  const schema = { unevaluatedProperties: false, patternProperties: { '^x': true }, ...branches };
  const { compile } = createBoth(await load({ Root: schema }), 'response');
  const values = [{ 'x-one': 1 }, { 'x-one': 1, b: 2 }, { 'x-one': 1, other: 2 }];
  expect(values.map((value) => compile('/components/schemas/Root', value))).toEqual(valid);
});

const DOCUMENTS = ['petstore-3.1.json', 'train-travel-3.1.json', 'openai.yaml'];

describe('the documents of vendors', () => {
  it.each(DOCUMENTS)('each schema of %s decides as its compiled form', async (name) => {
    const contract = await loadDocument(new URL(`../../../shared/specs/${name}`, import.meta.url).pathname);
    const generator = createGenerator(contract, createValidators(contract));
    const schemas = listSchemas(contract);
    let compared = 0;
    for (const schema of schemas.filter((_, i) => i % Math.ceil(schemas.length / 60) === 0)) {
      const pointer = `/components/schemas/${schema}`;
      const value = generator.value(pointer, { seed: 1, key: schema, direction: 'response', now: 0 }) as Json;
      compared += expectAgreement(contract, pointer, listChanges(value).slice(0, 80));
    }
    expect(compared).toBeGreaterThan(100);
  });

  it.each(DOCUMENTS)('the schemas of %s have the problems that compiling all of them finds', async (name) => {
    const contract = await loadDocument(new URL(`../../../shared/specs/${name}`, import.meta.url).pathname);
    const validators = createValidators(contract);
    for (const pointer of prepareSchemas(contract, validators)) void pointer;
    const { compile, problems } = createBoth(contract, 'response');
    for (const schema of listSchemas(contract)) {
      compile(`/components/schemas/${schema}`, {});
    }
    const found = problems().map(({ message }) => message);
    const known = new Set(validators.problems().map(({ message }) => message));
    expect(found.filter((message) => !known.has(message))).toEqual([]);
  });
});
