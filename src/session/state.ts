import type { Item } from '../state/store/collection.js';
import { type CollectionEditors, toInvalid } from '../state/store/editors.js';
import type { Session } from './session.js';

/** The collections of one session. */
export interface State {
  /** Names of all collections. */
  readonly names: readonly string[];
  /**
   * One collection by name.
   *
   * @throws MockError `COLLECTION_UNKNOWN` with the nearest name.
   */
  collection(name: string): CollectionHandle;
  /** Every item by collection. */
  export(): { readonly collections: Readonly<Record<string, readonly Item[]>> };
}

/** One collection; items of a nested collection carry `$parent`. */
export interface CollectionHandle {
  /** The name of the collection. */
  readonly name: string;
  /** All items, oldest first. */
  readonly items: readonly Item[];
  /** The item with an id; undefined where there is none. */
  get(id: string): Item | undefined;
  /**
   * Adds an item; missing properties are generated from the schema.
   *
   * @throws MockError `STATE_INVALID` where the item breaks the schema.
   */
  add(item?: Item): Item;
  /**
   * Applies a merge patch (RFC 7396) to an item.
   *
   * @returns the changed item; undefined where there is none.
   * @throws MockError `STATE_INVALID` where the result breaks the schema.
   */
  update(id: string, patch: Item): Item | undefined;
  /** Removes an item. @returns whether there was one. */
  remove(id: string): boolean;
  /**
   * Replaces all items.
   *
   * @throws MockError `STATE_INVALID` where an item breaks the schema; then nothing is changed.
   */
  replace(items: readonly Item[]): void;
}

/** The collections of a session, for tests and handlers. */
export function createState(session: Session, editors: CollectionEditors): State {
  return {
    names: editors.names,
    export: session.store.export,
    collection: (name) => {
      // Read once, so that an unknown name fails here and not at the first use.
      editors.list(session, name);
      return {
        name,
        get items() {
          return editors.list(session, name);
        },
        get: (id) => editors.get(session, name, id),
        add: (item = {}) => editors.add(session, name, item),
        update: (id, patch) => editors.update(session, name, { id, patch }),
        remove: (id) => editors.remove(session, name, id),
        replace: (items) => {
          const mistakes = editors.replace(session, name, items);
          if (mistakes.length > 0) throw toInvalid(name, mistakes);
        },
      };
    },
  };
}
