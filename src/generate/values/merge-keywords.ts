import { isDeepStrictEqual } from 'node:util';
import { type Schema, type SchemaObject, type JsonType, readJsonType } from '../../contract/json.js';
import { escapeSegment } from '../../contract/pointer.js';
import { readPattern } from '../text/pattern.js';
import { allowsType, isKeywords, type MutableShape } from './shape.js';

type MergeKeyword = (
  shape: MutableShape,
  value: unknown,
  at: { readonly schema: SchemaObject; readonly pointer: string },
) => void;

/** Merges the keywords of one schema into a shape, except references, unions and conditions. */
export function mergeKeywords(shape: MutableShape, schema: SchemaObject, pointer: string): void {
  for (const keyword of Object.keys(schema)) KEYWORDS.get(keyword)?.(shape, schema[keyword], { schema, pointer });
  for (const keyword of LOWER_BOUNDS) {
    const bound = schema[keyword];
    if (typeof bound === 'number') shape[keyword] = Math.max(shape[keyword], bound);
  }
  for (const keyword of UPPER_BOUNDS) {
    const bound = schema[keyword];
    if (typeof bound === 'number') shape[keyword] = Math.min(shape[keyword], bound);
  }
}

const LOWER_BOUNDS = ['exclusiveMinimum', 'minimum', 'minItems', 'minLength', 'minProperties'] as const;
const UPPER_BOUNDS = ['exclusiveMaximum', 'maximum', 'maxItems', 'maxLength', 'maxProperties'] as const;

const addPart =
  (name: 'propertyNames' | 'unevaluatedItems' | 'unevaluatedProperties'): MergeKeyword =>
  (shape, value, { pointer }) =>
    void shape[name].push({ schema: value as Schema, pointer: `${pointer}/${name}` });

const addPartsByName =
  (keyword: 'dependentSchemas' | 'properties'): MergeKeyword =>
  (shape, value, { pointer }) => {
    if (!isKeywords(value)) return;
    for (const [name, schema] of Object.entries(value)) {
      const part = { schema: schema as Schema, pointer: `${pointer}/${keyword}/${escapeSegment(name)}` };
      const before = shape[keyword].get(name);
      shape[keyword].set(name, before === undefined ? [part] : [...before, part]);
    }
  };

const KEYWORDS: ReadonlyMap<string, MergeKeyword> = new Map(
  Object.entries<MergeKeyword>({
    // One type or a list of types, by the dialect.
    type: (shape, value) => keepTypes(shape, new Set([value as JsonType | readonly JsonType[]].flat())),
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
    multipleOf: (shape, value) => {
      if (typeof value === 'number' && value > 0) shape.multiples.push(value);
    },
    required: (shape, value) => {
      if (Array.isArray(value)) for (const name of value) shape.required.add(String(name));
    },
    properties: addPartsByName('properties'),
    patternProperties: (shape, value, { pointer }) => {
      for (const [source, schema] of Object.entries((value ?? {}) as Readonly<Record<string, Schema>>)) {
        const part = { schema, pointer: `${pointer}/patternProperties/${escapeSegment(source)}` };
        shape.patternProperties.push({ pattern: readPattern(source), part });
      }
    },
    // It applies to what its neighbours `properties` and `patternProperties` do not describe.
    additionalProperties: (shape, value, { schema, pointer }) => {
      if (value === true) return;
      shape.additionalProperties.push({
        known: new Set(Object.keys(schema.properties ?? {})),
        patterns: Object.keys(schema.patternProperties ?? {}).map((source) => readPattern(source).expression),
        part: { schema: value as Schema, pointer: `${pointer}/additionalProperties` },
      });
    },
    propertyNames: addPart('propertyNames'),
    dependentRequired: (shape, value) => {
      if (!isKeywords(value)) return;
      for (const [name, needs] of Object.entries(value)) {
        if (Array.isArray(needs))
          shape.dependentRequired.set(name, [...(shape.dependentRequired.get(name) ?? []), ...needs]);
      }
    },
    dependentSchemas: addPartsByName('dependentSchemas'),
    unevaluatedProperties: addPart('unevaluatedProperties'),
    prefixItems: (shape, value, { pointer }) => {
      for (const [i, schema] of ((value ?? []) as readonly Schema[]).entries()) {
        shape.prefixItems[i] = [...(shape.prefixItems[i] ?? []), { schema, pointer: `${pointer}/prefixItems/${i}` }];
      }
    },
    // It applies to what its neighbour `prefixItems` does not describe.
    items: (shape, value, { schema, pointer }) => {
      const part = { schema: value as Schema, pointer: `${pointer}/items` };
      shape.items.push({ from: schema.prefixItems?.length ?? 0, part });
    },
    contains: (shape, value, { schema, pointer }) => {
      const { minContains: minimum = 1, maxContains: maximum = Infinity } = schema;
      shape.contains.push({ part: { schema: value as Schema, pointer: `${pointer}/contains` }, minimum, maximum });
    },
    unevaluatedItems: addPart('unevaluatedItems'),
    uniqueItems: (shape, value) => void (shape.uniqueItems ||= value === true),
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
  }),
);

/** Keeps the types that both sides allow. */
function keepTypes(shape: MutableShape, given: ReadonlySet<JsonType>): void {
  const { types } = shape;
  const both = new Set<JsonType>();
  for (const type of types ?? []) if (allowsType(given, type)) both.add(type);
  for (const type of given) if (allowsType(types, type)) both.add(type);
  if (types !== undefined && both.has('number')) both.delete('integer');
  shape.types = both;
}

function keepValues(shape: MutableShape, given: readonly unknown[]): void {
  const scalars = new Set(given);
  const isGiven = (value: unknown): boolean =>
    typeof value === 'object' && value !== null
      ? given.some((other) => isDeepStrictEqual(value, other))
      : scalars.has(value);
  shape.values = shape.values?.filter(isGiven) ?? [...given];
}

/** Pairs of bounds, and the types they apply to. */
const BOUNDS = [
  { from: 'minLength', to: 'maxLength', of: ['string'] },
  { from: 'minItems', to: 'maxItems', of: ['array'] },
  { from: 'minProperties', to: 'maxProperties', of: ['object'] },
  { from: 'minimum', to: 'maximum', of: ['integer', 'number'] },
] as const;

/** Removes allowed values of other types and excluded ones; without a type or value left, nothing fits the shape. */
export function checkValues(shape: MutableShape): void {
  shape.values = shape.values?.filter(
    (value) =>
      allowsType(shape.types, readJsonType(value)) && !shape.excluded.some((other) => isDeepStrictEqual(value, other)),
  );
  const { types, values } = shape;
  if (types?.size === 0 || values?.length === 0) shape.isImpossible = true;
  const bounds = types?.size === 1 ? BOUNDS.filter(({ of }) => of.some((type) => types.has(type))) : [];
  if (bounds.some(({ from, to }) => shape[from] > shape[to])) shape.isImpossible = true;
}
