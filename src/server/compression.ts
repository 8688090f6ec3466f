import type { IncomingMessage, OutgoingHttpHeaders, RequestListener, ServerResponse } from 'node:http';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { isObject } from '../contract/json.js';
import { isBytes } from '../platform.js';

type Coding = 'br' | 'gzip';

/** Smaller bodies fit in one packet, and gain nothing. */
const MIN_BYTES = 1024;

/** Media types whose content is text; images, archives and the like are compressed already. */
const COMPRESSIBLE =
  /^(?:text\/|application\/(?:[\w.-]+\+)?(?:json|xml|yaml|x-yaml|javascript|graphql|x-www-form-urlencoded)\b|image\/svg\+xml)/i;

/** Statuses without content, or with a part of one (RFC 9110 15.3.7). */
const UNSUITED: ReadonlySet<number> = new Set([204, 205, 206, 304]);

/**
 * Wraps a listener so that it compresses answers for clients that accept it. Streams are sent as they are, because their items would wait
 * in the compressor.
 */
export function compressAnswers(listener: RequestListener): RequestListener {
  return (incoming, outgoing) => {
    holdHead(outgoing, chooseCoding(incoming), incoming.method === 'HEAD');
    listener(incoming, outgoing);
  };
}

/** The coding that the client prefers (RFC 9110 12.5.3); Brotli among equals. */
function chooseCoding({ headers }: IncomingMessage): Coding | undefined {
  const weights = new Map<string, number>();
  for (const part of (headers['accept-encoding'] ?? '').split(',')) {
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

/** The members of a response that say when its header fields are sent. */
type Writing = Record<'writeHead' | 'write' | 'end' | 'flushHeaders', (...given: unknown[]) => unknown>;

type Head = [status: number, headers: OutgoingHttpHeaders];

/** Waits with the header fields until the body is known: only one that is written at once is compressed. */
function holdHead(outgoing: ServerResponse, coding: Coding | undefined, isHead: boolean): void {
  // Their overloads differ; the arguments are passed on as they are.
  const target = outgoing as unknown as Writing;
  const { writeHead, write, end, flushHeaders } = target;
  let head: Head | undefined;
  /** Writes the header fields, then the rest like a response that was not wrapped. */
  const release = (): void => {
    Object.assign(target, { writeHead, write, end, flushHeaders });
    if (head !== undefined) writeHead.apply(outgoing, head);
  };
  target.writeHead = (...given) => {
    const [status, headers] = given;
    if (typeof status === 'number' && isObject(headers)) head = [status, headers as OutgoingHttpHeaders];
    else {
      release();
      writeHead.apply(outgoing, given);
    }
    return outgoing;
  };
  target.write = (...given) => {
    release();
    return write.apply(outgoing, given);
  };
  target.flushHeaders = () => {
    release();
    flushHeaders.call(outgoing);
  };
  target.end = (...given) => {
    const bytes = toBytes(given[0]);
    const negotiated = head && toNegotiated(head, isHead ? undefined : (bytes?.length ?? 0));
    head = negotiated ?? head;
    if (negotiated === undefined || coding === undefined) {
      release();
      end.apply(outgoing, given);
      return outgoing;
    }
    const [status, { 'content-length': _identity, ...fields }] = negotiated;
    // RFC 9110 9.3.2: HEAD need not have a length that only the compressed body has.
    head = [status, { ...fields, 'content-encoding': coding }];
    if (bytes === undefined) {
      release();
      end.call(outgoing);
      return outgoing;
    }
    compress(coding, bytes, (error, packed) => {
      try {
        if (error !== null) throw error;
        head = [status, { ...fields, 'content-encoding': coding, 'content-length': packed.length }];
        release();
        end.call(outgoing, packed);
      } catch {
        // Nothing has been sent; the client sees that the connection failed.
        outgoing.destroy();
      }
    });
    return outgoing;
  };
}

function toBytes(body: unknown): Uint8Array | undefined {
  if (typeof body === 'string') return Buffer.from(body);
  return isBytes(body) ? body : undefined;
}

/**
 * The head of an answer that may be compressed, with `Vary`; undefined for another one.
 *
 * @param written - Bytes of the body; undefined for HEAD, which is negotiated like GET.
 */
function toNegotiated([status, given]: Head, written: number | undefined): Head | undefined {
  const headers: OutgoingHttpHeaders = {};
  for (const [name, value] of Object.entries(given)) headers[name.toLowerCase()] = value;
  const read = (name: string): string => String(headers[name] ?? '');
  const length = written ?? Number(read('content-length'));
  if (
    length < MIN_BYTES ||
    UNSUITED.has(status) ||
    headers['content-encoding'] !== undefined ||
    !COMPRESSIBLE.test(read('content-type'))
  )
    return undefined;
  // Ranges are those of the body as it is (RFC 9110 14.1.2).
  if (read('accept-ranges') === 'bytes') return undefined;
  // A strong validator names these bytes (RFC 9110 8.8.1), and `no-transform` forbids it (RFC 9111 5.2.2.6).
  if (read('etag').startsWith('"') || /\bno-transform\b/i.test(read('cache-control'))) return undefined;
  const vary = [headers['vary'] ?? []].flat().map(String);
  return [status, { ...headers, vary: [...vary, 'Accept-Encoding'].join(', ') }];
}

/** As fast as gzip, and smaller; the default 11 takes seconds for a large body. */
const BROTLI_QUALITY = 4;

function compress(
  coding: Coding,
  bytes: Uint8Array,
  done: (error: Error | null, packed: Buffer<ArrayBuffer>) => void,
): void {
  if (coding === 'gzip') gzip(bytes, done);
  else {
    const params = {
      [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY,
      [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
    };
    brotliCompress(bytes, { params }, done);
  }
}
