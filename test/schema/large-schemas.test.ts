// @module-tag slow
import { describe, expect, it } from 'vitest';
import { loadContract } from '../../src/contract/load/load.js';
import { createValidators } from '../../src/schema/validate.js';
import type { Violation } from '../../src/schema/violation.js';
import { toDocument } from '../operation-parts.js';
import { arrayOf, BOOLEAN, INTEGER, object, TEXT } from '../schema-parts.js';

// Issue 13, part 4: what a schema costs grows with its size, and with nothing else.

type Direction = 'request' | 'response';

async function createCheck(schema: object, direction: Direction = 'request') {
  const content = { 'application/json': { schema } };
  const post = { requestBody: { content }, responses: { 200: { description: 'ok' } } };
  const contract = await loadContract(toDocument({ '/a': { post } }));
  const check = createValidators(contract).check(
    '/paths/~1a/post/requestBody/content/application~1json/schema',
    direction,
  );
  return (value: unknown): readonly Violation[] => check(value, 'body');
}

const toNames = (count: number): readonly string[] => Array.from({ length: count }, (_, i) => `p${i}`);
const mapNames = <Value>(names: readonly string[], toValue: (name: string) => Value) =>
  Object.fromEntries(names.map((name) => [name, toValue(name)]));

/** Schemas of several kinds. */
const PARTS: readonly object[] = [
  TEXT,
  { type: 'integer', minimum: 3 },
  { enum: ['a', 'b'] },
  object({ x: arrayOf(BOOLEAN) }, 'x'),
  {
    anyOf: [
      { type: 'string', maxLength: 2 },
      { type: 'object', required: ['id'] },
    ],
  },
  { type: 'string', writeOnly: true },
  { not: { type: 'null' } },
];
const toPart = (name: string): object => PARTS[Number(name.slice(1)) % PARTS.length] ?? {};

describe('a schema with very many parts', () => {
  const WRONG = { p0: 1, p1: 2, p2: 'c', p3: { x: [1, true] }, p4: 'long', p5: 's', p6: null, extra: 1 };

  it.each<readonly [string, Direction, unknown]>([
    ['in a request', 'request', WRONG],
    ['in an answer', 'response', WRONG],
    ['without a property', 'request', { p0: 'a', p1x: 1 }],
    ['of another type', 'request', []],
    ['that is valid', 'request', { p0: 'a', p1: 3, p2: 'a', p3: { x: [] }, p4: 'ab', p5: '', p6: 1 }],
  ])('has the violations of one with few: a value %s', async (_name, direction, value) => {
    const toSchema = (count: number): object => ({
      type: 'object',
      required: ['p0', 'p1'],
      additionalProperties: false,
      properties: mapNames(toNames(count), toPart),
      allOf: toNames(count).map((name) =>
        name === 'p9' ? { required: ['p6'] } : { properties: { [name]: toPart(name) } },
      ),
    });
    const [few, many] = [await createCheck(toSchema(10), direction), await createCheck(toSchema(600), direction)];
    const describeAll = (found: readonly Violation[]): readonly string[] =>
      [...new Set(found.map(({ code, pointer, message }) => `${code} ${pointer} ${message}`))].toSorted();
    expect(describeAll(many(value))).toEqual(describeAll(few(value)));
  });

  /** Properties by pattern, and items by position. */
  const toPatternsAndItems = (count: number): object => ({
    type: ['object', 'array'],
    properties: { q0: INTEGER },
    patternProperties: { ...mapNames(toNames(count), toPart), '^p1$': { maximum: 5 }, '^p8': true, '[xyz]/~': BOOLEAN },
    additionalProperties: false,
    prefixItems: [...toNames(count).map(toPart), true],
    items: false,
  });
  const FEW = Object.fromEntries(Object.entries(WRONG).filter(([name]) => name !== 'p3'));

  it.each<readonly [string, Direction, unknown]>([
    ['wrong properties', 'request', WRONG],
    ['wrong properties in an answer', 'response', FEW],
    ['a name with several patterns, and one that a pointer escapes', 'request', { p1: 9.5, 'x/~': 1, q0: 'a' }],
    ['valid properties', 'request', { p0: 'a', p1: 4, p8x: null, 'x/~': true }],
    ['wrong items', 'request', [1, 2, 'c', { x: [1, true] }, 'long', 's', null]],
    ['wrong items in an answer', 'response', [1, 4, 'a', { x: [] }, 'ab', 's', 1]],
    ['valid items', 'request', ['a', 3]],
    ['neither', 'request', 5],
  ])('has the violations of one with few patterns and items: %s', async (_name, direction, value) => {
    const [few, many] = [
      await createCheck(toPatternsAndItems(10), direction),
      await createCheck(toPatternsAndItems(600), direction),
    ];
    const describeAll = (found: readonly Violation[]): readonly string[] =>
      [...new Set(found.map(({ code, pointer, message }) => `${code} ${pointer} ${message}`))].toSorted();
    expect(describeAll(many(value))).toEqual(describeAll(few(value)));
  });

  it.each([
    ['10,000 patterns', { patternProperties: mapNames(toNames(10_000), () => TEXT) }, { p1: 1 }, '/p1'],
    ['20,000 items by position', { prefixItems: toNames(20_000).map(() => TEXT) }, ['a', 1], '/1'],
  ])('of %s explains its first wrong value', async (_name, schema, value, pointer) => {
    const check = await createCheck(schema);
    const before = process.memoryUsage().heapUsed;
    // Compiled as a whole, patterns take longer than a test may, and items two hundred megabytes.
    expect(check(value)).toMatchObject([{ code: 'TYPE', pointer }]);
    expect((process.memoryUsage().heapUsed - before) / 1e6).toBeLessThan(120);
  });

  it('of 20,000 required properties explains its first wrong value', async () => {
    const names = toNames(20_000);
    const check = await createCheck({ type: 'object', required: names, properties: mapNames(names, () => TEXT) });
    const before = process.memoryUsage().heapUsed;
    const codes = check({ p0: 'a', p1: 1, p19999: 2 }).map(({ code, pointer }) => `${code} ${pointer}`);
    expect(codes).toHaveLength(20);
    expect(codes).toContain('REQUIRED /p2');
    expect(check(mapNames(names, (name) => (name === 'p19999' ? 2 : 'a')))).toMatchObject([
      { code: 'TYPE', pointer: '/p19999', message: 'body property "p19999" must be a string, got 2' },
    ]);
    // Compiled as a whole it takes hundreds of megabytes.
    expect((process.memoryUsage().heapUsed - before) / 1e6).toBeLessThan(150);
  });

  it('of 1,500 names that require each other explains its first wrong value', async () => {
    const names = toNames(1500);
    const check = await createCheck({
      dependentRequired: mapNames(names, (name) => names.filter((other) => other !== name)),
    });
    // With code for each pair it takes longer than a test may.
    expect(check({ p3: 1, other: 2 })[0]).toMatchObject({
      code: 'DEPENDENT_REQUIRED',
      pointer: '/p0',
      message: 'body property "p0" is required when "p3" is present',
    });
    expect(check(mapNames(names, () => 1))).toEqual([]);
  });
});
