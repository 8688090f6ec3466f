import type { Contract } from '../../contract/contract.js';
import { isObject, type Schema, type SchemaObject } from '../../contract/json.js';
import { fromReference } from '../../contract/pointer.js';
import { checkValues, mergeKeywords } from './merge-keywords.js';
import {
  type Choice,
  createShape,
  isKeywords,
  type MutableShape,
  type Option,
  type Part,
  type Shape,
  SYNTHETIC,
} from './shape.js';

/** The option taken of each choice, by the id of the choice. */
export type Decisions = ReadonlyMap<string, number>;

/** Every choice is still open. */
export const UNDECIDED: Decisions = new Map();

/** Merges schemas that one value must fit, with some choices made. */
export interface SchemaMerger {
  merge(parts: readonly Part[], decisions: Decisions): Shape;
  /** Resolves one `$ref`; undefined if its target does not exist. */
  follow(reference: string): Part | undefined;
}

/** Creates a merger for one contract; every shape is built once. */
export function createSchemaMerger(contract: Contract): SchemaMerger {
  const shapes = new Map<string, Shape>();
  const targets = new Map<string, Part | undefined>();
  const follow = (reference: string): Part | undefined => {
    if (targets.has(reference)) return targets.get(reference);
    const target = find(reference);
    targets.set(reference, target);
    return target;
  };
  const find = (reference: string): Part | undefined => {
    const pointer = fromReference(reference);
    const schema = pointer === undefined ? undefined : contract.at(pointer);
    // The target of a schema's reference is a schema; anything else counts as one that every value fits.
    if (pointer === undefined || schema === undefined) return undefined;
    return { schema: isKeywords(schema) ? schema : schema !== false, pointer };
  };
  const merge: MergePart = (shape, part, work) => {
    if (work.seen.has(part.pointer)) return;
    work.seen.add(part.pointer);
    if (part.schema === false) shape.impossible ??= `nothing is allowed at ${part.pointer}`;
    if (!isKeywords(part.schema)) return;
    const { schema, pointer } = part;
    const reference = schema.$ref ?? schema.$dynamicRef;
    const target = typeof reference === 'string' ? follow(reference) : undefined;
    if (target !== undefined) merge(shape, target, work);
    mergeKeywords(shape, schema, part);
    if (Array.isArray(schema.allOf)) {
      schema.allOf.forEach((one, i) => merge(shape, { schema: one, pointer: `${pointer}/allOf/${i}` }, work));
    }
    for (const choice of readChoices(schema, part, follow)) decide(shape, choice, { ...work, merge });
    const subtypes =
      schema.discriminator === undefined ? undefined : readSubtypes({ schema, part, seen: work.seen, follow });
    if (subtypes !== undefined) decide(shape, subtypes, { ...work, merge });
  };
  const build = (parts: readonly Part[], decisions: Decisions): Shape => {
    const shape = createShape();
    const work = { seen: new Set<string>(), decisions };
    for (const part of parts) merge(shape, part, work);
    for (const part of shape.forbidden) {
      for (const choice of readNegations(part, follow)) decide(shape, choice, { ...work, merge });
    }
    checkValues(shape);
    return shape;
  };
  return {
    follow,
    merge(parts, decisions) {
      const key = readShapeKey(parts, decisions);
      const known = shapes.get(key);
      if (known !== undefined) return known;
      const shape = build(parts, decisions);
      shapes.set(key, shape);
      return shape;
    },
  };
}

interface Work {
  /** Pointers that are merged already: a cycle of `$ref` or `allOf` ends here. */
  readonly seen: Set<string>;
  readonly decisions: Decisions;
}

type MergePart = (shape: MutableShape, part: Part, work: Work) => void;

/** Merges the option that was decided or is the only one; else leaves the choice open. */
function decide(shape: MutableShape, choice: Choice, work: Work & { readonly merge: MergePart }): void {
  if (work.seen.has(choice.id)) return;
  work.seen.add(choice.id);
  const decided = work.decisions.get(choice.id) ?? (choice.options.length === 1 ? 0 : undefined);
  const option = decided === undefined ? undefined : readOption(choice, decided);
  if (option === undefined) {
    if (choice.options.length === 0) shape.impossible ??= `no option at ${choice.id}`;
    else shape.choices.push(choice);
    return;
  }
  for (const part of option.add) work.merge(shape, part, work);
  shape.forbidden.push(...option.forbid);
  if (option.preset !== undefined) shape.presets.set(...option.preset);
}

/** The choices of one schema: keywords that can be satisfied in several ways. */
function readChoices(schema: SchemaObject, part: Part, follow: SchemaMerger['follow']): readonly Choice[] {
  const { pointer } = part;
  const choices: Choice[] = [];
  for (const keyword of ['anyOf', 'oneOf'] as const) {
    const branches = schema[keyword];
    if (!Array.isArray(branches) || branches.length === 0) continue;
    const options = branches.map((branch: Schema, i): Option => {
      const one = { schema: branch, pointer: `${pointer}/${keyword}/${i}` };
      const preset = readDiscriminator(schema, branch, follow);
      return preset === undefined ? { add: [one], forbid: [] } : { add: [one], forbid: [], preset };
    });
    const isExact = keyword === 'oneOf' && options.length > 1;
    choices.push({ id: `?${pointer}/${keyword}`, keyword, options, isExact });
  }
  if (schema.not !== undefined) {
    const options = [{ add: [], forbid: [{ schema: schema.not, pointer: `${pointer}/not` }] }];
    choices.push({ id: `?${pointer}/not`, keyword: 'not', options, isExact: false });
  }
  if (schema.if !== undefined && (schema.then !== undefined || schema.else !== undefined)) {
    const condition = { schema: schema.if, pointer: `${pointer}/if` };
    const then = schema.then === undefined ? [] : [{ schema: schema.then, pointer: `${pointer}/then` }];
    const otherwise = schema.else === undefined ? [] : [{ schema: schema.else, pointer: `${pointer}/else` }];
    const options = [
      { add: [condition, ...then], forbid: [] },
      { add: otherwise, forbid: [condition] },
    ];
    choices.push({ id: `?${pointer}/if`, keyword: 'if', options, isExact: false });
  }
  return choices;
}

/** The option with an index; indices past the last one are the same options with the negation of all others. */
function readOption({ options, isExact }: Choice, index: number): Option | undefined {
  const own = options[index % options.length];
  if (index < options.length || own === undefined) return options[index];
  if (!isExact) return undefined;
  const others = options.filter((option) => option !== own);
  return { ...own, forbid: others.flatMap(({ add }) => add) };
}

/** Identifies a shape: by the schemas it is merged from, and the decisions. */
export function readShapeKey(parts: readonly Part[], decisions: Decisions): string {
  let key = '';
  for (const part of parts) key += `${part.pointer}\n`;
  for (const [id, index] of decisions) key += `${id}=${index}\n`;
  return key;
}

/** The ways not to fit a schema: a choice between its keywords; none for keywords that cannot be negated, which are left to chance. */
function readNegations(part: Part, follow: (reference: string) => Part | undefined): readonly Choice[] {
  const { schema, pointer } = part;
  if (schema === true) return [{ id: `${pointer}${SYNTHETIC}`, keyword: 'not', options: [], isExact: false }];
  if (!isKeywords(schema)) return [];
  const options: Option[] = [];
  const target = typeof schema.$ref === 'string' ? follow(schema.$ref) : undefined;
  if (target !== undefined && Object.keys(schema).length === 1) return readNegations(target, follow);
  const add = (keywords: object, name: string): void => {
    options.push({ add: [{ schema: { ...keywords }, pointer: `${pointer}${SYNTHETIC}${name}` }], forbid: [] });
  };
  if (Array.isArray(schema.required)) {
    for (const name of schema.required) add({ properties: { [name]: false } }, `required-${name}`);
  }
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const inner = { schema: property, pointer: `${pointer}/properties/${name}` };
    add({ required: [name], properties: { [name]: { not: inner.schema } } }, `property-${name}`);
  }
  const types = schema.type;
  if (types !== undefined) {
    const given = new Set<unknown>(Array.isArray(types) ? types : [types]);
    const left = ['object', 'string', 'integer', 'number', 'boolean', 'array', 'null'].filter(
      (type) =>
        !given.has(type) &&
        !(type === 'integer' && given.has('number')) &&
        !(type === 'number' && given.has('integer')),
    );
    add({ type: left }, 'type');
  }
  if (schema.const !== undefined) add({ 'x-vouch-excluded': [schema.const] }, 'const');
  if (Array.isArray(schema.enum)) add({ 'x-vouch-excluded': schema.enum }, 'enum');
  for (const [name, opposite, step] of OPPOSITE_BOUNDS) {
    const bound = schema[name];
    if (typeof bound === 'number') add({ [opposite]: bound + step }, name);
  }
  if (Array.isArray(schema.anyOf) || Array.isArray(schema.oneOf)) {
    const branches = [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])];
    add({ allOf: branches.map((branch) => ({ not: branch })) }, 'branches');
  }
  if (isObject(schema.not)) add({ allOf: [schema.not] }, 'not');
  return options.length === 0 ? [] : [{ id: `${pointer}${SYNTHETIC}`, keyword: 'not', options, isExact: false }];
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

/**
 * The property of a discriminator and its value for one branch (OpenAPI 3.1 section 4.8.25): its name in the mapping, else the
 * last step of its reference. Undefined without a discriminator, or for a branch without a name.
 */
function readDiscriminator(
  schema: SchemaObject,
  branch: Schema,
  follow: (reference: string) => Part | undefined,
): readonly [name: string, value: string] | undefined {
  const discriminator = schema.discriminator;
  if (!isKeywords(discriminator) || typeof discriminator.propertyName !== 'string') return undefined;
  if (!isKeywords(branch) || typeof branch.$ref !== 'string') return undefined;
  const target = follow(branch.$ref)?.pointer;
  for (const [value, reference] of Object.entries(discriminator.mapping ?? {})) {
    if (reference === branch.$ref) return [discriminator.propertyName, value];
    const mapped = follow(reference.startsWith('#') ? reference : `#/components/schemas/${reference}`);
    if (mapped !== undefined && mapped.pointer === target) return [discriminator.propertyName, value];
  }
  const name = branch.$ref.slice(branch.$ref.lastIndexOf('/') + 1);
  return name === '' ? undefined : [discriminator.propertyName, name];
}

/** A schema with a discriminator, and the pointers merged with it so far. */
interface DiscriminatorSchema {
  readonly schema: SchemaObject;
  readonly part: Part;
  readonly seen: ReadonlySet<string>;
  follow(reference: string): Part | undefined;
}

/**
 * The choice of a discriminator in a base schema, whose subtypes refer back to it by `allOf`.
 *
 * If a mapped subtype is being merged already, it is the only option; without a mapping the name of the component is the value
 * (OpenAPI 3.1 section 4.8.25.1). Undefined beside `oneOf` and `anyOf`, whose branches are choices themselves.
 */
function readSubtypes({ schema, part, seen, follow }: DiscriminatorSchema): Choice | undefined {
  const discriminator = schema.discriminator;
  if (!isKeywords(discriminator) || typeof discriminator.propertyName !== 'string') return undefined;
  if (schema.oneOf !== undefined || schema.anyOf !== undefined) return undefined;
  const name = discriminator.propertyName;
  const subtypes = Object.entries(discriminator.mapping ?? {}).flatMap(([value, reference]) => {
    const target = follow(reference.startsWith('#') ? reference : `#/components/schemas/${reference}`);
    return target === undefined ? [] : [{ value, target }];
  });
  const current = subtypes.find(({ target }) => target.pointer !== part.pointer && seen.has(target.pointer));
  const toOption = (value: string, add: readonly Part[]): Option => ({ add, forbid: [], preset: [name, value] });
  const id = `?${part.pointer}/discriminator`;
  if (current !== undefined)
    return { id, keyword: 'discriminator', options: [toOption(current.value, [])], isExact: false };
  if (subtypes.length > 0) {
    const options = subtypes.map(({ value, target }) => toOption(value, [target]));
    return { id, keyword: 'discriminator', options, isExact: false };
  }
  const subtype = [...seen].find((pointer) => isComponent(pointer) && hasAllOf(follow(`#${pointer}`)));
  const pointer = subtype ?? (isComponent(part.pointer) ? part.pointer : undefined);
  if (pointer === undefined) return undefined;
  const value = pointer.slice(pointer.lastIndexOf('/') + 1);
  return { id, keyword: 'discriminator', options: [toOption(value, [])], isExact: false };
}

function isComponent(pointer: string): boolean {
  return /^\/components\/schemas\/[^/]+$/.test(pointer);
}

function hasAllOf(part: Part | undefined): boolean {
  return part !== undefined && isKeywords(part.schema) && part.schema.allOf !== undefined;
}
