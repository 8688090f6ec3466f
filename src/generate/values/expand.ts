import type { Contract } from '../../contract/contract.js';
import { isObject, type Schema, type SchemaObject } from '../../contract/json.js';
import { fromReference } from '../../contract/pointer.js';
import { closeDraft, foldKeywords } from './fold.js';
import {
  type Choice,
  createDraft,
  type Draft,
  isKeywords,
  type Option,
  type Part,
  type Shape,
  SYNTHETIC,
} from './shape.js';

/** Which option was taken of each choice, by the choice's id. */
export type Decisions = ReadonlyMap<string, number>;

/** No choice made yet. */
export const UNDECIDED: Decisions = new Map();

/** Folds schemas that must all hold into one shape, with some choices made. */
export interface Expander {
  expand(parts: readonly Part[], decisions: Decisions): Shape;
  /** Follows one `$ref`; undefined where it leads nowhere. */
  follow(reference: string): Part | undefined;
}

/** Creates an expander over one contract; shapes are folded once and kept. */
export function createExpander(contract: Contract): Expander {
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
    // What stands at the target of a schema's reference is a schema; anything else is taken for one that demands nothing.
    if (pointer === undefined || schema === undefined) return undefined;
    return { schema: isKeywords(schema) ? schema : schema !== false, pointer };
  };
  const fold: FoldPart = (draft, part, work) => {
    if (work.seen.has(part.pointer)) return;
    work.seen.add(part.pointer);
    if (part.schema === false) draft.impossible ??= `nothing is allowed at ${part.pointer}`;
    if (!isKeywords(part.schema)) return;
    const { schema, pointer } = part;
    const reference = schema.$ref ?? schema.$dynamicRef;
    const target = typeof reference === 'string' ? follow(reference) : undefined;
    if (target !== undefined) fold(draft, target, work);
    foldKeywords(draft, schema, part);
    if (Array.isArray(schema.allOf)) {
      schema.allOf.forEach((one, i) => fold(draft, { schema: one, pointer: `${pointer}/allOf/${i}` }, work));
    }
    for (const choice of readChoices(schema, part, follow)) decide(draft, choice, { ...work, fold });
    const heirs = schema.discriminator === undefined ? undefined : readHeirs({ schema, part, seen: work.seen, follow });
    if (heirs !== undefined) decide(draft, heirs, { ...work, fold });
  };
  const build = (parts: readonly Part[], decisions: Decisions): Shape => {
    const draft = createDraft();
    const work = { seen: new Set<string>(), decisions };
    for (const part of parts) fold(draft, part, work);
    for (const part of draft.forbidden) {
      for (const choice of readNegations(part, follow)) decide(draft, choice, { ...work, fold });
    }
    closeDraft(draft);
    return draft;
  };
  return {
    follow,
    expand(parts, decisions) {
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
  /** Pointers folded already: a cycle of `$ref` or `allOf` ends here. */
  readonly seen: Set<string>;
  readonly decisions: Decisions;
}

type FoldPart = (draft: Draft, part: Part, work: Work) => void;

/** Takes the option that was decided, or the only one there is, or leaves the choice open. */
function decide(draft: Draft, choice: Choice, work: Work & { readonly fold: FoldPart }): void {
  if (work.seen.has(choice.id)) return;
  work.seen.add(choice.id);
  const decided = work.decisions.get(choice.id) ?? (choice.options.length === 1 ? 0 : undefined);
  const option = decided === undefined ? undefined : readOption(choice, decided);
  if (option === undefined) {
    if (choice.options.length === 0) draft.impossible ??= `no option at ${choice.id}`;
    else draft.choices.push(choice);
    return;
  }
  draft.free = false;
  for (const part of option.add) work.fold(draft, part, work);
  draft.forbidden.push(...option.forbid);
  if (option.preset !== undefined) draft.presets.set(...option.preset);
}

/** The keywords of one schema that can be satisfied in more than one way. */
function readChoices(schema: SchemaObject, part: Part, follow: Expander['follow']): readonly Choice[] {
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

/** The option of a number; numbers past the last one mean the same options with the opposite of all the others. */
function readOption({ options, isExact }: Choice, index: number): Option | undefined {
  const own = options[index % options.length];
  if (index < options.length || own === undefined) return options[index];
  if (!isExact) return undefined;
  const others = options.filter((option) => option !== own);
  return { ...own, forbid: others.flatMap(({ add }) => add) };
}

/** What tells one shape from another: the parts it is folded of, and how its choices are made. */
export function readShapeKey(parts: readonly Part[], decisions: Decisions): string {
  let key = '';
  for (const part of parts) key += `${part.pointer}\n`;
  for (const [id, index] of decisions) key += `${id}=${index}\n`;
  return key;
}

/**
 * Ways not to fit a schema, for the plain forms of `not`: one choice between the keywords that can be broken. A schema of
 * another form gives none, and the value is left to luck and the validator.
 */
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
  if (typeof schema.minimum === 'number') add({ exclusiveMaximum: schema.minimum }, 'minimum');
  if (typeof schema.maximum === 'number') add({ exclusiveMinimum: schema.maximum }, 'maximum');
  if (typeof schema.minLength === 'number') add({ maxLength: schema.minLength - 1 }, 'minLength');
  if (typeof schema.maxLength === 'number') add({ minLength: schema.maxLength + 1 }, 'maxLength');
  if (typeof schema.minItems === 'number') add({ maxItems: schema.minItems - 1 }, 'minItems');
  if (typeof schema.maxItems === 'number') add({ minItems: schema.maxItems + 1 }, 'maxItems');
  if (Array.isArray(schema.anyOf) || Array.isArray(schema.oneOf)) {
    const branches = [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])];
    add({ allOf: branches.map((branch) => ({ not: branch })) }, 'branches');
  }
  if (isObject(schema.not)) add({ allOf: [schema.not] }, 'not');
  return options.length === 0 ? [] : [{ id: `${pointer}${SYNTHETIC}`, keyword: 'not', options, isExact: false }];
}

/**
 * The property a discriminator reads and the value it has for one branch (OpenAPI 3.1 section 4.8.25): the name the mapping
 * gives the branch, else the last step of its reference. Undefined without a discriminator, or for a branch without a name.
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

/** The place a discriminator stands in, and what has been folded with it so far. */
interface DiscriminatorPlace {
  readonly schema: SchemaObject;
  readonly part: Part;
  readonly seen: ReadonlySet<string>;
  follow(reference: string): Part | undefined;
}

/**
 * The choice a discriminator makes in a base schema, whose heirs refer back to it by `allOf`: which heir this is.
 *
 * Where one of the mapped heirs is being folded already, it is that one; without a mapping the name of the component is the
 * value (OpenAPI 3.1 section 4.8.25.1). Undefined beside `oneOf` and `anyOf`, whose branches are chosen there.
 */
function readHeirs({ schema, part, seen, follow }: DiscriminatorPlace): Choice | undefined {
  const discriminator = schema.discriminator;
  if (!isKeywords(discriminator) || typeof discriminator.propertyName !== 'string') return undefined;
  if (schema.oneOf !== undefined || schema.anyOf !== undefined) return undefined;
  const name = discriminator.propertyName;
  const heirs = Object.entries(discriminator.mapping ?? {}).flatMap(([value, reference]) => {
    const target = follow(reference.startsWith('#') ? reference : `#/components/schemas/${reference}`);
    return target === undefined ? [] : [{ value, target }];
  });
  const current = heirs.find(({ target }) => target.pointer !== part.pointer && seen.has(target.pointer));
  const toOption = (value: string, add: readonly Part[]): Option => ({ add, forbid: [], preset: [name, value] });
  const id = `?${part.pointer}/discriminator`;
  if (current !== undefined)
    return { id, keyword: 'discriminator', options: [toOption(current.value, [])], isExact: false };
  if (heirs.length > 0) {
    const options = heirs.map(({ value, target }) => toOption(value, [target]));
    return { id, keyword: 'discriminator', options, isExact: false };
  }
  const heir = [...seen].find((pointer) => isComponent(pointer) && hasAllOf(follow(`#${pointer}`)));
  const pointer = heir ?? (isComponent(part.pointer) ? part.pointer : undefined);
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
