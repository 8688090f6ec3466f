import type { IncomingMessage } from 'node:http';
import type { BodyBytes } from '../http/request/body-bytes.js';

/** A message with what has arrived of its body before anybody asked. */
export interface ArrivedMessage extends IncomingMessage {
  /** Undefined where the body has to be read. */
  arrivedBody?: BodyBytes;
  /** Where @hono/node-server looks for a body that somebody has read before it. */
  rawBody?: Buffer;
}

/** A body up to this size is waited for before anything else happens; a larger one is read while the request is looked at. */
const SMALL_BYTES = 64 * 1024;

const NONE: BodyBytes = Object.freeze({ kind: 'none' });
const INCOMPLETE: BodyBytes = Object.freeze({ kind: 'incomplete' });

/**
 * Waits for a small body and tells when it is there, so that the request can be answered in one go: without a promise for the
 * body and for everything that follows from it, a POST costs a third less.
 *
 * @param tell - Called once, with whether some of the body may still have to be read.
 */
export function awaitBody(incoming: ArrivedMessage, tell: (hasRest: boolean) => void): void {
  const { headers } = incoming;
  const length = headers['content-length'];
  if (length === undefined || length === '0') {
    // RFC 9112 section 6.3: a request with neither field has no body.
    const hasRest = headers['transfer-encoding'] !== undefined;
    if (!hasRest) incoming.arrivedBody = NONE;
    tell(hasRest);
  } else if (Number(length) <= SMALL_BYTES && incoming.method !== 'GET' && incoming.method !== 'HEAD') {
    collect(incoming, tell);
  } else tell(true);
}

function collect(incoming: ArrivedMessage, tell: (hasRest: boolean) => void): void {
  const chunks: Buffer[] = [];
  let told = false;
  const end = (body: BodyBytes): void => {
    if (told) return;
    told = true;
    incoming.arrivedBody = body;
    tell(false);
  };
  incoming.on('data', (chunk: Buffer) => void chunks.push(chunk));
  incoming.on('end', () => {
    const bytes = chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks);
    incoming.rawBody = bytes;
    // No Buffer: callers see the bytes, and a Buffer's `slice` and `toJSON` are its own.
    end({ kind: 'bytes', bytes: new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length) });
  });
  incoming.on('error', () => end(INCOMPLETE));
  incoming.on('close', () => end(INCOMPLETE));
}
