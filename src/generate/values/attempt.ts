import type { Random } from '../../base/random.js';
import type { Vocabulary } from '../text/vocabulary.js';
import {
  type MergeSchemas,
  type SchemaPart,
  type MergedSchema,
  type ValuePlace,
  allowsType,
  decide,
  guessContainer,
  readContainedParts,
  readItemParts,
  readPropertyParts,
} from './shape.js';

/** The result for a schema that no value fits. */
export const IMPOSSIBLE: unique symbol = Symbol('impossible');

/** Parts of the largest value that is generated: a document that requires a larger one would stop the mock. */
export const MAX_VALUES = 100_000;

/** From this number on `ValuePlace.repeats` selects the values of a range in turn, so that a list can hold all of them. */
export const ENUMERATE = 1000;

/** Levels of objects that follow an example: a recursive schema may have one at each level. */
export const MAX_EXAMPLE_DEPTH = 8;

/** One attempt to generate one value. */
export interface Attempt {
  readonly direction: 'request' | 'response';
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Whether the whole value is a field of a response. */
  readonly isHeader: boolean;
  readonly merge: MergeSchemas;
  readonly minimumDepth: MinimumDepth;
  readonly vocabulary: Vocabulary;
  /** Values from the request by plain names, see `toBareName`. */
  readonly known: ReadonlyMap<string, unknown>;
  /** Whether a partial value is completed with optional properties too. */
  readonly full: boolean;
  /** Whether the value is one of several: what they have used is varied. */
  readonly isVaried: boolean;
  /** Whether a schema that no value fits gets the value of a part of it. */
  readonly isTolerant: boolean;
  /** The parts of a schema that must all be valid: its references, its own keywords, then the schemas of `allOf`. */
  split(part: SchemaPart): readonly SchemaPart[];
  /** Pointers that were wrong in an earlier attempt, and how often. */
  readonly mistakes: ReadonlyMap<string, number>;
  /** Whether schemas were found that obviously no value fits. */
  isContradictory: boolean;
  /** Values generated so far; above a limit no more alternatives are tried. */
  steps: number;
  /** A random stream that depends on its name only. @param stream - The hash of the name. */
  random(stream: number, purpose?: string): Random;
  /** Whether a value fits a schema; true for a schema that is not in the document. */
  fits(part: SchemaPart, value: unknown): boolean;
  /** A value for schemas that must all be valid; `IMPOSSIBLE` if none was found. */
  make(parts: readonly SchemaPart[], place: ValuePlace): unknown;
}

/** Whether the value of a place was wrong in an earlier attempt. */
export function isMistaken({ mistakes }: Attempt, { path }: ValuePlace): boolean {
  // Most values are right at once, and a path is costly to look up.
  return mistakes.size > 0 && mistakes.has(path);
}

/** Whether an example is used: not for an identifier, for a duplicate, and after a mistake. */
export function takesExamples(attempt: Attempt, place: ValuePlace, { suggestions }: MergedSchema): boolean {
  if (suggestions.length === 0 || place.repeats > 0 || isMistaken(attempt, place)) return false;
  return !attempt.vocabulary.about(place.name).isIdentifier;
}

/** The example that a value is like: the hint, else the next one of the schema; undefined if there is none, or none is used. */
export function readExample(attempt: Attempt, place: ValuePlace, shape: MergedSchema): unknown {
  if (place.hint !== undefined) return place.hint;
  if (!takesExamples(attempt, place, shape)) return undefined;
  return shape.suggestions[place.index % shape.suggestions.length];
}

/** Everything a function that generates one type of value needs. */
export interface ValueTask {
  readonly attempt: Attempt;
  readonly place: ValuePlace;
  readonly shape: MergedSchema;
  /** The schemas that the shape was merged from. */
  readonly parts: readonly SchemaPart[];
}

/** The levels of nesting of the flattest value: 0 for a scalar or an empty container, `ENDLESS` if there is no end. */
type MinimumDepth = (shape: MergedSchema) => number;

/** The depth of schemas without a value, or without a flat one. */
export const ENDLESS = 9;

/** Creates a function that finds out how soon a recursive schema can end; each result is kept. */
export function createMinimumDepth(merge: MergeSchemas): MinimumDepth {
  /** By levels, from 0. */
  const known = new WeakMap<MergedSchema, (boolean | undefined)[]>();
  const fits = (shape: MergedSchema, levels: number): boolean => {
    const results = known.get(shape) ?? [];
    const before = results[levels];
    if (before !== undefined) return before;
    if (results.length === 0) known.set(shape, results);
    results[levels] = false;
    const result = measure(shape, levels);
    results[levels] = result;
    return result;
  };
  const measure = (shape: MergedSchema, levels: number): boolean => {
    if (shape.isImpossible) return false;
    const [choice] = shape.choices;
    if (choice !== undefined) return choice.options.some((_, i) => fits(decide(merge, shape, i), levels));
    if (isFlat(shape)) return true;
    if (levels === 0) return false;
    const children = readRequiredChildren(shape);
    return children !== undefined && children.every((child) => fits(merge(child), levels - 1));
  };
  return (shape) => {
    let depth = 0;
    while (depth < ENDLESS && !fits(shape, depth)) depth++;
    return depth;
  };
}

/** Whether a value of the shape can be a scalar or an empty container. */
function isFlat(shape: MergedSchema): boolean {
  if (shape.values !== undefined) return true;
  const { types } = shape;
  if (types === undefined && guessContainer(shape) === undefined) return true;
  if (types !== undefined && [...types].some((type) => type !== 'object' && type !== 'array')) return true;
  if (allowsType(types, 'object') && shape.required.size === 0 && shape.minProperties === 0) return true;
  if (types === undefined || !allowsType(types, 'array')) return false;
  return shape.minItems === 0 && shape.contains.every(({ minimum }) => minimum === 0);
}

/** The schemas of the children that every value of the shape has; undefined if one of them is not allowed. */
function readRequiredChildren(shape: MergedSchema): readonly (readonly SchemaPart[])[] | undefined {
  const children: (readonly SchemaPart[])[] = [];
  if (allowsType(shape.types, 'object')) {
    for (const name of shape.required) {
      const parts = readPropertyParts(shape, name);
      if (parts === undefined) return undefined;
      children.push(parts);
    }
    return children;
  }
  const item = readItemParts(shape, 0);
  const contained = shape.contains.filter(({ minimum }) => minimum > 0);
  if (item === undefined && contained.length === 0) return undefined;
  if (item !== undefined) children.push(item);
  for (const { part } of contained) {
    const parts = readContainedParts(shape, shape.prefixItems.length, [part]);
    if (parts === undefined) return undefined;
    children.push(parts);
  }
  return children;
}
