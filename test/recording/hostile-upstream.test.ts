// @module-tag slow
// Upstreams that answer what few servers answer: raw bytes on a TCP socket, endless streams, broken connections, large bodies.
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import {
  createServer as createHttpServer,
  get,
  type IncomingMessage,
  request as httpRequest,
  type ServerResponse,
} from 'node:http';
import { createServer } from 'node:net';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Mock, MockError } from '../../src/index.js';
import { loadCassette } from '../../src/features/recording/cassette/cassette.js';
import type { RecordingOptions } from '../../src/features/recording/recordings.js';
import { startProgram } from '../cli/run-program.js';
import { createFolder } from '../folders.js';
import { openRecorder, replay as openReplay } from './recorded.js';
import { serveInTest } from '../serve-in-test.js';
import { type Received, sendRequest } from '../send-request.js';
import { inPath, toDocument } from '../document-parts.js';

const ANYTHING = { default: { description: 'Anything.' } };
const SPEC = toDocument({
  '/a/{name}': {
    ...inPath('name'),
    get: { operationId: 'read', responses: ANYTHING },
    post: { operationId: 'send', requestBody: { content: { '*/*': {} } }, responses: ANYTHING },
  },
});

/** What arrived of an answer, its texts as Latin-1. */
type Seen = Omit<Received, 'body'> & { readonly body: string };

async function read(url: string, more: { readonly body?: string } = {}): Promise<Seen> {
  const { body, ...rest } = await sendRequest(url, more);
  return { ...rest, body: body.toString('latin1') };
}

async function record(upstream: string, more: Partial<RecordingOptions> = {}): Promise<Recorder> {
  const folder = createFolder();
  const mock = await openRecorder(upstream, { folder, cassette: 'k', ...more }, SPEC);
  const { url } = await mock.listen();
  return { mock, url, folder: join(folder, 'k') };
}

interface Recorder {
  readonly mock: Mock;
  readonly url: string;
  /** Of the cassette. */
  readonly folder: string;
}

/** Replays a cassette without an upstream. */
async function replay(folder: string): Promise<string> {
  return (await (await openReplay(folder, SPEC)).listen()).url;
}

/** A server that answers every request with these bytes and then closes the connection. */
async function startRaw(answer: string): Promise<string> {
  const server = createServer((socket) => {
    let received = '';
    socket.on('error', () => undefined);
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1');
      if (received.includes('\r\n\r\n')) socket.end(Buffer.from(answer, 'latin1'));
    });
  });
  return serveInTest(server);
}

function whole(headers: string, body: string): string {
  return `HTTP/1.1 200 OK\r\n${headers}Content-Length: ${body.length}\r\n\r\n${body}`;
}

const JSON_TYPE = 'Content-Type: application/json\r\n';
const DEEP = '['.repeat(3000) + ']'.repeat(3000);

describe('an upstream that answers anything', () => {
  it.each<readonly [string, string, Partial<Seen>]>([
    [
      'a file name in Latin-1',
      whole('Content-Type: text/plain\r\nContent-Disposition: attachment; filename="na\xefve.txt"\r\n', 'ok'),
      { headers: { 'content-disposition': 'attachment; filename="na\xefve.txt"' }, body: 'ok' },
    ],
    [
      'a field in UTF-8',
      whole(`Content-Type: text/plain\r\nX-Name: ${Buffer.from('Zürich 東京').toString('latin1')}\r\n`, 'ok'),
      { headers: { 'x-name': Buffer.from('Zürich 東京').toString('latin1') } },
    ],
    ['a control character of Latin-1', whole('X-Name: a\x80\x9fb\r\n', 'ok'), { headers: { 'x-name': 'a\x80\x9fb' } }],
    [
      'a field in UTF-8 before a stream',
      `HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nX-Name: \xc3\xbc\r\n\r\ndata: 1\n\n`,
      { headers: { 'x-name': '\xc3\xbc' }, body: 'data: 1\n\n' },
    ],
    ['a reason phrase', 'HTTP/1.1 200 Fine By Me\r\nContent-Length: 0\r\n\r\n', { reason: 'Fine By Me' }],
    ['a status without a name', 'HTTP/1.1 299 Odd\r\nContent-Length: 2\r\n\r\nok', { status: 299, reason: 'Odd' }],
    ['an empty reason phrase', 'HTTP/1.1 299 \r\nContent-Length: 2\r\n\r\nok', { status: 299, body: 'ok' }],
    ['a status above 599', 'HTTP/1.1 777 Lucky\r\nContent-Length: 2\r\n\r\nok', { status: 777, reason: 'Lucky' }],
    [
      'no content with a media type',
      `HTTP/1.1 204 No Content\r\n${JSON_TYPE}X-A: b\r\n\r\n`,
      { status: 204, headers: { 'content-type': 'application/json', 'x-a': 'b' }, body: '' },
    ],
    [
      'an empty body with a media type',
      `HTTP/1.1 200 OK\r\n${JSON_TYPE}Content-Length: 0\r\n\r\n`,
      { headers: { 'content-type': 'application/json', 'content-length': '0' }, body: '' },
    ],
    ['deep JSON', whole(JSON_TYPE, DEEP), { body: DEEP }],
    ['JSON that is not UTF-8', whole(JSON_TYPE, '"\xff\xfe"'), { body: '"\xff\xfe"' }],
    ['JSON with spaces', whole(JSON_TYPE, '{ "a" : 1.0,\n "b":[ ] }\n\n'), { body: '{ "a" : 1.0,\n "b":[ ] }\n\n' }],
    ['JSON with a repeated name', whole(JSON_TYPE, '{"a":1,"a":2}'), { body: '{"a":1,"a":2}' }],
    ['JSON with escapes', whole(JSON_TYPE, '{"a":"\\u00e9\\/"}'), { body: '{"a":"\\u00e9\\/"}' }],
    ['JSON that is not JSON', whole(JSON_TYPE, '{"a":'), { body: '{"a":' }],
    ['a media type that is none', whole('Content-Type: ;;;\r\n', 'ok'), { headers: { 'content-type': ';;;' } }],
    ['names of inherited members', whole('constructor: y\r\n', 'ok'), { headers: { constructor: 'y' } }],
    [
      'events with other line ends, and without the last one',
      whole('Content-Type: text/event-stream\r\n', ':hi\r\ndata:a\r\n\r\nid: 1\ndata: b\n\nrest'),
      { body: ':hi\r\ndata:a\r\n\r\nid: 1\ndata: b\n\nrest' },
    ],
    ['a text that breaks', 'HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\npart', { body: 'part', isWhole: false }],
    [
      'JSON that breaks',
      `HTTP/1.1 200 OK\r\n${JSON_TYPE}Transfer-Encoding: chunked\r\n\r\n5\r\n{"a":\r\n`,
      { body: '{"a":', isWhole: false },
    ],
  ])('is recorded and replayed as it was: %s', async (_name, answer, expected) => {
    const { mock, url, folder } = await record(await startRaw(answer));
    const recorded = await read(`${url}/a/1`);
    expect(recorded).toMatchObject({ isWhole: true, status: 200, ...expected });
    await mock.close();
    expect(mock.recordings?.failures).toEqual([]);
    expect(await read(`${await replay(folder)}/a/1`)).toMatchObject({ isWhole: true, status: 200, ...expected });
  });

  it.each<readonly [string, (bytes: Buffer) => Buffer]>([
    ['identity', (bytes) => bytes],
    ['gzip', (bytes) => gzipSync(bytes)],
    ['br', (bytes) => brotliCompressSync(bytes)],
    ['deflate', (bytes) => deflateSync(bytes)],
    ['deflate', (bytes) => deflateRawSync(bytes)],
  ])('ends the connection of the client where a large answer breaks: %s', async (coding, code) => {
    const bytes = code(Buffer.from(JSON.stringify('a'.repeat(200_000)))).toString('latin1');
    const fields = `${JSON_TYPE}Content-Encoding: ${coding}\r\nContent-Length: ${bytes.length + 1}\r\n`;
    const { url } = await record(await startRaw(`HTTP/1.1 200 OK\r\n${fields}\r\n${bytes}`));
    expect(await read(`${url}/a/1`)).toMatchObject({ status: 200, isWhole: false });
  });

  it('is passed on, and reported, if the coding of its content is unknown', async () => {
    const errors: MockError[] = [];
    const upstream = await startRaw(whole(`${JSON_TYPE}Content-Encoding: zstd\r\n`, 'ok'));
    const { mock, url } = await record(upstream, { onFailure: (error) => errors.push(error) });
    expect(await read(`${url}/a/1`)).toMatchObject({
      status: 200,
      body: 'ok',
      headers: { 'content-encoding': 'zstd' },
    });
    expect(errors.map(String)).toEqual([
      'RECORDING_FAILED  GET /a/1 was not recorded: its content coding is unknown or broken, so that it cannot be redacted\n' +
        '  hint: the client got the answer of the upstream; let the client accept gzip, br, deflate or no coding',
    ]);
    expect(mock.recordings?.failures).toEqual(errors);
  });

  it('is reported with the coding of the request, if that is unknown', async () => {
    const errors: MockError[] = [];
    const { mock } = await record(await startRaw(whole(JSON_TYPE, '{}')), { onFailure: (error) => errors.push(error) });
    const headers = { 'content-encoding': 'snappy', 'content-type': 'application/x-protobuf' };
    await (await mock.fetch('/a/1', { method: 'POST', headers, body: 'x' })).text();
    expect(errors.map(String)).toEqual([
      'RECORDING_FAILED  POST /a/1 was not recorded: the content coding "snappy" of its request is unknown or broken, so that it cannot be redacted\n' +
        '  hint: the client got the answer of the upstream; let the client send gzip, br, deflate or no coding',
    ]);
  });

  it('gets the body of a GET', async () => {
    const bodies: string[] = [];
    const server = await startServer(async (request, respond) => {
      bodies.push(await readAll(request));
      respond(200, '{}');
    });
    const { mock, url, folder } = await record(server);
    await read(`${url}/a/1`, { body: '{"query":{}}' });
    await mock.close();
    expect(bodies).toEqual(['{"query":{}}']);
    expect(loadCassette(folder).exchanges[0]?.request.bodyText).toBe('{"query":{}}');
    const again = await replay(folder);
    expect(await read(`${again}/a/1`, { body: '{"query":{}}' })).toMatchObject({ status: 200 });
    expect(await read(`${again}/a/1`, { body: '{"query":1}' })).toMatchObject({ status: 501 });
  });
});

describe('a response without an end', () => {
  it('reaches the client while it arrives; when the client leaves, what came is recorded and the upstream is left', async () => {
    const upstream = await startWatch();
    const { mock, url, folder } = await record(upstream.url);
    const message = await open(`${url}/a/watch`);
    expect(await readSome(message, '{"n":2}\n')).toBe('{"n":1}\n{"n":2}\n');
    message.destroy();
    await upstream.left;
    await waitFor(() => loadCassette(folder).exchanges.length === 1);
    await mock.close();
    expect(loadCassette(folder).exchanges[0]?.response).toMatchObject({
      cut: 'client',
      bodyText: '{"n":1}\n{"n":2}\n',
    });
    const again = await read(`${await replay(folder)}/a/watch`);
    expect(again).toMatchObject({ status: 200, body: '{"n":1}\n{"n":2}\n', isWhole: false });
  });

  it('is recorded with what came when the recorder is stopped', async () => {
    const { mock, url, folder } = await record((await startWatch()).url);
    const message = await open(`${url}/a/watch`);
    message.on('error', () => undefined);
    await readSome(message, '{"n":2}\n');
    await mock.close();
    expect(loadCassette(folder).exchanges[0]?.response).toMatchObject({
      cut: 'recorder',
      bodyText: '{"n":1}\n{"n":2}\n',
    });
  });
});

describe('a large body', () => {
  const SIZE = 200 * 1024 * 1024;

  it.skipIf(!existsSync('/proc/self/status'))(
    'costs little memory, both ways, recorded and replayed',
    async () => {
      const chunk = randomBytes(65_536);
      const server = await startServer(async (request, respond, response) => {
        if (request.method === 'POST') {
          let size = 0;
          request.on('data', (bytes: Buffer) => (size += bytes.byteLength));
          await once(request, 'end');
          respond(200, JSON.stringify({ size }));
          return;
        }
        response.writeHead(200, { 'content-type': 'application/octet-stream', 'content-length': SIZE });
        for (let sent = 0; sent < SIZE; sent += chunk.byteLength) {
          if (!response.write(chunk)) await once(response, 'drain');
        }
        response.end();
      });
      const folder = createFolder();
      writeFileSync(join(folder, 'spec.json'), JSON.stringify(SPEC));
      const spec = [join(folder, 'spec.json'), '--recordings', folder];
      /** Whether bytes of the body at a place are those that were sent: the same part again and again. */
      const isSent = (bytes: Buffer, from: number): boolean => {
        const at = from % chunk.byteLength;
        const expected = chunk.subarray(at, at + bytes.byteLength);
        if (!bytes.subarray(0, expected.byteLength).equals(expected)) return false;
        const rest = bytes.subarray(expected.byteLength);
        return rest.byteLength === 0 || isSent(rest, from + expected.byteLength);
      };
      for (const command of [
        ['record', ...spec, '--upstream', server],
        ['replay', ...spec],
      ]) {
        const vouch = startProgram([...command, '-p', '0', '--json', '--quiet']);
        onTestFinished(() => void vouch.end('SIGKILL'));
        const url = await vouch.listening();
        const { pid = 0 } = vouch.process;
        const idle = readMemory(pid, 'VmRSS');
        let received = 0;
        let isSame = true;
        const message = await open(`${url}/a/big`);
        message.on('data', (bytes: Buffer) => {
          isSame &&= isSent(bytes, received);
          received += bytes.byteLength;
        });
        await once(message, 'end');
        expect([isSame, received]).toEqual([true, SIZE]);
        const sending = httpRequest(`${url}/a/big`, { method: 'POST', headers: { 'content-length': SIZE } });
        const answered = once(sending, 'response') as Promise<[IncomingMessage]>;
        for (let sent = 0; sent < SIZE; sent += chunk.byteLength) {
          if (!sending.write(chunk)) await once(sending, 'drain');
        }
        sending.end();
        const [answer] = await answered;
        expect(await readAll(answer)).toBe(JSON.stringify({ size: SIZE }));
        // Each of the two bodies would take all of its size; 40 to 60 MiB were measured with Node.js 20, 75 to 130 with 24.
        expect(readMemory(pid, 'VmHWM') - idle).toBeLessThan((SIZE / 1024) * 0.8);
        expect(await vouch.end('SIGTERM')).toBe(0);
      }
    },
    120_000,
  );

  it('has its secrets replaced while it is written, also across the parts in which it is read', async () => {
    const line = `${'x'.repeat(1021)},\n`;
    const secret = 'ghp_0123456789abcdefghijABCDEFGHIJ456789';
    const text = Array.from({ length: 3000 }, (_, i) =>
      i % 7 === 0 ? `${'y'.repeat(i % 1000)} ${secret}\n` : line,
    ).join('');
    const server = await startServer(async (_request, respond) => respond(200, text, 'text/plain'));
    const { mock, url, folder } = await record(server);
    expect(await read(`${url}/a/big`)).toMatchObject({ body: text });
    await mock.close();
    const file = readFileSync(join(folder, 'bodies', '0001.bin'), 'utf8');
    expect(file).not.toContain(secret.slice(0, 12));
    expect(file.replaceAll(/ghp_\w*REDACTED\d+/g, secret)).toBe(text);
    expect(Object.values(loadCassette(folder).manifest.redacted)).toEqual(['pattern:github']);
  });
});

describe('what cannot be recorded', () => {
  it('is reported, and the client gets the answer', async () => {
    const errors: MockError[] = [];
    const server = await startServer(async (_request, respond) => respond(200, '{}'));
    const { url, folder } = await record(server, { onFailure: (error) => errors.push(error) });
    rmSync(folder, { recursive: true });
    writeFileSync(folder, 'no folder any more');
    expect(await read(`${url}/a/1`)).toMatchObject({ status: 200, body: '{}' });
    expect(errors).toHaveLength(1);
    expect(errors[0]).toMatchObject({
      code: 'RECORDING_FAILED',
      hint: 'the client got the answer of the upstream; correct the cause and record again',
    });
  });

  it('is a folder that is a file', async () => {
    const folder = createFolder();
    writeFileSync(join(folder, 'k'), 'not a folder');
    const recording = openRecorder('http://127.0.0.1:1', { folder, cassette: 'k' }, SPEC);
    await expect(recording).rejects.toMatchObject({ code: 'RECORDING_UNWRITABLE' });
  });

  it('is a cassette that another recorder has locked, unless its process is dead', async () => {
    const server = await startServer(async (_request, respond) => respond(200, '{}'));
    const { mock, folder } = await record(server);
    const open = (): Promise<Mock> => openRecorder(server, { folder: join(folder, '..'), cassette: 'k' }, SPEC);
    await expect(open()).rejects.toMatchObject({ code: 'RECORDING_LOCKED' });
    await mock.close();
    const lock = join(folder, '.lock');
    expect(existsSync(lock)).toBe(false);
    // The parent process of the test lives as long as the test.
    writeFileSync(lock, JSON.stringify({ pid: process.ppid, host: hostname() }));
    await expect(open()).rejects.toMatchObject({
      code: 'RECORDING_LOCKED',
      reason: `process ${process.ppid} on ${hostname()} records to this cassette`,
    });
    const dead = spawn(process.execPath, ['-e', '']);
    await once(dead, 'exit');
    writeFileSync(lock, JSON.stringify({ pid: dead.pid, host: hostname() }));
    await open();
  });

  it('is what a second mock forwards that extends the same cassette; it replays the rest', async () => {
    const server = await startServer(async (_request, respond) => respond(200, '{}'));
    const { mock, url, folder } = await record(server);
    await read(`${url}/a/1`);
    await mock.close();
    const recordings = { folder: join(folder, '..'), cassette: 'k', mode: 'record-missing' } as const;
    const [first, second] = [
      await openRecorder(server, recordings, SPEC),
      await openRecorder(server, recordings, SPEC),
    ];
    expect(first.recordings?.warnings).toEqual([]);
    expect(second.recordings?.warnings).toEqual([
      'cassette "k": another mock of this process records to this cassette: calls without a recording are forwarded, and not recorded',
    ]);
    for (const each of [first, second]) {
      const response = await each.fetch('/a/1');
      expect(response.headers.get('x-mock-source')).toMatch(/^replay:0001/);
    }
    expect((await second.fetch('/a/2')).status).toBe(200);
    expect(second.recordings?.failures.map(({ code }) => code)).toEqual(['RECORDING_LOCKED']);
    expect((await first.fetch('/a/2')).status).toBe(200);
    expect(first.recordings?.failures).toEqual([]);
    expect(loadCassette(folder).exchanges).toHaveLength(2);
  });

  it('is an exchange that was edited wrongly, and no other one', async () => {
    const server = await startServer(async (_request, respond) => respond(200, '{}'));
    const { mock, url, folder } = await record(server);
    for (const name of ['1', '2']) await read(`${url}/a/${name}`);
    await mock.close();
    const first = readdirSync(folder).find((name) => name.startsWith('0001')) ?? '';
    writeFileSync(join(folder, first), '{ "status": 1000');
    const replaying = await openReplay(folder, SPEC);
    expect(replaying.recordings?.warnings).toEqual([expect.stringContaining(first)]);
    expect((await replaying.fetch('/a/2')).status).toBe(200);
    expect((await replaying.fetch('/a/1')).status).toBe(501);
  });
});

type Respond = (status: number, body: string, mediaType?: string) => void;

async function startServer(
  answer: (request: IncomingMessage, respond: Respond, response: ServerResponse) => Promise<void>,
): Promise<string> {
  const server = createHttpServer((request, response) => {
    const respond: Respond = (status, body, mediaType = 'application/json') => {
      const head = { 'content-type': mediaType, 'content-length': Buffer.byteLength(body) };
      response.writeHead(status, head).end(body);
    };
    void answer(request, respond, response);
  });
  return serveInTest(server);
}

/** A server whose answer goes on: two objects, then nothing more until the client leaves. */
async function startWatch(): Promise<{ readonly url: string; readonly left: Promise<void> }> {
  let leave = (): void => undefined;
  const left = new Promise<void>((resolve) => (leave = resolve));
  const url = await startServer(async (_request, _respond, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.write('{"n":1}\n');
    response.write('{"n":2}\n');
    response.once('close', leave);
  });
  return { url, left };
}

async function open(url: string): Promise<IncomingMessage> {
  const [message] = (await once(get(url, { agent: false }), 'response')) as [IncomingMessage];
  return message;
}

/** Reads until a text came. */
function readSome(message: IncomingMessage, end: string): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    message.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      if (text.endsWith(end)) resolve(text);
    });
  });
}

async function readAll(message: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of message) text += String(chunk);
  return text;
}

async function waitFor(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise((resolve) => setImmediate(resolve));
}

/** KiB, from `/proc`: the memory now (`VmRSS`), or the highest so far (`VmHWM`). */
function readMemory(pid: number, name: string): number {
  const line = readFileSync(`/proc/${pid}/status`, 'utf8')
    .split('\n')
    .find((each) => each.startsWith(name));
  return Number.parseInt(line?.split(':')[1] ?? '', 10);
}
