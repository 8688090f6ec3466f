import { isObject } from '../../contract/json.js';
import type { Attempt } from './attempt.js';
import { decide } from './plan.js';
import {
  acceptsGiven,
  type Choice,
  isKeywords,
  type OptionPlan,
  readPropertyParts,
  type Shape,
  type ValuePlace,
} from './shape.js';

/** Below this depth the smallest branch comes first even for duplicates: others may never end. */
const MAX_ROTATION_DEPTH = 4;

/** The options of the first open choice in the order they are tried: a random one of those that stay small, then the others. */
export function orderOptions(attempt: Attempt, place: ValuePlace, shape: Shape): readonly number[] {
  const [choice] = shape.choices;
  if (choice === undefined) return [];
  if (choice.keyword === 'if' || choice.keyword === 'not') return choice.options.map((_, i) => i);
  const { ordered, real, light } = readOptions(attempt, shape, choice);
  const { hint } = place;
  if (isObject(hint)) {
    const like = choice.options.flatMap((_, i) => (acceptsGiven(decide(attempt.merge, shape, i), hint) ? [i] : []));
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

/** The same items, starting at another one. */
export function rotate<Item>(items: readonly Item[], by: number): readonly Item[] {
  const start = items.length === 0 ? 0 : by % items.length;
  return start === 0 ? items : [...items.slice(start), ...items.slice(0, start)];
}

function readOptions(attempt: Attempt, shape: Shape, choice: Choice): OptionPlan {
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
