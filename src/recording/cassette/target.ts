import type { Operation } from '../../contract/operations/operation.js';

/** The base path a request came under, and what is left of its path. */
interface SplitPath {
  readonly base: string;
  readonly rest: string;
}

/** Path and query of a call without the prefix that chooses a session: nothing an upstream knows. */
export function readCallUrl(url: string): string {
  return url.replace(/^\/~[^/?]+(?=\/)/, '');
}

/** Takes the base path off a path that is the operation's. */
export function splitPath(operation: Operation, pathname: string): SplitPath {
  const length = countSegments(operation.path.split('?')[0] ?? '');
  const base = operation.basePaths
    .filter((candidate) => candidate !== '' && pathname.startsWith(`${candidate}/`))
    .find((candidate) => countSegments(pathname.slice(candidate.length)) === length);
  return base === undefined ? { base: '', rest: pathname } : { base, rest: pathname.slice(base.length) };
}

/**
 * Where a request goes on the upstream: an upstream with a path takes the place of the contract's base path, one without gets
 * the path as it came.
 */
export function toTarget(upstream: URL, operation: Operation, url: string): string {
  const [pathname = '', ...search] = url.split('?');
  const query = search.length === 0 ? '' : `?${search.join('?')}`;
  if (upstream.pathname === '/') return `${pathname}${query}`;
  return `${upstream.pathname.replace(/\/$/, '')}${splitPath(operation, pathname).rest}${query}`;
}

/**
 * A Location on the upstream as one on the mock, so that a client which follows it stays here; others are left as they are.
 * RFC 9110 10.2.2 allows a path alone.
 */
export function toLocation(location: string, upstream: URL, base: string): string {
  if (!URL.canParse(location)) return location;
  const url = new URL(location);
  if (url.origin !== upstream.origin) return location;
  const rest = `${url.pathname}${url.search}${url.hash}`;
  if (upstream.pathname === '/') return rest;
  const root = upstream.pathname.replace(/\/$/, '');
  return rest.startsWith(`${root}/`) ? `${base}${rest.slice(root.length)}` : location;
}

function countSegments(path: string): number {
  return path.split('/').length;
}
