import type { Entry } from '../store/collection.js';
import type { View } from './view.js';

/** The name of a way to ask for one page of a list. */
export type PageStyleName = 'cursor' | 'none' | 'offset' | 'page' | 'starting-after' | 'token';

/** What a query parameter says about the page that is wanted. */
export type PageRole = 'after' | 'before' | 'limit' | 'offset' | 'page' | 'token';

/** One request for a page. */
interface PageRequest {
  readonly view: View;
  /** The most items the page may have. */
  readonly limit: number;
  /** What was asked for, by role; what was not asked for is undefined. */
  value(role: PageRole): unknown;
  /** The entry of an id, also of a removed one. */
  recall(id: string): Entry | undefined;
}

/** One page: which part of the view, and how its neighbours are asked for. */
export interface Page {
  readonly from: number;
  readonly to: number;
  /** Whether a walk in the direction that was asked for goes on. */
  readonly more: boolean;
  /** What the request for the next page says, by role; undefined where there is none. */
  readonly next: PageTurn | undefined;
  readonly previous: PageTurn | undefined;
}

/** The one thing that differs in the request for another page. */
export interface PageTurn {
  readonly role: PageRole;
  readonly value: string | number;
}

/** A cursor that names nothing. */
export interface PageMistake {
  readonly role: PageRole;
  readonly value: string;
}

/** One way to ask for a page. */
export interface PageStyle {
  readonly name: PageStyleName;
  /** The roles whose parameters make a list one of this style, and the names they go by. */
  readonly parameters: Readonly<Partial<Record<PageRole, RegExp>>>;
  /** Of these, the ones that it takes to recognise the style. */
  readonly signs: readonly PageRole[];
  cut(request: PageRequest): Page | PageMistake;
}

const OFFSET = /^(offset|skip|start|start_?(index|at)|page\[offset\])$/i;

const LIMIT = /^(limit|per_?page|page_?size|size|count|max_?(results|items)|take|first|top|page\[(size|limit)\])$/i;

/** Every style, the one that is recognised first in front. */
export const PAGE_STYLES: readonly PageStyle[] = [
  {
    name: 'starting-after',
    parameters: { after: /^starting_?after$/i, before: /^ending_?before$/i, limit: LIMIT },
    signs: ['after', 'before'],
    cut: cutByNeighbour,
  },
  {
    name: 'cursor',
    parameters: { after: /^(after|after_?id|since_?id)$/i, before: /^(before|before_?id|until_?id)$/i, limit: LIMIT },
    signs: ['after', 'before'],
    cut: cutByNeighbour,
  },
  {
    name: 'token',
    parameters: {
      token:
        /^(cursor|marker|page|page_?token|next_?(token|cursor|page)|continuation(_?token)?|page_?cursor|pagination_?token|page\[(cursor|after)\])$/i,
      offset: OFFSET,
      limit: LIMIT,
    },
    signs: ['token'],
    cut: cutByToken,
  },
  {
    name: 'page',
    parameters: { page: /^(page|page_?(number|num|no|index)|p|page\[number\])$/i, limit: LIMIT },
    signs: ['page'],
    cut: cutByNumber,
  },
  {
    name: 'offset',
    parameters: { offset: OFFSET, limit: LIMIT },
    signs: ['offset'],
    cut: cutByOffset,
  },
  {
    name: 'none',
    parameters: { limit: LIMIT },
    signs: [],
    cut: cutOnce,
  },
];

/** Whether a page could not be cut. */
export function isPageMistake(page: Page | PageMistake): page is PageMistake {
  return 'role' in page;
}

/** The items before or behind one that the client has already seen. */
function cutByNeighbour({ view, limit, value, recall }: PageRequest): Page | PageMistake {
  const after = readId(value('after'));
  const before = readId(value('before'));
  const start = after === undefined ? undefined : recall(after);
  const end = before === undefined ? undefined : recall(before);
  if (after !== undefined && start === undefined) return { role: 'after', value: after };
  if (before !== undefined && end === undefined) return { role: 'before', value: before };
  const low = start === undefined ? 0 : view.after(start);
  const high = end === undefined ? view.size : Math.max(low, view.before(end));
  // Backwards means the items nearest to the end of the range, still in the order of the list.
  const backwards = end !== undefined && start === undefined;
  const from = backwards ? Math.max(low, high - limit) : low;
  const to = backwards ? high : Math.min(high, low + limit);
  const last = to > from && to < view.size ? view.at(to - 1) : undefined;
  const first = to > from && from > 0 ? view.at(from) : undefined;
  return {
    from,
    to,
    more: backwards ? from > 0 : to < view.size,
    next: last === undefined ? undefined : { role: 'after', value: last.id },
    previous: first === undefined ? undefined : { role: 'before', value: first.id },
  };
}

/** The whole list, or as much of it as was asked for: nothing says how the rest is asked for. */
function cutOnce({ view, limit }: PageRequest): Page {
  const to = Math.min(limit, view.size);
  return { from: 0, to, more: to < view.size, next: undefined, previous: undefined };
}

/** A token nobody has to understand: it names the last item seen, so that a walk survives what comes and goes meanwhile. */
function cutByToken({ view, limit, value, recall }: PageRequest): Page | PageMistake {
  const token = readId(value('token'));
  let from = 0;
  if (token !== undefined) {
    const entry = recall(readToken(token) ?? '');
    if (entry === undefined) return { role: 'token', value: token };
    from = view.after(entry);
  } else if (value('offset') !== undefined) {
    // Some services take either: who names an offset pages by it.
    return cutByOffset({ view, limit, value, recall });
  }
  const to = Math.min(view.size, from + limit);
  const last = to < view.size ? view.at(to - 1) : undefined;
  return {
    from,
    to,
    more: to < view.size,
    next: last === undefined ? undefined : { role: 'token', value: toToken(last.id) },
    previous: undefined,
  };
}

function cutByNumber({ view, limit, value }: PageRequest): Page {
  const number = Math.max(1, Math.floor(readNumber(value('page'), 1)));
  const from = Math.min(view.size, (number - 1) * limit);
  const to = Math.min(view.size, from + limit);
  return {
    from,
    to,
    more: to < view.size,
    next: to < view.size ? { role: 'page', value: number + 1 } : undefined,
    previous: number > 1 ? { role: 'page', value: number - 1 } : undefined,
  };
}

function cutByOffset({ view, limit, value }: PageRequest): Page {
  const from = Math.min(view.size, Math.max(0, Math.floor(readNumber(value('offset'), 0))));
  const to = Math.min(view.size, from + limit);
  return {
    from,
    to,
    more: to < view.size,
    next: limit > 0 && to < view.size ? { role: 'offset', value: to } : undefined,
    previous: limit > 0 && from > 0 ? { role: 'offset', value: Math.max(0, from - limit) } : undefined,
  };
}

function readId(value: unknown): string | undefined {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;
}

function readNumber(value: unknown, otherwise: number): number {
  const number = typeof value === 'number' || typeof value === 'string' ? Number(value) : Number.NaN;
  return Number.isFinite(number) ? number : otherwise;
}

function toToken(id: string): string {
  return Buffer.from(JSON.stringify({ after: id })).toString('base64url');
}

function readToken(token: string): string | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(token, 'base64url').toString('utf8'));
    return typeof value === 'object' && value !== null && 'after' in value ? String(value.after) : undefined;
  } catch {
    // Not one of ours: the caller says so.
    return undefined;
  }
}
