import {
  allowsType,
  decide,
  guessContainer,
  type MergeSchemas,
  type Part,
  readItemParts,
  readPropertyParts,
  type Shape,
} from './shape.js';

/** The levels of nesting of the flattest value: 0 for a scalar or an empty container, `ENDLESS` if there is no end. */
export type MinimumDepth = (shape: Shape) => number;

/** The depth of schemas without a value, or without a flat one. */
export const ENDLESS = 9;

/** Creates a function that finds out how soon a recursive schema can end; each result is kept. */
export function createMinimumDepth(merge: MergeSchemas): MinimumDepth {
  /** By levels, from 0. */
  const known = new WeakMap<Shape, (boolean | undefined)[]>();
  const fits = (shape: Shape, levels: number): boolean => {
    const results = known.get(shape) ?? [];
    const before = results[levels];
    if (before !== undefined) return before;
    if (results.length === 0) known.set(shape, results);
    results[levels] = false;
    const result = measure(shape, levels);
    results[levels] = result;
    return result;
  };
  const measure = (shape: Shape, levels: number): boolean => {
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
  const item = readItemParts(shape, 0);
  if (item === undefined) return undefined;
  children.push(item);
  for (const { minimum, part } of shape.contains) if (minimum > 0) children.push([...item, part]);
  return children;
}
