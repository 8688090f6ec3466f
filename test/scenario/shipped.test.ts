// @module-tag slow
import { readdirSync } from 'node:fs';
import OpenAI, { APIConnectionError, APIError } from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Clock } from '../../src/base/clock.js';
import { createMock, type Mock, type MockServer } from '../../src/index.js';
import type { SessionHandle } from '../../src/mock/handles.js';

let mock: Mock<Clock>;
let server: MockServer;

beforeAll(async () => {
  mock = await createMock({ spec: 'spec/openapi.yaml', fixtures: 'fixtures', scenarios: 'scenarios', clock: 'real' });
  server = await mock.listen();
});

afterAll(async () => mock.close());

/** The official client in a session of its own, with one scenario active. */
interface Stage {
  readonly client: OpenAI;
  readonly session: SessionHandle<Clock>;
}

type Door = 'socket' | 'in-process';

function openStage(door: Door, scenario: string): Stage {
  const session = mock.session(undefined, { scenarios: [scenario] });
  const fetching = door === 'socket' ? {} : { fetch: mock.fetch };
  const baseURL = door === 'socket' ? server.baseUrl : 'http://mock/v1';
  const client = new OpenAI({
    apiKey: 'sk-test',
    adminAPIKey: 'sk-admin-test',
    baseURL,
    defaultHeaders: session.headers,
    ...fetching,
  });
  return { client, session };
}

const listKeys = async ({
  client,
}: Stage): Promise<readonly { readonly id: string; readonly value?: string | undefined }[]> => {
  const keys = [];
  for await (const key of client.admin.organization.adminAPIKeys.list({ limit: 20 })) keys.push(key);
  return keys;
};

/** The error a call ends with. */
async function failure(calling: Promise<unknown>): Promise<APIError> {
  try {
    await calling;
  } catch (error) {
    // The official client throws nothing else.
    if (error instanceof APIError) return error;
    throw error;
  }
  throw new Error('the call succeeded');
}

/** How often each status was answered, in order. */
const statuses = ({ session }: Stage): readonly number[] =>
  session.journal.interactions.map(({ answer }) => answer.status);

type Play = (stage: Stage) => Promise<void>;

const PLAYS: Readonly<Record<string, Play>> = {
  'empty-lists': async (stage) => {
    expect(await listKeys(stage)).toEqual([]);
    const made = await stage.client.admin.organization.adminAPIKeys.create({ name: 'First' });
    expect((await listKeys(stage)).map(({ id }) => id)).toEqual([made.id]);
  },
  'many-keys': async (stage) => {
    const keys = await listKeys(stage);
    expect(new Set(keys.map(({ id }) => id)).size).toBe(45);
    const pages = stage.session.journal.interactions.map(
      ({ answer }) => answer.body as { has_more: boolean; data: unknown[] },
    );
    expect(pages.map(({ has_more, data }) => [has_more, data.length])).toEqual([
      [true, 20],
      [true, 20],
      [false, 5],
    ]);
  },
  'secrets-hidden': async (stage) => {
    const made = await stage.client.admin.organization.adminAPIKeys.create({ name: 'Hidden' });
    expect(made.value).toMatch(/^sk-admin-/);
    const keys = await listKeys(stage);
    expect(keys).toHaveLength(8);
    expect(keys.filter((key) => 'value' in key)).toEqual([]);
  },
  'secrets-listed': async (stage) => {
    const keys = await listKeys(stage);
    expect(keys.map(({ value }) => value?.slice(0, 16))).toEqual([
      'sk-admin-EXAMPLE',
      'sk-admin-EXAMPLE',
      'sk-admin-EXAMPLE',
    ]);
  },
  unauthorized: async (stage) => {
    const error = await failure(stage.client.files.content('file-handbook'));
    expect([error.status, error.code, error.headers?.get('www-authenticate')]).toEqual([
      401,
      'invalid_api_key',
      'Bearer',
    ]);
    expect(statuses(stage)).toEqual([401]);
  },
  'wrong-key-role': async (stage) => {
    const error = await failure(stage.client.admin.organization.adminAPIKeys.create({ name: 'Mine' }));
    expect([error.status, error.code]).toEqual([403, 'insufficient_permissions']);
    expect(stage.session.journal.last()?.answer.violates).toContain('the contract declares no 403');
  },
  'rate-limited': async (stage) => {
    expect(await listKeys(stage)).toHaveLength(7);
    expect(statuses(stage)).toEqual([429, 200]);
    expect(stage.session.journal.interactions[0]?.answer.headers['retry-after']).toBe('1');
  },
  flaky: async (stage) => {
    expect(await (await stage.client.files.content('file-handbook')).text()).toContain('Refunds');
    expect(statuses(stage)).toEqual([500, 500, 200]);
  },
  slow: async (stage) => {
    const { clock } = stage.session;
    const before = clock.now();
    expect(await listKeys(stage)).toHaveLength(7);
    expect(clock.now() - before).toBeGreaterThan(20);
  },
  outage: async (stage) => {
    const error = await failure(stage.client.files.content('file-handbook', { maxRetries: 1 }));
    expect(error).toBeInstanceOf(APIConnectionError);
    expect(statuses(stage)).toEqual([0, 0]);
  },
  'file-gone': async (stage) => {
    const download = await failure(stage.client.files.content('file-handbook'));
    const removal = await failure(
      stage.client.vectorStores.files.delete('file-handbook', { vector_store_id: 'vs_product_docs' }),
    );
    expect([download, removal].map(({ status, code }) => [status, code])).toEqual([
      [404, 'not_found'],
      [404, 'not_found'],
    ]);
  },
  'already-removed': async (stage) => {
    const remove = async (): Promise<unknown> =>
      stage.client.vectorStores.files.delete('file-handbook', { vector_store_id: 'vs_product_docs' });
    const error = await failure(remove());
    expect([error.status, error.message]).toEqual([
      404,
      '404 the vector store "vs_product_docs" has no file "file-handbook"',
    ]);
    expect(await remove()).toMatchObject({ id: 'file-handbook', deleted: true });
  },
  'key-deleted-between-pages': async (stage) => {
    const keys = await listKeys(stage);
    expect(new Set(keys.map(({ id }) => id)).size).toBe(45);
    expect(await listKeys(stage)).toHaveLength(44);
  },
  'cursor-expired': async (stage) => {
    const error = await failure(listKeys(stage));
    expect([error.status, error.param]).toEqual([400, 'after']);
    expect(error.message).toMatch(/the cursor "key_\w+" has expired/);
  },
  'truncated-content': async (stage) => {
    const response = await stage.client.files.content('file-handbook');
    await expect(response.text()).rejects.toThrow('terminated');
  },
  'eventually-listed': async (stage) => {
    expect(await listKeys(stage)).toHaveLength(7);
    const made = await stage.client.admin.organization.adminAPIKeys.create({ name: 'Patience' });
    const seen = [];
    for (let call = 0; call < 4; call++) seen.push((await listKeys(stage)).some(({ id }) => id === made.id));
    expect(seen).toEqual([false, false, true, true]);
  },
};

describe.each(['socket', 'in-process'] as const)('the official client, %s', (door) => {
  it.each(Object.entries(PLAYS))('sees %s', async (scenario, play) => {
    await play(openStage(door, scenario));
  });
});

describe('the shipped scenarios', () => {
  it('are all tested above', () => {
    const ids = readdirSync('scenarios').map((name) => name.replace(/\.yaml$/, ''));
    expect(ids.toSorted()).toEqual(Object.keys(PLAYS).toSorted());
  });

  it('have a description', () => {
    for (const { description } of mock.scenarios.list()) expect(description).toMatch(/^.{30,}\.$/);
  });
});
