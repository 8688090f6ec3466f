import { formatMistake, MockError, nearest, type Place } from '../errors.js';
import type { Source } from './source.js';

/** One thing that is wrong with a scenario. */
export interface Mistake {
  readonly code: 'SCENARIO_INVALID' | 'SCENARIO_UNREADABLE';
  readonly message: string;
  readonly at: Place;
  readonly hint: string | undefined;
}

/** Collects what is wrong while a scenario is read, so that its author hears of everything at once. */
export interface Notes {
  readonly mistakes: readonly Mistake[];
  /** What stands at a pointer is wrong. */
  wrong(pointer: string, message: string, hint?: string): void;
  /** `file:line` of a pointer, for traces. */
  place(pointer: string): string;
}

/** An empty notebook over one source. */
export function createNotes(source: Source): Notes {
  const mistakes: Mistake[] = [];
  return {
    mistakes,
    wrong: (pointer, message, hint) => {
      mistakes.push({ code: 'SCENARIO_INVALID', message, at: source.locate(pointer), hint });
    },
    place: (pointer) => {
      const at = source.locate(pointer);
      return at.file === undefined ? `#${at.pointer ?? pointer}` : `${at.file}:${at.line ?? 1}`;
    },
  };
}

/** `did you mean "x"?` where something is near, else the other text. */
export function didYouMean(given: string, candidates: Iterable<string>, otherwise?: string): string | undefined {
  const near = nearest(given, candidates);
  return near === undefined ? otherwise : `did you mean ${JSON.stringify(near)}?`;
}

/** One error that says everything that is wrong: the mistake itself where there is one, a list where there are several. */
export function toError(mistakes: readonly [Mistake, ...Mistake[]]): MockError {
  const [first, ...others] = mistakes;
  if (others.length === 0) return new MockError(first.code, first.message, { at: first.at, hint: first.hint });
  const list = mistakes.map((mistake) => formatMistake(mistake).replaceAll('\n', '\n  '));
  return new MockError('SCENARIO_INVALID', `${mistakes.length} mistakes in scenarios:\n  ${list.join('\n  ')}`);
}

/** Whether a list has something in it, in a way the compiler follows. */
export function isFilled<T>(list: readonly T[]): list is readonly [T, ...T[]] {
  return list.length > 0;
}
