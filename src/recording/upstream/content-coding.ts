import { brotliDecompressSync, gunzipSync, inflateRawSync, inflateSync } from 'node:zlib';

/** The codings that a recording can be read in. */
const READABLE: ReadonlySet<string> = new Set(['gzip', 'x-gzip', 'deflate', 'br', 'identity']);

/**
 * What of an Accept-Encoding field may go to the upstream: a body in a coding that cannot be read could not be redacted.
 */
export function toReadableCodings(acceptEncoding: string): string {
  const kept = acceptEncoding
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => READABLE.has((entry.split(';')[0] ?? '').trim().toLowerCase()));
  return kept.length === 0 ? 'identity' : kept.join(', ');
}

/** Bytes without their content codings; undefined where one of these is unknown or the bytes are broken. */
export function decodeContent(bytes: Uint8Array, contentEncoding: string | undefined): Uint8Array | undefined {
  const codings = (contentEncoding ?? '')
    .split(',')
    .map((coding) => coding.trim().toLowerCase())
    .filter((coding) => coding !== '' && coding !== 'identity');
  // RFC 9110 8.4: listed in the order in which they were applied.
  let decoded: Uint8Array | undefined = bytes;
  for (const coding of codings.toReversed()) decoded = decoded === undefined ? undefined : decodeOne(decoded, coding);
  return decoded;
}

function decodeOne(bytes: Uint8Array, coding: string): Uint8Array | undefined {
  if (bytes.byteLength === 0) return bytes;
  try {
    if (coding === 'gzip' || coding === 'x-gzip') return gunzipSync(bytes);
    if (coding === 'br') return brotliDecompressSync(bytes);
    if (coding === 'deflate') return inflateAny(bytes);
  } catch {
    // Broken on the way: said by the caller, who knows the exchange.
  }
  return undefined;
}

/** RFC 9110 8.4.1.2: some servers send the raw format without the zlib wrapper. */
function inflateAny(bytes: Uint8Array): Uint8Array {
  try {
    return inflateSync(bytes);
  } catch {
    return inflateRawSync(bytes);
  }
}
