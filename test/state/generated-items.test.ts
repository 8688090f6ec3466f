// @module-tag slow
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createMock, loadContract, type Mock, type MockOptions } from '../../src/index.js';
import { createGeneratedItems } from '../../src/resources/store/on-demand.js';
import { createFolder } from '../folders.js';
import { loadCases } from '../load-cases.js';

/** The answers to the GET requests among the first operations of a document, as bytes. */
async function readAll(options: Partial<MockOptions>): Promise<readonly string[]> {
  await using mock = await createMock(options);
  const answers: string[] = [];
  for (const { id, method, path, basePaths } of mock.contract.operations.slice(0, 100)) {
    if (method !== 'GET') continue;
    const url = `${basePaths[0] ?? ''}${path.replaceAll(/\{[^}]+\}/g, 'x1')}`;
    const response = await mock.fetch(url, { headers: { authorization: 'Bearer test' } });
    answers.push(`${id} ${response.status} ${await response.text()}`);
  }
  return answers;
}

const DOCUMENTS = [
  'spec/openapi.yaml',
  'test/documents/lifecycle/payments.yaml',
  'test/documents/lifecycle/json-api.yaml',
  '../shared/specs/box.json',
];

describe.each(DOCUMENTS.filter((spec) => existsSync(resolve(spec))))('%s', (spec) => {
  it(
    'is answered byte for byte the same by the process after, which reads it from the cache',
    { timeout: 120_000 },
    async () => {
      const cacheFolder = join(createFolder({}), 'cache');
      const options = { spec, state: { unknownIds: 'create' } } as const;
      const first = await readAll({ ...options, document: { cacheFolder } });
      expect(first.filter((answer) => answer.split(' ')[1] === '200').length).toBeGreaterThan(1);
      expect(await readAll({ ...options, document: { cacheFolder } })).toEqual(first);
      expect(await readAll({ ...options, document: { cacheFolder: false } })).toEqual(first);
    },
  );
});

const PETS = loadCases<Readonly<Record<string, string>>>('state/generated-items.yaml');

interface Pet {
  readonly id: string;
  readonly name: string;
  readonly created_at: string;
  readonly tags: readonly string[];
}

async function listPets(mock: Pick<Mock, 'fetch'>): Promise<readonly Pet[]> {
  return (await (await mock.fetch('/pets')).json()) as readonly Pet[];
}

describe('generated items', () => {
  it('are the same after a reset and in another mock, whatever was changed', async () => {
    const contract = await loadContract(join(createFolder(PETS), 'api.yaml'));
    await using mock = await createMock({ spec: contract });
    await using other = await createMock({ spec: contract });
    const before = await listPets(mock);
    const change = { method: 'PATCH', headers: { 'content-type': 'application/json' } };
    const body = JSON.stringify({ ...before[0], name: 'Changed', tags: ['a', 'b', 'c'] });
    expect((await mock.fetch(`/pets/${before[0]?.id}`, { ...change, body })).status).toBe(200);
    mock.state.collection('pets').remove(before[1]?.id ?? '');
    expect((await listPets(mock)).map(({ name }) => name)).toEqual(['Changed', before[2]?.name]);
    expect(await listPets(other)).toEqual(before);
    mock.reset();
    expect(await listPets(mock)).toEqual(before);
  });

  it('have dates that do not depend on the time of the day', async () => {
    const contract = await loadContract(join(createFolder(PETS), 'api.yaml'));
    const read = async (clock: string): Promise<readonly Pet[]> => {
      await using mock = await createMock({ spec: contract, clock });
      return listPets(mock);
    };
    const morning = await read('2026-03-01T08:00:00Z');
    expect(await read('2026-03-01T20:00:00Z')).toEqual(morning);
    const [first] = await read('2026-03-02T08:00:00Z');
    expect(Date.parse(first?.created_at ?? '') - Date.parse(morning[0]?.created_at ?? '')).toBe(86_400_000);
  });

  it('are kept up to a limit, those that were used last', () => {
    const items = createGeneratedItems();
    let generated = 0;
    const find = (key: string): unknown =>
      items.find(key, () => {
        generated += 1;
        return { text: key.padEnd(10_000, 'x') };
      });
    const first = find('first');
    for (let i = 0; i < 300; i++) find(`of the first half ${i}`);
    expect(find('first')).toBe(first);
    for (let i = 0; i < 300; i++) find(`of the second half ${i}`);
    expect(find('first')).toBe(first);
    expect(generated).toBe(601);
    for (let i = 0; i < 2000; i++) find(`later ${i}`);
    expect(find('first')).toEqual(first);
    expect(generated).toBe(2602);
  });

  it('cannot be changed', () => {
    const items = createGeneratedItems();
    const item = items.find('key', () => ({ tags: ['a'] }));
    expect(() => Object.assign(item, { tags: [] })).toThrow(TypeError);
    expect(() => (item['tags'] as string[]).push('b')).toThrow(TypeError);
  });
});
