// @module-tag slow
// oxlint-disable unicorn/no-thenable -- `then` is a keyword of JSON Schema
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { isObject } from '../../src/base/json.js';
import { loadContract } from '../../src/contract/load/load.js';
import { createGenerator } from '../../src/generate/generate.js';
import { createAjvChecks } from '../../src/schema/ajv.js';
import { createUnits } from '../../src/schema/units.js';
import { createValidators } from '../../src/schema/validate.js';
import { growSchema } from '../generate/schema-grammar.js';
import { describeDocument, loadDocument } from '../state/real-document.js';
import { toDocument } from '../operation-parts.js';
import { INTEGER, ref, TEXT } from '../schema-parts.js';

// ajv decides about requests, the checker about answers. Here both decide about the same values.

type Contract = Awaited<ReturnType<typeof loadContract>>;
type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

const load = (schemas: Readonly<Record<string, unknown>>): Promise<Contract> =>
  loadContract(toDocument({}, schemas), {});

/** What ajv and the checker decide about values of clients. */
function createBoth(contract: Contract) {
  const { request, work } = createUnits(contract, 'assert');
  const compiled = createAjvChecks(request, { formats: 'assert', work });
  const check = (pointer: string) => {
    const [ajv, checker] = [compiled(pointer), request.check(pointer)];
    return { ajv, checker, findErrors: (value: unknown) => request.findErrors(pointer, value) };
  };
  return { check };
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

function expectAgreement(
  contract: Contract,
  pointer: string,
  values: readonly Json[],
  isLeftToChecker = false,
): number {
  const { ajv, checker, findErrors } = createBoth(contract).check(pointer);
  // Else ajv was not able to compile the schema.
  expect(ajv === checker).toBe(isLeftToChecker);
  for (const value of values) {
    const decided = {
      pointer,
      value,
      ajv: ajv(value),
      checker: checker(value),
      isExplained: findErrors(value).length > 0,
    };
    const isValid = decided.ajv;
    if (decided.checker !== isValid || decided.isExplained === isValid)
      expect(decided).toEqual({ pointer, value, ajv: isValid, checker: isValid, isExplained: !isValid });
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

it('the checker decides as ajv, for every schema of the grammar', async () => {
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
  { contains: INTEGER, minContains: 2, maxContains: 3 },
  { contains: INTEGER, minContains: 0 },
  { contains: INTEGER, minContains: 3, maxContains: 2 },
  { prefixItems: [TEXT, true], items: false },
  { prefixItems: [TEXT], items: INTEGER },
  { properties: { a: TEXT }, additionalProperties: false },
  { properties: { a: false }, patternProperties: { '^x-': INTEGER }, additionalProperties: { type: 'null' } },
  { properties: { ['__proto__']: TEXT }, required: ['__proto__'] },
  { propertyNames: { maxLength: 2 } },
  { minProperties: 1, maxProperties: 2 },
  { dependentRequired: { a: ['b', 'c'] } },
  { dependentSchemas: { a: { required: ['b'] } } },
  { required: ['a', 'toString'] },
  { oneOf: [INTEGER, { minimum: 2 }] },
  { anyOf: [] },
  { not: { anyOf: [TEXT, { type: 'array' }] } },
  { if: TEXT, then: { minLength: 2 }, else: { type: 'array' } },
  { if: { required: ['a'] }, else: { maxProperties: 0 } },
  { unevaluatedProperties: false, allOf: [{ properties: { a: true } }] },
  { properties: Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`p${i}`, INTEGER])) },
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
  'the checker decides as ajv: %s',
  async (_name, schema) => {
    expectAgreement(await load({ Root: schema }), '/components/schemas/Root', VALUES);
  },
);

const CLOSED = { unevaluatedProperties: false } as const;

it.each<readonly [string, object, readonly Json[], readonly Json[]]>([
  [
    'patterns beside a branch that is not taken',
    { ...CLOSED, patternProperties: { '^x': true }, if: { required: ['b'] }, then: { properties: { b: true } } },
    [{ 'x-one': 1 }, { 'x-one': 1, b: 2 }],
    [{ 'x-one': 1, other: 2 }],
  ],
  [
    'patterns beside a branch that fails',
    { ...CLOSED, patternProperties: { '^x': true }, anyOf: [{ required: ['b'], properties: { b: true } }, true] },
    [{ 'x-one': 1 }, { 'x-one': 1, b: 2 }],
    [{ 'x-one': 1, other: 2 }],
  ],
  [
    'patterns beside a branch that evaluates all',
    { ...CLOSED, patternProperties: { '^x': true }, anyOf: [{ required: ['none'] }, { additionalProperties: true }] },
    [{ 'x-one': 1 }, { 'x-one': 1, other: 2 }],
    [],
  ],
  [
    'the alternative that matches, and not the others',
    {
      ...CLOSED,
      oneOf: [
        { properties: { kind: { const: 'a' }, a: true }, required: ['kind'] },
        { properties: { kind: { const: 'b' }, b: true }, required: ['kind'] },
      ],
    },
    [
      { kind: 'a', a: 1 },
      { kind: 'b', b: 1 },
    ],
    [
      { kind: 'a', b: 1 },
      { kind: 'b', a: 1 },
    ],
  ],
  [
    'referenced schemas, also of schemas that they refer to',
    { ...CLOSED, allOf: [ref('Named')], properties: { size: true } },
    [{ id: 1, name: 'a', size: 2 }],
    [{ id: 1, other: 1 }],
  ],
  ['a closed schema inside of a closed one', { ...CLOSED, allOf: [ref('Closed')] }, [{ id: 1 }], [{ id: 1, other: 1 }]],
  ['not', { ...CLOSED, not: { properties: { a: { const: 1 } }, required: ['a'] } }, [{}], [{ a: 2 }, { b: 1 }]],
  [
    'dependent schemas whose property is present',
    { ...CLOSED, properties: { a: true }, dependentSchemas: { a: { properties: { b: true } } } },
    [{ a: 1, b: 2 }],
    [{ b: 2 }],
  ],
  [
    'a schema for the rest',
    { properties: { a: true }, unevaluatedProperties: INTEGER },
    [{ a: 'x', b: 1 }],
    [{ a: 'x', b: 'y' }],
  ],
  [
    'items of a tuple and those that contains matches',
    { prefixItems: [TEXT], contains: INTEGER, unevaluatedItems: false },
    [
      ['a', 1],
      ['a', 1, 2],
    ],
    [
      ['a', 1, 'b'],
      ['a', 1, null],
    ],
  ],
  [
    'items of a branch',
    { anyOf: [{ prefixItems: [{ const: 1 }, true] }, { prefixItems: [true] }], unevaluatedItems: { type: 'null' } },
    [
      [1, 2],
      [2, null],
      [1, 2, null],
    ],
    [
      [2, 2],
      [1, 2, 3],
    ],
  ],
  ['all items', { allOf: [{ items: INTEGER }], unevaluatedItems: false }, [[1, 2]], [['a']]],
])('evaluated are %s', async (_name, schema, valid, invalid) => {
  const id = { id: INTEGER };
  const contract = await load({
    Root: schema,
    Base: { properties: id },
    Named: { allOf: [ref('Base')], properties: { name: true } },
    Closed: { ...CLOSED, properties: id },
  });
  const pointer = '/components/schemas/Root';
  const validators = createValidators(contract);
  for (const check of [validators.check(pointer, 'response'), validators.checkSent(pointer)]) {
    expect(valid.map((value) => check(value, 'body'))).toEqual(valid.map(() => []));
    for (const value of invalid) expect(check(value, 'body'), JSON.stringify(value)).not.toEqual([]);
  }
  // What ajv takes for evaluated by `contains` is more than the standard says.
  expectAgreement(contract, pointer, [...valid, ...invalid, ...VALUES], 'contains' in schema);
});

/** The pointers of the schemas of a document: components, and those of parameters and bodies of requests. */
function listPointers(contract: Contract): readonly string[] {
  const sent = contract.operations.flatMap(({ parameters, body }) => [
    ...parameters.map(({ schemaPointer }) => schemaPointer),
    ...(body?.content ?? []).flatMap(({ schema, schemaPointer }) => (schema === undefined ? [] : schemaPointer)),
  ]);
  return [...listSchemas(contract).map((name) => `/components/schemas/${name}`), ...sent];
}

/** How many schemas of a document are compared. */
const SAMPLE = 80;

for (const name of [
  'box.json',
  'github.json',
  'openai.yaml',
  'petstore-2.0.yaml',
  'petstore-3.1.json',
  'stripe.yaml',
  'train-travel-3.1.json',
]) {
  describeDocument(name, (spec) =>
    it('the checker decides as ajv about values of its schemas', async () => {
      const contract = await loadDocument(spec);
      const generator = createGenerator(contract, createValidators(contract));
      const pointers = listPointers(contract);
      let compared = 0;
      for (const pointer of pointers.filter((_, i) => i % Math.ceil(pointers.length / SAMPLE) === 0)) {
        const value = generator.value(pointer, { seed: 1, key: pointer, direction: 'request', now: 0 }) as Json;
        compared += expectAgreement(contract, pointer, listChanges(value).slice(0, 80));
      }
      expect(compared).toBeGreaterThan(100);
    }),
  );
}

it('a malformed keyword is reported when the document is loaded, and the rest of its schema applies', async () => {
  const Root = { required: [1], dependentRequired: { a: 5 }, uniqueItems: 1, allOf: [], minLength: 2 };
  const contract = await load({ Root });
  const validators = createValidators(contract);
  const pointer = '/components/schemas/Root';
  for (const check of [validators.check(pointer, 'request'), validators.checkSent(pointer)]) {
    expect(check('a', 'body')).toMatchObject([{ code: 'LENGTH' }]);
    expect([{ a: [1, 1] }, [1, 1]].map((value) => check(value, 'body'))).toEqual([[], []]);
  }
  const reported = contract.problems.map(({ message }) => /^"(\w+)"/.exec(message)?.[1]);
  expect(new Set(reported)).toEqual(new Set(['allOf', 'dependentRequired', 'required', 'uniqueItems']));
});
