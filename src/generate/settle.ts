import { isObject } from '../contract/json.js';
import { acceptsGiven } from './accepts.js';
import type { Decisions } from './expand.js';
import { readPropertyParts } from './children.js';
import type { Run, Spot } from './run.js';
import { type Choice, isKeywords, type Part, type Shape } from './shape.js';

/** A shape with every choice made, and how they were made. */
export interface Settled {
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
export function* settle(question: Question): Generator<Settled> {
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
