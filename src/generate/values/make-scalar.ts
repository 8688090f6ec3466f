import { type ExactNumber, type IdValue, isNumber } from '../../base/exact-number.js';
import { INTEGER_RANGES } from '../../schema/checker/formats.js';
import { makeFormatted } from './make-formatted.js';
import { MAX_TEXT_LENGTH } from '../text/pattern.js';
import { accepts, acceptsNumber, acceptsString, type MergedSchema, type SchemaPart } from './shape.js';
import { ENUMERATE, IMPOSSIBLE, takesExamples, type ValueTask } from './attempt.js';

/** Generates a number within its bounds that is a multiple of `multipleOf`. */
export function makeNumber(task: ValueTask, type: 'integer' | 'number'): unknown {
  const { shape, place, attempt } = task;
  const fitting = takesExamples(attempt, place, shape) ? listNumbers(shape, type) : NONE;
  const suggestion = fitting[place.index % Math.max(1, fitting.length)];
  if (suggestion !== undefined) return varyUsed(task, suggestion, fitting.length);
  const word = place.repeats > 0 ? undefined : attempt.vocabulary.number(task, type);
  if (word !== undefined && accepts(shape, word)) return word;
  const step = readStep(shape.multiples, type);
  const [least, most] = readBounds(task, step);
  if (least > most) return IMPOSSIBLE;
  const first = Math.ceil(least / step - 1e-9);
  const last = Math.floor(most / step + 1e-9);
  if (place.repeats >= ENUMERATE && first <= last && Number.isFinite(last - first)) {
    const value = round((first + ((place.index + place.repeats - ENUMERATE) % (last - first + 1))) * step, step);
    if (accepts(shape, value)) return value;
  }
  // With a tiny step the factors are infinite.
  const tries = first <= last && Number.isFinite(last - first) ? 8 : 0;
  const random = attempt.random(place.stream);
  for (let i = 0; i < tries; i++) {
    const value = round(random.integer(first, last) * step, step);
    if (accepts(shape, value)) return value;
  }
  const ends = [first, first + 1, last].map((factor) => round(factor * step, step));
  for (const value of [...ends, (least + most) / 2, shape.minimum, shape.maximum, least, most, 0]) {
    if (Number.isFinite(value) && accepts(shape, value) && (type === 'number' || Number.isInteger(value))) return value;
  }
  return IMPOSSIBLE;
}

const NONE: readonly never[] = [];

function listNumbers(shape: MergedSchema, type: 'integer' | 'number'): readonly (number | ExactNumber)[] {
  return shape.suggestions.filter(
    (value): value is number | ExactNumber =>
      isNumber(value) && (type === 'number' || Number.isInteger(Number(value))) && acceptsNumber(shape, Number(value)),
  );
}

function listStrings(shape: MergedSchema): readonly string[] {
  return shape.suggestions.filter((value): value is string => typeof value === 'string' && acceptsString(shape, value));
}

/** An example, or another value like it where values of the same kind have used all examples. */
function varyUsed(task: ValueTask, example: IdValue, count: number): unknown {
  const { attempt, place, shape } = task;
  if (!attempt.isVaried || place.index < count) return example;
  const other = attempt.vocabulary.vary(task, example);
  return other !== undefined && accepts(shape, other) ? other : example;
}

/** The step between candidates: the least common multiple of all `multipleOf`, else 1 or 0.01. */
function readStep(multiples: readonly number[], type: 'integer' | 'number'): number {
  if (multiples.length === 0) return type === 'integer' ? 1 : 0.01;
  const all = type === 'integer' ? [...multiples, 1] : multiples;
  const step = all.reduce(leastCommonMultiple);
  return Number.isFinite(step) && step > 0 ? step : Math.max(...all);
}

function leastCommonMultiple(a: number, b: number): number {
  const scale = 10 ** Math.max(countDecimals(a), countDecimals(b));
  const [x, y] = [Math.round(a * scale), Math.round(b * scale)];
  let [m, n] = [x, y];
  // Not a number, where a step is too small to be scaled.
  while (n > 0) [m, n] = [n, m % n];
  return ((x / m) * y) / scale;
}

/** The bounds to choose between: the bounds of the schema, else a realistic range. */
function readBounds(task: ValueTask, step: number): readonly [least: number, most: number] {
  const { shape, place } = task;
  const ranges = listRanges(shape);
  const size = Math.min(...ranges.map(([, most]) => most), Math.max(Number.MAX_SAFE_INTEGER, shape.minimum));
  const least = Math.max(shape.minimum, shape.exclusiveMinimum);
  const most = Math.min(shape.maximum, shape.exclusiveMaximum, size);
  const span = Math.max(place.repeats < 2 ? 1000 : 1e9, step * 100);
  // Bounds this far on both sides of 0 are those of a type, such as a safe integer, and no range.
  if (least < 0 && most >= 1 && most - least > span * 10) return [1, Math.min(span, most)];
  if (least === -Infinity) {
    const lowest = Math.max(...ranges.map(([low]) => low), most - span);
    return most === size ? [Math.min(1, most), Math.min(span, size)] : [lowest, most];
  }
  return [least, Math.min(most, Math.max(least + span, most < least + span * 10 ? most : 0))];
}

/** Whether a format of a shape limits numbers to integers. */
export function hasIntegerFormat(shape: MergedSchema): boolean {
  return listRanges(shape).length > 0;
}

function listRanges({ formats }: MergedSchema): readonly (readonly [least: number, most: number])[] {
  return formats.flatMap((format) => {
    const range = INTEGER_RANGES.get(format);
    return range === undefined ? [] : [range];
  });
}

function round(value: number, step: number): number {
  return Number(value.toFixed(Math.min(15, countDecimals(step))));
}

function countDecimals(value: number): number {
  const [digits = '', exponent = '0'] = String(value).split('e');
  return Math.max(0, (digits.split('.')[1] ?? '').length - Number(exponent));
}

/** Generates a string: from the examples, by format, by name, or from the pattern, with an allowed length. */
export function makeString(task: ValueTask): unknown {
  const { shape, place, attempt } = task;
  if (shape.minLength > MAX_TEXT_LENGTH) return IMPOSSIBLE;
  const fitting = takesExamples(attempt, place, shape) ? listStrings(shape) : NONE;
  // The items of a list of strings differ.
  const isItem = place.stream === place.ownerStream;
  const suggestion = fitting[isItem ? place.index : place.index % Math.max(1, fitting.length)];
  if (suggestion !== undefined) return varyUsed(task, suggestion, fitting.length);
  const json = shape.content === undefined ? undefined : writeContent(task, shape.content);
  if (json !== undefined && acceptsString(shape, json)) return json;
  const formatted = shape.patterns.length > 0 && shape.formats.length > 0 ? makeFormatted(task) : undefined;
  if (formatted !== undefined) return formatted;
  for (const word of attempt.vocabulary.strings(task)) if (acceptsString(shape, word)) return word;
  if (shape.patterns.length > 0) return samplePatterns(task) ?? IMPOSSIBLE;
  const text = attempt.random(place.stream).text('abcdefghijklmnopqrstuvwxyz', 8);
  const plain = fitLength(text, shape.minLength, shape.maxLength);
  return acceptsString(shape, plain) ? plain : IMPOSSIBLE;
}

/** The JSON that a string holds, by `contentSchema`. */
function writeContent({ attempt, place }: ValueTask, content: SchemaPart): string | undefined {
  const value = attempt.make([content], { ...place, depth: place.depth + 1, given: undefined, hint: undefined });
  return value === IMPOSSIBLE ? undefined : JSON.stringify(value);
}

/** Strings tried if several patterns have to match. */
const MAX_TRIES = 50;

function samplePatterns({ shape, place, attempt }: ValueTask): string | undefined {
  const random = attempt.random(place.stream);
  const { patterns } = shape;
  // A pattern of the whole string limits the length for the others.
  const ranges = patterns.flatMap((pattern) => pattern.length() ?? []);
  const least = Math.max(shape.minLength, ...ranges.map((range) => range.least));
  const most = Math.min(shape.maxLength, ...ranges.map((range) => range.most));
  if (least > most) return undefined;
  for (let i = 0; i < MAX_TRIES; i++) {
    const first = patterns[i % patterns.length]?.sample(random, least, most);
    if (first !== undefined && acceptsString(shape, first)) return first;
    if (patterns.length === 1) return undefined;
    const joined = patterns.map((_, k) => patterns[(i + k) % patterns.length]?.sample(random, 0, most) ?? '').join('');
    if (acceptsString(shape, joined)) return joined;
  }
  return undefined;
}

/** A string, cut or repeated to a length. */
function fitLength(text: string, minimum: number, maximum: number): string {
  const grown = text.length < minimum ? text.repeat(Math.ceil(minimum / text.length)).slice(0, minimum) : text;
  return grown.slice(0, Math.max(minimum, maximum === Infinity ? grown.length : maximum));
}
