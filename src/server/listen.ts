import type { getRequestListener as GetRequestListener } from '@hono/node-server';
import { randomBytes } from 'node:crypto';
import { statSync, rmSync } from 'node:fs';
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { MockError, toReason } from '../base/errors.js';
import type { BodyBytes } from '../http/request/body-bytes.js';
import type { ResponseConstructor } from '../http/response/encode.js';
import { PROBLEM_TYPE, readStatusTitle, toProblem, toProblemResponse } from '../http/response/problem.js';
import type { Fetch } from './app.js';
import type { SocketEnvironment } from './arrival.js';
import type { createCompressing } from './compression.js';
import {
  type ConnectionOptions,
  createConnectionServer,
  createRefuse,
  type RefusalOptions,
  type Refuse,
  toMalformed,
} from './connections.js';
import { isLoopback } from './control/guard.js';
import type { TlsOptions } from './secure.js';
import { host, isError } from '../base/platform.js';

/** Where to listen. */
export interface ListenOptions {
  /** From 0 to 65535; default 0, which picks a free port. */
  readonly port?: number;
  /** Host name or address to listen on; default `127.0.0.1`. */
  readonly host?: string;
  /** Path of a Unix socket (on Windows of a named pipe) to listen on instead of a port. Default: none. */
  readonly socket?: string;
  /** Use HTTPS, and HTTP/2 with clients that support it; `true` creates a self-signed certificate. Default: false. */
  readonly tls?: boolean | TlsOptions;
  /** Compress answers of 1 KiB and more with Brotli or gzip, for clients that accept it. Default: false. */
  readonly compress?: boolean;
}

/** A mock that listens on a socket. */
export interface Listening {
  /** `http://host:port`, without a trailing slash; `http://localhost` on a Unix socket; `https:` with TLS. */
  readonly url: string;
  /** The host name or address that was given; default `127.0.0.1`. */
  readonly host: string;
  /** 0 on a Unix socket. */
  readonly port: number;
  /** The Unix socket that it listens on. */
  readonly socket?: string;
  /** The certificate in PEM, for the option `ca` of clients; undefined without TLS. */
  readonly certificate?: string;
  /** A random token for the control API, which accepts it unless `control.token` is configured; undefined if only this machine can reach the server. */
  readonly controlToken?: string;
  /**
   * Stops the server: no new connections, and idle ones are closed at once.
   *
   * @param graceMs - Milliseconds that open responses get to finish; default: the option `connections.graceMs`.
   */
  close(graceMs?: number): Promise<void>;
  /** Closes it. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** As many as a token of 192 bits has. */
const TOKEN_BYTES = 24;

/**
 * Serves an app over HTTP.
 *
 * @throws MockError `PORT_TAKEN`; `LISTEN_FAILED` with the system's reason; `OPTION_INVALID` for a port or a certificate that cannot be used.
 */
export async function listen(
  fetch: Fetch,
  options: ListenOptions & RefusalOptions & { readonly connections: Required<ConnectionOptions> },
): Promise<Listening> {
  const { port = 0, tls = false, socket } = options;
  // The system reads an empty name as every address, which is not what a caller means.
  const host = options.host === undefined || options.host === '' ? '127.0.0.1' : options.host;
  checkPort(port);
  const refuse = createRefuse(options);
  const getRequestListener = await loadGetRequestListener();
  const compressing = options.compress === true ? (await import('./compression.js')).createCompressing : undefined;
  const exposed = socket === undefined && !isLoopback(host);
  const controlToken = exposed ? randomBytes(TOKEN_BYTES).toString('base64url') : undefined;
  const listener = createListener(getRequestListener, { fetch, exposed, controlToken, refuse, compressing });
  const { connections } = options;
  const { server, stop, certificate } =
    tls === false
      ? { ...createConnectionServer(listener, connections, refuse), certificate: undefined }
      : // Loaded on demand: most mocks do not use TLS.
        (await import('./secure.js')).createSecureServer({
          tls: tls === true ? {} : tls,
          host,
          listener,
          connections,
          refuse,
        });
  // The file of a process that ended without removing it is replaced.
  if (socket !== undefined && (await isAbandoned(socket))) rmSync(socket, { force: true });
  await start(server, socket === undefined ? { port, host } : { path: socket });
  return {
    ...describeAddress(server, tls === false ? 'http' : 'https'),
    host,
    ...(socket !== undefined && { socket }),
    ...(certificate !== undefined && { certificate }),
    ...(controlToken !== undefined && { controlToken }),
    close: stop,
    [Symbol.asyncDispose]: () => stop(),
  };
}

function describeAddress(server: Server, scheme: 'http' | 'https'): Pick<Listening, 'url' | 'port'> {
  const address = server.address();
  if (address === null || typeof address === 'string') return { url: `${scheme}://localhost`, port: 0 };
  const reached = EVERY_ADDRESS[address.address] ?? address.address;
  const shown = address.family === 'IPv6' ? `[${reached}]` : reached;
  return { url: `${scheme}://${shown}:${address.port}`, port: address.port };
}

/** The address that a client on this machine uses for a server that listens on every address. */
const EVERY_ADDRESS: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };

/** @throws MockError `OPTION_INVALID`; Node takes a string for the path of a pipe. */
function checkPort(port: number): void {
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return;
  throw new MockError('OPTION_INVALID', `port must be an integer from 0 to 65535, got ${String(port)}`, {
    hint: 'omit it, or pass 0, for a free port',
  });
}

/** Loads @hono/node-server while the classes that it takes come from Node.js: Jest with jsdom has none, and happy-dom its own. */
async function loadGetRequestListener(): Promise<typeof GetRequestListener> {
  const names = ['Request', 'Response', 'Headers', 'TextDecoder'] as const;
  const restore = names.map((name) => replaceGlobal(name, host[name]));
  try {
    return (await import('@hono/node-server')).getRequestListener;
  } finally {
    for (const undo of restore) undo();
  }
}

interface ListenerParts {
  readonly fetch: Fetch;
  /** Whether other machines can reach the socket. */
  readonly exposed: boolean;
  readonly controlToken: string | undefined;
  readonly refuse: Refuse;
  /** The Response class for a request whose answer is compressed; undefined if none is. */
  readonly compressing: typeof createCompressing | undefined;
}

/**
 * Creates the request listener. @hono/node-server has a Response class that is several times cheaper to write than the platform's,
 * but installs it only as the global one; in a test process that would break `instanceof` and every tool that patches `fetch`. So the
 * globals are restored at once, and the class is passed along with each request.
 */
function createListener(
  getRequestListener: typeof GetRequestListener,
  { fetch, exposed, controlToken, refuse, compressing }: ListenerParts,
): RequestListener {
  const restore = (['Request', 'Response'] as const).map((name) => replaceGlobal(name, undefined));
  let ResponseClass: ResponseConstructor | undefined;
  const answer: Parameters<typeof getRequestListener>[0] = (request, environment) => {
    // These are the HttpBindings of the server; `awaitBody` has extended the message.
    const { incoming, outgoing } = environment as { incoming: ArrivedMessage; outgoing: SocketEnvironment['outgoing'] };
    const body = incoming.arrivedBody;
    const Class = ResponseClass && compressing !== undefined ? compressing(ResponseClass, incoming) : ResponseClass;
    const reach = { exposed, controlToken };
    const from: SocketEnvironment = { incoming, outgoing, body, ...reach, ResponseClass: Class, request };
    return fetch(request, from);
  };
  // A request of HTTP/1.0 may have no Host (RFC 9112 section 3.3).
  let origin: string | undefined;
  const errorHandler = (error: unknown): Response => answerFailed(error, refuse, origin);
  const handling = { errorHandler, hostname: 'localhost' };
  const listener = getRequestListener(answer, handling);
  // The listener discards what is left of a body after the response; without a body it need not check.
  const bare = getRequestListener(answer, { ...handling, autoCleanupIncoming: false });
  // Not `globalThis.Response`, which the build replaces.
  ResponseClass = Reflect.get(globalThis, 'Response');
  for (const undo of restore) undo();
  return (incoming, outgoing) =>
    awaitBody(incoming, (hasRest) => {
      // The error of a request that is not valid is handled before the listener returns.
      origin = incoming.headers.origin;
      (hasRest ? listener : bare)(incoming, outgoing).catch((error: unknown) => answerUnwritable(outgoing, error));
    });
}

/** Replaces a global class. @returns a function that gives it back, or removes it where there was none. */
function replaceGlobal(name: string, value: unknown): () => void {
  const descriptor = Object.getOwnPropertyDescriptor(globalThis, name);
  Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
  return () => {
    // The whole descriptor, because redefining only the value would leave the global read-only.
    if (descriptor === undefined) Reflect.deleteProperty(globalThis, name);
    else Object.defineProperty(globalThis, name, descriptor);
  };
}

/** Answers 500 instead of a response that Node.js refused to write; if it was partly sent, the connection is closed. */
function answerUnwritable(outgoing: ServerResponse, error: unknown): void {
  if (outgoing.headersSent) {
    outgoing.destroy();
    return;
  }
  for (const name of outgoing.getHeaderNames()) outgoing.removeHeader(name);
  const detail = `the response could not be written: ${toReason(error)}`;
  const bytes = Buffer.from(JSON.stringify(toProblem({ status: 500, detail })));
  outgoing.statusMessage = readStatusTitle(500);
  outgoing.writeHead(500, { 'content-type': PROBLEM_TYPE, 'content-length': bytes.byteLength }).end(bytes);
}

/** The response to a request whose target or Host header does not form a valid URL, or that nothing could answer. */
function answerFailed(error: unknown, refuse: Refuse, origin: string | undefined): Response {
  // The class is not exported.
  if (isError(error) && error.name === 'RequestError') {
    const { body, ...answer } = refuse(400, toMalformed('the request target or the Host header is not valid'), {
      origin,
    });
    return new host.Response(body, answer);
  }
  return toProblemResponse({ status: 500, detail: `the mock failed: ${toReason(error)}` });
}

/** Connections that wait to be accepted; the system may allow fewer (`net.core.somaxconn` on Linux). Node's 511 is too few for a load test. */
const BACKLOG = 4096;

interface ListenPlace {
  readonly port: number;
  readonly host: string;
}

function start(server: Server, place: ListenPlace | { readonly path: string }): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (error: NodeJS.ErrnoException): void => reject(toListenError(error, place));
    server.once('error', fail);
    server.listen({ ...place, backlog: BACKLOG }, () => {
      server.off('error', fail);
      resolve();
    });
  });
}

/** Whether a path is a socket that no process listens on. */
function isAbandoned(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const client = connect(path);
    client.once('connect', () => {
      client.destroy();
      resolve(false);
    });
    // A file that is not a socket refuses connections too; it is kept.
    client.once('error', ({ code }: NodeJS.ErrnoException) =>
      resolve(code === 'ECONNREFUSED' && statSync(path, { throwIfNoEntry: false })?.isSocket() === true),
    );
  });
}

function toListenError(cause: NodeJS.ErrnoException, place: ListenPlace | { readonly path: string }): MockError {
  const isSocket = 'path' in place;
  if (cause.code === 'EADDRINUSE') {
    const used = isSocket ? `the socket ${place.path}` : `port ${place.port} on ${place.host}`;
    const other = isSocket ? 'path with --socket' : 'port with --port (0 picks a free port)';
    const hint = `stop the process that uses it, or choose another ${other}`;
    return new MockError('PORT_TAKEN', `${used} is already in use`, { hint, cause });
  }
  const where = isSocket ? `the socket ${place.path}` : `${place.host}:${place.port}`;
  const ofSocket = 'the folder of a socket must exist and be writable; most systems allow at most about 100 characters';
  const privileged = 'ports below 1024 need special privileges; choose a higher one with --port';
  const ofPort = cause.code === 'EACCES' ? privileged : 'check --host and --port';
  const hint = isSocket ? ofSocket : ofPort;
  return new MockError('LISTEN_FAILED', `cannot listen on ${where}: ${cause.message}`, { hint, cause });
}

/** A message whose body may have been read before the request is dispatched. */
interface ArrivedMessage extends IncomingMessage {
  /** Undefined if the body still has to be read. */
  arrivedBody?: BodyBytes;
  /** Where @hono/node-server looks for a body that was already read. */
  rawBody?: Buffer;
}

/** A body up to this size is read before the request is dispatched; a larger one is read while the request is decoded. */
const SMALL_BYTES = 64 * 1024;

const NONE: BodyBytes = Object.freeze({ kind: 'none' });
const INCOMPLETE: BodyBytes = Object.freeze({ kind: 'incomplete' });

/**
 * Reads a small body before the request is dispatched, so that the request can be answered synchronously: without a promise for the
 * body and for everything that follows, a POST costs a third less.
 *
 * @param onReady - Called once, with whether some of the body may still have to be read.
 */
function awaitBody(incoming: ArrivedMessage, onReady: (hasRest: boolean) => void): void {
  const { headers } = incoming;
  const length = headers['content-length'];
  if (length === undefined || length === '0') {
    // RFC 9112 section 6.3: a request with neither field has no body.
    const hasRest = headers['transfer-encoding'] !== undefined;
    if (!hasRest) incoming.arrivedBody = NONE;
    onReady(hasRest);
  } else if (Number(length) <= SMALL_BYTES) {
    collect(incoming, onReady);
  } else onReady(true);
}

function collect(incoming: ArrivedMessage, onReady: (hasRest: boolean) => void): void {
  const chunks: Buffer[] = [];
  const end = (): void => {
    if (incoming.arrivedBody !== undefined) return;
    if (incoming.readableEnded) {
      const bytes = chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks);
      incoming.rawBody = bytes;
      // Not a Buffer: user code sees the bytes, and `slice` and `toJSON` of a Buffer behave differently.
      incoming.arrivedBody = { kind: 'bytes', bytes: new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length) };
    } else incoming.arrivedBody = INCOMPLETE;
    onReady(false);
  };
  incoming.on('data', (chunk: Buffer) => void chunks.push(chunk));
  incoming.on('end', end);
  // Also after an error, which Node.js emits only where something listens for it.
  incoming.on('close', end);
}
