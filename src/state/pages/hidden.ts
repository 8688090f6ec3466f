import type { SchemaObject } from '../../contract/json.js';
import { type ItemProperty, type ItemSchema, listProperties, isNumeric } from '../item-schema.js';
import { toBareName } from '../../contract/names.js';
import { listStatuses } from '../names.js';
import { isChangeTimestamp, isInactiveTime, isInstant, isStatus, isTimestamp } from '../store/server-values.js';
import type { Entry } from '../store/lists/item-list.js';
import type { PageInput } from './inputs.js';
import type { Filter } from './view.js';
import { readText, type Operation } from '../../contract/operations/operation.js';

/** Items that a list leaves out unless a parameter such as `include_disabled` asks for them. */
export interface HiddenItems {
  /** What the trace calls the condition that leaves them out. */
  readonly name: string;
  /** Whether the values of the parameters ask for them. */
  isShown(values: Readonly<Record<string, unknown>>): boolean;
  isHidden(entry: Entry): boolean;
}

const INCLUDE = /^(include|with|show)[-_]?(?=[a-z])/i;

/** How a description gives the default of a flag: "The default is True." */
const SHOWN_BY_DEFAULT = /\bdefaults?\b(?:(?!\bfalse\b)[^.]){0,20}\btrue\b/i;

/** Words of items that are not active. */
const INACTIVE = /^(disabled|inactive|deactivated)$/;

/** The items that a flag of a list adds: `include_disabled` those with `enabled: false`; undefined for other parameters. */
export function findHiddenItems(
  { name, description = '' }: PageInput,
  { type, default: declared }: SchemaObject,
  item: ItemSchema | undefined,
): HiddenItems | undefined {
  const value = declared ?? SHOWN_BY_DEFAULT.test(description);
  const word = toBareName(name.replace(INCLUDE, ''));
  if (!INCLUDE.test(name) || type !== 'boolean' || word === '') return undefined;
  for (const property of listProperties(item)) {
    const isHiddenValue = findHiddenValue(property, word);
    if (isHiddenValue === undefined) continue;
    return {
      name: `without ${name}`,
      isShown: (values) => {
        const given = values[name] ?? value;
        return given === true || given === 'true';
      },
      isHidden: (entry) => isHiddenValue(entry.item[property.name]),
    };
  }
  return undefined;
}

/** What a list does not show, in its description: `that have not been canceled`. */
const EXCLUDED =
  /\b(?:not|excluding|except|without)\b(?: (?:yet|been|those|that|which|are|have|the|any))* (cancell?ed|archived|deleted|closed|inactive|disabled)\b/i;

/** The items that the description of a list excludes by their status or a flag, unless a parameter for that status asks for them. */
export function findExcludedItems(
  operation: Operation,
  inputs: readonly PageInput[],
  item: ItemSchema | undefined,
): readonly HiddenItems[] {
  const word = toBareName(EXCLUDED.exec(readText(operation))?.[1] ?? '').replace('cancelled', 'canceled');
  const forms = word === 'canceled' ? [word, 'cancelled'] : [word];
  const named = (name: string): boolean => forms.some((form) => toBareName(name).includes(form));
  return listProperties(item).flatMap((property) => {
    const { name, schema } = property;
    if (word === '' || (schema.type !== 'boolean' && !isStatus(name))) return [];
    const isHiddenValue = forms.map((form) => findHiddenValue(property, form)).find((each) => each !== undefined);
    if (isHiddenValue === undefined) return [];
    const asking = inputs.filter((each) => each.name === name || named(each.name));
    return {
      name: `not ${forms[0]}`,
      isShown: (values) => asking.some((each) => values[each.name] !== undefined),
      isHidden: (entry) => isHiddenValue(entry.item[name]),
    };
  });
}

/** Whether a value of a property says that an item is what a word names; undefined where the property says nothing about it. */
function findHiddenValue(property: ItemProperty, word: string): ((value: unknown) => boolean) | undefined {
  const { type } = property.schema;
  const bare = toBareName(property.name).replace(/^is(?=[a-z]{4})/, '');
  if (type === 'boolean') {
    if (bare === word) return (value) => value === true;
    return INACTIVE.test(word) && /^(enabled|active)$/.test(bare) ? (value) => value === false : undefined;
  }
  if (isStatus(property.name)) {
    const status = listStatuses(property.schema).find((each) => toBareName(each) === word);
    if (status !== undefined) return (value) => value === status;
  }
  if (INACTIVE.test(word) && isInactiveTime(property))
    return (value) => value !== undefined && value !== null && value !== 0;
  const isTime = (bare === word || bare === `${word}at`) && isInstant(property);
  return isTime ? (value) => value !== undefined && value !== null : undefined;
}

/** Names of the earliest and of the latest time of the items of a list. */
const TIME_BOUND =
  /^(created|updated|modified|changed)?(at|on|date|time)?(since|after|from|startingafter|until|before|to|endingbefore)(date|time|timestamp)?$/;

const LATEST = /(until|before|to|endingbefore)(date|time|timestamp)?$/;

const CHANGED = /\b(updated|modified|changed)\b/i;

/** Whether a parameter of a list names a time by its format, or as a number according to its description. */
export function isTimeBound({ name, description = '' }: PageInput, schema: SchemaObject): boolean {
  if (!TIME_BOUND.test(toBareName(name))) return false;
  const text = `${description} ${schema.description ?? ''}`;
  return (
    schema.format?.startsWith('date') === true ||
    (isNumeric(schema) && /\b(unix|epoch|timestamp|(milli)?seconds|time)\b/i.test(text))
  );
}

/** Names of the two ends of a range of time: `start_date` and `end_date`. */
const RANGE_END = /^(start|begin|end)(date|time|datetime|at|on)$/;

/** The filter by one end of a range of time, where items have the property and requests can name both ends: `startDate`, `endDate`. */
export function findRangeBound(
  { name }: PageInput,
  query: readonly PageInput[],
  of: { readonly schema: SchemaObject; readonly item: ItemSchema | undefined },
): Filter | undefined {
  const [, end, unit] = RANGE_END.exec(toBareName(name)) ?? [];
  if (end === undefined || of.schema.format?.startsWith('date') !== true) return undefined;
  const others = new Set(end === 'end' ? [`start${unit}`, `begin${unit}`] : [`end${unit}`]);
  const property = listProperties(of.item).find(({ bare }) => bare === toBareName(name));
  if (property?.schema.format?.startsWith('date') !== true) return undefined;
  if (!query.some((other) => others.has(toBareName(other.name)))) return undefined;
  return { parameter: name, property: property.name, bound: end === 'end' ? 'lte' : 'gte' };
}

/** The filter that leaves out items from before or after a time: `since`, `created_before`. */
export function findTimeBound(
  input: PageInput,
  schema: SchemaObject,
  item: ItemSchema | undefined,
): Filter | undefined {
  if (!isTimeBound(input, schema)) return undefined;
  const isChange = CHANGED.test(`${input.name.replaceAll(/[-_]/g, ' ')} ${input.description ?? ''}`);
  const times = listProperties(item).filter(isTimestamp);
  const property = times.find((each) => isChangeTimestamp(each) === isChange) ?? (isChange ? times[0] : undefined);
  const bound = LATEST.test(toBareName(input.name)) ? 'lte' : 'gte';
  return property && { parameter: input.name, property: property.name, bound };
}
