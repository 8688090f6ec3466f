import { type Contract, readSchemaAt } from '../contract/contract.js';
import { isObject } from '../contract/json.js';
import type { DeclaredResponse, Operation } from '../contract/operations/operation.js';
import type { Answer } from '../http/answer.js';
import { findResponse } from '../contract/operations/responses.js';
import { findMedia, isJsonType, isSequenceType, toEssence } from '../http/media-type.js';
import { isStream } from '../http/response/encode.js';
import type { SchemaCheck, Validators } from '../schema/validate.js';
import { NO_VIOLATIONS, type Violation } from '../schema/violation.js';
import { isSendable } from './declared-headers.js';
import { type ItemPlan, planItems } from './generated-body.js';
import { type LinkPlan, planLinks } from './links.js';

/** What the contract says about the answers of an operation with one status and media type. */
export interface AnswerPlan {
  readonly response: DeclaredResponse | undefined;
  readonly schemaPointer: string | undefined;
  /** Of a success only. */
  readonly links: readonly LinkPlan[];
  /** Names in lower case, without those that an answer never sets. */
  readonly requiredHeaders: readonly string[];
  /** Whether all of the schema can be used; known after the first check. */
  isWhole(): boolean;
  /** The violations of a body; a stream is not read for it. */
  check(body: unknown): readonly Violation[];
  /** The body; if it is a stream, its items are checked while they are sent. */
  checkStream(body: unknown): unknown;
}

/** Media types of one operation whose plans are kept. */
const MAX_TYPES = 200;

/** Creates a function that plans answers; each plan is created once. */
export function createAnswerPlans(
  contract: Contract,
  validators: Validators,
): (operation: Operation, answer: Answer) => AnswerPlan {
  const plans = new Map<Operation, Map<string, Map<number, AnswerPlan>>>();
  return (operation, { status, mediaType = '' }) => {
    let byType = plans.get(operation);
    if (byType === undefined) plans.set(operation, (byType = new Map()));
    const byStatus = byType.get(mediaType);
    const known = byStatus?.get(status);
    if (known !== undefined) return known;
    const plan = createPlan({ contract, validators, operation }, status, mediaType);
    if (byStatus !== undefined) byStatus.set(status, plan);
    // A handler may answer with a new media type each time, such as one with a boundary.
    else if (byType.size < MAX_TYPES) byType.set(mediaType, new Map([[status, plan]]));
    return plan;
  };
}

interface PlanParts {
  readonly contract: Contract;
  readonly validators: Validators;
  readonly operation: Operation;
}

function createPlan({ contract, validators, operation }: PlanParts, status: number, mediaType: string): AnswerPlan {
  const response = findResponse(operation, status);
  const requiredHeaders = (response?.headers ?? [])
    .filter(({ name, required }) => required && isSendable(name))
    .map(({ name }) => name.toLowerCase());
  const plan = {
    response,
    requiredHeaders,
    links: status >= 200 && status < 300 ? planLinks(contract, response) : [],
    schemaPointer: undefined,
    isWhole: () => true,
    check: () => NO_VIOLATIONS,
    checkStream: (body: unknown): unknown => body,
  };
  const undeclared = findUndeclared(operation, status, mediaType);
  if (undeclared !== undefined) {
    const found = [undeclared];
    return { ...plan, check: (body) => (undeclared.in === 'status' || body !== undefined ? found : NO_VIOLATIONS) };
  }
  const media = response === undefined || mediaType === '' ? undefined : findMedia(response.content, mediaType);
  const essence = toEssence(mediaType);
  if (media === undefined) return plan;
  if (isSequenceType(essence)) {
    const items = planItems(contract, media, essence);
    if (items === undefined) return plan;
    const check = validators.check(items.schemaPointer, 'response');
    return {
      ...plan,
      isWhole: () => validators.isWhole(items.schemaPointer),
      check: checkAll(check, items),
      checkStream: (body) => (isStream(body) ? checkItems(body, check, items) : body),
    };
  }
  if (media.schema === undefined) return plan;
  const { schemaPointer } = media;
  const check = validators.check(schemaPointer, 'response');
  // A string in another format (XML, CSV) is checked only against a schema for strings.
  const checksStrings = isJsonType(essence) || readSchemaAt(contract, schemaPointer)?.type === 'string';
  return {
    ...plan,
    schemaPointer,
    isWhole: () => validators.isWhole(schemaPointer),
    check: (body) =>
      isOpaque(body) || (typeof body === 'string' && !checksStrings) ? NO_VIOLATIONS : check(body, 'body'),
  };
}

/** An undeclared status or media type; errors need not be declared, since the mock itself answers with them. */
function findUndeclared(operation: Operation, status: number, mediaType: string): Violation | undefined {
  const response = findResponse(operation, status);
  if (status >= 400 || operation.responses.length === 0) return undefined;
  const about = { severity: 'error', pointer: '', by: 'mock' } as const;
  if (response === undefined) {
    // A 1xx is not a final response, so an operation that declares nothing else answers 204.
    const isBare = operation.responses.every((one) => one.status.startsWith('1'));
    const declared = operation.responses.map((one) => one.status).join(', ');
    const message = `status ${status} is not declared by ${operation.id}, which declares ${declared}`;
    return status === 204 && isBare ? undefined : { ...about, code: 'STATUS_UNDECLARED', in: 'status', message };
  }
  if (mediaType === '' || response.content.length === 0 || findMedia(response.content, mediaType) !== undefined)
    return undefined;
  const types = response.content.map(({ type }) => type).join(', ');
  const message = `media type "${mediaType}" is not declared for status ${status}, which has ${types}`;
  return { ...about, code: 'MEDIA_TYPE_UNDECLARED', in: 'header', pointer: '/content-type', message };
}

/** Whether there is no body, or one that is not a JSON value. */
function isOpaque(body: unknown): boolean {
  return body === undefined || body instanceof Uint8Array || isStream(body);
}

function checkAll(check: SchemaCheck, items: ItemPlan): (body: unknown) => readonly Violation[] {
  return (body) => (Array.isArray(body) ? body.flatMap((item) => check(readItem(item, items), 'body')) : NO_VIOLATIONS);
}

async function* checkItems(
  stream: AsyncIterable<unknown>,
  check: SchemaCheck,
  items: ItemPlan,
): AsyncIterable<unknown> {
  for await (const item of stream) {
    if (!(item instanceof Uint8Array) && !isMarker(item, items)) {
      const [first] = check(readItem(item, items), 'body');
      if (first !== undefined) throw new Error(`an item of the stream breaks the contract: ${first.message}`);
    }
    yield item;
  }
}

/** Whether an item is a marker of the protocol: a string among objects, such as `[DONE]`. */
function isMarker(item: unknown, items: ItemPlan): boolean {
  return typeof readItem(item, items) === 'string' && items.form !== 'event';
}

/** The part of an item that the schema describes. */
function readItem(item: unknown, { form }: ItemPlan): unknown {
  return form === 'data' && isObject(item) && 'data' in item ? item['data'] : item;
}
