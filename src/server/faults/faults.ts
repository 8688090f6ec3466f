import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { type ServerResponse, STATUS_CODES } from 'node:http';
import type { Clock } from '../../clock.js';
import type { Fault } from '../../http/answer.js';
import { type Breakage, breakStream, cutJson, dripBytes, type StallEnd, stopHalfway } from './fault-streams.js';

/** One answer that is to go wrong. */
interface FaultOrder {
  readonly fault: Fault;
  /** The answer as it would have been; undefined for a fault that strikes before there is one. */
  readonly response: Response | undefined;
  /** The socket's side of the exchange; undefined in-process. */
  readonly outgoing: ServerResponse | undefined;
  /** What slow bodies wait by. */
  readonly clock: Clock;
  /** Ends a wait that has no other end: the client went away. */
  readonly signal: AbortSignal;
}

type Carry = (order: FaultOrder) => Response | Promise<Response>;

/**
 * Carries a fault out: on a socket for real, in-process as `fetch` would report it.
 *
 * @returns a promise that is rejected with TypeError `fetch failed` in-process, its `cause` with the code that a socket would have given.
 */
export async function applyFault(order: FaultOrder): Promise<Response> {
  return FAULTS[order.fault.kind](order);
}

/** One entry per fault. */
const FAULTS: Readonly<Record<Fault['kind'], Carry>> = {
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
    if (outgoing === undefined) throw toFetchError(NO_HTTP);
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
    // On a socket the server simply never answers; the connection ends with the client or the server.
    return outgoing === undefined ? waitForEver(signal) : RESPONSE_ALREADY_SENT;
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
    // A reset takes back what is not on the wire yet.
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

/** How a body that stalls ends: with the client. On a socket nobody is left to be told. */
function toEnd(outgoing: ServerResponse | undefined, signal: AbortSignal): StallEnd {
  return { signal, isSilent: outgoing !== undefined };
}

/** What Node's fetch reports: an error of this code and message, as the cause of its own. */
interface Cause {
  readonly code: string;
  readonly message: string;
}

const RESET: Cause = { code: 'ECONNRESET', message: 'read ECONNRESET' };
const CLOSED: Cause = { code: 'UND_ERR_SOCKET', message: 'other side closed' };
const NO_HTTP: Cause = {
  code: 'HPE_INVALID_CONSTANT',
  message: 'Response does not match the HTTP/1.1 protocol (Expected HTTP/)',
};
const BAD_CHUNK: Cause = {
  code: 'HPE_INVALID_CHUNK_SIZE',
  message: 'Response does not match the HTTP/1.1 protocol (Invalid character in chunk size)',
};

/** Headers that say how the body is framed, which a broken body says for itself. */
const FRAMING: ReadonlySet<string> = new Set(['content-length', 'transfer-encoding', 'connection']);

/** The error of a fetch that got no answer. */
function toFetchError(cause: Cause): TypeError {
  return new TypeError('fetch failed', { cause: toCauseError(cause) });
}

/** The error of a body that ended too soon. */
function toTerminated(cause: Cause): TypeError {
  return new TypeError('terminated', { cause: toCauseError(cause) });
}

function toCauseError({ code, message }: Cause): Error {
  return Object.assign(new Error(message), { code });
}

/** An answer whose body breaks after a share of it, or a count of bytes. */
async function failBody(
  response: Response | undefined,
  breakage: { readonly share: number; readonly cause: Cause },
): Promise<Response> {
  const bytes = await readBytes(response);
  const part = bytes.slice(0, toCount(breakage.share, bytes.length));
  // The first pull hands out what there is, the second one fails: an error at once would take the part away again.
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => {
      if (part.length > 0) controller.enqueue(part);
    },
    pull: (controller) => controller.error(toTerminated(breakage.cause)),
  });
  return withBody(response, body);
}

/** How many bytes a share (below 1) or a count (from 1 on) is. */
function toCount(at: number, length: number): number {
  return at < 1 ? Math.floor(length * at) : Math.min(at, length);
}

async function readBytes(response: Response | undefined): Promise<Uint8Array<ArrayBuffer>> {
  return response === undefined ? new Uint8Array() : new Uint8Array(await response.arrayBuffer());
}

function withBody(response: Response | undefined, body: Breakage): Response {
  const headers = new Headers(response?.headers);
  headers.delete('content-length');
  return new Response(body, { status: response?.status ?? 200, headers });
}

function writeHead(outgoing: ServerResponse, response: Response | undefined, length: number): void {
  const headers = [...(response?.headers ?? [])].filter(([name]) => !FRAMING.has(name));
  outgoing.writeHead(response?.status ?? 200, [...headers, ['content-length', String(length)]].flat());
}

/** Never answers; ends when the client gives up. */
function waitForEver(signal: AbortSignal): Promise<Response> {
  return new Promise((_resolve, reject) => {
    const giveUp = (): void => reject(signal.reason as Error);
    if (signal.aborted) giveUp();
    else signal.addEventListener('abort', giveUp, { once: true });
  });
}
