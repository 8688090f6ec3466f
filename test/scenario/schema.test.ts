import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { load } from 'js-yaml';
import { beforeAll, describe, expect, it } from 'vitest';
import { getLanguageService, TextDocument, type LanguageService } from 'vscode-json-languageservice';
import { runSchema } from '../../src/cli/commands/schema.js';
import { createSharedFolder } from '../folders.js';

const folder = createSharedFolder();
let schema: object;
let service: LanguageService;
const lines: string[] = [];

beforeAll(async () => {
  const code = await runSchema({ spec: 'spec/openapi.yaml', out: folder, write: (line) => void lines.push(line) });
  expect(code).toBe(0);
  schema = JSON.parse(await readFile(join(folder, 'scenario.schema.json'), 'utf8')) as object;
  service = getLanguageService({});
  // The service resolves references in place, which makes a recursive schema cyclic.
  const own = structuredClone(schema);
  service.configure({ schemas: [{ uri: 'vouch://scenario', fileMatch: ['*'], schema: own }] });
});

it('says that a folder cannot be written to', async () => {
  const file = join(folder, 'a-file');
  await writeFile(file, '');
  await expect(
    runSchema({ spec: 'spec/openapi.yaml', out: join(file, 'below'), write: () => undefined }),
  ).rejects.toThrow(
    expect.objectContaining({ code: 'OPTION_INVALID', hint: 'name a file or folder that you may write to' }),
  );
});

/** What an editor offers at the `|` of a text. */
async function complete(text: string): Promise<readonly string[]> {
  const offset = text.indexOf('|');
  const document = TextDocument.create('file:///a.json', 'json', 1, text.replace('|', ''));
  const parsed = service.parseJSONDocument(document);
  const list = await service.doComplete(document, document.positionAt(offset), parsed);
  return list?.items.map(({ label }) => label) ?? [];
}

/** What an editor underlines. */
async function complain(text: string): Promise<readonly string[]> {
  const document = TextDocument.create('file:///a.json', 'json', 1, text);
  const found = await service.doValidation(document, service.parseJSONDocument(document));
  return found.map(({ message }) => (typeof message === 'string' ? message : message.value));
}

const rule = (text: string, operation = 'createAdminApiKey'): string =>
  `{ "operations": { "${operation}": [ ${text} ] } }`;

describe('an editor with the generated schema', () => {
  const cases: readonly (readonly [string, string, readonly string[]])[] = [
    [
      'operation ids',
      '{ "operations": { | } }',
      ['*', 'downloadFile', 'listAdminApiKeys', 'createAdminApiKey', 'deleteVectorStoreFile'],
    ],
    ['collections', '{ "state": { | } }', ['admin_api_keys', 'files', 'vector_stores']],
    [
      'fields of an item',
      '{ "state": { "admin_api_keys": { "add": [ { | } ] } } }',
      ['id', 'name', 'redacted_value', 'owner'],
    ],
    ['keys of a rule', rule('{ | }'), ['when', 'respond', 'patch', 'sequence', 'fault', 'delay', 'violates']],
    ['keys of an answer', rule('{ "respond": { | } }'), ['status', 'body', 'example', 'headers']],
    ['documented statuses', rule('{ "respond": { "status": | } }'), ['200', '400', '401', '429', '500']],
    ['examples of a status', rule('{ "respond": { "status": 429, "example": | } }'), ['"slow-down"']],
    ['examples of a success', rule('{ "respond": { "example": | } }', 'listAdminApiKeys'), ['"page"', '"empty"']],
    [
      'fields of an error body',
      rule('{ "respond": { "status": 429, "body": { "error": { | } } } }'),
      ['message', 'type', 'param', 'code'],
    ],
    [
      'fields of a body without a status',
      rule('{ "respond": { "body": { | } } }', 'listAdminApiKeys'),
      ['data', 'has_more', 'first_id'],
    ],
    ['query parameters', rule('{ "when": { "query": { | } } }', 'listAdminApiKeys'), ['after', 'order', 'limit']],
    ['values of a parameter', rule('{ "when": { "query": { "order": | } } }', 'listAdminApiKeys'), ['"asc"', '"desc"']],
    ['fields of a request body', rule('{ "when": { "body": { | } } }'), ['name', 'matches', 'jsonPath']],
    ['matchers of a field', rule('{ "when": { "body": { "name": { | } } } }'), ['matches', 'contains', 'oneOf', 'not']],
    [
      'matchers of a parameter',
      rule('{ "when": { "query": { "limit": { | } } } }', 'listAdminApiKeys'),
      ['gt', 'gte', 'lt', 'lte', 'present'],
    ],
    [
      'matchers in a matcher',
      rule('{ "when": { "query": { "limit": { "not": { | } } } } }', 'listAdminApiKeys'),
      ['oneOf', 'present'],
    ],
    ['faults', rule('{ "fault": | }'), ['"reset"', '"empty"', '"hang"', '"malformed-json"']],
    ['statuses of a step', rule('{ "sequence": [ { "status": | } ] }'), ['200', '429', '500']],
  ];

  it.each(cases)('completes %s', async (_name, text, want) => {
    expect(await complete(text)).toEqual(expect.arrayContaining([...want]));
  });

  it('offers documented statuses only', async () => {
    expect(await complete(rule('{ "respond": { "status": | } }'))).not.toContain('403');
  });

  it.each([
    ['an unknown operation', rule('{ "respond": { "status": 200 } }', 'listKeys')],
    ['an undocumented status', rule('{ "respond": { "status": 403 } }')],
    ['a field of another type', rule('{ "respond": { "status": 429, "body": { "error": { "message": 7 } } } }')],
    ['an unknown collection', '{ "state": { "keys": {} } }'],
    ['a probability of 5', rule('{ "probability": 5, "delay": 3 }')],
    ['a comparison with a word', rule('{ "delay": 3, "when": { "body": { "name": { "gt": "many" } } } }')],
  ])('underlines %s', async (_name, text) => {
    expect(await complain(text)).not.toEqual([]);
  });

  it.each([
    [
      'an undocumented status of a rule that says why',
      rule('{ "violates": "on purpose", "respond": { "status": 403 } }'),
    ],
    [
      'an expression instead of a number',
      '{ "state": { "admin_api_keys": { "add": [ { "created_at": "$vars.when" } ] } } }',
    ],
    ['a part of a body', rule('{ "respond": { "status": 429, "body": { "error": { "message": "slow" } } } }')],
    ['matchers', rule('{ "delay": 3, "when": { "body": { "name": { "oneOf": ["a", { "matches": "^b" }] } } } }')],
    ['a route', rule('{ "delay": "2s" }', 'GET /organization/admin_api_keys')],
  ])('accepts %s', async (_name, text) => {
    expect(await complain(text)).toEqual([]);
  });
});

describe('the generated schema', () => {
  it('is a schema of draft 2020-12', () => {
    expect(new Ajv2020({ strict: false }).validateSchema(schema)).toBe(true);
  });

  it('accepts every shipped scenario', { tags: 'slow' }, async () => {
    const check = new Ajv2020({ strict: false, validateFormats: false, code: { optimize: false } }).compile(schema);
    const names = await readdir('scenarios');
    const results = await Promise.all(
      names.map(async (name) => {
        check(load(await readFile(join('scenarios', name), 'utf8')));
        return [name, check.errors ?? []];
      }),
    );
    expect(results).toEqual(names.map((name) => [name, []]));
    expect(results.length).toBeGreaterThan(15);
  });

  it('is written beside one for each collection, which accepts the shipped fixture', async () => {
    expect(lines.join('\n')).toContain('admin_api_keys.schema.json');
    for (const name of ['admin_api_keys', 'files', 'vector_stores', 'vector_stores.files']) {
      const text = await readFile(join(folder, 'fixtures', `${name}.schema.json`), 'utf8');
      const check = new Ajv2020({ strict: false, validateFormats: false, code: { optimize: false } }).compile(
        JSON.parse(text) as object,
      );
      check(load(await readFile(join('fixtures', `${name}.yaml`), 'utf8')));
      expect([name, check.errors]).toEqual([name, null]);
    }
  });
});
