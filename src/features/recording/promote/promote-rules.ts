import { means } from '../../../conventions/conventions.js';
import { addTo, filterMembers, isObject, mapScalars, readJsonType } from '../../../base/json.js';
import type { Operation } from '../../../contract/operations/operation.js';
import { readContentType } from '../../../http/header-fields.js';
import { isJsonType } from '../../../contract/media-type.js';
import type { Cassette, StoredExchange } from '../cassette/cassette.js';
import { toDoubles } from '../../../base/exact-json.js';
import { writeCanonical } from '../cassette/canonical.js';
import type { RecordedResponse } from '../cassette/exchange.js';
import { loadBody, readText, writeBody } from '../cassette/recorded-body.js';
import type { CheckResponse } from '../../../http/response/response-check.js';
import { createConditions, type RequestReaders } from './conditions.js';
import type { JudgedCassette } from './failure.js';
import { generalize } from './learn-errors.js';
import type { SkippedItem } from './promote-files.js';

interface PromotedRuleParts extends RequestReaders {
  readonly check: CheckResponse;
  /** The exchanges that are different although the contract allows them, because the schema adds to their bodies. */
  readonly inexact: ReadonlySet<StoredExchange>;
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
  cassette: JudgedCassette,
  exchanges: readonly StoredExchange[],
  given: PromotedRuleParts & { readonly description: string },
): PromotedScenario {
  const parts = { ...given, ...withoutRepeated(given) };
  const byOperation = new Map<string, StoredExchange[]>();
  for (const exchange of cassette.exchanges) addTo(byOperation, exchange.operation, exchange);
  const recorded = new Map<string, RecordedOperation>();
  const rules = new Map<string, object[]>();
  const skipped: SkippedItem[] = [];
  const general = new Map<string, object>();
  for (const exchange of exchanges) {
    const operation = parts.contract.operation(exchange.operation);
    if (operation === undefined || exchange.response === undefined) continue;
    const { id } = operation;
    const known = recorded.get(id) ?? readOperation(cassette, operation, { parts, own: byOperation.get(id) ?? [] });
    recorded.set(id, known);
    const made = toRule(cassette, { exchange, recorded: known }, parts);
    if (typeof made === 'string') skipped.push({ collection: id, id: exchange.file, why: made });
    else {
      addTo(rules, id, made);
      if (known.isOfUnknown(exchange)) general.set(id, toGeneralRule(made, exchange));
    }
  }
  for (const [id, rule] of general) addTo(rules, id, rule);
  const { description } = parts;
  return {
    scenario: rules.size === 0 ? undefined : { description, operations: Object.fromEntries(rules) },
    skipped,
  };
}

/** An operation with what its recorded exchanges have in common. */
interface RecordedOperation {
  readonly operation: Operation;
  /** The condition of the rule for an exchange. */
  toCondition(exchange: StoredExchange): object;
  /** Whether only a slash at the end of its path distinguishes a request, such as one that is redirected, from others. */
  isOtherPath(exchange: StoredExchange): boolean;
  /** Whether a method failed for values, and had a result for others: values that were not recorded are unknown too. */
  isOfUnknown(exchange: StoredExchange): boolean;
}

function readOperation(
  { hasFailed }: JudgedCassette,
  operation: Operation,
  { parts, own }: { readonly parts: PromotedRuleParts; readonly own: readonly StoredExchange[] },
): RecordedOperation {
  const shapeOf = (each: StoredExchange): string => writeCanonical(mapScalars(parts.bodyOf(each), readJsonType));
  const isMethod = operation.path.includes('#');
  const hasSlash = ({ request }: StoredExchange): boolean => request.path.endsWith('/');
  const slashes = new Set(own.map(hasSlash));
  // The bodies with a result, by shape.
  const results = new Map<string, Set<string>>();
  for (const each of isMethod ? own.filter((other) => !hasFailed(other)) : []) {
    const shape = shapeOf(each);
    results.set(shape, (results.get(shape) ?? new Set()).add(writeCanonical(parts.bodyOf(each))));
  }
  return {
    operation,
    toCondition: createConditions(operation, own, parts),
    isOtherPath: (exchange) => slashes.size > 1 && hasSlash(exchange) !== /\/(?:[?#]|$)/.test(operation.path),
    isOfUnknown: (exchange) => {
      if (!isMethod || !hasFailed(exchange)) return false;
      const others = results.get(shapeOf(exchange));
      return others !== undefined && others.size > (others.has(writeCanonical(parts.bodyOf(exchange))) ? 1 : 0);
    },
  };
}

/** A rule of a scenario as it is written. */
interface WrittenRule {
  readonly when: object;
  readonly respond: Readonly<Record<string, unknown>>;
  readonly violates?: string;
}

/** The rule that gives the answer of an exchange to its request, or why there is none. */
function toRule(
  cassette: Cassette,
  { exchange, recorded }: { readonly exchange: StoredExchange; readonly recorded: RecordedOperation },
  parts: PromotedRuleParts,
): WrittenRule | string {
  const { response } = exchange;
  const { operation } = recorded;
  if (response === undefined) return 'the connection failed';
  if (recorded.isOtherPath(exchange))
    return 'its path differs from that of other requests by a slash at the end, which a rule does not compare';
  const isInexact = parts.inexact.has(exchange);
  const answer = toAnswer(cassette, response, isInexact);
  if (typeof answer === 'string') return answer;
  const respond = omitRepeated(answer, parts.repeatedOf(exchange));
  const when = recorded.toCondition(exchange);
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
