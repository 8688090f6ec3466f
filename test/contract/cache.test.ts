import { createHash } from 'node:crypto';
import { deserialize, serialize } from 'node:v8';
import { existsSync } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createDocumentCache } from '../../src/contract/load/cache.js';
import { readCacheFolder } from '../../src/base/package-folder.js';
import type { Contract } from '../../src/contract/contract.js';
import { loadContract } from '../../src/contract/load/load.js';
import { createMock } from '../../src/index.js';
import { inferResources, packResources, unpackResources } from '../../src/resources/infer/infer.js';
import { createFolder } from '../folders.js';

const FILES = {
  'api.yaml': [
    'openapi: 3.0.3',
    'info: {title: One, version: "1"}',
    'paths:',
    '  /a:',
    '    get:',
    '      responses: {200: {description: ok, content: {application/json: {schema: {$ref: "pet.yaml"}}}}}',
    'components: {schemas: {Bad: {type: wrong}}}',
  ].join('\n'),
  'pet.yaml': 'type: string\nnullable: true\n',
  'overlay.yaml': "overlay: 1.0.0\ninfo: {title: O, version: '1'}\nactions: [{target: $.info, update: {title: Two}}]",
};

/** Everything of a contract that is data. */
function describeContract(contract: Contract): unknown {
  const { title, version, hash, document, operations, securitySchemes, problems } = contract;
  return JSON.parse(JSON.stringify({ title, version, hash, document, operations, securitySchemes, problems }));
}

async function listEntries(folder: string): Promise<readonly string[]> {
  return existsSync(join(folder, 'cache')) ? (await readdir(join(folder, 'cache'))).toSorted() : [];
}

test('a cached document is the same contract, problems and their lines included', async () => {
  const cwd = createFolder(FILES);
  const plain = await loadContract('api.yaml', { cwd, cacheFolder: false });
  const first = await loadContract('api.yaml', { cwd, cacheFolder: 'cache' });
  const [entry = ''] = await listEntries(cwd);
  const written = await readFile(join(cwd, 'cache', entry), 'utf8');
  const second = await loadContract('api.yaml', { cwd, cacheFolder: 'cache' });
  expect(describeContract(first)).toEqual(describeContract(plain));
  expect(describeContract(second)).toEqual(describeContract(plain));
  expect(second.problems.map(({ code, at }) => [code, at.line])).toEqual([['SCHEMA_REPAIRED', 7]]);
  expect(second.locate('/x-vouch-files/1/pet/type')).toMatchObject({ file: 'pet.yaml', line: 1 });
  expect(await listEntries(cwd)).toEqual([entry]);
  expect(await readFile(join(cwd, 'cache', entry), 'utf8')).toBe(written);
});

test('every character of a document comes back from the cache', async () => {
  const title = 'Zürich, 東京, 😀, \u2028, \ud800, \\u00e9';
  const properties = { __proto__: undefined, constructor: {}, größe: { type: 'string', example: title } };
  const document = {
    openapi: '3.1.0',
    info: { title, version: '1' },
    paths: {},
    components: { schemas: { ä: { properties } } },
  };
  const cwd = createFolder({ 'api.json': JSON.stringify(document) });
  const plain = await loadContract('api.json', { cwd, cacheFolder: false });
  await loadContract('api.json', { cwd, cacheFolder: 'cache' });
  const cached = await loadContract('api.json', { cwd, cacheFolder: 'cache' });
  expect(cached.title).toBe(title);
  expect(describeContract(cached)).toEqual(describeContract(plain));
});

/** [name, the bytes of a document]. */
const ENCODINGS: readonly (readonly [string, Buffer])[] = [
  ['UTF-8', Buffer.from(JSON.stringify({ openapi: '3.1.0', info: { title: 'é', version: '1' }, paths: {} }))],
  ['a byte order mark', Buffer.from('\ufeffopenapi: 3.1.0\ninfo: {title: é, version: "1"}\npaths: {}')],
  ['bytes that are not UTF-8', Buffer.from('openapi: 3.1.0\ninfo: {title: é, version: "1"}\npaths: {}', 'latin1')],
];

test.each(ENCODINGS)('the hash of a document is that of its text: %s', async (_name, bytes) => {
  const cwd = createFolder({});
  await writeFile(join(cwd, 'api.yaml'), bytes);
  const hash = (text: string): string => createHash('sha256').update(text).digest('hex');
  const contract = await loadContract('api.yaml', { cwd, cacheFolder: false });
  expect(contract.hash).toBe(hash(hash(bytes.toString('utf8'))));
});

test('a change of the main file, of another file or of an overlay is seen', async () => {
  const cwd = createFolder(FILES);
  const load = (overlays: readonly string[] = []): Promise<Contract> =>
    loadContract('api.yaml', { cwd, cacheFolder: 'cache', overlays });
  const first = await load();
  await writeFile(join(cwd, 'pet.yaml'), 'type: integer\n');
  const second = await load();
  expect(second.at('/x-vouch-files/1/pet')).toEqual({ type: 'integer' });
  expect(second.hash).not.toBe(first.hash);
  expect((await load(['overlay.yaml'])).title).toBe('Two');
  await writeFile(join(cwd, 'api.yaml'), FILES['api.yaml'].replace('One', 'Three'));
  expect((await load()).title).toBe('Three');
});

test('a file that appears after a failed reference is seen', async () => {
  const { 'pet.yaml': pet, ...rest } = FILES;
  const cwd = createFolder(rest);
  const first = await loadContract('api.yaml', { cwd, cacheFolder: 'cache' });
  expect(first.problems.map(({ code }) => code)).toContain('REFERENCE_UNRESOLVED');
  await writeFile(join(cwd, 'pet.yaml'), pet);
  const second = await loadContract('api.yaml', { cwd, cacheFolder: 'cache' });
  expect(second.problems.map(({ code }) => code)).toEqual(['SCHEMA_REPAIRED']);
});

/** [name, what becomes of a cache file]. */
const DAMAGES: readonly (readonly [string, (text: string) => string])[] = [
  ['empty', () => ''],
  ['truncated', (text) => text.slice(0, text.length / 2)],
  ['changed in one letter', (text) => text.replace('One', 'Eno')],
  ['of another format', (text) => text.replace(/^vouch \d+ /u, 'vouch 0 ')],
  ['of another program', () => '{"title": "something else"}'],
  [
    'right in its header and wrong in its body',
    (text) => `${text.split(' ', 2).join(' ')} 74234e98afe7498fb5daf1f36ac2d78acc339464f950703b8c019892f982b90b\nnull`,
  ],
];

test.each(DAMAGES)('a cache file that is %s is passed over and written again', async (_name, damage) => {
  const cwd = createFolder(FILES);
  const plain = await loadContract('api.yaml', { cwd, cacheFolder: 'cache' });
  const path = join(cwd, 'cache', (await listEntries(cwd))[0] ?? '');
  const right = await readFile(path, 'latin1');
  await writeFile(path, damage(right), 'latin1');
  const again = await loadContract('api.yaml', { cwd, cacheFolder: 'cache' });
  expect(describeContract(again)).toEqual(describeContract(plain));
  expect(await readFile(path, 'latin1')).toBe(right);
});

test('a folder that cannot be created only disables the cache', async () => {
  const cwd = createFolder({ ...FILES, cache: 'a file where the folder should be' });
  const contract = await loadContract('api.yaml', { cwd, cacheFolder: 'cache' });
  expect(contract.title).toBe('One');
});

test('no more than 20 documents are kept', async () => {
  const cwd = createFolder(FILES);
  const cache = createDocumentCache(join(cwd, 'cache'));
  const entry = { document: {}, findings: [], operations: [], origins: [], places: [], files: [] };
  for (let i = 0; i < 25; i++) await cache.write(String(i).padStart(64, '0'), entry);
  expect((await listEntries(cwd)).length).toBe(20);
});

test('cacheFolder false, and a small document without a named folder, leave nothing behind', async () => {
  const cwd = createFolder({ ...FILES, 'node_modules/x': '' });
  await loadContract('api.yaml', { cwd, cacheFolder: false });
  await loadContract('api.yaml', { cwd });
  expect(await readdir(join(cwd, 'node_modules'))).toEqual(['x']);
});

test('a large document is kept with the other caches of the project', { tags: 'slow' }, async () => {
  const cwd = createFolder({
    'api.yaml': `${FILES['api.yaml']}\n# ${'x'.repeat(100_000)}`,
    'pet.yaml': '{}',
    'node_modules/x': '',
  });
  expect(readCacheFolder(cwd)).toBe(join(cwd, 'node_modules', '.cache', 'vouch'));
  await loadContract('api.yaml', { cwd });
  // Kept a moment after the start, so that no first request waits for it.
  const list = (): Promise<readonly string[]> => readdir(join(cwd, 'node_modules', '.cache', 'vouch')).catch(() => []);
  await expect.poll(async () => (await list()).filter((name) => name.endsWith('.v8')).length).toBe(1);
});

test('a mock stores its document in the folder it is given', async () => {
  const cwd = createFolder(FILES);
  const mock = await createMock({ spec: join(cwd, 'api.yaml'), document: { cacheFolder: join(cwd, 'cache') } });
  await mock.close();
  expect((await listEntries(cwd)).filter((name) => name.endsWith('.v8'))).toHaveLength(1);
});

const LIST_OF_PETS = '{type: array, items: {type: object, properties: {id: {type: string}, name: {type: string}}}}';
const PETS = `
openapi: 3.1.0
info: {title: Pets, version: "1"}
paths:
  /pets:
    get: {responses: {200: {description: ok, content: {application/json: {schema: ${LIST_OF_PETS}}}}}}
`;

test('resources that were inferred are kept beside the document, for each base path', { tags: 'slow' }, async () => {
  const cwd = createFolder({ 'api.yaml': PETS });
  const options = { spec: join(cwd, 'api.yaml'), document: { cacheFolder: join(cwd, 'cache') } };
  const cache = createDocumentCache(join(cwd, 'cache'));
  const listKept = async () => (await listEntries(cwd)).filter((name) => name.endsWith('.facts'));
  const readPets = async (path: string, basePath?: string): Promise<unknown> => {
    await using mock = await createMock({ ...options, ...(basePath !== undefined && { basePath }) });
    return (await mock.fetch(`http://localhost${path}`)).json();
  };
  const inferred = await readPets('/pets');
  await expect.poll(listKept).toHaveLength(1);
  expect(await readPets('/pets')).toEqual(inferred);
  expect(await readPets('/v1/pets', '/v1')).toEqual(inferred);
  await expect.poll(listKept).toHaveLength(2);
  // What was kept is used: here, that there are no collections.
  const resources = { collections: new Map(), bindings: [], unbound: [], unknownIds: undefined };
  const nothing = { resources, withTemplates: [], answersRanges: false, tagged: [], isStrict: false };
  for (const name of await listKept()) await cache.writeFacts(name.replace('.facts', ''), nothing);
  await using mock = await createMock(options);
  expect(() => mock.state.collection('pets')).toThrow('pets');
});

test.each(['spec/openapi.yaml', '../shared/specs/github.json'])(
  'the resources of %s are the same after they were kept',
  { tags: 'slow' },
  async (spec) => {
    if (!existsSync(spec)) return;
    const contract = await loadContract(spec, { preset: 'auto' });
    const resources = inferResources(contract);
    const kept = unpackResources(contract, deserialize(serialize(packResources(resources))));
    expect(kept).toStrictEqual(resources);
    expect([...kept.bindings.values()].every((each) => each.operation === contract.operation(each.operation.id))).toBe(
      true,
    );
  },
);
