import { describe, expect, it } from 'vitest';
import { createVirtualClock } from '../../src/base/clock.js';
import { createCollection, readScope, toScope, type WritableCollection } from '../../src/resources/store/collection.js';
import type { StoredItem } from '../../src/resources/store/lists/item-list.js';
import { createStore, type Store, type StoreDefinition, type Transaction } from '../../src/resources/store/store.js';
import { PAGE_STYLES, isPageMistake } from '../../src/resources/list/pagination.js';
import { createView } from '../../src/resources/list/view.js';

function fill(count: number): WritableCollection {
  const collection = createCollection({ name: 'things', defaults: {}, unknownIds: undefined, started: true });
  for (let i = 0; i < count; i++) collection.add({ id: `id-${i}`, item: { id: `id-${i}`, number: i } });
  return collection;
}

function createDefinition(count: number): StoreDefinition {
  return { collections: new Map([['things', fill(count)]]) };
}

function open(definition: StoreDefinition): Store {
  return createStore(definition, { seed: 1, clock: createVirtualClock() });
}

function change<T>(store: Store, work: (things: WritableCollection) => T): T {
  return store.transaction((transaction) => work(transaction.collection('things')));
}

function ids(store: Store): readonly string[] {
  return store
    .collection('things')
    .list()
    .entries.map(({ id }) => id);
}

describe('a store', () => {
  it('remembers the position of a removed item, so that a cursor on it stays valid', () => {
    const store = open(createDefinition(5));
    change(store, (each) => each.remove('id-2'));
    const things = store.collection('things');
    const entry = things.list().recall('id-2');
    if (entry === undefined) throw new Error('the removed item is forgotten');
    const view = createView(things.list(), { descending: false });
    expect(view.slice(view.after(entry), view.size).map(({ id }) => id)).toEqual(['id-3', 'id-4']);
    const backwards = createView(things.list(), { descending: true });
    expect(backwards.slice(backwards.after(entry), backwards.size).map(({ id }) => id)).toEqual(['id-1', 'id-0']);
  });

  it('drops what lives under an item, however deep, and nothing else', () => {
    const runs = createCollection({ name: 'runs', defaults: {}, unknownIds: undefined, started: false });
    for (const scope of [toScope('t1'), toScope('t1', 'r1'), toScope('t11'), toScope('t2')])
      runs.add({ id: 'x', item: {} }, scope);
    runs.dropScope(toScope('t1'));
    expect(runs.scopes).toEqual([toScope('t11'), toScope('t2')]);
  });

  it(
    'drops lists below an item without a look at all others, and has them at their places again where that is undone',
    { tags: 'slow' },
    () => {
      const store = open(createDefinition(0));
      const runs = (transaction: Transaction): WritableCollection => transaction.collection('runs');
      const all = Array.from({ length: 30_000 }, (_, i) => toScope(`t${i % 10_000}`, `r${i}`));
      store.transaction((transaction) => {
        for (const scope of all) runs(transaction).add({ id: 'x', item: {} }, scope);
      });
      const isBelow = (scope: string): boolean => scope.startsWith('t5000/');
      store.transaction((transaction) => {
        runs(transaction).dropScope('t5000');
        expect(runs(transaction).scopes).toEqual(all.filter((scope) => !isBelow(scope)));
        transaction.rollback();
      });
      expect(store.collection('runs').scopes).toEqual(all);
      // A copy of all scopes for each of them takes longer than a test may.
      for (let i = 0; i < 10_000; i++) store.transaction((transaction) => runs(transaction).dropScope(`t${i}`));
      expect(store.collection('runs').scopes).toEqual([]);
    },
  );

  it.each([[['a']], [['a/b', 'c']], [['a%2Fb']], [['ü', '%', '/']]])('the scope of %j is read back', (parts) => {
    expect(readScope(toScope(...parts))).toEqual(parts);
  });
});

describe('a transaction', () => {
  const everyWrite = (transaction: Transaction): void => {
    const things = transaction.collection('things');
    const notes = transaction.collection('notes');
    things.nextNumber();
    things.markSeeded('');
    things.update('id-1', { item: { id: 'id-1', changed: true } });
    things.add({ id: 'id-2', item: { id: 'id-2', moved: true } });
    things.remove('id-0');
    things.add({ id: 'gone', item: { id: 'gone' } });
    notes.add({ id: 'n', item: {} }, 'new');
    notes.dropScope('old');
    transaction.rememberAnswer('key', 'answer');
  };
  const openNotes = (): Store => {
    const store = open(createDefinition(4));
    store.transaction((transaction) => {
      transaction.collection('notes').add({ id: 'o', item: { id: 'o' } }, 'old');
      transaction.collection('things').add({ id: 'gone', item: { id: 'gone' } });
      transaction.collection('things').remove('gone');
    });
    return store;
  };
  const look = (store: Store): unknown => ({
    ...store.export(),
    entries: store.collection('things').list().entries,
    removed: store.collection('things').list().recall('gone'),
    scopes: store.collection('notes').scopes,
    seeded: store.collection('things').isSeeded(''),
    next: store.transaction((transaction) => {
      const next = transaction.collection('things').add({ id: 'next', item: {} }).sequence;
      const number = transaction.collection('things').nextNumber();
      const answer = transaction.recallAnswer('key');
      transaction.rollback();
      return { next, number, answer };
    }),
  });

  it('that throws changes nothing', () => {
    const store = openNotes();
    const before = look(store);
    const work = (): void =>
      store.transaction((transaction) => {
        everyWrite(transaction);
        throw new Error('no');
      });
    expect(work).toThrow('no');
    expect(look(store)).toEqual(before);
    store.transaction(everyWrite);
    expect(look(store)).not.toEqual(before);
  });

  it('inside another one is undone alone, and together with the outer one', () => {
    const store = openNotes();
    const before = look(store);
    const inner = store.transaction((outer) => {
      outer.collection('things').add({ id: 'outer', item: { id: 'outer' } });
      store.transaction((transaction) => {
        everyWrite(transaction);
        transaction.rollback();
      });
      const kept = ids(store);
      store.transaction(everyWrite);
      outer.rollback();
      return kept;
    });
    expect(inner).toEqual(['id-0', 'id-1', 'id-2', 'id-3', 'outer']);
    expect(look(store)).toEqual(before);
  });

  it('forgets the oldest remembered answer, and has it back when it is undone', () => {
    const store = open(createDefinition(0));
    store.transaction((transaction) => {
      for (let i = 0; i < 1000; i++) transaction.rememberAnswer(`k${i}`, i);
    });
    store.transaction((transaction) => {
      transaction.rememberAnswer('k1000', 1000);
      expect(transaction.recallAnswer('k0')).toBeUndefined();
      transaction.rollback();
      expect([transaction.recallAnswer('k0'), transaction.recallAnswer('k1000')]).toEqual([0, undefined]);
      transaction.rememberAnswer('k1000', 1000);
      expect(transaction.recallAnswer('k0')).toBeUndefined();
    });
  });
});

describe('the cost of a store', () => {
  it('a snapshot, a write after it and a restore copy no item', () => {
    const store = open(createDefinition(1000));
    const read = (): readonly StoredItem[] => store.collection('things').list().entries;
    const before = read();
    const snapshot = store.snapshot();
    expect(read()).toBe(before);
    change(store, (things) => things.add({ id: 'own', item: {} }));
    const after = read();
    expect(after).toHaveLength(1001);
    for (const [i, entry] of before.entries()) expect(after[i]).toBe(entry);
    store.restore(snapshot);
    expect(read()).toBe(before);
  });

  it('a page from the middle of 100,000 items reads no more of them than the page and a search for its beginning', () => {
    const [style] = PAGE_STYLES;
    if (style === undefined) throw new Error('there is no way of paging');
    const list = fill(100_000).list();
    let reads = 0;
    const entries = new Proxy(list.entries, {
      get: (target, name, receiver): unknown => {
        if (typeof name === 'string' && /^\d+$/.test(name)) reads++;
        return Reflect.get(target, name, receiver);
      },
    });
    for (const descending of [false, true]) {
      reads = 0;
      const view = createView({ ...list, entries }, { descending });
      const page = style.cut({
        view,
        limit: 20,
        plan: { firstPage: 1, firstOffset: 0, fits: () => true },
        value: (role) => (role === 'after' ? 'id-50000' : undefined),
        recall: (id) => list.recall(id),
      });
      if (isPageMistake(page)) throw new Error('no page was cut');
      expect(view.slice(page.from, page.to)).toHaveLength(20);
      expect(reads).toBeLessThan(60);
    }
  });
});
