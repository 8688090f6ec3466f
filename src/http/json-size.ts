/** The most bytes of a body that are read as a value in recordings; a larger one stays bytes. */
export const MAX_VALUE_BYTES = 2_097_152;

/** The most bytes that a body may have when its content coding is decoded into a file. */
export const MAX_DECODED_BYTES = 268_435_456;

/** How much a JSON text may have. */
interface JsonLimits {
  readonly levels: number;
  /** Members and items at all levels: each takes up to 100 times as much memory as its text. */
  readonly elements: number;
}

/** What a JSON text has too much of, counted before it is parsed. */
export interface JsonExcess {
  readonly kind: 'depth' | 'elements';
  /** Without a subject. */
  readonly says: string;
}

// Deeper values overflow the stack when they are validated or serialized.
const LIMITS: JsonLimits = { levels: 1000, elements: 1_000_000 };

/** The limits of JSON that recordings read: several functions go through the whole value. */
export const RECORDED_LIMITS: JsonLimits = { levels: 200, elements: 200_000 };

/** What a JSON text has too much of; undefined where it can be parsed. */
export function findExcess(text: string, { levels, elements: most }: JsonLimits = LIMITS): JsonExcess | undefined {
  if (text.length <= levels) return undefined;
  let depth = 0;
  let elements = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === QUOTE) i = skipString(text, i);
    else if (code === COMMA) elements += 1;
    else if (code === OPEN_BRACKET || code === OPEN_BRACE) {
      depth += 1;
      elements += 1;
    } else if (code === CLOSE_BRACKET || code === CLOSE_BRACE) depth -= 1;
    if (depth > levels) return { kind: 'depth', says: `is nested more than ${levels} levels deep` };
    if (elements > most) return { kind: 'elements', says: `has more than ${most} elements` };
  }
  return undefined;
}

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const [OPEN_BRACKET, CLOSE_BRACKET, OPEN_BRACE, CLOSE_BRACE] = [0x5b, 0x5d, 0x7b, 0x7d];

/** The end of the string that starts here. */
function skipString(text: string, from: number): number {
  for (let at = text.indexOf('"', from + 1); at !== -1; at = text.indexOf('"', at + 1)) {
    let slashes = 0;
    while (text.charCodeAt(at - 1 - slashes) === BACKSLASH) slashes += 1;
    if (slashes % 2 === 0) return at;
  }
  return text.length;
}
