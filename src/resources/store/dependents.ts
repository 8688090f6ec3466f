import { means } from '../../conventions/conventions.js';
import { isObject, mapAt } from '../../base/json.js';
import { memoize } from '../../base/memoize.js';
import {
  isNumeric,
  type PropertyView,
  type SchemaView,
  listProperties,
  type ReadSchema,
  readSchemaType,
} from '../../contract/schema-view/schema-view.js';
import { toSingular, toItemNoun } from '../../conventions/names.js';
import { toBareName } from '../../base/names.js';
import { findInnerList } from '../list/envelope.js';
import { isTopLevel, type Resource, type Resources } from '../item/resource.js';
import { listEntries, readScope, toChildScope, toScope, type WritableCollection } from './collection.js';
import type { StoredItem, Item, NewEntry } from './lists/item-list.js';
import { isStatus } from '../item/server-values.js';
import type { Transaction } from './store.js';

/** One list of items inside a transaction. */
interface ListPlace {
  readonly transaction: Transaction;
  readonly collection: WritableCollection;
  readonly scope: string;
}

type ItemPlace = Readonly<Record<'id' | 'scope', string>>;

/** Keeps what depends on items in step with them: the lists below, memberships, and the objects in other items that show them. */
export interface Dependents {
  /** Adds an item, which the item above it counts. */
  add(location: ListPlace, entry: NewEntry): StoredItem;
  /** Removes an item with what depends on it. */
  remove(transaction: Transaction, collection: WritableCollection, at: ItemPlace): StoredItem | undefined;
  /** Counts the items of a collection after others took the place of all of them, and removes what depends on those that are gone. */
  replaceAll(transaction: Transaction, collection: WritableCollection, before: ReturnType<typeof listEntries>): void;
  /** Moves the lists below an item to another id. */
  move(transaction: Transaction, collection: WritableCollection, at: ItemPlace & { readonly to: string }): void;
  /** The objects of an item that only name others, or others than before a change, with what those are now. @returns the properties that hold them. */
  embed(location: ListPlace, of: EmbeddingItem): Item;
  /** The top-level collection whose items a collection below a parent shows: it has the same schema. */
  origin(collection: string): string | undefined;
  /** The collection of the item that identifies those of a collection: `users` for memberships with a `user.id`. */
  target(collection: string): string | undefined;
  /** An item that no client created, with other items in the objects that represent them. @param find - Undefined keeps an object. */
  represent(of: Omit<ListPlace, 'transaction'>, item: Item, find: FindRepresented): Item;
  /** Shows a changed item where other items show it, and in the counts by status of the item above it. */
  refresh(transaction: Transaction, collection: string, change: ItemChange): void;
}

/** Finds an item to show in an object. */
export type FindRepresented = (of: RepresentedItem) => Item | undefined;

interface RepresentedItem {
  /** The property with the object. */
  readonly name: string;
  readonly collection: string;
  readonly scope: string;
  /** The one that the object names. */
  readonly id: unknown;
  /** Whether the items of that collection show some of this one, too. */
  readonly isMutual: boolean;
  /** Whether the object identifies the item: the user of a membership. */
  readonly isKey: boolean;
}

interface EmbeddingItem {
  readonly item: Item;
  readonly before?: Item;
}

interface ItemChange {
  readonly id: string;
  readonly before: Item;
  readonly after: Item;
  readonly scope: string;
}

/** A property of items that shows an item of another collection, or an array of them. */
interface Embedding {
  readonly name: string;
  /** The property names below it to the object, where it is in the elements of a list; arrays have no step. */
  readonly path: readonly string[];
  /** The collection of the item that is shown. */
  readonly of: string;
  readonly idProperty: string;
  /** Whether an id is not valid in its place. */
  readonly isObject: boolean;
  /** The property of the object that an id in its place is, by the type of the id; ids of other types stay as they are. */
  readonly keys: Readonly<Partial<Record<string, string>>>;
  /** Whether that item has the same parents. */
  readonly isSibling: boolean;
  /** The properties of that item that the object shows. */
  readonly shown: readonly string[];
  /** The ones of these that show items themselves: two items can show each other, so that only their ids are taken over. */
  readonly nested?: ReadonlySet<string>;
}

/** The dependents of the collections of a contract. */
export function createDependents(resources: Resources, read: ReadSchema): Dependents {
  const all = [...resources.collections.values()];
  const origin = createOrigin(all, read);
  const find = memoize((name: string) => ({
    copies: all.filter((each) => origin(each.name) === name).map((each) => each.name),
    below: all.filter(({ parents }) => parents.includes(name)).map((child) => child.name),
    memberships: all
      .filter((each) => each.members === name || embeddings.target(each.name) === name)
      .map((child) => child.name),
  }));
  const count = createCount(resources, read);
  const embeddings = createEmbeddings(all, read);
  const listCopies = createCopyList((name) => find(name).copies);
  const removeBelow = (transaction: Transaction, collection: string, at: ItemPlace): void => {
    const { below, memberships } = find(collection);
    const scope = toChildScope(at.scope, at.id);
    for (const name of below) transaction.collection(name).dropScope(scope);
    for (const name of memberships) {
      const members = transaction.collection(name);
      for (const each of members.scopes) remove(transaction, members, { id: at.id, scope: each });
    }
  };
  const remove: Dependents['remove'] = (transaction, collection, at) => {
    const entry = collection.remove(at.id, at.scope);
    if (entry === undefined) return undefined;
    count(transaction, collection.name, { scope: at.scope, part: entry.part });
    removeBelow(transaction, collection.name, at);
    const copied = listCopies(transaction, { collection: collection.name, id: at.id, item: entry.item });
    for (const { copies, scope } of copied) remove(transaction, copies, { id: at.id, scope });
    return entry;
  };
  return {
    embed: embeddings.embed,
    represent: embeddings.represent,
    origin,
    target: embeddings.target,
    move: createMove((name) => find(name).below),
    remove,
    replaceAll: (transaction, collection, before) => {
      for (const scope of collection.scopes) count(transaction, collection.name, { scope });
      const parts = new Set(before.flatMap(([scope, { part }]) => (scope === '' ? (part ?? []) : [])));
      for (const part of parts) count(transaction, collection.name, { scope: '', part });
      for (const [scope, { id }] of before) {
        if (collection.get(id, scope) === undefined) removeBelow(transaction, collection.name, { id, scope });
      }
    },
    add: ({ transaction, collection, scope }, entry) => {
      const added = collection.add(entry, scope);
      count(transaction, collection.name, { scope, part: entry.part });
      return added;
    },
    refresh: (transaction, collection, change) => {
      embeddings.refresh(transaction, collection, change);
      const { id, before: item, after } = change;
      for (const { copies, scope, entry } of listCopies(transaction, { collection, id, item }))
        copies.update(entry.id, { item: { ...entry.item, ...after } }, scope);
      count(transaction, collection, { scope: change.scope });
    },
  };
}

function createMove(findBelow: (collection: string) => readonly string[]): Dependents['move'] {
  return (transaction, collection, { id, scope, to }) => {
    const [from, target] = [toChildScope(scope, id), toChildScope(scope, to)];
    for (const name of findBelow(collection.name)) {
      const children = transaction.collection(name);
      for (const below of children.scopes.filter((each) => each === from || each.startsWith(`${from}/`))) {
        for (const child of children.list(below).entries) children.add(child, target + below.slice(from.length));
      }
      children.dropScope(from);
    }
  };
}

/** Lists the items below parents that are one of a top-level collection: they have the same id, and the same values. */
function createCopyList(
  findCopies: (collection: string) => readonly string[],
): (
  transaction: Transaction,
  of: { readonly collection: string; readonly id: string; readonly item: Item },
) => readonly { readonly copies: WritableCollection; readonly scope: string; readonly entry: StoredItem }[] {
  return (transaction, { collection, id, item }) =>
    findCopies(collection).flatMap((name) => {
      const copies = transaction.collection(name);
      return copies.scopes.flatMap((scope) => {
        const entry = copies.get(id, scope);
        const isSame = entry !== undefined && Object.keys(item).every((each) => isEqual(entry.item[each], item[each]));
        return isSame ? [{ copies, scope, entry }] : [];
      });
    });
}

function isEqual(one: unknown, other: unknown): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other);
}

/** Finds the only top-level collection with the schema of a collection below a parent, where that one does not name its items otherwise. */
function createOrigin(all: readonly Resource[], read: ReadSchema): (collection: string) => string | undefined {
  return memoize((name) => {
    const own = all.find((each) => each.name === name);
    if (own?.schema === undefined || isTopLevel(own) || own.keyProperties.length > 0) return undefined;
    const pointer = read(own.schema)?.pointer;
    const [only, ...others] = all.filter(
      (each) =>
        isTopLevel(each) && !each.singleton && each.schema !== undefined && read(each.schema)?.pointer === pointer,
    );
    return others.length > 0 || only?.idProperty !== own.idProperty ? undefined : only?.name;
  });
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
  read: ReadSchema,
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
      const counted =
        status === undefined
          ? own
          : own.filter(({ item }) => Object.keys(item).some((name) => isStatus(name) && item[name] === status));
      return [property, counted.length] as const;
    });
    const changed = numbers.filter(([property, number]) => holder.item[property] !== number);
    if (changed.length > 0) holders.update(id, { item: { ...holder.item, ...Object.fromEntries(changed) } }, above);
  };
}

/** The properties of an item that count the items of a collection below it. */
function findCounts(read: ReadSchema, parent: Resource | undefined, collection: string): readonly Count[] {
  const noun = toBareName(collection.slice(collection.lastIndexOf('.') + 1));
  return listProperties(read(parent?.schema)).flatMap(({ name: property, schema }): readonly Count[] => {
    const bare = toBareName(property);
    const [, prefix] =
      new RegExp(`^(.*)${noun}(count|total)?$`).exec(bare) ??
      new RegExp(`^(.*)${toSingular(noun)}(count|total)$`).exec(bare) ??
      [];
    if (prefix === undefined || ![schema.type].flat().includes('integer')) return [];
    if (prefix === '' || means(prefix, 'values.countPrefix')) return [{ property, status: undefined }];
    return prefix === 'open' ? [{ property, status: prefix }] : [];
  });
}

/** Finds which items show which others. */
interface EmbeddingFinder {
  /** The items that those of a collection show. */
  find(collection: string): readonly Embedding[];
  /** Where the items of a collection are shown. */
  findShownIn(collection: string): readonly { readonly collection: string; readonly embedding: Embedding }[];
  /** The collections that the items of one show, directly or in what they show. */
  findReached(collection: string): ReadonlySet<string>;
  /** Whether what a property shows identifies the items of a collection. */
  isKey(collection: string, embedding: Embedding): boolean;
}

function createEmbeddingFinder(resources: readonly Resource[], read: ReadSchema): EmbeddingFinder {
  const targets = memoize<undefined, readonly Target[]>(() => listTargets(resources, read));
  const findAll = memoize((name: string): readonly Embedding[] =>
    resources.filter((each) => each.name === name).flatMap((own) => findEmbeddings(read, targets(undefined), own)),
  );
  const find = memoize((name: string): readonly Embedding[] =>
    findAll(name).map((embedding) => {
      const inner = findAll(embedding.of).filter(({ path }) => path.length === 0);
      return Object.assign({}, embedding, { nested: new Set(inner.map((each) => each.name)) });
    }),
  );
  const findShownIn = memoize((name: string) =>
    resources.flatMap(({ name: collection }) =>
      find(collection).flatMap((embedding) => (embedding.of === name ? [{ collection, embedding }] : [])),
    ),
  );
  const findReached = memoize((name: string): ReadonlySet<string> => {
    const reached = new Set<string>();
    const visit = (from: string): void => {
      for (const { of } of findAll(from)) {
        if (reached.has(of)) continue;
        reached.add(of);
        visit(of);
      }
    };
    visit(name);
    return reached;
  });
  const isKey = (own: string, { name, idProperty, path }: Embedding): boolean =>
    path.length === 0 && resources.some((each) => each.name === own && each.idProperty === `${name}.${idProperty}`);
  return { find, findShownIn, findReached, isKey };
}

function createEmbeddings(
  resources: readonly Resource[],
  read: ReadSchema,
): {
  readonly embed: Dependents['embed'];
  readonly represent: Dependents['represent'];
  readonly target: Dependents['target'];
  refresh(transaction: Transaction, collection: string, change: ItemChange): void;
} {
  const finder = createEmbeddingFinder(resources, read);
  return {
    target: memoize((name) => finder.find(name).find((each) => finder.isKey(name, each))?.of),
    represent: createRepresent(finder),
    embed: createEmbed(finder),
    refresh: createRefresh(finder),
  };
}

function createRepresent({ find: findEmbedded, findReached, isKey }: EmbeddingFinder): Dependents['represent'] {
  return ({ collection: { name: own }, scope }, item, find) => {
    const represented: Record<string, unknown> = {};
    for (const embedding of findEmbedded(own)) {
      const { name, idProperty, isSibling, of, path } = embedding;
      const isMutual = findReached(of).has(own);
      const given = represented[name] ?? item[name];
      const shown = mapObjects(given, path, (object) => {
        const id = object[idProperty];
        const found = find({
          name,
          collection: of,
          scope: isSibling ? scope : '',
          id,
          isMutual,
          isKey: isKey(own, embedding),
        });
        return found === undefined ? object : { ...object, ...pick(found, embedding) };
      });
      if (shown !== given) represented[name] = shown;
    }
    return Object.keys(represented).length === 0 ? item : { ...item, ...represented };
  };
}

function createEmbed({ find }: EmbeddingFinder): Dependents['embed'] {
  return ({ transaction, collection, scope }, { item, before }) => {
    const embedded: Record<string, unknown> = {};
    for (const embedding of find(collection.name)) {
      const { name, idProperty, path } = embedding;
      const own = embedded[name] ?? item[name];
      if (own === undefined || item[name] === before?.[name]) continue;
      const given = embedding.isObject ? toObjects(own, embedding) : own;
      const known =
        before && new Set(listAt(before[name], path).map((each) => (isObject(each) ? each[idProperty] : each)));
      const isOther = (object: Item): boolean =>
        known?.has(object[idProperty]) === false || Object.keys(object).every((each) => each === idProperty);
      const shown = mapObjects(given, path, (object) =>
        isOther(object) ? show(transaction, embedding, { object, scope }) : object,
      );
      if (shown !== own) embedded[name] = shown;
    }
    return embedded;
  };
}

function createRefresh({
  findShownIn,
}: EmbeddingFinder): (transaction: Transaction, collection: string, change: ItemChange) => void {
  return (transaction, name, { before, after, scope: at }) => {
    for (const { collection, embedding } of findShownIn(name)) {
      const { idProperty } = embedding;
      const id = before[idProperty];
      const holders = transaction.collection(collection);
      for (const [scope, { id: key, item }] of listEntries(holders)) {
        if (embedding.isSibling && scope !== at) continue;
        const own = item[embedding.name];
        const shown = mapObjects(own, embedding.path, (object) =>
          object[idProperty] === id ? { ...object, ...pick(after, embedding) } : object,
        );
        if (shown !== own) holders.update(key, { item: { ...item, [embedding.name]: shown } }, scope);
      }
    }
  };
}

/** A collection whose items others can show. */
interface Target {
  readonly resource: Resource;
  readonly schema: SchemaView;
}

function listTargets(resources: readonly Resource[], read: ReadSchema): readonly Target[] {
  return resources.flatMap((resource) => {
    const schema = read(resource.schema);
    const isTarget = schema?.members.has(resource.idProperty ?? '') === true && resource.keyProperties.length === 0;
    return isTarget ? [{ resource, schema }] : [];
  });
}

/** The items that the items of a resource show: in a property, or in the elements of the list in one. */
function findEmbeddings(read: ReadSchema, targets: readonly Target[], own: Resource): readonly Embedding[] {
  const { name: collection, parents, schema: pointer = '' } = own;
  const top = targets.filter(({ resource }) => isTopLevel(resource));
  const near = targets.filter(
    ({ resource }) => !isTopLevel(resource) && resource.parents.join('\0') === parents.join('\0'),
  );
  const find = (property: PropertyView): Embedding | undefined =>
    findEmbedding(read, top, { property, collection }) ?? findEmbedding(read, near, { property, collection });
  return listProperties(read(pointer)).flatMap((property): readonly Embedding[] => {
    const whole = find(property);
    if (whole !== undefined) return [whole];
    const list = findInnerList(read, read(property.target));
    if (list === undefined) return [];
    const { path, element } = list;
    const inner = listProperties(element).flatMap((each) => {
      const found = find(each);
      return found === undefined ? [] : [{ ...found, name: property.name, path: [...path, each.name] }];
    });
    const inList = find({ ...property, target: element.pointer });
    return inList === undefined ? inner : [{ ...inList, path }].concat(inner);
  });
}

/** The item that a property shows: one of a collection with the same schema, or one with the noun of the property and all that it shows. */
function findEmbedding(
  read: ReadSchema,
  targets: readonly Target[],
  { property, collection }: { readonly property: PropertyView; readonly collection: string },
): Embedding | undefined {
  const whole = read(property.target);
  const inner = read(whole?.element) ?? whole;
  if (inner === undefined || inner.members.size < 2) return undefined;
  const shown = [...inner.members.keys()];
  const noun = toSingular(toBareName(property.name));
  const fitting = targets.filter(
    ({ resource: { idProperty = '' }, schema }) =>
      inner.members.has(idProperty) &&
      (schema.pointer === inner.pointer || shown.every((name) => schema.members.has(name))),
  );
  const same = fitting.filter(({ schema }) => schema.pointer === inner.pointer);
  const named = fitting.filter(({ resource: { name } }) => toItemNoun(name) === noun);
  const [only, ...others] = same.length > 0 ? same : named;
  if (only === undefined || others.length > 0 || only.resource.name === collection) return undefined;
  const { name: of, idProperty = 'id' } = only.resource;
  const isSibling = !isTopLevel(only.resource);
  const keys = findKeys(inner, idProperty);
  return { name: property.name, path: [], of, idProperty, isObject: !property.scalar, keys, isSibling, shown };
}

/** The property for an id of each type: a string is the name of an item whose id is a number. */
function findKeys({ members: properties }: SchemaView, idProperty: string): Embedding['keys'] {
  const isText = (name: string): boolean => readSchemaType(properties.get(name)?.schema ?? {}) === 'string';
  const isNumber = isNumeric(properties.get(idProperty)?.schema ?? {});
  if (!isNumber) return { string: idProperty, number: idProperty };
  return isText('name') ? { string: 'name', number: idProperty } : { number: idProperty };
}

/** An object with what the item that it names has now. */
function show(
  transaction: Transaction,
  embedding: Embedding,
  { object, scope }: { readonly object: Item; readonly scope: string },
): Item {
  const { of, idProperty, isSibling } = embedding;
  const entry = transaction.collection(of).get(String(object[idProperty]), isSibling ? scope : '');
  return entry === undefined ? object : { ...object, ...pick(entry.item, embedding) };
}

function pick(item: Item, { shown, nested }: Embedding): Item {
  const isShown = (name: string): boolean =>
    Object.hasOwn(item, name) && !(nested?.has(name) === true && typeof item[name] === 'object' && item[name] !== null);
  return Object.fromEntries(shown.filter(isShown).map((name) => [name, item[name]]));
}

/** A value with objects in place of the ids at the path of an embedding. */
function toObjects(value: unknown, { path, keys }: Embedding): unknown {
  return mapAt(value, path, (id) => {
    const key = keys[typeof id];
    return key === undefined ? id : { [key]: id };
  });
}

function mapObjects(value: unknown, path: readonly string[], change: (object: Item) => Item): unknown {
  return mapAt(value, path, (each) => (isObject(each) ? change(each) : each));
}

function listAt(value: unknown, path: readonly string[]): readonly unknown[] {
  const found: unknown[] = [];
  mapAt(value, path, (each) => {
    found.push(each);
    return each;
  });
  return found;
}
