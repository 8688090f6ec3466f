import { ANNOTATIONS } from './keywords.js';
import { isDeepStrictEqual } from 'node:util';
import type { Contract } from '../contract.js';
import { isObject, type Schema, type SchemaObject } from '../../base/json.js';
import { toPointer } from '../pointer.js';

/** A schema with its references resolved. */
export interface SchemaPart {
  readonly schema: SchemaObject;
  readonly pointer: string;
}

/** A part of a schema that may apply to some items only. */
export interface VariantPart extends SchemaPart {
  /** Whether it is a branch of a union: it applies to some items only. */
  readonly variant?: boolean;
}

/** A contract with what is decided about its schemas, by pointer: schemas that refer to each other in many ways are read once. */
export interface PartReader {
  readonly contract: Contract;
  readonly chosen: Map<string, SchemaPart>;
  readonly existing: Map<string, boolean>;
}

/** Creates a reader that has decided nothing. */
export function createPartReader(contract: Contract): PartReader {
  return { contract, chosen: new Map(), existing: new Map() };
}

/** How deep `allOf` and unions are resolved at one place; deeper nesting is a cycle. */
export const MAX_DEPTH = 12;

/** The schema of anything: `true`, or none at all. */
export const ANY_SCHEMA: SchemaObject = Object.freeze({});

/** Resolves the references of a schema, also one in an `allOf` that only describes it; a boolean has no keywords. */
export function resolvePart(contract: Contract, given: Schema, at: string): SchemaPart {
  const { schema, pointer } = contract.resolve(given, at);
  if (!isObject(schema)) return { schema: ANY_SCHEMA, pointer };
  const only = schema.allOf === undefined ? -1 : findOnlyPart(schema, schema.allOf);
  const part = schema.allOf?.[only];
  return part === undefined ? { schema, pointer } : resolvePart(contract, part, `${pointer}/allOf/${only}`);
}

/** The index of the one reference in `allOf: [{ $ref }, { description }]`; -1 where the schema or another part says more. */
function findOnlyPart(schema: SchemaObject, parts: readonly Schema[]): number {
  const saysMore = (each: Schema): boolean =>
    !isObject(each) || Object.keys(each).some((keyword) => keyword !== 'allOf' && !ANNOTATIONS.test(keyword));
  const only = parts.findIndex(saysMore);
  const isOnly = !saysMore(schema) && only === parts.findLastIndex(saysMore);
  const part = parts[only];
  return isOnly && part !== undefined && isObject(part) && part.$ref !== undefined ? only : -1;
}

/** The schema at a pointer. */
export function readPart(contract: Contract, pointer: string): SchemaPart {
  const root = contract.at(pointer);
  return isObject(root) ? resolvePart(contract, root, pointer) : { schema: ANY_SCHEMA, pointer };
}

/** The schemas in one keyword, references resolved. */
export function listParts(
  contract: Contract,
  { schema, pointer }: SchemaPart,
  keyword: 'allOf' | 'anyOf' | 'oneOf',
): readonly SchemaPart[] {
  return (schema[keyword] ?? []).map((each, i) => resolvePart(contract, each, `${pointer}/${keyword}/${i}`));
}

/** Whether a schema can have branches. */
export function isUnion({ anyOf, oneOf }: SchemaObject): boolean {
  return anyOf !== undefined || oneOf !== undefined;
}

/** The branches of a union as they are written. */
export function readBranches({ anyOf = [], oneOf = [] }: SchemaObject): readonly Schema[] {
  return [...anyOf, ...oneOf];
}

/** The schema itself and the parts that its `allOf` and its union add, in order. */
export function flatten(reader: PartReader, part: VariantPart): readonly VariantPart[] {
  if (part.schema.allOf === undefined && !isUnion(part.schema)) return [part];
  const found: VariantPart[] = [];
  // The smallest depth of each: only from there more of it is in reach.
  const seen = new Map<string, number>();
  const visit = ({ schema, pointer }: SchemaPart, isVariant: boolean, depth: number): void => {
    const key = isVariant ? `?${pointer}` : pointer;
    if (depth > MAX_DEPTH || (seen.get(key) ?? Infinity) <= depth) return;
    seen.set(key, depth);
    found.push(isVariant ? { schema, pointer, variant: true } : { schema, pointer });
    for (const each of listParts(reader.contract, { schema, pointer }, 'allOf'))
      visit(chooseBranch(reader, each), isVariant, depth + 1);
    for (const branch of listItemBranches(reader, { schema, pointer })) visit(branch, true, depth + 1);
  };
  visit(part, part.variant === true, 0);
  return found;
}

/** The branches of the union of a schema. */
export function listUnion(contract: Contract, part: SchemaPart): readonly SchemaPart[] {
  return [...listParts(contract, part, 'anyOf'), ...listParts(contract, part, 'oneOf')];
}

/** The branches of the union of a schema that describe existing items. */
function listItemBranches(reader: PartReader, part: SchemaPart): readonly SchemaPart[] {
  return listUnion(reader.contract, part).filter((branch) => isExistingItem(reader, branch));
}

/** The branches for existing items of a union, or of the first union in the `allOf` of a schema. */
export function listKinds(reader: PartReader, part: SchemaPart, depth = 0): readonly SchemaPart[] {
  const own = listItemBranches(reader, part);
  if (own.length > 0 || depth > MAX_DEPTH) return own;
  for (const each of listParts(reader.contract, part, 'allOf')) {
    const below = listKinds(reader, each, depth + 1);
    if (below.length > 0) return below;
  }
  return [];
}

/** Whether a union has several kinds of items: a discriminator, a constant of each or a property that only one requires distinguishes them. */
function isUnionOfKinds(reader: PartReader, part: SchemaPart): boolean {
  const branches = listItemBranches(reader, part);
  if (branches.length < 2) return false;
  if (part.schema.discriminator !== undefined) return true;
  const constants = branches.map((branch) => readConstants(reader, branch));
  const [first] = constants;
  const isFixed = [...(first?.keys() ?? [])].some((name) => {
    const values = new Set(constants.map((each) => each.get(name)));
    return !values.has(undefined) && values.size > 1;
  });
  return isFixed || isDistinctByRequired(reader, branches);
}

/** Whether each branch of a union requires a property that no other one declares. */
function isDistinctByRequired(reader: PartReader, branches: readonly SchemaPart[]): boolean {
  const all = branches.map((branch) => listNames(flatten(reader, branch)));
  const counts = countNames(all.map(({ declared }) => declared));
  return all.every(({ declared, required }) =>
    [...required].some((name) => declared.has(name) && counts.get(name) === 1),
  );
}

type PartNames = Readonly<Record<'declared' | 'required', ReadonlySet<string>>>;

/** The names of the properties that parts of one schema declare and require. */
export function listNames(parts: readonly SchemaPart[]): PartNames {
  return {
    declared: new Set(parts.flatMap(({ schema }) => Object.keys(schema.properties ?? {}))),
    required: new Set(parts.flatMap(({ schema }) => schema.required ?? [])),
  };
}

/** How many sets have each name. */
export function countNames(sets: readonly ReadonlySet<string>[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const names of sets) for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}

/** The values of properties that can have only one. */
export function readConstants(reader: PartReader, part: SchemaPart): ReadonlyMap<string, unknown> {
  const constants = new Map<string, unknown>();
  for (const { schema, pointer } of flatten(reader, part)) {
    for (const [name, given] of Object.entries(schema.properties ?? {})) {
      const { schema: own } = resolvePart(reader.contract, given, pointer + toPointer('properties', name));
      const values = 'const' in own ? [own.const] : own.enum;
      if (values?.length === 1) constants.set(name, values[0]);
    }
  }
  return constants;
}

/** The branch of a union that describes an existing item: not null, and not the object for a deleted one. */
export function chooseBranch(reader: PartReader, part: SchemaPart): SchemaPart {
  const known = reader.chosen.get(part.pointer);
  if (known !== undefined) return known;
  // A union that is a part of its own branch is not resolved there.
  reader.chosen.set(part.pointer, part);
  let current = part;
  for (let depth = 0; depth < MAX_DEPTH && isUnion(current.schema); depth++) {
    const next = chooseNext(reader, current);
    if (next === undefined) break;
    current = next;
  }
  if (current !== part) reader.chosen.set(part.pointer, current);
  return current;
}

/** More branches of a union than this are not compared with each other. */
const MAX_COMPARED = 64;

function chooseNext(reader: PartReader, part: SchemaPart): SchemaPart | undefined {
  if (part.schema.properties !== undefined || isUnionOfKinds(reader, part)) return undefined;
  const keyword = part.schema.anyOf === undefined ? 'oneOf' : 'anyOf';
  const all = listParts(reader.contract, part, keyword);
  const isCompared = keyword === 'oneOf' && all.length <= MAX_COMPARED;
  const general = isCompared ? all.filter((each) => !all.some((other) => isSpecial(each, other))) : all;
  const parts = general.length === 0 ? all : general;
  return (
    parts.find((each) => isExistingItem(reader, each)) ?? parts.find(({ schema }) => schema.type !== 'null') ?? parts[0]
  );
}

/** Whether each value of a branch of `oneOf` is one of another branch as well, so that none is valid. */
function isSpecial(branch: SchemaPart, other: SchemaPart): boolean {
  const { properties = {}, required = [] } = branch.schema;
  const { properties: shared, required: needed = [], additionalProperties } = other.schema;
  if (branch === other || shared === undefined || additionalProperties === false) return false;
  return (
    needed.every((name) => required.includes(name)) &&
    Object.entries(shared).every(([name, schema]) => isDeepStrictEqual(schema, properties[name]))
  );
}

function isExistingItem(reader: PartReader, part: SchemaPart): boolean {
  if (hasItemProperties(part)) return true;
  const known = reader.existing.get(part.pointer);
  if (known !== undefined) return known;
  const seen = new Map<string, number>();
  const visit = (each: SchemaPart, depth: number): boolean => {
    if (depth > MAX_DEPTH || (seen.get(each.pointer) ?? Infinity) <= depth) return false;
    seen.set(each.pointer, depth);
    if (hasItemProperties(each)) return true;
    return (
      listParts(reader.contract, each, 'allOf').some((below) => visit(chooseBranch(reader, below), depth + 1)) ||
      listUnion(reader.contract, each).some((branch) => visit(branch, depth + 1))
    );
  };
  const isExisting = visit(part, 0);
  reader.existing.set(part.pointer, isExisting);
  return isExisting;
}

function hasItemProperties({ schema: { properties } }: SchemaPart): boolean {
  return properties !== undefined && !Object.hasOwn(properties, 'deleted');
}

/** The properties that a request can set of schemas that extend one and that its discriminator names (OpenAPI 3.1 section 4.8.25.1). */
export function listSubtypeProperties(contract: Contract, pointer: string): ReadonlySet<string> {
  const reader = createPartReader(contract);
  const whole = readPart(contract, pointer);
  const names = new Set<string>();
  for (const $ref of Object.values(whole.schema.discriminator?.mapping ?? {})) {
    const parts = flatten(reader, resolvePart(contract, { $ref }, whole.pointer));
    // A schema that does not extend it is a mistake of the mapping.
    const isSubtype = parts.some((part) => part.pointer === whole.pointer);
    for (const part of isSubtype ? parts : []) for (const name of listSettable(contract, part)) names.add(name);
  }
  for (const name of Object.keys(whole.schema.properties ?? {})) names.delete(name);
  return names;
}

function listSettable(contract: Contract, { schema, pointer }: SchemaPart): readonly string[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, own]) => {
    const property = resolvePart(contract, own, pointer + toPointer('properties', name));
    return property.schema.readOnly === true ? [] : [name];
  });
}
