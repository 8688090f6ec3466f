import { CORE_SCHEMA, load, mergeTag, YAMLException } from 'js-yaml';
import { findJsonMistake } from '../../../base/json.js';
import { createLineFinder } from '../../../contract/load/source-map.js';
import { type Mistake, type Source, toError } from '../../../contract/load/source-node.js';
import { MockError } from '../../../base/errors.js';

/** Parses YAML 1.2 or, if the name ends in `.json`, JSON. @throws MockError `SCENARIO_UNREADABLE` with line and column. */
export function parseSource(text: string, file: string): Source {
  const value = file.endsWith('.json') ? parseJson(text, file) : parseYaml(text, file);
  const lines = createLineFinder(text);
  return { ...toSource(value), file, locate: (pointer) => ({ file, ...lines(pointer), pointer }) };
}

/** A scenario that was passed as an object. @param base - Prefix of the pointers in messages. */
export function toSource(value: unknown, base = ''): Source {
  return {
    file: undefined,
    code: 'SCENARIO_INVALID',
    value,
    locate: (pointer) => ({ pointer: base + pointer }),
    mistakes: [],
  };
}

/** One error for all mistakes in scenarios; undefined if there is none. */
export function toScenarioError(mistakes: readonly Mistake[]): MockError | undefined {
  return toError(mistakes, { code: 'SCENARIO_INVALID', where: 'scenarios' });
}

/** The core schema of YAML 1.2 with merge keys. */
const SCHEMA = CORE_SCHEMA.withTags(mergeTag);

function parseYaml(text: string, file: string): unknown {
  try {
    return load(text, { schema: SCHEMA });
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

/** Hints for the most frequent mistakes, by a part of the parser's message. */
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
