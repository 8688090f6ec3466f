import { COMBINING_KEYWORDS, isObject } from '../../../base/json.js';
import type { Contract } from '../../../contract/contract.js';
import { readSegments, toReference } from '../../../contract/pointer.js';

/** A change of the document after which it allows what a recording shows. */
export interface DocumentChange {
  /** What changes, with the place in the document. */
  readonly message: string;
  /** The actions of an overlay that make the change. */
  readonly actions: readonly object[];
}

/** The JSONPath of a pointer in the main file of a document; undefined in other files, which no overlay changes. */
export function toTarget(contract: Contract, pointer: string): string | undefined {
  const place = contract.locate(pointer);
  const isMain = place.file === contract.locate('').file && place.pointer !== undefined;
  return isMain ? toJsonPath(place.pointer) : undefined;
}

/** A JSON pointer of the document as a JSONPath, whose indices are not names: `200` is one in `responses`. */
function toJsonPath(pointer: string): string {
  const segments = readSegments(pointer);
  const isIndex = (i: number): boolean => /^\d+$/.test(segments[i] ?? '') && ARRAYS.has(segments[i - 1] ?? '');
  return `$${segments.map((segment, i) => `[${isIndex(i) ? segment : quote(segment)}]`).join('')}`;
}

/** Members of documents that are arrays of schemas or of objects with schemas. */
const ARRAYS: ReadonlySet<string> = new Set([...COMBINING_KEYWORDS, 'parameters', 'prefixItems']);

/** A name in a JSONPath (RFC 9535 section 2.3.1). */
export function quote(name: string): string {
  return `'${name.replaceAll(/[\\']/g, String.raw`\$&`)}'`;
}

/** The actions that put a schema in place of a reference, which may have no members beside it. @param wrap - Makes it of the reference. */
export function replaceReference(
  contract: Contract,
  pointer: string,
  wrap: (reference: object) => object,
): readonly object[] | undefined {
  const schema = contract.at(pointer);
  const target = toTarget(contract, pointer);
  if (target === undefined || !isObject(schema) || typeof schema['$ref'] !== 'string') return undefined;
  const source = contract.locate(contract.resolve(schema, pointer).pointer);
  if (source.file !== contract.locate('').file || source.pointer === undefined) return undefined;
  const update = wrap({ $ref: toReference(source.pointer) });
  return [
    { target: `${target}['$ref']`, remove: true },
    { target, update },
  ];
}
