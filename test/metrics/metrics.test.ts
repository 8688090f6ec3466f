// @module-tag slow
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createMocks, type Mock } from '../../src/index.js';
import { AUTHORIZED, describeAll, describeBoth, jsonInit, type Reach } from '../describe-both.js';
import { type Exposition, readExposition } from './exposition.js';
import { createFolder } from '../folders.js';
import { INTEGER, json, toDocument } from '../document-parts.js';
import { openMock } from '../open-mock.js';

// Issue 18, part 4. test/store/metrics.test.ts has a store, and prometheus.test.ts a real Prometheus.

const KEYS = '/organization/admin_api_keys';
const REQUESTS = 'vouch_requests_total';
const DURATION = 'vouch_request_duration_seconds';
const VIOLATIONS = 'vouch_violations_total';

async function scrape({ fetch: ask, rootUrl }: Pick<Reach, 'fetch' | 'rootUrl'>): Promise<Exposition> {
  const response = await ask(`${rootUrl}/__mock/metrics`);
  expect([response.status, response.headers.get('content-type')]).toEqual([
    200,
    'text/plain; version=0.0.4; charset=utf-8',
  ]);
  return readExposition(await response.text());
}

function inProcess(mock: Mock): Pick<Reach, 'fetch' | 'rootUrl'> {
  return { fetch: (input, init) => mock.fetch(input, init), rootUrl: '' };
}

/** A document with an operation at each path. */
function createDocument(operations: Readonly<Record<string, string>>): Readonly<Record<string, unknown>> {
  const responses = { 200: json(INTEGER) };
  const paths = Object.entries(operations).map(([path, operationId]) => [path, { get: { operationId, responses } }]);
  return toDocument(Object.fromEntries(paths));
}

describeAll('the metrics', (start) => {
  it('count requests by operation, method and status', async () => {
    const reach = await start();
    for (let i = 0; i < 3; i++) await reach.send(KEYS, { headers: AUTHORIZED });
    await reach.send(KEYS, { headers: AUTHORIZED, method: 'HEAD' });
    await reach.send(KEYS);
    await reach.send(KEYS, jsonInit('POST', { name: 'new' }));
    await reach.send('/nowhere');
    const { metrics } = await scrape(reach);
    const lines = metrics
      .get(REQUESTS)
      ?.samples.map(({ labels, value }) => `${Object.values(labels).join(' ')} ${value}`);
    expect(lines).toEqual([
      'listAdminApiKeys GET 200 3',
      'listAdminApiKeys HEAD 200 1',
      'listAdminApiKeys GET 401 1',
      'createAdminApiKey POST 200 1',
      '(none) GET 404 1',
    ]);
    // Requests to the control API are not those of the mock.
    expect((await scrape(reach)).metrics.get(REQUESTS)).toEqual(metrics.get(REQUESTS));
  });

  it('have the durations of the journal in buckets', async () => {
    const reach = await start();
    for (let i = 0; i < 20; i++) await reach.send(KEYS, { headers: AUTHORIZED });
    const { metrics, value } = await scrape(reach);
    const taken = reach.mock.journal.calls('listAdminApiKeys').map(({ elapsedMs }) => elapsedMs);
    const labels = { operation: 'listAdminApiKeys' };
    expect(value(`${DURATION}_count`, labels)).toBe(20);
    expect(value(`${DURATION}_sum`, labels)).toBe(taken.reduce((sum, ms) => sum + ms, 0) / 1000);
    const buckets = metrics.get(DURATION)?.samples.filter(({ name }) => name.endsWith('_bucket')) ?? [];
    expect(buckets).toHaveLength(15);
    for (const bucket of buckets) {
      const bound = bucket.labels['le'] === '+Inf' ? Infinity : Number(bucket.labels['le']);
      expect(bucket.value, `below ${bound}`).toBe(taken.filter((ms) => ms <= 1000 * bound).length);
    }
  });

  it('count what no path or no method of the contract takes, but not requests for the methods of a path', async () => {
    const reach = await start();
    expect((await scrape(reach)).metrics.get('vouch_unmatched_requests_total')?.samples).toHaveLength(2);
    for (const path of ['/nowhere', '/files/x/y/z']) await reach.send(path, { headers: AUTHORIZED });
    await reach.send(KEYS, { method: 'PUT', headers: AUTHORIZED });
    await reach.send(KEYS, { method: 'OPTIONS' });
    const { value } = await scrape(reach);
    expect(value('vouch_unmatched_requests_total', { reason: 'path' })).toBe(2);
    expect(value('vouch_unmatched_requests_total', { reason: 'method' })).toBe(1);
    expect(value(REQUESTS, { operation: '(none)', method: 'PUT', status: '405' })).toBe(1);
    expect(value(REQUESTS, { operation: '(none)', method: 'OPTIONS', status: '204' })).toBe(1);
  });

  it('count violations of requests and responses', async () => {
    const reach = await start({ handlers: { listAdminApiKeys: () => ({ status: 200, body: { wrong: true } }) } });
    await reach.send(KEYS, jsonInit('POST', { name: 1 }));
    await reach.send(KEYS, jsonInit('POST', {}));
    expect((await reach.send(`${KEYS}?unknown=1`, { headers: AUTHORIZED })).status).toBe(500);
    const { metrics, value } = await scrape(reach);
    const journal = reach.mock.journal.interactions;
    // Counted again from the journal.
    const expected = new Map<string, number>();
    for (const { violations } of journal) {
      for (const { code, severity, by } of violations) {
        const key = `${by === 'client' ? 'request' : 'response'} ${severity} ${code}`;
        expected.set(key, (expected.get(key) ?? 0) + 1);
      }
    }
    const counted = metrics.get(VIOLATIONS)?.samples.map(({ labels, value: count }) => {
      return [`${labels['direction']} ${labels['severity']} ${labels['code']}`, count] as const;
    });
    expect(new Map(counted)).toEqual(expected);
    expect(value(VIOLATIONS, { direction: 'request', severity: 'error', code: 'TYPE' })).toBe(1);
    expect(value(VIOLATIONS, { direction: 'request', severity: 'error', code: 'REQUIRED' })).toBe(1);
    expect(value(VIOLATIONS, { direction: 'request', severity: 'note', code: 'PARAMETER_UNDECLARED' })).toBe(1);
    expect([...expected.keys()].filter((key) => key.startsWith('response error '))).not.toEqual([]);
  });

  it('have the open sessions', async () => {
    const reach = await start();
    expect((await scrape(reach)).value('vouch_sessions_open')).toBe(1);
    for (const session of ['one', 'two', 'two'])
      await reach.send(KEYS, { headers: { ...AUTHORIZED, 'x-mock-session': session } });
    expect((await scrape(reach)).value('vouch_sessions_open')).toBe(3);
    await reach.fetch(`${reach.rootUrl}/__mock/sessions/one`, { method: 'DELETE' });
    const { value } = await scrape(reach);
    expect(value('vouch_sessions_open')).toBe(2);
    expect(value(REQUESTS, { operation: 'listAdminApiKeys', method: 'GET', status: '200' })).toBe(3);
  });

  it('are not changed by a reset', async () => {
    const reach = await start();
    await reach.send(KEYS, { headers: AUTHORIZED });
    await reach.send('/nowhere');
    const before = await scrape(reach);
    reach.mock.reset();
    await reach.fetch(`${reach.rootUrl}/__mock/reset`, { method: 'POST' });
    await reach.fetch(`${reach.rootUrl}/__mock/journal`, { method: 'DELETE' });
    const after = await scrape(reach);
    for (const name of [REQUESTS, DURATION, VIOLATIONS])
      expect(after.metrics.get(name)).toEqual(before.metrics.get(name));
  });

  it('do not grow with unknown paths', async () => {
    const reach = await start();
    await reach.send('/nowhere');
    const countLines = async (): Promise<number> =>
      [...(await scrape(reach)).metrics.values()].reduce((sum, { samples }) => sum + samples.length, 0);
    const before = await countLines();
    for (let i = 0; i < 1000; i++) await reach.send(`/nowhere/${i}`);
    expect(await countLines()).toBe(before);
    expect((await scrape(reach)).value('vouch_unmatched_requests_total', { reason: 'path' })).toBe(1001);
  });

  it('describe the process', async () => {
    const { value, metrics } = await scrape(await start());
    const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { readonly version: string };
    expect(value('vouch_build_info', { version, node_version: process.version })).toBe(1);
    expect(value('process_start_time_seconds')).toBe(performance.timeOrigin / 1000);
    expect(value('process_cpu_seconds_total')).toBeGreaterThan(0);
    expect(value('process_resident_memory_bytes')).toBeGreaterThan(1e6);
    // Only a process with a store has those of a store.
    expect([...metrics.keys()].filter((name) => name.startsWith('vouch_store'))).toEqual([]);
  });
});

describeBoth('the metrics of faults', (start) => {
  it('have status 0 where a fault sent no status line', async () => {
    const reach = await start({
      scenarios: { from: { cut: { operations: { listAdminApiKeys: { fault: 'reset' } } } } },
    });
    expect((await reach.send(KEYS, { headers: AUTHORIZED })).status).toBe(200);
    reach.mock.scenarios.activate('cut');
    await expect(reach.send(KEYS, { headers: AUTHORIZED })).rejects.toThrow('fetch failed');
    const { value } = await scrape(reach);
    expect(value(REQUESTS, { operation: 'listAdminApiKeys', method: 'GET', status: '200' })).toBe(1);
    expect(value(REQUESTS, { operation: 'listAdminApiKeys', method: 'GET', status: '0' })).toBe(1);
  });
});

describe('the metrics', () => {
  it('need the control token, as Prometheus sends it', async () => {
    const mock = await openMock({ spec: 'spec/openapi.yaml', control: { token: 'secret' } });
    const { url } = await mock.listen();
    expect((await fetch(`${url}/__mock/metrics`)).status).toBe(401);
    const response = await fetch(`${url}/__mock/metrics`, {
      headers: {
        authorization: 'Bearer secret',
        accept: 'application/openmetrics-text;version=1.0.0;q=0.5,text/plain;version=0.0.4;q=0.3,*/*;q=0.2',
        'x-prometheus-scrape-timeout-seconds': '10',
      },
    });
    expect(response.status).toBe(200);
    readExposition(await response.text());
  });

  it('escape the names of operations', async () => {
    const names = ['quote "x"', 'back\\slash', 'line\nbreak', '\\n', 'tab\there', 'ключ {a="b"}, c'];
    const operations = Object.fromEntries(names.map((name, i) => [`/path-${i}`, name]));
    const mock = await openMock({ spec: createDocument(operations) });
    for (const path of Object.keys(operations)) expect((await mock.fetch(path)).status).toBe(200);
    const { metrics } = await scrape(inProcess(mock));
    expect(metrics.get(REQUESTS)?.samples.map(({ labels }) => labels['operation'])).toEqual(names);
  });

  it('count an operation that has the name of no operation with those without one', async () => {
    const mock = await openMock({ spec: createDocument({ '/named': '(none)' }) });
    for (const path of ['/named', '/other', '/named']) await mock.fetch(path);
    const { value } = await scrape(inProcess(mock));
    expect(value(REQUESTS, { operation: '(none)', method: 'GET', status: '200' })).toBe(2);
    expect(value(REQUESTS, { operation: '(none)', method: 'GET', status: '404' })).toBe(1);
    expect(value(`${DURATION}_count`, { operation: '(none)' })).toBe(3);
  });

  it('have one label for all unknown methods', async () => {
    const mock = await openMock({ spec: createDocument({ '/named': 'named' }) });
    for (let i = 0; i < 50; i++) await mock.fetch(`/x`, { method: `WORD-${i}` });
    const { metrics } = await scrape(inProcess(mock));
    expect(metrics.get(REQUESTS)?.samples.map(({ labels, value }) => [labels['method'], value])).toEqual([
      ['other', 50],
    ]);
  });

  it('are those of each document of several', async () => {
    await using all = await createMocks([
      { name: 'users', spec: createDocument({ '/users': 'list' }) },
      { name: 'orders', spec: createDocument({ '/orders': 'list' }), prefix: '/shop' },
    ]);
    const { url } = await all.listen();
    for (const path of ['/users', '/shop/orders', '/shop/orders']) await fetch(url + path);
    const counts = await Promise.all(
      ['users', 'orders'].map(async (name) => {
        const { value } = readExposition(await (await fetch(`${url}/__mock/${name}/metrics`)).text());
        return value(REQUESTS, { operation: 'list', method: 'GET', status: '200' });
      }),
    );
    expect(counts).toEqual([1, 2]);
  });

  it('continue when the document is reloaded', async () => {
    const spec = join(createFolder(), 'openapi.json');
    writeFileSync(spec, JSON.stringify(createDocument({ '/one': 'one', '/two': 'two' })));
    const mock = await openMock({ spec });
    for (const path of ['/one', '/two']) await mock.fetch(path);
    writeFileSync(spec, JSON.stringify(createDocument({ '/one': 'one', '/three': 'three' })));
    expect((await mock.reload()).error).toBeUndefined();
    for (const path of ['/one', '/three']) await mock.fetch(path);
    const { metrics } = await scrape(inProcess(mock));
    expect(metrics.get(REQUESTS)?.samples.map(({ labels, value }) => [labels['operation'], value])).toEqual([
      ['one', 2],
      ['two', 1],
      ['three', 1],
    ]);
  });

  it('are whole for a thousand operations, while requests are answered', async () => {
    const operations = Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [`/path-${i}`, `operation-${i}`]));
    const mock = await openMock({ spec: createDocument(operations) });
    const { url } = await mock.listen();
    for (const path of Object.keys(operations)) await mock.fetch(path);
    const reach = { fetch, rootUrl: url };
    const [{ metrics, value }] = await Promise.all([
      scrape(reach),
      ...Object.keys(operations).map((path) => mock.fetch(path)),
    ]);
    expect(metrics.get(REQUESTS)?.samples).toHaveLength(1000);
    expect(value(`${DURATION}_count`, { operation: 'operation-999' })).toBeGreaterThan(0);
    expect((await scrape(reach)).value(`${DURATION}_count`, { operation: 'operation-999' })).toBe(2);
  });

  it('are listed in docs/control.md', async () => {
    const page = readFileSync('docs/control.md', 'utf8');
    const rows = [...page.matchAll(/^\| `((?:vouch|process)_\w+)` \| (\w+) \|([^|]*)\|/gmu)].map(
      ([, name = '', type = '', labels = '']) =>
        [name, { type, labels: [...labels.matchAll(/`(\w+)`/gu)].map(([, label]) => label) }] as const,
    );
    const mock = await openMock({ spec: 'spec/openapi.yaml' });
    await mock.fetch('/nowhere');
    const { metrics } = await scrape(inProcess(mock));
    const found = [...metrics].map(([name, { type, samples }]) => {
      return [name, { type, labels: Object.keys(samples[0]?.labels ?? {}).filter((label) => label !== 'le') }];
    });
    const ofStore = rows.filter(([name]) => name.startsWith('vouch_store'));
    expect(ofStore).toHaveLength(2);
    expect(rows.filter((row) => !ofStore.includes(row))).toEqual(found);
  });
});
