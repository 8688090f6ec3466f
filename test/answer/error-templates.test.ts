import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { ERROR_CONDITIONS } from '../../src/http/response/error-conditions.js';
import { createMock, MockError } from '../../src/index.js';
import { INTEGER, json, object, query, ref, TEXT, toDocument } from '../document-parts.js';

const FAULT = {
  ...object({ text: TEXT, kind: { enum: ['not_found', 'invalid'] }, status: INTEGER }, 'text', 'kind'),
  additionalProperties: false,
};

/** A document with templates on itself and on its operation. */
function toFaults(errors: unknown, ofOperation?: unknown): ReturnType<typeof toDocument> {
  const own = ofOperation === undefined ? {} : { 'x-mock': { errors: ofOperation } };
  const responses = { 200: { description: 'ok' }, 404: json(ref('Fault'), 'unknown') };
  return toDocument(
    { '/a': { get: { operationId: 'readA', ...own, responses } } },
    { Fault: FAULT },
    { 'x-mock': { errors } },
  );
}

async function start(spec: Readonly<Record<string, unknown>>): Promise<MockError | undefined> {
  try {
    await (await createMock({ spec })).close();
    return undefined;
  } catch (error) {
    if (error instanceof MockError) return error;
    throw error;
  }
}

it.each<readonly [what: string, errors: unknown, ofOperation: unknown, place: string, reason: RegExp, hint: RegExp]>([
  [
    'an unknown condition',
    { 'not-fuond': { body: {} } },
    undefined,
    '/x-mock/errors/not-fuond',
    /"errors\.not-fuond" is not allowed/,
    /did you mean "not-found"\?/,
  ],
  [
    'a success as a key',
    { 200: { body: {} } },
    undefined,
    '/x-mock/errors/200',
    /"errors\[200\]" is not allowed/,
    /^$/,
  ],
  [
    'a body that is not in one',
    { default: { error: {} } },
    undefined,
    '/x-mock/errors/default/error',
    /"errors\.default\.error" is not allowed/,
    /^$/,
  ],
  [
    'a property that the schema does not allow',
    { default: { body: { txet: '{message}' } } },
    undefined,
    '/x-mock/errors/default/body/txet',
    /does not fit error 404 of readA: .*"txet" is not allowed/,
    /its schema is #\/components\/schemas\/Fault/,
  ],
  [
    'a value that the enum does not have',
    { 'not-found': { body: { kind: 'missing' } } },
    undefined,
    '/x-mock/errors/not-found/body/kind',
    /must be one of "not_found", "invalid", got "missing"/,
    /its schema is/,
  ],
  [
    'a placeholder of another type',
    { '404': { body: { status: '{message}' } } },
    undefined,
    '/x-mock/errors/404/body/status',
    /must be an integer/,
    /its schema is/,
  ],
  [
    'an unknown placeholder',
    { '4XX': { body: { text: 'No: {mesage}' } } },
    undefined,
    '/x-mock/errors/4XX/body/text',
    /there is no placeholder \{mesage\}/,
    /did you mean "message"\?/,
  ],
  [
    'one of an operation',
    undefined,
    { 'not-found': { body: { kind: 1 } } },
    '/paths/~1a/get/x-mock/errors/not-found/body/kind',
    /must be one of/,
    /its schema is/,
  ],
])('a template that does not fit stops the start: %s', async (...[, errors, ofOperation, place, reason, hint]) => {
  const error = await start(toFaults(errors ?? {}, ofOperation));
  expect(error?.code).toBe('HINT_INVALID');
  expect(error?.at?.pointer).toBe(place);
  expect(error?.reason).toMatch(reason);
  expect(error?.hint ?? '').toMatch(hint);
});

it('a template for another status than the schema is for is accepted', async () => {
  expect(await start(toFaults({ 'rate-limited': { body: { anything: 1 } } }))).toBeUndefined();
});

it('a test that names a status gets it, and the body of the template', async () => {
  const errors = {
    'not-found': { status: 410, body: { text: 'Gone: {message}', kind: 'not_found', status: '{status}' } },
  };
  await using mock = await createMock({
    spec: toFaults(errors),
    handlers: { readA: ({ call, error }) => error(404, `no ${call.operation.id}`) },
  });
  const response = await mock.fetch('/a');
  expect([response.status, await response.json()]).toEqual([
    404,
    { text: 'Gone: no readA', kind: 'not_found', status: 404 },
  ]);
});

it('docs/answers.md has a table of all conditions', async () => {
  const text = await readFile('docs/answers.md', 'utf8');
  const table = text.slice(text.indexOf('| condition | when |'), text.indexOf('## Examples'));
  const names = [...table.matchAll(/^\| `([a-z-]+)` \|/gmu)].map(([, name = '']) => name);
  expect(new Set(names)).toEqual(new Set(ERROR_CONDITIONS));
});

it('a template in text is sent as it is, with its own media type', async () => {
  const spec = toFaults({ 'not-found': { body: 'No {status}: {message}', mediaType: 'text/plain' } });
  await using mock = await createMock({ spec });
  const response = await mock.fetch('/b');
  expect([response.status, response.headers.get('content-type')]).toEqual([404, 'text/plain']);
  expect(await response.text()).toMatch(/^No 404: the contract has no path \/b/);
  const wrong = await start(toFaults({ 'not-found': { body: { a: 1 }, mediaType: 'text/plain' } }));
  expect(wrong?.code).toBe('HINT_INVALID');
});

it('a template has values of the request, and a body with a media type is sent as it is', async () => {
  const toSpec = (template: object): ReturnType<typeof toDocument> => {
    const parameters = [query('q', TEXT), query('other', TEXT), query('limit', INTEGER)];
    const own = { 'x-mock': { errors: { 'invalid-value': template } } };
    const responses = { 200: json(TEXT), 400: json(ref('Fault'), 'invalid') };
    return toDocument({ '/a': { get: { parameters, responses, ...own } } }, { Fault: FAULT });
  };
  const body = { detail: '{param}: no {$request.query.q}', q: '{$request.query.q}', none: '{$request.query.other}' };
  await using mock = await createMock({ spec: toSpec({ status: 422, body, mediaType: 'application/problem+json' }) });
  const response = await mock.fetch('/a?q=%7Bmessage%7D&limit=x');
  expect([response.status, response.headers.get('content-type')]).toEqual([422, 'application/problem+json']);
  expect(await response.json()).toEqual({ detail: 'limit: no {message}', q: '{message}' });
  await using page = await createMock({ spec: toSpec({ body: 'no {$request.query.q}', mediaType: 'text/html' }) });
  expect(await (await page.fetch('/a?q=%3Cb%3E&limit=x')).text()).toBe('no &lt;b&gt;');
  const wrong = await start(toSpec({ body: '{$request.nowhere.a}', mediaType: 'text/plain' }));
  expect(wrong?.message).toContain('there is no placeholder {$request.nowhere.a}');
});

it('a template whose body is an empty string is an error without a body', async () => {
  await using mock = await createMock({ spec: toFaults({ 'not-found': { body: '' } }) });
  const response = await mock.fetch('/b');
  expect([response.status, response.headers.get('content-type'), await response.text()]).toEqual([404, null, '']);
});
