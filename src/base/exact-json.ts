import { EXACT_MARK, ExactNumber, isExact } from './exact-number.js';
import { isObject, mapScalars } from './json.js';

// Strings match in long runs: one step for each character would overflow the stack for an image in base64.
const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
const MARKED = /"\\u0000exact:(-?[\d.eE+-]+)"/g;
// Shorter numbers without an exponent are exact.
const SUSPECT = /[\d.]{16,}|\d[eE]/;

/** Parses JSON; numbers that a double cannot represent become `ExactNumber`. @throws SyntaxError as `JSON.parse` does. */
export function readJson(text: string): unknown {
  return readNumbers(text, SUSPECT);
}

/** As `readJson`, for integers only: ids of 64 bits (OpenAPI format registry, `int64`). @throws SyntaxError as `JSON.parse` does. */
export function readIntegers(text: string): unknown {
  return readNumbers(text, LONG_INTEGER);
}

/** An integer that a double may not represent. */
export const LONG_INTEGER: RegExp = /(?<![\d.])\d{16,}(?![\d.eE])/;

function readNumbers(text: string, suspect: RegExp): unknown {
  // First, so that the search below only sees valid JSON.
  const rounded: unknown = JSON.parse(text);
  if (!suspect.test(text)) return rounded;
  let found = false;
  const marked = text.replace(TOKEN, (token) => {
    if (token.startsWith('"') || !suspect.test(token) || isExact(token)) return token;
    found = true;
    return JSON.stringify(`${EXACT_MARK}${token}`);
  });
  if (!found) return rounded;
  return JSON.parse(marked, (_name, value: unknown) =>
    typeof value === 'string' && value.startsWith(EXACT_MARK) ? new ExactNumber(value.slice(EXACT_MARK.length)) : value,
  );
}

/** Serializes a value as JSON, with an `ExactNumber` as it was written; `indent` in spaces. */
export function writeJson(value: unknown, indent = 0): string {
  // Undefined for a function.
  const text = ExactNumber.stringify(value, indent) as string | undefined;
  return text?.includes('\\u0000exact:') === true ? text.replace(MARKED, '$1') : (text as string);
}

/** The value with every number as a double, for validators and for code. */
export function toDoubles(value: unknown): unknown {
  return mapScalars(value, (scalar) => (scalar instanceof ExactNumber ? Number(scalar.source) : scalar));
}

/** Whether a number that a double cannot represent is in a value. */
export function hasExact(value: unknown): boolean {
  if (value instanceof ExactNumber) return true;
  if (Array.isArray(value)) return value.some(hasExact);
  return isObject(value) && Object.values(value).some(hasExact);
}
