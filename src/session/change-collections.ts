import type { Contract } from '../contract/contract.js';
import { isObject } from '../contract/schema.js';
import type { Generator } from '../generate/generate.js';
import type { Validators } from '../http/validate.js';
import { NO_VIOLATIONS } from '../http/violation.js';
import { mergePatch, type ChangeCollection } from '../scenario/effects.js';
import type { CollectionView } from '../scenario/match.js';
import type { CollectionChanges } from '../scenario/rule.js';
import { toScope, type Collection } from '../state/collection.js';
import { createIdentity, type Identity } from '../state/identity.js';
import type { Item } from '../state/item-list.js';
import { createItemPlan, type ItemPlan } from '../state/item-plan.js';
import { createItemSchemaReader } from '../state/item-schema.js';
import type { Resource, Resources } from '../state/resource.js';
import type { Session } from './session.js';

/** What changes of collections are made with. */
export interface ChangeParts {
  readonly contract: Contract;
  readonly resources: Resources;
  readonly validators: Validators;
  readonly generator: Generator;
}

interface Maker {
  readonly resource: Resource;
  readonly identity: Identity;
  readonly plan: ItemPlan;
}

/** How scenarios look at the collections of a session. */
export function viewCollections({ store }: Session): CollectionView {
  return {
    count: (name) => {
      const collection = store.collection(name);
      return collection.scopes.reduce((sum, scope) => sum + collection.list(scope).size, 0);
    },
    has: (name, id) => {
      const collection = store.collection(name);
      return collection.scopes.some((scope) => collection.get(id, scope) !== undefined);
    },
  };
}

/** How scenarios change the collections of a session; what is needed of a resource is made once for all sessions. */
export function createCollectionChanger(parts: ChangeParts): (session: Session) => ChangeCollection {
  const read = createItemSchemaReader(parts.contract);
  const makers = new Map<string, Maker>();
  const findMaker = (name: string): Maker => {
    const known = makers.get(name);
    if (known !== undefined) return known;
    const resource = parts.resources.collections.get(name);
    // Scenarios were checked: they name collections that exist.
    if (resource === undefined) throw new Error(`no collection is called "${name}"`);
    const maker = createMaker(parts, resource, read);
    makers.set(name, maker);
    return maker;
  };
  return (session) => (change) => {
    const collection = session.store.collection(change.name);
    const work = { maker: findMaker(change.name), collection, session };
    if (change.clear) clear(collection);
    for (const scope of scopesOf(work)) for (let i = 0; i < change.generate; i++) addItem(work, scope, {});
    for (const item of change.add) if (isObject(item)) addItem(work, readScope(item, work.maker.resource), item);
    update(work, change);
    for (const scope of collection.scopes) for (const id of change.remove) collection.remove(String(id), scope);
  };
}

interface Work {
  readonly maker: Maker;
  readonly collection: Collection;
  readonly session: Session;
}

function createMaker(parts: ChangeParts, resource: Resource, read: ReturnType<typeof createItemSchemaReader>): Maker {
  const pointer = resource.schema;
  const schema = pointer === undefined ? undefined : read(pointer);
  const check = pointer === undefined ? () => NO_VIOLATIONS : parts.validators.check(pointer, 'response');
  const plan = createItemPlan(resource, {
    schema,
    maker: {
      check: (item) => check(item, 'body'),
      complete: (item, { seed, key, now }) =>
        // A schema of objects gives an object.
        parts.generator.complete(pointer ?? '', item, { seed, key, direction: 'response', now }) as Item,
    },
  });
  return { resource, identity: createIdentity(parts.contract, resource, schema), plan };
}

function clear(collection: Collection): void {
  collection.markSeeded('');
  for (const scope of collection.scopes) {
    collection.markSeeded(scope);
    for (const { id } of [...collection.list(scope).entries]) collection.remove(id, scope);
  }
}

/** Where generated items go: under every parent that is known, or at the top. */
function scopesOf({ maker, collection }: Work): readonly string[] {
  return maker.resource.parents.length === 0 ? [''] : collection.scopes;
}

/** The parent an item names with `$parent`, as in a fixture: an id, ids with a slash between them, or ids by collection. */
function readScope(item: Item, resource: Resource): string {
  const parent = item['$parent'];
  if (typeof parent === 'string' || typeof parent === 'number') return toScope(...String(parent).split('/'));
  if (!isObject(parent)) return '';
  const ids = resource.parents.map((name) => parent[name]);
  return toScope(...ids.map((id) => (typeof id === 'string' ? id : JSON.stringify(id))));
}

function addItem({ maker, collection, session }: Work, scope: string, given: Item): void {
  const { resource, identity, plan } = maker;
  const { seed, clock } = session;
  const fixed = Object.fromEntries(Object.entries(given).filter(([name]) => !name.startsWith('$')));
  const number = collection.nextNumber();
  const own = fixed[resource.idProperty ?? 'id'];
  const id =
    typeof own === 'string' || typeof own === 'number' ? own : identity.make(collection, scope, { seed, number });
  const key = `${resource.name}\0${scope}\0${number}`;
  const item = plan.create({ id, body: {}, fixed, defaults: collection.defaults, seed, key, now: clock.now() });
  // What only a create shows is kept aside, unless the scenario writes it down itself.
  const hidden = resource.once.filter((name) => Object.hasOwn(item, name) && !Object.hasOwn(fixed, name));
  const shown = Object.fromEntries(Object.entries(item).filter(([name]) => !hidden.includes(name)));
  const secrets = Object.fromEntries(hidden.map((name) => [name, item[name]]));
  const content = given['$content'];
  collection.add(
    {
      id: resource.singleton ? '' : identity.toKey(id),
      item: shown,
      ...(hidden.length > 0 && { secrets }),
      ...(typeof content === 'string' && {
        content: { bytes: new TextEncoder().encode(content), mediaType: readType(given) },
      }),
    },
    scope,
  );
}

function readType(given: Item): string | undefined {
  return typeof given['$contentType'] === 'string' ? given['$contentType'] : undefined;
}

function update({ maker, collection, session }: Work, { update: changes }: CollectionChanges): void {
  for (const [id, patch] of Object.entries(changes)) {
    for (const scope of collection.scopes) {
      const entry = collection.get(id, scope);
      if (entry === undefined) continue;
      // A merge patch over an object is an object.
      const item = mergePatch(entry.item, patch) as Item;
      collection.update(id, { item: maker.plan.change(item, {}, session.clock.now()) }, scope);
    }
  }
}
