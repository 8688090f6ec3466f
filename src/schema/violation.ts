import { escapeSegment } from '../contract/pointer.js';
import { cutMessage } from '../base/errors.js';
import { hideQuotedSecret } from '../conventions/secret-forms.js';

/** Whether a value is sent by the client or by the server: `readOnly` and `writeOnly` depend on it. */
export type Direction = 'request' | 'response';

/** Whether a value is valid, without details. */
export type IsValid = (value: unknown) => boolean;

/** The part of a call or an answer that violates the contract. */
export type ViolationPlace = 'path' | 'query' | 'header' | 'cookie' | 'body' | 'security' | 'method' | 'status';

/** One violation of the contract, in a call or in an answer. */
export interface Violation {
  /** Stable; `vouch explain CODE` explains it. */
  readonly code: ViolationCode;
  /** `error` refuses a call; `note` is only recorded. */
  readonly severity: 'error' | 'note';
  readonly in: ViolationPlace;
  /** A JSON pointer inside the place: `/name` in the body, `/limit` in the query. */
  readonly pointer: string;
  /** A sentence without full stop: `query parameter "limit" must be at least 1, got 0`. */
  readonly message: string;
  /** Who violated the contract. */
  readonly by: 'client' | 'contract' | 'mock' | 'upstream';
  /** The pointer of the violated keyword or declaration in the bundled document. */
  readonly schemaPointer?: string;
  /** The status of the answer where it is not the one for an invalid request: 401, 403, 406, 413, 415. */
  readonly status?: number;
  /** For a 401: the challenge in `WWW-Authenticate` (RFC 9110 11.6.1). */
  readonly challenge?: string;
}

/** The result of a check of valid data. */
export const NO_VIOLATIONS: readonly Violation[] = Object.freeze([]);

/** The meaning of each code in one line, for `vouch explain CODE` and `docs/violations.md`. */
export const VIOLATION_CODES = {
  ADDITIONAL_PROPERTY: 'A property is not allowed by `additionalProperties`.',
  BODY_INCOMPLETE: 'The body ended before it was complete, or the client disconnected.',
  BODY_MALFORMED: 'The body is not valid for its content type.',
  BODY_REQUIRED: 'The operation requires a body, and there is none.',
  BODY_TOO_LARGE: 'The body is larger than the limit of this mock.',
  BODY_UNCHECKED: 'The body was not validated: its media type has no schema, or it is too large.',
  BODY_UNDECLARED: 'The request has a body, but the operation declares none.',
  CONST: 'The value is not the only one that `const` allows.',
  CONTAINS: 'The array has too few or too many items that match `contains`.',
  CONTENT_TYPE_MISSING: 'The request has a body but no Content-Type header.',
  CONTENT_TYPE_UNDECLARED: 'The operation does not declare the media type of the body.',
  CREDENTIAL_EMPTY: 'The credential is empty.',
  CREDENTIAL_MALFORMED: 'The credential does not have the format of its scheme.',
  CREDENTIAL_MISSING: 'The operation requires a credential, and there is none.',
  CREDENTIAL_REJECTED: 'The mock does not accept the credential.',
  CREDENTIAL_UNCHECKED: 'The scheme is not visible in a request (mutual TLS) and was assumed to be met.',
  CREDENTIAL_WRONG_SCHEME: 'The credential has another scheme than the operation requires.',
  DEPENDENT_REQUIRED: 'A property requires another one that is missing.',
  ENCODING_MALFORMED: 'The percent-encoding or UTF-8 is malformed.',
  ENUM: 'The value is not one of `enum`.',
  EXCLUDED: 'The schema does not allow the value, for example with `not`.',
  FORMAT: 'The value does not have the `format` of the schema.',
  HEADER_INVALID: 'The value of a response header does not match its schema.',
  HEADER_REQUIRED: 'A required header is missing.',
  ITEM_COUNT: 'The array has too few or too many items.',
  LENGTH: 'The string is too short or too long.',
  MEDIA_TYPE_UNDECLARED: 'The contract does not declare the media type of the answer for its status.',
  METHOD_UNKNOWN: 'The path is in the contract, but not with this method.',
  MOCK_FAILED: 'The mock failed with an internal error; the message has the reason.',
  MULTIPLE_OF: 'The number is not a multiple of `multipleOf`.',
  NOT_ACCEPTABLE: 'The Accept header excludes every media type of the operation.',
  PARAMETER_MALFORMED: 'The parameter is not serialized in its declared style.',
  PARAMETER_REPEATED: 'A parameter with one value was given more than once.',
  PARAMETER_UNDECLARED:
    'The operation does not declare the query parameter, or the header with nearly the name of a declared one.',
  PATH_UNKNOWN: 'No path in the contract matches the request.',
  PATTERN: 'The string does not match the `pattern`.',
  PREFERENCE_UNKNOWN: 'The request prefers a status or an example that does not exist, or has an invalid preference.',
  PROPERTY_COUNT: 'The object has too few or too many properties.',
  PROPERTY_NAME: 'A property name does not match `propertyNames`.',
  PROPERTY_UNDECLARED: 'The schema does not declare the property; it was accepted.',
  RANGE: 'The number is too small or too large.',
  READ_ONLY: 'The request has a property that is read-only.',
  REQUIRED: 'A required value is missing.',
  SCHEMA_UNUSABLE: 'A part of the schema is not valid, so the value was checked against the rest.',
  STATUS_UNDECLARED: 'The operation does not declare the status of the answer.',
  TOO_COSTLY: 'Checking the value takes more work than one request may cost.',
  TOO_DEEP: 'The value is nested too deeply to be validated.',
  TYPE: 'The value has another JSON type than the schema requires.',
  UNEVALUATED: 'A property or item is not allowed by any part of the schema.',
  UNION: 'The value matches none of the alternatives, or more than one of `oneOf`.',
  UNIQUE: 'Two items of an array with `uniqueItems` are equal.',
  WRITE_ONLY: 'The answer has a property that is write-only.',
} as const;

/** The code of a violation. */
export type ViolationCode = keyof typeof VIOLATION_CODES;

/** A header can be longer than some clients read. */
const MAX_HEADER = 4000;

/** Violations as the value of `x-mock-violations`, with the number of those that are too many for it. */
export function toViolationsHeader(violations: readonly Violation[]): string {
  let text = '';
  let count = 0;
  for (const { code, message } of violations) {
    // Other characters than ASCII would be percent-encoded.
    const next = `${count === 0 ? '' : '; '}${code} ${message.replaceAll('…', '...')}`;
    if (count > 0 && text.length + next.length > MAX_HEADER) return `${text}; and ${violations.length - count} more`;
    text += next;
    count += 1;
  }
  return text;
}

/** Whether one of the violations refuses a call; notes do not. */
export function hasErrors(violations: readonly Violation[]): boolean {
  return violations.some(isError);
}

/** The violations that refuse a call. */
export function listErrors(violations: readonly Violation[]): readonly Violation[] {
  return violations.length === 0 ? violations : violations.filter(isError);
}

function isError({ severity }: Violation): boolean {
  return severity === 'error';
}

/** A violation of the client, without its defaults; the default pointer is that of the parameter, header or property `name`. */
export interface ClientReport extends Omit<Violation, 'severity' | 'pointer' | 'by'> {
  readonly name?: string;
  readonly pointer?: string;
}

/** A violation that refuses the call. */
export function toError(report: ClientReport): Violation {
  return toViolation(report, 'error');
}

/** Violations of a call that is accepted anyway. */
export function toNotes(violations: readonly Violation[]): readonly Violation[] {
  return violations.map((violation) => ({ ...violation, severity: 'note' }));
}

/** A violation that is only recorded. */
export function toNote(report: ClientReport): Violation {
  return toViolation(report, 'note');
}

/** A note about the contract: a value was checked against a part of its schema only. */
export function toUnusableNote(place: ViolationPlace, schemaPointer: string, name?: string): Violation {
  const what = name === undefined ? `the ${place}` : `${place} parameter "${name}"`;
  const message = `${what} was checked against a part of its schema only, because the rest is not valid`;
  return { ...toNote({ code: 'SCHEMA_UNUSABLE', in: place, name, message, schemaPointer }), by: 'contract' };
}

/** An error in strict mode, a note otherwise. */
export function toStrictError(report: ClientReport, strict: boolean): Violation {
  return toViolation(report, strict ? 'error' : 'note');
}

// Without spreads, which are slow: an undeclared parameter may come with every call.
function toViolation(report: ClientReport, severity: Violation['severity']): Violation {
  return {
    code: report.code,
    severity,
    in: report.in,
    pointer: report.pointer ?? (report.name === undefined ? '' : `/${escapeSegment(report.name)}`),
    message: cutMessage(
      report.message.includes(' got ')
        ? hideQuotedSecret(report.message, report.name ?? report.pointer ?? '')
        : report.message,
    ),
    by: 'client',
    schemaPointer: report.schemaPointer,
    status: report.status,
    challenge: report.challenge,
  };
}
