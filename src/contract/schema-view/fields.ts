import { isObject } from '../../base/json.js';
import { memoize } from '../../base/memoize.js';
import type { Contract } from '../contract.js';
import { escapeSegment } from '../pointer.js';
import { ANY_SCHEMA } from './parts.js';
import { listApplied, type SchemaPointers } from './walk.js';

/** The members that an object can have by its schemas, in any branch. */
export interface Fields {
  /** Pointers of the schemas of each member, by name. */
  readonly members: ReadonlyMap<string, SchemaPointers>;
  /** Pointers of the schemas of the elements of an array. */
  readonly elements: SchemaPointers;
  /** Whether other names are allowed explicitly (`additionalProperties`, `patternProperties`), or none is declared. */
  readonly open: boolean;
  /** Names that every branch requires. */
  readonly required: ReadonlySet<string>;
}

/** Reads the fields of several schemas together, through `$ref`, `allOf`, `anyOf` and `oneOf`. */
export type FieldsReader = (pointers: SchemaPointers) => Fields;

/** A reader of the fields of schemas that reads each list of pointers once. */
export function createFieldsReader(contract: Contract): FieldsReader {
  const read = memoize((key: string) => readFields(contract, key === '' ? [] : key.split('\n')));
  return (pointers) => read(pointers.join('\n'));
}

function readFields(contract: Contract, pointers: SchemaPointers): Fields {
  const members = new Map<string, string[]>();
  const elements: string[] = [];
  const required = new Set<string>();
  const shown = new Set<string>();
  let open = false;
  for (const { pointer, schema, isBranch } of listApplied(contract, pointers)) {
    for (const name of Object.keys(schema.properties ?? {})) {
      members.set(name, [...(members.get(name) ?? []), `${pointer}/properties/${escapeSegment(name)}`]);
    }
    if (schema.items !== undefined) elements.push(`${pointer}/items`);
    const { patternProperties, additionalProperties = false, unevaluatedProperties = false } = schema;
    open ||=
      schema === ANY_SCHEMA ||
      patternProperties !== undefined ||
      additionalProperties !== false ||
      unevaluatedProperties !== false;
    for (const name of schema.required ?? []) shown.add(name);
    if (!isBranch) for (const name of schema.required ?? []) required.add(name);
    const examples = [schema.example, schema.default, ...(schema.examples ?? [])].filter(isObject);
    for (const name of examples.flatMap((example) => Object.keys(example))) shown.add(name);
  }
  open ||= members.size === 0;
  // The contract does not forbid what it requires or what its own examples show.
  for (const name of shown) if (!members.has(name)) members.set(name, []);
  return { members, elements, required, open };
}
