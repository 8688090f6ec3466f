import { expect, it } from 'vitest';
import { readQueryValues, readTarget, writeTarget } from '../../src/http/target.js';

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
