import { MockError } from '../../../errors.js';
import { type Answer, isSilent } from '../../../http/answer.js';
import { evaluateRules, type Evaluation, type Outcome } from '../../../scenario/rules/evaluate.js';
import type { ExpressionScope } from '../../../scenario/rules/expression.js';
import type { CollectionView } from '../../../scenario/rules/match.js';
import type { Rule } from '../../../scenario/rules/rule.js';
import { applyChanges, type ChangeCollections } from '../../../scenario/rules/scenario-state.js';
import { activeIds, type Scenarios, startScenarios } from '../../../scenario/scenarios.js';
import type { RequestHeaders } from '../../../http/request-headers.js';
import type { Session } from '../../../session/session.js';
import {
  type AnswerSource,
  type Exchange,
  type Next,
  type SourceParts,
  toEmptyAnswer,
  whenSettled,
} from '../../chain.js';
import { NO_RETRY } from '../../error-answers.js';
import { parsePrefer } from '../prefer.js';
import { addLimitHeaders } from './rate-limit-headers.js';
import { patchAnswer, respondToRule } from './respond.js';

interface ScenarioParts extends Pick<SourceParts, 'errors' | 'generator'> {
  readonly scenarios: Scenarios;
  /** Told each rule that applies to a call. */
  readonly onRule?: ((rule: Rule) => void) | undefined;
  /** The collections of a session, for conditions. */
  viewCollections(session: Session): CollectionView;
  /** Changes the collections of a session. */
  changeCollections(session: Session): ChangeCollections;
}

/**
 * Creates the source that applies the rules of active scenarios: they answer, patch, delay, fail, limit and change state.
 *
 * Matching, counting and `then` are one synchronous step, so that simultaneous calls are counted one by one.
 */
export function createScenarioSource(parts: ScenarioParts): AnswerSource {
  const { scenarios } = parts;

  const answerRules = (exchange: Exchange, ids: readonly string[], next: Next): ReturnType<Next> => {
    const { call, session, clock } = exchange;
    const rules = scenarios.rulesFor(ids, call.operation);
    if (rules.length === 0) {
      exchange.note('scenario: no active scenario has a rule for this operation');
      return next(exchange);
    }
    const { seed, scenario: state } = session;
    const scope: ExpressionScope = { call, vars: state.vars };
    const evaluation = evaluateRules(rules, {
      call,
      seed,
      now: clock.now(),
      state,
      collections: parts.viewCollections(session),
      note: exchange.note,
    });
    const target = { state, changeCollections: parts.changeCollections(session), note: exchange.note };
    for (const rule of evaluation.applied) {
      parts.onRule?.(rule);
      if (rule.changes !== undefined) applyChanges(rule.changes, target, scope);
    }
    const finish = (): ReturnType<Next> => {
      const answer = answerOutcome(parts, { exchange, outcome: evaluation.outcome, scope }, next);
      return whenSettled(answer, complete, { evaluation, scope });
    };
    return evaluation.delayMs > 0 ? clock.sleep(evaluation.delayMs).then(finish) : finish();
  };

  return {
    name: 'scenario',
    hint: 'Correct the body in the scenario file, or say there why it violates the contract.',
    answer: (exchange, next) => {
      const { call, session } = exchange;
      for (const line of session.scenario.takeNotes()) exchange.note(line);
      const ofRequest = readRequested(call.headers);
      if (ofRequest.length === 0) {
        const ids = activeIds(scenarios, session.scenario, ofRequest);
        if (ids.length > 0) return answerRules(exchange, ids, next);
        exchange.note('scenario: none is active');
        return next(exchange);
      }
      const unknown = answerUnknown(parts, exchange, ofRequest);
      if (unknown !== undefined) return unknown;
      const own = openRequest(parts, exchange, ofRequest);
      const answer = answerRules(own, activeIds(scenarios, session.scenario, ofRequest), next);
      if (call.headers.has('x-mock-scenario')) return answer;
      return whenSettled(answer, addPreferenceApplied, ofRequest);
    },
  };
}

/** The scenarios that a request activates: `x-mock-scenario: a, b`, or `Prefer: scenario=a` (RFC 7240). */
function readRequested(headers: RequestHeaders): readonly string[] {
  const named = headers.get('x-mock-scenario');
  const preferred = headers.get('prefer');
  if (named === null && preferred === null) return NONE;
  const preference = preferred === null ? undefined : parsePrefer(preferred).get('scenario');
  const ids = `${named ?? ''},${preference ?? ''}`.split(',').map((id) => id.trim());
  return ids.filter((id) => id !== '');
}

const NONE: readonly string[] = Object.freeze([]);

/** Adds `Preference-Applied` (RFC 7240 section 3). */
function addPreferenceApplied(answer: Answer | undefined, ids: readonly string[]): Answer | undefined {
  if (answer === undefined || answer.status === 0) return answer;
  return { ...answer, headers: { ...answer.headers, 'preference-applied': `scenario="${ids.join()}"` } };
}

/** The answer to a request that names an unknown scenario; undefined where all of them exist. */
function answerUnknown(
  { scenarios, errors }: ScenarioParts,
  { call, note }: Exchange,
  ids: readonly string[],
): Answer | undefined {
  try {
    for (const id of ids) scenarios.find(id);
    return undefined;
  } catch (error) {
    if (!(error instanceof MockError)) throw error;
    const message = error.hint === undefined ? error.reason : `${error.reason}; ${error.hint}`;
    note(`scenario: ${message}`);
    const about = { code: 'scenario_unknown', param: 'x-mock-scenario', headers: NO_RETRY, from: 'scenario' };
    return errors.answer(call.operation, { status: 400, message, ...about });
  }
}

/** The exchange of a request that activates scenarios: their `state` lasts for this request only. */
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
  const { note } = exchange;
  startScenarios(parts.scenarios, { state: kept, changeCollections: parts.changeCollections(session), note }, ids);
  return { ...exchange, session };
}

/** Applies the patches, the one of the highest precedence last, and adds the headers of rate limits. */
function complete(
  answer: Answer | undefined,
  { evaluation, scope }: { readonly evaluation: Evaluation; readonly scope: ExpressionScope },
): Answer | undefined {
  if (answer === undefined || answer.status === 0) return answer;
  const patched = evaluation.patches.toReversed().reduce((below, patch) => patchAnswer(below, patch, scope), answer);
  return evaluation.limit === undefined ? patched : addLimitHeaders(patched, scope.call.operation, evaluation.limit);
}

/** Builds the answer of the deciding rule; without one, the sources below answer. */
function answerOutcome(
  parts: ScenarioParts,
  decision: { readonly exchange: Exchange; readonly outcome: Outcome | undefined; readonly scope: ExpressionScope },
  next: Next,
): ReturnType<Next> {
  const { exchange, outcome, scope } = decision;
  if (outcome === undefined) return next(exchange);
  const { kind, rule } = outcome;
  if (kind === 'error') {
    const { status, message, code, headers = NO_RETRY } = outcome;
    const from = `scenario:${rule.scenario}`;
    return parts.errors.answer(exchange.call.operation, { status, message, code, headers, from });
  }
  const fault = kind === 'fault' ? outcome.fault : outcome.respond.fault;
  if (fault !== undefined && isSilent(fault)) {
    // An exchange without an answer has status 0 in the journal.
    return { ...toEmptyAnswer(0, `scenario:${rule.scenario}`), violates: rule.violates, fault };
  }
  if (kind === 'fault') return whenSettled(next(exchange), addFault, outcome);
  return respondToRule(parts, { exchange, rule, respond: outcome.respond }, scope);
}

function addFault(
  answer: Answer | undefined,
  { rule, fault }: Outcome & { readonly kind: 'fault' },
): Answer | undefined {
  const from = `scenario:${rule.scenario}`;
  return answer && { ...answer, fault, from, violates: rule.violates ?? answer.violates };
}
