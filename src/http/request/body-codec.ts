import { findJsonMistake } from '../../contract/json.js';
import type { MediaType } from '../../contract/operations/operation.js';
import type { Shape } from '../../schema/shape.js';
import type { Validators } from '../../schema/validate.js';
import type { ClientReport, Violation } from '../../schema/violation.js';
import type { MediaTypeText } from '../media-type.js';
import type { Coerce } from './coerce.js';

/** What codecs share, made once per contract. */
export interface BodyParts {
  readonly validators: Validators;
  readonly shapes: (pointer: string) => Shape;
  readonly coerce: Coerce;
  /** What the contract says at a pointer of the inner document. */
  readonly at: (pointer: string) => unknown;
}

/** One body to be decoded. */
interface BodyInput {
  readonly bytes: Uint8Array;
  /** The Content-Type as it came, or what was assumed for want of one. */
  readonly type: MediaTypeText;
  /** What the contract declares for it; undefined where it declares no body at all. */
  readonly media: MediaType | undefined;
}

/** A decoded body. */
export interface BodyValue {
  readonly value: unknown;
  /** What the schema is asked about, where that is not the value itself: a file is bytes to us and a string to a schema. */
  readonly checked?: unknown;
  /** Why it could not be decoded; nothing is checked then. */
  readonly mistake?: ClientReport;
  /** Departures found on the way that the schema does not know of. */
  readonly violations?: readonly Violation[];
  /** Whether the schema of the body has something to say about the value. */
  readonly unchecked?: boolean;
}

/** Decodes one format; throws nothing for bad bytes. */
export type BodyCodec = (input: BodyInput, parts: BodyParts) => BodyValue;

/** A body that is not what its type promises. */
export function toMalformed(message: string): BodyValue {
  return { value: undefined, mistake: { code: 'BODY_MALFORMED', in: 'body', message } };
}

/** Bytes as text: UTF-8 unless the media type says otherwise, without a byte order mark; undefined where the bytes are broken. */
export function decodeBytes(bytes: Uint8Array, charset = 'utf-8'): string | undefined {
  const name = charset.toLowerCase();
  if (name === 'utf-8' || name === 'utf8' || name === 'us-ascii') {
    const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
    // U+FFFD is what broken bytes become; a text may also really hold it.
    if (text.includes('\uFFFD') && !isUtf8(bytes)) return undefined;
    return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
  }
  try {
    return new TextDecoder(name, { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function isUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}

/** Deeper JSON is refused: whoever walks it later, to check it, keep it or print it, would run out of stack. */
const DEEPEST = 1000;

/** `application/json` and every `+json`: any JSON value (RFC 8259). */
export const decodeJson: BodyCodec = ({ bytes, type }) => {
  const text = decodeBytes(bytes, type.parameters['charset']);
  if (text === undefined)
    return toMalformed(`the body is not JSON: it is not ${type.parameters['charset'] ?? 'UTF-8'} text`);
  if (isTooDeep(text)) {
    const message = `the body is nested more than ${DEEPEST} deep`;
    return { value: undefined, mistake: { code: 'TOO_DEEP', in: 'body', message } };
  }
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    const { line, column, says } = findJsonMistake(text);
    return toMalformed(`the body is not valid JSON: ${says} (line ${line}, column ${column})`);
  }
};

/** Whether a JSON text opens more lists and objects inside each other than are taken. */
function isTooDeep(text: string): boolean {
  if (text.length <= DEEPEST) return false;
  let depth = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === QUOTE) i = skipString(text, i);
    else if (code === OPEN_BRACKET || code === OPEN_BRACE) depth += 1;
    else if (code === CLOSE_BRACKET || code === CLOSE_BRACE) depth -= 1;
    if (depth > DEEPEST) return true;
  }
  return false;
}

const [QUOTE, BACKSLASH, OPEN_BRACKET, CLOSE_BRACKET, OPEN_BRACE, CLOSE_BRACE] = [0x22, 0x5c, 0x5b, 0x5d, 0x7b, 0x7d];

/** Where the string that begins here ends. */
function skipString(text: string, from: number): number {
  for (let at = text.indexOf('"', from + 1); at !== -1; at = text.indexOf('"', at + 1)) {
    let slashes = 0;
    while (text.charCodeAt(at - 1 - slashes) === BACKSLASH) slashes += 1;
    if (slashes % 2 === 0) return at;
  }
  return text.length;
}

/** `text/*`: one string. */
export const decodeText: BodyCodec = ({ bytes, type, media }, parts) => {
  const text = decodeBytes(bytes, type.parameters['charset']);
  if (text === undefined) return toMalformed(`the body is not ${type.parameters['charset'] ?? 'UTF-8'} text`);
  return { value: media?.schema === undefined ? text : parts.coerce(text, media.schemaPointer) };
};

/** Anything else: the bytes, which a schema of type string is asked about as if they were characters. */
export const decodeBinary: BodyCodec = ({ bytes }) => ({ value: bytes, checked: toCheckedText(bytes) });

/** Beyond this many bytes a schema is not shown the whole of a file. */
const SHOWN = 1024 * 1024;

/** A file as the string that a schema takes it for: one character per byte, so that lengths count bytes. */
export function toCheckedText(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.byteLength, SHOWN)).toString('latin1');
}
