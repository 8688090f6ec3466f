import { readBranches } from '../../contract/schema-view/parts.js';
import { isObject, type Schema, type SchemaObject, readOwn } from '../../base/json.js';
import {
  readEntries,
  readPointer,
  readSegments,
  readStrings,
  toPointer,
  fromReference,
} from '../../contract/pointer.js';
import {
  join,
  type Member,
  NEVER,
  toAccess,
  toArray,
  toLiteral,
  toObject,
  type TypeExpression,
  UNKNOWN,
} from './expression.js';
import {
  isCompleted,
  isFree,
  isReference,
  isVague,
  listMembers,
  listNeeded,
  listParts,
  readTarget,
  toSchemas,
} from './schema-parts.js';

/** Writes schemas as TypeScript types. */
export interface SchemaTypes {
  /** The type of a schema that is written in place. @param isRequest - Whether a client may leave out a property that has a default. */
  typeOf(schema: Schema | undefined, isRequest?: boolean): TypeExpression;
  /**
   * The shared schemas, as members of `components["schemas"]`: schemas of the document, then others that are referred to. A type that contains
   * itself in an array is declared as an alias, since TypeScript resolves a member of an interface at once.
   */
  listShared(): { readonly members: readonly Member[]; readonly aliases: readonly string[] };
}

interface Writer {
  readonly document: unknown;
  readonly discriminators: Discriminators;
  /** The name of a shared schema. */
  nameOf(pointer: string): string;
}

/** Where a schema is written. */
interface TypePlace {
  readonly isRequest: boolean;
  /** The other schemas that the same value has to fit. */
  readonly beside: readonly Schema[];
  /** The shared schema that the same value has to fit; undefined inside of a property or an array. */
  readonly owner?: string;
  /** The shared schemas that are written in place of a reference. */
  readonly opened: readonly string[];
}

/** Creates the writer of the schemas of a document. */
export function createSchemaTypes(document: unknown): SchemaTypes {
  const shared = readEntries(readPointer(document, '/components/schemas'));
  const names = new Map(shared.map(([name]) => [toPointer('components', 'schemas', name), name]));
  const nameOf = (pointer: string): string => {
    const wanted = readSegments(pointer).at(-1) ?? '';
    const taken = names.has(pointer) ? [] : [...names.values()];
    let name = names.get(pointer) ?? wanted;
    for (let i = 2; taken.includes(name); i++) name = `${wanted}_${i}`;
    names.set(pointer, name);
    return name;
  };
  const writer: Writer = { document, discriminators: readDiscriminators(document), nameOf };
  return {
    typeOf: (schema, isRequest = false) => writeSchema(writer, schema ?? true, { isRequest, beside: [], opened: [] }),
    listShared: () => {
      const members: Member[] = [];
      const aliases: string[] = [];
      // A schema that is written can refer to further ones.
      for (const [pointer, name] of names) {
        const schema = (readPointer(document, pointer) ?? {}) as Schema;
        const place = { isRequest: false, beside: [], owner: pointer, opened: [] };
        const type = writeSchema(writer, writer.discriminators.narrow(pointer, schema), place);
        const alias = readAlias(writer, pointer);
        if (alias !== undefined) aliases.push(`type ${alias} = ${type.text};\n`);
        members.push({ name, type: alias === undefined ? type : { text: alias }, comment: describeSchema(schema) });
      }
      return { members, aliases };
    },
  };
}

/** The name of the alias of a shared schema; the characters of its own name that an identifier cannot have are numbers. */
function readAlias({ document, nameOf }: Writer, pointer: string): string | undefined {
  if (!listNeeded(document, pointer).has(`2 ${pointer}`)) return undefined;
  return `_${nameOf(pointer).replaceAll(/\W/gu, (character) => `$${character.codePointAt(0)}$`)}`;
}

/** The lines of the comment of a schema. */
export function describeSchema(schema: Schema): readonly string[] {
  if (typeof schema === 'boolean') return [];
  const { title, format, description, deprecated, default: fallback } = schema;
  const texts = [title, typeof format === 'string' ? `Format: ${format}` : '', description];
  return [
    ...texts.flatMap((text) => (typeof text === 'string' && text.trim() !== '' ? [text.trim()] : [])),
    ...(deprecated === true ? ['@deprecated'] : []),
    ...(fallback === undefined ? [] : [`@default ${JSON.stringify(fallback)}`]),
  ];
}

function writeSchema(writer: Writer, schema: Schema, place: TypePlace): TypeExpression {
  if (typeof schema === 'boolean') return schema ? UNKNOWN : NEVER;
  const { document } = writer;
  if (isReference(schema)) return writeReference(writer, readTarget(schema) ?? '', place);
  if (place.beside.some((other) => !isVague(document, other)) && isVague(document, schema)) {
    return isFree(schema) ? { text: '{ [key: string]: unknown }' } : ANY_VALUE;
  }
  if (schema.const !== undefined) return toLiteral(schema.const);
  if (Array.isArray(schema.enum) && schema.properties === undefined) {
    return join(schema.enum.map(toLiteral), '|') ?? NEVER;
  }
  const parts = [schema.allOf, schema.anyOf, schema.oneOf].flatMap(toSchemas);
  const isComposed = parts.length > 0 || readTarget(schema) !== undefined;
  return isComposed ? writeComposition(writer, schema, place) : writeOwn(writer, schema, place);
}

/** A shared schema by its name. */
function writeReference(writer: Writer, pointer: string, place: TypePlace): TypeExpression {
  const schema = readPointer(writer.document, pointer) as Schema | undefined;
  const way = place.opened.length === 0 ? 0 : 1;
  // An alternative that is the schema itself says nothing.
  if (schema === undefined || listNeeded(writer.document, pointer).has(`${way} ${place.owner}`)) return UNKNOWN;
  if (!place.opened.includes(pointer) && isCompleted(writer.document, schema, place.beside)) {
    const narrowed = writer.discriminators.narrow(pointer, schema);
    return writeSchema(writer, narrowed, { ...place, opened: [...place.opened, pointer] });
  }
  const alias = readAlias(writer, pointer);
  return alias === undefined ? toAccess('components', 'schemas', writer.nameOf(pointer)) : { text: alias };
}

/** JSON Schema 2020-12 core section 10.2: a value fits the keywords beside a composition and the composition. */
function writeComposition(writer: Writer, schema: SchemaObject, place: TypePlace): TypeExpression {
  const { $ref, 'x-vouch-unresolved': cut, allOf, anyOf, oneOf, ...own } = schema;
  const reference = { $ref: $ref ?? cut } as SchemaObject;
  const parts = [own, ...(reference.$ref === undefined ? [] : [reference]), ...toSchemas(allOf)];
  const choices = [toSchemas(anyOf), toSchemas(oneOf)];
  const all = parts.map((part) => {
    const others = parts.filter((other) => other !== part);
    const beside = [...others, ...choices.flat(), ...place.beside];
    return writePart(writer, part, { others, required: readStrings(schema.required), place: { ...place, beside } });
  });
  const unions = choices.map((branches) => {
    const beside = [...parts, ...place.beside];
    const types = branches.map((branch) => writeSchema(writer, branch, { ...place, beside }));
    // An alternative that only requires properties does not say a type.
    return types.some(isUnknown) ? UNKNOWN : (join(types, '|') ?? UNKNOWN);
  });
  return (
    join(
      [...all, ...unions].filter((type) => !isUnknown(type)),
      '&',
    ) ?? UNKNOWN
  );
}

/** The type of a value that other schemas describe; unlike `unknown`, it makes their property required. */
const ANY_VALUE: TypeExpression = { text: '{} | null', operator: '|' };

function isUnknown({ text }: TypeExpression): boolean {
  return text === UNKNOWN.text || text === ANY_VALUE.text;
}

/** A part of a composition: the other parts, and the properties that the whole requires, which the part may declare. */
interface PartPlace {
  readonly others: readonly Schema[];
  readonly required: readonly string[];
  readonly place: TypePlace;
}

/** Writes the type of a schema without the schemas that it extends, or of one of these. */
function writePart(writer: Writer, part: Schema, { others, required, place }: PartPlace): TypeExpression {
  const { document, discriminators } = writer;
  const target = isObject(part) ? readTarget(part) : undefined;
  const schema = target === undefined ? part : (readPointer(document, target) as Schema | undefined);
  if (!isObject(schema)) return writeSchema(writer, part, place);
  const complete = { ...schema, required: [...required, ...readStrings(schema.required)] };
  if (target === undefined) return writeSchema(writer, complete, place);
  const bases = listParts(document, part, ['allOf']);
  const property = discriminators.propertyOf(part);
  const isNarrowed = property !== undefined && others.some((other) => isObject(other) && hasProperty(other, property));
  // A base that has its children as alternatives, or that has any properties, which `Omit` would lose.
  const isCircular = listNeeded(document, target).has(`1 ${place.owner}`);
  if (isCircular || (isNarrowed && bases.some(({ additionalProperties }) => additionalProperties))) {
    const opened = [...place.opened, target];
    return place.opened.includes(target) ? UNKNOWN : writeSchema(writer, complete, { ...place, opened });
  }
  const type = writeSchema(writer, part, place);
  const names = required.filter((name) => bases.some((base) => hasProperty(base, name)));
  const whole = names.length === 0 ? type : { text: `WithRequired<${type.text}, ${writeNames(names)}>` };
  return isNarrowed ? { text: `Omit<${whole.text}, ${writeNames([property])}>` } : whole;
}

function hasProperty({ properties = {} }: SchemaObject, name: string): boolean {
  return Object.hasOwn(properties, name);
}

function writeNames(names: readonly string[]): string {
  return names.map((name) => JSON.stringify(name)).join(' | ');
}

/** The type that a schema says itself, by its types or by the properties or items that it declares. */
function writeOwn(writer: Writer, schema: SchemaObject, place: TypePlace): TypeExpression {
  const types = [schema.type ?? []].flat();
  const object = types.length === 0 || types.includes('object') ? writeObject(writer, schema, place) : undefined;
  if (types.length === 0 && object === undefined && isObject(schema.items)) return writeArray(writer, schema, place);
  const all = types.map((type): TypeExpression => {
    if (type === 'object') return object ?? { text: 'Record<string, never>' };
    return type === 'array' ? writeArray(writer, schema, place) : { text: SIMPLE_TYPES[type] ?? 'unknown' };
  });
  return join(all, '|') ?? object ?? UNKNOWN;
}

const SIMPLE_TYPES: Readonly<Record<string, string>> = {
  string: 'string',
  number: 'number',
  integer: 'number',
  boolean: 'boolean',
  null: 'null',
};

function writeArray(writer: Writer, { items, prefixItems }: SchemaObject, place: TypePlace): TypeExpression {
  const first = toSchemas(prefixItems).map((item) => writeMember(writer, item, { place, key: 'prefixItems' }).text);
  const others = toArray(writeMember(writer, items ?? true, { place, key: 'items' }));
  if (first.length === 0) return others;
  // Without `items`, a tuple has no further ones, as openapi-typescript writes it.
  const rest = items === undefined || items === false ? [] : [`...${others.text}`];
  return { text: `[${[...first, ...rest].join(', ')}]` };
}

/** The declared properties; undefined where there are none. */
function writeObject(writer: Writer, schema: SchemaObject, place: TypePlace): TypeExpression | undefined {
  const { properties = {}, patternProperties = {}, additionalProperties = false } = schema;
  const required = readStrings(schema.required);
  const members = Object.entries(properties).map(([name, property]): Member => {
    const { default: fallback, readOnly } = isObject(property) ? property : {};
    // The mock and servers fill in defaults.
    const isFilled = fallback !== undefined && !place.isRequest;
    return {
      name,
      type: writeMember(writer, property, { place, key: `.${name}` }),
      isOptional: !required.includes(name) && !isFilled,
      isReadonly: readOnly === true,
      comment: describeSchema(property),
    };
  });
  const others = [additionalProperties, ...Object.values(patternProperties)].filter((value) => value !== false);
  const values = others.map((value) => writeMember(writer, value, { place, key: 'additionalProperties' }));
  const index = values.length === 0 ? [] : [{ text: `{ [key: string]: ${join(values, '|')?.text} }` }];
  return join([...(members.length === 0 ? [] : [toObject(members)]), ...index], '&');
}

/** The type of a member of a value. @param key - As of `listMembers`. */
function writeMember(
  writer: Writer,
  schema: Schema,
  { place: { isRequest, opened, beside }, key }: { readonly place: TypePlace; readonly key: string },
): TypeExpression {
  return writeSchema(writer, schema, { isRequest, opened, beside: listMembers(writer.document, beside, key) });
}

/** The effect of discriminators on the shared schemas of a document (OpenAPI 3.1 section 4.8.25). */
interface Discriminators {
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
function readDiscriminators(document: unknown): Discriminators {
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
function isUnion(schema: SchemaObject): boolean {
  return readBranches(schema).some((branch) => isObject(branch) && '$ref' in branch);
}

/** Every object of a document. */
function* listObjects(value: unknown): Iterable<Readonly<Record<string, unknown>>> {
  if (isObject(value)) yield value;
  if (typeof value === 'object' && value !== null)
    for (const member of Object.values(value)) yield* listObjects(member);
}
