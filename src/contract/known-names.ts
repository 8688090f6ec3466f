import { memoizeOf } from '../base/memoize.js';
import { readFirstName } from '../conventions/conventions.js';
import { isObject } from '../base/json.js';
import type { Contract } from './contract.js';
import { readEntries } from './pointer.js';

/** The name by which conventions know a property or a parameter: its own, unless the document says in `x-mock.conventions` what it means. */
export function toKnownName({ document }: Pick<Contract, 'document'>, name: string): string {
  return readKnownNames(document).get(name) ?? name;
}

/** The names of one document, each with the first one of the row that it belongs to. */
const readKnownNames = memoizeOf((document: Contract['document']): ReadonlyMap<string, string> => {
  const hints = document['x-mock'];
  const given = isObject(hints) ? readEntries(hints['conventions']) : [];
  return new Map(
    given.flatMap(([idea, names]) => {
      const known = readFirstName(idea);
      return known === undefined ? [] : [names].flat().map((name) => [String(name), known] as const);
    }),
  );
});
