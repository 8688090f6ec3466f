import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createVirtualClock } from '../../src/index.js';
import { AUTHORIZED, describeAll, jsonInit, openBuiltIn, type Reach } from '../describe-both.js';

const KEYS = '/organization/admin_api_keys';

interface Key {
  readonly id: string;
  readonly name: string;
  readonly value?: string;
  readonly created_at: number;
}

interface Page {
  readonly data: readonly Key[];
  readonly has_more: boolean;
  readonly first_id: string | null;
  readonly last_id: string | null;
}

// Responses are validated against the contract before they are sent, so they have the declared shape.
async function readPage(response: Response): Promise<Page> {
  expect(response.status).toBe(200);
  const page = (await response.json()) as Page;
  expect(page.first_id).toBe(page.data[0]?.id ?? null);
  expect(page.last_id).toBe(page.data.at(-1)?.id ?? null);
  return page;
}

async function listPage({ send }: Pick<Reach, 'send'>, query = ''): Promise<Page> {
  return readPage(await send(`${KEYS}${query}`, { headers: AUTHORIZED }));
}

async function createKey({ send }: Pick<Reach, 'send'>, name: string): Promise<Key> {
  const response = await send(KEYS, jsonInit('POST', { name }));
  expect(response.status).toBe(200);
  return (await response.json()) as Key;
}

/** All pages of a list. */
async function walk(reach: Pick<Reach, 'send'>, query: Readonly<Record<string, string>>): Promise<readonly Page[]> {
  const pages: Page[] = [];
  for (let after: string | null = query['after'] ?? null; ;) {
    const search = new URLSearchParams({ ...query, ...(after === null ? {} : { after }) });
    const page = await listPage(reach, `?${search.toString()}`);
    pages.push(page);
    if (!page.has_more) return pages;
    expect(page.data.length).toBeGreaterThan(0);
    after = page.last_id;
  }
}

describeAll('the keys', (start) => {
  it('come in the order of the fixtures, the first one with its secret', async () => {
    const reach = await start();
    const { data, has_more: hasMore } = await listPage(reach);
    expect(data.map((key) => key.name)).toEqual([
      'Main Admin Key',
      'Deployment',
      'Nightly report',
      'Schlüssel für Zürich',
      'Audit export',
      'Billing',
      'Break glass',
    ]);
    expect(hasMore).toBe(false);
    expect(data.map((key) => key.value !== undefined)).toEqual([true, false, false, false, false, false, false]);
  });

  it('shows a created key last, in seconds of the clock', async () => {
    const clock = createVirtualClock('2030-05-06T07:08:09Z');
    const reach = await start({ clock });
    const created = await createKey(reach, 'New');
    expect(created.created_at).toBe(Date.UTC(2030, 4, 6, 7, 8, 9) / 1000);
    expect((await listPage(reach)).data.at(-1)?.id).toBe(created.id);
    expect((await listPage(reach, '?order=desc&limit=1')).data[0]?.id).toBe(created.id);
  });

  it('are all kept when they are created concurrently, each with its own id and secret', async () => {
    const reach = await start();
    const created = await Promise.all(Array.from({ length: 50 }, (_, i) => createKey(reach, `Key ${i}`)));
    expect(new Set(created.map((key) => key.id)).size).toBe(50);
    expect(new Set(created.map((key) => key.value)).size).toBe(50);
    const listed = await listPage(reach, '?limit=100');
    expect(listed.data).toHaveLength(57);
    expect(new Set(listed.data.slice(7).map((key) => key.id))).toEqual(new Set(created.map((key) => key.id)));
  });
});

describeAll('the files of a vector store', (start) => {
  const remove = (reach: Reach, store: string, file: string): Promise<Response> =>
    reach.send(`/vector_stores/${store}/files/${file}`, { method: 'DELETE', headers: AUTHORIZED });

  it.each([
    ['an unknown store', 'vs_unknown', 'file-handbook'],
    ['an unknown file', 'vs_product_docs', 'file-unknown'],
    ['a file that exists but is not in the store', 'vs_empty', 'file-handbook'],
  ])('are answered 404 for %s', async (_, store, file) => {
    const reach = await start();
    expect((await remove(reach, store, file)).status).toBe(404);
  });
});

describeAll('the content of a file', (start) => {
  const content = (reach: Reach, id: string, accept: string): Promise<Response> =>
    reach.send(`/files/${id}/content`, { headers: { ...AUTHORIZED, accept } });

  it('is a quoted JSON string for a client that accepts JSON', async () => {
    const reach = await start();
    for (const accept of ['application/json', '*/*', 'application/*']) {
      const response = await content(reach, 'file-cities', accept);
      expect(response.headers.get('content-type')).toBe('application/json');
      expect(await response.text()).toBe(JSON.stringify('Zürich, 東京, Ελλάδα, Київ, القاهرة, 🗝️\n'));
    }
  });

  it.each(['application/binary', 'application/octet-stream', 'text/plain'])('is raw for %s', async (accept) => {
    const reach = await start();
    const response = await content(reach, 'file-cities', accept);
    expect(response.headers.get('content-type')).toContain(accept);
    expect(await response.text()).toBe('Zürich, 東京, Ελλάδα, Київ, القاهرة, 🗝️\n');
  });

  it('exists although it is empty', async () => {
    const reach = await start();
    expect(await (await content(reach, 'file-empty', 'application/json')).text()).toBe('""');
    const raw = await content(reach, 'file-empty', 'application/octet-stream');
    expect(raw.status).toBe(200);
    expect((await raw.arrayBuffer()).byteLength).toBe(0);
  });
});

it('any keys are listed exactly once with any limit in any order, also when keys are created between pages', async () => {
  const item = (i: number): Record<string, unknown> => ({
    object: 'organization.admin_api_key',
    id: `key_${String(i).padStart(24, '0')}`,
    name: `Key ${i}`,
    redacted_value: 'sk-admin-...0000',
    created_at: 1_700_000_000 + i,
    owner: { type: 'service_account', id: 'sa_1', name: 'Owner', created_at: 1_700_000_000, role: 'member' },
  });
  await using mock = await openBuiltIn();
  const reach = { send: (path: string, init?: RequestInit) => mock.fetch(`/v1${path}`, init) };
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 0, max: 40 }),
      fc.integer({ min: 1, max: 50 }),
      fc.constantFrom('asc', 'desc'),
      fc.integer({ min: 0, max: 3 }),
      async (count, limit, order, created) => {
        mock.reset();
        mock.state.collection('admin_api_keys').replace(Array.from({ length: count }, (_, i) => item(i)));
        const first = await listPage(reach, `?limit=${limit}&order=${order}`);
        for (let i = 0; i < created; i++) await createKey(reach, `Late ${i}`);
        const rest = first.has_more
          ? await walk(reach, { limit: String(limit), order, after: first.last_id ?? '' })
          : [];
        const ids = [first, ...rest].flatMap((page) => page.data.map((key) => key.id));
        expect(new Set(ids).size).toBe(ids.length);
        const expected = Array.from({ length: count }, (_, i) => item(i)['id']);
        expect(ids.filter((id) => expected.includes(id))).toEqual(order === 'asc' ? expected : expected.toReversed());
      },
    ),
    { numRuns: 40 },
  );
});
