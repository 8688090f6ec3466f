// Issue 14: what is compiled is kept for the next start, by the command alone.
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import module from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, it } from 'vitest';

const run = promisify(execFile);

const folder = mkdtempSync(join(tmpdir(), 'vouch-compile-cache-'));
mkdirSync(join(folder, 'node_modules'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const KEPT = join(folder, 'node_modules', '.cache', 'vouch', 'code');

it('a program that imports the package keeps no compiled code', async () => {
  const program = `await import(${JSON.stringify(resolve('dist/index.js'))})`;
  await run(process.execPath, ['--input-type=module', '--eval', program], { cwd: folder });
  expect(existsSync(KEPT)).toBe(false);
});

it('the command keeps compiled code with the other caches where Node.js can', async () => {
  await run(process.execPath, [resolve('dist/cli/main.js'), 'explain', 'OPTION_INVALID'], { cwd: folder });
  expect(existsSync(KEPT)).toBe('enableCompileCache' in module);
});
