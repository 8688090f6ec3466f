import { describe, expect, it } from 'vitest';
import { createVirtualClock } from '../../src/clock.js';
import { createCollection, readScope, toScope, type Collection } from '../../src/state/store/collection.js';
import { createStore, type Store, type StoreDefinition } from '../../src/state/store/store.js';
import { PAGE_STYLES, isPageMistake } from '../../src/state/pages/page.js';
import { createView } from '../../src/state/store/view.js';

function fill(count: number): Collection {
  const collection = createCollection({ name: 'things', defaults: {}, world: undefined, started: true });
  for (let i = 0; i < count; i++) collection.add({ id: `id-${i}`, item: { id: `id-${i}`, number: i } });
  return collection;
}

function createDefinition(count: number): StoreDefinition {
  return { collections: new Map([['things', fill(count)]]) };
}

function open(definition: StoreDefinition): Store {
  return createStore(definition, { seed: 1, clock: createVirtualClock() });
}

function ids(store: Store): readonly string[] {
  return store
    .collection('things')
    .list()
    .entries.map(({ id }) => id);
}

/** The least of several timings: what the work takes, not what else the machine did. */
function time(runs: number, work: () => void): number {
  let least = Infinity;
  for (let i = 0; i < runs; i++) {
    const start = performance.now();
    work();
    least = Math.min(least, performance.now() - start);
  }
  return least;
}

describe('a store', () => {
  it('starts from its fixtures, and a change in one store is seen by no other', () => {
    const definition = createDefinition(3);
    const [one, two] = [open(definition), open(definition)];
    one.collection('things').add({ id: 'new', item: { id: 'new' } });
    one.collection('things').remove('id-0');
    expect(ids(one)).toEqual(['id-1', 'id-2', 'new']);
    expect(ids(two)).toEqual(['id-0', 'id-1', 'id-2']);
    expect(ids(open(definition))).toEqual(['id-0', 'id-1', 'id-2']);
  });

  it('is back at its fixtures after a reset, its numbers included', () => {
    const store = open(createDefinition(2));
    expect(store.collection('things').nextNumber()).toBe(1);
    store.collection('things').remove('id-1');
    store.reset();
    expect(ids(store)).toEqual(['id-0', 'id-1']);
    expect(store.collection('things').nextNumber()).toBe(1);
  });

  it('goes back to a snapshot as often as wanted', () => {
    const store = open(createDefinition(2));
    const things = store.collection('things');
    things.add({ id: 'a', item: { id: 'a' } });
    things.nextNumber();
    const snapshot = store.snapshot();
    for (let i = 0; i < 2; i++) {
      store.collection('things').remove('a');
      store.collection('things').update('id-0', { item: { id: 'id-0', changed: true } });
      store.collection('things').add({ id: `b${i}`, item: {} });
      store.restore(snapshot);
      expect(ids(store)).toEqual(['id-0', 'id-1', 'a']);
      expect(store.collection('things').get('id-0')?.item).toEqual({ id: 'id-0', number: 0 });
      expect(store.collection('things').nextNumber()).toBe(2);
    }
  });

  it('remembers where a removed item stood, so that a cursor on it still works', () => {
    const things = open(createDefinition(5)).collection('things');
    things.remove('id-2');
    const entry = things.list().recall('id-2');
    if (entry === undefined) throw new Error('the removed item is forgotten');
    const view = createView(things.list(), { descending: false });
    expect(view.slice(view.after(entry), view.size).map(({ id }) => id)).toEqual(['id-3', 'id-4']);
    const backwards = createView(things.list(), { descending: true });
    expect(backwards.slice(backwards.after(entry), backwards.size).map(({ id }) => id)).toEqual(['id-1', 'id-0']);
  });

  it('drops what lives under an item, however deep, and nothing else', () => {
    const runs = createCollection({ name: 'runs', defaults: {}, world: undefined, started: false });
    for (const scope of [toScope('t1'), toScope('t1', 'r1'), toScope('t11'), toScope('t2')])
      runs.add({ id: 'x', item: {} }, scope);
    runs.dropScope(toScope('t1'));
    expect(runs.scopes).toEqual([toScope('t11'), toScope('t2')]);
  });

  it.each([[['a']], [['a/b', 'c']], [['a%2Fb']], [['ü', '%', '/']]])('the scope of %j is read back', (parts) => {
    expect(readScope(toScope(...parts))).toEqual(parts);
  });

  it('exports what it holds the way a fixture is written', () => {
    const store = open(createDefinition(1));
    store.collection('notes').add({ id: 'n', item: { id: 'n' } }, toScope('id-0'));
    store
      .collection('notes')
      .add(
        { id: 'm', item: { id: 'm' }, content: { bytes: new Uint8Array([0xff]), mediaType: 'image/x' } },
        toScope('id-0'),
      );
    expect(store.export()).toEqual({
      collections: {
        things: [{ id: 'id-0', number: 0 }],
        notes: [
          { $parent: 'id-0', id: 'n' },
          { $parent: 'id-0', id: 'm', $content: { base64: '/w==' }, $contentType: 'image/x' },
        ],
      },
    });
  });
});

describe('the cost of a store', () => {
  it('a snapshot and a restore of 1,000 items take less than a millisecond', () => {
    const store = open(createDefinition(1000));
    store.collection('things').add({ id: 'own', item: {} });
    const took = time(20, () => {
      store.restore(store.snapshot());
    });
    expect(took).toBeLessThan(1);
  });

  it('the first write after a snapshot of 1,000 items takes less than a millisecond', () => {
    const store = open(createDefinition(1000));
    let i = 0;
    const took = time(20, () => {
      store.snapshot();
      store.collection('things').add({ id: `x${i++}`, item: {} });
    });
    expect(took).toBeLessThan(1);
  });

  it('a page from the middle of 100,000 items costs at most twice one of 100', () => {
    const [style] = PAGE_STYLES;
    if (style === undefined) throw new Error('there is no way of paging');
    const prepare = (count: number): (() => void) => {
      const list = fill(count).list();
      const middle = `id-${count / 2}`;
      return () => {
        for (let i = 0; i < 2000; i++) {
          const view = createView(list, { descending: i % 2 === 0 });
          const page = style.cut({
            view,
            limit: 20,
            value: (role) => (role === 'after' ? middle : undefined),
            recall: (id) => list.recall(id),
          });
          if (isPageMistake(page) || view.slice(page.from, page.to).length !== 20) throw new Error('no page was cut');
        }
      };
    };
    const [small, large] = [prepare(100), prepare(100_000)];
    // Turn by turn, so that what else the machine does strikes both alike.
    let [leastSmall, leastLarge] = [Infinity, Infinity];
    for (let round = 0; round < 15; round++) {
      leastSmall = Math.min(leastSmall, time(1, small));
      leastLarge = Math.min(leastLarge, time(1, large));
    }
    expect(leastLarge).toBeLessThan(leastSmall * 2);
  });
});
