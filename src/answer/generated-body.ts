import type { Contract } from '../contract/contract.js';
import { isObject } from '../contract/json.js';
import type { MediaType } from '../contract/operations/operation.js';
import { readSampleFile, isTextType, readSampleText } from '../generate/sample-file.js';
import type { GenerateContext, Generator } from '../generate/generate.js';
import { isJsonType, isSequenceType, isXmlType, toEssence } from '../http/media-type.js';

/** Generates the body of a media type from its schema. */
type GenerateBody = (media: MediaType, mediaType: string, context: GenerateContext) => unknown;

/**
 * Creates a generator of bodies: values of the schema for JSON and XML, strings for `text/*`, small sample files for binary
 * types, a stream of items for sequential ones.
 */
export function createGenerateBody(contract: Contract, generator: Generator): GenerateBody {
  return (media, mediaType, context) => {
    const essence = toEssence(mediaType);
    if (isSequenceType(essence)) {
      return streamItems(generator, planItems(contract, media, essence), { essence, context });
    }
    const isJson = isJsonType(essence) || essence === 'application/x-www-form-urlencoded';
    const usesSchema = isJson || essence === 'text/plain' || !isPlainText(contract, media);
    if (usesSchema && media.schema !== undefined) return generator.value(media.schemaPointer, context);
    if (isJson) return {};
    return isXmlType(essence) || isTextType(essence) ? readSampleText(essence) : readSampleFile(essence);
  };
}

/** Whether a schema allows any string or bytes, so that a sample file of the type is the best body. */
function isPlainText(contract: Contract, media: MediaType): boolean {
  if (media.schema === undefined || media.schema === true) return true;
  const { schema } = contract.resolve(media.schema, media.schemaPointer);
  if (!isObject(schema)) return schema;
  const type = Array.isArray(schema['type']) ? schema['type'].find((one) => one !== 'null') : schema['type'];
  const isText = type === 'string' || type === undefined || type === 'file';
  return isText && !CONSTRAINTS.some((keyword) => schema[keyword] !== undefined);
}

/** Keywords that a sample file may break. */
const CONSTRAINTS = 'enum const pattern minLength maxLength allOf anyOf oneOf properties items not'.split(' ');

/** The schema of each item of a stream, and what an item is. */
export interface ItemPlan {
  readonly schemaPointer: string;
  /** `event`: an object with `event`, `data` and `id`; `data`: the data of an event; `value`: a line. */
  readonly form: 'data' | 'event' | 'value';
}

/** Items of a generated stream. */
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

/** A stream of a few items of the schema. */
function streamItems(
  generator: Generator,
  plan: ItemPlan | undefined,
  { essence, context }: { readonly essence: string; readonly context: GenerateContext },
): AsyncIterable<unknown> {
  return {
    async *[Symbol.asyncIterator]() {
      for (let i = 0; i < ITEM_COUNT; i++) {
        const key = `${context.key}\nitem ${i}`;
        const value = plan === undefined ? {} : generator.value(plan.schemaPointer, { ...context, key });
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
