// Lists that keep their document in a way that one could take for a fault, and the same lists with the fault.
import { expect, it } from 'vitest';
import { finds, inPath, query, REMOVED, shows, takes, toDocument } from '../operation-parts.js';
import { arrayOf, INTEGER, object, TEXT } from '../schema-parts.js';
import { verifyAnswers } from './verify-in-test.js';

const BOAT = object({ id: TEXT }, 'id');
const PAGE = object({ items: arrayOf(BOAT), total: INTEGER }, 'items', 'total');
const COUNT = 45;

/** How a service pages: its first page, and the sizes that it takes. */
interface Paging {
  readonly parameters: readonly object[];
  readonly first?: number;
  readonly least?: number;
  /** Larger pages are cut, as few documents say. */
  readonly most?: number;
  readonly total?: number;
}

const number = (name: string, more: object = {}): object => query(name, { type: 'integer', ...more });

/** Verifies a service with boats. @returns the findings, and what was learned. */
async function verify({ parameters, first = 1, least = 1, most = 100, total = COUNT }: Paging): Promise<object> {
  const paths = {
    '/boats': {
      get: { operationId: 'listBoats', parameters, ...shows(PAGE) },
      post: { operationId: 'addBoat', ...takes(object({ name: TEXT }), BOAT, 201) },
    },
    '/boats/{id}': {
      ...inPath('id'),
      get: { operationId: 'getBoat', ...finds(BOAT) },
      delete: { operationId: 'removeBoat', ...REMOVED },
    },
  };
  const boats = Array.from({ length: COUNT }, (_, i) => ({ id: `boat-${i}` }));
  const answer = (method: string, url: URL): readonly [status: number, body?: unknown] => {
    const id = /^\/boats\/(.+)$/.exec(url.pathname)?.[1];
    const at = boats.findIndex((boat) => boat.id === id);
    if (id !== undefined && at === -1) return [404];
    if (method === 'DELETE') return [204, void boats.splice(at, 1)];
    if (id !== undefined) return [200, boats[at]];
    if (method === 'POST') return [201, boats[boats.push({ id: `boat-${Date.now()}-${boats.length}` }) - 1]];
    const [limit, page] = [Number(url.searchParams.get('limit') ?? 20), Number(url.searchParams.get('page') ?? first)];
    if (!Number.isInteger(limit) || limit < least || !Number.isInteger(page) || page < first) return [400];
    const size = Math.min(limit, most);
    const start = (page - first) * size;
    return [200, { items: boats.slice(start, start + size), total: boats.length + total - COUNT }];
  };
  const { findings, learned } = await verifyAnswers(
    toDocument(paths),
    (request, response) => {
      const [status, body] = answer(request.method ?? 'GET', new URL(request.url ?? '/', 'http://boats'));
      response.writeHead(status, body === undefined ? {} : { 'content-type': 'application/json' });
      response.end(body === undefined ? undefined : JSON.stringify(body));
    },
    { includes: ({ id }) => parameters.length > 1 || id !== 'addBoat' },
  );
  const texts = learned.map(({ message }) => message).filter((message) => message.includes('page'));
  return { findings: findings.map(({ code, message }) => `${code} ${message}`), learned: texts };
}

const LIMIT = number('limit', { minimum: 1 });
const NONE = { findings: [], learned: [] };

it.each<readonly [what: string, paging: Paging, found: object]>([
  ['whose pages have a fixed size', { parameters: [number('page', { minimum: 1 })] }, NONE],
  ['that shows its first items only', { parameters: [] }, NONE],
  ['whose first page is 0', { parameters: [LIMIT, number('page', { minimum: 0 })], first: 0 }, NONE],
  [
    'whose pages have a least size',
    { parameters: [number('limit', { minimum: 10 }), number('page', { minimum: 1 })], least: 10 },
    NONE,
  ],
  [
    'whose pages are smaller than a large limit, and the last one has what was created',
    { parameters: [LIMIT, number('page', { minimum: 1 })], most: 20 },
    NONE,
  ],
  [
    'whose total is that of another list',
    { parameters: [LIMIT, number('page', { minimum: 1 })], total: COUNT + 1 },
    { findings: ['TOTAL_WRONG the total is 46, and the list has 45 items'], learned: [] },
  ],
  [
    'that shows more items than its total',
    { parameters: [], total: 3 },
    { findings: ['TOTAL_WRONG the total is 3, and the list has 20 items'], learned: [] },
  ],
])('a list %s', async (_, paging, found) => {
  expect(await verify(paging)).toEqual(found);
});
