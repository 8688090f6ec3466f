import { CORE_SCHEMA, load, mergeTag, YAMLException } from 'js-yaml';
import { createLineFinder } from '../../contract/load/lines.js';
import { formatMistake, MockError, nearest, type Place } from '../../errors.js';

/** A text that was read, with the places of everything in it. */
export interface Source {
  readonly file: string | undefined;
  readonly value: unknown;
  /** Where the key or item that a pointer names stands; the closest place above where there is none. */
  locate(pointer: string): Place;
}

/** Reads YAML 1.2 or, for a name that ends in `.json`, JSON. @throws MockError `SCENARIO_UNREADABLE` with line and column. */
export function readSource(text: string, file: string): Source {
  const value = file.endsWith('.json') ? parseJson(text, file) : parseYaml(text, file);
  const lines = createLineFinder(text);
  return { file, value, locate: (pointer) => ({ file, ...lines.find(pointer), pointer }) };
}

/**
 * Something that never was a text: its places are pointers.
 *
 * @param base - What stands before them: where the value is in what was handed over.
 */
export function toSource(value: unknown, base = ''): Source {
  return { file: undefined, value, locate: (pointer) => ({ pointer: base + pointer }) };
}

function parseYaml(text: string, file: string): unknown {
  try {
    return load(text, { schema: CORE_SCHEMA.withTags(mergeTag) });
  } catch (error) {
    if (!(error instanceof YAMLException)) throw error;
    if (error.reason.includes('input is empty')) {
      throw new MockError('SCENARIO_UNREADABLE', 'the file is empty', {
        at: { file },
        hint: 'begin with "description:"',
      });
    }
    const mark = error.mark;
    const at = mark === undefined ? { file } : { file, line: mark.line + 1, column: mark.column + 1 };
    throw new MockError('SCENARIO_UNREADABLE', `this is no YAML: ${error.reason}`, {
      at,
      hint: hintFor(error.reason),
      cause: error,
    });
  }
}

/** What to do about the mistakes that people make most. */
function hintFor(reason: string): string | undefined {
  if (reason.includes('tab character')) return 'YAML is indented with spaces: replace the tab';
  if (reason.includes('duplicated mapping key'))
    return 'write the key once; several rules of one operation are one list';
  if (reason.includes('document')) return 'one scenario per file: remove the "---" between the documents';
  if (reason.includes('flow')) return 'a "[" or "{" is not closed';
  if (reason.includes('mapping entry')) return 'check the indentation, and put a text that holds ": " in quotes';
  return undefined;
}

function parseJson(text: string, file: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const offset = Number(/at position (\d+)/.exec(reason)?.[1] ?? (reason.includes('end of JSON') ? text.length : 0));
    throw new MockError('SCENARIO_UNREADABLE', `this is no JSON: ${reason.replace(/ at position .*/s, '')}`, {
      at: { file, ...toLine(text, offset) },
      cause: error,
    });
  }
}

function toLine(text: string, offset: number): { readonly line: number; readonly column: number } {
  const before = text.slice(0, Math.max(0, offset));
  const lineStart = before.lastIndexOf('\n') + 1;
  return { line: before.split('\n').length, column: before.length - lineStart + 1 };
}

/** One thing that is wrong with a scenario. */
export interface Mistake {
  readonly code: 'SCENARIO_INVALID' | 'SCENARIO_UNREADABLE';
  readonly message: string;
  readonly at: Place;
  readonly hint: string | undefined;
}

/** Collects what is wrong while a scenario is read, so that its author hears of everything at once. */
export interface Notes {
  readonly mistakes: readonly Mistake[];
  /** What stands at a pointer is wrong. */
  wrong(pointer: string, message: string, hint?: string): void;
  /** `file:line` of a pointer, for traces. */
  place(pointer: string): string;
}

/** An empty notebook over one source. */
export function createNotes(source: Source): Notes {
  const mistakes: Mistake[] = [];
  return {
    mistakes,
    wrong: (pointer, message, hint) => {
      mistakes.push({ code: 'SCENARIO_INVALID', message, at: source.locate(pointer), hint });
    },
    place: (pointer) => {
      const at = source.locate(pointer);
      return at.file === undefined ? `#${at.pointer ?? pointer}` : `${at.file}:${at.line ?? 1}`;
    },
  };
}

/** `did you mean "x"?` where something is near, else the other text. */
export function didYouMean(given: string, candidates: Iterable<string>, otherwise?: string): string | undefined {
  const near = nearest(given, candidates);
  return near === undefined ? otherwise : `did you mean ${JSON.stringify(near)}?`;
}

/** One error that says everything that is wrong: the mistake itself where there is one, a list where there are several. */
export function toError(mistakes: readonly [Mistake, ...Mistake[]]): MockError {
  const [first, ...others] = mistakes;
  if (others.length === 0) return new MockError(first.code, first.message, { at: first.at, hint: first.hint });
  const list = mistakes.map((mistake) => formatMistake(mistake).replaceAll('\n', '\n  '));
  return new MockError('SCENARIO_INVALID', `${mistakes.length} mistakes in scenarios:\n  ${list.join('\n  ')}`);
}

/** Whether a list has something in it, in a way the compiler follows. */
export function isFilled<T>(list: readonly T[]): list is readonly [T, ...T[]] {
  return list.length > 0;
}
