import { describe, expect, it } from 'vitest';
import type { ListedItems, WrittenItem } from '../../src/http/answer.js';
import { createEncoder } from '../../src/http/response/encode.js';

const encode = createEncoder([]);

async function write(body: unknown, listed: ListedItems): Promise<string> {
  const answer = {
    status: 200,
    headers: {},
    body,
    mediaType: 'application/json',
    from: 'state',
    violations: [],
    listed,
  };
  return encode(answer, 'GET', undefined).text();
}

function toListed(items: readonly unknown[]): ListedItems & { readonly written: WrittenItem[] } {
  return { items, written: items.map((item) => ({ item })) };
}

const ITEMS = [{ id: 'a', "it's": '"\n' }, { id: 'ß', rest: [1, null, { deep: true }] }, {}];

describe('a body with items whose JSON is kept', () => {
  it.each<readonly [string, readonly unknown[], (items: readonly unknown[]) => unknown]>([
    ['the array itself', ITEMS, (items) => items],
    [
      'in an object',
      ITEMS,
      (items) => ({ object: 'list', data: items, 'next "page"': null, total: 3, left: undefined }),
    ],
    ['without items', [], (items) => ({ data: items, has_more: false })],
    ['with one item', [1], (items) => ({ first: 'x', data: items })],
    ['deeper than that', ITEMS, (items) => ({ page: { data: items }, other: 1 })],
    ['of another list', ITEMS, (items) => ({ data: [...items].toReversed() })],
  ])('is the same JSON: %s', async (_name, items, wrap) => {
    const body = wrap(items);
    const listed = toListed(items);
    expect([await write(body, listed), await write(body, listed)]).toEqual(Array(2).fill(JSON.stringify(body)));
  });
});
