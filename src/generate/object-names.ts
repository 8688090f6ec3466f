import { isObject } from '../contract/json.js';
import { readPropertyParts } from './children.js';
import { UNDECIDED } from './expand.js';
import type { Task } from './run.js';
import type { Part, Shape } from './shape.js';

/**
 * The properties an object gets, in the order of the document: given ones, needed ones, and the options worth having.
 *
 * @param excluded - Options that cannot be had.
 */
export function listNames(task: Task, excluded: ReadonlySet<string>): readonly string[] {
  const { shape, spot, run } = task;
  const given = isObject(spot.given) ? spot.given : {};
  const isGiven = (name: string): boolean => Object.hasOwn(given, name) && given[name] !== undefined;
  const names = new Set<string>(Object.keys(given).filter(isGiven));
  const isPartial = spot.given !== undefined && !run.full;
  for (const name of shape.properties.keys()) {
    if (shape.required.has(name) || (!isPartial && !excluded.has(name) && wantsOption(task, name))) names.add(name);
  }
  if (spot.exact && isObject(spot.hint)) for (const name of Object.keys(spot.hint)) names.add(name);
  for (const name of shape.required) names.add(name);
  addDependents(shape, names);
  const order = [...shape.properties.keys()].filter((name) => names.has(name));
  const all = [...order, ...[...names].filter((name) => !shape.properties.has(name))];
  const wanted = all.filter((name) => isGiven(name) || travels(task, name));
  if (wanted.length <= shape.maxProperties) return wanted;
  const needed = new Set(wanted.filter((name) => isGiven(name) || isDemanded(task, name)));
  addDependents(shape, needed);
  const spare = wanted.filter((name) => !needed.has(name)).slice(0, Math.max(0, shape.maxProperties - needed.size));
  const kept = new Set([...needed, ...spare]);
  return wanted.filter((name) => kept.has(name));
}

/** Whether a property has to be there in this direction. */
export function isDemanded(task: Task, name: string): boolean {
  return task.shape.required.has(name) && travels(task, name);
}

/** readOnly properties stay out of requests, writeOnly ones out of responses (OpenAPI 3.1 section 4.8.24). */
export function travels(task: Task, name: string): boolean {
  const parts = readPropertyParts(task.shape, name);
  if (parts === undefined) return false;
  const { readOnly, writeOnly } = task.run.expander.expand(parts, UNDECIDED);
  return task.run.direction === 'request' ? !readOnly : !writeOnly;
}

/** What tells one schema from another on the way down, so that a cycle is seen. */
export function readTrailKey(parts: readonly Part[]): string {
  let key = '';
  for (const { schema, pointer } of parts)
    key += `${typeof schema === 'boolean' ? pointer : (schema.$ref ?? `#${pointer}`)},`;
  return key;
}

/** What the properties that are there ask for (`dependentRequired`); one whose wish cannot be met is left out. */
function addDependents(shape: Shape, names: Set<string>): void {
  if (shape.dependentRequired.size === 0) return;
  // A set that grows while it is walked is walked to its new end.
  for (const name of names) {
    const needs = shape.dependentRequired.get(name) ?? [];
    if (shape.required.has(name) || needs.every((need) => readPropertyParts(shape, need) !== undefined)) {
      for (const need of needs) names.add(need);
    } else {
      names.delete(name);
    }
  }
}

/** Whether an optional property is worth having: all of them near the top, only flat ones further down, no cycles. */
function wantsOption(task: Task, name: string): boolean {
  const { run, spot, shape } = task;
  if (spot.frugal) return false;
  const parts = readPropertyParts(shape, name);
  if (parts === undefined) return false;
  const inner = run.expander.expand(parts, UNDECIDED);
  if (inner.impossible !== undefined) return false;
  if (!shape.propertyNames.every((part) => run.fits(part, name))) return false;
  if (spot.exact && isObject(spot.hint)) return Object.hasOwn(spot.hint, name);
  if (spot.depth >= 3) return false;
  if (spot.trail.includes(readTrailKey(parts))) return false;
  const height = run.height(parts, UNDECIDED);
  if (spot.depth === 0) return height < ENDLESS;
  return spot.depth === 1 ? height <= 1 : isFlatOption(inner);
}

/** The height of a schema that no value fits. */
const ENDLESS = 9;

function isFlatOption(shape: Shape): boolean {
  if (shape.choices.length > 0) return false;
  if (shape.values !== undefined) return true;
  return shape.types !== undefined && ![...shape.types].some((type) => type === 'object' || type === 'array');
}
