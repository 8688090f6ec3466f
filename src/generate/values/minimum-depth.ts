import { allowsType, guessContainer, type Part, readItemParts, readPropertyParts, type Shape } from './shape.js';
import { type Decisions, type MergeSchemas, readShapeKey, UNDECIDED } from './merge-schemas.js';

/** The levels of nesting of the flattest value: 0 for a scalar or an empty container, `ENDLESS` if there is no end. */
export type MinimumDepth = (parts: readonly Part[], decisions?: Decisions) => number;

/** The depth of schemas without a value, or without a flat one. */
export const ENDLESS = 9;

/** Creates a function that finds out how soon a recursive schema can end; each result is kept. */
export function createMinimumDepth(merge: MergeSchemas): MinimumDepth {
  const depths = new Map<string, number>();
  const known = new Map<string, boolean>();
  const fits = (parts: readonly Part[], decisions: Decisions, levels: number): boolean => {
    const key = `${levels}\n${readShapeKey(parts, decisions)}`;
    const before = known.get(key);
    if (before !== undefined) return before;
    known.set(key, false);
    const result = measure(parts, decisions, levels);
    known.set(key, result);
    return result;
  };
  const measure = (parts: readonly Part[], decisions: Decisions, levels: number): boolean => {
    const shape = merge(parts, decisions);
    if (shape.isImpossible) return false;
    const [choice] = shape.choices;
    if (choice !== undefined) {
      return choice.options.some((_, i) => fits(parts, new Map(decisions).set(choice.id, i), levels));
    }
    if (isFlat(shape)) return true;
    if (levels === 0) return false;
    const children = readRequiredChildren(shape);
    return children !== undefined && children.every((child) => fits(child, UNDECIDED, levels - 1));
  };
  const undecided = new WeakMap<Shape, number>();
  const count = (parts: readonly Part[], decisions: Decisions): number => {
    let depth = 0;
    while (depth < ENDLESS && !fits(parts, decisions, depth)) depth++;
    return depth;
  };
  return (parts, decisions = UNDECIDED) => {
    const isDecided = decisions.size > 0;
    const key = isDecided ? readShapeKey(parts, decisions) : merge(parts);
    const before = typeof key === 'string' ? depths.get(key) : undecided.get(key);
    if (before !== undefined) return before;
    const depth = count(parts, decisions);
    if (typeof key === 'string') depths.set(key, depth);
    else undecided.set(key, depth);
    return depth;
  };
}

/** Whether a value of the shape can be a scalar or an empty container. */
function isFlat(shape: Shape): boolean {
  if (shape.values !== undefined) return true;
  const { types } = shape;
  if (types === undefined && guessContainer(shape) === undefined) return true;
  if (types !== undefined && [...types].some((type) => type !== 'object' && type !== 'array')) return true;
  if (allowsType(types, 'object') && shape.required.size === 0 && shape.minProperties === 0) return true;
  if (types === undefined || !allowsType(types, 'array')) return false;
  return shape.minItems === 0 && shape.contains.every(({ minimum }) => minimum === 0);
}

/** The schemas of the children that every value of the shape has; undefined if one of them is not allowed. */
function readRequiredChildren(shape: Shape): readonly (readonly Part[])[] | undefined {
  const children: (readonly Part[])[] = [];
  if (allowsType(shape.types, 'object')) {
    for (const name of shape.required) {
      const parts = readPropertyParts(shape, name);
      if (parts === undefined) return undefined;
      children.push(parts);
    }
    return children;
  }
  const parts = readItemParts(shape, 0);
  if (parts === undefined) return undefined;
  children.push(parts);
  for (const { minimum, part } of shape.contains) if (minimum > 0) children.push([...parts, part]);
  return children;
}
