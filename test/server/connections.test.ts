// @module-tag slow
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Mock, MockOptions } from '../../src/index.js';
import { AUTHORIZED, openBuiltIn } from '../describe-both.js';
import { sendRaw as send } from '../send-raw.js';

// Issue 13, part 7.

const CONTENT = '/v1/files/file-handbook/content';
const KEYS = '/v1/organization/admin_api_keys';
/** Longer than any test may take. */
const FOREVER = 3_600_000;

interface Server {
  readonly mock: Mock;
  readonly url: string;
  readonly port: number;
  close(graceMs?: number): Promise<void>;
}

async function start(options: Partial<MockOptions> = {}): Promise<Server> {
  const mock = await openBuiltIn(options);
  const { url, port, close } = await mock.listen();
  onTestFinished(() => close(0));
  return { mock, url, port, close };
}

const countResponses = (text: string): number => text.split('HTTP/1.1 ').length - 1;

const GET_CONTENT = `GET ${CONTENT} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer x\r\n\r\n`;
const POST_KEY = `POST ${KEYS} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer x\r\ncontent-type: application/json\r\n`;

describe('a client that expects 100-continue', () => {
  it('gets one 100 for its body', async () => {
    const { port } = await start();
    const body = '{"name":"a"}';
    const { socket, waitFor } = send(port, `${POST_KEY}expect: 100-continue\r\ncontent-length: ${body.length}\r\n\r\n`);
    await waitFor('HTTP/1.1 100 Continue\r\n\r\n');
    socket.write(body);
    await waitFor('HTTP/1.1 200 OK\r\n');
  });

  it('gets whole answers to requests that it sends without waiting', async () => {
    const { port, mock } = await start();
    const name = 'x'.repeat(40);
    for (let i = 0; i < 40; i++) mock.session(`${name}${i}`);
    const request = 'GET /__mock/sessions HTTP/1.1\r\nhost: localhost\r\nexpect: 100-continue\r\n';
    const { end } = send(port, `${`${request}\r\n`.repeat(9)}${request}connection: close\r\n\r\n`);
    const answers = (await end).split(/HTTP\/1\.1 (?:100 Continue|200 OK)\r\n/).filter((part) => part.trim() !== '');
    expect(answers).toHaveLength(10);
    // The end of the list, which may be followed by the last chunk.
    for (const answer of answers) expect(answer).toMatch(/x{40}39[^]*\]\}\s*(?:0\r\n\r\n)?$/);
  });
});

describe('a slow client', () => {
  it.each([
    ['sends nothing', ''],
    ['stops within the header fields', `GET ${CONTENT} HTTP/1.1\r\nhost: localhost\r\n`],
    ['stops within the request line', 'GET /v1/fi'],
  ])('that %s is answered with 408 and disconnected', async (_, bytes) => {
    const { port } = await start({ connections: { headersTimeoutMs: 50 } });
    const text = await send(port, bytes).end;
    expect(text).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n/);
    expect(text).toContain('content-type: application/problem+json');
    expect(text).toContain('connections.headersTimeoutMs');
  });

  it.each([
    ['a small body', 'content-length: 100\r\n\r\n{"name": '],
    ['a large body', `content-length: 1000000\r\n\r\n{"name": "${'x'.repeat(100_000)}`],
    ['a chunked body', 'transfer-encoding: chunked\r\n\r\n5\r\n{"nam\r\n'],
  ])('that stops within %s is answered with 408 and disconnected', async (_, rest) => {
    const { port, mock } = await start({ connections: { requestTimeoutMs: 50 } });
    const text = await send(port, POST_KEY + rest).end;
    expect(text).toMatch(/^HTTP\/1\.1 408 /);
    expect(countResponses(text)).toBe(1);
    // Nothing was created.
    const list = await mock.fetch(KEYS, { headers: AUTHORIZED });
    expect(((await list.json()) as { readonly data: readonly unknown[] }).data).toHaveLength(7);
  });

  it('that sends one byte at a time is disconnected as well', async () => {
    const { port } = await start({ connections: { requestTimeoutMs: 50 } });
    const { socket, end } = send(port, `${POST_KEY}content-length: 60000\r\n\r\n`);
    const drip = (): void => {
      if (socket.writable) socket.write(' ', () => void setImmediate(drip));
    };
    drip();
    expect(await end).toMatch(/^(?:HTTP\/1\.1 408 |$)/);
  });

  it('whose response was sent before its body arrived gets one response', async () => {
    const { port } = await start({ connections: { requestTimeoutMs: 50 } });
    const text = await send(port, 'POST /nowhere HTTP/1.1\r\nhost: a\r\ncontent-length: 900000\r\n\r\n{').end;
    expect(text).toMatch(/^HTTP\/1\.1 404 /);
    expect(countResponses(text)).toBe(1);
  });

  it('does not take the time of a slow response', async () => {
    let answer = (): void => undefined;
    const waiting = new Promise<undefined>((resolve) => (answer = () => resolve(undefined)));
    const connections = { headersTimeoutMs: 50, requestTimeoutMs: 50 };
    const { port, url } = await start({ connections, handlers: { downloadFile: () => waiting } });
    const response = fetch(url + CONTENT, { headers: AUTHORIZED });
    // Both limits have passed when other connections are cut by them.
    await send(port, '').end;
    await send(port, `${POST_KEY}content-length: 10\r\n\r\n`).end;
    answer();
    expect((await response).status).toBe(200);
  });
});

describe('a request that cannot be read', () => {
  const PAGE = 'http://localhost:5173';
  const origin = `origin: ${PAGE}\r\n`;

  interface Refused {
    readonly code: string;
    readonly status: number;
    readonly hint: string | undefined;
  }

  async function startTold(
    options: Partial<MockOptions> = {},
  ): Promise<Server & { readonly told: readonly Refused[] }> {
    const told: Refused[] = [];
    const onRefused: MockOptions['onRefused'] = ({ code, hint }, status) => void told.push({ code, status, hint });
    return { ...(await start({ ...options, onRefused })), told };
  }

  /** [what is sent, its bytes, the status and the code]. */
  const REQUESTS: readonly (readonly [name: string, bytes: string, status: number, code: string])[] = [
    ['text that is not HTTP', `hello\r\n${origin}\r\n`, 400, 'REQUEST_MALFORMED'],
    ['a wrong header field', `GET / HTTP/1.1\r\n${origin}host: a\r\nx y: 1\r\n\r\n`, 400, 'REQUEST_MALFORMED'],
    ['a request without Host', `GET / HTTP/1.1\r\n${origin}\r\n`, 400, 'REQUEST_MALFORMED'],
    ['an invalid Host', `GET / HTTP/1.1\r\n${origin}host: a b\r\nconnection: close\r\n\r\n`, 400, 'REQUEST_MALFORMED'],
    [
      'a target that is not a URL',
      `GET http://[ HTTP/1.1\r\n${origin}host: a\r\nconnection: close\r\n\r\n`,
      400,
      'REQUEST_MALFORMED',
    ],
    ['an unknown expectation', `GET / HTTP/1.1\r\n${origin}host: a\r\nexpect: x\r\n\r\n`, 417, 'REQUEST_MALFORMED'],
    ['long header fields', `GET / HTTP/1.1\r\n${origin}x: ${'x'.repeat(9000)}\r\n\r\n`, 431, 'HEADERS_TOO_LARGE'],
    ['a request that stops', `GET / HTTP/1.1\r\n${origin}host: a\r\n`, 408, 'REQUEST_TIMEOUT'],
    ['a body that stops', `${POST_KEY}${origin}content-length: 9\r\n\r\n{`, 408, 'REQUEST_TIMEOUT'],
  ];

  it.each(REQUESTS)('is reported to the log, and pages can read its answer: %s', async (_name, bytes, status, code) => {
    // A busy machine may take longer than that to read what is answered at once.
    const timeouts = status === 408 ? { headersTimeoutMs: 50, requestTimeoutMs: 50 } : {};
    const connections = { ...timeouts, headerLimitBytes: 8192 };
    const { port, told } = await startTold({ connections });
    const text = await send(port, bytes).end;
    expect(text).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(text.toLowerCase()).toContain('\r\naccess-control-allow-origin: *\r\n');
    const body: unknown = JSON.parse(text.slice(text.indexOf('\r\n\r\n')));
    expect(body).toMatchObject({ status, code, hint: expect.any(String) as string });
    expect(told).toEqual([{ code, status, hint: (body as { readonly hint: string }).hint }]);
  });

  it('of a page whose origin is named has the headers for credentials', async () => {
    const { port } = await startTold({ cors: { origins: [PAGE] }, connections: { headerLimitBytes: 8192 } });
    for (const [, bytes] of REQUESTS.slice(0, 5)) {
      const text = (await send(port, bytes).end).toLowerCase();
      expect(text).toContain(`access-control-allow-origin: ${PAGE}`);
      expect(text).toContain('access-control-allow-credentials: true');
    }
  });

  it('has no such headers where they are switched off, and a function that throws is a 500', async () => {
    const { port } = await start({ cors: false });
    expect((await send(port, 'hello\r\n\r\n').end).toLowerCase()).not.toContain('access-control');
    const onRefused = (): never => {
      throw new Error('no log');
    };
    const { port: other, url } = await start({ onRefused });
    expect(await send(other, 'hello\r\n\r\n').end).toMatch(/^HTTP\/1\.1 500 [^]*onRefused failed: no log/);
    expect((await fetch(url + CONTENT, { headers: AUTHORIZED })).status).toBe(200);
  });

  it('is not reported where nothing was sent: browsers open connections before they need them', async () => {
    const { port, told } = await startTold({ connections: { headersTimeoutMs: 50 } });
    expect(await send(port, '').end).toMatch(/^HTTP\/1\.1 408 /);
    expect(told).toEqual([]);
  });
});

describe('a connection', () => {
  it('of HTTP/1.0, without the field Host, gets a response', async () => {
    const { port } = await start();
    const { end } = send(port, `GET ${CONTENT} HTTP/1.0\r\nauthorization: Bearer any\r\n\r\n`);
    expect(await end).toMatch(/^HTTP\/1\.1 200 /);
  });

  it('is kept longer than by common clients and load balancers', async () => {
    const { url } = await start();
    const response = await fetch(url + CONTENT, { headers: AUTHORIZED });
    expect(response.headers.get('keep-alive')).toBe('timeout=95');
  });

  it('without a request is not closed by the time limit of header fields', async () => {
    const { port } = await start({ connections: { headersTimeoutMs: 50, requestTimeoutMs: 50 } });
    const { socket, waitFor, end } = send(port, GET_CONTENT);
    await waitFor('\r\n\r\n');
    // The limit has passed when another connection is cut by it.
    await send(port, 'GET ').end;
    socket.write(GET_CONTENT.replace('\r\n\r\n', '\r\nconnection: close\r\n\r\n'));
    expect((await end).match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 200']);
  });

  it('without a request is closed after its time', async () => {
    const { port } = await start({ connections: { keepAliveMs: 50 } });
    const text = await send(port, GET_CONTENT).end;
    expect(text).toMatch(/^HTTP\/1\.1 200 /);
  });

  it('takes header fields up to the limit, and 431 names the option', async () => {
    const headers = { ...AUTHORIZED, 'x-large': 'x'.repeat(30_000) };
    const { url } = await start();
    const refused = await fetch(url + CONTENT, { headers });
    expect(refused.status).toBe(431);
    expect(await refused.json()).toMatchObject({
      title: 'Request Header Fields Too Large',
      detail: 'the request line and the header fields are larger than 16384 bytes',
      code: 'HEADERS_TOO_LARGE',
      hint: 'the option "connections.headerLimitBytes" (--header-limit) raises the limit',
    });
    const { url: other } = await start({ connections: { headerLimitBytes: 65_536 } });
    expect((await fetch(other + CONTENT, { headers })).status).toBe(200);
  });

  it('is accepted while 1,600 others wait', async ({ skip }) => {
    const limit = '/proc/sys/net/core/somaxconn';
    if (!existsSync(limit) || Number(readFileSync(limit, 'utf8')) < 1600)
      skip('the system allows fewer connections to wait');
    const { port } = await start();
    // The server accepts nothing while it waits for the child; what does not fit its backlog never connects.
    const script = `
      const { connect } = require('node:net');
      let open = 0;
      const sockets = Array.from({ length: 1600 }, () => connect(${port}, '127.0.0.1', () => {
        if (++open === sockets.length) { console.log(open); process.exit(); }
      }));`;
    const { stdout } = spawnSync(process.execPath, ['-e', script], { encoding: 'utf8', timeout: 20_000 });
    expect(stdout.trim()).toBe('1600');
  });
});

describe('a server that is closed', () => {
  const connections = { graceMs: FOREVER };

  it('closes idle connections at once', async () => {
    const { port, close } = await start({ connections });
    const { end, waitFor } = send(port, GET_CONTENT);
    await waitFor('\r\n\r\n');
    const unused = connect(port, '127.0.0.1');
    await once(unused, 'connect');
    await close();
    expect(countResponses(await end)).toBe(1);
  });

  it('finishes the responses that have begun, and closes their connections', async () => {
    let answer = (): void => undefined;
    const waiting = new Promise<undefined>((resolve) => (answer = () => resolve(undefined)));
    let ask = (): void => undefined;
    const asked = new Promise<void>((resolve) => (ask = resolve));
    const handlers = { downloadFile: () => (ask(), waiting) };
    const { port, close } = await start({ connections, handlers });
    const { end } = send(port, GET_CONTENT);
    await asked;
    const closed = close();
    answer();
    await closed;
    const text = await end;
    expect(text).toMatch(/^HTTP\/1\.1 200 /);
    expect(text.toLowerCase()).toContain('connection: close');
  });

  it('answers a request that was arriving', async () => {
    const { port, close } = await start({ connections });
    const client = send(port, GET_CONTENT + GET_CONTENT.slice(0, 20));
    await client.waitFor('\r\n\r\n');
    const closed = close();
    client.socket.write(GET_CONTENT.slice(20));
    await closed;
    expect(countResponses(await client.end)).toBe(2);
  });

  it('waits for a stream that ends, and not for its connection', async () => {
    let finish = (): void => undefined;
    const finished = new Promise<void>((resolve) => (finish = resolve));
    const handlers = {
      downloadFile: () => ({
        status: 200,
        body: (async function* () {
          yield new TextEncoder().encode('first');
          await finished;
          yield new TextEncoder().encode('last');
        })(),
      }),
    };
    const { port, close } = await start({ connections, handlers });
    const { end, waitFor } = send(port, GET_CONTENT);
    await waitFor('first');
    const closed = close();
    finish();
    await closed;
    expect(await end).toContain('last');
  });

  it('cuts a stream that does not end after the grace time, or after that of a later call', async () => {
    const handlers = {
      downloadFile: () => ({
        status: 200,
        body: (async function* () {
          yield new TextEncoder().encode('first');
          await new Promise<void>(() => undefined);
        })(),
      }),
    };
    for (const graceMs of [20, FOREVER]) {
      const { port, close } = await start({ connections: { graceMs }, handlers });
      const { end, waitFor } = send(port, GET_CONTENT);
      await waitFor('first');
      const closed = close();
      if (graceMs === FOREVER) await close(0);
      await closed;
      expect(await end).not.toContain('\r\n0\r\n');
    }
  });

  it('can be closed twice', async () => {
    const { close } = await start({ connections });
    await Promise.all([close(), close()]);
    await close();
  });
});
