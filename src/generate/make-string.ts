import { acceptsString } from './accepts.js';
import { MAXIMUM_LENGTH } from './pattern.js';
import { NOTHING, type Task } from './run.js';

/** Makes a text: as the document suggests, as its format or its name has it, and as long as it may be. */
export function makeString(task: Task): unknown {
  const { shape, spot, run } = task;
  if (shape.minLength > MAXIMUM_LENGTH) return NOTHING;
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
