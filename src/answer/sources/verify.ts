import { writeSource, type Answer } from '../../http/answer.js';
import { means, rankNames } from '../../conventions/conventions.js';
import { toDay } from '../../base/clock.js';
import { isObject, filterMembers } from '../../base/json.js';
import type { Operation, DeclaredResponse } from '../../contract/operations/operation.js';
import type { Generator } from '../../generate/generate.js';
import { hasErrors, type Violation, NO_VIOLATIONS } from '../../schema/violation.js';
import { type AnswerSource, createChain, type Exchange, type SourceParts, whenSettled } from '../chain.js';
import { createDeclaredHeaders, isSendable } from '../declared-headers.js';
import { isSerializedType } from '../example-check.js';
import { type ErrorAnswers, NO_RETRY } from '../error-answers.js';
import { addLinks, type LinkPlan, planLinks } from '../links.js';
import { readContext } from './generate.js';
import { isPromise, isBytes } from '../../base/platform.js';
import type { Contract } from '../../contract/contract.js';
import { findResponse } from '../../contract/operations/responses.js';
import { isSequenceType, findMedia, toEssence } from '../../contract/media-type.js';
import { isStream } from '../../http/response/encode.js';
import { findUndeclared } from '../../http/response/response-check.js';
import { isUndescribed, type ItemPlan, planItems, readItem, readKnownItems } from '../../http/stream-items.js';
import { isOnlyAmbiguous, type SchemaCheck, type Validators } from '../../schema/validate.js';
import { memoize } from '../../base/memoize.js';

interface VerifyParts extends SourceParts {
  /** The sources below, whose answers are checked. */
  readonly sources: readonly AnswerSource[];
}

/**
 * Checks every answer from below against the contract before it is sent.
 *
 * The answer, or else its source (`AnswerSource.onInvalid`), has the policy for one that breaks it. Required headers
 * that are missing are generated, a success gets its links, and a deprecated operation its `Deprecation` header.
 */
export function createVerifySource(parts: VerifyParts): AnswerSource {
  const planAnswer = createAnswerPlans(parts.contract, parts.validators);
  const writeHeaders = createDeclaredHeaders(parts.generator, parts.validators);
  const sources = new Map(parts.sources.map((source) => [source.name, source] as const));
  const findSource = ({ from }: Answer): AnswerSource | undefined => sources.get(from);

  const verify = (answer: Answer | undefined, exchange: Exchange): Answer | undefined => {
    // A fault without a body strikes before anything is sent.
    if (answer === undefined || (answer.fault !== undefined && answer.body === undefined)) return answer;
    const { operation } = exchange.call;
    const plan = planAnswer(operation, answer);
    // The source has checked the answer itself, and nothing above it changed the body.
    if (answer.checked !== undefined && answer.checked.body === answer.body)
      return plan.isWhole() ? answer : withViolations(answer, [toUnusable(plan)]);
    const violations = plan.check(answer.body);
    const valid = violations.length === 0 ? answer : correct(exchange, plan, { answer, violations });
    const whole = finish(exchange, plan, valid);
    if (plan.links.length === 0 || whole.status !== answer.status) return whole;
    // Real traffic stays as it was.
    return findSource(answer)?.onInvalid === 'report' ? whole : addLinks(exchange, plan.links, whole);
  };

  const correct = (exchange: Exchange, plan: AnswerPlan, { answer, violations }: InvalidAnswer): Answer => {
    const source = findSource(answer);
    const policy = answer.violates === undefined ? (answer.onInvalid ?? source?.onInvalid ?? 'fail') : 'report';
    // A body that is generated again would not show what the items in state have.
    const isAmbiguous = plan.isAmbiguous(violations, answer.body);
    if (answer.from === 'state' && isAmbiguous) return withViolations(answer, violations.map(toNote));
    if (policy === 'complete' || policy === 'regenerate') {
      const repaired = repair(exchange, plan, { answer, isWhole: policy === 'regenerate', generator: parts.generator });
      if (repaired !== undefined) return noteRepair(exchange, { answer: repaired, violations });
    }
    const isBest = source?.isBest === true;
    if (isSentAnyway(policy, source, answer)) return withViolations(answer, violations);
    // A generated list of such objects is better than an error.
    if (isBest && isAmbiguous) return withViolations(answer, violations.map(toNote));
    // Where the schema contradicts itself, what is answered without this source is better than an error, and an item is better than that.
    const other = source && (policy === 'pass' || policy === 'regenerate') && askBelow(source, exchange, violations);
    const isEmpty = isObject(answer.body) && Object.keys(answer.body).length === 0;
    if (isBest && !isEmpty && other && hasErrors(other.violations)) return withViolations(answer, violations);
    return other || fail(parts.errors, exchange, { answer, violations, hint: source?.hint });
  };

  /** The answer of the sources below one whose answer breaks the contract. */
  const askBelow = (source: AnswerSource, exchange: Exchange, violations: Violations): Answer | undefined => {
    const below = createChain(parts.sources.slice(parts.sources.indexOf(source) + 1));
    const [first] = violations;
    exchange.note(`${source.name}: its answer breaks the contract (${first?.message ?? ''}); the next source is asked`);
    const other = below(exchange);
    const verified = isPromise(other) ? undefined : verify(other, exchange);
    return verified && verified.status < 500 ? withViolations(verified, violations.map(toNote)) : undefined;
  };

  const finish = (exchange: Exchange, plan: AnswerPlan, valid: Answer): Answer => {
    const answer = plan.isWhole() ? valid : withViolations(valid, [toUnusable(plan)]);
    const getsAll = plan.otherHeaders.length > 0 && findSource(answer)?.getsDeclaredHeaders === true;
    const names = getsAll ? [...plan.requiredHeaders, ...plan.otherHeaders] : plan.requiredHeaders;
    const missing = names.some((name) => !Object.hasOwn(answer.headers, name));
    const { response } = plan;
    if (response?.isAssumed === true) exchange.note('verify: the operation declares no success response');
    const isDeprecated = exchange.call.operation.deprecated;
    const body = answer.violates === undefined ? plan.checkStream(answer.body) : answer.body;
    if (!missing && !isDeprecated) return body === answer.body ? answer : { ...answer, body };
    const declared = missing && response ? writeHeaders(response, readContext(exchange), answer.headers) : {};
    const required = filterMembers(declared, (name) => names.includes(name));
    const deprecation: Answer['headers'] = isDeprecated ? { deprecation: writeDeprecation(exchange) } : {};
    return { ...answer, body, headers: { ...required, ...deprecation, ...answer.headers } };
  };

  return { name: 'verify', answer: (exchange, next) => whenSettled(next(exchange), verify, exchange) };
}

/**
 * Whether an answer that cannot be repaired is sent: a generated object is the best one there is although it breaks a rule, and so is an item
 * that shows anything.
 */
function isSentAnyway(policy: AnswerSource['onInvalid'], source: AnswerSource | undefined, { body }: Answer): boolean {
  if (policy !== 'regenerate') return policy === 'report' || policy === 'complete';
  if (source?.isBest !== true || !isObject(body)) return false;
  return source.onInvalid === policy || Object.keys(body).length > 0;
}

type Violations = readonly Violation[];

type InvalidAnswer = { readonly answer: Answer; readonly violations: readonly Violation[] };

/** A note that parts of the schema cannot be used, so that the check was weaker than the contract. */
function toUnusable({ schemaPointer }: AnswerPlan): Violation {
  return {
    code: 'SCHEMA_UNUSABLE',
    severity: 'note',
    in: 'body',
    pointer: '',
    message: 'the answer was checked against a part of its schema only: the rest of it cannot be used',
    by: 'contract',
    schemaPointer,
  };
}

function toNote(violation: Violation): Violation {
  return { ...violation, severity: 'note' };
}

function withViolations(answer: Answer, violations: readonly Violation[]): Answer {
  return { ...answer, violations: [...answer.violations, ...violations] };
}

/**
 * The answer with a body that fits, which keeps as much of its own as possible; undefined if none was found.
 *
 * @param isWhole - Whether all of the body may be generated again.
 */
function repair(
  exchange: Exchange,
  { schemaPointer, check }: AnswerPlan,
  { answer, isWhole, generator }: { readonly answer: Answer; readonly isWhole: boolean; readonly generator: Generator },
): Answer | undefined {
  if (schemaPointer === undefined) return undefined;
  const context = readContext(exchange);
  const fits = (body: unknown): boolean => check(body).length === 0;
  // Some operations on an item answer with the list that it is in; a removed item is not in it any more.
  const listed = [answer.body];
  if (isWhole && exchange.call.operation.method !== 'DELETE' && fits(listed)) return { ...answer, body: listed };
  const completed = generator.complete(schemaPointer, answer.body, context);
  if (fits(completed)) return { ...answer, body: completed };
  const body = isWhole ? generator.value(schemaPointer, { ...context, seed: context.seed + 1 }) : undefined;
  if (!isWhole || !fits(body)) return undefined;
  // Nothing of what the state has is left, which a test must be able to see.
  const lost = answer.from === 'state' ? check(answer.body).map(toNote) : [];
  return withViolations({ ...answer, body }, lost);
}

function noteRepair({ note }: Exchange, { answer, violations }: InvalidAnswer): Answer {
  note(`${writeSource(answer)}: generated again where it broke the contract: ${violations[0]?.message ?? ''}`);
  return answer;
}

/** A 500 that names the source, the place and the rule, and says what to do. */
function fail(
  errors: ErrorAnswers,
  exchange: Exchange,
  { answer, violations, hint = 'Change what it answers, or the schema.' }: InvalidAnswer & Pick<AnswerSource, 'hint'>,
): Answer {
  const [first] = violations;
  const where = first === undefined || first.pointer === '' ? '' : ` at ${first.pointer}`;
  const rule = first?.schemaPointer === undefined ? '' : ` (rule: ${writePlace(exchange, first.schemaPointer)})`;
  const { from, detail } = answer;
  const who = detail === undefined ? `the ${from} source` : `${from} "${detail}"`;
  const message =
    `The answer of ${who} to ${exchange.call.operation.id} breaks the contract${where}: ` +
    `${first?.message ?? 'it does not fit'}${rule}. ${hint}`;
  exchange.note(`${writeSource(answer)} answered ${answer.status}, which breaks the contract: ${first?.message ?? ''}`);
  const details = { status: 500, message, code: 'answer_invalid', violations, found: violations };
  return errors.answer(exchange.call.operation, { ...details, headers: NO_RETRY, from: 'verify' });
}

function writePlace({ contract }: Exchange, pointer: string): string {
  const { file, line, pointer: own } = contract.locate(pointer);
  const place = file === undefined ? '' : `${file}${line === undefined ? '' : `:${line}`} `;
  return `${place}#${own ?? pointer}`;
}

/** The date of deprecation (RFC 9745 section 2.1): from an extension of the operation, else today on the session's clock. */
function writeDeprecation({ call, session }: Exchange): string {
  return `@${Math.floor((readSince(call.operation) ?? toDay(session.clock.now())) / 1000)}`;
}

function readSince({ extensions }: Operation): number | undefined {
  for (const name of rankNames(Object.keys(extensions), 'times.deprecated')) {
    const given = extensions[name];
    const text = isObject(given) ? (given['date'] ?? given['since']) : given;
    const instant = typeof text === 'string' ? Date.parse(text) : NaN;
    if (Number.isFinite(instant)) return instant;
  }
  return undefined;
}

/** The rules of the contract for the answers of an operation with one status and media type. */
interface AnswerPlan {
  readonly response: DeclaredResponse | undefined;
  readonly schemaPointer: string | undefined;
  /** Of a success only. */
  readonly links: readonly LinkPlan[];
  /** Names in lower case, without those that an answer never sets. */
  readonly requiredHeaders: readonly string[];
  /** Of a success: other declared headers, whose values depend on nothing in the answer. */
  readonly otherHeaders: readonly string[];
  /** Whether all of the schema can be used; known after the first check. */
  isWhole(): boolean;
  /** The violations of a body; a stream is not read for it. */
  check(body: unknown): readonly Violation[];
  /** Whether a body is only invalid because several alternatives allow it. */
  isAmbiguous(violations: readonly Violation[], body: unknown): boolean;
  /** The body; if it is a stream, its items are checked while they are sent. */
  checkStream(body: unknown): unknown;
}

/** Media types of one operation whose plans are kept: a handler may answer with a new one each time, such as one with a boundary. */
const MAX_TYPES = 200;

/** Creates a function that plans answers; each plan is created once. */
function createAnswerPlans(
  contract: Contract,
  validators: Validators,
): (operation: Operation, answer: Answer) => AnswerPlan {
  const find = memoize((operation: Operation) =>
    memoize(
      (mediaType: string) =>
        memoize((status: number) => createPlan({ contract, validators, operation }, status, mediaType)),
      MAX_TYPES,
    ),
  );
  return (operation, { status, mediaType = '' }) => find(operation)(mediaType)(status);
}

interface PlanParts {
  readonly contract: Contract;
  readonly validators: Validators;
  readonly operation: Operation;
}

function createPlan({ contract, validators, operation }: PlanParts, status: number, mediaType: string): AnswerPlan {
  const response = findResponse(operation, status);
  const requiredHeaders = (response?.headers ?? [])
    .filter(({ name, required }) => required && isSendable(name))
    .map(({ name }) => name.toLowerCase());
  const isSuccess = status >= 200 && status < 300;
  const otherHeaders = (isSuccess ? (response?.headers ?? []) : [])
    .map(({ name }) => name.toLowerCase())
    .filter((name) => isSendable(name) && !requiredHeaders.includes(name) && !means(name, 'headers.dependent'));
  const plan = {
    response,
    requiredHeaders,
    otherHeaders,
    links: isSuccess ? planLinks(contract, response) : [],
    schemaPointer: undefined,
    isWhole: () => true,
    check: () => NO_VIOLATIONS,
    isAmbiguous: () => false,
    checkStream: (body: unknown): unknown => body,
  };
  const undeclared = findMistake(operation, status, mediaType);
  if (undeclared !== undefined) {
    const found = [undeclared];
    return { ...plan, check: (body) => (undeclared.in === 'status' || body !== undefined ? found : NO_VIOLATIONS) };
  }
  const media = response === undefined || mediaType === '' ? undefined : findMedia(response.content, mediaType);
  const essence = toEssence(mediaType);
  if (media === undefined) return plan;
  if (isSequenceType(essence)) {
    const items = planItems(contract, media, essence);
    if (items === undefined) return plan;
    const check = validators.check(items.schemaPointer, 'response');
    return {
      ...plan,
      isWhole: () => validators.isWhole(items.schemaPointer),
      check: (body) => {
        const known = readKnownItems(body)?.filter((item) => !isUndescribed(item, items));
        return known?.flatMap((item) => check(readItem(item, items), 'body')) ?? NO_VIOLATIONS;
      },
      checkStream: (body) =>
        isStream(body) && readKnownItems(body) === undefined ? checkItems(body, check, items) : body,
    };
  }
  if (media.schema === undefined) return plan;
  const { schemaPointer } = media;
  const check = validators.check(schemaPointer, 'response');
  const isSerialized = isSerializedType(contract, essence, schemaPointer);
  return {
    ...plan,
    schemaPointer,
    isWhole: () => validators.isWhole(schemaPointer),
    isAmbiguous: (violations, body) => isOnlyAmbiguous(validators, violations, { schemaPointer, body }),
    check: (body) =>
      isOpaque(body) || (typeof body === 'string' && isSerialized) ? NO_VIOLATIONS : check(body, 'body'),
  };
}

/** An undeclared status or media type; errors need not be declared, since the mock itself answers with them. */
function findMistake(operation: Operation, status: number, mediaType: string): Violation | undefined {
  // A 1xx is not a final response, so an operation that declares nothing else answers 204.
  const isBare = status === 204 && operation.responses.every((one) => one.status.startsWith('1'));
  const found = status >= 400 || isBare ? undefined : findUndeclared(operation, status, mediaType || undefined);
  return found && { ...found, by: 'mock' };
}

/** Whether there is no body, or one that is not a JSON value. */
function isOpaque(body: unknown): boolean {
  return body === undefined || isBytes(body) || isStream(body);
}

async function* checkItems(
  stream: AsyncIterable<unknown>,
  check: SchemaCheck,
  items: ItemPlan,
): AsyncIterable<unknown> {
  for await (const item of stream) {
    const value = readItem(item, items);
    // A string among objects is a marker of the protocol.
    if (!isBytes(item) && !isUndescribed(item, items) && (typeof value !== 'string' || items.form === 'event')) {
      const [first] = check(value, 'body');
      if (first !== undefined) throw new Error(`an item of the stream breaks the contract: ${first.message}`);
    }
    yield item;
  }
}
