import { isObject } from '../../contract/schema.js';
import type { Item } from '../../state/item-list.js';
import { toScope } from '../../state/collection.js';
import { readFixed } from '../../state/deletion.js';
import type { Binding } from '../../state/resource.js';
import type { Exchange } from '../answer-source.js';
import { createChoice, createShow, toAnswer, type StateHandler, type StateKit } from './state-kit.js';
import { answerMissing, createPlaceFinder, findEntry, readId, type Place } from './state-scope.js';

/** Answers with one item. */
export function createReadHandler(kit: StateKit, binding: Binding): StateHandler {
  const findPlace = createPlaceFinder(kit, binding);
  const choose = createChoice(binding.operation);
  const { resource } = kit.kit(binding.collection);
  return (exchange) => {
    const choice = choose(exchange.call);
    const place = findPlace(exchange);
    if ('missing' in place) return place.missing;
    const id = readId(exchange.call, binding.id);
    const entry = findEntry(kit, exchange, { place, id });
    if (entry === undefined) return answerMissing(kit, exchange, { binding, id });
    if (choice === undefined) return undefined;
    return toAnswer(choice, createShow(kit, resource, choice.media?.schemaPointer)(entry, exchange));
  };
}

/** Removes one item, and what lives under it. */
export function createDeleteHandler(kit: StateKit, binding: Binding): StateHandler {
  const findPlace = createPlaceFinder(kit, binding);
  const choose = createChoice(binding.operation);
  const { resource } = kit.kit(binding.collection);
  return (exchange) => {
    const choice = choose(exchange.call);
    const place = findPlace(exchange);
    if ('missing' in place) return place.missing;
    const id = readId(exchange.call, binding.id);
    const entry = findEntry(kit, exchange, { place, id });
    if (entry === undefined) return answerMissing(kit, exchange, { binding, id });
    removeWithChildren(kit, exchange, { place, id });
    if (choice === undefined) return undefined;
    const pointer = choice.media?.schemaPointer;
    const schema = pointer === undefined ? undefined : kit.read(pointer);
    if (pointer === undefined || schema === undefined) return toAnswer(choice, undefined);
    if (schema.pointer === resource.schema) return toAnswer(choice, entry.item);
    const shown = entry.item[resource.idProperty ?? 'id'] ?? id;
    return toAnswer(choice, completeBody(kit, exchange, { pointer, body: readFixed(schema, shown), key: id }));
  };
}

/** A body made legal: as it is where it fits, else with what its schema demands besides. */
export function completeBody(
  kit: StateKit,
  { session }: Exchange,
  of: { readonly pointer: string; readonly body: Item; readonly key: string },
): unknown {
  if (kit.validators.check(of.pointer, 'response')(of.body, 'body').length === 0) return of.body;
  return kit.generator.complete(of.pointer, of.body, {
    seed: session.seed,
    key: `${of.pointer}\0${of.key}`,
    direction: 'response',
    now: session.clock.now(),
    known: of.body,
  });
}

/** The object a request carries; nothing where its body is none. */
export function readBody(exchange: Exchange): Item {
  const { body } = exchange.call;
  return isObject(body) ? body : {};
}

function removeWithChildren(
  kit: StateKit,
  exchange: Exchange,
  at: { readonly place: Place; readonly id: string },
): void {
  const { place, id } = at;
  const { store } = exchange.session;
  place.collection.remove(id, place.scope);
  const own = place.scope === '' ? toScope(id) : `${place.scope}/${toScope(id)}`;
  for (const child of kit.resources.collections.values()) {
    if (child.parents.includes(place.resource.name)) store.collection(child.name).dropScope(own);
    // A membership ends with its target.
    if (child.members !== place.resource.name) continue;
    const members = store.collection(child.name);
    for (const scope of members.scopes) members.remove(id, scope);
  }
}
