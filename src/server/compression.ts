import { isTextType } from '../contract/media-type.js';
import type { IncomingMessage } from 'node:http';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import type { ResponseConstructor } from '../http/response/encode.js';
import { host, isBytes } from '../base/platform.js';

type Coding = 'br' | 'gzip';

/** Smaller bodies fit in one packet, and gain nothing. */
const MIN_BYTES = 1024;

/** Statuses without content, or with a part of one (RFC 9110 15.3.7). */
const UNSUITED: ReadonlySet<number> = new Set([204, 205, 206, 304]);

/** As fast as gzip, and smaller; the default 11 takes seconds for a large body. */
const BROTLI_QUALITY = 4;

/**
 * The Response class for the answer to a request, which compresses its body if the client accepts that. Streams are sent as they are, because
 * their items would wait in the compressor.
 */
export function createCompressing(
  Plain: ResponseConstructor,
  { method, headers }: Pick<IncomingMessage, 'method' | 'headers'>,
): ResponseConstructor {
  const coding = chooseCoding(headers['accept-encoding']);
  return class extends Plain {
    constructor(...given: Given) {
      super(...compress(given, coding, method === 'HEAD'));
    }
  };
}

type Given = ConstructorParameters<ResponseConstructor>;

/** The coding that the client prefers (RFC 9110 12.5.3); Brotli among equals. */
function chooseCoding(accepted = ''): Coding | undefined {
  const weights = new Map<string, number>();
  for (const part of accepted.split(',')) {
    const [name = '', ...parameters] = part.split(';').map((text) => text.trim().toLowerCase());
    const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
    weights.set(name === 'x-gzip' ? 'gzip' : name, weight === undefined ? 1 : Number(weight) || 0);
  }
  const weigh = (coding: Coding): number => weights.get(coding) ?? weights.get('*') ?? 0;
  const [br, gz] = [weigh('br'), weigh('gzip')];
  // Without a weight for it, the client takes the answer as it is, too, but would not have named another coding.
  if (Math.max(br, gz) < (weights.get('identity') ?? 0) || Math.max(br, gz) === 0) return undefined;
  return br >= gz ? 'br' : 'gzip';
}

function compress([body, init]: Given, coding: Coding | undefined, isHead: boolean): Given {
  const headers = new host.Headers(init.headers);
  const bytes = typeof body === 'string' ? Buffer.from(body) : isBytes(body) ? body : undefined;
  const length = isHead ? Number(headers.get('content-length')) : (bytes?.length ?? 0);
  if (length < MIN_BYTES || UNSUITED.has(init.status ?? 200) || !isCompressible(headers)) return [body, init];
  headers.append('vary', 'Accept-Encoding');
  if (coding === undefined) return [body, { ...init, headers }];
  headers.set('content-encoding', coding);
  // RFC 9110 9.3.2: HEAD need not have a length that only the compressed body has.
  headers.delete('content-length');
  if (bytes === undefined) return [body, { ...init, headers }];
  const { BROTLI_PARAM_QUALITY, BROTLI_PARAM_SIZE_HINT } = constants;
  const params = { [BROTLI_PARAM_QUALITY]: BROTLI_QUALITY, [BROTLI_PARAM_SIZE_HINT]: bytes.length };
  return [coding === 'gzip' ? gzipSync(bytes) : brotliCompressSync(bytes, { params }), { ...init, headers }];
}

/** Whether a body with these header fields may be compressed. */
function isCompressible(headers: Headers): boolean {
  const read = (name: string): string => headers.get(name) ?? '';
  if (headers.has('content-encoding') || !isTextType(read('content-type'))) return false;
  // Ranges refer to the body without compression (RFC 9110 14.1.2).
  if (read('accept-ranges') === 'bytes') return false;
  // A strong validator names these bytes (RFC 9110 8.8.1), and `no-transform` forbids it (RFC 9111 5.2.2.6).
  return !read('etag').startsWith('"') && !/\bno-transform\b/i.test(read('cache-control'));
}
