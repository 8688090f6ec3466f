import { connect, type Socket } from 'node:net';

/** The cost of one run of requests. */
export interface LoadResult {
  readonly requests: number;
  readonly elapsedMs: number;
  /** Milliseconds from the request to its whole response, half and 99 % of them at most. */
  readonly p50: number;
  readonly p99: number;
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
  const latencies: number[] = [];
  await Promise.all(sockets.map((socket) => runConnection(socket, { take, latencies, status: load.status })));
  const elapsedMs = performance.now() - startedAt;
  for (const socket of sockets) socket.destroy();
  latencies.sort((a, b) => a - b);
  const at = (part: number): number => latencies[Math.floor((latencies.length - 1) * part)] ?? Number.NaN;
  return { requests: load.requests, elapsedMs, p50: at(0.5), p99: at(0.99) };
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

interface ConnectionLoad {
  take(): Buffer | undefined;
  readonly latencies: number[];
  readonly status: number;
}

function runConnection(socket: Socket, { take, latencies, status }: ConnectionLoad): Promise<void> {
  return new Promise((resolve, reject) => {
    let received = '';
    let sentAt = 0;
    const send = (): void => {
      const bytes = take();
      sentAt = performance.now();
      if (bytes === undefined) resolve();
      else socket.write(bytes);
    };
    socket.on('error', reject);
    socket.on('close', () => reject(new Error('the server closed the connection')));
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1');
      if (!isWhole(received)) return;
      if (readStatus(received) !== status) reject(new Error(`want status ${status}, got:\n${received}`));
      latencies.push(performance.now() - sentAt);
      received = '';
      send();
    });
    send();
  });
}

function readStatus(received: string): number {
  return Number(received.slice(9, 12));
}

/** Whether the string, one character per byte, contains a complete response: by its length, or with a last chunk (RFC 9112 section 6). */
function isWhole(received: string): boolean {
  const end = received.indexOf('\r\n\r\n');
  if (end < 0) return false;
  const head = received.slice(0, end);
  if (/\r\ntransfer-encoding: *chunked/iu.test(head)) return received.endsWith('\r\n0\r\n\r\n');
  const length = /\r\ncontent-length: *(?<length>\d+)/iu.exec(head)?.groups?.['length'];
  if (length === undefined && /^(?:1\d\d|204|304)$/u.test(received.slice(9, 12))) return true;
  if (length === undefined) throw new Error(`an answer without Content-Length:\n${received}`);
  return received.length - end - 4 >= Number(length);
}
