import { COMPARED_NAME, DATED_NAME, EXCLUDED_NAME, RANGE_END, TIME_ENDING } from '../../conventions/forms.js';
import { SAYS_CHANGED, SAYS_DATE } from '../../conventions/descriptions.js';
import { means } from '../../conventions/conventions.js';
import { toItemNoun, toSingular } from '../../conventions/names.js';
import type { SchemaObject } from '../../base/json.js';
import { toBareName } from '../../base/names.js';
import {
  type PropertyView,
  type SchemaView,
  type ReadSchema,
  isNumeric,
  listProperties,
} from '../../contract/schema-view/schema-view.js';
import { findTest } from './comparisons.js';
import { canHold } from '../item/declared-members.js';
import { isChangeTimestamp, isInstant, isTimestamp } from '../item/server-values.js';
import type { PageInput } from './inputs.js';
import type { Filter } from './view.js';

/** What is known about the items that parameters filter. */
export interface FilterKnowledge {
  readonly item: SchemaView | undefined;
  /** Reads the schemas of objects in items. */
  readonly read?: ReadSchema | undefined;
  readonly resource?: { readonly name: string } | undefined;
}

type FilterInput = Pick<PageInput, 'name' | 'required'>;

/** The filter that a parameter is, by its name; undefined where items have no such property. */
export function findFilter(input: FilterInput, schema: SchemaObject, known: FilterKnowledge): Filter | undefined {
  const named = findNamed(input, schema, known);
  if (named !== undefined) return toFilter(input, schema, named);
  // The properties of an item of JSON:API are in `attributes`.
  for (const { name, target, scalar } of listProperties(known.item)) {
    const item = scalar || !means(name, 'envelopes.part') ? undefined : known.read?.(target);
    const inside = item && findFilter(input, schema, { ...known, item, resource: undefined });
    if (inside !== undefined) return { ...inside, property: `${name}.${inside.property}` };
  }
  return findExcluded(input, schema, known) ?? findCompared(input, schema, known);
}

/** The filter that leaves out what has a value: `exclude_status`. */
function findExcluded(input: FilterInput, schema: SchemaObject, known: FilterKnowledge): Filter | undefined {
  const [, name] = EXCLUDED_NAME.exec(input.name) ?? [];
  // A flag such as `exclude_pull_requests` leaves out members of the answer, not items.
  const isFlag = [schema.type].flat().includes('boolean');
  const named = name === undefined || isFlag ? undefined : findNamed({ ...input, name }, schema, known);
  const filter = named && toFilter(input, schema, named);
  return filter && { ...filter, operator: 'ne' };
}

/** The filter by an operator behind the name of a property: `status[ne]`, `title__contains`, `status_in`. */
function findCompared(input: FilterInput, schema: SchemaObject, known: FilterKnowledge): Filter | undefined {
  const [, name, operator] = COMPARED_NAME.exec(input.name) ?? [];
  if (name === undefined || operator === undefined || findTest(operator) === undefined) return undefined;
  const property = listProperties(known.item).find((each) => each.name === name);
  const filter = property && toFilter(input, schema, { property, inner: undefined });
  return filter && { ...filter, operator };
}

/** The property that a request names as a value, by the same rules; any where nothing is known about the items. */
export function findProperty(
  name: string,
  known: FilterKnowledge,
): Pick<Filter, 'inner' | 'isScalar' | 'property'> | undefined {
  if (known.item === undefined || known.item.members.size === 0) return { property: name };
  return findFilter({ name, required: false }, NO_SCHEMA, known);
}

const NO_SCHEMA: SchemaObject = Object.freeze({});

/** A property by which a parameter filters, and that of the object in it which is compared. */
interface NamedProperty {
  readonly property: PropertyView;
  readonly inner: string | undefined;
}

/** The property that a parameter names: exactly, with the noun of the items, as one of several values, or inside of an object. */
function findNamed({ name }: FilterInput, schema: SchemaObject, known: FilterKnowledge): NamedProperty | undefined {
  const properties = listProperties(known.item);
  const plain = readPlainName(name);
  const names = listBareNames(plain, schema, known);
  const own =
    properties.find((each) => each.name === plain) ??
    names.flatMap((bare) => properties.find((each) => each.bare === bare) ?? [])[0];
  if (own !== undefined) return { property: own, inner: undefined };
  const member = names.flatMap((bare) => properties.flatMap((each) => findMember(each, bare, known) ?? []))[0];
  if (member !== undefined) return member;
  const list = properties.find((each) => isListOf(each, toBareName(plain), known.read));
  return list && { property: list, inner: undefined };
}

/** The name without what only says how its values are written: `status` for `filter[status]`, `statuses` for `statuses[]`. */
function readPlainName(name: string): string {
  const plain = name.replace(/\[\]$/, '');
  const [, group = '', own] = /^(\w+)\[([^[\]]+)\]$/.exec(plain) ?? [];
  return own !== undefined && means(group, 'queries.group', 'queries.expression') ? own : plain;
}

/** The bare names that a property can have for a parameter, the likeliest first: `eventtypes`, `eventtype`, `type` in a list of events. */
function listBareNames(plain: string, schema: SchemaObject, { resource }: FilterKnowledge): readonly string[] {
  const bare = toBareName(plain);
  // An array, or a string that separates values by commas.
  const isMany = [schema.type ?? 'string'].flat().some((type) => type === 'array' || type === 'string');
  const own = [...new Set([bare, ...(isMany ? [toSingular(bare)] : [])])];
  const noun = resource === undefined ? '' : toItemNoun(resource.name);
  if (noun === '') return own;
  const isOwn = (each: string): boolean => each.startsWith(noun) && each.length > noun.length;
  return [...own, ...own.map((each) => (isOwn(each) ? each.slice(noun.length) : noun + each))];
}

/** The member of an object, or of the objects of an array, that a bare name means: `id` of `user` for `userid`. */
function findMember(property: PropertyView, bare: string, { read }: FilterKnowledge): NamedProperty | undefined {
  const stem = bare.startsWith(property.bare) ? property.bare : toSingular(property.bare);
  if (property.scalar || !bare.startsWith(stem) || bare === stem) return undefined;
  const whole = read?.(property.target);
  const object = whole?.element === undefined ? whole : read?.(whole.element);
  const member = listProperties(object).find((each) => each.scalar && each.bare === bare.slice(stem.length));
  return member && { property, inner: member.name };
}

function toFilter(
  { name, required }: FilterInput,
  schema: SchemaObject,
  { property, inner }: NamedProperty,
): Filter | undefined {
  const { schema: own } = property;
  // `type=scheduled` says nothing about items whose type is a number.
  const isPossible = schema.enum?.some((value) => ALL.test(String(value)) || canBe(own, value));
  if (inner === undefined && isPossible === false) return undefined;
  const { enum: values, type } = own;
  const isOpen = values === undefined && type !== 'boolean';
  const asksForAll = new Set((schema.enum ?? []).filter((value) => ALL.test(String(value))));
  return {
    parameter: name,
    property: property.name,
    inner,
    isRequired: required,
    isScalar: property.scalar || inner !== undefined,
    isMany: isArray(schema) && !isArray(own),
    // The default of a flag, unless it hides what was removed, or of a free value, is often not one of the filter.
    fallback:
      (schema.enum !== undefined || means(name, 'removed.flag')) && canBe(own, schema.default)
        ? schema.default
        : undefined,
    values: values === undefined ? schema.enum : undefined,
    isForAll: (value) =>
      typeof value === 'string' &&
      ALL.test(value) &&
      values?.includes(value) !== true &&
      (!isOpen || asksForAll.has(value)),
  };
}

const ALL = /^(all|any|\*)$/i;

function isArray({ type }: SchemaObject): boolean {
  return [type].flat().includes('array');
}

/** Whether a property is an array of strings or numbers, and a parameter names one of them: `tags` for `tag` and `tag_name`. */
function isListOf({ name, target, schema }: PropertyView, bare: string, read: ReadSchema | undefined): boolean {
  const one = toSingular(toBareName(name));
  const isNamed = bare.startsWith(one) && (bare === one || means(bare.slice(one.length), 'ids.id', 'ids.name'));
  const element = schema.type === 'array' && isNamed ? read?.(read(target)?.element) : undefined;
  return element !== undefined && element.members.size === 0;
}

/** Whether a property can have a value, or have it among others. */
function canBe(schema: SchemaObject, value: unknown): boolean {
  return canHold(schema, value) || (schema.enum === undefined && isArray(schema));
}

/** Whether a parameter of a list names a time by its format, or as a string or a number according to its name or description. */
export function isTimeBound({ name, description = '' }: PageInput, schema: SchemaObject): boolean {
  if (!means(name, 'times.bound')) return false;
  const text = `${description} ${schema.description ?? ''}`;
  return (
    schema.format?.startsWith('date') === true ||
    (isNumeric(schema) && /\b(unix|epoch|timestamp|(milli)?seconds|time)\b/i.test(text)) ||
    (schema.type === 'string' && schema.format === undefined && (DATED_NAME.test(name) || SAYS_DATE.test(text)))
  );
}

/** The filter by one end of a range of time, where items have the property and requests can name both ends: `startDate`, `endDate`. */
export function findRangeBound(
  { name }: PageInput,
  query: readonly PageInput[],
  of: { readonly schema: SchemaObject; readonly item: SchemaView | undefined },
): Filter | undefined {
  const [, end, unit] = RANGE_END.exec(toBareName(name)) ?? [];
  if (end === undefined || of.schema.format?.startsWith('date') !== true) return undefined;
  const others = new Set(end === 'end' ? [`start${unit}`, `begin${unit}`] : [`end${unit}`]);
  const property = listProperties(of.item).find(({ bare }) => bare === toBareName(name));
  if (property?.schema.format?.startsWith('date') !== true) return undefined;
  if (!query.some((other) => others.has(toBareName(other.name)))) return undefined;
  return { parameter: name, property: property.name, operator: end === 'end' ? 'lte' : 'gte' };
}

/** The filter that leaves out items below or above a value: `min_price`, `created_before`, `since`. */
export function findBound(input: PageInput, schema: SchemaObject, item: SchemaView | undefined): Filter | undefined {
  return findOwnBound(input, item) ?? findTimeBound(input, schema, item);
}

/** The bound of the property whose name is in that of the parameter: `price_min`, `starts_after` for `starts_at`. */
function findOwnBound({ name }: PageInput, item: SchemaView | undefined): Filter | undefined {
  const bare = toBareName(readPlainName(name));
  for (const property of listProperties(item)) {
    const isTime = isInstant(property);
    if (!isTime && !isNumeric(property.schema)) continue;
    const stems = isTime ? [property.bare, property.bare.replace(TIME_ENDING, '')] : [property.bare];
    for (const stem of stems) {
      if (stem.length < 3) continue;
      const word = bare.startsWith(stem) ? bare.slice(stem.length) : bare.endsWith(stem) && bare.slice(0, -stem.length);
      if (word === false || word === '') continue;
      if (means(word, 'queries.least')) return { parameter: name, property: property.name, operator: 'gte' };
      if (means(word, 'queries.most')) return { parameter: name, property: property.name, operator: 'lte' };
    }
  }
  return undefined;
}

/** The bound of the time of a creation or a change, or of the only time that items have. */
function findTimeBound(input: PageInput, schema: SchemaObject, item: SchemaView | undefined): Filter | undefined {
  if (!isTimeBound(input, schema)) return undefined;
  const isChange = SAYS_CHANGED.test(`${input.name.replaceAll(/[-_]/g, ' ')} ${input.description ?? ''}`);
  const times = listProperties(item).filter(isTimestamp);
  const [only, ...others] = listProperties(item).filter(isInstant);
  const property =
    times.find((each) => isChangeTimestamp(each) === isChange) ??
    (isChange ? times[0] : undefined) ??
    (times.length === 0 && others.length === 0 ? only : undefined);
  const operator = means(input.known, 'times.latest') ? 'lte' : 'gte';
  return property && { parameter: input.name, property: property.name, operator };
}
