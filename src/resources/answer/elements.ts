import { isNumber } from '../../base/exact-number.js';
import { rankNames } from '../../conventions/conventions.js';
import { isObject, readMember, readPath, withPath, filterMembers } from '../../base/json.js';
import type { Answer } from '../../http/answer.js';
import { findPropertyAt, type SchemaView } from '../../contract/schema-view/schema-view.js';
import { toBareName } from '../../base/names.js';
import { compareSchemas } from '../item/positions.js';
import type { ElementsPlace, Resource } from '../item/resource.js';
import { readScope, toScope } from '../store/collection.js';
import type { StoredItem, Item } from '../store/lists/item-list.js';
import type { ItemLocation } from '../store/on-demand.js';
import { isGenerated } from '../store/lists/usage.js';
import type { Exchange } from '../../answer/chain.js';
import { createListHandler, showRelated, toElements } from './read.js';
import { completeBody } from './bodies.js';
import {
  answerItem,
  chooseDeclared,
  type OperationContext,
  refuse,
  type StateHandler,
  toAnswer,
  toNoun,
} from './context.js';
import { createItemHandler } from './request.js';
import { answerProblem } from './write.js';
import { declaresStatus } from '../../contract/operations/responses.js';

/** Lists, adds, sets or removes the elements of an array of an item: `/issues/{id}/labels`. */
export function createElementsHandler(context: OperationContext): StateHandler | undefined {
  const { binding, items, choose } = context;
  const { elements, operation, list } = binding;
  if (elements === undefined) return undefined;
  const { property } = elements;
  if (elements.isOne === true) return createIdentifierHandler(context, elements);
  const showList = list === undefined ? undefined : createListHandler(context);
  if (operation.method === 'GET')
    return createItemHandler(context, (exchange, _, { transaction }) => showList?.(exchange, transaction));
  const change = operation.method === 'DELETE' ? createRemoval(context, elements) : createAddition(context, elements);
  return createItemHandler(context, (exchange, entry, location) => {
    if (choose(exchange.call) === undefined) return undefined;
    const changed = change(exchange, entry, location);
    if ('refused' in changed) return changed.refused;
    const after = withPath(entry.item, property.split('.'), changed.elements);
    const updated = items.update(location, entry, { after, strict: false });
    if ('problems' in updated) return answerProblem(context, exchange, { id: entry.id, ...updated });
    return showList?.(exchange, location.transaction) ?? answerItem(context, exchange, updated.entry);
  });
}

/** Reads or sets the identifier of another item, `{ data: { type, id } }`, or shows that item. */
function createIdentifierHandler(context: OperationContext, { property, of }: ElementsPlace): StateHandler {
  const { binding, choose, items } = context;
  const { method } = binding.operation;
  const path = property.split('.');
  const name = path.at(-1) ?? '';
  return createItemHandler(context, (exchange, entry, location) => {
    const choice = choose(exchange.call);
    if (choice === undefined) return undefined;
    let { item } = entry;
    if (method !== 'GET') {
      const sent = isObject(exchange.call.body) ? exchange.call.body[name] : undefined;
      const after = withPath(item, path, sent ?? null);
      const updated = items.update(location, entry, { after, strict: false });
      if ('problems' in updated) return answerProblem(context, exchange, { id: entry.id, ...updated });
      ({ item } = updated.entry);
    }
    const value = readPath(item, path) ?? null;
    const shown = of === undefined ? value : (showRelated(context, location, { of, elements: [value] })[0] ?? null);
    const pointer = choice.media?.schemaPointer;
    const body = { [name]: shown };
    const key = `${pointer ?? ''}\0${entry.id}`;
    return toAnswer(choice, pointer === undefined ? body : completeBody(context, exchange, { pointer, body, key }));
  });
}

/** Changes the elements of an item. */
type ChangeElements = (
  exchange: Exchange,
  entry: StoredItem,
  location: ItemLocation,
) => { readonly elements: readonly unknown[] } | { readonly refused: Answer };

/** Plans a removal: of the elements that the request names, or of all where it cannot name any. */
function createRemoval(context: OperationContext, { property, parameter }: ElementsPlace): ChangeElements {
  const isAll = parameter === undefined && context.binding.operation.body === undefined;
  return (exchange, entry) => {
    const { call } = exchange;
    const before = toElements(readMember(entry.item, property));
    const named = parameter === undefined ? readSent(call.body, property) : [call.path[parameter]];
    const left = before.filter((each) => !isAll && !named.some((name) => isSame(each, name)));
    // The elements of an item that was created on demand are unknown until a request changes it, as the ids of items are.
    const isUnknown = isGenerated(entry);
    if (parameter === undefined || left.length < before.length || isUnknown) return { elements: left };
    return { refused: refuseElement(context, exchange, { property, named: named[0] }) };
  };
}

/** Plans an addition to the elements; PUT of all of them sets them. */
function createAddition(context: OperationContext, { property, parameter }: ElementsPlace): ChangeElements {
  const resolve = createResolver(context, property);
  const isSet = /^(PUT|PATCH)$/.test(context.binding.operation.method) && parameter === undefined;
  return (exchange, entry, location) => {
    const { call } = exchange;
    const elements = isSet ? [] : [...toElements(readMember(entry.item, property))];
    const named = parameter === undefined ? readSent(call.body, property) : [call.path[parameter]];
    for (const sent of named) {
      if (elements.some((each) => isSame(each, sent))) continue;
      const resolved = resolve(exchange, location, sent);
      if ('refused' in resolved) return resolved;
      elements.push(resolved.element);
    }
    return { elements };
  };
}

function refuseElement(
  context: OperationContext,
  exchange: Exchange,
  { property, named }: { readonly property: string; readonly named: unknown },
): Answer {
  const status = chooseDeclared(context, [404, 422, 404]);
  const message = `the ${toNoun(context.binding.collection)} has no ${toNoun(property)} ${JSON.stringify(toKey(named))}`;
  return refuse(context, exchange, { status, message, code: 'not_found', param: property });
}

/** The elements that a body names: itself, its array of that name, or its first array. */
function readSent(body: unknown, property: string): readonly unknown[] {
  if (Array.isArray(body)) return body;
  if (!isObject(body)) return body === undefined || body === null ? [] : [body];
  const arrays = Object.entries(body).filter(([, value]) => Array.isArray(value));
  const [, own] = arrays.find(([name]) => toBareName(name) === toBareName(property)) ?? arrays[0] ?? [];
  return own === undefined ? [body] : toElements(own);
}

/** The values that can identify an element, the most likely first. */
function listKeys(element: Item): readonly unknown[] {
  return rankNames(Object.keys(element), 'ids.element')
    .map((name) => element[name])
    .filter((value) => value !== undefined);
}

/** The value that names an element: itself, or the first key of an object. */
function toKey(named: unknown): unknown {
  return isObject(named) ? listKeys(named)[0] : named;
}

/** Whether an element is the one that a value names. */
function isSame(element: unknown, named: unknown): boolean {
  const key = toKey(named);
  const own = isObject(element) ? listKeys(element) : [element];
  return key !== undefined && own.some((value) => value === key || (isNumber(value) && String(value) === key));
}

type Resolve = (
  exchange: Exchange,
  location: ItemLocation,
  sent: unknown,
) => { readonly element: unknown } | { readonly refused: Answer };

/** Plans the element for what a request sends: itself, or the item of another collection that it names. */
function createResolver(context: OperationContext, property: string): Resolve {
  const { binding, generator, model, read } = context;
  const place = model.schema && findPropertyAt(read, model.schema, property);
  const pointer = read(place?.target)?.element ?? '';
  const schema = read(pointer);
  if (schema === undefined || schema.members.size === 0)
    return (_exchange, _location, sent) => ({ element: toKey(sent) });
  const name =
    property
      .replace(/\.data$/, '')
      .split('.')
      .at(-1) ?? '';
  const source = findSource(context, name, schema);
  const keys = rankNames(schema.members.keys(), 'ids.element');
  const isNumeric = (each: string): boolean => schema.members.get(each)?.schema.type === 'integer';
  const isRefused = [404, 422].some((status) => declaresStatus(binding.operation, status));
  return (exchange, location, sent) => {
    const { session } = exchange;
    const value = toKey(sent);
    const key = keys.find((each) => (isObject(sent) ? sent[each] === value : isNumeric(each) === isNumber(value)));
    const partial: Item = isObject(sent) ? sent : { [key ?? 'name']: value };
    const known =
      source === undefined || key === undefined ? undefined : findItem(context, location, { source, key, partial });
    if (known === undefined && source !== undefined && isRefused)
      return { refused: refuseElement(context, exchange, { property, named: sent }) };
    const seeded = { seed: session.seed, key: `${property}\0${String(value)}`, now: session.clock.now() };
    const element = { ...partial, ...filterMembers(known ?? {}, (each) => schema.members.has(each)) };
    return { element: generator.complete(pointer, element, { ...seeded, direction: 'response' }) };
  };
}

/** The collection whose items are the elements: one of the same parents, with the noun of the array or the same schema. */
function findSource(
  { model, read, resources }: OperationContext,
  property: string,
  element: SchemaView,
): string | undefined {
  const isNear = ({ parents, singleton }: Resource): boolean =>
    !singleton && parents.every((name, i) => name === model.resource.parents[i]);
  const isNamed = ({ name }: Resource): boolean => toBareName(name.split('.').at(-1) ?? '') === toBareName(property);
  // A collection of the same parents before a collection for all of them, such as a search.
  const near = [...resources.collections.values()]
    .filter(isNear)
    .toSorted((a, b) => b.parents.length - a.parents.length);
  const found = near.filter((resource) => {
    const own = read(resource.schema);
    if (own === undefined) return false;
    return own.pointer === element.pointer || (isNamed(resource) && compareSchemas(read, own, element) >= 0.6);
  });
  return (found.find(isNamed) ?? found[0])?.name;
}

/** The item of a collection that an element shows, created where unknown ids are; undefined for an unknown one. */
function findItem(
  { items }: OperationContext,
  { transaction, scope: around }: ItemLocation,
  of: { readonly source: string; readonly key: string; readonly partial: Item },
): Item | undefined {
  const { source, key, partial } = of;
  const { resource } = items.model(source);
  const scope = toScope(...readScope(around).slice(0, resource.parents.length));
  const location = items.locate(transaction, source, scope);
  const value = partial[key];
  const list = location.collection.list(scope);
  const known = items.lookUp(location, String(value)) ?? list.entries.find(({ item }) => item[key] === value);
  if (known !== undefined || items.unknownIds(location) !== 'create') return known?.item;
  if (resource.idProperty === key) return items.find(location, String(value))?.item;
  const created = items.create(location, { body: partial, fixed: { [key]: value }, strict: false });
  return 'problems' in created ? undefined : created.entry.item;
}
