import type { Hono } from 'hono';
import type { ServerResponse } from 'node:http';
import type { Chain } from '../answer/chain.js';
import type { ErrorAnswers } from '../answer/error-answers.js';
import { type Clock, toSocketClock } from '../clock.js';
import type { Contract } from '../contract/contract.js';
import type { Router } from '../contract/router/router.js';
import { type Answer, type Fault, isSilent } from '../http/answer.js';
import type { BodyBytes } from '../http/request/body-bytes.js';
import type { Call, CallDecoder } from '../http/request/call.js';
import type { Encoder, ResponseConstructor } from '../http/response/encode.js';
import {
  type Interaction,
  type ParsedHeaders,
  readHeaders,
  type RecordedRequest,
  recordRequest,
  type UnmatchedRequest,
} from '../journal/interaction.js';
import type { Session } from '../session/session.js';
import type { Sessions } from '../session/sessions.js';
import type { Control, ControlArrival } from './control/control.js';
import { allowOrigin } from './cors.js';
import { applyFault } from './faults/faults.js';
import { answerRefusedSession, answerUnmatched, toFailure, toUnanswered } from './unmatched.js';

/** What @hono/node-server hands over with a request that came by a socket. */
export interface SocketEnvironment {
  readonly incoming: ParsedHeaders;
  readonly outgoing: ServerResponse;
  /** The server's own Response class, cheaper to write than the platform's. */
  readonly ResponseClass: ResponseConstructor | undefined;
  /** The body, where it has arrived whole already; undefined where it has to be read from the request. */
  readonly body: BodyBytes | undefined;
  /** Whether other machines can reach the socket. */
  readonly exposed: boolean;
}

/** The parts one app is put together from. */
interface AppParts {
  readonly contract: Contract;
  readonly router: Router;
  readonly decoder: CallDecoder;
  readonly chain: Chain;
  readonly encode: Encoder;
  readonly errors: ErrorAnswers;
  readonly sessions: Sessions;
  /** Undefined where it is switched off. */
  readonly control: Control | undefined;
  /** Whether browsers of any origin may read the answers. */
  readonly cors: boolean;
  onInteraction(interaction: Interaction): void;
}

/** One way in for every request, whatever it came by. */
export type Fetch = (request: Request, environment?: SocketEnvironment) => Response | Promise<Response>;

interface Arrival {
  readonly request: Request;
  readonly environment: SocketEnvironment | undefined;
  readonly startedAt: number;
  readonly url: string;
  readonly path: string;
  readonly search: string;
}

/**
 * The app: every request goes down the same steps, and nothing goes back up.
 *
 * The contract's own requests do not pass Hono (docs/decisions/0006-past-hono.md).
 */
export function createApp(parts: AppParts): Fetch {
  const { router, decoder, sessions, errors } = parts;
  const controlled = parts.control && createControlled(parts.control);
  const readClock = createClockReader();
  const finish = createFinish(parts, readClock);

  const handle: Fetch = (request, environment) => {
    const arrival = readArrival(request, environment);
    if (controlled?.owns(arrival.path) === true) return controlled.fetch(request, environment);
    const choice = sessions.choose(request.headers, arrival.path);
    if (choice.session === undefined) {
      const answer = answerRefusedSession(errors, choice.refused);
      return finish(arrival, sessions.default, { answer, request: toUnmatched(arrival), trace: [] });
    }
    const { session, path } = choice;
    const match = router.match(request.method, path, arrival.search);
    if (match.kind !== 'operation') {
      const answer = answerUnmatched({ match, request, path, errors, cors: parts.cors });
      return finish(arrival, session, { answer, request: toUnmatched(arrival), trace: [] });
    }
    const body = environment?.body;
    const call =
      body === undefined
        ? decoder.decode(match.operation, match.pathText, request)
        : decoder.decodeWhole(match.operation, match.pathText, { request, body });
    return call instanceof Promise
      ? call.then((decoded) => answerCall(arrival, session, decoded))
      : answerCall(arrival, session, call);
  };

  const answerCall = (arrival: Arrival, session: Session, call: Call): Response | Promise<Response> => {
    const trace: string[] = [];
    const conclude = (answer: Answer | undefined): Response | Promise<Response> =>
      finish(arrival, session, { answer: answer ?? toUnanswered(errors, call.operation), request: call, call, trace });
    const failed = (error: unknown): Response | Promise<Response> => conclude(toFailure(errors, call.operation, error));
    // An answer that cannot be written, such as one with a header no message can have, throws when it is concluded.
    const settle = (answer: Answer | undefined): Response | Promise<Response> => {
      try {
        return conclude(answer);
      } catch (error) {
        return failed(error);
      }
    };
    try {
      const note = (line: string): void => void trace.push(line);
      const answer = parts.chain({ contract: parts.contract, call, session, clock: readClock(arrival, session), note });
      return answer instanceof Promise ? answer.then(settle, failed) : settle(answer);
    } catch (error) {
      return failed(error);
    }
  };

  return handle;
}

type Finish = (arrival: Arrival, session: Session, outcome: Outcome) => Response | Promise<Response>;

/** The last steps of every request: the answer is written, and remembered. */
function createFinish(parts: AppParts, readClock: ReadClock): Finish {
  return (arrival, session, outcome) => {
    const { request, environment } = arrival;
    const answer = parts.cors ? allowOrigin(outcome.answer, request.headers) : outcome.answer;
    const response =
      answer.fault === undefined
        ? parts.encode(answer, request.method, environment?.ResponseClass ?? Response)
        : writeFaulty(
            { ...answer, fault: answer.fault },
            { arrival, encode: parts.encode, clock: readClock(arrival, session) },
          );
    const entry = {
      session: session.id,
      at: session.clock.now(),
      elapsedMs: performance.now() - arrival.startedAt,
      operation: outcome.call?.operation.id,
      request: recordRequest(outcome.request, readRequestHeaders(arrival)),
      answer,
      violations: joinViolations(outcome.call, answer),
      trace: outcome.trace,
    };
    const interaction = session.journal.add(entry, measureBodies(outcome.call, answer));
    parts.onInteraction(interaction);
    return response;
  };
}

/** Bytes of the bodies an interaction holds on to; what was generated or comes from the store is small or shared. */
function measureBodies(call: Call | undefined, { body }: Answer): number {
  const answered = typeof body === 'string' ? body.length : body instanceof Uint8Array ? body.byteLength : 0;
  return (call?.bytes?.byteLength ?? 0) + answered;
}

type ReadClock = (arrival: Arrival, session: Session) => Clock;

/** What says which clock an answer waits by: whoever is on a socket meets real time. */
function createClockReader(): ReadClock {
  // One for each session's clock, so that a request makes none.
  const socketClocks = new WeakMap<Clock, Clock>();
  return ({ environment }, { clock }) => {
    if (environment?.outgoing === undefined) return clock;
    const known = socketClocks.get(clock);
    if (known !== undefined) return known;
    const made = toSocketClock(clock);
    socketClocks.set(clock, made);
    return made;
  };
}

/** An answer that goes wrong on the wire; it is not written at all where the fault strikes before. */
function writeFaulty(
  answer: Answer & { readonly fault: Fault },
  to: { readonly arrival: Arrival; readonly encode: Encoder; readonly clock: Clock },
): Promise<Response> {
  const { arrival, encode, clock } = to;
  const { request, environment } = arrival;
  const response = isSilent(answer.fault) ? undefined : encode(answer, request.method, Response);
  return applyFault({ fault: answer.fault, response, outgoing: environment?.outgoing, clock, signal: request.signal });
}

/** The control API behind Hono, for every method there is: `all` would leave out those that Hono has no name for. */
function createControlled(control: Control): { owns(path: string): boolean; fetch: Fetch } {
  let app: Promise<Hono<{ Bindings: SocketEnvironment | undefined }>> | undefined;
  // Imported with the first request: most mocks are never asked.
  const open = async (): NonNullable<typeof app> => {
    const { Hono } = await import('hono');
    return new Hono<{ Bindings: SocketEnvironment | undefined }>()
      .onError((error) => {
        throw error;
      })
      .notFound(({ req, env }) => control.answer(req.raw, toControl(readArrival(req.raw, env))));
  };
  return {
    owns: control.owns,
    fetch: async (request, environment) => {
      app ??= open();
      return (await app).fetch(request, environment);
    },
  };
}

interface Outcome {
  readonly answer: Answer;
  readonly request: Call | UnmatchedRequest;
  readonly call?: Call;
  readonly trace: readonly string[];
}

/** The parts of a URL as they came; `new URL` would cost more than the rest of the way. */
function readArrival(request: Request, environment: SocketEnvironment | undefined): Arrival {
  const full = request.url;
  const start = full.indexOf('/', full.indexOf('://') + 3);
  const fragment = full.indexOf('#');
  const url = start === -1 ? '/' : full.slice(start, fragment === -1 ? undefined : fragment);
  const query = url.indexOf('?');
  const path = query === -1 ? url : url.slice(0, query);
  const search = query === -1 ? '' : url.slice(query);
  return { request, environment, startedAt: performance.now(), url, path, search };
}

function toControl({ environment, path, search }: Arrival): ControlArrival {
  const ResponseClass = environment?.ResponseClass ?? Response;
  return { path, search, exposed: environment?.exposed ?? false, ResponseClass };
}

function readRequestHeaders({ request, environment }: Arrival): RecordedRequest['headers'] {
  return environment === undefined ? Object.fromEntries(request.headers) : readHeaders(environment.incoming);
}

function toUnmatched({ request, url }: Arrival): UnmatchedRequest {
  return { method: request.method, url, path: {}, query: {}, body: undefined };
}

function joinViolations(call: Call | undefined, answer: Answer): Interaction['violations'] {
  if (call === undefined) return answer.violations;
  if (answer.violations.length === 0) return call.violations;
  return call.violations.length === 0 ? answer.violations : [...call.violations, ...answer.violations];
}
