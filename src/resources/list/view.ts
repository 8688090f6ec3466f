import { isNumber } from '../../base/exact-number.js';
import { readMember, readPath } from '../../base/json.js';
import type { SchemaView } from '../../contract/schema-view/schema-view.js';
import { type FilteredProperty, holds, isRead, isScalar, matches, readFiltered, toText } from './comparisons.js';
import { type StoredItem, findFirst, type ItemList } from '../store/lists/item-list.js';

/** Compares two entries: negative where the first comes first. */
type EntryOrder = (a: StoredItem, b: StoredItem) => number;

/** The items of a list that match the filters of a request, in the requested order. */
export interface View {
  readonly size: number;
  at(index: number): StoredItem | undefined;
  /** Items from one index up to another (excluded), in the order of the view. */
  slice(from: number, to: number): readonly StoredItem[];
  /** The index of the first item after an entry, which may have been removed. */
  after(entry: StoredItem): number;
  /** The number of items before an entry, which may have been removed. */
  before(entry: StoredItem): number;
}

/** How a view differs from its list. */
interface ViewOptions {
  readonly descending: boolean;
  readonly keep?: ((entry: StoredItem) => boolean) | undefined;
  /** Ties are broken by the order of the list. */
  readonly order?: EntryOrder | undefined;
}

/** Creates a view of a list; it copies nothing where nothing is filtered or sorted. */
export function createView(list: ItemList, { descending, keep, order }: ViewOptions): View {
  const kept = keep === undefined ? list.entries : list.entries.filter(keep);
  const entries = order === undefined ? kept : kept.toSorted(order);
  const size = entries.length;
  // Equal entries are in the order of their creation.
  const compare: EntryOrder = (a, b) => order?.(a, b) || a.sequence - b.sequence;
  const before = (entry: StoredItem): number => findFirst(entries, (each) => compare(each, entry) < 0);
  const through = (entry: StoredItem): number => findFirst(entries, (each) => compare(each, entry) <= 0);
  if (!descending) {
    return {
      size,
      at: (index) => entries[index],
      slice: (from, to) => entries.slice(from, to),
      after: through,
      before,
    };
  }
  return {
    size,
    at: (index) => entries[size - 1 - index],
    slice: (from, to) => entries.slice(Math.max(0, size - to), Math.max(0, size - from)).toReversed(),
    after: (entry) => size - before(entry),
    before: (entry) => size - through(entry),
  };
}

/** A parameter that filters by a property of the items. */
export interface Filter extends FilteredProperty {
  readonly parameter: string;
  /** The operator that compares the value, where it is another one than equality: `gte` for the earliest time. */
  readonly operator?: string | undefined;
  /** Whether every request has a value. */
  readonly isRequired?: boolean | undefined;
  /** Whether the property has no members, so that an object can only have operators. */
  readonly isScalar?: boolean | undefined;
  /** Whether the value is an array, and an item has one of its elements: `statuses` for `status`. */
  readonly isMany?: boolean | undefined;
  /** The value of a request that does not name the parameter. */
  readonly fallback?: unknown;
  /** The values that a request can name, where the property can have others; undefined where it can name any. */
  readonly values?: readonly unknown[] | undefined;
  /** Whether items cannot have a value, so that it asks for all of them: `all`, `any`, `*`. */
  readonly isForAll?: (value: unknown) => boolean;
}

/** One condition of a request on the items of a list. */
export interface Condition {
  /** Its name in the trace: the name of its parameter. */
  readonly name: string;
  /** The value that the request gives; undefined where it gives none. */
  readonly value: unknown;
  /** Why it has no effect. */
  readonly problem?: string | undefined;
  keeps(entry: StoredItem): boolean;
}

/** All conditions of a request as one predicate that counts the items which each of them leaves out. */
export interface Selection {
  /** Undefined without conditions. */
  readonly keep: ((entry: StoredItem) => boolean) | undefined;
  /** The names of the conditions that have no effect. */
  readonly ignored: readonly string[];
  /** A sentence for each condition that has left out items, or that has no effect. */
  describe(): readonly string[];
}

/** Joins conditions; each is asked about the items that those before it keep. */
export function createSelection(conditions: readonly Condition[]): Selection {
  if (conditions.length === 0) return KEEPS_ALL;
  const omitted = conditions.map(() => 0);
  let seen = 0;
  return {
    ignored: conditions.flatMap(({ name, problem }) => (problem === undefined ? [] : [name])),
    keep: (entry) => {
      seen += 1;
      const failed = conditions.findIndex((condition) => !condition.keeps(entry));
      if (failed !== -1) omitted[failed] = (omitted[failed] ?? 0) + 1;
      return failed === -1;
    },
    describe: () => {
      let left = seen;
      return conditions.flatMap(({ name, value, problem }, i) => {
        const before = left;
        left -= omitted[i] ?? 0;
        const text = value === undefined ? name : `${name}=${toText(value)}`;
        if (problem !== undefined) return `filter ${text} has no effect: ${problem}`;
        return left === before ? [] : `filter ${text} left ${left} of ${before} items`;
      });
    },
  };
}

/** The selection of a list without conditions. */
export const KEEPS_ALL: Selection = { keep: undefined, ignored: [], describe: () => [] };

/** A condition on the value of a property, or of a property of the object or the objects in it. */
export function toCondition(name: string, of: FilteredProperty, value: unknown): Condition {
  return { name, value, keeps: ({ item }) => matches(readFiltered(item, of), value) };
}

/**
 * The conditions of the filters of a request: properties equal the given values.
 *
 * An array of values means any of them; a property that is an array must contain one of them; `gt`, `gte`, `lt` and `lte` in an
 * object are bounds of a number or a date.
 */
export function readFilters(
  filters: readonly Filter[],
  query: Readonly<Record<string, unknown>>,
): readonly Condition[] {
  const conditions: Condition[] = [];
  for (const {
    parameter,
    property,
    inner,
    operator,
    isRequired,
    isScalar: isScalarProperty,
    fallback,
    values,
    isForAll,
  } of filters) {
    const given = query[parameter];
    const value = operator === undefined || given === undefined ? given : { [operator]: given };
    if (isForAll?.(value ?? fallback) === true) continue;
    const wanted = value ?? fallback;
    if (wanted === undefined || (wanted === '' && value !== undefined)) continue;
    // Items without a value that the filter can name match its default, and those without any a filter of every request.
    const isLenient = value === undefined || isRequired === true;
    const isOther = (own: unknown): boolean => value === undefined && isScalar(own) && values?.includes(own) === false;
    const condition = toCondition(parameter, { property, inner }, wanted);
    if (isScalarProperty === true && !isRead(wanted)) {
      conditions.push({ ...condition, problem: 'its value has no known operator', keeps: () => true });
      continue;
    }
    conditions.push(
      isLenient
        ? {
            ...condition,
            keeps: (entry) => {
              const own = readMember(entry.item, property);
              return (own ?? null) === null || isOther(own) || condition.keeps(entry);
            },
          }
        : condition,
    );
  }
  return conditions;
}

/** A predicate for a label selector of equalities (`app=shop,tier!=web`); undefined without one. */
export function readSelector(value: unknown): Condition['keeps'] | undefined {
  if (typeof value !== 'string' || value === '') return undefined;
  const clauses = value.split(',').map((clause) => /^\s*([^\s!=]+)\s*(==?|!=)\s*(\S*)\s*$/.exec(clause));
  return ({ item }) => {
    const labels = readPath(item, ['metadata', 'labels']) ?? item['labels'];
    return clauses.every((clause) => {
      if (clause === null) return true;
      const [, name = '', sign, wanted] = clause;
      return (readPath(labels, [name]) === wanted) === (sign !== '!=');
    });
  };
}

/**
 * A predicate for a search. Clauses (`email:"a@b.c" AND metadata["plan"]:"pro"`) compare properties; anything else is searched for in
 * the JSON of an item. Undefined without a search.
 *
 * An item that was created on demand matches every search, since its values are generated.
 */
export function readSearch(value: unknown): Condition['keeps'] | undefined {
  if (typeof value !== 'string' || value.trim() === '') return undefined;
  const clauses = [...value.matchAll(CLAUSE)].map(([, not, property = '', key, sign = ':', quoted, bare]) => {
    const path = [...property.split('.'), ...(key?.split('.') ?? [])];
    const wanted = quoted ?? bare ?? '';
    return ({ item }: StoredItem): boolean => holds(readPath(item, path), sign, wanted) !== (not === '-');
  });
  const some = /\sOR\s/.test(value);
  if (clauses.length > 0) {
    return (entry) => (some ? clauses.some((each) => each(entry)) : clauses.every((each) => each(entry)));
  }
  const words = value.toLowerCase();
  return (entry) => JSON.stringify(entry.item).toLowerCase().includes(words);
}

// Only at the beginning of a word: trying each letter of a long word takes quadratic time.
const CLAUSE = /(-?)(?<![\w.])([\w.]+)(?:\[["']([^"']+)["']\])?\s*(>=|<=|[:~<>=])\s*(?:["']([^"']*)["']|([^\s"']+))/g;

/** The order of a sort parameter: properties, `-property`, or `property:desc`, the first one first; undefined for anything else. */
export function readSort(value: unknown, schema: SchemaView | undefined): EntryOrder | undefined {
  if (value === undefined) return undefined;
  const texts = [value].flat().flatMap((each) => (typeof each === 'string' ? each.split(',') : []));
  const orders = texts.map((text) => readSortKey(text.trim(), schema));
  if (orders.length < 2) return orders[0];
  if (orders.includes(undefined)) return undefined;
  return (a, b) => {
    for (const order of orders) {
      const difference = order?.(a, b) ?? 0;
      if (difference !== 0) return difference;
    }
    return 0;
  };
}

function readSortKey(text: string, schema: SchemaView | undefined): EntryOrder | undefined {
  const match = /^([-+]?)([\w.]+?)(?:[ :]+(asc|desc)(?:ending)?)?$/i.exec(text);
  const property = match?.[2];
  if (match === null || property === undefined) return undefined;
  if (schema !== undefined && !schema.members.has(property)) return undefined;
  const sign = match[1] === '-' || match[3]?.toLowerCase() === 'desc' ? -1 : 1;
  return (a, b) => sign * compareValues(a.item[property], b.item[property]);
}

/** Compares numbers by value and other values as strings; missing values come last. */
function compareValues(a: unknown, b: unknown): number {
  if (a === b) return 0;
  if (a === undefined || a === null) return 1;
  if (b === undefined || b === null) return -1;
  if (isNumber(a) && isNumber(b)) return Number(a) - Number(b) || (String(a) < String(b) ? -1 : 1);
  return toText(a) < toText(b) ? -1 : 1;
}
