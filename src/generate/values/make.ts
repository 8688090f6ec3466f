import { isObject } from '../../contract/json.js';
import { accepts, acceptsGiven } from './accepts.js';
import { guessContainer, readPropertyParts } from './children.js';
import type { Decisions } from './expand.js';
import { makeArray } from './make-array.js';
import { makeObject } from './make-object.js';
import { makeNumber, makeString } from './make-scalar.js';
import { NOTHING, type Run, type Spot, type Task } from './run.js';
import { type Choice, isKeywords, type JsonType, type Part, readType, type Shape } from './shape.js';

/** Deeper than any value needs to go: a schema that still demands more is taken for one without an end. */
const MAXIMUM_DEPTH = 40;
/** Values made before no more ways are looked for. */
const MAXIMUM_STEPS = 50_000;
/** Ways tried at one place before it is given up. */
const MAXIMUM_WAYS = 24;

/** Makes a value that fits all the schemas given, as far as can be told here; `NOTHING` where none does. */
export function make(run: Run, parts: readonly Part[], spot: Spot): unknown {
  run.steps++;
  if (spot.depth > MAXIMUM_DEPTH) return NOTHING;
  if (spot.given !== undefined && !isContainer(spot.given)) return spot.given;
  const mistakes = run.mistakes.get(spot.path) ?? 0;
  let best: unknown = NOTHING;
  let ways = 0;
  for (const { shape, decisions } of settle({ run, parts, spot })) {
    for (const variant of mistakes === 0 ? [spot] : listVariants(spot, mistakes)) {
      const value = fromShape({ run, spot: variant, shape, parts, decisions });
      if (value === NOTHING) continue;
      if (mistakes === 0 || parts.every((part) => run.fits(part, value))) return value;
      if (best === NOTHING) best = value;
    }
    if (++ways >= MAXIMUM_WAYS || run.steps > MAXIMUM_STEPS) break;
  }
  return best;
}

/** The same place tried in several ways, after a mistake: with and without options, and with other luck. */
function listVariants(spot: Spot, mistakes: number): readonly Spot[] {
  return Array.from({ length: 8 }, (_, i) => ({
    ...spot,
    stream: `${spot.stream}~${mistakes}.${i}`,
    frugal: spot.frugal || i % 2 === 1,
    fresh: spot.fresh + (i > 3 ? 1 : 0),
  }));
}

function fromShape(task: Task): unknown {
  const { shape, spot, run } = task;
  if (spot.given !== undefined) return isObject(spot.given) ? makeObject(task) : makeArray(task);
  if (takesHint(task)) return spot.hint;
  if (shape.values !== undefined) {
    const random = run.random(spot.stream);
    const values = shape.values.filter((value) => accepts(shape, value));
    const real = values.filter((value) => value !== null);
    if (values.length === 0) return NOTHING;
    // Where a value was taken already, all of them are gone through.
    if (spot.fresh > 0) return values[(spot.fresh + spot.index) % values.length];
    return random.pick(real.length > 0 ? real : values);
  }
  const fake = run.mistakes.has(spot.path) ? undefined : run.vocabulary.fake(task);
  if (fake !== undefined && accepts(shape, fake)) return fake;
  for (const type of turn(orderTypes(task), spot.fresh > 1 ? spot.fresh : 0)) {
    const value = makeOfType(task, type);
    if (value !== NOTHING) return value;
  }
  return NOTHING;
}

/** A list that starts further on. */
function turn<Item>(items: readonly Item[], by: number): readonly Item[] {
  const start = items.length === 0 ? 0 : by % items.length;
  return start === 0 ? items : [...items.slice(start), ...items.slice(0, start)];
}

/** Whether the hint is a scalar that fits, and not one that has to differ from item to item. */
function takesHint({ run, spot, shape }: Task): boolean {
  const { hint, exact } = spot;
  if (hint === undefined || isContainer(hint) || spot.fresh || run.mistakes.has(spot.path)) return false;
  if (!exact && (hint === null || (run.vocabulary.about(spot.name).isIdentifier && shape.values === undefined)))
    return false;
  return accepts(shape, hint);
}

function makeOfType(task: Task, type: JsonType): unknown {
  switch (type) {
    case 'null':
      return null;
    case 'boolean':
      return makeFlag(task);
    case 'integer':
    case 'number':
      return makeNumber(task, type);
    case 'string':
      return makeString(task);
    case 'array':
      return makeArray(task);
    default:
      return makeObject(task);
  }
}

function makeFlag({ run, spot, shape }: Task): boolean {
  const suggestion = shape.suggestions.find((value) => typeof value === 'boolean');
  if (suggestion !== undefined && !run.mistakes.has(spot.path)) return suggestion;
  return run.vocabulary.flag(spot, run);
}

/** The types to try, the likeliest first; null is the last resort, and the first one where the value has to end. */
function orderTypes(task: Task): readonly JsonType[] {
  const { shape, spot } = task;
  if (shape.types === undefined) {
    const hinted = typeof spot.hint === 'object' && spot.hint !== null ? readType(spot.hint) : undefined;
    const guess = guessContainer(shape) ?? hinted ?? guessScalar(shape) ?? (spot.path === '' ? 'object' : 'string');
    return [guess, ...(['string', 'object', 'number', 'null'] as const).filter((type) => type !== guess)];
  }
  const types = [...shape.types];
  const simple = types.filter((type) => type !== 'object' && type !== 'array' && type !== 'null');
  const rest = types.filter((type) => type === 'object' || type === 'array');
  const last = types.filter((type) => type === 'null');
  if (spot.depth >= 2) return [...simple, ...last.filter(() => rest.length > 0 && spot.depth >= 3), ...rest, ...last];
  return spot.depth === 0 ? [...rest, ...simple, ...last] : [...simple, ...rest, ...last];
}

function guessScalar(shape: Shape): JsonType | undefined {
  if (shape.patterns.length > 0 || shape.minLength > 0 || shape.maxLength < Infinity) return 'string';
  const bounded =
    shape.multiples.length > 0 ||
    shape.minimum > -Infinity ||
    shape.maximum < Infinity ||
    shape.exclusiveMinimum > -Infinity ||
    shape.exclusiveMaximum < Infinity;
  if (bounded) return 'number';
  const suggestion = shape.suggestions.find((value) => value !== null);
  return suggestion === undefined ? undefined : readType(suggestion);
}

function isContainer(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}

/** A shape with every choice made, and how they were made. */
interface Settled {
  readonly shape: Shape;
  readonly decisions: Decisions;
}

interface Question {
  readonly run: Run;
  readonly parts: readonly Part[];
  readonly spot: Spot;
}

/** Ways looked at before giving up. */
const MAXIMUM_LOOKS = 400;

/** Further down the shortest branch comes first, whatever was taken already: others may never end. */
const MAXIMUM_FRESH_DEPTH = 4;

/** Every way to make the choices of a schema, the likeliest first; lazily, and no more than a few hundred. */
function* settle(question: Question): Generator<Settled> {
  const looks = { left: MAXIMUM_LOOKS };
  yield* walk(question, new Map(), looks);
}

function* walk(question: Question, decisions: Decisions, looks: { left: number }): Generator<Settled> {
  if (looks.left-- <= 0) return;
  const { run, parts, spot } = question;
  const shape = run.expander.expand(parts, decisions);
  if (shape.impossible !== undefined) return;
  if (spot.given !== undefined && !acceptsGiven(shape, spot.given)) return;
  const [choice] = shape.choices;
  if (choice === undefined) {
    yield { shape, decisions };
    return;
  }
  const exact = isCareful(question) ? listExact(choice) : [];
  for (const option of [...orderOptions(question, decisions, choice), ...exact]) {
    yield* walk(question, new Map(decisions).set(choice.id, option), looks);
  }
}

/** After a mistake: one branch, and the opposite of all the others. */
function listExact({ options, isExact }: Choice): readonly number[] {
  return isExact ? options.map((_, i) => options.length + i) : [];
}

function isCareful({ run, spot }: Question): boolean {
  return run.mistakes.has(spot.path);
}

/** The options of a choice in the order they are tried: one picked by chance among those that stay small, then the others. */
function orderOptions(question: Question, decisions: Decisions, choice: Choice): readonly number[] {
  const { run, parts, spot } = question;
  const all = choice.options.map((_, i) => i);
  if (choice.keyword === 'if' || choice.keyword === 'not') return all;
  const weights = all.map((i) => {
    const next = new Map(decisions).set(choice.id, i);
    const height = run.height(parts, next);
    return height * 1000 + weigh(run.expander.expand(parts, next));
  });
  const weight = (i: number): number => weights[i] ?? 0;
  const ordered = all.toSorted((x, y) => weight(x) - weight(y) || x - y);
  const { hint } = spot;
  if (isObject(hint)) {
    const like = all.filter((i) =>
      acceptsGiven(run.expander.expand(parts, new Map(decisions).set(choice.id, i)), hint),
    );
    if (like.length > 0 && like.length < all.length) return [...like, ...ordered.filter((i) => !like.includes(i))];
  }
  if (spot.fresh > 0 && spot.depth <= MAXIMUM_FRESH_DEPTH)
    return [...all.slice(spot.fresh % all.length), ...all.slice(0, spot.fresh % all.length)];
  if (spot.depth >= 2 || spot.frugal) return ordered;
  const real = all.filter((i) => weight(i) < 9000 && !isNull(run, choice, i));
  const light = spot.depth === 0 ? real : real.filter((i) => weight(i) % 1000 <= 12);
  const candidates = light.length > 0 ? light : real;
  if (candidates.length === 0) return ordered;
  const first = run.random(spot.stream, choice.id).pick(candidates);
  return [first, ...ordered.filter((i) => i !== first)];
}

/** How large a value of the shape is bound to look. */
function weigh(shape: Shape): number {
  let weight = shape.properties.size;
  for (const name of shape.required) if (readPropertyParts(shape, name) === undefined) weight += 100;
  return Math.min(weight, 999);
}

function isNull(run: Run, choice: Choice, index: number): boolean {
  const [part] = choice.options[index]?.add ?? [];
  if (part === undefined || !isKeywords(part.schema)) return false;
  const { types, values } = run.expander.expand([part], new Map());
  if (values !== undefined) return values.every((value) => value === null);
  return types !== undefined && types.size === 1 && types.has('null');
}
