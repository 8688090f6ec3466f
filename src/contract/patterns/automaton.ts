import { type PatternNode, readAtoms } from './pattern-tree.js';

/** One step of an automaton; numbers are indices of steps. */
export type Step =
  | { readonly kind: 'chars'; readonly atom: number; readonly next: number }
  | { readonly kind: 'split'; readonly to: number[] }
  | { readonly kind: 'assert'; readonly condition: number; readonly negated: boolean; readonly next: number }
  | { readonly kind: 'match' };

/** The steps that match one direction of a string, starting at `entry`. */
export interface Program {
  readonly steps: readonly Step[];
  readonly entry: number;
  /** Whether the string is read from its end. */
  readonly backward: boolean;
}

/** A regular expression without back references, as the steps of an automaton. */
export interface Automaton {
  readonly main: Program;
  /** Look-around by the bit of its condition; one in another comes before it. */
  readonly looks: readonly { readonly condition: number; readonly program: Program }[];
  /** The source of every character or class. */
  readonly atoms: readonly string[];
  /** Whether it can only match at the start of the string. */
  readonly anchored: boolean;
  /** Whether a condition can be true inside of the string. */
  readonly inner: boolean;
}

/** The bits of the conditions of every automaton; the bits of look-around follow. */
export const CONDITIONS = { start: 1, end: 2, word: 4 } as const;
const FIRST_LOOK = 8;
const MAX_LOOKS = 24;

/** More steps than this, and the automaton costs more memory than a pattern is worth. */
const MAX_STEPS = 20_000;

/** Indices into the atoms. */
type Node = PatternNode<number>;

/**
 * Builds the automaton of an expression; undefined for one with back references or too many repetitions.
 *
 * @param most - Counts are reduced to this, which keeps how one repetition follows another; default Infinity.
 */
export function buildAutomaton(expression: RegExp, most: number = Infinity): Automaton | undefined {
  const { flags } = expression;
  const { tree, atoms } = readAtoms(expression);
  const draft: AutomatonDraft = { looks: [], conditions: new Map(), most, inner: flags.includes('m'), size: 0 };
  const main = writeProgram(tree, false, draft);
  if (main === undefined) return undefined;
  const anchored = !flags.includes('m') && startsAtEdge(tree);
  return { main, looks: draft.looks, atoms, anchored, inner: draft.inner || draft.looks.length > 0 };
}

interface AutomatonDraft {
  readonly looks: { readonly condition: number; readonly program: Program }[];
  /** The condition of each look-around: one that is repeated is written several times, and is the same condition each time. */
  readonly conditions: Map<Node, number>;
  readonly most: number;
  inner: boolean;
  size: number;
}

/** A program that is being written, from its end to its start. */
interface Writer {
  readonly steps: Step[];
  readonly backward: boolean;
  readonly draft: AutomatonDraft;
}

function writeProgram(tree: Node, backward: boolean, draft: AutomatonDraft): Program | undefined {
  const writer: Writer = { steps: [{ kind: 'match' }], backward, draft };
  const entry = writeNode(tree, 0, writer);
  return entry === undefined ? undefined : { steps: writer.steps, entry, backward };
}

/** Writes the steps of a node before the step `next`. @returns the first of them. */
function writeNode(node: Node, next: number, writer: Writer): number | undefined {
  const { draft } = writer;
  switch (node.kind) {
    case 'chars':
      return addStep({ kind: 'chars', atom: node.chars, next }, writer);
    case 'group':
      return writeNode(node.node, next, writer);
    case 'sequence':
      return (writer.backward ? node.nodes : node.nodes.toReversed()).reduce<number | undefined>(
        (after, each) => (after === undefined ? undefined : writeNode(each, after, writer)),
        next,
      );
    case 'either': {
      const to = node.nodes.map((each) => writeNode(each, next, writer));
      return to.includes(undefined) ? undefined : addStep({ kind: 'split', to: to.map(Number) }, writer);
    }
    case 'repeat':
      return writeRepeat(node, next, writer);
    case 'edge':
      if (node.at === 'word') draft.inner = true;
      return addStep({ kind: 'assert', condition: CONDITIONS[node.at], negated: node.negated, next }, writer);
    case 'look': {
      const condition = readCondition(node, draft);
      if (condition === undefined) return undefined;
      return addStep({ kind: 'assert', condition, negated: node.negated, next }, writer);
    }
    default:
      return undefined;
  }
}

/** The condition of a look-around, whose program is written once; undefined if there are too many. */
function readCondition(node: Node & { readonly kind: 'look' }, draft: AutomatonDraft): number | undefined {
  const known = draft.conditions.get(node);
  if (known !== undefined) return known;
  // Look-ahead is read from the end of the string, so that each position is known when it is reached.
  const program = writeProgram(node.node, !node.behind, draft);
  if (program === undefined || draft.looks.length >= MAX_LOOKS) return undefined;
  const condition = FIRST_LOOK << draft.looks.length;
  draft.looks.push({ condition, program });
  draft.conditions.set(node, condition);
  return condition;
}

type Repeat = Node & { readonly kind: 'repeat' };

function writeRepeat(given: Repeat, next: number, writer: Writer): number | undefined {
  const limit = writer.draft.most;
  // A backtracking engine, for whose steps reduced counts are used, does not merge them.
  const node = limit === Infinity ? mergeRepeats(given) : given;
  const least = Math.min(node.least, limit);
  const optional = node.most === Infinity ? Infinity : Math.min(node.most - node.least, limit);
  let entry: number | undefined = next;
  if (optional === Infinity) {
    const to: number[] = [next];
    const loop = addStep({ kind: 'split', to }, writer);
    const first = loop === undefined ? undefined : writeNode(node.node, loop, writer);
    if (first === undefined) return undefined;
    to.unshift(first);
    entry = loop;
  } else {
    for (let i = 0; i < optional && entry !== undefined; i++) {
      const inside: number | undefined = writeNode(node.node, entry, writer);
      entry = inside === undefined ? undefined : addStep({ kind: 'split', to: [inside, next] }, writer);
    }
  }
  for (let i = 0; i < least && entry !== undefined; i++) {
    const before: number = entry;
    entry = writeNode(node.node, before, writer);
    // Nothing was written: a repetition of an empty node.
    if (entry === before) break;
  }
  return entry;
}

/** `(a{1,50}){1,50}` as `a{1,2500}`: each number of characters in between is possible, if the inner repetition starts at 0 or 1. */
function mergeRepeats(node: Repeat): Repeat {
  let inner = node.node;
  while (inner.kind === 'group' || (inner.kind === 'sequence' && inner.nodes.length === 1)) {
    inner = inner.kind === 'group' ? inner.node : (inner.nodes[0] ?? inner);
  }
  if (inner.kind !== 'repeat' || inner.least > 1 || inner.most === 0 || node.most === 0) return node;
  return mergeRepeats({ ...node, node: inner.node, least: inner.least * node.least, most: inner.most * node.most });
}

function addStep(step: Step, { steps, draft }: Writer): number | undefined {
  draft.size++;
  return draft.size > MAX_STEPS ? undefined : steps.push(step) - 1;
}

/** Whether every way through a tree starts with `^`. */
export function startsAtEdge(node: Node): boolean {
  switch (node.kind) {
    case 'edge':
      return node.at === 'start';
    case 'group':
      return startsAtEdge(node.node);
    case 'repeat':
      return node.least > 0 && startsAtEdge(node.node);
    case 'either':
      return node.nodes.every(startsAtEdge);
    case 'sequence': {
      const first = node.nodes.find((each) => each.kind !== 'look');
      return first !== undefined && startsAtEdge(first);
    }
    default:
      return false;
  }
}
