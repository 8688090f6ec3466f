import { toKnownName } from '../known-names.js';
import { type Idea, means } from '../../conventions/conventions.js';
import type { Contract } from '../contract.js';
import { isObject, type Schema, type SchemaObject, listExamples, isScalarType } from '../../base/json.js';
import type { Parameter } from '../operations/operation.js';
import { escapeSegment } from '../pointer.js';
import { memoize } from '../../base/memoize.js';
import { toBareName } from '../../base/names.js';
import { toSingular } from '../../conventions/names.js';
import {
  ANY_SCHEMA,
  chooseBranch,
  countNames,
  createPartReader,
  flatten,
  type VariantPart,
  listKinds,
  listNames,
  listParts,
  listUnion,
  type SchemaPart,
  type PartReader,
  readConstants,
  readPart,
  resolvePart,
} from './parts.js';

/** One property an item may have. */
export interface PropertyView {
  readonly name: string;
  /** The name in lower case, letters and digits only. */
  readonly bare: string;
  /** The name by which conventions know it. */
  readonly known: string;
  /** With its `$ref` chain resolved; of a nullable union, the branch that is not null. */
  readonly schema: SchemaObject;
  /** Pointer to the property itself. */
  readonly pointer: string;
  /** Pointer to `schema`. */
  readonly target: string;
  /** Pointers to all branches of its `anyOf`; a value can satisfy several of them. */
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

/** Whether a boolean of this name says whether a request succeeded. */
export function isSuccessFlag(name: string): boolean {
  return means(name, 'envelopes.success');
}

/** The one right value of a property in an answer to a successful request: the only valid one, or one of success; undefined where there is none. */
export function findOnlyValue({ name, schema }: PropertyView): unknown {
  if ('const' in schema) return schema.const;
  if (schema.enum?.length === 1) return schema.enum[0];
  if (schema.type === 'boolean') return isSuccessFlag(name) ? true : undefined;
  return schema.enum === undefined ? undefined : findSuccess(schema.enum);
}

/** The value that says that a request succeeded, beside those that say that it did not: `ok` and `error`. */
function findSuccess(values: readonly unknown[]): unknown {
  const isOutcome = (value: unknown, ...ideas: readonly Idea[]): boolean =>
    typeof value === 'string' && means(value, 'statuses.success', ...ideas);
  const areAll = values.every((value) => value === null || isOutcome(value, 'statuses.failed', 'statuses.refused'));
  return areAll ? values.find((value) => isOutcome(value)) : undefined;
}

/**
 * The part of a schema that inference needs: its type and properties, with `allOf` and unions resolved.
 *
 * A union of kinds of items that can be distinguished has the properties of all of them; of any other union the
 * branch of an existing item counts.
 */
export interface SchemaView {
  /** Pointer to the schema, every `$ref` resolved: two uses of one component have the same. */
  readonly pointer: string;
  readonly schema: SchemaObject;
  /** Undefined where the schema does not determine it. */
  readonly type: string | undefined;
  readonly members: ReadonlyMap<string, PropertyView>;
  /** Whether additional properties are forbidden. */
  readonly closed: boolean;
  /** Whether additional properties are asked for: `additionalProperties` is true or a schema. */
  readonly isMap: boolean;
  /** For an array: pointer to the schema of its items. */
  readonly element: string | undefined;
}

/** The examples of a property, in its own schema and in the example of the item. */
export function listShownValues({ schema }: SchemaView, property: PropertyView): readonly unknown[] {
  const whole = isObject(schema.example) ? schema.example[property.name] : undefined;
  return [...listExamples(property.schema), whole];
}

/** Reads the schema at a pointer of the inner document; undefined where there is none. */
export interface ReadSchema {
  (pointer: string | undefined): SchemaView | undefined;
  /** Returns the result of a function for a schema, computed once for each function and schema. */
  once<Value>(find: FindInSchema<Value>, schema: SchemaView): Value;
}

/** Finds something that depends on a schema alone. */
type FindInSchema<Value> = (read: ReadSchema, schema: SchemaView) => Value;

/** The properties of a schema, in its order; none without a schema. */
export function listProperties(schema: SchemaView | undefined): readonly PropertyView[] {
  return schema === undefined ? [] : [...schema.members.values()];
}

/** An array in a request that has the value of one property for each of several items. */
export interface ValueArray {
  readonly name: string;
  readonly property: string;
}

/**
 * The array in a body that has a value of a property for each of several items: `project_ids` for items with `project_id`, or for those that a
 * parameter with this name identifies.
 */
export function findValueArray(
  read: ReadSchema,
  body: SchemaView | undefined,
  { item, parameter = '' }: { readonly item?: SchemaView | undefined; readonly parameter?: string | undefined },
): ValueArray | undefined {
  const required = listProperties(body).filter((property) => property.required);
  const isValueArray = ({ target }: PropertyView): boolean => {
    const array = read(target);
    return array?.type === 'array' && isScalarType(read(array.element)?.type);
  };
  const array = required.find(isValueArray);
  if (array === undefined) return undefined;
  const bare = toBareName(toSingular(array.name));
  const named = toBareName(parameter) === bare ? parameter : undefined;
  const own = listProperties(item).find((property) => property.scalar && property.bare === bare)?.name ?? named;
  // A value that is the same for all items, such as a role, is a property of each of them.
  const isShared = ({ name }: PropertyView): boolean => item?.members.has(name) === true;
  const isWhole = required.every((property) => property === array || isShared(property));
  if (own === undefined || !isWhole || body?.members.has(own) === true) return undefined;
  return { name: array.name, property: own };
}

/** The property at a path; a name with dots that is not a property itself is a path. */
export function findPropertyAt(read: ReadSchema, schema: SchemaView, path: string): PropertyView | undefined {
  let current: SchemaView | undefined = schema;
  let found = schema.members.get(path);
  for (const step of found === undefined ? path.split('.') : []) {
    found = current?.members.get(step);
    current = found && read(found.target);
  }
  return found;
}

/** A property that no union or annotation says more about. */
export function createProperty(
  name: string,
  facts: Pick<PropertyView, 'nullable' | 'pointer' | 'required' | 'scalar' | 'schema' | 'target'> &
    Partial<Pick<PropertyView, 'known'>>,
): PropertyView {
  const flags = { branches: [], readOnly: false, writeOnly: false, variant: false };
  return { name, bare: toBareName(name), known: name, ...facts, ...flags };
}

/** The schema of an object whose properties are parameters. */
export function toParameterSchema(contract: Contract, pointer: string, parameters: readonly Parameter[]): SchemaView {
  const properties = parameters.flatMap(({ name, schema: own, schemaPointer, required }): readonly PropertyView[] => {
    const { schema, pointer: target } = contract.resolve(own, schemaPointer);
    if (!isObject(schema)) return [];
    const scalar = hasScalarType({ schema, pointer: target });
    const known = toKnownName(contract, name);
    const facts = { known, schema, pointer: schemaPointer, target, required, scalar, nullable: isNullable(schema) };
    return [createProperty(name, facts)];
  });
  const named = new Map(properties.map((property) => [property.name, property]));
  return { pointer, schema: {}, type: 'object', members: named, closed: false, isMap: false, element: undefined };
}

/** A reader of item schemas that reads each one once. */
export function createSchemaReader(contract: Contract): ReadSchema {
  // Many responses refer to one component, which is read once.
  const byTarget = new Map<string, SchemaView | undefined>();
  const reader = createPartReader(contract);
  const read = memoize((pointer: string | undefined) => {
    // The root of the document is not a schema.
    if (pointer === undefined || pointer === '') return undefined;
    const start = reader.chosen.get(pointer) ?? chooseBranch(reader, readPart(contract, pointer));
    const before = byTarget.get(start.pointer) ?? readView(reader, start);
    byTarget.set(start.pointer, before);
    return before;
  });
  const found = memoize((find: FindInSchema<unknown>) => memoize((schema: SchemaView) => find(whole, schema)));
  // Each function has values of its own.
  const once = <Value>(find: FindInSchema<Value>, schema: SchemaView): Value => found(find)(schema) as Value;
  const whole: ReadSchema = Object.assign(read, { once });
  return whole;
}

function readView(reader: PartReader, start: SchemaPart): SchemaView | undefined {
  if (start.schema === ANY_SCHEMA) return undefined;
  const { contract } = reader;
  const parts = flatten(reader, start);
  const properties = readProperties(reader, start, parts);
  let closed = false;
  let isMap = false;
  let type: string | undefined;
  let items: string | undefined;
  for (const { schema, pointer } of parts) {
    type ??= readSchemaType(schema);
    if (schema.additionalProperties === false || schema.unevaluatedProperties === false) closed = true;
    if ((schema.additionalProperties ?? false) !== false) isMap = true;
    if (schema.items !== undefined) items ??= contract.resolve(schema.items, `${pointer}/items`).pointer;
  }
  return {
    pointer: start.pointer,
    schema: start.schema,
    type: type ?? (properties.size > 0 ? 'object' : items === undefined ? undefined : 'array'),
    members: properties,
    closed,
    isMap: isMap && !closed,
    element: items,
  };
}

function readProperties(reader: PartReader, start: SchemaPart, parts: readonly VariantPart[]): SchemaView['members'] {
  const properties = new Map<string, PropertyView>();
  for (const part of parts) collectProperties(reader, part, properties);
  if (parts.length === 1) return properties;
  markRequired(parts, properties);
  if (parts.some(({ variant }) => variant === true)) mergeKinds(reader, start, properties);
  return properties;
}

/** Pointers to the branches of the union that a schema is; none where it is something else. */
export function listBranches(contract: Contract, pointer: string): readonly string[] {
  return listUnion(contract, readPart(contract, pointer)).map((branch) => branch.pointer);
}

/** One kind of the items of a union. */
export interface KindView {
  /** The properties that only this value of it can have. */
  readonly constants: ReadonlyMap<string, unknown>;
  readonly names: ReadonlySet<string>;
}

/** The kinds of items that the schema at a pointer describes; none where it is not a union. */
export function readKinds(contract: Contract, pointer: string): readonly KindView[] {
  const reader = createPartReader(contract);
  const whole = readPart(contract, pointer);
  const { discriminator } = whole.schema;
  const mapped = new Map<string, string>();
  for (const [value, $ref] of Object.entries(discriminator?.mapping ?? {})) {
    const target = contract.resolve({ $ref }, whole.pointer).pointer;
    if (!mapped.has(target)) mapped.set(target, value);
  }
  return listKinds(reader, whole).map((branch) => {
    const constants = new Map(readConstants(reader, branch));
    const value = mapped.get(branch.pointer);
    if (discriminator !== undefined && value !== undefined && !constants.has(discriminator.propertyName))
      constants.set(discriminator.propertyName, value);
    return { constants, names: listNames(flatten(reader, branch)).declared };
  });
}

/** The type of a schema, null aside; undefined where it does not say. */
export function readSchemaType({ type }: SchemaObject): string | undefined {
  if (type === undefined || typeof type === 'string') return type === 'null' ? undefined : type;
  return type.find((each) => each !== 'null');
}

/** Whether a schema is that of numbers. */
export function isNumeric(schema: SchemaObject): boolean {
  return /^(integer|number)$/.test(readSchemaType(schema) ?? '');
}

function collectProperties(reader: PartReader, part: VariantPart, into: Map<string, PropertyView>): void {
  const { contract } = reader;
  const { properties, required } = part.schema;
  if (properties === undefined) return;
  const isVariant = part.variant === true;
  for (const name of Object.keys(properties)) {
    const own = properties[name];
    const known = into.get(name);
    if (own === undefined || (known !== undefined && !isVague(contract, known))) continue;
    const pointer = `${part.pointer}/properties/${escapeSegment(name)}`;
    const whole = resolvePart(contract, own, pointer);
    const target = chooseBranch(reader, whole);
    const schema = mergeParts(reader, target);
    into.set(name, {
      name,
      bare: toBareName(name),
      known: toKnownName(contract, name),
      schema,
      pointer,
      target: target.pointer,
      branches: listParts(contract, whole, 'anyOf').map((branch) => branch.pointer),
      required: known?.required === true || (!isVariant && required?.includes(name) === true),
      nullable: whole.schema === ANY_SCHEMA ? own !== false : isNullable(whole.schema),
      scalar: isScalar(contract, whole) || hasScalarType({ schema, pointer }),
      readOnly: (isObject(own) && own.readOnly === true) || schema.readOnly === true,
      writeOnly: (isObject(own) && own.writeOnly === true) || schema.writeOnly === true,
      variant: isVariant && known?.variant !== false,
    });
  }
}

/** Finds what all branches of a union of kinds have in common, and the values of what distinguishes them. */
function mergeKinds(reader: PartReader, start: SchemaPart, properties: Map<string, PropertyView>): void {
  const branches = listKinds(reader, start);
  const kinds = branches.map((branch) => listNames(flatten(reader, branch)));
  const constants = branches.map((branch) => readConstants(reader, branch));
  const declared = countNames(kinds.map((kind) => kind.declared));
  const required = countNames(kinds.map((kind) => kind.required));
  const isCommon = (counts: ReadonlyMap<string, number>, name: string): boolean =>
    (counts.get(name) ?? 0) === kinds.length;
  for (const [name, property] of properties) {
    if (!property.variant || !isCommon(declared, name)) continue;
    const values = constants.map((each) => each.get(name));
    const { const: _, enum: __, ...rest } = property.schema;
    const schema = values.includes(undefined) ? property.schema : { ...rest, enum: [...new Set(values)] };
    properties.set(name, { ...property, schema, required: isCommon(required, name), variant: false });
  }
}

/** A schema with the keywords of its `allOf` parts: `allOf: [{ $ref }, { readOnly: true }]`. */
function mergeParts(reader: PartReader, { schema, pointer }: SchemaPart): SchemaObject {
  if (schema.allOf === undefined) return schema;
  // Schemas together are a schema.
  return Object.assign({}, ...flatten(reader, { schema, pointer }).map((part) => part.schema)) as SchemaObject;
}

/** Whether a later part of an `allOf` may describe a property better: it has no type, or is an array of any objects. */
function isVague(contract: Contract, property: PropertyView): boolean {
  const { items, type, properties, $ref } = property.schema;
  if (type !== 'array')
    return properties === undefined && $ref === undefined && Object.keys(property.schema).length <= 1;
  if (!isObject(items)) return true;
  const { schema } = contract.resolve(items, `${property.target}/items`);
  return isObject(schema) && Object.keys(schema).every((keyword) => keyword === 'type' || keyword === 'description');
}

function markRequired(parts: readonly VariantPart[], properties: Map<string, PropertyView>): void {
  for (const name of parts.flatMap(({ variant, schema }) => (variant === true ? [] : (schema.required ?? [])))) {
    const property = properties.get(name);
    if (property?.required === false) properties.set(name, { ...property, required: true });
  }
}

function isNullable({ type, enum: values, anyOf, oneOf }: SchemaObject): boolean {
  if (Array.isArray(type) ? type.includes('null') : type === 'null') return true;
  if (type === undefined && values?.includes(null) === true) return true;
  return anyOf?.some(isNull) === true || oneOf?.some(isNull) === true;
}

function isNull(schema: Schema): boolean {
  return isObject(schema) && schema.type === 'null';
}

/** How deep unions are searched for a scalar. */
const MAX_UNIONS = 3;

/** Whether a schema, or a branch of its union, is that of a string, a number or a boolean. */
function isScalar(contract: Contract, part: SchemaPart): boolean {
  let level: readonly SchemaPart[] = [part];
  for (let depth = 0; depth <= MAX_UNIONS && level.length > 0; depth++) {
    if (level.some(hasScalarType)) return true;
    const below = level.flatMap((each) => listUnion(contract, each));
    level = [...new Map(below.map((each) => [each.pointer, each])).values()];
  }
  return false;
}

function hasScalarType({ schema: { type } }: SchemaPart): boolean {
  return isScalarType(type);
}
