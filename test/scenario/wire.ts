import { connect } from 'node:net';

/** Everything a server sends before its connection ends, and how it ends. */
export interface Wire {
  /** The bytes as Latin-1 text. */
  readonly text: string;
  /** Everything after the blank line that ends the headers. */
  readonly body: string;
  /** `end`: closed in order (FIN); otherwise the code of the socket's error. */
  readonly end: string;
}

/** Sends one GET request over a raw socket and reads what comes back, whether it is HTTP or not. */
export async function readWire(url: string, headers: Readonly<Record<string, string>> = {}, path = '/'): Promise<Wire> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let end = 'end';
    const socket = connect(Number(port), hostname);
    socket.on('data', (chunk) => chunks.push(chunk));
    socket.on('error', (error: NodeJS.ErrnoException) => {
      end = error.code ?? error.message;
    });
    socket.on('close', () => {
      const text = Buffer.concat(chunks).toString('latin1');
      resolve({ text, body: text.slice(text.indexOf('\r\n\r\n') + 4), end });
    });
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.write(`GET ${path} HTTP/1.1\r\nhost: ${hostname}\r\nconnection: close\r\n${lines.join('')}\r\n`);
  });
}
