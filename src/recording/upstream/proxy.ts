import { URL } from 'node:url';
import { type ClientRequest, request as httpRequest } from 'node:http';
import { isIP, type Socket } from 'node:net';
import { connect, type ConnectionOptions, type TLSSocket } from 'node:tls';
import { MockError } from '../../errors.js';

/** A proxy between the mock and the upstream. */
export interface Proxy {
  readonly url: URL;
  /** Its own credentials, from the user and password of its URL. */
  readonly headers: Readonly<Record<string, string>>;
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The proxy for an upstream from `HTTPS_PROXY`, `HTTP_PROXY` or `ALL_PROXY` (or lower case), unless `NO_PROXY` lists its host. This machine is
 * always reached directly.
 *
 * @throws MockError `OPTION_INVALID` for a proxy that is not an http URL.
 */
export function readProxy(upstream: URL, environment: Environment): Proxy | undefined {
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
export function connectThroughProxy(
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
