import type { Exchange } from './connection.js';

/** An HTTP/1.1 request in parts; each string has one character per byte. */
export interface Wire {
  readonly method: string;
  readonly target: string;
  readonly version: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string;
  /** How the body is sent: with its length, or in chunks; `as-is` adds no header. */
  readonly framing: 'length' | 'chunked' | 'as-is';
  /** Whether exactly one answer must come. */
  readonly isSound: boolean;
  /** Statuses that the operation declares. */
  readonly allows?: Exchange['allows'];
}

export const PLAIN: Wire = {
  method: 'GET',
  target: '/',
  version: 'HTTP/1.1',
  headers: [
    ['Host', 'localhost'],
    ['Authorization', 'Bearer fuzz'],
  ],
  body: '',
  framing: 'length',
  isSound: true,
};

/** The request as the bytes of one connection. */
export function toExchange(wire: Wire): Exchange {
  const { method, isSound, allows } = wire;
  return { bytes: toBytes(wire), ...(isSound && { answers: 1 }), ...(allows && { allows }), isHead: method === 'HEAD' };
}

/** The bytes of the request. */
export function toBytes({ method, target, version, headers, body, framing }: Wire): string {
  const lines = [`${method} ${target} ${version}`, ...headers.map(([name, value]) => `${name}: ${value}`)];
  if (framing === 'chunked') {
    const middle = Math.floor(body.length / 2);
    const chunks = [body.slice(0, middle), body.slice(middle)].filter((chunk) => chunk !== '');
    const written = chunks.map((chunk) => `${chunk.length.toString(16)}\r\n${chunk}\r\n`).join('');
    return `${[...lines, 'Transfer-Encoding: chunked'].join('\r\n')}\r\n\r\n${written}0\r\n\r\n`;
  }
  if (framing === 'length' && (body !== '' || !/^(GET|HEAD|OPTIONS|DELETE|CONNECT|TRACE)$/.test(method)))
    lines.push(`Content-Length: ${body.length}`);
  return `${lines.join('\r\n')}\r\n\r\n${body}`;
}

/** A string as UTF-8, with one character per byte. */
export function toUtf8(text: string): string {
  return Buffer.from(text).toString('latin1');
}

/** Converts a request of the platform. */
export async function toWire(request: Request): Promise<Wire> {
  const url = new URL(request.url);
  const body = Buffer.from(await request.arrayBuffer()).toString('latin1');
  return {
    ...PLAIN,
    method: request.method,
    target: `${url.pathname}${url.search}`,
    headers: [['Host', 'localhost'], ...[...request.headers].map(([name, value]) => [name, toUtf8(value)] as const)],
    body,
  };
}
