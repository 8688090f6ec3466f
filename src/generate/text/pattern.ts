import { readPattern as readExpression } from '../../contract/upgrade/patterns.js';
import type { Random } from '../../random.js';
import { type PatternNode, readPatternTree } from './pattern-tree.js';

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

/** How many characters a node may write. */
interface Range {
  readonly least: number;
  readonly most: number;
}

const EMPTY: Range = { least: 0, most: 0 };

/** The shortest and the longest text of a node; references back are taken to be of any length. */
function measure(node: PatternNode): Range {
  switch (node.kind) {
    case 'chars':
      return { least: 1, most: 1 };
    case 'group':
      return measure(node.node);
    case 'sequence':
      return node.nodes
        .map(measure)
        .reduce((sum, one) => ({ least: sum.least + one.least, most: sum.most + one.most }), EMPTY);
    case 'either': {
      const ranges = node.nodes.map(measure);
      return {
        least: Math.min(...ranges.map(({ least }) => least)),
        most: Math.max(...ranges.map(({ most }) => most)),
      };
    }
    case 'repeat': {
      const inner = measure(node.node);
      const most = inner.most === 0 || node.most === 0 ? 0 : inner.most * node.most;
      return { least: inner.least * node.least, most };
    }
    case 'back':
      return { least: 0, most: Infinity };
    default:
      return EMPTY;
  }
}

interface Sampling {
  readonly random: Random;
  /** What each group wrote last. */
  readonly groups: Map<string, string>;
  /** What `(?=…)` wants to see ahead, from where it stands. */
  readonly ahead: { readonly at: number; readonly text: string }[];
  written: number;
}

/** A text of a tree with that many characters, as near as the tree can come to it. */
function sampleNode(tree: PatternNode, length: number, random: Random): string {
  const sampling: Sampling = { random, groups: new Map(), ahead: [], written: 0 };
  const text = write(tree, length, sampling);
  return sampling.ahead.length === 0 ? text : weave(text, sampling.ahead);
}

function write(node: PatternNode, length: number, sampling: Sampling): string {
  const { random, groups } = sampling;
  switch (node.kind) {
    case 'chars': {
      sampling.written++;
      return node.alphabet.length === 0 ? '' : random.pick(node.alphabet);
    }
    case 'group': {
      const text = write(node.node, length, sampling);
      for (const name of node.names) groups.set(name, text);
      return text;
    }
    case 'sequence':
      return writeAll(node.nodes, length, sampling);
    case 'either':
      return write(chooseBranch(node.nodes, length, random), length, sampling);
    case 'repeat':
      return writeRepeat(node, length, sampling);
    case 'back':
      return groups.get(node.name) ?? '';
    case 'look': {
      if (!node.wanted) return '';
      const at = sampling.written;
      const text = write(node.node, measure(node.node).least, { ...sampling, ahead: [] });
      sampling.ahead.push({ at, text });
      return '';
    }
    default:
      return '';
  }
}

/** Writes nodes one after the other, so that their lengths add up. */
function writeAll(nodes: readonly PatternNode[], length: number, sampling: Sampling): string {
  const ranges = nodes.map(measure);
  let spare = length - ranges.reduce((sum, { least }) => sum + least, 0);
  let room = ranges.reduce((sum, range) => sum + spaceOf(range), 0);
  let text = '';
  for (const [i, node] of nodes.entries()) {
    const range = ranges[i] ?? { least: 0, most: 0 };
    const space = spaceOf(range);
    room = Number.isFinite(room) ? room - space : ranges.slice(i + 1).reduce((sum, later) => sum + spaceOf(later), 0);
    const share = Math.max(0, Math.min(space, takeShare({ spare, room, space }, sampling.random)));
    spare -= share;
    text += write(node, range.least + share, sampling);
  }
  return text;
}

/** What one node takes of the spare characters: all that the later ones cannot take, and some of the rest. */
function takeShare(
  { spare, room, space }: { readonly spare: number; readonly room: number; readonly space: number },
  random: Random,
): number {
  const needed = Math.max(0, spare - room);
  const possible = Math.min(space, spare);
  return room === 0 || possible <= needed
    ? Math.max(needed, room === 0 ? possible : needed)
    : random.integer(needed, possible);
}

function spaceOf({ least, most }: Range): number {
  return most === Infinity ? Infinity : most - least;
}

function chooseBranch(nodes: readonly PatternNode[], length: number, random: Random): PatternNode {
  const distances = nodes.map((node) => {
    const { least, most } = measure(node);
    return Math.max(0, least - length, length - most);
  });
  const closest = Math.min(...distances);
  return random.pick(nodes.filter((_, i) => distances[i] === closest));
}

function writeRepeat(node: PatternNode & { readonly kind: 'repeat' }, length: number, sampling: Sampling): string {
  const inner = measure(node.node);
  const most = Math.min(node.most, inner.least > 0 ? Math.floor(length / inner.least) : Math.max(node.least, length));
  const fewest = inner.most === 0 ? node.least : Math.ceil(length / inner.most);
  const least = Math.max(node.least, Number.isFinite(fewest) ? fewest : node.least, length > 0 ? 1 : 0);
  const count = Math.min(node.most, most <= least ? least : sampling.random.integer(least, most));
  if (count === 0) return '';
  return writeAll(
    Array.from({ length: count }, () => node.node),
    length,
    sampling,
  );
}

/** Lays what is wanted ahead over the text, one piece after the other, so that `^(?=.*\d)(?=.*[a-z]).{8,}$` is met. */
function weave(text: string, ahead: Sampling['ahead']): string {
  const characters = Array.from(text);
  const next = new Map<number, number>();
  for (const { at, text: piece } of ahead) {
    const start = next.get(at) ?? at;
    const pieces = Array.from(piece);
    for (const [i, char] of pieces.entries()) characters[start + i] = char;
    next.set(at, start + pieces.length);
  }
  return characters.map((char) => char ?? 'a').join('');
}
