import { isObject } from '../contract/json.js';
import { readSegments, toPointer } from '../contract/pointer.js';
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

type Step = { readonly value: unknown } | { readonly mistake: string };

function applyOperation(root: unknown, operation: Item): Step {
  const { op, path, from, value } = operation;
  if (typeof path !== 'string') return { mistake: 'has no path' };
  const needsValue = op === 'add' || op === 'replace' || op === 'test';
  // RFC 6902 sections 4.1, 4.3 and 4.6: these have a value, which may be null.
  if (needsValue && !Object.hasOwn(operation, 'value')) return { mistake: 'has no value' };
  switch (op) {
    case 'add':
      return named(path, write(root, path, { value, insert: true }));
    case 'replace':
      return read(root, path).found ? write(root, path, { value, insert: false }) : missing(path);
    case 'remove':
      return remove(root, path);
    case 'test': {
      const { found, value: actual } = read(root, path);
      return found && isSame(actual, value) ? { value: root } : { mistake: `found another value at "${path}"` };
    }
    case 'copy':
    case 'move': {
      if (typeof from !== 'string') return { mistake: 'has no from' };
      const source = read(root, from);
      if (!source.found) return missing(from);
      if (op === 'copy' && countValues([root, source.value], MAX_VALUES) >= MAX_VALUES) {
        return { mistake: `makes the item larger than ${MAX_VALUES} values` };
      }
      const taken: Step = op === 'move' ? remove(root, from) : { value: root };
      return 'mistake' in taken ? taken : named(path, write(taken.value, path, { value: source.value, insert: true }));
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

/** A step whose mistake names the whole path. */
function named(path: string, step: Step): Step {
  return 'mistake' in step ? missing(path) : step;
}

function missing(path: string): Step {
  return { mistake: `found no value at "${path}"` };
}

function read(root: unknown, path: string): { readonly found: boolean; readonly value: unknown } {
  let value = root;
  for (const segment of readSegments(path)) {
    if (Array.isArray(value) && INDEX.test(segment) && Number(segment) < value.length) value = value[Number(segment)];
    else if (isObject(value) && Object.hasOwn(value, segment)) value = value[segment];
    else return { found: false, value: undefined };
  }
  return { found: true, value };
}

// RFC 6901 section 4: no sign and no leading zeros.
const INDEX = /^(0|[1-9]\d*)$/;

/** A copy of the tree with a value at a path; only the objects on the path are copied. */
function write(root: unknown, path: string, what: { readonly value: unknown; readonly insert: boolean }): Step {
  const segments = readSegments(path);
  const [segment] = segments;
  if (segment === undefined) return { value: what.value };
  const inner = (child: unknown): Step =>
    segments.length === 1 ? { value: what.value } : write(child, joinRest(segments), what);
  if (Array.isArray(root)) {
    const index = segment === '-' ? root.length : INDEX.test(segment) ? Number(segment) : Number.NaN;
    const last = segments.length === 1 && what.insert ? root.length : root.length - 1;
    if (!(index <= last)) return missing(path);
    const made = inner(root[index]);
    if ('mistake' in made) return made;
    const removed = segments.length === 1 && what.insert ? 0 : 1;
    return { value: root.toSpliced(index, removed, made.value) };
  }
  if (!isObject(root) || (segments.length > 1 && !Object.hasOwn(root, segment))) return missing(path);
  const made = inner(root[segment]);
  return 'mistake' in made ? made : { value: { ...root, [segment]: made.value } };
}

function remove(root: unknown, path: string): Step {
  const segments = readSegments(path);
  const [segment] = segments;
  if (segment === undefined || !read(root, path).found) return missing(path);
  if (segments.length > 1) {
    const child = Array.isArray(root) ? root[Number(segment)] : (root as Item)[segment]; // `read` went this way
    const made = remove(child, joinRest(segments));
    return 'mistake' in made ? made : write(root, toPointer(segment), { value: made.value, insert: false });
  }
  if (Array.isArray(root)) return { value: root.toSpliced(Number(segment), 1) };
  return { value: Object.fromEntries(Object.entries(root as Item).filter(([name]) => name !== segment)) }; // as above
}

function joinRest(segments: readonly string[]): string {
  return toPointer(...segments.slice(1));
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
