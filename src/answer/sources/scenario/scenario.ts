import { MockError } from '../../../errors.js';
import type { Generator } from '../../../generate/generate.js';
import { type Answer, type Fault, isSilent } from '../../../http/answer.js';
import { considerRules, type Outcome, type Verdict } from '../../../scenario/rules/consider.js';
import { applyChanges, type ChangeCollection, patchAnswer } from '../../../scenario/rules/effects.js';
import type { Scope } from '../../../scenario/rules/expression.js';
import type { CollectionView } from '../../../scenario/rules/match.js';
import type { Rule } from '../../../scenario/rules/rule.js';
import { activeIds, type Scenarios, startScenarios } from '../../../scenario/scenarios.js';
import { NO_VIOLATIONS } from '../../../schema/violation.js';
import type { Session } from '../../../session/session.js';
import { type AnswerSource, type Exchange, type Next, whenSettled } from '../../chain.js';
import type { ErrorAnswers } from '../../error-answers.js';
import { createRespond } from './respond.js';

/** What the source of scenarios is made of. */
interface ScenarioParts {
  readonly scenarios: Scenarios;
  readonly generator: Generator;
  readonly errors: ErrorAnswers;
  /** How rules look at the collections of a session. */
  viewCollections(session: Session): CollectionView;
  /** How rules change them. */
  changeCollections(session: Session): ChangeCollection;
}

/**
 * Answers by the active rules: they answer, change the answer from below, wait, fail, count and change state.
 *
 * Matching, counting and `then` happen in one synchronous step, so that calls that arrive together are told apart.
 */
export function createScenarioSource(parts: ScenarioParts): AnswerSource {
  const { scenarios, errors } = parts;
  const answerOutcome = createOutcomeAnswers(parts);

  const answerRules = (exchange: Exchange, ids: readonly string[], next: Next): ReturnType<Next> => {
    const { call, session, clock } = exchange;
    const rules = scenarios.rulesFor(ids, call.operation);
    if (rules.length === 0) return next(exchange);
    const { seed, scenario: state } = session;
    const scope: Scope = { call, vars: state.vars };
    const verdict = considerRules(rules, {
      call,
      seed,
      now: clock.now(),
      state,
      collections: parts.viewCollections(session),
      note: exchange.note,
    });
    const target = { state, changeCollection: parts.changeCollections(session) };
    for (const rule of verdict.applied) if (rule.changes !== undefined) applyChanges(rule.changes, target, scope);
    const finish = (): ReturnType<Next> => {
      const answer = answerOutcome(exchange, { outcome: verdict.outcome, scope, next });
      return whenSettled(answer, complete, { verdict, scope });
    };
    return verdict.delayMs > 0 ? clock.sleep(verdict.delayMs).then(finish) : finish();
  };

  return {
    name: 'scenario',
    hint: 'Correct the body in the scenario file, or say there why it violates the contract.',
    answer: (exchange, next) => {
      const { call, session } = exchange;
      const ofRequest = readRequested(call.headers);
      if (ofRequest.length === 0) {
        const ids = activeIds(scenarios, session.scenario, ofRequest);
        return ids.length === 0 ? next() : answerRules(exchange, ids, next);
      }
      const unknown = findUnknown(scenarios, ofRequest);
      if (unknown !== undefined) return answerUnknown(errors, exchange, unknown);
      const own = openRequest(parts, exchange, ofRequest);
      const answer = answerRules(own, activeIds(scenarios, session.scenario, ofRequest), next);
      if (call.headers.has('x-mock-scenario')) return answer;
      return whenSettled(answer, confirm, ofRequest);
    },
  };
}

/** The scenarios a request asks for itself: `x-mock-scenario: a, b`, or `Prefer: scenario=a` (RFC 7240). */
function readRequested(headers: Headers): readonly string[] {
  const named = headers.get('x-mock-scenario');
  const preferred = headers.get('prefer');
  if (named === null && preferred === null) return NONE;
  const list = (named ?? '').split(',');
  for (const match of (preferred ?? '').matchAll(/(?:^|[,;\s])scenario\s*=\s*(?:"([^"]*)"|([^\s,;]+))/gi)) {
    list.push(...(match[1] ?? match[2] ?? '').split(','));
  }
  return list.map((id) => id.trim()).filter((id) => id !== '');
}

const NONE: readonly string[] = Object.freeze([]);

/** RFC 7240 section 3: says which preference was obeyed. */
function confirm(answer: Answer | undefined, ids: readonly string[]): Answer | undefined {
  if (answer === undefined || answer.status === 0) return answer;
  return { ...answer, headers: { ...answer.headers, 'preference-applied': `scenario="${ids.join()}"` } };
}

function findUnknown(scenarios: Scenarios, ids: readonly string[]): MockError | undefined {
  try {
    for (const id of ids) scenarios.find(id);
    return undefined;
  } catch (error) {
    if (error instanceof MockError) return error;
    throw error;
  }
}

function answerUnknown(errors: ErrorAnswers, exchange: Exchange, error: MockError): Answer {
  return errors.answer(exchange.call.operation, {
    status: 400,
    message: error.hint === undefined ? error.message : `${error.message}; ${error.hint}`,
    code: 'scenario_unknown',
    param: 'x-mock-scenario',
    headers: NO_RETRY,
    from: 'scenario',
  });
}

/** The exchange of a request that brings its own scenarios: what they change at their start lasts for this request. */
function openRequest(parts: ScenarioParts, exchange: Exchange, ids: readonly string[]): Exchange {
  const state = exchange.session.scenario;
  const fresh = ids.map((id) => parts.scenarios.find(id));
  for (const { start } of fresh) {
    const missing = Object.entries(start.vars).filter(([name]) => !Object.hasOwn(state.vars, name));
    if (missing.length > 0) state.setVars(Object.fromEntries(missing));
  }
  if (fresh.every(({ start }) => start.collections.length === 0)) return exchange;
  const session = exchange.session.branch();
  const kept = { ...state, setVars: (): void => undefined };
  startScenarios(parts.scenarios, { state: kept, changeCollection: parts.changeCollections(session) }, ids);
  return { ...exchange, session };
}

/** The patches, the weakest first, and what rate limits tell. */
function complete(
  answer: Answer | undefined,
  { verdict, scope }: { readonly verdict: Verdict; readonly scope: Scope },
): Answer | undefined {
  if (answer === undefined || answer.status === 0) return answer;
  const patched = verdict.patches.toReversed().reduce((below, wish) => patchAnswer(below, wish, scope), answer);
  if (Object.keys(verdict.headers).length === 0) return patched;
  return { ...patched, headers: { ...verdict.headers, ...patched.headers } };
}

/** What the rules want, and what is needed to do it. */
interface Decided {
  /** Undefined: the sources below answer. */
  readonly outcome: Outcome | undefined;
  readonly scope: Scope;
  readonly next: Next;
}

/** Makes the answer that the winning rule wants. */
type AnswerOutcome = (exchange: Exchange, decided: Decided) => ReturnType<Next>;

/** What the official clients of several APIs take for: do not try again. */
const NO_RETRY: Readonly<Record<string, string>> = { 'x-should-retry': 'false' };

/** A maker of answers for what rules want. */
function createOutcomeAnswers(parts: { readonly generator: Generator; readonly errors: ErrorAnswers }): AnswerOutcome {
  const { errors } = parts;
  const respond = createRespond(parts);
  return (exchange, { outcome, scope, next }) => {
    if (outcome === undefined) return next(exchange);
    const from = `scenario:${outcome.rule.scenario}`;
    if (outcome.kind === 'respond') {
      const { fault } = outcome.respond;
      return fault !== undefined && isSilent(fault)
        ? toSilence(outcome.rule, fault)
        : respond(exchange, outcome.rule, { respond: outcome.respond, scope });
    }
    if (outcome.kind === 'fault') {
      return isSilent(outcome.fault) ? toSilence(outcome.rule, outcome.fault) : breakAnswer(exchange, outcome, next);
    }
    return errors.answer(
      exchange.call.operation,
      outcome.kind === 'limited'
        ? { status: 429, message: outcome.message, code: 'rate_limit_exceeded', headers: outcome.headers, from }
        : { status: 500, message: outcome.message, code: 'sequence_ended', headers: NO_RETRY, from },
    );
  };
}

function breakAnswer(exchange: Exchange, outcome: Outcome & { readonly kind: 'fault' }, next: Next): ReturnType<Next> {
  const { rule, fault } = outcome;
  const mark = (answer: Answer | undefined): Answer | undefined =>
    answer && { ...answer, fault, from: `scenario:${rule.scenario}`, deviates: rule.violates ?? answer.deviates };
  return whenSettled(next(exchange), mark, undefined);
}

/** No answer at all; its status is 0 in the journal. */
function toSilence(rule: Rule, fault: Fault): Answer {
  return {
    status: 0,
    headers: {},
    body: undefined,
    mediaType: undefined,
    from: `scenario:${rule.scenario}`,
    violations: NO_VIOLATIONS,
    deviates: rule.violates,
    fault,
  };
}
