import { type IdValue, isIdValue, isNumber, toNumber } from '../../base/exact-number.js';
import { toDay } from '../../base/clock.js';
import { means } from '../../conventions/conventions.js';
import {
  NO_MEMBERS,
  freezeDeep,
  isObject,
  overlay,
  readMember,
  withPath,
  filterMembers,
  joinObjects,
} from '../../base/json.js';
import type { ReadSchema, SchemaView } from '../../contract/schema-view/schema-view.js';
import { isPathId, type Resource, type Resources } from '../item/resource.js';
import type { Dependents } from './dependents.js';
import { type InitialValues, planInitialValues } from './initial-values.js';
import { readScope, toPartMark, toScope, type UnknownIds, type WritableCollection } from './collection.js';
import type { StoredItem, Item } from './lists/item-list.js';
import { memoizeOf } from '../../base/memoize.js';
import { toBareName } from '../../base/names.js';
import { createRandom } from '../../base/random.js';
import { KEY_OF_OTHER } from '../../conventions/forms.js';
import { readItemKey, showOwnUrls, withJoinedKeys } from '../item/identity.js';
import { type ItemModel, type ItemModelParts, omitInvalid } from '../item/item-model.js';
import { measureValue } from './lists/usage.js';
import type { Transaction } from './store.js';
import { listParameters, toItemNoun } from '../../conventions/names.js';

/** One list of items inside a transaction. */
export interface ItemLocation {
  readonly transaction: Transaction;
  readonly model: ItemModel;
  readonly collection: WritableCollection;
  readonly scope: string;
  /** Properties that the path determines: the ids of the parents. */
  readonly known: Item;
  /** For a list below a parent that shows part of a top-level collection: the scope of that parent; else `''`. */
  readonly part: string;
  /** The collection of that parent. */
  readonly partOf?: string | undefined;
}

/** The settings for items that no client created. */
export interface OnDemandParts extends ItemModelParts {
  readonly read: ReadSchema;
  readonly resources: Resources;
  /** @throws MockError `COLLECTION_UNKNOWN`. */
  model(collection: string): ItemModel;
  readonly dependents: Pick<Dependents, 'origin' | 'represent'>;
  readonly generated: GeneratedItems;
  /** For all collections that do not say so themselves; default: `not-found` with fixtures, else `create`. */
  readonly unknownIds?: UnknownIds | undefined;
  /** The setting of the document for all collections. */
  readonly documented?: UnknownIds | undefined;
  /** How many items a collection without fixtures starts with; default 3. */
  readonly initialItems?: number | undefined;
}

/** Creates items because they are requested, where unknown ids are configured to be created. */
export interface ItemsOnDemand {
  unknownIds(location: Pick<ItemLocation, 'collection' | 'model'>): UnknownIds;
  /** Whether the store knows which items exist: not for items without a schema, fixtures or configuration. */
  isKnown(location: Pick<ItemLocation, 'collection' | 'model'>): boolean;
  /** The item of an id, or of the value of another key. */
  lookUp(location: Pick<ItemLocation, 'collection' | 'model' | 'scope'>, id: string): StoredItem | undefined;
  /** The last version of an item, by the same keys, also after its removal. */
  recall(location: Pick<ItemLocation, 'collection' | 'model' | 'scope'>, id: string): StoredItem | undefined;
  /** The item of an id, created where that is configured; an id that was removed stays removed. */
  find(location: ItemLocation, id: string): StoredItem | undefined;
  /** The item of a collection that is the user of a request: the first one, also where none is; undefined once it is removed. */
  findOwn(location: ItemLocation): StoredItem | undefined;
  /** Creates the initial items of a list, once. */
  seed(location: ItemLocation): void;
  /** An item with those that exist in the objects that show others. */
  readonly represent: Represent;
  /** A new item as complete as the initial ones, without the properties that only the answer to a create shows. */
  draft(location: ItemLocation): Item;
}

const INITIAL_ITEMS = 3;

/** Creates items on demand: each one is a function of the seed and its id, whatever was requested before. */
export function createItemsOnDemand(given: OnDemandParts): ItemsOnDemand {
  const initialValues = memoizeOf((resource: Resource) => planInitialValues(given.read, resource, given.resources));
  const parts = { ...given, initialValues };
  const unknownIds: ItemsOnDemand['unknownIds'] = ({ collection, model: { resource } }) =>
    collection.unknownIds ??
    resource.unknownIds ??
    parts.unknownIds ??
    parts.documented ??
    (collection.started || resource.schema === undefined ? 'not-found' : 'create');
  const seed = createSeed(parts, unknownIds, (...of) => represent(...of));
  const represent = createRepresentation(parts, { seed, unknownIds });
  const find = createFinder(parts, { seed, unknownIds, represent });
  return {
    unknownIds,
    isKnown: ({ collection, model: { resource } }) =>
      collection.started || resource.schema !== undefined || (resource.unknownIds ?? parts.unknownIds) !== undefined,
    seed,
    draft: (location) => {
      const { collection, scope, transaction, model } = location;
      const number = collection.nextNumber();
      const id = model.identity.generateId(collection, scope, { seed: transaction.seed, number });
      const drafted = generateOnDemand(parts, location, {
        id,
        key: `draft\0${number}`,
        index: collection.list(scope).size,
      });
      return represent(location, drafted);
    },
    lookUp,
    recall,
    represent,
    findOwn: createOwnFinder(parts, seed, represent),
    find,
  };
}

/** Creates the initial items of a list. */
function createSeed(
  parts: OnDemandParts & GeneratingParts,
  unknownIds: ItemsOnDemand['unknownIds'],
  represent: Represent,
): ItemsOnDemand['seed'] {
  return (location) => {
    const { model, collection, scope, part, transaction } = location;
    const { resource, identity } = model;
    const mark = part === '' ? scope : toPartMark(part);
    const { initialItems: hinted } = resource;
    const isHinted = hinted !== undefined && !collection.started;
    if (collection.isSeeded(mark) || (unknownIds(location) === 'not-found' && !isHinted)) return;
    collection.markSeeded(mark);
    if (resource.members !== undefined || resource.singleton || resource.schema === undefined) return;
    if (!isHinted && (hasCreatedParent(location) || isOfCreated(location, parts.resources))) return;
    for (let i = 1; i <= (hinted ?? parts.initialItems ?? INITIAL_ITEMS); i++) {
      // Creates use the positive numbers.
      const id = identity.generateId(collection, scope, { seed: transaction.seed, number: -i, part });
      const index = i - 1;
      const item = represent(location, generateOnDemand(parts, location, { id, key: `open\0${part}\0${i}`, index }), {
        index,
      });
      // An item can be identified by the one that it shows.
      const shown = resource.idProperty?.includes('.') === true ? readMember(item, resource.idProperty) : undefined;
      const own = isIdValue(shown) ? shown : id;
      collection.add({ id: readItemKey(resource, item, own), item, part, onDemand: 'list' }, scope);
    }
  };
}

/** Creates the item of an unknown id. */
function createFinder(
  parts: OnDemandParts & GeneratingParts,
  { seed, unknownIds, represent }: Pick<ItemsOnDemand, 'represent' | 'seed' | 'unknownIds'>,
): ItemsOnDemand['find'] {
  const findOriginal = createOriginalFinder(parts, (location, id) => find(location, id));
  const find: ItemsOnDemand['find'] = (location, id) => {
    const { collection, scope, transaction } = location;
    const existing = lookUp(location, id);
    if (existing !== undefined || unknownIds(location) === 'not-found') return existing;
    seed(location);
    const known = lookUp(location, id);
    if (known !== undefined || recall(location, id) !== undefined) return known;
    const { identity, resource } = location.model;
    const generateId = (): IdValue =>
      identity.generateId(collection, scope, { seed: transaction.seed, number: 0, part: id });
    const key = `id\0${id}`;
    // The path can name the value of another property than the id.
    const told = resource.alternateKeys.filter((name) => readMember(location.known, name) === id);
    for (const name of told.length > 0 || identity.fits(id) ? told : resource.alternateKeys) {
      const own = generateId();
      const named = { ...location, known: withPath(location.known, name.split('.'), id) };
      const item = represent(location, generateOnDemand(parts, named, { id: own, key }));
      // A value that the property cannot have was replaced.
      if (readMember(item, name) === id)
        return collection.add({ id: readItemKey(resource, item, own), item, onDemand: 'id' }, scope);
    }
    const own = identity.generateKey === undefined ? id : generateId();
    const generated = represent(location, generateOnDemand(parts, location, { id: own, key }));
    const original = findOriginal(location, id);
    // What the path determines stays.
    const isKnown = (name: string): boolean => Object.hasOwn(location.known, name);
    const item =
      original === undefined ? generated : { ...generated, ...filterMembers(original, (name) => !isKnown(name)) };
    return collection.add({ id, item, onDemand: 'id' }, scope);
  };
  return find;
}

function createOwnFinder(
  parts: GeneratingParts,
  seed: ItemsOnDemand['seed'],
  represent: Represent,
): ItemsOnDemand['findOwn'] {
  return (location) => {
    seed(location);
    const { collection, scope, transaction, model } = location;
    const { entries, removed } = collection.list(scope);
    const [first] = entries;
    const [gone] = removed;
    if (first !== undefined && first.sequence < (gone?.sequence ?? Infinity)) return first;
    if (gone !== undefined) return undefined;
    const id = model.identity.generateId(collection, scope, { seed: transaction.seed, number: 0 });
    const item = represent(location, generateOnDemand(parts, location, { id, key: 'own' }));
    return collection.add({ id: readItemKey(model.resource, item, id), item, onDemand: 'list' }, scope);
  };
}

/** Finds the item of a top-level collection that one below a parent is, by its id. */
function createOriginalFinder(
  { dependents, model }: OnDemandParts,
  find: ItemsOnDemand['find'],
): (location: ItemLocation, id: string) => Item | undefined {
  return ({ transaction, collection }, id) => {
    const name = dependents.origin(collection.name);
    const of =
      name === undefined ? undefined : { transaction, model: model(name), collection: transaction.collection(name) };
    return of && find({ ...of, scope: '', known: NO_MEMBERS, part: '' }, id)?.item;
  };
}

const lookUp: ItemsOnDemand['lookUp'] = ({ collection, scope, model: { resource } }, id) => {
  const entry = collection.get(id, scope);
  if (entry !== undefined || resource.alternateKeys.length === 0) return entry;
  return findByKey(resource, collection.list(scope).entries, id);
};

const recall: ItemsOnDemand['recall'] = ({ collection, scope, model: { resource } }, id) => {
  const list = collection.list(scope);
  const known = list.recall(id);
  return known === undefined && resource.alternateKeys.length > 0 ? findByKey(resource, list.removed, id) : known;
};

function findByKey({ alternateKeys }: Resource, entries: readonly StoredItem[], id: string): StoredItem | undefined {
  const isNamed = (value: unknown): boolean => value === id || (isNumber(value) && String(value) === id);
  return entries.find(({ item }) => alternateKeys.some((name) => isNamed(readMember(item, name))));
}

/** @param of - `index`: that of an initial item, which shows others than the one before; `isGiven`: whether a property stays. */
type Represent = (
  location: ItemLocation,
  item: Item,
  of?: { readonly index?: number; readonly isGiven?: (name: string) => boolean },
) => Item;

/** What generates an item: the parts with what its kind does not have. */
interface GeneratingParts extends Pick<OnDemandParts, 'generated' | 'generator' | 'validators'> {
  initialValues(resource: Resource): InitialValues;
}

/**
 * Shows the items of other collections where an item that no client created represents them: one of their initial items, so that
 * reading its id shows the same.
 */
function createRepresentation(
  parts: OnDemandParts & GeneratingParts,
  { seed, unknownIds }: Pick<ItemsOnDemand, 'seed' | 'unknownIds'>,
): Represent {
  return ({ transaction, collection, scope, model: { resource } }, item, { index, isGiven } = {}) => {
    let next = index;
    const choose = (): number => {
      const own = String(readMember(item, resource.idProperty ?? 'id'));
      next ??= createRandom(transaction.seed, `shown\0${resource.name}\0${scope}\0${own}`).integer(0, 1000);
      return next++;
    };
    const shown = parts.dependents.represent(
      { collection, scope },
      item,
      ({ name: property, collection: name, scope: at, id, isMutual, isKey }) => {
        if (isGiven?.(property) === true) return undefined;
        const model = parts.model(name);
        const of = {
          transaction,
          model,
          collection: transaction.collection(name),
          scope: at,
          known: NO_MEMBERS,
          part: '',
        };
        const isOpen = unknownIds(of) === 'create';
        // Where two collections show each other, neither is first.
        if (isOpen && !isMutual) seed(of);
        const entries = of.collection.list(at).entries.filter(({ onDemand }) => !isOpen || onDemand === 'list');
        if (entries.length > 0 && !isMutual && !(isKey && index === undefined))
          return entries[choose() % entries.length]?.item;
        const known = isIdValue(id) ? String(id) : undefined;
        if (known === undefined || !isOpen || !model.identity.fits(known)) return undefined;
        return lookUp(of, known)?.item ?? generateOnDemand(parts, of, { id: known, key: `id\0${known}` });
      },
    );
    if (shown === item || resource.schema === undefined) return item;
    return parts.validators.accepts(resource.schema, 'response')(shown) ? shown : item;
  };
}

/** Whether a client created the item that the path or a required filter names: nothing belongs to a new item yet. */
function isOfCreated({ transaction, known, collection, part }: ItemLocation, { collections }: Resources): boolean {
  const [path = ''] = part.split('?');
  const named = Object.entries(known).map(([name, value]) => [name, isObject(value) ? Object.values(value)[0] : value]);
  return [...named, ['', readScope(path).at(-1)]].some(([name, value]) => {
    if (!isIdValue(value)) return false;
    const id = String(value);
    const bare = toBareName(String(name));
    const [, noun = bare] = KEY_OF_OTHER.exec(bare) ?? [];
    return [...collections.keys()].some((other) => {
      // A short id can be that of items of several collections.
      if (other === collection.name || (toItemNoun(other) !== noun && id.length < MIN_TELLING_ID)) return false;
      const { scopes, get } = transaction.collection(other);
      return scopes.some((scope) => isCreated(get(id, scope)));
    });
  });
}

function isCreated(entry: StoredItem | undefined): boolean {
  return entry !== undefined && entry.onDemand === undefined;
}

const MIN_TELLING_ID = 12;

/** Whether a client created the parent: nothing lives under a new item yet. */
function hasCreatedParent({ transaction, model: { resource }, scope, part, partOf }: ItemLocation): boolean {
  const isNew = (parent: string | undefined, path: string): boolean => {
    if (parent === undefined || path === '') return false;
    const ids = readScope(path);
    return isCreated(transaction.collection(parent).get(ids.at(-1) ?? '', toScope(...ids.slice(0, -1))));
  };
  return isNew(resource.parents.at(-1), scope) || isNew(partOf, part.split('?')[0] ?? '');
}

function generateOnDemand(
  parts: GeneratingParts,
  { model, scope, known, transaction }: ItemLocation,
  { id, key, index }: { readonly id: IdValue; readonly key: string; readonly index?: number },
): Item {
  const { resource, schema, identity, idProperty: property } = model;
  const { origin } = transaction;
  const given: Record<string, unknown> = {};
  const nested: (readonly [path: string, value: IdValue])[] = [];
  const ids = String(id).split('/');
  if (ids.length === resource.keyProperties.length) {
    for (const [i, name] of resource.keyProperties.entries()) {
      const value = toType(ids[i] ?? '', schema?.members.get(name)?.schema.type);
      if (name.includes('.')) nested.push([name, value]);
      else given[name] = value;
    }
  } else if (property !== undefined) {
    const value = isPathId(resource) ? identity.toValue(id, scope, origin) : toType(id, property.schema.type);
    // The id in the path may not be valid as the id in the item.
    if (parts.validators.accepts(property.target, 'response')(value)) {
      if (property.isNested) nested.push([resource.idProperty ?? '', value]);
      else given[property.name] = value;
    }
  }
  if (resource.schema === undefined) return { ...known, ...given, id };
  const initial = parts.initialValues(resource);
  const own = Object.fromEntries(initial.own.map((name) => [name, toType(id, schema?.members.get(name)?.schema.type)]));
  const preferred = { ...initial.preferred, ...own, ...readParentIds(resource, schema, scope), ...known };
  const stream = `${resource.name}\0${scope}\0${key}`;
  // To the day, so that the same item is generated at any time of it.
  const now = toDay(transaction.clock.now());
  const { seed } = transaction;
  // Everything that the item depends on, besides the contract.
  const facts = JSON.stringify([
    resource.schema,
    stream,
    seed,
    String(now),
    index ?? '',
    given,
    preferred,
    resource.once,
  ]);
  const item = parts.generated.find(facts, () =>
    generateItem(parts, {
      schema: resource.schema ?? '',
      given,
      preferred,
      hidden: [...resource.once, ...initial.hidden],
      context: { ...(index !== undefined && { index }), seed, key: stream, direction: 'response', now },
    }),
  );
  const whole = nested.reduce((result, [path, value]) => withPath(result, path.split('.'), value), item);
  return showOwnUrls(resource, withJoinedKeys(resource, whole), { scope, id: String(id), origin });
}

/** Properties named like the path parameters of the parents: `thread_id`. The `id` of an item is not that of its parent. */
export function readParentIds({ path }: Resource, schema: SchemaView | undefined, scope: string): Item {
  const ids = readScope(scope);
  const known: Record<string, unknown> = {};
  for (const [i, name] of listParameters(path).entries()) {
    const property = schema?.members.get(name);
    if (means(name, 'ids.id', 'ids.name')) continue;
    if (property !== undefined && ids[i] !== undefined) known[name] = toType(ids[i], property.schema.type);
  }
  return known;
}

/** An id from a path in the type of its schema. */
export function toType(id: IdValue, type: string | readonly string[] | undefined): IdValue {
  const types = typeof type === 'string' ? [type] : (type ?? []);
  const numeric = types.includes('integer') || types.includes('number');
  return numeric && /^-?\d+$/.test(String(id)) ? toNumber(String(id)) : id;
}

/** A complete item with its optional properties. */
export function generateItem(
  { generator, validators }: Pick<ItemModelParts, 'generator' | 'validators'>,
  input: {
    readonly schema: string;
    /** Properties that the item has in any case: its id, its parent. */
    readonly given: Item;
    /** Properties that the item has where its schema allows their values: links to other items. */
    readonly preferred: Item;
    /** Properties that it does not have where its schema allows that: secrets. */
    readonly hidden: readonly string[];
    readonly context: Parameters<ItemModelParts['generator']['value']>[1];
  },
): Item {
  const { schema, given, preferred, hidden, context } = input;
  const check = validators.check(schema, 'response');
  // An object among them is a part of the one that is generated.
  const known = { ...filterMembers(preferred, (_, value) => !isObject(value)), ...given };
  const generated = generator.value(schema, { ...context, known });
  const base = isObject(generated) ? filterMembers(generated, (name) => !hidden.includes(name)) : {};
  const first = joinObjects(base, overlay(base, preferred), given);
  const wrong = check(first, 'body');
  if (wrong.length === 0) return first;
  const fitting = omitInvalid(preferred, wrong);
  const second = joinObjects(base, fitting, given);
  if (check(second, 'body').length === 0) return second;
  // The schema of a collection's items describes objects.
  return generator.complete(schema, { ...fitting, ...given }, context) as Item;
}

/** Items that were generated, by all that they depend on: a reset, another session or another mock of the contract needs the same ones again. */
export interface GeneratedItems {
  /** The item of a key, generated where it is not known; it is frozen, since others get the same one. */
  find(key: string, generate: () => Item): Item;
}

/** The estimated size in bytes of the items that are kept in memory, with their keys: half of it are those that were used last. */
const MAX_BYTES = 8_000_000;

interface Generated {
  readonly item: Item;
  readonly bytes: number;
}

/** Keeps the items of one contract. */
export function createGeneratedItems(): GeneratedItems {
  let recent = new Map<string, Generated>();
  let older: ReadonlyMap<string, Generated> = new Map();
  let bytes = 0;
  const keep = (key: string, generated: Generated): Item => {
    if (generated.bytes > MAX_BYTES / 8) return generated.item;
    recent.set(key, generated);
    bytes += generated.bytes;
    if (bytes > MAX_BYTES / 2) {
      older = recent;
      recent = new Map();
      bytes = 0;
    }
    return generated.item;
  };
  return {
    find: (key, generate) => {
      const known = recent.get(key);
      if (known !== undefined) return known.item;
      const before = older.get(key);
      if (before !== undefined) return keep(key, before);
      const item = freezeDeep(generate());
      return keep(key, { item, bytes: measureValue(key) + measureValue(item) });
    },
  };
}
