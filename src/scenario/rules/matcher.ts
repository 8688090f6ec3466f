import { isObject } from '../../contract/json.js';
import type { GuardedPattern } from '../../contract/patterns/guarded-pattern.js';

/** A condition on one value. */
export interface Matcher {
  /** Whether a value matches; `undefined`: there is none. */
  test(actual: unknown): boolean;
  /** The condition as it is written, for traces. */
  readonly written: unknown;
}

/** One side of a comparison: a number, or a date in milliseconds since 1970. */
export interface Bound {
  readonly value: number;
  readonly isDate: boolean;
}

/** The conditions of one matcher; all of them must be true. */
export interface MatcherParts {
  readonly present?: boolean;
  readonly equals?: Matcher;
  readonly matches?: GuardedPattern;
  readonly gt?: Bound;
  readonly gte?: Bound;
  readonly lt?: Bound;
  readonly lte?: Bound;
  /** An item of an array, or a part of a string. */
  readonly contains?: Matcher;
  readonly oneOf?: readonly Matcher[];
  readonly not?: Matcher;
  readonly jsonPath?: { selects(value: unknown): boolean };
}

type Test = Matcher['test'];

/** The comparisons of a matcher. */
export const COMPARISONS: Readonly<Record<'gt' | 'gte' | 'lt' | 'lte', (actual: number, bound: number) => boolean>> = {
  gt: (actual, bound) => actual > bound,
  gte: (actual, bound) => actual >= bound,
  lt: (actual, bound) => actual < bound,
  lte: (actual, bound) => actual <= bound,
};

/** The matcher with these parts. @param isText - For a parameter: one item of an array is enough, and strings can be numbers. */
export function createMatcher(written: unknown, parts: MatcherParts, isText: boolean): Matcher {
  const { present, equals, matches, contains, oneOf, not, jsonPath } = parts;
  const tests: Test[] = [];
  const ofItem: Test[] = [];
  if (present !== undefined) {
    tests.push((actual) => (actual !== undefined && !(isText && actual === null)) === present);
  }
  if (matches !== undefined) ofItem.push((actual) => isScalar(actual) && matches.test(String(actual)));
  // The names of an object are those of its entries.
  for (const name of Object.keys(COMPARISONS) as (keyof typeof COMPARISONS)[]) {
    const bound = parts[name];
    if (bound !== undefined)
      ofItem.push((actual) => COMPARISONS[name](toComparable(actual, bound, isText), bound.value));
  }
  const isMatch: Test = (actual) => ofItem.every((test) => test(actual));
  if (ofItem.length > 0)
    tests.push((actual) => (isText && Array.isArray(actual) ? actual.some(isMatch) : isMatch(actual)));
  if (equals !== undefined) tests.push(equals.test);
  if (contains !== undefined) tests.push((actual) => isContained(contains, actual));
  if (oneOf !== undefined) tests.push((actual) => oneOf.some((each) => each.test(actual)));
  if (not !== undefined) tests.push((actual) => !not.test(actual));
  if (jsonPath !== undefined) tests.push((actual) => actual !== undefined && jsonPath.selects(actual));
  return { written, test: (actual) => tests.every((test) => test(actual)) };
}

function isScalar(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}

/** The number to compare; NaN, which no comparison accepts, for a value of another kind than the bound. */
function toComparable(actual: unknown, { isDate }: Bound, isText: boolean): number {
  if (isDate) return typeof actual === 'string' ? Date.parse(actual) : Number.NaN;
  if (typeof actual === 'number') return actual;
  return isText && typeof actual === 'string' && actual.trim() !== '' ? Number(actual) : Number.NaN;
}

function isContained(part: Matcher, actual: unknown): boolean {
  if (Array.isArray(actual)) return actual.some(part.test);
  return typeof actual === 'string' && isScalar(part.written) && actual.includes(String(part.written));
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
  const isText: Test = (each) => !isObject(each) && String(wanted) === String(each);
  return Array.isArray(actual) ? actual.some(isText) : isText(actual);
}

/** An object whose members must match; it may have more. */
export function createObjectMatcher(written: unknown, members: ReadonlyMap<string, Matcher>): Matcher {
  const entries = [...members];
  const test: Test = (actual) =>
    isObject(actual) &&
    entries.every(([name, member]) => member.test(Object.hasOwn(actual, name) ? actual[name] : undefined));
  return { written, test };
}

/** An array whose items must match one by one. */
export function createArrayMatcher(written: unknown, items: readonly Matcher[]): Matcher {
  const test: Test = (actual) =>
    Array.isArray(actual) && actual.length === items.length && items.every((item, i) => item.test(actual[i]));
  return { written, test };
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
