import { isObject } from '../contract/json.js';
import { toPointer } from '../contract/pointer.js';
import { MockError } from '../errors.js';
import { mergePatch } from '../http/merge-patch.js';
import type { ChangeCollection } from '../scenario/rules/effects.js';
import type { CollectionView } from '../scenario/rules/match.js';
import type { CollectionChanges } from '../scenario/rules/rule.js';
import { EVERY_SCOPE, readScope, toScope } from '../state/store/collection.js';
import type { Entry, Item } from '../state/store/item-list.js';
import {
  createItemWriters,
  type ItemWorld,
  type ItemWriter,
  type ItemWriterParts,
  type ItemWriters,
} from './item-writer.js';

/** One thing that is wrong with items that were handed over. */
export interface ItemMistake {
  /** From the list of items: `/0/name`. */
  readonly pointer: string;
  readonly code: string;
  readonly message: string;
}

/** Reads and changes the collections of sessions from outside: for scenarios, tests and the control API alike. */
export interface CollectionEditors {
  /** Collections of the contract. */
  readonly names: readonly string[];
  view(world: ItemWorld): CollectionView;
  change(world: ItemWorld): ChangeCollection;
  /** Oldest first; items that live under another carry `$parent`. @throws MockError `COLLECTION_UNKNOWN`. */
  list(world: ItemWorld, name: string): readonly Item[];
  get(world: ItemWorld, name: string, id: string): Item | undefined;
  /** Adds an item, completed from its schema. @throws MockError `COLLECTION_UNKNOWN`, `STATE_INVALID`. */
  add(world: ItemWorld, name: string, item: Item): Item;
  /** Merges a patch (RFC 7386) into an item. @returns the item, or undefined where there is none of that id. */
  update(world: ItemWorld, name: string, change: { readonly id: string; readonly patch: Item }): Item | undefined;
  /** @returns whether there was one. */
  remove(world: ItemWorld, name: string, id: string): boolean;
  /** Puts other items in the place of all; what is wrong with any of them leaves everything as it was. */
  replace(world: ItemWorld, name: string, items: readonly unknown[]): readonly ItemMistake[];
}

/** The editors of the collections of one contract. */
export function createCollectionEditors(parts: ItemWriterParts): CollectionEditors {
  const writers = createItemWriters(parts);
  const verbs = createVerbs(parts, writers);
  return {
    names: writers.names,
    view: (world) => ({
      count: (name) => {
        const collection = world.store.collection(name);
        return collection.scopes.reduce((sum, scope) => sum + collection.list(scope).size, 0);
      },
      has: (name, id) => listScopes(world, name, id).length > 0,
    }),
    change: (world) => (changes) => applyChanges(changes, world, verbs),
    list: (world, name) => {
      writers.get(name);
      return listEntries(world, name).map(([scope, entry]) => withParent(scope, entry.item));
    },
    get: (world, name, id) => {
      writers.get(name);
      const [scope] = listScopes(world, name, id);
      const entry = scope === undefined ? undefined : world.store.collection(name).get(id, scope);
      return entry && withParent(scope ?? '', entry.item);
    },
    add: verbs.add,
    update: verbs.update,
    remove: (world, name, id) => {
      writers.get(name);
      return verbs.remove(world, name, id);
    },
    replace: (world, name, items) => {
      const writer = writers.get(name);
      const before = world.store.snapshot();
      verbs.clear(world, name);
      const mistakes = items.flatMap((given, index) => addWhole(writer, world, { given, index }));
      if (mistakes.length > 0) world.store.restore(before);
      return mistakes;
    },
  };
}

/** Every item of a collection, with the scope it stands in. */
function listEntries(world: ItemWorld, name: string): readonly (readonly [scope: string, entry: Entry])[] {
  const collection = world.store.collection(name);
  return collection.scopes.flatMap((scope) =>
    collection.list(scope).entries.map((entry): readonly [string, Entry] => [scope, entry]),
  );
}

/** The scopes in which a collection has an item of that id. */
function listScopes(world: ItemWorld, name: string, id: string): readonly string[] {
  return world.store
    .collection(name)
    .scopes.filter((scope) => world.store.collection(name).get(id, scope) !== undefined);
}

/** What can be done to the items of a collection. */
interface Verbs extends Pick<CollectionEditors, 'add' | 'update' | 'remove'> {
  clear(world: ItemWorld, name: string): void;
  /** Adds a made-up item. */
  generate(world: ItemWorld, name: string): Item;
}

function createVerbs({ resources }: ItemWriterParts, writers: ItemWriters): Verbs {
  const remove: Verbs['remove'] = (world, name, id) => {
    const scopes = listScopes(world, name, id);
    const children = [...resources.collections.values()].filter((child) => child.parents.includes(name));
    for (const scope of scopes) {
      world.store.collection(name).remove(id, scope);
      for (const child of children) world.store.collection(child.name).dropScope(toScope(...readScope(scope), id));
    }
    return scopes.length > 0;
  };
  const add: Verbs['add'] = (world, name, given) => {
    const writer = writers.get(name);
    const scope = writer.readScope(given) ?? findScope(writer, world);
    const entry = writer.completeEntry(world, given, scope);
    const lost = lookForLinks(writer, world, { scope, id: entry.id });
    const [mistake] = lost === undefined ? toMistakes(writer, entry.item, '') : [lost];
    if (mistake !== undefined) throw toInvalid(name, [mistake]);
    return withParent(scope, world.store.collection(name).add(entry, scope).item);
  };
  return {
    add,
    remove,
    update: (world, name, { id, patch }) => {
      const writer = writers.get(name);
      let changed: Item | undefined;
      for (const scope of listScopes(world, name, id)) {
        const collection = world.store.collection(name);
        // Two objects merge into an object.
        const item = mergePatch(collection.get(id, scope)?.item, patch) as Item;
        const mistakes = toMistakes(writer, item, '');
        if (mistakes.length > 0) throw toInvalid(name, mistakes);
        collection.update(id, { item }, scope);
        changed ??= withParent(scope, item);
      }
      return changed;
    },
    clear: (world, name) => {
      // What was emptied on purpose stays empty, also where items come into being when they are asked for.
      world.store.collection(name).markSeeded(EVERY_SCOPE);
      // The newest first: nothing behind it has to move up.
      for (const [, entry] of listEntries(world, name).toReversed()) remove(world, name, entry.id);
    },
    generate: (world, name) => {
      const writer = writers.get(name);
      const { members, idProperty } = writer.resource;
      if (members === undefined || idProperty === undefined) return add(world, name, {});
      // A member is one for an item that is there, or that is made up first.
      const taken = world.store.collection(name).list(findScope(writer, world));
      const free = listEntries(world, members).find(([, { id }]) => taken.get(id) === undefined)?.[1].id;
      const target = writers.get(members).resource.idProperty ?? 'id';
      return add(world, name, { [idProperty]: free ?? add(world, members, {})[target] });
    },
  };
}

/** The changes of a scenario, in the order of their fields. */
function applyChanges(changes: CollectionChanges, world: ItemWorld, verbs: Verbs): void {
  const { add, generate, update, remove, clear } = verbs;
  const { name } = changes;
  if (changes.clear) clear(world, name);
  for (let i = 0; i < changes.generate; i++) generate(world, name);
  // The scenario was checked when it was loaded: items and patches are objects.
  for (const item of changes.add) add(world, name, item as Item);
  for (const [id, patch] of Object.entries(changes.update)) update(world, name, { id, patch: patch as Item });
  for (const id of changes.remove) remove(world, name, String(id));
}

/** Adds an item that must be whole but for its id; says what is wrong with it otherwise. */
function addWhole(
  writer: ItemWriter,
  world: ItemWorld,
  { given, index }: { readonly given: unknown; readonly index: number },
): readonly ItemMistake[] {
  const at = toPointer(index);
  const wrong = (code: string, message: string): readonly ItemMistake[] => [{ pointer: at, code, message }];
  if (!isObject(given)) return wrong('TYPE', `the item must be an object, not ${JSON.stringify(given)}`);
  const scope = writer.readScope(given);
  if (scope === undefined) {
    const parents = writer.resource.parents.join('/');
    return wrong('REQUIRED', `the item lives under ${parents} and does not say which: add "$parent": "<id>"`);
  }
  const entry = writer.toEntry(world, given, scope);
  const collection = world.store.collection(writer.resource.name);
  if (collection.get(entry.id, scope) !== undefined) return wrong('UNIQUE', `two items have the id "${entry.id}"`);
  const lost = lookForLinks(writer, world, { scope, id: entry.id });
  if (lost !== undefined) return [{ ...lost, pointer: at }];
  collection.add(entry, scope);
  return toMistakes(writer, entry.item, at);
}

function toMistakes(writer: ItemWriter, item: Item, at: string): readonly ItemMistake[] {
  return writer.check(item).map(({ code, pointer, message }) => ({
    pointer: at + pointer,
    code,
    message: message.replace(/^body\b/, 'the item'),
  }));
}

/** The error for items that break their schema. */
export function toInvalid(name: string, mistakes: readonly ItemMistake[]): MockError {
  const shown = mistakes.slice(0, 5).map(({ pointer, message }) => `${pointer === '' ? '' : `${pointer}: `}${message}`);
  const more = mistakes.length > 5 ? `; and ${mistakes.length - 5} more` : '';
  return new MockError('STATE_INVALID', `this is no item of "${name}": ${shown.join('; ')}${more}`, {
    hint: 'an item has to fit the schema that the contract gives for it',
  });
}

function withParent(scope: string, item: Item): Item {
  return scope === '' ? item : { $parent: scope, ...item };
}

/** What an item refers to and is not there: the item it lives under, or the one it is a member for. */
function lookForLinks(
  { resource }: ItemWriter,
  { store }: ItemWorld,
  { scope, id }: { readonly scope: string; readonly id: string },
): ItemMistake | undefined {
  const ids = readScope(scope);
  const parent = ids.at(-1);
  const above = resource.parents.at(-1);
  const lost = (collection: string, missing: string): ItemMistake => ({
    pointer: '',
    code: 'LINK',
    message: `"${collection}" has no item "${missing}"`,
  });
  // A collection that nothing started may come into being when it is asked for, and with it any item.
  const isLost = (name: string, key: string, at: string): boolean =>
    store.collection(name).started && store.collection(name).get(key, at) === undefined;
  if (above !== undefined && parent !== undefined && isLost(above, parent, toScope(...ids.slice(0, -1)))) {
    return lost(above, parent);
  }
  return resource.members !== undefined && isLost(resource.members, id, '') ? lost(resource.members, id) : undefined;
}

/** Where an item that does not say so goes: the only scope at the top, else the one that was filled first. */
function findScope(writer: ItemWriter, world: ItemWorld): string {
  const { name, parents } = writer.resource;
  const [used] = world.store.collection(name).scopes;
  if (used !== undefined) return used;
  const parent = parents.at(-1) ?? '';
  const above = world.store.collection(parent);
  for (const scope of above.scopes) {
    const [entry] = above.list(scope).entries;
    if (entry !== undefined) return toScope(...readScope(scope), entry.id);
  }
  throw new MockError('STATE_INVALID', `an item of "${name}" lives under one of "${parent}", and there is none`, {
    hint: `add an item to "${parent}" first, and name it: "$parent": "<id>"`,
  });
}
