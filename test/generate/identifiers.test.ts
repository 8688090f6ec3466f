import { describe, expect, it } from 'vitest';
import {
  createIdGenerator,
  createImitation,
  createLikeExample,
  pickUuid,
} from '../../src/generate/text/identifiers.js';
import { createPatternGenerator, readPattern, type TextGenerator } from '../../src/generate/text/pattern.js';
import { createRandom } from '../../src/base/random.js';

/** Several strings, each from a random stream of its own. */
function sample(generate: TextGenerator | undefined): readonly string[] {
  if (generate === undefined) return [];
  return Array.from({ length: 20 }, (_, i) => generate(createRandom(1, `sample ${i}`)));
}

describe('a pattern', () => {
  it.each([
    '^key_[0-9A-Za-z]{24}$',
    String.raw`^sk-admin-[0-9A-Za-z]{48}$`,
    String.raw`^\d{8}-[a-f0-9]{4}$`,
    String.raw`^[\w-]{3,9}$`,
    '^a+b*c?$',
    String.raw`^v\d+\.\d+$`,
    '^[A-Z]{2}[^]?',
    '^(a|b)$',
    '^a(?=b)',
    '^[^x]{3}$',
    String.raw`^\p{L}+$`,
    '^a.b$',
    '^(cus|acct)_[0-9a-z]+$',
    '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$',
  ])('%s has strings that match it', (pattern) => {
    const values = sample(createPatternGenerator(readPattern(pattern)));
    expect(values).toHaveLength(20);
    for (const value of values) expect(readPattern(pattern).expression.test(value), value).toBe(true);
  });

  it.each([String.raw`^a\bb$`, 'a^b'])('%s has none', (pattern) => {
    expect(createPatternGenerator(readPattern(pattern))).toBeUndefined();
  });

  it.each(['^[0-9a-f]{12}$', '^[a-z]+$', '^(cus|acct)_[0-9a-z]+$'])('%s has different ones', (pattern) => {
    expect(new Set(sample(createPatternGenerator(readPattern(pattern)))).size).toBe(20);
  });

  it('decides over an example that does not match it', () => {
    const schema = { type: 'string', pattern: '^(cus|acct)_[0-9]{4}$', example: 'cus_1234' };
    for (const value of sample(createIdGenerator(schema))) expect(value).toMatch(/^(cus|acct)_[0-9]{4}$/);
  });
});

describe('an example', () => {
  it.each([
    ['key_Zr3Vt8Kq1Xw6Ym0Bn5Gd2Hs9', /^key_[0-9A-Za-z]{24}$/],
    ['file-abc123', /^file-[0-9A-Za-z]{24}$/],
    ['thread_run_1', /^thread_run_\d{24}$/],
    ['12345', /^\d{10}$/],
    ['0f8fad5b-d9cb-469f-a165-70867728950e', /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/],
    ['5f4dcc3b5aa765d61d8327deb882cf99', /^[0-9a-f]{32}$/],
  ])('%s gives ids like it', (example, want) => {
    const values = sample(createLikeExample(example));
    expect(values).toHaveLength(20);
    for (const value of values) expect(value).toMatch(want);
  });

  it.each(['Main Admin Key', 'hello', '', 'a@b.c'])('%j is not an id', (example) => {
    expect(createLikeExample(example)).toBeUndefined();
  });

  it.each([
    ['cus_NffrFeUfNV2Hib', /^cus_[A-Z][a-z]{3}[A-Z][a-z][A-Z][a-z][A-Z]{2}\d[A-Z][a-z]{2}$/],
    ['ab12-34', /^[a-z]{2}\d{2}-\d{2}$/],
    ['deadbeef01', /^[0-9a-f]{10}$/],
  ])('%s is imitated character by character', (example, want) => {
    for (const value of sample(createImitation(example))) expect(value).toMatch(want);
  });
});

it('a UUID is of version 4', () => {
  for (const value of sample(pickUuid))
    expect(value).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
});
