import { findJsonMistake } from '../../../base/json.js';
import { parseExactYaml } from '../../../contract/load/parse.js';
import { createLineFinder } from '../../../contract/load/source-map.js';
import { type Mistake, type Source, toError } from '../../../contract/load/source-node.js';
import { MockError } from '../../../base/errors.js';

/** Parses YAML 1.2 or, if the name ends in `.json`, JSON. @throws MockError `SCENARIO_UNREADABLE` with line and column. */
export function parseSource(text: string, file: string): Source {
  const value = file.endsWith('.json') ? parseJson(text, file) : parseExactYaml(text, file, 'SCENARIO_UNREADABLE');
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

function parseJson(text: string, file: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    const { line, column, says } = findJsonMistake(text);
    const at = { file, line, column };
    throw new MockError('SCENARIO_UNREADABLE', `invalid JSON: ${says}`, { at, cause: error });
  }
}
