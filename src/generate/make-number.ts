import { accepts, acceptsNumber } from './accepts.js';
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
