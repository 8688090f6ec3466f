import { isObject } from '../../../base/json.js';

/** A condition on one value. */
export interface Matcher {
  /** Whether a value matches; `undefined`: there is none. */
  test(actual: unknown): boolean;
  /** The condition as it is written, for traces. */
  readonly written: unknown;
}

/** A value of a body: objects may have more members, everything else is equal. */
export function createValueMatcher(written: unknown): Matcher {
  return { written, test: (actual) => isSubset(written, actual) };
}

/** A value of a parameter: the same value, the same text, or an item of its array; `null` if it must be absent. */
export function createTextMatcher(written: unknown): Matcher {
  if (written === null) return { written, test: (actual) => actual === undefined || actual === null };
  return { written, test: (actual) => actual !== undefined && isSameText(written, actual) };
}

function isSameText(wanted: unknown, actual: unknown): boolean {
  if (isSubset(wanted, actual)) return true;
  if (isObject(wanted) || Array.isArray(wanted)) return false;
  const isText = (each: unknown): boolean => !isObject(each) && String(wanted) === String(each);
  return Array.isArray(actual) ? actual.some(isText) : isText(actual);
}

/** Whether `wanted` is a subset of `actual`: objects may have more members, everything else is equal. */
export function isSubset(wanted: unknown, actual: unknown): boolean {
  if (isObject(wanted)) {
    return (
      isObject(actual) &&
      Object.keys(wanted).every((name) => Object.hasOwn(actual, name) && isSubset(wanted[name], actual[name]))
    );
  }
  if (Array.isArray(wanted)) {
    return (
      Array.isArray(actual) && wanted.length === actual.length && wanted.every((item, i) => isSubset(item, actual[i]))
    );
  }
  return wanted === actual;
}
