import type { Operation } from '../operations/operation.js';
import { readTemplate, type TemplateSegment } from './path-template.js';

/** One operation below one of its base paths, as a route of Hono. */
export interface OperationRoute {
  readonly operation: Operation;
  /** Of `servers[].url`, without a slash at the end; empty for none. */
  readonly basePath: string;
  /** In Hono's syntax: `/v1/orders/:id/parts`. */
  readonly path: string;
  /** How many segments the path has, those of the base path included. */
  readonly segmentCount: number;
}

/**
 * The routes of some operations, the most specific first, so that a router that takes the first match (as Hono's do) chooses as the
 * contract does: a longer base path first, then segment by segment a literal before a mixed segment before a parameter, and of two
 * operations with the same path the one whose path key has more fixed query pairs.
 */
export function listRoutes(operations: readonly Operation[]): readonly OperationRoute[] {
  return operations
    .flatMap((operation) => operation.basePaths.map((basePath) => toSortable(operation, basePath)))
    .toSorted(compareSpecificity)
    .map(({ route }) => route);
}

interface SortableRoute {
  readonly route: OperationRoute;
  /** Compared from left to right; the smaller one comes first. */
  readonly rank: readonly number[];
}

const LITERAL_RANK = 0;
const PARAMETER_RANK = 1_000_000;

function toSortable(operation: Operation, basePath: string): SortableRoute {
  const own = readTemplate(operation.path);
  const { query, fragment, trailingSlash } = own;
  const { segments } = operation.spanned === undefined ? own : readTemplate(operation.spanned.path);
  const base = basePath.split('/').filter((segment) => segment !== '');
  const path = toHonoPath(base, segments);
  const ranks = [...base.map(() => LITERAL_RANK), ...segments.map(readRank)];
  const route = { operation, basePath, path: trailingSlash ? `${path}/` : path, segmentCount: ranks.length };
  return { route, rank: [...ranks, -query.length - fragment.length] };
}

/** A mixed segment with longer literals is the more specific one. */
function readRank(segment: TemplateSegment): number {
  if (segment.kind === 'literal') return LITERAL_RANK;
  return segment.kind === 'parameter' ? PARAMETER_RANK : PARAMETER_RANK - 1 - segment.literals.join('').length;
}

/** Paths of different lengths never match the same request: their order does not matter. */
function compareSpecificity(one: SortableRoute, other: SortableRoute): number {
  const byBase = other.route.basePath.length - one.route.basePath.length;
  if (byBase !== 0) return byBase;
  if (one.rank.length !== other.rank.length) return one.rank.length - other.rank.length;
  for (let i = 0; i < one.rank.length; i++) {
    const difference = (one.rank[i] ?? 0) - (other.rank[i] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

function toHonoPath(base: readonly string[], segments: readonly TemplateSegment[]): string {
  const names = segments.flatMap((segment) => segment.names);
  const isUnique = (name: string): boolean => names.indexOf(name) === names.lastIndexOf(name);
  const parts = base.map((text, i) => toLiteral(text, `b${i}`));
  let isAfterMixed = false;
  segments.forEach((segment, i) => {
    const name = segment.names[0] ?? '';
    if (segment.kind === 'parameter') parts.push(PLAIN_NAME.test(name) && isUnique(name) ? `:${name}` : `:p${i}`);
    else if (segment.kind === 'mixed') parts.push(`:p${i}{${segment.literals.map(escapeText).join('[^/]+')}}`);
    // Hono puts the segment after a pattern into a regular expression as it is.
    else if (isAfterMixed && /[^\w-]/.test(segment.text)) parts.push(`:p${i}{${escapeText(segment.text)}}`);
    else parts.push(toLiteral(segment.text, `p${i}`));
    isAfterMixed = segment.kind === 'mixed';
  });
  return `/${parts.join('/')}`;
}

/** A name that Hono reads as the name of a required parameter (an optional one has `?` at the end). */
const PLAIN_NAME = /^[A-Za-z_][\w-]*$/;

/** A literal that Hono would read as a wildcard, a parameter or a pattern becomes a pattern that matches nothing else. */
function toLiteral(text: string, name: string): string {
  return /^:|[*{}?@]/.test(text) ? `:${name}{${escapeText(text)}}` : text;
}

/** Text as a regular expression without braces, which Hono keeps for the expression itself. */
function escapeText(text: string): string {
  return text
    .replaceAll(/[\\^$.*+?()[\]|/-]/g, String.raw`\$&`)
    .replaceAll('{', String.raw`\x7b`)
    .replaceAll('}', String.raw`\x7d`);
}
