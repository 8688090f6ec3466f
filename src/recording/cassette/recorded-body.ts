import { isJsonType } from '../../http/media-type.js';
import { loadBodyBytes } from './cassette.js';
import { readEvents, writeEvents } from './events.js';
import { readJson, writeJson } from './exact-json.js';
import { type HeaderFields, readMediaType, type RecordedBody, type RecordedPart } from './exchange.js';

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

/** Brings the bytes of one part into recorded form. */
type ReadPartBody = (bytes: Uint8Array, headers: HeaderFields) => RecordedBody;

/**
 * The parts of a multipart body (RFC 2046 5.1, RFC 7578); undefined where it has no boundary or breaks off.
 *
 * Bytes are looked at as Latin-1, one character each, so that files survive.
 */
function readParts(
  bytes: Uint8Array,
  contentType: string,
  readBody: ReadPartBody,
): readonly RecordedPart[] | undefined {
  const boundary = readBoundary(contentType);
  if (boundary === undefined) return undefined;
  const text = `\r\n${Buffer.from(bytes).toString('latin1')}`;
  const pieces = text.split(`\r\n--${boundary}`);
  // What stands before the first delimiter is a preamble, and the last one is followed by `--`.
  const last = pieces.at(-1);
  if (pieces.length < 2 || last?.startsWith('--') !== true) return undefined;
  const parts: RecordedPart[] = [];
  for (const piece of pieces.slice(1, -1)) {
    const part = readPart(piece, readBody);
    if (part === undefined) return undefined;
    parts.push(part);
  }
  return parts;
}

/** A multipart body of these parts, with the boundary of its content type. */
function writeParts(
  parts: readonly RecordedPart[],
  contentType: string,
  writeBody: (part: RecordedPart) => Uint8Array | undefined,
): Uint8Array {
  const boundary = readBoundary(contentType) ?? 'recorded-boundary';
  const pieces = parts.flatMap((part) => {
    const filename = part.filename === undefined ? '' : `; filename="${escapeQuotes(part.filename)}"`;
    const type = part.mediaType === undefined ? '' : `Content-Type: ${part.mediaType}\r\n`;
    const head = `--${boundary}\r\nContent-Disposition: form-data; name="${escapeQuotes(part.name)}"${filename}\r\n${type}\r\n`;
    return [Buffer.from(head), Buffer.from(writeBody(part) ?? []), Buffer.from('\r\n')];
  });
  return Buffer.concat([...pieces, Buffer.from(`--${boundary}--\r\n`)]);
}

function readBoundary(contentType: string): string | undefined {
  const [, quoted, plain] = /;\s*boundary=(?:"([^"]+)"|([^\s;]+))/i.exec(contentType) ?? [];
  return quoted ?? plain;
}

function readPart(piece: string, readBody: ReadPartBody): RecordedPart | undefined {
  const end = piece.indexOf('\r\n\r\n');
  if (end === -1) return undefined;
  const head = Buffer.from(piece.slice(0, end), 'latin1').toString('utf8');
  const disposition = /^content-disposition:(.*)$/im.exec(head)?.[1] ?? '';
  const mediaType = /^content-type:\s*(.*?)\s*$/im.exec(head)?.[1];
  const filename = readQuoted(disposition, 'filename');
  const content = Buffer.from(piece.slice(end + 4), 'latin1');
  const body = readBody(content, { 'content-type': mediaType ?? 'text/plain' });
  return {
    name: readQuoted(disposition, 'name') ?? '',
    ...(filename === undefined ? {} : { filename }),
    ...(mediaType === undefined ? {} : { mediaType }),
    ...body,
  };
}

function readQuoted(disposition: string, name: string): string | undefined {
  const [, quoted, plain] =
    new RegExp(`;\\s*${name}=(?:"((?:[^"\\\\]|\\\\.)*)"|([^\\s;]+))`, 'i').exec(disposition) ?? [];
  return quoted?.replaceAll(/\\(["\\])/g, '$1').replaceAll('%22', '"') ?? plain;
}

// HTML standard, multipart/form-data encoding: quotes and line ends in names are percent-encoded.
function escapeQuotes(text: string): string {
  return text.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}
