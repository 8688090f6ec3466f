import { fileURLToPath } from 'node:url';
import { loadContract } from '../../contract/load/load.js';
import { createRouter, type Router } from '../../contract/router/router.js';
import type { Answer } from '../../http/answer.js';
import { type CallDecoder, createCallDecoder } from '../../http/request/call.js';
import { createEncoder, type ResponseConstructor } from '../../http/response/encode.js';
import { createValidators } from '../../schema/validate.js';
import { readPrefix } from '../../session/choice.js';
import { preflightHeaders } from '../cors.js';
import { answerError, answerInvalid, answerProblem } from './answer.js';
import { type ControlPolicy, createControlGuard, isListedOrigin } from './guard.js';
import type { ControlHandlers, ControlledParts } from './handlers.js';

/** How the control API is served. */
export interface ControlOptions extends ControlPolicy {
  /** What its paths begin with: `/__mock`. */
  readonly prefix: string;
}

/** The control API of one mock. */
export interface Control {
  /** Whether a path is one of its own; a session prefix may stand before it. */
  owns(path: string): boolean;
  answer(request: Request, arrival: ControlArrival): Promise<Response>;
}

/** A request of the control API as it came. */
export interface ControlArrival {
  readonly path: string;
  readonly search: string;
  /** Whether it came by a socket that other machines can reach. */
  readonly exposed: boolean;
  readonly ResponseClass: ResponseConstructor;
}

/** The engine that checks requests of the control API, the same one that serves mocks. */
interface Engine {
  readonly router: Router;
  readonly decoder: CallDecoder;
  readonly handlers: ControlHandlers;
}

const BODY_LIMIT = 32 * 1024 * 1024;

/** Where the document of the control API is shipped: two folders above this file, compiled or not. */
export const CONTROL_SPEC: URL = new URL('../../../spec/control.openapi.yaml', import.meta.url);

/** The control API; its document is loaded when it is first asked. */
export function createControl(options: ControlOptions, parts: ControlledParts): Control {
  const guard = createControlGuard(options);
  const encode = createEncoder([]);
  let engine: Promise<Engine> | undefined;

  const answerGuarded = async (
    request: Request,
    arrival: ControlArrival,
    session: string | undefined,
  ): Promise<Answer> => {
    const path = arrival.path.slice(options.prefix.length) || '/';
    const { headers, method } = request;
    const isPreflight = method === 'OPTIONS' && headers.has('access-control-request-method');
    const open = isPreflight || path === '/health';
    const refusal = guard({ headers, exposed: arrival.exposed, open });
    if (refusal !== undefined) {
      return answerProblem({ ...refusal, headers: refusal.status === 401 ? { 'www-authenticate': 'Bearer' } : {} });
    }
    engine ??= createEngine(parts);
    const { router, decoder, handlers } = await engine;
    const match = router.match(method, path, arrival.search);
    if (match.kind === 'none') return answerUnknown(path, match.nearest, options.prefix);
    if (match.kind === 'method') return answerMethod(request, match.allow);
    const call = await decoder.decode(match.operation, match.pathText, request);
    const mistakes = call.violations.filter(
      (violation) => violation.severity === 'error' && violation.in !== 'security',
    );
    if (mistakes.length > 0) return answerInvalid(mistakes);
    return handlers.answer(call, session ?? 'default');
  };

  return {
    owns: (path) => isBelow(stripSession(path)?.path ?? path, options.prefix),
    answer: async (request, arrival) => {
      const session = stripSession(arrival.path);
      let answer: Answer;
      try {
        answer = await answerGuarded(request, { ...arrival, path: session?.path ?? arrival.path }, session?.id);
      } catch (error) {
        answer = answerError(error);
      }
      const origin = request.headers.get('origin');
      const allowed = isListedOrigin(origin, options) && origin !== null ? corsHeaders(origin) : {};
      const headers = { 'cache-control': 'no-store', ...allowed, ...answer.headers };
      return encode({ ...answer, headers }, request.method, arrival.ResponseClass);
    },
  };
}

/** Loaded with the first request: most mocks are never asked. */
async function createEngine(parts: ControlledParts): Promise<Engine> {
  const { createControlHandlers } = await import('./handlers.js');
  const contract = await loadContract(fileURLToPath(CONTROL_SPEC));
  const validators = createValidators(contract);
  return {
    router: createRouter(contract.operations),
    decoder: createCallDecoder(contract, validators, { bodyLimitBytes: BODY_LIMIT, strict: true }),
    handlers: createControlHandlers(parts),
  };
}

function isBelow(path: string, prefix: string): boolean {
  return path.startsWith(prefix) && (path.length === prefix.length || path.charCodeAt(prefix.length) === 47); /* / */
}

const NOTHING: ReadonlySet<string> = new Set([]);

/** A client whose base URL is that of a session asks for the control API below it. */
function stripSession(path: string): ReturnType<typeof readPrefix> {
  return readPrefix(path, NOTHING);
}

function answerUnknown(path: string, nearest: readonly string[], prefix: string): Answer {
  const shown = path.length <= 200 ? path : `${path.slice(0, 200)}…`;
  return answerProblem({
    status: 404,
    code: 'CONTROL_UNKNOWN',
    message: `the control API has no path ${shown}`,
    hint:
      nearest.length === 0
        ? 'spec/control.openapi.yaml describes every operation'
        : `the nearest is ${prefix}${nearest[0] ?? ''}`,
  });
}

function answerMethod(request: Request, allow: readonly string[]): Answer {
  const allowed = { allow: allow.join(', ') };
  if (request.method !== 'OPTIONS') {
    const message = `${request.method} is not a method of this path; it has ${allowed.allow}`;
    return answerProblem({ status: 405, code: 'CONTROL_UNKNOWN', message, headers: allowed });
  }
  const headers = { ...allowed, ...preflightHeaders(request.headers, allow) };
  return { status: 204, headers, body: undefined, mediaType: undefined, from: 'control', violations: [] };
}

/** Only for an origin that was allowed by name. */
function corsHeaders(origin: string): Readonly<Record<string, string>> {
  return { 'access-control-allow-origin': origin, 'access-control-expose-headers': 'x-mock-source', vary: 'Origin' };
}
