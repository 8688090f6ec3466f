import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import type { Random } from '../../src/base/random.js';
import type { Exchange } from './connection.js';
import { PLAIN, toBytes, toExchange, toUtf8, type Wire } from './wire.js';

/** One change to a request. */
type Change = (wire: Wire, random: Random) => Wire;

const latin1 = (bytes: Buffer): string => bytes.toString('latin1');
const withHeaders = (wire: Wire, ...headers: Wire['headers']): Wire => ({
  ...wire,
  headers: [...wire.headers, ...headers],
});
const add =
  (name: string, values: readonly string[]): Change =>
  (wire, random) =>
    withHeaders(wire, [name, random.pick(values)]);
const put =
  (name: string, values: readonly string[]): Change =>
  (wire, random) => ({
    ...wire,
    headers: [...wire.headers.filter(([own]) => own.toLowerCase() !== name.toLowerCase()), [name, random.pick(values)]],
  });
/** After it, any number of answers is right. */
const unsound =
  (change: Change): Change =>
  (wire, random) => ({ ...change(wire, random), isSound: false });

/** Segments and values of a target: wrong percent-encodings, overlong and cut UTF-8, names that objects inherit, extreme numbers. */
const PARTS: readonly string[] = [
  '%',
  '%zz',
  '%00',
  '%0d%0aX-A:%201',
  '%c0%af',
  '%ed%a0%80',
  '%f0%9f%98',
  '%ff',
  '%2F',
  '%2e%2e',
  '..',
  '.',
  '',
  '\xff\xfe',
  toUtf8('日本'),
  '{id}',
  '__proto__',
  'constructor',
  '~session',
  '~default',
  ';a=b',
  'a,b',
  '*',
  '-1',
  '0',
  '1e308',
  'NaN',
  '9007199254740993',
  '%F0%9F%98%80',
  'x'.repeat(3000),
  '%41'.repeat(900),
  '[]',
  '|',
  '"',
  '<script>',
  "'--",
  'null',
  'true',
  '2026-13-45T99:99:99Z',
];

const QUERIES: readonly string[] = [
  '?',
  '&&&&',
  'a[b][c][d]=1&a[b]=2&a=3',
  '__proto__[x]=1&constructor[prototype][x]=1',
  ...['100', '500', '99999', ''].map((code) => `__code=${code}`),
  '__example=__proto__',
  '__seed=1e400',
  '__dynamic=true',
  '%zz=%zz',
  '=',
  '=&=&=',
  'limit=999999999999',
  'limit=-1',
  'limit=1e3',
  'page=99999999999999999999',
  'after=%00',
  'filter[]=&filter[][]=',
  'a=1&'.repeat(700),
  `${'a[0]'.repeat(500)}=1`,
  'q='.padEnd(6000, 'x'),
  'sort=__proto__&order=desc',
  'fields=a.b.c,d(e(f(g',
  'stream=true',
  'n=1000000000',
];

const PREFER = [
  ...[100, 101, 199, 204, 304, 404, 500, 599, 999999, -1].map((code) => `code=${code}`),
  'code="2 0"',
  'code=',
  'example=__proto__',
  'example="',
  'dynamic=true',
  'seed=NaN',
  'seed=99999999999999999999',
  'code=200, code=404; example=x',
  ',;,;=',
  `code=${'4'.repeat(2000)}`,
];

const TARGET_CHANGES: readonly Change[] = [
  (wire, random) => {
    const segments = wire.target.split('/');
    segments[random.integer(1, Math.max(1, segments.length - 1))] = random.pick(PARTS);
    return { ...wire, target: segments.join('/').replaceAll(/[\s]/g, '%20') };
  },
  (wire, random) => ({ ...wire, target: `${wire.target}/${random.pick(PARTS)}` }),
  (wire, random) => ({
    ...wire,
    target: `${wire.target}${wire.target.includes('?') ? '&' : '?'}${random.pick(QUERIES)}`,
  }),
  (wire, random) => ({ ...wire, target: wire.target.replace(/=[^&]*/, () => `=${random.pick(PARTS)}`) }),
  (wire) => ({ ...wire, target: `/${wire.target}` }),
  (wire) => ({ ...wire, target: `${wire.target}/` }),
  (wire, random) => ({ ...wire, target: `/~${random.pick(['s1', 's2', ...PARTS])}${wire.target}`, isSound: false }),
  unsound((wire, random) => ({
    ...wire,
    target: random.pick([
      '*',
      `http://localhost${wire.target}`,
      'http://[::1',
      'localhost:443',
      'http://',
      '?x',
      '#',
      'a b',
      '',
    ]),
  })),
  unsound((wire) => ({ ...wire, method: 'CONNECT', target: 'localhost:443' })),
  unsound((wire) => ({ ...wire, method: 'OPTIONS', target: '*' })),
];

const HEADER_CHANGES: readonly Change[] = [
  add('Prefer', PREFER),
  put('Accept', [
    '*/*',
    '',
    'text/html',
    'application/json;q=0',
    '*/*;q=2',
    ',,,',
    'a/b,'.repeat(800),
    'application/octet-stream',
    'text/event-stream',
    'application/x-ndjson',
    '"',
    'a/b;x="',
  ]),
  put('Content-Type', [
    '',
    'application/json',
    'application/json; charset=utf-16',
    'text/plain',
    'multipart/form-data',
    'multipart/form-data; boundary=""',
    'multipart/form-data; boundary=x',
    'application/x-www-form-urlencoded',
    'application/xml',
    '/',
    'a',
    'application/merge-patch+json',
    'application/json-patch+json',
    'application/vnd.x+json;;;',
  ]),
  put('Authorization', [
    '',
    'Bearer',
    'Bearer ',
    'Basic',
    'Basic %%%',
    'Basic dTpw',
    'Digest x',
    `Bearer ${'x'.repeat(4000)}`,
    '\xff',
  ]),
  add('Range', [
    'bytes=0-',
    'bytes=-1',
    'bytes=5-2',
    'bytes=0-0,2-3',
    'lines=1',
    'bytes=99999999999-',
    `bytes=${'0-1,'.repeat(600)}0-1`,
  ]),
  add('If-Match', ['*', '""', 'W/"x"', '"a", "b"', '"']),
  add('If-None-Match', ['*', '"x"', '', 'W/']),
  add('If-Modified-Since', ['Thu, 01 Jan 1970 00:00:00 GMT', 'never', '99999999999999']),
  add('If-Unmodified-Since', ['Thu, 01 Jan 1970 00:00:00 GMT', 'x']),
  add('Idempotency-Key', ['a', 'b', '', 'x'.repeat(3000), '\xff\xfe']),
  add('Cookie', ['a=b', ';;;', 'mock-session=', 'a=b;'.repeat(900), '__proto__=1', '=', 'a="']),
  add('Origin', ['null', 'http://localhost', 'http://evil.test', '', '\xff']),
  (wire, random) => ({
    ...wire,
    method: 'OPTIONS',
    headers: [
      ...wire.headers,
      ['Origin', 'http://localhost'],
      ['Access-Control-Request-Method', random.pick(['GET', 'x', '', 'DELETE'])],
      ['Access-Control-Request-Headers', random.pick(['', 'a,b', '\xff', '*', 'x'.repeat(2000)])],
      ['Access-Control-Request-Private-Network', random.pick(['true', ''])],
    ],
  }),
  unsound(add('x-mock-session', ['s1', 's2', 'default', '', '\xff', '../x', 'x'.repeat(300), '__proto__'])),
  unsound(add('x-mock-scenario', ['nothing', 'slow', 'flaky', '__proto__', ',', ''])),
  unsound(add('Expect', ['100-continue', '200-ok', ''])),
  unsound(add('Upgrade', ['h2c', 'websocket', ''])),
  unsound(put('Connection', ['close', 'upgrade', 'keep-alive, close', 'Authorization', '', ',,'])),
  unsound(put('Host', ['', 'a b', '[::1', 'x:99999', 'http://x', '\xff', 'a,b'])),
  unsound((wire) => ({ ...wire, headers: wire.headers.filter(([name]) => name !== 'Host') })),
  unsound((wire) => withHeaders(wire, ['Host', 'other'])),
  unsound((wire, random) =>
    withHeaders(wire, ...Array.from({ length: random.pick([60, 200, 2500]) }, (_, i) => [`X-${i}`, 'v'] as const)),
  ),
  unsound(add('X-Long', ['x'.repeat(9000), 'x'.repeat(20_000), 'x'.repeat(100_000)])),
  unsound((wire, random) =>
    withHeaders(wire, [random.pick(['X Y', '', 'X\0', ':', 'X-\xff', '__proto__', 'a\r\n b']), 'v']),
  ),
  unsound(add('X-Fold', ['a\r\n b', 'a\nb', 'a\rb', '\0'])),
  unsound((wire, random) => ({
    ...wire,
    version: random.pick(['HTTP/1.0', 'HTTP/0.9', 'HTTP/2.0', 'HTTP/1.2', '', 'http/1.1', 'HTTP/1.1 ']),
  })),
  unsound((wire, random) => ({
    ...wire,
    method: random.pick(['get', 'BREW', 'PRI', '', 'M-SEARCH', 'QUERY', 'TRACE', 'G\xff', 'LINK']),
  })),
];

const BODIES: readonly string[] = [
  '',
  'null',
  '[]',
  '{}',
  '"',
  '{"a":',
  '\xef\xbb\xbf{}',
  '\xff\xfe{\0}\0',
  '{"__proto__":{"x":1},"constructor":{"prototype":{"x":1}}}',
  '{"a":1,"a":2}',
  '1e999',
  '-0',
  '{"id":9007199254740993}',
  '"\\ud800"',
  `"${toUtf8('\u0000\u2028💥')}"`,
  '['.repeat(3000),
  `${'['.repeat(600)}${']'.repeat(600)}`,
  '{"a":'.repeat(500),
  `{"name":"${'x'.repeat(60_000)}"}`,
  `[${'{},'.repeat(5000)}{}]`,
  'a=b&c[d]=e&c[d][f]=g&h[]=1&h[]=2',
  'a%5Bb%5D=1&'.repeat(300),
  '<a b="c"><d/></a>',
  '<!DOCTYPE x [<!ENTITY a "b">]><x>&a;</x>',
  '<a>'.repeat(400),
  '--x\r\nContent-Disposition: form-data; name="a"\r\n\r\nb\r\n--x--\r\n',
  '--x\r\nContent-Disposition: form-data; name="a"; filename="../../x"\r\nContent-Type: \xff\r\n\r\n\0\0\r\n--x\r\n\r\n--x--',
  '--x'.repeat(500),
  '[{"op":"add","path":"/__proto__/x","value":1},{"op":"move","from":"/a","path":"/a/b"},{"op":"test","path":"","value":null}]',
  '[{"op":"copy","from":"","path":"/a"},{"op":"copy","from":"","path":"/a"},{"op":"copy","from":"","path":"/b"}]',
];

/** One megabyte that compresses to a thousandth, and sixteen, which is more than the default limit of a body. */
const BOMBS: readonly Buffer[] = [1, 16].map((megabytes) => Buffer.alloc(megabytes * 1024 * 1024, '['));
const PACKED: Readonly<Record<string, readonly string[]>> = {
  gzip: BOMBS.map((bomb) => latin1(gzipSync(bomb))),
  br: BOMBS.map((bomb) => latin1(brotliCompressSync(bomb))),
  deflate: BOMBS.map((bomb) => latin1(deflateSync(bomb))),
};

const withBody = (wire: Wire, body: string): Wire => ({
  ...wire,
  method: /^(GET|HEAD|OPTIONS|CONNECT|TRACE)$/.test(wire.method) ? 'POST' : wire.method,
  body,
});

const BODY_CHANGES: readonly Change[] = [
  (wire, random) => withBody(wire, random.pick(BODIES)),
  (wire, random) => withBody(wire, wire.body.slice(0, random.integer(0, wire.body.length))),
  (wire, random) => {
    const at = random.integer(0, wire.body.length);
    const inserted = random.pick(['\0', '\xff', '"', '}', '\\', '\r\n', toUtf8('𝒳'), '[', '-', '1e400', '\\u0000']);
    return withBody(wire, `${wire.body.slice(0, at)}${inserted}${wire.body.slice(at + random.integer(0, 2))}`);
  },
  // The same strings and numbers in other places.
  (wire, random) => {
    const values = [
      'null',
      '-1',
      '""',
      '[]',
      '{}',
      'true',
      '1e308',
      '"\\u0000"',
      `"${'x'.repeat(5000)}"`,
      '0.1',
      '"2026-01-01"',
    ];
    return withBody(
      wire,
      wire.body.replaceAll(/"[^"\\]*"(?!:)|\b\d+\b/g, (old) => (random.next() < 0.3 ? random.pick(values) : old)),
    );
  },
  (wire) => ({ ...withBody(wire, wire.body), framing: 'chunked' }),
  (wire, random) => {
    const encoding = random.pick(Object.keys(PACKED));
    const body = random.pick([
      ...(PACKED[encoding] ?? []),
      latin1(gzipSync(Buffer.from(wire.body, 'latin1'))),
      wire.body,
    ]);
    const written = random.pick([encoding, `${encoding}, gzip`, 'identity', 'zip', '']);
    return withHeaders(withBody(wire, body), ['Content-Encoding', written]);
  },
];

/** A request whose headers alone say how long its body is. */
const framed = (wire: Wire, body: string, ...headers: Wire['headers']): string =>
  toBytes({ ...withHeaders(withBody(wire, body), ...headers), framing: 'as-is' });

/** Bytes of a connection that no list of headers can express. */
const CONNECTIONS: readonly ((wire: Wire, random: Random) => string)[] = [
  // Pipelined requests, the last one closes.
  (wire, random) => toBytes(wire).repeat(random.integer(2, 20)),
  (wire) => `${toBytes(wire)}${toBytes({ ...wire, headers: [...wire.headers, ['Connection', 'close']] })}`,
  (wire, random) => `${'\r\n'.repeat(random.integer(1, 30))}${toBytes(wire)}`,
  (wire, random) => toBytes(wire).slice(0, random.integer(0, toBytes(wire).length)),
  (wire, random) => {
    const bytes = toBytes(wire);
    const at = random.integer(0, bytes.length);
    return `${bytes.slice(0, at)}${random.pick(['\0', '\r', '\n', ' ', '\t', ':', '\xff', '\r\n\r\n'])}${bytes.slice(at)}`;
  },
  (wire, random) =>
    `${toBytes(wire)}${random.pick(['garbage', '\0\0\0', 'GET', '\x16\x03\x01\x02\0', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'])}`,
  (_, random) => random.text('\0\x01\r\n\t :/GETPOS\xff\x80%{}"', random.integer(1, 400)),
  (wire, random) => {
    const length = random.pick(['0', '-1', '+5', '0x10', '5, 5', '5, 6', '99999999999999999999', '1e3', ' ', '100']);
    return framed(wire, '{"a":1}', ['Content-Length', length]);
  },
  (wire, random) => {
    const encoding = random.pick(['chunked', 'gzip, chunked', 'chunked, chunked', 'x', 'Chunked ']);
    const headers = [
      ['Content-Length', '4'],
      ['Transfer-Encoding', encoding],
    ] as const;
    return framed(wire, '0\r\n\r\nGET / HTTP/1.1\r\n\r\n', ...headers);
  },
  (wire, random) => {
    const chunks = random.pick([
      '7;name=value\r\n{"a":1}\r\n0\r\n\r\n',
      `7;${'x'.repeat(17_000)}\r\n{"a":1}\r\n0\r\n\r\n`,
      '7\r\n{"a":1}\r\n0\r\nX-Trailer: 1\r\nContent-Length: 5\r\n\r\n',
      '7\r\n{"a":1}0\r\n\r\n',
      'FFFFFFFFFFFFFFFFF\r\n',
      'zz\r\n',
      '-1\r\n',
      '\r\n\r\n',
      `${'1\r\n[\r\n'.repeat(3000)}0\r\n\r\n`,
      `0\r\n${'X-T: 1\r\n'.repeat(3000)}\r\n`,
    ]);
    return framed(wire, chunks, ['Transfer-Encoding', 'chunked'], ['Trailer', 'X-Trailer']);
  },
];

/** A request with up to four changes, or bytes that are not HTTP. */
export function changeRequest(wire: Wire, random: Random): Exchange {
  let changed = wire;
  for (let left = random.integer(0, 4); left > 0; left--) {
    const group = random.pick([TARGET_CHANGES, HEADER_CHANGES, HEADER_CHANGES, BODY_CHANGES]);
    changed = random.pick(group)(changed, random);
  }
  const bytes = random.next() < 0.12 ? random.pick(CONNECTIONS)(changed, random) : undefined;
  // A status that is asked for may be any; another target may be another operation.
  const isOther = changed.target !== wire.target || /prefer|__code/i.test(bytes ?? toBytes(changed));
  const allows = isOther ? undefined : wire.allows;
  if (bytes !== undefined) return { bytes, ...(allows && { allows }) };
  // Bytes that a URL cannot hold are refused by the parser, or encoded by it.
  const isSound = changed.isSound && /^[!-~\x80-\xff]+$/.test(changed.target);
  return toExchange({ ...changed, isSound, allows });
}

/** Plain requests for documents that are not known in full. */
export function guessRequest(method: string, path: string, random: Random): Wire {
  const filled = `/${path.replaceAll(/\{[^}]*\}/g, () => random.pick(['1', 'a', 'x_1', '-1']))}`.replace('//', '/');
  // A path of a mutated document can end in half of a character.
  const target = encodeURI(filled.toWellFormed()).replaceAll('#', '%23');
  const hasBody = !/^(GET|HEAD|OPTIONS)$/.test(method);
  return {
    ...PLAIN,
    method,
    target,
    headers: [...PLAIN.headers, ...(hasBody ? [['Content-Type', 'application/json'] as const] : [])],
    body: hasBody
      ? random.pick(['{"id": 1, "name": "x", "__proto__": {"constructor": 1}}', '{}', '[]', '{"a": null}'])
      : '',
  };
}
