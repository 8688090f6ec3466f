// Issue 37: the command sent the UTF-8 bytes of generated text encoded a second time.
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createMock } from '../../src/index.js';
import { runProgram } from './run-program.js';

const text = { type: 'string' };
const PERSON = {
  type: 'object',
  required: ['last_name', 'city', 'code'],
  properties: { last_name: text, city: text, code: { type: 'string', pattern: '^[^\\x00-\\x7f]{12}$' } },
};
const PEOPLE = { type: 'array', minItems: 60, items: PERSON };
const SPEC = {
  openapi: '3.1.0',
  info: { title: 'People', version: '1' },
  paths: {
    '/people': {
      get: { responses: { 200: { description: 'ok', content: { 'application/json': { schema: PEOPLE } } } } },
    },
  },
};

let folder = '';
let spec = '';

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vouch-text-'));
  spec = join(folder, 'openapi.json');
  writeFileSync(spec, JSON.stringify(SPEC));
});

afterAll(() => rmSync(folder, { recursive: true }));

async function readBytes(response: Response): Promise<string> {
  return Buffer.from(await response.arrayBuffer()).toString('latin1');
}

it('generated text has the same UTF-8 bytes in-process, over a socket and from the command', async () => {
  const mock = await createMock({ spec });
  const inProcess = await readBytes(await mock.fetch('/people'));
  const server = await mock.listen();
  const overSocket = await readBytes(await fetch(`${server.url}/people`));
  await server.close();
  await mock.close();
  let fromCommand = '';
  await runProgram(['serve', spec, '--port', '0', '--quiet'], {
    cwd: folder,
    whenListening: async ({ url }) => void (fromCommand = await readBytes(await fetch(`${url}/people`))),
  });
  for (const name of ['Ekström', 'Zürich']) expect(inProcess).toContain(Buffer.from(name).toString('latin1'));
  expect(overSocket).toBe(inProcess);
  expect(fromCommand).toBe(inProcess);
});

it('the built files are UTF-8, and none has text that was encoded twice', () => {
  // A character of two or three bytes, each read as one of latin1 or of windows-1252.
  const twice = /[\u00c2-\u00df][\u0080-\u00bf]|[\u00e0-\u00ef][\u0080-\u00bf]{2}|â€|\ufffd\ufffd/u;
  const names = readdirSync('dist', { recursive: true, encoding: 'utf8' }).filter((name) =>
    /\.[cm]?[jt]s$/u.test(name),
  );
  const built = names.map((name) => ({ name, text: decode(readFileSync(join('dist', name))) }));
  expect(built.filter(({ text: code }) => twice.test(code)).map(({ name }) => name)).toEqual([]);
  expect(built.filter(({ text: code }) => code.includes('Ekström')).length).toBeGreaterThan(0);
});

function decode(bytes: Uint8Array): string {
  return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
}
