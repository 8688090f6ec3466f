import { isIdValue } from '../../base/exact-number.js';
import {
  type CollectionChanges,
  isObject,
  type ItemReference,
  type PatchWithNulls,
  readMember,
  withNulls,
} from '../../base/json.js';
import { toPointer } from '../../contract/pointer.js';
import { formatPlace, MockError, suggestId } from '../../base/errors.js';
import { memoize } from '../../base/memoize.js';
import { type Collection, listEntries, toChildScope } from './collection.js';
import type { Item } from './lists/item-list.js';
import {
  annotateParent,
  omitAnnotations,
  readIdAnnotation,
  readInlineContent,
  readParentScope,
} from '../item/item-annotations.js';
import type { ItemModel } from '../item/item-model.js';
import type { ItemProblem, Items, Replacement } from './items.js';
import type { Store, Transaction } from './store.js';

/** Whatever has a store, such as a session. */
type HasStore = { readonly store: Store };

type ItemPatch = { readonly id: string; readonly patch: Item; readonly nulls?: PatchWithNulls['nulls'] };

/** Reads and changes collections from outside a request, for scenarios, tests and the control API. */
export interface CollectionEditors {
  readonly names: readonly string[];
  view(of: HasStore): { count(name: string): number; has(name: string, id: string): boolean };
  /** Makes all changes, or none. @returns one line for each item that does not exist. @throws MockError `STATE_INVALID`. */
  change(of: HasStore): (changes: readonly CollectionChanges[]) => readonly string[];
  /** Oldest first; items with parents have `$parent`. @throws MockError `COLLECTION_UNKNOWN`. */
  list(of: HasStore, name: string): readonly Item[];
  get(of: HasStore, name: string, id: string): Item | undefined;
  /** Adds an item, completed from its schema. @throws MockError `COLLECTION_UNKNOWN`, `STATE_INVALID`. */
  add(of: HasStore, name: string, item: Item): Item;
  /** Merges a patch (RFC 7386) into an item. @returns undefined where no item has the id. */
  update(of: HasStore, name: string, change: ItemPatch): Item | undefined;
  /** @returns whether there was such an item. */
  remove(of: HasStore, name: string, id: string): boolean;
  /** Replaces all items; where one of them has a problem, nothing is changed. */
  replace(of: HasStore, name: string, items: readonly unknown[]): readonly ItemProblem[];
}

/** The editors of the collections of one contract. */
export function createCollectionEditors(items: Items): CollectionEditors {
  const verbs = createVerbs(items);
  const read = ({ store }: HasStore, name: string): Collection =>
    store.transaction((transaction) => {
      items.open(transaction, name);
      return transaction.collection(name);
    });
  return {
    names: items.names,
    view: (of) => ({
      count: (name) => {
        const { scopes, list } = read(of, name);
        return scopes.reduce((sum, scope) => sum + list(scope).size, 0);
      },
      has: (name, id) => findScopes(read(of, name), id).length > 0,
    }),
    change: (of) => (changes) => of.store.transaction((transaction) => applyChanges(verbs, transaction, changes)),
    list: (of, name) => listEntries(read(of, name)).map(([scope, entry]) => annotateParent(scope, entry.item)),
    get: (of, name, id) => {
      const collection = read(of, name);
      const [scope = ''] = findScopes(collection, id);
      const entry = collection.get(id, scope);
      return entry && annotateParent(scope, entry.item);
    },
    add: ({ store }, name, item) => store.transaction((transaction) => verbs.add(transaction, name, item)),
    update: ({ store }, name, change) => store.transaction((transaction) => verbs.update(transaction, name, change)),
    remove: ({ store }, name, id) => store.transaction((transaction) => verbs.remove(transaction, name, id)),
    replace: ({ store }, name, given) =>
      store.transaction((transaction) => replaceItems(items, { transaction, name }, given)),
  };
}

function replaceItems(
  items: Items,
  { transaction, name }: { readonly transaction: Transaction; readonly name: string },
  given: readonly unknown[],
): readonly ItemProblem[] {
  const replacement = items.replaceAll(transaction, name);
  const problems: (readonly [index: number, problem: ItemProblem])[] = [];
  const inserted = memoize((_scope: string): number[] => []);
  for (const [i, item] of given.entries()) {
    const found = insert(replacement, items.model(name), item);
    if (typeof found === 'string') inserted(found).push(i);
    else for (const each of found) problems.push([i, each]);
    if (problems.length >= MAX_PROBLEMS) break;
  }
  // The items after a break are missing.
  for (const scope of problems.length < MAX_PROBLEMS ? replacement.scopes : []) {
    const at = inserted(scope);
    for (const [i, problem] of replacement.findBrokenLinks(scope)) problems.push([at[i] ?? 0, problem]);
  }
  if (problems.length === 0) replacement.end();
  else transaction.rollback();
  return problems
    .slice(0, MAX_PROBLEMS)
    .toSorted(([one], [other]) => one - other)
    .map(([i, problem]) => ({ ...problem, pointer: toPointer(i) + problem.pointer }));
}

/** How many problems are looked for in a list of items. */
const MAX_PROBLEMS = 100;

function findScopes(collection: Collection, id: string): readonly string[] {
  return collection.scopes.filter((scope) => collection.get(id, scope) !== undefined);
}

function createVerbs(items: Items) {
  const add = (transaction: Transaction, name: string, given: Item): Item => {
    const { resource } = items.model(name);
    const scope = readParentScope(given, resource) ?? findFirstScope(transaction, resource);
    const item = omitAnnotations(given, resource);
    const id = resource.idProperty === undefined ? undefined : readMember(item, resource.idProperty);
    const location = items.locate(transaction, name, scope);
    items.seed(location);
    const created = items.create(location, {
      fixed: item,
      id: isIdValue(id) ? id : undefined,
      key: readIdAnnotation(given, resource),
      content: readInlineContent(given),
      strict: true,
    });
    if ('problems' in created) throw toInvalid(name, created.problems);
    return annotateParent(scope, created.entry.item);
  };
  return {
    add,
    clear: (transaction: Transaction, name: string): void => items.replaceAll(transaction, name).end(),
    remove: (transaction: Transaction, name: string, id: string): boolean => {
      items.open(transaction, name);
      const scopes = findScopes(transaction.collection(name), id);
      for (const scope of scopes) items.remove(items.locate(transaction, name, scope), id);
      return scopes.length > 0;
    },
    /** Adds a generated item. */
    generate: (transaction: Transaction, name: string): Item => {
      const { resource } = items.model(name);
      const { members, idProperty } = resource;
      if (members === undefined || idProperty === undefined) {
        if (resource.schema === undefined) return add(transaction, name, {});
        const scope = resource.parents.length === 0 ? '' : findFirstScope(transaction, resource);
        const location = items.locate(transaction, name, scope);
        items.seed(location);
        return add(transaction, name, annotateParent(scope, items.draft(location)));
      }
      // A membership needs a target: an item without one, else a generated item.
      const taken = transaction.collection(name).list(findFirstScope(transaction, resource));
      const free = listEntries(transaction.collection(members)).find(([, { id }]) => taken.get(id) === undefined);
      const target = items.model(members).resource.idProperty ?? 'id';
      return add(transaction, name, { [idProperty]: free?.[1].id ?? add(transaction, members, {})[target] });
    },
    update: (transaction: Transaction, name: string, { id, patch, nulls = [] }: ItemPatch): Item | undefined => {
      const model = items.model(name);
      items.open(transaction, name);
      const changed = findScopes(transaction.collection(name), id).flatMap((scope) => {
        const location = items.locate(transaction, name, scope);
        const entry = location.collection.get(id, scope);
        if (entry === undefined) return [];
        // An object stays an object.
        const after = withNulls(model.merge(entry.item, patch), nulls) as Item;
        const updated = items.update(location, entry, { after, strict: true });
        if ('problems' in updated) throw toInvalid(name, updated.problems);
        return [annotateParent(scope, updated.entry.item)];
      });
      return changed[0];
    },
  };
}

type Verbs = ReturnType<typeof createVerbs>;

/** Makes changes. @returns one line for each item that does not exist. */
function applyChanges(
  verbs: Verbs,
  transaction: Transaction,
  changes: readonly CollectionChanges[],
): readonly string[] {
  return changes.flatMap(({ name, ...change }) => {
    if (change.clear) verbs.clear(transaction, name);
    for (let i = 0; i < change.generate; i++) verbs.generate(transaction, name);
    // The scenario was checked when it was loaded: items and patches are objects.
    for (const item of change.add) verbs.add(transaction, name, item as Item);
    const references = [...change.update, ...change.remove];
    return references.flatMap((reference) => applyReference(verbs, { transaction, name }, reference) ?? []);
  });
}

/** Updates an item where there is a patch for it, else removes it. @returns a line where it does not exist. */
function applyReference(
  verbs: Verbs,
  { transaction, name }: { readonly transaction: Transaction; readonly name: string },
  reference: ItemReference & Partial<PatchWithNulls>,
): string | undefined {
  const { patch, nulls } = reference;
  const id = typeof reference.id === 'string' ? reference.id : JSON.stringify(reference.id);
  const isDone =
    id !== undefined &&
    (patch === undefined
      ? verbs.remove(transaction, name, id)
      : verbs.update(transaction, name, { id, patch: patch as Item, nulls }) !== undefined);
  if (isDone) return undefined;
  const verb = patch === undefined ? 'remove' : 'update';
  return `${formatPlace(reference.locate())}  ${describeMissing(transaction.collection(name), id, verb)}`;
}

function describeMissing(collection: Collection, id: string | undefined, verb: 'update' | 'remove'): string {
  const name = JSON.stringify(collection.name);
  if (id === undefined) return `the id of the item of ${name} to ${verb} has no value`;
  const ids = listEntries(collection).map(([, entry]) => entry.id);
  return `${name} has no item ${JSON.stringify(id)} to ${verb}; ${suggestId(id, ids)}`;
}

/** Inserts an item as it is given. @returns its scope, or its problems where it is refused. */
function insert(
  replacement: Replacement,
  { resource }: Pick<ItemModel, 'resource'>,
  item: unknown,
): string | readonly ItemProblem[] {
  if (!isObject(item)) {
    return [{ pointer: '', code: 'TYPE', message: `the item must be an object, not ${JSON.stringify(item)}` }];
  }
  const scope = readParentScope(item, resource);
  if (scope === undefined) {
    const message = `the item belongs to an item of ${resource.parents.join('/')}: add "$parent": "<id>"`;
    return [{ pointer: '', code: 'REQUIRED', message }];
  }
  const problems = replacement.insert(item, scope);
  return problems.length > 0 ? problems : scope;
}

/** The error for items that do not fit their collection. */
export function toInvalid(name: string, problems: readonly ItemProblem[]): MockError {
  const shown = problems.slice(0, 5).map(({ pointer, message }) => `${pointer === '' ? '' : `${pointer}: `}${message}`);
  const more = problems.length > 5 ? `; and ${problems.length - 5} more` : '';
  return new MockError('STATE_INVALID', `not a valid item of "${name}": ${shown.join('; ')}${more}`, {
    hint: 'an item must match the schema that the contract declares for it',
  });
}

/** The scope of an item that names no parent: the first one in use, else that of the first item of the parent collection. */
function findFirstScope(
  transaction: Transaction,
  { name, parents }: { readonly name: string; readonly parents: readonly string[] },
): string {
  const [used] = transaction.collection(name).scopes;
  if (used !== undefined) return used;
  const parent = parents.at(-1) ?? '';
  const [first] = listEntries(transaction.collection(parent));
  if (first !== undefined) return toChildScope(first[0], first[1].id);
  throw new MockError('STATE_INVALID', `an item of "${name}" belongs to an item of "${parent}", which has none`, {
    hint: `add an item to "${parent}" first, and name it: "$parent": "<id>"`,
  });
}
