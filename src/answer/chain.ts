import { createHash } from 'node:crypto';
import type { Clock } from '../clock.js';
import type { Contract } from '../contract/contract.js';
import { isObject } from '../contract/json.js';
import type { Answer } from '../http/answer.js';
import { isJsonType } from '../http/media-type.js';
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

/**
 * What a call asks for, as a text: its path, its query and its body, and nothing else. Two calls that ask for the same have the
 * same name; of files only a digest is in it, so that an upload costs no more than its size.
 */
export function nameCall({ path, query, body, mediaType }: Call): string {
  // No value of a JSON text holds bytes, and most bodies are one.
  const isPlain = body === undefined || (mediaType !== undefined && isJsonType(mediaType));
  return JSON.stringify([path, query, isPlain ? body : withoutBytes(body)]);
}

/** A copy in which a digest stands for bytes. */
function withoutBytes(value: unknown): unknown {
  if (value instanceof Uint8Array) {
    return `${value.byteLength} bytes ${createHash('sha256').update(value).digest('base64url')}`;
  }
  if (Array.isArray(value)) return value.map(withoutBytes);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, withoutBytes(member)]));
}
