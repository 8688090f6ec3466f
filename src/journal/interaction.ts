import { cutText } from '../base/errors.js';
import { isObject, mapValues } from '../base/json.js';
import type { Answer, Fault } from '../http/answer.js';
import type { Call } from '../http/request/call.js';
import { readKnownItems } from '../http/stream-items.js';
import type { Violation } from '../schema/violation.js';
import { isBlob, isBytes } from '../base/platform.js';

/** A call and its answer; plain data. */
export interface Interaction {
  /** Counts from 1 within a session. */
  readonly number: number;
  /** Id of the session. */
  readonly session: string;
  /** Milliseconds since 1970, by the clock of the session. */
  readonly at: number;
  /** Milliseconds of real time at which the request arrived, since the process started. */
  readonly startedAt: number;
  /** Milliseconds of real time that the mock took. */
  readonly elapsedMs: number;
  /** The operation id; undefined where no operation matched. */
  readonly operation: string | undefined;
  /** The decoded request. */
  readonly request: InteractionRequest;
  /** The answer, before it was written. */
  readonly answer: Answer;
  /** Violations of the client, then those of the answer. */
  readonly violations: readonly Violation[];
  /** Which sources were asked and why they did or did not answer, in order: `state: no pet has the id "x"`. */
  readonly trace: readonly string[];
}

/** The request of an interaction. */
export interface InteractionRequest {
  /** The method in upper case. */
  readonly method: string;
  /** Path and query as they were sent. */
  readonly url: string;
  /** Decoded path parameters. */
  readonly path: Readonly<Record<string, unknown>>;
  /** Decoded query parameters. */
  readonly query: Readonly<Record<string, unknown>>;
  /** Names in lower case; several fields of one name joined by a comma (RFC 9110 5.3). */
  readonly headers: Readonly<Record<string, string>>;
  /** The decoded body; undefined where there was none. */
  readonly body: unknown;
}

/** An interaction as JSON, without its secrets. */
export interface PlainInteraction extends Omit<Interaction, 'at' | 'startedAt' | 'operation' | 'request' | 'answer'> {
  /** ISO 8601, by the clock of the session. */
  readonly at: string;
  /** `null` where no operation matched. */
  readonly operation: string | null;
  /** The request. */
  readonly request: PlainRequest;
  /** The answer. */
  readonly answer: PlainAnswer;
}

/** The request of a plain interaction; without `body` there was none. */
export interface PlainRequest extends Omit<InteractionRequest, 'body'> {
  readonly body?: unknown;
}

/** The answer of a plain interaction; without `body` there was none, and `status` is 0 where a fault sent none. */
export interface PlainAnswer extends Pick<Answer, 'status' | 'headers' | 'from'> {
  readonly mediaType?: string;
  readonly body?: unknown;
  readonly violates?: string;
  readonly fault?: Fault;
}

/** The parts of an interaction that logs and messages show, without its secrets. */
export interface InteractionTexts extends Pick<PlainInteraction, 'trace' | 'violations'> {
  /** Path and query as they were sent. */
  readonly url: string;
}

/** Reads the texts of an interaction without its secrets. */
export type ToTexts = (interaction: Interaction) => InteractionTexts;

/** Converts an interaction to JSON without its secrets. */
export type ToPlain = (interaction: Interaction) => PlainInteraction;

/** Redacts the interactions of one contract. */
export interface InteractionRedactor {
  readonly toPlain: ToPlain;
  /** Only the texts, without the bodies. */
  toTexts(interaction: Interaction): InteractionTexts;
  /** The bodies that are bytes, with secrets replaced by `[redacted]`. @param limit - How many bytes of each. */
  toBytes(interaction: Interaction, limit: number): InteractionBytes;
}

/** The bodies of an interaction that are bytes. */
export interface InteractionBytes {
  readonly request?: ShownBytes;
  readonly answer?: ShownBytes;
}

interface ShownBytes {
  /** Of the whole body. */
  readonly size: number;
  /** The first bytes in hex. */
  readonly hex: string;
}

/** A body as JSON: bytes, files and streams are replaced by a short description. */
export function toPlainValue(value: unknown): unknown {
  const part = describeBinary(value);
  if (Array.isArray(part)) return part.map(toPlainValue);
  // A date or an exact number: it converts itself.
  if (!isObject(part) || ('toJSON' in part && typeof part['toJSON'] === 'function')) return part;
  return mapValues(part, toPlainValue);
}

function describeBinary(value: unknown): unknown {
  if (typeof value === 'bigint') return String(value);
  if (typeof value !== 'object' || value === null) return value;
  if (isBytes(value)) return `<${value.byteLength} bytes>`;
  if (isBlob(value)) return `<${value.size} bytes>`;
  return Symbol.asyncIterator in value ? (readKnownItems(value) ?? '<stream>') : value;
}

/** The request of an interaction. @param headers - By name in lower case. */
export function recordRequest(
  call: Call | UnmatchedRequest,
  headers: InteractionRequest['headers'],
): InteractionRequest {
  const { method, url, path, query, body } = call;
  return { method, url, path, query, headers, body };
}

/** A request that matched no operation; its parameters and body are not decoded. */
export type UnmatchedRequest = Pick<Call, 'method' | 'url' | 'path' | 'query' | 'body'>;

/** One interaction on one line, for messages: `#3 GET /v1/books -> 404 state (listBooks)`. @param url - Without its secrets. */
export function describeInteraction(
  {
    number,
    request,
    answer,
    operation,
  }: Pick<PlainInteraction, 'number' | 'request' | 'answer'> & { readonly operation?: string | null },
  url: string,
): string {
  const name = operation ?? 'no operation';
  return `#${number} ${request.method} ${shortenUrl(url)} -> ${answer.status} ${answer.from} (${name})`;
}

const MAX_URL_LENGTH = 120;

/** A URL in a line of a message or of the log: its first characters. */
export function shortenUrl(url: string): string {
  return cutText(url, MAX_URL_LENGTH);
}

/** The memory that an interaction takes besides its texts and bodies. */
const INTERACTION_BYTES = 1024;

/** About how many bytes an interaction keeps in memory besides its headers; items of the store are shared with it. */
export function measureInteraction(
  { request, answer }: Pick<Interaction, 'request' | 'answer'>,
  body: Call['bytes'],
): number {
  // The decoded body takes about twice as much as it had on the wire.
  return INTERACTION_BYTES + request.url.length + 2 * (body?.byteLength ?? 0) + measureBody(answer.body);
}

/** How many bytes the values of headers have. */
export function measureHeaders(headers: InteractionRequest['headers']): number {
  let bytes = 0;
  for (const name in headers) bytes += headers[name]?.length ?? 0;
  return bytes;
}

/** The most memory that an element of a list in an answer usually takes. */
const ELEMENT_BYTES = 256;

function measureBody(body: unknown): number {
  if (typeof body === 'string') return body.length;
  if (isBytes(body)) return body.byteLength;
  if (Array.isArray(body)) return ELEMENT_BYTES * body.length;
  if (!isObject(body)) return 0;
  let bytes = 0;
  for (const name in body) {
    const value = body[name];
    if (typeof value === 'string') bytes += value.length;
    else if (Array.isArray(value)) bytes += ELEMENT_BYTES * value.length;
  }
  return bytes;
}
