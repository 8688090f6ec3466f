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

it.each<readonly [boolean, readonly string[]]>([
  [
    true,
    [
      'ann@corp.example',
      'ann@intranet',
      'a.n-n+tag@a-b.c1',
      "!#$%&'*+-/=?^_`{|}~@x",
      '"ann smith"@corp.example',
      '"a@b"@corp.example',
      '"a\\"b..c"@corp.example',
      '""@corp.example',
      'ann@[192.0.2.7]',
      'ann@[IPv6:2001:db8::7]',
      'ANN@CORP.EXAMPLE',
    ],
  ],
  [
    false,
    [
      '',
      'ann',
      '@corp.example',
      'ann@',
      'ann@x@corp.example',
      'ann smith@corp.example',
      '.ann@corp.example',
      'ann.@corp.example',
      'an..n@corp.example',
      '"ann@corp.example',
      '"a"b@corp.example',
      'ann@corp..example',
      'ann@-corp.example',
      'ann@corp-.example',
      'ann@corp_x.example',
      'ann@[192.0.2.700]',
      'ann@[2001:db8::7]',
      'ann@corp.example\n',
      'ä@corp.example',
    ],
  ],
])('format email is a mailbox of RFC 5321: %s', (isMail, texts) => {
  const format = readFormatCheck('email');
  if (format?.type !== 'string') throw new Error('format email has no check of strings');
  expect(texts.filter((text) => format.check(text) !== isMail)).toEqual([]);
});
