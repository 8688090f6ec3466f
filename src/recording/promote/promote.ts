import { isObject } from '../../contract/json.js';
import { readContentType } from '../../http/header-fields.js';
import type { Cassette, StoredExchange } from '../cassette/cassette.js';
import { toDoubles } from '../cassette/exact-json.js';
import { loadBody, writeBody } from '../cassette/recorded-body.js';
import { isCursor, listWalks, readPage } from '../drift/list-check.js';

/** What an operation does to a collection, as inference found it. */
interface PromoteBinding {
  readonly collection: string;
  readonly action: string;
  /** The path parameters that name the item. */
  readonly id: readonly string[];
  readonly parents: readonly { readonly collection: string; readonly parameters: readonly string[] }[];
  readonly list: { readonly items: string | undefined } | undefined;
}

/** A collection, as inference found it. */
export interface PromoteCollection {
  readonly name: string;
  readonly idProperty: string | undefined;
  readonly members: string | undefined;
  /** Where the schema of one item stands. */
  readonly schema: string | undefined;
}

/** What recordings are promoted by. */
export interface PromoteParts {
  readonly bindings: ReadonlyMap<string, PromoteBinding>;
  readonly collections: ReadonlyMap<string, PromoteCollection>;
  /** `initial`: the state before the first exchange; `final`: the state after the last one. */
  readonly moment: 'initial' | 'final';
  /** Whether the pages of an operation begin with the newest item where the request does not say. */
  isNewestFirst(operation: string): boolean;
}

/** One item that recordings tell of. */
export interface PromotedItem {
  readonly id: string;
  readonly item: Item;
  /** Ids of the items it lives under, by collection. */
  readonly parents: Readonly<Record<string, string>>;
  readonly content: PromotedContent | undefined;
  /** Whether nothing but its id is known. */
  readonly bare: boolean;
}

/** The bytes behind an item. */
interface PromotedContent {
  readonly bytes: Uint8Array;
  readonly mediaType: string | undefined;
}

/** The items of each collection, in the order of their creation, and the bodies of the creates. */
export interface Promoted {
  readonly collections: ReadonlyMap<string, readonly PromotedItem[]>;
  /** By collection: what a create answered, without what its request said. */
  readonly created: ReadonlyMap<string, readonly Item[]>;
}

/** A JSON object of a collection. */
export type Item = Readonly<Record<string, unknown>>;

/** One item while the exchanges are gone through. */
interface Trace {
  readonly id: string;
  readonly parents: Readonly<Record<string, string>>;
  first: Item | undefined;
  last: Item | undefined;
  content: PromotedContent | undefined;
  /** Whether it was there before the first exchange. */
  readonly wasThere: boolean;
  isThere: boolean;
  changed: boolean;
}

/** Reads the state before the first exchange, or after the last, out of what was recorded. */
export function promote(cassette: Cassette, parts: PromoteParts): Promoted {
  const traces = new Map<string, Map<string, Trace>>();
  const created = new Map<string, Item[]>();
  const touch = (
    collection: string,
    id: string,
    more: { readonly parents?: Trace['parents']; readonly isNew?: boolean },
  ): Trace => {
    const byKey = traces.get(collection) ?? new Map<string, Trace>();
    traces.set(collection, byKey);
    const parents = more.parents ?? {};
    const key = JSON.stringify([id, parents]);
    const known = byKey.get(key);
    if (known !== undefined) {
      if (more.isNew === true) known.isThere = true;
      return known;
    }
    const isNew = more.isNew === true;
    const trace: Trace = {
      id,
      parents,
      first: undefined,
      last: undefined,
      content: undefined,
      wasThere: !isNew,
      isThere: true,
      changed: false,
    };
    byKey.set(key, trace);
    return trace;
  };
  for (const exchange of cassette.exchanges) {
    const binding = parts.bindings.get(exchange.operation);
    if (binding === undefined || exchange.response === undefined || exchange.response.status >= 300) continue;
    observe({ cassette, exchange, binding, parts, touch, created });
  }
  const orders = readOrders(cassette, parts);
  const collections = new Map<string, readonly PromotedItem[]>();
  for (const [name, byKey] of traces) {
    const all = [...byKey.values()].filter(({ wasThere, isThere }) =>
      parts.moment === 'initial' ? wasThere : isThere,
    );
    collections.set(
      name,
      sortItems(
        all.map((trace) => toItem(trace, parts.moment)),
        orders.get(name) ?? [],
      ),
    );
  }
  return { collections, created };
}

interface Observation {
  readonly cassette: Cassette;
  readonly exchange: StoredExchange;
  readonly binding: PromoteBinding;
  readonly parts: PromoteParts;
  readonly created: Map<string, Item[]>;
  touch(collection: string, id: string, more: { readonly parents?: Trace['parents']; readonly isNew?: boolean }): Trace;
}

function observe(observation: Observation): void {
  const { cassette, exchange, binding, parts, touch } = observation;
  const resource = parts.collections.get(binding.collection);
  const parents = readParents(observation);
  const idProperty = resource?.idProperty ?? 'id';
  const id = binding.id.map((name) => toId(exchange.request.pathParams[name])).join('/');
  const body = toDoubles(
    exchange.response && loadBody(cassette.folder, exchange.response, exchange.response.headers).body,
  );
  switch (binding.action) {
    case 'list':
    case 'search':
      // Touched although it may be empty: a list that was seen to be empty is a collection without items.
      for (const item of readItems(body, binding))
        see(touch(binding.collection, toId(item[idProperty]), { parents }), item);
      return;
    case 'create': {
      if (!isObject(body)) return;
      see(touch(binding.collection, toId(body[idProperty]), { parents, isNew: true }), body);
      const sent = exchange.request.body;
      const own = Object.entries(body).filter(([name]) => !(isObject(sent) && Object.hasOwn(sent, name)));
      observation.created.set(binding.collection, [
        ...(observation.created.get(binding.collection) ?? []),
        Object.fromEntries(own),
      ]);
      return;
    }
    case 'delete': {
      const trace = touch(binding.collection, id, { parents });
      trace.isThere = false;
      if (resource?.members !== undefined) touch(resource.members, id, {});
      return;
    }
    case 'content': {
      const trace = touch(binding.collection, id, { parents });
      trace.content ??= readContent(observation);
      return;
    }
    case 'read':
      if (isObject(body)) see(touch(binding.collection, toId(body[idProperty] ?? id), { parents }), body);
      return;
    case 'update':
    case 'replace':
    case 'act': {
      if (!isObject(body)) return;
      const trace = touch(binding.collection, id, { parents });
      see(trace, body);
      trace.changed = true;
      trace.last = { ...trace.last, ...body };
      return;
    }
    default:
  }
}

/** The items above, each of which must have been there for the exchange to succeed. */
function readParents({ exchange, binding, touch }: Observation): Readonly<Record<string, string>> {
  const parents: Record<string, string> = {};
  for (const { collection, parameters } of binding.parents) {
    const id = parameters.map((name) => toId(exchange.request.pathParams[name])).join('/');
    touch(collection, id, { parents: { ...parents } });
    parents[collection] = id;
  }
  return parents;
}

/** What was seen first holds for the beginning; later sights only add members, until something changed the item. */
function see(trace: Trace, item: Item): void {
  if (trace.first === undefined) trace.first = item;
  else if (!trace.changed) trace.first = { ...item, ...trace.first };
  trace.last = { ...trace.last, ...item };
}

function readItems(body: unknown, binding: PromoteBinding): readonly Item[] {
  const list: unknown =
    binding.list?.items === undefined ? body : isObject(body) ? body[binding.list.items] : undefined;
  return Array.isArray(list) ? list.filter((item: unknown) => isObject(item)) : [];
}

function readContent({ cassette, exchange }: Observation): PromotedContent | undefined {
  const { response } = exchange;
  if (response === undefined) return undefined;
  const body = loadBody(cassette.folder, response, response.headers);
  // A file that travels as one JSON text is that text.
  const bytes =
    typeof body.body === 'string' ? Buffer.from(body.body) : writeBody(cassette.folder, body, response.headers);
  const mediaType = readContentType(response.headers);
  const isGeneral =
    typeof body.body === 'string' || mediaType === 'application/octet-stream' || mediaType === 'application/binary';
  return { bytes: bytes ?? new Uint8Array(), mediaType: isGeneral ? undefined : mediaType };
}

function toItem(trace: Trace, moment: PromoteParts['moment']): PromotedItem {
  const { id, parents, content } = trace;
  const item = moment === 'initial' ? trace.first : trace.last;
  return { id, parents, content, item: item ?? { id }, bare: item === undefined };
}

/** By the order of the pages; what no page showed comes last, in the order it was met. */
function sortItems(items: readonly PromotedItem[], order: readonly string[]): readonly PromotedItem[] {
  const places = new Map(order.map((id, i) => [id, i]));
  return items.toSorted((x, y) => (places.get(x.id) ?? Infinity) - (places.get(y.id) ?? Infinity) || 0);
}

/** For each collection the order of its ids, oldest first, put together from all its pages. */
function readOrders(cassette: Cassette, parts: PromoteParts): ReadonlyMap<string, readonly string[]> {
  const orders = new Map<string, readonly string[]>();
  const pages = cassette.exchanges.flatMap((exchange) =>
    parts.bindings.get(exchange.operation)?.action === 'list' ? (readPage(cassette.folder, exchange) ?? []) : [],
  );
  for (const walk of listWalks(pages)) {
    const [first] = walk;
    const operation = first?.exchange.operation ?? '';
    const binding = parts.bindings.get(operation);
    if (first === undefined || binding === undefined) continue;
    const idProperty = parts.collections.get(binding.collection)?.idProperty ?? 'id';
    const ids = walk.flatMap(({ items }) => items.map((item) => toId(item[idProperty])));
    const newestFirst = readDirection(first.exchange) ?? parts.isNewestFirst(operation);
    orders.set(
      binding.collection,
      mergeOrder(orders.get(binding.collection) ?? [], newestFirst ? ids.toReversed() : ids),
    );
  }
  return orders;
}

/** Whether a request asks for the newest first; undefined where it does not say. */
function readDirection({ request }: StoredExchange): boolean | undefined {
  for (const [name, value] of Object.entries(request.query)) {
    if (isCursor(name) || !/^(?:order|sort|direction|sort_?(?:order|dir|direction))$/i.test(name)) continue;
    if (/^desc|^-/i.test(String(value))) return true;
    if (/^asc/i.test(String(value))) return false;
  }
  return undefined;
}

/**
 * One order out of two: what both know stays where it is, what is new goes behind its neighbour before, or before its neighbour
 * behind where none before it is known, or to the end.
 */
export function mergeOrder(known: readonly string[], found: readonly string[]): readonly string[] {
  const order = [...known];
  for (const [i, id] of found.entries()) {
    if (order.includes(id)) continue;
    const before = found.slice(0, i).findLast((candidate) => order.includes(candidate));
    const behind = found.slice(i + 1).find((candidate) => order.includes(candidate));
    if (before !== undefined) order.splice(order.indexOf(before) + 1, 0, id);
    else if (behind === undefined) order.push(id);
    else order.splice(order.indexOf(behind), 0, id);
  }
  return order;
}

/** An id as text. */
function toId(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? '');
}
