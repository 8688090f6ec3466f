import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerOptions,
  ServerResponse,
} from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { MockError, toReason } from '../base/errors.js';
import { PROBLEM_TYPE, readStatusTitle, toProblem } from '../http/response/problem.js';
import { clearTimeout, MAX_TIMER_MS, setTimeout, isBytes } from '../base/platform.js';
import type { Cors } from './cors.js';

/** A larger body of bytes is written as it is: the copy would cost more than it saves. */
const MAX_COPIED_BYTES = 4096;

type End = (this: ServerResponse, ...given: unknown[]) => ServerResponse;

const endUsually = ServerResponse.prototype.end as End;

/**
 * A response whose head and body are written as one string.
 *
 * After `end(body)` Node.js passes a list to the system: the head, the body unless it is a string, and an empty chunk. To write one string instead
 * takes 9 % less CPU time of a whole list (52.5 instead of 57.5 us), and the same of a file or a refusal. The bytes on the socket are the same.
 */
class WholeResponse<Request extends IncomingMessage = IncomingMessage> extends ServerResponse<Request> {
  override end(...given: unknown[]): this {
    const [body] = given;
    const { socket } = this;
    // There is no socket while the responses before this one are sent. Without a head, `end` finds out the length of the body.
    if (given.length !== 1 || socket === null || socket.writableLength > 0 || !this.headersSent || this.writableEnded)
      return endUsually.apply(this, given) as this;
    const isText = typeof body === 'string';
    if (!isText && !(isBytes(body) && body.byteLength <= MAX_COPIED_BYTES))
      return endUsually.apply(this, given) as this;
    // Corked, `write` does not wait for more until the next turn of the event loop.
    socket.cork();
    if (isText) this.write(body);
    else this.write(Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('latin1'), 'latin1');
    socket.uncork();
    return endUsually.call(this) as this;
  }
}

/** How long connections stay open, and the limits of what arrives on them. */
export interface ConnectionOptions {
  /** Milliseconds in which the header fields of a request must arrive, else 408 Request Timeout; 0 for no limit. Default: `30000`. */
  readonly headersTimeoutMs?: number;
  /** Milliseconds in which a request must arrive with its body, else 408 Request Timeout; 0 for no limit. Default: `300000`. */
  readonly requestTimeoutMs?: number;
  /** Milliseconds after which a connection without a request is closed; 0 for no limit. Default: `95000`. */
  readonly keepAliveMs?: number;
  /** Maximum size of a request line with its header fields in bytes; larger ones get 431 Request Header Fields Too Large. Default: `16384`. */
  readonly headerLimitBytes?: number;
  /** Milliseconds that open responses get to finish when the mock is closed; those that are still open then are cut. Default: `2000`. */
  readonly graceMs?: number;
}

/** Options for requests that cannot be read: they have no operation, and no journal has them. */
export interface RefusalOptions {
  /** Which pages of other origins may read the answer. */
  readonly cors?: Cors | undefined;
  /** Called with the mistake. */
  readonly onRefused?: ((error: MockError, status: number) => void) | undefined;
}

/** An answer to a request that could not be read. */
interface Refusal {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Makes the answer to a request that could not be read. */
export type Refuse = (status: number, error: MockError, of?: RefusedRequest) => Refusal;

interface RefusedRequest {
  /** Its Origin; undefined where that could not be read either. */
  readonly origin?: string | undefined;
  /** Whether nothing was sent: browsers open connections before they need them. */
  readonly isEmpty?: boolean;
}

/** Creates the function that answers requests which could not be read. */
export function createRefuse({ cors, onRefused }: RefusalOptions): Refuse {
  const toRefusal = (status: number, body: string, origin: string | undefined): Refusal => {
    const length = String(Buffer.byteLength(body));
    return {
      status,
      headers: { 'content-type': PROBLEM_TYPE, ...cors?.allowOrigin(origin), 'content-length': length },
      body,
    };
  };
  return (status, error, { origin, isEmpty = false } = {}) => {
    const { code, reason, hint } = error;
    try {
      if (!isEmpty) onRefused?.(error, status);
    } catch (thrown) {
      const detail = `onRefused failed: ${toReason(thrown)}`;
      return toRefusal(500, JSON.stringify(toProblem({ status: 500, detail })), origin);
    }
    return toRefusal(status, JSON.stringify(toProblem({ status, detail: reason, code, hint })), origin);
  };
}

/** A server whose connections can be closed. */
export interface ConnectionServer {
  readonly server: Server;
  /**
   * Stops the server. Idle connections are closed at once and the others after their response.
   *
   * @param graceMs - Connections that are open after that time are cut. A later call can shorten it.
   */
  stop(graceMs?: number): Promise<void>;
}

/** Slow clients are looked for at least as often. */
const MAX_CHECK_MS = 5000;

/** The limits of a server, and how it is created: by default one without TLS. */
interface ServerParts extends Required<ConnectionOptions> {
  readonly create?: (options: ServerOptions, listener: RequestListener) => Server;
}

/** Tells a client to continue, then answers. While the answers before are sent, there is no socket: Node.js would write the head of this one first. */
function continueInTurn(
  this: { emit(event: 'request', ...of: readonly unknown[]): boolean },
  ...of: [IncomingMessage, ServerResponse]
): void {
  const [, outgoing] = of;
  const proceed = (): void => {
    outgoing.writeContinue();
    this.emit('request', ...of);
  };
  if (outgoing.socket === null) outgoing.once('socket', proceed);
  else proceed();
}

const OF_EVERY_SERVER = {
  // The listener checks it: the answer of Node.js has no body.
  requireHostHeader: false,
  ServerResponse: WholeResponse,
};

/** Creates an HTTP server with limits; a client that exceeds one is answered with problem details where that is possible. */
export function createConnectionServer(
  listener: RequestListener,
  { create = createServer, ...options }: ServerParts,
  refuse: Refuse,
): ConnectionServer {
  const requestTimeout = Math.min(options.requestTimeoutMs, MAX_TIMER_MS);
  // Node.js requires that the header fields have no more time than the request.
  const headersTimeout = Math.min(options.headersTimeoutMs, requestTimeout || MAX_TIMER_MS);
  const shortest = Math.min(headersTimeout || MAX_CHECK_MS, requestTimeout || MAX_CHECK_MS);
  const server = create(
    {
      requestTimeout,
      headersTimeout,
      keepAliveTimeout: Math.min(options.keepAliveMs, MAX_TIMER_MS),
      maxHeaderSize: options.headerLimitBytes,
      connectionsCheckingInterval: Math.max(10, Math.min(MAX_CHECK_MS, Math.ceil(shortest / 4))),
      ...OF_EVERY_SERVER,
    },
    (incoming, outgoing) => {
      // RFC 9112 section 3.2.
      if (incoming.headers.host !== undefined || incoming.httpVersion !== '1.1') listener(incoming, outgoing);
      else answer([incoming, outgoing], refuse, [400, toMalformed('the request has no Host header')]);
    },
  );
  server.on('checkContinue', continueInTurn);
  server.on('checkExpectation', (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const reason = `the expectation ${JSON.stringify(incoming.headers.expect)} is not supported`;
    answer([incoming, outgoing], refuse, [417, toMalformed(reason, 'omit the Expect header, or send "100-continue"')]);
  });
  // Each with the bytes that were read before its first request: with TLS, the bytes of the handshake.
  const open = new Map<AnsweringSocket, number>();
  const add = (socket: AnsweringSocket): void => {
    open.set(socket, socket.bytesRead);
    socket.once('close', () => open.delete(socket));
  };
  server.on('connection', add);
  server.on('secureConnection', add);
  server.on('clientError', (error: ParseError, socket: AnsweringSocket) =>
    refuseMalformed(error, socket, { options, refuse }),
  );
  let stopped: Promise<void> | undefined;
  return {
    server,
    stop: (graceMs = options.graceMs) => {
      if (!server.listening && stopped === undefined) return Promise.resolve();
      stopped ??= new Promise((resolve) => {
        server.close(() => resolve());
        // A request that arrives on a connection which is still open is the last one of it.
        server.prependListener('request', (_incoming, outgoing) => void (outgoing.shouldKeepAlive = false));
        for (const [socket, bytes] of open) closeAfterResponse(socket, bytes);
        server.closeIdleConnections();
      });
      const cut = (): void => {
        for (const socket of open.keys()) socket.destroy();
      };
      const timer = setTimeout(cut, Math.min(graceMs, MAX_TIMER_MS));
      return stopped.finally(() => clearTimeout(timer));
    },
  };
}

/** Answers a request whose header fields were read, and closes its connection. */
function answer(
  [{ headers }, outgoing]: readonly [IncomingMessage, ServerResponse],
  refuse: Refuse,
  [code, error]: readonly [status: number, error: MockError],
): void {
  const { status, headers: fields, body } = refuse(code, error, { origin: headers.origin });
  outgoing.statusMessage = readStatusTitle(status);
  outgoing.writeHead(status, { ...fields, connection: 'close' }).end(body);
}

/** A connection as Node.js keeps it; there is no public way to these members. */
interface AnsweringSocket extends Socket {
  /** The response that is being written. */
  readonly _httpMessage?: ServerResponse | null;
  /** The parser that reads the request. */
  readonly parser?: { readonly incoming?: IncomingMessage | null } | null;
}

/**
 * Closes a connection as soon as its response is written, so that it does not wait for the next request.
 *
 * @param bytes - How many bytes were read before its first request.
 */
function closeAfterResponse(socket: AnsweringSocket, bytes: number): void {
  const { _httpMessage: outgoing } = socket;
  if (outgoing === undefined || outgoing === null) {
    // Node.js treats a connection without a first request as busy.
    if (socket.bytesRead === bytes) socket.destroy();
    return;
  }
  // Sent as `Connection: close`, unless the header fields are sent already.
  outgoing.shouldKeepAlive = false;
  outgoing.once('finish', () => socket.destroySoon());
}

/** An error of Node's HTTP parser. */
interface ParseError extends NodeJS.ErrnoException {
  /** The bytes that were read last. */
  readonly rawPacket?: Buffer;
}

/** Answers bytes that are not HTTP, and requests that are too slow or too large; Node's own answers have no body. */
function refuseMalformed(
  error: ParseError,
  socket: Duplex & Pick<AnsweringSocket, '_httpMessage' | 'bytesRead' | 'parser'>,
  { options, refuse }: { readonly options: Required<ConnectionOptions>; readonly refuse: Refuse },
): void {
  const tls = readTlsMistake(error.code);
  // No answer can be sent without TLS; the refusal is for the log.
  if (tls !== undefined) refuse(400, tls);
  if (tls !== undefined || error.code === 'ECONNRESET' || !socket.writable || isAnswered(socket)) {
    socket.destroy();
    return;
  }
  const [refused, problem] = readParseError(error, options);
  const { status, headers, body } = refuse(refused, problem, {
    origin: readOrigin(error, socket),
    isEmpty: socket.bytesRead === 0,
  });
  const fields = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  const head = [`HTTP/1.1 ${status} ${readStatusTitle(status)}`, ...fields, 'connection: close'];
  // A client that keeps sending, or that does not read, gets no more time.
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy());
}

/** The mistake of a client that could not agree on TLS with the server; undefined for other errors. */
function readTlsMistake(code = ''): MockError | undefined {
  if (code === 'ERR_SSL_HTTP_REQUEST')
    return toMalformed('the request was sent without TLS', 'use https:// in the URL');
  if (!code.startsWith('ERR_SSL_')) return undefined;
  const isUntrusted = /ALERT_(?:UNKNOWN_CA|CERTIFICATE_UNKNOWN|BAD_CERTIFICATE)/.test(code);
  if (isUntrusted) {
    const hint = 'give it the certificate: NODE_EXTRA_CA_CERTS of Node.js, --cacert of curl, SSL_CERT_FILE of others';
    return toMalformed('the client does not trust the certificate', hint);
  }
  return toMalformed(`the client and the server do not agree on TLS: ${code}`, 'TLS 1.2 and 1.3 are supported');
}

/** The Origin of a request that was not read to its end. */
function readOrigin({ rawPacket }: ParseError, { parser }: Pick<AnsweringSocket, 'parser'>): string | undefined {
  const read = parser?.incoming?.headers.origin;
  return read ?? /^origin:[ \t]*([!-~]+)[ \t]*\r?$/im.exec(rawPacket?.toString('latin1') ?? '')?.[1];
}

/** The error of a request that is not valid HTTP. */
export function toMalformed(
  reason: string,
  hint = 'send HTTP/1.1; for clients that use TLS or HTTP/2 start the mock with --tls',
): MockError {
  return new MockError('REQUEST_MALFORMED', reason, { hint });
}

/** Whether the request has got a response, or a part of one; more bytes would look like a part of it, or like a second one. */
function isAnswered({ _httpMessage: outgoing, parser }: Pick<AnsweringSocket, '_httpMessage' | 'parser'>): boolean {
  return outgoing?.headersSent ?? parser?.incoming?.complete === false;
}

/** The status and the error of a request that Node's HTTP parser could not read. */
function readParseError(
  { code, message }: ParseError,
  { headerLimitBytes, headersTimeoutMs, requestTimeoutMs }: Required<ConnectionOptions>,
): readonly [status: number, error: MockError] {
  if (code === 'HPE_HEADER_OVERFLOW') {
    const reason = `the request line and the header fields are larger than ${headerLimitBytes} bytes`;
    const hint = 'the option "connections.headerLimitBytes" (--header-limit) raises the limit';
    return [431, new MockError('HEADERS_TOO_LARGE', reason, { hint })];
  }
  if (code === 'HPE_CHUNK_EXTENSIONS_OVERFLOW')
    return [
      413,
      toMalformed('the extensions of the chunks of the body are too large', 'send chunks without extensions'),
    ];
  if (code !== 'ERR_HTTP_REQUEST_TIMEOUT') return [400, toMalformed(message)];
  const reason = `the request did not arrive in time: its header fields within ${headersTimeoutMs} ms and all of it within ${requestTimeoutMs} ms`;
  const hint =
    'the options "connections.headersTimeoutMs" and "connections.requestTimeoutMs" (--headers-timeout, --request-timeout) raise the limits; 0 for none';
  return [408, new MockError('REQUEST_TIMEOUT', reason, { hint })];
}
