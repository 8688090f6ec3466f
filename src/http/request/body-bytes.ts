/** What reading a body came to. */
export type BodyBytes =
  | { readonly kind: 'none' }
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array }
  /** More than the limit; the rest was read and thrown away. */
  | { readonly kind: 'large'; readonly size: number | undefined }
  /** The client went away, or the stream broke. */
  | { readonly kind: 'incomplete' };

const NONE: BodyBytes = Object.freeze({ kind: 'none' });
/** How much of a refused body is read, so that the client receives the answer; beyond it the connection is closed. */
const MAX_DRAINED = 256 * 1024 * 1024;

/**
 * Whether a request carries a body, said without touching `request.body` where that would be slow.
 *
 * A server's request tells by its headers alone (RFC 9112 section 6.3). One made in the process has no such headers, but its
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
      await drain(request);
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
  if (Object.getPrototypeOf(request) === Request.prototype) return false;
  return Object.getOwnPropertySymbols(request).some(({ description }) => description === 'incomingKey');
}

async function readChunks(request: Request, limitBytes: number): Promise<BodyBytes> {
  const reader = request.body?.getReader();
  if (reader === undefined) return NONE;
  const chunks: Uint8Array[] = [];
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    // A stream made in the process may carry anything; the platform's fetch takes bytes alone, too.
    if (!((value as unknown) instanceof Uint8Array)) throw new TypeError('a body is made of bytes');
    size += value.length;
    if (size <= limitBytes) chunks.push(value);
    else chunks.length = 0;
    if (size > MAX_DRAINED) {
      await reader.cancel();
      break;
    }
  }
  if (size > limitBytes) return { kind: 'large', size: undefined };
  return { kind: 'bytes', bytes: chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks) };
}

/** Reads on and throws away: a client that is still sending would see a broken pipe and not the answer. */
async function drain(request: Request): Promise<void> {
  const reader = request.body?.getReader();
  if (reader === undefined) return;
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    size += value.length;
    if (size > MAX_DRAINED) {
      await reader.cancel();
      return;
    }
  }
}
