import { describe, expect, it } from 'vitest';
import { readPattern } from '../../src/generate/text/pattern.js';
import { createRandom } from '../../src/base/random.js';

const PATTERNS: readonly string[] = [
  '^[a-z]{3}$',
  '^[A-Z]{2}-\\d{4}$',
  '^\\+?[1-9]\\d{1,14}$',
  '^(?:red|green|blue)$',
  'abc',
  '^abc',
  'abc$',
  '^$',
  '^\\d+(\\.\\d{1,2})?$',
  '^(\\d{3})-\\1$',
  '^(?<year>\\d{4})/\\k<year>$',
  '^(?=.*\\d)(?=.*[a-z])(?=.*[A-Z]).{8,}$',
  '^(?!admin)[a-z]{3,8}$',
  '^\\p{Lu}\\p{Ll}+$',
  '^[\\p{L}\\p{N}_-]{1,20}$',
  '^[^/\\s]+/[^/\\s]+$',
  '^[\\w.%+-]+@[\\w.-]+\\.[A-Za-z]{2,}$',
  '^#([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$',
  '^(([0-9]|[1-9][0-9]|1[0-9]{2}|2[0-4][0-9]|25[0-5])\\.){3}([0-9]|[1-9][0-9]|1[0-9]{2}|2[0-4][0-9]|25[0-5])$',
  '^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$',
  '^arn:aws:[a-z0-9-]+:[a-z0-9-]*:\\d{12}:.+$',
  '^\\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\\d|3[01])$',
  '^([01]\\d|2[0-3]):[0-5]\\d(:[0-5]\\d)?$',
  '^[\\w-.]+$',
  '^(a|b)*c+?d{0,2}$',
  '^\\S+ \\S+$',
  '^[^\\x00-\\x7F]+$',
  '^\\u{1F600}$',
  '\\bword\\b',
  '^v?\\d+(?:\\.\\d+){2}(?:-[\\w.]+)?$',
  '^[ -~]*$',
  '^[\\]\\[^]$',
  '^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$',
  '(?i)^(yes|no)$',
  '\\A[a-z]+\\z',
  '^[🐀-🐿]{3}$',
  '^[🐕🐈].$',
  '^\\uD83D\\uDC15{2}$',
  '^[^\\x00-\\u{FFFF}]{2}$',
  '^\\p{Alnum}{4}\\P{Alnum}$',
  '^[\\p{IsCyrillic}\\p{Punct}]{5}$',
  '^\\p{Han}+$',
];

describe('a string of a pattern', () => {
  it.each(PATTERNS)('%s matches it, with any seed', (source) => {
    const pattern = readPattern(source);
    for (let seed = 0; seed < 25; seed++) {
      const text = pattern.sample(createRandom(seed, source), 0, Infinity);
      expect(text).toBeDefined();
      expect(pattern.expression.test(text ?? ''), text).toBe(true);
    }
  });

  const LENGTHS: readonly (readonly [source: string, minimum: number, maximum: number])[] = [
    ['^[a-z]+$', 30, 30],
    ['^[a-z]*$', 0, 1],
    ['^(ab|cde)+$', 7, 9],
    ['^[A-Za-z0-9_-]{1,64}$', 60, 64],
    ['abc', 500, 600],
    ['^abc', 20, 20],
    ['abc$', 20, 20],
    ['^x(yz)*$', 9, 9],
    ['^\\d{3,}-[a-z]{2,}$', 40, 41],
    ['^.*$', 5000, 5000],
    ['^(?=.*\\d).{4,}$', 12, 12],
  ];

  it.each(LENGTHS)('%s has between %i and %i characters if required', (source, minimum, maximum) => {
    const pattern = readPattern(source);
    for (let seed = 0; seed < 10; seed++) {
      const text = pattern.sample(createRandom(seed, source), minimum, maximum) ?? '';
      expect(pattern.expression.test(text ?? ''), text).toBe(true);
      expect(text.length).toBeGreaterThanOrEqual(minimum);
      expect(text.length).toBeLessThanOrEqual(maximum);
    }
  });

  it('depends on the seed', () => {
    const pattern = readPattern('^[a-z]{12}$');
    const sample = (seed: number): string | undefined => pattern.sample(createRandom(seed, 'key'), 0, Infinity);
    expect(sample(1)).toBe(sample(1));
    expect(sample(1)).not.toBe(sample(2));
  });

  it.each(['.^', '^(?!a)a$', '[^\\s\\S]'])(
    '%s has none, and that is said instead of searched for without end',
    (source) => {
      expect(readPattern(source).sample(createRandom(1, source), 0, Infinity)).toBeUndefined();
    },
  );

  it('a pattern that cannot be read accepts any string', () => {
    expect(readPattern('^(?<!(').sample(createRandom(1, 'x'), 3, 10)).toHaveLength(3);
  });
});
