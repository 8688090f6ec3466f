import { isEqualJson, isObject } from '../../base/json.js';
import { MATCHER } from '../../features/scenario/definition/conditions.js';
import { type Condition, NotCarried } from './stub.js';

/** Conditions on one value that must all be true, as one. @throws NotCarried */
export function joinConditions<Given>(all: readonly Given[], read: (given: Given) => Condition): Condition {
  let joined: Condition;
  for (const [i, each] of all.entries()) {
    const condition = read(each);
    joined = i === 0 ? condition : merge(joined, condition);
    if (joined === undefined) throw new NotCarried('several matchers of one value cannot be combined');
  }
  return joined;
}

/** Two conditions as one object; undefined where it would not mean both of them. */
function merge(one: Condition, other: Condition): Condition {
  if (isEqualJson(one, other)) return one;
  if (!isObject(one) || !isObject(other) || isMatcher(one) !== isMatcher(other)) return undefined;
  const shared = Object.keys(one).filter((name) => Object.hasOwn(other, name));
  // A matcher has a member once; the conditions on a member of a body are joined.
  const inner = shared.map((name): [string, Condition] => [
    name,
    isMatcher(one) && !isEqualJson(one[name], other[name]) ? undefined : merge(one[name], other[name]),
  ]);
  return inner.some(([, value]) => value === undefined)
    ? undefined
    : { ...one, ...other, ...Object.fromEntries(inner) };
}

/** Whether a scenario file would read an object as a matcher. */
export function isMatcher(value: Readonly<Record<string, unknown>>): boolean {
  const names = Object.keys(value);
  return names.length > 0 && names.every((name) => Object.hasOwn(MATCHER.fields, name));
}
