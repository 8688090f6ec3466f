import { cutMessage, type ErrorCode, MockError } from '../../base/errors.js';
import type { Answer } from '../../http/answer.js';
import { PROBLEM_TYPE, toProblem } from '../../http/response/problem.js';
import { NO_VIOLATIONS, type Violation } from '../../schema/violation.js';
import { isError } from '../../base/platform.js';

/** The hint where the request itself is wrong. */
export const SEE_DOCUMENT = 'spec/control.openapi.yaml describes every operation';

interface ControlProblem {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  readonly hint?: string | undefined;
  /** Every mistake, where there are several. */
  readonly errors?: readonly { readonly code: string; readonly pointer: string; readonly message: string }[];
  readonly headers?: Readonly<Record<string, string>>;
}

/** An answer with a JSON body; with an async iterable of strings, it is sent in pieces. */
export function answerJson(status: number, body: unknown): Answer {
  return { ...PLAIN_ANSWER, status, body, mediaType: 'application/json' };
}

/** An answer without a body. */
export function answerEmpty(): Answer {
  return { ...PLAIN_ANSWER, status: 204, body: undefined, mediaType: undefined };
}

/** An answer in newline-delimited JSON, sent one by one. */
export function answerItems(items: AsyncIterable<unknown>): Answer {
  return { ...PLAIN_ANSWER, status: 200, body: items, mediaType: 'application/x-ndjson' };
}

/** Problem details (RFC 9457) with a code and a hint. */
export function answerProblem(problem: ControlProblem): Answer {
  const { status, code, hint, errors, headers = {} } = problem;
  const body = toProblem({
    status,
    detail: cutMessage(problem.message),
    code,
    hint: hint === undefined ? undefined : cutMessage(hint),
    errors: errors?.map((error) => ({
      ...error,
      pointer: cutMessage(error.pointer),
      message: cutMessage(error.message),
    })),
  });
  return { ...PLAIN_ANSWER, status, headers, body, mediaType: PROBLEM_TYPE };
}

/** The answer to an error that a handler threw; an unexpected one is a 500. */
export function answerError(error: unknown): Answer {
  if (error instanceof MockError) {
    const { code, reason, hint } = error;
    return answerProblem({ status: STATUSES[code] ?? 400, code, message: reason, hint });
  }
  const message = isError(error) ? error.message : String(error);
  return answerProblem({ status: 500, code: 'MOCK_FAILED', message: `the control API failed: ${message}` });
}

/** The answer to a request that violates the document of the control API. */
export function answerInvalid(violations: readonly Violation[]): Answer {
  const [first] = violations;
  return answerProblem({
    status: violations.find((violation) => violation.status !== undefined)?.status ?? 400,
    code: 'CONTROL_INVALID',
    message: first?.message ?? 'the request violates the document of the control API',
    hint: SEE_DOCUMENT,
    errors: violations,
  });
}

/** The members that answers of the control API have in common. */
export const PLAIN_ANSWER: Pick<Answer, 'headers' | 'from' | 'violations'> = {
  headers: {},
  from: 'control',
  violations: NO_VIOLATIONS,
};

/** Every other code is a 400. */
const STATUSES: Partial<Record<ErrorCode, number>> = {
  STORE_UNREACHABLE: 503,
  CLOCK_INVALID: 409,
  COLLECTION_UNKNOWN: 404,
  INTERACTION_UNKNOWN: 404,
  INTERACTION_UNREPEATABLE: 409,
  RECORDING_INVALID: 422,
  RECORDING_NOT_FOUND: 404,
  SCENARIO_INVALID: 422,
  SCENARIO_UNKNOWN: 404,
  SCENARIO_UNREADABLE: 422,
  SESSION_EXISTS: 409,
  SESSION_LIMIT: 503,
  SESSION_TOKEN_TAKEN: 409,
  SESSION_UNKNOWN: 404,
  SNAPSHOT_UNKNOWN: 404,
  STATE_INVALID: 422,
  STATE_LIMIT: 503,
  WAIT_TIMEOUT: 504,
};
