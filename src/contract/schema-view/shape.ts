import type { Contract } from '../contract.js';
import { isObject, readOwn } from '../../base/json.js';
import { listParts } from '../upgrade/closed-parts.js';
import { escapeSegment, followBareReferences, fromReference, readEntries } from '../pointer.js';

/** The members of a schema that decide how strings are interpreted: its types, properties and alternatives. */
export interface ValueShape {
  /** The pointer of the schema, references resolved. */
  readonly pointer: string;
  /** The JSON types; empty where the schema has none. */
  readonly types: ReadonlySet<string>;
  /** Pointers of the alternatives of `anyOf` and `oneOf`. */
  readonly alternatives: readonly string[];
  /** Pointers of the properties, also of those in `allOf`. */
  readonly members: ReadonlyMap<string, string>;
  /** Pointer of the schema of additional properties. */
  readonly rest: string | undefined;
  /** Whether the schema mentions additional properties, or has no properties at all. */
  readonly open: boolean;
  /** Pointer of the schema of array items. */
  readonly element: string | undefined;
}

/** Creates the function that reads the shape of the schema at a pointer; shapes are cached. */
export function createShapes(contract: Contract): (pointer: string) => ValueShape {
  const shapes = new Map<string, ValueShape>();
  const read = (pointer: string): ValueShape => {
    const known = shapes.get(pointer);
    if (known !== undefined) return known;
    // Set before it is complete: a schema may refer to itself.
    shapes.set(pointer, { ...createDraft(pointer), open: true });
    const shape = readShape(contract, pointer, read);
    shapes.set(pointer, shape);
    return shape;
  };
  return read;
}

type Draft = { -readonly [Key in keyof ValueShape]: ValueShape[Key] } & {
  types: Set<string>;
  alternatives: string[];
  members: Map<string, string>;
};

function createDraft(pointer: string): Draft {
  const [rest, items] = [undefined, undefined];
  return { pointer, types: new Set(), alternatives: [], members: new Map(), rest, open: false, element: items };
}

function readShape(contract: Contract, pointer: string, read: (pointer: string) => ValueShape): ValueShape {
  const at = followBareReferences(contract.document, pointer);
  const schema = contract.at(at);
  const draft = createDraft(at);
  if (!isObject(schema)) return { ...draft, open: true };
  readKeywords(schema, at, draft);
  const target = fromReference(schema['$ref']);
  const parts = [...(target === undefined ? [] : [target]), ...listPointers(schema['allOf'], `${at}/allOf`)];
  for (const part of parts) inherit(draft, read(part));
  for (const keyword of ['anyOf', 'oneOf'])
    draft.alternatives.push(...listPointers(schema[keyword], `${at}/${keyword}`));
  if (draft.types.size === 0) {
    for (const part of draft.alternatives) for (const type of read(part).types) draft.types.add(type);
  }
  const named = draft.members.size > 0 || draft.alternatives.some((part) => read(part).members.size > 0);
  return { ...draft, open: draft.open || !named };
}

/** Adds the keywords of the schema itself. */
function readKeywords(schema: Readonly<Record<string, unknown>>, at: string, draft: Draft): void {
  for (const type of [schema['type'] ?? []].flat()) if (typeof type === 'string') draft.types.add(type);
  const values = Object.hasOwn(schema, 'const') ? [schema['const']] : schema['enum'];
  if (draft.types.size === 0 && Array.isArray(values)) for (const value of values) draft.types.add(typeOf(value));
  for (const [name] of readEntries(schema['properties'])) {
    draft.members.set(name, `${at}/properties/${escapeSegment(name)}`);
  }
  if (isObject(schema['properties']) && draft.types.size === 0) draft.types.add('object');
  for (const keyword of ['additionalProperties', 'unevaluatedProperties']) {
    if (schema[keyword] === undefined) continue;
    draft.open = true;
    if (isObject(schema[keyword])) draft.rest = `${at}/${keyword}`;
  }
  if (schema['patternProperties'] !== undefined) draft.open = true;
  if (schema['items'] !== undefined) {
    draft.element = `${at}/items`;
    if (draft.types.size === 0) draft.types.add('array');
  }
}

/** Adds the shape of a `$ref` or a part of `allOf`. */
function inherit(draft: Draft, part: ValueShape): void {
  if (draft.types.size === 0) for (const type of part.types) draft.types.add(type);
  for (const [name, at] of part.members) if (!draft.members.has(name)) draft.members.set(name, at);
  draft.alternatives.push(...part.alternatives);
  draft.rest ??= part.rest;
  draft.element ??= part.element;
  // A part without properties is open, but does not open the schema.
  if (part.rest !== undefined || (part.open && part.members.size > 0)) draft.open = true;
}

function listPointers(list: unknown, at: string): readonly string[] {
  return Array.isArray(list) ? list.map((_item, i) => `${at}/${i}`) : [];
}

/** The schemas that the discriminator of a schema names: those that extend its own, and alternatives (OpenAPI 3.1 section 4.8.25). */
export function listMapped(schema: unknown): readonly string[] {
  const discriminator = isObject(schema) ? schema['discriminator'] : undefined;
  const mapping = isObject(discriminator) ? readEntries(discriminator['mapping']) : [];
  return mapping.flatMap(([, reference]) => fromReference(reference) ?? []);
}

/** The JSON type of a value. */
function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return typeof value;
}

/** The keywords that restrict a property to one direction. */
type DirectionKeyword = 'readOnly' | 'writeOnly';

/** Whether a schema has the keyword: itself, in the target of its `$ref`, or in a part of its `allOf`. */
export function isFlagged(contract: Contract, schema: unknown, flag: DirectionKeyword): boolean {
  if (!isObject(schema)) return false;
  if (schema[flag] === true) return true;
  // Most schemas are neither.
  if (schema['$ref'] === undefined && schema['allOf'] === undefined) return false;
  return listSchemas(contract, schema).some((part) => part[flag] === true);
}

/** Finds the properties of a schema, its `$ref`, the parts of its `allOf` or all of its alternatives that have the keyword. */
export function createFlagFinder(
  contract: Contract,
  schema: unknown,
  flag: DirectionKeyword,
): (name: string) => boolean {
  const parts = listSchemas(contract, schema);
  const branches = new Set(parts.flatMap((part) => [part['oneOf'] ?? [], part['anyOf'] ?? []].flat()));
  const alternatives = [...new Set([...branches].flatMap((branch) => listSchemas(contract, branch)))];
  const has = (part: Readonly<Record<string, unknown>>, name: string): boolean =>
    isFlagged(contract, readDeclared(part, name), flag);
  return (name) => {
    if (parts.some((part) => has(part, name))) return true;
    // Of alternatives, all that declare the property have the keyword.
    const declared = alternatives.filter((part) => readDeclared(part, name) !== undefined);
    return declared.length > 0 && declared.every((part) => has(part, name));
  };
}

function readDeclared({ properties }: Readonly<Record<string, unknown>>, name: string): unknown {
  return isObject(properties) ? readOwn(properties, name) : undefined;
}

/** The schema objects that apply to the same value: the schema, the targets of its `$ref`s, the parts of its `allOf`s. */
function listSchemas({ document }: Contract, schema: unknown): readonly Readonly<Record<string, unknown>>[] {
  return isObject(schema) ? listParts(document, { schema, pointer: '' }).map((part) => part.schema) : [];
}
