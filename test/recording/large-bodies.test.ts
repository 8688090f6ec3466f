// Bodies that are too large for memory go to temporary files, and their secrets are found by name and schema too.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Mock } from '../../src/index.js';
import { loadCassette } from '../../src/features/recording/cassette/cassette.js';
import type { RecordingOptions } from '../../src/features/recording/recordings.js';
import { createJsonFilter } from '../../src/features/recording/redaction/redact-stream.js';
import { createSecretRules } from '../../src/features/recording/redaction/secret-rules.js';
import { createSecretWalk } from '../../src/features/recording/redaction/secret-walk.js';
import { loadParts } from './contract.js';
import { createFolder } from '../folders.js';
import { openRecorder, replay } from './recorded.js';
import { type Intercept, reply, startUpstream } from './upstream.js';
import { object, TEXT, content, arrayOf, toDocument } from '../document-parts.js';

const USER = object({ handle: { type: 'string', 'x-sensitive': true }, name: TEXT });
const CONTENT = content(arrayOf(USER));
const SPEC = toDocument(
  {
    '/users': {
      get: { operationId: 'listUsers', responses: { 200: { description: 'ok', content: CONTENT } } },
      post: {
        operationId: 'addUsers',
        requestBody: { content: CONTENT },
        responses: { 200: { description: 'ok', content: { 'application/json': {} } } },
      },
    },
  },
  {},
  { servers: [{ url: '/' }] },
);

const SIZE = 2_200_000;

/** A list of users of more than 2 MiB: each has a password, a number as its pin, and a handle that the contract marks. */
function writeUsers(count = 3000): string {
  const users = Array.from({ length: count }, (_, i) => ({
    name: `user ${i} ${'"\\ü\n'.repeat(i % 250)}`,
    password: `word ${i % 7} of "seven"`.replaceAll(' ', '_'),
    pin: 100_000 + (i % 5),
    handle: `h${i % 3}`,
    settings: [
      { name: 'DB_PASSWORD', value: `postgres${i % 2}` },
      { name: 'SIZE', value: 'large' },
    ],
  }));
  return JSON.stringify(users, null, 1);
}

type User = Readonly<Record<string, unknown>>;

/** Whether a user has its name and the placeholders of everything else. */
function isRedacted({ name, password, pin, handle, settings }: User, original: User | undefined): boolean {
  const [secret, size] = settings as readonly { readonly value: string }[];
  return (
    name === original?.['name'] &&
    /REDACTED/.test(String(password)) &&
    pin !== original?.['pin'] &&
    !/^h\d$/.test(String(handle)) &&
    /REDACTED/.test(secret?.value ?? '') &&
    size?.value === 'large'
  );
}

async function start(body: string): Promise<string> {
  const headers = { 'content-type': 'application/json' };
  const intercept: Intercept = (...seen) => reply(200, headers, seen[0].method === 'GET' ? body : '{}')(...seen);
  return (await startUpstream({ intercept })).origin;
}

async function record(upstream: string, more: Partial<RecordingOptions> = {}): Promise<Mock & { folder: string }> {
  const folder = createFolder();
  const mock = await openRecorder(upstream, { folder, cassette: 'k', ...more }, SPEC);
  return Object.assign(mock, { folder: join(folder, 'k') });
}

const post = (body: string): RequestInit => ({ method: 'POST', body, headers: { 'content-type': 'application/json' } });

describe('a body of more than 2 MiB', () => {
  it(
    'has the secrets replaced that names, pairs and the contract mark, in requests and responses',
    { tags: 'slow' },
    async () => {
      const text = writeUsers();
      expect(text.length).toBeGreaterThan(SIZE);
      const mock = await record(await start(text));
      expect(await (await mock.fetch('/users')).text()).toBe(text);
      expect((await mock.fetch('/users', post(text))).status).toBe(200);
      await mock.close();
      for (const file of ['0001.bin', '0002.request.bin']) {
        const written = readFileSync(join(mock.folder, 'bodies', file), 'utf8');
        const users = JSON.parse(written) as readonly User[];
        const originals = JSON.parse(text) as readonly User[];
        expect(users).toHaveLength(originals.length);
        // Comparing each one by itself would take most of the time.
        const wrong = users.filter((user, i) => !isRedacted(user, originals[i]));
        expect(wrong.slice(0, 3)).toEqual([]);
        // The same secret has the same placeholder.
        expect(new Set(users.map(({ password }) => password)).size).toBe(7);
      }
      const { redacted } = loadCassette(mock.folder).manifest;
      expect(new Set(Object.values(redacted))).toEqual(
        new Set(['key:password', 'key:pin', 'schema:x-sensitive', 'key:DB_PASSWORD']),
      );
    },
  );

  it('leaves no temporary file, recorded or not', { tags: 'slow' }, async () => {
    const temporary = createFolder();
    vi.stubEnv('TMPDIR', temporary);
    onTestFinished(() => void vi.unstubAllEnvs());
    const text = JSON.stringify('x'.repeat(SIZE));
    const upstream = await start(text);
    const mocks = [
      await record(upstream),
      await record(upstream, { exclude: { operations: ['addUsers', 'listUsers'] } }),
    ];
    for (const mock of mocks) {
      const { baseUrl } = await mock.listen();
      expect((await (await fetch(`${baseUrl}/users`)).text()).length).toBe(text.length);
      await (await fetch(`${baseUrl}/users`, post(text))).text();
      await (await mock.fetch('/users', post(text))).text();
    }
    const list = (): readonly string[] =>
      readdirSync(temporary, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.tmp'));
    // The file is removed after the answer.
    while (list().length > 0) await new Promise((resolve) => setImmediate(resolve));
    expect(loadCassette(mocks[0]?.folder ?? '').exchanges).toHaveLength(3);
    await Promise.all(mocks.map((mock) => mock.close()));
    expect(
      existsSync(join(mocks[1]?.folder ?? '', 'bodies')) && readdirSync(join(mocks[1]?.folder ?? '', 'bodies')),
    ).toEqual([]);
  });
});

const LONG = 'y'.repeat(70_000);
it.each<readonly [string, string, string]>([
  [
    'names',
    '{"password" : "a","x":"password","n":{"secret":["b","c"]}}',
    '{"password" : "#","x":"password","n":{"secret":["#","#"]}}',
  ],
  [
    'escapes',
    '{"p\\u0061ss":"a\\"b\\\\","text":"\\"pin\\":\\"1234\\""}',
    '{"p\\u0061ss":"#","text":"\\"pin\\":\\"1234\\""}',
  ],
  [
    'numbers and literals',
    '[{"pin":1234,"otp":12, "pwd":true,"pass":null}]',
    '[{"pin":"#","otp":12, "pwd":true,"pass":null}]',
  ],
  [
    'events',
    'data: {"token":"abc"}\n\ndata: it\'s "quoted {"\ndata: [{"pwd":"x"}]\n',
    'data: {"token":"#"}\n\ndata: it\'s "quoted {"\ndata: [{"pwd":"#"}]\n',
  ],
  ['lines of JSON', '{"pwd":"a"}\n{"pwd":"b"}\n', '{"pwd":"#"}\n{"pwd":"#"}\n'],
  ['the part that came of a body', '{"a":[1,{"pwd":"se', '{"a":[1,{"pwd":"#'],
  ['long strings', `{"pwd":"${LONG}","text":"${LONG}","pin":"a"}`, `{"pwd":"#","text":"${LONG}","pin":"#"}`],
  ['text that is not ASCII', '{"contraseña":"ü","pwd":"ü€"}', '{"contraseña":"ü","pwd":"#"}'],
])('the filter of JSON that is read in parts replaces the same in parts of any size: %s', async (_name, text, want) => {
  const { contract, validators } = await loadParts(SPEC);
  const walk = createSecretWalk(contract, validators, createSecretRules({}));
  const latin1 = Buffer.from(text).toString('latin1');
  for (const size of text.length > 1000 ? [1000, 65_536, 100_000] : [1, 2, 3, 7, 1000]) {
    const root = walk.root({ pointers: [], direction: 'response' });
    const filter = createJsonFilter(root, walk, (found, { rule }) => (rule === undefined ? found : '#'));
    let written = '';
    for (let at = 0; at < latin1.length; at += size) written += filter.write(latin1.slice(at, at + size));
    expect(Buffer.from(written + filter.end(), 'latin1').toString()).toBe(want);
  }
});

it('a compressed body of a request is recorded decoded and without its secrets, and matched by its content', async () => {
  const mock = await record(await start('{}'));
  const send = (to: Mock, password: string, coding: 'gzip' | 'br' | undefined): Promise<Response> => {
    const text = JSON.stringify([{ name: 'a', password }]);
    const body = coding === 'gzip' ? gzipSync(text) : coding === 'br' ? brotliCompressSync(text) : Buffer.from(text);
    const headers = new Headers({ 'content-type': 'application/json' });
    if (coding !== undefined) headers.set('content-encoding', coding);
    return to.fetch('/users', { method: 'POST', body, headers });
  };
  expect((await send(mock, 'plain-password', 'gzip')).status).toBe(200);
  await mock.close();
  const [exchange] = loadCassette(mock.folder).exchanges;
  expect(exchange?.request.headers).not.toHaveProperty('content-encoding');
  expect(exchange?.request.body).toEqual([{ name: 'a', password: expect.stringMatching(/REDACTED/) as unknown }]);
  const again = await replay(mock.folder, SPEC);
  expect((await send(again, 'another', 'br')).status).toBe(200);
  expect((await send(again, 'another', undefined)).status).toBe(200);
});
