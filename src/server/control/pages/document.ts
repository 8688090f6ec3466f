import { dump } from 'js-yaml';
import { isObject } from '../../../contract/json.js';
import { mapInSlices, type Slices } from '../slices.js';

/** Levels that are written member by member: the paths of a document, and the kinds of components with their names. */
const LEVELS = 2;

/** The document of a contract as YAML, in pieces that are made in slices: a large document takes longer than a request may wait. */
export function writeDocument(document: Readonly<Record<string, unknown>>, slices: Slices): AsyncIterable<string> {
  return mapInSlices(listPieces(document, LEVELS), (piece) => piece(), slices);
}

/** Functions that write the members of an object one after the other. */
function* listPieces(
  members: Readonly<Record<string, unknown>>,
  levels: number,
  indent = '',
): Generator<() => string, void, undefined> {
  for (const [name, value] of Object.entries(members)) {
    if (levels > 0 && isObject(value) && Object.keys(value).length > 0) {
      yield () => indent + writeYaml({ [name]: 0 }).replace(/ 0\n$/, '\n');
      yield* listPieces(value, levels - 1, `${indent}  `);
    } else yield () => writeYaml({ [name]: value }).replaceAll(/^(?=.)/gm, indent);
  }
}

/** YAML in block style, without anchors and without folded lines, whose text survives a deeper indent. */
function writeYaml(value: object): string {
  // After a string that ends with empty lines `dump` writes the end of the document.
  return dump(value, { noRefs: true, lineWidth: -1 }).replace(/\n\.\.\.\n$/, '\n');
}
