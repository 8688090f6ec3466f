import { brotliDecompressSync, gunzipSync, inflateRawSync, inflateSync } from 'node:zlib';
import type { ClientReport } from '../schema/report.js';

/** The bytes a compressed body stands for, or what to tell its sender. */
type Decompressed = { readonly bytes: Uint8Array } | { readonly mistake: ClientReport };

/**
 * Undoes the Content-Encoding of a request body (RFC 9110 section 8.4), the last one applied first.
 *
 * What comes out is bounded like what came in: a small body must not unpack to gigabytes.
 */
export function decompress(bytes: Uint8Array, encoding: string | null, limitBytes: number): Decompressed {
  const codings = (encoding ?? '')
    .toLowerCase()
    .split(',')
    .map((coding) => coding.trim());
  let current = bytes;
  for (const coding of codings.toReversed()) {
    if (coding === '' || coding === 'identity') continue;
    const undo = UNDO.get(coding);
    // RFC 9110 section 15.5.16: an encoding that is not taken is 415, too.
    if (undo === undefined)
      return refuse('CONTENT_TYPE_UNDECLARED', `is encoded with "${coding}", which is not taken`, 415);
    try {
      current = undo(current, { maxOutputLength: limitBytes });
    } catch (error) {
      const isLarge =
        error instanceof RangeError ||
        (error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE');
      if (isLarge) return refuse('BODY_TOO_LARGE', `unpacks to more than the ${limitBytes} bytes that are taken`, 413);
      return refuse('BODY_MALFORMED', `is not what its Content-Encoding "${coding}" promises`);
    }
  }
  return { bytes: current };
}

type Undo = (bytes: Uint8Array, options: { readonly maxOutputLength: number }) => Uint8Array;

const UNDO: ReadonlyMap<string, Undo> = new Map<string, Undo>([
  ['gzip', gunzipSync],
  ['x-gzip', gunzipSync],
  ['br', brotliDecompressSync],
  // RFC 9110 section 8.4.1.2: "deflate" is zlib's format, and some senders leave its wrapper out.
  ['deflate', (bytes, options) => ((bytes[0] ?? 0) % 16 === 8 ? inflateSync : inflateRawSync)(bytes, options)],
]);

function refuse(code: ClientReport['code'], says: string, status?: number): Decompressed {
  return { mistake: { code, in: 'body', message: `the body ${says}`, status } };
}
