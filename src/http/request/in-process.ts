import { hasTag, host, isBytes, isPromise, isRequest } from '../../base/platform.js';

/**
 * A request made in the process; a path gets an origin that is never used.
 *
 * Runners and polyfills have classes of their own for requests, forms, blobs and signals, which the platform's `Request` refuses or turns
 * into text such as `[object FormData]`; they are converted, and then the request is a promise.
 */
export function toRequest(input: string | URL | Request, init?: RequestInit): Request | Promise<Request> {
  if (typeof input !== 'string' && isRequest(input) && !(input instanceof host.Request))
    return copyRequest(input, init);
  if (init !== undefined && isForeign(init)) return convert(init).then((known) => createRequest(input, known));
  return createRequest(input, init);
}

/**
 * Fetches as the platform's `fetch` does: it rejects with the reason when the signal of the request is aborted.
 *
 * @throws The reason of the signal.
 */
export function withAbortSignal(
  request: Request,
  fetch: (request: Request) => Response | Promise<Response>,
): Response | Promise<Response> {
  const { signal } = request;
  signal.throwIfAborted();
  const answer = fetch(request);
  return isPromise(answer) ? rejectOnAbort(signal, answer) : answer;
}

function rejectOnAbort(signal: AbortSignal, answer: Promise<Response>): Promise<Response> {
  return new Promise((resolve, reject) => {
    // The platform rejects with the reason as it was given, which need not be an error.
    // oxlint-disable-next-line prefer-promise-reject-errors
    const abort = (): void => reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    // Another AbortController to remove the listener would cost as much as the answer.
    const settle = (): void => signal.removeEventListener('abort', abort);
    answer.then(
      (response) => {
        settle();
        resolve(response);
      },
      (error: unknown) => {
        settle();
        reject(error);
      },
    );
  });
}

function createRequest(input: string | URL | Request, init: RequestInit | undefined): Request {
  if (init === undefined && isRequest(input)) return input;
  const url = typeof input === 'string' && input.startsWith('/') ? `http://mock${input}` : input;
  try {
    return new host.Request(url, init);
  } catch (cause) {
    if (isRequest(url) || host.URL.canParse(String(url))) throw cause;
    // The error of the platform, with what to do.
    const message = `Failed to parse URL from ${String(url)}: give a path that starts with "/", or a whole URL`;
    throw new TypeError(message, { cause });
  }
}

/** A request of another implementation; its body is read whole. */
async function copyRequest(request: Request, init: RequestInit = {}): Promise<Request> {
  const { url, method, headers, signal, redirect } = request;
  const bytes = method === 'GET' || method === 'HEAD' ? undefined : await request.arrayBuffer();
  const body = bytes === undefined || bytes.byteLength === 0 ? undefined : new Uint8Array(bytes);
  return createRequest(url, await convert({ method, headers: [...headers], body, signal, redirect, ...init }));
}

/** Whether the platform's `Request` would misread some of these options. */
function isForeign({ body, signal }: RequestInit): boolean {
  const isKnown = signal === undefined || signal === null || signal instanceof host.AbortSignal;
  return !isKnown || readForeignKind(body) !== undefined;
}

/** The classes of bodies that are converted. */
const KINDS = ['FormData', 'File', 'Blob', 'URLSearchParams'] as const;

function readForeignKind(body: unknown): (typeof KINDS)[number] | undefined {
  if (typeof body !== 'object' || body === null || isBytes(body)) return undefined;
  return KINDS.find((kind) => hasTag(body, kind) && !(body instanceof host[kind]));
}

async function convert(init: RequestInit): Promise<RequestInit> {
  const { body, signal } = init;
  return { ...init, body: await convertBody(body), signal: signal && followSignal(signal) };
}

async function convertBody(body: RequestInit['body']): Promise<RequestInit['body']> {
  // Each kind has the members that its tag promises.
  switch (readForeignKind(body)) {
    case 'URLSearchParams':
      return new host.URLSearchParams((body as URLSearchParams).toString());
    case 'FormData':
      return convertForm(body as FormData);
    case 'Blob':
    case 'File':
      return convertBlob(body as Blob);
    default:
      return body;
  }
}

async function convertForm(form: FormData): Promise<FormData> {
  const copy = new host.FormData();
  for (const [name, value] of form) {
    if (typeof value === 'string') copy.append(name, value);
    else copy.append(name, await convertBlob(value), value.name);
  }
  return copy;
}

/** @throws TypeError for a blob that only a FileReader can read. */
async function convertBlob(blob: Blob): Promise<Blob> {
  const { type } = blob;
  if (typeof blob.arrayBuffer === 'function') return new host.Blob([await blob.arrayBuffer()], { type });
  // jsdom's Blob has no method that reads it; its bytes are a member of what it hides behind a symbol.
  for (const symbol of Object.getOwnPropertySymbols(blob)) {
    // A cast to look at a member of any type.
    const hidden = (blob as unknown as Record<symbol, { readonly _bytes?: unknown; readonly _buffer?: unknown }>)[
      symbol
    ];
    const bytes = hidden?._bytes ?? hidden?._buffer;
    if (isBytes(bytes)) return new host.Blob([new Uint8Array(bytes)], { type });
  }
  throw new TypeError('this Blob cannot be read: pass one of `node:buffer`, or its bytes');
}

/** A signal of the platform that is aborted when another one is. */
function followSignal(signal: AbortSignal): AbortSignal {
  const follower = new host.AbortController();
  const abort = (): void => follower.abort(signal.reason);
  if (signal.aborted) abort();
  else signal.addEventListener('abort', abort, { once: true });
  return follower.signal;
}
