// Requests outside of the contract, and recordings without one.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createMock, type Mock } from '../../src/index.js';
import { loadCassette } from '../../src/features/recording/cassette/cassette.js';
import { checkCassette } from '../../src/features/recording/drift/check.js';
import type { RecordingOptions } from '../../src/features/recording/recordings.js';
import { loadParts, SHOP } from './contract.js';
import { createFolder } from '../folders.js';
import { openMock } from '../open-mock.js';
import { startUpstream, type TestUpstream } from './upstream.js';

function start(): Promise<TestUpstream> {
  return startUpstream({
    intercept: ({ method, url, body }, response) => {
      if (url.startsWith('/v1/missing')) {
        response.writeHead(404, { 'content-type': 'text/plain' }).end('nothing here');
        return true;
      }
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ method, url, body: body.toString() }));
      return true;
    },
  });
}

const create = (recordings: RecordingOptions, spec: typeof SHOP | undefined): Promise<Mock> =>
  openMock({ ...(spec !== undefined && { spec }), recordings: { cassette: 'shop', live: true, ...recordings } });

const ask = async (mock: Mock, path: string, init?: RequestInit): Promise<readonly [number, string, string]> => {
  const response = await mock.fetch(path, init);
  return [response.status, response.headers.get('x-mock-source') ?? '', await response.text()];
};

const post = (body: string): RequestInit => ({ method: 'POST', body, headers: { 'content-type': 'application/json' } });

describe('a request outside of the contract', () => {
  it('is forwarded with a note, recorded, replayed by its path, query and body, and reported by check', async () => {
    const upstream = await start();
    const folder = createFolder();
    const recording = await create({ folder, mode: 'record-all', upstream: upstream.url }, SHOP);
    const calls: readonly (readonly [string, RequestInit?])[] = [
      ['/api/hidden/a?x=1'],
      ['/api/hidden/a?x=2'],
      ['/hidden', post('{"n":1}')],
      ['/hidden', post('{"n":2}')],
      ['/api/items/a', { method: 'DELETE' }],
      ['/api/missing'],
    ];
    const recorded: unknown[] = [];
    for (const [path, init] of calls) recorded.push(await ask(recording, path, init));
    expect(upstream.seen.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'GET /v1/hidden/a?x=1',
      'GET /v1/hidden/a?x=2',
      'POST /v1/hidden',
      'POST /v1/hidden',
      'DELETE /v1/items/a',
      'GET /v1/missing',
    ]);
    const [first, , , , removal] = recording.journal.interactions;
    expect(first?.operation).toBeUndefined();
    expect(first?.violations).toMatchObject([{ code: 'PATH_UNKNOWN', severity: 'note' }]);
    expect(removal?.violations).toMatchObject([{ code: 'METHOD_UNKNOWN', severity: 'note' }]);
    expect(() => recording.verify()).toThrow(
      /verification failed with 1 finding:\n.*GET \/api\/missing.*\n *neither the contract nor the upstream has this operation: the upstream answered 404/,
    );
    recording.verify({ ignore: ({ request }) => request.url === '/api/missing' });
    await recording.close();
    expect(readdirSync(join(folder, 'shop'))).toEqual(
      expect.arrayContaining(['0001-GET-api-hidden-a.200.json', '0005-DELETE-api-items-a.200.json']),
    );

    const replay = await create({ folder, mode: 'replay' }, SHOP);
    // In another order, below another base path and with the members of the body in another layout.
    expect(await ask(replay, '/hidden', post('{ "n": 2 }'))).toEqual([
      200,
      'replay:0004-POST-hidden.200.json',
      '{"method":"POST","url":"/v1/hidden","body":"{\\"n\\":2}"}',
    ]);
    expect((await ask(replay, '/hidden/a?x=2'))[1]).toBe('replay:0002-GET-api-hidden-a.200.json');
    expect((await ask(replay, '/api/missing'))[2]).toBe('nothing here');
    expect(() => replay.verify()).toThrow('neither the contract nor the upstream has this operation');
    const [status, source, message] = await ask(replay, '/hidden/a?x=3');
    expect([status, source]).toEqual([501, 'replay:miss']);
    expect(message).toContain('matches GET /hidden/a?x=3 (not in the contract)');
    expect(message).toContain('query /x: recorded \\"1\\", received \\"3\\"');

    const findings = await checkCassette(loadCassette(join(folder, 'shop')), await loadParts(SHOP));
    expect(findings.map(({ code, severity }) => `${code} ${severity}`)).toEqual([
      ...Array<string>(5).fill('UNDOCUMENTED error'),
      'UNDOCUMENTED note',
    ]);
    expect(findings[0]?.message).toBe(
      'GET /api/hidden/a is undocumented: the contract has no such operation; the API answered 200',
    );
  });

  it('replays as the operation that the contract has got since', async () => {
    const upstream = await start();
    const folder = createFolder();
    const recording = await create({ folder, mode: 'record-all', upstream: upstream.url }, undefined);
    await ask(recording, '/items?limit=5');
    await recording.close();
    const replay = await create({ folder, mode: 'replay' }, SHOP);
    expect((await ask(replay, '/api/items?limit=%35'))[1]).toBe('replay:0001-GET-items.200.json');
  });

  it('is refused as before without a recording and without an upstream', async () => {
    const upstream = await start();
    const folder = createFolder();
    const recording = await create({ folder, mode: 'record-all', upstream: upstream.url }, SHOP);
    await ask(recording, '/api/items/a');
    await recording.close();
    const replay = await create({ folder, mode: 'replay' }, SHOP);
    expect((await ask(replay, '/api/unknown'))[0]).toBe(404);
    expect((await ask(replay, '/api/items/a', { method: 'DELETE' }))[0]).toBe(405);
    const hybrid = await create({ folder, upstream: upstream.url, owners: { '*': 'mock', readItem: 'forward' } }, SHOP);
    expect((await ask(hybrid, '/api/unknown'))[0]).toBe(404);
  });

  it('gets the preflight answer of the mock', async () => {
    const upstream = await start();
    const mock = await create({ folder: createFolder(), mode: 'record-all', upstream: upstream.url }, SHOP);
    const headers = { origin: 'http://localhost:5173', 'access-control-request-method': 'POST' };
    const response = await mock.fetch('/api/hidden', { method: 'OPTIONS', headers });
    expect(response.status).toBe(204);
    expect(response.headers.get('access-control-allow-methods')).toContain('POST');
    expect(upstream.seen).toEqual([]);
  });
});

describe('a mock without a contract', () => {
  it('records and replays everything', async () => {
    const upstream = await start();
    const folder = createFolder();
    const recording = await create({ folder, mode: 'record-all', upstream: upstream.url }, undefined);
    const answers = [await ask(recording, '/one'), await ask(recording, '/two', post('{"a":1}'))];
    expect(answers[0]?.[2]).toBe('{"method":"GET","url":"/v1/one","body":""}');
    expect(recording.journal.last()?.violations).toEqual([]);
    await recording.close();
    const replay = await create({ folder, mode: 'replay' }, undefined);
    expect((await ask(replay, '/two', post('{"a":1}')))[2]).toBe(answers[1]?.[2]);
    expect((await ask(replay, '/one'))[2]).toBe(answers[0]?.[2]);
    expect((await ask(replay, '/three'))[0]).toBe(501);
    expect(() => replay.verify()).toThrow(/no recording/);
  });

  it('still needs recordings', async () => {
    await expect(createMock({})).rejects.toThrow('the option "spec" is missing');
  });

  it('forwards failures of the connection in the form of problem details', async () => {
    const upstream = await start();
    await upstream.close();
    const mock = await create({ folder: createFolder(), mode: 'record-all', upstream: upstream.url }, undefined);
    const response = await mock.fetch('/one');
    expect([response.status, response.headers.get('content-type')]).toEqual([502, 'application/problem+json']);
  });
});
