import {
  CORE_SCHEMA,
  defineMappingTag,
  defineScalarTag,
  defineSequenceTag,
  load,
  intCoreTag,
  loadAll,
  mapTag,
  mergeTag,
  seqTag,
  type Schema,
  strTag,
  YAMLException,
} from 'js-yaml';
import { type ErrorCode, MockError, type Place } from '../../base/errors.js';
import { LONG_INTEGER, readIntegers, toDoubles } from '../../base/exact-json.js';
import { ExactNumber, toNumber } from '../../base/exact-number.js';
import { findJsonMistake, isObject, mapValues, readJsonError } from '../../base/json.js';
import { indentFlowLines, isFlowIndent } from './flow-indent.js';
import { isError } from '../../base/platform.js';

/** The code of a mistake that is tolerated. */
type TextNote = 'DUPLICATE_KEY' | 'FLOW_INDENT' | 'TRAILING_CONTENT';

/** A parsed text, and the mistakes that were tolerated. */
export interface ParsedText {
  readonly value: unknown;
  readonly notes: readonly { readonly code: TextNote; readonly message: string; readonly at?: TextPlace }[];
}

type TextPlace = Required<Pick<Place, 'line' | 'column'>>;

/** The maximum nesting of a document; real ones stay below 60. */
export const MAX_NESTING = 1000;

/**
 * Parses a YAML 1.2 or JSON text. Merge keys (`<<`) work, and unknown tags are ignored.
 *
 * @param file - The file name in errors.
 * @param code - The code of errors.
 * @throws MockError with line and column.
 */
export function parseText(text: string, file: string, code: ErrorCode = 'SPEC_INVALID'): ParsedText {
  const { value, notes } = parseItems(text, file, code);
  return { value: LONG_INTEGER.test(text) ? toDoubles(value) : value, notes };
}

/** As `parseText`; integers that a double cannot represent keep their digits. @throws MockError with line and column. */
export function parseItems(text: string, file: string, code: ErrorCode): ParsedText {
  return parseJsonOrYaml({ text, file, code });
}

/**
 * As `parseText`, for documents, which are often of others: the last of duplicate keys wins, and only the first of several documents is read.
 * Only integers in examples and defaults keep their digits, since bounds are numbers of JavaScript.
 */
export function parseDocument(text: string, file: string, code: ErrorCode = 'SPEC_INVALID'): ParsedText {
  const { value, notes } = parseJsonOrYaml({ text, file, code, isTolerant: true });
  return { value: LONG_INTEGER.test(text) ? roundOutsideExamples(value) : value, notes };
}

function roundOutsideExamples(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(roundOutsideExamples);
  if (!isObject(value)) return value instanceof ExactNumber ? Number(value) : value;
  return mapValues(value, (member, name) => {
    if (name === 'properties' && isObject(member)) return mapValues(member, roundOutsideExamples);
    return EXAMPLES.has(name) ? member : roundOutsideExamples(member);
  });
}

/** The members of schemas, parameters and media types that hold values. */
const EXAMPLES: ReadonlySet<string> = new Set(['default', 'example', 'examples']);

/** As `parseText` reads a YAML text, without tolerance: duplicate keys and further documents are errors. */
export function parseExactYaml(text: string, file: string, code: ErrorCode): unknown {
  return parseYaml({ text: withoutMark(text), file, code, problem: 'invalid YAML' }, () => undefined).value;
}

/** @param source - `isTolerant`: whether duplicate keys and content after the first value are. */
function parseJsonOrYaml({
  isTolerant = false,
  ...source
}: Omit<YamlText, 'problem'> & { readonly isTolerant?: boolean }): ParsedText {
  const text = withoutMark(source.text);
  const first = text.trimStart().charAt(0);
  if (first === '{' || first === '[') {
    const parsed = parseJson(text);
    if (parsed !== undefined && (isTolerant || parsed.notes.length === 0)) return parsed;
  }
  const retry = isTolerant ? retryYaml : withIndent();
  return parseYaml({ ...source, text, problem: 'the file is neither valid JSON nor valid YAML' }, retry);
}

function withoutMark(text: string): string {
  return text.codePointAt(0) === 0xfe_ff ? text.slice(1) : text;
}

/** Undefined where the text is not JSON: a YAML flow mapping starts with `{` as well. */
function parseJson(text: string): ParsedText | undefined {
  try {
    return { value: readIntegers(text), notes: [] };
  } catch (error) {
    const end = /after JSON at position (\d+)/u.exec(String(error))?.[1];
    if (end === undefined) return undefined;
    const message = 'there is content after the JSON value';
    const { line, column } = findJsonMistake(text, String(error));
    const note = { code: 'TRAILING_CONTENT', message, at: { line, column } } as const;
    return { value: readIntegers(text.slice(0, Number(end))), notes: [note] };
  }
}

/** The core schema of YAML 1.2 with merge keys; unknown tags are ignored. */
const SCHEMA: Schema = (() => {
  const identify = (): boolean => false;
  const ignored = ['!', 'tag:yaml.org,2002:', 'tag:'].flatMap((prefix) => [
    defineScalarTag(prefix, { matchByTagPrefix: true, resolve: (source) => source, identify }),
    defineSequenceTag(prefix, { ...seqTag, matchByTagPrefix: true, identify }),
    defineMappingTag(prefix, { ...mapTag, matchByTagPrefix: true, identify }),
  ]);
  const resolve = (...given: Parameters<typeof intCoreTag.resolve>) => {
    const value = intCoreTag.resolve(...given);
    return LONG_INTEGER.test(given[0]) && typeof value === 'number' ? toNumber(given[0].replace('+', '')) : value;
  };
  return CORE_SCHEMA.withTags(mergeTag, defineScalarTag(intCoreTag.tagName, { ...intCoreTag, resolve }), ignored);
})();

/**
 * The schema for sources with a character beyond Latin-1. V8 stores such a string with two bytes for each character, every slice of it too, and
 * each answer with such a name or value is slower to write. `JSON.parse` makes strings of one byte where that is possible.
 */
const WIDE_SCHEMA = SCHEMA.withTags(
  defineScalarTag(strTag.tagName, { ...strTag, resolve: (source) => JSON.parse(JSON.stringify(source)) as string }),
);

interface YamlText {
  readonly text: string;
  readonly file: string;
  readonly code: ErrorCode;
  /** What the message of a mistake begins with. */
  readonly problem: string;
}

/** Parses again what has a mistake. @returns undefined where the mistake is not tolerated. */
type Retry = (text: string, error: unknown, options: object) => ParsedText | undefined;

function parseYaml(source: YamlText, retry: Retry): ParsedText {
  const { text, file, code } = source;
  if (text.trim() === '') throw toEmptyError(source);
  // oxlint-disable-next-line no-control-regex -- every character beyond Latin-1
  const options = { schema: /[^\0-\xff]/u.test(text) ? WIDE_SCHEMA : SCHEMA, maxDepth: MAX_NESTING };
  let parsed: ParsedText | undefined;
  try {
    parsed = { value: load(text, options), notes: [] };
  } catch (error) {
    parsed = retry(text, error, options);
    if (parsed === undefined) throw toMockError(error, source);
  }
  // An alias needs an anchor, and few texts have something that looks like one.
  if (/[\s,[{:-]&[^\s&]/u.test(text)) checkExpansion(parsed.value, file, code);
  return parsed;
}

/** The maximum number of nodes with aliases expanded; the largest real documents have half a million. */
const MAX_EXPANDED = 5_000_000;

/** Aliases share their nodes, so that a short text can expand to more than the memory, or contain itself. */
function checkExpansion(root: unknown, file: string, code: ErrorCode): void {
  const sizes = new Map<object, number>();
  const open = new Set<object>();
  const measure = (value: unknown): number => {
    if (typeof value !== 'object' || value === null) return 1;
    const known = sizes.get(value);
    if (known !== undefined) return known;
    if (open.has(value))
      throw new MockError(code, 'an alias refers to a node that contains the alias itself', { at: { file } });
    open.add(value);
    let size = 1;
    for (const child of Object.values(value)) size += measure(child);
    open.delete(value);
    sizes.set(value, size);
    return size;
  };
  if (measure(root) > MAX_EXPANDED) {
    const message = `with aliases expanded, the file has more than ${MAX_EXPANDED} nodes`;
    throw new MockError(code, message, { at: { file }, hint: 'use fewer aliases of aliases' });
  }
}

/** Parses again without the checks whose mistakes are unambiguous: duplicate keys, further documents, indentation in flow collections. */
function retryYaml(text: string, error: unknown, options: object): ParsedText | undefined {
  if (!(error instanceof YAMLException)) return undefined;
  try {
    if (error.reason === DUPLICATE && error.mark !== undefined) {
      const { key, at } = findDuplicate(text, error.mark);
      const note = { code: 'DUPLICATE_KEY', message: `a mapping has the key "${key}" twice`, at } as const;
      return { value: load(text, { ...options, json: true }), notes: [note] };
    }
    if (error.reason.startsWith('expected a single document')) {
      const message = 'there is more than one YAML document';
      return { value: loadAll(text, options)[0], notes: [{ code: 'TRAILING_CONTENT', message }] };
    }
  } catch {
    // The text has a second mistake: the first one is reported.
  }
  return withIndent(retryYaml)(text, error, options);
}

const DUPLICATE = 'duplicated mapping key';

/** The key that a mapping has twice, and its place: the mark of a key in quotes is behind the first one. */
function findDuplicate(
  text: string,
  { line, column, position }: NonNullable<YAMLException['mark']>,
): { readonly key: string; readonly at: TextPlace } {
  const isQuoted = /["']/u.test(text.charAt(position - 1));
  const [, , quoted, plain] =
    /(["'])(.*?)\1|(.*?)\s*(?::\s|:?$)/muy.exec(text.slice(position - (isQuoted ? 1 : 0))) ?? [];
  return { key: quoted ?? plain ?? '', at: { line: line + 1, column: column + (isQuoted ? 0 : 1) } };
}

/** Parses again with the lines indented that are too far left for a flow collection. @param next - What a second mistake is given to. */
function withIndent(next?: Retry): Retry {
  return (text, error, options) => {
    if (!isFlowIndent(error)) return undefined;
    const indented = indentFlowLines(text, options);
    if (indented === undefined) return undefined;
    const { lines } = indented;
    const places = `line${lines.length > 1 ? 's' : ''} ${lines.slice(0, 5).join(', ')}${lines.length > 5 ? ', …' : ''}`;
    const message = `a flow collection continues or ends left of the column that YAML wants (${places})`;
    const note = { code: 'FLOW_INDENT', message, at: { line: lines[0] ?? 1, column: 1 } } as const;
    try {
      return { value: load(indented.text, options), notes: [note] };
    } catch (second) {
      const parsed = next?.(indented.text, second, options);
      return parsed && { ...parsed, notes: [note, ...parsed.notes] };
    }
  };
}

function toEmptyError({ text, file, code }: YamlText): MockError {
  const reason = text.trim() === '' ? 'the file is empty' : 'the file has only comments';
  return new MockError(code, reason, { at: { file }, hint: 'write its content, or remove the file' });
}

const GENERAL_HINT = 'correct this line; an editor with YAML support marks the mistake';

/** Hints for the most frequent mistakes, by a part of the parser's message. */
const HINTS: readonly (readonly [string, string])[] = [
  ['tab character', 'YAML is indented with spaces: replace the tab'],
  [DUPLICATE, 'write the key once; several values, such as rules of one operation, are one list'],
  ['single document', 'a file has one document: remove the "---" between them'],
  ['within a flow collection', 'a "[" or "{" is not closed'],
  ['mapping entry', 'check the indentation, and put a string that contains ": " in quotes'],
];

/** The mistake in what is meant as JSON; undefined where it is valid. */
function describeAsJson(text: string): string | undefined {
  const message = readJsonError(text);
  if (message === '') return undefined;
  const { line, column, says } = findJsonMistake(text, message);
  return `as JSON, line ${line}, column ${column}: ${says}`;
}

function toMockError(error: unknown, source: YamlText): MockError {
  const { text, file, code } = source;
  if (error instanceof YAMLException && error.reason.includes('input is empty')) return toEmptyError(source);
  if (error instanceof YAMLException && error.mark !== undefined) {
    const { line, column } = error.mark;
    const at = error.reason === DUPLICATE ? findDuplicate(text, error.mark).at : { line: line + 1, column: column + 1 };
    const known = HINTS.find(([part]) => error.reason.includes(part))?.[1] ?? GENERAL_HINT;
    const hint = text.trimStart().startsWith('{') ? describeAsJson(text) : undefined;
    return new MockError(code, `${source.problem}: ${error.reason}`, {
      at: { file, ...at },
      hint: hint ?? known,
      cause: error,
    });
  }
  const reason = isError(error) ? error.message : String(error);
  return new MockError(code, `the file cannot be parsed: ${reason}`, { at: { file }, cause: error });
}
