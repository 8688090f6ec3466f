import type { Entry, Item } from './collection.js';
import type { ItemLocation } from './on-demand.js';

/** An item with the status that it has by now, where its status advances by itself: a read advances it by one, or the clock. */
export type Advance = (location: ItemLocation, entry: Entry, by: 'clock' | 'read') => Entry;

/** Replaces an item by its changed form, with the timestamps of the change. */
type Update = (
  location: ItemLocation,
  entry: Entry,
  change: { readonly after: Item; readonly strict: boolean },
) => { readonly entry: Entry } | { readonly problems: unknown };

/** Creates the function that advances the statuses of items; fixtures and what a test adds keep theirs. */
export function createAdvance(update: Update): Advance {
  return (location, entry, by) => {
    const { model, collection, scope, transaction } = location;
    const { lifecycle } = model;
    const { statusSince } = entry;
    if (lifecycle === undefined || statusSince === undefined) return entry;
    const now = transaction.clock.now();
    const { stepMs } = lifecycle;
    const elapsed = stepMs === undefined ? 0 : Math.floor((now - statusSince) / stepMs);
    const steps = stepMs === undefined && by === 'read' ? 1 : elapsed;
    const input = { seed: transaction.seed, key: `${model.resource.name}\0${scope}\0${entry.id}`, now };
    let after: Item | undefined;
    for (let step = 0; step < steps; step++) {
      const next = lifecycle.advance(after ?? entry.item, input);
      if (next === undefined) break;
      after = next;
    }
    if (after === undefined) return entry;
    const updated = update(location, entry, { after, strict: false });
    if ('problems' in updated) return entry;
    if (stepMs === undefined) return updated.entry;
    return collection.update(entry.id, { statusSince: statusSince + steps * stepMs }, scope) ?? updated.entry;
  };
}
