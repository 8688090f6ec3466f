import { expect, it } from 'vitest';
import { loadContract } from '../../src/index.js';
import type { RecordingOptions } from '../../src/features/recording/recordings.js';
import { SHOP } from './contract.js';
import { type Asked, replayOf } from './recorded.js';
import type { Intercept } from './upstream.js';

const shop = await loadContract(SHOP);

/** The requests are answered before they are compared with the contract. */
const answer: Intercept = (_request, response) => {
  response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  return true;
};

const post = (
  body: unknown,
  headers: Readonly<Record<string, string>> = { 'content-type': 'application/json' },
): Asked => ['/api/items', { method: 'POST', headers, body: typeof body === 'string' ? body : JSON.stringify(body) }];
const form = (body: string): Asked => post(body, { 'content-type': 'application/x-www-form-urlencoded' });
const multipart = (entries: readonly (readonly [string, string | Blob, string?])[]): Asked => {
  const data = new FormData();
  for (const [name, value, filename] of entries) {
    if (typeof value === 'string') data.append(name, value);
    else data.append(name, value, filename);
  }
  return ['/api/items', { method: 'POST', body: data }];
};
const get = (url: string, headers: Readonly<Record<string, string>> = {}): Asked => [url, { headers }];
/** Calls of `listItems` with a query, or with header fields. */
const items = (search: string): Asked => get(`/api/items?${search}`);
const headed = (name: string, value: string): Asked => get('/api/items', { [name]: value });
const bytes = (...values: number[]): Blob => new Blob([new Uint8Array(values)], { type: 'application/octet-stream' });

/** A request whose text quotes its own credential. */
const quote = (token: string, before: string, after: string): Asked =>
  post(`${before} ${token} ${after}`, { 'content-type': 'text/plain', authorization: `Bearer ${token}` });

const PAIRS: readonly (readonly [
  reason: string,
  recorded: Asked,
  came: Asked,
  same: boolean,
  match?: RecordingOptions['match'],
])[] = [
  ['the same request', get('/api/items'), get('/api/items'), true],
  ['the base path does not matter', get('/api/items'), get('/items'), true],
  ['another path parameter', get('/api/items/a'), get('/api/items/b'), false],
  ['a path parameter escaped in another way', get('/api/items/a%2Db'), get('/api/items/a-b'), true],
  ['an escaped slash stays inside its parameter', get('/api/items/a%2Fb'), get('/api/items/a-b'), false],
  ['another operation', get('/api/items'), get('/api/items/a'), false],
  ['another method', get('/api/items'), ['/api/items', { method: 'POST' }], false],
  ['query parameters in another order', items('limit=5&q=x'), items('q=x&limit=5'), true],
  ['a default that is written out', get('/api/items'), items('limit=20'), true],
  ['another value than the default', get('/api/items'), items('limit=21'), false],
  ['the same number written in another way', items('limit=5'), items('limit=%35'), true],
  ['a list with commas, escaped or not', items('tags=a,b'), items('tags=a%2Cb'), false],
  ['a list in another order', items('tags=a,b'), items('tags=b,a'), false],
  ['an exploded list, and the brackets of an SDK', items('ids=1&ids=2'), items('ids[]=1&ids[]=2'), true],
  ['a deep object with escaped brackets', items('filter[color]=red'), items('filter%5Bcolor%5D=red'), true],
  ['a deep object with another value', items('filter[color]=red'), items('filter[color]=blue'), false],
  ['a space as plus and as %20', items('q=a+b'), items('q=a%20b'), true],
  ['an empty value is not an absent one', items('q='), get('/api/items'), false],
  ['a query parameter nobody declares', items('x=1'), items('x=2'), false],
  ['a query parameter that is ignored', items('x=1'), items('x=2'), true, { ignoreQuery: ['x'] }],
  ['a header nobody declares', headed('user-agent', 'a'), headed('user-agent', 'b'), true],
  ['a header the contract declares', headed('x-tenant', 'a'), headed('x-tenant', 'b'), false],
  ['a declared number in a header', headed('x-page', '1'), headed('x-page', ' 1 '), true],
  [
    'a declared header that is ignored',
    headed('x-tenant', 'a'),
    headed('x-tenant', 'b'),
    true,
    { ignoreHeaders: ['X-Tenant'] },
  ],
  [
    'a header that the manifest names',
    headed('accept', 'text/csv'),
    headed('accept', 'text/html'),
    false,
    { headers: ['Accept'] },
  ],
  ['a header that is new with every request', headed('idempotency-key', 'a'), headed('idempotency-key', 'b'), true],
  ['members of a body in another order', post({ id: 'a', name: 'n' }), post({ name: 'n', id: 'a' }), true],
  ['white space in a body', post('{"id":"a"}'), post('{ "id" : "a" }'), true],
  ['another member of a body', post({ id: 'a', name: 'n' }), post({ id: 'a', name: 'm' }), false],
  ['a member that is null is not an absent one', post({ id: 'a', name: null }), post({ id: 'a' }), false],
  [
    'a member of the body that is ignored',
    post({ id: 'a', at: 1 }),
    post({ id: 'a', at: 2 }),
    true,
    { ignoreBody: ['/at'] },
  ],
  [
    'members of items that are ignored',
    post({ id: 'a', list: [{ at: 1 }] }),
    post({ id: 'a', list: [{ at: 2 }] }),
    true,
    { ignoreBody: ['/list/*/at'] },
  ],
  [
    'numbers that a double takes for one',
    post('{"id":"a","n":9007199254740993}'),
    post('{"id":"a","n":9007199254740992}'),
    false,
  ],
  ['the same number with and without a fraction', post('{"id":"a","n":1.0}'), post('{"id":"a","n":1}'), true],
  ['fields of a form in another order', form('a=1&b=2'), form('b=2&a=1'), true],
  ['a field called constructor', form('constructor=1&a=2'), form('a=2&constructor=1'), true],
  ['fields of one name in another order', form('a=1&a=2'), form('a=2&a=1'), false],
  ['a multipart body with another boundary', multipart([['note', 'x']]), multipart([['note', 'x']]), true],
  [
    'parts in another order',
    multipart([
      ['note', 'x'],
      ['id', '1'],
    ]),
    multipart([
      ['id', '1'],
      ['note', 'x'],
    ]),
    true,
  ],
  ['the same file', multipart([['f', bytes(1, 2, 200), 'f']]), multipart([['f', bytes(1, 2, 200), 'f']]), true],
  [
    'a file with another byte',
    multipart([['f', bytes(1, 2, 200), 'f']]),
    multipart([['f', bytes(1, 2, 201), 'f']]),
    false,
  ],
  ['a file under another name', multipart([['f', bytes(1), 'a.txt']]), multipart([['f', bytes(1), 'b.txt']]), false],
  ['a secret field of a form that differs', form('id=1&password=one-secret'), form('id=1&password=two-secret'), true],
  ['a secret that differs', post({ id: 'a', pin: '123456' }), post({ id: 'a', pin: '654321' }), true],
  ['a key in the query that differs', items('shop_key=one'), items('shop_key=two'), true],
  [
    'a secret by its form',
    post({ id: 'a', name: 'ghp_aaaaaaaaaaaaaaaaaaaaaaaaaaaa' }),
    post({ id: 'a', name: 'ghp_bbbbbbbbbbbbbbbbbbbbbbbbbbbb' }),
    true,
  ],
  ['a secret part of a form', multipart([['pin', '112233']]), multipart([['pin', '445566']]), true],
  ['a part that is secret by its name', multipart([['api_key', 'one']]), multipart([['api_key', 'two']]), true],
  ['another part of a form', multipart([['note', '112233']]), multipart([['note', '445566']]), false],
  ['a number that is a secret', post({ id: 'a', password: 123_456 }), post({ id: 'a', password: 7890 }), true],
  ['a number that is none', post({ id: 'a', price: 123_456 }), post({ id: 'a', price: 7890 }), false],
  ['a token of a form', form('id=1&access_token=one&x=1'), form('x=1&id=1&access_token=two'), true],
  ['a body that quotes the token', quote('a1B2c3D4e5F6g7', 'use', 'it'), quote('Z9y8X7w6V5u4', 'use', 'it'), true],
  ['a quoted token that is a plain word', quote('a1B2c3D4e5F6g7', 'use', 'it'), quote('test-token', 'use', 'it'), true],
  ['another text around a token', quote('a1B2c3D4e5F6g7', 'use', 'it'), quote('Z9y8X7w6V5u4', 'drop', 'it'), false],
  ['a token in another place', quote('a1B2c3D4e5F6g7', 'use', 'it'), quote('test-token', 'use it', ''), false],
];

it.each(PAIRS.map(([reason, recorded, came, same, match]) => ({ reason, recorded, came, same, match })))(
  'a recorded request and a call $reason: same is $same',
  async ({ recorded, came, same, match }) => {
    const mock = await replayOf(shop, [recorded], { intercept: answer, ...(match && { match }) });
    const response = await mock.fetch(...came);
    expect(response.headers.get('x-mock-source')?.startsWith('replay:0001')).toBe(same);
  },
);

it.each<readonly [string, Asked, readonly string[]]>([
  [
    'field by field with the three most similar recordings',
    post({ id: 'a', name: 'third', price: 1, kind: 'open' }),
    [
      'no recording in cassette "keys" matches POST /api/items (addItem)',
      'most similar:',
      '  0002-addItem.200.json  POST /api/items',
      '    body /name: recorded "first", received "third"',
      '    body /kind: recorded nothing, received "open"',
      '  0003-addItem.200.json  POST /api/items',
      '    body /id: recorded "b", received "a"',
      '    body /name: recorded "second", received "third"',
      '    body /price: recorded 2, received 1',
      '    body /kind: recorded nothing, received "open"',
      '  0004-listItems.200.json  GET /api/items?limit=5&tags=x,y',
      '    another operation: listItems',
    ],
  ],
  [
    'by the typed values of the query',
    items('tags=x,z'),
    ['    query /limit: recorded 5, received 20', '    query /tags/1: recorded "y", received "z"'],
  ],
])('a recorded request and a call are compared %s', async (_name, came, lines) => {
  const recorded = [
    get('/api/items/a'),
    post({ id: 'a', name: 'first', price: 1 }),
    post({ id: 'b', name: 'second', price: 2 }),
    items('limit=5&tags=x,y'),
  ];
  const mock = await replayOf(shop, recorded, { intercept: answer });
  expect(await (await mock.fetch(...came)).json()).toMatchObject({
    detail: expect.stringContaining(lines.join('\n')) as string,
  });
});
