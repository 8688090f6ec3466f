import { MockError, requireOptions } from '../base/errors.js';
import { isObject, mergePatch } from '../base/json.js';
import type { BodyOf, Handler, Handlers, OperationNameOf, OperationOf, PartialOf, StatusOf } from './handlers.js';

/** Sets the answers of single operations in one line; `resetHandlers` removes them. */
export interface AnswerSetters<Types = unknown> {
  /**
   * Answers an operation with a status and a body, whose missing parts come from the contract.
   *
   * @param operation - An operation id, or `"GET /path"`.
   * @param partial - Without it, the contract's example for the status, or a generated value.
   * @throws MockError `HANDLER_INVALID` for an unknown operation; `OPTION_INVALID`.
   *
   * @example
   * ```ts
   * import { createMock } from 'vouch';
   *
   * const mock = await createMock({ spec: 'spec/openapi.yaml', fixtures: 'fixtures' });
   * mock.respond('downloadFile', 404, { error: { message: 'archived' } }, { times: 1 });
   * ```
   */
  respond<Name extends OperationNameOf<Types>, Status extends SetStatusOf<Types, Name>>(
    operation: Name,
    status: Status,
    partial?: SetBodyOf<Types, Name, Status>,
    options?: SetAnswerOptions,
  ): void;
  /**
   * Answers an operation with an error in the format that the contract declares.
   *
   * @param operation - An operation id, or `"GET /path"`.
   * @param status - From 400 to 599; default 500.
   * @throws MockError `HANDLER_INVALID` for an unknown operation; `OPTION_INVALID`.
   *
   * @example
   * ```ts
   * import { createMock } from 'vouch';
   *
   * const mock = await createMock({ spec: 'spec/openapi.yaml', fixtures: 'fixtures' });
   * mock.fail('downloadFile', 503);
   * const { status } = await mock.fetch('/v1/files/file-handbook/content', { headers: { authorization: 'Bearer k' } });
   * if (status !== 503) throw new Error(String(status));
   * ```
   */
  fail(operation: OperationNameOf<Types>, status?: number, options?: FailOptions): void;
}

/** Options of an answer that a test sets. */
export interface SetAnswerOptions {
  /** How many calls get the answer, before the mock answers again as without it; default all. */
  readonly times?: number;
  /** Headers of the response, by name in any case. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Options of an error that a test sets. */
export interface FailOptions extends SetAnswerOptions {
  /** The message of the error. */
  readonly message?: string;
  /** The code of the error; default: the one of the contract that fits the status. */
  readonly code?: string;
}

/** The statuses that an operation declares; every number without types. */
export type SetStatusOf<Types, Name> = [OperationOf<Types, Name>] extends [never]
  ? number
  : StatusOf<OperationOf<Types, Name>> & number;

/** The parts of a body that an operation declares for a status; any value without types. */
export type SetBodyOf<Types, Name, Status> = [OperationOf<Types, Name>] extends [never]
  ? unknown
  : PartialOf<BodyOf<OperationOf<Types, Name>, Status>>;

const SET_OPTIONS = ['times', 'headers'] as const satisfies readonly (keyof SetAnswerOptions)[];

/** Creates the setters over the function that adds handlers. */
export function createAnswerSetters(use: (handlers: Handlers) => void): AnswerSetters {
  return {
    respond: (operation, status, ...[partial, options = {}]) => {
      requireInteger('status', status, [200, 599]);
      requireOptions('respond', options, SET_OPTIONS);
      const { headers = {} } = options;
      const handler: Handler = ({ complete, error }) => {
        if (partial === undefined) return { status, headers };
        // An error has the type and the code of the contract's own errors instead of generated words.
        const draft = status >= 400 && isObject(partial) ? error(status, `the test answers ${status}`).body : undefined;
        return complete(draft === undefined ? partial : mergePatch(draft, partial), { status, headers });
      };
      use({ [operation]: limit(handler, options) });
    },
    fail: (operation, status = 500, options = {}) => {
      requireInteger('status', status, [400, 599]);
      requireOptions('fail', options, [...SET_OPTIONS, 'message', 'code']);
      const { message = `the test lets ${operation} fail`, code, headers = {} } = options;
      const handler: Handler = ({ error }) => {
        const answer = error(status, message, code === undefined ? {} : { code });
        return { ...answer, headers: { ...answer.headers, ...headers } };
      };
      use({ [operation]: limit(handler, options) });
    },
  };
}

function limit(handler: Handler, { times = Infinity }: SetAnswerOptions): Handler {
  if (times !== Infinity) requireInteger('times', times, [1, Number.MAX_SAFE_INTEGER]);
  let left = times;
  return (context) => {
    if (left === 0) return undefined;
    left -= 1;
    return handler(context);
  };
}

function requireInteger(name: string, value: number, [least, most]: readonly [number, number]): void {
  if (Number.isInteger(value) && value >= least && value <= most) return;
  throw new MockError('OPTION_INVALID', `"${name}" must be an integer from ${least} to ${most}, got ${String(value)}`);
}
