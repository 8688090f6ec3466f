import type { Contract } from '../contract/contract.js';
import { isEqualJson, isObject } from '../base/json.js';
import type { MediaType } from '../contract/operations/operation.js';
import { isJsonType, isSequenceType, toEssence } from '../contract/media-type.js';
import {
  createSchemaReader,
  listBranches,
  type PropertyView,
  type ReadSchema,
} from '../contract/schema-view/schema-view.js';

/** The schema of each item of a stream, and what an item is. */
export interface ItemPlan {
  readonly schemaPointer: string;
  /** `event`: an object with `event`, `data` and `id`; `data`: the data of an event; `value`: a line. */
  readonly form: 'data' | 'event' | 'value';
  /** Of whole events whose data is JSON. */
  readonly json?: EventJson | undefined;
}

/** The JSON in the field `data` of whole events. */
interface EventJson {
  readonly schemaPointer: string;
  /** Whether the schema of the event has the text instead of the value: `contentSchema`. */
  readonly isText: boolean;
}

/** The plan of a stream's items: `itemSchema` (OpenAPI 3.2), the `items` of an array, else the schema itself. */
export function planItems(contract: Contract, media: MediaType, essence: string): ItemPlan | undefined {
  const isEvents = essence === 'text/event-stream';
  const own = media.itemSchema === undefined ? undefined : media.itemSchemaPointer;
  const schemaPointer = own ?? findItemPointer(contract, media);
  if (schemaPointer === undefined) return undefined;
  if (!isEvents) return { schemaPointer, form: 'value' };
  if (!isEvent({ contract, read: createSchemaReader(contract), media }, schemaPointer))
    return { schemaPointer, form: 'data' };
  return { schemaPointer, form: 'event', json: findEventJson(contract, schemaPointer) };
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

/** Whether an item of a plan is not described by its schema: a marker in the place of JSON. */
export function isUndescribed(item: unknown, { form, json }: ItemPlan): boolean {
  return (form !== 'event' || json !== undefined) && isMarker(item);
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

interface EventParts {
  readonly contract: Contract;
  readonly read: ReadSchema;
  readonly media: MediaType;
}

/** The fields of an event (HTML standard 9.2.6). */
const EVENT_FIELDS: ReadonlySet<string> = new Set(['data', 'event', 'id', 'retry']);

/**
 * Whether a schema describes whole events: it has `data`, and `event`, `retry` or encoded data, or fields of events only. A schema that the
 * response also has for a type without events is that of the data.
 */
function isEvent(parts: EventParts, pointer: string, depth = 0): boolean {
  const { contract, read, media } = parts;
  const members = read(pointer)?.members;
  const data = members?.get('data');
  if (members === undefined || data === undefined) return false;
  // What a union has beside its branches is that of each of them.
  const branches = depth > MAX_UNIONS || !data.variant ? [] : listBranches(contract, pointer);
  if (branches.length > 0) return branches.every((branch) => isEvent(parts, branch, depth + 1));
  if (isEncoded(data) || members.has('event') || members.has('retry')) return true;
  return Array.from(members.keys()).every((name) => EVENT_FIELDS.has(name)) && !isShared(contract, media);
}

const MAX_UNIONS = 4;

/** Whether the data of an event is a string with a media type of its own (OpenAPI 3.2). */
function isEncoded({ schema }: PropertyView): boolean {
  return schema.contentMediaType !== undefined || schema['contentSchema'] !== undefined;
}

function findEventJson(contract: Contract, pointer: string): EventJson | undefined {
  const data = createSchemaReader(contract)(pointer)?.members.get('data');
  if (data === undefined || listBranches(contract, pointer).length > 0) return undefined;
  if (!isEncoded(data)) return data.scalar ? undefined : { schemaPointer: data.pointer, isText: false };
  const schemaPointer = `${data.target}/contentSchema`;
  const isJson = isJsonType(data.schema.contentMediaType ?? 'application/json');
  return isJson && contract.at(schemaPointer) !== undefined ? { schemaPointer, isText: true } : undefined;
}

/** Whether the response declares the schema of a media type for another type, too. */
function isShared(contract: Contract, { pointer, schema, schemaPointer }: MediaType): boolean {
  const content = contract.at(pointer.slice(0, pointer.lastIndexOf('/')));
  if (schema === undefined || !isObject(content)) return false;
  const own = contract.resolve(schema, schemaPointer).schema;
  return Object.entries(content).some(([type, media]) => {
    if (isSequenceType(toEssence(type)) || !isObject(media) || !isObject(media['schema'])) return false;
    return isEqualJson(contract.resolve(media['schema'], '').schema, own);
  });
}
