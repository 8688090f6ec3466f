import { describe, expect, it } from 'vitest';
import type { CallDecoderOptions } from '../../src/http/request/call.js';
import { createAsk, toDocument, toLines, toSentences } from './decode.js';

const text = { type: 'string' };
const whole = { type: 'integer' };
const json = 'application/json';

interface Case {
  readonly name: string;
  /** Of the request body; `application/json` of any value by default. */
  readonly content?: object;
  readonly required?: boolean;
  readonly type?: string;
  readonly sent?: string | Uint8Array;
  readonly want?: unknown;
  readonly lines?: readonly string[];
  readonly options?: Partial<CallDecoderOptions>;
}

async function decode(given: Case) {
  const { content = { [json]: { schema: {} } }, required = true, type, sent, options } = given;
  const ask = await createAsk(toDocument({ requestBody: { required, content } }, {}, 'post /things'), options);
  const headers: Record<string, string> = type === undefined ? {} : { 'content-type': type };
  return ask({ ask: 'POST /things', headers, ...(sent === undefined ? {} : { body: sent }) });
}

const ofSchema = (schema: object, type = json): object => ({ [type]: { schema } });
const person = {
  type: 'object',
  required: ['name'],
  properties: { name: text, age: whole, id: { ...text, readOnly: true } },
};

const JSON_BODIES: readonly Case[] = [
  { name: 'an object', type: json, sent: '{"a":1}', want: { a: 1 } },
  { name: 'a list', type: json, sent: '[1]', want: [1] },
  { name: 'null', type: json, sent: 'null', want: null },
  { name: 'zero', type: json, sent: '0', want: 0 },
  { name: 'false', type: json, sent: 'false', want: false },
  { name: 'an empty text', type: json, sent: '""', want: '' },
  { name: 'a byte order mark', type: json, sent: '\uFEFF{"a":1}', want: { a: 1 } },
  { name: 'a charset and odd case', type: 'Application/JSON; Charset="UTF-8"', sent: '{"é":"😀"}', want: { é: '😀' } },
  {
    name: 'another charset',
    type: 'application/json; charset=iso-8859-1',
    sent: Uint8Array.of(0x22, 0xe9, 0x22),
    want: 'é',
  },
  {
    name: 'a declared profile of JSON',
    content: ofSchema({}, 'application/vnd.x+json'),
    type: 'application/vnd.x+json',
    sent: '{"a":1}',
    want: { a: 1 },
  },
  { name: 'a covering range', content: ofSchema({}, 'application/*'), type: json, sent: '{"a":1}', want: { a: 1 } },
  {
    name: 'anything',
    content: ofSchema(person, '*/*'),
    type: json,
    sent: '{}',
    want: {},
    lines: ['error REQUIRED /name'],
  },
  {
    name: 'an object as text',
    content: ofSchema(person, 'text/plain'),
    type: 'text/plain',
    sent: '{"name":"a"}',
    want: { name: 'a' },
  },
  {
    name: 'a form whose schema is a string',
    content: ofSchema(text, 'application/x-www-form-urlencoded'),
    type: 'application/x-www-form-urlencoded',
    sent: 'text=a+b&c',
    want: 'text=a+b&c',
  },
  {
    name: 'no content type, guessed',
    sent: '{"a":1}',
    want: { a: 1 },
    lines: ['note CONTENT_TYPE_MISSING /content-type'],
  },
  {
    name: 'no content type in strict mode',
    sent: '{"a":1}',
    want: { a: 1 },
    options: { strict: true },
    lines: ['error CONTENT_TYPE_MISSING /content-type'],
  },
  { name: 'none, and none required', required: false, want: undefined },
  { name: 'empty, and none required', required: false, type: json, sent: '', want: undefined },
  { name: 'none, but required', want: undefined, lines: ['error BODY_REQUIRED'] },
  { name: 'empty, but required', type: json, sent: '', want: undefined, lines: ['error BODY_REQUIRED'] },
  {
    name: 'another type than declared',
    type: 'text/xml',
    sent: '<a/>',
    want: undefined,
    lines: ['error CONTENT_TYPE_UNDECLARED /content-type'],
  },
  {
    name: 'another profile than declared',
    type: 'application/merge-patch+json',
    sent: '{}',
    want: {},
    lines: ['note CONTENT_TYPE_UNDECLARED /content-type'],
  },
  {
    name: 'bytes that are no UTF-8',
    type: json,
    sent: Uint8Array.of(0x22, 0xff, 0x22),
    want: undefined,
    lines: ['error BODY_MALFORMED'],
  },
  { name: 'the replacement character itself', type: json, sent: '"\uFFFD"', want: '\uFFFD' },
  {
    name: 'too deep a nest',
    type: json,
    sent: '['.repeat(5000),
    options: { bodyLimitBytes: 10_000 },
    want: undefined,
    lines: ['error TOO_DEEP'],
  },
  {
    name: 'brackets inside a text',
    type: json,
    sent: JSON.stringify('['.repeat(5000)),
    options: { bodyLimitBytes: 10_000 },
    want: '['.repeat(5000),
  },
  {
    name: 'an undeclared property',
    content: ofSchema(person),
    type: json,
    sent: '{"name":"a","x":1}',
    want: { name: 'a', x: 1 },
    lines: ['note PROPERTY_UNDECLARED /x'],
  },
  {
    name: 'an undeclared property in strict mode',
    content: ofSchema(person),
    type: json,
    sent: '{"name":"a","x":1}',
    want: { name: 'a', x: 1 },
    options: { strict: true },
    lines: ['error PROPERTY_UNDECLARED /x'],
  },
  {
    name: 'properties the schema leaves open',
    content: ofSchema({ ...person, additionalProperties: whole }),
    type: json,
    sent: '{"name":"a","x":1}',
    want: { name: 'a', x: 1 },
  },
  {
    name: 'any property where none is named',
    content: ofSchema({ type: 'object' }),
    type: json,
    sent: '{"x":1}',
    want: { x: 1 },
  },
  {
    name: 'a read-only property',
    content: ofSchema(person),
    type: json,
    sent: '{"name":"a","id":"x"}',
    want: { name: 'a', id: 'x' },
    lines: ['note READ_ONLY /id'],
  },
  {
    name: 'required but read-only',
    content: ofSchema({ ...person, required: ['name', 'id'] }),
    type: json,
    sent: '{"name":"a"}',
    want: { name: 'a' },
  },
  {
    name: '__proto__',
    type: json,
    sent: '{"__proto__":{"polluted":1}}',
    want: JSON.parse('{"__proto__":{"polluted":1}}') as unknown,
  },
];

const OTHER_BODIES: readonly Case[] = [
  {
    name: 'a text',
    content: ofSchema({ ...text, minLength: 2 }, 'text/plain'),
    type: 'text/plain',
    sent: 'a',
    want: 'a',
    lines: ['error LENGTH'],
  },
  { name: 'a text that is a number', content: ofSchema(whole, 'text/plain'), type: 'text/plain', sent: '12', want: 12 },
  { name: 'an empty text', content: ofSchema(text, 'text/plain'), type: 'text/plain', sent: '', want: '' },
  {
    name: 'bytes',
    content: { 'application/octet-stream': {} },
    type: 'application/octet-stream',
    sent: Uint8Array.of(0, 255, 10),
    want: Uint8Array.of(0, 255, 10),
  },
  {
    name: 'bytes of a schema',
    content: ofSchema({ ...text, format: 'binary', maxLength: 2 }, 'image/*'),
    type: 'image/png',
    sent: Uint8Array.of(0, 255, 10),
    want: Uint8Array.of(0, 255, 10),
    lines: ['error LENGTH'],
  },
  {
    name: 'an image for anything',
    content: ofSchema({}, '*/*'),
    type: 'image/png',
    sent: Uint8Array.of(0, 255),
    want: Uint8Array.of(0, 255),
  },
];

const form = 'application/x-www-form-urlencoded';
const order = {
  type: 'object',
  properties: {
    name: text,
    count: whole,
    tags: { type: 'array', items: text },
    sizes: { type: 'array', items: whole },
    to: { type: 'object', properties: { city: text, zip: whole } },
    gift: { type: 'boolean' },
  },
};
const encoded = (encoding: object): object => ({ [form]: { schema: order, encoding } });

const FORM_BODIES: readonly Case[] = [
  {
    name: 'values of their types',
    content: ofSchema(order, form),
    type: form,
    sent: 'name=a+b&count=3&gift=true',
    want: { name: 'a b', count: 3, gift: true },
  },
  {
    name: 'repeated names as a list',
    content: ofSchema(order, form),
    type: form,
    sent: 'tags=x&tags=y',
    want: { tags: ['x', 'y'] },
  },
  {
    name: 'one name as a list of one',
    content: ofSchema(order, form),
    type: form,
    sent: 'sizes=1',
    want: { sizes: [1] },
  },
  {
    name: 'brackets',
    content: ofSchema(order, form),
    type: form,
    sent: 'tags[]=x&tags[1]=y&to[city]=K&to[zip]=5',
    want: { tags: ['x', 'y'], to: { city: 'K', zip: 5 } },
  },
  {
    name: 'commas where the encoding says so',
    content: encoded({ tags: { explode: false } }),
    type: form,
    sent: 'tags=x,y%2Cz',
    want: { tags: ['x', 'y,z'] },
  },
  {
    name: 'pipes where the encoding says so',
    content: encoded({ sizes: { style: 'pipeDelimited' } }),
    type: form,
    sent: 'sizes=1|2',
    want: { sizes: [1, 2] },
  },
  {
    name: 'JSON for an object',
    content: ofSchema(order, form),
    type: form,
    sent: 'to=%7B%22city%22%3A%22K%22%7D',
    want: { to: { city: 'K' } },
  },
  {
    name: 'wrong types',
    content: ofSchema(order, form),
    type: form,
    sent: 'count=x',
    want: { count: 'x' },
    lines: ['error TYPE /count'],
  },
  {
    name: 'a single value twice',
    content: ofSchema(order, form),
    type: form,
    sent: 'name=a&name=b',
    want: { name: ['a', 'b'] },
    lines: ['error TYPE /name'],
  },
  {
    name: 'a missing field',
    content: ofSchema({ ...order, required: ['name'] }, form),
    type: form,
    sent: '',
    want: {},
    lines: ['error REQUIRED /name'],
  },
  {
    name: 'broken encoding',
    content: ofSchema(order, form),
    type: form,
    sent: 'name=%zz',
    want: undefined,
    lines: ['error BODY_MALFORMED'],
  },
  { name: 'no schema', content: { [form]: {} }, type: form, sent: 'a=1&b[c]=2', want: { a: '1', b: { c: '2' } } },
];

const xml = 'application/xml';
const book = {
  type: 'object',
  required: ['title'],
  xml: { name: 'book' },
  properties: {
    id: { ...whole, xml: { attribute: true } },
    title: text,
    price: { type: 'number', xml: { name: 'cost', prefix: 'p' } },
    authors: { type: 'array', xml: { wrapped: true }, items: { ...text, xml: { name: 'author' } } },
    tags: { type: 'array', items: { ...text, xml: { name: 'tag' } } },
  },
};

const XML_BODIES: readonly Case[] = [
  {
    name: 'attributes, names, wrapped and bare lists',
    content: ofSchema(book, xml),
    type: 'application/xml; charset=utf-8',
    sent: '<?xml version="1.0"?><!-- c --><book id="7" xmlns:p="u"><title>A &amp; <![CDATA[<B>]]>&#33;</title><p:cost>1.5</p:cost><authors><author>X</author><author>Y</author></authors><tag>s</tag></book>',
    want: { id: 7, title: 'A & <B>!', price: 1.5, authors: ['X', 'Y'], tags: ['s'] },
  },
  {
    name: 'what the schema refuses',
    content: ofSchema(book, xml),
    type: xml,
    sent: '<book id="x"/>',
    want: { id: 'x' },
    lines: ['error REQUIRED /title', 'error TYPE /id'],
  },
  {
    name: 'no schema, with a note',
    content: { [xml]: {} },
    type: xml,
    sent: '<a b="1"><c>2</c></a>',
    want: { b: '1', c: '2' },
    lines: ['note BODY_UNCHECKED'],
  },
  {
    name: 'an element without content for an object',
    content: ofSchema({ type: 'object', properties: { all: { type: 'object' }, some: text } }, xml),
    type: xml,
    sent: '<a><all/><some/></a>',
    want: { all: {}, some: '' },
  },
  {
    name: 'a tag that is not closed',
    content: ofSchema(book, xml),
    type: xml,
    sent: '<book><title></book>',
    want: undefined,
    lines: ['error BODY_MALFORMED'],
  },
  {
    name: 'a document type',
    content: ofSchema(book, xml),
    type: xml,
    sent: '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>',
    want: undefined,
    lines: ['error BODY_MALFORMED'],
  },
  {
    name: 'no XML at all',
    content: ofSchema(book, xml),
    type: xml,
    sent: '{"a":1}',
    want: undefined,
    lines: ['error BODY_MALFORMED'],
  },
];

const ALL = [
  ...JSON_BODIES.map((given) => ['JSON', given.name, given] as const),
  ...OTHER_BODIES.map((given) => ['other', given.name, given] as const),
  ...FORM_BODIES.map((given) => ['form', given.name, given] as const),
  ...XML_BODIES.map((given) => ['XML', given.name, given] as const),
];

describe('the body', () => {
  it.each(ALL)('of %s: %s', async (_format, _name, given) => {
    const call = await decode(given);
    expect(call.body).toEqual(given.want);
    expect(toLines(call)).toEqual(given.lines ?? []);
  });

  it('keeps its bytes unchanged', async () => {
    const call = await decode({ name: '', type: json, sent: ' {"a" : 1}' });
    expect(Buffer.from(call.bytes ?? []).toString()).toBe(' {"a" : 1}');
    expect(call.mediaType).toBe(json);
  });

  it('of a type that is not declared says which are, with 415', async () => {
    const call = await decode({ name: '', content: { [json]: {}, 'text/plain': {} }, type: 'image/png', sent: 'x' });
    expect(toSentences(call)).toEqual([
      'the media type of the body must be application/json or text/plain, got image/png',
    ]);
    expect(call.violations[0]?.status).toBe(415);
  });

  it('of an operation that declares none is noted', async () => {
    const ask = await createAsk(toDocument({}, {}, 'post /things'));
    const call = await ask({ ask: 'POST /things', headers: { 'content-type': json }, body: '{"a":1}' });
    expect(toLines(call)).toEqual(['note BODY_UNDECLARED']);
    expect(call.body).toEqual({ a: 1 });
  });

  it('prefers the narrowest media type that covers it', async () => {
    const content = {
      '*/*': { schema: whole },
      'text/*': { schema: { ...text, minLength: 3 } },
      'text/plain': { schema: text },
    };
    expect(toLines(await decode({ name: '', content, type: 'text/plain', sent: 'a' }))).toEqual([]);
    expect(toLines(await decode({ name: '', content, type: 'text/html', sent: 'a' }))).toEqual(['error LENGTH']);
  });
});

describe('malformed JSON', () => {
  const table: readonly (readonly [text: string, says: string])[] = [
    ['{"a":', 'unexpected end of input (line 1, column 6)'],
    ['{"a":1', 'expected "," or "}" after property value, found end of input (line 1, column 7)'],
    ['{"a":1,}', 'expected double-quoted property name, found "}" (line 1, column 8)'],
    ['{a:1}', 'expected property name or "}", found "a" (line 1, column 2)'],
    ["{'a':1}", 'expected property name or "}", found "\'" (line 1, column 2)'],
    ['{"a" 1}', 'expected ":" after property name, found "1" (line 1, column 6)'],
    ['[1 2]', 'expected "," or "]" after array element, found "2" (line 1, column 4)'],
    ['[1,\n 2,\n]', 'unexpected "]" (line 3, column 1)'],
    ['[[true, fals], {}]', 'unexpected "]" (line 1, column 13)'],
    ['{} x', 'unexpected non-whitespace character after JSON (line 1, column 4)'],
    ['undefined', 'unexpected "undefined" (line 1, column 1)'],
    ['NaN', 'unexpected "NaN" (line 1, column 1)'],
    ['01', 'unexpected number (line 1, column 2)'],
    ['"a\nb"', 'bad control character in string literal (line 1, column 3)'],
    ['"a\\xb"', 'bad escaped character (line 1, column 4)'],
    ['{"a":"b}', 'unterminated string (line 1, column 9)'],
    ['   ', 'unexpected end of input (line 1, column 4)'],
  ];
  it.each(table)('%j says where and what', async (sent, says) => {
    const call = await decode({ name: '', type: json, sent });
    expect(toSentences(call)).toEqual([`the body is not valid JSON: ${says}`]);
  });
});
