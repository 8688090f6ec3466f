import type { Contract } from '../contract/contract.js';
import { isJsonType } from '../contract/media-type.js';
import { createRouter } from '../contract/router/router.js';
import { memoizeOf } from '../base/memoize.js';
import { isPromise } from '../base/platform.js';
import { readContentType } from '../http/header-fields.js';
import { type Call, createCallDecoder } from '../http/request/call.js';
import { describeUnmatched } from '../http/request/unmatched.js';
import { EMPTY_STATUSES } from '../http/response/encode.js';
import { createWholeCheck } from '../http/response/response-check.js';
import { createValidators } from '../schema/validate.js';
import { listErrors, NO_VIOLATIONS, toError, type Violation } from '../schema/violation.js';
import {
  type CheckedRequest,
  type CheckedResponse,
  findRequest,
  type ReadRequest,
  type ReadResponse,
  type RequestHead,
  readHead,
  readRequest,
  readResponse,
  refuseUnread,
  toBodiless,
  withUrl,
} from './exchange.js';

/** What a check found. */
export interface CheckResult {
  /** The id of the operation; undefined where none fits the request. */
  readonly operation: string | undefined;
  /** What breaks the document; empty where nothing does. */
  readonly violations: readonly Violation[];
  /** What the document does not declare, and does not forbid. */
  readonly undeclared: readonly Violation[];
}

/** Checks real exchanges against a document. */
export interface ContractChecks {
  /**
   * Checks a request and its response.
   *
   * A response that has its request (of supertest, superagent or axios) can be given alone. The bodies stay unread for their owner.
   *
   * @throws MockError `OPTION_INVALID` for an object without a URL or a status, and for a body that was read already.
   */
  check(request: CheckedRequest, response?: CheckedResponse): Promise<CheckResult>;
  /** Checks a request alone. @throws MockError `OPTION_INVALID` for an object without a URL. */
  checkRequest(request: CheckedRequest): Promise<CheckResult>;
  /** Checks a response; its request only names the operation. @throws MockError as `check`. */
  checkResponse(request: CheckedRequest, response?: CheckedResponse): Promise<CheckResult>;
}

const BODY_LIMIT_BYTES = 64 * 1024 * 1024;

/** The parts that check the exchanges of a contract; made once for each. */
const readParts = memoizeOf((contract: Contract) => {
  const validators = createValidators(contract);
  return {
    router: createRouter(contract.operations, contract.resolve),
    decoder: createCallDecoder(contract, validators, { bodyLimitBytes: BODY_LIMIT_BYTES }),
    check: createWholeCheck(validators),
  };
});

/** An exchange whose response was checked. */
export interface CheckedExchange {
  /** The id of the operation; undefined where none fits the request. */
  readonly operation: string | undefined;
  /** What the decoder reads of the request. */
  readonly request: Pick<Call, 'body' | 'query' | 'url'> & { readonly headers: Readonly<Record<string, string>> };
  /** What the check reads of the response; the body where it is JSON. */
  readonly answer: { readonly status: number; readonly mediaType: string | undefined; readonly body: unknown };
}

/** One that no operation fits; nothing else of it is read. */
const UNMATCHED: CheckedExchange = {
  operation: undefined,
  request: { url: '', query: {}, headers: {}, body: undefined },
  answer: { status: 0, mediaType: undefined, body: undefined },
};

/**
 * Creates the checks of a contract; its schemas are read when they are needed.
 *
 * @param onExchange - Called with each exchange whose response is checked.
 */
export function createChecks(contract: Contract, onExchange?: (exchange: CheckedExchange) => void): ContractChecks {
  const tell = ({ operation, url, query, headers, body }: Call, answer: CheckedExchange['answer']): void => {
    onExchange?.({ operation: operation.id, request: { url, query, headers: headers.fields, body }, answer });
  };
  return {
    check: async (request, response) => {
      const pair = toPair(request, response);
      const { result, call } = await checkRequest(contract, readRequest(pair.request));
      if (call === undefined) {
        onExchange?.(UNMATCHED);
        return result;
      }
      const { violations, answer } = await checkResponse(contract, call, pair.response);
      tell(call, answer);
      return violations.length === 0 ? result : { ...result, violations: [...result.violations, ...violations] };
    },
    checkRequest: async (request) => (await checkRequest(contract, readRequest(findOwn(request)))).result,
    checkResponse: async (request, response) => {
      const pair = toPair(request, response);
      const head = readHead(pair.request);
      const match = matchRequest(contract, head);
      if ('result' in match) {
        onExchange?.(UNMATCHED);
        return match.result;
      }
      const { operation } = match;
      const { violations, answer } = await checkResponse(contract, { operation, method: head.method }, pair.response);
      // The parameters that the request sends are of no use otherwise.
      if (onExchange !== undefined) tell(await decode(contract, match, toBodiless(head)), answer);
      return { operation: operation.id, violations, undeclared: [] };
    },
  };
}

/** The request and the response; a response alone has its request. */
function toPair(
  request: CheckedRequest,
  response: CheckedResponse | undefined,
): { readonly request: CheckedRequest; readonly response: CheckedResponse } {
  if (response !== undefined) return { request: withUrl(request, response), response };
  return { request: findRequest(request) ?? request, response: request };
}

/** The request that a response of a client knows, or the request itself. */
function findOwn(request: CheckedRequest): CheckedRequest {
  return 'status' in request || 'statusCode' in request ? (findRequest(request) ?? request) : request;
}

type Matched = Extract<ReturnType<ReturnType<typeof readParts>['router']['match']>, { readonly kind: 'operation' }>;

function matchRequest(
  contract: Contract,
  { target: { path, search }, method, headers }: RequestHead,
): Matched | { readonly result: CheckResult } {
  const match = readParts(contract).router.match(method, path, search, headers.fields);
  if (match.kind === 'operation') return match;
  const violations = [toError(describeUnmatched({ match, request: { method }, path }))];
  return { result: { operation: undefined, violations, undeclared: [] } };
}

/** The operation of a request, which a HEAD may share with a GET. */
type Asked = Pick<Call, 'method' | 'operation'>;

interface JudgedRequest {
  readonly result: CheckResult;
  /** Undefined where no operation fits the request. */
  readonly call?: Call;
}

/** A promise only where a body has to be read: each one costs a turn. */
function checkRequest(contract: Contract, read: ReadRequest): JudgedRequest | Promise<JudgedRequest> {
  const match = matchRequest(contract, read);
  if ('result' in match) return match;
  const call = decode(contract, match, read);
  return isPromise(call) ? call.then(judgeRequest) : judgeRequest(call);
}

function decode(
  contract: Contract,
  { operation, pathText, isFormOfGet }: Matched,
  { request, target, headers, body }: ReadRequest,
): Call | Promise<Call> {
  const { url, search } = target;
  const { decoder } = readParts(contract);
  return decoder.decode({ operation, pathText, isFormOfGet, request, target: { url, search, headers }, body });
}

function judgeRequest(call: Call): JudgedRequest {
  const { operation, violations } = call;
  if (violations.length === 0)
    return { result: { operation: operation.id, violations, undeclared: NO_VIOLATIONS }, call };
  const errors = listErrors(violations);
  const undeclared = violations.filter(({ severity, code }) => severity === 'note' && code.includes('UNDECLARED'));
  return { result: { operation: operation.id, violations: errors, undeclared }, call };
}

interface JudgedResponse {
  readonly violations: readonly Violation[];
  readonly answer: CheckedExchange['answer'];
}

function checkResponse(
  contract: Contract,
  asked: Asked,
  given: CheckedResponse,
): JudgedResponse | Promise<JudgedResponse> {
  const response = readResponse(given);
  return isPromise(response)
    ? response.then((read) => judgeResponse(contract, asked, read))
    : judgeResponse(contract, asked, response);
}

function judgeResponse(contract: Contract, asked: Asked, response: ReadResponse): JudgedResponse {
  const { status, headers, isUnread } = response;
  const mediaType = readContentType(headers);
  const isEmpty = EMPTY_STATUSES.has(status) || asked.method === 'HEAD';
  if (isUnread === true && !isEmpty && isJsonType(mediaType ?? '')) refuseUnread();
  const { body, violations } = readParts(contract).check(asked, response);
  return { violations, answer: { status, mediaType, body } };
}
