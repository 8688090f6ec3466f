import OpenAI from 'openai';
import { expect, it } from 'vitest';
import { describeAll, type Reach } from '../describe-both.js';

function createClient({ baseUrl, fetch }: Reach, options: { readonly apiKey?: string } = {}): OpenAI {
  const apiKey = options.apiKey ?? 'sk-test';
  return new OpenAI({ apiKey, adminAPIKey: apiKey, baseURL: baseUrl, fetch, maxRetries: 0 });
}

describeAll('the official openai client', (start) => {
  it('downloads a file as text', async () => {
    const client = createClient(await start());
    const response = await client.files.content('file-handbook');
    expect(await response.text()).toBe('Refunds are possible within 30 days.\nWrite to billing@example.com.\n');
  });

  it('downloads every byte of a binary file', async () => {
    const client = createClient(await start());
    const response = await client.files.content('file-bytes');
    const bytes = new Uint8Array(await response.arrayBuffer());
    expect([...bytes]).toEqual(Array.from({ length: 256 }, (_, i) => i));
  });

  it('creates a key and finds it at the end of the list, without its secret', async () => {
    const client = createClient(await start());
    const created = await client.admin.organization.adminAPIKeys.create({ name: 'Made by a test' });
    expect(created).toMatchObject({ object: 'organization.admin_api_key', name: 'Made by a test' });
    expect(created.id).toMatch(/^key_[0-9A-Za-z]{24}$/);
    expect(created.value).toMatch(/^sk-admin-[0-9A-Za-z]{48}$/);
    expect(created.redacted_value).toBe(`sk-admin-...${created.value?.slice(-4)}`);
    expect(created.owner).toMatchObject({ type: 'service_account', role: 'member' });

    const keys: unknown[] = [];
    for await (const key of client.admin.organization.adminAPIKeys.list({ order: 'asc' })) keys.push(key);
    const { value: _, ...listed } = created;
    expect(keys.at(-1)).toEqual(listed);
  });

  it('iterates over three pages of keys and stops', async () => {
    const reach = await start();
    const client = createClient(reach);
    const names: string[] = [];
    for await (const key of client.admin.organization.adminAPIKeys.list({ limit: 3 })) names.push(key.name ?? '');
    expect(names).toHaveLength(7);
    expect(new Set(names).size).toBe(7);
    expect(reach.mock.journal.calls('listAdminApiKeys')).toHaveLength(3);
  });

  it('removes a file from one vector store only, and leaves the file', async () => {
    const client = createClient(await start());
    const deletion = await client.vectorStores.files.delete('file-handbook', { vector_store_id: 'vs_product_docs' });
    expect(deletion).toEqual({ id: 'file-handbook', deleted: true, object: 'vector_store.file.deleted' });
    const again = client.vectorStores.files.delete('file-handbook', { vector_store_id: 'vs_product_docs' });
    await expect(again).rejects.toBeInstanceOf(OpenAI.NotFoundError);
    const other = await client.vectorStores.files.delete('file-handbook', { vector_store_id: 'vs_training' });
    expect(other.deleted).toBe(true);
    expect(await (await client.files.content('file-handbook')).text()).toContain('Refunds');
  });

  it('turns 401, 404 and 400 into its typed errors', async () => {
    const reach = await start({ auth: { tokens: ['sk-good'] } });
    const stranger = createClient(reach, { apiKey: 'sk-bad' });
    const client = createClient(reach, { apiKey: 'sk-good' });
    await expect(stranger.files.content('file-handbook')).rejects.toBeInstanceOf(OpenAI.AuthenticationError);
    await expect(client.files.content('file-unknown')).rejects.toBeInstanceOf(OpenAI.NotFoundError);
    const unnamed = client.admin.organization.adminAPIKeys.create({ name: '' });
    await expect(unnamed).rejects.toMatchObject({ status: 400, param: 'name' });
    await expect(unnamed).rejects.toBeInstanceOf(OpenAI.BadRequestError);
  });
});
