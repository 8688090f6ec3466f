import { readParameters } from '../contract/media-type.js';
import { decodePercent } from './text.js';

/** One part of a multipart body with its content byte for byte. */
export interface MultipartPart {
  /** From Content-Disposition; undefined in `multipart/mixed`. */
  readonly name: string | undefined;
  readonly filename: string | undefined;
  /** The Content-Type of the part as it was sent. */
  readonly contentType: string | undefined;
  /** Names in lower case. */
  readonly headers: ReadonlyMap<string, string>;
  readonly bytes: Uint8Array;
}

/** A part to write. */
interface FormPart {
  readonly name: string;
  readonly filename?: string | undefined;
  readonly contentType?: string | undefined;
  readonly bytes: Uint8Array;
}

/** The parts of a body, or why the body is malformed. */
type MultipartReading = { readonly parts: readonly MultipartPart[] } | { readonly mistake: string };

// No real form has more.
const MAX_PARTS = 10_000;
const MAX_HEADER_BYTES = 64 * 1024;

/**
 * Reads a multipart body (RFC 2046 5.1, RFC 7578).
 *
 * A preamble and an epilogue are skipped. Bare line feeds are accepted as line ends of headers, because some clients send them.
 */
export function readMultipart(bytes: Uint8Array, boundary: string | undefined): MultipartReading {
  if (boundary === undefined || boundary === '') return { mistake: 'its Content-Type has no boundary' };
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const delimiter = Buffer.from(`--${boundary}`, 'latin1');
  const parts: MultipartPart[] = [];
  let at = findDelimiter(buffer, delimiter, 0);
  if (at === -1) return { mistake: `it does not contain its boundary "${boundary}"` };
  for (;;) {
    const after = at + delimiter.length;
    if (buffer[after] === DASH && buffer[after + 1] === DASH) return { parts };
    const start = skipLineEnd(buffer, after);
    const next = findDelimiter(buffer, delimiter, start);
    if (next === -1) return { mistake: `it ends before its closing boundary "--${boundary}--"` };
    const part = readPart(buffer.subarray(start, trimLineEnd(buffer, start, next)));
    if (typeof part === 'string') return { mistake: part };
    parts.push(part);
    if (parts.length > MAX_PARTS) return { mistake: `it has more than ${MAX_PARTS} parts` };
    at = next;
  }
}

/** Writes the parts of a `multipart/form-data` body. */
export function writeMultipart(parts: readonly FormPart[], boundary: string): Uint8Array {
  const chunks = parts.flatMap(({ name, filename, contentType, bytes }) => {
    const file = filename === undefined ? '' : `; filename="${escapeQuoted(filename)}"`;
    const type = contentType === undefined ? '' : `Content-Type: ${contentType}\r\n`;
    const disposition = `Content-Disposition: form-data; name="${escapeQuoted(name)}"${file}\r\n`;
    return [Buffer.from(`--${boundary}\r\n${disposition}${type}\r\n`), bytes, Buffer.from('\r\n')];
  });
  return Buffer.concat([...chunks, Buffer.from(`--${boundary}--\r\n`)]);
}

// HTML standard, multipart/form-data encoding algorithm: quotes and line ends in names are percent-encoded.
function escapeQuoted(text: string): string {
  return text.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

const [DASH, CARRIAGE_RETURN, LINE_FEED, SPACE, TAB] = [0x2d, 0x0d, 0x0a, 0x20, 0x09];

/** The position of the next delimiter that begins a line and is not followed by more text; -1 without one. */
function findDelimiter(buffer: Buffer, delimiter: Buffer, from: number): number {
  const ends = (at: number): boolean => {
    const next = buffer[at + delimiter.length];
    return next === undefined || [DASH, CARRIAGE_RETURN, LINE_FEED, SPACE, TAB].includes(next);
  };
  if (from === 0 && buffer.subarray(0, delimiter.length).equals(delimiter) && ends(0)) return 0;
  // With the line feed before it: a body may have the text of its boundary at millions of other positions.
  const line = Buffer.concat([Buffer.of(LINE_FEED), delimiter]);
  for (let at = buffer.indexOf(line, Math.max(0, from - 1)); at !== -1; at = buffer.indexOf(line, at + 1))
    if (ends(at + 1)) return at + 1;
  return -1;
}

/** The index after the spaces and the line end that may follow a delimiter. */
function skipLineEnd(buffer: Buffer, from: number): number {
  let at = from;
  while (buffer[at] === SPACE || buffer[at] === TAB) at += 1;
  if (buffer[at] === CARRIAGE_RETURN) at += 1;
  return buffer[at] === LINE_FEED ? at + 1 : at;
}

/** The line end before a delimiter belongs to the delimiter. */
function trimLineEnd(buffer: Buffer, start: number, end: number): number {
  const at = buffer[end - 1] === LINE_FEED ? end - 1 : end;
  return Math.max(start, buffer[at - 1] === CARRIAGE_RETURN ? at - 1 : at);
}

function readPart(bytes: Buffer): MultipartPart | string {
  const headers = new Map<string, string>();
  let at = 0;
  for (;;) {
    const feed = bytes.indexOf(LINE_FEED, at);
    if (feed === -1 || feed > MAX_HEADER_BYTES) return 'the headers of a part have no end';
    const end = bytes[feed - 1] === CARRIAGE_RETURN && feed > at ? feed - 1 : feed;
    // RFC 7578 5.1: browsers send names and filenames as raw UTF-8.
    const line = bytes.toString('utf8', at, end);
    at = feed + 1;
    if (line === '') break;
    const colon = line.indexOf(':');
    if (colon < 1) return `a part has a header line without a field name: ${JSON.stringify(line.slice(0, 60))}`;
    headers.set(line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim());
  }
  const disposition = readDisposition(headers.get('content-disposition') ?? '');
  // A copy, so that a stored file does not keep the whole body in memory.
  const content = new Uint8Array(bytes.subarray(at));
  return { ...disposition, contentType: headers.get('content-type'), headers, bytes: content };
}

/** The name and filename of a Content-Disposition, quoted or not (RFC 6266, RFC 7578 4.2). */
function readDisposition(text: string): { readonly name: string | undefined; readonly filename: string | undefined } {
  const { name, filename, 'filename*': extended } = readParameters(text, unquote);
  return { name, filename: readExtended(extended) ?? filename };
}

/** Only `\"` and `\\` are escapes: browsers send `C:\dir\file` unescaped, and a quote as %22. */
function unquote(text: string): string {
  return text.replace(/\\(["\\])/g, '$1').replace(/%22/g, '"');
}

/** `UTF-8''na%C3%AFve.txt` (RFC 8187); undefined if it is malformed. */
function readExtended(text: string | undefined): string | undefined {
  const [, value] = /^utf-8'[^']*'(.*)$/i.exec(text ?? '') ?? [];
  return value === undefined ? undefined : decodePercent(value);
}
