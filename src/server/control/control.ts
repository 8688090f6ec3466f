import { cutText } from '../../base/errors.js';
import type { Context, Hono } from 'hono';
import { fileURLToPath } from 'node:url';
import { loadContract } from '../../contract/load/load.js';
import { createRouter, type RouteMatch } from '../../contract/router/router.js';
import type { Answer } from '../../http/answer.js';
import { createCallDecoder } from '../../http/request/call.js';
import { createEncoder } from '../../http/response/encode.js';
import { toPackageUrl } from '../../base/package-folder.js';
import { createValidators } from '../../schema/validate.js';
import type { Arrival, Arrivals } from '../arrival.js';
import type { createControlHandlers } from './handlers.js';
import { createPreflight } from '../cors.js';
import { listErrors } from '../../schema/violation.js';
import { answerEmpty, answerError, answerInvalid, answerProblem, SEE_DOCUMENT } from './answer.js';
import { type ControlPolicy, createControlGuard, isListedOrigin } from './guard.js';
import { CONTROL_ROUTES, type ControlHandlers, type ControlledParts, type ControlRoute } from './routes.js';

/** How the control API is served. */
interface ControlOptions extends ControlPolicy {
  /** The prefix of its paths: `/__mock`. */
  readonly prefix: string;
}

/** The operations that one feature adds to the control API. */
export interface FeatureOperations {
  /** The operations that the document of the control API lacks: their routes, and their path items by path (OpenAPI 3.1 section 4.8.9). */
  readonly added?: {
    readonly routes: readonly ControlRoute[];
    readonly paths: Readonly<Record<string, object>>;
  };
  /** Called with the first request. */
  load(): Promise<ControlHandlers>;
}

/** The additions of features to the control API. */
export interface ControlFeatures {
  readonly operations: readonly FeatureOperations[];
  /** The answer to a browser at the root of the mock; undefined for other clients. @param path - Of the request. @param prefix - Of the control API. */
  welcome(accept: string | null, path: string, prefix: string): Answer | undefined;
}

/** The control API of one mock. */
export interface Control {
  /** The prefix of its paths. */
  readonly prefix: string;
  /** Whether a path belongs to it. */
  owns(path: string): boolean;
  /** Adds a route for each operation to an app, below the prefix. */
  addRoutes(app: Hono, arrivals: Arrivals): void;
  /** The response to a browser at the root of the mock; undefined for other clients. */
  welcome(arrival: Arrival): Response | undefined;
}

/** Sent only to an origin that was allowed by name. */
const CORS_HEADERS = { 'access-control-expose-headers': 'x-mock-source', vary: 'Origin' };

/** Operations that need no token: the pages have no data, and ask for the token. */
const OPEN: ReadonlySet<string> = new Set(['getHealth', 'getInspector']);

/** Operations that do not depend on shared state: they are answered while the store cannot be reached. */
const OWN: ReadonlySet<string> = new Set(['getMetrics']);

const BODY_LIMIT = 32 * 1024 * 1024;

/** The document of the control API: its path in the package. */
export const CONTROL_SPEC = 'spec/control.openapi.yaml';

/** The control API; its document is loaded with the first request. */
export function createControl(
  options: ControlOptions,
  parts: Omit<ControlledParts, 'prefix'>,
  features: ControlFeatures,
): Control {
  const guard = createControlGuard(options);
  const encode = createEncoder([]);
  let engine: ReturnType<typeof createEngine> | undefined;

  const answerGuarded = async (c: Context, arrival: Arrival, operationId: string | undefined): Promise<Answer> => {
    const { request, environment } = arrival;
    const { headers, method } = request;
    const isPreflight = method === 'OPTIONS' && headers.has('access-control-request-method');
    const exposed = environment !== undefined && environment.exposed !== false;
    const open = isPreflight || OPEN.has(operationId ?? '');
    const refusal = guard({ headers, exposed, issued: environment?.controlToken, open });
    if (refusal !== undefined) {
      return answerProblem({ ...refusal, headers: refusal.status === 401 ? { 'www-authenticate': 'Bearer' } : {} });
    }
    engine ??= createEngine({ ...parts, prefix: options.prefix }, features);
    const { router, decoder, operations, answer } = await engine;
    const operation = operationId === undefined ? undefined : operations.get(operationId);
    if (operation === undefined) {
      const path = arrival.path.slice(arrival.path.indexOf(options.prefix) + options.prefix.length) || '/';
      return answerUnrouted(request, router.match(method, path, arrival.search), { path, prefix: options.prefix });
    }
    const call = await decoder.decode({ operation, pathText: readPathText(c), request, target: arrival });
    const errors = listErrors(call.violations).filter((violation) => violation.in !== 'security');
    return errors.length > 0 ? answerInvalid(errors) : answer(call, arrival.sessionId ?? 'default');
  };

  const respond = async (c: Context, arrival: Arrival, operationId: string | undefined): Promise<Response> => {
    const { request, environment } = arrival;
    let answer: Answer;
    try {
      answer = await answerGuarded(c, arrival, operationId);
    } catch (error) {
      answer = answerError(error);
    }
    const origin = request.headers.get('origin');
    const isAllowed = origin !== null && isListedOrigin(origin, options);
    const allowed = isAllowed && { ...CORS_HEADERS, 'access-control-allow-origin': origin };
    const headers = { 'cache-control': 'no-store', ...allowed, ...answer.headers };
    return encode({ ...answer, headers }, request.method, environment);
  };

  const { prefix } = options;
  return {
    prefix,
    owns: (path) => path.startsWith(prefix) && (path.length === prefix.length || path[prefix.length] === '/'),
    addRoutes: (app, arrivals) => {
      const routes = [...CONTROL_ROUTES, ...features.operations.flatMap(({ added }) => added?.routes ?? [])];
      addRoutes(app, { prefix, routes }, (c, operationId) => respond(c, arrivals.of(c), operationId));
    },
    welcome: ({ request, environment, url }) => {
      const answer = features.welcome(request.headers.get('accept'), url.split('?', 1)[0] ?? '', prefix);
      return (
        answer &&
        encode({ ...answer, headers: { 'cache-control': 'no-store', ...answer.headers } }, request.method, environment)
      );
    },
  };
}

function addRoutes(
  app: Hono,
  { prefix, routes }: { readonly prefix: string; readonly routes: readonly ControlRoute[] },
  respond: (c: Context, operationId: string | undefined) => Promise<Response>,
): void {
  for (const [method, path, operationId] of routes) {
    // A member gives a function its name in a third of the time that defining its name takes.
    const { [operationId]: handler } = { [operationId]: (c: Context): Promise<Response> => respond(c, operationId) };
    if (handler !== undefined) app.on(method, path === '/' ? prefix : prefix + path, handler);
  }
  app.all(`${prefix}/*`, (c) => {
    // Hono's route for `/` has the path of the app without a slash.
    const isPage = (c.req.method === 'GET' || c.req.method === 'HEAD') && c.req.path.endsWith(`${prefix}/`);
    return respond(c, isPage ? 'getInspector' : undefined);
  });
}

/** The engine that checks requests, the same one that serves mocks. Loaded with the first request: most mocks never get one. */
async function createEngine(parts: ControlledParts, features: ControlFeatures) {
  const { createControlHandlers } = await import('./handlers.js');
  const own = await loadContract(fileURLToPath(toPackageUrl(CONTROL_SPEC)));
  const added = features.operations.flatMap((each) => (each.added === undefined ? [] : [each.added.paths]));
  const paths: unknown = Object.assign({}, own.document['paths'], ...added);
  const contract = added.length === 0 ? own : await loadContract({ ...own.document, paths });
  const validators = createValidators(contract);
  return {
    router: createRouter(contract.operations),
    decoder: createCallDecoder(contract, validators, { bodyLimitBytes: BODY_LIMIT, strict: true }),
    operations: new Map(contract.operations.map((operation) => [operation.id, operation])),
    answer: inSharedStore(parts.shared, createControlHandlers(parts, await loadOperations(features))),
  };
}

async function loadOperations({ operations }: ControlFeatures): Promise<ControlHandlers> {
  const loaded = await Promise.all(operations.map(({ load }) => load()));
  // Each member of them is a handler.
  return Object.assign({}, ...loaded) as ControlHandlers;
}

/** Answers between reading what other processes have written and writing what was changed here. */
function inSharedStore(
  shared: ControlledParts['shared'],
  answer: ReturnType<typeof createControlHandlers>,
): ReturnType<typeof createControlHandlers> {
  if (shared === undefined) return answer;
  return async (call, otherwise) => {
    if (OWN.has(call.operation.id)) return answer(call, otherwise);
    await shared.refresh();
    const answered = await answer(call, otherwise);
    await shared.flush();
    return answered;
  };
}

/** Path parameters the way a decoder takes them: percent-encoded. */
function readPathText({ req }: Context): Readonly<Record<string, string>> {
  const parameters = Object.entries(req.param() as Readonly<Record<string, string>>);
  return Object.fromEntries(parameters.map(([name, value]) => [name, encodeURIComponent(value)]));
}

/** The answer to a request that no operation takes: 404 with the nearest path, 405 with the methods, or OPTIONS. */
function answerUnrouted(
  { method, headers }: Request,
  match: RouteMatch,
  { path, prefix }: { readonly path: string; readonly prefix: string },
): Answer {
  if (match.kind === 'method') {
    const allow = { allow: match.allow.join(', ') };
    const preflight = createPreflight(headers, { methods: match.allow, isNamed: true });
    if (method === 'OPTIONS') return { ...answerEmpty(), headers: { ...allow, ...preflight } };
    const message = `this path does not support ${method}; it supports ${allow.allow}`;
    return answerProblem({ status: 405, code: 'CONTROL_UNKNOWN', message, headers: allow });
  }
  const nearest = match.kind === 'none' ? match.nearest()[0] : undefined;
  const hint = nearest === undefined ? SEE_DOCUMENT : `did you mean ${prefix}${nearest}?`;
  const message = `no path in the control API matches ${cutText(path, 200)}`;
  return answerProblem({ status: 404, code: 'CONTROL_UNKNOWN', message, hint });
}
