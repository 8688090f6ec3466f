import { Buffer } from 'node:buffer';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { host, isBytes } from '../base/platform.js';
import { isJsonType } from '../contract/media-type.js';
import { decodeContent } from '../http/content-encoding.js';
import type { Violation } from '../schema/violation.js';
import type { CheckResult, ContractChecks } from './check.js';
import { toHeaderFields } from './headers.js';

/** How the exchanges of a service are checked while it answers. */
export interface CheckMiddlewareOptions {
  /**
   * What is done with an exchange that breaks the document. Default `report`.
   *
   * - `report`: `onResult` is called.
   * - `warn`: a warning of the process is emitted as well, which Node.js prints.
   * - `refuse`: an invalid request is answered with 400 before the service gets it, and an invalid response is replaced by a 500.
   */
  readonly mode?: 'refuse' | 'report' | 'warn';
  /** Called with each exchange. */
  readonly onResult?: (
    result: CheckResult,
    exchange: { readonly method: string; readonly url: string; readonly status: number },
  ) => void;
  /** The size of a body in bytes above which it is not checked; default 1 MiB. */
  readonly limitBytes?: number;
}

const LIMIT_BYTES = 1024 * 1024;

/** The parts of the context of Hono that are used; the package is not imported. */
interface HonoContext {
  readonly req: { readonly raw: Request };
  res: Response;
}

/**
 * Middleware for Hono that checks each exchange of a service.
 *
 * @example
 * ```ts no-run
 * import { Hono } from 'hono';
 * import { checkMiddleware, loadContract } from 'vouch/contract';
 *
 * const app = new Hono();
 * app.use(checkMiddleware(await loadContract('openapi.yaml'), { mode: 'warn' }));
 * ```
 */
export function checkMiddleware(
  contract: ContractChecks,
  options: CheckMiddlewareOptions = {},
): (context: HonoContext, next: () => Promise<void>) => Promise<Response | undefined> {
  const { mode = 'report', limitBytes = LIMIT_BYTES } = options;
  return async (context, next) => {
    const { method, url, headers } = context.req.raw;
    const isLarge = Number(headers.get('content-length') ?? 0) > limitBytes;
    const sent = isLarge ? undefined : await contract.checkRequest(context.req.raw);
    if (mode === 'refuse' && sent !== undefined && sent.violations.length > 0) {
      tell(options, sent, { method, url, status: 400 });
      return toProblem(400, sent.violations);
    }
    await next();
    const { res } = context;
    const { status } = res;
    // The body of a stream ends when its client leaves.
    const isChecked =
      isJsonType(res.headers.get('content-type') ?? '') && Number(res.headers.get('content-length') ?? 0) <= limitBytes;
    const bytes = isChecked ? new Uint8Array(await res.clone().arrayBuffer()) : undefined;
    const body = bytes && decodeBody(bytes, res.headers.get('content-encoding'), limitBytes);
    const received = await contract.checkResponse({ method, url, headers }, { status, headers: res.headers, body });
    const violations = [...(sent?.violations ?? []), ...received.violations];
    tell(options, { ...received, violations, undeclared: sent?.undeclared ?? [] }, { method, url, status });
    if (mode !== 'refuse' || received.violations.length === 0) return undefined;
    context.res = undefined as never;
    context.res = toProblem(500, received.violations);
    return undefined;
  };
}

/** The bytes of a body without their coding, such as gzip; undefined for one that cannot be decoded, or is larger than the limit then. */
function decodeBody(bytes: Uint8Array, encoding: unknown, limitBytes: number): Uint8Array | undefined {
  return typeof encoding === 'string' ? decodeContent(bytes, encoding, { limitBytes }) : bytes;
}

function tell(
  { mode, onResult }: CheckMiddlewareOptions,
  result: CheckResult,
  exchange: { readonly method: string; readonly url: string; readonly status: number },
): void {
  onResult?.(result, exchange);
  if (mode !== 'warn' || result.violations.length === 0) return;
  const { pathname } = new host.URL(exchange.url, 'http://service');
  const lines = result.violations.map(({ code, message }) => `${code} ${message}`);
  process.emitWarning(`${exchange.method} ${pathname} ${exchange.status}: ${lines.join('; ')}`, 'ContractWarning');
}

/** RFC 9457. */
function toProblemText(status: number, violations: readonly Violation[]): string {
  const title =
    status === 400
      ? 'The request does not match the API description'
      : 'The response does not match the API description';
  const errors = violations.map(({ code, in: place, pointer, message }) => ({ code, in: place, pointer, message }));
  return JSON.stringify({ type: 'about:blank', title, status, errors });
}

const PROBLEM = 'application/problem+json';

function toProblem(status: number, violations: readonly Violation[]): Response {
  return new host.Response(toProblemText(status, violations), { status, headers: { 'content-type': PROBLEM } });
}

type Handler = (request: IncomingMessage, response: ServerResponse, ...rest: never[]) => unknown;

/**
 * A handler of `node:http` that checks the exchanges of another one, such as an Express application or the handler of Fastify.
 *
 * @example
 * ```ts no-run
 * import { createServer } from 'node:http';
 * import { checkHandler, loadContract } from 'vouch/contract';
 * import { app } from './app.js';
 *
 * createServer(checkHandler(await loadContract('openapi.yaml'), app, { mode: 'warn' })).listen(3000);
 * ```
 */
export function checkHandler(
  contract: ContractChecks,
  handler: Handler,
  options: CheckMiddlewareOptions = {},
): Handler {
  const { mode = 'report', limitBytes = LIMIT_BYTES } = options;
  return (request, response, ...rest) => {
    const sent = collectRequest(request, limitBytes);
    const toPlain = () => {
      const { method = 'GET', url = '/', headers } = request;
      const body = sent.read();
      return { method, url, headers, ...(body !== undefined && body.length > 0 && { body }) };
    };
    const judge = async (bytes: Buffer | undefined): Promise<CheckResult> => {
      const { statusCode: status } = response;
      const plain = toPlain();
      const body = bytes && decodeBody(bytes, response.getHeader('content-encoding'), limitBytes);
      const asked = sent.isWhole() ? await contract.checkRequest(plain) : undefined;
      const received = await contract.checkResponse(plain, { status, headers: response.getHeaders(), body });
      const violations = [...(asked?.violations ?? []), ...received.violations];
      tell(options, { ...received, violations, undeclared: asked?.undeclared ?? [] }, { ...plain, status });
      return received;
    };
    if (mode !== 'refuse') {
      collectResponse(response, limitBytes, (body) => void judge(body).catch(() => undefined));
      return handler(request, response, ...rest);
    }
    return sent.whole.then(async () => {
      const plain = toPlain();
      const asked = sent.isWhole() ? await contract.checkRequest(plain) : undefined;
      if (asked !== undefined && asked.violations.length > 0) {
        tell(options, asked, { ...plain, status: 400 });
        response.writeHead(400, { 'content-type': PROBLEM }).end(toProblemText(400, asked.violations));
        return;
      }
      holdResponse(response, limitBytes, judge);
      handler(request, response, ...rest);
    });
  };
}

/** Keeps the bytes of a request while its owner reads them. */
function collectRequest(request: IncomingMessage, limitBytes: number) {
  const chunks: Buffer[] = [];
  let size = 0;
  let done: () => void = () => undefined;
  const whole = new Promise<void>((resolve) => (done = resolve));
  const { push } = request;
  request.push = (chunk: unknown, encoding?: BufferEncoding): boolean => {
    if (isBytes(chunk)) {
      size += chunk.length;
      if (size <= limitBytes) chunks.push(Buffer.from(chunk));
    }
    const isReady = push.call(request, chunk, encoding);
    if (chunk === null || size > limitBytes) done();
    // What was not read yet is kept, so that the whole body can be checked first.
    return isReady || size <= limitBytes;
  };
  const hasBody = request.headers['content-length'] !== undefined || request.headers['transfer-encoding'] !== undefined;
  if (!hasBody || request.complete) done();
  else request.read(0);
  return {
    whole,
    isWhole: () => size <= limitBytes,
    read: () => (size > limitBytes ? undefined : Buffer.concat(chunks)),
  };
}

/** Calls back with the body of a response once it is sent; undefined for one that is larger than the limit. */
function collectResponse(
  response: ServerResponse,
  limitBytes: number,
  onEnd: (body: Buffer | undefined) => void,
): void {
  const { writeHead } = response;
  const body = takeBody(response, limitBytes, (send) => send());
  // `getHeaders` has only fields that were set before.
  response.writeHead = (...args: readonly unknown[]): ServerResponse =>
    Reflect.apply(writeHead, response, setFields(response, args)) as ServerResponse;
  response.once('finish', () => onEnd(body.read()));
}

/** Collects the body of a response up to a limit. @param take - Gets what sends each part of it, and whether it is the last one. */
function takeBody(
  response: ServerResponse,
  limitBytes: number,
  take: (send: () => unknown, isLast: boolean) => unknown,
): {
  isLarge(): boolean;
  /** Undefined for one that is larger than the limit. */
  read(): Buffer | undefined;
} {
  const chunks: Buffer[] = [];
  let size = 0;
  const toTaken =
    (method: 'end' | 'write', own = response[method]) =>
    (...args: readonly unknown[]): unknown => {
      const [chunk, encoding] = args;
      if (typeof chunk === 'string' || isBytes(chunk)) {
        const bytes = Buffer.from(
          chunk as string,
          typeof encoding === 'string' ? (encoding as BufferEncoding) : undefined,
        );
        size += bytes.length;
        if (size <= limitBytes) chunks.push(bytes);
      }
      return take(() => Reflect.apply(own, response, args), method === 'end');
    };
  Object.assign(response, { write: toTaken('write'), end: toTaken('end') });
  const isLarge = (): boolean => size > limitBytes;
  return { isLarge, read: () => (isLarge() ? undefined : Buffer.concat(chunks)) };
}

/** Sets the fields that `writeHead` is given, once the head is not sent yet. @returns the other arguments. */
function setFields(response: ServerResponse, args: readonly unknown[]): readonly unknown[] {
  const fields = args.at(-1);
  if (typeof fields !== 'object' || fields === null || response.headersSent) return args;
  for (const [name, value] of Object.entries(toHeaderFields(toPairs(fields)))) response.setHeader(name, value);
  return args.slice(0, -1);
}

/** The fields of `writeHead`: an object, or an array of names and values in turn. */
function toPairs(fields: object): object {
  if (!Array.isArray(fields)) return fields;
  const list = fields as readonly unknown[];
  return list.flatMap((name, i) => (i % 2 === 0 ? [[name, list[i + 1]]] : []));
}

/**
 * Keeps a response until it is whole, and sends it or a problem in its place. Where the body is not JSON, such as that of a stream, or is too large,
 * the head decides, and the rest passes.
 */
function holdResponse(
  response: ServerResponse,
  limitBytes: number,
  judge: (body: Buffer | undefined) => Promise<CheckResult>,
): void {
  const { write, end, writeHead, flushHeaders } = response;
  const held: (() => unknown)[] = [];
  let isJudged = false;
  const decide = (whole: Buffer | undefined): void => {
    if (isJudged) return;
    isJudged = true;
    void judge(whole).then(({ violations }) => {
      Object.assign(response, { write, end, writeHead, flushHeaders });
      if (violations.length === 0) return held.forEach((act) => act());
      for (const name of response.getHeaderNames()) response.removeHeader(name);
      response.writeHead(500, { 'content-type': PROBLEM }).end(toProblemText(500, violations));
      // What the service still writes is not for the client.
      return Object.assign(response, { write: () => true, end: () => response, flushHeaders: () => undefined });
    });
  };
  const take = (send: () => unknown, isLast: boolean): unknown => {
    held.push(send);
    const isKept = isJsonType(String(response.getHeader('content-type') ?? '')) && !body.isLarge();
    if (isLast || !isKept) decide(isLast ? body.read() : undefined);
    return isLast ? response : true;
  };
  const body = takeBody(response, limitBytes, take);
  response.flushHeaders = () => void take(() => Reflect.apply(flushHeaders, response, []), false);
  response.writeHead = (...args: readonly unknown[]): ServerResponse => {
    const [status, reason] = setFields(response, args);
    response.statusCode = status as number;
    if (typeof reason === 'string') response.statusMessage = reason;
    return response;
  };
}
