import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Mock } from '../../src/index.js';
import type { Imported } from '../../src/tools/import/import.js';
import { createFolder } from '../folders.js';
import { importFrom, serve } from './old-mock.js';

const POOL = join(import.meta.dirname, 'pool.yaml');

type Members = Readonly<Record<string, unknown>>;

/** Imports the content of a file; mappings of WireMock as a folder. */
function importPool(value: unknown): Promise<Imported> {
  const file = join(createFolder(), 'old.json');
  writeFileSync(file, JSON.stringify(value));
  return importFrom(file, undefined, POOL);
}

function importMappings(...mappings: readonly Members[]): Promise<Imported> {
  const folder = createFolder();
  mkdirSync(join(folder, 'mappings'));
  for (const [i, mapping] of mappings.entries())
    writeFileSync(join(folder, 'mappings', `${i}.json`), JSON.stringify(mapping));
  return importFrom(folder, undefined, POOL);
}

const LIST = { method: 'GET', urlPath: '/v1/passes' };
const CREATE = { method: 'POST', urlPath: '/v1/passes' };
const PASSES = { status: 200, jsonBody: [{ id: 'old' }] };

function toEnvironment(response: Members, route: Members = {}, environment: Members = {}): unknown {
  const own = { uuid: 'a', statusCode: 200, body: '[{"id":"old"}]', rules: [], ...response };
  const routes = [{ uuid: 'r', type: 'http', method: 'get', endpoint: 'v1/passes', responses: [own], ...route }];
  return { lastMigration: 33, routes, ...environment };
}

function toCollection(request: Members, response: Members = {}, item: Members = {}, collection: Members = {}): unknown {
  const originalRequest = { method: 'GET', url: { raw: 'https://pool.example.com/v1/passes' }, ...request };
  const example = { name: 'ok', code: 200, body: '[{"id":"old"}]', originalRequest, ...response };
  return { info: { name: 'pool' }, item: [{ name: 'Passes', response: [example], ...item }], ...collection };
}

const reasonsOf = ({ remarks }: Imported): readonly string[] => remarks.map(({ why }) => why);

async function isOld(mock: Mock, path: string, init: RequestInit = {}): Promise<boolean> {
  const response = await mock.fetch(path, init);
  return (await response.text()).includes('"old"');
}

const form = (text: string): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/x-www-form-urlencoded' },
  body: text,
});

describe('every line of a repeated header is kept', () => {
  const cookies = ['badge=7; Path=/', 'pool=north'];
  const lines = cookies.map((value) => ({ key: 'Set-Cookie', value }));
  it.each([
    ['WireMock', () => importMappings({ request: LIST, response: { ...PASSES, headers: { 'Set-Cookie': cookies } } })],
    ['Mockoon', () => importPool(toEnvironment({ headers: lines }))],
    [
      'Mockoon, in the environment and the response',
      () => importPool(toEnvironment({ headers: lines.slice(1) }, {}, { headers: lines.slice(0, 1) })),
    ],
    ['Postman', () => importPool(toCollection({}, { header: lines }))],
    [
      'a list of handlers',
      () => importPool([{ path: '/v1/passes', body: [{ id: 'old' }], headers: { 'set-cookie': cookies } }]),
    ],
  ])('%s', async (_, load) => {
    await using mock = await serve(await load(), POOL);
    expect((await mock.fetch('/v1/passes')).headers.getSetCookie()).toEqual(cookies);
  });

  it('Mockoon itself sends only the last line of any other header', async () => {
    const headers = ['one', 'two'].map((value) => ({ key: 'X-Desk', value }));
    const imported = await importPool(toEnvironment({ body: '{"id":"old"}', headers }, { endpoint: 'v1/passes/:id' }));
    await using mock = await serve(imported, POOL);
    expect((await mock.fetch('/v1/passes/p')).headers.get('x-desk')).toBe('two');
  });
});

describe('fields of a form are conditions', () => {
  it('WireMock', async () => {
    const formParameters = { lanes: { equalTo: '2' }, guest: { contains: 'Ann' } };
    const imported = await importMappings({
      request: { ...CREATE, formParameters },
      response: { status: 201, jsonBody: { id: 'old' } },
    });
    expect(imported.remarks).toEqual([]);
    await using mock = await serve(imported, POOL);
    expect(await isOld(mock, '/v1/passes', form('lanes=2&guest=Anna'))).toBe(true);
    expect(await isOld(mock, '/v1/passes', form('lanes=3&guest=Anna'))).toBe(false);
    expect(await isOld(mock, '/v1/passes', form('lanes=2&guest=Bo'))).toBe(false);
    // A body of another type has no fields.
    const headers = { 'content-type': 'application/json' };
    expect(await isOld(mock, '/v1/passes', { method: 'POST', headers, body: '{"lanes":2,"guest":"Anna"}' })).toBe(
      false,
    );
  });

  it('Postman: the example with the fields that were sent', async () => {
    const item = ['2', '3'].map((lanes) => ({
      name: lanes,
      response: [
        {
          name: lanes,
          code: 201,
          body: JSON.stringify({ id: `lanes ${lanes}` }),
          originalRequest: {
            method: 'POST',
            url: 'https://pool.example.com/v1/passes',
            body: { mode: 'urlencoded', urlencoded: [{ key: 'lanes', value: lanes }] },
          },
        },
      ],
    }));
    const imported = await importPool({ info: { name: 'pool' }, item });
    await using mock = await serve(imported, POOL);
    for (const lanes of ['2', '3']) {
      const response = await mock.fetch('/v1/passes', form(`lanes=${lanes}`));
      expect(await response.json()).toEqual({ id: `lanes ${lanes}` });
    }
  });
});

describe('WireMock: a stub with a condition that has no counterpart is listed, and answers nothing', () => {
  it.each<[what: string, request: Members]>([
    ['clientIp: a rule cannot depend on the address of the client', { ...LIST, clientIp: { equalTo: '10.0.0.1' } }],
    ['port: it has no counterpart', { ...LIST, port: 8080 }],
    ['scheme: it has no counterpart', { ...LIST, scheme: 'https' }],
    ['hasBody: it has no counterpart', { ...LIST, hasBody: false }],
    ['queryParameters is not an object', { ...LIST, queryParameters: [{ page: 'a' }] }],
    ['formParameters is not an object', { ...CREATE, formParameters: 'lanes=2' }],
    ['moonPhase: it has no counterpart', { ...LIST, moonPhase: { equalTo: 'full' } }],
    [
      'multipartPatterns: the parts of a multipart body cannot be matched',
      { ...LIST, multipartPatterns: [{ name: 'a' }] },
    ],
    ['a matcher of the method has no counterpart', { ...LIST, method: { oneOf: ['GET', 'PUT'] } }],
    ['the user of its credentials is not a string', { ...LIST, basicAuth: { user: 'ann' } }],
    ['bodyPatterns is not a list', { ...LIST, bodyPatterns: { equalToJson: {} } }],
    [
      'includes with several values has no counterpart',
      { ...LIST, queryParameters: { tag: { includes: [{ equalTo: 'a' }, { equalTo: 'b' }] } } },
    ],
    [
      'hasExactly with several values has no counterpart',
      { ...LIST, queryParameters: { tag: { hasExactly: [{ equalTo: 'a' }, { equalTo: 'b' }] } } },
    ],
    [
      'truncateActual of the matcher before has no counterpart',
      { ...LIST, headers: { 'x-at': { before: '2026-01-01T00:00:00Z', truncateActual: 'first day of month' } } },
    ],
    ['the matcher soundsLike has no counterpart', { ...LIST, cookies: { badge: { soundsLike: 'seven' } } }],
    [
      'the query parameter tag is repeated, and a condition is on one value',
      { method: 'GET', url: '/v1/passes?tag=a&tag=b' },
    ],
    [
      'several matchers of one value cannot be combined',
      { ...LIST, queryParameters: { page: { and: [{ contains: 'a' }, { contains: 'b' }] } } },
    ],
    [
      'several matchers of one value cannot be combined',
      { ...CREATE, bodyPatterns: [{ matchesJsonPath: "$..[?(@ == 'x')]" }, { equalToJson: { guest: 'x' } }] },
    ],
    [
      'equalToJson for an object within the body has no counterpart',
      { ...CREATE, bodyPatterns: [{ matchesJsonPath: { expression: '$.stay', equalToJson: '{"from":"mon"}' } }] },
    ],
    [
      'formParameters and bodyPatterns of one request cannot be combined',
      { ...CREATE, formParameters: { lanes: { equalTo: '2' } }, bodyPatterns: [{ equalToJson: {} }] },
    ],
  ])('%s', async (why, request) => {
    const imported = await importMappings({ request, response: PASSES });
    expect([imported.scenario, reasonsOf(imported)]).toEqual([undefined, [why]]);
  });

  it('the members of an object within a body are exact, too', async () => {
    const request = { ...CREATE, bodyPatterns: [{ equalToJson: { stay: { from: 'mon' }, rooms: [{ no: 1 }] } }] };
    const imported = await importMappings({ request, response: { status: 201, jsonBody: { id: 'old' } } });
    expect(imported.remarks).toEqual([]);
    await using mock = await serve(imported, POOL);
    const send = (body: unknown): Promise<boolean> =>
      isOld(mock, '/v1/passes', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
    expect(await send({ stay: { from: 'mon' }, rooms: [{ no: 1 }] })).toBe(true);
    expect(await send({ stay: { from: 'mon', to: 'fri' }, rooms: [{ no: 1 }] })).toBe(false);
    expect(await send({ stay: { from: 'mon' }, rooms: [{ no: 1, beds: 2 }] })).toBe(false);
    expect(await send({ stay: { from: 'mon' }, rooms: [{ no: 1 }], guest: 'Ann' })).toBe(false);
  });

  it('a placeholder within an exact body accepts any object', async () => {
    const request = { ...CREATE, bodyPatterns: [{ equalToJson: { stay: '${json-unit.any-object}' } }] };
    const imported = await importMappings({ request, response: { status: 201, jsonBody: { id: 'old' } } });
    expect(JSON.stringify(imported.scenario)).toContain('"stay":{"present":true}');
  });

  it('and a fault that is not known', async () => {
    const imported = await importMappings({ request: LIST, response: { fault: 'FLOOD' } });
    expect(reasonsOf(imported)).toEqual(['the fault FLOOD has no counterpart']);
  });

  it('one value of a parameter with several is enough for includes with one', async () => {
    const request = { ...LIST, queryParameters: { tag: { includes: [{ equalTo: 'sauna' }] } } };
    const imported = await importMappings({ request, response: PASSES });
    expect(imported.remarks).toEqual([]);
    await using mock = await serve(imported, POOL);
    expect(await isOld(mock, '/v1/passes?tag=lane&tag=sauna')).toBe(true);
    expect(await isOld(mock, '/v1/passes?tag=lane')).toBe(false);
  });
});

describe('WireMock: what an answer loses is listed, and the stub answers', () => {
  it.each<[what: string, response: Members, mapping?: Members]>([
    ['statusMessage is not carried over: the rest of the stub is', { statusMessage: 'Fine' }],
    ['transformerParameters is not carried over: the rest of the stub is', { transformerParameters: { a: 1 } }],
    ['the transformer shout is not carried over: the rest of the stub is', { transformers: ['shout'] }],
    ['waves is not carried over: the rest of the stub is', { waves: 3 }],
    [
      'the delayDistribution tidal is not carried over: the rest of the stub is',
      { delayDistribution: { type: 'tidal' } },
    ],
    [
      'maxValue of delayDistribution is not carried over',
      { delayDistribution: { type: 'lognormal', median: 1, sigma: 0.1, maxValue: 3 } },
    ],
    [
      'chunkedDribbleDelay is not carried over: the rest of the stub is',
      { chunkedDribbleDelay: { numberOfChunks: 0 } },
    ],
    [
      'serveEventListeners is not carried over: the rest of the stub is',
      {},
      { serveEventListeners: [{ name: 'log' }] },
    ],
    ['tides is not carried over: the rest of the stub is', {}, { tides: true }],
  ])('%s', async (why, response, mapping = {}) => {
    const imported = await importMappings({ ...mapping, request: LIST, response: { ...PASSES, ...response } });
    expect(reasonsOf(imported)).toEqual([why]);
    await using mock = await serve(imported, POOL);
    expect(await isOld(mock, '/v1/passes')).toBe(true);
  });

  it('members without content and those without an effect are not', async () => {
    const mapping = {
      id: 'x',
      uuid: 'x',
      persistent: true,
      insertionIndex: 3,
      metadata: { by: 'me' },
      postServeActions: [],
    };
    const response = { ...PASSES, transformers: [], transformerParameters: {}, additionalProxyRequestHeaders: {} };
    expect((await importMappings({ ...mapping, request: LIST, response })).remarks).toEqual([]);
  });

  it('a tag in a header becomes an expression, or is listed', async () => {
    const headers = { 'x-desk': 'desk {{request.query.page}}', 'x-tide': '{{now}}' };
    const request = { method: 'GET', urlPathPattern: '/v1/passes/[a-z]+' };
    const response = { status: 200, headers, jsonBody: { id: 'old' }, transformers: ['response-template'] };
    const imported = await importMappings({ request, response });
    expect(reasonsOf(imported)).toEqual(['no counterpart of {{now}}: the mock generates the value from the schema']);
    const rules = JSON.stringify(imported.scenario);
    expect(rules).toContain('"x-desk":"desk {$request.query.page}"');
    expect(rules).not.toContain('x-tide');
  });
});

describe('Mockoon: what is lost is listed', () => {
  const rule = { target: 'query', modifier: 'page', operator: 'equals', value: '2', invert: false };
  const other = { ...rule, modifier: 'tag' };
  it.each<[what: string, response: Members, route?: Members, environment?: Members]>([
    ['response "": cipher of a rule has no counterpart', { rules: [{ ...rule, cipher: 'x' }] }],
    [
      'response "": the operator soundsLike of a rule has no counterpart',
      { rules: [{ ...rule, operator: 'soundsLike' }] },
    ],
    ['response "": a rule for weather  has no counterpart', { rules: [{ ...rule, target: 'weather', modifier: '' }] }],
    [
      'response "": several rules for request_number have no counterpart',
      {
        rulesOperator: 'AND',
        rules: ['1', '2'].map((value) => ({ ...rule, target: 'request_number', modifier: '', value })),
      },
    ],
    [
      'request_number counts the calls that meet the other rules of the response, not every call of the route',
      { rulesOperator: 'AND', rules: [other, { ...rule, target: 'request_number', modifier: '' }] },
    ],
    ['the response mode TIDAL is not carried over', {}, { responseMode: 'TIDAL' }],
    ['waves is not carried over', { waves: 3 }],
    ['waves is not carried over', {}, { waves: 3 }],
    ['it is not carried over', {}, {}, { lifeguard: { name: 'x' } }],
    ['it is not carried over', {}, {}, { tlsOptions: { enabled: true, type: 'CERT' } }],
    ['callbacks are not sent', { callbacks: [{ uuid: 'c' }] }],
    [
      ':passId? of its path is read as one segment: other paths are not answered',
      { body: '{"id":"old"}' },
      { endpoint: 'v1/passes/:passId?' },
    ],
  ])('%s', async (why, response, route, environment) => {
    const imported = await importPool(toEnvironment(response, route, environment));
    expect(reasonsOf(imported)).toEqual([why]);
  });

  it('two rules for one value of the body, which would match any value', async () => {
    const rules = ['a', 'b'].map((value) => ({ ...rule, target: 'body', modifier: 'guest', value }));
    const created = { statusCode: 201, body: '{"id":"old"}', rulesOperator: 'AND', rules };
    const imported = await importPool(toEnvironment(created, { method: 'post', responseMode: 'FALLBACK' }));
    expect(reasonsOf(imported)).toEqual(['response "": several matchers of one value cannot be combined']);
    expect(imported.scenario).toBe(undefined);
  });

  it('rules for different values of the body are one condition', async () => {
    const rules = ['guest', 'days.first'].map((modifier) => ({ ...rule, target: 'body', modifier, value: 'x' }));
    const created = { statusCode: 201, body: '{"id":"old"}', rulesOperator: 'AND', rules };
    const imported = await importPool(toEnvironment(created, { method: 'post', responseMode: 'FALLBACK' }));
    expect(imported.remarks).toEqual([]);
    expect(JSON.stringify(imported.scenario)).toContain('"body":{"guest":"x","days":{"first":"x"}}');
  });

  it('settings that are off are not', async () => {
    const imported = await importPool(toEnvironment({ waves: false }, { randomResponse: false }, { https: false }));
    expect(imported.remarks).toEqual([]);
  });

  it('a file is sent as an attachment, as Mockoon does', async () => {
    const folder = createFolder();
    const response = { body: '', bodyType: 'FILE', filePath: 'pass.json' };
    const environment = toEnvironment(response, { endpoint: 'v1/passes/:id' });
    writeFileSync(join(folder, 'pass.json'), '{"id":"old"}');
    writeFileSync(join(folder, 'old.json'), JSON.stringify(environment));
    const imported = await importFrom(join(folder, 'old.json'), undefined, POOL);
    await using mock = await serve(imported, POOL);
    const { headers } = await mock.fetch('/v1/passes/p');
    expect(headers.get('content-disposition')).toBe('attachment; filename="pass.json"');
  });

  it('the latency of later responses in a sequence', async () => {
    const responses = [0, 50].map((latency) => ({ uuid: `${latency}`, statusCode: 200, body: '[]', latency }));
    const imported = await importPool(toEnvironment({}, { responses, responseMode: 'SEQUENTIAL' }));
    expect(reasonsOf(imported)).toEqual(['sequential responses: each has the latency of the first one']);
  });

  it('the regular expression of a parameter of a path is a condition', async () => {
    const route = { endpoint: String.raw`v1/passes/:passId(\d+)` };
    const imported = await importPool(toEnvironment({ body: '{"id":"old"}' }, route));
    expect(imported.remarks).toEqual([]);
    await using mock = await serve(imported, POOL);
    expect([await isOld(mock, '/v1/passes/12'), await isOld(mock, '/v1/passes/abc')]).toEqual([true, false]);
  });

  it('what a CRUD route has beside its items', async () => {
    const bucket = { id: 'b', value: '[{"code":"p1"}]' };
    const headers = ['Content-Type', 'X-Desk'].map((key) => ({ key, value: 'x' }));
    const response = { databucketID: 'b', bodyType: 'DATABUCKET', crudKey: 'code', latency: 5, headers };
    const imported = await importPool(toEnvironment(response, { type: 'crud' }, { data: [bucket] }));
    expect(reasonsOf(imported).slice(0, 2)).toEqual([
      'the key code of its items is not carried over: the contract says which property is their id',
      'not carried over from a CRUD route: latency, x-desk',
    ]);
  });
});

describe('Postman: what is lost is listed', () => {
  const script = { listen: 'test', script: { exec: ['pm.test()'] } };
  it.each<[what: string, collection: unknown]>([
    ['its test script is not carried over', toCollection({}, {}, {}, { event: [script] })],
    ['its test script is not carried over', toCollection({}, {}, { event: [script] })],
    ['its authorization (bearer) is not carried over', toCollection({}, {}, {}, { auth: { type: 'bearer' } })],
    ['its authorization (basic) is not carried over', toCollection({}, {}, { request: { auth: { type: 'basic' } } })],
    [
      'the headers of its request are not compared: X-Pool',
      toCollection({
        header: [
          { key: 'X-Pool', value: 'n' },
          { key: 'Accept', value: '*/*' },
        ],
      }),
    ],
    [
      'the body of its request (graphql) is not compared',
      toCollection({ body: { mode: 'graphql', graphql: { query: '{a}' } } }),
    ],
    [
      'the body of its request (formdata) is not compared',
      toCollection({ body: { mode: 'formdata', formdata: [{ key: 'a' }] } }),
    ],
    ['the body of its request (raw) is not compared', toCollection({ body: { mode: 'raw', raw: '<pass/>' } })],
    [
      'no value of {{turn}}: any value of its request matches, and its header is left out',
      toCollection({ url: { raw: 'https://pool.example.com/v1/passes?page={{turn}}' } }),
    ],
    [
      'the query parameter tag is repeated, and a condition is on one value',
      toCollection({ url: 'https://pool.example.com/v1/passes?tag=a&tag=b' }),
    ],
    [
      'the cookies badge are not carried over: the example has no header Set-Cookie',
      toCollection({}, { cookie: [{ name: 'badge', value: '7' }] }),
    ],
  ])('%s', async (why, collection) => {
    expect(reasonsOf(await importPool(collection))).toEqual([why]);
  });

  it('variables and scripts of a folder', async () => {
    const { item } = toCollection({}) as { item: readonly unknown[] };
    const folder = { name: 'Desk', item, variable: [{ key: 'a', value: 'b' }], event: [script] };
    const imported = await importPool({ info: { name: 'pool' }, item: [folder] });
    expect(imported.remarks.map(({ what, why }) => [what, why])).toEqual([
      ['Desk', 'its test script is not carried over'],
      ['Desk', 'its variables are not carried over'],
    ]);
  });

  it('nothing of an example without any of them', async () => {
    const request = { header: [{ key: 'Accept', value: '*/*' }], auth: { type: 'noauth' } };
    const response = { cookie: [], header: [{ key: 'Content-Type', value: 'application/json' }] };
    expect((await importPool(toCollection(request, response, { event: [{ listen: 'test' }] }))).remarks).toEqual([]);
  });

  it('a request that is a URL alone has its path', async () => {
    const item = {
      name: 'Passes',
      request: 'https://pool.example.com/v1/passes',
      response: [{ code: 200, body: '[]' }],
    };
    const imported = await importPool({ info: { name: 'pool' }, item: [item] });
    expect([imported.breaks, imported.carried]).toEqual([[], 1]);
  });
});

it('members of a handler that are not read are listed', async () => {
  const path = '/v1/passes';
  const beside = { path, headers: { 'x-pool': 'n' }, response: { status: 200, body: [] } };
  const slow = { path: '/v1/passes/:id', body: { id: 'p' }, delay: 'infinite', season: 'summer' };
  const wrong = { path, query: 'page=2', body: [] };
  const imported = await importPool([{ path, body: [], once: true }, beside, slow, wrong]);
  expect(imported.remarks.map(({ at, why }) => [at, why])).toEqual([
    ['old.json#/1', 'the member headers is not carried over'],
    ['old.json#/2', 'the member delay is not carried over'],
    ['old.json#/2', 'the member season is not carried over'],
    ['old.json#/3', 'query is not an object'],
  ]);
});
