import type { Idea } from '../../conventions/conventions.js';
import type { StoredItem } from '../store/lists/item-list.js';
import type { View } from './view.js';

/** The name of a pagination style. */
export type PageStyleName = 'cursor' | 'none' | 'offset' | 'page' | 'range' | 'starting-after' | 'token';

/** The role of a parameter in pagination. */
export type PageRole = 'after' | 'before' | 'limit' | 'offset' | 'page' | 'range' | 'token';

/** The facts about all pages of a list that follow from its parameters. */
export interface PageFacts {
  /** The number of the first page: 1, or 0. */
  readonly firstPage: number;
  /** The offset of the first item: 0, or 1. */
  readonly firstOffset: number;
  /** Whether the schema of the cursor parameter allows a value. */
  fits(value: string): boolean;
  /** The meaning of a number in the cursor, by the name of its parameter: undefined where numbers are cursors. */
  readonly numbers?: 'offset' | 'page' | undefined;
  /** Whether every request has a cursor, so that the first one has one that no list was answered with. */
  readonly isAlwaysGiven?: boolean;
}

/** One request for a page. */
export interface PageRequest {
  readonly plan: PageFacts;
  readonly view: View;
  /** The maximum number of items. */
  readonly limit: number;
  /** The value of a query parameter; undefined where it is not given. */
  value(role: PageRole): unknown;
  /** The entry of an id, also of a removed item. */
  recall(id: string): StoredItem | undefined;
}

/** One page: its range in the view, and the parameters of the next and the previous page. */
export interface Page {
  readonly from: number;
  readonly to: number;
  /** Whether there are more items in the requested direction. */
  readonly more: boolean;
  /** Undefined where there is no next page. */
  readonly next: PageTurn | undefined;
  readonly previous: PageTurn | undefined;
  /** Undefined where no parameter leads to it. */
  readonly last: PageTurn | undefined;
  /** The number that the request names. */
  readonly number?: number;
  /** The unit of a range that the request names; empty where it names none. */
  readonly unit?: string | undefined;
}

/** The query parameter of the request for another page. */
export interface PageTurn {
  readonly role: PageRole;
  readonly value: string | number;
}

/** A cursor that is not valid. */
export interface PageMistake {
  readonly role: PageRole;
  readonly value: string;
}

/** One pagination style: its parameters, and how it cuts a page. */
export interface PageStyle {
  readonly name: PageStyleName;
  /** The roles of its query parameters, with the names that they have. */
  readonly parameters: Readonly<Partial<Record<PageRole, Idea>>>;
  /** The roles that the style is recognised by. */
  readonly signs: readonly PageRole[];
  cut(request: PageRequest): Page | PageMistake;
}

/** All styles, in the order in which they are recognised. */
export const PAGE_STYLES: readonly PageStyle[] = [
  {
    name: 'starting-after',
    parameters: { after: 'queries.startingAfter', before: 'queries.endingBefore', limit: 'queries.limit' },
    signs: ['after', 'before'],
    cut: cutByNeighbour,
  },
  {
    name: 'cursor',
    parameters: { after: 'queries.after', before: 'queries.before', limit: 'queries.limit' },
    signs: ['after', 'before'],
    cut: cutByNeighbour,
  },
  {
    name: 'token',
    parameters: {
      token: 'queries.token',
      offset: 'queries.offset',
      limit: 'queries.limit',
    },
    signs: ['token'],
    cut: cutByToken,
  },
  {
    name: 'page',
    parameters: { page: 'queries.page', limit: 'queries.limit' },
    signs: ['page'],
    cut: cutByNumber,
  },
  {
    name: 'offset',
    parameters: { offset: 'queries.offset', limit: 'queries.limit' },
    signs: ['offset'],
    cut: cutByOffset,
  },
  {
    name: 'range',
    parameters: { range: 'queries.range', limit: 'queries.limit' },
    signs: ['range'],
    cut: cutByRange,
  },
  {
    name: 'none',
    parameters: { limit: 'queries.limit' },
    signs: [],
    cut: (request) => cutFrom(request),
  },
];

/** Whether the cursor of a request is not valid. */
export function isPageMistake(page: Page | PageMistake): page is PageMistake {
  return 'role' in page;
}

/** The items after or before one that the client already has. */
function cutByNeighbour({ view, limit, value, recall }: PageRequest): Page | PageMistake {
  const after = readId(value('after'));
  const before = readId(value('before'));
  const start = after === undefined ? undefined : recall(after);
  const end = before === undefined ? undefined : recall(before);
  if (after !== undefined && start === undefined) return { role: 'after', value: after };
  if (before !== undefined && end === undefined) return { role: 'before', value: before };
  const size = view.size;
  const low = start === undefined ? 0 : view.after(start);
  const high = end === undefined ? size : Math.max(low, view.before(end));
  // Backwards: the last items of the range, in the order of the list.
  const backwards = end !== undefined && start === undefined;
  const from = backwards ? Math.max(low, high - limit) : low;
  const to = backwards ? high : Math.min(high, low + limit);
  const last = to > from && to < size ? view.at(to - 1) : undefined;
  const first = to > from && from > 0 ? view.at(from) : undefined;
  return {
    from,
    to,
    more: backwards ? from > 0 : to < size,
    next: last && { role: 'after', value: last.id },
    previous: first && { role: 'before', value: first.id },
    last: undefined,
  };
}

/** The page at an index, without the parameters of others: all that there is where the contract declares none for the rest. */
function cutFrom({ view: { size }, limit }: PageRequest, index = 0): Page {
  const from = Math.min(size, index);
  const to = Math.min(size, from + limit);
  return { from, to, more: to < size, next: undefined, previous: undefined, last: undefined };
}

/** A token of the last item of the previous page: opaque where its schema allows that, else the id of the item, else its position. */
function cutByToken(request: PageRequest): Page | PageMistake {
  const { view, limit, value, recall } = request;
  const { fits, numbers, firstPage, isAlwaysGiven } = request.plan;
  const token = readId(value('token'));
  let from = 0;
  if (token !== undefined) {
    const entry = recall(readToken(token) ?? token);
    const isPosition = entry === undefined && /^\d+$/.test(token) && (numbers !== undefined || !fits(toToken('')));
    if (entry === undefined && !isPosition && !isAlwaysGiven) return { role: 'token', value: token };
    if (isPosition && numbers === 'page') from = Math.max(0, Number(token) - firstPage) * limit;
    else if (isPosition) from = Number(token);
    if (entry !== undefined) from = view.after(entry);
  } else if (value('offset') !== undefined) {
    // Some services accept both a token and an offset.
    return cutByOffset(request);
  }
  const page = cutFrom(request, from);
  const last = page.more ? view.at(page.to - 1) : undefined;
  const next = last && ([toToken(last.id), last.id, String(page.to)].find(fits) ?? toToken(last.id));
  return { ...page, next: next === undefined ? undefined : { role: 'token', value: next } };
}

function toToken(after: string): string {
  return Buffer.from(JSON.stringify({ after })).toString('base64url');
}

function cutByNumber(request: PageRequest): Page {
  const { limit, value, view } = request;
  const { firstPage } = request.plan;
  // Without a limit, all items are on the first page.
  const given = Number.isFinite(limit) ? readNumber(value('page'), firstPage) : firstPage;
  const number = Math.max(firstPage, Math.floor(given));
  const index = number - firstPage;
  const page = cutFrom(request, index === 0 ? 0 : index * limit);
  const turn = (to: number): PageTurn => ({ role: 'page', value: to });
  return {
    ...page,
    number,
    next: page.more ? turn(number + 1) : undefined,
    previous: index > 0 ? turn(number - 1) : undefined,
    last: turn(firstPage + Math.max(0, countPages(view.size, limit) - 1)),
  };
}

function cutByOffset(request: PageRequest): Page {
  const { limit, value, view } = request;
  const { firstOffset } = request.plan;
  const page = cutFrom(request, Math.max(0, Math.floor(readNumber(value('offset'), firstOffset)) - firstOffset));
  const turn = (index: number): PageTurn => ({ role: 'offset', value: Math.max(0, index) + firstOffset });
  return {
    ...page,
    next: limit > 0 && page.more ? turn(page.to) : undefined,
    previous: limit > 0 && page.from > 0 ? turn(page.from - limit) : undefined,
    last: turn(Number.isFinite(limit) ? (countPages(view.size, limit) - 1) * limit : 0),
  };
}

/** The number of pages with some items. */
export function countPages(total: number, limit: number): number {
  return Number.isFinite(limit) ? Math.ceil(total / Math.max(1, limit)) : Math.min(1, total);
}

/** The items of a range (RFC 9110 14.2): `items=0-9`, or `0-9`; a range that cannot be read is ignored. */
function cutByRange(request: PageRequest): Page | PageMistake {
  const { view, value } = request;
  const size = view.size;
  const given = value('range');
  const [, unit = '', first, last] = /^\s*(?:([\w-]+)=)?(\d+)-(\d*)\s*$/.exec(String(given)) ?? [];
  if (first === undefined) return cutFrom(request);
  const from = Number(first);
  if (from > 0 && from >= size) return { role: 'range', value: String(given) };
  const limit = last === undefined || last === '' ? Infinity : Math.max(0, Number(last) + 1 - from);
  return { ...cutFrom({ ...request, limit }, from), unit };
}

/** The id in a parameter; an empty one asks for the first page. */
function readId(value: unknown): string | undefined {
  return (typeof value === 'string' && value !== '') || typeof value === 'number' ? String(value) : undefined;
}

function readNumber(value: unknown, otherwise: number): number {
  const number = typeof value === 'number' || typeof value === 'string' ? Number(value) : Number.NaN;
  return Number.isFinite(number) ? number : otherwise;
}

function readToken(token: string): string | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(token, 'base64url').toString('utf8'));
    return typeof value === 'object' && value !== null && 'after' in value ? String(value.after) : undefined;
  } catch {
    // Not a token of this list; the caller reports it.
    return undefined;
  }
}
