import type { Contract } from '../../contract/contract.js';
import { isObject } from '../../contract/json.js';
import type { Operation } from '../../contract/operations/operation.js';
import { MockError, nearest } from '../../errors.js';
import type { Generator } from '../../generate/generate.js';
import type { Answer } from '../../http/answer.js';
import { isJsonType } from '../../http/media-type.js';
import { NO_VIOLATIONS } from '../../schema/violation.js';
import type { State } from '../../session/handle.js';
import type { Session } from '../../session/session.js';
import { type AnswerSource, type Exchange, nameCall, type Next } from '../chain.js';
import { chooseResponse } from '../choose-response.js';
import type { ErrorAnswers } from '../error-answers.js';
import type { AnswerMore, Handler, HandlerContext, HandlerResult, Handlers } from '../handlers.js';

/** What the source of handlers is made of. */
interface HandlerParts {
  readonly contract: Contract;
  readonly generator: Generator;
  readonly errors: ErrorAnswers;
  readonly handlers: Handlers;
  /** The collections of a session, as a handler holds them. */
  openState(session: Session): State;
}

/**
 * Answers with the user's own code.
 *
 * @throws MockError `HANDLER_INVALID` at once where a handler is for no operation of the contract.
 */
export function createHandlerSource(parts: HandlerParts): AnswerSource {
  const handlers = indexHandlers(parts);
  return {
    name: 'handler',
    hint: 'Change what the handler returns.',
    answer: (exchange, next) => {
      const handler = handlers.get(exchange.call.operation);
      return handler === undefined ? next() : run(parts, handler, { exchange, next });
    },
  };
}

function indexHandlers({ contract, handlers }: HandlerParts): ReadonlyMap<Operation, Handler> {
  const found = new Map<Operation, Handler>();
  for (const [key, handler] of Object.entries(handlers)) {
    const operation = findOperation(contract, key);
    if (typeof handler !== 'function') {
      throw new MockError('HANDLER_INVALID', `the handler of ${JSON.stringify(key)} is no function`, {
        hint: `write ${JSON.stringify(key)}: ({ json }) => json({ … })`,
      });
    }
    if (found.has(operation)) {
      throw new MockError('HANDLER_INVALID', `two handlers are for ${operation.id}`, { hint: 'keep one of them' });
    }
    found.set(operation, handler);
  }
  return found;
}

function findOperation(contract: Contract, key: string): Operation {
  const byId = contract.operation(key);
  if (byId !== undefined) return byId;
  const toRoute = ({ method, path }: Operation): string => `${method} ${path}`;
  const byRoute = contract.operations.find((operation) => toRoute(operation) === key);
  if (byRoute !== undefined) return byRoute;
  const names = contract.operations.map((operation) => (key.includes(' ') ? toRoute(operation) : operation.id));
  const meant = nearest(key, names);
  throw new MockError('HANDLER_INVALID', `a handler is for ${JSON.stringify(key)}, which is not in the contract`, {
    hint: meant === undefined ? `its operations are ${names.slice(0, 12).join(', ')}` : `did you mean "${meant}"?`,
  });
}

interface Turn {
  readonly exchange: Exchange;
  readonly next: Next;
}

async function run(parts: HandlerParts, handler: Handler, turn: Turn): Promise<Answer | undefined> {
  const { exchange, next } = turn;
  const { operation } = exchange.call;
  let result: HandlerResult;
  try {
    result = await handler(createContext(parts, turn));
    if (result instanceof Response) return await readResponse(result);
  } catch (error) {
    exchange.note(`handler: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
    const reason = error instanceof Error ? error.message : String(error);
    return fail(parts, operation, `the handler of ${operation.id} failed: ${reason}`);
  }
  if (result === undefined) return next();
  if (isAnswer(result)) return result;
  return fail(
    parts,
    operation,
    `the handler of ${operation.id} gave back ${quote(result)}, which is no answer: use json(…)`,
  );
}

function quote(result: unknown): string {
  try {
    return JSON.stringify(result)?.slice(0, 80) ?? typeof result;
  } catch {
    // It refers to itself, or holds what JSON has no words for.
    return `an ${typeof result} that is no JSON`;
  }
}

function fail({ errors }: HandlerParts, operation: Operation, message: string): Answer {
  return errors.failure(operation, { message, code: 'handler_failed', from: 'handler' });
}

function createContext(parts: HandlerParts, { exchange, next }: Turn): HandlerContext {
  const { call, session } = exchange;
  const toAnswer = (body: unknown, more: AnswerMore = {}): Answer => {
    const choice = chooseResponse(call.operation, { status: more.status, accept: call.headers.get('accept') });
    const json = choice?.response?.content.find((media) => isJsonType(media.type))?.type ?? 'application/json';
    const declared = choice?.mediaType !== undefined && isJsonType(choice.mediaType) ? choice.mediaType : json;
    return {
      status: more.status ?? choice?.status ?? 200,
      headers: lowerNames(more.headers),
      body,
      mediaType: more.mediaType ?? declared,
      from: 'handler',
      violations: NO_VIOLATIONS,
    };
  };
  return {
    call,
    session: session.id,
    state: parts.openState(session),
    clock: session.clock,
    seed: session.seed,
    next: async () => next(),
    json: toAnswer,
    complete: (partial, more) => {
      const answer = toAnswer(partial, more);
      const { media } = chooseResponse(call.operation, { status: answer.status, accept: null }) ?? {};
      if (media?.schema === undefined) return answer;
      const key = `handler ${call.operation.id}\n${nameCall(call)}`;
      const context = {
        seed: session.seed,
        key,
        direction: 'response',
        now: session.clock.now(),
        known: call.path,
      } as const;
      return { ...answer, body: parts.generator.complete(media.schemaPointer, partial, context) };
    },
    empty: (status = 204, headers = {}) => ({
      status,
      headers: lowerNames(headers),
      body: undefined,
      mediaType: undefined,
      from: 'handler',
      violations: NO_VIOLATIONS,
    }),
    error: (status, message, more = {}) =>
      parts.errors.answer(call.operation, { status, message, ...more, from: 'handler' }),
    note: exchange.note,
  };
}

function isAnswer(value: unknown): value is Answer {
  if (!isObject(value) || !isObject(value['headers']) || !('body' in value)) return false;
  return typeof value['status'] === 'number' && typeof value['from'] === 'string' && Array.isArray(value['violations']);
}

function lowerNames(headers: Answer['headers'] = {}): Answer['headers'] {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
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
  const body: unknown = isJson && !isEmpty ? (JSON.parse(new TextDecoder().decode(bytes)) as unknown) : bytes;
  return {
    status: response.status,
    headers,
    body: isEmpty ? undefined : body,
    mediaType: isEmpty ? undefined : (mediaType ?? 'application/octet-stream'),
    from: 'handler',
    violations: NO_VIOLATIONS,
  };
}
