import { LOWER_BOUNDS, UPPER_BOUNDS } from '../../contract/schema-view/keywords.js';
import { readBranches } from '../../contract/schema-view/parts.js';
import type { Contract } from '../../contract/contract.js';
import {
  isEqualJson,
  isObject,
  type JsonType,
  readJsonType,
  type Schema,
  type SchemaObject,
  SCHEMA_TYPES,
} from '../../base/json.js';
import { isJsonType } from '../../contract/media-type.js';
import { escapeSegment, fromReference } from '../../contract/pointer.js';
import { readPattern } from '../text/pattern.js';
import {
  allowsType,
  type Choice,
  createShape,
  type Decisions,
  isKeywords,
  type MergeSchemas,
  type MutableShape,
  type Option,
  type SchemaPart,
  type MergedSchema,
  SYNTHETIC,
} from './shape.js';

/** Every choice is still open. */
const UNDECIDED: Decisions = new Map();

/** Creates the function that merges schemas of one contract; every shape is built once. */
export function createMergeSchemas(contract: Contract): MergeSchemas {
  const shapes = new Map<string, MergedSchema>();
  const choicesAt = new Map<string, readonly Choice[]>();
  const mergeByKey: MergeSchemas = (given, decisions = UNDECIDED) => {
    const parts = shareTarget(contract, given);
    const key = readShapeKey(parts, decisions);
    const known = shapes.get(key);
    if (known !== undefined) return known;
    const shape = createShape(given, decisions);
    const work: Work = { contract, shape, decisions, seen: new Set(), choicesAt };
    for (const part of parts) mergePart(work, part);
    // The iteration includes schemas that are added meanwhile.
    for (const part of shape.forbidden) decide(work, readNegation(contract, part));
    checkValues(shape);
    shapes.set(key, shape);
    return shape;
  };
  const undecided = new WeakMap<readonly SchemaPart[], MergedSchema>();
  return (parts, decisions = UNDECIDED) => {
    if (decisions.size > 0) return mergeByKey(parts, decisions);
    const known = undecided.get(parts);
    if (known !== undefined) return known;
    const shape = mergeByKey(parts);
    undecided.set(parts, shape);
    return shape;
  };
}

/** The target of a schema that is a reference and nothing else, so that all its uses share one shape; else the schemas themselves. */
function shareTarget(contract: Contract, parts: readonly SchemaPart[]): readonly SchemaPart[] {
  const [part] = parts;
  if (part === undefined || parts.length > 1 || !isKeywords(part.schema) || part.schema.$ref === undefined)
    return parts;
  // A subtype is recognized by its name.
  if (isComponent(part.pointer) || Object.keys(part.schema).length > 1) return parts;
  const target = follow(contract, part.schema.$ref);
  return target === undefined ? parts : [target];
}

interface Work {
  readonly contract: Contract;
  readonly shape: MutableShape;
  readonly decisions: Decisions;
  /** Pointers that are merged already: a cycle of `$ref` or `allOf` ends here. */
  readonly seen: Set<string>;
  /** The choices of the schemas that were merged before, by pointer: a merge for each of many branches reads them. */
  readonly choicesAt: Map<string, readonly Choice[]>;
}

function mergePart(work: Work, part: SchemaPart): void {
  const { contract, shape, seen } = work;
  const { schema, pointer } = part;
  if (seen.has(pointer)) return;
  seen.add(pointer);
  if (schema === false) shape.isImpossible = true;
  if (!isKeywords(schema)) return;
  const target = follow(contract, schema.$ref);
  if (target !== undefined) mergePart(work, target);
  mergeKeywords(shape, schema, pointer);
  if (Array.isArray(schema.allOf)) {
    schema.allOf.forEach((one, i) => mergePart(work, { schema: one, pointer: `${pointer}/allOf/${i}` }));
  }
  const choices = work.choicesAt.get(pointer) ?? readChoices(contract, schema, pointer);
  work.choicesAt.set(pointer, choices);
  for (const choice of choices) decide(work, choice);
  if (schema.oneOf !== undefined || schema.anyOf !== undefined) return;
  const discriminator = readDiscriminator(contract, schema);
  if (discriminator !== undefined) decide(work, readSubtypes(work, pointer, discriminator));
}

/** The parts of a schema that must all be valid: the target of its `$ref`, its own keywords without unions, the schemas of `allOf`. */
export function splitPart(contract: Contract, { schema, pointer }: SchemaPart): readonly SchemaPart[] {
  if (!isKeywords(schema)) return [];
  const { $ref, allOf, ...own } = schema;
  const target = follow(contract, $ref);
  const all = Array.isArray(allOf) ? (allOf as readonly Schema[]) : [];
  const parts = all.map((one, i) => ({ schema: one, pointer: `${pointer}/allOf/${i}` }));
  return [...(target === undefined ? [] : [target]), { schema: own, pointer: `${pointer}${SYNTHETIC}own` }, ...parts];
}

/** Resolves one `$ref`; undefined if its target does not exist. */
function follow(contract: Contract, reference: unknown): SchemaPart | undefined {
  const pointer = fromReference(reference);
  const schema = pointer === undefined ? undefined : contract.at(pointer);
  // The target of a schema's reference is a schema; anything else counts as one that every value fits.
  if (pointer === undefined || schema === undefined) return undefined;
  return { schema: isKeywords(schema) ? schema : schema !== false, pointer };
}

/** Merges the option that was decided or is the only one; else leaves the choice open. */
function decide(work: Work, choice: Choice | undefined): void {
  if (choice === undefined || work.seen.has(choice.id)) return;
  work.seen.add(choice.id);
  const { shape } = work;
  const index = work.decisions.get(choice.id) ?? (choice.options.length === 1 ? 0 : undefined);
  const option = index === undefined ? undefined : readOption(choice, index);
  if (option === undefined) {
    if (choice.options.length === 0) shape.isImpossible = true;
    else shape.choices.push(choice);
    return;
  }
  for (const part of option.add) mergePart(work, part);
  shape.forbidden.push(...(option.forbid ?? []));
  if (option.preset !== undefined) shape.presets.set(...option.preset);
}

/** The option with an index; indices past the last one are the same options with the negation of all others. */
function readOption({ options }: Choice, index: number): Option | undefined {
  const own = options[index % options.length];
  if (index < options.length || own === undefined) return own;
  return { ...own, forbid: options.filter((option) => option !== own).flatMap(({ add }) => add) };
}

/** Identifies a shape: by the schemas it is merged from, and the decisions. */
function readShapeKey(parts: readonly SchemaPart[], decisions: Decisions): string {
  let key = '';
  for (const part of parts) key += `${part.pointer}\n`;
  for (const [id, index] of decisions) key += `${id}=${index}\n`;
  return key;
}

/** The choices of one schema: keywords that can be satisfied in several ways. */
function readChoices(contract: Contract, schema: SchemaObject, pointer: string): readonly Choice[] {
  const discriminator = readDiscriminator(contract, schema);
  const at = (place: string, inner: Schema): SchemaPart => ({ schema: inner, pointer: `${pointer}/${place}` });
  const choices: Choice[] = [];
  for (const keyword of ['anyOf', 'oneOf'] as const) {
    const branches = schema[keyword];
    if (!Array.isArray(branches) || branches.length === 0) continue;
    const options = branches.map((branch: Schema, i) => ({
      add: [at(`${keyword}/${i}`, branch)],
      preset: discriminator && readPreset(contract, discriminator, branch),
    }));
    choices.push({ id: `?${pointer}/${keyword}`, keyword, options });
  }
  if (schema.not !== undefined) {
    const options = [{ add: [], forbid: [at('not', schema.not)] }];
    choices.push({ id: `?${pointer}/not`, keyword: 'not', options });
  }
  if (schema.if !== undefined && (schema.then !== undefined || schema.else !== undefined)) {
    const condition = at('if', schema.if);
    const then = schema.then === undefined ? [] : [at('then', schema.then)];
    const otherwise = schema.else === undefined ? [] : [at('else', schema.else)];
    const options = [{ add: [condition, ...then] }, { add: otherwise, forbid: [condition] }];
    choices.push({ id: `?${pointer}/if`, keyword: 'if', options });
  }
  return choices;
}

/** The ways not to fit a schema: a choice between its keywords; undefined for keywords that cannot be negated, which are left to chance. */
function readNegation(contract: Contract, { schema, pointer }: SchemaPart): Choice | undefined {
  const id = `${pointer}${SYNTHETIC}`;
  if (schema === true) return { id, keyword: 'not', options: [] };
  if (!isKeywords(schema)) return undefined;
  const target = follow(contract, schema.$ref);
  if (target !== undefined && Object.keys(schema).length === 1) return readNegation(contract, target);
  const options: Option[] = [];
  const add = (keywords: SchemaObject, name: string): void => {
    options.push({ add: [{ schema: keywords, pointer: `${pointer}${SYNTHETIC}${name}` }] });
  };
  if (Array.isArray(schema.required)) {
    for (const name of schema.required) add({ properties: { [name]: false } }, `required-${name}`);
  }
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    add({ required: [name], properties: { [name]: { not: property } } }, `property-${name}`);
  }
  if (schema.type !== undefined) {
    const given = new Set([schema.type].flat());
    if (given.has('number') || given.has('integer')) given.add('number').add('integer');
    add({ type: SCHEMA_TYPES.filter((type) => !given.has(type)) }, 'type');
  }
  if (schema.const !== undefined) add({ 'x-vouch-excluded': [schema.const] }, 'const');
  if (Array.isArray(schema.enum)) add({ 'x-vouch-excluded': schema.enum }, 'enum');
  for (const [name, opposite, step] of OPPOSITE_BOUNDS) {
    const bound = schema[name];
    if (typeof bound === 'number') add({ [opposite]: bound + step }, name);
  }
  if (Array.isArray(schema.anyOf) || Array.isArray(schema.oneOf)) {
    const branches = readBranches(schema);
    add({ allOf: branches.map((branch) => ({ not: branch })) }, 'branches');
  }
  if (isObject(schema.not)) add({ allOf: [schema.not] }, 'not');
  return options.length === 0 ? undefined : { id, keyword: 'not', options };
}

/** Keywords that set a bound: each one with the keyword that requires the opposite, and the distance of its bound. */
const OPPOSITE_BOUNDS = [
  ['minimum', 'exclusiveMaximum', 0],
  ['maximum', 'exclusiveMinimum', 0],
  ['minLength', 'maxLength', -1],
  ['maxLength', 'minLength', 1],
  ['minItems', 'maxItems', -1],
  ['maxItems', 'minItems', 1],
] as const;

/** The property of a discriminator, and its mapping with the schemas that it names (OpenAPI 3.1 section 4.8.25). */
interface Discriminator {
  readonly property: string;
  readonly mapping: readonly {
    readonly value: string;
    readonly reference: string;
    readonly target?: SchemaPart | undefined;
  }[];
  /** The value for each reference. */
  readonly values: ReadonlyMap<string, string>;
}

function readDiscriminator(contract: Contract, { discriminator }: SchemaObject): Discriminator | undefined {
  if (!isKeywords(discriminator) || typeof discriminator.propertyName !== 'string') return undefined;
  const mapping = Object.entries(discriminator.mapping ?? {}).map(([value, reference]) => {
    const target = follow(contract, reference.startsWith('#') ? reference : `#/components/schemas/${reference}`);
    return { value, reference, target };
  });
  const values = new Map<string, string>();
  // The first value of a schema counts.
  for (const { value, reference, target } of mapping.toReversed()) {
    values.set(reference, value);
    if (target !== undefined) values.set(`#${target.pointer}`, value);
  }
  return { property: discriminator.propertyName, mapping, values };
}

/** The value of a discriminator for one branch: its name in the mapping, else the last step of its reference. */
function readPreset(contract: Contract, { property, values }: Discriminator, branch: Schema): Option['preset'] {
  if (!isKeywords(branch) || typeof branch.$ref !== 'string') return undefined;
  const { $ref } = branch;
  const pointer = follow(contract, $ref)?.pointer;
  const mapped = values.get($ref) ?? values.get(`#${pointer}`);
  const value = mapped ?? readName($ref);
  return value === '' && mapped === undefined ? undefined : [property, value];
}

/**
 * The choice of a discriminator in a base schema, whose subtypes refer back to it by `allOf`.
 *
 * If a mapped subtype is being merged already, it is the only option; without a mapping the name of the component is the value
 * (OpenAPI 3.1 section 4.8.25.1).
 */
function readSubtypes({ contract, seen }: Work, pointer: string, discriminator: Discriminator): Choice | undefined {
  const { property, mapping } = discriminator;
  const subtypes = mapping.flatMap(({ value, target }) => (target === undefined ? [] : [{ value, target }]));
  const current = subtypes.find(({ target }) => target.pointer !== pointer && seen.has(target.pointer));
  const toChoice = (options: readonly { readonly value: string; readonly target?: SchemaPart }[]): Choice => ({
    id: `?${pointer}/discriminator`,
    keyword: 'discriminator',
    options: options.map(({ value, target }) => ({ add: target ? [target] : [], preset: [property, value] })),
  });
  if (current !== undefined) return toChoice([{ value: current.value }]);
  if (subtypes.length > 0) return toChoice(subtypes);
  const subtype = [...seen].find((one) => isComponent(one) && hasAllOf(follow(contract, `#${one}`)));
  const component = subtype ?? (isComponent(pointer) ? pointer : undefined);
  return component === undefined ? undefined : toChoice([{ value: readName(component) }]);
}

function readName(pointer: string): string {
  return pointer.slice(pointer.lastIndexOf('/') + 1);
}

function isComponent(pointer: string): boolean {
  return /^\/components\/schemas\/[^/]+$/.test(pointer);
}

function hasAllOf(part: SchemaPart | undefined): boolean {
  return part !== undefined && isKeywords(part.schema) && part.schema.allOf !== undefined;
}

type MergeKeyword = (
  shape: MutableShape,
  value: unknown,
  at: { readonly schema: SchemaObject; readonly pointer: string },
) => void;

/** Merges the keywords of one schema into a shape, except references, unions and conditions. */
function mergeKeywords(shape: MutableShape, schema: SchemaObject, pointer: string): void {
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
    // Null, an empty list and an empty object say that there is no value by default.
    default: (shape, value) => void (isEmptyValue(value) ? undefined : shape.suggestions.push(value)),
    example: (shape, value) => void shape.suggestions.unshift(value),
    examples: (shape, value) => {
      if (Array.isArray(value)) shape.suggestions.unshift(...value);
    },
    'x-faker': (shape, value) => void (shape.faker ??= value),
    title: (shape, value) => void (shape.title ??= String(value)),
    contentEncoding: (shape, value) => void (shape.contentEncoding ??= String(value)),
    contentSchema: (shape, value, { schema, pointer }) => {
      if (schema.contentEncoding !== undefined || !isJsonType(schema.contentMediaType ?? 'application/json')) return;
      shape.content ??= { schema: value as Schema, pointer: `${pointer}/contentSchema` };
    },
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
  const isGiven = (value: unknown): boolean => given.some((other) => isEqualJson(value, other));
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
function checkValues(shape: MutableShape): void {
  shape.values = shape.values?.filter(
    (value) =>
      allowsType(shape.types, readJsonType(value)) && !shape.excluded.some((other) => isEqualJson(value, other)),
  );
  const { types, values } = shape;
  if (types?.size === 0 || values?.length === 0) shape.isImpossible = true;
  const bounds = types?.size === 1 ? BOUNDS.filter(({ of }) => of.some((type) => types.has(type))) : [];
  if (bounds.some(({ from, to }) => shape[from] > shape[to])) shape.isImpossible = true;
}

function isEmptyValue(value: unknown): boolean {
  return value === null || (typeof value === 'object' && Object.keys(value).length === 0);
}
