import { isObject } from '../../base/json.js';
import type { Operation } from './operation.js';

/** The members of the body of a request that the answers of an operation repeat: the hint `repeats`, whose grammar is checked with the others. */
export function listRepeatsHint({ extensions }: Operation): readonly string[] {
  const hint = extensions['x-mock'];
  const repeats = isObject(hint) ? hint['repeats'] : undefined;
  return Array.isArray(repeats) ? repeats.filter((name) => typeof name === 'string') : [];
}
