import fc from 'fast-check';
import { expect, it } from 'vitest';
import { openSchema } from './one-schema.js';
import { growSchema } from './schema-grammar.js';

const NAMES = ['id', 'name', 'a', 'b1', 'zzflag', 'created_at', 'items'];

/** Values to grow schemas around: small, with names that mean something and names that do not. */
const witness = fc.letrec((tie) => ({
  json: fc.oneof(
    { maxDepth: 2, depthSize: 'small' },
    fc.constant(null),
    fc.boolean(),
    fc.integer({ min: -50, max: 500 }),
    fc.integer({ min: -500, max: 5000 }).map((cents) => cents / 100),
    fc.stringMatching(/^[a-z0-9 ]{0,8}$/),
    fc.array(tie('json'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom(...NAMES), tie('json'), { maxKeys: 4 }),
  ),
}));

it(
  'every schema of the grammar yields a value that fits it, the same twice for one seed',
  { tags: 'slow' },
  async () => {
    await fc.assert(
      fc.asyncProperty(witness.json, fc.nat(), async (value, seed) => {
        // Dictionaries come without a prototype; JSON does not care.
        const sentence = growSchema(JSON.parse(JSON.stringify(value)) as never, seed);
        const one = await openSchema(sentence.schema, sentence.definitions);
        // The grammar keeps its promise, but ajv refuses some values of `unevaluatedItems: false` beside `anyOf` and `if`.
        const refusals = one.check(sentence.witness);
        expect(
          refusals.filter(({ code }) => code !== 'UNEVALUATED' && code !== 'ITEM_COUNT' && code !== 'UNION'),
        ).toEqual([]);
        fc.pre(refusals.length === 0);
        const made = one.value({ seed });
        expect(one.check(made).map(({ pointer, message }) => [pointer, message])).toEqual([]);
        expect(one.notes).toEqual([]);
        expect(one.value({ seed })).toEqual(made);
      }),
      {
        numRuns: Number(process.env['FC_RUNS'] ?? 400),
        seed: process.env['FC_SEED'] === undefined ? 20260101 : Number(process.env['FC_SEED']),
        interruptAfterTimeLimit: 20_000,
      },
    );
  },
);
