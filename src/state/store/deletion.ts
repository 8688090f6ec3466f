import { toBareName } from '../inference/resource-names.js';
import type { ItemSchema } from '../item-schema.js';
import type { Item } from './item-list.js';

const DONE = /^(deleted|removed|success|ok|is_?deleted|acknowledged)$/i;

/** What an object that reports a deletion says: the id, that it is done, and every value that has no alternative. */
export function readFixed(schema: ItemSchema, id: unknown): Item {
  const body: Record<string, unknown> = {};
  for (const { name, schema: own } of schema.properties.values()) {
    if ('const' in own) body[name] = own.const;
    else if (Array.isArray(own.enum) && own.enum.length === 1) body[name] = own.enum[0];
    else if (toBareName(name) === 'id') body[name] = id;
    else if (DONE.test(name) && own.type === 'boolean') body[name] = true;
  }
  return body;
}
