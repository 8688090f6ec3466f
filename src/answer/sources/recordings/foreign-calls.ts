import type { Operation } from '../../../contract/operations/operation.js';
import type { Answer } from '../../../http/answer.js';
import type { Call } from '../../../http/request/call.js';
import type { RecordedFailure } from '../../../recording/cassette/exchange.js';
import type { Ownership } from '../../../recording/recordings.js';
import type { AnswerSource } from '../../chain.js';
import type { ErrorAnswers } from '../../error-answers.js';

const SHOWN = 3;

/**
 * The departures of the client as a header, for answers that come although the call breaks the contract: an upstream or a
 * recording answers what the mock itself would refuse. Undefined where there are none.
 */
export function toReportHeaders(call: Call): Readonly<Record<string, string>> | undefined {
  const mistakes = call.violations.filter(({ severity }) => severity === 'error');
  if (mistakes.length === 0) return undefined;
  const shown = mistakes.slice(0, SHOWN).map(({ code, message }) => `${code} ${message}`);
  const more = mistakes.length > SHOWN ? [`and ${mistakes.length - SHOWN} more`] : [];
  return { 'x-mock-request-violations': [...shown, ...more].join('; ') };
}

/** A source that leaves alone the operations which recordings or an upstream answer. */
export function onlyForMock(source: AnswerSource, ownership: Ownership): AnswerSource {
  return {
    ...source,
    answer: (exchange, next) =>
      ownership.ownerOf(exchange.call.operation.id) === 'mock' ? source.answer(exchange, next) : next(),
  };
}

/**
 * A connection to the upstream that failed, as an answer in the contract's own error shape: 504 where nothing came in time,
 * 502 for everything else (RFC 9110 15.6.3, 15.6.5).
 */
export function answerFailure(
  errors: ErrorAnswers,
  operation: Operation,
  failure: RecordedFailure & { readonly from: string },
): Answer {
  const answer = errors.answer(operation, {
    status: failure.kind === 'timeout' ? 504 : 502,
    message: failure.message,
    code: `upstream_${failure.kind}`,
    from: failure.from,
  });
  return { ...answer, deviates: 'the upstream failed' };
}
