import { join } from 'node:path';
import { openCassette } from '../../src/features/recording/cassette/cassette-writer.js';
import { type Cassette, loadCassette } from '../../src/features/recording/cassette/cassette.js';
import { createManifest } from '../../src/features/recording/cassette/manifest.js';
import { type HarImported, importHar, readHar } from '../../src/features/recording/har.js';
import { createRedactor } from '../../src/features/recording/redaction/redact.js';
import { createRecorder } from '../../src/features/recording/upstream/recorder.js';
import type { Contract } from '../../src/index.js';
import { loadParts } from './contract.js';
import { createFolder } from '../folders.js';
import { KEYS, record, sendAll, SPEC } from './recorded.js';
import { startUpstream } from './upstream.js';

export const TOKEN = 'har-token-0123456789';
export { KEYS };
const parts = await loadParts(SPEC);
export const contract: Contract = parts.contract;

/** Imports a HAR file into a new folder. */
export async function importFile(
  file: string,
  upstream?: string,
): Promise<{ imported: HarImported; cassette: Cassette; folder: string }> {
  const folder = join(createFolder(), 'imported');
  const manifest = createManifest(contract, { upstream: upstream ?? 'https://api.example.com/v1' });
  const writer = openCassette(folder, manifest);
  const redactor = createRedactor({ ...parts, options: {}, earlier: {}, watched: [] });
  const recorder = createRecorder({ writer, redactor, replacement: undefined });
  const imported = await importHar(readHar(file), { ...parts, recorder, upstream });
  return { imported, cassette: loadCassette(folder), folder };
}

/** A cassette with three calls, and the body of the first answer. */
export async function recordKeys(): Promise<{ cassette: Cassette; body: unknown }> {
  const upstream = await startUpstream();
  const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' };
  let body: unknown;
  const cassette = await record(upstream.url, async (mock) => {
    body = await (await mock.fetch(`${KEYS}?limit=2`, { headers })).json();
    await sendAll(mock, [
      [KEYS, { method: 'POST', headers, body: '{"name":"ci"}' }],
      ['/v1/files/file-bytes/content', { headers: { ...headers, accept: 'application/octet-stream' } }],
    ]);
  });
  return { cassette, body };
}
