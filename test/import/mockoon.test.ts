import { spawn } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { findPorts } from '../find-ports.js';
import { EXPORTS, readAnswers } from './old-mock.js';
import { createFolder } from '../folders.js';

const CLI = join('bench', 'peers', 'node_modules', '@mockoon', 'cli', 'bin', 'run.js');
const isInstalled = existsSync(CLI);
if (!isInstalled) console.log(`skipped: Mockoon is not installed (npm ci in bench/peers)`);

it.skipIf(!isInstalled)(
  'Mockoon itself gives the answers that the import is compared with',
  { tags: 'slow' },
  async () => {
    const [port] = await findPorts(1);
    const file = join(createFolder(), 'environment.json');
    writeFileSync(file, readFileSync(join(EXPORTS, 'mockoon/rules.json')));
    const mockoon = spawn(process.execPath, [
      CLI,
      'start',
      '--data',
      file,
      '--port',
      String(port),
      '--disable-log-to-file',
    ]);
    await new Promise<void>((resolve, reject) => {
      mockoon.stdout.on('data', (text: Buffer) => {
        if (text.includes('Server started')) resolve();
      });
      mockoon.on('exit', () => reject(new Error('Mockoon did not start')));
    });
    try {
      for (const { method, path, body, answer } of readAnswers('mockoon-answers.json')) {
        const sent =
          body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } };
        const response = await fetch(`http://127.0.0.1:${port}${path}`, { method, ...sent });
        expect([response.status, await response.text()], `${method} ${path}`).toEqual([answer.status, answer.body]);
      }
    } finally {
      mockoon.kill();
    }
  },
);
