import { isObject, readOwn, type Schema, type SchemaObject } from '../contract/json.js';
import { fromReference, readEntries, readSegments, readStrings } from '../contract/pointer.js';
import { listParts, toSchemas } from './schema-parts.js';

/** What discriminators say about the shared schemas of a document (OpenAPI 3.1 section 4.8.25). */
export interface Discriminators {
  /** The property that tells the schemas that extend one apart; one beside alternatives is about them alone. */
  propertyOf(schema: Schema): string | undefined;
  /** A shared schema whose discriminating property has exactly the values that select the schema. */
  narrow(pointer: string, schema: Schema): Schema;
}

/** The values of a property that select a schema. */
interface Selection {
  readonly property: string;
  readonly values: readonly unknown[];
}

/** Reads the discriminators of every schema of a document. */
export function readDiscriminators(document: unknown): Discriminators {
  const alternatives = new Map<string, Selection>();
  for (const { discriminator, oneOf } of listObjects(document)) {
    if (!isObject(discriminator) || !Array.isArray(oneOf)) continue;
    const property = String(discriminator['propertyName']);
    for (const [value, reference] of readEntries(discriminator['mapping'])) {
      const pointer = fromReference(reference) ?? '';
      const { property: first = property, values = [] } = alternatives.get(pointer) ?? {};
      if (first === property) alternatives.set(pointer, { property, values: [...values, value] });
    }
  }
  const find = (schema: Schema): SchemaObject['discriminator'] => {
    const found = listParts(document, schema, ['allOf']).find(({ discriminator }) => isObject(discriminator));
    return found === undefined || isUnion(found) ? undefined : found.discriminator;
  };
  /** The selection of a schema that extends another one. */
  const inherit = (pointer: string, schema: SchemaObject): Selection | undefined => {
    const isBase = [schema, ...toSchemas(schema.allOf)].some((part) => isObject(part) && isObject(part.discriminator));
    const found = isBase ? undefined : find(schema);
    const values = readEntries(found?.mapping).flatMap(([value, to]) => (fromReference(to) === pointer ? [value] : []));
    const name = readSegments(pointer).at(-1);
    return found && { property: found.propertyName, values: values.length === 0 ? [name] : values };
  };
  return {
    propertyOf: (schema) => find(schema)?.propertyName,
    narrow: (pointer, schema) => {
      if (!isObject(schema)) return schema;
      const selection = alternatives.get(pointer) ?? inherit(pointer, schema);
      return selection === undefined ? schema : withValues(document, schema, selection);
    },
  };
}

function withValues(document: unknown, schema: SchemaObject, { property, values }: Selection): SchemaObject {
  const { type, allOf, properties = {}, required } = schema;
  if (isUnion(schema) || (allOf === undefined && type !== 'object')) return schema;
  const declared = findValues(document, schema, property);
  // The names of schemas are only the values where the document does not list others, which a validator requires.
  const allowed = declared?.filter((value) => values.includes(String(value))) ?? values;
  const narrowed = { enum: allowed.length === 0 ? declared : allowed };
  // Beside the schemas that it extends, from which the property is removed.
  const part = { type: 'object', properties: { [property]: narrowed }, required: [property] };
  if (allOf !== undefined) return { ...schema, allOf: [...allOf, part] };
  const own = readOwn(properties, property);
  const merged = { ...properties, [property]: { ...(isObject(own) && own), ...narrowed } };
  return { ...schema, properties: merged, required: [...readStrings(required), property] };
}

/** The values that a schema, or one that it extends, lists for a property. */
function findValues(document: unknown, schema: SchemaObject, name: string): readonly unknown[] | undefined {
  const properties = listParts(document, schema, ['allOf']).map((part) => readOwn(part.properties ?? {}, name));
  const parts = properties.flatMap((property) => listParts(document, property, ['allOf']));
  const listed = parts.find((part) => part.const !== undefined || Array.isArray(part.enum));
  return listed?.const === undefined ? listed?.enum : [listed.const];
}

/** Whether a schema has shared alternatives. */
function isUnion({ oneOf, anyOf }: SchemaObject): boolean {
  return [...toSchemas(oneOf), ...toSchemas(anyOf)].some((branch) => isObject(branch) && '$ref' in branch);
}

/** Every object of a document. */
function* listObjects(value: unknown): Iterable<Readonly<Record<string, unknown>>> {
  if (isObject(value)) yield value;
  if (typeof value === 'object' && value !== null)
    for (const member of Object.values(value)) yield* listObjects(member);
}
