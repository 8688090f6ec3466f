import type { Operation } from './operation.js';
import { readOwnHint } from './own-hint.js';

/** The members of the body of a request that the answers of an operation repeat: the hint `repeats`, whose grammar is checked with the others. */
export function listRepeatsHint(operation: Operation): readonly string[] {
  const repeats = readOwnHint(operation, 'repeats');
  return Array.isArray(repeats) ? repeats.filter((name) => typeof name === 'string') : [];
}
