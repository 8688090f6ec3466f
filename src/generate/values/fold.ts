import { isDeepStrictEqual } from 'node:util';
import type { Schema, SchemaObject } from '../../contract/json.js';
import { escapeSegment } from '../../contract/pointer.js';
import { readPattern } from '../text/pattern.js';
import { allowsType, type Draft, isKeywords, type JsonType, type Part, readType } from './shape.js';

type Fold = (draft: Draft, value: unknown, part: Part) => void;

/** Folds the keywords of one schema into a draft; references, unions and conditions are not its business. */
export function foldKeywords(draft: Draft, schema: SchemaObject, part: Part): void {
  for (const keyword of Object.keys(schema)) {
    // A document may have a keyword called `constructor`.
    const fold = Object.hasOwn(FOLDS, keyword) ? FOLDS[keyword] : undefined;
    if (fold === undefined) continue;
    if (!ANNOTATIONS.has(keyword)) draft.free = false;
    fold(draft, schema[keyword], part);
  }
  foldObject(draft, schema, part.pointer);
  foldItems(draft, schema, part.pointer);
}

/** Keywords that demand nothing. */
const ANNOTATIONS: ReadonlySet<string> = new Set([
  'default',
  'example',
  'examples',
  'readOnly',
  'title',
  'writeOnly',
  'x-faker',
]);

const greater =
  (name: 'exclusiveMinimum' | 'minimum' | 'minItems' | 'minLength' | 'minProperties'): Fold =>
  (draft, value) => {
    if (typeof value === 'number') draft[name] = Math.max(draft[name], value);
  };

const smaller =
  (name: 'exclusiveMaximum' | 'maximum' | 'maxItems' | 'maxLength' | 'maxProperties'): Fold =>
  (draft, value) => {
    if (typeof value === 'number') draft[name] = Math.min(draft[name], value);
  };

const FOLDS: Readonly<Record<string, Fold | undefined>> = {
  type: (draft, value) => {
    // The name of a type or a list of them, by the dialect.
    const given = (Array.isArray(value) ? value : [value]) as readonly JsonType[];
    keepTypes(draft, new Set(given));
  },
  const: (draft, value) => keepValues(draft, [value]),
  enum: (draft, value) => {
    if (Array.isArray(value) && value.length > 0) keepValues(draft, value);
  },
  format: (draft, value) => {
    if (typeof value === 'string' && !draft.formats.includes(value)) draft.formats.push(value);
  },
  pattern: (draft, value) => {
    if (typeof value !== 'string' || draft.patterns.some(({ source }) => source === value)) return;
    draft.patterns.push(readPattern(value));
  },
  minLength: greater('minLength'),
  maxLength: smaller('maxLength'),
  minimum: greater('minimum'),
  maximum: smaller('maximum'),
  exclusiveMinimum: greater('exclusiveMinimum'),
  exclusiveMaximum: smaller('exclusiveMaximum'),
  multipleOf: (draft, value) => {
    if (typeof value === 'number' && value > 0) draft.multiples.push(value);
  },
  required: (draft, value) => {
    if (Array.isArray(value)) for (const name of value) draft.required.add(String(name));
  },
  minProperties: greater('minProperties'),
  maxProperties: smaller('maxProperties'),
  propertyNames: (draft, value, part) => {
    draft.propertyNames.push({ schema: value as Schema, pointer: `${part.pointer}/propertyNames` });
  },
  dependentRequired: (draft, value) => {
    if (!isKeywords(value)) return;
    for (const [name, needs] of Object.entries(value)) {
      if (Array.isArray(needs))
        draft.dependentRequired.set(name, [...(draft.dependentRequired.get(name) ?? []), ...needs]);
    }
  },
  dependentSchemas: (draft, value, part) => {
    if (!isKeywords(value)) return;
    for (const [name, schema] of Object.entries(value)) {
      const pointer = `${part.pointer}/dependentSchemas/${escapeSegment(name)}`;
      draft.dependentSchemas.set(name, [
        ...(draft.dependentSchemas.get(name) ?? []),
        { schema: schema as Schema, pointer },
      ]);
    }
  },
  unevaluatedProperties: (draft, value, part) => {
    draft.unevaluatedProperties.push({ schema: value as Schema, pointer: `${part.pointer}/unevaluatedProperties` });
  },
  unevaluatedItems: (draft, value, part) => {
    draft.unevaluatedItems.push({ schema: value as Schema, pointer: `${part.pointer}/unevaluatedItems` });
  },
  minItems: greater('minItems'),
  maxItems: smaller('maxItems'),
  uniqueItems: (draft, value) => {
    if (value === true) draft.uniqueItems = true;
  },
  // Not of the standard: what the negation of `const` and `enum` leaves out.
  'x-vouch-excluded': (draft, value) => {
    if (Array.isArray(value)) draft.excluded.push(...value);
  },
  default: (draft, value) => void draft.suggestions.push(value),
  example: (draft, value) => void draft.suggestions.unshift(value),
  examples: (draft, value) => {
    if (Array.isArray(value)) draft.suggestions.unshift(...value);
  },
  'x-faker': (draft, value) => void (draft.faker ??= value),
  title: (draft, value) => void (draft.title ??= String(value)),
  contentEncoding: (draft, value) => void (draft.contentEncoding ??= String(value)),
  contentMediaType: (draft, value) => void (draft.contentMediaType ??= String(value)),
  readOnly: (draft, value) => void (draft.readOnly ||= value === true),
  writeOnly: (draft, value) => void (draft.writeOnly ||= value === true),
};

/** Leaves the types that both sides allow. */
function keepTypes(draft: Draft, given: ReadonlySet<JsonType>): void {
  if (draft.types === undefined) {
    draft.types = new Set(given);
  } else {
    const both = new Set<JsonType>();
    for (const type of draft.types) if (allowsType(given, type)) both.add(type);
    for (const type of given) if (allowsType(draft.types, type)) both.add(type);
    if (both.has('number')) both.delete('integer');
    draft.types = both;
  }
  if (draft.types.size === 0) draft.impossible ??= 'no type is left';
}

function keepValues(draft: Draft, given: readonly unknown[]): void {
  const before = draft.values;
  draft.values =
    before === undefined
      ? [...given]
      : before.filter((value) => given.some((other) => isDeepStrictEqual(value, other)));
  if (draft.values.length === 0) draft.impossible ??= 'no value of the enum is left';
}

/** `properties`, `patternProperties` and `additionalProperties` of one schema speak of each other, so they are read together. */
function foldObject(draft: Draft, schema: SchemaObject, pointer: string): void {
  const { properties, patternProperties, additionalProperties } = schema;
  if (properties === undefined && patternProperties === undefined && additionalProperties === undefined) return;
  draft.free = false;
  const known = new Set<string>();
  for (const [name, property] of Object.entries(properties ?? {})) {
    known.add(name);
    const part = { schema: property, pointer: `${pointer}/properties/${escapeSegment(name)}` };
    const before = draft.properties.get(name);
    draft.properties.set(name, before === undefined ? [part] : [...before, part]);
  }
  const patterns: RegExp[] = [];
  for (const [source, property] of Object.entries(patternProperties ?? {})) {
    const pattern = readPattern(source);
    patterns.push(pattern.expression);
    const part = { schema: property, pointer: `${pointer}/patternProperties/${escapeSegment(source)}` };
    draft.patternProperties.push({ pattern, part });
  }
  if (additionalProperties === undefined || additionalProperties === true) return;
  draft.closures.push({
    known,
    patterns,
    part: { schema: additionalProperties, pointer: `${pointer}/additionalProperties` },
  });
}

/** `prefixItems` and `items` speak of each other, and `contains` of its bounds. */
function foldItems(draft: Draft, schema: SchemaObject, pointer: string): void {
  const { prefixItems, items, contains } = schema;
  if (prefixItems === undefined && items === undefined && contains === undefined) return;
  draft.free = false;
  for (const [i, item] of (prefixItems ?? []).entries()) {
    draft.prefixItems[i] = [...(draft.prefixItems[i] ?? []), { schema: item, pointer: `${pointer}/prefixItems/${i}` }];
  }
  if (items !== undefined) {
    draft.items.push({ from: prefixItems?.length ?? 0, part: { schema: items, pointer: `${pointer}/items` } });
  }
  if (contains === undefined) return;
  draft.contains.push({
    part: { schema: contains, pointer: `${pointer}/contains` },
    minimum: schema.minContains ?? 1,
    maximum: schema.maxContains ?? Infinity,
  });
}

/** Whether nothing can fit any more, as far as bounds and values alone tell. */
export function closeDraft(draft: Draft): void {
  if (draft.values !== undefined) {
    const left = draft.values.filter(
      (value) =>
        allowsType(draft.types, readType(value)) && !draft.excluded.some((other) => isDeepStrictEqual(value, other)),
    );
    if (left.length === 0) draft.impossible ??= 'no value of the enum is of the type';
    draft.values = left;
  }
}
