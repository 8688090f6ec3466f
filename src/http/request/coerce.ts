import { mapValues } from '../../contract/json.js';
import type { Shape } from '../../schema/shape.js';
import type { Validators } from '../../schema/validate.js';
import { hasErrors } from '../../schema/violation.js';
import type { TextTree } from '../text.js';

/** Converts strings to the types of the schema at a pointer; others stay strings, and the validation refuses them. */
export type Coerce = (tree: TextTree, schemaPointer: string) => unknown;

/**
 * Creates the conversion of parameters and forms.
 *
 * It is stricter than JavaScript: an integer has only digits and a sign, not `0x10` or `1e3`; a boolean is `true` or `false`. Where a
 * schema allows several types, the first valid value is used.
 */
export function createCoerce(shapes: (pointer: string) => Shape, validators: Validators): Coerce {
  const isValid = (value: unknown, pointer: string): boolean =>
    !hasErrors(validators.check(pointer, 'request')(value, 'query'));

  const coerce: Coerce = (tree, pointer) => {
    const shape = shapes(pointer);
    for (const alternative of shape.alternatives) {
      const value = coerce(tree, alternative);
      if (isValid(value, alternative) && isValid(value, pointer)) return value;
    }
    if (typeof tree === 'string') return coerceText(tree, shape);
    return isList(tree) ? coerceList(tree, shape) : coerceNames(tree, shape);
  };

  const coerceText = (text: string, shape: Shape): unknown => {
    const { types } = shape;
    if (types.size === 1 && types.has('string')) return text;
    const readings = readText(text, types);
    // A single string for an array is its only item; first, so that violations are about the item.
    if (types.has('array') && !types.has('string')) readings.unshift(coerceList([text], shape));
    if (readings.length > 1) return readings.find((reading) => isValid(reading, shape.pointer)) ?? readings[0];
    return readings[0];
  };

  const coerceList = (list: readonly TextTree[], shape: Shape): unknown => {
    const { items } = shape;
    return items === undefined ? [...list] : list.map((item) => coerce(item, items));
  };

  const coerceNames = (names: { readonly [name: string]: TextTree }, shape: Shape): unknown =>
    mapValues(names, (below, name) => {
      const pointer = shape.properties.get(name) ?? shape.rest;
      return pointer === undefined ? below : coerce(below, pointer);
    });

  return coerce;
}

const NUMBER = /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/;

/** The values of a string for a schema of these types, the narrowest first. */
function readText(text: string, types: ReadonlySet<string>): unknown[] {
  const readings: unknown[] = [];
  const number = NUMBER.test(text) ? Number(text) : NaN;
  // A number that is too large becomes Infinity.
  const isReal = Number.isFinite(number);
  if (isReal && (types.has('number') || (types.has('integer') && /^-?\d+$/.test(text)))) readings.push(number);
  if (types.has('boolean') && (text === 'true' || text === 'false')) readings.push(text === 'true');
  // An empty string is null where null is allowed and a string is not.
  if (types.has('null') && !types.has('string') && (text === 'null' || text === '')) readings.push(null);
  if (readings.length === 0 || types.has('string')) readings.push(text);
  return readings;
}

/** Whether a tree is a list; `Array.isArray` alone loses `readonly`. */
function isList(tree: TextTree): tree is readonly TextTree[] {
  return Array.isArray(tree);
}
