// @module-tag slow
// What promoted recordings of a small server answer: to the recorded requests, and to others.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { arrayOf, BOOLEAN, inPath, json, object, ref, TEXT, toDocument } from '../document-parts.js';
import { type Ask, describeDifferences, openTwin, type Promoted, recordAndPromote } from './promoted.js';
import type { Intercept, SeenRequest } from './upstream.js';

type Item = Readonly<Record<string, unknown>>;

const error = json(object({ message: TEXT }));
const takes = (schema: object): object => ({ requestBody: { content: { 'application/json': { schema } } } });
const name = object({ name: TEXT }, 'name');
const DOCUMENT = toDocument(
  {
    '/volumes': { get: { responses: { 200: json(object({ volumes: arrayOf(ref('Volume')) })) } } },
    '/volumes/create': {
      post: { ...takes(object({ name: TEXT, labels: { type: 'object' } })), responses: { 201: json(ref('Volume')) } },
    },
    '/volumes/{name}': {
      ...inPath('name'),
      get: { responses: { 200: json(ref('Volume')), 404: error } },
      delete: { responses: { 204: { description: 'gone' }, 404: error } },
    },
    '/networks': { get: { responses: { 200: json(arrayOf(ref('Network'))) } } },
    '/networks/create': { post: { ...takes(name), responses: { 201: json(object({ id: TEXT, warning: TEXT })) } } },
    '/networks/{key}': {
      ...inPath('key'),
      get: { responses: { 200: json(ref('Network')), 404: error } },
      delete: { responses: { 204: { description: 'gone' }, 404: error } },
    },
    '/folders': {
      get: { responses: { 200: json(arrayOf(ref('Folder'))) } },
      post: { ...takes(ref('Folder')), responses: { 200: { description: 'done' } } },
    },
    '/folders/{id}': { ...inPath('id'), get: { responses: { 200: json(ref('Folder')), 404: error } } },
  },
  {
    // The server never sends `status`, sends null for labels, and sends `owner`.
    Volume: object({ name: TEXT, status: TEXT, labels: { type: 'object' }, mount: TEXT }, 'name', 'status', 'labels'),
    Network: object({ id: TEXT, name: TEXT, driver: TEXT, created: { type: 'string', format: 'date-time' } }),
    Folder: object({ id: TEXT, order: TEXT, paused: BOOLEAN }, 'id'),
  },
  {
    security: [{ key: [] }],
    servers: [{ url: '/v1' }],
  },
);
const SECURED = {
  ...DOCUMENT,
  components: {
    ...(DOCUMENT['components'] as object),
    securitySchemes: { key: { type: 'http', scheme: 'bearer' } },
  },
};

/** A server of volumes that clients name, networks with an id and a name, and folders whose creates are answered without a body. */
function createServer(): Intercept {
  const all = { volumes: new Map<string, Item>(), networks: new Map<string, Item>(), folders: new Map<string, Item>() };
  let count = 0;
  const answer = ({ method, url, body, headers }: SeenRequest): readonly [number, unknown?] => {
    if (headers.authorization === undefined) return [403, 'no key'];
    const [, , of = '', key = ''] = url.split('/');
    const items = all[of as keyof typeof all];
    if (method === 'POST') {
      const sent = JSON.parse(body.toString()) as Item;
      if (of === 'volumes') {
        const made = {
          name: sent['name'],
          labels: sent['labels'] ?? null,
          mount: `/data/${(count += 1)}`,
          owner: 'root',
        };
        items.set(String(sent['name']), made);
        return [201, made];
      }
      const id = of === 'networks' ? `${(count += 1)}f3a9c27b1e` : String(sent['id']);
      const made = of === 'networks' ? { driver: `bridge${count}`, created: new Date().toISOString() } : { order: 'a' };
      items.set(id, { id, ...sent, ...made });
      return of === 'networks' ? [201, { id, warning: '' }] : [200];
    }
    const [id, found] = [...items].find(([own, item]) => own === key || item['name'] === key) ?? [key];
    if (method === 'DELETE') items.delete(id);
    if (method === 'DELETE') return [204];
    if (key !== '') return found === undefined ? [404, { message: `no ${key}` }] : [200, found];
    return [200, of === 'volumes' ? { volumes: [...items.values()] } : [...items.values()]];
  };
  return (request, response) => {
    const [status, body] = answer(request);
    const type = typeof body === 'string' ? 'text/plain' : 'application/json';
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    response.writeHead(status, body === undefined ? {} : { 'content-type': type }).end(text);
    return true;
  };
}

const promote = (act: (ask: Ask) => Promise<unknown>): Promise<Promoted> =>
  recordAndPromote(act, { document: SECURED, intercept: createServer() });
const post = (ask: Ask, path: string, body: object): Promise<Response> =>
  ask(path, { method: 'POST', body: JSON.stringify(body) });

it('items with members that the document requires, does not declare or does not allow are kept, and are what the mock shows', async () => {
  const outcome = await promote(async (ask) => {
    await ask('/v1/volumes');
    await post(ask, '/v1/volumes/create', { name: 'data', labels: { tier: 'a' } });
    await post(ask, '/v1/volumes/create', { name: 'cache' });
    await ask('/v1/volumes/cache');
    await ask('/v1/volumes');
  });
  expect(outcome.skipped).toEqual([]);
  expect(outcome.drift.map((line) => line.replace(/^.*?: /, '')).toSorted()).toEqual([
    'also allow the type "null"',
    'declare "owner", which the service sends',
    'remove "status" from "required"',
  ]);
  expect(describeDifferences(outcome)).toEqual([]);
  expect(outcome.answers.map(({ verdict }) => verdict)).toEqual(Array.from({ length: 5 }, () => 'right'));

  const twin = await openTwin(outcome);
  expect(await (await twin('/v1/volumes')).json()).toEqual({ volumes: [] });
  const created = await post(twin, '/v1/volumes/create', { name: 'other' });
  expect([created.status, await created.json()]).toEqual([
    201,
    expect.objectContaining({ name: 'other', labels: null }),
  ]);
  expect((await twin('/v1/volumes/other')).status).toBe(200);
  expect((await twin('/v1/volumes/none')).status).toBe(404);
});

it('an item whose create is answered with its id is read as it was recorded, by either key, and another one has an id of its own', async () => {
  const ids: string[] = [];
  const outcome = await promote(async (ask) => {
    await ask('/v1/networks');
    const { id } = (await (await post(ask, '/v1/networks/create', { name: 'front' })).json()) as {
      readonly id: string;
    };
    ids.push(id);
    await ask(`/v1/networks/${id}`);
    await ask('/v1/networks/front');
    await ask('/v1/networks');
    await ask('/v1/networks/front', { method: 'DELETE' });
    await ask(`/v1/networks/${id}`);
    await ask('/v1/networks');
  });
  expect(describeDifferences(outcome)).toEqual([]);
  expect(JSON.parse(readFileSync(join(outcome.into, 'networks.json'), 'utf8'))).toMatchObject({ items: [] });

  const twin = await openTwin(outcome);
  const again = async (): Promise<unknown> => (await post(twin, '/v1/networks/create', { name: 'front' })).json();
  expect(await again()).toEqual({ id: ids[0], warning: '' });
  expect(await (await twin('/v1/networks/front')).json()).toMatchObject({ id: ids[0], driver: 'bridge1' });
  // The id is used.
  expect(await again()).not.toMatchObject({ id: ids[0] });
  const { id } = (await (await post(twin, '/v1/networks/create', { name: 'back' })).json()) as { readonly id: string };
  expect(await (await twin('/v1/networks/back')).json()).toMatchObject({ id, name: 'back' });
  const { created } = (await (await twin('/v1/networks/front')).json()) as { readonly created: string };
  expect(Date.parse(created)).toBeGreaterThan(Date.parse('2020-01-01'));
});

it('an item whose create is answered without a body did not exist before', async () => {
  const outcome = await promote(async (ask) => {
    await ask('/v1/folders');
    await post(ask, '/v1/folders', { id: 'docs', paused: true });
    await ask('/v1/folders/docs');
    await post(ask, '/v1/folders', { id: 'music' });
    await ask('/v1/folders');
  });
  expect(describeDifferences(outcome)).toEqual([]);
  const twin = await openTwin(outcome);
  expect(await (await twin('/v1/folders')).json()).toEqual([]);
  await post(twin, '/v1/folders', { id: 'docs', paused: false });
  expect(await (await twin('/v1/folders/docs')).json()).toMatchObject({ id: 'docs', paused: false, order: 'a' });
});

it('a refusal keeps its status and its text, and what the service accepts twice is accepted twice', async () => {
  const outcome = await promote(async (ask) => {
    await post(ask, '/v1/volumes/create', { name: 'data' });
    for (let i = 0; i < 2; i++) await ask('/v1/volumes/data', { method: 'DELETE' });
    await ask('/v1/volumes/data');
    await ask('/v1/volumes', { headers: { authorization: '' } });
  });
  expect(describeDifferences(outcome)).toEqual([]);
  const twin = await openTwin(outcome);
  const refused = await twin('/v1/networks', { headers: { authorization: '' } });
  expect([refused.status, refused.headers.get('content-type'), await refused.text()]).toEqual([
    403,
    expect.stringContaining('text/plain'),
    'no key',
  ]);
  await post(twin, '/v1/volumes/create', { name: 'data' });
  const statuses: number[] = [];
  for (let i = 0; i < 2; i++) statuses.push((await twin('/v1/volumes/data', { method: 'DELETE' })).status);
  expect(statuses).toEqual([204, 204]);
  expect((await twin('/v1/volumes/none', { method: 'DELETE' })).status).toBe(404);
});

it('a property that ends with an id of the server ends with another one in each new item', async () => {
  const Parcel = object({ id: TEXT, name: TEXT, label: TEXT, depot: TEXT });
  const document = toDocument(
    {
      '/parcels': { post: { ...takes(name), responses: { 201: json(Parcel) } } },
      '/parcels/{id}': { ...inPath('id'), get: { responses: { 200: json(Parcel), 404: error } } },
    },
    {},
    { servers: [{ url: '/v1' }] },
  );
  const made = new Map<string, Item>();
  const outcome = await recordAndPromote(
    async (ask) => {
      for (const each of ['one', 'two']) await post(ask, '/v1/parcels', { name: each });
      await ask('/v1/parcels/p-1');
    },
    {
      document,
      intercept: ({ method, url, body }, response) => {
        const digits = createHash('md5').update(body).digest('hex');
        const item = {
          id: `p-${made.size + 1}`,
          ...(method === 'POST' && (JSON.parse(body.toString()) as object)),
          label: `https://labels.example/${digits}`,
          depot: 'a0a1a2a3a4a5a6a7a8a9',
        };
        if (method === 'POST') made.set(item.id, item);
        const shown = method === 'POST' ? item : made.get(url.split('/').at(-1) ?? '');
        response.writeHead(method === 'POST' ? 201 : 200, { 'content-type': 'application/json' });
        response.end(JSON.stringify(shown));
        return true;
      },
    },
  );
  const twin = await openTwin(outcome);
  const create = async (each: string): Promise<Item> =>
    (await (await post(twin, '/v1/parcels', { name: each })).json()) as Item;
  const [one, other] = [await create('three'), await create('four')];
  for (const { label } of [one, other]) expect(label).toMatch(/^https:\/\/labels\.example\/[0-9a-f]{32}$/);
  expect(other['label']).not.toBe(one['label']);
  // What is the same in all items is no new id.
  expect([one['depot'], other['depot']]).toEqual(['a0a1a2a3a4a5a6a7a8a9', 'a0a1a2a3a4a5a6a7a8a9']);
});
