import { describe, expect, it } from 'vitest';
import { createRandom } from '../../src/random.js';
import { makeUuid, readExample, readPattern, type TextForm } from '../../src/state/store/identity.js';

/** Several values of a form, each from a stream of its own. */
function sample(form: TextForm | undefined): readonly string[] {
  if (form === undefined) return [];
  return Array.from({ length: 20 }, (_, i) => form(createRandom(1, `sample ${i}`)));
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
  ])('%s makes values that match it, or none', (pattern) => {
    for (const value of sample(readPattern(pattern))) expect(value).toMatch(new RegExp(pattern));
  });

  it.each(['^(a|b)$', '^a(?=b)', '^[^x]{3}$', String.raw`^\p{L}+$`, '^a.b$'])('%s is left to others', (pattern) => {
    expect(readPattern(pattern)).toBeUndefined();
  });

  it('with many values makes different ones', () => {
    expect(new Set(sample(readPattern('^[0-9a-f]{12}$'))).size).toBe(20);
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
  ])('%s makes values of its form', (example, want) => {
    const values = sample(readExample(example));
    expect(values).toHaveLength(20);
    for (const value of values) expect(value).toMatch(want);
  });

  it.each(['Main Admin Key', 'hello', '', 'a@b.c'])('%j shows no form', (example) => {
    expect(readExample(example)).toBeUndefined();
  });
});

it('a UUID is of version 4', () => {
  for (const value of sample(makeUuid))
    expect(value).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
});
