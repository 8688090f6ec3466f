import type { Answer } from '../../http/answer.js';
import type { Call } from '../../http/call.js';
import { toScope, type Collection } from '../../state/collection.js';
import type { Entry, Item } from '../../state/item-list.js';
import { toSingular } from '../../state/resource-names.js';
import type { Binding, Resource } from '../../state/resource.js';
import type { Exchange } from '../answer-source.js';
import { toNoun, type StateKit } from './state-kit.js';
import { bringIntoBeing } from './state-world.js';

/** The place in the store that a call speaks of. */
export interface Place {
  readonly resource: Resource;
  readonly collection: Collection;
  readonly scope: string;
  /** Properties that the path itself gives: the ids of what the items live under. */
  readonly known: Item;
}

/** Finds the place a call speaks of, or the answer that says what of its path does not exist. */
export type FindPlace = (exchange: Exchange) => Place | { readonly missing: Answer };

/** Plans how the path of an operation leads into the store. */
export function createPlaceFinder(kit: StateKit, binding: Binding): FindPlace {
  const { resource, schema } = kit.kit(binding.collection);
  const links = binding.parents;
  const properties = findParentProperties(binding, [...(schema?.properties.keys() ?? [])]);
  return (exchange) => {
    const { call, session } = exchange;
    const collection = session.store.collection(resource.name);
    if (links.length === 0) return { resource, collection, scope: '', known: {} };
    const ids: string[] = [];
    for (const link of links) {
      const id = readId(call, link.parameters);
      const missing = findMissingParent(kit, exchange, { binding, link, id, above: toScope(...ids) });
      if (missing !== undefined) return { missing };
      ids.push(id);
    }
    const known: Record<string, unknown> = {};
    for (const { property, parameter } of properties) known[property] = call.path[parameter];
    return { resource, collection, scope: binding.within === undefined ? toScope(...ids) : '', known };
  };
}

/** The id that path parameters name; several make one composite id. */
export function readId(call: Call, parameters: readonly string[]): string {
  if (parameters.length === 1) return String(call.path[parameters[0] ?? '']);
  return parameters.map((name) => String(call.path[name])).join('/');
}

/** The entry a call names; in an open world it comes into being by being asked for. */
export function findEntry(
  kit: StateKit,
  exchange: Exchange,
  at: { readonly place: Place; readonly id: string },
): Entry | undefined {
  const { place, id } = at;
  return place.collection.get(id, place.scope) ?? bringIntoBeing(kit, exchange, at);
}

/** The answer for an id that names nothing. */
export function answerMissing(
  kit: StateKit,
  exchange: Exchange,
  at: { readonly binding: Binding; readonly id: string },
): Answer {
  const { binding, id } = at;
  const parent = binding.parents.at(-1);
  const noun = toNoun(kit, binding);
  const message =
    parent === undefined
      ? `no ${noun} has the id ${JSON.stringify(id)}`
      : `the ${toWords(parent.collection)} ${JSON.stringify(readId(exchange.call, parent.parameters))} has no ${noun} ${JSON.stringify(id)}`;
  exchange.note(`state: ${message}`);
  return kit.errors.answer(binding.operation, {
    status: 404,
    message,
    code: 'not_found',
    param: binding.id.at(-1),
    from: 'state',
  });
}

function findMissingParent(
  kit: StateKit,
  exchange: Exchange,
  at: {
    readonly binding: Binding;
    readonly link: Binding['parents'][number];
    readonly id: string;
    readonly above: string;
  },
): Answer | undefined {
  const { link, id, above, binding } = at;
  const { resource } = kit.kit(link.collection);
  const collection = exchange.session.store.collection(resource.name);
  const place: Place = { resource, collection, scope: resource.parents.length === 0 ? '' : above, known: {} };
  if (findEntry(kit, exchange, { place, id }) !== undefined) return undefined;
  // A collection that the contract neither describes nor lets anybody fill says nothing about which ids exist.
  if (!collection.started && resource.schema === undefined) return undefined;
  const message = `no ${toWords(link.collection)} has the id ${JSON.stringify(id)}`;
  exchange.note(`state: ${message}`);
  return kit.errors.answer(binding.operation, {
    status: 404,
    message,
    code: 'not_found',
    param: link.parameters.at(-1),
    from: 'state',
  });
}

/** The properties of an item that carry the ids of its path: `thread_id` for `{thread_id}`, `customer` for `{customer}`. */
function findParentProperties(
  binding: Binding,
  names: readonly string[],
): readonly { readonly property: string; readonly parameter: string }[] {
  const found = binding.within === undefined ? [] : [binding.within];
  const parameters = binding.parents.flatMap((link) => link.parameters);
  return [
    ...found,
    ...parameters
      .filter((parameter) => names.includes(parameter) && !found.some(({ property }) => property === parameter))
      .map((parameter) => ({ property: parameter, parameter })),
  ];
}

function toWords(collection: string): string {
  return toSingular(collection.split('.').at(-1) ?? 'item').replaceAll(/[_-]+/g, ' ');
}
