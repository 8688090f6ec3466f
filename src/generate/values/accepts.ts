import { isDeepStrictEqual } from 'node:util';
import { isObject } from '../../contract/json.js';
import { countCharacters } from '../text/pattern.js';
import { readPropertyParts } from './children.js';
import { allowsType, isKeywords, readType, type Shape } from './shape.js';

/** Whether a scalar fits a shape, as far as the shape itself tells; formats and what stands inside are not looked at. */
export function accepts(shape: Shape, value: unknown): boolean {
  const type = readType(value);
  if (!allowsType(shape.types, type)) return false;
  if (shape.values !== undefined && !shape.values.some((other) => isDeepStrictEqual(other, value))) return false;
  if (shape.excluded.some((other) => isDeepStrictEqual(other, value))) return false;
  if (typeof value === 'string') return acceptsString(shape, value);
  return typeof value === 'number' ? acceptsNumber(shape, value) : true;
}

/** Whether a text has the length and follows the patterns a shape asks for. */
export function acceptsString(shape: Shape, value: string): boolean {
  const length = countCharacters(value);
  if (length < shape.minLength || length > shape.maxLength) return false;
  return shape.patterns.every(({ expression }) => expression.test(value));
}

/** Whether a number keeps the bounds of a shape and is a multiple where it has to be. */
export function acceptsNumber(shape: Shape, value: number): boolean {
  if (value < shape.minimum || value > shape.maximum) return false;
  if (value <= shape.exclusiveMinimum || value >= shape.exclusiveMaximum) return false;
  return shape.multiples.every((step) => Math.abs(value / step - Math.round(value / step)) < 1e-9);
}

/** Whether what a caller gave can be completed to a value of the shape: to tell the branches of a union apart. */
export function acceptsGiven(shape: Shape, given: unknown): boolean {
  if (!allowsType(shape.types, readType(given))) return false;
  if (!isObject(given)) return true;
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined) continue;
    const parts = readPropertyParts(shape, name);
    if (parts === undefined) return false;
    for (const { schema } of parts) {
      if (!isKeywords(schema)) continue;
      if (schema.const !== undefined && !isDeepStrictEqual(schema.const, value)) return false;
      if (Array.isArray(schema.enum) && !schema.enum.some((one) => isDeepStrictEqual(one, value))) return false;
    }
    const preset = shape.presets.get(name);
    if (preset !== undefined && typeof value === 'string' && preset !== value) return false;
  }
  return true;
}
