import { expect, test } from 'vitest';
import { loadContract } from '../../src/contract/load/load.js';
import type { Operation } from '../../src/contract/operations/operation.js';
import { listProblems, loadFiles } from './loading.js';
import { createFolder } from '../folders.js';
import { ref, INTEGER, TEXT, object, arrayOf } from '../document-parts.js';

/** The one operation of a Swagger 2.0 document, POST /things, and its contract. */
async function loadPost(
  operation: object,
  more: object = {},
): Promise<{ operation: Operation; contract: Awaited<ReturnType<typeof loadContract>> }> {
  const document = {
    swagger: '2.0',
    info: { title: 'T', version: '1' },
    paths: { '/things': { post: operation } },
    ...more,
  };
  const contract = await loadContract(document);
  const found = contract.operations[0];
  if (found === undefined) throw new Error('the document has no operation');
  return { operation: found, contract };
}

const OK = { 200: { description: 'ok' } };

test('a body parameter is the request body under each type of consumes', async () => {
  const body = { in: 'body', name: 'x', required: true, schema: { $ref: '#/definitions/Thing' } };
  const { operation, contract } = await loadPost(
    {
      consumes: ['application/json', 'application/xml'],
      parameters: [body, { in: 'query', name: 'q', type: 'integer' }],
      responses: OK,
    },
    { definitions: { Thing: { type: 'object' } } },
  );
  expect(operation.body?.required).toBe(true);
  expect(operation.body?.content.map(({ type, schema }) => [type, schema])).toEqual([
    ['application/json', ref('Thing')],
    ['application/xml', ref('Thing')],
  ]);
  expect(operation.parameters.map(({ name, in: place, schema }) => [name, place, schema])).toEqual([
    ['q', 'query', INTEGER],
  ]);
  expect(contract.at(operation.body?.content[0]?.schemaPointer ?? '')).toEqual(ref('Thing'));
});

test("an operation's consumes and produces replace the document's", async () => {
  const { operation } = await loadPost(
    { consumes: ['text/csv'], parameters: [{ in: 'body', name: 'x', schema: {} }], responses: { 200: { schema: {} } } },
    { consumes: ['application/json'], produces: ['application/xml'] },
  );
  expect(operation.body?.content.map(({ type }) => type)).toEqual(['text/csv']);
  expect(operation.responses[0]?.content.map(({ type }) => type)).toEqual(['application/xml']);
});

test('form parameters are the properties of one form body', async () => {
  const { operation, contract } = await loadPost({
    parameters: [
      { in: 'formData', name: 'name', type: 'string', required: true, description: 'd' },
      { in: 'formData', name: 'tags', type: 'array', items: TEXT, collectionFormat: 'multi' },
    ],
    responses: OK,
  });
  const media = operation.body?.content[0];
  expect(media?.type).toBe('application/x-www-form-urlencoded');
  expect(media?.schema).toEqual(object({ name: { type: 'string', description: 'd' }, tags: arrayOf(TEXT) }, 'name'));
  expect(media?.encoding['tags']).toMatchObject({ style: 'form', explode: true });
  expect(contract.problems).toEqual([]);
});

test('a form with a file is multipart', async () => {
  const { operation } = await loadPost({ parameters: [{ in: 'formData', name: 'f', type: 'file' }], responses: OK });
  expect(operation.body?.content[0]?.type).toBe('multipart/form-data');
  expect(operation.body?.content[0]?.schema).toMatchObject({ properties: { f: { type: 'string', format: 'binary' } } });
});

test.each([
  ['csv', 'form', false],
  ['ssv', 'spaceDelimited', false],
  ['pipes', 'pipeDelimited', false],
  ['multi', 'form', true],
  [undefined, 'form', false],
])('collectionFormat %s of a query is style %s with explode %s', async (collectionFormat, style, explode) => {
  const parameter = { in: 'query', name: 'q', type: 'array', items: TEXT, collectionFormat };
  const { operation } = await loadPost({ parameters: [parameter], responses: OK });
  expect(operation.parameters[0]).toMatchObject({ style, explode, schema: arrayOf(TEXT) });
});

test('shared parameters and responses are found, a shared body among them', async () => {
  const { operation, contract } = await loadPost(
    {
      parameters: [{ $ref: '#/parameters/Body' }, { $ref: '#/parameters/Limit' }],
      responses: { 200: { $ref: '#/responses/Ok' } },
    },
    {
      produces: ['application/json'],
      parameters: {
        Body: { in: 'body', name: 'x', schema: { $ref: '#/definitions/Thing' } },
        Limit: { in: 'query', name: 'limit', type: 'integer', maximum: 9 },
      },
      responses: { Ok: { description: 'fine', schema: { $ref: '#/definitions/Thing' } } },
      definitions: { Thing: { type: 'object', 'x-nullable': true } },
    },
  );
  expect(operation.parameters.map(({ name, schema }) => [name, schema])).toEqual([
    ['limit', { type: 'integer', maximum: 9 }],
  ]);
  const { schema = true, schemaPointer = '' } = operation.body?.content[0] ?? {};
  expect(contract.resolve(schema, schemaPointer).schema).toEqual({ type: ['object', 'null'] });
  expect(operation.responses[0]).toMatchObject({ description: 'fine', pointer: '/components/responses/Ok' });
  expect(operation.responses[0]?.content[0]?.schema).toEqual(ref('Thing'));
  expect(listProblems(contract)).toEqual([]);
});

test("a path item's body parameter is inherited and overridden", async () => {
  const body = (type: string): object => ({ in: 'body', name: 'x', schema: { type } });
  const contract = await loadContract({
    swagger: '2.0',
    info: {},
    paths: {
      '/a': {
        parameters: [body('string')],
        put: { responses: OK },
        post: { parameters: [body('integer')], responses: OK },
      },
    },
  });
  expect(contract.operations.map(({ method, body }) => [method, body?.content[0]?.schema])).toEqual([
    ['PUT', TEXT],
    ['POST', INTEGER],
  ]);
});

test('response examples and headers keep their place', async () => {
  const { operation, contract } = await loadPost({
    produces: ['application/json'],
    responses: {
      200: {
        schema: { type: 'object' },
        examples: { 'application/json': { a: 1 } },
        headers: { 'X-Count': { type: 'integer', minimum: 1 } },
      },
    },
  });
  const response = operation.responses[0];
  expect(response?.content[0]?.examples.map(({ value }) => value)).toEqual([{ a: 1 }]);
  expect(response?.headers.map(({ name, schema }) => [name, schema])).toEqual([
    ['X-Count', { type: 'integer', minimum: 1 }],
  ]);
  expect(contract.locate(response?.content[0]?.schemaPointer ?? '').pointer).toBe(
    '/paths/~1things/post/responses/200/schema',
  );
});

test.each([
  [{ type: 'basic' }, { type: 'http', scheme: 'basic' }],
  [
    { type: 'apiKey', in: 'header', name: 'X-Key' },
    { type: 'apiKey', in: 'header', key: 'X-Key' },
  ],
  [{ type: 'oauth2', flow: 'accessCode', tokenUrl: 'https://e.x' }, { type: 'oauth2' }],
])('security definition %j is scheme %j', async (definition, want) => {
  const { contract } = await loadPost({ responses: OK }, { securityDefinitions: { s: definition } });
  expect(contract.securitySchemes['s']).toMatchObject(want);
});

test.each([
  [{ basePath: '/v1' }, ['/v1', '']],
  [{ host: 'e.x', basePath: 'v2/', schemes: ['http', 'https'] }, ['/v2', '']],
  [{ host: 'e.x' }, ['']],
])('%j is served under %j', async (more, want) => {
  const { operation } = await loadPost({ responses: OK }, more);
  expect(operation.basePaths).toEqual(want);
});

test('problems name the line of the 2.0 text', async () => {
  const contract = await loadFiles({
    'old.yaml': [
      'swagger: "2.0"',
      'info: {title: T, version: "1"}',
      'paths:',
      '  /a:',
      '    get:',
      '      parameters:',
      '        - {in: query, name: q, type: wrong}',
      '      responses:',
      '        200:',
      '          description: ok',
      '          schema:',
      '            type: integer',
      '            minimum: low',
    ].join('\n'),
  });
  expect(contract.problems.map(({ at }) => `${at.file}:${at.line}`).toSorted()).toEqual(['old.yaml:13', 'old.yaml:7']);
});

test('a 2.0 document of several files finds parameters and bodies in the others', async () => {
  const folder = createFolder({
    'main.yaml': 'swagger: "2.0"\ninfo: {title: T, version: "1"}\npaths:\n  /a: {$ref: "paths/a.yaml"}\n',
    'paths/a.yaml': [
      'post:',
      '  parameters:',
      '    - $ref: "../shared.yaml#/body"',
      '    - $ref: "../shared.yaml#/limit"',
      '  responses: {200: {description: ok, schema: {$ref: "../shared.yaml#/thing"}}}',
    ].join('\n'),
    'shared.yaml': [
      'body: {in: body, name: b, schema: {$ref: "#/thing"}}',
      'limit: {in: query, name: limit, type: integer}',
      'thing: {type: object, x-nullable: true}',
    ].join('\n'),
  });
  const contract = await loadContract('main.yaml', { cwd: folder, cacheFolder: false });
  const operation = contract.operations[0];
  expect(listProblems(contract)).toEqual([]);
  expect(operation?.parameters.map(({ name, schema }) => [name, schema])).toEqual([['limit', INTEGER]]);
  for (const media of [operation?.body?.content[0], operation?.responses[0]?.content[0]]) {
    expect(contract.resolve(media?.schema ?? true, '').schema).toEqual({ type: ['object', 'null'] });
  }
});
