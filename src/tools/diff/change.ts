import type { Direction } from '../../schema/violation.js';

/** What a change means for clients: `risky` if it depends on how the client was written. */
export type Severity = 'breaking' | 'risky' | 'compatible';

/** The severities, the worst first. */
export const SEVERITIES: readonly Severity[] = ['breaking', 'risky', 'compatible'];

/** The verdict of each code in what clients send and in what they receive, and what it means. Of webhooks and callbacks clients receive the requests. */
export const DIFF_CODES = {
  ALTERNATIVE_ADDED: { request: 'compatible', response: 'breaking', meaning: 'A union has a new alternative.' },
  ALTERNATIVE_KIND_ADDED: {
    request: 'compatible',
    response: 'risky',
    meaning: 'A union has a new alternative that a property tells from the others.',
  },
  ALTERNATIVE_REMOVED: { request: 'breaking', response: 'compatible', meaning: 'A union has lost an alternative.' },
  BASE_PATH_REMOVED: {
    request: 'breaking',
    response: 'compatible',
    meaning: 'The operation is no longer served below a path of `servers`.',
  },
  BODY_ADDED: { request: 'compatible', response: 'compatible', meaning: 'The request can have a body.' },
  BODY_OPTIONAL: {
    request: 'compatible',
    response: 'breaking',
    meaning: 'The body of the request is no longer required.',
  },
  BODY_REMOVED: {
    request: 'risky',
    response: 'breaking',
    meaning: 'The request has no body any more; what clients send is ignored or refused.',
  },
  BODY_REQUIRED: { request: 'breaking', response: 'compatible', meaning: 'The request must have a body.' },
  CALLBACK_MOVED: {
    request: 'breaking',
    response: 'compatible',
    meaning: 'The URL of a callback is taken from another part of the request.',
  },
  CONDITION_ADDED: {
    request: 'breaking',
    response: 'compatible',
    meaning: 'A keyword such as `not`, `if` or `contains` was added.',
  },
  CONDITION_CHANGED: {
    request: 'risky',
    response: 'risky',
    meaning: 'The schema of a keyword such as `not`, `if` or `contains` has changed.',
  },
  CONDITION_REMOVED: {
    request: 'compatible',
    response: 'risky',
    meaning: 'A keyword such as `not`, `if` or `contains` was removed.',
  },
  DEFAULT_CHANGED: {
    request: 'risky',
    response: 'compatible',
    meaning: 'A value that clients leave out means something else.',
  },
  DEPRECATED: { request: 'compatible', response: 'compatible', meaning: 'It is deprecated now.' },
  DISCRIMINATOR_CHANGED: {
    request: 'breaking',
    response: 'breaking',
    meaning: 'Another property selects the alternative of a union.',
  },
  ENCODING_CHANGED: { request: 'risky', response: 'risky', meaning: 'A part of a form is serialized in another way.' },
  ENUM_ADDED: {
    request: 'breaking',
    response: 'compatible',
    meaning: 'Only listed values are valid, where any was before.',
  },
  ENUM_CHANGED: { request: 'breaking', response: 'breaking', meaning: 'None of the values of an `enum` has stayed.' },
  ENUM_REMOVED: {
    request: 'compatible',
    response: 'risky',
    meaning: 'Any value is valid, where only listed ones were before.',
  },
  ENUM_VALUE_ADDED: {
    request: 'compatible',
    response: 'risky',
    meaning: 'An `enum` has a new value; clients that know all values meet an unknown one.',
  },
  ENUM_VALUE_REMOVED: { request: 'breaking', response: 'compatible', meaning: 'A value of an `enum` was removed.' },
  FORMAT_ADDED: { request: 'breaking', response: 'compatible', meaning: 'Strings or numbers must have a format.' },
  FORMAT_CHANGED: {
    request: 'breaking',
    response: 'breaking',
    meaning: 'Another `format`, which does not include the old one.',
  },
  FORMAT_NARROWED: { request: 'breaking', response: 'compatible', meaning: 'A number has a smaller `format`.' },
  FORMAT_REMOVED: { request: 'compatible', response: 'risky', meaning: 'A `format` was removed.' },
  FORMAT_WIDENED: { request: 'compatible', response: 'breaking', meaning: 'A number has a larger `format`.' },
  HEADER_ADDED: { request: 'compatible', response: 'compatible', meaning: 'A response has a new header.' },
  HEADER_OPTIONAL: { request: 'compatible', response: 'breaking', meaning: 'A response header can be missing.' },
  HEADER_REMOVED: { request: 'risky', response: 'risky', meaning: 'An optional response header was removed.' },
  HEADER_REQUIRED: { request: 'breaking', response: 'compatible', meaning: 'A response header is always there.' },
  HEADER_REQUIRED_REMOVED: {
    request: 'risky',
    response: 'breaking',
    meaning: 'A required response header was removed.',
  },
  LIMIT_NARROWED: {
    request: 'breaking',
    response: 'compatible',
    meaning: 'A bound such as `maxLength` or `minimum` allows less.',
  },
  LIMIT_WIDENED: {
    request: 'compatible',
    response: 'breaking',
    meaning: 'A bound such as `maxLength` or `minimum` allows more.',
  },
  LINK_ADDED: { request: 'compatible', response: 'compatible', meaning: 'A response has a new link.' },
  LINK_CHANGED: {
    request: 'compatible',
    response: 'risky',
    meaning: 'A link leads to another operation, or with other values.',
  },
  LINK_REMOVED: { request: 'compatible', response: 'risky', meaning: 'A link of a response was removed.' },
  MEDIA_TYPE_ADDED: { request: 'compatible', response: 'compatible', meaning: 'A new media type.' },
  MEDIA_TYPE_REMOVED: { request: 'breaking', response: 'breaking', meaning: 'A media type was removed.' },
  MEMBER_ADDED: {
    request: 'compatible',
    response: 'compatible',
    meaning: 'A new optional property, or one that only responses require.',
  },
  MEMBER_FORBIDDEN: {
    request: 'breaking',
    response: 'risky',
    meaning: 'A property was removed, and undeclared ones are forbidden.',
  },
  MEMBER_OPTIONAL: { request: 'compatible', response: 'breaking', meaning: 'A property is no longer required.' },
  MEMBER_REMOVED: { request: 'risky', response: 'risky', meaning: 'An optional property was removed.' },
  MEMBER_REQUIRED: { request: 'breaking', response: 'compatible', meaning: 'A property is required now.' },
  MEMBER_REQUIRED_REMOVED: { request: 'risky', response: 'breaking', meaning: 'A required property was removed.' },
  MEMBER_UNEXPECTED: {
    request: 'compatible',
    response: 'risky',
    meaning: 'A new property, where undeclared ones were forbidden.',
  },
  MEMBERS_CLOSED: { request: 'breaking', response: 'compatible', meaning: 'Undeclared properties are forbidden.' },
  MEMBERS_OPENED: {
    request: 'compatible',
    response: 'risky',
    meaning: 'Undeclared properties are no longer forbidden.',
  },
  NULL_ADDED: { request: 'compatible', response: 'breaking', meaning: 'The value can be null.' },
  NULL_REMOVED: { request: 'breaking', response: 'compatible', meaning: 'The value cannot be null.' },
  OPERATION_ADDED: { request: 'compatible', response: 'compatible', meaning: 'A new operation.' },
  OPERATION_ID_CHANGED: {
    request: 'compatible',
    response: 'compatible',
    meaning: 'Another `operationId`; generated clients have another name.',
  },
  OPERATION_REMOVED: { request: 'breaking', response: 'breaking', meaning: 'An operation was removed.' },
  PARAMETER_ADDED: { request: 'compatible', response: 'compatible', meaning: 'A new optional parameter.' },
  PARAMETER_MOVED: { request: 'breaking', response: 'breaking', meaning: 'A parameter is sent in another place.' },
  PARAMETER_OPTIONAL: { request: 'compatible', response: 'breaking', meaning: 'A parameter is no longer required.' },
  PARAMETER_REMOVED: {
    request: 'risky',
    response: 'risky',
    meaning: 'A parameter was removed; what clients send is ignored or refused.',
  },
  PARAMETER_REQUIRED: { request: 'breaking', response: 'compatible', meaning: 'A parameter is required now.' },
  PARAMETER_REQUIRED_REMOVED: {
    request: 'risky',
    response: 'breaking',
    meaning: 'A required parameter was removed; what clients send is ignored or refused.',
  },
  PARAMETER_STYLE: {
    request: 'breaking',
    response: 'breaking',
    meaning: 'A parameter is serialized in another way.',
  },
  PATH_REMOVED: { request: 'breaking', response: 'breaking', meaning: 'A path was removed with all its operations.' },
  PATTERN_ADDED: { request: 'breaking', response: 'compatible', meaning: 'Strings must match a pattern.' },
  PATTERN_CHANGED: {
    request: 'risky',
    response: 'risky',
    meaning: 'Another pattern; whether it allows the same strings is not decided.',
  },
  PATTERN_REMOVED: { request: 'compatible', response: 'risky', meaning: 'Strings need not match a pattern.' },
  SCOPE_ADDED: { request: 'breaking', response: 'compatible', meaning: 'The credentials need another scope.' },
  SECURITY_ADDED: {
    request: 'breaking',
    response: 'compatible',
    meaning: 'Credentials are required, or others than before.',
  },
  SECURITY_REMOVED: {
    request: 'compatible',
    response: 'compatible',
    meaning: 'Credentials are no longer required, or others are accepted as well.',
  },
  SERVER_REMOVED: { request: 'risky', response: 'compatible', meaning: 'A host of `servers` was removed.' },
  STATUS_ADDED: { request: 'compatible', response: 'risky', meaning: 'A new status below 400.' },
  STATUS_ERROR_ADDED: { request: 'compatible', response: 'compatible', meaning: 'A new status of errors.' },
  STATUS_ERROR_REMOVED: { request: 'risky', response: 'compatible', meaning: 'A status of errors was removed.' },
  STATUS_REMOVED: { request: 'breaking', response: 'breaking', meaning: 'A status below 400 was removed.' },
  TYPE_CHANGED: {
    request: 'breaking',
    response: 'breaking',
    meaning: 'Another type, which does not include the old one.',
  },
  TYPE_NARROWED: { request: 'breaking', response: 'compatible', meaning: 'A type is no longer allowed.' },
  TYPE_WIDENED: { request: 'compatible', response: 'breaking', meaning: 'Another type is allowed as well.' },
} as const;

/** The code of a change. */
export type DiffCode = keyof typeof DIFF_CODES;

/** A change of one place of a contract. */
export interface Change {
  readonly code: DiffCode;
  /** What has changed, as the end of a sentence about the place. */
  readonly text: string;
  /** The pointer in the old document; of something new, the one of what it was added to. */
  readonly old: string;
  /** The pointer in the new document; of something removed, the one of what it was removed from. */
  readonly now: string;
  /** Replaces the severity of the code. */
  readonly severity?: Severity;
}

/** What a change means for values that are sent in a direction. */
export function judge({ code, severity }: Change, direction: Direction): Severity {
  return severity ?? DIFF_CODES[code][direction];
}
