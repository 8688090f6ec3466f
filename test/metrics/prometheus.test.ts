// @module-tag thorough
// Debian's Prometheus reads the metrics: its checker, its reader of configuration files, and the server itself.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { findPorts } from '../find-ports.js';
import { readBlocks } from '../../.ci/follow.mjs';
import { createMocks, type Mocks } from '../../src/index.js';
import { AUTHORIZED } from '../describe-both.js';
import { toDocument } from '../document-parts.js';
import { createFolder } from '../folders.js';

const MISSING =
  spawnSync('promtool', ['--version']).status === 0 ? '' : ' (skipped: promtool is missing: apt install prometheus)';
const TOKEN = 'the-control-token';

/** The configuration files in docs/control.md: of one document, and of several. */
function readConfigurations(): readonly string[] {
  const blocks = readBlocks(readFileSync('docs/control.md', 'utf8'));
  return blocks.flatMap(({ text }) => (text.includes('scrape_configs:') ? [text] : []));
}

/** Two documents with names that have to be escaped, and requests of all kinds. */
async function startMocks(): Promise<Mocks> {
  const responses = { 200: { description: 'ok' } };
  const orders = toDocument({ '/orders': { get: { operationId: 'list "all" \\ of\nthem', responses } } });
  const control = { token: TOKEN };
  const all = await createMocks([
    { name: 'users', spec: 'spec/openapi.yaml', fixtures: 'fixtures', control },
    { name: 'orders', spec: orders, prefix: '/shop', control },
  ]);
  onTestFinished(() => all.close());
  for (let i = 0; i < 7; i++) await all.fetch('/v1/organization/admin_api_keys', { headers: AUTHORIZED });
  for (let i = 0; i < 3; i++) await all.fetch('/shop/orders');
  await all.fetch('/v1/organization/admin_api_keys');
  await all.fetch('/v1/nowhere');
  return all;
}

describe.skipIf(MISSING !== '')(`Prometheus${MISSING}`, () => {
  it('finds no mistake in the metrics', async () => {
    const all = await startMocks();
    for (const name of ['users', 'orders']) {
      const response = await all.fetch(`/__mock/${name}/metrics`, { headers: { authorization: `Bearer ${TOKEN}` } });
      const { status, stderr } = spawnSync('promtool', ['check', 'metrics'], { input: await response.text() });
      expect(`${status} ${String(stderr)}`).toBe('0 ');
    }
    // What it would say about a wrong one.
    const wrong = spawnSync('promtool', ['check', 'metrics'], { input: '# TYPE x counter\nx 1\nx 2\n' });
    expect(wrong.status).not.toBe(0);
  });

  it('accepts the configuration files of docs/control.md and examples/cluster', () => {
    const folder = createFolder();
    const files = [...readConfigurations(), readFileSync('examples/cluster/prometheus.yml', 'utf8')];
    expect(files).toHaveLength(3);
    for (const [i, text] of files.entries()) {
      const file = join(folder, `${i}.yml`);
      writeFileSync(file, text);
      // The file with the token is not on this machine.
      const { status, stdout, stderr } = spawnSync('promtool', ['check', 'config', '--syntax-only', file]);
      expect(`${status} ${String(stderr)}`, String(stdout)).toBe('0 ');
    }
  });

  it('reads the metrics of two documents with the configuration of docs/control.md', async () => {
    const all = await startMocks();
    const { port } = await all.listen();
    const [one = '', several = ''] = readConfigurations();
    const [token = ''] = /^ +authorization:\n +credentials: .+\n/mu.exec(one) ?? [];
    expect(token).toContain(TOKEN);
    const config = `global: { scrape_interval: 1s }\n${several}`
      .replaceAll('127.0.0.1:4010', `127.0.0.1:${port}`)
      .replace(/^( +)static_configs:/mu, `${token}$&`);
    const ask = await startPrometheus(config);
    const read = (query: string): Promise<Readonly<Record<string, number>>> => readDocuments(ask, query);
    expect(await read('vouch_requests_total{method="GET",status="200"}')).toEqual({ orders: 3, users: 7 });
    expect(await read('sum by (document) (vouch_violations_total{code="CREDENTIAL_MISSING"})')).toEqual({ users: 1 });
    expect(await read('vouch_requests_total{operation="list \\"all\\" \\\\ of\\nthem"}')).toEqual({ orders: 3 });
    const slow = 'histogram_quantile(0.99, sum by (document, le) (vouch_request_duration_seconds_bucket))';
    const quantiles = Object.values(await read(slow));
    expect(quantiles).toHaveLength(2);
    for (const seconds of quantiles) expect(seconds).toBeGreaterThan(0);
    expect(await read('vouch_sessions_open')).toEqual({ orders: 1, users: 1 });
  });
});

/** Sends a query to Prometheus. */
type Ask = (query: string) => Promise<readonly Result[]>;

interface Result {
  readonly metric: Readonly<Record<string, string>>;
  readonly value: readonly [at: number, value: string];
}

/** Starts Prometheus, and waits until it has read all targets. */
async function startPrometheus(config: string): Promise<Ask> {
  const folder = createFolder();
  const file = join(folder, 'prometheus.yml');
  writeFileSync(file, config);
  const [port] = await findPorts(1);
  const child = spawn(
    'prometheus',
    [`--config.file=${file}`, `--storage.tsdb.path=${join(folder, 'data')}`, `--web.listen-address=127.0.0.1:${port}`],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );
  let output = '';
  child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
  onTestFinished(() => stop(child));
  const ask: Ask = async (query) => {
    const response = await fetch(`http://127.0.0.1:${port}/api/v1/query?${new URLSearchParams({ query }).toString()}`);
    const { data } = (await response.json()) as { readonly data: { readonly result: readonly Result[] } };
    return data.result;
  };
  for (;;) {
    if (child.exitCode !== null) throw new Error(output);
    const up = await ask('up').catch(() => []);
    if (up.length === 2 && up.every(({ value }) => value[1] === '1')) return ask;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}

/** The values of a query by document. */
async function readDocuments(ask: Ask, query: string): Promise<Readonly<Record<string, number>>> {
  const results = await ask(query);
  return Object.fromEntries(results.map(({ metric, value }) => [metric['document'] ?? '', Number(value[1])]));
}
