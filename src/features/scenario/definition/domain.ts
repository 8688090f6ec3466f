import { isDeepStrictEqual } from 'node:util';
import type { Contract } from '../../../contract/contract.js';
import { type Schema, readJsonType } from '../../../base/json.js';

/** The facts about the values that match a schema; every part can be wider than the schema, never narrower. */
export interface Domain {
  /** The JSON types; undefined if the schema does not limit them. */
  readonly types: ReadonlySet<string> | undefined;
  /** All values, if they are enumerated. */
  readonly values: readonly unknown[] | undefined;
  /** The limits of numbers. */
  readonly range: Range;
}

/** Numbers from `low` to `high`, each included unless it is open. */
export interface Range {
  readonly low: number;
  readonly lowOpen: boolean;
  readonly high: number;
  readonly highOpen: boolean;
}

/** The range of all numbers. */
export const EVERY_NUMBER: Range = { low: -Infinity, lowOpen: false, high: Infinity, highOpen: false };

const ANYTHING: Domain = { types: undefined, values: undefined, range: EVERY_NUMBER };

/** The values of a value that must match one of several schemas. */
export function readDomain(contract: Contract, pointers: readonly string[]): Domain {
  return unite(pointers.map((pointer) => readOne(contract, pointer, [])));
}

function readOne(contract: Contract, pointer: string, above: readonly string[]): Domain {
  // The pointers refer to schemas of the contract.
  const schema = contract.at(pointer) as Schema | undefined;
  if (typeof schema !== 'object' || schema === null || above.includes(pointer)) return ANYTHING;
  const read = (at: string): Domain => readOne(contract, at, [...above, pointer]);
  const list = (keyword: 'allOf' | 'anyOf' | 'oneOf'): readonly Domain[] =>
    Array.from((schema[keyword] ?? []).keys(), (index) => read(`${pointer}/${keyword}/${index}`));
  const parts = [readOwn(schema), ...list('allOf')];
  if (schema.$ref !== undefined) parts.push(read(contract.resolve(schema, pointer).pointer));
  for (const branches of [list('anyOf'), list('oneOf')]) if (branches.length > 0) parts.push(unite(branches));
  return parts.reduce(intersect);
}

function readOwn(schema: Exclude<Schema, boolean>): Domain {
  const named = schema.type === undefined ? undefined : [schema.type].flat();
  const isBoolean = named?.every((type) => type === 'boolean' || type === 'null') === true;
  const every = isBoolean ? [true, false, ...(named.includes('null') ? [null] : [])] : undefined;
  const enumerated = Array.isArray(schema.enum) ? schema.enum : every;
  const values = Object.hasOwn(schema, 'const') ? [schema.const] : enumerated;
  const { minimum = -Infinity, maximum = Infinity } = schema;
  const { exclusiveMinimum: above, exclusiveMaximum: below } = schema;
  const lowOpen = typeof above === 'number' && above >= minimum;
  const highOpen = typeof below === 'number' && below <= maximum;
  const range = { low: lowOpen ? above : minimum, lowOpen, high: highOpen ? below : maximum, highOpen };
  const types = named ?? values?.map(readJsonType);
  return { types: types === undefined ? undefined : new Set<string>(types), values, range };
}

function unite(domains: readonly Domain[]): Domain {
  if (domains.length === 0) return ANYTHING;
  const types = domains.map((each) => each.types);
  const values = domains.map((each) => each.values);
  return {
    types: types.every((each) => each !== undefined) ? new Set(types.flatMap((each) => Array.from(each))) : undefined,
    values: values.every((each) => each !== undefined) ? values.flat() : undefined,
    range: domains.map(({ range }) => range).reduce(span),
  };
}

function intersect(one: Domain, other: Domain): Domain {
  const values =
    one.values === undefined || other.values === undefined
      ? (one.values ?? other.values)
      : one.values.filter((value) => other.values?.some((each) => isDeepStrictEqual(each, value)));
  return { types: intersectTypes(one.types, other.types), values, range: narrow(one.range, other.range) };
}

function intersectTypes(one: Domain['types'], other: Domain['types']): Domain['types'] {
  if (one === undefined || other === undefined) return one ?? other;
  const has = (types: ReadonlySet<string>, type: string): boolean =>
    types.has(type) || (type === 'integer' && types.has('number'));
  const both = [...[...one].filter((type) => has(other, type)), ...[...other].filter((type) => has(one, type))];
  // Parts that contradict each other say nothing about the values.
  return both.length === 0 ? undefined : new Set(both);
}

/** The numbers in both ranges. */
export function narrow(one: Range, other: Range): Range {
  const lower = other.low > one.low || (other.low === one.low && other.lowOpen) ? other : one;
  const upper = other.high < one.high || (other.high === one.high && other.highOpen) ? other : one;
  return { low: lower.low, lowOpen: lower.lowOpen, high: upper.high, highOpen: upper.highOpen };
}

function span(one: Range, other: Range): Range {
  const lower = other.low < one.low || (other.low === one.low && !other.lowOpen) ? other : one;
  const upper = other.high > one.high || (other.high === one.high && !other.highOpen) ? other : one;
  return { low: lower.low, lowOpen: lower.lowOpen, high: upper.high, highOpen: upper.highOpen };
}

/** Whether a number is in a range; NaN is in none. */
export function includes({ low, lowOpen, high, highOpen }: Range, value: number): boolean {
  return (lowOpen ? value > low : value >= low) && (highOpen ? value < high : value <= high);
}

/** Whether no number is in a range. */
export function isEmpty({ low, lowOpen, high, highOpen }: Range, isInteger: boolean): boolean {
  if (!isInteger) return low > high || (low === high && (lowOpen || highOpen));
  const first = lowOpen ? Math.floor(low) + 1 : Math.ceil(low);
  const last = highOpen ? Math.ceil(high) - 1 : Math.floor(high);
  return first > last;
}
