import { COMBINING_KEYWORDS, isObject, type SchemaObject } from '../../base/json.js';
import { memoize } from '../../base/memoize.js';
import type { Contract } from '../contract.js';
import { toPointer } from '../pointer.js';
import { readPattern } from '../upgrade/patterns.js';
import { ANY_SCHEMA } from './parts.js';
import { listMapped } from './shape.js';

/** A schema that applies to a value. */
export interface AppliedSchema {
  readonly pointer: string;
  readonly schema: SchemaObject;
  /** Whether it applies to some values only: an alternative, `then`, `else`, or a schema that a discriminator names. */
  readonly isBranch: boolean;
}

/** Pointers of the schemas that describe one value. */
export type SchemaPointers = readonly string[];

/** Finds the schemas of the parts of a value. */
export interface SchemaWalk {
  /** All schemas that apply to a value: those at the pointers, and what their references, parts and alternatives lead to; each once. */
  all(pointers: SchemaPointers): readonly SchemaObject[];
  /** The schemas of a member of an object. */
  member(pointers: SchemaPointers, name: string): SchemaPointers;
  /** The schemas of an element of an array. */
  element(pointers: SchemaPointers, index: number): SchemaPointers;
}

/** Creates the walk through the schemas of a contract; each schema is expanded once. */
export function createSchemaWalk(contract: Contract): SchemaWalk {
  const appliedAt = memoize((pointer: string) => listApplied(contract, [pointer]));
  const applied = (pointers: SchemaPointers): readonly AppliedSchema[] => {
    const [first, ...more] = pointers;
    return first !== undefined && more.length === 0 ? appliedAt(first) : pointers.flatMap(appliedAt);
  };
  const patternOf = memoize((text: string) => readPattern(text).pattern);
  const isMatch = (pattern: string, name: string): boolean => patternOf(pattern).test(name);
  return {
    all: (pointers) => applied(pointers).map(({ schema }) => schema),
    member: (pointers, name) => applied(pointers).flatMap((each) => readMember(each, name, isMatch)),
    element: (pointers, index) =>
      applied(pointers).flatMap(({ pointer, schema: { prefixItems = [], items } }) => {
        if (index < prefixItems.length) return [pointer + toPointer('prefixItems', index)];
        return isObject(items) ? [`${pointer}/items`] : [];
      }),
  };
}

/** All schemas that apply to a value, depth first, each once: what only a branch of another one says counts as a branch. */
export function listApplied(contract: Contract, pointers: SchemaPointers): readonly AppliedSchema[] {
  const found = new Map<string, AppliedSchema>();
  const collect = (pointer: string, isBranch: boolean): void => {
    const schema = contract.at(pointer);
    if (found.has(pointer)) return;
    if (schema === true) found.set(pointer, { pointer, schema: ANY_SCHEMA, isBranch });
    if (!isObject(schema)) return;
    found.set(pointer, { pointer, schema, isBranch });
    if (typeof schema['$ref'] === 'string') collect(contract.resolve(schema, pointer).pointer, isBranch);
    for (const keyword of COMBINING_KEYWORDS) {
      const list = schema[keyword];
      const isOther = isBranch || keyword !== 'allOf';
      if (Array.isArray(list)) for (const i of list.keys()) collect(pointer + toPointer(keyword, i), isOther);
    }
    for (const keyword of ['then', 'else']) collect(`${pointer}/${keyword}`, true);
    for (const mapped of listMapped(schema)) collect(mapped, true);
  };
  for (const pointer of pointers) collect(pointer, false);
  return [...found.values()];
}

function readMember(
  { pointer, schema }: AppliedSchema,
  name: string,
  isMatch: (pattern: string, name: string) => boolean,
): SchemaPointers {
  if (schema.properties !== undefined && Object.hasOwn(schema.properties, name)) {
    return [pointer + toPointer('properties', name)];
  }
  const patterns = Object.keys(schema.patternProperties ?? {}).filter((pattern) => isMatch(pattern, name));
  if (patterns.length > 0) return patterns.map((pattern) => pointer + toPointer('patternProperties', pattern));
  return isObject(schema.additionalProperties) ? [`${pointer}/additionalProperties`] : [];
}
