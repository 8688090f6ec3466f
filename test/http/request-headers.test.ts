import { expect, it } from 'vitest';
import { NO_HEADERS, RequestHeaders } from '../../src/http/request-headers.js';

/** What Node.js makes of header lines: by name only the first line of some fields, and a list of others. */
function parse(...lines: readonly (readonly [name: string, value: string])[]) {
  const headers: Record<string, string | string[]> = {};
  for (const [name, value] of lines) {
    const key = name.toLowerCase();
    if (key === 'set-cookie') headers[key] = [headers[key] ?? [], value].flat();
    else headers[key] ??= value;
  }
  return { rawHeaders: lines.flat(), headers };
}

it('the headers of a request on a socket have no fields that the client has not sent', () => {
  const headers = RequestHeaders.parse(parse(['Host', 'h']), NO_HEADERS);
  const names = ['constructor', '__proto__', 'toString', 'hasownproperty'];
  expect(names.map((name) => headers.get(name))).toEqual([null, null, null, null]);
  expect(names.map((name) => headers.has(name))).toEqual([false, false, false, false]);
});

it('the headers of a request on a socket have all lines of a field, although Node.js keeps only the first', () => {
  const twice = parse(['Authorization', 'a'], ['Cookie', 'x=1'], ['authorization', 'b'], ['cookie', 'y=2']);
  const headers = RequestHeaders.parse(twice, NO_HEADERS);
  expect([...headers]).toEqual([
    ['authorization', 'a, b'],
    ['cookie', 'x=1; y=2'],
  ]);
  expect(RequestHeaders.parse(parse(['Set-Cookie', 'a=1']), NO_HEADERS).get('set-cookie')).toBe('a=1');
});
