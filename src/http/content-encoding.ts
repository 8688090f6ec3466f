import { brotliDecompressSync, gunzipSync, inflateRawSync, inflateSync } from 'node:zlib';
import type { ClientReport } from '../schema/violation.js';

/** The decoded bytes of a request body, or the violation to report. */
type DecodedBody = { readonly bytes: Uint8Array } | { readonly mistake: ClientReport };

/**
 * Decodes the Content-Encoding of a request body (RFC 9110 8.4).
 *
 * The size limit holds for the decoded bytes too, so that a small body cannot expand to gigabytes.
 */
export function decodeRequestContent(bytes: Uint8Array, encoding: string, limitBytes: number): DecodedBody {
  const decoded = applyDecoders(bytes, encoding, limitBytes);
  if (decoded instanceof Uint8Array) return { bytes: decoded };
  const { coding, reason } = decoded;
  // RFC 9110 15.5.16: 415 also stands for an unsupported content coding.
  if (reason === 'unknown')
    return refuse('CONTENT_TYPE_UNDECLARED', `is encoded with "${coding}", which is not supported`, 415);
  if (reason === 'large') return refuse('BODY_TOO_LARGE', `exceeds the limit of ${limitBytes} bytes when decoded`, 413);
  return refuse('BODY_MALFORMED', `is not valid ${coding}, the coding in its Content-Encoding`);
}

/** Decodes content of any size; undefined if a coding is unknown or the bytes are not valid. */
export function decodeContent(bytes: Uint8Array, encoding: string | undefined): Uint8Array | undefined {
  // The answer to HEAD and a 304 have the field and no content.
  if (encoding === undefined || bytes.byteLength === 0) return bytes;
  const decoded = applyDecoders(bytes, encoding, undefined);
  return decoded instanceof Uint8Array ? decoded : undefined;
}

/** The members of an Accept-Encoding field that `decodeContent` knows; `identity` if there are none. */
export function toDecodableCodings(acceptEncoding: string): string {
  const members = acceptEncoding.split(',').map((member) => member.trim());
  const known = members.filter((member) => {
    const coding = toCoding(member.split(';')[0] ?? '');
    return coding === 'identity' || DECODERS.has(coding);
  });
  return known.length === 0 ? 'identity' : known.join(', ');
}

type Decoder = (bytes: Uint8Array, options: { readonly maxOutputLength?: number }) => Uint8Array;

const DECODERS: ReadonlyMap<string, Decoder> = new Map<string, Decoder>([
  ['gzip', gunzipSync],
  ['x-gzip', gunzipSync],
  ['br', brotliDecompressSync],
  // RFC 9110 8.4.1.2: "deflate" is the zlib format; some senders omit its header.
  ['deflate', (bytes, options) => ((bytes[0] ?? 0) % 16 === 8 ? inflateSync : inflateRawSync)(bytes, options)],
]);

type Undecodable = { readonly coding: string; readonly reason: 'unknown' | 'large' | 'malformed' };

function applyDecoders(bytes: Uint8Array, encoding: string, limitBytes: number | undefined): Uint8Array | Undecodable {
  const options = limitBytes === undefined ? {} : { maxOutputLength: limitBytes };
  let decoded = bytes;
  // RFC 9110 8.4: the codings are listed in the order in which they were applied.
  for (const coding of encoding.split(',').map(toCoding).toReversed()) {
    if (coding === '' || coding === 'identity') continue;
    const decode = DECODERS.get(coding);
    if (decode === undefined) return { coding, reason: 'unknown' };
    try {
      decoded = decode(decoded, options);
    } catch (error) {
      // `ERR_BUFFER_TOO_LARGE` of zlib.
      return { coding, reason: error instanceof RangeError ? 'large' : 'malformed' };
    }
  }
  return decoded;
}

function toCoding(text: string): string {
  return text.trim().toLowerCase();
}

function refuse(code: ClientReport['code'], problem: string, status?: number): DecodedBody {
  return { mistake: { code, in: 'body', message: `the body ${problem}`, status } };
}
