// @module-tag slow
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { loadCassette } from '../../src/features/recording/cassette/cassette.js';
import { type Program, startProgram } from '../cli/run-program.js';
import { createFolder } from '../folders.js';
import { openRecorder } from './recorded.js';
import { startUpstream } from './upstream.js';

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

/** Ids of the keys that the recording holds, checked to be whole and numbered without a gap. */
function readRecordedIds(folder: string): readonly string[] {
  const { exchanges } = loadCassette(folder);
  expect(exchanges.map(({ number }) => number)).toEqual(exchanges.map((_, i) => i + 1));
  return exchanges.map(({ response }) => (response?.body as { readonly id: string } | undefined)?.id ?? '');
}

it('50 clients at once are recorded with one file for each exchange', async () => {
  const upstream = await startUpstream();
  const folder = createFolder();
  const mock = await openRecorder(upstream.url, { folder });
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

it('50 clients at once lose no finished exchange after kill -9, and the numbers continue without a gap', async () => {
  const upstream = await startUpstream();
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
      if (seen.length === 120) first.process.kill('SIGKILL');
    }
  });
  await Promise.all(clients);
  const recorded = readRecordedIds(folder);
  expect(recorded.length).toBeGreaterThanOrEqual(seen.length);
  for (const id of seen) expect(recorded).toContain(id);

  const second = await startRecorder(upstream.url, root, 'record-missing');
  const key = await createKey(second.baseUrl, 'after the crash');
  expect(await second.end('SIGTERM')).toBe(0);
  expect(readRecordedIds(folder)).toEqual([...recorded, key?.id]);
  expect(readdirSync(folder).filter((name) => name.startsWith('.'))).toEqual([]);
});

async function startRecorder(
  upstream: string,
  recordings: string,
  mode: string,
): Promise<Program & { readonly baseUrl: string }> {
  const flags = Object.entries({ upstream, recordings, cassette: 'keys', mode, port: '0' });
  const words = flags.flatMap(([name, value]) => [`--${name}`, value]);
  const program = startProgram(['record', 'spec/openapi.yaml', ...words, '--json', '--quiet']);
  onTestFinished(() => void program.end('SIGKILL'));
  return { ...program, baseUrl: await program.listening() };
}
