import type { Contract } from '../../contract/contract.js';
import type { Generator } from '../../generate/generate.js';
import type { Answer } from '../../http/answer.js';
import { isJsonType } from '../../http/encode.js';
import type { Validators } from '../../http/validate.js';
import { NO_VIOLATIONS, type Violation } from '../../http/violation.js';
import type { AnswerSource, Exchange } from '../answer-source.js';
import { findMedia, findResponse } from '../choose-response.js';
import type { ErrorAnswers } from '../error-body.js';
import { readContext } from './generate.js';

/** What the check of answers is made of. */
export interface VerifyParts {
  readonly contract: Contract;
  readonly validators: Validators;
  readonly generator: Generator;
  readonly errors: ErrorAnswers;
}

/**
 * Checks whatever is answered below against the contract before it leaves.
 *
 * A generated answer that breaks the contract is made anew; any other becomes a 500 that names the source at fault.
 */
export function createVerifySource(parts: VerifyParts): AnswerSource {
  const verify = (exchange: Exchange, answer: Answer | undefined): Answer | undefined => {
    if (answer === undefined || answer.fault !== undefined) return answer;
    if (answer.checked !== undefined && answer.checked.body === answer.body) return answer;
    const violations = findViolations(parts, exchange, answer);
    if (violations.length === 0) return answer;
    if (answer.deviates !== undefined) return { ...answer, violations: [...answer.violations, ...violations] };
    if (answer.from === 'generate') {
      const mended = mend(parts, exchange, answer);
      if (mended !== undefined) return mended;
    }
    return blame(parts, exchange, { answer, violations });
  };
  return {
    name: 'verify',
    answer: (exchange, next) => {
      const answer = next();
      return answer instanceof Promise ? answer.then((one) => verify(exchange, one)) : verify(exchange, answer);
    },
  };
}

function findViolations(parts: VerifyParts, exchange: Exchange, answer: Answer): readonly Violation[] {
  const { operation } = exchange.call;
  const response = findResponse(operation, answer.status);
  if (response === undefined) {
    // Errors are the mock's own way to speak; success has to be declared.
    if (answer.status >= 400 || operation.responses.length === 0) return NO_VIOLATIONS;
    const message = `status ${answer.status} is not declared by ${operation.id}`;
    return [{ code: 'STATUS_UNDECLARED', severity: 'error', in: 'status', pointer: '', message, by: 'mock' }];
  }
  if (answer.body === undefined || answer.mediaType === undefined || !isJsonType(answer.mediaType))
    return NO_VIOLATIONS;
  const media = findMedia(response, answer.mediaType);
  if (media?.schema === undefined) return NO_VIOLATIONS;
  return parts.validators.check(media.schemaPointer, 'response')(answer.body, 'body');
}

function mend(parts: VerifyParts, exchange: Exchange, answer: Answer): Answer | undefined {
  if (answer.schemaPointer === undefined) return undefined;
  const { seed, ...context } = readContext(exchange);
  const body = parts.generator.value(answer.schemaPointer, { ...context, seed: seed + 1 });
  const mended = { ...answer, body };
  return findViolations(parts, exchange, mended).length === 0 ? mended : undefined;
}

function blame(
  parts: VerifyParts,
  exchange: Exchange,
  fault: { readonly answer: Answer; readonly violations: readonly Violation[] },
): Answer {
  const [first] = fault.violations;
  const message = `the answer of "${fault.answer.from}" breaks the contract: ${first?.message ?? 'it does not fit'}`;
  const answer = parts.errors.answer(exchange.call.operation, {
    status: 500,
    message,
    code: 'answer_invalid',
    from: 'verify',
  });
  return { ...answer, violations: fault.violations };
}
