import { buildAutomaton, startsAtEdge } from './automaton.js';
import { isDeterministic } from './backtracking.js';
import { createBudgetedTest } from './budgeted-matcher.js';
import { createLinearTest, type LinearTest } from './linear-matcher.js';
import { measureLength, readPatternTree } from './pattern-tree.js';

/** A regular expression that tests a string of any length in a bounded time. */
export interface GuardedPattern {
  readonly source: string;
  readonly flags: string;
  /** @throws LimitError for a string that takes too many steps. */
  test(text: string): boolean;
  toString(): string;
}

/**
 * Makes an expression safe for strings of clients. One that cannot backtrack is returned as it is; others get a linear matcher, or, with back
 * references or thousands of repetitions, a limit of steps.
 *
 * @param onWork - Told about the tests that cost more than their length, in units of about 100 ns; it can throw.
 */
export function guardPattern(expression: RegExp, onWork?: (work: number) => void): GuardedPattern {
  if (orIfTooDeep(() => isDeterministic(expression), false)) return expression;
  let test: LinearTest | undefined;
  return {
    source: expression.source,
    flags: expression.flags,
    test: (text) => {
      test ??=
        orIfTooDeep(() => createLinearTest(expression, onWork), undefined) ?? createBudgetedTest(expression, onWork);
      return test(text);
    },
    toString: () => String(expression),
  };
}

/** Whether every string is tested in linear time; if not, there is a limit of steps. */
export function hasLinearTest(expression: RegExp): boolean {
  // Decided without an automaton for nearly every pattern: a document can have thousands.
  const counts = Array.from(expression.source.matchAll(/\{(\d+)(?:,(\d*))?\}/g), ([, least, most]) =>
    Number(most || least),
  );
  const isSimple = !/\\[1-9k]|\(\?[^:]/.test(expression.source);
  if (isSimple && counts.reduce((product, count) => product * Math.max(1, count), 1) < 1000) return true;
  return orIfTooDeep(() => isDeterministic(expression) || buildAutomaton(expression) !== undefined, false);
}

/** The most characters that an expression without `^` may need: each position of a string can be inside of as many matches. */
const MAX_SEARCHED = 1500;

/** Whether an expression that is searched for in a string is too long for that. */
export function isTooLong(expression: RegExp): boolean {
  const { source, flags } = expression;
  const counts = Array.from(source.matchAll(/\{(\d+)/g), ([, count]) => Number(count));
  if (counts.reduce((product, count) => product * Math.max(1, count), source.length) <= MAX_SEARCHED) return false;
  return orIfTooDeep(() => {
    const tree = readPatternTree(expression, () => 1);
    const isAnchored = startsAtEdge(tree) && !flags.includes('m');
    return !isAnchored && measureLength(tree).least > MAX_SEARCHED;
  }, false);
}

/** The result, or `other` for an expression with more nested groups than the stack has room for. */
function orIfTooDeep<Result, Other>(read: () => Result, other: Other): Other | Result {
  try {
    return read();
  } catch (error) {
    if (error instanceof RangeError) return other;
    throw error;
  }
}
