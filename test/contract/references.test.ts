import { createServer } from 'node:http';
import { expect, test } from 'vitest';
import type { Contract } from '../../src/contract/contract.js';
import { loadContract } from '../../src/contract/load/load.js';
import { isPrivateAddress } from '../../src/contract/load/remote.js';
import { documentOf, listProblems, loadFiles } from './loading.js';
import { createFolder } from '../folders.js';
import { loadCases } from '../load-cases.js';
import { serveInTest } from '../serve-in-test.js';

const HEAD = 'openapi: 3.1.0\ninfo: {title: T, version: "1"}\npaths: {}\n';

/** `components.schemas.Subject` of the contract, its references followed. */
function readSubject(contract: Contract): unknown {
  return contract.resolve({ $ref: '#/components/schemas/Subject' }, '').schema;
}

interface Case {
  readonly name: string;
  readonly files: Readonly<Record<string, string>>;
  readonly want: unknown;
  readonly problems: readonly string[];
}

test.each(loadCases<readonly Case[]>('contract/references.yaml'))(
  'a reference to $name',
  async ({ files, want, problems }) => {
    const contract = await loadFiles(files);
    expect(readSubject(contract)).toEqual(want);
    expect(listProblems(contract)).toEqual(problems);
  },
);

test('files that refer to each other in a circle load, and each node is copied once', async () => {
  const contract = await loadFiles({
    'main.yaml': `${HEAD}components: {schemas: {Subject: {$ref: "a.yaml"}}}`,
    'a.yaml': 'type: object\nproperties: {b: {$ref: "b.yaml"}, main: {$ref: "main.yaml#/components/schemas/Subject"}}',
    'b.yaml': 'type: object\nproperties: {a: {$ref: "a.yaml#"}}',
  });
  expect(contract.problems).toEqual([]);
  expect(contract.at('/x-vouch-files')).toEqual({
    1: {
      a: {
        type: 'object',
        properties: { b: { $ref: '#/x-vouch-files/2/b' }, main: { $ref: '#/components/schemas/Subject' } },
      },
    },
    2: { b: { type: 'object', properties: { a: { $ref: '#/x-vouch-files/1/a' } } } },
  });
});

test('whole path items, parameters, bodies, responses, headers and examples come from other files', async () => {
  const contract = await loadFiles({
    'main.yaml': `openapi: 3.0.3\ninfo: {title: T, version: "1"}\npaths:\n  /a/{id}: {$ref: "item.yaml"}\n`,
    'item.yaml': [
      'parameters: [{$ref: "parts.yaml#/id"}]',
      'post:',
      '  requestBody: {$ref: "parts.yaml#/body"}',
      '  responses: {200: {$ref: "parts.yaml#/ok"}}',
    ].join('\n'),
    'parts.yaml': [
      'id: {name: id, in: path, required: true, schema: {type: string}}',
      'body: {required: true, content: {application/json: {schema: {$ref: "#/thing"}, examples: {one: {$ref: "#/one"}}}}}',
      'ok: {description: fine, headers: {X-A: {$ref: "#/head"}}, content: {application/json: {schema: {$ref: "#/thing"}}}}',
      'head: {schema: {type: integer}}',
      'one: {value: {$ref: kept}}',
      'thing: {type: object, nullable: true}',
    ].join('\n'),
  });
  const operation = contract.operations[0];
  expect(listProblems(contract)).toEqual([]);
  expect(operation?.parameters.map(({ name }) => name)).toEqual(['id']);
  expect(operation?.body?.content[0]?.examples[0]).toMatchObject({ name: 'one', value: { $ref: 'kept' } });
  expect(operation?.responses[0]?.headers[0]?.schema).toEqual({ type: 'integer' });
  expect(contract.resolve(operation?.responses[0]?.content[0]?.schema ?? true, '').schema).toEqual({
    type: ['object', 'null'],
  });
  expect(contract.locate(operation?.body?.content[0]?.pointer ?? '')).toMatchObject({ file: 'parts.yaml', line: 2 });
});

test('members beside the $ref of a path item come on top of what it leads to', async () => {
  const contract = await loadFiles({
    'main.yaml': [
      'openapi: 3.1.0',
      'info: {title: T, version: "1"}',
      'paths:',
      '  /a:',
      '    $ref: "item.yaml"',
      '    x-own: 1',
      '    parameters: [{name: own, in: query, schema: {type: string}}]',
      '    post: {responses: {201: {description: made}}}',
    ].join('\n'),
    'item.yaml': [
      'x-far: 2',
      'parameters: [{name: far, in: query, schema: {type: string}}]',
      'get: {responses: {200: {description: ok}}}',
      'post: {responses: {200: {description: ok}}}',
    ].join('\n'),
  });
  expect(contract.operations.map(({ method, responses }) => [method, responses[0]?.status])).toEqual([
    ['POST', '201'],
    ['GET', '200'],
  ]);
  for (const { parameters, extensions, pointer } of contract.operations) {
    expect(parameters.map(({ name }) => name)).toEqual(['own']);
    expect(extensions).toEqual({ 'x-own': 1, 'x-far': 2 });
    expect(contract.at(pointer)).toBeDefined();
    for (const { schemaPointer, schema } of parameters) expect(contract.at(schemaPointer)).toEqual(schema);
  }
});

test('a reference in an example value or an extension is a value', async () => {
  const contract = await loadContract(
    documentOf('3.1.0', {
      examples: [{ $ref: '#/gone' }],
      'x-y': { $ref: 'gone.yaml' },
      properties: { $ref: { const: { $ref: 1 } } },
    }),
  );
  expect(contract.problems).toEqual([]);
});

test('a reference to a private address is refused, even where the network is allowed', async () => {
  const server = createServer((_request, response) => response.end('type: string'));
  const url = await serveInTest(server);
  for (const origin of [url, url.replace('127.0.0.1', 'localhost')]) {
    const spec = documentOf('3.1.0', { $ref: `${origin}/a.yaml` });
    const refused = await loadContract(spec, { allowHttpRefs: true });
    expect(refused.problems.map(({ code }) => code)).toEqual(['REFERENCE_REFUSED']);
  }
});

test('a document at a URL the user typed may refer to its own host, and never to files', async () => {
  const folder = createFolder({ 'secret.yaml': 'type: string' });
  const server = createServer((request, response) => {
    const files: Readonly<Record<string, string>> = {
      '/api.yaml': `${HEAD}components: {schemas: {Subject: {$ref: "pet.yaml"}, Other: {$ref: "file://${folder}/secret.yaml"}, Far: {$ref: "https://api.example.com/far.yaml"}}}`,
      '/pet.yaml': 'type: integer',
    };
    const text = files[request.url ?? ''];
    response.statusCode = text === undefined ? 404 : 200;
    response.end(text);
  });
  const url = await serveInTest(server);
  const contract = await loadContract(`${url}/api.yaml`, { cacheFolder: false });
  expect(readSubject(contract)).toEqual({ type: 'integer' });
  expect(contract.problems.map(({ message }) => message).toSorted()).toEqual([
    `the reference "file://${folder}/secret.yaml" cannot be resolved: a document from the network may not read files`,
    expect.stringContaining('http(s) is not allowed'),
  ]);
  await expect(loadContract(`${url}/gone`, { allowHttpRefs: true })).rejects.toMatchObject({
    code: 'SPEC_UNREADABLE',
    reason: 'the document cannot be fetched: it answers 404',
  });
});

test.each([
  ['127.0.0.1', true],
  ['10.1.2.3', true],
  ['169.254.169.254', true],
  ['172.31.0.1', true],
  ['192.168.1.1', true],
  ['100.64.0.1', true],
  ['0.0.0.0', true],
  ['::1', true],
  ['::', true],
  ['fd00::1', true],
  ['fe80::1', true],
  ['::ffff:127.0.0.1', true],
  ['8.8.8.8', false],
  ['172.32.0.1', false],
  ['2606:4700::1', false],
])('%s is a private address: %s', (address, want) => {
  expect(isPrivateAddress(address)).toBe(want);
});
