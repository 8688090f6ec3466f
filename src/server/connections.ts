import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { PROBLEM_TYPE, readStatusTitle, toProblem } from '../http/response/problem.js';
import { clearTimeout, setTimeout } from '../platform.js';

/** How long connections stay open, and the limits of what arrives on them. */
export interface ConnectionOptions {
  /** Milliseconds in which the header fields of a request must arrive, else 408 Request Timeout; 0 for no limit. */
  readonly headersTimeoutMs?: number;
  /** Milliseconds in which a request must arrive with its body, else 408 Request Timeout; 0 for no limit. */
  readonly requestTimeoutMs?: number;
  /** Milliseconds after which a connection without a request is closed; 0 for no limit. */
  readonly keepAliveMs?: number;
  /** Maximum size of a request line with its header fields in bytes; larger ones get 431 Request Header Fields Too Large. */
  readonly headerLimitBytes?: number;
  /** Milliseconds that open responses get to finish when the mock is closed; those that are still open then are cut. */
  readonly graceMs?: number;
}

/** A server whose connections can be closed. */
export interface ConnectionServer {
  readonly server: Server;
  /**
   * Stops the server. Idle connections are closed at once and the others after their response.
   *
   * @param graceMs - What is open after that time is cut. A later call can shorten it.
   */
  stop(graceMs?: number): Promise<void>;
}

/** Node.js warns about longer timers. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** Slow clients are looked for at least as often. */
const MAX_CHECK_MS = 5000;

/** Creates an HTTP server with limits; a client that exceeds one is answered with problem details where that is possible. */
export function createConnectionServer(
  listener: RequestListener,
  options: Required<ConnectionOptions>,
): ConnectionServer {
  const requestTimeout = Math.min(options.requestTimeoutMs, MAX_TIMER_MS);
  // Node.js requires that the header fields have no more time than the request.
  const headersTimeout = Math.min(options.headersTimeoutMs, requestTimeout || MAX_TIMER_MS);
  const shortest = Math.min(headersTimeout || MAX_CHECK_MS, requestTimeout || MAX_CHECK_MS);
  const server = createServer(
    {
      requestTimeout,
      headersTimeout,
      keepAliveTimeout: Math.min(options.keepAliveMs, MAX_TIMER_MS),
      maxHeaderSize: options.headerLimitBytes,
      connectionsCheckingInterval: Math.max(10, Math.min(MAX_CHECK_MS, Math.ceil(shortest / 4))),
    },
    listener,
  );
  const open = new Set<AnsweringSocket>();
  server.on('connection', (socket: AnsweringSocket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => refuseMalformed(error, socket, options));
  let stopped: Promise<void> | undefined;
  return {
    server,
    stop: (graceMs = options.graceMs) => {
      if (!server.listening && stopped === undefined) return Promise.resolve();
      stopped ??= new Promise((resolve) => {
        server.close(() => resolve());
        // A request that arrives on a connection which is still open is the last one of it.
        server.prependListener('request', (_incoming, outgoing) => void (outgoing.shouldKeepAlive = false));
        for (const socket of open) closeAfterResponse(socket);
        server.closeIdleConnections();
      });
      const timer = setTimeout(() => server.closeAllConnections(), Math.min(graceMs, MAX_TIMER_MS));
      return stopped.finally(() => clearTimeout(timer));
    },
  };
}

/** A connection as Node.js keeps it; there is no public way to these members. */
interface AnsweringSocket extends Socket {
  /** The response that is being written. */
  readonly _httpMessage?: ServerResponse | null;
  /** What reads the request. */
  readonly parser?: { readonly incoming?: IncomingMessage | null } | null;
}

/** Closes a connection as soon as its response is written, so that it does not wait for the next request. */
function closeAfterResponse(socket: AnsweringSocket): void {
  const { _httpMessage: outgoing } = socket;
  if (outgoing === undefined || outgoing === null) {
    // Node.js treats a connection without a first request as busy.
    if (socket.bytesRead === 0) socket.destroy();
    return;
  }
  // Sent as `Connection: close`, unless the header fields are sent already.
  outgoing.shouldKeepAlive = false;
  outgoing.once('finish', () => socket.destroySoon());
}

/** Answers bytes that are not HTTP, and requests that are too slow or too large; Node's own answers have no body. */
function refuseMalformed(
  error: NodeJS.ErrnoException,
  socket: Duplex & Pick<AnsweringSocket, '_httpMessage' | 'parser'>,
  options: Required<ConnectionOptions>,
): void {
  if (error.code === 'ECONNRESET' || !socket.writable || isAnswered(socket)) {
    socket.destroy();
    return;
  }
  const [status, detail] = UNREADABLE[error.code ?? '']?.(options) ?? [400, error.message];
  const body = JSON.stringify(toProblem({ status, detail }));
  const head = [
    `HTTP/1.1 ${status} ${readStatusTitle(status)}`,
    `content-type: ${PROBLEM_TYPE}`,
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
  ];
  // A client that keeps sending, or that does not read, gets no more time.
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy());
}

/** Whether the request has got a response, or a part of one; more bytes would look like a part of it, or like a second one. */
function isAnswered({ _httpMessage: outgoing, parser }: Pick<AnsweringSocket, '_httpMessage' | 'parser'>): boolean {
  return outgoing?.headersSent ?? parser?.incoming?.complete === false;
}

type Refusal = readonly [status: number, detail: string];

/** Error codes of Node's HTTP parser that have a status of their own. */
const UNREADABLE: Readonly<Record<string, (options: Required<ConnectionOptions>) => Refusal>> = {
  HPE_HEADER_OVERFLOW: ({ headerLimitBytes }) => [
    431,
    `the request line and the header fields are larger than ${headerLimitBytes} bytes; the option "connections.headerLimitBytes" (--header-limit) raises the limit`,
  ],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: () => [413, 'the extensions of the chunks of the body are too large'],
  ERR_HTTP_REQUEST_TIMEOUT: ({ headersTimeoutMs, requestTimeoutMs }) => [
    408,
    `the request did not arrive in time: its header fields within ${headersTimeoutMs} ms and all of it within ${requestTimeoutMs} ms (the options "connections.headersTimeoutMs" and "connections.requestTimeoutMs", --headers-timeout and --request-timeout; 0 for no limit)`,
  ],
};
