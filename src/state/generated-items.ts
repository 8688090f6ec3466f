import { freezeDeep } from '../contract/json.js';
import type { Item } from './store/lists/item-list.js';
import { measureValue } from './store/lists/usage.js';

/**
 * Items that were generated, by everything that they depend on: a reset, another session or another mock of the contract needs the
 * same ones again.
 */
export interface GeneratedItems {
  /** The item of a key, generated where it is not known; it is frozen, since others get the same one. */
  find(key: string, generate: () => Item): Item;
}

/** The estimated size in bytes of the items that are kept in memory, with their keys: half of it are those that were used last. */
const MAX_BYTES = 8_000_000;

interface Generated {
  readonly item: Item;
  readonly bytes: number;
}

/** Keeps the items of one contract. */
export function createGeneratedItems(): GeneratedItems {
  let recent = new Map<string, Generated>();
  let older: ReadonlyMap<string, Generated> = new Map();
  let bytes = 0;
  const keep = (key: string, generated: Generated): Item => {
    if (generated.bytes > MAX_BYTES / 8) return generated.item;
    recent.set(key, generated);
    bytes += generated.bytes;
    if (bytes > MAX_BYTES / 2) {
      older = recent;
      recent = new Map();
      bytes = 0;
    }
    return generated.item;
  };
  return {
    find: (key, generate) => {
      const known = recent.get(key);
      if (known !== undefined) return known.item;
      const before = older.get(key);
      if (before !== undefined) return keep(key, before);
      const item = freezeDeep(generate());
      return keep(key, { item, bytes: measureValue(key) + measureValue(item) });
    },
  };
}
