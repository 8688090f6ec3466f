import { writeJson as writeExact } from '../../base/exact-json.js';
import { writeSource, type Answer, type ListAnswer, type ListedItems } from '../answer.js';
import { URLSearchParams } from 'node:url';
import { TextEncoder } from 'node:util';
import type { ServerResponse } from 'node:http';
import { isObject, mapValues } from '../../base/json.js';
import { toViolationsHeader, type Violation } from '../../schema/violation.js';
import { type EventFields, writeEvent } from '../event-stream.js';
import { isToken } from '../../contract/operations/parameter.js';
import { isSequenceType, isJsonType, toEssence } from '../../contract/media-type.js';
import { host, isBytes, setImmediate } from '../../base/platform.js';

/** The Response class: the global one in-process, the faster one of the server on a socket. */
export type ResponseConstructor = new (body: WrittenBody | null, init: ResponseInit) => Response;

/** A serialized body. */
type WrittenBody = string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>;

/** The target that a response is written to. */
interface ResponseTarget {
  /** The class of the Response; default: that of the platform. */
  readonly ResponseClass?: ResponseConstructor | undefined;
  /** The response of Node.js on a socket, for what a Response cannot express; undefined in-process. */
  readonly outgoing?: ServerResponse;
}

/** Serializes an answer as a Response. */
export type Encoder = (answer: Answer, method: string, target: ResponseTarget | undefined) => Response;

/** Serializes the bodies of one media type; undefined for other media types. */
export type BodyWriter = (answer: Pick<Answer, 'body' | 'mediaType' | 'schemaPointer'>) => string | undefined;

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
 * It throws an Error for an answer that is not a message of HTTP, so that writing the response cannot fail.
 *
 * @param writers - For media types that depend on the contract, such as XML; they come first.
 */
export function createEncoder(writers: readonly BodyWriter[]): Encoder {
  return (answer, method, target) => {
    const { status } = answer;
    if (!(status >= 200 && status <= MAX_STATUS && Number.isInteger(status))) throw new Error(describeStatus(status));
    const headers: Record<string, string> = { 'x-mock-source': toFieldValue(writeSource(answer)) };
    if (answer.violations.length > 0) Object.assign(headers, toViolationHeaders(answer.violations));
    let repeated: [string, string][] | undefined;
    let isAscii = true;
    for (const name in answer.headers) {
      if (!isWritten(name)) continue;
      const value = answer.headers[name];
      if (typeof value === 'string' && value.length <= MAX_FIELD_LENGTH) {
        isAscii &&= !NOT_ASCII.test(value);
        headers[name] = toFieldValue(value);
        continue;
      }
      for (const line of readLines(name, value)) {
        isAscii &&= !NOT_ASCII.test(line);
        repeated = [...(repeated ?? []), [name, toFieldValue(line)]];
      }
    }
    const outgoing = target?.outgoing;
    const written = EMPTY_STATUSES.has(status) ? null : writeBody(answer, writers, outgoing);
    // Node.js writes the fields as UTF-8 together with a string, and as Latin-1 only before bytes.
    const body = isAscii || typeof written !== 'string' ? written : Buffer.from(written);
    if ((body !== null || method === 'HEAD') && answer.mediaType !== undefined)
      headers['content-type'] = toFieldValue(answer.mediaType);
    // RFC 9110 9.3.2: HEAD answers like GET, without the body but with the length it would have.
    const isHead = method === 'HEAD';
    // Node.js decodes a Content-Disposition that is not ASCII wrongly, unless it precedes the length.
    if ((isHead || !isAscii) && (typeof body === 'string' || isBytes(body)))
      headers['content-length'] = String(Buffer.byteLength(body));
    else if (isHead || status === 304) Object.assign(headers, readLength(answer));
    const ResponseClass = target?.ResponseClass ?? host.Response;
    const content = body !== null && !isHead && isChunked(answer) ? toChunk(body) : body;
    const response = new ResponseClass(isHead ? null : content, { status, headers: toHeaders(headers, repeated) });
    if (outgoing !== undefined && answer.reason !== undefined) outgoing.statusMessage = toFieldValue(answer.reason);
    return response;
  };
}

/** Whether an answer says that its length is not known before, as that of an upstream. */
function isChunked({ headers }: Pick<Answer, 'headers'>): boolean {
  return headers['transfer-encoding'] === 'chunked';
}

/** A body whose length servers do not know. */
function toChunk(body: WrittenBody): WrittenBody {
  if (typeof body !== 'string' && !isBytes(body)) return body;
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body;
  return new host.ReadableStream<Uint8Array>({
    start: (controller) => {
      if (bytes.byteLength > 0) controller.enqueue(bytes);
      controller.close();
    },
  });
}

/** Servers send statuses up to 999, a Response of the platform only up to 599. */
const MAX_STATUS = 999;

/** Characters of one field; Node.js reads 16 KiB of header fields, other clients a few times as many. */
const MAX_FIELD_LENGTH = 65_536;

/** Fields that say where a message ends; the server writes them (RFC 9112 section 6). */
const FRAMING: ReadonlySet<string> = new Set(['content-length', 'transfer-encoding', 'trailer']);

function describeStatus(status: unknown): string {
  return `the answer has the status ${String(status)}, which must be an integer from 200 to ${MAX_STATUS}`;
}

/** Whether a field is written. @throws Error for a name that is not a token (RFC 9110 5.6.2). */
function isWritten(name: string): boolean {
  if (isToken(name)) return !FRAMING.has(name.toLowerCase());
  throw new Error(`the answer has a header with the name ${JSON.stringify(name)}, which is not valid`);
}

/** The length that a source knows of a body which is not sent (RFC 9110 8.6). */
function readLength({ headers }: Answer): Readonly<Record<string, string>> {
  const length = headers['content-length'];
  return typeof length === 'string' && /^\d{1,15}$/.test(length) ? { 'content-length': length } : {};
}

/** The lines of a field that is not one string; numbers and booleans of handlers are written as text. */
function readLines(name: string, value: unknown): readonly string[] {
  const lines: readonly unknown[] = value === undefined || value === null ? [] : [value].flat();
  return lines.map((line) => {
    if (typeof line !== 'string' && typeof line !== 'number' && typeof line !== 'boolean')
      throw new Error(`the header ${JSON.stringify(name)} of the answer must be a string, got ${typeof line}`);
    const text = String(line);
    if (text.length <= MAX_FIELD_LENGTH) return text;
    throw new Error(
      `the header ${JSON.stringify(name)} of the answer has ${text.length} characters, more than ${MAX_FIELD_LENGTH}`,
    );
  });
}

/** The fields of an answer; some, such as Set-Cookie, have several lines. */
function toHeaders(
  headers: Record<string, string>,
  repeated: readonly [string, string][] | undefined,
): Headers | Record<string, string> {
  if (repeated === undefined) return headers;
  const all = new host.Headers(headers);
  for (const [name, value] of repeated) all.append(name, value);
  return all;
}

function writeBody(
  answer: ListAnswer,
  writers: readonly BodyWriter[],
  outgoing: ServerResponse | undefined,
): WrittenBody | null {
  const { body, mediaType } = answer;
  if (body === undefined) return null;
  // No source creates a Uint8Array with shared memory, which is not a valid body.
  if (isBytes(body)) return body as Uint8Array<ArrayBuffer>;
  if (isStream(body)) return writeStream(body, mediaType ?? 'application/octet-stream', outgoing);
  if (mediaType === undefined || isJsonType(mediaType))
    return answer.listed === undefined ? writeJson(body) : writeListed(body, answer.listed);
  for (const writer of writers) {
    const written = writer(answer);
    if (written !== undefined) return written;
  }
  if (typeof body === 'string') return body;
  const essence = toEssence(mediaType);
  if (isSequenceType(essence))
    return [body]
      .flat()
      .map((item) => writeItem(item, essence))
      .join('');
  // In a string of JSON, `\u003c` is the same as `<`, which a browser could read as the start of an element.
  if (essence === 'text/html') return toText(body).replaceAll('<', '\\u003c').replaceAll('&', '\\u0026');
  if (essence !== 'application/x-www-form-urlencoded' || !isObject(body)) return toText(body);
  return new URLSearchParams(mapValues(body, toText)).toString();
}

/** The JSON of a body around a list, whose items are not written again. */
function writeListed(body: unknown, { items, written }: ListedItems): string {
  if (body !== items && !(isObject(body) && Object.values(body).includes(items))) return writeJson(body);
  let list = '[';
  for (const each of written) {
    each.text ??= writeJson(each.item);
    list += list === '[' ? each.text : `,${each.text}`;
  }
  list += ']';
  if (!isObject(body)) return list;
  let text = '{';
  for (const name of Object.keys(body)) {
    const value = body[name];
    if (value === undefined) continue;
    const member = value === items ? list : writeJson(value);
    text += `${text === '{' ? '' : ','}${JSON.stringify(name)}:${member}`;
  }
  return `${text}}`;
}

/** @throws Error for a value that JSON cannot express. */
function writeJson(value: unknown): string {
  // Undefined for functions and symbols, which the type leaves out.
  const text = writeExact(value) as string | undefined;
  if (text === undefined) throw new Error(`the body of the answer is a ${typeof value}, which JSON cannot express`);
  return text;
}

function toText(value: unknown): string {
  return typeof value === 'string' ? value : writeJson(value);
}

/** The violations of an answer that is sent anyway. */
function toViolationHeaders(violations: readonly Violation[]): Readonly<Record<string, string>> {
  // A refusal has the violations of the client in a header of its own.
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
  if (essence === 'application/json-seq') return `\u001e${writeJson(item)}\n`;
  return `${writeJson(item)}\n`;
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
  let isBroken = false;
  return new host.ReadableStream<Uint8Array>({
    pull: async (controller) => {
      // After its error, an iterator is done, as it is at its end.
      if (isBroken) return;
      try {
        const { done, value } = await iterator.next();
        if (done === true) controller.close();
        else if (isBytes(value)) controller.enqueue(value);
        else controller.enqueue(encoder.encode(isSequenceType(essence) ? writeItem(value, essence) : toText(value)));
      } catch (error) {
        isBroken = true;
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
