import { hashText } from '../../base/random.js';
import {
  ENDLESS,
  ENUMERATE,
  IMPOSSIBLE,
  isMistaken,
  MAX_EXAMPLE_DEPTH,
  MAX_VALUES,
  type ValueTask,
} from './attempt.js';
import { type SchemaPart, readContainedParts, readItemParts, SYNTHETIC, type ValuePlace } from './shape.js';

/** Generates an array: given items, required ones, and two or three if the schema allows them. */
export function makeArray(task: ValueTask): unknown {
  if (task.shape.contains.length === 0) return fill(task, NOWHERE);
  const placements = listPlacements(task);
  // After a mistake another placement of the items for `contains` comes first.
  const first = (task.attempt.mistakes.get(task.place.path) ?? 0) % placements.length;
  for (let i = 0; i < placements.length; i++) {
    const placement = placements[(i + first) % placements.length];
    const items = placement === undefined ? IMPOSSIBLE : fill(task, placement);
    if (items !== IMPOSSIBLE) return items;
  }
  return IMPOSSIBLE;
}

/** The positions of the items that satisfy each `contains`, in the order of the shape's list. */
type Placement = readonly { readonly from: number; readonly to: number }[];

const NOWHERE: Placement = [];

/** One after the other behind the tuple or from the start, then each anywhere near the start: one item may satisfy several. */
function listPlacements({ shape }: ValueTask): readonly Placement[] {
  const { contains, prefixItems, minItems } = shape;
  // Where `contains` alone allows items, it is satisfied as often as there are items.
  const needed = readItemParts(shape, prefixItems.length) === undefined ? minItems - prefixItems.length : 0;
  const inARow = (start: number): Placement => {
    let from = start;
    return contains.map(({ minimum, maximum }) => ({
      from,
      to: (from += Math.min(maximum, Math.max(minimum, needed))),
    }));
  };
  const room = Math.min(MAX_ROOM, Math.max(2, prefixItems.length, shape.minItems));
  let anywhere: readonly Placement[] = [[]];
  for (const { minimum } of contains) {
    anywhere = anywhere.flatMap((placement) =>
      Array.from({ length: room }, (_, from) => [...placement, { from, to: from + minimum }]),
    );
    if (anywhere.length > MAX_PLACEMENTS) anywhere = anywhere.slice(0, MAX_PLACEMENTS);
  }
  return [inARow(prefixItems.length), inARow(0), ...anywhere];
}

const MAX_ROOM = 4;
const MAX_PLACEMENTS = 32;

function fill(task: ValueTask, placement: Placement): unknown {
  const { shape, place } = task;
  const given: readonly unknown[] = Array.isArray(place.given) ? place.given : [];
  let needed = shape.minItems;
  for (const { from, to } of placement) if (to > from) needed = Math.max(needed, to);
  const wanted = Array.isArray(place.given) ? Math.max(given.length, needed) : readLength(task, needed);
  if (needed > shape.maxItems && given.length === 0) return IMPOSSIBLE;
  // Each item is one step at least.
  if (needed - given.length > MAX_VALUES - task.attempt.steps) return IMPOSSIBLE;
  const items = collect(task, wanted, { placement, repeats: 0 });
  if (items.length >= needed) return items;
  // Random values leave gaps if nearly every value of a range is needed.
  const inTurn = shape.uniqueItems ? collect(task, wanted, { placement, repeats: ENUMERATE }) : [];
  return inTurn.length < needed ? IMPOSSIBLE : inTurn;
}

function collect(
  task: ValueTask,
  wanted: number,
  { placement, repeats }: Pick<Slot, 'placement' | 'repeats'>,
): readonly unknown[] {
  const items: unknown[] = [];
  const given: readonly unknown[] = Array.isArray(task.place.given) ? task.place.given : [];
  const taken = task.shape.uniqueItems ? new Set<string>() : undefined;
  for (let i = 0; i < wanted; i++) {
    if (i >= given.length && task.attempt.steps > MAX_VALUES) break;
    const item = makeItem(task, { placement, repeats, index: i, given: given[i], taken });
    if (item === IMPOSSIBLE) break;
    items.push(item);
  }
  return items;
}

interface Slot {
  readonly index: number;
  readonly given: unknown;
  readonly taken: Set<string> | undefined;
  readonly placement: Placement;
  readonly repeats: number;
}

/** Tries to generate an item that is not a duplicate. */
const MAX_TRIES = 40;

function makeItem(task: ValueTask, slot: Slot): unknown {
  const { shape, place, attempt } = task;
  const parts = shape.contains.length === 0 ? readItemParts(shape, slot.index) : readPartsBeside(task, slot);
  if (parts === undefined) return slot.given === undefined ? IMPOSSIBLE : slot.given;
  for (let i = 0; i < MAX_TRIES; i++) {
    const stream = hashText(i === 0 ? `/${slot.index}` : `/${slot.index}~${i}`, place.stream);
    const child: ValuePlace = {
      ...place,
      path: `${place.path}/${slot.index}`,
      stream,
      ownerStream: stream,
      index: slot.index,
      given: slot.given,
      hint: readHint(task, slot.index),
      repeatsRequest: false,
      repeats: place.repeats + slot.repeats + i,
    };
    const item = attempt.make(parts, child);
    if (slot.given !== undefined) return item === IMPOSSIBLE ? slot.given : item;
    if (item === IMPOSSIBLE) return IMPOSSIBLE;
    if (slot.taken === undefined) return item;
    const text = JSON.stringify(item);
    if (slot.taken.has(text)) continue;
    slot.taken.add(text);
    return item;
  }
  return IMPOSSIBLE;
}

/** The schemas of the item at a position beside `contains`: those that it satisfies, and the negation of those that enough other items satisfy. */
function readPartsBeside({ shape }: ValueTask, { index, placement }: Slot): readonly SchemaPart[] | undefined {
  const isPlaced = (i: number): boolean => {
    const { from, to } = placement[i] ?? { from: 0, to: 0 };
    return index >= from && index < to;
  };
  const placed = shape.contains.flatMap(({ part }, i) => (isPlaced(i) ? [part] : []));
  const negated = shape.contains.flatMap(({ part, maximum }, i) =>
    !isPlaced(i) && maximum < Infinity ? [toNegation(part)] : [],
  );
  if (placed.length > 0) return readContainedParts(shape, index, [...placed, ...negated]);
  const declared = readItemParts(shape, index);
  if (declared !== undefined) return [...declared, ...negated];
  // An item that nothing else allows may satisfy one more often than required.
  const open = shape.contains.find(({ maximum }) => maximum === Infinity);
  return open && readContainedParts(shape, index, [open.part, ...negated]);
}

function toNegation(part: SchemaPart): SchemaPart {
  return { schema: { not: part.schema }, pointer: `${SYNTHETIC}${part.pointer}` };
}

/** The item at the same position of the example. */
function readHint(task: ValueTask, index: number): unknown {
  const example = readArrayExample(task) ?? [];
  return task.place.exact ? example[index] : example[index % Math.max(1, example.length)];
}

/** The array to follow: the hint, or the first array among the schema's examples. */
function readArrayExample({ shape, place }: ValueTask): readonly unknown[] | undefined {
  const { hint } = place;
  // What an example has in place of a list is not followed: a list of such lists would have no end.
  if (hint !== undefined) return Array.isArray(hint) ? hint : undefined;
  return shape.suggestions.find((one) => Array.isArray(one));
}

/** Segments of the path of a list with several items, the empty first one included. */
const MAX_NEAR = 5;

/** Segments of the path of a list that is empty: one of lists like itself would have no end. */
const MAX_FAR = 12;

/** Two or three items near the top, one further down, none where a recursive value has to end. */
function readLength(task: ValueTask, needed: number): number {
  const { shape, place, attempt } = task;
  if (place.minimal) return needed;
  const example = readArrayExample(task);
  const isFollowed = place.exact || (place.depth < MAX_EXAMPLE_DEPTH && !isMistaken(attempt, place));
  if (example !== undefined && isFollowed) return Math.max(needed, Math.min(example.length, shape.maxItems));
  const item = readItemParts(shape, shape.prefixItems.length);
  if (item === undefined || shape.prefixItems.length > 0)
    return Math.max(needed, Math.min(shape.prefixItems.length, shape.maxItems));
  const depth = attempt.minimumDepth(attempt.merge(item));
  // A form cannot represent an empty list, so a request has an item if possible.
  const isDeep = place.depth >= 3 && attempt.direction === 'response';
  if (depth >= ENDLESS || (isDeep && depth > 0)) return needed;
  // Lists of lists grow with each level.
  const { length } = place.path.split('/');
  if (length > MAX_FAR) return needed;
  const isNear = place.depth <= 1 && length <= MAX_NEAR;
  const usual = isNear ? attempt.random(place.stream, 'length').integer(2, 3) : 1;
  return Math.max(needed, Math.min(usual, shape.maxItems));
}
