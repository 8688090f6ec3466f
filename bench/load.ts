import { connect, type Socket } from 'node:net';

/** The cost of one run of requests. */
export interface LoadResult {
  readonly requests: number;
  readonly elapsedMs: number;
}

/** What to send, how often, and the expected response. */
export interface Load {
  readonly port: number;
  readonly connections: number;
  readonly requests: number;
  /** The bytes of the n-th request, from 0. */
  readonly request: (n: number) => Buffer;
  readonly status: number;
}

/**
 * Sends the requests over a few keep-alive connections, one at a time on each.
 *
 * The client is a raw socket: a full HTTP client uses more CPU than the measured servers, and on a machine with few cores
 * it would limit the requests per second.
 */
export async function runLoad(load: Load): Promise<LoadResult> {
  let sent = 0;
  const sockets = await Promise.all(Array.from({ length: load.connections }, () => openSocket(load.port)));
  const startedAt = performance.now();
  const take = (): Buffer | undefined => (sent < load.requests ? load.request(sent++) : undefined);
  await Promise.all(sockets.map((socket) => runConnection(socket, take, load.status)));
  const elapsedMs = performance.now() - startedAt;
  for (const socket of sockets) socket.destroy();
  return { requests: load.requests, elapsedMs };
}

/** Sends one request on a new connection and returns the whole response as a string, headers included. */
export async function readAnswer(
  port: number,
  request: Buffer,
): Promise<{ readonly status: number; readonly body: string }> {
  const socket = await openSocket(port);
  socket.write(request);
  let received = '';
  for await (const chunk of socket) {
    received += (chunk as Buffer).toString('latin1');
    if (isWhole(received)) break;
  }
  const end = received.indexOf('\r\n\r\n');
  return { status: readStatus(received), body: Buffer.from(received.slice(end + 4), 'latin1').toString() };
}

function openSocket(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true }, () => resolve(socket));
    socket.once('error', reject);
  });
}

function runConnection(socket: Socket, take: () => Buffer | undefined, status: number): Promise<void> {
  return new Promise((resolve, reject) => {
    let received = '';
    const send = (): void => {
      const bytes = take();
      if (bytes === undefined) resolve();
      else socket.write(bytes);
    };
    socket.on('error', reject);
    socket.on('close', () => reject(new Error('the server closed the connection')));
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1');
      if (!isWhole(received)) return;
      if (readStatus(received) !== status) reject(new Error(`want status ${status}, got:\n${received}`));
      received = '';
      send();
    });
    send();
  });
}

function readStatus(received: string): number {
  return Number(received.slice(9, 12));
}

/** Whether the string, one character per byte, contains a complete response. Each measured server sends a content length. */
function isWhole(received: string): boolean {
  const end = received.indexOf('\r\n\r\n');
  if (end < 0) return false;
  const length = /\r\ncontent-length: *(?<length>\d+)/iu.exec(received.slice(0, end))?.groups?.['length'];
  if (length === undefined) throw new Error(`an answer without Content-Length:\n${received}`);
  return received.length - end - 4 >= Number(length);
}
