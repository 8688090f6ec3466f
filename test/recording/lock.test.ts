// @module-tag slow
// Issue 12: of several recorders that start at the same time, one writes to a cassette.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'rolldown';
import { expect, it } from 'vitest';
import { lockCassette } from '../../src/features/recording/cassette/lock.js';
import { createFolder } from '../folders.js';

const PROCESSES = 6;
const CASSETTES = 60;

/** Locks each of many folders and keeps the locks; prints the names of those that it got. */
const PROGRAM = `
  import { lockCassette } from 'LOCK';
  import { once } from 'node:events';
  const [root, count] = process.argv.slice(1);
  process.stdout.write('ready\\n');
  await once(process.stdin, 'data');
  for (let i = 0; i < Number(count); i += 1) {
    try {
      lockCassette(root + '/' + i);
      process.stdout.write(i + '\\n');
    } catch (error) {
      if (error.code !== 'RECORDING_LOCKED') process.stdout.write(String(error) + '\\n');
    }
  }
  process.stdout.write('done\\n');
  await once(process.stdin, 'data');
  process.exit(0);
`;

/** The module of the lock as JavaScript; Node 20 reads no TypeScript. @returns its URL. */
async function buildLock(): Promise<string> {
  const file = join(createFolder(), 'lock.mjs');
  await build({
    input: 'src/features/recording/cassette/lock.ts',
    platform: 'node',
    logLevel: 'silent',
    output: { file },
  });
  return pathToFileURL(file).href;
}

/** The lines that each of several processes prints that lock the same folders at the same time. */
async function race(root: string): Promise<readonly string[]> {
  const program = PROGRAM.replace('LOCK', await buildLock());
  const children = Array.from({ length: PROCESSES }, () => {
    const child = spawn(process.execPath, ['--input-type=module', '-e', program, root, String(CASSETTES)]);
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
    child.stderr.pipe(process.stderr);
    const printed = async (line: string): Promise<void> => {
      while (!output.split('\n').includes(line)) await once(child.stdout, 'data');
    };
    return { child, printed, read: () => output };
  });
  await Promise.all(children.map(({ printed }) => printed('ready')));
  for (const { child } of children) child.stdin.write('go\n');
  await Promise.all(children.map(({ printed }) => printed('done')));
  // All of them live until each has tried every folder.
  const ended = children.map(({ child }) => once(child, 'exit'));
  for (const { child } of children) child.stdin.write('stop\n');
  await Promise.all(ended);
  return children
    .flatMap(({ read }) => read().trim().split('\n'))
    .filter((line) => line !== 'ready' && line !== 'done');
}

it('the lock of a cassette is got by one of several processes that start at the same time', async () => {
  const got = await race(createFolder());
  expect(got.map(Number).toSorted((x, y) => x - y)).toEqual(Array.from({ length: CASSETTES }, (_, i) => i));
});

it('the lock of a cassette is got by one of several processes that find the lock of a dead process', async () => {
  const root = createFolder();
  const dead = spawn(process.execPath, ['-e', '']);
  await once(dead, 'exit');
  for (let i = 0; i < CASSETTES; i += 1) {
    mkdirSync(join(root, String(i)));
    writeFileSync(join(root, String(i), '.lock'), JSON.stringify({ pid: dead.pid, host: hostname(), startedAt: 0 }));
  }
  const got = await race(root);
  expect(got.map(Number).toSorted((x, y) => x - y)).toEqual(Array.from({ length: CASSETTES }, (_, i) => i));
});

it('the lock of a cassette is respected while its file is being written, and kept by a recorder that took it over', () => {
  const folder = createFolder();
  writeFileSync(join(folder, '.lock'), '');
  expect(() => lockCassette(folder)).toThrow('another process records to this cassette');
  const other = createFolder();
  const unlock = lockCassette(other);
  const theirs = JSON.stringify({ pid: process.ppid, host: hostname(), startedAt: 0 });
  writeFileSync(join(other, '.lock'), theirs);
  unlock();
  expect(readdirSync(other)).toContain('.lock');
});
