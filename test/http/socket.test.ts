import { once } from 'node:events';
import { createServer, request as httpRequest, type IncomingMessage, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { getRequestListener } from '@hono/node-server';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadContract } from '../../src/contract/load/load.js';
import { type Call, createCallDecoder } from '../../src/http/request/call.js';
import { createValidators } from '../../src/schema/validate.js';
import { toDocument, toLines } from './decode.js';

/** A server that decodes every request as one operation and answers with the violations, one per line. */
const LIMIT = 1024 * 1024;
let server: Server;
let port: number;
const calls: (Call | Promise<Call>)[] = [];
let arrived: () => void = () => {};

beforeAll(async () => {
  const content = { 'application/json': { schema: { type: 'object' } } };
  const contract = await loadContract(toDocument({ requestBody: { content } }, {}, 'post /things'));
  const decoder = createCallDecoder(contract, createValidators(contract), { bodyLimitBytes: LIMIT });
  const operation = contract.operations[0];
  if (operation === undefined) throw new Error('the document has an operation');
  const listener = getRequestListener(
    async (request) => {
      const decoded = decoder.decode({ operation, pathText: {}, request });
      calls.push(decoded);
      arrived();
      const call = await decoded;
      return new Response(toLines(call).join('\n'), { status: call.violations[0]?.status ?? 200 });
    },
    { overrideGlobalObjects: false },
  );
  server = createServer((incoming, outgoing) => void listener(incoming, outgoing));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // The address of a listening TCP server is an object.
  port = (server.address() as AddressInfo).port;
});

afterAll(() => {
  server.closeAllConnections();
  server.close();
});

/** Sends a body in one piece, or chunked where no length is given. */
async function send(method: string, body: Buffer | undefined, headers: Record<string, string | number> = {}) {
  const request = httpRequest({ port, host: '127.0.0.1', method, path: '/things', headers, agent: false });
  request.end(body);
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  let text = '';
  for await (const chunk of response) text += String(chunk);
  return { status: response.statusCode, text };
}

const json = { 'content-type': 'application/json' };

describe('over a socket', () => {
  it('a body is read', async () => {
    const body = Buffer.from('{"a":1}');
    expect(await send('POST', body, { ...json, 'content-length': body.length })).toEqual({ status: 200, text: '' });
    expect(await calls.at(-1)).toMatchObject({ body: { a: 1 }, mediaType: 'application/json' });
  });

  it('a body without a length is read', async () => {
    expect(await send('POST', Buffer.from('{"a":1}'), { ...json, 'transfer-encoding': 'chunked' })).toEqual({
      status: 200,
      text: '',
    });
    expect(await calls.at(-1)).toMatchObject({ body: { a: 1 } });
  });

  it.each(['GET', 'DELETE', 'POST'])('a %s without a body is decoded at once', async (method) => {
    await send(method, undefined);
    expect(calls.at(-1)).not.toBeInstanceOf(Promise);
  });

  it('a GET with a body is decoded without it', async () => {
    const answer = await send('GET', Buffer.from('{"a":1}'), { ...json, 'content-length': 7 });
    expect(answer).toEqual({ status: 200, text: '' });
  });

  it.each([
    ['gzip', gzipSync],
    ['br', brotliCompressSync],
    ['deflate', deflateSync],
    ['deflate', deflateRawSync],
  ])('a body packed with %s is unpacked', async (encoding, pack) => {
    const body = pack('{"a":1}');
    const headers = { ...json, 'content-encoding': encoding, 'content-length': body.length };
    expect(await send('POST', body, headers)).toEqual({ status: 200, text: '' });
    expect(await calls.at(-1)).toMatchObject({ body: { a: 1 }, bytes: new Uint8Array(body) });
  });

  it.each([
    [
      'that unpacks to too much',
      'gzip',
      gzipSync(Buffer.alloc(2 * LIMIT)),
      { status: 413, text: 'error BODY_TOO_LARGE' },
    ],
    ['that is not packed at all', 'gzip', Buffer.from('{"a":1}'), { status: 200, text: 'error BODY_MALFORMED' }],
    ['of an unknown packing', 'zip', Buffer.from('{}'), { status: 415, text: 'error CONTENT_TYPE_UNDECLARED' }],
  ])('a body %s is refused', async (_name, encoding, body, want) => {
    expect(await send('POST', body, { ...json, 'content-encoding': encoding, 'content-length': body.length })).toEqual(
      want,
    );
  });

  it('a body beyond the limit is refused, and its sender gets to the answer', async () => {
    const body = Buffer.alloc(10 * LIMIT, '[');
    const answer = await send('POST', body, { ...json, 'content-length': body.length });
    expect(answer).toEqual({ status: 413, text: 'error BODY_TOO_LARGE' });
  });

  it('a body beyond the limit without a length is refused, and its sender gets to the answer', async () => {
    const body = Buffer.alloc(10 * LIMIT, '[');
    const answer = await send('POST', body, { ...json, 'transfer-encoding': 'chunked' });
    expect(answer).toEqual({ status: 413, text: 'error BODY_TOO_LARGE' });
  });

  it('a body of exactly the limit is taken', async () => {
    const body = Buffer.from(`{"a":"${'x'.repeat(LIMIT - 8)}"}`);
    expect(body).toHaveLength(LIMIT);
    expect(await send('POST', body, { ...json, 'content-length': LIMIT })).toEqual({ status: 200, text: '' });
  });

  it.each([
    ['with a length', 'Content-Length: 100\r\n\r\n{"a"'],
    ['chunked', 'Transfer-Encoding: chunked\r\n\r\n4\r\n{"a"\r\n'],
  ])('a client that leaves in the middle of a body %s leaves a call behind that says so', async (_name, rest) => {
    const seen = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    const socket = connect(port, '127.0.0.1');
    socket.write(`POST /things HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n${rest}`);
    await seen;
    socket.destroy();
    const call = await calls.at(-1);
    expect(call === undefined ? [] : toLines(call)).toEqual(['error BODY_INCOMPLETE']);
  });
});
