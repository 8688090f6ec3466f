import { isObject } from '../../contract/json.js';
import { toPointer } from '../../contract/pointer.js';
import { didYouMean, type Notes } from './source.js';

/** A value of a scenario with its place and the notebook for what is wrong with it. */
export interface Given {
  readonly value: unknown;
  readonly pointer: string;
  readonly notes: Notes;
}

/** The value of one member. */
export function member(given: Given, name: string | number): Given {
  const value = (given.value as Readonly<Record<string | number, unknown>> | undefined)?.[name];
  return { value, pointer: given.pointer + toPointer(name), notes: given.notes };
}

/** The members of an object, or undefined (and a note) where it is none. */
export function readMembers(given: Given, what: string): readonly string[] | undefined {
  if (isObject(given.value)) return Object.keys(given.value);
  given.notes.wrong(given.pointer, `${what} must be an object, not ${describe(given.value)}`);
  return undefined;
}

/** Whether a value is an object, with a note for each member that is not one of `known`. */
export function isRecord(given: Given, what: string, known: readonly string[]): boolean {
  const names = readMembers(given, what);
  for (const name of names ?? []) {
    if (known.includes(name)) continue;
    const hint = didYouMean(name, known, `${what} knows ${known.join(', ')}`);
    given.notes.wrong(given.pointer + toPointer(name), `unknown key ${JSON.stringify(name)} in ${what}`, hint);
  }
  return names !== undefined;
}

/** The items of a list, each with its place; empty (and a note) where it is none. */
export function readItems(given: Given, what: string): readonly Given[] {
  if (Array.isArray(given.value)) return given.value.map((_, index) => member(given, index));
  given.notes.wrong(given.pointer, `${what} must be a list, not ${describe(given.value)}`);
  return [];
}

/** A text that is not empty; undefined (and a note) where it is none. */
export function readText(given: Given, what: string): string | undefined {
  if (typeof given.value === 'string' && given.value.trim() !== '') return given.value;
  given.notes.wrong(given.pointer, `${what} must be a text, not ${describe(given.value)}`);
  return undefined;
}

/** `true` or `false`; false (and a note) where it is neither. */
export function readFlag(given: Given, what: string): boolean {
  if (typeof given.value === 'boolean') return given.value;
  given.notes.wrong(given.pointer, `${what} must be true or false, not ${describe(given.value)}`);
  return false;
}

/** A whole number between two bounds, both included. */
export function readWhole(given: Given, what: string, bounds: readonly [number, number]): number | undefined {
  const [lowest, highest] = bounds;
  const value = given.value;
  if (typeof value === 'number' && Number.isInteger(value) && value >= lowest && value <= highest) return value;
  const range = highest === Infinity ? `from ${lowest} on` : `from ${lowest} to ${highest}`;
  const wrong =
    value === undefined
      ? `is missing: a whole number ${range}`
      : `must be a whole number ${range}, not ${describe(value)}`;
  given.notes.wrong(given.pointer, `${what} ${wrong}`);
  return undefined;
}

/** One of several words. */
export function readWord<T extends string>(given: Given, what: string, words: readonly T[]): T | undefined {
  const found = words.find((word) => word === given.value);
  if (found !== undefined) return found;
  const hint = typeof given.value === 'string' ? didYouMean(given.value, words) : undefined;
  given.notes.wrong(given.pointer, `${what} must be ${listWords(words)}, not ${describe(given.value)}`, hint);
  return undefined;
}

/** A value as it stands in a message: short, and plain about what it is. */
export function describe(value: unknown): string {
  if (value === undefined) return 'nothing';
  // What no JSON text can hold: a function, .nan or .inf.
  const isPlain = typeof value !== 'number' && typeof value !== 'bigint';
  const text = isPlain ? (JSON.stringify(value) ?? `a ${typeof value}`) : String(value);
  if (text.length <= 60) return text;
  if (Array.isArray(value)) return `a list of ${value.length}`;
  return typeof value === 'string' ? `${text.slice(0, 56)}…"` : 'an object';
}

/** `a, b or c`. */
export function listWords(words: readonly (string | number)[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} or ${String(words.at(-1))}`;
}
