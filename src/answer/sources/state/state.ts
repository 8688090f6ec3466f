import type { Operation } from '../../../contract/operations/operation.js';
import type { Answer } from '../../../http/answer.js';
import type { Binding } from '../../../state/resource.js';
import type { AnswerSource } from '../../chain.js';
import { createReplaceHandler, createUpdateHandler } from './change.js';
import { createBatchHandler, createCreateHandler } from './create.js';
import { withIdempotency } from './idempotency.js';
import { createContentHandler, createDeleteHandler, createReadHandler } from './item.js';
import { createStateKit, type StateHandler, type StateKit, type StateParts } from './kit.js';
import { createListHandler } from './list.js';

/** Answers from collections: what was created is listed and read, what was removed is gone. */
export function createStateSource(parts: StateParts): AnswerSource {
  const kit = createStateKit(parts);
  const handlers = new Map<Operation, StateHandler | undefined>();
  const find = (operation: Operation): StateHandler | undefined => {
    if (handlers.has(operation)) return handlers.get(operation);
    const binding = parts.resources.bindings.get(operation.id);
    const bare = binding === undefined ? undefined : createHandler(kit, binding);
    const handler =
      bare === undefined || binding === undefined
        ? undefined
        : withIdempotency(kit, binding, markGenerated(kit, binding, bare));
    handlers.set(operation, handler);
    return handler;
  };
  return {
    name: 'state',
    onInvalid: 'fail',
    hint: 'Correct the fixture, or the request that stored it.',
    answer: (exchange, next) => find(exchange.call.operation)?.(exchange) ?? next(),
  };
}

/**
 * Marks answers whose body may be generated again: all of an open world, which is inferred and may be wrong, and in a closed one
 * those that are not an item of the collection. An item of a closed world is what its fixture says.
 */
function markGenerated(kit: StateKit, binding: Binding, handler: StateHandler): StateHandler {
  const { resource } = kit.kit(binding.collection);
  const showsItem = ({ schemaPointer }: Answer): boolean =>
    schemaPointer === undefined ||
    resource.schema === undefined ||
    kit.read(schemaPointer)?.pointer === resource.schema;
  return (exchange) => {
    const answer = handler(exchange);
    if (answer === undefined) return undefined;
    const collection = exchange.session.store.collection(binding.collection);
    const given = kit.worldOf(resource, collection) === 'closed' && showsItem(answer);
    return given ? answer : { ...answer, onInvalid: 'regenerate' };
  };
}

function createHandler(kit: StateKit, binding: Binding): StateHandler | undefined {
  switch (binding.action) {
    case 'list':
    case 'search':
      return binding.list === undefined ? undefined : createListHandler(kit, binding, binding.list);
    case 'copy':
    case 'create':
      return createCreateHandler(kit, binding);
    case 'read':
      return createReadHandler(kit, binding);
    case 'delete':
      return createDeleteHandler(kit, binding);
    case 'content':
      return createContentHandler(kit, binding);
    case 'batch':
      return createBatchHandler(kit, binding);
    case 'act':
    case 'update':
      return createUpdateHandler(kit, binding);
    default:
      return createReplaceHandler(kit, binding);
  }
}
