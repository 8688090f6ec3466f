import type { Answer } from '../http/answer.js';
import type { AnswerSource, Exchange } from './answer-source.js';

/** Asks the sources for the answer to one exchange; undefined where none of them has one. */
export type Chain = (exchange: Exchange) => Answer | undefined | Promise<Answer | undefined>;

/**
 * Links sources, first to last, into one function.
 *
 * The chain awaits nothing itself: where every source answers synchronously, so does it.
 */
export function createChain(sources: readonly AnswerSource[]): Chain {
  return sources.reduceRight<Chain>(
    (below, source) => (exchange) => source.answer(exchange, (other = exchange) => below(other)),
    () => undefined,
  );
}
