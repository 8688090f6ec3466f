// @module-tag slow
// A cached document is read in parts, when they are needed (issue 14): it must be the one that its text gives.
import { existsSync, readdirSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { loadContract } from '../../src/contract/load/load.js';
import { createMock, MockError } from '../../src/index.js';
import { createFolder } from '../folders.js';

const ODD = `
openapi: 3.2.0
info: {title: Odd, version: '1'}
x-first: {a: 1}
servers: [{url: 'https://x.test/{version}', variables: {version: {default: v1, enum: [v1, v2]}}}]
paths:
  /only-errors:
    post: {operationId: fail, responses: {'400': {description: wrong}}}
    delete: {responses: {'404': {description: absent}, default: {description: wrong}}}
  no-slash:
    summary: of the path
    parameters: [{name: limit, in: query, schema: {type: integer}}]
    get: {operationId: fail, x-own: 1, responses: {'200': {description: ok}}}
    x-own: 2
    x-path: 3
  /{name}:
    servers: [{url: /other}]
    parameters: [{name: name, in: path, required: true, schema: {type: string, pattern: '^a/[^/]+$'}}]
    get: {responses: {'200': {description: ok}}}
  /shared: {$ref: '#/components/pathItems/shared', summary: beside}
  /methods:
    additionalOperations: {COPY: {responses: {'200': {description: ok}}}, link: {responses: {}}}
  x-extension: {get: {}}
  '404': {get: {responses: {'200': {description: ok}}}}
components:
  pathItems:
    shared:
      get: {operationId: shared, security: [{none: []}], responses: {'200': {$ref: '#/components/responses/Ok'}}}
  responses: {Ok: {description: ok, content: {application/json: {schema: {$ref: '#/components/schemas/A'}}}}}
  schemas: {'2': {type: string}, A: {properties: {a: {$ref: '#/components/schemas/A'}, b: {const: null}}}, '1': true, C: {type: wrong}}
  x-empty: {}
  x-list: [1]
  x-null: null
tags: []
`;

const LARGE = ['openai.yaml', 'stripe.yaml', 'github.json', 'box.json', 'petstore-2.0.yaml', 'train-travel-3.1.json'];
const SHARED = LARGE.map((name) => resolve('../shared/specs', name)).filter((path) => existsSync(path));

it.each(['api.yaml', ...SHARED].map((path) => [basename(path), path] as const))(
  'a cached document is the one of its text, in the same order: %s',
  async (_, path) => {
    const cwd = createFolder({ 'api.yaml': ODD });
    const load = () => loadContract(path, { cwd, cacheFolder: 'cache', preset: 'auto' });
    // The first start reads the text.
    const plain = await load();
    const cached = await load();
    // As text, so that the order of members counts.
    expect(JSON.stringify(cached.operations) === JSON.stringify(plain.operations)).toBe(true);
    expect(JSON.stringify(cached.document) === JSON.stringify(plain.document)).toBe(true);
    expect(cached.operations.map(({ spanned }) => spanned)).toEqual(plain.operations.map(({ spanned }) => spanned));
    expect(cached.securitySchemes).toEqual(plain.securitySchemes);
    expect(cached.problems.map(({ code, message }) => `${code} ${message}`)).toEqual(
      plain.problems.map(({ code, message }) => `${code} ${message}`),
    );
    // What is read twice is the same object.
    expect(cached.at('/components/schemas')).toBe(cached.at('/components/schemas'));
    for (const { pointer } of cached.operations) expect(cached.at(pointer)).toBe(cached.at(pointer));
  },
);

it('a cached document has operations of each kind in this test', async () => {
  const cwd = createFolder({ 'api.yaml': ODD });
  const { operations } = await loadContract('api.yaml', { cwd, cacheFolder: false });
  expect(operations.map(({ id }) => id)).toEqual([
    'GET /404',
    'fail',
    'DELETE /only-errors',
    'GET /no-slash',
    'GET /{name}',
    'shared',
    'COPY /methods',
    'LINK /methods',
  ]);
  expect(operations.filter(({ spanned }) => spanned !== undefined)).toHaveLength(1);
  expect(operations.filter(({ responses }) => responses.some((each) => each.isAssumed))).toHaveLength(1);
});

it('a cached document answers the same with a base path of the options', async () => {
  const cwd = createFolder({ 'api.yaml': ODD });
  const options = {
    spec: resolve(cwd, 'api.yaml'),
    document: { cacheFolder: resolve(cwd, 'cache') },
    basePath: '/base',
  };
  const read = async (): Promise<unknown> => {
    await using mock = await createMock(options);
    const response = await mock.fetch('/base/shared');
    return [response.status, await response.json(), mock.contract.operations.map(({ basePaths }) => basePaths)];
  };
  const first = await read();
  expect(await read()).toEqual(first);
});

it('a cached document has a mistake in a template of errors at every start', async () => {
  const spec = `
openapi: 3.1.0
info: {title: Wrong, version: '1'}
paths:
  /a:
    get: {x-mock: {errors: {default: {body: {a: '{no-such-word}'}}}}, responses: {'200': {description: ok}}}
`;
  const cwd = createFolder({ 'api.yaml': spec, 'odd.yaml': ODD });
  const options = { spec: resolve(cwd, 'api.yaml'), document: { cacheFolder: resolve(cwd, 'cache') } };
  const start = async (): Promise<unknown> => {
    const error = await createMock(options).catch((cause: unknown) => cause);
    return error instanceof MockError && error.code;
  };
  const listKept = () => readdirSync(options.document.cacheFolder).filter((name) => name.endsWith('.facts'));
  expect(await start()).toBe('HINT_INVALID');
  // What a start computes is written later, in the order of the starts: when that of another document is there, no more will come.
  await using other = await createMock({ ...options, spec: resolve(cwd, 'odd.yaml') });
  await expect.poll(listKept).toHaveLength(1);
  expect(other.contract.title).toBe('Odd');
  expect(await start()).toBe('HINT_INVALID');
});
