import { isJsonType } from '../../../http/media-type.js';
import type { Binding } from '../../../state/resource.js';
import { toScope } from '../../../state/store/collection.js';
import { readFixed } from '../../../state/store/deletion.js';
import type { Exchange } from '../../chain.js';
import { completeBody } from './body.js';
import { createChoice, createShower, type StateHandler, type StateKit, toAnswer } from './kit.js';
import { createPreconditions } from './precondition.js';
import { answerMissing, createPlaceFinder, findEntry, type Place, readId } from './scope.js';

/** Answers with one item. */
export function createReadHandler(kit: StateKit, binding: Binding): StateHandler {
  const findPlace = createPlaceFinder(kit, binding);
  const choose = createChoice(binding.operation);
  const { resource } = kit.kit(binding.collection);
  const show = createShower(kit, resource);
  const check = createPreconditions(kit, binding);
  const onlyShown = resource.singleton && isOnlyRead(kit, binding);
  return (exchange) => {
    const choice = choose(exchange.call);
    const place = findPlace(exchange);
    if ('missing' in place) return place.missing;
    if (onlyShown && !place.collection.started) return undefined;
    const id = readId(exchange.call, binding.id);
    const entry = findEntry(kit, exchange, { place, id });
    if (entry === undefined) return answerMissing(kit, exchange, { binding, id, place });
    if (choice === undefined) return undefined;
    const refused = check.before(exchange, entry);
    if (refused !== undefined) return refused;
    return toAnswer(choice, show(choice.media?.schemaPointer)(entry, exchange), check.headers(entry));
  };
}

/** Removes one item, and what lives under it. */
export function createDeleteHandler(kit: StateKit, binding: Binding): StateHandler {
  const findPlace = createPlaceFinder(kit, binding);
  const choose = createChoice(binding.operation);
  const { resource } = kit.kit(binding.collection);
  const show = createShower(kit, resource);
  const check = createPreconditions(kit, binding);
  return (exchange) => {
    const choice = choose(exchange.call);
    const place = findPlace(exchange);
    if ('missing' in place) return place.missing;
    const id = readId(exchange.call, binding.id);
    const entry = findEntry(kit, exchange, { place, id });
    if (entry === undefined) return answerMissing(kit, exchange, { binding, id, place });
    const refused = check.before(exchange, entry);
    if (refused !== undefined) return refused;
    removeWithChildren(kit, exchange, { place, id });
    if (choice === undefined) return undefined;
    const pointer = choice.media?.schemaPointer;
    const schema = pointer === undefined ? undefined : kit.read(pointer);
    if (pointer === undefined || schema === undefined) return toAnswer(choice, undefined);
    if (schema.pointer === resource.schema) return toAnswer(choice, show(pointer)(entry, exchange));
    const shown = entry.item[resource.idProperty ?? 'id'] ?? id;
    return toAnswer(choice, completeBody(kit, exchange, { pointer, body: readFixed(schema, shown), key: id }));
  };
}

/** Whether no operation writes the collection: then only a fixture says what it holds. */
function isOnlyRead(kit: StateKit, binding: Binding): boolean {
  return [...kit.resources.bindings.values()].every(
    ({ collection, action }) => collection !== binding.collection || action === 'read',
  );
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

/** Answers with the bytes behind one item: as they are, or as a JSON string where the contract speaks of JSON. */
export function createContentHandler(kit: StateKit, binding: Binding): StateHandler {
  const findPlace = createPlaceFinder(kit, binding);
  const choose = createChoice(binding.operation);
  return (exchange) => {
    const choice = choose(exchange.call);
    const place = findPlace(exchange);
    if ('missing' in place) return place.missing;
    const id = readId(exchange.call, binding.id);
    const entry = findEntry(kit, exchange, { place, id });
    if (entry === undefined) return answerMissing(kit, exchange, { binding, id, place });
    if (choice === undefined || entry.content === undefined) return undefined;
    const { bytes, mediaType = 'application/octet-stream' } = entry.content;
    if (choice.media?.type.includes('*') === true) {
      // The contract leaves the type open: it is the item's own.
      return { ...toAnswer(choice, bytes), mediaType };
    }
    const json = choice.mediaType !== undefined && isJsonType(choice.mediaType);
    return toAnswer(choice, json ? new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes) : bytes);
  };
}
