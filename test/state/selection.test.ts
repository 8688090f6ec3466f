import { describe, expect, it } from 'vitest';
import type { Entry } from '../../src/state/store/collection.js';
import { readFilters, readSearch, readSort } from '../../src/state/pages/view.js';

const ITEMS = [
  {
    id: '1',
    name: 'Ada',
    email: 'ada@x.ch',
    age: 36,
    tags: ['a', 'b'],
    owner: { id: 'o1' },
    metadata: { plan: 'pro' },
  },
  { id: '2', name: 'Bob', email: 'bob@x.ch', age: 20, tags: ['b'], owner: { id: 'o2' }, metadata: {} },
  { id: '3', name: 'Cy', age: 50, tags: [], owner: null, active: false },
];
const ENTRIES: readonly Entry[] = ITEMS.map((item, i) => ({ id: item.id, item, sequence: i, revision: 1 }));

function keep(predicate: ((entry: Entry) => boolean) | undefined): string {
  return ENTRIES.filter(predicate ?? (() => true))
    .map(({ id }) => id)
    .join('');
}

describe('a filter', () => {
  it.each([
    ['a text', { name: 'Ada' }, '1'],
    ['a number', { age: 20 }, '2'],
    ['a number as text', { age: '20' }, '2'],
    ['false, which is a value', { active: false }, '3'],
    ['one of several values', { name: ['Ada', 'Cy'] }, '13'],
    ['a member of a list', { tags: 'b' }, '12'],
    ['the id of an object', { owner: 'o2' }, '2'],
    ['bounds of a number', { age: { gte: 36, lt: 50 } }, '1'],
    ['several at once', { tags: 'b', name: 'Bob' }, '2'],
    ['nothing asked', {}, '123'],
    ['an empty value, which asks nothing', { name: '' }, '123'],
    ['a value nobody has', { name: 'Zoe' }, ''],
  ])('by %s', (_, query, want) => {
    const filters = ['name', 'age', 'active', 'tags', 'owner'].map((name) => ({ parameter: name, property: name }));
    expect(keep(readFilters(filters, query, undefined))).toBe(want);
  });

  it('by what the path says adds to the others', () => {
    expect(keep(readFilters([{ parameter: 'tags', property: 'tags' }], { tags: 'b' }, { owner: 'o1' }))).toBe('1');
  });
});

describe('a search', () => {
  it.each([
    ['bob', '2'],
    ['X.CH', '12'],
    ['name:"Ada"', '1'],
    ['metadata["plan"]:"pro"', '1'],
    ['email~"bob"', '2'],
    ['age>30', '13'],
    ['age>=36 AND age<50', '1'],
    ['name:"Ada" OR name:"Cy"', '13'],
    ['-name:"Ada"', '23'],
    ['email:null', '3'],
    ['constructor:null', '123'],
    ['a.name:x', ''],
    ['', '123'],
  ])('%s finds %s', (query, want) => {
    expect(keep(readSearch(query))).toBe(want);
  });

  it('of many letters that lead to nothing ends at once', () => {
    expect(keep(readSearch('a.'.repeat(200_000)))).toBe('');
  });

  it('compares items that were created on demand as it compares others (issue 10)', () => {
    const invented: Entry = { id: '9', item: {}, sequence: 9, revision: 1, onDemand: true };
    expect(readSearch('nothing like it')?.(invented)).toBe(false);
  });
});

describe('a sort', () => {
  it.each([
    ['age', '213'],
    ['-age', '312'],
    ['+age', '213'],
    ['age:desc', '312'],
    ['name desc', '321'],
    ['email', '123'],
  ])('by %s is %s', (value, want) => {
    const order = readSort(value, undefined);
    expect(
      ENTRIES.toSorted(order)
        .map(({ id }) => id)
        .join(''),
    ).toBe(want);
  });

  it.each([[undefined], ['no such thing!'], [7]])('by %j is none', (value) => {
    expect(readSort(value, undefined)).toBeUndefined();
  });
});
