import { MAX_TEXT_LENGTH } from '../text/pattern.js';
import { accepts, acceptsNumber, acceptsString } from './accepts.js';
import { IN_TURN, NOTHING, type Task } from './run.js';

/** Makes a number within its bounds, a multiple where it has to be one. */
export function makeNumber(task: Task, type: 'integer' | 'number'): unknown {
  const { shape, spot, run } = task;
  const suggestion = spot.fresh > 0 || run.mistakes.has(spot.path) ? undefined : readSuggestion(task, type);
  if (suggestion !== undefined) return suggestion;
  const random = run.random(spot.stream);
  const word = spot.fresh > 0 ? undefined : run.vocabulary.number(task, type);
  if (word !== undefined && accepts(shape, word)) return word;
  const step = readStep(shape.multiples, type);
  const [least, most] = readBounds(task, step);
  if (least > most) return NOTHING;
  const first = Math.ceil(least / step - 1e-9);
  const last = Math.floor(most / step + 1e-9);
  if (spot.fresh >= IN_TURN && first <= last) {
    const value = round((first + ((spot.index + spot.fresh - IN_TURN) % (last - first + 1))) * step, step);
    if (accepts(shape, value)) return value;
  }
  const tries = first <= last ? 8 : 0;
  for (let i = 0; i < tries; i++) {
    const value = round(random.integer(first, last) * step, step);
    if (accepts(shape, value)) return value;
  }
  for (const value of [
    round(first * step, step),
    round((first + 1) * step, step),
    round(last * step, step),
    (least + most) / 2,
    shape.minimum,
    shape.maximum,
  ]) {
    if (Number.isFinite(value) && accepts(shape, value) && (type === 'number' || Number.isInteger(value))) return value;
  }
  return NOTHING;
}

function readSuggestion(task: Task, type: 'integer' | 'number'): number | undefined {
  const { shape, spot, run } = task;
  if (run.vocabulary.about(spot.name).isIdentifier) return undefined;
  const fitting = shape.suggestions.filter(
    (value): value is number =>
      typeof value === 'number' && (type === 'number' || Number.isInteger(value)) && acceptsNumber(shape, value),
  );
  return fitting[spot.index % Math.max(1, fitting.length)];
}

/** The distance of the numbers to choose from: the least common multiple of all `multipleOf`, else 1 or a hundredth. */
function readStep(multiples: readonly number[], type: 'integer' | 'number'): number {
  if (multiples.length === 0) return type === 'integer' ? 1 : 0.01;
  const all = type === 'integer' ? [...multiples, 1] : multiples;
  return all.reduce(leastCommonMultiple);
}

function leastCommonMultiple(a: number, b: number): number {
  const scale = 10 ** Math.max(countDecimals(a), countDecimals(b));
  const [x, y] = [Math.round(a * scale), Math.round(b * scale)];
  let [m, n] = [x, y];
  while (n !== 0) [m, n] = [n, m % n];
  return ((x / m) * y) / scale;
}

/** The bounds to choose between: those of the schema, a human range where it has none. */
function readBounds(task: Task, step: number): readonly [least: number, most: number] {
  const { shape, spot } = task;
  const size = shape.formats.includes('int32') ? 2 ** 31 - 1 : Math.max(Number.MAX_SAFE_INTEGER, shape.minimum);
  const least = Math.max(shape.minimum, Number.isFinite(shape.exclusiveMinimum) ? shape.exclusiveMinimum : -Infinity);
  const most = Math.min(
    shape.maximum,
    Number.isFinite(shape.exclusiveMaximum) ? shape.exclusiveMaximum : Infinity,
    size,
  );
  const span = Math.max(spot.fresh < 2 ? 1000 : 1e9, step * 100);
  if (least === -Infinity) return most === size ? [Math.min(1, most), span] : [most - span, most];
  return [least, Math.min(most, Math.max(least + span, most < least + span * 10 ? most : 0))];
}

function round(value: number, step: number): number {
  return Number(value.toFixed(Math.min(15, countDecimals(step))));
}

function countDecimals(value: number): number {
  const [digits = '', exponent = '0'] = String(value).split('e');
  return Math.max(0, (digits.split('.')[1] ?? '').length - Number(exponent));
}

/** Makes a text: as the document suggests, as its format or its name has it, and as long as it may be. */
export function makeString(task: Task): unknown {
  const { shape, spot, run } = task;
  if (shape.minLength > MAX_TEXT_LENGTH) return NOTHING;
  const isWrong = run.mistakes.has(spot.path);
  if (!isWrong && spot.fresh === 0 && !run.vocabulary.about(spot.name).isIdentifier) {
    const fitting = shape.suggestions.filter(
      (value): value is string => typeof value === 'string' && acceptsString(shape, value),
    );
    // The items of a list of texts are not all the same one.
    const isItem = spot.stream === spot.owner;
    const suggestion = fitting[isItem ? spot.index : spot.index % Math.max(1, fitting.length)];
    if (suggestion !== undefined) return suggestion;
  }
  for (const word of run.vocabulary.texts(task)) if (acceptsString(shape, word)) return word;
  const [pattern] = shape.patterns;
  if (pattern !== undefined) return samplePatterns(task) ?? NOTHING;
  const plain = fitLength(
    run.random(spot.stream).text('abcdefghijklmnopqrstuvwxyz', 8),
    shape.minLength,
    shape.maxLength,
  );
  return acceptsString(shape, plain) ? plain : NOTHING;
}

/** Texts tried where several patterns have to agree. */
const MAXIMUM_TRIES = 50;

function samplePatterns({ shape, spot, run }: Task): string | undefined {
  const random = run.random(spot.stream);
  const { patterns } = shape;
  // A pattern that speaks of the whole text bounds its length for the others.
  const ranges = patterns.flatMap((pattern) => pattern.length() ?? []);
  const least = Math.max(shape.minLength, ...ranges.map((range) => range.least));
  const most = Math.min(shape.maxLength, ...ranges.map((range) => range.most));
  if (least > most) return undefined;
  for (let i = 0; i < MAXIMUM_TRIES; i++) {
    const first = patterns[i % patterns.length]?.sample(random, least, most);
    if (first !== undefined && acceptsString(shape, first)) return first;
    if (patterns.length === 1) return undefined;
    const joined = patterns.map((_, k) => patterns[(i + k) % patterns.length]?.sample(random, 0, most) ?? '').join('');
    if (acceptsString(shape, joined)) return joined;
  }
  return undefined;
}

/** A text cut or grown to a length. */
function fitLength(text: string, minimum: number, maximum: number): string {
  const grown = text.length < minimum ? text.repeat(Math.ceil(minimum / text.length)).slice(0, minimum) : text;
  return grown.slice(0, Math.max(minimum, maximum === Infinity ? grown.length : maximum));
}
