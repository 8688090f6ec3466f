import { readIntegers } from '../../base/exact-json.js';
import { writeSource, readSource, type Answer } from '../../http/answer.js';
import { TextDecoder } from 'node:util';
import type { Contract } from '../../contract/contract.js';
import { copyJson, isObject } from '../../base/json.js';
import type { Operation } from '../../contract/operations/operation.js';
import { MockError, suggest, toReason } from '../../base/errors.js';
import { isJsonType } from '../../contract/media-type.js';
import { toHandlerCall } from '../../http/request/call.js';
import { isStream } from '../../http/response/encode.js';
import { NO_VIOLATIONS } from '../../schema/violation.js';
import type { Session } from '../../session/session.js';
import type { State } from '../../session/state.js';
import {
  type AnswerSource,
  type Exchange,
  nameCall,
  type Next,
  type SourceParts,
  toEmptyAnswer,
  toGenerateContext,
} from '../chain.js';
import { chooseResponse } from '../choose-response.js';
import type { AnswerDetails, Handler, HandlerContext, HandlerResponse, HandlerResult, Handlers } from '../handlers.js';
import { isBytes, isError, isPromise, isResponse } from '../../base/platform.js';
import { withTimeout } from '../../base/clock.js';
import { lowerNames } from '../../http/header-fields.js';

interface HandlerParts extends SourceParts {
  /** Handlers that stay when the others are reset. */
  readonly handlers: Handlers;
  /** Milliseconds that a handler may take; 0 for no limit. */
  readonly timeoutMs: number;
  /** The collections of a session. */
  openState(session: Session): State;
}

/** The handlers of one mock: those it was created with, and those that were added while it runs. */
export interface HandlerRegistry {
  readonly source: AnswerSource;
  /** Adds handlers to one session, or to all; they come before those that were added earlier. @throws MockError `HANDLER_INVALID`. */
  add(handlers: Handlers, session?: Session): void;
  /** Removes what was added to one session, or to all. */
  reset(session?: Session): void;
  /** Gives the handlers of one session to another one. */
  copy(from: Session, to: Session): void;
  /** The handlers that were added to one session, or to all. */
  added(session?: Session): HandlerLists;
  /** Takes over the handlers that were added to another version of the contract. @returns the ids of operations that are gone. */
  takeOver(before: HandlerRegistry, sessions: readonly Session[]): readonly string[];
}

/** Handlers by the id of their operation; the first one is asked first. */
type HandlerLists = ReadonlyMap<string, readonly Handler[]>;

/**
 * Answers with the user's own functions.
 *
 * @throws MockError `HANDLER_INVALID` where a handler is for no operation of the contract.
 */
export function createHandlerRegistry(parts: HandlerParts): HandlerRegistry {
  const { contract } = parts;
  const initial = addHandlers(NONE, contract, parts.handlers);
  let shared = NONE;
  // By journal: the branch of a session that one request works on has the same.
  let bySession = new WeakMap<object, HandlerLists>();
  const readAdded = (session?: Session): HandlerLists =>
    session === undefined ? shared : (bySession.get(session.journal) ?? NONE);
  const setAdded = (lists: HandlerLists, session?: Session): void => {
    if (session === undefined) shared = lists;
    else bySession.set(session.journal, lists);
  };
  const find = ({ call, session }: Exchange): readonly Handler[] =>
    [readAdded(session), shared, initial].flatMap((lists) => lists.get(call.operation.id) ?? []);
  return {
    source: {
      name: 'handler',
      hint: 'Change what the handler returns.',
      isRepeatable: (exchange) => find(exchange).length === 0,
      answer: (exchange, next) => {
        const handlers = find(exchange);
        if (handlers.length > 0) return runFirst(parts, handlers, { exchange, next });
        exchange.note('handler: none for this operation');
        return next(exchange);
      },
    },
    add: (handlers, session) => setAdded(addHandlers(readAdded(session), contract, handlers), session),
    reset: (session) => {
      setAdded(NONE, session);
      if (session === undefined) bySession = new WeakMap();
    },
    copy: (from, to) => setAdded(readAdded(from), to),
    added: readAdded,
    takeOver: (before, sessions) => {
      const lists = [undefined, ...sessions].map((session) => ({ session, all: before.added(session) }));
      for (const { session, all } of lists)
        setAdded(new Map([...all].filter(([id]) => contract.operation(id) !== undefined)), session);
      const ids = new Set(lists.flatMap(({ all }) => [...all.keys()]));
      return [...ids].filter((id) => contract.operation(id) === undefined);
    },
  };
}

const NONE: HandlerLists = new Map();

function addHandlers(lists: HandlerLists, contract: Contract, handlers: Handlers): HandlerLists {
  const added = new Map<string, Handler>();
  for (const [key, handler] of Object.entries(handlers)) {
    const { id } = findOperation(contract, key);
    if (typeof handler !== 'function') {
      throw new MockError('HANDLER_INVALID', `the handler of ${JSON.stringify(key)} is not a function`, {
        hint: `write ${JSON.stringify(key)}: ({ json }) => json({ … })`,
      });
    }
    if (added.has(id)) throw new MockError('HANDLER_INVALID', `${id} has two handlers`, { hint: 'keep one of them' });
    added.set(id, handler);
  }
  const joined = [...added].map(([id, handler]) => [id, [handler, ...(lists.get(id) ?? [])]] as const);
  return new Map([...lists, ...joined]);
}

function findOperation(contract: Contract, key: string): Operation {
  const byId = contract.operation(key);
  if (byId !== undefined) return byId;
  const toRoute = ({ method, path }: Operation): string => `${method} ${path}`;
  const byRoute = contract.operations.find((operation) => toRoute(operation) === key);
  if (byRoute !== undefined) return byRoute;
  const names = contract.operations.map((operation) => (key.includes(' ') ? toRoute(operation) : operation.id));
  throw new MockError('HANDLER_INVALID', `no operation of the contract matches the handler ${JSON.stringify(key)}`, {
    hint: suggest(key, names) ?? `the operations are ${names.slice(0, 12).join(', ')}`,
  });
}

type Turn = { readonly exchange: Exchange; readonly next: Next };

async function runFirst(parts: HandlerParts, handlers: readonly Handler[], turn: Turn): Promise<Answer | undefined> {
  const { exchange } = turn;
  const { operation } = exchange.call;
  const [handler, ...rest] = handlers;
  if (handler === undefined) return turn.next(exchange);
  const next: Next = (other) => runFirst(parts, rest, { ...turn, exchange: other });
  const context = createContext(parts, { exchange, next });
  const fail = (problem: string): Answer => {
    const message = `the handler of ${operation.id} ${problem}`;
    return parts.errors.failure(operation, { message, code: 'handler_failed', from: 'handler' });
  };
  let result: HandlerResult;
  try {
    result = await withLimit(handler(context), parts.timeoutMs);
    if (isResponse(result)) {
      exchange.note('handler: answered');
      return await readResponse(result);
    }
  } catch (error) {
    exchange.note(`handler: ${isError(error) && typeof error.stack === 'string' ? error.stack : toReason(error)}`);
    return fail(`failed: ${toReason(error)}`);
  }
  if (result === undefined) {
    exchange.note('handler: it returned undefined');
    return next(exchange);
  }
  exchange.note('handler: answered');
  const kind = typeof result === 'object' ? 'an object' : `a ${typeof result}`;
  const advice = 'return a JSON value, a Response, or json(…)';
  const answer = toAnswer(result, context, (status) => createDeclared(parts, exchange, status));
  if (answer !== undefined)
    return isStream(answer.body)
      ? { ...answer, body: noteFailure(answer.body[Symbol.asyncIterator](), exchange) }
      : answer;
  return fail(`returned ${kind} that is not JSON: ${advice}`);
}

/** The result of a handler. @throws Error where it takes too long. */
function withLimit(result: HandlerResult | Promise<HandlerResult>, ms: number): HandlerResult | Promise<HandlerResult> {
  if (!isPromise(result) || ms === 0) return result;
  return withTimeout(result, ms, `it did not answer within ${ms} ms (the option "responses.handlerTimeoutMs")`);
}

/** The items of a stream; its failure, after which no error can be sent any more, is a line of the trace. */
async function* noteFailure(iterator: AsyncIterator<unknown>, { note }: Exchange): AsyncGenerator {
  try {
    yield* { [Symbol.asyncIterator]: () => iterator };
  } catch (error) {
    note(`handler: its stream failed: ${toReason(error)}`);
    throw error;
  }
}

/** The answer that plain data means; undefined where it cannot be sent. */
function toAnswer(
  result: Exclude<HandlerResult, undefined | void>,
  { json, empty }: HandlerContext,
  createBody: (status: number) => unknown,
): Answer | undefined {
  if (isAnswer(result)) return { ...result, ...readSource(result.from) };
  if (!isPlainResponse(result)) return isSendable(result) ? json(result) : undefined;
  const { 'content-type': declared, ...headers } = lowerNames(result.headers ?? {});
  const mediaType = result.mediaType ?? (typeof declared === 'string' ? declared : undefined);
  const body = result.body === undefined && mediaType === undefined ? createBody(result.status) : result.body;
  if (body === undefined) return empty(result.status, headers);
  return json(body, { status: result.status, headers, ...(mediaType === undefined ? {} : { mediaType }) });
}

/** The body that a contract declares as JSON for a status: its example, an error, or a generated value; undefined where it declares none. */
function createDeclared({ errors, generator }: HandlerParts, exchange: Exchange, status: number): unknown {
  const { call } = exchange;
  const { media, response } = chooseResponse(call.operation, null, status) ?? {};
  if (media?.schema === undefined || !isJsonType(media.type)) return undefined;
  const example = response?.status === String(status) ? media.examples[0] : undefined;
  if (example !== undefined) return example.value;
  if (status >= 400)
    return errors.answer(call.operation, { status, message: `a handler answers ${status}`, hasFixedStatus: true }).body;
  return generator.value(
    media.schemaPointer,
    toGenerateContext(exchange, `handler ${call.operation.id}\n${nameCall(call)}`),
  );
}

const RESPONSE_MEMBERS: ReadonlySet<string> = new Set(['status', 'headers', 'body', 'mediaType']);

function isPlainResponse(value: unknown): value is HandlerResponse {
  if (!isObject(value) || !Number.isInteger(value['status'])) return false;
  const status = Number(value['status']);
  return status >= 200 && status <= 599 && Object.keys(value).every((name) => RESPONSE_MEMBERS.has(name));
}

function isSendable(value: unknown): boolean {
  if (isBytes(value) || (isObject(value) && Symbol.asyncIterator in value)) return true;
  try {
    return JSON.stringify(value) !== undefined;
  } catch {
    // It refers to itself, or has a member that JSON cannot express.
    return false;
  }
}

function createContext(parts: HandlerParts, { exchange, next }: Turn): HandlerContext {
  const { call, session } = exchange;
  const json = (body: unknown, more: AnswerDetails = {}): Answer => {
    const choice = chooseResponse(call.operation, call.accept, more.status);
    const other = choice?.response?.content.find((media) => isJsonType(media.type))?.type;
    // A string or bytes for an operation that does not declare JSON: text, a file.
    const raw = other === undefined && (typeof body === 'string' || isBytes(body));
    const fallback = raw ? choice?.mediaType : other;
    const declared = choice?.mediaType !== undefined && isJsonType(choice.mediaType) ? choice.mediaType : fallback;
    return {
      status: more.status ?? choice?.status ?? 200,
      headers: lowerNames(more.headers ?? {}),
      body,
      mediaType: more.mediaType ?? declared ?? 'application/json',
      from: 'handler',
      violations: NO_VIOLATIONS,
    };
  };
  return {
    call: toHandlerCall(call),
    session: session.id,
    state: parts.openState(session),
    clock: session.clock,
    seed: session.seed,
    next: async () => toOwnBody(await next(exchange)),
    json,
    complete: (partial, more) => {
      const answer = json(partial, more);
      const { media } = chooseResponse(call.operation, null, answer.status) ?? {};
      if (media?.schema === undefined) return answer;
      const context = toGenerateContext(exchange, `handler ${call.operation.id}\n${nameCall(call)}`);
      return { ...answer, body: parts.generator.complete(media.schemaPointer, partial, context) };
    },
    empty: (status = 204, headers = {}) => toEmptyAnswer(status, 'handler', lowerNames(headers)),
    error: (status, message, more = {}) =>
      parts.errors.answer(call.operation, {
        status,
        message,
        ...more,
        from: 'handler',
        hasFixedStatus: true,
      }),
    note: exchange.note,
  };
}

/** An answer whose body the handler may change: examples, generated values and items of the store are shared. */
function toOwnBody(answer: Answer | undefined): Answer | undefined {
  if (answer === undefined) return undefined;
  const shown = { ...answer, from: writeSource(answer), detail: undefined };
  return isStream(answer.body) ? shown : { ...shown, body: copyJson(answer.body) };
}

function isAnswer(value: unknown): value is Answer {
  if (!isObject(value) || !isObject(value['headers']) || !('body' in value)) return false;
  return typeof value['status'] === 'number' && typeof value['from'] === 'string' && Array.isArray(value['violations']);
}

/** The platform's Response as an answer: JSON is read, so that it can be checked; everything else stays bytes. */
async function readResponse(response: Response): Promise<Answer> {
  const mediaType = response.headers.get('content-type') ?? undefined;
  const headers: Record<string, string | readonly string[]> = {};
  for (const [name, value] of response.headers) {
    if (name !== 'content-type' && name !== 'content-length' && name !== 'set-cookie') headers[name] = value;
  }
  const cookies = response.headers.getSetCookie();
  if (cookies.length > 0) headers['set-cookie'] = cookies;
  const bytes = new Uint8Array(await response.arrayBuffer());
  const isEmpty = response.body === null;
  const isJson = mediaType !== undefined && isJsonType(mediaType);
  const body: unknown = isJson && !isEmpty ? readIntegers(new TextDecoder().decode(bytes)) : bytes;
  return {
    status: response.status,
    headers,
    body: isEmpty ? undefined : body,
    mediaType: isEmpty ? undefined : (mediaType ?? 'application/octet-stream'),
    from: 'handler',
    violations: NO_VIOLATIONS,
  };
}
