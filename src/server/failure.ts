import type { ErrorAnswers } from '../answer/error-answers.js';
import type { Operation } from '../contract/operations/operation.js';
import type { Answer } from '../http/answer.js';

/** The answer to a call that no source answers. */
export function toUnanswered(errors: ErrorAnswers, operation: Operation): Answer {
  return errors.answer(operation, {
    status: 501,
    message: `nothing answers ${operation.id}: the contract declares no response for it`,
    code: 'not_answered',
    headers: { 'x-should-retry': 'false' },
    from: 'mock',
  });
}

/** The answer to a call that the mock failed at: a mistake of ours is a 500 that says so. */
export function toFailure(errors: ErrorAnswers, operation: Operation, error: unknown): Answer {
  const message = error instanceof Error ? error.message : String(error);
  const answer = errors.answer(operation, {
    status: 500,
    message: `the mock failed while it answered ${operation.id}: ${message}`,
    code: 'mock_failed',
    headers: { 'x-should-retry': 'false' },
    from: 'mock',
  });
  const violation = {
    code: 'MOCK_FAILED',
    severity: 'error',
    in: 'body',
    pointer: '',
    message: `the mock failed: ${message}`,
    by: 'mock',
  } as const;
  return { ...answer, violations: [...answer.violations, violation] };
}
