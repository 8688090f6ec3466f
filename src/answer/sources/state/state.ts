import type { Operation } from '../../../contract/operations/operation.js';
import type { Answer } from '../../../http/answer.js';
import type { Binding } from '../../../state/resource.js';
import type { AnswerSource } from '../../chain.js';
import { withIdempotency } from './conditions.js';
import { createStateContext, type StateContext, type StateHandler, type StateParts } from './context.js';
import { createListHandler, createContentHandler, createReadHandler } from './read.js';
import {
  createBatchHandler,
  createCreateHandler,
  createDeleteHandler,
  createReplaceHandler,
  createUpdateHandler,
} from './write.js';

/** Answers from collections: created items are listed and read, removed items are gone. */
export function createStateSource(parts: StateParts): AnswerSource {
  const context = createStateContext(parts);
  const handlers = new Map<Operation, StateHandler | undefined>();
  const find = (operation: Operation): StateHandler | undefined => {
    if (handlers.has(operation)) return handlers.get(operation);
    const binding = parts.resources.bindings.get(operation.id);
    const bare = binding === undefined ? undefined : createHandler(context, binding);
    const handler =
      bare === undefined || binding === undefined
        ? undefined
        : withIdempotency(context, binding, finish(context, binding, bare));
    handlers.set(operation, handler);
    return handler;
  };
  return {
    name: 'state',
    onInvalid: 'fail',
    hint: 'Correct the fixture, or the request that stored it.',
    answer: (exchange, next) => {
      const handler = find(exchange.call.operation);
      if (handler === undefined) return next();
      return exchange.session.store.transaction((transaction) => handler(exchange, transaction)) ?? next();
    },
  };
}

/**
 * Ends a request: an error answer undoes all its changes, and an answer whose body may be generated again is marked: any answer of a
 * collection whose items are created on demand, and any body that is not an item. Other items are what their fixtures say.
 */
function finish(context: StateContext, binding: Binding, handler: StateHandler): StateHandler {
  const { items, read } = context;
  const model = items.model(binding.collection);
  const { schema } = model.resource;
  const isItem = ({ schemaPointer }: Answer): boolean =>
    schemaPointer === undefined || schema === undefined || read(schemaPointer)?.pointer === schema;
  return (exchange, transaction) => {
    const answer = handler(exchange, transaction);
    if (answer === undefined) return undefined;
    if (answer.status >= 400) transaction.rollback();
    const collection = transaction.collection(binding.collection);
    const isGiven = items.unknownIds({ collection, model }) === 'not-found' && isItem(answer);
    return isGiven ? answer : { ...answer, onInvalid: 'regenerate' };
  };
}

function createHandler(context: StateContext, binding: Binding): StateHandler | undefined {
  switch (binding.action) {
    case 'list':
    case 'search':
      return binding.list === undefined ? undefined : createListHandler(context, binding, binding.list);
    case 'copy':
    case 'create':
      return createCreateHandler(context, binding);
    case 'read':
      return createReadHandler(context, binding);
    case 'delete':
      return createDeleteHandler(context, binding);
    case 'content':
      return createContentHandler(context, binding);
    case 'batch':
      return createBatchHandler(context, binding);
    case 'act':
    case 'update':
      return createUpdateHandler(context, binding);
    default:
      return createReplaceHandler(context, binding);
  }
}
