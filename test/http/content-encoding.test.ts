import { randomBytes } from 'node:crypto';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import {
  decodeContent,
  decodeRequestContent,
  decodeStream,
  toDecodableCodings,
} from '../../src/http/content-encoding.js';

const TEXT = 'a text that compresses, a text that compresses';
const PLAIN = Buffer.from(TEXT);
const LARGE = Buffer.alloc(2000, 'x');

it.each<readonly [string, string, Uint8Array]>([
  ['no coding', '', PLAIN],
  ['identity', 'identity', PLAIN],
  ['gzip', 'gzip', gzipSync(PLAIN)],
  ['gzip in capitals', ' GZIP ', gzipSync(PLAIN)],
  ['the old name of gzip', 'x-gzip', gzipSync(PLAIN)],
  ['br', 'br', brotliCompressSync(PLAIN)],
  ['deflate with the zlib header', 'deflate', deflateSync(PLAIN)],
  ['deflate without the zlib header', 'deflate', deflateRawSync(PLAIN)],
  ['two codings, the last one applied last', 'gzip, br', brotliCompressSync(gzipSync(PLAIN))],
])('content with %s is decoded', (_name, encoding, bytes) => {
  expect(Buffer.from(decodeContent(bytes, encoding) ?? []).toString()).toBe(TEXT);
  const decoded = decodeRequestContent(bytes, encoding, 1000);
  expect('bytes' in decoded && Buffer.from(decoded.bytes).toString()).toBe(TEXT);
});

it.each<readonly [string, string, Uint8Array, string]>([
  ['an unknown coding', 'zstd', PLAIN, 'the body is encoded with "zstd", which is not supported'],
  ['bytes of another coding', 'gzip', PLAIN, 'the body is not valid gzip, the coding in its Content-Encoding'],
  [
    'bytes that are cut off',
    'br',
    brotliCompressSync(PLAIN).subarray(0, 9),
    'the body is not valid br, the coding in its Content-Encoding',
  ],
  ['more than the limit', 'gzip', gzipSync(LARGE), 'the body exceeds the limit of 1000 bytes when decoded'],
])('content with %s is refused in a request', (_name, encoding, bytes, want) => {
  const decoded = decodeRequestContent(bytes, encoding, 1000);
  expect('mistake' in decoded && decoded.mistake.message).toBe(want);
  // A recording has no limit.
  expect(decodeContent(bytes, encoding)?.byteLength).toBe(want.includes('limit') ? LARGE.length : undefined);
});

it('an answer to HEAD has a content coding and no content', () => {
  expect(decodeContent(new Uint8Array(), 'gzip')).toEqual(new Uint8Array());
  expect(decodeContent(PLAIN, undefined)).toBe(PLAIN);
});

it.each([
  ['gzip, br', 'gzip, br'],
  ['gzip;q=0.5, zstd, br;q=1', 'gzip;q=0.5, br;q=1'],
  ['zstd', 'identity'],
  ['', 'identity'],
])('of Accept-Encoding %j, the decodable codings are %j', (given, want) => {
  expect(toDecodableCodings(given)).toBe(want);
});

it.each<readonly [string, (bytes: Buffer) => Buffer]>([
  ['gzip', (bytes) => gzipSync(bytes)],
  ['br', (bytes) => brotliCompressSync(bytes)],
  ['deflate', (bytes) => deflateSync(bytes)],
  ['deflate', (bytes) => deflateRawSync(bytes)],
])('a stream with %s throws what its source fails with, also when that fails later', async (coding, code) => {
  let fail = (): void => undefined;
  const failed = new Promise<void>((resolve) => (fail = resolve));
  async function* arrive(): AsyncGenerator<Uint8Array> {
    yield code(randomBytes(200_000)).subarray(0, -1);
    await failed;
    throw new Error('the connection broke');
  }
  const read = async (): Promise<void> => {
    for await (const _ of decodeStream(arrive(), coding)) setImmediate(fail);
  };
  await expect(read()).rejects.toThrow('the connection broke');
});
