import { readItemParts } from './children.js';
import { UNDECIDED } from './expand.js';
import { NOTHING, type Spot, type Task } from './run.js';
import type { Part } from './shape.js';

/** Makes an array: what was given, what is required, and two or three items where nothing speaks against it. */
export function makeArray(task: Task): unknown {
  const { shape, spot } = task;
  const given: readonly unknown[] = Array.isArray(spot.given) ? spot.given : [];
  const wanted = Array.isArray(spot.given) ? Math.max(given.length, readNeeded(task)) : readLength(task);
  const items: unknown[] = [];
  const taken = shape.uniqueItems ? new Set<string>() : undefined;
  for (let i = 0; i < wanted; i++) {
    const item = makeItem(task, { index: i, given: given[i], taken });
    if (item === NOTHING) break;
    items.push(item);
  }
  return items.length < readNeeded(task) ? NOTHING : items;
}

interface Slot {
  readonly index: number;
  readonly given: unknown;
  readonly taken: Set<string> | undefined;
}

/** Tries for an item that is not there yet, before the array is given up. */
const MAXIMUM_TRIES = 40;

function makeItem(task: Task, slot: Slot): unknown {
  const { shape, spot, run } = task;
  const declared = readItemParts(shape, slot.index);
  if (declared === undefined) return slot.given ?? NOTHING;
  const parts = [...declared, ...readContained(task, slot.index)];
  for (let i = 0; i < MAXIMUM_TRIES; i++) {
    const path = i === 0 ? `${spot.path}/${slot.index}` : `${spot.path}/${slot.index}~${i}`;
    const child: Spot = {
      ...spot,
      path,
      index: slot.index,
      given: slot.given,
      fresh: spot.fresh || i > 0,
      hint: readHint(task, slot.index),
      echoes: false,
    };
    const item = run.make(parts, child);
    if (item === NOTHING || slot.taken === undefined || slot.given !== undefined) return item;
    const text = JSON.stringify(item);
    if (slot.taken.has(text)) continue;
    slot.taken.add(text);
    return item;
  }
  return NOTHING;
}

/** The item of the hint, or of the first array among the schema's examples, that stands at the same position. */
function readHint({ shape, spot }: Task, index: number): unknown {
  if (Array.isArray(spot.hint)) return spot.exact ? spot.hint[index] : spot.hint[index % Math.max(1, spot.hint.length)];
  const example: unknown = shape.suggestions.find((one) => Array.isArray(one) && one.length > 0);
  return Array.isArray(example) ? example[index % example.length] : undefined;
}

/** The `contains` schema that the item at a position is there to satisfy. */
function readContained(task: Task, index: number): readonly Part[] {
  let from = task.shape.prefixItems.length;
  for (const { part, minimum } of task.shape.contains) {
    if (index >= from && index < from + minimum) return [part];
    from += minimum;
  }
  return [];
}

function readNeeded(task: Task): number {
  const { shape } = task;
  const contained = shape.contains.reduce((sum, { minimum }) => sum + minimum, 0);
  return Math.max(shape.minItems, contained === 0 ? 0 : contained + shape.prefixItems.length);
}

/** Two or three items near the top, one further down, none where the value has to end. */
function readLength(task: Task): number {
  const { shape, spot, run } = task;
  const needed = readNeeded(task);
  if (spot.frugal) return needed;
  if (spot.exact && Array.isArray(spot.hint)) return Math.max(needed, Math.min(spot.hint.length, shape.maxItems));
  const parts = readItemParts(shape, shape.prefixItems.length);
  if (parts === undefined) return Math.max(needed, Math.min(shape.prefixItems.length, shape.maxItems));
  if (shape.prefixItems.length > 0) return Math.max(needed, Math.min(shape.prefixItems.length, shape.maxItems));
  const height = run.height(parts, UNDECIDED);
  const isRecursive = parts.some(({ schema }) => typeof schema !== 'boolean' && spot.trail.includes(schema.$ref ?? ''));
  if (height >= 9 || isRecursive || (spot.depth >= 3 && height > 0)) return needed;
  const usual = spot.depth <= 1 ? run.random(spot.path, 'length').integer(2, 3) : 1;
  return Math.max(needed, Math.min(usual, shape.maxItems));
}
