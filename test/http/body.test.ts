import { describe, expect, it } from 'vitest';
import type { CallDecoderOptions } from '../../src/http/request/call.js';
import { createAsk, toDocument, toLines, toSentences } from './decode.js';

const text = { type: 'string' };
const whole = { type: 'integer' };
const JSON_TYPE = 'application/json';

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
  const { content = { [JSON_TYPE]: { schema: {} } }, required = true, type, sent, options } = given;
  const ask = await createAsk(toDocument({ requestBody: { required, content } }, {}, 'post /things'), options);
  const headers: Record<string, string> = type === undefined ? {} : { 'content-type': type };
  return ask({ ask: 'POST /things', headers, ...(sent === undefined ? {} : { body: sent }) });
}

const ofSchema = (schema: object, type = JSON_TYPE): object => ({ [type]: { schema } });

/** The columns of a table, and the members of a case that few rows have. */
type Rest = readonly [sent: Case['sent'], want: unknown, more?: Partial<Case>];
const json = (name: string, ...[sent, want, more]: Rest): Case => ({ name, type: JSON_TYPE, sent, want, ...more });
const other = (name: string, type: string, content: object, ...[sent, want, more]: Rest): Case => ({
  name,
  type,
  content,
  sent,
  want,
  ...more,
});
const ofType =
  (type: string) =>
  (name: string, schema: object, ...rest: Rest): Case =>
    other(name, type, ofSchema(schema, type), ...rest);

const person = {
  type: 'object',
  required: ['name'],
  properties: { name: text, age: whole, id: { ...text, readOnly: true } },
};

const JSON_BODIES: readonly Case[] = [
  json('false', 'false', false),
  json('another charset', Uint8Array.of(0x22, 0xe9, 0x22), 'é', { type: 'application/json; charset=iso-8859-1' }),
  json('a covering range', '{"a":1}', { a: 1 }, { content: ofSchema({}, 'application/*') }),
  json(
    'an object as text',
    '{"name":"a"}',
    { name: 'a' },
    { content: ofSchema(person, 'text/plain'), type: 'text/plain' },
  ),
  json('a form whose schema is a string', 'text=a+b&c', 'text=a+b&c', {
    content: ofSchema(text, 'application/x-www-form-urlencoded'),
    type: 'application/x-www-form-urlencoded',
  }),
  json('none, and none required', undefined, undefined, { required: false }),
  json('empty, and none required', '', undefined, { required: false }),
  json('empty, but required', '', undefined, { lines: ['error BODY_REQUIRED'] }),
  json('bytes that are no UTF-8', Uint8Array.of(0x22, 0xff, 0x22), undefined, { lines: ['error BODY_MALFORMED'] }),
  json('the replacement character itself', '"\uFFFD"', '\uFFFD'),
  json('brackets inside a text', JSON.stringify('['.repeat(5000)), '['.repeat(5000), {
    options: { bodyLimitBytes: 10_000 },
  }),
  json(
    'properties the schema leaves open',
    '{"name":"a","x":1}',
    { name: 'a', x: 1 },
    { content: ofSchema({ ...person, additionalProperties: whole }) },
  ),
  json('any property where none is named', '{"x":1}', { x: 1 }, { content: ofSchema({ type: 'object' }) }),
  json('__proto__', '{"__proto__":{"polluted":1}}', JSON.parse('{"__proto__":{"polluted":1}}') as unknown),
];

const OTHER_BODIES: readonly Case[] = [
  other('a text', 'text/plain', ofSchema({ ...text, minLength: 2 }, 'text/plain'), 'a', 'a', {
    lines: ['error LENGTH'],
  }),
  other('a text that is a number', 'text/plain', ofSchema(whole, 'text/plain'), '12', 12),
  other('an empty text', 'text/plain', ofSchema(text, 'text/plain'), '', ''),
  other(
    'bytes',
    'application/octet-stream',
    { 'application/octet-stream': {} },
    Uint8Array.of(0, 255, 10),
    Uint8Array.of(0, 255, 10),
  ),
  other(
    'bytes of a schema',
    'image/png',
    ofSchema({ ...text, format: 'binary', maxLength: 2 }, 'image/*'),
    Uint8Array.of(0, 255, 10),
    Uint8Array.of(0, 255, 10),
    { lines: ['error LENGTH'] },
  ),
  other('an image for anything', 'image/png', ofSchema({}, '*/*'), Uint8Array.of(0, 255), Uint8Array.of(0, 255)),
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

const formBody = ofType(form);
const FORM_BODIES: readonly Case[] = [
  formBody('brackets', order, 'tags[]=x&tags[1]=y&to[city]=K&to[zip]=5', {
    tags: ['x', 'y'],
    to: { city: 'K', zip: 5 },
  }),
  other('commas where the encoding says so', form, encoded({ tags: { explode: false } }), 'tags=x,y%2Cz', {
    tags: ['x', 'y,z'],
  }),
  other('pipes where the encoding says so', form, encoded({ sizes: { style: 'pipeDelimited' } }), 'sizes=1|2', {
    sizes: [1, 2],
  }),
  formBody('JSON for an object', order, 'to=%7B%22city%22%3A%22K%22%7D', { to: { city: 'K' } }),
  formBody('a single value twice', order, 'name=a&name=b', { name: ['a', 'b'] }, { lines: ['error TYPE /name'] }),
  formBody('broken encoding', order, 'name=%zz', undefined, { lines: ['error BODY_MALFORMED'] }),
  other('no schema', form, { [form]: {} }, 'a=1&b[c]=2', { a: '1', b: { c: '2' } }),
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

const xmlBody = ofType(xml);
const XML_BODIES: readonly Case[] = [
  xmlBody(
    'attributes, names, wrapped and bare lists',
    book,
    '<?xml version="1.0"?><!-- c --><book id="7" xmlns:p="u"><title>A &amp; <![CDATA[<B>]]>&#33;</title><p:cost>1.5</p:cost><authors><author>X</author><author>Y</author></authors><tag>s</tag></book>',
    { id: 7, title: 'A & <B>!', price: 1.5, authors: ['X', 'Y'], tags: ['s'] },
    { type: 'application/xml; charset=utf-8' },
  ),
  other(
    'no schema, with a note',
    xml,
    { [xml]: {} },
    '<a b="1"><c>2</c></a>',
    { b: '1', c: '2' },
    { lines: ['note BODY_UNCHECKED'] },
  ),
  xmlBody(
    'an element without content for an object',
    { type: 'object', properties: { all: { type: 'object' }, some: text } },
    '<a><all/><some/></a>',
    { all: {}, some: '' },
  ),
  xmlBody('a tag that is not closed', book, '<book><title></book>', undefined, { lines: ['error BODY_MALFORMED'] }),
  xmlBody('a document type', book, '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>', undefined, {
    lines: ['error BODY_MALFORMED'],
  }),
  xmlBody('no XML at all', book, '{"a":1}', undefined, { lines: ['error BODY_MALFORMED'] }),
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
    const call = await decode({ name: '', type: JSON_TYPE, sent: ' {"a" : 1}' });
    expect(Buffer.from(call.bytes ?? []).toString()).toBe(' {"a" : 1}');
    expect(call.mediaType).toBe(JSON_TYPE);
  });

  it('of a type that is not declared says which are, with 415', async () => {
    const call = await decode({
      name: '',
      content: { [JSON_TYPE]: {}, 'text/plain': {} },
      type: 'image/png',
      sent: 'x',
    });
    expect(toSentences(call)).toEqual([
      'the media type of the body must be application/json or text/plain, got image/png',
    ]);
    expect(call.violations[0]?.status).toBe(415);
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
    ['[secret]', 'unexpected "s" (line 1, column 2)'],
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
    const call = await decode({ name: '', type: JSON_TYPE, sent });
    expect(toSentences(call)).toEqual([`the body is not valid JSON: ${says}`]);
  });
});
