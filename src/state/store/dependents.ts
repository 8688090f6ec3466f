import { isObject } from '../../contract/json.js';
import { memoize } from '../../memoize.js';
import type { ItemProperty, ItemSchema, ReadItemSchema } from '../item-schema.js';
import { toBareName, toSingular } from '../names.js';
import { isTopLevel, type Resource, type Resources } from '../resource.js';
import {
  type Entry,
  type Item,
  listEntries,
  type NewEntry,
  readScope,
  toChildScope,
  toScope,
  type WritableCollection,
} from './collection.js';
import type { ItemLocation } from './on-demand.js';
import { isStatus } from './server-values.js';
import type { Transaction } from './store.js';

/** Where one item is. */
interface ItemPlace {
  readonly id: string;
  readonly scope: string;
}

/**
 * Keeps what depends on items in step with them: the lists below, memberships, which have the id of their target, and the objects in
 * other items that show them.
 */
export interface Dependents {
  /** Adds an item, which the item above it counts. */
  add(location: Pick<ItemLocation, 'collection' | 'scope' | 'transaction'>, entry: NewEntry): Entry;
  /** Removes an item with what depends on it. */
  remove(transaction: Transaction, collection: WritableCollection, at: ItemPlace): Entry | undefined;
  /** Moves the lists below an item to another id. */
  move(transaction: Transaction, collection: WritableCollection, at: ItemPlace & { readonly to: string }): void;
  /**
   * The objects of an item that only name others by their ids, or others than before a change, with what those others are now.
   *
   * @returns The properties that hold such objects.
   */
  embed(transaction: Transaction, collection: string, of: { readonly item: Item; readonly before?: Item }): Item;
  /** Shows a changed item where other items show it, and counts it where the item above it counts those of its status. */
  refresh(transaction: Transaction, collection: string, change: ItemChange): void;
}

interface ItemChange {
  readonly before: Item;
  readonly after: Item;
  readonly scope: string;
}

/** A property of items that shows an item of another collection, or an array of them. */
interface Embedding {
  readonly name: string;
  /** The collection of the item that is shown. */
  readonly of: string;
  readonly idProperty: string;
  /** Whether an id is not valid in its place. */
  readonly isObject: boolean;
  /** What the object shows of that item. */
  readonly shown: readonly string[];
}

/** The dependents of the collections of a contract. */
export function createDependents(resources: Resources, read: ReadItemSchema): Dependents {
  const all = [...resources.collections.values()];
  const find = memoize((name: string) => ({
    below: all.filter(({ parents }) => parents.includes(name)).map((child) => child.name),
    memberships: all.filter(({ members }) => members === name).map((child) => child.name),
  }));
  const count = createCount(resources, read);
  const embeddings = createEmbeddings(all, read);
  const remove: Dependents['remove'] = (transaction, collection, at) => {
    const entry = collection.remove(at.id, at.scope);
    if (entry === undefined) return undefined;
    count(transaction, collection.name, { scope: at.scope, part: entry.part });
    const { below, memberships } = find(collection.name);
    const scope = toChildScope(at.scope, at.id);
    for (const name of below) transaction.collection(name).dropScope(scope);
    for (const name of memberships) {
      const members = transaction.collection(name);
      for (const each of members.scopes) remove(transaction, members, { id: at.id, scope: each });
    }
    return entry;
  };
  const move: Dependents['move'] = (transaction, collection, { id, scope, to }) => {
    const [from, target] = [toChildScope(scope, id), toChildScope(scope, to)];
    for (const name of find(collection.name).below) {
      const children = transaction.collection(name);
      for (const below of children.scopes.filter((each) => each === from || each.startsWith(`${from}/`))) {
        for (const child of children.list(below).entries) children.add(child, target + below.slice(from.length));
      }
      children.dropScope(from);
    }
  };
  return {
    embed: embeddings.embed,
    move,
    remove,
    add: ({ transaction, collection, scope }, entry) => {
      const added = collection.add(entry, scope);
      count(transaction, collection.name, { scope, part: entry.part });
      return added;
    },
    refresh: (transaction, collection, change) => {
      embeddings.refresh(transaction, collection, change);
      count(transaction, collection, { scope: change.scope });
    },
  };
}

/** A number of an item that counts the items of one collection below it: all, or those with a status. */
interface Count {
  readonly property: string;
  readonly status: string | undefined;
}

/** The list in which an item was created or removed: that of its parents, or that of the parents whose part it belongs to. */
interface CountedList {
  readonly scope: string;
  readonly part?: string | undefined;
}

/** Creates the function that updates the counts of the item above a list: `comments`, `comments_count`, `open_issues_count`. */
function createCount(
  { collections, bindings }: Resources,
  read: ReadItemSchema,
): (transaction: Transaction, collection: string, list: CountedList) => void {
  const find = memoize((name: string) => {
    const creates = [...bindings.values()].filter((each) => each.collection === name && each.within !== undefined);
    const above = [
      collections.get(name)?.parents.at(-1),
      creates.flatMap(({ parents }) => parents.at(-1) ?? [])[0]?.collection,
    ];
    const [whole, part] = above.map((parent = '') => ({
      parent,
      counts: findCounts(read, collections.get(parent), name),
    }));
    return { whole, part };
  });
  return (transaction, name, { scope, part = '' }) => {
    const { parent = '', counts = [] } = find(name)[part === '' ? 'whole' : 'part'] ?? {};
    const path = part === '' ? scope : part;
    if (counts.length === 0 || path === '') return;
    const ids = readScope(path);
    const [id = '', above] = [ids.at(-1), toScope(...ids.slice(0, -1))];
    const holders = transaction.collection(parent);
    const holder = holders.get(id, above);
    if (holder === undefined) return;
    const { entries } = transaction.collection(name).list(scope);
    const own = part === '' ? entries : entries.filter((each) => each.part === part);
    const numbers = counts.map(({ property, status }) => {
      const counted = status === undefined ? own : own.filter(({ item }) => hasStatus(item, status));
      return [property, counted.length] as const;
    });
    const changed = numbers.filter(([property, number]) => holder.item[property] !== number);
    if (changed.length > 0) holders.update(id, { item: { ...holder.item, ...Object.fromEntries(changed) } }, above);
  };
}

/** The properties of an item that count the items of a collection below it. */
function findCounts(read: ReadItemSchema, parent: Resource | undefined, collection: string): readonly Count[] {
  const noun = toBareName(collection.slice(collection.lastIndexOf('.') + 1));
  const properties = [...((parent?.schema && read(parent.schema)?.properties.values()) || [])];
  return properties.flatMap(({ name: property, schema }): readonly Count[] => {
    const bare = toBareName(property);
    const [, prefix] =
      new RegExp(`^(.*)${noun}(count|total)?$`).exec(bare) ??
      new RegExp(`^(.*)${toSingular(noun)}(count|total)$`).exec(bare) ??
      [];
    if (prefix === undefined || ![schema.type].flat().includes('integer')) return [];
    if (/^(total|num|numberof|count)?$/.test(prefix)) return [{ property, status: undefined }];
    return prefix === 'open' ? [{ property, status: prefix }] : [];
  });
}

function hasStatus(item: Item, status: string): boolean {
  return Object.entries(item).some(([name, value]) => isStatus(name) && value === status);
}

function createEmbeddings(
  resources: readonly Resource[],
  read: ReadItemSchema,
): {
  readonly embed: Dependents['embed'];
  refresh(transaction: Transaction, collection: string, change: Pick<ItemChange, 'before' | 'after'>): void;
} {
  const targets = listTargets(resources, read);
  const findAll = memoize((name: string): readonly Embedding[] => {
    const own = resources.find((each) => each.name === name);
    const properties = [...((own?.schema && read(own.schema)?.properties.values()) || [])];
    return properties.flatMap((property) => findEmbedding(read, targets, { property, collection: name }) ?? []);
  });
  // An object inside of an object that shows an item stays as it is: two items can show each other.
  const find = memoize((name: string): readonly Embedding[] =>
    findAll(name).map(({ shown, ...own }) => {
      const nested = new Set(findAll(own.of).map((inner) => inner.name));
      return Object.assign(own, { shown: shown.filter((each) => !nested.has(each)) });
    }),
  );
  const findShownIn = memoize((name: string) =>
    resources.flatMap((resource) =>
      find(resource.name)
        .filter(({ of }) => of === name)
        .map((embedding) => ({ collection: resource.name, embedding })),
    ),
  );
  return {
    embed: (transaction, collection, { item, before }) => {
      const embedded: Record<string, unknown> = {};
      for (const embedding of find(collection)) {
        const { name, idProperty } = embedding;
        const given = embedding.isObject ? toObjects(item[name], idProperty) : item[name];
        if (item[name] === before?.[name]) continue;
        const known =
          before && new Set([before[name]].flat().map((each) => (isObject(each) ? each[idProperty] : each)));
        const isOther = (object: Item): boolean =>
          known?.has(object[idProperty]) === false || Object.keys(object).every((each) => each === idProperty);
        const shown = mapObjects(given, (object) => (isOther(object) ? show(transaction, embedding, object) : object));
        if (shown !== given) embedded[name] = shown;
      }
      return embedded;
    },
    refresh: (transaction, name, { before, after }) => {
      for (const { collection, embedding } of findShownIn(name)) {
        const { idProperty } = embedding;
        const id = before[idProperty];
        const holders = transaction.collection(collection);
        for (const [scope, { id: key, item }] of listEntries(holders)) {
          const own = item[embedding.name];
          const shown = mapObjects(own, (object) =>
            object[idProperty] === id ? { ...object, ...pick(after, embedding.shown) } : object,
          );
          if (shown !== own) holders.update(key, { item: { ...item, [embedding.name]: shown } }, scope);
        }
      }
    },
  };
}

/** A collection whose items others can show. */
interface Target {
  readonly resource: Resource;
  readonly schema: ItemSchema;
}

function listTargets(resources: readonly Resource[], read: ReadItemSchema): readonly Target[] {
  return resources.flatMap((resource) => {
    const schema = resource.schema === undefined ? undefined : read(resource.schema);
    const isTarget = isTopLevel(resource) && schema?.properties.has(resource.idProperty ?? '') === true;
    return schema === undefined || !isTarget || resource.keyProperties.length > 0 ? [] : [{ resource, schema }];
  });
}

/** The item that a property shows: one of a collection with the same schema, or one with the noun of the property and all that it shows. */
function findEmbedding(
  read: ReadItemSchema,
  targets: readonly Target[],
  { property, collection }: { readonly property: ItemProperty; readonly collection: string },
): Embedding | undefined {
  const whole = read(property.target);
  const inner = whole?.items === undefined ? whole : read(whole.items);
  if (inner === undefined || inner.properties.size < 2) return undefined;
  const shown = [...inner.properties.keys()];
  const noun = toSingular(toBareName(property.name));
  const fitting = targets.filter(
    ({ resource: { idProperty = '' }, schema }) =>
      inner.properties.has(idProperty) &&
      (schema.pointer === inner.pointer || shown.every((name) => schema.properties.has(name))),
  );
  const same = fitting.filter(({ schema }) => schema.pointer === inner.pointer);
  const named = fitting.filter(({ resource }) => toBareName(toSingular(resource.name)) === noun);
  const [only, ...others] = same.length > 0 ? same : named;
  if (only === undefined || others.length > 0 || only.resource.name === collection) return undefined;
  const { name: of, idProperty = 'id' } = only.resource;
  return { name: property.name, of, idProperty, isObject: !property.scalar, shown };
}

/** An object with what the item that it names has now. */
function show(transaction: Transaction, { of, idProperty, shown }: Embedding, object: Item): Item {
  const entry = transaction.collection(of).get(String(object[idProperty]));
  return entry === undefined ? object : { ...object, ...pick(entry.item, shown) };
}

function pick(item: Item, names: readonly string[]): Item {
  return Object.fromEntries(names.flatMap((name) => (Object.hasOwn(item, name) ? [[name, item[name]]] : [])));
}

/** A value with objects in place of ids: itself, or the elements of an array. */
function toObjects(value: unknown, idProperty: string): unknown {
  if (Array.isArray(value)) return value.map((each) => toObjects(each, idProperty));
  return typeof value === 'string' || typeof value === 'number' ? { [idProperty]: value } : value;
}

/** A value with its objects replaced: itself, or those in an array; the same value where none of them changes. */
function mapObjects(value: unknown, change: (object: Item) => Item): unknown {
  if (Array.isArray(value)) {
    const changed = value.map((each) => mapObjects(each, change));
    return changed.every((each, i) => each === value[i]) ? value : changed;
  }
  return isObject(value) ? change(value) : value;
}
