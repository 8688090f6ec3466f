import { findSuccessMedia } from '../../../contract/operations/responses.js';
import { isObject, setOwn } from '../../../contract/json.js';
import { DONE, RESULT } from '../../../state/inference/long-running.js';
import { type ItemProperty, type ItemSchema, listProperties } from '../../../state/item-schema.js';
import type { Action, Binding } from '../../../state/resource.js';
import { toScope } from '../../../state/store/collection.js';
import type { Entry, Item } from '../../../state/store/lists/item-list.js';
import type { Exchange } from '../../chain.js';
import type { BodyWriters, StateContext } from './context.js';
import { readId } from './request.js';

const FINISHED = /^(succeeded|success|successful|completed?|done|finished)$/i;

/** What an operation is called where only its status says that it is done. */
const OPERATION_NAME = /(operation|job)s?$/i;

/** The properties of a long-running operation that say that it is done, with their values, and the one that holds the item. */
interface OperationShape {
  readonly done: Item;
  readonly result: string | undefined;
}

/** A change that is answered with a long-running operation, which another path reads. */
interface LongRunning extends OperationShape {
  /** The read of the operations. */
  readonly poll: Binding;
  /** Pointer to the schema of the answer. */
  readonly pointer: string;
}

/**
 * Writes the answers of a change as the long-running operation that the contract declares for it: stored, so that it can be polled,
 * and done, with the item as its result.
 */
export function withOperations(context: StateContext, binding: Binding, writers: BodyWriters): BodyWriters {
  const found = findLongRunning(context, binding);
  if (found === undefined) return withDone(context, binding, writers);
  const add = (exchange: Exchange, result: Item | undefined): unknown =>
    addOperation(context, exchange, { found, result });
  return {
    ...writers,
    project: (pointer) =>
      pointer === found.pointer ? ({ item }, exchange) => add(exchange, item) : writers.project(pointer),
    unwrap: (pointer, body) => (pointer === found.pointer ? undefined : writers.unwrap(pointer, body)),
    report: (pointer) =>
      pointer === found.pointer ? (_: Entry, exchange) => add(exchange, undefined) : writers.report(pointer),
  };
}

/** Writes the answers of a change as an operation that is done, where no path reads operations: clients that wait for one would not end. */
function withDone({ read, resources }: StateContext, binding: Binding, writers: BodyWriters): BodyWriters {
  const pointer = findSuccessMedia(binding.operation)?.schemaPointer ?? '';
  const schema = READS.has(binding.action) ? undefined : read(pointer);
  const shape = schema && readShape(schema, '');
  const own = read(resources.collections.get(binding.collection)?.schema)?.pointer;
  if (shape === undefined || schema?.pointer === own) return writers;
  const { done, result: name } = shape;
  const add = (answer: unknown, result: Item): unknown =>
    isObject(answer) ? { ...answer, ...done, ...(name !== undefined && { [name]: result }) } : answer;
  const project = writers.project(pointer);
  const report = writers.report(pointer);
  return {
    ...writers,
    project: (at) =>
      at === pointer ? (entry, exchange) => add(project(entry, exchange), entry.item) : writers.project(at),
    report: (at) =>
      at === pointer && report !== undefined
        ? (entry, exchange) => add(report(entry, exchange), {})
        : writers.report(at),
  };
}

const READS: ReadonlySet<Action> = new Set<Action>(['content', 'count', 'latest', 'list', 'read', 'search']);

/** Finds the collection of operations whose items are the answers of a change of another collection. */
function findLongRunning(
  { read, resources }: StateContext,
  { operation, collection, action }: Binding,
): LongRunning | undefined {
  if (READS.has(action)) return undefined;
  const pointer = findSuccessMedia(operation)?.schemaPointer ?? '';
  const schema = read(pointer);
  if (schema === undefined) return undefined;
  const poll = [...resources.bindings.values()].find(
    (each) =>
      each.action === 'read' &&
      each.collection !== collection &&
      resources.collections.get(each.collection)?.schema === schema.pointer &&
      each.places === undefined &&
      each.parents.every(({ parameters }) => parameters.every((name) => operation.path.includes(`{${name}}`))),
  );
  const shape = poll && readShape(schema, poll.collection);
  return poll && shape && { ...shape, poll, pointer };
}

function readShape(schema: ItemSchema, collection: string): OperationShape | undefined {
  const all = listProperties(schema);
  const result = all.find(({ name, scalar }) => RESULT.test(name) && !scalar)?.name;
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
function readDone({ name, schema }: ItemProperty, isOperation: boolean): unknown {
  if (DONE.test(name) && schema.type === 'boolean') return true;
  const isStatus = isOperation && /^(status|state)$/i.test(name);
  return isStatus ? schema.enum?.find((value) => FINISHED.test(String(value))) : undefined;
}

/** Stores an operation that is done, below the parents that its path and that of the request have in common. */
function addOperation(
  { items }: StateContext,
  { call, session }: Exchange,
  { found, result }: { readonly found: LongRunning; readonly result: Item | undefined },
): unknown {
  const { poll, done, result: name } = found;
  const scope = toScope(...poll.parents.map(({ parameters }) => readId(call, parameters, undefined)));
  return session.store.transaction((transaction) => {
    const location = items.locate(transaction, poll.collection, scope);
    const fixed = { ...done, ...(name === undefined || result === undefined ? {} : { [name]: result }) };
    const created = items.create(location, { fixed, strict: false });
    return 'problems' in created ? undefined : created.whole;
  });
}
