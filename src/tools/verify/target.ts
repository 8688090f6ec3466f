import { MockError } from '../../base/errors.js';
import { host, delay, isError, readMonotonic } from '../../base/platform.js';
import { readOwn } from '../../base/json.js';
import { IDEMPOTENT_METHODS, SAFE_METHODS } from '../../contract/operations/operation.js';
import { isJsonType } from '../../contract/media-type.js';
import { decodeText } from '../../contract/pointer.js';
import { isTls, isUnreachable, NO_TLS, readConnectionFailure } from '../../http/connection-failure.js';
import { type HeaderFields, readContentType } from '../../http/header-fields.js';
import { hideSecrets } from '../../conventions/secret-forms.js';
import { isRandom, isSecretName } from '../../conventions/secret-names.js';
import { toForms } from '../../features/recording/redaction/secret-index.js';
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
  readonly durationMs: number;
  /** How often the request was sent. */
  readonly attempts: number;
}

type Answered = Omit<Exchange, 'attempts' | 'durationMs'>;

/** Is thrown instead of sending a request after the end of a run. */
export class RunOver extends Error {}

/** How a request is sent. */
export interface SendOptions {
  /** Without the credentials of the user. */
  readonly isBare?: boolean;
  /** Also after the end, as long as the service can be reached: what removes items. */
  readonly isLast?: boolean;
}

/** Sends requests to the service. */
export interface Target {
  readonly baseUrl: string;
  /**
   * Sends a request, whose URL has the path below the base URL; again where it did not reach the service or came too early.
   *
   * @throws MockError `SERVICE_UNREACHABLE` where the first request does not reach the service; RunOver after the end.
   */
  send(request: Request, options?: SendOptions): Promise<Exchange>;
  /** Ends the run; a request that changes nothing is not waited for. */
  stop(reason: string): void;
  /** Whether the service was reached before and cannot be reached any more. */
  readonly isLost: boolean;
  /** What the service says, without the credentials of the user and other secrets. */
  hide(text: string): string;
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
  /** Milliseconds after the first request in which others are sent. */
  readonly budgetMs: number;
  /** Changes a request before it is sent; undefined for none. */
  readonly beforeRequest?: ((request: Request) => Request | Promise<Request>) | undefined;
}

/** How often a request is repeated that comes too early or does not reach the service, and how long at most it is waited for. */
const MAX_REPEATS = 3;
const MAX_WAIT_MS = 30_000;
const RECONNECT_MS = 500;

/** Creates what sends requests to a service, one at a time. */
export function createTarget(options: TargetOptions): Target {
  const end = createRunEnd(options.budgetMs);
  const secrets = new Set<string>(Object.values(options.query ?? {}));
  let nextAt = 0;
  let [isReached, isLost] = [false, false];
  const requireOpen = (isLast: boolean): void => {
    const over = end.over();
    if (over !== undefined && (isLost || !isLast)) throw new RunOver(over);
  };
  const sendOnce = async (request: Request, { isBare = false, isLast = false }: SendOptions): Promise<Answered> => {
    const now = readMonotonic();
    requireOpen(isLast);
    await end.pause(nextAt - now, isLast);
    requireOpen(isLast);
    nextAt = Math.max(now, nextAt) + 1000 / options.rate;
    const { sent, outgoing } = await toOutgoing(request.clone(), isBare ? { ...options, headers: {} } : options);
    const changed = options.beforeRequest === undefined ? outgoing : await options.beforeRequest(outgoing);
    for (const secret of listSecrets(changed.headers)) secrets.add(secret);
    const timeout = host.AbortSignal.timeout(options.timeoutMs);
    // An answer to another method may have the id of an item that is to be removed.
    const canLeave = !isLast && SAFE_METHODS.includes(changed.method);
    return ask(sent, changed, canLeave ? host.AbortSignal.any([timeout, end.signal]) : timeout);
  };
  const send = async (request: Request, how: SendOptions, attempts = 1): Promise<Exchange> => {
    const { isLast = false } = how;
    const began = readMonotonic();
    const answered = await sendOnce(request, how);
    const exchange = { ...answered, attempts, durationMs: Math.round(readMonotonic() - began) };
    const { status, unreachable } = exchange;
    if (!isReached && unreachable !== undefined) throw toUnreachable(options.baseUrl, exchange);
    isReached = true;
    // What is cut off by the end says nothing about the service.
    if (status === undefined) requireOpen(isLast);
    const waitMs = readWait(exchange);
    if (waitMs !== undefined) {
      await end.pause(waitMs, isLast);
      return send(request, how, attempts + 1);
    }
    if (unreachable === undefined) return exchange;
    isLost = true;
    const { method, target } = exchange.request;
    end.stop(`the service cannot be reached any more since ${method} ${target}: ${exchange.failure ?? unreachable}`);
    throw new RunOver(end.over());
  };
  return {
    baseUrl: options.baseUrl,
    send: (request, how = {}) => send(request, how),
    stop: end.stop,
    get isLost() {
      return isLost;
    },
    hide: (text) => hideSecrets(hideKnown(text, secrets)),
  };
}

/** How long to wait before a request is sent again; undefined where its answer counts. */
function readWait({ request, status, headers, unreachable, isTimeout, attempts }: Exchange): number | undefined {
  if (attempts > MAX_REPEATS) return undefined;
  if (unreachable !== undefined) return RECONNECT_MS;
  const afterMs = Number(headers['retry-after'] ?? 1) * 1000;
  if (status === 429) return afterMs <= MAX_WAIT_MS ? afterMs : undefined;
  // RFC 9110 9.2.2: a server may close a connection that it has kept at any time.
  const isClosed = status === undefined && !isTimeout && attempts === 1;
  return isClosed && IDEMPOTENT_METHODS.includes(request.method) ? 0 : undefined;
}

/** Creates the end of a run, by time or before; the time begins with the first question. */
function createRunEnd(budgetMs: number): {
  /** Why nothing is sent any more; undefined before the end. */
  over(): string | undefined;
  stop(reason: string): void;
  readonly signal: AbortSignal;
  /** Waits; what removes items is paced after the end as well. */
  pause(ms: number, isLast: boolean): Promise<void>;
} {
  // A large document takes seconds to read.
  let endsAt: number | undefined;
  const isOver = (): boolean => readMonotonic() >= (endsAt ??= readMonotonic() + budgetMs);
  const stopped = new host.AbortController();
  const { signal } = stopped;
  let reason: string | undefined;
  return {
    over: () => reason ?? (isOver() ? 'the time was over' : undefined),
    stop: (given) => {
      reason ??= given;
      stopped.abort();
    },
    signal,
    pause: async (ms, isLast) => {
      if (ms > 0) await (isLast ? delay(ms) : delay(ms, undefined, { signal }).catch(() => undefined));
    },
  };
}

/** The credentials in the headers of a request. */
function listSecrets(headers: Headers): readonly string[] {
  return [...headers].flatMap(([name, value]) => {
    if (name === 'cookie') return value.split(/; */).map((pair) => pair.slice(pair.indexOf('=') + 1));
    if (!isSecretName(name, value, { kind: 'header' }) && !isRandom(value)) return [];
    // The scheme is not secret.
    const secret = value.replace(/^[A-Za-z][\w-]* +/, '');
    const pair = /^basic /i.test(value) ? Buffer.from(secret, 'base64').toString() : '';
    return [secret, pair.slice(pair.indexOf(':') + 1)];
  });
}

/** A string without known secrets; shorter ones are words that mean nothing elsewhere. */
function hideKnown(text: string, secrets: ReadonlySet<string>): string {
  const forms = [...secrets].filter(({ length }) => length >= MIN_SECRET).flatMap(toForms);
  return forms.reduce((clean, form) => clean.replaceAll(form, '[redacted]'), text);
}

const MIN_SECRET = 4;

async function toOutgoing(
  request: Request,
  { baseUrl, headers: credentials, query = {} }: Pick<TargetOptions, 'baseUrl' | 'headers' | 'query'>,
): Promise<{ readonly sent: SentRequest; readonly outgoing: Request }> {
  const { pathname, search } = new host.URL(request.url);
  const target = pathname + search;
  const bytes = request.body === null ? undefined : await request.arrayBuffer();
  const headers = new host.Headers(request.headers);
  const own = Object.fromEntries([...headers].filter(([name]) => !CREDENTIAL.test(name)));
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

const CREDENTIAL = /^(?:authorization|cookie|proxy-authorization|x-api-key)$/i;

async function ask(sent: SentRequest, request: Request, signal: AbortSignal): Promise<Answered> {
  const nothing = { request: sent, status: undefined, headers: {}, text: '', body: undefined, isTimeout: false };
  let response: Response | undefined;
  try {
    response = await host.fetch(request, { signal });
    const text = await response.text();
    const headers = Object.fromEntries(response.headers);
    return { ...nothing, status: response.status, headers, text, body: readBody(text, headers), failure: undefined };
  } catch (error) {
    const isTimeout = isError(error) && error.name === 'TimeoutError';
    const failure = readConnectionFailure(error);
    const unreachable = isUnreachable(failure) ? failure.code : undefined;
    const reason = unreachable === undefined ? describeFailure(failure.reason, response) : failure.reason;
    return { ...nothing, isTimeout, failure: reason, unreachable };
  }
}

/** Why there is no answer, or no whole one. */
function describeFailure(reason: string, response: Response | undefined): string {
  if (response === undefined) return `there is no answer: ${reason}`;
  const encoding = response.headers.get('content-encoding');
  const coded = encoding === null ? '' : ` as its Content-Encoding ${encoding} says`;
  return `the body of the ${response.status} cannot be read${coded}: ${reason}`;
}

function toUnreachable(base: string, { failure = '', unreachable: code = '' }: Answered): MockError {
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
