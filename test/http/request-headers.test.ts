import { describe, expect, it } from 'vitest';
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

describe('the headers of a request on a socket', () => {
  it('are read by name', () => {
    const headers = RequestHeaders.parse(parse(['Host', 'h'], ['X-A', '']), NO_HEADERS);
    expect([headers.get('host'), headers.get('x-a'), headers.get('accept')]).toEqual(['h', '', null]);
    expect([headers.has('x-a'), headers.has('accept')]).toEqual([true, false]);
    expect([...headers]).toEqual([
      ['host', 'h'],
      ['x-a', ''],
    ]);
  });

  it('have no fields that the client has not sent', () => {
    const headers = RequestHeaders.parse(parse(['Host', 'h']), NO_HEADERS);
    const names = ['constructor', '__proto__', 'toString', 'hasownproperty'];
    expect(names.map((name) => headers.get(name))).toEqual([null, null, null, null]);
    expect(names.map((name) => headers.has(name))).toEqual([false, false, false, false]);
  });

  it('have all lines of a field of which Node.js keeps the first', () => {
    const twice = parse(['Authorization', 'a'], ['Cookie', 'x=1'], ['authorization', 'b'], ['cookie', 'y=2']);
    const headers = RequestHeaders.parse(twice, NO_HEADERS);
    expect([...headers]).toEqual([
      ['authorization', 'a, b'],
      ['cookie', 'x=1; y=2'],
    ]);
    expect(RequestHeaders.parse(parse(['Set-Cookie', 'a=1']), NO_HEADERS).get('set-cookie')).toBe('a=1');
  });

  it('are one object for equal requests', () => {
    const lines = [
      ['Host', 'h'],
      ['X-A', '1'],
    ] as const;
    const first = RequestHeaders.parse(parse(...lines), NO_HEADERS);
    expect(RequestHeaders.parse(parse(...lines), first)).toBe(first);
    for (const other of [[lines[0]], [...lines, ['x-b', '2'] as const], [lines[0], ['X-A', '2'] as const]]) {
      const headers = RequestHeaders.parse(parse(...other), first);
      expect([...headers]).toEqual(other.map(([name, value]) => [name.toLowerCase(), value]));
    }
  });
});
