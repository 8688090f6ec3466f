import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';
import { describe, expect, it, onTestFinished } from 'vitest';
import { loadContract } from '../../src/contract/load/load.js';
import { createRouter } from '../../src/contract/router/router.js';
import { createCallDecoder } from '../../src/http/request/call.js';
import { createMock, type Mock } from '../../src/index.js';
import { openCassette } from '../../src/recording/cassette/cassette-writer.js';
import { type Cassette, loadCassette } from '../../src/recording/cassette/cassette.js';
import { DEFAULT_MATCH } from '../../src/recording/cassette/manifest.js';
import { exportHar, type HarImported, importHar } from '../../src/recording/har.js';
import { createRedactor } from '../../src/recording/redaction/redact.js';
import { createRecorder } from '../../src/recording/upstream/recorder.js';
import { createValidators } from '../../src/schema/validate.js';
import { createFolder, readEveryFile } from './folders.js';
import { startUpstream } from './upstream.js';

const CHROMIUM = '/usr/bin/chromium';
const TOKEN = 'har-token-0123456789';
const KEYS = '/v1/organization/admin_api_keys';
const contract = await loadContract('spec/openapi.yaml');
const validators = createValidators(contract);
const router = createRouter(contract.operations);
const decoder = createCallDecoder(contract, validators, { bodyLimitBytes: 1_000_000 });

async function importFile(
  file: string,
  upstream?: string,
): Promise<{ imported: HarImported; cassette: Cassette; folder: string }> {
  const folder = join(createFolder(), 'imported');
  const writer = openCassette(folder, {
    version: 1,
    contract: { title: contract.title, version: contract.version, hash: contract.hash },
    upstream: upstream ?? 'https://api.example.com/v1',
    recordedAt: '2026-01-01T00:00:00.000Z',
    match: DEFAULT_MATCH,
    redacted: {},
    maxAge: undefined,
  });
  const redactor = createRedactor({ contract, validators, options: {}, earlier: {}, watched: [] });
  const recorder = createRecorder({ writer, redactor, replacement: undefined });
  const imported = await importHar(file, { router, decoder, recorder, upstream });
  return { imported, cassette: loadCassette(folder), folder };
}

function writeHarFile(log: object): string {
  const file = join(createFolder(), 'session.har');
  writeFileSync(file, JSON.stringify({ log }));
  return file;
}

// As the network panel of Chromium exports it: pseudo-headers, underscored extras, decoded bodies, base64 for bytes, status 0.
const chromiumEntry = (
  url: string,
  more: { method?: string; post?: object; response?: object; headers?: readonly object[] },
): object => ({
  _connectionId: '212',
  _initiator: { type: 'script', stack: { callFrames: [] } },
  _priority: 'High',
  _resourceType: 'fetch',
  cache: {},
  connection: '443',
  request: {
    method: more.method ?? 'GET',
    url,
    httpVersion: 'http/2.0',
    headers: [
      { name: ':authority', value: 'api.example.com' },
      { name: ':method', value: more.method ?? 'GET' },
      { name: 'Authorization', value: `Bearer ${TOKEN}` },
      ...(more.headers ?? []),
    ],
    queryString: [],
    cookies: [],
    headersSize: -1,
    bodySize: 0,
    ...(more.post === undefined ? {} : { postData: more.post }),
  },
  response: {
    status: 200,
    statusText: '',
    httpVersion: 'http/2.0',
    headers: [
      { name: 'content-type', value: 'application/json' },
      { name: 'content-encoding', value: 'br' },
    ],
    cookies: [],
    content: { size: 2, mimeType: 'application/json', text: '"a file"' },
    redirectURL: '',
    headersSize: -1,
    bodySize: -1,
    _transferSize: 100,
    _error: null,
    ...more.response,
  },
  serverIPAddress: '127.0.0.1',
  startedDateTime: '2026-03-01T10:00:00.123Z',
  time: 41.5,
  timings: { blocked: 1, dns: -1, ssl: -1, connect: -1, send: 0.1, wait: 40, receive: 0.4 },
});

describe('the HAR of a browser', () => {
  it('becomes a cassette without secrets, with decoded bodies and failures', async () => {
    const key = {
      object: 'organization.admin_api_key',
      id: 'key_1',
      name: 'ci',
      value: `sk-admin-${'Ab1'.repeat(16)}`,
    };
    const file = writeHarFile({
      version: '1.2',
      creator: { name: 'WebInspector', version: '537.36' },
      pages: [],
      entries: [
        chromiumEntry('https://api.example.com/v1/files/file-1/content', {}),
        chromiumEntry('https://cdn.example.com/app.js', {}),
        chromiumEntry(`https://api.example.com${KEYS}`, {
          method: 'POST',
          headers: [{ name: 'content-type', value: 'application/json' }],
          post: { mimeType: 'application/json', text: '{"name":"ci"}' },
          response: { content: { size: 1, mimeType: 'application/json', text: JSON.stringify(key) } },
        }),
        chromiumEntry('https://api.example.com/v1/files/file-2/content', {
          response: {
            headers: [{ name: 'content-type', value: 'application/octet-stream' }],
            content: { size: 3, mimeType: 'application/octet-stream', text: 'AP8N', encoding: 'base64' },
          },
        }),
        chromiumEntry('https://api.example.com/v1/files/file-3/content', {
          response: {
            status: 0,
            headers: [],
            content: { size: 0, mimeType: 'x-unknown' },
            _error: 'net::ERR_CONNECTION_REFUSED',
          },
        }),
      ],
    });
    const { imported, cassette, folder } = await importFile(file, 'https://api.example.com/v1');
    expect(imported.written).toEqual([
      '0001-downloadFile.200.json',
      '0002-createAdminApiKey.200.json',
      '0003-downloadFile.200.json',
      '0004-downloadFile.failed.json',
    ]);
    expect(imported.skipped).toEqual([
      { entry: 'GET https://cdn.example.com/app.js', why: 'its URL is not below https://api.example.com/v1' },
    ]);
    expect(cassette.exchanges[0]?.response).toMatchObject({
      headers: { 'content-type': 'application/json' },
      body: 'a file',
    });
    expect(cassette.exchanges[1]?.request).toMatchObject({
      path: '/organization/admin_api_keys',
      body: { name: 'ci' },
    });
    expect(readFileSync(join(folder, 'bodies/0003.bin'))).toEqual(Buffer.from([0, 255, 13]));
    expect(cassette.exchanges[3]?.failure).toMatchObject({ kind: 'refused' });
    for (const { path, bytes } of readEveryFile(folder)) {
      expect(bytes.includes(TOKEN) || bytes.includes(key.value), path).toBe(false);
    }
  });

  it('is imported without an upstream by the paths of the contract', async () => {
    const file = writeHarFile({
      entries: [
        chromiumEntry('https://api.example.com/v1/files/a/content', {}),
        chromiumEntry('https://api.example.com/v1/nothing', {}),
      ],
    });
    const { imported } = await importFile(file);
    expect(imported).toMatchObject({
      written: ['0001-downloadFile.200.json'],
      skipped: [{ why: 'it matches no operation of the contract' }],
    });
  });

  it.each<readonly [string, string, RegExp]>([
    ['no JSON', '{"log":', /session\.har:1:\d+ .*not valid JSON/],
    ['not a HAR', '{"entries":[]}', /not a HAR file: log\.entries is missing/],
    [
      'an entry without a URL',
      '{"log":{"entries":[{"request":{"method":"GET"},"response":{"status":200}}]}}',
      /#\/log\/entries\/0\/request\/url/,
    ],
  ])('is refused with the position of the error: %s', async (_name, text, message) => {
    const file = join(createFolder(), 'session.har');
    writeFileSync(file, text);
    const error: unknown = await importFile(file).catch((reason: unknown) => reason);
    expect(String(error)).toMatch(message);
  });
});

async function launch(skip: (note?: string) => void): Promise<Browser> {
  if (!existsSync(CHROMIUM))
    skip('chromium is not installed (apt-get install -y chromium), so that no browser can open a HAR');
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] });
  onTestFinished(() => browser.close());
  return browser;
}

async function recordKeys(): Promise<{ cassette: Cassette; body: unknown; mock: Mock }> {
  const upstream = await startUpstream();
  const folder = createFolder();
  const mock = await createMock({
    spec: 'spec/openapi.yaml',
    recordings: { folder, cassette: 'keys', mode: 'record-all', upstream: upstream.url, live: true },
  });
  const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' };
  const list = await mock.fetch(`${KEYS}?limit=2`, { headers });
  const body: unknown = await list.json();
  await (await mock.fetch(KEYS, { method: 'POST', headers, body: '{"name":"ci"}' })).json();
  await (
    await mock.fetch('/v1/files/file-bytes/content', { headers: { ...headers, accept: 'application/octet-stream' } })
  ).arrayBuffer();
  await mock.close();
  await upstream.close();
  return { cassette: loadCassette(join(folder, 'keys')), body, mock };
}

describe('an exported HAR', () => {
  it('can be imported again without loss', async () => {
    const { cassette } = await recordKeys();
    const file = join(createFolder(), 'session.har');
    writeFileSync(file, exportHar(cassette, { contract, base: cassette.manifest.upstream, version: '0' }));
    const again = await importFile(file, cassette.manifest.upstream);
    const toFacts = ({ exchanges }: Cassette): unknown =>
      exchanges.map(({ operation, request, response }) => [
        operation,
        request.query,
        request.body,
        response?.status,
        response?.body,
        response?.bodyFile,
      ]);
    expect(toFacts(again.cassette)).toEqual(toFacts(cassette));
    expect(again.imported.skipped).toEqual([]);
  });

  it('answers a real browser through Playwright’s routeFromHAR', async ({ skip }) => {
    const browser = await launch(skip);
    const { cassette, body } = await recordKeys();
    const file = join(createFolder(), 'session.har');
    writeFileSync(file, exportHar(cassette, { contract, base: 'http://api.test/v1', version: '0' }));
    const page = await browser.newPage();
    await page.route('http://api.test/', (route) =>
      route.fulfill({ contentType: 'text/html', body: '<!doctype html><title>page</title>' }),
    );
    await page.routeFromHAR(file, { url: 'http://api.test/v1/**', notFound: 'abort' });
    await page.goto('http://api.test/');
    const seen: unknown = await page.evaluate(`Promise.all([
      fetch('/v1/organization/admin_api_keys?limit=2').then((response) => response.json()),
      fetch('/v1/organization/admin_api_keys', { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"name":"ci"}' }).then((response) => response.json()),
      fetch('/v1/files/file-bytes/content').then((response) => response.arrayBuffer()).then((bytes) => [...new Uint8Array(bytes)]),
      fetch('/v1/files/other/content').then(() => 'answered', () => 'aborted'),
    ])`);
    expect(seen).toEqual([
      body,
      expect.objectContaining({ name: 'ci' }),
      Array.from({ length: 256 }, (_, i) => i),
      'aborted',
    ]);
  });
});

describe('the HAR of Playwright', () => {
  it.for(['embed', 'attach'] as const)('with content %s becomes a cassette that replays', async (content, { skip }) => {
    const upstream = await startUpstream();
    onTestFinished(() => upstream.close());
    const file = join(createFolder(), 'recorded.har');
    const browser = await launch(skip);
    const context = await browser.newContext({ recordHar: { path: file, content }, bypassCSP: true });
    const page = await context.newPage();
    await page.route(`${upstream.origin}/`, (route) =>
      route.fulfill({ contentType: 'text/html', body: '<!doctype html>' }),
    );
    await page.goto(`${upstream.origin}/`);
    const seen: unknown = await page.evaluate(`(async () => {
      const headers = { authorization: 'Bearer ${TOKEN}', 'content-type': 'application/json' };
      const list = await fetch('${KEYS}?limit=2', { headers }).then((response) => response.json());
      const created = await fetch('${KEYS}', { method: 'POST', headers, body: '{"name":"ci"}' }).then((response) => response.json());
      return { list, name: created.name };
    })()`);
    await context.close();
    const { imported, folder } = await importFile(file, upstream.url);
    expect(imported.written).toEqual(['0001-listAdminApiKeys.200.json', '0002-createAdminApiKey.200.json']);
    for (const { path, bytes } of readEveryFile(folder)) {
      for (const secret of [TOKEN, ...upstream.secrets]) expect(bytes.includes(secret), path).toBe(false);
    }
    const replay = await createMock({ spec: 'spec/openapi.yaml', recordings: { folder, mode: 'replay' } });
    const headers = { authorization: 'Bearer x', 'content-type': 'application/json' };
    const list: unknown = await (await replay.fetch(`${KEYS}?limit=2`, { headers })).json();
    const created = (await (await replay.fetch(KEYS, { method: 'POST', headers, body: '{"name":"ci"}' })).json()) as {
      name: string;
    };
    expect({ list, name: created.name }).toEqual(seen);
    replay.verify();
  });
});
