import type { Entry } from '../store/collection.js';
import { createValueReader, findPageInputs, type PageInput } from './inputs.js';
import { type Filter, findFilter, type View } from './view.js';
import type { Contract } from '../../contract/contract.js';
import { isObject, type SchemaObject } from '../../contract/json.js';
import type { Operation } from '../../contract/operations/operation.js';
import type { ItemSchema, ReadItemSchema } from '../item-schema.js';
import { toBareName } from '../names.js';

/** The name of a pagination style. */
export type PageStyleName = 'cursor' | 'none' | 'offset' | 'page' | 'starting-after' | 'token';

/** The role of a query parameter in pagination. */
type PageRole = 'after' | 'before' | 'limit' | 'offset' | 'page' | 'token';

/** One request for a page. */
interface PageRequest {
  readonly view: View;
  /** The maximum number of items. */
  readonly limit: number;
  /** The number of the first page: 1, or 0. */
  readonly firstPage: number;
  /** The value of a query parameter; undefined where it is not given. */
  value(role: PageRole): unknown;
  /** The entry of an id, also of a removed item. */
  recall(id: string): Entry | undefined;
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

/** One pagination style. */
interface PageStyle {
  readonly name: PageStyleName;
  /** The roles of its query parameters, with the names they can have. */
  readonly parameters: Readonly<Partial<Record<PageRole, RegExp>>>;
  /** The roles that the style is recognised by. */
  readonly signs: readonly PageRole[];
  cut(request: PageRequest): Page | PageMistake;
}

const OFFSET = /^(offset|skip|start|start(index|at)|pageoffset|from)$/;

const LIMIT =
  /^(limit|perpage|page(size|limit)|size|count|max(results|items|records)|take|first|top|itemsperpage|num(results|items)?)$/;

/** All styles, in the order in which they are recognised; the patterns are those of bare names (`pagesize` for `page[size]`). */
export const PAGE_STYLES: readonly PageStyle[] = [
  {
    name: 'starting-after',
    parameters: { after: /^startingafter$/, before: /^endingbefore$/, limit: LIMIT },
    signs: ['after', 'before'],
    cut: cutByNeighbour,
  },
  {
    name: 'cursor',
    parameters: { after: /^(after|afterid|sinceid)$/, before: /^(before|beforeid|untilid)$/, limit: LIMIT },
    signs: ['after', 'before'],
    cut: cutByNeighbour,
  },
  {
    name: 'token',
    parameters: {
      token:
        /^(cursor|marker|page|pagetoken|next(token|cursor|page|pagetoken)|continue|continuation(token)?|pagecursor|paginationtoken|page(cursor|after)|start(key|token|cursor)|skiptoken|offset)$/,
      offset: OFFSET,
      limit: LIMIT,
    },
    signs: ['token'],
    cut: cutByToken,
  },
  {
    name: 'page',
    parameters: { page: /^(page|page(number|num|no|index)|p|currentpage)$/, limit: LIMIT },
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
  const low = start === undefined ? 0 : view.after(start);
  const high = end === undefined ? view.size : Math.max(low, view.before(end));
  // Backwards: the last items of the range, in the order of the list.
  const backwards = end !== undefined && start === undefined;
  const from = backwards ? Math.max(low, high - limit) : low;
  const to = backwards ? high : Math.min(high, low + limit);
  const last = to > from && to < view.size ? view.at(to - 1) : undefined;
  const first = to > from && from > 0 ? view.at(from) : undefined;
  return {
    from,
    to,
    more: backwards ? from > 0 : to < view.size,
    next: last && { role: 'after', value: last.id },
    previous: first && { role: 'before', value: first.id },
    last: undefined,
  };
}

/** The beginning of the list: the contract declares no parameter for the rest. */
function cutOnce({ view, limit }: PageRequest): Page {
  const to = Math.min(limit, view.size);
  return { from: 0, to, more: to < view.size, next: undefined, previous: undefined, last: undefined };
}

/** An opaque token of the last item of the previous page, so that created and removed items do not shift the next page. */
function cutByToken(request: PageRequest): Page | PageMistake {
  const { view, limit, value, recall } = request;
  const token = readId(value('token'));
  let from = 0;
  if (token !== undefined) {
    const entry = recall(readToken(token) ?? '');
    if (entry === undefined) return { role: 'token', value: token };
    from = view.after(entry);
  } else if (value('offset') !== undefined) {
    // Some services accept both a token and an offset.
    return cutByOffset(request);
  }
  const to = Math.min(view.size, from + limit);
  const last = to < view.size ? view.at(to - 1) : undefined;
  const toToken = (after: string): string => Buffer.from(JSON.stringify({ after })).toString('base64url');
  const next: Page['next'] = last && { role: 'token', value: toToken(last.id) };
  return { from, to, more: to < view.size, next, previous: undefined, last: undefined };
}

function cutByNumber({ view, limit, value, firstPage }: PageRequest): Page {
  const number = Math.max(firstPage, Math.floor(readNumber(value('page'), firstPage)));
  const from = Math.min(view.size, (number - firstPage) * limit);
  const to = Math.min(view.size, from + limit);
  return {
    from,
    to,
    more: to < view.size,
    next: to < view.size ? { role: 'page', value: number + 1 } : undefined,
    previous: number > firstPage ? { role: 'page', value: number - 1 } : undefined,
    last: { role: 'page', value: firstPage + Math.max(0, Math.ceil(view.size / Math.max(1, limit)) - 1) },
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
    last: { role: 'offset', value: Math.max(0, (Math.ceil(view.size / Math.max(1, limit)) - 1) * limit) },
  };
}

function readId(value: unknown): string | undefined {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;
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

/** How a list is paginated, sorted and filtered: the roles of its query parameters. */
export interface PagePlan {
  readonly style: PageStyle;
  /** Role -> the name of its query parameter. */
  readonly names: Readonly<Partial<Record<PageRole, string>>>;
  /** The number of the first page: 1, or 0. */
  readonly firstPage: number;
  readonly defaultLimit: number;
  /** Larger limits are reduced to this; Infinity where the contract declares none. */
  readonly maximumLimit: number;
  /** The parameter that reverses the order. */
  readonly order: string | undefined;
  /** The parameter that names the property to sort by. */
  readonly sort: string | undefined;
  /** Whether the list is newest first by default. */
  readonly descending: boolean;
  /** The parameter with words or clauses (`name:"Ada"`) to search for. */
  readonly search: string | undefined;
  /** Query parameters with the name of a property of the items. */
  readonly filters: readonly Filter[];
  /** Reads the values of the parameters from a request, by their names. */
  readonly readValues: ReturnType<typeof createValueReader>;
}

const ORDER = /^(order|direction|sort_?(order|dir(ection)?)|order_?dir(ection)?)$/i;
const SORT = /^(sort|sort_?by|order_?by)$/i;

const SEARCH = /^(query|q|search|search_?(query|term|text)|term|keywords?|filter_?term)$/i;

const NEWEST_FIRST = /(newest|most recent(ly \w+)?)( \w+){0,3} first|descending|reverse chronological/i;

/** The number of items on a page where the document declares none. */
const PAGE_SIZE = 20;

/** What is known about the items of a list. */
interface PageKnowledge {
  readonly item: ItemSchema | undefined;
  readonly style?: PageStyleName | undefined;
  /** Reads the schemas of objects in items. */
  readonly read?: ReadItemSchema | undefined;
}

/** Reads the parameters of a list operation. */
export function createPagePlan(contract: Contract, operation: Operation, known: PageKnowledge): PagePlan {
  const query = findPageInputs(contract, operation);
  const { style, names } = findStyle(contract, query, known.style);
  const taken = new Set<string>(Object.values(names));
  const order = query.find(({ name, schema }) => ORDER.test(name) && hasDirections(schema));
  const sort = query.find(({ name }) => SORT.test(name) && !taken.has(name) && name !== order?.name);
  const search = query.find(({ name }) => SEARCH.test(name));
  const limit = query.find(({ name }) => name === names.limit);
  const isNewestFirst = style.name === 'starting-after' || NEWEST_FIRST.test(readDescription(contract, operation));
  for (const parameter of [order, sort, search]) if (parameter !== undefined) taken.add(parameter.name);
  return {
    style,
    names,
    firstPage: readFirstPage(
      contract,
      query.find(({ name }) => name === names.page),
    ),
    defaultLimit: limit === undefined ? (style.name === 'none' ? Infinity : PAGE_SIZE) : readDefault(contract, limit),
    maximumLimit: limit === undefined ? Infinity : (readSchema(contract, limit).maximum ?? Infinity),
    order: order?.name,
    sort: sort?.name,
    descending: order === undefined ? isNewestFirst : isDescending(readSchema(contract, order).default),
    search: search?.name,
    filters: query.flatMap((input) => {
      const filter = taken.has(input.name) ? undefined : findFilter(input, readSchema(contract, input), known);
      return filter === undefined ? [] : [filter];
    }),
    readValues: createValueReader(query),
  };
}

/** Whether a value of an order parameter means newest or largest first. */
export function isDescending(value: unknown): boolean {
  return typeof value === 'string' && /^(desc|descending|-|newest|reverse|down)/i.test(value);
}

function findStyle(
  contract: Contract,
  query: readonly PageInput[],
  hinted: PageStyleName | undefined,
): Pick<PagePlan, 'style' | 'names'> {
  let last: ReturnType<typeof findStyle> | undefined;
  for (const style of PAGE_STYLES) {
    if (hinted !== undefined && style.name !== hinted) continue;
    const names: Partial<Record<PageRole, string>> = {};
    // The roles of a style are the keys of its own table.
    for (const [role, pattern] of Object.entries(style.parameters) as [PageRole, RegExp][]) {
      const name = query.find(
        (parameter) =>
          pattern.test(toBareName(parameter.name.replace(/^x-/i, ''))) && fitsRole(contract, parameter, role),
      )?.name;
      if (name !== undefined) names[role] = name;
    }
    last = { style, names };
    if (style.signs.some((role) => names[role] !== undefined)) return last;
  }
  // The last style has only the limit.
  return last ?? { style: PAGE_STYLES[PAGE_STYLES.length - 1] as PageStyle, names: {} };
}

/** Whether the type of a parameter fits a role: `page` is a number, or a token where it is a string; a limit is a number. */
function fitsRole(contract: Contract, parameter: PageInput, role: PageRole): boolean {
  const types = [readSchema(contract, parameter).type ?? []].flat();
  if (role === 'token' && /^(x-)?(page|offset)$/i.test(parameter.name)) return types.includes('string');
  const isNumber = types.length === 0 || types.includes('integer') || types.includes('number');
  const needsNumber = role === 'page' || role === 'offset' || role === 'limit';
  return isNumber || (!needsNumber && types.includes('string'));
}

function hasDirections(schema: PageInput['schema']): boolean {
  const values = isObject(schema) ? schema.enum : undefined;
  return values === undefined || values.some((value) => /^(asc|desc)/i.test(String(value)));
}

/** The number of the first page: 0 where the parameter starts there, according to its default, minimum or description. */
function readFirstPage(contract: Contract, parameter: PageInput | undefined): number {
  if (parameter === undefined) return 1;
  const schema = readSchema(contract, parameter);
  if (typeof schema.default === 'number') return schema.default === 0 ? 0 : 1;
  const text = `${parameter.description ?? ''} ${schema.description ?? ''}`;
  if (/\b(zero|0)[- ](based|indexed)|starts? (at|from|with) (0|zero)\b|first page is (0|zero)\b/i.test(text)) return 0;
  return schema.minimum === 0 && !/\b(one|1)[- ](based|indexed)|starts? (at|from|with) (1|one)\b/i.test(text) ? 0 : 1;
}

/** The default of a limit: that of its schema, else the one in its description. */
function readDefault(contract: Contract, parameter: PageInput): number {
  const schema = readSchema(contract, parameter);
  if (typeof schema.default === 'number') return schema.default;
  const text = parameter.description ?? schema.description ?? '';
  const told = /defaults?(?: value)?(?: is| to|:| of)?\s*(?:is\s*)?`?(\d+)/i.exec(text)?.[1];
  return told === undefined ? Math.min(PAGE_SIZE, schema.maximum ?? PAGE_SIZE) : Number(told);
}

function readSchema(contract: Contract, parameter: PageInput): SchemaObject {
  const { schema } = contract.resolve(parameter.schema, parameter.schemaPointer);
  return isObject(schema) ? schema : {};
}

function readDescription(contract: Contract, operation: Operation): string {
  const value = contract.at(`${operation.pointer}/description`);
  return `${operation.summary ?? ''} ${typeof value === 'string' ? value : ''}`;
}
