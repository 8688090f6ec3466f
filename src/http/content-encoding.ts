import { pipeline, type Transform } from 'node:stream';
import {
  brotliDecompressSync,
  constants,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createInflateRaw,
  gunzipSync,
  inflateRawSync,
  inflateSync,
} from 'node:zlib';
import type { ClientReport } from '../schema/violation.js';
import { MAX_VALUE_BYTES } from './json-size.js';
import { isBytes, isError } from '../base/platform.js';

/** The decoded bytes of a request body, or the violation to report. */
type DecodedBody = { readonly bytes: Uint8Array } | { readonly mistake: ClientReport };

/**
 * Decodes the Content-Encoding of a request body (RFC 9110 8.4).
 *
 * The size limit holds for the decoded bytes too, so that a small body cannot expand to gigabytes.
 */
export function decodeRequestContent(bytes: Uint8Array, encoding: string, limitBytes: number): DecodedBody {
  const decoded = applyDecoders(bytes, encoding, { maxOutputLength: limitBytes });
  if (isBytes(decoded)) return { bytes: decoded };
  const { coding, reason } = decoded;
  // RFC 9110 15.5.16: 415 is also the status for an unsupported content coding.
  if (reason === 'unknown')
    return refuse('CONTENT_TYPE_UNDECLARED', `is encoded with "${coding}", which is not supported`, 415);
  if (reason === 'large') return refuse('BODY_TOO_LARGE', `exceeds the limit of ${limitBytes} bytes when decoded`, 413);
  return refuse('BODY_MALFORMED', `is not valid ${coding}, the coding in its Content-Encoding`);
}

/** How content is decoded. */
interface ContentOptions {
  /** Whether the end is missing; what came is decoded then. */
  readonly isCut?: boolean;
  /** Decoding ends where the content has more bytes; default `MAX_VALUE_BYTES`. */
  readonly limitBytes?: number;
}

/** Decodes content; undefined if a coding is unknown, the bytes are not valid, or the content is larger than the limit. */
export function decodeContent(
  bytes: Uint8Array,
  encoding: string | undefined,
  options: ContentOptions = {},
): Uint8Array | undefined {
  const decoded = tryDecode(bytes, encoding, options);
  return isBytes(decoded) ? decoded : undefined;
}

/** Whether content is larger than the limit; it is decoded no further than that. */
export function isLargeContent(bytes: Uint8Array, encoding: string | undefined, options: ContentOptions = {}): boolean {
  const decoded = tryDecode(bytes, encoding, options);
  return !isBytes(decoded) && decoded.reason === 'large';
}

function tryDecode(
  bytes: Uint8Array,
  encoding: string | undefined,
  { isCut = false, limitBytes = MAX_VALUE_BYTES }: ContentOptions,
): Uint8Array | Undecodable {
  // The answer to HEAD and a 304 have the field and no content.
  if (encoding === undefined || bytes.byteLength === 0)
    return bytes.byteLength > limitBytes ? { coding: 'identity', reason: 'large' } : bytes;
  return applyDecoders(bytes, encoding, { maxOutputLength: limitBytes, ...(isCut && UNFINISHED) });
}

/** Whether `decodeContent` and `decodeStream` know the codings of a Content-Encoding. */
export function isDecodable(encoding: string | undefined): boolean {
  const codings = toCodings(encoding ?? '');
  return codings.length <= MAX_CODINGS && codings.every((coding) => DECODERS.has(coding));
}

/** Bytes without their content codings, each as soon as it can be decoded; the same bytes without a coding. It throws what reading and decoding fail with. */
export function decodeStream(
  chunks: AsyncIterable<Uint8Array>,
  encoding: string | undefined,
): AsyncIterable<Uint8Array> {
  return toCodings(encoding ?? '').reduce((bytes, coding) => {
    if (coding === 'deflate') return inflate(bytes);
    return decodeWith(coding === 'br' ? createBrotliDecompress() : createGunzip(), bytes);
  }, chunks);
}

function decodeWith(decoder: Transform, chunks: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  // The decoder throws what fails before it.
  pipeline(chunks, decoder, () => undefined);
  return decoder;
}

/** Decodes both forms of "deflate", as `DECODERS` does. */
async function* inflate(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const all = chunks[Symbol.asyncIterator]();
  const first = await all.next();
  if (first.done === true) return;
  const whole = async function* (): AsyncGenerator<Uint8Array> {
    yield first.value;
    yield* { [Symbol.asyncIterator]: () => all };
  };
  yield* decodeWith(isZlib(first.value) ? createInflate() : createInflateRaw(), whole());
}

/** RFC 9110 8.4.1.2: "deflate" is the zlib format; some senders omit its header. */
function isZlib(bytes: Uint8Array): boolean {
  return (bytes[0] ?? 0) % 16 === 8;
}

// With a flush instead of an end, zlib does not require the end.
const UNFINISHED = { finishFlush: constants.Z_SYNC_FLUSH };

/** The members of an Accept-Encoding field that `decodeContent` knows; `identity` if there are none. */
export function toDecodableCodings(acceptEncoding: string): string {
  const members = acceptEncoding.split(',').map((member) => member.trim());
  const known = members.filter((member) => {
    const coding = toCoding(member.split(';')[0] ?? '');
    return coding === 'identity' || DECODERS.has(coding);
  });
  return known.length === 0 ? 'identity' : known.join(', ');
}

type DecoderOptions = { readonly maxOutputLength?: number; readonly finishFlush?: number };
type Decoder = (bytes: Uint8Array, options: DecoderOptions) => Uint8Array;

const BROTLI_FLUSH = constants.BROTLI_OPERATION_FLUSH;

const DECODERS: ReadonlyMap<string, Decoder> = new Map<string, Decoder>([
  ['gzip', gunzipSync],
  ['x-gzip', gunzipSync],
  [
    'br',
    // Brotli has its own numbers for flushing.
    (bytes, { finishFlush, ...options }) =>
      brotliDecompressSync(bytes, finishFlush === undefined ? options : { ...options, finishFlush: BROTLI_FLUSH }),
  ],
  ['deflate', (bytes, options) => (isZlib(bytes) ? inflateSync : inflateRawSync)(bytes, options)],
]);

/** The most codings of one body: each multiplies what a small body can expand to. */
const MAX_CODINGS = 4;

type Undecodable = { readonly coding: string; readonly reason: 'unknown' | 'large' | 'malformed' };

function applyDecoders(bytes: Uint8Array, encoding: string, options: DecoderOptions): Uint8Array | Undecodable {
  let decoded = bytes;
  const codings = toCodings(encoding);
  if (codings.length > MAX_CODINGS) return { coding: encoding, reason: 'unknown' };
  for (const coding of codings) {
    const decode = DECODERS.get(coding);
    if (decode === undefined) return { coding, reason: 'unknown' };
    try {
      decoded = decode(decoded, options);
    } catch (error) {
      // `ERR_BUFFER_TOO_LARGE` of zlib.
      return { coding, reason: isError(error) && error.name === 'RangeError' ? 'large' : 'malformed' };
    }
  }
  return decoded;
}

/** The codings of a Content-Encoding in the order to decode: RFC 9110 8.4 lists them in the order in which they were applied. */
function toCodings(encoding: string): readonly string[] {
  const codings = encoding.split(',').map(toCoding).toReversed();
  return codings.filter((coding) => coding !== '' && coding !== 'identity');
}

function toCoding(text: string): string {
  return text.trim().toLowerCase();
}

function refuse(code: ClientReport['code'], problem: string, status?: number): DecodedBody {
  return { mistake: { code, in: 'body', message: `the body ${problem}`, status } };
}
