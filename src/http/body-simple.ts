import { type BodyCodec, decodeBytes, malformed } from './body-codec.js';
import { findJsonMistake } from './json-text.js';

/** `application/json` and every `+json`: any JSON value (RFC 8259). */
export const decodeJson: BodyCodec = ({ bytes, type }) => {
  const text = decodeBytes(bytes, type.parameters['charset']);
  if (text === undefined)
    return malformed(`the body is not JSON: it is not ${type.parameters['charset'] ?? 'UTF-8'} text`);
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    const { line, column, says } = findJsonMistake(text);
    return malformed(`the body is not JSON: ${says} (line ${line}, column ${column})`);
  }
};

/** `text/*`: one string. */
export const decodeText: BodyCodec = ({ bytes, type, media }, parts) => {
  const text = decodeBytes(bytes, type.parameters['charset']);
  if (text === undefined) return malformed(`the body is not ${type.parameters['charset'] ?? 'UTF-8'} text`);
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
