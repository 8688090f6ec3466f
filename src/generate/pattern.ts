import { readPattern as readExpression } from '../contract/upgrade/patterns.js';
import type { Random } from '../random.js';
import { measure, type Range } from './pattern-range.js';
import { sampleNode } from './pattern-sample.js';
import { readPatternTree, type PatternNode } from './pattern-tree.js';

/** A pattern of a schema: what it accepts, and texts that it accepts. */
export interface Pattern {
  readonly source: string;
  /** The expression the validator uses, so that both agree. */
  readonly expression: RegExp;
  /** How long a text of the pattern is, where the pattern speaks of the whole text; undefined where it does not. */
  length(): Range | undefined;
  /** A text that matches and has between `minimum` and `maximum` characters; undefined where none was found. */
  sample(random: Random, minimum: number, maximum: number): string | undefined;
}

/** Characters of the longest text that is made: a document that demands a longer one would stop the mock. */
export const MAXIMUM_LENGTH = 1_000_000;
/** Texts tried before a pattern is taken for one that cannot be met. */
const MAXIMUM_TRIES = 60;
/** What a text grows beyond its shortest form where nothing asks for more. */
const USUAL_GROWTH = 9;

/** Reads a pattern; its tree is only built when a text is asked for. */
export function readPattern(source: string): Pattern {
  const { expression } = readExpression(source);
  let tree: PatternNode | undefined;
  return {
    source,
    expression,
    length() {
      tree ??= readPatternTree(expression);
      return /^\^(?:[^|]*)\$$/.test(source) ? measure(tree) : undefined;
    },
    sample(random, minimum, maximum) {
      tree ??= readPatternTree(expression);
      const wanted = { minimum, maximum };
      const range = measure(tree);
      if (range.least > MAXIMUM_LENGTH) return undefined;
      for (let i = 0; i < MAXIMUM_TRIES; i++) {
        const length = chooseLength(random, range, { ...wanted, turn: i });
        const text = fill(sampleNode(tree, length, random), expression, wanted);
        const count = countCharacters(text);
        if (count >= minimum && count <= maximum && expression.test(text)) return text;
      }
      return undefined;
    },
  };
}

/** The number of characters of a text, as JSON Schema counts them (2020-12 validation 6.3). */
export function countCharacters(text: string): number {
  let count = text.length;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code >= 0xdc00 && code <= 0xdfff) count--;
  }
  return count;
}

/** A length that the tree can have and the schema allows: a usual one first, then the edges, then longer and longer ones. */
function chooseLength(
  random: Random,
  range: Range,
  wanted: { readonly minimum: number; readonly maximum: number; readonly turn: number },
): number {
  const least = Math.max(range.least, wanted.minimum);
  const most = Math.max(least, Math.min(range.most, wanted.maximum));
  const usual = Math.min(most, least + USUAL_GROWTH);
  if (wanted.turn < 20) return random.integer(Math.min(usual, least + Math.min(3, usual - least)), usual);
  if (wanted.turn % 3 === 0) return least + Math.min(most - least, Math.floor(wanted.turn / 3) - 7);
  return random.integer(least, Math.min(most, least + wanted.turn * 2));
}

/** A text that is too short, made longer at an end where the pattern does not mind. */
function fill(
  text: string,
  expression: RegExp,
  wanted: { readonly minimum: number; readonly maximum: number },
): string {
  const missing = wanted.minimum - countCharacters(text);
  if (missing <= 0) return text;
  const filler = 'abcdefghij'.repeat(Math.ceil(missing / 10)).slice(0, missing);
  return expression.test(text + filler) ? text + filler : filler + text;
}
