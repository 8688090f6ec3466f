import type { ExpectedRequest } from '../journal/expected-request.js';
import type { Interaction } from '../journal/interaction.js';
import type { ExpectedCall, ReceivedOptions } from '../journal/received.js';
import type { ConductOptions } from '../session/conduct.js';
import type { OperationNameOf, OperationOf, ParametersOf, RequestOf, TypedInteraction } from './handlers.js';

/** Checks of the calls that a session received, with typed operations where their types are known. */
export interface CallChecks<Types = unknown> {
  /**
   * Checks that calls of an operation were received, and returns them.
   *
   * @param operation - An operation id, or `"GET /path"`.
   * @param options - `times` is how many calls match, by default at least one; `with` is the expected request.
   * @throws MockError `EXPECTATION_FAILED` with the closest call and what differs; `OPERATION_UNKNOWN`.
   *
   * @example
   * ```ts
   * import { createMock } from 'vouch';
   *
   * const mock = await createMock({ spec: 'spec/openapi.yaml', fixtures: 'fixtures' });
   * await mock.fetch('/v1/files/file-handbook/content', { headers: { authorization: 'Bearer k' } });
   * mock.received('downloadFile', { times: 1, with: { headers: { Authorization: /^Bearer / } } });
   * ```
   */
  received<Name extends OperationNameOf<Types>>(
    operation: Name,
    options?: ReceivedOptionsOf<OperationOf<Types, Name>>,
  ): readonly TypedInteraction<OperationOf<Types, Name>>[];
  /**
   * Checks that calls were received in an order; other calls may be between them. Returns one call for each.
   *
   * @throws MockError `EXPECTATION_FAILED`; `OPERATION_UNKNOWN`.
   */
  receivedInOrder(calls: readonly ExpectedCallOf<Types>[]): readonly Interaction[];
  /**
   * Checks that these calls and no others were received, and returns all. An empty array expects no request at all.
   *
   * @throws MockError `EXPECTATION_FAILED`; `OPERATION_UNKNOWN`.
   */
  receivedOnly(calls: readonly ExpectedCallOf<Types>[]): readonly Interaction[];
  /**
   * Checks how the client behaved over several requests, such as whether it waited before a retry.
   *
   * @param options - The rules to check; default all.
   * @throws MockError `VERIFY_FAILED` with every finding; `OPERATION_UNKNOWN`.
   */
  checkConduct(options?: ConductOptionsOf<Types>): void;
}

/** The expected calls of one operation; see `ReceivedOptions`. */
export type ReceivedOptionsOf<Operation> = [Operation] extends [never]
  ? ReceivedOptions
  : Omit<ReceivedOptions, 'with'> & { readonly with?: ExpectedRequestOf<Operation> };

/** The expected request of one operation; see `ExpectedRequest`. */
export interface ExpectedRequestOf<Operation> extends Pick<ExpectedRequest, 'headers'> {
  /** The decoded body. */
  readonly body?: ExpectedValueOf<RequestOf<Operation>>;
  /** Decoded query parameters, by name. */
  readonly query?: ExpectedValueOf<ParametersOf<Operation, 'query'>>;
  /** Decoded path parameters, by name. */
  readonly path?: ExpectedValueOf<ParametersOf<Operation, 'path'>>;
}

/** A value, some members of an object, a regular expression for a string, or a function that accepts it. */
export type ExpectedValueOf<Value> =
  | ((value: Value) => boolean)
  | (unknown extends Value
      ? unknown
      : Value extends string
        ? Value | RegExp
        : Value extends readonly (infer Item)[]
          ? readonly ExpectedValueOf<Item>[]
          : Value extends Uint8Array
            ? Value | string
            : Value extends object
              ? { readonly [Name in keyof Value]?: ExpectedValueOf<Value[Name]> }
              : Value);

/** How a client should behave, with typed names of lists; see `ConductOptions`. */
export type ConductOptionsOf<Types> = Omit<ConductOptions, 'pages'> & {
  readonly pages?: boolean | readonly OperationNameOf<Types>[];
};

/** One of several expected calls: a name of an operation, or an object with `operation` and what is expected of it. */
export type ExpectedCallOf<Types> = unknown extends Types
  ? ExpectedCall
  : OperationNameOf<Types> | StepOf<Types, OperationNameOf<Types>>;

/** An expected call of one of the named operations. */
export type StepOf<Types, Name> =
  Name extends OperationNameOf<Types>
    ? { readonly operation: Name } & ReceivedOptionsOf<OperationOf<Types, Name>>
    : never;
