import { isObject, setOwn } from '../../../contract/json.js';
import type { Answer } from '../../../http/answer.js';
import { readItemKey } from '../../../state/resource-facts.js';
import type { Binding } from '../../../state/resource.js';
import type { Entry, Item } from '../../../state/store/item-list.js';
import type { Exchange } from '../../chain.js';
import { completeBody, readBodies, readBody, readUpload } from './body.js';
import {
  createCreatedChoice,
  createShower,
  type ResourceKit,
  type StateHandler,
  type StateKit,
  toAnswer,
} from './kit.js';
import { createPreconditions } from './precondition.js';
import { answerMissing, answerUnknownTarget, createPlaceFinder, findEntry, type Place, readId } from './scope.js';
import { seedOpenWorld } from './world.js';

/** Creates one item and answers with it; a copy starts from the item its path names. */
export function createCreateHandler(kit: StateKit, binding: Binding): StateHandler {
  const findPlace = createPlaceFinder(kit, binding);
  const choose = createCreatedChoice(binding.operation);
  const own = kit.kit(binding.collection);
  const show = createShower(kit, own.resource);
  const check = createPreconditions(kit, binding);
  return (exchange) => {
    const choice = choose(exchange.call);
    const place = findPlace(exchange);
    if ('missing' in place) return place.missing;
    if (choice === undefined) return undefined;
    seedOpenWorld(kit, exchange, place);
    let body = readBody(exchange);
    if (binding.action === 'copy') {
      const id = readId(exchange.call, binding.id);
      const source = findEntry(kit, exchange, { place, id });
      if (source === undefined) return answerMissing(kit, exchange, { binding, id, place });
      body = { ...own.plan.accept(source.item), ...body };
    }
    const id = readOwnId(own, binding, body);
    const refused =
      answerUnknownTarget(kit, exchange, { binding, place, id }) ??
      refuseDuplicate(kit, exchange, { own, binding, place, id: undefined });
    if (refused !== undefined) return refused;
    const { entry: added, whole } = addItem(exchange, { own, binding, place, body, id });
    const pointer = choice.media?.schemaPointer;
    const shown =
      pointer === undefined || added.secrets === undefined
        ? show(pointer)(added, exchange)
        : completeBody(kit, exchange, { pointer, body: whole, key: added.id });
    const entry = agree(kit, { own, place, added, shown });
    const tags = check.headers(entry);
    const headers = choice.status === 201 ? { ...tags, ...readLocation(exchange, { own, binding, entry }) } : tags;
    return toAnswer(choice, shown, headers);
  };
}

/** The entry with what the answer to its create had to say otherwise, so that a read agrees with it. */
function agree(
  kit: StateKit,
  made: { readonly own: ResourceKit; readonly place: Place; readonly added: Entry; readonly shown: unknown },
): Entry {
  const { own, place, added, shown } = made;
  const { schema, idProperty } = own.resource;
  if (schema === undefined || shown === added.item || !isObject(shown)) return added;
  const told = Object.keys(added.item).filter(
    (name) => name !== idProperty && typeof shown[name] === 'string' && shown[name] !== added.item[name],
  );
  if (told.length === 0) return added;
  const item = { ...added.item, ...Object.fromEntries(told.map((name) => [name, shown[name]])) };
  if (kit.validators.check(schema, 'response')(item, 'body').length > 0) return added;
  return place.collection.update(added.id, { item }, place.scope) ?? added;
}

/** Creates every item of a list. */
export function createBatchHandler(kit: StateKit, binding: Binding): StateHandler {
  const findPlace = createPlaceFinder(kit, binding);
  const choose = createCreatedChoice(binding.operation);
  const own = kit.kit(binding.collection);
  const show = createShower(kit, own.resource);
  return (exchange) => {
    const choice = choose(exchange.call);
    const place = findPlace(exchange);
    if ('missing' in place) return place.missing;
    if (choice === undefined) return undefined;
    const entries = readBodies(exchange).map(
      (body) => addItem(exchange, { own, binding, place, body, id: readOwnId(own, binding, body) }).entry,
    );
    const pointer = choice.media?.schemaPointer;
    const schema = pointer === undefined ? undefined : kit.read(pointer);
    if (pointer === undefined || schema === undefined) return toAnswer(choice, undefined);
    if (schema.type === 'array')
      return toAnswer(
        choice,
        entries.map((entry) => show(schema.items)(entry, exchange)),
      );
    const { list } = binding;
    if (list?.items !== undefined) {
      const body = { ...list.constants, [list.items]: entries.map((entry) => show(list.itemSchema)(entry, exchange)) };
      return toAnswer(choice, completeBody(kit, exchange, { pointer, body, key: entries[0]?.id ?? '' }));
    }
    const last = entries.at(-1);
    return last === undefined ? undefined : toAnswer(choice, show(pointer)(last, exchange));
  };
}

/** Adds one item to a collection: what the request says, and what the server sets. */
export function addItem(
  { session, call }: Exchange,
  from: {
    readonly own: ResourceKit;
    readonly binding: Binding;
    readonly place: Place;
    readonly body: Item;
    /** The id where the request chooses it. */
    readonly id: string | number | undefined;
    /** The key the path names, for a PUT that creates. */
    readonly path?: string | undefined;
  },
): { readonly entry: Entry; readonly whole: Item } {
  const { own, binding, place, body } = from;
  const { resource, identity, plan } = own;
  const { collection, scope } = place;
  const upload = readUpload(call);
  const number = collection.nextNumber();
  const id = from.id ?? (resource.singleton ? '' : identity.make(collection, scope, { seed: session.seed, number }));
  const whole = plan.create({
    id: resource.singleton ? undefined : identity.toValue(id),
    body,
    fixed: { ...binding.set, ...place.known },
    defaults: readDefaults(place, id, upload?.facts),
    seed: session.seed,
    key: `${resource.name}\0${scope}\0${number}`,
    now: session.clock.now(),
  });
  const shown = resource.idProperty === undefined ? undefined : whole[resource.idProperty];
  const key = resource.singleton ? '' : readItemKey(resource, whole, from.path ?? shown ?? id);
  const { item, secrets } = hideOnce(own.tagged(whole, 1), resource.once);
  return { entry: collection.add({ id: key, item, secrets, content: upload?.content }, scope), whole };
}

/** What an item has where the request says nothing; where several properties name it, one that is left out is the id itself. */
function readDefaults({ resource, collection }: Place, id: string | number, facts: Item | undefined): Item {
  const { keyProperties } = resource;
  if (facts === undefined && keyProperties.length === 0) return collection.defaults;
  const named = Object.fromEntries(keyProperties.map((name) => [name, String(id)]));
  return { ...named, ...facts, ...collection.defaults };
}

/** The answer to a request whose item would have a unique property of another one; undefined where there is none. */
export function refuseDuplicate(
  kit: StateKit,
  exchange: Exchange,
  of: { readonly own: ResourceKit; readonly binding: Binding; readonly place: Place; readonly id: string | undefined },
): Answer | undefined {
  const { own, binding, place, id } = of;
  if (own.resource.unique.length === 0) return undefined;
  const body = readBody(exchange);
  const { entries } = place.collection.list(place.scope);
  for (const name of own.resource.unique) {
    const value = body[name];
    if (value === undefined || value === null) continue;
    if (!entries.some((entry) => entry.item[name] === value && entry.id !== id)) continue;
    const message = `${name} ${JSON.stringify(value)} is taken`;
    exchange.note(`state: ${message}`);
    return kit.errors.answer(binding.operation, { status: 409, message, code: 'conflict', param: name, from: 'state' });
  }
  return undefined;
}

/** An item without what is shown only once, and that apart. */
function hideOnce(item: Item, once: readonly string[]): { readonly item: Item; readonly secrets: Item | undefined } {
  if (once.length === 0) return { item, secrets: undefined };
  const shown: Record<string, unknown> = {};
  const secrets: Record<string, unknown> = {};
  for (const name of Object.keys(item)) setOwn(once.includes(name) ? secrets : shown, name, item[name]);
  return { item: shown, secrets };
}

/** The id a request chooses itself: of the target, for a membership; of a thing that is named by its user. */
function readOwnId({ resource, schema }: ResourceKit, binding: Binding, body: Item): string | number | undefined {
  if (resource.members !== undefined) {
    const name = resource.memberParameter ?? Object.keys(body).find((each) => /_?id$/i.test(each));
    return readText(name === undefined ? undefined : body[name]);
  }
  if (binding.action === 'copy') return undefined;
  const property = schema?.properties.get(resource.idProperty ?? '');
  return property?.readOnly === true ? undefined : readText(body[resource.idProperty ?? 'id']);
}

function readText(value: unknown): string | number | undefined {
  return (typeof value === 'string' && value !== '') || typeof value === 'number' ? value : undefined;
}

/** RFC 9110 10.2.2: where the new item is read. */
function readLocation(
  { call }: Exchange,
  { own, binding, entry }: { readonly own: ResourceKit; readonly binding: Binding; readonly entry: Entry },
): Answer['headers'] {
  const [path = ''] = call.url.split('?');
  const above = binding.action === 'copy' ? path.split('/').slice(0, -2).join('/') : path;
  const parts = own.resource.keyProperties.length > 1 ? entry.id.split('/') : [entry.id];
  return { location: `${above}/${parts.map((part) => encodeURIComponent(part.toWellFormed())).join('/')}` };
}
