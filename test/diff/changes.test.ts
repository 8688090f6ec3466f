import { describe, expect, test } from 'vitest';
import { diff, listVerdicts, toDocument, toSchemaDocument, yaml } from './document.js';

/** A change of a schema, and what it means where clients send it and where they receive it. */
type SchemaChange = readonly [name: string, old: string, now: string, request: string, response: string];

const OBJECT = '{type: object, required: [a], properties: {a: {type: string}, b: {type: string}}}';
const CLOSED = OBJECT.replace('{type: object', '{type: object, additionalProperties: false');

const SCHEMAS: readonly SchemaChange[] = [
  // Types.
  ['a type is widened', '{type: integer}', '{type: number}', '', 'breaking TYPE_WIDENED'],
  ['a type is narrowed', '{type: number}', '{type: integer}', 'breaking TYPE_NARROWED', ''],
  ['a type is added', '{type: string}', '{type: [string, integer]}', '', 'breaking TYPE_WIDENED'],
  ['a type is replaced', '{type: string}', '{type: integer}', 'breaking TYPE_CHANGED', 'breaking TYPE_CHANGED'],
  ['a type is set', '{}', '{type: string}', 'breaking TYPE_NARROWED', ''],
  ['null is allowed', '{type: string}', '{type: [string, "null"]}', '', 'breaking NULL_ADDED'],
  ['null is forbidden', '{type: [string, "null"]}', '{type: string}', 'breaking NULL_REMOVED', ''],
  [
    'the items have another type',
    '{type: array, items: {type: string}}',
    '{type: array, items: {type: boolean}}',
    'breaking TYPE_CHANGED',
    'breaking TYPE_CHANGED',
  ],
  // Values.
  ['a value is removed', '{enum: [a, b]}', '{enum: [a]}', 'breaking ENUM_VALUE_REMOVED', ''],
  ['a value is added', '{enum: [a]}', '{enum: [a, b]}', '', 'risky ENUM_VALUE_ADDED'],
  ['all values are replaced', '{enum: [a]}', '{enum: [b]}', 'breaking ENUM_CHANGED', 'breaking ENUM_CHANGED'],
  ['values are listed', '{type: string}', '{type: string, enum: [a]}', 'breaking ENUM_ADDED', ''],
  ['values are no longer listed', '{type: string, enum: [a]}', '{type: string}', '', 'risky ENUM_REMOVED'],
  ['a constant becomes one of two values', '{const: a}', '{enum: [a, b]}', '', 'risky ENUM_VALUE_ADDED'],
  ['a constant is replaced', '{const: a}', '{const: b}', 'breaking ENUM_CHANGED', 'breaking ENUM_CHANGED'],
  // Bounds, patterns, formats.
  [
    'maxLength is lowered',
    '{type: string, maxLength: 9}',
    '{type: string, maxLength: 5}',
    'breaking LIMIT_NARROWED',
    '',
  ],
  ['maxLength is raised', '{type: string, maxLength: 5}', '{type: string, maxLength: 9}', '', 'breaking LIMIT_WIDENED'],
  ['maxLength is removed', '{type: string, maxLength: 5}', '{type: string}', '', 'breaking LIMIT_WIDENED'],
  ['a minimum is set', '{type: integer}', '{type: integer, minimum: 1}', 'breaking LIMIT_NARROWED', ''],
  ['a minimum is lowered', '{type: integer, minimum: 1}', '{type: integer, minimum: 0}', '', 'breaking LIMIT_WIDENED'],
  [
    'a minimum becomes exclusive',
    '{type: number, minimum: 0}',
    '{type: number, exclusiveMinimum: 0}',
    'breaking LIMIT_NARROWED',
    '',
  ],
  [
    'a minimum of integers is written in another way',
    '{type: integer, minimum: 1}',
    '{type: integer, exclusiveMinimum: 0}',
    '',
    '',
  ],
  ['minItems is raised', '{type: array, minItems: 1}', '{type: array, minItems: 2}', 'breaking LIMIT_NARROWED', ''],
  [
    'multipleOf is refined',
    '{type: number, multipleOf: 10}',
    '{type: number, multipleOf: 5}',
    '',
    'breaking LIMIT_WIDENED',
  ],
  ['items must be unique', '{type: array}', '{type: array, uniqueItems: true}', 'breaking LIMIT_NARROWED', ''],
  ['a pattern is set', '{type: string}', '{type: string, pattern: "^a"}', 'breaking PATTERN_ADDED', ''],
  ['a pattern is removed', '{type: string, pattern: "^a"}', '{type: string}', '', 'risky PATTERN_REMOVED'],
  [
    'a pattern is replaced',
    '{type: string, pattern: "^a"}',
    '{type: string, pattern: "^b"}',
    'risky PATTERN_CHANGED',
    'risky PATTERN_CHANGED',
  ],
  ['a format is set', '{type: string}', '{type: string, format: uuid}', 'breaking FORMAT_ADDED', ''],
  ['a format is removed', '{type: string, format: uuid}', '{type: string}', '', 'risky FORMAT_REMOVED'],
  [
    'a format is replaced',
    '{type: string, format: date}',
    '{type: string, format: date-time}',
    'breaking FORMAT_CHANGED',
    'breaking FORMAT_CHANGED',
  ],
  [
    'a format is larger',
    '{type: integer, format: int32}',
    '{type: integer, format: int64}',
    '',
    'breaking FORMAT_WIDENED',
  ],
  ['a format that is not checked is set', '{type: string}', '{type: string, format: colour}', '', ''],
  // Members.
  ['an optional member is added', OBJECT, OBJECT.replace('b:', 'c: {type: string}, b:'), '', ''],
  [
    'a required member is added',
    OBJECT,
    OBJECT.replace('[a]', '[a, c]').replace('b:', 'c: {type: string}, b:'),
    'breaking MEMBER_REQUIRED',
    '',
  ],
  ['a member becomes required', OBJECT, OBJECT.replace('[a]', '[a, b]'), 'breaking MEMBER_REQUIRED', ''],
  ['a member becomes optional', OBJECT, OBJECT.replace('required: [a], ', ''), '', 'breaking MEMBER_OPTIONAL'],
  [
    'an optional member is removed',
    OBJECT,
    OBJECT.replace(', b: {type: string}', ''),
    'risky MEMBER_REMOVED',
    'risky MEMBER_REMOVED',
  ],
  [
    'a required member is removed',
    OBJECT,
    OBJECT.replace('required: [a], properties: {a: {type: string}, ', 'properties: {'),
    'risky MEMBER_REQUIRED_REMOVED',
    'breaking MEMBER_REQUIRED_REMOVED',
  ],
  [
    'a member of a closed object is removed',
    CLOSED,
    CLOSED.replace(', b: {type: string}', ''),
    'breaking MEMBER_FORBIDDEN',
    'risky MEMBER_REMOVED',
  ],
  [
    'a member is added to a closed object',
    CLOSED,
    CLOSED.replace('b:', 'c: {type: string}, b:'),
    '',
    'risky MEMBER_UNEXPECTED',
  ],
  ['an object is closed', OBJECT, CLOSED, 'breaking MEMBERS_CLOSED', ''],
  ['an object is opened', CLOSED, OBJECT, '', 'risky MEMBERS_OPENED'],
  [
    'a member of a member is narrowed',
    '{type: object, properties: {a: {type: object, properties: {b: {type: number}}}}}',
    '{type: object, properties: {a: {type: object, properties: {b: {type: integer}}}}}',
    'breaking TYPE_NARROWED',
    '',
  ],
  [
    'the values of a map are widened',
    '{type: object, additionalProperties: {type: integer}}',
    '{type: object, additionalProperties: {type: number}}',
    '',
    'breaking TYPE_WIDENED',
  ],
  ['a member becomes read-only', OBJECT, OBJECT.replace('b: {', 'b: {readOnly: true, '), 'risky MEMBER_REMOVED', ''],
  ['a member becomes write-only', OBJECT, OBJECT.replace('b: {', 'b: {writeOnly: true, '), '', 'risky MEMBER_REMOVED'],
  [
    'a required read-only member is added',
    OBJECT,
    OBJECT.replace('[a]', '[a, c]').replace('b:', 'c: {type: string, readOnly: true}, b:'),
    '',
    '',
  ],
  // Unions.
  [
    'an alternative is added',
    '{type: string}',
    '{oneOf: [{type: string}, {type: object, properties: {c: {}}}]}',
    '',
    'breaking ALTERNATIVE_ADDED',
  ],
  [
    'an alternative is removed',
    '{anyOf: [{type: string}, {type: object, properties: {c: {}}}]}',
    '{type: string}',
    'breaking ALTERNATIVE_REMOVED',
    '',
  ],
  [
    'an alternative is narrowed',
    '{anyOf: [{type: string}, {type: array, items: {type: number}}]}',
    '{anyOf: [{type: array, items: {type: integer}}, {type: string}]}',
    'breaking TYPE_NARROWED',
    '',
  ],
  [
    'a part is added to allOf',
    '{allOf: [{type: object, properties: {a: {type: string}}}]}',
    '{allOf: [{type: object, properties: {a: {type: string}}}, {required: [a]}]}',
    'breaking MEMBER_REQUIRED',
    '',
  ],
  ['a condition is added', '{type: string}', '{type: string, not: {const: a}}', 'breaking CONDITION_ADDED', ''],
  [
    'a condition is replaced',
    '{type: string, not: {const: a}}',
    '{type: string, not: {const: b}}',
    'risky CONDITION_CHANGED',
    'risky CONDITION_CHANGED',
  ],
  [
    'a member requires another one',
    OBJECT,
    OBJECT.replace('type: object', 'type: object, dependentRequired: {a: [b]}'),
    'breaking CONDITION_ADDED',
    '',
  ],
  ['a default is replaced', '{type: string, default: a}', '{type: string, default: b}', 'risky DEFAULT_CHANGED', ''],
  [
    'all values are forbidden',
    '{type: object, properties: {a: {type: string}}}',
    '{type: object, properties: {a: false}}',
    'breaking TYPE_NARROWED',
    '',
  ],
  [
    'members that match a pattern are removed',
    '{type: object, patternProperties: {"^x": {type: string}}, additionalProperties: false}',
    '{type: object, additionalProperties: false}',
    'breaking MEMBER_FORBIDDEN',
    'risky MEMBER_REMOVED',
  ],
  ['it is deprecated', OBJECT, OBJECT.replace('b: {', 'b: {deprecated: true, '), '', ''],
];

describe('a change of a schema', () => {
  test.each(SCHEMAS)('%s', async (_name, old, now, ...want) => {
    const findings = await diff(toSchemaDocument(yaml(old)), toSchemaDocument(yaml(now)));
    const directions = ['request', 'response'] as const;
    expect(directions.map((direction) => listVerdicts(findings, direction).join())).toEqual(want);
  });
});

const CAT = '{type: object, required: [kind, name], properties: {kind: {type: string}, name: {type: string}}}';
const DOG = '{type: object, required: [kind, size], properties: {kind: {type: string}, size: {type: integer}}}';
const toPets = (names: string, property = 'kind') =>
  toSchemaDocument(
    yaml(
      `{oneOf: [${names.replaceAll(/\w+/gu, '{$ref: "#/components/schemas/$&"}')}], discriminator: {propertyName: ${property}}}`,
    ),
    yaml(`{Cat: ${CAT.replaceAll('kind', property)}, Dog: ${DOG.replaceAll('kind', property)}}`),
  );

describe('a change of a union with a discriminator', () => {
  test.each([
    ['a kind is added', toPets('Cat'), toPets('Cat, Dog'), '', 'risky ALTERNATIVE_KIND_ADDED'],
    ['a kind is removed', toPets('Cat, Dog'), toPets('Dog'), 'breaking ALTERNATIVE_REMOVED', ''],
    ['the kinds change their order', toPets('Cat, Dog'), toPets('Dog, Cat'), '', ''],
  ])('%s', async (_name, old, now, ...want) => {
    const findings = await diff(old, now);
    const directions = ['request', 'response'] as const;
    expect(directions.map((direction) => listVerdicts(findings, direction).join())).toEqual(want);
  });

  test('another property selects the kind', async () => {
    const findings = await diff(toPets('Cat, Dog'), toPets('Cat, Dog', 'sort'));
    expect(listVerdicts(findings, 'request')).toContain('breaking DISCRIMINATOR_CHANGED');
    expect(listVerdicts(findings, 'response')).toContain('breaking DISCRIMINATOR_CHANGED');
  });
});

const query = (text: string): string => `{method: get, parameters: [{in: query, name: q, ${text}}]}`;
const answer = (text: string): string => `{responses: ${text}}`;
const body = (text: string): string => `{requestBody: ${text}}`;
const JSON_TYPE = 'application/json: {schema: {type: string}}';
const SCHEMES =
  'components: {securitySchemes: {one: {type: apiKey, in: header, name: x-key}, two: {type: http, scheme: basic}, three: {type: apiKey, in: header, name: x-key}, four: {type: oauth2, flows: {}}}}';

/** A change of an operation, and the verdict; the direction follows from its code. */
const OPERATIONS: readonly (readonly [name: string, old: string, now: string, want: string])[] = [
  // Operations and servers.
  ['a path is removed', '{path: /a}', '{path: /b}', 'breaking PATH_REMOVED'],
  ['a method is removed', '{method: get}', '{method: put}', 'breaking OPERATION_REMOVED'],
  [
    'a path parameter is renamed',
    '{path: "/a/{x}", parameters: [{in: path, name: x, required: true, schema: {type: string}}]}',
    '{path: "/a/{y}", parameters: [{in: path, name: y, required: true, schema: {type: string}}]}',
    '',
  ],
  ['an operation gets another id', '{operationId: a}', '{operationId: b}', ''],
  ['an operation is deprecated', '{}', '{deprecated: true}', ''],
  [
    'the base path is replaced',
    '{servers: [{url: "https://a.example/v1"}]}',
    '{servers: [{url: "https://a.example/v2"}]}',
    'breaking BASE_PATH_REMOVED',
  ],
  [
    'the base path moves into the paths',
    '{path: /orders, servers: [{url: "https://a.example/v1"}]}',
    '{path: /v1/orders, servers: [{url: "https://a.example"}]}',
    '',
  ],
  [
    'a host is removed',
    '{servers: [{url: "https://a.example"}, {url: "https://b.example"}]}',
    '{servers: [{url: "https://b.example"}]}',
    'risky SERVER_REMOVED',
  ],
  // Parameters.
  ['an optional parameter is added', '{method: get}', query('schema: {type: string}'), ''],
  [
    'a required parameter is added',
    '{method: get}',
    query('required: true, schema: {type: string}'),
    'breaking PARAMETER_REQUIRED',
  ],
  [
    'a parameter becomes required',
    query('schema: {type: string}'),
    query('required: true, schema: {type: string}'),
    'breaking PARAMETER_REQUIRED',
  ],
  [
    'a parameter becomes optional',
    query('required: true, schema: {type: string}'),
    query('schema: {type: string}'),
    '',
  ],
  ['a parameter is removed', query('schema: {type: string}'), '{method: get}', 'risky PARAMETER_REMOVED'],
  [
    'a parameter moves to a header',
    query('schema: {type: string}'),
    query('schema: {type: string}').replace('query', 'header'),
    'breaking PARAMETER_MOVED',
  ],
  ['a number in a query becomes any text', query('schema: {type: integer}'), query('schema: {type: string}'), ''],
  [
    'any text in a query becomes a number',
    query('schema: {type: string}'),
    query('schema: {type: integer}'),
    'breaking TYPE_NARROWED',
  ],
  [
    'one value in a query becomes a list',
    query('schema: {type: string}'),
    query('schema: {type: array, items: {type: string}}'),
    '',
  ],
  [
    'a list is no longer exploded',
    query('schema: {type: array, items: {type: string}}'),
    query('explode: false, schema: {type: array, items: {type: string}}'),
    'breaking PARAMETER_STYLE',
  ],
  [
    'a single value is no longer exploded',
    query('schema: {type: string}'),
    query('explode: false, schema: {type: string}'),
    '',
  ],
  [
    'an object has another style',
    query('style: deepObject, schema: {type: object}'),
    query('style: form, schema: {type: object}'),
    'breaking PARAMETER_STYLE',
  ],
  [
    'a value of a parameter is removed',
    query('schema: {enum: [a, b]}'),
    query('schema: {enum: [a]}'),
    'breaking ENUM_VALUE_REMOVED',
  ],
  [
    'the default of a parameter is replaced',
    query('schema: {type: integer, default: 10}'),
    query('schema: {type: integer, default: 20}'),
    'risky DEFAULT_CHANGED',
  ],
  // Bodies.
  ['an optional body is added', '{}', body(`{content: {${JSON_TYPE}}}`), ''],
  ['a required body is added', '{}', body(`{required: true, content: {${JSON_TYPE}}}`), 'breaking BODY_REQUIRED'],
  [
    'a body becomes required',
    body(`{content: {${JSON_TYPE}}}`),
    body(`{required: true, content: {${JSON_TYPE}}}`),
    'breaking BODY_REQUIRED',
  ],
  ['a body is removed', body(`{content: {${JSON_TYPE}}}`), '{}', 'risky BODY_REMOVED'],
  [
    'a media type of requests is removed',
    body(`{content: {${JSON_TYPE}, text/csv: {}}}`),
    body(`{content: {${JSON_TYPE}}}`),
    'breaking MEDIA_TYPE_REMOVED',
  ],
  [
    'a media type of requests is covered by a range',
    body('{content: {text/csv: {}}}'),
    body('{content: {text/*: {}}}'),
    '',
  ],
  // Responses.
  [
    'a success is removed',
    answer('{200: {description: a}, 201: {description: a}}'),
    answer('{200: {description: a}}'),
    'breaking STATUS_REMOVED',
  ],
  [
    'a success is added',
    answer('{200: {description: a}}'),
    answer('{200: {description: a}, 202: {description: a}}'),
    'risky STATUS_ADDED',
  ],
  [
    'an error is added',
    answer('{200: {description: a}}'),
    answer('{200: {description: a}, 409: {description: a}}'),
    '',
  ],
  [
    'an error is removed',
    answer('{200: {description: a}, 409: {description: a}}'),
    answer('{200: {description: a}}'),
    '',
  ],
  [
    'a status becomes one of a range',
    answer('{201: {description: a}}'),
    answer('{2XX: {description: a}}'),
    'risky STATUS_ADDED',
  ],
  [
    'an error leaves the schema of default',
    answer(`{200: {description: a}, default: {description: a, content: {${JSON_TYPE}}}}`),
    answer(
      `{200: {description: a}, 404: {description: a, content: {application/json: {schema: {type: integer}}}}, default: {description: a, content: {${JSON_TYPE}}}}`,
    ),
    'breaking TYPE_CHANGED',
  ],
  [
    'a media type of responses is removed',
    answer(`{200: {description: a, content: {${JSON_TYPE}, text/csv: {}}}}`),
    answer(`{200: {description: a, content: {${JSON_TYPE}}}}`),
    'breaking MEDIA_TYPE_REMOVED',
  ],
  [
    'a media type of responses is added',
    answer(`{200: {description: a, content: {${JSON_TYPE}}}}`),
    answer(`{200: {description: a, content: {${JSON_TYPE}, text/csv: {}}}}`),
    '',
  ],
  [
    'a response loses its body',
    answer(`{200: {description: a, content: {${JSON_TYPE}}}}`),
    answer('{200: {description: a}}'),
    'breaking MEDIA_TYPE_REMOVED',
  ],
  [
    'a required header is removed',
    answer('{200: {description: a, headers: {x-a: {required: true, schema: {type: string}}}}}'),
    answer('{200: {description: a}}'),
    'breaking HEADER_REQUIRED_REMOVED',
  ],
  [
    'an optional header is removed',
    answer('{200: {description: a, headers: {x-a: {schema: {type: string}}}}}'),
    answer('{200: {description: a}}'),
    'risky HEADER_REMOVED',
  ],
  [
    'a header becomes optional',
    answer('{200: {description: a, headers: {x-a: {required: true, schema: {type: string}}}}}'),
    answer('{200: {description: a, headers: {X-A: {schema: {type: string}}}}}'),
    'breaking HEADER_OPTIONAL',
  ],
  [
    'a number in a header becomes any text',
    answer('{200: {description: a, headers: {x-a: {schema: {type: integer}}}}}'),
    answer('{200: {description: a, headers: {x-a: {schema: {type: string}}}}}'),
    'breaking TYPE_WIDENED',
  ],
  // Security.
  ['credentials are required', `{${SCHEMES}}`, `{security: [{one: []}], ${SCHEMES}}`, 'breaking SECURITY_ADDED'],
  [
    'other credentials are required',
    `{security: [{one: []}], ${SCHEMES}}`,
    `{security: [{two: []}], ${SCHEMES}}`,
    'breaking SECURITY_ADDED',
  ],
  [
    'more credentials are required',
    `{security: [{one: []}], ${SCHEMES}}`,
    `{security: [{one: [], two: []}], ${SCHEMES}}`,
    'breaking SECURITY_ADDED',
  ],
  [
    'other credentials are accepted as well',
    `{security: [{one: []}], ${SCHEMES}}`,
    `{security: [{one: []}, {two: []}], ${SCHEMES}}`,
    '',
  ],
  ['credentials are no longer required', `{security: [{one: []}], ${SCHEMES}}`, `{security: [], ${SCHEMES}}`, ''],
  ['a scheme has another name', `{security: [{one: []}], ${SCHEMES}}`, `{security: [{three: []}], ${SCHEMES}}`, ''],
  [
    'another scope is required',
    `{security: [{four: [a]}], ${SCHEMES}}`,
    `{security: [{four: [a, b]}], ${SCHEMES}}`,
    'breaking SCOPE_ADDED',
  ],
];

describe('a change of an operation', () => {
  test.each(OPERATIONS)('%s', async (_name, old, now, want) => {
    const findings = await diff(toDocument(yaml(old)), toDocument(yaml(now)));
    const found = [...listVerdicts(findings, 'request'), ...listVerdicts(findings, 'response')];
    expect(found.join()).toBe(want);
  });
});
