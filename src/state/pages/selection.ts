import { isObject } from '../../contract/json.js';
import type { ItemSchema } from '../item-schema.js';
import type { Entry } from '../store/item-list.js';
import type { EntryOrder } from '../store/view.js';
import type { PagePlan } from './page-plan.js';

/**
 * Which items a request wants: those whose properties equal what it asks for. Undefined where it asks for nothing.
 *
 * A list of values means any of them; a property that is a list has to hold one of them; `gt`, `gte`, `lt` and `lte` in an object
 * bound a number.
 */
export function readFilters(
  filters: PagePlan['filters'],
  query: Readonly<Record<string, unknown>>,
  within: Readonly<Record<string, unknown>> | undefined,
): ((entry: Entry) => boolean) | undefined {
  if (filters.length === 0 && within === undefined) return undefined;
  const wanted: (readonly [property: string, value: unknown])[] = Object.entries(within ?? {});
  for (const { parameter, property } of filters) {
    const value = query[parameter];
    if (value !== undefined && value !== '') wanted.push([property, value]);
  }
  if (wanted.length === 0) return undefined;
  return ({ item }) => wanted.every(([property, value]) => isWanted(item[property], value));
}

/**
 * Which items a search means. Clauses (`email:"a@b.c" AND metadata["plan"]:"pro"`) compare properties; anything else is looked for in
 * every text of an item. Undefined where nothing is asked.
 *
 * An item that nobody made matches every search: in an open world nobody can say what it would not match.
 */
export function readSearch(value: unknown): ((entry: Entry) => boolean) | undefined {
  if (typeof value !== 'string' || value.trim() === '') return undefined;
  const clauses = [...value.matchAll(CLAUSE)].map(([, not, property = '', key, sign = ':', quoted, bare]) => {
    const path = key === undefined ? [property] : [property, key];
    const wanted = quoted ?? bare ?? '';
    return ({ item }: Entry): boolean => holds(readPath(item, path), sign, wanted) !== (not === '-');
  });
  const some = /\sOR\s/.test(value);
  if (clauses.length > 0) {
    return (entry) =>
      entry.invented === true || (some ? clauses.some((each) => each(entry)) : clauses.every((each) => each(entry)));
  }
  const words = value.toLowerCase();
  return (entry) => entry.invented === true || JSON.stringify(entry.item).toLowerCase().includes(words);
}

// Tried at the beginning of a word alone: from every letter of a long one it would take for ever to find no sign behind it.
const CLAUSE = /(-?)(?<![\w.])([\w.]+)(?:\[["']([^"']+)["']\])?\s*(>=|<=|[:~<>=])\s*(?:["']([^"']*)["']|([^\s"']+))/g;

function holds(actual: unknown, sign: string, wanted: string): boolean {
  if (sign === ':' || sign === '=')
    return wanted === 'null' ? actual === undefined || actual === null : isWanted(actual, wanted);
  if (sign === '~') return typeof actual === 'string' && actual.toLowerCase().includes(wanted.toLowerCase());
  const name = { '>': 'gt', '>=': 'gte', '<': 'lt', '<=': 'lte' }[sign] ?? 'gt';
  return isBetween(actual, { [name]: wanted });
}

function readPath(item: unknown, path: readonly string[]): unknown {
  let value = item;
  for (const step of path.flatMap((each) => each.split('.')))
    value = isObject(value) && Object.hasOwn(value, step) ? value[step] : undefined;
  return value;
}

/** The order a sort parameter asks for: a property, `-property`, or `property:desc`; undefined for anything else. */
export function readSort(value: unknown, schema: ItemSchema | undefined): EntryOrder | undefined {
  const text = Array.isArray(value) ? value[0] : value;
  if (typeof text !== 'string') return undefined;
  const match = /^([-+]?)([\w.]+?)(?:[ :]+(asc|desc)(?:ending)?)?$/i.exec(text);
  const property = match?.[2];
  if (match === null || property === undefined) return undefined;
  if (schema !== undefined && !schema.properties.has(property)) return undefined;
  const sign = match[1] === '-' || match[3]?.toLowerCase() === 'desc' ? -1 : 1;
  return (a, b) => sign * compareValues(a.item[property], b.item[property]);
}

/** Numbers by size, texts by their characters, what is missing last. */
function compareValues(a: unknown, b: unknown): number {
  if (a === b) return 0;
  if (a === undefined || a === null) return 1;
  if (b === undefined || b === null) return -1;
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  return toText(a) < toText(b) ? -1 : 1;
}

function isWanted(actual: unknown, wanted: unknown): boolean {
  if (Array.isArray(wanted)) return wanted.some((each) => isWanted(actual, each));
  if (Array.isArray(actual)) return actual.some((each) => isWanted(each, wanted));
  if (typeof wanted === 'object' && wanted !== null)
    return isBetween(actual, wanted as Readonly<Record<string, unknown>>);
  if (typeof actual === 'object' && actual !== null) {
    // An object that stands for another item is known by its id or its name: `tags: [{ name }]`, `customer: { id }`.
    const { id, name } = actual as Readonly<Record<string, unknown>>;
    return isWanted(id, wanted) || isWanted(name, wanted);
  }
  return actual !== undefined && toText(actual) === toText(wanted);
}

function isBetween(actual: unknown, bounds: Readonly<Record<string, unknown>>): boolean {
  const number = typeof actual === 'number' ? actual : Date.parse(String(actual));
  return Object.entries(bounds).every(([name, bound]) => {
    const limit =
      typeof bound === 'number' || /^-?\d+$/.test(String(bound)) ? Number(bound) : Date.parse(String(bound));
    if (name === 'gt') return number > limit;
    if (name === 'gte') return number >= limit;
    if (name === 'lt') return number < limit;
    if (name === 'lte') return number <= limit;
    return true;
  });
}

function toText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
