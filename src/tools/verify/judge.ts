import type { Operation } from '../../contract/operations/operation.js';
import { findMedia, isJsonType } from '../../contract/media-type.js';
import { findResponse } from '../../contract/operations/responses.js';
import { readContentType } from '../../http/header-fields.js';
import { checkHeaderValues, createResponseCheck } from '../../http/response/response-check.js';
import type { Validators } from '../../schema/validate.js';
import { EMPTY_STATUSES } from '../../http/response/encode.js';
import type { Violation } from '../../schema/violation.js';
import type { Expectation } from './cases.js';
import { createFindEvidence, type FindEvidence } from './evidence.js';
import { type FindingCode, type FoundBreak, type Learned, pointerOf, type Verdict } from './finding.js';
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

/** What an answer shows. */
export interface Judgement {
  readonly breaks: readonly FoundBreak[];
  readonly learned: readonly Learned[];
}

/** How many characters of an answer a finding shows. */
const MAX_EXCERPT = 300;

/** A finding about an exchange. */
export function toBreak(
  { operation, case: name, exchange }: Pick<Judged, 'case' | 'exchange' | 'operation'>,
  found: { readonly code: FindingCode; readonly message: string; readonly pointer: string; readonly verdict?: Verdict },
): FoundBreak {
  const { request, status, text } = exchange;
  const answer = text.length > MAX_EXCERPT ? `${text.slice(0, MAX_EXCERPT)}…` : text;
  return { verdict: 'service', ...found, operation: operation.id, case: name, request, status, answer };
}

/** Creates what compares answers with the document. */
export function createJudge(parts: Parameters<typeof createFindEvidence>[0]): (judged: Judged) => Judgement {
  const { validators } = parts;
  const check = createResponseCheck(validators);
  const evidence = createFindEvidence(parts);
  return (judged) => {
    const { operation, exchange } = judged;
    const { status, failure } = exchange;
    if (exchange.isTimeout) return learn(judged, `its answer did not end in time (${judged.case})`);
    if (status === undefined) {
      const message = `${failure ?? 'there is no answer'} (${judged.case})`;
      return {
        breaks: [toBreak(judged, { code: 'ANSWER_MISSING', message, pointer: operation.pointer })],
        learned: [],
      };
    }
    // A limit and an outage say nothing about the operation.
    if (status === 429 || status === 503) return learn(judged, `it answered ${status} (${judged.case})`);
    if (status >= 500 && findResponse(operation, status)?.status !== String(status)) {
      const message = `it answers ${status} (${judged.case})`;
      return { breaks: [toBreak(judged, { code: 'SERVER_ERROR', message, pointer: operation.pointer })], learned: [] };
    }
    const expected = judgeStatus(judged, status, evidence);
    return {
      breaks: [...expected.breaks, ...judgeAnswer({ ...judged, status }, { check, validators, evidence })],
      learned: expected.learned,
    };
  };
}

function learn({ operation }: Judged, message: string): Judgement {
  return { breaks: [], learned: [{ operation: operation.id, message }] };
}

/** The message of a finding, and whose mistake it is. @param why - Why it is that of the document. */
function blame(message: string, why: string | undefined): { readonly message: string; readonly verdict: Verdict } {
  return why === undefined ? { message, verdict: 'service' } : { message: `${message}; ${why}`, verdict: 'document' };
}

function judgeStatus(judged: Judged, status: number, evidence: FindEvidence): Judgement {
  const { operation, wants, mistake, case: name } = judged;
  const body = judged.exchange.text.slice(0, 120);
  if (wants === 'refused') {
    if (status >= 400) return { breaks: [], learned: [] };
    const message = `it answers ${status} to an invalid request: ${mistake?.message ?? name}`;
    const pointer = findDeclared(operation, mistake?.schemaPointer ?? '');
    const why = mistake && evidence.ofRequest({ ...judged, violation: mistake });
    return { breaks: [toBreak(judged, { code: 'INVALID_ACCEPTED', pointer, ...blame(message, why) })], learned: [] };
  }
  if (wants === 'unauthorized') {
    if (status >= 400) return { breaks: [], learned: [] };
    const message = `it answers ${status} without credentials`;
    return {
      breaks: [toBreak(judged, { code: 'CREDENTIALS_IGNORED', message, pointer: pointerOf(operation, '/security') })],
      learned: [],
    };
  }
  if (status < 400 || wants === 'any') return { breaks: [], learned: [] };
  if (status === 401 || status === 403) {
    const isPublic = operation.security.length === 0;
    return learn(
      judged,
      isPublic
        ? `it wants credentials (${status}), and the document declares none`
        : `it refuses the credentials (${status})`,
    );
  }
  const isRule = status === 404 || status === 409 || status === 410 || status === 412 || status === 428;
  if (isRule || judged.isUncertain === true)
    return learn(judged, `it answers ${status} to a valid request (${name}): ${body}`);
  const message = `it answers ${status} to a valid request (${name}): ${body}`;
  return {
    breaks: [toBreak(judged, { code: 'VALID_REFUSED', message, pointer: operation.pointer, verdict: 'unknown' })],
    learned: [],
  };
}

/** The parameter or the body that a mistake is in: a service that does not check it has one finding, whatever it accepts. */
function findDeclared({ parameters, body, pointer }: Operation, schemaPointer: string): string {
  const own = parameters.find(
    (each) => schemaPointer.startsWith(each.schemaPointer) || schemaPointer.startsWith(each.pointer),
  );
  return own?.pointer ?? body?.pointer ?? pointer;
}

const CODES: Readonly<Record<string, FindingCode>> = {
  STATUS_UNDECLARED: 'STATUS_UNDECLARED',
  HEADER_REQUIRED: 'HEADER_MISSING',
  MEDIA_TYPE_UNDECLARED: 'MEDIA_TYPE_UNDECLARED',
};

function judgeAnswer(
  judged: Judged & { readonly status: number },
  {
    check,
    validators,
    evidence,
  }: {
    readonly check: ReturnType<typeof createResponseCheck>;
    readonly validators: Validators;
    readonly evidence: FindEvidence;
  },
): readonly FoundBreak[] {
  const { operation, exchange, status } = judged;
  const { headers, body, text } = exchange;
  const declared = findResponse(operation, status);
  // Few documents declare the errors that every server has.
  if (declared === undefined && status >= 400) return [];
  const type = readContentType(headers);
  const isEmpty = EMPTY_STATUSES.has(status) || exchange.request.method === 'HEAD';
  const violations = check(operation, { status, headers, body: isEmpty ? undefined : body });
  // Errors are often made by something in front of the service.
  const counted = violations.filter(({ code }) => status < 400 || code !== 'MEDIA_TYPE_UNDECLARED');
  const breaks = counted.map((violation) => {
    const code = CODES[violation.code] ?? 'BODY_WRONG';
    const pointer = violation.schemaPointer ?? operation.pointer;
    const why = evidence.ofAnswer({ operation, exchange, violation });
    return toBreak(judged, { code, pointer, ...blame(`${violation.message} (${status})`, why) });
  });
  const isUnread = !isEmpty && type !== undefined && isJsonType(type) && body === undefined;
  const media = declared === undefined || type === undefined ? undefined : findMedia(declared.content, type);
  if (isUnread && (text !== '' || media?.schema !== undefined)) {
    const message = `the body of a ${status} is not ${type}`;
    breaks.push(toBreak(judged, { code: 'BODY_MALFORMED', message, pointer: media?.pointer ?? operation.pointer }));
  }
  if (type === undefined && text !== '' && !isEmpty && status < 400 && (declared?.content.length ?? 0) > 0) {
    const message = `the ${status} has a body without a Content-Type`;
    const pointer = `${declared?.pointer ?? operation.pointer}/content`;
    breaks.push(toBreak(judged, { code: 'MEDIA_TYPE_UNDECLARED', message, pointer }));
  }
  for (const { message, schemaPointer } of checkHeaderValues(operation, { status, headers }, validators)) {
    const pointer = schemaPointer ?? operation.pointer;
    breaks.push(toBreak(judged, { code: 'HEADER_WRONG', message: `${message} (${status})`, pointer }));
  }
  return breaks;
}
