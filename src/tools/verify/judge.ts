import type { Operation } from '../../contract/operations/operation.js';
import { findResponse } from '../../contract/operations/responses.js';
import { readContentType } from '../../http/header-fields.js';
import { createWholeCheck } from '../../http/response/response-check.js';
import type { Violation } from '../../schema/violation.js';
import type { Expectation } from './cases.js';
import { createFindEvidence, type FindEvidence } from './evidence.js';
import type { FindingCode, FoundBreak, Verdict } from './finding.js';
import type { Exchange } from './target.js';

/** A request with its answer, and what the document says about it. */
export interface Judged {
  readonly operation: Operation;
  readonly case: string;
  readonly wants: Expectation;
  readonly exchange: Exchange;
  /** For an invalid request: its mistake, and the pointer to what it breaks. */
  readonly mistake?: Violation | undefined;
  /** Whether the request has values that only the service can know to be right. */
  readonly isUncertain?: boolean;
}

/** What a finding says besides its exchange; the default pointer is that of the operation. */
export interface Found {
  readonly code: FindingCode;
  readonly message: string;
  readonly pointer?: string;
  readonly verdict?: Verdict;
}

/** How a judge says what answers show. */
export interface Told {
  report(judged: Judged, found: Found): void;
  /** A fact about the service that the document lacks. */
  learn(judged: Judged, message: string): void;
}

/** How many characters of an answer a finding shows. */
const MAX_EXCERPT = 300;

/** A finding about an exchange. */
export function toBreak({ operation, case: name, exchange }: Judged, found: Found): FoundBreak {
  const { request, status, text } = exchange;
  const answer = text.length > MAX_EXCERPT ? `${text.slice(0, MAX_EXCERPT)}…` : text;
  const { id, pointer } = operation;
  return { verdict: 'service', pointer, ...found, operation: id, case: name, request, status, answer };
}

/** Creates what compares answers with the document. */
export function createJudge(parts: Parameters<typeof createFindEvidence>[0], told: Told): (judged: Judged) => void {
  const check = createWholeCheck(parts.validators);
  const evidence = createFindEvidence(parts);
  return (judged) => {
    const { operation, case: name } = judged;
    const { status, failure = 'there is no answer', isTimeout } = judged.exchange;
    if (isTimeout) told.learn(judged, `its answer did not end in time (${name})`);
    else if (status === undefined) told.report(judged, { code: 'ANSWER_MISSING', message: `${failure} (${name})` });
    // A limit and an outage say nothing about the operation.
    else if (status === 429 || status === 503) told.learn(judged, `it answered ${status} (${name})`);
    else if (status >= 500 && findResponse(operation, status)?.status !== String(status))
      told.report(judged, { code: 'SERVER_ERROR', message: `it answers ${status} (${name})` });
    else {
      judgeStatus(judged, status, { told, evidence });
      judgeAnswer({ ...judged, status }, { told, evidence, check });
    }
  };
}

interface JudgeParts {
  readonly told: Told;
  readonly evidence: FindEvidence;
}

/** The message of a finding, and whose mistake it is. @param why - Why it is that of the document. */
function blame(message: string, why: string | undefined): { readonly message: string; readonly verdict: Verdict } {
  return why === undefined ? { message, verdict: 'service' } : { message: `${message}; ${why}`, verdict: 'document' };
}

function judgeStatus(judged: Judged, status: number, { told, evidence }: JudgeParts): void {
  const { operation, wants, mistake, case: name } = judged;
  if (wants === 'refused' && status < 400) {
    const message = `it answers ${status} to an invalid request: ${mistake?.message ?? name}`;
    const pointer = findDeclared(operation, mistake?.schemaPointer ?? '');
    const why = mistake && evidence.ofRequest({ ...judged, violation: mistake });
    told.report(judged, { code: 'INVALID_ACCEPTED', pointer, ...blame(message, why) });
  } else if (wants === 'unauthorized' && status < 400) {
    const message = `it answers ${status} without credentials`;
    told.report(judged, { code: 'CREDENTIALS_IGNORED', message, pointer: `${operation.pointer}/security` });
  }
  if (wants !== 'success' || status < 400) return;
  if (status === 401 || status === 403) {
    const isPublic = operation.security.length === 0;
    const message = isPublic
      ? `it wants credentials (${status}), and the document declares none`
      : `it refuses the credentials (${status})`;
    told.learn(judged, message);
    return;
  }
  const message = `it answers ${status} to a valid request (${name}): ${judged.exchange.text.slice(0, 120)}`;
  const isRule = RULES.has(status) || judged.isUncertain === true;
  if (isRule) told.learn(judged, message);
  else told.report(judged, { code: 'VALID_REFUSED', message, verdict: 'unknown' });
}

/** Statuses of rules that a document cannot say. */
const RULES: ReadonlySet<number> = new Set([404, 409, 410, 412, 428]);

/** The parameter or the body that a mistake is in: a service that does not check it has one finding, whatever it accepts. */
function findDeclared({ parameters, body, pointer }: Operation, schemaPointer: string): string {
  const own = parameters.find(
    (each) => schemaPointer.startsWith(each.schemaPointer) || schemaPointer.startsWith(each.pointer),
  );
  return own?.pointer ?? body?.pointer ?? pointer;
}

const CODES: Readonly<Record<string, FindingCode>> = {
  BODY_MALFORMED: 'BODY_MALFORMED',
  HEADER_INVALID: 'HEADER_WRONG',
  HEADER_REQUIRED: 'HEADER_MISSING',
  MEDIA_TYPE_UNDECLARED: 'MEDIA_TYPE_UNDECLARED',
  STATUS_UNDECLARED: 'STATUS_UNDECLARED',
};

function judgeAnswer(
  judged: Judged & { readonly status: number },
  { told, evidence, check }: JudgeParts & { readonly check: ReturnType<typeof createWholeCheck> },
): void {
  const { operation, exchange, status } = judged;
  const { headers, text, request } = exchange;
  const declared = findResponse(operation, status);
  // Few documents declare the errors that every server has.
  if (declared === undefined && status >= 400) return;
  for (const violation of check({ operation, method: request.method }, { status, headers, text }).violations) {
    // Errors are often made by something in front of the service.
    if (status >= 400 && violation.code === 'MEDIA_TYPE_UNDECLARED') continue;
    const why = evidence.ofAnswer({ operation, exchange, violation });
    const { schemaPointer: pointer = operation.pointer } = violation;
    const code = CODES[violation.code] ?? 'BODY_WRONG';
    told.report(judged, { code, pointer, ...blame(`${violation.message} (${status})`, why) });
  }
  const isTyped = text === '' || readContentType(headers) !== undefined;
  if (isTyped || status >= 400 || declared === undefined || declared.content.length === 0) return;
  const message = `the ${status} has a body without a Content-Type`;
  told.report(judged, { code: 'MEDIA_TYPE_UNDECLARED', message, pointer: `${declared.pointer}/content` });
}
