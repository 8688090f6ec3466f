import { isDeepStrictEqual } from 'node:util';
import type { Contract } from '../contract/contract.js';
import { isObject, type Schema, type SchemaObject, listExamples } from '../contract/json.js';
import { toPointer } from '../contract/pointer.js';
import { memoize } from '../memoize.js';

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

/** The examples of a property, in its own schema and in the example of the item. */
export function listShownValues({ schema }: ItemSchema, property: ItemProperty): readonly unknown[] {
  const whole = isObject(schema.example) ? schema.example[property.name] : undefined;
  return [...listExamples(property.schema), whole];
}

/** Reads the schema at a pointer of the inner document; undefined where there is none. */
export type ReadItemSchema = (pointer: string | undefined) => ItemSchema | undefined;

/** The properties of a schema, in its order; none without a schema. */
export function listProperties(schema: ItemSchema | undefined): readonly ItemProperty[] {
  return schema === undefined ? [] : [...schema.properties.values()];
}

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

/** A schema with its references resolved. */
export interface Part {
  readonly schema: SchemaObject;
  readonly pointer: string;
}

/** A part of a union of which some items are. */
interface ItemPart extends Part {
  /** Whether it is a branch of a union: it applies to some items only. */
  readonly variant?: boolean;
}

/** How deep `allOf` and unions are resolved at one place; deeper nesting is a cycle. */
export const MAX_DEPTH = 12;

/** The schema of anything: `true`, or none at all. */
const ANY: SchemaObject = Object.freeze({});

/** Resolves the references of a schema; a boolean has no keywords. */
export function resolvePart(contract: Contract, given: Schema, at: string): Part {
  const { schema, pointer } = contract.resolve(given, at);
  return { schema: isObject(schema) ? schema : ANY, pointer };
}

function readPart(contract: Contract, pointer: string): Part {
  const root = contract.at(pointer);
  return isObject(root) ? resolvePart(contract, root, pointer) : { schema: ANY, pointer };
}

/** The schemas in one keyword, references resolved. */
export function listParts(
  contract: Contract,
  { schema, pointer }: Part,
  keyword: 'allOf' | 'anyOf' | 'oneOf',
): readonly Part[] {
  return (schema[keyword] ?? []).map((each, i) => resolvePart(contract, each, `${pointer}/${keyword}/${i}`));
}

/** A reader of item schemas that reads each one once. */
export function createItemSchemaReader(contract: Contract): ReadItemSchema {
  // Many responses refer to one component, which is read once.
  const byTarget = new Map<string, ItemSchema | undefined>();
  return memoize((pointer) => {
    // The root of the document is not a schema.
    if (pointer === undefined || pointer === '') return undefined;
    const start = chooseBranch(contract, readPart(contract, pointer));
    const read = byTarget.get(start.pointer) ?? readItemSchema(contract, start);
    byTarget.set(start.pointer, read);
    return read;
  });
}

function readItemSchema(contract: Contract, start: Part): ItemSchema | undefined {
  if (start.schema === ANY) return undefined;
  const properties = new Map<string, ItemProperty>();
  let closed = false;
  let type: string | undefined;
  let items: string | undefined;
  const parts = flatten(contract, start, 0);
  for (const part of parts) {
    const { schema, pointer } = part;
    type ??= readSchemaType(schema);
    if (schema.additionalProperties === false || schema.unevaluatedProperties === false) closed = true;
    if (schema.items !== undefined) items ??= contract.resolve(schema.items, `${pointer}/items`).pointer;
    collectProperties(contract, part, properties);
  }
  markRequired(parts, properties);
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

/** The schema itself and the parts that its `allOf` and its union add, in order. */
function flatten(contract: Contract, part: ItemPart, depth: number): readonly ItemPart[] {
  if (depth > MAX_DEPTH) return [];
  const added = listParts(contract, part, 'allOf').flatMap((each) =>
    flatten(contract, chooseBranch(contract, each), depth + 1),
  );
  const variants = listItemBranches(contract, part, depth + 1).flatMap((branch) =>
    flatten(contract, branch, depth + 1),
  );
  return [part, ...(part.variant === true ? added.map(toVariant) : added), ...variants.map(toVariant)];
}

const toVariant = ({ schema, pointer }: Part): ItemPart => ({ schema, pointer, variant: true });

/** The branches of the union of a schema. */
function readUnion(contract: Contract, part: Part): readonly Part[] {
  return [...listParts(contract, part, 'anyOf'), ...listParts(contract, part, 'oneOf')];
}

/** The branches of the union of a schema that describe existing items. */
function listItemBranches(contract: Contract, part: Part, depth = 0): readonly Part[] {
  return readUnion(contract, part).filter((branch) => isExistingItem(contract, branch, depth));
}

/** Pointers to the branches of the union that a schema is; none where it is something else. */
export function listBranches(contract: Contract, pointer: string): readonly string[] {
  return readUnion(contract, readPart(contract, pointer)).map((branch) => branch.pointer);
}

/** Whether a union has several kinds of items: a discriminator, a constant of each or a property that only one requires distinguishes them. */
function isUnionOfKinds(contract: Contract, part: Part, depth: number): boolean {
  const branches = listItemBranches(contract, part, depth + 1);
  if (branches.length < 2) return false;
  if (part.schema.discriminator !== undefined) return true;
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
  const all = branches.map((branch) => flatten(contract, branch, depth));
  return all.every((own) =>
    own
      .flatMap(({ schema: { required = [] } }) => required)
      .some((name) => declares(own, name) && all.every((other) => other === own || !declares(other, name))),
  );
}

function declares(parts: readonly Part[], name: string): boolean {
  return parts.some(({ schema: { properties = {} } }) => Object.hasOwn(properties, name));
}

/** One kind of the items of a union. */
export interface ItemKind {
  /** The properties that only this value of it can have. */
  readonly constants: ReadonlyMap<string, unknown>;
  readonly names: ReadonlySet<string>;
}

/** The kinds of items that the schema at a pointer describes; none where it is not a union. */
export function readKinds(contract: Contract, pointer: string): readonly ItemKind[] {
  const whole = readPart(contract, pointer);
  const { discriminator } = whole.schema;
  return listKinds(contract, whole).map((branch) => {
    const constants = new Map(readConstants(contract, branch, 0));
    for (const [value, $ref] of Object.entries(discriminator?.mapping ?? {})) {
      const isOwn = contract.resolve({ $ref }, branch.pointer).pointer === branch.pointer;
      if (discriminator !== undefined && isOwn && !constants.has(discriminator.propertyName))
        constants.set(discriminator.propertyName, value);
    }
    const names = flatten(contract, branch, 0).flatMap(({ schema }) => Object.keys(schema.properties ?? {}));
    return { constants, names: new Set(names) };
  });
}

/** The branches for existing items of a union, or of the first union in the `allOf` of a schema. */
function listKinds(contract: Contract, part: Part, depth = 0): readonly Part[] {
  const own = listItemBranches(contract, part);
  if (own.length > 0 || depth > MAX_DEPTH) return own;
  for (const each of listParts(contract, part, 'allOf')) {
    const below = listKinds(contract, each, depth + 1);
    if (below.length > 0) return below;
  }
  return [];
}

/** The values of properties that can have only one. */
function readConstants(contract: Contract, part: Part, depth: number): ReadonlyMap<string, unknown> {
  const constants = new Map<string, unknown>();
  for (const { schema, pointer } of flatten(contract, part, depth)) {
    for (const [name, given] of Object.entries(schema.properties ?? {})) {
      const { schema: own } = resolvePart(contract, given, pointer + toPointer('properties', name));
      const values = 'const' in own ? [own.const] : own.enum;
      if (values?.length === 1) constants.set(name, values[0]);
    }
  }
  return constants;
}

/** The branch of a union that describes an existing item: not null, and not the object for a deleted one. */
function chooseBranch(contract: Contract, part: Part): Part {
  let current = part;
  for (let depth = 0; depth < MAX_DEPTH; depth++) {
    const { schema } = current;
    if (schema.properties !== undefined || isUnionOfKinds(contract, current, depth)) return current;
    const keyword = schema.anyOf === undefined ? 'oneOf' : 'anyOf';
    const all = listParts(contract, current, keyword);
    const general = all.filter((each) => !all.some((other) => isSpecial(each, other)));
    const parts = keyword === 'anyOf' || general.length === 0 ? all : general;
    const best =
      parts.find((each) => isExistingItem(contract, each)) ??
      parts.find((each) => each.schema.type !== 'null') ??
      parts[0];
    if (best === undefined) return current;
    current = best;
  }
  return current;
}

/** Whether each value of a branch of `oneOf` is one of another branch as well, so that none is valid. */
function isSpecial(branch: Part, other: Part): boolean {
  const { properties = {}, required = [] } = branch.schema;
  const { properties: shared, required: needed = [], additionalProperties } = other.schema;
  if (branch === other || shared === undefined || additionalProperties === false) return false;
  return (
    needed.every((name) => required.includes(name)) &&
    Object.entries(shared).every(([name, schema]) => isDeepStrictEqual(schema, properties[name]))
  );
}

function isExistingItem(contract: Contract, part: Part, depth = 0): boolean {
  return flatten(contract, part, depth).some(
    ({ schema: { properties } }) => properties !== undefined && !Object.hasOwn(properties, 'deleted'),
  );
}

/** The type of a schema, null aside; undefined where it does not say. */
export function readSchemaType({ type }: SchemaObject): string | undefined {
  return [type].flat().find((each) => each !== 'null');
}

/** Whether a schema is that of numbers. */
export function isNumeric(schema: SchemaObject): boolean {
  return /^(integer|number)$/.test(readSchemaType(schema) ?? '');
}

function collectProperties(contract: Contract, part: ItemPart, into: Map<string, ItemProperty>): void {
  const { properties = {}, required = [] } = part.schema;
  for (const [name, own] of Object.entries(properties)) {
    const known = into.get(name);
    if (known !== undefined && !isVague(contract, known)) continue;
    const pointer = part.pointer + toPointer('properties', name);
    const whole = resolvePart(contract, own, pointer);
    const target = chooseBranch(contract, whole);
    const schema = mergeParts(contract, target);
    into.set(name, {
      name,
      schema,
      pointer,
      target: target.pointer,
      branches: listParts(contract, whole, 'anyOf').map((branch) => branch.pointer),
      required: known?.required === true || (part.variant !== true && required.includes(name)),
      nullable: whole.schema === ANY ? own !== false : isNullable(whole.schema),
      scalar: isScalar(contract, whole),
      readOnly: [own, schema].some((each) => isObject(each) && each.readOnly === true),
      writeOnly: [own, schema].some((each) => isObject(each) && each.writeOnly === true),
      variant: part.variant === true && known?.variant !== false,
    });
  }
}

/** Finds what all branches of a union of kinds have in common, and the values of what distinguishes them. */
function mergeKinds(contract: Contract, start: Part, properties: Map<string, ItemProperty>): void {
  const branches = listKinds(contract, start);
  const kinds = branches.map((branch) => flatten(contract, branch, 0));
  const constants = branches.map((branch) => readConstants(contract, branch, 0));
  for (const [name, property] of properties) {
    if (!property.variant || !kinds.every((parts) => declares(parts, name))) continue;
    const required = kinds.every((parts) => parts.some(({ schema }) => schema.required?.includes(name) === true));
    const values = constants.map((each) => each.get(name));
    const { const: _, enum: __, ...rest } = property.schema;
    const schema = values.includes(undefined) ? property.schema : { ...rest, enum: [...new Set(values)] };
    properties.set(name, { ...property, schema, required, variant: false });
  }
}

/** A schema with the keywords of its `allOf` parts: `allOf: [{ $ref }, { readOnly: true }]`. */
function mergeParts(contract: Contract, target: Part): SchemaObject {
  if (target.schema.allOf === undefined) return target.schema;
  // Schemas together are a schema.
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
function markRequired(parts: readonly ItemPart[], properties: Map<string, ItemProperty>): void {
  for (const name of parts.flatMap(({ variant, schema }) => (variant === true ? [] : (schema.required ?? [])))) {
    const property = properties.get(name);
    if (property?.required === false) properties.set(name, { ...property, required: true });
  }
}

function isNullable({ type, enum: values, anyOf = [], oneOf = [] }: SchemaObject): boolean {
  if (Array.isArray(type) ? type.includes('null') : type === 'null') return true;
  if (values?.includes(null) === true && type === undefined) return true;
  return [...anyOf, ...oneOf].some((branch) => isObject(branch) && branch.type === 'null');
}

const SCALARS: ReadonlySet<unknown> = new Set(['string', 'number', 'integer', 'boolean']);

/** Whether a schema, or a branch of its union, is that of a string, a number or a boolean. */
function isScalar(contract: Contract, part: Part, depth = 0): boolean {
  if ([part.schema.type].flat().some((type) => SCALARS.has(type))) return true;
  return depth < 3 && readUnion(contract, part).some((branch) => isScalar(contract, branch, depth + 1));
}
