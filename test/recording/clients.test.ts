// @module-tag slow
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import OpenAI from 'openai';
import Stripe from 'stripe';
import { expect, it } from 'vitest';
import { promoteCassette } from '../../src/cli/commands/recordings/promote.js';
import { loadContract } from '../../src/index.js';
import { loadCassette } from '../../src/features/recording/cassette/cassette.js';
import { loadParts } from './contract.js';
import { createFolder, readEveryFile } from '../folders.js';
import { openRecorder, replay } from './recorded.js';
import { openMock } from '../open-mock.js';
import { startUpstream } from './upstream.js';

const STRIPE = '../shared/specs/stripe.yaml';
const OPENAI = '../shared/specs/openai.yaml';

function demand(spec: string, skip: (note: string) => void): void {
  if (!existsSync(spec)) skip(`${spec} is not there, so that there is no document of that API to record with`);
}

const KEY = 'sk_test_4eC39HqLyjWDarjtT1zdp7dc';

async function run(base: string): Promise<unknown> {
  const { hostname: host, port } = new URL(base);
  const client = new Stripe(KEY, { host, port, protocol: 'http', maxNetworkRetries: 0 });
  const jane = await client.customers.create({ name: 'Jane', metadata: { team: 'a' } });
  const joe = await client.customers.create({ name: 'Joe', email: 'joe@example.com' });
  await client.customers.update(jane.id, { name: 'Janet', address: { city: 'X', line1: 'y' } });
  const listed: string[] = [];
  for await (const { id } of client.customers.list({ limit: 1 })) listed.push(id);
  await client.customers.del(joe.id);
  const gone = await client.customers.retrieve(joe.id).catch((error: unknown) => String(error));
  return { jane: await client.customers.retrieve(jane.id), listed, gone };
}

it('the official stripe client gets the recorded answers to forms and pages, which can be promoted to fixtures', async ({
  skip,
}) => {
  demand(STRIPE, skip);
  const spec = await loadContract(STRIPE);
  // Another mock stands in for the API: what matters here is what the client sends.
  const api = await openMock({ spec, fixtures: { customers: [] } });
  const { url: upstream } = await api.listen();
  const folder = createFolder();
  const recorder = await openRecorder(upstream, { folder, cassette: 'stripe' }, spec);
  const live = await run((await recorder.listen()).url);
  await recorder.close();
  await api.close();
  for (const { path, bytes } of readEveryFile(folder)) expect(bytes.includes(KEY), path).toBe(false);

  const mock = await replay(folder, spec, { cassette: 'stripe' });
  expect(await run((await mock.listen()).url)).toEqual(live);
  mock.verify();

  const { skipped, differences } = await promoteCassette(
    loadCassette(join(folder, 'stripe')),
    await loadParts(STRIPE),
    { spec: STRIPE, into: join(folder, 'fixtures') },
  );
  expect({ skipped, differences }).toEqual({ skipped: [], differences: [] });
}, 120_000);

it('the official openai client receives a replayed stream event by event, and its end', async ({ skip }) => {
  demand(OPENAI, skip);
  const words = ['Hel', 'lo ', 'Zürich', '!'];
  const upstream = await startUpstream({
    intercept: (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
      for (const [i, content] of words.entries()) {
        const choices = [
          { index: 0, delta: i === 0 ? { role: 'assistant', content } : { content }, finish_reason: null },
        ];
        response.write(
          `data: ${JSON.stringify({ id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'm', choices })}\n\n`,
        );
      }
      response.end('data: [DONE]\n\n');
      return true;
    },
  });
  const folder = createFolder();
  const listen = async (baseURL: string): Promise<readonly string[]> => {
    const client = new OpenAI({ apiKey: 'stream-token-123456', baseURL, maxRetries: 0 });
    const stream = await client.chat.completions.create({
      model: 'm',
      stream: true,
      messages: [{ role: 'user', content: 'Hi' }],
    });
    const heard: string[] = [];
    for await (const { choices } of stream) heard.push(choices[0]?.delta.content ?? '');
    return heard;
  };
  const spec = await loadContract(OPENAI);
  const recorder = await openRecorder(upstream.url, { folder, cassette: 'chat' }, spec);
  expect(await listen((await recorder.listen()).baseUrl)).toEqual(words);
  await recorder.close();
  expect(loadCassette(join(folder, 'chat')).exchanges[0]?.response?.events).toHaveLength(5);
  const mock = await openMock({
    spec,
    recordings: { folder, cassette: 'chat', mode: 'replay', pace: 'recorded' },
    clock: 'real',
  });
  expect(await listen((await mock.listen()).baseUrl)).toEqual(words);
  mock.verify();
}, 120_000);
