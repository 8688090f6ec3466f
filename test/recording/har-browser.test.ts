// @module-tag thorough
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, expect, it } from 'vitest';
import { createMock } from '../../src/index.js';
import { exportHar } from '../../src/features/recording/har.js';
import { HAS_CHROMIUM, openChromium } from '../open-chromium.js';
import { createFolder, readEveryFile } from '../folders.js';
import { contract, importFile, KEYS, recordKeys, TOKEN } from './har-files.js';
import { startUpstream } from './upstream.js';

let launched: Promise<Browser> | undefined;
afterAll(async () => (await launched)?.close());

/** The browser of all tests; each test opens a context of its own. */
function launch(skip: (note?: string) => void): Promise<Browser> {
  if (!HAS_CHROMIUM) skip('chromium is not installed (apt-get install -y chromium), so that no browser can open a HAR');
  return (launched ??= openChromium());
}

it('an exported HAR answers a real browser through Playwright’s routeFromHAR', async ({ skip }) => {
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

it.for(['embed', 'attach'] as const)(
  'the HAR of Playwright with content %s becomes a cassette that replays',
  async (content, { skip }) => {
    const upstream = await startUpstream();
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
  },
);
