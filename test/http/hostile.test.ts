// @module-tag slow
import { expect, it } from 'vitest';
import { negotiate } from '../../src/http/response/negotiate.js';
import { createAsk, toDocument, toLines } from './decode.js';

const SIZE = 4_000_000;
const fill = (text: string): string => text.repeat(Math.floor(SIZE / text.length));
const schema = {
  type: 'object',
  properties: { a: { type: 'string' }, l: { type: 'array', items: { type: 'integer' } } },
};
const xml = 'application/xml';
const form = 'application/x-www-form-urlencoded';
const multipart = 'multipart/form-data; boundary=-';
const json = 'application/json';

/** Each is cheap to send; none may cost more than its size, crash, or go on for ever. */
const TABLE: readonly (readonly [name: string, type: string, body: string, code: string])[] = [
  ['a JSON string that does not end', json, `"${'x'.repeat(SIZE)}`, 'BODY_MALFORMED'],
  ['JSON of opening brackets', json, fill('['), 'TOO_DEEP'],
  ['JSON of opening braces', json, fill('{"a":'), 'TOO_DEEP'],
  ['JSON of numbers', json, `[${fill('0,')}0]`, 'BODY_TOO_LARGE'],
  ['JSON of empty objects', json, `[${fill('{},')}0]`, 'BODY_TOO_LARGE'],
  ['JSON of white space', json, fill(' '), 'BODY_MALFORMED'],
  ['JSON of backslashes', json, `"${fill('\\')}`, 'BODY_MALFORMED'],
  ['a form of nothing but fields', form, fill('a&'), 'BODY_MALFORMED'],
  ['a form with one deep name', form, `a${fill('[b]')}=1`, 'TYPE'],
  ['a form with a huge index', form, 'l[99999999999]=x', 'TYPE'],
  ['XML of comments that do not end', xml, fill('<!--'), 'BODY_MALFORMED'],
  ['XML of opening tags', xml, fill('<a>'), 'BODY_MALFORMED'],
  ['XML of empty elements', xml, `<r>${fill('<a/>')}</r>`, 'BODY_MALFORMED'],
  ['XML of spaces in a tag', xml, `<a${fill(' ')}`, 'BODY_MALFORMED'],
  ['XML of ampersands', xml, `<a>${fill('&')}</a`, 'BODY_MALFORMED'],
  ['a multipart body of dashes', multipart, `x${fill('-')}`, 'BODY_MALFORMED'],
  ['a multipart body of parts', multipart, fill('---\r\n\r\n'), 'BODY_MALFORMED'],
];

it.each(TABLE)('a hostile body %s is refused', async (_name, type, body, code) => {
  const content = { [type.split(';')[0] ?? type]: { schema } };
  const ask = await createAsk(toDocument({ requestBody: { content } }, {}, 'post /things'), {
    bodyLimitBytes: 2 * SIZE,
  });
  const call = await ask({ ask: 'POST /things', headers: { 'content-type': type }, body });
  expect(call.violations.some((violation) => violation.code === code && violation.severity === 'error')).toBe(true);
});

it.each([
  ['base64 of line breaks', 'byte', `${'\n'.repeat(200_000)}!`],
  ['a number of digits', 'decimal', `${'1'.repeat(200_000)}!`],
  ['a URL of colons', 'url', `http://${':'.repeat(200_000)}\0`],
])('a hostile text %s is refused at once', async (_name, format, body) => {
  const content = { [json]: { schema: { type: 'string', format } } };
  const ask = await createAsk(toDocument({ requestBody: { content } }, {}, 'post /things'), { bodyLimitBytes: SIZE });
  const call = await ask({ ask: 'POST /things', headers: { 'content-type': json }, body: JSON.stringify(body) });
  expect(toLines(call)).toEqual(['error FORMAT']);
});

it('a long list of mistakes costs no more than its size, and the first are reported', async () => {
  const item = { type: 'object', required: ['k'], properties: { k: { enum: ['a', 'b'] } } };
  const list = { type: 'array', items: { $ref: '#/components/schemas/Item' } };
  const document = toDocument(
    { requestBody: { content: { [json]: { schema: list } } } },
    { components: { schemas: { Item: item } } },
    'post /things',
  );
  const ask = await createAsk(document, { bodyLimitBytes: 2 * SIZE });
  const body = JSON.stringify(Array.from({ length: 300_000 }, () => ({ k: 'c' })));
  const call = await ask({ ask: 'POST /things', headers: { 'content-type': json }, body });
  expect(toLines(call).slice(0, 2)).toEqual(['error ENUM /0/k', 'error ENUM /1/k']);
  expect(call.violations).toHaveLength(20);
});

const tooLarge = `1${'0'.repeat(400)}`;
it.each([['1e999'], ['-1e999'], [tooLarge]])('a number beyond the largest one is none: %s', async (text) => {
  const content = { [json]: { schema: { type: 'number' } } };
  const parameters = [{ name: 'n', in: 'query', schema: { type: ['integer', 'number'] } }];
  const ask = await createAsk(toDocument({ parameters, requestBody: { content } }, {}, 'post /things'));
  const call = await ask({ ask: `POST /things?n=${text}`, headers: { 'content-type': json }, body: text });
  expect(toLines(call)).toEqual(['error TYPE /n', 'error TYPE']);
  expect(call.violations[1]?.message).toMatch(/^the body must be a number, got -?Infinity$/);
});

it('a hostile head does not cost more than its size', async () => {
  expect(negotiate(`${'"'.repeat(8_000)}${','.repeat(8_000)}`, ['text/plain'])).toBe('text/plain');
  const parameters = [{ name: 'a', in: 'query', style: 'deepObject', schema: { type: 'object' } }];
  const ask = await createAsk(toDocument({ parameters }));
  const call = await ask(
    `GET /things?${'a[b]=1&x=2&'.repeat(2_000)}${Array.from({ length: 1_000 }, (_, i) => `y${i}`).join('&')}`,
  );
  // However many there are, twenty are told of.
  expect(toLines(call)).toHaveLength(20);
});
