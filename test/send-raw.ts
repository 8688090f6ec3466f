import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** A connection that sends raw bytes, until the test is over. */
export interface RawClient {
  readonly socket: Socket;
  /** Resolves with everything that was received, once the server has closed the connection. */
  readonly end: Promise<string>;
  /** Resolves with everything that was received, once it has a text or matches a pattern. */
  waitFor(part: string | RegExp): Promise<string>;
}

/** Opens a connection and sends bytes. */
export function sendRaw(port: number, bytes: string | Uint8Array): RawClient {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  onTestFinished(() => void socket.destroy());
  let text = '';
  socket.on('data', (chunk) => void (text += chunk.toString()));
  // A write after the server has closed is an error of the socket, as of Node.js 24 EPIPE; `once` would reject with it.
  socket.on('error', () => undefined);
  const end = new Promise<string>((resolve) => socket.once('close', () => resolve(text)));
  socket.write(bytes);
  const waitFor = async (part: string | RegExp): Promise<string> => {
    while (typeof part === 'string' ? !text.includes(part) : !part.test(text)) await once(socket, 'data');
    return text;
  };
  return { socket, end, waitFor };
}
