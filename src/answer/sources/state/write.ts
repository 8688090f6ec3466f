import { isObject, setOwn } from '../../../contract/json.js';
import type { Answer } from '../../../http/answer.js';
import type { Call } from '../../../http/request/call.js';
import type { ItemSchema } from '../../../state/item-schema.js';
import { type Binding, toBareName } from '../../../state/resource.js';
import type { Entry, Item } from '../../../state/store/collection.js';
import type { ItemModel } from '../../../state/store/item-model.js';
import type { ItemProblem } from '../../../state/store/items.js';
import { applyJsonPatch } from '../../../state/store/json-patch.js';
import type { ItemLocation } from '../../../state/store/on-demand.js';
import type { Transaction } from '../../../state/store/store.js';
import type { Exchange } from '../../chain.js';
import { createPreconditions } from './conditions.js';
import {
  chooseDeclared,
  completeBody,
  createChoice,
  createCreatedChoice,
  createProjections,
  refuse,
  type StateContext,
  type StateHandler,
  toAnswer,
} from './context.js';
import {
  answerMissing,
  createLocationFinder,
  findEntry,
  readId,
  refuseUnknown,
  readBodies,
  readBody,
  readUpload,
} from './request.js';

/** Creates one item and answers with it; a copy starts from the item that the path names. */
export function createCreateHandler(context: StateContext, binding: Binding): StateHandler {
  const findLocation = createLocationFinder(context, binding);
  const choose = createCreatedChoice(binding.operation);
  const model = context.items.model(binding.collection);
  const project = createProjections(context, model.resource);
  const preconditions = createPreconditions(context, binding);
  return (exchange, transaction) => {
    const choice = choose(exchange.call);
    const location = findLocation(exchange, transaction);
    if ('missing' in location) return location.missing;
    if (choice === undefined) return undefined;
    context.items.seed(location);
    const sent = readBody(exchange.call);
    let body = sent;
    if (binding.action === 'copy') {
      const id = readId(exchange.call, binding.id);
      const source = findEntry(context, exchange, { location, id });
      if (source === undefined) return answerMissing(context, exchange, { binding, id, location });
      body = { ...toCopy(model, source.item), ...sent };
    }
    const created = createItem(context, exchange, { binding, location, body, id: readOwnId(model, binding, sent) });
    if ('refused' in created) return created.refused;
    const pointer = choice.media?.schemaPointer;
    const shown =
      pointer === undefined || created.entry.secrets === undefined
        ? project(pointer)(created.entry, exchange)
        : completeBody(context, exchange, { pointer, body: created.whole, key: `${pointer}\0${created.entry.id}` });
    const entry = adoptShown(location, created.entry, shown);
    const tags = preconditions.headers(entry);
    const headers = choice.status === 201 ? { ...tags, ...readLocation(exchange, { model, binding, entry }) } : tags;
    return toAnswer(choice, shown, headers);
  };
}

/** What a copy takes from its source: what a request may set, without the values that only one item can have. */
function toCopy(model: ItemModel, source: Item): Item {
  const { unique } = model.resource;
  return Object.fromEntries(Object.entries(model.accept(source)).filter(([name]) => !unique.includes(name)));
}

/** Takes over the strings of the answer to a create that differ from the item, so that a read shows the same. */
function adoptShown({ model, collection, scope }: ItemLocation, created: Entry, shown: unknown): Entry {
  if (model.schema === undefined || shown === created.item || !isObject(shown)) return created;
  const { idProperty } = model.resource;
  const names = Object.keys(created.item).filter(
    (name) => name !== idProperty && typeof shown[name] === 'string' && shown[name] !== created.item[name],
  );
  if (names.length === 0) return created;
  const item = { ...created.item, ...Object.fromEntries(names.map((name) => [name, shown[name]])) };
  return model.check(item).length > 0 ? created : (collection.update(created.id, { item }, scope) ?? created);
}

/** Creates every item of an array, or none of them. */
export function createBatchHandler(context: StateContext, binding: Binding): StateHandler {
  const findLocation = createLocationFinder(context, binding);
  const choose = createCreatedChoice(binding.operation);
  const model = context.items.model(binding.collection);
  const project = createProjections(context, model.resource);
  return (exchange, transaction) => {
    const choice = choose(exchange.call);
    const location = findLocation(exchange, transaction);
    if ('missing' in location) return location.missing;
    if (choice === undefined) return undefined;
    const entries: Entry[] = [];
    for (const body of readBodies(exchange.call)) {
      const created = createItem(context, exchange, { binding, location, body, id: readOwnId(model, binding, body) });
      if ('refused' in created) return created.refused;
      entries.push(created.entry);
    }
    const projectAll = (pointer: string | undefined): readonly unknown[] =>
      entries.map((entry) => project(pointer)(entry, exchange));
    const pointer = choice.media?.schemaPointer;
    const schema = pointer === undefined ? undefined : context.read(pointer);
    if (pointer === undefined || schema === undefined) return toAnswer(choice, undefined);
    if (schema.type === 'array') return toAnswer(choice, projectAll(schema.items));
    const { list } = binding;
    if (list?.items !== undefined) {
      const body = { ...list.constants, [list.items]: projectAll(list.itemSchema) };
      const key = `${pointer}\0${entries[0]?.id ?? ''}`;
      return toAnswer(choice, completeBody(context, exchange, { pointer, body, key }));
    }
    const last = entries.at(-1);
    return last === undefined ? undefined : toAnswer(choice, project(pointer)(last, exchange));
  };
}

function createItem(
  context: StateContext,
  exchange: Exchange,
  from: {
    readonly binding: Binding;
    readonly location: ItemLocation;
    readonly body: Item;
    /** The id where the request chooses it. */
    readonly id: string | number | undefined;
  },
): { readonly entry: Entry; readonly whole: Item } | { readonly refused: Answer } {
  const { binding, location, body, id } = from;
  const upload = readUpload(exchange.call);
  const created = context.items.create(location, {
    body,
    fixed: { ...binding.set, ...location.known },
    defaults: upload?.properties,
    content: upload?.content,
    id,
    strict: false,
  });
  if (!('problems' in created)) return created;
  return { refused: answerProblem(context, exchange, { binding, location, id, problem: created.problems[0] }) };
}

/** The answer to a change that the store refuses: 409 for a duplicate, 404 for a membership of an unknown item. */
function answerProblem(
  context: StateContext,
  exchange: Exchange,
  of: {
    readonly binding: Binding;
    readonly location: ItemLocation;
    readonly id: string | number | undefined;
    readonly problem: ItemProblem | undefined;
  },
): Answer {
  const { binding, location, id, problem } = of;
  const { members, memberParameter } = location.model.resource;
  if (problem?.code === 'LINK' && members !== undefined) {
    const status = chooseDeclared(binding, [404, 400]);
    return refuseUnknown(context, exchange, { collection: members, id: String(id), status, param: memberParameter });
  }
  return refuse(context, exchange, {
    status: 409,
    message: problem?.message ?? 'the change is not possible',
    code: 'conflict',
    param: problem?.pointer.slice(1),
  });
}

/** The id that a request chooses: of the target for a membership, or of an item that clients name. */
function readOwnId({ resource, schema }: ItemModel, binding: Binding, body: Item): string | number | undefined {
  if (resource.members !== undefined) {
    const name = resource.memberParameter ?? Object.keys(body).find((each) => /_?id$/i.test(each));
    return readIdValue(name === undefined ? undefined : body[name]);
  }
  if (binding.action === 'copy') return undefined;
  const property = schema?.properties.get(resource.idProperty ?? '');
  return property?.readOnly === true ? undefined : readIdValue(body[resource.idProperty ?? 'id']);
}

function readIdValue(value: unknown): string | number | undefined {
  return (typeof value === 'string' && value !== '') || typeof value === 'number' ? value : undefined;
}

/** RFC 9110 10.2.2: where the new item is read. */
function readLocation(
  { call }: Exchange,
  { model, binding, entry }: { readonly model: ItemModel; readonly binding: Binding; readonly entry: Entry },
): Answer['headers'] {
  const [path = ''] = call.url.split('?');
  const collection = binding.action === 'copy' ? path.split('/').slice(0, -2).join('/') : path;
  const ids = model.resource.keyProperties.length > 1 ? entry.id.split('/') : [entry.id];
  return { location: `${collection}/${ids.map((id) => encodeURIComponent(id.toWellFormed())).join('/')}` };
}

/** Changes an item: the parts that the request names, or, for an action, its status. */
export function createUpdateHandler(context: StateContext, binding: Binding): StateHandler {
  const model = context.items.model(binding.collection);
  return createChangeHandler(context, binding, (exchange, { entry }) =>
    readChange(context, exchange, { model, binding, item: entry.item }),
  );
}

/** Replaces a whole item; where the contract declares 201, an unknown id is created. */
export function createReplaceHandler(context: StateContext, binding: Binding): StateHandler {
  const { operation } = binding;
  const model = context.items.model(binding.collection);
  const { resource } = model;
  const replace = createChangeHandler(context, binding, (exchange, { entry, location }) => {
    const { session, call } = exchange;
    const id = entry.item[resource.idProperty ?? 'id'];
    const after = model.replace(entry.item, {
      id: typeof id === 'number' ? id : entry.id,
      body: readBody(call),
      fixed: { ...binding.set, ...location.known },
      defaults: location.collection.defaults,
      seed: session.seed,
      key: `${resource.name}\0${location.scope}\0${entry.id}`,
      now: session.clock.now(),
    });
    return { after };
  });
  const declares201 = operation.responses.some(({ status }) => status === '201');
  if (!resource.singleton && !declares201) return replace;
  const choose = createChoice(operation, declares201 ? 201 : undefined);
  const project = createProjections(context, resource);
  const findLocation = createLocationFinder(context, binding);
  const preconditions = createPreconditions(context, binding);
  return (exchange, transaction) => {
    const location = findLocation(exchange, transaction);
    if ('missing' in location) return location.missing;
    const id = readItemId(model, binding, exchange.call);
    // A PUT does not create an item on demand.
    if (location.collection.get(id, location.scope) !== undefined) return replace(exchange, transaction);
    const refused = preconditions.before(exchange, undefined);
    if (refused !== undefined) return refused;
    const created = createItem(context, exchange, { binding, location, body: readBody(exchange.call), id });
    if ('refused' in created) return created.refused;
    const { entry } = created;
    const choice = choose(exchange.call);
    if (choice === undefined) return undefined;
    return toAnswer(choice, project(choice.media?.schemaPointer)(entry, exchange), preconditions.headers(entry));
  };
}

/** Removes one item, what lives under it and its memberships. */
export function createDeleteHandler(context: StateContext, binding: Binding): StateHandler {
  const choose = createChoice(binding.operation);
  const { resource } = context.items.model(binding.collection);
  const project = createProjections(context, resource);
  const reports = new Map<string, DeleteReport | undefined>();
  const findReport = (pointer: string): DeleteReport | undefined => {
    if (!reports.has(pointer)) reports.set(pointer, createDeleteReport(context.read(pointer)));
    return reports.get(pointer);
  };
  return createItemHandler(context, binding, (exchange, { entry, location }) => {
    const choice = choose(exchange.call);
    const { id } = entry;
    context.items.remove(location, id);
    if (choice === undefined) return undefined;
    const pointer = choice.media?.schemaPointer;
    const report = pointer === undefined ? undefined : findReport(pointer);
    if (pointer === undefined || report === undefined) return toAnswer(choice, undefined);
    if (report.schemaPointer === resource.schema) return toAnswer(choice, project(pointer)(entry, exchange));
    const body: Record<string, unknown> = { ...report.constants };
    const shownId = entry.item[resource.idProperty ?? 'id'] ?? id;
    for (const name of report.ids) body[name] = shownId;
    return toAnswer(choice, completeBody(context, exchange, { pointer, body, key: `${pointer}\0${id}` }));
  });
}

/** The body of the answer to a delete. */
interface DeleteReport {
  readonly schemaPointer: string;
  /** Constants of the schema, and true for a property that reports the deletion; undefined for an id. */
  readonly constants: Item;
  /** The properties that hold the id of the removed item. */
  readonly ids: readonly string[];
}

function createDeleteReport(schema: ItemSchema | undefined): DeleteReport | undefined {
  if (schema === undefined) return undefined;
  const constants: Record<string, unknown> = {};
  const ids: string[] = [];
  for (const { name, schema: own } of schema.properties.values()) {
    if ('const' in own) setOwn(constants, name, own.const);
    else if (Array.isArray(own.enum) && own.enum.length === 1) setOwn(constants, name, own.enum[0]);
    else if (DELETED.test(name) && own.type === 'boolean') setOwn(constants, name, true);
    else if (toBareName(name) === 'id') {
      // Keeps the position of the property.
      constants[name] = undefined;
      ids.push(name);
    }
  }
  return { schemaPointer: schema.pointer, constants, ids };
}

/** Properties that report a deletion as done. */
const DELETED = /^(deleted|removed|success|ok|is_?deleted|acknowledged)$/i;

/** One existing item of a request. */
interface FoundItem {
  readonly entry: Entry;
  readonly location: ItemLocation;
}

/** What every operation on one item has in common: it finds the item and checks the preconditions. */
function createItemHandler(
  context: StateContext,
  binding: Binding,
  handle: (exchange: Exchange, found: FoundItem) => Answer | undefined,
): StateHandler {
  const findLocation = createLocationFinder(context, binding);
  const model = context.items.model(binding.collection);
  const preconditions = createPreconditions(context, binding);
  return (exchange: Exchange, transaction: Transaction) => {
    const location = findLocation(exchange, transaction);
    if ('missing' in location) return location.missing;
    const id = readItemId(model, binding, exchange.call);
    const entry = findEntry(context, exchange, { location, id });
    if (entry === undefined) return answerMissing(context, exchange, { binding, id, location });
    return preconditions.before(exchange, entry) ?? handle(exchange, { entry, location });
  };
}

/** The id of the item: from the path, or from the body where the path does not name it. */
function readItemId({ resource }: ItemModel, binding: Binding, call: Call): string {
  if (binding.id.length > 0 || resource.singleton) return readId(call, binding.id);
  return String(readBody(call)[resource.idProperty ?? 'id']);
}

/** The item after a change. */
type Change = (
  exchange: Exchange,
  found: FoundItem,
) => { readonly after: Item; readonly set?: Item } | { readonly refused: Answer };

function createChangeHandler(context: StateContext, binding: Binding, change: Change): StateHandler {
  const choose = createChoice(binding.operation);
  const project = createProjections(context, context.items.model(binding.collection).resource);
  const preconditions = createPreconditions(context, binding);
  return createItemHandler(context, binding, (exchange, found) => {
    const { entry, location } = found;
    const changed = change(exchange, found);
    if ('refused' in changed) return changed.refused;
    const updated = context.items.update(location, entry, { ...changed, strict: false });
    if ('problems' in updated) {
      return answerProblem(context, exchange, { binding, location, id: entry.id, problem: updated.problems[0] });
    }
    const choice = choose(exchange.call);
    if (choice === undefined) return undefined;
    const body = project(choice.media?.schemaPointer)(updated.entry, exchange);
    return toAnswer(choice, body, preconditions.headers(updated.entry));
  });
}

/** The item with the changes of a request, according to its media type. */
function readChange(
  context: StateContext,
  exchange: Exchange,
  of: { readonly model: ItemModel; readonly binding: Binding; readonly item: Item },
): ReturnType<Change> {
  const { call } = exchange;
  const { model, binding, item } = of;
  if (call.mediaType === 'application/json-patch+json') {
    const patched = applyJsonPatch(item, call.body);
    if ('item' in patched)
      return { after: { ...patched.item, ...keepServerProperties(model, item) }, set: binding.set };
    const status = chooseDeclared(binding, [409, 422, 400]);
    return { refused: refuse(context, exchange, { status, message: patched.mistake, code: 'invalid_patch' }) };
  }
  const changes = model.accept(isObject(call.body) ? call.body : {});
  const isForm = /x-www-form-urlencoded|multipart/.test(call.mediaType ?? '');
  // A PATCH merges (RFC 7386), and so does a form, which cannot send a whole nested object.
  const isMerged = call.method === 'PATCH' || isForm || call.mediaType === 'application/merge-patch+json';
  const patch = isForm ? clearEmpty(model, changes) : changes;
  return { after: isMerged ? model.merge(item, patch) : { ...item, ...patch }, set: binding.set };
}

/** In a form an empty string clears a nullable property. */
function clearEmpty({ schema }: ItemModel, changes: Item): Item {
  const isCleared = (name: string, value: unknown): boolean =>
    value === '' && schema?.properties.get(name)?.nullable === true;
  return Object.fromEntries(
    Object.entries(changes).map(([name, value]) => [name, isCleared(name, value) ? null : value]),
  );
}

/** The properties that a patch must not change. */
function keepServerProperties(model: ItemModel, item: Item): Item {
  if (model.schema === undefined) return {};
  return Object.fromEntries(Object.entries(item).filter(([name]) => !model.accepts(name)));
}
