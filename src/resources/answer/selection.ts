import { readMember } from '../../base/json.js';
import { findSuccessMedia } from '../../contract/operations/responses.js';
import { means } from '../../conventions/conventions.js';
import type { Answer } from '../../http/answer.js';
import type { Call } from '../../http/request/call.js';
import { isScalar } from '../list/comparisons.js';
import { readFilterExpression } from '../list/filter-expression.js';
import type { FilterKnowledge } from '../list/filters.js';
import type { PageInput } from '../list/inputs.js';
import type { PagePlan } from '../list/plan.js';
import { isStructured, readStructuredQuery } from '../list/structured-query.js';
import {
  type Condition,
  createSelection,
  KEEPS_ALL,
  readFilters,
  readSearch,
  readSelector,
  readSort,
  type Selection,
  toCondition,
} from '../list/view.js';
import type { Binding } from '../item/resource.js';
import { readScope } from '../store/collection.js';
import type { StoredItem } from '../store/lists/item-list.js';
import type { ItemLocation } from '../store/on-demand.js';
import type { Exchange } from '../../answer/chain.js';
import { NO_HEADERS, type OperationContext } from './context.js';

/** The values of the parameters of a list, by name. */
export type PageValues = ReturnType<PagePlan['readValues']>;

/** Plans which items of a list a request asks for: by the path, filters, a label selector, a search and an expression. */
export function createSelector(
  { binding: { operation, within }, model: { resource }, read: readSchema }: OperationContext,
  plan: PagePlan,
): (location: ItemLocation, call: Call, values: PageValues) => Selection {
  const selector = operation.parameters.find(({ name }) => LABEL_SELECTOR.test(name))?.name;
  const known = { item: plan.item, read: readSchema, resource };
  const read = (name: string | undefined, values: PageValues, toTest: typeof readSearch): readonly Condition[] => {
    const value = name === undefined ? undefined : values[name];
    const keeps = toTest(value);
    return name === undefined || keeps === undefined ? [] : [{ name, value, keeps }];
  };
  const isWhole = within === undefined && plan.ids === undefined && plan.filters.length + plan.hidden.length === 0;
  const named = [selector, plan.search, plan.expression, ...plan.structured];
  if (isWhole && named.every((name) => name === undefined)) return () => KEEPS_ALL;
  return (location, call, values) =>
    createSelection([
      ...(within === undefined ? [] : [readPart(within, location, call)]),
      ...readIds(plan, location, values),
      ...readFilters(plan.filters, values),
      ...read(selector, values, readSelector),
      ...read(plan.search, values, readSearch),
      ...readExpression(plan, values),
      ...readStructured(plan, values, known),
      ...plan.hidden.flatMap(({ name, isShown, isHidden }): readonly Condition[] =>
        isShown(values) ? [] : [{ name, value: undefined, keeps: (entry) => !isHidden(entry) }],
      ),
    ]);
}

/** The items that a request names by their ids or another key; no condition where it names none. */
function readIds({ ids }: PagePlan, { model }: ItemLocation, values: PageValues): readonly Condition[] {
  const wanted = new Set(listIds(ids, values));
  if (ids === undefined || wanted.size === 0) return [];
  const isWanted = (value: unknown): boolean => isScalar(value) && wanted.has(String(value));
  const isNamed = (entry: StoredItem): boolean =>
    // The ids of items of several parents begin with that of the parent.
    wanted.has(entry.id) ||
    wanted.has(readScope(entry.id).at(-1) ?? '') ||
    model.resource.alternateKeys.some((key) => isWanted(readMember(entry.item, key)));
  return [{ name: ids.name, value: values[ids.name], keeps: isNamed }];
}

/** The ids that a request names. */
export function listIds(ids: PagePlan['ids'], values: PageValues): readonly string[] {
  const value = ids === undefined ? undefined : values[ids.name];
  const given: readonly unknown[] = typeof value === 'string' ? value.split(',') : [value].flat();
  return given.flatMap((id) => (isScalar(id) && id !== '' ? [String(id).trim()] : []));
}

/** The conditions that a request sends as JSON. */
function readStructured({ structured }: PagePlan, values: PageValues, known: FilterKnowledge): readonly Condition[] {
  return structured.flatMap((name): readonly Condition[] => {
    const value = values[name];
    if (!isStructured(value)) return [];
    const { test, problem } = readStructuredQuery(value, known);
    return [{ name, value, problem, keeps: (entry) => test === undefined || test(entry.item) }];
  });
}

function readExpression({ expression: name, item }: PagePlan, values: PageValues): readonly Condition[] {
  const value = name === undefined ? undefined : values[name];
  if (name === undefined || typeof value !== 'string' || value.trim() === '') return [];
  const { test, problem } = readFilterExpression(value, item);
  return [{ name, value, problem, keeps: (entry) => test === undefined || test(entry.item) }];
}

/** The items of the parent in the path, where a list below a parent shows part of a collection. */
function readPart({ property, parameter }: Within, { part }: ItemLocation, call: Call): Condition {
  // A path that leaves the user of the request out has the id in the location.
  const value = call.path[parameter] ?? readScope(part).at(-1);
  if (property !== undefined) return toCondition(parameter, { property }, value);
  return { name: parameter, value, keeps: (entry) => entry.part === part };
}

type Within = NonNullable<Binding['within']>;

/** Plans which parameters of a request nothing reads, so that a client does not take the list for a filtered one. */
function createIgnoredReader(
  { binding: { operation, places }, read }: OperationContext,
  { unused, sort, item }: PagePlan,
): (values: PageValues) => readonly string[] {
  const placed = new Set(Object.values(places ?? {}).map(({ path: [name = ''] }) => name));
  const hasIncluded = read(findSuccessMedia(operation)?.schemaPointer)?.members.has('included') === true;
  const isReadElsewhere = ({ name, known }: PageInput): boolean =>
    placed.has(name) ||
    means(known, 'queries.expand', 'queries.fields', 'queries.mask', 'queries.removed', 'secrets.credential') ||
    (hasIncluded && name === 'include') ||
    LABEL_SELECTOR.test(name);
  const names = unused.filter((input) => !isReadElsewhere(input)).map(({ name }) => name);
  return (values) => {
    const isUnknownOrder =
      sort !== undefined && values[sort] !== undefined && readSort(values[sort], item) === undefined;
    return [...names.filter((name) => values[name] !== undefined), ...(isUnknownOrder ? [sort] : [])];
  };
}

const LABEL_SELECTOR = /^label_?selector$/i;

/** Plans the header of an answer that ignores what a request asks for; the trace names it, too. */
export function createIgnoredHeader(
  context: OperationContext,
  plan: PagePlan,
): (exchange: Exchange, values: PageValues, selection: Selection) => Answer['headers'] {
  const findIgnored = createIgnoredReader(context, plan);
  return ({ note }, values, { ignored }) => {
    const unread = findIgnored(values);
    for (const name of unread) note(`state: ${name} has no effect on the list`);
    const names = [...ignored, ...unread];
    return names.length === 0 ? NO_HEADERS : { 'x-mock-ignored': names.join(', ') };
  };
}
