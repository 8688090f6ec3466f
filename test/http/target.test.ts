import { expect, it } from 'vitest';
import type { Operation } from '../../src/contract/operations/operation.js';
import { listFields, omitFields, readContentType, readEndToEnd, readField } from '../../src/http/header-fields.js';
import {
  readQueryValues,
  readTarget,
  removeSessionPrefix,
  toUpstreamTarget,
  writeTarget,
} from '../../src/http/target.js';

it.each<readonly [string, string, string]>([
  ['http://mock', '/', ''],
  ['http://mock/', '/', ''],
  ['http://mock/a/b', '/a/b', ''],
  ['http://mock:80/a?x=1', '/a', '?x=1'],
  ['http://mock/a?', '/a', '?'],
  ['http://mock/a?x=/b?c', '/a', '?x=/b?c'],
  ['http://mock/a#f', '/a', ''],
  ['http://mock/a?x=1#/f?g', '/a', '?x=1'],
  ['http://mock/a%2Fb/%7E', '/a%2Fb/%7E', ''],
  ['/a?x=1', '/a', '?x=1'],
  ['http://mock:80/http://mock:80/a?x=1', '/a', '?x=1'],
  ['http://mock/http://mock/http://mock/a', '/a', ''],
  ['http://mock/http://other/a', '/http://other/a', ''],
  ['http://mock/a?x=http://mock/b', '/a', '?x=http://mock/b'],
])('the target of %s is path %s and query %j', (url, path, search) => {
  expect(readTarget(url)).toEqual({ url: `${path}${search}`, path, search });
});

it.each([
  ['after=key_1&limit=2', { after: 'key_1', limit: '2' }],
  ['tags=a,b%2Cc', { tags: 'a,b%2Cc' }],
  ['ids=1&ids=2', { ids: ['1', '2'] }],
  ['filter[color]=red%26blue', { 'filter[color]': 'red%26blue' }],
  ['q=a+b%20c', { q: 'a+b%20c' }],
  ['q=%7E%2Fx', { q: '~/x' }],
  ['q=Z%C3%BCrich', { q: 'Z%C3%BCrich' }],
  ['q=100%25', { q: '100%25' }],
  ['constructor=1&constructor=2&toString=3', { constructor: ['1', '2'], toString: '3' }],
  ['flag', { flag: '' }],
])('the query %s is read and written without loss', (search, want) => {
  const query = readQueryValues(search);
  expect(query).toEqual(want);
  const target = writeTarget({ path: '/p', query });
  expect([...new URL(target, 'http://x').searchParams]).toEqual([...new URLSearchParams(search)]);
  expect(readQueryValues(target.slice(3))).toEqual(query);
});

// The two members that are read.
const operation = { path: '/files/{id}', basePaths: ['', '/v1', '/files'] } as unknown as Operation;

it.each([
  ['https://api.example.com', '/v1/files/a?x=1', '/v1/files/a?x=1'],
  ['https://api.example.com/', '/v1/files/a', '/v1/files/a'],
  ['https://api.example.com/api/v2', '/v1/files/a?x=/v1', '/api/v2/files/a?x=/v1'],
  ['https://api.example.com/api/v2/', '/files/a', '/api/v2/files/a'],
])('for the upstream %s, %s becomes %s', (upstream, target, want) => {
  expect(toUpstreamTarget(new URL(upstream), operation, target)).toBe(want);
});

it.each([
  ['/~one/v1/files/a', '/files/{id}', '/v1/files/a'],
  ['/~one/files/a?x=/~two/', '/files/{id}', '/files/a?x=/~two/'],
  ['/v1/files/~one', '/files/{id}', '/v1/files/~one'],
  ['/~user/keys', '/~{name}/keys', '/~user/keys'],
  ['/~one/~user/keys', '/~{name}/keys', '/~user/keys'],
])('%s for the operation %s is %s without its session prefix', (url, path, want) => {
  expect(removeSessionPrefix(url, { ...operation, path })).toBe(want);
});

it('end-to-end fields are those that are not hop-by-hop and not listed in Connection', () => {
  const fields = readEndToEnd([
    ['Connection', 'keep-alive, X-One'],
    ['Keep-Alive', 'timeout=5'],
    ['X-One', '1'],
    ['TE', 'trailers'],
    ['Set-Cookie', 'a=1'],
    ['set-cookie', 'b=2'],
    ['Content-Type', 'Text/HTML; charset=utf-8'],
  ]);
  expect(fields).toEqual({ 'set-cookie': ['a=1', 'b=2'], 'content-type': 'Text/HTML; charset=utf-8' });
  expect(listFields(fields)).toEqual([
    ['set-cookie', 'a=1'],
    ['set-cookie', 'b=2'],
    ['content-type', 'Text/HTML; charset=utf-8'],
  ]);
  expect([readField(fields, 'set-cookie'), readField(fields, 'toString')]).toEqual(['a=1', undefined]);
  expect([readContentType(fields), readContentType({})]).toEqual(['text/html', undefined]);
  expect(omitFields(fields, ['set-cookie'])).toEqual({ 'content-type': 'Text/HTML; charset=utf-8' });
});
