import { guessContainer, readItemParts, readPropertyParts } from './children.js';
import { type Decisions, type Expander, readShapeKey, UNDECIDED } from './expand.js';
import { allowsType, type Part, type Shape } from './shape.js';

/** How many levels the flattest value of a schema has: 0 for a scalar or an empty container, `LIMIT` where there is none. */
export type Height = (parts: readonly Part[], decisions: Decisions) => number;

const LIMIT = 9;

/** Measures how soon a recursive schema can come to an end; each answer is kept. */
export function createHeight(expander: Expander): Height {
  const heights = new Map<string, number>();
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
    const shape = expander.expand(parts, decisions);
    if (shape.impossible !== undefined) return false;
    const [choice] = shape.choices;
    if (choice !== undefined) {
      return choice.options.some((_, i) => fits(parts, new Map(decisions).set(choice.id, i), levels));
    }
    if (isFlat(shape)) return true;
    if (levels === 0) return false;
    const children = readNeeded(shape);
    return children !== undefined && children.every((child) => fits(child, UNDECIDED, levels - 1));
  };
  return (parts, decisions) => {
    const key = readShapeKey(parts, decisions);
    const before = heights.get(key);
    if (before !== undefined) return before;
    let height = 0;
    while (height < LIMIT && !fits(parts, decisions, height)) height++;
    heights.set(key, height);
    return height;
  };
}

/** Whether some value of the shape has nothing inside it. */
function isFlat(shape: Shape): boolean {
  if (shape.values !== undefined) return true;
  const { types } = shape;
  if (types === undefined && guessContainer(shape) === undefined) return true;
  if (types !== undefined && [...types].some((type) => type !== 'object' && type !== 'array')) return true;
  if (allowsType(types, 'object') && shape.required.size === 0 && shape.minProperties === 0) return true;
  return types !== undefined && allowsType(types, 'array') && needsNoItem(shape);
}

function needsNoItem(shape: Shape): boolean {
  return shape.minItems === 0 && shape.contains.every(({ minimum }) => minimum === 0);
}

/** The children no value of the shape can do without. */
function readNeeded(shape: Shape): readonly (readonly Part[])[] | undefined {
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
