// @module-tag slow
// Limits of bodies hold for what is decoded, and for the elements of JSON before it is parsed.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, deflateRawSync, deflateSync, gunzipSync, gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import type { Mock } from '../../src/index.js';
import { type Cassette, loadCassette } from '../../src/features/recording/cassette/cassette.js';
import { object, TEXT, content, arrayOf, toDocument } from '../document-parts.js';
import { createFolder } from '../folders.js';
import { openRecorder, replay } from './recorded.js';
import { startUpstream } from './upstream.js';

const CONTENT = content(arrayOf(object({ name: TEXT, password: TEXT })));
const FILE = { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } };
const SPEC = toDocument({
  '/users': {
    get: { operationId: 'listUsers', responses: { 200: { description: 'ok', content: CONTENT } } },
    post: {
      operationId: 'addUsers',
      requestBody: { content: CONTENT },
      responses: { 200: { description: 'ok', content: CONTENT } },
    },
  },
  '/file': { get: { operationId: 'readFile', responses: { 200: { description: 'ok', content: FILE } } } },
});

const SECRET = 'hunter2hunter2';

/** A list of users of more than 2 MiB that compresses to a few KiB. */
const LARGE = JSON.stringify(Array.from({ length: 40_000 }, () => ({ name: 'user'.repeat(10), password: SECRET })));

/** A list of so many empty objects, and a user. */
const many = (count: number): string => `[${'{},'.repeat(count)}{"name":"a","password":"${SECRET}"}]`;

interface Recorded {
  readonly mock: Mock;
  readonly folder: string;
  /** What the upstream got. */
  readonly seen: readonly { readonly body: Buffer }[];
  finish(): Promise<Cassette>;
}

async function record(body: Buffer | string, headers: Readonly<Record<string, string>> = {}): Promise<Recorded> {
  const { origin, seen } = await startUpstream({
    intercept: ({ url }, response) => {
      const type = url === '/file' ? 'application/octet-stream' : 'application/json';
      response.writeHead(200, { 'content-type': type, ...headers }).end(body);
      return true;
    },
  });
  const root = createFolder();
  const folder = join(root, 'k');
  const mock = await openRecorder(origin, { folder: root, cassette: 'k' }, SPEC);
  const finish = async (): Promise<Cassette> => {
    await mock.close();
    return loadCassette(folder);
  };
  return { mock, folder, seen, finish };
}

const readBytes = async (response: Response): Promise<Buffer> => Buffer.from(await response.arrayBuffer());
const listNotes = (mock: Mock): readonly string[] =>
  mock.journal.interactions.flatMap(({ violations }) => violations.map(({ severity, code }) => `${severity} ${code}`));

it.each([
  ['gzip', gzipSync(LARGE)],
  ['br', brotliCompressSync(LARGE)],
  ['deflate', deflateSync(LARGE)],
  ['deflate', deflateRawSync(LARGE)],
  ['gzip, gzip', gzipSync(gzipSync(LARGE))],
])(
  'a small answer in %s that is large when decoded is passed on, and recorded in a file without its secrets',
  async (coding, body) => {
    const { mock, folder, finish } = await record(body, { 'content-encoding': coding });
    const answer = await mock.fetch('/users', { headers: { 'accept-encoding': coding } });
    const passedOn = await readBytes(answer);
    expect(passedOn.equals(body) || passedOn.toString() === LARGE).toBe(true);
    expect(listNotes(mock)).toEqual(['note BODY_UNCHECKED']);
    const trace = mock.journal.interactions[0]?.trace.join('\n');
    expect(trace).toContain('recorded without a readable form: the body has more than 2097152 bytes');
    const { exchanges } = await finish();
    expect(exchanges[0]?.response).toMatchObject({
      bodyFile: 'bodies/0001.bin',
      bodyNote: 'the body has more than 2097152 bytes',
    });
    const written = readFileSync(join(folder, 'bodies/0001.bin'), 'utf8');
    expect(JSON.parse(written)).toHaveLength(40_000);
    expect(written).not.toContain(SECRET);
    const again = await replay(folder, SPEC);
    expect(await (await again.fetch('/users')).text()).toBe(written);
    expect(listNotes(again)).toEqual(['note BODY_UNCHECKED']);
  },
);

it('JSON with too many elements is recorded as text, without its secrets, and replayed', async () => {
  const { mock, folder, finish } = await record(many(200_000));
  expect(await (await mock.fetch('/users')).text()).toBe(many(200_000));
  const { exchanges } = await finish();
  expect(exchanges[0]?.response).toMatchObject({ bodyNote: 'the body has more than 200000 elements' });
  const again = await replay(folder, SPEC);
  const text = await (await again.fetch('/users')).text();
  expect(text).toMatch(/\{\},\{"name":"a","password":"[^"]*REDACTED/);
  expect(text).not.toContain(SECRET);
});

it('JSON with fewer elements is read, and checked', async () => {
  const { mock, finish } = await record(gzipSync('[{"name":1}]'), { 'content-encoding': 'gzip' });
  await readBytes(await mock.fetch('/users', { headers: { 'accept-encoding': 'gzip' } }));
  expect(listNotes(mock)).toEqual(['error TYPE']);
  expect((await finish()).exchanges[0]?.response).toMatchObject({ body: [{ name: 1 }] });
});

it('an answer that expands beyond the largest file is passed on, and not recorded with the reason', async () => {
  const body = gzipSync(gzipSync(Buffer.alloc(270_000_000)));
  const { mock, finish } = await record(body, { 'content-encoding': 'gzip, gzip' });
  const answer = await mock.fetch('/file', { headers: { 'accept-encoding': 'gzip' } });
  expect((await readBytes(answer)).equals(body)).toBe(true);
  expect(mock.recordings?.failures.map(({ reason }) => reason)).toEqual([
    'an exchange was not recorded: its body has more than 268435456 bytes when it is decoded',
  ]);
  expect((await finish()).exchanges).toEqual([]);
});

it('content with more codings than a client uses is not decoded', async () => {
  const codings = 5;
  const body = Array.from({ length: codings }).reduce<Buffer>((bytes) => gzipSync(bytes), Buffer.from('[]'));
  const { mock } = await record(body, { 'content-encoding': Array(codings).fill('gzip').join(', ') });
  expect((await readBytes(await mock.fetch('/users'))).equals(body)).toBe(true);
  expect(mock.recordings?.failures).toHaveLength(1);
});

it('a small request that is large when decoded is passed on unchanged, and replayed', async () => {
  const { mock, folder, seen, finish } = await record('[]');
  const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
  const send = (to: Mock, text: string): Promise<Response> =>
    to.fetch('/users', { method: 'POST', headers, body: gzipSync(text) });
  expect((await send(mock, LARGE)).status).toBe(200);
  expect((await send(mock, many(210_000))).status).toBe(200);
  expect(gunzipSync(seen[0]?.body ?? '').toString()).toBe(LARGE);
  expect(listNotes(mock)).toEqual(['note BODY_TOO_LARGE']);
  await finish();
  expect(readFileSync(join(folder, 'bodies/0001.request.bin'), 'utf8')).not.toContain(SECRET);
  const again = await replay(folder, SPEC);
  expect((await send(again, LARGE)).status).toBe(200);
  expect((await send(again, many(210_000))).status).toBe(200);
  expect((await send(again, many(200_001))).status).toBe(501);
});
