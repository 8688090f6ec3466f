import { createServer, ServerResponse } from 'node:http';
import { connect } from 'node:net';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { WholeResponse } from '../../src/server/whole-response.js';

type Send = (response: ServerResponse) => unknown;

const EVERY_BYTE = Uint8Array.from({ length: 256 }, (_, i) => i);

const withHead = (body: string | Uint8Array, status = 200): Send => {
  const length = Buffer.byteLength(body);
  return (response) => response.writeHead(status, { 'x-mock': 'a', 'content-length': length }).end(body);
};

const ANSWERS: Readonly<Record<string, Send>> = {
  'a string': withHead('{"name":"a"}'),
  'a string that is not ASCII': withHead('{"name":"é €"}'),
  'a string of 1 MB': withHead('x'.repeat(1_000_000)),
  'an empty string': withHead(''),
  'every byte': withHead(EVERY_BYTE),
  'a part of other bytes': withHead(EVERY_BYTE.subarray(100, 200)),
  'no bytes': withHead(new Uint8Array()),
  '100,000 bytes': withHead(Buffer.alloc(100_000, EVERY_BYTE)),
  'a status without a body': (response) => response.writeHead(204).end(),
  'a body that its status does not allow': withHead('x', 204),
  'a head without a length': (response) => response.writeHead(200, { 'x-mock': 'a' }).end('{}'),
  'no head': (response) => response.end('{}'),
  'a body in two parts': (response) => {
    response.writeHead(200, { 'content-length': 4 }).write('{}');
    response.end('[]');
  },
  'a stream': (response) => {
    response.writeHead(200).write('data: 1\n\n');
    setImmediate(() => response.end('data: 2\n\n'));
  },
  'an encoding': (response) => response.writeHead(200, { 'content-length': 2 }).end('7b7d', 'hex'),
  'a second end': (response) => response.writeHead(200, { 'content-length': 2 }).end('{}').end(),
};

/** All bytes that a server sends for these requests, sent at once on one connection, without the dates. */
async function receive(
  Response: typeof ServerResponse,
  requests: string,
  send: (url: string) => Send,
): Promise<string> {
  const server = createServer({ ServerResponse: Response }, ({ url = '' }, response) => void send(url)(response));
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.write(requests);
  let text = '';
  for await (const chunk of socket) text += (chunk as Buffer).toString('latin1');
  await new Promise((resolve) => void server.close(resolve));
  return text.replaceAll(/\r\nDate: [^\r]*/g, '');
}

const toRequest = (method: string, path: string, last = true): string =>
  `${method} ${path} HTTP/1.1\r\nhost: mock\r\n${last ? 'connection: close\r\n' : ''}\r\n`;

for (const [name, send] of Object.entries(ANSWERS)) {
  it.each(['GET', 'HEAD'])(`sends for %s what Node.js sends: ${name}`, async (method) => {
    const request = toRequest(method, '/');
    const sent = await receive(WholeResponse, request, () => send);
    expect(sent).toBe(await receive(ServerResponse, request, () => send));
    expect(sent).toMatch(/^HTTP\/1\.1 20[04] /);
  });
}

it('sends the responses of one connection in order, also when a later one is ready first', async () => {
  const requests = toRequest('GET', '/late', false) + toRequest('GET', '/', false) + toRequest('GET', '/');
  const send = (url: string): Send => {
    if (url !== '/late') return withHead(`{"path":"${url}"}`);
    return (response) => setImmediate(withHead('{"path":"late"}'), response);
  };
  const sent = await receive(WholeResponse, requests, send);
  expect(sent).toBe(await receive(ServerResponse, requests, send));
  expect(sent.match(/\{.*?\}/g)).toEqual(['{"path":"late"}', '{"path":"/"}', '{"path":"/"}']);
});

it('writes the head with the body, and nothing after it', async () => {
  const written: unknown[] = [];
  const answer = withHead(EVERY_BYTE);
  await receive(WholeResponse, toRequest('GET', '/'), () => (response) => {
    const { socket } = response;
    if (socket === null) throw new Error('there is no response before this one');
    const write = socket._write.bind(socket);
    socket._write = (chunk, ...rest) => {
      written.push(chunk);
      write(chunk, ...rest);
    };
    socket._writev = () => written.push('a list');
    return answer(response);
  });
  expect(written).toEqual([expect.stringMatching(/^HTTP[^]*\u00ff$/)]);
});
