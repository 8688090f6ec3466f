import type { HonoRequest } from 'hono';
import { Readable } from 'node:stream';
import { type Chain, whenSettled } from '../../answer/chain.js';
import type { ErrorAnswers } from '../../answer/error-answers.js';
import type { Contract } from '../../contract/contract.js';
import type { Operation } from '../../contract/operations/operation.js';
import type { RouteMatch } from '../../contract/router/router.js';
import { MockError, toReason } from '../../base/errors.js';
import type { Answer } from '../../http/answer.js';
import type { BodyBytes } from '../../http/request/body-bytes.js';
import type { Call, CallDecoder, MatchedRequest } from '../../http/request/call.js';
import { toProblemResponse } from '../../http/response/problem.js';
import type { Session } from '../../session/session.js';
import type { ChosenSession, Sessions } from '../../session/sessions.js';
import type { Arrival } from '../arrival.js';
import { isPreflight } from '../cors.js';
import {
  createClockReader,
  createFinish,
  finishUnwritten,
  type Finish,
  type FinishParts,
  type NoMatch,
  type Outcome,
  type ReadClock,
  type Received,
  type Written,
} from './finish.js';
import { answerRefusedSession, answerUnmatched, answerUnreachable, toFailure, toUnanswered } from './unmatched.js';
import { describeUnmatched } from '../../http/request/unmatched.js';
import { toNote } from '../../schema/violation.js';
import { isPromise } from '../../base/platform.js';

/** The parts that requests are answered with. */
export interface PipelineParts extends FinishParts {
  readonly contract: Contract;
  readonly decoder: CallDecoder;
  readonly chain: Chain;
  readonly sessions: Sessions;
  /** Reads the body of a request to an operation that may be large; undefined for others. */
  readonly readBody: ((operation: Operation) => ReceiveBody | undefined) | undefined;
  /** Answers requests outside of the contract, with an upstream or recordings; undefined without recordings. */
  readonly undocumented?: UndocumentedParts | undefined;
}

/** The parts that requests outside of the contract are answered with. */
interface UndocumentedParts {
  /** The operation that they are calls of. */
  readonly operation: Operation;
  readonly chain: Chain;
  /** Whether the requests of a session are forwarded or replayed; if not, they are refused. */
  accepts(session: Session): boolean;
}

type OperationMatch = Extract<RouteMatch, { readonly kind: 'operation' }>;

/** The steps of every request: choose the session, decode, ask the answer sources, write, remember. */
interface Pipeline {
  /** Answers a request to an operation; synchronously where every step is. */
  answer(arrival: Arrival, match: OperationMatch): Written;
  /** The same for a request whose body middleware has read before. */
  answerRead(arrival: Arrival, match: OperationMatch, request: HonoRequest): Promise<Response>;
  /**
   * Answers a request to no operation: from the upstream or recordings, or with 404 and the nearest paths, 405 and the methods, or OPTIONS.
   *
   * @param read - The request, if middleware has read its body before.
   */
  refuse(arrival: Arrival, match: NoMatch, read?: HonoRequest): Written;
  /** Answers a request that something outside the pipeline failed on, such as middleware, with 500. */
  fail(arrival: Arrival, error: unknown): Written;
  /** Whether the request was answered with a fault, so that its rejection is on purpose. */
  isBroken(request: Request): boolean;
}

/** The pipeline of one mock. */
export function createPipeline(parts: PipelineParts): Pipeline {
  const { decoder, errors, sessions } = parts;
  const readClock = createClockReader(parts.shared);
  const broken = new WeakSet<Request>();

  const finish = createFinish(parts, readClock, (request) => void broken.add(request));

  const answerCall = createCallAnswerer(parts, { readClock, finish });
  const answerInSession: AnswerCall = (call, from) => from.session.run(() => answerCall(call, from));
  const inStore = createStoreSteps(parts);
  const { answerUnrouted, refuseSession, refuseIn } = createRefusals(parts, { readClock, finish });
  const answerIn = (received: Received, match: OperationMatch, body: BodyBytes | undefined): Written => {
    const { operation, pathText, repeatsSlash, isFormOfGet } = match;
    const { arrival } = received;
    const { request } = arrival;
    const readBody = parts.readBody && createBodyReader(parts.readBody(operation), arrival);
    const matched = { operation, pathText, repeatsSlash, isFormOfGet, request, target: arrival, body, readBody };
    const call = decoder.decode(matched);
    return whenSettled(call, answerInSession, received);
  };
  const answerWith = (arrival: Arrival, match: OperationMatch, body: BodyBytes | undefined): Written => {
    const session = sessions.choose(arrival.headers, arrival.sessionId);
    return session instanceof MockError ? refuseSession(arrival, session) : answerIn({ arrival, session }, match, body);
  };
  // Apart from `answerNow`, where a closure would cost every request.
  const answerInTurn = (turn: Promise<void>, arrival: Arrival, match: OperationMatch): Written =>
    turn.then(() => answerWith(arrival, match, arrival.environment?.body));

  const answerNow: Pipeline['answer'] = (arrival, match) => {
    const body = arrival.environment?.body;
    // A body that is read later gets its turn after it.
    const turn = body === undefined ? undefined : decoder.turns.begin(arrival.startedAt);
    return turn === undefined ? answerWith(arrival, match, body) : answerInTurn(turn, arrival, match);
  };
  const refuse: Pipeline['refuse'] = (arrival, match, read) =>
    refuseIn(sessions.choose(arrival.headers, arrival.sessionId), { arrival, match, read });

  return {
    answer:
      parts.shared === undefined ? answerNow : (arrival, match) => inStore(arrival, () => answerNow(arrival, match)),
    answerRead: async (arrival, match, request) => {
      const bytes = new Uint8Array(await request.arrayBuffer());
      return inStore(arrival, () => answerWith(arrival, match, { kind: 'bytes', bytes }));
    },
    refuse: (arrival, match, read) => inStore(arrival, () => refuse(arrival, match, read)),
    fail: (arrival, error) =>
      answerFailure(errors, error, (unrouted) => answerUnrouted(arrival, sessions.default, unrouted)),
    isBroken: (request) => broken.has(request),
  };
}

/** The answer to a request that something outside of the pipeline failed on. */
function answerFailure(errors: ErrorAnswers, error: unknown, answerUnrouted: (unrouted: Unrouted) => Written): Written {
  try {
    const why = `mock: it failed outside of the answer sources: ${toReason(error)}`;
    return answerUnrouted({ answer: toFailure(errors, undefined, error), why });
  } catch {
    // Not even an error in the form of the contract can be written.
    return toProblemResponse({ status: 500, detail: `the mock failed: ${toReason(error)}` });
  }
}

type AnswerCall = (call: Call, from: Received) => Written;

/** Runs what answers a request between reading what other processes have written and writing what was changed here. */
function createStoreSteps(parts: PipelineParts): (arrival: Arrival, answer: () => Written) => Written {
  const { shared, sessions, errors } = parts;
  if (shared === undefined) return (_arrival, answer) => answer();
  return async (arrival, answer) => {
    try {
      await shared.arrive(() => sessions.readId(arrival.headers, arrival.sessionId));
      const response = await answer();
      await shared.settle();
      return response;
    } catch (error) {
      if (!(error instanceof MockError) || error.code !== 'STORE_UNREACHABLE') throw error;
      const outcome = toOutcome(arrival, sessions.default, `store: ${error.reason}`);
      return finishUnwritten(parts, outcome, answerUnreachable(errors, error));
    }
  };
}

/** The answers to requests that reach no operation, or that have no session. */
function createRefusals(parts: PipelineParts, steps: CallSteps) {
  const { errors, sessions } = parts;
  const answerUndocumented = createUndocumentedAnswerer(parts, steps);
  const answerUnrouted = (arrival: Arrival, session: Session, { answer, why }: Unrouted): Written =>
    steps.finish(toOutcome(arrival, session, why), answer);
  const refuseIn = (session: ChosenSession, { arrival, match, read }: Unmatched): Written => {
    if (session instanceof MockError) return refuseSession(arrival, session);
    const { request, path } = arrival;
    const accepts = answerUndocumented !== undefined && parts.undocumented?.accepts(session) === true;
    const isOwn = parts.cors !== undefined && isPreflight(request);
    if (accepts && !isOwn) return answerUndocumented({ arrival, session, match }, read);
    const answer = answerUnmatched({ match, request, path, errors, cors: parts.cors });
    const why = answer.violations[0]?.message ?? 'OPTIONS is answered with the methods of the path';
    return answerUnrouted(arrival, session, { answer, why: `router: ${why}` });
  };
  const refuseSession = (arrival: Arrival, refused: MockError): Written => {
    const answer = answerRefusedSession(errors, refused);
    return answerUnrouted(arrival, sessions.default, { answer, why: `session: ${refused.reason}` });
  };

  return { answerUnrouted, refuseSession, refuseIn };
}

/** The facts about a request that is not decoded. */
function toOutcome(arrival: Arrival, session: Session, why: string): Outcome {
  const { method, url } = arrival;
  return { arrival, session, request: { method, url, path: {}, query: {}, body: undefined }, trace: [why] };
}

interface Unmatched {
  readonly arrival: Arrival;
  readonly match: NoMatch;
  readonly read: HonoRequest | undefined;
}

/** The answer to a request that reaches no answer source, with the line of its trace. */
interface Unrouted {
  readonly answer: Answer;
  readonly why: string;
}

/** The middle of every request: the sources are asked, and what they throw becomes a 500. */
function createCallAnswerer(
  { contract, chain, errors }: Pick<PipelineParts, 'contract' | 'chain' | 'errors'>,
  { readClock, finish, answerRest = (call): Answer => toUnanswered(errors, call.operation) }: CallSteps,
): (call: Call, from: Received) => Written {
  const failCall = (outcome: Outcome, call: Call, error: unknown): Written =>
    finish(
      { ...outcome, trace: [...outcome.trace, `mock: failed: ${toReason(error)}`] },
      toFailure(errors, call.operation, error),
    );

  /** An answer that cannot be written, such as one with a header that no message can have, throws when it is written. */
  const conclude = (outcome: Outcome, call: Call, answer: Answer | undefined): Written => {
    try {
      return finish(outcome, answer ?? answerRest(call, outcome));
    } catch (error) {
      return failCall(outcome, call, error);
    }
  };

  return (call, { arrival, session, match }) => {
    const trace: string[] = [];
    const outcome: Outcome = { arrival, session, match, request: call, call, trace };
    try {
      const note = (line: string): void => void trace.push(line);
      const clock = readClock(arrival, session);
      const answer = chain({ contract, call, session, request: arrival.request, clock, note });
      if (!isPromise(answer)) return conclude(outcome, call, answer);
      return answer.then(
        (settled) => conclude(outcome, call, settled),
        (error: unknown) => failCall(outcome, call, error),
      );
    } catch (error) {
      return failCall(outcome, call, error);
    }
  };
}

/** The steps around the sources. */
interface CallSteps {
  readonly readClock: ReadClock;
  readonly finish: Finish;
  /** The answer if no source has one. */
  answerRest?(call: Call, from: Received): Answer;
}

/** Answers requests outside of the contract like calls of an operation that declares nothing. */
function createUndocumentedAnswerer(
  parts: PipelineParts,
  steps: CallSteps,
): ((received: Received, read: HonoRequest | undefined) => Written) | undefined {
  const { undocumented, decoder, contract, errors, cors } = parts;
  if (undocumented === undefined) return undefined;
  const { operation, chain } = undocumented;
  const describe = ({ arrival: { request, path }, match = NO_PATH }: Received) => ({ match, request, path });
  const answerCall = createCallAnswerer(
    { contract, chain, errors },
    { ...steps, answerRest: (_call, received) => answerUnmatched({ ...describe(received), errors, cors }) },
  );
  const answerDecoded = (decoded: Call, received: Received): Written => {
    const isKnown = contract.operations.length > 0;
    const broken = decoded.violations.filter(({ code }) => code === 'BODY_TOO_LARGE' || code === 'BODY_INCOMPLETE');
    const violations = [...broken, ...(isKnown ? [toNote(describeUnmatched(describe(received)))] : [])];
    return answerCall({ ...decoded, violations }, received);
  };
  const answer = (received: Received, body: BodyBytes | undefined): Written => {
    const { arrival } = received;
    const readBody = parts.readBody && createBodyReader(parts.readBody(operation), arrival);
    const { request } = arrival;
    const call = decoder.decode({ operation, pathText: {}, request, target: arrival, body, readBody });
    return whenSettled(call, answerDecoded, received);
  };
  return (received, read) => {
    if (read === undefined) return answer(received, received.arrival.environment?.body);
    return read.arrayBuffer().then((bytes) => answer(received, { kind: 'bytes', bytes: new Uint8Array(bytes) }));
  };
}

const NO_PATH: NoMatch = { kind: 'none', nearest: () => [] };

type ReceiveBody = (body: AsyncIterable<Uint8Array>) => Promise<BodyBytes>;

/** Reads from the socket where there is one: a web stream of a large body costs several times as much. */
function createBodyReader(
  receive: ReceiveBody | undefined,
  { request, environment }: Arrival,
): MatchedRequest['readBody'] {
  if (receive === undefined) return undefined;
  const incoming: unknown = environment?.incoming;
  return () => receive(incoming instanceof Readable ? incoming : (request.body ?? Readable.from([])));
}
