import type { Result, Router as HonoRouter } from 'hono/router';
import type { TrieRouter } from 'hono/router/trie-router';
import { memoize } from '../../base/memoize.js';
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

/** The parts of the router. */
interface HonoRouterParts<T> {
  readonly contract: Router;
  /** The router for every other route: middleware, the control API, routes of the user. */
  readonly others: TrieRouter<T>;
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
  const find = (match: RouteMatch): T | undefined =>
    match.kind === 'operation' ? below(match.basePath).get(match.operation) : undefined;
  return {
    name: 'ContractRouter',
    add: (method, path, handler) => {
      order.set(handler, order.size);
      const route = routeOf(handler);
      if (route !== undefined) {
        below(route.basePath).set(route.operation, handler);
        return;
      }
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
      const own: Result<T> = handler === undefined || match.kind !== 'operation' ? [[]] : [[[handler, match.pathText]]];
      return merge(others.match(method, path), own, order);
    },
  };
}

/** Both results as one, in the order of registration. */
function merge<T>(others: Result<T>, own: Result<T>, order: ReadonlyMap<T, number>): Result<T> {
  if (others[0].length === 0) return own;
  if (own[0].length === 0) return others;
  // Both have their parameters by name: a `TrieRouter` has no indices.
  const all = [...others[0], ...own[0]] as [T, Record<string, string>][];
  return [all.toSorted(([one], [other]) => (order.get(one) ?? 0) - (order.get(other) ?? 0))];
}
