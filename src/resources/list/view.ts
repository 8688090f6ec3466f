import { means } from '../../conventions/conventions.js';
import { readMember, readPath, type SchemaObject } from '../../base/json.js';
import {
  type PropertyView,
  type SchemaView,
  type ReadSchema,
  listProperties,
} from '../../contract/schema-view/schema-view.js';
import { toSingular } from '../../conventions/names.js';
import { toBareName } from '../../base/names.js';
import type { PageInput } from './inputs.js';
import { type StoredItem, findFirst, type ItemList } from '../store/lists/item-list.js';
import { canHold } from '../item/declared-members.js';

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
export interface Filter {
  readonly parameter: string;
  readonly property: string;
  /** The property of the object in `property` that is compared: `id` for `user_id` where items have `user: { id }`. */
  readonly inner?: string | undefined;
  /** Where the value is the earliest or the latest time of the property. */
  readonly bound?: 'gte' | 'lte' | undefined;
  /** Whether every request has a value. */
  readonly isRequired?: boolean | undefined;
  /** The value of a request that does not name the parameter. */
  readonly fallback?: unknown;
  /** The values that a request can name, where the property can have others; undefined where it can name any. */
  readonly values?: readonly unknown[] | undefined;
  /** Whether items cannot have a value, so that it asks for all of them: `all`, `any`, `*`. */
  readonly isForAll?: (value: unknown) => boolean;
}

/** The filter that a parameter is, by its name; undefined where items have no such property. */
export function findFilter(
  { name, required }: PageInput,
  schema: SchemaObject,
  known: { readonly item: SchemaView | undefined; readonly read?: ReadSchema | undefined },
): Filter | undefined {
  const properties = listProperties(known.item);
  const plain = name.replace(/\[\]$/, '');
  const bare = toBareName(plain);
  const own = properties.find((each) => each.name === plain) ?? properties.find((each) => each.bare === bare);
  const object =
    own ??
    properties.find((each) => `${each.bare}id` === bare) ??
    properties.find((each) => isListOf(each, bare, known.read));
  if (object === undefined) return undefined;
  const inner = own === undefined && object.schema.type !== 'array' ? 'id' : undefined;
  if (inner !== undefined && known.read?.(object.target)?.members.has(inner) !== true) return undefined;
  // `type=scheduled` says nothing about items whose type is a number.
  const isPossible = schema.enum?.some((value) => ALL.test(String(value)) || canBe(object.schema, value));
  if (inner === undefined && isPossible === false) return undefined;
  const { enum: values, type } = object.schema;
  const isOpen = values === undefined && type !== 'boolean';
  const asksForAll = new Set((schema.enum ?? []).filter((value) => ALL.test(String(value))));
  return {
    parameter: name,
    property: object.name,
    inner,
    isRequired: required,
    // The default of a flag, or of a free value, is often not one of the filter.
    fallback: schema.enum !== undefined && canBe(object.schema, schema.default) ? schema.default : undefined,
    values: values === undefined ? schema.enum : undefined,
    isForAll: (value) =>
      typeof value === 'string' &&
      ALL.test(value) &&
      values?.includes(value) !== true &&
      (!isOpen || asksForAll.has(value)),
  };
}

const ALL = /^(all|any|\*)$/i;

/** Whether a property is an array of strings or numbers, and a parameter names one of them: `tags` for `tag` and `tag_name`. */
function isListOf({ name, target, schema }: PropertyView, bare: string, read: ReadSchema | undefined): boolean {
  const one = toSingular(toBareName(name));
  const isNamed = bare.startsWith(one) && (bare === one || means(bare.slice(one.length), 'ids.id', 'ids.name'));
  const element = schema.type === 'array' && isNamed ? read?.(read(target)?.element) : undefined;
  return element !== undefined && element.members.size === 0;
}

/** Whether a property can have a value, or have it among others. */
function canBe(schema: SchemaObject, value: unknown): boolean {
  return canHold(schema, value) || (schema.enum === undefined && [schema.type].flat().includes('array'));
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
  /** Whether every condition has its effect. */
  readonly isRead: boolean;
  /** A sentence for each condition that has left out items, or that has no effect. */
  describe(): readonly string[];
}

/** Joins conditions; each is asked about the items that those before it keep. */
export function createSelection(conditions: readonly Condition[]): Selection {
  if (conditions.length === 0) return KEEPS_ALL;
  const omitted = conditions.map(() => 0);
  let seen = 0;
  return {
    isRead: conditions.every(({ problem }) => problem === undefined),
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
export const KEEPS_ALL: Selection = { keep: undefined, isRead: true, describe: () => [] };

/** A condition on the value of a property. */
export function toCondition(name: string, property: string, value: unknown): Condition {
  return { name, value, keeps: ({ item }) => matches(readMember(item, property), value) };
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
  for (const { parameter, property, bound, isRequired, fallback, values, isForAll } of filters) {
    const given = query[parameter];
    const value = bound === undefined || given === undefined ? given : { [bound]: given };
    if (isForAll?.(value ?? fallback) === true) continue;
    const wanted = value ?? fallback;
    if (wanted === undefined || (wanted === '' && value !== undefined)) continue;
    // Items without a value that the filter can name match its default, and those without any a filter of every request.
    const isLenient = value === undefined || isRequired === true;
    const isOther = (own: unknown): boolean => value === undefined && isScalar(own) && values?.includes(own) === false;
    const condition = toCondition(parameter, property, wanted);
    conditions.push(
      isLenient
        ? {
            ...condition,
            keeps: (entry) => {
              const own = entry.item[property];
              return (own ?? null) === null || isOther(own) || condition.keeps(entry);
            },
          }
        : condition,
    );
  }
  return conditions;
}

/** Whether a value is a string, a number or a boolean. */
export function isScalar(value: unknown): value is string | number | boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
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

/** Whether a value fits the sign of a clause: `:` and `=` equal, `~` contains, and the bounds of numbers and dates. */
export function holds(actual: unknown, sign: string, wanted: string): boolean {
  if (sign === ':' || sign === '=')
    return wanted === 'null' ? actual === undefined || actual === null : matches(actual, wanted);
  if (sign === '~') return typeof actual === 'string' && actual.toLowerCase().includes(wanted.toLowerCase());
  const name = { '>': 'gt', '>=': 'gte', '<': 'lt', '<=': 'lte' }[sign] ?? 'gt';
  return isBetween(actual, { [name]: wanted });
}

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
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  return toText(a) < toText(b) ? -1 : 1;
}

function matches(actual: unknown, wanted: unknown): boolean {
  if (Array.isArray(wanted)) return wanted.some((each) => matches(actual, each));
  if (Array.isArray(actual)) return actual.some((each) => matches(each, wanted));
  if (typeof wanted === 'object' && wanted !== null)
    return isBetween(actual, wanted as Readonly<Record<string, unknown>>);
  if (typeof actual === 'object' && actual !== null) {
    // An object that represents another item is compared by its id or name: `tags: [{ name }]`, `customer: { id }`.
    const { id, gid, uuid, sid, name } = actual as Readonly<Record<string, unknown>>;
    return [id, gid, uuid, sid, name].some((each) => matches(each, wanted));
  }
  if (actual === undefined) return false;
  if (toText(actual) === toText(wanted)) return true;
  if (typeof wanted !== 'string' || !wanted.includes(',')) return false;
  // Several values in one string: any of them.
  const values = wanted.split(',');
  return values.every((each) => each.trim() !== '') && values.includes(toText(actual));
}

function isBetween(actual: unknown, bounds: Readonly<Record<string, unknown>>): boolean {
  const number = typeof actual === 'number' ? actual : Date.parse(String(actual));
  return Object.entries(bounds).every(([name, bound]) => {
    const isNumber = typeof bound === 'number' || /^-?\d+$/.test(String(bound));
    const plain = isNumber ? Number(bound) : Date.parse(String(bound));
    const limit = toUnit(plain, { isNumber, actual });
    if (name === 'gt') return number > limit;
    if (name === 'gte') return number >= limit;
    if (name === 'lt') return number < limit;
    return name === 'lte' ? number <= limit : true;
  });
}

/** A bound in the unit of a value: seconds for a number of seconds, milliseconds for a date. */
function toUnit(bound: number, { isNumber, actual }: { readonly isNumber: boolean; readonly actual: unknown }): number {
  const isSeconds = (value: number): boolean => Math.abs(value) < 100_000_000_000;
  if (typeof actual !== 'number') return isNumber && isSeconds(bound) ? bound * 1000 : bound;
  return !isNumber && isSeconds(actual) ? bound / 1000 : bound;
}

function toText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
