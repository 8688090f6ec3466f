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
  // A character above U+FFFF is one.
  ['^.{2}$', ['😀b', '😀😀', 'ab'], ['😀', '😀😀😀']],
  ['^[^,;]{1,2}$', ['🎉🎉', 'a'], ['🎉,', '🎉🎉🎉', '']],
  ['^\\S{2}\\s\\D$', ['🎉a 🎉'], ['🎉 a', 'abc d']],
  ['^[🐀-🐿]+$', ['🐕🐈'], ['🙂', 'a', '\ud83d']],
  ['^[🐕🐈]$', ['🐕'], ['🙂', '\ud83d', '🐕🐕']],
  ['^\\uD83D\\uDC15{2}$', ['🐕🐕'], ['🐕', '🐕\udc15']],
  ['(?i)^é.$', ['É🐕'], ['É']],
  // Escapes and ranges that the flag u refuses.
  ['^[^\\@\\_\\-]{2}$', ['🐕🐈', 'ab'], ['a@', 'a-', 'a_', '🐕']],
  ['^.\\-.\\@[\\w-.]{1}$', ['🐕-🐈@.', 'a-b@-'], ['a-b@', '🐕@🐈-.']],
  ['^[+-\\d.]*.$', ['+1-🐕'], ['a1']],
  ['^[^]{1}$', ['🐕', '\n'], ['', 'ab']],
  ['^.{1,2}{$', ['🐕{'], ['🐕']],
  // Classes of Java and POSIX.
  ['^\\p{Alnum}+$', ['aZ9'], ['é', '_', '']],
  ['^\\P{Alnum}+$', ['é_🐕'], ['a']],
  ['^[\\p{Alnum}_\\-]+$', ['a-1_'], ['a b']],
  ['^[^\\p{Punct}\\s]+$', ['aé🐕'], ['a!', 'a b']],
  ['^[\\P{Digit}x]$', ['é', 'x'], ['1']],
  [
    '^\\p{Lower}\\p{Upper}\\p{ASCII}\\p{Digit}\\p{XDigit}\\p{Blank}\\p{Punct}$',
    ['aA~9f\t[', 'zZa0A !'],
    ['aaaa', 'aA~9g !'],
  ],
  ['^\\p{Graph}\\p{Print}\\p{Cntrl}\\p{Space}$', ['! \u0001\u000b'], [' !\u0001 ']],
  ['^\\p{javaLowerCase}\\p{javaUpperCase}\\p{javaLetterOrDigit}\\p{javaWhitespace}$', ['éÉ٣\t'], ['Éé1 ']],
  ['^[\\p{javaLetter}.]+$', ['é.ж'], ['1']],
  ['^\\p{IsLatin}+$', ['abé'], ['ж', '1']],
  ['^\\P{IsLatin}+$', ['ж1'], ['a']],
  ['^[\\p{IsGreek}\\p{IsCyrillic} ]+$', ['αβ жя'], ['a']],
  ['^\\p{script=Han}\\p{sc=HIRAGANA}\\p{Hangul}$', ['漢ひ한'], ['ひ漢한']],
  ['^\\p{IsAlphabetic}\\p{IsLu}\\p{IsWhite_Space}$', ['éÉ '], ['é1 ']],
  ['^\\p{InCyrillic}\\p{InBasic_Latin}\\p{block=Arrows}\\p{InGreek}$', ['жa→α'], ['aa→α']],
  ['^\\p{L1}\\P{InBASIC_LATIN}$', ['éж'], ['жa']],
  ['^\\pL\\PN[\\pN_]$', ['éa1', 'é🐕_'], ['1a1', 'a11']],
  ['^\\p{^Alpha}\\p{^Alnum}$', ['1_'], ['a1']],
  ['^[[:punct:][:blank:]]+[[:^digit:]]$', ['! a', '\t?é'], ['a1', '!1']],
  ['^[:alpha:]{2}$', ['ab'], ['a', '12']],
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
