import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { MockError } from '../errors.js';
import type { ResponseConstructor } from '../http/encode.js';
import type { Fetch, SocketEnvironment } from './app.js';

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
  const { port = 0, host = '127.0.0.1' } = options;
  const server = createServer(createListener(fetch));
  // A client that sends no HTTP gets told so; the default is a bare 400 without a word.
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
    const body = JSON.stringify({
      type: 'about:blank',
      title: 'Bad Request',
      status: 400,
      detail: `this is not HTTP: ${error.message}`,
    });
    socket.end(
      `HTTP/1.1 400 Bad Request\r\ncontent-type: application/problem+json\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
    );
  });
  await start(server, port, host);
  // A TCP server's address is an AddressInfo.
  const address = server.address() as AddressInfo;
  const close = (graceMs = 2000): Promise<void> => stop(server, graceMs);
  const shown = address.family === 'IPv6' ? `[${address.address}]` : address.address;
  return {
    url: `http://${shown}:${address.port}`,
    host,
    port: address.port,
    close,
    [Symbol.asyncDispose]: () => close(),
  };
}

/**
 * The request listener. @hono/node-server brings a Response class that is several times cheaper to write than the platform's,
 * but hands it out only by replacing the global one; in somebody's test process that would break `instanceof` and every tool
 * that patches fetch. So the globals are put back at once, and the class travels with the request instead.
 */
function createListener(fetch: Fetch): ReturnType<typeof getRequestListener> {
  const request = Object.getOwnPropertyDescriptor(globalThis, 'Request') ?? {};
  const response = Object.getOwnPropertyDescriptor(globalThis, 'Response') ?? {};
  let environmentClass: ResponseConstructor | undefined;
  const listener = getRequestListener(
    (incomingRequest, environment) => {
      // The server hands over exactly this pair (its HttpBindings).
      const { incoming, outgoing } = environment as SocketEnvironment;
      return fetch(incomingRequest, {
        incoming,
        outgoing,
        ...(environmentClass && { ResponseClass: environmentClass }),
      });
    },
    { errorHandler: () => answerUnreadable() },
  );
  environmentClass = globalThis.Response;
  // Whole descriptors: a redefinition by value alone would leave the globals read-only.
  Object.defineProperty(globalThis, 'Request', request);
  Object.defineProperty(globalThis, 'Response', response);
  return listener;
}

/** A request whose target or Host no URL can be made of. */
function answerUnreadable(): Response {
  const detail = 'the request target or the Host header is not valid';
  return Response.json(
    { type: 'about:blank', title: 'Bad Request', status: 400, detail },
    { status: 400, headers: { 'content-type': 'application/problem+json' } },
  );
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
