import { freezeDeep, isObject } from '../contract/json.js';
import type { KeptTexts } from '../contract/load/derived.js';
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

/** @param texts - The items of processes before, as JSON. */
export function createGeneratedItems(texts?: KeptTexts): GeneratedItems {
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
  function* list(): Generator<readonly [key: string, text: string]> {
    for (const items of [recent, older]) for (const [key, { item }] of items) yield [key, JSON.stringify(item)];
  }
  return {
    find: (key, generate) => {
      const known = recent.get(key);
      if (known !== undefined) return known.item;
      const before = older.get(key);
      if (before !== undefined) return keep(key, before);
      const text = texts?.take(key);
      const read = readItem(text);
      const item = freezeDeep(read ?? generate());
      if (read === undefined) texts?.write(list);
      // The text of an item is about as long as it is large, and known.
      const size = read === undefined || text === undefined ? measureValue(item) : text.length;
      return keep(key, { item, bytes: measureValue(key) + size });
    },
  };
}

function readItem(text: string | undefined): Item | undefined {
  if (text === undefined) return undefined;
  try {
    const item: unknown = JSON.parse(text);
    return isObject(item) ? item : undefined;
  } catch {
    // Not written by this code: the item is generated.
    return undefined;
  }
}
