import { isObject, readMember } from '../../../contract/json.js';
import type { Call } from '../../../http/request/call.js';
import { readFilterExpression } from '../../../state/pages/filter-expression.js';
import type { PagePlan } from '../../../state/pages/plan.js';
import {
  type Condition,
  createSelection,
  isScalar,
  KEEPS_ALL,
  readFilters,
  readSearch,
  readSelector,
  type Selection,
  toCondition,
} from '../../../state/pages/view.js';
import type { Binding } from '../../../state/resource.js';
import { readScope, toChildScope, toScope } from '../../../state/store/collection.js';
import type { Entry, Item, ItemList } from '../../../state/store/lists/item-list.js';
import { findIndex } from '../../../state/store/lists/item-list.js';
import type { ItemLocation } from '../../../state/store/on-demand.js';
import type { OperationContext } from './context.js';
import { readItemId } from './request.js';

/** The items of a list, and the entry behind each. */
interface ListedItems {
  readonly list: ItemList;
  /** The entry of the store for an entry of the list. */
  origin(entry: Entry): Entry;
}

/** Plans which items a list shows: those of one parent, or those of every parent where the path names none. */
export function createListReader(context: OperationContext): (location: ItemLocation, call: Call) => ListedItems {
  const { binding, model } = context;
  const { elements } = binding;
  if (elements !== undefined) {
    return (location, call) => {
      const owner = context.items.lookUp(location, readItemId(context, call));
      const own = toElements(owner && readMember(owner.item, elements.property));
      const { of } = elements;
      return listElements(of === undefined ? own : showRelated(context, location, { of, elements: own }));
    };
  }
  if (model.resource.parents.length === 0 || binding.parents.length > 0 || binding.within !== undefined) {
    return (location) => {
      context.items.seed(location);
      advanceAll(context, location);
      return { list: location.collection.list(location.scope), origin: (entry) => entry };
    };
  }
  const seed = createParentSeed(context);
  return (location) => {
    seed(location);
    for (const scope of location.collection.scopes) advanceAll(context, { ...location, scope });
    return joinLists(location.collection);
  };
}

/** Plans which items of a list a request asks for: by the path, filters, a label selector, a search and an expression. */
export function createSelector(
  { operation, within }: Binding,
  plan: PagePlan,
): (location: ItemLocation, call: Call, values: PageValues) => Selection {
  const selector = operation.parameters.find(({ name }) => /^label_?selector$/i.test(name))?.name;
  const read = (name: string | undefined, values: PageValues, toTest: typeof readSearch): readonly Condition[] => {
    const value = name === undefined ? undefined : values[name];
    const keeps = toTest(value);
    return name === undefined || keeps === undefined ? [] : [{ name, value, keeps }];
  };
  const isWhole = within === undefined && plan.ids === undefined && plan.filters.length + plan.hidden.length === 0;
  const named = [selector, plan.search, plan.expression];
  if (isWhole && named.every((name) => name === undefined)) return () => KEEPS_ALL;
  return (location, call, values) =>
    createSelection([
      ...(within === undefined ? [] : [readPart(within, location, call)]),
      ...readIds(plan, location, values),
      ...readFilters(plan.filters, values),
      ...read(selector, values, readSelector),
      ...read(plan.search, values, readSearch),
      ...readExpression(plan, values),
      ...plan.hidden.flatMap(({ name, isShown, isHidden }): readonly Condition[] =>
        isShown(values) ? [] : [{ name, value: undefined, keeps: (entry) => !isHidden(entry) }],
      ),
    ]);
}

/** The items that a request names by their ids or another key; no condition where it names none. */
function readIds({ ids }: PagePlan, { model }: ItemLocation, values: PageValues): readonly Condition[] {
  const wanted = new Set(listIds(ids, values));
  if (ids === undefined || wanted.size === 0) return [];
  const keys = model.resource.alternateKeys;
  const isNamed = (entry: Entry): boolean =>
    // The ids of items of several parents begin with that of the parent.
    wanted.has(entry.id) || wanted.has(readScope(entry.id).at(-1) ?? '') || hasKey(entry, keys, wanted);
  return [{ name: ids.name, value: values[ids.name], keeps: isNamed }];
}

function hasKey({ item }: Entry, keys: readonly string[], wanted: ReadonlySet<string>): boolean {
  return keys.some((key) => {
    const value = readMember(item, key);
    return isScalar(value) && wanted.has(String(value));
  });
}

function listIds(ids: PagePlan['ids'], values: PageValues): readonly string[] {
  const value = ids === undefined ? undefined : values[ids.name];
  const given: readonly unknown[] = typeof value === 'string' ? value.split(',') : [value].flat();
  return given.flatMap((id) => (isScalar(id) && id !== '' ? [String(id).trim()] : []));
}

/** Creates the items that a request names, where unknown ids are created, so that a list shows them as a read does. */
export function createNamedItems(
  { binding: { elements, parents, within }, items, model }: OperationContext,
  { ids }: PagePlan,
): (location: ItemLocation, values: PageValues) => void {
  const isOfOne = elements === undefined && within === undefined && model.resource.parents.length === parents.length;
  if (ids === undefined || !isOfOne) return () => undefined;
  const { property } = ids;
  return (location, values) => {
    for (const id of listIds(ids, values)) {
      const known = property === undefined ? location.known : { ...location.known, [property]: id };
      items.find({ ...location, known }, id);
    }
  };
}

function readExpression({ expression: name, item }: PagePlan, values: PageValues): readonly Condition[] {
  const value = name === undefined ? undefined : values[name];
  if (name === undefined || typeof value !== 'string' || value.trim() === '') return [];
  const { test, problem } = readFilterExpression(value, item);
  return [{ name, value, problem, keeps: (entry) => test === undefined || test(entry.item) }];
}

/** Adds the required filters of a request to the location, so that the initial items of a list match them. */
export function createRequiredFilters({
  filters,
}: PagePlan): (location: ItemLocation, values: PageValues) => ItemLocation {
  const required = filters.filter(({ isRequired }) => isRequired);
  if (required.length === 0) return (location) => location;
  return (location, values) => {
    const given = Object.fromEntries(
      required.map(({ parameter, property, inner }) => {
        const value = values[parameter];
        return [property, inner === undefined ? value : { [inner]: value }];
      }),
    );
    const part = `${location.part}?${JSON.stringify(given)}`;
    return { ...location, known: { ...location.known, ...given }, part };
  };
}

/** The items of the parent in the path, where a list below a parent shows part of a collection. */
function readPart({ property, parameter }: Within, { part }: ItemLocation, call: Call): Condition {
  // A path that leaves the user of the request out has the id in the location.
  const value = call.path[parameter] ?? readScope(part).at(-1);
  if (property !== undefined) return toCondition(parameter, property, value);
  return { name: parameter, value, keeps: (entry) => entry.part === part };
}

type Within = NonNullable<Binding['within']>;

/** The values of the parameters of a list, by name. */
export type PageValues = ReturnType<PagePlan['readValues']>;

/** The items of a collection that elements identify, those that exist. */
export function showRelated(
  { items }: Pick<OperationContext, 'items'>,
  { transaction }: Pick<ItemLocation, 'transaction'>,
  { of, elements }: { readonly of: string; readonly elements: readonly unknown[] },
): readonly Item[] {
  const location = items.locate(transaction, of);
  return elements.flatMap((each) => {
    const found = isObject(each) ? items.find(location, String(each['id'])) : undefined;
    return found === undefined ? [] : [found.item];
  });
}

/** The elements of an array; none for any other value. */
export function toElements(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The elements of an array as a list; a string or a number is the `name` of its item. */
function listElements(elements: readonly unknown[]): ListedItems {
  const entries = elements.map((element, i): Entry => {
    const item = isObject(element) ? element : { name: element };
    return { id: String(i), sequence: i, item, revision: 1, size: 0, content: undefined };
  });
  const get = (id: string): Entry | undefined => entries[Number(id)];
  return { list: { size: entries.length, entries, removed: [], get, recall: get }, origin: (entry) => entry };
}

/** Advances the statuses of the items of a list by the clock. */
function advanceAll({ items, model }: OperationContext, location: ItemLocation): void {
  if (model.lifecycle?.stepMs === undefined) return;
  for (const entry of location.collection.list(location.scope).entries.slice()) items.advance(location, entry, 'clock');
}

/** Creates the initial items below the parents that exist. */
function createParentSeed({ items, model, bindingsOf, binding }: OperationContext): (location: ItemLocation) => void {
  const [parent, ...others] = model.resource.parents;
  const [link] = bindingsOf(binding.collection).find(({ parents }) => parents.length === 1)?.parents ?? [];
  const names = (link?.parameters ?? []).filter((name) => model.schema?.properties.has(name));
  return (location) => {
    // Deeper lists show what was created.
    if (parent === undefined || others.length > 0) return;
    const above = items.locate(location.transaction, parent);
    items.seed(above);
    for (const { id } of above.collection.list('').entries) {
      const known = Object.fromEntries(names.map((name) => [name, id]));
      items.seed({ ...location, scope: toScope(id), known });
    }
  };
}

/** The lists of all scopes as one; ids in it begin with the scope, since items of two parents can have the same id. */
function joinLists({ scopes, list }: ItemLocation['collection']): ListedItems {
  const origins: Entry[] = [];
  const entries: Entry[] = [];
  const byId = new Map<string, Entry>();
  const starts = new Map<string, number>();
  for (const scope of scopes) {
    starts.set(scope, entries.length);
    for (const entry of list(scope).entries) {
      const id = toChildScope(scope, entry.id);
      const joined = { ...entry, id, sequence: entries.length };
      origins.push(entry);
      entries.push(joined);
      byId.set(id, joined);
    }
  }
  const recall = (id: string): Entry | undefined => {
    const known = byId.get(id) ?? entries.find((_, i) => origins[i]?.id === id);
    if (known !== undefined) return known;
    const ids = readScope(id);
    const scope = toScope(...ids.slice(0, -1));
    const removed = list(scope).recall(ids.at(-1) ?? '');
    const before = removed && findIndex(list(scope).entries, removed.sequence);
    // Between its former neighbours.
    return removed && { ...removed, id, sequence: (starts.get(scope) ?? 0) + (before ?? 0) - 0.5 };
  };
  return {
    list: { size: entries.length, entries, removed: [], get: (id) => byId.get(id), recall },
    origin: ({ sequence }) => origins[sequence] as Entry, // the sequence is the index
  };
}
