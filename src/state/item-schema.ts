import { isDeepStrictEqual } from 'node:util';
import type { Contract } from '../contract/contract.js';
import { isObject, type Schema, type SchemaObject } from '../contract/json.js';
import { toPointer } from '../contract/pointer.js';

/** One property an item may have. */
export interface ItemProperty {
  readonly name: string;
  /** With its `$ref` chain resolved; of a nullable union, the branch that is not null. */
  readonly schema: SchemaObject;
  /** Pointer to the property itself. */
  readonly pointer: string;
  /** Pointer to `schema`. */
  readonly target: string;
  /** Pointers to all branches of its `anyOf`, of which a value can satisfy several. */
  readonly branches: readonly string[];
  readonly required: boolean;
  readonly nullable: boolean;
  /** Whether a string or a number is valid; for an id that can be expanded to its object, both are. */
  readonly scalar: boolean;
  readonly readOnly: boolean;
  readonly writeOnly: boolean;
  /** Whether only some branches of a union have it: it belongs to one kind of items. */
  readonly variant: boolean;
}

/** Booleans that say whether a request succeeded. */
const SUCCESS = /^(ok|success|succeeded|is_?success(ful)?)$/i;

/** Whether a boolean of this name says whether a request succeeded. */
export function isSuccessFlag(name: string): boolean {
  return SUCCESS.test(name);
}

/** The one right value of a property in an answer to a successful request: the only valid one, or true; undefined where there is none. */
export function findOnlyValue({ name, schema }: ItemProperty): unknown {
  if ('const' in schema) return schema.const;
  if (Array.isArray(schema.enum) && schema.enum.length === 1) return schema.enum[0];
  return schema.type === 'boolean' && isSuccessFlag(name) ? true : undefined;
}

/**
 * The part of a schema that inference needs: its type and properties, with `allOf` and unions resolved.
 *
 * A union of kinds of items that can be distinguished has the properties of all of them; of any other union the
 * branch of an existing item counts.
 */
export interface ItemSchema {
  /** Pointer to the schema, every `$ref` resolved: two uses of one component have the same. */
  readonly pointer: string;
  readonly schema: SchemaObject;
  /** Undefined where the schema does not determine it. */
  readonly type: string | undefined;
  readonly properties: ReadonlyMap<string, ItemProperty>;
  /** Whether additional properties are forbidden. */
  readonly closed: boolean;
  /** For an array: pointer to the schema of its items. */
  readonly items: string | undefined;
}

/** Reads the schema at a pointer of the inner document; undefined where there is none. */
export type ReadItemSchema = (pointer: string) => ItemSchema | undefined;

/** The property at a path; a name with dots that is not a property itself is a path. */
export function findPropertyAt(read: ReadItemSchema, schema: ItemSchema, path: string): ItemProperty | undefined {
  let current: ItemSchema | undefined = schema;
  let found = schema.properties.get(path);
  for (const step of found === undefined ? path.split('.') : []) {
    found = current?.properties.get(step);
    current = found && read(found.target);
  }
  return found;
}

interface Part {
  readonly schema: Schema;
  readonly pointer: string;
  /** Whether it is a branch of a union: it applies to some items only. */
  readonly variant?: boolean;
}

/** How deep `allOf` and unions are resolved; deeper nesting is a cycle. */
const MAX_DEPTH = 12;

/** A reader of item schemas that reads each one once. */
export function createItemSchemaReader(contract: Contract): ReadItemSchema {
  // The root of the document is not a schema.
  const known = new Map<string, ItemSchema | undefined>([['', undefined]]);
  // Many responses refer to one component, which is read once.
  const byTarget = new Map<string, ItemSchema | undefined>();
  return (pointer) => {
    if (known.has(pointer)) return known.get(pointer);
    const root = contract.at(pointer);
    const start = isObject(root) ? chooseBranch(contract, contract.resolve(root, pointer)) : undefined;
    const read = start && (byTarget.get(start.pointer) ?? readItemSchema(contract, start));
    known.set(pointer, read);
    if (start !== undefined) byTarget.set(start.pointer, read);
    return read;
  };
}

function readItemSchema(contract: Contract, start: Part): ItemSchema | undefined {
  if (!isObject(start.schema)) return undefined;
  const properties = new Map<string, ItemProperty>();
  let closed = false;
  let type = readType(start.schema);
  let items: string | undefined;
  for (const part of flatten(contract, start, 0)) {
    const schema = part.schema as SchemaObject; // `flatten` gives objects only
    type ??= readType(schema);
    if (schema.additionalProperties === false || schema.unevaluatedProperties === false) closed = true;
    if (schema.items !== undefined) items ??= contract.resolve(schema.items, `${part.pointer}/items`).pointer;
    collectProperties(contract, part, properties);
  }
  markRequired(contract, start, properties);
  mergeKinds(contract, start, properties);
  return {
    pointer: start.pointer,
    schema: start.schema,
    type: type ?? (properties.size > 0 ? 'object' : items === undefined ? undefined : 'array'),
    properties,
    closed,
    items,
  };
}

/** The schema itself and the parts that its `allOf` adds, in order. */
function flatten(contract: Contract, part: Part, depth: number): readonly Part[] {
  const { schema } = part;
  if (!isObject(schema) || depth > MAX_DEPTH) return [];
  const all = schema.allOf ?? [];
  const added = all.flatMap((each, i) =>
    flatten(contract, chooseBranch(contract, contract.resolve(each, `${part.pointer}/allOf/${i}`)), depth + 1),
  );
  const variants = readUnion(contract, part)
    .filter((branch) => isExistingItem(contract, branch, depth + 1))
    .flatMap((branch) => flatten(contract, branch, depth + 1));
  return [part, ...(part.variant === true ? added.map(toVariant) : added), ...variants.map(toVariant)];
}

const toVariant = ({ schema, pointer }: Part): Part => ({ schema, pointer, variant: true });

/** The branches of the union of a schema. */
function readUnion(contract: Contract, { schema, pointer }: Part): readonly Part[] {
  if (!isObject(schema)) return [];
  return (['anyOf', 'oneOf'] as const).flatMap((keyword) =>
    (schema[keyword] ?? []).map((each, i) => contract.resolve(each, `${pointer}/${keyword}/${i}`)),
  );
}

/** Pointers to the branches of the union that a schema is; none where it is something else. */
export function listBranches(contract: Contract, pointer: string): readonly string[] {
  const root = contract.at(pointer);
  if (!isObject(root)) return [];
  return readUnion(contract, contract.resolve(root, pointer)).map((branch) => branch.pointer);
}

/** Whether a union has several kinds of items: a discriminator, a constant of each or a property that only one requires distinguishes them. */
function isUnionOfKinds(contract: Contract, part: Part, depth: number): boolean {
  const branches = readUnion(contract, part).filter((branch) => isExistingItem(contract, branch, depth + 1));
  if (branches.length < 2) return false;
  if (isObject(part.schema) && part.schema.discriminator !== undefined) return true;
  const constants = branches.map((branch) => readConstants(contract, branch, depth + 1));
  const [first] = constants;
  const isFixed = [...(first?.keys() ?? [])].some((name) => {
    const values = new Set(constants.map((each) => each.get(name)));
    return !values.has(undefined) && values.size > 1;
  });
  return isFixed || isDistinctByRequired(contract, branches, depth + 1);
}

/** Whether each branch of a union requires a property that no other one declares. */
function isDistinctByRequired(contract: Contract, branches: readonly Part[], depth: number): boolean {
  const all = branches.map((branch) => flatten(contract, branch, depth).map(({ schema }) => schema as SchemaObject));
  const declares = (parts: readonly SchemaObject[], name: string): boolean =>
    parts.some(({ properties = {} }) => Object.hasOwn(properties, name));
  return all.every((own) =>
    own
      .flatMap(({ required = [] }) => required)
      .some((name) => declares(own, name) && all.every((other) => other === own || !declares(other, name))),
  );
}

/** One kind of the items of a union. */
export interface ItemKind {
  /** The properties that only this value of it can have. */
  readonly constants: ReadonlyMap<string, unknown>;
  readonly names: ReadonlySet<string>;
}

/** The kinds of items that the schema at a pointer describes; none where it is not a union. */
export function readKinds(contract: Contract, pointer: string): readonly ItemKind[] {
  const root = contract.at(pointer);
  if (!isObject(root)) return [];
  const whole = contract.resolve(root, pointer);
  const { discriminator } = isObject(whole.schema) ? whole.schema : {};
  return listKinds(contract, whole).map((branch) => {
    const constants = new Map(readConstants(contract, branch, 0));
    for (const [value, $ref] of Object.entries(discriminator?.mapping ?? {})) {
      const isOwn = contract.resolve({ $ref }, branch.pointer).pointer === branch.pointer;
      if (discriminator !== undefined && isOwn && !constants.has(discriminator.propertyName))
        constants.set(discriminator.propertyName, value);
    }
    const parts = flatten(contract, branch, 0).map(({ schema }) => schema as SchemaObject);
    return { constants, names: new Set(parts.flatMap(({ properties = {} }) => Object.keys(properties))) };
  });
}

/** The branches for existing items of a union, or of the first union in the `allOf` of a schema. */
function listKinds(contract: Contract, part: Part, depth = 0): readonly Part[] {
  const own = readUnion(contract, part).filter((branch) => isExistingItem(contract, branch));
  if (own.length > 0 || !isObject(part.schema) || depth > MAX_DEPTH) return own;
  for (const [i, each] of (part.schema.allOf ?? []).entries()) {
    const below = listKinds(contract, contract.resolve(each, `${part.pointer}/allOf/${i}`), depth + 1);
    if (below.length > 0) return below;
  }
  return [];
}

/** The values of properties that can have only one. */
function readConstants(contract: Contract, part: Part, depth: number): ReadonlyMap<string, unknown> {
  const constants = new Map<string, unknown>();
  for (const { schema, pointer } of flatten(contract, part, depth)) {
    const { properties = {} } = schema as SchemaObject; // `flatten` gives objects only
    for (const [name, own] of Object.entries(properties)) {
      const values = readValues(contract.resolve(own, pointer + toPointer('properties', name)).schema);
      if (values?.length === 1) constants.set(name, values[0]);
    }
  }
  return constants;
}

function readValues(schema: Schema): readonly unknown[] | undefined {
  if (!isObject(schema)) return undefined;
  return 'const' in schema ? [schema.const] : schema.enum;
}

/** The branch of a union that describes an existing item: not null, and not the object for a deleted one. */
function chooseBranch(contract: Contract, part: Part): Part {
  let current = part;
  for (let depth = 0; depth < MAX_DEPTH; depth++) {
    const { schema, pointer } = current;
    if (!isObject(schema) || schema['properties'] !== undefined || isUnionOfKinds(contract, current, depth))
      return current;
    const keyword = Array.isArray(schema['anyOf']) ? 'anyOf' : 'oneOf';
    const branches = schema[keyword];
    if (branches === undefined) return current;
    const all = branches.map((each, i) => contract.resolve(each, `${pointer}/${keyword}/${i}`));
    const general = all.filter((each) => !all.some((other) => isSpecial(each, other)));
    const parts = keyword === 'anyOf' || general.length === 0 ? all : general;
    const best =
      parts.find((each) => isExistingItem(contract, each)) ?? parts.find((each) => !isNull(each.schema)) ?? parts[0];
    if (best === undefined) return current;
    current = best;
  }
  return current;
}

/** Whether each value of a branch of `oneOf` is one of another branch as well, so that none is valid. */
function isSpecial(branch: Part, other: Part): boolean {
  if (branch === other || !isObject(branch.schema) || !isObject(other.schema)) return false;
  const { properties = {}, required = [] } = branch.schema;
  const { properties: shared, required: needed = [], additionalProperties } = other.schema;
  if (shared === undefined || additionalProperties === false) return false;
  return (
    needed.every((name) => required.includes(name)) &&
    Object.entries(shared).every(([name, schema]) => isDeepStrictEqual(schema, properties[name]))
  );
}

function readBranches(contract: Contract, { schema, pointer }: Part): readonly string[] {
  const branches = isObject(schema) ? schema.anyOf : undefined;
  return branches?.map((each, i) => contract.resolve(each, `${pointer}/anyOf/${i}`).pointer) ?? [];
}

function isExistingItem(contract: Contract, part: Part, depth = 0): boolean {
  return flatten(contract, part, depth).some((each) => {
    const properties = (each.schema as SchemaObject).properties;
    return properties !== undefined && !Object.hasOwn(properties, 'deleted');
  });
}

function isNull(schema: Schema): boolean {
  return isObject(schema) && schema['type'] === 'null';
}

function readType(schema: SchemaObject): string | undefined {
  return [schema.type].flat().find((type) => typeof type === 'string' && type !== 'null');
}

function collectProperties(contract: Contract, part: Part, into: Map<string, ItemProperty>): void {
  const { properties = {}, required = [] } = part.schema as SchemaObject; // `flatten` gives objects only
  for (const [name, own] of Object.entries(properties)) {
    const known = into.get(name);
    if (known !== undefined && !isVague(contract, known)) continue;
    const pointer = part.pointer + toPointer('properties', name);
    const target = chooseBranch(contract, contract.resolve(own, pointer));
    const schema = mergeParts(contract, target);
    into.set(name, {
      name,
      schema,
      pointer,
      target: target.pointer,
      branches: readBranches(contract, contract.resolve(own, pointer)),
      required: known?.required === true || (part.variant !== true && required.includes(name)),
      nullable: isNullable(contract, own, pointer),
      scalar: isScalar(contract, { schema: own, pointer }),
      readOnly: readFlag(own, 'readOnly') || schema.readOnly === true,
      writeOnly: readFlag(own, 'writeOnly') || schema.writeOnly === true,
      variant: part.variant === true && known?.variant !== false,
    });
  }
}

/** Finds what all branches of a union of kinds have in common, and the values of what distinguishes them. */
function mergeKinds(contract: Contract, start: Part, properties: Map<string, ItemProperty>): void {
  const branches = listKinds(contract, start);
  const parts = branches.map((branch) => flatten(contract, branch, 0).map(({ schema }) => schema as SchemaObject));
  const constants = branches.map((branch) => readConstants(contract, branch, 0));
  for (const [name, property] of properties) {
    const isCommon = parts.every((each) => each.some((schema) => schema.properties?.[name] !== undefined));
    if (!property.variant || !isCommon) continue;
    const required = parts.every((each) => each.some((schema) => schema.required?.includes(name) === true));
    const values = constants.map((each) => each.get(name));
    const { const: _, enum: __, ...rest } = property.schema;
    const schema = values.includes(undefined) ? property.schema : { ...rest, enum: [...new Set(values)] };
    properties.set(name, { ...property, schema, required, variant: false });
  }
}

/** A schema with the keywords of its `allOf` parts: `allOf: [{ $ref }, { readOnly: true }]`. */
function mergeParts(contract: Contract, target: Part): SchemaObject {
  if (!isObject(target.schema)) return {};
  if (target.schema.allOf === undefined) return target.schema;
  // `flatten` gives objects only.
  return Object.assign({}, ...flatten(contract, target, 0).map((part) => part.schema)) as SchemaObject;
}

/** Whether a later part of an `allOf` may describe a property better: it has no type, or is an array of any objects. */
function isVague(contract: Contract, property: ItemProperty): boolean {
  const { items, type, properties, $ref } = property.schema;
  if (type !== 'array')
    return properties === undefined && $ref === undefined && Object.keys(property.schema).length <= 1;
  if (!isObject(items)) return true;
  const { schema } = contract.resolve(items, `${property.target}/items`);
  return isObject(schema) && Object.keys(schema).every((keyword) => keyword === 'type' || keyword === 'description');
}

/** Marks the properties that any part of an `allOf` requires. */
function markRequired(contract: Contract, start: Part, properties: Map<string, ItemProperty>): void {
  for (const part of flatten(contract, start, 0)) {
    if (part.variant === true) continue;
    for (const name of (part.schema as SchemaObject).required ?? []) {
      const property = properties.get(name);
      if (property !== undefined && !property.required) properties.set(name, { ...property, required: true });
    }
  }
}

function isNullable(contract: Contract, own: Schema, pointer: string): boolean {
  if (!isObject(own)) return own;
  const { schema } = contract.resolve(own, pointer);
  if (!isObject(schema)) return schema;
  const { type, enum: values, anyOf, oneOf } = schema;
  if (Array.isArray(type) ? type.includes('null') : type === 'null') return true;
  if (values?.includes(null) === true && type === undefined) return true;
  return [...(anyOf ?? []), ...(oneOf ?? [])].some((branch) => isNull(branch));
}

function readFlag(schema: Schema, flag: 'readOnly' | 'writeOnly'): boolean {
  return isObject(schema) && schema[flag] === true;
}

const SCALARS: ReadonlySet<unknown> = new Set(['string', 'number', 'integer', 'boolean']);

/** Whether a schema, or a branch of its union, is that of a string, a number or a boolean. */
function isScalar(contract: Contract, own: Part, depth = 0): boolean {
  if (!isObject(own.schema) || depth > 3) return false;
  const { schema, pointer } = contract.resolve(own.schema, own.pointer);
  if (!isObject(schema)) return false;
  if ([schema.type].flat().some((type) => SCALARS.has(type))) return true;
  return (['anyOf', 'oneOf'] as const).some((keyword) =>
    (schema[keyword] ?? []).some((branch, i) =>
      isScalar(contract, { schema: branch, pointer: `${pointer}/${keyword}/${i}` }, depth + 1),
    ),
  );
}
