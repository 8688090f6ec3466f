import { editDistance } from '../../errors.js';
import { memoize } from '../../memoize.js';
import type { Operation } from '../operations/operation.js';
import { decodeText } from '../pointer.js';
import { readTemplate } from './path-template.js';

/** Finds up to three path keys that are most similar to an undeclared path, the nearest first. */
type NearestPaths = (pathname: string) => readonly string[];

/** Longer paths and segments are cut, which bounds the time. */
const SEGMENTS_LIMIT = 12;
const SEGMENT_LENGTH_LIMIT = 24;

/** The cost of one segment too many or too few at the start: a missing or wrong version is a common mistake. */
const FRONT_COST = 0.4;

/** A path key, the base paths it is served below, and its segments; a parameter is undefined. */
interface Candidate {
  readonly key: string;
  readonly basePaths: readonly string[];
  readonly segments: readonly (string | undefined)[];
}

/** Creates a finder over the path keys of some operations; nothing is computed before the first unknown path. */
export function createNearestPaths(operations: readonly Operation[]): NearestPaths {
  let candidates: readonly Candidate[] | undefined;
  let bases: readonly string[] | undefined;
  return (pathname) => {
    candidates ??= [...new Map(operations.map((operation) => [operation.path, operation])).values()].map(toCandidate);
    bases ??= [...new Set(operations.flatMap(({ basePaths }) => basePaths))].toSorted((a, b) => b.length - a.length);
    const base = bases.find((path) => pathname.startsWith(`${path}/`)) ?? '';
    const given = splitPath(pathname.slice(base.length, base.length + 1000));
    return rank(given, candidates).map(
      ({ key, basePaths }) => `${basePaths.includes(base) ? base : basePaths[0]}${key}`,
    );
  };
}

function rank(given: readonly string[], candidates: readonly Candidate[]): readonly Candidate[] {
  const compareWith = memoize((one: string) => memoize((other: string) => readSegmentCost(one, other)));
  const compare = (one: string, other: string): number => compareWith(one)(other);
  const limit = Math.max(0.5, given.length / 2);
  return candidates
    .filter((candidate) => Math.abs(candidate.segments.length - given.length) <= limit + 1)
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

/** From 0 for equal segments to 1 for ones with nothing in common. */
function readSegmentCost(one: string, other: string): number {
  if (one === other) return 0;
  const longest = Math.max(one.length, other.length);
  const share = editDistance(one, other) / longest;
  // If more than half differs it is another word, not a typing mistake.
  return share > 0.5 ? 1 : share;
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
