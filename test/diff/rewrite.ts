import { isObject } from '../../src/base/json.js';
import { fromReference, readPointer } from '../../src/contract/pointer.js';

type Written = Readonly<Record<string, unknown>>;

/** A document with the members of all its objects in reverse order. */
export function reverse(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reverse);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([name, member]) => [name, reverse(member)]),
  );
}

/** A document with each reference replaced by what it refers to, except inside of itself. */
export function inline(document: Written, value: unknown = document, inside: readonly string[] = []): unknown {
  if (Array.isArray(value)) return value.map((item) => inline(document, item, inside));
  if (!isObject(value)) return value;
  const pointer = Object.keys(value).length === 1 ? fromReference(value['$ref']) : undefined;
  if (pointer === undefined) {
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, inline(document, member, inside)]));
  }
  if (inside.includes(pointer)) return value;
  return inline(document, readPointer(document, pointer), [...inside, pointer]);
}
