import { type Contract, readSchemaAt } from '../contract/contract.js';
import type { DeclaredResponse, Operation } from '../contract/operations/operation.js';
import type { Answer } from '../http/answer.js';
import { findResponse } from '../contract/operations/responses.js';
import { isSequenceType, findMedia, isJsonType, toEssence } from '../contract/media-type.js';
import { isStream } from '../http/response/encode.js';
import { isMarker, type ItemPlan, planItems, readItem, readKnownItems } from '../http/stream-items.js';
import type { SchemaCheck, Validators } from '../schema/validate.js';
import { memoize } from '../memoize.js';
import { NO_VIOLATIONS, type Violation } from '../schema/violation.js';
import { isSendable } from './declared-headers.js';
import { type LinkPlan, planLinks } from './links.js';
import { isBytes } from '../platform.js';

/** What the contract says about the answers of an operation with one status and media type. */
export interface AnswerPlan {
  readonly response: DeclaredResponse | undefined;
  readonly schemaPointer: string | undefined;
  /** Of a success only. */
  readonly links: readonly LinkPlan[];
  /** Names in lower case, without those that an answer never sets. */
  readonly requiredHeaders: readonly string[];
  /** Of a success: other declared headers, whose values depend on nothing in the answer. */
  readonly otherHeaders: readonly string[];
  /** Whether all of the schema can be used; known after the first check. */
  isWhole(): boolean;
  /** The violations of a body; a stream is not read for it. */
  check(body: unknown): readonly Violation[];
  /** The body; if it is a stream, its items are checked while they are sent. */
  checkStream(body: unknown): unknown;
}

/** Headers that depend on the item, the page or the request, so that only the source of an answer knows if there is a value. */
const DEPENDENT_HEADER =
  /^(link|location|etag|last-modified|retry-after|set-cookie|www-authenticate|content-.*|preference-applied|idempoten.*)$|total|count|page|next|prev|cursor|offset|continuation|marker|range|deprecat|sunset|replay/;

/** Media types of one operation whose plans are kept: a handler may answer with a new one each time, such as one with a boundary. */
const MAX_TYPES = 200;

/** Creates a function that plans answers; each plan is created once. */
export function createAnswerPlans(
  contract: Contract,
  validators: Validators,
): (operation: Operation, answer: Answer) => AnswerPlan {
  const find = memoize((operation: Operation) =>
    memoize(
      (mediaType: string) =>
        memoize((status: number) => createPlan({ contract, validators, operation }, status, mediaType)),
      MAX_TYPES,
    ),
  );
  return (operation, { status, mediaType = '' }) => find(operation)(mediaType)(status);
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
  const isSuccess = status >= 200 && status < 300;
  const otherHeaders = (isSuccess ? (response?.headers ?? []) : [])
    .map(({ name }) => name.toLowerCase())
    .filter((name) => isSendable(name) && !requiredHeaders.includes(name) && !DEPENDENT_HEADER.test(name));
  const plan = {
    response,
    requiredHeaders,
    otherHeaders,
    links: isSuccess ? planLinks(contract, response) : [],
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
      check: (body) => {
        const known = readKnownItems(body)?.filter((item) => items.form === 'event' || !isMarker(item));
        return known?.flatMap((item) => check(readItem(item, items), 'body')) ?? NO_VIOLATIONS;
      },
      checkStream: (body) =>
        isStream(body) && readKnownItems(body) === undefined ? checkItems(body, check, items) : body,
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
  return body === undefined || isBytes(body) || isStream(body);
}

async function* checkItems(
  stream: AsyncIterable<unknown>,
  check: SchemaCheck,
  items: ItemPlan,
): AsyncIterable<unknown> {
  for await (const item of stream) {
    const value = readItem(item, items);
    // A string among objects is a marker of the protocol.
    if (!isBytes(item) && (typeof value !== 'string' || items.form === 'event')) {
      const [first] = check(value, 'body');
      if (first !== undefined) throw new Error(`an item of the stream breaks the contract: ${first.message}`);
    }
    yield item;
  }
}
