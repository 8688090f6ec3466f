import { changeAt, isObject, listExamples, readOwn } from '../../base/json.js';
import { fromReference, readEntries, readPointer, readSegments } from '../pointer.js';
import { follow, listParts, type JoinedSchema } from './closed-parts.js';
import type { Node } from './node.js';

/** A schema that chooses between alternatives by a property. */
export interface TaggedUnion {
  readonly pointer: string;
  /** Whether it lists the values of the property; else they are the names of the alternatives. */
  readonly isMapped: boolean;
}

/** Reads whether a schema at a pointer has alternatives and a discriminator. */
export function readTaggedUnion({ discriminator, oneOf, anyOf }: Node): Omit<TaggedUnion, 'pointer'> | undefined {
  if (discriminator === undefined || !(Array.isArray(oneOf) || Array.isArray(anyOf))) return undefined;
  return { isMapped: isObject(discriminator) && isObject(discriminator['mapping']) };
}

/** An alternative, and the values of a property that select it. */
interface Tagged {
  readonly pointer: string;
  readonly property: string;
  readonly values: readonly unknown[];
}

/**
 * Fixes the property of a discriminator in the alternatives that declare it as any string: to the values that its `mapping` has for them,
 * and without a `mapping`, if all alternatives declare any string, to their names.
 *
 * Without that each object fits several alternatives, which `oneOf` refuses, and the document says only so which one it is (OpenAPI 3.1
 * section 4.8.25). Alternatives that fix the property themselves stay as they are, and so do those that others extend.
 */
export function narrowTaggedUnions(document: Node, unions: readonly TaggedUnion[]): Node {
  const found = new Map<string, Tagged>();
  for (const tagged of unions.flatMap((union) => listTagged(document, union))) {
    const key = `${tagged.property} ${tagged.pointer}`;
    const { values = [] } = found.get(key) ?? {};
    found.set(key, { ...tagged, values: [...new Set([...values, ...tagged.values])] });
  }
  let current = document;
  for (const tagged of found.values()) {
    // Only a schema inside the document changes.
    current = changeAt(current, readSegments(tagged.pointer), (schema) => fixProperty(schema as Node, tagged)) as Node;
  }
  return current;
}

function fixProperty(schema: Node, { property, values }: Tagged): Node {
  const properties = isObject(schema['properties']) ? schema['properties'] : {};
  const declared = readOwn(properties, property);
  const type = values.includes(null) ? ['string', 'null'] : 'string';
  const fixed = { type, ...(isObject(declared) ? declared : {}), enum: values };
  return { ...schema, properties: { ...properties, [property]: fixed } };
}

/** The alternatives of a union whose property is not fixed yet. */
function listTagged(document: Node, { pointer, isMapped }: TaggedUnion): readonly Tagged[] {
  const union = readPointer(document, pointer);
  const discriminator = isObject(union) ? union['discriminator'] : undefined;
  if (!isObject(union) || !isObject(discriminator)) return [];
  const property = String(discriminator['propertyName']);
  const mapping = readEntries(discriminator['mapping']).map(([name, reference]) => [name, fromReference(reference)]);
  const names = new Set(mapping.map(([name]) => name));
  const alternatives = readAlternatives(document, union);
  const tagged = alternatives.flatMap(({ part, parts }) => {
    const values = mapping.flatMap(([name, target]) => (target === part.pointer ? [name] : []));
    const isExtended = alternatives.some((other) => other.part !== part && other.parts.some(isAt(part.pointer)));
    if (values.length === 0 || isExtended || parts.some((each) => namesOthers(each, property, values))) return [];
    const declared = parts.flatMap(({ schema }) => readDeclared(document, schema, property));
    const isOpen = declared.length > 0 || !parts.some(({ schema }) => isClosed(schema));
    if (!isOpen || !declared.every((each) => isFree(each, names))) return [];
    const isNullable =
      declared.length > 0 && declared.every(({ type }) => Array.isArray(type) && type.includes('null'));
    return [{ pointer: part.pointer, property, values: isNullable ? [...values, null] : values }];
  });
  // Where an alternative has other values than its name, the others can have too.
  return isMapped || tagged.length === [union['oneOf'] ?? [], union['anyOf'] ?? []].flat().length ? tagged : [];
}

/** The shared objects among the alternatives, with all that they extend. */
function readAlternatives(
  document: Node,
  { oneOf, anyOf }: Node,
): readonly { readonly part: JoinedSchema; readonly parts: readonly JoinedSchema[] }[] {
  const branches = [oneOf ?? [], anyOf ?? []].flat() as readonly unknown[];
  return branches.flatMap((branch) => {
    const part = isObject(branch) ? follow(document, branch) : undefined;
    if (part === undefined) return [];
    const parts = listObjectParts(document, part, MAX_LEVELS);
    return parts === undefined ? [] : [{ part, parts }];
  });
}

/** Levels of unions in unions. */
const MAX_LEVELS = 4;

/** All that an object extends, those of its alternatives included; undefined for what is not an object. */
function listObjectParts(document: Node, part: JoinedSchema, levels: number): readonly JoinedSchema[] | undefined {
  const { type, properties, allOf, oneOf, anyOf } = part.schema;
  const own = listParts(document, part);
  if (type === 'object' || isObject(properties) || Array.isArray(allOf)) return own;
  const branches = [oneOf ?? [], anyOf ?? []].flat() as readonly unknown[];
  const below = branches.map((branch) => {
    const target = isObject(branch) && levels > 0 ? follow(document, branch) : undefined;
    return target && listObjectParts(document, target, levels - 1);
  });
  return below.length === 0 || below.includes(undefined)
    ? undefined
    : [...own, ...below.flatMap((parts) => parts ?? [])];
}

/** Whether a union distinguishes its own alternatives by the same property, with other values. */
function namesOthers(
  { schema: { discriminator } }: JoinedSchema,
  property: string,
  values: readonly unknown[],
): boolean {
  if (!isObject(discriminator) || discriminator['propertyName'] !== property) return false;
  return readEntries(discriminator['mapping']).some(([name]) => !values.includes(name));
}

function isAt(pointer: string): (part: JoinedSchema) => boolean {
  return (part) => part.pointer === pointer;
}

function readDeclared(document: Node, { properties }: Node, name: string): readonly Node[] {
  const declared = isObject(properties) ? readOwn(properties, name) : undefined;
  if (!isObject(declared)) return [];
  const target = follow(document, declared);
  return target === undefined ? [declared] : [declared, target.schema];
}

/** Whether a property takes any string: it lists no values, and what it has as examples is in the mapping. */
function isFree(property: Node, names: ReadonlySet<unknown>): boolean {
  const { type = 'string', $ref: reference } = property;
  if (VALUES.some((keyword) => keyword in property)) return false;
  if (reference === undefined && ![type].flat().includes('string')) return false;
  return [...listExamples(property), property['default']].every((value) => value === undefined || names.has(value));
}

/** Keywords that choose among strings. */
const VALUES = ['enum', 'const', 'pattern', 'format', 'allOf', 'anyOf', 'oneOf'] as const;

function isClosed(schema: Node): boolean {
  return schema['additionalProperties'] === false || schema['unevaluatedProperties'] === false;
}
