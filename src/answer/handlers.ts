import type { Clock } from '../base/clock.js';
import type { Answer } from '../http/answer.js';
import type { HandlerCall } from '../http/request/call.js';
import type { Interaction } from '../journal/interaction.js';
import type { InteractionPredicate, Journal, WaitOptions } from '../journal/journal.js';
import type { CallBounds } from '../journal/verify.js';
import type { State, StateOf } from '../session/state.js';
import type { SessionVerifyOptions } from '../session/conduct.js';

/** Functions that answer operations, by operation id or `"GET /path"`. */
export type Handlers = Readonly<Record<string, Handler>>;

/** A function that answers one operation. Its answer is checked against the contract. */
export type Handler = (context: HandlerContext) => HandlerResult | Promise<HandlerResult>;

/**
 * The result of a handler.
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
  /** The status, from 200 to 599. */
  readonly status: number;
  /**
   * A JSON value, a string or bytes. Without it, the contract's example for the status, an error or a generated value where JSON is declared;
   * else there is no body.
   */
  readonly body?: unknown;
}

/** The argument of a handler; members can be destructured: `({ call, json }) => json({ … })`. */
export interface HandlerContext {
  /** The decoded, valid request. */
  readonly call: HandlerCall;
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
  /** Response headers, by name in any case; default: none. */
  readonly headers?: Answer['headers'];
  /** Default: the JSON media type that the contract declares for the status. */
  readonly mediaType?: string;
}

/**
 * Types of operations by id or by path, as `vouch types` and openapi-typescript write them in `operations` and `paths`; both in one are
 * `operations & paths`. An operation is `{ parameters: { path, query, header, cookie }, requestBody: { content }, responses: { 200: { content } } }`.
 */
export type OperationTypes = object;

/** The ids of typed operations; members that start with a slash are paths. */
export type IdOf<Types> = Exclude<keyof Types, `/${string}`> & string;

/** The operations of one path by `"GET /path"`. */
export type RoutesOf<Types, Path extends keyof Types> = {
  [
    Method in Exclude<keyof Types[Path], 'parameters'> & string as [NonNullable<Types[Path][Method]>] extends [never]
      ? never
      : `${Uppercase<Method>} ${Path & string}`
  ]: NonNullable<Types[Path][Method]>;
};

/** `"GET /path"` of each operation of typed paths. */
export type RouteOf<Types> = {
  [Path in keyof Types & `/${string}`]: keyof RoutesOf<Types, Path>;
}[keyof Types & `/${string}`];

/** The operation with an id, or with a method and path. */
export type OperationOf<Types, Name> = Name extends keyof Types
  ? Types[Name]
  : Name extends `${string} ${infer Path}`
    ? Path extends keyof Types
      ? Name extends keyof RoutesOf<Types, Path>
        ? RoutesOf<Types, Path>[Name]
        : never
      : never
    : never;

/** Handlers whose calls and answers have the types of the contract, by operation id or `"GET /path"`. */
export type TypedHandlers<Types extends OperationTypes, Collections = unknown> = {
  readonly [Name in IdOf<Types> | RouteOf<Types>]?: TypedHandler<OperationOf<Types, Name>, StateOf<Collections>>;
};

/** A function that answers one operation with known types. */
export type TypedHandler<Operation, OwnState = State> = (
  context: TypedContext<Operation, OwnState>,
) => TypedResult<Operation> | Promise<TypedResult<Operation>>;

/** The option `handlers`: typed where `createMock` is given the types of the operations. */
export type HandlersOf<Types, Collections = unknown> = unknown extends Types
  ? Handlers
  : Types extends OperationTypes
    ? TypedHandlers<Types, Collections>
    : Handlers;

/**
 * A name of an operation: an id or `"GET /path"`. Of operations that are typed by id only, every `"GET /path"` is accepted; without types,
 * every string.
 */
export type OperationNameOf<Types> = unknown extends Types
  ? string
  : IdOf<Types> | ([RouteOf<Types>] extends [never] ? `${string} /${string}` : RouteOf<Types>);

/** The journal of a session; operation ids, and the requests of one operation, are typed where the types of operations are known. */
export type JournalOf<Types> = unknown extends Types ? Journal : TypedJournal<Types>;

/** A journal of typed operations; see `Journal`. */
export interface TypedJournal<Types> extends Omit<Journal, 'calls' | 'last' | 'waitFor'> {
  /** The interactions of one operation, oldest first. @throws MockError `OPERATION_UNKNOWN`. */
  calls<Id extends OperationNameOf<Types>>(operation: Id): readonly TypedInteraction<OperationOf<Types, Id>>[];
  /** The last interaction. */
  last(): Interaction | undefined;
  /** The last interaction of an operation. @throws MockError `OPERATION_UNKNOWN`. */
  last<Id extends OperationNameOf<Types>>(operation: Id): TypedInteraction<OperationOf<Types, Id>> | undefined;
  /** Resolves with the first interaction of an operation. @throws MockError `WAIT_TIMEOUT`; `OPERATION_UNKNOWN`. */
  waitFor<Id extends OperationNameOf<Types>>(
    operation: Id,
    options?: WaitOptions,
  ): Promise<TypedInteraction<OperationOf<Types, Id>>>;
  /** Resolves with the first interaction that a predicate selects. @throws MockError `WAIT_TIMEOUT`. */
  waitFor(predicate: InteractionPredicate, options?: WaitOptions): Promise<Interaction>;
}

/** An interaction of one operation; a request with violations may have other values than the contract declares. */
export type TypedInteraction<Operation> = [Operation] extends [never]
  ? Interaction
  : Omit<Interaction, 'request'> & {
      readonly request: Omit<Interaction['request'], 'path' | 'query' | 'body'> &
        Pick<TypedCall<Operation>, 'path' | 'query' | 'body'>;
    };

/** The checks of `verify`; operation ids are typed where the types of operations are known. */
export type VerifyOptionsOf<Types> = unknown extends Types ? SessionVerifyOptions : TypedVerifyOptions<Types>;

/** The checks of `verify`, with typed operation ids. */
export interface TypedVerifyOptions<Types> extends Omit<SessionVerifyOptions, 'calls'> {
  /** How often operations must have been called: exactly, or between two bounds. */
  readonly calls?: { readonly [Id in OperationNameOf<Types>]?: number | CallBounds };
}

/** The result of a handler of one operation; see `HandlerResult`. */
export type TypedResult<Operation> =
  | Answer
  | Response
  | SuccessOf<Operation>
  | ResponseOf<Operation, StatusOf<Operation>>
  | undefined
  | void;

/** The declared responses of one operation with these statuses, as plain data. */
export type ResponseOf<Operation, Status> = {
  [Key in DeclaredOf<Operation>]: Omit<HandlerResponse, 'status' | 'body'> & {
    readonly status: Extract<StatusesOf<Operation, Key>, Status>;
  } & BodyMember<AnswerOf<ResponsesOf<Operation>[Key]>>;
}[DeclaredOf<Operation>];

/** The member `body`; left out where the response has none. */
export type BodyMember<Body> = [Body] extends [undefined] ? { readonly body?: undefined } : { readonly body: Body };

/** A handler's context with the types of one operation. */
export interface TypedContext<Operation, OwnState = State> extends Omit<
  HandlerContext,
  'call' | 'state' | 'json' | 'complete'
> {
  readonly call: TypedCall<Operation>;
  /** The collections of the session. */
  readonly state: OwnState;
  json<Status extends StatusOf<Operation>>(
    body: BodyOf<Operation, Status>,
    details: AnswerDetails & { readonly status: Status },
  ): Answer;
  json(body: SuccessOf<Operation>, details?: Omit<AnswerDetails, 'status'>): Answer;
  complete<Status extends StatusOf<Operation>>(
    partial: PartialOf<BodyOf<Operation, Status>>,
    details: AnswerDetails & { readonly status: Status },
  ): Answer;
  complete(partial: PartialOf<SuccessOf<Operation>>, details?: Omit<AnswerDetails, 'status'>): Answer;
}

/** A JSON value from which members of objects are left out, at every level. */
export type PartialOf<Value> = Value extends Uint8Array | AsyncIterable<unknown>
  ? Value
  : Value extends readonly (infer Item)[]
    ? readonly PartialOf<Item>[]
    : Value extends object
      ? { readonly [Name in keyof Value]?: PartialOf<Value[Name]> }
      : Value;

/** A call with the types of one operation. */
export interface TypedCall<Operation> extends Omit<HandlerCall, 'path' | 'query' | 'header' | 'cookie' | 'body'> {
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
export function defineHandlers<Types extends OperationTypes, Collections = unknown>(
  handlers: TypedHandlers<Types, Collections>,
): Handlers & TypedHandlers<Types, Collections> {
  // The types only narrow what each handler receives: a call of its operation, decoded by the same contract.
  return handlers as unknown as Handlers & TypedHandlers<Types, Collections>;
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

/** The keys of the responses of one operation: a status, a range such as `4XX`, `default`. */
export type DeclaredOf<Operation> = [ResponsesOf<Operation>] extends [never] ? never : keyof ResponsesOf<Operation>;

/** A decimal digit. */
export type Digit = 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9;

/** The number that a string is. */
export type ToNumber<Text> = Text extends `${infer Value extends number}` ? Value : never;

/** The statuses of a range such as `4XX`. */
export type RangeOf<Key> = Key extends `${infer First extends 2 | 3 | 4 | 5}XX`
  ? ToNumber<`${First}${Digit}${Digit}`>
  : never;

/** The statuses that a key of the responses of one operation is for: a range has those that are not declared, `default` all others. */
export type StatusesOf<Operation, Key> = Key extends number
  ? Key
  : Key extends 'default'
    ? Exclude<RangeOf<'2XX' | '3XX' | '4XX' | '5XX'>, DeclaredOf<Operation> | RangeOf<DeclaredOf<Operation>>>
    : Exclude<RangeOf<Key>, DeclaredOf<Operation>>;

/** The statuses that one operation may answer. */
export type StatusOf<Operation> = StatusesOf<Operation, DeclaredOf<Operation>>;

/** The response body of one operation and status. */
export type BodyOf<Operation, Status> = {
  [Key in DeclaredOf<Operation>]: [Extract<StatusesOf<Operation, Key>, Status>] extends [never]
    ? never
    : AnswerOf<ResponsesOf<Operation>[Key]>;
}[DeclaredOf<Operation>];

/** The body of the success responses of one operation: of responses with a declared status, else of `2XX`, else of `default`. */
export type SuccessOf<Operation> = AnswerOf<
  ResponsesOf<Operation>[[Extract<DeclaredOf<Operation>, RangeOf<'2XX'>>] extends [never]
    ? DeclaredOf<Operation> & ('2XX' extends DeclaredOf<Operation> ? '2XX' : 'default')
    : Exclude<Extract<DeclaredOf<Operation>, RangeOf<'2XX'>>, 204 | 205>]
>;

/** The type of a body that is answered; one that is not JSON can also be bytes, or the items of a stream. */
export type AnswerOf<Holder> = Holder extends { content: infer Content }
  ? {
      [Type in keyof Content]:
        | Content[Type]
        | (Type extends `${string}json` ? never : Uint8Array | AsyncIterable<unknown>);
    }[keyof Content]
  : undefined;

/** The type of a body, of whatever media type. */
export type ContentOf<Holder> = Holder extends { content: infer Content } ? Content[keyof Content] : undefined;
