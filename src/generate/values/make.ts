import { isObject, filterMembers, type JsonType, readJsonType } from '../../base/json.js';
import { hashText } from '../../base/random.js';
import { type Attempt, IMPOSSIBLE, isMistaken, MAX_VALUES, readExample, type ValueTask } from './attempt.js';
import { makeArray } from './make-array.js';
import { makeObject } from './make-object.js';
import { hasIntegerFormat, makeNumber, makeString } from './make-scalar.js';
import {
  accepts,
  acceptsGiven,
  acceptsListed,
  allowsType,
  type Choice,
  decide,
  guessContainer,
  isKeywords,
  type OptionPlan,
  type SchemaPart,
  readPropertyParts,
  SYNTHETIC,
  type MergedSchema,
  type Option,
  type ValuePlace,
} from './shape.js';

/** A schema that requires more levels of objects counts as endless. */
const MAX_DEPTH = 40;
/** The depth at which a value for contradictory schemas ends. */
const MAX_TOLERANT_DEPTH = 8;
/** Values generated before no more alternatives are tried. */
const MAX_STEPS = 50_000;
/** Alternatives tried at one place. */
const MAX_WAYS = 24;

/** Generates a value for schemas that must all be valid; `IMPOSSIBLE` if none was found. */
export function make(attempt: Attempt, parts: readonly SchemaPart[], place: ValuePlace): unknown {
  if (attempt.steps++ > MAX_VALUES) return IMPOSSIBLE;
  if (attempt.isTolerant && place.depth > MAX_TOLERANT_DEPTH) return null;
  if (place.depth > MAX_DEPTH) {
    // No finite value fits a schema that requires itself.
    attempt.isContradictory = true;
    return IMPOSSIBLE;
  }
  if (place.given !== undefined && !isContainer(place.given)) return place.given;
  const mistakes = attempt.mistakes.get(place.path) ?? 0;
  const search: Search = { attempt, parts, place, mistakes, found: IMPOSSIBLE, ways: 0, left: MAX_COMBINATIONS };
  tryShape(search, attempt.merge(parts));
  if (search.ways === 0 && search.found === IMPOSSIBLE) attempt.isContradictory = true;
  return search.found === IMPOSSIBLE && attempt.isTolerant ? makeFromPart(attempt, parts, place) : search.found;
}

/** Combinations of choices looked at for one place. */
const MAX_COMBINATIONS = 400;

/** The search for the value of a place among the forms that its schemas allow. */
interface Search extends Omit<ValueTask, 'shape'> {
  readonly mistakes: number;
  found: unknown;
  ways: number;
  left: number;
}

/** Tries a shape, or those that result from all ways to make its choices, the most likely one first. @returns whether the search is over. */
function tryShape(search: Search, shape: MergedSchema): boolean {
  if (search.left-- <= 0 || shape.isImpossible) return false;
  const { attempt, place } = search;
  if (place.given !== undefined && !acceptsGiven(shape, place.given)) return false;
  const [choice] = shape.choices;
  if (choice === undefined) return tryVariants(search, shape);
  for (const option of orderOptions(attempt, place, shape))
    if (tryShape(search, decide(attempt.merge, shape, option))) return true;
  // After a mistake a branch of `oneOf` is also tried with the negation of all others.
  if (choice.keyword !== 'oneOf' || !isMistaken(attempt, place)) return false;
  const { length } = choice.options;
  for (let i = 0; i < length; i++) if (tryShape(search, decide(attempt.merge, shape, length + i))) return true;
  return false;
}

function tryVariants(search: Search, shape: MergedSchema): boolean {
  const { attempt, place, parts, mistakes } = search;
  if (mistakes === 0) {
    search.found = fromShape({ attempt, place, shape, parts });
    if (search.found !== IMPOSSIBLE) return true;
  } else {
    for (const variant of listVariants(place, mistakes)) {
      const value = fromShape({ attempt, place: variant, shape, parts });
      if (value === IMPOSSIBLE) continue;
      const fits = parts.every((part) => attempt.fits(part, value));
      if (fits || search.found === IMPOSSIBLE) search.found = value;
      if (fits) return true;
    }
  }
  return ++search.ways >= MAX_WAYS || attempt.steps > MAX_STEPS;
}

/** The value of the last of some contradictory schemas for which there is one, else that of their types and properties alone. */
function makeFromPart(attempt: Attempt, parts: readonly SchemaPart[], place: ValuePlace): unknown {
  const split = parts.length === 1 ? parts.flatMap(attempt.split) : parts;
  if (split.length > 1) {
    for (const part of split.toReversed()) {
      const value = isEmpty(part) ? IMPOSSIBLE : attempt.make([part], place);
      if (value !== IMPOSSIBLE) return value;
    }
    return IMPOSSIBLE;
  }
  const [{ schema, pointer } = NO_PART] = split;
  if (!isKeywords(schema) || pointer.endsWith(RELAXED)) return null;
  const { type, properties, required, items } = schema;
  const known = required?.filter((name) => properties !== undefined && Object.hasOwn(properties, name));
  const relaxed = { type, properties, required: known, items };
  const defined = filterMembers(relaxed, (_, value) => value !== undefined);
  return attempt.make([{ schema: defined, pointer: `${pointer}${RELAXED}` }], place);
}

const NO_PART: SchemaPart = { schema: true, pointer: '' };

const RELAXED = `${SYNTHETIC}relaxed`;

function isEmpty({ schema }: SchemaPart): boolean {
  return isKeywords(schema) && Object.keys(schema).length === 0;
}

/** The ways to try a place again after a mistake: with and without optional parts, and with other random streams. */
function listVariants(place: ValuePlace, mistakes: number): readonly ValuePlace[] {
  return Array.from({ length: 8 }, (_, i) => ({
    ...place,
    stream: hashText(`~${mistakes}.${i}`, place.stream),
    minimal: place.minimal || i % 2 === 1,
    repeats: place.repeats + (i > 3 ? 1 : 0),
  }));
}

function fromShape(task: ValueTask): unknown {
  const { shape, place, attempt } = task;
  if (place.given !== undefined) return isObject(place.given) ? makeObject(task) : makeArray(task);
  if (takesHint(task)) return place.isHintUsed ? varyHint(task) : place.hint;
  if (shape.values !== undefined) {
    const { all, pool } = readValues(shape, shape.values);
    if (all.length === 0) return IMPOSSIBLE;
    // A list without duplicates may need all of them.
    if (place.repeats > 0) return all[(place.repeats + place.index) % all.length];
    return attempt.isVaried ? chooseInTurn(task, pool) : attempt.random(place.stream).pick(pool);
  }
  const fake = shape.faker === undefined || isMistaken(attempt, place) ? undefined : attempt.vocabulary.fake(task);
  if (fake !== undefined && accepts(shape, fake)) return fake;
  const types = orderTypes(task);
  for (const type of place.repeats > 1 ? rotate(types, place.repeats) : types) {
    const value = MAKERS[type](task);
    if (value !== IMPOSSIBLE) return value;
  }
  return IMPOSSIBLE;
}

/** The enumerated values that fit a shape; null only where there is no other. */
function readValues(shape: MergedSchema, values: readonly unknown[]): NonNullable<MergedSchema['plan']['values']> {
  const { plan } = shape;
  if (plan.values !== undefined) return plan.values;
  const all = values.filter((value) => acceptsListed(shape, value));
  const real = all.filter((value) => value !== null);
  plan.values = { all, pool: real.length > 0 ? real : all };
  return plan.values;
}

/** Chooses enumerated values in turn, values of examples first. */
function chooseInTurn({ place, shape }: ValueTask, values: readonly unknown[]): unknown {
  const examples = values.filter((value) => shape.suggestions.includes(value));
  const ordered = examples.length === 0 ? values : [...examples, ...values.filter((each) => !examples.includes(each))];
  const start = examples.length === 0 ? hashText(place.path) : 0;
  return ordered[(start + place.index) % ordered.length];
}

/** Another value than a hint that is used already; the hint where only the document knows its form. */
function varyHint(task: ValueTask): unknown {
  const { attempt, place, shape } = task;
  const { hint } = place;
  if (shape.values !== undefined) return chooseInTurn(task, shape.values);
  if (typeof hint === 'boolean') return attempt.vocabulary.boolean(task);
  const other = attempt.vocabulary.vary(task, hint);
  return other !== undefined && accepts(shape, other) ? other : hint;
}

/** Whether the hint is used as it is: a scalar that fits and need not be unique. */
function takesHint({ attempt, place, shape }: ValueTask): boolean {
  const { hint, exact } = place;
  if (hint === undefined || isContainer(hint) || place.repeats || isMistaken(attempt, place)) return false;
  if (!exact && attempt.vocabulary.about(place.name).isIdentifier && shape.values === undefined) return false;
  return accepts(shape, hint);
}

const MAKERS: Readonly<Record<JsonType, (task: ValueTask) => unknown>> = {
  array: makeArray,
  boolean: makeBoolean,
  integer: (task) => makeNumber(task, 'integer'),
  null: () => null,
  // `{ type: number, format: int64 }` is an integer.
  number: (task) => makeNumber(task, hasIntegerFormat(task.shape) ? 'integer' : 'number'),
  object: makeObject,
  string: makeString,
};

function makeBoolean(task: ValueTask): boolean {
  const { attempt, place, shape } = task;
  const suggestion = shape.suggestions.find((value) => typeof value === 'boolean');
  const isUsed = attempt.isVaried && place.index > 0;
  if (suggestion !== undefined && !isUsed && !isMistaken(attempt, place)) return suggestion;
  return attempt.vocabulary.boolean(task);
}

/** The types to try: that of the example, then the most likely one; null comes last, but deep down before containers. */
function orderTypes(task: ValueTask): readonly JsonType[] {
  const { shape, place, attempt } = task;
  if (shape.types?.size === 1) return [...shape.types];
  const example = readExample(attempt, place, shape);
  const types = shape.types === undefined ? guessTypes(task) : sortTypes(place, [...shape.types]);
  if (example === undefined) return types;
  const own = readJsonType(example);
  const first = own === 'integer' && !types.includes(own) ? 'number' : own;
  return allowsType(shape.types, first) ? [first, ...types.filter((type) => type !== first)] : types;
}

/** The types to try for a schema without `type`. */
function guessTypes({ shape, place, attempt }: ValueTask): readonly JsonType[] {
  const guess =
    guessContainer(shape) ?? guessScalar(shape) ?? (place.path === '' && !attempt.isHeader ? 'object' : 'string');
  return [guess, ...(['string', 'object', 'number', 'null'] as const).filter((type) => type !== guess)];
}

function sortTypes({ depth }: ValuePlace, types: readonly JsonType[]): readonly JsonType[] {
  const rest: readonly JsonType[] = types.filter((type) => type === 'object' || type === 'array');
  const last = types.filter((type) => type === 'null');
  const simple = types.filter((type) => !rest.includes(type) && type !== 'null');
  if (depth >= 2) return [...simple, ...last.filter(() => rest.length > 0 && depth >= 3), ...rest, ...last];
  return depth === 0 ? [...rest, ...simple, ...last] : [...simple, ...rest, ...last];
}

function guessScalar(shape: MergedSchema): JsonType | undefined {
  if (shape.patterns.length > 0 || shape.minLength > 0 || shape.maxLength < Infinity) return 'string';
  const bounds = [shape.minimum, shape.maximum, shape.exclusiveMinimum, shape.exclusiveMaximum];
  if (shape.multiples.length > 0 || bounds.some(Number.isFinite)) return 'number';
  const suggestion = shape.suggestions.find((value) => value !== null);
  return suggestion === undefined ? undefined : readJsonType(suggestion);
}

function isContainer(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}

/** Below this depth the smallest branch comes first even for duplicates: others may never end. */
const MAX_ROTATION_DEPTH = 4;

/** The options of the first open choice in the order they are tried: a random one of those that stay small, then the others. */
function orderOptions(attempt: Attempt, place: ValuePlace, shape: MergedSchema): readonly number[] {
  const [choice] = shape.choices;
  if (choice === undefined) return [];
  if (choice.keyword === 'if' || choice.keyword === 'not') return choice.options.map((_, i) => i);
  const { ordered, real, light } = readOptions(attempt, shape, choice);
  const asked = place.repeatsRequest ? choice.options.findIndex(({ preset }) => isAsked(attempt, preset)) : -1;
  if (asked >= 0) return [asked, ...ordered.filter((i) => i !== asked)];
  const example = readExample(attempt, place, shape);
  if (example !== undefined) {
    const isLike = isContainer(example) ? acceptsGiven : accepts;
    const like = choice.options.flatMap((_, i) => (isLike(decide(attempt.merge, shape, i), example) ? [i] : []));
    if (like.length > 0 && like.length < ordered.length) return [...like, ...ordered.filter((i) => !like.includes(i))];
  }
  if (place.repeats > 0 && place.depth <= MAX_ROTATION_DEPTH)
    return rotate(
      choice.options.map((_, i) => i),
      place.repeats,
    );
  if (place.depth >= 2 || place.minimal) return ordered;
  const candidates = place.depth > 0 && light.length > 0 ? light : real;
  if (candidates.length === 0) return ordered;
  const first = attempt.random(place.stream, choice.id).pick(candidates);
  return first === ordered[0] ? ordered : [first, ...ordered.filter((i) => i !== first)];
}

/** Whether a request names the value of a discriminator for an option. */
function isAsked({ known, vocabulary }: Attempt, preset: Option['preset']): boolean {
  return preset !== undefined && known.get(vocabulary.about(preset[0]).plain) === preset[1];
}

/** The same items, starting at another one. */
function rotate<Item>(items: readonly Item[], by: number): readonly Item[] {
  const start = items.length === 0 ? 0 : by % items.length;
  return start === 0 ? items : [...items.slice(start), ...items.slice(0, start)];
}

function readOptions(attempt: Attempt, shape: MergedSchema, choice: Choice): OptionPlan {
  const { plan } = shape;
  if (plan.options !== undefined) return plan.options;
  const weights = choice.options.map((_, i) => {
    const decided = decide(attempt.merge, shape, i);
    return attempt.minimumDepth(decided) * 1000 + weigh(decided);
  });
  const weight = (i: number): number => weights[i] ?? 0;
  const all = choice.options.map((_, i) => i);
  const real = all.filter((i) => weight(i) < 9000 && !isNull(attempt, choice, i));
  plan.options = {
    ordered: all.toSorted((x, y) => weight(x) - weight(y) || x - y),
    real,
    light: real.filter((i) => weight(i) % 1000 <= 12),
  };
  return plan.options;
}

/** How large a value of the shape is at least. */
function weigh(shape: MergedSchema): number {
  let weight = shape.properties.size;
  for (const name of shape.required) if (readPropertyParts(shape, name) === undefined) weight += 100;
  return Math.min(weight, 999);
}

function isNull(attempt: Attempt, choice: Choice, index: number): boolean {
  const [part] = choice.options[index]?.add ?? [];
  if (part === undefined || !isKeywords(part.schema)) return false;
  const { types, values } = attempt.merge([part]);
  if (values !== undefined) return values.every((value) => value === null);
  return types !== undefined && types.size === 1 && types.has('null');
}
