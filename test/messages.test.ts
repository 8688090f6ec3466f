import { join } from 'node:path';
import { inspect } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Contract, createMock, loadContract, type Mock, MockError, type MockOptions } from '../src/index.js';
import { object, TEXT, content, arrayOf, toDocument, query, INTEGER, inPath } from './document-parts.js';
import { createSharedFolder } from './folders.js';

const pet = object({ id: TEXT, name: TEXT, age: { type: 'integer', minimum: 0 } }, 'name');

const json = (schema: object): object => ({ description: '', content: content(schema) });

const DOCUMENT = toDocument({
  '/pets': {
    get: { operationId: 'listPets', responses: { 200: json(arrayOf(pet)) } },
    post: { operationId: 'createPet', requestBody: { content: content(pet) }, responses: { 201: json(pet) } },
  },
  '/pets/{id}': { ...inPath('id'), get: { operationId: 'readPet', responses: { 200: json(pet) } } },
});

const FILES = {
  'openapi.yaml': 'openapi: 3.1.0\n',
  'broken.yaml': 'openapi: 3.1.0\ninfo: [\n  a: }\n',
  'other.yaml': 'hello: 1\n',
  'fixtures/pets.yaml': '- id: a\n  name: Rex\n- id: b\n  nmae: Tom\n',
  'unknown/pet.yaml': '- id: a\n  name: Rex\n',
};

const folder = createSharedFolder(FILES);
let contract: Contract;
let mock: Mock;

beforeAll(async () => {
  contract = await loadContract(DOCUMENT);
  mock = await createMock({ spec: contract, fixtures: { pets: [{ id: 'a', name: 'Rex' }] } });
});
afterAll(() => mock.close());

async function open(options: object): Promise<void> {
  // Some of the options are wrong on purpose.
  const opened = await createMock({ spec: contract, ...options } as MockOptions);
  await opened.close();
}

/** The message with the temporary folder as `DIR`, whether it is written in full or relative to the working folder. */
async function messageOf(act: () => unknown): Promise<string> {
  try {
    await act();
  } catch (error) {
    if (error instanceof MockError) return error.message.replaceAll(/(?:(?:\.\.\/)+|\/)[\w/]*vouch-test-\w+/g, 'DIR');
    throw error;
  }
  return '';
}

describe('the message of an error has its code, place, reason and hint:', () => {
  it.each<readonly [string, () => unknown, string]>([
    [
      'a document that does not exist',
      () => open({ spec: join(folder, 'opanapi.yaml') }),
      'SPEC_NOT_FOUND  DIR/opanapi.yaml  the file "DIR/opanapi.yaml" does not exist\n  hint: did you mean "DIR/openapi.yaml"?',
    ],
    [
      'a document that is not YAML',
      () => open({ spec: join(folder, 'broken.yaml') }),
      'SPEC_INVALID  DIR/broken.yaml:3:6  the file is neither valid JSON nor valid YAML: missed comma between flow collection entries\n' +
        '  hint: correct this line; an editor with YAML support marks the mistake',
    ],
    [
      'a document that is not OpenAPI',
      () => open({ spec: join(folder, 'other.yaml') }),
      'SPEC_INVALID  DIR/other.yaml:1:1  this is not an OpenAPI document: it has neither "openapi" nor "swagger"\n' +
        '  hint: its members are: hello; an OpenAPI document starts with "openapi: 3.1.0"',
    ],
    [
      'fixtures with two mistakes',
      () => open({ fixtures: join(folder, 'fixtures') }),
      [
        'FIXTURE_INVALID  2 mistakes in fixtures:',
        '  FIXTURE_INVALID  DIR/fixtures/pets.yaml:3:3 (#/1/name)  property "name" is required; is "nmae" a misspelling of it?',
        '    hint: the item must match the schema #/paths/~1pets~1{id}/get/responses/200/content/application~1json/schema',
        '  FIXTURE_INVALID  DIR/fixtures/pets.yaml:4:3 (#/1/nmae)  an item of "pets" has no field "nmae"',
        '    hint: did you mean "name"?',
      ].join('\n'),
    ],
    [
      'fixtures of no collection',
      () => open({ fixtures: join(folder, 'unknown') }),
      'FIXTURE_INVALID  DIR/unknown/pet.yaml:1:1  the contract has no collection "pet"\n  hint: did you mean "pets"?',
    ],
    [
      'an unknown collection',
      () => mock.state.collection('pet'),
      'COLLECTION_UNKNOWN  the contract has no collection "pet"\n  hint: did you mean "pets"?',
    ],
    [
      'an item that does not match its schema',
      () => mock.state.collection('pets').add({ name: 5 }),
      'STATE_INVALID  not a valid item of "pets": /name: property "name" must be a string, got 5\n' +
        '  hint: an item must match the schema that the contract declares for it',
    ],
    [
      'a time that is not one',
      () => mock.clock.set('tomorrow'),
      'CLOCK_INVALID  "tomorrow" is not a point in time\n' +
        '  hint: give milliseconds since 1970, a Date, or an ISO 8601 string such as "2026-01-01T00:00:00Z"',
    ],
    [
      'the id of a session',
      () => mock.session('a b'),
      'SESSION_INVALID  "a b" is not a valid session id\n  hint: use 1 to 128 letters, digits, "_", "-" and "."',
    ],
    [
      'a session that was closed',
      () => {
        const session = mock.session('z');
        session.close();
        return session.fetch('/pets');
      },
      'SESSION_UNKNOWN  session "z" was closed, or dropped because it was not used\n  hint: open it again: mock.session("z")',
    ],
    [
      'a wait that is over',
      () => mock.session('w').journal.waitFor('listPets', { timeout: 1 }),
      'WAIT_TIMEOUT  no call of listPets within 1 ms; there was no other interaction either\n' +
        '  hint: check that the client uses this mock and this session; { timeout } sets a longer time in milliseconds',
    ],
    [
      'a verification',
      async () => {
        const session = mock.session('v');
        const headers = { 'content-type': 'application/json' };
        await session.fetch('/pets', { method: 'POST', headers, body: '{"nmae":1,"age":-1}' });
        await session.fetch('/pet');
        session.verify({ calls: { listPets: 1 } });
      },
      [
        'VERIFY_FAILED  verification failed with 4 findings:',
        '  #1 POST /pets -> 400 refuse (createPet)',
        '      REQUIRED  body property "name" is required; is "nmae" a misspelling of it?',
        '      RANGE  body property "age" must be at least 0, got -1',
        '  #2 GET /pet -> 404 refuse (no operation)',
        '      no operation of the contract matches; router: the contract has no path /pet; the nearest is /pets',
        '  listPets was called 0 times, not once',
        '  hint: fix the request, or exclude it with verify({ ignore }) if it is wrong on purpose',
      ].join('\n'),
    ],
  ])('%s', async (_, act, want) => {
    expect(await messageOf(act)).toBe(want);
  });

  it('and the console prints each of them once', async () => {
    const error: unknown = await createMock({ spec: DOCUMENT, seed: 1.5 }).catch((thrown: unknown) => thrown);
    expect(inspect(error).match(/must be an integer/g)).toHaveLength(1);
    expect(inspect(error)).not.toContain("code: 'OPTION_INVALID'");
    expect(JSON.parse(JSON.stringify(error))).toMatchObject({ code: 'OPTION_INVALID', reason: expect.any(String) });
  });
});

/** The violations that a refused request has, in `x-mock-violations` and in the journal. */

const spec = {
  ...DOCUMENT,
  components: { securitySchemes: { token: { type: 'http', scheme: 'bearer' } } },
  paths: {
    '/pets': {
      get: { ...DOCUMENT.paths['/pets'].get, security: [{ token: [] }] },
      put: {
        operationId: 'replacePets',
        security: [{ token: [] }],
        parameters: [query('limit', INTEGER)],
        requestBody: { content: content(pet) },
        responses: { 200: json(pet) },
      },
      post: {
        operationId: 'createPet',
        parameters: [query('limit', INTEGER)],
        requestBody: { required: true, content: content(pet) },
        responses: { 201: json(pet), 422: { description: 'Validation failed' } },
      },
      patch: {
        operationId: 'changePet',
        parameters: [query('limit', INTEGER)],
        requestBody: { required: true, content: content(pet) },
        responses: { 200: json(pet) },
      },
    },
  },
};
const type = { 'content-type': 'application/json' };

it.each<readonly [number, string, RequestInit, readonly string[]]>([
  [
    400,
    '/pets?limit=x',
    { method: 'PATCH', headers: type, body: '{"age":-1}' },
    ['TYPE query parameter "limit" must be an integer, got "x"', 'REQUIRED body property "name" is required', 'RANGE '],
  ],
  [
    422,
    '/pets?limit=x',
    { method: 'POST', headers: type, body: '{"name":"größer\\n","age":-1}' },
    ['TYPE query parameter "limit"', 'RANGE body property "age"'],
  ],
  [400, '/pets?limit=%C3%BC%0A', { method: 'PATCH', headers: type, body: '{' }, ['TYPE query', 'BODY_MALFORMED ']],
  [
    401,
    '/pets?limit=x',
    { method: 'PUT', headers: type, body: '{"age":-1}' },
    ['CREDENTIAL_MISSING ', 'TYPE query', 'REQUIRED body', 'RANGE body'],
  ],
  [
    401,
    '/pets?limit=x',
    { method: 'PUT', headers: { ...type, authorization: 'Bearer wrong' }, body: '{"age":-1}' },
    ['CREDENTIAL_REJECTED ', 'TYPE query', 'REQUIRED body', 'RANGE body'],
  ],
  [404, '/pet', {}, ['PATH_UNKNOWN the contract has no path /pet; the nearest is /pets']],
  [405, '/pets', { method: 'DELETE' }, ['METHOD_UNKNOWN /pets does not support DELETE']],
  [
    406,
    '/pets',
    { method: 'PATCH', headers: { ...type, accept: 'image/png' }, body: '{"name":"a"}' },
    ['NOT_ACCEPTABLE the Accept header "image/png"'],
  ],
  [413, '/pets', { method: 'PATCH', headers: type, body: `{"name":"${'x'.repeat(300)}"}` }, ['BODY_TOO_LARGE ']],
  [
    415,
    '/pets?limit=x',
    { method: 'PATCH', headers: { 'content-type': 'text/csv' }, body: 'a' },
    ['TYPE query', 'CONTENT_TYPE_UNDECLARED '],
  ],
])('a refused request lists each violation in a header and in the journal: %i %s', async (status, path, init, want) => {
  const refusing = await createMock({ spec, auth: { tokens: ['right'] }, requests: { bodyLimitBytes: 200 } });
  const response = await refusing.fetch(path, init);
  const header = response.headers.get('x-mock-violations') ?? '';
  expect([response.status, header.split('; ').filter((part) => /^[A-Z_]+ /.test(part)).length]).toEqual([
    status,
    want.length,
  ]);
  for (const part of want) expect(header).toContain(part);
  const errors = refusing.journal.last()?.violations.filter(({ severity }) => severity === 'error') ?? [];
  const wanted = want.map((part) => part.split(' ')[0] ?? '');
  expect(errors.map(({ code }): string => code).toSorted()).toEqual(wanted.toSorted());
  await refusing.close();
});

it.each<[name: string, act: () => unknown]>([
  ['of an unknown collection', () => mock.state.collection('pet')],
  ['of an invalid item', () => mock.state.collection('pets').replace([{ id: 'b', name: 1 }])],
  ['of a wait that ended', () => mock.journal.waitFor('readPet', { timeout: 1 })],
])('the stack of an error shows the call of the test: %s', async (_name, act) => {
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = 10;
  try {
    const error: unknown = await (async () => act())().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(MockError);
    expect((error as MockError).stack).toContain('messages.test.ts');
    expect((error as MockError).stack).toMatch(/^MockError: [A-Z_]+ /u);
    expect(Error.stackTraceLimit).toBe(10);
  } finally {
    Error.stackTraceLimit = limit;
  }
});
