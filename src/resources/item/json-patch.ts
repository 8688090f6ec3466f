import { means } from '../../conventions/conventions.js';
import { copyJson, isEqualJson, isObject, mergePatch, readOwn, readPath, setOwn, withPath } from '../../base/json.js';
import { readSegments } from '../../contract/pointer.js';
import { type SchemaView, listProperties, type ReadSchema } from '../../contract/schema-view/schema-view.js';
import { findInnerList } from '../list/envelope.js';
import { toBareName } from '../../base/names.js';
import type { Item } from '../store/lists/item-list.js';

/** The patched item, or why the patch cannot be applied. */
type PatchResult = { readonly item: Item } | { readonly mistake: string };

/** Whether a body is a JSON Patch, whatever its media type: an array of operations. */
export function isJsonPatch(body: unknown): boolean {
  return (
    Array.isArray(body) &&
    body.length > 0 &&
    body.every((each) => isObject(each) && typeof each['op'] === 'string' && typeof each['path'] === 'string')
  );
}

/**
 * Applies a JSON Patch (RFC 6902): all operations in order, or none where one fails.
 *
 * @param isLenient - For a patch under another media type, where APIs do not keep to the RFC: a member that is absent is added when it is
 *   replaced and stays absent when it is removed, and a path that is not one of the item (`/units/@id=='a'`) changes nothing.
 */
export function applyJsonPatch(item: Item, operations: unknown, isLenient = false): PatchResult {
  if (!Array.isArray(operations)) return { mistake: 'a JSON Patch must be an array of operations' };
  // A copy, which is changed in place: a copy for each operation would take quadratic time.
  const draft: PatchDraft = { tree: { root: copyJson(item) }, isLenient, work: 0 };
  for (const [i, operation] of operations.entries()) {
    if (!isObject(operation)) return { mistake: `operation ${i} of the patch must be an object` };
    const mistake = draft.work > MAX_WORK ? TOO_COSTLY : applyOperation(draft, operation);
    if (mistake !== undefined)
      return { mistake: `operation ${i} of the patch (${String(operation['op'])}) ${mistake}` };
  }
  const { root } = draft.tree;
  return isObject(root) ? { item: root } : { mistake: 'the result of the patch is not an object' };
}

/** The item that is changed, and the values that were copied, moved or compared so far. */
interface PatchDraft {
  readonly tree: Record<string, unknown>;
  readonly isLenient: boolean;
  work: number;
}

/** The maximum number of values in an item: repeated copies of an item into itself would fill the memory. */
const MAX_VALUES = 100_000;
/** The maximum number of values that one patch copies, moves or compares. */
const MAX_WORK = 2_000_000;
/** Items behind an added or removed one move together, at a fraction of the cost. */
const ITEMS_PER_WORK = 256;
const TOO_COSTLY = `is not applied: the patch copies, moves or compares more than ${MAX_WORK} values`;

/** Applies one operation. @returns why it cannot be applied. */
function applyOperation(draft: PatchDraft, operation: Item): string | undefined {
  const { op, path, from, value } = operation;
  if (typeof path !== 'string') return 'has no path';
  const needsValue = op === 'add' || op === 'replace' || op === 'test';
  // RFC 6902 sections 4.1, 4.3 and 4.6: these have a value, which may be null.
  if (needsValue && !Object.hasOwn(operation, 'value')) return 'has no value';
  const place = locate(draft, path);
  if (draft.isLenient && place?.found !== true && (op === 'replace' || op === 'remove' || place === undefined)) {
    if (op === 'replace') insert(draft, place, copyJson(value));
    return undefined;
  }
  switch (op) {
    case 'add':
      return insert(draft, place, copyJson(value)) ? undefined : missing(path);
    case 'replace':
      return replace(place, copyJson(value)) ? undefined : missing(path);
    case 'remove':
      return remove(draft, place) ? undefined : missing(path);
    case 'test': {
      if (place?.found === true) draft.work += countValues(place.value, MAX_VALUES);
      return place?.found === true && isEqualJson(place.value, value) ? undefined : `found another value at "${path}"`;
    }
    case 'copy':
    case 'move': {
      if (typeof from !== 'string') return 'has no from';
      const source = locate(draft, from);
      if (source?.found !== true) return missing(from);
      if (op === 'move') {
        if (!remove(draft, source)) return missing(from);
      } else {
        const count = countValues([draft.tree, source.value], MAX_VALUES);
        if (count >= MAX_VALUES) return `makes the item larger than ${MAX_VALUES} values`;
        draft.work += count;
      }
      const given = op === 'move' ? source.value : copyJson(source.value);
      return insert(draft, locate(draft, path), given) ? undefined : missing(path);
    }
    default:
      return 'must be add, remove, replace, move, copy or test';
  }
}

/** The number of values in a value, including itself, up to `limit`. */
function countValues(value: unknown, limit: number): number {
  if (typeof value !== 'object' || value === null) return 1;
  let count = 1;
  for (const inner of Object.values(value)) {
    if (count >= limit) return limit;
    count += countValues(inner, limit - count);
  }
  return Math.min(count, limit);
}

function missing(path: string): string {
  return `found no value at "${path}"`;
}

/** The place of a value: the array or object that has it, and its index or name there. */
interface Located {
  readonly parent: unknown[] | Record<string, unknown>;
  readonly key: string;
  readonly found: boolean;
  readonly value: unknown;
}

/** The place at a path, where it can be only the last segment that does not exist. */
function locate({ tree }: PatchDraft, path: string): Located | undefined {
  let located: Located = { parent: tree, key: 'root', found: true, value: tree['root'] };
  for (const key of readSegments(path)) {
    const { found, value } = located;
    if (!found || typeof value !== 'object' || value === null) return undefined;
    if (Array.isArray(value)) {
      const isIn = INDEX.test(key) && Number(key) < value.length;
      located = { parent: value, key, found: isIn, value: isIn ? value[Number(key)] : undefined };
    } else {
      // A part of the copy.
      const parent = value as Record<string, unknown>;
      located = { parent, key, found: Object.hasOwn(parent, key), value: readOwn(parent, key) };
    }
  }
  return located;
}

// RFC 6901 section 4: no sign and no leading zeros.
const INDEX = /^(0|[1-9]\d*)$/;

/** Adds a value, before the item of an array that is there. @returns whether there is such a place. */
function insert(draft: PatchDraft, place: Located | undefined, value: unknown): boolean {
  if (place === undefined) return false;
  const { parent, key } = place;
  if (!Array.isArray(parent)) setOwn(parent, key, value);
  else {
    const index = key === '-' ? parent.length : INDEX.test(key) ? Number(key) : Number.NaN;
    if (!(index <= parent.length)) return false;
    draft.work += (parent.length - index) / ITEMS_PER_WORK;
    parent.splice(index, 0, value);
  }
  return true;
}

function replace(place: Located | undefined, value: unknown): boolean {
  if (place?.found !== true) return false;
  const { parent, key } = place;
  if (Array.isArray(parent)) parent[Number(key)] = value;
  else setOwn(parent, key, value);
  return true;
}

function remove(draft: PatchDraft, place: Located | undefined): boolean {
  if (place?.found !== true || place.parent === draft.tree) return false;
  const { parent, key } = place;
  if (Array.isArray(parent)) {
    draft.work += (parent.length - Number(key)) / ITEMS_PER_WORK;
    parent.splice(Number(key), 1);
  } else delete parent[key];
  return true;
}

/** An array of an item whose elements a change names by their ids. */
interface NamedElements {
  readonly path: readonly string[];
  readonly id: string;
  /** The property of a sent element that removes it; what is not named is kept. */
  readonly flag: string | undefined;
}

/**
 * Plans how the arrays of a change are merged whose elements have an id, where a request can leave out what an element requires: an
 * element with the id of an existing one changes it. Elements that it does not name are removed, unless they have a property that
 * removes them. Other arrays are replaced (RFC 7386).
 */
export function createElementMerge(
  read: ReadSchema,
  of: {
    readonly body: SchemaView | undefined;
    readonly schema: SchemaView | undefined;
    /** Names of the query parameters. */
    readonly parameters: readonly string[];
  },
): ElementMerge {
  const { body, schema, parameters } = of;
  const names = [...(body?.members.keys() ?? []), ...parameters];
  const additions = schema === undefined ? [] : names.flatMap((name) => findElementChange(read, schema, name) ?? []);
  const plans = listProperties(body).flatMap(({ name, target }): readonly NamedElements[] => {
    const sent = read(read(target)?.element);
    const list = findInnerList(read, read(schema?.members.get(name)?.target));
    const id = [...(sent?.members.keys() ?? [])].find((each) => means(each, 'ids.id'));
    if (sent === undefined || list === undefined || id === undefined || !list.element.members.has(id)) return [];
    const flag = [...sent.members.keys()].find((each) => means(each, 'removed.element'));
    const isPartial = listProperties(list.element).some(
      (each) => each.required && each.name !== id && sent.members.get(each.name)?.required !== true,
    );
    return flag !== undefined || isPartial ? [{ path: [name, ...list.path], id, flag }] : [];
  });
  return (item, changes, sent) => {
    const changed = additions.reduce((left, plan) => changeElements(item, left, { plan, sent }), changes);
    return plans.reduce((left, plan) => mergeElements(item, left, plan), changed);
  };
}

/** The changes of an item with whole arrays. @param sent - The body and the query of the request. */
export type ElementMerge = (item: Item, changes: Item, sent: readonly Item[]) => Item;

/** A member of requests with elements that an array of the item gets or loses. */
interface ElementChange {
  readonly name: string;
  readonly array: string;
  readonly isAdded: boolean;
}

/** The array that a member names after a verb: `labelIds` for `addLabelIds` and `removeLabelIds`, `tags` for `tags_to_add`. */
function findElementChange(read: ReadSchema, schema: SchemaView, name: string): ElementChange | undefined {
  const bare = toBareName(name);
  const [, before, after, noun, behind] = /^(?:(add|remove)(.+)|(.+)to(add|remove))$/.exec(bare) ?? [];
  const wanted = after ?? noun;
  if (wanted === undefined || schema.members.has(name)) return undefined;
  const array = listProperties(schema).find((each) => each.bare === wanted);
  const list = read(array?.target);
  const element = list?.type === 'array' ? read(list.element) : undefined;
  const isPlain = element !== undefined && element.members.size === 0;
  return array && isPlain ? { name, array: array.name, isAdded: (before ?? behind) === 'add' } : undefined;
}

function changeElements(
  item: Item,
  changes: Item,
  { plan: { name, array, isAdded }, sent }: { readonly plan: ElementChange; readonly sent: readonly Item[] },
): Item {
  const value = sent.map((each) => readOwn(each, name)).find((each) => each !== undefined);
  const named: readonly unknown[] = typeof value === 'string' ? value.split(',') : [value].flat();
  if (value === undefined || value === null) return changes;
  const known = changes[array] ?? item[array];
  const before: readonly unknown[] = Array.isArray(known) ? known : [];
  const kept = before.filter((each) => !named.includes(each));
  return { ...changes, [array]: isAdded ? [...before, ...named.filter((each) => !before.includes(each))] : kept };
}

function mergeElements(item: Item, changes: Item, { path, id, flag }: NamedElements): Item {
  const [before, sent] = [readPath(item, path), readPath(changes, path)];
  if (!Array.isArray(before) || !Array.isArray(sent)) return changes;
  const isOf = (one: unknown, other: unknown): boolean =>
    isObject(one) && isObject(other) && one[id] !== undefined && one[id] === other[id];
  const merge = (known: unknown, each: unknown): readonly unknown[] => {
    if (!isObject(each) || flag === undefined) return [known === undefined ? each : mergePatch(known, each)];
    const { [flag]: isRemoved, ...rest } = each;
    return isRemoved === true ? [] : [known === undefined ? rest : mergePatch(known, rest)];
  };
  const find = (among: readonly unknown[], each: unknown): unknown => among.find((one) => isOf(one, each));
  const kept = flag === undefined ? [] : before.filter((one) => find(sent, one) === undefined);
  return withPath(changes, path, [...kept, ...sent.flatMap((each: unknown) => merge(find(before, each), each))]);
}
