import type { Contract } from '../../contract/contract.js';
import { isObject, type SchemaObject } from '../../contract/json.js';
import { toPointer } from '../../contract/pointer.js';

/** Pointers of the schemas that one value has to do with, branches of unions included. */
export type SchemaPointers = readonly string[];

/** What the contract's schemas say about secrets, asked along a walk through a value. */
interface SecretSchemas {
  /** The schemas of a member of an object. */
  member(pointers: SchemaPointers, name: string): SchemaPointers;
  /** The schemas of an item of an array. */
  item(pointers: SchemaPointers, index: number): SchemaPointers;
  /** The rule by which a value with these schemas is a secret, or undefined. */
  rule(pointers: SchemaPointers): string | undefined;
  /** Formats and patterns that a placeholder should have. */
  shapes(pointers: SchemaPointers): readonly SchemaObject[];
}

/** The questions above over one contract; each schema is unfolded once. */
export function createSecretSchemas(contract: Contract): SecretSchemas {
  const unfolded = new Map<string, SchemaPointers>();
  const unfold = (pointer: string): SchemaPointers => {
    const known = unfolded.get(pointer);
    if (known !== undefined) return known;
    // Put there first: a schema that refers to itself must end.
    unfolded.set(pointer, []);
    const all = readBranches(contract, pointer).flatMap((branch) => (branch === pointer ? [branch] : unfold(branch)));
    unfolded.set(pointer, all);
    return all;
  };
  const schemasOf = (pointers: SchemaPointers): readonly (readonly [string, SchemaObject])[] =>
    pointers.flatMap(unfold).flatMap((pointer) => {
      const schema = contract.at(pointer);
      return isObject(schema) ? [[pointer, schema] as const] : [];
    });
  return {
    member: (pointers, name) => schemasOf(pointers).flatMap(([pointer, schema]) => readMember(pointer, schema, name)),
    item: (pointers, index) =>
      schemasOf(pointers).flatMap(([pointer, schema]) => {
        if (schema.prefixItems !== undefined && index < schema.prefixItems.length) {
          return [pointer + toPointer('prefixItems', index)];
        }
        return isObject(schema.items) ? [`${pointer}/items`] : [];
      }),
    rule: (pointers) => {
      for (const [, schema] of schemasOf(pointers)) {
        // A published list of values is no secret.
        if (schema.enum !== undefined || schema.const !== undefined) continue;
        if (schema.format === 'password') return 'schema:format=password';
        if (schema.writeOnly === true) return 'schema:writeOnly';
        if (schema['x-sensitive'] === true) return 'schema:x-sensitive';
      }
      return undefined;
    },
    shapes: (pointers) => schemasOf(pointers).map(([, schema]) => schema),
  };
}

/** The schema itself and those it is made of, one step deep. */
function readBranches(contract: Contract, pointer: string): SchemaPointers {
  const schema = contract.at(pointer);
  if (!isObject(schema)) return [];
  const branches = [pointer];
  const reference = schema['$ref'];
  if (typeof reference === 'string') branches.push(contract.resolve(schema, pointer).pointer);
  for (const keyword of ['allOf', 'anyOf', 'oneOf']) {
    const list = schema[keyword];
    if (Array.isArray(list)) branches.push(...list.map((_, i) => pointer + toPointer(keyword, i)));
  }
  for (const keyword of ['then', 'else']) if (isObject(schema[keyword])) branches.push(`${pointer}/${keyword}`);
  return [...new Set(branches)];
}

function readMember(pointer: string, schema: SchemaObject, name: string): SchemaPointers {
  if (schema.properties !== undefined && Object.hasOwn(schema.properties, name)) {
    return [pointer + toPointer('properties', name)];
  }
  const patterns = Object.keys(schema.patternProperties ?? {}).filter((pattern) => isMatch(pattern, name));
  if (patterns.length > 0) return patterns.map((pattern) => pointer + toPointer('patternProperties', pattern));
  return isObject(schema.additionalProperties) ? [`${pointer}/additionalProperties`] : [];
}

function isMatch(pattern: string, name: string): boolean {
  try {
    return new RegExp(pattern, 'u').test(name);
  } catch {
    // A pattern that is no regular expression here was reported when the contract was loaded.
    return false;
  }
}
