// Issue 37: the command sent the UTF-8 bytes of generated text encoded a second time.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createMock } from '../../src/index.js';
import { runProgram } from './run-program.js';
import { createSharedFolder } from '../folders.js';
import { arrayOf, json, object, TEXT, toDocument } from '../document-parts.js';

const CODE = { type: 'string', pattern: '^[^\\x00-\\x7f]{12}$' };
const PERSON = object({ last_name: TEXT, city: TEXT, code: CODE }, 'last_name', 'city', 'code');
const PEOPLE = { ...arrayOf(PERSON), minItems: 60 };
const SPEC = toDocument({ '/people': { get: { responses: { 200: json(PEOPLE) } } } });

const folder = createSharedFolder({ 'openapi.json': JSON.stringify(SPEC) });
const spec = join(folder, 'openapi.json');

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
