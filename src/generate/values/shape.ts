import type { Schema, SchemaObject } from '../../contract/json.js';
import type { Pattern } from '../text/pattern.js';

/** The types of JSON Schema; a `number` may be whole, an `integer` must be. */
export type JsonType = 'array' | 'boolean' | 'integer' | 'null' | 'number' | 'object' | 'string';

/** A schema and where it stands in the inner document. */
export interface Part {
  readonly schema: Schema;
  readonly pointer: string;
}

/** One way to satisfy a choice: schemas that must hold and schemas that must not. */
export interface Option {
  readonly add: readonly Part[];
  readonly forbid: readonly Part[];
  /** A property and the value a discriminator asks it to have. */
  readonly preset?: readonly [name: string, value: string];
}

/** A keyword that can be satisfied in more than one way. */
export interface Choice {
  /** The pointer of the keyword; two choices of one id are one choice. */
  readonly id: string;
  readonly keyword: 'anyOf' | 'discriminator' | 'if' | 'not' | 'oneOf';
  readonly options: readonly Option[];
  /** Whether exactly one may hold: each option can then also be taken with the opposite of all the others beside it. */
  readonly isExact: boolean;
}

/** What `additionalProperties` says about the names that its neighbours do not know. */
interface Closure {
  readonly known: ReadonlySet<string>;
  readonly patterns: readonly RegExp[];
  readonly part: Part;
}

/** Schemas that must all hold for one value, folded into one list of demands. */
export interface Shape {
  /** Why nothing can fit, where that is plain to see. */
  readonly impossible: string | undefined;
  /** The types left; undefined for any. */
  readonly types: ReadonlySet<JsonType> | undefined;
  /** The values left of `const` and `enum`; undefined for any. */
  readonly values: readonly unknown[] | undefined;
  readonly excluded: readonly unknown[];
  readonly formats: readonly string[];
  readonly patterns: readonly Pattern[];
  readonly minLength: number;
  readonly maxLength: number;
  readonly minimum: number;
  readonly maximum: number;
  readonly exclusiveMinimum: number;
  readonly exclusiveMaximum: number;
  readonly multiples: readonly number[];
  readonly properties: ReadonlyMap<string, readonly Part[]>;
  readonly patternProperties: readonly { readonly pattern: Pattern; readonly part: Part }[];
  readonly closures: readonly Closure[];
  readonly required: ReadonlySet<string>;
  readonly propertyNames: readonly Part[];
  readonly minProperties: number;
  readonly maxProperties: number;
  readonly dependentRequired: ReadonlyMap<string, readonly string[]>;
  readonly dependentSchemas: ReadonlyMap<string, readonly Part[]>;
  readonly unevaluatedProperties: readonly Part[];
  /** By position: the schemas of `prefixItems`. */
  readonly prefixItems: readonly (readonly Part[])[];
  /** `items` with the position from which each one speaks. */
  readonly items: readonly { readonly from: number; readonly part: Part }[];
  readonly contains: readonly { readonly part: Part; readonly minimum: number; readonly maximum: number }[];
  readonly minItems: number;
  readonly maxItems: number;
  readonly uniqueItems: boolean;
  readonly unevaluatedItems: readonly Part[];
  readonly forbidden: readonly Part[];
  readonly presets: ReadonlyMap<string, string>;
  /** Choices that nobody has made yet. */
  readonly choices: readonly Choice[];
  /** Values the document suggests: `examples`, `example`, then `default`. */
  readonly suggestions: readonly unknown[];
  readonly faker: unknown;
  readonly title: string | undefined;
  readonly contentEncoding: string | undefined;
  readonly contentMediaType: string | undefined;
  readonly readOnly: boolean;
  readonly writeOnly: boolean;
  /** Whether a keyword other than an annotation was met at all. */
  readonly free: boolean;
}

/** A shape while it is being folded. */
export type Draft = { -readonly [Key in keyof Shape]: Mutable<Shape[Key]> };

type Mutable<T> =
  T extends ReadonlyMap<infer K, infer V>
    ? Map<K, V>
    : T extends ReadonlySet<infer V>
      ? Set<V>
      : T extends readonly (infer V)[]
        ? V[]
        : T;

/** A shape that demands nothing. */
export function createDraft(): Draft {
  return {
    impossible: undefined,
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
    closures: [],
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
    contentMediaType: undefined,
    readOnly: false,
    writeOnly: false,
    free: true,
  };
}

/** The JSON type of a value; whole numbers are `integer`. */
export function readType(value: unknown): JsonType {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  if (typeof value === 'boolean') return 'boolean';
  return typeof value === 'string' ? 'string' : 'object';
}

/** Whether a set of types lets a value of that type through. */
export function allowsType(types: ReadonlySet<JsonType> | undefined, type: JsonType): boolean {
  return types === undefined || types.has(type) || (type === 'integer' && types.has('number'));
}

/** Marks the pointer of a schema that stands in no document: the opposite of one that does. */
export const SYNTHETIC: string = '\0not ';

/** Whether a schema is an object of keywords rather than a boolean. */
export function isKeywords(schema: unknown): schema is SchemaObject {
  return typeof schema === 'object' && schema !== null && !Array.isArray(schema);
}
