import type { MediaType, Operation } from '../../contract/operations/operation.js';
import { isSequenceType, isJsonType, toEssence } from '../../contract/media-type.js';
import type { Answer } from '../../http/answer.js';
import { createItemStream } from '../../http/stream-items.js';
import { memoize } from '../../base/memoize.js';
import { type AnswerSource, type Exchange, type Next, type SourceParts, whenSettled } from '../chain.js';
import { chooseResponse, type ResponseChoice } from '../choose-response.js';
import { planStream } from '../streams/stream-plan.js';
import { createGenerateAnswer, readContext } from './generate.js';

/** A call that is answered with a stream. */
interface StreamCall {
  readonly exchange: Exchange;
  readonly choice: ResponseChoice;
  readonly next: Next;
}

/**
 * Answers a call for a stream with the events that add up to the answer that the sources below give to the same call without a stream.
 *
 * Errors, streams and answers of a real service stay as they are.
 */
export function createStreamSource(parts: SourceParts): AnswerSource {
  const generate = createGenerateAnswer(parts);
  const planOf = memoize((operation: Operation) => memoize((media: MediaType) => planStream(parts, operation, media)));
  const write = (answer: Answer | undefined, { exchange, choice, next }: StreamCall): ReturnType<Next> => {
    if (answer === undefined || !isWhole(answer)) return answer;
    // An example of the stream itself is better than the parts of a generated value.
    const isFree = answer.from === 'example' || answer.from === 'generate';
    if (isFree && (choice.media?.examples.length ?? 0) > 0) return next(exchange);
    const { call } = exchange;
    const context = readContext(exchange);
    const items = choice.media && planOf(call.operation)(choice.media)?.(call, answer.body, context);
    if (items !== undefined) {
      const { checked: _, ...others } = answer;
      return { ...others, body: createItemStream(items), mediaType: choice.mediaType, schemaPointer: undefined };
    }
    exchange.note('stream: the schema of the events does not show how they add up to the answer: they are generated');
    const { body, mediaType, from, detail } = generate(exchange, choice);
    return { ...answer, body, mediaType, from, detail };
  };
  return {
    name: 'stream',
    answer: (exchange, next) => {
      const { call } = exchange;
      const { streaming } = call.operation;
      const plain = streaming?.others.find((type) => isJsonType(type));
      const choice = plain === undefined ? undefined : chooseResponse(call.operation, call.accept);
      if (plain === undefined || choice?.mediaType === undefined) return next(exchange);
      if (!isSequenceType(toEssence(choice.mediaType))) return next(exchange);
      const below = next({ ...exchange, call: { ...call, accept: plain } });
      return whenSettled(below, write, { exchange, choice, next });
    },
  };
}

/** Whether an answer is a success with a JSON value that was not given by a real service. */
function isWhole({ status, mediaType, body, from }: Answer): boolean {
  if (status < 200 || status > 299 || typeof body !== 'object' || body === null) return false;
  return mediaType !== undefined && isJsonType(mediaType) && from !== 'replay' && from !== 'forward';
}
