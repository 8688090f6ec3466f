// @module-tag slow
/* oxlint-disable unicorn/no-thenable -- `then` is a key of a rule */
import { beforeAll, describe, expect, it } from 'vitest';
import { MockError } from '../../src/errors.js';
import { createMock } from '../../src/index.js';
import type { MockOptions } from '../../src/options.js';
import type { WhenDefinition } from '../../src/scenario/definition/definition.js';
import type { ScenarioContext } from '../../src/scenario/definition/kinds.js';
import { toScenarios } from '../../src/scenario/definition/load.js';
import { loadContext } from './library.js';

const TEXT = { type: 'string' };
const STATUS = { enum: ['open', 'paid', 'closed'] };
const LINE = { type: 'object', properties: { sku: TEXT, quantity: { type: 'integer', minimum: 1 }, kind: STATUS } };

const ORDER = {
  type: 'object',
  properties: {
    name: TEXT,
    note: { type: ['string', 'null'] },
    status: { $ref: '#/components/schemas/Status' },
    total: { type: 'number', minimum: 0, exclusiveMaximum: 1000 },
    day: { type: 'string', format: 'date' },
    urgent: { type: 'boolean' },
    tags: { type: 'array', items: { enum: ['new', 'old'] } },
    lines: { type: 'array', items: { allOf: [{ $ref: '#/components/schemas/Line' }] } },
    address: { type: 'object', properties: { city: TEXT } },
    metadata: { type: 'object' },
    condition: { type: 'object', properties: { contains: TEXT } },
    payment: {
      oneOf: [
        { type: 'object', properties: { card: TEXT } },
        { type: 'object', properties: { iban: TEXT } },
      ],
    },
    free: {},
  },
};

const json = (schema: object): object => ({ content: { 'application/json': { schema } } });

const SHOP: Readonly<Record<string, unknown>> = {
  openapi: '3.1.0',
  info: { title: 'Shop', version: '1' },
  paths: {
    '/orders': {
      get: {
        operationId: 'list',
        parameters: [
          { name: 'status', in: 'query', schema: STATUS },
          { name: 'limit', in: 'query', schema: { type: 'integer', minimum: 1, maximum: 100 } },
          { name: 'after', in: 'query', schema: TEXT },
          { name: 'since', in: 'query', schema: { type: 'string', format: 'date-time' } },
          { name: 'tag', in: 'query', schema: { type: 'array', items: STATUS } },
          { name: 'sizes', in: 'query', explode: false, schema: { type: 'array', items: { type: 'integer' } } },
          {
            name: 'filter',
            in: 'query',
            style: 'deepObject',
            schema: { type: 'object', properties: { size: { type: 'integer' } } },
          },
          { name: 'X-Retries', in: 'header', schema: { type: 'integer' } },
        ],
        responses: { 200: { description: '', ...json({ type: 'array', items: ORDER }) }, 429: { description: '' } },
      },
      post: {
        operationId: 'create',
        requestBody: json(ORDER),
        responses: { 201: { description: '', ...json(ORDER) }, 429: { description: '' } },
      },
    },
    '/orders/{id}': {
      parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'integer' } }],
      get: { operationId: 'read', responses: { 200: { description: '', ...json(ORDER) }, 429: { description: '' } } },
    },
  },
  components: { schemas: { Status: STATUS, Line: LINE } },
};

let context: ScenarioContext;
beforeAll(async () => {
  context = await loadContext(SHOP);
});

/** The mistakes in one condition, without code and the pointer to the condition. */
function findMistakes(operation: string, when: unknown, more: object = {}): string {
  try {
    toScenarios({ a: { operations: { [operation]: { when, delay: 1, ...more } } } }, context);
    return '';
  } catch (error) {
    if (!(error instanceof MockError)) throw error;
    return error.message.replaceAll(`SCENARIO_INVALID  #/scenarios/a/operations/${operation}/when/`, '');
  }
}

describe('a condition that no call can match is a mistake', () => {
  const cases: readonly (readonly [name: string, operation: string, when: WhenDefinition, want: string])[] = [
    [
      'an undeclared parameter',
      'list',
      { query: { statsu: { matches: '^o' } } },
      `query/statsu  query parameter "statsu" is not declared for "list"
  hint: did you mean "status"?`,
    ],
    [
      'a value outside of the enum',
      'list',
      { query: { status: 'opne' } },
      `query/status  query parameter "status" cannot be "opne"
  hint: the query parameter must be one of "open", "paid", "closed", got "opne"; did you mean "open"?`,
    ],
    [
      'one of several values outside of the enum',
      'list',
      { query: { status: { oneOf: ['paid', 'opne'] } } },
      `query/status/oneOf/1  query parameter "status" cannot be "opne"
  hint: the query parameter must be one of "open", "paid", "closed", got "opne"; did you mean "open"?`,
    ],
    [
      'a negated value outside of the enum',
      'list',
      { query: { status: { not: 'opne' } } },
      `query/status/not  query parameter "status" cannot be "opne"
  hint: the query parameter must be one of "open", "paid", "closed", got "opne"; did you mean "open"?`,
    ],
    [
      'a regular expression that no value of the enum matches',
      'list',
      { query: { status: { matches: '^x' } } },
      `query/status  query parameter "status" never matches {"matches":"^x"}
  hint: its values are "open", "paid", "closed"`,
    ],
    [
      'matchers that exclude each value',
      'list',
      { query: { status: { matches: '^o', not: 'open', present: true } } },
      `query/status  query parameter "status" never matches {"matches":"^o","not":"open","present":true}
  hint: its values are "open", "paid", "closed"`,
    ],
    [
      'a comparison of a string with a number',
      'list',
      { query: { after: { gt: 5 } } },
      `query/after/gt  "gt" compares a number, and query parameter "after" is a string
  hint: compare it with a date, or write matches or oneOf`,
    ],
    [
      'a comparison of a number with a date',
      'list',
      { query: { limit: { lt: '2026-01-31' } } },
      `query/limit/lt  "lt" compares a date, and query parameter "limit" is an integer
  hint: compare it with a number`,
    ],
    [
      'a limit beyond that of the schema',
      'list',
      { query: { limit: { gt: 100 } } },
      `query/limit  query parameter "limit" never matches {"gt":100}
  hint: it is at least 1 and at most 100`,
    ],
    [
      'a limit that the exclusive maximum excludes',
      'create',
      { body: { total: { gte: 1000 } } },
      `body/total  field "total" of the body of create never matches {"gte":1000}
  hint: it is at least 0 and less than 1000`,
    ],
    [
      'limits without an integer between them',
      'list',
      { query: { limit: { gt: 5, lt: 6 } } },
      `query/limit  query parameter "limit" never matches {"gt":5,"lt":6}
  hint: no integer is between the two limits`,
    ],
    [
      'limits that exclude each other',
      'list',
      { header: { 'x-any': { gt: 6, lt: 5 } } },
      `header/x-any  no value matches {"gt":6,"lt":5}
  hint: swap the two limits`,
    ],
    [
      'a number and a date',
      'list',
      { header: { 'x-any': { gt: 6, lt: '2026-01-31' } } },
      `header/x-any  a value cannot be compared with a number and a date
  hint: write two numbers or two dates`,
    ],
    [
      'a bound that is neither',
      'list',
      { query: { limit: { gt: 'many' } } },
      `query/limit/gt  "gt" must be a number, or a date such as "2026-01-31" or "2026-01-31T12:00:00Z", got "many"`,
    ],
    [
      'an invalid regular expression',
      'list',
      { query: { after: { matches: '(' } } },
      `query/after/matches  "matches" must be a valid regular expression, got "("`,
    ],
    [
      'a misspelled matcher of a parameter',
      'list',
      { query: { after: { matchs: '^a' } } },
      `query/after/matchs  unknown matcher "matchs" of query parameter "after"
  hint: did you mean "matches"?`,
    ],
    [
      'a misspelled matcher of a field',
      'create',
      { body: { name: { greaterThan: 1 } } },
      `body/name/greaterThan  unknown matcher "greaterThan" of field "name" of the body of create
  hint: matchers: present, equals, matches, gt, gte, lt, lte, contains, oneOf, not, jsonPath`,
    ],
    [
      'a value of an array of enumerated values',
      'list',
      { query: { tag: { matches: '^x' } } },
      `query/tag  query parameter "tag" never matches {"matches":"^x"}
  hint: its values are "open", "paid", "closed"`,
    ],
    [
      'an unknown field',
      'create',
      { body: { nmae: { matches: '^a' } } },
      `body/nmae  the body of create has no field "nmae"
  hint: did you mean "name"?`,
    ],
    [
      'an unknown field of an item',
      'create',
      { body: { lines: [{ skuu: { present: true } }] } },
      `body/lines/0/skuu  the body of create has no field "skuu"
  hint: did you mean "sku"?`,
    ],
    [
      'a matcher beside fields',
      'create',
      { body: { name: 'a', jsonPath: '$.lines' } },
      `body/jsonPath  the body of create has no field "jsonPath"
  hint: write { equals: { … }, jsonPath: … } for both`,
    ],
    [
      'a regular expression for an array',
      'create',
      { body: { lines: { matches: 'a' } } },
      `body/lines/matches  "matches" matches a string, and field "lines" of the body of create is an array
  hint: to match an item write contains: { matches: … }`,
    ],
    [
      'an item that the array cannot have',
      'create',
      { body: { tags: { contains: 'nwe' } } },
      `body/tags/contains  an item of field "tags" of the body of create cannot be "nwe"
  hint: it must be one of "new", "old", got "nwe"`,
    ],
    [
      'a part of a number',
      'create',
      { body: { total: { contains: 5 } } },
      `body/total/contains  "contains" matches a string or an array, and field "total" of the body of create is a number
  hint: write the value itself, or a JSONPath`,
    ],
    [
      'null for a field that is never null',
      'create',
      { body: { name: null } },
      `body/name  field "name" of the body of create cannot be null
  hint: to match a call without it, write { present: false }`,
    ],
    [
      'an invalid JSONPath',
      'create',
      { body: { jsonPath: '$.lines[?@.quantity >]' } },
      `body/jsonPath  "jsonPath" must be a valid JSONPath (unexpected end of expression ('antity >]':21)), got "$.lines[?@.quantity >]"
  hint: examples of RFC 9535: $.name, $.items[*].id, $.items[?@.quantity > 2], $..[?@.type == 'card']`,
    ],
    [
      'a JSONPath with an unknown member',
      'create',
      { body: { jsonPath: '$.lines[?@.quantiy > 2]' } },
      `body/jsonPath  the JSONPath selects nothing: the body of create has no field "quantiy" there
  hint: did you mean "quantity"?`,
    ],
    [
      'a JSONPath into an array',
      'create',
      { body: { jsonPath: '$.lines.sku' } },
      `body/jsonPath  the JSONPath selects nothing: the body of create has no field "sku" there
  hint: the value there is an array: write [*].sku`,
    ],
    [
      'a JSONPath below a scalar',
      'create',
      { body: { jsonPath: '$.name.first' } },
      `body/jsonPath  the JSONPath selects nothing: the body of create has no field "first" there
  hint: it has no fields`,
    ],
    [
      'a JSONPath with a value outside of the enum',
      'create',
      { body: { jsonPath: "$.lines[?@.kind == 'opne']" } },
      `body/jsonPath  the JSONPath selects nothing: the body of create has no value "opne" there
  hint: did you mean "open"?`,
    ],
    [
      'a JSONPath of a part of the body',
      'create',
      { body: { lines: { jsonPath: '$[*].skuu' } } },
      `body/lines/jsonPath  the JSONPath selects nothing: field "lines" of the body of create has no field "skuu" there
  hint: did you mean "sku"?`,
    ],
    [
      'a JSONPath for a body that has an open part',
      'create',
      { body: { address: { jsonPath: '$..citty' } } },
      `body/address/jsonPath  the JSONPath selects nothing: field "address" of the body of create has no field "citty" there
  hint: did you mean "city"?`,
    ],
    [
      'a path parameter that is absent',
      'read',
      { path: { id: null } },
      `path/id  path parameter "id" is never absent
  hint: remove this condition`,
    ],
    [
      'an absent value with a condition',
      'list',
      { query: { after: { present: false, matches: 'a' } } },
      `query/after/present  an absent value has no other condition
  hint: remove "present" or the others`,
    ],
    [
      'a matcher without a condition',
      'list',
      { query: { after: {} } },
      `query/after  query parameter "after" is not an object
  hint: matchers: present, equals, matches, gt, gte, lt, lte, contains, oneOf, not, jsonPath`,
    ],
    [
      'an empty list of values',
      'list',
      { query: { status: { oneOf: [] } } },
      `query/status/oneOf  "oneOf" must have at least 1 item, got []`,
    ],
    [
      'a path parameter of another type',
      'read',
      { path: { id: { contains: { matches: 'x' } } } },
      `path/id/contains  "contains" matches a string or an array, and path parameter "id" is an integer
  hint: write the value itself, or a JSONPath`,
    ],
  ];

  it.each(cases)('%s', (_name, operation, when, want) => {
    expect(findMistakes(operation, when)).toBe(want);
  });
});

describe('a condition that a call can match is accepted', () => {
  const cases: readonly (readonly [operation: string, when: WhenDefinition])[] = [
    ['list', { query: { status: { matches: '^o' } } }],
    ['list', { query: { status: { not: { oneOf: ['open', 'paid', 'closed'] } } } }],
    ['list', { query: { status: { present: false } } }],
    ['list', { query: { limit: { gte: 100 } } }],
    ['list', { query: { limit: { matches: '^1' } } }],
    ['list', { query: { limit: { oneOf: ['1', 2, { gt: 50 }] } } }],
    ['list', { query: { since: { gt: '2026-01-31T12:00:00Z', lte: '2026-02-01' } } }],
    ['list', { query: { after: { gt: '2026-01-31' } } }],
    ['list', { query: { tag: { contains: 'open', not: 'paid' } } }],
    ['list', { query: { sizes: '347' } }],
    ['list', { query: { filter: { size: { gt: 2 } } } }],
    ['list', { header: { 'x-retries': { gt: 2 }, 'x-any': { gt: 5 }, cookie: { contains: 'a=b' } } }],
    ['list', { cookie: { theme: { oneOf: ['dark', 'light'] } } }],
    ['read', { path: { id: { gt: 5 } } }],
    ['create', { body: { note: null, urgent: { equals: true }, day: { lt: '2026-01-31' } } }],
    ['create', { body: { metadata: { matchs: 'a', deep: { contains: 'x' } }, free: { gt: 5 } } }],
    ['create', { body: { free: { matches: 'a', other: 1 } } }],
    ['create', { body: { condition: { contains: 'x' }, payment: { iban: { matches: '^DE' } } } }],
    ['create', { body: { metadata: { equals: { present: true } } } }],
    ['create', { body: { lines: { contains: { sku: { matches: '^a' }, quantity: { gt: 2 } } } } }],
    ['create', { body: { jsonPath: '$.lines[?@.quantity > 2 && @.kind == "open"].sku' } }],
    ['create', { body: { jsonPath: '$.metadata.any.thing' } }],
    ['create', { body: { jsonPath: '$..anything' } }],
    ['create', { body: { jsonPath: '$.payment.iban' } }],
    ['create', { body: { jsonPath: '$.free[?length(@.name) > 2]' } }],
    ['create', { body: { jsonPath: '$.lines[0]["sku"]', not: { jsonPath: '$.address.city' } } }],
    ['*', { query: { anything: { gt: 5 } }, body: { any: { matches: 'x' }, jsonPath2: 1 } }],
  ];

  it.each(cases)('%s %j', (operation, when) => {
    expect(findMistakes(operation, when)).toBe('');
  });

  it('as is one that cannot match, in a rule that says why it breaks the contract', () => {
    const when = { query: { status: { matches: '^x' }, limit: { gt: 500 } } };
    expect(findMistakes('list', when, { violates: 'the client sends other values' })).toBe('');
  });
});

describe('which calls a matcher matches', () => {
  const cases: readonly (readonly [when: WhenDefinition, request: string, isMatch: boolean])[] = [
    [{ query: { status: { matches: '^o' } } }, '?status=open', true],
    [{ query: { status: { matches: '^o' } } }, '?status=paid', false],
    [{ query: { status: { matches: '^o' } } }, '', false],
    [{ query: { limit: { gt: 5 } } }, '?limit=6', true],
    [{ query: { limit: { gt: 5 } } }, '?limit=5', false],
    [{ query: { limit: { gte: 5, lt: 7 } } }, '?limit=5', true],
    [{ query: { limit: { gte: 5, lt: 7 } } }, '?limit=7', false],
    [{ query: { limit: { lte: 7 } } }, '?limit=7', true],
    [{ query: { limit: { matches: '^1' } } }, '?limit=12', true],
    [{ query: { limit: { oneOf: ['1', 2, { gt: 50 }] } } }, '?limit=1', true],
    [{ query: { limit: { oneOf: ['1', 2, { gt: 50 }] } } }, '?limit=51', true],
    [{ query: { limit: { oneOf: ['1', 2, { gt: 50 }] } } }, '?limit=3', false],
    [{ query: { limit: { not: 3 } } }, '?limit=3', false],
    [{ query: { limit: { not: 3 } } }, '?limit=4', true],
    [{ query: { limit: { not: 3 } } }, '', true],
    [{ query: { limit: { not: 3, present: true } } }, '', false],
    [{ query: { limit: { present: false } } }, '', true],
    [{ query: { limit: { present: false } } }, '?limit=1', false],
    [{ query: { since: { gt: '2026-01-31' } } }, '?since=2026-01-31T00:00:01Z', true],
    [{ query: { since: { gt: '2026-01-31T12:00:00Z' } } }, '?since=2026-01-31T13:00:00%2B02:00', false],
    [{ query: { tag: { matches: '^o' } } }, '?tag=paid&tag=open', true],
    [{ query: { tag: { matches: '^o', not: 'paid' } } }, '?tag=paid&tag=open', false],
    [{ query: { tag: { contains: 'open' } } }, '?tag=paid', false],
    [{ query: { filter: { size: { gt: 2 } } } }, '?filter[size]=3', true],
    [{ query: { filter: { size: { gt: 2 } } } }, '?filter[size]=2', false],
    [{ header: { 'X-Retries': { gte: 2 } } }, 'x-retries: 2', true],
    [{ header: { 'X-Retries': { gte: 2 } } }, 'x-retries: 1', false],
    [{ header: { 'user-agent': { contains: 'openai' } } }, 'user-agent: x-openai/1', true],
    [{ header: { 'x-count': { lt: 10 } } }, 'x-count: 9', true],
    [{ header: { 'x-count': { lt: 10 } } }, 'x-count: few', false],
    [{ cookie: { theme: { not: 'dark' } } }, 'cookie: theme=light', true],
    [{ cookie: { theme: { not: 'dark' } } }, 'cookie: theme=dark', false],
    [{ body: { name: { matches: '(?i)^ADA' } } }, '{"name":"ada l"}', true],
    [{ body: { name: { matches: '^a' } } }, '{"name":"bob"}', false],
    [{ body: { name: { present: false } } }, '{"total":1}', true],
    [{ body: { name: { present: false } } }, '{"name":"a"}', false],
    [{ body: { note: { present: true } } }, '{"note":null}', true],
    [{ body: { note: null } }, '{"note":null}', true],
    [{ body: { note: null } }, '{}', false],
    [{ body: { total: { gt: 5 } } }, '{"total":5.5}', true],
    [{ body: { free: { gt: 5 } } }, '{"free":"6"}', false],
    [{ body: { day: { lt: '2026-01-31' } } }, '{"day":"2026-01-30"}', true],
    [{ body: { tags: { contains: 'new' } } }, '{"tags":["old","new"]}', true],
    [{ body: { tags: ['old', { matches: '^n' }] } }, '{"tags":["old","new"]}', true],
    [{ body: { tags: ['old', { matches: '^n' }] } }, '{"tags":["old"]}', false],
    [{ body: { lines: { contains: { quantity: { gt: 2 } } } } }, '{"lines":[{"quantity":1},{"quantity":3}]}', true],
    [{ body: { condition: { contains: 'x' } } }, '{"condition":{"contains":"x"}}', true],
    [{ body: { metadata: { equals: { present: true } } } }, '{"metadata":{"present":true}}', true],
    [{ body: { metadata: { equals: { present: true } } } }, '{"metadata":{}}', false],
    [{ body: { jsonPath: '$.lines[?@.quantity > 2]' } }, '{"lines":[{"quantity":1},{"quantity":3}]}', true],
    [{ body: { jsonPath: '$.lines[?@.quantity > 2]' } }, '{"lines":[{"quantity":1}]}', false],
    [{ body: { lines: { jsonPath: '$[?@.sku]' } } }, '{"lines":[{"sku":"a"}]}', true],
    [{ body: { jsonPath: "$[?search(@, '^a')]" } }, '{"name":"ab"}', true],
    [{ body: { jsonPath: "$[?match(@, 'a')]" } }, '{"name":"ab"}', false],
    [{ body: { equals: { name: 'a' }, jsonPath: '$.total' } }, '{"name":"a","total":1}', true],
    [{ body: { equals: { name: 'a' }, jsonPath: '$.total' } }, '{"name":"a"}', false],
    [{ body: { not: { name: 'a' } } }, '{"name":"b"}', true],
  ];

  it.each(cases)('%j of %s: %s', async (when, request, isMatch) => {
    const isBody = request.startsWith('{');
    const [, name, value = ''] = /^([\w-]+): (.*)$/.exec(request) ?? [];
    const operations = { [isBody ? 'create' : 'list']: { when, respond: { status: 429 } } };
    // The document is written out in full; its type is as wide as any.
    const spec = SHOP as MockOptions['spec'] & object;
    const mock = await createMock({ spec, scenarios: { from: { a: { operations } }, active: 'a' } });
    const init = isBody
      ? { method: 'POST', headers: { 'content-type': 'application/json' }, body: request }
      : { headers: name === undefined ? {} : { [name]: value } };
    const response = await mock.fetch(`/orders${isBody || name !== undefined ? '' : request}`, init);
    expect([response.status, response.headers.get('x-mock-violations')]).toEqual([
      isMatch ? 429 : isBody ? 201 : 200,
      null,
    ]);
  });

  it('a pattern that backtracks takes linear time', async () => {
    const spec = SHOP as MockOptions['spec'] & object;
    const respond = { status: 429 };
    const operations = {
      list: { when: { header: { 'x-name': { matches: '^(a+)+$' } } }, respond },
      create: { when: { body: { jsonPath: "$[?match(@, '(a+)+')]" } }, respond },
    };
    const mock = await createMock({ spec, scenarios: { from: { a: { operations } }, active: 'a' } });
    const text = 'a'.repeat(45);
    const post = (name: string): RequestInit => ({
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ name }),
    });
    expect((await mock.fetch('/orders', { headers: { 'x-name': `${text}!` } })).status).toBe(200);
    expect((await mock.fetch('/orders', { headers: { 'x-name': text } })).status).toBe(429);
    expect((await mock.fetch('/orders', post(`${text}!`))).status).toBe(201);
    expect((await mock.fetch('/orders', post(text))).status).toBe(429);
  });

  it('the trace says what a call has instead', async () => {
    const spec = SHOP as MockOptions['spec'] & object;
    const operations = { list: { when: { query: { limit: { gt: 5 } } }, respond: { status: 429 } } };
    const mock = await createMock({ spec, scenarios: { from: { a: { operations } }, active: 'a' } });
    await mock.fetch('/orders?limit=3');
    expect(mock.journal.interactions[0]?.trace.find((line) => line.includes('rule'))).toBe(
      'scenario: rule a/list[0] (#/scenarios/a/operations/list) does not apply: query "limit" is 3, not {"gt":5}',
    );
  });
});
