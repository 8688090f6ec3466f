import type { Exchange } from '../../answer/chain.js';
import { filterMembers, isEqualJson, mapScalars, readMember } from '../../base/json.js';
import type { Call } from '../../http/request/call.js';
import type { CreatedSample, Resource } from '../item/resource.js';
import type { Item, StoredItem } from '../store/lists/item-list.js';
import type { ItemLocation } from '../store/on-demand.js';

/** What a service made of the request that a create repeats. */
export interface FoundSample {
  /** The id of the item; undefined if an item has it already. */
  readonly id: string | number | undefined;
  /** Its members without the id and without what is new in each item, such as the time of the create. */
  readonly values: Item;
  /** The created item without members that the recorded one did not have. */
  prune(created: StoredItem): StoredItem;
}

/** Creates the finder of the sample of a request; undefined for a resource without samples. */
export function createSampleFinder({
  samples,
  idProperty = 'id',
}: Resource): ((exchange: Exchange, body: Item, location: ItemLocation) => FoundSample | undefined) | undefined {
  if (samples === undefined || samples.length === 0) return undefined;
  const readId = ({ item }: CreatedSample): string | number | undefined => {
    const id = readMember(item, idProperty);
    return typeof id === 'string' || typeof id === 'number' ? id : undefined;
  };
  return ({ call, session }, body, location) => {
    const same = samples.filter((sample) => isRequest(sample, call, body));
    const isFree = (sample: CreatedSample): boolean => {
      const id = readId(sample);
      return id !== undefined && location.collection.get(String(id), location.scope) === undefined;
    };
    const free = same.find(isFree);
    const sample = free ?? same.at(-1);
    if (sample === undefined) return undefined;
    const { at, item: recorded, generated = [] } = sample;
    const item = at === undefined ? recorded : moveTimes(recorded, { from: Date.parse(at), to: session.clock.now() });
    return {
      id: free && readId(free),
      values: filterMembers(item, (name) => name !== idProperty && !generated.includes(name)),
      prune: (created) => {
        const isKept = (name: string): boolean => Object.hasOwn(item, name) || name === idProperty;
        const pruned = filterMembers(created.item, (name) => isKept(name) || generated.includes(name));
        if (location.model.check(pruned).length > 0) return created;
        return location.collection.update(created.id, { item: pruned }, location.scope) ?? created;
      },
    };
  };
}

/** @param item - The part of the body that is the item, of a request that sends several. */
function isRequest({ path = {}, query = {}, body = {} }: CreatedSample, call: Call, item: Item): boolean {
  const isSame = (known: Item, given: Readonly<Record<string, unknown>>): boolean =>
    Object.entries(known).every(([name, value]) => String(given[name]) === String(value));
  return (
    isSame(path, call.path) &&
    isSame(query, call.query) &&
    (isEqualJson(body, call.body ?? {}) || isEqualJson(body, item))
  );
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** An item with the times near a moment moved to another moment, in the form that they have. */
function moveTimes(item: Item, { from, to }: Readonly<Record<'from' | 'to', number>>): Item {
  const moved = mapScalars(item, (value) => {
    const unit = typeof value === 'number' && Math.abs(value * 1000 - from) <= DAY_MS ? 1000 : 1;
    const time = typeof value === 'string' && DATE_TIME.test(value) ? Date.parse(value) : Number(value) * unit;
    if (!Number.isFinite(time) || Math.abs(time - from) > DAY_MS) return value;
    const now = time + to - from;
    return typeof value === 'string' ? new Date(now).toISOString() : Math.floor(now / unit);
  });
  // `mapScalars` keeps objects.
  return moved as Item;
}

const DATE_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2})$/;
