import { describe, expect, it, onTestFinished } from 'vitest';
import { createMock, loadContract } from '../../src/index.js';
import { findReferencePackage } from '../../src/server/control/pages/reference.js';
import { withServer } from '../../src/server/control/contract.js';
import { HAS_CHROMIUM, openChromium } from '../open-chromium.js';

// Issue 16, part 4.

const isInstalled = findReferencePackage() !== undefined;
const why = isInstalled ? '' : ' (skipped: swagger-ui-dist is not installed)';

const SPEC = {
  openapi: '3.1.0',
  info: { title: 'Items', version: '1' },
  servers: [{ url: 'https://api.example.com/v1' }],
  paths: {
    '/items': {
      get: {
        operationId: 'listItems',
        responses: {
          200: {
            description: 'listed',
            content: { 'application/json': { schema: { type: 'array', items: { type: 'string' } }, example: ['one'] } },
          },
        },
      },
    },
  },
};

describe('the servers of a document', () => {
  it('become those of the mock, each operation with its base paths', async () => {
    const operation = { responses: { 200: { description: 'ok' } } };
    const contract = await loadContract({
      ...SPEC,
      servers: [{ url: 'https://{region}.example.com/v1', variables: { region: { default: 'eu' } } }, { url: '/api' }],
      paths: {
        '/a': { get: operation },
        '/b': { servers: [{ url: 'https://b.example.com/b' }], get: operation, put: { ...operation, servers: [] } },
      },
    });
    const root = 'http://127.0.0.1:4010/~one';
    const moved = withServer(contract, `${root}/`);
    expect(moved['servers']).toEqual([{ url: `${root}/v1` }, { url: `${root}/api` }]);
    const { get, put, ...rest } =
      (moved['paths'] as Record<string, Record<string, Record<string, unknown>>>)['/b'] ?? {};
    expect([get?.['servers'], put?.['servers'], rest]).toEqual([[{ url: `${root}/b` }], [{ url: root }], {}]);
    expect((moved['paths'] as Record<string, unknown>)['/a']).toEqual(
      (contract.document['paths'] as Record<string, unknown>)['/a'],
    );
  });

  it('are replaced where the query of openapi.json and openapi.yaml names a URL', async () => {
    await using mock = await createMock({ spec: SPEC, basePath: '/v9' });
    const query = '?server=http://localhost:1/x';
    const document = (await (await mock.fetch(`/__mock/openapi.json${query}`)).json()) as { readonly servers: unknown };
    expect(document.servers).toEqual([{ url: 'http://localhost:1/x/v9' }]);
    expect(await (await mock.fetch(`/__mock/openapi.yaml${query}`)).text()).toContain('url: http://localhost:1/x/v9\n');
    expect((await mock.fetch('/__mock/openapi.json?server=javascript:alert(1)')).status).toBe(400);
    expect(await (await mock.fetch('/__mock/openapi.json')).json()).toEqual(mock.contract.document);
  });
});

describe('the reference page', () => {
  it.skipIf(isInstalled)('says how to install its package', async () => {
    await using mock = await createMock({ spec: SPEC });
    const problem = await mock.fetch('/__mock/reference');
    expect(problem.status).toBe(404);
    expect(await problem.json()).toMatchObject({ hint: 'install it: npm install --save-dev swagger-ui-dist' });
    const page = await mock.fetch('/__mock/reference', { headers: { accept: 'text/html,*/*;q=0.8' } });
    expect([page.status, page.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8']);
    expect(await page.text()).toContain('<pre>npm install --save-dev swagger-ui-dist</pre>');
    expect((await mock.fetch('/__mock/reference/swagger-ui.css')).status).toBe(404);
  });

  it('has a script of its own, and no other file', async () => {
    await using mock = await createMock({ spec: SPEC });
    const script = await mock.fetch('/__mock/reference/page.js');
    expect(script.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
    for (const name of ['package.json', '..%2Fpackage.json', 'constructor', 'swagger-ui.css.map'])
      expect((await mock.fetch(`/__mock/reference/${name}`)).status).toBe(404);
  });

  it.skipIf(!isInstalled)(`has files that the browser may keep, by their version${why}`, async () => {
    await using mock = await createMock({ spec: SPEC, control: { token: 'secret-token-123' } });
    const html = await (await mock.fetch('/__mock/reference')).text();
    const names = [...html.matchAll(/(?:src|href)="(reference\/[^"]+)"/gu)].map(([, name = '']) => name);
    expect(names).toHaveLength(3);
    for (const name of names.slice(0, 2)) {
      const { status, headers } = await mock.fetch(`/__mock/${name}`);
      expect([status, headers.get('cache-control')]).toEqual([200, 'private, max-age=31536000, immutable']);
    }
    expect((await mock.fetch('/__mock/reference/swagger-ui.css')).headers.get('cache-control')).toBe('no-store');
    // The document itself needs the token.
    expect((await mock.fetch('/__mock/openapi.json')).status).toBe(401);
  });

  it.skipIf(!isInstalled || !HAS_CHROMIUM)(`asks for the token, and sends requests to the mock${why}`, async () => {
    const browser = await openChromium();
    onTestFinished(() => browser.close());
    await using mock = await createMock({ spec: SPEC, control: { token: 'secret-token-123' }, prefix: '/front' });
    const { url } = await mock.listen();
    const page = await browser.newPage();
    const problems: string[] = [];
    page.on('pageerror', (error) => problems.push(error.message));
    page.on('console', (message) => {
      if (/content security policy/iu.test(message.text())) problems.push(message.text());
    });
    page.on('request', (request) => {
      if (!request.url().startsWith(url) && !request.url().startsWith('data:')) problems.push(request.url());
    });
    await page.goto(`${url}/__mock/`);
    await page.getByLabel('Control token').fill('secret-token-123');
    await page.getByRole('button', { name: 'Open' }).click();
    await page.getByRole('tab', { name: 'Contract' }).click();
    // The page has the token of the inspector.
    await page.getByRole('link', { name: 'Reference' }).click();
    await page.getByText('/items').first().waitFor();
    await page.evaluate('sessionStorage.clear()');
    await page.reload();
    await page.getByLabel('Control token').fill('secret-token-123');
    await page.getByRole('button', { name: 'Open' }).click();
    await page.getByText('/items').first().click();
    await page.getByRole('button', { name: 'Try it out' }).click();
    await page.getByRole('button', { name: 'Execute' }).click();
    await page.locator('.live-responses-table .response-col_description').getByText('one').first().waitFor();
    expect(mock.journal.calls('listItems').map(({ request, answer }) => [request.url, answer.status])).toEqual([
      ['/front/v1/items', 200],
    ]);
    expect(problems).toEqual([]);
  });
});
