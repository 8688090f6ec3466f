import { isObject } from '../../../contract/json.js';
import type { Answer } from '../../../http/answer.js';
import type { Call } from '../../../http/request/call.js';
import type { Binding, Resource } from '../../../state/resource.js';
import { type Collection, toScope } from '../../../state/store/collection.js';
import type { Entry, Item } from '../../../state/store/item-list.js';
import type { Exchange } from '../../chain.js';
import { chooseDeclared, type StateKit, toWords } from './kit.js';
import { bringIntoBeing } from './world.js';

/** The place in the store that a call speaks of. */
export interface Place {
  readonly resource: Resource;
  readonly collection: Collection;
  readonly scope: string;
  /** Properties that the path itself gives: the ids of what the items live under. */
  readonly known: Item;
  /** For a list that shows the part of a collection that belongs to a parent: which parent. */
  readonly part: string;
}

/** Finds the place a call speaks of, or the answer that says what of its path does not exist. */
type FindPlace = (exchange: Exchange) => Place | { readonly missing: Answer };

/** Plans how the path of an operation leads into the store. */
export function createPlaceFinder(kit: StateKit, binding: Binding): FindPlace {
  const { resource, schema } = kit.kit(binding.collection);
  const links = binding.parents;
  const properties = findParentProperties(binding, [...(schema?.properties.keys() ?? [])]).map(
    ({ property, parameter }) => {
      const asObject = isOnlyObject(kit, schema?.properties.get(property)?.pointer);
      return { property, parameter, asObject };
    },
  );
  return (exchange) => {
    const { call, session } = exchange;
    const collection = session.store.collection(resource.name);
    if (links.length === 0) return { resource, collection, scope: '', known: {}, part: '' };
    const ids: string[] = [];
    for (const link of links) {
      const id = readId(call, link.parameters);
      const missing = findMissingParent(kit, exchange, { binding, link, id, above: toScope(...ids) });
      if (missing !== undefined) return { missing };
      ids.push(id);
    }
    const known: Record<string, unknown> = {};
    for (const { property, parameter, asObject } of properties) {
      known[property] = asObject ? { id: call.path[parameter] } : call.path[parameter];
    }
    const scope = binding.within === undefined ? toScope(...ids) : '';
    return { resource, collection, scope, known, part: binding.within === undefined ? '' : toScope(...ids) };
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

/** The answer for an id that names nothing; undefined where the store cannot know what there is. */
export function answerMissing(
  kit: StateKit,
  exchange: Exchange,
  at: { readonly binding: Binding; readonly id: string; readonly place: Place },
): Answer | undefined {
  const { binding, id, place } = at;
  if (!kit.isKnown(place.resource, place.collection)) return undefined;
  const parent = binding.parents.at(-1);
  const noun = toWords(binding.collection);
  const message =
    parent === undefined
      ? `no ${noun} has the id ${JSON.stringify(id)}`
      : `the ${toWords(parent.collection)} ${JSON.stringify(readId(exchange.call, parent.parameters))} has no ${noun} ${JSON.stringify(id)}`;
  return answerNotFound(kit, exchange, { status: 404, message, param: binding.id.at(-1) });
}

/** The answer to a membership of something that does not exist; undefined where it does, or where nothing is named. */
export function answerUnknownTarget(
  kit: StateKit,
  exchange: Exchange,
  at: { readonly binding: Binding; readonly place: Place; readonly id: string | number | undefined },
): Answer | undefined {
  const { members, memberParameter } = at.place.resource;
  if (members === undefined || at.id === undefined) return undefined;
  const target = kit.kit(members).resource;
  const collection = exchange.session.store.collection(members);
  const place: Place = { resource: target, collection, scope: '', known: {}, part: '' };
  const id = String(at.id);
  if (findEntry(kit, exchange, { place, id }) !== undefined || !kit.isKnown(target, collection)) return undefined;
  const message = `no ${toWords(members)} has the id ${JSON.stringify(id)}`;
  return answerNotFound(kit, exchange, {
    status: chooseDeclared(at.binding, [404, 400]),
    message,
    param: memberParameter,
  });
}

/** The one answer for whatever is not there, and its line in the trace. */
function answerNotFound(
  kit: StateKit,
  exchange: Exchange,
  facts: { readonly status: number; readonly message: string; readonly param: string | undefined },
): Answer {
  exchange.note(`state: ${facts.message}`);
  return kit.errors.answer(exchange.call.operation, { ...facts, code: 'not_found', from: 'state' });
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
  const { link, id, above } = at;
  const { resource } = kit.kit(link.collection);
  const collection = exchange.session.store.collection(resource.name);
  const place: Place = { resource, collection, scope: resource.parents.length === 0 ? '' : above, known: {}, part: '' };
  if (findEntry(kit, exchange, { place, id }) !== undefined) return undefined;
  // A collection that the contract neither describes nor lets anybody fill says nothing about which ids exist.
  if (!kit.isKnown(resource, collection)) return undefined;
  const message = `no ${toWords(link.collection)} has the id ${JSON.stringify(id)}`;
  return answerNotFound(kit, exchange, { status: 404, message, param: link.parameters.at(-1) });
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

/** Whether a property that names a parent holds an object and cannot hold its bare id. */
function isOnlyObject(kit: StateKit, pointer: string | undefined): boolean {
  const schema = pointer === undefined ? undefined : kit.contract.at(pointer);
  if (pointer === undefined || !isObject(schema)) return false;
  const { schema: target } = kit.contract.resolve(schema, pointer);
  if (!isObject(target)) return false;
  const isText = (each: unknown): boolean =>
    isObject(each) && (each['type'] === 'string' || each['type'] === 'integer');
  return (
    !isText(target) &&
    ![...(target.anyOf ?? []), ...(target.oneOf ?? [])].some(isText) &&
    kit.read(pointer)?.type === 'object'
  );
}
