import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { type ServerResponse, STATUS_CODES } from 'node:http';
import type { Clock } from '../../clock.js';
import type { Fault } from '../../http/answer.js';
import { type BrokenBody, breakStream, cutJson, dripBytes, type StallEnd, stopHalfway } from './fault-streams.js';

/** One response that has to fail. */
interface FaultOrder {
  readonly fault: Fault;
  /** The response without the fault; undefined for a fault before the status line. */
  readonly response: Response | undefined;
  /** The socket's side of the exchange; undefined in-process. */
  readonly outgoing: ServerResponse | undefined;
  /** The clock of delays between pieces of a body. */
  readonly clock: Clock;
  /** Aborted when the client disconnects: ends a wait that has no other end. */
  readonly signal: AbortSignal;
}

type ApplyFault = (order: FaultOrder) => Response | Promise<Response>;

/**
 * Applies a fault: on a socket to the connection itself, in-process as `fetch` would report it.
 *
 * @returns a promise; in-process it rejects with TypeError `fetch failed`, whose `cause` has the code that a socket would have given.
 */
export async function applyFault(order: FaultOrder): Promise<Response> {
  return FAULTS[order.fault.kind](order);
}

/** One entry per fault. */
const FAULTS: Readonly<Record<Fault['kind'], ApplyFault>> = {
  reset: ({ outgoing }) => {
    if (outgoing === undefined) throw toFetchError(RESET);
    outgoing.socket?.resetAndDestroy();
    return RESPONSE_ALREADY_SENT;
  },
  empty: ({ outgoing }) => {
    if (outgoing === undefined) throw toFetchError(CLOSED);
    outgoing.socket?.end();
    return RESPONSE_ALREADY_SENT;
  },
  garbage: ({ outgoing }) => {
    if (outgoing === undefined) throw toFetchError(NOT_HTTP);
    outgoing.socket?.end('\u0000\u0001 lorem ipsum dolor\r\n\r\n');
    return RESPONSE_ALREADY_SENT;
  },
  'malformed-chunk': async ({ outgoing, response }) => {
    if (outgoing === undefined) return failBody(response, { share: 0.5, cause: BAD_CHUNK });
    const status = response?.status ?? 200;
    const head = [
      `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
      'transfer-encoding: chunked',
      'connection: close',
    ];
    const fields = [...(response?.headers ?? [])].filter(([name]) => !FRAMING.has(name));
    for (const [name, value] of fields) head.push(`${name}: ${value}`);
    // RFC 9112 7.1: a chunk begins with its size in hexadecimal digits, which "zz" is not.
    outgoing.socket?.end(`${head.join('\r\n')}\r\n\r\n1\r\n{\r\nzz\r\nlorem ipsum\r\n`);
    return RESPONSE_ALREADY_SENT;
  },
  truncate: async ({ fault, outgoing, response }) => {
    const at = fault.kind === 'truncate' ? fault.at : 0.5;
    if (outgoing === undefined) return failBody(response, { share: at, cause: CLOSED });
    const bytes = await readBytes(response);
    const part = bytes.subarray(0, toCount(at, bytes.length));
    writeHead(outgoing, response, Math.max(bytes.length, part.length + 1));
    outgoing.write(part, () => outgoing.socket?.end());
    return RESPONSE_ALREADY_SENT;
  },
  'malformed-json': async ({ response }) => withBody(response, cutJson(await readBytes(response))),
  hang: async ({ fault, outgoing, response, signal }) => {
    if (fault.kind === 'hang' && fault.stage === 'body')
      return stopHalfway(response ?? new Response(), toEnd(outgoing, signal));
    // On a socket the server never answers; the connection ends with the client or the server.
    return outgoing === undefined ? waitForAbort(signal) : RESPONSE_ALREADY_SENT;
  },
  drip: ({ fault, response, clock, signal }) => {
    if (fault.kind !== 'drip') return response ?? new Response();
    return dripBytes(response ?? new Response(), { bytes: fault.bytes, everyMs: fault.everyMs, clock, signal });
  },
  bandwidth: ({ fault, response, clock, signal }) => {
    if (fault.kind !== 'bandwidth') return response ?? new Response();
    // Ten pieces a second; a kilobit is 1,000 bits.
    const bytes = Math.max(1, Math.round((fault.kbps * 125) / 10));
    return dripBytes(response ?? new Response(), { bytes, everyMs: (bytes * 8) / fault.kbps, clock, signal });
  },
  stream: ({ fault, response, outgoing, signal }) => {
    if (fault.kind !== 'stream') return response ?? new Response();
    const fail = (controller: ReadableStreamDefaultController<Uint8Array>): void => {
      if (outgoing === undefined) controller.error(toTerminated(RESET));
      else outgoing.socket?.resetAndDestroy();
    };
    // A reset discards what has not been sent yet.
    const isFlushed = (): boolean => outgoing === undefined || (outgoing.headersSent && outgoing.writableLength === 0);
    return breakStream(response ?? new Response(), {
      after: fault.after,
      action: fault.action,
      fail,
      isFlushed,
      end: toEnd(outgoing, signal),
    });
  },
};

/** How a body that stalls ends: when the client disconnects. On a socket no reader is left to see an error. */
function toEnd(outgoing: ServerResponse | undefined, signal: AbortSignal): StallEnd {
  return { signal, isSilent: outgoing !== undefined };
}

/** The cause that Node's `fetch` reports for a failed connection. */
interface Cause {
  readonly code: string;
  readonly message: string;
}

const RESET: Cause = { code: 'ECONNRESET', message: 'read ECONNRESET' };
const CLOSED: Cause = { code: 'UND_ERR_SOCKET', message: 'other side closed' };
const NOT_HTTP: Cause = {
  code: 'HPE_INVALID_CONSTANT',
  message: 'Response does not match the HTTP/1.1 protocol (Expected HTTP/)',
};
const BAD_CHUNK: Cause = {
  code: 'HPE_INVALID_CHUNK_SIZE',
  message: 'Response does not match the HTTP/1.1 protocol (Invalid character in chunk size)',
};

/** Headers of message framing, which a broken body sets itself. */
const FRAMING: ReadonlySet<string> = new Set(['content-length', 'transfer-encoding', 'connection']);

/** The error of a `fetch` without a response. */
function toFetchError(cause: Cause): TypeError {
  return new TypeError('fetch failed', { cause: toCauseError(cause) });
}

/** The error of an incomplete body. */
function toTerminated(cause: Cause): TypeError {
  return new TypeError('terminated', { cause: toCauseError(cause) });
}

function toCauseError({ code, message }: Cause): Error {
  return Object.assign(new Error(message), { code });
}

/** The response with a body that fails after a fraction of it, or after a number of bytes. */
async function failBody(
  response: Response | undefined,
  breakage: { readonly share: number; readonly cause: Cause },
): Promise<Response> {
  const bytes = await readBytes(response);
  const part = bytes.slice(0, toCount(breakage.share, bytes.length));
  // The first read gets the part, the second one fails: an error at once would discard the part.
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => {
      if (part.length > 0) controller.enqueue(part);
    },
    pull: (controller) => controller.error(toTerminated(breakage.cause)),
  });
  return withBody(response, body);
}

/** The number of bytes of a fraction (below 1) or a count (1 or more). */
function toCount(at: number, length: number): number {
  return at < 1 ? Math.floor(length * at) : Math.min(at, length);
}

async function readBytes(response: Response | undefined): Promise<Uint8Array<ArrayBuffer>> {
  return response === undefined ? new Uint8Array() : new Uint8Array(await response.arrayBuffer());
}

function withBody(response: Response | undefined, body: BrokenBody): Response {
  const headers = new Headers(response?.headers);
  headers.delete('content-length');
  return new Response(body, { status: response?.status ?? 200, headers });
}

function writeHead(outgoing: ServerResponse, response: Response | undefined, length: number): void {
  const headers = [...(response?.headers ?? [])].filter(([name]) => !FRAMING.has(name));
  outgoing.writeHead(response?.status ?? 200, [...headers, ['content-length', String(length)]].flat());
}

/** Never answers; ends when the client aborts. */
function waitForAbort(signal: AbortSignal): Promise<Response> {
  return new Promise((_resolve, reject) => {
    const giveUp = (): void => reject(signal.reason as Error);
    if (signal.aborted) giveUp();
    else signal.addEventListener('abort', giveUp, { once: true });
  });
}
