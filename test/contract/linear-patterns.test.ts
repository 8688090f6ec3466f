import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isDeterministic } from '../../src/contract/patterns/backtracking.js';
import { createBudgetedTest } from '../../src/contract/patterns/budgeted-matcher.js';
import { guardPattern, hasLinearTest } from '../../src/contract/patterns/guarded-pattern.js';
import { createLinearTest } from '../../src/contract/patterns/linear-matcher.js';
import { LimitError } from '../../src/base/errors.js';

const LONG = 1_000_000;
const a = 'a'.repeat(LONG);

/** With the engine of the platform each takes from seconds to longer than the universe exists. */
const HOSTILE: readonly (readonly [source: string, flags: string, text: string, matches: boolean])[] = [
  ['^(a+)+$', '', `${a}!`, false],
  ['^(a+)+$', 'i', `${a}!`, false],
  ['^(\\w+\\s?)*$', '', `${a}!`, false],
  ['^(\\p{L}+\\s?)*$', 'u', `${a}!`, false],
  ['^(.*a){25}$', '', `${a}!`, false],
  ['^(.*a){25}$', '', a, true],
  ['^(a{1,50}){1,50}$', '', a, false],
  ['^(a{1,50}){1,50}$', '', 'a'.repeat(2500), true],
  ['^(?=.*\\d)(?=(a+)+$).{8,}$', '', `${a}!`, false],
  ['^(?!(a+)+$)', '', `${a}!`, true],
  ['(?<=^(a+)+)b', '', `${a}c`, false],
  ['(a|a)*b', '', a, false],
  ['a*a*a*a*b', '', a, false],
  ['[^@]+@[^@]+\\.[^@]+$', '', `a@${'.'.repeat(LONG)}@`, false],
  ['(a|b)*a(a|b){15}$', '', 'ab'.repeat(LONG / 2), true],
  ['\\b(\\w+)+\\b!', '', a, false],
];

describe('a pattern that backtracks', () => {
  it.each(HOSTILE)('/%s/%s decides a string of any length', (source, flags, text, matches) => {
    const expression = new RegExp(source, flags);
    expect(hasLinearTest(expression)).toBe(true);
    expect(guardPattern(expression).test(text)).toBe(matches);
  });

  it('with a back reference has a limit of steps', () => {
    const pattern = guardPattern(/^(a+)+\1$/);
    expect(hasLinearTest(/^(a+)+\1$/)).toBe(false);
    expect(pattern.test('aaaa')).toBe(true);
    expect(() => pattern.test(`${'a'.repeat(60)}!`)).toThrow('61 characters need more than 200000 steps');
    expect(() => guardPattern(/^(?:(a)\1)*$/).test('a'.repeat(100_000))).toThrow('too many repetitions');
    expect(pattern.test('b')).toBe(false);
    // A quoted string of any usual length needs few steps.
    expect(guardPattern(/^(["']).*\1$/).test(`"${'a'.repeat(100_000)}"`)).toBe(true);
  });

  it('with a million repetitions inside each other has a limit of steps', () => {
    const pattern = guardPattern(/^((ab?){1,1000}){1,1000}$/);
    expect(pattern.test('abaab')).toBe(true);
    expect(() => pattern.test(`${'a'.repeat(60)}!`)).toThrow(LimitError);
  });

  it('reports how much it costs, where that is not the length of the string', () => {
    let work = 0;
    const pattern = guardPattern(/^(a|b)*a(a|b){20}$/, (more) => void (work += more));
    pattern.test('abba'.repeat(10));
    expect(work).toBeGreaterThan(10);
    const before = work;
    // The states are known now.
    pattern.test('abba'.repeat(10));
    expect(work).toBe(before);
  });
});

describe('a pattern that cannot backtrack', () => {
  it.each([
    '^[a-z]+$',
    '^[a-z0-9]+(?:-[a-z0-9]+)*$',
    '^https?:\\/\\/.+$',
    '^\\d{4}-\\d{2}-\\d{2}$',
    '^[A-Z]{1,100000}$',
    '^file-[A-Za-z0-9]{8,64}$',
    '^(cat|dog)_[0-9a-f]{24}$',
    '^[^\\s]+$',
    '[A-Z]{3}',
  ])('%s stays with the engine of the platform', (source) => {
    const expression = new RegExp(source);
    expect(guardPattern(expression)).toBe(expression);
  });

  it.each(['^(a+)+$', '^(a|a)*$', '(\\w+)!', '^[a-z]*[a-z0-9]*$', '^(a?){50}$', '^\\w+\\d$', 'a*b', '^(\\d|[0-9])*$'])(
    '%s is not one',
    (source) => {
      expect(isDeterministic(new RegExp(source))).toBe(false);
    },
  );
});

/** Compares a matcher with the engine of the platform. */
function compare(create: (expression: RegExp) => ((text: string) => boolean) | undefined) {
  return (source: string, flag: string, samples: readonly string[]): void => {
    let expression: RegExp;
    try {
      expression = new RegExp(source, flag);
    } catch {
      return;
    }
    const test = create(expression);
    for (const text of samples) {
      expect(test?.(text), `${String(expression)} ${JSON.stringify(text)}`).toBe(expression.test(text));
    }
  };
}

const LEAVES = '^ $ . a b c A K k \\d \\w \\s \\W \\b \\B \\n [ab] [^a] [a-c] [k-t] [^] é 1 _ ſ'.split(' ');
const expressions = fc.letrec<{ source: string }>((tie) => ({
  source: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom(...LEAVES),
    fc.array(tie('source'), { minLength: 2, maxLength: 3 }).map((parts) => parts.join('')),
    fc.tuple(tie('source'), tie('source')).map(([one, other]) => `(${one}|${other})`),
    fc
      .tuple(tie('source'), fc.constantFrom('*', '+', '?', '{2}', '{1,3}', '{0,2}', '{2,}', '*?', '+?'))
      .map(([one, count]) => `(?:${one})${count}`),
    fc.tuple(tie('source'), fc.constantFrom('(?=', '(?!', '(?<=', '(?<!')).map(([one, look]) => `${look}${one})`),
  ),
})).source;
const texts = fc.array(fc.stringMatching(/^[abcAkKsſ1 \n_é.]{0,9}$/), { minLength: 8, maxLength: 8 });
const flags = fc.constantFrom('', 'i', 'm', 's', 'u', 'iu', 'im');

describe('the linear matcher', () => {
  it('agrees with the engine of the platform', { tags: 'slow' }, () => {
    fc.assert(fc.property(expressions, flags, texts, compare(createLinearTest)), { numRuns: 300 });
  });

  it.each([
    ['characters of two code units', '^[😀a]+$', 'u', ['😀a😀', 'b']],
    ['Unicode classes', '^\\p{Lu}\\p{Ll}*$', 'u', ['Émile', 'émile']],
    ['escapes', '^\\x41\\u0042\\t\\/\\.$', '', ['AB\t/.', 'AB\t/x']],
    ['braces that are characters', '^a{,3}b$', '', ['a{,3}b', 'aab']],
    ['named groups', '^(?<year>\\d+)-(?<month>\\d+)$', '', ['2026-11', '2026']],
    ['classes with brackets and dashes', '^[\\]\\-x]+$', '', [']-x', 'y']],
    ['lines', '^b$', 'm', ['a\nb', 'ab']],
    [
      'look-around that is repeated',
      '^(?:(?:(?:(?=a)(?!b).|b){0,2}){1,3}){1,3}$',
      '',
      ['ab'.repeat(9), 'ab'.repeat(10)],
    ],
    ['look-around in look-around', '^(?=a(?!b))(?<!x(?<=y))a', '', ['ac', 'ab']],
  ])('reads %s', (_name, source, flag, [right, wrong]) => {
    const test = createLinearTest(new RegExp(source, flag));
    expect([test?.(right ?? ''), test?.(wrong ?? '')]).toEqual([true, false]);
  });

  it.each(['(a)\\1', '(?<x>a)\\k<x>', '^(a{1,999}b?){1,999}$'])('leaves %s to the budgeted matcher', (source) => {
    expect(createLinearTest(new RegExp(source))).toBeUndefined();
  });

  it.each([
    ['octal codes', '^\\012\\1\\0$', '\n\u0001\0', '12'],
    ['a number of no group', '^(a)\\2\\9$', 'a\u00029', 'aa'],
    ['control characters without a letter', '^\\c!$', '\\c!', 'c!'],
    ['a name of no group', '^\\k<x>$', 'k<x>', ''],
    ['classes of Unicode without the flag', '^\\p{2}$', 'pp', 'p{2}'],
    ['the code units of a character', '^[😀]{2}$', '😀', 'a'],
  ])('reads %s', (_name, source, right, wrong) => {
    const [expression, test] = [new RegExp(source), createLinearTest(new RegExp(source))];
    expect([expression.test(right), expression.test(wrong)]).toEqual([true, false]);
    expect([test?.(right), test?.(wrong)]).toEqual([true, false]);
  });
});

const REFERENCES = [...LEAVES, '\\1', '\\1', '\\2', '\\k<n>', '(a|b)', '(?<n>.)', '(?:(a)|b)+'];
const withReferences = fc
  .array(fc.tuple(fc.constantFrom(...REFERENCES), expressions), { minLength: 1, maxLength: 3 })
  .map((parts) => `(${parts.flat().join('')})`);

describe('the budgeted matcher', () => {
  it('agrees with the engine of the platform', { tags: 'slow' }, () => {
    const isLazy = /[*+?}]\?/;
    const check = compare(createBudgetedTest);
    fc.assert(
      fc.property(withReferences, flags, texts, (source, flag, samples) => {
        if (!isLazy.test(source)) check(source, flag, samples);
      }),
      { numRuns: 1000 },
    );
  });

  it.each([
    ['a date with one separator', '^\\d{4}([-/.])\\d\\d\\1\\d\\d$', '', ['2026-11-28', '2026-11/28']],
    ['a named group', '^(?<quote>["\'])[^]*\\k<quote>$', '', ['"a\nb"', '"a\'']],
    ['a group that did not match', '^(?:(a)|b)\\1$', '', ['b', 'a']],
    ['a group of an earlier repetition', '^(?:(a)|b)*\\1$', '', ['ab', 'abc']],
    ['a group in look-ahead', '^(?=(a+))\\1b$', '', ['aab', 'a']],
    ['look-behind', '^.*(?<=\\1(.))$', '', ['abb', 'aba']],
    ['letters of both cases', '^(é)\\1$', 'i', ['éÉ', 'ée']],
    ['letters beyond ASCII as others than those of ASCII', '^(.)\\1$', 'i', ['sS', 'ſs']],
    ['letters of Unicode that have one case', '^(.)\\1$', 'iu', ['ſs', 'ßs']],
    ['lines', '^(.)\\1$', 'm', ['ab\ncc\n', 'ab\nac']],
  ])('reads %s', (_name, source, flag, [right, wrong]) => {
    const expression = new RegExp(source, flag);
    const test = createBudgetedTest(expression);
    expect([expression.test(right ?? ''), expression.test(wrong ?? '')]).toEqual([true, false]);
    expect([test(right ?? ''), test(wrong ?? '')]).toEqual([true, false]);
  });
});
