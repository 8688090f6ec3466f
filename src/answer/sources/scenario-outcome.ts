import type { Generator } from '../../generate/generate.js';
import type { Answer } from '../../http/answer.js';
import { isSilent, type Fault } from '../../http/answer.js';
import { NO_VIOLATIONS } from '../../schema/violation.js';
import type { Scope } from '../../scenario/rules/expression.js';
import type { Rule } from '../../scenario/rules/rule.js';
import type { Outcome } from '../../scenario/rules/consider.js';
import type { Exchange, Next } from '../answer-source.js';
import type { ErrorAnswers } from '../error-body.js';
import { createRespond } from './scenario-respond.js';

/** What the rules want, and what is needed to do it. */
export interface Decided {
  /** Undefined: the sources below answer. */
  readonly outcome: Outcome | undefined;
  readonly scope: Scope;
  readonly next: Next;
}

/** Makes the answer that the winning rule wants. */
export type AnswerOutcome = (exchange: Exchange, decided: Decided) => ReturnType<Next>;

/** What the official clients of several APIs take for: do not try again. */
export const NO_RETRY: Readonly<Record<string, string>> = { 'x-should-retry': 'false' };

/** A maker of answers for what rules want. */
export function createOutcomeAnswers(parts: {
  readonly generator: Generator;
  readonly errors: ErrorAnswers;
}): AnswerOutcome {
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
  const below = next(exchange);
  return below instanceof Promise ? below.then(mark) : mark(below);
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
