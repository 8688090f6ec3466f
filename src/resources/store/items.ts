import { isIdValue } from '../../base/exact-number.js';
import type { IdValue } from '../../base/exact-number.js';
import type { StoredItem, Item, ItemContent, NewEntry } from './lists/item-list.js';
import { NO_MEMBERS, joinObjects, readMember, withPath } from '../../base/json.js';
import { memoize } from '../../base/memoize.js';
import type { ItemModels } from '../item/item-models.js';
import { isTopLevel, type Resource } from '../item/resource.js';
import { EVERY_SCOPE, listEntries, readScope, toChildScope, toScope } from './collection.js';
import { readItemKey, showOwnUrls, withJoinedKeys } from '../item/identity.js';
import type { Dependents } from './dependents.js';
import type { ItemModel } from '../item/item-model.js';
import { takeSecrets } from '../item/server-values.js';
import { toEntry } from '../item/item-annotations.js';
import { createItemsOnDemand, type ItemLocation, type ItemsOnDemand, type OnDemandParts } from './on-demand.js';
import type { Transaction } from './store.js';

/** The one owner of items: creates, updates and removes them with everything that follows: ids, timestamps, memberships, items below, secrets. */
export interface Items extends ItemsOnDemand {
  readonly names: readonly string[];
  /** @throws MockError `COLLECTION_UNKNOWN` that names the nearest. */
  model(collection: string): ItemModel;
  /** The list of a collection in one scope. @throws MockError `COLLECTION_UNKNOWN`. */
  locate(transaction: Transaction, collection: string, scope?: string): ItemLocation;
  /** Creates the initial items of a collection, below each item of its parents that exists. */
  open(transaction: Transaction, collection: string): void;
  /** The ids of some parents, outermost first, and the first that does not exist; one that is created on demand does. */
  findParents(transaction: Transaction, parents: readonly ParentItem[]): FoundParents;
  /** Creates an item: what is not given comes from the server's rules and the schema. */
  create(location: ItemLocation, given: NewItem): Created | Refused;
  /** Replaces an item by its changed form. */
  update(location: ItemLocation, entry: StoredItem, change: ItemUpdate): Pick<Created, 'entry'> | Refused;
  /** An item with the status that it has by now, where its status advances by itself: a read advances it by one, or the clock. */
  advance(location: ItemLocation, entry: StoredItem, by: 'clock' | 'read'): StoredItem;
  /** Gives an item another id, with what lives under it. */
  rename(location: ItemLocation, entry: StoredItem, id: string): Pick<Created, 'entry'> | Refused;
  /** Removes an item, what lives under it, and its memberships. */
  remove(location: ItemLocation, id: string): StoredItem | undefined;
  /** Removes all items of a collection, without what depends on them, to insert others. */
  replaceAll(transaction: Transaction, collection: string): Replacement;
}

/** The items that a collection gets; what depends on an item stays where it is among them. */
export interface Replacement {
  /** The scopes that hold or held items. */
  readonly scopes: readonly string[];
  /** Adds an item exactly as it is given; only an id is generated where it has none. @returns why it is refused. @throws MockError `STATE_LIMIT`. */
  insert(given: Item, scope: string): readonly ItemProblem[];
  /** Finds references of the items of a scope to items that do not exist, by the positions of the items among the inserted ones. */
  findBrokenLinks(scope: string): readonly (readonly [at: number, problem: ItemProblem])[];
  /** Removes what depends on an item that was not inserted again. */
  end(): void;
}

/** One item of a path: `threads` and `thread_1`. */
type ParentItem = { readonly collection: string; readonly id: string };

/** The ids are those that the items have, also where a request names one by another key. */
interface FoundParents {
  readonly ids: readonly string[];
  readonly missing: ParentItem | undefined;
  /** Whether the missing one existed. */
  readonly isRemoved?: boolean;
}

/** The inputs of a new item. */
interface NewItem {
  /** The item that a client sends; properties that only the server sets are ignored. */
  readonly body?: Item;
  /** Properties that are used as given. */
  readonly fixed: Item;
  /** Default values; values of the fixtures take precedence. */
  readonly defaults?: Item | undefined;
  /** Generated where it is undefined. */
  readonly id?: IdValue | undefined;
  /** The id in the collection where it is not a property of the item. */
  readonly key?: string | undefined;
  readonly content?: ItemContent | undefined;
  readonly strict: boolean;
}

interface ItemUpdate {
  readonly after: Item;
  /** Properties that the operation writes, whatever the request says. */
  readonly set?: Item | undefined;
  readonly strict: boolean;
}

interface Created {
  readonly entry: StoredItem;
  /** The item with the properties that only the answer to its create shows. */
  readonly whole: Item;
}

/** A change that was not made. */
type Refused = { readonly problems: readonly ItemProblem[] };

/** Why an item is refused. */
export interface ItemProblem {
  /** In the item: `/name`. */
  readonly pointer: string;
  /** A code of a violation of the schema, `UNIQUE` for a duplicate, or `LINK` for a reference to a missing item. */
  readonly code: string;
  readonly message: string;
}

/** The owner of the items of one mock. */
export function createItems(
  models: ItemModels,
  options: Pick<OnDemandParts, 'initialItems' | 'unknownIds'> = {},
): Items {
  const { resources, dependents, model } = models;
  const names = [...resources.collections.keys()];
  const onDemand = createItemsOnDemand({ documented: resources.unknownIds, ...models, ...options });
  const locate: Items['locate'] = (transaction, name, scope = '') => ({
    transaction,
    model: model(name),
    collection: transaction.collection(name),
    scope,
    known: NO_MEMBERS,
    part: '',
  });
  const links = createLinks(onDemand, { locate, model, names }, models.isCreatable);
  const update = createUpdate(dependents);
  const remove: Items['remove'] = ({ transaction, collection, scope }, id) =>
    dependents.remove(transaction, collection, { id, scope });
  return {
    names,
    model,
    locate,
    open: createOpen(onDemand, locate),
    findParents: links.findParents,
    create: createCreate({ dependents, links, locate, onDemand }),
    update,
    advance: createAdvance(update),
    rename: createRename(dependents),
    remove,
    replaceAll: createReplaceAll(links, dependents, locate),
    ...onDemand,
  };
}

/** What creates an item. */
interface CreateParts {
  readonly dependents: Dependents;
  readonly links: ReturnType<typeof createLinks>;
  readonly locate: Items['locate'];
  readonly onDemand: ItemsOnDemand;
}

function createCreate({ dependents, links, locate, onDemand }: CreateParts): Items['create'] {
  const findOriginal = createOriginalFinder({ dependents, locate, onDemand });
  /** The values of a new item with the id of the item that identifies it, which is created on demand. */
  const nameTarget = (
    location: ItemLocation,
    { values, id }: { readonly values: Item; readonly id: NewItem['id'] },
  ): Item => {
    const name = id === undefined ? undefined : dependents.target(location.collection.name);
    const { idProperty = '' } = location.model.resource;
    if (name === undefined) return values;
    onDemand.find(locate(location.transaction, name), String(id));
    return readMember(values, idProperty) === undefined ? withPath(values, idProperty.split('.'), id) : values;
  };
  /** A new item that shows others which exist, where the server makes the objects. */
  const represent = (location: ItemLocation, { entry, whole }: Drafted, given: readonly Item[]): Drafted => {
    const isGiven = (name: string): boolean => given.some((each) => Object.hasOwn(each, name));
    const item = onDemand.represent(location, entry.item, { isGiven });
    if (item === entry.item) return { entry, whole };
    return { entry: { ...entry, item }, whole: { ...whole, ...item } };
  };
  return (location, given) => {
    const values = joinObjects(given.body, given.fixed);
    const shown = dependents.embed(location, { item: nameTarget(location, { values, id: given.id }) });
    const original = findOriginal(location, given);
    const defaults = original === undefined ? given.defaults : { ...original, ...given.defaults };
    const drafted = draftEntry(location, { ...given, defaults, fixed: { ...given.fixed, ...shown } });
    const { entry, whole } = given.strict
      ? drafted
      : represent(location, drafted, [defaults ?? NO_MEMBERS, values, shown]);
    // A request checks the parents in its path before it creates an item, and names the target of a membership itself.
    const problem = given.strict
      ? links.findBrokenLink(location, entry.id)
      : links.findMissingTarget(location, given.id?.toString());
    const first = problem ?? findDuplicate(location, { given: values, id: entry.id });
    const problems = listProblems(first, given.strict ? location.model : undefined, entry.item);
    return problems.length > 0 ? { problems } : { entry: dependents.add(location, entry), whole };
  };
}

/**
 * Finds the item of a top-level collection that a create below a parent names by its id, so that both show the same:
 * `PUT /teams/{id}/users/{user_id}`.
 */
function createOriginalFinder({
  dependents,
  locate,
  onDemand,
}: Omit<CreateParts, 'links'>): (location: ItemLocation, given: NewItem) => Item | undefined {
  return (
    { transaction, collection, model },
    { body = NO_MEMBERS, id = readMember(body, model.resource.idProperty ?? 'id') },
  ) => {
    const name = dependents.origin(collection.name);
    if (name === undefined || !isIdValue(id)) return undefined;
    const location = locate(transaction, name);
    // What has properties of its own can be another item.
    const { idProperty, memberParameter } = model.resource;
    const isNamed = Object.keys(body).every((each) => each === idProperty || each === memberParameter);
    return (isNamed ? onDemand.find(location, String(id)) : onDemand.lookUp(location, String(id)))?.item;
  };
}

function createReplaceAll(
  links: ReturnType<typeof createLinks>,
  dependents: Dependents,
  locate: Items['locate'],
): Items['replaceAll'] {
  return (transaction, name) => {
    const { collection, model } = locate(transaction, name);
    const before = listEntries(collection);
    // From the end, so that no others move.
    for (const [scope, { id }] of before.toReversed()) collection.remove(id, scope);
    // No items are created on demand in a collection that was replaced.
    collection.markSeeded(EVERY_SCOPE);
    // A look at all items for each of them would take too long.
    const taken = memoize((_list: string) => new Set<unknown>());
    return {
      get scopes() {
        return collection.scopes;
      },
      insert: (given, scope) => {
        const entry = toEntry({ collection, model, scope, seed: transaction.seed }, given);
        const unique = model.resource.unique.filter((each) => (entry.item[each] ?? null) !== null);
        const used = unique.find((each) => taken(`${scope}\0${each}`).has(entry.item[each]));
        const duplicate = used === undefined ? undefined : toDuplicate(used, entry.item[used]);
        const problem = findDuplicateId({ collection, scope }, entry.id) ?? duplicate;
        const problems = listProblems(problem, model, entry.item);
        if (problems.length > 0) return problems;
        for (const each of unique) taken(`${scope}\0${each}`).add(entry.item[each]);
        collection.add(entry, scope);
        return problems;
      },
      findBrokenLinks: (scope) => {
        const { entries } = collection.list(scope);
        if (entries.length === 0) return [];
        const location = locate(transaction, name, scope);
        const missing = links.findMissingParent(location);
        return entries.flatMap(({ id }, i) => {
          const problem = missing ?? links.findMissingTarget(location, id, before);
          return problem === undefined ? [] : [[i, problem] as const];
        });
      },
      end: () => dependents.replaceAll(transaction, collection, before),
    };
  };
}

function createUpdate({ embed, refresh }: Dependents): Items['update'] {
  return (location, entry, { after, set = NO_MEMBERS, strict }) => {
    const { model, collection, scope, transaction } = location;
    const now = transaction.clock.now();
    const before = entry.item;
    const shown = embed(location, { item: after, before });
    const stamped = model.stamp(before, { after: { ...after, ...shown }, set, now });
    const duplicate = findDuplicate(location, { given: stamped, id: entry.id, before });
    const problems = listProblems(duplicate, strict ? model : undefined, stamped);
    if (problems.length > 0) return { problems };
    const input = { seed: transaction.seed, key: model.resource.name, now };
    const changed = model.tag(strict ? stamped : model.repair(stamped, input), entry.revision + 1);
    const item = withJoinedKeys(model.resource, changed);
    const updated = collection.update(entry.id, { item }, scope) ?? entry;
    refresh(transaction, collection.name, { id: entry.id, before, after: item, scope });
    return { entry: updated };
  };
}

function createLinks(
  { find, isKnown, recall }: ItemsOnDemand,
  { locate, model, names }: Pick<Items, 'locate' | 'model' | 'names'>,
  isCreatable: ItemModels['isCreatable'],
) {
  /** Whether the store decides which items exist; a parent that nothing can create exists for every id. */
  const isChecked = ({ collection, model: { resource } }: ItemLocation): boolean =>
    isCreatable(collection.name) ||
    collection.started ||
    resource.unknownIds !== undefined ||
    collection.scopes.some((scope) => collection.list(scope).size > 0);
  const isMissing = (location: ItemLocation, id: string): boolean =>
    isKnown(location) && (isChecked(location) || recall(location, id) !== undefined);
  const findParents: Items['findParents'] = (transaction, parents) => {
    const ids: string[] = [];
    for (const parent of parents) {
      const isTop = ids.length === 0 || isTopLevel(model(parent.collection).resource);
      const location = locate(transaction, parent.collection, isTop ? '' : toScope(...ids));
      const entry = find(location, parent.id);
      if (entry === undefined && isMissing(location, parent.id))
        return { ids, missing: parent, isRemoved: recall(location, parent.id) !== undefined };
      ids.push(entry?.id ?? parent.id);
    }
    return { ids, missing: undefined };
  };
  const toNoun = (name: string): string => name.slice(name.lastIndexOf('.') + 1);
  const namesakes = memoize((name: string) => names.filter((each) => each !== name && toNoun(each) === toNoun(name)));
  /** @param before - The memberships before a replacement of all of them, while that is made. */
  const findMissingTarget = (
    { transaction, collection, model }: ItemLocation,
    id: string | undefined,
    before?: ReturnType<typeof listEntries>,
  ): ItemProblem | undefined => {
    const { members } = model.resource;
    if (id === undefined || members === undefined) return undefined;
    const location = locate(transaction, members);
    if (find(location, id) !== undefined || !isMissing(location, id)) return undefined;
    // A membership can be that of an item below the same parent, in another collection of that noun.
    const isElsewhere = namesakes(members).some((name) => {
      const isReplaced = before !== undefined && name === collection.name;
      const entries = isReplaced ? before : listEntries(transaction.collection(name));
      return entries.some(([, entry]) => entry.id === id);
    });
    return isElsewhere ? undefined : toLinkProblem({ collection: members, id });
  };
  /** The first parent of a list that does not exist. */
  const findMissingParent = ({ transaction, model, scope }: ItemLocation): ItemProblem | undefined => {
    const ids = readScope(scope);
    const parents = model.resource.parents.map((collection, i) => ({ collection, id: ids[i] ?? '' }));
    const missing = ids.length === 0 ? undefined : findParents(transaction, parents).missing;
    return missing && toLinkProblem(missing);
  };
  return {
    findParents,
    findMissingTarget,
    findMissingParent,
    /** Whatever an item refers to and does not exist. */
    findBrokenLink: (location: ItemLocation, id: string): ItemProblem | undefined =>
      findMissingParent(location) ?? findMissingTarget(location, id),
  };
}

function createOpen({ seed, unknownIds }: ItemsOnDemand, locate: Items['locate']): Items['open'] {
  return function open(transaction, name) {
    const location = locate(transaction, name);
    if (unknownIds(location) === 'not-found') return;
    const parent = location.model.resource.parents.at(-1);
    if (parent === undefined) return seed(location);
    open(transaction, parent);
    for (const [scope, { id }] of listEntries(transaction.collection(parent))) {
      seed({ ...location, scope: toChildScope(scope, id) });
    }
  };
}

/** Creates the function that advances the statuses of items; fixtures and what a test adds keep theirs. */
function createAdvance(update: Items['update']): Items['advance'] {
  return (location, entry, by) => {
    const { model, collection, scope, transaction } = location;
    const { lifecycle } = model;
    const { statusSince } = entry;
    if (lifecycle === undefined || statusSince === undefined) return entry;
    const now = transaction.clock.now();
    const { stepMs } = lifecycle;
    const elapsed = stepMs === undefined ? 0 : Math.floor((now - statusSince) / stepMs);
    const steps = stepMs === undefined && by === 'read' ? 1 : elapsed;
    const input = { seed: transaction.seed, key: `${model.resource.name}\0${scope}\0${entry.id}`, now };
    let after: Item | undefined;
    for (let step = 0; step < steps; step++) {
      const next = lifecycle.advance(after ?? entry.item, input);
      if (next === undefined) break;
      after = next;
    }
    if (after === undefined) return entry;
    // Clients that poll see work that is not done at least once.
    const isNew = entry.isStatusShown !== true && entry.item[lifecycle.property] === lifecycle.initial;
    if (stepMs === undefined && isNew && lifecycle.isDone(after))
      return collection.update(entry.id, { isStatusShown: true }, scope) ?? entry;
    const updated = update(location, entry, { after, strict: false });
    if ('problems' in updated) return entry;
    if (stepMs === undefined) return updated.entry;
    return collection.update(entry.id, { statusSince: statusSince + steps * stepMs }, scope) ?? updated.entry;
  };
}

function createRename({ move, refresh }: Dependents): Items['rename'] {
  return (location, entry, id) => {
    const { transaction, collection, scope, model } = location;
    const { idProperty = 'id', keyProperties } = model.resource;
    const renamed = keyProperties.length > 0 ? entry.item : { ...entry.item, [idProperty]: id };
    const item = showOwnUrls(model.resource, renamed, { scope, id, origin: transaction.origin });
    const problems = listProblems(findDuplicateId(location, id), model, item);
    if (problems.length > 0) return { problems };
    move(transaction, collection, { id: entry.id, scope, to: id });
    refresh(transaction, collection.name, { id: entry.id, before: entry.item, after: item, scope });
    collection.update(entry.id, { item }, scope);
    return { entry: collection.rename(entry.id, id, scope) ?? entry };
  };
}

/** The problem that was found, else the violations of the item's schema where a model is given. */
function listProblems(
  found: ItemProblem | undefined,
  model: ItemModel | undefined,
  item: Item,
): readonly ItemProblem[] {
  if (found !== undefined) return [found];
  return model === undefined ? [] : findProblems(model, item);
}

/** The entry of a new item, and the item with its secrets. */
interface Drafted {
  readonly entry: NewEntry;
  readonly whole: Item;
}

/** Plans a new item: its id, and what a request, an operation and the server give it. */
function draftEntry({ model, collection, scope, part, transaction }: ItemLocation, given: NewItem): Drafted {
  const { resource, identity } = model;
  const { seed, clock } = transaction;
  const { body = NO_MEMBERS, fixed, content, strict } = given;
  const chosen = resource.singleton ? '' : (given.id ?? identity.deriveId?.(joinObjects(body, fixed)));
  const number = chosen === undefined ? collection.nextNumber() : undefined;
  const id = number === undefined ? (chosen ?? '') : identity.generateId(collection, scope, { seed, number });
  const defaults = given.defaults === undefined ? collection.defaults : { ...given.defaults, ...collection.defaults };
  const built = model.create({
    id: resource.singleton ? undefined : identity.toValue(id, scope, transaction.origin),
    body,
    fixed,
    defaults: readDefaults(resource, id, defaults),
    seed,
    key: `${resource.name}\0${scope}\0${String(number ?? id)}`,
    now: clock.now(),
  });
  const tagged = withJoinedKeys(resource, withKeys(resource, model.tag(built, 1), String(id)));
  const visible = strict ? { ...tagged, ...fixed } : tagged;
  const shown = resource.idProperty === undefined ? undefined : readMember(visible, resource.idProperty);
  const secret = identity.generateKey?.({ seed, number: number ?? collection.nextNumber() });
  const key = given.key ?? secret ?? (resource.singleton ? '' : readItemKey(resource, visible, shown ?? id));
  const linked = strict ? visible : showOwnUrls(resource, visible, { scope, id: key, origin: transaction.origin });
  const whole = resource.secretKey === undefined ? linked : { ...linked, [resource.secretKey.name]: key };
  const statusSince = strict || model.lifecycle === undefined ? undefined : clock.now();
  const { item, secrets } = takeSecrets(resource, fixed, whole);
  return { entry: { id: key, item, secrets, content, part, statusSince }, whole };
}

/** A new item with the parts of its key that are inside of objects: `owner.login`, where it has none. */
function withKeys({ keyProperties }: Resource, item: Item, id: string): Item {
  const missing = keyProperties.filter((name) => name.includes('.') && readMember(item, name) === undefined);
  return missing.reduce((result, name) => withPath(result, name.split('.'), id), item);
}

/** Default values; where several properties identify an item, one that is left out has the generated id. */
function readDefaults({ keyProperties }: Resource, id: IdValue, defaults: Item): Item {
  const own = keyProperties.filter((name) => !name.includes('.'));
  return { ...Object.fromEntries(own.map((name) => [name, String(id)])), ...defaults };
}

/** The problem of a value that must be unique and that another item has; a new item whose id is the value, or made of it, is another one. */
function findDuplicate(
  { model: { resource }, collection, scope }: ItemLocation,
  of: { readonly given: Item; readonly id: string; readonly before?: Item },
): ItemProblem | undefined {
  for (const name of resource.unique) {
    const value = of.given[name];
    if (value === undefined || value === null || value === of.before?.[name]) continue;
    const isId = resource.idFrom !== undefined || name === resource.idProperty;
    const own = of.before === undefined && isId ? undefined : of.id;
    if (!collection.list(scope).entries.some(({ id, item }) => item[name] === value && id !== own)) continue;
    return toDuplicate(name, value);
  }
  return undefined;
}

function toDuplicate(name: string, value: unknown): ItemProblem {
  return { pointer: `/${name}`, code: 'UNIQUE', message: `${name} ${JSON.stringify(value)} is already used` };
}

function findDuplicateId(
  { collection, scope }: Pick<ItemLocation, 'collection' | 'scope'>,
  id: string,
): ItemProblem | undefined {
  if (collection.get(id, scope) === undefined) return undefined;
  return { pointer: '', code: 'UNIQUE', message: `two items have the id ${JSON.stringify(id)}` };
}

function toLinkProblem({ collection, id }: ParentItem): ItemProblem {
  return { pointer: '', code: 'LINK', message: `"${collection}" has no item ${JSON.stringify(id)}` };
}

/** Where an item breaks its schema. */
export function findProblems(model: ItemModel, item: Item): readonly ItemProblem[] {
  return model.check(item).map(({ code, pointer, message }) => ({
    pointer,
    code,
    message: message.replace(/^(answer|body) property\b/, 'property').replace(/^(answer|body)\b/, 'the item'),
  }));
}
