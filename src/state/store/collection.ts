import type { World } from '../resource.js';
import { createItemList, type Entry, type Item, type ItemList, type NewEntry } from './item-list.js';

/**
 * One named collection: a list of items, or, where its items live under others, one list for each of those.
 *
 * A `scope` names the parent: `''` at the top, else the ids of the parents, outermost first, made by `toScope`.
 */
export interface Collection {
  readonly name: string;
  /** What a created item starts from. */
  readonly defaults: Item;
  /** What its fixtures say of unknown ids. */
  readonly world: World | undefined;
  /** Whether fixtures started it: then it is closed where nothing else is said. */
  readonly started: boolean;
  /** The items of one scope; an empty list where there are none. Change it through the collection, never directly. */
  list(scope?: string): ItemList;
  /** Scopes that hold or held items. */
  readonly scopes: readonly string[];
  get(id: string, scope?: string): Entry | undefined;
  add(entry: NewEntry, scope?: string): Entry;
  update(id: string, change: Partial<Omit<NewEntry, 'id'>>, scope?: string): Entry | undefined;
  remove(id: string, scope?: string): Entry | undefined;
  /** Forgets every list below a scope: `toScope('vs_1')` and `toScope('vs_1', 'file_2')` for `toScope('vs_1')`. */
  dropScope(scope: string): void;
  /** Counts the creates of this collection, from 1: what the id of the next item is made from. */
  nextNumber(): number;
  /** Whether a scope was filled with its first items, for a collection whose items come into being when asked for. */
  isSeeded(scope: string): boolean;
  /** @param scope - `EVERY_SCOPE` for all of them, also those that do not exist yet. */
  markSeeded(scope: string): void;
  /** Copies in constant time; either side pays on its first write. */
  copy(): Collection;
}

/** Stands for every scope of a collection, where one is marked; no scope is called like this. */
export const EVERY_SCOPE = '\0';

interface CollectionParts {
  readonly lists: ReadonlyMap<string, ItemList>;
  readonly seeded: Set<string>;
  readonly created: number;
}

/** The scope of what lives under items with these ids, outermost first; `''` without any. */
export function toScope(...ids: readonly string[]): string {
  if (ids.length === 1) return escapeId(ids[0] ?? '');
  return ids.map(escapeId).join('/');
}

/** The ids a scope was made from. */
export function readScope(scope: string): readonly string[] {
  return scope === '' ? [] : scope.split('/').map((id) => id.replaceAll('%2F', '/').replaceAll('%25', '%'));
}

/** What a fixture says of a collection besides its items. */
interface CollectionFacts {
  readonly name: string;
  readonly defaults: Item;
  readonly world: World | undefined;
  readonly started: boolean;
}

/** An empty collection. */
export function createCollection(facts: CollectionFacts): Collection {
  return createCollectionOver(facts, { lists: new Map(), seeded: new Set(), created: 0 });
}

function createCollectionOver(facts: CollectionFacts, parts: CollectionParts): Collection {
  const lists = new Map(parts.lists);
  let seeded = parts.seeded;
  // The set is another's too until this one writes to it.
  let isShared = true;
  let created = parts.created;
  const empty = createItemList();
  const writable = (scope: string): ItemList => {
    const list = lists.get(scope);
    if (list !== undefined) return list;
    const fresh = createItemList();
    lists.set(scope, fresh);
    return fresh;
  };
  return {
    ...facts,
    list: (scope = '') => lists.get(scope) ?? empty,
    get scopes() {
      return [...lists.keys()];
    },
    get: (id, scope = '') => lists.get(scope)?.get(id),
    add: (entry, scope = '') => writable(scope).add(entry),
    update: (id, change, scope = '') => lists.get(scope)?.update(id, change),
    remove: (id, scope = '') => lists.get(scope)?.remove(id),
    dropScope: (scope) => {
      for (const key of lists.keys()) if (key === scope || key.startsWith(`${scope}/`)) lists.delete(key);
      if (seeded.size === 0) return;
      seeded = new Set([...seeded].filter((key) => key !== scope && !key.startsWith(`${scope}/`)));
      isShared = false;
    },
    nextNumber: () => {
      created += 1;
      return created;
    },
    isSeeded: (scope) => seeded.has(scope) || seeded.has(EVERY_SCOPE),
    markSeeded: (scope) => {
      if (isShared) seeded = new Set(seeded);
      isShared = false;
      seeded.add(scope);
    },
    copy: () => {
      isShared = true;
      const copies = new Map([...lists].map(([scope, list]) => [scope, list.copy()]));
      return createCollectionOver(facts, { lists: copies, seeded, created });
    },
  };
}

function escapeId(id: string): string {
  return id.includes('/') || id.includes('%') ? id.replaceAll('%', '%25').replaceAll('/', '%2F') : id;
}
