import { escapeSegment } from '../contract/pointer.js';

/** The place in a call or an answer that a violation speaks of. */
export type ViolationPlace = 'path' | 'query' | 'header' | 'cookie' | 'body' | 'security' | 'method' | 'status';

/** One departure from the contract, in a call or in an answer. */
export interface Violation {
  /** Stable; `vouch explain CODE` tells more. */
  readonly code: ViolationCode;
  /** `error` refuses a call; `note` is only remembered. */
  readonly severity: 'error' | 'note';
  readonly in: ViolationPlace;
  /** The place inside, as a JSON pointer: `/name` in the body, `/limit` in the query. */
  readonly pointer: string;
  /** A whole sentence without its full stop, that names the place in words: `query parameter "limit" must be at least 1, not 0`. */
  readonly message: string;
  /** Who departed from the contract. */
  readonly by: 'client' | 'contract' | 'mock' | 'upstream';
  /** Where the rule stands in the inner document. */
  readonly schemaPointer?: string;
  /** The status this calls for, where it is not simply "invalid request": 401, 403, 406, 413, 415. */
  readonly status?: number;
  /** For a 401: what `WWW-Authenticate` says of the scheme (RFC 9110 11.6.1). */
  readonly challenge?: string;
}

/** What a check of valid data returns, every time the same. */
export const NO_VIOLATIONS: readonly Violation[] = Object.freeze([]);

/** What each code of a violation means, in one line; `vouch explain CODE` prints it and `docs/violations.md` lists it. */
export const VIOLATION_CODES = {
  ADDITIONAL_PROPERTY: 'The schema forbids properties beyond those it names, and one was there.',
  BODY_INCOMPLETE: 'The client went away, or the body ended, before all of it had arrived.',
  BODY_MALFORMED: 'The body is not written in the format its content type promises.',
  BODY_REQUIRED: 'The operation demands a body and none came.',
  BODY_TOO_LARGE: 'The body has more bytes than the limit of this mock allows.',
  BODY_UNCHECKED: 'The body was taken as it came: its format is not one that vouch checks against a schema.',
  BODY_UNDECLARED: 'A body came with an operation that declares none.',
  CONST: 'The value must be one certain value and is another.',
  CONTAINS: 'The array holds too few or too many items of the kind the schema asks for.',
  CONTENT_TYPE_MISSING: 'A body came without a Content-Type header.',
  CONTENT_TYPE_UNDECLARED: 'The body has a media type that the operation does not declare.',
  CREDENTIAL_EMPTY: 'The scheme was named, but no credential came with it.',
  CREDENTIAL_MALFORMED: 'The credential is not written as its scheme demands.',
  CREDENTIAL_MISSING: 'The operation demands a credential and none came.',
  CREDENTIAL_REJECTED: 'The credential is not one that this mock accepts.',
  CREDENTIAL_UNCHECKED: 'The scheme cannot be seen in a request (mutual TLS), so it was assumed to hold.',
  CREDENTIAL_WRONG_SCHEME: 'A credential came with another scheme than the operation asks for.',
  DEPENDENT_REQUIRED: 'One property asks for another, and that one is missing.',
  ENCODING_MALFORMED: 'Percent-encoding or UTF-8 is broken, so the text cannot be decoded.',
  ENUM: 'The value is not one of those the schema lists.',
  EXCLUDED: 'The value is of a kind that the schema rules out.',
  FORMAT: 'The text is not written in the format the schema names.',
  HEADER_REQUIRED: 'A header that the contract demands is missing.',
  ITEM_COUNT: 'The array has fewer or more items than the schema allows.',
  LENGTH: 'The text is shorter or longer than the schema allows.',
  MEDIA_TYPE_UNDECLARED: 'The answer has a media type that the contract does not declare for its status.',
  METHOD_UNKNOWN: 'The path is in the contract, and the method is not one of its methods.',
  MOCK_FAILED: 'The mock itself failed while it answered; the message says how.',
  MULTIPLE_OF: 'The number is not a multiple of what the schema says.',
  NOT_ACCEPTABLE: 'The Accept header rules out every media type that the operation can answer in.',
  PARAMETER_MALFORMED: 'The parameter is not written in the style that the contract declares for it.',
  PARAMETER_REPEATED: 'A parameter that takes one value was given more than once.',
  PARAMETER_UNDECLARED: 'A query parameter was given that the operation does not declare.',
  PATH_UNKNOWN: 'The contract has no such path.',
  PATTERN: 'The text does not match the pattern of the schema.',
  PROPERTY_COUNT: 'The object has fewer or more properties than the schema allows.',
  PROPERTY_NAME: 'The name of a property breaks the rule for names.',
  PROPERTY_UNDECLARED: 'A property was sent that the schema does not name; it was accepted.',
  RANGE: 'The number is smaller or larger than the schema allows.',
  READ_ONLY: 'A property was sent that only the server may set.',
  REQUIRED: 'Something that the contract demands is missing.',
  SCHEMA_UNUSABLE: 'The schema could not be used whole, so the value was checked against what is left of it.',
  STATUS_UNDECLARED: 'The answer has a status that the operation does not declare.',
  TOO_DEEP: 'The value, or its schema, is nested too deeply to be checked.',
  TYPE: 'The value is of another JSON type than the schema asks for.',
  UNEVALUATED: 'A property or item came that no part of the schema allows.',
  UNION: 'The value fits none of the alternatives, or more than one where exactly one is asked for.',
  UNIQUE: 'Two items of an array are equal where the schema forbids it.',
  WRITE_ONLY: 'The answer shows a property that must only ever be sent, never answered.',
} as const;

/** The stable name of one kind of departure from the contract. */
export type ViolationCode = keyof typeof VIOLATION_CODES;

/** A departure of the client, in the words of the one who found it. */
export interface ClientReport {
  readonly code: ViolationCode;
  readonly in: ViolationPlace;
  /** Of the parameter, header or property; leads the pointer. */
  readonly name?: string;
  /** In place of one made from the name. */
  readonly pointer?: string;
  readonly message: string;
  readonly schemaPointer?: string;
  readonly status?: number;
  readonly challenge?: string;
}

/** A violation that refuses the call. */
export function toError(report: ClientReport): Violation {
  return toViolation(report, 'error');
}

/** A violation that is only remembered. */
export function toNote(report: ClientReport): Violation {
  return toViolation(report, 'note');
}

/** A note that the contract, and nobody else, is to blame for: a value was checked against what is left of its schema. */
export function toUnusableNote(place: ViolationPlace, schemaPointer: string, name?: string): Violation {
  const what = name === undefined ? `the ${place}` : `${place} parameter "${name}"`;
  const message = `${what} was checked against a part of its schema only: the rest of it cannot be used`;
  return { ...toNote({ code: 'SCHEMA_UNUSABLE', in: place, name, message, schemaPointer }), by: 'contract' };
}

/** An error in strict mode, a note otherwise. */
export function toStrictError(report: ClientReport, strict: boolean): Violation {
  return toViolation(report, strict ? 'error' : 'note');
}

// Written out: an undeclared parameter or property may come with every call, and spreading is slow.
function toViolation(report: ClientReport, severity: Violation['severity']): Violation {
  return {
    code: report.code,
    severity,
    in: report.in,
    pointer: report.pointer ?? (report.name === undefined ? '' : `/${escapeSegment(report.name)}`),
    message: report.message,
    by: 'client',
    schemaPointer: report.schemaPointer,
    status: report.status,
    challenge: report.challenge,
  };
}
