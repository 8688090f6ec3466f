import { hashText } from '../../base/random.js';
import { readFormatCheck } from '../../schema/checker/formats.js';
import { FORMATS } from '../text/formats.js';
import type { Pattern } from '../text/pattern.js';
import type { ValueTask } from './attempt.js';
import { acceptsString } from './shape.js';

/** Values of the format that are fitted to the patterns. */
const MAX_DRAFTS = 40;

/** After so many mistakes the format and the patterns seem to contradict each other. */
const MAX_MISTAKES = 2;

/**
 * A string that has the format of a schema and matches its patterns: a value of the format, in which a part is replaced by what each pattern
 * describes. Undefined where none was found.
 */
export function makeFormatted(task: ValueTask): string | undefined {
  const { shape, place, attempt } = task;
  if (!shape.formats.some((format) => FORMATS.has(format))) return undefined;
  if ((attempt.mistakes.get(place.path) ?? 0) > MAX_MISTAKES) return undefined;
  const checks = shape.formats.flatMap((format) => {
    const found = readFormatCheck(format);
    return found?.type === 'string' ? [found.check] : [];
  });
  const isFormatted = (text: string): boolean => checks.every((check) => check(text));
  let drafts = 0;
  for (let turn = 0; drafts < MAX_DRAFTS; turn++) {
    const stream = turn === 0 ? place.stream : hashText(`/format ${turn}`, place.stream);
    // Dates of any year come after the usual ones.
    const repeats = turn < 2 ? place.repeats : Math.max(2, place.repeats);
    for (const draft of attempt.vocabulary.strings({ ...task, place: { ...place, stream, repeats } })) {
      if (++drafts > MAX_DRAFTS) break;
      const text = isFormatted(draft) ? fitPatterns(task, draft, isFormatted) : undefined;
      if (text !== undefined && acceptsString(shape, text)) return text;
    }
  }
  return undefined;
}

/** A string of a format with a part replaced for each pattern that it does not match. */
function fitPatterns(
  { shape, place, attempt }: ValueTask,
  draft: string,
  isFormatted: (text: string) => boolean,
): string | undefined {
  const random = attempt.random(place.stream, draft);
  let text: string | undefined = draft;
  for (const pattern of shape.patterns) {
    if (text === undefined || pattern.expression.test(text)) continue;
    const part = pattern.draw(random, text);
    text = listSplices(text, part, pattern).find((each) => pattern.expression.test(each) && isFormatted(each));
  }
  return text;
}

/** In strings up to this length any part is replaced, in longer ones only parts between separators. */
const MAX_FREE_LENGTH = 40;

/** A string with each part of it replaced by another one, those that keep its length and whole words first. */
function listSplices(text: string, part: string, { source }: Pattern): readonly string[] {
  const cuts = Array.from({ length: text.length + 1 }, (_, i) => i).filter(
    (at) => text.length <= MAX_FREE_LENGTH || isBoundary(text, at),
  );
  const starts = source.startsWith('^') ? [0] : cuts;
  const ends = /[^\\]\$$/.test(source) ? [text.length] : cuts;
  const splices = starts.flatMap((from) =>
    ends
      .filter((to) => to >= from)
      .map((to) => ({ text: text.slice(0, from) + part + text.slice(to), cost: rateSplice(text, part, { from, to }) })),
  );
  return splices.toSorted((one, other) => one.cost - other.cost).map((each) => each.text);
}

/** What a cut inside of a word costs, and one that doubles or removes a separator: as much as a part that is this much longer or shorter. */
const CUT_COSTS = { word: 5, separator: 6 } as const;

function rateSplice(text: string, part: string, { from, to }: { readonly from: number; readonly to: number }): number {
  const isWhole = isBoundary(text, from) && isBoundary(text, to);
  const lead = readLead(part);
  const startsSame = from === text.length || readLead(text.slice(from)) === lead;
  const endsSame = readTail(text.slice(0, to)) === readTail(part);
  const isDoubled = to === 0 && lead !== '' && readLead(text) === lead;
  const isSame = startsSame && endsSame && !isDoubled;
  return Math.abs(to - from - part.length) + (isWhole ? 0 : CUT_COSTS.word) + (isSame ? 0 : CUT_COSTS.separator);
}

/** The separators at the start of a string, and those at its end. */
const readLead = (text: string): string => /^[^\p{L}\p{N}]*/u.exec(text)?.[0] ?? '';
const readTail = (text: string): string => /[^\p{L}\p{N}]*$/u.exec(text)?.[0] ?? '';

/** Whether a string can be cut at an index without cutting a word. */
function isBoundary(text: string, at: number): boolean {
  return !/[\p{L}\p{N}]{2}/u.test(text.slice(Math.max(0, at - 1), at + 1));
}
