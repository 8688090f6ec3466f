import { AsyncLocalStorage } from 'node:async_hooks';
import { createRequire, syncBuiltinESMExports } from 'node:module';
import { URL } from 'node:url';
import { MockError, suggest } from '../../base/errors.js';
import { isError } from '../../base/platform.js';
import { hidePathSecrets } from '../../conventions/secret-forms.js';

/** The treatment of requests to origins that no mock intercepts: they are sent, sent with a warning of the process, or they fail. */
export type UnhandledRequest = 'bypass' | 'warn' | 'error';

/** How requests are intercepted. */
export interface InterceptOptions {
  /** Requests to other origins; default `bypass`. With several interceptions the strictest counts. */
  readonly onUnhandledRequest?: UnhandledRequest;
}

/** The interception of one origin. */
export interface Interception {
  /** The intercepted origin, such as `https://api.example.com`. */
  readonly origin: string;
  /** Sends requests to the origin again; with the last interception the globals are restored. */
  close(): void;
  /** Closes it. */
  [Symbol.dispose](): void;
}

/** A mock or session that can answer requests of the process to an origin. */
export interface Interceptable {
  /**
   * Answers requests of this process to an origin: those of the global `fetch`, and of `node:http` and `node:https`. Needs the package
   * `@mswjs/interceptors`. Ends with `close`, of the result or of the mock or session.
   *
   * @param origin - `https://api.example.com`, without a path.
   * @throws MockError `INTERCEPTOR_MISSING`; `ORIGIN_INTERCEPTED` where the origin is intercepted already; `OPTION_INVALID` where it is not an http(s) origin
   * alone.
   */
  intercept(origin: string | URL, options?: InterceptOptions): Interception;
}

/** The interceptions of one mock. */
export interface Interceptions {
  /** Starts one. @param fetch - Answers its requests. */
  open(owner: object, given: InterceptRequest): Interception;
  /** Ends the interceptions of one owner, or all. */
  close(owner?: object): void;
}

interface InterceptRequest extends InterceptOptions {
  readonly origin: string | URL;
  fetch(request: Request): Promise<Response>;
}

/** Creates the interceptions of one mock; without one nothing is loaded or changed. */
export function createInterceptions(): Interceptions {
  const open = new Map<Interception, object>();
  return {
    open: (owner, given) => {
      const origin = readOrigin(given.origin);
      const mode = readMode(given.onUnhandledRequest);
      const hub = joinHub(origin, { mode, fetch: given.fetch });
      const close = (): void => {
        if (open.delete(interception)) hub.leave(origin);
      };
      const interception: Interception = { origin, close, [Symbol.dispose]: close };
      open.set(interception, owner);
      return interception;
    },
    close: (owner) => {
      for (const [interception, each] of open) if (owner === undefined || each === owner) interception.close();
    },
  };
}

function readOrigin(given: string | URL): string {
  const text = String(given);
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw new MockError('OPTION_INVALID', `${JSON.stringify(text)} is not an origin that can be intercepted`, {
      hint: 'give a scheme and a host: mock.intercept("https://api.example.com")',
    });
  }
  if (url.pathname === '/' && url.search === '' && url.hash === '') return url.origin;
  throw new MockError('OPTION_INVALID', `${JSON.stringify(text)} has more than an origin`, {
    hint: `every path of an origin is intercepted: mock.intercept("${url.origin}")`,
  });
}

const MODES: readonly UnhandledRequest[] = ['bypass', 'warn', 'error'];

function readMode(given: unknown = 'bypass'): UnhandledRequest {
  const mode = MODES.find((each) => each === given);
  if (mode !== undefined) return mode;
  const message = `onUnhandledRequest must be one of ${MODES.join(', ')}, got ${JSON.stringify(given)}`;
  const hint = suggest(String(given), MODES) ?? 'omit it to send requests to other origins';
  throw new MockError('OPTION_INVALID', message, { hint });
}

/** The function that answers requests to one origin, and its mode. */
interface Route {
  readonly mode: UnhandledRequest;
  fetch(request: Request): Promise<Response>;
}

/** The origins that the process intercepts. All mocks use one, because the globals can be replaced only once. */
interface Hub {
  readonly routes: Map<string, Route>;
  leave(origin: string): void;
}

/** On the global object, because two copies of this package share the globals, too. */
const HUB: unique symbol = Symbol.for('vouch.interception') as never;

type Globals = Record<symbol, unknown> & { [HUB]?: Hub };

/** @throws MockError `ORIGIN_INTERCEPTED`, `INTERCEPTOR_MISSING`. */
function joinHub(origin: string, route: Route): Hub {
  // The global object of the test, which a test runner may have replaced: its `fetch` is the one that is called.
  const globals = globalThis as unknown as Globals;
  if (globals[HUB]?.routes.has(origin) === true) {
    throw new MockError('ORIGIN_INTERCEPTED', `requests to ${origin} are already intercepted`, {
      hint: 'close the other interception, or the mock that it belongs to, at the end of each test',
    });
  }
  const hub = (globals[HUB] ??= startHub(globals));
  hub.routes.set(origin, route);
  return hub;
}

function startHub(globals: Globals): Hub {
  const routes = new Map<string, Route>();
  const answer = createAnswerer(routes);
  const stops = loadInterceptors().map(([Class, toError]) => {
    const interceptor = new Class();
    // Before `on`, because it replaces that where another library, such as MSW, has the same one running.
    interceptor.apply();
    interceptor.on('request', ({ request, controller }) => answer(request, controller, toError));
    return stopper(globals, interceptor, Class.symbol);
  });
  // Modules that import single functions of `node:http` see the replaced ones.
  syncBuiltinESMExports();
  return {
    routes,
    leave: (origin) => {
      routes.delete(origin);
      if (routes.size > 0) return;
      for (const stop of stops) stop();
      syncBuiltinESMExports();
      delete globals[HUB];
    },
  };
}

/** How a request is answered; `readyState` is 0 until it is. */
interface Controller {
  readonly readyState: number;
  respondWith(response: Response): void;
  errorWith(reason: unknown): void;
}

/** The used members of an interceptor of `@mswjs/interceptors`. */
interface Interceptor {
  apply(): void;
  dispose(): void;
  on(
    event: 'request',
    listener: (event: { readonly request: Request; readonly controller: Controller }) => Promise<void>,
  ): unknown;
}

interface InterceptorClass {
  readonly symbol: symbol;
  new (): Interceptor;
}

/** The error that the client gets where the mock fails. */
type ToError = (error: unknown) => unknown;

/** Loads the package when it is first needed. @throws MockError `INTERCEPTOR_MISSING`. */
function loadInterceptors(): readonly (readonly [InterceptorClass, ToError])[] {
  const load = createRequire(import.meta.url);
  try {
    const { FetchInterceptor } = load('@mswjs/interceptors/fetch') as { FetchInterceptor: InterceptorClass };
    const { ClientRequestInterceptor } = load('@mswjs/interceptors/ClientRequest') as {
      ClientRequestInterceptor: InterceptorClass;
    };
    // A fault is what `fetch` reports; its cause is the error of the connection.
    const toCause: ToError = (error) => (isError(error) && isError(error.cause) ? error.cause : error);
    return [
      [FetchInterceptor, (error) => error],
      [ClientRequestInterceptor, toCause],
    ];
  } catch (cause) {
    throw new MockError('INTERCEPTOR_MISSING', 'mock.intercept needs the package @mswjs/interceptors', {
      hint: 'install it: npm install --save-dev @mswjs/interceptors',
      cause,
    });
  }
}

/**
 * A function that stops an interceptor. Which one is running is in a global symbol, which each `dispose` removes, also that of another
 * library's one: it is put back.
 */
function stopper(globals: Globals, interceptor: Interceptor, symbol: symbol): () => void {
  const isRunning = globals[symbol] === interceptor;
  return () => {
    const other = globals[symbol];
    if (isRunning) globals[symbol] = interceptor;
    interceptor.dispose();
    if (!isRunning && other !== undefined) globals[symbol] = other;
  };
}

type AnswerRequest = (request: Request, controller: Controller, toError: ToError) => Promise<void>;

function createAnswerer(routes: ReadonlyMap<string, Route>): AnswerRequest {
  // The origin whose mock sends a request itself, to record its upstream: that one is sent.
  const current = new AsyncLocalStorage<string>();
  return async (request, controller, toError) => {
    const { origin, protocol } = new URL(request.url);
    // Another library has answered it, or it is a `data:` URL.
    if (controller.readyState !== 0 || !/^https?:$/.test(protocol)) return;
    const route = routes.get(origin);
    if (route === undefined) return refuse(request, controller, routes);
    if (current.getStore() === origin) return;
    try {
      const response = await current.run(origin, () => route.fetch(request));
      if (isPending(request, controller)) controller.respondWith(response);
    } catch (error) {
      if (isPending(request, controller)) controller.errorWith(toError(error));
    }
  };
}

/** Whether the client waits for an answer; a request that is aborted fails without one. */
function isPending({ signal }: Request, { readyState }: Controller): boolean {
  return readyState === 0 && !signal.aborted;
}

/** Does what the strictest interception says with a request to another origin. */
function refuse(request: Request, controller: Controller, routes: ReadonlyMap<string, Route>): void {
  const modes = new Set([...routes.values()].map(({ mode }) => mode));
  const mode = modes.has('error') ? 'error' : modes.has('warn') ? 'warn' : 'bypass';
  if (mode === 'bypass') return;
  const { origin, pathname } = new URL(request.url);
  const error = new MockError(
    'REQUEST_UNHANDLED',
    `no mock intercepts ${request.method} ${origin}${hidePathSecrets(pathname)}`,
    { hint: `intercept its origin: mock.intercept("${origin}"), or send it: onUnhandledRequest: "bypass"` },
  );
  if (mode === 'error') controller.errorWith(error);
  else process.emitWarning(error.message, { type: 'VouchWarning', code: error.code });
}
