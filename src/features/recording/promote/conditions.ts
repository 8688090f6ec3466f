import type { Contract } from '../../../contract/contract.js';
import { addTo, isObject, mapValues } from '../../../base/json.js';
import type { Operation } from '../../../contract/operations/operation.js';
import { readField } from '../../../http/header-fields.js';
import type { StoredExchange } from '../cassette/cassette.js';
import { writeCanonical } from '../cassette/canonical.js';
import { SELECTING } from '../matching/exchange-index.js';

/** How the requests of exchanges are read. */
export interface RequestReaders {
  readonly contract: Contract;
  /** The key of the request of an exchange. */
  keyOf(exchange: StoredExchange): string | undefined;
  /** The query of an exchange, typed according to the contract. */
  queryOf(exchange: StoredExchange): Readonly<Record<string, unknown>>;
  /** The JSON body of a request, or the fields of its form, typed according to the contract; undefined for another body. */
  bodyOf(exchange: StoredExchange): unknown;
}

/**
 * Creates the function that gives the condition of a rule: it applies to the request of an exchange and to no other recorded one.
 *
 * @param exchanges - Those of the operation. Each is read once, so that the time is proportional to their number.
 */
export function createConditions(
  operation: Operation,
  exchanges: readonly StoredExchange[],
  readers: RequestReaders,
): (exchange: StoredExchange) => object {
  const requests = new Map(exchanges.map((exchange) => [exchange, readRequest(operation, exchange, readers)]));
  const all = [...requests.values()];
  const queries = createNameFinder(all.map(({ query, key }) => ({ value: query, key })));
  const bodies = createBodyIndex(all.map(({ body, key }) => ({ value: body, key })));
  const turns = new Map<string, ComparedRequest[]>();
  const positions = new Map<StoredExchange, number>();
  const twins = new Map<string, FieldUse[]>();
  for (const request of all) {
    positions.set(request.exchange, turns.get(request.turn)?.length ?? 0);
    addTo(turns, request.turn, request);
    const uses = twins.get(request.asked) ?? FIELDS.map((): FieldUse => new Map());
    twins.set(request.asked, uses);
    for (const [i, use] of uses.entries()) addKey(use, request.fields[i] ?? null, request.key);
  }
  return (exchange) => {
    const request = requests.get(exchange) ?? readRequest(operation, exchange, readers);
    const { query, body, key, turn, asked } = request;
    const { pathParams } = exchange.request;
    const absent = queries(query, key).map((name) => [name, null] as const);
    const header = [
      ...request.missing.map((name) => [name, null] as const),
      ...listSelected(request, twins.get(asked) ?? []),
    ];
    const same = turns.get(turn) ?? [];
    const index = positions.get(exchange) ?? 0;
    return {
      ...(Object.keys(pathParams).length > 0 && { path: pathParams }),
      ...(Object.keys(query).length + absent.length > 0 && { query: { ...query, ...Object.fromEntries(absent) } }),
      ...(header.length > 0 && { header: Object.fromEntries(header) }),
      ...(body !== undefined && { body: toExactCondition(body, bodies, key) }),
      // If the same request was recorded several times, only this call of it is meant; the last one is repeated.
      ...(same.length > 1 && { call: isLastAnswer(same, index) ? `${index + 1}..` : index + 1 }),
    };
  };
}

/** What is compared of a request. */
interface ComparedRequest {
  readonly exchange: StoredExchange;
  readonly key: Key;
  readonly query: Readonly<Record<string, unknown>>;
  readonly body: unknown;
  /** The headers with the credentials that it lacks. */
  readonly missing: readonly string[];
  /** The same for requests that a rule counts as calls of one. */
  readonly turn: string;
  /** The same for requests that differ in header fields only. */
  readonly asked: string;
  /** The values of `FIELDS`; null for a field that it lacks. */
  readonly fields: readonly (string | null)[];
}

/** Requests with the same key are the same for replay. */
type Key = string | undefined;

/** The fields that select among answers to the same request. */
const FIELDS = ['accept', ...SELECTING];

function readRequest(operation: Operation, exchange: StoredExchange, readers: RequestReaders): ComparedRequest {
  const { headers, pathParams } = exchange.request;
  const [key, query, body] = [readers.keyOf(exchange), readers.queryOf(exchange), readers.bodyOf(exchange)];
  const missing = listMissingCredentials(exchange, operation, readers.contract);
  const fields = FIELDS.map((name) => readField(headers, name) ?? null);
  const turn = JSON.stringify([key, missing.length]);
  return { exchange, key, query, body, missing, turn, asked: writeCanonical([pathParams, query, body]), fields };
}

/** Whether an answer that is not an error is the last one to a request, which further calls get too. */
function isLastAnswer(same: readonly ComparedRequest[], index: number): boolean {
  return index === same.length - 1 && (same[index]?.exchange.response?.status ?? 0) < 400;
}

/** The headers with the credentials that a request without any lacks, if the answer says so. */
function listMissingCredentials(
  { request, response }: StoredExchange,
  operation: Operation,
  { securitySchemes }: Contract,
): readonly string[] {
  if (response?.status !== 401 && response?.status !== 403) return [];
  const schemes = operation.security.flatMap((requirement) => Object.keys(requirement));
  const names = schemes.map((scheme) => {
    const { in: place, key } = securitySchemes[scheme] ?? {};
    return place === 'header' && key !== undefined ? key : 'authorization';
  });
  return [...new Set(names)].filter((name) => readField(request.headers, name) === undefined);
}

/** The keys of the requests that have a value: one, or two if there are more. */
type Users<Value> = Map<Value, Set<Key>>;
type FieldUse = Users<string | null>;

function addKey<Value>(users: Users<Value>, value: Value, key: Key): void {
  const keys = users.get(value) ?? new Set();
  if (keys.size < 2) keys.add(key);
  users.set(value, keys);
}

/** Whether a request with another key has the value. */
function isOfOther(keys: ReadonlySet<Key>, key: Key): boolean {
  return keys.size > 1 || !keys.has(key);
}

/** The header fields in which a request differs from others that are equal otherwise; null for a field that it lacks. */
function listSelected(
  { fields, key }: ComparedRequest,
  uses: readonly FieldUse[],
): readonly (readonly [name: string, value: string | null])[] {
  return FIELDS.flatMap((name, i): (readonly [string, string | null])[] => {
    const own = fields[i] ?? null;
    const others = [...(uses[i] ?? [])];
    return others.some(([value, keys]) => value !== own && isOfOther(keys, key)) ? [[name, own]] : [];
  });
}

/** A value of a request with this key. */
interface KeyedValue {
  readonly value: unknown;
  readonly key: Key;
}

/** Finds the names that objects of other requests have in addition to everything that an object has. */
type FindNames = (object: Readonly<Record<string, unknown>>, key: Key) => readonly string[];

/** The values of requests at one place of their bodies. */
interface BodyIndex {
  readonly findNames: FindNames;
  readonly members: ReadonlyMap<string, BodyIndex>;
  readonly element: BodyIndex | undefined;
}

function createBodyIndex(values: readonly KeyedValue[]): BodyIndex {
  const members = new Map<string, KeyedValue[]>();
  const elements = values.flatMap(({ value, key }) =>
    Array.isArray(value) ? value.map((each: unknown) => ({ value: each, key })) : [],
  );
  for (const { value, key } of values)
    if (isObject(value))
      for (const [name, member] of Object.entries(value)) addTo(members, name, { value: member, key });
  return {
    findNames: createNameFinder(values),
    members: new Map([...members].map(([name, each]) => [name, createBodyIndex(each)])),
    element: elements.length === 0 ? undefined : createBodyIndex(elements),
  };
}

/**
 * A condition for a body and for none of the others that have more: an object in a condition may have more members, and `{}` would match
 * every object.
 */
function toExactCondition(body: unknown, index: BodyIndex | undefined, key: Key): unknown {
  if (Array.isArray(body)) return body.map((item: unknown) => toExactCondition(item, index?.element, key));
  if (!isObject(body)) return body;
  // Other requests may have members that no recorded one has.
  if (Object.keys(body).length === 0) return { not: { jsonPath: '$.*' } };
  const members = mapValues(body, (value, name) => toExactCondition(value, index?.members.get(name), key));
  const absent = (index?.findNames(body, key) ?? []).map((name) => [name, { present: false }] as const);
  return { ...members, ...Object.fromEntries(absent) };
}

/** Objects with the same scalars and the same names of other members. */
interface Form {
  readonly names: readonly string[];
  readonly scalars: ReadonlySet<string>;
  readonly keys: Set<Key>;
}

/** Creates the finder of names in addition to the scalars of an object; members that are objects or arrays count as equal. */
function createNameFinder(values: readonly KeyedValue[]): FindNames {
  const forms = new Map<string, Form>();
  const byScalar = new Map<string, Form[]>();
  for (const { value, key } of values) {
    if (!isObject(value)) continue;
    const [names, scalars] = [Object.keys(value), listScalars(value)];
    const id = JSON.stringify([names.toSorted(), scalars]);
    const form = forms.get(id) ?? { names, scalars: new Set(scalars), keys: new Set() };
    if (!forms.has(id)) for (const scalar of scalars) addTo(byScalar, scalar, form);
    forms.set(id, form);
    if (form.keys.size < 2) form.keys.add(key);
  }
  const found = new Map<string, Users<string>>();
  const findAll = (scalars: readonly string[]): Users<string> => {
    const lists = scalars.map((scalar) => byScalar.get(scalar) ?? []);
    const [shortest = [...forms.values()]] = lists.toSorted((one, other) => one.length - other.length);
    const users: Users<string> = new Map();
    for (const { names, scalars: own, keys } of shortest) {
      if (!scalars.every((scalar) => own.has(scalar))) continue;
      for (const name of names) for (const key of keys) addKey(users, name, key);
    }
    return users;
  };
  return (object, key) => {
    const scalars = listScalars(object);
    const id = scalars.join('\n');
    const users = found.get(id) ?? findAll(scalars);
    found.set(id, users);
    return [...users].flatMap(([name, keys]) => (Object.hasOwn(object, name) || !isOfOther(keys, key) ? [] : [name]));
  };
}

/** The members of an object that are scalars, sorted. */
function listScalars(object: Readonly<Record<string, unknown>>): readonly string[] {
  const scalars = Object.entries(object).filter(([, value]) => typeof value !== 'object');
  return scalars.map(([name, value]) => JSON.stringify([name, value])).toSorted();
}
