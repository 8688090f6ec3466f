import { describe, expect, it } from 'vitest';
import { readMultipart, writeMultipart } from '../../src/http/multipart.js';
import { isUploadedFile } from '../../src/http/request/body-form.js';
import { createAsk, toDocument, toLines, toSentences } from './decode.js';

const text = { type: 'string' };
const file = { ...text, format: 'binary' };
const schema = {
  type: 'object',
  required: ['file'],
  properties: {
    file,
    purpose: { ...text, enum: ['vision', 'batch'] },
    count: { type: 'integer' },
    tags: { type: 'array', items: text },
    images: { type: 'array', items: file, maxItems: 2 },
    meta: { type: 'object', properties: { a: { type: 'integer' } } },
  },
};
const BOUNDARY = 'XX';
const FORM = `multipart/form-data; boundary=${BOUNDARY}`;

/** A body from its parts; a part is its headers, an empty line and its bytes. */
function toBody(
  parts: readonly (readonly [headers: string, bytes: string | Uint8Array])[],
  end = `--${BOUNDARY}--\r\n`,
): Uint8Array {
  const chunks = parts.flatMap(([headers, bytes]) => [
    Buffer.from(`--${BOUNDARY}\r\n${headers}\r\n\r\n`),
    typeof bytes === 'string' ? Buffer.from(bytes) : Buffer.from(bytes),
    Buffer.from('\r\n'),
  ]);
  return Buffer.concat([...chunks, Buffer.from(end)]);
}

const field = (name: string, value: string): readonly [string, string] => [
  `Content-Disposition: form-data; name="${name}"`,
  value,
];
const upload = (
  disposition: string,
  bytes: string | Uint8Array,
  type = 'image/png',
): readonly [string, string | Uint8Array] => [
  `Content-Disposition: form-data; ${disposition}\r\nContent-Type: ${type}`,
  bytes,
];
const EVERY_BYTE = Uint8Array.from({ length: 256 }, (_, i) => i);
const some = upload('name="file"; filename="a.png"', 'x');

async function decode(body: Uint8Array, given: { readonly type?: string; readonly media?: object } = {}) {
  const content = { 'multipart/form-data': { schema, ...given.media } };
  const ask = await createAsk(toDocument({ requestBody: { required: true, content } }, {}, 'post /things'), {
    bodyLimitBytes: 1e6,
  });
  return ask({ ask: 'POST /things', headers: { 'content-type': given.type ?? FORM }, body });
}

describe('a multipart body', () => {
  it('hands files over byte for byte', async () => {
    const call = await decode(
      toBody([upload('name="file"; filename="a.png"', EVERY_BYTE), field('purpose', 'vision'), field('count', '3')]),
    );
    expect(toLines(call)).toEqual([]);
    expect(call.body).toMatchObject({
      purpose: 'vision',
      count: 3,
      file: { filename: 'a.png', mediaType: 'image/png' },
    });
    const { file: sent } = call.body as Record<string, unknown>;
    expect(isUploadedFile(sent) && Buffer.from(sent.bytes).equals(EVERY_BYTE)).toBe(true);
  });

  const NAMES: readonly (readonly [disposition: string, filename: string])[] = [
    ['name="file"; filename="a b.png"', 'a b.png'],
    ['name=file; filename=a.png', 'a.png'],
    ['filename="a.png"; name="file"', 'a.png'],
    ['name="file"; filename="a\\"b.png"', 'a"b.png'],
    ['name="file"; filename="a%22b.png"', 'a"b.png'],
    ['name="file"; filename="C:\\dir\\a.png"', 'C:\\dir\\a.png'],
    ['name="file"; filename="naïve 😀.png"', 'naïve 😀.png'],
    ['name="file"; filename="x"; filename*=UTF-8\'\'na%C3%AFve.png', 'naïve.png'],
    ['name="file"; filename="a;b=c.png"', 'a;b=c.png'],
    ['name="file"; filename=""', ''],
  ];
  it.each(NAMES)('reads the filename of %s', async (disposition, filename) => {
    const call = await decode(toBody([upload(disposition, 'x')]));
    expect(toLines(call)).toEqual([]);
    expect(call.body).toMatchObject({ file: { filename } });
  });

  it('reads lists, brackets and JSON as the schema asks', async () => {
    const call = await decode(
      toBody([
        some,
        field('tags', 'x'),
        field('tags', 'y'),
        upload('name="images[]"; filename="1"', '1'),
        field('meta', '{"a":1}'),
      ]),
    );
    expect(toLines(call)).toEqual([]);
    expect(call.body).toMatchObject({ tags: ['x', 'y'], images: [{ filename: '1' }], meta: { a: 1 } });
  });

  it('reads brackets below a field', async () => {
    const call = await decode(toBody([some, field('meta[a]', '5')]));
    expect(call.body).toMatchObject({ meta: { a: 5 } });
  });

  it('may have a preamble, an epilogue, bare line feeds and spaces after its boundary', async () => {
    const raw =
      'preamble --XX not it\r\n--XX \r\nContent-Disposition: form-data; name="file"; filename="a"\n\nx\n--XX--\r\nepilogue';
    const call = await decode(Buffer.from(raw));
    expect(toLines(call)).toEqual([]);
    expect(Buffer.from((call.body as { file: { bytes: Uint8Array } }).file.bytes).toString()).toBe('x');
  });

  it('does not end at a line that only looks like its boundary', async () => {
    const content = 'a--XX\r\n--XXY\r\n --XX';
    const call = await decode(toBody([upload('name="file"; filename="a"', content)]));
    expect(Buffer.from((call.body as { file: { bytes: Uint8Array } }).file.bytes).toString()).toBe(content);
  });

  const REFUSED: readonly (readonly [name: string, body: Uint8Array, lines: readonly string[]])[] = [
    ['a value outside the enum', toBody([some, field('purpose', 'visoin')]), ['error ENUM /purpose']],
    [
      'too many items',
      toBody([some, ...[1, 2, 3].map((i) => upload('name="images"; filename="a"', String(i)))]),
      ['error ITEM_COUNT /images'],
    ],
    ['a field nobody declared', toBody([some, field('x', '1')]), ['note PROPERTY_UNDECLARED /x']],
    ['no final boundary', toBody([some], ''), ['error BODY_MALFORMED']],
    ['another boundary', Buffer.from('--YY\r\n\r\n--YY--'), ['error BODY_MALFORMED']],
    [
      'headers that do not end',
      Buffer.from('--XX\r\nContent-Disposition: form-data\r\n--XX--'),
      ['error BODY_MALFORMED'],
    ],
    ['a part without a name', toBody([['Content-Disposition: form-data', 'x']]), ['error BODY_MALFORMED']],
    ['nothing at all', new Uint8Array(), ['error BODY_REQUIRED']],
  ];
  it.each(REFUSED)('is refused or noted for %s', async (_name, body, lines) => {
    expect(toLines(await decode(body))).toEqual(lines);
  });

  it('without a boundary in its type is refused', async () => {
    expect(toSentences(await decode(toBody([some]), { type: 'multipart/form-data' }))).toEqual([
      'the body is not multipart/form-data: its Content-Type has no boundary',
    ]);
  });

  it('obeys the types and headers that the encoding declares', async () => {
    const media = {
      encoding: {
        file: {
          contentType: 'image/png, image/jpeg',
          headers: { 'X-Id': { required: true, schema: { type: 'integer' } } },
        },
      },
    };
    const bad = await decode(toBody([upload('name="file"; filename="a"', 'x', 'text/html')]), { media });
    expect(toSentences(bad)).toEqual([
      'body property "file" is sent as text/html, and must be image/png or image/jpeg',
      'the part "file" of the body must have the header "X-Id"',
    ]);
    const good = await decode(toBody([upload('name="file"; filename="a"', 'x', 'image/jpeg\r\nX-Id: 5')]), { media });
    expect(toLines(good)).toEqual([]);
  });

  it('of mixed parts is a list', async () => {
    const content = { 'multipart/mixed': { schema: { type: 'array', items: {}, minItems: 3 } } };
    const ask = await createAsk(toDocument({ requestBody: { content } }, {}, 'post /things'));
    const body = toBody([
      ['Content-Type: application/json', '{"a":1}'],
      ['Content-Type: text/plain', 'hello'],
    ]);
    const call = await ask({ ask: 'POST /things', headers: { 'content-type': 'multipart/mixed; boundary=XX' }, body });
    expect(call.body).toEqual([{ a: 1 }, 'hello']);
    expect(toLines(call)).toEqual(['error ITEM_COUNT']);
  });

  it('of 8 MB is taken apart quickly', async () => {
    const big = Buffer.alloc(8e6, '\r\n--X');
    const content = { 'multipart/form-data': { schema } };
    const ask = await createAsk(toDocument({ requestBody: { content } }, {}, 'post /things'), { bodyLimitBytes: 1e7 });
    const call = await ask({
      ask: 'POST /things',
      headers: { 'content-type': FORM },
      body: toBody([upload('name="file"; filename="a"', big)]),
    });
    expect((call.body as { file: { bytes: Uint8Array } }).file.bytes.length).toBe(8e6);
  });
});

it.each([
  ['a field', [{ name: 'purpose', bytes: Buffer.from('batch') }]],
  ['an empty field', [{ name: 'note', bytes: new Uint8Array() }]],
  ['a file of every byte', [{ name: 'file', filename: 'a.bin', contentType: 'image/png', bytes: EVERY_BYTE }]],
  ['names with quotes and spaces', [{ name: 'a "b" c', filename: 'naïve "x".txt', bytes: Buffer.from('x') }]],
  ['content that contains line ends', [{ name: 'a', bytes: Buffer.from('\r\n--X\r\n\n') }]],
  ['no part at all', []],
])('a multipart body with %s is the same when it is written and read', (_name, parts) => {
  const reading = readMultipart(writeMultipart(parts, BOUNDARY), BOUNDARY);
  if (parts.length === 0) return expect(reading).toEqual({ parts: [] });
  if ('mistake' in reading) throw new Error(reading.mistake);
  const facts = reading.parts.map(({ name, filename, contentType, bytes }) => [
    name,
    filename,
    contentType,
    [...bytes],
  ]);
  return expect(facts).toEqual(
    parts.map((part) => [
      part.name,
      'filename' in part ? part.filename : undefined,
      'contentType' in part ? part.contentType : undefined,
      [...part.bytes],
    ]),
  );
});
