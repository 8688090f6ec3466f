import type { Context, Hono, MiddlewareHandler } from 'hono';
import { HonoBase } from 'hono/hono-base';
import { TrieRouter } from 'hono/router/trie-router';
import type { OperationRoute } from '../contract/router/hono-path.js';
import { createHonoRouter } from '../contract/router/hono-router.js';
import type { Router } from '../contract/router/router.js';
import { type Arrival, createArrivals, type SocketEnvironment } from './arrival.js';
import type { Control } from './control/control.js';
import { createPipeline, type PipelineParts } from './pipeline/pipeline.js';
import { isPreflight } from './cors.js';

interface AppParts extends PipelineParts {
  readonly router: Router;
  readonly routes: readonly OperationRoute[];
  /** Undefined if it is switched off. */
  readonly control: Control | undefined;
  /** Middleware of Hono that runs around every request, the control API included. */
  readonly middleware: readonly MiddlewareHandler[];
}

/** One entry point for every request, from a socket or in-process. */
export type Fetch = (request: Request, environment?: SocketEnvironment) => Response | Promise<Response>;

/**
 * The Hono app of a mock: its router is the contract, and each operation is one of its routes.
 *
 * Each handler does the same: it decodes and validates the request, asks the chain of answer sources, writes the answer and adds it to the
 * journal. When the routes are copied into another app (`other.route('/api', app)`) that app matches the path with a router of its own;
 * the handler then asks the contract again about the end of the path.
 */
export function createApp(parts: AppParts): Hono {
  const { router, control, middleware, sessions } = parts;
  const arrivals = createArrivals(sessions, control?.owns);
  const pipeline = createPipeline(parts);
  const routes = new WeakMap<object, OperationRoute>();
  // Without the routers that `Hono` chooses from.
  const app: Hono = new HonoBase({
    router: createHonoRouter<HonoRoute>({
      contract: router,
      others: new TrieRouter(),
      routeOf: ([handler]) => routes.get(handler),
      current: arrivals.current,
    }),
    getPath: (request, options) => arrivals.read(request, options?.env as SocketEnvironment | undefined).path,
  });
  // `use` without a handler would register undefined.
  for (const handler of middleware) app.use(handler);
  control?.addRoutes(app, arrivals);
  const answer = (c: Context, { operation, segmentCount }: OperationRoute): Response | Promise<Response> => {
    const arrival = arrivals.of(c);
    const match = arrival.match ?? matchEnd(router, arrival, segmentCount);
    if (match.kind !== 'operation') return pipeline.refuse(arrival, match);
    const answersPreflight = operation.method === 'OPTIONS' && parts.cors !== undefined;
    if (answersPreflight && isPreflight(arrival.request)) {
      // No operation has this method, so that all of the path are listed.
      const others = matchEnd(router, { ...arrival, method: '' }, segmentCount);
      if (others.kind === 'method') return pipeline.refuse(arrival, others);
    }
    // Only middleware, of this app or of one that routes to it, can have read the body.
    const isRead = (arrival.match === undefined || middleware.length > 0) && hasBodyRead(c);
    return isRead ? pipeline.answerRead(arrival, match, c.req) : pipeline.answer(arrival, match);
  };
  for (const route of parts.routes) {
    const { method, id } = route.operation;
    // `showRoutes(app, { verbose: true })` and `inspectRoutes` show its name; one that is defined later would take 256 bytes.
    const handler = { [id]: (c: Context) => answer(c, route) }[id] as (c: Context) => Response | Promise<Response>;
    routes.set(handler, route);
    app.on(method, route.path, handler);
    // Hono asks its routers for GET when a HEAD arrives; the handler sees the method that was sent.
    if (method === 'HEAD') app.on('GET', route.path, (c: Context) => handler(c));
  }
  if (control !== undefined && router.match('GET', '/', '').kind !== 'operation')
    app.get('/', async (c, next) => control.welcome(arrivals.of(c)) ?? next());
  app.notFound((c) => {
    const arrival = arrivals.of(c);
    const match = arrival.match ?? router.match(arrival.method, arrival.path, arrival.search, arrival.headers.fields);
    // A path that has an operation gets here only if middleware or a route of the user passed it on with `next()`.
    if (match.kind === 'operation') return pipeline.answer(arrival, match);
    return pipeline.refuse(arrival, match, hasBodyRead(c) ? c.req : undefined);
  });
  app.onError((error, c) => {
    if ('getResponse' in error) return error.getResponse();
    const arrival = arrivals.of(c);
    // A connection that breaks on purpose looks to an in-process client like `fetch` that fails.
    if (pipeline.isBroken(arrival.request)) throw error;
    return pipeline.fail(arrival, error);
  });
  return app;
}

/** The value that Hono passes to a router: the handler and its route. */
type HonoRoute = Parameters<Hono['router']['add']>[2];

/** The operation that the last segments of a path mean: the ones before them are the prefix that another app serves the routes below. */
function matchEnd(
  router: Router,
  { method, path, search, headers }: Arrival,
  segmentCount: number,
): ReturnType<Router['match']> {
  const last = path.length > 1 && path.endsWith('/') ? path.length - 2 : path.length - 1;
  let start = last + 1;
  for (let i = 0; i < segmentCount; i++) start = path.lastIndexOf('/', start - 1);
  return router.match(method, start <= 0 ? path : path.slice(start) || '/', search, headers.fields);
}

/** Whether middleware has read the body, so that only Hono's copy of it is left. */
function hasBodyRead({ req }: Context): boolean {
  for (const _ in req.bodyCache) return true;
  return false;
}
