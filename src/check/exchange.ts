import { Buffer } from 'node:buffer';
import { MockError } from '../base/errors.js';
import { isObject } from '../base/json.js';
import { host, isBytes, isRequest, isResponse } from '../base/platform.js';
import type { HeaderFields } from '../http/header-fields.js';
import { isBodiless, toHeaderFields } from './headers.js';

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
  /** Text; undefined for none, and for a body that cannot be read without taking it from its owner. */
  readonly text: string | undefined;
  /** The JSON value where the client has parsed it. */
  readonly value?: unknown;
}

type Members = Readonly<Record<string, unknown>>;

/** What finds the operation of a request. */
export interface RequestHead {
  readonly method: string;
  readonly url: string;
  readonly headers: HeaderFields;
}

/** The method, the URL and the headers of a request. @throws MockError `OPTION_INVALID` for another object. */
export function readHead(given: CheckedRequest): RequestHead {
  if (isRequest(given)) {
    return { method: given.method, url: given.url, headers: Object.fromEntries(given.headers) };
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
    url: toUrl(String(url), typeof baseURL === 'string' ? baseURL : undefined, params),
    headers: readHeaders(config),
  };
}

/** The members of a request; those of axios are in the `config` of its response. */
function readConfig(given: CheckedRequest): Members {
  const { config } = given as Members;
  return isObject(config) ? config : (given as Members);
}

/** The request in the form of the Fetch API; its own body stays unread. @throws MockError `OPTION_INVALID` for another object. */
export function readRequest(given: CheckedRequest): Request {
  if (isRequest(given)) return given.bodyUsed ? refuseUsed() : given.clone();
  const { method, url, headers: fields } = readHead(given);
  const { body: own, data, _data } = readConfig(given);
  const headers = new host.Headers(toEntries(fields));
  const body = toBody(own ?? data ?? _data, headers);
  const isSent = body !== undefined && !isBodiless(method);
  return new host.Request(url, { method, headers, ...(isSent && { body }) });
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

function readHeaders(members: Members): HeaderFields {
  const { header, headers } = members;
  // Superagent keeps the fields of a request in `header`.
  return toHeaderFields(headers ?? header);
}

function toEntries(headers: HeaderFields): [string, string][] {
  return Object.entries(headers).flatMap(([name, value]) =>
    (typeof value === 'string' ? [value] : value).map((each): [string, string] => [name, each]),
  );
}

function toBody(body: unknown, headers: Headers): Buffer | FormData | URLSearchParams | string | undefined {
  if (body === undefined || body === null) return undefined;
  if (typeof body === 'string' || body instanceof host.FormData || body instanceof host.URLSearchParams) return body;
  if (isBytes(body)) return Buffer.from(body);
  if (!headers.has('content-type')) headers.set('content-type', 'application/json');
  return JSON.stringify(body);
}

/** The response in one form. @throws MockError `OPTION_INVALID` for another object. */
export async function readResponse(given: CheckedResponse): Promise<ReadResponse> {
  if (isResponse(given)) {
    if (given.bodyUsed) {
      const hint = 'check a clone, or before the body is read: response.clone()';
      throw new MockError('OPTION_INVALID', 'the body of the response was read already', { hint });
    }
    const { status, headers } = given;
    return { status, headers: Object.fromEntries(headers), text: await given.clone().text() };
  }
  const members = given as Members;
  const { status, statusCode, headers, headersArray } = members;
  // The methods of Playwright's APIResponse.
  if (typeof status === 'function') return readPlaywright(given as PlaywrightResponse);
  const code = status ?? statusCode;
  if (typeof code !== 'number') {
    const hint = 'give a Response, a response of supertest, axios, Playwright or undici, or { status, headers, body }';
    throw new MockError('OPTION_INVALID', 'the response has no status', { hint });
  }
  const fields = toHeaderFields(headers ?? headersArray);
  return { status: code, headers: fields, ...readContent(members) };
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

function readContent(members: Members): Pick<ReadResponse, 'text' | 'value'> {
  const { text, body, data } = members;
  if (typeof text === 'string') return { text };
  const content = body ?? data;
  if (content === undefined || content === null) return { text: undefined };
  if (typeof content === 'string') return { text: content };
  if (isBytes(content)) return { text: Buffer.from(content).toString('utf8') };
  const isStream = typeof (content as Members)['pipe'] === 'function' || Symbol.asyncIterator in Object(content);
  return isStream ? { text: undefined } : { text: undefined, value: content };
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
