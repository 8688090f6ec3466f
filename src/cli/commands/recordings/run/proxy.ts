import { Buffer } from 'node:buffer';
import { randomBytes, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, request as sendRequest, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { pipeline } from 'node:stream';
import { URL } from 'node:url';

/** A proxy on this machine whose requests go to Unix sockets. */
export interface Proxy {
  /** Its URL, with the credential that it requires. */
  readonly url: string;
  close(): Promise<void>;
}

/** The first byte of a TLS connection (RFC 8446 5.1: the content type of a handshake). */
const TLS_HANDSHAKE = 22;

/**
 * Starts a proxy (RFC 9110 7.6 and 9.3.6).
 *
 * @param socketOf - The Unix socket of an origin.
 * @param isGuarded - Whether it requires the credential of its URL, so that other users of the machine cannot use it.
 */
export async function startProxy(socketOf: (origin: string) => Promise<string>, isGuarded: boolean): Promise<Proxy> {
  const secret = randomBytes(16).toString('hex');
  const expected = Buffer.from(`Basic ${Buffer.from(`vouch:${secret}`).toString('base64')}`);
  const isAllowed = ({ headers }: IncomingMessage): boolean => {
    const given = Buffer.from(headers['proxy-authorization'] ?? '');
    return !isGuarded || (given.length === expected.length && timingSafeEqual(given, expected));
  };
  const sockets = new Set<Socket>();
  const server = createServer((incoming, outgoing) => {
    if (!isAllowed(incoming)) refuse(outgoing, 407);
    else void forward(incoming, outgoing, socketOf);
  });
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  server.on('connect', (incoming: IncomingMessage, client: Socket, head: Buffer) => {
    client.on('error', () => client.destroy());
    if (isAllowed(incoming)) void tunnel(incoming.url ?? '', client, { head, socketOf });
    else client.end('HTTP/1.1 407 Proxy Authentication Required\r\nproxy-authenticate: Basic realm="vouch"\r\n\r\n');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // It listens on a port.
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://vouch:${secret}@127.0.0.1:${port}`,
    close: async () => {
      server.close();
      for (const socket of sockets) socket.destroy();
      await once(server, 'close');
    },
  };
}

function refuse(outgoing: ServerResponse, status: number, message = ''): void {
  outgoing.writeHead(status, status === 407 ? { 'proxy-authenticate': 'Basic realm="vouch"' } : {}).end(message);
}

/** Sends a request with a whole URL to the mock of its origin. */
async function forward(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  socketOf: (origin: string) => Promise<string>,
): Promise<void> {
  const url = incoming.url ?? '';
  if (!URL.canParse(url) || new URL(url).protocol !== 'http:') {
    refuse(outgoing, 400, 'a proxy gets whole http URLs\n');
    return;
  }
  try {
    const { origin, pathname, search, host } = new URL(url);
    const { 'proxy-authorization': _secret, 'proxy-connection': _connection, ...headers } = incoming.headers;
    const socketPath = await socketOf(origin);
    const { method } = incoming;
    const sent = sendRequest({
      socketPath,
      method,
      path: pathname + search,
      headers: { ...headers, host },
      agent: false,
    });
    sent.on('response', (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.statusMessage, answer.rawHeaders);
      pipeline(answer, outgoing, () => undefined);
    });
    sent.on('error', () => outgoing.destroy());
    pipeline(incoming, sent, () => undefined);
  } catch (error) {
    refuse(outgoing, 502, `${String(error)}\n`);
  }
}

/** Connects a client with the mock of a host; the first byte that it sends says whether it uses TLS. */
async function tunnel(
  authority: string,
  client: Socket,
  { head, socketOf }: { readonly head: Buffer; readonly socketOf: (origin: string) => Promise<string> },
): Promise<void> {
  client.write('HTTP/1.1 200 Connection Established\r\n\r\n');
  const first = head.length > 0 ? head : await readFirst(client);
  if (first === undefined) return;
  const isTls = first[0] === TLS_HANDSHAKE;
  const url = `${isTls ? 'https' : 'http'}://${authority}`;
  if (!URL.canParse(url)) {
    client.destroy();
    return;
  }
  try {
    const mock = connect(await socketOf(new URL(url).origin));
    mock.on('error', () => client.destroy());
    mock.write(first);
    pipeline(client, mock, client, () => undefined);
  } catch {
    client.destroy();
  }
}

async function readFirst(client: Socket): Promise<Buffer | undefined> {
  return new Promise((resolve) => {
    client.once('close', () => resolve(undefined));
    client.once('data', (chunk: Buffer) => {
      client.pause();
      resolve(chunk);
    });
  });
}
