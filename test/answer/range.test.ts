import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createMock, type Mock, type MockServer } from '../../src/index.js';
import { toDocument } from '../document-parts.js';
import { sendRequest } from '../send-request.js';

// Issue 16, part 4; RFC 9110 section 14.
const TEXT = 'abcdefghijklmnopqrstuvwxyz';
const content = { 'text/plain': { schema: { type: 'string' }, example: TEXT } };
const ok = { description: 'ok', headers: { ETag: { schema: { const: '"v1"' }, required: true } }, content };
const read = (responses: object): object => ({ get: { responses: { 200: ok, ...responses } } });
const partial = { description: 'a part', content: { 'text/plain': {} } };
const unsatisfied = {
  description: 'no such range',
  content: { 'application/problem+json': { schema: { type: 'object' } } },
};
const several = { description: 'parts', content: { 'text/*': {}, 'multipart/byteranges': {} } };
const SPEC = toDocument({
  '/whole': read({}),
  '/default': read({ default: { description: 'an error' } }),
  '/part': read({ 206: partial, 416: unsatisfied }),
  '/quiet': read({ 206: partial }),
  '/several': read({ 206: several }),
  '/other': read({ 206: { description: 'a part', content: { 'image/png': {} } } }),
  '/json': {
    get: {
      responses: {
        200: { description: 'ok', content: { 'application/json': { example: { a: 1 } } } },
        206: { description: 'p' },
      },
    },
  },
});

describe('a request for a range of bytes', () => {
  let mock: Mock;
  let server: MockServer;

  beforeAll(async () => {
    mock = await createMock({ spec: SPEC });
    server = await mock.listen({ compress: true });
  });

  afterAll(() => mock.close());

  async function send(path: string, headers: Readonly<Record<string, string>>, method = 'GET') {
    const { status, headers: fields, body } = await sendRequest(server.url + path, { method, headers });
    return { status, fields, body: body.toString() };
  }

  it.each([
    ['the first bytes', 'bytes=0-3', 'abcd', 'bytes 0-3/26'],
    ['the bytes from one on', 'bytes=20-', 'uvwxyz', 'bytes 20-25/26'],
    ['the last bytes', 'bytes=-3', 'xyz', 'bytes 23-25/26'],
    ['more than there are', 'Bytes=24-99', 'yz', 'bytes 24-25/26'],
    ['more than all of the last bytes', 'bytes=-99', TEXT, 'bytes 0-25/26'],
    ['ranges that touch', 'bytes=0-1, 2-3', 'abcd', 'bytes 0-3/26'],
    ['one range that exists', 'bytes=99-, 0-0', 'a', 'bytes 0-0/26'],
  ])('gets %s', async (_, range, body, field) => {
    const answer = await send('/part', { range });
    expect([answer.status, answer.body, answer.fields['content-range']]).toEqual([206, body, field]);
    expect(answer.fields['content-length']).toBe(String(body.length));
    expect(answer.fields).toMatchObject({ etag: '"v1"', 'content-type': 'text/plain' });
    expect(answer.fields['x-mock-violations']).toBeUndefined();
  });

  it.each([
    ['where 206 is not declared', '/whole', 'bytes=0-3'],
    ['where only the default response would cover it', '/default', 'bytes=0-3'],
    ['where 206 has another media type', '/other', 'bytes=0-3'],
    ['for another unit', '/part', 'pages=0-3'],
    ['for a range that ends before it begins', '/part', 'bytes=3-0'],
    ['for a range that is not valid', '/part', 'bytes=a-'],
    ['for several ranges, where no multipart body is declared', '/part', 'bytes=0-1,5-6'],
    ['for a range that is not satisfiable, where 416 is not declared', '/quiet', 'bytes=99-'],
    ['for too many ranges', '/part', `bytes=${'0-0,'.repeat(60)}0-0`],
  ])('gets the whole body %s', async (_, path, range) => {
    expect(await send(path, { range })).toMatchObject({ status: 200, body: TEXT });
  });

  it('of JSON gets the whole body, whose parts fit no schema', async () => {
    const answer = await send('/json', { range: 'bytes=0-3' });
    expect([answer.status, answer.body, answer.fields['accept-ranges']]).toEqual([200, '{"a":1}', undefined]);
  });

  it('gets 416 with the length, where no range is satisfiable', async () => {
    const answer = await send('/part', { range: 'bytes=26-' });
    expect([answer.status, answer.fields['content-range']]).toEqual([416, 'bytes */26']);
  });

  it('gets several ranges as a multipart body', async () => {
    const answer = await send('/several', { range: 'bytes=0-1,24-' });
    const [, boundary = ''] =
      /^multipart\/byteranges; boundary=(\w+)$/.exec(String(answer.fields['content-type'])) ?? [];
    expect(answer.status).toBe(206);
    expect(answer.body.split(`--${boundary}`).map((part) => part.trim().replaceAll('\r\n', '|'))).toEqual([
      '',
      'Content-Type: text/plain|Content-Range: bytes 0-1/26||ab',
      'Content-Type: text/plain|Content-Range: bytes 24-25/26||yz',
      '--',
    ]);
    expect(answer.fields['content-range']).toBeUndefined();
  });

  it.each([
    ['"v1"', 206],
    ['"v2"', 200],
    ['W/"v1"', 200],
    ['Sun, 06 Nov 1994 08:49:37 GMT', 200],
  ])('with If-Range %s gets %s', async (condition, status) => {
    expect((await send('/part', { range: 'bytes=0-3', 'if-range': condition })).status).toBe(status);
  });

  it('with HEAD gets the header fields of the whole body', async () => {
    const answer = await send('/part', { range: 'bytes=0-3' }, 'HEAD');
    expect([answer.status, answer.body, answer.fields['content-length']]).toEqual([200, '', '26']);
    expect([answer.fields['accept-ranges'], answer.fields['content-range']]).toEqual(['bytes', undefined]);
    expect((await send('/whole', {}, 'HEAD')).fields['accept-ranges']).toBeUndefined();
  });
});
