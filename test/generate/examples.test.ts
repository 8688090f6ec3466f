import { describe, expect, it } from 'vitest';
import { arrayOf, BOOLEAN, INTEGER, NUMBER, object, type Part, ref, TEXT } from '../schema-parts.js';
import { openSchema } from './one-schema.js';

const point = object({ x: NUMBER, y: NUMBER, note: TEXT }, 'x');
const nullable = (type: string): Part => ({ type: [type, 'null'] });

describe('a property whose schema has an example has its value', () => {
  it.each<readonly [string, Part, unknown]>([
    ['a map', { type: 'object', additionalProperties: INTEGER }, { north: 4 }],
    [
      'a map of objects',
      { type: 'object', additionalProperties: point },
      { a: { x: 1 }, b: { x: 2, note: 'b' }, c: { x: 3 } },
    ],
    [
      'a map of names that follow a pattern',
      { type: 'object', patternProperties: { '^p_': TEXT }, additionalProperties: false },
      { p_one: 'r' },
    ],
    ['an empty map', { type: 'object', additionalProperties: TEXT }, {}],
    ['a map without a type', { additionalProperties: TEXT }, { one: 'a', two: 'b' }],
    ['any object', { type: 'object' }, { id: 7, deep: { list: [1, 'two', null], flag: false } }],
    ['anything', {}, [1, { two: 2 }]],
    ['null of anything', {}, null],
    ['null or a string', nullable('string'), null],
    ['null or a number', nullable('number'), null],
    ['null or an object', { ...object({ a: INTEGER }), type: ['object', 'null'] }, null],
    ['null or a reference', { anyOf: [ref('Point'), { type: 'null' }] }, null],
    ['the second of two types', { type: ['string', 'integer'] }, 12],
    ['an alternative', { oneOf: [point, arrayOf(point)] }, [{ x: 1 }]],
    ['a scalar among alternatives', { anyOf: [TEXT, INTEGER, BOOLEAN] }, true],
    ['a list of one', arrayOf(TEXT), ['alone']],
    ['a list of five', arrayOf(INTEGER), [5, 4, 3, 2, 1]],
    ['a list of nothing', arrayOf(TEXT), []],
    ['a list without items', { type: 'array' }, ['a', 2]],
    ['a list of objects', arrayOf(point), [{ x: 1, y: 2 }, { x: 3 }, { x: 4, note: 'last' }, { x: 0 }]],
    ['a list of lists', arrayOf(arrayOf(NUMBER)), [[1, 2], [], [3]]],
    ['an object without its optional properties', point, { x: 3 }],
    ['an object with an undeclared property', point, { x: 3, z: 'deep' }],
    ['an object with null', object({ a: nullable('string'), b: TEXT }), { a: null, b: 'x' }],
    [
      'an object in objects',
      object({ a: object({ b: object({ c: object({ d: arrayOf(INTEGER) }) }) }) }),
      { a: { b: { c: { d: [1] } } } },
    ],
    ['a reference', ref('Shown'), { x: 8, y: 9 }],
  ])('%s', async (_, schema, example) => {
    const others = { Point: point, Shown: { ...point, example: { x: 8, y: 9 } } };
    const shown = '$ref' in schema ? schema : { ...schema, example };
    const one = await openSchema(object({ subject: shown, other: TEXT }, 'subject'), others);
    for (const seed of [1, 2, 3]) expect(one.value({ seed })).toEqual({ subject: example, other: expect.any(String) });
    expect(one.notes).toEqual([]);
  });
});

it('an example that breaks its schema is corrected where it does', async () => {
  const broken = { ...arrayOf(point), example: [{ x: 1 }, { x: 'wrong' }] };
  const one = await openSchema(
    object({ list: broken, short: { ...arrayOf(TEXT), minItems: 2, example: ['a'] } }, 'list', 'short'),
  );
  const value = one.value();
  expect(one.check(value)).toEqual([]);
  expect(value).toMatchObject({ short: { length: 2 } });
});

it('an example of a recursive schema ends', async () => {
  const nest = { ...arrayOf(ref('Nest')), example: [null, []] };
  const node = {
    ...object({ name: TEXT, next: ref('Node'), all: arrayOf(ref('Node')) }, 'name'),
    example: { name: 'a', next: 'b', all: [{}] },
  };
  const one = await openSchema(object({ nest: ref('Nest'), node: ref('Node') }, 'nest', 'node'), {
    Nest: nest,
    Node: node,
  });
  expect(one.check(one.value())).toEqual([]);
});

it('a default without content is not an example', async () => {
  const schema = object(
    { none: { ...nullable('string'), default: null }, list: { ...arrayOf(TEXT), default: [] } },
    'none',
    'list',
  );
  const one = await openSchema(schema);
  expect(one.value()).toEqual({ none: expect.any(String), list: expect.arrayContaining([expect.any(String)]) });
});
