import type { Contract } from '../contract/contract.js';
import { isJsonType } from '../contract/media-type.js';
import { findResponse } from '../contract/operations/responses.js';
import { createRouter } from '../contract/router/router.js';
import { memoizeOf } from '../base/memoize.js';
import { isPromise } from '../base/platform.js';
import { readContentType } from '../http/header-fields.js';
import { type Call, createCallDecoder } from '../http/request/call.js';
import { EMPTY_STATUSES } from '../http/response/encode.js';
import { checkHeaderValues, createResponseCheck, toViolation } from '../http/response/response-check.js';
import { createValidators } from '../schema/validate.js';
import { listErrors, NO_VIOLATIONS, type Violation } from '../schema/violation.js';
import {
  type CheckedRequest,
  type CheckedResponse,
  findRequest,
  type ReadResponse,
  type RequestHead,
  readHead,
  readRequest,
  readResponse,
  refuseUnread,
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
   * A response that knows its request (of supertest, superagent or axios) can be given alone. The bodies stay unread for their owner.
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
    validators,
    router: createRouter(contract.operations, contract.resolve),
    decoder: createCallDecoder(contract, validators, { bodyLimitBytes: BODY_LIMIT_BYTES }),
    check: createResponseCheck(validators),
  };
});

/** Creates the checks of a contract; its schemas are read when they are needed. */
export function createChecks(contract: Contract): ContractChecks {
  return {
    check: async (request, response) => {
      const pair = toPair(request, response);
      const { result, found } = await checkRequest(contract, pair.request);
      if (found === undefined) return result;
      const received = await checkResponse(contract, found, pair.response);
      return received.length === 0 ? result : { ...result, violations: [...result.violations, ...received] };
    },
    checkRequest: async (request) => (await checkRequest(contract, findOwn(request))).result,
    checkResponse: async (request, response) => {
      const pair = toPair(request, response);
      const head = readHead(pair.request);
      const match = matchRequest(contract, head);
      if ('result' in match) return match.result;
      const { operation } = match;
      const violations = await checkResponse(contract, { operation, method: head.method }, pair.response);
      return { operation: operation.id, violations, undeclared: [] };
    },
  };
}

/** The request and the response; a response alone knows its request. */
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
  const isMethod = match.kind === 'method';
  const nearest = isMethod ? [] : match.nearest();
  const message = isMethod
    ? `${path} does not support ${method}; it supports ${match.allow.join(', ')}`
    : `the contract has no path ${path}${nearest.length === 0 ? '' : `; the nearest ${nearest.length === 1 ? 'is' : 'are'} ${nearest.join(', ')}`}`;
  const code = isMethod ? 'METHOD_UNKNOWN' : 'PATH_UNKNOWN';
  const violation: Violation = {
    code,
    severity: 'error',
    in: isMethod ? 'method' : 'path',
    pointer: '',
    message,
    by: 'client',
  };
  return { result: { operation: undefined, violations: [violation], undeclared: [] } };
}

/** The operation of a request, which a HEAD may share with a GET. */
type Asked = Pick<Call, 'method' | 'operation'>;

interface CheckedOperation {
  readonly result: CheckResult;
  /** Undefined where no operation fits the request. */
  readonly found?: Asked;
}

/** A promise only where a body has to be read: each one costs a turn. */
function checkRequest(contract: Contract, given: CheckedRequest): CheckedOperation | Promise<CheckedOperation> {
  const request = readRequest(given);
  const match = matchRequest(contract, request);
  if ('result' in match) return match;
  const { operation, pathText, isFormOfGet } = match;
  const { target, headers, body } = request;
  const call = readParts(contract).decoder.decode({
    operation,
    pathText,
    isFormOfGet,
    request: request.request,
    target: { url: target.url, search: target.search, headers },
    body,
  });
  return isPromise(call) ? call.then(toChecked) : toChecked(call);
}

function toChecked(call: Call): CheckedOperation {
  const { operation, violations } = call;
  if (violations.length === 0)
    return { result: { operation: operation.id, violations, undeclared: NO_VIOLATIONS }, found: call };
  const errors = listErrors(violations);
  const undeclared = violations.filter(({ severity, code }) => severity === 'note' && code.includes('UNDECLARED'));
  return { result: { operation: operation.id, violations: errors, undeclared }, found: call };
}

function checkResponse(
  contract: Contract,
  asked: Asked,
  given: CheckedResponse,
): readonly Violation[] | Promise<readonly Violation[]> {
  const response = readResponse(given);
  return isPromise(response)
    ? response.then((read) => judgeResponse(contract, asked, read))
    : judgeResponse(contract, asked, response);
}

function judgeResponse(contract: Contract, { operation, method }: Asked, response: ReadResponse): readonly Violation[] {
  const { validators, check } = readParts(contract);
  const { status, headers, text, value } = response;
  const type = readContentType(headers);
  const isEmpty = EMPTY_STATUSES.has(status) || method === 'HEAD';
  const isJson = !isEmpty && type !== undefined && isJsonType(type);
  if (isJson && response.isUnread === true) refuseUnread();
  const parsed = isJson && value === undefined && text !== undefined && text !== '' ? parse(text) : { body: value };
  const body = isJson ? parsed.body : undefined;
  const found = check(operation, { status, headers, body });
  const wrong = checkHeaderValues(operation, { status, headers }, validators);
  const violations = wrong.length === 0 ? found : [...found, ...wrong];
  if (parsed.mistake === undefined) return violations;
  const message = `the body of the ${status} is not ${type ?? 'JSON'}: ${parsed.mistake}`;
  const schemaPointer = findResponse(operation, status)?.pointer ?? operation.pointer;
  return [...violations, toViolation('BODY_MALFORMED', 'body', { message, schemaPointer })];
}

function parse(text: string): { readonly body?: unknown; readonly mistake?: string } {
  try {
    return { body: JSON.parse(text) as unknown };
  } catch (error) {
    // The message of V8 quotes the text.
    return { mistake: (error as Error).message.replace(/, .*is not valid JSON$/s, '') };
  }
}
