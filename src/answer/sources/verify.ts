import { toDay } from '../../clock.js';
import { isObject, filterMembers } from '../../contract/json.js';
import type { Operation } from '../../contract/operations/operation.js';
import type { Generator } from '../../generate/generate.js';
import type { Answer } from '../../http/answer.js';
import { hasErrors, type Violation } from '../../schema/violation.js';
import { type AnswerPlan, createAnswerPlans } from '../answer-plan.js';
import { type AnswerSource, createChain, type Exchange, type SourceParts, whenSettled } from '../chain.js';
import { createDeclaredHeaders } from '../declared-headers.js';
import { type ErrorAnswers, NO_RETRY } from '../error-answers.js';
import { addLinks } from '../links.js';
import { readContext } from './generate.js';
import { isPromise } from '../../platform.js';

interface VerifyParts extends SourceParts {
  /** The sources below, whose answers are checked. */
  readonly sources: readonly AnswerSource[];
}

/**
 * Checks every answer from below against the contract before it is sent.
 *
 * What happens to one that breaks it is data of its source (`AnswerSource.onInvalid`) or of the answer itself. Required headers
 * that are missing are generated, a success gets its links, and a deprecated operation its `Deprecation` header.
 */
export function createVerifySource(parts: VerifyParts): AnswerSource {
  const planAnswer = createAnswerPlans(parts.contract, parts.validators);
  const writeHeaders = createDeclaredHeaders(parts.generator, parts.validators);
  const sources = new Map(parts.sources.map((source) => [source.name, source] as const));
  const findSource = ({ from }: Answer): AnswerSource | undefined => sources.get(/^\w*/.exec(from)?.[0] ?? '');

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
    if (answer.from === 'state' && isAmbiguous(parts.validators, plan, { answer, violations }))
      return withViolations(answer, violations.map(toNote));
    if (policy === 'complete' || policy === 'regenerate') {
      const repaired = repair(exchange, plan, { answer, isWhole: policy === 'regenerate', generator: parts.generator });
      if (repaired !== undefined) return noteRepair(exchange, { answer: repaired, violations });
    }
    const isBest = source?.isBest === true;
    if (isSentAnyway(policy, source, answer)) return withViolations(answer, violations);
    // A generated list of such objects is better than an error.
    if (isBest && isAmbiguous(parts.validators, plan, { answer, violations }))
      return withViolations(answer, violations.map(toNote));
    const other = policy === 'pass' && source !== undefined ? askBelow(source, exchange, violations) : undefined;
    if (isBest && other !== undefined && hasErrors(other.violations)) return withViolations(answer, violations);
    return other ?? fail(parts.errors, exchange, { answer, violations, hint: source?.hint });
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

/** Whether a body is only invalid because several alternatives of a `oneOf` allow an object, whose author meant a union of them. */
function isAmbiguous(
  validators: VerifyParts['validators'],
  { schemaPointer }: AnswerPlan,
  { answer, violations }: InvalidAnswer,
): boolean {
  if (schemaPointer === undefined || violations.some(({ code }) => code !== 'UNION')) return false;
  // In a request, such an object is accepted.
  return !hasErrors(validators.check(schemaPointer, 'request')(answer.body, 'body'));
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
  return isWhole && fits(body) ? { ...answer, body } : undefined;
}

function noteRepair({ note }: Exchange, { answer, violations }: InvalidAnswer): Answer {
  note(`${answer.from}: generated again where it broke the contract: ${violations[0]?.message ?? ''}`);
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
  const [source = '', name] = answer.from.split(':');
  const who = name === undefined ? `the ${source} source` : `${source} "${name}"`;
  const message =
    `The answer of ${who} to ${exchange.call.operation.id} breaks the contract${where}: ` +
    `${first?.message ?? 'it does not fit'}${rule}. ${hint}`;
  exchange.note(`${answer.from} answered ${answer.status}, which breaks the contract: ${first?.message ?? ''}`);
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
  for (const name of ['x-deprecated-at', 'x-deprecated-since', 'x-deprecation-date', 'x-deprecated']) {
    const given = extensions[name];
    const text = isObject(given) ? (given['date'] ?? given['since']) : given;
    const instant = typeof text === 'string' ? Date.parse(text) : NaN;
    if (Number.isFinite(instant)) return instant;
  }
  return undefined;
}
