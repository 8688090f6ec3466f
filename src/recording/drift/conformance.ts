import type { DeclaredResponse, Operation } from '../../contract/operations/operation.js';
import { readContentType, type HeaderFields } from '../../http/header-fields.js';
import { findMedia, isJsonType } from '../../http/media-type.js';
import { findResponse } from '../../contract/operations/responses.js';
import type { Validators } from '../../schema/validate.js';
import { NO_VIOLATIONS, type Violation, type ViolationCode } from '../../schema/violation.js';

/** A response as far as the contract has something to say about it. */
interface CheckedResponse {
  readonly status: number;
  readonly headers: HeaderFields;
  /** The JSON value or the text of the body; undefined where there is none, or it is neither. */
  readonly body: unknown;
}

/** The departures of an upstream's response from the contract. */
export type CheckResponse = (operation: Operation, response: CheckedResponse) => readonly Violation[];

/** A check of responses that come from elsewhere: status, media type, headers and body. */
export function createResponseCheck(validators: Validators): CheckResponse {
  return (operation, response) => {
    const declared = findResponse(operation, response.status);
    if (declared === undefined) {
      if (operation.responses.length === 0) return NO_VIOLATIONS;
      const known = operation.responses.map(({ status }) => status).join(', ');
      return [
        report('STATUS_UNDECLARED', 'status', {
          message: `status ${response.status} is not declared by ${operation.id}, which declares ${known}`,
          schemaPointer: `${operation.pointer}/responses`,
        }),
      ];
    }
    const found = [...checkHeaders(declared, response), ...checkBody(declared, response, validators)];
    return found.length === 0 ? NO_VIOLATIONS : found;
  };
}

function checkHeaders(declared: DeclaredResponse, response: CheckedResponse): readonly Violation[] {
  return declared.headers
    .filter((header) => header.required && response.headers[header.name.toLowerCase()] === undefined)
    .map((header) =>
      report('HEADER_REQUIRED', 'header', {
        pointer: `/${header.name.toLowerCase()}`,
        message: `response header "${header.name}" is required`,
        schemaPointer: header.pointer,
      }),
    );
}

function checkBody(
  declared: DeclaredResponse,
  response: CheckedResponse,
  validators: Validators,
): readonly Violation[] {
  const mediaType = readContentType(response.headers);
  if (mediaType === undefined || declared.content.length === 0) return NO_VIOLATIONS;
  const media = findMedia(declared.content, mediaType);
  if (media === undefined) {
    const known = declared.content.map(({ type }) => type).join(', ');
    return [
      report('MEDIA_TYPE_UNDECLARED', 'header', {
        pointer: '/content-type',
        message: `response media type "${mediaType}" is not declared for status ${response.status}, which declares ${known}`,
        schemaPointer: `${declared.pointer}/content`,
      }),
    ];
  }
  if (media.schema === undefined || response.body === undefined || !isJsonType(mediaType)) return NO_VIOLATIONS;
  return validators.check(media.schemaPointer, 'response')(response.body, 'body').map(blameUpstream);
}

function blameUpstream(violation: Violation): Violation {
  return { ...violation, by: 'upstream' };
}

function report(
  code: ViolationCode,
  place: Violation['in'],
  more: { readonly message: string; readonly pointer?: string; readonly schemaPointer: string },
): Violation {
  return { code, severity: 'error', in: place, pointer: '', by: 'upstream', ...more };
}
