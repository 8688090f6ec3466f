import { describe, expect, it } from 'vitest';
import { applyJsonPatch, mergePatch } from '../../src/state/patch.js';

describe('a merge patch', () => {
  // RFC 7386, appendix A.
  it.each([
    [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
    [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
    [{ a: 'b' }, { a: null }, {}],
    [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
    [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
    [{ a: 'c' }, { a: ['b'] }, { a: ['b'] }],
    [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
    [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
    [
      ['a', 'b'],
      ['c', 'd'],
      ['c', 'd'],
    ],
    [{ a: 'b' }, ['c'], ['c']],
    [{ a: 'foo' }, null, null],
    [{ a: 'foo' }, 'bar', 'bar'],
    [{ e: null }, { a: 1 }, { e: null, a: 1 }],
    [[1, 2], { a: 'b', c: null }, { a: 'b' }],
    [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
  ])('%j with %j is %j', (target, patch, want) => {
    expect(mergePatch(target, patch)).toEqual(want);
  });
});

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
    ['no list', { op: 'add' }, 'is a list'],
    ['an unknown operation', [{ op: 'merge', path: '/a' }], 'is none of add'],
    ['a path that leads nowhere', [{ op: 'remove', path: '/x' }], 'finds nothing at "/x"'],
    ['a parent that is not there', [{ op: 'add', path: '/x/y', value: 1 }], 'finds nothing at "/x/y"'],
    ['an index past the end', [{ op: 'add', path: '/list/7', value: 1 }], 'finds nothing at "/list/7"'],
    ['a failed test', [{ op: 'test', path: '/a', value: 2 }], 'finds another value at "/a"'],
    ['a move without from', [{ op: 'move', path: '/a' }], 'has no from'],
    ['an operation without path', [{ op: 'remove' }], 'has no path'],
  ])('%s cannot be applied', (_, operations, message) => {
    const result = applyJsonPatch({ a: 1, list: [1] }, operations);
    expect('mistake' in result ? result.mistake : undefined).toContain(message);
  });
});
