import type { Contract } from '../contract/contract.js';
import { isObject } from '../contract/json.js';
import type { MediaType } from '../contract/operations/operation.js';
import { readSampleFile, isTextType, readSampleText } from '../generate/sample-file.js';
import type { GenerateContext, Generator } from '../generate/generate.js';
import { isJsonType, isSequenceType, isXmlType, toEssence } from '../http/media-type.js';
import { streamItems } from './item-stream.js';

/** Makes the body of a media type out of nothing but its schema. */
type GenerateBody = (media: MediaType, mediaType: string, context: GenerateContext) => unknown;

/**
 * Creates the maker of bodies: a value of the schema for JSON and XML, a text for `text/*`, small but real bytes for the
 * binary types, a stream of items for the sequential ones.
 */
export function createGenerateBody(contract: Contract, generator: Generator): GenerateBody {
  return (media, mediaType, context) => {
    const essence = toEssence(mediaType);
    if (isSequenceType(essence)) return streamItems({ contract, generator }, { media, essence, context });
    const pointer = media.schema === undefined ? undefined : media.schemaPointer;
    if (isJsonType(essence) || essence === 'application/x-www-form-urlencoded') {
      return pointer === undefined ? {} : generator.value(pointer, context);
    }
    const isPlain = isPlainText(contract, media);
    if (isXmlType(essence))
      return isPlain || pointer === undefined ? readSampleText(essence) : generator.value(pointer, context);
    if (isTextType(essence)) {
      if (pointer === undefined || (isPlain && essence !== 'text/plain')) return readSampleText(essence);
      return generator.value(pointer, context);
    }
    return isPlain || pointer === undefined ? readSampleFile(essence) : generator.value(pointer, context);
  };
}

/** Whether a schema asks for no more than some text or some bytes, so that a real file of the type is the best answer. */
function isPlainText(contract: Contract, media: MediaType): boolean {
  if (media.schema === undefined || media.schema === true) return true;
  const { schema } = contract.resolve(media.schema, media.schemaPointer);
  if (!isObject(schema)) return schema;
  const type = Array.isArray(schema['type']) ? schema['type'].find((one) => one !== 'null') : schema['type'];
  const isText = type === 'string' || type === undefined || type === 'file';
  return isText && !DEMANDS.some((keyword) => schema[keyword] !== undefined);
}

/** Keywords that a file cannot be trusted to obey. */
const DEMANDS = [
  'enum',
  'const',
  'pattern',
  'minLength',
  'maxLength',
  'allOf',
  'anyOf',
  'oneOf',
  'properties',
  'items',
  'not',
];
