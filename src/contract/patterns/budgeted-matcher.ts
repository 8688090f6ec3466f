import { LimitError } from '../../base/errors.js';
import { type Alphabet, createAlphabet } from './alphabet.js';
import { startsAtEdge } from './automaton.js';
import type { LinearTest } from './linear-matcher.js';
import { type PatternNode, readAtoms } from './pattern-tree.js';

/** The most steps for one string, each of about 100 ns. A number of steps is the same on a busy machine, unlike a time. */
const MAX_STEPS = 200_000;

/**
 * Creates a backtracking matcher with a limit of steps, for the expressions that no automaton can have: those with back references or with
 * thousands of repetitions inside each other. It tries the longest repetition first, also where the expression prefers the shortest; that
 * makes a difference for a group inside of look-around only.
 */
export function createBudgetedTest(expression: RegExp, onWork?: (work: number) => void): LinearTest {
  const { flags } = expression;
  const { tree, atoms } = readAtoms(expression);
  const isMultiline = flags.includes('m');
  const subject = createSubject(createAlphabet(atoms, flags), flags);
  const match = createMatcher(tree, { subject, isMultiline, isSame: createComparison(flags), isBackward: false });
  const isAnchored = !isMultiline && startsAtEdge(tree);
  const search = (): boolean => {
    for (let at = 0; at <= subject.length; at++) {
      if (match(at, () => true)) return true;
      if (isAnchored) return false;
    }
    return false;
  };
  return (text) => {
    subject.read(text);
    try {
      const matches = search();
      onWork?.(subject.steps);
      return matches;
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      // Each repetition of a group takes a part of the stack.
      const reason = `${text.length} characters have too many repetitions for the pattern ${expression.source}`;
      throw new LimitError(reason, { cause: error });
    }
  };
}

/** The string that is matched, and what was found in it. */
interface Subject {
  readonly alphabet: Alphabet;
  readonly length: number;
  readonly steps: number;
  /** The start and end of each group that has matched, by number and by name. */
  readonly groups: Map<string, readonly [start: number, end: number]>;
  read(text: string): void;
  /** The class of a character; undefined outside of the string. */
  classAt(at: number): number | undefined;
  charAt(at: number): string;
  /** @throws LimitError beyond the limit. */
  spend(): void;
}

function createSubject(alphabet: Alphabet, flags: string): Subject {
  let given = '';
  let characters: readonly string[] = [];
  let classes = new Uint32Array(0);
  let steps = 0;
  const groups: Subject['groups'] = new Map();
  return {
    alphabet,
    groups,
    get length() {
      return characters.length;
    },
    get steps() {
      return steps;
    },
    read: (text) => {
      given = text;
      characters = Array.from(
        flags.includes('u') ? text : { length: text.length },
        (char, i) => char ?? text.charAt(i),
      );
      classes = new Uint32Array(alphabet.classesOf(text));
      groups.clear();
      steps = 0;
    },
    classAt: (at) => classes[at],
    charAt: (at) => characters[at] ?? '',
    spend: () => {
      if (++steps > MAX_STEPS) throw new LimitError(`${given.length} characters need more than ${MAX_STEPS} steps`);
    },
  };
}

/** Matches at a position: calls `then` with the end of each match until it returns true. @returns whether it did. */
type Matcher = (at: number, then: (end: number) => boolean) => boolean;

interface MatcherContext {
  readonly subject: Subject;
  readonly isMultiline: boolean;
  /** Whether two characters are the same where a group is repeated. */
  isSame(one: string, other: string): boolean;
  /** Whether the string is read towards its start, as for look-behind. */
  readonly isBackward: boolean;
}

type Node = PatternNode<number>;
type Of<Kind extends Node['kind']> = Node & { readonly kind: Kind };

function createMatcher(node: Node, context: MatcherContext): Matcher {
  const { subject, isBackward } = context;
  switch (node.kind) {
    case 'chars':
      return (at, then) => {
        const end = readChars(node, at, context);
        return end !== undefined && then(end);
      };
    case 'sequence': {
      const matchers = node.nodes.map((each) => createMatcher(each, context));
      return toSequence(isBackward ? matchers.toReversed() : matchers);
    }
    case 'either': {
      const matchers = node.nodes.map((each) => createMatcher(each, context));
      return (at, then) => matchers.some((match) => match(at, then));
    }
    case 'group': {
      const match = createMatcher(node.node, context);
      return (at, then) =>
        match(at, (end) => {
          const groups = node.names.map((name) => [name, [Math.min(at, end), Math.max(at, end)]] as const);
          return changeGroups(subject, groups, () => then(end));
        });
    }
    case 'repeat':
      return node.node.kind === 'chars' ? toRepeatOfChars(node.node, node, context) : toRepeat(node, context);
    case 'back':
      return toBackReference(node, context);
    case 'look':
      return toLook(node, context);
    default:
      return (at, then) => isEdge(node, at, context) !== node.negated && then(at);
  }
}

/** The position after a character that matches; undefined without one. */
function readChars({ chars }: Of<'chars'>, at: number, { subject, isBackward }: MatcherContext): number | undefined {
  subject.spend();
  const found = subject.classAt(isBackward ? at - 1 : at);
  if (found === undefined || subject.alphabet.matches[found]?.[chars] !== true) return undefined;
  return isBackward ? at - 1 : at + 1;
}

function toSequence(matchers: readonly Matcher[]): Matcher {
  const matchFrom = (i: number, at: number, then: (end: number) => boolean): boolean => {
    const match = matchers[i];
    return match === undefined ? then(at) : match(at, (end) => matchFrom(i + 1, end, then));
  };
  return (at, then) => matchFrom(0, at, then);
}

/** Changes groups for what follows; they are as before if that does not match. */
function changeGroups(
  { groups }: Subject,
  changes: readonly (readonly [name: string, found: readonly [start: number, end: number] | undefined])[],
  then: () => boolean,
): boolean {
  const before = changes.map(([name]) => [name, groups.get(name)] as const);
  const write = ([name, found]: (typeof changes)[number]): unknown =>
    found === undefined ? groups.delete(name) : groups.set(name, found);
  changes.forEach(write);
  if (then()) return true;
  before.forEach(write);
  return false;
}

/** The repetition of one character, which needs no stack. */
function toRepeatOfChars(chars: Of<'chars'>, { least, most }: Of<'repeat'>, context: MatcherContext): Matcher {
  const step = context.isBackward ? -1 : 1;
  return (at, then) => {
    let count = 0;
    while (count < most && readChars(chars, at + count * step, context) !== undefined) count++;
    for (; count >= least; count--) if (then(at + count * step)) return true;
    return false;
  };
}

function toRepeat(node: Of<'repeat'>, context: MatcherContext): Matcher {
  const { least, most } = node;
  const { subject } = context;
  const match = createMatcher(node.node, context);
  // ECMA-262 22.2.2.3.1: each repetition begins without the groups of the one before.
  const cleared = listGroups(node.node).map((name) => [name, undefined] as const);
  const repeat = (count: number, at: number, then: (end: number) => boolean): boolean => {
    subject.spend();
    const again = (): boolean => match(at, (end) => (end !== at || count < least) && repeat(count + 1, end, then));
    return (count < most && changeGroups(subject, cleared, again)) || (count >= least && then(at));
  };
  return (at, then) => repeat(0, at, then);
}

function listGroups(node: Node): readonly string[] {
  if ('nodes' in node) return node.nodes.flatMap(listGroups);
  return [...(node.kind === 'group' ? node.names : []), ...('node' in node ? listGroups(node.node) : [])];
}

/** Whether two characters are the same for an expression (ECMA-262 22.2.2.7.3). */
function createComparison(flags: string): (one: string, other: string) => boolean {
  if (!flags.includes('i')) return (one, other) => one === other;
  if (/[uv]/.test(flags))
    return (one, other) => one.toLowerCase() === other.toLowerCase() || one.toUpperCase() === other.toUpperCase();
  const toUpper = (char: string): string => {
    const upper = char.toUpperCase();
    // Without the flag `u` no letter beyond ASCII is one of ASCII: `ſ` is not `s`.
    return upper.length > 1 || (char > '\x7f' && upper <= '\x7f') ? char : upper;
  };
  return (one, other) => toUpper(one) === toUpper(other);
}

/** The text of a group again; a group that has not matched is empty. */
function toBackReference({ name }: Of<'back'>, { subject, isSame, isBackward }: MatcherContext): Matcher {
  return (at, then) => {
    const [start, end] = subject.groups.get(name) ?? [0, 0];
    const from = isBackward ? at - (end - start) : at;
    if (from < 0 || from + (end - start) > subject.length) return false;
    for (let i = 0; i < end - start; i++) {
      subject.spend();
      if (!isSame(subject.charAt(start + i), subject.charAt(from + i))) return false;
    }
    return then(isBackward ? from : from + (end - start));
  };
}

function toLook({ node, behind, negated }: Of<'look'>, context: MatcherContext): Matcher {
  const { subject } = context;
  const match = createMatcher(node, { ...context, isBackward: behind });
  const names = listGroups(node);
  return (at, then) => {
    const read = () => names.map((name) => [name, subject.groups.get(name)] as const);
    const before = read();
    // The first way to match is the only one; its groups stay for what follows.
    const isFound = match(at, () => true);
    const groups = isFound && !negated ? read() : [];
    for (const [name, found] of before)
      if (found === undefined) subject.groups.delete(name);
      else subject.groups.set(name, found);
    return isFound !== negated && changeGroups(subject, groups, () => then(at));
  };
}

/** Whether a position is the start or the end of the string or of a line, or that of a word. */
function isEdge({ at: edge }: Of<'edge'>, at: number, { subject, isMultiline }: MatcherContext): boolean {
  const { alphabet } = subject;
  const is = (atom: number, index: number): boolean => alphabet.matches[subject.classAt(index) ?? -1]?.[atom] === true;
  if (edge === 'word') return is(alphabet.word, at - 1) !== is(alphabet.word, at);
  const isEnd = edge === 'end';
  return at === (isEnd ? subject.length : 0) || (isMultiline && is(alphabet.newline, isEnd ? at : at - 1));
}
