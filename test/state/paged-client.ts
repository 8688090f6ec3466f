import type { Mock } from '../../src/index.js';
import type { LookName } from './paged-document.js';

/** One thing. */
export interface Thing {
  readonly id: string;
  readonly name: string;
}

/** One page as a client sees it. */
export interface SeenPage {
  readonly items: readonly Thing[];
  readonly body: Readonly<Record<string, unknown>>;
  /** The path and query of the next page, as the page itself tells; undefined where it tells of none. */
  readonly next: string | undefined;
}

/** What a test does with things. */
export interface PagedClient {
  page(path: string): Promise<SeenPage>;
  create(name: string): Promise<Thing>;
  rename(id: string, name: string): Promise<number>;
  remove(id: string): Promise<number>;
  read(id: string): Promise<Response>;
  /** Every thing, page by page; `between` runs after each page. Fails where a walk does not end. */
  walk(path: string, between?: (seen: readonly Thing[]) => Promise<void>): Promise<readonly Thing[]>;
}

/** A client of a paged document: it follows what the pages say, and knows nothing else. */
export function createPagedClient(mock: Mock, look: LookName): PagedClient {
  const send = async (path: string, init?: RequestInit): Promise<Response> => mock.fetch(path, init);
  const json = (method: string, body: unknown): RequestInit => ({
    method,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const page = async (path: string): Promise<SeenPage> => {
    const response = await send(path);
    const text = await response.text();
    if (response.status !== 200) throw new Error(`${path} answers ${response.status}: ${text}`);
    const value = JSON.parse(text) as unknown;
    const body = (Array.isArray(value) ? { data: value } : value) as Readonly<Record<string, unknown>>;
    // The document says that these are things.
    const items = body['data'] as readonly Thing[];
    return { items, body, next: readNext(look, path, { body, items, link: response.headers.get('link') }) };
  };
  return {
    page,
    create: async (name: string): Promise<Thing> =>
      (await send('/things', json('POST', { name }))).json() as Promise<Thing>,
    rename: async (id: string, name: string): Promise<number> =>
      (await send(`/things/${id}`, json('PATCH', { name }))).status,
    remove: async (id: string): Promise<number> => (await send(`/things/${id}`, { method: 'DELETE' })).status,
    read: async (id: string): Promise<Response> => send(`/things/${id}`),
    walk: async (path, between = async () => undefined) => {
      const seen: Thing[] = [];
      let next: string | undefined = path;
      for (let pages = 0; next !== undefined; pages++) {
        if (pages > 200) throw new Error(`the walk of ${path} does not end`);
        const current: SeenPage = await page(next);
        seen.push(...current.items);
        next = current.next;
        await between(seen);
      }
      return seen;
    },
  };
}

function readNext(
  look: LookName,
  path: string,
  seen: {
    readonly body: Readonly<Record<string, unknown>>;
    readonly items: readonly Thing[];
    readonly link: string | null;
  },
): string | undefined {
  const { body, items, link } = seen;
  const last = items.at(-1)?.id;
  switch (look) {
    case 'cursor':
      return body['has_more'] === true && last !== undefined
        ? withQuery(path, 'after', String(body['last_id']))
        : undefined;
    case 'starting-after':
      return body['has_more'] === true && last !== undefined ? withQuery(path, 'starting_after', last) : undefined;
    case 'token':
      return typeof body['next_cursor'] === 'string' ? withQuery(path, 'cursor', body['next_cursor']) : undefined;
    case 'page':
      return Number(body['page']) < Number(body['total_pages'])
        ? withQuery(path, 'page', String(Number(body['page']) + 1))
        : undefined;
    case 'offset': {
      const end = Number(body['offset']) + items.length;
      return end < Number(body['total_count']) && items.length > 0 ? withQuery(path, 'offset', String(end)) : undefined;
    }
    case 'next URL':
      return typeof body['next'] === 'string' ? toPath(body['next']) : undefined;
    default: {
      // RFC 8288.
      const url = /<([^>]+)>;\s*rel="next"/.exec(link ?? '')?.[1];
      return url === undefined ? undefined : toPath(url);
    }
  }
}

function withQuery(path: string, name: string, value: string): string {
  const url = new URL(path, 'http://mock');
  url.searchParams.set(name, value);
  return toPath(url.href);
}

function toPath(url: string): string {
  const { pathname, search } = new URL(url);
  return pathname + search;
}
