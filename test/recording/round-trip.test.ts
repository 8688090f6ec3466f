import { join } from 'node:path';
import OpenAI from 'openai';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createMock, type Mock } from '../../src/index.js';
import { loadCassette } from '../../src/recording/cassette/cassette.js';
import { createFolder, readEveryFile } from './folders.js';
import { startUpstream } from './upstream.js';

const TOKEN = 'live-token-4fQ8zR2mV7xK1pW9';

/** A workflow of a real client; everything it saw. */
async function runWorkflow(baseURL: string): Promise<unknown> {
  const client = new OpenAI({ apiKey: TOKEN, adminAPIKey: TOKEN, baseURL, maxRetries: 0 });
  const { adminAPIKeys } = client.admin.organization;
  const before: unknown[] = [];
  for await (const key of adminAPIKeys.list({ limit: 2 })) before.push(key);
  const created = await adminAPIKeys.create({ name: 'ci' });
  const after: unknown[] = [];
  for await (const key of adminAPIKeys.list({ limit: 2 })) after.push(key);
  const text = await (await client.files.content('file-notes')).text();
  const bytes = Buffer.from(await (await client.files.content('file-bytes')).arrayBuffer()).toString('hex');
  const removed = await client.vectorStores.files.delete('file-notes', { vector_store_id: 'vs_docs' });
  const again = await client.vectorStores.files
    .delete('file-notes', { vector_store_id: 'vs_docs' })
    .catch((error: unknown) =>
      error instanceof OpenAI.NotFoundError ? { status: error.status, param: error.param } : error,
    );
  const { value: _, ...shown } = created;
  return { before, created: shown, after, text, bytes, removed, again };
}

async function startMock(
  recordings: Parameters<typeof createMock>[0]['recordings'],
): Promise<{ mock: Mock; baseUrl: string }> {
  const mock = await createMock({ spec: 'spec/openapi.yaml', recordings });
  onTestFinished(() => mock.close());
  const { baseUrl } = await mock.listen();
  return { mock, baseUrl };
}

describe('a recording', () => {
  it('contains neither created keys nor credentials in any byte of any file', async () => {
    const upstream = await startUpstream();
    onTestFinished(() => upstream.close());
    const folder = createFolder();
    const { mock, baseUrl } = await startMock({
      folder,
      cassette: 'keys',
      mode: 'record-all',
      upstream: upstream.url,
      live: true,
    });
    await runWorkflow(baseUrl);
    await mock.close();
    expect(upstream.secrets).toHaveLength(1);
    const files = readEveryFile(folder);
    expect(files.length).toBeGreaterThan(8);
    for (const { path, bytes } of files) {
      for (const secret of [TOKEN, ...upstream.secrets]) {
        expect(bytes.includes(secret), `${path} holds a secret`).toBe(false);
        expect(bytes.includes(Buffer.from(secret).toString('base64')), `${path} holds a secret in base64`).toBe(false);
      }
    }
    const { exchanges, manifest } = loadCassette(join(folder, 'keys'));
    const created = exchanges.find(({ operation }) => operation === 'createAdminApiKey');
    const value = (created?.response?.body as { readonly value: string } | undefined)?.value ?? '';
    expect(value).toMatch(/^sk-admin-REDACTED\d{40}$/);
    expect(manifest.redacted[value]).toBe('pattern:sk');
    expect(created?.request.headers['authorization']).toMatch(/^Bearer REDACTED\d+$/);
  });

  it('replays a whole workflow of the official client without the upstream', async () => {
    const upstream = await startUpstream();
    const folder = createFolder();
    const recording = await startMock({
      folder,
      cassette: 'keys',
      mode: 'record-all',
      upstream: upstream.url,
      live: true,
    });
    const live = await runWorkflow(recording.baseUrl);
    await recording.mock.close();
    await upstream.close();

    const { mock, baseUrl } = await startMock({ folder, cassette: 'keys', mode: 'replay' });
    expect(await runWorkflow(baseUrl)).toEqual(live);
    mock.verify();
    expect(mock.journal.interactions.map(({ answer }) => answer.from.split(':')[0])).not.toContain('state');
    expect(
      mock.journal.interactions.flatMap(({ violations }) => violations.filter(({ severity }) => severity === 'error')),
    ).toEqual([]);
  });
});
