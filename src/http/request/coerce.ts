import { setOwn } from '../../contract/json.js';
import type { Shape } from '../../schema/shape.js';
import type { Validators } from '../../schema/validate.js';
import type { TextTree } from '../text.js';

/** Reads text as the schema at a pointer asks; text that cannot be read so stays text, for the check to refuse. */
export type Coerce = (tree: TextTree, schemaPointer: string) => unknown;

/**
 * Turns the text of parameters and forms into values.
 *
 * The rules are narrower than JavaScript's: an integer is digits with a sign, never `0x10` or `1e3`; a flag is `true` or
 * `false`. Where a schema allows several readings, the first that is valid is taken.
 */
export function createCoerce(shapes: (pointer: string) => Shape, validators: Validators): Coerce {
  const isValid = (value: unknown, pointer: string): boolean =>
    validators.check(pointer, 'request')(value, 'query').length === 0;

  const coerce: Coerce = (tree, pointer) => {
    const shape = shapes(pointer);
    if (shape.alternatives.length > 0) {
      for (const alternative of shape.alternatives) {
        const value = coerce(tree, alternative);
        if (isValid(value, alternative) && isValid(value, pointer)) return value;
      }
    }
    if (typeof tree === 'string') return coerceText(tree, shape);
    return isList(tree) ? coerceList(tree, shape) : coerceNames(tree, shape);
  };

  const coerceText = (text: string, shape: Shape): unknown => {
    const { types } = shape;
    if (types.size === 1 && types.has('string')) return text;
    const readings = readText(text, types);
    // One text where a list is asked for is a list of one; said first, so that a bad item is told of as an item.
    if (types.has('array') && !types.has('string')) readings.unshift(coerceList([text], shape));
    if (readings.length > 1) return readings.find((reading) => isValid(reading, shape.pointer)) ?? readings[0];
    return readings[0];
  };

  const coerceList = (list: readonly TextTree[], shape: Shape): unknown => {
    const { items } = shape;
    return items === undefined ? [...list] : list.map((item) => coerce(item, items));
  };

  const coerceNames = (names: { readonly [name: string]: TextTree }, shape: Shape): unknown => {
    const result: Record<string, unknown> = {};
    for (const [name, below] of Object.entries(names)) {
      const pointer = shape.properties.get(name) ?? shape.rest;
      setOwn(result, name, pointer === undefined ? below : coerce(below, pointer));
    }
    return result;
  };

  return coerce;
}

const NUMBER = /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/;

/** What a text may mean for a schema of these types, the narrowest first; the text itself is always among them. */
function readText(text: string, types: ReadonlySet<string>): unknown[] {
  const readings: unknown[] = [];
  const number = NUMBER.test(text) ? Number(text) : NaN;
  // Beyond the largest number there is none to stand for the text.
  const isReal = Number.isFinite(number);
  if (isReal && (types.has('number') || (types.has('integer') && /^-?\d+$/.test(text)))) readings.push(number);
  if (types.has('boolean') && (text === 'true' || text === 'false')) readings.push(text === 'true');
  // An empty text is a string where one is allowed, and nothing where only null is.
  if (types.has('null') && !types.has('string') && (text === 'null' || text === '')) readings.push(null);
  if (readings.length === 0 || types.has('string')) readings.push(text);
  return readings;
}

/** Whether a tree is a list; `Array.isArray` alone loses `readonly`. */
function isList(tree: TextTree): tree is readonly TextTree[] {
  return Array.isArray(tree);
}
