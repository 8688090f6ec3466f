import { escapeSegment } from '../../contract/pointer.js';
import type { MergeSchemas } from './merge-schemas.js';
import {
  isKeywords,
  type Part,
  type PropertyPlan,
  readItemParts,
  readPropertyParts,
  type Shape,
  type Target,
} from './shape.js';

/** Schemas of which nothing is known yet. */
export function toTarget(parts: readonly Part[]): Target {
  return { parts, shape: undefined, cycleKey: undefined };
}

/** The merged schemas of a target. */
export function readShape(merge: MergeSchemas, target: Target): Shape {
  return (target.shape ??= merge(target.parts));
}

/** Identifies schemas on the way down, to detect a cycle. */
export function readCycleKey(target: Target): string {
  if (target.cycleKey !== undefined) return target.cycleKey;
  let key = '';
  for (const { schema, pointer } of target.parts)
    key += `${typeof schema === 'boolean' ? pointer : (schema.$ref ?? `#${pointer}`)},`;
  target.cycleKey = key;
  return key;
}

/** The properties of a shape: the declared ones in the order of the document, then the other required ones. */
export function listProperties(shape: Shape): readonly PropertyPlan[] {
  const { plan, properties, required } = shape;
  if (plan.properties !== undefined) return plan.properties;
  const plans: PropertyPlan[] = [];
  for (const name of properties.keys()) plans.push(planProperty(shape, name));
  for (const name of required) if (!properties.has(name)) plans.push(planProperty(shape, name));
  plan.properties = plans;
  return plans;
}

/** The properties with some names. */
export function findProperties(shape: Shape, names: readonly string[]): readonly PropertyPlan[] {
  const known = new Map(listProperties(shape).map((property) => [property.name, property]));
  return names.map((name) => known.get(name) ?? planProperty(shape, name));
}

/** A property with a name that need not be declared. */
export function planProperty(shape: Shape, name: string): PropertyPlan {
  const target = findTarget(shape, name);
  return { name, segment: `/${escapeSegment(name)}`, target, isRequired: shape.required.has(name) };
}

function findTarget(shape: Shape, name: string): Target | undefined {
  const isNamed = shape.properties.has(name) || shape.patternProperties.length > 0;
  // Names that nothing declares have the same schemas.
  const isShared =
    !isNamed && shape.additionalProperties.every(({ known, patterns }) => patterns.length === 0 && !known.has(name));
  if (isShared && shape.plan.undeclared !== undefined) return shape.plan.undeclared;
  const parts = readPropertyParts(shape, name);
  const target = parts && toTarget(parts);
  if (isShared) shape.plan.undeclared = target;
  return target;
}

/** The schemas of the item at a position; null if no item is allowed there. */
export function findItem(shape: Shape, index: number): Target | null {
  const { items, prefixItems, plan } = shape;
  let rest = prefixItems.length;
  for (const { from } of items) rest = Math.max(rest, from);
  const at = Math.min(index, rest);
  const known = plan.items[at];
  if (known !== undefined) return known;
  const parts = readItemParts(shape, at);
  const target = parts === undefined ? null : toTarget(parts);
  plan.items[at] = target;
  return target;
}

/** The shape that results from an option of the first open choice; indices past the last option are those with the negation of all others. */
export function decide(merge: MergeSchemas, shape: Shape, index: number): Shape {
  const { plan, choices } = shape;
  const known = plan.decided[index];
  const [choice] = choices;
  if (known !== undefined || choice === undefined) return known ?? shape;
  const decided = merge(plan.parts, new Map(plan.decisions).set(choice.id, index));
  plan.decided[index] = decided;
  return decided;
}

/** Whether values have a property: readOnly ones stay out of requests, writeOnly ones out of responses (OpenAPI 3.1 section 4.8.24). */
export function isSent(merge: MergeSchemas, { target }: PropertyPlan, direction: 'request' | 'response'): boolean {
  if (target === undefined) return false;
  const { readOnly, writeOnly } = readShape(merge, target);
  return direction === 'request' ? !readOnly : !writeOnly;
}

/** What objects are called: the title of their schema, else the last name in its pointer. */
export function readKind(shape: Shape, { parts: [part] }: Target): string {
  if (shape.title !== undefined) return shape.title;
  if (part === undefined || !isKeywords(part.schema)) return '';
  const pointer = part.schema.$ref ?? part.pointer;
  return pointer.slice(pointer.lastIndexOf('/') + 1);
}
