import { isObject, filterMembers } from '../../contract/json.js';
import { hashText } from '../../random.js';
import {
  accepts,
  acceptsGiven,
  acceptsListed,
  type Choice,
  guessContainer,
  isKeywords,
  type JsonType,
  type Part,
  readPropertyParts,
  readType,
  SYNTHETIC,
  type Shape,
  type ValuePlace,
} from './shape.js';
import { type Decisions, UNDECIDED } from './merge-schemas.js';
import { makeArray } from './make-array.js';
import { makeObject } from './make-object.js';
import { makeNumber, makeString } from './make-scalar.js';
import { type Attempt, IMPOSSIBLE, MAX_VALUES, type Task } from './attempt.js';

/** A schema that requires more levels of objects counts as endless. */
const MAX_DEPTH = 40;
/** The depth at which a value for contradictory schemas ends. */
const MAX_TOLERANT_DEPTH = 8;
/** Values generated before no more alternatives are tried. */
const MAX_STEPS = 50_000;
/** Alternatives tried at one place. */
const MAX_WAYS = 24;

/** Generates a value for schemas that must all be valid; `IMPOSSIBLE` if none was found. */
export function make(attempt: Attempt, parts: readonly Part[], place: ValuePlace): unknown {
  if (attempt.steps++ > MAX_VALUES) return IMPOSSIBLE;
  if (attempt.isTolerant && place.depth > MAX_TOLERANT_DEPTH) return null;
  if (place.depth > MAX_DEPTH) {
    // No finite value fits a schema that requires itself.
    attempt.isContradictory = true;
    return IMPOSSIBLE;
  }
  if (place.given !== undefined && !isContainer(place.given)) return place.given;
  const mistakes = attempt.mistakes.get(place.path) ?? 0;
  let best: unknown = IMPOSSIBLE;
  let ways = 0;
  for (const shape of listShapes({ attempt, parts, place })) {
    for (const variant of mistakes === 0 ? [place] : listVariants(place, mistakes)) {
      const value = fromShape({ attempt, place: variant, shape, parts });
      if (value === IMPOSSIBLE) continue;
      if (mistakes === 0 || parts.every((part) => attempt.fits(part, value))) return value;
      if (best === IMPOSSIBLE) best = value;
    }
    if (++ways >= MAX_WAYS || attempt.steps > MAX_STEPS) break;
  }
  if (ways === 0 && best === IMPOSSIBLE) attempt.isContradictory = true;
  return best === IMPOSSIBLE && attempt.isTolerant ? makeFromPart(attempt, parts, place) : best;
}

/** The value of the last of some contradictory schemas for which there is one, else that of their types and properties alone. */
function makeFromPart(attempt: Attempt, parts: readonly Part[], place: ValuePlace): unknown {
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

const NO_PART: Part = { schema: true, pointer: '' };

const RELAXED = `${SYNTHETIC}relaxed`;

function isEmpty({ schema }: Part): boolean {
  return isKeywords(schema) && Object.keys(schema).length === 0;
}

/** The ways to try a place again after a mistake: with and without optional parts, and with other random streams. */
function listVariants(place: ValuePlace, mistakes: number): readonly ValuePlace[] {
  return Array.from({ length: 8 }, (_, i) => ({
    ...place,
    stream: `${place.stream}~${mistakes}.${i}`,
    minimal: place.minimal || i % 2 === 1,
    repeats: place.repeats + (i > 3 ? 1 : 0),
  }));
}

function fromShape(task: Task): unknown {
  const { shape, place, attempt } = task;
  if (place.given !== undefined) return isObject(place.given) ? makeObject(task) : makeArray(task);
  if (takesHint(task)) return place.isHintUsed ? varyHint(task) : place.hint;
  if (shape.values !== undefined) {
    const values = shape.values.filter((value) => acceptsListed(shape, value));
    const real = values.filter((value) => value !== null);
    if (values.length === 0) return IMPOSSIBLE;
    // A list without duplicates may need all of them.
    if (place.repeats > 0) return values[(place.repeats + place.index) % values.length];
    const pool = real.length > 0 ? real : values;
    return attempt.isVaried ? chooseInTurn(task, pool) : attempt.random(place.stream).pick(pool);
  }
  const fake = attempt.mistakes.has(place.path) ? undefined : attempt.vocabulary.fake(task);
  if (fake !== undefined && accepts(shape, fake)) return fake;
  for (const type of rotate(orderTypes(task), place.repeats > 1 ? place.repeats : 0)) {
    const value = MAKERS[type](task);
    if (value !== IMPOSSIBLE) return value;
  }
  return IMPOSSIBLE;
}

/** The enumerated values in turn, those of examples first. */
function chooseInTurn({ place, shape }: Task, values: readonly unknown[]): unknown {
  const examples = values.filter((value) => shape.suggestions.includes(value));
  const ordered = examples.length === 0 ? values : [...examples, ...values.filter((each) => !examples.includes(each))];
  const start = examples.length === 0 ? hashText(place.path) : 0;
  return ordered[(start + place.index) % ordered.length];
}

/** Another value than a hint that is used already; the hint where only the document knows its form. */
function varyHint(task: Task): unknown {
  const { attempt, place, shape } = task;
  const { hint } = place;
  if (shape.values !== undefined) return chooseInTurn(task, shape.values);
  if (typeof hint === 'boolean') return attempt.vocabulary.boolean(task);
  const other = attempt.vocabulary.vary(task, hint);
  return other !== undefined && accepts(shape, other) ? other : hint;
}

/** The same items, starting at another one. */
function rotate<Item>(items: readonly Item[], by: number): readonly Item[] {
  const start = items.length === 0 ? 0 : by % items.length;
  return start === 0 ? items : [...items.slice(start), ...items.slice(0, start)];
}

/** Whether the hint is used as it is: a scalar that fits and need not be unique. */
function takesHint({ attempt, place, shape }: Task): boolean {
  const { hint, exact } = place;
  if (hint === undefined || isContainer(hint) || place.repeats || attempt.mistakes.has(place.path)) return false;
  if (!exact && (hint === null || (attempt.vocabulary.about(place.name).isIdentifier && shape.values === undefined)))
    return false;
  return accepts(shape, hint);
}

const MAKERS: Readonly<Record<JsonType, (task: Task) => unknown>> = {
  array: makeArray,
  boolean: makeBoolean,
  integer: (task) => makeNumber(task, 'integer'),
  null: () => null,
  number: (task) => makeNumber(task, 'number'),
  object: makeObject,
  string: makeString,
};

function makeBoolean(task: Task): boolean {
  const { attempt, place, shape } = task;
  const suggestion = shape.suggestions.find((value) => typeof value === 'boolean');
  const isUsed = attempt.isVaried && place.index > 0;
  if (suggestion !== undefined && !isUsed && !attempt.mistakes.has(place.path)) return suggestion;
  return attempt.vocabulary.boolean(task);
}

/** The types to try, the most likely one first; null comes last, but deep down before containers. */
function orderTypes(task: Task): readonly JsonType[] {
  const { shape, place } = task;
  if (shape.types?.size === 1) return [...shape.types];
  if (shape.types === undefined) {
    const hinted = typeof place.hint === 'object' && place.hint !== null ? readType(place.hint) : undefined;
    const guess = guessContainer(shape) ?? hinted ?? guessScalar(shape) ?? (place.path === '' ? 'object' : 'string');
    return [guess, ...(['string', 'object', 'number', 'null'] as const).filter((type) => type !== guess)];
  }
  const types = [...shape.types];
  const rest: readonly JsonType[] = types.filter((type) => type === 'object' || type === 'array');
  const last = types.filter((type) => type === 'null');
  const simple = types.filter((type) => !rest.includes(type) && type !== 'null');
  if (place.depth >= 2) return [...simple, ...last.filter(() => rest.length > 0 && place.depth >= 3), ...rest, ...last];
  return place.depth === 0 ? [...rest, ...simple, ...last] : [...simple, ...rest, ...last];
}

function guessScalar(shape: Shape): JsonType | undefined {
  if (shape.patterns.length > 0 || shape.minLength > 0 || shape.maxLength < Infinity) return 'string';
  const bounds = [shape.minimum, shape.maximum, shape.exclusiveMinimum, shape.exclusiveMaximum];
  if (shape.multiples.length > 0 || bounds.some(Number.isFinite)) return 'number';
  const suggestion = shape.suggestions.find((value) => value !== null);
  return suggestion === undefined ? undefined : readType(suggestion);
}

function isContainer(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}

/** A place with the schemas that its value must fit. */
type ChoiceContext = Omit<Task, 'shape'>;

/** Combinations of choices looked at for one place. */
const MAX_COMBINATIONS = 400;

/** Below this depth the smallest branch comes first even for duplicates: others may never end. */
const MAX_ROTATION_DEPTH = 4;

/** The forms that a value can have; most schemas leave no choice. */
function listShapes(context: ChoiceContext): Iterable<Shape> {
  const { attempt, parts, place } = context;
  const shape = attempt.merge(parts);
  if (shape.choices.length > 0) return resolveChoices(context);
  return shape.isImpossible || (place.given !== undefined && !acceptsGiven(shape, place.given)) ? [] : [shape];
}

/** The shapes that result from all ways to make the choices of a schema, the most likely one first, on demand. */
function* resolveChoices(
  context: ChoiceContext,
  decisions = UNDECIDED,
  budget = { left: MAX_COMBINATIONS },
): Generator<Shape> {
  if (budget.left-- <= 0) return;
  const { attempt, parts, place } = context;
  const shape = attempt.merge(parts, decisions);
  if (shape.isImpossible) return;
  if (place.given !== undefined && !acceptsGiven(shape, place.given)) return;
  const [choice] = shape.choices;
  if (choice === undefined) {
    yield shape;
    return;
  }
  const options = orderOptions(context, decisions, choice);
  // After a mistake a branch of `oneOf` is also tried with the negation of all others.
  const isExact = choice.keyword === 'oneOf' && attempt.mistakes.has(place.path);
  const exact = isExact ? choice.options.map((_, i) => choice.options.length + i) : [];
  for (const option of [...options, ...exact]) {
    yield* resolveChoices(context, new Map(decisions).set(choice.id, option), budget);
  }
}

/** The options of a choice in the order they are tried: a random one of those that stay small, then the others. */
function orderOptions(context: ChoiceContext, decisions: Decisions, choice: Choice): readonly number[] {
  const { attempt, parts, place } = context;
  const all = choice.options.map((_, i) => i);
  if (choice.keyword === 'if' || choice.keyword === 'not') return all;
  const decided = all.map((i) => new Map(decisions).set(choice.id, i));
  const shapes = decided.map((next) => attempt.merge(parts, next));
  const weights = shapes.map((shape, i) => attempt.minimumDepth(parts, decided[i]) * 1000 + weigh(shape));
  const weight = (i: number): number => weights[i] ?? 0;
  const ordered = all.toSorted((x, y) => weight(x) - weight(y) || x - y);
  const { hint } = place;
  if (isObject(hint)) {
    const like = shapes.flatMap((shape, i) => (acceptsGiven(shape, hint) ? [i] : []));
    if (like.length > 0 && like.length < all.length) return [...like, ...ordered.filter((i) => !like.includes(i))];
  }
  if (place.repeats > 0 && place.depth <= MAX_ROTATION_DEPTH) return rotate(all, place.repeats);
  if (place.depth >= 2 || place.minimal) return ordered;
  const real = all.filter((i) => weight(i) < 9000 && !isNull(attempt, choice, i));
  const light = place.depth === 0 ? real : real.filter((i) => weight(i) % 1000 <= 12);
  const candidates = light.length > 0 ? light : real;
  if (candidates.length === 0) return ordered;
  const first = attempt.random(place.stream, choice.id).pick(candidates);
  return [first, ...ordered.filter((i) => i !== first)];
}

/** How large a value of the shape is at least. */
function weigh(shape: Shape): number {
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
