import { type ErrorAnswers, NO_RETRY } from '../../answer/error-answers.js';
import type { Operation } from '../../contract/operations/operation.js';
import { type MockError, toReason } from '../../base/errors.js';
import type { Answer } from '../../http/answer.js';
import { type Cors, isPreflight } from '../cors.js';
import { describeUnmatched, type Unmatched } from '../../http/request/unmatched.js';
import { NO_VIOLATIONS, toError } from '../../schema/violation.js';

interface UnmatchedSituation extends Unmatched {
  readonly request: Request;
  readonly errors: ErrorAnswers;
  readonly cors: Cors | undefined;
}

/**
 * The answer to a request that matches no operation: 204 with `Allow` for OPTIONS (RFC 9110 9.3.7), 405 with `Allow` for a path
 * that has other methods (15.5.6), else 404 with the nearest paths. A preflight request to any path is answered with 204, so that the page
 * can read the answer to the request itself.
 */
export function answerUnmatched(situation: UnmatchedSituation): Answer {
  const { match, request, errors, cors } = situation;
  const allow = match.kind === 'method' ? match.allow : [];
  if (cors !== undefined && isPreflight(request)) return answerOptions(allow, cors.preflight(request.headers, allow));
  if (match.kind === 'method' && request.method === 'OPTIONS') return answerOptions(allow, {});
  const report = describeUnmatched(situation);
  const { message } = report;
  const found = [toError(report)];
  if (match.kind === 'none') return errors.answer(undefined, { status: 404, message, code: 'path_unknown', found });
  const headers = { allow: match.allow.join(', ') };
  return errors.answer(undefined, { status: 405, message, code: 'method_not_allowed', headers, found });
}

/** The answer to a request whose session cannot be opened: 503 if there are too many, else 400. */
export function answerRefusedSession(errors: ErrorAnswers, refused: MockError): Answer {
  return errors.answer(undefined, {
    status: refused.code === 'SESSION_LIMIT' ? 503 : 400,
    message: refused.hint === undefined ? refused.reason : `${refused.reason}; ${refused.hint}`,
    code: refused.code.toLowerCase(),
    param: 'x-mock-session',
    headers: NO_RETRY,
  });
}

/** Seconds after which a client should try again. */
const RETRY_SECONDS = '1';

/** The answer to a request for which the store that processes share cannot be reached. */
export function answerUnreachable(errors: ErrorAnswers, { reason, code }: MockError): Answer {
  return errors.answer(undefined, {
    status: 503,
    message: reason,
    code: code.toLowerCase(),
    headers: { 'retry-after': RETRY_SECONDS },
    from: 'mock',
  });
}

function answerOptions(allow: readonly string[], preflight: Answer['headers']): Answer {
  const headers = { ...(allow.length > 0 && { allow: allow.join(', ') }), ...preflight };
  return {
    status: 204,
    headers,
    body: undefined,
    mediaType: undefined,
    from: 'options',
    violations: NO_VIOLATIONS,
  };
}

/** The answer to a call that no answer source answers. */
export function toUnanswered(errors: ErrorAnswers, operation: Operation): Answer {
  return errors.answer(operation, {
    status: 501,
    message: `no response is declared for ${operation.id}`,
    code: 'not_answered',
    headers: NO_RETRY,
    from: 'mock',
  });
}

/** The answer to a request on which the mock itself failed: a 500 that says so. */
export function toFailure(errors: ErrorAnswers, operation: Operation | undefined, error: unknown): Answer {
  const message = `the mock failed while answering ${operation?.id ?? 'the request'}: ${toReason(error)}`;
  return errors.failure(operation, { message, code: 'mock_failed', from: 'mock' });
}
