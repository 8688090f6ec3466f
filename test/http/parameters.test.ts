import { describe, expect, it } from 'vitest';
import { createAsk, toDocument, toLines, toSentences } from './decode.js';

const text = { type: 'string' };
const whole = { type: 'integer' };

describe('path parameters', () => {
  const long = 'x'.repeat(10_240);
  const table: readonly (readonly [name: string, raw: string, want: string])[] = [
    ['encoded dots are a value', '%2E%2E', '..'],
    ['unicode is decoded', 'na%C3%AFve-%F0%9F%98%80', 'naïve-😀'],
    ['a comma is part of a text', 'a,b', 'a,b'],
    ['10 kB are a value', long, long],
  ];
  it.each(table)('%s', async (_name, raw, want) => {
    const parameter = { name: 'id', in: 'path', required: true, schema: text };
    const ask = await createAsk(toDocument({ parameters: [parameter] }, {}, 'get /things/{id}'));
    const call = await ask({ ask: 'GET /things/any', pathText: { id: raw } });
    expect(toLines(call)).toEqual([]);
    expect(call.path).toEqual({ id: want });
  });

  it('refuses broken encoding and wrong types', async () => {
    const parameter = { name: 'id', in: 'path', required: true, schema: whole };
    const ask = await createAsk(toDocument({ parameters: [parameter] }, {}, 'get /things/{id}'));
    expect(toLines(await ask('GET /things/%zz'))).toEqual(['error ENCODING_MALFORMED /id']);
    const call = await ask('GET /things/seven');
    expect(toSentences(call)).toEqual(['path parameter "id" must be an integer, got "seven"']);
  });
});

describe('header parameters', () => {
  it('are read, whatever the case of their names, and checked', async () => {
    const parameters = [
      { name: 'X-Count', in: 'header', schema: whole },
      { name: 'X-Tags', in: 'header', schema: { type: 'array', items: text } },
      { name: 'X-Must', in: 'header', required: true, schema: { ...text, minLength: 2 } },
    ];
    const ask = await createAsk(toDocument({ parameters }));
    const call = await ask({
      ask: 'GET /things',
      headers: { 'x-count': '3', 'x-tags': 'a, b ,c', 'x-must': '100% ok' },
    });
    expect(toLines(call)).toEqual([]);
    expect(call.header).toEqual({ 'X-Count': 3, 'X-Tags': ['a', 'b', 'c'], 'X-Must': '100% ok' });
    expect(toLines(await ask('GET /things'))).toEqual(['error REQUIRED /X-Must']);
    const short = await ask({ ask: 'GET /things', headers: { 'x-must': 'a' } });
    expect(toSentences(short)).toEqual(['header "X-Must" must have at least 2 characters, got 1']);
  });

  it('that only the transport sets are not missed', async () => {
    const parameters = [{ name: 'Content-Length', in: 'header', required: true, schema: whole }];
    expect(toLines(await (await createAsk(toDocument({ parameters })))('GET /things'))).toEqual([]);
  });
});

const parameters = [
  { name: 'session', in: 'cookie', required: true, schema: text },
  { name: 'n', in: 'cookie', schema: whole },
];
const table: readonly (readonly [name: string, cookie: string, want: object, lines: readonly string[]])[] = [
  ['quoted values', 'session="a b"', { session: 'a b' }, []],
  ['encoded values', 'session=a%20b%3B', { session: 'a b;' }, []],
  ['values with an equals sign', 'session=a=b', { session: 'a=b' }, []],
  ['the first of two of one name', 'session=a; session=b', { session: 'a' }, []],
  ['an empty value', 'session=', { session: '' }, []],
  ['a missing one', 'other=1', {}, ['error REQUIRED /session']],
  ['broken encoding', 'session=%zz', {}, ['error ENCODING_MALFORMED /session']],
];
it.each(table)('cookie parameters: %s', async (_name, cookie, want, lines) => {
  const ask = await createAsk(toDocument({ parameters }));
  const call = await ask({ ask: 'GET /things', headers: { cookie } });
  expect(call.cookie).toEqual(want);
  expect(toLines(call)).toEqual(lines);
});

it('a required secret that is not what `Authorization` holds has to be sent', async () => {
  const schemes = { components: { securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } } } };
  const parameters = ['token', 'X-Signature', 'blockToken', 'X-Api-Key'].map((name) => {
    return { name, in: 'header', required: true, schema: text };
  });
  const ask = await createAsk(toDocument({ parameters, security: [{ bearer: [] }] }, schemes));
  const call = await ask({ ask: 'GET /things', headers: { authorization: 'Bearer abc' } });
  expect(toLines(call)).toEqual([
    'error REQUIRED /X-Signature',
    'error REQUIRED /blockToken',
    'error REQUIRED /X-Api-Key',
    'note REQUIRED /token',
  ]);
});
