import { createHash } from 'node:crypto';
import type { Clock } from '../base/clock.js';
import type { Contract } from '../contract/contract.js';
import { isObject } from '../base/json.js';
import type { Streaming } from '../contract/operations/operation.js';
import type { GenerateContext, Generator } from '../generate/generate.js';
import type { Answer } from '../http/answer.js';
import { isJsonType } from '../contract/media-type.js';
import type { Call } from '../http/request/call.js';
import type { Validators } from '../schema/validate.js';
import { NO_VIOLATIONS } from '../schema/violation.js';
import type { Session } from '../session/session.js';
import type { ErrorAnswers } from './error-answers.js';
import { isBytes, isPromise } from '../base/platform.js';

/** The parts that the sources of one mock are created from. */
export interface SourceParts {
  readonly contract: Contract;
  readonly validators: Validators;
  readonly generator: Generator;
  readonly errors: ErrorAnswers;
}

/** The inputs of a source while it answers one call. */
export interface Exchange {
  readonly contract: Contract;
  readonly call: Call;
  readonly session: Session;
  /** The request as it arrived; a source that needs its body reads the body of the call. */
  readonly request: Request;
  /** For delays and time windows: on a socket the real clock, in-process the session's. Dates come from the session's clock. */
  readonly clock: Clock;
  /** Adds a line to the trace: what a source considered, and why it did or did not answer. */
  note(line: string): void;
}

/**
 * Asks the sources below; undefined if none of them answers.
 *
 * @param exchange - That of the source, or another one, such as the same call in another session.
 */
export type Next = (exchange: Exchange) => Answer | undefined | Promise<Answer | undefined>;

/**
 * How verify treats an answer whose body breaks the contract.
 *
 * - `fail`: answers 500 with the source, the place, the rule and the hint of the source.
 * - `pass`: asks the sources below; if none of them has an answer that fits, as `fail`.
 * - `report`: sends it unchanged; its violations are in the journal and in `x-mock-violations`.
 * - `complete`: keeps what fits and generates the rest; if that does not fit either, as `report`.
 * - `regenerate`: as `complete`, then generates the whole body; if that does not fit either, as `fail`, or `report` where it was generated.
 */
type InvalidAnswerPolicy = NonNullable<Answer['onInvalid']>;

/** One place an answer can come from: it answers, returns `next(exchange)`, or changes what that returns. */
export interface AnswerSource {
  /** One word; the answer's `from` begins with it. */
  readonly name: string;
  /** How verify treats an answer of this source that breaks the contract; default `fail`. An answer can override it. */
  readonly onInvalid?: InvalidAnswerPolicy;
  /**
   * Whether nothing better can be sent than an object of this source, such as the item that was asked for: where no valid answer is found, it is sent
   * with its violations instead of a 500. Default: false.
   */
  readonly isBest?: boolean;
  /** Whether a success of this source gets every declared header that it does not set; default: only the required ones. */
  readonly getsDeclaredHeaders?: boolean;
  /** Whether answering a call again has no effect outside of the mock; default: it has none. A handler or an upstream can have one. */
  isRepeatable?(exchange: Exchange): boolean;
  /** A sentence that says how to correct a wrong answer of this source. */
  readonly hint?: string;
  answer(exchange: Exchange, next: Next): Answer | undefined | Promise<Answer | undefined>;
}

/** Asks all sources for the answer to one exchange; undefined if none of them has one. */
export type Chain = Next;

/**
 * Links sources, first to last, into one function.
 *
 * The chain itself awaits nothing: if every source answers synchronously, the chain does too.
 */
export function createChain(sources: readonly AnswerSource[]): Chain {
  return linkSources(sources, (source, below) => (exchange) => source.answer(exchange, below));
}

/**
 * The same for sessions that several processes share: an answer is made again where another process has changed the session in between.
 *
 * Before a source that cannot answer again, what was changed until then is written; what comes after something asynchronous is a change of its own.
 */
export function createSharedChain(sources: readonly AnswerSource[]): Chain {
  return linkSources(sources, ({ answer, isRepeatable }, below) => (exchange) => {
    const { atomic } = exchange.session.shared ?? {};
    if (atomic === undefined) return answer(exchange, below);
    if (isRepeatable?.(exchange) === false) return atomic.committed().then(() => answer(exchange, below));
    return atomic.isRunning ? answer(exchange, below) : atomic.run(() => answer(exchange, below));
  });
}

function linkSources(sources: readonly AnswerSource[], link: (source: AnswerSource, below: Chain) => Chain): Chain {
  return sources.reduceRight<Chain>(
    (below, source) => link(source, below),
    () => undefined,
  );
}

/**
 * Applies a function to a value now, or once its promise resolves; without a promise nothing is allocated.
 *
 * @param context - Further inputs of the function, so that it need not be a new closure for each call.
 */
export function whenSettled<Value, Context, Result>(
  value: Value | Promise<Value>,
  apply: (value: Value, context: Context) => Result | Promise<Result>,
  context: Context,
): Result | Promise<Result> {
  return isPromise(value) ? value.then((settled) => apply(settled, context)) : apply(value, context);
}

/** Returns the inputs of the generated parts of an answer; dates are relative to the session's clock. */
export function toGenerateContext({ call, session, note }: Exchange, key: string): GenerateContext {
  return { seed: session.seed, key, direction: 'response', now: session.clock.now(), known: call.path, note };
}

/** An answer without a body. */
export function toEmptyAnswer(status: number, from: string, headers: Answer['headers'] = {}): Answer {
  return { status, headers, body: undefined, mediaType: undefined, from, violations: NO_VIOLATIONS };
}

/** A key of what a call asks for: its path, its query and its body; files are in it as digests. */
export function nameCall(call: Call): string {
  const { path, mediaType, operation } = call;
  const { query, body } = operation.streaming === undefined ? call : withoutStream(call, operation.streaming);
  // A JSON value holds no bytes, and most bodies are JSON.
  const isPlain = body === undefined || (mediaType !== undefined && isJsonType(mediaType));
  const name = JSON.stringify([path, query, isPlain ? body : withoutBytes(body)]);
  // Every generated value reads it.
  return name.length <= MAX_NAME ? name : createHash('sha256').update(name).digest('base64url');
}

/** A longer name of a call is a digest. */
const MAX_NAME = 4096;

/** The query and the body without what only concerns the stream, so that a stream has the values of the answer without one. */
function withoutStream({ query, body }: Call, { parameter }: Streaming): Pick<Call, 'query' | 'body'> {
  const omit = <Value>(value: Value): Value => {
    if (parameter === undefined || !isObject(value)) return value;
    const kept = Object.entries(value).filter(([name]) => name !== parameter.name && !/^stream/i.test(name));
    // Some members of the same object.
    return Object.fromEntries(kept) as Value;
  };
  return { query: omit(query), body: omit(body) };
}

/** A copy with digests instead of bytes. */
function withoutBytes(value: unknown): unknown {
  if (isBytes(value)) {
    return `${value.byteLength} bytes ${createHash('sha256').update(value).digest('base64url')}`;
  }
  if (Array.isArray(value)) return value.map(withoutBytes);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, withoutBytes(member)]));
}

/** Whether the mock invents the answers of a source; others give what a rule, a handler or a real service says. */
export function isOwnSource(from: string): boolean {
  return from === 'example' || from === 'generate' || from === 'state';
}
