import { means } from '../../../conventions/conventions.js';
import type { Contract } from '../../../contract/contract.js';
import { filterMembers, isObject, mapScalars, readJsonType } from '../../../base/json.js';
import type { Operation } from '../../../contract/operations/operation.js';
import { type HeaderFields, readContentType, readField } from '../../../http/header-fields.js';
import { isJsonType } from '../../../contract/media-type.js';
import type { Cassette, StoredExchange } from '../cassette/cassette.js';
import { toDoubles } from '../../../base/exact-json.js';
import { writeCanonical } from '../cassette/canonical.js';
import type { RecordedResponse } from '../cassette/exchange.js';
import { loadBody, readText, writeBody } from '../cassette/recorded-body.js';
import type { CheckResponse } from '../../../http/response/response-check.js';
import { SELECTING } from '../matching/exchange-index.js';
import { isFailure } from './failure.js';
import { generalize } from './learn-errors.js';
import type { SkippedItem } from './promote-files.js';

interface PromotedRuleParts {
  readonly contract: Contract;
  readonly check: CheckResponse;
  /** The exchanges that are different although the contract allows them, because the schema adds to their bodies. */
  readonly inexact: readonly StoredExchange[];
  /** The key of the request of an exchange. */
  keyOf(exchange: StoredExchange): string | undefined;
  /** The query of an exchange, typed according to the contract. */
  queryOf(exchange: StoredExchange): Readonly<Record<string, unknown>>;
  /** The JSON body of a request, or the fields of its form, typed according to the contract; undefined for another body. */
  bodyOf(exchange: StoredExchange): unknown;
  /** The members of the request of an exchange that its answer repeats. */
  repeatedOf(exchange: StoredExchange): ReadonlySet<string>;
  /** Why a scenario with one rule is not valid; undefined if it is. */
  findMistake(scenario: object): string | undefined;
}

/** A scenario with the rules that the contract allows, and the exchanges that no rule can answer. */
interface PromotedScenario {
  /** Undefined without rules. */
  readonly scenario: object | undefined;
  readonly skipped: readonly SkippedItem[];
}

/** The scenario that replays recorded exchanges. */
export function toPromotedScenario(
  cassette: Cassette,
  exchanges: readonly StoredExchange[],
  given: PromotedRuleParts & { readonly description: string },
): PromotedScenario {
  const parts = { ...given, ...withoutRepeated(given) };
  const operations: Record<string, object[]> = {};
  const skipped: SkippedItem[] = [];
  const unknown = new Map<string, object>();
  for (const exchange of exchanges) {
    const operation = parts.contract.operation(exchange.operation);
    if (operation === undefined || exchange.response === undefined) continue;
    const made = toRule(cassette, { exchange, operation }, parts);
    if (typeof made === 'string') {
      skipped.push({ collection: operation.id, id: exchange.file, why: made });
      continue;
    }
    operations[operation.id] = [...(operations[operation.id] ?? []), made];
    if (isOfUnknown(cassette, exchange, parts)) unknown.set(operation.id, toGeneralRule(made, exchange));
  }
  for (const [id, rule] of unknown) operations[id] = [...(operations[id] ?? []), rule];
  const isEmpty = Object.keys(operations).length === 0;
  return { scenario: isEmpty ? undefined : { description: parts.description, operations }, skipped };
}

/** A rule of a scenario as it is written. */
interface WrittenRule {
  readonly when: object;
  readonly respond: Readonly<Record<string, unknown>>;
  readonly violates?: string;
}

/** The rule that gives the answer of an exchange to its request, or why there is none. */
function toRule(cassette: Cassette, target: RuleTarget, parts: PromotedRuleParts): WrittenRule | string {
  const { exchange, operation } = target;
  const { response } = exchange;
  if (response === undefined) return 'the connection failed';
  if (isOtherPath(exchange, operation, cassette))
    return 'its path differs from that of other requests by a slash at the end, which a rule does not compare';
  const isInexact = parts.inexact.includes(exchange);
  const answer = toAnswer(cassette, response, isInexact);
  if (typeof answer === 'string') return answer;
  const respond = omitRepeated(answer, parts.repeatedOf(exchange));
  const when = toCondition(cassette, target, parts);
  const body = toDoubles(loadBody(cassette.folder, response).body);
  const [violation] = parts.check(operation, { ...response, body });
  const reason = violation?.message ?? (isInexact ? 'nothing is added to it' : undefined);
  const rule = { when, respond, ...(reason !== undefined && { violates: `as recorded: ${reason}` }) };
  const findMistake = (each: object): string | undefined =>
    parts.findMistake({ operations: { [operation.id]: [each] } });
  const mistake = findMistake(rule);
  if (mistake === undefined) return rule;
  // A rule that says why it violates the contract may have more than the contract declares.
  const accepted = { ...rule, violates: `as recorded: ${mistake}` };
  return findMistake(accepted) ?? accepted;
}

/** Whether a method failed for values in place of which others have a result: values that were not recorded are unknown too. */
function isOfUnknown(cassette: Cassette, exchange: StoredExchange, { bodyOf, contract }: PromotedRuleParts): boolean {
  const hasFailed = ({ response }: StoredExchange): boolean =>
    response !== undefined && isFailure(response.status, toDoubles(loadBody(cassette.folder, response).body));
  const shapeOf = (each: StoredExchange): string => writeCanonical(mapScalars(bodyOf(each), readJsonType));
  const isMethod = contract.operation(exchange.operation)?.path.includes('#') === true;
  if (!isMethod || !hasFailed(exchange)) return false;
  const own = shapeOf(exchange);
  return cassette.exchanges.some(
    (other) =>
      other.operation === exchange.operation &&
      shapeOf(other) === own &&
      writeCanonical(bodyOf(other)) !== writeCanonical(bodyOf(exchange)) &&
      !hasFailed(other),
  );
}

/** A rule for all requests, whose answer has the values of the request. */
function toGeneralRule({ respond, violates }: WrittenRule, exchange: StoredExchange): object {
  const body = generalize(respond['body'], { exchange, param: undefined });
  return { respond: { ...respond, body }, ...(violates !== undefined && { violates }) };
}

/** The readers of requests without what answers only repeat. */
function withoutRepeated({
  bodyOf,
  keyOf,
  repeatedOf,
}: PromotedRuleParts): Pick<PromotedRuleParts, 'bodyOf' | 'keyOf'> {
  const readBody = (exchange: StoredExchange): unknown => {
    const body = bodyOf(exchange);
    return isObject(body) ? filterMembers(body, (name) => !repeatedOf(exchange).has(name)) : body;
  };
  const readKey = (exchange: StoredExchange): string | undefined =>
    repeatedOf(exchange).size === 0 ? keyOf(exchange) : writeCanonical([exchange.operation, readBody(exchange)]);
  return { bodyOf: readBody, keyOf: readKey };
}

/** An answer without the members that it repeats from any request. */
function omitRepeated(answer: WrittenRule['respond'], repeated: ReadonlySet<string>): WrittenRule['respond'] {
  const { body } = answer;
  return isObject(body) ? { ...answer, body: filterMembers(body, (name) => !repeated.has(name)) } : answer;
}

/** Whether only a slash at the end of the path distinguishes a request, such as one that is redirected, from others of its operation. */
function isOtherPath({ request }: StoredExchange, { id, path }: Operation, { exchanges }: Cassette): boolean {
  const hasSlash = request.path.endsWith('/');
  if (hasSlash === /\/(?:[?#]|$)/.test(path)) return false;
  return exchanges.some((other) => other.operation === id && other.request.path.endsWith('/') !== hasSlash);
}

/** The recorded answer as a rule gives it, or why a rule cannot. @param isExact - Whether nothing may be added to an error. */
function toAnswer(
  cassette: Cassette,
  response: RecordedResponse,
  isExact: boolean,
): Readonly<Record<string, unknown>> | string {
  // The part that came is all that the client wanted, if the client ended it.
  if (response.cut === 'upstream')
    return 'the upstream broke the connection, so that the recorded response is not complete';
  const kept = Object.entries(response.headers).filter(([name]) => means(name, 'headers.kept'));
  const head = { status: response.status, ...(kept.length > 0 && { headers: Object.fromEntries(kept) }) };
  const { body } = loadBody(cassette.folder, response);
  const type = readContentType(response.headers);
  if (body !== undefined && (type === undefined || isJsonType(type))) {
    const isNamed = type !== undefined && (isExact || type !== 'application/json');
    return { ...head, ...(isNamed && { mediaType: type }), body: toDoubles(body) };
  }
  if (response.cut !== undefined && type !== undefined && isJsonType(type))
    return 'the part of the response that was recorded is not valid JSON';
  const bytes = writeBody(cassette.folder, response) ?? new Uint8Array();
  const text = readText(bytes);
  if (text === undefined) {
    if (bytes.byteLength > MAX_BYTES) return 'its body is too large for a scenario';
    return { ...head, ...(type !== undefined && { mediaType: type }), base64: Buffer.from(bytes).toString('base64') };
  }
  return { ...head, ...(type !== undefined && text !== '' && { mediaType: type, body: text }) };
}

/** Longer bytes in a scenario would make a file that is not edited easily. */
const MAX_BYTES = 1024 * 1024;

interface RuleTarget {
  readonly exchange: StoredExchange;
  readonly operation: Operation;
}

/** The requests that a rule applies to: those that are recorded with the answer. */
function toCondition(cassette: Cassette, { exchange, operation }: RuleTarget, parts: PromotedRuleParts): object {
  const { pathParams } = exchange.request;
  const body = parts.bodyOf(exchange);
  const query = parts.queryOf(exchange);
  const key = parts.keyOf(exchange);
  const missing = listMissingCredentials(exchange, operation, parts.contract);
  const own = cassette.exchanges.filter((other) => other.operation === exchange.operation);
  const same = own.filter(
    (other) =>
      parts.keyOf(other) === key && listMissingCredentials(other, operation, parts.contract).length === missing.length,
  );
  const different = own.filter((other) => parts.keyOf(other) !== key);
  const others = different.map(parts.bodyOf);
  const absent = listMore(query, different.map(parts.queryOf)).map((name) => [name, null] as const);
  const index = same.indexOf(exchange);
  const asked = writeCanonical([pathParams, query, body]);
  const twins = different.filter(
    (other) => writeCanonical([other.request.pathParams, parts.queryOf(other), parts.bodyOf(other)]) === asked,
  );
  const header = [...missing.map((name) => [name, null] as const), ...listSelected(exchange, twins)];
  return {
    ...(Object.keys(pathParams).length > 0 && { path: pathParams }),
    ...(Object.keys(query).length + absent.length > 0 && { query: { ...query, ...Object.fromEntries(absent) } }),
    ...(header.length > 0 && { header: Object.fromEntries(header) }),
    ...(body !== undefined && { body: toExactCondition(body, others) }),
    // If the same request was recorded several times, only this call of it is meant; the last one is repeated.
    ...(same.length > 1 && { call: isRepeated(same, index) ? `${index + 1}..` : index + 1 }),
  };
}

/** Whether an answer that is not an error is the last one to a request, which further calls get too. */
function isRepeated(same: readonly StoredExchange[], index: number): boolean {
  return index === same.length - 1 && (same[index]?.response?.status ?? 0) < 400;
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

/**
 * A condition for a body and for none of the others that have more: an object in a condition may have more members, and `{}` would match
 * every object.
 */
function toExactCondition(body: unknown, others: readonly unknown[]): unknown {
  if (Array.isArray(body)) {
    const items = others.flatMap((other) => (Array.isArray(other) ? other : []));
    return body.map((item: unknown) => toExactCondition(item, items));
  }
  if (!isObject(body)) return body;
  const objects = others.filter((other) => isObject(other));
  const absent = listMore(body, objects);
  // Other requests may have members that no recorded one has.
  if (Object.keys(body).length === 0) return { not: { jsonPath: '$.*' } };
  const members = Object.entries(body).map(([name, value]): [string, unknown] => [
    name,
    toExactCondition(
      value,
      objects.map((other) => other[name]),
    ),
  ]);
  return Object.fromEntries([...members, ...absent.map((name): [string, unknown] => [name, { present: false }])]);
}

/** The names that objects have in addition to everything that this one has; objects inside of them count as equal. */
function listMore(
  one: Readonly<Record<string, unknown>>,
  others: readonly Readonly<Record<string, unknown>>[],
): readonly string[] {
  const isSubset = (other: Readonly<Record<string, unknown>>): boolean =>
    Object.entries(one).every(
      ([name, value]) => typeof value === 'object' || writeCanonical(other[name]) === writeCanonical(value),
    );
  const more = others.filter(isSubset).flatMap((other) => Object.keys(other));
  return [...new Set(more)].filter((name) => !Object.hasOwn(one, name));
}

/** The header fields in which a request differs from others that are equal otherwise; null for a field that it lacks. */
function listSelected(
  { request }: StoredExchange,
  twins: readonly StoredExchange[],
): readonly (readonly [name: string, value: string | null])[] {
  const read = (headers: HeaderFields, name: string): string | null => readField(headers, name) ?? null;
  return ['accept', ...SELECTING].flatMap((name): (readonly [string, string | null])[] => {
    const own = read(request.headers, name);
    return twins.some((other) => read(other.request.headers, name) !== own) ? [[name, own]] : [];
  });
}
