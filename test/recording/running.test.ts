// Recordings that are started while the mock runs, what they leave out, and how they reach the upstream.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { rootCertificates } from 'node:tls';
import { type AddressInfo, connect } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Mock } from '../../src/index.js';
import { loadCassette } from '../../src/features/recording/cassette/cassette.js';
import type { RecordingOptions } from '../../src/features/recording/recordings.js';
import { createUpstream, listAuthorities } from '../../src/features/recording/upstream/upstream.js';
import { createFolder } from '../folders.js';
import { KEYS, SPEC } from './recorded.js';
import { openMock } from '../open-mock.js';
import { serveInTest } from '../serve-in-test.js';
import { startUpstream } from './upstream.js';

const HEADERS = { authorization: 'Bearer running-token-1', 'content-type': 'application/json' };
const FILE = '/v1/files/file-notes/content';

const create = (recordings: RecordingOptions): Promise<Mock> =>
  openMock({ spec: SPEC, fixtures: 'fixtures', recordings: { live: true, ...recordings } });

async function sourceOf(
  mock: Pick<Mock, 'fetch'>,
  path: string,
  headers: Record<string, string> = HEADERS,
): Promise<string> {
  const response = await mock.fetch(path, { headers });
  await response.text();
  return response.headers.get('x-mock-source') ?? '';
}

async function control(mock: Mock, action: string, body?: unknown): Promise<{ status: number; body: unknown }> {
  const json =
    body === undefined ? {} : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
  const response = await mock.fetch(`/__mock/recordings/${action}`, { method: 'POST', ...json });
  return { status: response.status, body: await response.json() };
}

describe('a recording', () => {
  it('is started and stopped while the mock runs', async () => {
    const upstream = await startUpstream();
    const folder = createFolder();
    const mock = await create({ folder, mode: 'off' });
    expect(await sourceOf(mock, FILE)).toMatch(/^state|^example/);
    expect(() => mock.recordings?.start({ cassette: 'a' })).toThrow('needs an upstream');
    expect(() => mock.recordings?.start({ upstream: upstream.url })).toThrow('no cassette is given');
    mock.recordings?.start({ cassette: 'a', upstream: upstream.url });
    expect(mock.recordings?.mode).toBe('record-all');
    expect(await sourceOf(mock, FILE)).toBe('forward');
    expect(await sourceOf(mock.session('other'), KEYS)).toBe('forward');
    expect(() => mock.recordings?.start({ cassette: 'b' })).toThrow('a recording is already running');
    expect(await mock.recordings?.stop()).toEqual({ cassette: 'a', exchanges: 2, failed: 0 });
    expect(mock.recordings?.mode).toBe('off');
    expect(await sourceOf(mock, FILE)).toMatch(/^state|^example/);
    await expect(mock.recordings?.stop()).rejects.toThrow('no recording is running');
    // Another recording extends it.
    mock.recordings?.start({ cassette: 'a', upstream: upstream.url, mode: 'record-missing' });
    expect(await sourceOf(mock, FILE)).toBe('replay:0001-downloadFile.200.json');
    expect(await sourceOf(mock, '/v1/files/file-bytes/content')).toBe('forward');
    expect(await mock.recordings?.stop()).toEqual({ cassette: 'a', exchanges: 3, failed: 0 });
  });

  it('is replayed after it was stopped, if the mock was created to record', async () => {
    const upstream = await startUpstream();
    const mock = await create({ folder: createFolder(), cassette: 'a', mode: 'record-all', upstream: upstream.url });
    expect(await sourceOf(mock, FILE)).toBe('forward');
    await mock.recordings?.stop();
    expect(await sourceOf(mock, FILE)).toBe('replay:0001-downloadFile.200.json');
    mock.recordings?.start();
    expect(await sourceOf(mock, FILE)).toBe('forward');
  });

  it('is started, stopped and copied by the control API', async () => {
    const upstream = await startUpstream();
    const folder = createFolder();
    const mock = await create({ folder, cassette: 'a', mode: 'off' });
    expect(await control(mock, 'stop')).toMatchObject({ status: 400, body: { code: 'OPTION_INVALID' } });
    expect(await control(mock, 'start', { upstream: upstream.url })).toMatchObject({
      status: 200,
      body: { mode: 'record-all', cassette: 'a', owners: { '*': 'forward' } },
    });
    await sourceOf(mock, FILE);
    expect(await control(mock, 'snapshot')).toEqual({ status: 200, body: { cassette: 'a', exchanges: 1, failed: 0 } });
    expect(await control(mock, 'snapshot', { cassette: 'b' })).toEqual({
      status: 200,
      body: { cassette: 'b', exchanges: 1, failed: 0 },
    });
    expect(await control(mock, 'snapshot', { cassette: 'b' })).toMatchObject({ status: 400 });
    await sourceOf(mock, KEYS);
    expect(await control(mock, 'stop')).toEqual({ status: 200, body: { cassette: 'a', exchanges: 2, failed: 0 } });
    expect(loadCassette(join(folder, 'b')).exchanges).toHaveLength(1);
    expect(existsSync(join(folder, 'b', '.lock'))).toBe(false);
    expect(await control(mock, 'start', { mode: 'replay' })).toMatchObject({
      status: 400,
      body: { code: 'CONTROL_INVALID' },
    });
  });

  it('is made after the fact of what was forwarded', async () => {
    const upstream = await startUpstream();
    const folder = createFolder();
    const mock = await create({ folder, upstream: upstream.url, owners: { '*': 'forward' } });
    await sourceOf(mock, FILE);
    await sourceOf(mock, KEYS);
    await expect(mock.recordings?.snapshot()).rejects.toThrow('no cassette is given for the snapshot');
    expect(await mock.recordings?.snapshot({ cassette: 'after' })).toEqual({
      cassette: 'after',
      exchanges: 2,
      failed: 0,
    });
    await sourceOf(mock, '/v1/files/file-bytes/content');
    expect(await mock.recordings?.snapshot({ cassette: 'after' })).toEqual({
      cassette: 'after',
      exchanges: 3,
      failed: 0,
    });
    const { exchanges } = loadCassette(join(folder, 'after'));
    expect(exchanges[0]?.response?.body).toBe('Remember the milk.\nZürich, 東京.\n');
    expect(JSON.stringify(exchanges)).not.toContain('running-token-1');
  });
});

it('mode once records a cassette that does not exist, and only replays it afterwards', async () => {
  const upstream = await startUpstream();
  const folder = createFolder();
  const options = { folder, cassette: 'a', mode: 'once', upstream: upstream.url } as const;
  const first = await create(options);
  expect(await sourceOf(first, FILE)).toBe('forward');
  expect(await sourceOf(first, FILE)).toBe('forward');
  await first.close();
  const second = await create(options);
  expect(await sourceOf(second, FILE)).toBe('replay:0001-downloadFile.200.json');
  expect(await sourceOf(second, KEYS)).toBe('replay:miss');
  expect(upstream.seen).toHaveLength(2);
  const { upstream: _, ...offline } = options;
  expect(await sourceOf(await create(offline), FILE)).toBe('replay:0001-downloadFile.200.json');
  await expect(create({ ...offline, cassette: 'b' })).rejects.toThrow(
    'cassette "b", which does not exist, needs an upstream',
  );
});

it('exclude leaves out operations, headers and large bodies, which are forwarded', async () => {
  const upstream = await startUpstream({
    intercept: ({ url }, response) => {
      if (!url.includes('big')) return false;
      response.writeHead(200, { 'content-type': 'text/plain' }).end('x'.repeat(2000));
      return true;
    },
  });
  const folder = createFolder();
  const exclude = { operations: ['listAdminApiKeys', '*'], headers: ['X-Trace', 'content-length'], bodyBytes: 1000 };
  const mock = await create({ folder, cassette: 'a', mode: 'record-all', upstream: upstream.url, exclude });
  for (const path of [KEYS, '/v1/unknown', '/v1/files/big/content', FILE]) {
    expect(await sourceOf(mock, path, { ...HEADERS, 'x-trace': '1' })).toBe('forward');
  }
  expect(mock.journal.interactions.map(({ trace }) => trace.at(-1))).toEqual([
    'forward: not recorded: the operation is excluded',
    'forward: not recorded: the operation is excluded',
    'forward: not recorded: a body has 2000 bytes, more than exclude.bodyBytes',
    'forward: recorded as 0001-downloadFile.200.json',
  ]);
  await mock.close();
  const [recorded] = loadCassette(join(folder, 'a')).exchanges;
  expect(recorded?.request.headers).not.toHaveProperty('x-trace');
  await expect(create({ folder, exclude: { operations: ['listKeys'] } })).rejects.toThrow(
    'operation "listKeys" is not in the contract',
  );
});

describe('the connection to the upstream', () => {
  it('sends header values of environment variables, and does not record them', async () => {
    const upstream = await startUpstream();
    const folder = createFolder();
    vi.stubEnv('RUNNING_TEST_TOKEN', 'from-the-environment');
    onTestFinished(() => void vi.unstubAllEnvs());
    const upstreamHeaders = { Authorization: 'Bearer env:RUNNING_TEST_TOKEN', 'x-plain': 'no-env:RUNNING_TEST_TOKEN' };
    const mock = await create({ folder, cassette: 'a', mode: 'record-all', upstream: upstream.url, upstreamHeaders });
    await sourceOf(mock, FILE, {});
    expect(upstream.seen[0]?.headers).toMatchObject({
      authorization: 'Bearer from-the-environment',
      'x-plain': 'no-env:RUNNING_TEST_TOKEN',
    });
    const missing = { folder, upstream: upstream.url, upstreamHeaders: { authorization: 'env:RUNNING_TEST_MISSING' } };
    await expect(create(missing)).rejects.toThrow(
      'the header "authorization" needs the environment variable RUNNING_TEST_MISSING, which is not set',
    );
  });

  it(
    'goes through the proxy of the environment, unless NO_PROXY lists the host',
    { tags: 'slow' },
    async ({ skip }) => {
      const folder = createFolder();
      const [key, certificate] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')];
      try {
        const subject = ['-subj', '/CN=api.test', '-addext', 'subjectAltName=DNS:api.test'];
        const request = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', ...subject];
        execFileSync('openssl', [...request, '-keyout', key, '-out', certificate], { stdio: 'ignore' });
      } catch {
        skip('openssl is not installed, so that there is no certificate to try');
      }
      const pem = { key: readFileSync(key, 'utf8'), cert: readFileSync(certificate, 'utf8') };
      const secure = createSecureServer({ ...pem, ca: pem.cert, requestCert: true }, (request, response) => {
        response.end(`secure ${request.url ?? ''}`);
      });
      const seen: string[] = [];
      const proxy = createServer((request, response) => {
        seen.push(`${request.method ?? ''} ${request.url ?? ''} ${request.headers['proxy-authorization'] ?? ''}`);
        response.end('plain');
      });
      proxy.on('connect', (request, socket) => {
        seen.push(`CONNECT ${request.url ?? ''} ${request.headers['proxy-authorization'] ?? ''}`);
        if (request.url !== 'api.test:443') {
          socket.end('HTTP/1.1 403 Forbidden\r\n\r\n');
          return;
        }
        const { port } = secure.address() as AddressInfo;
        const target = connect(port, '127.0.0.1', () => socket.write('HTTP/1.1 200 OK\r\n\r\n'));
        target.pipe(socket).pipe(target);
      });
      for (const server of [secure, proxy]) await serveInTest(server);
      const { port } = proxy.address() as AddressInfo;
      const environment = { HTTPS_PROXY: `http://user:pass@127.0.0.1:${port}`, http_proxy: `127.0.0.1:${port}` };
      const ask = async (base: string, more: Record<string, string> = {}): Promise<string> => {
        const upstream = createUpstream(base, { ca: pem.cert, ...pem }, { ...environment, ...more });
        onTestFinished(() => upstream.close());
        const outcome = await upstream.send({ method: 'GET', target: '/a?b=1', headers: {}, body: undefined });
        if ('failure' in outcome) return `${outcome.failure.kind} ${outcome.failure.message}`;
        const chunks: Uint8Array[] = [];
        for await (const chunk of outcome.body) chunks.push(chunk);
        return Buffer.concat(chunks).toString();
      };
      expect(await ask('https://api.test')).toBe('secure /a?b=1');
      expect(await ask('http://api.test:8080')).toBe('plain');
      expect(await ask('https://other.test')).toMatch(/^refused .*answered 403/);
      const basic = `Basic ${Buffer.from('user:pass').toString('base64')}`;
      expect(seen).toEqual([
        `CONNECT api.test:443 ${basic}`,
        'GET http://api.test:8080/a?b=1 ',
        `CONNECT other.test:443 ${basic}`,
      ]);
      for (const list of ['*', 'api.invalid', '.invalid', 'x.test, api.invalid:443']) {
        expect(await ask('https://api.invalid', { NO_PROXY: list })).toMatch(/^(?:unresolved|refused|timeout) /);
      }
      expect(seen).toHaveLength(3);
      expect(() => createUpstream('https://api.test', {}, { HTTPS_PROXY: 'socks5://x' })).toThrow(
        'not a valid http URL',
      );
      // This machine is reached directly, as by other clients.
      const direct = await startUpstream();
      expect(await ask(direct.origin)).toContain('No credentials');
    },
  );
});

it('trusts the public authorities besides those of the option `ca`', () => {
  expect(listAuthorities('own')).toEqual(['own', ...rootCertificates]);
  expect(listAuthorities(undefined)).toBe(undefined);
});

it('pace: recorded waits before an answer as long as the server took', async () => {
  const upstream = await startUpstream();
  const folder = createFolder();
  const recording = await create({ folder, cassette: 'a', mode: 'record-all', upstream: upstream.url });
  await sourceOf(recording, FILE);
  await recording.close();
  const file = join(folder, 'a', '0001-downloadFile.200.json');
  writeFileSync(file, readFileSync(file, 'utf8').replace(/"elapsedMs": \d+/, '"elapsedMs": 5000'));
  const mock = await create({ folder, cassette: 'a', pace: 'recorded' });
  const before = mock.clock.now();
  expect(await sourceOf(mock, FILE)).toBe('replay:0001-downloadFile.200.json');
  expect(mock.clock.now() - before).toBe(5000);
  const fast = await create({ folder, cassette: 'a' });
  const unchanged = fast.clock.now();
  await sourceOf(fast, FILE);
  expect(fast.clock.now()).toBe(unchanged);
});
