import { hasExact, toDoubles } from '../../base/exact-json.js';
import type { Contract } from '../../contract/contract.js';
import { memoize } from '../../base/memoize.js';
import type { Operation } from '../../contract/operations/operation.js';
import { createSchemaReader } from '../../contract/schema-view/schema-view.js';
import { createShapes } from '../../contract/schema-view/shape.js';
import { createUndeclaredFinder } from '../../schema/undeclared.js';
import type { Validators } from '../../schema/validate.js';
import {
  type ClientReport,
  listErrors,
  NO_VIOLATIONS,
  toError,
  toStrictError,
  type Violation,
} from '../../schema/violation.js';
import { host, readMonotonic, setImmediate } from '../../base/platform.js';
import { decodeRequestContent } from '../content-encoding.js';
import { MAX_VALUE_BYTES } from '../json-size.js';
import { chooseAccept } from '../response/negotiate.js';
import { readTarget, type RequestTarget } from '../target.js';
import { type BodyBytes, hasBody, isBodiless, readBody, type ReceivedFile } from './body-bytes.js';
import { type BodyReader, createBodyReader, NO_BODY, type ReadBody } from './body.js';
import { createCoerce, createLenientCoerce } from './coerce.js';
import { createParametersReader, type ParameterValues, type QueryProfile } from './parameters.js';
import { RequestHeaders } from '../request-headers.js';
import { createVariantDecoder } from './variants.js';
import { type AcceptCredential, createSecurityReader, NO_CREDENTIALS } from './security.js';

/** A request, matched to its operation and decoded, as functions of the user get it. */
export interface HandlerCall {
  /** The operation that the request matches. */
  readonly operation: Operation;
  /** Upper case; `HEAD` for a HEAD that is answered by a GET operation. */
  readonly method: string;
  /** Path and query as received. */
  readonly url: string;
  /** Values by parameter name, decoded and converted to the type of the schema, without defaults. */
  readonly path: Readonly<Record<string, unknown>>;
  /** Like `path`. */
  readonly query: Readonly<Record<string, unknown>>;
  /** Like `path`; only the parameters that the operation declares. */
  readonly header: Readonly<Record<string, unknown>>;
  /** Like `path`; only the parameters that the operation declares. */
  readonly cookie: Readonly<Record<string, unknown>>;
  /** The decoded body; undefined without a body. */
  readonly body: unknown;
  /** The body as received; undefined without a body. */
  readonly bytes: Uint8Array | undefined;
  /** The body as received, if it was written to a file because of its size; it is neither decoded nor validated. */
  readonly file?: ReceivedFile | undefined;
  /** The media type of the body, lower case, without parameters. */
  readonly mediaType: string | undefined;
  /** The `Accept` header, or the one media type that another parameter of the request asks for: a stream, or not a stream. */
  readonly accept: string | null;
  /** All headers of the request. */
  readonly headers: Headers;
  /** Accepted credentials by scheme name. */
  readonly credentials: Readonly<Record<string, string>>;
  /** Violations of the client, errors first. */
  readonly violations: readonly Violation[];
}

/** A request, matched to its operation and decoded. */
export interface Call extends Omit<HandlerCall, 'headers'> {
  readonly headers: RequestHeaders;
}

/** A call for a function of the user: numbers are those of JavaScript. */
export function toHandlerCall(call: Call): HandlerCall {
  const toPlain = <Value>(value: Value): Value => (hasExact(value) ? (toDoubles(value) as Value) : value);
  const [path, query, body] = [toPlain(call.path), toPlain(call.query), toPlain(call.body)];
  return { ...call, path, query, body, headers: new host.Headers(call.headers.fields) };
}

/** Options for decoding calls. */
export interface CallDecoderOptions {
  /** A larger body gets a 413. */
  readonly bodyLimitBytes: number;
  /** Undeclared query parameters and body properties, and a missing Content-Type, refuse the call. */
  readonly strict?: boolean;
  /** How clients serialize arrays and objects in the query; `x-mock: { query: … }` of an operation overrides it. */
  readonly queryProfile?: QueryProfile;
  /** Which credentials are accepted; default every well-formed one. */
  readonly credentials?: AcceptCredential;
}

/** Decodes and validates requests. */
export interface CallDecoder {
  /** Limits the requests of one turn of the event loop; `decode` asks it itself where it reads the body. */
  readonly turns: TurnLimit;
  /**
   * Decodes a request; every mistake of the client is a violation of the call, nothing is thrown.
   *
   * @returns A promise only where a body has to be read.
   */
  decode(matched: MatchedRequest): Call | Promise<Call>;
}

/** A request and the operation that it matches. */
export interface MatchedRequest {
  readonly operation: Operation;
  /** The path parameters, still percent-encoded. */
  readonly pathText: Readonly<Record<string, string>>;
  /** Whether slashes were repeated before the path of the operation. */
  readonly repeatsSlash?: true | undefined;
  /** Whether the body is a form for an operation of GET; its fields are read as parameters of the query. */
  readonly isFormOfGet?: true | undefined;
  readonly request: Request;
  /** The request target and the headers, if they have already been parsed. */
  readonly target?: Pick<RequestTarget, 'url' | 'search'> & { readonly headers: RequestHeaders };
  /** The body, if it has already been read. */
  readonly body?: BodyBytes | undefined;
  /** Reads the body instead of the decoder. */
  readonly readBody?: (() => Promise<BodyBytes>) | undefined;
}

/** A call before its body is read; the readers of parameters and credentials take it as their source. */
interface CallDraft {
  readonly operation: Operation;
  readonly request: Request;
  readonly url: string;
  readonly pathText: Readonly<Record<string, string>>;
  readonly search: string;
  readonly headers: RequestHeaders;
  values: ParameterValues;
  credentials: Readonly<Record<string, string>>;
  /** Reads the credentials again with the body, where they may be in it. */
  readCredentials: ((body: unknown) => void) | undefined;
  readonly violations: Violation[];
  /** The limit of the body in bytes. */
  readonly limit: number;
  /** Whether the body is for an upstream too, which has its own limits. */
  readonly isPassedOn: boolean;
}

/** Creates the decoder of a contract; the readers of an operation are created with its first request. */
export function createCallDecoder(
  contract: Contract,
  validators: Validators,
  options: CallDecoderOptions,
): CallDecoder {
  const { strict = false, bodyLimitBytes } = options;
  const planOf = createPlans(contract, validators, options);
  const turns = createTurnLimit();
  return {
    turns,
    decode: createVariantDecoder(contract, (matched: MatchedRequest): Call | Promise<Call> => {
      const { operation, pathText, request, body } = matched;
      const plan = planOf(operation);
      const { url, search, headers } = matched.target ?? {
        ...readTarget(request.url),
        headers: RequestHeaders.of(request.headers),
      };
      const violations: Violation[] = [];
      if (matched.repeatsSlash === true) violations.push(toStrictError(REPEATED_SLASH, strict));
      const draft: CallDraft = {
        operation,
        request,
        url,
        pathText,
        search: search.slice(1),
        headers,
        credentials: NO_CREDENTIALS,
        readCredentials: undefined,
        values: NO_PARAMETERS,
        violations,
        limit: bodyLimitBytes,
        isPassedOn: matched.readBody !== undefined,
      };
      if (matched.isFormOfGet === true) {
        violations.push(toStrictError(FORM_OF_GET, strict));
        return decodeForm(draft, body, plan.readHead);
      }
      plan.readHead(draft);
      if (body === undefined) {
        if (!hasBody(request)) return withoutBody(draft, plan.readBody);
        const reading = matched.readBody?.() ?? readBody(request, bodyLimitBytes);
        return reading.then(async (read) => {
          await turns.begin(readMonotonic());
          return withBody(draft, plan.readBody, read);
        });
      }
      if (body.kind === 'none') return withoutBody(draft, plan.readBody);
      // It has no meaning for the mock, but an upstream may read it.
      if (isBodiless(request.method)) return finish(draft, body.kind === 'bytes' ? body.bytes : undefined, NO_BODY);
      const size = body.kind === 'bytes' ? body.bytes.length : 0;
      return withBody(draft, plan.readBody, size > bodyLimitBytes ? { kind: 'large', size } : body);
    }),
  };
}

/** The readers of one operation. */
interface RequestPlan {
  /** Reads what comes before the body. */
  readonly readHead: ReadHead;
  readonly readBody: BodyReader;
}

type ReadHead = (draft: CallDraft) => void;

function createPlans(
  contract: Contract,
  validators: Validators,
  options: CallDecoderOptions,
): (operation: Operation) => RequestPlan {
  const { strict = false, queryProfile, credentials } = options;
  const shapes = createShapes(contract);
  const schemas = { contract, read: createSchemaReader(contract) };
  const coerce = createCoerce(shapes, validators);
  const coerceLeniently = createLenientCoerce(shapes, validators);
  const findUndeclared = createUndeclaredFinder(contract, shapes, strict);
  const shared = { validators, shapes, coerce, coerceLeniently, strict, queryProfile, findUndeclared, at: contract.at };
  const keysInQuery = listKeysInQuery(contract);
  /** Limits the work of one request. */
  const limited = <Result>(work: () => Result): Result => {
    validators.beginRequest();
    try {
      return work();
    } finally {
      validators.endRequest();
    }
  };
  return memoize((operation: Operation) => {
    const readParameters = createParametersReader(operation, { ...shared, keysInQuery });
    const { readSecurity, needsBody } = createSecurityReader(operation, schemas, credentials);
    const readBodyOf = createBodyReader(operation, shared);
    return {
      readHead: (draft) => {
        draft.credentials = readSecurity(draft, needsBody ? [] : draft.violations);
        if (needsBody) {
          draft.readCredentials = (body) => {
            const found: Violation[] = [];
            draft.credentials = readSecurity({ ...draft, body }, found);
            draft.violations.unshift(...found);
          };
        }
        draft.values = limited(() => readParameters(draft, draft.violations));
      },
      // A body is read at once: all its parts together are one request.
      readBody: (...read) => limited(() => readBodyOf(...read)),
    };
  });
}

const NO_PARAMETERS: ParameterValues = Object.freeze({ path: {}, query: {}, header: {}, cookie: {} });

const REPEATED_SLASH: ClientReport = {
  code: 'PATH_UNKNOWN',
  in: 'path',
  message: 'the path repeats a slash before the path of the operation',
  status: 404,
};

const FORM_OF_GET: ClientReport = {
  code: 'METHOD_UNKNOWN',
  in: 'method',
  message: 'the operation is declared for GET; the fields of the form are read as parameters of the query',
  status: 405,
};

/** The names of API keys in the query. */
function listKeysInQuery({ securitySchemes }: Contract): ReadonlySet<string> {
  const schemes = Object.values(securitySchemes);
  return new Set(schemes.flatMap((scheme) => (scheme.in === 'query' ? (scheme.key ?? []) : [])));
}

function decodeForm(draft: CallDraft, body: BodyBytes | undefined, readHead: ReadHead): Call | Promise<Call> {
  if (body !== undefined) return withForm(draft, body, readHead);
  if (!hasBody(draft.request)) return withForm(draft, { kind: 'none' }, readHead);
  return readBody(draft.request, draft.limit).then((read) => withForm(draft, read, readHead));
}

/** A call whose form is read together with the query. */
function withForm(draft: CallDraft, form: BodyBytes, readHead: ReadHead): Call {
  const { body, bytes } = withBody(draft, readFormText, form);
  const texts = [draft.search, typeof body === 'string' ? body : ''];
  const joined = { ...draft, search: texts.filter((text) => text !== '').join('&') };
  readHead(joined);
  return finish(joined, bytes, NO_BODY);
}

/** A form as the text that a query would have. */
const readFormText: BodyReader = (bytes) => ({ value: Buffer.from(bytes).toString('utf8'), mediaType: undefined });

function withoutBody(draft: CallDraft, read: BodyReader): Call {
  const { operation, request, headers, violations } = draft;
  if (isBodiless(request.method)) return finish(draft, undefined, NO_BODY);
  const contentType = operation.body === undefined ? null : headers.get('content-type');
  // An empty form or file has no bytes.
  return finish(draft, undefined, read(NO_BYTES, contentType, violations));
}

const NO_BYTES = new Uint8Array(0);

function withBody(draft: CallDraft, read: BodyReader, body: BodyBytes): Call {
  const { headers, violations, limit, isPassedOn } = draft;
  if (body.kind === 'bytes') {
    const encoding = headers.get('content-encoding');
    const decoded = isPassedOn ? Math.min(limit, MAX_VALUE_BYTES) : limit;
    const plain = encoding === null ? body : decodeRequestContent(body.bytes, encoding, decoded);
    if ('mistake' in plain) violations.push(toError(plain.mistake));
    const value = 'mistake' in plain ? NO_BODY : read(plain.bytes, headers.get('content-type'), violations);
    if (isPassedOn) acceptLarge(violations);
    return finish(draft, body.bytes, value);
  }
  if (body.kind === 'large') {
    const size = body.size === undefined ? 'more' : `${body.size} bytes`;
    const message = `the body must have at most ${limit} bytes, got ${size}`;
    violations.push(toError({ code: 'BODY_TOO_LARGE', in: 'body', message, status: 413 }));
  } else if (body.kind === 'incomplete') {
    const message = 'the body is incomplete: the client disconnected or sent less than its Content-Length';
    violations.push(toError({ code: 'BODY_INCOMPLETE', in: 'body', message }));
  } else if (body.kind === 'file') return { ...finish(draft, undefined, NO_BODY), file: body.file };
  else read(NO_BYTES, null, violations);
  return finish(draft, undefined, NO_BODY);
}

/** Notes that a body for an upstream is too large to be read as a value. */
function acceptLarge(violations: Violation[]): void {
  for (const [i, violation] of violations.entries()) {
    if (violation.code !== 'BODY_TOO_LARGE') continue;
    violations[i] = { ...violation, severity: 'note', message: `${violation.message}; it is passed on as bytes` };
  }
}

// Without spreads, which cost more than the rest of a small call.
function finish(draft: CallDraft, bytes: Uint8Array | undefined, body: ReadBody): Call {
  const { operation, request, headers, values } = draft;
  draft.readCredentials?.(body.value);
  const accept = headers.get('accept');
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
    accept:
      operation.streaming === undefined
        ? accept
        : chooseAccept(operation.streaming, accept, { body: body.value, query: values.query }),
    headers,
    credentials: draft.credentials,
    violations: sortViolations(draft.violations),
  };
}

/** Errors first, each group in the order it was found. */
function sortViolations(violations: readonly Violation[]): readonly Violation[] {
  if (violations.length === 0) return NO_VIOLATIONS;
  const errors = listErrors(violations);
  if (errors.length === violations.length || errors.length === 0) return violations;
  return [...errors, ...violations.filter(({ severity }) => severity === 'note')];
}

/** Limits how long requests are answered within one turn of the event loop, so that it serves connections and timers in between. */
interface TurnLimit {
  /**
   * Lets a request begin.
   *
   * @param now - By `performance.now()`.
   * @returns Undefined while the turn has time left, else a promise that resolves in a later turn; in the order of the calls.
   */
  begin(now: number): Promise<void> | undefined;
}

/** How long requests are answered in one turn, in milliseconds; the last one may take longer. */
const TURN_MS = 20;

/** Creates the limit of one mock. A turn is watched only once requests have taken this long, so that others cost one comparison. */
function createTurnLimit(): TurnLimit {
  const waiting: (() => void)[] = [];
  let endsAt = 0;
  let isWatched = false;
  const runWaiting = async (): Promise<void> => {
    endsAt = readMonotonic() + TURN_MS;
    while (waiting.length > 0 && readMonotonic() < endsAt) {
      waiting.shift()?.();
      // Until the request has done what it does at once.
      await Promise.resolve();
    }
    isWatched = waiting.length > 0;
    if (isWatched) setImmediate(() => void runWaiting());
  };
  return {
    begin: (now) => {
      if (now < endsAt && waiting.length === 0) return undefined;
      if (!isWatched) {
        isWatched = true;
        endsAt = now + TURN_MS;
        setImmediate(() => void runWaiting());
        return undefined;
      }
      return new Promise((resolve) => void waiting.push(resolve));
    },
  };
}
