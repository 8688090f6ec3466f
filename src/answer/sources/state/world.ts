import { readItemKey } from '../../../state/resource-facts.js';
import { readScope, toScope } from '../../../state/store/collection.js';
import type { Entry, Item } from '../../../state/store/item-list.js';
import { makeWholeItem } from '../../../state/store/whole-item.js';
import type { Exchange } from '../../chain.js';
import type { StateKit } from './kit.js';
import type { Place } from './scope.js';

/** How many items an open collection shows before anybody created one. */
const OPEN_ITEMS = 3;

/**
 * Makes the item of an id that nobody created, where the world is open: the same for the same seed, whatever was asked before.
 * An id that was removed stays gone.
 */
export function bringIntoBeing(
  kit: StateKit,
  exchange: Exchange,
  at: { readonly place: Place; readonly id: string },
): Entry | undefined {
  const { place, id } = at;
  const { resource, collection, scope } = place;
  if (kit.worldOf(resource, collection) === 'closed') return undefined;
  seedOpenWorld(kit, exchange, place);
  const list = collection.list(scope);
  const known = list.get(id);
  if (known !== undefined || list.recall(id) !== undefined) return known;
  const item = makeOpenItem(kit, exchange, { place, id, key: `id\0${id}` });
  exchange.note(`state: ${resource.name} ${JSON.stringify(id)} came into being by being asked for (open world)`);
  return collection.add({ id, item, invented: true }, scope);
}

/** Fills a list of an open world with its first items, once. */
export function seedOpenWorld(kit: StateKit, exchange: Exchange, place: Place): void {
  const { resource, collection, scope } = place;
  const mark = place.part === '' ? scope : `?${place.part}`;
  if (collection.isSeeded(mark) || kit.worldOf(resource, collection) === 'closed') return;
  collection.markSeeded(mark);
  if (resource.members !== undefined || resource.singleton || resource.schema === undefined) return;
  if (isMade(exchange, place)) return;
  const { identity } = kit.kit(resource.name);
  const { seed } = exchange.session;
  for (let i = 1; i <= (kit.items ?? OPEN_ITEMS); i++) {
    // Negative numbers leave the positive ones to the creates.
    const id = identity.make(collection, scope, { seed, number: -i, part: place.part });
    const item = makeOpenItem(kit, exchange, { place, id, key: `open\0${place.part}\0${i}` });
    collection.add({ id: readItemKey(resource, item, id), item, invented: true }, scope);
  }
}

/** Whether somebody made the item that these items would live under: what was just made has nothing under it yet. */
function isMade({ session }: Exchange, { resource, scope }: Place): boolean {
  const parent = resource.parents.at(-1);
  if (parent === undefined || scope === '') return false;
  const ids = readScope(scope);
  const entry = session.store.collection(parent).get(ids.at(-1) ?? '', toScope(...ids.slice(0, -1)));
  return entry !== undefined && entry.invented !== true;
}

function makeOpenItem(
  kit: StateKit,
  { session }: Exchange,
  of: { readonly place: Place; readonly id: string | number; readonly key: string },
): Item {
  const { resource, scope, known } = of.place;
  const { schema } = kit.kit(resource.name);
  const property = schema?.properties.get(resource.idProperty ?? '');
  const given: Record<string, unknown> = {};
  const parts = String(of.id).split('/');
  if (parts.length === resource.keyProperties.length) {
    for (const [i, name] of resource.keyProperties.entries())
      given[name] = toType(parts[i] ?? '', schema?.properties.get(name)?.schema.type);
  } else if (property !== undefined) {
    const id = toType(of.id, property.schema.type);
    // What an item is asked for by is not always what it shows as its id.
    if (kit.validators.check(property.target, 'response')(id, 'body').length === 0) given[property.name] = id;
  }
  if (resource.schema === undefined) return { ...known, ...given, id: of.id };
  return makeWholeItem(kit, {
    schema: resource.schema,
    given,
    wished: known,
    context: {
      seed: session.seed,
      key: `${resource.name}\0${scope}\0${of.key}`,
      direction: 'response',
      now: session.clock.now(),
    },
  });
}

/** An id from a path as the type its schema has. */
function toType(id: string | number, type: string | readonly string[] | undefined): string | number {
  const types = typeof type === 'string' ? [type] : (type ?? []);
  const numeric = types.includes('integer') || types.includes('number');
  return numeric && /^-?\d+$/.test(String(id)) ? Number(id) : id;
}
