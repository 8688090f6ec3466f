import { describe, expect, it } from 'vitest';
import { createMock } from '../../src/index.js';

type Schemas = Readonly<Record<string, unknown>>;

const STRING = { type: 'string' };

const reference = (name: string): object => ({ $ref: `#/components/schemas/${name}` });

/** An object of `count` members. */
const members = <Value>(count: number, toMember: (i: number) => readonly [string, Value]): Record<string, Value> =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => toMember(i)));

const names = (count: number): readonly string[] => Array.from({ length: count }, (_, i) => `p${i}`);

const kind = (i: number): object => ({
  type: 'object',
  required: ['kind', `v${i}`],
  properties: { kind: { const: `k${i}` }, [`v${i}`]: STRING },
});

/** A document with one collection of items of a schema. */
function openThings(schema: unknown, schemas: Schemas = {}) {
  const content = { 'application/json': { schema } };
  const answer = { description: 'One', content };
  return createMock({
    spec: {
      openapi: '3.1.0',
      info: { title: 'Absurd', version: '1' },
      paths: {
        '/things': {
          get: { operationId: 'getThings', responses: { 200: answer } },
          post: { operationId: 'createThing', requestBody: { content }, responses: { 201: answer } },
        },
      },
      components: { schemas },
    },
  });
}

const post = (body: unknown): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
});

/** Each took a time that grew with the square of its size or exponentially, or answered 500. */
const TABLE: readonly [name: string, ...Parameters<typeof openThings>][] = [
  [
    '3,000 required properties',
    { type: 'object', required: names(3000), properties: members(3000, (i) => [`p${i}`, STRING]) },
  ],
  [
    '1,500 required properties of their own schemas',
    { type: 'object', required: names(1500), properties: members(1500, (i) => [`p${i}`, reference(`S${i}`)]) },
    members(1500, (i) => [`S${i}`, { type: 'object', required: ['a'], properties: { a: STRING } }]),
  ],
  ['300 alternatives', { oneOf: Array.from({ length: 300 }, (_, i) => kind(i)) }],
  [
    '300 alternatives with a discriminator',
    {
      oneOf: Array.from({ length: 300 }, (_, i) => reference(`S${i}`)),
      discriminator: { propertyName: 'kind', mapping: members(300, (i) => [`k${i}`, `#/components/schemas/S${i}`]) },
    },
    members(300, (i) => [`S${i}`, kind(i)]),
  ],
  [
    'a schema with 150 properties of itself',
    reference('Node'),
    {
      Node: {
        type: 'object',
        properties: members(150, (i) => [`p${i}`, reference('Node')]),
        additionalProperties: reference('Node'),
      },
    },
  ],
  [
    '300 conditions',
    {
      type: 'object',
      properties: members(300, (i) => [`p${i}`, STRING]),
      allOf: Array.from({ length: 300 }, (_, i) => ({
        if: { required: ['p0'], properties: { p0: { const: `k${i}` } } },
        // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
        then: { required: [`p${i}`] },
      })),
    },
  ],
  [
    '20,000 enumerated values',
    {
      type: 'object',
      required: ['a'],
      properties: { a: { enum: Array.from({ length: 20_000 }, (_, i) => `value-${i}`) } },
    },
  ],
  [
    'steps and bounds at the end of the range of numbers',
    {
      type: 'object',
      required: ['a', 'b', 'c', 'd', 'e', 'f'],
      properties: {
        a: { type: 'number', multipleOf: 1e-320 },
        b: { type: 'integer', multipleOf: 1e-320 },
        c: { type: 'integer', multipleOf: 1e300 },
        d: { type: 'number', multipleOf: 5e-324, maximum: -1e300 },
        e: { type: 'number', minimum: 1e308 },
        f: { type: 'integer', allOf: [7919, 104_729, 1_299_709, 15_485_863].map((multipleOf) => ({ multipleOf })) },
      },
    },
  ],
  [
    'values of faker with a billion parts',
    {
      type: 'object',
      required: ['a', 'b', 'c', 'd'],
      properties: {
        a: { type: 'string', 'x-faker': { 'string.alpha': 1e9 } },
        b: { type: 'string', 'x-faker': { 'lorem.words': [{ min: 1e9, max: 1e9 }] } },
        c: { type: 'string', 'x-faker': { 'helpers.fake': '{{string.alpha(1000000000)}}' } },
        d: { type: 'string', 'x-faker': { 'helpers.fromRegExp': '[a-z]{1000000000}' } },
      },
    },
  ],
  [
    'lists of lists, 40 levels deep',
    Array.from({ length: 40 }).reduce<object>((items) => ({ type: 'array', items }), STRING),
  ],
];

describe('a document of an absurd size', () => {
  it.each(TABLE)(
    '%s: the collection, a value that is sent and a wrong value are answered as declared',
    async (_name, ...things) => {
      const mock = await openThings(...things);
      const first = await mock.fetch('/things');
      expect(first.status).toBe(200);
      const value: unknown = await first.json();
      expect((await mock.fetch('/things', post(value))).status).toBe(201);
      expect((await mock.fetch('/things', post('wrong'))).status).toBe(400);
      await mock.close();
    },
    // Far less on an idle machine; none of them ended before.
    60_000,
  );

  it('a value with millions of required parts is answered with a 500 that says so', async () => {
    const mock = await openThings(
      reference('S0'),
      members(12, (i) => [
        `S${i}`,
        i < 11
          ? { type: 'object', required: names(4), properties: members(4, (k) => [`p${k}`, reference(`S${i + 1}`)]) }
          : { type: 'object' },
      ]),
    );
    const response = await mock.fetch('/things');
    expect([response.status, await response.text()]).toEqual([500, expect.stringContaining('breaks the contract')]);
    await mock.close();
  }, 60_000);
});
