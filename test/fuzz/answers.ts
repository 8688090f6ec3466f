import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import type { Random } from '../../src/base/random.js';
import { type Bytes, toText } from './cases.js';

/** The path whose answer is the one with this index. */
const PATH = /^\S+ \/answers\/(?<index>\d+)/u;

/** The document of an upstream: each path answers with JSON, if the upstream is right. */
export const UPSTREAM_DOCUMENT: Readonly<Record<string, unknown>> = {
  openapi: '3.1.0',
  info: { title: 'Answers', version: '1' },
  paths: {
    '/answers/{index}': {
      parameters: [{ name: 'index', in: 'path', required: true, schema: { type: 'integer' } }],
      get: {
        responses: {
          200: {
            description: 'OK',
            content: { 'application/json': { schema: { type: 'array', items: { type: 'object' } } } },
          },
        },
      },
    },
  },
};

type Coding = (bytes: Buffer) => Buffer;

const CODINGS: readonly (readonly [name: string, code: Coding])[] = [
  ['gzip', (bytes) => gzipSync(bytes)],
  ['GZIP', (bytes) => gzipSync(bytes, { level: 1 })],
  ['x-gzip', (bytes) => gzipSync(bytes)],
  ['deflate', (bytes) => deflateSync(bytes)],
  ['deflate', (bytes) => deflateRawSync(bytes)],
  ['br', (bytes) => brotliCompressSync(bytes, { params: { 0: 1, 1: 3 } })],
  ['gzip, br', (bytes) => brotliCompressSync(gzipSync(bytes))],
  ['gzip, gzip', (bytes) => gzipSync(gzipSync(bytes))],
  ['identity', (bytes) => bytes],
  ['', (bytes) => bytes],
  ['gzip', (bytes) => bytes],
  ['br', (bytes) => gzipSync(bytes)],
  ['gzip', (bytes) => Buffer.concat([gzipSync(bytes), gzipSync(bytes)])],
  ['compress', (bytes) => bytes],
];

const TYPES: readonly string[] = [
  'application/json',
  'application/json; charset=utf-8',
  'application/problem+json',
  'application/x-ndjson',
  'application/x-www-form-urlencoded',
  'application/xml',
  'text/event-stream',
  'text/plain; charset=utf-16',
  'application/octet-stream',
  'multipart/mixed; boundary=a',
  'nonsense',
  '',
];

/** Bodies of up to 16 MiB that compress to little. */
const BODIES: readonly ((random: Random) => string)[] = [
  (random) => `[${'{},'.repeat(2 ** random.integer(0, 22))}{}]`,
  (random) => `[${'1,'.repeat(2 ** random.integer(0, 23))}1]`,
  (random) => '['.repeat(2 ** random.integer(0, 22)),
  (random) => `${'{"a":'.repeat(2 ** random.integer(0, 14))}1`,
  (random) => {
    const depth = 2 ** random.integer(0, 16);
    return '['.repeat(depth) + ']'.repeat(depth);
  },
  (random) => JSON.stringify('a'.repeat(2 ** random.integer(0, 24))),
  (random) => `{${Array.from({ length: 2 ** random.integer(0, 16) }, (_, i) => `"k${i}":${i},`).join('')}"token":"t"}`,
  (random) => `data: {"a":1}\n\n`.repeat(2 ** random.integer(0, 18)),
  (random) => `{"a":1}\n`.repeat(2 ** random.integer(0, 18)),
  (random) => `a=1&`.repeat(2 ** random.integer(0, 20)),
  (random) => `<a>`.repeat(2 ** random.integer(0, 18)),
  (random) => `--a\r\n\r\n`.repeat(2 ** random.integer(0, 18)),
  (random) => '\0'.repeat(2 ** random.integer(0, 24)),
  (random) => String.fromCharCode(...Array.from({ length: 200 }, () => random.integer(0, 255))),
  () => '[{"a":"\xff\xfe\\ud800","__proto__":{"b":1},"n":1e999,"m":12345678901234567890}]',
  () => '',
];

/** A whole answer of an upstream, one character per byte: any coding, media type and body, also ones that do not fit. */
export function drawAnswer(random: Random): string {
  const [name, code] = random.pick(CODINGS);
  const coded = code(Buffer.from(random.pick(BODIES)(random), 'latin1'));
  const cut = random.next() < 0.2 ? coded.subarray(0, random.integer(0, coded.length)) : coded;
  const bytes = random.next() < 0.1 ? Buffer.concat([cut, Buffer.from('more')]) : cut;
  const type = random.pick(TYPES);
  const fields = [
    ...(name === '' ? [] : [`Content-Encoding: ${name}`]),
    ...(type === '' ? [] : [`Content-Type: ${type}`]),
    ...random.pick([
      [`Content-Length: ${bytes.length}`],
      [`Content-Length: ${bytes.length + 1}`],
      ['Transfer-Encoding: chunked'],
      [],
    ]),
  ];
  const text = bytes.toString('latin1');
  const body = fields.includes('Transfer-Encoding: chunked')
    ? `${text.length.toString(16)}\r\n${text}\r\n${random.next() < 0.9 ? '0\r\n\r\n' : ''}`
    : text;
  const status = random.pick([200, 200, 200, 206, 304, 404, 500]);
  return `${[`HTTP/1.1 ${status} Any`, ...fields, 'Connection: close'].join('\r\n')}\r\n\r\n${body}`;
}

/** A server whose `/answers/{index}` answers with these bytes, and then closes the connection. */
export async function serveAnswers(
  answers: readonly Bytes[],
): Promise<{ readonly url: string; readonly close: () => void }> {
  const server = createServer((socket) => {
    let received = '';
    socket.on('error', () => {});
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1');
      if (!received.includes('\r\n\r\n')) return;
      const answer = answers[Number(PATH.exec(received)?.groups?.['index'])];
      const none = 'HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n';
      socket.end(Buffer.from(answer === undefined ? none : toText(answer), 'latin1'));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, close: () => void server.close() };
}
