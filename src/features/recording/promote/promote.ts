import { type Action, CHANGES } from '../../../resources/item/resource.js';
import { means } from '../../../conventions/conventions.js';
import { addTo, isObject, readMember, readPath } from '../../../base/json.js';
import { type HeaderFields, readContentType, readField } from '../../../http/header-fields.js';
import { readTarget } from '../../../http/target.js';
import { decodePercent } from '../../../http/text.js';
import type { Cassette, StoredExchange } from '../cassette/cassette.js';
import { toDoubles } from '../../../base/exact-json.js';
import { writeCanonical } from '../cassette/canonical.js';
import type { RecordedResponse } from '../cassette/exchange.js';
import { loadBody, loadJson, writeBody } from '../cassette/recorded-body.js';
import { groupPages, isCursor, readPages } from '../drift/lists.js';

/** The action of an operation on a collection, as inferred from the contract. */
interface PromoteBinding {
  readonly collection: string;
  readonly action: Action;
  /** The path parameters that identify the item. */
  readonly id: readonly string[];
  readonly parents: readonly { readonly collection: string; readonly parameters: readonly string[] }[];
  readonly list: { readonly path: readonly string[] } | undefined;
}

/** A collection, as inferred from the contract. */
export interface PromoteCollection {
  readonly name: string;
  readonly idProperty: string | undefined;
  readonly members?: string | undefined;
  /** Other properties whose value a path can have in place of the id. */
  readonly alternateKeys?: readonly string[];
  /** The pointer of the schema of an item. */
  readonly schema: string | undefined;
}

/** How recordings are promoted. */
export interface PromoteParts {
  readonly bindings: ReadonlyMap<string, PromoteBinding>;
  readonly collections: ReadonlyMap<string, PromoteCollection>;
  /** `initial`: the state before the first exchange; `final`: the state after the last one. */
  readonly moment: 'initial' | 'final';
  /** Whether the lists of an operation begin with the newest item by default. */
  isNewestFirst(operation: string): boolean;
}

/** An item that recordings show. */
export interface PromotedItem {
  readonly id: string;
  readonly item: Item;
  /** The ids of its parents, by collection. */
  readonly parents: Readonly<Record<string, string>>;
  /** The content of an item such as a file. */
  readonly content: { readonly bytes: Uint8Array; readonly mediaType: string | undefined } | undefined;
  /** Whether only its id is known. */
  readonly idOnly: boolean;
}

/** The promoted items of each collection in the order of their creation, and the answers to creates. */
export interface Promoted {
  readonly collections: ReadonlyMap<string, readonly PromotedItem[]>;
  readonly created: ReadonlyMap<string, readonly CreatedItem[]>;
}

/** The body of a create, and the item as the first answer showed it. */
export interface CreatedItem {
  readonly sent: Item;
  readonly shown: Item;
}

/** A JSON object of a collection. */
export type Item = Readonly<Record<string, unknown>>;

/** The history of one item in the exchanges. */
interface Trace extends Pick<PromotedItem, 'id' | 'parents'> {
  first: Item | undefined;
  last: Item | undefined;
  content: PromotedItem['content'];
  /** The body of its create, if the answer shows only its id: the first answer that shows the item has its defaults. */
  sent: Item | undefined;
  /** Whether it existed before the first exchange. */
  readonly existedBefore: boolean;
  /** Whether it exists after the exchanges so far. */
  exists: boolean;
  changed: boolean;
}

/** Derives the state before the first exchange, or after the last one, from a cassette. */
export function promote(cassette: Cassette, parts: PromoteParts): Promoted {
  const traces = new Map<string, Map<string, Trace>>();
  const created = new Map<string, CreatedItem[]>();
  const sent = new Map<string, Item[]>();
  const traceOf: Observation['traceOf'] = (collection, id, { parents = {}, isNew = false } = {}) => {
    const byKey = traces.get(collection) ?? new Map<string, Trace>();
    traces.set(collection, byKey);
    const key = JSON.stringify([id, parents]);
    const unseen = { first: undefined, last: undefined, content: undefined, sent: undefined, changed: false };
    const trace = byKey.get(key) ?? { id, parents, ...unseen, existedBefore: !isNew, exists: true };
    if (isNew) trace.exists = true;
    byKey.set(key, trace);
    return trace;
  };
  const findId: Observation['findId'] = (collection, key) => {
    const { alternateKeys = [] } = parts.collections.get(collection) ?? {};
    if (alternateKeys.length === 0) return key;
    const known = [...(traces.get(collection)?.values() ?? [])];
    const isNamed = ({ last, exists }: Trace): boolean =>
      exists && alternateKeys.some((name) => last !== undefined && toId(readMember(last, name)) === key);
    return known.some(({ id }) => id === key) ? key : (known.find(isNamed)?.id ?? key);
  };
  const idNames = new Map<string, string[]>();
  for (const { collection, id } of parts.bindings.values())
    if (id[0] !== undefined && id.length === 1) addTo(idNames, collection, id[0]);
  for (const exchange of cassette.exchanges) {
    const binding = parts.bindings.get(exchange.operation);
    if (binding === undefined || exchange.response === undefined || exchange.response.status >= 300) continue;
    observe({ cassette, exchange, binding, parts, idNames, traceOf, findId, created, sent });
  }
  const orders = readOrders(cassette, parts);
  const collections = new Map<string, readonly PromotedItem[]>();
  for (const [name, byKey] of traces) {
    const items = [...byKey.values()]
      .filter(({ existedBefore, exists }) => (parts.moment === 'initial' ? existedBefore : exists))
      .map(({ id, parents, content, first, last }): PromotedItem => {
        const item = parts.moment === 'initial' ? first : last;
        const { idProperty = 'id' } = parts.collections.get(name) ?? {};
        return { id, parents, content, item: item ?? { [idProperty]: id }, idOnly: item === undefined };
      });
    const places = new Map([...(orders.get(name) ?? [])].map((id, i) => [id, i]));
    // Items that are on no page come last.
    const placeOf = ({ id }: PromotedItem): number => places.get(id) ?? Infinity;
    items.sort((x, y) => placeOf(x) - placeOf(y) || 0);
    collections.set(name, items);
  }
  return { collections, created };
}

interface Observation {
  readonly cassette: Cassette;
  readonly exchange: StoredExchange;
  readonly binding: PromoteBinding;
  readonly parts: PromoteParts;
  /** The path parameters that identify the items of each collection. */
  readonly idNames: ReadonlyMap<string, readonly string[]>;
  readonly created: Map<string, CreatedItem[]>;
  /** By collection: what requests created without an answer that shows the id. */
  readonly sent: Map<string, Item[]>;
  /** The id of an item that a path names by its id or by another key. */
  findId(collection: string, key: string): string;
  /** The trace of an item, created on first use. */
  traceOf(collection: string, id: string, more?: Partial<Pick<Trace, 'parents'>> & { readonly isNew?: boolean }): Trace;
}

function observe({ cassette, exchange, binding, parts, ...rest }: Observation): void {
  const { idNames, traceOf, findId, created, sent } = rest;
  const { request, response } = exchange;
  if (response === undefined) return;
  const { collection, action } = binding;
  const { members, idProperty = 'id' } = parts.collections.get(collection) ?? {};
  const readId = (parameters: readonly string[]): string =>
    parameters.map((name) => toId(request.pathParams[name])).join('/');
  // The parents must exist because the exchange succeeded.
  const parents: Record<string, string> = {};
  for (const parent of binding.parents) {
    const parentId = readId(parent.parameters);
    traceOf(parent.collection, parentId, { parents: { ...parents } });
    parents[parent.collection] = parentId;
  }
  const id = parts.collections.has(collection) ? findId(collection, readId(binding.id)) : readId(binding.id);
  const body = toDoubles(loadJson(cassette.folder, response));
  const { item: shown, id: shownId } = readShown(body, idProperty, new Set(idNames.get(collection)));
  const createdId = isPut(exchange, action)
    ? id
    : action === 'create'
      ? (shownId ?? readUnshownId(exchange, idProperty))
      : undefined;
  const show = (trace: Trace, item: Item): void => {
    const { sent: given } = trace;
    observeItem(trace, item);
    // What shows the id alone does not show what the create made.
    if (given === undefined || Object.keys(item).length === 1) return;
    trace.sent = undefined;
    addTo(created, collection, { sent: given, shown: item });
  };
  if (action === 'list' || action === 'search') {
    const pending = sent.get(collection) ?? [];
    for (const item of readItems(body, binding)) {
      const isNew = pending.some((part) => isPart(part, item));
      show(traceOf(collection, toId(readMember(item, idProperty)), { parents, isNew }), item);
    }
  } else if (action === 'delete') {
    traceOf(collection, id, { parents }).exists = false;
    if (members !== undefined) traceOf(members, id);
  } else if (action === 'content') {
    traceOf(collection, id, { parents }).content ??= readContent(cassette.folder, response);
  } else if (createdId !== undefined) {
    const trace = traceOf(collection, createdId, { parents, isNew: true });
    trace.sent = isObject(request.body) ? request.body : {};
    if (shown !== undefined) show(trace, shown);
  } else if (action === 'create' || action === 'batch') {
    const items = [toDoubles(request.body)].flat().filter((each) => isObject(each));
    sent.set(collection, [...(sent.get(collection) ?? []), ...items]);
  } else if (shown !== undefined && action === 'read') {
    show(traceOf(collection, shownId ?? id, { parents }), shown);
  } else if (CHANGES.has(action)) {
    const trace = traceOf(collection, id, { parents });
    if (shown !== undefined) observeItem(trace, shown);
    if (isRepeated(action, request.body, trace.sent)) return;
    trace.sent = undefined;
    trace.changed = true;
  }
}

/** The item that a body shows: the body, or its only member that has an id; or only the id, named after a path parameter. */
export function readShown(
  body: unknown,
  idProperty: string,
  parameters: ReadonlySet<string>,
): { readonly item: Item | undefined; readonly id: string | undefined } {
  if (!isObject(body)) return { item: undefined, id: undefined };
  const inner = Object.values(body).filter((value) => isObject(value) && readMember(value, idProperty) !== undefined);
  // `filter` has verified the type of the cast.
  const item = readMember(body, idProperty) === undefined && inner.length === 1 ? (inner[0] as Item) : body;
  const id = readMember(item, idProperty);
  if (id !== undefined) return { item, id: toId(id) };
  const named = Object.entries(body).find(([name]) => parameters.has(name));
  return named === undefined ? { item, id: undefined } : { item: undefined, id: toId(named[1]) };
}

/** Whether an exchange created the item that its path names. */
export function isPut({ response }: StoredExchange, action: Action): boolean {
  return action === 'replace' && response?.status === 201;
}

/** Whether a replacement only repeats what created the item. */
export function isRepeated(action: Action, body: unknown, created: Item | undefined): boolean {
  return action === 'replace' && created !== undefined && writeCanonical(body ?? {}) === writeCanonical(created);
}

/** The id of a created item that the answer does not show: the one in its URL (RFC 9110 10.2.2), else the one that was sent. */
export function readUnshownId({ request, response }: StoredExchange, idProperty: string): string | undefined {
  const sent = toDoubles(request.body);
  const id = isObject(sent) ? readMember(sent, idProperty) : undefined;
  const own = typeof id === 'string' || typeof id === 'number' ? toId(id) : undefined;
  return readLocated(request.path, response?.headers ?? {}) ?? own;
}

/** The last segment of the URL of a created item, if it is below the path of the request. */
export function readLocated(path: string, headers: HeaderFields): string | undefined {
  const [parent] = path.split('/').slice(-1);
  const segments = readTarget(readField(headers, 'location') ?? '').path.split('/');
  return segments.at(-2) === parent ? decodePercent(segments.at(-1) ?? '') : undefined;
}

/** Whether an item has everything that a request sent. */
export function isPart(part: unknown, whole: unknown): boolean {
  if (isObject(part)) {
    return isObject(whole) && Object.entries(part).every(([name, value]) => isPart(value, whole[name]));
  }
  return writeCanonical(part) === writeCanonical(whole);
}

/** The first representation holds for the initial state; later ones add members to it until the item is changed. */
function observeItem(trace: Trace, item: Item): void {
  if (trace.first === undefined) trace.first = item;
  else if (!trace.changed) trace.first = { ...item, ...trace.first };
  trace.last = { ...trace.last, ...item };
}

/** The items of a list. */
export function readItems(body: unknown, binding: Pick<PromoteBinding, 'list'>): readonly Item[] {
  const list: unknown = readPath(body, binding.list?.path ?? []);
  return Array.isArray(list) ? list.filter((item: unknown) => isObject(item)) : [];
}

function readContent(folder: string, response: RecordedResponse): NonNullable<PromotedItem['content']> {
  const { body } = loadBody(folder, response);
  // A file can be sent as one JSON string.
  if (typeof body === 'string') return { bytes: Buffer.from(body), mediaType: undefined };
  const mediaType = readContentType(response.headers);
  const isGeneral = mediaType === 'application/octet-stream' || mediaType === 'application/binary';
  const bytes = writeBody(folder, response) ?? new Uint8Array();
  return { bytes, mediaType: isGeneral ? undefined : mediaType };
}

/** The order of the ids of each collection, oldest first, merged from its pages. */
function readOrders(cassette: Cassette, parts: PromoteParts): ReadonlyMap<string, ReadonlySet<string>> {
  const orders = new Map<string, Set<string>>();
  const pages = readPages(cassette).filter(({ exchange }) => parts.bindings.get(exchange.operation)?.action === 'list');
  for (const group of groupPages(pages)) {
    const [first] = group;
    const binding = first && parts.bindings.get(first.exchange.operation);
    if (first === undefined || binding === undefined) continue;
    const idProperty = parts.collections.get(binding.collection)?.idProperty ?? 'id';
    const ids = group.flatMap(({ items }) => items.map((item) => toId(readMember(item, idProperty))));
    const newestFirst = readDirection(first.exchange) ?? parts.isNewestFirst(first.exchange.operation);
    const found = newestFirst ? ids.toReversed() : ids;
    const known = orders.get(binding.collection) ?? new Set();
    // Most pages have only ids of others, or none.
    const isMixed = found.some((id) => known.has(id)) && !found.every((id) => known.has(id));
    if (!isMixed) for (const id of found) known.add(id);
    orders.set(binding.collection, isMixed ? new Set(mergeOrder([...known], found)) : known);
  }
  return orders;
}

/** Whether the query asks for the newest item first; undefined if it does not say. */
function readDirection({ request }: StoredExchange): boolean | undefined {
  for (const [name, value] of Object.entries(request.query)) {
    if (isCursor(name) || !means(name, 'queries.order', 'queries.sort')) continue;
    if (/^desc|^-/i.test(String(value))) return true;
    if (/^asc/i.test(String(value))) return false;
  }
  return undefined;
}

/** Merges two orders with a common id: new ids go after the known one before them, those before all known ones before the first of them. */
function mergeOrder(known: readonly string[], found: readonly string[]): readonly string[] {
  const isKnown = new Set(known);
  const first = found.find((id) => isKnown.has(id));
  const runs = new Map<string | undefined, string[]>();
  const placed = new Set<string>();
  let before: string | undefined;
  for (const id of found) {
    if (isKnown.has(id)) before = id;
    else if (!placed.has(id)) addTo(runs, before, id);
    placed.add(id);
  }
  return known.flatMap((id) => [...(id === first ? (runs.get(undefined) ?? []) : []), id, ...(runs.get(id) ?? [])]);
}

/** An id as a string. */
export function toId(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? '');
}
