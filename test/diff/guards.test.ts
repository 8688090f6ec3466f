import { readFileSync } from 'node:fs';
import { describe, expect, it, test } from 'vitest';
import { loadContract } from '../../src/index.js';
import { diffContracts } from '../../src/tools/diff/diff.js';
import { diff, listVerdicts, toDocument, toSchemaDocument, yaml } from './document.js';
import { inline, reverse } from './rewrite.js';

/** Documents that mean the same. */
const EQUAL: readonly (readonly [name: string, one: string, other: string])[] = [
  [
    'members in another order',
    '{type: object, properties: {a: {type: string}, b: {}}}',
    '{properties: {b: {}, a: {type: string}}, type: object}',
  ],
  ['values in another order', '{enum: [a, b]}', '{enum: [b, a]}'],
  ['types in another order', '{type: [string, integer]}', '{type: [integer, string]}'],
  ['types as alternatives', '{type: [string, integer]}', '{anyOf: [{type: integer}, {type: string}]}'],
  ['values as alternatives', '{enum: [a, b]}', '{oneOf: [{const: a, title: A}, {const: b, title: B}]}'],
  ['null as an alternative', '{type: [string, "null"]}', '{anyOf: [{type: string}, {type: "null"}]}'],
  [
    'nullable values',
    '{type: [string, "null"], enum: [a, null]}',
    '{oneOf: [{type: string, enum: [a]}, {type: "null"}]}',
  ],
  ['one alternative', '{type: string}', '{oneOf: [{type: string}]}'],
  ['one part', '{type: string, maxLength: 5}', '{allOf: [{type: string}, {maxLength: 5}]}'],
  ['a type that follows from members', '{type: object, properties: {a: {}}}', '{properties: {a: {}}}'],
  ['bounds of nothing', '{type: array, minItems: 0}', '{type: array}'],
  [
    'descriptions',
    '{type: string, description: one, title: a, example: x}',
    '{type: string, description: two, x-a: 1}',
  ],
  [
    'alternatives in another order',
    '{oneOf: [{type: object, required: [a], properties: {a: {}}}, {type: array}]}',
    '{oneOf: [{type: array}, {type: object, required: [a], properties: {a: {}}}]}',
  ],
];

describe('no change is found between', () => {
  test.each(EQUAL)('%s', async (_name, one, other) => {
    expect(await diff(toSchemaDocument(yaml(one)), toSchemaDocument(yaml(other)))).toEqual([]);
    expect(await diff(toSchemaDocument(yaml(other)), toSchemaDocument(yaml(one)))).toEqual([]);
  });

  test('a document of OpenAPI 3.0 and its form in 3.1', async () => {
    const write = (version: string, text: string, component: string) => ({
      ...toSchemaDocument(yaml(text), { Part: yaml(component) }),
      openapi: version,
    });
    const old = write(
      '3.0.3',
      '{type: object, properties: {a: {type: string, nullable: true}, b: {type: number, minimum: 0, exclusiveMinimum: true}, c: {nullable: true, allOf: [{$ref: "#/components/schemas/Part"}]}, d: {type: string, enum: [x, null], nullable: true}}}',
      '{type: object, properties: {e: {type: string, format: binary}, f: {type: string, format: byte}}}',
    );
    const now = write(
      '3.1.0',
      '{type: object, properties: {a: {type: [string, "null"]}, b: {type: number, exclusiveMinimum: 0}, c: {anyOf: [{$ref: "#/components/schemas/Part"}, {type: "null"}]}, d: {type: [string, "null"], enum: [x, null]}}}',
      '{type: object, properties: {e: {contentMediaType: application/octet-stream}, f: {type: string, contentEncoding: base64}}}',
    );
    expect(await diff(old, now)).toEqual([]);
    expect(await diff(now, old)).toEqual([]);
  });

  test('references and what they refer to', async () => {
    const part =
      '{type: object, required: [kind], properties: {kind: {const: a}, list: {type: array, items: {type: integer}}}}';
    const other = '{type: object, required: [kind], properties: {kind: {const: b}, size: {type: integer}}}';
    const old = toSchemaDocument(
      yaml('{oneOf: [{$ref: "#/components/schemas/A"}, {$ref: "#/components/schemas/B"}]}'),
      {
        A: yaml(part),
        B: yaml(other),
      },
    );
    const now = toSchemaDocument(yaml(`{oneOf: [${other}, ${part}]}`));
    expect(await diff(old, now)).toEqual([]);
    expect(await diff(now, old)).toEqual([]);
  });

  test('a parameter of the path and of the operation', async () => {
    const parameters = [{ in: 'query', name: 'q', schema: { type: 'string' } }];
    const responses = { 200: { description: 'done' } };
    const old = { ...toDocument({}), paths: { '/a': { parameters, get: { operationId: 'a', responses } } } };
    const now = { ...toDocument({}), paths: { '/a': { get: { operationId: 'a', parameters, responses } } } };
    expect(await diff(old, now)).toEqual([]);
  });
});

describe.each(['spec/openapi.yaml', 'spec/control.openapi.yaml'])('%s has no changes', (file) => {
  const document = yaml(readFileSync(file, 'utf8'));

  test.each([
    ['compared with itself', document],
    ['in reverse order', reverse(document) as typeof document],
    ['without references', inline(document) as typeof document],
  ])('%s', async (_name, other) => {
    expect(await diff(document, other)).toEqual([]);
    expect(await diff(other, document)).toEqual([]);
  });
});

describe('recursive schemas', () => {
  const NODE = '{type: object, properties: {value: {type: number}, next: {$ref: "#/components/schemas/Node"}}}';
  const root = yaml('{$ref: "#/components/schemas/Node"}');

  it('are compared once', async () => {
    const old = toSchemaDocument(root, { Node: yaml(NODE) });
    const now = toSchemaDocument(root, { Node: yaml(NODE.replace('number', 'integer')) });
    const findings = await diff(old, now);
    expect(findings.map(({ message }) => message)).toEqual([
      'request body /value: the type was number and is integer',
      'response 200 body /value: the type was number and is integer',
    ]);
  });

  it('are compared where an alternative contains the union', async () => {
    const TREE =
      '{anyOf: [{type: object, properties: {left: {$ref: "#/components/schemas/Node"}, value: {type: number}}}, {type: object, properties: {leaf: {type: string}}}]}';
    const old = toSchemaDocument(root, { Node: yaml(TREE) });
    const now = toSchemaDocument(root, { Node: yaml(TREE.replace('number', 'integer')) });
    expect(await diff(old, old)).toEqual([]);
    expect(listVerdicts(await diff(old, now), 'request')).toEqual(['breaking TYPE_NARROWED']);
  });

  it('are compared in every operation, also where an alternative leads back to its union', async () => {
    const write = (type: string): Readonly<Record<string, unknown>> => {
      const toOperation = ($ref: string): object => {
        const content = { 'application/json': { schema: { $ref } } };
        return { post: { requestBody: { content }, responses: { 204: { description: 'done' } } } };
      };
      const union = `{oneOf: [{type: object, properties: {n: {$ref: "#/components/schemas/Node"}}}, {type: object, properties: {z: {type: ${type}}}}]}`;
      const paths = {
        '/a': toOperation('#/components/schemas/Node'),
        '/b': toOperation('#/components/schemas/Node'),
      };
      return { ...toDocument({}), paths, components: { schemas: { Node: yaml(union) } } };
    };
    const [finding, ...others] = await diff(write('number'), write('integer'));
    expect(finding?.operations).toEqual(['POST /a', 'POST /b']);
    expect(others).toEqual([]);
  });

  it('are compared with the same schema written out again', async () => {
    const old = toSchemaDocument(root, { Node: yaml(NODE) });
    const now = toSchemaDocument(yaml(NODE), { Node: yaml(NODE) });
    expect(await diff(old, now)).toEqual([]);
  });
});

describe('a finding', () => {
  it('names all operations with a change, and its place in both files', async () => {
    const write = (type: string): Readonly<Record<string, unknown>> => {
      const responses = {
        200: { description: 'a', content: { 'application/json': { schema: { $ref: '#/components/schemas/A' } } } },
      };
      const paths = Object.fromEntries(['/a', '/b'].map((path) => [path, { get: { operationId: path, responses } }]));
      const A = { type: 'object', properties: { a: { type } } };
      return { openapi: '3.1.0', info: { title: 'A', version: '1' }, paths, components: { schemas: { A } } };
    };
    const contracts = [await loadContract(write('integer')), await loadContract(write('number'))] as const;
    expect(diffContracts(...contracts)).toEqual({
      counts: { breaking: 1, risky: 0, compatible: 0 },
      findings: [
        {
          code: 'TYPE_WIDENED',
          severity: 'breaking',
          direction: 'response',
          operations: ['GET /a', 'GET /b'],
          where: 'response 200 body /a',
          message: 'response 200 body /a: the type was integer and is number',
          old: expect.objectContaining({ pointer: '/components/schemas/A/properties/a/type' }),
          new: expect.objectContaining({ pointer: '/components/schemas/A/properties/a/type' }),
        },
      ],
    });
  });
});

describe('large unions', () => {
  const alternatives = (count: number, last: string): string =>
    Array.from(
      { length: count },
      (_, i) =>
        `{type: object, required: [kind], properties: {kind: {const: "k${i}"}, a: {type: ${i === count - 1 ? last : 'number'}}}}`,
    ).join();

  it('are compared alternative by alternative', async () => {
    const write = (last: string) => toSchemaDocument(yaml(`{oneOf: [${alternatives(400, last)}]}`));
    const found = await diff(write('number'), write('integer'));
    expect(listVerdicts(found, 'request')).toEqual(['breaking TYPE_NARROWED']);
    expect(await diff(write('number'), write('number'))).toEqual([]);
  });

  it('are compared as they are where two of them would lead to too many cases', async () => {
    const write = (last: string) =>
      toSchemaDocument(yaml(`{oneOf: [${alternatives(40, last)}], anyOf: [${alternatives(40, 'number')}]}`));
    const found = await diff(write('number'), write('integer'));
    expect(new Set(listVerdicts(found, 'request'))).toEqual(new Set(['risky CONDITION_CHANGED']));
    expect(await diff(write('number'), write('number'))).toEqual([]);
  });
});

it('the name of an alternative is in the place of its changes', async () => {
  const write = (type: string) =>
    toSchemaDocument(yaml('{oneOf: [{$ref: "#/components/schemas/A"}, {$ref: "#/components/schemas/B"}]}'), {
      A: yaml(`{type: object, properties: {a: {type: ${type}}}}`),
      B: yaml('{type: array}'),
    });
  const [first] = await diff(write('number'), write('integer'));
  expect(first?.message).toBe('request body (A)/a: the type was number and is integer');
});
