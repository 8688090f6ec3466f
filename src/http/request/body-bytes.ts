import { host, isBytes } from '../../base/platform.js';

/** A body in a temporary file. */
export interface ReceivedFile {
  /** Its path; the file is removed when the exchange has ended. */
  readonly path: string;
  /** In bytes. */
  readonly size: number;
  /** SHA-256, as base64url. */
  readonly digest: string;
}

/** The result of reading a body. */
export type BodyBytes =
  | { readonly kind: 'none' }
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array }
  /** Too large for memory. */
  | { readonly kind: 'file'; readonly file: ReceivedFile }
  /** More than the limit; the rest was read and dropped. */
  | { readonly kind: 'large'; readonly size: number | undefined }
  /** The client disconnected, or the stream failed. */
  | { readonly kind: 'incomplete' };

/**
 * How much of a body is read, also of a refused one: a client that is still sending would see a broken pipe and not the answer. Beyond it
 * the connection is closed.
 */
const MAX_READ = 256 * 1024 * 1024;

/**
 * Whether a request carries a body, said without touching `request.body` where that would be slow.
 *
 * The headers of a server's request say it (RFC 9112 section 6.3). One made in the process has no such headers, but its
 * `body` costs nothing to look at.
 */
export function hasBody(request: Request): boolean {
  const { method, headers } = request;
  if (isBodiless(method)) return false;
  const length = headers.get('content-length');
  if (length !== null) return length !== '0';
  if (headers.has('transfer-encoding')) return true;
  return !isLazyRequest(request) && request.body !== null;
}

/**
 * Whether a body of this method is never seen: RFC 9110 section 9.3.1 gives the body of a GET no meaning, and a `Request` has no
 * place for it.
 */
export function isBodiless(method: string): boolean {
  return method === 'GET' || method === 'HEAD';
}

/** Reads the whole body, or refuses it as too large; never rejects. */
export async function readBody(request: Request, limitBytes: number): Promise<BodyBytes> {
  try {
    const length = request.headers.get('content-length');
    if (length === null) return await readChunks(request, limitBytes);
    const size = Number(length);
    if (size > limitBytes) {
      await readChunks(request, limitBytes);
      return { kind: 'large', size };
    }
    const bytes = new Uint8Array(await request.arrayBuffer());
    return bytes.length < size ? { kind: 'incomplete' } : { kind: 'bytes', bytes };
  } catch {
    return { kind: 'incomplete' };
  }
}

/** Whether the request is the lazy one of @hono/node-server, which creates a full Request when `body` is read. */
function isLazyRequest(request: Request): boolean {
  if (Object.getPrototypeOf(request) === host.Request.prototype) return false;
  return Object.getOwnPropertySymbols(request).some(({ description }) => description === 'incomingKey');
}

async function readChunks(request: Request, limitBytes: number): Promise<BodyBytes> {
  if (request.body === null) return { kind: 'none' };
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request.body) {
    // A stream made in the process may contain anything; fetch of the platform also accepts bytes only.
    if (!isBytes(chunk)) throw new TypeError('a body is made of bytes');
    size += chunk.length;
    if (size <= limitBytes) chunks.push(chunk);
    else chunks.length = 0;
    if (size > MAX_READ) break;
  }
  if (size > limitBytes) return { kind: 'large', size: undefined };
  return { kind: 'bytes', bytes: chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks) };
}
