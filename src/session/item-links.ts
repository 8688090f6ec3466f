import { MockError } from '../errors.js';
import { readScope, toScope } from '../state/store/collection.js';
import type { ItemMistake } from './collections.js';
import type { ItemWorld, ItemWriter } from './item-writer.js';

/** What an item refers to and is not there: the item it lives under, or the one it is a member for. */
export function lookForLinks(
  { resource }: ItemWriter,
  { store }: ItemWorld,
  { scope, id }: { readonly scope: string; readonly id: string },
): ItemMistake | undefined {
  const ids = readScope(scope);
  const parent = ids.at(-1);
  const above = resource.parents.at(-1);
  const lost = (collection: string, missing: string): ItemMistake => ({
    pointer: '',
    code: 'LINK',
    message: `"${collection}" has no item "${missing}"`,
  });
  // A collection that nothing started may come into being when it is asked for, and with it any item.
  const isLost = (name: string, key: string, at: string): boolean =>
    store.collection(name).started && store.collection(name).get(key, at) === undefined;
  if (above !== undefined && parent !== undefined && isLost(above, parent, toScope(...ids.slice(0, -1)))) {
    return lost(above, parent);
  }
  return resource.members !== undefined && isLost(resource.members, id, '') ? lost(resource.members, id) : undefined;
}

/** Where an item that does not say so goes: the only scope at the top, else the one that was filled first. */
export function findScope(writer: ItemWriter, world: ItemWorld): string {
  const { name, parents } = writer.resource;
  const [used] = world.store.collection(name).scopes;
  if (used !== undefined) return used;
  const parent = parents.at(-1) ?? '';
  const above = world.store.collection(parent);
  for (const scope of above.scopes) {
    const [entry] = above.list(scope).entries;
    if (entry !== undefined) return toScope(...readScope(scope), entry.id);
  }
  throw new MockError('STATE_INVALID', `an item of "${name}" lives under one of "${parent}", and there is none`, {
    hint: `add an item to "${parent}" first, and name it: "$parent": "<id>"`,
  });
}
