import type { ServerResponse } from 'node:http';
import { isObject, mapValues } from '../../contract/json.js';
import { toViolationsHeader, type Violation } from '../../schema/violation.js';
import type { Answer } from '../answer.js';
import { type EventFields, writeEvent } from '../event-stream.js';
import { isSequenceType } from '../../contract/operations/streaming.js';
import { isJsonType, toEssence } from '../media-type.js';

/** The Response class: the global one in-process, the faster one of the server on a socket. */
export type ResponseConstructor = new (body: WrittenBody | null, init: ResponseInit) => Response;

/** A serialized body. */
type WrittenBody = string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>;

/** What a response is written to. */
export interface ResponseTarget {
  /** The class of the Response; default: that of the platform. */
  readonly ResponseClass?: ResponseConstructor | undefined;
  /** The response of Node.js on a socket, for what a Response cannot express; undefined in-process. */
  readonly outgoing?: ServerResponse;
}

/** Serializes an answer as a Response. */
export type Encoder = (answer: Answer, method: string, target: ResponseTarget | undefined) => Response;

/** Serializes the bodies of one media type; undefined for other media types. */
export type BodyWriter = (answer: Answer) => string | Uint8Array | undefined;

/** RFC 9110 15.3.5, 15.3.6, 15.4.5: statuses without content. */
export const EMPTY_STATUSES: ReadonlySet<number> = new Set([101, 103, 204, 205, 304]);

// oxlint-disable-next-line no-control-regex -- control characters are what it looks for
const NOT_ASCII = /[^\t\x20-\x7e]/;
// Field values are visible ASCII, obs-text, space and tab (RFC 9110 5.5); anything else would make the server throw.
// oxlint-disable-next-line no-control-regex -- as above
const BAD_FIELD_CHARACTERS = /[^\t\x20-\x7e\x80-\xff]/gu;

/**
 * Creates the encoder for JSON, strings, bytes, forms and streams of items.
 *
 * @param writers - For media types that depend on the contract, such as XML; they come first.
 */
export function createEncoder(writers: readonly BodyWriter[]): Encoder {
  return (answer, method, target) => {
    const headers: Record<string, string> = { 'x-mock-source': toFieldValue(answer.from) };
    if (answer.violations.length > 0) Object.assign(headers, toViolationHeaders(answer.violations));
    let repeated: [string, string][] | undefined;
    let isAscii = true;
    for (const name in answer.headers) {
      const value = answer.headers[name];
      if (typeof value === 'string') {
        isAscii &&= !NOT_ASCII.test(value);
        headers[name] = toFieldValue(value);
        continue;
      }
      for (const item of value ?? []) {
        isAscii &&= !NOT_ASCII.test(item);
        repeated = [...(repeated ?? []), [name, toFieldValue(item)]];
      }
    }
    const outgoing = target?.outgoing;
    if (outgoing !== undefined && answer.reason !== undefined) outgoing.statusMessage = answer.reason;
    const written = EMPTY_STATUSES.has(answer.status) ? null : writeBody(answer, writers, outgoing);
    // Node.js writes the fields as UTF-8 together with a string, and as Latin-1 only before bytes.
    const body = isAscii || typeof written !== 'string' ? written : Buffer.from(written);
    if ((body !== null || method === 'HEAD') && answer.mediaType !== undefined)
      headers['content-type'] = answer.mediaType;
    // RFC 9110 9.3.2: HEAD answers like GET, without the body but with the length it would have.
    const isHead = method === 'HEAD';
    // Node.js decodes a Content-Disposition that is not ASCII wrongly, unless it precedes the length.
    if ((isHead || !isAscii) && (typeof body === 'string' || body instanceof Uint8Array))
      headers['content-length'] = String(Buffer.byteLength(body));
    const ResponseClass = target?.ResponseClass ?? Response;
    return new ResponseClass(isHead ? null : body, { status: answer.status, headers: toHeaders(headers, repeated) });
  };
}

/** The fields of an answer; some, such as Set-Cookie, have several lines. */
function toHeaders(
  headers: Record<string, string>,
  repeated: readonly [string, string][] | undefined,
): Headers | Record<string, string> {
  if (repeated === undefined) return headers;
  const all = new Headers(headers);
  for (const [name, value] of repeated) all.append(name, value);
  return all;
}

function writeBody(
  answer: Answer,
  writers: readonly BodyWriter[],
  outgoing: ServerResponse | undefined,
): WrittenBody | null {
  const { body, mediaType } = answer;
  if (body === undefined) return null;
  // No source creates a Uint8Array with shared memory, which is not a valid body.
  if (body instanceof Uint8Array) return body as Uint8Array<ArrayBuffer>;
  if (isStream(body)) return writeStream(body, mediaType ?? 'application/octet-stream', outgoing);
  if (mediaType === undefined || isJsonType(mediaType)) return JSON.stringify(body);
  for (const writer of writers) {
    const written = writer(answer);
    if (written !== undefined) return written as string | Uint8Array<ArrayBuffer>;
  }
  if (typeof body === 'string') return body;
  const essence = toEssence(mediaType);
  if (Array.isArray(body) && isSequenceType(essence)) return body.map((item) => writeItem(item, essence)).join('');
  // In a string of JSON, `\u003c` is the same as `<`, which a browser could read as the start of an element.
  if (essence === 'text/html') return toText(body).replaceAll('<', '\\u003c').replaceAll('&', '\\u0026');
  if (essence !== 'application/x-www-form-urlencoded' || !isObject(body)) return toText(body);
  return new URLSearchParams(mapValues(body, toText)).toString();
}

function toText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** The violations of an answer that is sent anyway. */
function toViolationHeaders(violations: readonly Violation[]): Readonly<Record<string, string>> {
  // A refusal has those of the client in a header of its own.
  const own = violations.filter(({ by }) => by !== 'client');
  if (own.length === 0) return {};
  return { 'x-mock-violations': toFieldValue(toViolationsHeader(own)) };
}

function toFieldValue(value: string): string {
  return NOT_ASCII.test(value) ? value.toWellFormed().replace(BAD_FIELD_CHARACTERS, encodeURIComponent) : value;
}

/** Whether a body is a stream of items. */
export function isStream(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value;
}

/** One item of a sequential media type. */
function writeItem(item: unknown, essence: string): string {
  if (essence === 'text/event-stream') return writeEvent(toEventFields(item));
  // RFC 7464: a record separator before each text.
  if (essence === 'application/json-seq') return `\u001e${JSON.stringify(item)}\n`;
  return `${JSON.stringify(item)}\n`;
}

/** An object with `data` is an event with `event`, `id` and `retry`; any other item is the data of an event. */
function toEventFields(item: unknown): EventFields {
  if (!isObject(item) || !('data' in item)) return { data: toText(item) };
  const { event, id, retry, data } = item;
  const toField = (value: unknown): string | undefined =>
    value === undefined || value === null ? undefined : toText(value);
  return { event: toField(event), id: toField(id), retry: toField(retry), data: toText(data) };
}

/** Serializes items one by one on demand; bytes and strings are not changed. */
function writeStream(
  items: AsyncIterable<unknown>,
  mediaType: string,
  outgoing: ServerResponse | undefined,
): ReadableStream<Uint8Array> {
  // Node.js writes fields that are not ASCII as Latin-1 only before bytes; no bytes are enough.
  if (outgoing !== undefined) outgoing.flushHeaders = () => void outgoing.write(new Uint8Array());
  const essence = toEssence(mediaType);
  const iterator = items[Symbol.asyncIterator]();
  const encoder = new TextEncoder();
  return new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      try {
        const { done, value } = await iterator.next();
        if (done === true) controller.close();
        else if (value instanceof Uint8Array) controller.enqueue(value);
        else controller.enqueue(encoder.encode(isSequenceType(essence) ? writeItem(value, essence) : toText(value)));
      } catch (error) {
        if (outgoing === undefined) controller.error(error);
        else breakOff(outgoing);
      }
    },
    cancel: async () => {
      await iterator.return?.();
    },
  });
}

/** Closes the connection of a response whose stream failed, after what was written; the client sees that the rest is missing. */
function breakOff(outgoing: ServerResponse): void {
  // The last item is written one step after it was read.
  setImmediate(() => setImmediate(() => outgoing.socket?.destroySoon()));
}
