import { isObject, setOwn } from '../../base/json.js';
import { toBareName } from '../../base/names.js';
import { findSuccessMedia } from '../../contract/operations/responses.js';
import { listProperties, type PropertyView, type SchemaView } from '../../contract/schema-view/schema-view.js';
import { means } from '../../conventions/conventions.js';
import { isOwnIdName, toItemNoun } from '../../conventions/names.js';
import type { Call } from '../../http/request/call.js';
import type { Exchange } from '../../answer/chain.js';
import { isSameItem, isUnlike, openEnvelope } from '../item/positions.js';
import { type Binding, CREATES, READS } from '../item/resource.js';
import { toScope } from '../store/collection.js';
import type { Item, StoredItem } from '../store/lists/item-list.js';
import { toType } from '../store/on-demand.js';
import { createBodyWriters } from './bodies.js';
import type { BodyWriters, StateContext } from './context.js';
import { readId } from './request.js';

/** The name of an operation where only its status says that it is done. */
const OPERATION_NAME = /(operation|job)s?$/i;

/** The properties of a long-running operation that say that it is done, with their values, and the one that holds the item. */
interface OperationShape {
  readonly done: Item;
  readonly result: string | undefined;
}

/** Writes the answers of a change as the long-running operation that it declares: stored where a path polls it, and done, since clients wait. */
export function withOperations(context: StateContext, binding: Binding, writers: BodyWriters): BodyWriters {
  const { read, resources } = context;
  const pointer = findSuccessMedia(binding.operation)?.schemaPointer ?? '';
  const schema = READS.has(binding.action) ? undefined : read(pointer);
  const task = openEnvelope(read, schema);
  const poll = task && findPoll(context, binding, task);
  const own = read(resources.collections.get(binding.collection)?.schema);
  const isShared = poll !== undefined && resources.collections.get(poll.collection)?.schema === task?.pointer;
  const isReceipt =
    task !== undefined &&
    poll !== undefined &&
    (own === undefined || (isShared ? !isSameItem(read, own, task) : isUnlike(read, own, task)));
  const shape = (task && readShape(task, poll?.collection ?? '')) ?? (isReceipt ? PLAIN_RECEIPT : undefined);
  if (schema !== undefined && shape === undefined && poll === undefined)
    return withTasksBeside(context, { binding, pointer, schema }, writers);
  if (schema === undefined || shape === undefined || (poll === undefined && task === own)) return writers;
  const [project, report] = [writers.project(pointer), writers.report(pointer)];
  const writeTask = poll && createTaskWriter(context, { binding, poll, pointer });
  const show = (
    answer: () => unknown,
    { entry, result }: { readonly entry: StoredItem; readonly result?: Item },
    exchange: Exchange,
  ): unknown =>
    writeTask === undefined
      ? withResult(answer(), shape, result ?? {})
      : writeTask(exchange, { id: entry.id, fixed: (ids) => withResult(ids, shape, result) });
  return {
    ...writers,
    project: (at) =>
      at === pointer
        ? (entry, exchange) => show(() => project(entry, exchange), { entry, result: entry.item }, exchange)
        : writers.project(at),
    unwrap: (at, body) => (at === pointer && poll !== undefined ? undefined : writers.unwrap(at, body)),
    report: (at) =>
      at === pointer && (poll ?? report) !== undefined
        ? (entry, exchange) => show(() => report?.(entry, exchange), { entry }, exchange)
        : writers.report(at),
  };
}

/** Adds the work that a change starts, where an answer shows it beside the item: `{ "server": {…}, "action": {…} }`; only paths that read it have it. */
function withTasksBeside(
  context: StateContext,
  { binding, pointer, schema }: { readonly binding: Binding; readonly pointer: string; readonly schema: SchemaView },
  writers: BodyWriters,
): BodyWriters {
  const { read, resources } = context;
  const own = resources.collections.get(binding.collection)?.schema;
  const bindings = [...resources.bindings.values()];
  const tasks = listProperties(schema).flatMap(({ name, target }) => {
    const view = read(target);
    const poll = view === undefined || view.pointer === own ? undefined : findPoll(context, binding, view);
    if (poll === undefined || context.items.model(poll.collection).lifecycle === undefined) return [];
    const isMade = bindings.some(({ collection, action }) => collection === poll.collection && CREATES.has(action));
    return isMade ? [] : [{ name, write: createTaskWriter(context, { binding, poll, pointer: target }) }];
  });
  if (tasks.length === 0) return writers;
  const project = writers.project(pointer);
  return {
    ...writers,
    project: (at) =>
      at !== pointer
        ? writers.project(at)
        : (entry, exchange) => {
            const body = project(entry, exchange);
            if (!isObject(body)) return body;
            const shown = tasks.map(({ name, write }) => [
              name,
              write(exchange, { id: entry.id, fixed: (ids) => ids }),
            ]);
            return { ...body, ...(Object.fromEntries(shown) as Item) };
          },
  };
}

/** Plans an answer that is an operation of another collection: it is stored there, with the ids of what the request changes. */
function createTaskWriter(
  context: StateContext,
  of: { readonly binding: Binding; readonly poll: Binding; readonly pointer: string },
): (exchange: Exchange, to: { readonly id: string; fixed(ids: Item): unknown }) => unknown {
  const { binding, poll, pointer } = of;
  const model = context.items.model(poll.collection);
  const write = createBodyWriters(context, model, false).project(pointer);
  const own = findReceiptId(poll, context.read(pointer)?.members ?? new Map());
  return (exchange, { id, fixed }) => {
    const ids = readIds(model.schema, binding, { call: exchange.call, id });
    const task = addOperation(context, exchange, { poll, fixed: fixed(ids) });
    const shown = task && write(task, exchange);
    if (own === undefined || model.schema?.members.has(own.name) === true || !isObject(shown)) return shown;
    return { ...shown, [own.name]: toType(task?.id ?? '', own.schema.type) };
  };
}

/** An answer that only says that a request was taken: its status advances where the document reads it. */
const PLAIN_RECEIPT: OperationShape = { done: {}, result: undefined };

/** The parameters of a path, and the id of the item, under the names that the schema of an operation has for them. */
function readIds(
  schema: SchemaView | undefined,
  { collection }: Binding,
  { call, id }: { readonly call: Call; readonly id: string },
): Item {
  const known = new Map(Object.entries(call.path).map(([name, value]) => [toBareName(name), value]));
  const noun = toItemNoun(collection);
  const ids: Record<string, unknown> = {};
  for (const { name, bare, scalar, schema: own } of listProperties(schema)) {
    const isOfItem = bare.startsWith(noun) && means(bare.slice(noun.length), 'ids.id', 'ids.name');
    const value = known.get(bare) ?? (isOfItem ? id : undefined);
    if (scalar && value !== undefined) setOwn(ids, name, typeof value === 'string' ? toType(value, own.type) : value);
  }
  return ids;
}

function withResult(answer: unknown, { done, result: name }: OperationShape, result: Item | undefined): unknown {
  if (!isObject(answer)) return answer;
  return { ...answer, ...done, ...(name !== undefined && result !== undefined && { [name]: result }) };
}

/** The read of a collection of operations whose items are the answers of a change of another collection, or have the id in these answers. */
function findPoll(
  { resources }: StateContext,
  { operation, collection }: Binding,
  { pointer, members }: SchemaView,
): Binding | undefined {
  const reads = [...resources.bindings.values()].filter(
    (each) =>
      each.action === 'read' &&
      each.collection !== collection &&
      each.places === undefined &&
      each.parents.every(({ parameters }) => parameters.every((name) => operation.path.includes(`{${name}}`))),
  );
  // Requests do not create operations: what they create is only named, such as the `orderId` of a payment.
  const isCreated = (each: Binding): boolean =>
    [...resources.bindings.values()].some(
      ({ action, collection: other }) => other === each.collection && CREATES.has(action),
    );
  const isNamed = (each: Binding): boolean =>
    findReceiptId(each, members) !== undefined && (isOwnIdName(each.id[0] ?? '') || !isCreated(each));
  return reads.find((each) => resources.collections.get(each.collection)?.schema === pointer) ?? reads.find(isNamed);
}

/** The property of an answer with the id of an operation: as the path of its read calls it, or behind its noun, `jobUid` for `/jobs/{uid}`. */
function findReceiptId({ collection, id }: Binding, members: SchemaView['members']): PropertyView | undefined {
  const [name = '', ...others] = id;
  if (others.length > 0) return undefined;
  const noun = toItemNoun(collection);
  const wanted = isOwnIdName(name) ? toBareName(name) : means(name, 'ids.id') ? noun + toBareName(name) : undefined;
  return Array.from(members.values()).find(({ bare, scalar }) => scalar && bare === wanted);
}

function readShape(schema: SchemaView, collection: string): OperationShape | undefined {
  const all = listProperties(schema);
  const result = all.find(({ known, scalar }) => means(known, 'statuses.response') && !scalar)?.name;
  const isOperation = OPERATION_NAME.test(collection);
  const done: Record<string, unknown> = {};
  for (const property of all) {
    const value = readDone(property, isOperation);
    if (value !== undefined) setOwn(done, property.name, value);
  }
  const isDone = Object.values(done).includes(true) && result !== undefined;
  return isDone || (isOperation && Object.keys(done).length > 0) ? { done, result } : undefined;
}

/** The value of a property that says that an operation is done. */
function readDone({ name, schema }: PropertyView, isOperation: boolean): unknown {
  if (means(name, 'statuses.doneFlag') && schema.type === 'boolean') return true;
  const isStatus = isOperation && /^(status|state)$/i.test(name);
  return isStatus ? schema.enum?.find((value) => means(String(value), 'statuses.done')) : undefined;
}

/** Stores an operation that is done, below the parents that its path and that of the request have in common. */
function addOperation(
  { items }: StateContext,
  { call, session }: Exchange,
  { poll, fixed }: { readonly poll: Binding; readonly fixed: unknown },
): StoredItem | undefined {
  const scope = toScope(...poll.parents.map(({ parameters }) => readId(call, parameters, undefined)));
  return session.store.transaction((transaction) => {
    const location = items.locate(transaction, poll.collection, scope);
    // It was made of an object.
    const created = items.create(location, { fixed: fixed as Item, strict: false });
    return 'problems' in created ? undefined : created.entry;
  });
}
