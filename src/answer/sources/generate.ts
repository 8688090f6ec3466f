import type { Contract } from '../../contract/contract.js';
import { bytesFor } from '../../generate/bytes.js';
import type { GenerateContext, Generator } from '../../generate/generate.js';
import type { Answer } from '../../http/answer.js';
import { isJsonType } from '../../http/encode.js';
import type { Validators } from '../../http/validate.js';
import { NO_VIOLATIONS } from '../../http/violation.js';
import type { AnswerSource, Exchange } from '../answer-source.js';
import { chooseResponse, type ResponseChoice } from '../choose-response.js';
import type { ErrorAnswers } from '../error-body.js';

/** What the source of generated answers is made of. */
export interface GenerateParts {
  readonly contract: Contract;
  readonly validators: Validators;
  readonly generator: Generator;
  readonly errors: ErrorAnswers;
}

/** Answers with a value made from the schema of the response: seeded, and always of the schema. */
export function createGenerateSource(parts: GenerateParts): AnswerSource {
  return {
    name: 'generate',
    answer: (exchange, next) => {
      const { call } = exchange;
      const choice = chooseResponse(call.operation, { accept: call.headers.get('accept') });
      if (choice === undefined) return next();
      return answerGenerated(parts, exchange, choice);
    },
  };
}

/** A generated answer for a response that was chosen. */
export function answerGenerated(parts: GenerateParts, exchange: Exchange, choice: ResponseChoice): Answer {
  const { media, mediaType, status } = choice;
  const answer = { status, headers: {}, from: 'generate', violations: NO_VIOLATIONS };
  if (media === undefined || mediaType === undefined) return { ...answer, body: undefined, mediaType: undefined };
  const context = readContext(exchange);
  if (media.schema === undefined) {
    return { ...answer, body: isJsonType(mediaType) ? {} : bytesFor(mediaType), mediaType };
  }
  const body = parts.generator.value(media.schemaPointer, context);
  return { ...answer, body, mediaType, schemaPointer: media.schemaPointer };
}

/** What the values of one exchange depend on: who asked for what, and nothing else. */
export function readContext(exchange: Exchange): GenerateContext {
  const { call, session } = exchange;
  return {
    seed: session.seed,
    key: `${call.operation.path}\n${JSON.stringify([call.path, call.query, call.body])}`,
    direction: 'response',
    now: session.clock.now(),
    known: call.path,
    note: exchange.note,
  };
}
