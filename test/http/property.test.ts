// @module-tag slow
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Call } from '../../src/http/request/call.js';
import { createAsk, toDocument, toLines } from './decode.js';
import { TEXT, arrayOf, object, INTEGER, query } from '../document-parts.js';

/** Text that survives every style: delimiters are encoded, and no text is empty (an empty list and a list of one empty text look alike). */
const word = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 });
const words = fc.array(word, { minLength: 1, maxLength: 5 });
const names = fc.dictionary(fc.constantFrom('R', 'G', 'B', '__proto__'), word, { minKeys: 1 });
const encode = (text: string): string =>
  encodeURIComponent(text).replace(
    /[!'()*.~_-]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );

type Value = readonly string[] | Readonly<Record<string, string>>;
type Encoder = (value: Value) => string;

const join = (parts: readonly string[], delimiter: string): string => parts.map(encode).join(delimiter);
const pairs = (value: Value): readonly (readonly [string, string])[] => Object.entries(value as Record<string, string>);

const STYLES: readonly (readonly [style: string, explode: boolean, kind: 'list' | 'names', encode: Encoder])[] = [
  ['form', true, 'list', (value) => (value as string[]).map((item) => `p=${encode(item)}`).join('&')],
  ['form', false, 'list', (value) => `p=${join(value as string[], ',')}`],
  ['spaceDelimited', false, 'list', (value) => `p=${join(value as string[], '%20').replaceAll('%2520', '%20')}`],
  ['pipeDelimited', false, 'list', (value) => `p=${join(value as string[], '|')}`],
  [
    'form',
    true,
    'names',
    (value) =>
      pairs(value)
        .map(([name, text]) => `${encode(name)}=${encode(text)}`)
        .join('&'),
  ],
  ['form', false, 'names', (value) => `p=${join(pairs(value).flat(), ',')}`],
  [
    'deepObject',
    true,
    'names',
    (value) =>
      pairs(value)
        .map(([name, text]) => `p[${encode(name)}]=${encode(text)}`)
        .join('&'),
  ],
];
const item = TEXT;
const SCHEMAS = {
  list: arrayOf(item),
  // Not a literal: there `__proto__` would set the prototype.
  names: object(
    JSON.parse(
      '{"R":{"type":"string"},"G":{"type":"string"},"B":{"type":"string"},"__proto__":{"type":"string"}}',
    ) as object,
  ),
};

describe('decoding undoes encoding', () => {
  it.each(STYLES)('in style %s, explode %s, for %s', async (style, explode, kind, toQuery) => {
    const ask = await createAsk(
      toDocument({ parameters: [{ name: 'p', in: 'query', style, explode, schema: SCHEMAS[kind] }] }),
    );
    // A space or a pipe is a delimiter in these styles even when it is encoded, as OpenAPI's own table has it.
    const free = style === 'spaceDelimited' ? /[ +]/ : style === 'pipeDelimited' ? /\|/ : undefined;
    const arbitrary: fc.Arbitrary<Value> = kind === 'list' ? words : names;
    await fc.assert(
      fc.asyncProperty(arbitrary, async (value) => {
        fc.pre(free === undefined || !Object.values(value).some((text: string) => free.test(text)));
        const call = await ask(`GET /things?${toQuery(value)}`);
        expect(call.query).toEqual({ p: value });
      }),
      { numRuns: 200 },
    );
  });

  it('in a JSON body, for any value', async () => {
    const ask = await createAsk(
      toDocument({ requestBody: { content: { 'application/json': { schema: {} } } } }, {}, 'post /things'),
      { bodyLimitBytes: 1e6 },
    );
    await fc.assert(
      fc.asyncProperty(fc.jsonValue(), async (value) => {
        const body = JSON.stringify(value);
        const call = await ask({ ask: 'POST /things', headers: { 'content-type': 'application/json' }, body });
        expect(call.body).toEqual(JSON.parse(body));
        expect(toLines(call)).toEqual([]);
      }),
      { numRuns: 200 },
    );
  });
});

const schema = object({
  a: INTEGER,
  l: arrayOf(TEXT),
  o: { oneOf: [{ type: 'object' }, INTEGER] },
  f: { type: 'string', format: 'binary' },
});
const SEEDS: Readonly<Record<string, string>> = {
  'application/json': '{"a":1,"l":["x"],"o":{"p":null}}',
  'application/x-www-form-urlencoded': 'a=1&l[]=x&l[1]=y&o[p][q]=z&%61=2',
  'multipart/form-data; boundary=X':
    '--X\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n--X\r\nContent-Disposition: form-data; name="f"; filename="g"\r\nContent-Type: a/b\r\n\r\n\0\r\n--X--',
  'application/xml': '<a b="1"><l>x</l><!-- c --><o><p/></o>&amp;<![CDATA[x]]></a>',
  'text/plain; charset=utf-16': 'hello',
};

describe('whatever bytes come, a call comes out', () => {
  it.each(Object.entries(SEEDS))('of %s', async (type, seed) => {
    const content = { [type.split(';')[0] ?? type]: { schema } };
    const ask = await createAsk(toDocument({ requestBody: { content } }, {}, 'post /things'), { bodyLimitBytes: 1e6 });
    const decode = (body: Uint8Array): Promise<Call> =>
      ask({ ask: 'POST /things', headers: { 'content-type': type }, body });
    const noise = fc.uint8Array({ maxLength: 200 });
    // A good body with a piece cut out and another put in goes further than noise does.
    const mutation = fc.tuple(
      fc.nat(seed.length),
      fc.nat(20),
      fc.oneof(
        noise,
        fc.constantFrom('--X', '\r\n', '[', ']', '%', '<', '&', '"').map((text) => Buffer.from(text)),
      ),
    );
    const mutated = mutation.map(([at, length, piece]) =>
      Buffer.concat([Buffer.from(seed.slice(0, at)), piece, Buffer.from(seed.slice(at + length))]),
    );
    await fc.assert(
      fc.asyncProperty(fc.oneof(noise, mutated), async (body) => {
        const call = await decode(body);
        expect(call.violations.every(({ message }) => message.length > 0)).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  it('in the query, the path, headers and cookies', async () => {
    const parameters = [
      { name: 'q', in: 'query', style: 'deepObject', schema: { type: 'object', additionalProperties: {} } },
      query('l', arrayOf(INTEGER)),
      { name: 'id', in: 'path', required: true, style: 'matrix', explode: true, schema: { type: 'object' } },
      { name: 'h', in: 'header', schema: { type: 'object' } },
      { name: 'c', in: 'cookie', schema: object({ d: {} }) },
    ];
    const ask = await createAsk(toDocument({ parameters }, {}, 'get /things/{id}'));
    const noise = fc.string({
      unit: fc.constantFrom('q', 'l', '[', ']', '=', '&', '%', '2', 'C', ',', ';', '|', '+', '.', '_', 'é'),
      maxLength: 30,
    });
    const ascii = fc.string({ unit: fc.constantFrom('c', 'd', '=', ';', ',', '"', '%', ' ', 'x'), maxLength: 30 });
    await fc.assert(
      fc.asyncProperty(noise, noise, ascii, async (search, id, header) => {
        const call = await ask({
          ask: `GET /things/any?${search}`,
          pathText: { id },
          headers: { h: header, cookie: header },
        });
        expect(Array.isArray(call.violations)).toBe(true);
      }),
      { numRuns: 500 },
    );
  });
});
