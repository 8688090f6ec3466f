import type { Transform } from 'node:stream';
import {
  brotliDecompressSync,
  constants,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  gunzipSync,
  inflateRawSync,
  inflateSync,
} from 'node:zlib';
import type { ClientReport } from '../schema/violation.js';
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

/**
 * Decodes content of any size; undefined if a coding is unknown or the bytes are not valid.
 *
 * @param options - `isCut`: whether the end is missing; what came is decoded then.
 */
export function decodeContent(
  bytes: Uint8Array,
  encoding: string | undefined,
  { isCut = false }: { readonly isCut?: boolean } = {},
): Uint8Array | undefined {
  // The answer to HEAD and a 304 have the field and no content.
  if (encoding === undefined || bytes.byteLength === 0) return bytes;
  const decoded = applyDecoders(bytes, encoding, isCut ? UNFINISHED : {});
  return isBytes(decoded) ? decoded : undefined;
}

/** Whether `decodeContent` and `createContentDecoders` know the codings of a Content-Encoding. */
export function isDecodable(encoding: string | undefined): boolean {
  return toCodings(encoding ?? '').every((coding) => DECODERS.has(coding));
}

/** Streams that decode content one after the other. */
export function createContentDecoders(encoding: string | undefined): readonly Transform[] {
  return toCodings(encoding ?? '').map((coding) => {
    if (coding === 'br') return createBrotliDecompress();
    return coding === 'deflate' ? createInflate() : createGunzip();
  });
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
  // RFC 9110 8.4.1.2: "deflate" is the zlib format; some senders omit its header.
  ['deflate', (bytes, options) => ((bytes[0] ?? 0) % 16 === 8 ? inflateSync : inflateRawSync)(bytes, options)],
]);

type Undecodable = { readonly coding: string; readonly reason: 'unknown' | 'large' | 'malformed' };

function applyDecoders(bytes: Uint8Array, encoding: string, options: DecoderOptions): Uint8Array | Undecodable {
  let decoded = bytes;
  for (const coding of toCodings(encoding)) {
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
