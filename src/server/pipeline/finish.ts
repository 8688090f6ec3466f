import type { ErrorAnswers } from '../../answer/error-answers.js';
import { type Clock, toSocketClock } from '../../base/clock.js';
import type { RouteMatch } from '../../contract/router/router.js';
import { toReason } from '../../base/errors.js';
import { type Answer, isSilent, writeSource } from '../../http/answer.js';
import type { ReceivedFile } from '../../http/request/body-bytes.js';
import type { Call } from '../../http/request/call.js';
import { NO_HEADERS } from '../../http/request-headers.js';
import type { Encoder } from '../../http/response/encode.js';
import {
  type Interaction,
  measureHeaders,
  measureInteraction,
  recordRequest,
  type UnmatchedRequest,
} from '../../journal/interaction.js';
import type { NewInteraction } from '../../journal/journal.js';
import type { Session } from '../../session/session.js';
import type { SharedState } from '../../session/shared.js';
import { host, readMonotonic } from '../../base/platform.js';
import type { Arrival } from '../arrival.js';
import type { Cors } from '../cors.js';
import { applyFault } from '../faults.js';
import { toFailure } from './unmatched.js';

/** The parts that finish a request. */
export interface FinishParts {
  readonly encode: Encoder;
  readonly errors: ErrorAnswers;
  /** Removes the file of a large body when its request has been answered. */
  readonly releaseFile: ((file: ReceivedFile) => unknown) | undefined;
  /** Which pages of other origins may read the answers; undefined for none. */
  readonly cors: Cors | undefined;
  /** State that several processes share; undefined where this process is the only one. */
  readonly shared: SharedState | undefined;
  onInteraction(interaction: Interaction): void;
}

/** Why no operation answers a request. */
export type NoMatch = Exclude<RouteMatch, { readonly kind: 'operation' }>;

/** A response, or the promise of one where something is asynchronous. */
export type Written = Response | Promise<Response>;

/** A request with its session. */
export interface Received {
  readonly arrival: Arrival;
  readonly session: Session;
  /** The result of the router for a request outside of the contract. */
  readonly match?: NoMatch | undefined;
}

/** The facts about a request when it is answered. */
export interface Outcome extends Received {
  readonly request: Call | UnmatchedRequest;
  readonly call?: Call;
  readonly trace: readonly string[];
}

/** Ends a request with its answer. */
export type Finish = (outcome: Outcome, answer: Answer) => Written;

/** The last steps of every request: the answer is written and added to the journal. @param onFault - Told before a fault. */
export function createFinish(parts: FinishParts, readClock: ReadClock, onFault: (request: Request) => void): Finish {
  let lastHeaders = NO_HEADERS;
  return (outcome, given) => {
    const { arrival, session } = outcome;
    const { request, headers } = arrival;
    const answer = parts.cors === undefined ? given : parts.cors.allow(given, headers);
    if (answer.fault !== undefined) onFault(request);
    // A fault cannot be repeated: it comes when the request's changes are written.
    const isLate = answer.fault !== undefined && session.shared !== undefined;
    const response = isLate ? undefined : writeAnswer(parts, outcome, { answer, readClock });
    // Headers that are shared with the request before take no more memory.
    const headerBytes = headers === lastHeaders ? 0 : measureHeaders(headers.fields);
    lastHeaders = headers;
    const entry = toInteraction(outcome, answer);
    if (outcome.call?.file !== undefined) parts.releaseFile?.(outcome.call.file);
    const size = headerBytes + measureInteraction(entry, outcome.call?.bytes);
    if (session.shared !== undefined) {
      const finished = session.shared.remember(entry, size).then((added) => report(parts, outcome, added));
      // Told when the request's changes are written: until then it can be answered again.
      return finished.then((failed) => failed ?? response ?? writeAnswer(parts, outcome, { answer, readClock }));
    }
    // Written already: only those in a shared session can be late.
    return report(parts, outcome, session.journal.add(entry, size)) ?? (response as Written);
  };
}

/** The answer to a request whose store cannot be reached: no journal has it, but the user is notified. */
export function finishUnwritten(parts: FinishParts, outcome: Outcome, answer: Answer): Written {
  const response = parts.encode(answer, outcome.arrival.request.method, outcome.arrival.environment);
  return report(parts, outcome, toInteraction(outcome, answer)) ?? response;
}

function toInteraction(outcome: Outcome, answer: Answer): NewInteraction {
  const { arrival, session } = outcome;
  return {
    number: 0,
    session: session.id,
    at: session.clock.now(),
    startedAt: arrival.startedAt,
    elapsedMs: readMonotonic() - arrival.startedAt,
    operation: outcome.match === undefined ? outcome.call?.operation.id : undefined,
    request: recordRequest(outcome.request, arrival.headers.fields),
    answer: toKept(answer),
    violations: joinViolations(outcome.call, answer),
    // Not a copy: a stream that fails later adds a line.
    trace: outcome.trace,
  };
}

/** An answer as the journal keeps it: without what is needed only until it is written, which would stay in memory with it. */
function toKept(answer: Answer): Answer {
  const { status, headers, body, mediaType, violations } = answer;
  const from = writeSource(answer);
  if (answer.fault !== undefined || answer.violates !== undefined || answer.reason !== undefined)
    return { ...answer, from, detail: undefined };
  return { status, headers, body, mediaType, from, violations };
}

/** The response of an answer, with its fault. */
function writeAnswer(
  { encode }: FinishParts,
  { arrival: { request, environment }, arrival, session }: Outcome,
  { answer, readClock }: { readonly answer: Answer; readonly readClock: ReadClock },
): Written {
  const { fault } = answer;
  if (fault === undefined) return encode(answer, request.method, environment);
  return applyFault({
    fault,
    // Nothing is written if the fault comes before the status line.
    response: isSilent(fault) ? new host.Response() : encode(answer, request.method, undefined),
    outgoing: environment?.outgoing,
    clock: readClock(arrival, session),
    signal: request.signal,
  });
}

/** Tells the user of an interaction. @returns the response instead, where that throws. */
function report(parts: FinishParts, outcome: Outcome, interaction: Interaction): Written | undefined {
  try {
    parts.onInteraction(interaction);
    return undefined;
  } catch (error) {
    return answerListenerFailure(parts, outcome, error);
  }
}

/** The answer instead of one whose `onInteraction` threw. */
function answerListenerFailure({ errors, encode }: FinishParts, { call, arrival }: Outcome, error: unknown): Response {
  const cause = new Error(`the option "onInteraction" threw: ${toReason(error)}`);
  return encode(toFailure(errors, call?.operation, cause), arrival.request.method, arrival.environment);
}

/** Reads the clock that an answer waits by. */
export type ReadClock = (arrival: Arrival, session: Session) => Clock;

/** Reads the clock that an answer waits by: on a socket real time passes. */
export function createClockReader(shared: SharedState | undefined): ReadClock {
  // One for each session's clock, so that a request creates none.
  const socketClocks = new WeakMap<Clock, Clock>();
  return ({ environment }, { clock, shared: sharedSession }) => {
    if (environment === undefined) return clock;
    const known = socketClocks.get(clock);
    if (known !== undefined) return known;
    const own = shared === undefined ? toSocketClock(clock) : shared.toSocketClock(clock);
    const created = sharedSession === undefined ? own : sharedSession.toDelays(own);
    socketClocks.set(clock, created);
    return created;
  };
}

function joinViolations(call: Call | undefined, answer: Answer): Interaction['violations'] {
  if (call === undefined) return answer.violations;
  if (answer.violations.length === 0) return call.violations;
  return call.violations.length === 0 ? answer.violations : [...call.violations, ...answer.violations];
}
