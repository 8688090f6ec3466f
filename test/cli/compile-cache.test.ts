// @module-tag slow
// Issue 14: what is compiled is kept for the next start, by the command alone.
import { execFile } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { beforeEach, describe, expect, it } from 'vitest';
import { runProgram } from './run-program.js';
import { createSharedFolder } from '../folders.js';

const run = promisify(execFile);

const folder = createSharedFolder();
mkdirSync(join(folder, 'node_modules'));

const KEPT = join(folder, 'node_modules', '.cache', 'vouch', 'code');
const SPEC = resolve('spec/openapi.yaml');

beforeEach(() => rmSync(KEPT, { recursive: true, force: true }));

/** The files with compiled code. */
function listKept(): readonly string[] {
  return existsSync(KEPT) ? readdirSync(KEPT).filter((name) => name.startsWith('vouch-')) : [];
}

// `NODE_V8_COVERAGE` is set where the tests themselves are measured.
const ENV = { NODE_V8_COVERAGE: undefined, NODE_COMPILE_CACHE: undefined, NODE_DISABLE_COMPILE_CACHE: undefined };

function explain(env: Readonly<Record<string, string>> = {}): ReturnType<typeof runProgram> {
  return runProgram(['explain', 'OPTION_INVALID'], { cwd: folder, env: { ...ENV, ...env } });
}

it('a program that imports the package keeps no compiled code', async () => {
  const program = `await import(${JSON.stringify(resolve('dist/index.js'))})`;
  await run(process.execPath, ['--input-type=module', '--eval', program], { cwd: folder });
  expect(existsSync(KEPT)).toBe(false);
});

describe('the compiled code of the command', () => {
  it('is kept with the other caches, and read by the next process', async () => {
    const first = await explain();
    expect(listKept()).toEqual(['vouch-explain']);
    const path = join(KEPT, 'vouch-explain');
    const kept = statSync(path);
    expect(await explain()).toEqual(first);
    expect(statSync(path)).toMatchObject({ ino: kept.ino, mtimeMs: kept.mtimeMs });
  });

  it('is compiled again where the file is damaged', async () => {
    const first = await explain();
    const path = join(KEPT, 'vouch-explain');
    const bytes = readFileSync(path);
    for (const damaged of [
      Buffer.alloc(0),
      bytes.subarray(0, 5),
      bytes.subarray(0, -8),
      bytes.map((byte, i) => (i > 999 ? ~byte : byte)),
    ]) {
      writeFileSync(path, damaged);
      expect(await explain()).toEqual(first);
      expect(readFileSync(path).equals(damaged)).toBe(false);
      expect(readFileSync(path).length).toBeGreaterThan(bytes.length / 2);
    }
  });

  it('is one file per command, of the options of Node.js that ran last', async () => {
    const first = await explain();
    await runProgram(['types', SPEC], { cwd: folder, env: ENV });
    expect(listKept().toSorted()).toEqual(['vouch-explain', 'vouch-types']);
    const { ino } = statSync(join(KEPT, 'vouch-explain'));
    const others = { cwd: folder, env: ENV, node: ['--no-opt'] };
    expect(await runProgram(['explain', 'OPTION_INVALID'], others)).toEqual(first);
    expect(listKept()).toHaveLength(2);
    expect(statSync(join(KEPT, 'vouch-explain')).ino).not.toBe(ino);
  });

  it.each([
    ['where the user wants none', ['explain', 'OPTION_INVALID'], { NODE_DISABLE_COMPILE_CACHE: '1' }],
    [
      'while the coverage of code is measured',
      ['explain', 'OPTION_INVALID'],
      { NODE_V8_COVERAGE: join(folder, 'coverage') },
    ],
    ['by help', ['explain', '--help'], {}],
    ['by a command that ends with a mistake', ['explain', 'NO_SUCH_CODE'], {}],
  ])('is not kept %s', async (_, words, env) => {
    await runProgram(words, { cwd: folder, env: { ...ENV, ...env } });
    expect(listKept()).toEqual([]);
  });

  it('is kept in the folder that NODE_COMPILE_CACHE names', async () => {
    const other = join(folder, 'other');
    await explain({ NODE_COMPILE_CACHE: other });
    expect(listKept()).toEqual([]);
    expect(readdirSync(other).filter((name) => name.startsWith('vouch-'))).toHaveLength(1);
  });

  it('is that of a server when it ends, after its first requests', async () => {
    await runProgram(['serve', SPEC, '--port', '0', '--quiet'], {
      cwd: folder,
      env: ENV,
      whenListening: async ({ url }) => {
        expect((await fetch(`${url}/files`, { headers: { authorization: 'Bearer any' } })).status).toBe(404);
      },
    });
    expect(listKept()).toHaveLength(1);
  });
});

it('a configuration can have a contract that the package loaded as an ES module', async () => {
  symlinkSync(resolve('.'), join(folder, 'node_modules', 'vouch'));
  writeFileSync(
    join(folder, 'vouch.config.mjs'),
    `import { loadContract } from 'vouch';
    export default { spec: await loadContract(${JSON.stringify(SPEC)}, { prefix: '/api' }), port: 0 };`,
  );
  let status = 0;
  const { code, error } = await runProgram(['serve', '--quiet'], {
    cwd: folder,
    env: ENV,
    whenListening: async ({ url }) => {
      const { origin } = new URL(url);
      const headers = { authorization: 'Bearer any' };
      status = (await fetch(`${origin}/api/v1/organization/admin_api_keys`, { headers })).status;
    },
  });
  expect([code, error, status]).toEqual([0, '', 200]);
});
