import { isObject } from '../../../contract/json.js';
import type { Answer } from '../../../http/answer.js';
import { mergePatch } from '../../../http/merge-patch.js';
import type { Call } from '../../../http/request/call.js';
import type { Binding } from '../../../state/resource.js';
import type { Entry, Item } from '../../../state/store/item-list.js';
import { applyJsonPatch } from '../../../state/store/json-patch.js';
import { isMomentOf, writeMoment } from '../../../state/store/timestamp.js';
import type { Exchange } from '../../chain.js';
import { readBody } from './body.js';
import { addItem, refuseDuplicate } from './create.js';
import {
  chooseDeclared,
  createChoice,
  createShower,
  type ResourceKit,
  type StateHandler,
  type StateKit,
  toAnswer,
} from './kit.js';
import { createPreconditions } from './precondition.js';
import { answerMissing, createPlaceFinder, findEntry, type Place, readId } from './scope.js';

/** Changes an item: a part of it, or, for an action, what the action stands for. */
export function createUpdateHandler(kit: StateKit, binding: Binding): StateHandler {
  const own = kit.kit(binding.collection);
  const moments = findMoments(own, binding);
  return createChangeHandler(kit, binding, (exchange, { entry }) => {
    const changes = readChanges(kit, exchange, { own, binding, item: entry.item });
    if (!('item' in changes)) return changes;
    const now = exchange.session.clock.now();
    const stamped = Object.fromEntries(moments.map((property) => [property.name, writeMoment(property, now)]));
    return { item: own.plan.change(changes.item, { ...stamped, ...binding.set }, now) };
  });
}

/** Puts a whole item in the place of another; where the contract declares a creation, also where there was none. */
export function createReplaceHandler(kit: StateKit, binding: Binding): StateHandler {
  const { operation } = binding;
  const own = kit.kit(binding.collection);
  const creates = own.resource.singleton || operation.responses.some(({ status }) => status === '201');
  const chooseCreated = createChoice(
    operation,
    operation.responses.some(({ status }) => status === '201') ? 201 : undefined,
  );
  const show = createShower(kit, own.resource);
  const replace = createChangeHandler(kit, binding, (exchange, { entry, place }) => ({
    item: own.plan.replace(entry.item, {
      id: toId(own, entry),
      body: readBody(exchange),
      fixed: { ...binding.set, ...place.known },
      defaults: place.collection.defaults,
      seed: exchange.session.seed,
      key: `${own.resource.name}\0${place.scope}\0${entry.id}`,
      now: exchange.session.clock.now(),
    }),
  }));
  if (!creates) return replace;
  const findPlace = createPlaceFinder(kit, binding);
  const check = createPreconditions(kit, binding);
  return (exchange) => {
    const place = findPlace(exchange);
    if ('missing' in place) return place.missing;
    const id = readItemId(own, binding, exchange);
    // Only what is there already is replaced: asking for an id with PUT is no reading of it.
    if (place.collection.get(id, place.scope) !== undefined) return replace(exchange);
    const refused =
      check.before(exchange, undefined) ?? refuseDuplicate(kit, exchange, { own, binding, place, id: undefined });
    if (refused !== undefined) return refused;
    const { entry } = addItem(exchange, { own, binding, place, body: readBody(exchange), id });
    const choice = chooseCreated(exchange.call);
    if (choice === undefined) return undefined;
    return toAnswer(choice, show(choice.media?.schemaPointer)(entry, exchange), check.headers(entry));
  };
}

type Change = (
  exchange: Exchange,
  at: { readonly entry: Entry; readonly place: Place },
) => { readonly item: Item } | { readonly refused: Answer };

/** What every change of one item has in common: find it, check the conditions, change it, show it. */
function createChangeHandler(kit: StateKit, binding: Binding, change: Change): StateHandler {
  const findPlace = createPlaceFinder(kit, binding);
  const choose = createChoice(binding.operation);
  const own = kit.kit(binding.collection);
  const show = createShower(kit, own.resource);
  const check = createPreconditions(kit, binding);
  return (exchange) => {
    const place = findPlace(exchange);
    if ('missing' in place) return place.missing;
    const id = readItemId(own, binding, exchange);
    const entry = findEntry(kit, exchange, { place, id });
    if (entry === undefined) return answerMissing(kit, exchange, { binding, id, place });
    const refused = check.before(exchange, entry) ?? refuseDuplicate(kit, exchange, { own, binding, place, id });
    if (refused !== undefined) return refused;
    const changed = change(exchange, { entry, place });
    if ('refused' in changed) return changed.refused;
    const item = own.tagged(changed.item, entry.revision + 1);
    const updated = place.collection.update(id, { item }, place.scope) ?? entry;
    const choice = choose(exchange.call);
    if (choice === undefined) return undefined;
    return toAnswer(choice, show(choice.media?.schemaPointer)(updated, exchange), check.headers(updated));
  };
}

/** The id of the item that is changed: from the path, or from the body where the path names none. */
function readItemId(own: ResourceKit, binding: Binding, exchange: Exchange): string {
  if (binding.id.length > 0 || own.resource.singleton) return readId(exchange.call, binding.id);
  return own.identity.toKey(readBody(exchange)[own.resource.idProperty ?? 'id']);
}

function toId(own: ResourceKit, entry: Entry): string | number {
  const id = entry.item[own.resource.idProperty ?? 'id'];
  return typeof id === 'number' ? id : entry.id;
}

/** The item with what a request wants of it, in the way of its media type. */
function readChanges(
  kit: StateKit,
  { call }: Exchange,
  of: { readonly own: ResourceKit; readonly binding: Binding; readonly item: Item },
): { readonly item: Item } | { readonly refused: Answer } {
  const { own, binding, item } = of;
  if (call.mediaType === 'application/json-patch+json') {
    const patched = applyJsonPatch(item, call.body);
    if ('item' in patched) return { item: { ...patched.item, ...keep(own, item) } };
    const status = chooseDeclared(binding, [409, 422, 400]);
    return {
      refused: kit.errors.answer(binding.operation, {
        status,
        message: patched.mistake,
        code: 'invalid_patch',
        from: 'state',
      }),
    };
  }
  const changes = own.plan.accept(isObject(call.body) ? call.body : {});
  return { item: isDeep(call) ? merge(own, item, changes) : { ...item, ...changes } };
}

/** Whether objects inside are merged: in a PATCH (RFC 7386), and in a form, which can only name what changes. */
function isDeep(call: Call): boolean {
  return call.method === 'PATCH' || /merge-patch|x-www-form-urlencoded|multipart/.test(call.mediaType ?? '');
}

/** A merge in which `null`, and the empty text of a form, clear a property: it is null where the schema allows that, else gone. */
function merge(own: ResourceKit, item: Item, changes: Item): Item {
  const merged: Record<string, unknown> = { ...item };
  for (const [name, value] of Object.entries(changes)) {
    const property = own.schema?.properties.get(name);
    const cleared = value === null || (value === '' && property?.nullable === true);
    if (!cleared) merged[name] = mergePatch(item[name], value);
    else if (property?.nullable === true) merged[name] = null;
    else delete merged[name];
  }
  return merged;
}

/** The id and what else a patch may not touch. */
function keep(own: ResourceKit, item: Item): Item {
  const kept = Object.keys(item).filter((name) => own.schema !== undefined && !own.plan.isOpen(name));
  return Object.fromEntries(kept.map((name) => [name, item[name]]));
}

/** Properties that note when an action happened: `cancelled_at` for a status of `cancelled`. */
function findMoments(own: ResourceKit, binding: Binding): readonly Parameters<typeof writeMoment>[0][] {
  const words = Object.values(binding.set).filter((value): value is string => typeof value === 'string');
  return [...(own.schema?.properties.values() ?? [])].filter((property) =>
    words.some((word) => isMomentOf(property, word)),
  );
}
