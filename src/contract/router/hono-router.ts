import type { Result, Router as HonoRouter } from 'hono/router';
import { memoize } from '../../memoize.js';
import type { Operation } from '../operations/operation.js';
import type { OperationRoute } from './hono-path.js';
import type { RouteMatch, Router } from './router.js';

/** One request, as much of it as routing needs; `match` is filled in by the router. */
export interface RoutedRequest {
  /** As it was sent; Hono's dispatcher asks for GET where it is HEAD. */
  readonly method: string;
  readonly path: string;
  readonly search: string;
  readonly headers: { readonly fields: Readonly<Record<string, string>> };
  match: RouteMatch | undefined;
}

/** What the router is made of. */
interface HonoRouterParts<T> {
  readonly contract: Router;
  /** The router for every other route: middleware, the control API, routes of the user. */
  readonly others: HonoRouter<T>;
  /** The operation that a handler was registered for; undefined for a handler of another kind. */
  readonly routeOf: (handler: T) => OperationRoute | undefined;
  /** The request that is dispatched; undefined where the router is asked outside a request. */
  readonly current: () => RoutedRequest | undefined;
}

/**
 * A router for `new Hono({ router })` that finds operations with the contract's own trie, and every other route with one of Hono's.
 *
 * Handlers run in the order of their registration, as with Hono's own routers: middleware that was registered before the operations runs
 * around them.
 */
export function createHonoRouter<T>(parts: HonoRouterParts<T>): HonoRouter<T> {
  const { contract, others, routeOf, current } = parts;
  const below = memoize((_basePath: string) => new Map<Operation, T>());
  const order = new Map<T, number>();
  const screen = createScreen();
  const find = (match: RouteMatch): T | undefined =>
    match.kind === 'operation' ? below(match.basePath).get(match.operation) : undefined;
  // The result for an operation without middleware: its handler reads the parameters from the match, so that one result is enough.
  const alone = memoize((handler: T): Result<T> => [[[handler, {}]]]);
  return {
    name: 'ContractRouter',
    add: (method, path, handler) => {
      order.set(handler, order.size);
      const route = routeOf(handler);
      if (route !== undefined) {
        below(route.basePath).set(route.operation, handler);
        return;
      }
      screen.add(path);
      others.add(method, path, handler);
    },
    match: (method, path) => {
      const request = current();
      const isCurrent = request?.path === path;
      const match = isCurrent
        ? contract.match(request.method, path, request.search, request.headers.fields)
        : contract.match(method, path, '');
      if (isCurrent) request.match = match;
      const handler = find(match);
      if (isCurrent && handler !== undefined && !screen.mayMatch(path)) return alone(handler);
      const own: Result<T> = handler === undefined || match.kind !== 'operation' ? [[]] : [[[handler, match.pathText]]];
      if (!screen.mayMatch(path)) return own;
      return merge(others.match(method, path), own, order);
    },
  };
}

/** Says without a search whether a path can have a route besides its operation: most requests have none. */
function createScreen(): { add(path: string): void; mayMatch(path: string): boolean } {
  const segments = new Set<string>();
  let takesAll = false;
  const readFirst = (path: string): string => {
    const end = path.indexOf('/', 1);
    return end === -1 ? path.slice(1) : path.slice(1, end);
  };
  return {
    add: (path) => {
      const first = readFirst(path);
      if (/[:*{]/.test(first)) takesAll = true;
      segments.add(first);
    },
    mayMatch: (path) => takesAll || segments.has(readFirst(path)),
  };
}

/** Both results as one, in the order of registration. */
function merge<T>(others: Result<T>, own: Result<T>, order: ReadonlyMap<T, number>): Result<T> {
  if (others[0].length === 0) return own;
  if (own[0].length === 0) return others;
  const stash = others[1];
  const named: [T, Record<string, string>][] = others[0].map(([handler, params]) => [
    handler,
    stash === undefined ? (params as Record<string, string>) : readStash(params as Record<string, number>, stash),
  ]);
  const all = [...named, ...(own[0] as [T, Record<string, string>][])];
  return [all.toSorted(([one], [other]) => (order.get(one) ?? 0) - (order.get(other) ?? 0))];
}

function readStash(indices: Readonly<Record<string, number>>, stash: readonly string[]): Record<string, string> {
  return Object.fromEntries(Object.entries(indices).map(([name, index]) => [name, stash[index] ?? '']));
}
