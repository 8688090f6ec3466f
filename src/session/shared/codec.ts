import { isObject } from '../../contract/json.js';
import { isBytes } from '../../platform.js';

/** Begins the names of members that this module adds; a name of the data that begins with it gets another one. */
const MARK = '\u0000';

/** The only member of an object that represents bytes. */
const BYTES = `${MARK}bytes`;

/** Plain data as JSON; bytes are base64. */
export function encode(value: unknown): string {
  return JSON.stringify(value, replaceValue);
}

/** The plain data of `encode`. */
export function decode(text: string): unknown {
  // A function for each member takes five times as long, and most data has no marks.
  return text.includes(String.raw`"\u0000`) ? JSON.parse(text, reviveValue) : JSON.parse(text);
}

function replaceValue(this: unknown, key: string, given: unknown): unknown {
  // A Buffer has become an object by its own `toJSON` already. The holder is an object or array.
  const value = isBytes(given) ? given : (this as Readonly<Record<string, unknown>>)[key];
  if (isBytes(value)) return { [BYTES]: Buffer.from(value).toString('base64') };
  return isObject(given) && hasMark(given)
    ? rename(given, (name) => (name.startsWith(MARK) ? MARK + name : name))
    : given;
}

function reviveValue(_key: string, value: unknown): unknown {
  if (!isObject(value) || !hasMark(value)) return value;
  const bytes = value[BYTES];
  if (typeof bytes === 'string') return new Uint8Array(Buffer.from(bytes, 'base64'));
  return rename(value, (name) => (name.startsWith(MARK) ? name.slice(1) : name));
}

function hasMark(value: object): boolean {
  for (const name in value) if (name.startsWith(MARK)) return true;
  return false;
}

function rename(value: object, change: (name: string) => string): object {
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [change(name), member]));
}
