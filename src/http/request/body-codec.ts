import { readIntegers } from '../../base/exact-json.js';
import { TextDecoder } from 'node:util';
import { findJsonMistake } from '../../base/json.js';
import type { MediaType } from '../../contract/operations/operation.js';
import type { ValueShape } from '../../contract/schema-view/shape.js';
import type { Validators } from '../../schema/validate.js';
import { type ClientReport, hasErrors, type Violation } from '../../schema/violation.js';
import { findExcess, type JsonExcess } from '../json-size.js';
import type { MediaTypeText } from '../../contract/media-type.js';
import { type Coerce, readJson } from './coerce.js';

/** The parts that codecs share, created once per contract. */
export interface BodyParts {
  readonly validators: Validators;
  readonly shapes: (pointer: string) => ValueShape;
  readonly coerce: Coerce;
  readonly coerceLeniently: Coerce;
  /** The value at a pointer of the bundled document. */
  readonly at: (pointer: string) => unknown;
}

/** One body to be decoded. */
interface BodyInput {
  readonly bytes: Uint8Array;
  /** The Content-Type, or the assumed one. */
  readonly type: MediaTypeText;
  /** The declared media type; undefined where the operation declares no body. */
  readonly media: MediaType | undefined;
}

/** A decoded body. */
export interface BodyValue {
  readonly value: unknown;
  /** The value for the schema where it is another one: a file is bytes, and a string for its schema. */
  readonly checked?: unknown;
  /** Why the body cannot be decoded; it is not validated then. */
  readonly mistake?: ClientReport;
  /** Violations that are independent of the schema. */
  readonly violations?: readonly Violation[];
  /** Whether the schema does not apply to the value. */
  readonly unchecked?: boolean;
}

/** Decodes the bodies of one format; does not throw. */
export type BodyCodec = (input: BodyInput, parts: BodyParts) => BodyValue;

/** The result for a body that is not valid for its media type. */
export function toMalformed(message: string): BodyValue {
  return { value: undefined, mistake: { code: 'BODY_MALFORMED', in: 'body', message } };
}

/** The result for a body that is not text in its charset. */
export function toNoText({ parameters }: MediaTypeText, lead = 'the body is'): BodyValue {
  return toMalformed(`${lead} not ${parameters['charset'] ?? 'UTF-8'} text`);
}

/** How often a character occurs in a string. */
export function countCharacter(text: string, character: string): number {
  let count = 0;
  for (let at = text.indexOf(character); at !== -1; at = text.indexOf(character, at + 1)) count += 1;
  return count;
}

/** Bytes as a string, UTF-8 by default and without a byte order mark; undefined where they are malformed. */
export function decodeBytes(bytes: Uint8Array, charset = 'utf-8'): string | undefined {
  const name = charset.toLowerCase();
  if (name === 'utf-8' || name === 'utf8' || name === 'us-ascii') {
    const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
    // Malformed bytes become U+FFFD, which a valid text can also contain.
    if (text.includes('\uFFFD') && decodeStrictly(bytes, 'utf-8') === undefined) return undefined;
    return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
  }
  return decodeStrictly(bytes, name);
}

function decodeStrictly(bytes: Uint8Array, charset: string): string | undefined {
  try {
    return new TextDecoder(charset, { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function toExcessive({ kind, says }: JsonExcess): BodyValue {
  const more = kind === 'depth' ? { code: 'TOO_DEEP' as const } : { code: 'BODY_TOO_LARGE' as const, status: 413 };
  return { value: undefined, mistake: { ...more, in: 'body', message: `the body ${says}` } };
}

/** `application/json` and every `+json`: any JSON value (RFC 8259). */
export const decodeJson: BodyCodec = ({ bytes, type }) => {
  const text = decodeBytes(bytes, type.parameters['charset']);
  if (text === undefined) return toNoText(type, 'the body is not JSON: it is');
  const excess = findExcess(text);
  if (excess !== undefined) return toExcessive(excess);
  try {
    return { value: readIntegers(text) };
  } catch {
    const { line, column, says } = findJsonMistake(text);
    return toMalformed(`the body is not valid JSON: ${says} (line ${line}, column ${column})`);
  }
};

/** The value of a string that must be JSON to match its schema; other values stay as they are. */
export function readJsonField(field: unknown, { types, pointer }: ValueShape, { validators }: BodyParts): unknown {
  const text: unknown = Array.isArray(field) && field.length === 1 ? field[0] : field;
  const value = typeof text === 'string' ? readJson(text, types) : undefined;
  if (value === undefined) return field;
  // Where a string is allowed too, such as "auto" or an object, only a string that does not match.
  const isText = types.has('string') && !hasErrors(validators.checkSent(pointer)(text, 'body'));
  return isText ? field : value;
}

/** `text/*`: one string, or JSON where the schema allows no string. */
export const decodeText: BodyCodec = ({ bytes, type, media }, parts) => {
  const text = decodeBytes(bytes, type.parameters['charset']);
  if (text === undefined) return toNoText(type);
  if (media?.schema === undefined) return { value: text };
  const value = readJsonField(text, parts.shapes(media.schemaPointer), parts);
  return { value: value === text ? parts.coerce(text, media.schemaPointer) : value };
};

/** Any other type: the bytes, which a schema of type string checks as characters. */
export const decodeBinary: BodyCodec = ({ bytes }) => ({ value: bytes, checked: toCheckedText(bytes) });

/** The maximum number of bytes of a file that its schema checks. */
const MAX_CHECKED = 1024 * 1024;

/** A file as a string for its schema: one character per byte, so that lengths count bytes. */
export function toCheckedText(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.byteLength, MAX_CHECKED)).toString('latin1');
}
