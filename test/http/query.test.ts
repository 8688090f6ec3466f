import { expect, it } from 'vitest';
import type { CallDecoderOptions } from '../../src/http/request/call.js';
import { createAsk, toDocument, toLines, toSentences } from './decode.js';
import { TEXT, INTEGER, arrayOf, object, BOOLEAN, content } from '../document-parts.js';

const texts = arrayOf(TEXT);
const wholes = arrayOf(INTEGER);
const query = (name: string, schema: unknown, more: object = {}): object => ({ name, in: 'query', schema, ...more });

type Parameters = readonly object[];

async function decode(parameters: Parameters, search: string, options?: Partial<CallDecoderOptions>) {
  const ask = await createAsk(toDocument({ parameters }), options);
  return ask(`GET /things?${search}`);
}

const filter = query('filter', object({ a: INTEGER, b: object({ c: texts }) }), { style: 'deepObject' });

type Read = readonly [
  name: string,
  parameters: Parameters,
  search: string,
  want: object,
  options?: Partial<CallDecoderOptions>,
];

const READ: readonly Read[] = [
  ['an encoded delimiter is data', [query('a', texts, { explode: false })], 'a=1,2%2C3', { a: ['1', '2,3'] }],
  ['a plus is a space', [query('a', TEXT)], 'a=x+y%20z%2B', { a: 'x y z+' }],
  ['unicode is decoded', [query('é', TEXT)], '%C3%A9=%F0%9F%98%80', { é: '😀' }],
  [
    'reserved characters may stand raw',
    [query('a', TEXT, { allowReserved: true })],
    "a=x/y?z:[1]@!$'()*;",
    {
      a: "x/y?z:[1]@!$'()*;",
    },
  ],
  ['empty pairs are skipped', [query('a', TEXT)], '&&a=1&', { a: '1' }],
  ['an empty item of a list of texts is an item', [query('a', texts)], 'a=', { a: [''] }],
  ['an empty list of numbers is empty', [query('a', wholes)], 'a=', { a: [] }],
  [
    'a list declared with brackets is met without',
    [query('include[]', texts)],
    'include=a&include=b',
    {
      'include[]': ['a', 'b'],
    },
  ],
  [
    'a list declared with brackets is met with them',
    [query('include[]', texts)],
    'include[]=a',
    {
      'include[]': ['a'],
    },
  ],
  ['a name with brackets is a name', [query('page[size]', INTEGER)], 'page[size]=3', { 'page[size]': 3 }],
  [
    'deep objects nest',
    [filter],
    'filter[a]=1&filter[b][c][]=x&filter[b][c][]=y',
    {
      filter: { a: 1, b: { c: ['x', 'y'] } },
    },
  ],
  [
    'a list of objects is put together',
    [query('l', arrayOf(object({ a: INTEGER, b: INTEGER })))],
    'l[][a]=1&l[][b]=2&l[][a]=3',
    { l: [{ a: 1, b: 2 }, { a: 3 }] },
  ],
  [
    'a union of a text and a list takes a list',
    [query('a', { anyOf: [TEXT, texts] })],
    'a=x&a=y',
    {
      a: ['x', 'y'],
    },
  ],
  [
    'a union of a text and an object takes an object',
    [query('created', { anyOf: [object({ gt: INTEGER }), INTEGER] }, { style: 'deepObject' })],
    'created[gt]=5',
    { created: { gt: 5 } },
  ],
  [
    'a union of a text and an object takes a text',
    [query('created', { anyOf: [object({ gt: INTEGER }), INTEGER] }, { style: 'deepObject' })],
    'created=5',
    { created: 5 },
  ],
  [
    'several types take the narrowest that is valid',
    [query('a', { type: ['integer', 'string'], enum: ['1', 2] })],
    'a=1',
    { a: '1' },
  ],
  ['an enum without a type tells the type', [query('a', { enum: [1, 2] })], 'a=2', { a: 2 }],
  ['null is a reading where null is allowed', [query('a', { type: ['integer', 'null'] })], 'a=null', { a: null }],
  ['null is a text where a text is allowed', [query('a', { type: ['string', 'null'] })], 'a=null', { a: 'null' }],
  ['allowEmptyValue lets a bare name through', [query('a', BOOLEAN, { allowEmptyValue: true })], 'a', { a: true }],
  [
    'allowEmptyValue lets an empty value through',
    [query('a', INTEGER, { allowEmptyValue: true })],
    'a=',
    {
      a: '',
    },
  ],
  [
    'a free object takes every name that is left',
    [query('a', TEXT), query('rest', { type: 'object', additionalProperties: INTEGER })],
    'a=1&x=2&y=3',
    { a: '1', rest: { x: 2, y: 3 } },
  ],
  [
    '__proto__ is a name like any other',
    [query('filter', { type: 'object', additionalProperties: TEXT }, { style: 'deepObject' })],
    'filter[__proto__]=x&filter[a]=y',
    { filter: JSON.parse('{"__proto__":"x","a":"y"}') as unknown },
  ],
  ['profile dots reads a path', [filter], 'filter.a=1', { filter: { a: 1 } }, { queryProfile: 'dots' }],
  [
    'profile repeat does not split a list',
    [query('a', texts, { explode: false })],
    'a=1,2&a=3',
    { a: ['1,2', '3'] },
    { queryProfile: 'repeat' },
  ],
  [
    'a query that is one form is read whole',
    [
      {
        name: 'q',
        in: 'querystring',
        content: { 'application/x-www-form-urlencoded': { schema: object({ a: wholes, b: TEXT }) } },
      },
    ],
    'a=1&a=2&b=x',
    { q: { a: [1, 2], b: 'x' } },
  ],
  [
    'a query that is one JSON text is read whole',
    [{ name: 'q', in: 'querystring', content: content({ type: 'object' }) }],
    '%7B%22a%22%3A1%7D',
    { q: { a: 1 } },
  ],
];

const REFUSED: readonly (readonly [name: string, parameters: Parameters, search: string, line: string])[] = [
  [
    'one parameter both as a value and by its properties',
    [query('created', { anyOf: [object({ gt: INTEGER }), INTEGER] }, { style: 'deepObject' })],
    'created[gt]=5&created=6',
    'error PARAMETER_MALFORMED /created',
  ],
  ['a bad item of a list of one', [query('a', arrayOf({ enum: ['x', 'y'] }))], 'a[]=z', 'error ENUM /a/0'],
  ['a fraction is no integer', [query('a', INTEGER)], 'a=1.5', 'error TYPE /a'],
  ['hexadecimal is no integer', [query('a', INTEGER)], 'a=0x10', 'error TYPE /a'],
  ['an exponent is no integer', [query('a', INTEGER)], 'a=1e3', 'error TYPE /a'],
  ['a bare name is no integer', [query('a', INTEGER)], 'a', 'error TYPE /a'],
  ['yes is no flag', [query('a', BOOLEAN)], 'a=yes', 'error TYPE /a'],
  ['one value may not come twice', [query('a', INTEGER)], 'a=1&a=2', 'error PARAMETER_REPEATED /a'],
  ['a required one that is absent is missed', [query('a', TEXT, { required: true })], '', 'error REQUIRED /a'],
  ['an item of a list is named', [query('a', wholes)], 'a=1&a=x', 'error TYPE /a/1'],
  ['broken percent-encoding of a value', [query('a', TEXT)], 'a=%zz', 'error ENCODING_MALFORMED /a'],
  ['broken UTF-8', [query('a', TEXT)], 'a=%ff', 'error ENCODING_MALFORMED /a'],
  ['broken percent-encoding of what nobody declared', [], 'a=%zz', 'error ENCODING_MALFORMED /a'],
];

for (const [name, parameters, search, want, options] of READ) {
  it(`the query: ${name}`, async () => {
    const call = await decode(parameters, search, options);
    expect(call.query).toEqual(want);
    expect(toLines(call)).toEqual([]);
  });
}

it.each(REFUSED)('the query refuses or notes: %s', async (_name, parameters, search, line) => {
  expect(toLines(await decode(parameters, search))).toEqual([line]);
});

it('the query keeps undeclared parameters as strings', async () => {
  expect((await decode([], 'a=1&b=2&a=3')).query).toEqual({ a: ['1', '3'], b: '2' });
});

it('the query does not let a name pollute any object', async () => {
  const search = 'filter[__proto__][polluted]=1&__proto__[polluted]=1&constructor=2';
  const call = await decode([filter], search);
  expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  expect(Object.getPrototypeOf(call.query)).toBe(Object.prototype);
});

it('the query suggests the parameter that was probably meant', async () => {
  const call = await decode([query('limit', INTEGER)], 'limt=1');
  expect(toSentences(call)).toEqual(['query parameter "limt" is not declared by the operation; did you mean "limit"?']);
});

it('the query takes the name of a key in the query, and of a fixed query, as declared', async () => {
  const more = {
    components: { securitySchemes: { key: { type: 'apiKey', in: 'query', name: 'token' } } },
    security: [{ key: [] }],
  };
  const ask = await createAsk(toDocument({}, more, 'get /things?beta=true'));
  expect(toLines(await ask('GET /things?beta=true&token=x'))).toEqual([]);
});
