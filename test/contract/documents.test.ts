import { expect, test } from 'vitest';
import { loadContract } from '../../src/contract/load/load.js';
import type { Contract } from '../../src/contract/contract.js';
import { listProblems, loadFiles } from './loading.js';
import { loadCases } from '../load-cases.js';
import { toDocument } from '../document-parts.js';

const OK = { 200: { description: 'ok' } };

/** `METHOD path id statuses` of each operation. */
function listOperations(contract: Contract): readonly string[] {
  return contract.operations.map(({ method, path, id, responses }) =>
    [method, path, `(${id})`, ...responses.map(({ status }) => status)].join(' '),
  );
}

/** The contract of one operation, `GET /a`, and the operation. */
async function loadGet(
  operation: object,
  more: object = {},
): Promise<{ readonly contract: Contract; readonly operation: Contract['operations'][number] | undefined }> {
  const contract = await loadContract(toDocument({ '/a': { get: { responses: OK, ...operation } } }, undefined, more));
  return { contract, operation: contract.operations[0] };
}

interface Case {
  readonly name: string;
  readonly document: object;
  /** `METHOD path (id) statuses` of each. */
  readonly operations: readonly string[];
  readonly problems: readonly string[];
}

const CASES = loadCases<readonly Case[]>('contract/documents.yaml');

test.each(CASES)('a document with $name loads', async ({ document, operations, problems }) => {
  const before = structuredClone(document);
  const contract = await loadContract(document);
  expect(listOperations(contract)).toEqual(operations);
  expect(listProblems(contract).toSorted()).toEqual(problems);
  expect(document).toEqual(before);
});

test('an undeclared path parameter is any text', async () => {
  const contract = await loadContract({ openapi: '3.1.0', info: {}, paths: { '/a/{x}': { get: { responses: OK } } } });
  const parameter = contract.operations[0]?.parameters[0];
  expect(parameter).toMatchObject({ name: 'x', in: 'path', required: true, schema: { type: 'string' } });
  expect(contract.at(parameter?.schemaPointer ?? '')).toEqual({ type: 'string' });
});

/** [parameter, wanted]. */
const PARAMETERS: readonly (readonly [object, object])[] = [
  [
    { name: 'a', in: 'query' },
    { style: 'form', explode: true, required: false, schemaPointer: '/x-vouch/anything' },
  ],
  [
    { name: 'a', in: 'query', style: 'pipeDelimited', schema: {} },
    { style: 'pipeDelimited', explode: false },
  ],
  [
    { name: 'a', in: 'query', style: 'simple', schema: {} },
    { style: 'form', explode: true },
  ],
  [
    { name: 'a', in: 'path', schema: {} },
    { style: 'simple', explode: false, required: true },
  ],
  [
    { name: 'a', in: 'header', schema: {}, explode: true },
    { style: 'simple', explode: true },
  ],
  [
    { name: 'a', in: 'cookie', schema: {} },
    { style: 'form', explode: true },
  ],
  [
    { name: 'a', in: 'cookie', style: 'cookie', schema: {} },
    { style: 'cookie', explode: true },
  ],
  [
    { name: 'a', in: 'querystring', content: { 'application/x-www-form-urlencoded': { schema: { type: 'object' } } } },
    { mediaType: 'application/x-www-form-urlencoded', schema: { type: 'object' } },
  ],
  [
    { name: 'a', in: 'query', type: 'integer', maximum: 3 },
    { schema: { type: 'integer', maximum: 3 }, schemaPointer: '/paths/~1a~1{a}/get/parameters/0/schema' },
  ],
  [
    { name: 'a', in: 'query', schema: {}, example: 0, examples: { x: { value: false } } },
    {
      examples: [
        { name: '', value: 0 },
        { name: 'x', value: false },
      ],
    },
  ],
];

test.each(PARAMETERS)('parameter %j has its defaults', async (parameter, want) => {
  const paths = { '/a/{a}': { get: { parameters: [parameter], responses: OK } } };
  const contract = await loadContract(toDocument(paths, undefined, { openapi: '3.2.0' }));
  expect(contract.operations[0]?.parameters[0]).toMatchObject(want);
});

/** [what the operation says, wanted, wanted problem codes]. */
const SECURITY: readonly (readonly [object, unknown, readonly string[]])[] = [
  [{}, [{ key: [] }], []],
  [{ security: [] }, [], []],
  [{ security: [{}, { key: [], other: ['a', 'b'] }] }, [{}, { key: [], other: ['a', 'b'] }], []],
  [{ security: [{ gone: [] }] }, [{ gone: [] }], ['SECURITY_UNKNOWN']],
  [{ security: { key: [] } }, [{ key: [] }], ['SECURITY_INVALID']],
  [{ security: 'key' }, [{ key: [] }], ['SECURITY_INVALID']],
];

test.each(SECURITY)('security: an operation with %j', async (more, want, problems) => {
  const securitySchemes = { key: { type: 'apiKey', in: 'query', name: 'k' }, other: { type: 'oauth2', flows: {} } };
  const { contract, operation } = await loadGet(more, { security: [{ key: [] }], components: { securitySchemes } });
  expect(operation?.security).toEqual(want);
  expect(contract.problems.map(({ code }) => code)).toEqual(problems);
});

test.each([
  [{ type: 'http', scheme: 'Bearer' }, { type: 'http', scheme: 'bearer' }, []],
  [{ type: 'http' }, { type: 'http', scheme: 'bearer' }, ['SECURITY_INVALID']],
  [{ type: 'basic' }, { type: 'http', scheme: 'basic' }, ['SECURITY_INVALID']],
  [{ type: 'apikey', in: 'cookie', name: 'c' }, { type: 'apiKey', in: 'cookie', key: 'c' }, ['SECURITY_INVALID']],
])('security scheme %j is read', async (scheme, want, problems) => {
  const contract = await loadContract(toDocument({}, undefined, { components: { securitySchemes: { s: scheme } } }));
  expect(contract.securitySchemes['s']).toMatchObject(want);
  expect(contract.problems.map(({ code }) => code)).toEqual(problems);
});

/** [media types of a response, wanted types, wanted problems]. */
const MEDIA_TYPES: readonly (readonly [object, readonly string[], readonly string[]])[] = [
  [{ 'Application/JSON; charset=UTF-8': {} }, ['application/json; charset=utf-8'], []],
  [{ 'text/*': {}, '*/*': {} }, ['text/*', '*/*'], []],
  [{ json: {} }, ['application/json'], ['MEDIA_TYPE_INVALID']],
  [{ '': {} }, ['*/*'], ['MEDIA_TYPE_INVALID']],
  [{ nonsense: {}, 'text/plain': {} }, ['text/plain'], ['MEDIA_TYPE_INVALID']],
  [{ 'application/json': null }, ['application/json'], ['TYPE_MISMATCH']],
];

test.each(MEDIA_TYPES)('content %j is read', async (content, types, problems) => {
  const { contract, operation } = await loadGet({ responses: { 200: { content } } });
  expect(operation?.responses[0]?.content.map(({ type }) => type)).toEqual(types);
  expect(contract.problems.map(({ code }) => code)).toEqual(problems);
});

/** [examples of a media type, wanted values]. */
const EXAMPLES: readonly (readonly [object, readonly unknown[]])[] = [
  [{ example: null }, [null]],
  [{ example: { value: 1 } }, [{ value: 1 }]],
  [{ examples: { a: { value: { $ref: '#/gone' } } } }, [{ $ref: '#/gone' }]],
  [{ examples: { a: { dataValue: { b: 1 }, serializedValue: '{}' } } }, [{ b: 1 }]],
  [{ examples: { a: { serializedValue: '{"b":2}' }, b: { serializedValue: 'text' } } }, [{ b: 2 }, 'text']],
  [{ examples: { a: { id: 7 } } }, [{ id: 7 }]],
  [{ examples: { a: { externalValue: 'a.json' }, b: { summary: 's' } } }, []],
  [{ examples: { a: { $ref: '#/components/examples/E' } } }, [0]],
];

test.each(EXAMPLES)('examples %j are read', async (media, want) => {
  const responses = { 200: { description: 'ok', content: { 'application/json': media } } };
  const components = { examples: { E: { value: 0 } } };
  const { contract, operation } = await loadGet({ responses }, { openapi: '3.2.0', components });
  const examples = operation?.responses[0]?.content[0]?.examples ?? [];
  expect(examples.map(({ value }) => value)).toEqual(want);
  for (const { value, pointer } of examples) expect(contract.at(pointer)).toEqual(value);
});

test('what belongs to one operation is folded into it', async () => {
  const contract = await loadContract({
    openapi: '3.2.0',
    info: { title: 'All', version: '7' },
    paths: {
      '/a': {
        'x-path': 1,
        summary: 'item',
        post: {
          'x-own': 2,
          deprecated: true,
          tags: ['t', 3],
          requestBody: {
            required: true,
            content: {
              'multipart/form-data': {
                schema: { type: 'object' },
                encoding: { file: { contentType: 'image/png', headers: { 'X-A': { schema: { type: 'string' } } } } },
              },
            },
          },
          responses: {
            200: {
              description: 'ok',
              headers: { 'Content-Type': { schema: {} }, 'X-B': { required: true, schema: { type: 'integer' } } },
              content: { 'application/jsonl': { itemSchema: { type: 'object' } } },
              links: { next: { operationId: 'x' } },
            },
          },
        },
      },
    },
  });
  expect(contract).toMatchObject({ title: 'All', version: '7' });
  expect(contract.operations[0]).toMatchObject({
    summary: 'item',
    deprecated: true,
    tags: ['t'],
    extensions: { 'x-path': 1, 'x-own': 2 },
    body: {
      required: true,
      content: [
        { encoding: { file: { contentType: 'image/png', headers: [{ name: 'X-A', schema: { type: 'string' } }] } } },
      ],
    },
    responses: [
      {
        headers: [{ name: 'X-B', required: true, schema: { type: 'integer' } }],
        content: [{ schema: undefined, itemSchema: { type: 'object' } }],
        links: { next: { operationId: 'x' } },
      },
    ],
  });
});

test('a problem names file, line, column, pointer and what is assumed', async () => {
  const contract = await loadFiles({
    'api.yaml': 'openapi: 3.1.0\ninfo: {title: T, version: "1"}\npaths:\n  /a:\n    get:\n      summary: none\n',
  });
  const [problem] = contract.problems;
  expect(problem).toEqual({
    code: 'RESPONSES_MISSING',
    severity: 'warning',
    message: 'GET /a declares no response',
    at: { file: 'api.yaml', line: 5, column: 5, pointer: '/paths/~1a/get' },
    assumed: 'the response is 200 without a body',
  });
  expect(JSON.parse(JSON.stringify(problem))).toEqual(problem);
});
