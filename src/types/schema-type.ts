import type { Contract } from '../contract/contract.js';
import { isObject, type Schema, type SchemaObject } from '../contract/json.js';
import { fromReference, readEntries, readPointer, readSegments, readStrings, toPointer } from '../contract/pointer.js';
import { type Discriminators, readDiscriminators } from './discriminators.js';
import {
  type Member,
  NEVER,
  NULL,
  toAccess,
  toArray,
  toIntersection,
  toLiteral,
  toObject,
  toUnion,
  type TypeExpression,
  UNKNOWN,
} from './expression.js';

/** Writes schemas as TypeScript types. */
export interface SchemaTypes {
  /** The type of a schema that is written in place. */
  typeOf(schema: Schema | undefined, place: SchemaPlace): TypeExpression;
  /** The shared schemas by name, as members of `components["schemas"]`: those of the document, then others that are referred to. */
  listShared(depth: number): readonly Member[];
}

/** Where a schema is written. */
interface SchemaPlace {
  /** The level of indentation of the line. */
  readonly depth: number;
  /** Whether it is of a parameter or request body: a client may leave out a property that has a default. */
  readonly isRequest?: boolean;
}

interface Writer {
  readonly document: unknown;
  readonly discriminators: Discriminators;
  /** The name of a shared schema. */
  nameOf(pointer: string): string;
}

/** Creates the writer of the schemas of a contract. */
export function createSchemaTypes(contract: Contract): SchemaTypes {
  const { document } = contract;
  const names = new Map<string, string>();
  const taken = new Set<string>();
  const nameOf = (pointer: string): string => {
    const known = names.get(pointer);
    if (known !== undefined) return known;
    const wanted = readSegments(pointer).at(-1) ?? '';
    let name = wanted;
    for (let i = 2; taken.has(name); i++) name = `${wanted}_${i}`;
    names.set(pointer, name);
    taken.add(name);
    return name;
  };
  for (const [name] of readEntries(readPointer(document, '/components/schemas'))) {
    nameOf(toPointer('components', 'schemas', name));
  }
  const writer: Writer = { document, discriminators: readDiscriminators(contract), nameOf };
  return {
    typeOf: (schema, place) => (schema === undefined ? UNKNOWN : writeSchema(writer, schema, place)),
    listShared: (depth) => {
      const members: Member[] = [];
      // A schema that is written can refer to further ones.
      for (const [pointer, name] of names) {
        const schema = readSchema(document, pointer);
        const narrowed = typeof schema === 'boolean' ? schema : writer.discriminators.narrow(pointer, schema);
        members.push({ name, type: writeSchema(writer, narrowed, { depth }), comment: describeSchema(schema) });
      }
      return members;
    },
  };
}

function readSchema(document: unknown, pointer: string): Schema {
  const value = readPointer(document, pointer);
  return isObject(value) || typeof value === 'boolean' ? value : {};
}

/** The lines of the comment of a schema. */
export function describeSchema(schema: Schema): readonly string[] {
  if (typeof schema === 'boolean') return [];
  const { title, description, format, deprecated } = schema;
  const texts = [title, typeof format === 'string' ? `Format: ${format}` : undefined, description].filter(
    (text) => typeof text === 'string' && text.trim() !== '',
  );
  const fallback = schema['default'] === undefined ? [] : [`@default ${JSON.stringify(schema['default'])}`];
  return [...texts.map((text) => String(text).trim()), ...(deprecated === true ? ['@deprecated'] : []), ...fallback];
}

/** Keywords that say more about the type than the reference beside them. */
const BESIDE_REFERENCE = ['properties', 'required', 'allOf', 'anyOf', 'oneOf', 'enum', 'const'];

function writeSchema(writer: Writer, schema: Schema, place: SchemaPlace): TypeExpression {
  if (typeof schema === 'boolean') return schema ? UNKNOWN : NEVER;
  const target = fromReference(schema.$ref);
  if (target !== undefined) {
    if (!BESIDE_REFERENCE.some((keyword) => keyword in schema)) return writeReference(writer, target);
    const { $ref, ...rest } = schema;
    return writeSchema(writer, { ...rest, allOf: [{ $ref }, ...(rest.allOf ?? [])] }, place);
  }
  if (schema.const !== undefined) return toLiteral(schema.const);
  if (Array.isArray(schema.enum) && schema.properties === undefined) return toUnion(schema.enum.map(toLiteral));
  return writeComposition(writer, schema, place);
}

function writeReference({ nameOf, document }: Writer, pointer: string): TypeExpression {
  const target = readPointer(document, pointer);
  return isObject(target) || typeof target === 'boolean' ? toAccess('components', 'schemas', nameOf(pointer)) : UNKNOWN;
}

/** JSON Schema 2020-12 core section 10.2: a value fits the keywords beside a composition and the composition. */
function writeComposition(writer: Writer, schema: SchemaObject, place: SchemaPlace): TypeExpression {
  const own = writeOwn(writer, schema, place);
  const all = toSchemas(schema.allOf).map((part) => writePart(writer, part, { schema, place }));
  const choices = [schema.anyOf, schema.oneOf].flatMap((branches) => {
    const types = toSchemas(branches).map((branch) => writeSchema(writer, branch, place));
    // An alternative that only requires properties does not say a type.
    return types.length === 0 || types.some(isUnknown) ? [] : [toUnion(types)];
  });
  const known = [...(own === undefined ? [] : [own]), ...all.filter((type) => !isUnknown(type)), ...choices];
  return toIntersection(known) ?? UNKNOWN;
}

function isUnknown({ text }: TypeExpression): boolean {
  return text === UNKNOWN.text;
}

/** The type of an object without any declared property, as openapi-typescript writes it. */
const EMPTY_OBJECT: TypeExpression = { text: 'Record<string, never>' };

function toSchemas(value: unknown): readonly Schema[] {
  return Array.isArray(value) ? value.filter((item) => isObject(item) || typeof item === 'boolean') : [];
}

/** One schema of `allOf`; `required` of the whole schema is about its properties, too. */
function writePart(
  writer: Writer,
  part: Schema,
  { schema, place }: { readonly schema: SchemaObject; readonly place: SchemaPlace },
): TypeExpression {
  const required = readStrings(schema.required);
  if (typeof part === 'boolean') return writeSchema(writer, part, place);
  const target = fromReference(part.$ref);
  if (target === undefined) {
    return writeSchema(writer, { ...part, required: [...required, ...readStrings(part.required)] }, place);
  }
  const type = writeSchema(writer, part, place);
  const declared = readPointer(writer.document, `${target}/properties`);
  const names = isObject(declared) ? required.filter((name) => Object.hasOwn(declared, name)) : [];
  const whole = names.length === 0 ? type : { text: `WithRequired<${type.text}, ${writeNames(names)}>` };
  const property = writer.discriminators.propertyOf(target);
  const isReplaced = property !== undefined && toSchemas(schema.allOf).some((other) => declares(other, property));
  return isReplaced ? { text: `Omit<${whole.text}, ${writeNames([property])}>` } : whole;
}

function declares(schema: Schema, property: string): boolean {
  return typeof schema === 'object' && schema.properties !== undefined && Object.hasOwn(schema.properties, property);
}

function writeNames(names: readonly string[]): string {
  return toUnion(names.map(toLiteral)).text;
}

/** The type that a schema says itself, by its types or the properties it declares; undefined where it says none. */
function writeOwn(writer: Writer, schema: SchemaObject, place: SchemaPlace): TypeExpression | undefined {
  const types = typeof schema.type === 'string' ? [schema.type] : readStrings(schema.type);
  const object = types.length === 0 || types.includes('object') ? writeObject(writer, schema, place) : undefined;
  if (types.length === 0) return object;
  const isComposed = [schema.allOf, schema.anyOf, schema.oneOf].some((parts) => toSchemas(parts).length > 0);
  // An object whose properties the composition declares.
  if (types.includes('object') && object === undefined && isComposed) return undefined;
  return toUnion(
    types.map((type) => (type === 'object' ? (object ?? EMPTY_OBJECT) : writeType(writer, type, { schema, place }))),
  );
}

const SIMPLE_TYPES: Readonly<Record<string, TypeExpression>> = {
  string: { text: 'string' },
  number: { text: 'number' },
  integer: { text: 'number' },
  boolean: { text: 'boolean' },
  null: NULL,
};

function writeType(
  writer: Writer,
  type: string,
  { schema, place }: { readonly schema: SchemaObject; readonly place: SchemaPlace },
): TypeExpression {
  if (type !== 'array') return SIMPLE_TYPES[type] ?? UNKNOWN;
  const { items, prefixItems } = schema;
  const first = toSchemas(prefixItems).map((item) => writeSchema(writer, item, place).text);
  const others = items === undefined ? undefined : toArray(writeSchema(writer, items, place));
  if (first.length === 0) return others ?? toArray(UNKNOWN);
  // Without `items`, a tuple has no further ones, as openapi-typescript writes it.
  const rest = others === undefined || items === false ? [] : [`...${others.text}`];
  return { text: `[${[...first, ...rest].join(', ')}]` };
}

/** The declared properties; undefined where there are none. */
function writeObject(writer: Writer, schema: SchemaObject, place: SchemaPlace): TypeExpression | undefined {
  const required = new Set(readStrings(schema.required));
  const inside = { ...place, depth: place.depth + 1 };
  const members = readEntries(schema.properties).map(([name, value]): Member => {
    const property = isObject(value) || typeof value === 'boolean' ? value : {};
    const { default: fallback, readOnly } = typeof property === 'boolean' ? {} : property;
    // The mock and servers fill in defaults.
    const isFilled = fallback !== undefined && place.isRequest !== true;
    return {
      name,
      type: writeSchema(writer, property, inside),
      isOptional: !required.has(name) && !isFilled,
      isReadonly: readOnly === true,
      comment: describeSchema(property),
    };
  });
  const others = [
    schema.additionalProperties,
    ...readEntries(schema.patternProperties).map(([, value]) => value),
  ].flatMap((value) => {
    if (value === true || (isObject(value) && Object.keys(value).length === 0)) return [UNKNOWN];
    return isObject(value) ? [writeSchema(writer, value, place)] : [];
  });
  const index = others.length === 0 ? [] : [{ text: `{ [key: string]: ${toUnion(others).text} }` }];
  return toIntersection([...(members.length === 0 ? [] : [toObject(members, place.depth)]), ...index]);
}
