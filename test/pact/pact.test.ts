// @module-tag slow
import * as pactflow from '@pactflow/openapi-pact-comparator';
import { readFileSync } from 'node:fs';
import { load } from 'js-yaml';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Contract, createMock, loadContract, type MockOptions, toPact } from '../../src/index.js';
import { findMistakes } from './specification.js';
import { arrayOf, content, INTEGER, json, object, query, TEXT, toDocument } from '../document-parts.js';

type Pact = ReturnType<typeof toPact>['pact'];

// The declarations of the package import folders, which TypeScript does not resolve in ES modules.
const { Comparator } = pactflow as unknown as {
  readonly Comparator: new (document: unknown) => {
    compare(pact: unknown): AsyncIterable<{ readonly type: string; readonly message: string }>;
  };
};

const NAMES = { consumer: 'web', provider: 'trains' };

const STATION = object(
  { id: TEXT, name: TEXT, tracks: arrayOf(INTEGER), token: { type: 'string', format: 'password', pattern: '^tk-' } },
  'id',
  'name',
);
const PICTURE = content({ type: 'string', format: 'binary' }, 'image/png');

const SPEC = toDocument(
  {
    '/stations': {
      get: {
        operationId: 'listStations',
        parameters: [query('tag', arrayOf(TEXT)), { name: 'X-Region', in: 'header', schema: TEXT }],
        responses: {
          '200': { ...json(arrayOf(STATION)), headers: { 'X-Total': { schema: INTEGER } } },
          '503': { description: 'busy', content: content(TEXT, 'text/plain') },
        },
      },
      post: {
        operationId: 'addStation',
        requestBody: { required: true, content: content(STATION) },
        responses: { '201': json(STATION, 'added') },
      },
    },
    '/search': {
      post: {
        operationId: 'search',
        requestBody: { content: content(object({ q: TEXT }, 'q'), 'application/x-www-form-urlencoded') },
        responses: { '204': { description: 'found' } },
      },
    },
    '/map': {
      get: { operationId: 'getMap', responses: { '200': { description: 'map', content: PICTURE } } },
      put: { operationId: 'setMap', requestBody: { content: PICTURE }, responses: { '204': { description: 'set' } } },
    },
  },
  undefined,
  {
    openapi: '3.0.3',
    info: { title: 'Trains', version: '1' },
    servers: [{ url: 'https://trains.example/v1' }],
    components: {
      securitySchemes: { token: { type: 'http', scheme: 'bearer' }, key: { type: 'apiKey', in: 'query', name: 'key' } },
    },
    security: [{ token: [] }, { key: [] }],
  },
);

const SCENARIOS = { busy: { operations: { listStations: { respond: { status: 503, body: 'later' } } } } } as const;

let contract: Contract;
beforeAll(async () => {
  contract = await loadContract(SPEC);
});

function open(options: Omit<MockOptions, 'spec'> = {}) {
  return createMock({ spec: contract, state: false, scenarios: SCENARIOS, ...options });
}

const CREDENTIALS = { authorization: 'Bearer abc-secret' };
const JSON_BODY = { ...CREDENTIALS, 'content-type': 'application/json' };

/** Mistakes that the comparator of PactFlow finds in a Pact file. */
async function compare(pact: unknown, document: unknown = SPEC): Promise<readonly string[]> {
  const found: string[] = [];
  // The comparator changes the document that it gets.
  const results = new Comparator(structuredClone(document)).compare(structuredClone(pact));
  for await (const { type, message } of results) if (type === 'error') found.push(message);
  return found;
}

/** The calls of a client that touch each part of the format. */
async function callAll() {
  const mock = await open();
  await mock.fetch('/v1/stations?tag=a&tag=b', { headers: { ...CREDENTIALS, 'x-region': 'north', 'x-other': '1' } });
  await mock.fetch('/v1/stations?key=my-secret-key');
  const body = JSON.stringify({ id: '1', name: 'Bern', tracks: [1], token: 'tk-very-secret' });
  await mock.fetch('/v1/stations', { method: 'POST', headers: JSON_BODY, body });
  await mock.fetch('/v1/search', { method: 'POST', headers: CREDENTIALS, body: new URLSearchParams({ q: 'a b' }) });
  await mock.fetch('/v1/stations', { headers: { ...CREDENTIALS, 'x-mock-scenario': 'busy' } });
  return mock;
}

describe.each([3, 4] as const)('a Pact file of version %s', (version) => {
  let pact: Pact;
  let text: string;
  beforeAll(async () => {
    ({ pact } = toPact(await callAll(), { ...NAMES, version }));
    text = JSON.stringify(pact);
  });

  it('has the form of the specification', () => {
    expect(findMistakes(pact, version)).toEqual([]);
    expect(pact.interactions.map(({ description }) => description)).toEqual([
      'listStations answers 200',
      'listStations answers 200 (2)',
      'addStation answers 201',
      'search answers 204',
      'listStations answers 503',
    ]);
  });

  it('is compatible with the document', async () => {
    expect(await compare(pact)).toEqual([]);
  });

  it.each<readonly [what: string, from: RegExp | string, to: string, message: RegExp]>([
    ['a path', '"/search"', '"/find"', /Path or method not defined in spec file: POST \/find/],
    ['a status', '"status":201', '"status":202', /Response status code not defined/],
    ['a request body', '"name":"Bern"', '"name":7', /Request body is incompatible/],
    ['the credentials', '"Authorization"', '"X-Authorization"', /Request Authorization header is missing/],
  ])('is found to be incompatible after %s was changed by hand', async (_, from, to, message) => {
    expect(text).toMatch(from);
    const found = await compare(JSON.parse(text.replaceAll(from, to)));
    expect(found.join('\n')).toMatch(message);
  });

  it('has no secret of the client or the API', () => {
    expect(text).not.toMatch(/abc-secret|my-secret-key|very-secret/);
    expect(text).toContain('Bearer [redacted]');
  });
});

describe('an interaction', () => {
  it('has query arrays, declared headers, matchers by type and the credentials that are required', async () => {
    const { pact } = toPact(await callAll(), NAMES);
    const [first] = pact.interactions;
    expect(first).toEqual({
      description: 'listStations answers 200',
      request: {
        method: 'GET',
        path: '/stations',
        query: { tag: ['a', 'b'] },
        headers: { Authorization: 'Bearer [redacted]', 'X-Region': 'north' },
        matchingRules: {
          header: { Authorization: { matchers: [{ match: 'regex', regex: '^Bearer .+$' }], combine: 'AND' } },
        },
      },
      response: {
        status: 200,
        headers: { 'Content-Type': 'application/json', 'X-Total': expect.stringMatching(/^-?\d+$/) },
        body: expect.arrayContaining([expect.objectContaining({ name: expect.any(String) })]),
        matchingRules: {
          header: {
            'Content-Type': {
              matchers: [{ match: 'regex', regex: String.raw`^application/json(\s*;.*)?$` }],
              combine: 'AND',
            },
            'X-Total': { matchers: [{ match: 'type' }], combine: 'AND' },
          },
          body: {
            $: { matchers: [{ match: 'type', min: 1 }], combine: 'AND' },
            '$[*].tracks': { matchers: [{ match: 'type', min: 1 }], combine: 'AND' },
          },
        },
      },
    });
  });

  it('names the scenarios that applied as provider states, and matches what they answer exactly', async () => {
    const { pact } = toPact(await callAll(), NAMES);
    expect(pact.interactions.at(-1)).toMatchObject({
      providerStates: [{ name: 'busy' }],
      response: { status: 503, headers: { 'Content-Type': 'text/plain' }, body: 'later' },
    });
    expect(pact.interactions.at(-1)).not.toHaveProperty('response.matchingRules.body');
    expect(pact.interactions[0]).not.toHaveProperty('providerStates');
  });

  it('is written once for each different pair of request and answer', async () => {
    const mock = await open();
    for (const tag of ['a', 'b', 'a']) await mock.fetch(`/v1/stations?tag=${tag}`, { headers: CREDENTIALS });
    expect(toPact(mock, NAMES).pact.interactions.map(({ request }) => request)).toMatchObject([
      { query: { tag: ['a'] } },
      { query: { tag: ['b'] } },
    ]);
  });

  it('has a prefix where one is given', async () => {
    const { pact } = toPact(await callAll(), { ...NAMES, basePath: '/v1' });
    expect(pact.interactions[0]).toMatchObject({ request: { path: '/v1/stations' } });
  });

  it('is left out, with a note, where it says nothing about the API or has bytes', async () => {
    const mock = await open({ handlers: { addStation: () => ({ status: 418 }) } });
    await mock.fetch('/v1/trains');
    await mock.fetch('/v1/stations');
    await mock.fetch('/v1/stations', { method: 'POST', headers: JSON_BODY, body: '{"id":"1","name":"Bern"}' });
    const image = {
      method: 'PUT',
      headers: { ...CREDENTIALS, 'content-type': 'image/png' },
      body: new Uint8Array([1]),
    };
    await mock.fetch('/v1/map', image);
    await mock.fetch('/v1/map', { headers: CREDENTIALS });
    const { pact, notes } = toPact(mock, NAMES);
    expect(pact.interactions).toEqual([expect.objectContaining({ description: 'getMap answers 200' })]);
    expect(pact.interactions[0]).not.toHaveProperty('response.body');
    expect(notes).toEqual([
      '1 call left out: no operation of the document matches',
      '1 call left out: the request violates the document',
      '1 call left out: the document does not declare the status',
      '1 call left out: a request body of image/png cannot be written',
      'GET /map 200 (#5): the response body of image/png is left out',
    ]);
  });
});

it(
  'the built-in contract is compatible with the calls of a client that creates, lists, downloads and deletes',
  { tags: 'slow' },
  async () => {
    const mock = await createMock({ spec: 'spec/openapi.yaml', fixtures: 'fixtures' });
    const path = '/v1/organization/admin_api_keys';
    const headers = { authorization: 'Bearer k', 'content-type': 'application/json' };
    await mock.fetch(path, { method: 'POST', headers, body: '{"name":"CI"}' });
    await mock.fetch(`${path}?limit=2`, { headers });
    const authorized = { headers: { authorization: 'Bearer k' } };
    await mock.fetch('/v1/files/file-handbook/content', authorized);
    await mock.fetch('/v1/vector_stores/vs_training/files/file-training', { ...authorized, method: 'DELETE' });
    const document: unknown = load(readFileSync('spec/openapi.yaml', 'utf8'));
    for (const version of [3, 4] as const) {
      const { pact } = toPact(mock, { consumer: 'console', provider: 'platform', version });
      expect(pact.interactions).toHaveLength(4);
      expect(findMistakes(pact, version)).toEqual([]);
      expect(await compare(pact, document)).toEqual([]);
    }
  },
);
