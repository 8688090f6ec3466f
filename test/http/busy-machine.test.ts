// @module-tag thorough
import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { runProgram, type Running } from '../cli/run-program.js';
import { takes, toDocument } from '../document-parts.js';
import { createFolder } from '../folders.js';

const OBJECT = { type: 'object' };
const BUSY = 16;
const SUBJECTS = ['aaaa', 'b', `${'a'.repeat(60)}!`, `${'a'.repeat(100_000)}!`, '<i>text</i>'];

const PATHS = {
  '/repeated': { post: takes({ type: 'string', pattern: '^(a+)+\\1$' }, OBJECT) },
  '/tagged': { post: takes({ type: 'string', pattern: '^<(\\w+)>.*</\\1>$' }, OBJECT) },
};

/** What a new process answers to each subject, all sent at once: status and body. */
async function readVerdicts(spec: string): Promise<readonly string[]> {
  const verdicts: string[] = [];
  const post = async (url: string, text: string): Promise<string> => {
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(text) });
    return `${response.status} ${await response.text()}`;
  };
  const whenListening = async ({ url }: Running): Promise<void> => {
    const requests = SUBJECTS.flatMap((text) => Object.keys(PATHS).map((path) => post(url + path, text)));
    verdicts.push(...(await Promise.all(requests)));
  };
  const { code } = await runProgram(['serve', spec, '--port', '0'], { whenListening });
  expect(code).toBe(0);
  return verdicts;
}

/** Resolves when the process runs its loop. */
async function startLoop(): Promise<ChildProcess> {
  const child = spawn(process.execPath, ['-e', 'process.send(1, () => { for (;;); })'], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  await new Promise((resolve) => child.once('message', resolve));
  return child;
}

it(`patterns with back references are decided by steps: the answers are the same beside ${BUSY} busy processes`, async () => {
  const spec = join(createFolder({ 'api.json': JSON.stringify(toDocument(PATHS)) }), 'api.json');
  const idle = await readVerdicts(spec);
  expect(idle).toHaveLength(SUBJECTS.length * 2);
  const loops = await Promise.all(Array.from({ length: BUSY }, startLoop));
  const busy = await readVerdicts(spec);
  expect(loops.filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null)).toHaveLength(BUSY);
  expect(busy).toEqual(idle);
  expect(idle.filter((verdict) => verdict.includes('TOO_COSTLY')).length).toBeGreaterThan(1);
  expect(idle.filter((verdict) => verdict.startsWith('200 ')).length).toBeGreaterThan(1);
});
