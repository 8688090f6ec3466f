import OpenAI from 'openai';
import { expect, it } from 'vitest';
import { readEveryFile } from '../folders.js';
import { record, replay } from './recorded.js';
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

it('a recording contains neither created keys nor credentials in any byte of any file', async () => {
  const upstream = await startUpstream();
  const { folder, exchanges, manifest } = await record(upstream.url, async (mock) =>
    runWorkflow((await mock.listen()).baseUrl),
  );
  expect(upstream.secrets).toHaveLength(1);
  const files = readEveryFile(folder);
  expect(files.length).toBeGreaterThan(8);
  for (const { path, bytes } of files) {
    for (const secret of [TOKEN, ...upstream.secrets]) {
      expect(bytes.includes(secret), `${path} holds a secret`).toBe(false);
      expect(bytes.includes(Buffer.from(secret).toString('base64')), `${path} holds a secret in base64`).toBe(false);
    }
  }
  const created = exchanges.find(({ operation }) => operation === 'createAdminApiKey');
  const value = (created?.response?.body as { readonly value: string } | undefined)?.value ?? '';
  expect(value).toMatch(/^sk-admin-REDACTED\d{40}$/);
  expect(manifest.redacted[value]).toBe('pattern:sk');
  expect(created?.request.headers['authorization']).toMatch(/^Bearer REDACTED\d+$/);
});

it('a recording replays a whole workflow of the official client without the upstream', async () => {
  const upstream = await startUpstream();
  let live: unknown;
  const { folder } = await record(upstream.url, async (mock) => {
    live = await runWorkflow((await mock.listen()).baseUrl);
  });
  await upstream.close();

  const mock = await replay(folder);
  const { baseUrl } = await mock.listen();
  expect(await runWorkflow(baseUrl)).toEqual(live);
  mock.verify();
  expect(mock.journal.interactions.map(({ answer }) => answer.from.split(':')[0])).not.toContain('state');
  expect(
    mock.journal.interactions.flatMap(({ violations }) => violations.filter(({ severity }) => severity === 'error')),
  ).toEqual([]);
});
