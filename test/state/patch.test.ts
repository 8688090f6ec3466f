import { describe, expect, it } from 'vitest';
import { applyJsonPatch, isJsonPatch } from '../../src/resources/item/json-patch.js';

describe('a JSON Patch', () => {
  // RFC 6902, appendix A.
  it.each([
    ['adds a member', { foo: 'bar' }, [{ op: 'add', path: '/baz', value: 'qux' }], { baz: 'qux', foo: 'bar' }],
    [
      'adds an element',
      { foo: ['bar', 'baz'] },
      [{ op: 'add', path: '/foo/1', value: 'qux' }],
      { foo: ['bar', 'qux', 'baz'] },
    ],
    ['adds at the end', { foo: ['bar'] }, [{ op: 'add', path: '/foo/-', value: ['abc'] }], { foo: ['bar', ['abc']] }],
    ['removes a member', { baz: 'qux', foo: 'bar' }, [{ op: 'remove', path: '/baz' }], { foo: 'bar' }],
    ['removes an element', { foo: ['bar', 'qux', 'baz'] }, [{ op: 'remove', path: '/foo/1' }], { foo: ['bar', 'baz'] }],
    ['replaces a value', { baz: 'qux' }, [{ op: 'replace', path: '/baz', value: 'boo' }], { baz: 'boo' }],
    ['replaces an element', { a: [1, 2] }, [{ op: 'replace', path: '/a/1', value: 3 }], { a: [1, 3] }],
    ['moves a value', { a: { b: 1 }, c: {} }, [{ op: 'move', from: '/a/b', path: '/c/d' }], { a: {}, c: { d: 1 } }],
    ['moves an element', { a: [1, 2, 3] }, [{ op: 'move', from: '/a/0', path: '/a/2' }], { a: [2, 3, 1] }],
    ['copies a value', { a: [1] }, [{ op: 'copy', from: '/a', path: '/b' }], { a: [1], b: [1] }],
    [
      'tests a value',
      { a: { b: [1], c: 2 } },
      [{ op: 'test', path: '/a', value: { c: 2, b: [1] } }],
      { a: { b: [1], c: 2 } },
    ],
    ['reads escapes', { '/': 1, '~1': 2 }, [{ op: 'replace', path: '/~01', value: 3 }], { '/': 1, '~1': 3 }],
    [
      'adds below what it added',
      {},
      [
        { op: 'add', path: '/a', value: {} },
        { op: 'add', path: '/a/b', value: 1 },
      ],
      { a: { b: 1 } },
    ],
  ])('%s', (_, item, operations, want) => {
    const before = structuredClone(item);
    expect(applyJsonPatch(item, operations)).toEqual({ item: want });
    expect(item).toEqual(before);
  });

  it.each([
    ['no list', { op: 'add' }, 'must be an array'],
    ['an unknown operation', [{ op: 'merge', path: '/a' }], 'must be add'],
    ['a path without a value', [{ op: 'remove', path: '/x' }], 'found no value at "/x"'],
    ['a parent that is not there', [{ op: 'add', path: '/x/y', value: 1 }], 'found no value at "/x/y"'],
    ['an index past the end', [{ op: 'add', path: '/list/7', value: 1 }], 'found no value at "/list/7"'],
    ['a failed test', [{ op: 'test', path: '/a', value: 2 }], 'found another value at "/a"'],
    ['a move without from', [{ op: 'move', path: '/a' }], 'has no from'],
    ['an operation without path', [{ op: 'remove' }], 'has no path'],
    ['an addition without a value', [{ op: 'add', path: '/b' }], 'has no value'],
    ['a test of what is not there', [{ op: 'test', path: '/x' }], 'has no value'],
    ['an index with a leading zero', [{ op: 'add', path: '/list/00', value: 1 }], 'found no value at "/list/00"'],
    ['an index that is no number', [{ op: 'add', path: '/list/', value: 1 }], 'found no value at "/list/"'],
  ])('%s cannot be applied', (_, operations, message) => {
    const result = applyJsonPatch({ a: 1, list: [1] }, operations);
    expect('mistake' in result ? result.mistake : undefined).toContain(message);
  });
});

describe('a JSON Patch of another media type', () => {
  it.each([
    ['adds what it replaces', [{ op: 'replace', path: '/b', value: 2 }], { a: 1, list: [1], b: 2 }],
    ['removes nothing that is absent', [{ op: 'remove', path: '/b' }], { a: 1, list: [1] }],
    [
      'leaves out a path that is not one of the item',
      [
        { op: 'replace', path: "/units/@id=='default'/amount", value: 2 },
        { op: 'replace', path: '/a', value: 2 },
      ],
      { a: 2, list: [1] },
    ],
    ['replaces no element that is absent', [{ op: 'replace', path: '/list/7', value: 2 }], { a: 1, list: [1] }],
  ])('%s', (_, operations, item) => {
    expect(applyJsonPatch({ a: 1, list: [1] }, operations, true)).toEqual({ item });
  });

  it('still fails where a test fails', () => {
    const patch = [{ op: 'test', path: '/a', value: 2 }];
    expect(applyJsonPatch({ a: 1 }, patch, true)).toEqual({ mistake: expect.stringContaining('found another value') });
  });

  it.each([
    [[{ op: 'add', path: '/a', value: 1 }], true],
    [[], false],
    [[{ op: 'add' }], false],
    [[{ op: 'add', path: '/a' }, { name: 'a' }], false],
    [{ op: 'add', path: '/a' }, false],
  ])('is an array of operations: %j', (body, want) => expect(isJsonPatch(body)).toBe(want));
});

describe('a JSON Patch with thousands of operations', () => {
  const wide = Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`k${i}`, i]));

  it('costs no more than the operations and what they change', { tags: 'slow' }, () => {
    const add = Array.from({ length: 20_000 }, (_, i) => ({ op: 'add', path: `/a/k${i}`, value: i }));
    const move = add.map(({ path }) => ({ op: 'move', from: path, path: `${path}x` }));
    expect(applyJsonPatch({ a: {} }, add)).toEqual({ item: { a: wide } });
    const moved = applyJsonPatch({ a: wide }, move);
    expect('item' in moved && Object.keys(moved.item['a'] as object)).toHaveLength(20_000);
  });

  it('is refused where each operation copies or compares a large value', { tags: 'slow' }, () => {
    const test = Array.from({ length: 500 }, () => ({ op: 'test', path: '/a', value: wide }));
    const copy = Array.from({ length: 500 }, () => ({ op: 'copy', from: '/a', path: '/b' }));
    for (const operations of [test, copy]) {
      const result = applyJsonPatch({ a: wide }, operations);
      expect('mistake' in result && result.mistake).toMatch(/copies, moves or compares more than 2000000 values$/);
    }
  });

  it('moves nothing into itself', () => {
    const result = applyJsonPatch({ a: { b: 1 } }, [{ op: 'move', from: '', path: '/c' }]);
    expect('mistake' in result && result.mistake).toContain('found no value at ""');
  });
});

describe('a JSON Patch that copies the whole into itself', () => {
  it('is refused before it fills the memory', () => {
    const operations = Array.from({ length: 60 }, (_, i) => ({ op: 'copy', from: '', path: `/copy${i}` }));
    expect(applyJsonPatch({ a: 1 }, operations)).toEqual({
      mistake: expect.stringMatching(
        /^operation \d+ of the patch \(copy\) makes the item larger than 100000 values$/,
      ) as string,
    });
    expect(applyJsonPatch({ a: [1] }, operations.slice(0, 3))).toMatchObject({
      item: { copy2: { copy1: { copy0: { a: [1] } } } },
    });
  });
});
