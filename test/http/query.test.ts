import { describe, expect, it } from 'vitest';
import type { CallDecoderOptions } from '../../src/http/request/call.js';
import { createAsk, toDocument, toLines, toSentences } from './decode.js';
import { TEXT, INTEGER, arrayOf, object, BOOLEAN, NUMBER, content } from '../document-parts.js';

const texts = arrayOf(TEXT);
const wholes = arrayOf(INTEGER);
const query = (name: string, schema: unknown, more: object = {}): object => ({ name, in: 'query', schema, ...more });

interface Case {
  readonly name: string;
  readonly parameters: readonly object[];
  readonly search: string;
  readonly want?: Readonly<Record<string, unknown>>;
  readonly lines?: readonly string[];
  readonly options?: Partial<CallDecoderOptions>;
  readonly extensions?: object;
}

async function decode({ parameters, search, options, extensions }: Case) {
  const ask = await createAsk(toDocument({ parameters, ...extensions }), options);
  return ask(`GET /things?${search}`);
}

const filter = query('filter', object({ a: INTEGER, b: object({ c: texts }) }), { style: 'deepObject' });

const READ: readonly Case[] = [
  {
    name: 'an encoded delimiter is data',
    parameters: [query('a', texts, { explode: false })],
    search: 'a=1,2%2C3',
    want: { a: ['1', '2,3'] },
  },
  { name: 'a plus is a space', parameters: [query('a', TEXT)], search: 'a=x+y%20z%2B', want: { a: 'x y z+' } },
  { name: 'unicode is decoded', parameters: [query('é', TEXT)], search: '%C3%A9=%F0%9F%98%80', want: { é: '😀' } },
  { name: 'an equals sign belongs to the value', parameters: [query('a', TEXT)], search: 'a=b=c', want: { a: 'b=c' } },
  {
    name: 'reserved characters may stand raw',
    parameters: [query('a', TEXT, { allowReserved: true })],
    search: "a=x/y?z:[1]@!$'()*;",
    want: { a: "x/y?z:[1]@!$'()*;" },
  },
  { name: 'empty pairs are skipped', parameters: [query('a', TEXT)], search: '&&a=1&', want: { a: '1' } },
  { name: 'one text of a list is a list', parameters: [query('a', texts)], search: 'a=x', want: { a: ['x'] } },
  {
    name: 'an empty item of a list of texts is an item',
    parameters: [query('a', texts)],
    search: 'a=',
    want: { a: [''] },
  },
  { name: 'an empty list of numbers is empty', parameters: [query('a', wholes)], search: 'a=', want: { a: [] } },
  {
    name: 'an absent list is absent',
    parameters: [query('a', { ...texts, minItems: 1 }), query('b', TEXT)],
    search: 'b=1',
    want: { b: '1' },
  },
  { name: 'numbers in a list are numbers', parameters: [query('a', wholes)], search: 'a=1&a=2', want: { a: [1, 2] } },
  {
    name: 'brackets after a list are taken',
    parameters: [query('include', texts)],
    search: 'include[]=a&include[]=b',
    want: { include: ['a', 'b'] },
  },
  {
    name: 'encoded brackets are taken',
    parameters: [query('include', texts)],
    search: 'include%5B%5D=a',
    want: { include: ['a'] },
  },
  {
    name: 'indexes order a list',
    parameters: [query('include', texts)],
    search: 'include[1]=b&include[0]=a',
    want: { include: ['a', 'b'] },
  },
  {
    name: 'a list declared with brackets is met without',
    parameters: [query('include[]', texts)],
    search: 'include=a&include=b',
    want: { 'include[]': ['a', 'b'] },
  },
  {
    name: 'a list declared with brackets is met with them',
    parameters: [query('include[]', texts)],
    search: 'include[]=a',
    want: { 'include[]': ['a'] },
  },
  {
    name: 'a name with brackets is a name',
    parameters: [query('page[size]', INTEGER)],
    search: 'page[size]=3',
    want: { 'page[size]': 3 },
  },
  {
    name: 'deep objects nest',
    parameters: [filter],
    search: 'filter[a]=1&filter[b][c][]=x&filter[b][c][]=y',
    want: { filter: { a: 1, b: { c: ['x', 'y'] } } },
  },
  {
    name: 'a list of objects is put together',
    parameters: [query('l', arrayOf(object({ a: INTEGER, b: INTEGER })))],
    search: 'l[][a]=1&l[][b]=2&l[][a]=3',
    want: { l: [{ a: 1, b: 2 }, { a: 3 }] },
  },
  {
    name: 'a union takes the reading that fits',
    parameters: [query('a', { oneOf: [INTEGER, TEXT] })],
    search: 'a=12',
    want: { a: 12 },
  },
  {
    name: 'a union takes the other reading',
    parameters: [query('a', { oneOf: [INTEGER, TEXT] })],
    search: 'a=x',
    want: { a: 'x' },
  },
  {
    name: 'a union of a text and a list takes a list',
    parameters: [query('a', { anyOf: [TEXT, texts] })],
    search: 'a=x&a=y',
    want: { a: ['x', 'y'] },
  },
  {
    name: 'a union of a text and an object takes an object',
    parameters: [query('created', { anyOf: [object({ gt: INTEGER }), INTEGER] }, { style: 'deepObject' })],
    search: 'created[gt]=5',
    want: { created: { gt: 5 } },
  },
  {
    name: 'a union of a text and an object takes a text',
    parameters: [query('created', { anyOf: [object({ gt: INTEGER }), INTEGER] }, { style: 'deepObject' })],
    search: 'created=5',
    want: { created: 5 },
  },
  {
    name: 'several types take the narrowest that is valid',
    parameters: [query('a', { type: ['integer', 'string'], enum: ['1', 2] })],
    search: 'a=1',
    want: { a: '1' },
  },
  {
    name: 'an enum without a type tells the type',
    parameters: [query('a', { enum: [1, 2] })],
    search: 'a=2',
    want: { a: 2 },
  },
  { name: 'a flag is true or false', parameters: [query('a', BOOLEAN)], search: 'a=false', want: { a: false } },
  {
    name: 'null is a reading where null is allowed',
    parameters: [query('a', { type: ['integer', 'null'] })],
    search: 'a=null',
    want: { a: null },
  },
  {
    name: 'null is a text where a text is allowed',
    parameters: [query('a', { type: ['string', 'null'] })],
    search: 'a=null',
    want: { a: 'null' },
  },
  {
    name: 'numbers may be negative and fractional',
    parameters: [query('a', NUMBER)],
    search: 'a=-1.50',
    want: { a: -1.5 },
  },
  {
    name: 'JSON in a parameter with content is read',
    parameters: [{ name: 'a', in: 'query', content: content(object({ x: INTEGER })) }],
    search: 'a=%7B%22x%22%3A1%7D',
    want: { a: { x: 1 } },
  },
  {
    name: 'allowEmptyValue lets a bare name through',
    parameters: [query('a', BOOLEAN, { allowEmptyValue: true })],
    search: 'a',
    want: { a: true },
  },
  {
    name: 'allowEmptyValue lets an empty value through',
    parameters: [query('a', INTEGER, { allowEmptyValue: true })],
    search: 'a=',
    want: { a: '' },
  },
  {
    name: 'a free object takes every name that is left',
    parameters: [query('a', TEXT), query('rest', { type: 'object', additionalProperties: INTEGER })],
    search: 'a=1&x=2&y=3',
    want: { a: '1', rest: { x: 2, y: 3 } },
  },
  {
    name: '__proto__ is a name like any other',
    parameters: [query('filter', { type: 'object', additionalProperties: TEXT }, { style: 'deepObject' })],
    search: 'filter[__proto__]=x&filter[a]=y',
    want: { filter: JSON.parse('{"__proto__":"x","a":"y"}') as unknown },
  },
  {
    name: 'profile dots reads a path',
    parameters: [filter],
    search: 'filter.a=1',
    options: { queryProfile: 'dots' },
    want: { filter: { a: 1 } },
  },
  {
    name: 'profile comma splits a list',
    parameters: [query('a', wholes)],
    search: 'a=1,2&a=3',
    options: { queryProfile: 'comma' },
    want: { a: [1, 2, 3] },
  },
  {
    name: 'profile repeat does not split a list',
    parameters: [query('a', texts, { explode: false })],
    search: 'a=1,2&a=3',
    options: { queryProfile: 'repeat' },
    want: { a: ['1,2', '3'] },
  },
  {
    name: 'an operation states its own profile',
    parameters: [filter],
    search: 'filter.a=1',
    extensions: { 'x-mock': { query: 'dots' } },
    want: { filter: { a: 1 } },
  },
  {
    name: 'a query that is one form is read whole',
    parameters: [
      {
        name: 'q',
        in: 'querystring',
        content: { 'application/x-www-form-urlencoded': { schema: object({ a: wholes, b: TEXT }) } },
      },
    ],
    search: 'a=1&a=2&b=x',
    want: { q: { a: [1, 2], b: 'x' } },
  },
  {
    name: 'a query that is one JSON text is read whole',
    parameters: [{ name: 'q', in: 'querystring', content: content({ type: 'object' }) }],
    search: '%7B%22a%22%3A1%7D',
    want: { q: { a: 1 } },
  },
];

const REFUSED: readonly Case[] = [
  {
    name: 'one parameter both as a value and by its properties',
    parameters: [query('created', { anyOf: [object({ gt: INTEGER }), INTEGER] }, { style: 'deepObject' })],
    search: 'created[gt]=5&created=6',
    lines: ['error PARAMETER_MALFORMED /created'],
  },
  {
    name: 'a bad item of a list of one',
    parameters: [query('a', arrayOf({ enum: ['x', 'y'] }))],
    search: 'a[]=z',
    lines: ['error ENUM /a/0'],
  },
  {
    name: 'zero is below one',
    parameters: [query('a', { ...INTEGER, minimum: 1 })],
    search: 'a=0',
    lines: ['error RANGE /a'],
  },
  { name: 'letters are no integer', parameters: [query('a', INTEGER)], search: 'a=abc', lines: ['error TYPE /a'] },
  { name: 'a fraction is no integer', parameters: [query('a', INTEGER)], search: 'a=1.5', lines: ['error TYPE /a'] },
  { name: 'hexadecimal is no integer', parameters: [query('a', INTEGER)], search: 'a=0x10', lines: ['error TYPE /a'] },
  { name: 'an exponent is no integer', parameters: [query('a', INTEGER)], search: 'a=1e3', lines: ['error TYPE /a'] },
  { name: 'an empty value is no integer', parameters: [query('a', INTEGER)], search: 'a=', lines: ['error TYPE /a'] },
  { name: 'a bare name is no integer', parameters: [query('a', INTEGER)], search: 'a', lines: ['error TYPE /a'] },
  { name: '1 is a flag with a note', parameters: [query('a', BOOLEAN)], search: 'a=1', lines: ['note TYPE /a'] },
  { name: 'yes is no flag', parameters: [query('a', BOOLEAN)], search: 'a=yes', lines: ['error TYPE /a'] },
  {
    name: 'one value may not come twice',
    parameters: [query('a', INTEGER)],
    search: 'a=1&a=2',
    lines: ['error PARAMETER_REPEATED /a'],
  },
  {
    name: 'a required one that is absent is missed',
    parameters: [query('a', TEXT, { required: true })],
    search: '',
    lines: ['error REQUIRED /a'],
  },
  {
    name: 'a required one that is empty is there',
    parameters: [query('a', { ...TEXT, minLength: 1 }, { required: true })],
    search: 'a=',
    lines: ['error LENGTH /a'],
  },
  {
    name: 'an item of a list is named',
    parameters: [query('a', wholes)],
    search: 'a=1&a=x',
    lines: ['error TYPE /a/1'],
  },
  {
    name: 'a property of a deep object is named',
    parameters: [filter],
    search: 'filter[a]=x',
    lines: ['error TYPE /filter/a'],
  },
  {
    name: 'broken percent-encoding of a value',
    parameters: [query('a', TEXT)],
    search: 'a=%zz',
    lines: ['error ENCODING_MALFORMED /a'],
  },
  { name: 'broken UTF-8', parameters: [query('a', TEXT)], search: 'a=%ff', lines: ['error ENCODING_MALFORMED /a'] },
  {
    name: 'broken percent-encoding of what nobody declared',
    parameters: [],
    search: 'a=%zz',
    lines: ['error ENCODING_MALFORMED /a'],
  },
  {
    name: 'broken JSON in a parameter with content',
    parameters: [{ name: 'a', in: 'query', content: content({}) }],
    search: 'a=%7B',
    lines: ['error PARAMETER_MALFORMED /a'],
  },
  {
    name: 'no reading of a union fits',
    parameters: [query('a', { oneOf: [INTEGER, BOOLEAN] })],
    search: 'a=x',
    lines: ['error TYPE /a'],
  },
  {
    name: 'what nobody declared is noted',
    parameters: [query('limit', INTEGER)],
    search: 'limt=1',
    lines: ['note PARAMETER_UNDECLARED /limt'],
  },
  {
    name: 'what nobody declared is refused in strict mode',
    parameters: [query('limit', INTEGER)],
    search: 'limt=1',
    options: { strict: true },
    lines: ['error PARAMETER_UNDECLARED /limt'],
  },
];

describe('the query', () => {
  it.each(READ)('$name', async (given) => {
    const call = await decode(given);
    expect(call.query).toEqual(given.want);
    expect(toLines(call)).toEqual([]);
  });

  it.each(REFUSED)('refuses or notes: $name', async (given) => {
    expect(toLines(await decode(given))).toEqual(given.lines);
  });

  it('keeps undeclared parameters as strings', async () => {
    const call = await decode({ name: '', parameters: [], search: 'a=1&b=2&a=3' });
    expect(call.query).toEqual({ a: ['1', '3'], b: '2' });
  });

  it('does not let a name pollute any object', async () => {
    const call = await decode({
      name: '',
      parameters: [filter],
      search: 'filter[__proto__][polluted]=1&__proto__[polluted]=1&constructor=2',
    });
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
    expect(Object.getPrototypeOf(call.query)).toBe(Object.prototype);
  });

  it('suggests the parameter that was probably meant', async () => {
    const call = await decode({ name: '', parameters: [query('limit', INTEGER)], search: 'limt=1' });
    expect(toSentences(call)).toEqual([
      'query parameter "limt" is not declared by the operation; did you mean "limit"?',
    ]);
  });

  it('takes the name of a key in the query, and of a fixed query, as declared', async () => {
    const more = {
      components: { securitySchemes: { key: { type: 'apiKey', in: 'query', name: 'token' } } },
      security: [{ key: [] }],
    };
    const ask = await createAsk(toDocument({}, more, 'get /things?beta=true'));
    expect(toLines(await ask('GET /things?beta=true&token=x'))).toEqual([]);
  });
});
