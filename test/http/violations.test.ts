import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { loadContract } from '../../src/contract/load/load.js';
import { createValidators } from '../../src/schema/validate.js';
import { type Violation, VIOLATION_CODES } from '../../src/schema/violation.js';
import { TEXT, toDocument, object, INTEGER, ref, NUMBER, arrayOf } from '../document-parts.js';

/** What a check of a value against a schema of the document says. */
async function check(schema: object, value: unknown, schemas: object = {}): Promise<readonly Violation[]> {
  const document = toDocument({}, { It: schema, ...schemas });
  const contract = await loadContract(document);
  return createValidators(contract).check('/components/schemas/It', 'request')(value, 'body');
}

const SENTENCES: readonly (readonly [schema: object, value: unknown, code: string, says: string])[] = [
  [TEXT, 5, 'TYPE', 'the body must be a string, got 5'],
  [{ type: ['integer', 'null'] }, 'x', 'TYPE', 'the body must be an integer or null, got "x"'],
  [{ properties: { a: TEXT } }, { a: [] }, 'TYPE', 'body property "a" must be a string, got an empty array'],
  [
    { properties: { a: { properties: { 'b c': TEXT } } } },
    { a: { 'b c': {} } },
    'TYPE',
    'body property "a["b c"]" must be a string, got an object',
  ],
  [{ items: { properties: { a: TEXT } } }, [{}, { a: 1 }], 'TYPE', 'body item [1].a must be a string, got 1'],
  [{ enum: ['a', 'b', 'c'] }, 'd', 'ENUM', 'the body must be one of "a", "b", "c", got "d"'],
  [
    { enum: ['pending', 'active', 'closed'] },
    'actvie',
    'ENUM',
    'the body must be one of "pending", "active", "closed", got "actvie"; did you mean "active"?',
  ],
  [{ const: 1 }, 2, 'CONST', 'the body must be 1, got 2'],
  [{ type: 'object', required: ['name'] }, {}, 'REQUIRED', 'body property "name" is required'],
  [
    object({ name: TEXT }, 'name'),
    { nmae: 1 },
    'REQUIRED',
    'body property "name" is required; is "nmae" a misspelling of it?',
  ],
  [
    { properties: { name: TEXT }, additionalProperties: false },
    { nam: 1 },
    'ADDITIONAL_PROPERTY',
    'body property "nam" is not allowed; did you mean "name"?',
  ],
  [
    { properties: { name: TEXT }, unevaluatedProperties: false },
    { other: 1 },
    'UNEVALUATED',
    'body property "other" is not allowed',
  ],
  [{ minimum: 1 }, 0, 'RANGE', 'the body must be at least 1, got 0'],
  [{ exclusiveMaximum: 10 }, 10, 'RANGE', 'the body must be less than 10, got 10'],
  [{ multipleOf: 0.01 }, 1.005, 'MULTIPLE_OF', 'the body must be a multiple of 0.01, got 1.005'],
  [{ minLength: 1 }, '', 'LENGTH', 'the body must have at least 1 character, got 0'],
  [{ maxLength: 2 }, '😀😀😀', 'LENGTH', 'the body must have at most 2 characters, got 3'],
  [{ pattern: '^a+$' }, 'b', 'PATTERN', 'the body must match the pattern ^a+$, got "b"'],
  [{ format: 'date' }, '2026-02-30', 'FORMAT', 'the body must be a date such as 2026-01-31, got "2026-02-30"'],
  [
    { format: 'date-time' },
    '2026-01-01 00:00:00Z',
    'FORMAT',
    'the body must be a date and time such as 2026-01-31T12:00:00Z, got "2026-01-01 00:00:00Z"',
  ],
  [{ format: 'int32' }, 2 ** 31, 'FORMAT', 'the body must be a 32-bit integer, got 2147483648'],
  [{ minItems: 2 }, [1], 'ITEM_COUNT', 'the body must have at least 2 items, got 1'],
  [{ minProperties: 1 }, {}, 'PROPERTY_COUNT', 'the body must have at least 1 property, got 0'],
  [{ uniqueItems: true }, [1, 2, 1], 'UNIQUE', 'the body must not have duplicate items, got the same at [0] and [2]'],
  [{ contains: { const: 1 } }, [2], 'CONTAINS', 'the body must contain at least 1 matching item'],
  [
    { dependentRequired: { a: ['b'] } },
    { a: 1 },
    'DEPENDENT_REQUIRED',
    'body property "b" is required when "a" is present',
  ],
  [{ not: { type: 'null' } }, null, 'EXCLUDED', 'the body must not match the schema of "not", got null'],
  [{ properties: { a: false } }, { a: 1 }, 'EXCLUDED', 'body property "a" must not be present, got 1'],
  // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema.
  [{ if: { required: ['a'] }, then: { required: ['b'] } }, { a: 1 }, 'REQUIRED', 'body property "b" is required'],
  [{ type: 'string', enum: ['a', 'b'] }, 5, 'ENUM', 'the body must be one of "a", "b", got 5'],
  [{ type: 'null', const: null }, {}, 'CONST', 'the body must be null, got an object'],
  [TEXT, { a: 1 }, 'TYPE', 'the body must be a string, got an object'],
  [{ maxLength: 3 }, 'x'.repeat(500), 'LENGTH', 'the body must have at most 3 characters, got 500'],
  [{ const: 'a' }, 'x'.repeat(500), 'CONST', `the body must be "a", got "${'x'.repeat(59)}…" (500 characters)`],
];

const cat = object({ kind: { const: 'cat' }, lives: INTEGER }, 'kind', 'lives');
const dog = object({ kind: { enum: ['dog', 'hound'] }, name: TEXT }, 'kind', 'name');
const schemas = { Cat: cat, Dog: dog };
const refs = [ref('Cat'), ref('Dog')];
const plain = { Square: object({ side: NUMBER }, 'side'), Circle: { type: 'object', required: ['radius', 'x', 'y'] } };
const shapes = [ref('Square'), ref('Circle')];

const UNIONS: readonly (readonly [name: string, schema: object, value: unknown, says: readonly string[]])[] = [
  [
    'the branch that the tag means',
    { oneOf: refs },
    { kind: 'cat', lives: 'x' },
    ['body property "lives" must be an integer, got "x"'],
  ],
  [
    'an unknown tag',
    { anyOf: refs },
    { kind: 'houd' },
    ['body property "kind" must be one of "cat", "dog", "hound", got "houd"; did you mean "hound"?'],
  ],
  [
    'a missing tag that is declared',
    { oneOf: refs, discriminator: { propertyName: 'kind' } },
    {},
    ['body property "kind" is required: it selects one of 2 alternatives'],
  ],
  [
    'names as tags',
    { oneOf: shapes, discriminator: { propertyName: 'type' } },
    { type: 'Square' },
    ['body property "side" is required'],
  ],
  [
    'mapped tags',
    {
      oneOf: shapes,
      discriminator: { propertyName: 'type', mapping: { sq: '#/components/schemas/Square', ci: 'Circle' } },
    },
    { type: 'sq' },
    ['body property "side" is required'],
  ],
  [
    'an unknown mapped tag',
    {
      oneOf: shapes,
      discriminator: { propertyName: 'type', mapping: { sq: '#/components/schemas/Square', ci: 'Circle' } },
    },
    { type: 'tri' },
    ['body property "type" must be one of "sq", "ci", got "tri"'],
  ],
  [
    'no tag: the branch with the fewest departures',
    { oneOf: shapes },
    { side: 'x' },
    ['body property "side" must be a number, got "x" (compared with Square)'],
  ],
  [
    'another type than any branch',
    { anyOf: [TEXT, arrayOf(TEXT), { type: 'null' }] },
    5,
    ['the body must be a string, an array or null, got 5'],
  ],
  [
    'lists of words, merged',
    { anyOf: [{ enum: ['a', 'b'] }, { const: 'c' }, INTEGER] },
    'd',
    ['the body must be "a", "b", "c" or an integer, got "d"'],
  ],
  [
    'the only branch of its type',
    { anyOf: [{ type: 'null' }, arrayOf(TEXT)] },
    [1],
    ['body item [0] must be a string, got 1'],
  ],
  [
    'two branches that both fit',
    { oneOf: [{ title: 'Any text', type: 'string' }, { minLength: 1 }] },
    'x',
    ['the body must match exactly one of 2 alternatives, matches Any text and number 2'],
  ],
  [
    'a union in a union',
    { anyOf: [{ type: 'null' }, { oneOf: refs }] },
    { kind: 'dog' },
    ['body property "name" is required'],
  ],
  [
    'a property beside a union',
    { required: ['a'], oneOf: refs },
    { kind: 'cat' },
    ['body property "a" is required', 'body property "lives" is required'],
  ],
];

describe('a violation', () => {
  it.each(SENTENCES)('of %j by %j is a sentence', async (schema, value, code, says) => {
    const found = await check(schema, value);
    expect(found.map(({ message }) => message)).toEqual([says]);
    expect(found[0]).toMatchObject({ code, severity: 'error', in: 'body', by: 'client' });
  });

  it.each(UNIONS)('of a union is explained by %s', async (_name, schema, value, says) => {
    const found = await check(schema, value, { ...schemas, ...plain });
    expect(found.map(({ message }) => message).toSorted()).toEqual(says);
  });

  it('points into the value and to the rule in the document, through references', async () => {
    const found = await check(
      { properties: { pets: { items: { oneOf: refs } } } },
      {
        pets: [
          { kind: 'cat', lives: 1 },
          { kind: 'cat', lives: 'x' },
        ],
      },
      schemas,
    );
    expect(found).toMatchObject([
      { pointer: '/pets/1/lives', schemaPointer: '/components/schemas/Cat/properties/lives/type' },
    ]);
  });

  it('is reported at most twenty times', async () => {
    expect(
      await check(
        { items: TEXT },
        Array.from({ length: 100 }, (_, i) => i),
      ),
    ).toHaveLength(20);
  });

  it('of a parameter names it', async () => {
    const contract = await loadContract(toDocument({}, { It: { items: INTEGER } }));
    const found = createValidators(contract).check('/components/schemas/It', 'request')(['x'], 'query', 'ids');
    expect(found).toMatchObject([
      { in: 'query', pointer: '/ids/0', message: '"[0]" in query parameter "ids" must be an integer, got "x"' },
    ]);
  });

  it('of an answer is the mock’s, and says so', async () => {
    const contract = await loadContract(toDocument({}, { It: { properties: { a: TEXT } } }));
    const found = createValidators(contract).check('/components/schemas/It', 'response')({ a: 1 }, 'body');
    expect(found).toMatchObject([{ by: 'mock', message: 'answer property "a" must be a string, got 1' }]);
  });

  it('has a code with an explanation of one line', () => {
    for (const [code, explanation] of Object.entries(VIOLATION_CODES)) {
      expect(code).toMatch(/^[A-Z][A-Z_]+$/);
      expect(explanation).toMatch(/^[A-Z].{20,120}\.$/);
    }
    expect(Object.keys(VIOLATION_CODES)).toEqual(Object.keys(VIOLATION_CODES).toSorted());
  });
});

describe('docs/violations.md', () => {
  it('lists every code with its explanation, and no other', async () => {
    const page = await readFile(new URL('../../docs/violations.md', import.meta.url), 'utf8');
    const rows = [...page.matchAll(/^\| `([A-Z_]+)` \| (.*) \|$/gm)].map(([, code, says]) => [code, says]);
    expect(rows).toEqual(Object.entries(VIOLATION_CODES));
  });
});
