import { isJsonType } from '../../../http/media-type.js';
import type { Binding } from '../../../state/resource.js';
import { createPreconditions } from './conditions.js';
import { createChoice, createProjections, type StateContext, type StateHandler, toAnswer } from './context.js';
import { answerMissing, createLocationFinder, findEntry, readId } from './location.js';

/** Answers with one item. */
export function createReadHandler(context: StateContext, binding: Binding): StateHandler {
  const findLocation = createLocationFinder(context, binding);
  const choose = createChoice(binding.operation);
  const { resource } = context.items.model(binding.collection);
  const project = createProjections(context, resource);
  const preconditions = createPreconditions(context, binding);
  const isFixtureOnly = resource.singleton && isReadOnly(context, binding);
  return (exchange, transaction) => {
    const choice = choose(exchange.call);
    const location = findLocation(exchange, transaction);
    if ('missing' in location) return location.missing;
    if (isFixtureOnly && !location.collection.started) return undefined;
    const id = readId(exchange.call, binding.id);
    const entry = findEntry(context, exchange, { location, id });
    if (entry === undefined) return answerMissing(context, exchange, { binding, id, location });
    if (choice === undefined) return undefined;
    const refused = preconditions.before(exchange, entry);
    if (refused !== undefined) return refused;
    return toAnswer(choice, project(choice.media?.schemaPointer)(entry, exchange), preconditions.headers(entry));
  };
}

/** Whether no operation writes the collection: then only fixtures have its items. */
function isReadOnly({ resources }: StateContext, { collection }: Binding): boolean {
  return [...resources.bindings.values()].every((each) => each.collection !== collection || each.action === 'read');
}

/** Answers with the content of one item: its bytes, or a JSON string where the contract declares JSON. */
export function createContentHandler(context: StateContext, binding: Binding): StateHandler {
  const findLocation = createLocationFinder(context, binding);
  const choose = createChoice(binding.operation);
  return (exchange, transaction) => {
    const choice = choose(exchange.call);
    const location = findLocation(exchange, transaction);
    if ('missing' in location) return location.missing;
    const id = readId(exchange.call, binding.id);
    const entry = findEntry(context, exchange, { location, id });
    if (entry === undefined) return answerMissing(context, exchange, { binding, id, location });
    if (choice === undefined || entry.content === undefined) return undefined;
    const { bytes, mediaType = 'application/octet-stream' } = entry.content;
    // The contract declares a range: the media type is that of the content.
    if (choice.media?.type.includes('*') === true) return { ...toAnswer(choice, bytes), mediaType };
    const json = choice.mediaType !== undefined && isJsonType(choice.mediaType);
    return toAnswer(choice, json ? new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes) : bytes);
  };
}
