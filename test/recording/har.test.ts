import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Cassette } from '../../src/features/recording/cassette/cassette.js';
import { exportHar } from '../../src/features/recording/har.js';
import { createFolder, readEveryFile } from '../folders.js';
import { contract, importFile, KEYS, recordKeys, TOKEN } from './har-files.js';

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

  it('is imported with requests outside of the contract, and without the files of a page', async () => {
    const page = { _resourceType: 'document' };
    const file = writeHarFile({
      entries: [
        chromiumEntry('https://api.example.com/v1/hidden?x=1', {}),
        chromiumEntry('https://api.example.com/v1/files/a/content', {}),
        { ...chromiumEntry('https://api.example.com/v1/', {}), ...page },
      ],
    });
    const { imported, cassette } = await importFile(file, 'https://api.example.com/v1');
    expect(imported).toEqual({
      written: ['0001-GET-hidden.200.json', '0002-downloadFile.200.json'],
      undocumented: ['0001-GET-hidden.200.json'],
      skipped: [{ entry: 'GET https://api.example.com/v1/', why: 'it is a document outside of the contract' }],
    });
    expect(cassette.exchanges[0]).toMatchObject({ operation: '*', request: { path: '/hidden', query: { x: '1' } } });
  });

  it('is imported without the entries whose content it does not have', async () => {
    const url = (id: string): string => `https://api.example.com/v1/files/${id}/content`;
    const json = { mimeType: 'application/json' };
    const file = writeHarFile({
      entries: [
        chromiumEntry(url('omitted'), { response: { content: { size: -1, ...json } } }),
        chromiumEntry(url('large'), { response: { content: { size: 70_000, ...json } } }),
        chromiumEntry(url('cut'), { response: { content: { size: 0, ...json }, _failureText: 'net::ERR_ABORTED' } }),
        chromiumEntry(url('left'), { response: { status: -1, content: {}, _failureText: 'net::ERR_ABORTED' } }),
        chromiumEntry(url('lost'), { response: { content: { size: 9, ...json, _file: 'gone.json' } } }),
        chromiumEntry(url('empty'), { response: { content: { size: 0, ...json } } }),
        chromiumEntry(url('same'), { response: { status: 304, content: { size: -1, ...json } } }),
        chromiumEntry(url('down'), {
          response: { status: -1, content: { size: -1 }, _failureText: 'net::ERR_CONNECTION_REFUSED' },
        }),
      ],
    });
    const { imported } = await importFile(file, 'https://api.example.com/v1');
    expect(imported.written).toEqual([
      '0001-downloadFile.200.json',
      '0002-downloadFile.304.json',
      '0003-downloadFile.failed.json',
    ]);
    const missing = 'the file does not have the body of its response: export it with content';
    expect(imported.skipped.map(({ entry, why }) => [entry.split('/').at(-2), why])).toEqual([
      ['omitted', missing],
      ['large', missing],
      ['cut', 'its response was not received completely: net::ERR_ABORTED'],
      ['left', 'it has no response: net::ERR_ABORTED'],
      ['lost', missing],
    ]);
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

it('an exported HAR can be imported again without loss', async () => {
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
