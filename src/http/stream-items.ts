import type { Contract } from '../contract/contract.js';
import { isObject } from '../base/json.js';
import type { MediaType } from '../contract/operations/operation.js';
import { isSequenceType, toEssence } from '../contract/media-type.js';

/** The schema of each item of a stream, and what an item is. */
export interface ItemPlan {
  readonly schemaPointer: string;
  /** `event`: an object with `event`, `data` and `id`; `data`: the data of an event; `value`: a line. */
  readonly form: 'data' | 'event' | 'value';
}

/** The plan of a stream's items: `itemSchema` (OpenAPI 3.2), the `items` of an array, else the schema itself. */
export function planItems(contract: Contract, media: MediaType, essence: string): ItemPlan | undefined {
  const isEvents = essence === 'text/event-stream';
  const own = media.itemSchema === undefined ? undefined : media.itemSchemaPointer;
  const pointer = own ?? findItemPointer(contract, media);
  if (pointer === undefined) return undefined;
  if (!isEvents) return { schemaPointer: pointer, form: 'value' };
  return { schemaPointer: pointer, form: isEvent(contract, pointer) ? 'event' : 'data' };
}

/** The media type of a stream that a response declares: the first one, or the one that is named. */
export function findStreamMedia(content: readonly MediaType[], mediaType?: string): MediaType | undefined {
  const wanted = mediaType === undefined ? undefined : toEssence(mediaType);
  const streams = content.filter(({ type }) => isSequenceType(toEssence(type)));
  return streams.find(({ type }) => wanted === undefined || toEssence(type) === wanted);
}

/** The part of an item that the schema describes. */
export function readItem(item: unknown, { form }: ItemPlan): unknown {
  return form === 'data' && isObject(item) && 'data' in item ? item['data'] : item;
}

/** Whether an item is a marker of the protocol instead of data: `[DONE]`. */
export function isMarker(item: unknown): boolean {
  const data = isObject(item) ? item['data'] : item;
  return typeof data === 'string' && /^\[\w+\]$/.test(data);
}

/** A body whose items are known before they are sent one by one. */
interface ItemStream extends AsyncIterable<unknown> {
  readonly items: readonly unknown[];
}

/** A stream of items. @param wait - Called before each item with its index, and with their number before the end. */
export function createItemStream(
  items: readonly unknown[],
  wait?: (index: number) => Promise<void> | undefined,
): ItemStream {
  return {
    items,
    async *[Symbol.asyncIterator]() {
      for (const [index, item] of items.entries()) {
        await wait?.(index);
        yield item;
      }
      await wait?.(items.length);
    },
  };
}

/** The items of a body that is an array or a stream of known items. */
export function readKnownItems(body: unknown): readonly unknown[] | undefined {
  if (Array.isArray(body)) return body;
  return isObject(body) && Symbol.asyncIterator in body && Array.isArray(body['items']) ? body['items'] : undefined;
}

function findItemPointer(contract: Contract, media: MediaType): string | undefined {
  if (media.schema === undefined) return undefined;
  const { schema, pointer } = contract.resolve(media.schema, media.schemaPointer);
  return isObject(schema) && isObject(schema['items']) ? `${pointer}/items` : media.schemaPointer;
}

/** Whether a schema describes whole events: it has `data`, and `event`, `retry` or encoded data. */
function isEvent(contract: Contract, pointer: string, seen: ReadonlySet<string> = new Set()): boolean {
  const raw = contract.at(pointer);
  if (seen.has(pointer) || !isObject(raw)) return false;
  const { schema, pointer: target } = contract.resolve(raw, pointer);
  if (!isObject(schema)) return false;
  const { properties } = schema;
  if (isObject(properties) && 'data' in properties) {
    const { data } = properties;
    // Encoded data is a string with its own media type (OpenAPI 3.2).
    const isEncoded = isObject(data) && (data['contentMediaType'] !== undefined || data['contentSchema'] !== undefined);
    return isEncoded || 'event' in properties || 'retry' in properties;
  }
  const look = (keyword: string): readonly boolean[] => {
    const branches = schema[keyword];
    if (!Array.isArray(branches)) return [];
    return branches.map((_, i) => isEvent(contract, `${target}/${keyword}/${i}`, new Set([...seen, pointer])));
  };
  const branches = [...look('oneOf'), ...look('anyOf')];
  return branches.length > 0 ? branches.every(Boolean) : look('allOf').some(Boolean);
}
