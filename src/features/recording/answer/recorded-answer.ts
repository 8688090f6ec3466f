import type { Operation } from '../../../contract/operations/operation.js';
import type { Answer } from '../../../http/answer.js';
import { decodeContent, isLargeContent } from '../../../http/content-encoding.js';
import { type HeaderFields, readContentType, readField } from '../../../http/header-fields.js';
import { isJsonType } from '../../../contract/media-type.js';
import type { Call } from '../../../http/request/call.js';
import type { RecordedFailure } from '../cassette/exchange.js';
import { findExcess, RECORDED_LIMITS } from '../../../http/json-size.js';
import { NO_VIOLATIONS, type Violation, type ViolationCode } from '../../../schema/violation.js';
import { type ErrorAnswers, NO_RETRY } from '../../../answer/error-answers.js';
import { LOOP_STATUS } from '../upstream/upstream.js';

const SHOWN_VIOLATIONS = 3;

/** The notes about a call that no operation matches. */
const OUTSIDE: ReadonlySet<ViolationCode> = new Set<ViolationCode>(['PATH_UNKNOWN', 'METHOD_UNKNOWN']);

/** A header with the violations of a call that is answered although it violates the contract, or is outside of it; undefined without any. */
export function toReportHeaders(call: Call): Readonly<Record<string, string>> | undefined {
  const errors = call.violations.filter(({ severity, code }) => severity === 'error' || OUTSIDE.has(code));
  if (errors.length === 0) return undefined;
  const shown = errors.slice(0, SHOWN_VIOLATIONS).map(({ code, message }) => `${code} ${message}`);
  const more = errors.length > SHOWN_VIOLATIONS ? [`and ${errors.length - SHOWN_VIOLATIONS} more`] : [];
  return { 'x-mock-request-violations': [...shown, ...more].join('; ') };
}

/** The answer for a failed connection, in the contract's own error shape: 504 for a timeout, else 502 (RFC 9110 15.6.3, 15.6.5). */
export function answerFailure(
  errors: ErrorAnswers,
  operation: Operation,
  failure: RecordedFailure & Pick<Answer, 'from' | 'detail'>,
): Answer {
  const answer = errors.answer(operation, {
    status: failure.kind === 'timeout' ? 504 : 502,
    message: failure.message,
    code: `upstream_${failure.kind}`,
    from: failure.from,
    detail: failure.detail,
  });
  return { ...answer, violates: 'the upstream failed' };
}

/** The answer to a call that was forwarded in a loop, in the contract's own error shape; each mock of the loop passes it on. */
export function answerLoop(errors: ErrorAnswers, operation: Operation, upstream: string): Answer {
  const message = `the upstream ${upstream} forwards requests back to this mock; give the address of the real server`;
  const answer = errors.answer(operation, {
    status: LOOP_STATUS,
    message,
    code: 'upstream_loop',
    from: 'forward',
    detail: 'loop',
    headers: NO_RETRY,
    hasFixedStatus: true,
  });
  return { ...answer, violates: 'the upstream is the mock itself' };
}

/** The answer instead of one of the upstream that breaks the contract (RFC 9110 15.6.3). */
export function answerBroken(errors: ErrorAnswers, operation: Operation, reason: string): Answer {
  const message = `the answer of the upstream breaks the contract: ${reason}`;
  const answer = errors.answer(operation, {
    status: 502,
    message,
    code: 'upstream_invalid',
    from: 'forward',
  });
  return { ...answer, violates: 'the answer of the upstream breaks the contract' };
}

/** The body of a recorded or forwarded response. */
export interface RecordedContent {
  /** The JSON value if it is serialized to the same bytes, else the bytes. */
  readonly body: unknown;
  /** The JSON value. */
  readonly value: unknown;
  /** Why the value is not read although the body can be JSON. */
  readonly unread?: string;
}

/** The notes about a body that is passed on as bytes. */
export function listUnread({ unread }: RecordedContent): readonly Violation[] {
  if (unread === undefined) return NO_VIOLATIONS;
  const message = `the body of the answer ${unread}; it is passed on as bytes`;
  return [{ code: 'BODY_UNCHECKED', severity: 'note', in: 'body', pointer: '', message, by: 'upstream' }];
}

/** The content of a response that is too large to be read. */
export function toUnread(body: unknown): RecordedContent {
  return { body, value: undefined, unread: 'is too large to be checked' };
}

/** Reads the content of a response. */
export function readContent(bytes: Uint8Array, headers: HeaderFields): RecordedContent {
  const encoding = readField(headers, 'content-encoding');
  const isJson = isJsonType(readContentType(headers) ?? '');
  if (isJson && isLargeContent(bytes, encoding)) return toUnread(bytes);
  const decoded = isJson ? decodeContent(bytes, encoding) : undefined;
  if (decoded === undefined) return { body: bytes, value: undefined };
  const text = Buffer.from(decoded).toString('utf8');
  const excess = findExcess(text, RECORDED_LIMITS);
  if (excess !== undefined) return { body: bytes, value: undefined, unread: excess.says };
  try {
    const value: unknown = JSON.parse(text);
    // Bytes that are not valid UTF-8 are longer as text.
    const isSame = encoding === undefined && JSON.stringify(value) === text && Buffer.byteLength(text) === bytes.length;
    return { body: isSame ? value : bytes, value };
  } catch {
    return { body: bytes, value: undefined };
  }
}
