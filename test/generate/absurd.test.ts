// @module-tag slow
import { describe, expect, it } from 'vitest';
import { json, openMock } from '../answer/open-mock.js';
import { openSchema } from './one-schema.js';

const list = (items: unknown, minItems: number): object => ({ type: 'array', minItems, items });

/** Each demands a value that no memory holds. */
const TABLE: readonly (readonly [name: string, schema: object])[] = [
  ['a list of a billion items', list({ type: 'integer' }, 1e9)],
  ['lists of lists of lists', list(list(list({ type: 'integer' }, 2000), 2000), 2000)],
  ['a billion items of one kind', { type: 'array', contains: { const: 1 }, minContains: 1e9 }],
  ['a billion properties', { type: 'object', minProperties: 1e9 }],
  ['a text of a billion characters', { type: 'string', minLength: 1e9 }],
  ['a pattern of a billion characters', { type: 'string', pattern: '^a{1000000000}$' }],
];

describe('a schema that requires too much', () => {
  it.each(TABLE)('%s is answered with a 500 that says so', async (_name, schema) => {
    const mock = await openMock({ '/x': { get: { responses: { 200: json(schema) } } } });
    const response = await mock.fetch('/x');
    expect([response.status, await response.text()]).toEqual([500, expect.stringContaining('No value was found')]);
  });

  it('keeps a given value of any size', async () => {
    const given = Array.from({ length: 250_000 }, (_, i) => i);
    const one = await openSchema(list({ type: 'integer' }, 1));
    expect(one.complete(given)).toEqual(given);
  });
});
