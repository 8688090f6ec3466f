import { toDay } from '../../clock.js';
import { isObject } from '../../contract/json.js';
import type { GenerateContext } from '../../generate/generate.js';
import type { Answer } from '../../http/answer.js';
import type { Call } from '../../http/request/call.js';
import { NO_VIOLATIONS } from '../../schema/violation.js';
import {
  type AnswerSource,
  type Exchange,
  nameCall,
  type SourceParts,
  toEmptyAnswer,
  toGenerateContext,
} from '../chain.js';
import { chooseResponse, type ResponseChoice } from '../choose-response.js';
import { createDeclaredHeaders, locateCreated } from '../declared-headers.js';
import { createGenerateBody } from '../generated-body.js';

/** Generates the answer of a chosen response. */
export type GenerateAnswer = (exchange: Exchange, choice: ResponseChoice, changes?: GenerateChanges) => Answer;

interface GenerateChanges {
  /** Instead of the session's seed. */
  readonly seed?: number | undefined;
  /** An invalid value whose valid parts are kept. */
  readonly hint?: unknown;
}

/** Answers with a value generated from the schema of the response and the session's seed. */
export function createGenerateSource(parts: SourceParts): AnswerSource {
  const generate = createGenerateAnswer(parts);
  return {
    name: 'generate',
    onInvalid: 'regenerate',
    isBest: true,
    hint: 'No value was found that fits the schema: look for parts of it that contradict each other.',
    answer: (exchange, next) => {
      const { call } = exchange;
      const choice = chooseResponse(call.operation, call.accept);
      if (choice !== undefined) {
        const { media, mediaType, status } = choice;
        const what = media === undefined ? 'without content' : `${mediaType}, generated from its schema`;
        exchange.note(`generate: answered the response ${status} ${what}`);
        return generate(exchange, choice);
      }
      exchange.note('generate: the operation declares no final response');
      // OpenAPI 3.1 allows an operation without responses.
      const isBare = call.operation.responses.every(({ status }) => status.startsWith('1'));
      return isBare ? toEmptyAnswer(204, 'generate') : next(exchange);
    },
  };
}

/** Creates a function that generates answers. */
export function createGenerateAnswer(parts: SourceParts): GenerateAnswer {
  const { generator, validators } = parts;
  const generateBody = createGenerateBody(parts);
  const writeHeaders = createDeclaredHeaders(generator, validators);
  return (exchange, choice, { seed, hint } = {}) => {
    const { media, mediaType, status, response } = choice;
    const own = readContext(exchange);
    let isContradictory = false;
    const note: GenerateContext['note'] = (line, contradicts = false) => {
      isContradictory ||= contradicts;
      own.note?.(line);
    };
    const context = { ...own, seed: seed ?? own.seed, hint, note };
    // Both are given, or neither.
    const body = media === undefined || mediaType === undefined ? undefined : generateBody(media, mediaType, context);
    const located = response === undefined ? {} : locateCreated(exchange.call, response, { status, body });
    const headers = response === undefined ? {} : { ...writeHeaders(response, context, located), ...located };
    const schemaPointer = media?.schema === undefined ? undefined : media.schemaPointer;
    const answer = { status, headers, body, mediaType, schemaPointer, from: 'generate', violations: NO_VIOLATIONS };
    return isContradictory ? { ...answer, onInvalid: 'report' } : answer;
  };
}

/** What the generated values of an answer depend on: seed, request and day. */
export function readContext(exchange: Exchange): GenerateContext {
  const { call } = exchange;
  const context = toGenerateContext(exchange, `${call.operation.path}\n${nameCall(call)}`);
  // To the day, so that a running clock does not change every answer.
  return { ...context, now: toDay(context.now), known: readKnown(call) };
}

/** The most members of a body that an answer repeats. */
const MAX_MEMBERS = 1000;

function readMembers(body: unknown): Readonly<Record<string, unknown>> {
  if (!isObject(body)) return {};
  const names = Object.keys(body);
  if (names.length <= MAX_MEMBERS) return body;
  return Object.fromEntries(names.slice(0, MAX_MEMBERS).map((name) => [name, body[name]]));
}

/** Values of the request that the answer repeats: of the path, else of the body, else of the query. */
function readKnown(call: Call): Readonly<Record<string, unknown>> {
  const { path } = call.operation;
  // The last path parameter is the id of the answer in `/pets/{id}`, and in actions such as `/pets/{id}/start`.
  const isItemPath = /\}\/?$/.test(path) || ['POST', 'PUT', 'PATCH'].includes(call.method);
  const item = isItemPath ? /\{([^{}/]+)\}(?:[:/][\w-]+)?\/?$/.exec(path)?.[1] : undefined;
  const id = item === undefined ? undefined : call.path[item];
  return { ...call.query, ...readMembers(call.body), ...(id === undefined ? {} : { id }), ...call.path };
}
