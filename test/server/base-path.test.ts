import { expect, it } from 'vitest';
import { createMock, loadContract, type MockOptions } from '../../src/index.js';
import { json, toDocument } from '../document-parts.js';

// Issue 16, part 4.
const SPEC = toDocument(
  {
    '/items': {
      post: { responses: { 201: json({ type: 'object' }) } },
      get: { responses: { 200: json({ type: 'array' }) } },
    },
  },
  undefined,
  { servers: [{ url: 'https://api.example.com/v1' }] },
);

async function readStatuses(options: Partial<MockOptions>, paths: readonly string[]): Promise<readonly number[]> {
  await using mock = await createMock({ spec: SPEC, ...options });
  const { url } = await mock.listen();
  return await Promise.all(paths.map(async (path) => (await fetch(url + path)).status));
}

const paths = ['/v1/items', '/items', '/api/v2/items', '/front/v1/items', '/front/items', '/front/api/v2/items'];

it.each<readonly [name: string, options: Partial<MockOptions>, want: readonly number[]]>([
  ['is that of the servers, or none', {}, [200, 200, 404, 404, 404, 404]],
  ['is the one of the option', { basePath: '/api/v2' }, [404, 404, 200, 404, 404, 404]],
  ['may end with a slash', { basePath: '/api/v2/' }, [404, 404, 200, 404, 404, 404]],
  ['is the root', { basePath: '/' }, [404, 200, 404, 404, 404, 404]],
  ['has a prefix', { prefix: '/front' }, [404, 404, 404, 200, 200, 404]],
  ['of the option has a prefix', { basePath: '/api/v2', prefix: '/front' }, [404, 404, 404, 404, 404, 200]],
])('the base path: %s', async (_, options, want) => {
  expect(await readStatuses(options, paths)).toEqual(want);
});

it('the base path is part of the address that listen returns', async () => {
  await using mock = await createMock({ spec: SPEC, basePath: '/api', prefix: '/front' });
  const { url, baseUrl } = await mock.listen();
  expect(baseUrl).toBe(`${url}/front/api`);
  expect((await fetch(`${baseUrl}/items`)).status).toBe(200);
  expect((await fetch(`${url}/~one/front/api/items`)).status).toBe(200);
});

it('the base path belongs to a contract that is loaded once', async () => {
  const contract = await loadContract(SPEC, { basePath: '/api' });
  await using mock = await createMock({ spec: contract });
  expect((await mock.fetch('/api/items')).status).toBe(200);
  await expect(createMock({ spec: contract, basePath: '/b' })).rejects.toThrow(
    'the option "basePath" cannot change a loaded contract',
  );
});

it.each(['api', '/{version}', '/a?b', '/a//b', 'https://example.com/v1'])(
  'the base path cannot be %s',
  async (basePath) => {
    await expect(createMock({ spec: SPEC, basePath })).rejects.toThrow(/the option "basePath" cannot be/);
  },
);
