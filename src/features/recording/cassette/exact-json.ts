import { mapScalars, readOwn } from '../../../base/json.js';
import { toPointer } from '../../../contract/pointer.js';

/** A JSON number as it was written, because a double cannot represent it: `JSON.parse` rounds `9007199254740993`. */
export class ExactNumber {
  readonly source: string;

  constructor(source: string) {
    this.source = source;
  }

  /** A string that `writeJson` replaces by the number. */
  toJSON(): string {
    return `${MARK}${this.source}`;
  }
}

// Real strings do not begin with a NUL.
const MARK = '\u0000exact:';
// Strings match in long runs: one step for each character would overflow the stack for an image in base64.
const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
const MARKED = /"\\u0000exact:(-?[\d.eE+-]+)"/g;
// Shorter numbers without an exponent are exact.
const SUSPECT = /[\d.]{16,}|\d[eE]/;

/** Parses JSON; numbers that a double cannot represent become `ExactNumber`. @throws SyntaxError as `JSON.parse` does. */
export function readJson(text: string): unknown {
  // First, so that the search below only sees valid JSON.
  const rounded: unknown = JSON.parse(text);
  if (!SUSPECT.test(text)) return rounded;
  let found = false;
  const marked = text.replace(TOKEN, (token) => {
    if (token.startsWith('"') || isExact(token)) return token;
    found = true;
    return JSON.stringify(`${MARK}${token}`);
  });
  if (!found) return rounded;
  return JSON.parse(marked, (_name, value: unknown) =>
    typeof value === 'string' && value.startsWith(MARK) ? new ExactNumber(value.slice(MARK.length)) : value,
  );
}

/** Serializes a value as JSON, with an `ExactNumber` as it was written; `indent` in spaces. */
export function writeJson(value: unknown, indent = 0): string {
  const text = JSON.stringify(value, null, indent);
  return text.includes('\\u0000exact:') ? text.replace(MARKED, '$1') : text;
}

/** The first 60 characters of a value as JSON, for messages; undefined without a value. */
export function toShortText(value: unknown): string | undefined {
  if (value === undefined) return undefined;
  const text = writeJson(value);
  return text.length > 60 ? `${text.slice(0, 59)}…` : text;
}

/** The value with every number as a double, for validators. */
export function toDoubles(value: unknown): unknown {
  return mapScalars(value, (scalar) => (scalar instanceof ExactNumber ? Number(scalar.source) : scalar));
}

/** A JSON text that is the same for all equal values: members are sorted by name. */
export function writeCanonical(value: unknown): string {
  if (value instanceof ExactNumber) return value.source;
  if (Array.isArray(value)) return `[${value.map(writeCanonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .toSorted(([x], [y]) => (x < y ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${writeCanonical(member)}`).join(',')}}`;
}

/** Two values that differ at the same pointer; undefined if one of them is missing. */
export interface JsonDifference {
  readonly pointer: string;
  readonly one: unknown;
  readonly other: unknown;
}

/** Lists the differences between two JSON values; `isLeaf` keeps a pair of objects or arrays together. */
export function listDifferences(
  one: unknown,
  other: unknown,
  isLeaf: (one: object, other: object) => boolean = () => false,
): readonly JsonDifference[] {
  const differences: JsonDifference[] = [];
  const compare = (x: unknown, y: unknown, pointer: string): void => {
    if (isContainer(x) && isContainer(y) && Array.isArray(x) === Array.isArray(y) && !isLeaf(x, y)) {
      for (const name of new Set([...Object.keys(x), ...Object.keys(y)])) {
        compare(readOwn(x, name), readOwn(y, name), pointer + toPointer(name));
      }
    } else if ((x === undefined) !== (y === undefined) || writeCanonical(x) !== writeCanonical(y)) {
      differences.push({ pointer, one: x, other: y });
    }
  };
  compare(one, other, '');
  return differences;
}

function isContainer(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !(value instanceof ExactNumber);
}

function isExact(token: string): boolean {
  const number = Number(token);
  if (!Number.isFinite(number)) return false;
  return toDigits(token) === toDigits(String(number));
}

/** The normal form of a decimal number: sign, digits without outer zeros, power of ten. */
function toDigits(text: string): string {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? [];
  const digits = `${whole}${fraction}`.replace(/^0+/, '');
  const trimmed = digits.replace(/0+$/, '');
  if (trimmed === '') return '0';
  return `${sign}${trimmed}e${Number(exponent) - fraction.length + digits.length - trimmed.length}`;
}
