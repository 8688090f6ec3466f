import { isObject } from '../../contract/schema.js';
import type { Answer } from '../../http/answer.js';
import type { Entry, Item } from '../../state/item-list.js';
import type { Binding } from '../../state/resource.js';
import type { Exchange } from '../answer-source.js';
import { completeBody, readBody } from './state-item.js';
import { createChoice, createShow, toAnswer, type ResourceKit, type StateHandler, type StateKit } from './state-kit.js';
import { createPlaceFinder, type Place } from './state-scope.js';
import { seedOpenWorld } from './state-world.js';

/** Creates one item and answers with it. */
export function createCreateHandler(kit: StateKit, binding: Binding): StateHandler {
  const findPlace = createPlaceFinder(kit, binding);
  const choose = createChoice(binding.operation);
  const own = kit.kit(binding.collection);
  return (exchange) => {
    const choice = choose(exchange.call);
    const place = findPlace(exchange);
    if ('missing' in place) return place.missing;
    if (choice === undefined) return undefined;
    seedOpenWorld(kit, exchange, place);
    const { entry, whole } = addItem(exchange, { own, binding, place, body: readBody(exchange) });
    const pointer = choice.media?.schemaPointer;
    const headers: Answer['headers'] =
      choice.status === 201
        ? { location: `${exchange.call.url.split('?')[0] ?? ''}/${encodeURIComponent(entry.id)}` }
        : {};
    if (pointer === undefined || own.resource.schema === undefined) return toAnswer(choice, entry.item, headers);
    if (entry.secrets !== undefined) {
      const body = completeBody(kit, exchange, { pointer, body: whole, key: entry.id });
      return toAnswer(choice, body, headers);
    }
    return toAnswer(choice, createShow(kit, own.resource, pointer)(entry, exchange), headers);
  };
}

/** Adds one item to a collection: what the request says, and what the server sets. */
export function addItem(
  { session, call }: Exchange,
  from: { readonly own: ResourceKit; readonly binding: Binding; readonly place: Place; readonly body: Item },
): { readonly entry: Entry; readonly whole: Item } {
  const { own, binding, place, body } = from;
  const { resource, identity, plan } = own;
  const { collection, scope } = place;
  const number = collection.nextNumber();
  const id = readOwnId(own, binding, body) ?? identity.make(collection, scope, { seed: session.seed, number });
  const item = plan.create({
    id,
    body,
    fixed: { ...binding.set, ...place.known },
    defaults: collection.defaults,
    seed: session.seed,
    key: `${resource.name}\0${scope}\0${number}`,
    now: session.clock.now(),
  });
  const content = readContent(call.body);
  const entry = {
    id: identity.toKey(id),
    ...hideOnce(item, resource.once),
    ...(content === undefined ? {} : { content }),
  };
  return { entry: collection.add(entry, scope), whole: item };
}

/** An item without what is shown only once, and that apart. */
function hideOnce(item: Item, once: readonly string[]): { readonly item: Item; readonly secrets?: Item } {
  if (once.length === 0) return { item };
  const kept: Record<string, unknown> = {};
  const secrets: Record<string, unknown> = {};
  for (const name of Object.keys(item)) (once.includes(name) ? secrets : kept)[name] = item[name];
  return { item: kept, secrets };
}

/** The id a request chooses itself: of the target, for a membership; of a thing that is named by its user. */
function readOwnId({ resource, schema }: ResourceKit, binding: Binding, body: Item): string | number | undefined {
  const names = resource.members === undefined ? [] : [binding.parents.at(-1)?.parameters[0], ...Object.keys(body)];
  if (resource.members !== undefined) {
    const name = names.find((each) => each !== undefined && /_?id$/i.test(each) && Object.hasOwn(body, each));
    return readText(name === undefined ? undefined : body[name]);
  }
  const property = schema?.properties.get(resource.idProperty ?? '');
  return property?.readOnly === true ? undefined : readText(body[resource.idProperty ?? 'id']);
}

function readText(value: unknown): string | number | undefined {
  return typeof value === 'string' || typeof value === 'number' ? value : undefined;
}

/** The bytes of a file that came with a form. */
function readContent(
  body: unknown,
): { readonly bytes: Uint8Array; readonly mediaType: string | undefined } | undefined {
  if (!isObject(body)) return undefined;
  for (const value of Object.values(body)) {
    if (value instanceof Uint8Array) return { bytes: value, mediaType: undefined };
  }
  return undefined;
}
