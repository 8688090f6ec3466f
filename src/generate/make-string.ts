import { acceptsString } from './accepts.js';
import { NOTHING, type Task } from './run.js';

/** Makes a text: as the document suggests, as its format or its name has it, and as long as it may be. */
export function makeString(task: Task): unknown {
  const { shape, spot, run } = task;
  const isWrong = run.mistakes.has(spot.path);
  if (!isWrong && !run.vocabulary.isIdentifier(spot)) {
    const fitting = shape.suggestions.filter(
      (value): value is string => typeof value === 'string' && acceptsString(shape, value),
    );
    const suggestion = fitting[spot.index % Math.max(1, fitting.length)];
    if (suggestion !== undefined) return suggestion;
  }
  for (const word of run.vocabulary.texts(task)) if (acceptsString(shape, word)) return word;
  const plain = fitLength(
    run.random(spot.path).text('abcdefghijklmnopqrstuvwxyz', 8),
    shape.minLength,
    shape.maxLength,
  );
  return acceptsString(shape, plain) ? plain : NOTHING;
}

/** A text cut or grown to a length. */
function fitLength(text: string, minimum: number, maximum: number): string {
  const grown = text.length < minimum ? text.repeat(Math.ceil(minimum / text.length)).slice(0, minimum) : text;
  return grown.slice(0, Math.max(minimum, maximum === Infinity ? grown.length : maximum));
}
