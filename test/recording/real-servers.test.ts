// @module-tag thorough
// Alertmanager, PowerDNS and etcd: a workflow of each is recorded, replayed while the server is stopped, checked, compared and promoted.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { delimiter, isAbsolute, join, parse } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { findPorts } from '../find-ports.js';
import { promoteCassette, type PromoteOutcome } from '../../src/cli/commands/recordings/promote.js';
import { createMock, type Mock } from '../../src/index.js';
import { type Cassette, loadCassette } from '../../src/features/recording/cassette/cassette.js';
import { checkCassette, createResponseCheck } from '../../src/features/recording/drift/check.js';
import { type DriftResult, findDrift } from '../../src/features/recording/drift/drift.js';
import type { RecordingOptions } from '../../src/features/recording/recordings.js';
import { createUpstream } from '../../src/features/recording/upstream/upstream.js';
import { loadParts } from './contract.js';
import { createFolder } from '../folders.js';

/** A call of a workflow; a function gets the bodies of the calls before it. */
interface Step {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly path: string | ((bodies: readonly string[]) => string);
  readonly body?: unknown;
  /** Without credentials. */
  readonly anonymous?: true;
  /** A stream without an end: read until this text has come. */
  readonly until?: string;
}

interface Service {
  readonly spec: string;
  /** The header fields of its client. */
  readonly headers: Readonly<Record<string, string>>;
  /** Starts the server in a folder. @returns the process and the URL of its API. */
  start(folder: string): Promise<{ readonly child: ChildProcess; readonly url: string; readonly ready: string }>;
  readonly workflow: readonly Step[];
  /** The requests that drift cannot compare: file, verdict and reason. */
  readonly notCompared: readonly (readonly [string, string, string])[];
  /** The statuses and media types that the promoted mock does not give. */
  readonly differs: readonly string[];
  /** What is not promoted. */
  readonly skipped: readonly string[];
  /** Checks what was promoted. */
  readonly verify?: (outcome: PromoteOutcome, into: string) => Promise<void>;
}

const ALERTMANAGER: Service = {
  spec: 'test/recording/contracts/alertmanager.yaml',
  headers: {},
  start: async (folder) => {
    const config = join(folder, 'alertmanager.yml');
    writeFileSync(config, 'route:\n  receiver: none\nreceivers:\n  - name: none\n');
    const [port] = await findPorts(1);
    const listen = [`--web.listen-address=127.0.0.1:${port}`, '--cluster.listen-address='];
    const child = launch('prometheus-alertmanager', [
      `--config.file=${config}`,
      `--storage.path=${join(folder, 'data')}`,
      ...listen,
    ]);
    return { child, url: `http://127.0.0.1:${port}/api/v2`, ready: '/status' };
  },
  workflow: [
    { method: 'GET', path: '/status' },
    { method: 'GET', path: '/silences' },
    { method: 'POST', path: '/silences', body: silence('first') },
    { method: 'GET', path: (bodies) => `/silence/${readMember(bodies[2], 'silenceID')}` },
    { method: 'POST', path: '/silences', body: silence('second') },
    { method: 'GET', path: (bodies) => `/silence/${readMember(bodies[4], 'silenceID')}` },
    { method: 'DELETE', path: (bodies) => `/silence/${readMember(bodies[2], 'silenceID')}` },
    { method: 'GET', path: (bodies) => `/silence/${readMember(bodies[2], 'silenceID')}` },
    { method: 'GET', path: '/silence/00000000-0000-0000-0000-000000000000' },
    { method: 'POST', path: '/alerts', body: [{ labels: { alertname: 'Disk' } }] },
    { method: 'GET', path: '/alerts' },
    { method: 'POST', path: '/alerts', body: [{ labels: {} }] },
  ],
  notCompared: [
    [
      '0002-getSilences.200.json',
      'unreachable',
      'the list in the recording is empty, so that its items cannot be compared',
    ],
  ],
  differs: [],
  skipped: [],
  verify: async ({ files }, into) => {
    const overlays = files.filter((file) => file.endsWith('.overlay.json'));
    const mock = await createMock({ spec: ALERTMANAGER.spec, fixtures: into, overlays });
    const headers = { 'content-type': 'application/json' };
    const created = await mock.fetch('/silences', { method: 'POST', headers, body: JSON.stringify(silence('third')) });
    const id = readMember(await created.text(), 'silenceID');
    expect(await (await mock.fetch(`/silence/${id}`)).json()).toMatchObject({ comment: 'third' });
    expect(await (await mock.fetch('/silences')).json()).toMatchObject([{ id, status: { state: 'active' } }]);
    // Alertmanager still shows a silence that has expired; the contract does not say so.
    await mock.fetch(`/silence/${id}`, { method: 'DELETE' });
    const expired = { id, comment: 'third', status: { state: 'expired' } };
    expect(await (await mock.fetch(`/silence/${id}`)).json()).toMatchObject(expired);
  },
};

const ZONES = '/servers/localhost/zones';
const ZONE = { name: 'example.org.', kind: 'Native', nameservers: ['ns1.example.org.'] };
const RECORD = { content: '192.0.2.1', disabled: false };
const POWERDNS: Service = {
  spec: 'test/recording/contracts/powerdns.yaml',
  headers: { 'x-api-key': 'pdns-key-0123456789' },
  start: async (folder) => {
    const database = join(folder, 'pdns.sqlite');
    execFileSync('sqlite3', [database, `.read ${POWERDNS_SCHEMA}`]);
    const [port, dns] = await findPorts(2);
    const server = `--webserver=yes --webserver-address=127.0.0.1 --webserver-port=${port}`;
    const fixed = '--launch=gsqlite3 --api=yes --daemon=no --guardian=no --disable-syslog=yes --write-pid=no';
    const child = launch('pdns_server', [
      ...`${fixed} ${server} --local-address=127.0.0.1 --local-port=${dns}`.split(' '),
      `--config-dir=${folder}`,
      `--socket-dir=${folder}`,
      `--gsqlite3-database=${database}`,
      `--api-key=${POWERDNS.headers['x-api-key']}`,
    ]);
    return { child, url: `http://127.0.0.1:${port}/api/v1`, ready: '/servers' };
  },
  workflow: [
    { method: 'GET', path: '/servers' },
    { method: 'GET', path: '/servers/localhost' },
    { method: 'GET', path: '/servers', anonymous: true },
    { method: 'GET', path: ZONES },
    { method: 'POST', path: ZONES, body: ZONE },
    { method: 'POST', path: ZONES, body: ZONE },
    { method: 'POST', path: ZONES, body: { ...ZONE, name: 'example.net.' } },
    { method: 'POST', path: ZONES, body: { name: 'relative', kind: 'Native' } },
    { method: 'GET', path: ZONES },
    { method: 'GET', path: `${ZONES}/example.org.` },
    {
      method: 'PATCH',
      path: `${ZONES}/example.org.`,
      body: { rrsets: [{ name: 'www.example.org.', type: 'A', ttl: 300, changetype: 'REPLACE', records: [RECORD] }] },
    },
    { method: 'GET', path: `${ZONES}/example.net.` },
    { method: 'DELETE', path: `${ZONES}/example.org.` },
    { method: 'GET', path: `${ZONES}/example.org.` },
    { method: 'GET', path: `${ZONES}/nothing.example.` },
  ],
  notCompared: [],
  differs: [],
  skipped: [
    'servers: the contract does not declare "autoprimaries_url"',
    'servers.zones: the contract does not declare "last_check"',
  ],
  verify: async ({ files }, into) => {
    const overlays = files.filter((file) => file.endsWith('.overlay.json'));
    const mock = await createMock({ spec: POWERDNS.spec, fixtures: into, overlays });
    const headers = { ...POWERDNS.headers, 'content-type': 'application/json' };
    const add = (name: string): Promise<Response> =>
      mock.fetch(ZONES, { method: 'POST', headers, body: JSON.stringify({ ...ZONE, name, rrsets: [] }) });
    const statuses = [await add('other.example.'), await add('other.example.'), await add('more.example.')];
    expect(statuses.map(({ status }) => status)).toEqual([201, 409, 201]);
    const [zone] = (await (await mock.fetch(ZONES, { headers })).json()) as readonly object[];
    expect(zone).toMatchObject({ name: 'other.example.', account: '' });
    expect(zone).not.toHaveProperty('rrsets');
    const read = await (await mock.fetch(`${ZONES}/other.example.`, { headers })).json();
    expect(read).toMatchObject({ rrsets: [], soa_edit_api: 'DEFAULT' });
  },
};
const POWERDNS_SCHEMA = '/usr/share/pdns-backend-sqlite3/schema/schema.sqlite3.sql';

const KEY = base64('name');
const ETCD: Service = {
  spec: 'test/recording/contracts/etcd.yaml',
  headers: {},
  start: async (folder) => {
    const [port, peer] = await findPorts(2);
    const [client, other] = [`http://127.0.0.1:${port}`, `http://127.0.0.1:${peer}`];
    const child = launch('etcd', [
      `--data-dir=${join(folder, 'data')}`,
      `--listen-client-urls=${client}`,
      `--advertise-client-urls=${client}`,
      `--listen-peer-urls=${other}`,
      `--initial-advertise-peer-urls=${other}`,
      `--initial-cluster=default=${other}`,
    ]);
    return { child, url: client, ready: '/health' };
  },
  workflow: [
    { method: 'POST', path: '/v3/kv/put', body: { key: KEY, value: base64('first') } },
    { method: 'POST', path: '/v3/kv/range', body: { key: KEY } },
    { method: 'POST', path: '/v3/kv/put', body: { key: KEY, value: base64('second'), prev_kv: true } },
    { method: 'POST', path: '/v3/kv/range', body: { key: KEY } },
    { method: 'POST', path: '/v3/lease/grant', body: { TTL: '60' } },
    { method: 'POST', path: '/v3/watch', body: { create_request: { key: KEY } }, until: '"created":true' },
    { method: 'POST', path: '/v3/kv/deleterange', body: { key: KEY } },
    { method: 'POST', path: '/v3/kv/range', body: { key: KEY } },
    { method: 'POST', path: '/v3/kv/put', body: {} },
  ],
  notCompared: [],
  differs: [],
  skipped: [],
};

describe.each([
  { name: 'Alertmanager', needs: ['prometheus-alertmanager'], service: ALERTMANAGER },
  { name: 'PowerDNS', needs: ['pdns_server', 'sqlite3', POWERDNS_SCHEMA], service: POWERDNS },
  { name: 'etcd', needs: ['etcd'], service: ETCD },
])('a recording of $name', ({ needs, service }) => {
  it('is replayed without the server, valid, in sync with it, and the same mock when promoted', async (context) => {
    const missing = needs.filter((each) => (isAbsolute(each) ? !existsSync(each) : findProgram(each) === undefined));
    if (missing.length > 0) context.skip(`${missing.join(', ')} is not installed: see the packages in .ci/run`);
    const folder = createFolder();
    mkdirSync(join(folder, 'server'));
    const server = await start(service, join(folder, 'server'));
    const recorded = await run(service, await openMock(service, folder, { mode: 'record-all', upstream: server.url }));
    const cassette = loadCassette(join(folder, 'recordings', 'real'));
    expect(cassette.mistakes).toEqual([]);
    expect(cassette.exchanges).toHaveLength(service.workflow.length);

    const parts = await loadParts(service.spec);
    const compared = await drift(service, cassette, server.url);
    const others = compared.filter(({ verdict }) => verdict !== 'in-sync' && verdict !== 'skipped');
    expect(others.map(({ file, verdict, reason }) => [file, verdict, reason])).toEqual(service.notCompared);
    await server.stop();

    const replayed = await run(service, await openMock(service, folder, { mode: 'replay' }));
    expect(replayed).toEqual(recorded);
    const findings = await checkCassette(cassette, parts);
    expect(findings.filter(({ severity }) => severity === 'error')).toEqual([]);

    const into = join(folder, 'fixtures');
    const outcome = await promoteCassette(cassette, parts, { spec: service.spec, into });
    const lines = outcome.differences.flatMap(({ exchange, lines: own }) =>
      own.map((line) => `${exchange.file}: ${line}`),
    );
    expect(lines.filter((line) => /: the (?:status|media type) /.test(line))).toEqual(service.differs);
    expect(outcome.skipped.map(({ collection, why }) => `${collection}: ${why}`)).toEqual(service.skipped);
    // As `vouch serve` loads what was written.
    const scenarios = readdirSync(join(folder, 'scenarios')).map((file) => parse(file).name);
    const promoted = await createMock({
      spec: service.spec,
      overlays: outcome.files.filter((file) => file.endsWith('.overlay.json')),
      ...(existsSync(into) && { fixtures: into }),
      scenarios: { from: join(folder, 'scenarios'), active: scenarios },
      clock: cassette.manifest.recordedAt,
    });
    const toFacts = ({ status, type }: Seen, i: number): unknown => {
      const file = cassette.exchanges[i]?.file ?? '';
      return service.differs.some((line) => line.startsWith(file)) ? file : [file, status, type?.split(';')[0]];
    };
    const seen = await run(service, promoted);
    expect(seen.map(toFacts)).toEqual(recorded.map(toFacts));
    await service.verify?.(outcome, into);
  });
});

/** What a client saw of an answer. */
interface Seen {
  readonly status: number | undefined;
  readonly type: string | undefined;
  readonly body: string;
}

/** Runs a workflow against a mock on a socket, and closes the mock. */
async function run({ workflow, headers }: Service, mock: Mock): Promise<readonly Seen[]> {
  const { url } = await mock.listen();
  const seen: Seen[] = [];
  for (const step of workflow) {
    const path = typeof step.path === 'string' ? step.path : step.path(seen.map(({ body }) => body));
    seen.push(await send(`${url}${path}`, step, step.anonymous === true ? {} : headers));
  }
  await mock.close();
  return seen;
}

function send(url: string, { method, body, until }: Step, headers: Service['headers']): Promise<Seen> {
  return new Promise((resolve, reject) => {
    const type = body === undefined ? {} : { 'content-type': 'application/json' };
    const request = httpRequest(url, { method, headers: { ...headers, ...type }, agent: false }, (message) => {
      let text = '';
      const finish = (): void =>
        resolve({ status: message.statusCode, type: message.headers['content-type'], body: text });
      message.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
        if (until === undefined || !text.includes(until)) return;
        finish();
        request.destroy();
      });
      message.on('end', finish).on('error', () => undefined);
    });
    request.on('error', reject).end(body === undefined ? undefined : JSON.stringify(body));
  });
}

/** A mock with the recording of a service. */
function openMock({ spec }: Service, folder: string, more: Partial<RecordingOptions>): Promise<Mock> {
  const recordings = { folder: join(folder, 'recordings'), cassette: 'real', live: true, ...more } as const;
  return createMock({ spec, recordings });
}

/** The differences between a cassette and the server, with every operation sent. */
async function drift(service: Service, cassette: Cassette, url: string): Promise<readonly DriftResult[]> {
  const { contract, validators } = await loadParts(service.spec);
  const upstream = createUpstream(url);
  onTestFinished(upstream.close);
  const check = createResponseCheck(validators);
  return findDrift({ contract, cassette, upstream, headers: service.headers, operations: [], check });
}

async function start(service: Service, folder: string): Promise<{ readonly url: string; stop(): Promise<void> }> {
  const { child, url, ready } = await service.start(folder);
  const stop = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill();
    await once(child, 'exit');
  };
  onTestFinished(stop);
  let output = '';
  child.stdout?.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stderr?.on('data', (chunk: Buffer) => (output += chunk.toString()));
  for (;;) {
    if (child.exitCode !== null) throw new Error(`${child.spawnfile} ended with ${child.exitCode}: ${output}`);
    const response = await fetch(`${url}${ready}`, { headers: service.headers }).catch(() => undefined);
    await response?.arrayBuffer();
    if (response?.ok === true) return { url, stop };
    // The server has no sign of its own that it listens.
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

function launch(program: string, options: readonly string[]): ChildProcess {
  return spawn(findProgram(program) ?? program, options, { stdio: ['ignore', 'pipe', 'pipe'] });
}

/** The path of an installed program; servers are in folders that are not in every user's PATH. */
function findProgram(name: string): string | undefined {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin', '/sbin'];
  return folders
    .map((folder) => join(folder, name))
    .find((path) => {
      try {
        accessSync(path, constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });
}

function silence(comment: string): object {
  const matchers = [{ name: 'alertname', value: comment, isRegex: false }];
  return { matchers, startsAt: '2026-01-01T00:00:00Z', endsAt: '2100-01-01T00:00:00Z', createdBy: 'test', comment };
}

function readMember(body: string | undefined, name: string): string {
  return String((JSON.parse(body ?? '{}') as Readonly<Record<string, unknown>>)[name]);
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}
