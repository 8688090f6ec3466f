// @module-tag slow
import { existsSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { loadContract } from '../../src/contract/load/load.js';
import { MockError } from '../../src/base/errors.js';
import { loadFiles } from './loading.js';
import { createFolder } from '../folders.js';

async function readError(work: Promise<unknown>): Promise<MockError> {
  const result: unknown = await work.catch((error: unknown) => error);
  if (!(result instanceof MockError)) throw new Error(`no MockError but ${String(result)}`);
  return result;
}

const BOMB = [
  'openapi: 3.1.0',
  'paths: {}',
  'a0: &a0 [x, x, x, x, x, x, x, x, x, x]',
  ...Array.from({ length: 9 }, (_, i) => `a${i + 1}: &a${i + 1} [${`*a${i}, `.repeat(9)}*a${i}]`),
].join('\n');

/** [name, file name, text, wanted code, wanted message, wanted line and column]. */
const CASES: readonly (readonly [string, string, string, string, RegExp, string])[] = [
  ['an empty file', 'a.yaml', '', 'SPEC_INVALID', /is empty/u, '-'],
  ['nothing but comments', 'a.yaml', '# nothing\n', 'SPEC_INVALID', /has only comments/u, '-'],
  ['an unclosed list', 'a.yaml', 'openapi: 3.1.0\npaths: [1,\n', 'SPEC_INVALID', /deficient indentation/u, '3:1'],
  ['bad indentation', 'a.yaml', 'openapi: 3.1.0\ninfo:\n  title: a: b\n', 'SPEC_INVALID', /indentation/u, '3:11'],
  [
    'broken JSON',
    'a.json',
    '{\n  "openapi": "3.1.0",\n  "paths": {"/a": }}\n}',
    'SPEC_INVALID',
    /neither valid JSON/u,
    '4:1',
  ],
  ['an array', 'a.yaml', '- 1\n- 2\n', 'SPEC_INVALID', /got an array/u, '1:1'],
  ['a string', 'a.yaml', 'hello', 'SPEC_INVALID', /got a string/u, '1:1'],
  [
    'another kind of document',
    'a.yaml',
    'asyncapi: 3.0.0\nchannels: {}\n',
    'SPEC_INVALID',
    /neither "openapi"/u,
    '1:1',
  ],
  ['a YAML bomb', 'a.yaml', BOMB, 'SPEC_INVALID', /aliases expanded/u, '-'],
  [
    'an alias of itself',
    'a.yaml',
    'openapi: 3.1.0\npaths: &p\n  /a: *p\n',
    'SPEC_INVALID',
    /contains the alias itself/u,
    '-',
  ],
  ['an alias of nothing', 'a.yaml', 'openapi: 3.1.0\npaths: *p\n', 'SPEC_INVALID', /unidentified alias/u, '2:9'],
  ['bytes that are no text', 'a.yaml', '\u0000\u0001\u0002', 'SPEC_INVALID', /neither valid|cannot be parsed/u, '1:1'],
];

test.each(CASES)('%s is one clear error', async (_name, file, text, ...[code, message, place]) => {
  const error = await readError(loadFiles({ [file]: text }));
  expect(error.code).toBe(code);
  expect(error.reason).toMatch(message);
  expect(error.at?.file).toBe(file);
  expect(error.at?.line === undefined ? '-' : `${error.at.line}:${error.at.column}`).toBe(place);
});

test('the message of an error has the code, the place, the reason and the hint', async () => {
  const error = await readError(loadFiles({ 'a.yaml': '- 1' }));
  expect(error.message).toBe(
    'SPEC_INVALID  a.yaml:1:1  the document must be an object, got an array\n  hint: an OpenAPI document starts with "openapi: 3.1.0"',
  );
  expect(error.toString()).toBe(error.message);
});

test('a missing file, a folder and a URL that is not allowed are different errors', async () => {
  const cwd = createFolder({ 'folder/x': '' });
  expect(await readError(loadContract('gone.yaml', { cwd }))).toMatchObject({
    code: 'SPEC_NOT_FOUND',
    at: { file: 'gone.yaml' },
  });
  expect(await readError(loadContract('folder', { cwd }))).toMatchObject({
    code: 'SPEC_UNREADABLE',
    at: { file: 'folder' },
  });
  expect(await readError(loadContract('https://example.com/a.yaml', { cwd }))).toMatchObject({
    code: 'SPEC_UNREADABLE',
  });
  expect(await readError(loadContract('https://', { cwd }))).toMatchObject({ code: 'SPEC_NOT_FOUND' });
  expect((await readError(loadContract('gone.yaml', { cwd }))).hint).toMatch(/working folder/u);
});

test('an object that contains itself gets a hint to use references', async () => {
  const document: Record<string, unknown> = { openapi: '3.1.0' };
  document['paths'] = document;
  expect(await readError(loadContract(document))).toMatchObject({ code: 'SPEC_INVALID', hint: /\$ref/u });
});

/** [name, text, wanted problem codes]. */
const OVERLOOKED: readonly (readonly [string, string, readonly string[]])[] = [
  [
    'a key that stands twice',
    'openapi: 3.1.0\ninfo: {}\npaths: {/a: {}}\npaths: {/b: {get: {responses: {200: {}}}}}\n',
    ['DUPLICATE_KEY'],
  ],
  [
    'a second YAML document',
    'openapi: 3.1.0\ninfo: {}\npaths: {/b: {get: {responses: {200: {}}}}}\n---\nmore: 1\n',
    ['TRAILING_CONTENT'],
  ],
  [
    'a flow mapping that ends at the column of its key',
    'openapi: 3.1.0\ninfo: {}\npaths:\n  /b:\n    get:\n      x-one: {\n        "a": [\n          1\n      ]\n      }\n      responses: {200: {}}\n',
    ['FLOW_INDENT'],
  ],
  [
    'text after JSON',
    '{"openapi": "3.1.0", "info": {}, "paths": {"/b": {"get": {"responses": {"200": {}}}}}} junk',
    ['TRAILING_CONTENT'],
  ],
  [
    'a trailing comma in JSON',
    '{"openapi": "3.1.0", "info": {}, "paths": {"/b": {"get": {"responses": {"200": {}}}}},}',
    [],
  ],
  ['a byte order mark', '\uFEFFopenapi: 3.1.0\ninfo: {}\npaths: {/b: {get: {responses: {200: {}}}}}\n', []],
  ['merge keys', 'x: &x {get: {responses: {200: {}}}}\nopenapi: 3.1.0\ninfo: {}\npaths: {/b: {<<: *x}}\n', []],
  ['a tag nobody knows', 'openapi: !version 3.1.0\ninfo: !x {}\npaths: {/b: {get: {responses: {200: {}}}}}\n', []],
  ['Windows line ends', 'openapi: 3.1.0\r\ninfo: {}\r\npaths: {/b: {get: {responses: {200: {}}}}}\r\n', []],
];

test.each(OVERLOOKED)('%s does not stop the start', async (_name, text, want) => {
  const contract = await loadFiles({ 'a.yaml': text });
  expect(contract.operations.map(({ path }) => path)).toEqual(['/b']);
  expect(contract.problems.map(({ code }) => code)).toEqual(want);
});

test.each([
  ['in quotes', 'openapi: 3.1.0\ninfo: {}\npaths:\n  "/a b": {}\n  "/a b": {}\n', '/a b', { line: 5, column: 3 }],
  ['without quotes', 'openapi: 3.1.0\ninfo: {}\npaths:\n  /a: {}\n  /a: {}\n', '/a', { line: 5, column: 3 }],
  [
    'of JSON with a comma at the end',
    '{"openapi": "3.1.0", "paths": {},\n"info": {},\n "info": {},}',
    'info',
    { line: 3, column: 2 },
  ],
])('a key %s that is there twice is named with its line and column', async (_, text, key, at) => {
  const contract = await loadFiles({ 'a.yaml': text });
  const found = contract.problems.find(({ code }) => code === 'DUPLICATE_KEY');
  expect(found?.message).toBe(`a mapping has the key "${key}" twice`);
  expect(found?.at).toMatchObject({ file: 'a.yaml', ...at });
});

test('content after the document is reported where it begins', async () => {
  const contract = await loadFiles({ 'a.json': '{"openapi": "3.1.0", "info": {}, "paths": {}}\n  more' });
  const found = contract.problems.find(({ code }) => code === 'TRAILING_CONTENT');
  expect(found?.at).toMatchObject({ file: 'a.json', line: 2, column: 3 });
});

test('flow mappings that end at the column of their keys are read, and texts with brackets stay as they are', async () => {
  const example = (i: number): string => `x-${i}: {\n  "a": "}",\n  "b": {\n    "c": ${i}\n  }\n}`;
  const text = [
    'openapi: 3.1.0',
    'info: {}',
    'x-text: |',
    '  code: {',
    '    a',
    '  }',
    ...Array.from({ length: 300 }, (_, i) => example(i)),
    'x-items:',
    '  - x: {',
    '"y": 1',
    '    }',
    'x-empty: {}',
    'paths: 1',
  ];
  const contract = await loadFiles({ 'a.yaml': `${text.join('\n')}\n` });
  expect(contract.at('/x-299')).toEqual({ a: '}', b: { c: 299 } });
  expect(contract.at('/x-text')).toBe('code: {\n  a\n}\n');
  expect(contract.at('/x-items')).toEqual([{ x: { y: 1 } }]);
  const [type, indent] = contract.problems;
  expect(indent).toMatchObject({ code: 'FLOW_INDENT', severity: 'warning' });
  expect(indent?.message).toContain('(lines 12, 18, 24, 30, 36, …)');
  expect(type).toMatchObject({ code: 'TYPE_MISMATCH', at: { line: text.join('\n').split('\n').length } });
});

test('a flow mapping that is never closed is still one clear error', async () => {
  const error = await readError(loadFiles({ 'a.yaml': 'openapi: 3.1.0\ninfo: {\n  a: 1\npaths: {}\n' }));
  expect(error).toMatchObject({ code: 'SPEC_INVALID', at: { line: 4 } });
});

test('dates, versions and numbers of YAML stay what JSON can say', async () => {
  const contract = await loadFiles({
    'a.yaml':
      'openapi: 3.1.0\ninfo: {}\npaths: {}\nx-data: [2020-01-01, 1e3, 0o17, yes, ~, .5, 12:30:45, !!binary aGk=]\n',
  });
  expect(contract.at('/x-data')).toEqual(['2020-01-01', 1000, 15, 'yes', null, 0.5, '12:30:45', 'aGk=']);
});

function nest(depth: number, wrap: (inner: object) => object): object {
  let schema: object = { type: 'string' };
  for (let i = 0; i < depth; i++) schema = wrap(schema);
  return { openapi: '3.1.0', info: {}, paths: {}, components: { schemas: { Deep: schema } } };
}

test('a schema 200 levels deep loads', async () => {
  const contract = await loadContract(nest(200, (inner) => ({ properties: { a: inner } })));
  expect(contract.at(`/components/schemas/Deep${'/properties/a'.repeat(200)}`)).toEqual({ type: 'string' });
});

test.each([400, 3000])('a schema %d levels deep is one clear error', async (depth) => {
  const error = await readError(loadContract(nest(depth, (inner) => ({ properties: { a: inner } }))));
  expect(error).toMatchObject({ code: 'SPEC_INVALID', message: /deep/u });
});

test('JSON text that nests beyond any stack is one clear error', async () => {
  const text = `{"openapi":"3.1.0","paths":{},"x":${'['.repeat(100_000)}${']'.repeat(100_000)}}`;
  const result: unknown = await loadFiles({ 'a.json': text }).catch((error: unknown) => error);
  expect(result instanceof MockError || (result !== null && typeof result === 'object' && 'operations' in result)).toBe(
    true,
  );
});

const SPECS = join(import.meta.dirname, '../../../shared/specs');
const PETSTORES = ['petstore-2.0.yaml', 'petstore-3.0.yaml', 'petstore-3.1.json'].filter((name) =>
  existsSync(join(SPECS, name)),
);

describe.skipIf(PETSTORES.length === 0)('mutated petstores of ../shared/specs (skipped where they are absent)', () => {
  test.each(PETSTORES)('%s with characters lost, doubled or put in loads or gives one clear error', async (name) => {
    const text = readFileSync(join(SPECS, name), 'utf8');
    const folder = createFolder({});
    const mutation = fc.record({
      at: fc.nat(text.length),
      length: fc.integer({ min: 1, max: 40 }),
      put: fc.constantFrom('', '{', '}', '[', ':', '&a ', '*a', '|', '\t', '\0', '"', '- ', '<<: ', undefined),
    });
    await fc.assert(
      fc.asyncProperty(mutation, async ({ at, length, put }) => {
        // Nothing put in: the characters before the place are doubled.
        const middle = put ?? text.slice(Math.max(0, at - length), at);
        const rest = text.slice(put === '' ? at + length : at);
        await writeFile(join(folder, name), text.slice(0, at) + middle + rest);
        const result: unknown = await loadContract(name, { cwd: folder, cacheFolder: false }).catch(
          (error: unknown) => error,
        );
        if (result instanceof MockError) expect(result.at?.file).toBe(name);
        else expect(result).toHaveProperty('operations');
      }),
      { numRuns: 50 },
    );
  });
});
