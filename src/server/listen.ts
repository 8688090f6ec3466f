import { getRequestListener } from '@hono/node-server';
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { MockError } from '../errors.js';
import type { BodyBytes } from '../http/request/body-bytes.js';
import type { ResponseConstructor } from '../http/response/encode.js';
import { PROBLEM_TYPE, readStatusTitle, toProblem } from '../http/response/problem.js';
import type { Fetch } from './app.js';
import type { SocketEnvironment } from './arrival.js';
import { isLoopback } from './control/guard.js';

/** Where to listen. */
export interface ListenOptions {
  /** Default 0: any free port. */
  readonly port?: number;
  /** Default `127.0.0.1`. */
  readonly host?: string;
}

/** A mock that listens on a socket. */
export interface Listening {
  /** `http://host:port`, without a slash at the end. */
  readonly url: string;
  readonly host: string;
  readonly port: number;
  /** Ends the server: no new connections, open requests get `graceMs` to finish; default 2,000. */
  close(graceMs?: number): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Serves an app over HTTP.
 *
 * @throws MockError `PORT_TAKEN`, or `LISTEN_FAILED` with the system's reason.
 */
export async function listen(fetch: Fetch, options: ListenOptions = {}): Promise<Listening> {
  const { port = 0 } = options;
  // To the system, an empty name is every address: nobody means that by it.
  const host = options.host === undefined || options.host === '' ? '127.0.0.1' : options.host;
  checkPort(port);
  const listener = createListener(fetch, !isLoopback(host));
  const server = createServer(listener);
  server.on('clientError', refuseGarbage);
  await start(server, port, host);
  // A TCP server's address is an AddressInfo.
  const address = server.address() as AddressInfo;
  const close = (graceMs = 2000): Promise<void> => stop(server, graceMs);
  const reached = EVERY_ADDRESS[address.address] ?? address.address;
  const shown = address.family === 'IPv6' ? `[${reached}]` : reached;
  return {
    url: `http://${shown}:${address.port}`,
    host,
    port: address.port,
    close,
    [Symbol.asyncDispose]: () => close(),
  };
}

/** Every address of the machine can be listened on, but is none that a client could ask: this machine's own is. */
const EVERY_ADDRESS: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };

/** @throws MockError `OPTION_INVALID`: to Node, a text is the path of a pipe. */
function checkPort(port: number): void {
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return;
  throw new MockError('OPTION_INVALID', `port must be a whole number from 0 to 65535, not ${String(port)}`, {
    hint: 'leave it out, or give 0, for any free one',
  });
}

/** A client that sends no HTTP is told so; Node's own answer is a bare 400 without a word. */
function refuseGarbage(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const status = UNREADABLE[error.code ?? ''] ?? 400;
  const body = JSON.stringify(toProblem({ status, detail: error.message }));
  const head = [
    `HTTP/1.1 ${status} ${readStatusTitle(status)}`,
    `content-type: ${PROBLEM_TYPE}`,
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}

/** Error codes of Node's HTTP parser that have a status of their own. */
const UNREADABLE: Readonly<Record<string, number>> = { HPE_HEADER_OVERFLOW: 431, ERR_HTTP_REQUEST_TIMEOUT: 408 };

/**
 * The request listener. @hono/node-server brings a Response class that is several times cheaper to write than the platform's,
 * but hands it out only by replacing the global one; in somebody's test process that would break `instanceof` and every tool
 * that patches fetch. So the globals are put back at once, and the class travels with the request instead.
 */
function createListener(fetch: Fetch, exposed: boolean): RequestListener {
  const request = Object.getOwnPropertyDescriptor(globalThis, 'Request') ?? {};
  const response = Object.getOwnPropertyDescriptor(globalThis, 'Response') ?? {};
  let ResponseClass: ResponseConstructor | undefined;
  const answer: Parameters<typeof getRequestListener>[0] = (incomingRequest, environment) => {
    // The server hands over exactly this pair (its HttpBindings); `awaitBody` has seen the message before.
    const { incoming, outgoing } = environment as { incoming: ArrivedMessage; outgoing: SocketEnvironment['outgoing'] };
    const from: SocketEnvironment = { incoming, outgoing, body: incoming.arrivedBody, exposed, ResponseClass };
    return fetch(incomingRequest, from);
  };
  // HTTP/1.0 knows no Host: such a request is for whoever gets it (RFC 9112 section 3.3).
  const handling = { errorHandler: answerUnreadable, hostname: 'localhost' };
  const listener = getRequestListener(answer, handling);
  // What is left of a body after the answer is read and thrown away by the listener; where there is none, it need not look for it.
  const bare = getRequestListener(answer, { ...handling, autoCleanupIncoming: false });
  ResponseClass = globalThis.Response;
  // Whole descriptors: a redefinition by value alone would leave the globals read-only.
  Object.defineProperty(globalThis, 'Request', request);
  Object.defineProperty(globalThis, 'Response', response);
  return (incoming, outgoing) => awaitBody(incoming, (hasRest) => void (hasRest ? listener : bare)(incoming, outgoing));
}

/** A request whose target or Host no URL can be made of. */
function answerUnreadable(): Response {
  const body = toProblem({ status: 400, detail: 'the request target or the Host header is not valid' });
  return new Response(JSON.stringify(body), { status: 400, headers: { 'content-type': PROBLEM_TYPE } });
}

function start(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (error: NodeJS.ErrnoException): void => reject(toListenError(error, port, host));
    server.once('error', fail);
    server.listen(port, host, () => {
      server.off('error', fail);
      resolve();
    });
  });
}

function toListenError(error: NodeJS.ErrnoException, port: number, host: string): MockError {
  if (error.code === 'EADDRINUSE') {
    return new MockError('PORT_TAKEN', `port ${port} on ${host} is taken by another process`, {
      hint: 'stop that process, or choose another port with --port (0 takes any free one)',
      cause: error,
    });
  }
  const hint =
    error.code === 'EACCES'
      ? 'ports below 1024 need rights; choose a higher one with --port'
      : 'check --host and --port';
  return new MockError('LISTEN_FAILED', `cannot listen on ${host}:${port}: ${error.message}`, { hint, cause: error });
}

function stop(server: Server, graceMs: number): Promise<void> {
  if (!server.listening) return Promise.resolve();
  return new Promise((resolve) => {
    const timer = setTimeout(() => server.closeAllConnections(), graceMs);
    server.close(() => {
      clearTimeout(timer);
      resolve();
    });
    server.closeIdleConnections();
  });
}

/** A message with what has arrived of its body before anybody asked. */
interface ArrivedMessage extends IncomingMessage {
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
function awaitBody(incoming: ArrivedMessage, tell: (hasRest: boolean) => void): void {
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
