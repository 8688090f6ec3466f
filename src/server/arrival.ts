import type { Context } from 'hono';
import type { ServerResponse } from 'node:http';
import type { RoutedRequest } from '../contract/router/hono-router.js';
import type { BodyBytes } from '../http/request/body-bytes.js';
import { NO_HEADERS, type ParsedHeaders, RequestHeaders } from '../http/request-headers.js';
import type { ResponseConstructor } from '../http/response/encode.js';
import { readTarget } from '../http/target.js';
import { readPrefix } from '../session/choice.js';
import type { Sessions } from '../session/sessions.js';
import { readMonotonic } from '../base/platform.js';

/** The environment of a request on a socket: the bindings of @hono/node-server, and more if the mock itself listens. */
export interface SocketEnvironment {
  readonly incoming: ParsedHeaders;
  readonly outgoing: ServerResponse;
  /** The Response class of the server, cheaper to write than the platform's. */
  readonly ResponseClass?: ResponseConstructor | undefined;
  /** The body, if it has already arrived completely; undefined if it has to be read from the request. */
  readonly body?: BodyBytes | undefined;
  /** Whether other machines can reach the socket; undefined is treated as true. */
  readonly exposed?: boolean;
  /** The token that the server made for the control API; undefined if it made none. */
  readonly controlToken?: string | undefined;
  /** The request that was made of the message; middleware may pass on another one, with other headers. */
  readonly request?: Request;
}

/** Whether the second argument of `fetch` is the environment of a Node.js server; other runtimes pass other values. */
export function isSocketEnvironment(given: unknown): given is SocketEnvironment {
  return typeof given === 'object' && given !== null && 'incoming' in given && 'outgoing' in given;
}

/** A received request with its URL parsed once. */
export interface Arrival extends RoutedRequest {
  readonly request: Request;
  readonly headers: RequestHeaders;
  /** Undefined in-process. */
  readonly environment: SocketEnvironment | undefined;
  /** By `performance.now()`. */
  readonly startedAt: number;
  /** Path and query as they were sent. */
  readonly url: string;
  /** The session id at the start of the path (`/~id/...`), which is removed from `path`. */
  readonly sessionId: string | undefined;
}

/** The requests of one app. */
export interface Arrivals {
  /** Parses a request when Hono asks for its path, before routing. */
  read(request: Request, environment: SocketEnvironment | undefined): Arrival;
  /** The request that is being routed: Hono asks for the path, the route and the handler in one synchronous step. */
  current(): Arrival | undefined;
  /** The request of a handler; it is parsed a second time after asynchronous middleware or routing by another app. */
  of(c: Context): Arrival;
}

/** Creates the requests of an app. @param ownsControl - Whether a path belongs to the control API. */
export function createArrivals(sessions: Sessions, ownsControl: ((path: string) => boolean) | undefined): Arrivals {
  let latest: Arrival | undefined;
  let lastHeaders = NO_HEADERS;
  const read = (request: Request, environment: SocketEnvironment | undefined): Arrival => {
    const { url, path, search } = readTarget(request.url);
    if (environment?.request === request) lastHeaders = RequestHeaders.parse(environment.incoming, lastHeaders);
    else lastHeaders = RequestHeaders.of(request.headers);
    let prefix = sessions.readPrefix(path);
    if (prefix === undefined) {
      // The control API is served even if the contract has paths such as `/~{user}`.
      const ofControl = readPrefix(path);
      if (ofControl !== undefined && ownsControl?.(ofControl.path) === true) prefix = ofControl;
    }
    return {
      request,
      headers: lastHeaders,
      environment: environment?.incoming === undefined ? undefined : environment,
      startedAt: readMonotonic(),
      method: request.method,
      url,
      path: prefix?.path ?? path,
      search,
      sessionId: prefix?.id,
      match: undefined,
    };
  };
  return {
    read: (request, environment) => {
      latest = read(request, environment);
      return latest;
    },
    current: () => latest,
    of: (c) =>
      latest !== undefined && isFrom(c, latest) ? latest : read(c.req.raw, c.env as SocketEnvironment | undefined),
  };
}

/** Each request has bindings of its own; comparing them avoids `c.req`, which Hono creates when it is first used. */
function isFrom(c: Context, { request, environment }: Arrival): boolean {
  return (environment !== undefined && environment === c.env) || request === c.req.raw;
}
