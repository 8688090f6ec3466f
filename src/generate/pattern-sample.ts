import type { Random } from '../random.js';
import { measure, type Range } from './pattern-range.js';
import type { PatternNode } from './pattern-tree.js';

interface Sampling {
  readonly random: Random;
  /** What each group wrote last. */
  readonly groups: Map<string, string>;
  /** What `(?=…)` wants to see ahead, from where it stands. */
  readonly ahead: { readonly at: number; readonly text: string }[];
  written: number;
}

/** A text of a tree with that many characters, as near as the tree can come to it. */
export function sampleNode(tree: PatternNode, length: number, random: Random): string {
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
