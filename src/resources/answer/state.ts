import type { Operation } from '../../contract/operations/operation.js';
import type { Answer } from '../../http/answer.js';
import { memoize } from '../../base/memoize.js';
import { createDeclaredMembers } from '../item/declared-members.js';
import { type Action, type Binding, CREATES } from '../item/resource.js';
import { MockError } from '../../base/errors.js';
import type { AnswerSource, Exchange } from '../../answer/chain.js';
import { NO_RETRY } from '../../answer/error-answers.js';
import { createBodyReader, createBodyWriters } from './bodies.js';
import { withOperations } from './operations.js';
import { createPreconditions, NO_PRECONDITIONS, withIdempotency } from './conditions.js';
import {
  chooseDeclared,
  createChoice,
  createCreatedChoice,
  type OperationContext,
  pass,
  readOrigin,
  refuse,
  type StateContext,
  type StateHandler,
  withPlainJson,
} from './context.js';
import { createElementsHandler } from './elements.js';
import { createContentHandler, createLatestHandler, createListHandler, createReadHandler } from './read.js';
import { createFailureAnswers, createLocationFinder } from './request.js';
import { createReferences, NO_REFERENCES, readTargets, withReferences, withSelection } from './references.js';
import {
  createBatchDeleteHandler,
  createBatchHandler,
  createCreateHandler,
  createDeleteHandler,
  createReplaceHandler,
  createUpdateHandler,
} from './write.js';

/** Answers from collections: created items are listed and read, removed items are gone. */
export function createStateSource(parts: Omit<StateContext, 'answerFailure' | 'declared' | 'targets'>): AnswerSource {
  const declared = createDeclaredMembers(parts.contract);
  const targets = memoize(() => readTargets(parts));
  const answerFailure = createFailureAnswers(parts);
  const context = { ...parts, declared, answerFailure, targets: () => targets(undefined) };
  const hasOwnUrls = [...parts.resources.collections.values()].some(
    ({ links, selfUrl }) =>
      selfUrl?.startsWith('/') === true ||
      links.some(({ template, isPath = false }) => template.startsWith('/') && !isPath),
  );
  const answerFromStore = (exchange: Exchange, handler: StateHandler): Answer | undefined => {
    const { store } = exchange.session;
    try {
      if (!hasOwnUrls) return store.transaction((transaction) => handler(exchange, transaction));
      const origin = readOrigin(exchange.call);
      // A property after a spread gives each object a hidden class of its own in V8 11, which makes all reads slow.
      return store.transaction((transaction) => handler(exchange, { origin, ...transaction }));
    } catch (error) {
      if (error instanceof MockError && error.code === 'STATE_LIMIT') return refuseGrowth(context, exchange, error);
      throw error;
    }
  };
  const find = memoize(({ id }: Operation): StateHandler | string => {
    const binding = parts.resources.bindings.get(id);
    if (binding === undefined) return 'state: the operation is not bound to a collection';
    const own = createOperationContext(context, binding);
    const handler = HANDLERS[binding.action](own);
    return handler === undefined
      ? `state: the answer has no place for the items of ${binding.collection}`
      : withIdempotency(own, finish(own, withSelection(own, withReferences(own, handler))));
  });
  return {
    name: 'state',
    onInvalid: 'pass',
    isBest: true,
    getsDeclaredHeaders: true,
    hint: 'Correct the fixture, or the request that stored it.',
    answer: (exchange, next) => {
      const handler = find(exchange.call.operation);
      if (typeof handler === 'string') {
        exchange.note(handler);
        return next(exchange);
      }
      return answerFromStore(exchange, handler) ?? next(exchange);
    },
  };
}

/** The answer to a change for which the store has no room. */
function refuseGrowth(context: Pick<StateContext, 'errors'>, exchange: Exchange, { reason, hint }: MockError): Answer {
  const { operation } = exchange.call;
  return refuse(context, exchange, {
    // RFC 4918 11.5: the method could not be performed because there is no room for what it stores. Neither 429 nor 413 says that.
    status: chooseDeclared({ binding: { operation } }, [507, 503, 507]),
    message: hint === undefined ? reason : `${reason}; ${hint}`,
    code: 'state_limit',
    headers: NO_RETRY,
  });
}

function createOperationContext(context: StateContext, binding: Binding): OperationContext {
  const { action, operation } = binding;
  const model = context.items.model(binding.collection);
  const creates = CREATES.has(action);
  const reader = createBodyReader(context, binding, model);
  const choose = creates ? createCreatedChoice(operation) : createChoice(operation);
  const own = {
    ...context,
    binding,
    model,
    choose:
      model.schema === undefined && action !== 'delete' && action !== 'batch-delete' ? withPlainJson(choose) : choose,
    bodies: withOperations(context, binding, createBodyWriters(context, model, creates)),
    reader,
    preconditions: action === 'content' ? NO_PRECONDITIONS : createPreconditions(context, binding, reader),
    findLocation: createLocationFinder(context, binding),
    references: NO_REFERENCES,
  };
  return { ...own, references: createReferences(own) };
}

const HANDLERS: Readonly<Record<Action, (context: OperationContext) => StateHandler | undefined>> = {
  act: createUpdateHandler,
  batch: createBatchHandler,
  'batch-delete': createBatchDeleteHandler,
  content: createContentHandler,
  copy: createCreateHandler,
  count: createListHandler,
  create: createCreateHandler,
  delete: createDeleteHandler,
  elements: createElementsHandler,
  latest: createLatestHandler,
  list: createListHandler,
  read: createReadHandler,
  replace: createReplaceHandler,
  search: createListHandler,
  update: createUpdateHandler,
};

/**
 * Ends a request: an error answer undoes all its changes, and an answer whose body may be generated again is marked: any answer of a
 * collection whose items are created on demand, and any body that is not an item. Other items are what their fixtures say.
 */
function finish({ items, read, model, binding, choose }: OperationContext, handler: StateHandler): StateHandler {
  const { schema } = model.resource;
  const answered = `state: answered from ${binding.collection} (${binding.action})`;
  const unusable = `no success response can show an item of ${binding.collection}`;
  const isItem = ({ schemaPointer }: Answer): boolean =>
    schemaPointer === undefined || schema === undefined || read(schemaPointer)?.pointer === schema;
  return (exchange, transaction) => {
    const answer = handler(exchange, transaction);
    if (answer === undefined) return choose(exchange.call) === undefined ? pass(exchange, unusable) : undefined;
    if (answer.status >= 400) transaction.rollback();
    else exchange.note(answered);
    const collection = transaction.collection(binding.collection);
    const isGiven = items.unknownIds({ collection, model }) === 'not-found' && isItem(answer);
    return isGiven ? answer : { ...answer, onInvalid: 'regenerate' };
  };
}
