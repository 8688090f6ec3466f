import { expect, test } from 'vitest';
import { createLineFinder } from '../../src/contract/load/source-map.js';
import { fromReference, readPointer, toPointer, toReference } from '../../src/contract/pointer.js';

const YAML = `# comment
openapi: 3.1.0
info:
  title: "quoted: name"
  'odd key': 1
paths:
  /a/b: &item
    get:
      tags:
        - one
        - two
      summary: >-
        folded
  /c: *item
list: [a, {b: c}]
`;

test.each([
  ['/openapi', '2:1'],
  ['/info', '3:1'],
  ['/info/title', '4:3'],
  ['/info/odd key', '5:4'],
  ['/paths/~1a~1b', '7:3'],
  ['/paths/~1a~1b/get/tags/1', '11:11'],
  ['/paths/~1a~1b/get/summary', '12:7'],
  ['/paths/~1c', '14:3'],
  ['/paths/~1c/get', '8:5'],
  ['/list/1/b', '15:12'],
  ['/paths/~1a~1b/get/gone/deeper', '8:5'],
  ['/gone', '2:1'],
])('%s stands at %s', (pointer, want) => {
  const found = createLineFinder(YAML)(pointer);
  expect(`${found?.line}:${found?.column}`).toBe(want);
});

test('JSON with tabs and Windows line ends has lines as well', () => {
  const text = '{\r\n\t"a": [\r\n\t\t1,\r\n\t\t{"b": 2}\r\n\t]\r\n}';
  expect(createLineFinder(text)('/a/1/b')).toEqual({ line: 4, column: 5 });
});

test('a file that is not YAML has no lines, and no error', () => {
  expect(createLineFinder('a: [')('/a')).toBeUndefined();
});

test.each(['', '/a', '/a~1b/~0', '/a b/{c}', '/ü%/"\\', '/x?y#z', '/%41'])(
  'the pointer %j survives being a reference',
  (pointer) => {
    const reference = toReference(pointer);
    expect(fromReference(reference)).toBe(pointer);
    expect(() => new URL(reference, 'http://host')).not.toThrow();
  },
);

test('a pointer finds own members only', () => {
  expect(readPointer({ a: [1, { 'b/c': null }] }, toPointer('a', 1, 'b/c'))).toBeNull();
  expect(readPointer({}, '/constructor')).toBeUndefined();
});
