// @module-tag slow
import OpenAI, { NotFoundError, toFile } from 'openai';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Mock } from '../../src/index.js';
import { openMock } from '../sweep/open-mock.js';
import { describeDocument } from './real-document.js';

/** Ids of every page of a list, as the client walks it. */
async function walk<T extends { readonly id: string }>(pages: AsyncIterable<T>): Promise<readonly string[]> {
  const ids: string[] = [];
  for await (const item of pages) ids.push(item.id);
  return ids;
}

describeDocument('openai.yaml', (spec) => {
  let mock: Mock;
  let client: OpenAI;
  beforeAll(async () => {
    mock = await openMock(spec, { preset: 'auto', state: { initialItems: 0 } });
    const { url } = await mock.listen();
    client = new OpenAI({ apiKey: 'sk-test', adminAPIKey: 'sk-admin-test', baseURL: `${url}/v1`, maxRetries: 0 });
  });
  afterAll(() => mock.close());

  it('the official client uploads a file, reads its bytes, lists it over pages and deletes it', async () => {
    const made: string[] = [];
    for (let i = 0; i < 5; i++) {
      const file = await toFile(Buffer.from(`line ${i}\nZürich 🗝️\n`), `notes-${i}.txt`);
      made.push((await client.files.create({ file, purpose: 'assistants' })).id);
    }
    expect(await walk(client.files.list({ limit: 2, order: 'asc' }))).toEqual(made);
    const [first = ''] = made;
    const read = await client.files.retrieve(first);
    expect(read).toMatchObject({ id: first, object: 'file', purpose: 'assistants' });
    const content = await client.files.content(first);
    // The document says that the content is a JSON string; the client asks for `application/binary`.
    expect(await content.text()).toBe('line 0\nZürich 🗝️\n');
    const bytes = Buffer.from([0x00, 0xff, 0x89, 0x50]);
    const { id } = await client.files.create({ file: await toFile(bytes, 'a.bin'), purpose: 'assistants' });
    expect(Buffer.from(await (await client.files.content(id)).arrayBuffer())).toEqual(bytes);
    await client.files.delete(id);
    expect(read).toMatchObject({ filename: 'notes-0.txt', bytes: Buffer.byteLength('line 0\nZürich 🗝️\n') });
    expect(await client.files.delete(first)).toMatchObject({ id: first, deleted: true });
    await expect(client.files.retrieve(first)).rejects.toBeInstanceOf(NotFoundError);
    expect(await walk(client.files.list({ limit: 2, order: 'asc' }))).toEqual(made.slice(1));
  });

  it('a file in a vector store is a membership: removing it leaves the file', async () => {
    const store = await client.vectorStores.create({ name: 'Handbook' });
    const file = await client.files.create({ file: await toFile(Buffer.from('x'), 'x.txt'), purpose: 'assistants' });
    const member = await client.vectorStores.files.create(store.id, { file_id: file.id });
    expect(member).toMatchObject({ id: file.id, vector_store_id: store.id });
    expect(await walk(client.vectorStores.files.list(store.id))).toEqual([file.id]);
    expect((await client.vectorStores.files.retrieve(file.id, { vector_store_id: store.id })).id).toBe(file.id);
    const renamed = await client.vectorStores.update(store.id, { name: 'Manual' });
    expect(renamed.name).toBe('Manual');
    expect((await client.vectorStores.retrieve(store.id)).name).toBe('Manual');
    const removed = await client.vectorStores.files.delete(file.id, { vector_store_id: store.id });
    expect(removed).toEqual({ id: file.id, deleted: true, object: 'vector_store.file.deleted' });
    expect(await walk(client.vectorStores.files.list(store.id))).toEqual([]);
    expect((await client.files.retrieve(file.id)).id).toBe(file.id);
    await client.vectorStores.delete(store.id);
    await expect(client.vectorStores.retrieve(store.id)).rejects.toBeInstanceOf(NotFoundError);
  });

  it('assistants are created, listed newest first, updated and deleted', async () => {
    const made: string[] = [];
    for (const name of ['One', 'Two', 'Three']) {
      made.push((await client.beta.assistants.create({ model: 'gpt-4o', name })).id);
    }
    expect(await walk(client.beta.assistants.list({ limit: 1 }))).toEqual(made.toReversed());
    const [first = ''] = made;
    const updated = await client.beta.assistants.update(first, { name: 'Renamed', metadata: { team: 'a' } });
    expect(updated).toMatchObject({ id: first, name: 'Renamed', metadata: { team: 'a' }, model: 'gpt-4o' });
    expect((await client.beta.assistants.retrieve(first)).name).toBe('Renamed');
    expect(await client.beta.assistants.delete(first)).toMatchObject({ id: first, deleted: true });
    await expect(client.beta.assistants.retrieve(first)).rejects.toBeInstanceOf(NotFoundError);
  });

  it('messages live in their thread and go with it', async () => {
    const thread = await client.beta.threads.create({ metadata: { topic: 'test' } });
    const made: string[] = [];
    for (const content of ['a', 'b', 'c', 'd', 'e']) {
      const message = await client.beta.threads.messages.create(thread.id, { role: 'user', content });
      expect(message).toMatchObject({ thread_id: thread.id, role: 'user' });
      made.push(message.id);
    }
    expect(await walk(client.beta.threads.messages.list(thread.id, { limit: 2, order: 'asc' }))).toEqual(made);
    const [first = ''] = made;
    const updated = await client.beta.threads.messages.update(first, {
      thread_id: thread.id,
      metadata: { seen: 'yes' },
    });
    expect(updated.metadata).toEqual({ seen: 'yes' });
    await client.beta.threads.messages.delete(first, { thread_id: thread.id });
    expect(await walk(client.beta.threads.messages.list(thread.id, { order: 'asc' }))).toEqual(made.slice(1));
    const renamed = await client.beta.threads.update(thread.id, { metadata: { topic: 'other' } });
    expect(renamed.metadata).toEqual({ topic: 'other' });
    await client.beta.threads.delete(thread.id);
    await expect(client.beta.threads.retrieve(thread.id)).rejects.toBeInstanceOf(NotFoundError);
    await expect(client.beta.threads.messages.list(thread.id)).rejects.toBeInstanceOf(NotFoundError);
  });

  it('a fine-tuning job is created, listed and cancelled', async () => {
    const made: string[] = [];
    for (let i = 0; i < 3; i++) {
      const job = await client.fineTuning.jobs.create({ model: 'gpt-4o-mini', training_file: `file-${i}` });
      expect(job).toMatchObject({ object: 'fine_tuning.job', model: 'gpt-4o-mini', training_file: `file-${i}` });
      made.push(job.id);
    }
    expect((await walk(client.fineTuning.jobs.list({ limit: 2 }))).toSorted()).toEqual(made.toSorted());
    const [first = ''] = made;
    expect((await client.fineTuning.jobs.retrieve(first)).status).not.toBe('cancelled');
    expect((await client.fineTuning.jobs.cancel(first)).status).toBe('cancelled');
    expect((await client.fineTuning.jobs.retrieve(first)).status).toBe('cancelled');
  });

  it('a batch is created, listed and cancelled', async () => {
    const made = new Set<string>();
    for (let i = 0; i < 3; i++) {
      const batch = await client.batches.create({
        input_file_id: `file-${i}`,
        endpoint: '/v1/responses',
        completion_window: '24h',
      });
      made.add(batch.id);
    }
    const [first = ''] = made;
    expect(new Set(await walk(client.batches.list({ limit: 1 })))).toEqual(made);
    expect((await client.batches.cancel(first)).status).toMatch(/^cancell/);
    expect((await client.batches.retrieve(first)).status).toMatch(/^cancell/);
  });

  it('no answer of all this broke the document', () => {
    const broken = mock.journal.interactions.filter(({ answer }) => answer.status >= 500);
    expect(broken.map(({ request, violations }) => [request.method, request.url, violations[0]?.message])).toEqual([]);
  });

  it('the official client creates and polls until the status is completed', async () => {
    const poll = { pollIntervalMs: 1 };
    const store = await client.vectorStores.create({ name: 'Polled' });
    const file = await client.files.create({ file: await toFile(Buffer.from('a'), 'a.txt'), purpose: 'assistants' });
    const added = await client.vectorStores.files.createAndPoll(store.id, { file_id: file.id }, poll);
    expect(added).toMatchObject({ id: file.id, vector_store_id: store.id, status: 'completed' });
    const batch = await client.vectorStores.fileBatches.createAndPoll(store.id, { file_ids: [file.id] }, poll);
    expect(batch.status).toBe('completed');
    const thread = await client.beta.threads.create({});
    const run = await client.beta.threads.runs.createAndPoll(thread.id, { assistant_id: 'asst_1' }, poll);
    expect(run).toMatchObject({ thread_id: thread.id, status: 'completed', completed_at: expect.any(Number) });
  });
});
