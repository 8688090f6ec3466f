import { isObject } from '../../base/json.js';
import type { Operation } from './operation.js';

/** What the hint `x-mock` of an operation has under a name; its grammar is checked where all hints are read. */
export function readOwnHint({ extensions }: Pick<Operation, 'extensions'>, name: string): unknown {
  const hint = extensions['x-mock'];
  return isObject(hint) ? hint[name] : undefined;
}
