import type { Contract } from '../contract/contract.js';
import { addTo, isObject, type SchemaObject } from '../contract/json.js';
import {
  findObject,
  fromReference,
  readEntries,
  readPointer,
  readSegments,
  readString,
  readStrings,
} from '../contract/pointer.js';

/** What discriminators say about the shared schemas of a document (OpenAPI 3.1 section 4.8.25). */
export interface Discriminators {
  /** The name of the property of the discriminator of a schema, its own or one that it inherits through `allOf`. */
  propertyOf(pointer: string): string | undefined;
  /** A schema whose discriminating property has exactly the values that select the schema. */
  narrow(pointer: string, schema: SchemaObject): SchemaObject;
}

interface Discriminator {
  readonly property: string;
  /** The values that select a schema, by the pointer of the schema. */
  readonly values: ReadonlyMap<string, readonly string[]>;
}

/** Reads the discriminators of every schema of a document. */
export function readDiscriminators({ document }: Contract): Discriminators {
  const selected = new Map<string, Discriminator>();
  for (const { discriminator, oneOf } of listDiscriminated(document)) {
    const found = readDiscriminator(discriminator);
    if (found === undefined || !Array.isArray(oneOf)) continue;
    for (const pointer of found.values.keys()) if (!selected.has(pointer)) selected.set(pointer, found);
  }
  const inherited = new Map<string, Discriminator | undefined>();
  const find = (pointer: string): Discriminator | undefined => {
    if (inherited.has(pointer)) return inherited.get(pointer);
    // A schema that refers to itself inherits nothing from itself.
    inherited.set(pointer, undefined);
    const schema = readPointer(document, pointer);
    const found = isObject(schema)
      ? (readDiscriminator(schema['discriminator']) ??
        listParents(schema)
          .map(find)
          .find((each) => each !== undefined))
      : undefined;
    inherited.set(pointer, found);
    return found;
  };
  return {
    propertyOf: (pointer) => find(pointer)?.property,
    narrow: (pointer, schema) => {
      const isHeir = schema.discriminator === undefined && listParents(schema).length > 0;
      const chosen = selected.get(pointer) ?? (isHeir ? find(pointer) : undefined);
      if (chosen === undefined) return schema;
      const values = chosen.values.get(pointer) ?? [readSegments(pointer).at(-1) ?? ''];
      return withValues(document, schema, { name: chosen.property, values });
    },
  };
}

function withValues(
  document: unknown,
  schema: SchemaObject,
  { name, values }: { readonly name: string; readonly values: readonly string[] },
): SchemaObject {
  if (schema.allOf === undefined && schema.type !== 'object') return schema;
  const own = findValues(document, schema, name);
  // The names of schemas are only the values where a schema does not say others itself, which a validator requires.
  const isContradicted = own !== undefined && !own.some((value) => values.includes(String(value)));
  const property = isContradicted ? { enum: own } : { type: 'string', enum: values };
  if (schema.allOf === undefined) {
    const declared = schema.properties?.[name];
    const properties = { ...schema.properties, [name]: { ...(typeof declared === 'object' && declared), ...property } };
    return { ...schema, properties, required: [...readStrings(schema.required), name] };
  }
  // Beside the schemas that it extends, from which the property is removed.
  return {
    ...schema,
    allOf: [...schema.allOf, { type: 'object', properties: { [name]: property }, required: [name] }],
  };
}

/** The values that a schema allows for a property, itself or in a part of `allOf` that is written in place. */
function findValues(document: unknown, schema: SchemaObject, name: string): readonly unknown[] | undefined {
  const value = schema.properties?.[name];
  const property = findObject(document, value, '')?.value;
  if (property?.['const'] !== undefined) return [property['const']];
  if (Array.isArray(property?.['enum'])) return property['enum'];
  const parts = (schema.allOf ?? []).filter((part) => typeof part === 'object');
  return parts.map((part) => findValues(document, part, name)).find((values) => values !== undefined);
}

/** The pointers of the schemas that a schema extends. */
function listParents(schema: Readonly<Record<string, unknown>>): readonly string[] {
  const parts: readonly unknown[] = Array.isArray(schema['allOf']) ? schema['allOf'] : [];
  return parts.flatMap((part) => (isObject(part) ? (fromReference(part['$ref']) ?? []) : []));
}

function readDiscriminator(value: unknown): Discriminator | undefined {
  const property = isObject(value) ? readString(value['propertyName']) : undefined;
  if (!isObject(value) || property === undefined) return undefined;
  const values = new Map<string, string[]>();
  for (const [name, reference] of readEntries(value['mapping'])) {
    const pointer = fromReference(reference);
    if (pointer !== undefined) addTo(values, pointer, name);
  }
  return { property, values };
}

/** Every object of the document with a discriminator. */
function listDiscriminated(root: unknown): readonly Readonly<Record<string, unknown>>[] {
  const found: Readonly<Record<string, unknown>>[] = [];
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) for (const item of value) visit(item);
    if (!isObject(value)) return;
    if ('discriminator' in value) found.push(value);
    for (const member of Object.values(value)) visit(member);
  };
  visit(root);
  return found;
}
