// @module-tag thorough
import { describe, expect, it } from 'vitest';
import { openMock } from '../open-mock.js';
import { content, inPath, REMOVED, sends, shows, toDocument } from '../operation-parts.js';
import { arrayOf, object, ref, TEXT } from '../schema-parts.js';
import { send } from '../send.js';

type Schemas = Readonly<Record<string, unknown>>;

/** An object of `count` members. */
const members = <Value>(count: number, toMember: (i: number) => readonly [string, Value]): Record<string, Value> =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => toMember(i)));

const names = (count: number): readonly string[] => Array.from({ length: count }, (_, i) => `p${i}`);

const kind = (i: number): object => object({ kind: { const: `k${i}` }, [`v${i}`]: TEXT }, 'kind', `v${i}`);

/** A document with one collection of items of a schema. */
function openThings(schema: unknown, schemas: Schemas = {}) {
  const requestBody = { content: content(schema) };
  return openMock({
    spec: toDocument({ '/things': { get: shows(schema), post: { requestBody, ...shows(schema, 201) } } }, schemas),
  });
}

/** Each took a time that grew with the square of its size or exponentially, so that none ended within the time limit of a test, or answered 500. */
const TABLE: readonly [name: string, ...Parameters<typeof openThings>][] = [
  [
    '3,000 required properties',
    { type: 'object', required: names(3000), properties: members(3000, (i) => [`p${i}`, TEXT]) },
  ],
  [
    '1,500 required properties of their own schemas',
    { type: 'object', required: names(1500), properties: members(1500, (i) => [`p${i}`, ref(`S${i}`)]) },
    members(1500, (i) => [`S${i}`, object({ a: TEXT }, 'a')]),
  ],
  ['3,000 alternatives', { oneOf: Array.from({ length: 3000 }, (_, i) => kind(i)) }],
  [
    '3,000 alternatives with a discriminator',
    {
      oneOf: Array.from({ length: 3000 }, (_, i) => ref(`S${i}`)),
      discriminator: { propertyName: 'kind', mapping: members(3000, (i) => [`k${i}`, `#/components/schemas/S${i}`]) },
    },
    members(3000, (i) => [`S${i}`, kind(i)]),
  ],
  [
    'anyOf that names the same schema twice, 14 levels deep',
    ref('S0'),
    members(14, (i) => [
      `S${i}`,
      i < 13 ? { anyOf: [ref(`S${i + 1}`), ref(`S${i + 1}`)] } : object({ a: { type: 'integer', minimum: 5 } }, 'a'),
    ]),
  ],
  [
    'allOf that names the same schema twice, 14 levels deep',
    ref('S0'),
    members(14, (i) => [
      `S${i}`,
      i < 13 ? { allOf: [ref(`S${i + 1}`), ref(`S${i + 1}`)] } : object({ a: { type: 'integer', minimum: 5 } }, 'a'),
    ]),
  ],
  [
    'a schema with 150 properties of itself',
    ref('Node'),
    { Node: { ...object(members(150, (i) => [`p${i}`, ref('Node')])), additionalProperties: ref('Node') } },
  ],
  [
    '300 conditions',
    {
      ...object(members(300, (i) => [`p${i}`, TEXT])),
      allOf: Array.from({ length: 300 }, (_, i) => ({
        if: { required: ['p0'], properties: { p0: { const: `k${i}` } } },
        // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
        then: { required: [`p${i}`] },
      })),
    },
  ],
  ['20,000 enumerated values', object({ a: { enum: Array.from({ length: 20_000 }, (_, i) => `value-${i}`) } }, 'a')],
  [
    'steps and bounds at the end of the range of numbers',
    object(
      {
        a: { type: 'number', multipleOf: 1e-320 },
        b: { type: 'integer', multipleOf: 1e-320 },
        c: { type: 'integer', multipleOf: 1e300 },
        d: { type: 'number', multipleOf: 5e-324, maximum: -1e300 },
        e: { type: 'number', minimum: 1e308 },
        f: { type: 'integer', allOf: [7919, 104_729, 1_299_709, 15_485_863].map((multipleOf) => ({ multipleOf })) },
      },
      'a',
      'b',
      'c',
      'd',
      'e',
      'f',
    ),
  ],
  [
    'values of faker with a billion parts',
    object(
      {
        a: { type: 'string', 'x-faker': { 'string.alpha': 1e9 } },
        b: { type: 'string', 'x-faker': { 'lorem.words': [{ min: 1e9, max: 1e9 }] } },
        c: { type: 'string', 'x-faker': { 'helpers.fake': '{{string.alpha(1000000000)}}' } },
        d: { type: 'string', 'x-faker': { 'helpers.fromRegExp': '[a-z]{1000000000}' } },
      },
      'a',
      'b',
      'c',
      'd',
    ),
  ],
  ['lists of lists, 40 levels deep', Array.from({ length: 40 }).reduce<object>((items) => arrayOf(items), TEXT)],
];

describe('a document of an absurd size', () => {
  it.each(TABLE)(
    '%s: the collection, a value that is sent and a wrong value are answered as declared',
    async (_name, ...things) => {
      const mock = await openThings(...things);
      const { status, body } = await send(mock, '/things');
      expect(status).toBe(200);
      expect((await send(mock, '/things', body)).status).toBe(201);
      expect((await send(mock, '/things', 'wrong')).status).toBe(400);
    },
  );

  it('a value with millions of required parts is answered with a 500 that says so', async () => {
    const mock = await openThings(
      ref('S0'),
      members(12, (i) => [
        `S${i}`,
        i < 11
          ? { type: 'object', required: names(4), properties: members(4, (k) => [`p${k}`, ref(`S${i + 1}`)]) }
          : { type: 'object' },
      ]),
    );
    const response = await mock.fetch('/things');
    expect([response.status, await response.text()]).toEqual([500, expect.stringContaining('breaks the contract')]);
  });

  it('a pattern too long to be searched for is not checked, which is reported', async () => {
    for (const pattern of ['[ab]'.repeat(20_000), '[ab]{5000}']) {
      const mock = await openThings(object({ a: { type: 'string', pattern } }, 'a'));
      expect(mock.problems.map(({ code, message }) => [code, message])).toContainEqual([
        'SCHEMA_REPAIRED',
        expect.stringContaining('too long to be searched for in a string'),
      ]);
      expect((await mock.fetch('/things')).status).toBe(200);
      expect((await send(mock, '/things', { a: 'ab'.repeat(20_000) })).status).toBe(201);
    }
    const anchored = { type: 'string', pattern: `^${'[ab]'.repeat(5000)}$` };
    const mock = await openThings(object({ a: anchored }, 'a'));
    expect((await send(mock, '/things', { a: 'ab'.repeat(2500) })).status).toBe(201);
    expect((await send(mock, '/things', { a: 'ab' })).status).toBe(400);
  });

  /** A collection and its items, with a schema of their own for each number below `count`. */
  const openResources = (count: number, writes: boolean) => {
    return openMock({
      spec: toDocument(
        members<object>(2 * count, (k) => {
          const item = ref(`T${Math.floor(k / 2)}`);
          const path = `/r${Math.floor(k / 2)}`;
          const list = { get: shows(arrayOf(item)) };
          const one = { ...inPath('id'), get: shows(item) };
          if (k % 2 === 0) return [path, writes ? { ...list, post: { ...sends(item), ...shows(item) } } : list];
          return [`${path}/{id}`, writes ? { ...one, delete: REMOVED } : one];
        }),
        members(count, (i) => [`T${i}`, object({ id: TEXT, [`name${i}`]: TEXT }, 'id')]),
      ),
    });
  };

  it('8,000 operations of 2,000 resources are inferred', async () => {
    const mock = await openResources(2000, true);
    expect((await send(mock, '/r1999', { id: 'mine', name1999: 'Mine' })).status).toBe(200);
    expect((await send(mock, '/r1999/mine')).body).toMatchObject({ id: 'mine', name1999: 'Mine' });
  });

  it('4,000 resources that are only read are inferred', async () => {
    const mock = await openResources(4000, false);
    expect((await mock.fetch('/r3999')).status).toBe(200);
  });

  it('20,000 paths are loaded, and the nearest of them is found for an unknown one', async () => {
    const item = { ...inPath('id'), get: shows(object({ id: TEXT })) };
    const mock = await openMock({ spec: toDocument(members<object>(20_000, (i) => [`/resource-${i}/{id}`, item])) });
    expect((await mock.fetch('/resource-19999/a')).status).toBe(200);
    const unknown = await mock.fetch('/ressource-19999/a');
    expect([unknown.status, await unknown.text()]).toEqual([404, expect.stringContaining('/resource-19999/{id}')]);
  });
});
