import { editDistance } from '../../base/errors.js';
import type { Operation } from '../operations/operation.js';
import { memoize } from '../../base/memoize.js';
import { decodeText } from '../pointer.js';
import { readTemplate } from './path-template.js';

/** Longer paths and segments are cut, which bounds the time of a comparison. */
const MAX_SEGMENTS = 12;
const MAX_LENGTH = 24;

/** The cost of one segment too many or too few at the start: a missing or wrong version is a common mistake. */
const FRONT_COST = 0.4;

/** If more than half of a segment differs it is another word, not a typing mistake. */
const MAX_SHARE = 0.5;

type Compare = (one: string, other: string) => number;

/**
 * Finds up to three path keys that are most similar to an undeclared path, the nearest first. It compares the path with all of them; for the
 * root, which is like no other path, they are the shortest ones that can be read.
 */
export function findNearestPaths(operations: readonly Operation[], pathname: string): readonly string[] {
  const bases = [...new Set(operations.flatMap(({ basePaths }) => basePaths))].toSorted((a, b) => b.length - a.length);
  const base = bases.find((path) => pathname.startsWith(`${path}/`)) ?? '';
  const words = pathname.slice(base.length, base.length + 1000).split('/');
  const given = words
    .filter((word) => word !== '')
    .slice(0, MAX_SEGMENTS)
    .map((word) => toComparable(decodeText(word)));
  if (given.length === 0) return listShortest(operations);
  const limit = Math.max(MAX_SHARE, given.length / 2);
  const compareWith = memoize((one: string) => memoize((other: string) => compareSegments(one, other)));
  const compare: Compare = (one, other) => compareWith(one)(other);
  return [...new Map(operations.map((operation) => [operation.path, operation])).values()]
    .map(({ path, spanned, basePaths }) => {
      const template = readSegments(spanned?.path ?? path);
      const isNear = Math.abs(template.length - given.length) <= limit + 1;
      return { path, basePaths, cost: isNear ? readPathCost(given, template, compare) : Infinity };
    })
    .filter(({ cost }) => cost < limit)
    .toSorted((one, other) => one.cost - other.cost || one.path.length - other.path.length)
    .slice(0, 3)
    .map(({ path, basePaths }) => `${basePaths.includes(base) ? base : basePaths[0]}${path}`);
}

/** The paths of GET with the fewest parameters, then the shortest ones. */
function listShortest(operations: readonly Operation[]): readonly string[] {
  const countParameters = (path: string): number => path.split('{').length;
  return operations
    .filter(({ method }) => method === 'GET')
    .map(({ path, basePaths: [base = ''] }) => base + path)
    .toSorted((one, other) => countParameters(one) - countParameters(other) || one.length - other.length)
    .slice(0, 3);
}

/** The literals of the segments of a path key; undefined for a parameter. */
function readSegments(key: string): readonly (string | undefined)[] {
  const { segments } = readTemplate(key);
  return segments.slice(0, MAX_SEGMENTS).map(({ kind, text, literals }) => {
    return kind === 'parameter' ? undefined : toComparable(kind === 'literal' ? text : literals.join(''));
  });
}

function toComparable(segment: string): string {
  return segment.slice(0, MAX_LENGTH).toLowerCase();
}

/** Edit distance over segments: a missing or added one costs 1, a missing parameter less, a parameter in place of any segment almost nothing. */
function readPathCost(given: readonly string[], template: readonly (string | undefined)[], compare: Compare): number {
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

/** The share of a segment that has to be edited to get another one; 1 for another word. */
function compareSegments(one: string, other: string): number {
  const length = Math.max(one.length, other.length);
  const share = editDistance(one, other, Math.floor(length * MAX_SHARE) + 1) / Math.max(length, 1);
  return share > MAX_SHARE ? 1 : share;
}
