import {
  constants,
  createServer,
  type Http2ServerRequest,
  type Http2ServerResponse,
  type Http2Session,
} from 'node:http2';
import { createServer as createHttpsServer, type ServerOptions } from 'node:https';
import type { IncomingMessage, OutgoingHttpHeaders, RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { MockError, toReason } from '../base/errors.js';
import { type Certificate, createCertificate } from './certificate.js';
import { type ConnectionOptions, type ConnectionServer, createConnectionServer, type Refuse } from './connections.js';

/** The certificate of a server with TLS. */
export interface TlsOptions {
  /** Certificate and the intermediate ones, in PEM; default: a self-signed one, made at start. */
  readonly cert?: string;
  /** Private key of `cert`, in PEM; required with `cert`. */
  readonly key?: string;
  /** Host names and IP addresses of the self-signed certificate, besides `localhost`, `127.0.0.1` and `::1`. Default: none. */
  readonly names?: readonly string[];
}

interface SecureParts {
  readonly tls: TlsOptions;
  /** Where it listens. */
  readonly host: string;
  readonly listener: RequestListener;
  readonly connections: Required<ConnectionOptions>;
  readonly refuse: Refuse;
}

/**
 * The certificate to use: the given one, or a new self-signed one.
 *
 * @throws MockError `OPTION_INVALID` if only one of certificate and key is given, or for a name that a certificate cannot have.
 */
function readCertificate(tls: TlsOptions, host: string): Certificate {
  const { cert, key, names = [] } = tls;
  if (cert !== undefined && key !== undefined) return { cert, key };
  if (cert !== undefined || key !== undefined) {
    const [given, missing] = cert === undefined ? ['key', 'cert'] : ['cert', 'key'];
    throw new MockError('OPTION_INVALID', `"tls.${given}" is given without "tls.${missing}"`, {
      hint: 'give both (--tls-cert, --tls-key), or none for a self-signed certificate',
    });
  }
  // Every address is not the address of a client.
  const own = host === '0.0.0.0' || host === '::' ? [] : [host];
  return createCertificate([...own, ...names]);
}

/**
 * Creates a server for HTTPS: HTTP/2 for clients that ask for it (ALPN), HTTP/1.1 with the same limits as without TLS for the others.
 *
 * @returns it, and its certificate in PEM.
 * @throws MockError `OPTION_INVALID` for a certificate or key that cannot be used.
 */
export function createSecureServer(parts: SecureParts): ConnectionServer & { readonly certificate: string } {
  const { tls, host, listener, connections, refuse } = parts;
  const certificate = readCertificate(tls, host);
  const http2 = createServer(
    { maxSessionMemory: SESSION_MEGABYTES, settings: { maxHeaderListSize: connections.headerLimitBytes } },
    (incoming, outgoing) => listener(...toHttp1Message(incoming, outgoing)),
  );
  const sessions = new Set<Http2Session>();
  http2.on('session', (session) => {
    sessions.add(session);
    session.once('close', () => sessions.delete(session));
    // Waits for the responses that are in progress.
    if (connections.keepAliveMs > 0) session.setTimeout(connections.keepAliveMs, () => session.close());
  });
  // A mistake of a client ends its own connection or stream.
  http2.on('sessionError', () => undefined);
  const create = (options: ServerOptions, listener: RequestListener): Server => {
    const secure = { ...certificate, ALPNProtocols: ['h2', 'http/1.1'], handshakeTimeout: options.headersTimeout || 0 };
    const server = createHttps({ ...options, ...secure }, listener);
    const [toHttp1] = server.listeners('secureConnection');
    server.removeAllListeners('secureConnection');
    server.on('secureConnection', (socket: WrappingSocket) => {
      // Node.js resets TCP connections only, for the fault `reset`.
      socket.resetAndDestroy = () => {
        socket._parent?.resetAndDestroy();
        return socket;
      };
      if (socket.alpnProtocol === 'h2') http2.emit('connection', socket);
      else toHttp1?.call(server, socket);
    });
    return server;
  };
  const { server, stop } = createConnectionServer(listener, { ...connections, create }, refuse);
  return {
    server,
    certificate: certificate.cert,
    stop: (graceMs) => {
      for (const session of sessions) session.close();
      return stop(graceMs);
    },
  };
}

/** A TLS connection as Node.js keeps it; there is no public way to this member. */
interface WrappingSocket extends TLSSocket {
  /** The TCP connection. */
  readonly _parent?: Socket | null;
}

/** Of one HTTP/2 connection; the 10 of Node.js are less than the size of some bodies. */
const SESSION_MEGABYTES = 64;

function createHttps(options: ServerOptions, listener: RequestListener): ReturnType<typeof createHttpsServer> {
  try {
    return createHttpsServer(options, listener);
  } catch (error) {
    const reason = `the certificate or its key cannot be used: ${toReason(error)}`;
    const hint = 'both must be PEM, and the key must be that of the first certificate';
    throw new MockError('OPTION_INVALID', reason, { hint, cause: error });
  }
}

/**
 * Gives a request and a response of HTTP/2 what the engine reads of one of HTTP/1.1, as a gateway does: `Host` for `:authority`, no pseudo-header
 * fields, and a socket whose end is the end of this stream, because other requests share the connection.
 */
function toHttp1Message(
  incoming: Http2ServerRequest,
  outgoing: Http2ServerResponse,
): readonly [incoming: IncomingMessage, outgoing: ServerResponse & { readonly req: IncomingMessage }] {
  // RFC 9113 8.3.1: `:authority` decides where `Host` differs from it.
  const { ':authority': host = incoming.headers.host } = incoming.headers;
  const isUnsized = incoming.headers['content-length'] === undefined && !incoming.stream.endAfterHeaders;
  const added = {
    ...(host !== undefined && { host }),
    // A body needs no length (RFC 9113 8.1); this is how HTTP/1.1 says that it has one.
    ...(isUnsized && { 'transfer-encoding': 'chunked' }),
  };
  const isSent = (name: string): boolean => !name.startsWith(':') && name !== 'host';
  const sent = Object.entries(incoming.headers).filter(([name]) => isSent(name));
  const raw = incoming.rawHeaders.flatMap((name, i, all) =>
    i % 2 === 0 && isSent(name) ? [name, all[i + 1] ?? ''] : [],
  );
  Object.defineProperties(incoming, {
    headers: { value: { ...added, ...Object.fromEntries(sent) } },
    rawHeaders: { value: [...Object.entries(added).flat(), ...raw] },
  });
  const { stream } = outgoing;
  const cut = (): void => stream.close(constants.NGHTTP2_INTERNAL_ERROR);
  const writeHead = outgoing.writeHead.bind(outgoing) as (status: number, fields: OutgoingHttpHeaders) => unknown;
  Object.defineProperties(outgoing, {
    // HTTP/2 has none (RFC 9113 8.3.2), and Node.js warns where one is set.
    statusMessage: { value: '', writable: true },
    socket: { value: { resetAndDestroy: cut, destroySoon: cut, destroy: cut, end: cut } },
    writeHead: {
      value: (status: number, headers: Readonly<Record<string, string>> | readonly string[] = {}) =>
        writeHead(status, dropConnectionFields(headers)),
      writable: true,
    },
  });
  // The engine uses the members that both versions have, and those defined above.
  return [incoming, outgoing] as unknown as ReturnType<typeof toHttp1Message>;
}

/** Fields of the connection, which HTTP/2 does not have (RFC 9113 8.2.2). */
const CONNECTION_FIELDS: ReadonlySet<string> = new Set([
  'connection',
  'http2-settings',
  'keep-alive',
  'proxy-connection',
  'transfer-encoding',
  'upgrade',
]);

function dropConnectionFields(headers: Readonly<Record<string, string>> | readonly string[]): OutgoingHttpHeaders {
  const kept: Record<string, string | string[]> = {};
  // `isArray` does not tell a readonly array from the object.
  const lines = Array.isArray(headers) ? (headers as readonly string[]) : Object.entries(headers).flat();
  for (let i = 0; i < lines.length; i += 2) {
    const [field = '', value = ''] = [lines[i]?.toLowerCase(), lines[i + 1]];
    if (CONNECTION_FIELDS.has(field)) continue;
    const before = kept[field];
    kept[field] = before === undefined ? value : [before, value].flat();
  }
  return kept;
}
