import type { Contract } from '../../../contract/contract.js';
import type { Action } from '../../../resources/item/resource.js';
import type { Cassette } from '../cassette/cassette.js';
import { readText, writeBody } from '../cassette/recorded-body.js';
import { isFailure } from './failure.js';

/**
 * The operations below an item that answered bytes and that the contract does not show to be on a collection: they read the content of the
 * item, which is one for each collection.
 *
 * @returns the names of the collections, by operation id.
 */
export function findContents(
  cassette: Cassette,
  contract: Contract,
  bindings: ReadonlyMap<string, { readonly collection: string; readonly action: Action }>,
): ReadonlyMap<string, string> {
  const all = [...bindings.values()];
  const taken = new Set(all.filter(({ action }) => action === 'content').map(({ collection }) => collection));
  const found = new Map<string, string>();
  for (const { operation, response } of cassette.exchanges) {
    const { id, method, path } = contract.operation(operation) ?? {};
    if (id === undefined || method !== 'GET' || bindings.has(id) || response === undefined) continue;
    const above = /^(.*\{[^{}]+\})\/[^/{}]+$/.exec(path ?? '')?.[1];
    const reads = contract.operations.find((other) => other.path === above && other.method === 'GET');
    const { collection, action } = bindings.get(reads?.id ?? '') ?? {};
    if (collection === undefined || action !== 'read' || (taken.has(collection) && !found.has(id))) continue;
    const bytes = isFailure(response.status, undefined) ? undefined : writeBody(cassette.folder, response);
    if (bytes === undefined || readText(bytes) !== undefined) continue;
    found.set(id, collection);
    taken.add(collection);
  }
  return found;
}
