import { ANNOTATIONS } from '../../contract/schema-view/keywords.js';
import { filterMembers, isObject } from '../../base/json.js';
import type { PropertyView, ReadSchema } from '../../contract/schema-view/schema-view.js';
import type { GenerateContext, Generator } from '../../generate/generate.js';
import type { JsonObject } from './chunks.js';
import type { ItemPlan } from '../../http/stream-items.js';

/**
 * Creates a function that completes the events of a stream by their schema: with the fields that it requires or has values for.
 *
 * A given event has fields of that schema only; its data is the JSON, even where the schema has a string.
 */
export function createWholeEvents(
  { generator, read }: { readonly generator: Generator; readonly read: ReadSchema },
  { schemaPointer, json }: ItemPlan,
  context: GenerateContext,
): (given: JsonObject, index: number) => unknown {
  const members = [...(read(schemaPointer)?.members.values() ?? [])];
  const event = members.find(({ name }) => name === 'event');
  // HTML standard 9.2.6: an event without a type is a `message`, which is what a client listens for.
  const usual = event?.required === true && isFree(event) ? 'message' : undefined;
  const left = new Set(members.flatMap((each) => (!each.required && isFree(each) ? each.name : [])));
  return (fields, index) => {
    const named = event === undefined ? filterMembers(fields, (name) => name !== 'event') : fields;
    const given: Record<string, unknown> = { ...(usual === undefined ? {} : { event: usual }), ...named };
    if (json?.isText === true) given['data'] = JSON.stringify(fields['data']);
    const own = { ...context, key: `${context.key}\nevent ${index}`, full: true };
    const whole = generator.complete(schemaPointer, given, own);
    if (!isObject(whole)) return whole;
    return filterMembers(whole, (each) => each === 'data' || Object.hasOwn(given, each) || !left.has(each));
  };
}

/** Whether a schema says nothing about the values of a field but their type. */
function isFree({ schema }: PropertyView): boolean {
  return Object.keys(schema).every((keyword) => keyword === 'type' || ANNOTATIONS.test(keyword));
}
