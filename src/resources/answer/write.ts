import { fillDerived } from '../../generate/derived-values.js';
import { toItemNoun } from '../../conventions/names.js';
import { memoize } from '../../base/memoize.js';
import { type IdValue, isIdValue, isNumber } from '../../base/exact-number.js';
import { TEMPORARY_PREFIX, SAYS_FIXED } from '../../conventions/descriptions.js';
import { means } from '../../conventions/conventions.js';
import { capitalize, readWords, toBareName } from '../../base/names.js';
import { isFormType } from '../../contract/media-type.js';
import { completeBody, createSeveralWriter, locateItem } from './bodies.js';
import { createIdCheck } from './conditions.js';
import { filterMembers, isObject, joinObjects, omitAt, readMember, readOwn, withPath } from '../../base/json.js';
import { readBodyPointer } from '../infer/contract-index.js';
import { applyJsonPatch, createElementMerge, type ElementMerge, isJsonPatch } from '../item/json-patch.js';
import { listProperties, type SchemaView } from '../../contract/schema-view/schema-view.js';
import { createItemEnvelope } from '../list/envelope.js';
import { createValueReader, findIdsInput } from '../list/inputs.js';
import { findCount } from '../list/list-shape.js';
import { isSameItem } from '../item/positions.js';
import { type Binding, CREATES, type Resource, createsUnknown, isPathId } from '../item/resource.js';
import type { Answer } from '../../http/answer.js';
import type { StoredItem, Item } from '../store/lists/item-list.js';
import { findSentEffects } from '../item/effects.js';
import { readItemKey } from '../item/identity.js';
import type { ItemModel } from '../item/item-model.js';
import { createDerive } from '../item/server-values.js';
import type { ItemProblem } from '../store/items.js';
import type { ItemLocation } from '../store/on-demand.js';
import type { Exchange } from '../../answer/chain.js';
import type { ResponseChoice } from '../../answer/choose-response.js';
import {
  answerItem,
  asChange,
  chooseDeclared,
  createChoice,
  createLocationWriter,
  type OperationContext,
  pass,
  refuse,
  type StateHandler,
  toAnswer,
} from './context.js';
import { createMatchReader } from './read.js';
import { findMark, findRemovalFlag, withMark } from './removed.js';
import {
  answerMissing,
  applyMask,
  createCollectionHandler,
  createItemHandler,
  findEntry,
  readId,
  readItemId,
  readUpload,
  refuseUnknown,
} from './request.js';
import { createSampleFinder } from './samples.js';
import { declaresStatus } from '../../contract/operations/responses.js';

/** Creates one item and answers with it; a copy starts from the item that the path names. */
export function createCreateHandler(context: OperationContext): StateHandler {
  const { binding, model, bodies, reader, preconditions } = context;
  const temporary = TEMPORARY_PREFIX.exec(model.idProperty?.schema.description ?? '')?.[1];
  const writeLocation = createLocationWriter(context);
  const findTaken = createIdCheck(context);
  const writeSeveral = memoize((pointer: string) => createSeveralWriter(context, pointer));
  return createCollectionHandler(context, (exchange, choice, location) => {
    context.items.seed(location);
    const sent = reader.one(exchange.call);
    let body = sent;
    if (binding.action === 'copy') {
      const id = readId(exchange.call, binding.id, binding.places);
      const source = findEntry(context, exchange, { location, id });
      if (source === undefined) return answerMissing(context, exchange, { id, location });
      // The properties that a request may set, without those that must be unique.
      const copied = filterMembers(model.accept(source.item), (name) => !model.resource.unique.includes(name));
      body = { ...copied, ...sent };
    }
    const chosen = readIdValue(exchange.call.query[binding.chosenId ?? '']);
    const own = readOwnId(context, sent);
    const taken = findTaken(location, { chosen, own });
    if (taken !== undefined) return answerProblem(context, exchange, taken);
    const isTemporary = temporary !== undefined && String(own).startsWith(temporary);
    const created = createItem(context, exchange, { location, body, id: chosen ?? (isTemporary ? undefined : own) });
    if ('refused' in created) return created.refused;
    const several = reader.several(exchange.call);
    const others: StoredItem[] = [];
    for (const other of several.slice(1)) {
      const more = createItem(context, exchange, { location, body: other, id: readOwnId(context, other) });
      if ('refused' in more) return more.refused;
      others.push(more.entry);
    }
    const pointer = choice.media?.schemaPointer;
    const { entry: stored, whole } = created;
    const secret = stored.secrets === undefined ? stored : { ...stored, item: { ...whole, ...stored.item } };
    const given = { ...created.sample, ...sent };
    const shown = bodies.project(pointer)(showSent(secret, given, bodies.listUnstored(pointer)), exchange);
    const entry = adoptShown(location, stored, bodies.unwrap(pointer, shown));
    const tags = preconditions.headers(entry);
    const declared = choice.response?.headers.some(({ name }) => name.toLowerCase() === 'location');
    const headers =
      choice.status === 201 || declared === true ? { ...tags, ...writeLocation(exchange, entry, location) } : tags;
    const all = several.length === 0 || pointer === undefined ? undefined : writeSeveral(pointer);
    return toAnswer(choice, all === undefined ? shown : all(shown, [entry, ...others], exchange), headers);
  });
}

/** Takes over the strings of the answer to a create that differ from the item, so that a read shows the same. */
function adoptShown({ model, collection, scope }: ItemLocation, created: StoredItem, shown: unknown): StoredItem {
  if (model.schema === undefined || shown === created.item || !isObject(shown)) return created;
  const names = Object.keys(created.item).filter(
    (name) =>
      name !== model.resource.idProperty && typeof shown[name] === 'string' && shown[name] !== created.item[name],
  );
  if (names.length === 0) return created;
  const item = { ...created.item, ...Object.fromEntries(names.map((name) => [name, shown[name]])) };
  return model.check(item).length > 0 ? created : (collection.update(created.id, { item }, scope) ?? created);
}

function createItem(
  context: OperationContext,
  exchange: Exchange,
  from: { readonly location: ItemLocation; readonly body: Item; readonly id: IdValue | undefined },
): CreatedItem | { readonly refused: Answer } {
  const { location, body, id } = from;
  const upload = readUpload(exchange.call);
  const derive = createDerive(context.model.resource);
  const sample = createSampleFinder(context.model.resource)?.(exchange, body, location);
  const created = context.items.create(location, {
    body,
    fixed: joinObjects(
      derive?.(body),
      sample?.values,
      context.references.create(location.transaction, body),
      context.binding.set,
      location.known,
    ),
    defaults: upload?.defaults,
    content: upload?.content,
    id: id ?? sample?.id,
    strict: false,
  });
  if ('problems' in created) return { refused: answerProblem(context, exchange, { id, ...created }) };
  const made = sample?.prune(created.entry) ?? created.entry;
  const entry = context.references.adopt(location, made);
  return { entry, whole: created.whole, sample: sample?.values };
}

interface CreatedItem {
  readonly entry: StoredItem;
  /** The item when it was created, with the secrets that no later answer shows. */
  readonly whole: Item;
  /** What a service showed of an item that the same request created. */
  readonly sample: Item | undefined;
}

/** The entry with what a request sent and only its answer shows. */
function showSent(entry: StoredItem, sent: Item, names: readonly string[]): StoredItem {
  if (names.length === 0) return entry;
  const only = filterMembers(sent, (name) => names.includes(name) && !Object.hasOwn(entry.item, name));
  return Object.keys(only).length === 0 ? entry : { ...entry, item: { ...only, ...entry.item } };
}

/** The answer to a change that the store refuses: 409 for a duplicate, 404 for a membership of an unknown item. */
export function answerProblem(
  context: OperationContext,
  exchange: Exchange,
  { id, problems }: { readonly id: IdValue | undefined; readonly problems: readonly ItemProblem[] },
): Answer {
  const [problem] = problems;
  const { members, memberParameter } = context.model.resource;
  if (problem?.code === 'LINK' && members !== undefined) {
    const status = chooseDeclared(context, [404, 400]);
    return refuseUnknown(context, exchange, { collection: members, id: String(id), status, param: memberParameter });
  }
  const message = problem?.message ?? 'the change is not possible';
  return refuse(context, exchange, { status: 409, message, code: 'conflict', param: problem?.pointer.slice(1) });
}

/** The id that a request chooses: of the target for a membership, or of an item that clients name. */
function readOwnId({ binding, model }: OperationContext, body: Item): IdValue | undefined {
  const { resource, idProperty } = model;
  if (resource.members !== undefined) {
    const name = resource.memberParameter ?? Object.keys(body).find((each) => /_?id$/i.test(each));
    return readIdValue(name === undefined ? undefined : body[name]);
  }
  if (binding.action === 'copy') return undefined;
  const { idFrom } = resource;
  if (idFrom !== undefined)
    return readIdValue(idFrom.includes('{') ? fillDerived(idFrom, body) : readMember(body, idFrom));
  return idProperty?.readOnly === true ? undefined : readIdValue(readMember(body, resource.idProperty ?? 'id'));
}

export function readIdValue(value: unknown): IdValue | undefined {
  return isIdValue(value) && value !== '' ? value : undefined;
}

/** Changes an item: the parts that the request names, or, for an action, its status. */
export function createUpdateHandler(context: OperationContext): StateHandler {
  const { read, model } = context;
  const pointer = readBodyPointer(context.binding.operation);
  const body = pointer === undefined ? undefined : locateItem(context, model, pointer).schema;
  const parameters = context.binding.operation.parameters.flatMap((each) => (each.in === 'query' ? [each.name] : []));
  const merge = createElementMerge(read, { body, schema: model.schema, parameters });
  const readSet = createSetReader(context, body);
  const update = createChangeHandler(asChange(context), (exchange, { item }) =>
    readChange(context, exchange, { item, merge, set: readSet(exchange) }),
  );
  if (createsUnknown(context.binding, context.resources)) return createUpsertHandler(context, update);
  return isRestoring(context.binding) ? withRestoring(context, update) : update;
}

/** Whether an action brings back what was removed, by the first word of its name. */
function isRestoring({ action, operation }: Binding): boolean {
  const [word = ''] = readWords(operation.path.split(/[/.:]/).at(-1) ?? '');
  return action === 'act' && means(word, 'verbs.restore');
}

/** Brings a removed item back as it was; any other one changes. */
function withRestoring(context: OperationContext, change: StateHandler): StateHandler {
  const { findLocation, items } = context;
  return (exchange, transaction) => {
    const location = findLocation(exchange, transaction);
    if ('missing' in location) return location.missing;
    const id = readItemId(context, exchange.call);
    const removed = items.lookUp(location, id) === undefined ? items.recall(location, id) : undefined;
    if (removed === undefined) return change(exchange, transaction);
    exchange.note(`state: restored ${location.collection.name} ${JSON.stringify(removed.id)}`);
    return answerItem(context, exchange, location.collection.add(removed, location.scope));
  };
}

/** Plans what a change sets beside the properties that it sends: what its path says, or a member such as `{ "action": "poweroff" }`. */
function createSetReader(
  { binding: { set }, model, reader }: OperationContext,
  body: SchemaView | undefined,
): (exchange: Exchange) => Item {
  const sent = findSentEffects(body, model.schema);
  if (sent === undefined) return () => set;
  return ({ call }) => ({ ...set, ...readOwn(sent.byValue, String(readMember(reader.one(call), sent.name))) });
}

/** Replaces a whole item; where the contract declares 201, an unknown id is created. */
export function createReplaceHandler(context: OperationContext): StateHandler {
  const { binding, model, reader } = context;
  const writeWhole = createReplacement(context);
  const pointer = readBodyPointer(binding.operation);
  const readSet = createSetReader(context, pointer === undefined ? undefined : context.read(pointer));
  const replace = createChangeHandler(asChange(context), (exchange, entry, location) => ({
    after: writeWhole(exchange, { entry, location, body: reader.one(exchange.call) }),
    set: readSet(exchange),
  }));
  const isAdded = model.resource.singleton || createsUnknown(binding, context.resources);
  return isAdded ? createUpsertHandler(context, replace) : replace;
}

/** The stored item that one item of a request replaces. */
interface ReplacedItem {
  readonly entry: StoredItem;
  readonly location: ItemLocation;
  readonly body: Item;
}

function createReplacement(context: OperationContext): (exchange: Exchange, of: ReplacedItem) => Item {
  const { binding, model } = context;
  const { resource } = model;
  const keep = createKeptReader(context);
  return ({ session }, { entry, location, body }) => {
    const id = readMember(entry.item, resource.idProperty ?? 'id');
    const isOwn = isNumber(id) || isPathId(resource) || resource.keyProperties.length > 0;
    return model.replace(entry.item, {
      id: isOwn ? (id as IdValue) : entry.id,
      body: { ...keep(entry.item), ...body },
      fixed: { ...binding.set, ...location.known },
      defaults: location.collection.defaults,
      seed: session.seed,
      key: `${resource.name}\0${location.scope}\0${entry.id}`,
      now: session.clock.now(),
    });
  };
}

/** Changes an item, or creates it where there is none. */
function createUpsertHandler(context: OperationContext, change: StateHandler): StateHandler {
  const { binding, preconditions, findLocation } = context;
  const declares201 = declaresStatus(binding.operation, 201);
  const creating = declares201 ? { ...context, choose: createChoice(binding.operation, 201) } : context;
  return (exchange, transaction) => {
    const location = findLocation(exchange, transaction);
    if ('missing' in location) return location.missing;
    const id = readItemId(context, exchange.call);
    // A PUT does not create an item on demand.
    if (location.collection.get(id, location.scope) !== undefined) return change(exchange, transaction);
    const refused = preconditions.before(exchange, undefined);
    if (refused !== undefined) return refused;
    const body = readNewValues(context.reader.one(exchange.call));
    const created = createItem(context, exchange, { location, body, id });
    return 'refused' in created ? created.refused : answerItem(creating, exchange, created.entry);
  };
}

/** A body with the values for a new item: `status_if_new` is its status. */
function readNewValues(body: Item): Item {
  const names = Object.keys(body).filter((name) => name.endsWith('_if_new'));
  if (names.length === 0) return body;
  return { ...body, ...Object.fromEntries(names.map((name) => [name.slice(0, -'_if_new'.length), body[name]])) };
}

/** Plans what a replacement leaves as it is: what the schema of its body does not declare, so that no request can name it. */
function createKeptReader(context: OperationContext): (item: Item) => Item {
  const { binding, model, reader } = context;
  const names = reader.names(binding.operation.body?.content[0]?.type);
  if (names === undefined || binding.action === 'batch') return () => ({});
  return (item) => filterMembers(item, (name) => model.schema?.members.has(name) === true && !names.has(name));
}

/** Removes one item, what lives under it and its memberships. */
export function createDeleteHandler(context: OperationContext): StateHandler {
  const { choose, bodies } = context;
  const mark = findMark(context) ?? findRemovalFlag(context);
  return createItemHandler(context, (exchange, entry, location) => {
    const choice = choose(exchange.call);
    context.items.remove(location, entry.id);
    if (choice === undefined) return undefined;
    const pointer = choice.media?.schemaPointer;
    const report = pointer === undefined ? undefined : bodies.report(pointer);
    return toAnswer(choice, report?.(mark === undefined ? entry : withMark(entry, mark), exchange));
  });
}

function createChangeHandler(
  context: OperationContext,
  change: (exchange: Exchange, entry: StoredItem, location: ItemLocation) => Change,
): StateHandler {
  const isFixed = hasFixedId(context);
  const derive = createDerive(context.model.resource);
  return createItemHandler(context, (exchange, entry, location) => {
    const changed = change(exchange, entry, location);
    if ('refused' in changed) return changed.refused;
    const after = derive === undefined ? changed.after : { ...changed.after, ...derive(changed.after) };
    const updated = context.items.update(location, entry, { ...changed, after, strict: false });
    const key = 'problems' in updated ? undefined : readNewKey(context.model.resource, entry, updated.entry);
    const id = isFixed ? key : (key ?? readNewId(context, exchange, entry));
    const done =
      'problems' in updated || id === undefined ? updated : context.items.rename(location, updated.entry, id);
    if ('problems' in done) return answerProblem(context, exchange, { id: entry.id, ...done });
    return answerItem(context, exchange, done.entry);
  });
}

/** Whether the id of an item never changes: a description says so, or no create takes one, so that the server makes it. */
function hasFixedId({ binding, bindingsOf, model, read }: OperationContext): boolean {
  const id = model.resource.idProperty;
  if (id === undefined) return false;
  const own = bindingsOf(binding.collection);
  const readItems = ({ operation }: Binding): readonly SchemaView[] =>
    (operation.body?.content ?? []).flatMap(({ schema, schemaPointer }) =>
      schema === undefined ? [] : (locateItem({ read }, model, schemaPointer).schema ?? []),
    );
  const created = own.filter(({ action }) => CREATES.has(action)).flatMap(readItems);
  const isTaken = created.some(({ members: properties }) => properties.size === 0 || properties.has(id));
  if (created.length > 0 && !isTaken) return true;
  const declared = own.flatMap((each) =>
    readItems(each).flatMap(({ members: properties }) => properties.get(id) ?? []),
  );
  if (declared.some(({ schema }) => SAYS_FIXED.test(schema.description ?? ''))) return true;
  return own.some(({ operation, action }) => {
    const sentences = action === 'create' ? (operation.description ?? '').split(/(?<=[.!?])\s/) : [];
    return sentences.some((sentence) => SAYS_FIXED.test(sentence) && sentence.includes(`\`${id}\``));
  });
}

/** The id that a change gives an item which several properties identify. */
function readNewKey(resource: Resource, before: StoredItem, after: StoredItem): string | undefined {
  const { keyProperties } = resource;
  if (keyProperties.length === 0 || keyProperties.some((name) => readMember(after.item, name) === undefined))
    return undefined;
  const key = readItemKey(resource, after.item, undefined);
  return key !== before.id && readItemKey(resource, before.item, undefined) === before.id ? key : undefined;
}

/** The id that a change gives an item whose id is a name: the value of its property in the body, or of `new_name`. */
function readNewId(
  { binding, model, reader }: OperationContext,
  { call }: Exchange,
  entry: StoredItem,
): string | undefined {
  const { idProperty, keyProperties, singleton } = model.resource;
  if (singleton || idProperty === undefined || keyProperties.length > 0 || binding.id.length === 0) return undefined;
  if (means(idProperty, 'ids.id') || idProperty.includes('.') || model.idProperty?.readOnly === true) return undefined;
  if (!isObject(call.body)) return undefined;
  const body = reader.one(call);
  const id = [`new_${idProperty}`, `new${capitalize(idProperty)}`, idProperty]
    .map((name) => body[name])
    .find((value) => typeof value === 'string' && value !== '');
  return typeof id === 'string' && id !== entry.id && entry.item[idProperty] === entry.id ? id : undefined;
}

/** The item after a change, with the properties that the operation writes. */
type Change = { readonly after: Item; readonly set?: Item } | { readonly refused: Answer };

/** The item with the changes of a request, according to its media type. */
function readChange(
  context: OperationContext,
  exchange: Exchange,
  { item, merge, set }: { readonly item: Item; readonly merge: ElementMerge; readonly set: Item },
): Change {
  const { call } = exchange;
  const { model } = context;
  // An object is a merge patch, whatever its media type.
  const isDeclared = call.mediaType === 'application/json-patch+json';
  if (isDeclared ? !isObject(call.body) : isJsonPatch(call.body)) {
    const patched = applyJsonPatch(item, call.body, !isDeclared);
    const kept = model.schema === undefined ? {} : filterMembers(item, (name) => !model.accepts(name));
    if ('item' in patched) return { after: { ...patched.item, ...kept }, set };
    const status = chooseDeclared(context, [409, 422, 400]);
    return { refused: refuse(context, exchange, { status, message: patched.mistake, code: 'invalid_patch' }) };
  }
  const changes = applyMask(call, model.accept(context.reader.one(call)));
  const isForm = isFormType(call.mediaType ?? '');
  // Every change of a part merges (RFC 7386), nested objects too: only a replacement drops what it omits.
  const sent = [call.query, isObject(call.body) ? call.body : {}];
  return { after: model.merge(item, merge(item, isForm ? clearEmpty(model, changes) : changes, sent)), set };
}

/** In a form an empty string clears a nullable property. */
function clearEmpty({ schema }: ItemModel, changes: Item): Item {
  const cleared = Object.entries(changes).map(([name, value]) => {
    const isCleared = value === '' && schema?.members.get(name)?.nullable === true;
    return [name, isCleared ? null : value] as const;
  });
  return Object.fromEntries(cleared);
}

/** Creates, replaces or updates every item of an array, or none of them. */
export function createBatchHandler(context: OperationContext): StateHandler {
  const change = createBatchChange(context);
  const answerSeveral = createSeveralAnswer(context);
  return createCollectionHandler(context, (exchange, choice, location) => {
    context.items.seed(location);
    const entries: StoredItem[] = [];
    for (const body of context.reader.many(exchange.call)) {
      const done =
        change?.(exchange, { location, body }) ??
        createItem(context, exchange, { location, body, id: readOwnId(context, body) });
      if ('refused' in done) return done.refused;
      entries.push(done.entry);
    }
    return answerSeveral(exchange, choice, entries);
  });
}

/** A changed item, or the answer to a change that is not possible; undefined for an item that does not exist yet. */
type Changed = { readonly entry: StoredItem } | { readonly refused: Answer } | undefined;

/** Plans how the items of a batch change that exist: by PUT they are replaced, by PATCH or an "update" they are merged; a create has none. */
function createBatchChange(
  context: OperationContext,
): ((exchange: Exchange, of: Omit<ReplacedItem, 'entry'>) => Changed) | undefined {
  const { binding, items, model } = context;
  const { method, path } = binding.operation;
  const merges = method === 'PATCH' || means(path.slice(path.lastIndexOf('/')), 'verbs.change');
  if (method !== 'PUT' && !merges) return undefined;
  const replace = createReplacement(context);
  return (exchange, { location, body }) => {
    const id = readIdValue(readMember(body, model.resource.idProperty ?? 'id'))?.toString();
    if (id === undefined) return undefined;
    const entry = merges ? findEntry(context, exchange, { location, id }) : location.collection.get(id, location.scope);
    if (entry === undefined) {
      const missing = method === 'PATCH' ? answerMissing(context, exchange, { id, location }) : undefined;
      return missing && { refused: missing };
    }
    const after = merges ? model.merge(entry.item, model.accept(body)) : replace(exchange, { entry, location, body });
    const updated = items.update(location, entry, { after, set: binding.set, strict: false });
    return 'problems' in updated ? { refused: answerProblem(context, exchange, { id, ...updated }) } : updated;
  };
}

/** Removes the items whose ids a request names; where the operation takes no ids, all that match its filters. */
export function createBatchDeleteHandler(context: OperationContext): StateHandler {
  const { binding, contract, items } = context;
  const idNames = context.bindingsOf(binding.collection).flatMap(({ id }) => id);
  const input = findIdsInput(contract, binding.operation, {
    collection: binding.collection.split('.').at(-1) ?? '',
    idNames,
  });
  const readValues = createValueReader(input === undefined ? [] : [input]);
  const findMatching = createMatchReader(context);
  const answerSeveral = createSeveralAnswer(context);
  return createCollectionHandler(context, (exchange, choice, location) => {
    const { call } = exchange;
    const named = Array.isArray(call.body) ? call.body : input && readValues(call)[input.name];
    const isNamed = input !== undefined || Array.isArray(call.body);
    const ids = readIds(named, context.model.resource.idProperty ?? 'id');
    const entries = isNamed
      ? ids.flatMap((id) => findEntry(context, exchange, { location, id }) ?? [])
      : findMatching(exchange, location);
    for (const { id } of entries) items.remove(location, id);
    return answerSeveral(exchange, choice, entries);
  });
}

/** The ids in a value: an array of ids or of items, or a string with commas. */
function readIds(value: unknown, idProperty: string): readonly string[] {
  if (Array.isArray(value)) return value.flatMap((each) => readIds(each, idProperty));
  if (isObject(value)) return readIds(readMember(value, idProperty), idProperty);
  return isIdValue(value) ? String(value).split(/\s*,\s*/) : [];
}

type AnswerSeveral = (exchange: Exchange, choice: ResponseChoice, entries: readonly StoredItem[]) => Answer | undefined;

/** Plans the answer that shows several items: as a list, in an envelope, by their ids, by their number, or the last of them. */
function createSeveralAnswer(context: OperationContext): AnswerSeveral {
  const { binding, bodies, read, model } = context;
  const { list } = binding;
  const { idProperty = 'id' } = model.resource;
  const projectAll = (pointer: string | undefined, entries: readonly StoredItem[], exchange: Exchange): unknown[] => {
    const isId = read(pointer)?.members.size === 0;
    const project = bodies.project(pointer);
    return entries.map((entry) => (isId ? (readMember(entry.item, idProperty) ?? entry.id) : project(entry, exchange)));
  };
  const isItem = (pointer: string): boolean => {
    const { path, schema } = locateItem(context, model, pointer);
    if (path.length > 0) return true;
    return model.schema !== undefined && schema !== undefined && isSameItem(read, model.schema, schema);
  };
  const showBeside = memoize((pointer: string) => createNeighbors(context, pointer));
  return (exchange, choice, entries) => {
    const pointer = choice.media?.schemaPointer;
    const schema = read(pointer);
    if (pointer === undefined || schema === undefined) return toAnswer(choice, undefined);
    if (schema.type === 'array') return toAnswer(choice, projectAll(schema.element, entries, exchange));
    const count = list === undefined && !isItem(pointer) ? findCount(schema, read) : undefined;
    const key = `${pointer}\0${entries[0]?.id ?? ''}`;
    if (list !== undefined || count !== undefined) {
      const body =
        list === undefined
          ? withPath({}, count ?? [], entries.length)
          : showBeside(pointer)(
              createItemEnvelope(read, schema, list.path)(projectAll(list.itemSchema, entries, exchange)),
              entries,
              exchange,
            );
      return toAnswer(choice, completeBody(context, exchange, { pointer, body, key }));
    }
    const last = entries.at(-1);
    if (last === undefined) return pass(exchange, 'the request names no item that is stored');
    return toAnswer(choice, bodies.project(pointer)(last, exchange));
  };
}

/**
 * Plans what an envelope has beside a list of written items: their ids (`order_ids`), and the only item where the request sends it under the
 * same name, in place of the list.
 */
function createNeighbors(
  { binding, bodies, read, model }: OperationContext,
  pointer: string,
): (body: Item, entries: readonly StoredItem[], exchange: Exchange) => Item {
  const path = binding.list?.path ?? [];
  const [above, listName = ''] = [path.slice(0, -1), path.at(-1)];
  const around = read(above.reduce<string | undefined>((at, name) => read(at)?.members.get(name)?.target, pointer));
  const noun = toItemNoun(binding.collection);
  const { idProperty = 'id' } = model.resource;
  const properties = listProperties(around);
  const listed = properties.find(({ name }) => name === listName);
  const ids = properties.find(({ name, target }) => {
    const element = read(read(target)?.element);
    return element?.members.size === 0 && [`${noun}ids`, 'ids'].includes(toBareName(name));
  });
  const only = properties.find(({ target }) => {
    const schema = read(target);
    return (
      schema !== undefined &&
      model.schema !== undefined &&
      schema.members.size > 0 &&
      isSameItem(read, model.schema, schema)
    );
  });
  return (body, entries, exchange) => {
    let whole: Item = body;
    if (ids !== undefined) {
      const list = entries.map(({ item, id }) => readMember(item, idProperty) ?? id);
      whole = withPath(whole, [...above, ids.name], list);
    }
    const [entry] = entries;
    const { body: sent } = exchange.call;
    if (entry === undefined || only === undefined || !isObject(sent) || !isObject(sent[only.name])) return whole;
    const shown = withPath(whole, [...above, only.name], bodies.project(only.target)(entry, exchange));
    return listed?.required === true ? shown : (omitAt(shown, path) as Item);
  };
}
