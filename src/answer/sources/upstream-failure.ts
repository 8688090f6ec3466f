import type { Operation } from '../../contract/operations/operation.js';
import type { Answer } from '../../http/answer.js';
import type { RecordedFailure } from '../../recording/cassette/exchange.js';
import type { ErrorAnswers } from '../error-body.js';

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
