import { type ErrorCode, formatMistake, MockError, type Place } from '../../base/errors.js';
import { isObject } from '../../base/json.js';
import { toPointer } from '../pointer.js';
import { isError } from '../../base/platform.js';

/** One mistake in a file of the user. */
export interface Mistake {
  readonly code: ErrorCode;
  readonly message: string;
  readonly at: Place;
  readonly hint: string | undefined;
}

/** A scenario or a fixture as it was written, and the mistakes found in it so far. */
export interface Source {
  readonly file: string | undefined;
  /** The code of the mistakes that are reported. */
  readonly code: ErrorCode;
  readonly value: unknown;
  /** File, line and column of the key or item that a pointer names, or of its closest ancestor. */
  locate(pointer: string): Place;
  /** Grows while the source is checked, so that its author sees every mistake at once. */
  readonly mistakes: Mistake[];
}

/** One value of a source with its position. */
export interface SourceNode {
  readonly value: unknown;
  readonly pointer: string;
  /** How messages name the value: `"status"`. */
  readonly label: string;
  readonly source: Source;
}

/** A member of an object or an item of an array; its value is undefined if it is absent. */
export function child(node: SourceNode, key: string | number, label: string = JSON.stringify(key)): SourceNode {
  const isOwn = typeof node.value === 'object' && node.value !== null && Object.hasOwn(node.value, key);
  // An own property of an object or array.
  const value = isOwn ? (node.value as Readonly<Record<string | number, unknown>>)[key] : undefined;
  return { value, pointer: node.pointer + toPointer(key), label, source: node.source };
}

/** The members of an object by name; reports anything else. */
export function readMembers(node: SourceNode): readonly (readonly [name: string, member: SourceNode])[] {
  if (isObject(node.value)) return Object.keys(node.value).map((name) => [name, child(node, name)]);
  reject(node, 'must be an object');
  return [];
}

/** The mistake of a file that cannot be read or parsed. @throws Any other error: a defect of the mock. */
export function toFileMistake(error: unknown, file: string, code: ErrorCode): Mistake {
  if (error instanceof MockError)
    return { code: error.code, message: error.reason, at: error.at ?? { file }, hint: error.hint };
  // The file disappeared after it was listed, or may not be read.
  if (!(isError(error) && 'syscall' in error)) throw error;
  return { code, message: `the file cannot be read: ${error.message}`, at: { file }, hint: undefined };
}

/** Adds a mistake at the position of a value. */
export function report({ source, pointer }: SourceNode, message: string, hint?: string): void {
  source.mistakes.push({ code: source.code, message, at: source.locate(pointer), hint });
}

/** Adds the mistake `<label> <expectation>, got <value>`; returns undefined. */
export function reject(node: SourceNode, expectation: string, hint?: string): undefined {
  const got = node.value === undefined ? '' : `, got ${describe(node.value)}`;
  report(node, `${node.label} ${got === '' ? 'is missing: it ' : ''}${expectation}${got}`, hint);
}

/** A function that finds the position of a value in traces, once: `file:line`, or its pointer if there is no file. */
export function createPositionReader({ source, pointer }: SourceNode): () => string {
  let position: string | undefined;
  const find = (): string => {
    const at = source.locate(pointer);
    return at.file === undefined ? `#${at.pointer ?? pointer}` : `${at.file}:${at.line ?? 1}`;
  };
  // To find a line, the text of the file is parsed again.
  return () => (position ??= find());
}

/** A value as messages show it: JSON, shortened to 60 characters. */
export function describe(value: unknown): string {
  if (value === undefined) return 'undefined';
  // Values that JSON cannot hold: a function, .nan or .inf.
  const isPlain = typeof value !== 'number' && typeof value !== 'bigint';
  const text = isPlain ? (JSON.stringify(value) ?? `a ${typeof value}`) : String(value);
  if (text.length <= 60) return text;
  if (Array.isArray(value)) return `an array of ${value.length} items`;
  return typeof value === 'string' ? `${text.slice(0, 56)}…"` : 'an object';
}

/**
 * One error for all mistakes: the mistake itself if there is only one, otherwise a list; undefined if there is none.
 *
 * @param about - The code of the list, and where the mistakes are: `scenarios`.
 */
export function toError(
  mistakes: readonly Mistake[],
  about: { readonly code: ErrorCode; readonly where: string },
): MockError | undefined {
  const [first, ...others] = mistakes;
  if (first === undefined) return undefined;
  if (others.length === 0) return new MockError(first.code, first.message, { at: first.at, hint: first.hint });
  const list = mistakes.map((mistake) => formatMistake(mistake).replaceAll('\n', '\n  '));
  return new MockError(about.code, `${mistakes.length} mistakes in ${about.where}:\n  ${list.join('\n  ')}`);
}
