import {
  CORE_SCHEMA,
  defineMappingTag,
  defineScalarTag,
  defineSequenceTag,
  load,
  loadAll,
  mapTag,
  mergeTag,
  type Schema,
  YAMLException,
} from 'js-yaml';
import { type ErrorCode, MockError } from '../../errors.js';

/** A parsed text, and what had to be overlooked to parse it. */
export interface ParsedText {
  readonly value: unknown;
  readonly notes: readonly { readonly code: 'DUPLICATE_KEY' | 'TRAILING_CONTENT'; readonly message: string }[];
}

/** How deep a document may nest; real ones stay below 60. */
export const NESTING_LIMIT = 1000;

/**
 * The value of a YAML 1.2 or JSON text. Merge keys (`<<`) are obeyed, unknown tags are ignored, and of a key that stands twice the
 * last one counts.
 *
 * @param file - The name errors carry.
 * @param code - The code errors carry.
 * @throws MockError with line and column.
 */
export function parseText(text: string, file: string, code: ErrorCode = 'SPEC_INVALID'): ParsedText {
  const bare = text.codePointAt(0) === 0xfe_ff ? text.slice(1) : text;
  if (bare.trim() === '') throw new MockError(code, 'the file is empty', { at: { file } });
  const first = bare.trimStart().charAt(0);
  if (first === '{' || first === '[') {
    const parsed = parseJson(bare);
    if (parsed !== undefined) return parsed;
  }
  return parseYaml(bare, file, code);
}

/** Undefined where the text is no JSON, for YAML to try: a flow mapping starts with `{` as well. */
function parseJson(text: string): ParsedText | undefined {
  try {
    return { value: JSON.parse(text), notes: [] };
  } catch (error) {
    const end = /after JSON at position (\d+)/u.exec(String(error))?.[1];
    if (end === undefined) return undefined;
    const message = 'something follows the end of the JSON value';
    return { value: JSON.parse(text.slice(0, Number(end))), notes: [{ code: 'TRAILING_CONTENT', message }] };
  }
}

function parseYaml(text: string, file: string, code: ErrorCode): ParsedText {
  const options = { schema: createSchema(), maxDepth: NESTING_LIMIT };
  const parsed = loadYaml(text, { options, file, code });
  // No alias without an anchor, and few texts have something that looks like one.
  if (/[\s,[{:-]&[^\s&]/u.test(text)) checkExpansion(parsed.value, file, code);
  return parsed;
}

function loadYaml(text: string, context: { options: object; file: string; code: ErrorCode }): ParsedText {
  const { options, file, code } = context;
  try {
    return { value: load(text, options), notes: [] };
  } catch (error) {
    const retried = retryYaml(text, error, options);
    if (retried !== undefined) return retried;
    throw toMockError(error, { text, file, code });
  }
}

/** How many nodes a text may make once its aliases are written out; the largest real documents make half a million. */
const EXPANSION_LIMIT = 5_000_000;

/** Aliases share what they name, so that a short text can mean more than any memory holds, or something that contains itself. */
function checkExpansion(root: unknown, file: string, code: ErrorCode): void {
  const sizes = new Map<object, number>();
  const open = new Set<object>();
  const measure = (value: unknown): number => {
    if (typeof value !== 'object' || value === null) return 1;
    const known = sizes.get(value);
    if (known !== undefined) return known;
    if (open.has(value))
      throw new MockError(code, 'an alias names something that contains the alias itself', { at: { file } });
    open.add(value);
    let size = 1;
    for (const child of Object.values(value)) size += measure(child);
    open.delete(value);
    sizes.set(value, size);
    return size;
  };
  if (measure(root) > EXPANSION_LIMIT) {
    const message = `with its aliases written out the file has more than ${EXPANSION_LIMIT} nodes`;
    throw new MockError(code, message, { at: { file }, hint: 'write fewer aliases of aliases' });
  }
}

/** The two mistakes of a YAML text that leave no doubt about what is meant. */
function retryYaml(text: string, error: unknown, options: object): ParsedText | undefined {
  if (!(error instanceof YAMLException)) return undefined;
  try {
    if (error.reason === 'duplicated mapping key') {
      const message = `a key stands twice in one mapping (line ${(error.mark?.line ?? 0) + 1})`;
      return { value: load(text, { ...options, json: true }), notes: [{ code: 'DUPLICATE_KEY', message }] };
    }
    if (error.reason.startsWith('expected a single document')) {
      const message = 'the file holds more than one YAML document';
      return { value: loadAll(text, options)[0], notes: [{ code: 'TRAILING_CONTENT', message }] };
    }
  } catch {
    // The text has another mistake as well: the first one is reported.
  }
  return undefined;
}

function toMockError(error: unknown, source: { text: string; file: string; code: ErrorCode }): MockError {
  const { text, file, code } = source;
  if (error instanceof YAMLException && error.mark !== undefined) {
    const place = { file, line: error.mark.line + 1, column: error.mark.column + 1 };
    const json = text.trimStart().startsWith('{') ? jsonHint(text) : undefined;
    return new MockError(code, `the file is neither valid JSON nor valid YAML: ${error.reason}`, {
      at: place,
      hint: json ?? 'correct the text at that line; an editor with a YAML mode marks the place',
      cause: error,
    });
  }
  const reason = error instanceof Error ? error.message : String(error);
  return new MockError(code, `the file cannot be parsed: ${reason}`, { at: { file }, cause: error });
}

function jsonHint(text: string): string | undefined {
  try {
    JSON.parse(text);
  } catch (error) {
    return `read as JSON it fails with: ${error instanceof Error ? error.message : String(error)}`;
  }
  return undefined;
}

/** YAML 1.2's core schema with merge keys; a tag nobody knows leaves its node as it is. */
function createSchema(): Schema {
  const prefixes = ['!', 'tag:yaml.org,2002:', 'tag:'];
  return CORE_SCHEMA.withTags(
    mergeTag,
    prefixes.map((prefix) =>
      defineScalarTag(prefix, { matchByTagPrefix: true, resolve: (source) => source, identify: () => false }),
    ),
    prefixes.map((prefix) =>
      defineSequenceTag(prefix, {
        matchByTagPrefix: true,
        create: (): unknown[] => [],
        addItem: (carrier, item) => void carrier.push(item),
        identify: () => false,
      }),
    ),
    prefixes.map((prefix) => defineMappingTag(prefix, { ...mapTag, matchByTagPrefix: true, identify: () => false })),
  );
}
