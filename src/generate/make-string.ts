import { acceptsString } from './accepts.js';
import { NOTHING, type Task } from './run.js';

/** Makes a text: as the document suggests, as its format or its name has it, and as long as it may be. */
export function makeString(task: Task): unknown {
  const { shape, spot, run } = task;
  const isWrong = run.mistakes.has(spot.path);
  if (!isWrong && !spot.fresh && !run.vocabulary.about(spot.name).isIdentifier) {
    const fitting = shape.suggestions.filter(
      (value): value is string => typeof value === 'string' && acceptsString(shape, value),
    );
    const suggestion = fitting[spot.index % Math.max(1, fitting.length)];
    if (suggestion !== undefined) return suggestion;
  }
  for (const word of run.vocabulary.texts(task)) if (acceptsString(shape, word)) return word;
  const [pattern] = shape.patterns;
  if (pattern !== undefined) return samplePatterns(task) ?? NOTHING;
  const plain = fitLength(
    run.random(spot.path).text('abcdefghijklmnopqrstuvwxyz', 8),
    shape.minLength,
    shape.maxLength,
  );
  return acceptsString(shape, plain) ? plain : NOTHING;
}

/** Texts tried where several patterns have to agree. */
const MAXIMUM_TRIES = 50;

function samplePatterns({ shape, spot, run }: Task): string | undefined {
  const random = run.random(spot.path);
  for (let i = 0; i < MAXIMUM_TRIES; i++) {
    const pattern = shape.patterns[i % shape.patterns.length];
    const text = pattern?.sample(random, shape.minLength, shape.maxLength);
    if (text !== undefined && acceptsString(shape, text)) return text;
    if (shape.patterns.length === 1 && i > 2) return undefined;
  }
  return undefined;
}

/** A text cut or grown to a length. */
function fitLength(text: string, minimum: number, maximum: number): string {
  const grown = text.length < minimum ? text.repeat(Math.ceil(minimum / text.length)).slice(0, minimum) : text;
  return grown.slice(0, Math.max(minimum, maximum === Infinity ? grown.length : maximum));
}
