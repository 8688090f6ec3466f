import { BODY_METHODS, type MediaType } from '../../contract/operations/operation.js';
import { toDay } from '../../base/clock.js';
import { isObject } from '../../base/json.js';
import type { Contract } from '../../contract/contract.js';
import { isJsonType, isSequenceType, isXmlType, toEssence } from '../../contract/media-type.js';
import type { GenerateContext } from '../../generate/generate.js';
import { isTextType, readSampleFile, readSampleText } from '../../generate/sample-file.js';
import { createItemStream, type ItemPlan, planItems } from '../../http/stream-items.js';
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
import { createSchemaReader } from '../../contract/schema-view/schema-view.js';
import { createEventGenerator } from '../streams/stream-plan.js';
import { createWholeEvents } from '../streams/whole-event.js';

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
    const answer = {
      status,
      headers,
      body,
      mediaType,
      schemaPointer,
      from: 'generate',
      violations: NO_VIOLATIONS,
    };
    return isContradictory ? { ...answer, onInvalid: 'report' } : answer;
  };
}

/** Generates the body of a media type from its schema. */
type GenerateBody = (media: MediaType, mediaType: string, context: GenerateContext) => unknown;

/**
 * Creates a generator of bodies: values of the schema for JSON and XML, strings for `text/*`, small sample files for binary
 * types, a stream of items for sequential ones.
 */
function createGenerateBody(parts: SourceParts): GenerateBody {
  const { contract, generator } = parts;
  const generateEvents = createEventGenerator(parts);
  const generateItem = createItemGenerator(parts);
  return (media, mediaType, context) => {
    const essence = toEssence(mediaType);
    if (isSequenceType(essence)) {
      const plan = planItems(contract, media, essence);
      const events = plan && generateEvents(plan, context);
      return events === undefined ? streamItems(generateItem(plan, essence, context)) : createItemStream(events);
    }
    const isJson = isJsonType(essence) || essence === 'application/x-www-form-urlencoded';
    const usesSchema = isJson || essence === 'text/plain' || !isPlainText(contract, media);
    if (usesSchema && media.schema !== undefined) return generator.value(media.schemaPointer, context);
    if (isJson) return {};
    return isXmlType(essence) || isTextType(essence) ? readSampleText(essence) : readSampleFile(essence);
  };
}

/** Whether a schema allows any string or bytes, so that a sample file of the type is the best body. */
function isPlainText(contract: Contract, media: MediaType): boolean {
  if (media.schema === undefined || media.schema === true) return true;
  const { schema } = contract.resolve(media.schema, media.schemaPointer);
  if (!isObject(schema)) return schema;
  const type = Array.isArray(schema['type']) ? schema['type'].find((one) => one !== 'null') : schema['type'];
  const isText = type === 'string' || type === undefined || type === 'file';
  return isText && !CONSTRAINTS.some((keyword) => schema[keyword] !== undefined);
}

/** Keywords that a sample file may break. */
const CONSTRAINTS = 'enum const pattern minLength maxLength allOf anyOf oneOf properties items not'.split(' ');

/** Items of a generated stream. */
const ITEM_COUNT = 3;

type GenerateItem = (index: number) => unknown;

/** Creates a function that plans how the items of one stream are generated. */
function createItemGenerator({
  contract,
  generator,
}: SourceParts): (plan: ItemPlan | undefined, essence: string, context: GenerateContext) => GenerateItem {
  const read = createSchemaReader(contract);
  return (plan, essence, context) => {
    const pointer = plan?.json?.schemaPointer ?? plan?.schemaPointer;
    const generate: GenerateItem = (index) => {
      const key = `${context.key}\nitem ${index}`;
      return pointer === undefined ? {} : generator.value(pointer, { ...context, key });
    };
    if (plan?.form === 'event') {
      const write = createWholeEvents({ generator, read }, plan, context);
      return (index) => write(plan.json === undefined ? {} : { data: generate(index) }, index);
    }
    return essence === 'text/event-stream' ? (index) => ({ data: generate(index) }) : generate;
  };
}

/** A stream of a few items. */
function streamItems(generate: GenerateItem): AsyncIterable<unknown> {
  return {
    async *[Symbol.asyncIterator]() {
      for (let i = 0; i < ITEM_COUNT; i++) yield generate(i);
    },
  };
}

/** Returns the inputs of the generated values of an answer: seed, request and day. */
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
  const isItemPath = /\}\/?$/.test(path) || BODY_METHODS.includes(call.method);
  const item = isItemPath ? /\{([^{}/]+)\}(?:[:/][\w-]+)?\/?$/.exec(path)?.[1] : undefined;
  const id = item === undefined ? undefined : call.path[item];
  return { ...call.query, ...readMembers(call.body), ...(id === undefined ? {} : { id }), ...call.path };
}
