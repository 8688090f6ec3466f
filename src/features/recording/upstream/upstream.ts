import { BODY_METHODS, IDEMPOTENT_METHODS } from '../../../contract/operations/operation.js';
import { URL } from 'node:url';
import { createReadStream } from 'node:fs';
import {
  Agent as HttpAgent,
  type ClientRequest,
  type IncomingMessage,
  request as httpRequest,
  STATUS_CODES,
} from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { isIP, type Socket } from 'node:net';
import { pipeline } from 'node:stream';
import { connect, type ConnectionOptions, rootCertificates, type TLSSocket } from 'node:tls';
import { MockError } from '../../../base/errors.js';
import { isTls, NO_TLS, readConnectionFailure } from '../../../http/connection-failure.js';
import { type HeaderFields, omitFields, readEndToEnd } from '../../../http/header-fields.js';
import type { RecordedFailure } from '../cassette/exchange.js';
import type { BodyFile } from './received.js';
import { isBytes } from '../../../base/platform.js';

/** The server that requests are forwarded to. */
export interface Upstream {
  readonly url: URL;
  /** Sends a request; resolves with the head of the response, or with the failure of the connection. */
  send(request: UpstreamRequest): Promise<UpstreamResponse | { readonly failure: RecordedFailure }>;
  /** Closes idle connections. */
  close(): void;
}

interface UpstreamRequest {
  readonly method: string;
  /** Path and query; the host is always that of the upstream. */
  readonly target: string;
  readonly headers: HeaderFields;
  readonly body: Uint8Array | BodyFile | undefined;
}

/** The head of a response with its body as a stream. */
export interface UpstreamResponse {
  readonly status: number;
  /** The reason phrase, if it is not that of the status. */
  readonly reason: string | undefined;
  /** Whether a mock refused the request, because it was forwarded in a loop. */
  readonly isLoop: boolean;
  /** End-to-end fields only. */
  readonly headers: HeaderFields;
  readonly interim: readonly number[];
  /** Throws if the connection breaks. */
  readonly body: AsyncIterable<Uint8Array>;
  /** Closes the connection, even while waiting for a chunk of the body. */
  cancel(): void;
  /** Names of the trailer fields; known after the body has been read. */
  trailers(): readonly string[];
}

/** How to connect to the upstream. */
export interface UpstreamOptions {
  /** Timeout in milliseconds without any data from the upstream; default 60,000. */
  readonly timeoutMs?: number;
  /** Accepts any certificate; default false. */
  readonly insecure?: boolean;
  /** Additional certificate authorities, PEM. */
  readonly ca?: string;
  /** The certificate that the upstream asks the client for, PEM. */
  readonly cert?: string;
  /** The private key of `cert`, PEM. */
  readonly key?: string;
}

/** Environment variables. */
type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Creates a client of one upstream with persistent connections.
 *
 * @param environment - Variables that name a proxy.
 * @throws MockError `OPTION_INVALID` for an upstream or a proxy that is not a valid URL.
 */
export function createUpstream(base: string, options: UpstreamOptions = {}, environment: Environment = {}): Upstream {
  const url = readUpstreamUrl(base);
  const timeoutMs = options.timeoutMs ?? 60_000;
  const secure = url.protocol === 'https:';
  const proxy = readProxy(url, environment);
  // RFC 9112 3.2.2: a proxy gets the whole URL. A TLS connection goes through it.
  const direct = secure ? undefined : proxy;
  const { hostname, port } = direct?.url ?? url;
  const agent = secure ? createSecureAgent(options, { url, proxy }) : new HttpAgent({ keepAlive: true });
  const attempt = (request: UpstreamRequest): Promise<Attempt> =>
    new Promise((resolve) => {
      const interim: number[] = [];
      const client = (secure ? httpsRequest : httpRequest)({
        agent,
        protocol: url.protocol,
        hostname: hostname.replace(/^\[|\]$/g, ''),
        port,
        method: request.method,
        path: direct === undefined ? request.target : `${url.origin}${request.target}`,
        headers: { ...toOutgoing(request, url.host), ...direct?.headers },
        timeout: timeoutMs,
        setHost: false,
      });
      client.on('information', ({ statusCode }) => interim.push(statusCode));
      const timeout = Object.assign(new Error(`no data for ${timeoutMs} ms`), { code: 'UPSTREAM_TIMEOUT' });
      client.on('timeout', () => client.destroy(timeout));
      client.on('error', (error) => resolve({ error, stale: client.reusedSocket }));
      client.on('response', (message) => resolve({ response: toResponse(message, client, interim) }));
      const { body } = request;
      if (body === undefined || isBytes(body)) client.end(body);
      else pipeline(createReadStream(body.path), client, () => undefined);
    });
  return {
    url,
    send: async (request) => {
      const first = await attempt(request);
      // The server may have closed a persistent connection before it read the request.
      const stale =
        'error' in first &&
        first.stale &&
        RESETS.has(readConnectionFailure(first.error).code) &&
        IDEMPOTENT_METHODS.includes(request.method);
      const outcome = stale ? await attempt(request) : first;
      return 'response' in outcome ? outcome.response : { failure: toFailure(outcome.error, url) };
    },
    close: () => agent.destroy(),
  };
}

function createSecureAgent(
  { insecure, ca, cert, key }: UpstreamOptions,
  { url, proxy }: { readonly url: URL; readonly proxy: Proxy | undefined },
): HttpsAgent {
  const tls = { rejectUnauthorized: insecure !== true, ca: listAuthorities(ca), cert, key };
  const agent = new HttpsAgent({ keepAlive: true, ...tls });
  if (proxy === undefined) return agent;
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const port = Number(url.port === '' ? 443 : url.port);
  return Object.assign(agent, {
    // Node.js calls it with a callback for connections that take time.
    createConnection: (_options: unknown, done: Parameters<typeof connectThroughProxy>[2]) =>
      connectThroughProxy(proxy, { host, port, tls }, done),
  });
}

/** The authorities that are trusted besides the public ones, which Node.js replaces by `ca`; undefined for the default. */
export function listAuthorities(ca: string | undefined): string[] | undefined {
  return ca === undefined ? undefined : [ca, ...rootCertificates];
}

const RESETS: ReadonlySet<string> = new Set(['ECONNRESET', 'EPIPE']);

type Attempt = { readonly response: UpstreamResponse } | { readonly error: Error; readonly stale: boolean };

function readUpstreamUrl(base: string): URL {
  const url = URL.canParse(base) ? new URL(base) : undefined;
  if (url !== undefined && (url.protocol === 'http:' || url.protocol === 'https:')) return url;
  const hint = 'use an http or https URL, such as https://api.example.com/v1';
  throw new MockError('OPTION_INVALID', `${JSON.stringify(base)} is not a valid upstream URL`, { hint });
}

function toOutgoing(request: UpstreamRequest, host: string): Record<string, string | string[]> {
  const headers: Record<string, string | string[]> = { host };
  for (const [name, value] of Object.entries(omitFields(request.headers, ['host', 'content-length', 'expect']))) {
    headers[name] = typeof value === 'string' ? value : [...value];
  }
  // RFC 9112 6.3: a request without a length and without a coding has no content.
  if (request.body !== undefined || BODY_METHODS.includes(request.method)) {
    headers['content-length'] = String(readSize(request.body));
  }
  return headers;
}

function readSize(body: UpstreamRequest['body']): number {
  if (body === undefined) return 0;
  return isBytes(body) ? body.byteLength : body.size;
}

function isChunked({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding']?.toLowerCase() === 'chunked';
}

function toResponse(message: IncomingMessage, client: ClientRequest, interim: readonly number[]): UpstreamResponse {
  const fields: (readonly [string, string])[] = [];
  for (let i = 0; i < message.rawHeaders.length; i += 2) {
    const name = message.rawHeaders[i] ?? '';
    // Control headers of another mock must not look like ours.
    if (!/^x-mock-/i.test(name)) fields.push([name, message.rawHeaders[i + 1] ?? '']);
  }
  const { statusCode = 502, statusMessage } = message;
  return {
    status: statusCode,
    // RFC 9112 4: it may be empty.
    reason: statusMessage === '' || statusMessage === STATUS_CODES[statusCode] ? undefined : statusMessage,
    isLoop: statusCode === LOOP_STATUS && message.headers['x-mock-source'] === LOOP_SOURCE,
    // It says that the length of the content was not known before.
    headers: { ...readEndToEnd(fields), ...(isChunked(message) && { 'transfer-encoding': 'chunked' }) },
    interim,
    body: readChunks(message, client),
    cancel: () => void client.destroy(),
    trailers: () => Object.keys(message.trailers),
  };
}

/** RFC 5842 7.2: Loop Detected. */
export const LOOP_STATUS = 508;

/** The source of the answer to a request that was forwarded in a loop, as `x-mock-source` names it. */
const LOOP_SOURCE = 'forward:loop';

async function* readChunks(message: IncomingMessage, client: ClientRequest): AsyncGenerator<Uint8Array> {
  try {
    // An IncomingMessage without an encoding gives Buffers.
    for await (const chunk of message) yield chunk as Uint8Array;
  } finally {
    if (!message.complete) client.destroy();
  }
}

/** The failure of a connection, as it is recorded. */
function toFailure(error: Error, url: URL): RecordedFailure {
  const { code, reason } = readConnectionFailure(error);
  const kind = isTls({ code }) ? 'tls' : (KINDS.find(([codes]) => codes.test(code))?.[1] ?? 'reset');
  const hint =
    kind === 'tls' && code !== NO_TLS
      ? ' (`ca` and --ca add an authority, `insecure` and --insecure accept any certificate)'
      : '';
  return { kind, message: `${url.origin} could not be reached: ${reason}${hint}` };
}

const KINDS: readonly (readonly [codes: RegExp, kind: RecordedFailure['kind']])[] = [
  [/^(?:UPSTREAM_TIMEOUT|ETIMEDOUT)$/, 'timeout'],
  [/^(?:ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|PROXY_REFUSED)$/, 'refused'],
  [/^(?:ENOTFOUND|EAI_AGAIN)$/, 'unresolved'],
  [/^HPE_/, 'protocol'],
];

/** A proxy between the mock and the upstream. */
interface Proxy {
  readonly url: URL;
  /** Its own credentials, from the user and password of its URL. */
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * The proxy for an upstream from `HTTPS_PROXY`, `HTTP_PROXY` or `ALL_PROXY` (or lower case), unless `NO_PROXY` lists its host. This machine is
 * always reached directly.
 *
 * @throws MockError `OPTION_INVALID` for a proxy that is not an http URL.
 */
function readProxy(upstream: URL, environment: Environment): Proxy | undefined {
  const read = (name: string): string => environment[name.toLowerCase()] ?? environment[name] ?? '';
  const given = read(upstream.protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY') || read('ALL_PROXY');
  if (given === '' || isLocal(upstream.hostname) || isListed(upstream, read('NO_PROXY'))) return undefined;
  const text = given.includes('://') ? given : `http://${given}`;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== 'http:') {
    const hint = 'set HTTPS_PROXY and HTTP_PROXY to a URL such as http://proxy.example:3128, or unset them';
    throw new MockError('OPTION_INVALID', 'the proxy of the environment is not a valid http URL', { hint });
  }
  const user = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
  const credentials = user === ':' ? undefined : `Basic ${Buffer.from(user).toString('base64')}`;
  return { url, headers: credentials === undefined ? {} : { 'proxy-authorization': credentials } };
}

function isLocal(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname);
}

/** `*`, or hosts with their subdomains: `example.com`, `.example.com`, `example.com:8443`. */
function isListed({ hostname, port, protocol }: URL, list: string): boolean {
  const ownPort = port === '' ? (protocol === 'https:' ? '443' : '80') : port;
  return list.split(/[\s,]+/).some((entry) => {
    const [, host = '', only = ownPort] = /^\*?\.?(.*?)(?::(\d+))?$/.exec(entry.toLowerCase()) ?? [];
    if (entry === '*') return true;
    return host !== '' && only === ownPort && (hostname === host || hostname.endsWith(`.${host}`));
  });
}

/** Opens a TLS connection through a proxy (RFC 9110 9.3.6). */
function connectThroughProxy(
  { url, headers }: Proxy,
  { host, port, tls }: { readonly host: string; readonly port: number; readonly tls: ConnectionOptions },
  done: (error: Error | null, socket?: TLSSocket) => void,
): void {
  const authority = `${host.includes(':') ? `[${host}]` : host}:${port}`;
  const request: ClientRequest = httpRequest({
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port || 80,
    method: 'CONNECT',
    path: authority,
    headers: { host: authority, ...headers },
    agent: false,
  });
  request.on('error', (error) => done(error));
  request.on('response', ({ statusCode }) => done(toRefusal(url, statusCode)));
  request.on('connect', ({ statusCode }, socket: Socket) => {
    if (statusCode !== 200) {
      socket.destroy();
      return done(toRefusal(url, statusCode));
    }
    const secure = connect({ ...tls, socket, ...(isIP(host) === 0 && { servername: host }) });
    done(null, secure);
  });
  request.end();
}

function toRefusal(url: URL, status: number | undefined): Error {
  return Object.assign(new Error(`the proxy ${url.host} answered ${status ?? 'nothing'}`), { code: 'PROXY_REFUSED' });
}
