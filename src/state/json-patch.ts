import { isObject, filterMembers } from '../contract/json.js';
import { readSegments } from '../contract/pointer.js';
import type { Item } from './store/collection.js';

/** The patched item, or why the patch cannot be applied. */
type PatchResult = { readonly item: Item } | { readonly mistake: string };

/** Applies a JSON Patch (RFC 6902): all operations in order, or none where one fails. */
export function applyJsonPatch(item: Item, operations: unknown): PatchResult {
  if (!Array.isArray(operations)) return { mistake: 'a JSON Patch must be an array of operations' };
  let current: unknown = structuredClone(item);
  for (const [i, operation] of operations.entries()) {
    if (!isObject(operation)) return { mistake: `operation ${i} of the patch must be an object` };
    const next = applyOperation(current, operation);
    if ('mistake' in next)
      return { mistake: `operation ${i} of the patch (${String(operation['op'])}) ${next.mistake}` };
    current = next.value;
  }
  return isObject(current) ? { item: current } : { mistake: 'the result of the patch is not an object' };
}

interface Changed {
  readonly value: unknown;
}

type Step = Changed | { readonly mistake: string };

function applyOperation(root: unknown, operation: Item): Step {
  const { op, path, from, value } = operation;
  if (typeof path !== 'string') return { mistake: 'has no path' };
  const needsValue = op === 'add' || op === 'replace' || op === 'test';
  // RFC 6902 sections 4.1, 4.3 and 4.6: these have a value, which may be null.
  if (needsValue && !Object.hasOwn(operation, 'value')) return { mistake: 'has no value' };
  const at = readSegments(path);
  switch (op) {
    case 'add':
      return write(root, at, { value, insert: true }) ?? missing(path);
    case 'replace':
      return (read(root, at) && write(root, at, { value, insert: false })) ?? missing(path);
    case 'remove':
      return remove(root, at) ?? missing(path);
    case 'test': {
      const actual = read(root, at);
      return actual && isSame(actual.value, value) ? { value: root } : { mistake: `found another value at "${path}"` };
    }
    case 'copy':
    case 'move': {
      if (typeof from !== 'string') return { mistake: 'has no from' };
      const source = read(root, readSegments(from));
      const left = op === 'move' ? remove(root, readSegments(from)) : { value: root };
      if (source === undefined || left === undefined) return missing(from);
      if (op === 'copy' && countValues([root, source.value], MAX_VALUES) >= MAX_VALUES)
        return { mistake: `makes the item larger than ${MAX_VALUES} values` };
      return write(left.value, at, { value: source.value, insert: true }) ?? missing(path);
    }
    default:
      return { mistake: 'must be add, remove, replace, move, copy or test' };
  }
}

/** The maximum number of values in an item: repeated copies of an item into itself would fill the memory. */
const MAX_VALUES = 100_000;

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

function missing(path: string): Step {
  return { mistake: `found no value at "${path}"` };
}

function read(root: unknown, path: readonly string[]): Changed | undefined {
  let value = root;
  for (const segment of path) {
    if (Array.isArray(value) && INDEX.test(segment) && Number(segment) < value.length) value = value[Number(segment)];
    else if (isObject(value) && Object.hasOwn(value, segment)) value = value[segment];
    else return undefined;
  }
  return { value };
}

// RFC 6901 section 4: no sign and no leading zeros.
const INDEX = /^(0|[1-9]\d*)$/;

/** A copy of the tree with a value at a path; only the objects on the path are copied. Undefined where there is no such place. */
function write(
  root: unknown,
  [segment, ...rest]: readonly string[],
  what: { readonly value: unknown; readonly insert: boolean },
): Changed | undefined {
  if (segment === undefined) return { value: what.value };
  if (Array.isArray(root)) {
    const index = segment === '-' ? root.length : INDEX.test(segment) ? Number(segment) : Number.NaN;
    const isInserted = what.insert && rest.length === 0;
    const made = index <= root.length - (isInserted ? 0 : 1) ? write(root[index], rest, what) : undefined;
    return made && { value: root.toSpliced(index, isInserted ? 0 : 1, made.value) };
  }
  if (!isObject(root) || (rest.length > 0 && !Object.hasOwn(root, segment))) return undefined;
  const made = write(root[segment], rest, what);
  return made && { value: { ...root, [segment]: made.value } };
}

/** A copy of the tree without the value at a path. */
function remove(root: unknown, [segment, ...rest]: readonly string[]): Changed | undefined {
  const child = segment === undefined ? undefined : read(root, [segment]);
  if (segment === undefined || child === undefined) return undefined;
  if (rest.length > 0) {
    const made = remove(child.value, rest);
    return made && write(root, [segment], { value: made.value, insert: false });
  }
  if (Array.isArray(root)) return { value: root.toSpliced(Number(segment), 1) };
  return { value: filterMembers(root as Item, (name) => name !== segment) }; // `read` found a member
}

/** RFC 6902 section 4.6: equal as JSON, whatever the order of members. */
function isSame(a: unknown, b: unknown): boolean {
  if (Array.isArray(a) && Array.isArray(b)) return a.length === b.length && a.every((each, i) => isSame(each, b[i]));
  if (!isObject(a) || !isObject(b)) return a === b;
  const names = Object.keys(a);
  return (
    names.length === Object.keys(b).length && names.every((name) => Object.hasOwn(b, name) && isSame(a[name], b[name]))
  );
}
