import { expect, it } from 'vitest';
import { mergePatch } from '../../src/base/json.js';

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
])('a merge patch %j with %j is %j', (target, patch, want) => {
  expect(mergePatch(target, patch)).toEqual(want);
});

it('a merge patch sets a member called __proto__ of the value only', () => {
  const patch: unknown = JSON.parse('{"__proto__":{"admin":true},"constructor":{"name":"x"}}');
  const merged = mergePatch({ a: 1 }, patch) as Readonly<Record<string, unknown>>;
  expect(merged['admin']).toBeUndefined();
  expect(JSON.stringify(merged)).toBe('{"a":1,"__proto__":{"admin":true},"constructor":{"name":"x"}}');
});
