import { type Contract, readSchemaAt } from '../contract/contract.js';
import { isJsonType, isSequenceType, isXmlType, toEssence } from '../contract/media-type.js';
import type { MediaType } from '../contract/operations/operation.js';
import { isXmlText } from '../http/xml.js';
import { planItems, readItem } from '../http/stream-items.js';
import type { Validators } from '../schema/validate.js';
import { NO_VIOLATIONS, type Violation } from '../schema/violation.js';

/**
 * Whether a string is a body as it is sent, which the schema does not describe: CSV, HTML or a form of an object (OpenAPI 3.1 section 4.8.14:
 * an example of a type that JSON cannot express is a string).
 */
export function isSerializedType(contract: Contract, mediaType: string, schemaPointer: string): boolean {
  const essence = toEssence(mediaType);
  if (isSequenceType(essence)) return true;
  return !isJsonType(essence) && readSchemaAt(contract, schemaPointer)?.type !== 'string';
}

/** Creates the check of the examples of a media type: serialized ones are not checked, those of a stream item by item. */
export function createExampleCheck(
  contract: Contract,
  validators: Validators,
  media: MediaType,
): (value: unknown) => readonly Violation[] {
  const essence = toEssence(media.type);
  const isSerialized = (value: unknown): boolean => {
    if (typeof value !== 'string' || essence.startsWith('multipart/') || /^(?:\*|application)\/\*$/.test(essence))
      return false;
    return isSerializedType(contract, essence, media.schemaPointer) && (!isXmlType(essence) || isXmlText(value));
  };
  const plan = isSequenceType(essence) ? planItems(contract, media, essence) : undefined;
  if (plan !== undefined) {
    const check = validators.check(plan.schemaPointer, 'response');
    return (value) =>
      isSerialized(value) ? NO_VIOLATIONS : [value].flat().flatMap((item) => check(readItem(item, plan), 'body'));
  }
  if (media.schema === undefined) return () => NO_VIOLATIONS;
  const check = validators.check(media.schemaPointer, 'response');
  return (value) => (isSerialized(value) ? NO_VIOLATIONS : check(value, 'body'));
}
