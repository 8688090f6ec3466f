import { type GuardedPattern, guardPattern } from '../../contract/patterns/guarded-pattern.js';
import { readExpression } from '../../contract/upgrade/patterns.js';
import { createRandom, type Random } from '../../base/random.js';
import {
  type LengthRange,
  measureLength,
  type PatternNode as Node,
  readPatternTree,
} from '../../contract/patterns/pattern-tree.js';
import { countCodePoints } from '../../schema/checker/comparisons.js';

/** The characters of a class: those to choose from, and whether it has another one. */
interface CharacterClass {
  readonly choices: readonly string[];
  includes(char: string): boolean;
}

/** A pattern as a tree with the characters of each class. */
type PatternNode = Node<CharacterClass>;

/** A pattern of a schema: what it accepts, and strings that it accepts. */
export interface Pattern {
  readonly source: string;
  /** The expression the validator uses, so that both agree. */
  readonly expression: GuardedPattern;
  /** The possible lengths of a match, if the pattern describes the whole string; else undefined. */
  length(): LengthRange | undefined;
  /** A string that matches and has between `minimum` and `maximum` characters; undefined if none was found. */
  sample(random: Random, minimum: number, maximum: number): string | undefined;
  /** What the pattern describes of a string, with the characters of another string where it allows them; a longer string may be no match. */
  draw(random: Random, like: string): string;
  /** Writes matches piece by piece; undefined for a pattern with alternatives, look-around or references. */
  joined(): TextGenerator | undefined;
}

/** Writes a string from a random stream. */
export type TextGenerator = (random: Random) => string;

/** Characters from one alphabet, as many as a range allows. */
export interface TextPiece {
  readonly alphabet: string;
  readonly minimum: number;
  readonly maximum: number;
}

/** Characters of the longest string that is generated: a document that requires a longer one would stop the mock. */
export const MAX_TEXT_LENGTH = 1_000_000;
/** Strings tried before a pattern counts as impossible. */
const MAX_TRIES = 60;
/** Characters beyond the shortest match, if the schema requires no more. */
const USUAL_GROWTH = 9;
/** Characters of an open repetition (`+`, `*`), or beyond its minimum (`{8,}`), where strings have to be unique. */
const UNIQUE_GROWTH = 16;

/** Reads a pattern; its tree is built when a string is needed. */
export function readPattern(source: string): Pattern {
  const native = readExpression(source).expression;
  const expression = guardPattern(native);
  let tree: PatternNode | undefined;
  const isWhole = /^\^(?:[^|]*)\$$/.test(source);
  const readTree = (): PatternNode => (tree ??= readAlphabets(native));
  return {
    source,
    expression,
    length: () => (isWhole ? measureLength(readTree()) : undefined),
    sample(random, minimum, maximum) {
      const range = measureLength(readTree());
      if (range.least > MAX_TEXT_LENGTH) return undefined;
      const least = Math.max(range.least, minimum);
      const wanted = { least, most: Math.max(least, Math.min(range.most, maximum)) };
      for (let i = 0; i < MAX_TRIES; i++) {
        const length = chooseLength(random, wanted, i);
        const text = pad(sampleNode(readTree(), length, { random, like: [] }), expression, minimum);
        const count = countCodePoints(text);
        if (count >= minimum && count <= maximum && expression.test(text)) return text;
      }
      return undefined;
    },
    draw(random, like) {
      const { least, most } = measureLength(readTree());
      const characters = Array.from(like);
      const length = isWhole ? Math.min(most, Math.max(least, characters.length)) : least;
      return least > MAX_TEXT_LENGTH ? '' : sampleNode(readTree(), length, { random, like: characters });
    },
    joined() {
      const pieces = readPieces(readTree());
      const generate = pieces && joinPieces(pieces);
      // Some patterns, such as one with an anchor in the middle, match nothing: only a trial tells.
      return generate !== undefined && expression.test(generate(createRandom(0, source))) ? generate : undefined;
    },
  };
}

/** Writes strings that match a pattern, long enough to be unique if it allows that; undefined if none was found. */
export function createPatternGenerator(pattern: Pattern): TextGenerator | undefined {
  const joined = pattern.joined();
  if (joined !== undefined) return joined;
  const trial = pattern.sample(createRandom(0, pattern.source), 0, MAX_TEXT_LENGTH);
  if (trial === undefined) return undefined;
  const long = trial.length + UNIQUE_GROWTH;
  const minimum = pattern.sample(createRandom(0, pattern.source), long, MAX_TEXT_LENGTH) === undefined ? 0 : long;
  return (random) => pattern.sample(random, minimum, MAX_TEXT_LENGTH) ?? trial;
}

/** Writes pieces one after the other. */
export function joinPieces(given: readonly (string | TextPiece)[]): TextGenerator {
  // Adjacent literals become one string: appending single characters is slow.
  const pieces: (string | TextPiece)[] = [];
  for (const piece of given) {
    const isLiteral = typeof piece === 'string' || (piece.alphabet.length === 1 && piece.minimum === piece.maximum);
    const literal = typeof piece === 'string' ? piece : piece.alphabet.repeat(piece.minimum);
    const before = pieces.at(-1);
    if (!isLiteral) pieces.push(piece);
    else if (typeof before === 'string') pieces[pieces.length - 1] = before + literal;
    else pieces.push(literal);
  }
  return (random) => {
    let text = '';
    for (const piece of pieces) {
      if (typeof piece === 'string') {
        text += piece;
        continue;
      }
      const { alphabet, minimum, maximum } = piece;
      const length = minimum === maximum ? minimum : random.integer(minimum, maximum);
      text += alphabet.length === 1 ? alphabet.repeat(length) : random.text(alphabet, length);
    }
    return text;
  };
}

function readPieces(node: PatternNode): readonly (string | TextPiece)[] | undefined {
  switch (node.kind) {
    case 'chars':
      return readRepeat(node, 1, 1);
    case 'group':
      return readPieces(node.node);
    case 'repeat': {
      const { least, most } = node;
      if (most !== Infinity) return readRepeat(node.node, least, most);
      return readRepeat(node.node, least <= 1 ? UNIQUE_GROWTH : least, Math.max(UNIQUE_GROWTH, least + UNIQUE_GROWTH));
    }
    case 'sequence': {
      const all = node.nodes.map(readPieces);
      return all.includes(undefined) ? undefined : all.flatMap((pieces) => pieces ?? []);
    }
    case 'edge':
      return node.at === 'word' ? undefined : [];
    default:
      return undefined;
  }
}

function readRepeat(node: PatternNode, minimum: number, maximum: number): readonly TextPiece[] | undefined {
  if (node.kind !== 'chars' || node.chars.choices.length === 0) return undefined;
  const { choices } = node.chars;
  if (choices.some((char) => char.length > 1)) return undefined;
  return [{ alphabet: choices.toSorted().join(''), minimum, maximum }];
}

/** A length that both tree and schema allow: a usual one first, then the limits and longer and longer ones. */
function chooseLength(random: Random, range: LengthRange, turn: number): number {
  const { least, most } = range;
  const usual = Math.min(most, least + USUAL_GROWTH);
  if (turn < 20) return random.integer(Math.min(usual, least + Math.min(3, usual - least)), usual);
  if (turn % 3 === 0) return least + Math.min(most - least, Math.floor(turn / 3) - 7);
  return random.integer(least, Math.min(most, least + turn * 2));
}

/** Pads a string that is too short, at the end where the pattern still matches. */
function pad(text: string, expression: GuardedPattern, minimum: number): string {
  const missing = minimum - countCodePoints(text);
  if (missing <= 0) return text;
  const filler = 'abcdefghij'.repeat(Math.ceil(missing / 10)).slice(0, missing);
  return expression.test(text + filler) ? text + filler : filler + text;
}

interface Sampling {
  readonly random: Random;
  /** The characters that are written where they are allowed. */
  readonly like: readonly string[];
  /** The last match of each group. */
  readonly groups: Map<string, string>;
  /** The strings that `(?=…)` requires, from its position. */
  readonly ahead: { readonly at: number; readonly text: string }[];
  written: number;
}

/** A string of a tree with about that many characters. */
function sampleNode(tree: PatternNode, length: number, source: Pick<Sampling, 'like' | 'random'>): string {
  const sampling: Sampling = { ...source, groups: new Map(), ahead: [], written: 0 };
  const text = write(tree, length, sampling);
  return sampling.ahead.length === 0 ? text : overlay(text, sampling.ahead);
}

function write(node: PatternNode, length: number, sampling: Sampling): string {
  const { random, groups } = sampling;
  switch (node.kind) {
    case 'chars': {
      const wanted = sampling.like[sampling.written++];
      const { choices } = node.chars;
      if (wanted !== undefined && node.chars.includes(wanted)) return wanted;
      return choices.length === 0 ? '' : random.pick(choices);
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
      if (node.behind || node.negated) return '';
      const at = sampling.written;
      const text = write(node.node, measureLength(node.node).least, { ...sampling, ahead: [] });
      sampling.ahead.push({ at, text });
      return '';
    }
    default:
      return '';
  }
}

/** Writes nodes one after the other, with a total length. */
function writeAll(nodes: readonly PatternNode[], length: number, sampling: Sampling): string {
  const ranges = nodes.map(measureLength);
  const spans = ranges.map(({ least, most }) => most - least);
  let spare = length - ranges.reduce((sum, { least }) => sum + least, 0);
  let room = spans.reduce((sum, span) => sum + span, 0);
  let text = '';
  for (const [i, node] of nodes.entries()) {
    const space = spans[i] ?? 0;
    room = Number.isFinite(room) ? room - space : spans.slice(i + 1).reduce((sum, span) => sum + span, 0);
    // All that the later nodes cannot take, and some of the rest.
    const needed = Math.max(0, spare - room);
    const possible = Math.min(space, spare);
    const isAll = room === 0 || possible <= needed;
    const share = isAll ? Math.max(needed, possible) : sampling.random.integer(needed, possible);
    const taken = Math.max(0, Math.min(space, share));
    spare -= taken;
    text += write(node, (ranges[i]?.least ?? 0) + taken, sampling);
  }
  return text;
}

function chooseBranch(nodes: readonly PatternNode[], length: number, random: Random): PatternNode {
  const distances = nodes.map((node) => {
    const { least, most } = measureLength(node);
    return Math.max(0, least - length, length - most);
  });
  const closest = Math.min(...distances);
  return random.pick(nodes.filter((_, i) => distances[i] === closest));
}

function writeRepeat(node: PatternNode & { readonly kind: 'repeat' }, length: number, sampling: Sampling): string {
  const inner = measureLength(node.node);
  const most = Math.min(node.most, inner.least > 0 ? Math.floor(length / inner.least) : Math.max(node.least, length));
  const fewest = inner.most === 0 ? node.least : Math.ceil(length / inner.most);
  const least = Math.max(node.least, Number.isFinite(fewest) ? fewest : node.least, length > 0 ? 1 : 0);
  const count = Math.min(node.most, most <= least ? least : sampling.random.integer(least, most));
  if (count === 0) return '';
  const nodes = Array.from({ length: count }, () => node.node);
  return writeAll(nodes, length, sampling);
}

/** Overwrites a string with what look-ahead requires, one piece after the other, for `^(?=.*\d)(?=.*[a-z]).{8,}$`. */
function overlay(text: string, ahead: Sampling['ahead']): string {
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

/** The tree of an expression, with the characters of each class. */
function readAlphabets(expression: RegExp): PatternNode {
  const flags = expression.flags.replaceAll(/[^imsu]/g, '');
  const toClass = (source: string): CharacterClass => {
    const own = new RegExp(`^(?:${source})$`, flags);
    return { choices: readAlphabet(source, own), includes: (char) => own.test(char) };
  };
  const anything = toClass('.');
  const tree = readPatternTree(expression, (source, literal): CharacterClass => {
    if (literal !== undefined) return toLiteral(literal);
    return source === '.' ? anything : toClass(source);
  });
  return escapeDots(tree, anything);
}

function toLiteral(literal: string): CharacterClass {
  return { choices: [literal], includes: (char) => char === literal };
}

/** Reads each single `.` between two other parts as a point whose escape is missing: `^[a-z]+.example.com$`. */
function escapeDots(node: PatternNode, anything: CharacterClass): PatternNode {
  const isAny = (each: PatternNode | undefined): boolean => each?.kind === 'chars' && each.chars === anything;
  const isPart = (each: PatternNode | undefined): boolean =>
    each !== undefined && each.kind !== 'edge' && each.kind !== 'look' && !isAny(each);
  if (node.kind === 'group' || node.kind === 'repeat') return { ...node, node: escapeDots(node.node, anything) };
  if (node.kind === 'either') return { ...node, nodes: node.nodes.map((each) => escapeDots(each, anything)) };
  if (node.kind !== 'sequence') return node;
  const nodes = node.nodes.map((each, i): PatternNode =>
    isAny(each) && isPart(node.nodes[i - 1]) && isPart(node.nodes[i + 1])
      ? { kind: 'chars', chars: toLiteral('.') }
      : escapeDots(each, anything),
  );
  return { ...node, nodes };
}

/** The letters from a to z. */
export const LOWER = 'abcdefghijklmnopqrstuvwxyz';
/** The digits from 0 to 9. */
export const DIGITS = '0123456789';
/** The letters from A to Z. */
export const UPPER: string = LOWER.toUpperCase();
const MARKS = '-_. /:@+=,;!#$%&*?()[]{}<>|~^\'"`\\';
const ABROAD = 'éüñøßçÀÖΩλжЯאبअ日本語한字٣Ⅷ½²€£©™→°¿“—…😀🚀\t\n\r';

/** In the order of the characters to choose from. */
const HEX_OF_BOTH_CASES = `abcdef${DIGITS}ABCDEF`;

/** The characters to choose from, readable ones first; each string is one character. */
const POOL: readonly string[] = Array.from(LOWER + DIGITS + UPPER + MARKS + ABROAD);

/** The characters that match a class, found with the engine itself: letters and digits, else punctuation, else any other. */
function readAlphabet(source: string, expression: RegExp): readonly string[] {
  const fitting = POOL.filter((char) => expression.test(char));
  const isWide = source === '.' || source.startsWith('[^') || /^\\[DSWP]/.test(source);
  const readable = fitting.filter((char) => LOWER.includes(char) || DIGITS.includes(char));
  if (isWide && readable.length > 0) return readable;
  const plain = fitting.filter((char) => readable.includes(char) || UPPER.includes(char));
  // Hexadecimal digits of both cases are written in lower case (RFC 9562 section 4).
  if (plain.join('') === HEX_OF_BOTH_CASES) return readable;
  if (plain.length > 0) return plain;
  return fitting.length > 0 ? fitting : searchAll(expression);
}

/** The first few characters of Unicode that match. */
function searchAll(expression: RegExp): readonly string[] {
  const last = expression.flags.includes('u') ? 0x1ffff : 0xffff;
  const found: string[] = [];
  for (let code = 0; code <= last && found.length < 16; code++) {
    const isSurrogate = code >= 0xd800 && code <= 0xdfff;
    const char = isSurrogate ? '' : String.fromCodePoint(code);
    if (!isSurrogate && expression.test(char)) found.push(char);
  }
  return found;
}
