import { CORE_SCHEMA, load, mergeTag, YAMLException } from 'js-yaml';
import { findJsonMistake, isObject } from '../../contract/json.js';
import { createLineFinder } from '../../contract/load/source-map.js';
import { toPointer } from '../../contract/pointer.js';
import { formatMistake, MockError, type Place } from '../../errors.js';

/** One mistake in a scenario. */
export interface Mistake {
  readonly code: 'SCENARIO_INVALID' | 'SCENARIO_UNREADABLE';
  readonly message: string;
  readonly at: Place;
  readonly hint: string | undefined;
}

/** A scenario as it was written, and the mistakes found in it so far. */
export interface ScenarioSource {
  readonly file: string | undefined;
  readonly value: unknown;
  /** File, line and column of the key or item that a pointer names, or of its closest ancestor. */
  locate(pointer: string): Place;
  /** Grows while the scenario is checked, so that its author sees every mistake at once. */
  readonly mistakes: Mistake[];
}

/** One value of a scenario with its position. */
export interface SourceNode {
  readonly value: unknown;
  readonly pointer: string;
  /** How messages name the value: `"status"`. */
  readonly label: string;
  readonly source: ScenarioSource;
}

/** Parses YAML 1.2 or, if the name ends in `.json`, JSON. @throws MockError `SCENARIO_UNREADABLE` with line and column. */
export function parseSource(text: string, file: string): ScenarioSource {
  const value = file.endsWith('.json') ? parseJson(text, file) : parseYaml(text, file);
  const lines = createLineFinder(text);
  return { file, value, locate: (pointer) => ({ file, ...lines(pointer), pointer }), mistakes: [] };
}

/** A scenario that was passed as an object. @param base - Prefix of the pointers in messages. */
export function toSource(value: unknown, base = ''): ScenarioSource {
  return { file: undefined, value, locate: (pointer) => ({ pointer: base + pointer }), mistakes: [] };
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

/** Adds a mistake at the position of a value. */
export function report({ source, pointer }: SourceNode, message: string, hint?: string): void {
  source.mistakes.push({ code: 'SCENARIO_INVALID', message, at: source.locate(pointer), hint });
}

/** Adds the mistake `<label> <expectation>, got <value>`; returns undefined. */
export function reject(node: SourceNode, expectation: string, hint?: string): undefined {
  const got = node.value === undefined ? '' : `, got ${describe(node.value)}`;
  report(node, `${node.label} ${got === '' ? 'is missing: it ' : ''}${expectation}${got}`, hint);
}

/** The position of a value in traces: `file:line`, or its pointer if there is no file. */
export function formatPosition({ source, pointer }: SourceNode): string {
  const at = source.locate(pointer);
  return at.file === undefined ? `#${at.pointer ?? pointer}` : `${at.file}:${at.line ?? 1}`;
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

/** One error for all mistakes: the mistake itself if there is only one, otherwise a list; undefined if there is none. */
export function toError(mistakes: readonly Mistake[]): MockError | undefined {
  const [first, ...others] = mistakes;
  if (first === undefined) return undefined;
  if (others.length === 0) return new MockError(first.code, first.message, { at: first.at, hint: first.hint });
  const list = mistakes.map((mistake) => formatMistake(mistake).replaceAll('\n', '\n  '));
  return new MockError('SCENARIO_INVALID', `${mistakes.length} mistakes in scenarios:\n  ${list.join('\n  ')}`);
}

function parseYaml(text: string, file: string): unknown {
  try {
    return load(text, { schema: CORE_SCHEMA.withTags(mergeTag) });
  } catch (error) {
    if (!(error instanceof YAMLException)) throw error;
    if (error.reason.includes('input is empty')) {
      const hint = 'begin with "description:"';
      throw new MockError('SCENARIO_UNREADABLE', 'the file is empty', { at: { file }, hint });
    }
    const { mark, reason } = error;
    const at = mark === undefined ? { file } : { file, line: mark.line + 1, column: mark.column + 1 };
    const hint = HINTS.find(([part]) => reason.includes(part))?.[1];
    throw new MockError('SCENARIO_UNREADABLE', `invalid YAML: ${reason}`, { at, hint, cause: error });
  }
}

/** What to do about the most frequent mistakes, by a part of the parser's message. */
const HINTS: readonly (readonly [string, string])[] = [
  ['tab character', 'YAML is indented with spaces: replace the tab'],
  ['duplicated mapping key', 'write the key once; several rules of one operation are one list'],
  ['document', 'one scenario per file: remove the "---" between the documents'],
  ['flow', 'a "[" or "{" is not closed'],
  ['mapping entry', 'check the indentation, and put a string that contains ": " in quotes'],
];

function parseJson(text: string, file: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    const { line, column, says } = findJsonMistake(text);
    const at = { file, line, column };
    throw new MockError('SCENARIO_UNREADABLE', `invalid JSON: ${says}`, { at, cause: error });
  }
}
