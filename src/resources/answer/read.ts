import { URLSearchParams } from 'node:url';
import { TextDecoder } from 'node:util';
import { listMissing } from '../../schema/fields.js';
import { NO_MEMBERS, filterMembers, isObject, readMember, withPath } from '../../base/json.js';
import type { Answer, ListAnswer } from '../../http/answer.js';
import { isCovered, isJsonType, toEssence } from '../../contract/media-type.js';
import type { Call } from '../../http/request/call.js';
import { createEnvelope, createPageHeaders, type Envelope, type EnvelopeFacts } from '../list/envelope.js';
import { findShapeAt, hasField, type ListShape, readRoleUse } from '../list/list-shape.js';
import { isPageMistake, type Page, type PageMistake, type PageTurn } from '../list/pagination.js';
import { choosePlan, createPagePlan, isDescending, type PagePlan } from '../list/plan.js';
import { createView, readSort, type Selection, type View } from '../list/view.js';
import { isTopLevel, type Resource } from '../item/resource.js';
import { listProperties } from '../../contract/schema-view/schema-view.js';
import { type StoredItem, findIndex, type Item, type ItemList } from '../store/lists/item-list.js';
import type { ItemLocation } from '../store/on-demand.js';
import { memoize, memoizeOf } from '../../base/memoize.js';
import type { Session } from '../../session/session.js';
import { declaresStatus } from '../../contract/operations/responses.js';
import { readScope, toChildScope, toScope } from '../store/collection.js';
import type { Exchange } from '../../answer/chain.js';
import type { ResponseChoice } from '../../answer/choose-response.js';
import { createElementOfList, createOptionalMembers } from './bodies.js';
import {
  answerItem,
  chooseDeclared,
  isolate,
  listForms,
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
import { createIgnoredHeader, createSelector, listIds, type PageValues } from './selection.js';
import { createListChooser, createRemovedReader } from './removed.js';
import { answerMissing, createCollectionHandler, createItemHandler, readItemId } from './request.js';

/** Answers with one item. */
export function createReadHandler(context: OperationContext): StateHandler {
  return createItemHandler(
    context,
    (exchange, entry) => answerItem(context, exchange, entry),
    createRemovedReader(context),
  );
}

/** Answers with the content of one item: its bytes, or a JSON string where the client asks for it. */
export function createContentHandler(context: OperationContext): StateHandler {
  return createItemHandler(context, (exchange, { content }) => {
    const { call } = exchange;
    const choice = context.choose(call);
    if (choice === undefined) return undefined;
    if (content === undefined) return pass(exchange, 'no content of the item is stored');
    const { bytes, mediaType = 'application/octet-stream' } = content;
    const isJson = choice.mediaType !== undefined && isJsonType(choice.mediaType);
    if (isJson && isAccepted(choice, call.accept))
      return toAnswer(choice, new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes));
    const shown = toAnswer(choice, bytes);
    // Documents declare a JSON string for downloads whose clients ask for bytes.
    if (isJson) return isolate({ ...shown, mediaType, schemaPointer: undefined, checked: { body: shown.body } });
    // The contract declares a range: the media type is that of the content.
    return isolate(choice.media?.type.includes('*') === true ? { ...shown, mediaType } : shown);
  });
}

/** Whether an `Accept` header has a range that covers a media type. */
function isAccepted({ mediaType }: ResponseChoice, accept: string | null): boolean {
  const ranges = accept?.split(',').map(toEssence) ?? [];
  return (
    ranges.length === 0 || ranges.some((range) => isCovered(toEssence(mediaType ?? ''), range) || isJsonType(range))
  );
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
  const select = createSelector(context, usual);
  const withRequiredFilters = createRequiredFilters(usual);
  const createNamed = createNamedItems(context, usual);
  const writeIgnored = createIgnoredHeader(context, usual);
  const isPart = declaresStatus(operation, 206);
  const writeHeaders = createPageHeaders(
    operation,
    usual.style.name !== 'none' && !hasField(shape.plan, ({ role }) => readRoleUse(role).announces === true),
  );

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
    const { names, style } = plan;
    const page = style.cut({ plan, view, limit, recall: list.recall, value: (role) => values[names[role] ?? ''] });
    if (isPageMistake(page)) return answerInvalidCursor(context, exchange, { plan, mistake: page, total: view.size });
    noteEmptiness(exchange, selection, { list, view, page });
    // Nothing is declared about the answer, and nothing was sent that it could show.
    if (choice.media === undefined && list.size === 0) return toAnswer({ ...choice, mediaType: undefined }, undefined);
    const entries = binding.action === 'count' ? [] : view.slice(page.from, page.to).map(origin);
    const url = (turn: PageTurn | 'first' | undefined, absolute: boolean): string =>
      toUrl(call, plan, { turn, absolute });
    const { project, envelope, showParent } = findWriters(choice.media?.schemaPointer);
    const written = listForms(entries, project, exchange);
    const items = written.map(({ item }) => item);
    const facts: EnvelopeFacts = { plan, page, total: view.size, limit, entries, items, id: findId, url };
    const given =
      isPart && page.unit !== undefined && page.to - page.from < view.size ? { ...choice, status: 206 } : choice;
    const body = repeatSearch(showParent(envelope(session)(facts), location), plan, values);
    const headers = { ...writeHeaders(facts), ...writeIgnored(exchange, values, selection) };
    return { ...toAnswer(given, body, headers), listed: { items, written } } satisfies ListAnswer;
  });
}

/** The body of a search with the words that were searched for, where it shows them under the name of their parameter. */
function repeatSearch(body: unknown, { search = '' }: PagePlan, values: PageValues): unknown {
  const isShown = isObject(body) && typeof body[search] === 'string' && typeof values[search] === 'string';
  return isShown ? { ...body, [search]: values[search] } : body;
}

/** Writes the items and the envelope of a list, as the schema of each media type declares them. */
function createListWriters(
  context: OperationContext,
  usual: ListShape,
): (pointer: string | undefined) => {
  readonly project: WriteBody;
  readonly envelope: ReturnType<typeof createEnvelopeReader>;
  readonly showParent: ReturnType<typeof createParentWriter>;
} {
  const { binding, model, read } = context;
  if (binding.elements !== undefined) {
    const envelope = createEnvelopeReader(context, usual);
    const writers = { project: createElementWriter(context), envelope, showParent: (body: unknown) => body };
    return () => writers;
  }
  return memoize((pointer) => {
    const shape = binding.action === 'count' ? usual : findShapeAt(read, usual, pointer);
    return {
      project: omitDetail(model.resource, createElementOfList(context, shape.itemSchema)),
      envelope: createEnvelopeReader(context, shape),
      showParent: createParentWriter(context, shape),
    };
  });
}

/** Plans the object beside a list that is the parent of its items, where one has the schema of the parent: `{ sheets: […], binder: {…} }`. */
function createParentWriter(
  { binding, items, read, resources, declared }: OperationContext,
  { schema }: ListShape,
): (body: unknown, location: ItemLocation) => unknown {
  const parent = resources.collections.get(binding.parents.at(-1)?.collection ?? '');
  const shown = listProperties(read(schema)).filter(({ target }) => read(target)?.pointer === parent?.schema);
  const [member] = shown;
  if (parent?.schema === undefined || member === undefined || shown.length > 1) return (body) => body;
  const filter = declared.inside(parent.schema) ?? ((item) => item);
  return (body, { transaction, scope }) => {
    const ids = readScope(scope);
    const above = items.locate(transaction, parent.name, isTopLevel(parent) ? '' : toScope(...ids.slice(0, -1)));
    const entry = items.find(above, ids.at(-1) ?? '');
    return entry === undefined ? body : { ...(body as Item), [member.name]: filter(entry.item) };
  };
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
): (exchange: Exchange, location: ItemLocation) => readonly StoredItem[] {
  const { binding, contract, model, read } = context;
  const plan = createPagePlan(contract, binding.operation, { item: model.schema, read });
  const readList = createListReader(context);
  const select = createSelector(context, plan);
  return ({ call, note }, location) => {
    const { list, origin } = readList(location, call);
    const selection = select(location, call, plan.readValues(call));
    // An expression that cannot be read must not remove everything.
    const kept =
      selection.ignored.length === 0 ? list.entries.filter((entry) => selection.keep?.(entry) !== false) : [];
    for (const line of selection.describe()) note(`state: ${line}`);
    return kept.map(origin);
  };
}

/** The id of an entry in the form that a cursor has: the value of its property, but not the URL of the item. */
function createIdReader({ idProperty = 'id', selfUrl }: Resource): EnvelopeFacts['id'] {
  return selfUrl === undefined ? ({ item, id }) => readMember(item, idProperty) ?? id : ({ id }) => id;
}

/** A reader of the envelope of a list: what the page does not determine is generated once for a session. */
function createEnvelopeReader(context: StateContext, shape: ListShape): (session: Session) => Envelope {
  const { contract, read, validators, generator } = context;
  const { schema, path } = shape;
  const accepts = validators.accepts(schema, 'response');
  const generate = (first: Item, { seed, clock }: Session): Item => {
    const make = (pointers: readonly string[]): Item => {
      // An empty list can be wrong (`minItems`), but the page fills it.
      const isList = (name: string): boolean => path.length === 1 && name === path[0];
      const wrong = new Set(pointers.map((pointer) => pointer.split('/')[1] ?? '').filter((name) => !isList(name)));
      if (wrong.size === 0) return {};
      const known = filterMembers(first, (name) => !wrong.has(name) || name === path[0]);
      const facts = { seed, key: schema, direction: 'response', now: clock.now() } as const;
      // The schema of an envelope describes an object.
      return filterMembers(generator.complete(schema, known, facts) as Item, (name) => wrong.has(name));
    };
    if (accepts(first)) return {};
    const usual = make(listMissing(contract, schema, first));
    if (accepts({ ...first, ...usual })) return usual;
    return make(
      validators
        .check(schema, 'response')(first, 'body')
        .map(({ pointer }) => pointer),
    );
  };
  const fill = createOptionalMembers(context, read(schema), path);
  return memoizeOf((session) =>
    createEnvelope(shape, read(schema), (first) =>
      fill(generate(first, session), { session, key: schema, known: first }),
    ),
  );
}

function readDescending(plan: PagePlan, values: PageValues): boolean {
  const given = plan.order === undefined ? undefined : values[plan.order];
  return given === undefined ? plan.descending : isDescending(given);
}

function readLimit(plan: PagePlan, values: PageValues): number {
  const given = plan.limits.map((name) => values[name]).find((value) => value !== undefined);
  const limit = typeof given === 'number' ? given : Number(given ?? Number.NaN);
  if (limit < 0 && plan.isUnlimited) return plan.maximumLimit;
  // Some contracts allow a negative limit, or mean none by 0: then the default applies.
  const isCount = Number.isFinite(limit) && limit >= (plan.defaultLimit === Infinity ? 1 : 0);
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
  for (const [role, name] of Object.entries(plan.names)) if (role !== 'limit') parameters.delete(name);
  if (to.turn !== 'first') parameters.set(plan.names[to.turn.role] ?? to.turn.role, String(to.turn.value));
  return `${origin}${path}${parameters.size === 0 ? '' : `?${parameters.toString()}`}`;
}

/** The items of a list, and the entry behind each. */
interface ListedItems {
  readonly list: ItemList;
  /** The entry of the store for an entry of the list. */
  origin(entry: StoredItem): StoredItem;
}

/** Plans which items a list shows: the items of one parent, or of every parent where the path names none. */
function createListReader(context: OperationContext): (location: ItemLocation, call: Call) => ListedItems {
  const { binding, model } = context;
  const { elements } = binding;
  if (elements !== undefined) {
    return (location, call) => {
      const owner = context.items.lookUp(location, readItemId(context, call));
      const own = toElements(owner && readMember(owner.item, elements.property));
      const { of } = elements;
      return listElements(of === undefined ? own : showRelated(context, location, { of, elements: own }));
    };
  }
  if (model.resource.parents.length === 0 || binding.parents.length > 0 || binding.within !== undefined) {
    return (location) => {
      context.items.seed(location);
      advanceAll(context, location);
      return { list: location.collection.list(location.scope), origin: (entry) => entry };
    };
  }
  const seed = createParentSeed(context);
  return (location) => {
    seed(location);
    for (const scope of location.collection.scopes) advanceAll(context, { ...location, scope });
    return joinLists(location.collection);
  };
}

/** Creates the items that a request names, where unknown ids are created, so that a list shows them as a read does. */
function createNamedItems(
  { binding: { elements, parents, within }, items, model }: OperationContext,
  { ids }: PagePlan,
): (location: ItemLocation, values: PageValues) => void {
  const isOfOne = elements === undefined && within === undefined && model.resource.parents.length === parents.length;
  if (ids === undefined || !isOfOne) return () => undefined;
  const { property } = ids;
  return (location, values) => {
    for (const id of listIds(ids, values)) {
      const known = property === undefined ? location.known : { ...location.known, [property]: id };
      items.find({ ...location, known }, id);
    }
  };
}

/** Adds the required filters of a request to the location, so that the initial items of a list match them. */
function createRequiredFilters({ filters }: PagePlan): (location: ItemLocation, values: PageValues) => ItemLocation {
  const required = filters.filter(({ isRequired }) => isRequired);
  if (required.length === 0) return (location) => location;
  return (location, values) => {
    let given: Item = NO_MEMBERS;
    for (const { parameter, property, inner, isMany } of required) {
      const value = values[parameter];
      const path = [...property.split('.'), ...(inner === undefined ? [] : [inner])];
      given = withPath(given, path, isMany === true && Array.isArray(value) ? value[0] : value);
    }
    const part = `${location.part}?${JSON.stringify(given)}`;
    return { ...location, known: { ...location.known, ...given }, part };
  };
}

/** The items of a collection that elements identify, those that exist. */
export function showRelated(
  { items }: Pick<OperationContext, 'items'>,
  { transaction }: Pick<ItemLocation, 'transaction'>,
  { of, elements }: { readonly of: string; readonly elements: readonly unknown[] },
): readonly Item[] {
  const location = items.locate(transaction, of);
  return elements.flatMap((each) => {
    const found = isObject(each) ? items.find(location, String(each['id'])) : undefined;
    return found === undefined ? [] : [found.item];
  });
}

/** The elements of an array; none for any other value. */
export function toElements(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The elements of an array as a list; a string or a number is the `name` of its item. */
function listElements(elements: readonly unknown[]): ListedItems {
  const entries = elements.map((element, i): StoredItem => {
    const item = isObject(element) ? element : { name: element };
    return { id: String(i), sequence: i, item, revision: 1, size: 0, content: undefined };
  });
  const get = (id: string): StoredItem | undefined => entries[Number(id)];
  return { list: { size: entries.length, entries, removed: [], get, recall: get }, origin: (entry) => entry };
}

/** Advances the statuses of the items of a list by the clock. */
function advanceAll({ items, model }: OperationContext, location: ItemLocation): void {
  if (model.lifecycle?.stepMs === undefined) return;
  for (const entry of location.collection.list(location.scope).entries.slice()) items.advance(location, entry, 'clock');
}

/** Creates the initial items below the parents that exist. */
function createParentSeed({ items, model, bindingsOf, binding }: OperationContext): (location: ItemLocation) => void {
  const [parent, ...others] = model.resource.parents;
  const [link] = bindingsOf(binding.collection).find(({ parents }) => parents.length === 1)?.parents ?? [];
  const names = (link?.parameters ?? []).filter((name) => model.schema?.members.has(name));
  return (location) => {
    // Deeper lists show what was created.
    if (parent === undefined || others.length > 0) return;
    const above = items.locate(location.transaction, parent);
    items.seed(above);
    for (const { id } of above.collection.list('').entries) {
      const known = Object.fromEntries(names.map((name) => [name, id]));
      items.seed({ ...location, scope: toScope(id), known });
    }
  };
}

/** The lists of all scopes as one; ids in it begin with the scope, since items of two parents can have the same id. */
function joinLists({ scopes, list }: ItemLocation['collection']): ListedItems {
  const origins: StoredItem[] = [];
  const entries: StoredItem[] = [];
  const byId = new Map<string, StoredItem>();
  const starts = new Map<string, number>();
  for (const scope of scopes) {
    starts.set(scope, entries.length);
    for (const entry of list(scope).entries) {
      const id = toChildScope(scope, entry.id);
      const joined = { ...entry, id, sequence: entries.length };
      origins.push(entry);
      entries.push(joined);
      byId.set(id, joined);
    }
  }
  const recall = (id: string): StoredItem | undefined => {
    const known = byId.get(id) ?? entries.find((_, i) => origins[i]?.id === id);
    if (known !== undefined) return known;
    const ids = readScope(id);
    const scope = toScope(...ids.slice(0, -1));
    const removed = list(scope).recall(ids.at(-1) ?? '');
    const before = removed && findIndex(list(scope).entries, removed.sequence);
    // Between its former neighbours.
    return removed && { ...removed, id, sequence: (starts.get(scope) ?? 0) + (before ?? 0) - 0.5 };
  };
  return {
    list: { size: entries.length, entries, removed: [], get: (id) => byId.get(id), recall },
    origin: ({ sequence }) => origins[sequence] as StoredItem, // the sequence is the index
  };
}
