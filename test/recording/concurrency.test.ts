// @module-tag slow
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createMock } from '../../src/mock.js';
import { loadCassette } from '../../src/recording/cassette/cassette.js';
import { createFolder } from './folders.js';
import { startUpstream, type TestUpstream } from './upstream.js';

const MAIN = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
const HEADERS = { authorization: 'Bearer concurrent-token-1', 'content-type': 'application/json' };

async function createKey(baseUrl: string, name: string): Promise<{ readonly id: string } | undefined> {
  const response = await fetch(`${baseUrl}/organization/admin_api_keys`, {
    method: 'POST',
    headers: HEADERS,
    body: JSON.stringify({ name }),
  }).catch(() => undefined);
  // The process may be killed between the head and the body.
  return response?.json().catch(() => undefined) as Promise<{ readonly id: string } | undefined>;
}

async function start(): Promise<TestUpstream> {
  const upstream = await startUpstream();
  onTestFinished(() => upstream.close());
  return upstream;
}

/** Ids of the keys that the recording holds, checked to be whole and numbered without a gap. */
function readRecordedIds(folder: string): readonly string[] {
  const { exchanges } = loadCassette(folder);
  expect(exchanges.map(({ number }) => number)).toEqual(exchanges.map((_, i) => i + 1));
  return exchanges.map(({ response }) => (response?.body as { readonly id: string } | undefined)?.id ?? '');
}

describe('50 clients at once', () => {
  it('are recorded with one file for each exchange', async () => {
    const upstream = await start();
    const folder = createFolder();
    const mock = await createMock({
      spec: 'spec/openapi.yaml',
      recordings: { folder, cassette: 'keys', mode: 'record-all', upstream: upstream.url, live: true },
    });
    onTestFinished(() => mock.close());
    const { baseUrl } = await mock.listen();
    const clients = Array.from({ length: 50 }, async (_, client) => {
      const ids: string[] = [];
      for (let i = 0; i < 4; i++) ids.push((await createKey(baseUrl, `${client}-${i}`))?.id ?? '');
      return ids;
    });
    const seen = (await Promise.all(clients)).flat();
    // No waiting: an answer that arrived is on disk.
    const recorded = readRecordedIds(join(folder, 'keys'));
    expect(recorded).toHaveLength(200);
    expect(recorded.toSorted()).toEqual(seen.toSorted());
    expect(mock.recordings?.failures).toEqual([]);
  });

  it('lose no finished exchange after kill -9, and the numbers continue without a gap', async () => {
    if (!existsSync(MAIN)) throw new Error('dist/ is missing: run "npm run build" first ("npm test" does)');
    const upstream = await start();
    const root = createFolder();
    const folder = join(root, 'keys');
    const first = await startRecorder(upstream.url, root, 'record-all');
    const seen: string[] = [];
    const clients = Array.from({ length: 50 }, async (_, client) => {
      for (let i = 0; ; i++) {
        const key = await createKey(first.baseUrl, `${client}-${i}`);
        if (key === undefined) return;
        seen.push(key.id);
        // In the middle of everything.
        if (seen.length === 120) first.child.kill('SIGKILL');
      }
    });
    await Promise.all(clients);
    const recorded = readRecordedIds(folder);
    expect(recorded.length).toBeGreaterThanOrEqual(seen.length);
    for (const id of seen) expect(recorded).toContain(id);

    const second = await startRecorder(upstream.url, root, 'record-missing');
    const key = await createKey(second.baseUrl, 'after the crash');
    second.child.kill('SIGTERM');
    expect(await second.ended).toBe(0);
    expect(readRecordedIds(folder)).toEqual([...recorded, key?.id]);
    expect(readdirSync(folder).filter((name) => name.startsWith('.'))).toEqual([]);
  });
});

interface Recorder {
  readonly child: ChildProcess;
  readonly baseUrl: string;
  readonly ended: Promise<number | null>;
}

async function startRecorder(upstream: string, recordings: string, mode: string): Promise<Recorder> {
  const child = spawn(process.execPath, [
    MAIN,
    'record',
    'spec/openapi.yaml',
    ...Object.entries({ upstream, recordings, cassette: 'keys', mode, port: '0' }).flatMap(([name, value]) => [
      `--${name}`,
      value,
    ]),
    '--json',
    '--quiet',
  ]);
  onTestFinished(() => void child.kill('SIGKILL'));
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  let errors = '';
  child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
  const line = await new Promise<string>((resolve, reject) => {
    child.stdout.once('data', (chunk: Buffer) => resolve(chunk.toString()));
    child.once('exit', (code) => reject(new Error(`vouch record ended with ${code}: ${errors}`)));
  });
  const { listening } = JSON.parse(line.split('\n')[0] ?? '') as { readonly listening: string };
  return { child, baseUrl: listening, ended };
}
