import type { Item } from '../resources/store/lists/item-list.js';
import { type CollectionEditors, toInvalid } from '../resources/store/editors.js';
import type { Session } from './session.js';

/** The collections of one session. */
export interface State {
  /** Names of all collections. */
  readonly names: readonly string[];
  /**
   * One collection by name; its items have the type that is given: `collection<components['schemas']['Station']>('stations')`.
   *
   * @throws MockError `COLLECTION_UNKNOWN` with the nearest name.
   */
  collection<Fields extends object = Item>(name: string): CollectionHandle<Fields>;
  /** Every item by collection. */
  export(): { readonly collections: Readonly<Record<string, readonly Item[]>> };
}

/** The collections of a session; names and items are typed where their types are known. */
export type StateOf<Collections> = unknown extends Collections ? State : TypedState<Collections>;

/** The collections of one session with the types that `vouch types` writes in `collections`; see `State`. */
export interface TypedState<Collections> extends Omit<State, 'names' | 'collection'> {
  /** Names of all collections. */
  readonly names: readonly (keyof Collections & string)[];
  /** One collection by name. @throws MockError `COLLECTION_UNKNOWN` with the nearest name. */
  collection<Name extends keyof Collections & string>(name: Name): CollectionHandle<ItemOf<Collections[Name]>>;
  /** One collection whose items have the type that is given. @throws MockError `COLLECTION_UNKNOWN` with the nearest name. */
  collection<Fields extends object>(name: keyof Collections & string): CollectionHandle<Fields>;
}

/** The type of the items of a collection: JSON objects, where the document does not say more. */
export type ItemOf<Type> = [Type] extends [object] ? Type : Item;

/** One collection; items of a nested collection carry `$parent`. */
export interface CollectionHandle<Fields extends object = Item> {
  /** The name of the collection. */
  readonly name: string;
  /** All items, oldest first. */
  readonly items: readonly Fields[];
  /** The item with an id; undefined where there is none. */
  get(id: string): Fields | undefined;
  /**
   * Adds an item; missing properties are generated from the schema.
   *
   * @throws MockError `STATE_INVALID` where the item breaks the schema, or its parent does not exist; `STATE_LIMIT`.
   */
  add(item?: FieldsOf<Fields>): Fields;
  /**
   * Applies a merge patch (RFC 7396) to an item.
   *
   * @returns the changed item; undefined where there is none.
   * @throws MockError `STATE_INVALID` where the result breaks the schema; `STATE_LIMIT`.
   */
  update(id: string, patch: FieldsOf<Fields>): Fields | undefined;
  /** Removes an item. @returns whether there was one. */
  remove(id: string): boolean;
  /**
   * Replaces all items.
   *
   * @throws MockError `STATE_INVALID` where an item breaks the schema, or its parent does not exist; `STATE_LIMIT`. Then nothing is changed.
   */
  replace(items: readonly FieldsOf<Fields>[]): void;
}

/** Some fields of an item, and the id of the item that it belongs to. */
export type FieldsOf<Fields extends object> = Partial<Fields> & { readonly $parent?: unknown };

/** The collections of a session, for tests and handlers. */
export function createState(session: Session, editors: CollectionEditors): State {
  const collection = (name: string): CollectionHandle => {
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
  };
  // The caller knows the type of the items, which fit the schema of the collection.
  return {
    get names() {
      return editors.names;
    },
    export: session.store.export,
    collection: collection as State['collection'],
  };
}
