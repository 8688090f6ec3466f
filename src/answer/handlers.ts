import type { Clock } from '../clock.js';
import type { Answer } from '../http/answer.js';
import type { Call } from '../http/request/call.js';
import type { State } from '../session/handle.js';

/**
 * Code of the user's own that answers operations, by operation id or `"GET /path"`.
 *
 * What a handler answers is checked against the contract like everything else; undefined leaves the call to the sources below.
 */
export type Handlers = Readonly<Record<string, Handler>>;

/** Answers one operation. */
export type Handler = (context: HandlerContext) => HandlerResult | Promise<HandlerResult>;

/** What a handler gives back. */
export type HandlerResult = Answer | Response | undefined | void;

/** What a handler is given. Everything can be taken apart: `({ call, json }) => json({ … })`. */
export interface HandlerContext {
  /** The request, decoded and found valid. */
  readonly call: Call;
  /** The id of the session the request belongs to. */
  readonly session: string;
  /** The collections of that session, to be read and written. */
  readonly state: State;
  readonly clock: Clock;
  readonly seed: number;
  /** What the mock would answer without this handler. */
  next(): Promise<Answer | undefined>;
  /** An answer with this body; the status is the one of success unless said otherwise. */
  json(body: unknown, more?: AnswerMore): Answer;
  /** The same, with what is left out of the body made from the schema. */
  complete(partial: unknown, more?: AnswerMore): Answer;
  /** An answer without a body; 204 unless said otherwise. */
  empty(status?: number, headers?: Answer['headers']): Answer;
  /** An error in the contract's own shape. */
  error(status: number, message: string, more?: { readonly code?: string; readonly param?: string }): Answer;
  /** Adds a line to the trace of the answer. */
  note(line: string): void;
}

/** What an answer has beside its body. */
export interface AnswerMore {
  readonly status?: number;
  readonly headers?: Answer['headers'];
  /** Default: the JSON type that the contract declares for the status. */
  readonly mediaType?: string;
}

/**
 * Types of operations by id, in the form that openapi-typescript writes them as `operations`:
 * `{ parameters: { path, query, header, cookie }, requestBody: { content }, responses: { 200: { content } } }`.
 */
type OperationTypes = object;

/** Handlers whose calls and answers have the types of the contract. */
export type TypedHandlers<Operations extends OperationTypes> = {
  readonly [Id in keyof Operations]?: (context: TypedContext<Operations[Id]>) => HandlerResult | Promise<HandlerResult>;
};

/** A handler's context with the types of one operation. */
interface TypedContext<Operation> extends Omit<HandlerContext, 'call' | 'json'> {
  readonly call: TypedCall<Operation>;
  json<Status extends StatusOf<Operation>>(
    body: BodyOf<Operation, Status>,
    more: AnswerMore & { readonly status: Status },
  ): Answer;
  json(body: SuccessOf<Operation>, more?: Omit<AnswerMore, 'status'>): Answer;
}

/** A call with the types of one operation. */
interface TypedCall<Operation> extends Omit<Call, 'path' | 'query' | 'header' | 'cookie' | 'body'> {
  readonly path: ParametersOf<Operation, 'path'>;
  readonly query: ParametersOf<Operation, 'query'>;
  readonly header: ParametersOf<Operation, 'header'>;
  readonly cookie: ParametersOf<Operation, 'cookie'>;
  readonly body: RequestOf<Operation>;
}

/** Gives handlers the types of a contract, and changes nothing else. */
export function defineHandlers<Operations extends OperationTypes>(handlers: TypedHandlers<Operations>): Handlers {
  // The types only narrow what a handler is given anyway: a call of its operation, decoded by the same contract.
  return handlers as unknown as Handlers;
}

type ParametersOf<Operation, Place extends string> = Operation extends { parameters: infer Parameters }
  ? Place extends keyof Parameters
    ? Readonly<NonNullable<Parameters[Place]>>
    : Readonly<Record<string, never>>
  : Readonly<Record<string, unknown>>;

type RequestOf<Operation> = Operation extends { requestBody?: infer Request }
  ? [NonNullable<Request>] extends [never]
    ? undefined
    : ContentOf<NonNullable<Request>> | (undefined extends Request ? undefined : never)
  : unknown;

type ResponsesOf<Operation> = Operation extends { responses: infer Responses } ? Responses : never;

type StatusOf<Operation> = Extract<keyof ResponsesOf<Operation>, number>;

type BodyOf<Operation, Status> = Status extends keyof ResponsesOf<Operation>
  ? ContentOf<ResponsesOf<Operation>[Status]>
  : unknown;

type SuccessOf<Operation> = BodyOf<Operation, Extract<StatusOf<Operation>, 200 | 201 | 202 | 203 | 206>>;

type ContentOf<Holder> = Holder extends { content: infer Content } ? Content[keyof Content] : undefined;
