import { LimitError } from '../../base/errors.js';
import { type Alphabet, createAlphabet } from './alphabet.js';
import { type Automaton, buildAutomaton, CONDITIONS, type Program, type Step } from './automaton.js';

/** Whether a string matches, in time that is linear in its length. @throws LimitError for one that needs too many steps. */
export type LinearTest = (text: string) => boolean;

/** The most steps that the states of one string may take to build; a table of known states makes a string of any length cheaper. */
const MAX_WORK = 3_000_000;
/** The most states that are kept. */
const MAX_STATES = 1000;

/** Creates the linear matcher of an expression; undefined where it has none (see `buildAutomaton`). */
export function createLinearTest(expression: RegExp, onWork?: (work: number) => void): LinearTest | undefined {
  const automaton = buildAutomaton(expression);
  if (automaton === undefined) return undefined;
  const { main, looks, atoms, anchored } = automaton;
  const alphabet = createAlphabet(atoms, expression.flags);
  const budget = { work: 0 };
  const run = createRunner(main, { alphabet, budget, searches: !anchored });
  const runLooks = looks.map(({ condition, program }) => {
    return { condition, run: createRunner(program, { alphabet, budget, searches: true }) };
  });
  const describe = createDescriber(automaton, { alphabet, isMultiline: expression.flags.includes('m') });
  return (text) => {
    budget.work = 0;
    const classes = alphabet.classesOf(text);
    const conditions = describe(classes);
    for (const look of runLooks) {
      look.run({ classes, conditions }, (at) => {
        if (conditions !== undefined) conditions[at] = (conditions[at] ?? 0) | look.condition;
        return false;
      });
    }
    const matches = run({ classes, conditions }, () => true);
    if (budget.work > 0) onWork?.(budget.work / 3);
    return matches;
  };
}

/** A string as an automaton reads it; without `conditions`, only the conditions of the start and the end can be true. */
interface Subject {
  readonly classes: Uint32Array;
  readonly conditions: Uint32Array | undefined;
}

/** Writes which conditions are true at each position, except for look-around. */
function createDescriber(
  { inner }: Automaton,
  { alphabet, isMultiline }: { readonly alphabet: Alphabet; readonly isMultiline: boolean },
): (classes: Uint32Array) => Uint32Array | undefined {
  if (!inner) return () => undefined;
  const { matches, word, newline } = alphabet;
  const is = (atom: number, found: number | undefined): boolean =>
    found !== undefined && matches[found]?.[atom] === true;
  return (classes) => {
    const conditions = new Uint32Array(classes.length + 1);
    for (let at = 0; at <= classes.length; at++) {
      const [before, after] = [classes[at - 1], classes[at]];
      const isStart = before === undefined || (isMultiline && is(newline, before));
      const isEnd = after === undefined || (isMultiline && is(newline, after));
      const isWord = is(word, before) !== is(word, after);
      conditions[at] = (isStart ? CONDITIONS.start : 0) | (isEnd ? CONDITIONS.end : 0) | (isWord ? CONDITIONS.word : 0);
    }
    return conditions;
  };
}

/** The steps that a program can be at; what follows from them is found when it is first needed. */
interface MatchState {
  readonly steps: readonly number[];
  /** By the conditions of the position. */
  readonly views: (View | undefined)[];
}

/** A state at a position with certain conditions. */
interface View {
  readonly accepts: boolean;
  readonly chars: readonly (Step & { readonly kind: 'chars' })[];
  /** By the class of the next character. */
  readonly next: (MatchState | undefined)[];
}

/** Reports each position where a match ends, until `onMatch` returns true. @returns whether it did. */
type Run = (subject: Subject, onMatch: (at: number) => boolean) => boolean;

function createRunner(
  program: Program,
  how: { readonly alphabet: Alphabet; readonly budget: { work: number }; readonly searches: boolean },
): Run {
  const { entry, backward } = program;
  const { alphabet, budget, searches } = how;
  const known = new Map<string, MatchState>();
  const spend = (work: number): void => {
    budget.work += work;
    if (budget.work > MAX_WORK) throw new LimitError('the string needs too many steps');
  };
  const toState = (steps: readonly number[]): MatchState => {
    const key = steps.join(' ');
    const before = known.get(key);
    if (before !== undefined) return before;
    if (known.size >= MAX_STATES) known.clear();
    const state = { steps, views: [] };
    known.set(key, state);
    return state;
  };
  const start = toState([entry]);
  const advance = (view: View, found: number): MatchState => {
    const targets = new Set<number>(searches ? [entry] : []);
    for (const { atom, next } of view.chars) if (alphabet.matches[found]?.[atom] === true) targets.add(next);
    spend(view.chars.length + targets.size);
    const state = toState([...targets].toSorted((x, y) => x - y));
    view.next[found] = state;
    return state;
  };
  const look = (state: MatchState, conditions: number): View => {
    const { view, work } = createView(program, state, conditions);
    spend(work);
    state.views[conditions] = view;
    return view;
  };
  return ({ classes, conditions }, onMatch) => {
    const { length } = classes;
    let state = start;
    for (let i = 0; i <= length; i++) {
      const at = backward ? length - i : i;
      const held = conditions?.[at] ?? (at === 0 ? CONDITIONS.start : 0) | (at === length ? CONDITIONS.end : 0);
      const view = state.views[held] ?? look(state, held);
      if (view.accepts && onMatch(at)) return true;
      if (i === length || (view.chars.length === 0 && !searches)) return false;
      const found = classes[backward ? at - 1 : at] ?? 0;
      state = view.next[found] ?? advance(view, found);
    }
    return false;
  };
}

/** Follows the steps that take no character. */
function createView(
  { steps }: Program,
  state: MatchState,
  conditions: number,
): { readonly view: View; readonly work: number } {
  const chars: (Step & { readonly kind: 'chars' })[] = [];
  const seen = new Set(state.steps);
  let accepts = false;
  for (const index of seen) {
    const step = steps[index];
    if (step?.kind === 'chars') chars.push(step);
    else if (step?.kind === 'split') for (const to of step.to) seen.add(to);
    else if (step?.kind === 'match') accepts = true;
    else if (step?.kind === 'assert' && ((conditions & step.condition) !== 0) !== step.negated) seen.add(step.next);
  }
  return { view: { accepts, chars, next: [] }, work: seen.size };
}
