import { readItemParts } from './children.js';
import { UNDECIDED } from './expand.js';
import { IN_TURN, NOTHING, type Spot, type Task } from './run.js';
import { type Part, SYNTHETIC } from './shape.js';

/** Makes an array: what was given, what is required, and two or three items where nothing speaks against it. */
export function makeArray(task: Task): unknown {
  const placements = listPlacements(task);
  // After a mistake another way to place what `contains` asks for comes first.
  const turn = (task.run.mistakes.get(task.spot.path) ?? 0) % placements.length;
  for (let i = 0; i < placements.length; i++) {
    const placement = placements[(i + turn) % placements.length];
    const items = placement === undefined ? NOTHING : fill(task, placement);
    if (items !== NOTHING) return items;
  }
  return NOTHING;
}

/** The positions at which the items stand that satisfy each `contains`, in the order of the shape's list. */
type Placement = readonly { readonly from: number; readonly to: number }[];

/** In a row after the tuple, in a row from the start, then each of them anywhere near the start: one item may satisfy several. */
function listPlacements({ shape }: Task): readonly Placement[] {
  const { contains, prefixItems } = shape;
  if (contains.length === 0) return [[]];
  const inARow = (start: number): Placement => {
    let from = start;
    return contains.map(({ minimum }) => ({ from, to: (from += minimum) }));
  };
  const room = Math.min(MAXIMUM_ROOM, Math.max(2, prefixItems.length, shape.minItems));
  let anywhere: readonly Placement[] = [[]];
  for (const { minimum } of contains) {
    anywhere = anywhere.flatMap((placement) =>
      Array.from({ length: room }, (_, from) => [...placement, { from, to: from + minimum }]),
    );
    if (anywhere.length > MAXIMUM_PLACEMENTS) anywhere = anywhere.slice(0, MAXIMUM_PLACEMENTS);
  }
  return [inARow(prefixItems.length), inARow(0), ...anywhere];
}

const MAXIMUM_ROOM = 4;
const MAXIMUM_PLACEMENTS = 32;

function fill(task: Task, placement: Placement): unknown {
  const { shape, spot } = task;
  const given: readonly unknown[] = Array.isArray(spot.given) ? spot.given : [];
  const needed = Math.max(shape.minItems, ...placement.filter(({ from, to }) => to > from).map(({ to }) => to));
  const wanted = Array.isArray(spot.given) ? Math.max(given.length, needed) : readLength(task, needed);
  if (needed > shape.maxItems && given.length === 0) return NOTHING;
  const items = collect(task, wanted, { given, placement, fresh: 0 });
  if (items.length >= needed) return items;
  // Chance leaves gaps where nearly every value of a range is needed.
  const inTurn = shape.uniqueItems ? collect(task, wanted, { given, placement, fresh: IN_TURN }) : [];
  return inTurn.length < needed ? NOTHING : inTurn;
}

function collect(
  task: Task,
  wanted: number,
  how: { readonly given: readonly unknown[]; readonly placement: Placement; readonly fresh: number },
): readonly unknown[] {
  const items: unknown[] = [];
  const taken = task.shape.uniqueItems ? new Set<string>() : undefined;
  const { given, placement, fresh } = how;
  for (let i = 0; i < wanted; i++) {
    if (i >= given.length && task.run.steps > MAXIMUM_VALUES) break;
    const item = makeItem(task, { index: i, given: given[i], taken, placement, fresh });
    if (item === NOTHING) break;
    items.push(item);
  }
  return items;
}

/** A whole value of more parts than this is not made: a document that demands one would stop the mock. */
const MAXIMUM_VALUES = 200_000;

interface Slot {
  readonly index: number;
  readonly given: unknown;
  readonly taken: Set<string> | undefined;
  readonly placement: Placement;
  /** Added to that of the spot. */
  readonly fresh: number;
}

/** Tries for an item that is not there yet, before the array is given up. */
const MAXIMUM_TRIES = 40;

function makeItem(task: Task, slot: Slot): unknown {
  const { shape, spot, run } = task;
  const declared = readItemParts(shape, slot.index);
  if (declared === undefined) return slot.given === undefined ? NOTHING : slot.given;
  const parts = [...declared, ...readContained(task, slot)];
  for (let i = 0; i < MAXIMUM_TRIES; i++) {
    const stream = `${spot.stream}/${slot.index}${i === 0 ? '' : `~${i}`}`;
    const child: Spot = {
      ...spot,
      path: `${spot.path}/${slot.index}`,
      stream,
      owner: stream,
      index: slot.index,
      given: slot.given,
      hint: readHint(task, slot.index),
      echoes: false,
      fresh: spot.fresh + slot.fresh + i,
    };
    const item = run.make(parts, child);
    if (slot.given !== undefined) return item === NOTHING ? slot.given : item;
    if (item === NOTHING) return NOTHING;
    if (slot.taken === undefined) return item;
    const text = JSON.stringify(item);
    if (slot.taken.has(text)) continue;
    slot.taken.add(text);
    return item;
  }
  return NOTHING;
}

/** The `contains` schemas that the item at a position satisfies, and those that it must not, since enough others do. */
function readContained({ shape }: Task, { index, placement }: Slot): readonly Part[] {
  return shape.contains.flatMap(({ part, maximum }, i) => {
    const { from, to } = placement[i] ?? { from: 0, to: 0 };
    if (index >= from && index < to) return [part];
    return maximum < Infinity ? [toOpposite(part)] : [];
  });
}

function toOpposite(part: Part): Part {
  return { schema: { not: part.schema }, pointer: `${SYNTHETIC}${part.pointer}` };
}

/** The item of the hint, or of the first array among the schema's examples, that stands at the same position. */
function readHint({ shape, spot }: Task, index: number): unknown {
  if (Array.isArray(spot.hint)) return spot.exact ? spot.hint[index] : spot.hint[index % Math.max(1, spot.hint.length)];
  const example: unknown = shape.suggestions.find((one) => Array.isArray(one) && one.length > 0);
  return Array.isArray(example) ? example[index % example.length] : undefined;
}

/** Two or three items near the top, one further down, none where the value has to end. */
function readLength(task: Task, needed: number): number {
  const { shape, spot, run } = task;
  if (spot.frugal) return needed;
  if (spot.exact && Array.isArray(spot.hint)) return Math.max(needed, Math.min(spot.hint.length, shape.maxItems));
  const parts = readItemParts(shape, shape.prefixItems.length);
  if (parts === undefined) return Math.max(needed, Math.min(shape.prefixItems.length, shape.maxItems));
  if (shape.prefixItems.length > 0) return Math.max(needed, Math.min(shape.prefixItems.length, shape.maxItems));
  const height = run.height(parts, UNDECIDED);
  const isRecursive = parts.some(({ schema }) => typeof schema !== 'boolean' && spot.trail.includes(schema.$ref ?? ''));
  // Forms cannot say that a list is empty, so a request shows an item as long as it can.
  const isDeep = spot.depth >= 3 && run.direction === 'response';
  if (height >= 9 || isRecursive || (isDeep && height > 0)) return needed;
  const usual = spot.depth <= 1 ? run.random(spot.stream, 'length').integer(2, 3) : 1;
  return Math.max(needed, Math.min(usual, shape.maxItems));
}
