import { MockError } from '../../base/errors.js';
import { host, delay, isError, readMonotonic } from '../../base/platform.js';
import { readOwn } from '../../base/json.js';
import { isJsonType } from '../../contract/media-type.js';
import { decodeText } from '../../contract/pointer.js';
import { isTls, isUnreachable, NO_TLS, readConnectionFailure } from '../../http/connection-failure.js';
import { type HeaderFields, readContentType } from '../../http/header-fields.js';
import type { SentRequest } from './finding.js';

/** A request and what the service answered. */
export interface Exchange {
  readonly request: SentRequest;
  /** Undefined if there was no answer: then `failure` says why. */
  readonly status: number | undefined;
  readonly headers: HeaderFields;
  readonly text: string;
  /** The JSON value of the body; undefined for any other body, and for one that is not valid JSON. */
  readonly body: unknown;
  readonly failure: string | undefined;
  /** The code of the failure where no connection was made. */
  readonly unreachable?: string | undefined;
  /** Whether the answer did not end in time: it may be a stream. */
  readonly isTimeout: boolean;
}

/** Sends requests to the service. */
export interface Target {
  /**
   * Sends a request, whose URL has the path below the base URL.
   *
   * @param isBare - Without the credentials of the user.
   * @throws MockError `SERVICE_UNREACHABLE` where the first request does not reach the service.
   */
  send(request: Request, isBare?: boolean): Promise<Exchange>;
  /** Whether the time is over: what is sent afterwards is not. */
  readonly isOver: boolean;
  readonly requests: number;
}

/** How a service is asked. */
export interface TargetOptions {
  /** Base URL, with the base path of the operations. */
  readonly baseUrl: string;
  /** Headers of each request, such as credentials; they are in no finding. */
  readonly headers: Readonly<Record<string, string>>;
  /** Query parameters that are credentials; they replace those of requests that have them. */
  readonly query?: Readonly<Record<string, string>>;
  /** Requests per second; Infinity for no limit. */
  readonly rate: number;
  readonly timeoutMs: number;
  /** Milliseconds after which nothing is sent any more. */
  readonly budgetMs: number;
  /** Changes a request before it is sent; undefined for none. */
  readonly beforeRequest?: ((request: Request) => Request | Promise<Request>) | undefined;
}

/** How often a request is repeated that the service answers with 429, and how long at most it is waited for. */
const MAX_REPEATS = 3;
const MAX_WAIT_MS = 30_000;

/** Creates what sends requests to a service, one at a time. */
export function createTarget(options: TargetOptions): Target {
  const endsAt = readMonotonic() + options.budgetMs;
  let requests = 0;
  let nextAt = 0;
  let isReached = false;
  const wait = async (): Promise<void> => {
    const now = readMonotonic();
    if (nextAt > now) await delay(nextAt - now);
    nextAt = Math.max(now, nextAt) + 1000 / options.rate;
  };
  const send = async (request: Request, isBare: boolean, attempt = 0): Promise<Exchange> => {
    await wait();
    requests += 1;
    const { sent, outgoing } = await toOutgoing(request.clone(), isBare ? { ...options, headers: {} } : options);
    const changed = (await options.beforeRequest?.(outgoing)) ?? outgoing;
    const exchange = await ask(sent, changed, options.timeoutMs);
    if (!isReached && exchange.unreachable !== undefined) throw toUnreachable(options.baseUrl, exchange);
    isReached = true;
    const after = Number(exchange.headers['retry-after'] ?? 1) * 1000;
    if (exchange.status !== 429 || attempt === MAX_REPEATS || !(after <= MAX_WAIT_MS)) return exchange;
    await delay(after);
    return send(request, isBare, attempt + 1);
  };
  return {
    send: (request, isBare = false) => send(request, isBare),
    get isOver() {
      return readMonotonic() >= endsAt;
    },
    get requests() {
      return requests;
    },
  };
}

async function toOutgoing(
  request: Request,
  { baseUrl, headers: credentials, query = {} }: Pick<TargetOptions, 'baseUrl' | 'headers' | 'query'>,
): Promise<{ readonly sent: SentRequest; readonly outgoing: Request }> {
  const { pathname, search } = new host.URL(request.url);
  const target = pathname + search;
  const bytes = request.body === null ? undefined : await request.arrayBuffer();
  const headers = new host.Headers(request.headers);
  const own = Object.fromEntries([...headers].filter(([name]) => !SECRET.test(name)));
  for (const [name, value] of Object.entries(credentials)) headers.set(name, value);
  const { method } = request;
  const outgoing = new host.Request(baseUrl.replace(/\/$/, '') + pathname + withCredentials(search, query), {
    method,
    headers,
    redirect: 'manual',
    ...(bytes && { body: bytes }),
  });
  const body = bytes && new host.TextDecoder().decode(bytes);
  return { sent: { method, target, headers: own, body }, outgoing };
}

function withCredentials(search: string, credentials: Readonly<Record<string, string>>): string {
  const pairs = search.split(/(?<=[?&])/).map((pair) => {
    const [name = ''] = pair.split('=');
    const value = readOwn(credentials, decodeText(name));
    return value === undefined ? pair : `${name}=${encodeURIComponent(value)}${pair.endsWith('&') ? '&' : ''}`;
  });
  return pairs.join('');
}

const SECRET = /^(?:authorization|cookie|proxy-authorization|x-api-key)$/i;

async function ask(sent: SentRequest, request: Request, timeoutMs: number): Promise<Exchange> {
  const nothing = { request: sent, status: undefined, headers: {}, text: '', body: undefined, isTimeout: false };
  try {
    const response = await host.fetch(request, { signal: host.AbortSignal.timeout(timeoutMs) });
    const text = await response.text();
    const headers = Object.fromEntries(response.headers);
    return { ...nothing, status: response.status, headers, text, body: readBody(text, headers), failure: undefined };
  } catch (error) {
    const isTimeout = isError(error) && error.name === 'TimeoutError';
    const failure = readConnectionFailure(error);
    const unreachable = isUnreachable(failure) ? failure.code : undefined;
    return { ...nothing, isTimeout, failure: failure.reason, unreachable };
  }
}

function toUnreachable(base: string, { failure = '', unreachable: code = '' }: Exchange): MockError {
  const hint =
    isTls({ code }) && code !== NO_TLS
      ? 'name the authority of its certificate: NODE_EXTRA_CA_CERTS=ca.pem'
      : 'check --base-url, and that the service runs';
  return new MockError('SERVICE_UNREACHABLE', `${base} cannot be reached: ${failure}`, { hint });
}

function readBody(text: string, headers: HeaderFields): unknown {
  if (text === '' || !isJsonType(readContentType(headers) ?? '')) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
