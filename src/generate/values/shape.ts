import { isNumber } from '../../base/exact-number.js';
import { isEqualJson, isObject, type JsonType, readJsonType, type Schema, type SchemaObject } from '../../base/json.js';
import { escapeSegment } from '../../contract/pointer.js';
import { countCodePoints } from '../../schema/checker/comparisons.js';
import type { Pattern } from '../text/pattern.js';

/** A schema and its pointer in the loaded document. */
export interface SchemaPart {
  readonly schema: Schema;
  readonly pointer: string;
}

/** One way to satisfy a choice: schemas that must be valid, and schemas that must not. */
export interface Option {
  readonly add: readonly SchemaPart[];
  readonly forbid?: readonly SchemaPart[];
  /** The property of a discriminator, and its value for this option. */
  readonly preset?: readonly [name: string, value: string] | undefined;
}

/** A keyword that can be satisfied in more than one way. */
export interface Choice {
  /** The pointer of the keyword. */
  readonly id: string;
  readonly keyword: 'anyOf' | 'discriminator' | 'if' | 'not' | 'oneOf';
  readonly options: readonly Option[];
}

/** The option taken of each choice, by the id of the choice. */
export type Decisions = ReadonlyMap<string, number>;

/** Merges schemas that one value must fit, with some choices made; default none. */
export type MergeSchemas = (parts: readonly SchemaPart[], decisions?: Decisions) => MergedSchema;

/** One `additionalProperties`, with the names and patterns that it does not apply to. */
interface AdditionalProperties {
  readonly known: ReadonlySet<string>;
  readonly patterns: readonly Pattern['expression'][];
  readonly part: SchemaPart;
}

/** Keywords that set a bound. */
type Bound =
  | ('exclusiveMaximum' | 'exclusiveMinimum' | 'maximum' | 'minimum')
  | `${'max' | 'min'}${'Items' | 'Length' | 'Properties'}`;

/** The merged keywords of all schemas that one value must fit. */
export interface MergedSchema extends Readonly<Record<Bound, number>> {
  /** Whether it is obvious that no value can fit. */
  readonly isImpossible: boolean;
  /** The allowed types; undefined for any. */
  readonly types: ReadonlySet<JsonType> | undefined;
  /** The allowed values of `const` and `enum`; undefined for any. */
  readonly values: readonly unknown[] | undefined;
  readonly excluded: readonly unknown[];
  readonly formats: readonly string[];
  readonly patterns: readonly Pattern[];
  readonly multiples: readonly number[];
  readonly properties: ReadonlyMap<string, readonly SchemaPart[]>;
  readonly patternProperties: readonly { readonly pattern: Pattern; readonly part: SchemaPart }[];
  readonly additionalProperties: readonly AdditionalProperties[];
  readonly required: ReadonlySet<string>;
  readonly propertyNames: readonly SchemaPart[];
  readonly dependentRequired: ReadonlyMap<string, readonly string[]>;
  readonly dependentSchemas: ReadonlyMap<string, readonly SchemaPart[]>;
  readonly unevaluatedProperties: readonly SchemaPart[];
  /** By position: the schemas of `prefixItems`. */
  readonly prefixItems: readonly (readonly SchemaPart[])[];
  /** `items` with the first position each one applies to. */
  readonly items: readonly { readonly from: number; readonly part: SchemaPart }[];
  readonly contains: readonly { readonly part: SchemaPart; readonly minimum: number; readonly maximum: number }[];
  readonly uniqueItems: boolean;
  readonly unevaluatedItems: readonly SchemaPart[];
  readonly forbidden: readonly SchemaPart[];
  readonly presets: ReadonlyMap<string, string>;
  /** Choices that are still open. */
  readonly choices: readonly Choice[];
  /** `examples`, `example`, then `default`. */
  readonly suggestions: readonly unknown[];
  readonly faker: unknown;
  readonly title: string | undefined;
  readonly contentEncoding: string | undefined;
  /** The schema of the JSON that a string holds. */
  readonly content: SchemaPart | undefined;
  readonly readOnly: boolean;
  readonly writeOnly: boolean;
  readonly plan: ShapePlan;
}

/** A property that values of a shape can have. */
export interface PropertyPlan {
  readonly name: string;
  /** The name as the last segment of a pointer. */
  readonly segment: string;
  /** The schemas of its value; undefined where the name is not allowed. */
  readonly parts: readonly SchemaPart[] | undefined;
  readonly isRequired: boolean;
}

/** The options of the first open choice of a shape. */
export interface OptionPlan {
  /** All options, the ones with small values first. */
  readonly ordered: readonly number[];
  /** The options that have an end and are not null. */
  readonly real: readonly number[];
  /** The `real` options whose values stay small. */
  readonly light: readonly number[];
}

/**
 * The results that depend on a shape alone, so that its second value costs less than the first: each member is set when a value first needs it, by
 * the function that computes it.
 */
interface ShapePlan {
  /** The parts that the shape was merged from. */
  readonly parts: readonly SchemaPart[];
  readonly decisions: Decisions;
  /** The declared properties in the order of the document, then the other required ones. */
  properties: readonly PropertyPlan[] | undefined;
  /** The shapes that result from the options of the first open choice. */
  decided: MergedSchema[];
  options: OptionPlan | undefined;
  /** The enumerated values that fit, and those that are chosen from. */
  values: { readonly all: readonly unknown[]; readonly pool: readonly unknown[] } | undefined;
}

/** The place a value is generated for. */
export interface ValuePlace {
  /** Its JSON pointer in the whole value. */
  readonly path: string;
  /** The hash of the name of its random stream: its pointer, and how often it was tried again. */
  readonly stream: number;
  /** The stream of the object that has the property. */
  readonly ownerStream: number;
  /** The name of the property, or of the nearest one above. */
  readonly name: string;
  /** The title of the owner's schema, or the last segment of that schema's pointer. */
  readonly kind: string;
  /** The number of objects above. */
  readonly depth: number;
  /** The position in the nearest array. */
  readonly index: number;
  /** The schemas above, to detect a cycle. */
  readonly ancestors: readonly string[];
  /** The caller's partial value for this place, if any. */
  readonly given: unknown;
  /** A value to follow if it fits: from an example of the schema above, or one that was not valid as a whole. */
  readonly hint: unknown;
  /** Whether another value of the same kind has the hint already. */
  readonly isHintUsed: boolean;
  /** Whether the hint is the intended value, identifiers included, and not only an example of one. */
  readonly exact: boolean;
  /** Whether values of the request with the same name are repeated here. */
  readonly repeatsRequest: boolean;
  /** How often the value was a duplicate: above 0 examples are skipped, above 1 also values with few variants. */
  readonly repeats: number;
  /** Whether optional properties, items and branches are left out. */
  readonly minimal: boolean;
}

/** A shape while schemas are merged into it. */
export type MutableShape = { -readonly [Key in keyof MergedSchema]: Mutable<MergedSchema[Key]> };

type Mutable<T> =
  T extends ReadonlyMap<infer K, infer V>
    ? Map<K, V>
    : T extends ReadonlySet<infer V>
      ? Set<V>
      : T extends readonly (infer V)[]
        ? V[]
        : T;

/** A shape that every value fits, before schemas are merged into it. */
export function createShape(parts: readonly SchemaPart[], decisions: Decisions): MutableShape {
  return {
    plan: { parts, decisions, properties: undefined, decided: [], options: undefined, values: undefined },
    isImpossible: false,
    types: undefined,
    values: undefined,
    excluded: [],
    formats: [],
    patterns: [],
    minLength: 0,
    maxLength: Infinity,
    minimum: -Infinity,
    maximum: Infinity,
    exclusiveMinimum: -Infinity,
    exclusiveMaximum: Infinity,
    multiples: [],
    properties: new Map(),
    patternProperties: [],
    additionalProperties: [],
    required: new Set(),
    propertyNames: [],
    minProperties: 0,
    maxProperties: Infinity,
    dependentRequired: new Map(),
    dependentSchemas: new Map(),
    unevaluatedProperties: [],
    prefixItems: [],
    items: [],
    contains: [],
    minItems: 0,
    maxItems: Infinity,
    uniqueItems: false,
    unevaluatedItems: [],
    forbidden: [],
    presets: new Map(),
    choices: [],
    suggestions: [],
    faker: undefined,
    title: undefined,
    contentEncoding: undefined,
    content: undefined,
    readOnly: false,
    writeOnly: false,
  };
}

/** Whether a set of types includes a type. */
export function allowsType(types: ReadonlySet<JsonType> | undefined, type: JsonType): boolean {
  return types === undefined || types.has(type) || (type === 'integer' && types.has('number'));
}

/** Part of the pointer of a schema that is not in the document, such as a negation. */
export const SYNTHETIC: string = '\0not ';

/** Whether a schema is an object of keywords rather than a boolean. */
export function isKeywords(schema: unknown): schema is SchemaObject {
  return isObject(schema);
}

const NO_PARTS: readonly SchemaPart[] = [];

/** The schemas of the property with a name; undefined if the name is not allowed. */
export function readPropertyParts(shape: MergedSchema, name: string): readonly SchemaPart[] | undefined {
  const own = shape.properties.get(name) ?? NO_PARTS;
  const added: SchemaPart[] = [];
  for (const { pattern, part } of shape.patternProperties) if (pattern.expression.test(name)) added.push(part);
  const declared = own.length > 0 || added.length > 0;
  for (const { known, patterns, part } of shape.additionalProperties) {
    if (known.has(name) || patterns.some((pattern) => pattern.test(name))) continue;
    if (part.schema === false) return undefined;
    added.push(part);
  }
  if (!declared && shape.additionalProperties.length === 0) {
    for (const part of shape.unevaluatedProperties) {
      if (part.schema === false) return undefined;
      added.push(part);
    }
  }
  // The same array each time where nothing is added: what is known about it is found by its identity.
  const parts = added.length === 0 ? own : [...own, ...added];
  return parts.some((part) => part.schema === false) ? undefined : parts;
}

/** The schemas of the item at a position; undefined if no item is allowed there. */
export function readItemParts(shape: MergedSchema, index: number): readonly SchemaPart[] | undefined {
  const declared = readDeclaredItem(shape, index);
  const parts = declared.length === 0 ? shape.unevaluatedItems : declared;
  return parts.some((part) => part.schema === false) ? undefined : parts;
}

/**
 * The schemas of the item at a position that satisfies some `contains`, which evaluate it (JSON Schema 2020-12 Core, section 11.2); undefined
 * if it is not allowed there.
 */
export function readContainedParts(
  shape: MergedSchema,
  index: number,
  contained: readonly SchemaPart[],
): readonly SchemaPart[] | undefined {
  const parts = [...readDeclaredItem(shape, index), ...contained];
  return parts.some((part) => part.schema === false) ? undefined : parts;
}

/** The schemas of `prefixItems` and `items` for the item at a position. */
function readDeclaredItem({ prefixItems, items }: MergedSchema, index: number): readonly SchemaPart[] {
  const parts: SchemaPart[] = [...(prefixItems[index] ?? [])];
  for (const { from, part } of items) if (index >= from) parts.push(part);
  return parts;
}

/** Identifies schemas on the way down, to detect a cycle. */
export function readCycleKey(parts: readonly SchemaPart[]): string {
  const keys = parts.map(({ schema, pointer }) => (isKeywords(schema) ? (schema.$ref ?? `#${pointer}`) : pointer));
  return keys.join();
}

/** The properties of a shape: the declared ones in the order of the document, then the other required ones. */
export function listProperties(shape: MergedSchema): readonly PropertyPlan[] {
  const { plan, properties, required } = shape;
  if (plan.properties !== undefined) return plan.properties;
  plan.properties = [...new Set([...properties.keys(), ...required])].map((name) => planProperty(shape, name));
  return plan.properties;
}

/** A property with a name that need not be declared. */
export function planProperty(shape: MergedSchema, name: string): PropertyPlan {
  const parts = readPropertyParts(shape, name);
  return { name, segment: `/${escapeSegment(name)}`, parts, isRequired: shape.required.has(name) };
}

/** The shape that results from an option of the first open choice; indices past the last option are those with the negation of all others. */
export function decide(merge: MergeSchemas, shape: MergedSchema, index: number): MergedSchema {
  const { plan, choices } = shape;
  const known = plan.decided[index];
  const [choice] = choices;
  if (known !== undefined || choice === undefined) return known ?? shape;
  const decided = merge(plan.parts, new Map(plan.decisions).set(choice.id, index));
  plan.decided[index] = decided;
  return decided;
}

/** Whether values have a property: readOnly ones stay out of requests, writeOnly ones out of responses (OpenAPI 3.1 section 4.8.24). */
export function isSent(merge: MergeSchemas, { parts }: PropertyPlan, direction: 'request' | 'response'): boolean {
  if (parts === undefined) return false;
  const { readOnly, writeOnly } = merge(parts);
  return direction === 'request' ? !readOnly : !writeOnly;
}

/** The noun for objects: the title of their schema, else the last name in its pointer. */
export function readKind(shape: MergedSchema, [part]: readonly SchemaPart[]): string {
  if (shape.title !== undefined) return shape.title;
  if (part === undefined || !isKeywords(part.schema)) return '';
  const pointer = part.schema.$ref ?? part.pointer;
  return pointer.slice(pointer.lastIndexOf('/') + 1);
}

/** The type that the keywords of a shape imply, for a shape without `type`; undefined if neither array nor object. */
export function guessContainer(shape: MergedSchema): 'array' | 'object' | undefined {
  if (shape.properties.size > 0 || shape.required.size > 0 || shape.additionalProperties.length > 0) return 'object';
  if (shape.patternProperties.length > 0 || shape.propertyNames.length > 0 || shape.minProperties > 0) return 'object';
  if (shape.maxProperties < Infinity || shape.dependentRequired.size > 0 || shape.dependentSchemas.size > 0)
    return 'object';
  if (shape.items.length > 0 || shape.prefixItems.length > 0 || shape.contains.length > 0) return 'array';
  return shape.minItems > 0 || shape.uniqueItems || shape.maxItems < Infinity ? 'array' : undefined;
}

/** Whether a scalar fits a shape; formats are not checked. */
export function accepts(shape: MergedSchema, value: unknown): boolean {
  if (shape.values !== undefined && !shape.values.some((other) => isEqualJson(other, value))) return false;
  return acceptsListed(shape, value);
}

/** Whether a scalar that is one of the enumerated values fits the rest of a shape. */
export function acceptsListed(shape: MergedSchema, value: unknown): boolean {
  if (!allowsType(shape.types, readJsonType(value))) return false;
  if (shape.excluded.some((other) => isEqualJson(other, value))) return false;
  if (typeof value === 'string') return acceptsString(shape, value);
  return isNumber(value) ? acceptsNumber(shape, Number(value)) : true;
}

/** Whether a string has the length and matches the patterns of a shape. */
export function acceptsString(shape: MergedSchema, value: string): boolean {
  if (shape.minLength > 0 || shape.maxLength < Infinity) {
    const length = countCodePoints(value);
    if (length < shape.minLength || length > shape.maxLength) return false;
  }
  return shape.patterns.every(({ expression }) => expression.test(value));
}

/** Whether a number is within the bounds of a shape and a multiple of its `multipleOf`. */
export function acceptsNumber(shape: MergedSchema, value: number): boolean {
  if (value < shape.minimum || value > shape.maximum) return false;
  if (value <= shape.exclusiveMinimum || value >= shape.exclusiveMaximum) return false;
  // The quotient of a tiny step is infinite, and the difference not a number: validators accept the value.
  return shape.multiples.every((step) => !(Math.abs(value / step - Math.round(value / step)) >= 1e-9));
}

/** Whether a partial value can be completed to a value of the shape; tells the branches of a union apart. */
export function acceptsGiven(shape: MergedSchema, given: unknown): boolean {
  if (!allowsType(shape.types, readJsonType(given))) return false;
  if (!isObject(given)) return true;
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined) continue;
    const parts = readPropertyParts(shape, name);
    if (parts === undefined) return false;
    for (const { schema } of parts) {
      if (!isKeywords(schema)) continue;
      if (schema.const !== undefined && !isEqualJson(schema.const, value)) return false;
      if (Array.isArray(schema.enum) && !schema.enum.some((one) => isEqualJson(one, value))) return false;
    }
    const preset = shape.presets.get(name);
    if (preset !== undefined && typeof value === 'string' && preset !== value) return false;
  }
  return true;
}
