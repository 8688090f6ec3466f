import type { Operation } from '../operations/operation.js';
import { memoize } from '../../memoize.js';
import { decodeText } from '../pointer.js';
import { readTemplate } from './path-template.js';

/** Finds up to three path keys that are most similar to an undeclared path, the nearest first. */
type NearestPaths = (pathname: string) => readonly string[];

/** Longer paths and segments are cut, which bounds the time; a segment fits into the bits of an integer. */
const SEGMENTS_LIMIT = 12;
const SEGMENT_LENGTH_LIMIT = 24;

/** How many paths are compared: of more than these, the ones with the most similar segments. */
const MAX_COMPARED = 500;

/** How many different segments are compared with those of one path; the others count as similar where they have most of their letters in common. */
const MAX_DISTANCES = 25_000;

/** The cost of one segment too many or too few at the start: a missing or wrong version is a common mistake. */
const FRONT_COST = 0.4;

/** A path key, the base paths it is served below, and its segments; a parameter is undefined. */
interface Candidate {
  readonly key: string;
  readonly basePaths: readonly string[];
  readonly segments: readonly (string | undefined)[];
}

/** A segment of some candidates. */
interface Literal {
  readonly text: string;
  readonly letters: number;
  /** The positions of these candidates. */
  readonly holders: number[];
}

/** The candidates, and what they are selected by. */
interface PathIndex {
  readonly candidates: readonly Candidate[];
  readonly literals: readonly Literal[];
  readonly bases: readonly string[];
}

/** Compares one segment with others: from 0 for an equal one to 1 for one with nothing in common. */
type Compare = (other: string) => number;

/** Creates a finder over the path keys of some operations; nothing is computed before the first unknown path. */
export function createNearestPaths(operations: readonly Operation[]): NearestPaths {
  let index: PathIndex | undefined;
  return (pathname) => {
    index ??= createIndex(operations);
    const base = index.bases.find((path) => pathname.startsWith(`${path}/`)) ?? '';
    const given = splitPath(pathname.slice(base.length, base.length + 1000));
    const compareWith = memoize((one: string): Compare => memoize(createCompare(one)));
    return rank(given, select(given, index, compareWith), compareWith).map(
      ({ key, basePaths }) => `${basePaths.includes(base) ? base : basePaths[0]}${key}`,
    );
  };
}

function createIndex(operations: readonly Operation[]): PathIndex {
  const candidates = [...new Map(operations.map((operation) => [operation.path, operation])).values()].map(toCandidate);
  const literalOf = memoize((text: string): Literal => ({ text, letters: readLetters(text), holders: [] }));
  const literals = new Set<Literal>();
  for (const [i, { segments }] of candidates.entries()) {
    for (const segment of new Set(segments)) {
      if (segment === undefined) continue;
      const literal = literalOf(segment);
      literals.add(literal);
      literal.holders.push(i);
    }
  }
  const bases = [...new Set(operations.flatMap(({ basePaths }) => basePaths))].toSorted((a, b) => b.length - a.length);
  return { candidates, literals: [...literals], bases };
}

/** The candidates that are worth a comparison; each step of the selection is cheap, since there can be any number of them. */
function select(
  given: readonly string[],
  { candidates, literals }: PathIndex,
  compareWith: (one: string) => Compare,
): readonly Candidate[] {
  const most = readLimit(given) + 1;
  const isNear = ({ segments }: Candidate): boolean => Math.abs(segments.length - given.length) <= most;
  if (candidates.length <= MAX_COMPARED) return candidates.filter(isNear);
  const scores = candidates.map(({ segments }) => countParameters(segments) - Math.abs(segments.length - given.length));
  let left = MAX_DISTANCES;
  for (const segment of new Set(given)) {
    const letters = readLetters(segment);
    const compare = compareWith(segment);
    for (const literal of literals) {
      const atLeast = readLeastCost(segment, letters, literal);
      if (atLeast === 1) continue;
      const similarity = 1 - (left-- > 0 ? compare(literal.text) : atLeast);
      if (similarity === 0) continue;
      for (const i of literal.holders) scores[i] = (scores[i] ?? 0) + similarity;
    }
  }
  return selectHighest(scores, MAX_COMPARED).flatMap((i) => {
    const candidate = candidates[i];
    return candidate !== undefined && isNear(candidate) ? [candidate] : [];
  });
}

/** The positions of the highest scores, without a sort of all of them. */
function selectHighest(scores: readonly number[], count: number): readonly number[] {
  const steps = 20;
  const levels = new Map<number, number[]>();
  for (const [i, score] of scores.entries()) {
    const level = Math.round(score * steps);
    const positions = levels.get(level);
    if (positions === undefined) levels.set(level, [i]);
    else positions.push(i);
  }
  const selected: number[] = [];
  for (const [, positions] of [...levels].toSorted(([one], [other]) => other - one)) {
    if (selected.length >= count) break;
    selected.push(...positions.slice(0, count - selected.length));
  }
  return selected;
}

function countParameters(segments: Candidate['segments']): number {
  return segments.filter((segment) => segment === undefined).length;
}

function readLimit(given: readonly string[]): number {
  return Math.max(0.5, given.length / 2);
}

function rank(
  given: readonly string[],
  candidates: readonly Candidate[],
  compareWith: (one: string) => Compare,
): readonly Candidate[] {
  const compare = (one: string, other: string): number => compareWith(one)(other);
  const limit = readLimit(given);
  return candidates
    .map((candidate) => ({ candidate, cost: readPathCost(given, candidate.segments, compare) }))
    .filter(({ cost }) => cost < limit)
    .toSorted((one, other) => one.cost - other.cost || one.candidate.key.length - other.candidate.key.length)
    .slice(0, 3)
    .map(({ candidate }) => candidate);
}

/** Edit distance over segments: a missing or added one costs 1, a missing parameter less, a parameter in place of any segment almost nothing. */
function readPathCost(
  given: readonly string[],
  template: readonly (string | undefined)[],
  compare: (one: string, other: string) => number,
): number {
  let previous = Array.from({ length: template.length + 1 }, (_, i) => i * FRONT_COST);
  for (let i = 1; i <= given.length; i++) {
    const row = [i * FRONT_COST];
    for (let j = 1; j <= template.length; j++) {
      const wanted = template[j - 1];
      const missing = wanted === undefined ? 0.4 : 1;
      const swap = wanted === undefined ? 0.1 : compare(given[i - 1] ?? '', wanted);
      row.push(Math.min((previous[j] ?? 0) + 1, (row[j - 1] ?? 0) + missing, (previous[j - 1] ?? 0) + swap));
    }
    previous = row;
  }
  return previous[template.length] ?? Infinity;
}

/** If more than half differs it is another word, not a typing mistake. */
const MAX_SHARE = 0.5;

/** Compares a segment with others by the share of it that has to be edited. */
function createCompare(one: string): Compare {
  const distanceTo = createDistance(one);
  return (other) => {
    if (one === other) return 0;
    const share = distanceTo(other) / Math.max(one.length, other.length);
    return share > MAX_SHARE ? 1 : share;
  };
}

/**
 * The edit distance from a short string to others, in one step for each of their characters (Myers, "A fast bit-vector algorithm for approximate
 * string matching", 1999, as Hyyrö computes it): the bits are a column of the matrix of distances.
 */
function createDistance(one: string): (other: string) => number {
  const places = new Map<number, number>();
  for (let i = 0; i < one.length; i++) {
    const code = one.charCodeAt(i);
    places.set(code, (places.get(code) ?? 0) | (1 << i));
  }
  const last = 1 << (one.length - 1);
  return (other) => {
    if (one === '') return other.length;
    let distance = one.length;
    let [increases, decreases] = [-1, 0];
    for (let i = 0; i < other.length; i++) {
      const equal = places.get(other.charCodeAt(i)) ?? 0;
      const diagonal = (((equal & increases) + increases) ^ increases) | equal | decreases;
      const more = decreases | ~(diagonal | increases);
      const less = diagonal & increases;
      if ((more & last) !== 0) distance += 1;
      else if ((less & last) !== 0) distance -= 1;
      const shifted = (more << 1) | 1;
      increases = (less << 1) | ~(diagonal | shifted);
      decreases = shifted & diagonal;
    }
    return distance;
  };
}

/** Which letters a segment has, one bit for each; other characters share the last ones. */
function readLetters(text: string): number {
  let letters = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    letters |= 1 << (code >= 97 && code <= 122 ? code - 97 : 26 + (code % 6));
  }
  return letters;
}

/** What the comparison of two segments is at least: each letter that only one of them has is an edit. */
function readLeastCost(one: string, letters: number, other: Literal): number {
  const { text } = other;
  const edits = Math.max(
    Math.abs(one.length - text.length),
    countBits(letters & ~other.letters),
    countBits(other.letters & ~letters),
  );
  const share = edits / Math.max(one.length, text.length, 1);
  return share > MAX_SHARE ? 1 : share;
}

function countBits(bits: number): number {
  const pairs = bits - ((bits >>> 1) & 0x55555555);
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return (((fours + (fours >>> 4)) & 0x0f0f0f0f) * 0x01010101) >>> 24;
}

function toCandidate({ path: key, spanned, basePaths }: Operation): Candidate {
  const segments = readTemplate(spanned?.path ?? key).segments.map(({ kind, text, literals }) => {
    const literal = kind === 'literal' ? text : literals.join('');
    return kind === 'parameter' ? undefined : literal.slice(0, SEGMENT_LENGTH_LIMIT).toLowerCase();
  });
  return { key, basePaths, segments: segments.slice(0, SEGMENTS_LIMIT) };
}

function splitPath(pathname: string): readonly string[] {
  return pathname
    .split('/')
    .filter((segment) => segment !== '')
    .slice(0, SEGMENTS_LIMIT)
    .map((segment) => decodeText(segment).slice(0, SEGMENT_LENGTH_LIMIT).toLowerCase());
}
