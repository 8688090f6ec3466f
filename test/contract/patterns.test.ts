import { expect, it } from 'vitest';
import { readPattern } from '../../src/contract/upgrade/patterns.js';

const READ: readonly (readonly [pattern: string, matches: readonly string[], misses: readonly string[]])[] = [
  ['^[\\w-.]+$', ['a-b.c'], ['a b']],
  ['^\\p{L}+$', ['äß'], ['a1']],
  ['^\\u{1F600}$', ['😀'], ['u']],
  ['^[\\p{L}_-]+$', ['é_-'], ['1']],
  ['(?i)^abc$', ['ABC', 'abc'], ['abd']],
  ['^(?i)abc$', ['ABC'], ['xabc']],
  ['\\A[a-z]+\\z', ['abc'], ['abc1', 'ABC']],
  ['\\A[a-z]+\\Z', ['abc', 'abc\n'], ['abc1']],
  ['^a++b$', ['aab'], ['b']],
  ['^[a-z]*+$', ['abc'], ['1']],
  ['^(?P<year>\\d{4})$', ['2026'], ['26']],
  ['^(?>a|b)c$', ['ac', 'bc'], ['cc']],
  ['^[[:alpha:]]+$', ['abc'], ['1']],
  ['^[^\\x00-\\x1f]*$', ['abc'], ['\u0001']],
  ['/^[0-9]{4}[a-z]$/i', ['1234B'], ['x1234b', '/1234b/']],
  ['/^abc/', ['abcd'], ['/abc/']],
  ['/\\d+$/u', ['a12'], ['12a']],
  ['/pub/[a-z]+', ['/pub/abc'], ['pub/abc']],
  ['/[a-z]+/', ['/abc/'], ['abc']],
  ['a{,3}b', ['a{,3}b'], ['b']],
];

it.each(READ)('a pattern %s is read as it was meant', (pattern, matches, misses) => {
  const { pattern: expression, remark } = readPattern(pattern);
  expect(remark).toBeUndefined();
  for (const text of matches) expect(expression.test(text), text).toBe(true);
  for (const text of misses) expect(expression.test(text), text).toBe(false);
});

it.each(['(unclosed', '[z-a]', '^(?<a>x)(?<a>y)$', 'a**'])(
  'a pattern %s matches every string, with a remark',
  (pattern) => {
    const { pattern: expression, remark } = readPattern(pattern);
    expect(remark).toMatch(/not a valid regular expression/);
    expect(expression.test('anything')).toBe(true);
  },
);
