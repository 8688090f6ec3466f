// @module-tag slow
import { describe, expect, it } from 'vitest';
import { createMock } from '../../src/index.js';
import type { MockOptions } from '../../src/mock/options.js';
import { arrayOf, BOOLEAN, content, INTEGER, json, object, ref, TEXT, toDocument } from '../document-parts.js';

type Schemas = Readonly<Record<string, object>>;

const FORM = 'application/x-www-form-urlencoded';

/** A document with one operation, whose 400 has a shape of its own. */
function toSpec(schemas: Schemas, type: string): MockOptions['spec'] {
  const responses = { 200: json(object({ ok: BOOLEAN })), 400: json(object({ oops: TEXT }, 'oops')) };
  const post = { operationId: 'send', requestBody: { content: content(ref('S'), type) }, responses };
  return toDocument({ '/x': { post } }, schemas);
}

/** The status of a request, and the codes and messages of its violations. */
async function send(schemas: Schemas, body: unknown, type = 'application/json') {
  const mock = await createMock({ spec: toSpec(schemas, type) });
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const response = await mock.fetch('/x', { method: 'POST', headers: { 'content-type': type }, body: text });
  const answer: unknown = await response.json();
  const violations = mock.journal.interactions[0]?.violations ?? [];
  return { status: response.status, answer, violations, codes: [...new Set(violations.map(({ code }) => code))] };
}

function nest(levels: number, inner: unknown): unknown {
  let value = inner;
  for (let i = 0; i < levels; i++) value = { next: value };
  return value;
}

/** Each level doubles the work, so that 60 levels never end. */
const LIST: Schemas = {
  S: {
    oneOf: [
      object({ name: TEXT, next: ref('S') }, 'name'),
      object({ next: ref('S') }, 'next'),
      object({ end: INTEGER, next: ref('S') }, 'end'),
    ],
  },
};

/** `S` is twice `S1`, which is twice `S2`, … */
function double(levels: number, last: object): Schemas {
  const nameOf = (i: number): string => (i === 0 ? 'S' : `S${i}`);
  const all = Array.from({ length: levels }, (_, i) => [
    nameOf(i),
    { allOf: [ref(nameOf(i + 1)), ref(nameOf(i + 1))] },
  ]);
  return Object.fromEntries([...all, [nameOf(levels), last]]) as Schemas;
}

const MANY = 100_000;
const members = (value: unknown): string =>
  `{${Array.from({ length: MANY }, (_, i) => `"key${i}":${JSON.stringify(value)}`).join(',')}}`;

describe('the cost of one request is bounded', () => {
  it('alternatives that contain themselves are checked once for each value', async () => {
    expect((await send(LIST, nest(60, { end: 1 }))).status).toBe(200);
    expect((await send(LIST, nest(60, { end: 'x' }))).status).toBe(400);
  });

  it.each([
    ['an object', { type: 'object', required: ['a'] }, { a: 1 }, {}],
    ['a string', { type: 'string', minLength: 3 }, '"abc"', '"ab"'],
    ['items', arrayOf(INTEGER), [1, 1], [1, 'x']],
  ])('a schema that contains another one twice on 60 levels is checked once: %s', async (_name, last, right, wrong) => {
    expect((await send(double(60, last), right)).status).toBe(200);
    const refused = await send(double(60, last), wrong);
    expect(refused.status).toBe(400);
    expect(refused.violations).toHaveLength(1);
  });

  it('errors of equal strings at several places name their own place', async () => {
    const schemas = { ...double(20, { type: 'string', minLength: 3 }), T: ref('S') };
    const { violations } = await send({ ...schemas, S: arrayOf(ref('S1')) }, ['ab', 'ab', 'abc', 'ab']);
    expect(violations.map(({ pointer }) => pointer)).toEqual(['/0', '/1', '/3']);
  });

  it('what cannot be kept ends at a limit, in the error shape of the contract', async () => {
    const parts = [object({ end: {}, next: ref('S') }), object({ next: ref('S') }, 'next')];
    const schemas = { S: { unevaluatedProperties: false, oneOf: parts } };
    const { status, answer, codes } = await send(schemas, nest(60, { end: 1 }));
    expect([status, codes]).toEqual([400, ['TOO_COSTLY']]);
    expect(answer).toEqual({ oops: expect.any(String) as string });
  });

  it('equal items are found by their content, not by comparing all pairs', async () => {
    const schemas = { S: { type: 'array', uniqueItems: true } };
    const items = Array.from({ length: MANY }, (_, i) => ({ id: i, at: { list: [i] } }));
    expect((await send(schemas, items)).status).toBe(200);
    const { violations } = await send(schemas, [...items, { at: { list: [7] }, id: 7 }]);
    expect(violations.map(({ message }) => message)).toEqual([
      `the body must not have duplicate items, got the same at [7] and [${MANY}]`,
    ]);
  });

  it.each([
    ['a string and a number', [1, '1', 'object {}', {}], true],
    [
      'objects with members in another order',
      [
        { a: 1, b: 2 },
        { b: 2, a: 1 },
      ],
      false,
    ],
    ['an array and an object', [['a'], { 0: 'a' }], true],
    ['null and its name', [null, 'null'], true],
    ['zeros', '[0, -0]', false],
    ['nested zeros', '[[0], [-0.0]]', false],
    ['booleans', [true, true], false],
    ['numbers in strings inside', [[1], ['1']], true],
  ])('uniqueItems compares %s as JSON', async (_name, body, isUnique) => {
    expect((await send({ S: { type: 'array', uniqueItems: true } }, body)).status).toBe(isUnique ? 200 : 400);
  });

  it.each<[name: string, schema: object, value: unknown, status: number]>([
    ['undeclared properties', object({ name: {} }), 1, 200],
    ['forbidden properties', { ...object({ name: {} }), additionalProperties: false }, 1, 400],
    ['unevaluated properties', { ...object({ name: {} }), unevaluatedProperties: false }, 1, 400],
    ['wrong names', { type: 'object', propertyNames: { pattern: '^x' } }, 1, 400],
    ['wrong values', { type: 'object', additionalProperties: { oneOf: [TEXT, { type: 'null' }] } }, 1, 400],
    ['wrong values of a reference', { type: 'object', additionalProperties: ref('T') }, 1, 400],
    ['missing properties', { type: 'object', required: Array.from({ length: 400 }, (_, i) => `key${i}x`) }, 1, 400],
    ['properties of a costly pattern', { type: 'object', patternProperties: { '^(\\w+)+\\1!$': TEXT } }, 1, 400],
  ])('of 100,000 %s the first twenty are reported', async (_name, schema, value, status) => {
    const found = await send({ S: schema, T: TEXT }, members(value));
    expect(found.status).toBe(status);
    expect(found.violations.length).toBeGreaterThan(0);
    expect(found.violations.length).toBeLessThanOrEqual(40);
  });

  // Each of these counted the characters of the whole string, and made an array of them.
  it('many limits on the length of a string of 4 MB', async () => {
    const lengths = Array.from({ length: 100 }, (_, i) => ({ maxLength: i + 1 }));
    const S = { allOf: [...lengths, { anyOf: lengths }, { minLength: 4 * 1024 * 1024 }, { minLength: 2 ** 40 }] };
    const { status, violations } = await send({ S }, JSON.stringify('😀'.repeat(1024 * 1024)));
    expect(status).toBe(400);
    expect(violations[0]?.message).toBe('the body must have at most 1 character, got 1048576');
    expect(violations.length).toBeGreaterThan(10);
  });

  it('a form has 99,000 names', async () => {
    const body = Array.from({ length: 99_000 }, (_, i) => `name${i}=1`).join('&');
    const { status, violations } = await send({ S: object({ a: {} }) }, body, FORM);
    expect([status, violations.length]).toEqual([200, 20]);
  });

  it('a pattern that backtracks decides 4 MB', async () => {
    const schemas = { S: { type: 'string', pattern: '^(\\w+\\s?)*$' } };
    const text = 'a'.repeat(4_000_000);
    expect((await send(schemas, JSON.stringify(text))).status).toBe(200);
    expect((await send(schemas, JSON.stringify(`${text}!`))).codes).toEqual(['PATTERN']);
  });

  it('a pattern with a back reference takes no more than its limit', async () => {
    const schemas = { S: { type: 'string', pattern: '^(a+)+\\1$' } };
    expect((await send(schemas, JSON.stringify('aaaa'))).status).toBe(200);
    const { status, codes, violations } = await send(schemas, JSON.stringify(`${'a'.repeat(60)}!`));
    expect([status, codes]).toEqual([400, ['TOO_COSTLY']]);
    expect(violations[0]?.message).toMatch(/too much work to be validated: 61 characters need more than 200000 steps/);
  });

  it('a large request is answered with generated values at once', async () => {
    const schemas = { S: { type: 'object' } };
    const { answer } = await send(schemas, members(1));
    expect(answer).toEqual({ ok: expect.any(Boolean) as boolean });
  });
});
