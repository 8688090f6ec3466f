import type { Contract } from '../contract/contract.js';
import { isObject } from '../contract/json.js';
import type { MediaType } from '../contract/operations/operation.js';
import { readSampleFile, isTextType, readSampleText } from '../generate/sample-file.js';
import type { GenerateContext, Generator } from '../generate/generate.js';
import { isSequenceType, isJsonType, isXmlType, toEssence } from '../contract/media-type.js';
import { createItemStream, type ItemPlan, planItems } from '../http/stream-items.js';
import type { SourceParts } from './chain.js';
import { createEventGenerator } from './streams/stream-plan.js';

/** Generates the body of a media type from its schema. */
type GenerateBody = (media: MediaType, mediaType: string, context: GenerateContext) => unknown;

/**
 * Creates a generator of bodies: values of the schema for JSON and XML, strings for `text/*`, small sample files for binary
 * types, a stream of items for sequential ones.
 */
export function createGenerateBody(parts: SourceParts): GenerateBody {
  const { contract, generator } = parts;
  const generateEvents = createEventGenerator(parts);
  return (media, mediaType, context) => {
    const essence = toEssence(mediaType);
    if (isSequenceType(essence)) {
      const plan = planItems(contract, media, essence);
      const events = plan && generateEvents(plan, context);
      return events === undefined ? streamItems(generator, plan, { essence, context }) : createItemStream(events);
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

/** Items of a generated stream. */
const ITEM_COUNT = 3;

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
