import { countOf } from '../../base/errors.js';
import { isDeepStrictEqual } from 'node:util';
import type { Generator } from '../../generate/generate.js';
import type { ItemModels } from '../../resources/item/item-models.js';
import { listEntries, type WritableCollection } from '../../resources/store/collection.js';
import type { StoredItem, Item } from '../../resources/store/lists/item-list.js';
import { findProblems, type ItemProblem, type Items } from '../../resources/store/items.js';
import type { Store, StoreDefinition, Transaction } from '../../resources/store/store.js';
import { NOTHING_USED } from '../../resources/store/lists/usage.js';

/** The parts that determine the items of a version of a mock. */
interface StateParts extends Pick<ItemModels, 'contract' | 'resources'> {
  readonly definition: StoreDefinition;
  readonly items: Items;
  readonly generator: Generator;
}

interface Move {
  readonly store: Store;
  readonly from: StateParts;
  readonly to: StateParts;
  /** One line for each item that is changed or dropped although a request made it. */
  readonly notes: string[];
}

/**
 * Moves the items of a store to another version of the document and the fixtures, which its definition already is.
 *
 * A collection that no request changed starts again from its fixtures. In the others, what requests created, changed and removed stays, and all other items follow
 * their fixtures. An item that is no longer valid is repaired, or dropped where that is not possible.
 *
 * @returns one line for each item that was repaired or dropped.
 */
export function moveState(store: Store, from: StateParts, to: StateParts): readonly string[] {
  const held = store.snapshot();
  const move: Move = { store, from, to, notes: [] };
  const changed = [...held.collections].filter(([name, each]) =>
    isChanged(each, from.definition.collections.get(name)),
  );
  store.restore({ collections: new Map(), answers: held.answers, used: NOTHING_USED });
  try {
    store.transaction((transaction) => {
      for (const each of changed) moveCollection(move, transaction, each);
      // Once all of them are there: what depends on a dropped item is dropped with it.
      if (from.contract !== to.contract) for (const [name] of changed) checkCollection(move, transaction, name);
    });
  } catch (error) {
    store.restore(held);
    throw error;
  }
  return move.notes;
}

/** Whether requests, tests or scenarios have changed a collection since it was copied from its fixtures. */
function isChanged(current: WritableCollection, fixture: WritableCollection | undefined): boolean {
  const isOwn = ([scope, entry]: readonly [string, StoredItem]): boolean =>
    !isUntouched(entry, fixture?.get(entry.id, scope)) && !(entry.onDemand !== undefined && entry.revision === 1);
  return (
    current.scopes.some((scope) => current.list(scope).removed.length > 0) ||
    listEntries(current).some(isOwn) ||
    (fixture !== undefined && listEntries(fixture).some(([scope, { id }]) => current.get(id, scope) === undefined))
  );
}

function isUntouched(entry: StoredItem, original: StoredItem | undefined): boolean {
  return original !== undefined && isDeepStrictEqual(entry.item, original.item);
}

function moveCollection(
  { from, to, notes }: Move,
  transaction: Transaction,
  [name, current]: readonly [string, WritableCollection],
): void {
  if (!to.resources.collections.has(name)) {
    const { length } = listEntries(current);
    notes.push(`dropped the collection ${name} (${countOf(length, 'item')})`);
    return;
  }
  const collection = transaction.collection(name);
  collection.load(current.dump());
  followFixture(collection, from.definition.collections.get(name), to.definition.collections.get(name));
}

/** Repairs or drops the items of a collection that are not valid any more. */
function checkCollection({ to, notes }: Move, transaction: Transaction, name: string): void {
  if (!to.resources.collections.has(name)) return;
  const collection = transaction.collection(name);
  const fixture = to.definition.collections.get(name);
  for (const [scope, entry] of listEntries(collection)) {
    if (isUntouched(entry, fixture?.get(entry.id, scope))) continue;
    const problems = findProblems(to.items.model(name), entry.item);
    if (problems.length === 0) continue;
    const repaired = repair(to, [name, entry], { problems, transaction });
    const [why = ''] = problems.map(({ pointer, message }) => (pointer === '' ? message : `${pointer}: ${message}`));
    if (repaired === undefined) {
      to.items.remove(to.items.locate(transaction, name, scope), entry.id);
      notes.push(`dropped ${name}/${entry.id}: ${why}`);
    } else {
      collection.update(entry.id, { item: repaired }, scope);
      notes.push(`repaired ${name}/${entry.id}: ${why}`);
    }
  }
}

/** Changes the items that only the fixtures have written. */
function followFixture(
  collection: WritableCollection,
  before: WritableCollection | undefined,
  after: WritableCollection | undefined,
): void {
  for (const [scope, { id, item, content }] of after === undefined ? [] : listEntries(after)) {
    const known = before?.get(id, scope);
    const current = collection.get(id, scope);
    if (current === undefined) {
      // One that was there before was removed by a request.
      if (known === undefined) collection.add({ id, item, content }, scope);
    } else if (isUntouched(current, known)) collection.update(id, { item, content }, scope);
  }
  for (const [scope, original] of before === undefined ? [] : listEntries(before)) {
    const current = collection.get(original.id, scope);
    const isGone = after?.get(original.id, scope) === undefined;
    if (isGone && current !== undefined && isUntouched(current, original)) collection.remove(original.id, scope);
  }
}

/** A valid item with the valid properties of another one; undefined where there is none with its id. */
function repair(
  { items, generator }: StateParts,
  [name, { id, item }]: readonly [string, StoredItem],
  { problems, transaction }: { readonly problems: readonly ItemProblem[]; readonly transaction: Transaction },
): Item | undefined {
  const model = items.model(name);
  const { schema, idProperty } = model.resource;
  if (schema === undefined) return undefined;
  const wrong = new Set(problems.map(({ pointer }) => pointer.split('/')[1] ?? ''));
  const valid = Object.fromEntries(Object.entries(item).filter(([member]) => !wrong.has(member)));
  if (idProperty !== undefined && item[idProperty] !== valid[idProperty]) return undefined;
  const { seed, clock } = transaction;
  const key = `${name}\0reload\0${id}`;
  const context = { seed, key, direction: 'response', now: clock.now(), hint: item } as const;
  // The schema of a collection's items describes objects.
  const completed = generator.complete(schema, valid, context) as Item;
  return findProblems(model, completed).length === 0 ? completed : undefined;
}
