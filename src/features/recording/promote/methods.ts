// Several methods at one path, told apart by a member of the body, as JSON-RPC has them.
import { toDoubles } from '../../../base/exact-json.js';
import { isIdValue } from '../../../base/exact-number.js';
import { formatPlace } from '../../../base/errors.js';
import { addTo, filterMembers, isObject, mapValues, readMember, readPath } from '../../../base/json.js';
import type { Contract } from '../../../contract/contract.js';
import type { MediaType, Operation } from '../../../contract/operations/operation.js';
import { findJsonMedia } from '../../../contract/operations/responses.js';
import { nameElements, nameParameters, type Positions, SPREAD } from '../../../contract/operations/positions.js';
import { readSegments, toReference } from '../../../contract/pointer.js';
import { inferSchema } from '../../../contract/schema-view/infer-schema.js';
import { means } from '../../../conventions/conventions.js';
import { readContentType } from '../../../http/header-fields.js';
import { findNamed, readKey } from '../../../http/request/variants.js';
import type { Cassette, StoredExchange } from '../cassette/cassette.js';
import { loadJson } from '../cassette/recorded-body.js';
import { type Body, listRepeatedMembers, type SentAndShown } from './repeated-members.js';
import { type DocumentChange, toTarget } from './overlay-target.js';
import { createFailureCheck, isFailure, type JudgedCassette } from './failure.js';
import { learnPositions } from './positions.js';

/** A request with a JSON object, and the answer with another one. */
interface MethodCall extends SentAndShown {
  readonly status: number;
  readonly type: string;
}

/**
 * The changes after which each recorded method of a path is an operation of its own: `/rpc#method=add` beside `/rpc`.
 *
 * @param isBound - Whether an operation is one on a collection.
 */
export function findMethodChanges(
  cassette: Cassette,
  contract: Contract,
  isBound: (operation: string) => boolean,
): readonly DocumentChange[] {
  return contract.operations.flatMap((operation) => {
    if (isBound(operation.id) || /[{#]/.test(operation.path)) return [];
    const calls = listCalls(cassette, (each) => each.operation === operation.id);
    const name = findMethodName(calls);
    const media = operation.body && findJsonMedia(operation.body.content);
    if (name === undefined || media === undefined) return [];
    return describeMethods(contract, { operation, media, name }, calls) ?? [];
  });
}

function listCalls(cassette: Cassette, isOwn: (exchange: StoredExchange) => boolean): readonly MethodCall[] {
  return cassette.exchanges.filter(isOwn).flatMap((exchange) => toCall(cassette, exchange));
}

/** An exchange as a call; none without JSON objects. */
function toCall({ folder }: Cassette, { request, response }: StoredExchange): readonly MethodCall[] {
  if (response === undefined) return [];
  const [sent, shown] = [toDoubles(request.body), toDoubles(loadJson(folder, response))];
  const { status, headers } = response;
  const type = readContentType(headers) ?? 'application/json';
  return isObject(sent) && isObject(shown) ? [{ sent, shown, status, type }] : [];
}

/** The member of all bodies that names a method; undefined without one. */
function findMethodName(calls: readonly MethodCall[]): string | undefined {
  const names = Object.keys(calls[0]?.sent ?? {}).filter((name) => means(name, 'envelopes.method'));
  return names.find((name) => calls.every(({ sent }) => typeof readMember(sent, name) === 'string'));
}

/** Methods that can be a part of a path key. */
const METHOD = /^[\w.:-]+$/;

/** The code of JSON-RPC 2.0 (section 5.1) for a method that does not exist. */
const NO_METHOD = -32601;

interface SharedOperation {
  readonly operation: Operation;
  /** The body of its requests. */
  readonly media: MediaType;
  /** The member that tells its methods apart. */
  readonly name: string;
}

/** Undefined for an operation that no overlay can change. */
function describeMethods(
  contract: Contract,
  shared: SharedOperation,
  calls: readonly MethodCall[],
): readonly DocumentChange[] | undefined {
  const { operation, media, name } = shared;
  const [paths, body] = [toTarget(contract, '/paths'), toTarget(contract, media.pointer)];
  // Documents of Swagger 2.0 have no `content`.
  const isPlain = readSegments(contract.locate(media.pointer).pointer ?? '').includes('content');
  if (paths === undefined || body === undefined || !isPlain) return undefined;
  const byMethod = new Map<string, MethodCall[]>();
  for (const call of calls) addTo(byMethod, String(readMember(call.sent, name)), call);
  const failing = [...byMethod].filter(([, own]) => own.every(createFailureCheck(own)));
  const isUnknown = ({ shown }: MethodCall): boolean =>
    isObject(shown['error']) && shown['error']['code'] === NO_METHOD;
  const named = failing.filter(([, own]) => own.every(isUnknown));
  const unknown = new Set((named.length > 0 ? named : failing).map(([method]) => method));
  const known = [...byMethod].filter(([method]) => METHOD.test(method) && !unknown.has(method));
  if (known.length === 0) return undefined;
  const repeated = listRepeatedMembers(calls, name);
  const positions = learnPositions(new Map(known));
  const place = formatPlace(contract.locate(operation.pointer));
  const changes = known.map(([method, own]): DocumentChange => {
    const path = `${operation.path}#${name}=${method}`;
    const described = describeMethod(contract, shared, {
      method,
      calls: own,
      repeated,
      positions: positions.get(method),
    });
    return {
      message: `${place}: the method ${JSON.stringify(method)} is an operation of its own`,
      actions: [{ target: paths, update: { [path]: { [operation.method.toLowerCase()]: described } } }],
    };
  });
  if (unknown.size === 0) return changes;
  const schema = { type: 'object', properties: { [name]: { enum: known.map(([method]) => method) } } };
  const allOf = [...(media.schema === undefined ? [] : [contract.at(media.schemaPointer)]), schema];
  const message = `${place}: ${JSON.stringify(name)} is one of the recorded methods`;
  const remove = { target: `${body}['schema']`, remove: true };
  const own = toTarget(contract, operation.pointer);
  const hint = own === undefined ? [] : [{ target: own, update: toHint(repeated, {}) }];
  return [...changes, { message, actions: [remove, { target: body, update: { schema: { allOf } } }, ...hint] }];
}

function describeMethod(
  contract: Contract,
  { operation, media, name }: SharedOperation,
  own: {
    readonly method: string;
    readonly calls: readonly MethodCall[];
    readonly repeated: ReadonlySet<string>;
    readonly positions: Positions | undefined;
  },
): object {
  const { method, calls, repeated, positions = {} } = own;
  const hasFailed = createFailureCheck(calls);
  const successes = calls.filter((call) => !hasFailed(call));
  const raw = contract.at(operation.pointer);
  const kept = isObject(raw) ? filterMembers(raw, (member) => KEPT.has(member)) : {};
  const sent = describe(
    // An object stays one.
    calls.map((call) => nameElements(call.sent, positions) as Body),
    repeated,
  );
  const { status = 200, type = 'application/json' } = successes[0] ?? calls[0] ?? {};
  const shown = describe(
    (successes.length > 0 ? successes : calls).map((call) => call.shown),
    repeated,
  );
  const others = operation.responses.flatMap((response) => {
    const { pointer } = contract.locate(response.pointer);
    return response.status === String(status) || pointer === undefined
      ? []
      : [[response.status, { $ref: toReference(pointer) }] as const];
  });
  return {
    ...kept,
    ...toHint(repeated, positions),
    // An id that is made of the path has the method already.
    ...(isObject(raw) && raw['operationId'] !== undefined && { operationId: `${operation.id}.${method}` }),
    requestBody: {
      required: true,
      content: {
        [media.type]: {
          schema: {
            ...sent,
            required: [name],
            properties: { ...requirePositions(sent.properties, positions), [name]: { const: method } },
          },
        },
      },
    },
    responses: {
      ...Object.fromEntries(others),
      [status]: { description: 'As recorded', content: { [type]: { schema: shown } } },
    },
  };
}

/** Schemas of members, which require the parameter at the first position: without it, there is none behind it. */
function requirePositions(members: Readonly<Record<string, object>>, positions: Positions): object {
  return mapValues(members, (schema, member) => {
    const [first] = (Object.hasOwn(positions, member) ? positions[member] : undefined) ?? [];
    return first === undefined || first === SPREAD ? schema : { ...schema, required: [first] };
  });
}

function toHint(repeated: ReadonlySet<string>, positions: Positions): object {
  const hint = {
    ...(repeated.size > 0 && { repeats: [...repeated] }),
    ...(Object.keys(positions).length > 0 && { positions }),
  };
  return Object.keys(hint).length === 0 ? {} : { 'x-mock': hint };
}

/** Members of an operation that its methods have too. */
const KEPT: ReadonlySet<string> = new Set(['parameters', 'security', 'servers', 'tags']);

/** A schema of bodies: members that answers repeat can have any value, and those that all bodies have are required. */
function describe(bodies: readonly Body[], repeated: ReadonlySet<string>) {
  const { properties = {} } = inferSchema(bodies);
  return {
    type: 'object',
    required: Object.keys(properties).filter((name) => bodies.every((body) => Object.hasOwn(body, name))),
    properties: mapValues(properties, (schema, member) => {
      // The result can be an id, which is an integer.
      const isInteger = schema.type === 'number' && bodies.every((body) => Number.isInteger(body[member] ?? 0));
      return repeated.has(member) ? {} : isInteger ? { ...schema, type: 'integer' } : schema;
    }),
  };
}

/** A binding as far as it says where the ids are in a request. */
interface PlacedBinding {
  readonly collection: string;
  readonly action: string;
  readonly places?: Readonly<Record<string, { readonly in: string; readonly path: readonly string[] }>> | undefined;
}

interface PlainParts {
  readonly bindings: ReadonlyMap<string, PlacedBinding>;
  readonly collections: ReadonlyMap<string, { readonly idProperty: string | undefined }>;
  /** The value of the body of a request, also of a form. */
  bodyOf(exchange: StoredExchange): unknown;
}

/**
 * The exchanges of operations on collections as if forms were JSON, their ids were in the path, failures had a status of their own, and nothing were around
 * the parameters and the results of methods.
 */
export function toPlainCassette(
  { cassette, repeatedOf }: MethodCassette,
  contract: Contract,
  { bindings, collections, bodyOf }: PlainParts,
): Cassette {
  const toPlain = (recorded: StoredExchange): StoredExchange => {
    const binding = bindings.get(recorded.operation);
    const request = { ...recorded.request, body: bodyOf(recorded) };
    const exchange = { ...recorded, request };
    const { response } = exchange;
    const path = contract.operation(exchange.operation)?.path ?? '';
    if (binding === undefined || response === undefined || (binding.places === undefined && !path.includes('#')))
      return exchange;
    const shown = toDoubles(loadJson(cassette.folder, response));
    const status = response.status < 400 && cassette.hasFailed(recorded) ? FAILED : response.status;
    const placed = Object.entries(binding.places ?? {}).flatMap(([name, place]) => {
      const value = place.in === 'body' ? readPath(toDoubles(request.body), place.path) : undefined;
      return value === undefined ? [] : [[name, value] as const];
    });
    const pathParams = { ...request.pathParams, ...Object.fromEntries(placed) };
    if (!path.includes('#'))
      return { ...exchange, request: { ...request, pathParams }, response: { ...response, status } };
    const repeated = repeatedOf(exchange);
    const { bodyText: _, bodyFile: __, ...head } = response;
    const { idProperty = 'id' } = collections.get(binding.collection) ?? {};
    const result = unwrap(shown, repeated);
    const [id, ...others] = isObject(result) ? Object.values(result).filter(isIdValue) : [];
    // The result of a create can be the id alone, beside the version of the protocol.
    const isId = binding.action === 'create' && isObject(result) && readMember(result, idProperty) === undefined;
    const item = isId && id !== undefined ? { [idProperty]: others.at(-1) ?? id } : result;
    // The binding of a list has the path to its items.
    const body = binding.action === 'list' || binding.action === 'search' ? shown : item;
    return {
      ...exchange,
      request: { ...request, pathParams, body: unwrap(request.body, repeated) },
      response: { ...head, status, body },
    };
  };
  return { ...cassette, exchanges: cassette.exchanges.map(toPlain) };
}

/** The status of a failure that the service sends as a success. */
const FAILED = 404;

/** The parameters of a method, or its result: the only object or array of a body, else the body without what answers only repeat. */
function unwrap(body: unknown, repeated: ReadonlySet<string>): unknown {
  if (!isObject(body)) return body;
  const [inner, ...others] = Object.values(body).filter((value) => typeof value === 'object' && value !== null);
  return inner !== undefined && others.length === 0 ? inner : filterMembers(body, (name) => !repeated.has(name));
}

/** A cassette whose exchanges have the operations of their methods, and what their rules leave open. */
export interface MethodCassette {
  readonly cassette: JudgedCassette;
  /** The members of the request of an exchange that its answer repeats. */
  repeatedOf(exchange: StoredExchange): ReadonlySet<string>;
}

/** The exchanges of a cassette as those of the operations that the overlay has for their methods. */
export function readMethods(cassette: Cassette, contract: Contract): MethodCassette {
  const variants = new Map<string, Operation[]>();
  for (const operation of contract.operations)
    if (operation.path.includes('#')) addTo(variants, readKey(operation), operation);
  const repeated = new Map<string, ReadonlySet<string>>();
  const keyOf = ({ operation }: StoredExchange): string => {
    const known = contract.operation(operation);
    return known === undefined ? '' : readKey(known);
  };
  const exchanges = cassette.exchanges.map((exchange): StoredExchange => {
    const found = findNamed(variants.get(keyOf(exchange)) ?? [], toDoubles(exchange.request.body));
    if (found === undefined) return exchange;
    const { request } = exchange;
    return { ...exchange, operation: found.id, request: { ...request, body: nameParameters(request.body, found) } };
  });
  for (const key of variants.keys()) {
    const calls = listCalls(cassette, (exchange) => keyOf(exchange) === key);
    repeated.set(key, listRepeatedMembers(calls, findMethodName(calls)));
  }
  const failed = new Set<StoredExchange>();
  for (const { id } of [...variants.values()].flat()) {
    const own = exchanges.filter(({ operation }) => operation === id);
    const check = createFailureCheck(own.flatMap((each) => toCall(cassette, each)));
    for (const each of own) if (toCall(cassette, each).some(check)) failed.add(each);
  }
  const hasFailed = (exchange: StoredExchange): boolean => {
    const { response } = exchange;
    if (response === undefined || failed.has(exchange)) return true;
    return isFailure(response.status, toDoubles(loadJson(cassette.folder, response)));
  };
  return {
    cassette: { ...cassette, exchanges, hasFailed },
    repeatedOf: (exchange) => repeated.get(keyOf(exchange)) ?? NONE,
  };
}

const NONE: ReadonlySet<string> = new Set();
