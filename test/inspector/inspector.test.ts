// @module-tag thorough
import axe from 'axe-core';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { serveInTest } from '../serve-in-test.js';
import { createMock, type Mock, type MockOptions } from '../../src/index.js';
import { readContract } from '../control/control-client.js';
import { createFolder } from '../folders.js';
import { openBuiltIn } from '../describe-both.js';
import { HAS_CHROMIUM, openPagePool, type PageOptions, type PagePool } from '../open-chromium.js';
import { arrayOf, finds, inPath, INTEGER, object, shows, takes, TEXT, toDocument } from '../document-parts.js';

// Issue 17: the inspector in a real browser.

const KEYS = '/v1/organization/admin_api_keys';
const HEADERS = { authorization: 'Bearer sk-test-0123456789', 'content-type': 'application/json' };

/** With this variable, the test writes the images of `docs/inspector.md`. */
const WRITES_IMAGES = process.env['VOUCH_SCREENSHOTS'] !== undefined;
const IMAGE_SIZE = { width: 1000, height: 580 };
const PAGE_SIZE = { width: 1280, height: 760 };

describe.skipIf(!HAS_CHROMIUM)('the inspector in Chromium', () => {
  let pages: PagePool;
  beforeAll(async () => {
    pages = await openPagePool();
    return () => pages.close();
  });

  interface Open {
    readonly mock: Mock;
    readonly url: string;
    /** The one that the server made. */
    readonly controlToken: string | undefined;
    readonly page: Page;
    send(method: string, path: string, body?: unknown, session?: string): Promise<Response>;
    tab(name: string): Promise<void>;
  }

  async function open(
    options: Partial<MockOptions> & { readonly host?: string } = {},
    look: PageOptions = {},
  ): Promise<Open> {
    const { host, ...rest } = options;
    const mock = await openBuiltIn({ scenarios: { from: 'scenarios' }, ...rest });
    const { url, controlToken } = await mock.listen(host === undefined ? {} : { host });
    const page = await pages.take({ size: WRITES_IMAGES ? IMAGE_SIZE : PAGE_SIZE, ...look });
    const problems: string[] = [];
    const note = (error: Error): number => problems.push(error.message);
    page.on('pageerror', note);
    onTestFinished(async () => {
      await pages.leave(page);
      page.off('pageerror', note);
      await mock.close();
      expect(problems).toEqual([]);
    });
    await page.goto(`${url}/__mock/`);
    return {
      mock,
      url,
      controlToken,
      page,
      send: (method, path, body, session = 'default') =>
        mock.fetch(path, {
          method,
          headers: { ...HEADERS, 'x-mock-session': session },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        }),
      tab: (name) => page.getByRole('tab', { name }).click(),
    };
  }

  const shoot = async (page: Page, name: string): Promise<void> => {
    if (!WRITES_IMAGES) return;
    mkdirSync('docs/images', { recursive: true });
    await page.screenshot({ path: `docs/images/inspector-${name}.png` });
  };

  /** The faults that axe-core finds and that keep people from using the page. */
  const findFaults = async (page: Page): Promise<unknown> => {
    if (!(await page.evaluate('"axe" in window'))) await page.evaluate(axe.source);
    return page.evaluate(`axe.run().then(({ violations }) => violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .map(({ id, nodes }) => [id, nodes.map(({ html }) => html.slice(0, 160))]))`);
  };

  it('shows 600 requests while it is open, and only those in view have elements', async () => {
    const { page, send } = await open();
    const count = page.locator('.toolbar .note');
    await page.getByText('Live').waitFor();
    for (let i = 0; i < 600; i++)
      await send('GET', i % 3 === 0 ? '/nowhere' : `${KEYS}?limit=${(i % 50) + 1}`, undefined, `s-${i % 4}`);
    await count.getByText('600 requests').waitFor();
    expect(await page.locator('.rows .row').count()).toBeLessThan(80);
    await page.locator('.table').evaluate((table) => table.scrollTo(0, table.scrollHeight));
    await page.locator('.rows .row[aria-rowindex="601"]').waitFor();
    await page.getByLabel('Status').selectOption('4');
    await count.getByText('200 of 600 requests').waitFor();
    await page.getByLabel('Session').selectOption('s-1');
    await count.getByText('50 of 600 requests').waitFor();
    await page.getByLabel('Status').selectOption('');
    await page.getByLabel('Operation').selectOption('listAdminApiKeys');
    await count.getByText('100 of 600 requests').waitFor();
    await page.getByLabel('Session').selectOption('');
    await page.keyboard.press('/');
    await page.keyboard.type('limit=7');
    await count.getByText('8 of 600 requests').waitFor();
    await page.getByLabel('Filter by text').fill('');
    await page.getByLabel('Operation').selectOption('');
    await page.getByRole('button', { name: 'Pause' }).click();
    await send('GET', KEYS);
    await page.getByRole('button', { name: 'Resume (1 new)' }).click();
    await count.getByText('601 requests').waitFor();
    await page.getByRole('button', { name: 'Clear' }).click();
    await page.getByText('No request yet').waitFor();
  });

  it('counts 5,000 requests, keeps the newest 1,000, and never draws more than those in view', async () => {
    const { page, send } = await open();
    await page.getByText('Live').waitFor();
    await page.evaluate(`window.most = 0;
      new MutationObserver(() => { most = Math.max(most, document.querySelectorAll('.rows .row').length); })
        .observe(document.querySelector('.rows'), { childList: true });`);
    for (let i = 0; i < 5000; i++) await send('GET', `${KEYS}?limit=${(i % 50) + 1}`, undefined, `s-${i % 8}`);
    const count = page.locator('.toolbar .note');
    await count.getByText('1,000 of 5,000 requests').waitFor();
    expect(await page.evaluate('most')).toBeGreaterThan(0);
    expect(await page.evaluate('most')).toBeLessThan(80);
    await page.getByLabel('Filter by text').fill('limit=7');
    await count.getByText('20 of 1,000 requests').waitFor();
  });

  it.each([1280, 320])(
    'keeps the rows where they are when a request is opened and closed, %d pixels wide',
    async (width) => {
      const { page, send } = await open({}, { size: { width, height: 700 } });
      for (let i = 0; i < 60; i++) await send('GET', KEYS);
      // A table that is shorter than that is not scrolled as far.
      await page.locator('.toolbar .note').getByText('60 requests', { exact: true }).waitFor();
      const row = page.locator('.rows .row[aria-rowindex="30"]');
      await page.locator('.table').evaluate((table) => table.scrollTo(0, 613));
      const place = async (): Promise<unknown> => (await row.boundingBox())?.y;
      const before = await place();
      await row.click();
      await page.locator('.trace').waitFor();
      expect(await place()).toBe(before);
      await page.keyboard.press('Escape');
      await page.locator('.trace').waitFor({ state: 'detached' });
      expect(await place()).toBe(before);
    },
  );

  it('finds collections and operations by their filters', async () => {
    const item = object({ id: INTEGER });
    const lists = Array.from('abcdefghijkl').flatMap((letter) => [
      [`/${letter}things`, { get: shows(arrayOf(item)) }] as const,
      [`/${letter}things/{id}`, { get: finds(item), ...inPath('id') }] as const,
    ]);
    const document = toDocument({ ...Object.fromEntries(lists), '/ping': { get: shows(INTEGER) } });
    const { page, tab } = await open({
      spec: document,
      fixtures: { cthings: [{ id: 1 }] },
      scenarios: undefined,
      state: { initialItems: 0 },
    });
    await tab('State');
    const collections = page.getByRole('navigation', { name: 'Collections' });
    await collections.getByText('12 collections').waitFor();
    await page.getByLabel('with items').check();
    await collections.getByText('1 of 12 collections').waitFor();
    await page.getByLabel('with items').uncheck();
    await page.getByLabel('Search collections').fill('dth');
    expect(await collections.getByRole('button').allInnerTexts()).toEqual([expect.stringContaining('dthings')]);
    await tab('Contract');
    await page.getByText('25 operations, 0 used').waitFor();
    await page.getByRole('combobox', { name: 'State' }).selectOption('no state');
    await page.getByText('1 of 25 operations, 0 used').waitFor();
    await page.getByRole('combobox', { name: 'State' }).selectOption('cthings');
    await page.locator('.operation .path').getByText('/cthings/{id}').waitFor();
    await page.getByRole('combobox', { name: 'Use' }).selectOption('used');
    await page.getByText('0 of 25 operations, 0 used').waitFor();
  });

  it('draws which resources belong to which, and copies the hint of an operation as an overlay that applies', async () => {
    const item = object({ id: TEXT, name: TEXT });
    const spec = toDocument({
      '/shelves': { get: shows(arrayOf(item)), post: takes(item, item, 201) },
      '/shelves/{shelf}': { get: finds(item), ...inPath('shelf') },
      '/shelves/{shelf}/books': { get: shows(arrayOf(item)), ...inPath('shelf') },
      '/shelves/{shelf}/books/{book}': { post: takes(item, item), ...inPath('shelf', 'book') },
      '/ping': { get: shows(INTEGER) },
    });
    const { page, tab, url } = await open({ spec, fixtures: undefined, scenarios: undefined });
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'], { origin: url });
    await tab('Resources');
    await page.getByText('2 collections, 5 of 6 operations belong to one').waitFor();
    const nodes = page.locator('.tree > li > .node strong');
    expect(await nodes.allInnerTexts()).toEqual(['shelves', 'books']);
    expect(await page.locator('.tree .tree .node strong').allInnerTexts()).toEqual(['books']);
    const unsure = page.locator('.tree .tree .chip.unsure');
    expect(await unsure.innerText()).toMatch(/^\w+ 0\.\d+$/);
    await page.getByLabel('Confidence').selectOption('0.9');
    await page.getByText('In no collection').waitFor();
    await page.locator('.tree .tree .node').click();
    await shoot(page, 'resources');
    await page.getByLabel('Copy as overlay the hint of POST /shelves/{shelf}/books/{book}').click();
    await page.getByText('Copied as an overlay').waitFor();
    const text = await page.evaluate<string>('navigator.clipboard.readText()');
    const overlays = [join(createFolder({ 'hints.yaml': text }), 'hints.yaml')];
    const contract = await readContract(await createMock({ spec, overlays }));
    expect(contract.operations.find(({ id }) => id === 'POST /shelves/{shelf}/books/{book}')).toMatchObject({
      collection: 'shelves.books',
      confidence: 1,
    });
  });

  it('shows why a request got its answer, copies it and sends it again', async () => {
    const { page, send, mock, url } = await open();
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'], { origin: url });
    for (let i = 0; i < 12; i++)
      await send('GET', `${KEYS}?limit=${i + 1}`, undefined, i % 4 === 0 ? 'checkout-1' : 'default');
    await send('GET', '/v1/files/file-handbook/content');
    await send('DELETE', '/v1/vector_stores/vs_none/files/file-none');
    await send('POST', KEYS, { name: 7 });
    await page.locator('.row.wrong').first().click();
    const detail = page.locator('.detail');
    await detail.getByText('must be a string').first().waitFor();
    expect(await detail.locator('.violations').innerText()).toMatch(
      /error of the client · declared at spec\/openapi\.yaml:\d+:\d+/,
    );
    expect(await detail.locator('.trace').innerText()).toMatch(/refuse/);
    await shoot(page, 'log');
    const copy = async (name: string): Promise<string> => {
      await detail.getByText('Copy as').click();
      await detail.getByRole('button', { name, exact: true }).click();
      await detail.getByText(`Copied as ${name}`).waitFor();
      return page.evaluate('navigator.clipboard.readText()');
    };
    expect(await copy('curl')).toContain(`curl -X POST '${url}${KEYS}'`);
    expect(await copy('fetch')).toContain(`body: JSON.stringify({"name":7})`);
    expect(JSON.parse(await copy('scenario rule'))).toHaveProperty('operations.createAdminApiKey');
    await detail.getByRole('button', { name: 'Replay' }).click();
    await detail.getByText(/Answered 400 as #\d+/).waitFor();
    expect(mock.journal.calls('createAdminApiKey')).toHaveLength(2);
    // The keyboard: the next request, and back.
    await page.locator('.table').focus();
    await page.keyboard.press('j');
    await detail.getByRole('heading', { name: /^DELETE/ }).waitFor();
    await page.keyboard.press('k');
    await detail.getByRole('heading', { name: /^POST/ }).waitFor();
    await page.keyboard.press('Escape');
    expect(await detail.count()).toBe(0);
    await page.getByText('file-handbook').first().click();
    await detail.getByText('Refunds are possible').waitFor();
  });

  it('shows bytes in hex and the events of a stream', async () => {
    const stream = { 'text/event-stream': { schema: object({ n: INTEGER }) } };
    const bytes = { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } };
    const answer = (content: object): object => ({ get: { responses: { 200: { description: 'ok', content } } } });
    const spec = toDocument({ '/events': answer(stream), '/bytes': answer(bytes) });
    const { page, mock } = await open({
      spec,
      fixtures: undefined,
      scenarios: {
        from: { s: { operations: { 'GET /events': { respond: { events: [{ n: 1 }, { n: 2 }] } } } } },
        active: ['s'],
      },
      handlers: { 'GET /bytes': () => ({ status: 200, body: new Uint8Array([0, 1, 254, 65]) }) },
    });
    for (const path of ['/bytes', '/events']) await (await mock.fetch(path)).arrayBuffer();
    await page.locator('.row .path', { hasText: '/bytes' }).click();
    await page.getByText('000000  00 01 fe 41').waitFor();
    await page.locator('.row .path', { hasText: '/events' }).click();
    await page.locator('.detail h2', { hasText: '/events' }).waitFor();
    await page.locator('.events li').nth(1).getByText('"n"').waitFor();
  });

  it('switches a scenario, which changes the next answer, and refuses one that is not valid', async () => {
    const { page, send, tab } = await open();
    await tab('Scenarios');
    const status = async (): Promise<number> => (await send('GET', KEYS)).status;
    expect(await status()).toBe(200);
    await page.getByRole('switch', { name: 'unauthorized in this session' }).click();
    await page.getByText('1 active of').waitFor();
    expect(await status()).toBe(401);
    await page.getByRole('button', { name: 'Reload' }).click();
    await page.getByText('applied 1').first().waitFor();
    await page.getByRole('switch', { name: 'unauthorized in this session' }).click();
    await page.getByText('0 active of').waitFor();
    expect(await status()).toBe(200);
    // A new scenario with a mistake, which the mock finds.
    await page.getByRole('button', { name: 'New scenario' }).click();
    const editor = page.getByLabel('Scenario as YAML');
    await editor.fill('operations:\n  listAdminApiKey:\n    respond: { status: 500 }\n');
    await page.getByText(/my-scenario\.yaml:2:3 .*operation "listAdminApiKey" is not in the contract/).waitFor();
    await page.getByRole('button', { name: 'Try' }).click();
    expect(await page.getByRole('alert').innerText()).toContain('did you mean "listAdminApiKeys"?');
    expect(await status()).toBe(200);
    await editor.fill('description: The list is down.\noperations:\n  ');
    await editor.press('Control+End');
    await page.keyboard.type('l');
    await page.getByRole('option', { name: /listAdminApiKeys/ }).waitFor();
    await shoot(page, 'scenarios');
    await page.keyboard.press('Enter');
    expect(await editor.inputValue()).toBe('description: The list is down.\noperations:\n  listAdminApiKeys: ');
    await page.keyboard.type('{ respond: { sta');
    await page.getByRole('option', { name: /^status/ }).click();
    await page.keyboard.type('500 } }');
    await page.getByText('Valid', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Try' }).click();
    await page.getByText('Active in this session').waitFor();
    expect(await status()).toBe(500);
  });

  it('edits the file of a scenario with its comments, and does not overwrite a change that it has not seen', async () => {
    const text = '# Why it is down.\noperations:\n  listAdminApiKeys: { respond: { status: 500 } }\n';
    const folder = createFolder({ 'down.yaml': text });
    const file = join(folder, 'down.yaml');
    const { page, send, tab } = await open({ scenarios: { from: folder, active: ['down'] } });
    await tab('Scenarios');
    await page.getByRole('button', { name: 'Edit down' }).click();
    const editor = page.getByLabel('Scenario as YAML');
    expect(await editor.inputValue()).toBe(text);
    // What is tried is not written.
    await editor.fill(text.replace('500', '429'));
    await page.getByRole('button', { name: 'Try' }).click();
    await page.getByText('Active in this session').waitFor();
    expect((await send('GET', KEYS)).status).toBe(429);
    expect(readFileSync(file, 'utf8')).toBe(text);
    await editor.fill(text.replace('500', '406'));
    await page.getByRole('button', { name: 'Save to file' }).click();
    await page.getByText(/Saved to .*down\.yaml/).waitFor();
    expect(readFileSync(file, 'utf8')).toBe(text.replace('500', '406'));
    expect((await send('GET', KEYS)).status).toBe(406);
    const changed = text.replace('500', '401');
    writeFileSync(file, changed);
    await editor.fill(text.replace('500', '400'));
    await page.getByRole('button', { name: 'Save to file' }).click();
    await page.getByText('has changed since it was read; it was not written').waitFor();
    expect(readFileSync(file, 'utf8')).toBe(changed);
  });

  it('edits the state, which the API shows, and refuses an item that is not valid', async () => {
    const { page, send, tab, mock } = await open();
    await tab('State');
    await page.getByRole('button', { name: /^admin_api_keys/ }).click();
    const read = async (): Promise<string> => (await send('GET', `${KEYS}?limit=100`)).text();
    await page.getByRole('button', { name: 'Take snapshot' }).click();
    await page.getByLabel('Restore a snapshot').waitFor();
    await page.locator('.item').first().click();
    const editor = page.getByLabel('Item as JSON');
    const item = JSON.parse(await editor.inputValue());
    await editor.fill(JSON.stringify({ ...item, name: 7 }, undefined, 2));
    await page.getByRole('button', { name: 'Save item' }).click();
    expect(await page.getByRole('alert').innerText()).toMatch(/name.*must be a string/);
    await editor.fill(JSON.stringify({ ...item, name: 'Edited by hand' }));
    await page.getByRole('button', { name: 'Save item' }).click();
    await page.locator('.item', { hasText: 'Edited by hand' }).waitFor();
    expect(await read()).toContain('Edited by hand');
    const before = mock.state.collection('admin_api_keys').items.length;
    await page.getByRole('button', { name: 'Add generated item' }).click();
    await page.getByText(`${before + 1} items`).waitFor();
    await page.getByLabel('Search items').fill('edited by');
    await page.getByText(`1 of ${before + 1} items`).waitFor();
    await page.getByLabel('Restore a snapshot').selectOption('snapshot-1');
    await page.getByText(`${before} items`).waitFor();
    expect(await read()).not.toContain('Edited by hand');
  });

  it('forks and closes sessions, and moves their clock', async () => {
    const { page, tab, mock } = await open();
    await tab('Sessions');
    await page.getByRole('button', { name: 'Fork default' }).click();
    await page.getByRole('button', { name: 'Close session-1' }).waitFor();
    await page.getByRole('button', { name: '+1 h' }).click();
    await page.locator('output', { hasText: '2026-01-01T01:00:00.000Z' }).waitFor();
    expect(mock.session('session-1').clock.now() - mock.clock.now()).toBe(3_600_000);
    await page.getByLabel('New time').fill('2030-05-05T00:00:00Z');
    await page.getByRole('button', { name: 'Set', exact: true }).click();
    await page.locator('output', { hasText: '2030-05-05' }).waitFor();
    await page.getByRole('button', { name: 'Close session-1' }).click();
    await page.getByText('1 open').waitFor();
  });

  it('lists what each operation does, and sends a valid request of each', async () => {
    const { page, tab, mock } = await open();
    await tab('Contract');
    await page.getByText('4 operations, 0 used').waitFor();
    for (const { id } of mock.contract.operations) {
      const card = page.locator('.card', { hasText: id });
      await card.locator('.operation').click();
      await card.getByRole('button', { name: 'Send', exact: true }).click();
      await card.locator('.send [role=status]').waitFor();
      expect([id, await card.locator('.send [role=status]').innerText()]).toEqual([id, '200']);
      await card.locator('.property').first().waitFor();
      await card.locator('.operation').click();
    }
    await page.getByText('4 operations, 4 used').waitFor();
    expect(await page.locator('.operation', { hasText: 'listAdminApiKeys' }).innerText()).toContain(
      'list admin_api_keys',
    );
  });

  it('shows the owner of each operation, and requests without a recording', async () => {
    const { page, tab, send } = await open({
      recordings: { folder: 'test/recording/none', mode: 'replay' },
      fixtures: undefined,
      scenarios: undefined,
    });
    await send('GET', KEYS);
    await tab('Recordings');
    await page.getByRole('heading', { name: `GET ${KEYS}` }).waitFor();
    await page.getByLabel('All other operations').selectOption('mock');
    await page.getByRole('button', { name: 'Reload' }).click();
    expect((await send('GET', KEYS)).status).toBe(200);
  });

  it('asks for the token where one is set', async () => {
    const { page } = await open({ host: '0.0.0.0', control: { token: 'the-token' } });
    await page.getByLabel('Control token').fill('wrong');
    await page.keyboard.press('Enter');
    await page.getByText('this is not the control token of this mock').waitFor();
    await page.getByLabel('Control token').fill('the-token');
    await page.keyboard.press('Enter');
    await page.getByText('No request yet').waitFor();
    await page.reload();
    await page.getByText('No request yet').waitFor();
  });

  it('opens by a link with the token that the server made, which leaves the address bar', async () => {
    const { page, url, controlToken } = await open({ host: '0.0.0.0' });
    await page.getByText('so its control API needs a token').waitFor();
    // In the same tab, so that the page is not loaded again.
    await page.evaluate(`location.hash = '#token=${controlToken}'`);
    await page.getByText('No request yet').waitFor();
    expect(page.url()).toBe(`${url}/__mock/`);
    await page.reload();
    await page.getByText('No request yet').waitFor();
    await page.goto(`${url}/__mock/health`);
    await page.goto(`${url}/__mock#token=wrong`);
    await page.getByLabel('Control token').waitFor();
    expect(page.url()).toBe(`${url}/__mock/`);
  });

  it('cannot be read, called or framed by a page of another origin', async () => {
    const { page, url } = await open();
    const server = createServer((_, response) => {
      response.writeHead(200, { 'content-type': 'text/html' });
      response.end(`<!doctype html><title>other</title><iframe src="${url}/__mock/"></iframe>`);
    });
    await page.goto(`${await serveInTest(server)}/`);
    for (const path of ['/', '/journal', '/journal/stream', '/contract']) {
      const result = await page.evaluate(
        `fetch('${url}/__mock${path}').then(({ status }) => status, ({ name }) => name)`,
      );
      expect([path, result]).toEqual([path, 'TypeError']);
    }
    const frame = page.frames().find((each) => each !== page.mainFrame());
    expect(await frame?.locator('#app').count()).toBe(0);
  });

  it.each(['light', 'dark'] as const)('has no serious accessibility fault: %s', async (colorScheme) => {
    const { page, send, tab } = await open({}, { colorScheme });
    await send('POST', KEYS, { name: 7 });
    await send('GET', KEYS);
    await page.locator('.row.wrong').click();
    await page.locator('.trace').waitFor();
    expect(await findFaults(page)).toEqual([]);
    for (const name of ['Scenarios', 'State', 'Resources', 'Sessions', 'Recordings', 'Contract']) {
      await tab(name);
      await page.getByRole('heading', { level: 2 }).first().waitFor();
      if (name === 'Scenarios') {
        await page.getByRole('button', { name: 'Edit flaky' }).click();
        await page.getByText('Valid', { exact: true }).waitFor();
      }
      if (name === 'State') await page.locator('.item').first().click();
      if (name === 'Resources') await page.locator('.node').first().click();
      if (name === 'Contract') {
        await page.locator('.operation').first().click();
        await page.locator('.property').first().waitFor();
        await page.locator('.send').waitFor();
      }
      expect([name, await findFaults(page)]).toEqual([name, []]);
    }
  });

  it.each([360, 320])('fits a screen of %d pixels without scrolling sideways', async (width) => {
    const { page, send, tab } = await open({}, { size: { width, height: 700 }, colorScheme: 'dark' });
    await send('POST', KEYS, { name: 7 });
    const overflow = (): Promise<number> => page.evaluate('document.documentElement.scrollWidth - innerWidth');
    expect(await page.locator('.table').evaluate((table) => table.scrollWidth - table.clientWidth)).toBe(0);
    await page.locator('.row.wrong').click();
    await page.locator('.trace').waitFor();
    if (width === 360) await shoot(page, 'narrow');
    expect(await overflow()).toBe(0);
    for (const name of ['Scenarios', 'State', 'Resources', 'Sessions', 'Recordings', 'Contract']) {
      await tab(name);
      await page.getByRole('heading', { level: 2 }).first().waitFor();
      if (name === 'Resources') await page.locator('.node').first().click();
      expect([name, await overflow()]).toEqual([name, 0]);
    }
  });
});
