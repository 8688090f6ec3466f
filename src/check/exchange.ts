import { Buffer } from 'node:buffer';
import { MockError } from '../base/errors.js';
import { isObject } from '../base/json.js';
import { host, isBytes, isRequest, isResponse } from '../base/platform.js';
import type { HeaderFields } from '../http/header-fields.js';
import { RequestHeaders } from '../http/request-headers.js';
import { type BodyBytes, hasBody, isBodiless } from '../http/request/body-bytes.js';
import { readTarget, type RequestTarget } from '../http/target.js';
import { toHeaderFields, toRequestHeaders } from './headers.js';

/** A request as plain data; `body` is bytes, text, or a value that is sent as JSON. */
export interface ExchangeRequest {
  /** Default `GET`. */
  readonly method?: string | undefined;
  /** A URL, or a path. */
  readonly url: string | URL;
  readonly headers?: object | undefined;
  readonly body?: unknown;
}

/** A response as plain data; `body` is bytes, text, or the value of its JSON. */
export interface ExchangeResponse {
  readonly status: number;
  readonly headers?: object | undefined;
  readonly body?: unknown;
}

/**
 * A request of the Fetch API, of `supertest` or `superagent`, the `config` of an axios response, or plain data.
 */
export type CheckedRequest = Request | ExchangeRequest | object;

/**
 * A response of the Fetch API, of `supertest` or `superagent`, axios, Playwright (`APIResponse`) or undici, or plain data.
 */
export type CheckedResponse = Response | ExchangeResponse | object;

/** A response in one form. */
export interface ReadResponse {
  readonly status: number;
  readonly headers: HeaderFields;
  /** Undefined for none. */
  readonly text: string | undefined;
  /** The JSON value where the client has parsed it. */
  readonly value?: unknown;
  /** Whether the body is a stream. */
  readonly isUnread?: true;
}

type Members = Readonly<Record<string, unknown>>;

/** What finds the operation of a request. */
export interface RequestHead {
  readonly method: string;
  readonly target: RequestTarget;
  readonly headers: RequestHeaders;
}

/** A request as the decoder takes it. */
export interface ReadRequest extends RequestHead {
  readonly request: Request;
  /** Undefined where it has to be read from the request. */
  readonly body: BodyBytes | undefined;
}

/** The method, the URL and the headers of a request. @throws MockError `OPTION_INVALID` for another object. */
export function readHead(given: CheckedRequest): RequestHead {
  if (isRequest(given)) {
    const { method, url, headers } = given;
    return { method, target: readTarget(url), headers: RequestHeaders.of(headers) };
  }
  const config = readConfig(given);
  const { baseURL, params } = config;
  const url = config['url'] ?? config['path'];
  if (typeof url !== 'string' && !(url instanceof host.URL)) {
    const hint = 'give a Request, the response of supertest or axios, or { method, url, headers, body }';
    throw new MockError('OPTION_INVALID', 'the request has no url', { hint });
  }
  return {
    method: (typeof config['method'] === 'string' ? config['method'] : 'GET').toUpperCase(),
    target: readTarget(toUrl(String(url), typeof baseURL === 'string' ? baseURL : undefined, params)),
    // Superagent keeps the fields of a request in `header`.
    headers: toRequestHeaders(config['headers'] ?? config['header']),
  };
}

/** The members of a request; those of axios are in the `config` of its response. */
function readConfig(given: CheckedRequest): Members {
  const { config } = given as Members;
  return isObject(config) ? config : (given as Members);
}

/** The request as the decoder takes it; its own body stays unread. @throws MockError `OPTION_INVALID` for another object. */
export function readRequest(given: CheckedRequest): ReadRequest {
  const head = readHead(given);
  if (isRequest(given)) {
    if (given.bodyUsed) refuseUsed();
    return { ...head, request: hasBody(given) ? given.clone() : given, body: undefined };
  }
  const { body, data, _data } = readConfig(given);
  return readPlain(head, body ?? data ?? _data);
}

/** The request without its body. */
export function toBodiless(head: RequestHead): ReadRequest {
  return readPlain(head, undefined);
}

const NO_BODY: BodyBytes = { kind: 'none' };
/** One that was sent, and not given. */
const INCOMPLETE: BodyBytes = { kind: 'incomplete' };

function readPlain({ method, target, headers }: RequestHead, content: unknown): ReadRequest {
  // The decoder reads nothing else of a request whose target and body are given.
  const request = { method } as Request;
  if (isBodiless(method) || content === undefined || content === null) {
    const isMissing = !isBodiless(method) && (headers.get('content-length') ?? '0') !== '0';
    return { method, target, headers, request, body: isMissing ? INCOMPLETE : NO_BODY };
  }
  if (content instanceof host.FormData) {
    // The platform writes the parts, and the media type with their boundary.
    const fields = [...headers].filter(([name]) => name !== 'content-type');
    const form = new host.Request('http://localhost', { method, headers: fields, body: content });
    return { method, target, headers: RequestHeaders.of(form.headers), request: form, body: undefined };
  }
  const { text, type } = toText(content);
  const isTyped = type === undefined || headers.has('content-type');
  return {
    method,
    target,
    headers: isTyped ? headers : RequestHeaders.of([...headers, ['content-type', type]]),
    request,
    body: { kind: 'bytes', bytes: Buffer.from(text) },
  };
}

/** What a client sends for a body, and the media type that it adds. */
function toText(content: unknown): { readonly text: string | Uint8Array; readonly type?: string } {
  if (typeof content === 'string' || isBytes(content)) return { text: content };
  if (content instanceof host.URLSearchParams)
    return { text: content.toString(), type: 'application/x-www-form-urlencoded' };
  return { text: JSON.stringify(content), type: 'application/json' };
}

function refuseUsed(): never {
  throw new MockError('OPTION_INVALID', 'the body of the request was read already', {
    hint: 'give a clone: request.clone()',
  });
}

function toUrl(url: string, base: string | undefined, params: unknown): string {
  const whole =
    base === undefined || /^[a-z]+:/i.test(url) ? url : `${base.replace(/\/$/, '')}/${url.replace(/^\//, '')}`;
  if (params === undefined && whole.startsWith('http')) return whole;
  const target = new host.URL(whole, 'http://localhost');
  if (isObject(params))
    for (const [name, value] of Object.entries(params)) target.searchParams.append(name, String(value));
  return target.href;
}

/** The response in one form; a promise where its body has to be read. @throws MockError `OPTION_INVALID` for another object. */
export function readResponse(given: CheckedResponse): ReadResponse | Promise<ReadResponse> {
  if (isResponse(given)) return readFetched(given);
  const members = given as Members;
  const { status, statusCode, headers, headersArray } = members;
  // The methods of Playwright's APIResponse.
  if (typeof status === 'function') return readPlaywright(given as PlaywrightResponse);
  const code = status ?? statusCode;
  if (typeof code !== 'number') {
    const hint = 'give a Response, a response of supertest, axios, Playwright or undici, or { status, headers, body }';
    throw new MockError('OPTION_INVALID', 'the response has no status', { hint });
  }
  return { status: code, headers: toHeaderFields(headers ?? headersArray), ...readContent(members) };
}

async function readFetched(response: Response): Promise<ReadResponse> {
  if (response.bodyUsed) {
    const hint = 'check a clone, or before the body is read: response.clone()';
    throw new MockError('OPTION_INVALID', 'the body of the response was read already', { hint });
  }
  const { status, headers } = response;
  return { status, headers: Object.fromEntries(headers), text: await response.clone().text() };
}

interface PlaywrightResponse {
  status(): number;
  headersArray(): readonly { readonly name: string; readonly value: string }[];
  body(): Promise<Uint8Array>;
  url(): string;
}

async function readPlaywright(response: PlaywrightResponse): Promise<ReadResponse> {
  const headers = toHeaderFields(response.headersArray());
  const bytes = await response.body().catch(() => undefined);
  return { status: response.status(), headers, text: bytes && Buffer.from(bytes).toString('utf8') };
}

function readContent(members: Members): Pick<ReadResponse, 'isUnread' | 'text' | 'value'> {
  const { text, body, data } = members;
  if (typeof text === 'string') return { text };
  // A message of `node:http` is its own body.
  const content = body ?? data ?? (isStream(members) ? members : undefined);
  if (content === undefined || content === null) return { text: undefined };
  if (typeof content === 'string') return { text: content };
  if (isBytes(content)) return { text: Buffer.from(content).toString('utf8') };
  if (isStream(content)) return { text: undefined, isUnread: true };
  return { text: undefined, value: content };
}

/** Whether a value is a stream of Node.js or of the platform: that of undici, and of axios with `responseType: 'stream'`. */
function isStream(value: unknown): boolean {
  const { pipe, getReader } = value as Members;
  return typeof pipe === 'function' || typeof getReader === 'function';
}

/** A stream can be read only once, and its owner would get nothing. @throws MockError `OPTION_INVALID`. */
export function refuseUnread(): never {
  throw new MockError('OPTION_INVALID', 'the body of the response is a stream, which only one reader can have', {
    hint: 'read it, and give its value: contract.check(request, { ...response, body: await response.body.json() })',
  });
}

/** The request that a response knows, and the URL that it has; undefined where it knows none. */
export function findRequest(response: CheckedResponse): CheckedRequest | undefined {
  const { request, req, config, url } = response as Members;
  if (isObject(config) && typeof config['url'] === 'string') return { config };
  if (isObject(request) && typeof request['url'] === 'string' && typeof request['method'] === 'string') return request;
  if (isObject(req) && typeof req['path'] === 'string') return req;
  const own = typeof url === 'function' ? (response as PlaywrightResponse).url() : url;
  return typeof own === 'string' && own !== '' ? { url: own } : undefined;
}

/** A request without a URL gets that of its response. */
export function withUrl(request: CheckedRequest, response: CheckedResponse): CheckedRequest {
  const known = request as Members;
  if (isRequest(request) || known['url'] !== undefined || known['config'] !== undefined) return request;
  const { url } = (findRequest(response) ?? {}) as Members;
  return typeof url === 'string' ? { ...known, url } : request;
}
