import type { Clock } from '../clock.js';
import type { Contract } from '../contract/contract.js';
import type { Answer } from '../http/answer.js';
import type { Call } from '../http/request/call.js';
import type { Session } from '../session/session.js';

/** Everything a source may look at while it answers one call. */
export interface Exchange {
  readonly contract: Contract;
  readonly call: Call;
  readonly session: Session;
  /** What delays and windows of time go by: the session's clock, but on a socket real time passes. Dates come from the session's. */
  readonly clock: Clock;
  /** Adds a line to the trace of this answer: what a source considered and why it did or did not answer. */
  note(line: string): void;
}

/**
 * Asks the sources below; undefined where none of them answers.
 *
 * @param exchange - What they are asked about instead, such as the same call in another session.
 */
export type Next = (exchange?: Exchange) => Answer | undefined | Promise<Answer | undefined>;

/** One place an answer can come from: it answers, returns `next()`, or changes what `next()` brings back. */
export interface AnswerSource {
  readonly name: string;
  answer(exchange: Exchange, next: Next): Answer | undefined | Promise<Answer | undefined>;
}
