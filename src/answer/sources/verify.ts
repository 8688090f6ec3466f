import type { Contract } from '../../contract/contract.js';
import { isObject } from '../../contract/json.js';
import type { Operation } from '../../contract/operations/operation.js';
import type { Generator } from '../../generate/generate.js';
import type { Answer } from '../../http/answer.js';
import type { Validators } from '../../schema/validate.js';
import type { Violation } from '../../schema/violation.js';
import { type AnswerPlan, createAnswerPlans } from '../answer-plan.js';
import type { AnswerSource, Exchange } from '../chain.js';
import { createDeclaredHeaders } from '../declared-headers.js';
import type { ErrorAnswers } from '../error-answers.js';
import { addLinks } from '../links.js';
import { readContext } from './generate.js';

/** What the check of answers is made of. */
interface VerifyParts {
  readonly contract: Contract;
  readonly validators: Validators;
  readonly generator: Generator;
  readonly errors: ErrorAnswers;
}

interface Finding {
  readonly answer: Answer;
  readonly violations: readonly Violation[];
}

/**
 * Checks whatever is answered below against the contract before it leaves.
 *
 * A generated answer that breaks the contract is made anew, a refusal is completed; any other becomes a 500 that names the
 * source at fault, the place and the rule. An answer that deviates on purpose, or that really came so, only has its
 * departures remembered. Headers that the contract requires and nobody set are supplied, success says where its links lead, and a
 * deprecated operation says that it is.
 */
export function createVerifySource(parts: VerifyParts): AnswerSource {
  const plans = createAnswerPlans(parts.contract, parts.validators);
  const headers = createDeclaredHeaders(parts.generator, parts.validators);

  const verify = (exchange: Exchange, answer: Answer | undefined): Answer | undefined => {
    if (answer === undefined || isSilent(answer)) return answer;
    const { operation } = exchange.call;
    const plan = plans.of(operation, answer);
    if (isChecked(answer)) return plan.isWhole() ? answer : remember({ answer, violations: [toUnusable(plan)] });
    const violations = plan.check(answer.body);
    const sound = violations.length === 0 ? answer : settle(exchange, plan, { answer, violations });
    const whole = finish(exchange, plan, sound);
    const isLinked = plan.links.length > 0 && whole.status === answer.status && !isRecorded(answer);
    return isLinked ? addLinks(exchange, plan.links, whole) : whole;
  };

  const settle = (exchange: Exchange, plan: AnswerPlan, finding: Finding): Answer => {
    const { answer, violations } = finding;
    if (answer.deviates !== undefined || isRecorded(answer)) return remember(finding);
    if (answer.from === 'generate' || answer.from === 'refuse' || answer.invented === true) {
      const mended = mend(exchange, plan, answer);
      if (mended !== undefined) return noteMended(exchange, finding, mended);
      // Nothing fits that schema, or nothing was found that does: a refusal still has to be heard.
      if (answer.from === 'refuse') return remember({ answer, violations });
    }
    return blame(parts.errors, exchange, finding);
  };

  const mend = (exchange: Exchange, plan: AnswerPlan, answer: Answer): Answer | undefined => {
    if (plan.schemaPointer === undefined) return undefined;
    for (const make of listRepairs(parts.generator, plan.schemaPointer, { answer, exchange })) {
      const body = make();
      if (plan.check(body).length === 0) return { ...answer, body };
    }
    return undefined;
  };

  const finish = (exchange: Exchange, plan: AnswerPlan, sound: Answer): Answer => {
    const answer = plan.isWhole() ? sound : remember({ answer: sound, violations: [toUnusable(plan)] });
    const missing = plan.requiredHeaders.some((name) => !Object.hasOwn(answer.headers, name));
    const isDeprecated = exchange.call.operation.deprecated;
    const body = plan.watch(answer.body);
    if (!missing && !isDeprecated) return body === answer.body ? answer : { ...answer, body };
    const declared =
      missing && plan.response !== undefined
        ? headers.fields(plan.response, readContext(exchange), answer.headers)
        : {};
    const required = Object.fromEntries(
      Object.entries(declared).filter(([name]) => plan.requiredHeaders.includes(name)),
    );
    const deprecation: Answer['headers'] = isDeprecated ? { deprecation: writeDeprecation(exchange) } : {};
    return { ...answer, body, headers: { ...required, ...deprecation, ...answer.headers } };
  };

  return {
    name: 'verify',
    answer: (exchange, next) => {
      const answer = next();
      return answer instanceof Promise ? answer.then((one) => verify(exchange, one)) : verify(exchange, answer);
    },
  };
}

/** A fault that strikes before anything is sent leaves nothing to check. */
function isSilent({ fault, body }: Answer): boolean {
  return fault !== undefined && body === undefined;
}

/** Its source has checked it already, and nothing above changed its body. */
function isChecked({ checked, body }: Answer): boolean {
  return checked !== undefined && checked.body === body;
}

/** Real traffic is shown as it was. */
function isRecorded({ from }: Answer): boolean {
  return /^(?:forward|record|replay)(?:$|[:\s])/.test(from);
}

/** The ways to make an answer fit, the one that keeps most of it first. */
function listRepairs(
  generator: Generator,
  pointer: string,
  { answer, exchange }: { readonly answer: Answer; readonly exchange: Exchange },
): readonly (() => unknown)[] {
  const context = readContext(exchange);
  if (answer.from === 'generate') return [() => generator.value(pointer, { ...context, seed: context.seed + 1 })];
  const complete = (): unknown => generator.complete(pointer, answer.body, context);
  if (answer.invented !== true) return [complete];
  const rest = [complete, (): unknown => generator.value(pointer, context)];
  // Some operations on an item answer with the list that it is in; when it is removed, it is not in it.
  return exchange.call.operation.method === 'DELETE' ? rest : [() => [answer.body], ...rest];
}

function noteMended(exchange: Exchange, { answer, violations }: Finding, mended: Answer): Answer {
  if (answer.invented === true)
    exchange.note(`${answer.from}: made anew where it did not fit: ${violations[0]?.message ?? ''}`);
  return mended;
}

/** What is left of a schema vouches for less than it seems to. */
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

function remember({ answer, violations }: Finding): Answer {
  return { ...answer, violations: [...answer.violations, ...violations] };
}

function blame(errors: ErrorAnswers, exchange: Exchange, { answer, violations }: Finding): Answer {
  const [first] = violations;
  const where = first === undefined || first.pointer === '' ? '' : ` at ${first.pointer}`;
  const rule = first?.schemaPointer === undefined ? '' : ` (rule: ${writePlace(exchange, first.schemaPointer)})`;
  const message =
    `The answer of ${nameCulprit(answer.from)} to ${exchange.call.operation.id} breaks the contract${where}: ` +
    `${first?.message ?? 'it does not fit'}${rule}. ${hintFor(answer.from)}`;
  const refusal = errors.answer(exchange.call.operation, {
    status: 500,
    message,
    code: 'answer_invalid',
    violations,
    headers: { 'x-should-retry': 'false' },
    from: 'verify',
  });
  exchange.note(`${answer.from} answered ${answer.status} against the contract: ${first?.message ?? ''}`);
  return {
    ...refusal,
    violations: [...refusal.violations, ...violations.filter((one) => !refusal.violations.includes(one))],
  };
}

function nameCulprit(from: string): string {
  const [source = '', name] = from.split(':');
  return name === undefined ? `the ${source} source` : `${source} "${name}"`;
}

function hintFor(from: string): string {
  const source = from.split(':')[0] ?? '';
  return HINTS[source] ?? 'Change what it answers, or the schema.';
}

const HINTS: Readonly<Record<string, string>> = {
  example: 'Correct the example in the contract, or serve examples as they are with examples: verbatim.',
  generate: 'No value was found that fits the schema: look for parts of it that contradict each other.',
  handler: 'Change what the handler returns.',
  scenario: 'Correct the body in the scenario file, or say there why it violates the contract.',
  state: 'Correct the fixture, or the request that stored it.',
};

function writePlace({ contract }: Exchange, pointer: string): string {
  const { file, line, pointer: own } = contract.locate(pointer);
  const place = file === undefined ? '' : `${file}${line === undefined ? '' : `:${line}`} `;
  return `${place}#${own ?? pointer}`;
}

/**
 * RFC 9745 section 2.1: a Date item of structured fields, `@` and seconds since 1970. The contract does not say since when
 * (an extension may), so it is today by the session's clock; the bare `true` of the drafts never became the standard.
 */
function writeDeprecation({ call, session }: Exchange): string {
  const since = readSince(call.operation);
  return `@${Math.floor((since ?? Math.floor(session.clock.now() / DAY_MS) * DAY_MS) / 1000)}`;
}

const DAY_MS = 86_400_000;

function readSince({ extensions }: Operation): number | undefined {
  for (const name of ['x-deprecated-at', 'x-deprecated-since', 'x-deprecation-date', 'x-deprecated']) {
    const given = extensions[name];
    const text = isObject(given) ? (given['date'] ?? given['since']) : given;
    const instant = typeof text === 'string' ? Date.parse(text) : NaN;
    if (Number.isFinite(instant)) return instant;
  }
  return undefined;
}
