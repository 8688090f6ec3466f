import { type ErrorAnswers, NO_RETRY } from '../answer/error-answers.js';
import type { Operation } from '../contract/operations/operation.js';
import type { RouteMatch } from '../contract/router/router.js';
import type { MockError } from '../errors.js';
import type { Answer } from '../http/answer.js';
import { type ClientReport, NO_VIOLATIONS, toError } from '../schema/violation.js';

interface UnmatchedSituation {
  readonly match: Exclude<RouteMatch, { readonly kind: 'operation' }>;
  readonly request: Request;
  readonly path: string;
  readonly errors: ErrorAnswers;
  readonly cors: boolean;
}

const SHOWN_PATH_LENGTH = 200;

/**
 * The answer to a request that matches no operation: 204 with `Allow` for OPTIONS (RFC 9110 9.3.7), 405 with `Allow` for a path
 * that has other methods (15.5.6), else 404 with the nearest paths.
 */
export function answerUnmatched(situation: UnmatchedSituation): Answer {
  const { match, request, errors } = situation;
  if (match.kind === 'method' && request.method === 'OPTIONS') return answerOptions(situation, match.allow);
  const report = describeUnmatched(situation);
  const { message } = report;
  const found = [toError(report)];
  if (match.kind === 'none') return errors.answer(undefined, { status: 404, message, code: 'path_unknown', found });
  const headers = { allow: match.allow.join(', ') };
  return errors.answer(undefined, { status: 405, message, code: 'method_not_allowed', headers, found });
}

/** What is wrong about a request that matches no operation. */
export function describeUnmatched({ match, request, path }: Omit<UnmatchedSituation, 'errors' | 'cors'>): ClientReport {
  if (match.kind === 'method') {
    const message = `${cutPath(path)} does not support ${request.method}; it supports ${match.allow.join(', ')}`;
    return { code: 'METHOD_UNKNOWN', in: 'method', message };
  }
  const verb = match.nearest.length === 1 ? 'is' : 'are';
  const nearest = match.nearest.length === 0 ? '' : `; the nearest ${verb} ${match.nearest.join(', ')}`;
  return { code: 'PATH_UNKNOWN', in: 'path', message: `the contract has no path ${cutPath(path)}${nearest}` };
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

/** Whether a browser asks if it may send a request (Fetch standard, CORS-preflight request). */
export function isPreflight({ method, headers }: Request): boolean {
  return method === 'OPTIONS' && headers.has('access-control-request-method') && headers.has('origin');
}

function answerOptions({ request, cors }: UnmatchedSituation, allow: readonly string[]): Answer {
  const isAsked = cors && request.headers.has('access-control-request-method');
  const headers = { allow: allow.join(', '), ...(isAsked ? preflightHeaders(request.headers, allow) : {}) };
  return { status: 204, headers, body: undefined, mediaType: undefined, from: 'options', violations: NO_VIOLATIONS };
}

function cutPath(path: string): string {
  return path.length <= SHOWN_PATH_LENGTH ? path : `${path.slice(0, SHOWN_PATH_LENGTH)}… (${path.length} characters)`;
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
  const reason = error instanceof Error ? error.message : String(error);
  const message = `the mock failed while answering ${operation?.id ?? 'the request'}: ${reason}`;
  return errors.failure(operation, { message, code: 'mock_failed', from: 'mock' });
}

/** The headers of the response to a preflight request (Fetch standard, CORS protocol). */
export function preflightHeaders(requestHeaders: Headers, allow: readonly string[]): Readonly<Record<string, string>> {
  return {
    'access-control-allow-methods': allow.join(', '),
    'access-control-allow-headers': requestHeaders.get('access-control-request-headers') ?? '*',
    'access-control-max-age': '600',
    ...(requestHeaders.get('access-control-request-private-network') === 'true' && {
      'access-control-allow-private-network': 'true',
    }),
  };
}

/** The answer with the headers that let the requesting page read it; unchanged without an `Origin`. */
export function allowOrigin(answer: Answer, requestHeaders: Headers): Answer {
  const origin = requestHeaders.get('origin');
  if (origin === null) return answer;
  const exposed = Object.keys(answer.headers).filter((name) => !name.startsWith('access-control-'));
  return {
    ...answer,
    headers: {
      'access-control-allow-origin': origin,
      'access-control-allow-credentials': 'true',
      'access-control-expose-headers': [...exposed, 'x-mock-source'].join(', '),
      vary: 'Origin',
      ...answer.headers,
    },
  };
}
