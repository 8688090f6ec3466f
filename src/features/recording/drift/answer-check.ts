import type { Operation } from '../../../contract/operations/operation.js';
import { findResponse } from '../../../contract/operations/responses.js';
import type { HeaderFields } from '../../../http/header-fields.js';
import { isJsonType } from '../../../contract/media-type.js';
import { checkHeaderValues, createResponseCheck, toViolation } from '../../../http/response/response-check.js';
import type { Validators } from '../../../schema/validate.js';
import type { Violation } from '../../../schema/violation.js';

/** An answer that a file has. */
interface WrittenAnswer {
  readonly status: number;
  readonly headers: HeaderFields;
  /** The JSON value or text of the body; undefined without one. */
  readonly body: unknown;
  /** Whether the body is made when it is sent. */
  readonly isGenerated?: boolean;
}

/** Checks an answer of a file: status, media type, headers and body. */
export type CheckAnswer = (operation: Operation, answer: WrittenAnswer) => readonly Violation[];

/** Creates the check of answers. */
export function createAnswerCheck(validators: Validators): CheckAnswer {
  const checkResponse = createResponseCheck(validators);
  return (operation, answer) => {
    const violations = checkResponse(operation, answer);
    const declared = findResponse(operation, answer.status);
    if (declared === undefined) return violations;
    const { body, isGenerated = false } = answer;
    const wrong = checkHeaderValues(operation, answer, validators);
    const types = declared.content.map(({ type }) => type).join(', ');
    const isJson = declared.content.length > 0 && declared.content.every(({ type }) => isJsonType(type));
    const isMissing = body === undefined && !isGenerated && isJson && operation.method !== 'HEAD';
    const message = `the answer has no body, and the contract declares ${types} for status ${answer.status}`;
    const missing = isMissing ? [toViolation('REQUIRED', 'body', { message, schemaPointer: declared.pointer })] : [];
    return [...violations, ...wrong, ...missing];
  };
}
