import { join } from 'node:path';
import type { Contract } from '../../src/contract/contract.js';
import { loadContract } from '../../src/contract/load/load.js';
import { createRouter } from '../../src/contract/router/router.js';
import { createCallDecoder } from '../../src/http/request/call.js';
import { createMock } from '../../src/index.js';
import { openCassette } from '../../src/recording/cassette/cassette-writer.js';
import { type Cassette, loadCassette } from '../../src/recording/cassette/cassette.js';
import { DEFAULT_MATCH } from '../../src/recording/cassette/manifest.js';
import { type HarImported, importHar } from '../../src/recording/har.js';
import { createRedactor } from '../../src/recording/redaction/redact.js';
import { createRecorder } from '../../src/recording/upstream/recorder.js';
import { createValidators } from '../../src/schema/validate.js';
import { createFolder } from './folders.js';
import { startUpstream } from './upstream.js';

export const TOKEN = 'har-token-0123456789';
export const KEYS = '/v1/organization/admin_api_keys';
export const contract: Contract = await loadContract('spec/openapi.yaml');
const validators = createValidators(contract);
const router = createRouter(contract.operations);
const decoder = createCallDecoder(contract, validators, { bodyLimitBytes: 1_000_000 });

/** Imports a HAR file into a new folder. */
export async function importFile(
  file: string,
  upstream?: string,
): Promise<{ imported: HarImported; cassette: Cassette; folder: string }> {
  const folder = join(createFolder(), 'imported');
  const writer = openCassette(folder, {
    version: 1,
    contract: { title: contract.title, version: contract.version, hash: contract.hash },
    upstream: upstream ?? 'https://api.example.com/v1',
    recordedAt: '2026-01-01T00:00:00.000Z',
    match: DEFAULT_MATCH,
    redacted: {},
    maxAge: undefined,
  });
  const redactor = createRedactor({ contract, validators, options: {}, earlier: {}, watched: [] });
  const recorder = createRecorder({ writer, redactor, replacement: undefined });
  const imported = await importHar(file, { contract, router, decoder, recorder, upstream });
  return { imported, cassette: loadCassette(folder), folder };
}

/** A cassette with three calls, and the body of the first answer. */
export async function recordKeys(): Promise<{ cassette: Cassette; body: unknown }> {
  const upstream = await startUpstream();
  const folder = createFolder();
  const mock = await createMock({
    spec: 'spec/openapi.yaml',
    recordings: { folder, cassette: 'keys', mode: 'record-all', upstream: upstream.url, live: true },
  });
  const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' };
  const list = await mock.fetch(`${KEYS}?limit=2`, { headers });
  const body: unknown = await list.json();
  await (await mock.fetch(KEYS, { method: 'POST', headers, body: '{"name":"ci"}' })).json();
  await (
    await mock.fetch('/v1/files/file-bytes/content', { headers: { ...headers, accept: 'application/octet-stream' } })
  ).arrayBuffer();
  await mock.close();
  await upstream.close();
  return { cassette: loadCassette(join(folder, 'keys')), body };
}
