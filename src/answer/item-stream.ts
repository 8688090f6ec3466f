import type { Contract } from '../contract/contract.js';
import { isObject } from '../contract/json.js';
import type { MediaType } from '../contract/operations/operation.js';
import type { GenerateContext, Generator } from '../generate/generate.js';

/** The schema that each item of a stream fits, and what an item is. */
export interface ItemPlan {
  readonly schemaPointer: string;
  /** `event`: an object of `event`, `data`, `id`; `data`: what an event carries; `value`: a line of its own. */
  readonly form: 'data' | 'event' | 'value';
}

/** Items of a stream that is made here. */
const ITEM_COUNT = 3;

/** The plan of a stream's items: `itemSchema` (OpenAPI 3.2), the `items` of an array, else the schema itself. */
export function planItems(contract: Contract, media: MediaType, essence: string): ItemPlan | undefined {
  const isEvents = essence === 'text/event-stream';
  const own = media.itemSchema === undefined ? undefined : media.itemSchemaPointer;
  const pointer = own ?? findItemPointer(contract, media);
  if (pointer === undefined) return undefined;
  if (!isEvents) return { schemaPointer: pointer, form: 'value' };
  return { schemaPointer: pointer, form: isEvent(contract, pointer) ? 'event' : 'data' };
}

/** A stream of a few items, each of them of the schema; a new one every time, since a stream is read once. */
export function streamItems(
  parts: { readonly contract: Contract; readonly generator: Generator },
  wish: { readonly media: MediaType; readonly essence: string; readonly context: GenerateContext },
): AsyncIterable<unknown> {
  const { media, essence, context } = wish;
  const plan = planItems(parts.contract, media, essence);
  return {
    async *[Symbol.asyncIterator]() {
      for (let i = 0; i < ITEM_COUNT; i++) {
        const key = `${context.key}\nitem ${i}`;
        const value = plan === undefined ? {} : parts.generator.value(plan.schemaPointer, { ...context, key });
        yield plan?.form === 'event' || essence !== 'text/event-stream' ? value : { data: value };
      }
    },
  };
}

function findItemPointer(contract: Contract, media: MediaType): string | undefined {
  if (media.schema === undefined) return undefined;
  const { schema, pointer } = contract.resolve(media.schema, media.schemaPointer);
  return isObject(schema) && isObject(schema['items']) ? `${pointer}/items` : media.schemaPointer;
}

/** Whether a schema describes the event itself: with `data`, and at least one of the things that go with it. */
function isEvent(contract: Contract, pointer: string, seen: ReadonlySet<string> = new Set()): boolean {
  const raw = contract.at(pointer);
  if (seen.has(pointer) || !isObject(raw)) return false;
  const { schema, pointer: target } = contract.resolve(raw, pointer);
  if (!isObject(schema)) return false;
  const { properties } = schema;
  if (isObject(properties) && 'data' in properties) {
    return 'event' in properties || 'retry' in properties || isEncoded(properties['data']);
  }
  const look = (keyword: string): readonly boolean[] => {
    const branches = schema[keyword];
    if (!Array.isArray(branches)) return [];
    return branches.map((_, i) => isEvent(contract, `${target}/${keyword}/${i}`, new Set([...seen, pointer])));
  };
  const branches = [...look('oneOf'), ...look('anyOf')];
  return branches.length > 0 ? branches.every(Boolean) : look('allOf').some(Boolean);
}

/** The way of OpenAPI 3.2: the data is a text with a media type of its own. */
function isEncoded(data: unknown): boolean {
  return isObject(data) && (data['contentMediaType'] !== undefined || data['contentSchema'] !== undefined);
}
