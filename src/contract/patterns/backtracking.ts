import { createAlphabet } from './alphabet.js';
import { buildAutomaton, type Program } from './automaton.js';
import { measureLength, readPatternTree } from './pattern-tree.js';

/** Two repetitions follow each other like any number of them. */
const ENOUGH = 2;
/** The most characters that an expression without `^` may try at each position of a string. */
const MAX_LENGTH = 32;

/**
 * Whether a backtracking engine needs linear time for any string, because at each character at most one way continues. It is false for some
 * expressions that are linear, never true for others.
 */
export function isDeterministic(expression: RegExp): boolean {
  const { source, flags } = expression;
  const automaton = buildAutomaton(expression, ENOUGH);
  if (automaton === undefined || automaton.looks.length > 0) return false;
  // These match characters that the source does not name.
  if (
    /\\[pP]\{|\\u[dD][89a-fA-F]/.test(source) ||
    (flags.includes('i') && (flags.includes('u') || /[^\0-\x7f]/.test(source)))
  )
    return false;
  if (!automaton.anchored && measureLength(readPatternTree(expression, () => 1)).most > MAX_LENGTH) return false;
  const { main, atoms } = automaton;
  const starts = main.steps.flatMap((step) => (step.kind === 'chars' ? step.next : []));
  const choices: (readonly number[])[] = [];
  for (const start of new Set([main.entry, ...starts])) {
    const next = listNext(main, start);
    if (next === undefined) return false;
    if (next.length > 1) choices.push(next);
  }
  // Most expressions have no choice, and the classes of characters take far longer than all of the above.
  if (choices.length === 0) return true;
  const { classesOf, matches } = createAlphabet(atoms, flags);
  const classes = [...new Set(classesOf(listBounds(source)))];
  return choices.every((next) =>
    classes.every((found) => next.filter((atom) => matches[found]?.[atom] === true).length <= 1),
  );
}

/** The atoms that can follow a step; undefined where one of them is reached in two ways. */
function listNext({ steps }: Program, start: number): readonly number[] | undefined {
  const atoms: number[] = [];
  const seen = new Set<number>();
  const waiting = [start];
  for (let index = waiting.pop(); index !== undefined; index = waiting.pop()) {
    if (seen.has(index)) return undefined;
    seen.add(index);
    const step = steps[index];
    if (step?.kind === 'chars') atoms.push(step.atom);
    else if (step?.kind === 'split') waiting.push(...step.to);
    else if (step?.kind === 'assert') waiting.push(step.next);
  }
  return atoms;
}

/** The ends of `\d`, `\w`, `\s` and `.`. */
const CLASS_BOUNDS = '\0\t\n\r 09AZ_az\u00A0\u1680\u2000\u200A\u2028\u2029\u202F\u205F\u3000\uFEFF';

/** The starts of ranges, and the characters after their ends: two classes that overlap have one of these in common. */
function listBounds(source: string): string {
  const escaped = Array.from(
    source.matchAll(/\\(?:u\{([\da-f]+)\}|u([\da-f]{4})|x([\da-f]{2})|(c[a-z]))/gi),
    (found) => {
      const [, long, short, byte, control = ''] = found;
      const code = long ?? short ?? byte;
      return code === undefined ? control.charCodeAt(1) % 32 : Number.parseInt(code, 16);
    },
  );
  const written = Array.from(CLASS_BOUNDS + source + source.toLowerCase() + source.toUpperCase(), (char) => {
    return char.codePointAt(0) ?? 0;
  });
  const bounds = [...new Set([...written, ...escaped, 0x08, 0x0b, 0x0c])].filter((code) => code < 0x10ffff);
  return String.fromCodePoint(...bounds.flatMap((code) => [code, code + 1]));
}
