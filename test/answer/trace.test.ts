import { describe, expect, it } from 'vitest';
import type { MockOptions } from '../../src/index.js';
import { arrayOf, INTEGER, inPath, object, query, sends, TEXT, toDocument } from '../document-parts.js';
import { openMock } from '../open-mock.js';

const pet = object({ id: TEXT, name: TEXT, status: { enum: ['open', 'sold'] } }, 'id', 'name');

const json = (schema: object, more: object): object => ({
  description: '',
  content: { 'application/json': { schema, ...more } },
});

const get = (operationId: string, schema: object, more: object = {}): object => ({
  get: { operationId, responses: { 200: json(schema, more) } },
});

const REX = { id: 'a', name: 'Rex' };
const DOCUMENT = toDocument({
  '/pets': {
    get: {
      operationId: 'listPets',
      parameters: [query('status'), query('name'), query('limit', INTEGER), query('offset', INTEGER)],
      responses: { 200: json(arrayOf(pet), {}) },
    },
    post: { operationId: 'createPet', ...sends(pet), responses: { 201: json(pet, {}) } },
  },
  '/pets/{id}': {
    ...inPath('id'),
    ...get('readPet', pet),
    delete: { operationId: 'deletePet', responses: { 204: { description: '' } } },
  },
  '/plain': get('plain', object({ ok: { const: true } })),
  '/empty': { get: { operationId: 'empty', responses: { 204: { description: '' } } } },
  '/good': get('good', pet, { examples: { rex: { value: REX } } }),
  '/second': get('second', pet, { examples: { bad: { value: { id: 1 } }, rex: { value: REX } } }),
  '/bad': get('bad', pet, { example: { id: 'a', name: 5 } }),
  '/null': get('none', pet, { example: null }),
});

const FIXTURES = {
  pets: [
    { id: 'a', name: 'Rex', status: 'open' },
    { id: 'b', name: 'Tom', status: 'open' },
    { id: 'c', name: 'Rex' },
  ],
};

const PASSED = [
  'refuse: the request fits the contract',
  'prefer: the request has no preference',
  'scenario: none is active',
  'handler: none for this operation',
];

const UNBOUND = [...PASSED, 'state: the operation is not bound to a collection'];

/** The trace of one request. */
async function trace(
  path: string,
  init: RequestInit = {},
  options: Partial<MockOptions> = {},
): Promise<readonly string[]> {
  const mock = await openMock({ fixtures: FIXTURES, ...options, spec: DOCUMENT });
  await mock.fetch(path, init);
  return mock.journal.last()?.trace ?? [];
}

describe('the trace names each source that was asked, and why it passed', () => {
  it.each<readonly [string, string, readonly string[]]>([
    [
      'a value is generated where no source above has one',
      '/plain',
      [
        ...UNBOUND,
        'example: the response 200 application/json has none',
        'generate: answered the response 200 application/json, generated from its schema',
      ],
    ],
    [
      'a response without content has no example',
      '/empty',
      [...UNBOUND, 'example: the response 204 has no content', 'generate: answered the response 204 without content'],
    ],
    [
      'an example that fits answers',
      '/good',
      [...UNBOUND, 'example: answered with example "rex" of the response 200 application/json'],
    ],
    [
      'an example that breaks its schema is passed over, with its first violation',
      '/second',
      [
        ...UNBOUND,
        'example: example "bad" breaks its schema (answer property "name" is required)',
        'example: answered with example "rex" of the response 200 application/json',
      ],
    ],
    [
      'the valid parts of the only example are kept',
      '/bad',
      [
        ...UNBOUND,
        'example: the example breaks its schema (answer property "name" must be a string, got 5)',
        'example: the valid parts of the example were kept, the rest generated',
      ],
    ],
    [
      'null is passed over',
      '/null',
      [
        ...UNBOUND,
        'example: the example breaks its schema (the answer must be an object, got null)',
        'generate: answered the response 200 application/json, generated from its schema',
      ],
    ],
    ['a stored item is read', '/pets/a', [...PASSED, 'state: answered from pets (read)']],
    ['an unknown item is named', '/pets/x', [...PASSED, 'state: no pet has the id "x"']],
    ['a list without filters needs no further line', '/pets', [...PASSED, 'state: answered from pets (list)']],
    [
      'a filter that empties a list is named',
      '/pets?status=sold',
      [...PASSED, 'state: filter status=sold left 0 of 3 items', 'state: answered from pets (list)'],
    ],
    [
      'of several filters each one that leaves out items is named',
      '/pets?status=open&name=Rex',
      [
        ...PASSED,
        'state: filter status=open left 2 of 3 items',
        'state: filter name=Rex left 1 of 2 items',
        'state: answered from pets (list)',
      ],
    ],
    [
      'a page past the end is named',
      '/pets?offset=7',
      [...PASSED, 'state: the page has none of the 3 items', 'state: answered from pets (list)'],
    ],
    ['a path of no operation is named', '/dogs', [expect.stringMatching(/^router: the contract has no path \/dogs/)]],
    [
      'a refused request has its violation',
      '/pets?limit=x',
      [expect.stringMatching(/^refuse: .*"limit" must be an integer/)],
    ],
  ])('%s', async (_, path, want) => {
    expect(await trace(path)).toEqual(want);
  });

  it.each<readonly [string, string, RequestInit, readonly unknown[]]>([
    [
      'a wrong method',
      '/pets/a',
      { method: 'PUT' },
      ['router: /pets/a does not support PUT; it supports DELETE, GET, HEAD, OPTIONS'],
    ],
    ['OPTIONS', '/pets', { method: 'OPTIONS' }, ['router: OPTIONS is answered with the methods of the path']],
    [
      'a media type that nothing can have',
      '/pets',
      { headers: { accept: 'image/png' } },
      [expect.stringMatching(/^refuse: the Accept header "image\/png" rules out/)],
    ],
    [
      'a preference',
      '/good',
      { headers: { prefer: 'example=rex' } },
      [
        'refuse: the request fits the contract',
        'prefer: answered as the request prefers: example=rex',
        'example: answered with example "rex" of the response 200 application/json',
      ],
    ],
    [
      'a preference that is not known',
      '/good',
      { headers: { prefer: 'code=404' } },
      ['refuse: the request fits the contract', 'prefer: good declares no status 404; it declares 200'],
    ],
    [
      'a scenario that is not known',
      '/good',
      { headers: { 'x-mock-scenario': 'odd' } },
      [...PASSED.slice(0, 2), expect.stringMatching(/^scenario: .*"odd"/)],
    ],
  ])('%s', async (_, path, init, want) => {
    expect(await trace(path, init)).toEqual(want);
  });

  it('a scenario without a rule for the operation says so, and each of its rules otherwise', async () => {
    const scenarios = {
      from: { busy: { operations: { listPets: { when: { query: { status: 'sold' } }, respond: { status: 200 } } } } },
      active: 'busy',
    };
    expect(await trace('/pets/a', {}, { scenarios })).toContain(
      'scenario: no active scenario has a rule for this operation',
    );
    expect((await trace('/pets', {}, { scenarios }))[2]).toMatch(
      /^scenario: rule busy\/listPets\[0\] .* does not apply: query "status" is absent, not "sold"$/,
    );
  });

  it('a handler that returns undefined is passed, one that returns a value answers', async () => {
    const handlers = { good: () => undefined, plain: () => ({ ok: true }) };
    expect((await trace('/good', {}, { handlers }))[3]).toBe('handler: it returned undefined');
    expect(await trace('/plain', {}, { handlers })).toEqual([...PASSED.slice(0, 3), 'handler: answered']);
  });

  it('a credential that is not accepted is named', async () => {
    const spec = {
      ...DOCUMENT,
      security: [{ key: [] }],
      components: { securitySchemes: { key: { type: 'http', scheme: 'bearer' } } },
    };
    const mock = await openMock({ spec, auth: { tokens: ['good'] } });
    await mock.fetch('/plain', { headers: { authorization: 'Bearer bad' } });
    expect(mock.journal.last()?.trace).toEqual(['refuse: the credential is not one that this mock accepts']);
  });

  it('an empty collection is named, and an item of one that the mock does not know leaves it to the next source', async () => {
    expect(await trace('/pets', {}, { fixtures: { pets: [] } })).toContain('state: the list has no items');
  });

  it('is in the message of verify for a request that no operation matches, and in the plain journal', async () => {
    const mock = await openMock({ spec: DOCUMENT });
    await mock.fetch('/pet');
    expect(() => mock.verify()).toThrow(
      /no operation of the contract matches; router: the contract has no path \/pet;/,
    );
    expect(mock.journal.toJson()[0]?.trace).toEqual(mock.journal.last()?.trace);
  });
});
