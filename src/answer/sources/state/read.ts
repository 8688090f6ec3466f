import { listMissing } from '../../../schema/fields.js';
import { URLSearchParams } from 'node:url';
import { TextDecoder } from 'node:util';
import { isObject, readMember, filterMembers } from '../../../contract/json.js';
import type { Answer } from '../../../http/answer.js';
import { isCovered, isJsonType, toEssence } from '../../../contract/media-type.js';
import type { Call } from '../../../http/request/call.js';
import { createEnvelope, type Envelope, type EnvelopeFacts, createPageHeaders } from '../../../state/pages/envelope.js';
import { findShapeAt, announcesPages, type ListShape } from '../../../state/pages/list-shape.js';
import {
  isPageMistake,
  type Page,
  type PageMistake,
  type PageRequest,
  type PageTurn,
} from '../../../state/pages/pagination.js';
import { choosePlan, createPagePlan, isDescending, type PagePlan } from '../../../state/pages/plan.js';
import { createView, readSort, type Selection, type View } from '../../../state/pages/view.js';
import type { Resource } from '../../../state/resource.js';
import type { Entry, Item, ItemList } from '../../../state/store/lists/item-list.js';
import type { ItemLocation } from '../../../state/store/on-demand.js';
import { memoize, memoizeOf } from '../../../memoize.js';
import type { Session } from '../../../session/session.js';
import type { Exchange } from '../../chain.js';
import { MAX_ACCEPT_HEADERS, type ResponseChoice } from '../../choose-response.js';
import { createElementOfList } from './bodies.js';
import {
  createListReader,
  createNamedItems,
  createRequiredFilters,
  createSelector,
  type PageValues,
} from './listed-items.js';
import {
  answerItem,
  chooseDeclared,
  isolate,
  type OperationContext,
  pass,
  readOrigin,
  refuse,
  type StateContext,
  type StateHandler,
  toAnswer,
  toNoun,
  type WriteBody,
} from './context.js';
import { createListChooser, createRemovedReader } from './removed.js';
import { answerMissing, createCollectionHandler, createItemHandler } from './request.js';
import { declaresStatus } from '../../../contract/operations/responses.js';

/** Answers with one item. */
export function createReadHandler(context: OperationContext): StateHandler {
  return createItemHandler(
    context,
    (exchange, entry) => answerItem(context, exchange, entry),
    createRemovedReader(context),
  );
}

/**
 * Answers with the content of one item: its bytes, the range of them that a request names where the contract declares 206, or a JSON
 * string where it declares JSON and the client asks for it.
 */
export function createContentHandler(context: OperationContext): StateHandler {
  const hasRanges = declaresStatus(context.binding.operation, 206);
  const isJsonAccepted = memoize(
    (choice: ResponseChoice) => memoize((accept: string | null) => isAccepted(choice, accept), MAX_ACCEPT_HEADERS),
    MAX_ACCEPT_HEADERS,
  );
  return createItemHandler(context, (exchange, { content }) => {
    const { call } = exchange;
    const choice = context.choose(call);
    if (choice === undefined) return undefined;
    if (content === undefined) return pass(exchange, 'no content of the item is stored');
    const { bytes, mediaType = 'application/octet-stream' } = content;
    const isJson = choice.mediaType !== undefined && isJsonType(choice.mediaType);
    if (isJson && isJsonAccepted(choice)(call.accept))
      return toAnswer(choice, new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes));
    const shown = hasRanges ? answerRange(context, exchange, { choice, bytes }) : toAnswer(choice, bytes);
    if (shown.status >= 400) return shown;
    // Documents declare a JSON string for downloads whose clients ask for bytes.
    if (isJson) return isolate({ ...shown, mediaType, schemaPointer: undefined, checked: { body: shown.body } });
    // The contract declares a range: the media type is that of the content.
    return isolate(choice.media?.type.includes('*') === true ? { ...shown, mediaType } : shown);
  });
}

/** The content, or the range of it that a request names. */
function answerRange(
  context: OperationContext,
  exchange: Exchange,
  { choice, bytes }: { readonly choice: ResponseChoice; readonly bytes: Uint8Array },
): Answer {
  const { headers } = exchange.call;
  const size = bytes.byteLength;
  // Contents have no entity tags, so that no `If-Range` holds (RFC 9110 13.1.5).
  const range = headers.has('if-range') ? undefined : readByteRange(headers.get('range'), size);
  if (range === undefined) return toAnswer(choice, bytes, ACCEPTS_RANGES);
  const { from, to } = range;
  if (from >= to) {
    const facts = { status: 416, message: `the content has ${size} bytes`, code: 'invalid_range', param: 'Range' };
    return refuse(context, exchange, { ...facts, headers: { 'content-range': `bytes */${size}` } });
  }
  const part = { ...ACCEPTS_RANGES, 'content-range': `bytes ${from}-${to - 1}/${size}` };
  return toAnswer({ ...choice, status: 206 }, bytes.subarray(from, to), part);
}

const ACCEPTS_RANGES: Answer['headers'] = Object.freeze({ 'accept-ranges': 'bytes' });

/** Whether an `Accept` header has a range that covers a media type. */
function isAccepted({ mediaType }: ResponseChoice, accept: string | null): boolean {
  const ranges = accept?.split(',').map(toEssence) ?? [];
  return (
    ranges.length === 0 || ranges.some((range) => isCovered(toEssence(mediaType ?? ''), range) || isJsonType(range))
  );
}

/** One range of bytes (RFC 9110 14.1.2), its end excluded; undefined without one, and for several, which may be ignored. */
function readByteRange(
  header: string | null,
  size: number,
): { readonly from: number; readonly to: number } | undefined {
  const [, first = '', last = ''] = /^bytes=(\d*)-(\d*)$/.exec(header?.trim() ?? '') ?? [];
  if (first === '') return last === '' ? undefined : { from: Math.max(0, size - Number(last)), to: size };
  if (last !== '' && Number(last) < Number(first)) return undefined;
  return { from: Number(first), to: last === '' ? size : Math.min(size, Number(last) + 1) };
}

/** Answers a list from state: one page, in the requested order, with an envelope that matches it. */
export function createListHandler(context: OperationContext): StateHandler | undefined {
  const { binding } = context;
  const { operation, list: shape } = binding;
  if (shape === undefined) return undefined;
  const schema = binding.elements === undefined ? context.model.schema : context.read(shape.itemSchema);
  const usual = createPagePlan(context.contract, operation, {
    item: schema,
    style: binding.page,
    shape: shape.plan,
    read: context.read,
    resource: context.model.resource,
  });
  const findId = createIdReader(context.model.resource);
  const findWriters = createListWriters(context, shape);
  const chooseList = createListChooser(context);
  const readList = createListReader(context);
  const select = createSelector(binding, usual);
  const withRequiredFilters = createRequiredFilters(usual);
  const createNamed = createNamedItems(context, usual);
  const isPart = declaresStatus(operation, 206);
  const writeHeaders = createPageHeaders(operation, usual.style.name !== 'none' && !announcesPages(shape.plan));

  return createCollectionHandler(context, (exchange, choice, location) => {
    const { call, session } = exchange;
    const values = usual.readValues(call);
    const plan = choosePlan(usual, values);
    createNamed(location, values);
    const { list: whole, origin } = readList(withRequiredFilters(location, values), call);
    const list = chooseList(whole, call);
    const selection = select(location, call, values);
    const view = createView(list, {
      descending: readDescending(plan, values),
      keep: selection.keep,
      order: readSort(plan.sort === undefined ? undefined : values[plan.sort], schema),
    });
    const limit = readLimit(plan, values);
    const page = cutPage(plan, { view, limit, values, recall: list.recall });
    if (isPageMistake(page)) return answerInvalidCursor(context, exchange, { plan, mistake: page, total: view.size });
    noteEmptiness(exchange, selection, { list, view, page });
    const entries = binding.action === 'count' ? [] : view.slice(page.from, page.to).map(origin);
    const url = (turn: PageTurn | 'first' | undefined, absolute: boolean): string =>
      toUrl(call, plan, { turn, absolute });
    const { project, envelope } = findWriters(choice.media?.schemaPointer);
    const items = entries.map((entry) => project(entry, exchange));
    const facts: EnvelopeFacts = {
      page,
      total: view.size,
      limit,
      firstPage: plan.firstPage,
      firstOffset: plan.firstOffset,
      entries,
      items,
      id: findId,
      url,
    };
    const given =
      isPart && page.unit !== undefined && page.to - page.from < view.size ? { ...choice, status: 206 } : choice;
    return toAnswer(given, envelope(session)(facts), writeHeaders(facts));
  });
}

/** Writes the items and the envelope of a list, as the schema of each media type declares them. */
function createListWriters(
  context: OperationContext,
  usual: ListShape,
): (pointer: string | undefined) => {
  readonly project: WriteBody;
  readonly envelope: ReturnType<typeof createEnvelopeReader>;
} {
  const { binding, model, read } = context;
  if (binding.elements !== undefined) {
    const writers = { project: createElementWriter(context), envelope: createEnvelopeReader(context, usual) };
    return () => writers;
  }
  return memoize((pointer) => {
    const shape = binding.action === 'count' ? usual : findShapeAt(read, usual, pointer);
    return {
      project: omitDetail(model.resource, createElementOfList(context, shape.itemSchema)),
      envelope: createEnvelopeReader(context, shape),
    };
  });
}

/** Adds to the trace what left items out of a page: the filters that did, or that there is none at its position. */
function noteEmptiness(
  { note }: Exchange,
  selection: Selection,
  { list, view, page }: { readonly list: ItemList; readonly view: View; readonly page: Page },
): void {
  for (const line of selection.describe()) note(`state: ${line}`);
  if (list.size === 0) note('state: the list has no items');
  else if (view.size > 0 && page.from >= page.to) note(`state: the page has none of the ${view.size} items`);
}

/** Writes an item as lists show it. */
function omitDetail({ detail }: Resource, write: WriteBody): WriteBody {
  if (detail.length === 0) return write;
  return (entry, exchange) => {
    const item = write(entry, exchange);
    return isObject(item) ? filterMembers(item, (name) => !detail.includes(name)) : item;
  };
}

/** Writes the elements of an array of an item, which lists hold as items. */
function createElementWriter({ binding, declared, read }: OperationContext): WriteBody {
  const { itemSchema = '' } = binding.list ?? {};
  const filter = read(itemSchema)?.type === 'object' ? declared.whole(itemSchema) : undefined;
  return ({ item }) => (filter === undefined ? item['name'] : filter(item));
}

function cutPage(
  plan: PagePlan,
  of: Pick<PageRequest, 'limit' | 'recall' | 'view'> & { readonly values: PageValues },
): ReturnType<PagePlan['style']['cut']> {
  const { names, style } = plan;
  const { view, limit, recall, values } = of;
  // Named one by one: a copy of the whole plan takes a twelfth of the time of a list.
  return style.cut({
    view,
    limit,
    recall,
    firstPage: plan.firstPage,
    firstOffset: plan.firstOffset,
    fits: plan.fits,
    numbers: plan.numbers,
    isAlwaysGiven: plan.isAlwaysGiven,
    value: (role) => values[names[role] ?? ''],
  });
}

/** Answers with the newest item of a list. */
export function createLatestHandler(context: OperationContext): StateHandler {
  const findMatching = createMatchReader(context);
  return (exchange, transaction) => {
    const location = context.findLocation(exchange, transaction);
    if ('missing' in location) return location.missing;
    const newest = findMatching(exchange, location).at(-1);
    return newest === undefined
      ? answerMissing(context, exchange, { id: 'latest', location })
      : answerItem(context, exchange, newest);
  };
}

/** Plans which items a request means that names none: all of a list that match the filters of the operation. */
export function createMatchReader(
  context: OperationContext,
): (exchange: Exchange, location: ItemLocation) => readonly Entry[] {
  const { binding, contract, model, read } = context;
  const plan = createPagePlan(contract, binding.operation, { item: model.schema, read });
  const readList = createListReader(context);
  const select = createSelector(binding, plan);
  return ({ call, note }, location) => {
    const { list, origin } = readList(location, call);
    const selection = select(location, call, plan.readValues(call));
    // An expression that cannot be read must not remove everything.
    const kept = selection.isRead ? list.entries.filter((entry) => selection.keep?.(entry) !== false) : [];
    for (const line of selection.describe()) note(`state: ${line}`);
    return kept.map(origin);
  };
}

/** The id of an entry in the form that a cursor has: the value of its property, but not the URL of the item. */
function createIdReader({ idProperty = 'id', selfUrl }: Resource): EnvelopeFacts['id'] {
  return selfUrl === undefined ? ({ item, id }) => readMember(item, idProperty) ?? id : ({ id }) => id;
}

/** A reader of the envelope of a list: what the page does not determine is generated once for a session. */
function createEnvelopeReader(
  { contract, read, validators, generator }: StateContext,
  shape: ListShape,
): (session: Session) => Envelope {
  const { schema } = shape;
  return memoizeOf((session) =>
    createEnvelope(shape, read(schema), {
      accepts: validators.accepts(schema, 'response'),
      listMissing: (body) => listMissing(contract, schema, body),
      findWrong: validators.check(schema, 'response'),
      complete: (known) => {
        const { seed, clock } = session;
        const facts = { seed, key: schema, direction: 'response', now: clock.now() } as const;
        // The schema of an envelope describes an object.
        return generator.complete(schema, known, facts) as Item;
      },
    }),
  );
}

function readDescending(plan: PagePlan, values: PageValues): boolean {
  const given = plan.order === undefined ? undefined : values[plan.order];
  return given === undefined ? plan.descending : isDescending(given);
}

function readLimit(plan: PagePlan, values: PageValues): number {
  const given = values[plan.names.limit ?? ''];
  const limit = typeof given === 'number' ? given : Number(given ?? Number.NaN);
  // Some contracts allow a negative limit: then the default applies.
  const isCount = Number.isFinite(limit) && limit >= 0;
  return Math.min(isCount ? Math.floor(limit) : plan.defaultLimit, plan.maximumLimit);
}

/** The 400 for a cursor that names no item, or the 416 for a range that has none. */
function answerInvalidCursor(
  context: OperationContext,
  exchange: Exchange,
  of: { readonly plan: PagePlan; readonly mistake: PageMistake; readonly total: number },
): Answer {
  const { role, value: given } = of.mistake;
  const param = of.plan.names[role];
  const value = JSON.stringify(given);
  if (role === 'range') {
    const message = `header "${param ?? role}": the list has ${of.total} items, none of them in ${value}`;
    const headers = { 'content-range': `items */${of.total}` };
    return refuse(context, exchange, { status: 416, message, code: 'invalid_range', param, headers });
  }
  // The first of these that is declared, else the last.
  const status = chooseDeclared(context, [400, 422, 400]);
  const problem =
    role === 'token'
      ? `${value} is not a cursor of this list`
      : `no ${toNoun(context.binding.collection)} has the id ${value}`;
  const isQuery = context.binding.operation.parameters.some(({ name }) => name === param);
  const message = `${isQuery ? 'query parameter' : 'body property'} "${param ?? role}": ${problem}`;
  return refuse(context, exchange, { status, message, code: 'invalid_value', param });
}

/** The URL of a list at another position. */
function toUrl(
  call: Call,
  plan: PagePlan,
  to: { readonly turn: PageTurn | 'first' | undefined; readonly absolute: boolean },
): string {
  const [path = '', query = ''] = call.url.split('?');
  const origin = to.absolute ? readOrigin(call) : '';
  if (to.turn === undefined) return origin + call.url;
  const parameters = new URLSearchParams(query);
  for (const role of ['after', 'before', 'token', 'page', 'offset'] as const) {
    const name = plan.names[role];
    if (name !== undefined) parameters.delete(name);
  }
  if (to.turn !== 'first') parameters.set(plan.names[to.turn.role] ?? to.turn.role, String(to.turn.value));
  return `${origin}${path}${parameters.size === 0 ? '' : `?${parameters.toString()}`}`;
}
