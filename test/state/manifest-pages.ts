import { isObject } from '../../src/base/json.js';
import type { Parameter } from '../../src/contract/operations/operation.js';
import { readPointer } from '../../src/contract/pointer.js';
import type { List, PageRules } from './manifest-format.js';

/** The answer to one request. */
export interface Reply {
  readonly status: number;
  readonly body: unknown;
  readonly headers: Headers;
}

/** The elements of all pages, and what is wrong with the pages. */
export interface Walk {
  readonly elements: readonly unknown[];
  readonly problems: readonly string[];
}

/** What a walk asks, and the declaration of the parameter that says which page it is. */
export interface Walker {
  ask(values: Readonly<Record<string, unknown>>): Promise<Reply>;
  readonly position: Parameter | undefined;
  readonly idPointer: string;
}

const MAX_PAGES = 60;

/** Reads all pages of a list; without `limit`, pages have the size that the server chooses. */
export async function walkPages(list: List, walker: Walker, limit: number | undefined): Promise<Walk> {
  const page: PageRules = list.page ?? { style: 'none' };
  const size = limit === undefined || page.limit === undefined ? {} : { [page.limit]: limit };
  const fixed = { ...size, ...page.totalQuery };
  const elements: unknown[] = [];
  const problems: string[] = [];
  const totals: unknown[] = [];
  let values: Readonly<Record<string, unknown>> = fixed;
  for (let number = 1; ; number++) {
    const reply = await walker.ask(values);
    const found = readElements(list, reply);
    if (typeof found === 'string') return { elements, problems: [...problems, `page ${number} ${found}`] };
    elements.push(...found);
    if (limit !== undefined && page.limit !== undefined && found.length > limit) {
      problems.push(`page ${number} has ${found.length} items where ${limit} were asked for: ${show(reply.body)}`);
      break;
    }
    // Without any of these, a client asks until a page is not full.
    const isAnnounced = page.next !== undefined || page.hasMore !== undefined || page.total !== undefined;
    if (number > 1 && found.length === 0 && isAnnounced)
      problems.push(`page ${number}, which page ${number - 1} announced, is empty`);
    if (page.total !== undefined) totals.push(readPointer(reply.body, page.total));
    const next = readNext(page, reply, { walker, number, list, elements, found: found.length, limit });
    if (next === undefined) break;
    if (number >= MAX_PAGES || found.length === 0) {
      problems.push(`the pages do not end after ${number}: ${show(reply.body)}`);
      break;
    }
    values = { ...fixed, ...next };
  }
  const wrong = totals.findIndex((each) => typeof each !== 'number' || each !== elements.length);
  if (wrong >= 0 && problems.length === 0) {
    problems.push(`${page.total} is ${show(totals[wrong])} where the pages have ${elements.length} items`);
  }
  return { elements, problems };
}

function readElements(list: List, reply: Reply): readonly unknown[] | string {
  if (reply.status !== 200) return `answers ${reply.status} ${show(reply.body)}`;
  const found = readPointer(reply.body, list.items);
  if (found === undefined && isObject(reply.body)) {
    // An empty list may be left out: `_embedded` of HAL.
    return [];
  }
  const values = Array.isArray(found) ? found : isObject(found) ? Object.values(found) : undefined;
  if (values === undefined) return `has no items at ${list.items}: ${show(reply.body)}`;
  return values.map((each) => readPointer(each, list.item));
}

interface Position {
  readonly walker: Walker;
  readonly number: number;
  readonly list: List;
  readonly elements: readonly unknown[];
  readonly found: number;
  readonly limit: number | undefined;
}

/** The parameters of the next page; undefined after the last one. */
function readNext(page: PageRules, reply: Reply, at: Position): Readonly<Record<string, unknown>> | undefined {
  if (page.style === 'none') return undefined;
  const next = page.next === undefined ? undefined : readPointer(reply.body, page.next);
  const more = page.hasMore === undefined ? undefined : readPointer(reply.body, page.hasMore);
  const cursor = page.cursor ?? page.style;
  if (page.style === 'header') {
    const url = /<([^>]+)>;[^,]*rel="?next"?/.exec(reply.headers.get('link') ?? '')?.[1];
    return url === undefined ? undefined : readQuery(url);
  }
  if (page.next !== undefined) {
    if (typeof next === 'string' && next !== '' && (page.style === 'link' || /^(https?:|\/)/.test(next)))
      return readQuery(next);
    return next === undefined || next === null || next === '' ? undefined : { [cursor]: next };
  }
  if (page.hasMore !== undefined && more !== true) return undefined;
  if (page.style === 'cursor' || page.style === 'token') {
    return { [cursor]: readPointer(at.elements.at(-1), at.walker.idPointer) };
  }
  const total = page.total === undefined ? undefined : Number(readPointer(reply.body, page.total));
  const isLast =
    page.hasMore === undefined &&
    (total === undefined
      ? at.limit === undefined || at.found < at.limit
      : at.elements.length >= total || at.found === 0);
  if (isLast) return undefined;
  const schema = at.walker.position?.schema;
  const declared = isObject(schema)
    ? ((schema as { readonly default?: unknown }).default ?? schema.minimum)
    : undefined;
  const first = typeof declared === 'number' ? declared : undefined;
  return { [cursor]: page.style === 'offset' ? (first ?? 0) + at.elements.length : (first ?? 1) + at.number };
}

function readQuery(url: string): Readonly<Record<string, unknown>> {
  return Object.fromEntries(new URL(url, 'http://sweep.test').searchParams);
}

/** A value as JSON, cut. */
export function show(value: unknown): string {
  return (JSON.stringify(value) ?? 'nothing').slice(0, 300);
}
