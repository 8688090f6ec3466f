import { expect, it } from 'vitest';
import { createMock, loadContract } from '../../src/index.js';
import { withServer } from '../../src/server/control/contract.js';
import { arrayOf, json, TEXT, toDocument } from '../document-parts.js';

// Issue 16, part 4.

const SPEC = toDocument(
  { '/items': { get: { operationId: 'listItems', responses: { 200: json(arrayOf(TEXT)) } } } },
  undefined,
  {
    servers: [{ url: 'https://api.example.com/v1' }],
  },
);

it('the servers of a document become those of the mock, each operation with its base paths', async () => {
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
  const { get, put, ...rest } = (moved['paths'] as Record<string, Record<string, Record<string, unknown>>>)['/b'] ?? {};
  expect([get?.['servers'], put?.['servers'], rest]).toEqual([[{ url: `${root}/b` }], [{ url: root }], {}]);
  expect((moved['paths'] as Record<string, unknown>)['/a']).toEqual(
    (contract.document['paths'] as Record<string, unknown>)['/a'],
  );
});

it('the servers of a document are replaced where the query of openapi.json and openapi.yaml names a URL', async () => {
  await using mock = await createMock({ spec: SPEC, basePath: '/v9' });
  const query = '?server=http://localhost:1/x';
  const document = (await (await mock.fetch(`/__mock/openapi.json${query}`)).json()) as { readonly servers: unknown };
  expect(document.servers).toEqual([{ url: 'http://localhost:1/x/v9' }]);
  expect(await (await mock.fetch(`/__mock/openapi.yaml${query}`)).text()).toContain('url: http://localhost:1/x/v9\n');
  expect((await mock.fetch('/__mock/openapi.json?server=javascript:alert(1)')).status).toBe(400);
  expect(await (await mock.fetch('/__mock/openapi.json')).json()).toEqual(mock.contract.document);
});
