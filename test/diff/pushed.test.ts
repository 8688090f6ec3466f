import { describe, expect, test } from 'vitest';
import { diff, listVerdicts, toDocument, yaml } from './document.js';

/** A change of a request that the service sends, what it means for what clients send back, and for what they receive. */
type PushedChange = readonly [name: string, old: string, now: string, sent: string, received: string];

const body = (schema: string, more = 'required: true'): string =>
  `{requestBody: {${more}, content: {application/json: {schema: ${schema}}}}, responses: {200: {description: ok}}}`;
const answers = (responses: string): string => `{responses: {${responses}}}`;
const header = (more: string): string =>
  `{parameters: [{in: header, name: X-Signature, schema: {type: string}${more}}], responses: {200: {description: ok}}}`;
const NONE = '{responses: {200: {description: ok}}}';
const OBJECT = '{type: object, required: [a], properties: {a: {type: string}, b: {type: string}}}';
const OK = '200: {description: ok}';
const withHeaders = (headers: string): string => answers(`200: {description: ok, headers: ${headers}}`);
const answersWith = (schema: string): string =>
  answers(`200: {description: ok, content: {application/json: {schema: ${schema}}}}`);

const CHANGES: readonly PushedChange[] = [
  ['a type is widened', body('{type: integer}'), body('{type: number}'), '', 'breaking TYPE_WIDENED'],
  ['a type is narrowed', body('{type: number}'), body('{type: integer}'), '', ''],
  ['a value is added', body('{enum: [a]}'), body('{enum: [a, b]}'), '', 'risky ENUM_VALUE_ADDED'],
  ['a value is removed', body('{enum: [a, b]}'), body('{enum: [a]}'), '', ''],
  ['a member becomes required', body(OBJECT), body(OBJECT.replace('[a]', '[a, b]')), '', ''],
  [
    'a member becomes optional',
    body(OBJECT),
    body(OBJECT.replace('required: [a], ', '')),
    '',
    'breaking MEMBER_OPTIONAL',
  ],
  [
    'a required member is removed',
    body(OBJECT),
    body(OBJECT.replace('required: [a], properties: {a: {type: string}, ', 'properties: {')),
    '',
    'breaking MEMBER_REQUIRED_REMOVED',
  ],
  [
    'a read-only member is widened',
    body('{type: object, properties: {id: {type: integer, readOnly: true}}}'),
    body('{type: object, properties: {id: {type: number, readOnly: true}}}'),
    '',
    'breaking TYPE_WIDENED',
  ],
  ['the body is removed', body(OBJECT), NONE, '', 'breaking BODY_REMOVED'],
  ['the body is added', NONE, body(OBJECT), '', ''],
  ['the body becomes optional', body(OBJECT), body(OBJECT, 'required: false'), '', 'breaking BODY_OPTIONAL'],
  [
    'a media type is replaced',
    body('{}'),
    body('{}').replace('json', 'xml'),
    '',
    'breaking MEDIA_TYPE_REMOVED,risky MEDIA_TYPE_ADDED',
  ],
  ['a header is added', NONE, header(', required: true'), '', ''],
  ['a header is removed', header(''), NONE, '', 'risky PARAMETER_REMOVED'],
  ['a required header is removed', header(', required: true'), NONE, '', 'breaking PARAMETER_REQUIRED_REMOVED'],
  ['a header becomes optional', header(', required: true'), header(''), '', 'breaking PARAMETER_OPTIONAL'],
  ['a header becomes required', header(''), header(', required: true'), '', ''],
  [
    'the answer is narrowed',
    answersWith('{type: number}'),
    answersWith('{type: integer}'),
    'breaking TYPE_NARROWED',
    '',
  ],
  ['the answer is widened', answersWith('{type: integer}'), answersWith('{type: number}'), '', ''],
  ['a status is removed', answers(`${OK}, 202: {description: ok}`), answers(OK), 'breaking STATUS_REMOVED', ''],
  ['a status is added', answers(OK), answers(`${OK}, 202: {description: ok}`), '', ''],
  [
    'a status of errors is removed',
    answers(`${OK}, 410: {description: no}`),
    answers(OK),
    'risky STATUS_ERROR_REMOVED',
    '',
  ],
  ['a header of the answer is added', withHeaders('{}'), withHeaders('{X-Id: {schema: {}}}'), '', ''],
  [
    'a required header of the answer is added',
    withHeaders('{}'),
    withHeaders('{X-Id: {required: true, schema: {}}}'),
    'breaking HEADER_REQUIRED',
    '',
  ],
];

const toWebhooks = (operation: string, name = 'orderPaid') =>
  toDocument({}, { webhooks: { [name]: { post: yaml(operation) } } });

const toCallbacks = (operation: string, url = '{$request.body#/url}', name = 'onPaid') =>
  toDocument({ callbacks: { [name]: { [url]: { post: yaml(operation) } } } });

describe.each([
  ['a webhook', toWebhooks, 'webhook orderPaid'],
  ['a callback', toCallbacks, 'callback onPaid of POST /orders'],
] as const)('a change of %s', (_what, toPushed, name) => {
  test.each(CHANGES)('%s', async (_name, old, now, ...want) => {
    const findings = await diff(toPushed(old), toPushed(now));
    const directions = ['request', 'response'] as const;
    expect(directions.map((direction) => listVerdicts(findings, direction).join())).toEqual(want);
    expect(new Set(findings.flatMap(({ operations }) => operations))).toEqual(
      new Set(findings.length > 0 ? [name] : []),
    );
  });

  test.each([
    ['removed', toPushed(NONE), toDocument({}), 'breaking OPERATION_REMOVED'],
    ['added', toDocument({}), toPushed(NONE), 'compatible OPERATION_ADDED'],
  ])('it is %s', async (word, old, now, want) => {
    const findings = await diff(old, now);
    expect(findings.map(({ severity, code }) => `${severity} ${code}`)).toEqual([want]);
    expect(findings[0]).toMatchObject({ direction: 'response', operations: [name] });
    expect(findings[0]?.message).toMatch(new RegExp(`^the (?:webhook|callback) was ${word}$`));
  });
});

const BOTH = toDocument({
  callbacks: {
    onPaid: { '{$request.query.url}': { post: yaml(NONE) }, '{$request.body#/url}': { post: yaml(NONE) } },
  },
});

describe('a change of the URL of a callback', () => {
  test('breaks the clients that send it', async () => {
    const findings = await diff(toCallbacks(NONE), toCallbacks(NONE, '{$request.query.url}'));
    expect(findings.map(({ severity, code, direction }) => [severity, code, direction])).toEqual([
      ['breaking', 'CALLBACK_MOVED', 'request'],
    ]);
    expect(findings[0]?.message).toBe('its URL was {$request.body#/url} and is {$request.query.url}');
  });

  test.each([
    ['one that is added', toCallbacks(NONE), BOTH, 'compatible OPERATION_ADDED'],
    ['one that is removed', BOTH, toCallbacks(NONE), 'breaking OPERATION_REMOVED'],
  ])('is not %s', async (_name, old, now, want) => {
    const findings = await diff(old, now);
    expect(findings.map(({ severity, code }) => `${severity} ${code}`)).toEqual([want]);
  });
});

test('a webhook that refers to a path item is compared, and named beside the operations with the same change', async () => {
  const toReferred = (schema: string) => {
    const content = { 'application/json': { schema: { $ref: '#/components/schemas/Order' } } };
    const post = { requestBody: { content }, responses: { 200: { description: 'ok' } } };
    return toDocument(
      {
        responses: { 200: { description: 'ok', content } },
        components: { schemas: { Order: yaml(schema) }, pathItems: { Paid: { post } } },
      },
      { webhooks: { paid: { $ref: '#/components/pathItems/Paid' } } },
    );
  };
  const findings = await diff(toReferred('{type: integer}'), toReferred('{type: number}'));
  expect(findings.map(({ code, operations }) => [code, operations])).toEqual([
    ['TYPE_WIDENED', ['POST /orders', 'webhook paid']],
  ]);
});

describe('a change of a link', () => {
  const toLinks = (links: string, id = 'readOrder') => {
    const document = toDocument({ responses: { 201: { description: 'made', links: yaml(links) } } });
    const order = { get: { operationId: id, responses: { 200: { description: 'ok' } } } };
    const other = { get: { operationId: 'readInvoice', responses: { 200: { description: 'ok' } } } };
    return { ...document, paths: { ...(document['paths'] as object), '/orders/{id}': order, '/invoices/{id}': other } };
  };
  const READ = '{order: {operationId: readOrder, parameters: {id: $response.body#/id}}}';

  test.each([
    ['it is removed', READ, '{}', 'risky LINK_REMOVED'],
    ['it is added', '{}', READ, ''],
    ['it leads to another operation', READ, READ.replace('readOrder', 'readInvoice'), 'risky LINK_CHANGED'],
    ['it has another value', READ, READ.replace('/id', '/number'), 'risky LINK_CHANGED'],
    ['it is described', READ, READ.replace('{operationId', '{description: The order., operationId'), ''],
    [
      'it is written as a reference',
      READ,
      READ.replace('operationId: readOrder', 'operationRef: "#/paths/~1orders~1{id}/get"'),
      '',
    ],
  ])('%s', async (_name, old, now, want) => {
    expect(listVerdicts(await diff(toLinks(old), toLinks(now)), 'response').join()).toBe(want);
  });

  test('does not count where only the operationId is another one', async () => {
    const findings = await diff(toLinks(READ), toLinks(READ.replace('readOrder', 'getOrder'), 'getOrder'));
    expect(findings.map(({ code }) => code)).toEqual(['OPERATION_ID_CHANGED']);
  });
});
