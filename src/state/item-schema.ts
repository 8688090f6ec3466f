import type { Contract } from '../contract/contract.js';
import { isObject, type Schema, type SchemaObject } from '../contract/json.js';
import { toPointer } from '../contract/pointer.js';

/** One property an item may have. */
export interface ItemProperty {
  readonly name: string;
  /** With its `$ref` chain followed; of a nullable union, the branch that is not null. */
  readonly schema: SchemaObject;
  /** Where the property itself stands. */
  readonly pointer: string;
  /** Where `schema` stands. */
  readonly target: string;
  readonly required: boolean;
  readonly nullable: boolean;
  readonly readOnly: boolean;
  readonly writeOnly: boolean;
}

/** What a schema says about the JSON objects, lists or values it describes, read far enough to recognise a resource. */
export interface ItemSchema {
  /** Where the schema stands, every `$ref` followed: two uses of one component have the same. */
  readonly pointer: string;
  readonly schema: SchemaObject;
  /** `undefined` where the schema does not say. */
  readonly type: string | undefined;
  readonly properties: ReadonlyMap<string, ItemProperty>;
  /** Whether properties that are not named are refused. */
  readonly closed: boolean;
  /** For an array: where the schema of its items stands. */
  readonly items: string | undefined;
}

/** Reads the schema at a pointer of the inner document; undefined where none stands there. */
export type ReadItemSchema = (pointer: string) => ItemSchema | undefined;

interface Part {
  readonly schema: Schema;
  readonly pointer: string;
}

/** How deep `allOf` and unions are followed: deeper nesting than this is a cycle. */
const DEPTH_LIMIT = 12;

/** A reader of item schemas that reads each one once. */
export function createItemSchemaReader(contract: Contract): ReadItemSchema {
  const known = new Map<string, ItemSchema | undefined>();
  // Many responses refer to one component: what they end at is read once.
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
  return {
    pointer: start.pointer,
    schema: start.schema,
    type: type ?? (properties.size > 0 ? 'object' : items === undefined ? undefined : 'array'),
    properties,
    closed,
    items,
  };
}

/** The schema itself and everything its `allOf` adds, first things first. */
function flatten(contract: Contract, part: Part, depth: number): readonly Part[] {
  const { schema } = part;
  if (!isObject(schema) || depth > DEPTH_LIMIT) return [];
  const all = schema.allOf ?? [];
  const added = all.flatMap((each, i) =>
    flatten(contract, chooseBranch(contract, contract.resolve(each, `${part.pointer}/allOf/${i}`)), depth + 1),
  );
  return [part, ...added];
}

/**
 * Of a union the branch that is the thing itself: not null, and not the stub some documents give for a thing that was deleted.
 * A schema that is no union stays as it is.
 */
function chooseBranch(contract: Contract, part: Part): Part {
  let current = part;
  for (let depth = 0; depth < DEPTH_LIMIT; depth++) {
    const { schema, pointer } = current;
    if (!isObject(schema) || schema['properties'] !== undefined) return current;
    const keyword = Array.isArray(schema['anyOf']) ? 'anyOf' : 'oneOf';
    const branches = schema[keyword];
    if (branches === undefined) return current;
    const parts = branches.map((each, i) => contract.resolve(each, `${pointer}/${keyword}/${i}`));
    const best =
      parts.find((each) => isRealThing(contract, each)) ?? parts.find((each) => !isNull(each.schema)) ?? parts[0];
    if (best === undefined) return current;
    current = best;
  }
  return current;
}

function isRealThing(contract: Contract, part: Part): boolean {
  return flatten(contract, part, 0).some((each) => {
    const properties = (each.schema as SchemaObject).properties;
    return properties !== undefined && !Object.hasOwn(properties, 'deleted');
  });
}

function isNull(schema: Schema): boolean {
  return isObject(schema) && schema['type'] === 'null';
}

function readType(schema: SchemaObject): string | undefined {
  if (typeof schema.type === 'string') return schema.type;
  return schema.type?.find((type) => type !== 'null');
}

function collectProperties(contract: Contract, part: Part, into: Map<string, ItemProperty>): void {
  const { properties = {}, required = [] } = part.schema as SchemaObject; // `flatten` gives objects only
  for (const [name, own] of Object.entries(properties)) {
    const known = into.get(name);
    if (known !== undefined && !isVague(contract, known)) continue;
    const pointer = part.pointer + toPointer('properties', name);
    const target = chooseBranch(contract, contract.resolve(own, pointer));
    const schema = isObject(target.schema) ? target.schema : {};
    into.set(name, {
      name,
      schema,
      pointer,
      target: target.pointer,
      required: known?.required === true || required.includes(name),
      nullable: isNullable(contract, own, pointer),
      readOnly: readFlag(own, 'readOnly') || schema.readOnly === true,
      writeOnly: readFlag(own, 'writeOnly') || schema.writeOnly === true,
    });
  }
}

/** Whether a property is only named, so that a later part of an `allOf` may say what it holds: an array of plain objects. */
function isVague(contract: Contract, property: ItemProperty): boolean {
  const { items, type, properties, $ref } = property.schema;
  if (type !== 'array')
    return properties === undefined && $ref === undefined && Object.keys(property.schema).length <= 1;
  if (!isObject(items)) return true;
  const { schema } = contract.resolve(items, `${property.target}/items`);
  return isObject(schema) && Object.keys(schema).every((keyword) => keyword === 'type' || keyword === 'description');
}

/** A name that any part of an `allOf` requires is required, wherever the property itself is described. */
function markRequired(contract: Contract, start: Part, properties: Map<string, ItemProperty>): void {
  for (const part of flatten(contract, start, 0)) {
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
