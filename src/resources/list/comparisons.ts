import { type IdValue, isIdValue, isNumber } from '../../base/exact-number.js';
import { means, type Idea } from '../../conventions/conventions.js';
import { isObject, readMember } from '../../base/json.js';

/** What of an item is compared. */
export interface FilteredProperty {
  /** The property, with the one of the object around it before it: `attributes.status`. */
  readonly property: string;
  /** The property of the object, or of the objects, in `property` that is compared: `id` for `user_id` where items have `user: { id }`. */
  readonly inner?: string | undefined;
}

/** Whether a value is a string, a number or a boolean. */
export function isScalar(value: unknown): value is IdValue | boolean {
  return isIdValue(value) || typeof value === 'boolean';
}

/** Whether a value fits the sign of a clause: `:` and `=` equal, `~` contains, and the bounds of numbers and dates. */
export function holds(actual: unknown, sign: string, wanted: string): boolean {
  if (sign === ':' || sign === '=')
    return wanted === 'null' ? actual === undefined || actual === null : matches(actual, wanted);
  if (sign === '~') return typeof actual === 'string' && actual.toLowerCase().includes(wanted.toLowerCase());
  const name = { '>': 'gt', '>=': 'gte', '<': 'lt', '<=': 'lte' }[sign] ?? 'gt';
  return isBetween(actual, { [name]: wanted });
}

/**
 * Whether a value equals a wanted one, or one of several; an array must contain it, and an object of operators must hold: `{ gte: 3 }`.
 *
 * Any other object is compared by its members.
 */
export function matches(actual: unknown, wanted: unknown): boolean {
  if (Array.isArray(wanted)) return wanted.some((each) => matches(actual, each));
  if (Array.isArray(actual)) return actual.some((each) => matches(each, wanted));
  if (isObject(wanted)) {
    return Object.entries(wanted).every(([name, value]) =>
      isObject(actual) && Object.hasOwn(actual, name)
        ? matches(actual[name], value)
        : (findTest(name)?.(actual, value) ?? !isObject(actual)),
    );
  }
  if (isObject(actual)) {
    // An object that represents another item is compared by its id or name: `tags: [{ name }]`, `customer: { id }`.
    return Object.keys(actual).some((name) => means(name, 'ids.id', 'ids.readable') && matches(actual[name], wanted));
  }
  if (actual === undefined) return false;
  if (toText(actual) === toText(wanted)) return true;
  if (typeof wanted !== 'string' || !wanted.includes(',')) return false;
  // Several values in one string: any of them.
  const values = wanted.split(',');
  return values.every((each) => each.trim() !== '') && values.includes(toText(actual));
}

/** Whether `matches` understands a wanted value of a property that has no members. */
export function isRead(wanted: unknown): boolean {
  if (Array.isArray(wanted)) return wanted.every(isRead);
  return !isObject(wanted) || Object.keys(wanted).every((name) => findTest(name) !== undefined);
}

/** The value of a property of an item, or of a property of the object or the objects in it. */
export function readFiltered(item: Readonly<Record<string, unknown>>, { property, inner }: FilteredProperty): unknown {
  const value = readMember(item, property);
  return inner === undefined ? value : readInner(value, inner);
}

/** Any other value than an object is what the object would be identified by. */
function readInner(value: unknown, name: string): unknown {
  if (Array.isArray(value)) return value.map((each) => readInner(each, name));
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : value;
}

/** Compares the value of a property with that of an operator. */
export type Comparison = (actual: unknown, wanted: unknown) => boolean;

const isGiven = (value: unknown): boolean => value !== undefined && value !== null;
const byText =
  (compare: (text: string, part: string) => boolean): Comparison =>
  (actual, wanted) =>
    [actual]
      .flat()
      .some((each) => typeof each === 'string' && compare(each.toLowerCase(), toText(wanted).toLowerCase()));
const contains = byText((text, part) => text.includes(part));
const bySign =
  (sign: string): Comparison =>
  (actual, wanted) =>
    isGiven(actual) && holds(actual, sign, toText(wanted));

/** The comparisons by what their operators mean. */
const COMPARISONS: readonly (readonly [Idea, Comparison])[] = [
  ['operators.equals', matches],
  ['operators.differs', (actual, wanted) => !matches(actual, wanted)],
  ['operators.above', bySign('>')],
  ['operators.atLeast', bySign('>=')],
  ['operators.below', bySign('<')],
  ['operators.atMost', bySign('<=')],
  ['operators.in', matches],
  ['operators.notIn', (actual, wanted) => !matches(actual, wanted)],
  ['operators.contains', (actual, wanted) => contains(actual, wanted) || matches(actual, wanted)],
  ['operators.lacks', (actual, wanted) => !contains(actual, wanted) && !matches(actual, wanted)],
  ['operators.starts', byText((text, part) => text.startsWith(part))],
  ['operators.ends', byText((text, part) => text.endsWith(part))],
  ['operators.exists', (actual, wanted) => isGiven(actual) !== (wanted === false)],
  ['operators.missing', (actual, wanted) => isGiven(actual) === (wanted === false)],
];

/** The operators that are signs. */
const SIGNS: ReadonlyMap<string, Idea> = new Map([
  ['=', 'operators.equals'],
  ['==', 'operators.equals'],
  ['!=', 'operators.differs'],
  ['<>', 'operators.differs'],
  ['~', 'operators.contains'],
  ['!~', 'operators.lacks'],
  ['^', 'operators.starts'],
  ['$', 'operators.ends'],
  ['>', 'operators.above'],
  ['>=', 'operators.atLeast'],
  ['<', 'operators.below'],
  ['<=', 'operators.atMost'],
]);

/** The comparison that an operator names; undefined for any other word. */
export function findTest(operator: string): Comparison | undefined {
  return COMPARISONS.find(([idea]) => SIGNS.get(operator) === idea || means(operator, idea))?.[1];
}

function isBetween(actual: unknown, bounds: Readonly<Record<string, unknown>>): boolean {
  const number = isNumber(actual) ? Number(actual) : Date.parse(String(actual));
  return Object.entries(bounds).every(([name, bound]) => {
    const isPlain = isNumber(bound) || /^-?\d+(\.\d+)?$/.test(String(bound));
    const plain = isPlain ? Number(bound) : Date.parse(String(bound));
    const limit = toUnit(plain, { isPlain, actual });
    if (name === 'gt') return number > limit;
    if (name === 'gte') return number >= limit;
    if (name === 'lt') return number < limit;
    return name === 'lte' ? number <= limit : true;
  });
}

/** A bound in the unit of a value: seconds for a number of seconds, milliseconds for a date. */
function toUnit(bound: number, { isPlain, actual }: { readonly isPlain: boolean; readonly actual: unknown }): number {
  const isSeconds = (value: number): boolean => Math.abs(value) < 100_000_000_000;
  if (!isNumber(actual)) return isPlain && isSeconds(bound) ? bound * 1000 : bound;
  return !isPlain && isSeconds(Number(actual)) ? bound / 1000 : bound;
}

/** A string as it is, and any other value as JSON. */
export function toText(value: unknown): string {
  return isIdValue(value) ? String(value) : JSON.stringify(value);
}
