import { describe, expect, it } from 'vitest';
import { negotiate } from '../../src/http/response/negotiate.js';

const JSON_TYPE = 'application/json';
const XML = 'application/xml';
const PNG = 'image/png';
const BYTES = 'application/octet-stream';

const TABLE: readonly (readonly [
  name: string,
  accept: string | null,
  offered: readonly string[],
  want: string | undefined,
])[] = [
  ['no header takes the first', null, [JSON_TYPE, XML], JSON_TYPE],
  ['an empty header takes the first', '', [JSON_TYPE, XML], JSON_TYPE],
  ['a star takes the first', '*/*', [JSON_TYPE, XML], JSON_TYPE],
  ['the exact type', XML, [JSON_TYPE, XML], XML],
  ['case does not count', 'Application/XML', [JSON_TYPE, XML], XML],
  ['a range', 'image/*', [JSON_TYPE, PNG], PNG],
  ['the higher quality', 'application/json;q=0.5, application/xml;q=0.9', [JSON_TYPE, XML], XML],
  ['equal qualities take the first offered', 'application/xml, application/json', [JSON_TYPE, XML], JSON_TYPE],
  ['quality zero rules out', 'application/json;q=0, */*', [JSON_TYPE, XML], XML],
  [
    'the most precise range decides',
    'text/*;q=0.9, text/plain;q=0.1, text/html',
    ['text/plain', 'text/html'],
    'text/html',
  ],
  ['what browsers send', 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', [JSON_TYPE], JSON_TYPE],
  ['nothing in common', 'text/html', [JSON_TYPE], undefined],
  ['nothing offered', '*/*', [], undefined],
  ['everything ruled out', '*/*;q=0', [JSON_TYPE], undefined],
  ['a parameter the offer leaves open', 'application/json; charset=utf-8', [JSON_TYPE], JSON_TYPE],
  ['a parameter that differs', 'text/plain; version=1', ['text/plain; version=2'], undefined],
  [
    'a parameter that agrees',
    'text/plain; version=2',
    ['text/plain; version=1', 'text/plain; version=2'],
    'text/plain; version=2',
  ],
  ['a profile of JSON for JSON', 'application/vnd.api+json', [JSON_TYPE], JSON_TYPE],
  ['JSON for a profile of JSON', JSON_TYPE, ['application/problem+json'], 'application/problem+json'],
  [
    'the exact profile before another',
    'application/hal+json',
    [JSON_TYPE, 'application/hal+json'],
    'application/hal+json',
  ],
  ['an offered range is met', PNG, ['image/*'], 'image/*'],
  ['octet-stream means anything', BYTES, [JSON_TYPE], JSON_TYPE],
  ['binary means anything', 'application/binary', [JSON_TYPE], JSON_TYPE],
  ['octet-stream is preferred where it is offered', BYTES, [JSON_TYPE, BYTES], BYTES],
  ['binary beside a type that fits gives way', 'application/binary, application/xml', [JSON_TYPE, XML], XML],
  ['a malformed header takes anything', 'what?', [JSON_TYPE], JSON_TYPE],
  ['a malformed quality counts as one', 'application/xml;q=high', [JSON_TYPE, XML], XML],
  ['a lone star takes anything', '*', [XML], XML],
  ['a comma in quotes does not split', 'text/plain; x="a,b"', ['text/plain'], 'text/plain'],
];

describe('negotiate', () => {
  it.each(TABLE)('%s', (_name, accept, offered, want) => {
    expect(negotiate(accept, offered)).toBe(want);
  });
});
