import { isDeepStrictEqual } from 'node:util';
import type { Schema, SchemaObject } from '../../contract/json.js';
import { escapeSegment } from '../../contract/pointer.js';
import { readPattern } from '../text/pattern.js';
import { allowsType, isKeywords, type JsonType, type MutableShape, type Part, readType } from './shape.js';

type MergeKeyword = (shape: MutableShape, value: unknown, part: Part) => void;

/** Merges the keywords of one schema into a shape, except references, unions and conditions. */
export function mergeKeywords(shape: MutableShape, schema: SchemaObject, part: Part): void {
  for (const keyword of Object.keys(schema)) {
    // A document may have a keyword named `constructor`.
    const merge = Object.hasOwn(KEYWORDS, keyword) ? KEYWORDS[keyword] : undefined;
    if (merge === undefined) continue;
    merge(shape, schema[keyword], part);
  }
  mergeObject(shape, schema, part.pointer);
  mergeItems(shape, schema, part.pointer);
}

const greater =
  (name: 'exclusiveMinimum' | 'minimum' | 'minItems' | 'minLength' | 'minProperties'): MergeKeyword =>
  (shape, value) => {
    if (typeof value === 'number') shape[name] = Math.max(shape[name], value);
  };

const smaller =
  (name: 'exclusiveMaximum' | 'maximum' | 'maxItems' | 'maxLength' | 'maxProperties'): MergeKeyword =>
  (shape, value) => {
    if (typeof value === 'number') shape[name] = Math.min(shape[name], value);
  };

const addPart =
  (name: 'propertyNames' | 'unevaluatedItems' | 'unevaluatedProperties'): MergeKeyword =>
  (shape, value, { pointer }) =>
    void shape[name].push({ schema: value as Schema, pointer: `${pointer}/${name}` });

const KEYWORDS: Readonly<Record<string, MergeKeyword | undefined>> = {
  type: (shape, value) => {
    // One type or a list of types, by the dialect.
    const given = (Array.isArray(value) ? value : [value]) as readonly JsonType[];
    keepTypes(shape, new Set(given));
  },
  const: (shape, value) => keepValues(shape, [value]),
  enum: (shape, value) => {
    if (Array.isArray(value) && value.length > 0) keepValues(shape, value);
  },
  format: (shape, value) => {
    if (typeof value === 'string' && !shape.formats.includes(value)) shape.formats.push(value);
  },
  pattern: (shape, value) => {
    if (typeof value !== 'string' || shape.patterns.some(({ source }) => source === value)) return;
    shape.patterns.push(readPattern(value));
  },
  minLength: greater('minLength'),
  maxLength: smaller('maxLength'),
  minimum: greater('minimum'),
  maximum: smaller('maximum'),
  exclusiveMinimum: greater('exclusiveMinimum'),
  exclusiveMaximum: smaller('exclusiveMaximum'),
  multipleOf: (shape, value) => {
    if (typeof value === 'number' && value > 0) shape.multiples.push(value);
  },
  required: (shape, value) => {
    if (Array.isArray(value)) for (const name of value) shape.required.add(String(name));
  },
  minProperties: greater('minProperties'),
  maxProperties: smaller('maxProperties'),
  propertyNames: addPart('propertyNames'),
  dependentRequired: (shape, value) => {
    if (!isKeywords(value)) return;
    for (const [name, needs] of Object.entries(value)) {
      if (Array.isArray(needs))
        shape.dependentRequired.set(name, [...(shape.dependentRequired.get(name) ?? []), ...needs]);
    }
  },
  dependentSchemas: (shape, value, part) => {
    if (!isKeywords(value)) return;
    for (const [name, schema] of Object.entries(value)) {
      const pointer = `${part.pointer}/dependentSchemas/${escapeSegment(name)}`;
      shape.dependentSchemas.set(name, [
        ...(shape.dependentSchemas.get(name) ?? []),
        { schema: schema as Schema, pointer },
      ]);
    }
  },
  unevaluatedProperties: addPart('unevaluatedProperties'),
  unevaluatedItems: addPart('unevaluatedItems'),
  minItems: greater('minItems'),
  maxItems: smaller('maxItems'),
  uniqueItems: (shape, value) => {
    if (value === true) shape.uniqueItems = true;
  },
  // Our own keyword: the negation of `const` and `enum`.
  'x-vouch-excluded': (shape, value) => {
    if (Array.isArray(value)) shape.excluded.push(...value);
  },
  default: (shape, value) => void shape.suggestions.push(value),
  example: (shape, value) => void shape.suggestions.unshift(value),
  examples: (shape, value) => {
    if (Array.isArray(value)) shape.suggestions.unshift(...value);
  },
  'x-faker': (shape, value) => void (shape.faker ??= value),
  title: (shape, value) => void (shape.title ??= String(value)),
  contentEncoding: (shape, value) => void (shape.contentEncoding ??= String(value)),
  readOnly: (shape, value) => void (shape.readOnly ||= value === true),
  writeOnly: (shape, value) => void (shape.writeOnly ||= value === true),
};

/** Keeps the types that both sides allow. */
function keepTypes(shape: MutableShape, given: ReadonlySet<JsonType>): void {
  if (shape.types === undefined) {
    shape.types = new Set(given);
  } else {
    const both = new Set<JsonType>();
    for (const type of shape.types) if (allowsType(given, type)) both.add(type);
    for (const type of given) if (allowsType(shape.types, type)) both.add(type);
    if (both.has('number')) both.delete('integer');
    shape.types = both;
  }
  if (shape.types.size === 0) shape.impossible ??= 'no type is left';
}

function keepValues(shape: MutableShape, given: readonly unknown[]): void {
  const before = shape.values;
  shape.values =
    before === undefined
      ? [...given]
      : before.filter((value) => given.some((other) => isDeepStrictEqual(value, other)));
  if (shape.values.length === 0) shape.impossible ??= 'no value of the enum is left';
}

/** `additionalProperties` applies to what its neighbours `properties` and `patternProperties` do not describe. */
function mergeObject(shape: MutableShape, schema: SchemaObject, pointer: string): void {
  const { properties, patternProperties, additionalProperties } = schema;
  if (properties === undefined && patternProperties === undefined && additionalProperties === undefined) return;
  const known = new Set<string>();
  for (const [name, property] of Object.entries(properties ?? {})) {
    known.add(name);
    const part = { schema: property, pointer: `${pointer}/properties/${escapeSegment(name)}` };
    const before = shape.properties.get(name);
    shape.properties.set(name, before === undefined ? [part] : [...before, part]);
  }
  const patterns: RegExp[] = [];
  for (const [source, property] of Object.entries(patternProperties ?? {})) {
    const pattern = readPattern(source);
    patterns.push(pattern.expression);
    const part = { schema: property, pointer: `${pointer}/patternProperties/${escapeSegment(source)}` };
    shape.patternProperties.push({ pattern, part });
  }
  if (additionalProperties === undefined || additionalProperties === true) return;
  shape.additionalProperties.push({
    known,
    patterns,
    part: { schema: additionalProperties, pointer: `${pointer}/additionalProperties` },
  });
}

/** `items` applies to what its neighbour `prefixItems` does not describe. */
function mergeItems(shape: MutableShape, schema: SchemaObject, pointer: string): void {
  const { prefixItems, items, contains } = schema;
  if (prefixItems === undefined && items === undefined && contains === undefined) return;
  for (const [i, item] of (prefixItems ?? []).entries()) {
    shape.prefixItems[i] = [...(shape.prefixItems[i] ?? []), { schema: item, pointer: `${pointer}/prefixItems/${i}` }];
  }
  if (items !== undefined) {
    shape.items.push({ from: prefixItems?.length ?? 0, part: { schema: items, pointer: `${pointer}/items` } });
  }
  if (contains === undefined) return;
  shape.contains.push({
    part: { schema: contains, pointer: `${pointer}/contains` },
    minimum: schema.minContains ?? 1,
    maximum: schema.maxContains ?? Infinity,
  });
}

/** Removes allowed values of other types and excluded ones; without a value left, nothing fits the shape. */
export function checkValues(shape: MutableShape): void {
  if (shape.values !== undefined) {
    const left = shape.values.filter(
      (value) =>
        allowsType(shape.types, readType(value)) && !shape.excluded.some((other) => isDeepStrictEqual(value, other)),
    );
    if (left.length === 0) shape.impossible ??= 'no value of the enum is of the type';
    shape.values = left;
  }
}
