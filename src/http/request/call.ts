import type { Contract } from '../../contract/contract.js';
import type { Operation } from '../../contract/operations/operation.js';
import { createShapes } from '../../schema/shape.js';
import { createUndeclaredFinder } from '../../schema/undeclared.js';
import type { Validators } from '../../schema/validate.js';
import { NO_VIOLATIONS, toError, type Violation } from '../../schema/violation.js';
import { decodeRequestContent } from '../content-encoding.js';
import { readTarget } from '../target.js';
import { type BodyBytes, hasBody, isBodiless, readBody } from './body-bytes.js';
import { type BodyReader, createBodyReader, demandBody, NO_BODY, type ReadBody } from './body.js';
import { createCoerce } from './coerce.js';
import type { QueryProfile } from './parameter-plan.js';
import { createParametersReader, type ParametersReader, type ParameterValues } from './parameters.js';
import { type AcceptCredential, createSecurityReader, type SecurityReader } from './security.js';

/** One request matched to its operation and decoded. */
export interface Call {
  readonly operation: Operation;
  /** Upper case; `HEAD` for a HEAD that is answered by a GET operation. */
  readonly method: string;
  /** Path and query as they came. */
  readonly url: string;
  /** Values by parameter name, decoded and of the type their schema asks for; defaults are not filled in. */
  readonly path: Readonly<Record<string, unknown>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly header: Readonly<Record<string, unknown>>;
  readonly cookie: Readonly<Record<string, unknown>>;
  /** The decoded body; undefined where there was none. */
  readonly body: unknown;
  /** The body as it came; undefined where there was none. */
  readonly bytes: Uint8Array | undefined;
  /** The media type the body came in, lower case, without parameters. */
  readonly mediaType: string | undefined;
  /** Every request header, names in lower case. */
  readonly headers: Headers;
  /** The credential that was accepted, by scheme name. */
  readonly credentials: Readonly<Record<string, string>>;
  /** Departures of the client, errors first. */
  readonly violations: readonly Violation[];
}

/** How strictly and by which customs calls are read. */
export interface CallDecoderOptions {
  /** A larger body is refused with 413. */
  readonly bodyLimitBytes: number;
  /** Undeclared query parameters and body properties, and a missing Content-Type, refuse the call. */
  readonly strict?: boolean;
  /** How callers write lists and objects into the query; an operation's `x-mock: { query: … }` comes first. */
  readonly queryProfile?: QueryProfile;
  /** Which credentials are accepted; any that is well-formed where this is left out. */
  readonly credentials?: AcceptCredential;
}

/** Decodes and validates requests. */
export interface CallDecoder {
  /**
   * The call that a request is; every departure of the client is a violation in it, and nothing is thrown or rejected.
   *
   * @param pathText - The path parameters as they stand in the path, still percent-encoded.
   * @returns At once where there is no body to read, else a promise.
   */
  decode(operation: Operation, pathText: Readonly<Record<string, string>>, request: Request): Call | Promise<Call>;
  /** The same at once, for a request whose body has arrived. */
  decodeWhole(operation: Operation, pathText: Readonly<Record<string, string>>, arrived: ArrivedRequest): Call;
}

/** A request with its body. */
interface ArrivedRequest {
  readonly request: Request;
  readonly body: BodyBytes;
}

/** What is known of one operation before its first request. */
interface Plan {
  readonly readParameters: ParametersReader;
  readonly readSecurity: SecurityReader;
  readonly readBody: BodyReader;
}

/** What is asked of whom. */
interface Asked {
  readonly operation: Operation;
  readonly request: Request;
}

/** A call in the making. */
interface Draft {
  readonly operation: Operation;
  readonly request: Request;
  readonly url: string;
  readonly values: ParameterValues;
  readonly credentials: Readonly<Record<string, string>>;
  readonly violations: Violation[];
}

/** A decoder over a contract; what it needs of an operation is worked out with the first request to it. */
export function createCallDecoder(
  contract: Contract,
  validators: Validators,
  options: CallDecoderOptions,
): CallDecoder {
  const { strict = false, queryProfile, credentials, bodyLimitBytes } = options;
  const shapes = createShapes(contract);
  const coerce = createCoerce(shapes, validators);
  const findUndeclared = createUndeclaredFinder(contract, shapes, strict);
  const shared = { validators, shapes, coerce, strict, queryProfile, findUndeclared, at: contract.at };
  const keysInQuery = new Set(
    Object.values(contract.securitySchemes).flatMap((scheme) => (scheme.in === 'query' ? (scheme.key ?? []) : [])),
  );
  const plans = new WeakMap<Operation, Plan>();
  const planOf = (operation: Operation): Plan => {
    const known = plans.get(operation);
    if (known !== undefined) return known;
    const plan = {
      readParameters: createParametersReader(operation, { ...shared, keysInQuery }),
      readSecurity: createSecurityReader(operation, contract, credentials),
      readBody: createBodyReader(operation, shared),
    };
    plans.set(operation, plan);
    return plan;
  };

  const createDraft = (plan: Plan, pathText: Readonly<Record<string, string>>, from: Asked): Draft => {
    const { operation, request } = from;
    const { url, search } = readTarget(request.url);
    const violations: Violation[] = [];
    const source = { pathText, search: search.slice(1), headers: request.headers };
    const credentials = plan.readSecurity(source, violations);
    return { operation, request, url, credentials, values: plan.readParameters(source, violations), violations };
  };

  return {
    decode: (operation, pathText, request) => {
      const plan = planOf(operation);
      const draft = createDraft(plan, pathText, { operation, request });
      if (!hasBody(request)) return withoutBody(draft);
      return readBody(request, bodyLimitBytes).then((body) => withBody(draft, plan, { body, limit: bodyLimitBytes }));
    },
    decodeWhole: (operation, pathText, { request, body }) => {
      const plan = planOf(operation);
      const draft = createDraft(plan, pathText, { operation, request });
      if (body.kind === 'none' || isBodiless(request.method)) return withoutBody(draft);
      const size = body.kind === 'bytes' ? body.bytes.length : 0;
      const taken: BodyBytes = size > bodyLimitBytes ? { kind: 'large', size } : body;
      return withBody(draft, plan, { body: taken, limit: bodyLimitBytes });
    },
  };
}

function withoutBody(draft: Draft): Call {
  if (!isBodiless(draft.request.method)) demandBody(draft.operation, draft.violations);
  return finish(draft, undefined, NO_BODY);
}

function withBody(draft: Draft, plan: Plan, came: { readonly body: BodyBytes; readonly limit: number }): Call {
  const { body, limit } = came;
  const { operation, request, violations } = draft;
  if (body.kind === 'bytes') {
    const encoding = request.headers.get('content-encoding');
    const plain = encoding === null ? body : decodeRequestContent(body.bytes, encoding, limit);
    if ('mistake' in plain) {
      violations.push(toError(plain.mistake));
      return finish(draft, body.bytes, NO_BODY);
    }
    return finish(draft, body.bytes, plan.readBody(plain.bytes, request.headers.get('content-type'), violations));
  }
  if (body.kind === 'large') {
    const size = body.size === undefined ? 'more' : `${body.size} bytes`;
    const message = `the body has ${size}, and at most ${limit} bytes are taken`;
    violations.push(toError({ code: 'BODY_TOO_LARGE', in: 'body', message, status: 413 }));
  } else if (body.kind === 'incomplete') {
    const message = 'the body did not arrive whole: the client went away or sent less than it announced';
    violations.push(toError({ code: 'BODY_INCOMPLETE', in: 'body', message }));
  } else demandBody(operation, violations);
  return finish(draft, undefined, NO_BODY);
}

// Written out: spreading costs more than all the rest of a small call.
function finish(draft: Draft, bytes: Uint8Array | undefined, body: ReadBody): Call {
  const { operation, request, values } = draft;
  return {
    operation,
    method: request.method,
    url: draft.url,
    path: values.path,
    query: values.query,
    header: values.header,
    cookie: values.cookie,
    body: body.value,
    bytes,
    mediaType: body.mediaType,
    headers: request.headers,
    credentials: draft.credentials,
    violations: sortViolations(draft.violations),
  };
}

/** Errors first, each group in the order it was found. */
function sortViolations(violations: readonly Violation[]): readonly Violation[] {
  if (violations.length === 0) return NO_VIOLATIONS;
  const errors = violations.filter(({ severity }) => severity === 'error');
  if (errors.length === violations.length || errors.length === 0) return violations;
  return [...errors, ...violations.filter(({ severity }) => severity === 'note')];
}
