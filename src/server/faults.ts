import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { TextDecoder, TextEncoder } from 'node:util';
import type { Clock } from '../base/clock.js';
import { toEssence } from '../contract/media-type.js';
import type { Fault, StreamAction } from '../http/answer.js';
import { host, setTimeout } from '../base/platform.js';

interface FaultOrder<Kind extends Fault['kind'] = Fault['kind']> {
  readonly fault: Extract<Fault, { readonly kind: Kind }>;
  /** The response without the fault; an empty one for a fault before the status line. */
  readonly response: Response;
  /** The socket's side of the exchange; undefined in-process. */
  readonly outgoing: ServerResponse | undefined;
  /** The clock of delays between pieces of a body. */
  readonly clock: Clock;
  /** Aborted when the client disconnects: ends a wait that has no other end. */
  readonly signal: AbortSignal;
}

type ApplyFault<Kind extends Fault['kind']> = (order: FaultOrder<Kind>) => Response | Promise<Response>;

/**
 * Applies a fault: on a socket to the connection itself, in-process as `fetch` would report it.
 *
 * @returns a promise; in-process it rejects with TypeError `fetch failed`, whose `cause` has the code that a socket would have given.
 */
export async function applyFault(order: FaultOrder): Promise<Response> {
  // The entry of a kind takes the orders of that kind.
  return (FAULTS[order.fault.kind] as ApplyFault<Fault['kind']>)(order);
}

/** A fault before the status line. @param act - Breaks the socket. */
function breakConnection(cause: Cause, act: (socket: Socket | null) => unknown) {
  return ({ outgoing }: Pick<FaultOrder, 'outgoing'>): Response => {
    if (outgoing === undefined) throw new TypeError('fetch failed', { cause: toCauseError(cause) });
    act(outgoing.socket);
    return createSent();
  };
}

/**
 * Tells @hono/node-server that the socket has been written to. Its own constant would be created when this module loads, and with it the
 * platform's `Response`, which takes longer to load than this package.
 */
function createSent(): Response {
  return new host.Response(undefined, { headers: { 'x-hono-already-sent': 'true' } });
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

const FAULTS: { readonly [Kind in Fault['kind']]: ApplyFault<Kind> } = {
  reset: breakConnection(RESET, (socket) => socket?.resetAndDestroy()),
  empty: breakConnection(CLOSED, (socket) => socket?.end()),
  garbage: breakConnection(NOT_HTTP, (socket) => socket?.end('\u0000\u0001 lorem ipsum dolor\r\n\r\n')),
  'malformed-chunk': async ({ outgoing, response }) => {
    if (outgoing === undefined) return failBody(response, 0.5, BAD_CHUNK);
    const { status } = response;
    // On import `node:http` loads the platform's `fetch` (Node 22).
    const { STATUS_CODES } = await import('node:http');
    const head = [
      `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
      'transfer-encoding: chunked',
      'connection: close',
      ...listHeaders(response).map(([name, value]) => `${name}: ${value}`),
    ];
    // RFC 9112 7.1: a chunk begins with its size in hexadecimal digits, which "zz" is not.
    outgoing.socket?.end(`${head.join('\r\n')}\r\n\r\n1\r\n{\r\nzz\r\nlorem ipsum\r\n`);
    return createSent();
  },
  truncate: async ({ fault, outgoing, response }) => {
    if (outgoing === undefined) return failBody(response, fault.at, CLOSED);
    const bytes = await readBytes(response);
    const part = bytes.subarray(0, toCount(fault.at, bytes.length));
    const length = String(Math.max(bytes.length, part.length + 1));
    outgoing.writeHead(response.status, [...listHeaders(response), ['content-length', length]].flat());
    outgoing.write(part, () => outgoing.socket?.end());
    return createSent();
  },
  'malformed-json': async ({ response }) => withBody(response, cutJson(await readBytes(response))),
  hang: ({ fault, outgoing, response, signal }) => {
    if (fault.stage === 'body') return stopHalfway(response, toEnd(outgoing, signal));
    // On a socket the server never answers; the connection ends with the client or the server.
    return outgoing === undefined ? waitForAbort(signal) : createSent();
  },
  drip: ({ fault, response, clock, signal }) => dripBytes(response, { ...fault, clock, signal }),
  bandwidth: ({ fault: { kbps }, response, clock, signal }) => {
    // Ten pieces a second; a kilobit is 1,000 bits.
    const bytes = Math.max(1, Math.round((kbps * 125) / 10));
    return dripBytes(response, { bytes, every: (bytes * 8) / kbps, clock, signal });
  },
  stream: ({ fault, response, outgoing, signal }) => {
    const fail = (controller: ReadableStreamDefaultController<Uint8Array>): void => {
      if (outgoing === undefined) controller.error(toTerminated(RESET));
      else outgoing.socket?.resetAndDestroy();
    };
    // A reset discards what has not been sent yet.
    const isFlushed = (): boolean => outgoing === undefined || (outgoing.headersSent && outgoing.writableLength === 0);
    return breakStream(response, { ...fault, fail, isFlushed, end: toEnd(outgoing, signal) });
  },
};

/** How a body that stalls ends: when the client disconnects. On a socket no reader is left to see an error. */
function toEnd(outgoing: ServerResponse | undefined, signal: AbortSignal): StallEnd {
  return { signal, isSilent: outgoing !== undefined };
}

/** Headers of message framing, which a broken body sets itself. */
const FRAMING: ReadonlySet<string> = new Set(['content-length', 'transfer-encoding', 'connection']);

function listHeaders({ headers }: Response): readonly [string, string][] {
  return [...headers].filter(([name]) => !FRAMING.has(name));
}

/** The error of an incomplete body. */
function toTerminated(cause: Cause): TypeError {
  return new TypeError('terminated', { cause: toCauseError(cause) });
}

function toCauseError({ code, message }: Cause): Error {
  return Object.assign(new Error(message), { code });
}

/** The response with a body that fails after a fraction of it, or after a number of bytes. */
async function failBody(response: Response, share: number, cause: Cause): Promise<Response> {
  const bytes = await readBytes(response);
  const part = bytes.slice(0, toCount(share, bytes.length));
  // The first read gets the part, the second one fails: an error at once would discard the part.
  const body = new host.ReadableStream<Uint8Array>({
    start: (controller) => {
      if (part.length > 0) controller.enqueue(part);
    },
    pull: (controller) => controller.error(toTerminated(cause)),
  });
  return withBody(response, body);
}

/** The number of bytes of a fraction (below 1) or a count (1 or more). */
function toCount(at: number, length: number): number {
  return at < 1 ? Math.floor(length * at) : Math.min(at, length);
}

async function readBytes(response: Response): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await response.arrayBuffer());
}

/** Never answers; ends when the client aborts. */
function waitForAbort(signal: AbortSignal): Promise<Response> {
  return new Promise((_resolve, reject) => {
    const giveUp = (): void => reject(signal.reason as Error);
    if (signal.aborted) giveUp();
    else signal.addEventListener('abort', giveUp, { once: true });
  });
}

/** How long a client has to read what was sent before its connection is reset. */
const READ_MS = 25;

type Controller = ReadableStreamDefaultController<Uint8Array>;

interface Sink {
  readonly controller: Controller;
  /** Aborted when the reader of the body cancels. */
  readonly cancelled: AbortSignal;
}

/** How a body that stalls ends. */
interface StallEnd {
  /** Aborted when the client gives up. */
  readonly signal: AbortSignal;
  /** Whether the body then ends without an error. */
  readonly isSilent: boolean;
}

/** Cuts JSON in the middle; text that is still valid JSON gets an opening brace. */
function cutJson(bytes: Uint8Array<ArrayBuffer>): string {
  const text = new TextDecoder().decode(bytes);
  const half = text.slice(0, Math.ceil(text.length / 2));
  try {
    JSON.parse(half);
    return `{${half}`;
  } catch {
    return half;
  }
}

/** The response with a body in small pieces, with a delay before each but the first. */
function dripBytes(
  response: Response,
  pace: { readonly bytes: number; readonly every: number; readonly clock: Clock; readonly signal: AbortSignal },
): Response {
  return transform(response, async (source, { controller }) => {
    let isFirst = true;
    for await (const chunk of source) {
      for (let start = 0; start < chunk.length; start += pace.bytes) {
        if (!isFirst) await pace.clock.sleep(pace.every, pace.signal);
        isFirst = false;
        controller.enqueue(chunk.slice(start, start + pace.bytes));
      }
    }
    controller.close();
  });
}

/** The response with half of its body; the rest is never sent. */
function stopHalfway(response: Response, end: StallEnd): Response {
  return transform(response, async (source, { controller }) => {
    const bytes = await buffer(source);
    const half = bytes.subarray(0, Math.floor(bytes.length / 2));
    if (half.length > 0) controller.enqueue(new Uint8Array(half));
    stall(controller, end);
  });
}

interface Breakage {
  /** The number of events before it. */
  readonly after: number;
  readonly action: StreamAction;
  /** Breaks the connection. */
  fail(controller: Controller): void;
  /** Whether everything that was read from the stream has been sent. */
  isFlushed(): boolean;
  readonly end: StallEnd;
}

/** The response as a stream of events that fails after some of them. */
function breakStream(response: Response, breakage: Breakage): Response {
  const isEvents = toEssence(response.headers.get('content-type') ?? '') === 'text/event-stream';
  const [end, bad] = isEvents ? [EVENT_END, 'data: {"broken": \n\n'] : [/\n/, '{"broken": \n'];
  const encode = (text: string): Uint8Array => new TextEncoder().encode(text);
  return transform(response, async (source, sink) => {
    const { controller } = sink;
    let last = '';
    let count = 0;
    for await (const event of splitEvents(source, end)) {
      if (count === breakage.after) {
        if (breakage.action === 'stall') return stall(controller, breakage.end);
        if (breakage.action === 'reset') return failWhenSent(sink, breakage);
        if (breakage.action === 'end') return controller.close();
        if (breakage.action === 'bad-json') controller.enqueue(encode(bad));
        if (breakage.action === 'duplicate') controller.enqueue(encode(last));
      }
      controller.enqueue(encode(event));
      last = event;
      count += 1;
    }
    controller.close();
  });
}

/** Breaks the connection once everything in the stream has been read and sent, unless the client leaves before that. */
async function failWhenSent({ controller, cancelled }: Sink, breakage: Breakage): Promise<void> {
  // The queue holds one chunk by default, so room for one means that none is waiting.
  do {
    await new Promise((resolve) => setTimeout(resolve, 1));
    if (cancelled.aborted || breakage.end.signal.aborted) return;
  } while ((controller.desiredSize ?? 1) < 1 || !breakage.isFlushed());
  // libuv reports a reset that arrives together with data as a normal end, so the data is sent earlier.
  await new Promise((resolve) => setTimeout(resolve, READ_MS));
  breakage.fail(controller);
}

/** Sends nothing more until the client disconnects. */
function stall(controller: Controller, end: StallEnd): void {
  const { signal, isSilent } = end;
  const finish = (): void => (isSilent ? controller.close() : controller.error(signal.reason));
  if (signal.aborted) finish();
  else signal.addEventListener('abort', finish, { once: true });
}

/** An empty line after a line (HTML standard 9.2.5): each ends in CRLF, LF or CR. A CR at the end waits for the LF that may follow. */
const EVENT_END = /(?:\r\n|\n|\r(?!\n|$)){2}/;

/** The events of a stream as they arrive, each with the line end after it. */
async function* splitEvents(source: AsyncIterable<Uint8Array>, end: RegExp): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of source) {
    rest += decoder.decode(chunk, { stream: true });
    for (let found = end.exec(rest); found !== null; found = end.exec(rest)) {
      const length = found.index + found[0].length;
      yield rest.slice(0, length);
      rest = rest.slice(length);
    }
  }
  if (rest !== '') yield rest;
}

/** The response with a body that `work` writes from the original one; if `work` fails, the body fails. */
function transform(
  response: Response,
  work: (source: AsyncIterable<Uint8Array>, sink: Sink) => Promise<void>,
): Response {
  const source = response.body ?? new host.Blob([]).stream();
  const reader = new host.AbortController();
  const body = new host.ReadableStream<Uint8Array>({
    start: (controller) => {
      // Not awaited: `start` must return before anything can be read.
      // A web stream of Node is an async iterable of its chunks.
      work(source as unknown as AsyncIterable<Uint8Array>, { controller, cancelled: reader.signal }).catch(
        (error: unknown) => controller.error(error),
      );
    },
    cancel: () => reader.abort(),
  });
  return withBody(response, body);
}

/** The response with another body, whose length is not known. */
function withBody({ status, headers: given }: Response, body: string | ReadableStream<Uint8Array>): Response {
  const headers = new host.Headers(given);
  headers.delete('content-length');
  return new host.Response(body, { status, headers });
}
