import { isBytes } from '../../base/platform.js';

/** The indices of two equal items, the later one first; in linear time. */
export function findDuplicate(items: readonly unknown[]): readonly [number, number] | undefined {
  const seen = new Map<unknown, number>();
  for (let i = 0; i < items.length; i++) {
    const item = items[i];
    const key = typeof item === 'object' && item !== null ? `object ${toComparableText(item)}` : item;
    // No string is equal to that of an object.
    const own = typeof item === 'string' ? `string ${item}` : key;
    const before = seen.get(own);
    if (before !== undefined) return [i, before];
    seen.set(own, i);
  }
  return undefined;
}

/** A string that is the same for equal values, whatever the order of their properties. */
function toComparableText(value: unknown): string {
  if (isBytes(value)) return `bytes ${Buffer.from(value).toString('base64')}`;
  if (Array.isArray(value)) return `[${value.map(toComparableText).join(',')}]`;
  // -0 equals 0, and JSON cannot represent what JSON.parse makes of 1e999.
  if (typeof value !== 'object' || value === null)
    return typeof value === 'number' ? String(value) : JSON.stringify(value);
  const members = Object.entries(value).map(([name, member]) => `${JSON.stringify(name)}:${toComparableText(member)}`);
  return `{${members.toSorted().join(',')}}`;
}

/** Whether an object has a property of its own; one that is undefined is not in JSON. */
export function hasProperty(value: Readonly<Record<string, unknown>>, name: string): boolean {
  // In this order: most properties are not there, and reading one of those takes several times as long, since prototypes are searched.
  return Object.hasOwn(value, name) && value[name] !== undefined;
}

/** Whether an object has all of some properties. */
export function hasAll(value: Readonly<Record<string, unknown>>, names: readonly string[]): boolean {
  for (const name of names) if (!hasProperty(value, name)) return false;
  return true;
}

/** `minLength`. A string that is far from the limit is not read: one of megabytes takes milliseconds. */
export function isLongEnough(text: string, limit: number): boolean {
  return text.length >= 2 * limit || (text.length >= limit && countCodePoints(text) >= limit);
}

/** `maxLength`. */
export function isShortEnough(text: string, limit: number): boolean {
  return text.length <= limit || (text.length <= 2 * limit && countCodePoints(text) <= limit);
}

/** The characters of a string as JSON Schema counts them. */
export function countCodePoints(text: string): number {
  let count = text.length;
  for (let i = 0; i < text.length - 1; i++) {
    if ((text.charCodeAt(i) & 0xfc00) === 0xd800 && (text.charCodeAt(i + 1) & 0xfc00) === 0xdc00) {
      count--;
      i++;
    }
  }
  return count;
}
