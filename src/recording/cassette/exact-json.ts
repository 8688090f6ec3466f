/**
 * A JSON number that a double cannot hold, kept as it was written.
 *
 * `JSON.parse` rounds `9007199254740993` without a word; a recording must give back what the upstream sent.
 */
export class ExactNumber {
  readonly source: string;

  constructor(source: string) {
    this.source = source;
  }

  /** A text that `writeJson` turns back into the number. */
  toJSON(): string {
    return `${MARK}${this.source}`;
  }
}

// A NUL never stands in sensible JSON text, so that no real string is taken for a number.
const MARK = '\u0000exact:';
// A text inside is taken in large bites: one step for each of its characters would not fit on the stack for a picture in base64.
const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
const MARKED = /"\\u0000exact:(-?[\d.eE+-]+)"/g;
// Shorter numbers without an exponent are always exact.
const SUSPECT = /[\d.]{16,}|\d[eE]/;

/** A JSON text as a value, numbers that a double cannot hold as `ExactNumber`. @throws SyntaxError as `JSON.parse` does. */
export function readJson(text: string): unknown {
  // First, so that no number is looked for in a text that is no JSON.
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

/** A value as JSON text, `ExactNumber` as the number it was; `indent` in spaces. */
export function writeJson(value: unknown, indent = 0): string {
  const text = JSON.stringify(value, null, indent);
  return text.includes('\\u0000exact:') ? text.replace(MARKED, '$1') : text;
}

/** A value with every number as a double, as a validator takes it. */
export function toDoubles(value: unknown): unknown {
  if (value instanceof ExactNumber) return Number(value.source);
  if (Array.isArray(value)) return value.map(toDoubles);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, toDoubles(member)]));
}

/** A value as the one text that all values equal to it share: the members of objects sorted by name. */
export function writeCanonical(value: unknown): string {
  if (value instanceof ExactNumber) return value.source;
  if (Array.isArray(value)) return `[${value.map(writeCanonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .toSorted(([x], [y]) => (x < y ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${writeCanonical(member)}`).join(',')}}`;
}

function isExact(token: string): boolean {
  const number = Number(token);
  if (!Number.isFinite(number)) return false;
  return toDigits(token) === toDigits(String(number));
}

/** A decimal number in one normal form: sign, digits without outer zeros, power of ten. */
function toDigits(text: string): string {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? [];
  const digits = `${whole}${fraction}`.replace(/^0+/, '');
  const trimmed = digits.replace(/0+$/, '');
  if (trimmed === '') return '0';
  return `${sign}${trimmed}e${Number(exponent) - fraction.length + digits.length - trimmed.length}`;
}
