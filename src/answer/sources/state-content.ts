import { isJsonType } from '../../http/media-type.js';
import type { Binding } from '../../state/resource.js';
import { createChoice, toAnswer, type StateHandler, type StateKit } from './state-kit.js';
import { answerMissing, createPlaceFinder, findEntry, readId } from './state-scope.js';

/** Answers with the bytes behind one item: as they are, or as a JSON string where the contract speaks of JSON. */
export function createContentHandler(kit: StateKit, binding: Binding): StateHandler {
  const findPlace = createPlaceFinder(kit, binding);
  const choose = createChoice(binding.operation);
  return (exchange, next) => {
    const choice = choose(exchange.call);
    const place = findPlace(exchange);
    if ('missing' in place) return place.missing;
    const id = readId(exchange.call, binding.id);
    const entry = findEntry(kit, exchange, { place, id });
    if (entry === undefined) return answerMissing(kit, exchange, { binding, id, place }) ?? next();
    if (choice === undefined || entry.content === undefined) return next();
    const { bytes, mediaType = 'application/octet-stream' } = entry.content;
    if (choice.media?.type.includes('*') === true) {
      // The contract leaves the type open: it is the item's own.
      return { ...toAnswer(choice, bytes), mediaType };
    }
    const json = choice.mediaType !== undefined && isJsonType(choice.mediaType);
    return toAnswer(choice, json ? new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes) : bytes);
  };
}
