// @module-tag slow
import OpenAI, { toFile } from 'openai';
import { describe, expect, it } from 'vitest';
import type { Mock } from '../../src/index.js';
import { describeDocument } from '../state/real-document.js';
import { openMock } from '../sweep/open-mock.js';

const QUESTION = { model: 'gpt-4o', messages: [{ role: 'user' as const, content: 'Hello?' }] };

/** The official client, in-process or on a socket, with a mock of its own. */
async function open(spec: string, isSocket: boolean): Promise<{ readonly client: OpenAI; readonly mock: Mock }> {
  const mock = await openMock(spec, { preset: 'auto', seed: 3 });
  const baseURL = `${isSocket ? (await mock.listen()).url : 'http://in-process.test'}/v1`;
  const fetch: typeof globalThis.fetch = isSocket ? globalThis.fetch : (input, init) => mock.fetch(input, init);
  return { client: new OpenAI({ apiKey: 'sk-test', baseURL, fetch, maxRetries: 0 }), mock };
}

async function collect<Item>(stream: AsyncIterable<Item>): Promise<readonly Item[]> {
  const items: Item[] = [];
  for await (const item of stream) items.push(item);
  return items;
}

describeDocument('openai.yaml', (spec) => {
  describe.each([
    ['in-process', false],
    ['on a socket', true],
  ] as const)('%s', (_name, isSocket) => {
    it('the official client streams what it gets without a stream', async () => {
      const { client, mock } = await open(spec, isSocket);
      const other = await open(spec, isSocket);
      const whole = await other.client.chat.completions.create(QUESTION);
      const { content } = whole.choices[0]?.message ?? {};
      expect(whole.choices[0]?.finish_reason).toBe('stop');
      expect(content).toMatch(/\w+ \w+/);

      const chunks = await collect(
        await client.chat.completions.create({ ...QUESTION, stream: true, stream_options: { include_usage: true } }),
      );
      expect(new Set(chunks.map(({ id, created, model, object }) => [id, created, model, object].join())).size).toBe(1);
      expect(chunks[0]?.id).toBe(whole.id);
      const choices = chunks.flatMap((chunk) => chunk.choices);
      expect(choices.map(({ delta }) => delta.role)).toEqual(['assistant', ...choices.slice(1).map(() => undefined)]);
      expect(choices.map(({ delta }) => delta.content ?? '').join('')).toBe(content);
      expect(choices.map((choice) => choice.finish_reason).filter((reason) => reason !== null)).toEqual(['stop']);
      expect(choices.at(-1)?.finish_reason).toBe('stop');
      expect(chunks.map(({ usage }) => usage?.total_tokens)).toEqual([
        ...chunks.slice(1).map(() => undefined),
        whole.usage?.total_tokens,
      ]);

      const final = await client.chat.completions.stream(QUESTION).finalChatCompletion();
      expect(final.choices[0]?.message).toMatchObject({
        role: 'assistant',
        content: expect.any(String),
        refusal: null,
      });
      const plain = await collect(await client.chat.completions.create({ ...QUESTION, stream: true }));
      expect(plain.filter(({ usage }) => usage !== undefined && usage !== null)).toEqual([]);
      expect(mock.journal.interactions.flatMap(({ violations }) => violations.map(({ message }) => message))).toEqual(
        [],
      );
      await Promise.all([mock.close(), other.mock.close()]);
    });

    it('the official client streams a response that the mock then has', async () => {
      const { client, mock } = await open(spec, isSocket);
      const other = await open(spec, isSocket);
      const ask = { model: 'gpt-4o', input: 'Hello?' };
      const whole = await other.client.responses.create(ask);
      expect(whole).toMatchObject({
        status: 'completed',
        output: [{ type: 'message', content: [{ type: 'output_text' }] }],
      });
      expect(whole.output_text).toMatch(/\w+ \w+/);

      const events = await collect(await client.responses.create({ ...ask, stream: true }));
      const types = events.map(({ type }) => type);
      expect(types.filter((type, i) => types.indexOf(type) === i)).toEqual([
        'response.created',
        'response.in_progress',
        'response.output_item.added',
        'response.content_part.added',
        'response.output_text.delta',
        'response.output_text.done',
        'response.content_part.done',
        'response.output_item.done',
        'response.completed',
      ]);
      expect(events.map((event) => event.sequence_number)).toEqual(events.map((_event, i) => i));
      const deltas = events.flatMap((event) => (event.type === 'response.output_text.delta' ? [event.delta] : []));
      expect(deltas.join('')).toBe(whole.output_text);
      const last = events.at(-1);
      const completed = last?.type === 'response.completed' ? last.response : undefined;
      expect(completed).toMatchObject({ id: whole.id, output: whole.output, status: 'completed' });
      expect((await client.responses.retrieve(whole.id)).output).toEqual(whole.output);

      const stream = client.responses.stream(ask);
      const final = await stream.finalResponse();
      expect(final).toMatchObject({ status: 'completed', output_text: expect.stringMatching(/\w+ \w+/) });
      expect(mock.journal.interactions.flatMap(({ violations }) => violations.map(({ message }) => message))).toEqual(
        [],
      );
      await Promise.all([mock.close(), other.mock.close()]);
    });

    it('the official client gets an embedding of each input, as numbers and as base64', async () => {
      const { client, mock } = await open(spec, isSocket);
      const ask = { model: 'text-embedding-3-small', input: ['a', 'b', 'c'], dimensions: 16 };
      const plain = await client.embeddings.create({ ...ask, encoding_format: 'float' });
      expect(plain.data.map(({ index, embedding }) => [index, embedding.length])).toEqual(
        [0, 1, 2].map((i) => [i, 16]),
      );
      const encoded = await client.embeddings.create({ ...ask, encoding_format: 'base64' });
      expect(encoded.data.map(({ embedding }) => Buffer.from(String(embedding), 'base64').length)).toEqual([
        64, 64, 64,
      ]);
      // By default the client asks for base64, and decodes it.
      const decoded = await client.embeddings.create(ask);
      expect(decoded.data.map(({ index, embedding }) => [index, embedding.length])).toEqual(
        [0, 1, 2].map((i) => [i, 16]),
      );
      const { choices } = await client.chat.completions.create({ ...QUESTION, n: 3 });
      expect(choices.map(({ index, message }) => [index, typeof message.content])).toEqual(
        [0, 1, 2].map((i) => [i, 'string']),
      );
      await mock.close();
    });

    it('the official client runs a thread, and gets the bytes of a file back', async () => {
      const { client, mock } = await open(spec, isSocket);
      const thread = await client.beta.threads.create({});
      const about = { assistant_id: 'asst_1' };
      const run = await client.beta.threads.runs.createAndPoll(thread.id, about, { pollIntervalMs: 1 });
      expect(run.status).toBe('completed');
      const bytes = Buffer.from(Array.from({ length: 4096 }, (_byte, i) => (i * 7919 + (i >> 3)) % 256));
      const { id } = await client.files.create({ file: await toFile(bytes, 'random.bin'), purpose: 'assistants' });
      expect(Buffer.from(await (await client.files.content(id)).arrayBuffer())).toEqual(bytes);
      await mock.close();
    });
  });
});
