import { isJsonType } from '../http/media-type.js';
import { loadBodyBytes } from './cassette.js';
import { readJson, writeJson } from './exact-json.js';
import { readEvents, writeEvents } from './events.js';
import { type HeaderFields, readMediaType, type RecordedBody, type RecordedPart } from './exchange.js';
import { readParts, writeParts } from './parts.js';

const TEXT_TYPES =
  /^text\/|[/+](?:xml|json|yaml|x-yaml|javascript|x-ndjson|ndjson|jsonl|json-seq|graphql|x-www-form-urlencoded)$/;

/** The form in which a body is recorded: JSON where it is JSON, text where it is text, else bytes. */
export function readBody(bytes: Uint8Array | undefined, headers: HeaderFields): RecordedBody {
  if (bytes === undefined || bytes.byteLength === 0) return {};
  const mediaType = readMediaType(headers);
  if (mediaType?.startsWith('multipart/') === true) {
    const parts = readParts(bytes, String(headers['content-type']), readBody);
    if (parts !== undefined) return { parts };
  }
  const isText = mediaType === undefined || TEXT_TYPES.test(mediaType) || isJsonType(mediaType);
  const text = isText ? toText(bytes) : undefined;
  if (text === undefined) return { bytes };
  if (mediaType !== undefined && isJsonType(mediaType)) return toJson(text) ?? { bodyText: text };
  if (mediaType === 'text/event-stream') return { events: readEvents([{ atMs: 0, text }]) };
  return { bodyText: text };
}

/** A recorded body as the bytes that go onto the wire; undefined where there was none. */
export function writeBody(folder: string, body: RecordedBody, headers: HeaderFields): Uint8Array | undefined {
  if (body.body !== undefined) return Buffer.from(writeJson(body.body));
  if (body.events !== undefined) return Buffer.from(writeEvents(body.events));
  if (body.parts !== undefined) {
    return writeParts(body.parts, String(headers['content-type']), (part) =>
      writeBody(folder, part, part.mediaType === undefined ? {} : { 'content-type': part.mediaType }),
    );
  }
  return loadBodyBytes(folder, body);
}

/** A recorded body with what lies in a file of its own read in. */
export function loadBody(folder: string, body: RecordedBody, headers: HeaderFields): RecordedBody {
  if (body.parts !== undefined) {
    const parts = body.parts.map((part): RecordedPart => {
      if (part.bodyFile === undefined) return part;
      const { bodyFile: _, ...rest } = part;
      return { ...rest, ...readBody(loadBodyBytes(folder, part), { 'content-type': part.mediaType ?? 'text/plain' }) };
    });
    return { ...body, parts };
  }
  return body.bodyFile === undefined ? body : readBody(loadBodyBytes(folder, body), headers);
}

function toJson(text: string): RecordedBody | undefined {
  try {
    return { body: readJson(text) };
  } catch {
    // A server that calls something JSON that is none is recorded as it is.
    return undefined;
  }
}

/** The text of UTF-8 bytes; undefined where they are none, or hold control characters that no text has. */
function toText(bytes: Uint8Array): string | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    return text.includes('\u0000') ? undefined : text;
  } catch {
    return undefined;
  }
}
