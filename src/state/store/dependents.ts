import { memoize } from '../../memoize.js';
import type { Resources } from '../resource.js';
import { type Entry, toChildScope, type WritableCollection } from './collection.js';
import type { Transaction } from './store.js';

/** Where one item is. */
interface ItemPlace {
  readonly id: string;
  readonly scope: string;
}

/** Keeps what depends on items in step with them: the lists below, and memberships, which have the id of their target. */
export interface Dependents {
  /** Removes an item with what depends on it. */
  remove(transaction: Transaction, collection: WritableCollection, at: ItemPlace): Entry | undefined;
  /** Moves the lists below an item to another id. */
  move(transaction: Transaction, collection: WritableCollection, at: ItemPlace & { readonly to: string }): void;
}

/** The dependents of the collections of a contract. */
export function createDependents({ collections }: Resources): Dependents {
  const all = [...collections.values()];
  const find = memoize((name: string) => ({
    below: all.filter(({ parents }) => parents.includes(name)).map((child) => child.name),
    memberships: all.filter(({ members }) => members === name).map((child) => child.name),
  }));
  const remove: Dependents['remove'] = (transaction, collection, at) => {
    const entry = collection.remove(at.id, at.scope);
    if (entry === undefined) return undefined;
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
  return { remove, move };
}
