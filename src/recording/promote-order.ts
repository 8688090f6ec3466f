import type { Cassette, StoredExchange } from './cassette.js';
import { isCursor, listWalks, readPage } from './list-check.js';
import type { PromoteParts } from './promote.js';

/** For each collection the order of its ids, oldest first, put together from all its pages. */
export function readOrders(cassette: Cassette, parts: PromoteParts): ReadonlyMap<string, readonly string[]> {
  const orders = new Map<string, readonly string[]>();
  const pages = cassette.exchanges.flatMap((exchange) =>
    parts.bindings.get(exchange.operation)?.action === 'list' ? (readPage(cassette.folder, exchange) ?? []) : [],
  );
  for (const walk of listWalks(pages)) {
    const [first] = walk;
    const operation = first?.exchange.operation ?? '';
    const binding = parts.bindings.get(operation);
    if (first === undefined || binding === undefined) continue;
    const idProperty = parts.collections.get(binding.collection)?.idProperty ?? 'id';
    const ids = walk.flatMap(({ items }) => items.map((item) => toId(item[idProperty])));
    const newestFirst = readDirection(first.exchange) ?? parts.isNewestFirst(operation);
    orders.set(
      binding.collection,
      mergeOrder(orders.get(binding.collection) ?? [], newestFirst ? ids.toReversed() : ids),
    );
  }
  return orders;
}

/** Whether a request asks for the newest first; undefined where it does not say. */
function readDirection({ request }: StoredExchange): boolean | undefined {
  for (const [name, value] of Object.entries(request.query)) {
    if (isCursor(name) || !/^(?:order|sort|direction|sort_?(?:order|dir|direction))$/i.test(name)) continue;
    if (/^desc|^-/i.test(String(value))) return true;
    if (/^asc/i.test(String(value))) return false;
  }
  return undefined;
}

/**
 * One order out of two: what both know stays where it is, what is new goes behind its neighbour before, or before its neighbour
 * behind where none before it is known, or to the end.
 */
export function mergeOrder(known: readonly string[], found: readonly string[]): readonly string[] {
  const order = [...known];
  for (const [i, id] of found.entries()) {
    if (order.includes(id)) continue;
    const before = found.slice(0, i).findLast((candidate) => order.includes(candidate));
    const behind = found.slice(i + 1).find((candidate) => order.includes(candidate));
    if (before !== undefined) order.splice(order.indexOf(before) + 1, 0, id);
    else if (behind === undefined) order.push(id);
    else order.splice(order.indexOf(behind), 0, id);
  }
  return order;
}

/** An id as text. */
export function toId(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? '');
}
