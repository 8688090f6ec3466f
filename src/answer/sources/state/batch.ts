import { isObject, readMember, withPath } from '../../../contract/json.js';
import type { Answer } from '../../../http/answer.js';
import { createItemEnvelope } from '../../../state/pages/envelope.js';
import { createValueReader, findIdsInput } from '../../../state/pages/inputs.js';
import { findCount } from '../../../state/pages/list-shape.js';
import type { Entry, Item } from '../../../state/store/lists/item-list.js';
import type { ItemLocation } from '../../../state/store/on-demand.js';
import type { Exchange } from '../../chain.js';
import type { ResponseChoice } from '../../choose-response.js';
import { isSameItem } from '../../../state/positions.js';
import { completeBody, locateItem } from './bodies.js';
import { type OperationContext, pass, type StateHandler, toAnswer } from './context.js';
import { createMatchReader } from './read.js';
import { answerMissing, createCollectionHandler, findEntry } from './request.js';
import { answerProblem, createItem, createReplacement, readIdValue, readOwnId } from './write.js';

/** Creates, replaces or updates every item of an array, or none of them. */
export function createBatchHandler(context: OperationContext): StateHandler {
  const change = createBatchChange(context);
  const answerSeveral = createSeveralAnswer(context);
  return createCollectionHandler(context, (exchange, choice, location) => {
    context.items.seed(location);
    const entries: Entry[] = [];
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

interface BatchPart {
  readonly location: ItemLocation;
  readonly body: Item;
}

/** A changed item, or the answer to a change that is not possible; undefined for an item that does not exist yet. */
type Changed = { readonly entry: Entry } | { readonly refused: Answer } | undefined;

/** Words of a path that changes existing items by POST. */
const CHANGE_WORD = /update|upsert|edit|modify/i;

/** Plans how the items of a batch change that exist: by PUT they are replaced, by PATCH or an "update" they are merged; a create has none. */
function createBatchChange(context: OperationContext): ((exchange: Exchange, part: BatchPart) => Changed) | undefined {
  const { binding, items, model } = context;
  const { method, path } = binding.operation;
  const merges = method === 'PATCH' || CHANGE_WORD.test(path.slice(path.lastIndexOf('/')));
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
  const input = findIdsInput(contract, binding.operation, binding.collection.split('.').at(-1) ?? '');
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
  return typeof value === 'string' || typeof value === 'number' ? String(value).split(/\s*,\s*/) : [];
}

type AnswerSeveral = (exchange: Exchange, choice: ResponseChoice, entries: readonly Entry[]) => Answer | undefined;

/** Plans the answer that shows several items: as a list, in an envelope, by their ids, by their number, or the last of them. */
function createSeveralAnswer(context: OperationContext): AnswerSeveral {
  const { binding, bodies, read, model } = context;
  const { list } = binding;
  const projectAll = (
    pointer: string | undefined,
    entries: readonly Entry[],
    exchange: Exchange,
  ): readonly unknown[] => {
    const isId = pointer !== undefined && read(pointer)?.properties.size === 0;
    const { idProperty = 'id' } = model.resource;
    if (isId) return entries.map(({ item, id }) => readMember(item, idProperty) ?? id);
    return entries.map((entry) => bodies.project(pointer)(entry, exchange));
  };
  const isItem = (pointer: string): boolean => {
    const { path, schema } = locateItem(context, model, pointer);
    if (path.length > 0) return true;
    return model.schema !== undefined && schema !== undefined && isSameItem(read, model.schema, schema);
  };
  return (exchange, choice, entries) => {
    const pointer = choice.media?.schemaPointer;
    const schema = read(pointer);
    if (pointer === undefined || schema === undefined) return toAnswer(choice, undefined);
    if (schema.type === 'array') return toAnswer(choice, projectAll(schema.items, entries, exchange));
    const count = list === undefined && !isItem(pointer) ? findCount(schema, read) : undefined;
    const key = `${pointer}\0${entries[0]?.id ?? ''}`;
    if (list !== undefined || count !== undefined) {
      const body =
        list === undefined
          ? withPath({}, count ?? [], entries.length)
          : createItemEnvelope(read, schema, list.path)(projectAll(list.itemSchema, entries, exchange));
      return toAnswer(choice, completeBody(context, exchange, { pointer, body, key }));
    }
    const last = entries.at(-1);
    if (last === undefined) return pass(exchange, 'the request names no item that is stored');
    return toAnswer(choice, bodies.project(pointer)(last, exchange));
  };
}
