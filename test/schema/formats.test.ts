import { fullFormats } from 'ajv-formats/dist/formats.js';
import { expect, it } from 'vitest';
import { readFormatCheck } from '../../src/schema/checker/formats.js';

const TEXTS = [
  'https://example.com',
  'https://example.com/',
  'HTTP://EXAMPLE.com:8080/a/b-c_d~e?q=1&r=a/b',
  'https://user@example.com/',
  'https://example.com/%41?x=%20#top',
  'https://example.com/%4',
  'https://example.com/a b',
  'https://example.com/ü',
  'https://example.com\n',
  'https://a_b.example/',
  'https://:80/',
  'https://',
  'https:///path',
  'https://example.com:port/',
  'http://[2001:db8::1]/',
  'http://192.168.0.1/x',
  'urn:isbn:0451450523',
  'mailto:ada@example.com',
  'a+b.c-d://x',
  '1a://x',
  '://x',
  '//example.com/a',
  '/a/b',
  'example.com',
  '',
];

it('format uri accepts what the expression of ajv-formats accepts', () => {
  const format = readFormatCheck('uri');
  if (format?.type !== 'string') throw new Error('format uri has no check of strings');
  const expected = fullFormats.uri as (text: string) => boolean;
  const decided = TEXTS.map((text) => [text, format.check(text)]);
  expect(decided).toEqual(TEXTS.map((text) => [text, expected(text)]));
  // The list has both.
  expect(new Set(decided.map(([, isUri]) => isUri)).size).toBe(2);
});
