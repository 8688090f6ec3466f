import { type BodyCodec, decodeBytes, toMalformed } from './body-codec.js';
import { findJsonMistake } from './json-text.js';

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
    return toMalformed(`the body is not JSON: ${says} (line ${line}, column ${column})`);
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
