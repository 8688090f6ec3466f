import { toNumber } from '../../base/exact-number.js';
import { mapValues, parseOrKeep, readOwn } from '../../base/json.js';
import type { ValueShape } from '../../contract/schema-view/shape.js';
import type { Validators } from '../../schema/validate.js';
import { hasErrors } from '../../schema/violation.js';
import { findExcess } from '../json-size.js';
import type { TextTree } from '../text.js';

/** Converts strings to the types of the schema at a pointer; others stay strings, and the validation refuses them. */
export type Coerce = (tree: TextTree, schemaPointer: string) => unknown;

/**
 * Creates the conversion of parameters and forms.
 *
 * It is stricter than JavaScript: an integer has only digits and a sign, not `0x10` or `1e3`; a boolean is `true` or `false`. Where a
 * schema allows several types, the first valid value is used.
 */
export function createCoerce(
  shapes: (pointer: string) => ValueShape,
  validators: Validators,
  rules: TextRules = EXACT,
): Coerce {
  const isValid = (value: unknown, pointer: string): boolean =>
    !hasErrors(validators.checkSent(pointer)(value, 'query'));

  const coerce: Coerce = (tree, pointer) => {
    const shape = shapes(pointer);
    for (const alternative of shape.alternatives) {
      const value = coerce(tree, alternative);
      if (isValid(value, alternative) && isValid(value, pointer)) return value;
    }
    if (typeof tree === 'string') return coerceText(tree, shape);
    return isList(tree) ? coerceList(tree, shape) : coerceNames(tree, shape);
  };

  const coerceText = (text: string, shape: ValueShape): unknown => {
    const { types } = shape;
    if (rules.keepsStrings && types.size === 1 && types.has('string')) return text;
    const readings = rules.readText(text, types);
    // A single string for an array is its only item; first, so that violations are about the item.
    const isEmpty = text === '' && !rules.keepsStrings;
    if (types.has('array') && !types.has('string') && !isEmpty) readings.unshift(coerceList([text], shape));
    if (readings.length > 1) return readings.find((reading) => isValid(reading, shape.pointer)) ?? readings[0];
    return readings[0];
  };

  const coerceList = (list: readonly TextTree[], shape: ValueShape): unknown => {
    const { element: items } = shape;
    return items === undefined ? [...list] : list.map((item) => coerce(item, items));
  };

  const coerceNames = (names: { readonly [name: string]: TextTree }, shape: ValueShape): unknown => {
    const values = mapValues(names, (below, name) => {
      const pointer = shape.members.get(name) ?? shape.rest;
      return pointer === undefined ? below : coerce(below, pointer);
    });
    if (rules.keepsStrings || !Object.values(names).includes('')) return values;
    const isKept = ([name, value]: readonly [string, unknown]): boolean =>
      value !== '' || isValid(value, shape.members.get(name) ?? shape.rest ?? '');
    return Object.fromEntries(Object.entries(values).filter(isKept));
  };

  return coerce;
}

/** How strings are read. */
interface TextRules {
  /** The values of a string for a schema of these types, the first choice first. */
  readonly readText: (text: string, types: ReadonlySet<string>) => unknown[];
  /** Whether a string for a schema of strings, and an empty member of an object, is its own value in any case. */
  readonly keepsStrings: boolean;
}

/**
 * Creates the conversion of strings that `createCoerce` could not convert to valid values, as services read them: `True`, `1` and
 * `10.0`, an empty member as left out or as an empty array or object, JSON, and a space as the `+` that was not percent-encoded.
 */
export function createLenientCoerce(shapes: (pointer: string) => ValueShape, validators: Validators): Coerce {
  return createCoerce(shapes, validators, LENIENT);
}

const NUMBER = /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/;

/** The values of a string for a schema of these types, the narrowest first. */
function readExactly(text: string, types: ReadonlySet<string>): unknown[] {
  const readings: unknown[] = [];
  const number = NUMBER.test(text) ? Number(text) : NaN;
  const isInteger = types.has('integer') && /^-?\d+$/.test(text);
  // A number that is too large becomes Infinity.
  const isReal = Number.isFinite(number);
  if (isReal && (types.has('number') || isInteger)) readings.push(isInteger ? toNumber(text) : number);
  if (types.has('boolean') && (text === 'true' || text === 'false')) readings.push(text === 'true');
  // An empty string is null where null is allowed and a string is not.
  if (types.has('null') && !types.has('string') && (text === 'null' || text === '')) readings.push(null);
  if (readings.length === 0 || types.has('string')) readings.push(text);
  return readings;
}

const BOOLEANS: Readonly<Record<string, boolean>> = { true: true, 1: true, false: false, 0: false };

function readLeniently(text: string, types: ReadonlySet<string>): unknown[] {
  const readings = readExactly(text, types);
  const flag = types.has('boolean') ? readOwn(BOOLEANS, text.toLowerCase()) : undefined;
  if (flag !== undefined) readings.push(flag);
  if (types.has('integer') && /^-?\d+\.0+$/.test(text)) readings.push(Number(text));
  if (types.has('string') && text.includes(' ')) readings.push(text.replaceAll(' ', '+'));
  if (text === '' && types.has('array')) readings.push([]);
  if (text === '' && types.has('object')) readings.push({});
  // OpenAPI defines no style for arrays of objects (3.1 section 4.8.12).
  const json = readJson(text, types);
  if (json !== undefined) readings.push(json);
  return readings;
}

/** The array or object that a string contains as JSON; undefined where a schema of these types does not allow it. */
export function readJson(text: string, types: ReadonlySet<string>): unknown {
  if (!/^\s*[[{]/.test(text) || findExcess(text) !== undefined) return undefined;
  const value = parseOrKeep(text);
  return value !== text && types.has(Array.isArray(value) ? 'array' : 'object') ? value : undefined;
}

const EXACT: TextRules = { readText: readExactly, keepsStrings: true };
const LENIENT: TextRules = { readText: readLeniently, keepsStrings: false };

/** Whether a tree is a list; `Array.isArray` alone loses `readonly`. */
export function isList(tree: TextTree): tree is readonly TextTree[] {
  return Array.isArray(tree);
}
