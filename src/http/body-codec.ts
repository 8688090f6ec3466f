import type { MediaType } from '../contract/operations/operation.js';
import type { Coerce } from './coerce.js';
import type { MediaTypeText } from './media-type.js';
import type { ClientReport } from './report.js';
import type { Shape } from './shape.js';
import type { Validators } from './validate.js';
import type { Violation } from './violation.js';

/** What codecs share, made once per contract. */
export interface BodyParts {
  readonly validators: Validators;
  readonly shapes: (pointer: string) => Shape;
  readonly coerce: Coerce;
  /** What the contract says at a pointer of the inner document. */
  readonly at: (pointer: string) => unknown;
}

/** One body to be decoded. */
export interface BodyInput {
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
