import { createHash } from 'node:crypto';
import { TextDecoder } from 'node:util';
import { readEvents, type StreamEvent, type TimedText, writeEvent } from '../../../http/event-stream.js';
import { type HeaderFields, listFields, readContentType, readField } from '../../../http/header-fields.js';
import { isJsonType, readMediaType, isTextType } from '../../../contract/media-type.js';
import { readMultipart, writeMultipart } from '../../../http/multipart.js';
import { isBodiless } from '../../../http/request/body-bytes.js';
import { findExcess, MAX_VALUE_BYTES, RECORDED_LIMITS } from '../../../http/json-size.js';
import { loadBodyBytes } from './cassette.js';
import { readJson, writeJson } from '../../../base/exact-json.js';
import { writeCanonical } from './canonical.js';
import type { RecordedBody, RecordedMessage, RecordedPart, RecordedRequest } from './exchange.js';
import { host } from '../../../base/platform.js';

/** A body as it is recorded: JSON, events, parts or text where it is valid as such, else bytes. */
export function readBody(bytes: Uint8Array | undefined, headers: HeaderFields): RecordedBody {
  if (bytes === undefined || bytes.byteLength === 0) return {};
  const mediaType = readContentType(headers);
  if (mediaType?.startsWith('multipart/') === true) {
    const parts = readParts(bytes, headers);
    if (parts !== undefined) return { parts };
  }
  const isText = mediaType === undefined || isTextType(mediaType);
  const text = isText ? readText(bytes) : undefined;
  if (text === undefined) return { bytes };
  if (mediaType !== undefined && isJsonType(mediaType)) return readJsonBody(text);
  if (mediaType === 'text/event-stream') return readEventBody([{ atMs: 0, text }]);
  return { bodyText: text };
}

/** A body that is larger than its readable form may be; with its content coding. */
export function toSpooled(source: string | Uint8Array, encoding: string | undefined): RecordedBody {
  return { spooled: { source, encoding }, bodyNote: `the body has more than ${MAX_VALUE_BYTES} bytes` };
}

/** Whether a message has a body in any form. */
export function hasBody({
  body,
  bodyText,
  bodyBase64,
  bodyFile,
  bytes,
  spooled,
  events,
  parts,
}: RecordedBody): boolean {
  return [body, bodyText, bodyBase64, bodyFile, bytes, spooled, events, parts].some((form) => form !== undefined);
}

/** The digest by which a large body of a request is compared. */
export function digestBody(sent: Uint8Array): string {
  return createHash('sha256').update(sent).digest('base64url');
}

/** JSON with its exact text, if that is another one than `writeJson` writes. */
function readJsonBody(text: string): RecordedBody {
  try {
    const excess = findExcess(text, RECORDED_LIMITS);
    if (excess !== undefined) return { bodyText: text, bodyNote: `the body ${excess.says}` };
    const body = readJson(text);
    return writeJson(body) === text ? { body } : { body, bodyText: text };
  } catch {
    // Malformed JSON is recorded as it was sent.
    return { bodyText: text };
  }
}

/** The events of a stream with its exact text, if that is another one than `writeEvent` writes. */
export function readEventBody(chunks: readonly TimedText[]): RecordedBody {
  const events = readEvents(chunks);
  const text = chunks.map((chunk) => chunk.text).join('');
  return writeEvents(events) === text ? { events } : { events, bodyText: text };
}

function writeEvents(events: readonly StreamEvent[]): string {
  return events.map(writeEvent).join('');
}

/** The exact text of a body that has a readable form too; undefined without one, and if the readable form was edited since. */
export function readExactText({ body, bodyText, events }: RecordedBody): string | undefined {
  if (bodyText === undefined) return undefined;
  try {
    const isSame =
      events === undefined
        ? writeCanonical(readJson(bodyText)) === writeCanonical(body)
        : writeEvents(readEvents([{ atMs: 0, text: bodyText }])) === writeEvents(events);
    return isSame ? bodyText : undefined;
  } catch {
    return undefined;
  }
}

/** The bytes of the body of a message or part; undefined without a body. */
export function writeBody(folder: string, message: RecordedMessage): Uint8Array | undefined {
  if (message.body !== undefined) return Buffer.from(readExactText(message) ?? writeJson(message.body));
  if (message.events !== undefined) return Buffer.from(readExactText(message) ?? writeEvents(message.events));
  if (message.parts === undefined) return loadBodyBytes(folder, message);
  const parts = message.parts.map((part) => ({
    name: part.name,
    filename: part.filename,
    contentType: part.mediaType,
    bytes: writeBody(folder, { ...part, headers: toPartHeaders(part) }) ?? new Uint8Array(),
  }));
  return writeMultipart(parts, readBoundary(message.headers) ?? 'recorded-boundary');
}

/** The body of a message with the content of its files. */
export function loadBody(folder: string, message: RecordedMessage): RecordedBody {
  if (message.parts !== undefined) {
    const parts = message.parts.map((part): RecordedPart => {
      if (part.bodyFile === undefined) return part;
      const { bodyFile: _, ...rest } = part;
      return { ...rest, ...readBody(loadBodyBytes(folder, part), toPartHeaders(part)) };
    });
    return { ...message, parts };
  }
  return message.bodyFile === undefined || message.bodyDigest !== undefined
    ? message
    : readBody(loadBodyBytes(folder, message), message.headers);
}

/** The JSON of a body, also of one that the service calls text; undefined for other bodies. */
export function loadJson(folder: string, message: RecordedMessage): unknown {
  return toJson({ ...message, ...loadBody(folder, message) });
}

/** As `loadJson`, for a message whose body is not in a file. */
export function toJson(message: RecordedMessage): unknown {
  const { body, bodyText } = message;
  if (body !== undefined || bodyText === undefined || !/^\s*[[{]/.test(bodyText)) return body;
  const type = readContentType(message.headers);
  return type !== undefined && LABELS.has(type) ? readJsonBody(bodyText).body : undefined;
}

/** Media types that services give JSON by mistake. */
const LABELS: ReadonlySet<string> = new Set(['text/plain', 'text/html']);

/** A recorded request as it is sent again. */
export function toRequest(
  { method, headers }: Pick<RecordedRequest, 'method' | 'headers'>,
  target: string,
  body: Uint8Array | string | undefined,
): Request {
  const isForbidden = FORBIDDEN_METHODS.has(method.toUpperCase());
  const hasBody = body !== undefined && !isForbidden && !isBodiless(method);
  // Not resolved against a base: a path may begin with two slashes.
  const request = new host.Request(`http://recording${target}`, {
    method: isForbidden ? 'GET' : method,
    headers: new host.Headers(listFields(headers)),
    ...(hasBody ? { body: typeof body === 'string' ? body : Buffer.from(body) } : {}),
  });
  return isForbidden ? Object.defineProperty(request, 'method', { value: method }) : request;
}

/** Methods that a `Request` cannot be created with (Fetch standard, forbidden methods), although servers receive them. */
export const FORBIDDEN_METHODS: ReadonlySet<string> = new Set(['CONNECT', 'TRACE', 'TRACK']);

/** The text of UTF-8 bytes; undefined for other bytes and for control characters that text does not contain. */
export function readText(bytes: Uint8Array): string | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    return text.includes('\u0000') ? undefined : text;
  } catch {
    return undefined;
  }
}

/** The parts of a form; undefined for malformed bodies and for parts without a name, which a recording could not write again. */
function readParts(bytes: Uint8Array, headers: HeaderFields): readonly RecordedPart[] | undefined {
  const reading = readMultipart(bytes, readBoundary(headers));
  if ('mistake' in reading) return undefined;
  const parts: RecordedPart[] = [];
  for (const { name, filename, contentType, bytes: content } of reading.parts) {
    if (name === undefined || name === '') return undefined;
    const head = { name, ...(filename !== undefined && { filename }) };
    const type = contentType === undefined ? {} : { mediaType: contentType };
    parts.push({ ...head, ...type, ...readBody(content, toPartHeaders(type)) });
  }
  return parts;
}

// RFC 7578 4.4: the default of a part is text/plain.
function toPartHeaders({ mediaType }: Pick<RecordedPart, 'mediaType'>): HeaderFields {
  return { 'content-type': mediaType ?? 'text/plain' };
}

function readBoundary(headers: HeaderFields): string | undefined {
  const { boundary } = readMediaType(readField(headers, 'content-type') ?? '').parameters;
  return boundary === '' ? undefined : boundary;
}
