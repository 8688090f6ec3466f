import type { Clock } from '../clock.js';
import type { Answer } from '../http/answer.js';
import type { Call } from '../http/request/call.js';
import type { State } from '../session/state.js';

/** Functions that answer operations, by operation id or `"GET /path"`. */
export type Handlers = Readonly<Record<string, Handler>>;

/** A function that answers one operation. Its answer is checked against the contract. */
export type Handler = (context: HandlerContext) => HandlerResult | Promise<HandlerResult>;

/**
 * What a handler returns.
 *
 * - `undefined`: the next handler of the operation answers, or the mock does.
 * - A `Response`, or an answer of `json`, `complete`, `empty`, `error` or `next`: sent as it is.
 * - An object with a `status` from 200 to 599 and no members besides `status`, `headers`, `body` and `mediaType`: a response.
 * - Any other JSON value: the body of the success response. A body that looks like a response is returned as `json(body)`.
 */
export type HandlerResult =
  | Answer
  | Response
  | HandlerResponse
  | object
  | string
  | number
  | boolean
  | null
  | undefined
  | void;

/** A response as plain data. */
export interface HandlerResponse extends AnswerDetails {
  readonly status: number;
  /** A JSON value, a string or bytes; left out for a response without a body. */
  readonly body?: unknown;
}

/** What a handler receives; members can be destructured: `({ call, json }) => json({ … })`. */
export interface HandlerContext {
  /** The decoded, valid request. */
  readonly call: Call;
  /** Id of the session that the request belongs to. */
  readonly session: string;
  /** The collections of the session. */
  readonly state: State;
  /** The clock of the session. */
  readonly clock: Clock;
  /** The seed of the mock. */
  readonly seed: number;
  /** The answer without this handler. */
  next(): Promise<Answer | undefined>;
  /** An answer with a body; the default status is that of the success response. */
  json(body: unknown, details?: AnswerDetails): Answer;
  /** An answer whose missing properties are generated from the schema. */
  complete(partial: unknown, details?: AnswerDetails): Answer;
  /** An answer without a body; the default status is 204. */
  empty(status?: number, headers?: Answer['headers']): Answer;
  /** An error in the shape that the contract declares. */
  error(status: number, message: string, details?: { readonly code?: string; readonly param?: string }): Answer;
  /** Adds a line to the trace of the interaction. */
  note(line: string): void;
}

/** An answer without its body. */
export interface AnswerDetails {
  /** Default: the status of the success response. */
  readonly status?: number;
  /** Response headers. */
  readonly headers?: Answer['headers'];
  /** Default: the JSON media type that the contract declares for the status. */
  readonly mediaType?: string;
}

/**
 * Types of operations by id, as openapi-typescript writes them in `operations`:
 * `{ parameters: { path, query, header, cookie }, requestBody: { content }, responses: { 200: { content } } }`.
 */
export type OperationTypes = object;

/** Handlers whose calls and answers have the types of the contract. */
export type TypedHandlers<Operations extends OperationTypes> = {
  readonly [Id in keyof Operations]?: (
    context: TypedContext<Operations[Id]>,
  ) => TypedResult<Operations[Id]> | Promise<TypedResult<Operations[Id]>>;
};

/** The option `handlers`: typed where `createMock` is given the types of the operations. */
export type HandlersOf<Operations> = Operations extends OperationTypes ? TypedHandlers<Operations> : Handlers;

/** What a handler of one operation returns; see `HandlerResult`. */
export type TypedResult<Operation> =
  | Answer
  | Response
  | SuccessOf<Operation>
  | ResponseOf<Operation, StatusOf<Operation>>
  | undefined
  | void;

/** A declared response of one operation as plain data. */
export type ResponseOf<Operation, Status> =
  Status extends StatusOf<Operation>
    ? Omit<HandlerResponse, 'status' | 'body'> & { readonly status: Status } & BodyMember<BodyOf<Operation, Status>>
    : never;

/** The member `body`; left out where the response has none. */
export type BodyMember<Body> = [Body] extends [undefined] ? { readonly body?: undefined } : { readonly body: Body };

/** A handler's context with the types of one operation. */
export interface TypedContext<Operation> extends Omit<HandlerContext, 'call' | 'json'> {
  readonly call: TypedCall<Operation>;
  json<Status extends StatusOf<Operation>>(
    body: BodyOf<Operation, Status>,
    details: AnswerDetails & { readonly status: Status },
  ): Answer;
  json(body: SuccessOf<Operation>, details?: Omit<AnswerDetails, 'status'>): Answer;
}

/** A call with the types of one operation. */
export interface TypedCall<Operation> extends Omit<Call, 'path' | 'query' | 'header' | 'cookie' | 'body'> {
  readonly path: ParametersOf<Operation, 'path'>;
  readonly query: ParametersOf<Operation, 'query'>;
  readonly header: ParametersOf<Operation, 'header'>;
  readonly cookie: ParametersOf<Operation, 'cookie'>;
  readonly body: RequestOf<Operation>;
}

/**
 * Gives handlers the types of a contract.
 *
 * @example
 * ```ts
 * import { createMock, defineHandlers } from 'vouch';
 *
 * interface operations {
 *   downloadFile: {
 *     parameters: { path: { file: string } };
 *     responses: { 200: { content: { 'text/plain': string } } };
 *   };
 * }
 * const handlers = defineHandlers<operations>({ downloadFile: () => 'The content.' });
 * const mock = await createMock({ spec: 'spec/openapi.yaml', handlers });
 * const response = await mock.fetch('/v1/files/file-1/content', { headers: { authorization: 'Bearer k' } });
 * if (!response.ok) throw new Error(`answered ${response.status}`);
 * ```
 */
export function defineHandlers<Operations extends OperationTypes>(handlers: TypedHandlers<Operations>): Handlers {
  // The types only narrow what each handler receives: a call of its operation, decoded by the same contract.
  return handlers as unknown as Handlers;
}

/** Parameters of one operation in one place. */
export type ParametersOf<Operation, Place extends string> = Operation extends { parameters: infer Parameters }
  ? Place extends keyof Parameters
    ? Readonly<NonNullable<Parameters[Place]>>
    : Readonly<Record<string, never>>
  : Readonly<Record<string, unknown>>;

/** The request body of one operation. */
export type RequestOf<Operation> = Operation extends { requestBody?: infer Request }
  ? [NonNullable<Request>] extends [never]
    ? undefined
    : ContentOf<NonNullable<Request>> | (undefined extends Request ? undefined : never)
  : unknown;

/** The responses of one operation by status. */
export type ResponsesOf<Operation> = Operation extends { responses: infer Responses } ? Responses : never;

/** The declared statuses of one operation. */
export type StatusOf<Operation> = Extract<keyof ResponsesOf<Operation>, number>;

/** The response body of one operation and status. */
export type BodyOf<Operation, Status> = Status extends keyof ResponsesOf<Operation>
  ? ContentOf<ResponsesOf<Operation>[Status]>
  : unknown;

/** The body of the success responses of one operation. */
export type SuccessOf<Operation> = BodyOf<Operation, Extract<StatusOf<Operation>, 200 | 201 | 202 | 203 | 206>>;

/** The type of a body, of whatever media type. */
export type ContentOf<Holder> = Holder extends { content: infer Content } ? Content[keyof Content] : undefined;
