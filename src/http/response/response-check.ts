import { findMedia, isJsonType } from '../../contract/media-type.js';
import type { DeclaredResponse, Operation } from '../../contract/operations/operation.js';
import { findResponse } from '../../contract/operations/responses.js';
import type { Validators } from '../../schema/validate.js';
import { NO_VIOLATIONS, type Violation, type ViolationCode } from '../../schema/violation.js';
import { type HeaderFields, readContentType, readField } from '../header-fields.js';
import { EMPTY_STATUSES } from './encode.js';

/** Validates a response of an upstream: status, media type, required headers and body. */
export type CheckResponse = (operation: Operation, response: CheckedResponse) => readonly Violation[];

/** The parts of a response that a contract describes. */
interface CheckedResponse {
  readonly status: number;
  readonly headers: HeaderFields;
  /** The JSON value of the body; undefined if the body is not JSON. */
  readonly body: unknown;
}

/** Creates the validation of responses that the mock did not produce. */
export function createResponseCheck(validators: Validators): CheckResponse {
  return (operation, response) => {
    const declared = findResponse(operation, response.status);
    const mediaType = readContentType(response.headers);
    const undeclared = findUndeclared(operation, response.status, mediaType);
    const found = undeclared === undefined ? [] : [undeclared];
    if (declared === undefined) return found;
    const violations = [
      ...checkHeaders(declared, response),
      ...found,
      ...checkBody(declared, { ...response, mediaType }, validators),
    ];
    return violations.length === 0 ? NO_VIOLATIONS : violations;
  };
}

/** An undeclared status or media type; undefined for an operation that declares no responses. */
export function findUndeclared(
  operation: Operation,
  status: number,
  mediaType: string | undefined,
): Violation | undefined {
  const { id, pointer, responses } = operation;
  if (responses.length === 0) return undefined;
  const declared = findResponse(operation, status);
  if (declared === undefined) {
    const declares = responses.filter(({ isAssumed }) => isAssumed !== true);
    const known = declares.map((each) => each.status).join(', ');
    const message = `status ${status} is not declared by ${id}, which declares ${known}`;
    return toViolation('STATUS_UNDECLARED', 'status', { message, schemaPointer: `${pointer}/responses` });
  }
  const { content } = declared;
  if (mediaType === undefined || content.length === 0 || findMedia(content, mediaType) !== undefined) return undefined;
  const known = content.map(({ type }) => type).join(', ');
  const message = `response media type "${mediaType}" is not declared for status ${status}, which declares ${known}`;
  const schemaPointer = `${declared.pointer}/content`;
  return toViolation('MEDIA_TYPE_UNDECLARED', 'header', { pointer: '/content-type', message, schemaPointer });
}

/** A response as its client reads it. */
interface WholeResponse {
  readonly status: number;
  readonly headers: HeaderFields;
  /** Undefined for none. */
  readonly text: string | undefined;
  /** The JSON value where the client has parsed it. */
  readonly value?: unknown;
}

/** Creates the validation of whole responses: also whether a body is JSON, and the values of headers. */
export function createWholeCheck(
  validators: Validators,
): (
  asked: { readonly operation: Operation; readonly method: string },
  response: WholeResponse,
) => Pick<CheckedResponse, 'body'> & { readonly violations: readonly Violation[] } {
  const check = createResponseCheck(validators);
  return ({ operation, method }, { status, headers, text, value }) => {
    const type = readContentType(headers) ?? '';
    const isJson = isJsonType(type) && !EMPTY_STATUSES.has(status) && method !== 'HEAD';
    const read = isJson && value === undefined && text !== undefined ? parse(text) : { body: value };
    const body = isJson ? read.body : undefined;
    const found = check(operation, { status, headers, body });
    const wrong = checkHeaderValues(operation, { status, headers }, validators);
    const violations = wrong.length === 0 ? found : [...found, ...wrong];
    if (read.mistake === undefined) return { violations, body };
    const declared = findResponse(operation, status);
    const media = findMedia(declared?.content ?? [], type);
    // A body without a schema may be empty.
    if (text === '' && media?.schema === undefined) return { violations, body };
    const message = `the body of the ${status} is not ${type}: ${read.mistake}`;
    const schemaPointer = (media ?? declared ?? operation).pointer;
    return { violations: [...violations, toViolation('BODY_MALFORMED', 'body', { message, schemaPointer })], body };
  };
}

function parse(text: string): { readonly body?: unknown; readonly mistake?: string } {
  try {
    return { body: JSON.parse(text) as unknown };
  } catch (error) {
    // The message of V8 quotes the text.
    return { mistake: (error as Error).message.replace(/, .*is not valid JSON$/s, '') };
  }
}

function checkHeaders(declared: DeclaredResponse, { headers }: CheckedResponse): readonly Violation[] {
  return declared.headers
    .filter(({ name, required }) => required && headers[name.toLowerCase()] === undefined)
    .map(({ name, pointer: schemaPointer }) => {
      const message = `response header "${name}" is required`;
      return toViolation('HEADER_REQUIRED', 'header', { pointer: `/${name.toLowerCase()}`, message, schemaPointer });
    });
}

function checkBody(
  declared: DeclaredResponse,
  { body, mediaType = '' }: Pick<CheckedResponse, 'body'> & { readonly mediaType: string | undefined },
  validators: Validators,
): readonly Violation[] {
  const media = isJsonType(mediaType) && body !== undefined ? findMedia(declared.content, mediaType) : undefined;
  if (media?.schema === undefined) return NO_VIOLATIONS;
  return validators
    .check(media.schemaPointer, 'response')(body, 'body')
    .map((violation) => ({ ...violation, by: 'upstream' }));
}

/** A mistake of a server that the mock replaces. */
export function toViolation(
  code: ViolationCode,
  place: Violation['in'],
  more: { readonly message: string; readonly pointer?: string; readonly schemaPointer: string },
): Violation {
  return { code, severity: 'error', in: place, pointer: '', by: 'upstream', ...more };
}

/** The headers of a response whose values do not match their schemas. */
export function checkHeaderValues(
  operation: Operation,
  { status, headers }: Pick<CheckedResponse, 'headers' | 'status'>,
  validators: Validators,
): readonly Violation[] {
  const declared = findResponse(operation, status)?.headers ?? [];
  return declared.flatMap(({ name, mediaType, schemaPointer }) => {
    const value = readField(headers, name.toLowerCase());
    if (value === undefined || mediaType !== undefined) return [];
    const check = validators.check(schemaPointer, 'response');
    const found = readValues(value).map((each) => check(each, 'header')[0]);
    // A value of the right type says more about what is wrong.
    const wrong = found.includes(undefined) ? undefined : (found.find((each) => each?.code !== 'TYPE') ?? found[0]);
    if (wrong === undefined) return [];
    const message = wrong.message.replace(/^(?:the answer|answer)/, `response header "${name}"`);
    const pointer = `/${name.toLowerCase()}`;
    return [toViolation('HEADER_INVALID', 'header', { pointer, message, schemaPointer })];
  });
}

/** The values that the text of a header can be: a string, a number, a boolean, or an array of them. */
function readValues(text: string): readonly unknown[] {
  const list = text.split(/\s*,\s*/);
  const isNumber = (each: string): boolean => /^-?\d+(?:\.\d+)?$/.test(each);
  return [
    text,
    ...(isNumber(text) ? [Number(text)] : []),
    ...(/^(?:true|false)$/.test(text) ? [text === 'true'] : []),
    list,
    ...(list.every(isNumber) ? [list.map(Number)] : []),
  ];
}
