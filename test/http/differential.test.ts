import fc from 'fast-check';
import { expect, it } from 'vitest';
import { loadContract } from '../../src/contract/load/load.js';
import { createValidators } from '../../src/schema/validate.js';
import { createSecondCheck } from '../sweep/second-validator.js';
import { toDocument } from '../document-parts.js';

type Schema = boolean | { readonly [keyword: string]: unknown };

const name = fc.constantFrom('a', 'b', 'c');
const scalar = fc.constantFrom<unknown>(null, true, 0, 1, 2.5, -1, '', 'a', 'bb', 'ccc');
const value = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    scalar,
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(name, tie('value'), { maxKeys: 3, noNullPrototype: true }),
  ),
})).value;

const type = fc.constantFrom('string', 'integer', 'number', 'boolean', 'null', 'array', 'object');
const reference = fc.constantFrom('A', 'B', 'C').map((target) => ({ $ref: `#/components/schemas/${target}` }));

/**
 * Schemas of every keyword that says something of structure, but for `unevaluated…` (ajv counts what an `if` that failed looked
 * at; its own suite knows of 17 such cases); references lead to three more, and back.
 */
const { schema } = fc.letrec<{ schema: Schema }>((tie) => {
  const below = tie('schema');
  const list = fc.array(below, { minLength: 1, maxLength: 3 });
  const keyword = fc.oneof(
    fc.record({ type: fc.oneof(type, fc.uniqueArray(type, { minLength: 1, maxLength: 3 })) }),
    fc.record({ enum: fc.uniqueArray(scalar, { minLength: 1, maxLength: 4 }) }),
    fc.record({ const: scalar }),
    fc.record({ minimum: fc.integer({ min: -1, max: 2 }), minLength: fc.nat(2), maxItems: fc.nat(2) }),
    fc.record({
      properties: fc.dictionary(name, below, { minKeys: 1, maxKeys: 3, noNullPrototype: true }),
      required: fc.uniqueArray(name, { maxLength: 2 }),
    }),
    fc.record({
      properties: fc.dictionary(name, below, { maxKeys: 2, noNullPrototype: true }),
      additionalProperties: below,
    }),
    fc.record({ items: below }),
    fc.record({ prefixItems: list, items: below }),
    fc.record({ contains: below }),
    fc.record({ uniqueItems: fc.constant(true) }),
    fc.record({ propertyNames: fc.record({ enum: fc.uniqueArray(name, { minLength: 1 }) }) }),
    fc.record({ dependentSchemas: fc.dictionary(name, below, { maxKeys: 2, noNullPrototype: true }) }),
    fc.record({ allOf: list }),
    fc.record({ anyOf: list }),
    fc.record({ oneOf: list }),
    fc.record({ not: below }),
    // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema.
    fc.record({ if: below, then: below, else: below }),
  );
  const merged = fc
    .array(keyword, { minLength: 1, maxLength: 2 })
    .map((parts) => Object.assign({}, ...parts) as Schema);
  return { schema: fc.oneof({ maxDepth: 3, depthSize: 'small' }, fc.boolean(), reference, merged) };
});

it(
  'a check agrees with a validator that shares no line with it on any schema and any value',
  { tags: 'slow' },
  async () => {
    // A structure around what A, B and C refer to, so that no chain of references comes back without a step into the value.
    const step = schema.map((inner) => ({ properties: { a: inner }, items: inner }));
    await fc.assert(
      fc.asyncProperty(
        schema,
        fc.record({ A: step, B: step, C: step }),
        fc.array(value, { minLength: 4, maxLength: 4 }),
        async (it, targets, values) => {
          const document = toDocument({}, { It: { allOf: [it] }, ...targets });
          const contract = await loadContract(document);
          const check = createValidators(contract).check('/components/schemas/It', 'response');
          const second = createSecondCheck(contract);
          for (const given of values) {
            const complaints = await second('/components/schemas/It', given);
            const found = check(given, 'body');
            expect(found.length === 0, JSON.stringify({ document, given, complaints, found })).toBe(
              complaints.length === 0,
            );
          }
        },
      ),
      // One seed: what another seed finds belongs into a test of its own, not into somebody else's build.
      { numRuns: 150, seed: 20_261_120 },
    );
  },
);
