import { serialize } from 'node:v8';
import { expect, it } from 'vitest';
import { parseText } from '../../src/contract/load/parse.js';

it.each([
  ['plain and quoted values', 'wide text: 東京 …\nplain text: narrow text\nquoted text: "narrow text"\n'],
  ['block scalars', 'wide text: “quoted”\nblock text: |\n  narrow text\n'],
  ['keys', '東京: 1\nnarrow name: 2\n'],
])('V8 stores one byte a character of %s that need no more', (_name, text) => {
  const value = parseText(text, 'a.yaml').value as Record<string, unknown>;
  const strings = [...Object.keys(value), ...Object.values(value).filter((each) => typeof each === 'string')];
  const narrow = strings.filter((each) => /^[ -~\n]*$/.test(each));
  expect(narrow.length).toBeGreaterThan(0);
  // The serializer writes a string as V8 stores it.
  expect(narrow.filter((each) => serialize(each).byteLength >= 2 * each.length)).toStrictEqual([]);
});
