import type { IdValue } from '../../base/exact-number.js';
import { digestText } from '../../contract/load/cache.js';
import type { Operation } from '../../contract/operations/operation.js';
import { isObject } from '../../base/json.js';
import type { Answer } from '../../http/answer.js';
import type { Call } from '../../http/request/call.js';
import { hashText } from '../../base/random.js';
import { type Binding, CHANGES, toText } from '../item/resource.js';
import type { ItemProblem } from '../store/items.js';
import type { StoredItem } from '../store/lists/item-list.js';
import type { ItemLocation } from '../store/on-demand.js';
import { type Exchange, toEmptyAnswer } from '../../answer/chain.js';
import {
  type BodyReader,
  chooseDeclared,
  NO_HEADERS,
  type OperationContext,
  type Preconditions,
  refuse,
  type StateContext,
  type StateHandler,
} from './context.js';
import { declaresStatus } from '../../contract/operations/responses.js';
import { isBytes } from '../../base/platform.js';

/** Preconditions that are always met, of items without entity tags. */
export const NO_PRECONDITIONS: Preconditions = { before: () => undefined, headers: () => NO_HEADERS };

/** Plans the preconditions of an operation: entity tags where an operation of the resource declares them, and the version that it takes. */
export function createPreconditions(context: StateContext, binding: Binding, reader: BodyReader): Preconditions {
  const tags = createTagConditions(context, binding);
  const refuseStale = createVersionCheck(context, binding, reader);
  if (refuseStale === undefined) return tags;
  return {
    ...tags,
    before: (exchange, entry, isNew) => refuseStale(exchange, entry, isNew) ?? tags.before(exchange, entry, isNew),
  };
}

/** The statuses of a change that is based on an old version. */
const STALE = [409, 412] as const;

/** Plans the refusal of a change that names an old version of the item, in its body or its query, where the contract declares one. */
function createVersionCheck(
  context: StateContext,
  binding: Binding,
  reader: BodyReader,
): Preconditions['before'] | undefined {
  const { operation, action } = binding;
  const { version, schema } = context.items.model(binding.collection);
  const name = version ?? (schema?.members.has('etag') === true ? 'etag' : undefined);
  const isDeclared = STALE.some((status) => declaresStatus(operation, status));
  if (name === undefined || !isDeclared || !CHANGES.has(action)) return undefined;
  return (exchange, entry, isNew = false) => {
    if (isNew) return undefined;
    const { call } = exchange;
    const given = toText(call.query[name] ?? reader.one(call)[name]);
    const current = toText(entry?.item[name]);
    if (given === undefined || current === undefined || given === current) return undefined;
    const message = `the item has changed: its ${name} is ${current}, not ${given}`;
    const status = chooseDeclared({ binding }, STALE);
    return refuse(context, exchange, { status, message, code: 'conflict', param: name });
  };
}

function createTagConditions(context: StateContext, binding: Binding): Preconditions {
  if (!context.bindingsOf(binding.collection).some(({ operation }) => context.tagged.includes(operation.id)))
    return NO_PRECONDITIONS;
  const noun = context.items.model(binding.collection).resource.idProperty ?? 'item';
  const fail = (exchange: Exchange, param: string, message: string): Answer =>
    refuse(context, exchange, { status: 412, message, code: 'precondition_failed', param });
  return {
    headers: (entry) => ({ etag: toTag(entry) }),
    before: (exchange, entry, isNew = false) => {
      const { call } = exchange;
      const match = call.headers.get('if-match');
      const tag = entry === undefined ? undefined : toTag(entry);
      if (match !== null && !isNew && !isListed(match, tag)) {
        const message = `the ${noun} has changed: If-Match is ${match}, the current ETag is ${tag ?? 'none'}`;
        return fail(exchange, 'If-Match', message);
      }
      const noneMatch = call.headers.get('if-none-match');
      if (noneMatch === null || !isListed(noneMatch, tag)) return undefined;
      // RFC 9110 13.1.2: 304 for a read, 412 for any other method.
      if (call.method !== 'GET' && call.method !== 'HEAD') {
        return fail(exchange, 'If-None-Match', `the item exists: If-None-Match is ${noneMatch}`);
      }
      return toEmptyAnswer(304, 'state', { etag: tag ?? '' });
    },
  };
}

/** Whether an operation declares entity tags: a header for them in a request or a response, or the status 412. */
export function declaresTags(operation: Operation): boolean {
  return (
    operation.parameters.some(({ name, in: place }) => place === 'header' && /^if-(none-)?match$/i.test(name)) ||
    operation.responses.some(({ headers }) => headers.some(({ name }) => /^etag$/i.test(name))) ||
    declaresStatus(operation, 412)
  );
}

/** The entity tag of an item: its `etag` property, else one built from its id and revision. */
function toTag(entry: StoredItem): string {
  const own = entry.item['etag'];
  return typeof own === 'string' ? `"${own}"` : `"${hashText(entry.id).toString(36)}-${entry.revision}"`;
}

/** Whether a list of entity tags contains this one; `*` matches any existing item. Quotes are optional, since many clients omit them. */
function isListed(list: string, tag: string | undefined): boolean {
  if (tag === undefined) return false;
  if (list.trim() === '*') return true;
  const toBare = (text: string): string => text.trim().replace(/^W\//, '').replaceAll('"', '');
  return list.split(',').some((each) => toBare(each) === toBare(tag));
}

interface RememberedAnswer {
  /** A digest of the request, since bodies can be large. */
  readonly request: string;
  readonly answer: Answer;
}

/**
 * Makes a POST or PATCH with an `Idempotency-Key` safe to repeat: the same request gets the same answer and has no further effect;
 * another request with the same key is a conflict. Answers of 500 and above are not remembered, so that a retry is a new attempt.
 */
export function withIdempotency(context: OperationContext, handler: StateHandler): StateHandler {
  const { operation } = context.binding;
  if (operation.method !== 'POST' && operation.method !== 'PATCH') return handler;
  return (exchange, transaction) => {
    const { call } = exchange;
    const key = readKey(call);
    if (key === undefined) return handler(exchange, transaction);
    const name = `${operation.id}\0${key}`;
    // Bytes in base64, so that two uploads of the same bytes are the same request.
    const toPlain = (_: string, value: unknown): unknown =>
      isBytes(value) ? Buffer.from(value).toString('base64') : value;
    const request = digestText(JSON.stringify([call.path, call.query, call.body], toPlain));
    // Only this function remembers answers.
    const known = transaction.recallAnswer(name) as RememberedAnswer | undefined;
    if (known?.request === request) {
      exchange.note(`state: repeated Idempotency-Key ${JSON.stringify(key)}; same answer as before`);
      return known.answer;
    }
    if (known !== undefined) {
      return refuse(context, exchange, {
        status: chooseDeclared(context, [409, 422, 400, 409]),
        message: `the Idempotency-Key ${JSON.stringify(key)} was used for a different request`,
        code: 'idempotency_key_reused',
        param: 'Idempotency-Key',
      });
    }
    const answer = handler(exchange, transaction);
    if (answer === undefined || answer.status >= 500) return answer;
    transaction.rememberAnswer(name, { request, answer } satisfies RememberedAnswer);
    return answer;
  };
}

/** The key of a request: in the header, or in a member of another name for it, such as `idempotency_key` of the body. */
function readKey({ headers, query, body }: Call): string | undefined {
  const own = headers.get('idempotency-key') ?? headers.get('x-idempotency-key');
  const found: unknown = own ?? findKey(query) ?? (isObject(body) ? findKey(body) : undefined);
  return typeof found === 'string' && found !== '' ? found : undefined;
}

function findKey(values: Readonly<Record<string, unknown>>): unknown {
  for (const name of Object.keys(values)) if (IDEMPOTENCY.test(name)) return values[name];
  return undefined;
}

const IDEMPOTENCY = /^[^a-z]*idempotency[^a-z]*(key|token)[^a-z]*$/i;

/** Words that say that a create changes what exists. */
const UPSERT = /upsert|update|replace|\bset/i;

/** The ids that a create names: in a query parameter, and in its body. */
type NamedIds = Readonly<Record<'chosen' | 'own', IdValue | undefined>>;

/**
 * Plans how a create finds out that its id belongs to another item: always for an id in the query, and for one in the body where a name
 * is the id. With other ids in bodies the create replaces the item, as with names of items that were created on demand.
 */
export function createIdCheck({
  binding: { operation },
  model: { resource },
}: OperationContext): (
  location: ItemLocation,
  ids: NamedIds,
) => { readonly id: IdValue; readonly problems: readonly ItemProblem[] } | undefined {
  // A create that declares a conflict has one where the client chooses the id of an item that exists.
  const isNamed = /(^|\.)name$/i.test(resource.idProperty ?? '') || declaresStatus(operation, 409);
  const isCreate = operation.method === 'POST' && resource.members === undefined;
  const isOwnChecked = isNamed && isCreate && !UPSERT.test(`${operation.id} ${operation.summary ?? ''}`);
  return ({ collection, scope }, { chosen, own }) => {
    const id = chosen ?? (isOwnChecked ? own : undefined);
    const entry = id === undefined ? undefined : collection.get(String(id), scope);
    if (id === undefined || entry === undefined || (chosen === undefined && entry.onDemand !== undefined))
      return undefined;
    const message = `the id ${JSON.stringify(id)} is already used`;
    return { id, problems: [{ pointer: '', code: 'UNIQUE', message }] };
  };
}
