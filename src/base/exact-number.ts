/**
 * A JSON number as it was written, because a double cannot represent it: `JSON.parse` rounds `9007199254740993`.
 *
 * Operators of JavaScript and `JSON.stringify` use the nearest double; `writeJson` writes it as it was.
 */
export class ExactNumber {
  static #isMarked = false;
  readonly source: string;

  constructor(source: string) {
    this.source = source;
  }

  /** The JSON of a value in which each exact number is a string that begins with `EXACT_MARK`. */
  static stringify(value: unknown, indent?: number): string {
    const before = ExactNumber.#isMarked;
    ExactNumber.#isMarked = true;
    try {
      return JSON.stringify(value, null, indent);
    } finally {
      ExactNumber.#isMarked = before;
    }
  }

  toJSON(): string | number {
    return ExactNumber.#isMarked ? EXACT_MARK + this.source : Number(this.source);
  }

  toString(): string {
    return this.source;
  }

  valueOf(): number {
    return Number(this.source);
  }
}

/** Begins the string that represents an exact number in JSON; real strings do not begin with a NUL. */
export const EXACT_MARK = '\u0000exact:';

/** A value by which clients name an item: a string or a number. */
export type IdValue = string | number | ExactNumber;

export function isIdValue(value: unknown): value is IdValue {
  return typeof value === 'string' || isNumber(value);
}

export function isNumber(value: unknown): value is number | ExactNumber {
  return typeof value === 'number' || value instanceof ExactNumber;
}

/** The number that a string has, as a double where that has the same value. */
export function toNumber(text: string): number | ExactNumber {
  return isExact(text) ? Number(text) : new ExactNumber(text);
}

/** Whether a double represents a decimal number without loss. */
export function isExact(text: string): boolean {
  const number = Number(text);
  if (!Number.isFinite(number)) return false;
  return toDigits(text) === toDigits(String(number));
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
